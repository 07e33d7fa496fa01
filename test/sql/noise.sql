-- add_noise: noise with mean 0 and a known share of the variance.
SET sdc.progress_interval = 0;
\pset null (null)

CREATE TABLE income AS
SELECT i AS id, i % 4 AS region,
	   CASE WHEN i % 19 <> 0 THEN 100 + ((i * 7919) % 10007) / 100.0::float8 END AS x,
	   CASE WHEN i % 23 <> 0 THEN ((i * 7919) % 10007) / 50.0 + ((i * 104729) % 503)
	   END::float8 AS y
FROM generate_series(1, 20000) AS i;
CREATE TABLE income_moved AS SELECT * FROM income ORDER BY (id * 7877) % 20011;

-- 1. Frozen results of one seed, for each law.
SELECT x, round(g::numeric, 9) AS gaussian, round(l::numeric, 9) AS laplace,
	   round(u::numeric, 9) AS uniform
FROM (SELECT x, sdc.add_noise(x, 0.1, 'gaussian', 42) OVER () AS g,
			 sdc.add_noise(x, 0.1, 'laplace', 42) OVER () AS l,
			 sdc.add_noise(x, 0.1, 'uniform', 42) OVER () AS u
	  FROM (VALUES (3), (1), (NULL), (4), (1.5), (9), (2.6)) AS v(x)) AS s
ORDER BY x;
SELECT left(md5(string_agg(v::text, ',' ORDER BY id)), 8) AS bit_for_bit
FROM (SELECT id, sdc.add_noise(x, 0.1, seed => 42) OVER () AS v FROM income) AS s;

-- 2. The law: Var(e) = alpha Var(x); the kurtosis is 3, 6 and 1.8.  With
-- 18948 values the limits are five standard deviations.
WITH e AS (
	SELECT method, alpha, x, sdc.add_noise(x, alpha, method, 7)
							 OVER (PARTITION BY method, alpha) - x AS e
	FROM income, unnest(ARRAY['gaussian', 'laplace', 'uniform']) AS method,
		 unnest(ARRAY[0.1, 1, 4]) AS alpha)
SELECT method, alpha, count(e),
	   abs(avg(e)) < 5 * sqrt(alpha * var_samp(x) / count(e)) AS mean_is_0,
	   abs(var_samp(e) / (alpha * var_samp(x)) - 1) < 5 * sqrt(5.0 / count(e))
	   AS variance,
	   CASE method
		   WHEN 'gaussian' THEN abs(avg(e ^ 4) / var_pop(e) ^ 2 - 3) < 0.2
		   WHEN 'laplace' THEN abs(avg(e ^ 4) / var_pop(e) ^ 2 - 6) < 1.8
		   ELSE abs(avg(e ^ 4) / var_pop(e) ^ 2 - 1.8) < 0.05 END AS kurtosis,
	   abs(corr(e, x)) < 5 / sqrt(count(e)) AS independent,
	   abs(corr(e, lag)) < 5 / sqrt(count(e)) AS not_serial
FROM (SELECT *, lag(e) OVER (PARTITION BY method, alpha ORDER BY x) AS lag FROM e) AS s
GROUP BY method, alpha ORDER BY method, alpha;
-- the variance of the original can be told from the masked column alone
SELECT abs(var_samp(y) / 1.5 / var_samp(x) - 1) < 5 * sqrt(2.0 / count(x)) AS corrected
FROM (SELECT x, sdc.add_noise(x, 0.5, seed => 3) OVER () AS y FROM income) AS s;
-- uniform noise keeps its bound
SELECT max(abs(y - x)) <= sqrt(3 * 0.5) * stddev_samp(x) AS bounded
FROM (SELECT x, sdc.add_noise(x, 0.5, 'uniform', 3) OVER () AS y FROM income) AS s;

-- Noise is really random: another seed gives other noise, and no function of x
-- explains it (R squared against x, x^2, x^3).
SELECT abs(corr(e1, e2)) < 5 / sqrt(count(e1)) AS seeds_differ,
	   greatest(regr_r2(e1, x), regr_r2(e1, x ^ 2), regr_r2(e1, x ^ 3)) < 25.0 / count(e1)
	   AS not_a_function
FROM (SELECT x, sdc.add_noise(x, 0.1, seed => 1) OVER () - x AS e1,
			 sdc.add_noise(x, 0.1, seed => 2) OVER () - x AS e2 FROM income) AS s;
SELECT count(*) FILTER (WHERE a = b) AS equal_without_seed
FROM (SELECT sdc.add_noise(x, 0.1) OVER () AS a, sdc.add_noise(x, 0.1) OVER () AS b
	  FROM income) AS s;

-- 3. Edges of float8: a large offset costs no digits; 1e300 and 1e-300.
SELECT abs(var_samp(y - x) / var_samp(x) - 1) < 5 * sqrt(5.0 / count(x)) AS variance
FROM (SELECT x, sdc.add_noise(x, 1, seed => 5) OVER () AS y
	  FROM (SELECT 1e9::float8 + x / 100 AS x FROM income) AS s) AS t;
SELECT x, sdc.add_noise(x, 0, seed => 1) OVER () AS alpha_0
FROM (VALUES (1e300::float8), (-1e300), (1e-300), (0.1)) AS v(x) ORDER BY x;
SELECT bool_and(y <> x AND abs(y) < 1e-298) AS tiny
FROM (SELECT x, sdc.add_noise(x, 1, 'uniform', 1) OVER () AS y
	  FROM (VALUES (1e-300::float8), (2e-300), (5e-300)) AS v(x)) AS s;
SELECT bool_and(y <> x AND abs(y) < 1e302) AS huge
FROM (SELECT x, sdc.add_noise(x, 1, 'uniform', 1) OVER () AS y
	  FROM (VALUES (1e300::float8), (2e300), (-5e300)) AS v(x)) AS s;
SELECT sdc.add_noise(x, 1e6, 'uniform', 1) OVER ()
FROM (VALUES (1.7e308::float8), (-1.7e308)) AS v(x);

-- 4. Few rows, constants, NULLs, strata.
SELECT sdc.add_noise(x, 1) OVER () FROM income WHERE false;
SELECT sdc.add_noise(5, 1) OVER ();
SELECT DISTINCT sdc.add_noise(0.1, 1) OVER () AS constant FROM income;
SELECT DISTINCT sdc.add_noise(NULL, 1) OVER () AS nulls FROM income;
SELECT bool_and((x IS NULL) = (y IS NULL)) AS nulls_stay
FROM (SELECT x, sdc.add_noise(x, 1, seed => 1) OVER () AS y FROM income) AS s;
-- each stratum has its own variance and its own noise
SELECT stratum, sum((y - x) ^ 2) > 0 AS noise,
	   abs(var_samp(y - x) / nullif(var_samp(x), 0) - 1) < 0.2 AS own_variance
FROM (SELECT stratum, x, sdc.add_noise(x, 1, seed => 1) OVER (PARTITION BY stratum) AS y
	  FROM (SELECT region AS stratum, CASE region WHEN 0 THEN 7 ELSE x * 10.0 ^ region END AS x
			FROM income) AS s) AS t
GROUP BY stratum ORDER BY stratum;

-- 5. Arguments.
SELECT sdc.add_noise(x, -0.1) OVER () FROM income;
SELECT sdc.add_noise(x, 'NaN') OVER () FROM income;
SELECT sdc.add_noise(x, 'Infinity') OVER () FROM income;
SELECT sdc.add_noise(x, NULL) OVER () FROM income;
SELECT sdc.add_noise(x, 1, NULL) OVER () FROM income;
SELECT sdc.add_noise(x, 1, 'normal') OVER () FROM income;
SELECT sdc.add_noise(x, region) OVER () FROM income;
SELECT sdc.add_noise(x, 1, seed => id) OVER () FROM income;
SELECT sdc.add_noise(x, 1) OVER () FROM (VALUES (1), ('NaN'::float8)) AS v(x);
SELECT sdc.add_noise(x, 1) OVER () FROM (VALUES (1), ('-Infinity'::float8)) AS v(x);
-- what is not finite changes nothing of the deviation that the noise follows
SELECT stddev_samp(noise) BETWEEN 95 AND 105 AS as_without FROM
    (SELECT sdc.add_noise(x, 1, seed => 5) OVER () - x AS noise FROM
        (SELECT 100 * sqrt(12) * i / 4000 AS x FROM generate_series(1, 4000) AS i
         UNION ALL SELECT unnest('{Infinity,-Infinity,NaN}'::float8[])) AS v) AS t
WHERE noise < 1e6;
SELECT sdc.add_noise('a'::text, 1) OVER ();

-- 6. The same seed, whatever the order of rows and the plan.
CREATE FUNCTION result_of(rel text, over text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE result text;
BEGIN
	EXECUTE format('SELECT md5(string_agg(v::text, '','' ORDER BY id)) FROM (SELECT id,
		ROW(sdc.add_noise(x, 0.1, seed => 42) OVER (%2$s),
			sdc.add_noise(ROW(x, y), 0.1, seed => 42) OVER (%2$s)) AS v FROM %1$s) AS s',
		rel, over) INTO result;
	RETURN result;
END $$;
SELECT result_of('income', 'ORDER BY id') = result_of('income_moved', 'ORDER BY id') AS ordered,
	   result_of('income', 'PARTITION BY region ORDER BY id') =
	   result_of('income_moved', 'PARTITION BY region ORDER BY id') AS strata;
CREATE TEMP TABLE reference AS SELECT result_of('income', 'ORDER BY id') AS v;
SET work_mem = '64kB';
SET enable_sort = off;
SELECT result_of('income_moved', 'ORDER BY id') = v AS small_memory FROM reference;
RESET work_mem;
RESET enable_sort;
SELECT count(*) AS pairs_that_differ FROM (
	SELECT x, sdc.add_noise(x, 0.1, seed => 42) OVER () AS y FROM income
	EXCEPT ALL
	SELECT x, sdc.add_noise(x, 0.1, seed => 42) OVER () AS y FROM income_moved) AS s;

-- 7. Several columns at once: covariances are kept up to the factor 1 + alpha.
-- The third column is the sum of the first two, so the covariance is singular.
-- Each column is rounded to a step of its own, so sums are kept but for these.
CREATE TABLE joint AS
SELECT x, y, z, m[1] AS mx, m[2] AS my, m[3] AS mz, m[4] AS mc
FROM (SELECT x, y, x + y AS z,
			 sdc.add_noise(ROW(x, y, x + y, 7), 0.5, seed => 11) OVER () AS m
	  FROM income) AS s;
SELECT count(*) FILTER (WHERE (mx IS NULL) <> (x IS NULL OR y IS NULL)) AS nulls_wrong,
	   max(abs(mx + my - mz)) FILTER (WHERE mx IS NOT NULL) < 1e-4 AS sum_is_kept,
	   min(mc) = 7 AND max(mc) = 7 AS constant_is_kept,
	   abs(corr(mx, my) - corr(x, y)) < 0.02 AS correlation_is_kept,
	   abs(covar_samp(mx, my) / covar_samp(x, y) / 1.5 - 1) < 0.05 AS covariance,
	   abs(var_samp(mx) / var_samp(x) / 1.5 - 1) < 0.05 AS variance
FROM joint;
-- noise on each column alone weakens the correlation
SELECT abs(corr(mx, my) * 1.5 - corr(x, y)) < 0.03 AS weakened_by_1_5
FROM (SELECT x, y, sdc.add_noise(x, 0.5, seed => 11) OVER () AS mx,
			 sdc.add_noise(y, 0.5, seed => 12) OVER () AS my
	  FROM income WHERE x IS NOT NULL AND y IS NOT NULL) AS s;
SELECT sdc.add_noise(ROW(x, y), 1) OVER () FROM income WHERE false;
SELECT DISTINCT sdc.add_noise(NULL::record, 1) OVER () AS nulls FROM income;
SELECT sdc.add_noise(ROW(1, 2), 1) OVER () AS one_row;
SELECT array_length(sdc.add_noise(ROW(x, '2020-01-01'::date, true, 5::numeric), 1,
								  seed => 1) OVER (), 1) AS columns
FROM income WHERE id < 3;
SELECT sdc.add_noise(ROW(x, 'a'::text), 1) OVER () FROM income;
SELECT count(*) > 0 AS rows, count(noisy) AS noisy FROM
    (SELECT sdc.add_noise(ROW(x, 'NaN'::float8), 1) OVER () AS noisy FROM income) AS t;
SELECT sdc.add_noise(ROW(x), -1) OVER () FROM income;
SELECT sdc.add_noise(ROW(), 1) OVER () FROM income;

DROP TABLE income, income_moved, joint, reference;
DROP FUNCTION result_of;

-- romm: means and covariances stay, in each stratum; values do not.
CREATE TABLE bodies AS
SELECT i AS id, i % 4 AS s, 1e4 + (i * 7919) % 1009 AS a, ((i * 104729) % 503)::numeric + (i * 7919) % 1009 AS b,
       CASE WHEN i % 50 = 0 THEN NULL ELSE date '2000-01-01' + (i * 31) % 1000 END AS c
FROM generate_series(1, 1000) AS i;
CREATE TABLE bodies_moved AS SELECT * FROM bodies ORDER BY (id * 613) % 1009;
CREATE FUNCTION turned(rel regclass) RETURNS TABLE (id int, s int, x float8, y float8, z float8) LANGUAGE plpgsql AS $$
BEGIN
	RETURN QUERY EXECUTE format('SELECT id, s, m[1], m[2], m[3] FROM (
		SELECT id, s, sdc.romm(ROW(a, b, c), 0.4, seed => 9) OVER (PARTITION BY s ORDER BY id) AS m FROM %s) AS t', rel);
END $$;
SELECT count(*) FILTER (WHERE t.x IS NULL) = count(*) FILTER (WHERE c IS NULL) AS nulls,
       bool_and(t.x IS NULL OR t.x <> a) AS moved,
       abs(avg(t.x) - avg(a) FILTER (WHERE c IS NOT NULL)) < 1e-6 AS mean,
       abs(var_samp(t.y) / (var_samp(b) FILTER (WHERE c IS NOT NULL))::float8 - 1) < 1e-9 AS variance,
       abs(corr(t.x, t.y) - corr(a, b) FILTER (WHERE c IS NOT NULL)) < 1e-9 AS correlation,
       abs(corr(t.y, t.z) - corr(b, c - date '2000-01-01')) < 1e-9 AS of_dates,
       abs(corr(t.x, a) - 1 / sqrt(1.4)) < 0.1 AS near
FROM bodies AS o JOIN turned('bodies') AS t USING (id) WHERE o.s = 2;
SELECT count(*) AS differences FROM (SELECT * FROM turned('bodies') EXCEPT SELECT * FROM turned('bodies_moved')) AS x;
SELECT bool_and(o.a <> m.a) AS moved, abs(avg(o.a) - avg(m.a)) < 1e-6 AS mean, abs(stddev(o.a) - stddev(m.a)) < 1e-6 AS deviation
FROM bodies AS o JOIN (SELECT id, (sdc.romm(ROW(a), 2) OVER ())[1] AS a FROM bodies) AS m USING (id);
-- by a rule
SELECT subject, method, changed FROM sdc.mask('bodies', '{"a,c": {"method": "romm", "alpha": 0.4, "strata": ["s"]}}', target => 'bodies_masked', id => 'id', seed => 3) WHERE step = 'mask';
SELECT o.s, abs(avg(o.a) - avg(m.a)) < 1e-6 AS mean, pg_typeof(max(m.c)) AS type
FROM bodies AS o JOIN bodies_masked AS m USING (id) WHERE o.c IS NOT NULL GROUP BY 1 ORDER BY 1;
SELECT measure, subject, round(value::numeric, 4) AS value, detail FROM sdc.correct_moments('bodies_masked',
	'{"a,c": {"method": "romm", "alpha": 0.4}}', '{a,b}') WHERE measure IN ('variance', 'correlation');
SELECT round(corr(a, b)::numeric, 4) AS corr FROM bodies WHERE c IS NOT NULL;
-- few rows, and what is not a number
SELECT sdc.romm(ROW(a, b), 1) OVER () FROM bodies WHERE false;
SELECT DISTINCT sdc.romm(ROW(NULL::int, 1), 1) OVER () AS nulls FROM bodies;
SELECT count(m) AS six FROM (SELECT sdc.romm(ROW(a, b), 1) OVER () AS m FROM bodies WHERE id <= 6) AS t;
SELECT sdc.romm(ROW(a, b), 1) OVER () FROM bodies WHERE id <= 5;
SELECT DISTINCT sdc.romm(ROW(1, 2), 1, seed => 1) OVER () AS constant FROM bodies;
SELECT sdc.romm(ROW(a, 'x'::text), 1) OVER () FROM bodies;
SELECT sdc.romm(ROW(a, b), -1) OVER () FROM bodies;
SELECT sdc.romm(ROW(a, b), NULL) OVER () FROM bodies;
SELECT sdc.romm(ROW(a, b), 'NaN') OVER () FROM bodies;
SELECT count(m) AS finite FROM (SELECT sdc.romm(ROW(CASE id WHEN 1 THEN 'Infinity'::float8 ELSE a END, b), 1) OVER () AS m FROM bodies) AS t;
DROP TABLE bodies, bodies_moved, bodies_masked;
DROP FUNCTION turned(regclass);

-- data_shuffle: values stay exactly, correlations of ranks about, in each stratum.
CREATE TABLE homes AS
SELECT i AS id, i % 2 AS s, CASE WHEN i % 50 = 0 THEN NULL ELSE 20 + (i * 7919) % 1009 / 20 END AS age,
	   round(exp(((i * 7919) % 1009 + 2 * ((i * 104729) % 503)) / 500.0)::numeric, 2) AS rent,
	   date '2000-01-01' + ((i * 104729) % 503 + (i * 31) % 400) AS since
FROM generate_series(1, 2000) AS i;
CREATE TABLE homes_moved AS SELECT * FROM homes ORDER BY (id * 613) % 1009, id;
SELECT subject, method, changed FROM sdc.mask('homes',
	'{"rent,since": {"method": "data_shuffle", "given": ["age"], "strata": ["s"]}}', target => 'homes_masked', id => 'id', seed => 3) WHERE step = 'mask';
SELECT subject, changed FROM sdc.mask('homes_moved',
	'{"rent,since": {"method": "data_shuffle", "given": ["age"], "strata": ["s"]}}', target => 'homes_again', id => 'id', seed => 3) WHERE step = 'mask';
SELECT count(*) AS differences FROM (SELECT * FROM homes_masked EXCEPT SELECT * FROM homes_again) AS x;
SELECT count(*) AS other_rents FROM (SELECT s, rent FROM homes WHERE age IS NOT NULL EXCEPT ALL SELECT s, rent FROM homes_masked) AS x;
SELECT count(*) AS other_dates FROM (SELECT s, since FROM homes WHERE age IS NOT NULL EXCEPT ALL SELECT s, since FROM homes_masked) AS x;
SELECT count(*) FILTER (WHERE age IS NULL) AS no_age, count(*) FILTER (WHERE rent IS NULL AND since IS NULL) AS nulls FROM homes_masked;
CREATE VIEW homes_ranked AS SELECT o.id, rank() OVER (ORDER BY o.age) AS a, rank() OVER (ORDER BY o.rent) AS r, rank() OVER (ORDER BY o.since) AS d,
	rank() OVER (ORDER BY m.rent) AS mr, rank() OVER (ORDER BY m.since) AS md
FROM homes AS o JOIN homes_masked AS m USING (id) WHERE o.age IS NOT NULL;
SELECT abs(corr(a, r) - corr(a, mr)) < 0.1 AS given_and_masked, abs(corr(r, d) - corr(mr, md)) < 0.1 AS two_masked, corr(r, mr) < 0.9 AS moved FROM homes_ranked;
-- of those of an age the masked rent goes with nothing
SELECT abs(corr(r - fr, mr - fm)) < 0.1 AS nothing_of_its_own FROM
	(SELECT r, mr, avg(r) OVER (PARTITION BY a) AS fr, avg(mr) OVER (PARTITION BY a) AS fm FROM homes_ranked) AS x;
-- the intruder: no likelier than who knows the given column alone, where that is left
SELECT round(sum(probability) FILTER (WHERE correct)) <= 60 AS few, count(DISTINCT id) AS persons
FROM sdc.attack_likelihood('homes', 'homes_masked', '{"rent,since": {"method": "data_shuffle", "given": ["age"], "strata": ["s"]}}', 'id', '{rent,since}');
SELECT count(*) FILTER (WHERE certain) AS certain, sum(1.0 / candidates)::int AS guessed
FROM sdc.attack_transparency('homes', 'homes_masked', '{"rent": {"method": "data_shuffle", "given": ["age"]}}', 'id', '{rent}');
-- errors and edges
SELECT sdc.mask('homes', '{"rent": {"method": "data_shuffle", "given": ["rent"]}}', target => 'homes_no', id => 'id');
SELECT sdc.mask('homes', '{"rent": {"method": "data_shuffle", "given": ["nothing"]}}', target => 'homes_no', id => 'id');
SELECT count(m) AS none FROM (SELECT sdc.data_shuffle(ROW(rent, age), 1) OVER () AS m FROM homes WHERE false) AS t;
SELECT DISTINCT sdc.data_shuffle(ROW(NULL::int, 1), 1) OVER () AS nulls FROM homes;
SELECT sdc.data_shuffle(ROW(rent), seed => 1) OVER () AS one_row FROM homes WHERE id = 1;
SELECT DISTINCT sdc.data_shuffle(ROW(1, 2), 1, seed => 1) OVER () AS constant FROM homes;
SELECT sdc.data_shuffle(ROW(rent, age), 2) OVER () FROM homes;
SELECT sdc.data_shuffle(ROW(rent, age), -1) OVER () FROM homes;
SELECT sdc.data_shuffle(ROW(rent, age), NULL) OVER () FROM homes;
SELECT sdc.data_shuffle(ROW(rent, 'x'::text), 1) OVER () FROM homes;
SELECT count(m) AS finite FROM (SELECT sdc.data_shuffle(ROW(CASE id WHEN 1 THEN 'Infinity'::float8 ELSE rent END, since)) OVER () AS m FROM homes) AS t;
DROP VIEW homes_ranked;
DROP TABLE homes, homes_moved, homes_masked, homes_again;

-- outlier_noise: what is no outlier stays; median and limit stay.
CREATE TABLE wages AS SELECT i AS id, i % 3 AS s, CASE WHEN i % 40 <> 0 THEN 100 * exp((i * 7919) % 1009 / 300.0) END::float8 AS w
FROM generate_series(1, 900) AS i;
CREATE TABLE wages_moved AS SELECT * FROM wages ORDER BY (id * 613) % 1009;
CREATE VIEW wages_masked AS SELECT *, sdc.outlier_noise(w, 0.4, 1.5, 7) OVER (PARTITION BY s) AS m FROM wages;
CREATE FUNCTION robust(v float8[], OUT median float8, OUT far float8) LANGUAGE sql AS $$
SELECT m, 1.5 * 1.4826022185056018 * (array_agg(abs(x - m) ORDER BY abs(x - m)))[count(*) / 2 + 1]
FROM unnest(v) AS x, (SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY x) AS m FROM unnest(v) AS x) AS y
WHERE x IS NOT NULL GROUP BY m $$;
SELECT r.s, (a).median = (b).median AS median, abs((a).far / (b).far - 1) < 1e-12 AS far, outliers > 10 AS outliers, wrong, outside
FROM (SELECT s, robust(array_agg(w)) AS a, robust(array_agg(m)) AS b FROM wages_masked GROUP BY 1) AS r JOIN LATERAL (
	SELECT count(*) FILTER (WHERE w - (a).median > (a).far) AS outliers,
		count(*) FILTER (WHERE (m <> w) <> (abs(w - (a).median) > (a).far)) AS wrong,
		count(*) FILTER (WHERE w - (a).median > (a).far AND m - (a).median <= (a).far) AS outside
	FROM wages_masked AS m WHERE m.s = r.s) AS c ON true ORDER BY 1;
SELECT count(*) FILTER (WHERE (w IS NULL) <> (m IS NULL)) AS nulls_wrong FROM wages_masked;
SELECT count(*) AS differences FROM (SELECT id, m FROM wages_masked EXCEPT
	SELECT id, sdc.outlier_noise(w, 0.4, 1.5, 7) OVER (PARTITION BY s) FROM wages_moved) AS x;
SELECT sdc.outlier_noise(w, 0.4) OVER () FROM wages WHERE false;
SELECT sdc.outlier_noise(5, 1, 1) OVER ();
SELECT count(*) AS stay FROM (SELECT w, sdc.outlier_noise(w, 0) OVER () AS m FROM wages) AS x WHERE w = m;
SELECT sdc.outlier_noise(w, -1) OVER () FROM wages;
SELECT sdc.outlier_noise(w, 1, 0.5) OVER () FROM wages;
SELECT sdc.outlier_noise(w, 1, NULL) OVER () FROM wages;
SELECT sdc.outlier_noise(w, 1, seed => id) OVER () FROM wages;
-- half of the values are equal: all others are outliers
SELECT x, sdc.outlier_noise(x, 0.5, seed => 1) OVER () <> x AS changed FROM unnest('{0,0,0,0,1,2,-1}'::float8[]) AS x ORDER BY 1;
-- by a rule; the intruder knows the law, and what he says of whole numbers is right as often
CREATE TABLE earners AS SELECT i AS id, i % 2 AS s, round(30 * exp(sqrt(-2 * ln((i * 7919 % 1999 + 0.5) / 2000)) * cos(6.2831853 * (i * 104729 % 1777) / 1777)))::int AS wage,
	date '2000-01-01' + (i * 7919 % 1999) AS born FROM generate_series(1, 600) AS i;
\set rule '''{"wage": {"method": "outlier_noise", "alpha": 0.1, "threshold": 1, "strata": ["s"]}}'''
SELECT subject, method, changed > 100 AS changed FROM sdc.mask('earners', :rule, target => 'earners_masked', id => 'id', seed => 3) WHERE step = 'mask';
SELECT count(*) > 350 AS found, abs(sum(probability) - count(*) FILTER (WHERE correct)) < 2.5 * sqrt(count(*)) AS as_said, count(*) FILTER (WHERE correct) > 5 AS some
FROM sdc.attack_likelihood('earners', 'earners_masked', :rule, 'id', '{wage,s}', '{"max_candidates": 1}') WHERE linked_id IS NOT NULL;
SELECT count(DISTINCT id) AS found FROM sdc.attack_transparency('earners', 'earners_masked', :rule, 'id', '{wage}', '{"max_candidates": 600}') WHERE correct;
SELECT measure, detail FROM sdc.correct_moments('earners_masked', :rule, '{wage}') WHERE measure IN ('mean', 'variance');
SELECT sdc.mask('earners', '{"wage": {"method": "outlier_noise"}}', target => 'x', id => 'id');
SELECT sdc.mask('earners', '{"wage": {"method": "outlier_noise", "alpha": 1, "threshold": 0}}', target => 'x', id => 'id');
DROP TABLE wages, wages_moved, earners, earners_masked CASCADE;
DROP FUNCTION robust;
