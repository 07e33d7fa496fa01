-- correct_moments: moments of the original, from the masked relation and its rules.
\set SHOW_CONTEXT never

-- The published example: a variance of 150 after noise with alpha 0.5 was 100.
CREATE TABLE published (x float8);
INSERT INTO published VALUES (-15), (-15), (0), (0), (0), (15), (15);
SELECT measure, subject, round(value::numeric, 9) AS value, detail
FROM sdc.correct_moments('published', '{"x": {"method": "add_noise", "alpha": 0.5}}', '{x}');
DROP TABLE published;

-- 20,000 records with noise: what comes out is near the original, and nearer
-- than the masked moments; against plain SQL to 1e-9.
CREATE TABLE original AS
SELECT i AS id, (i * 7919) % 10007 AS a, ((i * 7919) % 10007) * 0.6 + (i * 104729) % 5003 AS b, i % 100 AS c
FROM generate_series(1, 20000) AS i;
CREATE TABLE masked AS
SELECT id, sdc.add_noise(a, 0.5, seed => 1) OVER () AS a, sdc.add_noise(b, 0.2, seed => 2) OVER () AS b,
       sdc.rank_swap(c, 5, seed => 3) OVER () AS c
FROM original;
CREATE TABLE found AS
SELECT * FROM sdc.correct_moments('masked', '{"a": {"method": "add_noise", "alpha": 0.5}, "b": {"method": "add_noise", "alpha": 0.2}, "c": {"method": "rank_swap", "p": 5}}',
  '{a,b,c}');
CREATE FUNCTION found(m text, s text) RETURNS float8 LANGUAGE sql AS
  'SELECT value FROM found WHERE measure = m AND subject = s';
SELECT abs(found('variance', 'a') / (var_samp(a) / 1.5) - 1) < 1e-9 AS variance,
       abs(found('covariance', 'a, b') / covar_samp(a, b) - 1) < 1e-9 AS covariance,
       abs(found('correlation', 'a, b') / (corr(a, b) * sqrt(1.5 * 1.2)) - 1) < 1e-9 AS correlation
FROM masked;
-- five standard errors or so
SELECT abs(found('variance', 'a') / var_samp(a) - 1) < 0.05 AS variance_a,
       abs(found('variance', 'b') / var_samp(b) - 1) < 0.05 AS variance_b,
       abs(found('correlation', 'a, b') - corr(a, b)) < 0.03 AS correlation,
       abs(found('mean', 'c') - avg(c)) < 1e-9 AND abs(found('variance', 'c') - var_samp(c)) < 1e-6 AS values_of_c,
       abs(found('correlation', 'a, c') - corr(a, c)) < 0.04 AS swapped
FROM original;
SELECT abs(corr(m.a, m.b) - (SELECT corr(a, b) FROM original)) > 0.1 AS masked_is_off FROM masked AS m;

-- Noise that has the correlations of its columns.
CREATE TABLE correlated AS
SELECT id, n[1] AS a, n[2] AS b FROM (
  SELECT id, sdc.add_noise(ROW(a, b), 0.5, seed => 4) OVER () AS n FROM original) AS t;
SELECT abs(r.value - o.corr) < 0.03 AS correlation, abs(v.value / o.covar - 1) < 0.05 AS covariance
FROM (SELECT corr(a, b), covar_samp(a, b) AS covar FROM original) AS o,
     sdc.correct_moments('correlated', '{"a,b": {"method": "add_noise", "alpha": 0.5}}', '{a,b}') AS r,
     sdc.correct_moments('correlated', '{"a,b": {"method": "add_noise", "alpha": 0.5}}', '{a,b}') AS v
WHERE r.measure = 'correlation' AND v.measure = 'covariance';

-- Ranks that are swapped weaken what goes with them, which can be undone: five
-- standard errors or so; without it the correlation is off by ten and more.
CREATE TABLE bent AS
SELECT id, sdc.rank_swap(a, 30, seed => 5) OVER () AS a, sdc.rank_swap(b, 30, 'buckets', seed => 6) OVER () AS b FROM original;
SELECT abs(corr(a, b) / (SELECT corr(a, b) FROM original) - 1) > 0.3 AS masked_is_off,
       abs(m.value / (SELECT corr(a, b) FROM original) - 1) < 0.08 AS correlation,
       abs(v.value / (SELECT covar_samp(a, b) FROM original) - 1) < 0.08 AS covariance
FROM bent, sdc.correct_moments('bent', '{"a": {"method": "rank_swap", "p": 30}, "b": {"method": "rank_swap", "p": 30, "variant": "buckets"}}', '{a,b}') AS m,
     sdc.correct_moments('bent', '{"a": {"method": "rank_swap", "p": 30}, "b": {"method": "rank_swap", "p": 30, "variant": "buckets"}}', '{a,b}') AS v
WHERE m.measure = 'correlation' AND v.measure = 'covariance' GROUP BY m.value, v.value;
-- in strata, and where next to nothing is left, it is not told
SELECT measure, value, detail FROM sdc.correct_moments('bent', '{"a": {"method": "rank_swap", "p": 30, "strata": ["b"]}, "b": {"method": "rank_swap", "p": 30}}', '{a,b}')
WHERE measure = 'correlation';
SELECT measure, value IS NULL AS untold FROM sdc.correct_moments('bent', '{"a": {"method": "rank_swap", "p": 100}, "b": {"method": "shuffle"}}', '{a,b}')
WHERE measure IN ('correlation', 'covariance');
DROP TABLE bent;

-- Categories that were drawn anew: what they were is within four standard
-- errors that are said, for a matrix that is given by its inverse.
CREATE TABLE words AS SELECT i AS id, i % 2 AS half, CASE WHEN i % 10 < 6 THEN 'a' WHEN i % 10 < 8 THEN 'b' WHEN i % 10 = 8 THEN 'C' END AS w FROM generate_series(1, 10000) AS i;
CREATE FUNCTION frequencies(rule jsonb) RETURNS TABLE (example text, was bigint, near boolean, error_told boolean) LANGUAGE plpgsql AS $$
BEGIN
	PERFORM sdc.mask('words', jsonb_build_object('w', rule), target => 'drawn', id => 'id', seed => 8);
	RETURN QUERY
	SELECT f.example, (SELECT count(*) FROM words WHERE w = f.example) AS was,
	       abs(f.value - (SELECT count(*) FROM words WHERE w = f.example)) <= 4 * COALESCE(e.value, 50),
	       e.value > 0 AND e.value < 100
	FROM sdc.correct_moments('drawn', jsonb_build_object('w', rule), '{w}') AS f
	JOIN sdc.correct_moments('drawn', jsonb_build_object('w', rule), '{w}') AS e USING (example)
	WHERE f.measure = 'frequency' AND e.measure = 'standard_error';
	DROP TABLE drawn;
END $$;
\set matrix '{"method": "pram_matrix", "matrix": {"a": {"a": 0.6, "b": 0.3, "C": 0.1}, "b": {"b": 0.7, "C": 0.3}, "C": {"a": 0.2, "C": 0.8}}}'
SELECT * FROM frequencies(:'matrix');
SELECT * FROM frequencies(:'matrix'::jsonb || '{"strata": ["half"]}');
SELECT * FROM frequencies(:'matrix'::jsonb || '{"variant": "invariant"}');
SELECT * FROM frequencies(:'matrix'::jsonb || '{"variant": "invariant", "strata": ["half"]}');
SELECT * FROM frequencies('{"method": "pram", "p": 60}');
-- with numbers beside them, and where nothing can be told
SELECT measure, subject, value, detail, example FROM sdc.correct_moments('words', '{"w": {"method": "pram", "p": 100}}', '{w,half}');
SELECT value, detail FROM sdc.correct_moments('words', '{"w": {"method": "pram_matrix", "matrix": {"a": {"a": 1}}}}', '{w}');
SELECT value, detail FROM sdc.correct_moments('words', '{"w": {"method": "pram_matrix", "matrix": {"a": {"a": 0.5, "b": 0.5}, "b": {"a": 0.5, "b": 0.5}, "C": {"C": 1}}}}', '{w}');
SELECT value, detail FROM sdc.correct_moments('words', '{"id": {"method": "pram", "p": 50}}', '{id}');
SELECT * FROM sdc.correct_moments('words', '{}', '{w}');
DROP TABLE words;
DROP FUNCTION frequencies(jsonb);

-- What a rule does not tell is NULL; the order of rows is nothing.
SELECT measure, subject, value IS NULL AS untold, detail ~ 'tell|no less' AS said
FROM sdc.correct_moments('masked', '{"a": {"method": "top_code", "upper": 1}, "b": {"method": "microaggregate", "k": 3}}', '{a,b}');
CREATE VIEW backwards AS SELECT * FROM masked ORDER BY id DESC;
SELECT count(*) AS differences FROM (
  SELECT * FROM sdc.correct_moments('backwards', '{"a": {"method": "add_noise", "alpha": 0.5}, "b": {"method": "add_noise", "alpha": 0.2}, "c": {"method": "rank_swap", "p": 5}}',
    '{a,b,c}')
  EXCEPT ALL TABLE found) AS x;

-- Bad input
CREATE VIEW nobody AS SELECT * FROM masked WHERE false;
CREATE VIEW words AS SELECT 'x'::text AS a;
SELECT measure, subject, value FROM sdc.correct_moments('nobody', '{}', '{a}');
SELECT * FROM sdc.correct_moments('words', '{}', '{a}');
SELECT * FROM sdc.correct_moments('masked', '{}', '{x}');
SELECT * FROM sdc.correct_moments('masked', '{"a": {"method": "add_noise"}}', '{a}');
SELECT * FROM sdc.correct_moments('masked', '{"a": {"method": "add_noise", "alpha": -1}}', '{a}');
SELECT * FROM sdc.correct_moments('masked', NULL, '{a}');
DROP VIEW words, nobody, backwards;
DROP FUNCTION found(text, text);
DROP TABLE correlated, found, masked, original;
