/*
 * gate.h
 *		The argument "constraints": what a masked table must satisfy.
 *
 *		[{"measure": "k_anonymity", ">=": 5},
 *		 {"attack": "transparency", "stat": "certain", "<=": 0},
 *		 {"attack": "worst", "<=": 0.1},
 *		 {"disclosure": "rank_disclosure", "subject": "income", "<=": 0.2},
 *		 {"utility": "information_loss", "<=": 0.2}]
 *
 * A constraint holds only if its value is there and within the bound: what
 * cannot be measured does not pass.
 */
#ifndef SDC_RELEASE_GATE_H
#define SDC_RELEASE_GATE_H

#include "postgres.h"

#include <math.h>

#include "lib/stringinfo.h"
#include "nodes/pg_list.h"
#include "utils/array.h"
#include "utils/jsonb.h"

#include "host/call/catalog.h"
#include "host/call/params.h"
#include "host/call/relation.h"
#include "release/policy.h"
#include "topic/registry/attacks.h"
#include "topic/registry/measures.h"
#include "topic/risk/risk.h"

/* What a constraint is about. */
typedef enum SdcGateKind
{
	SDC_GATE_MEASURE,    /* a line of sdc.risk_report */
	SDC_GATE_ATTACK,     /* a figure of an attack of the registry */
	SDC_GATE_DISCLOSURE, /* a line of sdc.disclosure_report */
	SDC_GATE_UTILITY,    /* a line of sdc.utility_report */
	SDC_GATE_TABLE,      /* a line of sdc.table_report */
	SDC_GATE_KINDS
} SdcGateKind;

/* What {"attack": SDC_GATE_WORST} stands for: the largest of all attacks. */
#define SDC_GATE_WORST "worst"

/* How a value is held against its bound. */
typedef enum SdcGateComparison
{
	SDC_GATE_AT_MOST,  /* <= */
	SDC_GATE_LESS,     /* <  */
	SDC_GATE_AT_LEAST, /* >= */
	SDC_GATE_MORE,     /* >  */
	SDC_GATE_COMPARISONS
} SdcGateComparison;

/* As constraints write them, by SdcGateComparison; ends with NULL. */
extern const char *const sdcpg_gate_comparisons[];

/* A constraint. */
typedef struct SdcGateConstraint
{
	int place; /* from 1 */
	SdcGateKind kind;
	char *word;    /* the measure, attack or line; an attack may be "worst" */
	char *stat;    /* of an attack; else NULL */
	char *method;  /* of an attack that has methods, or NULL */
	char *subject; /* the line of that subject only, or NULL: the worst one */
	/* for what measures, or NULL; of "worst" an object for each attack */
	Jsonb *params;
	const SdcMeasure *measure; /* NULL: an attack */
	const SdcAttack *attack;   /* NULL: a measure, or "worst" */
	SdcAttackStat figure;      /* of an attack */
	SdcGateComparison comparison;
	double bound;
	char *sentence; /* "attack transparency reid_k <= 0.05" */
} SdcGateConstraint;

/* All constraints of a table; made by sdcpg_gate_read. */
typedef struct SdcGate
{
	int count;
	SdcGateConstraint *constraint;
} SdcGate;

struct SdcStaging; /* of publish.h */

/* Columns that tie rows of a person together (of tied.c), once looked for. */
typedef struct SdcTied
{
	bool usual; /* has nobody named attacks, though the case has some? */
	bool known;
	List *ties; /* Tie *: of the rows of this version */
	/* Tie *: columns that may tie rows of one version to those of others */
	List *nights;
} SdcTied;

/* What a gate is evaluated against. */
typedef struct SdcGateCase
{
	const SdcRelation *original;
	const SdcRelation *masked;
	const char *id;       /* in both; NULL: no attack can be run */
	bool staged;          /* are tables made beside masked, or temporary? */
	ArrayType *keys;      /* name[]; NULL when there are none */
	ArrayType *sensitive; /* name[]; NULL when there are none */
	List *published;      /* columns (char *) that will be published */
	ArrayType *columns;   /* name[]; of these but the id, for utility */
	Jsonb *rules;         /* what the intruder knows; NULL: nothing */
	ArrayType *attacks;   /* text[], those that "worst" is of; NULL: all */
	bool unattacked;      /* does the policy say "attacks": []? */
	double p;    /* percent, for rank_disclosure and interval_disclosure */
	bool seeded; /* is there a seed for the attacks? */
	int64 seed;
	/* of a table of cells; NULL: records */
	Jsonb *protect;
	const SdcFrequencyTally *tally; /* what was counted of masked, or NULL */
	double moved;      /* the largest change of a cell; 0: not known */
	const char *lacks; /* why the release before cannot be compared, or NULL */
	char *earlier;     /* the release before, as in SQL, or NULL */
	const char *known; /* what others published beside it tell, in SQL */
	const char *beside; /* the same as sentences, from a space on, or NULL */
	struct SdcTogether *together; /* tables of cells beside it, or NULL */
	struct SdcVersions *versions; /* all that are kept; NULL: one only */
	const SdcRelation *pool; /* synthetic records of all versions, or NULL */
	int64 draws;             /* versions in it */
	const struct SdcJoined *joined; /* with the other tables; NULL: alone */
	/* what came and went since the version before; NULL: there is none */
	SdcAttackChanges *changes;
	List *carried;  /* of sequence.c: what was found of releases before */
	Jsonb *knowing; /* the same of who knows other columns; NULL: not known */
	SdcTied *tied;
} SdcGateCase;

/*
 * Are there rows that are attacked together, as those of one person?  Asks
 * once for each case, by one or two queries for each published column.
 */
extern bool sdcpg_gate_has_ties(const SdcGateCase *of);

/*
 * Does an attack look at other versions, tables or rows of a person, and are
 * there some?  Then it is one of the usual ones.
 */
static inline bool
sdcpg_gate_looks_back(const SdcGateCase *of, const SdcAttack *attack)
{
	return (attack->over_time && of->versions != NULL) ||
		   (attack->of_changes && of->changes != NULL) ||
		   ((attack->needs & SDC_NEEDS_TABLES) && of->joined != NULL) ||
		   ((attack->needs & SDC_NEEDS_PERSON) &&
			(of->attacks == NULL || of->tied->usual) &&
			sdcpg_gate_has_ties(of));
}

/* What came of a constraint. */
typedef struct SdcGateResult
{
	const SdcGateConstraint *constraint;
	double value; /* NaN: could not be found */
	bool passed;
	char *detail; /* a sentence */
} SdcGateResult;

/* Is a value as a constraint asks? */
extern bool sdcpg_gate_holds(SdcGateComparison comparison, double value,
							 double bound);

/* Is a value further from holding than another?  NaN is the furthest. */
static inline bool
sdcpg_gate_is_worse(SdcGateComparison comparison, double value, double than)
{
	if (isnan(value) || isnan(than))
		return isnan(value) && !isnan(than);
	if (comparison == SDC_GATE_AT_MOST || comparison == SDC_GATE_LESS)
		return value > than;
	return value < than;
}

/*
 * Reads constraints.  Stops with an error that says which one, by its position
 * from 1, when one has a key or a word that is not known, no bound or two.
 * NULL and an empty array are no constraint.
 */
extern SdcGate sdcpg_gate_read(Jsonb *constraints);

/*
 * How many of the constraints keep a risk back: attacks, and measures of risk
 * that are bounded on the side where more risk lies.
 */
extern int sdcpg_gate_risks(const SdcGate *gate);

/*
 * Stops where constraints name a column that the table does not have, or that
 * an attack does not know as one of the keys.
 */
extern void sdcpg_gate_check_columns(const SdcGate *gate,
									 const SdcRelation *relation,
									 const SdcRelationColumns *keys);

/*
 * Evaluates all constraints, as the caller and in the snapshot of the calling
 * statement, and returns gate->count results in their order.  Each attack runs
 * once, however many constraints look at it.  Stops when a function that it
 * needs is not in this extension.
 */
extern SdcGateResult *sdcpg_gate_evaluate(const SdcGate *gate,
										  const SdcGateCase *of);

/*
 * The table of a policy that {"relation": ...} in params names; the only one
 * without it.  Stops at other keys than rel and seed.
 */
extern const SdcPolicyRelation *sdcpg_gate_case_choose(const SdcPolicy *policy,
													   Jsonb *params);

/*
 * Finds the table of the last release of the policy under that name, to be
 * compared with; only for tables of cells.
 */
extern void sdcpg_gate_case_earlier(SdcGateCase *of, const char *policy,
									const char *target);

/* A masked table to be judged; without a seed. */
extern SdcGateCase *sdcpg_gate_case(const SdcPolicyRelation *relation,
									Oid masked);

/* Takes the seed of the attacks from {"seed": ...}, when it is there. */
extern void sdcpg_gate_case_seed(SdcGateCase *of, Jsonb *params);

/*
 * Params of sdc.table_report: what a reader of a table of cells knows, that
 * hidden counts are 1 or more, the base or the noise of values that were
 * changed, the table before.
 */
extern Jsonb *sdcpg_gate_table_known(const SdcGateCase *of);

/*
 * Params of sdc.show_table for the report of a release: the same, and whether
 * the policy asks for intervals.  The case has no table before.
 */
extern Jsonb *sdcpg_gate_table_show(const SdcGateCase *of);

/* Does protect, of a policy, hide cells?  Otherwise it changes them. */
static inline bool
sdcpg_gate_table_hides(Jsonb *protect)
{
	char *method =
		sdcpg_params_text(sdcpg_params_object(protect, "params"), "method");

	return method == NULL || strcmp(method, "suppress") == 0;
}

/* Can cells that nobody is in be hidden, too? */
static inline bool
sdcpg_gate_table_hides_zeros(Jsonb *protect)
{
	Jsonb *rules = sdcpg_params_object(protect, "rules");

	return rules != NULL && sdcpg_params_has(rules, "group");
}

/* Binds what sdc.table_report alone takes, the keys and the value; NULL keys
 * where records are published. */
extern void sdcpg_gate_table_bind(SdcCatalogParameters *parameters,
								  const SdcGateCase *of);

/* An attack that was run, and what came of it. */
typedef struct SdcEvidenceAttack
{
	const SdcAttack *attack;
	char *method; /* NULL: its usual one */
	Jsonb *params;
	SdcAttackOutcome outcome;
	bool carried; /* was it run on a release before, and not on this one? */
} SdcEvidenceAttack;

/*
 * A line of a report, but for its example: what is read here goes to logs and
 * to the history, which outlive the data, and so holds no value of them.
 */
typedef struct SdcEvidenceLine
{
	char *measure;
	char *subject;
	double value; /* NaN: has no value */
	char *detail;
} SdcEvidenceLine;

/* A report, in its order. */
typedef struct SdcEvidenceReport
{
	SdcGateKind kind;
	const SdcMeasure *measure; /* the one asked for; NULL: the usual ones */
	Jsonb *params;
	bool original; /* of the original instead of the masked table */
	int count;
	SdcEvidenceLine *line;
	SdcClassSizes sizes; /* of the usual measures of risk */
} SdcEvidenceReport;

/* What was found of a case so far, so that it is found once. */
typedef struct SdcEvidence
{
	const SdcGateCase *of;
	List *attacks; /* SdcEvidenceAttack, in the order they were run */
	List *reports; /* SdcEvidenceReport */
	bool whole;    /* are reports made as a whole, whatever is asked? */
} SdcEvidence;

/*
 * No attack run and no report read yet.  Of a release all reports are made as
 * a whole (sdcpg_evidence_reports), so that the gate reads these.
 */
static inline SdcEvidence *
sdcpg_evidence_begin(const SdcGateCase *of, bool whole)
{
	SdcEvidence *evidence = palloc0(sizeof(SdcEvidence));

	evidence->of = of;
	evidence->whole = whole;
	return evidence;
}

/* Runs an attack unless it has been run, or its figures are carried over. */
extern const SdcEvidenceAttack *sdcpg_evidence_attack(SdcEvidence *evidence,
													  const SdcAttack *attack,
													  const char *method,
													  Jsonb *params);

/* The attack on one version that found the most; NULL when none was run. */
extern const SdcEvidenceAttack *
sdcpg_evidence_strongest(const SdcEvidence *evidence);

/*
 * The same attack by an intruder who knows other keys, or looks for other
 * sensitive values (name[]; NULL: those of the case), with a share of the
 * attack's budget, 0 < share <= 1.
 */
extern void sdcpg_evidence_knowing(const SdcEvidence *evidence,
								   const SdcEvidenceAttack *run,
								   ArrayType *keys, ArrayType *sensitive,
								   double share, SdcAttackOutcome *outcome);

/* Stops unless the schema sdc has a function of that name. */
extern void sdcpg_evidence_need_function(const char *name);

/* Does a release make this report of a case? */
static inline bool
sdcpg_evidence_reports(const SdcGateCase *of, SdcGateKind kind)
{
	switch (kind)
	{
		case SDC_GATE_MEASURE:
			return of->keys != NULL;
		case SDC_GATE_DISCLOSURE:
			return of->id != NULL &&
				   (of->keys != NULL || of->sensitive != NULL);
		case SDC_GATE_UTILITY:
			return of->id != NULL && of->columns != NULL;
		default:
			return false;
	}
}

/* Makes a report unless it has been made; see SdcEvidenceReport. */
extern const SdcEvidenceReport *
sdcpg_evidence_report(SdcEvidence *evidence, SdcGateKind kind,
					  const SdcMeasure *measure, Jsonb *params, bool original);

/* Has a gate a constraint on an attack? */
extern bool sdcpg_gate_attacks_by_name(const SdcGate *gate);

/*
 * The largest bound of a gate on what attacks find of persons; NaN: none.
 */
extern double sdcpg_gate_loosest(const SdcGate *gate);

/*
 * Where several tables are released together, and none of the constraints is
 * about what they tell together, adds one that is: that bound at the most.
 */
extern void sdcpg_gate_add_joined(SdcGate *gate, const SdcEvidence *evidence,
								  double bound);

/*
 * Adds bounds that follow from those that are there.  Where constraints ask
 * for classes of k, and none bounds an attack: attacks that find far more than
 * one in k see other classes.  Where there are several versions, and
 * constraints bound what attacks find of one but none what all of them show
 * together: the largest of these bounds, or what the latest version shows by
 * itself.  The same of what the differences of versions show, with the largest
 * of these bounds.
 */
extern void sdcpg_gate_add_bounds(SdcGate *gate, SdcEvidence *evidence);

/* As sdcpg_gate_evaluate; what had to be found is in the evidence then. */
extern SdcGateResult *sdcpg_gate_judge(const SdcGate *gate,
									   SdcEvidence *evidence);

/*
 * Of a table of cells: writes what the rows and cells tell that other policies
 * of the caller have published of the relation into a table, which is named in
 * the case.  Returns the names of the tables that it made.  O(rows) for each
 * policy and each set of keys that is tried, and an attack on each table.
 */
extern List *sdcpg_beside_others(struct SdcStaging *staging,
								 const char *policy, SdcGateCase *of);

/*
 * Judges the tables of cells that other policies of the caller have published
 * of the relation by their own constraints, by who has what is released as
 * well.  Adds what was found to the gate and its results, which are returned.
 * O(rows) as above, and an attack on each table.
 */
extern SdcGateResult *sdcpg_beside_tables(struct SdcStaging *staging,
										  const char *policy,
										  const SdcGateCase *of, SdcGate *gate,
										  SdcGateResult *result);

/* Drops tables that were made. */
extern void sdcpg_beside_drop(List *made);

#endif
