#!/usr/bin/env bash
#
# suite.sh [KIND [NAME...]]: the tests, kind by kind; ./run test calls it after
# building.  KIND is lint, unit, regress, isolation, tap or doc, without it
# all run; NAME is a test of that kind, whose whole output is then shown.
#
# A kind is a function kind_<name> that writes its output to stdout, one line
# "ok ..." or "not ok ..." per check as in TAP, and exits non-zero when it
# failed.  A line with "# skip", or of a TAP file that skips all it has, counts
# as neither passed nor failed.
#
# What was spent by each kind, unit program, regression test and TAP file lies in
# the file spent of the build directory afterwards, the most expensive first: its
# name, seconds of CPU (servers included) and of time.
#
# SDC_ACCEPT=1 with the kind regress copies the results over expected/, after
# showing what changes; with the kind doc it writes them into the pages.

set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
test=$root/test
suite=$test/suite.sh
build=${SDC_BUILD:?run this through ./run test}
processors=$(nproc 2>/dev/null || echo 1)

# Names of the files DIR/*.EXT, sorted bytewise, or those asked for.
names()
{
	local dir=$1 extension=$2 file

	shift 2
	if [ $# != 0 ]; then
		for file in "$@"; do
			file=$(basename "$file" ".$extension")
			if [ ! -f "$dir/$file.$extension" ]; then
				echo "no test $dir/$file.$extension" >&2
				return 1
			fi
			echo "$file"
		done
		return 0
	fi
	for file in "$dir"/*."$extension"; do
		if [ -f "$file" ]; then
			basename "$file" ".$extension"
		fi
	done | LC_ALL=C sort
}

# ---------------------------------------------------------------------------
# The kinds.

kind_lint()
{
	perl "$test/lint.pl" "$root" "$build" "$@"
}

# spent_by NAME COMMAND...: notes what the command spends; of one process and
# its children, as servers need spent.pl.
spent_by()
{
	local name=$1 status=0 TIMEFORMAT='%U %S %R' figures

	shift
	exec 3>&1 4>&2
	figures=$({ time "$@" >&3 2>&4 3>&- 4>&-; } 2>&1) || status=$?
	exec 3>&- 4>&-
	awk -v name="$name" '{ printf "%-40s %8.2f %8.1f\n", name, $1 + $2, $3 }' \
		<<<"$figures" >>"$SDC_SPENT"
	return $status
}

# Leaks cannot be looked for where ptrace is forbidden, and old sanitizers
# need addresses that are not randomised much: find out what works here.
sanitizer_settings()
{
	local program=$build/unit/probe

	mkdir -p "$build/unit"
	if [ ! -x "$program" ]; then
		if ! echo 'int main(void) { return 0; }' |
			gcc -fsanitize=address,undefined -x c -o "$program" - 2>&1; then
			echo "not ok - gcc cannot link the sanitizers"
			return 1
		fi
	fi
	steady=
	if setarch "$(uname -m)" -R true 2>/dev/null; then
		steady="setarch $(uname -m) -R"
	fi
	leaks=1
	if ! ASAN_OPTIONS=detect_leaks=1 $steady "$program" >/dev/null 2>&1; then
		leaks=0
		echo "# leaks are not looked for: ptrace is not allowed here"
	fi
	export ASAN_OPTIONS=detect_leaks=$leaks:abort_on_error=0
	export UBSAN_OPTIONS=print_stacktrace=1
}

# One unit program, in a shell of its own.  It must exit with 0 and print as
# many checks as its plan "1..N" says: one that stops half-way has failed.  What
# is bounded is work, five minutes of CPU, as a busy machine is no fault.
unit_program()
{
	local name=$1 said status=0 planned checked

	said=$(mktemp "$build/unit/$name.XXXXXX")
	ulimit -t 300
	# in the foreground: a group of its own would not hear of Ctrl-C
	spent_by "unit/$name" $steady timeout --foreground 3600 \
		"$build/unit/bin/$name" >"$said" 2>&1 || status=$?
	planned=$(sed -n 's/^1\.\.\([0-9]*\)$/\1/p' "$said")
	checked=$(grep -cE '^(not )?ok ' "$said") || true
	if [ "${planned:-none}" != "$checked" ] ||
		{ [ $status != 0 ] && ! grep -q '^not ok' "$said"; }; then
		echo "not ok - $name stopped with status $status" >>"$said"
	fi
	# in one piece: programs that end together share the output
	sed "s/^\(not ok\|ok\)\( [0-9]*\)\{0,1\} - /\1 - $name: /" "$said" \
		>"$said.named"
	flock "$unit_lock" cat "$said.named"
	rm -f "$said" "$said.named"
}

kind_unit()
{
	local topics plain status=0 program
	local -a asked=()

	topics=$(names "$test/unit" c "$@") || return 1
	cd "$root"
	# those of the Makefile's list that are asked for
	plain=$(sed -n 's/^plain := //p' "$test/unit/Makefile" | tr ' ' '\n' |
		grep -xF "$topics" | sed 's/$/.plain/') || true
	topics=$(grep -vx unit <<<"$topics") || true
	sanitizer_settings || return 1
	# all of them, or those that are asked for
	if [ $# != 0 ]; then
		for program in $plain $topics; do
			asked+=("$build/unit/bin/$program")
		done
	fi
	if ! spent_by unit/compilation make --no-print-directory -s -C "$root" \
		-j"$processors" -f test/unit/Makefile BUILD="$build/unit" "${asked[@]}" 2>&1; then
		echo "not ok - the unit tests do not compile"
		return 1
	fi
	export -f unit_program spent_by
	unit_lock=$(mktemp "$build/unit/lock.XXXXXX")
	export build steady unit_lock
	# xargs, not jobs of the shell: Ctrl-C then ends the programs, too.
	printf '%s\n' $plain $topics |
		xargs -r -P "$processors" -n 1 bash -c 'unit_program "$1"' unit ||
		status=$?
	rm -f "$unit_lock"
	return $status
}

# What pg_regress and pg_isolation_regress print differs between versions:
# "test NAME ... ok  12 ms" up to 15, TAP from 16 on.
regress_to_tap()
{
	sed -nE -e 's/^test (.*[^ ]) +\.\.\. (ok|FAILED)(.*)/\2 - \1 #\3/' \
		-e 's/^FAILED/not ok/' \
		-e 's/^(ok|not ok) [0-9]+ +[-+] (.*[^ ]) +([0-9]+ ms)$/\1 - \2 # \3/' \
		-e '/^(not )?ok /p'
}

# run_regress PROGRAM DIR EXPECTED OPTIONS... -- TESTS...
# DIR is temporary and gets links to all that is read, so that results do not
# land in the clone.  A test finds test/data as data/.
run_regress()
{
	local program=$1 dir=$2 expected=$3 status=0 file
	local -a options=()

	shift 3
	while [ "$1" != -- ]; do
		options+=("$1")
		shift
	done
	shift
	mkdir "$dir/expected"
	for file in "$expected"/*.out; do
		if [ -f "$file" ]; then
			ln -s "$file" "$dir/expected/"
		fi
	done
	for file in "$@"; do
		if [ ! -e "$dir/expected/$file.out" ]; then
			touch "$dir/expected/$file.out"
		fi
	done
	ln -s "$test/data" "$dir/data"
	cd "$dir"
	# progress lines would tell a slow machine from a fast one
	PGOPTIONS="-c sdc.progress_interval=0 -c sdc.digits=17" \
		"$program" --inputdir=. --outputdir=. --bindir="$SDC_BIN" \
		"${options[@]}" "$@" >out.log 2>&1 || status=$?
	regress_to_tap <out.log | tee tap.log
	if [ $status != 0 ] && ! grep -q '^not ok' tap.log; then
		cat out.log
		echo
	fi
	cat regression.diffs 2>/dev/null || true
	return $status
}

in_cluster_regress()
{
	local dir=$SDC_TEMPORARY/regress status=0 name

	mkdir "$dir"
	ln -s "$test/sql" "$dir/sql"
	(run_regress "$SDC_PGXS/src/test/regress/pg_regress" "$dir" \
		"$root/expected" --dbname=sdc_regression --load-extension=sdc \
		--launcher="$test/leaves_nothing.sh" -- "$@") || status=$?
	if [ -n "${SDC_ACCEPT:-}" ]; then
		mkdir -p "$root/expected"
		for name in "$@"; do
			cp "$dir/results/$name.out" "$root/expected/"
		done
	fi
	return $status
}

in_cluster_isolation()
{
	local dir=$SDC_TEMPORARY/isolation

	mkdir "$dir"
	ln -s "$test/isolation/specs" "$dir/specs"
	run_regress "$SDC_PGXS/src/test/isolation/pg_isolation_regress" "$dir" \
		"$test/isolation/expected" --dbname=sdc_isolation \
		--load-extension=sdc -- "$@"
}

# PostgreSQL::Test::Cluster makes its own clusters, refuses to run as root,
# and the server's user may not be able to read the clone: so the tests are
# copied, with test/data beside them.
in_cluster_tap()
{
	local dir=$SDC_TEMPORARY/tap status=0 spent=$SDC_SPENT

	mkdir -p "$dir"
	cp -R "$test/t" "$dir/t"
	if [ -d "$test/data" ]; then
		cp -R "$test/data" "$dir/data"
	fi
	cp "$root/README.md" "$dir/"
	cp "$build/test/solver/solver_probe.so" "$dir/"
	cp "$build/test/registry/sdc_fake.so" "$build/test/memory/memory_contexts.so" "$dir/"
	cp "$build/test/audit/dp_audit.so" "$test/spent.pl" "$dir/"
	# what old versions installed, and how an update is made from it
	cp -R "$root/sql/updates" "$dir/updates"
	chmod -R a+rwX "$dir"
	# the mirror's directory: 028_update.pl makes up versions there
	find "$SDC_TEMPORARY/pg" -name sdc.control -execdir chmod a+rwx . ';'
	# as in with_cluster.sh
	echo 'jit = off' >"$dir/conf"
	mkdir "$dir/bin"
	cp "$test/initdb_once.sh" "$dir/bin/initdb"
	chmod -R a+rX "$dir/bin"
	cd "$dir"
	unset PGHOST PGUSER PGDATABASE
	# A file that dies says why only in its log.  A wait that is in vain ends after
	# a quarter of an hour, as other tests of a slow machine run beside.
	PATH=$dir/bin:$PATH HOME=$dir TMPDIR=$SDC_TEMPORARY TESTDIR=$dir TESTDATADIR=$dir/tmp_check \
		PG_TEST_TIMEOUT_DEFAULT=900 PGCTLTIMEOUT=900 \
		TESTLOGDIR=$dir/tmp_check/log SDC_SPENT=$dir/spent TEMP_CONFIG=$dir/conf PG_TEST_PORT_DIR=$dir/ports \
		PG_REGRESS=$SDC_PGXS/src/test/regress/pg_regress \
		$SDC_AS_SERVER prove --verbose --jobs "$processors" \
		--exec "perl spent.pl tap/% perl -I$SDC_PGXS/src/test/perl" "${@/#/t/}" \
		2>&1 || status=$?
	cat spent >>"$spent" || true
	if [ $status != 0 ] && [ $# = 1 ]; then
		tail -n 40 tmp_check/log/regress_log_*
	fi
	return $status
}

# The pages that are made from the extension, all as one page of HTML, then the
# examples of all.
in_cluster_doc()
{
	local status=0

	case ${1:-reference} in
		*reference* | *glossary*)
			perl "$test/reference.pl" ${SDC_ACCEPT:+--accept} || status=$?
			;;
	esac
	case ${1:-html} in
		html)
			perl "$test/html.pl" >"$build/sdc.html" &&
				perl "$test/html.pl" --check "$build/sdc.html" || status=$?
			;;
	esac
	[ "$*" = html ] || perl "$test/doc_examples.pl" ${SDC_ACCEPT:+--accept} "$@" || status=$?
	return $status
}

# Where clusters lie: in memory, if there is plenty and the caller names no place.
# Each table that is made and dropped is a file, and ext4 looks long for a new
# one among those that have just gone: up to half of what short TAP tests spend.
cluster_place()
{
	local room memory

	room=$(df -Pk /dev/shm 2>/dev/null | awk 'NR == 2 && $6 == "/dev/shm" { print $4 }') || true
	memory=$(awk '$1 == "MemAvailable:" { print $2 }' /proc/meminfo 2>/dev/null) || true
	if [ -w /dev/shm ] && [ "${room:-0}" -gt 4000000 ] && [ "${memory:-0}" -gt 6000000 ]; then
		echo /dev/shm
	fi
}

in_cluster()
{
	TMPDIR=${TMPDIR:-$(cluster_place)} "$test/with_cluster.sh" bash "$suite" --in-cluster "$@"
}

kind_regress()
{
	local list

	list=$(names "$test/sql" sql "$@") || return 1
	if [ -z "$list" ]; then
		echo "# skip: there is no test in test/sql"
		return 0
	fi
	in_clusters_regress $list
}

# One cluster's part of the regression tests, its output in one piece.
regress_part()
{
	local said status=0

	said=$(mktemp "$build/regress.XXXXXX")
	in_cluster regress $1 >"$said" 2>&1 || status=$?
	flock "$build/regress.lock" cat "$said"
	rm -f "$said"
	return $status
}

# In as many clusters as there are processors, side by side, as roles are one
# for a cluster.  Each takes every so-manieth test, so that topics that take
# long do not fall to one.
in_clusters_regress()
{
	local part

	export -f regress_part in_cluster cluster_place
	export build test suite
	for ((part = 0; part < processors && part < $#; part++)); do
		printf '%s\n' "$@" | awk -v n="$processors" -v part="$part" \
			'(NR - 1) % n == part' | paste -sd ' '
	done | xargs -r -d '\n' -P "$processors" -n 1 \
		bash -c 'regress_part "$1"' regress
}

kind_isolation()
{
	local list pgxs

	list=$(names "$test/isolation/specs" spec "$@") || return 1
	if [ -z "$list" ]; then
		echo "# skip: there is no spec in test/isolation/specs"
		return 0
	fi
	pgxs=$(dirname "$("$PG_CONFIG" --pgxs)")
	if [ ! -x "$pgxs/../test/isolation/pg_isolation_regress" ]; then
		echo "# skip: this PostgreSQL comes without pg_isolation_regress"
		return 0
	fi
	in_cluster isolation $list
}

kind_tap()
{
	local list pgxs

	list=$(names "$test/t" pl "$@") || return 1
	if [ -z "$list" ]; then
		echo "# skip: there is no test in test/t"
		return 0
	fi
	pgxs=$(dirname "$("$PG_CONFIG" --pgxs)")
	if [ ! -d "$pgxs/../test/perl" ]; then
		echo "# skip: this PostgreSQL comes without its Perl test modules"
		return 0
	fi
	# Modules of 010_solver.pl, 017_hierarchy.pl, 032_registry.pl, 049_dp_audit.pl.
	if ! make --no-print-directory -s -C "$build" -f "$root/Makefile" \
		PG_CONFIG="$PG_CONFIG" with_llvm=no test/solver/solver_probe.so \
		test/registry/sdc_fake.so test/audit/dp_audit.so test/memory/memory_contexts.so 2>&1; then
		echo "not ok - the modules of the tests do not compile"
		return 1
	fi
	SDC_TEST_SERVER=none in_cluster tap $(printf '%s.pl\n' $list)
}

kind_doc()
{
	in_cluster doc "$@"
}

# ---------------------------------------------------------------------------
# Counting and printing.

skips='^(ok\b.*)?# *skip|^t/.*\. skipped: '

# What was skipped and is not to be, where every change is checked.
unknown_skips()
{
	grep -aiE "$skips" "$1" | grep -avE -f <(grep -v '^#' "$test/data/skips.txt" |
		grep .) | sed 's/^/not ok - must not be skipped: /' || true
}

# Runs one kind, counts its lines, prints one line about it after what failed
# and what was skipped, and notes the three figures in $logs/KIND.counts.  What
# it prints comes in one piece, as other kinds may run beside it.
run_kind()
{
	local kind=$1 log=$logs/$1.log status=0 start=$SECONDS good bad left said

	shift
	perl "$test/spent.pl" "$kind" bash "$suite" --kind "$kind" "$@" \
		>"$log" 2>&1 || status=$?
	good=$(grep -aE '^ok\b' "$log" | grep -aciEv '# *skip') || true
	bad=$(grep -aE '^not ok\b' "$log" | grep -acv '# TODO') || true
	left=$(grep -aciE "$skips" "$log") || true
	if [ $status != 0 ] && [ "$bad" = 0 ]; then
		echo "not ok - $kind stopped with status $status" >>"$log"
		bad=1
	fi
	if [ "${SDC_SKIPS:-}" = known ]; then
		unknown_skips "$log" >"$log.unknown"
		bad=$((bad + $(wc -l <"$log.unknown")))
		cat "$log.unknown" >>"$log"
	fi
	said=$(
		if [ $# != 0 ]; then
			cat "$log"
		elif [ "$bad" != 0 ]; then
			grep -avE '^ok\b' "$log" || true
		else
			grep -aiE "$skips" "$log" | sed -E 's/^(ok)?[ #-]*/  /' || true
		fi
		printf '%-10s %5d passed, %d failed, %d skipped, %d s' "$kind" \
			"$good" "$bad" "$left" $((SECONDS - start))
	)
	printf '%s\n' "$said"
	echo "$good $bad $left" >"$logs/$kind.counts"
}

run_kinds()
{
	local kind

	for kind in "$@"; do
		run_kind "$kind"
	done
}

# Everything.  The kinds of a lane run one after another, the lanes side by
# side: each has a cluster or a directory of its own, and the long kinds leave
# a processor idle at their ends.  Each lane is a process group, so that the
# traps below end all of it.
run_all()
{
	set -m
	run_kinds unit doc </dev/null &
	lane+=($!)
	run_kinds tap </dev/null &
	lane+=($!)
	run_kinds lint regress isolation </dev/null &
	lane+=($!)
	set +m
	wait "${lane[@]}"
}

end_lanes()
{
	local group

	for group in "${lane[@]}"; do
		kill -TERM -- "-$group" 2>/dev/null || true
	done
	wait
}

if [ "${1:-}" = --in-cluster ]; then
	kind=$2
	shift 2
	"in_cluster_$kind" "$@"
	exit
fi

if [ "${1:-}" = --kind ]; then
	"kind_$2" "${@:3}" || exit
	exit 0
fi

if [ -n "${SDC_ACCEPT:-}" ]; then
	"kind_$1" "${@:2}" || true
	exit 0
fi

SDC_SPENT=$build/spent.now
export SDC_SPENT
: >"$SDC_SPENT"
logs=$(mktemp -d "${TMPDIR:-/tmp}/sdc.XXXXXX" 2>/dev/null || mktemp -d /tmp/sdc.XXXXXX)
trap 'trap "" INT TERM HUP; rm -rf "$logs"' EXIT
lane=()
trap 'end_lanes; exit 130' INT
trap 'end_lanes; exit 143' TERM HUP

case ${1:-all} in
	all)
		run_all
		;;
	lint | unit | regress | isolation | tap | doc)
		run_kind "$@"
		;;
	*)
		echo "no kind of test is called $1" >&2
		exit 2
		;;
esac
LC_ALL=C sort -rnk 2 "$SDC_SPENT" >"$build/spent"
rm -f "$SDC_SPENT"
passed=0
failed=0
skipped=0
while read -r good bad left; do
	passed=$((passed + good))
	failed=$((failed + bad))
	skipped=$((skipped + left))
done < <(cat "$logs"/*.counts)
if [ "${1:-all}" = all ] && [ "$(cat "$logs"/*.counts | wc -l)" != 6 ]; then
	echo "not all kinds of tests have ended"
	failed=$((failed + 1))
fi
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" = 0 ] && [ $((passed + skipped)) != 0 ]
