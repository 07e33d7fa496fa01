-- dp_predicate: what a stranger writes as predicate can only choose rows.
-- Every attack is refused before the charge, whether there are rows or not.

\set SHOW_CONTEXT never
CREATE ROLE regress_sdc_analyst;
CREATE SCHEMA data_sets;
GRANT USAGE ON SCHEMA data_sets TO regress_sdc_analyst;
CREATE SCHEMA attacker AUTHORIZATION regress_sdc_analyst;
GRANT TEMPORARY ON DATABASE :DBNAME TO regress_sdc_analyst;
SET search_path = data_sets;
CREATE TYPE mood AS ENUM ('sad', 'glad');
CREATE TABLE people AS
SELECT i AS id, 'secret ' || i AS note, i / 2.0 AS price, i::float8 AS score,
       ('{"a": ' || i || '}')::jsonb AS doc, ARRAY[i, i] AS list,
       CASE WHEN i % 2 = 0 THEN 'sad' ELSE 'glad' END::mood AS mood,
       i % 2 = 0 AS even, 'abc'::char(3) AS code,
       CASE WHEN i <= 10 THEN '{}'::int[] WHEN i <= 30 THEN ARRAY[1, NULL, i] END AS gaps,
       ARRAY['x', 'secret ' || i % 10] AS marks, '2020-01-01'::date + i AS day, '127.0.0.1'::inet AS host,
       ('2020-01-01'::timestamp + i * interval '1 day') AT TIME ZONE 'UTC' AS moment
FROM generate_series(1, 100) AS i;
CREATE TABLE others AS SELECT 1 AS id;
SELECT sdc.create_dataset('people', 'people', epsilon => 1e6);
SELECT sdc.grant_budget('people', 'regress_sdc_analyst', 1e6);
SELECT sdc.describe_column('people', 'even', categories => '{t,f}');
CREATE TABLE nobody AS TABLE people WITH NO DATA;
SELECT sdc.create_dataset('nobody', 'nobody', epsilon => 1e6);
SELECT sdc.grant_budget('nobody', 'regress_sdc_analyst', 1e6);

SET ROLE regress_sdc_analyst;
-- The attacker's own functions, operators, types, in every place that a
-- careless search_path would look at.
CREATE FUNCTION attacker.tell(anyelement) RETURNS boolean LANGUAGE plpgsql
IMMUTABLE COST 1e-6 AS $$BEGIN RAISE WARNING 'seen: %', $1; RETURN true; END$$;
CREATE FUNCTION attacker.tell_both(int, int) RETURNS boolean LANGUAGE plpgsql
IMMUTABLE COST 1e-6 AS $$BEGIN RAISE WARNING 'seen: %', $1; RETURN true; END$$;
CREATE OPERATOR attacker.= (FUNCTION = attacker.tell_both, LEFTARG = int, RIGHTARG = int);
CREATE FUNCTION attacker.tell_texts(text, text) RETURNS boolean LANGUAGE plpgsql
IMMUTABLE AS $$BEGIN RAISE WARNING 'seen: %', $1; RETURN true; END$$;
CREATE FUNCTION attacker.tell_wide(bigint, bigint) RETURNS boolean LANGUAGE plpgsql
IMMUTABLE AS $$BEGIN RAISE WARNING 'seen: %', $1; RETURN true; END$$;
CREATE FUNCTION attacker.tell_oids(oid, oid) RETURNS boolean LANGUAGE plpgsql
IMMUTABLE AS $$BEGIN RAISE WARNING 'seen: %', $1; RETURN true; END$$;
CREATE OPERATOR attacker.= (FUNCTION = attacker.tell_texts, LEFTARG = text, RIGHTARG = text);
CREATE OPERATOR attacker.= (FUNCTION = attacker.tell_wide, LEFTARG = bigint, RIGHTARG = bigint);
CREATE OPERATOR attacker.= (FUNCTION = attacker.tell_oids, LEFTARG = oid, RIGHTARG = oid);
CREATE FUNCTION attacker.sum(bigint) RETURNS numeric LANGUAGE plpgsql
IMMUTABLE AS $$BEGIN RAISE WARNING 'seen: %', $1; RETURN 0; END$$;
CREATE OPERATOR attacker.<<< (FUNCTION = attacker.tell_both, LEFTARG = int, RIGHTARG = int);
CREATE FUNCTION pg_temp.tell(anyelement) RETURNS boolean LANGUAGE plpgsql
IMMUTABLE AS $$BEGIN RAISE WARNING 'seen: %', $1; RETURN true; END$$;
CREATE DOMAIN attacker.told AS int CHECK (attacker.tell(VALUE));
CREATE TEMP TABLE pg_class AS SELECT 1 AS oid;
CREATE TEMP VIEW people AS SELECT 1 AS id, pg_temp.tell(1) AS told;
SET search_path = attacker, pg_temp, pg_catalog;

CREATE TEMP TABLE attack (n serial, name text, predicate text);
INSERT INTO attack (name, predicate) VALUES
    ('error oracle', '1 / (id - 42) = 0'),
    ('error oracle in CASE', 'CASE WHEN id = 42 THEN 1 / 0 = 1 ELSE true END'),
    ('error oracle, float', 'exp(score * 1000) > 0'),
    ('overflow', 'id + 2147483647 > 0'),
    ('cast oracle', 'note::int = 1'),
    ('cast oracle, jsonb', '(doc ->> ''a'')::int = 1'),
    ('cast to regclass', 'note::regclass = 1'),
    ('narrowing cast', 'score::int2 = 1'),
    ('COALESCE', 'COALESCE(id, 1) = 1'),
    ('sleep', 'pg_sleep(1) IS NULL'),
    ('sleep, qualified', 'pg_catalog.pg_sleep(1) IS NULL'),
    ('temporary function', 'pg_temp.tell(id)'),
    ('function in the path', 'tell(id)'),
    ('function of the schema', 'attacker.tell(note)'),
    ('function as column', '(people.*)::text = ''x'''),
    ('function by attribute', 'people.tell'),
    ('operator of the schema', 'id OPERATOR(attacker.=) 1'),
    ('operator in the path', 'id <<< 1'),
    ('domain', 'id = 1::attacker.told'),
    ('domain of a column', 'id::attacker.told = 1'),
    ('UNION', 'true UNION SELECT 1'),
    ('parenthesis', 'true) UNION SELECT id FROM others WHERE (true'),
    ('two statements', 'true; DROP TABLE data_sets.others'),
    ('other table', 'true FROM data_sets.others'),
    ('WHERE', 'true WHERE true'),
    ('ORDER BY', 'true ORDER BY 1'),
    ('LIMIT', 'true LIMIT 1'),
    ('alias', 'true AS x'),
    ('two columns', 'true, true'),
    ('star', '*'),
    ('DISTINCT', 'DISTINCT true'),
    ('INTO', 'true INTO attacker.x'),
    ('FOR UPDATE', 'true FOR UPDATE'),
    ('subquery', 'id = (SELECT 1)'),
    ('EXISTS', 'EXISTS (SELECT FROM data_sets.others)'),
    ('IN with subquery', 'id IN (SELECT id FROM data_sets.others)'),
    ('ARRAY of subquery', 'id = ANY (ARRAY(SELECT id FROM data_sets.others))'),
    ('nextval', 'nextval(''sdc.dp_budget_id'') > 0'),
    ('setval', 'setval(''sdc.dp_spent_1'', 0) = 0'),
    ('dblink', 'dblink(''dbname=x'', ''y'') IS NULL'),
    ('lo_import', 'lo_import(''/etc/passwd'') > 0'),
    ('read file', 'pg_read_file(''/etc/passwd'') IS NULL'),
    ('query_to_xml', 'query_to_xml(''SELECT 1'', true, true, '''') IS NULL'),
    ('set_config', 'set_config(''role'', ''x'', true) IS NULL'),
    ('random', 'random() < 0.5'),
    ('current_user', 'note = current_user'),
    ('clock', 'day = current_date'),
    ('aggregate', 'count(*) > 0'),
    ('window', 'row_number() OVER () = 1'),
    ('LIKE', 'note LIKE ''secret%'''),
    ('regular expression', 'note ~ ''(a*)*b'''),
    ('SIMILAR', 'note SIMILAR TO ''a'''),
    ('concatenation', 'note || ''x'' = ''y'''),
    ('jsonb operator', 'doc @> ''{"a": 1}'''),
    ('jsonb equality', 'doc = ''{"a": 1}'''),
    ('array element', 'list[1] = 1'),
    ('array equality', 'list = ARRAY[1, 1]'),
    ('network', 'host << ''127.0.0.0/8'''),
    ('whole row', 'people IS NOT NULL'),
    ('row', 'ROW(id, note) = ROW(1, ''x'')'),
    ('system column', 'ctid = ''(0,1)'''),
    ('xmin', 'xmin = 1'),
    ('tableoid', 'tableoid = 1'),
    ('parameter', 'id = $1'),
    ('unknown column', 'nothing = 1'),
    ('other relation', 'others.id = 1'),
    ('not boolean', 'id'),
    ('division by zero in constants', 'id = 1 / 0'),
    ('syntax', 'id = = 1'),
    ('nothing', ''),
    ('comment', '-- true'),
    ('zone', 'moment < ''2020-02-01''::timestamp'),
    ('NULLIF', 'NULLIF(id, 1) = 1'),
    ('GREATEST', 'GREATEST(id, 1) = 1'),
    ('CAST with function', 'CAST(moment AS date) = ''2020-01-01'''),
    ('collation', 'note COLLATE "C" = ''x'''),
    ('field of a composite', '(people).note = ''x'''),
    ('XML', 'xmlparse(document note) IS NULL'),
    ('GROUPING', 'GROUPING(id) = 0'),
    ('default', 'id = DEFAULT'),
    ('long list', 'id IN (' || repeat('1,', 1000) || '1)'),
    ('long list of a constant', 'id = ANY (''{' || repeat('1,', 1000) || '1}'')'),
    ('many tests', 'id = 1' || repeat(' OR id = 2', 1000)),
    ('comparisons of comparisons', '(id = 1)' || repeat(' = (id = 1)', 501)),
    ('long constant', 'note = ''' || repeat('x', 100000) || ''''),
    ('constant that a cast makes long', 'code = ''x''::char(100001)'),
    ('AND within a comparison', '(id = 1 AND even) = even'),
    ('list within a list', '(id IN (1, 2)) IN (true, even)'),
    ('array of arrays', 'id = ANY (ARRAY[[id, 1], [2, 3]])'),
    ('MERGE of quotes', 'note = ''x''''; DROP TABLE data_sets.others; --');

-- Each is refused with the same error for a table with rows and one without,
-- and with nothing charged.
CREATE FUNCTION pg_temp.refused(dataset text, predicate text) RETURNS text
LANGUAGE plpgsql AS $$
DECLARE
    message text;
BEGIN
    PERFORM (sdc.dp_query(dataset, '{count}', 0.001, predicate => replace(predicate, 'people', dataset))).value;
    RETURN NULL;
EXCEPTION WHEN OTHERS THEN
    GET STACKED DIAGNOSTICS message = MESSAGE_TEXT;
    RETURN SQLSTATE || ' ' || replace(message, 'nobody', 'people');
END$$;
SELECT name FROM attack WHERE pg_temp.refused('people', predicate) IS NULL ORDER BY n;
SELECT name FROM attack
WHERE pg_temp.refused('people', predicate)
      OPERATOR(pg_catalog.<>) pg_temp.refused('nobody', predicate) ORDER BY n;
-- By a check of sdc or of the parser, not by an accident inside.
SELECT name FROM attack WHERE pg_temp.refused('people', predicate) ~ '^XX' ORDER BY n;
SELECT count(*) AS attacks FROM attack;
SELECT DISTINCT spent FROM sdc.remaining_budget();
-- Errors quote no values: nothing of what a row holds is in them.
SELECT name FROM attack WHERE pg_temp.refused('people', predicate) ~ 'secret|seen' ORDER BY n;
SELECT (sdc.dp_query('people', '{count}', 1, predicate => '1 / (id - 42) = 0')).value;
SELECT (sdc.dp_query('people', '{count}', 1, predicate => 'attacker.tell(note)')).value;
-- What is not PostgreSQL's own is refused by its name, before it is analysed.
SELECT (sdc.dp_query('people', '{count}', 1, predicate => 'id = 1::attacker.told')).value;
SELECT (sdc.dp_query('people', '{count}', 1, predicate => 'mood = ''sad''::data_sets.mood')).value;
SELECT (sdc.dp_query('people', '{count}', 1, predicate => 'id OPERATOR(attacker.=) 1')).value;

-- With this search_path and these objects about, an honest predicate means
-- what it says: PostgreSQL's own operators.
SELECT (sdc.dp_query('people', '{count}', 1000, predicate => p)).value AS answer
FROM unnest(ARRAY['id = 1', 'id <= 50 AND NOT even', 'mood = ''sad''',
    'price <= 10.5', 'note = ''secret 7''', 'day < date ''2020-01-11''',
    'moment >= ''2020-02-01 00:00+00''', 'host = ''127.0.0.1''',
    'even IS TRUE OR even IS UNKNOWN', 'people.id BETWEEN SYMMETRIC 10 AND 1',
    'id = ANY (''{1,2}'')', 'id <> ALL (ARRAY[1, 2])', 'score = 3', 'true',
    'id IN (' || repeat('1,', 999) || '2)', 'id = ANY (''{}'')',
    'id <> ALL (''{}'')', 'id = ANY (''{1,NULL}'')', 'id <> ALL (''{1,NULL}'')',
    '(id = ANY (''{1,NULL}'')) IS UNKNOWN', '(id IN (1, id)) IS TRUE',
    '(id = 1 OR mood = ''sad'') IS FALSE', '(id <= 3 AND NULL) IS NOT TRUE',
    '(id <= 3 AND NULL) IS NOT FALSE', '(id <= 3 AND NULL) IS NULL',
    '(id <= 3 AND NULL) IS NOT NULL', '(id IN (1, 2)) IS NOT UNKNOWN',
    '(id = 1) = (note = ''secret 1'')', 'id = ANY (list)', '50 < ANY (list)',
    '50 < ALL (list)', 'id = ANY (gaps)', '(2 = ANY (gaps)) IS UNKNOWN',
    '1 <> ALL (gaps)', '''x'' = ANY (marks)', 'note = ANY (marks)',
    '(note = ANY (marks)) IS NULL'])
    WITH ORDINALITY AS w(p, n) ORDER BY n;
-- Unless it is NULL, which is none.
SELECT (sdc.dp_query('people', '{count}', 1000, predicate => NULL)).value AS answer;
SELECT aggregate, value FROM sdc.dp_query('people', '{count}', 1000);
SELECT count(*) OPERATOR(pg_catalog.>) 0 AS answered
FROM sdc.dp_histogram('people', '{even}', 1000, predicate => 'id = 1');
SELECT count(*) FROM sdc.remaining_budget('people');
SELECT count(*) OPERATOR(pg_catalog.>) 0 AS seen FROM sdc.dp_ledger;
RESET ROLE;
SET search_path = attacker, data_sets, pg_temp, pg_catalog;
SELECT sdc.create_dataset('hostile', 'data_sets.people', 'id', epsilon => 10, anew => true);
SELECT sdc.describe_column('hostile', 'even', categories => '{t,f}');
SELECT sdc.grant_budget('hostile', 'regress_sdc_analyst', 1);
SELECT count(*) FROM sdc.check_dataset('hostile', 'regress_sdc_analyst');
SELECT sdc.drop_dataset('hostile');
SET ROLE regress_sdc_analyst;
SET search_path = attacker, pg_temp, pg_catalog;
-- Deep nesting is an error, not a crash.
SELECT pg_temp.refused('people', repeat('(NOT ', 15000) || 'true' || repeat(')', 15000))
       IS NOT NULL AS refused;
RESET ROLE;
SELECT count(*) AS still_there FROM data_sets.others;

DELETE FROM sdc.dp_dataset;
DELETE FROM sdc.dp_dataset_column;
DELETE FROM sdc.dp_budget;
DELETE FROM sdc.dp_log;
-- From here on the traps are not in the way.
RESET search_path;
SET client_min_messages = warning;
\set ECHO none
SELECT format('DROP SEQUENCE sdc.%I', relname) FROM pg_catalog.pg_class
WHERE relkind = 'S' AND relnamespace = 'sdc'::regnamespace
  AND relname ~ '^dp_(spent|delta)_' \gexec
\set ECHO all
DROP SCHEMA data_sets, attacker CASCADE;
DROP OWNED BY regress_sdc_analyst;
DROP ROLE regress_sdc_analyst;
