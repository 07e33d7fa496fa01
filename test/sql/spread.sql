-- The parts of the queries by which sdc.mask has the servers of a distributed
-- table mask their rows. What it gathers is written out here: one shard, the
-- values 5 (once) and 7 (twice), of which the ranks become 7, 5 and 7.

CREATE FUNCTION numbers(bigint[], bytes int) RETURNS bytea LANGUAGE sql AS $$
    SELECT coalesce(string_agg(CASE bytes WHEN 4 THEN int4send(n::int) ELSE int8send(n) END,
                               '' ORDER BY i), '')
    FROM unnest($1) WITH ORDINALITY AS u(n, i)
$$;
-- shards: of each how many rows without a value, how many values, and of each
-- value how much further it is among all, and how many rows.
CREATE FUNCTION figures(places int, vals int, ranks int, become int[],
                        shards bytea DEFAULT '\x000000010000000201010102')
RETURNS bytea LANGUAGE sql AS $$
    SELECT '\x53446472' || numbers(ARRAY[places, vals, 0], 4)
           || numbers(ARRAY[ranks, 1], 8) || numbers(ARRAY[ranks, 1]::bigint[] || become::bigint[], 4)
           || '\x8000000000000005' || '\x8000000000000007'::bytea || shards
$$;
CREATE TABLE shard (id int, value int);
INSERT INTO shard VALUES (1, 7), (2, NULL), (3, 5), (4, 7);

SELECT id, value, sdc.value_taken(value, 0, figures(1, 2, 3, '{1,0,2}')) AS becomes
FROM shard ORDER BY id;

-- Two shards: of 7 each has one.
SELECT id, sdc.value_taken(value, id / 4, figures(2, 2, 3, '{1,0,2}', '\x00000001000000020101010100000000000000010201')) AS becomes
FROM shard ORDER BY id;

-- Several ranks are looked up together: of the last ones two have the other value.
SELECT sdc.value_taken(value, 0, figures(1, 2, 7, '{0,1,2,3,4,5,6}', '\x000000010000000201050102')) AS stays, count(*)
FROM (SELECT 5 + 2 * (i / 6) AS value FROM generate_series(1, 7) AS i) AS s GROUP BY 1 ORDER BY 1;

-- A row more than was counted, and a value that was not there.
SELECT sdc.value_taken(value, 0, figures(1, 2, 2, '{1,0}', '\x000000010000000201010101')) FROM shard;
SELECT sdc.value_taken(value + 1, 0, figures(1, 2, 3, '{1,0,2}')) FROM shard;

-- Not made by a mask: too short, another shard, ranks and values that are none.
SELECT sdc.value_taken(7, 0, '\x5344');
SELECT sdc.value_taken(7, 1, figures(1, 2, 3, '{1,0,2}'));
SELECT sdc.value_taken(7, -1, figures(1, 2, 3, '{1,0,2}'));
SELECT sdc.value_taken(7, 0, figures(1, 2, 3, '{1,0,2}', '\x000000010000000201010103'));
SELECT sdc.value_taken(7, 0, figures(1, 2, 3, '{1,0,2}', '\x0000000100000002010100ff'));
SELECT sdc.value_taken(7, 0, figures(1, 2, 3, '{1,0,2}', '\x000000017fffffff01010102'));
SELECT sdc.value_taken(7, 0, figures(1, 2, 3, '{1,0,2}', '\x000000010000000201010902'));
SELECT sdc.value_taken(7, 0, figures(1, 2, 3, '{1,9,2}'));
SELECT sdc.value_taken(7, 0, figures(1, 2, 2000000000, '{1,0,2}'));
SELECT sdc.value_taken(7, 0, figures(1, 100000000, 3, '{1,0,2}'));
SELECT sdc.value_taken(7, 0, figures(40000, 2, 3, '{1,0,2}'));
SELECT sdc.value_taken('seven'::text, 0, figures(1, 2, 3, '{1,0,2}'));
SELECT sdc.value_taken(point(1, 2), 0, figures(1, 2, 3, '{1,0,2}'));
SELECT sdc.value_taken(7, NULL, figures(1, 2, 3, '{1,0,2}'));
SELECT sdc.value_taken(7, 0, NULL);
-- A row without a value more than was counted.
SELECT sdc.value_taken(NULL::int, 0, figures(1, 2, 3, '{1,0,2}')) IS NULL AS nothing FROM generate_series(1, 2);
-- Where ranks are not too many each shard comes with its length, and with what each of its rows becomes,
-- in the order of the values: how far that is from the one before, forth and back by turns.
CREATE FUNCTION told(places int, shards bytea) RETURNS bytea LANGUAGE sql AS $$
    SELECT '\x53446472' || numbers(ARRAY[places, 2, 0], 4) || numbers('{3,1}', 8) || numbers('{3,0}', 4)
           || '\x8000000000000005' || '\x8000000000000007'::bytea || shards
$$;
SELECT id, sdc.value_taken(value, 0, told(1, '\x0000000f000000010000000201010102020102')) AS becomes,
       sdc.value_taken(value, id / 4, told(2, '\x0000000e00000001000000020101010102010000000b000000000000000102010200')) AS of_two_shards
FROM shard ORDER BY id;
SELECT sdc.value_taken(value, 0, told(1, '\x0000000e0000000100000002010101010201')) FROM shard;
SELECT sdc.value_taken(9, 0, told(1, '\x0000000f000000010000000201010102020102'));
-- cut short, more rows than bytes, values that are none above and below, lengths and counts that are none
SELECT sdc.value_taken(7, 0, told(1, '\x0000000f0000000100000002010101020201'));
SELECT sdc.value_taken(7, 0, told(1, '\x0000000f0000000100000002010101ffffffff0f020102'));
SELECT sdc.value_taken(7, 0, told(1, '\x0000000f000000010000000201010102020202'));
SELECT sdc.value_taken(7, 0, told(1, '\x0000000f000000010000000201010102010102'));
SELECT sdc.value_taken(7, 1, told(2, '\x7fffffff000000010000000201010102020102'));
SELECT sdc.value_taken(7, 1, told(2, '\xfffffffc000000010000000201010102020102'));
SELECT sdc.value_taken(7, 1, told(2, '\x0000000f000000010000000201010102020102'));
SELECT sdc.value_taken(7, 0, told(1, '\x0000000f00000001ffffffff01010102020102'));
SELECT sdc.value_taken(7, 0, told(1, '\x0000000f000000010000000201010202020102'));
DROP FUNCTION told;
-- The name of a result that has the figures, which no server without Citus has.
SELECT sdc.value_taken(7, 0, '\x53446E61'::bytea || 'sdc_1');
SELECT sdc.value_taken(7, 0, '\x53446E61'::bytea || '../1');

-- In which shard a value is: as many bounds as are not above the hash of its type, less one.
-- That of an array of one value is 31 more.
CREATE FUNCTION slow(hash int, bounds int[]) RETURNS int LANGUAGE sql AS $$
    SELECT width_bucket((((hash::bigint - 31 + 2147483648) & 4294967295) - 2147483648)::int, bounds) - 1 $$;
CREATE TABLE placed AS
SELECT i AS n, i::text AS t, i * 0.1::float8 AS f, '{-2147483648,-1000000000,-5,0,7,2000000000}'::int[] AS bounds
FROM generate_series(-2000, 2000) AS i;
SELECT count(*) FILTER (WHERE sdc.shard_place(n, bounds) = slow(hash_array(ARRAY[n]), bounds)) AS numbers,
       count(*) FILTER (WHERE sdc.shard_place(t, bounds) = slow(hash_array(ARRAY[t]), bounds)) AS texts,
       count(*) FILTER (WHERE sdc.shard_place(f, bounds) = slow(hash_array(ARRAY[f]), bounds)) AS floats,
       count(DISTINCT sdc.shard_place(n, bounds)) AS places
FROM placed;
SELECT sdc.shard_place(1, '{}') AS below, sdc.shard_place(1, '{-2147483648}') AS one,
       sdc.shard_place(NULL::int, '{0}') IS NULL AS nothing;
SELECT sdc.shard_place(1, '{0,NULL}');
SELECT sdc.shard_place(point(1, 2), '{0}');
DROP TABLE placed;
DROP FUNCTION slow;

-- Rows are sorted by a hash of their bytes: of NULL, of places, of all types, long values too.
SELECT sdc.content_hash(1, 'a'::text, NULL::int) = sdc.content_hash(1, 'a'::text, NULL::int) AS same,
       sdc.content_hash(1, 2) <> sdc.content_hash(2, 1) AS places,
       sdc.content_hash(NULL::int, 0) <> sdc.content_hash(0, NULL::int) AS nothing,
       sdc.content_hash(1.0) <> sdc.content_hash(1.00) AS forms;
CREATE TABLE long AS SELECT repeat('seven', 20000) AS b;
SELECT pg_column_size(b) < 100000 AS compressed,
       sdc.content_hash(b) = sdc.content_hash(repeat('seven', 20000)) AS same
FROM long;
DROP TABLE long;
SELECT count(DISTINCT sdc.content_hash(i, i % 7)) AS numbers,
       count(DISTINCT sdc.content_hash(i % 100, (i / 100)::text, point(i, 0), 'x'::name, 1::bit(3))) AS all_types
FROM generate_series(1, 20000) AS i;
SELECT sdc.content_hash(VARIADIC ARRAY[1, 2]);

-- Values are counted by the number that puts them in order; minus zero is zero.
SELECT sdc.value_key(-1) < sdc.value_key(0) AND sdc.value_key('-0'::float8) = sdc.value_key(0::float8) AS ordered;
SELECT sdc.value_key('seven'::text);
-- 40 values 50 times, however they come, and NULLs, which are not counted
SELECT length(c)
FROM (SELECT sdc.value_counts(NULLIF(i % 41, 0)) AS c FROM generate_series(1, 2050) AS i) AS s;
-- many: what comes is as long as of the same values sorted, and joined it is that of all
SELECT sdc_internal.value_counts_join(sdc.value_counts(n * n) FILTER (WHERE n % 3 = 0),
                                      sdc.value_counts(n * n) FILTER (WHERE n % 3 <> 0)) =
       sdc.value_counts(n * n ORDER BY n) AS same,
       length(sdc.value_counts(n * n)) AS bytes
FROM generate_series(-30000::bigint, 50000) AS n;
-- no count is more than a bigint holds
SELECT sdc_internal.value_counts_join('\x53446376000000010080ffffffffffffff7f', '\x53446376000000010080ffffffffffffff7f');
SELECT sdc.value_counts(NULL::bigint) IS NULL AS nothing;
SELECT sdc_internal.value_counts_join('\x00', '\x00');
-- as they travel: how many, and of each how much further and how many rows
CREATE TABLE counted AS
SELECT sdc.value_counts(i) FILTER (WHERE i % 2 = 0) AS a, sdc.value_counts(i) FILTER (WHERE i % 3 = 0) AS b,
       sdc.value_counts(i) FILTER (WHERE i % 2 = 0 OR i % 3 = 0) AS c
FROM unnest('{-9223372036854775808,-300,-300,-2,0,6,6,6,9223372036854775807}'::bigint[]) AS i;
SELECT a, b, c, length(c) FROM counted;
SELECT sdc_internal.value_counts_join(NULL, a) = a AS same, sdc_internal.value_counts_join(a, NULL) = a AS same,
       substr(sdc_internal.value_counts_join(a, b), 5, 4) AS joined,
       sdc_internal.value_counts_join(a, a) AS twice
FROM counted;
SELECT sdc_internal.value_counts_join(NULL, substr(a, 1, length(a) - 1)) FROM counted;
SELECT sdc_internal.value_counts_join(NULL, '\x534463760000000105'::bytea || '\x00');
SELECT sdc_internal.value_counts_join(NULL, '\x53446376ffffffff0501');
SELECT sdc_internal.value_counts_join(NULL, '\x53446376000000020501ffffffffffffffffff0101');
DROP TABLE counted;
SELECT sdc_internal.value_counts_add(NULL, 1);

-- Noise of two columns, uniform, with a seed and a key of zeros: the second
-- column has half of the noise of the first, and none of its own.
CREATE VIEW noise AS
SELECT i, sdc.keyed_noise(1, f, i) AS a, sdc.keyed_noise(2, f, i) AS b
FROM generate_series(1, 4000) AS i,
     (SELECT decode('53446e6f000000020000000200000001' || repeat('00', 16), 'hex')
             || float8send(2) || float8send(1) || float8send(0) AS f OFFSET 0) AS f;
SELECT count(DISTINCT a) AS different, bool_and(b = a / 2) AS together,
       bool_and(abs(a) <= 2 * sqrt(3)) AS inside,
       abs(avg(a)) < 5 * 2 / sqrt(4000) AS centred,
       abs(variance(a) / 4 - 1) < 5 * sqrt(0.8 / 4000) AS scaled,
       abs(corr(a, i)) < 5 / sqrt(4000) AS apart
FROM noise;
SELECT (SELECT sum(a) FROM noise) = (SELECT sum(a) FROM noise) AS again;

SELECT sdc.keyed_noise(3, decode('53446e6f000000010000000000000001' || repeat('00', 24), 'hex'), 1);
SELECT sdc.keyed_noise(1, decode('53446e6f000000010000000900000001' || repeat('00', 24), 'hex'), 1);
SELECT sdc.keyed_noise(1, decode('53446e6f7fffffff0000000000000001' || repeat('00', 24), 'hex'), 1);
SELECT sdc.keyed_noise(1, figures(1, 2, 3, '{1,0,2}'), 1);

-- Cuts: of the first column at 3, of what is not less the second at -1.
CREATE FUNCTION cuts(VARIADIC node float8[]) RETURNS bytea LANGUAGE sql AS $$
SELECT '\x53447074'::bytea || int4send((cardinality(node) / 3)::int) ||
  string_agg(int4send(node[3 * i - 2]::int) || int4send(node[3 * i - 1]::int) || float8send(node[3 * i]), '' ORDER BY i)
FROM generate_series(1, cardinality(node) / 3) AS i $$;
SELECT a, b, sdc.part_of(ARRAY[a, b], cuts(0, 2, 3, -1, 0, 0, 1, 4, -1, -1, 7, 0, -1, 2, 0)) AS part
FROM unnest('{2.9,3,3,NaN,-Infinity,5,NULL}'::float8[], '{9,-1.1,-1,-2,0,NULL,1}'::float8[]) AS t (a, b);
SELECT sdc.part_of('{1}', cuts(-1, 5, 0)) AS one_part, sdc.part_of(NULL, cuts(-1, 5, 0)) IS NULL AS nothing;
-- that nobody made: empty, cut short, a column that is not there, below itself, outside
SELECT sdc.part_of('{1,2}', '');
SELECT sdc.part_of('{1,2}', '\x5344707400000000');
SELECT sdc.part_of('{1,2}', '\x534470740000000200000000000000010000000000000000');
SELECT sdc.part_of('{1}', cuts(1, 2, 0, -1, 0, 0, -1, 1, 0));
SELECT sdc.part_of('{1,2}', cuts(64, 2, 0, -1, 0, 0, -1, 1, 0));
SELECT sdc.part_of('{1,2}', cuts(0, 0, 0, -1, 0, 0, -1, 1, 0));
SELECT sdc.part_of('{1,2}', cuts(0, 3, 0, -1, 0, 0, -1, 1, 0));
SELECT sdc.part_of('{1,2}', figures(1, 2, 3, '{1,0,2}'));
DROP FUNCTION cuts;

-- What is sent is there while a mask sends it.
SELECT sdc.mask_figures(0) IS NULL AS nothing;

-- A cell is the same on servers that print values in different ways.
CREATE TABLE cells AS
SELECT sdc.cell('\x01ff'::bytea, 12.5::numeric::money, date '2020-02-01', 0.1::float8) AS cell;
SET bytea_output = escape;
SET datestyle = 'German';
SET extra_float_digits = -3;
SELECT count(DISTINCT cell) AS cells FROM (
    SELECT cell FROM cells
    UNION ALL
    SELECT sdc.cell('\x01ff'::bytea, 12.5::numeric::money, '01.02.2020'::date, 0.1::float8)) AS c;
RESET bytea_output;
RESET datestyle;
RESET extra_float_digits;
DROP TABLE cells;

DROP VIEW noise;
DROP TABLE shard;
DROP FUNCTION figures;
DROP FUNCTION numbers;
