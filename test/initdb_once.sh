#!/usr/bin/env bash
#
# initdb_once.sh: in place of initdb for TAP tests, each of which makes clusters
# of its own.  A second one that is asked for with the same options is a copy of
# the first; PostgreSQL from 16 on does the same by itself.
#
# It is called initdb, first in PATH; SDC_BIN has the real one, and
# SDC_TEMPORARY is where the copies are kept.

set -euo pipefail

data=
rest=()
while [ $# != 0 ]; do
	case $1 in
		-D | --pgdata)
			data=$2
			shift
			;;
		*)
			rest+=("$1")
			;;
	esac
	shift
done
if [ -z "$data" ]; then
	exec "$SDC_BIN/initdb" "${rest[@]}"
fi
# the locale makes a difference, too
name=$(printf '%s\n' "${rest[@]}" "${LANG:-}" "${LC_ALL:-}" | cksum | tr ' ' -)
kept=$SDC_TEMPORARY/initdb-$name
(
	flock 9
	if [ ! -f "$kept/PG_VERSION" ]; then
		"$SDC_BIN/initdb" -D "$kept" "${rest[@]}"
	fi
) 9>"$SDC_TEMPORARY/initdb.lock"
mkdir -p "$data"
cp -a "$kept/." "$data/"
chmod 700 "$data"
