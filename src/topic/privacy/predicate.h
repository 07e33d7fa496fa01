/*
 * predicate.h
 *		A condition that a stranger writes, and that can only choose rows.
 */
#ifndef SDC_TOPIC_PREDICATE_H
#define SDC_TOPIC_PREDICATE_H

#include "postgres.h"

#include "host/call/relation.h"

/*
 * The condition as SQL over the relation with the alias r, every name in it
 * resolved.  It compares columns with constants or with each other, by
 * operators of PostgreSQL that can neither fail nor tell on any value (they
 * are leakproof and immutable), joined by AND, OR, NOT, IN, BETWEEN, IS NULL
 * and the like.  Anything else stops with an error that does not depend on
 * the data: functions, subqueries, arithmetic, patterns, casts that may fail.
 *
 * To be called while acting as the owner (sdcpg_dataset_act), for names are
 * looked up with the search_path of that.
 */
extern char *sdcpg_predicate_check(const SdcRelation *relation,
								   const char *predicate);

#endif
