/*
 * anatomy.h
 *		The tables of a release in which groups hide sensitive values.
 */
#ifndef SDC_PG_ANATOMY_H
#define SDC_PG_ANATOMY_H

#include "postgres.h"

#include "utils/array.h"

#include "pg/call/attributes.h"
#include "pg/server/host.h"
#include "pg/data/target.h"

/* The columns that a release adds. */
#define SDC_ANATOMY_GROUP   "group_number"
#define SDC_ANATOMY_RECORDS "records"

/* What follows the name of the target in that of the second table. */
#define SDC_ANATOMY_SUFFIX "_sensitive"

/*
 * The release of a relation.  Its records are numbered from 0 in the order of
 * sdcpg_query_order; the arrays are integer[] of PostgreSQL, one element for
 * each record (sdcpg_anatomy_array).
 */
typedef struct SdcAnatomy
{
	const SdcRelation *relation;
	const SdcRelationColumn *id;
	SdcAttributes columns;
	SdcTarget *target;
	SdcTarget *sensitive_target; /* NULL: the values are in target */
	int32 rows;
	ArrayType *group;    /* its number, as released */
	ArrayType *position; /* where its keys stand in target, any numbers */
	ArrayType *source;   /* where its sensitive values stand, or NULL */
} SdcAnatomy;

/* An array for so many records, in memory of the host, to be filled. */
extern ArrayType *sdcpg_anatomy_array(SdcPgHost *host, int32 rows);

/*
 * Reads the argument target: the names of the tables that will be made, two or
 * one.  Stops unless they can be, before any work; also when columns have
 * names that the release adds, or row-level security hides rows.
 */
extern void sdcpg_anatomy_target(SdcAnatomy *anatomy, const text *target,
								 bool two);

/*
 * Creates the tables as the caller, from the rows that the caller's statement
 * sees.  With two tables these are the keys with the group of each record, and
 * how many records of a group have which sensitive values; with one, keys,
 * group and the sensitive values of the record whose source is the position.
 */
extern void sdcpg_anatomy_write(SdcPgHost *host, const SdcAnatomy *anatomy);

#endif
