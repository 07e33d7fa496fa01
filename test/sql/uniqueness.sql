-- uniqueness: every method against plain SQL.
\set SHOW_CONTEXT never

-- EX-POP-1: P(PU|SU) 1/3, theta 0.5, tau2 1.8333; the estimate by DIS 0.6
CREATE TABLE pop(id int PRIMARY KEY, key text);
INSERT INTO pop SELECT row_number() OVER (ORDER BY key, i), key
FROM (VALUES ('A',1), ('B',1), ('C',2), ('D',3), ('E',3)) AS v(key, n), generate_series(1, n) AS i;
CREATE TABLE sam AS SELECT * FROM pop WHERE id IN (1, 3, 5, 8, 9);
SELECT * FROM sdc.uniqueness('sam', 'pop', '{key}', variant => 'population');
SELECT measure, value, detail FROM sdc.uniqueness('sam', 'pop', '{key}') WHERE measure = 'correct_match';

-- a population of 20,000 with three keys and NULLs, and a sample of 1,000
CREATE TABLE people AS
SELECT i AS id, (i * 7919 % 10007) * (i * 31 % 101) % 47 % 19 AS a, nullif(i * i % 97 % 23, 5) AS b,
       (ARRAY['x','y','z',NULL])[1 + (i * 37 % 1009) % 4] AS c
FROM generate_series(1, 20000::bigint) AS i;
CREATE TABLE drawn AS SELECT *, 20.0::float8 + (id % 7 - 3) AS w FROM people ORDER BY id * 7907 % 20011 LIMIT 1000;

-- method population by brute force
CREATE TEMP VIEW matched AS
SELECT count(*) AS f, (SELECT count(*) FROM people p
                       WHERE (p.a, p.b, p.c) IS NOT DISTINCT FROM (d.a, d.b, d.c)) AS big
FROM drawn d GROUP BY a, b, c;
CREATE TEMP VIEW counted AS
SELECT unnest(ARRAY['sample_uniques', 'uniques_in_both_share', 'uniques_in_both', 'expected_unique_reids', 'correct_match', 'expected_reids']) AS measure,
       unnest(ARRAY[count(*) FILTER (WHERE f = 1),
                    count(*) FILTER (WHERE f = 1 AND big = 1) / (count(*) FILTER (WHERE f = 1))::float8,
                    count(*) FILTER (WHERE f = 1 AND big = 1), sum(1.0 / big) FILTER (WHERE f = 1),
                    count(*) FILTER (WHERE f = 1) / sum(big) FILTER (WHERE f = 1),
                    sum(f::float8 / big)]) AS value
FROM matched;
SELECT measure, round(u.value::numeric, 9) AS value, abs(u.value - c.value) < 1e-9 AS same
FROM sdc.uniqueness('drawn', 'people', '{a,b,c}', variant => 'population') u JOIN counted c USING (measure)
ORDER BY measure COLLATE "C";

-- the same with NULLs as wildcards: f and F are the records that may agree
SELECT u.value AS uniques, round(t.value::numeric, 6) AS tau2, round(e.value::numeric, 6) AS expected
FROM sdc.uniqueness('drawn', 'people', '{a,b,c}', variant => 'population', params => '{"nulls":"wildcard"}') u,
     sdc.uniqueness('drawn', 'people', '{a,b,c}', variant => 'population', params => '{"nulls":"wildcard"}') t,
     sdc.uniqueness('drawn', 'people', '{a,b,c}', variant => 'population', params => '{"nulls":"wildcard"}') e
WHERE u.measure = 'sample_uniques' AND t.measure = 'expected_unique_reids' AND e.measure = 'expected_reids';
SELECT count(*) FILTER (WHERE f = 1) AS uniques, round(sum(1.0 / big) FILTER (WHERE f = 1), 6) AS tau2,
       round(sum(1.0 / big), 6) AS expected
FROM (SELECT (SELECT count(*) FROM drawn p WHERE (p.a = d.a OR p.a IS NULL OR d.a IS NULL)
              AND (p.b = d.b OR p.b IS NULL OR d.b IS NULL) AND (p.c = d.c OR p.c IS NULL OR d.c IS NULL)) AS f,
             (SELECT count(*) FROM people p WHERE (p.a = d.a OR p.a IS NULL OR d.a IS NULL)
              AND (p.b = d.b OR p.b IS NULL OR d.b IS NULL) AND (p.c = d.c OR p.c IS NULL OR d.c IS NULL)) AS big
      FROM drawn d) s;

-- one way to say how large the population is is as good as another
SELECT s.value = e.value AND f.value = e.value AS same
FROM sdc.uniqueness('drawn', 'people', '{a,b,c}') e, sdc.uniqueness('drawn', NULL, '{a,b,c}', params => '{"population_size":20000}') s,
     sdc.uniqueness('drawn', NULL, '{a,b,c}', params => '{"sampling_fraction":0.05}') f
WHERE e.measure = 'correct_match' AND s.measure = 'correct_match' AND f.measure = 'correct_match';
SELECT measure, value = (SELECT sum(w) FROM drawn) AS same, detail
FROM sdc.uniqueness('drawn', NULL, '{a,b,c}', 'w') WHERE measure = 'population';

-- dis
SELECT abs(value - 0.05 * f1 / (0.05 * f1 + 1.9 * f2)) < 1e-12 AS same
FROM sdc.uniqueness('drawn', 'people', '{a,b,c}'),
     (SELECT count(*) FILTER (WHERE f = 1) AS f1, count(*) FILTER (WHERE f = 2) AS f2 FROM matched) m
WHERE measure = 'correct_match';

-- poisson: main effects, the means being products of margins
CREATE TEMP VIEW cells AS
SELECT a, b, c, count(*) AS f, sum(w) AS w, 0.05::float8 AS pi,
       (SELECT count(*) FROM drawn p WHERE p.a IS NOT DISTINCT FROM d.a)::float8 AS fa,
       (SELECT count(*) FROM drawn p WHERE p.b IS NOT DISTINCT FROM d.b)::float8 AS fb,
       (SELECT count(*) FROM drawn p WHERE p.c IS NOT DISTINCT FROM d.c)::float8 AS fc,
       (SELECT count(*) FROM drawn p WHERE (p.a, p.c) IS NOT DISTINCT FROM (d.a, d.c))::float8 AS fac
FROM drawn d GROUP BY a, b, c;
-- P(F = 1 | f = 1) and E(1/F | f = 1) of a mean m and x others, the margins of m being of 1 / v records
CREATE FUNCTION alone(m float8, x float8, v float8) RETURNS float8 LANGUAGE sql AS
$$SELECT CASE WHEN x * v < 1 THEN (1 - x * v) ^ (1 / v - 1 + m) ELSE exp(-x) END$$;
CREATE FUNCTION reciprocal(m float8, x float8, v float8) RETURNS float8 LANGUAGE sql AS
$$SELECT CASE WHEN x * v < 1 THEN (1 - (1 - x * v) ^ (1 / v + m)) / (x * (1 + m * v)) ELSE least(1 / (x * (1 + m * v)), 1) END$$;
SELECT round(u.value::numeric, 9) AS tau1, abs(u.value - x.tau1) < 1e-9 AS tau1_same, abs(t.value - x.tau2) < 1e-9 AS tau2_same
FROM sdc.uniqueness('drawn', 'people', '{a,b,c}', variant => 'poisson', params => '{"terms":"main"}') u,
     sdc.uniqueness('drawn', 'people', '{a,b,c}', variant => 'poisson', params => '{"terms":"main"}') t,
     (SELECT sum(alone(m, m * 19, v)) AS tau1, sum(reciprocal(m, m * 19, v)) AS tau2
      FROM (SELECT fa * fb * fc / 1e6 AS m, 1 / fa + 1 / fb + 1 / fc - 3 / 1e3 AS v FROM cells WHERE f = 1) s) x
WHERE u.measure = 'uniques_in_both' AND t.measure = 'expected_unique_reids';
-- the uniques that the model expects among all combinations, empty ones too
SELECT round(u.value::numeric, 9) AS uniques, abs(u.value / x.uniques - 1) < 1e-12 AS same
FROM sdc.uniqueness('drawn', 'people', '{a,b,c}', variant => 'poisson', params => '{"terms":"main"}') u,
     (SELECT sum(fa * fb * fc / 1e6 * exp(-fa * fb * fc / 1e6)) AS uniques
      FROM (SELECT count(*)::float8 AS fa FROM drawn GROUP BY a) a, (SELECT count(*) AS fb FROM drawn GROUP BY b) b,
           (SELECT count(*) AS fc FROM drawn GROUP BY c) c) x
WHERE u.measure = 'model_uniques';
-- weights: the fraction of a unique is 1 / its weight
SELECT round(u.value::numeric, 9) AS tau1, abs(u.value - x.tau1) < 1e-9 AS tau1_same
FROM sdc.uniqueness('drawn', NULL, '{a,b,c}', 'w', 'poisson', '{"terms":"main"}') u,
     (SELECT sum(alone(m, m * (w - 1), v)) AS tau1
      FROM (SELECT w, fa * fb * fc / 1e6 AS m, 1 / fa + 1 / fb + 1 / fc - 3 / 1e3 AS v FROM cells WHERE f = 1) s) x
WHERE u.measure = 'uniques_in_both';
-- a pair of keys, the third independent of both: their joint margin
SELECT round(u.value::numeric, 9) AS tau1, abs(u.value - x.tau1) < 1e-9 AS tau1_same
FROM sdc.uniqueness('drawn', 'people', '{a,b,c}', variant => 'poisson', params => '{"terms":[["c","a"]]}') u,
     (SELECT sum(alone(fac * fb / 1e3, fac * fb / 1e3 * 19, 1 / fac + 1 / fb - 2 / 1e3)) AS tau1 FROM cells WHERE f = 1) x
WHERE u.measure = 'uniques_in_both';
-- two keys and their pair: every mean is the count itself
SELECT abs(value - n * exp(-19)) < 1e-9 AS same
FROM sdc.uniqueness('drawn', 'people', '{a,b}', variant => 'poisson', params => '{"terms":"two_way"}'),
     (SELECT count(*) AS n FROM (SELECT FROM drawn GROUP BY a, b HAVING count(*) = 1) s) x
WHERE measure = 'uniques_in_both';
SELECT measure, round(value::numeric, 6) AS value
FROM sdc.uniqueness('drawn', 'people', '{a,b,c}', variant => 'poisson', params => '{"terms":"two_way"}')
WHERE measure IN ('uniques_in_both', 'expected_unique_reids');
-- the intervals: the variance of who is in the population, and of the margins of independent keys
SELECT abs(l.value - greatest(u.value - 1.959963984540054 * e.error, 0)) < 1e-6 AS low, abs(h.value - u.value - 1.959963984540054 * e.error) < 1e-6 AS high
FROM sdc.uniqueness('drawn', 'people', '{a,b,c}', variant => 'poisson', params => '{"terms":"main"}') u,
     sdc.uniqueness('drawn', 'people', '{a,b,c}', variant => 'poisson', params => '{"terms":"main"}') l,
     sdc.uniqueness('drawn', 'people', '{a,b,c}', variant => 'poisson', params => '{"terms":"main"}') h,
     (WITH g AS (SELECT a, b, c, fa, fb, fc, fa * fb * fc / 1e6 * 19 AS x FROM cells WHERE f = 1)
      SELECT sqrt((SELECT sum(exp(-x) * (1 - exp(-x))) FROM g)
                  + (SELECT sum(s * s / fa) FROM (SELECT fa, sum(x * exp(-x)) AS s FROM g GROUP BY a, fa) t)
                  + (SELECT sum(s * s / fb) FROM (SELECT fb, sum(x * exp(-x)) AS s FROM g GROUP BY b, fb) t)
                  + (SELECT sum(s * s / fc) FROM (SELECT fc, sum(x * exp(-x)) AS s FROM g GROUP BY c, fc) t)
                  - 3 * (SELECT sum(x * exp(-x)) FROM g) ^ 2 / 1e3) AS error) e
WHERE u.measure = 'uniques_in_both' AND l.measure = 'uniques_in_both_low' AND h.measure = 'uniques_in_both_high';
-- pairs that are searched for: c hangs on a, b on nobody
CREATE TABLE linked AS
SELECT a, b, CASE WHEN i % 5 < 3 THEN a % 7 ELSE i * 13 % 7 END AS c
FROM (SELECT i, (('x' || substr(md5(i || 'a'), 1, 6))::bit(24)::int % 30) AS a,
             (('x' || substr(md5(i || 'b'), 1, 6))::bit(24)::int % 40) AS b FROM generate_series(1, 2000) AS i) s;
SELECT measure, round(value::numeric, 4) AS value, detail FROM sdc.uniqueness('linked', NULL, '{a,b,c}', variant => 'poisson', params => '{"sampling_fraction":0.05}')
WHERE measure IN ('model_pairs', 'model_bias', 'model_dispersion');
SELECT measure, round(value::numeric, 4) AS value, detail FROM sdc.uniqueness('linked', NULL, '{a,b,c}', variant => 'poisson', params => '{"sampling_fraction":0.05,"terms":"main"}')
WHERE measure IN ('model_pairs', 'model_bias');
SELECT bool_and(s.value = t.value AND s.detail = t.detail) AS same, count(*) AS lines
FROM sdc.uniqueness('linked', NULL, '{a,b,c}', variant => 'poisson', params => '{"sampling_fraction":0.05,"terms":"search"}') s
     JOIN sdc.uniqueness('linked', NULL, '{a,b,c}', variant => 'poisson', params => '{"sampling_fraction":0.05,"terms":[["c","a"]]}') t USING (measure);
DROP TABLE linked;

-- benedetti: the sum of sdc.individual_risk, and the threshold for a global risk
SELECT measure, round(value::numeric, 9) AS value,
       CASE measure WHEN 'expected_reids' THEN abs(value - x.expected) < 1e-9
                    WHEN 'uniques_in_both' THEN abs(value - x.tau1) < 1e-9
                    WHEN 'expected_unique_reids' THEN abs(value - x.tau2) < 1e-9
                    WHEN 'global_risk' THEN abs(value - x.expected / 1000) < 1e-12
                    WHEN 'threshold' THEN abs((SELECT sum(f * least(sdc.individual_risk(f, w), value)) / 1000 FROM cells) - 0.05) < 1e-9
       END AS same
FROM sdc.uniqueness('drawn', NULL, '{a,b,c}', 'w', 'benedetti', '{"target":0.05}'),
     (SELECT sum(f * sdc.individual_risk(f, w)) AS expected, sum(sdc.individual_risk(f, w)) FILTER (WHERE f = 1) AS tau2,
             sum(1 / w) FILTER (WHERE f = 1) AS tau1 FROM cells) x
WHERE measure IN ('expected_reids', 'uniques_in_both', 'expected_unique_reids', 'global_risk', 'threshold');
SELECT abs(value - x.expected) < 1e-9 AS same
FROM sdc.uniqueness('drawn', NULL, '{a,b,c}', variant => 'benedetti', params => '{"sampling_fraction":0.05,"nulls":"wildcard"}'),
     (SELECT sum(sdc.individual_risk(f, f / 0.05)) AS expected
      FROM (SELECT (SELECT count(*) FROM drawn p WHERE (p.a = d.a OR p.a IS NULL OR d.a IS NULL)
                    AND (p.b = d.b OR p.b IS NULL OR d.b IS NULL) AND (p.c = d.c OR p.c IS NULL OR d.c IS NULL)) AS f
            FROM drawn d) s) x
WHERE measure = 'expected_reids';

-- zayatz: Bayes' rule with exact binomial coefficients, n = 12 of N = 40
CREATE TABLE small (k int);
INSERT INTO small VALUES (1),(2),(3),(4),(5),(5),(6),(6),(7),(7),(7),(8);
CREATE FUNCTION choose(n int, k int) RETURNS numeric LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE WHEN k > n THEN 0 ELSE coalesce(round(exp(sum(ln((n - k + i)::numeric(50,30)) - ln(i::numeric(50,30))))), 1) END
  FROM generate_series(1, k) AS i
$$;
SELECT round(u.value::numeric, 12) AS uniques_in_both_share, round(f1 * choose(39, 11) / whole, 12) AS formula,
       round(p.value::numeric, 9) AS population_uniques
FROM sdc.uniqueness('small', NULL, '{k}', variant => 'zayatz', params => '{"population_size":40}') u,
     sdc.uniqueness('small', NULL, '{k}', variant => 'zayatz', params => '{"population_size":40}') p,
     (SELECT sum(f * choose(40 - f::int, 11)) AS whole, count(*) FILTER (WHERE f = 1) AS f1
      FROM (SELECT count(*) AS f FROM small GROUP BY k) s) x
WHERE u.measure = 'uniques_in_both_share' AND p.measure = 'population_uniques';

-- pitman: the parameters in the sentence maximise the likelihood, and give the
-- expected number of uniques
CREATE FUNCTION pitman_likelihood(alpha float8, theta float8) RETURNS float8 LANGUAGE sql STABLE AS $$
  SELECT (SELECT sum(ln(theta + i * alpha)) FROM generate_series(1, (SELECT count(*) FROM cells) - 1) AS i)
       - (SELECT sum(ln(theta + i)) FROM generate_series(1, 999) AS i)
       + (SELECT sum(ln(j - alpha)) FROM cells, generate_series(1, f - 1) AS j)
$$;
SELECT measure, round(value::numeric, 3) AS value, detail
FROM sdc.uniqueness('drawn', 'people', '{a,b,c}', variant => 'pitman') WHERE measure IN ('population_uniques', 'model_uniques');
SELECT abs(value - 20000 * exp(x.product)) / value < 1e-3 AS uniques, best
FROM (SELECT value, substring(detail from 'alpha ([-0-9.e]+)')::float8 AS alpha, substring(detail from 'theta ([-0-9.e]+)')::float8 AS theta
      FROM sdc.uniqueness('drawn', 'people', '{a,b,c}', variant => 'pitman') WHERE measure = 'population_uniques') u,
     LATERAL (SELECT sum(ln((theta + alpha + i - 1) / (theta + i))) AS product FROM generate_series(1, 19999) AS i) x,
     LATERAL (SELECT max(pitman_likelihood(alpha + da, theta * (1 + dt))) FILTER (WHERE da <> 0 OR dt <> 0)
                     < max(pitman_likelihood(alpha + da, theta * (1 + dt))) FILTER (WHERE da = 0 AND dt = 0) AS best
              FROM unnest('{-0.01,0,0.01}'::float8[]) AS da, unnest('{-0.1,-0.01,0,0.01,0.1}'::float8[]) AS dt
              WHERE alpha + da >= 0) y;

-- snb: the parameters give the expected numbers of uniques and pairs
SELECT round(k.value::numeric, 3) AS classes, abs(e1 / f1 - 1) < 1e-4 AS uniques, abs(e2 / f2 - 1) < 1e-4 AS pairs,
       abs(u.value / (k.value * beta ^ alpha) - 1) < 1e-4 AS population_uniques
FROM (SELECT value, substring(detail from 'alpha ([-0-9.e]+)')::float8 AS alpha, substring(detail from 'beta ([-0-9.e]+)')::float8 AS beta
      FROM sdc.uniqueness('drawn', 'people', '{a,b}', variant => 'snb') WHERE measure = 'population_uniques') u,
     sdc.uniqueness('drawn', 'people', '{a,b}', variant => 'snb') k,
     (SELECT count(*) FILTER (WHERE f = 1) AS f1, count(*) FILTER (WHERE f = 2) AS f2, 0.05::float8 AS pi
      FROM (SELECT count(*) AS f FROM drawn GROUP BY a, b) s) m,
     LATERAL (SELECT (1 - pi) * (1 - beta) AS d) d,
     LATERAL (SELECT k.value * pi * (beta / (1 - d)) ^ alpha * (alpha * d / (1 - d) + 1) AS e1,
                     k.value * alpha * beta ^ alpha * pi ^ 2 * (1 - beta) * (2 - (1 - alpha) * d) / (2 * (1 - d) ^ (alpha + 2)) AS e2) e
WHERE k.measure = 'population_classes';

-- dankar: Pitman up to 10 %, then the smaller of SNB and Zayatz
SELECT d.value = p.value AS pitman
FROM sdc.uniqueness('drawn', 'people', '{a,b,c}', variant => 'dankar') d, sdc.uniqueness('drawn', 'people', '{a,b,c}', variant => 'pitman') p
WHERE d.measure = 'population_uniques' AND p.measure = 'population_uniques';
SELECT d.value = least(z.value, s.value) AS smaller, d.detail LIKE '%Zayatz%' = (z.value <= s.value) AS named
FROM sdc.uniqueness('drawn', NULL, '{a,b,c}', variant => 'dankar', params => '{"sampling_fraction":0.4}') d,
     sdc.uniqueness('drawn', NULL, '{a,b,c}', variant => 'zayatz', params => '{"sampling_fraction":0.4}') z,
     sdc.uniqueness('drawn', NULL, '{a,b,c}', variant => 'snb', params => '{"sampling_fraction":0.4}') s
WHERE d.measure = 'population_uniques' AND z.measure = 'population_uniques' AND s.measure = 'population_uniques';

-- no answer is NULL and a sentence: all unique, no uniques, no pairs, one class
CREATE FUNCTION answers(rel regclass) RETURNS TABLE (method text, measure text, value float8, detail text) LANGUAGE sql AS $$
  SELECT m, u.measure, u.value, u.detail
  FROM unnest('{dis,pitman,zayatz,snb,dankar}'::text[]) WITH ORDINALITY AS t(m, nr),
       LATERAL sdc.uniqueness(rel, NULL, '{k}', NULL, m, '{"population_size":100}') AS u
  WHERE u.measure IN ('correct_match', 'uniques_in_both_share', 'uniques_in_both') ORDER BY nr, u.measure COLLATE "C"
$$;
CREATE TABLE edge (k int);
INSERT INTO edge SELECT generate_series(1, 5);
SELECT * FROM answers('edge');
TRUNCATE edge;
INSERT INTO edge VALUES (1),(1),(2),(2),(2);
SELECT * FROM answers('edge');
TRUNCATE edge;
INSERT INTO edge VALUES (1),(2),(3),(3),(3);
SELECT method, measure, value IS NULL AS open, detail FROM answers('edge') WHERE method IN ('dis', 'snb');
TRUNCATE edge;
INSERT INTO edge VALUES (1),(1);
SELECT method, measure, value FROM answers('edge');
TRUNCATE edge;
INSERT INTO edge VALUES (NULL);
SELECT method, measure, value FROM answers('edge');
-- the sample is the population
TRUNCATE edge;
INSERT INTO edge VALUES (1),(2),(3),(3);
SELECT m, measure, value, detail
FROM unnest('{population,dis,poisson,pitman,zayatz,snb,benedetti,dankar}'::text[]) WITH ORDINALITY AS t(m, nr),
     LATERAL sdc.uniqueness('edge', 'edge', '{k}', NULL, m)
WHERE measure IN ('correct_match', 'uniques_in_both_share', 'expected_unique_reids', 'population_uniques') ORDER BY nr, measure COLLATE "C";
-- no records
TRUNCATE edge;
SELECT * FROM sdc.uniqueness('edge', 'people', '{k}');
SELECT * FROM sdc.uniqueness('edge', NULL, '{k}', variant => 'pitman', params => '{"population_size":5}');
-- external does not hold the sample
INSERT INTO edge VALUES (1),(2),(2);
CREATE TABLE register (k int);
INSERT INTO register VALUES (2),(3),(4);
SELECT measure, value, detail FROM sdc.uniqueness('edge', 'register', '{k}', variant => 'population')
WHERE measure IN ('uniques_in_both_share', 'correct_match', 'outside', 'expected_reids');

-- a model that asks for more than the sample tells
CREATE TABLE octet AS SELECT i / 4 AS a, i / 2 % 2 AS b, i % 2 AS c FROM generate_series(1, 6) AS i, generate_series(1, i);
SELECT measure, round(value::numeric, 2) AS value
FROM sdc.uniqueness('octet', NULL, '{a,b,c}', variant => 'poisson', params => '{"sampling_fraction":0.5,"terms":"two_way"}')
WHERE measure = 'uniques_in_both';

-- what sdc.declare says; what the caller names goes first
SELECT sdc.declare('drawn', keys => '{a,b,c}', weight => 'w');
SELECT measure, subject, value FROM sdc.uniqueness('drawn') WHERE measure IN ('population', 'correct_match');
SELECT measure, subject, value FROM sdc.uniqueness('drawn', params => '{"population_size":20000}', keys => '{c}') WHERE measure = 'population';

-- neither row order nor who counts changes a digit; views and partitions
CREATE TABLE parted (LIKE drawn) PARTITION BY LIST (c);
CREATE TABLE parted_x PARTITION OF parted FOR VALUES IN ('x', 'y');
CREATE TABLE parted_rest PARTITION OF parted DEFAULT;
INSERT INTO parted SELECT * FROM drawn ORDER BY w, b DESC, a;
CREATE VIEW seen AS SELECT w, c, b, a, id FROM parted ORDER BY random();
SELECT m, bool_and(d.value IS NOT DISTINCT FROM s.value AND d.detail = s.detail) AS same, count(*) > 5 AS all
FROM unnest('{dis,poisson,pitman,zayatz,snb,benedetti,dankar}'::text[]) AS m,
     LATERAL sdc.uniqueness('drawn', NULL, '{a,b,c}', 'w', m) AS d
     JOIN LATERAL sdc.uniqueness('seen', NULL, '{a,b,c}', 'w', m) AS s USING (measure)
GROUP BY m ORDER BY m COLLATE "C";
SET sdc.count_with = 'groups';
SELECT p.value = d.value AS same
FROM sdc.uniqueness('parted', 'people', '{a,b,c}', variant => 'population') p, sdc.uniqueness('drawn', 'people', '{a,b,c}', variant => 'population') d
WHERE p.measure = 'expected_reids' AND d.measure = 'expected_reids';
RESET sdc.count_with;

-- hostile names
CREATE TABLE "a; DROP" ("x"" y" int, "a, b" text);
INSERT INTO "a; DROP" SELECT i % 7 + i / 20, i % 3 FROM generate_series(1, 30) AS i;
SELECT measure, subject, value FROM sdc.uniqueness('"a; DROP"', keys => ARRAY['x" y','a, b'], params => '{"sampling_fraction":0.5}')
WHERE measure = 'classes';

-- arguments
SELECT * FROM sdc.uniqueness(NULL);
SELECT * FROM sdc.uniqueness('sam', 'pop');
SELECT * FROM sdc.uniqueness('sam', 'pop', '{nokey}');
SELECT * FROM sdc.uniqueness('drawn', 'sam', '{a}');
SELECT * FROM sdc.uniqueness('sam', NULL, '{key}');
SELECT * FROM sdc.uniqueness('sam', NULL, '{key}', variant => 'population');
SELECT * FROM sdc.uniqueness('sam', 'pop', '{key}', params => '{"population_size":10}');
SELECT * FROM sdc.uniqueness('drawn', NULL, '{a}', 'w', params => '{"sampling_fraction":0.1}');
SELECT * FROM sdc.uniqueness('sam', 'pop', '{key}', variant => 'suda2');
SELECT * FROM sdc.uniqueness('sam', 'pop', '{key}', variant => NULL);
SELECT * FROM sdc.uniqueness('sam', NULL, '{key}', params => '{"population_size":4}');
SELECT * FROM sdc.uniqueness('sam', NULL, '{key}', params => '{"sampling_fraction":0}');
SELECT * FROM sdc.uniqueness('sam', NULL, '{key}', params => '{"sampling_fraction":5}');
SELECT * FROM sdc.uniqueness('sam', NULL, '{key}', params => '{"fraction":5}');
SELECT * FROM sdc.uniqueness('sam', 'pop', '{key}', params => '{"nulls":"wildcard"}');
SELECT * FROM sdc.uniqueness('sam', 'pop', '{key}', params => '{"nulls":"none"}');
SELECT * FROM sdc.uniqueness('sam', 'pop', '{key}', params => '{"terms":"main"}');
SELECT * FROM sdc.uniqueness('sam', 'pop', '{key}', variant => 'poisson', params => '{"target":0.1}');
SELECT * FROM sdc.uniqueness('drawn', 'people', '{a,b}', variant => 'poisson', params => '{"terms":"all"}');
SELECT * FROM sdc.uniqueness('drawn', 'people', '{a,b}', variant => 'poisson', params => '{"terms":3}');
SELECT * FROM sdc.uniqueness('drawn', 'people', '{a,b}', variant => 'poisson', params => '{"terms":["a","b"]}');
SELECT * FROM sdc.uniqueness('drawn', 'people', '{a,b}', variant => 'poisson', params => '{"terms":[["a"]]}');
SELECT * FROM sdc.uniqueness('drawn', 'people', '{a,b}', variant => 'poisson', params => '{"terms":[["a","a"]]}');
SELECT * FROM sdc.uniqueness('drawn', 'people', '{a,b}', variant => 'poisson', params => '{"terms":[["a","b","a"]]}');
SELECT * FROM sdc.uniqueness('drawn', 'people', '{a,b}', variant => 'poisson', params => '{"terms":[["a",["b"]]]}');
SELECT * FROM sdc.uniqueness('drawn', 'people', '{a,b}', variant => 'poisson', params => '{"terms":{"a":"b"}}');
SELECT * FROM sdc.uniqueness('drawn', 'people', '{a,b}', variant => 'poisson', params => '{"terms":[["a","c"]]}');
UPDATE drawn SET w = w / 40;
SELECT * FROM sdc.uniqueness('drawn', NULL, '{a}', 'w');
UPDATE drawn SET w = NULL WHERE id % 2 = 0;
SELECT * FROM sdc.uniqueness('drawn', NULL, '{a}', 'w');
CREATE TABLE wide AS SELECT i AS a, i AS b, i AS c FROM generate_series(1, 400) AS i;
SELECT * FROM sdc.uniqueness('wide', NULL, '{a,b,c}', variant => 'poisson', params => '{"sampling_fraction":0.5,"terms":"two_way"}');

DROP FUNCTION answers, pitman_likelihood, choose, alone, reciprocal;
DROP VIEW seen, matched, counted, cells CASCADE;
DROP TABLE pop, sam, people, drawn, small, edge, register, octet, parted, wide, "a; DROP";
