#!/usr/bin/env bash
#
# sql_anonymize.sh: what sdc.anonymize costs, against a bare GROUP BY of the
# same columns, and how it splits: grouping is a lattice of one node, search is
# sdc.lattice without that, writing is sdc.anonymize without sdc.lattice.  Run
# by bench.sh inside a throw-away cluster.
#
# Table: SDC_BENCH_ROWS (1,000,000) rows drawn from adult (30,162 records, eight
# keys, occupation sensitive), where three rows in ten take one key from another
# record.  adult and its hierarchies are read from $SDC_SHARED/data/adult; where
# there is none, a table of the same shape is made, which the name says.

set -euo pipefail

. "$(dirname "${BASH_SOURCE[0]}")/statements.sh"

adult=${SDC_SHARED:-$(dirname "${BASH_SOURCE[0]}")/../../../shared}/data/adult
files=(sex:2 age:5 race:2 marital-status:3 education:4 native-country:3
	workclass:3 salary-class:2)
names_of_keys=(sex age race marital education country work salary)

# SQL that loads a hierarchy of that many levels from a file.
load_hierarchy()
{
	local columns="" list="" level

	for ((level = 0; level < $3; level++)); do
		columns+="${columns:+, }l$level text"
		list+="${list:+, }\"l$level\""
	done
	cat <<-SQL
		CREATE TABLE h ($columns);
		\\copy h FROM '$adult/hierarchy_$2.csv' (FORMAT csv, DELIMITER ';')
		SELECT sdc.create_hierarchy('$1', 'table', '{"relation": "h", "levels": [$list]}') AS ignored \\gset
		DROP TABLE h;
	SQL
}

load_adult()
{
	local i

	cat <<-SQL
		CREATE TABLE base (sex text, age int, race text, marital text, education text,
			country text, work text, occupation text, salary text);
		\\copy base FROM '$adult/adult.csv' (FORMAT csv, DELIMITER ';', HEADER)
	SQL
	for i in "${!files[@]}"; do
		load_hierarchy "${names_of_keys[i]}" "${files[i]%:*}" "${files[i]#*:}"
	done
}

make_adult()
{
	cat <<-'SQL'
		CREATE TABLE base AS
		SELECT 's' || (random() < 0.5)::int AS sex,
			   (17 + floor(74 * random() * random()))::int AS age,
			   'r' || floor(5 * power(random(), 4)) AS race,
			   'm' || floor(7 * random() * random()) AS marital,
			   'e' || chr((97 + floor(16 * random() * random()))::int) AS education,
			   'c' || lpad(floor(41 * power(random(), 8))::text, 2, '0') AS country,
			   'w' || floor(7 * power(random(), 3)) AS work,
			   'o' || floor(14 * random()) AS occupation,
			   'p' || (random() < 0.25)::int AS salary
		FROM generate_series(1, 30162) AS i;
		SELECT sdc.create_hierarchy(n, 'prefix', p::jsonb) AS ignored
		FROM (VALUES ('sex', '{"length": 2, "keep": []}'), ('race', '{"length": 2, "keep": []}'),
					 ('marital', '{"length": 2, "keep": [1]}'), ('education', '{"length": 2, "keep": [1]}'),
					 ('country', '{"length": 3, "keep": [2]}'), ('work', '{"length": 2, "keep": [1]}'),
					 ('salary', '{"length": 2, "keep": []}')) AS v (n, p);
		SELECT sdc.create_hierarchy('age', 'numeric', '{"widths": [5, 10, 20]}') AS ignored;
	SQL
}

prepare()
{
	{
		echo "SET client_min_messages = warning; CREATE EXTENSION sdc; \\o /dev/null"
		echo "SELECT setseed(0.5);"
		if [ -e "$adult/adult.csv" ]; then load_adult; else make_adult; fi
		cat <<-'SQL'
			CREATE TABLE numbered AS SELECT row_number() OVER () - 1 AS n, b.* FROM base AS b;
			CREATE TABLE people AS
			SELECT d.i AS id,
				   CASE WHEN c = 0 THEN o ELSE b END.sex, CASE WHEN c = 1 THEN o ELSE b END.age,
				   CASE WHEN c = 2 THEN o ELSE b END.race, CASE WHEN c = 3 THEN o ELSE b END.marital,
				   CASE WHEN c = 4 THEN o ELSE b END.education, CASE WHEN c = 5 THEN o ELSE b END.country,
				   CASE WHEN c = 6 THEN o ELSE b END.work, b.occupation,
				   CASE WHEN c = 7 THEN o ELSE b END.salary
			FROM (SELECT i, floor(30162 * random())::bigint AS x, floor(30162 * random())::bigint AS y,
						 floor(26 * random())::int AS c FROM generate_series(1, :rows) AS i) AS d
			JOIN numbered AS b ON b.n = d.x JOIN numbered AS o ON o.n = d.y;
			VACUUM ANALYZE people;
			VACUUM ANALYZE base;
			CHECKPOINT;
		SQL
	} | sed -E 's/CASE WHEN c = ([0-9]) THEN o ELSE b END\.([a-z]+)/CASE WHEN c = \1 THEN o.\2 ELSE b.\2 END AS \2/g' |
		psql -Xq -v ON_ERROR_STOP=1 -v rows="$rows"
}

keys="{sex,age,race,marital,education,country,work,salary}"
hierarchies='"hierarchies": {"sex": "sex", "age": "age", "race": "race",
	"marital": "marital", "education": "education", "country": "country",
	"work": "work", "salary": "salary"}'
one='"levels": {"sex": 0, "age": 0, "race": 0, "marital": 0, "education": 0,
	"country": 0, "work": 0, "salary": 0}'

# The statements of a table; adult has 30,162 rows, whatever the output says.
add_table()
{
	local floor=${#statements[@]} limit what=$1

	[ "$1" != base ] || what="adult"

	add "group by of $what" 8 "$floor" \
		"SELECT count(*) FROM (SELECT sex, age, race, marital, education,
			country, work, salary, count(*) FROM $1
			GROUP BY 1, 2, 3, 4, 5, 6, 7, 8) AS g"
	add "create table as of $what" 8 "$floor" \
		"CREATE TABLE made AS SELECT * FROM $1"
	add "grouping of $what" 8 "$floor" \
		"SELECT * FROM sdc.lattice('$1', '$keys', k => 5,
			params => '{$hierarchies, $one, \"suppression\": 100}')"
	for limit in 0 5 100; do
		add "lattice of $what; $limit %" 8 "$floor" \
			"SELECT * FROM sdc.lattice('$1', '$keys', k => 5,
				params => '{$hierarchies, \"suppression\": $limit}')"
		add "anonymize $what; $limit %" 8 "$floor" \
			"SELECT * FROM sdc.anonymize('$1', 'made', '$keys', k => 5,
				params => '{$hierarchies, \"suppression\": $limit}')"
	done
	add "anonymize $what; 5 % and l = 3" 9 "$floor" \
		"SELECT * FROM sdc.anonymize('$1', 'made', '$keys', '{occupation}',
			k => 5, l => 3, params => '{$hierarchies, \"suppression\": 5}')"
}

[ -e "$adult/adult.csv" ] || echo "no $adult/adult.csv: a table of that shape"
add_table base
add_table people
prepare
measure anonymize "DROP TABLE IF EXISTS made"
