-- demo.sql: what sdc does, shown on a table of 20,000 patients that is made
-- up here.  ./run demo runs it; in "./run psql" type \i doc/demo.sql to have
-- the tables there, in the schema sdc_demo.
--
-- It works on any table: ./run demo FILE.csv COLUMNS sets the variables rel,
-- id, numeric, numeric_names, keys and keys_names, which the head of ./run
-- explains.  Without them the patients are made.

\set ON_ERROR_STOP on
\set QUIET on
\pset footer off
\pset null '-'
\pset format aligned
\pset border 1

CREATE SCHEMA sdc_demo;

\if :{?rel}
    \set made false
\else
    \set made true
    \set gaps false
\endif

\if :made

-- The patients are drawn from md5, which gives the same bits everywhere: u is
-- uniform on 0 to 1, z is nearly normal.
CREATE TABLE sdc_demo.patients AS
WITH bits AS (
    SELECT id, draw,
           ('x' || substr(h, 1, 8))::bit(32)::bigint / 4294967296.0::float8 AS a,
           ('x' || substr(h, 9, 8))::bit(32)::bigint / 4294967296.0::float8 AS b,
           ('x' || substr(h, 17, 8))::bit(32)::bigint / 4294967296.0::float8 AS c,
           ('x' || substr(h, 25, 8))::bit(32)::bigint / 4294967296.0::float8 AS d
    FROM generate_series(1, 20000) AS id,
         generate_series(1, 5) AS draw,
         LATERAL md5(id || '/' || draw) AS h),
normal AS (
    SELECT *, sqrt(3) * (a + b + c + d - 2) AS z FROM bits),
draws AS (
    SELECT id,
           max(a) FILTER (WHERE draw = 1) AS u_age,
           max(b) FILTER (WHERE draw = 1) AS u_education,
           max(c) FILTER (WHERE draw = 1) AS u_region,
           max(d) FILTER (WHERE draw = 1) AS u_sex,
           max(a) FILTER (WHERE draw = 2) AS u_diagnosis,
           max(z) FILTER (WHERE draw = 3) AS z_wealth,
           max(z) FILTER (WHERE draw = 4) AS z_thrift,
           max(z) FILTER (WHERE draw = 5) AS z_illness
    FROM normal GROUP BY id),
people AS (
    SELECT *, floor(18 + 78 * (1 - sqrt(1 - u_age))) AS age,
           width_bucket(u_education, '{0, 0.15, 0.65, 0.85}'::float8[]) AS education
    FROM draws),
stays AS (
    SELECT *, exp(0.6 + 0.015 * (age - 18) + 0.5 * z_illness) AS days
    FROM people)
SELECT id,
       (ARRAY['north', 'east', 'south', 'west', 'centre', 'coast', 'hills',
              'isles'])[width_bucket(
                  u_region,
                  '{0, 0.28, 0.48, 0.64, 0.77, 0.87, 0.94, 0.98}'::float8[])]
           AS region,
       CASE WHEN u_sex < 0.52 THEN 'f' ELSE 'm' END AS sex,
       (2026 - age)::int AS born,
       (ARRAY['basic', 'middle', 'college', 'degree'])[education] AS school,
       (ARRAY['injury', 'infection', 'asthma', 'mental', 'diabetes', 'heart',
              'cancer', 'stroke'])[width_bucket(
                  0.7 * u_diagnosis + 0.3 * (age - 18) / 78,
                  '{0, 0.15, 0.27, 0.35, 0.45, 0.53, 0.66, 0.8}'::float8[])]
           AS diagnosis,
       round(exp(9.6 + 0.2 * education + 0.03 * least(age - 18, 35)
                 + 0.35 * z_wealth))::int AS income,
       round(exp(7.6 + 0.25 * education + 0.05 * least(age - 18, 40)
                 + 0.5 * z_wealth + 0.7 * z_thrift))::int AS savings,
       round(days + 1)::int AS days,
       round(1200 + 780 * (days + 1)
                    * exp(0.15 * z_thrift - 0.1 * z_wealth))::int AS cost
FROM stays
ORDER BY id;
ALTER TABLE sdc_demo.patients ADD PRIMARY KEY (id);
ANALYZE sdc_demo.patients;

\set rel sdc_demo.patients
\set id id
\set numeric 'income, savings, days, cost'
\set numeric_names '{income,savings,days,cost}'
\set keys 'region, sex, born, school'
\set keys_names '{region,sex,born,school}'

\echo
\echo 'sdc: publish data about people without giving the people away'
\echo '============================================================='
\echo
\echo '1. A hospital wants to publish this (20,000 patients, made up here):'
\echo
SELECT region, sex, born, school, diagnosis, income, savings, days, cost
FROM sdc_demo.patients ORDER BY id LIMIT 4;
\echo 'Names and addresses are gone already. Is that enough?'

\else

\echo
\echo 'sdc: publish data about people without giving the people away'
\echo '============================================================='
\echo
SELECT format('1. Your table has %s rows. To mask: %s', count(*), :'numeric')
           AS text,
       count(*) FILTER (WHERE num_nulls(:numeric) = 0) < 10 AS small,
       count(*) FILTER (WHERE num_nulls(:numeric) = 0) < count(*) AS gaps
FROM :rel
\gset
\echo :text
\if :small
\echo
\echo 'Fewer than 10 rows have a value in all of these columns. There is'
\echo 'nothing to hide in.'
\quit
\endif

\endif

-- ---------------------------------------------------------------------------
-- Who stands out.

CREATE TABLE sdc_demo.standing (
    place int GENERATED ALWAYS AS IDENTITY, columns text, records float8,
    smallest float8, alone float8);
CREATE TABLE sdc_demo.asked (
    place int GENERATED ALWAYS AS IDENTITY, columns text, rel regclass,
    keys name[]);

INSERT INTO sdc_demo.asked (columns, rel, keys)
SELECT :'keys', :'rel'::regclass, :'keys_names'::name[]
WHERE :'keys' <> '';
\if :made
CREATE VIEW sdc_demo.coarser AS
SELECT id, region, sex, sdc.round_to(born, 10) AS born, school
FROM sdc_demo.patients;
INSERT INTO sdc_demo.asked (columns, rel, keys)
VALUES ('the same, born rounded to 10 years', 'sdc_demo.coarser',
        :'keys_names');
\endif
INSERT INTO sdc_demo.asked (columns, rel, keys)
SELECT :'numeric', :'rel'::regclass, :'numeric_names'::name[];

INSERT INTO sdc_demo.standing (columns, records, smallest, alone)
SELECT a.columns,
       max(m.value) FILTER (WHERE m.measure = 'records'),
       max(m.value) FILTER (WHERE m.measure = 'k_anonymity'),
       max(m.value) FILTER (WHERE m.measure = 'unique_count')
FROM sdc_demo.asked a, sdc.risk_report(a.rel, a.keys) m
GROUP BY a.place, a.columns ORDER BY a.place;

\echo
\echo '2. Who stands out? Somebody who knows these columns of a person, from'
\echo '   work or from the neighbourhood, looks for the row:'
\echo
SELECT CASE WHEN length(columns) > 40 THEN left(columns, 37) || '...'
            ELSE columns END AS "columns that are known",
       smallest AS "k",
       format('%s of %s', alone, records) AS "rows alone"
FROM sdc_demo.standing ORDER BY place;
\echo 'rows alone: no other row has these values. Whoever knows them has found'
\echo '            the row, and reads the rest of it.'
\echo 'k:          rows that look the same, at least; 5 would be good, 1 is bad'
\if :made
\echo
\echo 'Coarser years of birth nearly do for the first four columns. For the'
\echo 'amounts they cannot help: each patient has amounts of his or her own.'
\endif

-- ---------------------------------------------------------------------------
-- Masked copies, each with the id and the masked columns.

CREATE TABLE sdc_demo.variant (
    place int GENERATED ALWAYS AS IDENTITY, title text, rel text, mask text,
    rule jsonb);
INSERT INTO sdc_demo.variant (title, rel, mask, rule) VALUES
    ('as it is', 'plain', '%1$I', '{"method": "keep"}'),
    ('rank swapping, 1 %', 'swapped_1',
     'sdc.rank_swap(%1$I, 1, seed => %2$s) OVER (ORDER BY %3$s)',
     '{"method": "rank_swap", "p": 1}'),
    ('rank swapping, 5 %', 'swapped_5',
     'sdc.rank_swap(%1$I, 5, seed => %2$s) OVER (ORDER BY %3$s)',
     '{"method": "rank_swap", "p": 5}'),
    ('rank swapping, 20 %', 'swapped_20',
     'sdc.rank_swap(%1$I, 20, seed => %2$s) OVER (ORDER BY %3$s)',
     '{"method": "rank_swap", "p": 20}'),
    ('means of 5 (mdav)', 'means_mdav',
     'CASE WHEN g IS NOT NULL THEN avg(%1$I) OVER (PARTITION BY g) END',
     '{"method": "microaggregate", "k": 5, "variant": "mdav"}'),
    ('means of 5 (best)', 'means_best',
     'CASE WHEN g IS NOT NULL THEN avg(%1$I) OVER (PARTITION BY g) END',
     '{"method": "microaggregate", "k": 5, "variant": "best"}');

\echo
\echo '3. Masked copies. Every number is changed, in one of two ways:'
\echo
\echo '   rank swapping   rows trade values with rows of about the same value,'
\echo '                   at most 1, 5 or 20 % of all ranks away'
\echo '   means of 5      groups of 5 similar rows all get the means of the'
\echo '                   group; "mdav" is the usual way to find the groups,'
\echo '                   "best" goes on looking for closer ones'

SELECT format(
           'CREATE TABLE sdc_demo.%1$s AS SELECT %2$s, %3$s FROM (SELECT *, '
           '%4$s AS g FROM %5$s) s',
           v.rel, :'id',
           string_agg(format(v.mask || ' AS %1$I', n.name, 1000 + n.place,
                             :'id'), ', ' ORDER BY n.place),
           CASE WHEN v.rel LIKE 'means%' THEN
               format('sdc.microaggregate_group(ROW(%s), 5, %L, seed => 1005) '
                      'OVER (ORDER BY %s)',
                      :'numeric', substr(v.rel, 7), :'id')
               ELSE 'NULL' END,
           :'rel')
FROM sdc_demo.variant v,
     unnest(:'numeric_names'::name[]) WITH ORDINALITY AS n (name, place)
GROUP BY v.place, v.rel ORDER BY v.place
\gexec

-- ---------------------------------------------------------------------------
-- Each copy is attacked and compared.

CREATE TABLE sdc_demo.result (
    title text, place int, smallest float8, found float8, guessed float8,
    by_rules float8, changed float8, correlation float8);

SELECT format(
    'INSERT INTO sdc_demo.result '
    'SELECT %1$L, %2$s, '
    '(SELECT value FROM sdc.risk_report(%3$L, %4$L, measures => %5$L)), '
    '(a.r).reid_d, (a.r).reid_k, '
    '(SELECT greatest((sdc.reid(l)).reid_d, (sdc.reid(l)).reid_k) '
     'FROM sdc.attack_likelihood(%10$L, %3$L, %11$L, %8$L, %4$L, '
                                'seed => 1005) l), '
    '(SELECT (SELECT avg(x) FROM unnest(ARRAY[%6$s]) x) %9$s), '
    '(SELECT (SELECT avg(x) FROM unnest(ARRAY[%7$s]::float8[]) x) %9$s) '
    'FROM (SELECT sdc.reid(l) AS r '
          'FROM sdc.attack_distance(%10$L, %3$L, %8$L, %4$L) l) a',
    v.title, v.place, 'sdc_demo.' || v.rel, :'numeric_names',
    '{k_anonymity}',
    (SELECT string_agg(format('sdc.information_loss(o.%1$I, m.%1$I)', name), ', ')
     FROM unnest(:'numeric_names'::name[]) AS name),
    (SELECT string_agg(format('abs(corr(o.%1$I, o.%2$I)'
                              ' - corr(m.%1$I, m.%2$I))', a.name, b.name),
                       ', ')
     FROM unnest(:'numeric_names'::name[]) WITH ORDINALITY AS a (name, place)
     JOIN unnest(:'numeric_names'::name[]) WITH ORDINALITY AS b (name, place)
       ON a.place < b.place),
    (parse_ident(:'id'))[1],
    format('FROM %s o JOIN sdc_demo.%s m USING (%s) LIMIT 1', :'rel', v.rel,
           :'id'),
    :'rel',
    (SELECT CASE WHEN v.rel LIKE 'means%' THEN
                jsonb_build_object(string_agg(name, ','), v.rule)
                ELSE jsonb_object_agg(name, v.rule) END
     FROM unnest(:'numeric_names'::name[]) AS name))
FROM sdc_demo.variant v ORDER BY v.place
\gexec

\echo
\echo '4. The attack. Somebody has the original, with names, looks for the'
\echo '   nearest masked row of each person, and guesses among equally near'
\echo '   ones. Somebody else has also read how the table was masked. What is'
\echo '   found, and what the masking has cost:'
\echo
SELECT title AS "table", smallest AS "k",
       lpad(to_char(100 * found, 'FM990.0') || ' %', 7) AS "found",
       lpad(to_char(100 * guessed, 'FM990.0') || ' %', 7) AS "guessed",
       lpad(to_char(100 * by_rules, 'FM990.0') || ' %', 8) AS "by rules",
       lpad(to_char(100 * changed, 'FM990.0') || ' %', 7) AS "changed",
       coalesce(to_char(correlation, 'FM0.000'), '-') AS "correlations"
FROM sdc_demo.result ORDER BY place;
\echo 'k:            rows that look the same, at least'
\echo 'found:        persons whose nearest row is theirs, and no other as near'
\if :gaps
\echo '              (a row without one of the values is never found here)'
\endif
\echo 'guessed:      the same, where a guess among 5 counts as 1/5 of a find'
\echo 'by rules:     the same by who has read the rules, but for the seed'
\echo 'changed:      how far the values moved; 0 % is nowhere, and a random'
\echo '              order of the values would give 50 to 80 %'
\echo 'correlations: how far they moved, on average over the pairs of columns'
\echo
\echo '5. How to read this. Look for little found, guessed and found by the'
\echo '   rules at the price of little changed.'
\if :made
\echo '   - Rank swapping looks safe to who looks for the nearest row. Who has'
\echo '     read the rules sees which rows traded, and finds everybody with'
\echo '     5 % and nearly everybody with 20 %, where the columns no longer fit'
\echo '     together as they did.'
\echo '   - Means of 5 leave one guess in five at the best, and change little.'
\echo '     No single patient is seen in them: they are for averages.'
\endif
\echo '   - Only the numbers are masked here. The other columns still need to'
\echo '     be made coarser, as in part 2.'
\echo '   - doc/masks.md says for each mask which attack beats it.'

-- ---------------------------------------------------------------------------
-- From a policy to a release.

\if :made
CREATE SCHEMA sdc_demo_open;
SELECT sdc.declare('sdc_demo.patients', id => 'id', keys => '{income,savings}',
                   sensitive => '{diagnosis}')
    AS done
\gset

\echo
\echo '6. In daily work nobody masks by hand. A policy says how, and what the'
\echo '   result must satisfy: neither who links nearest rows, nor who reads the'
\echo '   rules of masking as well, may find 5 % of the patients. Dry run:'
\echo
\set swap '{"income": {"method": "rank_swap", "p": 5}, "savings": {"method": "rank_swap", "p": 5}}'
\set groups '{"income,savings": {"method": "microaggregate", "k": 25}}'
\set gate '[{"attack": "worst", "<=": 0.05}]'
\set where '{"schema": "sdc_demo_open", "drop": ["region", "sex", "born", "school", "days", "cost"], "attacks": ["distance", "transparency", "likelihood"]}'
SELECT step, subject, method, changed, detail
FROM sdc.mask('sdc_demo.patients', :'swap', target => 'sdc_demo.dry',
              id => 'id', dry_run => true, seed => 1)
WHERE step IN ('mask', 'example');
SELECT sdc.create_policy('sdc_demo', 'sdc_demo.patients', :'swap', :'gate',
                         :'where') AS done
\gset
SET sdc.progress_interval = 0;
\unset ON_ERROR_STOP
\echo 'Rank swapping, 5 %: who reads the rules follows the exchanges.'
\echo
CALL sdc.release('sdc_demo', seed => 4611686018427387905);
\set ON_ERROR_STOP on
SELECT sdc.create_policy('sdc_demo', 'sdc_demo.patients', :'groups', :'gate',
                         :'where') AS done
\gset
\echo
\echo 'Means of groups of 25: published. Both runs, in the history:'
\echo
CALL sdc.release('sdc_demo', seed => 4611686018427387905);
SELECT CASE WHEN relations -> 0 -> 'rules' ? 'income' THEN 'rank swapping'
            ELSE 'groups' END AS "mask", status, a ->> 'attack' AS "attack",
       to_char(100 * (a ->> 'found')::float8, 'FM990.0') || ' %' AS "found"
FROM sdc.releases('sdc_demo'), jsonb_array_elements(measures -> 0 -> 'attacks') a
ORDER BY release, a ->> 'attack' COLLATE "C";
SELECT max(release) AS last FROM sdc.releases('sdc_demo')
\gset
\if :{?report}
\pset tuples_only on
\pset format unaligned
\o :report
SELECT sdc.report(:last, 'html');
\o
\pset format aligned
\pset tuples_only off
\echo 'A page that a data protection officer can read: build/report.html'
\else
\echo 'A page that a data protection officer can read: SELECT sdc.report(':last', ''html'');'
\endif
\endif

\echo
\echo 'What to try next:'
\echo
\if :made
\echo '   ./run demo FILE.csv COLUMNS   the same with your file, for instance'
\echo '                                 ./run demo people.csv income,age'
\endif
\echo '   ./run psql                    a database of your own to play in; then'
\echo '      \\i doc/demo.sql'
\echo '      SELECT id, cost, sdc.rank_swap(cost, 5) OVER () AS masked'
\echo '      FROM sdc_demo.patients LIMIT 5;'
\echo '   ./run test                    all tests'
\echo

\unset ON_ERROR_STOP
\unset QUIET
\pset footer on
