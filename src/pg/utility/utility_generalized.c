/*
 * utility_generalized.c
 *		What generalization and suppression cost.
 *
 * Everything is a mean over the masked records of what their values stand for
 * (generalized.h).  The non-uniform entropy needs no pairs: the originals and
 * what they became are summed up apart.
 */
#include "postgres.h"

#include <math.h>

#include "pg/call/params.h"
#include "pg/call/params_members.h"
#include "pg/utility/generalized.h"
#include "pg/utility/utility.h"

/* One column summed up, or all of them. */
typedef struct Costs
{
	double ncp;
	double loss;
	double level;     /* mean */
	double precision; /* mean of level / height */
	double entropy;   /* bits, over all records */
	int columns;
	int hierarchies;
	int entropies;
} Costs;

static const char *const measures[] = {"ncp",    "loss",    "precision",
									   "height", "entropy", "ambiguity"};

static void
add_line(SdcUtility *utility, const char *measure, const char *subject,
		 double value, const char *sentence)
{
	if (sdcpg_report_wants(utility->report, measure))
		sdcpg_utility_lines_add(&utility->lines, measure, subject, value, "%s",
								sentence);
}

/* Sums up the rows of a column; and multiplies into what all stand for. */
static Costs
sum_column(const SdcContrast *comparison, int j,
		   const SdcGeneralized *generalized, double *product)
{
	SdcHost *kernel = &comparison->host->kernel;
	Costs costs = {0};
	double rows = comparison->masked.rows;
	int32 i;

	for (i = 0; i < comparison->masked.rows; i++)
	{
		SdcGeneralizedValue value =
			sdcpg_generalized_value(comparison, j, generalized, i);

		if (i % SDC_POLL_STEPS == 0)
			kernel->poll(kernel, 0, 0);
		costs.ncp += value.ncp;
		costs.loss += value.loss;
		costs.level += value.level;
		/* a value that no original has is no generalization */
		costs.entropy += value.records > 0 ? log2(value.records) : NAN;
		product[i] *= value.members;
	}
	costs.ncp /= rows;
	costs.loss /= rows;
	costs.level /= rows;
	costs.precision =
		generalized->height > 0 ? costs.level / generalized->height : NAN;
	costs.entropy -= generalized->originals;
	/* any loss is at least one bit: less is rounding */
	if (fabs(costs.entropy) < 0.5)
		costs.entropy = 0;
	if (comparison->masked.rows != comparison->original.rows ||
		costs.entropy < 0)
		costs.entropy = NAN;
	return costs;
}

static void
add_column(SdcUtility *utility, int j, const SdcGeneralized *generalized,
		   const Costs *costs)
{
	const char *subject = utility->comparison.column[j].subject;

	add_line(
		utility, "ncp", subject, costs->ncp,
		psprintf("Mean share of the domain that a value stands for, %s; 0 "
				 "for a single value.",
				 generalized->how));
	add_line(utility, "loss", subject, costs->loss,
			 psprintf("The same, where a single value counts its own share "
					  "(the Loss of ARX), %s.",
					  generalized->how));
	add_line(utility, "entropy", subject, costs->entropy,
			 isnan(costs->entropy)
				 ? "The records were not only generalized or suppressed, or "
				   "some are gone."
				 : psprintf("Bits lost, %.4f a record.",
							costs->entropy / utility->comparison.masked.rows));
	if (generalized->height == 0)
		return;
	add_line(utility, "precision", subject, 1 - costs->precision,
			 psprintf("1 minus the mean level over the height %d.",
					  generalized->height));
	if (sdcpg_report_wants(utility->report, "precision"))
		sdcpg_utility_lines_turn(&utility->lines);
	add_line(utility, "height", subject, costs->level,
			 psprintf("Mean level of the values, of at most %d.",
					  generalized->height));
}

static void
add_unknown(SdcUtility *utility, int j, const char *why)
{
	const char *subject = utility->comparison.column[j].subject;

	add_line(utility, "ncp", subject, NAN, why);
	add_line(utility, "loss", subject, NAN, why);
	add_line(utility, "entropy", subject, NAN, why);
}

static void
add_to(Costs *all, const SdcGeneralized *generalized, const Costs *costs)
{
	all->ncp += costs->ncp;
	all->loss += costs->loss;
	all->columns++;
	if (generalized->height > 0)
	{
		all->precision += costs->precision;
		all->level += costs->level;
		all->hierarchies++;
	}
	if (isnan(costs->entropy))
		return;
	all->entropy += costs->entropy;
	all->entropies++;
}

static void
add_all(SdcUtility *utility, const Costs *all, const double *product)
{
	const char *needs = "Needs params.hierarchies.";
	int32 rows = utility->comparison.masked.rows;
	double n = all->columns;
	double sum = 0;
	int32 i;

	for (i = 0; i < rows; i++)
		sum += product[i];
	add_line(utility, "ncp", NULL, n > 0 ? all->ncp / n : NAN,
			 psprintf("Global certainty penalty: mean of %s.",
					  sdcpg_utility_lines_columns(all->columns)));
	add_line(
		utility, "loss", NULL, n > 0 ? all->loss / n : NAN,
		psprintf("Mean of %s.", sdcpg_utility_lines_columns(all->columns)));
	if (all->hierarchies > 0)
	{
		add_line(utility, "precision", NULL,
				 1 - all->precision / all->hierarchies,
				 psprintf("Mean of %s with a hierarchy.",
						  sdcpg_utility_lines_columns(all->hierarchies)));
		add_line(utility, "height", NULL, all->level,
				 psprintf("Sum of the mean levels of %s.",
						  sdcpg_utility_lines_columns(all->hierarchies)));
	}
	else if (utility->named)
	{
		add_line(utility, "precision", NULL, NAN, needs);
		add_line(utility, "height", NULL, NAN, needs);
	}
	add_line(utility, "entropy", NULL, all->entropies > 0 ? all->entropy : NAN,
			 psprintf("Non-uniform entropy: sum of %s, in bits.",
					  sdcpg_utility_lines_columns(all->entropies)));
	add_line(utility, "ambiguity", NULL, n > 0 && rows > 0 ? sum / rows : NAN,
			 psprintf("Mean number of combinations of values that a record "
					  "may stand for, of %s.",
					  sdcpg_utility_lines_columns(all->columns)));
}

void
sdcpg_utility_generalized(SdcUtility *utility)
{
	const SdcContrast *comparison = &utility->comparison;
	SdcHost *kernel = &comparison->host->kernel;
	bool wanted = false;
	Costs all = {0};
	double *product;
	int32 i;
	int j;

	sdcpg_params_members_check(utility->params, "hierarchies",
							   &utility->columns, true);
	for (j = 0; j < lengthof(measures); j++)
		wanted = wanted || sdcpg_report_wants(utility->report, measures[j]);
	if (!wanted)
		return;
	product = sdc_new(kernel, double, comparison->masked.rows);
	for (i = 0; i < comparison->masked.rows; i++)
		product[i] = 1;
	for (j = 0; j < comparison->columns; j++)
	{
		SdcGeneralized generalized;
		Costs costs;

		sdcpg_generalized_find(
			comparison, j,
			sdcpg_params_member(utility->params, "hierarchies",
								comparison->column[j].aligned.original.name),
			&generalized);
		if (generalized.unknown != NULL)
		{
			add_unknown(utility, j, generalized.unknown);
			continue;
		}
		costs = sum_column(comparison, j, &generalized, product);
		add_column(utility, j, &generalized, &costs);
		add_to(&all, &generalized, &costs);
	}
	add_all(utility, &all, product);
}
