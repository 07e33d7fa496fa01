#!/usr/bin/env bash
#
# bench.sh [speed [--large] | kernel [NAME [OPTIONS]] | sql [NAME] | attacks |
# all]: the measurements; ./run bench and make bench call it.  speed, which is
# what runs when nothing is said: sdc beside PostgreSQL's own work, one table
# and a picture (speed.pl says more).  kernel: every
# test/bench/kernel_<NAME>.c, its kernels compiled with the flags of the
# product.  sql: every test/bench/sql_<NAME>.sh, each against a throw-away
# cluster.  attacks: those that print published figures beside ours.
#
# Prints one table and keeps it as bench/<date>.csv.  Seconds are CPU seconds;
# compare ratios of one run, not figures of different runs or machines.

set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
build=${SDC_BUILD:?run this through ./run bench}

# "bench,..." lines go to the CSV file and, as a table row, to the terminal;
# other lines are shown as they are.
tabulate()
{
	local line topic what rows columns seconds peak remark

	while IFS= read -r line; do
		if [[ $line != bench,* ]]; then
			printf '%s\n' "$line"
			continue
		fi
		echo "${line#bench,}" >>"$csv"
		IFS=, read -r _ topic what rows columns seconds peak remark <<<"$line"
		printf '%-16s %-34s %9s %4s %9s %7s  %s\n' "$topic" "$what" "$rows" \
			"$columns" "$seconds" "$peak" "$remark"
	done
}

# Compiles the sources on stdin at a level of optimisation.
compile()
{
	xargs -r -P "$(nproc 2>/dev/null || echo 1)" -I '{}' bash -c '
		gcc -std=gnu99 $1 -ffp-contract=off -fno-strict-aliasing -fwrapv \
			-Isrc -Itest/unit -c -o "$2/$(basename "$3" .c).o" "$3"' \
		compile "$1" "$build/bench" '{}'
}

# Kernels as in the product; programs and reference algorithms with -O2.
kernel()
{
	local program name=${1:-*}

	[ $# = 0 ] || shift
	cd "$root"
	rm -rf "$build/bench"
	mkdir -p "$build/bench/program"
	ls src/kernel/*/*.c | compile "-O2 -O3 -fno-math-errno"
	ls test/bench/[!k]*.c test/bench/kernel_$name.c | compile -O2
	mv "$build"/bench/kernel_*.o "$build/bench/program/"
	for program in "$build"/bench/program/kernel_$name.o; do
		if [ -f "$program" ]; then
			gcc -o "${program%.o}" "$program" "$build"/bench/*.o -lglpk -lm
			"${program%.o}" "$@"
		fi
	done
}

sql()
{
	local script

	for script in "$root"/test/bench/sql_${1:-*}.sh; do
		SDC_TEST_CONF="shared_buffers = 512MB
			checkpoint_timeout = 1h
			max_wal_size = 16GB
			${SDC_TEST_CONF:-}" \
			"$root/test/with_cluster.sh" bash "$script"
	done
}

speed()
{
	SDC_TEST_CONF="shared_buffers = 512MB
		checkpoint_timeout = 1h
		max_wal_size = 16GB
		${SDC_TEST_CONF:-}" \
		exec "$root/test/with_cluster.sh" perl "$root/test/bench/speed.pl" "$@"
}

mkdir -p "$root/bench"
case ${1:-speed} in
	speed | --large)
		[ "${1:-}" != speed ] || shift
		speed "$@"
		;;
esac
csv=$root/bench/$(date +%Y-%m-%dT%H%M%S).csv
echo "topic,what,rows,columns,cpu_seconds,peak_mb,remark" >"$csv"
printf '%-16s %-34s %9s %4s %9s %7s  %s\n' topic what rows cols "cpu s" \
	"peak MB" remark
case ${1:-all} in
	all)
		kernel | tabulate
		sql | tabulate
		;;
	kernel)
		kernel "${@:2}" | tabulate
		;;
	sql)
		sql "${@:2}" | tabulate
		;;
	attacks)
		kernel link | tabulate
		kernel learned_distance | tabulate
		sql transparency | tabulate
		sql transactions | tabulate
		;;
	*)
		rm -f "$csv"
		echo "usage: ./run bench [speed [--large] | kernel [NAME [OPTIONS]]" \
			"| sql [NAME] | attacks | all]" >&2
		exit 2
		;;
esac
echo "kept as ${csv#"$root"/}"
