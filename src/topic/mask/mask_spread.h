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
 * What all rows of a column become, from their values in ascending order:
 * from[r] is the rank whose value rank r gets; or, if it sets mean, mean[r] is
 * the value itself and from is not used.
 */
typedef struct SdcSpreadDraw
{
	SdcHost *host;
	const SdcRule *rule;
	SdcRandom *random;
	int32 count;
	const double *value; /* of the ranks, if the column is one of float8 */
	int32 *from;
	double *mean; /* room for count values, if there are values */
} SdcSpreadDraw;

typedef void (*SdcSpreadMethod)(const SdcSpreadDraw *draw);

/*
 * The SQL of what a value becomes that draws by a method: value is the SQL of
 * the value over r.  means: it is of type float8 and becomes a mean.
 */
extern char *sdcpg_mask_spread_draw(SdcMaskPlan *plan, const SdcRule *rule,
									const char *value, bool means,
									SdcSpreadMethod method);

/* The methods. */
extern void sdcpg_spread_rank_swap(const SdcSpreadDraw *draw);
extern void sdcpg_spread_shuffle(const SdcSpreadDraw *draw);
extern void sdcpg_spread_pram(const SdcSpreadDraw *draw);
extern void sdcpg_spread_microaggregate(const SdcSpreadDraw *draw);

/*
 * Sets what the columns of a rule of noise become; value[j] is the SQL of
 * column j as float8 over r.
 */
extern void sdcpg_mask_spread_noise(SdcMaskPlan *plan, const SdcRule *rule,
									char *const *value);

/*
 * Gathers the figures of all rules of a plan and brings them to the servers,
 * for the rest of the transaction.
 */
extern void sdcpg_mask_gather(SdcPgHost *host, SdcMaskPlan *plan);

/* Is the column masked by such figures? */
extern bool sdcpg_mask_is_gathered(const SdcMaskColumn *column);

/*
 * Stops unless a copy has the rows, and as many values, that were counted for
 * it: else rows came, went or changed in between.  copy is its name as SQL.
 * Notes in count how many values change, where gathering has told it.
 */
extern void sdcpg_mask_finish_gathered(const SdcMaskPlan *plan,
									   const char *copy, SdcMaskCount *count);

#endif
