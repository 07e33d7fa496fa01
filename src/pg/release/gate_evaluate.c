/*
 * gate_evaluate.c
 *		Constraints are evaluated: a value, its bound, and what follows.
 *
 * Of several lines with the same name, those of different columns, the worst
 * one counts.  A value that is missing is worse than any other.
 */
#include "postgres.h"

#include <math.h>

#include "lib/stringinfo.h"

#include "pg/release/evidence.h"
#include "pg/release/gate_evaluate.h"

static bool
holds(SdcGateComparison comparison, double value, double bound)
{
	/* shares are sums that were rounded: 0.1 may come out a little larger */
	double slack = 1e-9 * fabs(bound);

	switch (comparison)
	{
		case SDC_GATE_AT_MOST:
			return value <= bound + slack;
		case SDC_GATE_LESS:
			return value < bound;
		case SDC_GATE_AT_LEAST:
			return value >= bound - slack;
		default:
			return value > bound;
	}
}

/* Is a value further from holding than another? */
static bool
is_worse(SdcGateComparison comparison, double value, double than)
{
	if (isnan(value) || isnan(than))
		return isnan(value) && !isnan(than);
	if (comparison == SDC_GATE_AT_MOST || comparison == SDC_GATE_LESS)
		return value > than;
	return value < than;
}

/* The position of a stat in sdcpg_gate_stats. */
static int
find_stat(const char *stat)
{
	int i = 0;

	while (strcmp(sdcpg_gate_stats[i], stat) != 0)
		i++;
	return i;
}

/* What an attack has achieved, in words. */
static char *
attack_sentence(const SdcEvidenceAttack *attack)
{
	if (attack->excuse != NULL)
		return psprintf("The attack %s cannot be run: %s", attack->name,
						attack->excuse);
	return psprintf("The attack %s%s%s%s finds %.2f of %.0f records by "
					"guessing among equals and %.0f for certain.",
					attack->name, attack->method != NULL ? " (" : "",
					attack->method != NULL ? attack->method : "",
					attack->method != NULL ? ")" : "",
					attack->stat[find_stat("reid_k")] * attack->records,
					attack->records,
					attack->stat[find_stat("k_reid")] * attack->records);
}

static void
evaluate_attack(SdcGateResult *result, SdcEvidence *evidence)
{
	const SdcGateConstraint *constraint = result->constraint;
	const SdcEvidenceAttack *attack = sdcpg_evidence_attack(
		evidence, constraint->word, constraint->method, constraint->params);

	if (attack->excuse == NULL)
		result->value = attack->stat[find_stat(constraint->stat)];
	result->detail = attack_sentence(attack);
}

/*
 * The largest of all attacks that can be run; those that cannot are named.
 * A stat without a value in one of them has none.
 */
static void
evaluate_worst(SdcGateResult *result, SdcEvidence *evidence)
{
	const SdcGateConstraint *constraint = result->constraint;
	int stat = find_stat(constraint->stat);
	const SdcEvidenceAttack *worst = NULL;
	StringInfoData left_out;
	const char *const *name;

	initStringInfo(&left_out);
	for (name = sdcpg_gate_attacks; *name != NULL; name++)
	{
		const SdcEvidenceAttack *attack;

		if (!sdcpg_evidence_applies(evidence, *name))
			continue;
		attack = sdcpg_evidence_attack(evidence, *name, NULL, NULL);
		if (attack->excuse != NULL)
			appendStringInfo(&left_out, " %s", attack_sentence(attack));
		else if (worst == NULL ||
				 is_worse(constraint->comparison, attack->stat[stat],
						  worst->stat[stat]))
			worst = attack;
	}
	if (worst != NULL)
		result->value = worst->stat[stat];
	result->detail = psprintf(
		"%s%s%s",
		worst != NULL ? "The worst one counts. " : "No attack can be run.",
		worst != NULL ? attack_sentence(worst) : "", left_out.data);
}

static void
evaluate_report(SdcGateResult *result, SdcEvidence *evidence)
{
	const SdcGateConstraint *constraint = result->constraint;
	const SdcEvidenceReport *report =
		sdcpg_evidence_report(evidence, constraint->kind, constraint->word,
							  constraint->params, false);
	const SdcEvidenceLine *worst = NULL;
	int i;

	for (i = 0; i < report->count; i++)
	{
		const SdcEvidenceLine *line = &report->line[i];

		if (strcmp(line->measure, constraint->word) != 0 ||
			(constraint->subject != NULL &&
			 (line->subject == NULL ||
			  strcmp(line->subject, constraint->subject) != 0)))
			continue;
		if (worst == NULL ||
			is_worse(constraint->comparison, line->value, worst->value))
			worst = line;
	}
	if (worst != NULL)
		result->value = worst->value;
	result->detail = worst == NULL || worst->detail == NULL
						 ? "The report has no such line."
						 : worst->detail;
}

SdcGateResult *
sdcpg_gate_judge(const SdcGate *gate, SdcEvidence *evidence)
{
	SdcGateResult *results =
		palloc0(sizeof(SdcGateResult) * (gate->count + 1));
	int i;

	for (i = 0; i < gate->count; i++)
	{
		SdcGateResult *result = &results[i];

		result->constraint = &gate->constraint[i];
		result->value = NAN;
		if (result->constraint->kind != SDC_GATE_ATTACK)
			evaluate_report(result, evidence);
		else if (strcmp(result->constraint->word, SDC_GATE_WORST) == 0)
			evaluate_worst(result, evidence);
		else
			evaluate_attack(result, evidence);
		result->passed = !isnan(result->value) &&
						 holds(result->constraint->comparison, result->value,
							   result->constraint->bound);
	}
	return results;
}

SdcGateResult *
sdcpg_gate_evaluate(const SdcGate *gate, const SdcGateCase *of)
{
	return sdcpg_gate_judge(gate, sdcpg_evidence_begin(of));
}

bool
sdcpg_gate_passed(const SdcGate *gate, const SdcGateResult *result)
{
	int i;

	for (i = 0; i < gate->count; i++)
		if (!result[i].passed)
			return false;
	return true;
}
