# statements.sh: times SQL statements against a floor; sourced by sql_*.sh.
#
# add NAME COLUMNS FLOOR STATEMENT adds a statement, where FLOOR is the number
# of the one that it is compared with, from 0.  measure TOPIC AFTER runs all of
# them SDC_BENCH_ROUNDS (3) times, each in a session of its own, in turn, so
# that a busy machine harms them alike; after each the SQL text AFTER is run.  The smallest
# CPU time of the session's backend counts.  Peak memory is VmHWM of the
# backend without the shared buffers it touched.  With SDC_BENCH_WORKERS (0)
# workers what is printed is the leader's CPU alone: he works as long as they
# do, so it tells how much faster they make a statement, whatever else runs.

rows=${SDC_BENCH_ROWS:-1000000}
names=()
columns=()
floors=()
statements=()

add()
{
	names+=("$1")
	columns+=("$2")
	floors+=("$3")
	statements+=("$4")
}

# Runs one statement in a session of its own; prints CPU ticks, wall seconds
# and private peak memory in kB.
session()
{
	psql -XAtq -v ON_ERROR_STOP=1 -v statement="$1" \
		-v workers="${SDC_BENCH_WORKERS:-0}" <<-'SQL'
		SET client_min_messages = warning;
		SET sdc.progress_interval = 0;
		SET max_parallel_workers_per_gather = :workers;
		SELECT pg_backend_pid() AS pid,
			   extract(epoch FROM clock_timestamp()) AS start \gset
		\o /dev/null
		:statement;
		\o
		SELECT extract(epoch FROM clock_timestamp()) - :start AS wall \gset
		\set ticks `awk '{ sub(/.*\) /, ""); print $12 + $13 }' /proc/:pid/stat`
		\set peak `awk '/^(VmHWM|RssShmem)/ { m[$1] = $2 } END { print m["VmHWM:"] - m["RssShmem:"] }' /proc/:pid/status`
		\echo :ticks :wall :peak
	SQL
}

measure()
{
	local round i t w p hertz best=() wall=() peak=()

	hertz=$(getconf CLK_TCK)
	for ((round = 0; round < ${SDC_BENCH_ROUNDS:-3}; round++)); do
		for i in "${!statements[@]}"; do
			read -r t w p <<<"$(session "${statements[i]}")"
			if [ -z "${best[i]:-}" ] || [ "$t" -lt "${best[i]}" ]; then
				best[i]=$t
				wall[i]=$w
			fi
			if [ -z "${peak[i]:-}" ] || [ "$p" -gt "${peak[i]}" ]; then
				peak[i]=$p
			fi
			[ -z "$2" ] || psql -Xqc "$2" 2>/dev/null
		done
	done
	for i in "${!statements[@]}"; do
		awk -v topic="$1" -v name="${names[i]}" -v rows="$rows" \
			-v columns="${columns[i]}" -v ticks="${best[i]}" \
			-v floor="${best[floors[i]]}" -v against="${names[floors[i]]}" \
			-v wall="${wall[i]}" -v peak="${peak[i]}" -v hertz="$hertz" 'BEGIN {
				printf "bench,%s,%s,%d,%d,%.2f,%d,%.2f s elapsed; %.2f x %s\n",
					topic, name, rows, columns, ticks / hertz, peak / 1024, wall,
					ticks / floor, against
			}'
	done
}
