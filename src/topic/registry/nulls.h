/*
 * nulls.h
 *		What a NULL in a relation means: one meaning for all who count it.
 *
 * sdc.declare says it, and whoever writes a relation in which NULL stands for
 * a suppressed value.  params.nulls of a call goes before.
 */
#ifndef SDC_TOPIC_NULLS_H
#define SDC_TOPIC_NULLS_H

#include "postgres.h"

#include "utils/jsonb.h"

#include "host/call/relation.h"
#include "host/data/target.h"
#include "kernel/table/frequency.h"

/* Meanings that a function can count, or'ed. */
#define SDC_NULLS_AS(meaning) (1u << (meaning))
#define SDC_NULLS_ANY                                                      \
	(SDC_NULLS_AS(SDC_NULLS_CATEGORY) | SDC_NULLS_AS(SDC_NULLS_WILDCARD) | \
	 SDC_NULLS_AS(SDC_NULLS_IGNORE))

/*
 * What NULL means in a call about a relation: what params.nulls says, or else
 * the declaration of the relation, or of the nearest partitioned table above
 * it that has one, or else undeclared.  A meaning in params that the function
 * cannot count stops with an error that lists those it can; a declared one is
 * taken for category then, which finds no class larger.
 */
extern SdcNulls sdcpg_nulls_read(const SdcRelation *relation, Jsonb *params,
								 unsigned possible, SdcNulls undeclared);

/*
 * Is the meaning declared, here or above, and which is it?  As the active
 * snapshot has it: what the same statement has declared is not in it.
 */
extern bool sdcpg_nulls_declared(Oid relation, SdcNulls *meaning);

/* Declares it; the caller must own the relation. */
extern void sdcpg_nulls_declare(Oid relation, SdcNulls meaning);

/* Removes the declaration, and those of relations that are gone. */
extern void sdcpg_nulls_forget(Oid relation);

/* Declares it for a target that has been created. */
extern void sdcpg_nulls_of_target(const SdcTarget *target, SdcNulls meaning);

/*
 * The same with the meaning that is declared for the relation it was made of;
 * does nothing when none is.
 */
extern void sdcpg_nulls_inherit(Oid from, const SdcTarget *target);

#endif
