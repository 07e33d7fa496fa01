-- attribute_models: what models of a release say of the original records.
\set SHOW_CONTEXT never

CREATE TABLE inp(id int PRIMARY KEY, zip text, age int, nation text, disease text);
INSERT INTO inp VALUES (1,'13053',28,'Russian','Heart Disease'),(2,'13068',29,'American','Heart Disease'),(3,'13068',21,'Japanese','Viral Infection'),(4,'13053',23,'American','Viral Infection'),(5,'14853',50,'Indian','Cancer'),(6,'14853',55,'Russian','Heart Disease'),(7,'14850',47,'American','Viral Infection'),(8,'14850',49,'American','Viral Infection'),(9,'13053',31,'American','Cancer'),(10,'13053',37,'Indian','Cancer'),(11,'13068',36,'Japanese','Cancer'),(12,'13068',35,'American','Cancer');
CREATE VIEW people AS
SELECT id, left(zip, 4) AS zip, CASE WHEN age < 30 THEN 1 WHEN age < 40 THEN 2 ELSE 3 END::text AS age,
       disease, (id - 1) % 3 AS fold FROM inp;
CREATE VIEW inp3 AS
SELECT id, left(zip, 4) || '*' AS zip, CASE WHEN age <= 40 THEN '<=40' ELSE '>40' END AS age, disease FROM inp;

-- folds (id - 1) mod 3: majority 5/12, naive Bayes 2/12 of inp3 and 5/12 of the
-- original, 1-NN 1/12 and 5/12
SELECT m.method, a.measure, a.value * 12 AS of_12
FROM (VALUES ('nb'), ('knn'), ('zeror')) AS m(method),
     LATERAL sdc.inference_risk('people', 'inp3', 'id', '{zip,age}', '{disease}', variant => m.method,
                     params => '{"fold": "fold", "neighbours": 1}') AS a
ORDER BY 1, 2;
-- models of inp and of inp3 agree on 8 of 12
SELECT measure, round(value::numeric, 4) AS value, detail
FROM sdc.model_agreement('people', 'inp3', 'id', '{zip,age}', '{disease}');
-- as a function of the number of keys
SELECT subject, value * 12 AS of_12
FROM sdc.inference_risk('people', 'inp3', 'id', '{zip,age}', '{disease}', params => '{"fold": "fold", "max_keys": 5}')
WHERE measure = 'inference_risk_first_keys';
SELECT (SELECT value FROM sdc.inference_risk('people', 'inp3', 'id', '{zip}', '{disease}', params => '{"fold": "fold"}') WHERE measure = 'inference_risk') =
       (SELECT value FROM sdc.inference_risk('people', 'inp3', 'id', '{zip,age}', '{disease}', params => '{"fold": "fold", "max_keys": 1}')
        WHERE measure = 'inference_risk_first_keys') AS same;

-- what is masked by nothing is as the original
SELECT count(DISTINCT value) AS values FROM sdc.inference_risk('people', 'people', 'id', '{zip,age}', '{disease}', seed => 5)
WHERE measure IN ('inference_risk', 'inference_risk_original');
SELECT value FROM sdc.model_agreement('people', 'people', 'id', '{zip,age}', '{disease}') WHERE measure = 'model_agreement';

-- a number: 1-NN by plain SQL, right within p % of the standard deviation
CREATE TABLE original AS
SELECT i AS id, (i * 7919 % 211)::float8 AS x, i % 5 AS part, (i * i % 17 + i / 10.0)::float8 AS income, i % 6 AS few
FROM generate_series(1, 120) AS i;
CREATE TABLE masked AS SELECT id, x + (id % 7 - 3) AS x, round(income) AS income, few FROM original;
WITH nearest AS (
    SELECT DISTINCT ON (o.id) o.id, o.few, m.few AS said
    FROM original AS o JOIN original AS p ON o.part <> p.part JOIN masked AS m ON m.id = p.id
    ORDER BY o.id, abs(o.x - m.x), m.id)
SELECT p, abs(a.value - (SELECT avg((abs(few - said) <= p / 100.0 * (SELECT stddev(few) FROM original))::int)
                         FROM nearest)) < 1e-12 AS same
FROM (VALUES (0), (60), (100)) AS v(p),
     LATERAL sdc.inference_risk('original', 'masked', 'id', '{x}', '{few}', p, 'knn',
                     '{"neighbours": 1, "fold": "part"}') AS a
WHERE a.measure = 'inference_risk' ORDER BY p;
-- more tolerance, more that is right; bins of the masked column
SELECT bool_and(value >= before) AS grows
FROM (SELECT value, lag(value) OVER (ORDER BY p) AS before
      FROM (VALUES (1), (10), (30), (100)) AS v(p),
           LATERAL sdc.inference_risk('original', 'masked', 'id', '{x}', '{income}', p, 'tree', '{"repeats": 2}', 1)
      WHERE measure = 'inference_risk') AS s;
SELECT measure, value IS NOT NULL AS known FROM sdc.model_agreement('original', 'masked', 'id', '{x}', '{income,few}', variant => 'tree');

-- repeats: a mean inside its interval, the same by seed, whatever the order
CREATE TABLE turned AS SELECT * FROM masked ORDER BY md5(id::text);
SELECT a.measure, a.value >= l.value AND a.value <= h.value AS inside
FROM sdc.inference_risk('original', 'masked', 'id', '{x}', '{few}', variant => 'tree', seed => 3) AS a
JOIN sdc.inference_risk('original', 'masked', 'id', '{x}', '{few}', variant => 'tree', seed => 3) AS l ON l.measure = a.measure || '_low'
JOIN sdc.inference_risk('original', 'masked', 'id', '{x}', '{few}', variant => 'tree', seed => 3) AS h ON h.measure = a.measure || '_high';
SELECT count(*) AS different
FROM (SELECT r FROM sdc.inference_risk('original', 'masked', 'id', '{x}', '{income}', seed => 3) AS r
      EXCEPT SELECT r FROM sdc.inference_risk('original', 'turned', 'id', '{x}', '{income}', seed => 3) AS r) AS s;

-- a sensitive value that a masked key gives away is found, one that is noise not
CREATE TABLE told AS
SELECT i AS id, 'k' || i % 20 AS k, 's' || i % 20 % 5 AS s, 'n' || (i * 7919 % 10007) % 5 AS noise FROM generate_series(1, 400) AS i;
CREATE TABLE told_masked AS SELECT id, 'group ' || (substr(k, 2)::int % 5) AS k, s, noise FROM told;
SELECT m.method, a.subject, a.value > 0.99 AS known, abs(a.value - b.value) < 0.1 AS as_by_chance
FROM (VALUES ('nb'), ('knn'), ('tree'), ('logistic'), ('svm')) AS m(method),
     LATERAL sdc.inference_risk('told', 'told_masked', 'id', '{k}', '{s,noise}', variant => m.method, params => '{"repeats": 1}', seed => 1) AS a,
     LATERAL sdc.inference_risk('told', 'told_masked', 'id', '{k}', '{s,noise}', variant => m.method, params => '{"repeats": 1}', seed => 1) AS b
WHERE a.measure = 'inference_risk' AND b.measure = 'inference_risk_baseline' AND b.subject = a.subject ORDER BY 1, 2;

-- nobody in common, one record, none at all, NULLs
CREATE TABLE empty AS SELECT * FROM told WHERE false;
CREATE TABLE one AS SELECT * FROM told WHERE id = 1;
SELECT measure, value, detail FROM sdc.inference_risk('empty', 'told', 'id', '{k}', '{s}', params => '{"repeats": 1}');
SELECT measure, value, detail FROM sdc.inference_risk('one', 'one', 'id', '{k}', '{s}', params => '{"repeats": 1}');
SELECT measure, value, detail FROM sdc.model_agreement('empty', 'told', 'id', '{k}', '{s}');
CREATE TABLE others AS SELECT -id AS id, k, s, noise FROM told;
SELECT measure, value FROM sdc.model_agreement('told', 'others', 'id', '{k}', '{s}');
CREATE TABLE suppressed AS SELECT id, nullif(k, 'k3') AS k, nullif(s, 's1') AS s FROM told;
SELECT measure, value IS NOT NULL AS known
FROM sdc.inference_risk('told', 'suppressed', 'id', '{k}', '{s}', params => '{"repeats": 1}', seed => 1);

-- errors
SELECT * FROM sdc.inference_risk('told', 'told_masked', 'id', '{k}', '{s}', 101);
SELECT * FROM sdc.inference_risk('told', 'told_masked', 'id', '{k}', '{s}', NULL);
SELECT * FROM sdc.inference_risk('told', 'told_masked', NULL, '{k}', '{s}');
SELECT * FROM sdc.inference_risk('told', 'told_masked', 'id', '{k,s}', '{s}');
SELECT * FROM sdc.inference_risk('told', 'told_masked', 'id', '{k}', '{s}', params => '{"fold": "f"}');
SELECT * FROM sdc.inference_risk('told', 'told_masked', 'id', '{k}', '{s}', params => '{"repeats": 0}');
SELECT * FROM sdc.model_agreement('told', 'told_masked', 'id', '{k}', '{s}', params => '{"repeats": 2}');
SELECT * FROM sdc.model_agreement('told', 'inp', 'id', '{k}', '{s}');
SELECT * FROM sdc.inference_risk('told', 'told_masked', 'id', '{k}', '{s}', variant => 'guess');

DROP VIEW people, inp3;
DROP TABLE inp, original, masked, turned, told, told_masked, empty, one, others, suppressed;
