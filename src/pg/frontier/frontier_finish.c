/*
 * frontier_finish.c
 *		Points that were measured: intervals, dominance, order, sentences.
 */
#include "postgres.h"

#include <math.h>

#include "lib/stringinfo.h"
#include "utils/float.h"

#include "kernel/utility/dominance.h"
#include "pg/frontier/frontier.h"

bool
sdcpg_frontier_holds(const SdcFrontierPoint *point)
{
	return point->refusal == NULL && point->repeats > 0 && point->failed == 0;
}

double
sdcpg_frontier_loss(const SdcFrontierPoint *point)
{
	double mean;

	if (point->refusal != NULL || point->repeats == 0)
		return get_float8_infinity();
	mean = sdc_interval_of_mean(point->loss, point->repeats).mean;
	return isnan(mean) ? get_float8_infinity() : mean;
}

/* One measurement says nothing of its chance: no interval. */
static SdcInterval
interval_of(const SdcFrontierPoint *point, const double *value)
{
	SdcInterval interval = {NAN, NAN, NAN};

	if (point->refusal != NULL || point->repeats == 0)
		return interval;
	interval = sdc_interval_of_mean(value, point->repeats);
	if (point->repeats == 1)
		interval.low = interval.high = NAN;
	return interval;
}

static void
find_dominated(SdcPgHost *host, SdcFrontierPoint **point, int count)
{
	double *risk = palloc(sizeof(double) * (count + 1));
	double *loss = palloc(sizeof(double) * (count + 1));
	int32 *by = palloc(sizeof(int32) * (count + 1));
	int i;

	for (i = 0; i < count; i++)
	{
		risk[i] = point[i]->risk_interval.mean;
		loss[i] = point[i]->loss_interval.mean;
	}
	sdc_dominance_find(&host->kernel, risk, loss, count, by);
	for (i = 0; i < count; i++)
		if (by[i] != SDC_DOMINANCE_NONE)
			point[i]->dominated_by = point[by[i]]->candidate;
}

static const SdcFrontierPoint *
find_candidate(SdcFrontierPoint **point, int count, int candidate)
{
	int i;

	for (i = 0; i < count; i++)
		if (point[i]->candidate == candidate)
			return point[i];
	return NULL;
}

/* What is known of how far a point is from the one that dominates it. */
static const char *
distance_words(const SdcFrontierPoint *point, const SdcFrontierPoint *by)
{
	if (point->repeats == 1 || by->repeats == 1)
		return "without repeats nobody can say whether by chance";
	if (by->risk_interval.high < point->risk_interval.low &&
		by->loss_interval.high < point->loss_interval.low)
		return "and their intervals do not overlap";
	return "but their intervals of risk or of loss do overlap";
}

/* Where a point lies among the others. */
static void
say_dominance(StringInfo detail, const SdcFrontierPoint *point,
			  SdcFrontierPoint **all, int count)
{
	if (isnan(point->risk_interval.mean) || isnan(point->loss_interval.mean))
		appendStringInfoString(detail, "It cannot be compared: risk or loss "
									   "could not be found.");
	else if (point->dominated_by == 0)
		appendStringInfoString(detail, "On the frontier.");
	else
		appendStringInfo(
			detail, "Dominated by candidate %d, %s.", point->dominated_by,
			distance_words(point,
						   find_candidate(all, count, point->dominated_by)));
}

static char *
detail_of(const SdcFrontierPoint *point, SdcFrontierPoint **all, int count,
		  const char *ending)
{
	StringInfoData detail;

	initStringInfo(&detail);
	if (point->refusal != NULL)
		appendStringInfo(&detail, "It cannot be applied: %s.", point->refusal);
	else
	{
		say_dominance(&detail, point, all, count);
		if (point->repeats > 1)
			appendStringInfo(&detail,
							 " Means of %d repeats, with the 95 %% intervals "
							 "of Student's t.",
							 point->repeats);
		else
			appendStringInfoString(&detail, " Measured once.");
		if (point->failed > 0)
			appendStringInfo(&detail, " In %d of %d repeats %s", point->failed,
							 point->repeats, point->failure);
		appendStringInfo(&detail, " First repeat: %s", point->note);
	}
	if (ending != NULL)
		appendStringInfo(&detail, " %s", ending);
	return detail.data;
}

/* Negative when a comes first; what is not known comes last. */
static int
compare_numbers(double a, double b)
{
	if (isnan(a) || isnan(b))
		return isnan(a) - isnan(b);
	return a < b ? -1 : a > b;
}

/* Those that pass, then by loss, risk and number. */
static int
compare_points(const void *x, const void *y)
{
	const SdcFrontierPoint *a = *(SdcFrontierPoint *const *) x;
	const SdcFrontierPoint *b = *(SdcFrontierPoint *const *) y;
	int order;

	if (a->passed != b->passed)
		return a->passed ? -1 : 1;
	order = compare_numbers(a->loss_interval.mean, b->loss_interval.mean);
	if (order == 0)
		order = compare_numbers(a->risk_interval.mean, b->risk_interval.mean);
	return order != 0 ? order : a->candidate - b->candidate;
}

void
sdcpg_frontier_finish(SdcPgHost *host, SdcFrontierPoint **point, int count,
					  const char *ending)
{
	int i;

	for (i = 0; i < count; i++)
	{
		point[i]->risk_interval = interval_of(point[i], point[i]->risk);
		point[i]->loss_interval = interval_of(point[i], point[i]->loss);
		point[i]->passed = sdcpg_frontier_holds(point[i]);
	}
	find_dominated(host, point, count);
	for (i = 0; i < count; i++)
		point[i]->detail = detail_of(point[i], point, count, ending);
	qsort(point, count, sizeof(SdcFrontierPoint *), compare_points);
}
