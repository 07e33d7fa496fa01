/*
 * rules.h
 *		The argument "rules": how columns are, or were, masked.
 *
 *		{"income": {"method": "rank_swap", "p": 15},
 *		 "age,educ": {"method": "microaggregate", "k": 5},
 *		 "*": {"method": "sample_rows", "p": 10}}
 *
 * A column has one rule, and may be suppressed as well: {"age": {"method":
 * "generalize", ...}, "age,sex": {"method": "suppress", "k": 3}} suppresses
 * what the other rules leave.
 *
 * The same document says what to do to whoever masks, and what an intruder may
 * know to whoever attacks.
 */
#ifndef SDC_TOPIC_RULES_H
#define SDC_TOPIC_RULES_H

#include "postgres.h"

#include "utils/jsonb.h"

#include "host/call/relation.h"

/*
 * Two columns with the same values must not be masked alike, so each rule has
 * a seed of its own: the seed of the call, mixed with the names of the rule's
 * columns, "a,b".  Not with numbers of the catalog, which a restore changes.
 */
extern uint64 sdcpg_mask_seed(uint64 seed, const char *subject);

/*
 * Appends "(SELECT ...) AS r" with the columns of a relation for a random
 * sample of its rows.  Every row is in it with probability share; a stratum of
 * n rows, and the relation as a whole, give n * share rows, rounded up or
 * down.  share, seed and start are parameters as SQL ("$1"): float8 above 0 to
 * 1, bigint, float8 in [0, 1).  The order columns make the sample independent
 * of the order of rows; there may be none.  unused is a name that no column
 * has, for a number.
 */
extern void sdcpg_mask_sample(StringInfo sql, const SdcRelation *relation,
							  const SdcRelationColumns *columns,
							  const SdcRelationColumns *strata,
							  const SdcRelationColumns *order,
							  const char *unused, const char *share,
							  const char *seed, const char *start);

/* A start in [0, 1) from a seed: a multiple of 2^-20. */
extern double sdcpg_mask_sample_start(uint64 seed);

typedef enum SdcMaskKind
{
	SDC_MASK_RANK_SWAP,
	SDC_MASK_MICROAGGREGATE,
	SDC_MASK_ADD_NOISE,
	SDC_MASK_SHUFFLE,
	SDC_MASK_PRAM,
	SDC_MASK_TOP_CODE,
	SDC_MASK_BOTTOM_CODE,
	SDC_MASK_ROUND_TO,
	SDC_MASK_GENERALIZE,
	SDC_MASK_MASK_TEXT,
	SDC_MASK_MASK_INET,
	SDC_MASK_SUPPRESS,
	SDC_MASK_PSEUDONYM,
	SDC_MASK_CONSTANT,
	SDC_MASK_NULL,
	SDC_MASK_SAMPLE_ROWS,
	SDC_MASK_KEEP,
	SDC_MASK_KINDS
} SdcMaskKind;

typedef struct SdcMaskMethod
{
	SdcMaskKind kind;
	/* in a rule: {"method": name} */
	const char *name;
	/* the other keys of its rule; the list ends with NULL */
	const char *const *keys;
	/* of them those that must be there; the list ends with NULL */
	const char *const *needed;
	/* columns that one rule may name at the most; 0 for the rows as a whole */
	int columns;
} SdcMaskMethod;

/* What is done to one column, to several together, or to the rows. */
typedef struct SdcRule
{
	/* as the document names it: a column, "a,b", or "*" */
	char *subject;
	const SdcMaskMethod *method;
	SdcRelationColumns columns; /* none for "*" */
	/* the object with the method and its keys, for sdcpg_params_* */
	Jsonb *params;
} SdcRule;

typedef struct SdcRules
{
	int count;
	SdcRule *rule;
} SdcRules;

/*
 * Reads rules; NULL is no rule.  In the order of the first column that each
 * names in the relation, "*" first.  Unknown columns, methods and keys, a
 * needed key that is missing, and a column in two rules (but for suppression)
 * stop with an error
 * that names them; the values of keys are for the reader of each method.
 */
extern SdcRules sdcpg_rules_read(Jsonb *rules, const SdcRelation *relation);

/*
 * The rule of a column, or NULL.  Of a column that is masked and then
 * suppressed it is the rule that masks.
 */
extern const SdcRule *sdcpg_rules_of(const SdcRules *rules, AttrNumber number);

/* The rule that suppresses values of a column, or NULL. */
extern const SdcRule *sdcpg_rules_suppress(const SdcRules *rules,
										   AttrNumber number);

/* The columns of the rule's key "strata"; none when it is absent. */
extern SdcRelationColumns sdcpg_rule_strata(const SdcRule *rule,
											const SdcRelation *relation);

#endif
