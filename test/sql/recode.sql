-- top_code, bottom_code, round_to, mask_text, mask_inet: masks of one value.
\pset null (null)

-- 1. mask_text.
-- R-001-11: 53715 with three characters kept is 537**
SELECT sdc.mask_text('53715', 3) = '537**' AS ex_zip;
SELECT keep, sdc.mask_text('53715', keep) AS leading, sdc.mask_text('53715', -keep) AS trailing,
	   sdc.mask_text('53715', keep, 'xy') AS two, sdc.mask_text('53715', keep, '') AS cut
FROM generate_series(0, 6) AS keep ORDER BY keep;
SELECT sdc.mask_text('', 3) AS empty, sdc.mask_text(NULL, 3) AS no_text,
	   sdc.mask_text('a', NULL) AS no_keep, sdc.mask_text('a', 3, NULL) AS no_fill;
SELECT sdc.mask_text('äöü€𝄞z', 2) AS leading, sdc.mask_text('äöü€𝄞z', -2) AS trailing,
	   sdc.mask_text('abc', 1, '€') AS fill;
SELECT sdc.mask_text('abc', 2147483647) AS most, sdc.mask_text('abc', -2147483648) AS least;
SELECT length(sdc.mask_text(repeat('x', 1000000), 3, '**')) AS long_text;
SELECT sdc.mask_text(repeat('x', 1000000), 3, repeat('y', 10000));
SELECT bool_and(sdc.mask_text(t, k) = left(t, k) || repeat('*', greatest(length(t) - k, 0)))
	   AS as_left,
	   bool_and(sdc.mask_text(t, -k) = repeat('*', greatest(length(t) - k, 0)) ||
				CASE k WHEN 0 THEN '' ELSE right(t, k) END OR k = 0) AS as_right
FROM (SELECT repeat(chr(97 + i), i) AS t, k FROM generate_series(0, 20) AS i,
			 generate_series(0, 25) AS k) AS s;

-- 2. mask_inet.
SELECT keep, sdc.mask_inet('192.168.77.33', keep) FROM unnest(ARRAY[0, 1, 8, 16, 20, 24, 32]) AS keep;
SELECT keep, sdc.mask_inet('2001:db8:1234:5678::9', keep) FROM unnest(ARRAY[0, 32, 47, 64, 128]) AS keep;
SELECT sdc.mask_inet('10.1.2.3/16', 8) AS with_mask, sdc.mask_inet('10.1.0.0/16'::cidr, 8) AS cidr,
	   pg_typeof(sdc.mask_inet('10.1.2.3', 8)) AS type,
	   sdc.mask_inet(NULL, 8) AS no_address, sdc.mask_inet('10.1.2.3', NULL) AS no_keep;
SELECT sdc.mask_inet('10.1.2.3', 33);
SELECT sdc.mask_inet('10.1.2.3', -1);
SELECT sdc.mask_inet('::1', 129);
SELECT bool_and(sdc.mask_inet(a, k) = network(set_masklen(a, k))) AS as_network
FROM (SELECT '10.20.30.40'::inet + i * 7919 AS a, k
	  FROM generate_series(1, 50) AS i, generate_series(0, 32) AS k) AS s;

-- 3. top_code and bottom_code, for every type that has an order.
SELECT x, sdc.top_code(x, 3) AS top, sdc.bottom_code(x, 3) AS bottom
FROM unnest(ARRAY[1, 3, 5, NULL]) AS x ORDER BY x;
SELECT bool_and(sdc.top_code(x, y) = least(x, y) AND sdc.bottom_code(x, y) = greatest(x, y))
	   AS as_least
FROM generate_series(-3, 3) AS x, generate_series(-3, 3) AS y;
SELECT sdc.top_code(5.5::float8, 2) AS float8, sdc.top_code('NaN'::float8, 2) AS nan,
	   sdc.top_code('Infinity'::float8, 2) AS infinity, sdc.bottom_code('-Infinity'::float8, 2)
	   AS minus_infinity;
SELECT sdc.top_code(7, 2.5) AS mixed, pg_typeof(sdc.top_code(7, 2.5)) AS type,
	   sdc.top_code(5::int2, 3::int8) AS int8;
SELECT sdc.top_code(date '2020-05-05', '2020-01-01') AS date,
	   sdc.bottom_code(timestamp '2020-05-05', '2021-01-01') AS timestamp,
	   sdc.top_code('b'::text, 'a') AS text, sdc.top_code('B'::text, 'a' COLLATE "C") AS c,
	   sdc.top_code(interval '1 month', '20 days') AS interval;
SELECT sdc.top_code(ARRAY[1, 2], ARRAY[1, 1]) AS arrays, sdc.bottom_code(false, true) AS bool;
CREATE DOMAIN salary AS numeric CHECK (value >= 0);
SELECT sdc.top_code(200::salary, 100) AS domain;
CREATE TYPE level AS ENUM ('low', 'middle', 'high');
SELECT l, sdc.top_code(l, 'middle') AS top FROM unnest(enum_range(NULL::level)) AS l ORDER BY l;
SELECT sdc.top_code(NULL, 3) AS no_value, sdc.top_code(3, NULL) AS no_bound;
SELECT sdc.top_code('{}'::json, '[]'::json);
SELECT sdc.top_code(point '(1,2)', point '(1,1)');
-- they are immutable: an index and a generated column can hold them
CREATE TABLE coded(x int, y int GENERATED ALWAYS AS (sdc.top_code(x, 100)) STORED);
CREATE INDEX ON coded(sdc.round_to(x, 10));
INSERT INTO coded VALUES (50), (150);
SELECT * FROM coded ORDER BY x;

-- 4. round_to: to the nearest multiple; with a seed to one of two neighbours.
SELECT x, sdc.round_to(x, 5) AS to_5, sdc.round_to(x, 0.5) AS to_half, sdc.round_to(x, 100) AS to_100
FROM unnest(ARRAY[-7.5, -7.4, -0.1, 0, 0.25, 2.4, 2.5, 7, 49.99, 50, 1e30, NULL]) AS x;
SELECT sdc.round_to(1234, 50) AS int, sdc.round_to('NaN', 5) AS nan, sdc.round_to(3, NULL) AS no_base;
SELECT bool_and(sdc.round_to(x, 10) = round(x, -1)) AS as_round
FROM (SELECT (i * 7919 % 20011 - 10000) / 7.0 AS x FROM generate_series(1, 2000) AS i) AS s;
SELECT sdc.round_to(5, 0);
SELECT sdc.round_to(5, -5);
SELECT sdc.round_to(5, 'NaN');
-- frozen, and a neighbour always
SELECT x, sdc.round_to(x, 10, 1) AS seed_1, sdc.round_to(x, 10, 2) AS seed_2,
	   sdc.round_to(x, 10, 3) AS seed_3
FROM unnest(ARRAY[-13, -10, 0, 1, 4, 5, 9, 10, 17.5]) AS x;
SELECT bool_and(r IN (floor(x / 10) * 10, ceil(x / 10) * 10)) AS neighbours,
	   bool_and(r = x OR x % 10 <> 0) AS multiples_stay
FROM (SELECT x, sdc.round_to(x, 10, seed) AS r
	  FROM (SELECT (i - 500) / 4.0 AS x FROM generate_series(1, 1000) AS i) AS s,
		   generate_series(1, 20) AS seed) AS t;
-- without bias: over 20000 seeds, 13 becomes 20 three times in ten
SELECT x, abs(avg(sdc.round_to(x, 10, seed)) - x) < 5 * 5 / sqrt(20000) AS unbiased
FROM unnest(ARRAY[13, -13, 0.01, 9.99, 5]) AS x, generate_series(1, 20000) AS seed
GROUP BY x ORDER BY x;
-- equal values are rounded alike, in whatever form
SELECT bool_and(sdc.round_to(13, 10, s) = sdc.round_to(13.000, 10, s)) AS alike
FROM generate_series(1, 100) AS s;
-- 5. round_by_key: the same with a key in place of the seed.
SELECT x, sdc.round_by_key(x, 10, '\x000102030405060708090a0b0c0d0e0f') AS key_1,
	   sdc.round_by_key(x, 10, '\x000102030405060708090a0b0c0d0e10') AS key_2
FROM unnest(ARRAY[-13, -10, 0, 1, 4, 5, 9, 10, 17.5, 'NaN', NULL]) AS x;
SELECT x, abs(avg(r) - x) < 5 * 5 / sqrt(20000) AS unbiased,
	   bool_and(r IN (floor(x / 10) * 10, ceil(x / 10) * 10)) AS neighbours
FROM (SELECT x, sdc.round_by_key(x, 10, decode(md5(i::text), 'hex')) AS r
	  FROM unnest(ARRAY[13, -13, 0.01, 9.99, 5]) AS x,
		   generate_series(1, 20000) AS i) AS s
GROUP BY x ORDER BY x;
SELECT bool_and(sdc.round_by_key(13, 10, key) = sdc.round_by_key(13.000, 10, key)) AS alike
FROM (SELECT decode(md5(i::text), 'hex') AS key FROM generate_series(1, 100) AS i) AS s;
SELECT sdc.round_by_key(5, 10, 'short'), sdc.round_by_key(5, 10, NULL) AS none;
SELECT sdc.round_by_key(5, 0, '\x000102030405060708090a0b0c0d0e0f');

DROP TABLE coded;
DROP TYPE level;
DROP DOMAIN salary;

-- What masks call for double precision is round_to of the numeric, to the bit.
SELECT count(*) AS values, count(*) FILTER (WHERE
		   float8send(sdc.round_float(v, b))
		   IS DISTINCT FROM float8send(sdc.round_to(v::numeric, b)::float8)) AS different
FROM (SELECT CASE i % 4 WHEN 0 THEN i * 0.7310585786300049
				  WHEN 1 THEN (500 - i) / 8.0
				  WHEN 2 THEN i / 100.0
				  ELSE (i % 2 - 0.5) * exp(i % 60 - 30) END::float8 AS v,
			 ('{0.1,1,10,0.25,1000,3,0.007,1e-9,123456789,0.5,2.50,1e30,0.3333333333333333333333}'::numeric[])
				 [1 + i % 13] AS b
	  FROM generate_series(1, 20000) AS i) AS given;
SELECT v, sdc.round_float(v, b)
FROM (VALUES (float8 '-0', 1), ('NaN', 1), (0.5, 1), (-0.5, 1), (2.675, 0.01), (-0.2, 1)) AS t(v, b);
SELECT sdc.round_float(1, 0);

-- a role without rights rounds a column of floats
CREATE ROLE regress_sdc_rounds;
CREATE SCHEMA rounds AUTHORIZATION regress_sdc_rounds;
SET ROLE regress_sdc_rounds;
CREATE TABLE rounds.given AS SELECT i AS id, i + 0.5::float8 AS x FROM generate_series(1, 10) AS i;
SELECT changed FROM sdc.mask('rounds.given', '{"x": {"method": "round_to", "base": 2}}', 'rounds.made')
WHERE step = 'mask';
SELECT sum(x) FROM rounds.made;
RESET ROLE;
DROP OWNED BY regress_sdc_rounds;
DROP ROLE regress_sdc_rounds;
