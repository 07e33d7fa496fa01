/*
 * release_run.h
 *		One run of sdc.release: from the lock to the verdict in the history.
 */
#ifndef SDC_PG_RELEASE_RUN_H
#define SDC_PG_RELEASE_RUN_H

#include "postgres.h"

/*
 * Releases by a policy; target is NULL or where the only table of the policy
 * is published, whatever the policy says.  Commits twice: when the run is in
 * the history, and when it has ended.  So the caller must be a procedure that
 * may do so, and connected to SPI for it.  Stops with an error unless
 * everything was published.
 */
extern void sdcpg_release_run(const char *policy, const char *target,
							  bool seeded, int64 seed);

#endif
