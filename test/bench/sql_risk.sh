#!/usr/bin/env bash
#
# sql_risk.sh: what reports of risk cost, against a bare GROUP BY of the same
# columns.  Run by bench.sh inside a throw-away cluster.
#
# Tables: SDC_BENCH_ROWS (1,000,000) rows of five quasi-identifiers, one
# sensitive column and a weight.  In "many" the columns are independent, so
# that a quarter of the records are classes of their own; "few" has the classes
# of a census that rounds; "holes" is "few" with 5 % NULLs in each key.

set -euo pipefail

. "$(dirname "${BASH_SOURCE[0]}")/statements.sh"

prepare()
{
	psql -Xq -v ON_ERROR_STOP=1 -v rows="$rows" <<-'SQL'
		SET client_min_messages = warning;
		CREATE EXTENSION sdc;
		SELECT setseed(0.5) AS ignored \gset
		CREATE TABLE many AS
		SELECT i AS id, (17 + floor(74 * random() * random()))::int AS age,
			   (random() < 0.5)::int AS sex,
			   floor(16 * random() * random())::int AS education,
			   'm' || floor(7 * random()) AS marital,
			   floor(41 * power(random(), 4))::int AS country,
			   'o' || floor(14 * random()) AS occupation,
			   1 + 100 * random() AS weight, i / 3 AS household
		FROM generate_series(1, :rows) AS i;
		CREATE TABLE few AS
		SELECT id, age / 10 AS age, sex, education / 4 AS education, marital,
			   country / 8 AS country, occupation, weight, household FROM many;
		CREATE TABLE holes AS
		SELECT id, CASE WHEN random() > 0.05 THEN age END AS age,
			   CASE WHEN random() > 0.05 THEN sex END AS sex,
			   CASE WHEN random() > 0.05 THEN education END AS education,
			   CASE WHEN random() > 0.05 THEN marital END AS marital,
			   CASE WHEN random() > 0.05 THEN country END AS country,
			   occupation, weight FROM few;
		VACUUM ANALYZE many;
		VACUUM ANALYZE few;
		VACUUM ANALYZE holes;
		CHECKPOINT;
	SQL
}

keys="{age,sex,education,marital,country}"

group_by()
{
	echo "SELECT count(*) FROM (SELECT age, sex, education, marital, country,
		occupation, count(*) FROM $1 GROUP BY 1, 2, 3, 4, 5, 6) AS g"
}

for table in few many; do
	floor=${#statements[@]}
	add "group by of $table" 6 "$floor" "$(group_by $table)"
	add "risk_report with l and t of $table" 6 "$floor" \
		"SELECT * FROM sdc.risk_report('$table', '$keys', '{occupation}')"
	add "the same by groups of $table" 6 "$floor" \
		"SET sdc.count_with = groups;
		 SELECT * FROM sdc.risk_report('$table', '$keys', '{occupation}')"
	add "risk_records with household of $table" 7 "$floor" \
		"SELECT * FROM sdc.risk_records('$table', 'id', '$keys', household => 'household',
			weight => 'weight')"
	add "k_anonymity as aggregate of $table" 5 "$floor" \
		"SELECT sdc.k_anonymity(ROW(age, sex, education, marital, country))
		 FROM $table"
done
floor=${#statements[@]}
add "group by with 5 % NULLs" 6 "$floor" "$(group_by holes)"
add "risk_report with NULLs as values" 5 "$floor" \
	"SELECT * FROM sdc.risk_report('holes', '$keys')"
add "risk_report with NULLs as wildcards" 5 "$floor" \
	"SELECT * FROM sdc.risk_report('holes', '$keys',
		params => '{\"nulls\": \"wildcard\"}')"

prepare
measure risk ""
