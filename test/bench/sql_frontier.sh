#!/usr/bin/env bash
#
# sql_frontier.sh: risk against loss on the census extract: rank swapping,
# microaggregation and noise, each over its parameter, all 13 columns masked.
# Prints the table and draws bench/frontier.svg, dominated points hollow.  Run
# by bench.sh inside a throw-away cluster; skipped without
# $SDC_SHARED/data/census.csv.
#
# Risk is the worst of the attacks by distance, transparency and likelihood, with
# all 13 columns known; loss is IL1s.  SDC_BENCH_REPEATS (3) maskings of each.  Fails
# when the marks of dominated points are not those that plain SQL finds.

set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
data=${SDC_SHARED:-$root/../shared}/data/census.csv
if [ ! -r "$data" ]; then
	echo "sql_frontier.sh: $data is not there: skipped"
	exit 0
fi
mkdir -p "$root/bench"
svg=${SDC_BENCH_SVG:-$root/bench/frontier.svg}

run_sql()
{
	PGOPTIONS="-c client_min_messages=warning -c sdc.progress_interval=0" \
		psql -Xq -v ON_ERROR_STOP=1 -P footer=off "$@"
}

prepare()
{
	run_sql <<-'SQL'
		CREATE EXTENSION IF NOT EXISTS sdc;
		CREATE TABLE household (id serial, afnlwgt float8, agi float8,
			emcontrb float8, fedtax float8, ptotval float8, statetax float8,
			taxinc float8, pothval float8, intval float8, pearnval float8,
			fica float8, wsalval float8, ernval float8);
	SQL
	run_sql -c '\copy household (afnlwgt, agi, emcontrb, fedtax, ptotval, statetax, taxinc, pothval, intval, pearnval, fica, wsalval, ernval) FROM pstdin (FORMAT csv, HEADER)' <"$data"
}

# Masks, attacks and measures all candidates: the table point.
compare()
{
	run_sql -v repeats="${SDC_BENCH_REPEATS:-3}" <<-'SQL'
		CREATE TABLE attribute AS
		SELECT attname AS name FROM pg_attribute
		WHERE attrelid = 'household'::regclass AND attnum > 1;
		CREATE TABLE candidate AS
		SELECT row_number() OVER (ORDER BY method, value) AS candidate, method,
			value, jsonb_object_agg(name, jsonb_build_object('method', method,
				key, value)) AS rules
		FROM (SELECT 'rank_swap', 'p', unnest('{1,2,5,10,15,20,30,50}'::float8[])
			UNION ALL
			SELECT 'add_noise', 'alpha',
				unnest('{0.05,0.1,0.2,0.3,0.5,1,2}'::float8[])) AS c (method, key, value),
			attribute
		GROUP BY method, value;
		INSERT INTO candidate
		SELECT row_number() OVER (ORDER BY variant, k) + 15, format(
				'microaggregate %s', variant), k,
			jsonb_build_object(string_agg(name, ','), jsonb_build_object('method',
				'microaggregate', 'k', k, 'variant', variant))
		FROM unnest('{3,5,10,20,50,100}'::int[]) AS k,
			unnest('{mdav}'::text[]) AS variant, attribute
		GROUP BY variant, k;
		INSERT INTO candidate
		SELECT row_number() OVER (ORDER BY k) + 21, 'microaggregate each', k,
			jsonb_object_agg(name, jsonb_build_object('method',
				'microaggregate', 'k', k))
		FROM unnest('{3,5,10,20,50,100}'::int[]) AS k, attribute GROUP BY k;
		CREATE TABLE point AS
		SELECT c.method, c.value, f.*
		FROM sdc.frontier('household', (SELECT jsonb_agg(rules ORDER BY candidate) FROM candidate), 'id',
			(SELECT array_agg(name) FROM attribute), NULL,
			'[{"attack": "worst", "<=": 0.1}]',
			jsonb_build_object('repeats', :repeats), seed => 1) AS f
		JOIN candidate AS c USING (candidate);
	SQL
}

report()
{
	run_sql <<-'SQL'
		\echo Census, 13 columns: risk (share re-identified by the worst attack), loss (IL1s);
		\echo passed: risk at most 0.1 in each repeat
		SELECT method, value, round(risk::numeric, 4) AS risk,
			format('%s - %s', round(risk_low::numeric, 4),
				round(risk_high::numeric, 4)) AS risk_95,
			round(loss::numeric, 4) AS loss,
			format('%s - %s', round(loss_low::numeric, 4),
				round(loss_high::numeric, 4)) AS loss_95,
			dominated, passed,
			substring(detail FROM 'The attack (\S+)') AS worst
		FROM point ORDER BY NOT passed, loss;
		DO $$
		BEGIN
			IF EXISTS (SELECT FROM point AS p WHERE dominated IS DISTINCT FROM
				EXISTS (SELECT FROM point AS q WHERE q.risk <= p.risk AND
					q.loss <= p.loss AND (q.risk < p.risk OR q.loss < p.loss))) THEN
				RAISE EXCEPTION 'the marks of dominated points are wrong';
			END IF;
		END $$;
	SQL
}

# Rows of method, value, six figures and dominated, as CSV, become a drawing:
# loss to the right on a logarithmic scale, risk upwards, bars for intervals,
# hollow points for dominated ones, the frontier as steps.
draw()
{
	awk -F, '
		function x(v) {
			v = log(v < least ? least : v)
			return 70 + 560 * (v - log(least)) / (log(most) - log(least))
		}
		function y(v) {
			return 420 - 380 * (v < 0 ? 0 : v > 1 ? 1 : v)
		}
		function line(x1, y1, x2, y2, style) {
			printf "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" %s/>\n",
				x1, y1, x2, y2, style
		}
		function text(px, py, anchor, what) {
			printf "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">%s</text>\n",
				px, py, anchor, what
		}
		BEGIN {
			split("#0072b2 #d55e00 #009e73 #cc79a7", palette, " ")
			most = 0
		}
		{
			n++
			for (i = 1; i <= 9; i++)
				cell[n, i] = $i
			if (!($1 in colour)) {
				name[++methods] = $1
				colour[$1] = palette[methods]
				# names of points above or below, or those at the top hide each other
				below[$1] = methods % 2 ? -7 : 17
			}
			if (n == 1 || $6 < least)
				least = $6
			if ($6 > most)
				most = $6
		}
		END {
			least /= 1.3
			most *= 1.3
			print "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 860 480\" font-family=\"sans-serif\" font-size=\"12\">"
			print "<title>Risk against loss: census, 13 columns</title>"
			print "<rect width=\"860\" height=\"480\" fill=\"#fff\"/>"
			for (v = 0; v <= 1.001; v += 0.2) {
				line(70, y(v), 630, y(v), "stroke=\"#ddd\"")
				text(62, y(v) + 4, "end", sprintf("%.1f", v))
			}
			for (e = -4; e <= 2; e++)
				for (m = 1; m <= 5; m += m == 1 ? 1 : 3) {
					v = m * 10 ^ e
					if (v >= least && v <= most) {
						line(x(v), 40, x(v), 420, "stroke=\"#ddd\"")
						text(x(v), 438, "middle", sprintf("%g", v))
					}
				}
			text(350, 462, "middle", "loss: IL1s over all columns (logarithmic)")
			text(70, 18, "start", "risk: share re-identified by the worst attack")
			# the frontier, from the least loss on, as steps
			path = ""
			for (i = 1; i <= n; i++)
				if (cell[i, 9] == "f")
					path = path == "" ? sprintf("M%.1f %.1f", x(cell[i, 6]), y(cell[i, 3])) \
						: path sprintf("H%.1fV%.1f", x(cell[i, 6]), y(cell[i, 3]))
			printf "<path d=\"%s\" fill=\"none\" stroke=\"#999\" stroke-dasharray=\"4 3\"/>\n", path
			for (i = 1; i <= n; i++) {
				style = sprintf("stroke=\"%s\" stroke-width=\"1.5\"", colour[cell[i, 1]])
				if (cell[i, 4] != "") {
					line(x(cell[i, 6]), y(cell[i, 4]), x(cell[i, 6]), y(cell[i, 5]), style)
					line(x(cell[i, 7]), y(cell[i, 3]), x(cell[i, 8]), y(cell[i, 3]), style)
				}
				printf "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"5\" fill=\"%s\" %s><title>%s %s: risk %s, loss %s%s</title></circle>\n",
					x(cell[i, 6]), y(cell[i, 3]),
					cell[i, 9] == "t" ? "#fff" : colour[cell[i, 1]], style,
					cell[i, 1], cell[i, 2], cell[i, 3], cell[i, 6],
					cell[i, 9] == "t" ? ", dominated" : ""
				text(x(cell[i, 6]) + 7, y(cell[i, 3]) + below[cell[i, 1]], "start", cell[i, 2])
			}
			for (i = 1; i <= methods; i++) {
				printf "<circle cx=\"655\" cy=\"%d\" r=\"5\" fill=\"%s\"/>\n", 40 + 22 * i, colour[name[i]]
				text(667, 44 + 22 * i, "start", name[i])
			}
			text(648, 68 + 22 * methods, "start", "hollow: dominated")
			text(648, 86 + 22 * methods, "start", "bars: 95 % intervals")
			text(648, 104 + 22 * methods, "start", "dashed: the frontier")
			print "</svg>"
		}'
}

prepare
compare
report
run_sql -At -F, -c "SELECT method, value, risk, risk_low, risk_high, loss,
	loss_low, loss_high, dominated FROM point ORDER BY loss, risk" | draw >"$svg"
echo "drawn as $svg"
