/*
 * microaggregate.c
 *		sdc.microaggregate: one column, groups of at least k get their mean.
 */
#include "postgres.h"

#include "host/call/args.h"
#include "host/data/column.h"
#include "host/data/record.h"
#include "host/data/window.h"
#include "kernel/base/host.h"
#include "kernel/microaggregation/mdav.h"
#include "kernel/microaggregation/microaggregate.h"
#include "kernel/microaggregation/microaggregate_group.h"

/* ----------------------------------------------------------------------
 * sdc.microaggregate: one column, groups of at least k get their mean.
 * ----------------------------------------------------------------------
 */

PG_FUNCTION_INFO_V1(sdcf_microaggregate);

static void
microaggregate(SdcWindow *window)
{
	int32 k = sdcpg_window_int32(window, 1, "k");
	int variant =
		sdcpg_window_choice(window, 2, "variant", sdc_microaggregate_words);
	SdcHost *host = &window->host->kernel;
	SdcColumn *column = sdcpg_window_column(window, 0);
	int32 *order;
	SdcWindowFloats floats;
	double *masked;

	order = sdcpg_column_order(window->host, column);
	floats = sdcpg_window_sorted_floats(window, column, order);
	sdcpg_args_group_size(k, floats.count);
	masked = sdc_new(host, double, floats.count);
	sdc_microaggregate(host, (SdcMicroaggregateMethod) variant, floats.value,
					   floats.count, k, masked);
	sdcpg_window_put_floats(window, column, order, &floats, masked, k);
}

/* microaggregate(value float8, k integer, variant text, seed bigint) OVER w */
Datum
sdcf_microaggregate(PG_FUNCTION_ARGS)
{
	return sdcpg_window_call(fcinfo, "microaggregate", 1, microaggregate);
}

/* ----------------------------------------------------------------------
 * sdc.microaggregate_group and microaggregate_bound: groups of at
 * least k similar rows over several columns.
 *
 * They return a group number per row.  The mean is plain SQL,
 * avg(x) OVER (PARTITION BY group), so any other summary can take its place.
 * ----------------------------------------------------------------------
 */

PG_FUNCTION_INFO_V1(sdcf_microaggregate_group);
PG_FUNCTION_INFO_V1(sdcf_microaggregate_bound);

/* Reads the records and checks that k of them can be had. */
static SdcRecords *
read_records(SdcWindow *window, int32 k)
{
	SdcRecords *records = sdcpg_window_records(window, 0);

	sdcpg_args_group_size(k, records->matrix.rows);
	return records;
}

/* Gives each row the number of its group, from 1. */
static void
put_groups(SdcWindow *window, const SdcRecords *records, const int32 *group)
{
	size_t i;

	for (i = 0; i < records->matrix.rows; i++)
		sdcpg_window_put(window, records->place[i],
						 Int64GetDatum((int64) group[i] + 1));
}

static void
microaggregate_group(SdcWindow *window)
{
	int32 k = sdcpg_window_int32(window, 1, "k");
	int variant = sdcpg_window_choice(window, 2, "variant", sdc_group_words);
	bool standardize = sdcpg_window_bool(window, 3, "standardize");
	SdcHost *host = &window->host->kernel;
	SdcRecords *records = read_records(window, k);
	SdcRandom random;
	int32 *group;

	if (records->matrix.rows == 0)
		return;
	sdcpg_window_random(window, 4, &random, 0);
	group = sdc_new(host, int32, records->matrix.rows);
	if (records->any_category && variant == SDC_GROUP_MDAV)
		sdc_mdav_gower_group(host, &records->matrix, records->category, k,
							 group);
	else
	{
		if (variant != SDC_GROUP_MONDRIAN)
			sdcpg_records_need_numbers(records, sdc_group_words[variant]);
		sdc_microaggregate_group(host, &records->matrix, k,
								 (SdcGroupMethod) variant, standardize,
								 &random, group);
	}
	put_groups(window, records, group);
}

static void
microaggregate_bound(SdcWindow *window)
{
	int32 k = sdcpg_window_int32(window, 1, "k");
	bool standardize = sdcpg_window_bool(window, 2, "standardize");
	SdcRecords *records = read_records(window, k);
	Datum bound;
	int64 row;

	if (records->matrix.rows == 0)
		return;
	sdcpg_records_need_numbers(records, "microaggregate_bound");
	bound = Float8GetDatum(sdc_microaggregate_bound(
		&window->host->kernel, &records->matrix, k, standardize));
	for (row = 0; row < window->rows; row++)
		sdcpg_window_put(window, row, bound);
}

/*
 * microaggregate_group(columns record, k integer, variant text,
 *						standardize boolean, seed bigint) OVER w
 */
Datum
sdcf_microaggregate_group(PG_FUNCTION_ARGS)
{
	return sdcpg_window_call(fcinfo, "microaggregate_group", 1,
							 microaggregate_group);
}

/* microaggregate_bound(columns record, k integer, standardize boolean) */
Datum
sdcf_microaggregate_bound(PG_FUNCTION_ARGS)
{
	return sdcpg_window_call(fcinfo, "microaggregate_bound", 1,
							 microaggregate_bound);
}
