#!/usr/bin/env bash
#
# sql_dp.sh: what figures under differential privacy cost, against the exact
# ones.  Run by bench.sh inside a throw-away cluster.
#
# One table of SDC_BENCH_ROWS (1,000,000) rows with a float8 and a bigint
# column.  Single noise for each row is compared with count(*).
#
# Then what strangers ask: a data set with units of 20 rows against the same
# aggregates of the owner, and charges per second by 1 and 8 clients on a table
# of one row, against UPDATE of a counter in a table, once without and once
# with fsync (the latter only shows the disk).  SDC_BENCH_SECONDS (5) each.

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

psql -Xq -v ON_ERROR_STOP=1 -v rows="$rows" >/dev/null <<-'SQL'
	SET client_min_messages = warning;
	ALTER TABLE people ADD id bigint GENERATED ALWAYS AS IDENTITY,
		ADD person bigint, ADD region text;
	UPDATE people SET person = id * 7919 % (:rows / 20),
		region = (ARRAY['north', 'south', 'east', 'west'])[id % 4 + 1];
	VACUUM FULL ANALYZE people;
	SELECT sdc.create_dataset('rows', 'people', epsilon => 1e9);
	SELECT sdc.create_dataset('persons', 'people', 'person',
		max_groups => 4, max_rows => 5, epsilon => 1e9, anew => true);
	SELECT sdc.describe_column(d, 'x', 0, 1000000),
		sdc.describe_column(d, 'region', categories => '{north,south,east,west}'),
		sdc.grant_budget(d, current_user::regrole, 1e9)
	FROM unnest(ARRAY['rows', 'persons']) AS d;
	CREATE TABLE one AS SELECT 1 AS id;
	SELECT sdc.create_dataset('one', 'one', epsilon => 1e9);
	SELECT sdc.grant_budget('one', current_user::regrole, 1e9);
	CREATE TABLE counter AS SELECT 0::bigint AS spent;
SQL

floor=${#statements[@]}
add "count(*)" 1 "$floor" "SELECT count(*) FROM people"
add "request: count of rows" 1 "$floor" "SELECT value FROM sdc.dp_query('rows', '{count}', 1)"
add "request: count of units" 1 "$floor" "SELECT value FROM sdc.dp_query('persons', '{count}', 1)"
add "request: count of rows, n <" 1 "$floor" \
	"SELECT value FROM sdc.dp_query('rows', '{count}', 1, predicate => 'n < 500000')"
add "request: count of rows, three comparisons" 1 "$floor" \
	"SELECT value FROM sdc.dp_query('rows', '{count}', 1, predicate => 'n < 500000 AND x > 3 AND region = ''north''')"
add "request: count of units, n <" 1 "$floor" \
	"SELECT value FROM sdc.dp_query('persons', '{count}', 1, predicate => 'n < 500000')"
floor=${#statements[@]}
add "sum(x)" 1 "$floor" "SELECT sum(x) FROM people"
add "request: sum of rows, n <" 1 "$floor" \
	"SELECT value FROM sdc.dp_query('rows', '{sum(x)}', 1, predicate => 'n < 500000')"
add "request: sum of units" 1 "$floor" \
	"SELECT value FROM sdc.dp_query('persons', '{sum(x)}', 1)"
add "request: sum of units, n <" 1 "$floor" \
	"SELECT value FROM sdc.dp_query('persons', '{sum(x)}', 1, predicate => 'n < 500000')"
floor=${#statements[@]}
add "group by region" 2 "$floor" \
	"SELECT region, count(*), sum(x) FROM people GROUP BY region"
add "request: rows by region" 2 "$floor" \
	"SELECT * FROM sdc.dp_query('rows', '{count,sum(x)}', 1, '{region}')"
add "request: units by region" 2 "$floor" \
	"SELECT * FROM sdc.dp_query('persons', '{count,sum(x)}', 1, '{region}')"
measure dp ""

# rate CLIENTS STATEMENT: transactions per second.
rate()
{
	echo "$2" >"$SDC_TEMPORARY/script.sql"
	pgbench -n -c "$1" -j 2 -T "${SDC_BENCH_SECONDS:-5}" \
		-f "$SDC_TEMPORARY/script.sql" 2>/dev/null |
		sed -n 's/^tps = \([0-9]*\).*without.*/\1/p'
}

# charges SYNC: with that setting of fsync and synchronous_commit.
charges()
{
	local clients update request

	psql -Xqc "ALTER SYSTEM SET fsync = $1" \
		-c "ALTER SYSTEM SET synchronous_commit = $1" \
		-c "SELECT pg_reload_conf()" >/dev/null
	sleep 1
	for clients in 1 8; do
		update=$(rate "$clients" "UPDATE counter SET spent = spent + 1;")
		request=$(rate "$clients" "SELECT value FROM sdc.dp_query('one', '{count}', 0.001);")
		awk -v sync="$1" -v clients="$clients" -v update="$update" \
			-v request="$request" 'BEGIN {
				printf "bench,dp,charges by %d clients; fsync %s,1,1,%.6f,0,", \
					clients, sync, 1 / request
				printf "%d requests a second; %.2f x the %d of UPDATE\n", \
					request, request / update, update
			}'
	done
}

charges off
charges on
