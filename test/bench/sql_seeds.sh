#!/usr/bin/env bash
#
# sql_seeds.sh: what it costs to draw from the server's strong source, without
# a seed, against the stream of a seed, for each mask that draws.  Run by
# bench.sh inside a throw-away cluster.
#
# One table of SDC_BENCH_ROWS (1,000,000) rows.

set -euo pipefail

. "$(dirname "${BASH_SOURCE[0]}")/statements.sh"

psql -Xq -v ON_ERROR_STOP=1 -v rows="$rows" <<-'SQL'
	SET client_min_messages = warning;
	CREATE EXTENSION sdc;
	SELECT setseed(0.5) AS ignored \gset
	CREATE TABLE people AS
	SELECT i AS id, i / 4 AS house, (20 + 60 * random())::int AS age,
		   1e5 * random() AS income, 1e4 * random() AS rent,
		   (1e5 * random())::numeric(8, 2) AS price,
		   's' || floor(12 * random()) AS sector,
		   'r' || floor(17 * random()) AS region
	FROM generate_series(1, :rows) AS i;
	ALTER TABLE people ADD PRIMARY KEY (id);
	VACUUM ANALYZE people;
	CHECKPOINT;
SQL

# A call with a seed, and the same without.
pair()
{
	local seeded=${#names[@]}

	add "$1: seed" 1 "$seeded" "SELECT * FROM $2, seed => 1)"
	add "$1: strong" 1 "$seeded" "SELECT * FROM $2)"
}

mask()
{
	pair "$1" "sdc.mask('people', '$2', target => 'made', id => 'id'"
}

mask rank_swap '{"income": {"method": "rank_swap", "p": 5}}'
mask "add_noise gaussian" '{"income": {"method": "add_noise", "alpha": 0.1}}'
mask "add_noise laplace" '{"income": {"method": "add_noise", "alpha": 0.1, "variant": "laplace"}}'
mask "add_noise of two" '{"income,rent": {"method": "add_noise", "alpha": 0.1}}'
mask "microaggregate best" '{"income,rent": {"method": "microaggregate", "k": 5, "variant": "best"}}'
mask shuffle '{"income": {"method": "shuffle"}}'
mask "shuffle in strata of 4" '{"income": {"method": "shuffle", "strata": "house"}}'
mask pram '{"sector": {"method": "pram", "p": 80}}'
mask "round_to float8" '{"income": {"method": "round_to", "base": 1000, "random": true}}'
mask "round_to numeric" '{"price": {"method": "round_to", "base": 100, "random": true}}'
mask "round_to integer" '{"age": {"method": "round_to", "base": 5, "random": true}}'
mask sample_rows '{"*": {"method": "sample_rows", "p": 50}}'
mask suppress '{"age,sector,region": {"method": "suppress", "k": 5}}'
mask anatomize '{"sector": {"method": "anatomize", "l": 3}}'
mask synthesize '{"age,sector,region": {"method": "synthesize"}}'
pair sample_rows "sdc.sample_rows('people', 'made', p => 50"
measure seeds "DROP TABLE IF EXISTS made"
