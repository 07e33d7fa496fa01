/*
 * noise.c
 *		sdc.add_noise: noise for one column, or correlated for several.
 *
 * Values meet the random draws in ascending order, so a seed gives the same
 * result whatever the order of the table.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "utils/array.h"

#include "host/call/args.h"
#include "host/data/column.h"
#include "host/data/record.h"
#include "host/data/window.h"
#include "host/server/compat.h"
#include "host/server/host.h"
#include "kernel/base/host.h"
#include "kernel/base/matrix.h"
#include "kernel/base/random.h"
#include "kernel/base/sort.h"
#include "kernel/mask/noise.h"

PG_FUNCTION_INFO_V1(sdcf_add_noise);
PG_FUNCTION_INFO_V1(sdcf_add_noise_correlated);

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
	/* the arrays stay until the partition ends: count them */
	sdcpg_host_count(window->host,
					 rows.rows * (ARR_OVERHEAD_NONULLS(1) + 16 +
								  (Size) rows.columns * sizeof(float8)));
	put_arrays(window, records, order, &rows);
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
