/*
 * candidates_number.c
 *		Masks that disturb or average numbers.
 *
 * The values that were released are sorted and numbered; what a value can have
 * become is then a run of them, inside the stratum.
 */
#include "postgres.h"

#include <math.h>

#include "kernel/base/sort.h"
#include "kernel/mask/noise.h"
#include "pg/call/params.h"
#include "pg/disclosure/candidates.h"
#include "pg/disclosure/transparency_read.h"
#include "pg/server/compat.h"

static const char *const laws[] = {"gaussian", "laplace", "uniform", NULL};

/* Noise beyond the bound is this improbable, for laws without one. */
#define DELTA_DEFAULT 1e-9

/* Room for the rounding of sums that the mask took in another order. */
#define ROUNDING (1 + 1e-9)

/* The different numbers that were released. */
typedef struct Released
{
	uint32 values;
	double *value; /* ascending */
	uint64 *key;   /* by masked record, with its stratum */
	SdcCandidateKeys sorted;
} Released;

/*
 * A column as it was masked: a record of which any column is NULL was left out
 * as a whole, and nothing of it was released.
 */
static char *
complete_value(const SdcTransparencyPart *part,
			   const SdcRelationColumn *column)
{
	const SdcRelationColumns *columns = &part->rule->columns;
	StringInfoData sql;
	int j;

	if (columns->count == 1)
		return psprintf("r.%s", column->sql);
	initStringInfo(&sql);
	appendStringInfoString(&sql, "CASE WHEN ");
	for (j = 0; j < columns->count; j++)
		appendStringInfo(&sql, "%sr.%s IS NULL", j > 0 ? " OR " : "",
						 columns->column[j].sql);
	appendStringInfo(&sql, " THEN NULL ELSE r.%s END", column->sql);
	return sql.data;
}

void
sdcpg_candidates_numbers(SdcTransparency *transparency,
						 SdcTransparencyPart *part)
{
	SdcRelationColumns original = {part->columns, part->original};
	SdcRelationColumns masked = {part->columns, part->masked};
	int j;

	sdcpg_relation_need_numbers(transparency->original.relation, &original);
	sdcpg_relation_need_numbers(transparency->masked.relation, &masked);
	part->value = palloc(sizeof(SdcTransparencyPair) * part->columns);
	for (j = 0; j < part->columns; j++)
	{
		part->value[j].original = sdcpg_transparency_field(
			&transparency->original, complete_value(part, &part->original[j]),
			SDC_FRAME_NUMBER, NULL);
		part->value[j].masked = sdcpg_transparency_field(
			&transparency->masked, psprintf("r.%s", part->masked[j].sql),
			SDC_FRAME_NUMBER, NULL);
	}
	sdcpg_candidates_strata(transparency, part);
}

/* How many released values are below x, or, with equal, not above it. */
static uint32
count_released(const Released *released, double x, bool equal)
{
	uint32 low = 0;
	uint32 high = released->values;

	while (low < high)
	{
		uint32 middle = low + (high - low) / 2;

		if (released->value[middle] < x ||
			(equal && released->value[middle] == x))
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Numbers the released values and starts the set of a part. */
static void
begin(SdcTransparency *transparency, SdcTransparencyPart *part,
	  const uint32 *stratum, Released *released)
{
	SdcHost *host = &transparency->host->kernel;
	const SdcFrameColumn *column =
		&transparency->masked.frame->column[part->value[0].masked];
	int32 rows = transparency->masked.frame->rows;
	uint64 *key = sdc_new(host, uint64, rows);
	int32 *row = sdc_new(host, int32, rows);
	int32 count = 0;
	int32 i;

	released->value = sdc_new(host, double, rows);
	released->key = sdc_new(host, uint64, rows);
	released->values = 0;
	for (i = 0; i < rows; i++)
	{
		released->key[i] = SDC_CANDIDATE_MISSING;
		if (column->isnull[i])
			continue;
		key[count] = sdc_sort_key(column->number[i]);
		row[count++] = i;
	}
	sdc_sort_keys(host, key, row, count);
	for (i = 0; i < count; i++)
	{
		if (i == 0 || key[i] != key[i - 1])
			released->value[released->values++] = column->number[row[i]];
		released->key[row[i]] = released->values - 1;
	}
	if (stratum != NULL)
		for (i = 0; i < rows; i++)
			released->key[i] =
				sdc_candidate_key(stratum[i], (uint32) released->key[i]);
	host->release(host, key);
	host->release(host, row);
	sdc_candidate_set_sort(host, released->key, rows, &part->set,
						   &released->sorted);
	sdc_candidate_set_begin(host, &part->set,
							transparency->original.frame->rows);
}

static void
end(SdcHost *host, Released *released)
{
	host->release(host, released->value);
	host->release(host, released->key);
	host->release(host, (void *) released->sorted.key);
}

/*
 * The standard deviation that was masked in the stratum of each original
 * record: over the records that are in the masked file.
 */
static double *
find_deviations(SdcTransparency *transparency, const SdcFrameColumn *column,
				const uint32 *stratum)
{
	SdcHost *host = &transparency->host->kernel;
	int32 rows = transparency->original.frame->rows;
	double *deviation = sdc_new(host, double, rows);
	double *value = sdc_new(host, double, rows);
	uint64 *key = sdc_new(host, uint64, rows);
	int32 *row = sdc_new(host, int32, rows);
	int32 first;
	int32 last;
	int32 i;

	for (i = 0; i < rows; i++)
	{
		key[i] = stratum[i];
		row[i] = i;
	}
	sdc_sort_keys(host, key, row, rows);
	for (first = 0; first < rows; first = last)
	{
		int32 count = 0;
		int exponent;
		double variance;

		for (last = first; last < rows && key[last] == key[first]; last++)
			if (!column->isnull[row[last]] &&
				transparency->partner[row[last]] >= 0)
				value[count++] = column->number[row[last]];
		variance = sdc_noise_variance(value, count, &exponent);
		for (i = first; i < last; i++)
			deviation[row[i]] = ldexp(sqrt(variance), exponent);
	}
	host->release(host, value);
	host->release(host, key);
	host->release(host, row);
	return deviation;
}

/* Noise is beyond this many standard deviations with probability delta. */
static double
noise_bound(int law, double delta)
{
	double low = 0;
	double high = 40;
	int i;

	if (law == SDC_NOISE_UNIFORM)
		return sqrt(3);
	if (law == SDC_NOISE_LAPLACE)
		return -log(delta) * M_SQRT1_2;
	for (i = 0; i < 100; i++)
	{
		double middle = (low + high) / 2;

		if (erfc(middle * M_SQRT1_2) > delta)
			low = middle;
		else
			high = middle;
	}
	return high;
}

/* Says how likely a disturbance is; uniform noise leaves all alike. */
static void
weigh_noise(SdcTransparency *transparency, SdcTransparencyPart *part, int law,
			const double *scale)
{
	SdcHost *host = &transparency->host->kernel;
	const SdcFrame *original = transparency->original.frame;
	const SdcFrame *masked = transparency->masked.frame;

	if (law == SDC_NOISE_UNIFORM)
		return;
	part->weighted = true;
	part->weight.law = law == SDC_NOISE_LAPLACE ? SDC_CANDIDATE_LAPLACE
												: SDC_CANDIDATE_GAUSSIAN;
	part->weight.original = sdcpg_candidates_with_nan(
		host, &original->column[part->value[0].original], original->rows);
	part->weight.masked = sdcpg_candidates_with_nan(
		host, &masked->column[part->value[0].masked], masked->rows);
	part->weight.scale = scale;
}

/* What is within reach of x in a stratum. */
static SdcCandidateRange
within(const Released *released, uint32 stratum, double x, double reach)
{
	uint32 first = count_released(released, x - reach, false);
	uint32 last = count_released(released, x + reach, true);

	if (first >= last)
		return sdc_candidate_range_none();
	return (SdcCandidateRange){sdc_candidate_key(stratum, first),
							   sdc_candidate_key(stratum, last - 1)};
}

void
sdcpg_candidates_noise(SdcTransparency *transparency,
					   SdcTransparencyPart *part)
{
	SdcHost *host = &transparency->host->kernel;
	const SdcFrameColumn *column =
		&transparency->original.frame->column[part->value[0].original];
	int law = sdcpg_params_choice(part->rule->params, "variant", laws);
	double alpha = sdcpg_params_number(part->rule->params, "alpha", 0, 0, 1e6);
	double delta = sdcpg_params_number(transparency->params, "delta",
									   DELTA_DEFAULT, 1e-300, 1);
	double bound = noise_bound(law, delta) * ROUNDING;
	uint32 *stratum;
	uint32 *masked;
	double *scale;
	Released released;
	int32 i;

	/* noise of several columns is a sum of as many draws */
	if (law != SDC_NOISE_GAUSSIAN)
		bound *= sqrt(part->rule->columns.count);
	sdcpg_transparency_strata(transparency, part, &stratum, &masked);
	begin(transparency, part, masked, &released);
	scale = find_deviations(transparency, column, stratum);
	for (i = 0; i < transparency->original.frame->rows; i++)
	{
		uint32 shown = masked == NULL ? 0 : stratum[i];
		double x = column->number[i];

		scale[i] *= sqrt(alpha);
		sdc_candidate_set_put(
			&part->set, &released.sorted, i,
			column->isnull[i] ? sdc_candidate_range_one(sdc_candidate_key(
									shown, SDC_CANDIDATE_MISSING))
							  : within(&released, shown, x,
									   scale[i] * bound + fabs(x) * 1e-14 +
										   sdcpg_candidates_slack(
											   transparency, &part->masked[0],
											   fabs(x) + scale[i] * bound)),
			sdc_candidate_range_none());
	}
	part->exact = law == SDC_NOISE_UNIFORM && transparency->complete;
	weigh_noise(transparency, part, law, scale);
	host->release(host, stratum);
	end(host, &released);
}

/* How many records of a file have the value that is looked for. */
static int64
count_equal(const SdcCandidateKeys *sorted, uint64 key)
{
	return sdc_candidate_range_below(sorted, key + 1) -
		   sdc_candidate_range_below(sorted, key);
}

/*
 * How often each original value occurs among those that were masked, as keys
 * of the released values; others have none.
 */
static SdcCandidateKeys
count_originals(SdcTransparency *transparency, const Released *released,
				const SdcFrameColumn *column, const uint32 *stratum,
				bool shown)
{
	SdcHost *host = &transparency->host->kernel;
	int32 rows = transparency->original.frame->rows;
	uint64 *key = sdc_new(host, uint64, rows);
	SdcCandidateSet unused;
	SdcCandidateKeys sorted;
	int32 count = 0;
	int32 i;

	for (i = 0; i < rows; i++)
	{
		uint32 code;

		if (column->isnull[i] || transparency->partner[i] < 0)
			continue;
		code = count_released(released, column->number[i], false);
		if (code < released->values &&
			released->value[code] == column->number[i])
			key[count++] = sdc_candidate_key(shown ? stratum[i] : 0, code);
	}
	sdc_candidate_set_sort(host, key, count, &unused, &sorted);
	host->release(host, key);
	host->release(host, unused.row);
	host->release(host, unused.position);
	return sorted;
}

/*
 * Groups of one column are intervals, so the mean of the group of x is the
 * largest released at or below x or the smallest at or above it.  Where x
 * itself was released the neighbours count only if other groups hold x, too:
 * when there are more originals with that value than masked records.  Means
 * that were rounded to the type of the column may lie on the wrong side of x
 * by the rounding.
 */
static SdcCandidateRange
adjacent(SdcTransparency *transparency, const Released *released,
		 const SdcCandidateKeys *originals, uint32 stratum, double x,
		 double slack)
{
	uint32 below = count_released(released, x - slack, true);
	uint32 above = count_released(released, x + slack, false);

	if (slack == 0 && below > above)
	{
		uint64 key = sdc_candidate_key(stratum, above);
		int64 here = count_equal(&released->sorted, key);

		if (here > 0 && transparency->complete &&
			count_equal(originals, key) <= here)
			return sdc_candidate_range_one(key);
		/* neighbours on both sides, and what equals x between them */
		return sdc_candidate_range_adjacent(&released->sorted, stratum, above,
											below);
	}
	return sdc_candidate_range_adjacent(&released->sorted, stratum, below,
										above);
}

/* One column: x lies between its group's mean and a neighbour's. */
static void
find_adjacent(SdcTransparency *transparency, SdcTransparencyPart *part,
			  const uint32 *stratum, const uint32 *masked)
{
	SdcHost *host = &transparency->host->kernel;
	const SdcFrameColumn *column =
		&transparency->original.frame->column[part->value[0].original];
	Released released;
	SdcCandidateKeys originals;
	int32 i;

	begin(transparency, part, masked, &released);
	originals = count_originals(transparency, &released, column, stratum,
								masked != NULL);
	for (i = 0; i < transparency->original.frame->rows; i++)
	{
		uint32 shown = masked == NULL ? 0 : stratum[i];
		double x = column->number[i];
		SdcCandidateRange range = sdc_candidate_range_one(
			sdc_candidate_key(shown, SDC_CANDIDATE_MISSING));

		if (!column->isnull[i])
			range = adjacent(
				transparency, &released, &originals, shown, x,
				sdcpg_candidates_slack(transparency, &part->masked[0], x));
		/* means of other strata may lie between, where these are not shown */
		if (!column->isnull[i] && masked == NULL && part->strata > 0)
			range = sdc_candidate_range_stratum(0);
		sdc_candidate_set_put(&part->set, &released.sorted, i, range,
							  sdc_candidate_range_none());
	}
	part->exact = true;
	host->release(host, (void *) originals.key);
	end(host, &released);
}

void
sdcpg_candidates_centroid(SdcTransparency *transparency,
						  SdcTransparencyPart *part)
{
	SdcHost *host = &transparency->host->kernel;
	uint32 *stratum;
	uint32 *masked;

	sdcpg_transparency_strata(transparency, part, &stratum, &masked);
	if (part->rule->columns.count == 1)
		find_adjacent(transparency, part, stratum, masked);
	else
		sdcpg_candidates_group(transparency, part, stratum, masked);
	host->release(host, stratum);
}
