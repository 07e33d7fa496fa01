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

#include "lib/stringinfo.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

#include "host/call/args.h"
#include "host/data/alignment.h"
#include "host/data/dictionary.h"
#include "host/data/pairs.h"
#include "host/server/compat.h"
#include "host/server/host.h"
#include "host/server/result.h"
#include "kernel/base/host.h"
#include "kernel/risk/disclosure.h"
#include "topic/attack/disclosure.h"
#include "topic/attack/disclosure_report.h"

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

char *
sdcpg_attribute_disclosure_words(int32 shown, int32 records)
{
	return psprintf("%d of %d records (%.2f %%)", shown, records,
					100.0 * shown / records);
}

/* Adds a line about marks; the sentence goes on with "in n of m records". */
static void
add_share(Measuring *measuring, const char *measure, const char *subject,
		  const uint8_t *mark, const char *sentence, const char *more)
{
	SdcDisclosureShare share =
		sdc_disclosure_count(measuring->host, mark, measuring->records);

	if (share.records == 0)
		sdcpg_findings_add(measuring->findings, SDC_FINDING_ATTRIBUTE, measure,
						   subject, NAN, "No record has an original value.");
	else
		sdcpg_findings_add(
			measuring->findings, SDC_FINDING_ATTRIBUTE, measure, subject,
			sdc_disclosure_share(share), "%s in %s%s.", sentence,
			sdcpg_attribute_disclosure_words(share.shown, share.records),
			more);
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
						column->as_text
							? " (compared as text: the types differ)"
							: ""));
	sdcpg_findings_add(measuring->findings, SDC_FINDING_EXPLANATION,
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

void
sdcpg_attribute_disclosure_measure(SdcFindings *findings, SdcPgHost *host,
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
