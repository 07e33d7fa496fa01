-- link: attack_distance and reid against all pairs in plain SQL.

-- EX-RS-7: ten records by rank swapping
CREATE TABLE rs_original(id int PRIMARY KEY, a1 int, a2 int, a3 int, a4 int);
CREATE TABLE rs_masked  (id int PRIMARY KEY, a1 int, a2 int, a3 int, a4 int);
INSERT INTO rs_original VALUES (1,8,9,1,3),(2,6,7,10,2),(3,10,3,4,1),(4,7,1,2,6),(5,9,4,6,4),
  (6,2,2,8,8),(7,1,10,3,9),(8,4,8,7,10),(9,5,5,5,5),(10,3,6,9,7);
INSERT INTO rs_masked VALUES (1,10,10,3,5),(2,5,5,8,1),(3,8,4,2,2),(4,9,2,4,4),(5,7,3,5,6),
  (6,4,1,10,10),(7,3,9,1,7),(8,2,6,9,8),(9,6,7,6,3),(10,1,8,7,9);
SELECT id, linked_id, candidates, probability, round(distance::numeric, 6) AS distance, certain, correct
FROM sdc.attack_distance('rs_original', 'rs_masked', 'id', '{a1,a2,a3,a4}');
-- 0.5 of the records from original to masked, 0.6 the other way
SELECT (sdc.reid(l)).* FROM sdc.attack_distance('rs_original', 'rs_masked', 'id', '{a1,a2,a3,a4}') AS l;
SELECT (sdc.reid(l)).* FROM sdc.attack_distance('rs_original', 'rs_masked', 'id', '{a1,a2,a3,a4}',
  params => '{"direction": "to_original"}') AS l;

-- All pairs in plain SQL: scores by the reference of the scale, columns without
-- spread left out, ties within 1e-9, one row per candidate.
CREATE FUNCTION scores(rel regclass, original regclass, masked regclass, scale text, keys text[])
RETURNS TABLE (id text, key text, z float8, flat boolean) LANGUAGE plpgsql AS $$
DECLARE k text; o float8[]; m float8[]; own float8[]; r float8[]; n int; center float8; spread float8; flat boolean;
BEGIN
  FOREACH k IN ARRAY keys LOOP
    EXECUTE format('SELECT coalesce(array_agg(%I::float8), ''{}'') FROM %s WHERE %I IS NOT NULL', k, original, k) INTO o;
    EXECUTE format('SELECT coalesce(array_agg(%I::float8), ''{}'') FROM %s WHERE %I IS NOT NULL', k, masked, k) INTO m;
    EXECUTE format('SELECT coalesce(array_agg(%I::float8), ''{}'') FROM %s WHERE %I IS NOT NULL', k, rel, k) INTO own;
    r := CASE WHEN scale = 'pooled' THEN o || m WHEN scale = 'own' THEN own
              WHEN scale = 'rank' AND cardinality(o) > cardinality(m) THEN o
              WHEN scale <> 'rank' AND cardinality(m) < 2 THEN o ELSE m END;
    r := ARRAY(SELECT x FROM unnest(r) AS u(x) ORDER BY x);
    n := cardinality(r);
    SELECT avg(x), stddev(x) INTO center, spread FROM unnest(r) AS u(x);
    flat := coalesce(spread, 0) = 0 OR (scale = 'own' AND (
      (SELECT coalesce(stddev(x), 0) = 0 FROM unnest(o) AS u(x)) OR (SELECT coalesce(stddev(x), 0) = 0 FROM unnest(m) AS u(x))));
    IF scale = 'robust' AND r[1 + floor(0.75 * (n - 1))::int] > r[1 + floor(0.25 * (n - 1))::int] THEN
      center := r[1 + floor(0.5 * (n - 1))::int];
      -- the quartiles of the normal law are 1.349 deviations apart
      spread := (r[1 + floor(0.75 * (n - 1))::int] - r[1 + floor(0.25 * (n - 1))::int]) / 1.3489795003921634;
    END IF;
    RETURN QUERY EXECUTE format(
      'SELECT id::text, %L::text, CASE WHEN x IS NULL THEN NULL WHEN $1 THEN 0
         WHEN $2 THEN (SELECT avg(CASE WHEN y < x THEN 1 WHEN y = x THEN 0.5 ELSE 0 END) FROM unnest($3) AS u(y))
         ELSE (x - $4) / $5 END, $1
       FROM (SELECT id, %I::float8 AS x FROM %s) AS t', k, k, rel) USING flat, scale = 'rank', r, center, spread;
  END LOOP;
END $$;
CREATE FUNCTION all_pairs(original regclass, masked regclass, direction text, scale text, keys text[])
RETURNS TABLE (id text, linked_id text, candidates bigint, probability float8, distance float8)
LANGUAGE sql AS $$
  WITH a AS MATERIALIZED (SELECT * FROM scores(CASE direction WHEN 'to_masked' THEN original ELSE masked END, original, masked, scale, keys)),
       b AS MATERIALIZED (SELECT * FROM scores(CASE direction WHEN 'to_masked' THEN masked ELSE original END, original, masked, scale, keys)),
       av AS MATERIALIZED (SELECT id, array_agg(z ORDER BY key) AS z FROM a GROUP BY id),
       bv AS MATERIALIZED (SELECT id, array_agg(z ORDER BY key) AS z FROM b GROUP BY id),
       -- NULL lies in the middle, and one deviation aside of what is not NULL
       s AS (SELECT CASE scale WHEN 'rank' THEN 0.5 ELSE 0 END::float8 AS middle,
                    CASE scale WHEN 'rank' THEN 1.0 / 12 ELSE 1 END::float8 AS aside),
       d AS (SELECT av.id, bv.id AS linked_id,
                    (SELECT sum((coalesce(x, middle) - coalesce(y, middle)) ^ 2
                                + CASE WHEN (x IS NULL) <> (y IS NULL) THEN aside ELSE 0 END)
                     FROM unnest(av.z, bv.z) AS u(x, y))
                    / cardinality(keys) AS d2
             FROM av, bv, s),
       m AS (SELECT *, min(d2) OVER (PARTITION BY id) AS least FROM d),
       t AS (SELECT *, count(*) OVER (PARTITION BY id) AS n FROM m
             WHERE d2 <= least * (1 + 1e-9) + 1e-20)
  SELECT id, linked_id, n, 1.0::float8 / n, sqrt(least) FROM t
  UNION ALL
  SELECT DISTINCT id, NULL::text, 0::bigint, 1::float8, NULL::float8 FROM a
  WHERE id NOT IN (SELECT id FROM t)
$$;
-- Rows in which the attack and all pairs differ.
-- Booleans and dates have no cast to numbers: all pairs are made from a view.
CREATE FUNCTION differences(original regclass, masked regclass, keys name[], direction text,
                            original_numbers regclass, masked_numbers regclass, scale text DEFAULT 'masked')
RETURNS TABLE (rows_compared bigint, ties bigint, without bigint, differ bigint) LANGUAGE sql AS $$
  WITH got AS MATERIALIZED (
         SELECT * FROM sdc.attack_distance(original, masked, 'id', keys,
           params => jsonb_build_object('direction', direction, 'max_candidates', 10000, 'scale', scale))),
       want AS MATERIALIZED (
         SELECT * FROM all_pairs(original_numbers, masked_numbers, direction, scale, keys::text[]))
  SELECT count(*), count(*) FILTER (WHERE got.candidates > 1),
         count(*) FILTER (WHERE got.candidates = 0),
         count(*) FILTER (WHERE got.id IS NULL OR want.id IS NULL
           OR got.candidates <> want.candidates
           OR abs(got.probability - want.probability) > 1e-12
           OR got.distance IS NULL <> (want.distance IS NULL)
           OR abs(got.distance - want.distance) > 1e-9
           OR got.certain OR got.correct IS DISTINCT FROM
              (want.candidates = 1 AND want.id = want.linked_id))
  FROM got FULL JOIN want ON got.id = want.id
   AND got.linked_id IS NOT DISTINCT FROM want.linked_id
$$;

-- a generator whose values are the same everywhere
CREATE FUNCTION noise(i bigint, salt bigint, values_of bigint) RETURNS bigint LANGUAGE sql IMMUTABLE AS
$$ SELECT (((i * 2654435761 + salt * 40503) % 4294967296 * 69069 + 12345) % 4294967296 / 65536) % values_of $$;

-- smooth data, masked by noise
CREATE TABLE smooth AS
SELECT i AS id, noise(i, 1, 60000) / 7.0 AS a, noise(i, 2, 60000)::float8 AS b,
       noise(i, 3, 60000)::bigint AS c FROM generate_series(1, 300) AS i;
CREATE TABLE smooth_masked AS
SELECT id, a + noise(id, 4, 900) AS a, b + noise(id, 5, 9000) AS b, (c + noise(id, 6, 9000))::int AS c
FROM smooth WHERE id <> 17;
SELECT * FROM differences('smooth', 'smooth_masked', '{a,b,c}', 'to_masked', 'smooth', 'smooth_masked');
SELECT * FROM differences('smooth', 'smooth_masked', '{a,b,c}', 'to_original', 'smooth', 'smooth_masked');
SELECT * FROM differences('smooth', 'smooth_masked', '{b}', 'to_masked', 'smooth', 'smooth_masked');
SELECT * FROM differences('smooth', 'smooth', '{a,b,c}', 'to_masked', 'smooth', 'smooth');

-- every scale, of the whole files and of parts of either
CREATE VIEW top AS SELECT * FROM smooth ORDER BY a DESC LIMIT 40;
CREATE VIEW masked_top AS SELECT * FROM smooth_masked ORDER BY a DESC LIMIT 40;
SELECT scale, original, masked, d.*
FROM unnest('{masked,pooled,rank,robust,own}'::text[]) AS scale,
     (VALUES ('smooth'::regclass, 'smooth_masked'::regclass, 'to_masked'), ('top', 'smooth_masked', 'to_masked'),
             ('smooth', 'masked_top', 'to_original')) AS f(original, masked, direction),
     differences(original, masked, '{a,b,c}', direction, original, masked, scale) AS d
ORDER BY scale, original::text, masked::text;
-- whoever is attacked, and whatever is released: on one scale everybody is as
-- near as in the whole files, each file by itself moves people apart
CREATE FUNCTION found(original regclass, masked regclass, direction text, scale text) RETURNS bigint LANGUAGE sql AS $$
  SELECT count(*) FILTER (WHERE correct) FROM sdc.attack_distance(original, masked, 'id', '{a,b,c}',
    params => jsonb_build_object('direction', direction, 'scale', scale))
$$;
CREATE VIEW near AS SELECT id, a + noise(id, 4, 90) - 45 AS a, b + noise(id, 5, 900) - 450 AS b, c + noise(id, 6, 900) - 450 AS c FROM smooth;
CREATE VIEW near_top AS SELECT * FROM near ORDER BY a DESC LIMIT 40;
CREATE VIEW one_known AS SELECT * FROM rs_original WHERE id = 2;
CREATE VIEW one_released AS SELECT * FROM near WHERE id = 21;
SELECT scale, found('top', 'near', 'to_masked', scale) AS top, found('smooth', 'near_top', 'to_original', scale) AS released,
       (SELECT string_agg(linked_id, ',') FROM sdc.attack_distance('one_known', 'rs_masked', 'id', '{a1,a2,a3,a4}',
          params => jsonb_build_object('scale', scale))) AS one_known,
       found('smooth', 'one_released', 'to_original', scale) AS one_released
FROM unnest('{masked,pooled,rank,robust,own}'::text[]) AS scale ORDER BY scale;
SELECT count(*) AS same
FROM sdc.attack_distance('top', 'smooth_masked', 'id', '{a,b,c}') AS part
JOIN sdc.attack_distance('smooth', 'smooth_masked', 'id', '{a,b,c}') AS whole USING (id, linked_id, candidates, distance, correct);
SELECT found('smooth', 'smooth_masked', 'to_masked', 'files');

-- coarse data with duplicates, ties, NULLs and a constant column
CREATE TABLE coarse AS
SELECT i AS id, noise(i, 1, 4) AS a, nullif(noise(i, 2, 12), 7)::numeric AS b,
       noise(i, 3, 2) = 1 AS c, date '2020-01-01' + noise(i, 4, 3)::int AS d, 5 AS e
FROM generate_series(1, 250) AS i;
CREATE TABLE coarse_masked AS
SELECT id, (a + noise(id, 5, 2)) AS a, nullif(b + noise(id, 6, 3) - 1, 3) AS b, c,
       d + noise(id, 7, 2)::int AS d, noise(id, 8, 9) AS e
FROM coarse;
CREATE VIEW coarse_n AS SELECT id, a, b, c::int AS c, d - date '2000-01-01' AS d, e FROM coarse;
CREATE VIEW coarse_masked_n AS SELECT id, a, b, c::int AS c, d - date '2000-01-01' AS d, e FROM coarse_masked;
SELECT * FROM differences('coarse', 'coarse_masked', '{a,b}', 'to_masked', 'coarse_n', 'coarse_masked_n');
SELECT * FROM differences('coarse', 'coarse_masked', '{a,b,c,d,e}', 'to_masked', 'coarse_n', 'coarse_masked_n');
SELECT * FROM differences('coarse', 'coarse_masked', '{a,b,c,d,e}', 'to_original', 'coarse_n', 'coarse_masked_n');
SELECT * FROM differences('coarse', 'coarse_masked', '{e}', 'to_masked', 'coarse_n', 'coarse_masked_n');
SELECT * FROM differences('coarse', 'coarse_masked', '{c,d}', 'to_original', 'coarse_n', 'coarse_masked_n');

-- the order of the rows does not show, the order of the result is that of the ids
CREATE TABLE shuffled AS SELECT * FROM coarse ORDER BY noise(id, 9, 60000);
CREATE TABLE shuffled_masked AS SELECT * FROM coarse_masked ORDER BY noise(id, 10, 60000);
CREATE FUNCTION digest(original regclass, masked regclass, keys name[], cap int)
RETURNS text LANGUAGE sql AS $$
  SELECT md5(string_agg(l::text, ';' ORDER BY ordinality))
  FROM sdc.attack_distance(original, masked, 'id', keys,
         params => jsonb_build_object('max_candidates', cap)) WITH ORDINALITY AS l
$$;
SELECT digest('coarse', 'coarse_masked', '{a,b,d}', 1000) =
       digest('shuffled', 'shuffled_masked', '{a,b,d}', 1000) AS same;
SELECT digest('coarse', 'coarse_masked', '{a,c,d}', 5) =
       digest('shuffled', 'shuffled_masked', '{a,c,d}', 5) AS same;
SELECT bool_and(id::int >= before) AS by_id
FROM (SELECT id, lag(id::int) OVER (ORDER BY ordinality) AS before
      FROM sdc.attack_distance('shuffled', 'shuffled_masked', 'id', '{a,b}') WITH ORDINALITY) AS s;

-- more candidates than are listed: the right one first, then by id, then the rest
CREATE TABLE same AS SELECT i AS id, i % 2 AS a FROM generate_series(1, 12) AS i;
SELECT id, linked_id, candidates, round(probability::numeric, 4) AS probability, distance, correct
FROM sdc.attack_distance('same', 'same', 'id', '{a}', params => '{"max_candidates": 3}')
WHERE id IN ('2', '11');
SELECT linked_id, candidates, round(probability::numeric, 4) AS probability
FROM sdc.attack_distance('same', 'same', 'id', '{a}', params => '{"max_candidates": 6}') WHERE id = '11';
-- the right one is not in the set
CREATE TABLE other AS SELECT id, 1 - a AS a FROM same;
SELECT id, linked_id, candidates, round(probability::numeric, 4) AS probability
FROM sdc.attack_distance('same', 'other', 'id', '{a}', params => '{"max_candidates": 2}')
WHERE id = '2';
-- however short the list, the probabilities of a record add up to 1
SELECT cap, bool_and(abs(p - 1) < 1e-12) AS sums_to_1, max(rows) AS most_rows
FROM (VALUES (1), (3), (50), (300)) AS c(cap),
     LATERAL (SELECT id, sum(probability) AS p, count(*) AS rows
              FROM sdc.attack_distance('coarse', 'coarse_masked', 'id', '{c}',
                     params => jsonb_build_object('max_candidates', cap)) GROUP BY id) AS s
GROUP BY cap ORDER BY cap;
-- Reid does not depend on it, for the right record is always listed
SELECT cap, records, round(reid_d::numeric, 10) AS reid_d, round(reid_k::numeric, 10) AS reid_k
FROM (VALUES (1), (3), (300)) AS c(cap),
     LATERAL (SELECT (sdc.reid(l)).*
              FROM sdc.attack_distance('coarse', 'coarse_masked', 'id', '{a,b,c,d}',
                     params => jsonb_build_object('max_candidates', cap)) AS l) AS r
ORDER BY cap;

-- nothing to link to: no values, an empty file, one record
CREATE TABLE gaps(id text, a float8);
INSERT INTO gaps VALUES ('x', 1), ('y', NULL), ('z', 3);
SELECT * FROM sdc.attack_distance('gaps', 'gaps', 'id', '{a}');
CREATE TABLE empty(id text, a float8);
SELECT * FROM sdc.attack_distance('gaps', 'empty', 'id', '{a}');
SELECT * FROM sdc.attack_distance('empty', 'gaps', 'id', '{a}');
SELECT (sdc.reid(l)).* FROM sdc.attack_distance('empty', 'gaps', 'id', '{a}') AS l;
SELECT (sdc.reid(l)).* FROM sdc.attack_distance('gaps', 'gaps', 'id', '{a}') AS l;
CREATE TABLE single(id bigint, a int);
INSERT INTO single VALUES (1, 7);
SELECT * FROM sdc.attack_distance('single', 'single', 'id', '{a}');

-- ids of different types agree as text; without any in common there is a warning
CREATE TABLE text_ids AS SELECT id::text AS id, a FROM same;
SELECT count(*) FILTER (WHERE linked_id = id) AS found
FROM sdc.attack_distance('same', 'text_ids', 'id', '{a}');
CREATE TABLE foreign_ids AS SELECT 'p' || id AS id, a FROM same;
SELECT count(*) FILTER (WHERE linked_id = id) AS found
FROM sdc.attack_distance('same', 'foreign_ids', 'id', '{a}');
-- numbers in their own order, with equal ones that differ as text
CREATE TABLE numeric_ids(id numeric, a int);
INSERT INTO numeric_ids VALUES (10, 1), (9, 2), (1.00, 3), (1.0, 4);
SELECT id, linked_id FROM sdc.attack_distance('numeric_ids', 'numeric_ids', 'id', '{a}');

-- reid: certain claims, by hand: 4 records, 2 unique and right, of 3 claims 2 are right
CREATE TABLE claims(l sdc.link);
INSERT INTO claims VALUES
  (ROW('1', '1', 1, 1, 0, true, true)), (ROW('2', '2', 1, 1, 0, true, true)),
  (ROW('3', '4', 1, 1, 0, true, false)),
  (ROW('4', '4', 4, 0.25, 0, false, false)), (ROW('4', NULL, 4, 0.75, 0, false, false));
SELECT (sdc.reid(l)).* FROM claims;
INSERT INTO claims VALUES (NULL);
SELECT (sdc.reid(l)).* FROM claims;
SELECT sdc.reid(ROW('1', '1', 1, 1.5, 0, true, true)::sdc.link);
SELECT sdc.reid(ROW('1', '1', 1, 'NaN', 0, true, true)::sdc.link);

-- workers change nothing
CREATE TABLE large AS
SELECT i AS id, noise(i, 1, 60000) AS a, noise(i, 2, 60000) AS b, noise(i, 3, 60000) AS c,
       noise(i, 4, 60000) AS d, noise(i, 5, 60000) AS e, noise(i, 6, 30) AS f
FROM generate_series(1, 30000) AS i;
CREATE TABLE large_masked AS
SELECT id, a + noise(id, 7, 20000) AS a, b + noise(id, 8, 20000) AS b, c + noise(id, 9, 20000) AS c,
       d + noise(id, 10, 20000) AS d, e + noise(id, 11, 20000) AS e, f FROM large;
SET max_parallel_workers_per_gather = 0;
SELECT digest('large', 'large_masked', '{a,b,c,d,e,f}', 100) AS alone \gset
SET max_parallel_workers_per_gather = 2;
SELECT digest('large', 'large_masked', '{a,b,c,d,e,f}', 100) = :'alone' AS same;
SET max_parallel_workers = 0;
SELECT digest('large', 'large_masked', '{a,b,c,d,e,f}', 100) = :'alone' AS same;
RESET max_parallel_workers;
-- the aggregate in workers
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
CREATE TABLE links AS
SELECT l FROM sdc.attack_distance('large', 'large_masked', 'id', '{a,b,c,d,e,f}') AS l;
ANALYZE links;
EXPLAIN (COSTS OFF) SELECT sdc.reid(l) FROM links;
SELECT records, reid_d = (SELECT count(*) FILTER (WHERE (l).correct) / 30000.0 FROM links)::float8 AS same
FROM (SELECT (sdc.reid(l)).* FROM links) AS r;

-- memory is refused before it is taken, and given back
SET sdc.memory_limit = '2MB';
\set VERBOSITY terse
SELECT count(*) FROM sdc.attack_distance('large', 'large_masked', 'id', '{a,b,c,d,e,f}');
\set VERBOSITY default
RESET sdc.memory_limit;

-- arguments
SELECT sdc.attack_distance('same', NULL, 'id', '{a}');
SELECT sdc.attack_distance('same', 'other', NULL, '{a}');
SELECT sdc.attack_distance('same', 'other', 'id', NULL);
SELECT sdc.attack_distance('same', 'other', 'id', '{a}', variant => NULL);
SELECT sdc.attack_distance('same', 'other', 'id', '{a}', variant => 'nearest');
SELECT sdc.attack_distance('same', 'other', 'id', '{a}', params => '{"direction": "back"}');
SELECT sdc.attack_distance('same', 'other', 'id', '{a}', params => '{"direction": 1}');
SELECT sdc.attack_distance('same', 'other', 'id', '{a}', params => '{"max_candidates": 0}');
SELECT sdc.attack_distance('same', 'other', 'id', '{a}', params => '{"max_candidates": 2.5}');
SELECT sdc.attack_distance('same', 'other', 'id', '{a}', params => '{"max_candidates": "2"}');
SELECT sdc.attack_distance('same', 'other', 'id', '{a}', params => '{"cap": 2}');
SELECT sdc.attack_distance('same', 'other', 'id', '{a}', params => '[]');
SELECT sdc.attack_distance('same', 'gaps', 'id', '{b}');
SELECT sdc.attack_distance('gaps', 'same', 'ident', '{a}');
SELECT sdc.attack_distance('text_ids', 'text_ids', 'a', '{id}');
-- ids that are no ids; no value is shown
INSERT INTO gaps VALUES (NULL, 1);
SELECT sdc.attack_distance('gaps', 'gaps', 'id', '{a}');
UPDATE gaps SET id = 'x' WHERE id IS NULL;
SELECT sdc.attack_distance('gaps', 'gaps', 'id', '{a}');
TRUNCATE gaps;
INSERT INTO gaps VALUES ('v', 1), ('w', 'infinity');
\set SHOW_CONTEXT never
SELECT sdc.attack_distance('gaps', 'gaps', 'id', '{a}');
UPDATE gaps SET a = 'NaN' WHERE id = 'w';
SELECT sdc.attack_distance('gaps', 'gaps', 'id', '{a}');

DROP VIEW coarse_n, coarse_masked_n, top, masked_top, one_known, one_released, near_top, near;
DROP TABLE rs_original, rs_masked, smooth, smooth_masked, coarse, coarse_masked, shuffled,
  shuffled_masked, same, other, gaps, empty, single, text_ids, foreign_ids, numeric_ids, claims,
  large, large_masked, links;
DROP FUNCTION scores, all_pairs, differences, found, noise, digest;
