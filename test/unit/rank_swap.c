/*
 * rank_swap.c
 *		Rank swapping against the exact law of its definition, and invariants.
 *
 * For small n the definition is followed through every possible draw, which
 * gives the probability of each outcome; the kernel's outcomes over many seeds
 * must have these frequencies.
 */
#include "unit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/base/random.h"
#include "kernel/mask/rank_swap.h"
#include "statistics.h"

#define MAX_SMALL 7

static const char *const method_names[] = {"classic", "buckets",
										   "distribution"};

/* The probability of every from[], a number of n digits in base n. */
typedef struct Law
{
	SdcRankSwapMethod method;
	int n;
	int w;
	int from[MAX_SMALL]; /* -1 while a rank is free */
	double *probability;
} Law;

static int
code_of(int n, const int32_t *from)
{
	int code = 0;
	int i;

	for (i = 0; i < n; i++)
		code = code * n + from[i];
	return code;
}

/*
 * Pr(j is the partner of i), for every j, given who is free; the probability
 * of no partner is returned.
 */
static double
partner_law(const Law *law, int i, double *share)
{
	double total = 0;
	int free_in[MAX_SMALL] = {0};
	int j;

	memset(share, 0, sizeof(double) * MAX_SMALL);
	for (j = i + 1; j < law->n; j++)
		if (law->from[j] < 0)
			free_in[j / law->w]++;
	for (j = 0; j < law->n; j++)
	{
		double mean = 0.5 * law->w;

		if (j == i || law->from[j] >= 0)
			continue;
		if (law->method == SDC_RANK_SWAP_CLASSIC && j > i && j <= i + law->w)
			share[j] = 1;
		if (law->method == SDC_RANK_SWAP_BUCKETS && j > i)
			share[j] = ldexp(1.0, -(j / law->w - i / law->w + 1)) /
					   free_in[j / law->w];
		if (law->method == SDC_RANK_SWAP_DISTRIBUTION)
			share[j] = 0.5 * (erfc(-(j - i + 0.5 - mean) / mean * M_SQRT1_2) -
							  erfc(-(j - i - 0.5 - mean) / mean * M_SQRT1_2));
		total += share[j];
	}
	if (total == 0)
		return 1;
	/* a method that draws again restricts its law to the free ranks */
	for (j = 0; j < law->n; j++)
		share[j] /= total;
	return law->method == SDC_RANK_SWAP_DISTRIBUTION ? pow(1 - total, 100) : 0;
}

/* Follows the definition from rank i on. */
static void
follow(Law *law, int i, double probability)
{
	double share[MAX_SMALL];
	double none;
	int j;

	while (i < law->n && law->from[i] >= 0)
		i++;
	if (i == law->n)
	{
		int32_t from[MAX_SMALL];

		for (j = 0; j < law->n; j++)
			from[j] = law->from[j] < 0 ? j : law->from[j];
		law->probability[code_of(law->n, from)] += probability;
		return;
	}
	none = partner_law(law, i, share);
	for (j = 0; j < law->n; j++)
	{
		if (share[j] == 0)
			continue;
		law->from[i] = j;
		law->from[j] = i;
		follow(law, i + 1, probability * (1 - none) * share[j]);
		law->from[i] = law->from[j] = -1;
	}
	/* a rank without a partner stays free: a later one may look back */
	if (none > 0)
	{
		if (law->method == SDC_RANK_SWAP_DISTRIBUTION)
		{
			follow(law, i + 1, probability * none);
			return;
		}
		law->from[i] = i;
		follow(law, i + 1, probability * none);
		law->from[i] = -1;
	}
}

static void
check_law(SdcRankSwapMethod method, int n, int w, int runs)
{
	int codes = (int) pow(n, n);
	double *expected = calloc(codes, sizeof(double));
	double *observed = calloc(codes, sizeof(double));
	Law law = {method, n, w, {0}, expected};
	double statistic = 0;
	double rare_expected = 0;
	double rare_observed = 0;
	double total = 0;
	int cells = 0;
	bool impossible = false;
	int32_t from[MAX_SMALL];
	int i;

	for (i = 0; i < n; i++)
		law.from[i] = -1;
	follow(&law, 0, 1);
	for (i = 0; i < runs; i++)
	{
		SdcRandom random;

		sdc_random_seed(&random, i, n * 100 + w);
		sdc_rank_swap(unit_host(), method, n, w, &random, from);
		observed[code_of(n, from)]++;
	}
	for (i = 0; i < codes; i++)
	{
		double want = expected[i] * runs;

		total += expected[i];
		impossible = impossible || (want == 0 && observed[i] > 0);
		/* cells too rare for the approximation are taken together */
		if (want < 20)
		{
			rare_expected += want;
			rare_observed += observed[i];
			continue;
		}
		statistic += (observed[i] - want) * (observed[i] - want) / want;
		cells++;
	}
	if (rare_expected >= 5)
	{
		statistic += (rare_observed - rare_expected) *
					 (rare_observed - rare_expected) / rare_expected;
		cells++;
	}
	unit_check(fabs(total - 1) < 1e-9 && !impossible &&
				   (cells < 2 || statistic < chi_square_limit(cells - 1)),
			   "%s, n = %d, w = %d: law over %d outcomes (chi square %.1f)",
			   method_names[method], n, w, cells, statistic);
	free(expected);
	free(observed);
}

/* Random numbers that a call drew: how far the stream has moved. */
static uint64_t
numbers_drawn(SdcRandom start, const SdcRandom *end, uint64_t limit)
{
	uint64_t count = 0;

	while (memcmp(&start, end, sizeof(start)) != 0 && count <= limit)
	{
		sdc_random_bits(&start);
		count++;
	}
	return count;
}

static void
check_invariants(SdcRankSwapMethod method, int32_t n, double p,
				 uint64_t draws_per_rank)
{
	int32_t w = sdc_rank_swap_window(p, n);
	int32_t *from = malloc(((size_t) n + 1) * sizeof(int32_t));
	uint64_t limit = draws_per_rank * n + 1000;
	bool involution = true;
	int32_t farthest = 0;
	int32_t stayed = 0;
	uint64_t drawn;
	SdcRandom random;
	SdcRandom start;
	int32_t i;

	sdc_random_seed(&random, 7, n);
	start = random;
	sdc_rank_swap(unit_host(), method, n, w, &random, from);
	for (i = 0; i < n; i++)
	{
		involution = involution && from[i] >= 0 && from[i] < n;
		involution = involution && from[from[i]] == i;
		if (abs(from[i] - i) > farthest)
			farthest = abs(from[i] - i);
		stayed += from[i] == i;
	}
	drawn = numbers_drawn(start, &random, limit);
	unit_check(involution, "%s, n = %d, p = %g: an involution",
			   method_names[method], (int) n, p);
	if (method == SDC_RANK_SWAP_CLASSIC)
		unit_check(farthest <= w, "classic, n = %d, p = %g: moved %d <= %d",
				   (int) n, p, (int) farthest, (int) w);
	if (w == 0)
		unit_check(stayed == n, "%s, n = %d, p = %g: unchanged",
				   method_names[method], (int) n, p);
	else
		/* at the worst a third has no partner left: w = 2 and bad luck */
		unit_check(stayed <= n / 3 + 1, "%s, n = %d, p = %g: %d stayed",
				   method_names[method], (int) n, p, (int) stayed);
	unit_check(drawn <= limit, "%s, n = %d, p = %g: %.1f draws a rank",
			   method_names[method], (int) n, p,
			   n == 0 ? 0 : (double) drawn / n);
	free(from);
}

/* How often each rank was told of, and whether it moved as it should. */
typedef struct Told
{
	const int32_t *from;
	int *times;
	bool same;
} Told;

static void
note_told(void *arg, int32_t rank, int32_t from)
{
	Told *told = arg;

	told->times[rank]++;
	told->same = told->same && told->from[rank] == from;
}

/* Told rank by rank, moves are those of the array, each of them once. */
static void
check_each(SdcRankSwapMethod method, int32_t n, double p)
{
	int32_t w = sdc_rank_swap_window(p, n);
	int32_t *from = malloc(((size_t) n + 1) * sizeof(int32_t));
	Told told = {from, calloc((size_t) n + 1, sizeof(int)), true};
	int32_t once = 0;
	SdcRandom random;
	int32_t i;

	sdc_random_seed(&random, 8, n);
	sdc_rank_swap(unit_host(), method, n, w, &random, from);
	sdc_random_seed(&random, 8, n);
	sdc_rank_swap_each(unit_host(), method, n, w, &random, note_told, &told);
	for (i = 0; i < n; i++)
		once += told.times[i] == 1;
	unit_check(told.same && once == n, "%s, n = %d, p = %g: %d told once",
			   method_names[method], (int) n, p, (int) once);
	free(from);
	free(told.times);
}

static void
check_window(void)
{
	unit_check(sdc_rank_swap_window(5, 100) == 5 &&
				   sdc_rank_swap_window(5, 119) == 5 &&
				   sdc_rank_swap_window(5, 120) == 6 &&
				   sdc_rank_swap_window(20, 10) == 2 &&
				   sdc_rank_swap_window(100, 7) == 7 &&
				   sdc_rank_swap_window(0, 7) == 0 &&
				   sdc_rank_swap_window(99.999, 0) == 0 &&
				   sdc_rank_swap_window(100, INT32_MAX) == INT32_MAX,
			   "the window is floor(p n / 100), p in percent");
}

/* Every rank can go everywhere with buckets and distribution. */
static void
check_reach(SdcRankSwapMethod method, int32_t n, double p)
{
	int32_t w = sdc_rank_swap_window(p, n);
	bool *seen = calloc((size_t) n * n, sizeof(bool));
	int32_t *from = malloc(n * sizeof(int32_t));
	int32_t missing = 0;
	int run;
	int32_t i;

	for (run = 0; run < 20000; run++)
	{
		SdcRandom random;

		sdc_random_seed(&random, run, 1);
		sdc_rank_swap(unit_host(), method, n, w, &random, from);
		for (i = 0; i < n; i++)
			seen[from[i] * n + i] = true;
	}
	for (i = 0; i < n * n; i++)
		missing += !seen[i] && i / n != i % n;
	unit_check(missing == 0, "%s, n = %d, p = %g: %d moves never occur",
			   method_names[method], (int) n, p, (int) missing);
	free(seen);
	free(from);
}

/* Pr(bucket s | bucket r) of the first rank of r, all being free. */
static void
check_bucket_law(void)
{
	const int32_t n = 1000;
	const int32_t w = 100;
	const int runs = 20000;
	double count[10] = {0};
	double expected[10];
	double k = 1 - ldexp(1.0, -10);
	int32_t from[1000];
	int run;
	int s;

	for (run = 0; run < runs; run++)
	{
		SdcRandom random;

		sdc_random_seed(&random, run, 3);
		sdc_rank_swap(unit_host(), SDC_RANK_SWAP_BUCKETS, n, w, &random, from);
		count[from[0] / w]++;
	}
	for (s = 0; s < 10; s++)
		expected[s] = runs * ldexp(1.0, -(s + 1)) / k;
	unit_check(chi_square(count, expected, 10) < chi_square_limit(9),
			   "buckets: Pr(s | r) = 2^-(s - r + 1) / K_r");
}

static void
check_shuffle(void)
{
	double count[256] = {0};
	double seen[24];
	SdcRandom random;
	int32_t from[4];
	int32_t *many = malloc(100000 * sizeof(int32_t));
	bool *taken = calloc(100000, sizeof(bool));
	bool permutation = true;
	int cells = 0;
	int i;

	sdc_random_seed(&random, 5, 0);
	for (i = 0; i < 240000; i++)
	{
		sdc_rank_shuffle(unit_host(), 4, &random, from);
		count[code_of(4, from)]++;
	}
	for (i = 0; i < 256; i++)
		if (count[i] > 0 && cells < 24)
			seen[cells++] = count[i];
	unit_check(cells == 24 && looks_uniform(seen, 24),
			   "shuffle: all 24 permutations of 4 alike");
	sdc_rank_shuffle(unit_host(), 100000, &random, many);
	for (i = 0; i < 100000; i++)
	{
		permutation = permutation && !taken[many[i]];
		taken[many[i]] = true;
	}
	unit_check(permutation, "shuffle: a permutation of 100000");
	sdc_rank_shuffle(unit_host(), 0, &random, many);
	sdc_rank_shuffle(unit_host(), 1, &random, many);
	unit_check(many[0] == 0, "shuffle: 0 and 1 ranks");
	free(many);
	free(taken);
}

/*
 * What swapping leaves of a covariance: as pairs of the three ranks of a small
 * file say, and at the edges.
 */
static void
check_kept(void)
{
	double value[1000];
	double kept;
	double wider;
	int32_t i;

	for (i = 0; i < 1000; i++)
		value[i] = i * i;
	/* ranks 0 1 2 with a window of 1: 0 and 1 trade places, 2 stays; values
	 * 0 1 4 have the deviations -5/3, -2/3, 7/3: (2 * 10/9 + 49/9) / (78/9) */
	kept =
		sdc_rank_swap_kept(unit_host(), SDC_RANK_SWAP_CLASSIC, value, 3, 1, 1);
	unit_check(fabs(kept - 69.0 / 78) < 1e-12, "kept: of three ranks %.6f",
			   kept);
	/* with a window of 2 rank 0 trades places with 1, or as likely with 2:
	 * then it is (2 * -35/9 + 4/9) / (78/9) */
	kept =
		sdc_rank_swap_kept(unit_host(), SDC_RANK_SWAP_CLASSIC, value, 3, 2, 1);
	unit_check(fabs(kept - (69.0 - 66) / 78 / 2) < 5e-3,
			   "kept: of three ranks, two partners %.4f", kept);
	unit_check(sdc_rank_swap_kept(unit_host(), SDC_RANK_SWAP_CLASSIC, value,
								  1000, 0, 1) == 1 &&
				   sdc_rank_swap_kept(unit_host(), SDC_RANK_SWAP_CLASSIC,
									  value, 0, 0, 1) == 1 &&
				   sdc_rank_swap_kept(unit_host(), SDC_RANK_SWAP_CLASSIC,
									  value, 1, 0, 1) == 1,
			   "kept: all without a window, or a value");
	kept = sdc_rank_swap_kept(unit_host(), SDC_RANK_SWAP_BUCKETS, value, 1000,
							  50, 1);
	wider = sdc_rank_swap_kept(unit_host(), SDC_RANK_SWAP_BUCKETS, value, 1000,
							   300, 1);
	unit_check(kept > 0.9 && kept < 1 && wider < kept && wider > 0,
			   "kept: less by a wider window (%.3f, %.3f)", kept, wider);
	for (i = 0; i < 1000; i++)
		value[i] = 7;
	unit_check(sdc_rank_swap_kept(unit_host(), SDC_RANK_SWAP_CLASSIC, value,
								  1000, 100, 1) == 1,
			   "kept: all of equal values");
	unit_release_all();
}

/* What is drawn for layers of so many ranks: by swapping, or by shuffling. */
static SdcRankLayers
draw_layers(int64_t ranks, int32_t room, double p, bool shuffle)
{
	SdcRankLayers layers = sdc_rank_layers_shape(ranks, room);
	SdcRandom random;
	int32_t i;

	sdc_random_seed(&random, 11, (uint64_t) ranks);
	layers.from =
		malloc(sizeof(int32_t) * layers.layers * (layers.stripes + 1));
	layers.key = malloc(sizeof(uint64_t) * (layers.stripes + 1));
	for (i = 0; i < layers.layers; i++)
		if (shuffle)
			sdc_rank_shuffle(unit_host(), layers.stripes, &random,
							 layers.from + (size_t) i * layers.stripes);
		else
			sdc_rank_swap(unit_host(), SDC_RANK_SWAP_CLASSIC, layers.stripes,
						  sdc_rank_layers_window(&layers, p), &random,
						  layers.from + (size_t) i * layers.stripes);
	for (i = 0; i < layers.stripes; i++)
		layers.key[i] = sdc_random_bits(&random);
	return layers;
}

/*
 * Layers of more ranks than numbers are drawn for: a permutation, and if
 * swapped its own inverse, within the window and over all of it.
 */
static void
check_layers(int64_t ranks, int32_t room, double p, bool shuffle)
{
	SdcRankLayers layers = draw_layers(ranks, room, p, shuffle);
	unsigned char *taken = calloc(ranks + 1, 1);
	const int64_t window = (int64_t) floor(p * (double) ranks / 100);
	bool permutation = true;
	bool involution = true;
	int64_t farthest = 0;
	int64_t stayed = 0;
	double moved = 0;
	int64_t r;

	for (r = 0; r < ranks; r++)
	{
		int64_t from = sdc_rank_layers_from(&layers, r);

		permutation = permutation && from >= 0 && from < ranks && !taken[from];
		if (!permutation)
			break;
		taken[from] = 1;
		involution = involution && sdc_rank_layers_from(&layers, from) == r;
		farthest = llabs(from - r) > farthest ? llabs(from - r) : farthest;
		moved += (double) llabs(from - r);
		stayed += from == r;
	}
	unit_check(permutation, "layers: %lld ranks are permuted",
			   (long long) ranks);
	unit_check(stayed <= ranks / 50 + 3, "layers: %lld of %lld ranks stay",
			   (long long) stayed, (long long) ranks);
	if (shuffle)
		unit_check(fabs(moved / (double) ranks / (double) ranks - 1.0 / 3) <
					   0.02,
				   "layers: over all ranks");
	else
		unit_check(involution && farthest <= window &&
					   farthest >= window - 2 * layers.length &&
					   moved >= 0.3 * (double) window * (double) ranks,
				   "layers: in pairs, and by %lld of %lld ranks",
				   (long long) farthest, (long long) window);
	free(layers.from);
	free(layers.key);
	free(taken);
}

/* The keys put the ranks of a stripe into any order, each alike. */
static void
check_layer_keys(void)
{
	const int64_t ranks = 3 * SDC_RANK_STRIPES;
	SdcRankLayers layers = draw_layers(ranks, SDC_RANK_STRIPES, 100, false);
	double count[9] = {0};
	int64_t r;

	/* of each pair, which of the three places of a stripe its ranks have */
	for (r = 0; r < ranks; r++)
		if (r < sdc_rank_layers_from(&layers, r))
			count[r % 3 * 3 + sdc_rank_layers_from(&layers, r) % 3]++;
	unit_check(looks_uniform(count, 9), "layers: all places alike");
	free(layers.from);
	free(layers.key);
}

/* So few ranks that each is a stripe move as without layers. */
static void
check_few_layers(void)
{
	SdcRankLayers layers = draw_layers(1000, SDC_RANK_STRIPES, 5, false);
	bool same =
		layers.layers == 1 && layers.stripes == 1000 &&
		sdc_rank_layers_window(&layers, 5) == sdc_rank_swap_window(5, 1000);
	SdcRandom random;
	int32_t from[1000];
	int32_t i;

	sdc_random_seed(&random, 11, 1000);
	sdc_rank_swap(unit_host(), SDC_RANK_SWAP_CLASSIC, 1000, 50, &random, from);
	for (i = 0; i < 1000; i++)
		same = same && sdc_rank_layers_from(&layers, i) == from[i];
	unit_check(same, "layers: few ranks move as ever");
	free(layers.from);
	free(layers.key);
}

int
main(void)
{
	static const int32_t sizes[] = {0, 1, 2, 3, 10, 63, 64, 65, 1000, 100000};
	static const double windows[] = {0, 0.001, 0.1, 1, 5, 15, 33, 50, 99, 100};
	/* random numbers a rank may take at the most, by method */
	static const uint64_t draws[] = {45, 70, 300};
	int method;
	int n;
	int w;

	unit_start("rank_swap");
	check_window();
	for (method = 0; method < 3; method++)
	{
		for (n = 2; n <= 6; n++)
			for (w = 1; w <= n; w++)
				check_law((SdcRankSwapMethod) method, n, w, 40000);
		for (n = 0; n < 10; n++)
			for (w = 0; w < 10; w++)
				check_invariants((SdcRankSwapMethod) method, sizes[n],
								 windows[w], draws[method]);
		for (n = 0; n < 10; n++)
			check_each((SdcRankSwapMethod) method, sizes[n], 15);
	}
	check_law(SDC_RANK_SWAP_CLASSIC, 7, 3, 200000);
	check_reach(SDC_RANK_SWAP_BUCKETS, 20, 10);
	check_reach(SDC_RANK_SWAP_DISTRIBUTION, 20, 50);
	check_bucket_law();
	check_shuffle();
	check_kept();
	check_few_layers();
	check_layers(0, SDC_RANK_STRIPES, 5, false);
	check_layers(SDC_RANK_STRIPES + 1, SDC_RANK_STRIPES, 5, false);
	check_layers(3 * SDC_RANK_STRIPES - 1, SDC_RANK_STRIPES, 5, false);
	check_layers(20 * SDC_RANK_STRIPES - 7, 4 * SDC_RANK_STRIPES, 1, false);
	check_layers(20 * SDC_RANK_STRIPES - 7, 4 * SDC_RANK_STRIPES, 1, true);
	check_layer_keys();
	return unit_finish();
}
