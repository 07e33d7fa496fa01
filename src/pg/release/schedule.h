/*
 * schedule.h
 *		Releases on a schedule, by pg_cron.
 */
#ifndef SDC_PG_SCHEDULE_H
#define SDC_PG_SCHEDULE_H

#include "postgres.h"

/*
 * Has pg_cron call release(policy, target) on a schedule, as the caller, in
 * place of the job that there is for this policy; returns the number of the
 * job.  target may be NULL.
 */
extern int64 sdcpg_schedule(const char *policy, const char *schedule,
							const char *target);

/* Removes the caller's job of a policy; returns its number, 0 without one. */
extern int64 sdcpg_schedule_end(const char *policy);

#endif
