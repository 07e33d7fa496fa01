-- minimality: the attack against all assignments, counted in SQL.

\set SHOW_CONTEXT never

SET sdc.progress_interval = 0;

-- EX-GRD-2: of 12 assignments 2 are consistent; 1 and 2 earn 50000
CREATE TABLE grd(id int, salary int);
INSERT INTO grd VALUES (1,50000), (2,50000), (3,60000), (4,65000), (5,50000), (6,60000);
CREATE VIEW release AS SELECT id, salary, sdc.diverse_group(salary, 2) OVER (ORDER BY id) AS g FROM grd;
SELECT * FROM sdc.attack_minimality('release', 'g', id => 'id', sensitive => '{salary}', l => 2);

-- All assignments of the values of a table to its records; those count under
-- which diverse_group makes the same groups
CREATE FUNCTION assign(rest text[]) RETURNS SETOF text[] LANGUAGE sql IMMUTABLE AS $$
  WITH RECURSIVE a(done, rest) AS (
    SELECT '{}'::text[], $1
    UNION
    SELECT a.done || a.rest[i], a.rest[:i - 1] || a.rest[i + 1:]
    FROM a, generate_series(1, cardinality(a.rest)) AS i)
  SELECT done FROM a WHERE cardinality(rest) = 0
$$;
CREATE FUNCTION enumerate(vals text[], l float8) RETURNS TABLE(id int, value text, posterior float8) LANGUAGE sql AS $$
  WITH truth AS (
    SELECT i, v, sdc.diverse_group(v, l) OVER (ORDER BY i) AS g FROM unnest(vals) WITH ORDINALITY AS t(v, i)),
  members AS (SELECT g, min(i) AS first, array_agg(v ORDER BY i) AS own FROM truth GROUP BY g),
  -- groups are independent: each is tried among the true values of the others
  tried AS (
    SELECT m.g, row_number() OVER () AS trial, vals[:m.first - 1] || a || vals[m.first + cardinality(m.own):] AS vals
    FROM members AS m, assign(m.own) AS a),
  grouped AS (
    SELECT t.g AS of_group, t.trial, u.i, u.v, sdc.diverse_group(u.v, l) OVER (PARTITION BY t.trial ORDER BY u.i) AS g
    FROM tried AS t, unnest(t.vals) WITH ORDINALITY AS u(v, i)
    -- assignments that cannot be grouped at all would stop the query
    WHERE (SELECT max(c) * l <= sum(c) FROM (SELECT count(*) AS c FROM unnest(t.vals) AS x GROUP BY x) AS q)),
  consistent AS (
    SELECT s.trial FROM grouped AS s JOIN truth AS t USING (i) GROUP BY s.trial HAVING bool_and(s.g = t.g))
  SELECT s.i::int, s.v, count(*)::float8 / sum(count(*)) OVER (PARTITION BY s.i)
  FROM grouped AS s JOIN consistent USING (trial) JOIN truth AS t USING (i)
  WHERE t.g = s.of_group GROUP BY s.i, s.v
$$;
CREATE TABLE drawn (trial int, l float8, vals text[]);
INSERT INTO drawn VALUES (1, 2, '{a,a,b,c,a,b}'), (2, 2, '{a,a,a,b,b,c,c,a}'), (3, 2, '{a,b,a,b,c,c,a}'),
  (4, 3, '{a,b,b,c,c,a,d}'), (5, 1.5, '{a,a,b,b,a,c,a}'), (6, 2, '{a,b,c,c,a,a,b}'), (7, 2.5, '{a,b,a,c,d,d,c}'),
  (8, 1, '{a,a,b}'), (9, 2, '{a,b,c,d,a,a}');
CREATE TABLE current (id int, v text, g bigint);
CREATE FUNCTION compare() RETURNS TABLE(trial int, groups bigint, beliefs bigint, certain bigint, wrong bigint) LANGUAGE plpgsql AS $$
DECLARE
  d drawn;
BEGIN
  FOR d IN SELECT * FROM drawn ORDER BY drawn.trial LOOP
    TRUNCATE current;
    INSERT INTO current
    SELECT i, v, sdc.diverse_group(v, d.l) OVER (ORDER BY i) FROM unnest(d.vals) WITH ORDINALITY AS t(v, i);
    RETURN QUERY
    SELECT d.trial, (SELECT count(DISTINCT g) FROM current), count(*), count(*) FILTER (WHERE a.disclosure = 'positive'),
           count(*) FILTER (WHERE abs(a.posterior - coalesce(e.posterior, 0)) > 1e-12
             OR (a.disclosure = 'positive') IS DISTINCT FROM (CASE WHEN e.posterior = 1 THEN true WHEN e.posterior IS NOT NULL THEN NULL ELSE false END))
             + count(*) FILTER (WHERE a.value IS NULL)
    FROM sdc.attack_minimality('current', 'g', id => 'id', sensitive => '{v}', l => d.l) AS a
    FULL JOIN enumerate(d.vals, d.l) AS e ON e.id = a.subject::int AND e.value = a.value;
  END LOOP;
END $$;
SELECT * FROM compare();

-- NULL is a value; several columns are one; any types; the order of rows does
-- not matter
CREATE TABLE mixed AS
SELECT i AS id, nullif(i % 3, 0) AS a, i % 2 = 0 AS b, 1 + (i - 1) / 6 AS g FROM generate_series(6, 1, -1) AS i;
SELECT * FROM sdc.attack_minimality('mixed', 'g', id => 'id', sensitive => '{a}', l => 2.9) WHERE subject IN ('1', '6');
SELECT subject, value, posterior, sensitive FROM sdc.attack_minimality('mixed', 'g', id => 'id', sensitive => '{a,b}', l => 6) WHERE subject = '3';
SELECT sdc.declare('mixed', id => 'id', sensitive => '{a}');
SELECT count(*), sum(posterior) FROM sdc.attack_minimality('mixed', 'g', sensitive => NULL, l => 3);

-- A larger group: half of it one value, the rest all different; a pair follows
CREATE TABLE large AS SELECT i AS id, CASE WHEN i <= 100 THEN 0 ELSE i END AS v FROM generate_series(1, 202) AS i;
CREATE VIEW large_release AS SELECT id, v, sdc.diverse_group(v, 2) OVER (ORDER BY id) AS g FROM large;
CREATE VIEW last AS SELECT id, v, 1 AS g FROM large WHERE id BETWEEN 61 AND 140;
SELECT count(*) AS records, round(min(sum)::numeric, 9) AS least, round(max(sum)::numeric, 9) AS most,
       count(*) FILTER (WHERE certain) AS certain
FROM (SELECT subject, sum(posterior), bool_or(disclosure = 'positive') AS certain
      FROM sdc.attack_minimality('large_release', 'g', id => 'id', sensitive => '{v}', l => 2) GROUP BY subject) AS q;
-- by the ballot theorem the third record has it with 3 (k - 2) / (4k - 6)
SELECT subject, round((posterior / (3 * 98 / 394.0))::numeric, 9) AS ratio
FROM sdc.attack_minimality('large_release', 'g', id => 'id', sensitive => '{v}', l => 2) WHERE subject = '3' AND value = '0';

-- the last group, if it is as large, may have come about by merging
SELECT count(*) AS beliefs, count(*) FILTER (WHERE disclosure = 'positive') AS certain
FROM sdc.attack_minimality('last', 'g', id => 'id', sensitive => '{v}', l => 2);

-- Anatomy by buckets is not made by a scan
SELECT * FROM sdc.attack_minimality('mixed', 'b', id => 'id', sensitive => '{a}', l => 2);
CREATE TABLE other AS SELECT * FROM (VALUES (1, 'x', 1), (2, 'x', 1), (3, 'y', 2), (4, 'z', 2)) AS t(id, v, g);
SELECT * FROM sdc.attack_minimality('other', 'g', id => 'id', sensitive => '{v}', l => 2);
CREATE TABLE late AS SELECT i AS id, 'v' || i AS v, 1 AS g FROM generate_series(1, 4) AS i;
SELECT * FROM sdc.attack_minimality('late', 'g', id => 'id', sensitive => '{v}', l => 2);
CREATE TABLE huge AS SELECT i AS id, i % 40 AS v, 1 AS g FROM generate_series(1, 2000) AS i;
-- too large to be counted: unknown
SELECT count(*), count(posterior), count(disclosure), round(sum(prior)) FROM sdc.attack_minimality('huge', 'g', id => 'id', sensitive => '{v}', l => 30);

-- Nothing, and bad arguments
SELECT * FROM sdc.attack_minimality('current', 'g', id => 'id', sensitive => '{v}', l => 2) WHERE false;
TRUNCATE current;
SELECT * FROM sdc.attack_minimality('current', 'g', id => 'id', sensitive => '{v}', l => 2);
INSERT INTO current VALUES (1, 'x', 1);
SELECT * FROM sdc.attack_minimality('current', 'g', id => 'id', sensitive => '{v}', l => 2);
SELECT * FROM sdc.attack_minimality('current', 'g', id => 'id', sensitive => '{v}', l => 1);
INSERT INTO current VALUES (2, 'x', NULL);
SELECT * FROM sdc.attack_minimality('current', 'g', id => 'id', sensitive => '{v}', l => 1);
SELECT * FROM sdc.attack_minimality(NULL, 'g', id => 'id', sensitive => '{v}', l => 1);
SELECT * FROM sdc.attack_minimality('grd', NULL, id => 'id', sensitive => '{salary}', l => 1);
SELECT * FROM sdc.attack_minimality('grd', 'id', id => 'id', sensitive => '{salary}', l => NULL);
SELECT * FROM sdc.attack_minimality('grd', 'id', id => 'id', sensitive => '{salary}', l => 0);
SELECT * FROM sdc.attack_minimality('grd', 'id', id => 'id', sensitive => '{salary}', l => 1, variant => 'best');
SELECT * FROM sdc.attack_minimality('grd', 'id', id => 'id', sensitive => NULL, l => 1);
SELECT * FROM sdc.attack_minimality('grd', 'nix', id => 'id', sensitive => '{salary}', l => 1);
SELECT * FROM sdc.attack_minimality('grd', 'id', sensitive => '{salary}', l => 1);
SELECT * FROM sdc.attack_minimality('grd', 'id', id => 'salary', sensitive => '{id}', l => 1);

-- ----------------------------------------------------------------------
-- Methods that lose as little as they can.  The oracle gives the values of
-- each class of the release to its records in every way, lets the method run
-- on each, and keeps those under which it makes the same classes.
-- ----------------------------------------------------------------------
CREATE TABLE persons(id int PRIMARY KEY, age int, zip text, disease text);
CREATE TABLE trial(id int PRIMARY KEY, age int, zip text, disease text);
CREATE FUNCTION arrange(class_of int[], vals text[]) RETURNS SETOF text[] LANGUAGE sql AS $$
  WITH RECURSIVE a(done, rest) AS (
    SELECT '{}'::text[], (SELECT array_agg(class_of[i] || ':' || vals[i]) FROM generate_subscripts(vals, 1) AS i)
    UNION
    SELECT a.done || split_part(v, ':', 2), a.rest[:i - 1] || a.rest[i + 1:]
    FROM a, unnest(a.rest) WITH ORDINALITY AS t(v, i)
    WHERE split_part(v, ':', 1)::int = class_of[cardinality(a.done) + 1])
  SELECT done FROM a WHERE cardinality(rest) = 0
$$;
-- the classes of a release as numbers, in the order of the ids
CREATE FUNCTION classes(release regclass) RETURNS int[] LANGUAGE plpgsql AS $$
DECLARE c int[];
BEGIN
  EXECUTE format('SELECT array_agg(c ORDER BY id) FROM (SELECT id, min(id) OVER (PARTITION BY age::text, zip::text) AS c FROM %s) AS s', release) INTO c;
  RETURN c;
END $$;
CREATE FUNCTION make(method text, source text, target text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  EXECUTE format('DROP TABLE IF EXISTS %I', target);
  IF method = 'lattice' THEN
    PERFORM sdc.anonymize(source::regclass, target, '{age,zip}', '{disease}', k => 2, l => 2);
  ELSIF method = 'local' THEN
    PERFORM sdc.recode_locally(source::regclass, target, 'id', '{age,zip}', '{disease}', k => 2, l => 2);
  ELSE
    PERFORM sdc.suppress(source::regclass, target, 'id', '{age,zip}', '{disease}', k => 2, l => 2, params => '{"nulls": "category"}', seed => 1);
  END IF;
END $$;
-- by the method itself: how often a record has a value when the release is as it is
CREATE FUNCTION simulate(method text) RETURNS TABLE(id int, value text, posterior float8) LANGUAGE plpgsql AS $$
DECLARE released int[]; v text[]; a text[]; kept text[] := '{}';
BEGIN
  released := classes('release_of');
  SELECT array_agg(disease ORDER BY p.id) INTO v FROM persons AS p;
  FOR a IN SELECT arrange(released, v) LOOP
    TRUNCATE trial;
    INSERT INTO trial SELECT p.id, p.age, p.zip, a[row_number() OVER (ORDER BY p.id)] FROM persons AS p;
    PERFORM make(method, 'trial', 'trial_release');
    IF classes('trial_release') = released THEN kept := kept || a; END IF;
  END LOOP;
  RETURN QUERY SELECT ((i - 1) % cardinality(v) + 1)::int, k, count(*)::float8 / (cardinality(kept) / cardinality(v))
    FROM unnest(kept) WITH ORDINALITY AS t(k, i) GROUP BY 1, 2;
END $$;
CREATE TABLE attacked (id int, value text, prior float8, posterior float8);
CREATE FUNCTION compare_searches(method text) RETURNS TABLE(beliefs bigint, changed bigint, certain bigint, wrong bigint, unsound bigint) LANGUAGE plpgsql AS $$
BEGIN
  PERFORM make(method, 'persons', 'release_of');
  TRUNCATE attacked;
  INSERT INTO attacked SELECT b.subject::int, b.value, b.prior, b.posterior
  FROM sdc.attack_minimality('release_of', NULL, 'id', '{disease}', 2, method, 'persons', '{age,zip}', 2) AS b;
  RETURN QUERY SELECT count(*), count(*) FILTER (WHERE abs(b.posterior - b.prior) > 1e-9), count(*) FILTER (WHERE b.posterior = 1),
    count(*) FILTER (WHERE abs(b.posterior - coalesce(s.posterior, 0)) > 1e-12), count(*) FILTER (WHERE b.posterior = 0 AND s.posterior > 0)
  FROM attacked AS b LEFT JOIN simulate(method) AS s ON s.id = b.id AND s.value = b.value;
END $$;
SET client_min_messages = warning;
-- two persons of one age and ZIP must have the same disease, or they would have been a class
INSERT INTO persons VALUES (1,20,'a','flu'), (2,20,'a','flu'), (3,20,'b','cold'), (4,20,'b','hiv'), (5,20,'b','flu');
SELECT * FROM compare_searches('lattice');
SELECT subject, value, prior, round(posterior::numeric, 9) AS posterior, disclosure FROM sdc.attack_minimality('release_of', NULL, 'id', '{disease}', 2, 'lattice', 'persons', '{age,zip}', 2) ORDER BY 1, 2;
SELECT * FROM compare_searches('local');
SELECT * FROM compare_searches('suppress');
-- here only the first two can be the ones who are alike
UPDATE persons SET disease = 'asthma' WHERE id = 5;
SELECT * FROM compare_searches('lattice');
SELECT subject, value, prior, round(posterior::numeric, 9) AS posterior, disclosure FROM sdc.attack_minimality('release_of', NULL, 'id', '{disease}', 2, 'lattice', 'persons', '{age,zip}', 2) WHERE subject IN ('1', '5') ORDER BY 1, 2;
SELECT * FROM compare_searches('local');
SELECT * FROM compare_searches('suppress');
-- a partition by median cuts, made elsewhere: no class could be cut further
CREATE TABLE mondrian AS SELECT id, '*'::text AS age, '*'::text AS zip FROM persons;
SELECT subject, value, prior, round(posterior::numeric, 9) AS posterior FROM sdc.attack_minimality('mondrian', NULL, 'id', '{disease}', 2, 'mondrian', 'persons', '{age,zip}', 2) WHERE subject IN ('1', '5') ORDER BY 1, 2;
-- other models, several columns, any order of the rows
SELECT count(*), round(sum(posterior)::numeric, 9) FROM sdc.attack_minimality('mondrian', NULL, 'id', '{disease}', NULL, 'mondrian', 'persons', '{age,zip}', 2, '{"models": [{"measure": "l_entropy", ">=": 1.5}]}');
SELECT count(*), round(sum(posterior)::numeric, 9) FROM sdc.attack_minimality('mondrian', NULL, 'id', '{disease,id}', 2, 'mondrian', 'persons', '{age,zip}', 2);
CREATE TABLE turned AS SELECT * FROM persons ORDER BY id DESC;
SELECT count(*) FROM (
  (SELECT subject, value, posterior FROM sdc.attack_minimality('mondrian', NULL, 'id', '{disease}', 2, 'mondrian', 'persons', '{age,zip}', 2)
   EXCEPT SELECT subject, value, posterior FROM sdc.attack_minimality('mondrian', NULL, 'id', '{disease}', 2, 'mondrian', 'turned', '{age,zip}', 2))) AS s;
-- several classes: the pair that is alike may be in either of them
TRUNCATE persons;
INSERT INTO persons VALUES (1,20,'a','flu'), (2,20,'a','flu'), (3,20,'b','cold'), (4,20,'b','cold'), (9,20,'b','hiv'),
  (5,30,'a','cold'), (6,30,'a','cold'), (7,30,'b','flu'), (8,30,'b','flu');
SELECT * FROM compare_searches('lattice');
-- suppression that had a choice; keys of three values
TRUNCATE persons;
INSERT INTO persons VALUES (1,20,'a','flu'), (2,20,'a','flu'), (3,20,'b','cold'), (4,20,'b','hiv'), (5,30,'b','cold'), (6,30,'b','flu'), (7,40,'a','hiv');
SELECT * FROM compare_searches('lattice');
SELECT * FROM compare_searches('local');
SELECT * FROM compare_searches('suppress');
TRUNCATE persons;
INSERT INTO persons VALUES (1,20,'a','flu'), (2,20,'a','flu'), (3,20,'b','cold'), (4,20,'c','flu'), (5,20,'c','cold'), (6,20,NULL,'flu');
SELECT * FROM compare_searches('local');
SELECT * FROM compare_searches('suppress');
RESET client_min_messages;
TRUNCATE mondrian;
INSERT INTO mondrian SELECT id, '*', '*' FROM persons;
-- a class that could be cut: who relies on that it could not errs, and is told
UPDATE persons SET disease = 'other' WHERE id IN (1, 3);
SELECT count(*) FROM sdc.attack_minimality('mondrian', NULL, 'id', '{disease}', 2, 'mondrian', 'persons', '{age,zip}', 2);
-- not what the search makes; no model; other records; bad arguments
SELECT * FROM sdc.attack_minimality('persons', NULL, 'id', '{disease}', 2, 'lattice', 'persons', '{age,zip}', 2);
SELECT * FROM sdc.attack_minimality('mondrian', NULL, 'id', NULL, NULL, 'lattice', 'persons', '{age,zip}', 2);
SELECT * FROM sdc.attack_minimality('mondrian', NULL, 'id', '{disease}', 2, 'lattice', 'persons', '{age,zip}', 2, '{"suppression": 1}');
SELECT * FROM sdc.attack_minimality('mondrian', NULL, 'id', '{disease}', 2, 'lattice', 'persons', '{age,zip}', 2, '{"metrics": 1}');
DELETE FROM mondrian WHERE id = 1;
SELECT * FROM sdc.attack_minimality('mondrian', NULL, 'id', '{disease}', 2, 'local', 'persons', '{age,zip}', 2);
SELECT * FROM sdc.attack_minimality('mondrian', NULL, 'id', '{disease}', 2, 'local');
SELECT * FROM sdc.attack_minimality('mondrian', 'age', 'id', '{disease}', 2, 'local', 'persons');
SELECT * FROM sdc.attack_minimality('mondrian', 'age', 'id', '{zip}', 2, 'greedy', 'persons');
SELECT * FROM sdc.attack_minimality('mondrian', NULL, NULL, '{disease}', 2, 'local', 'persons', '{age,zip}', 2);
SELECT * FROM sdc.attack_minimality('mondrian', NULL, 'id', '{disease}', 2, 'local', 'persons', '{age,zip}', 0);
SELECT * FROM sdc.attack_minimality('mondrian', NULL, 'id', '{disease}', 0, 'local', 'persons', '{age,zip}', 2);
TRUNCATE persons, mondrian;
SELECT * FROM sdc.attack_minimality('mondrian', NULL, 'id', '{disease}', 2, 'local', 'persons', '{age,zip}', 1);

SET client_min_messages = warning;
DROP TABLE IF EXISTS release_of, trial_release, persons, trial, attacked, mondrian, turned;
DROP FUNCTION arrange, classes, make, simulate, compare_searches;
DROP TABLE grd, drawn, current, mixed, large, other, late, huge CASCADE;
DROP FUNCTION assign, enumerate, compare;
