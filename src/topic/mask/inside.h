/*
 * inside.h
 *		Rules for paths within values: JSON, XML, hstore, arrays, rows.
 */
#ifndef SDC_TOPIC_INSIDE_H
#define SDC_TOPIC_INSIDE_H

#include "postgres.h"

#include "nodes/pg_list.h"

#include "topic/mask/rules.h"

/* Has a type, which is no domain, something inside? */
extern bool sdcpg_inside_has(Oid type);

/*
 * Stops unless the key "paths" of a rule has paths, and under each a rule of
 * a method that is for single values, with keys and columns that there are.
 */
extern void sdcpg_inside_check(const SdcRule *rule,
							   const SdcRelation *relation);

/* Adds the columns that the rules of the paths name (char *), each once. */
extern List *sdcpg_inside_columns(const SdcRule *rule, List *names);

#endif
