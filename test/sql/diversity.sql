-- diversity: what the sensitive values of classes give away, against plain SQL.

-- EX-LD: 12 inpatients, in the 4-anonymous and in the 3-diverse table
CREATE TABLE inp(id int PRIMARY KEY, zip text, age int, nation text, disease text);
INSERT INTO inp VALUES
  (1,'13053',28,'Russian','Heart Disease'), (2,'13068',29,'American','Heart Disease'),
  (3,'13068',21,'Japanese','Viral Infection'), (4,'13053',23,'American','Viral Infection'),
  (5,'14853',50,'Indian','Cancer'), (6,'14853',55,'Russian','Heart Disease'),
  (7,'14850',47,'American','Viral Infection'), (8,'14850',49,'American','Viral Infection'),
  (9,'13053',31,'American','Cancer'), (10,'13053',37,'Indian','Cancer'),
  (11,'13068',36,'Japanese','Cancer'), (12,'13068',35,'American','Cancer');
CREATE VIEW inp4 AS
SELECT id, left(zip,3)||'**' zip, CASE WHEN age<30 THEN '<30' WHEN age<40 THEN '3*' ELSE '>=40' END age, '*' nation, disease FROM inp;
CREATE VIEW inp3 AS
SELECT id, left(zip,4)||'*' zip, CASE WHEN age<=40 THEN '<=40' ELSE '>40' END age, '*' nation, disease FROM inp;
SELECT sdc.k_anonymity(ROW(zip, age, nation)) || '/' || sdc.l_diversity(ROW(zip, age, nation), disease) || '/'
    || round(sdc.l_diversity(ROW(zip, age, nation), disease, 'entropy')::numeric, 4) || '/'
    || sdc.l_diversity(ROW(zip, age, nation), disease, 'frequency') AS "EX-LD-1 inp4: 4/1/1.0000/1"
FROM inp4;
SELECT sdc.k_anonymity(ROW(zip, age, nation)) || '/' || sdc.l_diversity(ROW(zip, age, nation), disease) || '/'
    || round(sdc.l_diversity(ROW(zip, age, nation), disease, 'entropy')::numeric, 4) || '/'
    || sdc.l_diversity(ROW(zip, age, nation), disease, 'frequency') AS "EX-LD-1 inp3: 4/3/2.8284/2"
FROM inp3;
SELECT round(sdc.l_entropy(disease)::numeric, 4) AS "EX-LD-2: 2.9375" FROM inp;
SELECT bool_and(a) AS "EX-LD-3 (2,3): f", bool_and(b) AS "(3,3): t", min(l) AS l_of_2
FROM (SELECT sdc.is_recursive(disease, 2, 3) AS a, sdc.is_recursive(disease, 3, 3) AS b,
             sdc.l_recursive(disease, 2) AS l FROM inp3 GROUP BY zip, age) AS s;
SELECT round(sdc.t_closeness(ROW(zip, age), disease)::numeric, 6) AS "EX-LD-4 inp4: 0.583333" FROM inp4;
SELECT round(sdc.t_closeness(ROW(zip, age), disease, 'equal')::numeric, 6) AS "EX-LD-4 inp3: 0.166667" FROM inp3;

-- EX-LD-8: healthy 8, flu 2, hiv 1, cancer 1, of which healthy may be disclosed
CREATE TABLE block AS
SELECT v FROM (VALUES ('healthy', 8), ('flu', 2), ('hiv', 1), ('cancer', 1)) AS t(v, n), generate_series(1, n);
SELECT sdc.is_recursive(v, 2, 2) AS "EX-LD-8 rec(2,2): f",
       sdc.is_pd_recursive(v, '{healthy}', 2, 2) AS "pd(2,2): t",
       sdc.is_pd_recursive(v, '{healthy}', 2, 3) AS "pd(2,3): t",
       sdc.is_pd_recursive(v, '{healthy}', 1, 3) AS "pd(1,3): f"
FROM block;
SELECT sdc.is_npd_recursive(v, '{healthy}', '{hiv}', 2, 2, 8) AS "8 %: t",
       sdc.is_npd_recursive(v, '{healthy}', '{hiv}', 2, 2, 10) AS "10 %: f",
       sdc.is_npd_recursive(v, '{healthy}', '{hiv,hiv,cancer}', 2, 2, 8) AS "twice: t",
       sdc.is_npd_recursive(v, '{healthy}', '{plague}', 2, 2, 8) AS "not there: f",
       sdc.is_npd_recursive(v, '{healthy}', '{}', 2, 2, 100) AS "none: t",
       sdc.is_npd_recursive(v, '{}', '{hiv}', 2, 2, 8) AS "not pd: f",
       sdc.is_pd_recursive(v, '{healthy,flu,hiv,cancer}', 0.1, 9) AS "all allowed: t",
       sdc.is_pd_recursive(v, '{}', 2, 2) = sdc.is_recursive(v, 2, 2) AS none_allowed
FROM block;

-- EX-MSA: {(s1,v1),(s1,v2),(s2,v3),(s3,v3)}; the paper calls S recursive (2,3)
CREATE TABLE msa(q text, s text, v text);
INSERT INTO msa VALUES ('q','s1','v1'),('q','s1','v2'),('q','s2','v3'),('q','s3','v3');
SELECT sdc.l_diversity(q, s) || '/' || sdc.l_diversity(q, v) || '/' || sdc.l_diversity(ROW(q, v), s) || '/'
    || sdc.l_diversity(ROW(q, s), v) AS "EX-MSA-1: 3/3/1/1",
       sdc.is_recursive(s, 2, 3) AS "EX-MSA-2: f", sdc.is_recursive(s, 2.001, 3) AS "above 2: t" FROM msa;
-- several sensitive columns at once: their combinations
SELECT sdc.l_distinct(ROW(s, v)), sdc.l_diversity(q, ROW(s, v)), sdc.t_closeness(s, ROW(q, v)) FROM msa;

-- EX-SAL-6, 7: frequency l by date of birth 1, by zip 2
CREATE TABLE sal_homogeneous(id int, dob text, zip text, salary int);
INSERT INTO sal_homogeneous VALUES (1,'1/21/76','53715',50000),(2,'4/13/86','53715',55000),
  (3,'2/28/76','53703',60000),(4,'1/21/76','53703',50000),(5,'4/13/86','53706',55000),(6,'2/28/76','53706',60000);
SELECT sdc.l_diversity(dob, salary, 'frequency') AS "EX-SAL-6: 1", sdc.l_diversity(zip, salary, 'frequency') AS "EX-SAL-7: 2"
FROM sal_homogeneous;

-- EX-EMD-1: salaries 3k to 11k; of {3k,4k,5k} the ordered distance is 0.375
CREATE TABLE salaries AS SELECT g AS salary, CASE WHEN g <= 5 THEN 1 WHEN g IN (6, 8, 11) THEN 2 ELSE 3 END AS class
FROM generate_series(3, 11) AS g;
SELECT sdc.t_closeness(class, salary, 'ordered') AS "EX-EMD-1: 0.375" FROM salaries;

-- one class has each count, so every figure of a block against plain SQL
CREATE TABLE people AS
SELECT i AS id, i * i % 23 AS a, nullif((i * 31 % 7)::text, '3') AS b,
       nullif((i * i / 7 * i % 13)::numeric / 2, 3) AS s
FROM generate_series(1, 1200) AS i;
CREATE VIEW cells AS SELECT a, b, s, count(*) AS n FROM people GROUP BY a, b, s;
CREATE VIEW blocks AS
SELECT a, b, sum(n) AS n, count(*) AS l, exp(-sum(n / t * ln(n / t)))::float8 AS h, (sum(n) / max(n))::float8 AS f,
       array_agg(n ORDER BY n DESC, s) AS r, array_agg(s ORDER BY n DESC, s) AS v
FROM (SELECT *, sum(n) OVER (PARTITION BY a, b) AS t FROM cells) AS c GROUP BY a, b;
CREATE FUNCTION tail(r bigint[], l int) RETURNS numeric LANGUAGE sql IMMUTABLE AS
  $$ SELECT coalesce(sum(x), 0) FROM unnest(r[l:]) AS x $$;
-- pd-recursive by its definition: y is the rank of the most frequent value that is not allowed
CREATE FUNCTION pd(r bigint[], v numeric[], allowed numeric[], c numeric, l int) RETURNS boolean LANGUAGE sql IMMUTABLE AS $$
  SELECT coalesce((
    SELECT CASE WHEN y <= l - 1 THEN r[y] < c * tail(r, l)
                ELSE r[y] < c * (SELECT coalesce(sum(r[j]), 0) FROM generate_series(l - 1, y - 1) AS j) + c * tail(r, y::int + 1) END
    FROM (SELECT min(i) AS y FROM unnest(v) WITH ORDINALITY AS u(x, i) WHERE NOT coalesce(x = ANY (allowed), false)) AS q
    WHERE y IS NOT NULL), true)
$$;
SELECT count(*) AS blocks, bool_and(g.l = o.l) AS l, bool_and(abs(g.h - o.h) < 1e-12 * o.h) AS h,
       bool_and(g.f = o.f) AS f,
       bool_and(g.r = (SELECT coalesce(max(i), 0) FROM generate_series(1, o.l) AS i WHERE o.r[1] < 1.3 * tail(o.r, i::int))) AS r,
       bool_and(g.i = (o.r[1] < 0.5 * tail(o.r, 3))) AS i, count(*) FILTER (WHERE g.i) AS true_i,
       bool_and(g.p2 = pd(o.r, o.v, '{0,1}', 0.4, 2)) AS p2, count(*) FILTER (WHERE g.p2) AS true_p2,
       bool_and(g.p5 = pd(o.r, o.v, '{0,1}', 0.4, 5)) AS p5, count(*) FILTER (WHERE g.p5) AS true_p5
FROM (SELECT a, b, sdc.l_distinct(s) AS l, sdc.l_entropy(s) AS h, sdc.l_frequency(s) AS f,
             sdc.l_recursive(s, 1.3) AS r, sdc.is_recursive(s, 0.5, 3) AS i,
             sdc.is_pd_recursive(s, '{0,1.00}', 0.4, 2) AS p2, sdc.is_pd_recursive(s, '{0,1.00}', 0.4, 5) AS p5
      FROM people GROUP BY a, b) AS g
JOIN blocks AS o ON (g.a, g.b) IS NOT DISTINCT FROM (o.a, o.b);
-- of a file it is the worst block
SELECT sdc.l_diversity(ROW(a, b), s) = (SELECT min(l) FROM blocks) AS l,
       sdc.l_diversity(ROW(a, b), s, 'distinct') = (SELECT min(l) FROM blocks) AS d,
       abs(sdc.l_diversity(ROW(a, b), s, 'entropy') - (SELECT min(h) FROM blocks)) < 1e-12 AS h,
       sdc.l_diversity(ROW(a, b), s, 'frequency') = (SELECT min(f) FROM blocks) AS f
FROM people;
-- distances with all values of the table in each class
CREATE VIEW shares AS
SELECT k.a, k.b, q.s, coalesce(c.n, 0) / k.n AS p, q.q, row_number() OVER (PARTITION BY k.a, k.b ORDER BY q.s) AS i
FROM blocks AS k
CROSS JOIN (SELECT s, count(*) / (SELECT count(*) FROM people)::numeric AS q FROM people GROUP BY s) AS q
LEFT JOIN cells AS c ON (c.a, c.b, c.s) IS NOT DISTINCT FROM (k.a, k.b, q.s);
SELECT abs(sdc.t_closeness(ROW(a, b), s) - (SELECT max(t) FROM (SELECT sum(abs(p - q)) / 2 AS t FROM shares GROUP BY a, b) AS x)) < 1e-12 AS equal,
       abs(sdc.t_closeness(ROW(a, b), s, 'ordered') - (
         SELECT max(t) FROM (
           SELECT sum(abs(d)) / (count(*) - 1) AS t
           FROM (SELECT a, b, sum(p - q) OVER (PARTITION BY a, b ORDER BY i) AS d FROM shares) AS x GROUP BY a, b) AS y)) < 1e-12 AS ordered
FROM people;

-- a hierarchy: values 0 to 11, their thirds, all; the earth mover's distance by Li et al. 2007, section 4.2: each node
-- of height h moves what its children have too much and too little, min of the two, at the cost h / 2
SELECT sdc.create_hierarchy('thirds', 'table', jsonb_build_object('rows', jsonb_agg(jsonb_build_array(i::text, 'third ' || i / 3, '*'))))
FROM generate_series(0, 11) AS i;
CREATE TABLE sick AS SELECT i % 19 AS a, i * i % 71 % 12 AS d FROM generate_series(1, 500) AS i;
CREATE VIEW extra AS
SELECT k.a, q.d, coalesce(c.n, 0) / k.n - q.q AS e
FROM (SELECT a, count(*)::numeric AS n FROM sick GROUP BY a) AS k
CROSS JOIN (SELECT d, count(*) / (SELECT count(*) FROM sick)::numeric AS q FROM sick GROUP BY d) AS q
LEFT JOIN (SELECT a, d, count(*) AS n FROM sick GROUP BY a, d) AS c USING (a, d);
CREATE VIEW moved AS
SELECT a, 0.5 * least(sum(e) FILTER (WHERE e > 0), -sum(e) FILTER (WHERE e < 0)) AS cost FROM extra GROUP BY a, d / 3
UNION ALL
SELECT a, least(sum(e) FILTER (WHERE e > 0), -sum(e) FILTER (WHERE e < 0))
FROM (SELECT a, sum(e) AS e FROM extra GROUP BY a, d / 3) AS g GROUP BY a;
SELECT count(DISTINCT d) AS values, abs(sdc.t_closeness(a, d, 'hierarchical:thirds') - (
         SELECT max(t) FROM (SELECT sum(cost) AS t FROM moved GROUP BY a) AS x)) < 1e-12 AS hierarchical,
       sdc.t_closeness(a, d, 'hierarchical:thirds') < sdc.t_closeness(a, d) AS nearer
FROM sick;
SELECT sdc.t_closeness(a, d, 'hierarchical:nothing') FROM sick;
SELECT sdc.t_closeness(a, d + 6, 'hierarchical:thirds') FROM sick;
SELECT sdc.t_closeness(a, ROW(d, d), 'hierarchical:thirds') FROM sick;
SELECT sdc.drop_hierarchy('thirds');
DROP VIEW moved, extra;
DROP TABLE sick;

-- the report on the same table agrees
SELECT r.measure, r.value = g.value AS same
FROM sdc.risk_report('people', keys => '{a,b}', sensitive => '{s}', measures => '{l_distinct,l_entropy,l_frequency,t_equal,t_ordered}') AS r
JOIN (SELECT unnest(ARRAY['l_distinct', 'l_entropy', 'l_frequency', 't_equal', 't_ordered']) AS measure,
             unnest(ARRAY[sdc.l_diversity(ROW(a, b), s), sdc.l_diversity(ROW(a, b), s, 'entropy'), sdc.l_diversity(ROW(a, b), s, 'frequency'),
                          sdc.t_closeness(ROW(a, b), s), sdc.t_closeness(ROW(a, b), s, 'ordered')]) AS value
      FROM people) AS g USING (measure) ORDER BY measure COLLATE "C";

-- merging classes never lowers them, nor makes t larger
SELECT bool_and(l >= fine_l) AS l, bool_and(h >= fine_h - 1e-12) AS h, bool_and(t <= fine_t + 1e-12) AS t, bool_and(o <= fine_o + 1e-12) AS o
FROM (SELECT m, sdc.l_diversity(ROW(a / m, b), s) AS l, sdc.l_diversity(ROW(a / m, b), s, 'entropy') AS h,
             sdc.t_closeness(ROW(a / m, b), s) AS t, sdc.t_closeness(ROW(a / m, b), s, 'ordered') AS o
      FROM people, generate_series(1, 8) AS m GROUP BY m) AS coarse,
     (SELECT sdc.l_diversity(ROW(a, b), s) AS fine_l, sdc.l_diversity(ROW(a, b), s, 'entropy') AS fine_h,
             sdc.t_closeness(ROW(a, b), s) AS fine_t, sdc.t_closeness(ROW(a, b), s, 'ordered') AS fine_o FROM people) AS fine;
SELECT bool_and(r >= fine) AS recursive
FROM (SELECT a / 4 AS m, sdc.l_recursive(s, 1.3) AS r FROM people GROUP BY 1) AS coarse
JOIN (SELECT m, min(fine) AS fine FROM (SELECT a / 4 AS m, a, sdc.l_recursive(s, 1.3) AS fine FROM people GROUP BY 1, 2) AS x
      GROUP BY m) AS y USING (m);

-- NULL is one more value; FILTER leaves it out
SELECT sdc.l_distinct(v), sdc.l_distinct(v) FILTER (WHERE v IS NOT NULL) AS known, sdc.is_pd_recursive(v, '{NULL}', 1, 2) AS null_allowed,
       sdc.is_pd_recursive(v, '{1}', 1, 2) AS one_allowed
FROM (VALUES (1), (NULL), (NULL), (NULL)) AS t(v);

-- listed values are values of the type: 1.0 is 1, t is true, and enum labels must exist
CREATE TYPE mood AS ENUM ('sad', 'ok', 'happy');
SELECT sdc.is_pd_recursive(i::numeric, '{1.0}', 0.1, 2) AS numeric, sdc.is_pd_recursive(i = 1, '{true}', 0.1, 2) AS boolean,
       sdc.is_pd_recursive('sad'::mood, '{sad}', 0.1, 2) AS enum
FROM generate_series(1, 1) AS i;
SELECT sdc.is_pd_recursive('sad'::mood, '{sat}', 1, 2) FROM generate_series(1, 1) AS i;

-- order of an enum, not of its labels
CREATE TYPE level AS ENUM ('low', 'middle', 'high');
SELECT sdc.t_closeness(c, v::level, 'ordered') AS enum_order, sdc.t_closeness(c, v, 'ordered') AS label_order
FROM (VALUES (1, 'low'), (1, 'low'), (2, 'high'), (2, 'middle')) AS t(c, v);

-- one value, one row, no rows
SELECT sdc.l_distinct(1), sdc.l_entropy(1), sdc.l_frequency(1), sdc.l_recursive(1, 2), sdc.is_recursive(1, 2, 2),
       sdc.l_diversity(1, 1), sdc.t_closeness(1, 1), sdc.t_closeness(1, 1, 'ordered') FROM generate_series(1, 1);
SELECT sdc.l_distinct(1), sdc.l_entropy(1), sdc.l_frequency(1), sdc.l_recursive(1, 2), sdc.is_recursive(1, 2, 2),
       sdc.is_pd_recursive(1, '{}', 1, 1), sdc.is_npd_recursive(1, '{}', '{}', 1, 1, 1),
       sdc.l_diversity(1, 1), sdc.l_diversity(1, 1, 'entropy'), sdc.t_closeness(1, 1) FROM generate_series(1, 0);

-- aggregates of the same arguments share their state and agree
SELECT sdc.l_distinct(s) = (SELECT sdc.l_distinct(s) FROM people) AS l, sdc.l_frequency(s) = (SELECT sdc.l_frequency(s) FROM people) AS f
FROM people;

-- constant arguments may be parameters of a prepared statement
SET plan_cache_mode = force_generic_plan;
PREPARE by_method(text, float8) AS SELECT sdc.l_diversity(a, s, $1) = (SELECT sdc.l_diversity(a, s, 'frequency') FROM people) AS same, sdc.is_recursive(s, $2, 2) FROM people;
EXECUTE by_method('frequency', 1);
EXECUTE by_method('frequency', 0.01);
EXECUTE by_method('frequency', NULL);
DEALLOCATE by_method;
RESET plan_cache_mode;

-- parallel plans and rows in any order give the same bits
CREATE TABLE many AS
SELECT i AS id, i % 3 AS region, (i * 7919 % 2011)::text AS a, (i * i % 1009)::numeric / 8 AS s FROM generate_series(1, 30000) AS i;
ANALYZE many;
CREATE VIEW figures AS
SELECT sdc.l_entropy(s) AS e, sdc.l_frequency(s) AS f, sdc.l_recursive(s, 0.01) AS r,
       sdc.is_npd_recursive(s, '{1}', '{1,1.125}', 3, 2, 0.001) AS n, sdc.l_diversity(a, s) AS l,
       sdc.l_diversity(ROW(a, region), s, 'entropy') AS h, sdc.t_closeness(a, s) AS t, sdc.t_closeness(a, s, 'ordered') AS o FROM many;
CREATE VIEW regions AS
SELECT region, sdc.l_entropy(s) AS e, sdc.t_closeness(a, s, 'ordered') AS o FROM many GROUP BY region;
SET max_parallel_workers_per_gather = 0;
CREATE TABLE serial AS SELECT * FROM figures;
CREATE TABLE serial_regions AS SELECT * FROM regions;
SET max_parallel_workers_per_gather = 2;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
SELECT (SELECT figures FROM figures)::text = (SELECT serial FROM serial)::text AS same;
SELECT (SELECT string_agg(regions::text, ' ' ORDER BY region) FROM regions)
     = (SELECT string_agg(serial_regions::text, ' ' ORDER BY region) FROM serial_regions) AS same;
RESET ALL;
SELECT b.e = serial.e AS e, b.t = serial.t AS t, b.h = serial.h AS h
FROM serial, (SELECT sdc.l_entropy(s) AS e, sdc.t_closeness(a, s) AS t, sdc.l_diversity(ROW(a, region), s, 'entropy') AS h
              FROM (SELECT * FROM many ORDER BY a, id DESC OFFSET 0) AS m) AS b(e, t, h);

-- errors
SELECT sdc.l_recursive(a, 0) FROM people;
SELECT sdc.is_recursive(a, -1, 2) FROM people;
SELECT sdc.is_recursive(a, 1, 0.5) FROM people;
SELECT sdc.is_recursive(a, 'NaN', 2) FROM people;
SELECT sdc.is_recursive(a, 1, 'Infinity') FROM people;
SELECT sdc.is_recursive(a, NULL, 2) FROM people;
SELECT sdc.is_recursive(a, a, 2) FROM people;
SELECT sdc.is_pd_recursive(a, NULL, 1, 2) FROM people;
SELECT sdc.is_pd_recursive(a, '{{1,2},{3,4}}', 1, 2) FROM people;
SELECT sdc.is_pd_recursive(a, '{x}', 1, 2) FROM people;
SELECT sdc.is_pd_recursive(ROW(a, b), '{1}', 1, 2) FROM people;
SELECT sdc.is_npd_recursive(a, '{1}', '{2}', 1, 2, 101) FROM people;
SELECT sdc.l_diversity(a, s, 'l') FROM people;
SELECT sdc.l_diversity(a, s, NULL) FROM people;
SELECT sdc.l_diversity(a, s, b) FROM people WHERE b IS NOT NULL;
SELECT sdc.t_closeness(a, s, 'near') FROM people;
SELECT sdc.t_closeness(a, x), sdc.t_closeness(a, ROW(1, x), 'ordered') FROM (SELECT a, '7'::xid AS x FROM people LIMIT 3) AS p;
SELECT sdc.l_distinct('{}'::json) FROM people;

DROP VIEW inp3, inp4, shares, blocks, cells, figures, regions;
DROP TABLE inp, block, msa, sal_homogeneous, salaries, people, many, serial, serial_regions;
DROP FUNCTION tail, pd;
DROP TYPE mood, level;
