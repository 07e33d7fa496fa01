-- posterior: beliefs against theorem 3.1 in plain SQL.
\set SHOW_CONTEXT never

-- EX-LD: the inpatients of Machanavajjhala et al., 4-anonymous
CREATE TABLE inp(id int PRIMARY KEY, zip text, age int, nation text, disease text);
INSERT INTO inp VALUES
  (1,'13053',28,'Russian','Heart Disease'), (2,'13068',29,'American','Heart Disease'),
  (3,'13068',21,'Japanese','Viral Infection'), (4,'13053',23,'American','Viral Infection'),
  (5,'14853',50,'Indian','Cancer'), (6,'14853',55,'Russian','Heart Disease'),
  (7,'14850',47,'American','Viral Infection'), (8,'14850',49,'American','Viral Infection'),
  (9,'13053',31,'American','Cancer'), (10,'13053',37,'Indian','Cancer'),
  (11,'13068',36,'Japanese','Cancer'), (12,'13068',35,'American','Cancer');
CREATE VIEW inp4 AS SELECT id, left(zip,3)||'**' AS zip,
  CASE WHEN age<30 THEN '<30' WHEN age<40 THEN '3*' ELSE '>=40' END AS age, '*' AS nation, disease FROM inp;

-- no knowledge: n(q*,s) / n(q*), the prior is that of the whole table
SELECT * FROM sdc.posterior('inp4', keys => '{zip,age}', sensitive => '{disease}');
SELECT * FROM sdc.posterior('inp4', NULL, '{zip,age}', '{disease}', '{"epsilon": 0.1}');

-- Anatomy: exact keys, salaries permuted inside groups; a group of one value
-- hides nothing
CREATE TABLE anatomy(grp int, dob text, salary int);
INSERT INTO anatomy VALUES (1,'1/21/76',50000), (1,'4/13/86',55000), (2,'2/28/76',60000), (2,'1/21/76',60000),
  (3,'4/13/86',70000), (3,'2/28/76',75000);
SELECT subject, value, posterior, disclosure FROM sdc.posterior('anatomy', NULL, '{grp}', '{salary}');

-- EX-LD-7: Umeko is Japanese, and Japanese do not get heart disease, or one in
-- fifty does; in the class of Umeko it is one half
CREATE TABLE known(share float8, zip text, age text, origin text, disease text, people float8);
INSERT INTO known
SELECT x, '130**', '<30', o, d, CASE WHEN (o = 'Japanese') = (d = 'Heart Disease') THEN x ELSE 1 - x END
FROM unnest(ARRAY[0, 0.02, 0.5]) AS x, unnest(ARRAY['Japanese', 'other']) AS o,
     unnest(ARRAY['Heart Disease', 'Viral Infection']) AS d;
CREATE VIEW known_0 AS SELECT * FROM known WHERE share = 0;
CREATE VIEW known_2 AS SELECT * FROM known WHERE share = 0.02;
CREATE VIEW known_50 AS SELECT * FROM known WHERE share = 0.5;
SELECT rel, subject::jsonb ->> 'origin' AS origin, value, prior, posterior, records, disclosure
FROM unnest(ARRAY['known_0', 'known_2', 'known_50']) AS rel,
     sdc.posterior('inp4', rel::regclass, '{zip,age}', '{disease}',
       '{"known": "origin", "weight": "people", "zeros": true, "delta": 0.1, "rho1": 0.6, "rho2": 0.9}')
WHERE subject::jsonb ->> 'origin' = 'Japanese';

-- Random releases and knowledge with NULLs everywhere; external has other
-- names and another order of columns
CREATE FUNCTION draw(i int, salt text, n int) RETURNS int LANGUAGE sql IMMUTABLE AS $$
  SELECT ('x' || substr(md5(i || salt), 1, 6))::bit(24)::int % n
$$;
CREATE TABLE release AS
SELECT i AS id, nullif(draw(i, 'a', 5), 3) AS a, nullif(draw(i, 'b', 3)::text, '2') AS b,
       nullif(least(draw(i, 's', 6), draw(i, 't', 6)), 2)::numeric AS s, draw(i, 'u', 3) AS u
FROM generate_series(1, 180) AS i;
CREATE TABLE knowledge AS
SELECT nullif(draw(i, 'A', 2), 0) AS "exact A", nullif(draw(i, 'S', 7), 5)::numeric AS "S",
       nullif(draw(i, 'B', 4)::text, '2') AS b2, nullif(draw(i, '2', 6), 3) AS a2,
       draw(i, 'w', 5)::real / 7 AS w, nullif(draw(i, 'm', 3), 1) AS more
FROM generate_series(1, 300) AS i;
-- a person of no weight, and one in no class of the release
INSERT INTO knowledge VALUES (77, 1, '0', 0, 0, 7), (78, 1, 'nowhere', 0, 1, 7);

CREATE FUNCTION expected(nulls text)
RETURNS TABLE (subject jsonb, value text, prior float8, posterior float8, records bigint) LANGUAGE sql AS $$
  WITH k AS (SELECT a2, b2, "exact A" AS q1, more AS q2, "S" AS s, w::float8 AS w FROM knowledge
             WHERE nulls = 'category' OR "S" IS NOT NULL),
  person AS (SELECT DISTINCT a2, b2, "exact A" AS q1, more AS q2 FROM knowledge),
  value AS (SELECT "S" AS s FROM knowledge UNION SELECT s FROM release),
  belief AS (
    SELECT p.*, v.s,
      (SELECT count(*) FROM release r WHERE r.a IS NOT DISTINCT FROM p.a2 AND r.b IS NOT DISTINCT FROM p.b2
         AND r.s IS NOT DISTINCT FROM v.s AND (nulls = 'category' OR r.s IS NOT NULL)) AS n,
      (SELECT sum(w) FILTER (WHERE k.s IS NOT DISTINCT FROM v.s) / nullif(sum(w), 0) FROM k
       WHERE (k.a2, k.b2, k.q1, k.q2) IS NOT DISTINCT FROM (p.a2, p.b2, p.q1, p.q2)) AS f_q,
      (SELECT sum(w) FILTER (WHERE k.s IS NOT DISTINCT FROM v.s) / nullif(sum(w), 0) FROM k
       WHERE (k.a2, k.b2) IS NOT DISTINCT FROM (p.a2, p.b2)) AS f_class,
      (SELECT sum(w) FROM k
       WHERE (k.a2, k.b2, k.q1, k.q2) IS NOT DISTINCT FROM (p.a2, p.b2, p.q1, p.q2)) > 0 AS weighs
    FROM person p, value v),
  term AS (SELECT *, CASE WHEN f_q > 0 THEN n * f_q / f_class ELSE 0 END AS t FROM belief),
  total AS (SELECT *, sum(t) OVER (PARTITION BY a2, b2, q1, q2) AS total FROM term)
  SELECT jsonb_build_object('a2', a2::text, 'b2', b2, 'exact A', q1::text, 'more', q2::text), s::text,
         CASE WHEN weighs THEN coalesce(f_q, 0) END, t / nullif(total, 0), n
  FROM total WHERE n > 0 OR f_q > 0
$$;
CREATE FUNCTION actual(params jsonb)
RETURNS TABLE (subject jsonb, value text, prior float8, posterior float8, records bigint) LANGUAGE sql AS $$
  SELECT subject::jsonb, value, prior, posterior, records
  FROM sdc.posterior('release', 'knowledge', '{a,b}', '{s}',
    '{"map": {"a": "a2", "b": "b2", "s": "S"}, "known": ["exact A", "a2", "more"], "weight": "w"}' || params)
$$;
-- rows with posterior 0 come only when they are asked for
SELECT nulls, zeros, count(a.subject) AS rows, count(e.subject) AS expected,
       count(*) FILTER (WHERE a.subject IS NULL OR e.subject IS NULL) AS unmatched,
       count(*) FILTER (WHERE (a.prior IS NULL) <> (e.prior IS NULL) OR abs(a.prior - e.prior) > 1e-12
                        OR (a.posterior IS NULL) <> (e.posterior IS NULL)
                        OR abs(a.posterior - e.posterior) > 1e-12) AS wrong,
       count(DISTINCT a.subject) FILTER (WHERE a.posterior IS NULL) AS impossible,
       count(*) FILTER (WHERE a.prior IS NULL) AS without_prior
FROM unnest(ARRAY['category', 'ignore']) AS nulls, unnest(ARRAY[true, false]) AS zeros,
  LATERAL (SELECT * FROM actual(jsonb_build_object('nulls', nulls, 'zeros', zeros))) AS a
  FULL JOIN LATERAL (SELECT * FROM expected(nulls) WHERE zeros OR posterior IS NULL OR posterior > 0) AS e
    ON a.subject = e.subject AND a.value IS NOT DISTINCT FROM e.value AND a.records = e.records
GROUP BY nulls, zeros ORDER BY 1, 2;

-- the beliefs in a person add up to 1
SELECT count(*) AS persons, count(*) FILTER (WHERE abs(total - 1) > 1e-12) AS wrong
FROM (SELECT sum(posterior) AS total FROM actual('{"zeros": true}') GROUP BY subject HAVING min(posterior) IS NOT NULL) AS t;

-- no knowledge: several sensitive columns, values ruled out.  The worst of a
-- class is r_1 over its records less the largest others.
SELECT exclude, nulls, count(*) AS classes, count(*) FILTER (WHERE worst IS DISTINCT FROM expected) AS wrong,
       round(max(worst)::numeric, 4) AS worst, sum(n) FILTER (WHERE worst = 1) AS records_certain
FROM unnest(ARRAY[0, 1, 2, 9]) AS exclude, unnest(ARRAY['category', 'ignore']) AS nulls,
  LATERAL (
    SELECT a, b, sum(n) AS n, max(n)::float8
           / (sum(n) - coalesce(sum(n) FILTER (WHERE place BETWEEN 2 AND exclude + 1), 0))::float8 AS expected
    FROM (SELECT a, b, count(*) AS n, row_number() OVER (PARTITION BY a, b ORDER BY count(*) DESC) AS place
          FROM release WHERE nulls = 'category' OR s IS NOT NULL GROUP BY a, b, s) AS c
    GROUP BY a, b) AS e
  FULL JOIN LATERAL (
    SELECT subject, max(posterior) AS worst
    FROM sdc.posterior('release', NULL, '{a,b}', '{u,s}', jsonb_build_object('exclude', exclude, 'nulls', nulls))
    WHERE sensitive = 's' GROUP BY subject) AS p
    ON p.subject::jsonb = jsonb_build_object('a', e.a::text, 'b', e.b)
GROUP BY exclude, nulls ORDER BY 1, 2;
SELECT sensitive, count(*) AS rows, sum(records) AS records, count(*) FILTER (WHERE posterior = 0) AS zeros,
       round(sum(posterior)) = count(DISTINCT subject) AS adds_up
FROM sdc.posterior('release', NULL, '{a,b}', '{u,s}', '{"zeros": true}') GROUP BY sensitive;
SELECT count(*) AS wrong
FROM sdc.posterior('release', NULL, '{a,b}', '{u}') AS p
JOIN (SELECT u::text AS value, count(*) / 180.0::float8 AS share FROM release GROUP BY u) AS f USING (value)
WHERE prior <> share;

-- what is a disclosure
SELECT count(*) AS rows,
       count(*) FILTER (WHERE disclosure IS DISTINCT FROM nullif(concat_ws(', ',
         CASE WHEN posterior > 0.8 OR posterior = 1 THEN 'positive' END, CASE WHEN posterior < 0.3 THEN 'negative' END,
         CASE WHEN prior < 0.4 AND posterior > 0.6 THEN 'breach' END), '')) AS wrong,
       array_agg(DISTINCT disclosure ORDER BY disclosure) AS found
FROM sdc.posterior('release', 'knowledge', '{a,b}', '{s}',
  '{"map": {"a": "a2", "b": "b2", "s": "S"}, "known": "exact A", "delta": 0.2, "epsilon": 0.3, "rho1": 0.4, "rho2": 0.6}');
SELECT count(*) AS rows, array_agg(DISTINCT disclosure ORDER BY disclosure) AS found
FROM sdc.posterior('release', NULL, '{a,b}', '{s}', '{"delta": 0.5, "only_disclosed": true}');

-- neither the order of rows nor who counts changes a bit
CREATE TABLE shuffled AS SELECT * FROM knowledge ORDER BY md5(knowledge::text);
CREATE VIEW both_ways AS
SELECT ARRAY(SELECT p FROM sdc.posterior('release', 'knowledge', '{a,b}', '{s}',
               '{"map": {"a": "a2", "b": "b2", "s": "S"}, "known": "more", "weight": "w"}') AS p) AS sorted,
       ARRAY(SELECT p FROM sdc.posterior('release', 'shuffled', '{a,b}', '{s}',
               '{"map": {"a": "a2", "b": "b2", "s": "S"}, "known": "more", "weight": "w"}') AS p) AS shuffled;
SELECT cardinality(sorted) > 0 AS found, sorted = shuffled AS same FROM both_ways;
CREATE TEMP TABLE by_rows AS SELECT sorted FROM both_ways;
SET sdc.count_with = groups;
SELECT b.sorted = r.sorted AS same_groups FROM both_ways AS b, by_rows AS r;
RESET sdc.count_with;

-- declared roles; the weight of external is taken from its declaration
SELECT sdc.declare('release', id => 'id', keys => '{a}', sensitive => '{u}');
SELECT count(*) FROM sdc.posterior('release');
ALTER TABLE known RENAME people TO n;
SELECT sdc.declare('known', weight => 'n');
SELECT DISTINCT value, prior FROM sdc.posterior('inp4', 'known', '{zip,age}', '{disease}', '{"known": ["origin", "share"]}')
WHERE subject::jsonb ->> 'origin' = 'Japanese' ORDER BY prior, value;

-- views, materialized views and partitions can be read, and only what the
-- caller may read
CREATE TABLE parted (LIKE release) PARTITION BY LIST (u);
CREATE TABLE parted_0 PARTITION OF parted FOR VALUES IN (0, 1);
CREATE TABLE parted_2 PARTITION OF parted DEFAULT;
INSERT INTO parted SELECT * FROM release;
CREATE MATERIALIZED VIEW stored AS SELECT * FROM release;
SELECT (SELECT array_agg(p) FROM sdc.posterior('release', NULL, '{a,b}', '{s}') AS p)
     = (SELECT array_agg(p) FROM sdc.posterior('parted', NULL, '{a,b}', '{s}') AS p) AS same_parted,
       (SELECT array_agg(p) FROM sdc.posterior('release', NULL, '{a,b}', '{s}') AS p)
     = (SELECT array_agg(p) FROM sdc.posterior('stored', NULL, '{a,b}', '{s}') AS p) AS same_stored;
CREATE ROLE regress_sdc_posterior;
GRANT USAGE ON SCHEMA sdc TO regress_sdc_posterior;
GRANT SELECT (a, b, s) ON release TO regress_sdc_posterior;
GRANT SELECT (a, b) ON parted TO regress_sdc_posterior;
SET ROLE regress_sdc_posterior;
SELECT count(*) > 0 AS readable FROM sdc.posterior('release', 'release', '{a}', '{s}', '{"known": "b"}');
SELECT * FROM sdc.posterior('release', 'release', '{a}', '{s}', '{"known": "u"}');
SELECT * FROM sdc.posterior('release', 'parted', '{a}', '{s}');
RESET ROLE;
REVOKE ALL ON release, parted FROM regress_sdc_posterior;
REVOKE USAGE ON SCHEMA sdc FROM regress_sdc_posterior;
DROP ROLE regress_sdc_posterior;
DROP MATERIALIZED VIEW stored;
DROP TABLE parted;

-- nothing to count
CREATE TABLE nothing (LIKE release);
SELECT * FROM sdc.posterior('nothing', NULL, '{a}', '{s}');
SELECT * FROM sdc.posterior('release', 'nothing', '{a}', '{s}');
SELECT subject, value, posterior, records FROM sdc.posterior('nothing', 'release', '{u}', '{s}') LIMIT 2;

-- arguments
SELECT * FROM sdc.posterior(NULL, NULL, '{a}', '{s}');
SELECT * FROM sdc.posterior('inp4', NULL, '{zip}');
SELECT * FROM sdc.posterior('inp4', NULL, NULL, '{disease}');
SELECT * FROM sdc.posterior('inp4', NULL, '{zip,disease}', '{disease}');
SELECT * FROM sdc.posterior('inp4', 'knowledge', '{zip}', '{disease}');
SELECT * FROM sdc.posterior('inp4', 'inp', '{zip,age}', '{disease}');
SELECT * FROM sdc.posterior('inp4', 'inp', '{zip}', '{disease}', '{"weight": "nation"}');
SELECT * FROM sdc.posterior('inp4', 'inp', '{zip}', '{disease}', '{"weight": "nations"}');
SELECT * FROM sdc.posterior('inp4', 'inp', '{zip}', '{disease}', '{"known": "disease"}');
SELECT * FROM sdc.posterior('inp4', 'inp', '{zip}', '{disease}', '{"known": ["age", "age"]}');
SELECT * FROM sdc.posterior('inp4', 'inp', '{zip}', '{disease}', '{"known": []}');
SELECT * FROM sdc.posterior('inp4', 'inp', '{zip}', '{disease}', '{"known": [1]}');
SELECT * FROM sdc.posterior('inp4', 'inp', '{zip}', '{disease}', '{"known": {"a": "b"}}');
SELECT * FROM sdc.posterior('inp4', 'inp', '{zip}', '{disease}', '{"map": {"zip": "nope"}}');
SELECT * FROM sdc.posterior('inp4', 'inp', '{zip}', '{disease}', '{"map": {"zap": "zip"}}');
SELECT * FROM sdc.posterior('inp4', 'inp', '{zip}', '{disease}', '{"map": {"zip": "disease"}}');
SELECT * FROM sdc.posterior('inp4', 'inp', '{zip}', '{disease}', '{"map": {"zip": 1}}');
SELECT * FROM sdc.posterior('inp4', 'inp', '{zip}', '{disease}', '{"map": ["zip"]}');
SELECT * FROM sdc.posterior('inp4', NULL, '{zip}', '{disease}', '{"known": "age"}');
SELECT * FROM sdc.posterior('inp4', NULL, '{zip}', '{disease}', '{"rho1": 0.1}');
SELECT * FROM sdc.posterior('inp4', NULL, '{zip}', '{disease}', '{"rho1": 0.4, "rho2": 0.3}');
SELECT * FROM sdc.posterior('inp4', NULL, '{zip}', '{disease}', '{"delta": 1.5}');
SELECT * FROM sdc.posterior('inp4', NULL, '{zip}', '{disease}', '{"exclude": -1}');
SELECT * FROM sdc.posterior('inp4', NULL, '{zip}', '{disease}', '{"nulls": "wildcard"}');
SELECT * FROM sdc.posterior('inp4', NULL, '{zip}', '{disease}', '{"rho": 1}');
CREATE TABLE heavy AS SELECT '130**' AS zip, 'Cancer' AS disease, 1.7e308::float8 AS w FROM generate_series(1, 3);
SELECT * FROM sdc.posterior('inp4', 'heavy', '{zip}', '{disease}', '{"weight": "w"}');
UPDATE heavy SET w = -1;
SELECT * FROM sdc.posterior('inp4', 'heavy', '{zip}', '{disease}', '{"weight": "w"}');

DROP FUNCTION expected, actual, draw;
DROP VIEW both_ways, known_0, known_2, known_50, inp4;
DROP TABLE inp, anatomy, known, release, knowledge, shuffled, by_rows, nothing, heavy;
