/*
 * utility_pairs.c
 *		Differences between originals and their masked values.
 *
 * Numbers are measured by the deviation of all originals of their column;
 * categories are equal or not, or apart by ranks.
 */
#include "postgres.h"

#include <math.h>

#include "kernel/utility/moments.h"
#include "kernel/utility/pair_loss.h"
#include "pg/call/params_names.h"
#include "pg/utility/utility.h"

/* Means over columns, as far as they have a value. */
typedef struct Mean
{
	double sum;
	int columns;
} Mean;

typedef struct Means
{
	Mean il1s;
	Mean il1;
	Mean variables;
	double squares;
	double total;
	int numbers;
} Means;

static void
add_mean(Mean *mean, double value)
{
	if (isnan(value))
		return;
	mean->sum += value;
	mean->columns++;
}

static double
mean_of(const Mean *mean)
{
	return mean->columns > 0 ? mean->sum / mean->columns : NAN;
}

/* What is missing in how many pairs, as the end of a sentence. */
static char *
tell_pairs(const SdcPairLoss *loss)
{
	return loss->missing == 0
			   ? psprintf(INT64_FORMAT " pairs", loss->pairs)
			   : psprintf(INT64_FORMAT " pairs; in " INT64_FORMAT
									   " more the masked value is missing",
						  loss->pairs, loss->missing);
}

static void
add_number(SdcUtility *utility, int j, Means *means)
{
	const SdcContrast *comparison = &utility->comparison;
	SdcHost *kernel = &comparison->host->kernel;
	const double *x = comparison->original.number[j];
	const char *subject = comparison->column[j].subject;
	SdcMoments *moments =
		sdc_moments_measure(kernel, comparison->original.rows, 1, &x);
	double deviation = sqrt(moments->variance[0]);
	SdcPairLoss loss = sdc_pair_loss_numbers(kernel, comparison->original.rows,
											 x, comparison->masked.number[j],
											 comparison->partner, deviation);
	double il1s = sdc_pair_loss_il1s(&loss, deviation);
	double il1 = loss.pairs > 0 ? loss.percent / loss.pairs : NAN;
	double angle = loss.pairs > 0 ? loss.angle / loss.pairs : NAN;
	double share = loss.total > 0 ? loss.squares / loss.total
				   : loss.squares > 0 || loss.pairs == 0 ? NAN
														 : 0;

	if (sdcpg_report_wants(utility->report, "il1s"))
		sdcpg_utility_lines_add(
			&utility->lines, "il1s", subject, il1s,
			"Mean of |x - x'| / (sqrt(2) deviation) of %s.",
			tell_pairs(&loss));
	if (sdcpg_report_wants(utility->report, "il1"))
		sdcpg_utility_lines_add(
			&utility->lines, "il1", subject, il1,
			"Mean of 100 |x - x'| / |x| of %s; " INT64_FORMAT
			" changes from 0 are not in it.",
			tell_pairs(&loss), loss.zeros);
	if (sdcpg_report_wants(utility->report, "il_variables"))
		sdcpg_utility_lines_add(
			&utility->lines, "il_variables", subject, angle,
			"Mean of (2 / pi) atan(|x - x'| / deviation) of %s.",
			tell_pairs(&loss));
	if (sdcpg_report_wants(utility->report, "sse_sst"))
		sdcpg_utility_lines_add(&utility->lines, "sse_sst", subject, share,
								"Squared differences over the squared "
								"deviations from the mean, of %s.",
								tell_pairs(&loss));
	add_mean(&means->il1s, il1s);
	add_mean(&means->il1, il1);
	add_mean(&means->variables, angle);
	/* columns of different units are added in units of their variance */
	if (loss.total > 0)
	{
		means->squares += loss.squares / loss.total;
		means->total++;
	}
	means->numbers++;
}

static void
add_category(SdcUtility *utility, int j, bool ordinal, Means *means)
{
	const SdcContrast *comparison = &utility->comparison;
	const SdcContrastColumn *column = &comparison->column[j];
	int64_t pairs;
	double distance = sdc_pair_loss_codes(
		&comparison->host->kernel, comparison->original.rows,
		comparison->original.code[j], comparison->masked.code[j],
		comparison->partner, ordinal ? column->values : 0, &pairs);

	if (sdcpg_report_wants(utility->report, "il_variables"))
		sdcpg_utility_lines_add(
			&utility->lines, "il_variables", column->subject, distance,
			ordinal ? "Mean difference of ranks over the largest possible one "
					  "of " INT64_FORMAT " pairs."
					: "Share of " INT64_FORMAT " pairs whose category was "
					  "changed or suppressed.",
			(int64) pairs);
	add_mean(&means->variables, distance);
}

static void
add_means(SdcUtility *utility, const Means *means)
{
	SdcUtilityLines *lines = &utility->lines;

	if (sdcpg_report_wants(utility->report, "il1s"))
		sdcpg_utility_lines_add(
			lines, "il1s", NULL, mean_of(&means->il1s),
			"Mean of %s of numbers.",
			sdcpg_utility_lines_columns(means->il1s.columns));
	if (sdcpg_report_wants(utility->report, "il1"))
		sdcpg_utility_lines_add(
			lines, "il1", NULL, mean_of(&means->il1),
			"Mean of %s of numbers; depends on where zero lies, so "
			"prefer il1s.",
			sdcpg_utility_lines_columns(means->il1.columns));
	if (sdcpg_report_wants(utility->report, "il_variables"))
		sdcpg_utility_lines_add(
			lines, "il_variables", NULL, mean_of(&means->variables),
			"Mean of %s, numbers and categories.",
			sdcpg_utility_lines_columns(means->variables.columns));
	if (sdcpg_report_wants(utility->report, "sse_sst"))
		sdcpg_utility_lines_add(
			lines, "sse_sst", NULL,
			means->total > 0 ? means->squares / means->total : NAN,
			"Mean of %s of numbers, each standardized.",
			sdcpg_utility_lines_columns((int) means->total));
}

void
sdcpg_utility_pairs(SdcUtility *utility)
{
	static const char *const measures[] = {"il1s", "il1", "il_variables",
										   "sse_sst"};
	List *ordinal = sdcpg_params_names(utility->params, "ordinal");
	Means means;
	bool wanted = false;
	int i;
	int j;

	for (i = 0; i < lengthof(measures); i++)
	{
		if (!sdcpg_report_wants(utility->report, measures[i]))
			continue;
		wanted = true;
		if (!utility->comparison.paired && utility->named)
			sdcpg_utility_lines_add(&utility->lines, measures[i], NULL, NAN,
									"Records cannot be paired without an id.");
	}
	if (!wanted || !utility->comparison.paired)
		return;
	memset(&means, 0, sizeof(means));
	for (j = 0; j < utility->comparison.columns; j++)
	{
		const SdcContrastColumn *column = &utility->comparison.column[j];

		if (column->number)
			add_number(utility, j, &means);
		else
			add_category(
				utility, j,
				sdcpg_params_is_listed(ordinal, column->aligned.original.name),
				&means);
	}
	add_means(utility, &means);
}
