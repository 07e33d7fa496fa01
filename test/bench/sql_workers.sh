#!/usr/bin/env bash
#
# sql_workers.sh: how much faster two parallel workers make a figure under
# differential privacy, and PostgreSQL's own beside it.  Run by bench.sh
# inside a throw-away cluster.
#
# SDC_BENCH_ROWS (8,000,000) rows.  Each statement runs SDC_BENCH_ROUNDS (3)
# times alone and with two workers, in turn; the median counts.  The seconds
# printed are those of the process that works longest: of the leader, or the
# mean of the workers if that is more, as they share the rows among
# themselves.  That does not depend on what else runs, but for an uneven share
# of the rows, which makes the workers look worse.  The remark tells how often
# that goes into the seconds alone; how often half of the CPU of all processes
# does, which is what two processors can give at best, as the leader works,
# too; and that CPU.

set -euo pipefail

rows=${SDC_BENCH_ROWS:-8000000}
hertz=$(getconf CLK_TCK)
postmaster=$(head -1 "$SDC_TEMPORARY/data/postmaster.pid")

psql -Xq -v ON_ERROR_STOP=1 -v rows="$rows" <<-'SQL'
	SET client_min_messages = warning;
	CREATE EXTENSION sdc;
	-- whatever ends beside a worker would be counted with it
	ALTER SYSTEM SET autovacuum = off;
	SELECT pg_reload_conf() AS ignored, setseed(0.5) AS ignored_too \gset
	CREATE TABLE people AS
	SELECT 1e5 * random() AS x FROM generate_series(1, :rows) AS i;
	VACUUM ANALYZE people;
	CHECKPOINT;
SQL

# Ticks of the leader and of all workers of a statement.
session()
{
	local reaped="\`awk '{ sub(/.*\\) /, \"\"); print \$14 + \$15 }' /proc/$postmaster/stat\`"

	psql -XAtq -v ON_ERROR_STOP=1 <<-SQL
		SET client_min_messages = warning;
		SET sdc.progress_interval = 0;
		SET jit = off;
		SET parallel_setup_cost = 0;
		SET max_parallel_workers_per_gather = $1;
		SELECT pg_backend_pid() AS pid, pg_sleep(0.1) \\gset
		\\set before $reaped
		\\o /dev/null
		$2;
		\\o
		\\set own \`awk '{ sub(/.*\\) /, ""); print \$12 + \$13 }' /proc/:pid/stat\`
		SELECT pg_sleep(0.1) \\g /dev/null
		\\set after $reaped
		\\echo :own :before :after
	SQL
}

# The median of the rounds on stdin.
median()
{
	sort -n | awk '{ line[NR] = $0 } END { print line[int((NR + 1) / 2)] }'
}

# compare NAME STATEMENT
compare()
{
	local round own before after alone=() longest=() all=()

	for ((round = 0; round < ${SDC_BENCH_ROUNDS:-3}; round++)); do
		read -r own before after <<<"$(session 0 "$2")"
		alone+=("$own")
		read -r own before after <<<"$(session 2 "$2")"
		if [ "$after" = "$before" ]; then
			echo "no worker worked for $1" >&2
			return 1
		fi
		all+=($((own + after - before)))
		longest+=("$(awk -v own="$own" -v two=$((after - before)) \
			'BEGIN { print (own > two / 2 ? own : two / 2) }')")
	done
	awk -v name="$1" -v rows="$rows" -v hertz="$hertz" \
		-v alone="$(printf '%s\n' "${alone[@]}" | median)" \
		-v longest="$(printf '%s\n' "${longest[@]}" | median)" \
		-v all="$(printf '%s\n' "${all[@]}" | median)" 'BEGIN {
			printf "bench,workers,%s,%d,1,%.2f,0,alone %.2f; %.2f x faster; on two processors %.2f x; all processes %.2f\n",
				name, rows, longest / hertz, alone / hertz, alone / longest,
				2 * alone / all, all / hertz
		}'
}

compare "count" "SELECT count(*) FROM people"
compare "dp_count" "SELECT sdc.dp_count(1) FROM people"
compare "sum" "SELECT sum(x) FROM people"
compare "dp_sum" "SELECT sdc.dp_sum(x, 0, 1e5, 1) FROM people"
compare "dp_median" "SELECT sdc.dp_median(x, 0, 1e5, 1) FROM people"
