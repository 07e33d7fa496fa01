-- dp_query: what data sets answer, and how much of a unit they count.
-- With epsilon 1000 the noise of counts is 0 but for once in e^50 calls and
-- that of sums within 50 times its scale, so answers are compared with plain
-- SQL.

\set SHOW_CONTEXT never
CREATE ROLE regress_sdc_analyst;
CREATE SCHEMA data_sets;
GRANT USAGE ON SCHEMA data_sets TO regress_sdc_analyst;
SET search_path = data_sets;
CREATE TABLE people AS
SELECT i AS id, (i % 90)::smallint AS age, i % 1000 - 500 AS balance,
       (i * 7919::bigint % 10000)::bigint AS income, (i % 7) / 4.0::float8 AS score,
       (i * 31 % 1000) / 8.0::numeric AS price,
       (ARRAY['north', 'south', 'east'])[i % 3 + 1] AS region,
       i % 2 = 0 AS active, date '2020-01-01' + i % 365 AS since
FROM generate_series(1, 3000) AS i;
INSERT INTO people VALUES
    (3001, NULL, NULL, NULL, NULL, NULL, 'north', NULL, NULL),
    (3002, 1, 1, 1, 'NaN', 'NaN', 'nowhere', true, 'infinity'),
    (3003, 1, 1, 1, 'Infinity', 1e300, NULL, true, '-infinity');
SELECT sdc.create_dataset('people', 'people', epsilon => 1e9);
SELECT count(sdc.describe_column('people', c, l, u)) AS columns
FROM (VALUES ('age'::name, 0, 50), ('balance', -500, 500), ('income', 0, 10000),
             ('score', 0, 1), ('price', 0, 100)) AS v(c, l, u);
SELECT sdc.describe_column('people', 'region', categories => '{north,south,east,west}');
SELECT sdc.describe_column('people', 'active', categories => '{true,false}');
SELECT sdc.grant_budget('people', 'regress_sdc_analyst', 1e9);

SET ROLE regress_sdc_analyst;
SELECT count(*) FROM people;
CREATE TEMP TABLE answer AS
SELECT *
FROM sdc.dp_query('people',
    '{count,sum(age),sum(balance),sum(income),sum(score),sum(price),avg(income),
      var(age),stddev(age),median(income),"quantile(income, 0.9)",mode(region)}',
    1000);
RESET ROLE;
CREATE TEMP TABLE exact AS
SELECT v.* FROM (
    SELECT count(*) AS n,
           sum(least(age, 50)) FILTER (WHERE age IS NOT NULL) AS age, sum(balance) AS balance,
           sum(income) AS income,
           sum(least(score, 1)) FILTER (WHERE score <> 'NaN') AS score,
           sum(least(price, 100)) FILTER (WHERE price <> 'NaN') AS price,
           avg(income) AS avg,
           var_pop(least(age, 50)) FILTER (WHERE age IS NOT NULL) AS var,
           stddev_pop(least(age, 50)) FILTER (WHERE age IS NOT NULL) AS stddev,
           percentile_disc(0.5) WITHIN GROUP (ORDER BY income) AS median,
           percentile_disc(0.9) WITHIN GROUP (ORDER BY income) AS quantile,
           mode() WITHIN GROUP (ORDER BY region) AS mode
    FROM people) AS p,
    LATERAL (VALUES ('count', n, 0), ('sum(age)', age, 50 * 0.6),
        ('sum(balance)', balance, 500 * 0.6), ('sum(income)', income, 10000 * 0.6),
        ('sum(score)', score::numeric, 0.6), ('sum(price)', price, 100 * 0.6),
        ('avg(income)', avg, 5), ('var(age)', var, 2), ('stddev(age)', stddev, 0.1),
        ('median(income)', median, 20), ('quantile(income, 0.9)', quantile, 20))
        AS v(aggregate, value, within);
SELECT aggregate, abs(a.value - e.value) <= e.within AS right,
       category, halfwidth IS NOT NULL AS known
FROM answer AS a LEFT JOIN exact AS e USING (aggregate) ORDER BY aggregate COLLATE "C";
SELECT mode() WITHIN GROUP (ORDER BY region) AS mode FROM people;
DROP TABLE answer, exact;

-- Groups: every public category, also without rows; others are left out.
SET ROLE regress_sdc_analyst;
SELECT cell ->> 'region' AS region, cell ->> 'active' AS active, aggregate,
       CASE aggregate WHEN 'count' THEN value ELSE round(value, -2) END AS value
FROM sdc.dp_query('people', '{count,sum(age)}', 1000, '{region,active}');
RESET ROLE;
SELECT region, active, count(*), round(sum(least(age, 50)), -2) AS sum FROM people
WHERE region IN ('north', 'south', 'east', 'west') AND active IS NOT NULL
GROUP BY region, active ORDER BY 1, 2;

-- Predicates choose rows as WHERE does.
SET ROLE regress_sdc_analyst;
SELECT (sdc.dp_query('people', '{count}', 1000, predicate => p)).value AS answer
FROM unnest(ARRAY['age < 10', 'age BETWEEN 3 AND 5 AND region = ''north''',
    'NOT active', 'active IS NULL', 'active IS NOT TRUE', 'age IN (1, 2, 3)',
    'age = ANY (ARRAY[1, 2, 3])', 'region IS DISTINCT FROM ''north''',
    'price > 50 AND price <= 60.5', 'score >= 0.5', 'since < ''2020-02-01''',
    'income > 5000::bigint OR balance < -10', 'age = balance', 'true',
    'age > 1 + 1']) WITH ORDINALITY AS w(p, n) ORDER BY n;
SELECT round((sdc.dp_query('people', '{sum(balance)}', 1000, predicate => 'balance > 0')).value, -3) AS sum,
       round((sdc.dp_query('people', '{median(income)}', 1000)).value::numeric, -2) AS median;
RESET ROLE;
SELECT count(*) FILTER (WHERE age < 10) AS a,
       count(*) FILTER (WHERE age BETWEEN 3 AND 5 AND region = 'north') AS b,
       count(*) FILTER (WHERE NOT active) AS c,
       count(*) FILTER (WHERE active IS NULL) AS d,
       count(*) FILTER (WHERE active IS NOT TRUE) AS e,
       count(*) FILTER (WHERE age IN (1, 2, 3)) AS f,
       count(*) FILTER (WHERE region IS DISTINCT FROM 'north') AS g,
       count(*) FILTER (WHERE price > 50 AND price <= 60.5) AS h,
       count(*) FILTER (WHERE score >= 0.5) AS i,
       count(*) FILTER (WHERE since < '2020-02-01') AS j,
       count(*) FILTER (WHERE income > 5000 OR balance < -10) AS k,
       count(*) FILTER (WHERE age = balance) AS l,
       count(*) FILTER (WHERE age > 2) AS m,
       round(sum(balance) FILTER (WHERE balance > 0), -3) AS sum FROM people;

-- What is wrong with a request is found before it is charged.
SET ROLE regress_sdc_analyst;
SELECT spent AS before FROM sdc.remaining_budget('people') WHERE role IS NULL \gset
SELECT sdc.dp_query(NULL, '{count}', 1);
SELECT sdc.dp_query('people', NULL, 1);
SELECT sdc.dp_query('people', '{}', 1);
SELECT sdc.dp_query('people', '{NULL}', 1);
SELECT sdc.dp_query('people', '{count}', NULL);
SELECT sdc.dp_query('people', '{count}', 0);
SELECT sdc.dp_query('people', '{count}', -1);
SELECT sdc.dp_query('people', '{count}', 'NaN');
SELECT sdc.dp_query('people', '{count}', 1e-30);
SELECT sdc.dp_query('people', '{count}', 1025);
SELECT sdc.dp_query('people', '{count,count,count}', 0.0009);
SELECT * FROM sdc.dp_query('people', (SELECT array_agg('count'::text) FROM generate_series(1, 1601)), 1000);
SELECT sdc.dp_query('people', '{count(age)}', 1);
SELECT sdc.dp_query('people', '{sum}', 1);
SELECT sdc.dp_query('people', '{sum(age}', 1);
SELECT sdc.dp_query('people', '{sum(nothing)}', 1);
SELECT sdc.dp_query('people', '{sum(id)}', 1);
SELECT sdc.dp_query('people', '{mode(age)}', 1);
SELECT sdc.dp_query('people', '{max(age)}', 1);
SELECT sdc.dp_query('people', '{"quantile(age)"}', 1);
SELECT sdc.dp_query('people', '{"quantile(age,2)"}', 1);
SELECT sdc.dp_query('people', '{"quantile(age,x)"}', 1);
SELECT sdc.dp_query('people', '{count}', 1, '{region,region}');
SELECT sdc.dp_query('people', '{count}', 1, '{}');
SELECT sdc.dp_query('people', '{count}', 1, '{since}');
SELECT sdc.dp_query('people', '{count}', 1, delta => 0.1);
SELECT sdc.dp_query('people', '{count}', 1, delta => NULL);
SELECT (sdc.dp_query('people', '{count}', NULL)).value;
SELECT sdc.dp_query('people', NULL, 1);
SELECT (sdc.dp_query('nothing', '{count}', 1)).value;
SELECT spent = :before AS nothing_spent
FROM sdc.remaining_budget('people') WHERE role IS NULL;
RESET ROLE;

-- A unit counts in max_groups groups with max_rows rows each: unit 1 has
-- 10,000 rows in four groups, units 2 to 50 have two rows in each of three,
-- and some rows have no unit.  What one unit changes, whichever it is, is
-- measured by leaving it out.
CREATE TABLE visits AS
SELECT 1 AS person, i % 4 AS place, 100 AS cost FROM generate_series(1, 10000) AS i
UNION ALL
SELECT p, g, 10 + p FROM generate_series(2, 50) AS p, generate_series(0, 2) AS g,
       generate_series(1, 2)
UNION ALL
SELECT NULL, 0, 1 FROM generate_series(1, 777);
SELECT sdc.create_dataset('visits', 'visits', 'person', max_groups => 2,
                             max_rows => 3, epsilon => 1e9);
SELECT sdc.describe_column('visits', 'place', categories => '{0,1,2,3}');
SELECT sdc.describe_column('visits', 'cost', 0, 50);
SELECT sdc.grant_budget('visits', 'regress_sdc_analyst', 1e9);
SET ROLE regress_sdc_analyst;
SELECT sum(count) AS counted,
       sum(count) = 49 * 2 * 2 + 2 * 3 AS right
FROM sdc.dp_histogram('visits', '{place}', 1000);
WITH every AS (
    SELECT p, (SELECT sum(count) FROM sdc.dp_histogram('visits', '{place}', 1000,
               predicate => format('person <> %s', p))) AS n
    FROM generate_series(1, 50) AS p)
SELECT max(202 - n) AS most, min(202 - n) AS least FROM every;
-- Without groups, three rows of each unit; the sum is that of clipped values.
SELECT aggregate, round(value, -2) AS value FROM sdc.dp_query('visits', '{count,sum(cost)}', 1000);
SELECT round(sum(3 * least(10 + p, 50)) + 3 * 50, -2) AS sum FROM generate_series(2, 50) AS p;
-- Which groups of unit 1 are kept is drawn anew, whatever the seed.
SELECT count(DISTINCT kept) > 1 AS drawn_anew FROM (
    SELECT setseed(0.5), (SELECT array_agg(count ORDER BY categories)
            FROM sdc.dp_histogram('visits', '{place}', 1000,
                                  predicate => 'person = 1 AND cost <> ' || i)) AS kept
    FROM generate_series(1, 40) AS i) AS runs;
RESET ROLE;

-- Replacing a unit costs twice with groups, and the noise shows it.
SELECT sdc.create_dataset('replaced', 'visits', 'person', 'replace',
                             epsilon => 1e9, anew => true);
SELECT sdc.describe_column('replaced', 'place', categories => '{0,1,2,3}');
SELECT sdc.describe_column('replaced', 'cost', 0, 50);
SELECT sdc.grant_budget('replaced', 'regress_sdc_analyst', 1e9);
SET ROLE regress_sdc_analyst;
SELECT DISTINCT 'visits' AS data_set, aggregate, round(halfwidth::numeric, 1) AS halfwidth
FROM sdc.dp_query('visits', '{count,sum(cost)}', 1, '{place}')
UNION ALL
SELECT DISTINCT 'replaced', aggregate, round(halfwidth::numeric, 1)
FROM sdc.dp_query('replaced', '{count,sum(cost)}', 1, '{place}')
UNION ALL
SELECT 'replaced, no groups', aggregate, round(halfwidth::numeric, 1)
FROM sdc.dp_query('replaced', '{count,sum(cost)}', 1);
-- One part of epsilon for each figure, group and row: 1 / (2 * 2 * 3), and
-- 1 / (2 * 1 * 1 * 2), and 1 / 2.
SELECT sdc.dp_halfwidth('discrete_laplace', 1, 1 / 12.0, 0.95) AS visits,
       sdc.dp_halfwidth('discrete_laplace', 1, 1 / 4.0, 0.95) AS replaced,
       sdc.dp_halfwidth('discrete_laplace', 1, 1 / 2.0, 0.95) AS no_groups,
       sdc.dp_halfwidth('discrete_laplace', 50, 1 / 2.0, 0.95) AS sum;

-- Nothing there is an answer, too.
SELECT count(value) AS values, bool_and(value BETWEEN -500 AND 500) AS near
FROM sdc.dp_query('visits', '{count,avg(cost),median(cost)}', 1,
                  predicate => 'person < 0');
-- EXPLAIN does not run it, EXPLAIN ANALYZE is refused, however deep it is.
EXPLAIN (COSTS OFF) SELECT (sdc.dp_query('visits', '{count}', 1)).value;
EXPLAIN ANALYZE SELECT (sdc.dp_query('visits', '{count}', 1)).value;
EXPLAIN ANALYZE SELECT * FROM sdc.dp_query('visits', '{count}', 1);
EXPLAIN ANALYZE SELECT * FROM sdc.dp_histogram('visits', '{place}', 1);
-- Every call in a LATERAL loop and each FETCH of a cursor that reads anew is
-- charged; what a cursor holds is not.
SELECT spent AS before FROM sdc.remaining_budget('visits') WHERE role IS NULL \gset
SELECT count(a) FROM generate_series(1, 7) AS i,
    LATERAL (SELECT (sdc.dp_query('visits', '{count}', 1)).value + i AS a) AS l;
BEGIN;
DECLARE answers SCROLL CURSOR WITH HOLD FOR SELECT * FROM sdc.dp_query('visits', '{count}', 1);
COMMIT;
FETCH FORWARD ALL FROM answers \g /dev/null
MOVE BACKWARD ALL FROM answers;
FETCH FORWARD ALL FROM answers \g /dev/null
CLOSE answers;
SELECT spent - :before AS spent FROM sdc.remaining_budget('visits') WHERE role IS NULL;
RESET ROLE;

-- A unit column that is gone is found before the charge.
CREATE TABLE brief AS SELECT 1 AS id, 2 AS who;
SELECT sdc.create_dataset('brief', 'brief', 'who', epsilon => 10);
SELECT sdc.grant_budget('brief', current_user::regrole, 10);
ALTER TABLE brief DROP COLUMN who;
SELECT (sdc.dp_query('brief', '{count}', 1)).value;
SELECT DISTINCT spent FROM sdc.remaining_budget('brief');

-- Hostile and quoted names.
CREATE TABLE "Odd ""table""; --" ("a ""b"", (c)" int, "x'y" text);
INSERT INTO "Odd ""table""; --" SELECT i, 'it''s' FROM generate_series(1, 10) AS i;
SELECT sdc.create_dataset('"odd"; --', '"Odd ""table""; --"', epsilon => 1e6);
SELECT sdc.describe_column('"odd"; --', 'a "b", (c)', 0, 20);
SELECT sdc.describe_column('"odd"; --', 'x''y', categories => '{it''s,"b\"c\\"}');
SELECT sdc.grant_budget('"odd"; --', current_user::regrole, 1e6);
SELECT cell, aggregate,
       CASE WHEN cell ->> 'x''y' <> 'it''s' THEN value BETWEEN -2 AND 20
            WHEN aggregate ~ '^sum' THEN value BETWEEN 47 AND 51
            ELSE value BETWEEN 0 AND 4.1 END AS right
FROM sdc.dp_query('"odd"; --', ARRAY['sum(a "b", (c))', 'quantile(a "b", (c), 0)'],
    1000, ARRAY['x''y'], '"a ""b"", (c)" > 3 AND "x''y" = ''it''''s''');

-- Partitioned tables and materialized views can be asked, too.
CREATE TABLE parted (id int, kind text) PARTITION BY LIST (kind);
CREATE TABLE parted_a PARTITION OF parted FOR VALUES IN ('a');
CREATE TABLE parted_b PARTITION OF parted FOR VALUES IN ('b');
INSERT INTO parted SELECT i, (ARRAY['a', 'b'])[i % 2 + 1] FROM generate_series(1, 9) AS i;
CREATE MATERIALIZED VIEW kept AS SELECT * FROM parted WHERE id > 2;
SELECT sdc.create_dataset('parted', 'parted', 'id', epsilon => 1e6);
SELECT sdc.create_dataset('kept', 'kept', 'id', epsilon => 1e6, anew => true);
SELECT sdc.grant_budget('parted', current_user::regrole, 1e6), sdc.grant_budget('kept', current_user::regrole, 1e6);
SELECT (sdc.dp_query('parted', '{count}', 1000, predicate => 'kind = ''a''')).value AS parted, (sdc.dp_query('kept', '{count}', 1000)).value AS kept;

-- Units of a type that is passed by reference.
CREATE TABLE coded (who uuid, amount float4);
INSERT INTO coded SELECT md5((i % 5)::text)::uuid, i FROM generate_series(1, 100) AS i;
SELECT sdc.create_dataset('coded', 'coded', 'who', max_rows => 2, epsilon => 1e6);
SELECT sdc.describe_column('coded', 'amount', 0, 1);
SELECT sdc.grant_budget('coded', current_user::regrole, 1e6);
SELECT aggregate, round(value) AS value FROM sdc.dp_query('coded', '{count,sum(amount)}', 1000);

-- Units of other types: equal values that are written differently are one
-- unit; money and bit strings have no hash; dates are numbers.
CREATE TABLE named AS
SELECT CASE i % 3 WHEN 0 THEN i % 5 WHEN 1 THEN (i % 5)::numeric(9,2) ELSE (i % 5)::numeric(9,4) END AS who,
       (i % 6)::money AS cash, (i % 7)::bit(8) AS bits, DATE '2000-01-01' + i % 8 AS day,
       i % 2 AS half
FROM generate_series(1, 1680) AS i;
SELECT sdc.create_dataset(c, 'named', c::name, max_rows => 3, epsilon => 1e6, anew => true),
       sdc.grant_budget(c, current_user::regrole, 1e6),
       sdc.describe_column(c, 'half', categories => '{0,1}')
FROM unnest('{who,cash,bits,day}'::text[]) AS c;
SELECT c, (SELECT string_agg(value::text, ' ') FROM sdc.dp_query(c, '{count}', 1000)) AS units_by_3,
       (SELECT string_agg(value::text, ' ') FROM sdc.dp_query(c, '{count}', 1000, predicate => 'half = 1')) AS halves,
       (SELECT sum(value) FROM sdc.dp_query(c, '{count}', 1000, '{half}')) AS sum_of_halves
FROM unnest('{who,cash,bits,day}'::text[]) AS c;
-- Units that are integers: close together they are counted in an array, further
-- apart sorted with their cell, over the whole of bigint by two sorts; and text.
-- Rows of a unit lie far from each other, and each has 1 to 9.
CREATE TABLE whole AS
SELECT w - 40 AS close, w * 1000000007 AS apart, CASE WHEN w % 2 = 0 THEN w - 9223372036854775807 ELSE 9223372036854775807 - w END AS wide,
       md5(w::text) AS word, i % 3 AS third, w % 10 AS x
FROM (SELECT i, (i * 7919 % 200)::bigint AS w FROM generate_series(1, 1400) AS i) AS d WHERE i % 7 <= w % 9;
SELECT sdc.create_dataset(c, 'whole', c::name, max_groups => 3, max_rows => 2, epsilon => 1e6, anew => true),
       sdc.grant_budget(c, current_user::regrole, 1e6), sdc.describe_column(c, 'x', 0, 9),
       sdc.describe_column(c, 'third', categories => '{0,1,2}')
FROM unnest('{close,apart,wide,word}'::text[]) AS c;
SELECT sum(least(n, 2)) AS by_hand FROM (SELECT close, third, count(*) AS n FROM whole GROUP BY 1, 2) AS g;
SELECT c, (SELECT string_agg(value::text, ' ') FROM sdc.dp_query(c, '{count}', 1000)) AS count,
       (SELECT sum(value) FROM sdc.dp_query(c, '{count}', 1000, '{third}')) AS by_third,
       (SELECT string_agg(value::text, ' ') FROM sdc.dp_query(c, '{count}', 1000, predicate => 'x <= 4')) AS some,
       (SELECT abs(sum(value) - 3826) < 5 FROM sdc.dp_query(c, '{count,sum(x)}', 1000, '{third}') WHERE aggregate = 'sum(x)') AS sum_of_x
FROM unnest('{close,apart,wide,word}'::text[]) AS c;
SELECT sum(least(n, 2) * x) AS by_hand FROM (SELECT close, third, x, count(*) AS n FROM whole GROUP BY 1, 2, 3) AS g;
-- The same for figures that are too many to be moved with their rows, and when
-- rows are not read as they are stored, for a column is gone.
SELECT c, (SELECT abs(sum(value) - 3826) < 5 FROM sdc.dp_query(c, '{avg(x),sum(x),count}', 1000, '{third}') WHERE aggregate = 'sum(x)') AS sum_of_x
FROM unnest('{close,apart,wide,word}'::text[]) AS c;
SELECT sum(value) AS before FROM sdc.dp_query('apart', '{count}', 1000, '{third}', 'x BETWEEN 3 AND 7 AND (third < x OR x IS NULL)');
ALTER TABLE whole DROP close;
SELECT sum(value) AS after FROM sdc.dp_query('apart', '{count}', 1000, '{third}', 'x BETWEEN 3 AND 7 AND (third < x OR x IS NULL)');
DROP TABLE whole;
CREATE TABLE many AS SELECT md5((i / 2)::text) AS who, i % 2 AS x FROM generate_series(2, 100001) AS i;
SELECT sdc.create_dataset('many', 'many', 'who', epsilon => 1e6);
SELECT sdc.describe_column('many', 'x', 0, 1);
SELECT sdc.grant_budget('many', current_user::regrole, 1e6);
SELECT abs(value - 50000) < 5 AS one_row_each FROM sdc.dp_query('many', '{count}', 1000);
-- Each of two rows is as likely: half of them have x = 1.
SELECT abs(value - 25000) < 4.9 * sqrt(50000 / 4.0) AS fair FROM sdc.dp_query('many', '{sum(x)}', 1000);

-- Texts that have one hash are two units.
CREATE TABLE alike AS
WITH texts AS (SELECT md5(i::text) AS who FROM generate_series(1, 200000) AS i)
SELECT who FROM texts, generate_series(1, 5) WHERE hashtext(who) IN (
    SELECT hashtext(who) FROM texts GROUP BY 1 HAVING count(*) > 1);
SELECT sdc.create_dataset('alike', 'alike', 'who', max_rows => 2, epsilon => 1e6);
SELECT sdc.grant_budget('alike', current_user::regrole, 1e6);
SELECT count(DISTINCT who) >= 2 AS found,
       2 * count(DISTINCT who) = (SELECT value FROM sdc.dp_query('alike', '{count}', 1000)) AS told_apart
FROM alike;

-- Memory is bounded by what the administrator says, not by who asks.
SET sdc.memory_limit = '1MB';
SELECT abs(value - 50000) < 5 AS answered FROM sdc.dp_query('many', '{count}', 1000);
RESET sdc.memory_limit;
SET sdc.dp_memory_limit = '1MB';
SELECT value FROM sdc.dp_query('many', '{count}', 1000);
-- Nor by how many figures are asked for, before anything is charged.
SELECT spent AS before FROM sdc.remaining_budget('many') WHERE role IS NULL \gset
SELECT sdc.dp_query('many', array_fill('median(x)'::text, ARRAY[5]), 1000);
SELECT spent = :before AS uncharged FROM sdc.remaining_budget('many') WHERE role IS NULL;
SET ROLE regress_sdc_analyst;
SET sdc.dp_memory_limit = '2GB';
RESET ROLE;
RESET sdc.dp_memory_limit;

-- A foreign table would see what is asked, also as a partition.
CREATE FOREIGN DATA WRAPPER nothing;
CREATE SERVER nowhere FOREIGN DATA WRAPPER nothing;
CREATE FOREIGN TABLE parted_c PARTITION OF parted FOR VALUES IN ('c') SERVER nowhere;
SELECT value FROM sdc.dp_query('parted', '{count}', 1000);
DROP FOREIGN DATA WRAPPER nothing CASCADE;

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
DROP ROLE regress_sdc_analyst;
