-- lattice: every node and the best one, against plain SQL.

\set SHOW_CONTEXT never

CREATE SCHEMA lattices;
SET search_path = lattices, public;

-- Twelve inpatients (Machanavajjhala et al. 2007); zip 0..3, age 0..3, nation 0..1
CREATE TABLE inp (id int PRIMARY KEY, zip text, age int, nation text, disease text);
INSERT INTO inp VALUES
(1, '13053', 28, 'Russian', 'Heart Disease'), (2, '13068', 29, 'American', 'Heart Disease'),
(3, '13068', 21, 'Japanese', 'Viral Infection'), (4, '13053', 23, 'American', 'Viral Infection'),
(5, '14853', 50, 'Indian', 'Cancer'), (6, '14853', 55, 'Russian', 'Heart Disease'),
(7, '14850', 47, 'American', 'Viral Infection'), (8, '14850', 49, 'American', 'Viral Infection'),
(9, '13053', 31, 'American', 'Cancer'), (10, '13053', 37, 'Indian', 'Cancer'),
(11, '13068', 36, 'Japanese', 'Cancer'), (12, '13068', 35, 'American', 'Cancer');
SELECT sdc.create_hierarchy('inp_zip', 'prefix', '{"length": 5, "keep": [4, 3]}');
SELECT sdc.create_hierarchy('inp_age', 'interval', '{"levels": [[30, 40], [40]]}');
\set h '"hierarchies": {"zip": "inp_zip", "age": "inp_age"}'

CREATE TABLE found AS
SELECT 'k' AS model, n.* FROM sdc.lattice('inp', '{zip,age,nation}', k => 4,
    params => format('{%s, "all": true}', :'h')::jsonb) AS n
UNION ALL
SELECT 'kl', n.* FROM sdc.lattice('inp', '{zip,age,nation}', '{disease}', k => 4, l => 3,
    params => format('{%s, "all": true}', :'h')::jsonb) AS n;
-- EX-LAT-1 and 2: anonymous nodes, and those below which there is none
SELECT model, max(nodes) AS nodes, count(*) AS listed,
       count(*) FILTER (WHERE anonymous) AS anonymous,
       string_agg(node::text, ' ' ORDER BY node) FILTER (WHERE anonymous AND NOT EXISTS (
           SELECT FROM found AS m WHERE m.model = f.model AND m.anonymous AND m.node <> f.node
              AND m.node[1] <= f.node[1] AND m.node[2] <= f.node[2] AND m.node[3] <= f.node[3])) AS minimal
FROM found AS f GROUP BY model ORDER BY model;
-- the optimal ones without the list are the optimal ones of the list
SELECT node, levels, optimal, round(score::numeric, 6) AS score, score = bound AS proven, suppressed, classes, smallest_class
FROM sdc.lattice('inp', '{zip,age,nation}', k => 4, params => format('{%s}', :'h')::jsonb);
SELECT node, round(score::numeric, 6) AS score FROM found WHERE model = 'k' AND optimal;
SELECT node, round(score::numeric, 6) AS score FROM found WHERE model = 'kl' AND optimal;

-- A table of the project's own: shares by width, by table and by values.
CREATE TABLE people AS
SELECT i AS id, 20 + (i * i * 7 + i / 3) % 40 AS age,
       (ARRAY['Private', 'Self', 'Federal', 'Local'])[1 + (i * i / 5) % 4] AS work,
       CASE WHEN i % 3 = 0 THEN 'f' ELSE 'm' END AS sex,
       (ARRAY['flu', 'hiv', 'ulcer', 'cough', 'fever'])[1 + (i * 13 / 7) % 5] AS illness,
       (i * i) % 7 AS grade
FROM generate_series(1, 200) AS i;
SELECT sdc.create_hierarchy('p_age', 'numeric', '{"widths": [5, 10, 20], "domain": [20, 60]}');
SELECT sdc.create_hierarchy('p_work', 'table', '{"rows": [["Private", "Own", "*"],
    ["Self", "Own", "*"], ["Federal", "State", "*"], ["Local", "State", "*"], ["None", "None", "*"]]}');
\set hp '"hierarchies": {"age": "p_age", "work": "p_work"}'

-- By brute force: classes of each node, with the parts of the domain they have.
CREATE VIEW general AS
SELECT a.l AS la, w.l AS lw, s.l AS ls, p.id, p.illness, p.grade,
       sdc.generalize(p.age, 'p_age', a.l) AS age, sdc.generalize(p.work, 'p_work', w.l) AS work,
       CASE WHEN s.l = 0 THEN p.sex ELSE '*' END AS sex,
       (ARRAY[0, 5, 10, 20, 40])[a.l + 1] / 40.0::float8 AS share_age,
       CASE w.l WHEN 0 THEN 0.2 WHEN 1 THEN 0.4 ELSE 1 END::float8 AS share_work,
       CASE s.l WHEN 0 THEN 0.5 ELSE 1 END::float8 AS share_sex
FROM people AS p, generate_series(0, 4) AS a (l), generate_series(0, 2) AS w (l), generate_series(0, 1) AS s (l);
CREATE TABLE class AS
SELECT la, lw, ls, age, work, sex, count(*) AS n, count(DISTINCT illness) AS l,
       share_age, share_work, share_sex
FROM general GROUP BY 1, 2, 3, 4, 5, 6, 9, 10, 11;
-- equal and ordered distance of each class from the table
CREATE TABLE far AS
WITH q AS (SELECT v, count(*) FILTER (WHERE g.grade = v) / 200.0::float8 AS q
           FROM people AS g, generate_series(0, 6) AS v WHERE v IN (SELECT grade FROM people) GROUP BY v),
d AS (SELECT c.la, c.lw, c.ls, c.age, c.work, c.sex, q.v,
             (SELECT count(*) FROM general AS g WHERE (g.la, g.lw, g.ls, g.age, g.work, g.sex) = (c.la, c.lw, c.ls, c.age, c.work, c.sex)
                 AND g.grade = q.v)::float8 / c.n - q.q AS d
      FROM class AS c, q WHERE c.la >= 3)
SELECT la, lw, ls, age, work, sex, sum(abs(d)) / 2 AS equal,
       sum(abs(c)) / (count(*) - 1) AS ordered
FROM (SELECT *, sum(d) OVER (PARTITION BY la, lw, ls, age, work, sex ORDER BY v) AS c FROM d) AS s
GROUP BY 1, 2, 3, 4, 5, 6;

-- suppressed records and classes of all nodes
CREATE FUNCTION by_force(k int, l float8) RETURNS TABLE (node int[], suppressed bigint, classes bigint, smallest bigint, loss float8, dm float8, aecs float8, prec float8)
LANGUAGE sql AS $$
SELECT ARRAY[la, lw, ls], sup::bigint, kept::bigint, smallest,
       ((1 + (a + sup) / 200) * (1 + (w + sup - 40) / 160) * (1 + (s + sup - 100) / 100)) ^ (1 / 3.0::float8) - 1,
       dm, 200.0::float8 / (kept + CASE WHEN sup > 0 THEN 1 ELSE 0 END),
       (((200 - sup) * la / 4.0 + sup) + ((200 - sup) * lw / 2.0 + sup) + ((200 - sup) * ls + sup)) / 600
FROM (SELECT la, lw, ls,
             coalesce(sum(n) FILTER (WHERE NOT ok), 0)::float8 AS sup, count(*) FILTER (WHERE ok) AS kept, min(n) FILTER (WHERE ok) AS smallest,
             coalesce(sum(n * share_age) FILTER (WHERE ok), 0) AS a, coalesce(sum(n * share_work) FILTER (WHERE ok), 0) AS w,
             coalesce(sum(n * share_sex) FILTER (WHERE ok), 0) AS s,
             sum(CASE WHEN ok THEN n * n ELSE 200 * n END)::float8 AS dm
      FROM (SELECT *, n >= $1 AND (class.l >= $2 OR $2 IS NULL) AS ok FROM class) AS c
      GROUP BY 1, 2, 3) AS q $$;

CREATE FUNCTION compared(k int, l float8, suppression float8, metric text)
RETURNS TABLE (nodes bigint, same bigint, anonymous bigint, worst numeric, optimum bigint) LANGUAGE sql AS $$
WITH f AS (SELECT * FROM sdc.lattice('people', '{age,work,sex}', CASE WHEN $2 IS NULL THEN NULL ELSE '{illness}'::name[] END, $1, l => $2,
               params => format('{"hierarchies": {"age": "p_age", "work": "p_work"}, "all": true, "suppression": %s, "metric": "%s"}', $3, $4)::jsonb)),
b AS (SELECT *, CASE $4 WHEN 'loss' THEN loss WHEN 'discernibility' THEN dm WHEN 'aecs' THEN aecs
                        WHEN 'precision' THEN prec WHEN 'height' THEN node[1] + node[2] + node[3] END AS s FROM by_force($1, $2))
SELECT count(*), count(*) FILTER (WHERE f.suppressed = b.suppressed AND f.classes = b.classes AND f.smallest_class IS NOT DISTINCT FROM b.smallest
                                    AND f.anonymous = (b.suppressed <= floor(2 * $3))),
       count(*) FILTER (WHERE f.anonymous),
       round(max(abs(f.score - b.s) / b.s) FILTER (WHERE f.anonymous AND b.s > 0)::numeric, 9),
       count(*) FILTER (WHERE f.optimal AND abs(b.s - (SELECT min(s) FROM b AS m WHERE m.suppressed <= floor(2 * $3))) > 1e-9 * b.s)
FROM f JOIN b USING (node) $$;
SELECT m.metric, s.suppression, c.* FROM unnest('{loss,aecs,discernibility,precision,height}'::text[]) AS m (metric),
    unnest('{0,5,100}'::float8[]) AS s (suppression), compared(3, NULL, s.suppression, m.metric) AS c;
SELECT s.suppression, c.* FROM unnest('{0,10}'::float8[]) AS s (suppression), compared(2, 3, s.suppression, 'loss') AS c;

-- t: by both distances, on the nodes where age is coarse
SELECT t.t, t.method, count(*) AS nodes,
       count(*) FILTER (WHERE n.suppressed = (SELECT coalesce(sum(c.n), 0) FROM class AS c JOIN far USING (la, lw, ls, age, work, sex)
           WHERE ARRAY[la, lw, ls] = n.node AND (c.n < 2 OR CASE t.method WHEN 'equal' THEN far.equal ELSE far.ordered END > t.t * (1 + 1e-9)))) AS same,
       count(*) FILTER (WHERE anonymous) AS anonymous
FROM (VALUES (0.3, 'equal'), (0.15, 'equal'), (0.1, 'ordered')) AS t (t, method),
     sdc.lattice('people', '{age,work,sex}', '{grade}', t => t.t, params => format('{%s, "all": true, "levels": {"age": [3, 4]},
         "t_method": "%s"}', '"hierarchies": {"age": "p_age", "work": "p_work"}', t.method)::jsonb) AS n
GROUP BY 1, 2 ORDER BY 2, 1;

-- and by a hierarchy of the sensitive column: the mean of the equal distance on its levels
SELECT sdc.create_hierarchy('p_illness', 'table', '{"rows": [["flu", "lung", "*"], ["cough", "lung", "*"],
    ["ulcer", "other", "*"], ["hiv", "other", "*"], ["fever", "other", "*"]]}');
WITH q AS (SELECT l, v, count(*) / 200.0::float8 AS q FROM generate_series(0, 1) AS l, people, sdc.generalize(illness, 'p_illness', l) AS v GROUP BY 1, 2),
d AS (SELECT c.la, c.lw, c.ls, c.n, (SELECT sum(abs(coalesce(p.p, 0) / c.n - q.q)) / 4 FROM q LEFT JOIN LATERAL (
               SELECT count(*)::float8 AS p FROM general AS g WHERE (g.la, g.lw, g.ls, g.age, g.work, g.sex) = (c.la, c.lw, c.ls, c.age, c.work, c.sex)
                  AND sdc.generalize(g.illness, 'p_illness', q.l) = q.v) AS p ON true) AS d
      FROM class AS c WHERE c.la >= 3)
SELECT count(*) AS nodes, count(*) FILTER (WHERE n.suppressed = (SELECT coalesce(sum(d.n), 0) FROM d WHERE ARRAY[la, lw, ls] = n.node AND (d.n < 2 OR d.d > 0.12))) AS same,
       count(*) FILTER (WHERE anonymous) AS anonymous
FROM sdc.lattice('people', '{age,work,sex}', '{illness}', t => 0.12, params => format('{%s, "all": true, "levels": {"age": [3, 4]},
    "t_method": "hierarchical:p_illness"}', :'hp')::jsonb) AS n;

-- Weights and levels: to generalize a key of weight 0 costs nothing
SELECT levels FROM sdc.lattice('people', '{age,work,sex}', k => 5, params => format('{%s, "suppression": 2, "weights": {"age": 0}}', :'hp')::jsonb);
SELECT levels FROM sdc.lattice('people', '{age,work,sex}', k => 5, params => format('{%s, "suppression": 2, "weights": {"work": 0.1, "age": 1, "sex": 0}}', :'hp')::jsonb);
SELECT bool_and(node[1] BETWEEN 1 AND 2 AND node[2] = 1) AS within, count(*) AS nodes
FROM sdc.lattice('people', '{age,work,sex}', params => format('{%s, "all": true, "levels": {"age": [1, 2], "work": 1}}', :'hp')::jsonb);

-- A search that is stopped says how far it came
SELECT checked <= 1 AS stopped, optimal, bound <= score OR score IS NULL AS bounded
FROM sdc.lattice('people', '{age,work,sex}', k => 5, params => format('{%s, "suppression": 2, "max_checks": 1}', :'hp')::jsonb);
-- and when nothing will do, that
SELECT node, anonymous, optimal, bound, nodes FROM sdc.lattice('people', '{age,work,sex}', '{illness}', l => 6,
    params => format('{%s}', :'hp')::jsonb);

-- NULL is one more value, and * where all are *
CREATE TABLE holes AS SELECT id, CASE WHEN id % 10 > 0 THEN age END AS age, CASE WHEN id % 7 > 0 THEN 'yes' END AS flag FROM people;
SELECT count(*) AS nodes, count(*) FILTER (WHERE n.suppressed = b.suppressed AND n.classes = b.classes) AS same
FROM sdc.lattice('holes', '{age,flag}', k => 3, params => '{"hierarchies": {"age": "p_age"}, "all": true, "suppression": 100}') AS n,
LATERAL (SELECT coalesce(sum(c) FILTER (WHERE c < 3), 0) AS suppressed, count(*) FILTER (WHERE c >= 3) AS classes
         FROM (SELECT count(*) AS c FROM (SELECT CASE WHEN n.node[1] = 4 THEN '*' ELSE sdc.generalize(age, 'p_age', n.node[1]) END AS age,
                                                 CASE WHEN n.node[2] = 1 THEN '*' ELSE flag END AS flag FROM holes) AS g GROUP BY age, flag) AS s) AS b;

-- Order of rows, views, partitions, plans and prepared statements change nothing
CREATE VIEW seen AS SELECT * FROM people ORDER BY id DESC;
CREATE TABLE parts (LIKE people) PARTITION BY LIST (sex);
CREATE TABLE parts_f PARTITION OF parts FOR VALUES IN ('f');
CREATE TABLE parts_m PARTITION OF parts FOR VALUES IN ('m');
INSERT INTO parts SELECT * FROM people;
SELECT DISTINCT node, round(score::numeric, 9) AS score FROM (
    SELECT * FROM sdc.lattice('people', '{age,work,sex}', k => 4, params => format('{%s, "suppression": 3}', :'hp')::jsonb)
    UNION ALL SELECT * FROM sdc.lattice('seen', '{age,work,sex}', k => 4, params => format('{%s, "suppression": 3}', :'hp')::jsonb)
    UNION ALL SELECT * FROM sdc.lattice('parts', '{age,work,sex}', k => 4, params => format('{%s, "suppression": 3}', :'hp')::jsonb)) AS u;
PREPARE one (int) AS SELECT node FROM sdc.lattice('people', '{age,work,sex}', k => $1, params => '{"hierarchies": {"age": "p_age", "work": "p_work"}, "suppression": 3}');
EXECUTE one (4);
SET plan_cache_mode = force_generic_plan;
EXECUTE one (4);
RESET plan_cache_mode;
SET sdc.count_with = groups;
EXECUTE one (4);
RESET sdc.count_with;
CREATE TABLE "Od""d; --" ("a'; DROP" text, "b c" text);
INSERT INTO "Od""d; --" SELECT i % 3, i % 2 FROM generate_series(1, 20) AS i;
SELECT node, levels FROM sdc.lattice('"Od""d; --"', ARRAY['a''; DROP', 'b c']::name[], k => 4) ORDER BY node;

-- Declared columns
SELECT sdc.declare('people', keys => '{age,work,sex}', sensitive => '{illness}');
SELECT node FROM sdc.lattice('people', k => 2, l => 2, params => format('{%s, "suppression": 3}', :'hp')::jsonb);

-- Errors: the column and the position, never a value
SELECT * FROM sdc.lattice(NULL, '{age}');
SELECT * FROM sdc.lattice('people', '{age}', k => NULL);
SELECT * FROM sdc.lattice('people', '{age}', k => 0);
SELECT * FROM sdc.lattice('people', '{age}', k => 201);
SELECT * FROM sdc.lattice('people', '{agee}');
SELECT * FROM sdc.lattice('people', '{age,illness}', '{illness}', l => 2);
SELECT * FROM sdc.lattice('people', '{age,illness}', '{illness}');
SELECT * FROM sdc.lattice('inp', '{age}', l => 2);
SELECT * FROM sdc.lattice('people', '{age}', '{illness}', variant => 'entropy');
SELECT * FROM sdc.lattice('people', '{age}', '{illness}', l => 2, variant => 'recursive');
SELECT * FROM sdc.lattice('people', '{age}', '{illness}', c => 2, l => 2);
SELECT * FROM sdc.lattice('people', '{age}', '{illness}', t => 1.5);
SELECT * FROM sdc.lattice('people', '{age}', '{illness}', t => 'NaN');
SELECT * FROM sdc.lattice('people', '{age}', '{illness}', t => 0.5, params => '{"t_method": "far"}');
SELECT * FROM sdc.lattice('people', '{age}', params => '{"t_method": "equal"}');
SELECT * FROM sdc.lattice('people', '{age}', params => '{"hierarchy": {"age": "p_age"}}');
SELECT * FROM sdc.lattice('people', '{age}', params => '{"hierarchies": {"agee": "p_age"}}');
SELECT * FROM sdc.lattice('people', '{age}', params => '{"hierarchies": {"age": "none"}}');
SELECT * FROM sdc.lattice('people', '{age}', params => '{"hierarchies": {"age": "p_age"}, "levels": {"age": [2, 5]}}');
SELECT * FROM sdc.lattice('people', '{age}', params => '{"levels": {"age": [2, 1]}}');
SELECT * FROM sdc.lattice('people', '{age}', params => '{"levels": {"age": 2}}');
SELECT * FROM sdc.lattice('people', '{age}', params => '{"weights": {"age": -1}}');
SELECT * FROM sdc.lattice('people', '{age}', params => '{"weights": {"age": 0}}');
SELECT * FROM sdc.lattice('people', '{age}', params => '{"metric": "beauty"}');
SELECT * FROM sdc.lattice('people', '{age}', params => '{"metric": "aecs", "mean": "sum"}');
SELECT * FROM sdc.lattice('people', '{age}', params => '{"suppression": 101}');
SELECT * FROM sdc.lattice('people', '{work}', params => '{"hierarchies": {"work": "p_age"}}');
SELECT * FROM sdc.lattice('people', '{work,age}', params => '{"metric": "ebil", "hierarchies": {"age": "p_age"}}');
INSERT INTO holes VALUES (0, 77, 'yes');
SELECT * FROM sdc.lattice('holes', '{flag,age}', params => '{"hierarchies": {"age": "p_age"}}');
\set SHOW_CONTEXT always
SELECT * FROM sdc.lattice('holes', '{flag,age}', params => '{"hierarchies": {"age": "p_age"}}');
\set SHOW_CONTEXT never
TRUNCATE holes;
SELECT * FROM sdc.lattice('holes', '{age,flag}');
-- a lattice that is too large to list, and one that is too large at all
DO $$
DECLARE columns text := (SELECT string_agg(format('c%s int', i), ', ') FROM generate_series(1, 64) AS i);
BEGIN EXECUTE format('CREATE TABLE wide (%s)', columns); END $$;
INSERT INTO wide DEFAULT VALUES;
INSERT INTO wide DEFAULT VALUES;
SELECT * FROM sdc.lattice('wide', (SELECT array_agg('c' || i)::name[] FROM generate_series(1, 21) AS i), params => '{"all": true}');
SELECT * FROM sdc.lattice('wide', (SELECT array_agg('c' || i)::name[] FROM generate_series(1, 63) AS i));
-- more keys than any lattice has; local recoding takes them
ALTER TABLE wide ADD c65 int, ADD id serial;
SELECT * FROM sdc.lattice('wide', (SELECT array_agg('c' || i)::name[] FROM generate_series(1, 65) AS i));
SELECT value FROM sdc.recode_locally('wide', 'narrow', 'id', (SELECT array_agg('c' || i)::name[] FROM generate_series(1, 65) AS i)) WHERE measure = 'k_anonymity';

-- Rights and row-level security
CREATE ROLE sdc_lattice_reader;
GRANT USAGE ON SCHEMA lattices TO sdc_lattice_reader;
GRANT SELECT (age, sex) ON people TO sdc_lattice_reader;
SET ROLE sdc_lattice_reader;
SELECT node FROM sdc.lattice('people', '{sex}', k => 4);
SELECT node FROM sdc.lattice('people', '{work}', k => 4);
RESET ROLE;
GRANT SELECT ON people TO sdc_lattice_reader;
ALTER TABLE people ENABLE ROW LEVEL SECURITY;
CREATE POLICY half ON people USING (id <= 100);
SET ROLE sdc_lattice_reader;
SELECT node FROM sdc.lattice('people', '{sex}', k => 4);
SELECT node FROM sdc.lattice('people', '{sex}', k => 4, params => '{"rls": "allow"}');
RESET ROLE;

SET client_min_messages = warning;
DROP SCHEMA lattices CASCADE;
SELECT sdc.drop_hierarchy(h) FROM unnest('{inp_zip,inp_age,p_age,p_work,p_illness}'::text[]) AS h;
DROP ROLE sdc_lattice_reader;
