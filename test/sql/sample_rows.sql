-- sample_rows: a random part of the rows, in proportion to strata.
\set SHOW_CONTEXT never
CREATE TABLE person AS
SELECT i AS id, CASE WHEN i % 100 = 0 THEN 'rare' WHEN i % 3 = 0 THEN 'some'
                     ELSE 'many' END AS region,
       i % 2 AS sex, md5(i::text) AS name
FROM generate_series(1, 2000) AS i;
ALTER TABLE person ADD PRIMARY KEY (id);

-- The number of rows is p percent, each stratum within one row of its share.
SELECT rows FROM sdc.sample_rows('person', 'sample', '{region}', 10, 1) WHERE step = 'write';
SELECT region, abs(s.n - p.n * 0.1) < 1 AS in_proportion
FROM (SELECT region, count(*) AS n FROM person GROUP BY region) AS p
LEFT JOIN (SELECT region, count(*) AS n FROM sample GROUP BY region) AS s
    USING (region)
ORDER BY region;
-- Rows are whole rows, each at most once.
SELECT count(*), count(DISTINCT id) FROM sample JOIN person USING (id, region, sex, name);

-- The seed decides, not the order of the rows.
CREATE TABLE permuted AS SELECT * FROM person ORDER BY md5(id::text);
ALTER TABLE permuted ADD PRIMARY KEY (id);
SELECT rows FROM sdc.sample_rows('permuted', 'same', '{region}', 10, 1) WHERE step = 'write';
(TABLE sample EXCEPT TABLE same) UNION ALL (TABLE same EXCEPT TABLE sample);
SELECT rows FROM sdc.sample_rows('person', 'other', '{region}', 10, 2) WHERE step = 'write';
SELECT count(*) > 100 AS differs FROM (TABLE other EXCEPT TABLE sample) AS d;
DROP TABLE same, other;

-- Every row is as likely as any other: 400 samples of 10 percent of 2000 rows
-- hold a row 40 times on average, with standard deviation 6.  Over all rows
-- the sum of ((x - 40) / 6)^2 is about 2000 with standard deviation 63; rows
-- that are never drawn, or always, would be found.
CREATE TABLE drawn (id integer, seed integer);
DO $$
BEGIN
    FOR s IN 1 .. 400 LOOP
        PERFORM sdc.sample_rows('person', 'draw', '{region}', 10, s);
        INSERT INTO drawn SELECT id, s FROM draw;
        DROP TABLE draw;
    END LOOP;
END $$;
SELECT count(*) AS rows, sum(n) / 400 AS per_sample,
       min(n) > 10 AND max(n) < 75 AS plausible,
       sum((n - 40.0) ^ 2 / 36) BETWEEN 1650 AND 2350 AS even
FROM (SELECT p.id, count(d.id) AS n
      FROM person p LEFT JOIN drawn d USING (id) GROUP BY p.id) AS t;

-- A stratum of one row is drawn p percent of the times, not never.
CREATE TABLE small AS SELECT i AS id, i AS region FROM generate_series(1, 50) AS i;
SELECT rows FROM sdc.sample_rows('small', 'few', '{region}', 10, 3) WHERE step = 'write';
DROP TABLE few;

-- All rows, few rows, no rows.
SELECT rows FROM sdc.sample_rows('person', target => 'everything', p => 100, seed => 5) WHERE step = 'write';
SELECT count(*) FROM (TABLE everything EXCEPT TABLE person) AS d;
SELECT rows FROM sdc.sample_rows('person', target => 'one', p => 0.05, seed => 5) WHERE step = 'write';
CREATE TABLE nobody (id integer);
SELECT rows FROM sdc.sample_rows('nobody', target => 'none', p => 50, seed => 5) WHERE step = 'write';
DROP TABLE everything, one, none, drawn, small;

-- Strata from the declaration; without a seed another sample each time.
SELECT sdc.declare('person', id => 'id', strata => '{region}');
SELECT rows FROM sdc.sample_rows('person', target => 'declared', seed => 1) WHERE step = 'write';
(TABLE sample EXCEPT TABLE declared) UNION ALL (TABLE declared EXCEPT TABLE sample);
SELECT rows FROM sdc.sample_rows('person', target => 'first') WHERE step = 'write';
SELECT rows FROM sdc.sample_rows('person', target => 'second') WHERE step = 'write';
SELECT count(*) > 0 AS differs FROM (TABLE first EXCEPT TABLE second) AS d;
DROP TABLE declared, first, second;

-- Names that need quotes, and one that the statement uses itself.
CREATE TABLE "a ""b"".c" (sdc_1 integer, "x y" text);
INSERT INTO "a ""b"".c" SELECT i, i % 2 FROM generate_series(1, 10) AS i;
SELECT rows FROM sdc.sample_rows('"a ""b"".c"', '"t ; DROP"', '{"x y"}', 50, 1) WHERE step = 'write';
SELECT "x y", count(*) FROM "t ; DROP" GROUP BY 1 ORDER BY 1;
DROP TABLE "a ""b"".c", "t ; DROP";

-- Whole persons, the same ones in all tables, by the key of a domain.
CREATE TABLE customer AS SELECT i AS id, 'c' || i AS name FROM generate_series(1, 2000) AS i;
CREATE TABLE bought AS
SELECT 10 * c + e AS line, (CASE WHEN e < 9 THEN c END)::bigint AS customer,
       date '2000-01-01' + c * 3 + e * e AS at
FROM generate_series(1, 2000) AS c, generate_series(1, 1 + c % 9) AS e;
CREATE FUNCTION by_person(source text, target text, p float8, by text, period text DEFAULT NULL)
RETURNS bigint LANGUAGE sql AS $$
SELECT count(*) FROM sdc.mask(source::regclass, jsonb_build_object('*',
    jsonb_strip_nulls(jsonb_build_object('method', 'sample_rows', 'p', p, 'by', by,
                                         'domain', 'sample_rows', 'period', period))),
    target) WHERE step = 'write' $$;
SELECT by_person('customer', 'part', 20, 'id'), by_person('bought', 'some_bought', 20, 'customer');
-- four deviations of 2000 draws are 72
SELECT count(*) BETWEEN 328 AND 472 AS a_fifth FROM part;
SELECT count(*) AS rows_lost_or_too_many FROM bought AS b FULL JOIN some_bought AS s USING (line)
WHERE (s.line IS NOT NULL) <> (b.customer IN (SELECT id FROM part) AND b.customer IS NOT NULL);
SELECT count(*) AS of_nobody FROM some_bought WHERE customer IS NULL;
-- a smaller sample is part of a larger one; another period draws others
SELECT by_person('customer', 'fewer', 5, 'id'), by_person('customer', 'later', 20, 'id', 'next year');
SELECT count(*) FILTER (WHERE s.id IS NULL) AS not_in_the_larger, count(*) BETWEEN 61 AND 139 AS a_twentieth
FROM fewer LEFT JOIN part AS s USING (id);
SELECT count(*) BETWEEN 44 AND 116 AS as_by_chance FROM part JOIN later USING (id);
SELECT count(*) AS differ FROM customer
WHERE sdc.in_sample(id::text, 'sample_rows', p => 20) <> (id IN (SELECT id FROM part));
SELECT count(*) FILTER (WHERE sdc.in_sample(id::text, 'sample_rows', p => 100)) AS everybody FROM customer;
-- not what the pseudonyms of the domain tell: 20 % of each first letter
SELECT bool_and(share BETWEEN 0.02 AND 0.42) AS independent
FROM (SELECT avg(sdc.in_sample(id::text, 'sample_rows', p => 20)::int) AS share FROM customer
      GROUP BY left(sdc.pseudonym(id::text, 'sample_rows'), 1)) AS x;
SELECT sdc.in_sample(NULL, 'sample_rows') IS NULL AS of_nobody;
SELECT sdc.in_sample('1', NULL);
SELECT sdc.in_sample('1', '');
SELECT sdc.in_sample('1', 'sample_rows', p => 0);
SELECT sdc.mask('bought', '{"*": {"method": "sample_rows", "p": 20, "by": "customer"}}', 'x');
SELECT sdc.mask('bought', '{"*": {"method": "sample_rows", "p": 20, "domain": "sample_rows"}}', 'x');
SELECT sdc.mask('bought', '{"*": {"method": "sample_rows", "p": 20, "period": "a"}}', 'x');
SELECT sdc.mask('bought', '{"*": {"method": "sample_rows", "p": 20, "by": "nobody", "domain": "a"}}', 'x');
SELECT sdc.mask('bought', '{"*": {"method": "sample_rows", "p": 20, "by": "customer", "domain": "a",
    "strata": ["at"]}}', 'x');
-- who knows the days knows who is in the sample
SELECT sdc.declare('bought', id => 'line', person => 'customer', at => 'at');
SELECT DISTINCT said BETWEEN 328 AND 472 AND said = members AND rightly > 0.8 * said AS told
FROM (SELECT x[1]::int AS said, x[2]::int AS members, x[3]::int AS rightly
      FROM sdc.disclosure_report('bought', 'some_bought', 'line', keys => '{at}',
               params => '{"events": {"assignment": "one_to_one"}}', seed => 1),
           regexp_match(detail, 'known persons (\d+) are said to be among the (\d+) released, (\d+) rightly') AS x
      WHERE x IS NOT NULL) AS m;
DROP TABLE customer, bought, part, some_bought, fewer, later;
DROP FUNCTION by_person;
SELECT sdc.forget_pseudonyms('sample_rows');

-- Errors.
CREATE VIEW seen AS TABLE person;
SELECT sdc.sample_rows(NULL, target => 'x');
SELECT sdc.sample_rows('person');
SELECT sdc.sample_rows('person', target => 'x', p => NULL);
SELECT sdc.sample_rows('person', target => 'x', p => 0);
SELECT sdc.sample_rows('person', target => 'x', p => 101);
SELECT sdc.sample_rows('person', target => 'x', p => 'NaN');
SELECT sdc.sample_rows('person', target => 'x', strata => '{nowhere}');
SELECT sdc.sample_rows('person', target => 'sample');
SELECT sdc.sample_rows('seen', target => 'x');
DROP VIEW seen;
DROP TABLE person, permuted, nobody, sample;
