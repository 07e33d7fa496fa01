#!/usr/bin/env bash
#
# sql_transparency.sh: rank swapping of the census extract, p = 2 to 20 percent,
# attacked by distance (DLD), by an intruder who knows p (RSLD) and, where
# sdc.attack_probabilistic is there, by probabilistic linkage (PLD), beside
# what was published.  Run by bench.sh inside a throw-away cluster; skipped
# without $SDC_SHARED/data/census.csv.
#
# Per cent of the records whose only nearest record is their own, over
# SDC_BENCH_SEEDS (3) maskings: with all 13 attributes known, and averaged over
# one random subset of each size from 1 to 13 for each masking.  PLD, which
# takes longest, is run on the first masking of each p only.  Fails when RSLD is
# below DLD in any run, or an own record outside its intersection.

set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
data=${SDC_SHARED:-$root/../shared}/data/census.csv
if [ ! -r "$data" ]; then
	echo "sql_transparency.sh: $data is not there: skipped"
	exit 0
fi

run_sql()
{
	PGOPTIONS="-c client_min_messages=warning -c sdc.progress_interval=0" \
		psql -Xq -v ON_ERROR_STOP=1 -P footer=off "$@"
}

prepare()
{
	run_sql <<-'SQL'
		CREATE EXTENSION IF NOT EXISTS sdc;
		CREATE TABLE census (id serial, afnlwgt float8, agi float8,
			emcontrb float8, fedtax float8, ptotval float8, statetax float8,
			taxinc float8, pothval float8, intval float8, pearnval float8,
			fica float8, wsalval float8, ernval float8);
		CREATE TABLE attribute AS
		SELECT attname AS name, attnum - 1 AS number FROM pg_attribute
		WHERE attrelid = 'census'::regclass AND attnum > 1;
		CREATE TABLE cell (p float8, seed int, known int, rsld float8,
			certain float8, dld float8, pld float8, inside boolean);

		-- Masks all columns with one p; returns the rules.
		CREATE FUNCTION swap_all(p float8, seed int) RETURNS jsonb
		LANGUAGE plpgsql AS $$
		BEGIN
			DROP TABLE IF EXISTS swapped;
			EXECUTE (SELECT format(
				'CREATE TABLE swapped AS SELECT id, %s FROM census',
				string_agg(format('sdc.rank_swap(%1$I, %2$s, seed => %3$s)
					OVER (ORDER BY id) AS %1$I', name, p,
					seed * 100 + number), ', ')) FROM attribute);
			RETURN (SELECT jsonb_object_agg(name, jsonb_build_object(
				'method', 'rank_swap', 'p', p)) FROM attribute);
		END $$;

		-- Runs the attacks of one cell.
		CREATE PROCEDURE attack(p float8, seed int, known name[], rules jsonb)
		LANGUAGE plpgsql AS $$
		DECLARE
			transparent sdc.reid_summary;
			distance sdc.reid_summary;
			pld float8;
			inside boolean;
		BEGIN
			SELECT (sdc.reid(l)).* INTO transparent
			FROM sdc.attack_transparency('census', 'swapped', rules, 'id',
				known) AS l;
			SELECT (sdc.reid(l)).* INTO distance
			FROM sdc.attack_distance('census', 'swapped', 'id', known) AS l;
			SELECT bool_and(contains_own) INTO inside
			FROM sdc.candidate_sets('census', 'swapped', rules, 'id',
				known);
			IF seed = 1 AND to_regprocedure('sdc.attack_probabilistic(regclass, regclass,
					name, name[], jsonb, bigint)') IS NOT NULL THEN
				EXECUTE 'SELECT (sdc.reid(l)).reid_d FROM
					sdc.attack_probabilistic($1, $2, $3, $4) AS l' INTO pld
				USING 'census'::regclass, 'swapped'::regclass, 'id'::name,
					known;
			END IF;
			INSERT INTO cell VALUES (p, seed, cardinality(known),
				100 * transparent.reid_d, 100 * transparent.k_reid,
				100 * distance.reid_d, 100 * pld, inside);
		END $$;

		CREATE PROCEDURE attack_all(seeds int) LANGUAGE plpgsql AS $$
		DECLARE
			rules jsonb;
			known name[];
		BEGIN
			FOR p IN 2 .. 20 BY 2 LOOP
				FOR seed IN 1 .. seeds LOOP
					rules := swap_all(p, seed);
					FOR size IN 1 .. 13 LOOP
						SELECT array_agg(name) INTO known FROM (
							SELECT name FROM attribute ORDER BY
							md5(format('%s %s %s %s', p, seed, size, name))
							LIMIT size) AS s;
						CALL attack(p, seed, known, rules);
					END LOOP;
				END LOOP;
			END LOOP;
		END $$;
	SQL
	run_sql -c '\copy census (afnlwgt, agi, emcontrb, fedtax, ptotval, statetax, taxinc, pothval, intval, pearnval, fica, wsalval, ernval) FROM pstdin (FORMAT csv, HEADER)' <"$data"
}

report()
{
	run_sql <<-'SQL'
		CREATE TEMP TABLE published (p float8, rsld float8, dld float8,
			pld float8);
		INSERT INTO published VALUES (2, 77.73, 73.52, 71.28),
			(20, 10.88, 10.87, 0.59);
		\echo Census, rank swapping: all 13 attributes known; averages over subsets of
		\echo each size; published averages over attributes known (only these were at hand)
		SELECT p, round(avg(cell.rsld) FILTER (WHERE known = 13)::numeric, 2) AS rsld_13,
			round(avg(certain) FILTER (WHERE known = 13)::numeric, 2) AS certain_13,
			round(avg(cell.dld) FILTER (WHERE known = 13)::numeric, 2) AS dld_13,
			round(avg(cell.pld) FILTER (WHERE known = 13)::numeric, 2) AS pld_13,
			round(avg(cell.rsld)::numeric, 2) AS rsld,
			round(avg(certain)::numeric, 2) AS certain,
			round(avg(cell.dld)::numeric, 2) AS dld,
			round(avg(cell.pld)::numeric, 2) AS pld,
			published.rsld AS published_rsld, published.dld AS published_dld,
			published.pld AS published_pld
		FROM cell LEFT JOIN published USING (p)
		GROUP BY p, published.rsld, published.dld, published.pld ORDER BY p;
		\echo By the number of attributes known: RSLD / certain / DLD
		SELECT known, string_agg(line, '   ' ORDER BY p) AS "p = 2, 10, 20"
		FROM (SELECT known, p, format('%s / %s / %s', round(avg(rsld)::numeric, 1),
				round(avg(certain)::numeric, 1), round(avg(dld)::numeric, 1)) AS line
			FROM cell WHERE p IN (2, 10, 20) GROUP BY known, p) AS s
		GROUP BY known ORDER BY known;
		SELECT count(*) AS runs, count(*) FILTER (WHERE rsld < dld) AS rsld_below_dld,
			count(*) FILTER (WHERE NOT inside) AS own_record_outside
		FROM cell;
		DO $$
		BEGIN
			IF EXISTS (SELECT FROM cell WHERE rsld < dld OR NOT inside) THEN
				RAISE EXCEPTION 'an intruder who knows p must not find less';
			END IF;
		END $$;
	SQL
}

prepare
run_sql -v seeds="${SDC_BENCH_SEEDS:-3}" <<<'CALL attack_all(:seeds);'
report
