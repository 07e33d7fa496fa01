/*
 * publish.h
 *		A masked table takes the place of the release before it.
 */
#ifndef SDC_RELEASE_PUBLISH_H
#define SDC_RELEASE_PUBLISH_H

#include "postgres.h"

#include "nodes/pg_list.h"

#include "host/call/relation.h"
#include "release/policy.h"

typedef struct SdcStaging
{
	const SdcPolicyRelation *policy;
	const SdcRelation *original;
	SdcPolicyParams params;
	Oid schema;           /* where it is, and what is published will be */
	char *table;          /* name of the published table */
	char *target;         /* the same with its schema, as in SQL */
	SdcRelation *masked;  /* with the id as in the original */
	SdcRelation *release; /* with the id as it is published */
	List *published;      /* char *: columns that are published, in order */
	int64 rows;
} SdcStaging;

/*
 * Resolves what is to be published where: target is NULL or the argument of
 * that name.  Stops unless the caller may create tables there and what has the
 * name now is a table of his own.
 */
extern void sdcpg_staging_plan(SdcStaging *staging,
							   const SdcPolicyRelation *policy,
							   const char *target);

/*
 * Masks the table; the active snapshot, which must be the one that all tables
 * of the release are read with, sees the result.  number makes the names of
 * tables unique.
 */
extern void sdcpg_staging_mask(SdcStaging *staging, int64 release, int number,
							   bool seeded, int64 seed);

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

#endif
