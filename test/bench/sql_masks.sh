#!/usr/bin/env bash
#
# sql_masks.sh: what masking through SQL costs, against the floor of reading
# and writing the same rows.  Run by bench.sh inside a throw-away cluster.
#
# Table: SDC_BENCH_ROWS (1,000,000) rows of id, region and four correlated,
# skewed numbers.

set -euo pipefail

. "$(dirname "${BASH_SOURCE[0]}")/statements.sh"

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

swapped="CREATE TABLE made AS SELECT id, region,
	 sdc.rank_swap(x1, 5, seed => 1) OVER () AS x1,
	 sdc.rank_swap(x2, 5, seed => 2) OVER () AS x2,
	 sdc.rank_swap(x3, 5, seed => 3) OVER () AS x3,
	 sdc.rank_swap(x4, 5, seed => 4) OVER () AS x4 FROM people"

add "create table as" 6 0 "CREATE TABLE made AS SELECT * FROM people"
add "sequential scan with sums" 4 0 \
	"SELECT sum(x1), sum(x2), sum(x3), sum(x4) FROM people"
add "update" 4 0 \
	"UPDATE updated SET x1 = x1 + 1, x2 = x2 + 1, x3 = x3 + 1, x4 = x4 + 1"
add "create table as + 4 rank_swap" 4 0 "$swapped"
add "the same with work_mem 256MB" 4 0 "SET work_mem = '256MB'; $swapped"

prepare
measure masks "DROP TABLE IF EXISTS made"
