/*
 * generalization_write.h
 *		A relation generalized at a node, as a new table, and verified.
 */
#ifndef SDC_PG_GENERALIZATION_WRITE_H
#define SDC_PG_GENERALIZATION_WRITE_H

#include "postgres.h"

#include "nodes/pg_list.h"

#include "kernel/generalization/generalization.h"
#include "pg/generalization/generalization.h"
#include "pg/data/target.h"

/* What is to be written. */
typedef struct SdcGeneralizationRelease
{
	const SdcTarget *target;
	const uint8 *level; /* of each key */
	List *drop;         /* names of columns that are left out (char *) */
	bool remove;        /* leave records of failing classes out */
	int64 suppressed;   /* records of failing classes */

	/* set by sdcpg_generalization_write */
	int64 records;
	/* set by sdcpg_generalization_verify, of what was written */
	int32 classes; /* that are not the suppressed records */
	const SdcGeneralizationClasses *judged;
} SdcGeneralizationRelease;

/*
 * Creates the target: the columns of the relation but those to drop; keys on
 * their levels, as text above level 0.  Records of classes that fail are left
 * out or get '*' in keys above level 0, NULL in keys on level 0.  One CREATE
 * TABLE AS; labels come from the hierarchies as they were applied to the
 * different values of each key, and are joined.
 */
extern void sdcpg_generalization_write(SdcGeneralization *problem,
									   SdcGeneralizationRelease *release);

/*
 * Reads what was written and judges its classes by the models.  Stops when one
 * fails, or when there are more or fewer records than expected.
 */
extern void sdcpg_generalization_verify(SdcGeneralization *problem,
										SdcGeneralizationRelease *release);

#endif
