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
#include "lib/stringinfo.h"
#include "nodes/execnodes.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/jsonb.h"

#include "host/call/args.h"
#include "host/call/relation.h"
#include "host/call/report.h"
#include "host/data/alignment.h"
#include "host/data/column.h"
#include "host/server/compat.h"
#include "host/server/host.h"
#include "host/server/result.h"
#include "kernel/base/host.h"
#include "kernel/linkage/link_measure.h"
#include "topic/attack/disclosure.h"
#include "topic/attack/disclosure_report.h"
#include "topic/attack/exact_linkage.h"
#include "topic/attack/learned_distance.h"
#include "topic/attack/link.h"
#include "topic/attack/probabilistic_linkage.h"
#include "topic/attack/transparency.h"
#include "topic/mask/rules.h"
#include "topic/registry/roles.h"

/*
 * What an attack is run against.  The intruder is given the most there can
 * be: the whole original.
 */
typedef struct SdcAttackTarget
{
	const SdcRelation *original;
	const SdcRelation *masked;
	const char *id;
	ArrayType *numeric_keys; /* name[], numbers in both; NULL if none are */
	ArrayType *keys;         /* name[]; NULL if there are none */
	int64 pairs;             /* records of one times records of the other */
	Jsonb *rules;            /* NULL: how it was masked is not known */
} SdcAttackTarget;

typedef struct SdcAttack
{
	const char *method;   /* as in the argument methods */
	const char *subject;  /* as in the report */
	const char *sentence; /* "when each ..." */
	/*
	 * Runs it and counts its success; or returns, as a sentence, why it
	 * cannot be run against this target.
	 */
	const char *(*run)(const SdcAttackTarget *target, SdcPgHost *host,
					   SdcLinkSuccess *found);
	bool needs_rules; /* run only when they are known */
} SdcAttack;

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
 * How well linked files match the truth.
 *
 * The number of candidates of a record is that of the rows at its nearest
 * points; its own record is among them when the point of that record is.  The
 * sum is taken in the order of the points, which is that of their coordinates.
 * ----------------------------------------------------------------------
 */

/* Points between two polls; some have to be searched again. */
#define POLL_POINTS 256

/* The number of records of the other file at these points. */
static int64
count_candidates(const SdcLinkFile *to, const int32 *nearest, int32 count)
{
	int64 candidates = 0;
	int32 i;

	for (i = 0; i < count; i++)
		candidates += to->first[nearest[i] + 1] - to->first[nearest[i]];
	return candidates;
}

static bool
is_among(const int32 *nearest, int32 count, int32 point)
{
	int32 i;

	for (i = 0; i < count; i++)
		if (nearest[i] == point)
			return true;
	return false;
}

/* Counts the records at a point, which all have the same candidates. */
static void
count_point(SdcLinkage *linkage, int32 point, SdcLinkSuccess *found)
{
	const SdcLinkFile *from = &linkage->from.file;
	const SdcLinkFile *to = &linkage->to.file;
	int32 count;
	const int32 *nearest = sdcpg_linkage_nearest(linkage, point, &count);
	int64 candidates = count_candidates(to, nearest, count);
	int32 i;

	for (i = from->first[point]; i < from->first[point + 1]; i++)
	{
		int32 partner = linkage->partner[from->member[i]];

		if (partner < 0 || !is_among(nearest, count, to->point[partner]))
			continue;
		found->right += 1.0 / candidates;
		found->unique_right += candidates == 1;
	}
}

SdcLinkSuccess
sdcpg_link_success_count(SdcLinkage *linkage)
{
	SdcHost *host = &linkage->host->kernel;
	const SdcLinkFile *from = &linkage->from.file;
	SdcLinkSuccess found = {0, 0, 0, 0, 0};
	int32 i;

	for (i = 0; i < from->rows; i++)
		found.records += linkage->partner[i] >= 0;
	if (linkage->hit == NULL)
		return found;
	host->stage(host, "counting links");
	for (i = 0; i < from->points; i++)
	{
		if (i % POLL_POINTS == 0)
			host->poll(host, i, from->points);
		count_point(linkage, i, &found);
	}
	return found;
}

/* ----------------------------------------------------------------------
 * The attacks that a report runs against a masked file.
 *
 * One table: a new attack is a function and a line in it.
 * ----------------------------------------------------------------------
 */

/* Pairs of records that are compared one by one at the most. */
#define MAX_PAIRS INT64CONST(25000000)

/* The same for learning, and how long it may take in a report. */
#define MAX_LEARNED_PAIRS INT64CONST(4000000)
#define LEARNED_SECONDS   10

/* Numeric keys that are learned from at the most. */
#define MAX_LEARNED_KEYS 24

static const char *const no_numbers =
	"No key is a number in both relations, so nearest records cannot be "
	"looked for.";
static const char *const no_keys =
	"No key is named, so nobody can be looked for.";

/* Links every record of one file to the nearest of the other. */
static const char *
link_nearest(const SdcAttackTarget *target, SdcPgHost *host,
			 SdcLinkageMethod method, bool to_original, SdcLinkSuccess *found)
{
	SdcLinkageCall call = {0};
	SdcLinkage linkage;

	if (target->numeric_keys == NULL)
		return no_numbers;
	call.original = target->original->oid;
	call.masked = target->masked->oid;
	call.id = target->id;
	call.keys = target->numeric_keys;
	call.to_original = to_original;
	call.method = method;
	sdcpg_linkage_run(&linkage, host, &call);
	*found = sdcpg_link_success_count(&linkage);
	sdcpg_linkage_end(&linkage);
	return NULL;
}

static const char *
distance_to_masked(const SdcAttackTarget *target, SdcPgHost *host,
				   SdcLinkSuccess *found)
{
	return link_nearest(target, host, SDC_LINKAGE_EUCLIDEAN, false, found);
}

static const char *
distance_to_original(const SdcAttackTarget *target, SdcPgHost *host,
					 SdcLinkSuccess *found)
{
	return link_nearest(target, host, SDC_LINKAGE_EUCLIDEAN, true, found);
}

static const char *
mahalanobis_to_masked(const SdcAttackTarget *target, SdcPgHost *host,
					  SdcLinkSuccess *found)
{
	return link_nearest(target, host, SDC_LINKAGE_MAHALANOBIS, false, found);
}

static const char *
mahalanobis_to_original(const SdcAttackTarget *target, SdcPgHost *host,
						SdcLinkSuccess *found)
{
	return link_nearest(target, host, SDC_LINKAGE_MAHALANOBIS, true, found);
}

/* Links every original record to those that are equal in all keys. */
static const char *
exact(const SdcAttackTarget *target, SdcPgHost *host, SdcLinkSuccess *found)
{
	SdcExactCall call = {0};
	SdcExactLinkage linkage;

	if (target->keys == NULL)
		return no_keys;
	call.original = target->original->oid;
	call.masked = target->masked->oid;
	call.id = target->id;
	call.keys = target->keys;
	sdcpg_exact_linkage_run(&linkage, host, &call);
	*found = sdcpg_exact_linkage_success(&linkage);
	return NULL;
}

/* Links every original record by the agreements that EM finds to count. */
static const char *
probabilistic(const SdcAttackTarget *target, SdcPgHost *host,
			  SdcLinkSuccess *found)
{
	SdcProbabilisticLinkage linkage;
	const char *fault;

	if (target->keys == NULL)
		return no_keys;
	if (target->pairs > MAX_PAIRS)
		return "There are more than 25 million pairs of records; run "
			   "attack_probabilistic with blocks.";
	sdcpg_comparison_describe(&linkage.files, target->original->oid,
							  target->masked->oid, target->id, target->keys,
							  NULL, false);
	fault = sdcpg_probabilistic_linkage_run(&linkage, host, NULL);
	if (fault == NULL)
		*found = sdcpg_probabilistic_linkage_success(&linkage);
	return fault;
}

/* Links by the weights of the keys that re-identify the most. */
static const char *
learned(const SdcAttackTarget *target, SdcPgHost *host, SdcLinkSuccess *found)
{
	if (target->numeric_keys == NULL)
		return no_numbers;
	if (target->pairs > MAX_LEARNED_PAIRS)
		return "There are more than 4 million pairs of records; run "
			   "attack_learned on a sample.";
	if (ArrayGetNItems(ARR_NDIM(target->numeric_keys),
					   ARR_DIMS(target->numeric_keys)) > MAX_LEARNED_KEYS)
		return "There are more than 24 numeric keys; run attack_learned on "
			   "some of them.";
	*found = sdcpg_learned_success(
		host, target->original->oid, target->masked->oid, target->id,
		target->numeric_keys, false, LEARNED_SECONDS);
	return NULL;
}

/* Links every original record inside what the rules let it become. */
static const char *
transparency(const SdcAttackTarget *target, SdcPgHost *host,
			 SdcLinkSuccess *found)
{
	SdcTransparency known;

	if (target->keys == NULL)
		return no_keys;
	sdcpg_transparency_load(&known, host, target->original->oid,
							target->masked->oid, target->id, target->keys,
							target->rules, NULL);
	sdcpg_transparency_prepare(&known);
	*found = sdcpg_transparency_success(&known);
	return NULL;
}

/* All attacks, in the order of their reports; the last has no method. */
static const SdcAttack sdcpg_attacks[] = {
	{"distance", "distance to_masked",
	 "each original record is linked to the nearest masked ones by the "
	 "numeric keys",
	 distance_to_masked},
	{"distance", "distance to_original",
	 "each masked record is linked to the nearest original ones by the "
	 "numeric keys",
	 distance_to_original},
	{"mahalanobis", "mahalanobis to_masked",
	 "each original record is linked to the nearest masked ones by the "
	 "numeric keys, weighed by how masking changed them",
	 mahalanobis_to_masked},
	{"mahalanobis", "mahalanobis to_original",
	 "each masked record is linked to the nearest original ones by the "
	 "numeric keys, weighed by how masking changed them",
	 mahalanobis_to_original},
	{"learned", "learned",
	 "each original record is linked to the nearest masked ones, with the "
	 "weights of the numeric keys that re-identify the most",
	 learned},
	{"exact", "exact",
	 "each original record is linked to the masked ones that are equal in all "
	 "keys",
	 exact},
	{"probabilistic", "probabilistic",
	 "each original record is linked to the masked ones whose agreements in "
	 "the keys speak most for a match",
	 probabilistic},
	{"transparency", "transparency",
	 "each original record is linked to the nearest masked one that it can "
	 "have become by the rules",
	 transparency, true},
	{NULL, NULL, NULL, NULL}};

/* ----------------------------------------------------------------------
 * sdc.disclosure_report: what a masked file gives away, worst first.
 *
 * Attribute disclosure is measured column by column and jointly on the records
 * that both files have.  Identity disclosure is the success of the attacks in
 * pg/disclosure/attacks.c.
 * ----------------------------------------------------------------------
 */

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
	findings_put(&disclosure.findings, disclosure.report->result);
	return (Datum) 0;
}
