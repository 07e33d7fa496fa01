-- suda2: special uniques against all sets of keys in plain SQL.

-- EX-SUDA-1
CREATE TABLE su(id int PRIMARY KEY, v1 int, v2 int, v3 int, v4 int);
INSERT INTO su VALUES (1,1,1,1,1),(2,1,1,1,1),(3,1,1,2,1),(4,1,2,1,2),(5,1,2,2,1),
  (6,1,2,2,1),(7,2,1,1,3),(8,2,1,2,2),(9,2,2,2,2),(10,2,2,2,2);
SELECT id, score, round(dis::numeric, 6) AS dis, msus, smallest_msu,
       (SELECT array_agg(round(c::numeric, 4)) FROM unnest(contribution) AS c) AS contribution
FROM sdc.suda2('su', 'id', '{v1,v2,v3,v4}', '{"dis_fraction": 0.1}') ORDER BY id::int;
SELECT measure, subject, round(value::numeric, 6) AS value, detail
FROM sdc.risk_report('su', '{v1,v2,v3,v4}', measures => '{records,unique_count,special_uniques,match_probability,minimal_uniques,key_contribution}',
                     params => '{"sampling_fraction": 0.1}');
SELECT subject, example, round(value::numeric, 6) AS value, detail
FROM sdc.risk_report('su', '{v4,v2}', measures => '{value_contribution}');
-- they are dear, and not among what is given unasked
SELECT count(*) AS unasked FROM sdc.risk_report('su', '{v1,v2}') WHERE measure ~ 'uniques$|contribution|match';
-- a census leaves no doubt
SELECT id, dis FROM sdc.suda2('su', 'id', '{v1,v2,v3,v4}', '{"dis_fraction": 1}')
WHERE dis > 0 ORDER BY id::int;

CREATE TABLE people(id int, a text, b numeric, "C c" date, d boolean, e int[]);
INSERT INTO people
SELECT i, (ARRAY['x','y','Z'])[1 + i * 7 % 3], CASE WHEN i % 11 > 1 THEN (i * i % 5)::numeric(5,2) END,
       CASE WHEN i % 13 > 0 THEN date '2000-01-01' + i * i % 7 END, i % 4 = 0, ARRAY[i * 5 % 6, NULL]
FROM generate_series(1, 60) AS i;
CREATE VIEW rec AS
SELECT id, ARRAY[a, b::text, "C c"::text, d::text, e::text] AS k FROM people;
CREATE TABLE tested(id int, m int, size int, keys int);

-- All minimal sample uniques of rec (id, k text[]) by going through all sets
-- of keys and all pairs of records; m has the bits of the keys.
CREATE FUNCTION msu(nulls text, max_size int) RETURNS TABLE (id int, m int, size int, keys int)
LANGUAGE sql AS $$
  WITH mask AS MATERIALIZED (
    SELECT m, (SELECT array_agg(j + 1) FROM generate_series(0, n - 1) AS j WHERE m >> j & 1 = 1) AS set
    FROM (SELECT max(cardinality(k)) AS n FROM rec) AS w, generate_series(1, (1 << n) - 1) AS m),
  u AS MATERIALIZED (
    SELECT a.id, mask.m, cardinality(set) AS size, cardinality(a.k) AS keys FROM rec AS a, mask
    WHERE NOT EXISTS (
      SELECT FROM rec AS b WHERE b.id <> a.id AND (
        SELECT bool_and(CASE nulls WHEN 'category' THEN a.k[j] IS NOT DISTINCT FROM b.k[j]
                                   WHEN 'wildcard' THEN coalesce(a.k[j] = b.k[j], true)
                                   ELSE coalesce(a.k[j] = b.k[j], false) END)
        FROM unnest(set) AS j))
    AND (nulls = 'category' OR (SELECT bool_and(a.k[j] IS NOT NULL) FROM unnest(set) AS j)))
  SELECT * FROM u WHERE size <= max_size AND NOT EXISTS (
    SELECT FROM u AS s WHERE s.id = u.id AND s.m <> u.m AND s.m & u.m = s.m)
$$;
CREATE FUNCTION weight(score text, keys int, size int, max_size int) RETURNS float8 LANGUAGE sql AS $$
  SELECT CASE score
    WHEN 'factorial' THEN factorial(keys - size)::float8
    WHEN 'elliot' THEN coalesce((SELECT exp(sum(ln(keys - i)))
                                 FROM generate_series(size, least(max_size, keys - 1)) AS i), 1)
    ELSE ((1 << (keys - size)) - 1) * (factorial(keys - size) * factorial(size) / factorial(keys))::float8
  END
$$;
-- Records in which sdc.suda2 and that differ.
CREATE FUNCTION differences(nulls text, scoring text, max_size int, OUT records bigint, OUT special bigint, OUT wrong bigint)
LANGUAGE sql AS $$
  WITH e AS (
    SELECT r.id, count(m.m) AS msus, min(m.size) AS smallest,
           coalesce(sum(weight(scoring, m.keys, m.size, max_size)) FILTER (WHERE m.m IS NOT NULL), 0) AS score,
           (SELECT array_agg(coalesce((SELECT sum(weight(scoring, x.keys, x.size, max_size)) FROM tested AS x
                                       WHERE x.id = r.id AND x.m >> j & 1 = 1), 0) ORDER BY j)
            FROM generate_series(0, cardinality(r.k) - 1) AS j) AS part
    FROM rec AS r LEFT JOIN tested AS m USING (id)
    GROUP BY r.id, r.k)
  SELECT count(*), count(*) FILTER (WHERE e.msus > 0), count(*) FILTER (WHERE (
      s.msus = e.msus AND s.smallest_msu IS NOT DISTINCT FROM e.smallest
      AND abs(s.score - e.score) <= 1e-9 * e.score
      AND (s.contribution IS NULL) = (e.score = 0)
      AND coalesce((SELECT bool_and(abs(c * e.score - p) <= 1e-9 * e.score)
                    FROM unnest(s.contribution, e.part) AS x(c, p)), true)) IS NOT TRUE)
  FROM e FULL JOIN sdc.suda2('people', 'id', '{a,b,"C c",d,e}',
    jsonb_build_object('nulls', nulls, 'score', scoring, 'max_size', max_size)) AS s ON s.id = e.id::text
$$;
INSERT INTO tested SELECT * FROM msu('category', 5);
SELECT * FROM differences('category', 'factorial', 5);
SELECT * FROM differences('category', 'ihsn', 5);
TRUNCATE tested; INSERT INTO tested SELECT * FROM msu('category', 2);
SELECT * FROM differences('category', 'elliot', 2);
TRUNCATE tested; INSERT INTO tested SELECT * FROM msu('wildcard', 5);
SELECT * FROM differences('wildcard', 'factorial', 5);
TRUNCATE tested; INSERT INTO tested SELECT * FROM msu('ignore', 4);
SELECT * FROM differences('ignore', 'elliot', 4);

-- the report is what the records sum up to
CREATE FUNCTION sums(nulls text) RETURNS TABLE (measure text, subject text, value float8) LANGUAGE sql AS $$
  WITH s AS MATERIALIZED (
    SELECT *, score * contribution[1] AS ca, score * contribution[2] AS cb
    FROM sdc.suda2('people', 'id', '{a,b}', jsonb_build_object('nulls', nulls)))
  SELECT 'records', 'a, b', count(*)::float8 FROM s
  UNION ALL SELECT 'special_uniques', 'a, b', count(*) FILTER (WHERE msus > 0)::float8 FROM s
  UNION ALL SELECT 'unique_count', 'a, b', count(*)::float8 FROM people AS p WHERE NOT EXISTS (
    SELECT FROM people AS q WHERE p.id <> q.id AND CASE nulls
      WHEN 'wildcard' THEN coalesce(p.a = q.a, true) AND coalesce(p.b = q.b, true)
      ELSE (p.a, p.b) IS NOT DISTINCT FROM (q.a, q.b) END)
  UNION ALL SELECT 'key_contribution', 'a', sum(ca) / sum(score) FROM s
  UNION ALL SELECT 'key_contribution', 'b', sum(cb) / sum(score) FROM s
  UNION ALL SELECT 'value_contribution', 'b = ' || coalesce(p.b::text, 'NULL'), sum(cb) / (SELECT sum(score) FROM s)
  FROM s JOIN people AS p ON s.id = p.id::text WHERE cb > 0 GROUP BY p.b
  UNION ALL SELECT 'value_contribution', 'a = ' || p.a, sum(ca) / (SELECT sum(score) FROM s)
  FROM s JOIN people AS p ON s.id = p.id::text WHERE ca > 0 GROUP BY p.a
$$;
DELETE FROM people WHERE id > 20;
INSERT INTO people VALUES (21, 'w', 9), (22, 'x', 7);
CREATE FUNCTION wrong_lines(nulls text, OUT lines bigint, OUT wrong bigint) LANGUAGE sql AS $$
  SELECT count(*), count(*) FILTER (WHERE abs(r.value - e.value) <= 1e-12 IS NOT TRUE)
  FROM sdc.risk_report('people', '{a,b}', measures => '{records,unique_count,special_uniques,key_contribution,value_contribution}',
                       params => jsonb_build_object('nulls', nulls)) AS r
  FULL JOIN sums(nulls) AS e ON e.measure = r.measure
    AND e.subject = r.subject || coalesce(' = ' || r.example, '')
$$;
SELECT nulls, w.* FROM unnest('{category,wildcard,ignore}'::text[]) AS nulls, wrong_lines(nulls) AS w;

-- the order of rows changes nothing
CREATE TABLE shuffled AS SELECT * FROM people ORDER BY id * 7 % 23, id;
SELECT count(*) AS differ FROM sdc.suda2('people', 'id', '{a,b,d}') AS p
FULL JOIN sdc.suda2('shuffled', 'id', '{a,b,d}') AS s USING (id)
WHERE p IS DISTINCT FROM s;

-- keys and id as declared; a NULL id; two keys, one key
SELECT sdc.declare('su', id => 'id', keys => '{v1,v2,v3,v4}');
SELECT sum(score) AS total, count(*) FROM sdc.suda2('su');
SELECT count(*) FROM sdc.risk_report('su', measures => '{special_uniques,match_probability,minimal_uniques,key_contribution}');
INSERT INTO people VALUES (NULL, 'only', 1, NULL, NULL, NULL);
SELECT * FROM sdc.suda2('people', 'id', '{a}') WHERE score > 0;
SELECT id, score, msus, smallest_msu, contribution FROM sdc.suda2('people', 'id', '{a,d}') WHERE score > 0;

-- no record, one record, equal records, many keys
CREATE TABLE nobody(id int, a int, b int);
SELECT * FROM sdc.suda2('nobody', 'id', '{a,b}');
SELECT * FROM sdc.risk_report('nobody', '{a,b}', measures => '{records,special_uniques,match_probability,minimal_uniques,key_contribution}');
INSERT INTO nobody VALUES (1, 1, NULL);
SELECT * FROM sdc.suda2('nobody', 'id', '{a,b}');
SELECT nulls, s.* FROM unnest('{wildcard,ignore}'::text[]) AS nulls,
  LATERAL sdc.suda2('nobody', 'id', '{a,b}', jsonb_build_object('nulls', nulls)) AS s;
INSERT INTO nobody VALUES (2, 1, NULL);
SELECT * FROM sdc.suda2('nobody', 'id', '{a,b}');
DO $$ BEGIN
  EXECUTE (SELECT format('CREATE TABLE wide AS SELECT i AS id, %s FROM generate_series(1, 20) AS i',
                         string_agg(format('i * %s %% %s AS k%s', j, 2 + j % 5, j), ', '))
           FROM generate_series(1, 300) AS j);
END $$;
SELECT count(*), max(msus), min(smallest_msu) FROM sdc.suda2('wide', 'id',
  (SELECT array_agg('k' || j)::name[] FROM generate_series(1, 63) AS j), '{"max_size": 3}');
-- more keys than a word has bits; without max_size sets of 3, not of all
WITH value AS (
  SELECT w.id, x.key, x.value FROM wide AS w, jsonb_each(to_jsonb(w) - 'id') AS x
  WHERE substr(x.key, 2)::int <= 90),
pair AS (
  SELECT min(a.id) AS id FROM value AS a JOIN value AS b ON a.id = b.id AND a.key < b.key
  GROUP BY a.key, b.key, a.value, b.value HAVING count(*) = 1)
SELECT count(*), max(msus) = (SELECT max(n) FROM (SELECT count(*) AS n FROM pair GROUP BY id) AS p) AS as_counted,
  min(smallest_msu), max(cardinality(contribution))
FROM sdc.suda2('wide', 'id',
  (SELECT array_agg('k' || j)::name[] FROM generate_series(1, 90) AS j), '{"max_size": 2}');
SELECT value, detail FROM sdc.risk_report('wide', (SELECT array_agg('k' || j)::name[] FROM generate_series(1, 70) AS j),
  measures => '{special_uniques}');

-- arguments
SELECT * FROM sdc.suda2(NULL, 'id', '{a}');
SELECT * FROM sdc.suda2('people', NULL, '{a}');
SELECT * FROM sdc.suda2('people', 'id');
SELECT * FROM sdc.suda2('people', 'idd', '{a}');
SELECT * FROM sdc.suda2('people', 'id', '{a,zz}');
SELECT * FROM sdc.suda2('people', 'id', '{a,a}');
SELECT * FROM sdc.suda2('people', 'id', '{a}', '{"max_size": 0}');
SELECT * FROM sdc.suda2('people', 'id', '{a}', '{"dis_fraction": 0}');
SELECT * FROM sdc.suda2('people', 'id', '{a}', '{"dis_fraction": 1.5}');
SELECT * FROM sdc.suda2('people', 'id', '{a}', '{"score": "sum"}');
SELECT * FROM sdc.suda2('people', 'id', '{a}', '{"nulls": "none"}');
SELECT * FROM sdc.suda2('people', 'id', '{a}', '{"fraction": 1}');
SELECT * FROM sdc.risk_report('people', '{a}', measures => '{special_uniques}', params => '{"max_size": 0}');
SELECT * FROM sdc.risk_report('people', '{a}', measures => '{special_uniques}', params => '{"score": "sum"}');

DROP FUNCTION wrong_lines, sums, differences, weight, msu;
DROP VIEW rec;
DROP TABLE su, people, tested, nobody, wide, shuffled;
