/*
 * mask_write.h
 *		The rows of a plan, read once and handed to where they go.
 */
#ifndef SDC_PG_MASK_WRITE_H
#define SDC_PG_MASK_WRITE_H

#include "postgres.h"

#include "nodes/pg_list.h"

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
	/* for each column the values that were suppressed; -1: none could be */
	int64 *suppressed;
	/* for each column "before becomes after" (char *) of a few rows */
	List **example;
	char *sql;
	double seconds;
} SdcMaskCount;

/* Starts to count for a plan: nothing was changed so far. */
extern SdcMaskCount *sdcpg_mask_count_new(const SdcMaskPlan *plan);

/*
 * Runs the SELECT of a plan without writing anything, as the owner if it is
 * for a mask in place, and gathers examples of columns that the caller may
 * read.
 */
extern SdcMaskCount *sdcpg_mask_preview(SdcPgHost *host, SdcMaskPlan *plan);

/*
 * Runs the SELECT of a plan in the active snapshot as the current user, hands
 * its rows over, and counts what was changed; no taker only counts.
 */
extern SdcMaskCount *sdcpg_mask_write(SdcPgHost *host, SdcMaskPlan *plan,
									  const SdcMaskTaker *taker);

/* Hands over the rows of another query with such columns, not compared. */
extern void sdcpg_mask_write_again(SdcPgHost *host, SdcMaskPlan *plan,
								   const char *sql, const SdcMaskTaker *taker);

#endif
