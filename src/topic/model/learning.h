/*
 * learning.h
 *		Two relations as the tables that models learn from and are asked about.
 *
 * Columns of both are numbers or share one coding, in the order of the values'
 * type, so that what was learned from one relation can be asked about the
 * other.  Rows are in the order of their ids; without an id, by their values.
 */
#ifndef SDC_TOPIC_LEARNING_H
#define SDC_TOPIC_LEARNING_H

#include "postgres.h"

#include "nodes/execnodes.h"
#include "utils/jsonb.h"

#include "host/call/relation.h"
#include "host/data/alignment.h"
#include "host/data/dictionary.h"
#include "host/data/rows.h"
#include "host/server/host.h"
#include "kernel/model/cross_validation.h"
#include "kernel/model/model.h"
#include "topic/registry/attacks.h"

/* Keys of params that set models; for the lists of sdcpg_params_check. */
/* clang-format off */
#define SDC_LEARNER_KEYS \
	{"laplace", SDC_KEY_NUMBER, .low = 1e-6, .high = 1e6, .absent = "1"}, \
	{"neighbours", SDC_KEY_INTEGER, .low = 1, .high = SDC_MAX_ROWS, \
	 .absent = "5"}, \
	{"depth", SDC_KEY_INTEGER, .low = 0, .high = 64, .absent = "10"}, \
	{"leaf", SDC_KEY_INTEGER, .low = 1, .high = SDC_MAX_ROWS, \
	 .absent = "5"}, \
	{"penalty", SDC_KEY_NUMBER, .low = 1e-6, .high = 1e6, .absent = "1"}, \
	{"iterations", SDC_KEY_INTEGER, .low = 1, .high = 1000000, \
	 .absent = "100"}, \
	{"bins", SDC_KEY_INTEGER, .low = 1, .high = 1000, .absent = "10"}

/* The same of who measures several times (sdcpg_repeats_read). */
#define SDC_REPEATS_KEY \
	{"repeats", SDC_KEY_INTEGER, .low = 1, .high = 1000}
#define SDC_FOLDS_KEY \
	{"folds", SDC_KEY_INTEGER, .low = 2, .high = SDC_MAX_ROWS, .absent = "10"}
#define SDC_SHADOWS_KEY \
	{"shadows", SDC_KEY_INTEGER, .low = 1, .high = 1000, .absent = "5"}
/* clang-format on */

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

/* Stops at a method that is not known, or a value that a key cannot have. */
extern void sdcpg_learner_check_words(const char *method, Jsonb *params);

/*
 * Stops when the method cannot learn from the labelled ones of the first rows
 * of a table: more neighbours than rows, or more parameters than logistic
 * regression takes.
 */
extern void sdcpg_learner_check(const SdcLearner *learner, SdcPgHost *host,
								const SdcModelTable *table,
								const SdcOutcome *outcome, int32 rows);

/* One of the two relations, as it was read. */
typedef struct SdcLearningSide
{
	const SdcRelation *relation;
	int32 rows;
	SdcModelTable keys;
	SdcModelColumn *sensitive; /* NULL when they were not read */
	SdcFrame *frame;
	SdcIds ids; /* of column 0 of the frame; only with an id */
} SdcLearningSide;

/* Both relations. */
typedef struct SdcLearning
{
	/* what to read, set by the caller; columns are those of the first side */
	const SdcRelation *relation[2];
	const SdcRelationColumn *id; /* or NULL */
	SdcRelationColumns keys;
	SdcRelationColumns sensitive;
	bool second_sensitive; /* has the second relation the sensitive columns? */

	/* set by sdcpg_learning_load */
	SdcLearningSide side[2];
	SdcDictionary **dictionary; /* keys, then sensitive; NULL of numbers */
} SdcLearning;

/*
 * Finds relations and columns; what is not named is as declared for the first
 * relation.  Without an id (NULL, and none declared) stops if one is needed.
 */
extern void sdcpg_learning_find(SdcLearning *learning, Oid first, Oid second,
								const char *id, bool need_id, ArrayType *keys,
								ArrayType *sensitive);

/* The text of the id of a row. */
static inline const char *
sdcpg_learning_id(const SdcLearningSide *side, int32 row)
{
	return sdcpg_frame_text(&side->frame->column[0], row);
}

/*
 * Reads both relations as the caller.  The second must have columns with the
 * names of the id, the keys and, if so said, the sensitive ones.  A column is
 * a number when it is one in both relations (or a date or time in both), else
 * a category; of different types, values are compared as text.  An id that is
 * NULL or occurs twice, NaN and infinity stop with an error.
 */
extern void sdcpg_learning_load(SdcLearning *learning, SdcPgHost *host);

/*
 * The keys of both sides in one table, the rows of the first side first.  More
 * than SDC_MAX_ROWS rows stop with an error.  O(rows columns).
 */
extern SdcModelTable sdcpg_learning_join(const SdcLearning *learning,
										 SdcPgHost *host);

/* A column of each side as one, in the same way. */
extern SdcModelColumn sdcpg_learning_join_column(const SdcLearning *learning,
												 SdcPgHost *host,
												 const SdcModelColumn *first,
												 const SdcModelColumn *second);

/* A measurement on rows that models have not seen. */
typedef struct SdcHeldOut
{
	const SdcLearning *learning;
	const SdcLearner *learner;
	SdcPgHost *host;
	double p;           /* a number may be off by p % of its deviation */
	int folds;          /* that rows are dealt into */
	const int32 *fixed; /* the fold of each original row; NULL: at random */

	/* set by sdcpg_held_out_prepare */
	int32 *partner[2];    /* of each side; NULL without an id */
	SdcModelTable asked;  /* the original keys, recoded for masked models */
	SdcOutcome *original; /* by sensitive column */
	SdcOutcome *masked;
	double *tolerance;
} SdcHeldOut;

/* Shares of the asked records whose value is predicted right; NaN of none. */
typedef struct SdcHeldOutShares
{
	int32 records; /* asked: those with a sensitive value and a fold */
	double masked;
	double original;
	double masked_baseline; /* most frequent value */
	double original_baseline;
} SdcHeldOutShares;

/* Finds partners and classes.  Stops when the method cannot learn. */
extern void sdcpg_held_out_prepare(SdcHeldOut *held);

/* The folds that a column of the original names; see fixed. */
extern const int32 *sdcpg_held_out_folds(const SdcLearning *learning,
										 SdcPgHost *host, const char *column,
										 int *folds);

/*
 * Predicts one sensitive column from the first keys.  With an id, a fold's
 * masked records are left out of what is learned from; without one they cannot
 * be told, and none is.
 */
extern SdcHeldOutShares sdcpg_held_out_measure(const SdcHeldOut *held,
											   int sensitive, int keys,
											   uint64 seed);

/* params.repeats: how often; absent is the default. */
extern int sdcpg_repeats_read(Jsonb *params, int absent);

/* The seed of one repeat; that of the first is the seed itself. */
extern uint64 sdcpg_repeats_seed(uint64 seed, int repeat);

/*
 * Appends a line with the mean of the values of all repeats and, when there
 * are several, its 95 % interval as lines "measure_low" and "measure_high".
 * NaN is shown as NULL, and makes the mean one.  The detail is a sentence made
 * from format.
 */
extern void sdcpg_repeats_put(ReturnSetInfo *result, const char *measure,
							  const char *subject, const double *value,
							  int repeats, const char *format, ...)
	pg_attribute_printf(6, 7);

/* ----------------------------------------------------------------------
 * Does a model tell who it was trained on?
 * ----------------------------------------------------------------------
 */

/* The row "membership" of the attacks, and keys of its params. */
extern void sdcpg_attack_membership(const SdcAttack *attack,
									const SdcAttackCase *of, SdcPgHost *host,
									SdcAttackOutcome *outcome);
extern const SdcKey sdcpg_membership_params[];

/* ----------------------------------------------------------------------
 * What models of a release know about people.
 * ----------------------------------------------------------------------
 */

/* The row "inference" of the attacks, and keys of its params. */
extern void sdcpg_attack_inference(const SdcAttack *attack,
								   const SdcAttackCase *of, SdcPgHost *host,
								   SdcAttackOutcome *outcome);
extern const SdcKey sdcpg_inference_params[];

#endif
