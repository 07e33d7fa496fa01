/*
 * publish.h
 *		A masked table takes the place of the release before it.
 */
#ifndef SDC_PG_PUBLISH_H
#define SDC_PG_PUBLISH_H

#include "postgres.h"

#include "pg/release/staging.h"

/*
 * Stops when something has the name of the published table that is not a
 * release of this policy.
 */
extern void sdcpg_publish_check(const SdcStaging *staging, const char *policy);

/*
 * Publishes the rows of the staging table, in an order drawn at random, and
 * drops it.  Who reads meanwhile sees the release before this one until the
 * transaction commits, and no less of it.
 */
extern void sdcpg_publish(SdcStaging *staging);

/* Drops the staging tables without publishing anything. */
extern void sdcpg_publish_drop(SdcStaging *staging);

#endif
