/*
 * mask_sample.c
 *		A stratified sample of a relation, as SQL.
 *
 * The rows are numbered, the numbers shuffled, the rows put in the order of
 * strata and shuffled numbers, and numbered again: i.  Row i is taken when
 * i * share + start passes a whole number that (i - 1) * share + start has not
 * reached.  That is systematic sampling from a random order; its start is
 * uniform, so each row is as likely as any other, in small strata, too.
 */
#include "postgres.h"

#include "lib/stringinfo.h"

#include "kernel/base/random.h"
#include "pg/mask/mask_sample.h"

/* Appends "prefix r.a, r.b". */
static void
append_columns(StringInfo sql, const char *prefix,
			   const SdcRelationColumns *columns)
{
	int i;

	for (i = 0; i < columns->count; i++)
		appendStringInfo(sql, "%sr.%s", i == 0 ? prefix : ", ",
						 columns->column[i].sql);
}

void
sdcpg_mask_sample(StringInfo sql, const SdcRelation *relation,
				  const SdcRelationColumns *columns,
				  const SdcRelationColumns *strata,
				  const SdcRelationColumns *order, const char *unused,
				  const char *share, const char *seed, const char *start)
{
	append_columns(sql, "(SELECT ", columns);
	append_columns(sql, " FROM (SELECT ", columns);
	appendStringInfoString(sql, ", pg_catalog.row_number() OVER (ORDER BY ");
	append_columns(sql, "", strata);
	appendStringInfo(sql, "%sr.%s) AS %s", strata->count > 0 ? ", " : "",
					 unused, unused);
	append_columns(sql, " FROM (SELECT ", columns);
	appendStringInfo(sql, ", sdc.shuffle(r.%s, %s) OVER (ORDER BY r.%s) AS %s",
					 unused, seed, unused, unused);
	append_columns(sql, " FROM (SELECT ", columns);
	appendStringInfoString(sql, ", pg_catalog.row_number() OVER (");
	append_columns(sql, "ORDER BY ", order);
	appendStringInfo(sql, ") AS %s FROM %s AS r) AS r) AS r) AS r WHERE ",
					 unused, relation->sql);
	appendStringInfo(
		sql,
		"pg_catalog.floor((CAST(r.%s AS pg_catalog.float8) "
		"OPERATOR(pg_catalog.*) %s) OPERATOR(pg_catalog.+) %s) "
		"OPERATOR(pg_catalog.>) pg_catalog.floor((CAST(r.%s "
		"OPERATOR(pg_catalog.-) 1 AS pg_catalog.float8) "
		"OPERATOR(pg_catalog.*) %s) OPERATOR(pg_catalog.+) %s)) AS r",
		unused, share, start, unused, share, start);
}

double
sdcpg_mask_sample_start(uint64 seed)
{
	SdcRandom random;

	sdc_random_seed(&random, seed, 1);
	return (double) sdc_random_below(&random, 1 << 20) / (1 << 20);
}
