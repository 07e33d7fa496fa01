-- disclosure: rank_disclosure, interval_disclosure and unchanged_share against plain SQL, and the report that joins
-- them with the attacks.

-- EX-RID-1: rank interval disclosure of ten records by rank swapping, w = 1 and 2
CREATE TABLE rs_original(id int PRIMARY KEY, a1 int, a2 int, a3 int, a4 int);
CREATE TABLE rs_masked  (id int PRIMARY KEY, a1 int, a2 int, a3 int, a4 int);
INSERT INTO rs_original VALUES (1,8,9,1,3),(2,6,7,10,2),(3,10,3,4,1),(4,7,1,2,6),(5,9,4,6,4),
  (6,2,2,8,8),(7,1,10,3,9),(8,4,8,7,10),(9,5,5,5,5),(10,3,6,9,7);
INSERT INTO rs_masked VALUES (1,10,10,3,5),(2,5,5,8,1),(3,8,4,2,2),(4,9,2,4,4),(5,7,3,5,6),
  (6,4,1,10,10),(7,3,9,1,7),(8,2,6,9,8),(9,6,7,6,3),(10,1,8,7,9);
SELECT p, sdc.rank_disclosure(o.a1, m.a1, p) AS a1, sdc.rank_disclosure(o.a2, m.a2, p) AS a2,
       sdc.rank_disclosure(o.a3, m.a3, p) AS a3, sdc.rank_disclosure(o.a4, m.a4, p) AS a4
FROM rs_original o JOIN rs_masked m USING (id), (VALUES (20), (40)) AS v(p)
GROUP BY p ORDER BY p;
-- EX-RID-2: within 40 % of the standard deviation
SELECT sdc.interval_disclosure(o.a1, m.a1, 40) AS a1, sdc.interval_disclosure(o.a2, m.a2, 40) AS a2,
       sdc.interval_disclosure(o.a3, m.a3, 40) AS a3, sdc.interval_disclosure(o.a4, m.a4, 40) AS a4
FROM rs_original o JOIN rs_masked m USING (id);
-- EX-UT-3
CREATE TABLE ut_original(id int PRIMARY KEY, a float8, b float8);
CREATE TABLE ut_masked(id int PRIMARY KEY, a float8, b float8);
INSERT INTO ut_original VALUES (1,10,1),(2,20,3),(3,30,2),(4,40,5),(5,50,4),(6,60,6);
INSERT INTO ut_masked VALUES (1,12,1),(2,18,2),(3,33,3),(4,40,4),(5,47,5),(6,62,6);
SELECT sdc.interval_disclosure(o.a, m.a, 20) AS a, round(sdc.interval_disclosure(o.b, m.b, 20)::numeric, 4) AS b
FROM ut_original o JOIN ut_masked m USING (id);
-- EX-SADR-1
CREATE TABLE sal_original(id int PRIMARY KEY, dob text, sex text, zip text, salary int);
INSERT INTO sal_original VALUES (1,'1/21/76','M','53715',50000),(2,'4/13/86','F','53715',55000),
  (3,'2/28/76','M','53703',60000),(4,'1/21/76','M','53703',65000),(5,'4/13/86','F','53706',70000),
  (6,'2/28/76','F','53706',75000);
CREATE VIEW sal_generalized AS
SELECT id, dob, CASE WHEN dob = '2/28/76' THEN '*' ELSE sex END AS sex, left(zip, 3) || '**' AS zip, salary
FROM sal_original;
SELECT sdc.unchanged_share(o.zip, g.zip) AS zip, round(sdc.unchanged_share(o.sex, g.sex)::numeric, 4) AS sex
FROM sal_original o JOIN sal_generalized g USING (id);

-- Brute force, straight from the definitions: for each record the nearest
-- value, its first and last place among the sorted originals, the values
-- w places away.
CREATE FUNCTION rid_marks_by_hand(o float8[], m float8[], p float8) RETURNS boolean[] LANGUAGE sql AS $$
  WITH r AS (SELECT array_agg(v ORDER BY v) AS r, count(*)::int AS n,
                    floor(p * count(*) / 200)::int AS w
             FROM unnest(o) AS u(v) WHERE v IS NOT NULL),
       t AS (SELECT a AS v, b AS v2, i, (SELECT x FROM unnest(o) AS q(x) WHERE x IS NOT NULL
                                         ORDER BY abs(x - b), x LIMIT 1) AS s
             FROM unnest(o, m) WITH ORDINALITY AS u(a, b, i)),
       i AS (SELECT v, v2, i, (SELECT count(*)::int FROM unnest(o) AS q(x) WHERE x < s) AS first,
                    (SELECT count(*)::int - 1 FROM unnest(o) AS q(x) WHERE x <= s) AS last FROM t)
  SELECT array_agg(CASE WHEN v IS NOT NULL THEN v2 IS NOT NULL AND
                     v BETWEEN r[greatest(first - w, 0) + 1] AND r[least(last + w, n - 1) + 1] END ORDER BY i)
  FROM i, r
$$;
CREATE FUNCTION rid_by_hand(o float8[], m float8[], p float8) RETURNS float8 LANGUAGE sql AS $$
  SELECT avg(s::int) FROM unnest(rid_marks_by_hand(o, m, p)) AS u(s)
$$;
CREATE FUNCTION sdid_by_hand(o float8[], m float8[], p float8) RETURNS float8 LANGUAGE sql AS $$
  WITH s AS (SELECT coalesce(stddev_samp(v), 0) AS s FROM unnest(o) AS u(v))
  SELECT avg(coalesce(abs(a - b) <= p * s / 100, false)::int)
  FROM unnest(o, m) AS u(a, b), s WHERE a IS NOT NULL
$$;
CREATE FUNCTION sadr_by_hand(o float8[], m float8[]) RETURNS float8 LANGUAGE sql AS $$
  SELECT avg(coalesce(a = b, false)::int) FROM unnest(o, m) AS u(a, b) WHERE a IS NOT NULL
$$;
-- a generator whose values are the same everywhere
CREATE FUNCTION noise(i bigint, salt bigint, values_of bigint) RETURNS bigint LANGUAGE sql IMMUTABLE AS
$$ SELECT (((i * 2654435761 + salt * 40503) % 4294967296 * 69069 + 12345) % 4294967296 / 65536) % values_of $$;
-- 60 tables of 1 to 90 records: many ties or few, with and without NULLs,
-- masked values half way between two originals and outside of their range
CREATE TABLE pairs AS
SELECT t, i, CASE WHEN t % 3 = 0 AND noise(t * 1000 + i, 1, 6) = 0 THEN NULL
                  ELSE noise(t * 1000 + i, 2, 1 + noise(t, 3, 60)) - 10 END::float8 AS o,
       CASE WHEN t % 4 = 0 AND noise(t * 1000 + i, 4, 6) = 0 THEN NULL
            ELSE noise(t * 1000 + i, 5, 2 + 3 * noise(t, 3, 60)) / 2.0 - 12 END::float8 AS m
FROM generate_series(1, 60) AS t, generate_series(1, 1 + noise(t, 6, 90)) AS i;
SELECT p, count(*) AS tables,
       count(*) FILTER (WHERE rank_disclosure IS DISTINCT FROM rid_by_hand(o, m, p)) AS rid_differ,
       count(*) FILTER (WHERE interval_disclosure IS DISTINCT FROM sdid_by_hand(o, m, p)) AS sdid_differ,
       count(*) FILTER (WHERE unchanged_share IS DISTINCT FROM sadr_by_hand(o, m)) AS sadr_differ,
       round(avg(rank_disclosure)::numeric, 4) AS rank_disclosure, round(avg(interval_disclosure)::numeric, 4) AS interval_disclosure,
       round(avg(unchanged_share)::numeric, 4) AS unchanged_share
FROM (SELECT t, p, sdc.rank_disclosure(o, m, p) AS rank_disclosure, sdc.interval_disclosure(o, m, p) AS interval_disclosure, sdc.unchanged_share(o, m) AS unchanged_share,
             array_agg(o ORDER BY i) AS o, array_agg(m ORDER BY i) AS m
      FROM pairs, (VALUES (0), (1), (7), (10), (33.3), (100)) AS v(p) GROUP BY t, p) AS s
GROUP BY p ORDER BY p;

-- a file released unchanged has the risk 1, a suppressed one 0, NULLs or not
SELECT DISTINCT sdc.rank_disclosure(o, o, 0) AS rank_disclosure, sdc.interval_disclosure(o, o, 0) AS interval_disclosure, sdc.unchanged_share(o, o) AS unchanged_share,
       sdc.rank_disclosure(o, NULL, 100) AS rid_0, sdc.interval_disclosure(o, NULL, 100) AS sdid_0,
       sdc.unchanged_share(o, NULL::float8) AS sadr_0
FROM pairs GROUP BY t;
-- nothing to disclose
SELECT sdc.rank_disclosure(o, m, 10), sdc.interval_disclosure(o, m, 10), sdc.unchanged_share(o, m) FROM pairs WHERE false;
SELECT sdc.rank_disclosure(NULL, m, 10), sdc.interval_disclosure(NULL, m, 10), sdc.unchanged_share(NULL::float8, m) FROM pairs;
-- one record; a column without spread: a changed value is not within 0 of it,
-- but there is only one value that it can be
SELECT sdc.rank_disclosure(5, 6, 10), sdc.interval_disclosure(5, 6, 100), sdc.unchanged_share(5, 6);
SELECT sdc.rank_disclosure(5, m, 10), sdc.interval_disclosure(5, m, 100), sdc.unchanged_share(5, m)
FROM (VALUES (5), (5), (7), (NULL)) AS v(m);
-- the largest numbers and the smallest
SELECT sdc.rank_disclosure(o, m, 0), sdc.interval_disclosure(o, m, 100)
FROM (VALUES (-1.7e308::float8, 1.7e308::float8), (1.7e308, 1.7e308), (0, -1.7e308)) AS v(o, m);
SELECT sdc.rank_disclosure(o, m, 0), sdc.interval_disclosure(o, m, 50)
FROM (VALUES (1e-308::float8, 1e-308::float8), (2e-308, 2.1e-308), (-1e-308, 1e308)) AS v(o, m);
SELECT sdc.rank_disclosure(-0.0::float8, 0.0::float8, 0), sdc.unchanged_share(-0.0::float8, 0.0::float8);

-- unchanged_share takes every type that has an equality
CREATE TYPE mood AS ENUM ('low', 'high');
CREATE TYPE place AS (x int, y text);
SELECT sdc.unchanged_share(o, m) FROM (VALUES (1.0, 1.00), (2, 3)) AS v(o, m);
SELECT sdc.unchanged_share(o, m) FROM (VALUES (date '2020-01-01', date '2020-01-01'), ('2020-01-02', NULL)) AS v(o, m);
SELECT sdc.unchanged_share(o::mood, m::mood) FROM (VALUES ('low', 'low'), ('low', 'high')) AS v(o, m);
SELECT sdc.unchanged_share(o::inet, m::inet) FROM (VALUES ('10.0.0.1', '10.0.0.1'), ('10.0.0.1', '10.0.0.0/24')) AS v(o, m);
SELECT sdc.unchanged_share(o::jsonb, m::jsonb) FROM (VALUES ('{"a":1,"b":2}', '{"b":2, "a":1.0}'), ('[]', '{}')) AS v(o, m);
SELECT sdc.unchanged_share(o, m) FROM (VALUES ('{1,2}'::int[], '{1,2}'::int[]), ('{1}', '{2}')) AS v(o, m);
SELECT sdc.unchanged_share(ROW(o, 'a')::place, ROW(m, 'a')::place) FROM (VALUES (1, 1), (1, 2)) AS v(o, m);
SELECT sdc.unchanged_share(o::char(5), m::char(5)) FROM (VALUES ('a', 'a  '), ('a', 'b')) AS v(o, m);
SELECT sdc.unchanged_share(repeat('x', 100000) || o, repeat('x', 100000) || m) FROM (VALUES ('a', 'a'), ('a', 'b')) AS v(o, m);
-- compressed and out of line
CREATE TABLE large(o text, m text);
INSERT INTO large SELECT repeat(i::text, 90000), repeat((i % 3)::text, 90000) FROM generate_series(1, 6) AS i;
SELECT round(sdc.unchanged_share(o, m)::numeric, 4) FROM large;

-- as window functions, with FILTER, DISTINCT and in groups
SELECT i, sdc.rank_disclosure(i, m, 100) OVER w AS rank_disclosure, sdc.interval_disclosure(i, m, 50) OVER w AS interval_disclosure, sdc.unchanged_share(i, m) OVER w AS unchanged_share
FROM (VALUES (1, 1), (2, 2), (3, 9), (4, 4), (5, 0)) AS v(i, m)
WINDOW w AS (ORDER BY i ROWS 2 PRECEDING) ORDER BY i;
SELECT sdc.rank_disclosure(i, 3, 0) FILTER (WHERE i < 4) AS filtered, sdc.rank_disclosure(DISTINCT i % 2, 1, 0) AS different
FROM generate_series(1, 8) AS i;

-- order of rows and workers change nothing
CREATE TABLE many AS
SELECT i, noise(i, 1, 500) / 7.0::float8 AS o, (noise(i, 1, 500) + noise(i, 2, 60)) / 7.0::float8 AS m,
       noise(i, 3, 20)::text AS c, noise(i, 4, 20)::text AS d, i % 7 AS g
FROM generate_series(1, 40000) AS i;
CREATE TABLE shuffled AS SELECT * FROM many ORDER BY noise(i, 9, 60000);
CREATE FUNCTION all_of(rel regclass, OUT r float8, OUT s float8, OUT e float8) LANGUAGE plpgsql AS $$
BEGIN
  EXECUTE format('SELECT sdc.rank_disclosure(o, m, 10), sdc.interval_disclosure(o, m, 10), sdc.unchanged_share(c, d) FROM %s', rel) INTO r, s, e;
END $$;
SET max_parallel_workers_per_gather = 0;
SELECT r AS r1, s AS s1, e AS e1 FROM all_of('many') \gset
SELECT rid_by_hand(array_agg(o), array_agg(m), 10) IS NOT DISTINCT FROM sdc.rank_disclosure(o, m, 10) AS right
FROM (SELECT * FROM many WHERE i <= 700) AS s;
SELECT r = :r1 AND s = :s1 AND e = :e1 AS same FROM all_of('shuffled');
SET max_parallel_workers_per_gather = 2;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
ANALYZE many, shuffled;
EXPLAIN (COSTS OFF) SELECT sdc.rank_disclosure(o, m, 10), sdc.interval_disclosure(o, m, 10), sdc.unchanged_share(c, d) FROM many;
SELECT r = :r1 AND s = :s1 AND e = :e1 AS same FROM all_of('many');
SELECT r = :r1 AND s = :s1 AND e = :e1 AS same FROM all_of('shuffled');
CREATE TABLE by_group AS SELECT g, sdc.rank_disclosure(o, m, 10) AS r, sdc.unchanged_share(c, d) AS e FROM many GROUP BY g;
SET max_parallel_workers_per_gather = 0;
SELECT count(*) AS groups, bool_and(b.r = s.r AND b.e = s.e) AS same
FROM by_group b JOIN (SELECT g, sdc.rank_disclosure(o, m, 10) AS r, sdc.unchanged_share(c, d) AS e FROM shuffled GROUP BY g) AS s USING (g);
RESET max_parallel_workers_per_gather;
RESET parallel_setup_cost;
RESET parallel_tuple_cost;
RESET min_parallel_table_scan_size;

-- errors, without values
SELECT sdc.rank_disclosure(1, 2, NULL);
SELECT sdc.rank_disclosure(1, 2, 101);
SELECT sdc.interval_disclosure(1, 2, -1);
SELECT sdc.interval_disclosure(1, 2, 'NaN');
SELECT sdc.rank_disclosure(i, i, i) FROM generate_series(1, 2) AS i;
SELECT sdc.rank_disclosure('NaN', 2, 10);
SELECT sdc.interval_disclosure(1, 'infinity', 10);
SELECT sdc.unchanged_share(1, 1.0);
SELECT sdc.unchanged_share(1, 'a'::text);
SELECT sdc.unchanged_share('{}'::json, '{}'::json);
SET sdc.memory_limit = '1MB';
SELECT sdc.rank_disclosure(o, m, 10) FROM many, generate_series(1, 3);
RESET sdc.memory_limit;
-- states that no aggregate has made
SELECT sdc_internal.rid_final(sdc_internal.disclosure_accum(NULL, 1, 2, 10)), length(sdc_internal.disclosure_accum(NULL, 1, 2, 10));
SELECT sdc_internal.rid_final('');
SELECT sdc_internal.sdid_final(repeat('x', 100)::bytea);
SELECT sdc_internal.rid_final(set_byte(sdc_internal.disclosure_accum(NULL, 1, 2, 10), 0, 0));
SELECT sdc_internal.rid_final(sdc_internal.disclosure_accum(NULL, 1, 2, 10) || '\x00');
SELECT sdc_internal.rid_final(overlay(sdc_internal.disclosure_accum(NULL, 1, 2, 10) PLACING '\xffffffffffffffff' FROM 5));
SELECT sdc_internal.rid_final(overlay(sdc_internal.disclosure_accum(NULL, 1, 2, 10) PLACING '\xffffffffffffffff' FROM 21));
SELECT sdc_internal.disclosure_combine(sdc_internal.disclosure_accum(NULL, 1, 2, 10), sdc_internal.disclosure_accum(NULL, 1, 2, 20));
SELECT sdc_internal.sadr_accum(NULL, 1, 1);
SELECT sdc_internal.sadr_accum('{1}', 1, 1);

-- The report.  EX-RID-1 jointly 0.0, EX-RS-7 0.5 to the masked file, 0.6 back.
SELECT measure, subject, round(value::numeric, 4) AS value FROM sdc.disclosure_report('rs_original', 'rs_masked',
  'id', '{a1,a2,a3,a4}', p => 20);
SELECT measure, subject, value, detail FROM sdc.disclosure_report('rs_original', 'rs_masked', 'id', '{a2,a4}',
  p => 40);
-- EX-UT-3 jointly
SELECT subject, round(value::numeric, 4) AS value FROM sdc.disclosure_report('ut_original', 'ut_masked', 'id', NULL,
  '{a,b}', p => 20, measures => '{interval_disclosure}') WHERE measure = 'interval_disclosure';
-- EX-SADR-1: by chance sum of p p', 2/6 2/6 + 3/6 2/6 for sex
SELECT measure, subject, round(value::numeric, 4) AS value, detail
FROM sdc.disclosure_report('sal_original', 'sal_generalized', 'id', '{zip,sex}', '{salary}');

-- Against the aggregates and plain SQL: numbers of several types, ties, NULLs,
-- text, dates, records that are in one relation only.
CREATE TABLE people AS
SELECT i AS id, noise(i, 1, 30)::int AS a, (noise(i, 2, 4000) / 7.0)::float8 AS b,
       nullif(noise(i, 3, 9), 4)::numeric AS c, date '2000-01-01' + noise(i, 4, 400)::int AS born,
       (ARRAY['a', 'b', 'c', NULL])[1 + noise(i, 5, 4)] AS t, noise(i, 6, 2) = 1 AS f, 5 AS flat
FROM generate_series(1, 300) AS i;
CREATE TABLE released AS
SELECT id, (a + noise(id, 7, 3) / 2.0)::numeric AS a, b + noise(id, 8, 90) AS b,
       nullif(c + noise(id, 9, 2), 3)::float8 AS c, born + noise(id, 10, 30)::int AS born,
       CASE WHEN noise(id, 11, 4) = 0 THEN NULL ELSE t END AS t, f <> (noise(id, 12, 5) = 0) AS f,
       6 AS flat
FROM people WHERE id > 20 UNION ALL SELECT 1000 + i, i, i, i, '2000-01-01', 'a', true, 5 FROM generate_series(1, 7) AS i;
CREATE TABLE report AS
SELECT * FROM sdc.disclosure_report('people', 'released', 'id', '{a,b,c,f}', '{born,t,flat,a}', p => 15);
CREATE TABLE both_of AS
SELECT o.a AS oa, m.a AS ma, o.b AS ob, m.b AS mb, o.c AS oc, m.c AS mc,
       o.born - date '2000-01-01' AS od, m.born - date '2000-01-01' AS md,
       o.t AS ot, m.t AS mt, o.f AS of, m.f AS mf, o.flat AS oe, m.flat AS me
FROM people o JOIN released m USING (id);
WITH want(measure, subject, value) AS (
  SELECT v.* FROM (SELECT sdc.rank_disclosure(oa, ma, 15) ra, sdc.rank_disclosure(ob, mb, 15) rb, sdc.rank_disclosure(oc, mc, 15) rc,
           sdc.rank_disclosure(od, md, 15) rd, sdc.rank_disclosure(oe, me, 15) re,
           sdc.interval_disclosure(oa, ma, 15) sa, sdc.interval_disclosure(ob, mb, 15) sb, sdc.interval_disclosure(oc, mc, 15) sc, sdc.interval_disclosure(od, md, 15) sd,
           sdc.interval_disclosure(oe, me, 15) se,
           sdc.unchanged_share(oa::float8, ma::float8) ea, sdc.unchanged_share(ob, mb) eb, sdc.unchanged_share(oc::float8, mc) ec,
           sdc.unchanged_share(od, md) ed, sdc.unchanged_share(ot, mt) et, sdc.unchanged_share(of, mf) ef, sdc.unchanged_share(oe, me) ee FROM both_of) AS x,
    LATERAL (VALUES ('rank_disclosure', 'a', ra), ('rank_disclosure', 'b', rb), ('rank_disclosure', 'c', rc), ('rank_disclosure', 'born', rd), ('rank_disclosure', 'flat', re),
      ('interval_disclosure', 'a', sa), ('interval_disclosure', 'b', sb), ('interval_disclosure', 'c', sc), ('interval_disclosure', 'born', sd), ('interval_disclosure', 'flat', se),
      ('unchanged_share', 'a', ea), ('unchanged_share', 'b', eb), ('unchanged_share', 'c', ec), ('unchanged_share', 'born', ed), ('unchanged_share', 't', et),
      ('unchanged_share', 'f', ef), ('unchanged_share', 'flat', ee)) AS v(measure, subject, value)
  UNION ALL  -- chance: all pairs of an original and a masked value
  SELECT 'unchanged_share_chance', subject, avg(coalesce(p.o = q.m, false)::int)
  FROM (SELECT subject, x.o FROM both_of, LATERAL (VALUES ('a', oa::float8::text), ('b', ob::text),
          ('c', oc::float8::text), ('born', od::text), ('t', ot), ('f', of::text), ('flat', oe::text)) AS x(subject, o)
        WHERE o IS NOT NULL) AS p
  JOIN (SELECT subject, x.m FROM both_of, LATERAL (VALUES ('a', ma::float8::text, oa::text), ('b', mb::text, ob::text),
          ('c', mc::text, oc::text), ('born', md::text, od::text), ('t', mt, ot), ('f', mf::text, of::text),
          ('flat', me::text, oe::text)) AS x(subject, m, o) WHERE o IS NOT NULL) AS q USING (subject)
  GROUP BY subject
  UNION ALL  -- jointly, of the values that are there
  SELECT 'interval_disclosure', 'a, b, c, born, flat', avg((abs(oa - ma) <= .15 * sa AND abs(ob - mb) <= .15 * sb
      AND (oc IS NULL OR coalesce(abs(oc - mc) <= .15 * sc, false))
      AND abs(od - md) <= .15 * sd AND oe = me)::int)
  FROM both_of, (SELECT stddev(oa) sa, stddev(ob) sb, stddev(oc) sc, stddev(od) sd FROM both_of) AS s
  UNION ALL
  SELECT 'rank_disclosure', 'a, b, c, born, flat', avg((coalesce(a, true) AND coalesce(b, true) AND coalesce(c, true)
      AND coalesce(d, true) AND coalesce(e, true))::int)
  FROM (SELECT array_agg(oa) oa, array_agg(ma) ma, array_agg(ob) ob, array_agg(mb) mb, array_agg(oc) oc,
               array_agg(mc) mc, array_agg(od) od, array_agg(md) md, array_agg(oe) oe, array_agg(me) me FROM both_of) AS s,
    unnest(rid_marks_by_hand(oa, ma, 15), rid_marks_by_hand(ob, mb, 15), rid_marks_by_hand(oc, mc, 15),
           rid_marks_by_hand(od, md, 15), rid_marks_by_hand(oe, me, 15)) AS u(a, b, c, d, e)
  UNION ALL
  SELECT 'unchanged_share', 'a, b, c, f, born, t, flat', avg((oa = ma AND ob = mb AND (oc IS NULL OR coalesce(oc = mc, false))
      AND od = md AND (ot IS NULL OR coalesce(ot = mt, false)) AND of = mf AND oe = me)::int) FROM both_of)
SELECT count(*) AS compared, count(*) FILTER (WHERE r.value IS NULL OR abs(r.value - want.value) > 1e-12) AS differ
FROM want LEFT JOIN report r USING (measure, subject);
SELECT count(*) FROM report WHERE measure IN ('rank_disclosure', 'interval_disclosure', 'unchanged_share', 'unchanged_share_chance');
SELECT value, detail FROM report WHERE measure = 'records';
-- the attacks are those of attack_distance, over the records that both have
SELECT r.subject, r.measure, abs(r.value - CASE r.measure WHEN 'reid_d' THEN q.d WHEN 'reid_k' THEN q.k ELSE 0 END)
         < 1e-12 AS same, r.value > 0 AS found
FROM report r JOIN (SELECT direction, count(*) FILTER (WHERE correct) / 280.0 AS d,
                           sum(probability) FILTER (WHERE linked_id = id) / 280 AS k
                    FROM (VALUES ('to_masked'), ('to_original')) AS v(direction),
                         LATERAL sdc.attack_distance('people', 'released', 'id', '{a,b,c,f}',
                           params => jsonb_build_object('direction', direction))
                    GROUP BY direction) AS q ON r.subject = 'distance ' || direction
WHERE r.measure ~ 'reid' ORDER BY 1, 2;
-- coarse keys: large sets of equally near records
SELECT r.subject, abs(r.value - q.k) < 1e-12 AS same, round(q.k::numeric, 6) AS reid_k
FROM sdc.disclosure_report('people', 'people', 'id', '{c,f}', measures => '{distance}') AS r
JOIN (SELECT direction, (sdc.reid(l)).reid_k AS k FROM (VALUES ('to_masked'), ('to_original')) AS v(direction),
        LATERAL sdc.attack_distance('people', 'people', 'id', '{c,f}',
          params => jsonb_build_object('direction', direction)) AS l
      GROUP BY direction) AS q ON r.subject = 'distance ' || direction
WHERE r.measure = 'reid_k' ORDER BY 1;
-- eight corners of a cube in four dimensions are equally near to each end of
-- an axis: more points than the search keeps with a record
CREATE TABLE corners AS SELECT i AS id, i & 1 AS w, i >> 1 & 1 AS x, i >> 2 & 1 AS y, i >> 3 & 1 AS z
FROM generate_series(0, 15) AS i;
CREATE TABLE ends AS SELECT i AS id, CASE a WHEN 0 THEN s ELSE 0 END AS w, CASE a WHEN 1 THEN s ELSE 0 END AS x,
  CASE a WHEN 2 THEN s ELSE 0 END AS y, CASE a WHEN 3 THEN s ELSE 0 END AS z
FROM (SELECT i, i & 3 AS a, (i >> 2 & 1) * 2 - 1 AS s FROM generate_series(0, 15) AS i) AS c;
SELECT r.subject, abs(r.value - q.k) < 1e-12 AS same, round(q.k::numeric, 6) AS reid_k, most
FROM sdc.disclosure_report('corners', 'ends', 'id', '{w,x,y,z}', measures => '{distance}') AS r
JOIN (SELECT direction, (sdc.reid(l)).reid_k AS k, max(candidates) AS most
      FROM (VALUES ('to_masked'), ('to_original')) AS v(direction),
        LATERAL sdc.attack_distance('corners', 'ends', 'id', '{w,x,y,z}',
          params => jsonb_build_object('direction', direction)) AS l
      GROUP BY direction) AS q ON r.subject = 'distance ' || direction
WHERE r.measure = 'reid_k' ORDER BY 1;
-- worst first
SELECT bool_and(value <= before) AS falls FROM (
  SELECT value, lag(value) OVER (ORDER BY n) AS before
  FROM (SELECT r.* FROM sdc.disclosure_report('people', 'released', 'id', '{a,b,c,f}', '{born,t,flat}')
          WITH ORDINALITY AS r(measure, subject, value, detail, example, n)) AS r
  WHERE measure IN ('rank_disclosure', 'interval_disclosure', 'unchanged_share', 'reid_d', 'reid_k', 'k_reid')) AS s;
SELECT r.measure, r.value = (SELECT max(value) FROM report q
  WHERE q.measure = ANY (CASE r.measure WHEN 'worst' THEN '{rank_disclosure,interval_disclosure,unchanged_share,reid_d,reid_k,k_reid}'
    WHEN 'identity_disclosure' THEN '{reid_d,reid_k,k_reid}' ELSE '{rank_disclosure,interval_disclosure,unchanged_share}' END::text[])) AS highest,
  EXISTS (SELECT FROM report q WHERE q.value = r.value AND q.measure || ' of ' || q.subject = r.subject) AS named
FROM report r WHERE measure IN ('worst', 'identity_disclosure', 'attribute_disclosure') ORDER BY 1;
-- the order of rows changes nothing
CREATE TABLE people2 AS SELECT * FROM people ORDER BY noise(id, 20, 60000);
CREATE TABLE released2 AS SELECT * FROM released ORDER BY noise(id, 21, 60000);
SELECT count(*) AS lines, bool_and((a.measure, a.subject, a.value) IS NOT DISTINCT FROM
                                   (b.measure, b.subject, b.value)) AS same FROM
  (SELECT r.* FROM sdc.disclosure_report('people', 'released', 'id', '{a,b,c,f}', '{born,t}')
     WITH ORDINALITY AS r(measure, subject, value, detail, example, n) WHERE measure <> 'records') AS a
FULL JOIN (SELECT r.* FROM sdc.disclosure_report('people2', 'released2', 'id', '{a,b,c,f}',
     '{born,t}') WITH ORDINALITY AS r(measure, subject, value, detail, example, n) WHERE measure <> 'records') AS b
USING (n);

-- unchanged: 1; everything suppressed: 0; nothing in common; nothing at all
SELECT measure, subject, value FROM sdc.disclosure_report('people', 'people', 'id', '{a,b}', '{born,t}')
WHERE measure IN ('worst', 'identity_disclosure', 'attribute_disclosure');
CREATE VIEW suppressed AS SELECT id, nullif(a, a) AS a, nullif(b, b) AS b, NULL::date AS born, NULL::text AS t FROM people;
SELECT measure, subject, value FROM sdc.disclosure_report('people', 'suppressed', 'id', '{a,b}', '{born,t}')
WHERE measure NOT IN ('rank_disclosure', 'interval_disclosure', 'unchanged_share', 'unchanged_share_chance');
SELECT DISTINCT measure, value FROM sdc.disclosure_report('people', 'suppressed', 'id', '{a,b}', '{born,t}')
WHERE measure IN ('rank_disclosure', 'interval_disclosure', 'unchanged_share', 'unchanged_share_chance') ORDER BY 1;
CREATE VIEW strangers AS SELECT id + 1000 AS id, a, b, t FROM people;
SELECT measure, subject, value, detail FROM sdc.disclosure_report('people', 'strangers', 'id', '{a}');
CREATE VIEW nobody AS SELECT * FROM people WHERE false;
SELECT measure, subject, value, detail FROM sdc.disclosure_report('nobody', 'nobody', 'id', '{a}', '{t}');
SELECT measure, subject, value FROM sdc.disclosure_report('people', 'nobody', 'id', '{a}', measures => '{rank_disclosure}');
SELECT measure, subject, value FROM sdc.disclosure_report('suppressed', 'people', 'id', '{a}', measures => '{rank_disclosure,unchanged_share}');
-- types that differ: numbers as numbers, a date is a timestamp, others as text
CREATE TABLE typed(id text, n int, c char(5), d date, z text);
INSERT INTO typed VALUES ('1', 5, 'ab', '2020-01-01', '7'), ('2', 6, 'b', '2020-02-01', '8');
CREATE TABLE typed_masked(id int, n float8, c text, d timestamp, z int);
INSERT INTO typed_masked VALUES (1, 5, 'ab', '2020-01-01', 7), (2, 6.5, 'b', '2020-03-01', 9);
SELECT measure, subject, value, detail FROM sdc.disclosure_report('typed', 'typed_masked', 'id', NULL, '{n,c,d,z}',
  p => 70, measures => '{interval_disclosure,unchanged_share}') WHERE measure IN ('interval_disclosure', 'unchanged_share');
SELECT subject, value FROM sdc.disclosure_report('typed_masked', 'typed', 'id', NULL, '{n,c,d,z}', p => 70,
  measures => '{interval_disclosure,unchanged_share}') WHERE measure IN ('interval_disclosure', 'unchanged_share');
-- no number among the keys
SELECT measure, subject, value, detail FROM sdc.disclosure_report('people', 'released', 'id', '{t}',
  measures => '{distance}');

-- columns from sdc.declare, names that need quotes, a partitioned table
CREATE TABLE "Odd ""names"(id int, "Key 1" int, "select" text) PARTITION BY RANGE (id);
CREATE TABLE odd_1 PARTITION OF "Odd ""names" FOR VALUES FROM (0) TO (5);
CREATE TABLE odd_2 PARTITION OF "Odd ""names" FOR VALUES FROM (5) TO (50);
INSERT INTO "Odd ""names" SELECT i, i * i, 'x' || i % 3 FROM generate_series(1, 9) AS i;
SELECT sdc.declare('"Odd ""names"', id => 'id', keys => ARRAY['Key 1'], sensitive => '{select}');
SELECT measure, subject, value FROM sdc.disclosure_report('"Odd ""names"', '"Odd ""names"');
SELECT sdc.declare('"Odd ""names"');
-- rules are looked at
SELECT measure, detail FROM sdc.disclosure_report('people', 'released', 'id', '{a,b}', measures => '{rank_disclosure}',
  rules => '{"a": {"method": "round_to", "base": 2}, "b, c": {"method": "microaggregate", "k": 3}}')
WHERE measure = 'records';
SELECT sdc.disclosure_report('people', 'released', 'id', '{a}', rules => '[]');
SELECT sdc.disclosure_report('people', 'released', 'id', '{a}', rules => '{"x": {"method": "add_noise"}}');
SELECT sdc.disclosure_report('people', 'released', 'id', '{a}', rules => '{"a": "noise"}');
SELECT sdc.disclosure_report('people', 'released', 'id', '{a}', rules => '{"a": ["method"]}');
SELECT sdc.disclosure_report('people', 'released', 'id', '{a}', rules => '{"a": {"k": 3}}');
SELECT sdc.disclosure_report('people', 'released', 'id', '{a}', rules => '{"a": {"method": 3}}');
SELECT sdc.disclosure_report('people', 'released', 'id', '{a}', rules => '{"a,": {"method": "add_noise"}}');

-- errors
SELECT sdc.disclosure_report(NULL, 'released', 'id', '{a}');
SELECT sdc.disclosure_report('people', NULL, 'id', '{a}');
SELECT sdc.disclosure_report('people', 'released', NULL, '{a}');
SELECT sdc.disclosure_report('people', 'released', 'id');
SELECT sdc.disclosure_report('people', 'released', 'id', '{}');
SELECT sdc.disclosure_report('people', 'released', 'id', '{a,NULL}');
SELECT sdc.disclosure_report('people', 'released', 'id', '{a,a}');
SELECT sdc.disclosure_report('people', 'released', 'id', '{aa}');
SELECT sdc.disclosure_report('people', 'released', 'ident', '{a}');
SELECT sdc.disclosure_report('people', 'strangers', 'id', '{a,c}');
SELECT sdc.disclosure_report('people', 'released', 'id', '{a}', p => NULL);
SELECT sdc.disclosure_report('people', 'released', 'id', '{a}', p => 100.5);
SELECT sdc.disclosure_report('people', 'released', 'id', '{a}', measures => '{}');
SELECT sdc.disclosure_report('people', 'released', 'id', '{a}', measures => '{rank_disclosure,NULL}');
SELECT sdc.disclosure_report('people', 'released', 'id', '{a}', measures => '{risk}');
SELECT sdc.disclosure_report('people', 'released', 'id', '{a,ctid}');
CREATE TABLE bad(id text, a float8);
INSERT INTO bad VALUES ('1', 1), (NULL, 2);
SELECT sdc.disclosure_report('people', 'bad', 'id', '{a}');
UPDATE bad SET id = '1';
SELECT sdc.disclosure_report('people', 'bad', 'id', '{a}');
SELECT sdc.disclosure_report('bad', 'people', 'id', '{a}');
UPDATE bad SET id = ctid::text, a = 'NaN';
\set SHOW_CONTEXT never
SELECT sdc.disclosure_report('people', 'bad', 'id', '{a}');
SET sdc.memory_limit = '1MB';
\set VERBOSITY terse
SELECT sdc.disclosure_report('many', 'many', 'i', '{o,m}');
\set VERBOSITY default
RESET sdc.memory_limit;
-- the rights are those of the caller
CREATE ROLE regress_sdc_disclosure;
GRANT SELECT ON people TO regress_sdc_disclosure;
SET ROLE regress_sdc_disclosure;
SELECT sdc.disclosure_report('people', 'released', 'id', '{a}');
RESET ROLE;
ALTER TABLE released ENABLE ROW LEVEL SECURITY;
CREATE POLICY first_hundred ON released USING (id < 100);
GRANT SELECT ON released TO regress_sdc_disclosure;
SET ROLE regress_sdc_disclosure;
SELECT value, detail FROM sdc.disclosure_report('people', 'released', 'id', '{a}', measures => '{rank_disclosure}')
WHERE measure = 'records';
RESET ROLE;
-- params say how an attack is run, as the attack itself would be
SELECT subject, value = (SELECT (sdc.reid(l)).reid_k FROM sdc.attack_distance('people', 'people2', 'id', '{a,b}', 'gower',
    '{"direction": "to_original"}') AS l) AS as_attack
FROM sdc.disclosure_report('people', 'people2', 'id', '{a,b}', measures => '{distance}',
    params => '{"distance": {"variant": "gower", "direction": "to_original"}}') WHERE measure = 'reid_k';
SELECT count(*) FROM sdc.disclosure_report('people', 'people2', 'id', '{a}', params => '{"distanc": {}}');
SELECT count(*) FROM sdc.disclosure_report('people', 'people2', 'id', '{a}', params => '{"distance": {"variant": "next"}}');
SELECT count(*) FROM sdc.disclosure_report('people', 'people2', 'id', '{a}', params => '{"distance": {"direction": "back"}}');
SELECT count(*) FROM sdc.disclosure_report('people', 'people2', 'id', '{a}', params => '{"exact": {"variant": "wm"}}');
SELECT count(*) FROM sdc.disclosure_report('people', 'people2', 'id', '{a}', params => '{"distance": [1]}');
-- attribute_linkage: what is said of each person by the records that could be
-- his, against classes counted in SQL; a guess among ties counts in part
CREATE TABLE patients AS
SELECT i AS id, 20 + i * 7919 % 60 AS age, i * 31 % 3 AS sex, (ARRAY['flu', 'flu', 'cold', NULL])[1 + i * 104729 % 4] AS illness,
       1000 + i * 7919 % 60 / 10 * 100 + i % 3 AS pay
FROM generate_series(1, 600) AS i;
UPDATE patients SET illness = 'rare' WHERE age BETWEEN 30 AND 39;
CREATE VIEW patients_out AS SELECT id, (round(age / 10.0) * 10)::integer AS age, sex, illness, pay FROM patients;
CREATE FUNCTION linked(columns text) RETURNS TABLE (found float8, detail text) LANGUAGE sql AS $$
SELECT value, detail FROM sdc.disclosure_report('patients', 'patients_out', 'id', 'age,sex', columns::sdc.columns,
    '{"age": {"method": "round_to", "base": 10}, "sex": {"method": "keep"}}', measures => '{attribute_linkage}',
    params => '{"attribute_linkage": {"assignment": "none"}}', seed => 1)
WHERE measure = 'found' $$;
SELECT * FROM linked('illness');
WITH said AS (
    SELECT age, sex, illness, rank() OVER (PARTITION BY age, sex ORDER BY count(*) DESC) AS place
    FROM patients_out WHERE illness IS NOT NULL GROUP BY age, sex, illness),
by_class AS (SELECT age, sex, array_agg(illness) AS best FROM said WHERE place = 1 GROUP BY age, sex)
SELECT round(sum((p.illness = ANY (c.best))::int / cardinality(c.best)::numeric), 2) AS "right", count(*) AS people,
       sum((p.illness = 'flu')::int) AS usual
FROM patients AS p JOIN patients_out AS o USING (id) JOIN by_class AS c ON (c.age, c.sex) = (o.age, o.sex)
WHERE p.illness IS NOT NULL;
-- a number is known within p percent of its deviation; rules that hide nothing else
SELECT * FROM linked('pay');
SELECT * FROM linked('illness,pay');
-- sure of nobody where every record has a value of its own
SELECT * FROM linked('id');
SELECT value, detail FROM sdc.disclosure_report('patients', 'patients_out', 'id', 'age', '{illness}', measures => '{attribute_linkage}')
WHERE measure = 'found';
-- one value far off does not make those of all others alike: the spread is that
-- of the quartiles
UPDATE patients SET pay = 1000000000 WHERE id = 1;
SELECT * FROM linked('pay');
DROP FUNCTION linked;
DROP VIEW patients_out;
DROP TABLE patients;
DROP OWNED BY regress_sdc_disclosure;
DROP ROLE regress_sdc_disclosure;

DROP VIEW sal_generalized, suppressed, strangers, nobody;
DROP TABLE rs_original, rs_masked, ut_original, ut_masked, sal_original, pairs, large, many, shuffled, by_group,
  people, released, report, corners, ends, both_of, people2, released2, typed, typed_masked, "Odd ""names", bad;
DROP FUNCTION rid_by_hand, rid_marks_by_hand, sdid_by_hand, sadr_by_hand, noise, all_of;
DROP TYPE mood, place;
