/*
 * mask_spread.h
 *		Masks of a distributed relation that need figures of all its rows.
 *
 * The figures are gathered here first: how often each value occurs in each
 * shard, or sums.  What is drawn from them for all rows together goes to the
 * servers, and there it is a function of the row: no row comes here.
 */
#ifndef SDC_TOPIC_MASK_SPREAD_H
#define SDC_TOPIC_MASK_SPREAD_H

#include "postgres.h"

#include "host/server/host.h"
#include "kernel/base/random.h"
#include "kernel/mask/rank_swap.h"
#include "topic/mask/mask_plan.h"
#include "topic/mask/mask_write.h"
#include "topic/mask/rules.h"

/*
 * Stops because a rule cannot mask the rows of a distributed relation where
 * they are; why is a sentence, or NULL for that of its method.
 */
pg_noreturn extern void sdcpg_mask_refuse_spread(const SdcRelation *relation,
												 const SdcRule *rule,
												 const char *why);

/* Stops unless the servers of a distributed relation can carry a rule out. */
extern void sdcpg_mask_check_spread(const SdcRelation *relation,
									const SdcRule *rule);

/*
 * Must rows be together for a rule, those of a stratum or neighbours in
 * several columns?  Then they go to one server, and it masks them.
 */
extern bool sdcpg_mask_is_parted(const SdcRelation *relation,
								 const SdcRule *rule);

/* Writes such a rule. */
extern void sdcpg_mask_write_parted(SdcMaskPlan *plan, const SdcRule *rule);

/*
 * ROW(...) of the columns of a rule whose rows are parted by cuts, and the SQL
 * of whether each part standardizes them; NULL for any other rule.
 */
extern char *sdcpg_mask_parted_record(SdcMaskPlan *plan, const SdcRule *rule,
									  char **standardize);

/*
 * What becomes of the ranks of all rows of a column, in the order of their
 * values: from[r] is the stripe of ranks that stripe r takes its values from.
 */
typedef struct SdcSpreadDraw
{
	SdcHost *host;
	const SdcRule *rule;
	SdcRandom *random;
	const SdcRankLayers *layers; /* of the ranks */
	int32 *from;                 /* as many as there are stripes */
} SdcSpreadDraw;

typedef void (*SdcSpreadMethod)(const SdcSpreadDraw *draw);

/*
 * The SQL of what a value becomes that trades places by a method: value is the
 * SQL of the value over r.  Without a method it is of type float8 and becomes
 * the mean of a group of microaggregation.
 */
extern char *sdcpg_mask_spread_draw(SdcMaskPlan *plan, const SdcRule *rule,
									const char *value, SdcSpreadMethod method);

/* The methods. */
extern void sdcpg_spread_rank_swap(const SdcSpreadDraw *draw);
extern void sdcpg_spread_shuffle(const SdcSpreadDraw *draw);
extern void sdcpg_spread_pram(const SdcSpreadDraw *draw);

/*
 * Sets what the columns of a rule of noise become; value[j] is the SQL of
 * column j as float8 over r.
 */
extern void sdcpg_mask_spread_noise(SdcMaskPlan *plan, const SdcRule *rule,
									char *const *value);

/*
 * Has rows masked that must be together, into a table beside the relation, in
 * the schema; gathers the figures of all other rules and brings them to the
 * servers for the rest of the transaction.
 */
extern void sdcpg_mask_gather(SdcPgHost *host, SdcMaskPlan *plan, Oid schema);

/* Drops that table. */
extern void sdcpg_mask_end_gathered(SdcMaskPlan *plan);

/* Is the column masked by such figures? */
extern bool sdcpg_mask_is_gathered(const SdcMaskColumn *column);

/*
 * Stops unless the rows that were written, of which count knows the number,
 * are as many as were counted: else rows came, went or changed in between.
 * Notes in count how many values change, where gathering has told it.
 */
extern void sdcpg_mask_finish_gathered(const SdcMaskPlan *plan,
									   SdcMaskCount *count);

#endif
