-- dp_histogram: every public cell; private categories above a threshold.

\set SHOW_CONTEXT never
CREATE SCHEMA data_sets;
SET search_path = data_sets;

-- EX-CT, the contingency table of source 001, slide 23: 814 records.
CREATE TABLE ct (zip text, band int, n int, noisy int);
INSERT INTO ct VALUES ('53703',1,200,205), ('53703',2,11,8), ('53703',3,10,9),
    ('53703',4,5,7), ('53706',1,18,19), ('53706',2,5,8), ('53706',3,65,66),
    ('53706',4,200,201), ('53715',1,60,59), ('53715',2,100,97),
    ('53715',3,100,98), ('53715',4,40,40);
CREATE TABLE records AS SELECT zip, band FROM ct, generate_series(1, n);
SELECT sdc.create_dataset('ct', 'records', epsilon => 1e9);
SELECT sdc.describe_column('ct', 'zip', categories => '{53703,53706,53715,53726}');
SELECT sdc.describe_column('ct', 'band', categories => '{1,2,3,4}');
SELECT sdc.grant_budget('ct', current_user::regrole, 1e9);

-- Without noise worth speaking of it is the table itself; the zip that no
-- record has is there, too.
SELECT count(*) AS cells, count(*) FILTER (WHERE h.count = coalesce(n, 0)) AS same,
       count(*) FILTER (WHERE n IS NULL AND h.count = 0) AS empty
FROM sdc.dp_histogram('ct', '{zip,band}', 1000) AS h
LEFT JOIN ct ON categories = ARRAY[zip, band::text];
-- Rows come in the order of the declared categories, whatever the data.
SELECT (array_agg(categories))[1:5] AS first
FROM sdc.dp_histogram('ct', '{band,zip}', 1000);

-- The slide's own noisy table against the exact one (EX-CT-1 to EX-CT-4), by
-- the measures with which one looks at an answer when one may see both.
CREATE FUNCTION compare(
    exact bigint[], noisy bigint[],
    OUT l1 numeric, OUT most numeric, OUT hellinger numeric, OUT kl numeric,
    OUT variation numeric)
LANGUAGE sql AS
$$SELECT sum(abs(n - m)), max(abs(n - m)),
         round(sqrt(sum((sqrt(n / t) - sqrt(m / u)) ^ 2) / 2)::numeric, 6),
         round(sum(CASE WHEN n > 0 THEN n / t * ln((n / t) / nullif(m / u, 0))
                   END)::numeric, 6),
         round((sum(abs(n / t - m / u)) / 2)::numeric, 6)
  FROM (SELECT n::float8, m::float8, sum(n) OVER ()::float8 AS t,
               sum(m) OVER ()::float8 AS u
        FROM unnest(exact, noisy) AS c(n, m)) AS q$$;
SELECT c.*, (SELECT sum(n) || '/' || sum(noisy) FROM ct) AS totals
FROM (SELECT array_agg(n ORDER BY zip, band) AS exact,
             array_agg(noisy ORDER BY zip, band) AS noisy FROM ct) AS a,
     LATERAL data_sets.compare(a.exact, a.noisy) AS c;

CREATE TABLE noisy_records AS SELECT zip, band FROM ct, generate_series(1, noisy);
SELECT method, round(sdc.table_distance('records', 'noisy_records', '{zip,band}',
                                        method)::numeric, 6) AS distance
FROM unnest('{l1,max,hellinger,kullback_leibler,total_variation}'::text[]) AS method;

-- Ours with epsilon 1: the error of a cell has a mean of 0.85 in size, so the
-- L1 distance of twelve cells is 10.2 with deviation 3.7; over 200 tables the
-- mean lies within 5 deviations.  No cell is off by 40 (e^-38).
CREATE TABLE runs AS
SELECT i, sum(abs(h.count - coalesce(n, 0))) AS l1,
       max(abs(h.count - coalesce(n, 0))) AS most
FROM generate_series(1, 200) AS i,
     LATERAL (SELECT * FROM sdc.dp_histogram('ct', '{zip,band}', 1,
                                             predicate => 'band < 10 + ' || i)) AS h
JOIN ct ON categories = ARRAY[zip, band::text]
GROUP BY i;
SELECT abs(avg(l1) - 12 * 2 * exp(-1) / (1 - exp(-2))) < 5 * 3.7 / sqrt(200) AS as_expected,
       max(most) < 40 AS bounded, count(DISTINCT l1) > 5 AS drawn_anew
FROM runs;

-- The table of six salaries: k = 1, every combination a person of its own.
-- With epsilon 1 each count is off by 0.85 on average, so that it cannot be
-- told who is in it: of 300 tables, the true one comes seldom.  All 24 cells
-- are exact with probability ((1 - e^-1) / (1 + e^-1))^24 = 9e-9.
CREATE TABLE salaries (dob date, sex text, zip text, salary int);
INSERT INTO salaries VALUES ('1976-01-21','M','53715',50000), ('1986-04-13','F','53715',55000),
    ('1976-02-28','M','53703',60000), ('1976-01-21','M','53703',65000),
    ('1986-04-13','F','53706',70000), ('1976-02-28','F','53706',75000);
SELECT sdc.create_dataset('salaries', 'salaries', epsilon => 1e9);
SELECT sdc.describe_column('salaries', 'dob', categories => '{1976-01-21,1976-02-28,1986-04-13,1990-01-01}');
SELECT sdc.describe_column('salaries', 'sex', categories => '{F,M}');
SELECT sdc.describe_column('salaries', 'zip', categories => '{53703,53706,53715}');
SELECT sdc.describe_column('salaries', 'salary', 0, 100000);
SELECT sdc.grant_budget('salaries', current_user::regrole, 1e9);
SELECT count(*) AS cells, sum(count) AS persons, max(count) AS k
FROM sdc.dp_histogram('salaries', '{dob,sex,zip}', 1000);
SELECT count(*) FILTER (WHERE shown = 6 AND wrong = 0) AS exact
FROM (SELECT i, count(*) FILTER (WHERE h.count > 0) AS shown,
             sum(abs(h.count - (s.dob IS NOT NULL)::int)) AS wrong
      FROM generate_series(1, 300) AS i,
           LATERAL (SELECT * FROM sdc.dp_histogram('salaries', '{dob,sex,zip}', 1,
                        predicate => 'salary <> ' || i)) AS h
      LEFT JOIN salaries AS s ON categories = ARRAY[dob::text, sex, zip]
      GROUP BY i) AS runs;
-- Their sum is 375,000, with half width 300,000 at epsilon 1: six persons are
-- too few.
SELECT round(halfwidth::numeric, -3) AS halfwidth
FROM sdc.dp_query('salaries', '{sum(salary)}', 1);

-- EX-MED: the median of 1, 2, 3 and 10 between 0 and 20, from the gateway.
-- 2000 draws; the expected shares hold within 5 deviations each.
CREATE TABLE four AS SELECT x FROM unnest(ARRAY[1, 2, 3, 10]::float8[]) AS x;
SELECT sdc.create_dataset('four', 'four', epsilon => 1e9);
SELECT sdc.describe_column('four', 'x', 0, 20);
SELECT sdc.grant_budget('four', current_user::regrole, 1e9);
SELECT expected, abs(count(*) - 2000 * expected)
           < 5 * sqrt(2000 * expected * (1 - expected)) AS right
FROM (VALUES (0, 1, 0.0249), (1, 2, 0.0677), (2, 3, 0.1841), (3, 10, 0.4741),
             (10, 20, 0.2492)) AS gap(low, high, expected)
JOIN (SELECT value AS median
      FROM generate_series(1, 2000) AS i,
           sdc.dp_query('four', '{median(x)}', 1 + 0 * i)) AS m ON median >= low AND median < high
GROUP BY low, expected ORDER BY low;

-- Dates as categories, declared and asked for under different styles.
CREATE TABLE dated AS SELECT date '2020-02-01' + i % 3 AS day FROM generate_series(1, 30) AS i;
SELECT sdc.create_dataset('dated', 'dated', epsilon => 1e9);
SET DateStyle = 'SQL, DMY';
SELECT sdc.describe_column('dated', 'day', categories => '{2020-02-01,2020-02-02,2020-02-03}');
SELECT sdc.grant_budget('dated', current_user::regrole, 1e9);
SET DateStyle = 'German, MDY';
SELECT * FROM sdc.dp_histogram('dated', '{day}', 1000);
RESET DateStyle;

-- Private categories: named when the noisy count reaches the threshold,
-- epsilon 1, delta 1e-9, one group per person: 22.
CREATE TABLE jobs AS
SELECT i AS person, CASE WHEN i <= 500 THEN 'clerk' WHEN i <= 900 THEN NULL
                         WHEN i <= 905 THEN 'mayor' ELSE 'hermit ' || i END AS job,
       i % 2 AS half
FROM generate_series(1, 1000) AS i;
SELECT sdc.create_dataset('jobs', 'jobs', 'person', accounting => 'approx',
                             epsilon => 1e9, delta => 0.999);
SELECT sdc.grant_budget('jobs', current_user::regrole, 1e9, 0.999);
SELECT sdc.dp_histogram('jobs', '{job}', 1);
-- 95 hermits and 5 mayors with a noise of 1: none is shown (but once in 1e7 runs).
SELECT categories, abs(count - CASE WHEN categories[1] = 'clerk' THEN 500
                                    ELSE 400 END) < 60 AS near
FROM sdc.dp_histogram('jobs', '{job}', 1, 1e-9);
-- With a public column beside it, and other figures than counts.
SELECT sdc.describe_column('jobs', 'half', 0, 1, '{0,1}');
SELECT categories, abs(count - 225) < 60 AS near
FROM sdc.dp_histogram('jobs', '{job,half}', 1, 1e-9);
SELECT cell, aggregate, round(value, 1) AS value
FROM sdc.dp_query('jobs', '{avg(half)}', 1000, '{job}', 'job = ''clerk''', 1e-9);
SELECT sdc.dp_query('jobs', '{median(half)}', 1, '{job}', delta => 1e-9);
-- How much memory they may take follows from the number of rows, whichever are
-- asked for.
SET sdc.dp_memory_limit = '1MB';
SELECT count(*) > 0 AS shown
FROM sdc.dp_query('jobs', array_fill('avg(half)'::text, ARRAY[2]), 1000, '{job}', delta => 1e-9);
SELECT sdc.dp_query('jobs', array_fill('avg(half)'::text, ARRAY[100]), 1000, '{job}',
                    'person = 1', delta => 1e-9);
RESET sdc.dp_memory_limit;
SELECT unit, spent, delta_spent FROM sdc.remaining_budget('jobs') WHERE role IS NULL;

-- A category of one unit alone is shown in at most delta of all tables.  Of
-- 4000 with delta 0.05, threshold 4, as many as the tail says, e^-3 / (1 +
-- e^-1) = 0.0364, within 5 deviations.  A superuser sets what was spent of
-- delta back each time; nobody else can.
CREATE TABLE alone AS SELECT 1 AS person, 'hermit'::text AS job;
SELECT sdc.create_dataset('alone', 'alone', 'person', accounting => 'approx',
                             epsilon => 1e9, delta => 0.9);
SELECT sdc.grant_budget('alone', current_user::regrole, 1e9, 0.9);
SELECT d.id AS whole, b.id AS mine FROM sdc.dp_dataset AS d
JOIN sdc.dp_budget AS b ON b.dataset = d.id WHERE name = 'alone' \gset
-- One that no counted row is in is never shown, though noise would lift it over
-- the threshold, 2, in one of ten of these.
SELECT count(*) AS shown
FROM generate_series(1, 500) AS i,
     LATERAL (SELECT setval('sdc.dp_delta_' || :whole, 0)
                     + setval('sdc.dp_delta_' || :mine, 0) + i AS i) AS back,
     LATERAL (SELECT * FROM sdc.dp_histogram('alone', '{job}', 1, 0.5,
                        predicate => 'person > ' || back.i)) AS h;
SELECT count(*) <= 4000 * 0.05 AS at_most_delta,
       abs(count(*) - 4000 * 0.0364) < 5 * sqrt(4000 * 0.0364) AS as_expected
FROM generate_series(1, 4000) AS i,
     LATERAL (SELECT setval('sdc.dp_delta_' || :whole, 0)
                     + setval('sdc.dp_delta_' || :mine, 0) + i AS i) AS back,
     LATERAL (SELECT * FROM sdc.dp_histogram('alone', '{job}', 1, 0.05,
                        predicate => 'person < 1 + ' || back.i)) AS h;
-- Delta is a budget as epsilon is.
SELECT count(*) <= 1 AS charged FROM sdc.dp_histogram('alone', '{job}', 1, 0.85);
SELECT sdc.dp_histogram('alone', '{job}', 1, 0.01);

DELETE FROM sdc.dp_dataset;
DELETE FROM sdc.dp_dataset_column;
DELETE FROM sdc.dp_budget;
DELETE FROM sdc.dp_log;
SET client_min_messages = warning;
\set ECHO none
SELECT format('DROP SEQUENCE sdc.%I', relname) FROM pg_class
WHERE relkind = 'S' AND relnamespace = 'sdc'::regnamespace
  AND relname ~ '^dp_(spent|delta)_' \gexec
\set ECHO all
RESET search_path;
DROP SCHEMA data_sets CASCADE;
