/*
 * law.c
 *		The law by which rank swapping moves a rank.
 *
 * See law.h.  The mask's own kernel is run on a small file of the same shape,
 * and its displacements are counted.  A cell's density is its count over the
 * number of (rank, displacement) pairs of the cell that lie in the file, so
 * that the ends of the file need no correction.
 */
#include "kernel/intruder/law.h"

#include "kernel/base/host.h"

/* Ranks of a window in the simulation at the most. */
#define WINDOW 256

/* Windows with rows of their own at each end, and files simulated whole. */
#define ENDS  8
#define WHOLE 24

/* Draws a cell, and draws of small files at least, in not too many runs. */
#define DRAWS       200
#define DRAWS_LEAST 4000000
#define RUNS_MOST   20000

/* Draws a cell with which rows are not averaged with their neighbours. */
#define DRAWS_PLENTY 240

/* Windows on each side that a law covers; beyond them it says never. */
static const int32_t method_reach[] = {1, 10, 4};

/* The counts of a simulation. */
typedef struct Count
{
	SdcHost *host;
	SdcRankLaw *law;
	int32_t n; /* ranks and window of the simulation */
	int32_t w;
	int32_t first; /* rows first .. last - 1 are shared, none when equal */
	int32_t last;
	int32_t runs;
	int32_t blur;  /* rows on each side that are averaged */
	int32_t far;   /* the greatest displacement that is counted */
	int32_t *row;  /* of a rank */
	int32_t *bin;  /* [far + displacement] */
	double *moved; /* [row * bins + bin] */
	double *pairs;
	double *stayed; /* [row] */
	double *ranks;
} Count;

static bool
is_long(int32_t n, int32_t w)
{
	return n / w >= WHOLE;
}

/* The rank that stands for one of a long file: the same phase in a window. */
static int64_t
fold_rank(int32_t n, int32_t w, int32_t rank)
{
	int64_t ends = (int64_t) ENDS * w;
	int64_t tail = ((int64_t) (n / w) - ENDS) * w;

	if (!is_long(n, w) || rank < ends)
		return rank;
	if (rank >= tail)
		return rank - tail + 2 * ends;
	return ends + (rank - ends) % ends;
}

static int32_t
row_of(const SdcRankLaw *law, int64_t folded)
{
	int64_t row = folded * law->zones / law->w;

	return row < law->rows ? (int32_t) row : law->rows - 1;
}

int32_t
sdc_rank_law_row(const SdcRankLaw *law, int32_t rank)
{
	return row_of(law, fold_rank(law->n, law->w, rank));
}

size_t
sdc_rank_law_size(const SdcRankLaw *law)
{
	return sizeof(SdcRankLaw) +
		   sizeof(double) * (size_t) law->rows * ((size_t) law->bins + 2);
}

/* The bins of all displacements of the simulation that are counted, but 0. */
static int32_t *
make_bins(const Count *count)
{
	const SdcRankLaw *law = count->law;
	int32_t *bin = sdc_new(count->host, int32_t, 2 * (size_t) count->far + 1);
	int32_t half = law->reach * law->zones;
	int32_t d;

	bin[count->far] = -1;
	for (d = 1; d <= count->far; d++)
	{
		int32_t k = (int32_t) ((int64_t) (d - 1) * law->zones / count->w);

		bin[count->far - d] = half - 1 - k;
		bin[count->far + d] = half + k;
	}
	return bin;
}

/* The row that holds the counts of a row. */
static int32_t
shared_row(const Count *count, int32_t row)
{
	int32_t zones = count->law->zones;

	if (row < count->first || row >= count->last)
		return row;
	return count->law->method == SDC_RANK_SWAP_BUCKETS
			   ? count->first + row % zones
			   : count->first;
}

static double *
zeros(SdcHost *host, size_t n)
{
	double *array = sdc_new(host, double, n);
	size_t i;

	for (i = 0; i < n; i++)
		array[i] = 0;
	return array;
}

static SdcRankLaw *
make_law(SdcHost *host, SdcRankSwapMethod method, int32_t n, int32_t w)
{
	int32_t zones = w < SDC_LAW_ZONES ? w : SDC_LAW_ZONES;
	int32_t windows = (int32_t) (((int64_t) n + w - 1) / w);
	int32_t reach =
		method_reach[method] < windows ? method_reach[method] : windows;
	int64_t folded = fold_rank(n, w, n - 1);
	SdcRankLaw shape = {method, n, w, zones, reach, 0, 2 * reach * zones};
	SdcRankLaw *law;

	shape.rows = (int32_t) (folded * zones / w) + 1;
	law = host->alloc(host, sdc_rank_law_size(&shape), 1);
	*law = shape;
	return law;
}

/* How many pairs of ranks each cell has. */
static void
count_pairs(Count *count)
{
	const SdcRankLaw *law = count->law;
	const int32_t *bin = count->bin + count->far;
	int32_t far = count->far;
	int32_t i;
	int32_t d;

	for (i = 0; i < count->n; i++)
	{
		double *pairs = count->pairs + (size_t) count->row[i] * law->bins;
		int32_t low = i < far ? -i : -far;
		int32_t high = count->n - 1 - i < far ? count->n - 1 - i : far;

		if (i % 64 == 0)
			count->host->poll(count->host, 0, 0);
		count->ranks[count->row[i]]++;
		for (d = low; d <= high; d++)
			if (d != 0)
				pairs[bin[d]]++;
	}
}

static void
count_runs(Count *count, uint64_t seed)
{
	const SdcRankLaw *law = count->law;
	const int32_t *bin = count->bin + count->far;
	int32_t *from = sdc_new(count->host, int32_t, count->n);
	SdcPartHost part;
	SdcRandom random;
	int32_t run;
	int32_t i;

	sdc_random_seed(&random, seed, UINT64_C(0x6C6177));
	for (run = 0; run < count->runs; run++)
	{
		sdc_part_host_start(&part, count->host, (uint64_t) run * count->n,
							(uint64_t) count->runs * count->n);
		sdc_rank_swap(&part.host, law->method, count->n, count->w, &random,
					  from);
		for (i = 0; i < count->n; i++)
		{
			int32_t d = from[i] - i;

			if (d == 0)
				count->stayed[count->row[i]]++;
			else if (d >= -count->far && d <= count->far)
				count->moved[(size_t) count->row[i] * law->bins + bin[d]]++;
		}
	}
	count->host->release(count->host, from);
}

/* Chance of one rank of a bin, over a row and its neighbours. */
static double
cell_density(const Count *count, int32_t row, int32_t bin)
{
	const SdcRankLaw *law = count->law;
	int32_t source = shared_row(count, row);
	double moved = 0;
	double pairs = 0;
	int32_t other;

	for (other = source - count->blur; other <= source + count->blur; other++)
	{
		if (other < 0 || other >= law->rows || count->ranks[other] == 0)
			continue;
		if (law->method == SDC_RANK_SWAP_BUCKETS &&
			other / law->zones != source / law->zones)
			continue;
		moved += count->moved[(size_t) other * law->bins + bin];
		pairs += count->pairs[(size_t) other * law->bins + bin];
	}
	return pairs == 0 ? 0 : moved / pairs / count->runs * count->w / law->w;
}

static void
fill_law(const Count *count)
{
	SdcRankLaw *law = count->law;
	double width = (double) law->w / law->zones;
	double *stay = law->data + (size_t) law->rows * (law->bins + 1);
	int32_t row;
	int32_t bin;

	for (row = 0; row < law->rows; row++)
	{
		double *below = law->data + (size_t) row * (law->bins + 1);
		int32_t source = shared_row(count, row);

		stay[row] =
			count->ranks[source] == 0
				? 0
				: count->stayed[source] / count->runs / count->ranks[source];
		below[0] = 0;
		for (bin = 0; bin < law->bins; bin++)
			below[bin + 1] =
				below[bin] + width * cell_density(count, row, bin);
	}
}

static int32_t
choose_runs(size_t cells, int32_t n)
{
	double draws = (double) DRAWS * (double) cells;

	draws = draws < DRAWS_LEAST ? DRAWS_LEAST : draws;
	return draws / n < RUNS_MOST ? (int32_t) (draws / n) + 1 : RUNS_MOST;
}

SdcRankLaw *
sdc_rank_law_simulate(SdcHost *host, SdcRankSwapMethod method, int32_t n,
					  int32_t w, uint64_t seed)
{
	SdcRankLaw *law = make_law(host, method, n, w);
	size_t cells = (size_t) law->rows * law->bins;
	int64_t folded = fold_rank(n, w, n - 1) + 1;
	Count count = {.host = host, .law = law};
	int32_t i;

	count.w = w < WINDOW ? w : WINDOW;
	count.n = (int32_t) (folded * count.w / w);
	count.n = count.n < 1 ? 1 : count.n;
	count.first = is_long(n, w) ? ENDS * law->zones : 0;
	count.last = is_long(n, w) ? 2 * ENDS * law->zones : 0;
	count.runs = choose_runs(cells, count.n);
	count.blur = count.runs * (double) count.n < DRAWS_PLENTY * (double) cells;
	count.far = law->reach * count.w;
	count.bin = make_bins(&count);
	count.row = sdc_new(host, int32_t, count.n);
	for (i = 0; i < count.n; i++)
		count.row[i] =
			shared_row(&count, row_of(law, (int64_t) i * w / count.w));
	count.moved = zeros(host, cells);
	count.pairs = zeros(host, cells);
	count.stayed = zeros(host, law->rows);
	count.ranks = zeros(host, law->rows);
	count_pairs(&count);
	count_runs(&count, seed);
	fill_law(&count);
	host->release(host, count.row);
	host->release(host, count.bin);
	host->release(host, count.moved);
	host->release(host, count.pairs);
	host->release(host, count.stayed);
	host->release(host, count.ranks);
	return law;
}
