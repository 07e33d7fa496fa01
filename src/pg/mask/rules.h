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
#ifndef SDC_PG_RULES_H
#define SDC_PG_RULES_H

#include "postgres.h"

#include "utils/jsonb.h"

#include "pg/call/relation.h"
#include "pg/mask/mask_method.h"

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
