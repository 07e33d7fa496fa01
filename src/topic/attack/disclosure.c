/*
 * disclosure.c
 *		sdc.rank_disclosure (rid), sdc.interval_disclosure (sdid) and
 *		sdc.unchanged_share (sadr): how many values a masked column gives
 *		away, as aggregates; the same as lines of disclosure_report.
 *
 * The two interval measures need ranks and the standard deviation of all
 * originals, so they keep all pairs, and share them when both stand in one
 * query.  Equal values are only counted.
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

#include "host/call/params.h"
#include "host/call/relation.h"
#include "host/call/report.h"
#include "host/data/alignment.h"
#include "host/data/dictionary.h"
#include "host/data/pairs.h"
#include "host/server/compat.h"
#include "host/server/host.h"
#include "host/server/result.h"
#include "kernel/base/host.h"
#include "kernel/risk/disclosure.h"
#include "topic/mask/rules.h"
#include "topic/registry/attacks.h"
#include "topic/registry/measures.h"
#include "topic/registry/roles.h"
#include "topic/registry/words.h"

#define FIRST_ROOM 32

/* ----------------------------------------------------------------------
 * Lines of a report on disclosure, shown worst first.
 * ----------------------------------------------------------------------
 */

/* What a line is about; of equal values the first is shown first. */
typedef enum SdcFindingKind
{
	SDC_FINDING_IDENTITY,   /* share of the people that are recognised */
	SDC_FINDING_ATTRIBUTE,  /* share of the values that become known */
	SDC_FINDING_EXPLANATION /* neither; shown below, as found */
} SdcFindingKind;

typedef struct SdcFinding
{
	SdcFindingKind kind;
	const char *measure;
	const char *subject;
	double value; /* 0 .. 1; NaN is shown as NULL */
	const char *detail;
	int number;
} SdcFinding;

typedef struct SdcFindings
{
	SdcFinding *finding;
	int count;
	int room;
} SdcFindings;

/* What to measure; see kernel/risk/disclosure.h. */
typedef struct SdcAttributeMeasures
{
	bool rank;
	bool deviation;
	bool equal;
	double p; /* of the first two, in percent */
} SdcAttributeMeasures;

/* ----------------------------------------------------------------------
 * Which values of two aligned relations become known.
 *
 * The kernel marks the records whose value becomes known, column by column;
 * the marks of a measure are joined over the columns.
 * ----------------------------------------------------------------------
 */

/* The marks of one measure, joined over the columns so far. */
typedef struct Joint
{
	uint8_t *mark;
	int columns;
} Joint;

typedef struct Measuring
{
	SdcFindings *findings;
	SdcHost *host;
	const SdcAlignment *alignment;
	const SdcAttributeMeasures *measures;
	int32 records;
	uint8_t *mark; /* of one column */
	Joint rank;
	Joint deviation;
	Joint equal;
} Measuring;

/* "4 of 10 records (40.00 %)" */
static char *
attribute_disclosure_words(int32 shown, int32 records)
{
	return psprintf("%d of %d records (%.2f %%)", shown, records,
					100.0 * shown / records);
}

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

/*
 * Appends a line; the detail is a sentence made from format.  measure and
 * subject must last as long as the findings, which start as zeros.
 */
static void pg_attribute_printf(6, 7)
	findings_add(SdcFindings *findings, SdcFindingKind kind,
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

/* Adds a line about marks; the sentence goes on with "in n of m records". */
static void
add_share(Measuring *measuring, const char *measure, const char *subject,
		  const uint8_t *mark, const char *sentence, const char *more)
{
	SdcDisclosureShare share =
		sdc_disclosure_count(measuring->host, mark, measuring->records);

	if (share.records == 0)
		findings_add(measuring->findings, SDC_FINDING_ATTRIBUTE, measure,
					 subject, NAN, "No record has an original value.");
	else
		findings_add(
			measuring->findings, SDC_FINDING_ATTRIBUTE, measure, subject,
			sdc_disclosure_share(share), "%s in %s%s.", sentence,
			attribute_disclosure_words(share.shown, share.records), more);
}

/* Adds the line of one column, and joins its marks to those before. */
static void
add_column(Measuring *measuring, const char *measure,
		   const SdcAlignedColumn *column, Joint *joint, const char *sentence,
		   const char *more)
{
	add_share(measuring, measure, column->original.sql, measuring->mark,
			  sentence, more);
	if (joint->columns++ == 0)
		memset(joint->mark, SDC_DISCLOSURE_NOTHING, measuring->records);
	sdc_disclosure_join(measuring->host, measuring->mark, measuring->records,
						joint->mark);
}

static void
measure_intervals(Measuring *measuring, const SdcAlignedColumn *column,
				  const SdcDisclosureNumbers *numbers)
{
	double p = measuring->measures->p;

	if (measuring->measures->rank)
	{
		sdc_disclosure_rank(measuring->host, numbers, p, measuring->mark);
		add_column(measuring, "rank_disclosure", column, &measuring->rank,
				   psprintf("The original lies in the rank interval of the "
							"masked value (p = %g, w = %.0f)",
							p, floor(p * numbers->values / 200)),
				   "");
	}
	if (measuring->measures->deviation)
	{
		sdc_disclosure_deviation(measuring->host, numbers, p, measuring->mark);
		add_column(measuring, "interval_disclosure", column,
				   &measuring->deviation,
				   psprintf("The original is no farther from the masked value "
							"than %g %% of the standard deviation",
							p),
				   "");
	}
}

/* Marks equal values; returns how many chance would leave. */
static double
mark_equal(Measuring *measuring, const SdcAlignedColumn *column,
		   const SdcDisclosureNumbers *numbers)
{
	SdcHost *host = measuring->host;

	if (column->number)
	{
		sdc_disclosure_equal(host, numbers, measuring->mark);
		return sdc_disclosure_chance(host, numbers);
	}
	sdc_disclosure_equal_codes(host, column->original_code,
							   column->masked_code, measuring->records,
							   measuring->mark);
	return sdc_disclosure_chance_codes(host, column->original_code,
									   column->masked_code, measuring->records,
									   column->values);
}

static void
measure_equality(Measuring *measuring, const SdcAlignedColumn *column,
				 const SdcDisclosureNumbers *numbers)
{
	double chance = mark_equal(measuring, column, numbers);

	add_column(measuring, "unchanged_share", column, &measuring->equal,
			   "The original value is shown",
			   psprintf("; by chance it would be in %.2f %%%s", 100 * chance,
						!column->as_text ? ""
						: column->original.base == column->masked.base
							? " (compared as text)"
							: " (compared as text: the types differ)"));
	findings_add(measuring->findings, SDC_FINDING_EXPLANATION,
				 "unchanged_share_chance", column->original.sql, chance,
				 "The share of records that would show their original "
				 "value if the masked values were dealt out at random.");
}

static void
measure_column(Measuring *measuring, const SdcAlignedColumn *column)
{
	SdcHost *host = measuring->host;
	SdcDisclosureNumbers numbers;

	memset(&numbers, 0, sizeof(numbers));
	if (column->number)
	{
		sdc_disclosure_prepare(host, &numbers, column->original_number,
							   column->masked_number, measuring->records);
		measure_intervals(measuring, column, &numbers);
	}
	if (measuring->measures->equal)
		measure_equality(measuring, column, &numbers);
	host->release(host, numbers.sorted);
}

/* The names of the columns that are numbers, or of all. */
static char *
list_columns(const SdcAlignment *alignment, bool numbers)
{
	StringInfoData list;
	int j;

	initStringInfo(&list);
	for (j = 0; j < alignment->columns; j++)
		if (alignment->column[j].number || !numbers)
			appendStringInfo(&list, "%s%s", list.len > 0 ? ", " : "",
							 alignment->column[j].original.sql);
	return list.data;
}

static void
add_joint(Measuring *measuring, const char *measure, const Joint *joint,
		  bool numbers, const char *sentence)
{
	if (joint->columns > 1)
		add_share(measuring, measure,
				  list_columns(measuring->alignment, numbers), joint->mark,
				  sentence, "");
}

/*
 * Measures each column of an alignment that was loaded, the intervals only of
 * numbers, and all columns together, and adds what it finds: rank_disclosure,
 * interval_disclosure, unchanged_share
 * and unchanged_share_chance.  O(columns * records * log(records)).
 */
static void
attribute_disclosure_measure(SdcFindings *findings, SdcPgHost *host,
							 const SdcAlignment *alignment,
							 const SdcAttributeMeasures *measures)
{
	SdcHost *kernel = &host->kernel;
	Measuring measuring;
	int j;

	memset(&measuring, 0, sizeof(measuring));
	measuring.findings = findings;
	measuring.host = kernel;
	measuring.alignment = alignment;
	measuring.measures = measures;
	measuring.records = alignment->records;
	measuring.mark = sdc_new(kernel, uint8_t, alignment->records);
	measuring.rank.mark = sdc_new(kernel, uint8_t, alignment->records);
	measuring.deviation.mark = sdc_new(kernel, uint8_t, alignment->records);
	measuring.equal.mark = sdc_new(kernel, uint8_t, alignment->records);
	kernel->stage(kernel, "comparing columns");
	for (j = 0; j < alignment->columns; j++)
		measure_column(&measuring, &alignment->column[j]);
	add_joint(&measuring, "rank_disclosure", &measuring.rank, true,
			  "All of these originals lie in the rank intervals");
	add_joint(&measuring, "interval_disclosure", &measuring.deviation, true,
			  "All of these originals lie within the distance");
	add_joint(&measuring, "unchanged_share", &measuring.equal, false,
			  "All of these original values are shown");
}

/* ----------------------------------------------------------------------
 * The aggregates.
 * ----------------------------------------------------------------------
 */

PG_FUNCTION_INFO_V1(sdcf_disclosure_accum);
PG_FUNCTION_INFO_V1(sdcf_disclosure_combine);
PG_FUNCTION_INFO_V1(sdcf_rid_final);
PG_FUNCTION_INFO_V1(sdcf_sdid_final);
PG_FUNCTION_INFO_V1(sdcf_sadr_accum);
PG_FUNCTION_INFO_V1(sdcf_sadr_combine);
PG_FUNCTION_INFO_V1(sdcf_sadr_final);

/* What the state of sadr holds. */
typedef enum State
{
	RECORDS, /* with an original value */
	EQUAL,
	STATES
} State;

typedef void (*MarkRecords)(SdcHost *host, const SdcDisclosureNumbers *numbers,
							double p, uint8_t *mark);

/*
 * disclosure_accum(state bytea, value_original float8, value_masked float8,
 *                  p float8)
 */
Datum
sdcf_disclosure_accum(PG_FUNCTION_ARGS)
{
	double masked = NAN;
	SdcPairs *pairs;
	double p;

	sdcpg_args_need(fcinfo, 3);
	p = PG_GETARG_FLOAT8(3);
	sdcpg_args_range("p", p, 0, 100);
	if (!PG_ARGISNULL(2))
	{
		masked = PG_GETARG_FLOAT8(2);
		sdcpg_args_finite(masked);
	}
	/* without an original value there is nothing to give away */
	if (PG_ARGISNULL(1))
	{
		if (PG_ARGISNULL(0))
			PG_RETURN_NULL();
		PG_RETURN_DATUM(PG_GETARG_DATUM(0));
	}
	sdcpg_args_finite(PG_GETARG_FLOAT8(1));
	pairs = sdcpg_pairs_change(fcinfo, 0, p);
	sdcpg_pairs_add(pairs, PG_GETARG_FLOAT8(1), masked);
	PG_RETURN_DATUM(sdcpg_pairs_datum(pairs));
}

/* disclosure_combine(state bytea, other bytea) */
Datum
sdcf_disclosure_combine(PG_FUNCTION_ARGS)
{
	const SdcPairs *other = sdcpg_pairs_read(fcinfo, 1);
	SdcPairs *pairs = sdcpg_pairs_change(fcinfo, 0, other->p);
	int32 i;

	for (i = 0; i < other->count; i++)
		sdcpg_pairs_add(pairs, other->original[i], other->masked[i]);
	PG_RETURN_DATUM(sdcpg_pairs_datum(pairs));
}

/* The share of records that the given marking shows. */
static Datum
measure_pairs(FunctionCallInfo fcinfo, const char *function, MarkRecords marks)
{
	const SdcPairs *pairs = sdcpg_pairs_read(fcinfo, 0);
	SdcPgHost *host = sdcpg_host_begin(function, CurrentMemoryContext);
	uint8_t *mark = sdc_new(&host->kernel, uint8_t, pairs->count);
	SdcDisclosureNumbers numbers;
	SdcDisclosureShare share;

	sdc_disclosure_prepare(&host->kernel, &numbers, pairs->original,
						   pairs->masked, pairs->count);
	marks(&host->kernel, &numbers, pairs->p, mark);
	share = sdc_disclosure_count(&host->kernel, mark, pairs->count);
	sdcpg_host_end(host);
	if (share.records == 0)
		PG_RETURN_NULL();
	PG_RETURN_FLOAT8(sdc_disclosure_share(share));
}

/* rid_final(state bytea) */
Datum
sdcf_rid_final(PG_FUNCTION_ARGS)
{
	return measure_pairs(fcinfo, "rank_disclosure", sdc_disclosure_rank);
}

/* sdid_final(state bytea) */
Datum
sdcf_sdid_final(PG_FUNCTION_ARGS)
{
	return measure_pairs(fcinfo, "interval_disclosure",
						 sdc_disclosure_deviation);
}

/* The equality of the arguments' type, looked up once per query. */
static SdcEquality *
find_equality(FunctionCallInfo fcinfo)
{
	FmgrInfo *info = fcinfo->flinfo;
	SdcEquality *equality = info->fn_extra;
	Oid original;
	Oid masked;

	if (equality != NULL)
		return equality;
	original = get_fn_expr_argtype(info, 1);
	masked = get_fn_expr_argtype(info, 2);
	if (getBaseType(original) != getBaseType(masked))
		ereport(ERROR,
				(errcode(ERRCODE_DATATYPE_MISMATCH),
				 errmsg("original and masked values must be of one type"),
				 errdetail("Their types are %s and %s.",
						   format_type_be(original), format_type_be(masked)),
				 errhint("Cast one of them, or both to text.")));
	equality = MemoryContextAlloc(info->fn_mcxt, sizeof(SdcEquality));
	sdcpg_equality_find(equality, original, PG_GET_COLLATION(), info->fn_mcxt);
	info->fn_extra = equality;
	return equality;
}

/* sadr_accum(state float8[], value_original "any", value_masked "any") */
Datum
sdcf_sadr_accum(PG_FUNCTION_ARGS)
{
	SdcEquality *equality = find_equality(fcinfo);
	double *state;

	sdcpg_args_need(fcinfo, 0);
	state = sdcpg_state_change(fcinfo, 0, STATES);
	if (!PG_ARGISNULL(1))
		state[RECORDS]++;
	if (!PG_ARGISNULL(1) && !PG_ARGISNULL(2))
		state[EQUAL] += sdcpg_equality_same(
			equality, sdcpg_equality_whole(equality, PG_GETARG_DATUM(1)),
			sdcpg_equality_whole(equality, PG_GETARG_DATUM(2)));
	return sdcpg_state_datum(state);
}

/* sadr_combine(state float8[], other float8[]) */
Datum
sdcf_sadr_combine(PG_FUNCTION_ARGS)
{
	double *state = sdcpg_state_change(fcinfo, 0, STATES);
	const double *other = sdcpg_state_read(fcinfo, 1, STATES);

	state[RECORDS] += other[RECORDS];
	state[EQUAL] += other[EQUAL];
	return sdcpg_state_datum(state);
}

/* sadr_final(state float8[]) */
Datum
sdcf_sadr_final(PG_FUNCTION_ARGS)
{
	const double *state = sdcpg_state_read(fcinfo, 0, STATES);

	if (state[RECORDS] == 0)
		PG_RETURN_NULL();
	PG_RETURN_FLOAT8(state[EQUAL] / state[RECORDS]);
}

/* ----------------------------------------------------------------------
 * sdc.disclosure_report: what a masked file gives away, worst first.
 *
 * Attribute disclosure is measured column by column and jointly on the records
 * that both files have.  Identity disclosure is the success of the attacks in
 * the registry.
 * ----------------------------------------------------------------------
 */

/* ----------------------------------------------------------------------
 * Lines of a report on disclosure, shown worst first.
 * ----------------------------------------------------------------------
 */

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

	findings_add(
		findings, SDC_FINDING_IDENTITY, "reid_d", subject,
		outcome->stat[SDC_STAT_REID_D],
		"When %s, the own record is the only one linked in %s.%s%s", when,
		attribute_disclosure_words(found->unique_right, found->records),
		outcome->parts != NULL ? " " : "",
		outcome->parts != NULL ? outcome->parts : "");
	findings_add(
		findings, SDC_FINDING_IDENTITY, "reid_k", subject,
		outcome->stat[SDC_STAT_REID_K],
		"A guess among equally good links is expected to find %.2f of %d "
		"records.%s%s",
		found->right, found->records, outcome->sample != NULL ? " " : "",
		outcome->sample != NULL ? outcome->sample : "");
	findings_add(
		findings, SDC_FINDING_IDENTITY, "k_reid", subject,
		outcome->stat[SDC_STAT_K_REID],
		"The intruder can know the link to be right in %s.",
		attribute_disclosure_words(found->claimed_right, found->records));
	findings_add(findings, SDC_FINDING_EXPLANATION, "claim_precision", subject,
				 outcome->stat[SDC_STAT_CLAIM_PRECISION],
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
		findings_add(&disclosure->findings, kind,
					 kind == SDC_FINDING_IDENTITY ? "reid_k" : "found",
					 subject, NAN, "%s", outcome.reason);
	else if (outcome.linked)
		add_links(disclosure, subject, when, &outcome);
	else
		findings_add(&disclosure->findings, kind, "found", subject,
					 outcome.stat[SDC_STAT_FOUND], "%s",
					 sdcpg_attack_sentence(attack, disclosure->target.method,
										   &outcome));
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

		if (!(sdcpg_report_wants(disclosure->report, attack->name) ||
			  (!disclosure->named &&
			   sdcpg_attack_is_of_events(attack,
										 disclosure->target.original))) ||
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
		findings_add(
			&disclosure->findings, SDC_FINDING_EXPLANATION, "records",
			psprintf("%s and %s", disclosure->target.original->sql,
					 disclosure->target.masked->sql),
			0,
			"The masked relation has no id: its records are new ones, and "
			"none is compared with one of the original.");
		return;
	}
	findings_add(
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

	all.column =
		palloc(sizeof(SdcRelationColumn) * (keys->count + sensitive->count));
	all.count = keys->count;
	for (i = 0; i < keys->count; i++)
		all.column[i] = keys->column[i];
	for (i = 0; i < sensitive->count; i++)
		if (!sdcpg_relation_lists(&all, sensitive->column[i].number))
			all.column[all.count++] = sensitive->column[i];
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
		attribute_disclosure_measure(&disclosure.findings, host,
									 &disclosure.alignment, &measures);
	sdcpg_host_end(host);
	run_attacks(&disclosure);
	add_records(&disclosure);
	findings_put(&disclosure.findings, disclosure.report->result);
	return (Datum) 0;
}
