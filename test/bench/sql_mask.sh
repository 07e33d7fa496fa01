#!/usr/bin/env bash
#
# sql_mask.sh: what sdc.mask costs, into a copy and in place, against CREATE
# TABLE AS and UPDATE of the same rows.  Run by bench.sh inside a throw-away
# cluster.
#
# One table of SDC_BENCH_ROWS (1,000,000) rows and 12 columns with a primary
# key; six of the columns are masked, by six methods.  The UPDATE writes these
# six columns too, with expressions that cost next to nothing.  Without a rule a
# copy costs its random order; so it does beside a CREATE TABLE AS that sorts by
# a random number.

set -euo pipefail

. "$(dirname "${BASH_SOURCE[0]}")/statements.sh"

psql -Xq -v ON_ERROR_STOP=1 -v rows="$rows" <<-'SQL'
	SET client_min_messages = warning;
	CREATE EXTENSION sdc;
	SELECT setseed(0.5) AS ignored \gset
	CREATE TABLE people AS
	SELECT i AS id, (20 + 60 * random())::int AS age, (random() < 0.5)::int AS sex,
		   'r' || floor(17 * random()) AS region, 1e5 * random() AS income,
		   1e4 * random() AS rent, 60 * random() AS hours,
		   's' || floor(12 * random()) AS sector, lpad((1e5 * random())::int::text, 5, '0') AS zip,
		   date '1950-01-01' + (20000 * random())::int AS born,
		   random() < 0.3 AS married, md5(i::text) AS note
	FROM generate_series(1, :rows) AS i;
	ALTER TABLE people ADD PRIMARY KEY (id);
	CREATE TABLE updated AS TABLE people;
	ALTER TABLE updated ADD PRIMARY KEY (id);
	VACUUM ANALYZE people;
	VACUUM ANALYZE updated;
	CHECKPOINT;
SQL

rules='{"income": {"method": "rank_swap", "p": 5}, "rent": {"method": "microaggregate", "k": 5},
	"hours": {"method": "add_noise", "alpha": 0.1}, "sector": {"method": "pram", "p": 80},
	"age": {"method": "top_code", "upper": 75}, "zip": {"method": "mask_text", "keep": 3}}'
seven='{"income": {"method": "rank_swap", "p": 5}, "rent": {"method": "add_noise", "alpha": 0.1},
	"born": {"method": "microaggregate", "k": 5}, "note": {"method": "mask_text", "keep": 1},
	"zip": {"method": "pseudonym", "domain": "bench"}, "sector": {"method": "pram", "p": 80}, "married": {"method": "null"}}'
plain='{"age": {"method": "top_code", "upper": 75}}'

add "create table as" 12 0 "CREATE TABLE made AS SELECT * FROM people"
add "update of six columns" 12 0 "UPDATE updated SET income = income + 1, rent = rent + 1,
	hours = hours + 1, sector = sector || 'x', age = age + 1, zip = zip || 'x'"
add "mask six into a copy" 12 0 "SELECT * FROM sdc.mask('people', '$rules', target => 'made', seed => 1)"
add "mask six in place" 12 0 "SELECT * FROM sdc.mask('people', '$rules', seed => 1)"
add "mask six in place again" 12 1 "SELECT * FROM sdc.mask('people', '$rules', seed => 1)"
add "mask one into a copy" 12 0 "SELECT * FROM sdc.mask('people', '$plain', target => 'made', seed => 1)"
add "mask one in place" 12 0 "SELECT * FROM sdc.mask('people', '$plain', seed => 1)"
add "mask none into a copy" 12 0 "SELECT * FROM sdc.mask('people', '{\"age\": {\"method\": \"keep\"}}', target => 'made', seed => 1)"
add "mask seven into a copy" 12 0 "SELECT * FROM sdc.mask('people', '$seven', target => 'made', seed => 1)"
add "mask one: pseudonym" 12 0 "SELECT * FROM sdc.mask('people', '{\"zip\": {\"method\": \"pseudonym\", \"domain\": \"bench\"}}', target => 'made', seed => 1)"
add "mask one: pram" 12 0 "SELECT * FROM sdc.mask('people', '{\"sector\": {\"method\": \"pram\", \"p\": 80}}', target => 'made', seed => 1)"
add "mask one: shuffle of a text" 12 0 "SELECT * FROM sdc.mask('people', '{\"region\": {\"method\": \"shuffle\"}}', target => 'made', seed => 1)"
add "random order by a sort" 12 0 "CREATE TABLE made AS SELECT * FROM people ORDER BY gen_random_uuid()"
add "mask six by hand" 12 0 "CREATE TABLE made AS SELECT id, sdc.top_code(age, 75) AS age, sex, region,
	sdc.rank_swap(income, 5, seed => 1) OVER w AS income, sdc.microaggregate(rent, 5) OVER w AS rent,
	sdc.add_noise(hours, 0.1, seed => 1) OVER w AS hours, sdc.pram(sector, 80, seed => 1) OVER w AS sector,
	sdc.mask_text(zip, 3) AS zip, born, married, note FROM people WINDOW w AS (ORDER BY id)"
measure mask "DROP TABLE IF EXISTS made; CLUSTER updated USING updated_pkey"
