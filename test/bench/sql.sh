#!/usr/bin/env bash
#
# sql.sh: what masking through SQL costs, against the floor of reading and
# writing the same rows.  Run by bench.sh inside a throw-away cluster.
#
# Table: SDC_BENCH_ROWS (1,000,000) rows of id, region and four correlated,
# skewed numbers.  Each statement runs three times in sessions of its own; the
# smallest CPU time of the session's backend counts.  The floor statements and
# the mask run alternately, so that a busy machine harms them alike.
# Peak memory is VmHWM of the backend without the shared buffers it touched.

set -euo pipefail

rows=${SDC_BENCH_ROWS:-1000000}

prepare()
{
	psql -Xq -v ON_ERROR_STOP=1 -v rows="$rows" <<-'SQL'
		SET client_min_messages = warning;
		CREATE EXTENSION sdc;
		SELECT setseed(0.5) AS ignored \gset
		CREATE TABLE people AS
		SELECT i AS id, (i * 7919) % 100 AS region,
			   exp(9 + 0.7 * u + 0.3 * a) AS x1, exp(8 + 0.7 * u + 0.3 * b) AS x2,
			   20 + 50 * c AS x3, round((1000 * u * c)::numeric)::float8 AS x4
		FROM (SELECT i::bigint,
					 random() + random() + random() - 1.5 AS u,
					 random() + random() + random() - 1.5 AS a,
					 random() + random() + random() - 1.5 AS b, random() AS c
			  FROM generate_series(1, :rows) AS i) AS r;
		VACUUM ANALYZE people;
		CREATE TABLE updated AS SELECT * FROM people;
		VACUUM ANALYZE updated;
		CHECKPOINT;
	SQL
}

# Runs one statement in a session of its own; prints CPU ticks, wall seconds
# and private peak memory in kB.
session()
{
	psql -XAtq -v ON_ERROR_STOP=1 -v statement="$1" <<-'SQL'
		SET client_min_messages = warning;
		SET sdc.progress_interval = 0;
		SET max_parallel_workers_per_gather = 0;
		SELECT pg_backend_pid() AS pid,
			   extract(epoch FROM clock_timestamp()) AS start \gset
		\o /dev/null
		:statement;
		\o
		SELECT extract(epoch FROM clock_timestamp()) - :start AS wall \gset
		\set ticks `awk '{ sub(/.*\) /, ""); print $12 + $13 }' /proc/:pid/stat`
		\set peak `awk '/^(VmHWM|RssShmem)/ { m[$1] = $2 } END { print m["VmHWM:"] - m["RssShmem:"] }' /proc/:pid/status`
		\echo :ticks :wall :peak
	SQL
}

swapped="CREATE TABLE made AS SELECT id, region,
	 sdc.rank_swap(x1, 5, seed => 1) OVER () AS x1,
	 sdc.rank_swap(x2, 5, seed => 2) OVER () AS x2,
	 sdc.rank_swap(x3, 5, seed => 3) OVER () AS x3,
	 sdc.rank_swap(x4, 5, seed => 4) OVER () AS x4 FROM people"

names=("sequential scan with sums" "create table as" "update"
	"create table as + 4 rank_swap" "the same with work_mem 256MB")
statements=(
	"SELECT sum(x1), sum(x2), sum(x3), sum(x4) FROM people"
	"CREATE TABLE made AS SELECT * FROM people"
	"UPDATE updated SET x1 = x1 + 1, x2 = x2 + 1, x3 = x3 + 1, x4 = x4 + 1"
	"$swapped"
	"SET work_mem = '256MB'; $swapped"
)
columns=(4 6 4 4 4)
best=()
wall=()
peak=()

prepare
hertz=$(getconf CLK_TCK)
for round in 1 2 3; do
	for i in "${!statements[@]}"; do
		read -r t w p <<<"$(session "${statements[i]}")"
		if [ -z "${best[i]:-}" ] || [ "$t" -lt "${best[i]}" ]; then
			best[i]=$t
			wall[i]=$w
		fi
		if [ -z "${peak[i]:-}" ] || [ "$p" -gt "${peak[i]}" ]; then
			peak[i]=$p
		fi
		psql -Xqc "DROP TABLE IF EXISTS made" -c "VACUUM updated" \
			-c "CHECKPOINT" 2>/dev/null
	done
done
for i in "${!statements[@]}"; do
	awk -v name="${names[i]}" -v rows="$rows" -v columns="${columns[i]}" \
		-v ticks="${best[i]}" -v floor="${best[1]}" -v wall="${wall[i]}" \
		-v peak="${peak[i]}" -v hertz="$hertz" 'BEGIN {
			printf "bench,sql,%s,%d,%d,%.2f,%d,%.2f s elapsed; %.2f x create table as\n",
				name, rows, columns, ticks / hertz, peak / 1024, wall, ticks / floor
		}'
done
