/*
 * mask_copy.h
 *		A masked copy of a relation.
 */
#ifndef SDC_TOPIC_MASK_COPY_H
#define SDC_TOPIC_MASK_COPY_H

#include "postgres.h"

#include "nodes/execnodes.h"
#include "utils/jsonb.h"

#include "host/call/relation.h"
#include "host/data/rows.h"
#include "host/data/target.h"
#include "host/server/host.h"
#include "topic/mask/mask_plan.h"
#include "topic/mask/mask_write.h"

/*
 * Appends a row for each constraint, index, trigger, identity or generated
 * column, partition, view and materialized view that a mask of the relation
 * has to do with, and one for each place where values stay as they were.
 */
extern void sdcpg_mask_survey(ReturnSetInfo *result, const SdcMaskPlan *plan);

/*
 * Reads the list under "keep" as a set of bits for sdcpg_copy_structure; 0
 * when it is absent.  An unknown word stops with an error.
 */
extern int sdcpg_copy_structure_read(Jsonb *params);

/*
 * Gives the target, which exists and has the rows, what was asked for, as the
 * caller.  Indexes are built on columns only, with the default operators of
 * their types: those with expressions or conditions are left out, because
 * code in them would run with the rights of the caller.  A key that does not
 * hold in the copy is an error that shows no value.
 */
extern void sdcpg_copy_structure(const SdcRelation *relation,
								 const SdcTarget *target, int wanted);

/*
 * A table that does not exist yet, for rows on their way: in the schema, under
 * a name that begins like name and that nobody can guess; messages show the
 * name shown in its place.
 */
extern SdcTarget *sdcpg_mask_suppress_stage(Oid schema, const char *name,
											const char *shown);

/* Drops a table that was made on the way. */
extern void sdcpg_mask_suppress_drop(const SdcTarget *stage);

/* Who wants to see the rows of a copy as they are written. */
typedef struct SdcMaskWatch
{
	SdcRows rows; /* start and row, for rows of the copy */
	Oid table;    /* the copy of which all rows were shown, or InvalidOid */
} SdcMaskWatch;

/*
 * Who wants to see the next copy that is made, so that it need not be read
 * again, or NULL.  sdcpg_mask_copy takes it back to NULL when it begins.  The
 * rows of a copy that is made by a method of the whole table, or on other
 * servers, are not shown.
 */
extern SdcMaskWatch *sdcpg_mask_watch;

/*
 * Creates the target and fills it, as the caller, from the rows that the
 * active snapshot sees.  Columns keep their names and types, domains become
 * the types below them.
 */
extern SdcMaskCount *sdcpg_mask_copy(SdcPgHost *host, SdcMaskPlan *plan,
									 const SdcTarget *target);

#endif
