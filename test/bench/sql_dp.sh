#!/usr/bin/env bash
#
# sql_dp.sh: what figures under differential privacy cost, against the exact
# ones.  Run by bench.sh inside a throw-away cluster.
#
# One table of SDC_BENCH_ROWS (1,000,000) rows with a float8 and a bigint
# column.  Single noise for each row is compared with count(*).

set -euo pipefail

. "$(dirname "${BASH_SOURCE[0]}")/statements.sh"

psql -Xq -v ON_ERROR_STOP=1 -v rows="$rows" <<-'SQL'
	SET client_min_messages = warning;
	CREATE EXTENSION sdc;
	SELECT setseed(0.5) AS ignored \gset
	CREATE TABLE people AS
	SELECT 1e6 * random() AS x, (1e6 * random())::bigint AS n
	FROM generate_series(1, :rows) AS i;
	VACUUM ANALYZE people;
	CHECKPOINT;
SQL

# pair NAME EXACT PRIVATE: the exact figure, then the private one against it.
pair()
{
	local floor=${#statements[@]}

	add "exact $1" 1 "$floor" "SELECT $2 FROM people"
	add "private $1" 1 "$floor" "SELECT $3 FROM people"
}

pair "count" "count(*)" "sdc.dp_count(1)"
pair "sum of bigint" "sum(n)" "sdc.dp_sum(n, 0, 1000000, 1)"
pair "sum of float8" "sum(x)" "sdc.dp_sum(x, 0, 1000000, 1)"
pair "mean" "avg(x)" "sdc.dp_avg(x, 0, 1000000, 1)"
pair "deviation" "stddev_pop(x)" "sdc.dp_stddev(x, 0, 1000000, 1)"
pair "median" "percentile_disc(0.5) WITHIN GROUP (ORDER BY x)" \
	"sdc.dp_median(x, 0, 1000000, 1)"
add "laplace of each bigint" 1 0 "SELECT count(sdc.laplace(n, 1, 1)) FROM people"
add "laplace of each float8" 1 0 "SELECT count(sdc.laplace(x, 1, 1)) FROM people"
add "gaussian of each float8" 1 0 \
	"SELECT count(sdc.gaussian(x, 1, 0.5)) FROM people"
measure dp ""
