-- Distances where values are missing or are no finite numbers: each kind is a
-- category of its own, in the middle of its column and one deviation aside.
SELECT setseed(0.25);
CREATE TABLE lacking AS
SELECT i AS id, CASE WHEN i % 7 = 0 THEN NULL WHEN i % 11 = 0 THEN 'infinity'
		WHEN i % 13 = 0 THEN '-infinity' WHEN i % 17 = 0 THEN 'NaN'
		ELSE random() * 100 END::float8 AS a,
	CASE WHEN i % 5 = 0 THEN NULL WHEN i % 19 = 0 THEN 1e400::numeric
		WHEN i % 23 = 0 THEN 'NaN'::numeric
		ELSE (random() * 50)::numeric END AS b,
	CASE WHEN i % 9 = 0 THEN 'infinity' WHEN i % 8 = 0 THEN NULL
		ELSE date '2000-01-01' + (random() * 1000)::int END::date AS c
FROM generate_series(1, 120) AS i;
-- noise, and every tenth value suppressed
CREATE TABLE lacking_masked AS
SELECT id, CASE WHEN id % 10 = 1 THEN NULL ELSE a + (random() - 0.5) * 20 END AS a,
	CASE WHEN id % 10 = 2 THEN NULL WHEN b > 1e300 THEN b
		ELSE b + ((random() - 0.5) * 10)::numeric END AS b,
	CASE WHEN id % 10 = 3 THEN NULL WHEN NOT isfinite(c) THEN c
		ELSE c + ((random() - 0.5) * 200)::int END AS c
FROM lacking;

-- The oracle: plain SQL over all pairs.
CREATE VIEW long AS
SELECT f, id, k, CASE WHEN v IS NULL THEN 'null' WHEN v = 'NaN' THEN 'nan'
		WHEN v >= 1e300 THEN 'above' WHEN v <= -1e300 THEN 'below' ELSE 'number'
		END AS kind,
	CASE WHEN v > -1e300 AND v < 1e300 THEN v END AS x
FROM (SELECT 'o' AS f, id, a, b, c FROM lacking
	UNION ALL SELECT 'm', id, a, b, c FROM lacking_masked) AS t,
	LATERAL (VALUES (1, a), (2, CASE WHEN b > 1e300 AND b <> 'NaN' THEN 'infinity'
			ELSE b::float8 END),
		(3, CASE WHEN isfinite(c) THEN (c - date '2000-01-01')::float8
			WHEN c > '2000-01-01' THEN 'infinity' END)) AS v (k, v);
CREATE TABLE score AS
WITH scale AS (SELECT k, avg(x) AS mean, stddev_samp(x) AS deviation
	FROM long WHERE f = 'm' GROUP BY k)
SELECT f, id, k, kind, coalesce((x - mean) / deviation, 0) AS z
FROM long JOIN scale USING (k);
CREATE TABLE gap AS
SELECT o.id, m.id AS other, o.k, (o.z - m.z) AS d,
	(o.z - m.z) ^ 2 + CASE WHEN o.kind = m.kind THEN 0
		WHEN o.kind = 'number' OR m.kind = 'number' THEN 1 ELSE 2 END AS x
FROM score AS o JOIN score AS m ON o.k = m.k AND o.f = 'o' AND m.f = 'm';
ANALYZE gap;
CREATE TABLE naive AS
SELECT id, other, avg(x) AS euclidean,
	sum(x * CASE k WHEN 1 THEN 0.5 WHEN 2 THEN 0.3 ELSE 0.2 END) AS wm,
	max(x) * 0.6 + (sum(x) - max(x) - min(x)) * 0.3 + min(x) * 0.1 AS owa,
	sum(x) FILTER (WHERE k = 1) * 0.7 + sum(x) FILTER (WHERE k = 2) * 0.4
		+ sum(x) FILTER (WHERE k = 3) * 0.2
		- 0.3 * least(sum(x) FILTER (WHERE k = 1), sum(x) FILTER (WHERE k = 2))
		AS choquet2,
	sum(x) + 2 * 0.4 * sum(d) FILTER (WHERE k = 1) * sum(d) FILTER (WHERE k = 2)
		AS bilinear
FROM gap GROUP BY id, other;
CREATE FUNCTION differ(variant text, params jsonb) RETURNS TABLE (records bigint, wrong bigint)
LANGUAGE plpgsql AS $$
BEGIN
RETURN QUERY EXECUTE format($q$
WITH best AS (SELECT id, min(%1$I) AS least FROM naive GROUP BY id),
oracle AS (SELECT n.id, array_agg(n.other ORDER BY n.other) AS found,
		sqrt(min(%1$I)) AS distance
	FROM naive AS n JOIN best AS b ON n.id = b.id
		AND %1$I <= least + abs(least) * 1e-8 + 1e-15 GROUP BY n.id),
link AS (SELECT id::int, array_agg(linked_id::int ORDER BY linked_id::int) AS found,
		min(distance) AS distance
	FROM sdc.attack_distance('lacking', 'lacking_masked', 'id', '{a,b,c}', %1$L, %2$L)
	GROUP BY id)
SELECT count(*), count(*) FILTER (WHERE l.found IS DISTINCT FROM o.found
	OR abs(l.distance - o.distance) > 1e-6)
FROM oracle AS o LEFT JOIN link AS l USING (id)$q$, variant, params);
END $$;
SELECT 'euclidean' AS variant, * FROM differ('euclidean', NULL)
UNION ALL SELECT 'wm', * FROM differ('wm', '{"weights": {"a": 0.5, "b": 0.3, "c": 0.2}}')
UNION ALL SELECT 'owa', * FROM differ('owa', '{"weights": [0.6, 0.3, 0.1]}')
UNION ALL SELECT 'choquet2', * FROM differ('choquet2', '{"singletons": {"a": 0.7, "b": 0.4, "c": 0.2}, "interactions": {"a,b": -0.3}}')
UNION ALL SELECT 'bilinear', * FROM differ('bilinear', '{"matrix": [[1, 0.4, 0], [0.4, 1, 0], [0, 0, 1]]}');

-- Everybody is attacked by every scale, assignment and direction.
SELECT scale, assignment, direction, r.records, r.reid_k > 0.3 AS found
FROM unnest('{masked,pooled,rank,robust,own}'::text[]) AS scale,
	unnest('{none,one_to_one}'::text[]) AS assignment,
	unnest('{to_masked,to_original}'::text[]) AS direction,
	LATERAL (SELECT (sdc.reid(l)).* FROM sdc.attack_distance('lacking', 'lacking_masked',
		'id', '{a,b,c}', 'euclidean', jsonb_build_object('scale', scale,
			'assignment', assignment, 'direction', direction)) AS l) AS r
ORDER BY 1, 2, 3;
SELECT (sdc.reid(l)).records FROM sdc.attack_distance('lacking', 'lacking_masked', 'id', '{a,b,c}', 'mahalanobis') AS l;

-- What is learned counts everybody, and the attack by it finds as many.
CREATE VIEW few AS SELECT * FROM lacking WHERE id <= 40;
CREATE VIEW few_masked AS SELECT * FROM lacking_masked WHERE id <= 40;
SELECT variant, l.records, l.reidentified = (r.reid_d * r.records)::int AS same,
	l.reidentified >= l.uniform AS no_worse
FROM unnest('{wm,owa,choquet,choquet2,bilinear,bilinear_pd}'::text[]) AS variant,
	LATERAL sdc.learn_distance('few', 'few_masked', 'id', '{a,b,c}', variant, seed => 1) AS l,
	LATERAL (SELECT (sdc.reid(d)).* FROM sdc.attack_distance('few', 'few_masked', 'id', '{a,b,c}',
		l.attack_method, l.parameters) AS d) AS r;

-- Who lacks all that is known is one of those of whom nothing is known.
SELECT string_agg(DISTINCT linked_id, ',' ORDER BY linked_id), max(candidates), max(distance)
FROM sdc.attack_distance('lacking', 'lacking_masked', 'id', '{a}') AS l WHERE l.id = '7';

DROP FUNCTION differ;
DROP VIEW few, few_masked, long;
DROP TABLE lacking, lacking_masked, score, gap, naive;
