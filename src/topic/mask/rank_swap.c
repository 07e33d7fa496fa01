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

/* The arguments of rank_swap but for the column. */
typedef struct Swap
{
	double p;
	SdcRankSwapMethod method;
} Swap;

static Swap
read_swap(SdcWindow *window)
{
	Swap swap = {sdcpg_window_float8(window, 1, "p")};

	swap.method = (SdcRankSwapMethod) sdcpg_window_choice(window, 2, "variant",
														  sdc_rank_swap_words);
	sdcpg_args_range("p", swap.p, 0, 100);
	return swap;
}

/* As rank_swap, where values are too many to be held. */
static void
rank_swap_ranks(SdcWindow *window)
{
	const SdcWindowRanks *ranks = window->frame->ranks;
	Swap swap = read_swap(window);
	int32 count = (int32) window->rows;
	SdcRandom random;

	sdcpg_window_random(window, 3, &random, ranks->digest);
	sdc_rank_swap_each(&window->host->kernel, swap.method, count,
					   sdc_rank_swap_window(swap.p, count), &random,
					   ranks->move, ranks->arg);
}

static void
rank_swap(SdcWindow *window)
{
	SdcHost *host = &window->host->kernel;
	Swap swap = read_swap(window);
	SdcColumn *column;
	SdcRandom random;
	int32 *order;
	int32 *from;

	column = sdcpg_window_column(window, 0);
	sdcpg_column_need_order(&column->type);
	order = sdcpg_column_order(window->host, column);
	sdcpg_window_random(window, 3, &random,
						sdcpg_column_digest(window->host, column, order));
	from = sdc_new(host, int32, column->count);
	sdc_rank_swap(host, swap.method, column->count,
				  sdc_rank_swap_window(swap.p, column->count), &random, from);
	sdcpg_window_move(window, column, order, from);
}

/* As shuffle, where values are too many to be held. */
static void
shuffle_ranks(SdcWindow *window)
{
	const SdcWindowRanks *ranks = window->frame->ranks;
	SdcHost *host = &window->host->kernel;
	int32 count = (int32) window->rows;
	int32 *from = sdc_new(host, int32, count);
	SdcRandom random;
	int32 i;

	sdcpg_window_random(window, 1, &random, ranks->digest);
	sdc_rank_shuffle(host, count, &random, from);
	for (i = 0; i < count; i++)
	{
		if (i % SDC_POLL_STEPS == 0)
			host->poll(host, i, count);
		ranks->move(ranks->arg, i, from[i]);
	}
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
	return sdcpg_window_call_ranks(fcinfo, "rank_swap", 1, rank_swap,
								   rank_swap_ranks, 0);
}

/* shuffle(value anyelement, seed bigint) OVER w */
Datum
sdcf_shuffle(PG_FUNCTION_ARGS)
{
	return sdcpg_window_call_ranks(fcinfo, "shuffle", 1, shuffle,
								   shuffle_ranks, sizeof(int32));
}
