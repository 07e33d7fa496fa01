/*
 * publish.h
 *		A masked table takes the place of the release before it.
 */
#ifndef SDC_RELEASE_PUBLISH_H
#define SDC_RELEASE_PUBLISH_H

#include "postgres.h"

#include "nodes/pg_list.h"

#include "host/call/relation.h"
#include "host/data/frequency.h"
#include "release/policy.h"
#include "release/seal.h"

/* A table on its way from masked to published. */
typedef struct SdcStaging
{
	const SdcPolicyRelation *policy;
	const SdcRelation *original;
	SdcPolicyParams params;
	Jsonb *rules;         /* of the policy; NULL for keys that are dropped */
	int place;            /* of the table in the release, from 0 */
	Oid schema;           /* where it is, and what is published will be */
	char *table;          /* name of the published table */
	char *target;         /* the same with its schema, as in SQL */
	SdcRelation *masked;  /* with the id as in the original */
	SdcRelation *release; /* with the id as it is published */
	List *published;      /* char *: columns that are published, in order */
	int64 rows;
	double moved; /* the largest change of a cell, of a table of cells */
	Jsonb *told;  /* of cells: what is to be remembered, or NULL */
	char *name;   /* of the staging table; NULL before there is one */
	char *whole;  /* what sdc.mask writes all rows into, as in SQL */
	bool
		shuffled; /* as sdc.mask has left what is published, in random order */
	SdcSeal seal; /* of what was published */
	/* what masked and release told while they were written; NULL: nothing */
	struct SdcWritten *masked_written;
	struct SdcWritten *release_written;
	struct SdcVersions *versions; /* NULL before */
	List *parents; /* SdcStaging *: masked tables that this one refers to */
	List *run;     /* SdcStaging *: all tables that are published together */
	struct SdcTied *tied; /* of gate.h, once it was looked for; or NULL */
	int64 held; /* rows left out, as what they refer to is not published */
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
 * What a superuser makes must not fire an event trigger whose function another
 * role can replace: stops him.
 */
extern void sdcpg_publish_check_event_triggers(void);

/* Runs a statement as the caller and returns how many rows it wrote. */
extern uint64 sdcpg_staging_run(const char *sql);

/*
 * Calls sdc.mask as the caller; id may be NULL.  The active snapshot sees the
 * new table.  Written, unless NULL, learns what its rows tell.
 */
extern void sdcpg_staging_call_mask(Oid rel, Jsonb *rules, const char *id,
									const char *target, bool seeded,
									int64 seed, struct SdcWritten *written);

/*
 * The cells of keys and sensitive columns of the masked table, if they were
 * counted while it was written, or NULL.
 */
extern const SdcFrequencyTally *sdcpg_staging_tally(const SdcStaging *staging);

/*
 * Stops when the rows of a relation are on other servers and a rule draws:
 * what it drew is remembered here, for the next release.
 */
extern void sdcpg_staging_refuse_spread(const SdcRelation *original,
										const SdcRules *rules);

/*
 * Masks the table as a release of the policy; the active snapshot, which must
 * be the one that all tables of the release are read with, sees the result.
 */
extern void sdcpg_staging_mask(SdcStaging *staging, const char *policy,
							   int64 release, bool seeded, int64 seed);

/*
 * A text with the name of the published table in place of that of the staging
 * table; the text itself when it does not name it, or is NULL.  json: the text
 * is a document of JSON, where the name stands in a string.
 */
extern char *sdcpg_staging_name(const SdcStaging *staging, char *text,
								bool json);

/*
 * Stops when something has the name of the published table that is not the
 * very table that a release of this policy published, unchanged but for its
 * rows, its rights and plain indexes.
 */
extern void sdcpg_publish_check(const SdcStaging *staging, const char *policy);

/*
 * Publishes the rows of the staging table, in an order drawn at random, and
 * drops it.  Who reads meanwhile sees the release before this one until the
 * transaction commits, and no less of it.  Looks at what is replaced again,
 * under a lock.
 */
extern void sdcpg_publish(SdcStaging *staging, const char *policy,
						  int64 release);

#endif
