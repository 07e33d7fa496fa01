-- model_utility: clusters and classifiers of both relations.
\set SHOW_CONTEXT never

CREATE TABLE original AS
SELECT i AS id, (i % 3) * 10 + i * 7919 % 13 / 13.0 AS a,
       ((i % 3) * -5 + i * 104729 % 17 / 17.0)::float8 AS b,
       'c' || i % 4 AS c, CASE WHEN i % 3 = 0 THEN 'low' ELSE 'high' END AS s
FROM generate_series(1, 240) AS i;

-- nothing masked: all agrees
SELECT measure, value FROM sdc.utility_clusters('original', 'original', 'id', '{a,b}', 3, seed => 1)
WHERE measure !~ '_(low|high)$';
SELECT measure, round(value::numeric, 4) AS value
FROM sdc.utility_classifier('original', 'original', '{a,b,c}', '{s}', seed => 1, params => '{"id": "id"}')
WHERE measure !~ '_(low|high)$';

-- the figures are those of kmeans and of the aggregates
CREATE TABLE noisy AS
SELECT id, a + (id * 31 % 23 - 11) * 1.5 AS a, b + (id * 17 % 19 - 9) AS b, c, s FROM original;
SELECT r.measure, abs(r.value - CASE r.measure WHEN 'rand_index' THEN sdc.rand_index(x.label, y.label)
         WHEN 'jaccard_index' THEN sdc.jaccard_index(x.label, y.label)
         WHEN 'f_measure' THEN sdc.f_measure(x.label, y.label)
         ELSE sdc.adjusted_rand(x.label, y.label) END) < 1e-12 AS same
FROM sdc.utility_clusters('original', 'noisy', 'id', '{a,b}', 4, '{"repeats": 1}', 7) AS r,
     sdc.kmeans('original', 'id', '{a,b}', 4, seed => 7) AS x
     JOIN sdc.kmeans('noisy', 'id', '{a,b}', 4, seed => 7) AS y USING (id)
WHERE r.measure <> 'records' GROUP BY r.measure, r.value ORDER BY 1;

-- less agrees the more is masked; the order of the rows does not matter
CREATE TABLE ruined AS
SELECT id, a + (id * 31 % 23 - 11) * 15 AS a, b + (id * 17 % 19 - 9) * 10 AS b, c, s FROM original ORDER BY md5(id::text);
SELECT (SELECT value FROM sdc.utility_clusters('original', 'noisy', 'id', '{a,b}', 3, seed => 1)
        WHERE measure = 'adjusted_rand') >
       (SELECT value FROM sdc.utility_clusters('original', 'ruined', 'id', '{a,b}', 3, seed => 1)
        WHERE measure = 'adjusted_rand') AS more_noise_less_agreement;
CREATE TABLE turned AS SELECT * FROM original ORDER BY md5(id::text || 'x');
SELECT count(*) AS different
FROM (SELECT r FROM sdc.utility_clusters('original', 'ruined', 'id', '{a,b}', 3, seed => 1) AS r
      EXCEPT SELECT r FROM sdc.utility_clusters('turned', 'ruined', 'id', '{a,b}', 3, seed => 1) AS r) AS s;
SELECT method, count(*) AS different
FROM (VALUES ('zeror'), ('nb'), ('knn'), ('tree'), ('logistic'), ('svm')) AS m(method),
     LATERAL (SELECT r FROM sdc.utility_classifier('original', 'ruined', '{a,b,c}', '{s}', method, '{"repeats": 2}', 1) AS r
              EXCEPT
              SELECT r FROM sdc.utility_classifier('turned', 'ruined', '{a,b,c}', '{s}', method, '{"repeats": 2}', 1) AS r) AS s
GROUP BY method;

-- held-out accuracy by plain SQL: 1-NN on c and one given partition
CREATE TABLE folded AS SELECT *, id % 4 AS part, 's' || (id * 7 % 11) % 3 AS t FROM original WHERE id <= 80;
CREATE TABLE folded_masked AS SELECT id, 'c' || id / 2 % 4 AS c, a::int AS a, part, 's' || (id * 5 % 13) % 3 AS t FROM folded;
WITH nearest AS (
    SELECT DISTINCT ON (x.id) x.id, x.t = y.t AS right
    FROM folded AS x JOIN folded_masked AS y ON x.part <> y.part
    ORDER BY x.id, x.c <> y.c, y.id)
SELECT abs(r.value - (SELECT avg(n.right::int) FROM nearest AS n)) < 1e-12 AS masked
FROM sdc.utility_classifier('folded', 'folded_masked', '{c}', '{t}', 'knn',
    '{"neighbours": 1, "id": "id", "fold": "part"}') AS r WHERE r.measure = 'accuracy_masked';
WITH nearest AS (
    SELECT DISTINCT ON (x.id) x.id, x.t = y.t AS right
    FROM folded AS x JOIN folded AS y ON x.part <> y.part
    ORDER BY x.id, x.c <> y.c, y.id)
SELECT abs(r.value - (SELECT avg(n.right::int) FROM nearest AS n)) < 1e-12 AS original
FROM sdc.utility_classifier('folded', 'folded_masked', '{c}', '{t}', 'knn',
    '{"neighbours": 1, "id": "id", "fold": "part"}') AS r WHERE r.measure = 'accuracy_original';
-- the majority, fold by fold
WITH ranked AS (
    SELECT x.id, x.t, y.t AS said, row_number() OVER (PARTITION BY x.id ORDER BY count(*) DESC, y.t) AS r
    FROM folded AS x JOIN folded AS y ON x.part <> y.part GROUP BY x.id, x.t, y.t)
SELECT abs(r.value - (SELECT avg((t = said)::int) FROM ranked AS k WHERE k.r = 1)) < 1e-12 AS baseline
FROM sdc.utility_classifier('folded', 'folded_masked', '{c}', '{t}', 'nb',
    '{"id": "id", "fold": "part"}') AS r WHERE r.measure = 'accuracy_baseline';

-- without an id a model that memorises has seen the masked rows
SELECT round(value::numeric, 4) AS leaked
FROM sdc.utility_classifier('folded', 'folded', '{id}', '{t}', 'knn', '{"neighbours": 1, "repeats": 1}', 1)
WHERE measure = 'accuracy_masked';
SELECT measure, subject, detail FROM sdc.utility_classifier('folded', 'folded', '{id}', '{t}', params => '{"repeats": 2}', seed => 1);

-- records that are in one relation only; NULLs
CREATE TABLE part_masked AS SELECT id + 100 AS id, nullif(a::int, 10) AS a, b, c, nullif(s, 'low') AS s FROM noisy;
SELECT measure, value FROM sdc.utility_clusters('original', 'part_masked', 'id', '{a,b}', 2, '{"repeats": 1}', 1)
WHERE measure = 'records';
SELECT count(*) FROM sdc.utility_classifier('original', 'part_masked', '{a,c}', '{s}', params => '{"repeats": 1}', seed => 1);

-- errors
SELECT * FROM sdc.utility_clusters('original', 'noisy', 'id', '{a,c}', 2);
SELECT * FROM sdc.utility_clusters('original', 'noisy', 'id', '{a}', 241);
SELECT * FROM sdc.utility_clusters('original', 'noisy', NULL, '{a}', 2);
SELECT * FROM sdc.utility_clusters('original', 'noisy', 'id', '{a}', 2, '{"repeat": 2}');
SELECT * FROM sdc.utility_classifier('original', 'noisy', '{a,b}', '{s}', params => '{"folds": 1}');
SELECT * FROM sdc.utility_classifier('original', 'noisy', '{a,b}', '{s}', params => '{"fold": "c"}');
SELECT * FROM sdc.utility_classifier('original', 'noisy', '{a,b}', '{s}', params => '{"id": "nobody"}');
SELECT * FROM sdc.utility_classifier('original', 'noisy', NULL, '{s}');
SELECT * FROM sdc.utility_classifier('original', 'noisy', '{a}', '{s}', 'knn', '{"neighbours": 500}');

DROP TABLE original, noisy, ruined, turned, folded, folded_masked, part_masked;
