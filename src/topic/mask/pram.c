/*
 * pram.c
 *		sdc.pram: post-randomisation of a categorical column.
 */
#include "postgres.h"

#include "host/call/params.h"
#include "host/data/column.h"
#include "host/data/window.h"
#include "kernel/base/host.h"
#include "kernel/base/random.h"
#include "kernel/mask/pram.h"

PG_FUNCTION_INFO_V1(sdcf_pram);

static void
pram(SdcWindow *window)
{
	double p = sdcpg_window_float8(window, 1, "p");
	SdcHost *host = &window->host->kernel;
	SdcColumn *column;
	SdcRandom random;
	int32 *order;
	int32 *from;

	sdcpg_window_choice(window, 2, "variant", sdc_pram_words);
	sdcpg_args_range("p", p, 0, 100);
	column = sdcpg_window_column(window, 0);
	order = sdcpg_column_order(window->host, column);
	from = sdc_new(host, int32, column->count);
	sdcpg_window_random(window, 3, &random,
						sdcpg_column_digest(window->host, column, order));
	sdc_pram_draw(host, column->count, p / 100, &random, from);
	sdcpg_window_move(window, column, order, from);
}

/* pram(value text, p float8, variant text, seed bigint) OVER w */
Datum
sdcf_pram(PG_FUNCTION_ARGS)
{
	return sdcpg_window_call(fcinfo, "pram", 1, pram);
}
