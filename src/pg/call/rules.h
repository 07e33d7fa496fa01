/*
 * rules.h
 *		The argument "rules": what is published of how columns were masked.
 */
#ifndef SDC_PG_RULES_H
#define SDC_PG_RULES_H

#include "postgres.h"

#include "utils/jsonb.h"

#include "pg/call/relation.h"

/*
 * Stops unless rules is NULL or an object whose keys are columns of the
 * relation (several masked together as "a,b") and whose values are objects
 * with a method:
 *		{"income": {"method": "rank_swap", "p": 15},
 *		 "age,educ": {"method": "microaggregate", "k": 5}}
 */
extern void sdcpg_rules_check(Jsonb *rules, const SdcRelation *relation);

#endif
