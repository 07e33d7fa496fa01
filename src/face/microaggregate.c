/*
 * microaggregate.c
 *		sdc.microaggregate: one column, groups of at least k get their mean.
 */
#include "postgres.h"

#include "kernel/microaggregation/microaggregate.h"
#include "pg/call/args.h"
#include "pg/data/window.h"

PG_FUNCTION_INFO_V1(sdcf_microaggregate);

static const char *const methods[] = {"optimal", "sorted", NULL};

static void
microaggregate(SdcWindow *window)
{
	int32 k = sdcpg_window_int32(window, 1, "k");
	int method = sdcpg_window_choice(window, 2, "method", methods);
	SdcHost *host = &window->host->kernel;
	SdcColumn *column = sdcpg_window_column(window, 0);
	int32 *order;
	double *sorted;
	double *masked;

	sdcpg_args_group_size(k, column->count);
	order = sdcpg_column_order(window->host, column);
	sorted = sdcpg_window_sorted_floats(window, column, order);
	masked = sdc_new(host, double, column->count);
	sdc_microaggregate(host, (SdcMicroaggregateMethod) method, sorted,
					   column->count, k, masked);
	sdcpg_window_put_floats(window, column, order, masked);
}

/* microaggregate(value float8, k integer, method text, seed bigint) OVER w */
Datum
sdcf_microaggregate(PG_FUNCTION_ARGS)
{
	return sdcpg_window_call(fcinfo, "microaggregate", 1, microaggregate);
}
