/*
 * change_table.c
 *		Methods of sdc.protect_table that publish every cell with another
 *		value: rounding, adjustment and cell keys.
 *
 * Rounded and adjusted tables add up to the last unit.  Noise of cell keys is
 * drawn for each cell by itself, so that a cell has the same one in every
 * table: totals are then not the sums of their parts.
 */
#include "postgres.h"

#include <math.h>

#include "host/data/target.h"
#include "kernel/base/random.h"
#include "topic/mask/pseudonym.h"
#include "topic/tabular/tabular_topic.h"

/* ----------------------------------------------------------------------
 * Rounding and adjustment
 * ----------------------------------------------------------------------
 */

/* The base in the unit of the table: a whole number. */
static double
find_base(const SdcProtect *protect)
{
	double base = protect->base / sdcpg_table_unit(protect);

	if (base < 1 || fabs(base - rint(base)) > 1e-6 * base || base > 1e15)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("params.base must be a whole number of units"),
				 errdetail("The unit is that of the last digit of the values, "
						   "%g.",
						   sdcpg_table_unit(protect)),
				 errhint("Round the values to the unit that is published.")));
	return rint(base);
}

static void
round_cells(SdcPgHost *host, void *arg)
{
	SdcProtect *protect = arg;

	protect->rounding = sdc_rounding_run(protect->table, find_base(protect),
										 protect->effort * SDC_TABLE_EFFORT,
										 protect->published);
}

static void
adjust_cells(SdcPgHost *host, void *arg)
{
	SdcProtect *protect = arg;

	protect->adjustment =
		sdc_adjustment_run(protect->table, protect->effort * SDC_TABLE_EFFORT,
						   protect->published);
}

/* ----------------------------------------------------------------------
 * Cell keys
 * ----------------------------------------------------------------------
 */

static void
make_perturbation(SdcProtect *protect, SdcPerturbation *made)
{
	SdcPerturbationStatus status =
		sdc_perturbation_make(&protect->host->kernel, protect->noise,
							  protect->variance, protect->gap, made);

	if (status == SDC_PERTURBATION_TOO_SHORT)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("params.noise must be above params.gap"),
				 errdetail("A count just above the gap could not go down, and "
						   "so would have no noise.")));
	if (status == SDC_PERTURBATION_TOO_STILL)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("params.variance is too small for params.gap"),
				 errdetail("A count within the gap goes to 0 or beyond it; "
						   "without bias that takes a variance above %d.",
						   (protect->gap + 1) / 2 * (protect->gap / 2 + 1))));
}

/* A count has noise for records, so a record must be one of the count. */
static void
check_counts(const SdcProtect *protect)
{
	int32 i;

	for (i = 0; i < protect->table->cells; i++)
		if (protect->cell[i].top[0] > 1)
			ereport(
				ERROR,
				(errcode(ERRCODE_DATA_EXCEPTION),
				 errmsg("column \"%s\" has several rows of the same value",
						protect->respondent->name),
				 errdetail("Noise for a count hides one row, not all rows of "
						   "a respondent."),
				 errhint("Count respondents: a table of one row for each of "
						 "them; or sum a column, with argument \"value\".")));
}

static void
perturb_counts(SdcProtect *protect, const SdcPerturbation *made)
{
	int32 i;

	check_counts(protect);
	for (i = 0; i < protect->table->cells; i++)
	{
		const SdcCubeCell *cell = &protect->cell[i];

		protect->published[i] =
			cell->sum + sdc_perturbation_noise(made, cell->sum, cell->key);
	}
}

/*
 * Noise of a sum: that of the last row, filled evenly between its steps, times
 * a share of the largest contribution.  Each column has keys of its own.
 */
static void
perturb_sums(SdcProtect *protect, const SdcPerturbation *made)
{
	double share = protect->share / 100;
	uint64 own = sdcpg_record_key(sdcpg_record_domain(protect->domain),
								  psprintf("column %s", protect->value->name));
	int32 i;

	if (share * (made->largest + 0.5) >= 1)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("params.share is too large for params.noise"),
				 errdetail("The share times noise + 0.5 must be below 100 "
						   "percent, or sums could fall below 0.")));
	for (i = 0; i < protect->table->cells; i++)
	{
		const SdcCubeCell *cell = &protect->cell[i];
		uint64 key = sdc_random_mix(cell->key + own);
		/* bits that do not pick the step */
		double within =
			(double) (key & ((UINT64CONST(1) << 20) - 1)) / (1 << 20) - 0.5;
		double noise =
			sdc_perturbation_noise(made, made->rows - 1, key) + within;

		protect->published[i] = rint(
			cell->sum + (cell->sum > 0 ? share * noise * cell->top[0] : 0));
	}
}

/* ----------------------------------------------------------------------
 * All of them
 * ----------------------------------------------------------------------
 */

bool
sdcpg_table_change(SdcProtect *protect, int32 *cell)
{
	SdcHost *host = &protect->host->kernel;
	SdcPerturbation made;

	protect->published = sdc_new(host, double, protect->table->cells);
	*cell = 0;
	switch (protect->method)
	{
		case SDC_TABLE_ROUND:
			sdcpg_solver_run(protect->host, round_cells, protect);
			return true;
		case SDC_TABLE_ADJUST:
			sdcpg_solver_run(protect->host, adjust_cells, protect);
			*cell = Max(protect->adjustment.unmet, 0);
			return protect->adjustment.found;
		default:
			make_perturbation(protect, &made);
			if (protect->value == NULL)
				perturb_counts(protect, &made);
			else
				perturb_sums(protect, &made);
			return true;
	}
}

static void
report_rounding(SdcProtect *protect)
{
	const SdcRounding *result = &protect->rounding;
	double unit = sdcpg_table_unit(protect);

	sdcpg_step_measure(protect->steps, "change", "sum", result->change * unit,
					   result->proven
						   ? "All changes together are %.15g; no rounding to "
							 "neighbouring multiples changes less."
						   : "All changes together are %.15g: the best found, "
							 "not proven.",
					   result->change * unit);
	sdcpg_step_measure(
		protect->steps, "largest", "change", result->largest * unit,
		"No cell changes by more than %.15g.", result->largest * unit);
	sdcpg_step_measure(protect->steps, "beyond", "cells", result->beyond,
					   "%d cells are not at a multiple next to their value.",
					   result->beyond);
}

static void
report_adjustment(SdcProtect *protect)
{
	const SdcAdjustment *result = &protect->adjustment;
	double unit = sdcpg_table_unit(protect);
	double gap = result->cost > 0
					 ? 100 * (result->cost - result->bound) / result->cost
					 : 0;

	sdcpg_step_measure(protect->steps, "moved", "cells", result->moved,
					   "%d cells are changed.", result->moved);
	sdcpg_step_measure(protect->steps, "change", "sum", result->change * unit,
					   "All changes together are %.15g.",
					   result->change * unit);
	sdcpg_step_measure(
		protect->steps, "largest", "change", result->largest * unit,
		"No cell changes by more than %.15g.", result->largest * unit);
	sdcpg_step_measure(protect->steps, "gap", "percent", Max(gap, 0),
					   "The changes by weight are at most %.4g %% above the "
					   "least.",
					   Max(gap, 0));
	sdcpg_step_measure(protect->steps, "unprotected", "cells", 0,
					   "Each unsafe cell is as far from its value as its rule "
					   "asks.");
}

/* The noise that was drawn, over the cells that can have some. */
static void
report_noise(SdcProtect *protect)
{
	double unit = sdcpg_table_unit(protect);
	double sum = 0;
	double largest = 0;
	int32 cells = 0;
	int32 i;

	for (i = 0; i < protect->table->cells; i++)
	{
		double off = protect->published[i] - protect->cell[i].sum;

		cells += protect->cell[i].sum > 0;
		sum += off * off;
		largest = Max(largest, fabs(off));
	}
	sdcpg_step_measure(protect->steps, "variance", "change",
					   cells > 0 ? sum / cells * unit * unit : 0,
					   "The mean square of the changes is %.6g.",
					   cells > 0 ? sum / cells * unit * unit : 0);
	sdcpg_step_measure(protect->steps, "largest", "change", largest * unit,
					   "No cell changes by more than %.15g.", largest * unit);
}

void
sdcpg_table_report_change(SdcProtect *protect)
{
	sdcpg_table_report_cells(protect);
	if (protect->method == SDC_TABLE_ROUND)
		report_rounding(protect);
	else if (protect->method == SDC_TABLE_ADJUST)
		report_adjustment(protect);
	else
		report_noise(protect);
}
