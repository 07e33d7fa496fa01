#!/usr/bin/env bash
#
# sql_transactions.sh: what the attack by sets of items and the protection
# against it cost, against a scan of the purchases; and what they do on the
# data of the PWSCUP contest.  Run by bench.sh inside a throw-away cluster.
#
# Tables: SDC_BENCH_CUSTOMERS (100,000) customers with 20 purchases each on
# average, of 20,000 items whose popularity falls as in a shop; "masked" has
# new ids and, in place of three rows of ten, other items.  The contest's 400
# customers are read from SDC_PWSCUP (../shared/data/pwscup400), and left out
# with a message when they are not there.

set -euo pipefail

. "$(dirname "${BASH_SOURCE[0]}")/statements.sh"

customers=${SDC_BENCH_CUSTOMERS:-100000}
pwscup=${SDC_PWSCUP:-$(dirname "${BASH_SOURCE[0]}")/../../../shared/data/pwscup400}
[ -d "$pwscup" ] || pwscup=${SDC_SHARED:-/work/shared}/data/pwscup400

prepare()
{
	psql -Xq -v ON_ERROR_STOP=1 -v customers="$customers" <<-'SQL'
		SET client_min_messages = warning;
		CREATE EXTENSION sdc;
		SELECT setseed(0.5) AS ignored \gset
		CREATE TABLE bought AS
		SELECT c AS customer, date '2024-01-01' + floor(365 * random())::int AS at,
			   floor(20000 * power(random(), 3))::int AS item,
			   round((1 + 20 * random())::numeric, 2) AS price,
			   1 + floor(5 * random())::int AS quantity
		FROM generate_series(1, :customers) AS c,
			 LATERAL generate_series(1, 1 + floor(39 * random() + 0 * c)::int) AS n;
		CREATE TABLE masked AS
		SELECT 'p' || customer AS customer, at,
			   CASE WHEN random() < 0.3 THEN floor(20000 * power(random(), 3))::int
					ELSE item END AS item, price, quantity FROM bought;
		CREATE TABLE who AS
		SELECT DISTINCT 'p' || customer AS masked, customer AS original FROM bought;
		VACUUM ANALYZE bought;
		VACUUM ANALYZE masked;
		VACUUM ANALYZE who;
		CHECKPOINT;
	SQL
	rows=$(psql -XAtc 'SELECT count(*) FROM bought')
}

# The contest: before and after, each figure in a line.
contest()
{
	if [ ! -r "$pwscup/transactions.csv" ]; then
		echo "no data of the contest in $pwscup: left out"
		return
	fi
	(cd "$pwscup" && psql -Xq -v ON_ERROR_STOP=1 <<-'SQL'
		SET client_min_messages = warning;
		CREATE TABLE m (customer text, gender text, birth date, nation text);
		\copy m FROM 'customers.csv' CSV
		CREATE TABLE t (customer text, invoice text, at date, clock text, item text, price numeric, quantity int);
		\copy t FROM 'transactions.csv' CSV
		CREATE TABLE same AS SELECT customer AS masked, customer AS original FROM m;
		\pset format unaligned
		\pset footer off
		\pset fieldsep ' '
		SELECT 'contest: found unmasked, of 400', (sdc.reid(l)).reid_d * 400
		FROM sdc.attack_itemset('t', 't', 'same') AS l \g (tuples_only=on)
		SELECT 'contest: clusters at ut-jaccard 0.7 alone',
			value
		FROM sdc.anonymize_itemsets('t', seed => 1)
		WHERE measure = 'clusters' \g (tuples_only=on)
		SELECT 'contest: clusters with all bounds (mean price 0.1, turnover 100, classes 0.05)',
			value
		FROM sdc.anonymize_itemsets('t', target => 't_x', params => '{"mean_price_error": 0.1, "turnover_error": 100,
				"customer_class_difference": 0.05, "master": "m", "columns": ["gender", "nation"],
				"link_target": "truth"}', seed => 1)
		WHERE measure = 'clusters' \g (tuples_only=on)
		CREATE VIEW m_x AS
		SELECT masked AS customer, gender, nation FROM truth JOIN m ON customer = original;
		SELECT 'contest: found, of 400', method, (sdc.reid(l)).reid_d * 400
		FROM (VALUES ('jaccard'), ('containment'), ('tfidf')) AS x(method),
			LATERAL sdc.attack_itemset('t', 't_x', 'truth', method) AS l
		GROUP BY method \g (tuples_only=on)
		SELECT 'contest: protected through every channel, ' || measure, value, detail
		FROM sdc.anonymize_itemsets('t', target => 't_y', params => '{"found": 0.25,
				"item_turnover_error": 0.25, "turnover_error": 50000, "link_target": "truth_y"}', seed => 1)
		WHERE measure IS NOT NULL \g (tuples_only=on)
		SELECT 'contest: histories drawn by classes, ' || measure, value, detail
		FROM sdc.anonymize_itemsets('t', target => 't_z', params => '{"found": 0.25, "days": "drawn",
				"amounts": "drawn", "mean_price_error": 0.1, "turnover_error": 50000,
				"customer_class_difference": 0.05, "item_turnover_error": 0.3, "master": "m",
				"columns": ["gender", "nation"], "link_target": "truth_z"}', seed => 1)
		WHERE measure IS NOT NULL \g (tuples_only=on)
		SELECT 'contest: share of the turnover on other items', masked, round(sum(abs(coalesce(a.x, 0) - coalesce(b.x, 0)))
				/ 2 / sum(coalesce(a.x, 0)), 4)
		FROM (SELECT item, sum(price * quantity) AS x FROM t GROUP BY 1) AS a
		CROSS JOIN unnest('{t_x,t_y,t_z}'::text[]) AS n(masked)
		LEFT JOIN (SELECT 't_x' AS masked, item, sum(price * quantity) AS x FROM t_x GROUP BY 2
			UNION ALL SELECT 't_y', item, sum(price * quantity) FROM t_y GROUP BY 2
			UNION ALL SELECT 't_z', item, sum(price * quantity) FROM t_z GROUP BY 2) AS b USING (masked, item)
		GROUP BY masked \g (tuples_only=on)
		CREATE VIEW m_z AS
		SELECT masked AS customer, gender, nation FROM truth_z JOIN m ON customer = original;
		CREATE VIEW priced AS
		SELECT l.original, l.masked, s.s, s.p, o.p AS known, count(*) OVER (PARTITION BY s.s) AS n,
			count(*) OVER (PARTITION BY gender, nation) AS cell
		FROM truth_z AS l JOIN m ON m.customer = l.original
		JOIN (SELECT customer, array_agg(DISTINCT item) AS s, sum(price * quantity) / sum(quantity) AS p
			  FROM t_z GROUP BY 1) AS s ON s.customer = l.masked
		JOIN (SELECT customer, sum(price * quantity) / sum(quantity) AS p FROM t GROUP BY 1) AS o
			ON o.customer = l.original;
		SELECT 'contest: nearest mean price within the cluster; alone in gender and nation, of, guessed, right',
			cell = 1, count(*), round(sum(1.0 / n), 1), count(*) FILTER (WHERE masked =
				(SELECT q.masked FROM priced AS q WHERE q.s = r.s ORDER BY abs(q.p - r.known), q.masked LIMIT 1))
		FROM priced AS r GROUP BY 2 \g (tuples_only=on)
		SELECT 'contest: frontier, found and largest share of a bound', candidate, round(risk::numeric, 4),
			round(loss::numeric, 3), dominated, rules, detail
		FROM sdc.frontier_itemsets('t', '[
			{"t": 0.7, "mean_price_error": 0.1, "turnover_error": 100, "customer_class_difference": 0.05,
			 "master": "m", "columns": [["gender", "nation"]]},
			{"t": [0.6, 0.65, 0.7], "found": [0.2, 0.25, 0.3, 0.5]},
			{"t": 0.7, "found": 0.25, "item_turnover_error": 0.25, "turnover_error": 50000},
			{"t": 0.7, "found": 1, "days": ["shifted", "own"], "amounts": ["own", "common"]},
			{"t": 0.7, "found": 1, "days": "common", "amounts": "own"},
			{"t": 0.7, "found": 0.25, "days": "drawn", "amounts": ["drawn", "common"]},
			{"t": 0.7, "found": [0.23, 0.25, 0.3], "days": "drawn", "amounts": "drawn", "mean_price_error": 0.1,
			 "turnover_error": 50000, "customer_class_difference": 0.05, "item_turnover_error": 0.3,
			 "master": "m", "columns": [["gender", "nation"]]},
			{"t": 0.7, "found": 0.5, "days": "drawn", "amounts": "drawn", "mean_price_error": 0.05,
			 "master": "m", "columns": [["gender", "nation"]]}]',
			'{"found": 0.25, "item_set_distance": 0.7, "mean_price_error": 0.1, "turnover_error": 50000,
			  "customer_class_difference": 0.05, "item_turnover_error": 0.3}',
			params => '{"master": "m", "columns": ["gender", "nation"], "repeats": 1}', seed => 1)
		ORDER BY risk \g (tuples_only=on)
		SELECT 'contest: found by events, of 400', masked, variant, (sdc.reid(l)).reid_d * 400
		FROM (VALUES ('t_x', 'truth'), ('t_y', 'truth_y'), ('t_z', 'truth_z')) AS x(masked, link),
			unnest('{all,items,dates,items_dates,items_months,intervals,amounts,turnover,prices,counts}'::text[]) AS v(variant),
			LATERAL sdc.attack_events('t', masked::regclass, link => link::regclass, variant => variant, seed => 1) AS l
		GROUP BY masked, variant ORDER BY masked, variant \g (tuples_only=on)
		SELECT 'contest: found by customer and month, %', masked, variant, (sdc.reid(l)).reid_d * 100
		FROM (VALUES ('t_x', 'truth'), ('t_y', 'truth_y'), ('t_z', 'truth_z')) AS x(masked, link),
			unnest('{s1,s2,s3,s4,s5,s6}'::text[]) AS v(variant),
			LATERAL sdc.attack_events('t', masked::regclass, link => link::regclass, variant => variant, seed => 1) AS l
		GROUP BY masked, variant ORDER BY masked, variant \g (tuples_only=on)
		SELECT 'contest: ut-jaccard, cmae, subset, rfm before',
			sdc.item_set_distance('t', 't', 'same'), sdc.mean_price_error('t', 't', 'm', 'm', '{gender,nation}'),
			sdc.turnover_error('t', 't', 'same'), sdc.customer_class_difference('t', 't') \g (tuples_only=on)
		SELECT 'contest: ut-jaccard, cmae, subset, rfm after',
			sdc.item_set_distance('t', 't_x', 'truth'), sdc.mean_price_error('t', 't_x', 'm', 'm_x', '{gender,nation}'),
			sdc.turnover_error('t', 't_x', 'truth'), sdc.customer_class_difference('t', 't_x') \g (tuples_only=on)
		SELECT 'contest: rows, turnover, pieces', count(*), sum(price * quantity), sum(quantity)
		FROM t \g (tuples_only=on)
		SELECT 'contest: rows, turnover, pieces after', count(*), sum(price * quantity), sum(quantity)
		FROM t_x \g (tuples_only=on)
	SQL
	)
}

add "scan of the purchases" 5 0 \
	"SELECT count(DISTINCT item), sum(price * quantity) FROM bought"
for method in jaccard containment tfidf; do
	add "attack_itemset by $method" 5 0 \
		"SELECT (sdc.reid(l)).reid_d FROM sdc.attack_itemset('bought', 'masked',
			'who', '$method') AS l"
done
add "attack_itemset of equal sets" 5 0 \
	"SELECT (sdc.reid(l)).reid_d FROM sdc.attack_itemset('bought', 'bought', 'self') AS l"
add "attack_events by days" 1 0 \
	"SELECT (sdc.reid(l)).reid_d FROM sdc.attack_events('bought', 'masked', link => 'who',
		variant => 'dates', params => '{\"assignment\": \"none\"}', seed => 1) AS l"
add "ut_jaccard" 5 0 "SELECT sdc.item_set_distance('bought', 'masked', 'who')"
add "subset_error" 5 0 "SELECT sdc.turnover_error('bought', 'masked', 'who')"
add "rfm" 5 0 "SELECT sdc.customer_class_difference('bought', 'masked')"

prepare
psql -Xqc "CREATE VIEW self AS SELECT original::text AS masked, original FROM who"
contest
measure transactions ""
