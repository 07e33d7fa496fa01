/*
 * mask_copy.c
 *		A masked copy of a relation.
 *
 * CREATE TABLE AS ... WITH NO DATA makes the table, so its columns, its owner
 * and the rights to it are PostgreSQL's business; then the same SELECT is run
 * once and its rows go into the table many at a time.
 */
#include "postgres.h"

#include "access/xact.h"
#include "utils/lsyscache.h"

#include "pg/mask/mask_copy.h"
#include "pg/mask/mask_select.h"
#include "pg/mask/mask_sink.h"
#include "pg/mask/mask_suppress.h"
#include "pg/server/compat.h"

/* Bytes of rows that are held back. */
#define HELD_BYTES (256 * 1024)

static void
take_row(void *arg, const Datum *values, const bool *isnull)
{
	sdcpg_mask_sink_put(arg, values, isnull);
}

/* Creates a table and fills it with the rows of the SELECT. */
static SdcMaskCount *
fill(SdcPgHost *host, SdcMaskPlan *plan, const SdcTarget *target)
{
	SdcMaskTaker taker = {take_row};
	char *select = sdcpg_mask_select(plan, false);
	SdcMaskCount *count;

	sdcpg_target_create(host, target, psprintf("%s WITH NO DATA", select),
						&plan->parameters);
	CommandCounterIncrement();
	taker.arg = sdcpg_mask_sink_open(
		plan, get_relname_relid(target->name, target->schema), InvalidOid,
		false, HELD_BYTES);
	count = sdcpg_mask_write(host, plan, &taker);
	if (sdcpg_mask_sink_close(taker.arg) != count->rows)
		elog(ERROR, "rows were lost on their way into a copy");
	CommandCounterIncrement();
	return count;
}

SdcMaskCount *
sdcpg_mask_copy(SdcPgHost *host, SdcMaskPlan *plan, const SdcTarget *target)
{
	SdcTarget *stage;
	SdcMaskCount *count;

	if (plan->suppress == NULL)
		return fill(host, plan, target);
	stage = sdcpg_mask_suppress_stage(target->schema, "sdc_masked");
	count = fill(host, plan, stage);
	sdcpg_progress_stage(&host->progress, "suppressing");
	sdcpg_mask_suppress(plan, stage, target, count);
	return count;
}
