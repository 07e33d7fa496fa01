-- cell_rules: may a cell be published, against plain SQL.

-- EX-LD-5, 6: records in cells that a coalition of 0, 1, 2 respondents learns
CREATE TABLE inp(id int PRIMARY KEY, zip text, age int, nation text, disease text);
INSERT INTO inp VALUES
  (1,'13053',28,'Russian','Heart Disease'), (2,'13068',29,'American','Heart Disease'),
  (3,'13068',21,'Japanese','Viral Infection'), (4,'13053',23,'American','Viral Infection'),
  (5,'14853',50,'Indian','Cancer'), (6,'14853',55,'Russian','Heart Disease'),
  (7,'14850',47,'American','Viral Infection'), (8,'14850',49,'American','Viral Infection'),
  (9,'13053',31,'American','Cancer'), (10,'13053',37,'Indian','Cancer'),
  (11,'13068',36,'Japanese','Cancer'), (12,'13068',35,'American','Cancer');
SELECT sum(n) FILTER (WHERE c0) || '/' || sum(n) FILTER (WHERE c1) || '/' || sum(n) FILTER (WHERE c2) AS "EX-LD-5: 4/4/12"
FROM (SELECT count(*) AS n, sdc.is_cell_disclosed(disease, 0) AS c0, sdc.is_cell_disclosed(disease, 1) AS c1,
             sdc.is_cell_disclosed(disease, 2) AS c2
      FROM inp GROUP BY left(zip, 3), CASE WHEN age < 30 THEN 1 WHEN age < 40 THEN 2 ELSE 3 END) AS inp4;
SELECT coalesce(sum(n) FILTER (WHERE c0), 0) || '/' || coalesce(sum(n) FILTER (WHERE c1), 0) || '/'
    || sum(n) FILTER (WHERE c2) AS "EX-LD-6: 0/0/12"
FROM (SELECT count(*) AS n, sdc.is_cell_disclosed(disease, 0) AS c0, sdc.is_cell_disclosed(disease, 1) AS c1,
             sdc.is_cell_disclosed(disease, 2) AS c2
      FROM inp GROUP BY left(zip, 4), age <= 40) AS inp3;
-- NULL is an answer like the others
SELECT sdc.is_cell_disclosed(v, 1), sdc.is_cell_disclosed(v, 1) FILTER (WHERE v IS NOT NULL) AS known
FROM (VALUES (1), (2), (NULL), (NULL)) AS t(v);

-- the largest contributor has 50 of 100, the two largest 80
SELECT sdc.is_dominant(v, 1, 50) AS "50 > 50: f", sdc.is_dominant(v, 1, 49.9) AS "50 > 49.9: t",
       sdc.is_dominant(v, 2, 79.99) AS t, sdc.is_dominant(v, 2, 80) AS f, sdc.is_dominant(v, 9, 99) AS all_of_them,
       sdc.is_p_percent(v, 40) AS "20 < 20: f", sdc.is_p_percent(v, 40.01) AS t
FROM (VALUES (50), (30), (15), (5)) AS t(v);
-- numbers as they are written: 0.1 of 1 is dominant at below 10 %, and not at 10 %
SELECT sdc.is_dominant(v, 1, 10) AS f, sdc.is_dominant(v, 1, 9.999999999999999) AS t
FROM (SELECT 0.1 AS v FROM generate_series(1, 10)) AS s;
SELECT sdc.is_p_percent(v, 1) AS "0.01 < 0.01 - 1e-30: f", sdc.is_p_percent(w, 1) AS "+ 1e-30: t"
FROM (VALUES (1 - 1e-28, 1 + 1e-28), (0.3, 0.3), (0.01, 0.01)) AS t(v, w);
-- far apart in size, nothing is lost: 1e40 against 1e40 + 1e-9
SELECT sdc.is_dominant(v, 1, 50) AS t, sdc.is_dominant(w, 1, 50) AS f
FROM (VALUES (1e40 + 1e-9, 1e40), (1e40, 1e40)) AS t(v, w);
-- ties, equal values that look different, one contributor, zeros, NULLs, nobody
SELECT sdc.is_dominant(v, 2, 66.6) AS t, sdc.is_dominant(v, 2, 66.7) AS f, sdc.is_p_percent(v, 100) AS "1 < 1: f"
FROM (VALUES (1.0), (1.00), (1)) AS t(v);
SELECT sdc.is_dominant(7, 1, 99), sdc.is_p_percent(7, 1), sdc.is_p_percent(7, 0) AS at_0 FROM generate_series(1, 1);
SELECT sdc.is_dominant(0, 1, 1), sdc.is_p_percent(0, 100) FROM generate_series(1, 3);
SELECT sdc.is_dominant(v, 1, 60), sdc.is_dominant(v, 1, 70) FROM (VALUES (2), (NULL), (1)) AS t(v);
SELECT sdc.is_dominant(v, 1, 60), sdc.is_p_percent(v, 60) FROM (VALUES (NULL::numeric), (NULL)) AS t(v);
SELECT sdc.is_cell_disclosed(i, 0), sdc.is_dominant(i, 1, 50), sdc.is_p_percent(i, 10) FROM generate_series(1, 0) AS i;

-- many cells against plain SQL
CREATE TABLE firms AS
SELECT i AS id, i % 97 AS cell, ((i * 7919 % 1000) ^ 3 / 1e6)::numeric(12, 3) AS v, i * i % 4 AS s FROM generate_series(1, 700) AS i;
ANALYZE firms;
CREATE VIEW cells AS
SELECT cell, sum(v) AS x, (array_agg(v ORDER BY v DESC))[1:3] AS r, count(*) AS n FROM firms GROUP BY cell;
CREATE VIEW answers AS
SELECT cell, sdc.is_dominant(v, 2, 75) AS d, sdc.is_dominant(v, 1, 33.3) AS d1, sdc.is_p_percent(v, 62.5) AS p, sdc.is_cell_disclosed(s, 3) AS c
FROM firms GROUP BY cell;
SELECT bool_and(a.d = (r[1] + r[2] > 0.75 * x)) AS d, count(*) FILTER (WHERE a.d) AS true_d,
       bool_and(a.d1 = (r[1] > 0.333 * x)) AS d1, count(*) FILTER (WHERE a.d1) AS true_d1,
       bool_and(a.p = (x - r[1] - r[2] < 0.625 * r[1])) AS p, count(*) FILTER (WHERE a.p) AS true_p,
       bool_and(a.c = (m >= n - 3)) AS c, count(*) FILTER (WHERE a.c) AS true_c
FROM answers AS a JOIN cells USING (cell)
JOIN (SELECT cell, max(m) AS m FROM (SELECT cell, s, count(*) AS m FROM firms GROUP BY cell, s) AS x GROUP BY cell) AS q USING (cell);
CREATE TABLE serial AS SELECT * FROM answers;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
SET max_parallel_workers_per_gather = 2;
SELECT (SELECT string_agg(answers::text, ' ' ORDER BY cell) FROM answers) = (SELECT string_agg(serial::text, ' ' ORDER BY cell) FROM serial) AS same;
RESET ALL;

-- errors
SELECT sdc.is_cell_disclosed(s, -1) FROM firms;
SELECT sdc.is_cell_disclosed(s, NULL) FROM firms;
SELECT sdc.is_dominant(v, 0, 50) FROM firms;
SELECT sdc.is_dominant(v, 1, 101) FROM firms;
SELECT sdc.is_dominant(v, NULL, 50) FROM firms;
SELECT sdc.is_dominant(v, 1, 'NaN') FROM firms;
SELECT sdc.is_dominant(v, id, 50) FROM firms;
SELECT sdc.is_dominant(-v, 1, 50) FROM firms;
SELECT sdc.is_dominant('NaN', 1, 50) FROM firms;
SELECT sdc.is_p_percent(v, -1) FROM firms;
SELECT sdc.is_p_percent(v::float8, 10) FROM firms;

DROP VIEW cells, answers;
DROP TABLE inp, firms, serial;
