/*
 * frontier_loss.h
 *		The loss that candidates are compared by unless another one is named.
 */
#ifndef SDC_PG_FRONTIER_LOSS_H
#define SDC_PG_FRONTIER_LOSS_H

#include "postgres.h"

#include "nodes/pg_list.h"
#include "utils/jsonb.h"

#include "pg/call/relation.h"

/*
 * IL1s over all columns, when candidates (Jsonb *) do nothing but move numbers
 * and dates: IL1s does not see categories, and takes no notice of values and
 * rows that are gone.  Otherwise the Hellinger distance of tables of low
 * order, which does.  Rules of the id do not count.
 */
extern Jsonb *sdcpg_frontier_loss_usual(const SdcRelation *relation,
										const char *id, List *candidates);

#endif
