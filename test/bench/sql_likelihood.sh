#!/usr/bin/env bash
#
# sql_likelihood.sh: the intruder who knows the rules: what he finds beside
# the other attacks on every mask of the registry, whether what he says is
# right, and what he costs.  Run by bench.sh inside a throw-away cluster.
#
# SDC_BENCH_SEEDS (20) tables of 200 rows are masked in every way of
# test/data/masks_attacked.sql.  Lines: mask, records, found by likelihood, the
# best of the others, what that finds, how much more likelihood finds and the
# half width of the interval of it (95 percent, from the differences of the
# tables), "less" where it finds less beyond chance.  The best of the others is
# chosen after the fact, so ties look a little worse than they are.  Then the
# bands, of 200 links or more, in which what is said and what is right differ
# by more than .05.  Speed is that of SDC_BENCH_ROWS (100,000) rows of four
# correlated columns, in SDC_BENCH_ROUNDS (1; 0: not measured);
# SDC_BENCH_WORKERS=1 tells what workers save.

set -euo pipefail

. "$(dirname "${BASH_SOURCE[0]}")/statements.sh"

rows=${SDC_BENCH_ROWS:-100000}
seeds=${SDC_BENCH_SEEDS:-20}
data=$(cd "$(dirname "${BASH_SOURCE[0]}")/../data" && pwd)

psql -XAtqF , -v ON_ERROR_STOP=1 -v seeds="$seeds" -v data="$data" <<-'SQL'
	SET client_min_messages = warning;
	CREATE EXTENSION sdc;
	\set file :data '/masks_attacked.sql'
	\i :file
	SELECT count(attack_masks(seed, 200, '{distance,mahalanobis,learned,probabilistic,transparency,likelihood}'))
	FROM generate_series(1, :seeds) AS seed \g /dev/null
	SELECT 'masks', name, records, round(found), other,
		   round(other_found), round(more), '+-' || round(noise), CASE WHEN less THEN 'less' ELSE 'ok' END
	FROM attacks_compared JOIN attacks_differences USING (name) ORDER BY name;
	SELECT 'band', name, band, links, round(said::numeric, 3), round(is_right::numeric, 3)
	FROM bands WHERE links >= 200 AND abs(said - is_right) > 0.05 ORDER BY name, band;
SQL

prepare()
{
	psql -Xq -v ON_ERROR_STOP=1 -v rows="$rows" <<-'SQL'
		SET client_min_messages = warning;
		CREATE TABLE wide AS
		SELECT i AS id, exp(c + draw(1, i, 1) + draw(1, i, 2)) AS a,
			   exp(c + draw(1, i, 3) + draw(1, i, 4)) AS b,
			   exp(c + draw(1, i, 5) + draw(1, i, 6)) AS c,
			   exp(c + draw(1, i, 7) + draw(1, i, 8)) AS d
		FROM (SELECT i, draw(1, i, 9) + draw(1, i, 10) AS c
			  FROM generate_series(1, :rows) AS i) AS x;
		SELECT sdc.declare('wide', id => 'id', keys => '{a,b,c,d}');
		CREATE TABLE rules AS
		SELECT p, jsonb_object_agg(k, jsonb_build_object('method', 'rank_swap', 'p', p)) AS rules
		FROM unnest('{1,5}'::int[]) AS p, unnest('{a,b,c,d}'::text[]) AS k GROUP BY p;
		SELECT sdc.mask('wide', rules, target => 'wide_' || p, seed => 7) FROM rules;
		CREATE SCHEMA published;
		SELECT sdc.create_policy('wide', 'wide', rules, '[{"attack": "worst", "<=": 1}]',
			'{"schema": "published"}') FROM rules WHERE p = 5;
	SQL
}

for p in 1 5; do
	add "attack_likelihood p=$p" 4 0 \
		"SELECT count(*) FILTER (WHERE correct) FROM rules, sdc.attack_likelihood(
			'wide', ('wide_' || p)::regclass, rules, 'id', '{a,b,c,d}', seed => 1)
		 WHERE p = $p"
done
add "attack_probabilistic p=5" 4 0 \
	"SELECT count(*) FROM sdc.attack_probabilistic('wide', 'wide_5', 'id', '{a,b,c,d}')"
add "release by default p=5" 4 0 "CALL sdc.release('wide')"

if [ "${SDC_BENCH_ROUNDS:-1}" = 0 ]; then
	exit
fi
prepare >/dev/null
SDC_BENCH_ROUNDS=${SDC_BENCH_ROUNDS:-1} measure likelihood ""
