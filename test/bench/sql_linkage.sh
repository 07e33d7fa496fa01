#!/usr/bin/env bash
#
# sql_linkage.sh: the older linkage attacks at the size of real tables, four
# log-normal columns with correlation .5, rank-swapped by p = 1 and p = 5.  Run
# by bench.sh inside a throw-away cluster.
#
# SDC_BENCH_SIZES ("10000 100000 1000000") are the sizes, SDC_BENCH_ATTACKS
# which attacks: those below, likelihood (all persons, one to one, p = 1 and,
# up to 100000 rows, p = 5, with 2 GB), and slabs (what the gate's attack by likelihood
# takes at p = 5, of a sample where all are too much for sdc.memory_limit) and
# release (the release that a policy makes by default at p = 5), which take
# minutes at a million rows.  One run of each; CPU seconds are those of the
# backend and of its workers.  The growth from one size to the next is printed
# as an exponent; the share found is what the attack says.

set -euo pipefail

sizes=${SDC_BENCH_SIZES:-10000 100000 1000000}
attacks=${SDC_BENCH_ATTACKS:-probabilistic one_to_one transparency distance workers}
hertz=$(getconf CLK_TCK)
declare -A before=()

run_sql()
{
	PGOPTIONS="-c client_min_messages=warning -c sdc.progress_interval=0" \
		psql -Xq -v ON_ERROR_STOP=1 "$@"
}

prepare()
{
	run_sql -v n="$1" <<-'SQL'
		CREATE EXTENSION IF NOT EXISTS sdc;
		DROP TABLE IF EXISTS people, masked_1, masked_5;
		SELECT setseed(.5) \g /dev/null
		CREATE TABLE people AS
		SELECT i AS id, exp(h + x1) AS a, exp(h + x2) AS b, exp(h + x3) AS c,
			   exp(h + x4) AS d
		FROM (SELECT i, .707 * sqrt(-2 * ln(1 - random())) * cos(6.283185307 * random()) AS h,
					 .707 * sqrt(-2 * ln(1 - random())) * cos(6.283185307 * random()) AS x1,
					 .707 * sqrt(-2 * ln(1 - random())) * cos(6.283185307 * random()) AS x2,
					 .707 * sqrt(-2 * ln(1 - random())) * cos(6.283185307 * random()) AS x3,
					 .707 * sqrt(-2 * ln(1 - random())) * cos(6.283185307 * random()) AS x4
			  FROM generate_series(1, :n) AS i) AS r;
		CREATE FUNCTION pg_temp.rules(p int) RETURNS jsonb LANGUAGE sql AS
			$$SELECT jsonb_object_agg(k, jsonb_build_object('method', 'rank_swap', 'p', p)) FROM unnest('{a,b,c,d}'::text[]) AS k$$;
		SELECT count(*) FROM sdc.mask('people', pg_temp.rules(1), target => 'masked_1', seed => 7)
		\g /dev/null
		SELECT count(*) FROM sdc.mask('people', pg_temp.rules(5), target => 'masked_5', seed => 8)
		\g /dev/null
	SQL
}

# Ticks of a backend and its workers, wall seconds, private peak in kB of the
# backend, share.  The postmaster counts what its children took when they end.
session()
{
	local postmaster
	read -r postmaster <"$SDC_TEMPORARY/data/postmaster.pid"
	# what ended before must be counted before
	sleep 1
	PGOPTIONS="-c client_min_messages=warning -c sdc.progress_interval=0 ${2:-}" \
		psql -XAtq -v ON_ERROR_STOP=1 -v statement="$1" \
		-v postmaster="$postmaster" <<-'SQL'
		SELECT pg_backend_pid() AS pid,
			   extract(epoch FROM clock_timestamp()) AS start \gset
		\set others `awk '{ sub(/.*\) /, ""); print $14 + $15 }' /proc/:postmaster/stat`
		\t on
		:statement \gset
		SELECT extract(epoch FROM clock_timestamp()) - :start AS wall \gset
		SELECT pg_sleep(1) \g /dev/null
		\set ticks `cat /proc/:pid/stat /proc/:postmaster/stat | awk -v others=:others '{ sub(/.*\) /, ""); t += NR == 1 ? $12 + $13 : $14 + $15 - others } END { print t }'`
		\set peak `awk '/^(VmHWM|RssShmem)/ { m[$1] = $2 } END { print m["VmHWM:"] - m["RssShmem:"] }' /proc/:pid/status`
		\echo :ticks :wall :peak :found
	SQL
}

report()
{
	local name=$1 rows=$2 t w p f
	read -r t w p f <<<"$(session "$3" "${4:-}")"
	awk -v name="$name" -v rows="$rows" -v t="$t" -v w="$w" -v p="$p" \
		-v f="$f" -v hertz="$hertz" -v before="${before[$name]:-}" 'BEGIN {
			split(before, b, " ")
			growth = before == "" || b[2] * t == 0 ? "" : \
				sprintf("; growth n^%.2f", log(t / b[2]) / log(rows / b[1]))
			share = f < 0 ? "" : sprintf("; %.2f %% found", 100 * f)
			printf "bench,linkage,%s,%d,4,%.2f,%d,%.1f s elapsed%s%s\n",
				name, rows, t / hertz, p / 1024, w, share, growth
		}'
	before[$name]="$rows $t"
}

# The share found by the rows of an attack.
found()
{
	echo "SELECT (sdc.reid(l)).reid_k AS found FROM sdc.attack_$1('people', '$2', id => 'id', keys => '{a,b,c,d}' $3) AS l"
}

one()
{
	case $1 in
		probabilistic)
			report "probabilistic p=1" "$2" "$(found probabilistic masked_1 "")"
			report "probabilistic p=5" "$2" "$(found probabilistic masked_5 "")"
			;;
		one_to_one)
			report "distance one_to_one p=1" "$2" \
				"$(found distance masked_1 ", params => '{\"assignment\": \"one_to_one\"}'")"
			report "probabilistic one_to_one p=1" "$2" \
				"$(found probabilistic masked_1 ", params => '{\"assignment\": \"one_to_one\"}'")"
			;;
		transparency)
			for p in 1 5; do
				report "transparency p=$p" "$2" \
					"$(found transparency masked_$p ", rules => (SELECT jsonb_object_agg(k, jsonb_build_object('method', 'rank_swap', 'p', $p)) FROM unnest('{a,b,c,d}'::text[]) AS k)")"
			done
			;;
		distance)
			report "distance p=1" "$2" "$(found distance masked_1 "")"
			;;
		likelihood)
			for p in 1 5; do
				[ "$p" = 1 ] || [ "$2" -le 100000 ] || continue
				report "likelihood p=$p" "$2" \
					"$(found likelihood masked_$p ", rules => (SELECT jsonb_object_agg(k, jsonb_build_object('method', 'rank_swap', 'p', $p)) FROM unnest('{a,b,c,d}'::text[]) AS k), seed => 1")" \
					"-c sdc.memory_limit=2GB"
			done
			;;
		slabs)
			report "likelihood in the gate p=5" "$2" \
				"SELECT value AS found FROM sdc.disclosure_report('people', 'masked_5', 'id', '{a,b,c,d}', measures => '{likelihood}', seed => 1, rules => (SELECT jsonb_object_agg(k, jsonb_build_object('method', 'rank_swap', 'p', 5)) FROM unnest('{a,b,c,d}'::text[]) AS k)) WHERE measure = 'found'"
			;;
		release)
			run_sql <<-'SQL'
				CREATE SCHEMA IF NOT EXISTS published;
				DROP TABLE IF EXISTS published.people;
				SELECT sdc.declare('people', id => 'id', keys => '{a,b,c,d}') \g /dev/null
				SELECT sdc.create_policy('linkage-' || count(*), 'people',
					(SELECT jsonb_object_agg(k, '{"method": "rank_swap", "p": 5}'::jsonb) FROM unnest('{a,b,c,d}'::text[]) AS k),
					'[{"attack": "worst", "<=": 1}]', '{"schema": "published"}')
				FROM people \g /dev/null
			SQL
			report "release by default p=5" "$2" \
				"CALL sdc.release('linkage-$2'); SELECT -1 AS found"
			;;
		workers)
			for w in 0 1; do
				report "likelihood p=1 workers=$w" "$2" \
					"$(found likelihood masked_1 ", rules => (SELECT jsonb_object_agg(k, jsonb_build_object('method', 'rank_swap', 'p', 1)) FROM unnest('{a,b,c,d}'::text[]) AS k), params => '{\"max_candidates\": 1}'")" \
					"-c max_parallel_workers_per_gather=$w"
			done
			;;
	esac
}

for n in $sizes; do
	prepare "$n"
	for attack in $attacks; do
		one "$attack" "$n"
	done
done
