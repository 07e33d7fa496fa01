/*
 * staging.h
 *		The masked form of a table before it is published.
 *
 * It is made, judged and dropped in one transaction, so no other session ever
 * sees it, and a crash leaves nothing of it.
 */
#ifndef SDC_PG_STAGING_H
#define SDC_PG_STAGING_H

#include "postgres.h"

#include "nodes/pg_list.h"

#include "pg/release/policy.h"
#include "pg/release/policy_params.h"

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

/* Makes the active snapshot see what the transaction has written. */
extern void sdcpg_staging_see(void);

/* Runs a statement as the caller and returns how many rows it wrote. */
extern uint64 sdcpg_staging_run(const char *sql);

#endif
