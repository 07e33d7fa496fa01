#!/usr/bin/env bash
#
# sql_utility.sh: what measures of utility cost, against one scan of both
# tables that reads all their columns.  Run by bench.sh inside a throw-away
# cluster.
#
# Tables: SDC_BENCH_ROWS (1,000,000) rows of an id and ten columns, six numbers
# and four categories, and their masked copy with noise, changed categories and
# a suppressed value in a hundred.

set -euo pipefail

. "$(dirname "${BASH_SOURCE[0]}")/statements.sh"

prepare()
{
	psql -Xq -v ON_ERROR_STOP=1 -v rows="$rows" <<-'SQL'
		SET client_min_messages = warning;
		CREATE EXTENSION sdc;
		SELECT setseed(0.5) AS ignored \gset
		CREATE TABLE original AS
		SELECT i AS id, (17 + floor(74 * random() * random()))::int AS age,
			   exp(7 + 2 * random()) AS income, 1e5 * random() AS wealth,
			   random() + random() AS score, floor(60 * random())::int AS hours,
			   exp(5 * random()) AS tax, 'm' || floor(7 * random()) AS marital,
			   'o' || floor(14 * random()) AS occupation,
			   'c' || floor(41 * power(random(), 4)) AS country,
			   random() < 0.5 AS sex
		FROM generate_series(1, :rows) AS i;
		CREATE TABLE masked AS
		SELECT id, age + floor(3 * random())::int AS age,
			   income * (0.95 + 0.1 * random()) AS income,
			   wealth + 1e3 * random() AS wealth, score, hours,
			   CASE WHEN random() > 0.01 THEN tax END AS tax,
			   CASE WHEN random() > 0.05 THEN marital ELSE 'm0' END AS marital,
			   CASE WHEN random() > 0.01 THEN occupation END AS occupation,
			   country, sex
		FROM original ORDER BY random();
		VACUUM ANALYZE original;
		VACUUM ANALYZE masked;
		CHECKPOINT;
	SQL
}

scan()
{
	echo "SELECT count(age), sum(income), sum(wealth), sum(score), sum(hours),
		sum(tax), count(marital), count(occupation), count(country),
		count(sex), count(id) FROM $1"
}

report()
{
	echo "SELECT * FROM sdc.utility_report('original', 'masked', $1)"
}

add "one scan of both" 10 0 "$(scan original); $(scan masked)"
add "utility_report" 10 0 "$(report "'id'")"
add "utility_report without id" 10 0 \
	"$(report "columns => '{age,income,wealth,score,hours,tax,marital,
		occupation,country,sex}'")"
add "il1s il_variables sse_sst" 10 0 \
	"$(report "'id', measures => '{il1s,il_variables,sse_sst}'")"
add "moments eigen il_correl" 10 0 \
	"$(report "'id', measures => '{mean,variance,covariance,correlation,
		eigen,il_correl}'")"
add "tables of up to three" 10 0 "$(report "'id', measures => '{tables}'")"
add "pmse" 10 0 "$(report "'id', measures => '{pmse}'")"
add "ncp loss entropy ambiguity" 10 0 \
	"$(report "'id', measures => '{ncp,loss,entropy,ambiguity}'")"
add "table_distance of three" 3 0 \
	"SELECT sdc.table_distance('original', 'masked', '{age,marital,country}')"

prepare
measure utility ""
