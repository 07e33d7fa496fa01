-- help, grant_to: every function is in one job, every example runs, and the
-- rights of a job are those that it needs.

\set SHOW_CONTEXT never

SELECT topic, says FROM sdc.help();
SELECT * FROM sdc.help('rank_swap');
SELECT topic FROM sdc.help('sdc.shuffle');
SELECT says FROM sdc.help('release') WHERE topic = 'release';
SELECT topic FROM sdc.help('auditor');
SELECT * FROM sdc.help('K-Anonymity');
SELECT count(*) > 50 AS words, bool_and(says ~ '^[a-zA-Z0-9*]') AS said
FROM sdc.help('glossary');
SELECT * FROM sdc.help('nothing');
SELECT * FROM sdc.help('rankswap');

-- The functions of each job; those of the extension that users may call.
CREATE VIEW listed AS
SELECT j.topic AS job, (regexp_match(h.topic, '^(?:CALL )?sdc\.(\w+)\('))[1] AS name
FROM sdc.help() AS j, sdc.help(j.topic) AS h
WHERE j.says !~ '^role for' AND j.topic NOT IN ('measures', 'attacks', 'methods', 'glossary')
  AND h.topic ~ '^(CALL )?sdc\.\w+\(';
CREATE VIEW callable AS
SELECT DISTINCT p.proname::text AS name
FROM pg_proc p JOIN pg_depend d ON d.classid = 'pg_proc'::regclass
                               AND d.objid = p.oid AND d.deptype = 'e'
JOIN pg_extension e ON e.oid = d.refobjid AND e.extname = 'sdc'
WHERE p.pronamespace = 'sdc'::regnamespace;
-- in no job, or in several
SELECT name FROM callable
EXCEPT SELECT name FROM listed ORDER BY name;
SELECT name, count(DISTINCT job) FROM listed
GROUP BY name HAVING count(DISTINCT job) <> 1;
-- defaults are written as one would type them
SELECT h.topic FROM sdc.help() AS j, sdc.help(j.topic) AS h
WHERE h.topic ~ '::|NULL[^,) ]';
-- words of the glossary that name a function that is not there
SELECT topic FROM sdc.help('glossary')
WHERE substring(says FROM 'sdc\.(\w+)') NOT IN (SELECT name FROM callable);
-- the rules of the registry
SELECT topic FROM sdc.help('mask') WHERE topic ~ '^\{' ORDER BY topic COLLATE "C";
SELECT count(*) = count(topic::jsonb) AS documents
FROM sdc.help('mask') WHERE topic ~ '^\{';

-- Every rule and every constraint that help shows works as it is shown.
CREATE SCHEMA help_shown;
SET search_path = help_shown, public;
CREATE TABLE everything AS
SELECT i AS id, 20 + i % 50 AS age, 20000 + i * 37 % 900 AS income, i % 4 AS region,
       (ARRAY['f', 'm'])[1 + i % 2] AS sex,
       'j' || i % 5 AS job, lpad((i % 40)::text, 5, '0') AS zip, '+49' || 1000000 + i AS phone,
       '10.0.0.1'::inet + i AS ip, 1950 + i % 40 AS born, date '2020-01-01' + i AS visited, 'd' || i % 7 AS disease,
       'p' || i AS patient, 'n' || i AS name, 'from u' || i || '@web.test' AS body, jsonb_build_object('mail', 'u' || i || '@web.test') AS prefs,
       point(i % 30, i % 40) AS home
FROM generate_series(1, 400) AS i;
ALTER TABLE everything ADD PRIMARY KEY (id);
-- the other relations that examples name
CREATE TABLE released_before AS TABLE everything;
CREATE TABLE others AS TABLE everything;
CREATE TABLE customers AS SELECT id AS masked, id AS original FROM everything;
SELECT sdc.declare('everything', id => 'id', keys => 'age,income', sensitive => 'disease');
SELECT sdc.create_hierarchy('zip', 'prefix', '{"length": 5}');
DO $$
DECLARE
    rule jsonb;
    asked jsonb;
BEGIN
    FOR rule IN SELECT topic::jsonb FROM sdc.help('methods') LOOP
        PERFORM sdc.create_policy('shown', 'everything', rule, '[]');
        PERFORM sdc.mask('everything', rule, 'help_shown.masked_' || md5(rule::text), id => 'id', seed => 1);
    END LOOP;
    FOR asked IN SELECT topic::jsonb FROM sdc.help('measures')
                 UNION ALL SELECT topic::jsonb FROM sdc.help('attacks') LOOP
        PERFORM sdc.create_policy('shown', 'everything', '{}', jsonb_build_array(asked));
    END LOOP;
EXCEPTION WHEN OTHERS THEN
    RAISE 'shown: %', COALESCE(asked, rule) USING DETAIL = SQLERRM;
END $$;
SELECT count(*) = (SELECT count(*) FROM sdc.help('methods')) AS "all masked"
FROM pg_class WHERE relname ~ '^masked_' AND relkind = 'r';
-- what each of them is said to be makes sense alone
SELECT topic, says FROM (SELECT * FROM sdc.help('measures') UNION ALL SELECT * FROM sdc.help('attacks')) AS h
WHERE says ~ 'the same[ ,:]|of that\.' AND says !~ 'nearly the same' OR strpos(says, ': ' || (topic::jsonb ->> 'utility') || '.') > 0;
-- comments begin as sentences of one kind: "writes", not "write"
SELECT h.topic, h.says FROM sdc.help() AS j, sdc.help(j.topic) AS h
WHERE h.topic ~ '^(CALL )?sdc\.' AND h.says ~ '^(create|write|store|drop|make|give|mask|read|return|find|check|add|replace|link) ';
SELECT sdc.drop_policy('shown');
SELECT sdc.drop_hierarchy('zip');
SELECT sdc.forget_pseudonyms(d) FROM unnest('{study,person}'::text[]) AS d;
SET client_min_messages = warning;
DROP SCHEMA help_shown CASCADE;
RESET client_min_messages;
RESET search_path;

-- Every example runs, and leaves nothing behind but temporary tables.
CREATE TABLE before AS
SELECT oid FROM pg_class WHERE relpersistence = 'p';
SET client_min_messages = warning;
DO $$
DECLARE
    topic text;
    example text;
BEGIN
    FOR topic, example IN
        SELECT j.topic, h.says FROM sdc.help() AS j, sdc.help(j.topic) AS h
        WHERE h.topic = 'example'
    LOOP
        EXECUTE example;
        DROP TABLE IF EXISTS people, masked, copy, coarse, sold, sets;
    END LOOP;
END $$;
RESET client_min_messages;
SELECT relname FROM pg_class
WHERE relpersistence = 'p' AND oid NOT IN (SELECT oid FROM before)
  AND relname <> 'before' AND relnamespace <> 'pg_toast'::regnamespace;
SELECT count(*) AS jobs, count(*) FILTER (WHERE EXISTS (
         SELECT FROM sdc.help(j.topic) AS h WHERE h.topic = 'example'))
       = count(*) AS "each has one"
FROM sdc.help() AS j WHERE says !~ '^role for' AND topic NOT IN ('measures', 'attacks', 'methods', 'glossary');

-- The rights of a job, in a database of its own: releases are numbered.
SELECT current_database() AS home \gset
CREATE DATABASE sdc_help;
\c sdc_help
CREATE EXTENSION sdc;
CREATE ROLE regress_sdc_steward;
CREATE ROLE regress_sdc_publisher;
CREATE ROLE regress_sdc_analyst;
CREATE ROLE regress_sdc_auditor;
CREATE SCHEMA helped;
GRANT CREATE, USAGE ON SCHEMA helped TO regress_sdc_publisher;
CREATE TABLE helped.people (id int PRIMARY KEY, name text, age int);
INSERT INTO helped.people SELECT i, 'name ' || i, 20 + i % 10
FROM generate_series(1, 100) AS i;
GRANT SELECT ON helped.people TO regress_sdc_publisher;

-- Before: nothing that matters.
SET ROLE regress_sdc_publisher;
SELECT sdc.create_policy('helped', 'helped.people', '{}', '[]');
SELECT sdc.grant_to('regress_sdc_publisher', 'publisher');
SET ROLE regress_sdc_auditor;
SELECT count(*) FROM sdc.release_history;
SET ROLE regress_sdc_steward;
SELECT sdc.pseudonym('x', 'helped');
RESET ROLE;

SELECT count(*) > 5 AS granted FROM sdc.grant_to('regress_sdc_publisher', 'publisher');
SELECT count(*) > 0 AS granted FROM sdc.grant_to('regress_sdc_auditor', 'auditor');
SELECT count(*) > 0 AS granted FROM sdc.grant_to('regress_sdc_steward', 'steward');
SELECT count(*) > 0 AS granted FROM sdc.grant_to('regress_sdc_analyst', 'analyst');

SET ROLE regress_sdc_publisher;
SELECT sdc.create_policy('helped', 'helped.people',
    '{"name": {"method": "pseudonym", "domain": "helped"},
      "age": {"method": "round_to", "base": 10}}',
    '[{"measure": "k_anonymity", ">=": 5}]',
    '{"keys": ["age"], "id": "id", "schema": "helped", "table": "published"}');
CALL sdc.release('helped', seed => 4611686018427387905);
SELECT status FROM sdc.releases('helped');
SELECT length(sdc.report(max(release))) > 100 AS report FROM sdc.releases('helped');
SELECT count(*) FROM sdc.release_history;
SELECT sdc.forget_pseudonyms('helped');

SET ROLE regress_sdc_auditor;
SELECT policy, status FROM sdc.release_history;
SELECT status FROM sdc.releases('helped');
SELECT length(sdc.report(max(release))) > 100 AS report FROM sdc.releases('helped');
SELECT count(*) >= 0 AS ledger FROM sdc.dp_ledger;
SELECT sdc.drop_policy('helped');
SELECT sdc.pseudonym('x', 'helped');
SELECT count(*) FROM helped.people;

SET ROLE regress_sdc_steward;
SELECT sdc.forget_pseudonyms('helped');
SELECT length(sdc.pseudonym('x', 'helped'));
SELECT sdc.forget_pseudonyms('helped');
SELECT sdc.create_policy('helped', 'helped.people', '{}', '[]');

SET ROLE regress_sdc_analyst;
SELECT sdc.pseudonym('x', 'helped');
SELECT count(*) FROM sdc.release_history;
SELECT count(*) >= 0 AS ledger FROM sdc.dp_ledger;
RESET ROLE;

-- Every measure is said in words; each is what the reports know.
SELECT topic FROM sdc.help('measures') WHERE says !~ '^(Number|Share, 0 to 1|Figure): .* .*\.$';
SELECT count(*) > 70 AS measures, count(DISTINCT topic) = count(*) AS different FROM sdc.help('measures');
SELECT * FROM sdc.help('k_anonymity') WHERE topic ~ '^{';
SELECT count(*) > 10 AS attacks FROM sdc.help('attacks');
SELECT count(*) > 15 AS methods FROM sdc.help('methods');

-- The rights of a role are those that help says.
SELECT r.topic AS job, h.topic FROM sdc.help() AS r, sdc.help(r.topic) AS h
WHERE r.says ~ '^role for' AND h.topic ~ 'sdc\.\w+\('
  AND NOT EXISTS (SELECT FROM pg_proc p
                  WHERE p.pronamespace = 'sdc'::regnamespace
                    AND p.proname = substring(h.topic FROM 'sdc\.(\w+)\(')
                    AND has_function_privilege('regress_sdc_' || r.topic, p.oid, 'EXECUTE'));

SELECT * FROM sdc.grant_to(NULL, 'auditor');
SELECT * FROM sdc.grant_to('regress_sdc_auditor', NULL);
SELECT * FROM sdc.grant_to('regress_sdc_auditor', 'boss');
SELECT * FROM sdc.grant_to('regress_sdc_nobody', 'auditor');

\c :home
DROP DATABASE sdc_help;
DROP VIEW listed, callable;
DROP TABLE before;
DROP ROLE regress_sdc_publisher, regress_sdc_auditor, regress_sdc_steward,
    regress_sdc_analyst;
