#!/usr/bin/env bash
#
# sql_tables.sh: tables of cells through SQL.  Run by bench.sh inside a
# throw-away cluster.
#
# Firms: SDC_BENCH_ROWS (1,000,000) skewed records with a respondent, by three
# keys with groups: 97,196 cells, of counts and of sums, protected by the
# heuristic with the audit.  Grid: as many cells as records, rounded and with
# noise by cell keys.  Last, rows are released beside a table of 1,890 cells of
# the same relation: what they tell of it is found by counting them, the floor
# is the same release with the table left out ("apart").

set -euo pipefail

. "$(dirname "${BASH_SOURCE[0]}")/statements.sh"

prepare()
{
	psql -Xq -o /dev/null -v ON_ERROR_STOP=1 -v rows="$rows" <<-'SQL'
		SET client_min_messages = warning;
		CREATE EXTENSION sdc;
		SELECT setseed(0.5) AS ignored \gset
		CREATE TABLE firms AS
		SELECT i AS id, i * 3 / 4 AS firm, 'a' || (41 * power(random(), 3))::int % 41 AS a,
			   'b' || (44 * power(random(), 3))::int % 44 AS b,
			   'c' || (44 * power(random(), 3))::int % 44 AS c,
			   (1 + 40 * random())::int AS turnover
		FROM generate_series(1, :rows) AS i;
		SELECT sdc.create_hierarchy(k, 'table', (SELECT jsonb_build_object('rows',
			jsonb_agg(jsonb_build_array(k || i, 'group ' || i % 2))) FROM generate_series(0, n - 1) AS i))
		FROM (VALUES ('a', 41), ('b', 44), ('c', 44)) AS k(k, n);
		CREATE TABLE grid AS
		SELECT i AS id, i / 1000 % 1000 AS x, i % 1000 AS y FROM generate_series(1, :rows) AS i;
		CREATE TABLE staff AS SELECT id, a, b, turnover FROM firms;
		SELECT sdc.declare('staff', id => 'id', keys => '{a,b}', sensitive => '{turnover}');
		CREATE SCHEMA open;
		SELECT sdc.create_policy('cells', 'staff', '{}', '[{"table": "exact", "<=": 1000000}]',
			'{"schema": "open", "table": "cells", "protect": {"keys": ["a", "b"], "rules": {"threshold": 100}}}');
		SELECT sdc.create_policy('alone', 'staff', '{"turnover": {"method": "round_to", "base": 10}}',
			'[{"measure": "k_anonymity", ">=": 1}]', '{"schema": "open", "table": "alone", "attacks": [], "apart": ["cells"]}');
		SELECT sdc.create_policy('beside', 'staff', '{"turnover": {"method": "round_to", "base": 10}}',
			'[{"measure": "k_anonymity", ">=": 1}]', '{"schema": "open", "table": "beside", "attacks": []}');
		VACUUM ANALYZE;
		CALL sdc.release('cells');
	SQL
}

cells()
{
	echo "SELECT * FROM sdc.protect_table('firms', 'made', '$1', '{a,b,c}', $2, '{\"effort\": 0,
		\"hierarchies\": {\"a\": \"a\", \"b\": \"b\", \"c\": \"c\"}, \"respondent\": \"$3\"}')"
}

grid()
{
	echo "SELECT * FROM sdc.protect_table('grid', 'made', keys => '{x,y}', params => '{$1}')"
}

add "count by 3 keys" 3 0 "SELECT a, b, c, count(*), sum(turnover) FROM firms GROUP BY CUBE (a, b, c)"
add "protect_table counts heuristic" 3 0 "$(cells '{"threshold": 3}' NULL id)"
add "protect_table sums heuristic" 3 0 "$(cells '{"p_percent": 20}' "'turnover'" firm)"
add "protect_table round" 2 0 "$(grid '"method": "round", "effort": 0')"
add "protect_table cell_key" 2 0 "$(grid '"method": "cell_key", "domain": "bench", "respondent": "id"')"
add "release of rows" 2 5 "CALL sdc.release('alone')"
add "release of rows beside cells" 2 5 "CALL sdc.release('beside')"

prepare
measure tables "DROP TABLE IF EXISTS made"
