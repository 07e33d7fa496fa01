#!/usr/bin/env bash
#
# sql_calibration.sh: is what the likelihood attack says as often right?  Every
# mask of test/data/masks_attacked.sql on SDC_BENCH_SEEDS (20) random tables of
# SDC_BENCH_ROWS (1,000) rows, pooled by mask and tenth of the chance that was
# said.  Lines: "bands", how many have 200 links, how many err by more than
# .05, how many by more than chance explains (5 percent over all bands); then
# each of the former, "fails" or "chance".  Run by bench.sh inside a throw-away
# cluster.

set -euo pipefail

data=$(cd "$(dirname "${BASH_SOURCE[0]}")/../data" && pwd)

psql -XAtqF , -v ON_ERROR_STOP=1 -v seeds="${SDC_BENCH_SEEDS:-20}" -v rows="${SDC_BENCH_ROWS:-1000}" \
	-v first="${SDC_BENCH_SEED:-9701}" -v data="$data" <<-'SQL'
	SET client_min_messages = warning;
	CREATE EXTENSION sdc;
	\set file :data '/masks_attacked.sql'
	\i :file
	SELECT count(attack_masks(seed::int, :rows, '{}'))
	FROM generate_series(:first, :first + :seeds - 1) AS seed \g /dev/null
	SELECT 'bands', count(*), count(*) FILTER (WHERE error > 0.05), count(*) FILTER (WHERE fails) FROM bands_tested;
	SELECT 'band', name, band, links, round(said::numeric, 3), round(is_right::numeric, 3),
		   round(deviation::numeric, 3), CASE WHEN fails THEN 'fails' ELSE 'chance' END
	FROM bands_tested WHERE error > 0.05 ORDER BY name, band;
SQL
