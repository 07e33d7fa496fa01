/*
 * ledger.h
 *		What has been spent of the budgets: counted so that nothing undoes it.
 */
#ifndef SDC_TOPIC_LEDGER_H
#define SDC_TOPIC_LEDGER_H

#include "postgres.h"

#include "topic/privacy/dataset.h"

/* ----------------------------------------------------------------------
 * What has been spent of the budgets: counted so that nothing undoes it.
 * ----------------------------------------------------------------------
 */

/* Is there a counter of that number, of whatever budget? */
extern bool sdcpg_ledger_exists(int64 budget);

/* Makes the two counters of a new budget, at 0. */
extern void sdcpg_ledger_make(int64 budget);

/* What has been spent of a budget; stops when a counter is gone. */
extern SdcAmount sdcpg_ledger_spent(int64 budget);

/*
 * Stops unless a request could be charged here at all: not in a read-only
 * transaction, in a parallel one, or on a standby.
 */
extern void sdcpg_ledger_check(void);

/*
 * Charges the data set and the grant with the cost of a request, or stops
 * with nothing charged when either has not that much left.  When it returns
 * the charge is on disk, and on synchronous standbys if there are any; no
 * ROLLBACK takes it back.  request is what was asked, for the log.
 */
extern void sdcpg_ledger_charge(const SdcDataset *dataset,
								const SdcBudget *grant, SdcAmount cost,
								const char *request);

#endif
