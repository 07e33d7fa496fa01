-- l_multi: l-diversity of several sensitive columns, against plain SQL.

-- EX-MSA-1: each column alone has 3 values, each given the other only 1
CREATE TABLE msa(q text, s text, v text);
INSERT INTO msa VALUES ('q','s1','v1'), ('q','s1','v2'), ('q','s2','v3'), ('q','s3','v3');
SELECT * FROM sdc.l_multi('msa', '{q}', '{s,v}');
SELECT * FROM sdc.l_multi('msa', '{q}', '{s,v}', l => 2);
-- EX-MSA-2: s alone, counts (2,1,1), is not recursive (2,3): 2 < 2 * 1 is false
SELECT * FROM sdc.l_multi('msa', '{q}', '{s}', c => 2, l => 3, variant => 'recursive');
SELECT * FROM sdc.l_multi('msa', '{q}', '{s}', c => 2.1, l => 3, variant => 'recursive');

-- all methods on classes of many sizes, with NULLs in keys and sensitive columns
CREATE TABLE people AS
SELECT i AS id, nullif(i * i % 7, 2) AS a, (i % 3)::text AS b,
       nullif(i * 31 % 11 % 5, 3) AS illness, nullif(i % 1009 / 7 % 4 * (i % 101 % 3), 0)::numeric AS income,
       CASE WHEN i % 13 < 9 THEN 'no' WHEN i % 13 < 12 THEN 'yes' END AS "Been; in ""jail"""
FROM generate_series(1, 4000) AS i;
CREATE FUNCTION oracle(rel text, known text, sensitive text, method text, c float8, l float8,
                       OUT worst float8, OUT failing bigint) LANGUAGE plpgsql AS $$
BEGIN
  EXECUTE format($q$
    WITH counts AS (
      SELECT dense_rank() OVER (ORDER BY %2$s) AS class, count(*) AS n
      FROM %1$s GROUP BY %2$s, %3$s),
    classes AS (
      SELECT array_agg(n ORDER BY n DESC) AS r, sum(n) AS records,
             count(*) AS m, max(n) AS most
      FROM counts GROUP BY class),
    figures AS (
      SELECT records, CASE %4$L
        WHEN 'distinct' THEN m
        WHEN 'entropy' THEN (SELECT exp(-sum(n / records * ln(n / records))) FROM unnest(r) AS n)
        WHEN 'frequency' THEN records / most
        ELSE (SELECT coalesce(max(i), 0) FROM generate_series(1, m) AS i
              WHERE most < %5$L::float8 * (SELECT sum(n) FROM unnest(r[i:]) AS n))
        END::float8 AS l
      FROM classes)
    SELECT min(l), coalesce(sum(records) FILTER (WHERE l < %6$s - 1e-9), 0)
    FROM figures $q$, rel, known, sensitive, method, c, l)
  INTO worst, failing;
END $$;
CREATE FUNCTION compare(columns name[], method text, c float8, l float8)
RETURNS TABLE (subject text, alone text, together text, failing float8, same boolean) LANGUAGE sql AS $$
  WITH found AS (
    SELECT f.subject, max(value) FILTER (WHERE measure LIKE '%\_alone') AS alone,
           max(value) FILTER (WHERE measure LIKE 'l\_%' AND measure NOT LIKE '%\_alone') AS together,
           max(value) FILTER (WHERE measure = 'failing_records') AS failing
    FROM sdc.l_multi('people', '{a,b}', columns, c, l, method) AS f GROUP BY f.subject)
  SELECT s.name, round(f.alone::numeric, 6)::text, round(f.together::numeric, 6)::text, f.failing,
         abs(f.alone - e.worst) < 1e-9 AND abs(f.together - t.worst) < 1e-9 AND f.failing = t.failing
  FROM (SELECT quote_ident(n) AS name, 'a, b' AS keys,
               (SELECT 'a, b, ' || string_agg(quote_ident(o), ', ') FROM unnest(columns) AS o WHERE o <> n) AS known
        FROM unnest(columns) AS n) AS s
  JOIN found AS f ON f.subject = s.name
  CROSS JOIN LATERAL oracle('people', s.keys, s.name, method, c, l) AS e
  CROSS JOIN LATERAL oracle('people', s.known, s.name, method, c, l) AS t
  ORDER BY s.name COLLATE "C"
$$;
SELECT * FROM compare('{illness,income,"Been; in \"jail\""}', 'distinct', NULL, 2.5);
SELECT * FROM compare('{illness,income,"Been; in \"jail\""}', 'entropy', NULL, 3);
SELECT * FROM compare('{illness,income}', 'frequency', NULL, 1.9);
SELECT * FROM compare('{illness,income}', 'recursive', 0.75, 3);
SELECT * FROM compare('{income,illness}', 'recursive', 0.4, 2);

-- the last row is the worst of the columns
SELECT method, bool_and(worst = least) AS same
FROM unnest('{distinct,entropy,frequency}'::text[]) AS method
CROSS JOIN LATERAL (
  SELECT min(value) FILTER (WHERE subject <> 'illness, income') AS least,
         min(value) FILTER (WHERE subject = 'illness, income') AS worst
  FROM sdc.l_multi('people', '{a,b}', '{illness,income}', variant => method)
  WHERE measure NOT LIKE '%\_alone') AS f
GROUP BY method ORDER BY method;

-- the order of the rows and who counts them do not matter
CREATE TABLE shuffled AS SELECT * FROM people ORDER BY md5(id::text);
SELECT count(*) AS differences FROM (
  (SELECT * FROM sdc.l_multi('people', '{a,b}', '{illness,income}', variant => 'entropy')
   EXCEPT SELECT * FROM sdc.l_multi('shuffled', '{a,b}', '{illness,income}', variant => 'entropy'))
  UNION ALL
  (SELECT * FROM sdc.l_multi('shuffled', '{a,b}', '{illness,income}', variant => 'entropy')
   EXCEPT SELECT * FROM sdc.l_multi('people', '{a,b}', '{illness,income}', variant => 'entropy'))) AS d;

-- columns from the declaration
SELECT sdc.declare('people', keys => '{a}', sensitive => '{illness,income}');
SELECT measure, subject, value FROM sdc.l_multi('people', NULL, NULL);

-- no records, one record, a constant and nothing but NULL
CREATE TABLE edge(k int, s int, v text);
SELECT * FROM sdc.l_multi('edge', '{k}', '{s,v}', l => 2);
INSERT INTO edge VALUES (1, NULL, 'x');
SELECT * FROM sdc.l_multi('edge', '{k}', '{s,v}', l => 2);
INSERT INTO edge SELECT 1, NULL, 'x' FROM generate_series(1, 9);
SELECT measure, subject, value FROM sdc.l_multi('edge', '{k}', '{s,v}', l => 1, variant => 'entropy');

-- arguments
SELECT * FROM sdc.l_multi(NULL, '{a}', '{illness}');
SELECT * FROM sdc.l_multi('msa', NULL, '{s}');
SELECT * FROM sdc.l_multi('msa', '{q}', NULL);
SELECT * FROM sdc.l_multi('people', '{}', '{illness}');
SELECT * FROM sdc.l_multi('people', '{a}', '{illness,zz}');
SELECT * FROM sdc.l_multi('people', '{a}', '{illness,illness}');
SELECT * FROM sdc.l_multi('people', '{a,illness}', '{illness}');
SELECT * FROM sdc.l_multi('people', '{a}', '{illness}', variant => 'best');
SELECT * FROM sdc.l_multi('people', '{a}', '{illness}', variant => NULL);
SELECT * FROM sdc.l_multi('people', '{a}', '{illness}', variant => 'recursive');
SELECT * FROM sdc.l_multi('people', '{a}', '{illness}', c => 2);
SELECT * FROM sdc.l_multi('people', '{a}', '{illness}', c => 0, variant => 'recursive');
SELECT * FROM sdc.l_multi('people', '{a}', '{illness}', c => 'NaN', variant => 'recursive');
SELECT * FROM sdc.l_multi('people', '{a}', '{illness}', l => 0.5);
SELECT * FROM sdc.l_multi('people', '{a}', '{illness}', l => 'Infinity');

-- the caller's rights, and no more
\set SHOW_CONTEXT never
CREATE ROLE l_multi_reader;
GRANT SELECT (a, illness) ON people TO l_multi_reader;
SET ROLE l_multi_reader;
SELECT count(*) FROM sdc.l_multi('people', '{a}', '{illness}');
SELECT count(*) FROM sdc.l_multi('people', '{a}', '{illness,income}');
RESET ROLE;

DROP FUNCTION compare, oracle;
DROP TABLE msa, people, shuffled, edge;
DROP ROLE l_multi_reader;
