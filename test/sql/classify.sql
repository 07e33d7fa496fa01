-- classify: each method against plain SQL or against what is known.
\set SHOW_CONTEXT never

CREATE TABLE inp(id int PRIMARY KEY, zip text, age int, nation text, disease text);
INSERT INTO inp VALUES (1,'13053',28,'Russian','Heart Disease'),(2,'13068',29,'American','Heart Disease'),(3,'13068',21,'Japanese','Viral Infection'),(4,'13053',23,'American','Viral Infection'),(5,'14853',50,'Indian','Cancer'),(6,'14853',55,'Russian','Heart Disease'),(7,'14850',47,'American','Viral Infection'),(8,'14850',49,'American','Viral Infection'),(9,'13053',31,'American','Cancer'),(10,'13053',37,'Indian','Cancer'),(11,'13068',36,'Japanese','Cancer'),(12,'13068',35,'American','Cancer');
CREATE VIEW people AS
SELECT id, left(zip, 4) AS zip, CASE WHEN age < 30 THEN 1 WHEN age < 40 THEN 2 ELSE 3 END::text AS age, disease
FROM inp;

-- naive Bayes by hand: P(cancer) = 6/15, P(1305 | cancer) = 3/8, P(2 | cancer) = 5/8
WITH joint(cancer, heart, viral) AS (
    VALUES (6/15.0 * 3/8 * 5/8, 4/15.0 * 2/6 * 1/6, 5/15.0 * 2/7 * 1/7))
SELECT c.label, abs(c.probability - cancer / (cancer + heart + viral)) < 1e-12 AS by_hand
FROM sdc.classify('people', 'people', 'id', '{zip,age}', '{disease}', 'nb') AS c, joint
WHERE id = '9';
-- the tree: who is 30 to 39 has cancer, half of the others an infection
SELECT id, label, probability
FROM sdc.classify('people', 'people', 'id', '{zip,age}', '{disease}', 'tree', '{"depth": 1, "leaf": 1}')
WHERE id IN ('1', '9');
-- the majority
SELECT DISTINCT label, round(probability::numeric, 4) AS probability
FROM sdc.classify('people', 'people', 'id', '{zip,age}', '{disease}', 'zeror');
-- logistic regression with one two-valued key: the shares of its groups
CREATE VIEW old AS SELECT id, age >= 40 AS old, disease = 'Cancer' AS cancer FROM inp;
SELECT DISTINCT o.old, c.label, round(c.probability::numeric, 6) AS probability
FROM sdc.classify('old', 'old', 'id', '{old}', '{cancer}', 'logistic') AS c
JOIN old AS o ON o.id::text = c.id ORDER BY 1;

-- k-NN against a scan of all pairs: numbers, a category, NULLs and ties
CREATE TABLE learned AS
SELECT i AS id, (i * 7919 % 211)::float8 AS x, nullif(i % 23, 7)::int AS y,
       nullif('c' || i * i % 5, 'c1') AS c, 'l' || (i * 31 % 97) % 4 AS label
FROM generate_series(1, 400) AS i;
CREATE TABLE asked AS
SELECT i AS id, (i * 6311 % 223)::float8 AS x, nullif(i % 19, 3)::int AS y,
       nullif('c' || i % 6, 'c2') AS c
FROM generate_series(1, 150) AS i;
WITH scale AS (
    SELECT stddev(x) AS x, stddev(y)::float8 AS y FROM learned),
distances AS (
    SELECT a.id, l.label, l.id AS from_id,
           round((((a.x - l.x) / s.x) ^ 2
                  + CASE WHEN a.y IS NULL AND l.y IS NULL THEN 0
                         ELSE coalesce(((a.y - l.y) / s.y) ^ 2, 1) END
                  + (a.c IS DISTINCT FROM l.c)::int)::numeric, 9) AS d
    FROM asked AS a, learned AS l, scale AS s),
votes AS (
    SELECT id, label, count(*) AS n
    FROM (SELECT *, row_number() OVER (PARTITION BY id ORDER BY d, from_id) AS r FROM distances) AS s
    WHERE r <= 7 GROUP BY id, label),
winners AS (
    SELECT DISTINCT ON (id) id, label, n / 7.0 AS share FROM votes ORDER BY id, n DESC, label)
SELECT count(*) AS rows, count(*) FILTER (WHERE k.label = w.label) AS same_label,
       count(*) FILTER (WHERE abs(k.probability - w.share) < 1e-12) AS same_share
FROM sdc.classify('learned', 'asked', 'id', '{x,y,c}', '{label}', 'knn', '{"neighbours": 7}') AS k
JOIN winners AS w ON k.id = w.id::text;

-- one nearest neighbour of itself: everything is known again
SELECT method, count(*) FILTER (WHERE c.label = l.label) AS right
FROM (VALUES ('knn'), ('tree'), ('zeror')) AS m(method),
     LATERAL sdc.classify('learned', 'learned', 'id', '{id}', '{label}', method,
         '{"neighbours": 1, "leaf": 1, "depth": 64}') AS c
     JOIN learned AS l ON l.id::text = c.id
GROUP BY method ORDER BY method;

-- what can be parted is parted, by all but the majority
CREATE TABLE halves AS
SELECT i AS id, i * 1.5 AS x, i % 2 AS noise, i > 30 AS side FROM generate_series(1, 60) AS i;
SELECT method, count(*) FILTER (WHERE c.label = left(h.side::text, 1)) >= 58 AS parted
FROM (VALUES ('zeror'), ('nb'), ('knn'), ('tree'), ('logistic'), ('svm')) AS m(method),
     LATERAL sdc.classify('halves', 'halves', 'id', '{x,noise}', '{side}', method, seed => 1) AS c
     JOIN halves AS h ON h.id::text = c.id
GROUP BY method ORDER BY method;

-- a number is predicted by the median of its bin, a few values as they are
SELECT id, label FROM sdc.classify('halves', 'halves', 'id', '{x}', '{noise}', 'knn', '{"neighbours": 1}')
WHERE id::int < 3;
SELECT DISTINCT label FROM sdc.classify('halves', 'halves', 'id', '{x}', '{id}', 'tree', '{"bins": 3, "leaf": 1}')
ORDER BY 1;

-- the order of the rows does not matter, nor does a seed but by a little
CREATE TABLE shuffled AS SELECT * FROM learned ORDER BY md5(id::text);
SELECT method, count(*) FILTER (WHERE a IS DISTINCT FROM b) AS different
FROM (VALUES ('zeror'), ('nb'), ('knn'), ('tree'), ('logistic'), ('svm')) AS m(method),
     LATERAL (SELECT a, b
              FROM sdc.classify('learned', 'asked', 'id', '{x,y,c}', '{label}', method, seed => 1) AS a
              FULL JOIN sdc.classify('shuffled', 'asked', 'id', '{x,y,c}', '{label}', method, seed => 1) AS b
              USING (id)) AS s
GROUP BY method ORDER BY method;

-- declared columns; a column of another type in the other relation
SELECT sdc.declare('people', 'id', keys => '{zip,age}', sensitive => '{disease}');
SELECT count(*) FROM sdc.classify('people', 'people');
CREATE VIEW typed AS SELECT id::text AS id, zip::varchar AS zip, age::int AS age FROM people;
SELECT count(*) FILTER (WHERE a = b) AS same
FROM sdc.classify('people', 'people') AS a JOIN sdc.classify('people', 'typed') AS b USING (id);

-- one row, one class, nobody to ask, a sensitive NULL
CREATE TABLE one(id int, x float8, c text, s text);
CREATE TABLE nobody AS SELECT * FROM one;
INSERT INTO one VALUES (1, 1, 'a', 'yes'), (2, NULL, NULL, NULL);
SELECT method, c.* FROM (VALUES ('zeror'), ('nb'), ('knn'), ('tree'), ('logistic'), ('svm')) AS m(method),
       LATERAL sdc.classify('one', 'one', 'id', '{x,c}', '{s}', method, '{"neighbours": 1}', 1) AS c;
SELECT count(*) FROM sdc.classify('one', 'nobody', 'id', '{x,c}', '{s}');

-- errors
SELECT * FROM sdc.classify('nobody', 'one', 'id', '{x,c}', '{s}');
SELECT * FROM sdc.classify('one', 'one', 'id', '{x,c}', '{s}', 'knn');
SELECT * FROM sdc.classify('one', 'one', 'id', '{x}', '{s}', 'forest');
SELECT * FROM sdc.classify('one', 'one', 'id', '{x}', '{s,c}');
SELECT * FROM sdc.classify('one', 'one', 'id', '{x,s}', '{s}');
SELECT * FROM sdc.classify('one', 'one', 'id', '{x}', '{s}', NULL);
SELECT * FROM sdc.classify('one', 'one', 'id', '{x}', '{s}', params => '{"neighbors": 3}');
SELECT * FROM sdc.classify('one', 'one', NULL, '{x}', '{s}');
SELECT * FROM sdc.classify('one', 'people', 'id', '{x}', '{s}');
CREATE TABLE wide AS SELECT i AS id, 'v' || i AS v, i % 2 AS s FROM generate_series(1, 2100) AS i;
SELECT count(*) FROM sdc.classify('wide', 'wide', 'id', '{v}', '{s}', 'logistic');
INSERT INTO one VALUES (1, 2, 'b', 'no');
SELECT * FROM sdc.classify('one', 'one', 'id', '{x}', '{s}');

SELECT sdc.declare('people');
DROP VIEW typed, people, old;
DROP TABLE inp, learned, asked, halves, shuffled, one, nobody, wide;
