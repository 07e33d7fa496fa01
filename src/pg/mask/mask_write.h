/*
 * mask_write.h
 *		The rows of a plan, read once and handed to where they go.
 */
#ifndef SDC_PG_MASK_WRITE_H
#define SDC_PG_MASK_WRITE_H

#include "postgres.h"

#include "pg/mask/mask_plan.h"
#include "pg/server/host.h"

/* Who takes the rows. */
typedef struct SdcMaskTaker
{
	/* values of the SELECT of mask_select.h, which do not outlive the call */
	void (*take)(void *arg, const Datum *values, const bool *isnull);
	void *arg;
} SdcMaskTaker;

/* What was counted on the way. */
typedef struct SdcMaskCount
{
	int64 rows;
	/*
	 * For each column of the plan the rows where it is not what it was; -1 for
	 * columns that are not masked or not read.
	 */
	int64 *changed;
	char *sql;
	double seconds;
} SdcMaskCount;

/*
 * Runs the SELECT of a plan in the active snapshot as the current user and
 * hands its rows over.
 */
extern SdcMaskCount *sdcpg_mask_write(SdcPgHost *host, SdcMaskPlan *plan,
									  const SdcMaskTaker *taker);

#endif
