-- membership: who was among the rows that a model learned from.
\set SHOW_CONTEXT never

CREATE TABLE inp(id int PRIMARY KEY, zip text, age int, nation text, disease text);
INSERT INTO inp VALUES (1,'13053',28,'Russian','Heart Disease'),(2,'13068',29,'American','Heart Disease'),(3,'13068',21,'Japanese','Viral Infection'),(4,'13053',23,'American','Viral Infection'),(5,'14853',50,'Indian','Cancer'),(6,'14853',55,'Russian','Heart Disease'),(7,'14850',47,'American','Viral Infection'),(8,'14850',49,'American','Viral Infection'),(9,'13053',31,'American','Cancer'),(10,'13053',37,'Indian','Cancer'),(11,'13068',36,'Japanese','Cancer'),(12,'13068',35,'American','Cancer');
CREATE VIEW mia AS
SELECT id, left(zip, 4) AS z, CASE WHEN age < 30 THEN 1 WHEN age < 40 THEN 2 ELSE 3 END::text AS b, disease FROM inp;
CREATE VIEW members AS SELECT * FROM mia WHERE id % 2 = 1;
CREATE VIEW others AS SELECT * FROM mia WHERE id % 2 = 0;

-- EX-MIA-1: 1-NN, the prediction is right: 0.8333, 0.3333, 0.7143, advantage 0.5
SELECT measure, round(value::numeric, 4) AS value
FROM sdc.membership_risk('members', 'others', 'id', '{z,b}', '{disease}', 'knn', '{"neighbours": 1}', 1)
WHERE subject = 'disease by label';
-- too few others for shadow models
SELECT * FROM sdc.membership_risk('members', 'others', 'id', '{z,b}', '{disease}', seed => 1)
WHERE subject = 'disease by shadow models';

-- labels that nothing tells: one who memorises gives his rows away, a
-- majority gives nothing away
CREATE FUNCTION uniform(what text, i int) RETURNS float8 LANGUAGE sql IMMUTABLE AS
$$ SELECT ('x' || substr(md5(what || i), 1, 8))::bit(32)::bigint / 4294967296.0 $$;
CREATE TABLE inside AS
SELECT i AS id, uniform('x', i) AS x, uniform('y', i) AS y, 'l' || floor(uniform('l', i) * 10) AS label FROM generate_series(1, 600) AS i;
CREATE TABLE outside AS
SELECT i AS id, uniform('u', i) AS x, uniform('v', i) AS y, 'l' || floor(uniform('w', i) * 10) AS label FROM generate_series(1, 600) AS i;
SELECT method, value > 0.8 AS much, value = 0 AS none
FROM (VALUES ('knn'), ('tree'), ('zeror')) AS m(method),
     LATERAL sdc.membership_risk('inside', 'outside', 'id', '{x,y}', '{label}', method,
                     '{"neighbours": 1, "leaf": 1, "depth": 64, "repeats": 3}', 1) AS r
WHERE subject = 'label by shadow models' AND measure = 'advantage' ORDER BY method;
-- what does not memorise gives less away
SELECT method, value < 0.3 AS little
FROM (VALUES ('knn'), ('nb')) AS m(method),
     LATERAL sdc.membership_risk('inside', 'outside', 'id', '{x,y}', '{label}', method, '{"neighbours": 100, "repeats": 3}', 1) AS r
WHERE subject = 'label by shadow models' AND measure = 'advantage' ORDER BY method;
-- no attack finds members where both are the same people
SELECT subject, value FROM sdc.membership_risk('inside', 'inside', 'id', '{x,y}', '{label}', 'knn', '{"neighbours": 1, "repeats": 2}', 1)
WHERE measure = 'advantage';

-- the rates belong together; one repeat has no interval
SELECT subject, bool_and(abs(advantage - (tpr - fpr)) < 1e-12) AS advantage,
       bool_and(abs("precision" - tpr / (tpr + fpr)) < 1e-12) AS precise,
       bool_and(abs(f1 - 2 * "precision" * tpr / ("precision" + tpr)) < 1e-12) AS f1, min(lines) AS lines
FROM (SELECT subject, max(value) FILTER (WHERE measure = 'advantage') AS advantage,
             max(value) FILTER (WHERE measure = 'tpr') AS tpr, max(value) FILTER (WHERE measure = 'fpr') AS fpr,
             max(value) FILTER (WHERE measure = 'precision') AS "precision",
             max(value) FILTER (WHERE measure = 'f1') AS f1, count(*) AS lines
      FROM sdc.membership_risk('inside', 'outside', 'id', '{x,y}', '{label}', 'knn', '{"neighbours": 1, "repeats": 1}', 1)
      GROUP BY subject) AS s GROUP BY subject ORDER BY subject;

-- the same by seed, whatever the order of the rows; another seed differs
CREATE TABLE turned AS SELECT * FROM inside ORDER BY md5(id::text);
CREATE TABLE turned_out AS SELECT * FROM outside ORDER BY md5(id::text);
SELECT count(*) AS different
FROM (SELECT r FROM sdc.membership_risk('inside', 'outside', 'id', '{x,y}', '{label}', params => '{"repeats": 2}', seed => 1) AS r
      EXCEPT SELECT r FROM sdc.membership_risk('turned', 'turned_out', 'id', '{x,y}', '{label}', params => '{"repeats": 2}', seed => 1) AS r) AS s;

-- a number as the label; several columns; NULLs
SELECT DISTINCT subject FROM sdc.membership_risk('inside', 'outside', 'id', '{x}', '{y,label}', 'tree', '{"repeats": 1}', 1) ORDER BY 1;
CREATE TABLE nulls AS SELECT id, x, y, NULL::text AS label FROM inside;
SELECT subject, value, detail FROM sdc.membership_risk('nulls', 'outside', 'id', '{x,y}', '{label}', seed => 1);
SELECT measure, value FROM sdc.membership_risk('inside', 'nulls', 'id', '{x,y}', '{label}', seed => 1) WHERE measure IN ('fpr', 'advantage');

-- an empty relation has neither members nor others
CREATE TABLE empty_people AS SELECT id, x, y, label FROM inside LIMIT 0;
SELECT measure, subject, value FROM sdc.membership_risk('empty_people', 'outside', 'id', '{x,y}', '{label}', seed => 1);
SELECT count(*), count(value) FROM sdc.membership_risk('inside', 'empty_people', 'id', '{x,y}', '{label}', seed => 1) WHERE measure IN ('fpr', 'advantage');
DROP TABLE empty_people;

-- errors
SELECT * FROM sdc.membership_risk('inside', 'outside', 'id', '{x,y}', '{label}', 'knn', '{"neighbours": 601}');
SELECT * FROM sdc.membership_risk('inside', 'outside', 'id', '{x,y}', '{label}', params => '{"shadows": 0}');
SELECT * FROM sdc.membership_risk('inside', 'inp', 'id', '{x,y}', '{label}');
SELECT * FROM sdc.membership_risk('inside', NULL, 'id', '{x,y}', '{label}');
SELECT * FROM sdc.membership_risk('inside', 'outside', NULL, '{x,y}', '{label}');

DROP VIEW members, others, mia;
DROP TABLE inp, inside, outside, turned, turned_out, nulls;
DROP FUNCTION uniform(text, int);
