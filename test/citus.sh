#!/usr/bin/env bash
#
# citus.sh SOURCE [COMMAND...]: sdc on a cluster of Citus.
#
# Builds Citus from the source tree SOURCE (13.2 is known to work) for the
# PostgreSQL that PG_CONFIG names, starts a coordinator and two workers on
# loopback with sdc in all three, and runs the programs test/citus/*.pl there.
# A server that crashes fails the test.  With a COMMAND it is run there instead.
#
#   test/citus.sh ../citus                     all tests
#   test/citus.sh ../citus test functions      one of them
#   test/citus.sh ../citus bench [ROWS]        CPU and memory
#   test/citus.sh ../citus psql                the coordinator to play in
#
# Citus is built once, in $SDC_CITUS (/var/tmp/sdc-citus), and nothing of it
# comes into this tree.  It needs the development files of libcurl, lz4, zstd,
# ICU and GSSAPI; as root they are installed through apt.  It is no part of
# ./run test: what can be shown without Citus is in test/t.

set -euo pipefail
unset CDPATH

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
. "$root/test/packages.sh"

# ---------------------------------------------------------------------------
# Inside the cluster: with_cluster.sh has started the coordinator.

# A server of its own for a worker, on a port of loopback.
start_worker()
{
	local number=$1 data=$SDC_TEMPORARY/worker$1 port=$((SDC_CITUS_PORT + $1))
	local as="$SDC_AS_SERVER env HOME=$SDC_TEMPORARY"

	(cd "$SDC_TEMPORARY" && $as initdb -D "$data" -U postgres -A trust \
		--no-sync --encoding=UTF8 --locale=C --lc-ctype="$LC_ALL" \
		>"$SDC_TEMPORARY/start.log" 2>&1)
	# the settings of the coordinator, but for the port
	sed -n '/^listen_addresses/,$p' "$SDC_TEMPORARY/data/postgresql.conf" |
		sed "s/^port = .*/port = $port/" >>"$data/postgresql.conf"
	(cd "$SDC_TEMPORARY" && $as pg_ctl -D "$data" -w start \
		-l "$SDC_TEMPORARY/worker$number.log" >"$SDC_TEMPORARY/start.log" 2>&1)
	PGHOST=127.0.0.1 PGPORT=$port psql -Xq -v ON_ERROR_STOP=1 \
		-c 'CREATE EXTENSION citus' \
		-c 'CREATE EXTENSION IF NOT EXISTS citus_columnar' 2>/dev/null
}

# The coordinator knows the workers; CREATE EXTENSION sdc reaches them too.
start_cluster()
{
	local number

	for number in 1 2; do
		start_worker "$number"
	done
	psql -Xq -v ON_ERROR_STOP=1 <<-SQL >"$SDC_TEMPORARY/start.log"
		CREATE EXTENSION citus;
		CREATE EXTENSION IF NOT EXISTS citus_columnar;
		SELECT citus_set_coordinator_host('127.0.0.1', $SDC_CITUS_PORT);
		SELECT citus_add_node('127.0.0.1', $((SDC_CITUS_PORT + 1)));
		SELECT citus_add_node('127.0.0.1', $((SDC_CITUS_PORT + 2)));
		CREATE EXTENSION sdc;
	SQL
}

# Did a server crash?  Says so.
crashed()
{
	grep -E 'was terminated by signal|PANIC:|TRAP:' \
		"$SDC_TEMPORARY"/{server,worker1,worker2}.log
}

# A test is a program of Test::More; its output is shown if it fails.
run_test()
{
	local name=$1 out=$SDC_TEMPORARY/$1.out status=0

	(cd "$root/test/citus" && SDC_WORKER=$((SDC_CITUS_PORT + 1)) \
		prove -v -I. -I../t "$name.pl") >"$out" 2>&1 || status=1
	if crashed; then
		echo "a server crashed" >>"$out"
		status=1
	fi
	[ "$status" = 0 ] && [ $# = 1 ] || cat "$out"
	[ "$status" = 0 ] && echo "ok - $name" || echo "not ok - $name"
	return "$status"
}

# Runs the tests that are named, or all; the last line counts them.
run_tests()
{
	local passed=0 failed=0 file name

	if [ $# = 0 ]; then
		for file in "$root"/test/citus/*.pl; do
			name=${file##*/}
			set -- "$@" "${name%.pl}"
		done
	fi
	for name in "$@"; do
		if run_test "$name"; then
			passed=$((passed + 1))
		else
			failed=$((failed + 1))
		fi
	done
	echo "$passed passed, $failed failed"
	[ "$failed" = 0 ]
}

if [ "${1:-}" = --inside ]; then
	shift
	export PGPORT=$SDC_CITUS_PORT
	start_cluster
	command=${1:-test}
	[ $# = 0 ] || shift
	case $command in
		test) run_tests "$@" ;;
		bench) perl "$root/test/citus/bench" "$@" ;;
		*) "$command" "$@" ;;
	esac
	exit
fi

# ---------------------------------------------------------------------------
# Citus, built beside and not in this tree.

need_libraries()
{
	local missing=

	has_header curl/curl.h || missing+=' libcurl4-openssl-dev'
	has_header lz4.h || missing+=' liblz4-dev'
	has_header zstd.h || missing+=' libzstd-dev'
	# PostgreSQL's own headers name these where they were built with them
	has_header gssapi/gssapi.h || missing+=' libkrb5-dev'
	has_header unicode/ucol.h || missing+=' libicu-dev'
	if [ -n "$missing" ]; then
		install_packages $missing
	fi
}

# Late minor versions of PostgreSQL declare a function that Citus defines
# itself for them; the server's own one does the same.
mend_headers()
{
	if grep -q have_createdb_privilege \
		"$("$PG_CONFIG" --includedir-server)/commands/dbcommands.h"; then
		sed -i 's/^have_createdb_privilege(void)/citus_have_createdb_privilege(void)/' \
			"$1/src/include/pg_version_compat.h"
	fi
}

build_citus()
{
	local source=$1 log

	if [ -f "$built/done" ]; then
		return 0
	fi
	need_libraries
	echo "building Citus in $built" >&2
	rm -rf "$built"
	mkdir -p "$built"
	log=$built/build.log
	cp -a "$source" "$built/source"
	mend_headers "$built/source"
	if ! (cd "$built/source" && ./configure PG_CONFIG="$PG_CONFIG" \
		--with-extra-version=+sdc &&
		make -s -j2 with_llvm=no && make install with_llvm=no \
		DESTDIR="$built/installed") >"$log" 2>&1 </dev/null; then
		tail -n 30 "$log" >&2
		echo "Citus does not build; see $log" >&2
		exit 1
	fi
	touch "$built/done"
}

if [ $# = 0 ] || [ ! -f "$1/src/backend/distributed/citus.control" ]; then
	sed -n '3,/^$/{/^#/{s/^# \{0,1\}//;p;};}' "$0"
	exit 2
fi
source=$(cd "$1" && pwd)
shift
need_packages test
export PG_CONFIG
version=$("$PG_CONFIG" --version | awk '{ print $2 }')
built=${SDC_CITUS:-/var/tmp/sdc-citus}/$version
build_citus "$source"
"$root/run" build >/dev/null
# three ports in a row that nobody listens on
SDC_CITUS_PORT=${SDC_CITUS_PORT:-$((20000 + $$ % 10000))}
export SDC_CITUS_PORT
export SDC_TEST_EXTENSIONS=$built/installed
export SDC_TEST_CONF="shared_preload_libraries = 'citus'
listen_addresses = '127.0.0.1'
port = $SDC_CITUS_PORT
max_prepared_transactions = 100
citus.enable_statistics_collection = off
citus.node_conninfo = 'sslmode=prefer'
${SDC_TEST_CONF:-}"
exec "$root/test/with_cluster.sh" "$root/test/citus.sh" --inside "$@"
