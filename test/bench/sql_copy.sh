#!/usr/bin/env bash
#
# sql_copy.sh: a safe copy of a made schema of 40 tables beside pg_dump | psql
# of the same data.  Run by bench.sh inside a throw-away cluster.
#
# SDC_BENCH_ROWS (1,000,000) are the rows of all tables together: a tenth are
# persons with ten personal columns, the rest is in 39 tables that refer to
# them, to each other and to small tables.  CPU seconds of the client and of
# all of the server, as the postmaster counts them when its children have
# ended; "times" is the ratio to pg_dump | psql.  After it what check_copy found,
# and how many lines of a dump of the copy grep finds an original address, phone
# or IBAN in; then a table of as many rows with a unique e-mail address, and how
# many different ones its copy has.

set -euo pipefail

rows=${SDC_BENCH_ROWS:-1000000}
hertz=$(getconf CLK_TCK)

sql()
{
	psql -XAtq -v ON_ERROR_STOP=1 -v rows="$rows" "$@"
}

postmaster=$(head -1 "$(sql -c 'SHOW data_directory')/postmaster.pid")

# CPU ticks so far: of what has ended in the server, and of this shell's; the
# postmaster counts a backend when it is gone.
ticks()
{
	while [ "$(ps --ppid "$postmaster" -o args= | grep -cE '\[local\]|defunct')" != 0 ]; do
		sleep 0.2
	done
	sleep 0.5
	awk '{ sub(/.*\) /, ""); print $14 + $15 }' "/proc/$postmaster/stat" "/proc/$$/stat" |
		paste -sd+ | bc
}

# measure WHAT COMMAND...: prints a line of the bench.
measure()
{
	local what=$1 before seconds

	shift
	before=$(ticks)
	"$@" >/dev/null
	seconds=$(echo "scale=2; ($(ticks) - $before) / $hertz" | bc)
	first=${first:-$seconds}
	echo "bench,copy,$what,$rows,40,$seconds,,times=$(echo "scale=2; $seconds / $first" | bc)"
}

restore()
{
	createdb restored
	pg_dump -n made | psql -Xq restored
}

call()
{
	sql -c "SELECT count(*) FROM sdc.copy_schema('made', '$1', '$2', $3)"
}

sql -o /dev/null <<-'SQL'
	CREATE EXTENSION sdc;
	CREATE SCHEMA made;
	SET search_path = made;
	SELECT :rows / 10 AS persons, :rows * 9 / 10 / 36 AS others \gset
	CREATE TABLE region (id int PRIMARY KEY, label text);
	INSERT INTO region SELECT i, 'region ' || i FROM generate_series(1, 50) AS i;
	CREATE TABLE article (id int PRIMARY KEY, label text, price numeric(10,2));
	INSERT INTO article SELECT i, 'article ' || i, i * 7 % 100 FROM generate_series(1, 500) AS i;
	CREATE TABLE setting (key text PRIMARY KEY, value int);
	INSERT INTO setting SELECT 'key' || i, i FROM generate_series(1, 100) AS i;
	CREATE TABLE person (id int PRIMARY KEY, region int REFERENCES region, first_name text, last_name text, email text UNIQUE,
		phone text, street text, city text, iban text, date_of_birth date, notes text, created_at timestamptz, points int, active boolean);
	INSERT INTO person SELECT i, 1 + i % 50, (ARRAY['Sabine','Heike','Petra','Uwe','Holger'])[1 + i % 5], (ARRAY['Schmidt','Weber','Meyer','Wagner'])[1 + i % 4],
		'user' || i || '@web.test', '+49 171 ' || 5000000 + i, 'Gartenweg ' || i % 120, (ARRAY['Berlin','Hamburg','Kiel'])[1 + i % 3],
		'DE' || lpad((98 - (lpad((i::bigint * 98765432109 % 999999999999999)::text, 18, '0') || '131400')::numeric % 97)::text, 2, '0') || lpad((i::bigint * 98765432109 % 999999999999999)::text, 18, '0'),
		date '1945-01-01' + i % 20000, 'spoke to user' || i || '@web.test', timestamptz '2024-01-01' + i * interval '1 minute', i % 1000, i % 3 = 0
	FROM generate_series(1, :persons) AS i;
	SELECT format('CREATE TABLE t%s (id int PRIMARY KEY, person int REFERENCES person, article int REFERENCES article, before int %s,
		amount numeric(10,2), placed date, state text, quantity int)', n, CASE WHEN n > 1 THEN format('REFERENCES t%s', n - 1) END)
	FROM generate_series(1, 36) AS n ORDER BY n \gexec
	SELECT format('INSERT INTO t%s SELECT i, 1 + i::bigint * 7919 %% %s, 1 + i %% 500, %s, i %% 999, date ''2024-01-01'' + i %% 400, (ARRAY[''new'',''paid'',''sent''])[1 + i %% 3], i %% 7
		FROM generate_series(1, %s) AS i', n, :persons, CASE WHEN n > 1 THEN 'i' ELSE 'NULL' END, :others)
	FROM generate_series(1, 36) AS n ORDER BY n \gexec
	SELECT format('CREATE INDEX ON t%s (person); CREATE INDEX ON t%s (before)', n, n) FROM generate_series(1, 36) AS n \gexec
	ANALYZE;
	CHECKPOINT;
SQL

measure "pg_dump | psql" restore
measure "safe copy" call safe '{"*": {"method": "keep"}}' "'{\"locale\": \"de\"}'"
measure "check_copy" sql -c "SELECT * FROM sdc.check_copy('made', 'safe', '{\"*\": {\"method\": \"keep\"}}', '{\"locale\": \"de\"}')"
up="$(sql -c "SELECT string_agg(format('\"t%s.t%s_before_fkey\"', n, n), ',') FROM generate_series(2, 36) AS n")"
for share in 1000 100 10; do
	for search in all part; do
		measure "a part: 1 of $share, search $search" call "part$share$search" '{"*": {"method": "keep"}}' \
			"'{\"locale\": \"de\", \"subset\": {\"rows\": $((rows / share)), \"from\": \"person\", \"search\": \"$search\", \"up\": [$up]}}'"
		sql -c "SELECT 'rows ' || sum((xpath('//n/text()', query_to_xml(format('SELECT count(*) AS n FROM %s', c.oid::regclass), false, true, '')))[1]::text::int)
			FROM pg_class AS c WHERE relnamespace = 'part$share$search'::regnamespace AND relkind = 'r'"
	done
done
sql -c "SELECT measure, value FROM sdc.check_copy('made', 'safe', '{\"*\": {\"method\": \"keep\"}}', '{\"locale\": \"de\"}')"
echo "grep $(pg_dump -a -n safe | grep -cE '@web\.test|\+49 171 [0-9]{7}' || true)"
echo "IBANs $(sql -c 'SELECT count(*) FROM made.person JOIN safe.person USING (iban)')"
sql -c "CREATE SCHEMA one; CREATE TABLE one.account (id int PRIMARY KEY, email text UNIQUE);
	INSERT INTO one.account SELECT i, 'user' || i || '@web.test' FROM generate_series(1, $rows) AS i"
measure "unique addresses" sql -c "SELECT count(*) FROM sdc.copy_schema('one', 'one_safe', '{}', '{\"locale\": \"de\"}')"
sql -c "SELECT count(*) || ' rows, ' || count(DISTINCT email) || ' addresses' FROM one_safe.account"
