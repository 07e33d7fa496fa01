/*
 * noise.c
 *		sdc.add_noise: noise for one column, or correlated for several;
 *		sdc.romm: noise that keeps means and covariances exactly;
 *		sdc.outlier_noise: noise for outliers only;
 *		sdc.data_shuffle: values in the order of draws given other columns;
 *		sdc.donut: places moved to somewhere on a ring around them.
 *
 * Values meet the random draws in ascending order, so a seed gives the same
 * result whatever the order of the table.
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "utils/array.h"
#include "utils/geo_decls.h"

#include "host/call/params.h"
#include "host/data/column.h"
#include "host/data/window.h"
#include "host/server/compat.h"
#include "host/server/host.h"
#include "kernel/base/host.h"
#include "kernel/base/matrix.h"
#include "kernel/base/random.h"
#include "kernel/base/sort.h"
#include "kernel/mask/donut.h"
#include "kernel/mask/noise.h"

PG_FUNCTION_INFO_V1(sdcf_add_noise);
PG_FUNCTION_INFO_V1(sdcf_add_noise_correlated);
PG_FUNCTION_INFO_V1(sdcf_romm);
PG_FUNCTION_INFO_V1(sdcf_outlier_noise);
PG_FUNCTION_INFO_V1(sdcf_data_shuffle);
PG_FUNCTION_INFO_V1(sdcf_donut);

/* Reads alpha, the share of the variance that the noise gets. */
static double
alpha_argument(SdcWindow *window)
{
	double alpha = sdcpg_window_float8(window, 1, "alpha");

	sdcpg_args_range("alpha", alpha, 0, 1e6);
	return alpha;
}

static void
add_noise(SdcWindow *window)
{
	double alpha = alpha_argument(window);
	int law = sdcpg_window_choice(window, 2, "variant", sdc_noise_law_words);
	SdcHost *host = &window->host->kernel;
	SdcColumn *column = sdcpg_window_column(window, 0);
	int32 *order = sdcpg_column_order(window->host, column);
	SdcWindowFloats floats = sdcpg_window_sorted_floats(window, column, order);
	double *masked = sdc_new(host, double, floats.count);
	SdcRandom random;

	sdcpg_window_random(window, 3, &random,
						sdcpg_column_digest(window->host, column, order));
	sdc_noise_add(host, (SdcNoiseLaw) law, floats.value, floats.count, alpha,
				  &random, masked);
	sdcpg_window_put_floats(window, column, order, &floats, masked, 1);
}

static void
outlier_noise(SdcWindow *window)
{
	double alpha = alpha_argument(window);
	double threshold = sdcpg_window_float8(window, 2, "threshold");
	SdcHost *host = &window->host->kernel;
	SdcColumn *column = sdcpg_window_column(window, 0);
	int32 *order = sdcpg_column_order(window->host, column);
	SdcWindowFloats floats = sdcpg_window_sorted_floats(window, column, order);
	double *masked = sdc_new(host, double, floats.count);
	SdcRandom random;

	sdcpg_args_range("threshold", threshold, 1, 1e6);
	sdcpg_window_random(window, 3, &random,
						sdcpg_column_digest(window->host, column, order));
	sdc_noise_add_outliers(host, floats.value, floats.count, alpha, threshold,
						   &random, masked);
	sdcpg_window_put_floats(window, column, order, &floats, masked, 1);
}

/* The records in canonical order: row i of the result is record order[i]. */
static SdcMatrix
ordered_rows(SdcHost *host, const SdcRecords *records, const int32 *order)
{
	SdcMatrix result = records->matrix;
	size_t i;
	int j;

	result.column = sdc_new(host, double *, result.columns);
	for (j = 0; j < result.columns; j++)
	{
		result.column[j] = sdc_new(host, double, result.rows);
		for (i = 0; i < result.rows; i++)
			result.column[j][i] = records->matrix.column[j][order[i]];
	}
	return result;
}

/* Gives each row its masked values as an array. */
static void
put_arrays(SdcWindow *window, const SdcRecords *records, const int32 *order,
		   const SdcMatrix *masked)
{
	Datum value[SDC_MAX_COLUMNS];
	MemoryContext caller = MemoryContextSwitchTo(window->host->keep);
	size_t i;
	int j;

	/* the arrays stay until the partition ends: count them */
	sdcpg_host_count(window->host,
					 masked->rows * (ARR_OVERHEAD_NONULLS(1) + 16 +
									 (Size) masked->columns * sizeof(float8)));

	for (i = 0; i < masked->rows; i++)
	{
		if (i % SDC_POLL_STEPS == 0)
			window->host->kernel.poll(&window->host->kernel, i, masked->rows);
		for (j = 0; j < masked->columns; j++)
		{
			sdcpg_args_result_finite(masked->column[j][i]);
			value[j] = Float8GetDatum(masked->column[j][i]);
		}
		sdcpg_window_put(window, records->place[order[i]],
						 PointerGetDatum(construct_array(
							 value, masked->columns, FLOAT8OID, sizeof(float8),
							 FLOAT8PASSBYVAL, TYPALIGN_DOUBLE)));
	}
	MemoryContextSwitchTo(caller);
}

static void
add_noise_correlated(SdcWindow *window)
{
	double alpha = alpha_argument(window);
	int law = sdcpg_window_choice(window, 2, "variant", sdc_noise_law_words);
	SdcHost *host = &window->host->kernel;
	SdcRecords *records = sdcpg_window_records(window, 0);
	SdcRandom random;
	SdcMatrix rows;
	int32 *order;

	sdcpg_records_need_numbers(records, "correlated noise");
	order = sdc_sort_matrix(host, &records->matrix);
	rows = ordered_rows(host, records, order);
	sdcpg_window_random(window, 3, &random, sdcpg_records_digest(records));
	sdc_noise_add_correlated(host, (SdcNoiseLaw) law, &rows, alpha, &random,
							 &rows);
	put_arrays(window, records, order, &rows);
}

/* Stops where a partition is too small for a random matrix. */
static void
need_rows(const SdcMatrix *rows)
{
	int64 least = sdc_noise_rotate_rows(rows->columns);

	if (rows->rows == 0 || (int64) rows->rows >= least)
		return;
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("%d columns need at least " INT64_FORMAT
					" rows to keep their means and covariances",
					rows->columns, least),
			 errdetail("A partition has %d rows with all of them.",
					   (int) rows->rows),
			 errhint("Take larger strata, fewer columns, or add_noise.")));
}

static void
romm(SdcWindow *window)
{
	double alpha = alpha_argument(window);
	SdcHost *host = &window->host->kernel;
	SdcRecords *records = sdcpg_window_records(window, 0);
	SdcRandom random;
	SdcMatrix rows;
	SdcMatrix masked;
	int32 *order;

	sdcpg_records_need_numbers(records, "random orthogonal matrix masking");
	need_rows(&records->matrix);
	order = sdc_sort_matrix(host, &records->matrix);
	rows = ordered_rows(host, records, order);
	/* of the same shape; what it holds is written over */
	masked = ordered_rows(host, records, order);
	sdcpg_window_random(window, 2, &random, sdcpg_records_digest(records));
	sdc_noise_rotate(host, &rows, alpha, &random, &masked);
	put_arrays(window, records, order, &masked);
}

/* Do all values of the masked columns stay? */
static bool
is_unchanged(const SdcMatrix *rows, const SdcMatrix *masked)
{
	int j;

	for (j = 0; j < masked->columns; j++)
		if (memcmp(rows->column[j], masked->column[j],
				   sizeof(double) * rows->rows) != 0)
			return false;
	return rows->rows > 1;
}

static void
data_shuffle(SdcWindow *window)
{
	SdcHost *host = &window->host->kernel;
	int32 given = sdcpg_window_int32(window, 1, "given");
	SdcRecords *records = sdcpg_window_records(window, 0);
	SdcRandom random;
	SdcMatrix rows;
	SdcMatrix masked;
	int32 *order;

	sdcpg_args_range("given", given, 0, SDC_MAX_COLUMNS - 1);
	sdcpg_records_need_numbers(records, "data shuffling");
	if (records->matrix.columns == 0)
		return;
	if (given >= records->matrix.columns)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("no column of the record is left to be masked"),
						errdetail("The last %d of its %d columns are given.",
								  given, records->matrix.columns)));
	order = sdc_sort_matrix(host, &records->matrix);
	rows = ordered_rows(host, records, order);
	/* of the same shape; what it holds is written over */
	masked = ordered_rows(host, records, order);
	masked.columns -= given;
	sdcpg_window_random(window, 2, &random, sdcpg_records_digest(records));
	sdc_noise_shuffle(host, &rows, given, &random, &masked);
	window->unchanged = is_unchanged(&rows, &masked);
	put_arrays(window, records, order, &masked);
}

/* Stops where a point is not a longitude and a latitude. */
static void
need_place(SdcDonutSurface surface, const Point *point)
{
	if (sdc_donut_is_place(surface, point->x, point->y))
		return;
	ereport(ERROR,
			(errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
			 errmsg("a point is no place on the earth"),
			 errdetail("Its first number must be a longitude from -180 to "
					   "180, the second one a latitude from -90 to 90."),
			 errhint("The variant \"plane\" takes points with any numbers, "
					 "and radii in their unit.")));
}

/* Gives a row its place, moved; false, and NULL, if it is not finite. */
static bool
put_moved(SdcWindow *window, const SdcColumn *column, int32 row,
		  SdcDonutSurface surface, const double radius[2], SdcRandom *random,
		  Point *moved)
{
	*moved = *DatumGetPointP(column->value[row]);
	if (!isfinite(moved->x) || !isfinite(moved->y))
		return false;
	need_place(surface, moved);
	sdc_donut_move(surface, radius[0], radius[1], random, &moved->x,
				   &moved->y);
	sdcpg_args_result_finite(moved->x);
	sdcpg_args_result_finite(moved->y);
	sdcpg_window_put(window, sdcpg_column_place(column, row),
					 PointPGetDatum(moved));
	return true;
}

/* Says how many places became NULL. */
static void
tell_lost(int32 lost)
{
	if (lost > 0 && !sdcpg_window_silent)
		ereport(NOTICE, (errmsg_plural("%d point becomes NULL",
									   "%d points become NULL", lost, lost),
						 errdetail("NaN and infinity are no places.")));
}

static void
donut(SdcWindow *window)
{
	double radius[2] = {sdcpg_window_float8(window, 1, "inner"),
						sdcpg_window_float8(window, 2, "outer")};
	SdcDonutSurface surface = (SdcDonutSurface) sdcpg_window_choice(
		window, 3, "variant", sdc_donut_words);
	SdcHost *host = &window->host->kernel;
	SdcColumn *column = sdcpg_window_column(window, 0);
	int32 *order = sdcpg_column_order(window->host, column);
	SdcRandom random;
	Point *moved;
	int32 lost = 0;
	int32 rank;

	sdcpg_args_range("outer", radius[1], 0, sdc_donut_reach(surface));
	sdcpg_args_range("inner", radius[0], 0, radius[1]);
	sdcpg_window_random(window, 4, &random,
						sdcpg_column_digest(window->host, column, order));
	/* the points stay until the partition ends: count them */
	sdcpg_host_count(window->host, (Size) column->count * sizeof(Point));
	moved = MemoryContextAllocHuge(window->host->keep,
								   ((Size) column->count + 1) * sizeof(Point));
	host->stage(host, "moving places");
	for (rank = 0; rank < column->count; rank++)
	{
		if (rank % SDC_POLL_STEPS == 0)
			host->poll(host, rank, column->count);
		lost += !put_moved(window, column, order[rank], surface, radius,
						   &random, &moved[rank]);
	}
	tell_lost(lost);
}

/* add_noise(value float8, alpha float8, variant text, seed bigint) OVER w */
Datum
sdcf_add_noise(PG_FUNCTION_ARGS)
{
	return sdcpg_window_call(fcinfo, "add_noise", 1, add_noise);
}

/* add_noise(columns record, alpha float8, variant text, seed bigint) OVER w */
Datum
sdcf_add_noise_correlated(PG_FUNCTION_ARGS)
{
	return sdcpg_window_call(fcinfo, "add_noise", 1, add_noise_correlated);
}

/* romm(columns record, alpha float8, seed bigint) OVER w */
Datum
sdcf_romm(PG_FUNCTION_ARGS)
{
	return sdcpg_window_call(fcinfo, "romm", 1, romm);
}

/* outlier_noise(value float8, alpha float8, threshold float8, seed) OVER w */
Datum
sdcf_outlier_noise(PG_FUNCTION_ARGS)
{
	return sdcpg_window_call(fcinfo, "outlier_noise", 1, outlier_noise);
}

/* data_shuffle(columns record, given int, seed bigint) OVER w */
Datum
sdcf_data_shuffle(PG_FUNCTION_ARGS)
{
	return sdcpg_window_call(fcinfo, "data_shuffle", 1, data_shuffle);
}

/* donut(place point, inner float8, outer float8, variant, seed) OVER w */
Datum
sdcf_donut(PG_FUNCTION_ARGS)
{
	return sdcpg_window_call(fcinfo, "donut", 1, donut);
}
