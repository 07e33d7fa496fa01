#!/usr/bin/env bash
#
# sql_nights.sh: releases night after night.  Run by bench.sh inside a
# throw-away cluster.
#
# First what a night costs: SDC_BENCH_ROWS (100,000) rows of four correlated
# columns, rank swapping with p = 5, all usual attacks, 1 % of the rows change;
# CPU seconds of the backend without parallel workers, beside the first night.
# The attacks on what changed (differencing, sequence) stand apart: the aim is
# a tenth of the first night for all the rest.
#
# Then what is carried over beside attacks on everybody (carried=): tables of
# SDC_BENCH_SMALL (2,000) rows, ways to change 1 to 6 % of them, masks, attacks; the least of what
# the gate counted minus what is found in truth, which must not be negative.
#
# Then SDC_BENCH_NIGHTS (30) nights of 1 % with every mask that releases can
# hold (test/data/nights.sql): after each, how many problems there were so far.
# SDC_BENCH_PLAIN=1: without attacks, which say nothing of what changes.

set -euo pipefail

data=$(cd "$(dirname "${BASH_SOURCE[0]}")/../data" && pwd)
rows=${SDC_BENCH_ROWS:-100000}
nights=${SDC_BENCH_NIGHTS:-30}
small=${SDC_BENCH_SMALL:-2000}
hertz=$(getconf CLK_TCK)

sql()
{
	psql -XAtqF , -v ON_ERROR_STOP=1 "$@"
}

# Releases by a policy; prints the CPU ticks of the backend.  Those of the
# attacks on what changed, and of all others, go into the file $spent.
spent=$(mktemp)
trap 'rm -f "$spent" "$spent.log"' EXIT
release()
{
	sql -v policy="$1" 2>"$spent.log" <<-'SQL'
		SET client_min_messages = debug1;
		SET sdc.progress_interval = 0;
		SET max_parallel_workers = 0;
		SELECT pg_backend_pid() AS pid \gset
		CALL sdc.release(:'policy');
		\echo `awk '{ sub(/.*\) /, ""); print $12 + $13 }' /proc/:pid/stat`
	SQL
	grep '^\(psql:.*: \)\?ERROR' "$spent.log" >&2 || true
	awk -v h="$hertz" '/DEBUG: *attack ".*" took/ {
			for (i = 1; i <= NF; i++)
				if ($i == "took") t = $(i + 1)
			if (/"(differencing|sequence)"/) changed += t; else others += t
		}
		END { printf "%.2f %.2f\n", h * changed, h * others }' "$spent.log" >"$spent"
}

sql -o /dev/null <<-'SQL'
	CREATE EXTENSION sdc;
	CREATE SCHEMA published;
	CREATE FUNCTION uniform(i int, salt int) RETURNS float8 LANGUAGE sql IMMUTABLE AS $$
	SELECT (hashint8(i::int8 * 7919 + salt) & 16777215) / 16777216.0::float8 $$;
	CREATE FUNCTION normal(i int, salt int) RETURNS float8 LANGUAGE sql IMMUTABLE AS $$
	SELECT sqrt(-2 * ln(uniform(i, 2 * salt) + 1e-9)) * cos(2 * pi() * uniform(i, 2 * salt + 1)) $$;
	CREATE FUNCTION people(first int, last int, salt int)
	RETURNS TABLE (id int, a float8, b float8, c float8, d float8) LANGUAGE sql AS $$
	SELECT i, exp(c + normal(i, salt + 1) / 2), exp(c + normal(i, salt + 2) / 2),
		exp(c + normal(i, salt + 3) / 2), exp(c + normal(i, salt + 4) / 2)
	FROM (SELECT i, 0.7 * normal(i, salt) AS c FROM generate_series(first, last) AS i) AS x $$;
	CREATE FUNCTION policy(name text, relation regclass, method jsonb) RETURNS void
	LANGUAGE sql AS $$
	SELECT sdc.create_policy(name, relation, jsonb_build_object('a', method, 'b', method,
		'c', method, 'd', method), '[{"attack": "worst", "<=": 1}]',
		jsonb_build_object('schema', 'published', 'table', name)) $$;
SQL

# One night beside the first one: in all, and without the attacks on what
# changed.
tell_night()
{
	awk -v what="$1" -v columns="$2" -v t="$3" -v f="$4" -v h="$hertz" -v rows="$rows" '{
		printf "bench,nights,%s,%d,%s,%.2f,,%.1f %% of the first; %.2f s attack what changed, %.2f s everybody, without the former %.1f %%\n",
			what, rows, columns, t / h, 100 * t / f, $1 / h, $2 / h, 100 * (t - $1) / f }' "$spent"
}

cost()
{
	local first= night ticks

	sql -v rows="$rows" -o /dev/null <<-'SQL'
		CREATE TABLE wide AS SELECT * FROM people(1, :rows, 0);
		SELECT sdc.declare('wide', id => 'id', keys => '{a,b,c,d}');
		SELECT policy('wide', 'wide', '{"method": "rank_swap", "p": 5}');
	SQL
	for night in 1 2 3; do
		[ $night = 1 ] || sql -v night=$night -c "UPDATE wide SET (a, b, c, d) =
			(SELECT a, b, c, d FROM people(wide.id, wide.id, 100 * $night)) WHERE id % 100 = $night"
		ticks=$(release wide)
		first=${first:-$ticks}
		tell_night "night $night" 4 "$ticks" "$first"
	done
}

# A release whose figures are carried over, and one that attacks everybody: the
# same rows, masked the same, as what was found before is forgotten.
carried()
{
	local way method name

	for way in "random 1" "random 6" "largest 2" "middle 4"; do
		for method in rank_swap:p:5 rank_swap:p:15 add_noise:alpha:0.1 \
			microaggregate:k:4 pram:p:60; do
			IFS=: read -r name key value <<<"$method"
			sql -v small="$small" -v name="$name" -v key="$key" -v value="$value" -o /dev/null <<-'SQL'
				SET client_min_messages = error;
				DROP TABLE IF EXISTS small CASCADE;
				SELECT sdc.drop_policy(policy) FROM sdc.policy WHERE policy = 'small';
				DROP TABLE IF EXISTS published.small;
				CREATE TABLE small AS SELECT * FROM people(1, :small, 7);
				SELECT sdc.declare('small', id => 'id', keys => '{a,b,c,d}');
				SELECT policy('small', 'small', jsonb_build_object('method', :'name', :'key', :value));
			SQL
			release small >/dev/null
			case $way in
			random*) sql -c "UPDATE small SET (a, b, c, d) = (SELECT a, b, c, d FROM
				people(small.id, small.id, 900)) WHERE uniform(id, 901) < ${way#* } / 100.0" ;;
			largest*) sql -c "DELETE FROM small WHERE id IN (SELECT id FROM small ORDER BY a DESC
				LIMIT $((small / 100 * ${way#* })))" ;;
			middle*) sql -c "DELETE FROM small WHERE id IN (SELECT id FROM small
				ORDER BY abs(ln(a)) + abs(ln(b)) LIMIT $((small / 100 * ${way#* })))" ;;
			esac
			release small >/dev/null
			sql -o /dev/null -c "DELETE FROM sdc.release_finding"
			release small >/dev/null
			sql -v way="$way" -v method="$method" <<-'SQL'
				WITH r AS (SELECT row_number() OVER (ORDER BY release DESC) AS back, measures
					FROM sdc.releases('small')),
				f AS (SELECT back, a ->> 'attack' AS attack, (a ->> 'found')::float8 AS found,
					substring(a ->> 'sample' FROM 'taken to be at most ([0-9.e-]*[0-9])')::float8 AS upper
					FROM r, jsonb_array_elements(measures -> 0 -> 'attacks') AS a)
				SELECT 'carried', :'way', :'method', count(*), count(*) FILTER (WHERE t.found > c.upper + 1e-9),
					'least room', round(min(c.upper - t.found)::numeric, 4),
					(array_agg(t.attack ORDER BY c.upper - t.found))[1]
				FROM f AS c JOIN f AS t USING (attack)
				WHERE c.back = 2 AND t.back = 1 AND c.upper IS NOT NULL;
			SQL
		done
	done
}

every_mask()
{
	local night policy ticks
	declare -A first=()

	sql -v rows="$rows" -v plain="${SDC_BENCH_PLAIN:-0}" \
		-f "$data/nights.sql" -o /dev/null
	for ((night = 1; night <= nights; night++)); do
		[ $night = 1 ] || sql -o /dev/null -c "SELECT change($night, 1)"
		for policy in nights nights_levels nights_local; do
			ticks=$(release $policy)
			first[$policy]=${first[$policy]:-$ticks}
			tell_night "$policy $night" "" "$ticks" "${first[$policy]}"
		done
		sql -o /dev/null -c "SELECT check_night($night)"
		sql -c "SELECT 'problems', count(*), string_agg(DISTINCT part || ' ' || what, '; '),
			'values compared tonight', (SELECT count(*) FROM basis) FROM problem"
	done
}

for what in ${SDC_BENCH_WHAT:-cost carried every_mask}; do
	$what
done
