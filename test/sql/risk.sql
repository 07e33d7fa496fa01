-- risk: risk_report against counting in plain SQL.

-- EX-SAL: k of the original is 1, of the generalised table 2
CREATE TABLE sal_original(id int PRIMARY KEY, ssn text, dob text, sex text, zip text, salary int);
INSERT INTO sal_original VALUES
  (1,'11-1-111','1/21/76','M','53715',50000), (2,'22-2-222','4/13/86','F','53715',55000),
  (3,'33-3-333','2/28/76','M','53703',60000), (4,'44-4-444','1/21/76','M','53703',65000),
  (5,'55-5-555','4/13/86','F','53706',70000), (6,'66-6-666','2/28/76','F','53706',75000);
CREATE VIEW sal_generalized AS
SELECT id, dob, CASE WHEN dob='2/28/76' THEN '*' ELSE sex END AS sex, left(zip,3)||'**' AS zip, salary
FROM sal_original;
SELECT * FROM sdc.risk_report('sal_original', '{dob,sex,zip}');
SELECT * FROM sdc.risk_report('sal_generalized', ARRAY['dob','sex','zip']);

-- chosen measures come in the order of the report
SELECT measure, value FROM sdc.risk_report('sal_generalized', '{sex}', methods => '{classes,k_anonymity,classes}');

-- every measure against plain SQL, on classes of many sizes with NULLs
CREATE TABLE people AS
SELECT i AS id, nullif(i * i % 97, 5) AS a, (i * 31 % 13)::text AS b,
       date '2000-01-01' + i % 3 AS c
FROM generate_series(1, 5000) AS i;
CREATE FUNCTION expected(class_sizes bigint[])
RETURNS TABLE (measure text, value float8) LANGUAGE sql AS $$
  WITH s AS (SELECT unnest(class_sizes) AS n)
  SELECT * FROM (
    SELECT unnest(ARRAY['records', 'classes', 'k_anonymity', 'unique_count',
                        'unique_share', 'average_class', 'below_3', 'below_5']),
           unnest(ARRAY[sum(n)::float8, count(*), min(n), count(*) FILTER (WHERE n = 1),
                        (count(*) FILTER (WHERE n = 1))::float8 / sum(n), avg(n)::float8,
                        coalesce(sum(n) FILTER (WHERE n < 3), 0),
                        coalesce(sum(n) FILTER (WHERE n < 5), 0)])
    FROM s) AS e
$$;
SELECT r.measure, r.value, r.value = e.value AS same
FROM sdc.risk_report('people', '{a,b,c}') AS r
JOIN expected((SELECT array_agg(n) FROM (SELECT count(*) AS n FROM people GROUP BY a, b, c) AS g)) AS e
USING (measure) ORDER BY measure COLLATE "C";
SELECT r.measure, r.value = e.value AS same
FROM sdc.risk_report('people', '{a}') AS r
JOIN expected((SELECT array_agg(n) FROM (SELECT count(*) AS n FROM people GROUP BY a) AS g)) AS e
USING (measure) ORDER BY measure COLLATE "C";

-- no records
CREATE TABLE nobody(a int);
SELECT * FROM sdc.risk_report('nobody', '{a}');

-- the report sees what the statement sees, not what it changes
BEGIN;
WITH gone AS (DELETE FROM sal_original WHERE id > 1 RETURNING id)
SELECT value, (SELECT count(*) FROM gone) AS deleted
FROM sdc.risk_report('sal_original', '{sex}', methods => '{records}');
SELECT value FROM sdc.risk_report('sal_original', '{sex}', methods => '{records}');
ROLLBACK;

-- arguments
SELECT * FROM sdc.risk_report(NULL, '{a}');
SELECT * FROM sdc.risk_report('people');
SELECT * FROM sdc.risk_report('people', '{}');
SELECT * FROM sdc.risk_report('people', '{a,NULL}');
SELECT * FROM sdc.risk_report('people', '{a,b,a}');
SELECT * FROM sdc.risk_report('people', '{a,bb}');
SELECT * FROM sdc.risk_report('people', '{"a, b"}');
SELECT * FROM sdc.risk_report('people', '{ctid}');
SELECT * FROM sdc.risk_report('people', '{a}', sensitive => '{b}');
SELECT * FROM sdc.risk_report('people', '{a}', weight => 'b');
SELECT * FROM sdc.risk_report('people', '{a}', params => '{}');
SELECT * FROM sdc.risk_report('people', '{a}', methods => '{k}');
SELECT * FROM sdc.risk_report('people', '{a}', methods => '{}');
SELECT * FROM sdc.risk_report('people', '{a}', methods => '{classes,NULL}');

-- the codes of errors are part of the interface
CREATE FUNCTION code_of(query text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
  EXECUTE query;
  RETURN 'no error';
EXCEPTION WHEN OTHERS THEN
  RETURN sqlstate;
END $$;
SELECT code_of($$SELECT * FROM sdc.risk_report('people')$$) AS no_keys,
       code_of($$SELECT * FROM sdc.risk_report('people', '{zz}')$$) AS unknown,
       code_of($$SELECT * FROM sdc.risk_report('people', '{a,a}')$$) AS twice,
       code_of($$SELECT * FROM sdc.risk_report('people', '{a}', weight => 'b')$$) AS later,
       code_of($$SELECT * FROM sdc.risk_report('people', '{a}', methods => '{k}')$$) AS method;

DROP FUNCTION code_of, expected;
DROP VIEW sal_generalized;
DROP TABLE sal_original, people, nobody;
