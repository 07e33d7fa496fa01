#!/usr/bin/env bash
#
# sql_intruder.sh: what the one intruder finds on the census extract, beside
# what he must find: a line "must,what,found,target,met" for each.  Targets are
# shares of the persons known; those of noise are of a mask drawn once, so
# differences below two points are chance.  Run by bench.sh inside a
# throw-away cluster; SDC_BENCH_SEED (7) is the seed of the masks.

set -euo pipefail

data=$(cd "$(dirname "${BASH_SOURCE[0]}")/../data/published" && pwd)

psql -XAtqF , -v ON_ERROR_STOP=1 -v seed="${SDC_BENCH_SEED:-7}" <<-'SQL'
	SET client_min_messages = warning;
	CREATE EXTENSION IF NOT EXISTS sdc;
	CREATE TABLE census (id serial PRIMARY KEY, afnlwgt float8, agi float8,
		emcontrb float8, fedtax float8, ptotval float8, statetax float8,
		taxinc float8, pothval float8, intval float8, pearnval float8,
		fica float8, wsalval float8, ernval float8);
	CREATE TABLE must (what text, found float8, target float8);

	-- The columns 1 to n, and one rule for each of them.
	CREATE FUNCTION first_keys(n int) RETURNS sdc.columns LANGUAGE sql AS $$
	SELECT string_agg(attname, ',' ORDER BY attnum)::sdc.columns FROM pg_attribute
	WHERE attrelid = 'census'::regclass AND attnum BETWEEN 2 AND n + 1 $$;
	CREATE FUNCTION each_by(n int, rule jsonb) RETURNS jsonb LANGUAGE sql AS $$
	SELECT jsonb_object_agg(attname, rule) FROM pg_attribute
	WHERE attrelid = 'census'::regclass AND attnum BETWEEN 2 AND n + 1 $$;
	-- The share found by the likelihood attack, and by distance.
	CREATE FUNCTION likelihood(known regclass, masked regclass, keys sdc.columns, rules jsonb) RETURNS float8
	LANGUAGE sql AS $$
	SELECT max(value) FROM sdc.disclosure_report(known, masked, 'id', keys, rules => rules,
		measures => '{likelihood}', seed => 1) WHERE measure = 'found' AND subject LIKE 'likelihood%' $$;
	CREATE FUNCTION distance(known regclass, masked regclass, keys sdc.columns, released bool DEFAULT false) RETURNS float8
	LANGUAGE plpgsql AS $$
	DECLARE of bigint; hit bigint;
	BEGIN
		EXECUTE format('SELECT count(*) FROM %s', CASE WHEN released THEN masked ELSE known END) INTO of;
		SELECT count(*) FILTER (WHERE correct AND candidates = 1) INTO hit
		FROM sdc.attack_distance(known, masked, 'id', keys);
		RETURN hit::float8 / of;
	END $$;
	-- Masks all of census and lets the intruder know all of it.
	CREATE FUNCTION all_known(what text, n int, rules jsonb, seed bigint, target float8) RETURNS void
	LANGUAGE plpgsql AS $$
	BEGIN
		DROP TABLE IF EXISTS masked;
		PERFORM sdc.mask('census', rules, target => 'masked', id => 'id', seed => seed);
		INSERT INTO must VALUES (what, likelihood('census', 'masked', first_keys(n), rules), target);
	END $$;
SQL
gzip -dc "$data/census.csv.gz" | psql -Xq -v ON_ERROR_STOP=1 -c '\copy census (afnlwgt, agi, emcontrb, fedtax, ptotval, statetax, taxinc, pothval, intval, pearnval, fica, wsalval, ernval) FROM pstdin (FORMAT csv, HEADER)'
psql -XAtqF , -v ON_ERROR_STOP=1 -v seed="${SDC_BENCH_SEED:-7}" <<-'SQL'
	SET client_min_messages = warning;
	-- subsets of rows: rank swapping p = 5, six columns
	CREATE VIEW top50 AS SELECT * FROM census ORDER BY agi DESC, id LIMIT 50;
	CREATE VIEW middle AS SELECT * FROM census WHERE agi BETWEEN 60000 AND 80000;
	SELECT each_by(6, '{"method": "rank_swap", "p": 5}') AS swap \gset
	SELECT count(*) FROM sdc.mask('census', :'swap', target => 'cm5', id => 'id', seed => :seed) \g /dev/null
	CREATE TABLE rich AS SELECT * FROM cm5 WHERE agi > 80000;
	INSERT INTO must SELECT '50 highest agi, distance', distance('top50', 'cm5', first_keys(6)), .55;
	INSERT INTO must SELECT '50 highest agi, likelihood', likelihood('top50', 'cm5', first_keys(6), :'swap'), .98;
	INSERT INTO must SELECT 'agi 60-80k, distance', distance('middle', 'cm5', first_keys(6)), .75;
	INSERT INTO must SELECT 'agi 60-80k, likelihood', likelihood('middle', 'cm5', first_keys(6), :'swap'), .97;
	INSERT INTO must SELECT 'release above 80000, distance', (SELECT count(*) FILTER (WHERE correct AND candidates = 1) FROM
		sdc.attack_distance('census', 'rich', 'id', first_keys(6), params => '{"direction": "to_original"}'))::float8 / (SELECT count(*) FROM rich), .60;
	INSERT INTO must SELECT 'release above 80000, likelihood', likelihood('census', 'rich', first_keys(6), :'swap'), .97;
	-- top coding: what is kept as it is tells
	SELECT '{"agi": {"method": "top_code", "upper": 40000}, "fedtax": {"method": "top_code", "upper": 4000}}' AS top \gset
	SELECT count(*) FROM sdc.mask('census', :'top', target => 'topped', id => 'id', seed => :seed) \g /dev/null
	INSERT INTO must SELECT 'top coding, distance', distance('census', 'topped', '{agi,fedtax,ernval}'), .43;
	INSERT INTO must SELECT 'top coding, likelihood', likelihood('census', 'topped', '{agi,fedtax,ernval}', :'top'), .43;
	-- all are known
	SELECT count(all_known(what, keys, each_by(keys, rule::jsonb), :seed, target)) FROM (VALUES
		('classic p = 20, 13 keys', 13, '{"method": "rank_swap", "p": 20}', .95),
		('classic p = 10, 7 keys', 7, '{"method": "rank_swap", "p": 10}', .94),
		('distribution p = 20, 13 keys', 13, '{"method": "rank_swap", "p": 20, "variant": "distribution"}', .43),
		('buckets p = 20, 13 keys', 13, '{"method": "rank_swap", "p": 20, "variant": "buckets"}', .40),
		('noise alpha .5, 13 keys', 13, '{"method": "add_noise", "alpha": 0.5}', .21)) AS m (what, keys, rule, target) \g /dev/null
	-- MDAV of two pairs of columns, k = 3; one person is not known
	CREATE TABLE few AS SELECT id, afnlwgt, agi, fedtax, statetax FROM census ORDER BY md5(id::text) LIMIT 400;
	CREATE VIEW all_but_one AS SELECT * FROM few WHERE id <> (SELECT min(id) FROM few);
	SELECT '{"afnlwgt,agi": {"method": "microaggregate", "k": 3}, "fedtax,statetax": {"method": "microaggregate", "k": 3}}' AS mdav \gset
	SELECT count(*) FROM sdc.mask('few', :'mdav', target => 'grouped', id => 'id', seed => :seed) \g /dev/null
	-- of records that are alike one is found: no more than so many
	INSERT INTO must SELECT 'MDAV 2 + 2, k = 3, 399 of 400', likelihood('all_but_one', 'grouped', '{afnlwgt,agi,fedtax,statetax}', :'mdav'),
		least(.97, (count(DISTINCT (afnlwgt, agi, fedtax, statetax)) - 3) / 399.0) FROM grouped;
	INSERT INTO must SELECT 'MDAV, one column of each pair', likelihood('few', 'grouped', '{afnlwgt,fedtax}', :'mdav'), .45;
	-- sample, then swap: who is in it
	SELECT :'swap'::jsonb || '{"*": {"method": "sample_rows", "p": 20}}' AS sample \gset
	SELECT count(*) FROM sdc.mask('census', :'sample', target => 'drawn', id => 'id', seed => :seed) \g /dev/null
	INSERT INTO must SELECT 'sample and swap, found of released', likelihood('census', 'drawn', first_keys(6), :'sample'), 1;
	INSERT INTO must SELECT 'sample: said in and right', count(*) FILTER (WHERE outside < .1 AND d.id IS NOT NULL)::float8 / (SELECT count(*) FROM drawn), 1
	FROM (SELECT l.id, coalesce(max(probability) FILTER (WHERE linked_id IS NULL), 0) AS outside
		FROM sdc.attack_likelihood('census', 'drawn', :'sample', 'id', first_keys(6), '{"max_candidates": 1024}', 1) AS l GROUP BY 1) AS x
	LEFT JOIN drawn AS d ON d.id::text = x.id;
	INSERT INTO must SELECT 'sample: said out and right', count(*) FILTER (WHERE outside > .9 AND d.id IS NULL)::float8 / (1080 - (SELECT count(*) FROM drawn)), 1
	FROM (SELECT l.id, coalesce(max(probability) FILTER (WHERE linked_id IS NULL), 0) AS outside
		FROM sdc.attack_likelihood('census', 'drawn', :'sample', 'id', first_keys(6), '{"max_candidates": 1024}', 1) AS l GROUP BY 1) AS x
	LEFT JOIN drawn AS d ON d.id::text = x.id;
	-- intruders who know some, of columns that the mask covers (what goes with
	-- them is fitted to the links, so fewer people tell less): 50 random subsets of rows and of columns
	CREATE FUNCTION subset_agrees(i int, rules jsonb) RETURNS bool LANGUAGE plpgsql AS $$
	DECLARE
		keys sdc.columns;
		few bigint;
		alone bigint;
		same bigint;
	BEGIN
		SELECT string_agg(k, ',')::sdc.columns INTO keys FROM (
			SELECT k FROM unnest(string_to_array('afnlwgt,agi,emcontrb,fedtax,ptotval,statetax', ',')) AS k
			ORDER BY md5(i || k) LIMIT 2 + i % 4) AS x;
		DROP VIEW IF EXISTS part;
		EXECUTE format('CREATE VIEW part AS SELECT * FROM census ORDER BY md5(%L || id) LIMIT %s', i, 30 + 10 * i);
		SELECT count(*) FILTER (WHERE correct) INTO alone
		FROM sdc.attack_likelihood('part', 'cm5', rules, 'id', keys, '{"max_candidates": 1, "assignment": "none", "released": false}', 1);
		SELECT count(*) FILTER (WHERE correct) INTO same
		FROM sdc.attack_likelihood('census', 'cm5', rules, 'id', keys, '{"max_candidates": 1, "assignment": "none", "released": false}', 1) AS l
		WHERE l.id IN (SELECT id::text FROM part);
		SELECT count(*) INTO few FROM part;
		-- ties are broken anew: two deviations of a share of them
		RETURN abs(alone - same) <= 2 * sqrt(greatest(alone, same) * (1 - same::float8 / few) + 1);
	END $$;
	INSERT INTO must SELECT '50 subsets of rows and columns: alone is the same', avg(subset_agrees(i, :'swap')::int), .95 FROM generate_series(1, 50) AS i;
	SELECT 'must', what, round(found::numeric, 4), target, CASE WHEN found >= target THEN 'met' ELSE 'missed' END FROM must;
SQL
