-- Rows that are gone and values that have moved: what releases over time show of
-- persons whose rows come and go, or whose values all move alike.  Plain SQL
-- with all nights is the oracle.
CREATE SCHEMA gone;
CREATE SCHEMA gone_out;
SET search_path = gone;
SET sdc.progress_interval = 0;
SET client_min_messages = error;
-- The masks of a release depend on a key of the policy: one for this test.
INSERT INTO sdc.policy_key
SELECT policy, decode(repeat('5d', 32), 'hex')
FROM unnest('{window_three,window_one,window_home,window_fresh,shift_all,shift_some,window_few,names_few,towns_named,towns_kept,towns_gone}'::text[]) AS policy
ON CONFLICT (policy) DO UPDATE SET key = excluded.key;
INSERT INTO sdc.secret (domain, key) VALUES ('gone', sha256('gone'));

-- A table of the last nights: 100 customers come back each night with a new row,
-- masked by itself.
CREATE TABLE night_seen (policy text, night int, name text, income float8, rent float8);
CREATE FUNCTION coming(first int, last int)
RETURNS TABLE (id int, night int, customer int, income int, rent int) LANGUAGE sql AS $$
SELECT n * 1000 + c, n, 4000 + c, c * 7919 % 997, c * 104729 % 1009
FROM generate_series(1, 100) AS c, generate_series(first, last) AS n $$;
CREATE FUNCTION window_policy(name text, alpha float8, params jsonb) RETURNS void LANGUAGE sql AS $$
SELECT sdc.create_policy(name, name::regclass, jsonb_build_object('customer',
        '{"method": "pseudonym", "domain": "gone", "format": "digits"}'::jsonb,
        'income', noise, 'rent', noise), '[{"attack": "worst", "<=": 1}]',
    '{"schema": "gone_out", "attacks": ["likelihood"], "drop": ["night"]}'::jsonb || params)
FROM jsonb_build_object('method', 'add_noise', 'alpha', alpha) AS noise $$;
-- The statements of nights, in which a table holds the rows of so many.
CREATE FUNCTION nights(name text, width int, nights int) RETURNS SETOF text LANGUAGE sql AS $$
SELECT s FROM generate_series(width, width + nights - 1) AS n, LATERAL (VALUES
    (1, format('DELETE FROM %I WHERE night <= %s', name, n - width)),
    (2, format('INSERT INTO %2$I SELECT * FROM coming(%1$s, %1$s) WHERE id NOT IN (SELECT id FROM %2$I)', n, name)),
    (3, format('CALL sdc.release(%L, seed => %s)', name, 5000000000000000000 + n)),
    (4, format('INSERT INTO night_seen SELECT %1$L, %2$s, customer, income, rent FROM gone_out.%1$I', name, n))) AS v (i, s)
ORDER BY n, i $$;
-- Of 100 customers, those whose pseudonym has the nearest mean: by all nights, or
-- by the last one.
CREATE FUNCTION by_sql(name text, OUT by_all bigint, OUT by_last bigint) LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE format($s$
    WITH known AS (
        SELECT sdc.pseudonym(customer::text, 'gone', format => 'digits') AS name, avg(income) AS income, avg(rent) AS rent
        FROM %1$I GROUP BY 1),
    mean AS (
        SELECT last, name, avg(income) AS income, avg(rent) AS rent
        FROM (SELECT DISTINCT false, name, income, rent FROM night_seen WHERE policy = %1$L
              UNION ALL SELECT true, customer::text, income, rent FROM gone_out.%1$I) AS s (last, name, income, rent)
        GROUP BY 1, 2)
    SELECT count(*) FILTER (WHERE said = k.name AND NOT l), count(*) FILTER (WHERE said = k.name AND l)
    FROM known AS k, unnest('{f,t}'::bool[]) AS l, LATERAL (
        SELECT m.name AS said FROM mean AS m WHERE m.last = l
        ORDER BY (m.income - k.income) ^ 2 + (m.rent - k.rent) ^ 2 LIMIT 1) AS s $s$, name)
    INTO by_all, by_last;
END $$;
CREATE FUNCTION found(name text, wish text) RETURNS float8 LANGUAGE sql AS $$
SELECT (a ->> 'found')::float8
FROM (SELECT measures FROM sdc.releases(name) ORDER BY release DESC LIMIT 1) AS r,
     jsonb_array_elements(measures -> 0 -> 'attacks') AS a WHERE a ->> 'attack' = wish $$;
CREATE FUNCTION says_gone(name text) RETURNS bool LANGUAGE sql AS $$
SELECT bool_or(g ->> 'detail' ~ 'also those that are gone from the table')
FROM (SELECT measures FROM sdc.releases(name) ORDER BY release DESC LIMIT 1) AS r,
     jsonb_array_elements(measures -> 0 -> 'gate') AS g $$;

CREATE TABLE window_three AS SELECT * FROM coming(1, 3);
SELECT sdc.declare('window_three', id => 'id', keys => 'income,rent', person => 'customer');
SELECT window_policy('window_three', 0.5, '{"table": "window_three"}');
SELECT nights('window_three', 3, 6) \gexec
SELECT by_all > 25 AS by_all, by_last < 15 AS by_last, found('window_three', 'sequence') * 100 >= by_all AS as_by_sql,
       says_gone('window_three')
FROM by_sql('window_three');
-- Nobody learns from the memory whose a row is.
SELECT count(DISTINCT whose) AS whose, bool_and(cardinality(whose) = 1 AND length(whose[1]) = 16) AS digests
FROM sdc.release_values('window_three', 'window_three');

-- Each night has other rows, and nobody has said what a customer is.
CREATE TABLE window_one AS SELECT * FROM coming(1, 1);
SELECT sdc.declare('window_one', id => 'id', keys => 'income,rent', insensitive => 'customer');
SELECT window_policy('window_one', 0.5, '{"table": "window_one", "anew": true, "apart": ["window_three"]}');
SELECT nights('window_one', 1, 6) \gexec
SELECT by_all > 15 AS by_all, by_last < 10 AS by_last, found('window_one', 'sequence') * 100 >= by_all AS as_by_sql,
       says_gone('window_one')
FROM by_sql('window_one');
-- A bound on one night holds for all of them.
SELECT sdc.create_policy(jsonb_set(sdc.policy_json('window_one'), '{relations,0,constraints}', '[{"attack": "likelihood", "<=": 0.2}]'));
CREATE TABLE remembered AS SELECT * FROM sdc.release_values('window_one', 'window_one');
\set VERBOSITY sqlstate
CALL sdc.release('window_one', seed => 5000000000000000099);
\set VERBOSITY default
SELECT status, reason ~ 'attack sequence' AS for_the_sequence FROM sdc.releases('window_one') ORDER BY release DESC LIMIT 1;
SELECT count(*) AS forgotten FROM (TABLE remembered EXCEPT ALL SELECT * FROM sdc.release_values('window_one', 'window_one')) AS d;

-- Households of six, of whom two are published each night.
CREATE FUNCTION at_home(night int) RETURNS TABLE (id int, night int, customer int, income int, rent int) LANGUAGE sql AS $$
SELECT m * 1000 + h, night, 7000 + h, h * 7919 % 997 + m * 5, h * 104729 % 1009
FROM generate_series(1, 100) AS h, generate_series(2 * night % 6, 2 * night % 6 + 1) AS m $$;
CREATE TABLE window_home AS SELECT * FROM at_home(1);
SELECT sdc.declare('window_home', id => 'id', keys => 'income,rent', household => 'customer');
SELECT window_policy('window_home', 0.4, '{"table": "window_home", "anew": true, "apart": ["window_three", "window_one"]}');
SELECT s FROM generate_series(1, 3) AS n, LATERAL (VALUES (1, 'DELETE FROM window_home'),
    (2, format('INSERT INTO window_home SELECT * FROM at_home(%s)', n)),
    (3, format('CALL sdc.release(''window_home'', seed => %s)', 5000000000000000000 + n)),
    (4, format('INSERT INTO night_seen SELECT ''window_home'', %s, customer, income, rent FROM gone_out.window_home', n))) AS v (i, s)
ORDER BY n, i \gexec
SELECT by_all > by_last AS by_all, found('window_home', 'sequence') * 100 >= by_all AS as_by_sql
FROM by_sql('window_home');

-- Rows that are drawn anew in the two nights that they are there: they are not
-- taken to have been in the nights before, which nobody remembers of them.
CREATE TABLE window_fresh AS SELECT id, night, income, rent FROM coming(1, 2);
SELECT sdc.declare('window_fresh', id => 'id', keys => 'income,rent');
SELECT sdc.create_policy('window_fresh', 'window_fresh', (sdc.policy_json('window_one') #> '{relations,0,rules}') - 'customer',
    '[{"attack": "worst", "<=": 1}]', '{"schema": "gone_out", "table": "window_fresh", "attacks": ["likelihood"], "fresh": true,
      "drop": ["night"], "apart": ["window_three", "window_one", "window_home"]}');
SELECT replace(s, '*', 'id, night, income, rent') FROM nights('window_fresh', 2, 8) AS s WHERE s !~ 'night_seen' \gexec
SELECT found('window_fresh', 'sequence') < 0.1 AS as_of_two_nights;

-- Everybody's values move alike, farther than noise: all are drawn anew, for
-- other values, and who takes the move off again averages.
CREATE TABLE shift_all (id int PRIMARY KEY, a float8, b date, c float8);
INSERT INTO shift_all SELECT i, i * 7919 % 997, date '2000-01-01' + i * 104729 % 1009, i * 31337 % 1013
FROM generate_series(1, 300) AS i;
CREATE TABLE shift_seen (night int, name text, a float8, b float8, c float8);
SELECT sdc.declare('shift_all', id => 'id', keys => 'a,b,c');
SELECT sdc.create_policy('shift_all', 'shift_all', '{"id": {"method": "pseudonym", "domain": "gone", "format": "digits"},
        "a": {"method": "add_noise", "alpha": 0.3}, "b": {"method": "add_noise", "alpha": 0.3}, "c": {"method": "add_noise", "alpha": 0.3}}',
    '[{"attack": "worst", "<=": 1}]', '{"schema": "gone_out", "table": "shift_all", "attacks": ["likelihood"]}');
SELECT s FROM generate_series(1, 5) AS n, LATERAL (VALUES (1, format('CALL sdc.release(''shift_all'', seed => %s)', 5000000000000000000 + n)),
    (2, format('INSERT INTO shift_seen SELECT %s, id, a, b - date ''2000-01-01'', c FROM gone_out.shift_all', n)),
    (3, format('UPDATE shift_all SET a = a * 1.3 + 700, b = b + 800, c = c - 900 WHERE %s < 5', n))) AS v (i, s) ORDER BY n, i \gexec
WITH known AS (SELECT sdc.pseudonym(id::text, 'gone', format => 'digits') AS name, (a - avg(a) OVER ()) / stddev(a) OVER () AS a,
        (b - date '2000-01-01' - avg(b - date '2000-01-01') OVER ()) / 291 AS b, (c - avg(c) OVER ()) / 292 AS c FROM shift_all),
    seen AS (SELECT night, name, (a - avg(a) OVER w) / (stddev(a) OVER w / sqrt(1.3)) AS a, (b - avg(b) OVER w) / 291 AS b, (c - avg(c) OVER w) / 292 AS c
        FROM shift_seen WINDOW w AS (PARTITION BY night)),
    mean AS (SELECT last, name, avg(a) AS a, avg(b) AS b, avg(c) AS c FROM seen, unnest('{f,t}'::bool[]) AS last
        WHERE night = 5 OR NOT last GROUP BY 1, 2),
    sql AS (SELECT count(*) FILTER (WHERE said = k.name AND NOT l) AS by_all, count(*) FILTER (WHERE said = k.name AND l) AS by_last
        FROM known AS k, unnest('{f,t}'::bool[]) AS l, LATERAL (SELECT m.name AS said FROM mean AS m WHERE m.last = l
            ORDER BY (m.a - k.a) ^ 2 + (m.b - k.b) ^ 2 + (m.c - k.c) ^ 2 LIMIT 1) AS s)
SELECT by_all > 70 AS by_all, by_last < 40 AS by_last, found('shift_all', 'sequence') * 300 >= by_all AS as_by_sql FROM sql;
-- Values that are others altogether tell nothing of those of now.
CREATE TABLE shift_some AS SELECT * FROM shift_all;
SELECT sdc.declare('shift_some', id => 'id', keys => 'a,b,c');
SELECT sdc.create_policy('shift_some', 'shift_some', sdc.policy_json('shift_all') -> 'relations' -> 0 -> 'rules',
    '[{"attack": "worst", "<=": 1}]', '{"schema": "gone_out", "table": "shift_some", "attacks": ["likelihood"], "apart": ["shift_all"]}');
CALL sdc.release('shift_some', seed => 5000000000000000001);
UPDATE shift_some SET a = 9000 + id * 4241 % 991, b = date '2050-01-01' + id * 6007 % 1013, c = 9000 + id * 9973 % 1019;
CALL sdc.release('shift_some', seed => 5000000000000000002);
SELECT found('shift_some', 'sequence') <= found('shift_some', 'likelihood') + 0.02 AS as_one_night;

-- What moved is attacked with a tenth of the work, and beyond it on a sample,
-- whose upper end counts; a seed draws the same one.
CREATE FUNCTION moved_sample() RETURNS text LANGUAGE sql AS $$
SELECT a ->> 'sample'
FROM (SELECT measures FROM sdc.releases('shift_all') ORDER BY release DESC LIMIT 1) AS r,
     jsonb_array_elements(measures -> 0 -> 'attacks') AS a WHERE a ->> 'attack' = 'sequence' $$;
SELECT sdc.create_policy(jsonb_set(sdc.policy_json('shift_all'), '{relations,0,constraints}',
    '[{"attack": "sequence", "params": {"work": 60000}, "<=": 0}]'));
UPDATE shift_all SET a = a * 1.3 + 700, b = b + 800, c = c - 900;
\set VERBOSITY sqlstate
CALL sdc.release('shift_all', seed => 5000000000000000006);
CREATE TABLE moved_once AS SELECT moved_sample() AS said;
CALL sdc.release('shift_all', seed => 5000000000000000006);
\set VERBOSITY default
SELECT substring(said FROM 'Attacked were ([0-9]+) of 300 people')::int < 150 AS few,
       substring(said FROM ' to ([0-9.]*[0-9])')::float8 > found('shift_all', 'sequence') AS upper, said = moved_sample() AS same
FROM moved_once;

-- Where few had rows that are gone these are counted, not attacked: each of them,
-- and one whom he hid.
CREATE TABLE window_few AS SELECT id, 1 AS night, 4000 + id AS customer, id * 7919 % 997 AS income, id * 104729 % 1009 AS rent
FROM generate_series(1, 500) AS id;
SELECT sdc.declare('window_few', id => 'id', keys => 'income,rent', insensitive => 'customer');
SELECT window_policy('window_few', 0.5, '{"table": "window_few", "apart": ["window_three", "window_one", "window_home", "names_few"]}');
CALL sdc.release('window_few', seed => 5000000000000000001);
UPDATE window_few SET id = id + 1000 WHERE id <= 2;
CALL sdc.release('window_few', seed => 5000000000000000002);
SELECT substring(s FROM '([0-9.]+) % of the people had rows that are gone')::float8 AS gone, says_gone('window_few') AS attacked,
       abs(substring(s FROM 'whom they hid.* at most ([0-9.]*[0-9])')::float8 - 0.008
           - substring(s FROM 'found now is taken to be at most ([0-9.]*[0-9])')::float8) < 0.0001 AS counted
FROM (SELECT measures FROM sdc.releases('window_few') ORDER BY release DESC LIMIT 1) AS r,
     jsonb_array_elements(measures -> 0 -> 'attacks') AS a, LATERAL (SELECT a ->> 'sample' AS s) AS s WHERE a ->> 'attack' = 'sequence';

-- A pseudonym of few rows says that they belong together, not what goes with it:
-- whose a row is, one of three alike, is found about as often as plain SQL finds
-- the customer.  (By a law learned from whose the others are, all were found.)
CREATE TABLE names_few AS SELECT * FROM coming(1, 3);
SELECT sdc.declare('names_few', id => 'id', keys => 'income,rent', insensitive => 'customer');
SELECT window_policy('names_few', 0.5, '{"table": "names_few", "apart": ["window_three", "window_one", "window_home"]}');
CALL sdc.release('names_few', seed => 5000000000000000003);
SELECT by_last BETWEEN 5 AND 30 AS by_sql, found('names_few', 'likelihood') * 300 BETWEEN by_last / 2 AND 2 * by_last AS as_by_sql
FROM by_sql('names_few');
-- What goes with a name of many rows can be known: who lives in a town.
CREATE TABLE towns_named AS SELECT i AS id, 't' || i % 6 AS town, i % 6 * 700 + i * 7919 % 997 AS income, i * 104729 % 1009 AS rent
FROM generate_series(1, 600) AS i;
CREATE TABLE towns_kept AS TABLE towns_named;
CREATE TABLE towns_gone AS TABLE towns_named;
SELECT sdc.declare(t, id => 'id', keys => 'income,rent', insensitive => 'town')
FROM unnest('{towns_named,towns_kept,towns_gone}'::regclass[]) AS t;
SELECT sdc.create_policy(t, t::regclass, jsonb_build_object('town', town, 'income', noise, 'rent', noise), '[{"attack": "worst", "<=": 1}]',
    jsonb_build_object('schema', 'gone_out', 'table', t, 'attacks', '{likelihood}'::text[], 'apart', '{towns_named,towns_kept,towns_gone}'::text[]))
FROM jsonb_build_object('method', 'add_noise', 'alpha', 0.5) AS noise,
    (VALUES ('towns_named', '{"method": "pseudonym", "domain": "gone"}'::jsonb), ('towns_kept', '{"method": "keep"}'),
            ('towns_gone', '{"method": "null"}')) AS t (t, town);
SELECT format('CALL sdc.release(%L, seed => 5000000000000000003)', t) FROM unnest('{towns_named,towns_kept,towns_gone}'::text[]) AS t \gexec
SELECT found('towns_named', 'likelihood') > found('towns_gone', 'likelihood') AS tells,
       found('towns_named', 'likelihood') >= found('towns_kept', 'likelihood') - 0.01 AS as_the_town_itself;

SELECT count(sdc.drop_policy(policy)) FROM unnest('{window_three,window_one,window_home,window_fresh,shift_all,shift_some,window_few,names_few,towns_named,towns_kept,towns_gone}'::text[]) AS policy;
DELETE FROM sdc.secret WHERE domain = 'gone';
DROP SCHEMA gone_out CASCADE;
DROP SCHEMA gone CASCADE;
