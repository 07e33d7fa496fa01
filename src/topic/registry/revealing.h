/*
 * revealing.h
 *		Columns that give a key away.
 */
#ifndef SDC_TOPIC_REVEALING_H
#define SDC_TOPIC_REVEALING_H

#include "postgres.h"

#include "nodes/pg_list.h"

#include "host/call/relation.h"

/*
 * The columns (SdcRelationColumn *) that give a key away although nobody has
 * said what they are: those without a declared role, neither keys nor named
 * in known (char *), whose value determines that of a key, as upper(zip) does
 * and a code of the same thing; columns generated from a key are not among
 * them, as sdcpg_generated_from finds these.  Only a column that has each
 * value twice or more on average is looked at, as one whose values hardly
 * repeat determines everything, and a key that has one value only is given
 * away by nothing.
 * Values are compared as they print.  One query for each such column, with the
 * rights of the caller.
 */
extern List *sdcpg_revealing_find(const SdcRelation *relation,
								  const SdcRelationColumns *keys, List *known);

/*
 * Stops when there is one, and names it with its key.  Of a relation without a
 * declaration nothing is asked.
 */
extern void sdcpg_revealing_refuse(const SdcRelation *relation,
								   const SdcRelationColumns *keys,
								   List *known);

#endif
