/*
 * rank_swap.c
 *		sdc.rank_swap and sdc.shuffle: values move between rows.
 *
 * Both put the column in order, let the kernel say which rank each rank takes
 * its value from, and move whole values; so every ordered type works, the
 * marginal distribution stays as it was, and NULLs stay in their place.
 */
#include "postgres.h"

#include "host/call/params.h"
#include "host/data/column.h"
#include "host/data/window.h"
#include "kernel/base/host.h"
#include "kernel/base/random.h"
#include "kernel/mask/rank_swap.h"

PG_FUNCTION_INFO_V1(sdcf_rank_swap);
PG_FUNCTION_INFO_V1(sdcf_shuffle);

static void
rank_swap(SdcWindow *window)
{
	double p = sdcpg_window_float8(window, 1, "p");
	int variant =
		sdcpg_window_choice(window, 2, "variant", sdc_rank_swap_words);
	SdcHost *host = &window->host->kernel;
	SdcColumn *column;
	SdcRandom random;
	int32 *order;
	int32 *from;

	sdcpg_args_range("p", p, 0, 100);
	column = sdcpg_window_column(window, 0);
	sdcpg_column_need_order(&column->type);
	order = sdcpg_column_order(window->host, column);
	sdcpg_window_random(window, 3, &random,
						sdcpg_column_digest(window->host, column, order));
	from = sdc_new(host, int32, column->count);
	sdc_rank_swap(host, (SdcRankSwapMethod) variant, column->count,
				  sdc_rank_swap_window(p, column->count), &random, from);
	sdcpg_window_move(window, column, order, from);
}

static void
shuffle(SdcWindow *window)
{
	SdcHost *host = &window->host->kernel;
	SdcColumn *column = sdcpg_window_column(window, 0);
	int32 *order = sdcpg_column_order(window->host, column);
	int32 *from = sdc_new(host, int32, column->count);
	SdcRandom random;

	sdcpg_window_random(window, 1, &random,
						sdcpg_column_digest(window->host, column, order));
	sdc_rank_shuffle(host, column->count, &random, from);
	sdcpg_window_move(window, column, order, from);
}

/* rank_swap(value anyelement, p float8, variant text, seed bigint) OVER w */
Datum
sdcf_rank_swap(PG_FUNCTION_ARGS)
{
	return sdcpg_window_call(fcinfo, "rank_swap", 1, rank_swap);
}

/* shuffle(value anyelement, seed bigint) OVER w */
Datum
sdcf_shuffle(PG_FUNCTION_ARGS)
{
	return sdcpg_window_call(fcinfo, "shuffle", 1, shuffle);
}
