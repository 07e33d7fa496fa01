/*
 * recoding.h
 *		Local recoding of a relation: its keys' hierarchies, and the new table.
 */
#ifndef SDC_PG_RECODING_H
#define SDC_PG_RECODING_H

#include "postgres.h"

#include "utils/jsonb.h"

#include "kernel/generalization/local_recoding.h"
#include "pg/data/frequency.h"
#include "pg/generalization/hierarchy.h"
#include "pg/server/host.h"
#include "pg/call/relation.h"
#include "pg/data/target.h"

/* What params says of the keys. */
typedef struct SdcRecodingHierarchies
{
	const SdcRelationColumns *keys;
	char **name; /* of each key's hierarchy; NULL: the value, or * */
	double *weight;
	/* set by sdcpg_recoding_load */
	SdcHierarchyMap **map;
	SdcRecodingKey *key; /* the same for the kernel */
} SdcRecodingHierarchies;

/*
 * Reads params.hierarchies {"key": "hierarchy"} and params.weights {"key":
 * number from 0 to 10^6, 1 unless told}.  What is not a key, and what is not a
 * hierarchy, stops with an error.
 */
extern SdcRecodingHierarchies *
sdcpg_recoding_read(Jsonb *params, const SdcRelationColumns *keys);

/*
 * Applies the hierarchies to the values that occur; the first columns of the
 * table are the keys.  A value without a rule stops with an error that names
 * the hierarchy and the column.
 */
extern void sdcpg_recoding_load(SdcPgHost *host,
								SdcRecodingHierarchies *hierarchies,
								const SdcFrequencyTable *table);

/*
 * Creates the target from a relation that was counted with an id: each record
 * has the keys of its class, as text, in place of its own.  Tuple c of the
 * recoding is class c of classes.  A column that is generated from keys is
 * NULL.  Returns the number of rows.
 */
extern uint64 sdcpg_recoding_write(SdcPgHost *host, const SdcTarget *target,
								   const SdcRelation *relation,
								   const SdcRelationColumn *id,
								   const SdcRecodingHierarchies *hierarchies,
								   const SdcFrequencyTable *table,
								   const SdcClasses *classes,
								   const SdcLocalRecoding *local);

#endif
