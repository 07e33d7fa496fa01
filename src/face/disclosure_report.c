/*
 * disclosure_report.c
 *		sdc.disclosure_report: what a masked file gives away, worst first.
 *
 * Attribute disclosure is measured column by column and jointly on the records
 * that both files have.  Identity disclosure is the success of the attacks in
 * pg/disclosure/attacks.c.
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "utils/builtins.h"

#include "pg/data/alignment.h"
#include "pg/call/args.h"
#include "pg/disclosure/attacks.h"
#include "pg/disclosure/attribute_disclosure.h"
#include "pg/server/compat.h"
#include "pg/disclosure/findings.h"
#include "pg/data/number.h"
#include "pg/call/report.h"
#include "pg/call/roles.h"
#include "pg/mask/rules.h"

PG_FUNCTION_INFO_V1(sdcf_disclosure_report);

/* One call of the function. */
typedef struct Disclosure
{
	SdcReport *report;
	SdcAttackTarget target;
	SdcAlignment alignment;
	SdcFindings findings;
} Disclosure;

/* What the argument methods may name: measures and attacks. */
static const char *const methods[] = {
	"rid",     "sdid",  "sadr",          "distance",     "mahalanobis",
	"learned", "exact", "probabilistic", "transparency", NULL};

static void
add_attack(Disclosure *disclosure, const SdcAttack *attack,
		   const SdcLinkSuccess *found)
{
	SdcFindings *findings = &disclosure->findings;
	const char *subject = attack->subject;
	double records = found->records;

	sdcpg_findings_add(
		findings, SDC_FINDING_IDENTITY, "reid_d", subject,
		found->unique_right / records,
		"When %s, the own record is the only one linked in %s.",
		attack->sentence,
		sdcpg_attribute_disclosure_words(found->unique_right, found->records));
	sdcpg_findings_add(findings, SDC_FINDING_IDENTITY, "reid_k", subject,
					   found->right / records,
					   "A guess among equally good links is expected to find "
					   "%.2f of %d records.",
					   found->right, found->records);
	sdcpg_findings_add(findings, SDC_FINDING_IDENTITY, "k_reid", subject,
					   found->claimed_right / records,
					   "The intruder can know the link to be right in %s.",
					   sdcpg_attribute_disclosure_words(found->claimed_right,
														found->records));
	sdcpg_findings_add(
		findings, SDC_FINDING_EXPLANATION, "claim_precision", subject,
		found->claimed > 0 ? (double) found->claimed_right / found->claimed
						   : NAN,
		"Of %d links claimed to be certain, %d are right.", found->claimed,
		found->claimed_right);
}

static void
run_attack(Disclosure *disclosure, const SdcAttack *attack)
{
	SdcPgHost *host =
		sdcpg_host_begin("disclosure_report", CurrentMemoryContext);
	SdcLinkSuccess found;
	const char *excuse = "No record is in both relations.";

	memset(&found, 0, sizeof(found));
	if (disclosure->alignment.records > 0)
		excuse = attack->run(&disclosure->target, host, &found);
	if (excuse == NULL)
		add_attack(disclosure, attack, &found);
	else
		sdcpg_findings_add(&disclosure->findings, SDC_FINDING_IDENTITY,
						   "reid_k", attack->subject, NAN, "%s", excuse);
	sdcpg_host_end(host);
}

/* How many records were compared, and what was not. */
static void
add_records(Disclosure *disclosure, bool rules)
{
	const SdcAlignment *alignment = &disclosure->alignment;
	bool hidden = disclosure->target.original->row_security ||
				  disclosure->target.masked->row_security;

	sdcpg_findings_add(
		&disclosure->findings, SDC_FINDING_EXPLANATION, "records",
		psprintf("%s and %s", disclosure->target.original->sql,
				 disclosure->target.masked->sql),
		alignment->records,
		"%d records are in both relations; %d only in the original and %d "
		"only in the masked one were left out%s.%s",
		alignment->records, alignment->original_only, alignment->masked_only,
		hidden ? "; row-level security may hide others from you" : "",
		rules && !sdcpg_report_wants(disclosure->report, "transparency")
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

/* Lists the keys, which come first, or those that are numbers in both. */
static ArrayType *
find_keys(const SdcAlignment *alignment, int keys, bool numeric)
{
	NameData *names = palloc0(sizeof(NameData) * Max(keys, 1));
	Datum *element = palloc(sizeof(Datum) * Max(keys, 1));
	int count = 0;
	int j;

	for (j = 0; j < keys; j++)
	{
		const SdcAlignedColumn *column = &alignment->column[j];

		if (numeric && (!sdcpg_number_is(column->original.base) ||
						!sdcpg_number_is(column->masked.base)))
			continue;
		namestrcpy(&names[count], column->original.name);
		element[count] = NameGetDatum(&names[count]);
		count++;
	}
	return count == 0 ? NULL
					  : construct_array(element, count, NAMEOID, NAMEDATALEN,
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
	SdcAttackTarget *target = &disclosure->target;
	const SdcRelationColumn *id;
	SdcRelationColumns keys;
	SdcRelationColumns sensitive;
	SdcRelationColumns all;

	target->original = sdcpg_relation_find(PG_GETARG_OID(0));
	target->masked = sdcpg_relation_find(PG_GETARG_OID(1));
	id = find_id(target->original,
				 PG_ARGISNULL(2) ? NULL : NameStr(*PG_GETARG_NAME(2)));
	target->id = id->name;
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
							 target->masked, id, &all);
	target->numeric_keys = find_keys(&disclosure->alignment, keys.count, true);
	target->keys = find_keys(&disclosure->alignment, keys.count, false);
	target->rules = PG_ARGISNULL(5) ? NULL : PG_GETARG_JSONB_P(5);
}

/*
 * disclosure_report(original regclass, masked regclass, id name, keys name[],
 *                   sensitive name[], rules jsonb, p float8, methods text[],
 *                   seed bigint)
 */
Datum
sdcf_disclosure_report(PG_FUNCTION_ARGS)
{
	SdcAttributeMeasures measures;
	Disclosure disclosure;
	const SdcAttack *attack;
	double p;
	SdcPgHost *host;

	memset(&disclosure, 0, sizeof(disclosure));
	if (PG_ARGISNULL(0))
		sdcpg_args_null("original");
	if (PG_ARGISNULL(1))
		sdcpg_args_null("masked");
	if (PG_ARGISNULL(6))
		sdcpg_args_null("p");
	p = PG_GETARG_FLOAT8(6);
	sdcpg_args_range("p", p, 0, 100);
	disclosure.report =
		sdcpg_report_begin(fcinfo, methods, lengthof(methods) - 1,
						   PG_ARGISNULL(7) ? NULL : PG_GETARG_ARRAYTYPE_P(7));
	find_columns(&disclosure, fcinfo);
	(void) sdcpg_rules_read(disclosure.target.rules,
							disclosure.target.original);
	host = sdcpg_host_begin("disclosure_report", CurrentMemoryContext);
	sdcpg_alignment_load(&disclosure.alignment, host);
	disclosure.target.pairs = sdcpg_alignment_pairs(&disclosure.alignment);
	measures.rank = sdcpg_report_wants(disclosure.report, "rid");
	measures.deviation = sdcpg_report_wants(disclosure.report, "sdid");
	measures.equal = sdcpg_report_wants(disclosure.report, "sadr");
	measures.p = p;
	sdcpg_attribute_disclosure_measure(&disclosure.findings, host,
									   &disclosure.alignment, &measures);
	sdcpg_host_end(host);
	for (attack = sdcpg_attacks; attack->method != NULL; attack++)
		if (sdcpg_report_wants(disclosure.report, attack->method) &&
			(disclosure.target.rules != NULL || !attack->needs_rules))
			run_attack(&disclosure, attack);
	add_records(&disclosure, !PG_ARGISNULL(5));
	sdcpg_findings_put(&disclosure.findings, disclosure.report->result);
	return (Datum) 0;
}
