#!/usr/bin/env bash
#
# leaves_nothing.sh PSQL OPTIONS...: runs psql for pg_regress (--launcher) and
# then prints what the test has left in the database, so that it fails: the
# next test, in the same database, would see it.  What stays by design is left
# out: the history of releases, and what was declared of tables that are gone.
# What one test leaves is what the next one finds, so it is listed once, and
# kept in the file left of the directory of the run.
#
# What the test has spent goes into the file that SDC_SPENT names, as spent.pl
# writes it, where the server is that of with_cluster.sh: its postmaster counts
# the sessions that have ended.

set -uo pipefail

psql=$1
database=
for ((i = 1; i <= $#; i++)); do
	if [ "${!i}" = -d ]; then
		next=$((i + 1))
		database=${!next}
	fi
done

list()
{
	"$psql" -XAtq -d "$database" <<-'SQL' 2>&1
		SET search_path = pg_catalog;
		WITH own AS (SELECT classid, objid FROM pg_depend WHERE deptype IN ('e', 'i', 'a')),
		place AS (SELECT oid FROM pg_namespace WHERE nspname !~ '^(pg_|information_schema$|sdc$|sdc_internal$)')
		SELECT 'relation ' || oid::regclass FROM pg_class
		WHERE relnamespace IN (TABLE place) AND relkind <> 'i' AND ('pg_class'::regclass, oid) NOT IN (TABLE own)
		UNION ALL SELECT 'function ' || oid::regprocedure FROM pg_proc
		WHERE pronamespace IN (TABLE place) AND ('pg_proc'::regclass, oid) NOT IN (TABLE own)
		UNION ALL SELECT 'type ' || oid::regtype FROM pg_type
		WHERE typnamespace IN (TABLE place) AND ('pg_type'::regclass, oid) NOT IN (TABLE own)
		UNION ALL SELECT 'schema ' || nspname FROM pg_namespace WHERE oid IN (TABLE place)
		UNION ALL SELECT 'extension ' || extname FROM pg_extension
		UNION ALL SELECT 'role ' || rolname FROM pg_roles
		UNION ALL SELECT 'policy ' || policy FROM sdc.policy
		UNION ALL SELECT 'domain ' || domain FROM sdc.secret
		UNION ALL SELECT 'hierarchy ' || hierarchy FROM sdc.hierarchy
		UNION ALL SELECT 'data set ' || name FROM sdc.dp_dataset
		ORDER BY 1
	SQL
}

# Hundredths of seconds of CPU, of the server's ended sessions, of those that
# are about to end, and of psql.
spent()
{
	local postmaster

	read -r postmaster <"$server"
	cat /proc/[0-9]*/stat 2>/dev/null | sed 's/(.*)/()/' |
		awk -v postmaster="$postmaster" -v own=$$ '
			$1 == postmaster || $1 == own { spent += $16 + $17 }
			$4 == postmaster { spent += $14 + $15 }
			END { print spent + 0 }'
}

server=${SDC_TEMPORARY:-}/data/postmaster.pid
[ -f "$server" ] || SDC_SPENT=
left=$PWD/left
[ -f "$left" ] || list | sort >"$left"
[ -z "${SDC_SPENT:-}" ] || before=$(spent)
start=$SECONDS
"$@"
status=$?
list | sort >"$left.now"
[ -z "${SDC_SPENT:-}" ] || printf 'regress/%-32s %8.2f %8.1f\n' \
	"${PGAPPNAME#*/}" "$(($(spent) - before))e-2" $((SECONDS - start)) >>"$SDC_SPENT"
comm -13 "$left" "$left.now" | sed 's/^/left behind: /'
mv "$left.now" "$left"
exit $status
