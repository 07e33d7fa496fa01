#!/usr/bin/env bash
#
# with_cluster.sh COMMAND...: runs a command against a throw-away PostgreSQL
# cluster that has sdc, and removes everything afterwards.
#
# Nothing is installed.  The PostgreSQL that PG_CONFIG names is mirrored into
# a temporary directory: its programs as copies (PostgreSQL looks for its
# files relative to where its own program really lies), everything else as
# links, and beside them sdc.so, sdc.control and sdc--*.sql from the build.
# As root the server runs as the user postgres.
#
# The command sees: the mirrored programs first in PATH, PG_CONFIG, PGHOST,
# PGUSER and PGDATABASE of the cluster, and
#   SDC_ROOT        the source tree
#   SDC_TEMPORARY   the temporary directory; the command may write there
#   SDC_BIN         the mirrored programs
#   SDC_PGXS        the directory of PostgreSQL's build files (.../lib/pgxs)
#   SDC_AS_SERVER   prefix that runs a program as the owner of the server
# Settings: SDC_TEST_CONF holds further lines for postgresql.conf, SDC_BUILD
# another build directory than build/<version>, SDC_TEST_EXTENSIONS a directory
# into which other extensions were installed with DESTDIR; SDC_TEST_SERVER=none
# leaves the cluster out, for commands that make their own.

set -euo pipefail
unset CDPATH

SDC_ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
for name in $(compgen -e PG | grep -v '^PG_CONFIG$' || true); do
	unset "$name"
done
PG_CONFIG=${PG_CONFIG:-pg_config}
version=$("$PG_CONFIG" --version | awk '{ print $2 }')
build=${SDC_BUILD:-$SDC_ROOT/build/$version}
if [ ! -f "$build/sdc.so" ]; then
	echo "with_cluster.sh: $build/sdc.so is missing: build first (./run does)" >&2
	exit 1
fi

# ---------------------------------------------------------------------------
# Who runs the server, and where.

server_user=
if [ "$(id -u)" = 0 ]; then
	server_user=nobody
	if id -u postgres >/dev/null 2>&1; then
		server_user=postgres
	fi
fi

SDC_AS_SERVER=
if [ -n "$server_user" ]; then
	SDC_AS_SERVER="setpriv --reuid=$(id -u "$server_user")"
	SDC_AS_SERVER+=" --regid=$(id -g "$server_user") --clear-groups"
fi

as_server()
{
	(cd "$SDC_TEMPORARY" && HOME=$SDC_TEMPORARY exec $SDC_AS_SERVER "$@")
}

# A directory the server's user can reach, where programs may be executed and
# whose name leaves room for a socket (107 bytes in all).
make_temporary()
{
	local base

	for base in "${TMPDIR:-/tmp}" /tmp /var/tmp; do
		if [ ${#base} -gt 60 ]; then
			continue
		fi
		SDC_TEMPORARY=$(mktemp -d "$base/sdc.XXXXXX" 2>/dev/null) || continue
		if [ -n "$server_user" ]; then
			chown "$server_user" "$SDC_TEMPORARY"
		fi
		cp -L "$(type -P true)" "$SDC_TEMPORARY/probe"
		chmod 755 "$SDC_TEMPORARY/probe"
		if as_server ./probe 2>/dev/null; then
			rm -f "$SDC_TEMPORARY/probe"
			return 0
		fi
		rm -rf "$SDC_TEMPORARY"
	done
	SDC_TEMPORARY=
	echo "with_cluster.sh: no directory for temporary files (set TMPDIR)" >&2
	exit 1
}

# Stops every server under the temporary directory, also those that a TAP
# test left behind, and removes the directory.
clean_up()
{
	local status=$?
	local pidfile

	trap '' INT TERM HUP
	if [ -z "${SDC_TEMPORARY:-}" ]; then
		exit "$status"
	fi
	cd /
	while IFS= read -r pidfile; do
		as_server "$SDC_BIN/pg_ctl" -D "${pidfile%/*}" -m immediate -w stop \
			>/dev/null 2>&1 || true
	done < <(find "$SDC_TEMPORARY" -name postmaster.pid 2>/dev/null)
	if grep -E 'was terminated by signal|PANIC:|TRAP:' \
		"$SDC_TEMPORARY/server.log" >&2 2>/dev/null; then
		echo "with_cluster.sh: the server crashed; the end of its log:" >&2
		tail -n 40 "$SDC_TEMPORARY/server.log" >&2
	fi
	rm -rf "$SDC_TEMPORARY"
	exit "$status"
}

# ---------------------------------------------------------------------------
# The mirror.

link_all()
{
	local from=$1 to=$2
	local -a files=("$from"/*)

	mkdir -p "$to"
	if [ -e "${files[0]}" ]; then
		ln -sfn "${files[@]}" "$to/"
	fi
}

mirror()
{
	local bindir sharedir pkglibdir localedir prefix program
	local -a programs=()

	bindir=$("$PG_CONFIG" --bindir)
	sharedir=$("$PG_CONFIG" --sharedir)
	pkglibdir=$("$PG_CONFIG" --pkglibdir)
	prefix=$bindir
	while [[ $sharedir/ != "$prefix"/* || $pkglibdir/ != "$prefix"/* ]]; do
		prefix=${prefix%/*}
	done
	SDC_BIN=$SDC_TEMPORARY/pg${bindir#"$prefix"}
	local share=$SDC_TEMPORARY/pg${sharedir#"$prefix"}
	local lib=$SDC_TEMPORARY/pg${pkglibdir#"$prefix"}

	mkdir -p "$SDC_BIN"
	for program in "$bindir"/{postgres,psql,initdb,pg_*,pgbench} \
		"$bindir"/{create,drop}{db,user} "$bindir"/{vacuum,reindex,cluster}db; do
		if [ -f "$program" ]; then
			programs+=("$program")
		fi
	done
	cp -L "${programs[@]}" "$SDC_BIN/"
	link_all "$sharedir" "$share"
	rm -f "$share/extension"
	link_all "$sharedir/extension" "$share/extension"
	link_all "$pkglibdir" "$lib"
	# messages in other languages, for tests that ask for them
	localedir=$("$PG_CONFIG" --localedir)
	if [[ $localedir == "$prefix"/* && -d $localedir ]]; then
		mkdir -p "$(dirname "$SDC_TEMPORARY/pg${localedir#"$prefix"}")"
		ln -sfn "$localedir" "$SDC_TEMPORARY/pg${localedir#"$prefix"}"
	fi
	if [ -n "${SDC_TEST_EXTENSIONS:-}" ]; then
		link_all "$SDC_TEST_EXTENSIONS$pkglibdir" "$lib"
		link_all "$SDC_TEST_EXTENSIONS$sharedir/extension" "$share/extension"
	fi
	rm -f "$lib/sdc.so" "$share"/extension/sdc.control \
		"$share"/extension/sdc--*.sql "$share"/extension/sdc-fake-*.tsv
	cp "$SDC_ROOT"/bin/* "$SDC_BIN/"
	cp "$build/sdc.so" "$lib/"
	cp "$SDC_ROOT/sdc.control" "$build"/sdc--*.sql "$share/extension/"
	cp "$SDC_ROOT"/data/fake/sdc-fake-*.tsv "$share/extension/"
	find "$SDC_ROOT/sql/updates" -name 'sdc--*.sql' \
		-exec cp {} "$share/extension/" ';' 2>/dev/null || true
	chmod -R a+rX "$SDC_TEMPORARY/pg"
	SDC_PGXS=$(dirname "$("$PG_CONFIG" --pgxs)")
	SDC_PGXS=${SDC_PGXS%/src/makefiles}
	if [ -x "$SDC_BIN/pg_config" ]; then
		PG_CONFIG=$SDC_BIN/pg_config
	fi
	PATH=$SDC_BIN:$PATH
}

# ---------------------------------------------------------------------------
# The cluster.

start()
{
	local data=$SDC_TEMPORARY/data log=$SDC_TEMPORARY/server.log
	local said=$SDC_TEMPORARY/start.log

	mkdir -m 700 "$SDC_TEMPORARY/socket"
	if [ -n "$server_user" ]; then
		chown "$server_user" "$SDC_TEMPORARY/socket"
	fi
	if ! as_server initdb -D "$data" -U postgres -A trust --no-sync \
		--encoding=UTF8 --locale=C --lc-ctype="$LC_ALL" >"$said" 2>&1; then
		cat "$said" >&2
		exit 1
	fi
	cat >>"$data/postgresql.conf" <<-CONF
		listen_addresses = ''
		unix_socket_directories = '$SDC_TEMPORARY/socket'
		fsync = off
		synchronous_commit = off
		full_page_writes = off
		max_wal_size = 4GB
		autovacuum = off
		log_timezone = UTC
		timezone = UTC
		# compiling takes longer than what small tables then save
		jit = off
		${SDC_TEST_CONF:-}
	CONF
	if ! as_server pg_ctl -D "$data" -l "$log" -t 900 -w start >"$said" 2>&1; then
		cat "$said" "$log" >&2
		exit 1
	fi
}

trap clean_up EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP
LC_ALL=C
if locale -a 2>/dev/null | grep -iE '^C\.utf-?8$' >/dev/null; then
	LC_ALL=C.UTF-8
fi
LANG=$LC_ALL
TZ=UTC
unset LANGUAGE
export LC_ALL LANG TZ
make_temporary
mirror
export PATH PG_CONFIG SDC_ROOT SDC_TEMPORARY SDC_BIN SDC_PGXS SDC_AS_SERVER
if [ "${SDC_TEST_SERVER:-}" != none ]; then
	start
	export PGHOST=$SDC_TEMPORARY/socket PGUSER=postgres PGDATABASE=postgres
fi
TMPDIR=$SDC_TEMPORARY "$@"
