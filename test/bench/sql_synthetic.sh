#!/usr/bin/env bash
#
# sql_synthetic.sh: how good synthetic tables are, what the attacks of the law
# find, and what both cost.  Run by bench.sh inside a throw-away cluster.
#
# SDC_ADULT8 and SDC_CENSUS name the CSV files of adult8 (48,842 rows of eight
# columns of codes) and census (1,080 rows of 13 numbers); without them only
# what needs no data of others is measured.  SDC_BENCH_PARTS (trees related
# private attacks speed) chooses, SDC_BENCH_SEEDS (3) says how often is drawn.
#
# Lines of quality: what, seed, mean distance (total variation) of all tables
# of 1, 2 and 3 columns, pMSE ratio, CPU seconds.  Lines of attacks: data,
# release, attack, subject, rate, risk, and its interval as far as it is shown.

set -euo pipefail

. "$(dirname "${BASH_SOURCE[0]}")/statements.sh"

parts=${SDC_BENCH_PARTS:-trees related private attacks speed}
seeds=${SDC_BENCH_SEEDS:-3}

sql()
{
	psql -XAtqF , -v ON_ERROR_STOP=1 -v seeds="$seeds" "$@"
}

wanted()
{
	[[ " $parts " == *" $1 "* ]]
}

sql <<-'SQL'
	CREATE EXTENSION sdc;
	-- CPU seconds of this backend so far
	CREATE FUNCTION cpu() RETURNS float8 LANGUAGE sql AS $$
		SELECT ((regexp_split_to_array(regexp_replace(pg_read_file('/proc/' ||
				pg_backend_pid() || '/stat', 0, 10000), '.*\) ', ''), ' '))[12]::float8 +
			(regexp_split_to_array(regexp_replace(pg_read_file('/proc/' ||
				pg_backend_pid() || '/stat', 0, 10000), '.*\) ', ''), ' '))[13]::float8) / 100$$;
	CREATE FUNCTION names(relation regclass) RETURNS text[] LANGUAGE sql AS $$
		SELECT array_agg(attname::text ORDER BY attnum) FROM pg_attribute
		WHERE attrelid = relation AND attnum > 0 AND NOT attisdropped$$;
	-- the distances of tables of 1, 2, 3 columns, every value a category
	CREATE FUNCTION distances(original regclass, made regclass) RETURNS text LANGUAGE sql AS $$
		SELECT string_agg(to_char(value, 'FM0.0000'), '/' ORDER BY measure)
		FROM sdc.utility_report(original, made, columns => names(original)::name[],
			measures => '{marginals_1,marginals_2,marginals_3}',
			params => jsonb_build_object('categories', to_jsonb(names(original))))
		WHERE measure LIKE 'marginals%'$$;
	-- a data set of the codes of adult8: all categories are said
	CREATE FUNCTION describe_codes(dataset text, relation regclass) RETURNS void LANGUAGE plpgsql AS $$
		DECLARE c text;
		BEGIN
			FOREACH c IN ARRAY names(relation) LOOP
				EXECUTE format('ALTER TABLE %s ALTER %I SET NOT NULL', relation, c);
			END LOOP;
			PERFORM sdc.create_dataset(dataset, relation, accounting => 'approx', epsilon => 1e6, delta => 0.01);
			PERFORM sdc.grant_budget(dataset, current_user::regrole, 1e5, 0.001);
			PERFORM sdc.describe_column(dataset, n, categories => (SELECT array_agg(i::text ORDER BY i)
				FROM generate_series(0, s - 1) AS i)) FROM (VALUES ('age', 17), ('education', 16), ('marital', 7),
				('occupation', 15), ('gain', 20), ('loss', 20), ('hours', 20), ('income', 2)) AS v (n, s);
		END$$;
	CREATE FUNCTION ratio(original regclass, made regclass) RETURNS text LANGUAGE sql AS $$
		SELECT to_char(value, 'FM990.00') FROM sdc.utility_report(original, made,
			columns => names(original)::name[], measures => '{pmse}')
		WHERE measure = 'pmse_ratio'$$;
	-- a relation with each column cut at the deciles of another's
	CREATE FUNCTION deciles(relation regclass, of regclass) RETURNS text LANGUAGE plpgsql AS $$
		DECLARE list text; name text := relation || '_deciles';
		BEGIN
			SELECT string_agg(format('width_bucket(%1$I::float8, (SELECT array_agg(DISTINCT e ORDER BY e)
				FROM (SELECT unnest(percentile_disc(ARRAY[.1,.2,.3,.4,.5,.6,.7,.8,.9])
				WITHIN GROUP (ORDER BY %1$I))::float8 AS e FROM %2$s) AS s)) AS %1$I', c, of), ', ')
			INTO list FROM unnest(names(of)) AS c;
			EXECUTE format('DROP TABLE IF EXISTS %s', name);
			EXECUTE format('CREATE TABLE %s AS SELECT %s FROM %s', name, list, relation);
			RETURN name;
		END$$;
	-- one synthetic table: its name, and what it cost
	CREATE FUNCTION made(call text) RETURNS float8 LANGUAGE plpgsql AS $$
		DECLARE start float8;
		BEGIN
			DROP TABLE IF EXISTS made;
			start := cpu();
			EXECUTE 'SELECT count(*) FROM ' || call;
			RETURN round((cpu() - start)::numeric, 2);
		END$$;
SQL
if [ -n "${SDC_ADULT8:-}" ]; then
	sql -v file="$SDC_ADULT8" <<-'SQL'
		CREATE TABLE raw (age int, education int, marital int, occupation int,
			gain int, loss int, hours int, income int);
		\set copy '\\copy raw FROM ' :'file' ' CSV HEADER'
		:copy
		CREATE TABLE adult8 AS SELECT age, education, 'm' || marital AS marital,
			'o' || occupation AS occupation, gain, loss, hours, 'i' || income AS income,
			row_number() OVER () - 1 AS number FROM raw;
		ALTER TABLE adult8 RENAME TO adult8_all;
		CREATE TABLE adult8 AS TABLE adult8_all;
		ALTER TABLE adult8 DROP number;
		CREATE TABLE adult8_used AS SELECT * FROM adult8_all WHERE number % 5 <> 4;
		CREATE TABLE adult8_control AS SELECT * FROM adult8_all WHERE number % 5 = 4;
		ALTER TABLE adult8_used DROP number;
		ALTER TABLE adult8_control DROP number;
	SQL
fi
if [ -n "${SDC_CENSUS:-}" ]; then
	header=$(head -1 "$SDC_CENSUS" | tr -d '"\r' | tr 'A-Z' 'a-z')
	sql -v file="$SDC_CENSUS" -v list="${header//,/ numeric, } numeric" <<-'SQL'
		CREATE TABLE census (:list);
		\set copy '\\copy census FROM ' :'file' ' CSV HEADER'
		:copy
		CREATE TABLE numbered AS SELECT row_number() OVER () - 1 AS number, * FROM census;
		CREATE TABLE census_used AS SELECT * FROM numbered WHERE number % 5 <> 4;
		CREATE TABLE census_control AS SELECT * FROM numbered WHERE number % 5 = 4;
		ALTER TABLE census_used DROP number;
		ALTER TABLE census_control DROP number;
		SELECT deciles('census', 'census') \g /dev/null
	SQL
fi

trees()
{
	local seed params

	for ((seed = 1; seed <= seeds; seed++)); do
		[ -z "${SDC_ADULT8:-}" ] || sql -v seed="$seed" <<-'SQL'
			SELECT made(format($$sdc.synthesize('adult8', 'made', seed => %s)$$, :seed)) AS cpu \gset
			SELECT 'adult8 cart', :seed, distances('adult8', 'made'), ratio('adult8', 'made'), :cpu;
		SQL
		[ -n "${SDC_CENSUS:-}" ] || continue
		for params in '{"smooth": false}' '{}'; do
			sql -v seed="$seed" -v params="$params" <<-'SQL'
				SELECT made(format($$sdc.synthesize('census', 'made', params => %L, seed => %s)$$,
					:'params', :seed)) AS cpu \gset
				SELECT deciles('made', 'census') \g /dev/null
				SELECT 'census cart ' || :'params', :seed, distances('census_deciles', 'made_deciles'),
					ratio('census', 'made'), :cpu;
				SELECT 'census exact copies', count(*) FROM census NATURAL JOIN made;
			SQL
		done
	done
}

# 100,000 parents, 250,000 children, as many of theirs, which also refer to a
# shop: distances of the numbers of children by kind of parent, of columns of
# both sides of each key, records whose key leads nowhere, CPU seconds.
related()
{
	local seed

	sql <<-'SQL'
		SELECT setseed(0.5) \g /dev/null
		CREATE TABLE shop (id int PRIMARY KEY, town text, size int);
		CREATE TABLE parent (id int PRIMARY KEY, kind text, region int);
		CREATE TABLE child (id int PRIMARY KEY, parent int NOT NULL REFERENCES parent ON DELETE CASCADE, sort text, size int);
		CREATE TABLE item (id int PRIMARY KEY, child int NOT NULL REFERENCES child ON DELETE CASCADE,
			shop int NOT NULL REFERENCES shop, price int);
		INSERT INTO shop SELECT i, 't' || i % 7, i % 5 FROM generate_series(1, 500) AS i;
		INSERT INTO parent SELECT i, 'k' || floor(4 * random()), floor(6 * random())
		FROM generate_series(1, 100000) AS i;
		INSERT INTO child SELECT row_number() OVER (), id, 's' || (substr(kind, 2)::int + floor(3 * random())::int) % 5,
			region * 2 + floor(4 * random())
		FROM parent, generate_series(1, substr(kind, 2)::int + floor(3 * random())::int) AS k;
		INSERT INTO item SELECT row_number() OVER (), id, 1 + (size * 31 + floor(60 * random())::int) % 500,
			size * 3 + floor(5 * random())
		FROM child, generate_series(1, floor(2.2 * random())::int) AS k;
		CREATE FUNCTION joined(prefix text) RETURNS void LANGUAGE plpgsql AS $$BEGIN
			EXECUTE format('CREATE TABLE %1$s_numbers AS SELECT kind, region, count(c.id) AS children FROM %1$sparent AS p LEFT JOIN %1$schild AS c ON c.parent = p.id GROUP BY p.id, kind, region', prefix);
			EXECUTE format('CREATE TABLE %1$s_down AS SELECT kind, region, sort, size FROM %1$schild AS c JOIN %1$sparent AS p ON p.id = parent', prefix);
			EXECUTE format('CREATE TABLE %1$s_across AS SELECT s.town, s.size AS shop_size, i.price, c.sort FROM %1$sitem AS i JOIN %1$sshop AS s ON s.id = shop JOIN %1$schild AS c ON c.id = child', prefix);
		END$$;
		SELECT joined('') \g /dev/null
		SELECT 'related', (SELECT count(*) FROM parent), (SELECT count(*) FROM child), (SELECT count(*) FROM item);
	SQL
	for ((seed = 1; seed <= seeds; seed++)); do
		sql -v seed="$seed" <<-'SQL'
			SET client_min_messages = warning;
			DROP TABLE IF EXISTS m_shop, m_parent, m_child, m_item, m__numbers, m__down, m__across;
			SELECT cpu() AS start \gset
			SELECT count(*) FROM sdc.synthesize_tables('{shop,parent,child,item}', '{m_shop,m_parent,m_child,m_item}', seed => :seed) \g /dev/null
			SELECT round((cpu() - :start)::numeric, 2) AS cpu \gset
			SELECT joined('m_') \g /dev/null
			SELECT 'numbers of children', :seed, distances('_numbers', 'm__numbers');
			SELECT 'child and parent', :seed, distances('_down', 'm__down');
			SELECT 'across the second key', :seed, distances('_across', 'm__across');
			SELECT 'orphans', :seed, (SELECT count(*) FROM m_child AS c WHERE parent NOT IN (SELECT id FROM m_parent)) +
				(SELECT count(*) FROM m_item AS i WHERE child NOT IN (SELECT id FROM m_child) OR shop NOT IN (SELECT id FROM m_shop)), :cpu;
		SQL
	done
}

private()
{
	local seed method epsilon

	[ -n "${SDC_ADULT8:-}" ] || return 0
	sql <<-'SQL'
		CREATE TABLE codes AS TABLE raw;
		SELECT describe_codes('codes', 'codes') \g /dev/null
	SQL
	for method in independent mst aim; do
		for epsilon in 0.1 1 10; do
			for ((seed = 1; seed <= seeds; seed++)); do
				sql -v method="$method" -v epsilon="$epsilon" -v seed="$seed" <<-'SQL'
					SELECT made(format($$sdc.dp_synthesize('codes', 'made', %s, 1e-9, %L, params => '{"max_size": 1}')$$,
						:epsilon, :'method')) AS cpu \gset
					SELECT 'adult8 ' || :'method' || ' epsilon ' || :epsilon, :seed, distances('codes', 'made'), '', :cpu;
				SQL
			done
		done
	done
}

# The attacks on one release, with the control.
attack()
{
	sql -v data="$1" -v name="$2" -v made="$3" -v params="$4" -v used="${5:-$1_used}" <<-'SQL'
		SELECT cpu() AS start \gset
		CREATE TEMP TABLE found AS SELECT * FROM sdc.gdpr_report(:'used', :'made',
			control => :'data' || '_control', keys => names(:'data')::name[],
			params => :'params', seed => 1);
		SELECT cpu() - :start AS cpu \gset
		SELECT 'attack', :'data', :'name', r.measure, r.subject, round(rate.value::numeric, 4) AS rate,
			round(r.value::numeric, 4) AS risk, substring(r.detail FROM 'confidence (.*?)[;.]( |$)') AS interval
		FROM found AS r JOIN found AS rate ON rate.measure = r.measure || '_rate' AND rate.subject = r.subject;
		SELECT 'attack', :'data', :'name', measure, subject, round(value::numeric, 4) FROM found
		WHERE measure IN ('closest_record_nearer', 'closest_record_median');
		SELECT 'attack', :'data', :'name', 'all', round(:cpu::numeric, 2) || ' s of CPU';
	SQL
}

attacks()
{
	local data p params

	for data in census adult8; do
		if [ $data = census ]; then
			[ -n "${SDC_CENSUS:-}" ] || continue
						params='{"n": 216, "columns": 4, "secret": ["'${header//,/\", \"}'"]}'
		else
			[ -n "${SDC_ADULT8:-}" ] || continue
			params='{"n": 2000, "columns": 4, "secret": ["age", "education", "marital", "occupation", "gain", "loss", "hours", "income"], "sides": ["age,education,marital,income", "occupation,gain,loss,hours"]}'
		fi
		attack $data original ${data}_used "$params"
		sql -v data=$data -v all=$([ $data = census ] && echo numbered || echo adult8_all) <<-'SQL'
			SELECT format('CREATE TABLE %1$s_three AS SELECT * FROM %2$s WHERE number %% 5 < 3;
				CREATE TABLE %1$s_drawn AS SELECT * FROM %2$s WHERE number %% 5 = 3', :'data', :'all') \gexec
		SQL
		attack $data independent_draw ${data}_drawn "$params" ${data}_three
		if [ $data = census ]; then
			for p in 5 20; do
				sql -v p=$p <<-'SQL'
					SELECT format($$SELECT count(*) FROM sdc.mask('census_used', %L, 'census_swap%s', seed => 1)$$,
						(SELECT jsonb_object_agg(c, jsonb_build_object('method', 'rank_swap', 'p', :p))
						 FROM unnest(names('census')) AS c), :p) \gexec
				SQL
				attack census swap$p census_swap$p "$params"
			done
		else
			sql <<-'SQL'
				CREATE TABLE codes_used AS SELECT age, education, substr(marital, 2)::int AS marital,
					substr(occupation, 2)::int AS occupation, gain, loss, hours, substr(income, 2)::int AS income FROM adult8_used;
				SELECT describe_codes('used', 'codes_used') \g /dev/null
				SELECT count(*) FROM sdc.dp_synthesize('used', 'mst1_codes', 1, 1e-9) \g /dev/null
				CREATE TABLE adult8_mst1 AS SELECT age, education, 'm' || marital AS marital,
					'o' || occupation AS occupation, gain, loss, hours, 'i' || income AS income FROM mst1_codes;
			SQL
			attack adult8 mst1 adult8_mst1 "$params"
		fi
		sql -v data=$data <<-'SQL'
			SELECT count(*) FROM sdc.synthesize((:'data' || '_used')::regclass, :'data' || '_cart', params => '{"smooth": false}', seed => 1) \g /dev/null
			SELECT count(*) FROM sdc.synthesize((:'data' || '_used')::regclass, :'data' || '_smooth', seed => 1) \g /dev/null
		SQL
		attack $data cart ${data}_cart "$params"
		attack $data cart_smooth ${data}_smooth "$params"
	done
}

# Rows of generated columns; of 15 the first eight are those of 8.
prepare()
{
	psql -Xq -v ON_ERROR_STOP=1 -v rows="$rows" <<-'SQL'
		SET client_min_messages = warning;
		SELECT setseed(0.5) AS ignored \gset
		CREATE TABLE wide AS
		SELECT (20 + 60 * random())::int AS age, floor(17 * random())::int AS region,
			's' || floor(12 * random()) AS sector, random() < 0.5 AS sex,
			floor(7 * random())::int AS marital, (40 * random())::int AS hours,
			'o' || floor(15 * random()) AS occupation, round((1e5 * random())::numeric, 2) AS income,
			floor(20 * random())::int AS a, floor(9 * random())::int AS b,
			'c' || floor(30 * random()) AS c, (1000 * random())::int AS d,
			round((1e4 * random())::numeric, 2) AS e, floor(5 * random())::int AS f,
			'g' || floor(6 * random()) AS g
		FROM generate_series(1, :rows) AS i;
		CREATE TABLE narrow AS SELECT age, region, sector, sex, marital, hours, occupation, income FROM wide;
		CREATE TABLE tenth AS SELECT * FROM wide LIMIT :rows / 10;
		CREATE TABLE half AS SELECT * FROM wide LIMIT :rows / 2;
		VACUUM ANALYZE;
		CHECKPOINT;
	SQL
	[ -z "${SDC_ADULT8:-}" ] || psql -Xq -v ON_ERROR_STOP=1 -v rows="$rows" <<-'SQL'
		CREATE TABLE many AS SELECT r.* FROM raw AS r, generate_series(1, :rows / 48842);
		CREATE TABLE many_control AS SELECT * FROM many LIMIT 0;
		INSERT INTO many_control SELECT age, education, substr(marital, 2)::int, substr(occupation, 2)::int,
			gain, loss, hours, substr(income, 2)::int FROM adult8_control;
		DO $$DECLARE c text; BEGIN
			FOREACH c IN ARRAY names('many') LOOP EXECUTE format('ALTER TABLE many ALTER %I SET NOT NULL', c); END LOOP;
			PERFORM sdc.create_dataset('many', 'many', accounting => 'approx', epsilon => 1e6, delta => 0.01);
			PERFORM sdc.grant_budget('many', current_user::regrole, 1e5, 0.001);
			PERFORM sdc.describe_column('many', n, categories => (SELECT array_agg(i::text ORDER BY i)
				FROM generate_series(0, s - 1) AS i)) FROM (VALUES ('age', 17), ('education', 16), ('marital', 7),
				('occupation', 15), ('gain', 20), ('loss', 20), ('hours', 20), ('income', 2)) AS v (n, s);
		END$$;
		VACUUM ANALYZE;
	SQL
}

if wanted trees; then trees; fi
if wanted related; then related; fi
if wanted private; then private; fi
if wanted attacks; then attacks; fi
if wanted speed; then
	prepare
	add "one scan of 8" 8 0 "SELECT count(age), sum(income), count(sector), count(occupation) FROM narrow"
	add "synthesize 8" 8 0 "SELECT count(*) FROM sdc.synthesize('narrow', 'made8', seed => 1)"
	add "synthesize 15" 15 0 "SELECT count(*) FROM sdc.synthesize('wide', 'made15', seed => 1)"
	add "synthesize 15, a tenth" 15 2 "SELECT count(*) FROM sdc.synthesize('tenth', 'made_tenth', seed => 1)"
	add "synthesize 15, half" 15 2 "SELECT count(*) FROM sdc.synthesize('half', 'made_half', seed => 1)"
	if [ -n "${SDC_ADULT8:-}" ]; then
		add "synthesize adult8 x 20" 8 0 "SELECT count(*) FROM sdc.synthesize('many', 'made_many', seed => 1)"
		add "dp_synthesize adult8 x 20" 8 0 "SELECT count(*) FROM sdc.dp_synthesize('many', 'made_dp', 1, 1e-9)"
		add "gdpr_report adult8 x 20" 8 0 "SELECT count(*) FROM sdc.gdpr_report('many', 'many', control => 'many_control', seed => 1)"
	fi
	measure synthetic "DROP TABLE IF EXISTS made8, made15, made_tenth, made_half, made_many, made_dp"
fi
