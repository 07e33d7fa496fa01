/*
 * disclosure_report.c
 *		sdc.disclosure_report: what a masked file gives away, worst first.
 *
 * Attribute disclosure is measured column by column and jointly on the records
 * that both files have.  Identity disclosure is the success of the attacks in
 * the registry.
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "lib/stringinfo.h"
#include "nodes/execnodes.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"
#include "utils/jsonb.h"
#include "utils/lsyscache.h"

#include "host/call/args.h"
#include "host/call/params.h"
#include "host/call/relation.h"
#include "host/call/report.h"
#include "host/data/alignment.h"
#include "host/server/compat.h"
#include "host/server/host.h"
#include "host/server/result.h"
#include "kernel/base/host.h"
#include "topic/attack/disclosure.h"
#include "topic/attack/disclosure_report.h"
#include "topic/mask/rules.h"
#include "topic/registry/attacks.h"
#include "topic/registry/measures.h"
#include "topic/registry/roles.h"
#include "topic/registry/words.h"

/* ----------------------------------------------------------------------
 * Lines of a report on disclosure, shown worst first.
 * ----------------------------------------------------------------------
 */

#define FIRST_ROOM 32

static SdcFinding *
next_finding(SdcFindings *findings)
{
	if (findings->room == 0)
	{
		findings->room = FIRST_ROOM;
		findings->finding = palloc(sizeof(SdcFinding) * FIRST_ROOM);
	}
	else if (findings->count == findings->room)
	{
		findings->room *= 2;
		findings->finding =
			repalloc(findings->finding, sizeof(SdcFinding) * findings->room);
	}
	return &findings->finding[findings->count];
}

void
sdcpg_findings_add(SdcFindings *findings, SdcFindingKind kind,
				   const char *measure, const char *subject, double value,
				   const char *format, ...)
{
	SdcFinding *finding = next_finding(findings);
	va_list args;

	va_start(args, format);
	finding->detail = sdcpg_result_sentence(format, args);
	va_end(args);
	finding->kind = kind;
	finding->measure = measure;
	finding->subject = subject;
	finding->value = value;
	finding->number = findings->count++;
}

/* Disclosures by value, then by kind; explanations as they were found. */
static int
compare_findings(const void *a, const void *b)
{
	const SdcFinding *x = a;
	const SdcFinding *y = b;
	bool explains_x = x->kind == SDC_FINDING_EXPLANATION;
	bool explains_y = y->kind == SDC_FINDING_EXPLANATION;

	if (explains_x != explains_y)
		return explains_x ? 1 : -1;
	if (!explains_x)
	{
		if (isnan(x->value) != isnan(y->value))
			return isnan(x->value) ? 1 : -1;
		if (x->value != y->value && !isnan(x->value))
			return x->value < y->value ? 1 : -1;
		if (x->kind != y->kind)
			return x->kind < y->kind ? -1 : 1;
	}
	return x->number < y->number ? -1 : x->number > y->number;
}

/* The first of the sorted findings that has the kind, or any disclosure. */
static const SdcFinding *
find_worst(const SdcFindings *findings, SdcFindingKind kind)
{
	int i;

	for (i = 0; i < findings->count; i++)
	{
		const SdcFinding *finding = &findings->finding[i];

		if (finding->kind == SDC_FINDING_EXPLANATION || isnan(finding->value))
			break;
		if (kind == SDC_FINDING_EXPLANATION || finding->kind == kind)
			return finding;
	}
	return NULL;
}

static void
put_worst(const SdcFindings *findings, ReturnSetInfo *result,
		  const char *measure, SdcFindingKind kind, const char *what)
{
	const SdcFinding *worst = find_worst(findings, kind);

	if (worst == NULL)
		sdcpg_result_measure(result, measure, "", 0, true,
							 psprintf("No %s was measured.", what));
	else
		sdcpg_result_measure(
			result, measure,
			psprintf("%s of %s", worst->measure, worst->subject), worst->value,
			false, worst->detail);
}

/*
 * Returns rows of sdc.measure: the worst finding and its name, the worst of
 * both kinds of disclosure, then all lines by descending value, those without
 * a value and the explanations last.
 */
static void
findings_put(SdcFindings *findings, ReturnSetInfo *result)
{
	int i;

	if (findings->count > 0)
		qsort(findings->finding, findings->count, sizeof(SdcFinding),
			  compare_findings);
	put_worst(findings, result, "worst", SDC_FINDING_EXPLANATION,
			  "disclosure");
	put_worst(findings, result, "identity_disclosure", SDC_FINDING_IDENTITY,
			  "attack");
	put_worst(findings, result, "attribute_disclosure", SDC_FINDING_ATTRIBUTE,
			  "column");
	for (i = 0; i < findings->count; i++)
	{
		const SdcFinding *finding = &findings->finding[i];

		sdcpg_result_measure(result, finding->measure, finding->subject,
							 finding->value, isnan(finding->value),
							 finding->detail);
	}
}

/* ----------------------------------------------------------------------
 * sdc.disclosure_report: what a masked file gives away, worst first.
 *
 * Attribute disclosure is measured column by column and jointly on the records
 * that both files have.  Identity disclosure is the success of the attacks in
 * the registry.
 * ----------------------------------------------------------------------
 */

PG_FUNCTION_INFO_V1(sdcf_disclosure_report);

/* One call of the function. */
typedef struct Disclosure
{
	Jsonb *params; /* by attack, see check_params */
	SdcReport *report;
	bool named; /* did the caller name what is measured? */
	SdcAttackCase target;
	SdcAlignment alignment;
	bool nobody; /* new records, which have no id of the original's? */
	SdcFindings findings;
} Disclosure;

/*
 * What the argument measures may name: measures and attacks, first those that
 * are meant when nothing is named; *usual is how many these are.
 */
static const char *const *
list_measures(int *usual)
{
	const char *const *attacks = sdcpg_attack_names();
	const char **measures;
	int count;
	int i;

	for (i = 0; attacks[i] != NULL; i++)
		;
	measures = sdcpg_measure_asked(SDC_MEASURE_DISCLOSURE, i, &count);
	for (i = 0; attacks[i] != NULL; i++)
		if (sdcpg_attacks[i]->usual)
			measures[count++] = attacks[i];
	*usual = count;
	for (i = 0; attacks[i] != NULL; i++)
		if (!sdcpg_attacks[i]->usual)
			measures[count++] = attacks[i];
	return measures;
}

/* The lines of an attack that has linked people. */
static void
add_links(Disclosure *disclosure, const char *subject, const char *when,
		  const SdcAttackOutcome *outcome)
{
	SdcFindings *findings = &disclosure->findings;
	const SdcLinkSuccess *found = &outcome->success;

	sdcpg_findings_add(
		findings, SDC_FINDING_IDENTITY, "reid_d", subject,
		outcome->stat[SDC_STAT_REID_D],
		"When %s, the own record is the only one linked in %s.", when,
		sdcpg_attribute_disclosure_words(found->unique_right, found->records));
	sdcpg_findings_add(
		findings, SDC_FINDING_IDENTITY, "reid_k", subject,
		outcome->stat[SDC_STAT_REID_K],
		"A guess among equally good links is expected to find %.2f of %d "
		"records.%s%s",
		found->right, found->records, outcome->sample != NULL ? " " : "",
		outcome->sample != NULL ? outcome->sample : "");
	sdcpg_findings_add(findings, SDC_FINDING_IDENTITY, "k_reid", subject,
					   outcome->stat[SDC_STAT_K_REID],
					   "The intruder can know the link to be right in %s.",
					   sdcpg_attribute_disclosure_words(found->claimed_right,
														found->records));
	sdcpg_findings_add(findings, SDC_FINDING_EXPLANATION, "claim_precision",
					   subject, outcome->stat[SDC_STAT_CLAIM_PRECISION],
					   "Of %d links claimed to be certain, %d are right.",
					   found->claimed, found->claimed_right);
}

/* ----------------------------------------------------------------------
 * The argument params: {"distance": {"variant": "gower", ...}, ...}, for an
 * attack the object that a constraint has in "params", with its variant.
 * ----------------------------------------------------------------------
 */

/* The variant of an attack; NULL: its usual one. */
static char *
attack_variant(Jsonb *params, const SdcAttack *attack)
{
	Jsonb *own = sdcpg_params_object(params, attack->name);

	return own == NULL ? NULL : sdcpg_params_text(own, "variant");
}

/* What is said of an attack, without its variant and with a direction. */
static Jsonb *
attack_params(Jsonb *params, const SdcAttack *attack, const char *direction)
{
	Jsonb *own = sdcpg_params_object(params, attack->name);
	Datum said = JsonbPGetDatum(own);

	if (own != NULL)
		said = DirectFunctionCall2(jsonb_delete, said,
								   CStringGetTextDatum("variant"));
	if (direction == NULL)
		return own == NULL ? NULL : DatumGetJsonbP(said);
	direction = psprintf("{\"direction\": \"%s\"}", direction);
	if (own == NULL)
		return DatumGetJsonbP(
			DirectFunctionCall1(jsonb_in, CStringGetDatum(direction)));
	return DatumGetJsonbP(DirectFunctionCall2(
		jsonb_concat, said,
		DirectFunctionCall1(jsonb_in, CStringGetDatum(direction))));
}

/* The one direction that the caller chose; NULL: both. */
static char *
attack_direction(Jsonb *params, const SdcAttack *attack)
{
	Jsonb *own = sdcpg_params_object(params, attack->name);

	return own == NULL || attack->back == NULL
			   ? NULL
			   : sdcpg_params_text(own, "direction");
}

/* Stops at a key that is no attack, and at what the attack does not know. */
static void
check_params(Jsonb *params)
{
	int i;

	sdcpg_params_check(params, sdcpg_attack_names());
	for (i = 0; sdcpg_attacks[i] != NULL; i++)
	{
		const SdcAttack *attack = sdcpg_attacks[i];
		Jsonb *own = sdcpg_params_object(params, attack->name);
		char *direction;

		if (own == NULL)
			continue;
		direction = attack_direction(params, attack);
		sdcpg_attack_check(attack, attack_variant(params, attack),
						   attack_params(params, attack, NULL));
		if (direction != NULL)
			(void) sdcpg_args_choice("direction", cstring_to_text(direction),
									 sdcpg_direction_words);
	}
}

/* Runs an attack, in one of its directions, and adds its lines. */
static void
run_attack(Disclosure *disclosure, const SdcAttack *attack,
		   const char *direction, const char *when)
{
	const char *subject = direction == NULL
							  ? attack->name
							  : psprintf("%s %s", attack->name, direction);
	SdcFindingKind kind = attack->kind == SDC_ATTACK_IDENTITY
							  ? SDC_FINDING_IDENTITY
							  : SDC_FINDING_ATTRIBUTE;
	SdcAttackOutcome outcome = {"No record is in both relations."};

	disclosure->target.method = attack_variant(disclosure->params, attack);
	disclosure->target.params =
		attack_params(disclosure->params, attack, direction);
	if (disclosure->alignment.records > 0 || disclosure->nobody ||
		!(attack->needs & SDC_NEEDS_ID))
		sdcpg_attack_run(attack, &disclosure->target, &outcome);
	if (outcome.reason != NULL)
		sdcpg_findings_add(&disclosure->findings, kind,
						   kind == SDC_FINDING_IDENTITY ? "reid_k" : "found",
						   subject, NAN, "%s", outcome.reason);
	else if (outcome.linked)
		add_links(disclosure, subject, when, &outcome);
	else
		sdcpg_findings_add(&disclosure->findings, kind, "found", subject,
						   outcome.stat[SDC_STAT_FOUND], "%s",
						   sdcpg_attack_sentence(
							   attack, disclosure->target.method, &outcome));
}

/* Runs the attacks that the caller wants, or those that apply. */
static void
run_attacks(Disclosure *disclosure)
{
	const SdcAttack *const *row;

	for (row = sdcpg_attacks; *row != NULL; row++)
	{
		const SdcAttack *attack = *row;
		const char *chosen;
		bool back;

		if (!sdcpg_report_wants(disclosure->report, attack->name) ||
			(!disclosure->named && (attack->needs & SDC_NEEDS_RULES) &&
			 disclosure->target.rules == NULL))
			continue;
		chosen = attack_direction(disclosure->params, attack);
		back = chosen != NULL && strcmp(chosen, "to_original") == 0;
		if (!back)
			run_attack(disclosure, attack, attack->back ? "to_masked" : NULL,
					   attack->when);
		if (attack->back != NULL && (back || chosen == NULL))
			run_attack(disclosure, attack, "to_original", attack->back);
	}
}

/* Does any attack that the caller wants use the rules? */
static bool
uses_rules(const Disclosure *disclosure)
{
	const SdcAttack *const *row;

	for (row = sdcpg_attacks; *row != NULL; row++)
		if (((*row)->needs & SDC_NEEDS_RULES) &&
			sdcpg_report_wants(disclosure->report, (*row)->name))
			return true;
	return false;
}

/* How many records were compared, and what was not. */
static void
add_records(Disclosure *disclosure)
{
	const SdcAlignment *alignment = &disclosure->alignment;
	bool hidden = disclosure->target.original->row_security ||
				  disclosure->target.masked->row_security;

	if (disclosure->nobody)
	{
		sdcpg_findings_add(
			&disclosure->findings, SDC_FINDING_EXPLANATION, "records",
			psprintf("%s and %s", disclosure->target.original->sql,
					 disclosure->target.masked->sql),
			0,
			"The masked relation has no id: its records are new ones, and "
			"none is compared with one of the original.");
		return;
	}
	sdcpg_findings_add(
		&disclosure->findings, SDC_FINDING_EXPLANATION, "records",
		psprintf("%s and %s", disclosure->target.original->sql,
				 disclosure->target.masked->sql),
		alignment->records,
		"%d records are in both relations; %d only in the original and %d "
		"only in the masked one were left out%s.%s",
		alignment->records, alignment->original_only, alignment->masked_only,
		hidden ? "; row-level security may hide others from you" : "",
		disclosure->target.rules != NULL && !uses_rules(disclosure)
			? " No attack that was run uses the rules."
			: "");
}

/* The columns of both lists, each once. */
static SdcRelationColumns
unite_columns(const SdcRelationColumns *keys,
			  const SdcRelationColumns *sensitive)
{
	SdcRelationColumns all;
	int i;
	int j;

	all.column =
		palloc(sizeof(SdcRelationColumn) * (keys->count + sensitive->count));
	all.count = keys->count;
	for (i = 0; i < keys->count; i++)
		all.column[i] = keys->column[i];
	for (i = 0; i < sensitive->count; i++)
	{
		for (j = 0; j < all.count; j++)
			if (all.column[j].number == sensitive->column[i].number)
				break;
		if (j == all.count)
			all.column[all.count++] = sensitive->column[i];
	}
	return all;
}

/* The names of columns; NULL for none. */
static ArrayType *
list_names(const SdcRelationColumns *columns)
{
	NameData *names = palloc0(sizeof(NameData) * Max(columns->count, 1));
	Datum *element = palloc(sizeof(Datum) * Max(columns->count, 1));
	int j;

	for (j = 0; j < columns->count; j++)
	{
		namestrcpy(&names[j], columns->column[j].name);
		element[j] = NameGetDatum(&names[j]);
	}
	return columns->count == 0
			   ? NULL
			   : construct_array(element, columns->count, NAMEOID, NAMEDATALEN,
								 false, TYPALIGN_CHAR);
}

/* The column that aligns the relations. */
static const SdcRelationColumn *
find_id(const SdcRelation *original, const char *name)
{
	const SdcRelationColumn *id =
		sdcpg_roles_column(original, "id", name, SDC_ROLE_ID);

	if (id == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("argument \"id\" must name a column"),
				 errdetail("No column of relation \"%s\" is declared with "
						   "the role id.",
						   original->name),
				 errhint("Records of both relations are compared by their "
						 "id.")));
	return id;
}

/* Looks relations and columns up. */
static void
find_columns(Disclosure *disclosure, FunctionCallInfo fcinfo)
{
	SdcAttackCase *target = &disclosure->target;
	const SdcRelationColumn *id;
	SdcRelationColumns keys;
	SdcRelationColumns sensitive;
	SdcRelationColumns all;

	target->original = sdcpg_relation_find(PG_GETARG_OID(0));
	target->masked = sdcpg_relation_find(PG_GETARG_OID(1));
	id = find_id(target->original,
				 PG_ARGISNULL(2) ? NULL : NameStr(*PG_GETARG_NAME(2)));
	target->id = id->name;
	/* one that the caller names must be there */
	disclosure->nobody =
		PG_ARGISNULL(2) &&
		get_attnum(target->masked->oid, id->name) == InvalidAttrNumber;
	keys = sdcpg_roles_columns(
		target->original, "keys",
		PG_ARGISNULL(3) ? NULL : PG_GETARG_ARRAYTYPE_P(3), SDC_ROLE_KEY);
	sensitive = sdcpg_roles_columns(
		target->original, "sensitive",
		PG_ARGISNULL(4) ? NULL : PG_GETARG_ARRAYTYPE_P(4), SDC_ROLE_SENSITIVE);
	all = unite_columns(&keys, &sensitive);
	if (all.count == 0)
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("argument \"keys\" or \"sensitive\" must name "
						"columns"),
				 errdetail("No column of relation \"%s\" is declared with "
						   "the role key or sensitive.",
						   target->original->name)));
	sdcpg_alignment_describe(&disclosure->alignment, target->original,
							 target->masked, disclosure->nobody ? NULL : id,
							 &all);
	target->keys = list_names(&keys);
	target->sensitive = list_names(&sensitive);
	target->rules = PG_ARGISNULL(5) ? NULL : PG_GETARG_JSONB_P(5);
	target->seeded = !PG_ARGISNULL(9);
	target->seed = PG_ARGISNULL(9) ? 0 : PG_GETARG_INT64(9);
}

/*
 * disclosure_report(original regclass, masked regclass, id name, keys columns,
 *                   sensitive columns, rules jsonb, p float8, measures text[],
 *                   params jsonb, seed bigint)
 */
Datum
sdcf_disclosure_report(PG_FUNCTION_ARGS)
{
	SdcAttributeMeasures measures;
	Disclosure disclosure;
	const char *const *methods;
	int usual;
	double p;
	SdcPgHost *host;

	memset(&disclosure, 0, sizeof(disclosure));
	sdcpg_args_need_first(fcinfo, 2);
	sdcpg_args_need(fcinfo, 6);
	p = PG_GETARG_FLOAT8(6);
	sdcpg_args_range("p", p, 0, 100);
	disclosure.named = !PG_ARGISNULL(7);
	disclosure.target.p = p;
	disclosure.params = PG_ARGISNULL(8) ? NULL : PG_GETARG_JSONB_P(8);
	check_params(disclosure.params);
	methods = list_measures(&usual);
	disclosure.report =
		sdcpg_report_begin(fcinfo, methods, usual,
						   PG_ARGISNULL(7) ? NULL : PG_GETARG_ARRAYTYPE_P(7));
	find_columns(&disclosure, fcinfo);
	(void) sdcpg_rules_read(disclosure.target.rules,
							disclosure.target.original);
	host = sdcpg_host_begin("disclosure_report", CurrentMemoryContext);
	if (!disclosure.nobody)
		sdcpg_alignment_load(&disclosure.alignment, host);
	measures.rank = sdcpg_report_wants(disclosure.report, "rank_disclosure");
	measures.deviation =
		sdcpg_report_wants(disclosure.report, "interval_disclosure");
	measures.equal = sdcpg_report_wants(disclosure.report, "unchanged_share");
	measures.p = p;
	if (!disclosure.nobody)
		sdcpg_attribute_disclosure_measure(&disclosure.findings, host,
										   &disclosure.alignment, &measures);
	sdcpg_host_end(host);
	run_attacks(&disclosure);
	add_records(&disclosure);
	findings_put(&disclosure.findings, disclosure.report->result);
	return (Datum) 0;
}
