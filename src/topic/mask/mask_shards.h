/*
 * mask_shards.h
 *		A masked copy of a table whose rows are on other servers.
 */
#ifndef SDC_TOPIC_MASK_SHARDS_H
#define SDC_TOPIC_MASK_SHARDS_H

#include "postgres.h"

#include "funcapi.h"

#include "host/data/target.h"
#include "host/server/host.h"
#include "topic/mask/mask_plan.h"
#include "topic/mask/mask_write.h"

/* Stops because a rule needs what no server of a distributed relation has. */
pg_noreturn extern void sdcpg_mask_refuse_spread(const SdcRelation *relation,
												 const SdcRule *rule);

/*
 * Does sdcpg_mask_shards make the copy of that name, or is it made here, as a
 * temporary one is?  Stops when the rows are spread over servers, the copy
 * would be, and a rule needs all of them together.
 */
extern bool sdcpg_mask_is_spread(const SdcMaskPlan *plan, const text *target);

/*
 * Makes the keys of the pseudonyms of a plan, so that all servers have them,
 * before anything is read.
 */
extern void sdcpg_mask_spread_keys(const SdcMaskPlan *plan);

/*
 * Makes the copy target of a distributed table: distributed by the same
 * column, and each server masks its own rows, in an order of no meaning.
 * Changes are not counted: a column is -1, or 0 if none of its values changed.
 */
extern SdcMaskCount *sdcpg_mask_shards(SdcPgHost *host, SdcMaskPlan *plan,
									   const SdcTarget *target);

/* Makes the copy of a reference table, which is filled, one itself. */
extern void sdcpg_mask_copy_everywhere(const SdcMaskPlan *plan,
									   const SdcTarget *target);

/* Tells where the rows of a copy are, unless it is here. */
extern void sdcpg_mask_tell_home(ReturnSetInfo *result,
								 const SdcTarget *target);

#endif
