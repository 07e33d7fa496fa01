-- link_methods: every method of attack_distance against all pairs in plain
-- SQL, and how the methods contain each other.

-- EX-RS: the ten-row example
CREATE TABLE rs_original(id int PRIMARY KEY, a1 int, a2 int, a3 int, a4 int);
CREATE TABLE rs_masked  (id int PRIMARY KEY, a1 int, a2 int, a3 int, a4 int);
INSERT INTO rs_original VALUES (1,8,9,1,3),(2,6,7,10,2),(3,10,3,4,1),(4,7,1,2,6),(5,9,4,6,4),
  (6,2,2,8,8),(7,1,10,3,9),(8,4,8,7,10),(9,5,5,5,5),(10,3,6,9,7);
INSERT INTO rs_masked VALUES (1,10,10,3,5),(2,5,5,8,1),(3,8,4,2,2),(4,9,2,4,4),(5,7,3,5,6),
  (6,4,1,10,10),(7,3,9,1,7),(8,2,6,9,8),(9,6,7,6,3),(10,1,8,7,9);
CREATE FUNCTION reid_d(original regclass, masked regclass, keys name[], method text, params jsonb)
RETURNS float8 LANGUAGE sql AS $$
  SELECT (sdc.reid(l)).reid_d FROM sdc.attack_distance(original, masked, 'id', keys, method, params) AS l
$$;
-- published: Mahalanobis 8 of 10 from the original, 9 of 10 from the masked file
SELECT reid_d('rs_original', 'rs_masked', '{a1,a2,a3,a4}', 'euclidean', NULL) AS euclidean,
       reid_d('rs_original', 'rs_masked', '{a1,a2,a3,a4}', 'mahalanobis', NULL) AS to_masked,
       reid_d('rs_original', 'rs_masked', '{a1,a2,a3,a4}', 'mahalanobis', '{"direction": "to_original"}') AS to_original;
SELECT subject, value FROM sdc.disclosure_report('rs_original', 'rs_masked', 'id', '{a1,a2,a3,a4}', '{a1}',
  measures => '{mahalanobis}') WHERE measure = 'reid_d';

-- All pairs: signed differences of scores by the masked file, a column without
-- spread there being 0, in the order of the keys; e tells where one of the two
-- is NULL, which lies at 0 and one deviation aside.
CREATE FUNCTION scores(rel regclass, masked regclass, keys text[])
RETURNS TABLE (id text, place int, z float8, lack boolean) LANGUAGE plpgsql AS $$
DECLARE k text; p int := 0;
BEGIN
  FOREACH k IN ARRAY keys LOOP
    p := p + 1;
    RETURN QUERY EXECUTE format(
      'SELECT id::text, %s, coalesce((x - center) / nullif(spread, 0), 0), x IS NULL
       FROM (SELECT id, %I::float8 AS x FROM %s) AS t,
            (SELECT avg(%I::float8) AS center, stddev(%I::float8) AS spread FROM %s) AS s', p, k, rel, k, k, masked);
  END LOOP;
END $$;
CREATE FUNCTION vectors(rel regclass, masked regclass, keys text[])
RETURNS TABLE (id text, z float8[], lack boolean[]) LANGUAGE sql AS $$
  SELECT id, array_agg(z ORDER BY place), array_agg(lack ORDER BY place) FROM scores(rel, masked, keys) GROUP BY id
$$;
CREATE FUNCTION pairs(original regclass, masked regclass, keys text[], direction text DEFAULT 'to_masked')
RETURNS TABLE (id text, linked_id text, d float8[], e int[], whole boolean) LANGUAGE sql AS $$
  WITH av AS MATERIALIZED (SELECT * FROM vectors(CASE direction WHEN 'to_masked' THEN original ELSE masked END, masked, keys)),
       bv AS MATERIALIZED (SELECT * FROM vectors(CASE direction WHEN 'to_masked' THEN masked ELSE original END, masked, keys))
  SELECT av.id, bv.id, (SELECT array_agg(x - y ORDER BY i) FROM unnest(av.z, bv.z) WITH ORDINALITY AS u(x, y, i)),
         (SELECT array_agg((x <> y)::int ORDER BY i) FROM unnest(av.lack, bv.lack) WITH ORDINALITY AS u(x, y, i)),
         NOT true = ANY (av.lack || bv.lack)
  FROM av, bv
$$;
-- the squared distance, written out from its definition
CREATE FUNCTION square(method text, params jsonb, keys text[], d float8[], e int[])
RETURNS float8 LANGUAGE plpgsql AS $$
DECLARE
  n int := cardinality(d);
  level float8 := 0; upper float8; worth text; total float8 := 0;
BEGIN
  IF method <> 'bilinear' THEN
    d := (SELECT array_agg(CASE WHEN y = 0 THEN x ELSE sqrt(x * x + y) END ORDER BY i)
          FROM unnest(d, e) WITH ORDINALITY AS u(x, y, i));
  END IF;
  IF method = 'euclidean' THEN
    RETURN (SELECT avg(x * x) FROM unnest(d) AS u(x));
  ELSIF method = 'wm' THEN
    RETURN (SELECT sum(d[i]^2 * (params->'weights'->>keys[i])::float8) / sum((params->'weights'->>keys[i])::float8)
            FROM generate_series(1, n) AS i);
  ELSIF method = 'owa' THEN
    RETURN (SELECT sum(x * x * (params->'weights'->>(r::int - 1))::float8) / sum((params->'weights'->>(r::int - 1))::float8)
            FROM (SELECT x, row_number() OVER (ORDER BY abs(x) DESC) AS r FROM unnest(d) AS u(x)) AS s);
  ELSIF method = 'choquet' THEN
    LOOP -- level by level: the worth of the columns that reach above it
      SELECT min(d[i]^2), string_agg(keys[i], ',' ORDER BY i) INTO upper, worth
      FROM generate_series(1, n) AS i WHERE d[i]^2 > level;
      EXIT WHEN upper IS NULL;
      total := total + (upper - level) * coalesce((params->'capacity'->>worth)::float8, 1);
      level := upper;
    END LOOP;
    RETURN total;
  ELSIF method = 'choquet2' THEN
    RETURN (SELECT sum(d[i]^2 * (params->'singletons'->>keys[i])::float8) FROM generate_series(1, n) AS i)
      + (SELECT coalesce(sum(least(d[i]^2, d[j]^2) * coalesce((params->'interactions'->>(keys[i] || ',' || keys[j]))::float8, 0)), 0)
         FROM generate_series(1, n) AS i, generate_series(1, n) AS j WHERE i < j);
  ELSE -- bilinear
    RETURN (SELECT sum((params->'matrix'->(i - 1)->>(j - 1))::float8 * (d[i] * d[j] + CASE WHEN i = j THEN e[i] ELSE 0 END))
            FROM generate_series(1, n) AS i, generate_series(1, n) AS j);
  END IF;
END $$;
-- Rows in which the attack and all pairs differ.
CREATE FUNCTION differences(original regclass, masked regclass, keys text[], method text, params jsonb, direction text)
RETURNS TABLE (rows_compared bigint, ties bigint, differ bigint) LANGUAGE sql AS $$
  WITH got AS MATERIALIZED (
         SELECT * FROM sdc.attack_distance(original, masked, 'id', keys::name[], method,
           params => params || jsonb_build_object('direction', direction, 'max_candidates', 10000))
         WHERE linked_id IS NOT NULL),
       p AS MATERIALIZED (
         SELECT id, linked_id, square(method, params, keys, d, e) AS v
         FROM pairs(original, masked, keys, direction)),
       m AS (SELECT *, min(v) OVER (PARTITION BY id) AS least FROM p),
       want AS (SELECT *, count(*) OVER (PARTITION BY id) AS n FROM m WHERE v <= least + abs(least) * 1e-9 + 1e-15)
  SELECT count(*), count(*) FILTER (WHERE got.candidates > 1),
         count(*) FILTER (WHERE got.id IS NULL OR want.id IS NULL OR got.candidates <> want.n
           OR abs(got.probability - 1.0 / want.n) > 1e-12
           OR abs(got.distance - sign(want.least) * sqrt(abs(want.least))) > 1e-7)
  FROM got FULL JOIN want ON got.id = want.id AND got.linked_id = want.linked_id
$$;

-- a generator whose values are the same everywhere
CREATE FUNCTION noise(i bigint, salt bigint, values_of bigint) RETURNS bigint LANGUAGE sql IMMUTABLE AS
$$ SELECT (((i * 2654435761 + salt * 40503) % 4294967296 * 69069 + 12345) % 4294967296 / 65536) % values_of $$;
CREATE TABLE fine AS
SELECT i AS id, noise(i, 1, 60000) / 7.0 AS a, noise(i, 2, 60000)::float8 AS b, noise(i, 3, 60000) AS c
FROM generate_series(1, 60) AS i;
CREATE TABLE fine_masked AS
SELECT id, a + noise(id, 4, 900) AS a, b + noise(id, 5, 9000) AS b, c + noise(id, 6, 9000) AS c
FROM fine WHERE id <> 17;
-- duplicates, ties, NULLs, and with c a constant column
CREATE TABLE coarse AS
SELECT i AS id, noise(i, 1, 4) AS a, nullif(noise(i, 2, 6), 5) AS b, 5 AS c, noise(i, 4, 3) AS d
FROM generate_series(1, 60) AS i;
CREATE TABLE coarse_masked AS
SELECT id, a + noise(id, 5, 2) AS a, nullif(b + noise(id, 6, 3) - 1, 3) AS b, noise(id, 7, 4) AS c, d FROM coarse;
CREATE TABLE calls(method text, keys text[], params jsonb);
INSERT INTO calls VALUES
  ('euclidean', '{a,b,c}', '{}'),
  ('wm', '{a,b,c}', '{"weights": {"a": 3, "b": 0.5, "c": 1}}'),
  ('wm', '{a,b,c}', '{"weights": {"a": 0, "b": 2, "c": 1}}'),
  ('owa', '{a,b,c}', '{"weights": [3, 2, 1]}'),
  ('owa', '{a,b,c}', '{"weights": [0, 0, 7]}'),
  ('choquet', '{a,b,c}', '{"capacity": {"a": 0.1, "b": 0.2, "c": 0.6, "a,b": 0.8, "a,c": 0.6, "b,c": 0.7}}'),
  ('choquet', '{b,a}', '{"capacity": {"a": 0, "b": 1, "b,a": 1}}'),
  ('choquet2', '{a,b,c}', '{"singletons": {"a": 0.5, "b": 0.3, "c": 0.4}, "interactions": {"a,b": -0.3, "b,c": 0.1}}'),
  ('choquet2', '{a,b}', '{"singletons": {"a": 0.5, "b": 0.5}}'),
  ('bilinear', '{a,b,c}', '{"matrix": [[2, 0.5, 0], [0.5, 1, -0.3], [0, -0.3, 1]]}'),
  ('bilinear', '{a,b,c}', '{"matrix": [[1, 2, 0], [2, 1, 0], [0, 0, 1]]}'),
  ('bilinear', '{a,b}', '{"matrix": [[1, 1], [1, 1]]}');
SELECT method, direction, f.* FROM calls, unnest('{to_masked,to_original}'::text[]) AS direction,
  LATERAL differences('fine', 'fine_masked', keys, method, params, direction) AS f
ORDER BY method, keys, params, direction;
SELECT method, direction, c.* FROM calls, unnest('{to_masked,to_original}'::text[]) AS direction,
  LATERAL differences('coarse', 'coarse_masked', keys, method, params, direction) AS c
ORDER BY method, keys, params, direction;

-- How the methods contain each other: the same links at the same distances.
CREATE FUNCTION same_links(original regclass, masked regclass, keys name[],
                           method text, params jsonb, other text, other_params jsonb)
RETURNS boolean LANGUAGE sql AS $$
  SELECT bool_and(a.id IS NOT NULL AND b.id IS NOT NULL AND a.candidates = b.candidates
                  AND abs(coalesce(a.distance, 0) - coalesce(b.distance, 0)) < 1e-9)
  FROM sdc.attack_distance(original, masked, 'id', keys, method, params) AS a
  FULL JOIN sdc.attack_distance(original, masked, 'id', keys, other, other_params) AS b
    ON a.id = b.id AND a.linked_id IS NOT DISTINCT FROM b.linked_id
$$;
CREATE TABLE files(original regclass, masked regclass);
INSERT INTO files VALUES ('fine', 'fine_masked'), ('coarse', 'coarse_masked'), ('fine_masked', 'fine');
SELECT original,
  same_links(original, masked, '{a,b,c}', 'euclidean', NULL, 'wm', '{"weights": {"a": 1, "b": 1, "c": 1}}') AS uniform,
  same_links(original, masked, '{a,b,c}', 'wm', '{"weights": {"a": 0.2, "b": 0.5, "c": 0.3}}',
    'choquet', '{"capacity": {"a": 0.2, "b": 0.5, "c": 0.3, "a,b": 0.7, "a,c": 0.5, "b,c": 0.8}}') AS additive,
  same_links(original, masked, '{a,b,c}', 'wm', '{"weights": {"a": 0.2, "b": 0.5, "c": 0.3}}',
    'choquet2', '{"singletons": {"a": 0.2, "b": 0.5, "c": 0.3}}') AS no_pairs,
  same_links(original, masked, '{a,b,c}', 'owa', '{"weights": [0.5, 0.3, 0.2]}',
    'choquet', '{"capacity": {"a": 0.5, "b": 0.5, "c": 0.5, "a,b": 0.8, "a,c": 0.8, "b,c": 0.8}}') AS symmetric,
  same_links(original, masked, '{a,b,c}', 'wm', '{"weights": {"a": 0.2, "b": 0.5, "c": 0.3}}',
    'bilinear', '{"matrix": [[0.2, 0, 0], [0, 0.5, 0], [0, 0, 0.3]]}') AS diagonal
FROM files;

-- the unit of a matrix does not matter
SELECT unit, count(*) AS rows, count(*) FILTER (WHERE a.linked_id IS DISTINCT FROM b.linked_id
  OR abs(b.distance / a.distance / sqrt(unit) - 1) > 1e-9) AS differ
FROM (VALUES (1e-60::float8), (1e60)) AS u(unit),
  LATERAL sdc.attack_distance('fine', 'fine_masked', 'id', '{a,b}', 'bilinear', '{"matrix": [[2, 1], [1, 3]]}') AS a
  JOIN LATERAL sdc.attack_distance('fine', 'fine_masked', 'id', '{a,b}', 'bilinear',
    jsonb_build_object('matrix', jsonb_build_array(jsonb_build_array(2 * unit, unit), jsonb_build_array(unit, 3 * unit)))) AS b
    ON a.id = b.id
GROUP BY unit ORDER BY unit;

-- Mahalanobis is the bilinear form of the inverse covariance of the
-- differences of records with the same id.
CREATE FUNCTION inverse_covariance(original regclass, masked regclass, keys text[])
RETURNS jsonb LANGUAGE plpgsql AS $$
DECLARE
  n int := cardinality(keys);
  m float8[] := array_fill(0::float8, ARRAY[n, 2 * n]);
  f float8;
  result jsonb := '[]';
BEGIN
  CREATE TEMP TABLE own AS SELECT d FROM pairs(original, masked, keys) WHERE id = linked_id AND whole;
  FOR i IN 1 .. n LOOP
    m[i][n + i] := 1;
    FOR j IN 1 .. n LOOP
      m[i][j] := (SELECT covar_samp(d[i], d[j]) FROM own);
    END LOOP;
  END LOOP;
  DROP TABLE own;
  FOR i IN 1 .. n LOOP -- Gauss and Jordan; a covariance needs no pivots
    f := m[i][i];
    FOR k IN 1 .. 2 * n LOOP m[i][k] := m[i][k] / f; END LOOP;
    FOR j IN 1 .. n LOOP
      CONTINUE WHEN j = i;
      f := m[j][i];
      FOR k IN 1 .. 2 * n LOOP m[j][k] := m[j][k] - f * m[i][k]; END LOOP;
    END LOOP;
  END LOOP;
  FOR i IN 1 .. n LOOP
    result := result || jsonb_build_array((SELECT jsonb_agg((m[i][n + j] + m[j][n + i]) / 2 ORDER BY j) FROM generate_series(1, n) AS j));
  END LOOP;
  RETURN jsonb_build_object('matrix', result);
END $$;
SELECT original, same_links(original, masked, keys, 'mahalanobis', NULL, 'bilinear',
  inverse_covariance(original, masked, keys)) AS mahalanobis
FROM (VALUES ('fine'::regclass, 'fine_masked'::regclass, '{a,b,c}'::name[]), ('fine', 'fine_masked', '{c,b}'),
  ('fine_masked', 'fine', '{a,b,c}'), ('coarse', 'coarse_masked', '{a,b}')) AS f(original, masked, keys);
-- a column that masking left alone tells nearly everything
CREATE VIEW unmasked AS SELECT f.id, m.a, m.b, f.c FROM fine AS f JOIN fine_masked AS m USING (id);
CREATE VIEW without_17 AS SELECT * FROM fine WHERE id <> 17;
SELECT reid_d('without_17', 'unmasked', '{a,b,c}', 'euclidean', NULL) AS euclidean,
       reid_d('without_17', 'unmasked', '{a,b,c}', 'mahalanobis', NULL) AS mahalanobis;
-- nothing changed: as by the Euclidean distance
SELECT reid_d('fine', 'fine', '{a,b,c}', 'mahalanobis', NULL) AS same;
-- no record in common: the covariances of both files
CREATE VIEW others AS SELECT id + 1000 AS id, a, b, c FROM fine_masked;
\set SHOW_CONTEXT never
SELECT count(*), bool_and(distance > 0) AS found FROM sdc.attack_distance('fine', 'others', 'id', '{a,b,c}', 'mahalanobis');

-- Gower: numbers by range, categories equal or not, pairs with a NULL leave
-- the attribute out, ranks for ordered types
CREATE TYPE size AS ENUM ('small', 'medium', 'large', 'huge');
CREATE TABLE mixed AS
SELECT i AS id, nullif(noise(i, 1, 20), 7) AS n, noise(i, 2, 500) / 10.0 AS x,
       nullif(('{red,green,blue,black}'::text[])[1 + noise(i, 3, 4)], 'black') AS t,
       (enum_range(NULL::size))[1 + noise(i, 4, 4)] AS s, noise(i, 5, 2) = 1 AS b,
       date '2020-01-01' + noise(i, 6, 300)::int AS day
FROM generate_series(1, 90) AS i;
CREATE TABLE mixed_masked AS
SELECT id, n + noise(id, 7, 3) AS n, x + noise(id, 8, 60) / 10.0 AS x,
       CASE WHEN noise(id, 9, 5) = 0 THEN 'red' ELSE t END::varchar AS t, s, b, day + noise(id, 10, 30)::int AS day
FROM mixed WHERE id <> 5;
INSERT INTO mixed VALUES (1001), (1002);
INSERT INTO mixed_masked(id, t) VALUES (1001, 'red');
CREATE FUNCTION gower_pairs(weights float8[], ranks boolean, scale text)
RETURNS TABLE (id text, linked_id text, v float8) LANGUAGE sql AS $$
  WITH u AS (SELECT n, x, day FROM mixed WHERE scale = 'pooled' UNION ALL SELECT n, x, day FROM mixed_masked),
       l AS (SELECT min(n) AS n, max(n) AS n2, min(x) AS x, max(x) AS x2, min(day) AS day, max(day) AS day2 FROM u),
       r AS (SELECT (n2 - n)::float8 AS n, (x2 - x)::float8 AS x, (day2 - day)::float8 AS day FROM l),
       -- what lies beyond the range counts as its end; least and greatest skip NULL
       a AS (SELECT mixed.id, t, s, b, CASE WHEN mixed.n IS NOT NULL THEN least(greatest(mixed.n, l.n), n2) END AS n,
                    CASE WHEN mixed.x IS NOT NULL THEN least(greatest(mixed.x, l.x), x2) END AS x,
                    CASE WHEN mixed.day IS NOT NULL THEN least(greatest(mixed.day, l.day), day2) END AS day FROM mixed, l)
  SELECT a.id::text, c.id::text, (SELECT sum(w * g) / sum(w) FROM unnest(weights, ARRAY[
      abs(a.n - c.n) / r.n, abs(a.x - c.x) / r.x, (a.t <> c.t)::int,
      CASE WHEN ranks THEN abs(array_position(enum_range(NULL::size), a.s) - array_position(enum_range(NULL::size), c.s)) / 3.0
           ELSE (a.s <> c.s)::int END,
      (a.b <> c.b)::int, abs(a.day - c.day) / r.day]) AS v(w, g) WHERE g IS NOT NULL)
  FROM a, mixed_masked AS c, r
$$;
CREATE FUNCTION gower_differences(weights float8[], params jsonb, ranks boolean, scale text DEFAULT 'masked')
RETURNS TABLE (rows_compared bigint, ties bigint, without bigint, differ bigint) LANGUAGE sql AS $$
  WITH got AS MATERIALIZED (SELECT * FROM sdc.attack_distance('mixed', 'mixed_masked', 'id', '{n,x,t,s,b,day}', 'gower',
           params || jsonb_build_object('scale', scale))),
       m AS (SELECT *, min(v) OVER (PARTITION BY id) AS least FROM gower_pairs(weights, ranks, scale) WHERE v IS NOT NULL),
       want AS (SELECT *, count(*) OVER (PARTITION BY id) AS n FROM m WHERE v <= least * (1 + 1e-9) + 1e-15)
  SELECT count(*), count(*) FILTER (WHERE got.candidates > 1), count(*) FILTER (WHERE got.candidates = 0),
         count(*) FILTER (WHERE got.id IS NULL OR (want.id IS NULL AND got.candidates > 0)
           OR got.candidates <> want.n OR abs(got.distance - want.least) > 1e-12)
  FROM got FULL JOIN want ON got.id = want.id AND got.linked_id = want.linked_id
$$;
SELECT * FROM gower_differences('{1,1,1,1,1,1}', '{}', false);
SELECT * FROM gower_differences('{1,1,1,1,1,1}', '{"types": {"s": "rank"}}', true);
SELECT * FROM gower_differences('{5,1,1,0,1,2}', '{"weights": {"n": 5, "s": 0, "day": 2}}', false);
SELECT * FROM gower_differences('{5,1,1,0,1,2}', '{"weights": {"n": 5, "s": 0, "day": 2}}', false, 'pooled');
-- on every scale a file finds itself, and part of it what the whole finds
CREATE VIEW dear AS SELECT * FROM fine ORDER BY a DESC LIMIT 10;
SELECT method, scale, (SELECT count(*) FROM sdc.attack_distance('fine', 'fine', 'id', '{a,b,c}', method, jsonb_build_object('scale', scale)) WHERE correct) AS itself,
       (SELECT count(*) FROM sdc.attack_distance('dear', 'fine', 'id', '{a,b,c}', method, jsonb_build_object('scale', scale)) WHERE correct) AS part
FROM unnest('{masked,pooled,rank,robust,own}'::text[]) AS scale, unnest('{mahalanobis,gower}'::text[]) AS method ORDER BY method, scale;
-- numbers may be categories: unequal ones all differ as much
SELECT id, linked_id, candidates, distance FROM sdc.attack_distance('rs_original', 'rs_masked', 'id', '{a1,a2}', 'gower', '{"types": "category"}')
WHERE id IN ('3', '6') ORDER BY id::int, linked_id::int;
-- a record that shares no attribute with any other
CREATE TABLE left_only(id int, a int, b int);
CREATE TABLE right_only(id int, a int, b int);
INSERT INTO left_only VALUES (1, 1, NULL), (2, 1, 1), (3, NULL, NULL);
INSERT INTO right_only VALUES (1, NULL, 3), (2, NULL, 1);
SELECT * FROM sdc.attack_distance('left_only', 'right_only', 'id', '{a,b}', 'gower');

-- Different schemas: columns of the masked file by their own names
CREATE VIEW renamed AS SELECT id AS nr, a AS "Income", b AS "the age", c AS a FROM fine_masked;
SELECT count(*) AS rows, count(*) FILTER (WHERE r IS DISTINCT FROM f) AS differ
FROM sdc.attack_distance('fine', 'renamed', 'id', '{a,b,c}', 'mahalanobis', '{"map": {"id": "nr", "a": "Income", "b": "the age", "c": "a"}}') AS r
FULL JOIN sdc.attack_distance('fine', 'fine_masked', 'id', '{a,b,c}', 'mahalanobis') AS f USING (id, linked_id);
SELECT count(*) FILTER (WHERE r IS DISTINCT FROM f) AS differ
FROM sdc.attack_distance('fine', 'renamed', 'id', '{a,b,c}', 'owa', '{"weights": [2, 1, 1], "direction": "to_original", "map": {"id": "nr", "a": "Income", "b": "the age", "c": "a"}}') AS r
FULL JOIN sdc.attack_distance('fine', 'fine_masked', 'id', '{a,b,c}', 'owa', '{"weights": [2, 1, 1], "direction": "to_original"}') AS f USING (id, linked_id);
-- a part of the records is a view
CREATE VIEW a_third AS SELECT * FROM fine WHERE id % 3 = 0;
SELECT * FROM differences('a_third', 'fine_masked', '{a,b,c}', 'owa', '{"weights": [2, 1, 1]}', 'to_masked');
SELECT * FROM differences('a_third', 'fine_masked', '{a,b,c}', 'owa', '{"weights": [2, 1, 1]}', 'to_original');

-- The order of rows does not show.
CREATE TABLE shuffled AS SELECT * FROM coarse ORDER BY noise(id, 9, 60000);
CREATE TABLE shuffled_masked AS SELECT * FROM coarse_masked ORDER BY noise(id, 10, 60000);
CREATE FUNCTION digest(original regclass, masked regclass, keys name[], method text, params jsonb)
RETURNS text LANGUAGE sql AS $$
  SELECT md5(string_agg(l::text, ';' ORDER BY ordinality))
  FROM sdc.attack_distance(original, masked, 'id', keys, method, params) WITH ORDINALITY AS l
$$;
SELECT method, bool_and(digest('coarse', 'coarse_masked', keys::name[], method, params || more) =
                        digest('shuffled', 'shuffled_masked', keys::name[], method, params || more)) AS same
FROM (SELECT * FROM calls UNION ALL VALUES ('mahalanobis', '{a,b,c}'::text[], '{}'::jsonb), ('gower', '{a,b,c}', '{}')) AS c,
     (VALUES ('{}'::jsonb), ('{"assignment": "one_to_one"}')) AS m(more) GROUP BY method ORDER BY method;

-- One to one: the least total distance, here against all orders of seven
CREATE VIEW seven AS SELECT * FROM fine WHERE id <= 7;
CREATE VIEW seven_masked AS SELECT id, a, c AS b, b AS c FROM fine_masked WHERE id <= 7;
WITH RECURSIVE p AS MATERIALIZED (
  SELECT id::int, linked_id::int, sqrt(square('euclidean', '{}', '{a,b,c}', d, e)) AS v FROM pairs('seven', 'seven_masked', '{a,b,c}')),
 orders(n, taken, total) AS (
  SELECT 0, '{}'::int[], 0::float8 UNION ALL
  SELECT n + 1, taken || linked_id, total + v FROM orders JOIN p ON p.id = n + 1 AND linked_id <> ALL (taken))
SELECT count(*), count(DISTINCT linked_id), bool_and(candidates = 1 AND probability = 1) AS single,
       abs(sum(distance) - (SELECT min(total) FROM orders WHERE n = 7)) < 1e-9 AS least,
       sum(distance) > (SELECT sum(least) FROM (SELECT min(v) AS least FROM p GROUP BY id) AS s) + 1e-9 AS more_than_nearest
FROM sdc.attack_distance('seven', 'seven_masked', 'id', '{a,b,c}', params => '{"assignment": "one_to_one"}');
-- more records than the other side has: some stay alone
SELECT count(*) FILTER (WHERE linked_id IS NULL) AS alone, count(DISTINCT linked_id) AS linked
FROM sdc.attack_distance('fine', 'seven_masked', 'id', '{a,b,c}', params => '{"assignment": "one_to_one"}');
-- pairs without a distance are not linked; records without a key are
SELECT * FROM sdc.attack_distance('left_only', 'right_only', 'id', '{a,b}', 'gower', '{"assignment": "one_to_one"}');
SELECT count(*) FILTER (WHERE linked_id IS NULL) AS alone, count(DISTINCT linked_id) AS linked
FROM sdc.attack_distance('coarse', 'coarse_masked', 'id', '{a,b}', params => '{"assignment": "one_to_one"}');
-- any size: beyond 4 million pairs on lists of the nearest
CREATE VIEW many AS SELECT i AS id, i AS a FROM generate_series(1, 5001) AS i;
SELECT count(*) AS links, bool_and(correct AND distance = 0) AS correct
FROM sdc.attack_distance('many', 'many', 'id', '{a}', params => '{"assignment": "one_to_one"}');
-- ties are broken by chance, never by the order of the files: of five groups
-- of equal records each person finds himself in one of twenty ways
CREATE VIEW crowds AS SELECT i AS id, i % 5 AS a FROM generate_series(1, 100) AS i;
SELECT count(*) AS links, count(DISTINCT linked_id) AS linked, bool_and(id::int % 5 = linked_id::int % 5) AS nearest,
       count(*) FILTER (WHERE correct) < 20 AS by_chance
FROM sdc.attack_distance('crowds', 'crowds', 'id', '{a}', params => '{"assignment": "one_to_one"}');
SELECT (SELECT md5(string_agg(linked_id, ',' ORDER BY id)) FROM sdc.attack_distance('crowds', 'crowds', 'id', '{a}', params => '{"assignment": "one_to_one"}', seed => 1))
    <> (SELECT md5(string_agg(linked_id, ',' ORDER BY id)) FROM sdc.attack_distance('crowds', 'crowds', 'id', '{a}', params => '{"assignment": "one_to_one"}', seed => 2)) AS by_the_seed;

-- A model as sdc.learn_distance returns it
SELECT same_links('fine', 'fine_masked', '{a,b}', 'wm', '{"weights": {"a": 0.7, "b": 0.3}}',
         'wm', '{"model": {"method": "wm", "columns": ["a", "b"], "parameters": [0.7, 0.3]}}') AS wm,
       same_links('fine', 'fine_masked', '{a,b}', 'choquet', '{"capacity": {"a": 0.7, "b": 0.6}}',
         'choquet', '{"model": {"columns": ["a", "b"], "parameters": [0, 0.7, 0.6, 1]}}') AS choquet,
       same_links('fine', 'fine_masked', '{a,b}', 'choquet2', '{"singletons": {"a": 0.7, "b": 0.6}, "interactions": {"b,a": -0.3}}',
         'choquet2', '{"model": {"columns": ["a", "b"], "parameters": [0.7, -0.3, -0.3, 0.6]}}') AS choquet2,
       same_links('fine', 'fine_masked', '{a,b}', 'bilinear', '{"matrix": [[1, 0.5], [0.5, 1]]}',
         'bilinear', '{"model": {"columns": ["a", "b"], "parameters": [1, 0.5, 0.5, 1]}}') AS bilinear;

-- names that need quotes; a comma is no part of a set, but a model needs no sets
CREATE VIEW odd AS SELECT id AS "Nr", a AS "a,b", b AS "x""y" FROM fine;
CREATE VIEW odd_masked AS SELECT id AS "Nr", a AS "a,b", b AS "x""y" FROM fine_masked;
SELECT method, count(*) AS rows, count(*) FILTER (WHERE o.linked_id IS DISTINCT FROM f.linked_id) AS differ
FROM (VALUES ('wm', '{"weights": {"a,b": 2, "x\"y": 1}}'::jsonb, '{"weights": {"a": 2, "b": 1}}'::jsonb),
        ('choquet', '{"model": {"columns": ["a,b", "x\"y"], "parameters": [0, 0.2, 0.6, 1]}}', '{"capacity": {"a": 0.2, "b": 0.6}}'),
        ('gower', '{"weights": {"a,b": 3}}', '{"weights": {"a": 3}}')) AS c(method, params, plain),
  LATERAL sdc.attack_distance('odd', 'odd_masked', 'Nr', ARRAY['a,b', 'x"y'], method, params) AS o
  JOIN LATERAL sdc.attack_distance('fine', 'fine_masked', 'id', '{a,b}', method, plain) AS f ON o.id = f.id
GROUP BY method ORDER BY method;
SELECT sdc.attack_distance('odd', 'odd_masked', 'Nr', ARRAY['a,b', 'x"y'], 'choquet', '{"capacity": {"a,b": 0.2, "x\"y": 0.6}}');

-- one record, one column, nothing there
CREATE VIEW one AS SELECT id, a, b FROM fine WHERE id = 1;
CREATE VIEW none AS SELECT id, a, b FROM fine WHERE id < 0;
SELECT method, linked_id, candidates, distance FROM (VALUES ('mahalanobis', NULL::jsonb), ('gower', NULL),
  ('owa', '{"weights": [1, 1]}'), ('bilinear', '{"matrix": [[0, 0], [0, 0]]}')) AS c(method, params),
  LATERAL sdc.attack_distance('one', 'one', 'id', '{a,b}', method, params);
SELECT method, count(*) FROM (VALUES ('mahalanobis', NULL::jsonb), ('gower', NULL), ('owa', '{"weights": [1, 1]}'),
  ('euclidean', '{"assignment": "one_to_one"}')) AS c(method, params),
  LATERAL sdc.attack_distance('none', 'one', 'id', '{a,b}', method, params) GROUP BY method;
SELECT method, linked_id, candidates, distance FROM (VALUES ('mahalanobis', NULL::jsonb), ('gower', NULL), ('owa', '{"weights": [1, 1]}'),
  ('euclidean', '{"assignment": "one_to_one"}')) AS c(method, params),
  LATERAL sdc.attack_distance('one', 'none', 'id', '{a,b}', method, params);

-- workers change nothing, whatever the method
CREATE TABLE large AS
SELECT i AS id, noise(i, 1, 60000) AS a, noise(i, 2, 60000) AS b, nullif(noise(i, 3, 40), 3) AS c FROM generate_series(1, 2500) AS i;
CREATE TABLE large_masked AS
SELECT id, a + noise(id, 7, 20000) AS a, b + noise(id, 8, 20000) AS b, c FROM large;
CREATE TABLE alone AS SELECT method, keys, params, digest('large', 'large_masked', keys::name[], method, params) AS d
FROM (SELECT * FROM calls WHERE method <> 'euclidean' UNION ALL VALUES ('gower', '{a,b,c}'::text[], '{}'::jsonb)) AS c;
SET max_parallel_workers_per_gather = 2;
SELECT bool_and(d = digest('large', 'large_masked', keys::name[], method, params)) AS same FROM alone;
RESET max_parallel_workers_per_gather;

-- arguments
SELECT sdc.attack_distance('fine', 'fine', 'id', '{a,b}', 'wm');
SELECT sdc.attack_distance('fine', 'fine', 'id', '{a,b}', 'wm', '{"weights": [1, 2]}');
SELECT sdc.attack_distance('fine', 'fine', 'id', '{a,b}', 'wm', '{"weights": {"a": 1}}');
SELECT sdc.attack_distance('fine', 'fine', 'id', '{a,b}', 'wm', '{"weights": {"a": 1, "b": -1}}');
SELECT sdc.attack_distance('fine', 'fine', 'id', '{a,b}', 'wm', '{"weights": {"a": 0, "b": 0}}');
SELECT sdc.attack_distance('fine', 'fine', 'id', '{a,b}', 'wm', '{"weights": {"a": 1, "b": 1, "c": 1}}');
SELECT sdc.attack_distance('fine', 'fine', 'id', '{a,b}', 'euclidean', '{"weights": {"a": 1, "b": 1}}');
SELECT sdc.attack_distance('fine', 'fine', 'id', '{a,b}', 'owa', '{"weights": [1]}');
SELECT sdc.attack_distance('fine', 'fine', 'id', '{a,b}', 'owa', '{"weights": [1, "2"]}');
SELECT sdc.attack_distance('fine', 'fine', 'id', '{a,b}', 'owa', '{"weights": [1, -2]}');
SELECT sdc.attack_distance('fine', 'fine', 'id', '{a,b}', 'choquet', '{"capacity": {"a": 0.5}}');
SELECT sdc.attack_distance('fine', 'fine', 'id', '{a,b}', 'choquet', '{"capacity": {"a": 0.5, "b": 1.5}}');
SELECT sdc.attack_distance('fine', 'fine', 'id', '{a,b}', 'choquet', '{"capacity": {"a": 0.5, "b": 0.5, "a, b": 1}}');
SELECT sdc.attack_distance('fine', 'fine', 'id', '{a,b}', 'choquet', '{"capacity": {"a": 0.5, "b": 0.5, "a,a": 1}}');
SELECT sdc.attack_distance('fine', 'fine', 'id', '{a,b}', 'choquet', '{"capacity": 3}');
SELECT sdc.attack_distance('fine', 'fine', 'id', '{a,b}', 'choquet2', '{"singletons": {"a": 0.5, "b": 0.2}}');
SELECT sdc.attack_distance('fine', 'fine', 'id', '{a,b}', 'choquet2', '{"singletons": {"a": 0.5, "b": 1.2}, "interactions": {"a,b": -0.7}}');
SELECT sdc.attack_distance('fine', 'fine', 'id', '{a,b}', 'choquet2', '{"singletons": {"a": 0.5, "b": 0.5}, "interactions": {"a": 1}}');
SELECT sdc.attack_distance('fine', 'fine', 'id', '{a,b}', 'bilinear', '{"matrix": [[1, 2], [3, 1]]}');
SELECT sdc.attack_distance('fine', 'fine', 'id', '{a,b}', 'bilinear', '{"matrix": [[1e101, 0], [0, 1]]}');
SELECT sdc.attack_distance('fine', 'fine', 'id', '{a,b}', 'bilinear', '{"matrix": [[1, 2]]}');
SELECT sdc.attack_distance('fine', 'fine', 'id', '{a,b}', 'bilinear', '{"matrix": [[1], [2]]}');
SELECT sdc.attack_distance('fine', 'fine', 'id', '{a,b}', 'bilinear', '{"model": {"columns": ["b", "a"], "parameters": [1, 0, 0, 1]}}');
SELECT sdc.attack_distance('fine', 'fine', 'id', '{a,b}', 'bilinear', '{"model": {"columns": ["a", "b"], "parameters": [1, 0, 1]}}');
SELECT sdc.attack_distance('fine', 'fine', 'id', '{a,b}', 'bilinear', '{"model": {"method": "wm", "columns": ["a", "b"], "parameters": [1, 0]}}');
SELECT sdc.attack_distance('fine', 'fine', 'id', '{a,b}', 'wm', '{"model": {"columns": ["a", "b"], "parameters": [1, 1]}}');
SELECT sdc.attack_distance('fine', 'fine', 'id', '{a,b}', 'wm', '{"weights": {"a": 1, "b": 1}, "model": {"columns": ["a", "b"], "parameters": [1, 0]}}');
SELECT sdc.attack_distance('fine', 'fine', 'id', '{a,b}', 'wm', '{"model": 1}');
SELECT sdc.attack_distance('fine', 'fine', 'id', '{a,b}', params => '{"map": {"x": "b"}}');
SELECT sdc.attack_distance('fine', 'fine', 'id', '{a,b}', params => '{"map": {"a": "x"}}');
SELECT sdc.attack_distance('fine', 'fine', 'id', '{a,b}', params => '{"assignment": "hungarian"}');
SELECT sdc.attack_distance('mixed', 'mixed_masked', 'id', '{t}', 'mahalanobis');
SELECT sdc.attack_distance('mixed', 'mixed_masked', 'id', '{t}', 'gower', '{"types": {"t": "number"}}');
SELECT sdc.attack_distance('mixed', 'mixed_masked', 'id', '{t}', 'gower', '{"types": {"t": "rank"}}');
SELECT sdc.attack_distance('mixed', 'mixed_masked', 'id', '{t}', 'gower', '{"types": {"t": "word"}}');
SELECT sdc.attack_distance('mixed', 'mixed_masked', 'id', '{t}', 'gower', '{"types": {"x": "rank"}}');
SELECT sdc.attack_distance('mixed', 'mixed_masked', 'id', '{t}', 'gower', '{"weights": {"t": 0}}');
\set SHOW_CONTEXT errors
DROP VIEW crowds, dear, odd, odd_masked, one, none, many, seven, seven_masked, a_third, without_17, renamed, others, unmasked;
DROP TABLE rs_original, rs_masked, fine, fine_masked, coarse, coarse_masked, calls, files, mixed, mixed_masked,
  left_only, right_only, shuffled, shuffled_masked, large, large_masked, alone;
DROP FUNCTION reid_d, scores, vectors, pairs, square, differences, noise, same_links, inverse_covariance,
  gower_pairs, gower_differences, digest;
DROP TYPE size;
