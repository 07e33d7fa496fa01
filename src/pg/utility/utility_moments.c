/*
 * utility_moments.c
 *		What masking does to means, variances, covariances and correlations.
 *
 * Both relations are measured as they are, each with all its records.
 */
#include "postgres.h"

#include <math.h>

#include "kernel/utility/correlation_loss.h"
#include "kernel/utility/moments.h"
#include "pg/utility/utility.h"

/* The columns that are numbers, and their moments. */
typedef struct Numbers
{
	int columns;
	int *place;
	SdcMoments *original;
	SdcMoments *masked;
} Numbers;

static void
measure_numbers(const SdcContrast *comparison, Numbers *numbers)
{
	SdcHost *kernel = &comparison->host->kernel;
	const double **original =
		palloc(sizeof(double *) * (comparison->columns + 1));
	const double **masked =
		palloc(sizeof(double *) * (comparison->columns + 1));
	int j;

	numbers->columns = 0;
	numbers->place = palloc(sizeof(int) * (comparison->columns + 1));
	for (j = 0; j < comparison->columns; j++)
	{
		if (!comparison->column[j].number)
			continue;
		original[numbers->columns] = comparison->original.number[j];
		masked[numbers->columns] = comparison->masked.number[j];
		numbers->place[numbers->columns++] = j;
	}
	numbers->original = sdc_moments_measure(kernel, comparison->original.rows,
											numbers->columns, original);
	numbers->masked = sdc_moments_measure(kernel, comparison->masked.rows,
										  numbers->columns, masked);
}

static void
add_line(SdcUtility *utility, const char *measure, const char *subject,
		 double value, const char *sentence)
{
	if (sdcpg_report_wants(utility->report, measure))
		sdcpg_utility_lines_add(&utility->lines, measure, subject, value, "%s",
								sentence);
}

static void
add_column(SdcUtility *utility, const Numbers *numbers, int j)
{
	const char *subject =
		utility->comparison.column[numbers->place[j]].subject;
	SdcMomentsDifference difference =
		sdc_moments_compare_column(numbers->original, numbers->masked, j);

	add_line(utility, "mean", subject, difference.mean,
			 isnan(difference.mean)
				 ? "The original mean is 0, or there are no values."
				 : "Difference of the means, relative to the original one.");
	add_line(utility, "variance", subject, difference.variance,
			 isnan(difference.variance)
				 ? "The original variance is 0, or there are too few values."
				 : "Difference of the variances, relative to the original "
				   "one.");
	add_line(utility, "covariance", subject, difference.covariance,
			 "Mean relative difference of the covariances with the other "
			 "columns.");
	add_line(utility, "correlation", subject, difference.correlation,
			 "Mean difference of the correlations with the other columns.");
}

static void
add_all(SdcUtility *utility, const Numbers *numbers)
{
	int undefined;
	SdcMomentsDifference difference =
		sdc_moments_compare(numbers->original, numbers->masked, &undefined);
	char *left_out =
		undefined == 0
			? ""
			: "; figures that are 0 or unknown in the original are left out";

	add_line(utility, "mean", NULL, difference.mean,
			 psprintf("Mean relative difference of the means of %s of "
					  "numbers%s.",
					  sdcpg_utility_lines_columns(numbers->columns),
					  left_out));
	add_line(
		utility, "variance", NULL, difference.variance,
		psprintf("Mean relative difference of the variances%s.", left_out));
	add_line(
		utility, "covariance", NULL, difference.covariance,
		psprintf("Mean relative difference of the covariances%s.", left_out));
	add_line(utility, "correlation", NULL, difference.correlation,
			 "Mean difference of the correlations of all pairs of columns.");
}

/*
 * The correlations of the columns that have one in both relations; returns how
 * many columns these are.
 */
static int
copy_correlations(SdcHost *kernel, const Numbers *numbers, double **original,
				  double **masked)
{
	int columns = numbers->columns;
	int *kept = palloc(sizeof(int) * (columns + 1));
	int count = 0;
	int j;
	int l;

	for (j = 0; j < columns; j++)
		if (numbers->original->variance[j] > 0 &&
			numbers->masked->variance[j] > 0)
			kept[count++] = j;
	*original = sdc_new(kernel, double, count *count);
	*masked = sdc_new(kernel, double, count *count);
	for (j = 0; j < count; j++)
		for (l = 0; l < count; l++)
		{
			int at = kept[j] * columns + kept[l];
			double x = numbers->original->correlation[at];
			double y = numbers->masked->correlation[at];

			/* two columns that never have a value together */
			(*original)[j * count + l] = isnan(x) ? 0 : x;
			(*masked)[j * count + l] = isnan(y) ? 0 : y;
		}
	return count;
}

static void
add_structure(SdcUtility *utility, const Numbers *numbers)
{
	SdcHost *kernel = &utility->comparison.host->kernel;
	double *original;
	double *masked;
	int columns = copy_correlations(kernel, numbers, &original, &masked);
	int dropped = 0;
	double value;

	value = columns == 0 ? NAN
						 : sdc_correlation_loss_eigen(kernel, original, masked,
													  columns, &dropped);
	add_line(utility, "eigen", NULL, value,
			 psprintf("Sum of relative differences of the eigenvalues of the "
					  "correlations of %s; %d that are zero in the "
					  "original are left out.",
					  sdcpg_utility_lines_columns(columns), dropped));
	if (columns < 3)
	{
		add_line(utility, "il_correl", NULL, NAN,
				 "Needs at least three columns of numbers that vary: it is "
				 "always 0 for two.");
		return;
	}
	value = sdc_correlation_loss_inverse(kernel, original, masked, columns);
	add_line(utility, "il_correl", NULL, value,
			 isnan(value)
				 ? "The correlation matrix has no inverse: a column is a "
				   "combination of others."
				 : psprintf("Distance of the normalized diagonals of the "
							"inverse correlations of %s.",
							sdcpg_utility_lines_columns(columns)));
}

void
sdcpg_utility_moments(SdcUtility *utility)
{
	static const char *const measures[] = {
		"mean", "variance", "covariance", "correlation", "eigen", "il_correl"};
	Numbers numbers;
	bool wanted = false;
	int i;

	for (i = 0; i < lengthof(measures); i++)
		wanted = wanted || sdcpg_report_wants(utility->report, measures[i]);
	if (!wanted)
		return;
	measure_numbers(&utility->comparison, &numbers);
	if (numbers.columns == 0)
	{
		for (i = 0; i < lengthof(measures) && utility->named; i++)
			add_line(utility, measures[i], NULL, NAN,
					 "No column is a number in both relations.");
		return;
	}
	add_all(utility, &numbers);
	for (i = 0; i < numbers.columns; i++)
		add_column(utility, &numbers, i);
	add_structure(utility, &numbers);
}
