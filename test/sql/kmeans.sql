-- kmeans: clusters that can be seen, and what plain SQL says of them.
\set SHOW_CONTEXT never

-- three groups far apart, on two scales
CREATE TABLE points AS
SELECT i AS id, (i % 3) * 10 + i * 7919 % 13 / 13.0 AS a,
       (i % 3) * -5000::float8 + i * 104729 % 17 AS b, 7 AS constant
FROM generate_series(1, 300) AS i;
SELECT k.label, count(*), min(id::int % 3) AS lowest, max(id::int % 3) AS highest
FROM sdc.kmeans('points', 'id', '{a,b,constant}', 3, seed => 1) AS k
GROUP BY k.label ORDER BY k.label;

-- every row is nearest to the mean of its own cluster: a local optimum
CREATE TABLE spread AS
SELECT i AS id, (i * 7919 % 1009)::float8 AS a, (i * i % 907)::float8 AS b, (i * 31 % 401)::numeric AS c
FROM generate_series(1, 500) AS i;
CREATE TABLE found AS
SELECT s.id, k.label, (a - avg(a) OVER ()) / stddev(a) OVER () AS a,
       (b - avg(b) OVER ()) / stddev(b) OVER () AS b,
       ((c - avg(c) OVER ()) / stddev(c) OVER ())::float8 AS c
FROM spread AS s
JOIN sdc.kmeans('spread', 'id', '{a,b,c}', 6, seed => 42) AS k ON k.id = s.id::text;
WITH centers AS (
    SELECT label, avg(a) AS a, avg(b) AS b, avg(c) AS c FROM found GROUP BY label),
distances AS (
    SELECT f.id, f.label = m.label AS own,
           (f.a - m.a) ^ 2 + (f.b - m.b) ^ 2 + (f.c - m.c) ^ 2 AS d
    FROM found AS f, centers AS m)
SELECT count(*) AS rows, count(*) FILTER (WHERE own <= others + 1e-9) AS nearest_own
FROM (SELECT id, min(d) FILTER (WHERE own) AS own, min(d) FILTER (WHERE NOT own) AS others
      FROM distances GROUP BY id) AS s;
-- clusters are numbered by their centres
SELECT bool_and(a >= before) AS ascending
FROM (SELECT label, avg(a) AS a, lag(avg(a)) OVER (ORDER BY label::int) AS before
      FROM found GROUP BY label) AS s WHERE before IS NOT NULL;

-- the order of the rows, the name of the ids and their type do not matter
CREATE TABLE shuffled AS
SELECT 'id ' || id AS id, a, b, c FROM spread ORDER BY md5(id::text);
SELECT count(*) AS rows, count(*) FILTER (WHERE k.label = f.label) AS same
FROM sdc.kmeans('shuffled', 'id', '{a,b,c}', 6, seed => 42) AS k
JOIN found AS f ON k.id = 'id ' || f.id;

-- more starts are never worse; ids are returned in their order
SELECT (SELECT array_agg(id::int) FROM (SELECT id FROM sdc.kmeans('spread', 'id', '{a}', 2, seed => 1)) AS s)
       = (SELECT array_agg(id ORDER BY id) FROM spread) AS in_order;
WITH inertia AS (
    SELECT n, sum((f.a - m.a) ^ 2 + (f.b - m.b) ^ 2) AS total
    FROM (SELECT n, k.label, f.a, f.b, avg(f.a) OVER (PARTITION BY n, k.label) AS ma,
                 avg(f.b) OVER (PARTITION BY n, k.label) AS mb
          FROM (VALUES (1), (3), (10)) AS v(n),
               LATERAL sdc.kmeans('spread', 'id', '{a,b}', 8,
                   jsonb_build_object('starts', n), 5) AS k
               JOIN found AS f ON f.id::text = k.id) AS f,
         LATERAL (SELECT f.ma AS a, f.mb AS b) AS m
    GROUP BY n)
SELECT bool_and(total <= before + 1e-9) AS never_worse
FROM (SELECT total, lag(total) OVER (ORDER BY n) AS before FROM inertia) AS s
WHERE before IS NOT NULL;

-- NULLs: no cluster; fewer distinct rows than clusters
CREATE TABLE holes AS
SELECT * FROM (VALUES (1, 1.0), (2, NULL), (3, 1.0), (4, 9.0), (5, 9.0)) AS v(id, x);
SELECT * FROM sdc.kmeans('holes', 'id', '{x}', 4, seed => 1);
SELECT * FROM sdc.kmeans('holes', 'id', '{x}', 1, seed => 1) WHERE id = '1';

-- errors
SELECT * FROM sdc.kmeans('holes', 'id', '{x}', 5, seed => 1);
SELECT * FROM sdc.kmeans('holes', 'id', '{x}', 0, seed => 1);
SELECT * FROM sdc.kmeans('holes', 'id', '{x}', NULL, seed => 1);
SELECT * FROM sdc.kmeans('holes', 'id', '{y}', 2, seed => 1);
SELECT * FROM sdc.kmeans('holes', 'id', '{}', 2, seed => 1);
SELECT * FROM sdc.kmeans('holes', 'id', '{x}', 2, '{"start": 3}', 1);
SELECT * FROM sdc.kmeans('holes', 'id', '{x}', 2, '{"starts": 0}', 1);
SELECT * FROM sdc.kmeans('shuffled', 'a', '{id}', 2, seed => 1);
SELECT * FROM sdc.kmeans('holes', 'x', '{id}', 2, seed => 1);
CREATE TABLE "Odd ""table" AS SELECT i AS "Id", i::float8 / 2 AS "a ""b" FROM generate_series(1, 4) AS i;
SELECT * FROM sdc.kmeans('"Odd ""table"', 'Id', ARRAY['a "b'], 2, seed => 1);
INSERT INTO holes VALUES (6, 'NaN');
SELECT * FROM sdc.kmeans('holes', 'id', '{x}', 2, seed => 1);
TRUNCATE holes;
SELECT * FROM sdc.kmeans('holes', 'id', '{x}', 1, seed => 1);

DROP TABLE points, spread, found, shuffled, holes, "Odd ""table";
