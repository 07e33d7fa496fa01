/*
 * mask_write.h
 *		The rows of a plan, read once and handed to where they go.
 */
#ifndef SDC_TOPIC_MASK_WRITE_H
#define SDC_TOPIC_MASK_WRITE_H

#include "postgres.h"

#include "executor/tuptable.h"
#include "nodes/pg_list.h"
#include "utils/rel.h"

#include "host/data/rows.h"
#include "host/server/host.h"
#include "topic/mask/mask_plan.h"

/*
 * Calls work(arg).  An error that may quote values (a violated constraint, a
 * value that cannot be read, what a function of the user raises) becomes one
 * that only names the relation, the constraint and the column; other errors
 * pass as they are.
 */
extern void sdcpg_mask_guard(const char *relation, void (*work)(void *arg),
							 void *arg);

/*
 * The same for work whose errors are those of sdc itself, unless a function of
 * the user raises them: only statements and names of tables made on the way
 * are taken out.
 */
extern void sdcpg_mask_guard_own(const char *relation, void (*work)(void *arg),
								 void *arg);

/* Where rows of a plan are written; private to mask_write.c. */
typedef struct SdcMaskSink SdcMaskSink;

/*
 * Opens a heap for the rows of a plan; columns are found by name, so a
 * partition may have them in another order.  With a table, each row is what
 * this table would take: generated columns are computed, NOT NULL and CHECK
 * are enforced; InvalidOid for none.  frozen: rows are visible to all at once,
 * for a heap that nobody can see yet.  At most bytes of rows are held back.
 * Each row is shown as the heap takes it, unless shown is NULL.
 */
extern SdcMaskSink *sdcpg_mask_sink_open(const SdcMaskPlan *plan, Oid heap,
										 Oid table, bool frozen, Size bytes,
										 const SdcRows *shown);

/* Appends a row: the columns of sdcpg_mask_select, in their order. */
extern void sdcpg_mask_sink_put(SdcMaskSink *sink, const Datum *values,
								const bool *isnull);

/* Writes what is held back, closes the heap and says how many rows it took. */
extern int64 sdcpg_mask_sink_close(SdcMaskSink *sink);

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
	/* for each column the values that take no part as they are not finite */
	int64 *unusual;
	/* for each column the values that were suppressed; -1: none could be */
	int64 *suppressed;
	/* for each column "before becomes after" (char *) of a few rows */
	List **example;
	char *sql;      /* the SELECT that was run */
	double seconds; /* that it took */
} SdcMaskCount;

/* Starts to count for a plan: nothing was changed so far. */
static inline SdcMaskCount *
sdcpg_mask_count_new(const SdcMaskPlan *plan)
{
	SdcMaskCount *count = palloc0(sizeof(SdcMaskCount));
	int i;

	count->changed = palloc(sizeof(int64) * (plan->columns + 1));
	count->suppressed = palloc(sizeof(int64) * (plan->columns + 1));
	count->unusual = palloc0(sizeof(int64) * (plan->columns + 1));
	count->example = palloc0(sizeof(List *) * (plan->columns + 1));
	for (i = 0; i < plan->columns; i++)
		count->changed[i] = count->suppressed[i] = -1;
	return count;
}

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
