-- suggestion: roles guessed for columns, and columns nobody decided about.

\set SHOW_CONTEXT never

CREATE TYPE level AS ENUM ('low', 'high');
CREATE TABLE staff(
    id int PRIMARY KEY, "firstName" text, e_mail text, ssn text,
    date_of_birth date, sex "char", zip text, education level,
    salary numeric, weight float8, household_id int, stratum int,
    machine inet, hired timestamp, remark text, score float8, steps int,
    office int, same text, nothing int, notes jsonb, raw json, spot point);
INSERT INTO staff
SELECT i, 'n' || i % 20, i || '@x', i, date '1990-01-01' + i % 30,
       CASE i % 2 WHEN 0 THEN 'f' ELSE 'm' END, 'z' || i % 5,
       (CASE i % 3 WHEN 0 THEN 'low' ELSE 'high' END)::level, i * 100,
       1 + i % 4, i / 3, i % 6, '10.0.0.1', now(), 'free ' || i % 50,
       i / 7.0, i * 3 % 97, i % 4, 'x', NULL, '{}', '{}',
       point(i % 20, i)
FROM generate_series(1, 60) AS i;

-- each column with the sentence that says why
SELECT column_name, role, reason FROM sdc.suggest('staff');

-- The figures are those of SQL.
CREATE FUNCTION expected(col name) RETURNS TABLE(distinction float8, separation float8)
LANGUAGE plpgsql AS $$
BEGIN
  RETURN QUERY EXECUTE format(
    'SELECT count(*)::float8 / sum(n)::float8,
            1 - sum(n * (n - 1))::float8 / (sum(n) * (sum(n) - 1))::float8
     FROM (SELECT count(*) AS n FROM staff GROUP BY %I) AS g', col);
END $$;
SELECT count(*) AS columns, bool_and(s.distinction = e.distinction) AS distinction,
       bool_and(abs(s.separation - e.separation) < 1e-15) AS separation
FROM sdc.suggest('staff') AS s, expected(s.column_name) AS e
WHERE column_name NOT IN ('raw', 'spot');
SELECT column_name, distinction, separation FROM sdc.suggest('staff')
WHERE column_name IN ('raw', 'notes', 'id', 'spot');

-- without looking at the values: needs no right to read them
CREATE ROLE regress_sdc_suggestion;
SET ROLE regress_sdc_suggestion;
SELECT column_name, role, distinction FROM sdc.suggest('staff', '{"values":"skip"}') LIMIT 3;
SELECT column_name FROM sdc.suggest('staff');
SELECT column_name FROM sdc.drift('staff');
RESET ROLE;

-- Only the first number of the records is the id.
CREATE TABLE two(a_id int, b_id int);
INSERT INTO two VALUES (1, 2), (2, 1);
SELECT column_name, role FROM sdc.suggest('two');

-- no records, one record, no columns
CREATE TABLE nobody(id int, age int, zip text, x text);
SELECT column_name, role, distinction, separation FROM sdc.suggest('nobody');
INSERT INTO nobody VALUES (1, 2, '3', '4');
SELECT column_name, role, distinction, separation FROM sdc.suggest('nobody');
CREATE TABLE bare();
SELECT * FROM sdc.suggest('bare');
SELECT * FROM sdc.drift('bare');

-- what row-level security hides is not counted, and told
CREATE POLICY none_of_them ON nobody USING (false);
ALTER TABLE nobody ENABLE ROW LEVEL SECURITY;
GRANT SELECT ON nobody TO regress_sdc_suggestion;
SET ROLE regress_sdc_suggestion;
SELECT column_name, distinction FROM sdc.suggest('nobody') LIMIT 1;
RESET ROLE;

-- arguments
SELECT * FROM sdc.suggest(NULL);
SELECT * FROM sdc.suggest('staff', '{"value":"skip"}');
SELECT * FROM sdc.suggest('staff', '{"values":"none"}');
SELECT * FROM sdc.drift(NULL);

-- drift: all columns at first, none when each has a role
CREATE TABLE grows(id int, age int, "Zip, ""code""" text, gone int, score int)
PARTITION BY LIST (age);
CREATE TABLE grows_1 PARTITION OF grows FOR VALUES IN (1);
SELECT column_name, role FROM sdc.drift('grows');
SELECT sdc.declare('grows', id => 'id', keys => ARRAY['age', 'Zip, "code"']::name[],
                   insensitive => '{gone,score}');
SELECT * FROM sdc.drift('grows');
SELECT * FROM sdc.drift('grows_1');
-- a column is added, retyped, dropped, renamed
ALTER TABLE grows ADD email text;
ALTER TABLE grows ALTER score TYPE bigint;
ALTER TABLE grows DROP gone;
ALTER TABLE grows RENAME "Zip, ""code""" TO zip;
INSERT INTO grows VALUES (1, 1, 'a', 5, 'x@y'), (2, 1, 'a', 6, 'z@y');
SELECT * FROM sdc.drift('grows');
SELECT column_name, role FROM sdc.drift('grows_1');
SELECT sdc.declare('grows', id => 'id', identifiers => '{email}', keys => '{age,zip}',
                   insensitive => '{score}');
SELECT * FROM sdc.drift('grows');
-- a longer varchar is another type, too
CREATE TABLE longer(a varchar(5));
SELECT sdc.declare('longer', keys => '{a}');
ALTER TABLE longer ALTER a TYPE varchar(9);
SELECT column_name, role, reason FROM sdc.drift('longer');

-- From suggestions to a declaration.
SELECT sdc.declare('staff',
         id => min(column_name) FILTER (WHERE role = 'id'),
         identifiers => array_agg(column_name) FILTER (WHERE role = 'identifier'),
         keys => array_agg(column_name) FILTER (WHERE role = 'key'),
         sensitive => array_agg(column_name) FILTER (WHERE role = 'sensitive'),
         weight => min(column_name) FILTER (WHERE role = 'weight'),
         strata => array_agg(column_name) FILTER (WHERE role = 'strata'),
         household => min(column_name) FILTER (WHERE role = 'household'),
         insensitive => array_agg(column_name) FILTER (WHERE role = 'insensitive'))
FROM sdc.suggest('staff');
SELECT role, string_agg(column_name, ' ' ORDER BY column_name::text COLLATE "C")
FROM sdc.declared('staff')
GROUP BY role ORDER BY role COLLATE "C";
SELECT * FROM sdc.drift('staff');

SELECT sdc.declare('staff'), sdc.declare('grows'), sdc.declare('longer');
DROP TABLE staff, two, nobody, bare, grows, longer;
DROP TYPE level;
DROP FUNCTION expected;
DROP ROLE regress_sdc_suggestion;

-- One scan counts as GROUP BY does: zeros, NaN, equal numbers that print
-- differently, case, NULLs, and types that are counted on their own.
CREATE TABLE odd AS
SELECT (CASE i % 5 WHEN 0 THEN '-0' WHEN 1 THEN '0' WHEN 2 THEN 'NaN' WHEN 3 THEN NULL ELSE i::text END)::float8 AS f8,
       (CASE i % 4 WHEN 0 THEN '-0' WHEN 1 THEN '0' WHEN 2 THEN 'NaN' ELSE '1e30' END)::float4 AS f4,
       (CASE i % 3 WHEN 0 THEN '1.0' WHEN 1 THEN '1.00' ELSE 'NaN' END)::numeric AS n,
       (CASE i % 2 WHEN 0 THEN -i ELSE 4294967296 * i END)::bigint AS b,
       (i % 7)::smallint AS s, (CASE i % 2 WHEN 0 THEN 'a ' ELSE 'a' END)::char(3) AS c,
       ('(' || i % 3 || ',2)')::point AS p, make_interval(days => i % 2 * 30, months => 1 - i % 2) AS v,
       ARRAY[i % 4, NULL] AS a, (i % 3 = 0) AS t, ('x' || i % 6)::varchar AS w, NULL::text AS nothing
FROM generate_series(1, 100) AS i;
CREATE FUNCTION expected_odd(col name) RETURNS TABLE(distinction float8, separation float8)
LANGUAGE plpgsql AS $$
BEGIN
  RETURN QUERY EXECUTE format(
    'SELECT count(*)::float8 / sum(n)::float8,
            1 - sum(n * (n - 1))::float8 / (sum(n) * (sum(n) - 1))::float8
     FROM (SELECT count(*) AS n FROM odd GROUP BY %I) AS g', col);
END $$;
SELECT s.column_name, s.distinction = e.distinction AS distinction,
       abs(s.separation - e.separation) < 1e-15 AS separation
FROM sdc.suggest('odd') AS s, expected_odd(s.column_name) AS e
WHERE column_name <> 'p';
-- with little memory PostgreSQL counts, or there are several scans: the same
CREATE TABLE longer AS SELECT i, i % 1000 AS j, md5((i % 77)::text) AS k
FROM generate_series(1, 20000) AS i;
CREATE TEMP TABLE once AS SELECT * FROM sdc.suggest('longer');
SET sdc.memory_limit = '2MB';
SELECT * FROM sdc.suggest('longer') EXCEPT SELECT * FROM once;
SET sdc.memory_limit = '1MB';
SELECT * FROM sdc.suggest('longer') EXCEPT SELECT * FROM once;
RESET sdc.memory_limit;
DROP FUNCTION expected_odd;
DROP TABLE odd, longer, once;
