/*
 * law.c
 *		The law of rank swapping against what the mask does.
 *
 * The mask is run many times with seeds of its own, and the share of runs in
 * which a rank's value comes from a run of ranks is compared with the law's
 * mass.  A law comes from some 200 draws a cell and blurs neighbouring rows,
 * so shares may differ by .04 and on the average by .005; wrong bins, rows or
 * phases give differences of .1 and more.
 */
#include "intruder_files.h"

#include "kernel/intruder/law.h"

#include <math.h>
#include <string.h>

/* Draws of a comparison. */
#define DRAWS 1500000

static const char *const names[] = {"classic", "buckets", "distribution"};

/* Compares the masses of a few ranks over runs of `piece` ranks. */
static void
check_law(SdcRankSwapMethod method, int32_t n, int32_t w)
{
	SdcHost *host = unit_host();
	SdcRankLaw *law = sdc_rank_law_simulate(host, method, n, w, 7);
	int32_t piece = w < 8 ? 1 : w / 8;
	int32_t pieces = (n + piece - 1) / piece;
	int32_t group = w < 8 ? 1 : w / 8; /* ranks counted together */
	int32_t groups = (n + group - 1) / group;
	double *seen = sdc_new(host, double, (size_t) groups *pieces);
	int32_t *from = sdc_new(host, int32_t, n);
	SdcRandom random;
	double worst = 0;
	double sum = 0;
	double cells = 0;
	int32_t i;
	int32_t k;
	int runs = DRAWS / n < 8000 ? DRAWS / n : 8000;
	int run;

	memset(seen, 0, sizeof(double) * (size_t) groups * (size_t) pieces);
	sdc_random_seed(&random, 99, 1);
	for (run = 0; run < runs; run++)
	{
		sdc_rank_swap(host, method, n, w, &random, from);
		for (i = 0; i < n; i++)
			seen[(size_t) (i / group) * pieces + from[i] / piece]++;
	}
	for (i = 0; i < n; i++)
		for (k = 0; k < pieces; k++)
		{
			int32_t high =
				(k + 1) * piece - 1 < n ? (k + 1) * piece - 1 : n - 1;

			seen[(size_t) (i / group) * pieces + k] -=
				runs * law_mass(law, i, k * piece, high);
		}
	for (i = 0; i < groups; i++)
		for (k = 0; k < pieces; k++)
		{
			int32_t size = (i + 1) * group <= n ? group : n - i * group;
			double off =
				fabs(seen[(size_t) i * pieces + k]) / runs / (double) size;

			worst = fmax(worst, size == group ? off : 0);
			sum += off;
			cells += off > 1e-12;
		}
	unit_check(
		worst < 0.04 && sum / cells < 0.005,
		"%s, %d ranks, window %d: off by %.4f at most, %.5f in the mean",
		names[method], (int) n, (int) w, worst, sum / cells);
	unit_release_all();
}

/* All that can happen has chance 1; classic swapping knows its window. */
static void
check_bounds(int32_t n, int32_t w)
{
	SdcHost *host = unit_host();
	SdcRankLaw *law =
		sdc_rank_law_simulate(host, SDC_RANK_SWAP_CLASSIC, n, w, 3);
	double worst = 0;
	double beyond = 0;
	double inside = 1;
	int32_t i;

	for (i = 0; i < n; i++)
	{
		int32_t low = i - w < 0 ? 0 : i - w;
		int32_t high = i + w > n - 1 ? n - 1 : i + w;

		worst = fmax(worst, fabs(law_mass(law, i, low, high) - 1));
		if (low > 0)
			beyond += law_mass(law, i, 0, low - 1);
		if (high < n - 1)
			beyond += law_mass(law, i, high + 1, n - 1);
		if (high < n - 1)
			inside = fmin(inside, law_mass(law, i, high, high));
	}
	unit_check(worst < 0.05,
			   "%d ranks, window %d: all chances add up to 1 "
			   "within %.4f",
			   (int) n, (int) w, worst);
	unit_check(beyond == 0 && inside > 0,
			   "nothing beyond the window, something at its very edge");
	unit_release_all();
}

static void
check_seed(void)
{
	SdcHost *host = unit_host();
	SdcRankLaw *a =
		sdc_rank_law_simulate(host, SDC_RANK_SWAP_BUCKETS, 900, 60, 5);
	SdcRankLaw *b =
		sdc_rank_law_simulate(host, SDC_RANK_SWAP_BUCKETS, 900, 60, 5);
	SdcRankLaw *c =
		sdc_rank_law_simulate(host, SDC_RANK_SWAP_BUCKETS, 900, 60, 6);

	unit_check(memcmp(a->data, b->data,
					  sdc_rank_law_size(a) - sizeof(SdcRankLaw)) == 0,
			   "the same law for the same seed");
	unit_check(memcmp(a->data, c->data,
					  sdc_rank_law_size(a) - sizeof(SdcRankLaw)) != 0,
			   "another for another");
	unit_release_all();
}

int
main(void)
{
	int method;

	unit_start("law of rank swapping");
	for (method = 0; method < 3; method++)
	{
		check_law((SdcRankSwapMethod) method, 300, 40);
		check_law((SdcRankSwapMethod) method, 2400, 40);
		check_law((SdcRankSwapMethod) method, 1000, 300);
		check_law((SdcRankSwapMethod) method, 40, 5);
	}
	check_law(SDC_RANK_SWAP_CLASSIC, 5, 5);
	check_bounds(500, 37);
	check_bounds(20000, 600);
	check_seed();
	return unit_finish();
}
