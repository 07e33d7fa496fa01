/*
 * learner.h
 *		The arguments by which a caller chooses and sets a model.
 */
#ifndef SDC_PG_LEARNER_H
#define SDC_PG_LEARNER_H

#include "postgres.h"

#include "utils/jsonb.h"

#include "kernel/model/model.h"
#include "kernel/model/outcome.h"
#include "pg/server/host.h"

/* Keys of params that set models; for the lists of sdcpg_params_check. */
#define SDC_LEARNER_PARAMS \
	"laplace", "neighbours", "depth", "leaf", "penalty", "iterations", "bins"

/* A method with its settings. */
typedef struct SdcLearner
{
	const SdcModelMethod *method;
	SdcModelSettings settings;
	int32 bins; /* of a number that is to be predicted */
} SdcLearner;

/* Reads the argument method, the keys above, and the seed. */
extern SdcLearner sdcpg_learner_read(const text *method, Jsonb *params,
									 uint64 seed);

/* The method that predicts the most frequent class. */
extern const SdcModelMethod *sdcpg_learner_baseline(void);

/*
 * Stops when the method cannot learn from the labelled ones of the first rows
 * of a table: more neighbours than rows, or more parameters than logistic
 * regression takes.
 */
extern void sdcpg_learner_check(const SdcLearner *learner, SdcPgHost *host,
								const SdcModelTable *table,
								const SdcOutcome *outcome, int32 rows);

#endif
