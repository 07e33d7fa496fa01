-- learned_distance: optima of the sources' example, counts against the attack
-- that takes the parameters, families that lie in each other, odd data.

SET sdc.progress_interval = 0;
CREATE TABLE rs_original(id int PRIMARY KEY, a1 int, a2 int, a3 int, a4 int);
CREATE TABLE rs_masked  (id int PRIMARY KEY, a1 int, a2 int, a3 int, a4 int);
INSERT INTO rs_original VALUES (1,8,9,1,3),(2,6,7,10,2),(3,10,3,4,1),(4,7,1,2,6),(5,9,4,6,4),
  (6,2,2,8,8),(7,1,10,3,9),(8,4,8,7,10),(9,5,5,5,5),(10,3,6,9,7);
INSERT INTO rs_masked VALUES (1,10,10,3,5),(2,5,5,8,1),(3,8,4,2,2),(4,9,2,4,4),(5,7,3,5,6),
  (6,4,1,10,10),(7,3,9,1,7),(8,2,6,9,8),(9,6,7,6,3),(10,1,8,7,9);

-- the weighted mean: 8 of 10 in both directions, and no more
SELECT d.direction, m.method, m.attack_method, m.records, m.uniform, m.reidentified, m.bound, m.exact
FROM (VALUES ('to_masked'), ('to_original')) AS d(direction),
     LATERAL sdc.learn_distance('rs_original', 'rs_masked', 'id', '{a1,a2,a3,a4}',
       params => jsonb_build_object('direction', d.direction)) AS m
ORDER BY 1;

-- every method: proven; the plain attack with the parameters finds as many as
-- are reported, and so do the links of the learned attack
CREATE TABLE learned AS
SELECT x.direction, x.method, m.records, m.uniform, m.reidentified, m.bound, m.exact, m.parameters,
       m.attack_method, m.explanation
FROM (SELECT * FROM unnest('{to_masked,to_original}'::text[]) AS direction,
      unnest('{wm,wm_m,owa,choquet,choquet_m,choquet2,bilinear,bilinear_nc,bilinear_pd}'::text[]) AS method) AS x,
     LATERAL sdc.learn_distance('rs_original', 'rs_masked', 'id', '{a1,a2,a3,a4}', x.method,
       jsonb_build_object('direction', x.direction)) AS m;
SELECT l.direction, l.method, l.reidentified, l.bound, l.exact,
       round((p.r).reid_d * 10) = l.reidentified AS by_parameters,
       round((k.r).reid_d * 10) = l.reidentified AS by_links
FROM learned AS l,
     LATERAL (SELECT sdc.reid(a) AS r FROM sdc.attack_distance('rs_original', 'rs_masked', 'id',
       '{a1,a2,a3,a4}', l.attack_method, l.parameters || jsonb_build_object('direction', l.direction)) AS a) AS p,
     LATERAL (SELECT sdc.reid(a) AS r FROM sdc.attack_learned('rs_original', 'rs_masked', 'id',
       '{a1,a2,a3,a4}', l.method, jsonb_build_object('direction', l.direction)) AS a) AS k
ORDER BY 1, 2;

-- smaller families never do better than those they lie in
SELECT a.direction, a.method AS smaller, b.method AS larger, a.reidentified <= b.reidentified AS ordered
FROM learned AS a JOIN learned AS b USING (direction)
WHERE (a.method, b.method) IN (('wm_m', 'wm'), ('wm', 'choquet_m'), ('wm', 'choquet2'), ('owa', 'choquet'),
  ('choquet_m', 'choquet'), ('choquet2', 'choquet'), ('wm', 'bilinear_pd'), ('wm', 'bilinear_nc'),
  ('bilinear_pd', 'bilinear'), ('bilinear_nc', 'bilinear'))
  AND NOT a.reidentified <= b.reidentified
   OR a.method = b.method AND a.uniform > a.reidentified;

-- no weights on a grid of tenths do better (plain SQL)
WITH o AS MATERIALIZED (
       SELECT id, ARRAY[a1, a2, a3, a4]::float8[] AS x FROM rs_original),
     m AS MATERIALIZED (
       SELECT id, ARRAY[a1, a2, a3, a4]::float8[] AS x FROM rs_masked),
     pairs AS MATERIALIZED (
       SELECT o.id, m.id AS linked_id,
              (SELECT array_agg((u.a - u.b) ^ 2) FROM unnest(o.x, m.x) AS u(a, b)) AS d FROM o, m),
     grid AS MATERIALIZED (
       SELECT row_number() OVER () AS g, i / 10.0::float8 AS p, j / 10.0::float8 AS q, k / 10.0::float8 AS r,
              (10 - i - j - k) / 10.0::float8 AS s
       FROM generate_series(0, 10) AS i, generate_series(0, 10 - i) AS j, generate_series(0, 10 - i - j) AS k),
     distances AS (
       SELECT g, id, linked_id, p * d[1] + q * d[2] + r * d[3] + s * d[4] AS distance FROM grid, pairs),
     right_ones AS (
       SELECT g, id FROM distances GROUP BY g, id
       HAVING min(distance) FILTER (WHERE linked_id <> id)
            > min(distance) FILTER (WHERE linked_id = id) + 1e-9)
SELECT max(n) AS best_of_grid FROM (SELECT count(*) AS n FROM right_ones GROUP BY g) AS s;

-- structure of the parameters
SELECT method, bool_and(jsonb_object_length = 4) AS keyed,
       bool_and(abs(total - 1) < 1e-9) AS adds_up, bool_and(least >= CASE method WHEN 'wm_m' THEN 1e-7 ELSE 0 END) AS positive
FROM (SELECT method, (SELECT count(*) FROM jsonb_each_text(parameters->'weights')) AS jsonb_object_length,
             (SELECT sum(value::float8) FROM jsonb_each_text(parameters->'weights')) AS total,
             (SELECT min(value::float8) FROM jsonb_each_text(parameters->'weights')) AS least
      FROM learned WHERE method IN ('wm', 'wm_m')) AS w GROUP BY method ORDER BY method;
SELECT method, (SELECT count(*) FROM jsonb_object_keys(parameters->'capacity')) AS sets,
       (parameters->'capacity'->>'a1')::float8 <= (parameters->'capacity'->>'a1,a3')::float8 AS monotone
FROM learned WHERE method LIKE 'choquet%' AND method <> 'choquet2' AND direction = 'to_masked' ORDER BY method;
-- submodular: mu(A) + mu(B) >= mu(A or B) + mu(A and B), for one attribute each
SELECT bool_and((c->>'a1')::float8 + (c->>'a2')::float8 >= (c->>'a1,a2')::float8 - 1e-9
            AND (c->>'a3')::float8 + (c->>'a4')::float8 >= (c->>'a3,a4')::float8 - 1e-9
            AND (c->>'a1,a2')::float8 + (c->>'a1,a3')::float8 >= (c->>'a1,a2,a3')::float8 + (c->>'a1')::float8 - 1e-9
            AND (c->>'a1,a2,a3')::float8 + (c->>'a1,a2,a4')::float8 >= 1 + (c->>'a1,a2')::float8 - 1e-9) AS submodular
FROM (SELECT parameters->'capacity' AS c FROM learned WHERE method = 'choquet_m') AS s;
SELECT bool_and(v::float8 >= 0) AS no_negative_entry
FROM learned, jsonb_array_elements(parameters->'matrix') AS r, jsonb_array_elements_text(r) AS v
WHERE method = 'bilinear_nc';
SELECT bool_and(explanation ~ ('^\d+ of 10 records are re-identified, \d by the plain mean.*No parameters of ' || method || ' on the scale "masked" re-identify more')) AS said
FROM learned;

-- a generator whose values are the same everywhere
CREATE FUNCTION noise(i bigint, salt bigint, values_of bigint) RETURNS bigint LANGUAGE sql IMMUTABLE AS
$$ SELECT (((i * 2654435761 + salt * 40503) % 4294967296 * 69069 + 12345) % 4294967296 / 65536) % values_of $$;
CREATE TABLE people AS
SELECT i AS id, noise(i, 1, 6000) AS a, noise(i, 2, 6000) / 3.0 AS b, noise(i, 3, 600)::float8 AS c,
       7 AS flat FROM generate_series(1, 60) AS i;
CREATE TABLE people_masked AS
SELECT id, a + noise(id, 4, 300) AS a, b + noise(id, 5, 200) AS b, c + noise(id, 6, 60) AS c, 7 AS flat FROM people;

-- an attribute without spread changes nothing, nor does the order of the rows
CREATE TABLE turned AS SELECT * FROM people ORDER BY noise(id, 9, 60000);
CREATE TABLE turned_masked AS SELECT * FROM people_masked ORDER BY noise(id, 10, 60000);
SELECT a.exact AND b.exact AND a.reidentified = b.reidentified AS flat_is_nothing,
       (a).parameters = (c).parameters AND a.reidentified = c.reidentified AS order_is_nothing,
       a.reidentified >= a.uniform AND a.reidentified < a.records AS between
FROM sdc.learn_distance('people', 'people_masked', 'id', '{a,b,c}') AS a,
     sdc.learn_distance('people', 'people_masked', 'id', '{a,b,c,flat}') AS b,
     sdc.learn_distance('turned', 'turned_masked', 'id', '{a,b,c}') AS c;
-- what is learned is what is linked, with all ties as whole sets
SELECT round((sdc.reid(l)).reid_d * 60) = (SELECT reidentified FROM sdc.learn_distance('people', 'people_masked', 'id', '{a,b,c}')) AS same
FROM sdc.attack_learned('people', 'people_masked', 'id', '{a,b,c}') AS l;
SELECT bool_and(abs(p - 1) < 1e-12) AS whole
FROM (SELECT sum(probability) AS p FROM sdc.attack_learned('people', 'people_masked', 'id', '{c}',
      params => '{"max_candidates": 2}') GROUP BY id) AS s;
-- one to one: nobody twice, and no less in all than the nearest ones are apart
SELECT count(*) AS links, count(DISTINCT linked_id) AS records,
       sum(distance) >= (SELECT sum(d) FROM (SELECT min(distance) AS d FROM sdc.attack_learned('people', 'people_masked', 'id', '{a,b,c}') GROUP BY id) AS n) - 1e-9 AS no_less,
       count(*) FILTER (WHERE correct) >= (SELECT count(*) FROM sdc.attack_learned('people', 'people_masked', 'id', '{a,b,c}') WHERE correct) AS more_right
FROM sdc.attack_learned('people', 'people_masked', 'id', '{a,b,c}', params => '{"assignment": "one_to_one"}', seed => 2);
-- a budget leaves a result and its bound
SELECT reidentified >= uniform AND reidentified <= bound AND bound <= records AND exact = (reidentified = bound) AS sound
FROM sdc.learn_distance('people', 'people_masked', 'id', '{a,b,c}', 'bilinear', '{"work": 100000}');

-- NULLs are values of their own: nobody is left out, and the attack by the parameters finds as many
CREATE TABLE gaps AS SELECT id, CASE WHEN id % 10 = 0 THEN NULL ELSE a END AS a, b FROM people;
CREATE TABLE gaps_masked AS SELECT id, a, CASE WHEN id % 15 = 0 THEN NULL ELSE b END AS b FROM people_masked
WHERE id <> 7;
SELECT records, exact FROM sdc.learn_distance('gaps', 'gaps_masked', 'id', '{a,b}');
SELECT m.reidentified = round((sdc.reid(l)).reid_d * m.records) AS same
FROM sdc.learn_distance('gaps', 'gaps_masked', 'id', '{a,b}') AS m,
     LATERAL (SELECT * FROM sdc.attack_distance('gaps', 'gaps_masked', 'id', '{a,b}', m.attack_method, m.parameters)
              WHERE id <> '7') AS l
GROUP BY m.reidentified, m.records;
SELECT count(*) FILTER (WHERE candidates = 0) AS not_linked FROM sdc.attack_learned('gaps', 'gaps_masked', 'id', '{a,b}');

-- nothing, one record, duplicates, all equal
CREATE TABLE empty(id int, a float8, b float8);
SELECT records, reidentified, bound, exact FROM sdc.learn_distance('empty', 'empty', 'id', '{a,b}');
SELECT count(*) FROM sdc.attack_learned('empty', 'empty', 'id', '{a,b}');
CREATE TABLE one AS SELECT 1 AS id, 3 AS a, 4 AS b;
SELECT x.method, m.records, m.reidentified, m.bound, m.exact
FROM unnest('{wm,owa,choquet,choquet2,bilinear}'::text[]) AS x(method),
     LATERAL sdc.learn_distance('one', 'one', 'id', '{a,b}', x.method) AS m;
CREATE TABLE twins AS SELECT i AS id, i / 2 AS a, i / 2 * 3 AS b FROM generate_series(2, 9) AS i;
SELECT x.method, m.records, m.reidentified, m.bound, m.exact
FROM unnest('{wm,owa,choquet_m,choquet2,bilinear_pd}'::text[]) AS x(method),
     LATERAL sdc.learn_distance('twins', 'twins', 'id', '{a,b}', x.method) AS m;
CREATE TABLE equal_ones AS SELECT i AS id, 1 AS a, 2 AS b FROM generate_series(1, 5) AS i;
SELECT records, reidentified, bound, exact, parameters FROM sdc.learn_distance('equal_ones', 'equal_ones', 'id', '{a,b}');

-- names: other ones in the masked file, hostile ones in both
CREATE TABLE odd AS SELECT id, a AS "a,b", b AS "B""; DROP", c AS "ü'" FROM people;
CREATE TABLE odd_masked AS SELECT id AS who, a AS x, b AS y, c AS z FROM people_masked;
SELECT a.exact AND a.reidentified = b.reidentified AS same, a.parameters->'weights' ? 'a,b' AS named
FROM sdc.learn_distance('odd', 'odd_masked', 'id', ARRAY['a,b', 'B"; DROP', 'ü''']::name[],
       params => '{"map": {"id": "who", "a,b": "x", "B\"; DROP": "y", "ü''": "z"}}') AS a,
     sdc.learn_distance('people', 'people_masked', 'id', '{a,b,c}') AS b;
SELECT round((sdc.reid(l)).reid_d * 60) = (SELECT reidentified FROM sdc.learn_distance('people', 'people_masked', 'id', '{a,b,c}', 'choquet2')) AS same
FROM sdc.attack_learned('odd', 'odd_masked', 'id', ARRAY['a,b', 'B"; DROP', 'ü''']::name[], 'choquet2',
       '{"map": {"id": "who", "a,b": "x", "B\"; DROP": "y", "ü''": "z"}}') AS l;

-- errors
\set SHOW_CONTEXT never
SELECT sdc.learn_distance('people', 'people_masked', 'id', '{a,b}', 'best');
SELECT sdc.learn_distance('people', 'people_masked', 'id', '{a,b}', NULL);
SELECT sdc.learn_distance(NULL, 'people_masked', 'id', '{a,b}');
SELECT sdc.learn_distance('people', 'people_masked', 'id', '{}');
SELECT sdc.learn_distance('people', 'people_masked', 'id', '{a,z}');
SELECT sdc.learn_distance('people', 'people_masked', 'id', '{a,b}', params => '{"time": 3}');
SELECT sdc.learn_distance('people', 'people_masked', 'id', '{a,b}', params => '{"work": 0}');
SELECT sdc.learn_distance('people', 'people_masked', 'id', '{a,b}', params => '{"direction": "both"}');
SELECT sdc.learn_distance('people', 'people_masked', 'id', '{a,b}', params => '{"max_candidates": 5}');
SELECT count(*) FROM sdc.attack_learned('people', 'people_masked', 'id', '{a,b}', params => '{"max_candidates": 0}');
CREATE TABLE wide AS SELECT 1 AS id, 1 AS c1, 1 AS c2, 1 AS c3, 1 AS c4, 1 AS c5, 1 AS c6, 1 AS c7, 1 AS c8, 1 AS c9;
SELECT sdc.learn_distance('wide', 'wide', 'id', '{c1,c2,c3,c4,c5,c6,c7,c8,c9}', 'choquet');
SELECT records FROM sdc.learn_distance('wide', 'wide', 'id', '{c1,c2,c3,c4,c5,c6,c7,c8,c9}', 'choquet2');
CREATE TABLE infinite AS SELECT i AS id, CASE i WHEN 2 THEN 'Infinity'::float8 ELSE i END AS a FROM generate_series(1, 3) AS i;
SELECT sdc.learn_distance('infinite', 'infinite', 'id', '{a}');

DROP TABLE rs_original, rs_masked, learned, people, people_masked, turned, turned_masked, gaps, gaps_masked,
  empty, one, twins, equal_ones, odd, odd_masked, wide, infinite;
DROP FUNCTION noise(bigint, bigint, bigint);
