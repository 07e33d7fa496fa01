/*
 * gate.h
 *		The argument "constraints": what a masked table must satisfy.
 *
 *		[{"measure": "k_anonymity", ">=": 5},
 *		 {"attack": "transparency", "stat": "reid_k", "<=": 0.05},
 *		 {"attack": "worst", "<=": 0.1},
 *		 {"disclosure": "rid", "subject": "income", "<=": 0.2},
 *		 {"utility": "il1s", "<=": 0.2}]
 *
 * A constraint holds only if its value is there and within the bound: what
 * cannot be measured does not pass.
 */
#ifndef SDC_PG_GATE_H
#define SDC_PG_GATE_H

#include "postgres.h"

#include "utils/array.h"
#include "utils/jsonb.h"

#include "pg/call/relation.h"

typedef enum SdcGateKind
{
	SDC_GATE_MEASURE,    /* a line of sdc.risk_report */
	SDC_GATE_ATTACK,     /* success of an attack: a field of sdc.reid */
	SDC_GATE_DISCLOSURE, /* a line of sdc.disclosure_report */
	SDC_GATE_UTILITY,    /* a line of sdc.utility_report */
	SDC_GATE_KINDS
} SdcGateKind;

/* What {"attack": SDC_GATE_WORST} stands for: the largest of all attacks. */
#define SDC_GATE_WORST "worst"

typedef enum SdcGateComparison
{
	SDC_GATE_AT_MOST,  /* <= */
	SDC_GATE_LESS,     /* <  */
	SDC_GATE_AT_LEAST, /* >= */
	SDC_GATE_MORE,     /* >  */
	SDC_GATE_COMPARISONS
} SdcGateComparison;

typedef struct SdcGateConstraint
{
	int place; /* from 1 */
	SdcGateKind kind;
	char *word;    /* the measure, attack or line; an attack may be "worst" */
	char *stat;    /* of an attack; else NULL */
	char *method;  /* of an attack that has methods, or NULL */
	char *subject; /* the line of that subject only, or NULL: the worst one */
	Jsonb *params; /* for the function that measures, or NULL */
	SdcGateComparison comparison;
	double bound;
	char *sentence; /* "attack transparency reid_k <= 0.05" */
} SdcGateConstraint;

typedef struct SdcGate
{
	int count;
	SdcGateConstraint *constraint;
} SdcGate;

/* What a gate is evaluated against. */
typedef struct SdcGateCase
{
	const SdcRelation *original;
	const SdcRelation *masked;
	const char *id;       /* in both; NULL: no attack can be run */
	ArrayType *keys;      /* name[]; NULL when there are none */
	ArrayType *sensitive; /* name[]; NULL when there are none */
	ArrayType *columns;   /* name[]; published ones but the id, for utility */
	Jsonb *rules;         /* what the intruder knows; NULL: nothing */
	ArrayType *attacks;   /* text[], those that "worst" is of; NULL: all */
	double p;             /* percent, for rid and sdid */
	bool seeded;          /* is there a seed for the attacks? */
	int64 seed;
} SdcGateCase;

typedef struct SdcGateResult
{
	const SdcGateConstraint *constraint;
	double value; /* NaN: could not be found */
	bool passed;
	char *detail; /* a sentence */
} SdcGateResult;

/*
 * Reads constraints.  Stops with an error that says which one, by its position
 * from 1, when one has a key or a word that is not known, no bound or two.
 * NULL and an empty array are no constraint.
 */
extern SdcGate sdcpg_gate_read(Jsonb *constraints);

/*
 * Evaluates all constraints, as the caller and in the snapshot of the calling
 * statement, and returns gate->count results in their order.  Each attack runs
 * once, however many constraints look at it.  Stops when a function that it
 * needs is not in this extension.
 */
extern SdcGateResult *sdcpg_gate_evaluate(const SdcGate *gate,
										  const SdcGateCase *of);

/* Do all results pass?  A gate without constraints lets everything pass. */
extern bool sdcpg_gate_passed(const SdcGate *gate,
							  const SdcGateResult *result);

/* Attacks and their stats, as in constraints; each list ends with NULL. */
extern const char *const sdcpg_gate_attacks[];
extern const char *const sdcpg_gate_stats[];

#endif
