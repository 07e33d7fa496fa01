-- diverse_group: the greedy scan against a recursive query, and bad input.

-- EX-GRD-1: 1,1,1,1,2,2
CREATE TABLE grd(id int, dob text, sex text, zip text, salary int);
INSERT INTO grd VALUES
  (1,'1/21/76','M','53715',50000), (2,'4/13/86','F','53715',50000), (3,'2/28/76','M','53703',60000),
  (4,'1/21/76','M','53703',65000), (5,'4/13/86','F','53706',50000), (6,'2/28/76','F','53706',60000);
SELECT string_agg(g::text, ',' ORDER BY id)
FROM (SELECT id, sdc.diverse_group(salary, 2) OVER (ORDER BY id) AS g FROM grd) AS q;

-- The remainder: 7 alone is not diverse, nor is 5 to 7 with one value twice
INSERT INTO grd VALUES (7,'1/1/70','F','53706',50000);
SELECT string_agg(g::text, ',' ORDER BY id)
FROM (SELECT id, sdc.diverse_group(salary, 2) OVER (ORDER BY id) AS g FROM grd) AS q;
SELECT string_agg(g::text, ',' ORDER BY id)
FROM (SELECT id, sdc.diverse_group(salary, 2.5) OVER (ORDER BY id) AS g FROM grd WHERE id <> 2) AS q;
-- l = 1 asks for nothing
SELECT array_agg(g ORDER BY id) FROM (SELECT id, sdc.diverse_group(salary, 1) OVER (ORDER BY id) AS g FROM grd) AS q;

-- Random tables of types, strata and NULLs: scanned by a recursive query
CREATE FUNCTION draw(i int, salt text, n int) RETURNS int LANGUAGE sql IMMUTABLE AS $$
  SELECT ('x' || substr(md5(i || salt), 1, 6))::bit(24)::int % n
$$;
CREATE TABLE data AS
SELECT i AS id, draw(i, 'r', 4) AS region,
       CASE WHEN draw(i, 'n', 9) > 0 THEN least(draw(i, 's', 7), draw(i, 't', 7)) END AS s
FROM generate_series(1, 400) AS i;
CREATE FUNCTION scan(part int, l float8) RETURNS TABLE(id int, g int) LANGUAGE plpgsql AS $$
DECLARE
  ids int[]; vals text[]; first int := 1; starts int[] := '{}'; n int;
BEGIN
  SELECT array_agg(d.id ORDER BY d.id), array_agg(coalesce(d.s::text, 'none') ORDER BY d.id)
  INTO ids, vals FROM data AS d WHERE region = part;
  n := cardinality(ids);
  FOR i IN 1..n LOOP
    IF (SELECT i - first + 1 >= l * max(c) FROM (SELECT count(*) AS c FROM unnest(vals[first:i]) AS v GROUP BY v) AS q) THEN
      starts := starts || first; first := i + 1;
    END IF;
  END LOOP;
  starts := starts || first;
  WHILE first > n OR NOT (SELECT n - starts[cardinality(starts)] + 1 >= l * max(c)
        FROM (SELECT count(*) AS c FROM unnest(vals[starts[cardinality(starts)]:n]) AS v GROUP BY v) AS q) LOOP
    starts := starts[:cardinality(starts) - 1]; first := 1;
  END LOOP;
  RETURN QUERY SELECT ids[i], (SELECT count(*)::int FROM unnest(starts) AS b WHERE b <= i) FROM generate_series(1, n) AS i;
END $$;
SELECT l, count(*) AS rows, count(*) FILTER (WHERE s.g IS DISTINCT FROM d.g) AS wrong,
       count(*) FILTER (WHERE s.g IS DISTINCT FROM d.t) AS wrong_text,
       count(*) FILTER (WHERE s.g IS DISTINCT FROM d.r) AS wrong_row,
       count(DISTINCT (region, d.g)) AS groups
FROM unnest(ARRAY[1.5, 2, 2.5, 3]) AS l, generate_series(0, 3) AS part, scan(part, l) AS s
JOIN LATERAL (SELECT id, region, sdc.diverse_group(s, l) OVER w AS g, sdc.diverse_group(s::text, l) OVER w AS t,
                     sdc.diverse_group(ROW(s, -s), l) OVER w AS r
              FROM data WHERE region = part WINDOW w AS (ORDER BY id)) AS d USING (id)
GROUP BY l ORDER BY l;
-- each group is l-diverse
SELECT l, min(n / most) >= l AS diverse
FROM (SELECT l, region, g, sum(c) AS n, max(c) AS most
      FROM (SELECT l, region, g, s, count(*)::float8 AS c
            FROM unnest(ARRAY[1.5, 2, 2.5, 3]) AS l,
                 LATERAL (SELECT region, s, sdc.diverse_group(s, l) OVER (PARTITION BY region ORDER BY id) AS g FROM data) AS d
            GROUP BY l, region, g, s) AS q
      GROUP BY l, region, g) AS q
GROUP BY l ORDER BY l;
-- the order of the table does not matter, that of the window does
SELECT count(*) FROM (
  (SELECT id, sdc.diverse_group(s, 2) OVER (ORDER BY id) FROM data)
  EXCEPT
  (SELECT id, sdc.diverse_group(s, 2) OVER (ORDER BY id) FROM (SELECT * FROM data ORDER BY md5(id::text)) AS d)) AS q;
SELECT count(*) > 0 AS differs FROM (
  (SELECT id, sdc.diverse_group(s, 2) OVER (ORDER BY id) FROM data)
  EXCEPT
  (SELECT id, sdc.diverse_group(s, 2) OVER (ORDER BY id DESC) FROM data)) AS q;
-- values that are equal count as one, however they are written
SELECT array_agg(g ORDER BY i) FROM (
  SELECT i, sdc.diverse_group(v, 2) OVER (ORDER BY i) AS g
  FROM (VALUES (1, 1.0), (2, 1.00), (3, 2), (4, 2.0)) AS t(i, v)) AS q;

-- No row, one row, one value, NULLs only, bad arguments
SELECT sdc.diverse_group(salary, 2) OVER () FROM grd WHERE false;
SELECT sdc.diverse_group(salary, 1) OVER () FROM grd WHERE id = 1;
\set VERBOSITY sqlstate
SELECT sdc.diverse_group(salary, 2) OVER () FROM grd WHERE id = 1;
\set VERBOSITY default
SELECT sdc.diverse_group(0, 2) OVER () FROM grd;
SELECT sdc.diverse_group(NULL::int, 2) OVER () FROM grd;
SELECT sdc.diverse_group(salary, 0.5) OVER () FROM grd;
SELECT sdc.diverse_group(salary, 'NaN') OVER () FROM grd;
SELECT sdc.diverse_group(salary, 'Infinity') OVER () FROM grd;
SELECT sdc.diverse_group(salary, NULL) OVER () FROM grd;
SELECT sdc.diverse_group(salary, id) OVER () FROM grd;
SELECT sdc.diverse_group(point(id, 1), 2) OVER () FROM grd;

DROP FUNCTION scan, draw;
DROP TABLE grd, data;
