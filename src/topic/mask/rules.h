/*
 * rules.h
 *		The argument "rules": how columns are, or were, masked.
 *
 *		{"income": {"method": "rank_swap", "p": 15},
 *		 "age,educ": {"method": "microaggregate", "k": 5},
 *		 "*": {"method": "sample_rows", "p": 10}}
 *
 * "*" is the rows, or a column of that name where the method masks columns.
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
#include "topic/registry/masks.h"

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

/*
 * A start in [0, 1), a multiple of 2^-20: from the seed, or else from strong
 * random bits.
 */
extern double sdcpg_mask_sample_start(bool seeded, uint64 seed);

/* What is done to one column, to several together, or to the rows. */
typedef struct SdcRule
{
	/* as the document names it: a column, "a,b", or "*" */
	char *subject;
	const SdcMask *method;
	SdcRelationColumns columns; /* none for "*" */
	/* the object with the method and its keys, for sdcpg_params_* */
	Jsonb *params;
} SdcRule;

/* All rules of a document; made by sdcpg_rules_read. */
typedef struct SdcRules
{
	int count;
	SdcRule *rule;
} SdcRules;

/*
 * Reads rules; NULL is no rule.  In the order of the first column that each
 * names in the relation, "*" first.  Unknown columns, methods and keys, a
 * needed key that is missing, a value that the key cannot have, and a column
 * in two rules (but for one of the table as a whole) stop with an error that
 * names them.
 */
extern SdcRules sdcpg_rules_read(Jsonb *rules, const SdcRelation *relation);

/*
 * Stops where a rule names what is not there, a hierarchy.  For rules that are
 * kept: those that are carried out now say so by themselves, and a policy must
 * be shown and compared after a hierarchy was dropped.
 */
extern void sdcpg_rules_check_names(const SdcRules *rules);

/*
 * The rule of a column, or NULL.  Of a column that is masked and then
 * suppressed it is the rule that masks.
 */
extern const SdcRule *sdcpg_rules_of(const SdcRules *rules, AttrNumber number);

/* The rule of the table as a whole that a column is in, or NULL. */
extern const SdcRule *sdcpg_rules_of_table(const SdcRules *rules,
										   AttrNumber number);

/*
 * The value of a key of the rule's method, the default of the key where the
 * rule has none.  A variant and a word are their place in the list.
 */
extern double sdcpg_rule_number(const SdcRule *rule, const char *key);
extern bool sdcpg_rule_boolean(const SdcRule *rule, const char *key);
extern char *sdcpg_rule_text(const SdcRule *rule, const char *key);
extern int sdcpg_rule_variant(const SdcRule *rule);

/*
 * Other columns of the row that a rule names (char *): a person, a sex, what
 * is known of the row.
 */
extern List *sdcpg_rule_names(const SdcRule *rule);

/*
 * Stops unless a rule that draws rows says how: in proportion to strata, or
 * whole persons by the key of a domain.
 */
extern void sdcpg_sample_check(const SdcRule *rule,
							   const SdcRelation *relation);

/* The columns of the rule's key "strata"; none when it is absent. */
extern SdcRelationColumns sdcpg_rule_strata(const SdcRule *rule,
											const SdcRelation *relation);

#endif
