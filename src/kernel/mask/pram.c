/*
 * pram.c
 *		Post-randomisation (PRAM) of a categorical column.
 *
 * Taking the value of a random row is the same as drawing from the column's
 * own distribution, without a table of frequencies.
 */
#include "kernel/base/host.h"
#include "kernel/base/random.h"
#include "kernel/mask/pram.h"

const char *const sdc_pram_words[] = {"invariant", NULL};

void
sdc_pram_draw(SdcHost *host, int32_t n, double p, SdcRandom *random,
			  int32_t *from)
{
	int32_t rank;

	host->stage(host, "randomising");
	for (rank = 0; rank < n; rank++)
	{
		if (rank % SDC_POLL_STEPS == 0)
			host->poll(host, rank, n);
		from[rank] = rank;
		if (sdc_random_unit(random) >= p)
			from[rank] = (int32_t) sdc_random_below(random, n);
	}
}
