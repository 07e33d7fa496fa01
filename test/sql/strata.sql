-- strata: PARTITION BY, and every kind of relation and column, in SELECT,
-- CREATE TABLE AS and UPDATE ... FROM.

\set SHOW_CONTEXT never
CREATE SCHEMA strata;
SET search_path = strata, public;

CREATE TABLE people AS
SELECT i AS id,
       CASE WHEN i % 7 = 0 THEN NULL ELSE 'region ' || i % 4 END AS region,
       CASE WHEN i % 11 <> 0 THEN (i * 37 % 251)::numeric / 4 END AS income,
       20 + i * 13 % 60 AS age, date '1950-01-01' + i * 97 % 20000 AS born
FROM generate_series(1, 400) AS i;
INSERT INTO people VALUES (401, 'alone', 7, 70, '1990-01-01'),
                          (402, 'empty', NULL, NULL, NULL);

CREATE TABLE masked AS
SELECT id, region, income, sdc.rank_swap(income, 10, seed => 5) OVER w AS swapped,
       age, sdc.shuffle(age, 5) OVER w AS shuffled,
       sdc.microaggregate(CASE WHEN region <> 'alone' THEN income::float8 END,
                          3) OVER w AS mean
FROM people WINDOW w AS (PARTITION BY region ORDER BY id);

-- In each stratum (NULL is one, too) the values are those that were there, a
-- NULL is where it was, and a single row keeps its value.
SELECT region, count(*) AS rows,
       array_agg(income ORDER BY income)
         = array_agg(swapped ORDER BY swapped) AS same_values,
       array_agg(age ORDER BY age)
         = array_agg(shuffled ORDER BY shuffled) AS same_ages,
       bool_and((income IS NULL) = (swapped IS NULL)
                AND (age IS NULL) = (shuffled IS NULL)) AS nulls_stay,
       count(*) FILTER (WHERE swapped <> income) > 0 AS moved,
       abs(sum(mean) - sum(income::float8)) < 1e-6 AS same_sum
FROM masked GROUP BY region ORDER BY region;

-- A stratum is masked alike alone and among others, and when the planner
-- pushes the condition on the stratum below the window.
SELECT count(*) AS rows, count(*) FILTER (WHERE m.swapped <> q.swapped) AS differ
FROM masked AS m
JOIN (SELECT id, sdc.rank_swap(income, 10, seed => 5) OVER (ORDER BY id) AS swapped
      FROM people WHERE region = 'region 1') AS q USING (id);
SELECT count(*) AS rows, count(*) FILTER (WHERE m.swapped <> q.swapped) AS differ
FROM masked AS m
JOIN (SELECT id, region, sdc.rank_swap(income, 10, seed => 5)
        OVER (PARTITION BY region ORDER BY id) AS swapped
      FROM people) AS q USING (id)
WHERE q.region = 'region 1';

-- Two strata of equal shape and one seed are not masked alike.
SELECT count(*) > 0 AS differ
FROM (SELECT id, sdc.shuffle(id, 1) OVER () AS m FROM generate_series(1, 50) AS id) AS a
JOIN (SELECT id, sdc.shuffle(id + 100, 1) OVER () AS m
      FROM generate_series(1, 50) AS id) AS b USING (id)
WHERE b.m - a.m <> 100;

-- Several windows, masks of masks, masks beside aggregates, in any order.
SELECT count(*) AS rows, count(*) FILTER (WHERE a.one <> b.one OR a.two <> b.two
                                          OR a.three <> b.three) AS differ
FROM (SELECT id, sdc.shuffle(age, 1) OVER (PARTITION BY region ORDER BY id) AS one,
             sdc.shuffle(age, 1) OVER (ORDER BY id) AS two,
             sdc.rank_swap(sum(age), 10, seed => 1) OVER (ORDER BY id) AS three
      FROM people WHERE age IS NOT NULL GROUP BY id, region, age) AS a
JOIN (SELECT id, sdc.rank_swap(sum(age), 10, seed => 1) OVER (ORDER BY id) AS three,
             sdc.shuffle(age, 1) OVER (ORDER BY id) AS two,
             sdc.shuffle(age, 1) OVER (PARTITION BY region ORDER BY id) AS one
      FROM people WHERE age IS NOT NULL GROUP BY id, region, age) AS b USING (id);
SELECT count(*) AS rows, count(DISTINCT m) <= count(DISTINCT income) AS within
FROM (SELECT income, sdc.microaggregate(swapped, 3) OVER (PARTITION BY region) AS m
      FROM (SELECT region, income::float8,
                   sdc.rank_swap(income::float8, 10, seed => 1) OVER () AS swapped
            FROM people WHERE region LIKE 'region%') AS q) AS q;

-- The frame of a window does not matter: a mask sees its partition.
SELECT count(*) AS rows, count(*) FILTER (WHERE m.swapped IS DISTINCT FROM q.swapped) AS differ
FROM masked AS m
JOIN (SELECT id, sdc.rank_swap(income, 10, seed => 5)
        OVER (PARTITION BY region ORDER BY id ROWS BETWEEN 1 PRECEDING AND CURRENT ROW
              EXCLUDE CURRENT ROW) AS swapped
      FROM people) AS q USING (id);

-- Every kind of relation gives the same.
CREATE VIEW a_view AS SELECT * FROM people;
CREATE MATERIALIZED VIEW a_matview AS SELECT * FROM people;
CREATE TABLE parted (LIKE people) PARTITION BY LIST (region);
CREATE TABLE part_1 PARTITION OF parted FOR VALUES IN ('region 1', NULL);
CREATE TABLE part_rest (gone int, born date, age int, income numeric,
                        region text, id int);
ALTER TABLE part_rest DROP COLUMN gone;
ALTER TABLE parted ATTACH PARTITION part_rest DEFAULT;
INSERT INTO parted TABLE people;
CREATE TABLE parent (LIKE people);
CREATE TABLE child () INHERITS (parent);
INSERT INTO parent SELECT * FROM people WHERE id % 2 = 0;
INSERT INTO child SELECT * FROM people WHERE id % 2 = 1;
CREATE TEMPORARY TABLE temporary AS TABLE people;
DO $$
DECLARE
    relation regclass;
    differ bigint;
BEGIN
    FOREACH relation IN ARRAY
        '{people,a_view,a_matview,parted,parent,temporary}'::regclass[]
    LOOP
        EXECUTE format(
            'CREATE TABLE copy AS
             SELECT id, sdc.rank_swap(income, 10, seed => 5)
                    OVER (PARTITION BY region ORDER BY id) AS swapped
             FROM %s', relation);
        SELECT count(*) INTO differ FROM masked m FULL JOIN copy c USING (id)
        WHERE m.swapped IS DISTINCT FROM c.swapped;
        RAISE INFO '%: % differ', relation, differ;
        DROP TABLE copy;
    END LOOP;
END $$;

-- The plan does not matter.
SET enable_sort = off;
SET enable_hashjoin = off;
SET max_parallel_workers_per_gather = 2;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
SELECT count(*) AS rows, count(*) FILTER (WHERE m.swapped IS DISTINCT FROM q.swapped) AS differ
FROM masked AS m
JOIN (SELECT id, sdc.rank_swap(income, 10, seed => 5)
        OVER (PARTITION BY region ORDER BY id) AS swapped
      FROM people) AS q USING (id);
RESET ALL;
SET search_path = strata, public;

-- UPDATE ... FROM in place: a table, a partitioned table (rows that stay in
-- their partition), a view that can be updated.
UPDATE temporary AS t SET income = q.swapped
FROM (SELECT id, sdc.rank_swap(income, 10, seed => 5)
        OVER (PARTITION BY region ORDER BY id) AS swapped
      FROM temporary) AS q
WHERE t.id = q.id;
UPDATE parted AS t SET income = q.swapped
FROM (SELECT id, sdc.rank_swap(income, 10, seed => 5)
        OVER (PARTITION BY region ORDER BY id) AS swapped
      FROM parted) AS q
WHERE t.id = q.id;
UPDATE a_view AS t SET income = q.swapped
FROM (SELECT id, sdc.rank_swap(income, 10, seed => 5)
        OVER (PARTITION BY region ORDER BY id) AS swapped
      FROM a_view) AS q
WHERE t.id = q.id;
SELECT count(*) AS rows,
       count(*) FILTER (WHERE m.swapped IS DISTINCT FROM t.income
                        OR m.swapped IS DISTINCT FROM p.income
                        OR m.swapped IS DISTINCT FROM v.income) AS differ
FROM masked AS m JOIN temporary AS t USING (id) JOIN parted AS p USING (id)
JOIN people AS v USING (id);

-- Names that need quotes, and one that tries more.
CREATE SCHEMA "Odd ""schema""";
CREATE TABLE "Odd ""schema"""."the table; DROP TABLE people; --" AS
SELECT id AS "Id", income AS "in""come", region AS "select", age AS "äge $1"
FROM masked;
SELECT count(*) AS rows,
       array_agg("in""come" ORDER BY "in""come") = array_agg(m ORDER BY m) AS same_values
FROM (SELECT "in""come", sdc.rank_swap("in""come", 10, seed => 5)
        OVER (PARTITION BY "select" ORDER BY "Id") AS m
      FROM "Odd ""schema"""."the table; DROP TABLE people; --") AS q;
UPDATE "Odd ""schema"""."the table; DROP TABLE people; --" AS t
SET "äge $1" = q.m
FROM (SELECT "Id", sdc.shuffle("äge $1", 5) OVER (PARTITION BY "select" ORDER BY "Id") AS m
      FROM "Odd ""schema"""."the table; DROP TABLE people; --") AS q
WHERE t."Id" = q."Id";
SELECT count(*) AS rows, count(*) FILTER (WHERE t."äge $1" IS DISTINCT FROM m.shuffled) AS differ
FROM "Odd ""schema"""."the table; DROP TABLE people; --" AS t
JOIN masked AS m ON m.id = t."Id";

-- Domains: a mask that moves values keeps the domain, and so do arrays of
-- them; one that computes gives the type it computes in.
CREATE DOMAIN salary AS numeric(10, 2) CHECK (VALUE >= 0);
CREATE DOMAIN code AS text CHECK (VALUE ~ '^c');
CREATE TABLE domained AS
SELECT id, income::salary AS pay, ('c' || region)::code AS code,
       ARRAY[income, age]::salary[] AS pays
FROM masked;
CREATE TABLE domained_masked AS
SELECT id, sdc.rank_swap(pay, 10, seed => 5) OVER w AS pay,
       sdc.shuffle(code, 1) OVER w AS code, sdc.shuffle(pays, 1) OVER w AS pays,
       sdc.microaggregate(pay, 3) OVER w AS mean
FROM domained WINDOW w AS (ORDER BY id);
SELECT attname, format_type(atttypid, NULL) AS type FROM pg_attribute
WHERE attrelid = 'domained_masked'::regclass AND attnum > 0 ORDER BY attnum;
SELECT (SELECT array_agg(pay ORDER BY pay) FROM domained)
         = (SELECT array_agg(pay ORDER BY pay) FROM domained_masked) AS pay,
       (SELECT array_agg(code ORDER BY code) FROM domained)
         = (SELECT array_agg(code ORDER BY code) FROM domained_masked) AS code,
       (SELECT array_agg(pays::text ORDER BY pays::text) FROM domained)
         = (SELECT array_agg(pays::text ORDER BY pays::text) FROM domained_masked) AS pays;
-- A value that breaks the rule of a domain is refused where it is stored.
CREATE DOMAIN even AS int CHECK (VALUE % 2 = 0);
CREATE TABLE evens (id int, value even);
INSERT INTO evens SELECT i, 2 * i FROM generate_series(1, 7) AS i;
UPDATE evens AS t SET value = q.m
FROM (SELECT id, sdc.microaggregate(value, 3) OVER () + 1 AS m FROM evens) AS q
WHERE t.id = q.id;

-- Generated columns are read like others and follow an UPDATE of theirs;
-- they cannot be masked in place.  Dropped columns are gone.
CREATE TABLE computed (gone text, id int, pay int, gone_too numeric,
                       double int GENERATED ALWAYS AS (pay * 2) STORED, age int);
INSERT INTO computed (gone, id, pay, gone_too, age)
SELECT 'gone', i, i * 7 % 100, i, i % 30 FROM generate_series(1, 60) AS i;
ALTER TABLE computed DROP COLUMN gone, DROP COLUMN gone_too;
SELECT count(*) AS rows, bool_and(m % 2 = 0) AS even
FROM (SELECT sdc.rank_swap(double, 10, seed => 1) OVER () AS m FROM computed) AS q;
UPDATE computed AS t SET pay = q.m
FROM (SELECT id, sdc.rank_swap(pay, 20, seed => 1) OVER () AS m FROM computed) AS q
WHERE t.id = q.id;
SELECT bool_and(double = 2 * pay) AS follows, count(*) FILTER (WHERE pay <> id * 7 % 100) > 0 AS moved
FROM computed;
UPDATE computed AS t SET double = q.m
FROM (SELECT id, sdc.rank_swap(double, 20, seed => 1) OVER () AS m FROM computed) AS q
WHERE t.id = q.id;
-- A whole row has the columns that are left.
SELECT count(*) AS rows, count(*) FILTER (WHERE a.g <> b.g) AS differ
FROM (SELECT id, sdc.microaggregate_group(c, 3) OVER () AS g FROM computed AS c) AS a
JOIN (SELECT id, sdc.microaggregate_group(ROW(id, pay, double, age), 3) OVER () AS g
      FROM computed) AS b USING (id);
SELECT count(*) AS rows, count(*) FILTER (WHERE a.g <> b.g) AS differ
FROM (SELECT id, sdc.microaggregate_group(c, 3, 'mondrian') OVER () AS g FROM computed AS c) AS a
JOIN (SELECT id, sdc.microaggregate_group(ROW(id, pay, double, age), 3, 'mondrian') OVER () AS g
      FROM computed) AS b USING (id);
SELECT (sum(m.pay) = sum(c.pay)) AS same_sum, count(DISTINCT m.id) AS rows
FROM (SELECT (sdc.shuffle(c, 1) OVER ()).* FROM computed AS c) AS m
FULL JOIN computed AS c USING (id);

-- No rows at all.
SELECT sdc.rank_swap(income, 10) OVER (PARTITION BY region) FROM people WHERE false;
CREATE TABLE nothing AS
SELECT sdc.shuffle(income) OVER () AS a, sdc.microaggregate(income, 3) OVER () AS b
FROM people WHERE false;
SELECT count(*) FROM nothing;

SET client_min_messages = warning;
DROP SCHEMA strata, "Odd ""schema""" CASCADE;
