-- demo.sql: what sdc does, shown on a table of 20,000 patients that is made
-- up here.  ./run demo runs it; in "./run psql" type \i doc/demo.sql to keep
-- the tables.
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
    \set own false
\else
    \set own true
\endif

\if :own

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
           width_bucket(u_education, ARRAY[0, 0.15, 0.65, 0.85]) AS education
    FROM draws),
stays AS (
    SELECT *, exp(0.6 + 0.015 * (age - 18) + 0.5 * z_illness) AS days
    FROM people)
SELECT id,
       (ARRAY['north', 'east', 'south', 'west', 'centre', 'coast', 'hills',
              'isles'])[width_bucket(u_region, ARRAY[0, 0.28, 0.48, 0.64,
                                     0.77, 0.87, 0.94, 0.98])] AS region,
       CASE WHEN u_sex < 0.52 THEN 'f' ELSE 'm' END AS sex,
       (2026 - age)::int AS born,
       (ARRAY['basic', 'school', 'college', 'degree'])[education] AS education,
       (ARRAY['injury', 'infection', 'asthma', 'mental', 'diabetes', 'heart',
              'cancer', 'stroke'])[width_bucket(
                  0.7 * u_diagnosis + 0.3 * (age - 18) / 78, ARRAY[0, 0.15,
                      0.27, 0.35, 0.45, 0.53, 0.66, 0.8])] AS diagnosis,
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
\set keys 'region, sex, born, education'
\set keys_names '{region,sex,born,education}'

\echo
\echo 'sdc: publish data about people without giving the people away'
\echo '============================================================='
\echo
\echo '1. A hospital wants to publish this (20,000 patients, made up here):'
\echo
SELECT id, region, sex, born, education, diagnosis, income, savings, days,
       cost
FROM sdc_demo.patients ORDER BY id LIMIT 4;
\echo 'Names and addresses are gone already. Is that enough?'

\else

\echo
\echo 'sdc: publish data about people without giving the people away'
\echo '============================================================='
\echo
SELECT format(E'1. Your table: %s rows.\n   To mask: %s', count(*), :'numeric')
       AS text
FROM :rel
\gset
\echo :text

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
\if :own
CREATE VIEW sdc_demo.coarser AS
SELECT id, region, sex, sdc.round_to(born, 10) AS born, education
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
\echo '            the row, and reads all the rest of it.'
\echo 'k:          the fewest rows that look the same; 1 is bad, 5 is common.'
\if :own
\echo
\echo 'Coarser years of birth help with the first columns. They cannot help'
\echo 'with the amounts: nearly everybody has amounts of his own.'
\endif

-- ---------------------------------------------------------------------------
-- Masked copies, each with the id and the masked columns.

CREATE TABLE sdc_demo.variant (
    place int GENERATED ALWAYS AS IDENTITY, title text, rel text, mask text);
INSERT INTO sdc_demo.variant (title, rel, mask) VALUES
    ('as it is', 'plain', '%1$s'),
    ('rank swapping, 1 %', 'swapped_1',
     'sdc.rank_swap(%1$s, 1, seed => %2$s) OVER (ORDER BY %3$s)'),
    ('rank swapping, 5 %', 'swapped_5',
     'sdc.rank_swap(%1$s, 5, seed => %2$s) OVER (ORDER BY %3$s)'),
    ('rank swapping, 20 %', 'swapped_20',
     'sdc.rank_swap(%1$s, 20, seed => %2$s) OVER (ORDER BY %3$s)'),
    ('means of 5 (mdav)', 'means_mdav',
     'CASE WHEN g IS NOT NULL THEN avg(%1$s) OVER (PARTITION BY g) END'),
    ('means of 5 (best)', 'means_best',
     'CASE WHEN g IS NOT NULL THEN avg(%1$s) OVER (PARTITION BY g) END');

SELECT format(
           'CREATE TABLE sdc_demo.%1$s AS SELECT %2$s, %3$s FROM (SELECT *, '
           '%4$s AS g FROM %5$s) s',
           v.rel, :'id',
           string_agg(format(v.mask || ' AS %1$I', n.name, 1000 + n.place,
                             :'id'), ', ' ORDER BY n.place),
           CASE WHEN v.rel LIKE 'means%' THEN
               format('sdc.microaggregate_group(ROW(%s), 5, %L, 1005) '
                      'OVER (ORDER BY %s)',
                      :'numeric', substr(v.rel, 7), :'id')
               ELSE 'NULL' END,
           :'rel')
FROM sdc_demo.variant v,
     unnest(:'numeric_names'::name[]) WITH ORDINALITY AS n (name, place)
GROUP BY v.place, v.rel ORDER BY v.place
\gexec

\echo
\echo '3. Masking the amounts, in copies of the table:'
\echo
\echo '   rank swapping    people trade amounts with people of about the same'
\echo '                    amount, within 1, 5 or 20 % of all ranks'
\echo '   means of 5       groups of 5 similar people get the mean amounts of'
\echo '                    the group; mdav is the usual way to group, best'
\echo '                    looks on for better groups'

-- ---------------------------------------------------------------------------
-- Each copy is attacked and compared.

CREATE TABLE sdc_demo.result (
    title text, place int, smallest float8, found float8, guessed float8,
    changed float8, correlation float8);

SELECT format(
    'INSERT INTO sdc_demo.result '
    'SELECT %1$L, %2$s, '
    '(SELECT value FROM sdc.risk_report(%3$L, %4$L, methods => %5$L)), '
    '(a.r).reid_d, (a.r).reid_k, '
    '(SELECT (SELECT avg(x) FROM unnest(ARRAY[%6$s]) x) %9$s), '
    '(SELECT (SELECT avg(x) FROM unnest(ARRAY[%7$s]::float8[]) x) %9$s) '
    'FROM (SELECT sdc.reid(l) AS r '
          'FROM sdc.attack_distance(%10$L, %3$L, %8$L, %4$L) l) a',
    v.title, v.place, 'sdc_demo.' || v.rel, :'numeric_names',
    '{k_anonymity}',
    (SELECT string_agg(format('sdc.il1s(o.%1$I, m.%1$I)', name), ', ')
     FROM unnest(:'numeric_names'::name[]) AS name),
    (SELECT string_agg(format('abs(corr(o.%1$I, o.%2$I)'
                              ' - corr(m.%1$I, m.%2$I))', a.name, b.name),
                       ', ')
     FROM unnest(:'numeric_names'::name[]) WITH ORDINALITY AS a (name, place)
     JOIN unnest(:'numeric_names'::name[]) WITH ORDINALITY AS b (name, place)
       ON a.place < b.place),
    (parse_ident(:'id'))[1],
    format('FROM %s o JOIN sdc_demo.%s m USING (%s)', :'rel', v.rel, :'id'),
    :'rel')
FROM sdc_demo.variant v ORDER BY v.place
\gexec

\echo
\echo '4. Attack: somebody has the original with names, looks for the nearest'
\echo '   masked row of every person, and guesses when several are as near.'
\echo '   What he finds, and what the masking has cost:'
\echo
SELECT title AS "table", smallest AS "k",
       lpad(to_char(100 * found, 'FM990.0') || ' %', 7) AS "found",
       lpad(to_char(100 * guessed, 'FM990.0') || ' %', 7) AS "guessed",
       lpad(to_char(100 * changed, 'FM990.0') || ' %', 7) AS "changed",
       coalesce(to_char(correlation, 'FM0.000'), '-') AS "correlations"
FROM sdc_demo.result ORDER BY place;
\echo 'found:        people whose nearest row is one alone, and theirs'
\echo 'guessed:      the same with guesses: one of 5 equal rows counts 1/5'
\echo 'changed:      how far the amounts moved (IL1s); 0 % not at all, a random'
\echo '              order gives about 50 to 80 %'
\echo 'correlations: how far they moved on average; 0.1 is a lot'
