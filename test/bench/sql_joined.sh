#!/usr/bin/env bash
#
# sql_joined.sh: a policy over related tables, attacked on their join.  Run by
# bench.sh inside a throw-away cluster.
#
# SDC_BENCH_ROWS (100,000) persons, with 4 orders and 5 tickets each: ten rows
# a person.  First as it is but for the names, which the gate must refuse
# though hardly anybody is found table by table; then with coarse values,
# which must pass; orphans= is how many rows then lead to nobody.  CPU seconds
# of the backend without parallel workers.

set -euo pipefail

rows=${SDC_BENCH_ROWS:-100000}
hertz=$(getconf CLK_TCK)

sql()
{
	psql -XAtqF , -v ON_ERROR_STOP=1 "$@"
}

# Releases; prints what was found, and the CPU seconds of the backend.
release()
{
	local ticks

	ticks=$(psql -XAtq 2>/dev/null <<-'SQL'
		SET client_min_messages = error;
		SET sdc.progress_interval = 0;
		SET max_parallel_workers = 0;
		SELECT pg_backend_pid() AS pid \gset
		CALL sdc.release('shop');
		\echo `awk '{ sub(/.*\) /, ""); print $12 + $13 }' /proc/:pid/stat`
	SQL
	)
	awk -v what="$1" -v t="$ticks" -v h="$hertz" -v rows="$rows" 'BEGIN {
		printf "bench,joined,%s,%d,,%.1f,,\n", what, rows, t / h }'
	sql -c "SELECT status, substring(d ->> 'detail' FROM 'Found by table.*')
		FROM (SELECT * FROM sdc.releases('shop') ORDER BY release DESC LIMIT 1) AS r
		LEFT JOIN LATERAL (SELECT g AS d FROM jsonb_array_elements(measures) AS t,
			jsonb_array_elements(t -> 'gate') AS g
			WHERE g ->> 'requirement' ~ 'joined' LIMIT 1) AS x ON true"
}

sql -v rows="$rows" -o /dev/null <<-'SQL'
	CREATE EXTENSION sdc;
	CREATE SCHEMA shop;
	CREATE SCHEMA given;
	CREATE FUNCTION pick(c int, n int, top int) RETURNS int LANGUAGE sql IMMUTABLE AS
	$$ SELECT (hashint8(c::int8 * 7919 + n) & 16777215) % top $$;
	CREATE TABLE shop.customer (customer_id bigint PRIMARY KEY, born int);
	CREATE TABLE shop.orders (order_id bigint PRIMARY KEY,
		customer_id bigint NOT NULL REFERENCES shop.customer, month int);
	CREATE TABLE shop.ticket (ticket_id bigint PRIMARY KEY,
		customer_id bigint NOT NULL REFERENCES shop.customer, concert int);
	INSERT INTO shop.customer SELECT c, 1950 + pick(c, 0, 30) FROM generate_series(1, :rows) AS c;
	INSERT INTO shop.orders SELECT c * 10 + n, c, pick(c, n, 24)
	FROM generate_series(1, :rows) AS c, generate_series(1, 4) AS n;
	INSERT INTO shop.ticket SELECT c * 10 + n, c, pick(c, n + 4, 18)
	FROM generate_series(1, :rows) AS c, generate_series(1, 5) AS n;
	ANALYZE;
	SELECT sdc.declare('shop.customer', id => 'customer_id', keys => '{born}');
	SELECT sdc.declare('shop.orders', id => 'order_id', person => 'customer_id', keys => '{month}');
	SELECT sdc.declare('shop.ticket', id => 'ticket_id', person => 'customer_id', keys => '{concert}');
	CREATE FUNCTION policy(step int) RETURNS void LANGUAGE sql AS $$
	SELECT sdc.create_policy('shop', 'shop.' || t, jsonb_build_object(
		'customer_id', '{"method": "pseudonym", "format": "digits", "domain": "shop"}'::jsonb,
		c, jsonb_build_object('method', 'round_to', 'base', step)),
		'[{"attack": "exact", "<=": 0.1}]', '{"schema": "given", "attacks": ["exact"]}')
	FROM (VALUES ('customer', 'born'), ('orders', 'month'), ('ticket', 'concert')) AS x (t, c) $$;
SQL
for step in ${SDC_BENCH_STEPS:-1 12}; do
	sql -o /dev/null -c "SELECT policy($step)"
	release "rounded to $step"
done
sql -c "SELECT 'orphans', (SELECT count(*) FROM given.orders AS o LEFT JOIN given.customer AS c
	USING (customer_id) WHERE c.born IS NULL), (SELECT count(*) FROM given.ticket AS o
	LEFT JOIN given.customer AS c USING (customer_id) WHERE c.born IS NULL)"
