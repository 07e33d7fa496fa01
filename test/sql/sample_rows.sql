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
