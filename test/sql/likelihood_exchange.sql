-- likelihood_exchange: rank swapping exchanges values in pairs, so two swapped
-- columns find everybody whose values are his own, whatever p is: beside
-- columns that are published as they are, beside noise, where few share a value,
-- and where only a part of the people is attacked.
SET client_min_messages = warning;
CREATE FUNCTION drawn(i bigint, salt bigint) RETURNS float8 LANGUAGE sql IMMUTABLE AS
$$ SELECT ('x' || substr(md5(i || ' ' || salt), 1, 12))::bit(48)::bigint / 281474976710656.0::float8 $$;
CREATE FUNCTION normal(i bigint, salt bigint) RETURNS float8 LANGUAGE sql IMMUTABLE AS
$$ SELECT sqrt(-2 * ln(1 - drawn(i, salt))) * cos(6.283185307 * drawn(i, salt + 100)) $$;
CREATE TABLE people AS
SELECT i AS id, exp(.7 * (normal(i, 1) + normal(i, 2))) AS a, exp(.7 * (normal(i, 1) + normal(i, 3))) AS b,
       exp(.7 * (normal(i, 1) + normal(i, 4))) AS c, exp(.7 * (normal(i, 1) + normal(i, 5))) AS d
FROM generate_series(1, 3000) AS i;
CREATE TABLE rounded AS SELECT id, round(a::numeric, 2) AS a, round(b::numeric, 2) AS b FROM people;
CREATE FUNCTION swap(p float8, VARIADIC keys text[]) RETURNS jsonb LANGUAGE sql AS
$$ SELECT jsonb_object_agg(k, jsonb_build_object('method', 'rank_swap', 'p', p)) FROM unnest(keys) AS k $$;
-- how many in a hundred of the first people are found, and are said to be
CREATE FUNCTION likelihood(relation text, people int, rules jsonb, keys text, OUT hits float8, OUT said float8) LANGUAGE plpgsql AS $$
BEGIN
  DROP TABLE IF EXISTS known, masked;
  EXECUTE format('CREATE TABLE known AS SELECT * FROM %I WHERE id <= %s', relation, people);
  PERFORM sdc.mask('known', rules, target => 'masked', id => 'id', seed => 11);
  SELECT 100.0 * count(*) FILTER (WHERE correct) / people, 100.0 * sum(probability) / people INTO hits, said
  FROM sdc.attack_likelihood('known', 'masked', rules, 'id', keys::sdc.columns, '{"max_candidates": 1}', 1)
  WHERE linked_id IS NOT NULL;
END $$;
-- c and d go with the keys and are published as they are: they must not hide
-- what the exchanges tell
SELECT p, hits >= 98 AS everybody, said BETWEEN hits - 3 AND hits + 3 AS right_said
FROM unnest('{10,20,40,50}'::float8[]) AS p, likelihood('people', 1000, swap(p, 'a', 'b'), 'a,b');
-- he knows two of three swapped columns, and one of two, with another key
SELECT keys, hits >= 95 AS found, said BETWEEN hits - 3 AND hits + 3 AS right_said
FROM (VALUES ('a,b', swap(20, 'a', 'b', 'c')), ('a,d', swap(20, 'a'))) AS c(keys, rules), likelihood('people', 1000, rules, keys);
-- two or three people share a value: all of these may have exchanged it
SELECT p, hits >= least AS found, said BETWEEN hits - 5 AND hits + 5 AS right_said
FROM (VALUES (5, 87), (10, 65), (20, 22)) AS c(p, least), likelihood('rounded', 500, swap(p, 'a', 'b'), 'a,b');
-- who knows nine or eight of ten people takes the ranks of the masked file, which
-- has all of them
CREATE FUNCTION part(seed int, share float8, OUT hits float8, OUT said float8) LANGUAGE plpgsql AS $$
BEGIN
  DROP TABLE IF EXISTS known, whole, masked;
  CREATE TABLE whole AS SELECT * FROM people WHERE id <= 1000;
  PERFORM sdc.mask('whole', swap(20, 'a', 'b'), target => 'masked', id => 'id', seed => seed);
  CREATE TABLE known AS SELECT * FROM whole WHERE drawn(id, seed + 50) < share;
  SELECT 100.0 * count(*) FILTER (WHERE correct) / (SELECT count(*) FROM known), 100.0 * sum(probability) / (SELECT count(*) FROM known) INTO hits, said
  FROM sdc.attack_likelihood('known', 'masked', swap(20, 'a', 'b'), 'id', 'a,b', '{"max_candidates": 1}', 1)
  WHERE linked_id IS NOT NULL;
END $$;
SELECT share, avg(hits) >= least AS found, avg(said) BETWEEN avg(hits) - 3 AND avg(hits) + 3 AS right_said
FROM (VALUES (.9, 93), (.8, 75)) AS c(share, least), generate_series(1, 4) AS seed, part(seed, share::float8) GROUP BY share, least ORDER BY share;
-- the gate attacks some of the people where all are too much
SELECT p, (SELECT count(*) FROM sdc.mask('people', swap(p, 'a', 'b'), target => 'masked_' || p::int, id => 'id', seed => 12)) > 0 AS masked
FROM unnest('{5,20}'::float8[]) AS p;
SELECT p, work, value >= .9 AS found, detail LIKE '%of 3000 people%' AS of_some
FROM unnest('{5,20}'::float8[]) AS p, unnest('{20000,200000}'::int8[]) AS work,
     sdc.disclosure_report('people', ('masked_' || p::int)::regclass, 'id', '{a,b}', measures => '{likelihood}', seed => 1, rules => swap(p, 'a', 'b'),
                           params => jsonb_build_object('likelihood', jsonb_build_object('work', work)))
WHERE measure = 'found' ORDER BY p, work;
-- beside noise lists are long and exchanges say little of each record: files
-- of 1,000 people show it, and reports, who know it, follow them in those of 500
CREATE TABLE noisy AS SELECT * FROM people WHERE id <= 1000;
CREATE TABLE noisy_few AS SELECT * FROM people WHERE id <= 500;
CREATE FUNCTION noise_rules(p float8) RETURNS jsonb LANGUAGE sql AS
$$ SELECT swap(p, 'a') || '{"b": {"method": "add_noise", "alpha": 0.3}}' $$;
CREATE FUNCTION beside_noise(relation text, p float8, seed int, OUT hits float8, OUT said float8, OUT reported float8) LANGUAGE plpgsql AS $$
BEGIN
  DROP TABLE IF EXISTS masked;
  PERFORM sdc.mask(relation::regclass, noise_rules(p), target => 'masked', id => 'id', seed => seed);
  SELECT count(*) FILTER (WHERE correct), sum(probability) INTO hits, said
  FROM sdc.attack_likelihood(relation::regclass, 'masked', noise_rules(p), 'id', 'a,b', '{"max_candidates": 1}', 1)
  WHERE linked_id IS NOT NULL;
  SELECT value INTO reported
  FROM sdc.disclosure_report(relation::regclass, 'masked', 'id', '{a,b}', rules => noise_rules(p), measures => '{likelihood}', seed => 1)
  WHERE measure = 'found';
END $$;
SELECT relation, avg(hits) >= least AS found, avg(said) BETWEEN .8 * avg(hits) AND 1.3 * avg(hits) AS right_said, avg(reported) >= share AS reported
FROM (VALUES ('noisy', 5, 85, .085), ('noisy_few', 20, 15, .07)) AS c(relation, p, least, share), generate_series(1, 2) AS seed, beside_noise(relation, p, seed)
GROUP BY relation, least, share ORDER BY relation;
-- so does what is said of a column beside the keys, without finding the record
CREATE TABLE beside AS SELECT id, a, b, round(d::numeric, 3) AS d FROM people WHERE id <= 500;
CREATE FUNCTION said_beside(seed int) RETURNS float8 LANGUAGE plpgsql AS $$
BEGIN
  DROP TABLE IF EXISTS masked;
  PERFORM sdc.mask('beside', noise_rules(20), target => 'masked', id => 'id', seed => seed);
  RETURN (SELECT value FROM sdc.disclosure_report('beside', 'masked', 'id', '{a,b}', sensitive => '{d}', rules => noise_rules(20), measures => '{attribute_linkage}', seed => 1)
          WHERE measure = 'found');
END $$;
SELECT avg(said_beside(seed)) >= .12 AS found FROM unnest('{1,3}'::int[]) AS seed;
-- where the budget allows everybody short lists only, that are full, some have long
-- ones instead: of all 626 of 2,000 are found then, and 1,165 said
CREATE TABLE wide AS SELECT i AS id, (i::bigint * i * 7919 + i * 37) % 1000003 AS a, (i::bigint * i * i * 104729 + i) % 999983 AS b FROM generate_series(1, 2000) AS i;
SELECT step FROM sdc.mask('wide', '{"a": {"method": "rank_swap", "p": 20}, "b": {"method": "rank_swap", "p": 20}}', target => 'masked_wide', id => 'id', seed => 5) WHERE step = 'mask';
SELECT count(*) FILTER (WHERE correct) > 0.9 * count(*) AS found, count(*) BETWEEN 100 AND 500 AS of_some, abs(sum(probability) - count(*) FILTER (WHERE correct)) < 0.05 * count(*) AS right_said
FROM sdc.attack_likelihood('wide', 'masked_wide', '{"a": {"method": "rank_swap", "p": 20}, "b": {"method": "rank_swap", "p": 20}}', 'id', 'a,b', '{"max_candidates": 1, "work": 100000000}', 1)
WHERE linked_id IS NOT NULL;
DROP TABLE wide, masked_wide;
DROP TABLE people, rounded, known, beside, whole, noisy, noisy_few, masked, masked_5, masked_20;
DROP FUNCTION said_beside(int), part(int, float8), beside_noise(text, float8, int), noise_rules(float8), likelihood(text, int, jsonb, text), swap(float8, text[]), normal(bigint, bigint), drawn(bigint, bigint);
