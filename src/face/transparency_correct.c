/*
 * transparency_correct.c
 *		sdc.transparency_correct: what an honest user makes of published rules.
 */
#include "postgres.h"

#include "pg/call/args.h"
#include "pg/server/compat.h"
#include "pg/utility/correction.h"

PG_FUNCTION_INFO_V1(sdcf_transparency_correct);

static const char *const lines[] = {"mean", "variance", "covariance",
									"correlation", NULL};

/* transparency_correct(masked regclass, columns name[], rules jsonb) */
Datum
sdcf_transparency_correct(PG_FUNCTION_ARGS)
{
	static const char *const names[] = {"masked", "columns", "rules"};
	SdcReport *report;
	SdcRelation *masked;
	SdcRelationColumns columns;
	SdcRules rules;
	SdcPgHost *host;
	int i;

	for (i = 0; i < lengthof(names); i++)
		if (PG_ARGISNULL(i))
			sdcpg_args_null(names[i]);
	masked = sdcpg_relation_find(PG_GETARG_OID(0));
	columns =
		sdcpg_relation_columns(masked, "columns", PG_GETARG_ARRAYTYPE_P(1));
	sdcpg_relation_need_numbers(masked, &columns);
	rules = sdcpg_rules_read(PG_GETARG_JSONB_P(2), masked);
	report = sdcpg_report_begin(fcinfo, lines, lengthof(lines) - 1, NULL);
	host = sdcpg_host_begin("transparency_correct", CurrentMemoryContext);
	sdcpg_correction_report(report, host, masked, &columns, &rules);
	sdcpg_host_end(host);
	return (Datum) 0;
}
