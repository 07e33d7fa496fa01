/*
 * error_law.c
 *		The law of the errors by which a term tells own records from others.
 *
 * How wide it is and with which tails is not fitted to the errors of links
 * alone: a form that is not quite the truth, or errors that are not alike,
 * make it too sure of single links, and tails that errors do not have make it
 * doubt.  So links are put beside other people's records, and the law is taken
 * that tells the own ones best without saying more than is right.
 */
#include "kernel/intruder/error_law.h"

/* Steps by which a spread is widened. */
#define WIDER 1.25

/* How much more may be said than is right. */
#define TOO_SURE 1.05

/* Degrees that the Student law of a term may have: from long tails to nearly
 * none. */
static const int degrees_tried[] = {SDC_FIT_DEGREES, 9};

/* By what part of 1 / links a uniform law is wider than the greatest error of
 * so many links. */
#define BEYOND_GREATEST 4

/* How well a law of the errors, which so many do not follow, tells the own
 * record of the links from the others. */
static SdcTold
told_apart(const SdcErrorsBeside *beside, double spread, int degrees,
		   double wrong)
{
	const double *error = beside->error;
	const double *unusual = beside->unusual;
	double height = (1 - wrong) / spread;
	SdcTold told = {0, 0, 0};
	int32_t k;
	int m;

	for (k = 0; k < beside->links; k++)
	{
		double own = height * sdc_error_density(error[0] / spread, degrees) *
						 unusual[0] +
					 wrong;
		double sum = 1;
		double squares = 1;

		for (m = 1; m <= SDC_TOLD_RECORDS; m++)
			if (!isnan(error[m]))
			{
				double ratio = height *
							   sdc_error_density(error[m] / spread, degrees) *
							   unusual[m];
				double weight = (ratio + wrong) / own;

				sum += weight;
				squares += weight * weight;
			}
		told.log -= sdc_random_log(sum);
		told.right += 1 / sum;
		told.said += squares / (sum * sum);
		error += SDC_TOLD_RECORDS + 1;
		unusual += SDC_TOLD_RECORDS + 1;
	}
	return told;
}

/* Takes a law that tells more than the best one of those that say more than
 * is right, or of those that do not. */
static void
try_law(const SdcErrorsBeside *beside, double spread, double wrong,
		SdcErrorLaw law, SdcErrorLaw best[2])
{
	SdcTold told = told_apart(beside, law.wider * spread, law.degrees, wrong);
	bool fair = told.said < 1 + TOO_SURE * told.right;

	law.log = told.log;
	if (law.log > best[fair].log)
		best[fair] = law;
}

/* How far a uniform law of the errors reaches: beyond that of any link. */
static double
greatest_error(const SdcErrorsBeside *beside)
{
	double greatest = 0;
	int32_t k;

	for (k = 0; k < beside->links; k++)
		greatest =
			fmax(greatest, fabs(beside->error[k * (SDC_TOLD_RECORDS + 1)]));
	return greatest * (1 + BEYOND_GREATEST / fmax(beside->links, 1));
}

SdcErrorLaw
sdc_error_law_find(const SdcErrorsBeside *beside, double spread, double wrong,
				   double widest)
{
	SdcErrorLaw best[2] = {
		{1, SDC_FIT_DEGREES, -INFINITY},
		{1, SDC_FIT_DEGREES, -INFINITY}}; /* too sure, and not */
	double reach = greatest_error(beside);
	double wider;
	int d;

	for (d = 0; d < SDC_LENGTH(degrees_tried); d++)
		for (wider = 1; wider < widest; wider *= WIDER)
			try_law(beside, spread, wrong,
					(SdcErrorLaw){wider, degrees_tried[d], 0}, best);
	if (reach > SDC_LEAST_SPREAD && reach < widest * spread)
		try_law(beside, spread, wrong,
				(SdcErrorLaw){reach / spread, SDC_DEGREES_UNIFORM, 0}, best);
	return best[1].log > -INFINITY ? best[1] : best[0];
}
