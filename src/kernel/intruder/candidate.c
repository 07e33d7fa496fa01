/*
 * candidate.c
 *		The masked records that every part of a mask leaves possible.
 *
 * One part, the pivot, has the smallest sets on the whole.  The positions of
 * all records in the other parts are kept in the order of the pivot, so its
 * set is a run in each of these arrays, and to test a part is a comparison of
 * neighbours that the compiler turns into vector instructions.  The few parts
 * that exclude most are tested so; the others only for the records that are
 * left.  A record that another part leaves far fewer candidates (a NULL, say)
 * is looked for there, one candidate at a time.
 *
 * A window of some percent of all records makes this quadratic.  So where sets
 * are large the records lie in a k-d tree over their positions in the parts
 * that exclude most: a box outside a set is left out as a whole, and a leaf is
 * tested as above.
 */
#include <math.h>
#include <string.h>

#include "kernel/base/host.h"
#include "kernel/base/sort.h"
#include "kernel/intruder/candidate.h"

/* ----------------------------------------------------------------------
 * Which masked values can be the masked version of a value.
 *
 * Everything is a binary search in the sorted keys of a file; a stratum is a
 * run of keys.
 * ----------------------------------------------------------------------
 */

int32_t
sdc_candidate_range_below(const SdcCandidateKeys *keys, uint64_t key)
{
	return (int32_t) sdc_sort_keys_below(keys->key, (size_t) keys->count, key);
}

static uint32_t
stratum_of(uint64_t key)
{
	return (uint32_t) (key >> 32);
}

static bool
is_missing(uint64_t key)
{
	return (uint32_t) key == SDC_CANDIDATE_MISSING;
}

SdcCandidateRange
sdc_candidate_range_none(void)
{
	return (SdcCandidateRange){1, 0};
}

SdcCandidateRange
sdc_candidate_range_all(void)
{
	return (SdcCandidateRange){0, UINT64_MAX};
}

SdcCandidateRange
sdc_candidate_range_one(uint64_t key)
{
	return (SdcCandidateRange){key, key};
}

SdcCandidateRange
sdc_candidate_range_stratum(uint64_t key)
{
	SdcCandidateRange range;

	if (is_missing(key))
		return sdc_candidate_range_one(key);
	range.low = sdc_candidate_key(stratum_of(key), 0);
	range.high = sdc_candidate_key(stratum_of(key), SDC_CANDIDATE_MISSING - 1);
	return range;
}

SdcCandidateRank
sdc_candidate_range_rank(const SdcCandidateKeys *keys, uint64_t key)
{
	SdcCandidateRange stratum = sdc_candidate_range_stratum(key >> 32 << 32);
	int32_t start = sdc_candidate_range_below(keys, stratum.low);
	SdcCandidateRank rank;

	rank.values = sdc_candidate_range_below(keys, stratum.high + 1) - start;
	rank.low = sdc_candidate_range_below(keys, key) - start;
	rank.high = sdc_candidate_range_below(keys, key + 1) - start - 1;
	return rank;
}

SdcCandidateRange
sdc_candidate_range_swap(const SdcCandidateKeys *keys, uint64_t key, double p)
{
	SdcCandidateRank rank;
	SdcCandidateRange range;
	int32_t start;
	int64_t window;
	int64_t low;
	int64_t high;

	if (is_missing(key))
		return sdc_candidate_range_one(key);
	rank = sdc_candidate_range_rank(keys, key);
	if (rank.high < rank.low)
		return sdc_candidate_range_none();
	window = (int64_t) floor(p * rank.values / 100);
	low = rank.low - window;
	high = rank.high + window;
	start = sdc_candidate_range_below(keys, key) - rank.low;
	range.low = keys->key[start + (low < 0 ? 0 : low)];
	range.high =
		keys->key[start + (high < rank.values ? high : rank.values - 1)];
	return range;
}

SdcCandidateRange
sdc_candidate_range_adjacent(const SdcCandidateKeys *keys, uint32_t stratum,
							 uint32_t below, uint32_t above)
{
	SdcCandidateRange range =
		sdc_candidate_range_stratum(sdc_candidate_key(stratum, 0));
	int32_t start = sdc_candidate_range_below(keys, range.low);
	int32_t end = sdc_candidate_range_below(keys, range.high + 1);
	int32_t before =
		sdc_candidate_range_below(keys, sdc_candidate_key(stratum, below));
	int32_t after =
		sdc_candidate_range_below(keys, sdc_candidate_key(stratum, above));

	if (start == end)
		return sdc_candidate_range_none();
	if (before > start)
		range.low = keys->key[before - 1];
	if (after < end)
		range.high = keys->key[after];
	return range;
}

/* ----------------------------------------------------------------------
 * The masked records that one part of a mask leaves possible.
 * ----------------------------------------------------------------------
 */

void
sdc_candidate_set_sort(SdcHost *host, const uint64_t *key, int32_t masked,
					   SdcCandidateSet *set, SdcCandidateKeys *sorted)
{
	uint64_t *keys = sdc_new(host, uint64_t, masked);
	int32_t i;

	memset(set, 0, sizeof(*set));
	set->masked = masked;
	set->row = sdc_new(host, int32_t, masked);
	set->position = sdc_new(host, int32_t, masked);
	for (i = 0; i < masked; i++)
	{
		keys[i] = key[i];
		set->row[i] = i;
	}
	sdc_sort_keys(host, keys, set->row, masked);
	for (i = 0; i < masked; i++)
		set->position[set->row[i]] = i;
	sorted->count = masked;
	sorted->key = keys;
}

void
sdc_candidate_set_begin(SdcHost *host, SdcCandidateSet *set, int32_t originals)
{
	int r;

	set->originals = originals;
	for (r = 0; r < SDC_CANDIDATE_RANGES; r++)
	{
		set->first[r] = sdc_new(host, int32_t, originals);
		set->end[r] = sdc_new(host, int32_t, originals);
	}
}

/* The places of a range; 0 and 0 when it holds nothing. */
static void
find_places(const SdcCandidateKeys *sorted, SdcCandidateRange range,
			int32_t *first, int32_t *end)
{
	*first = 0;
	*end = 0;
	if (range.low > range.high)
		return;
	*first = sdc_candidate_range_below(sorted, range.low);
	*end = range.high == UINT64_MAX
			   ? sorted->count
			   : sdc_candidate_range_below(sorted, range.high + 1);
	if (*first == *end)
		*first = *end = 0;
}

static int32_t
larger(int32_t a, int32_t b)
{
	return a > b ? a : b;
}

void
sdc_candidate_set_put(SdcCandidateSet *set, const SdcCandidateKeys *sorted,
					  int32_t i, SdcCandidateRange a, SdcCandidateRange b)
{
	int32_t first[2];
	int32_t end[2];

	find_places(sorted, a, &first[0], &end[0]);
	find_places(sorted, b, &first[1], &end[1]);
	/* no record may be counted twice */
	if (first[0] < end[1] && first[1] < end[0])
	{
		first[0] = first[0] < first[1] ? first[0] : first[1];
		end[0] = larger(end[0], end[1]);
		first[1] = end[1] = 0;
	}
	set->first[0][i] = first[0];
	set->end[0][i] = end[0];
	set->first[1][i] = first[1];
	set->end[1][i] = end[1];
}

/* ----------------------------------------------------------------------
 * How likely each masked record is to be the one looked for.
 * ----------------------------------------------------------------------
 */

/* libm: log of likelihoods; an attack is a measure, not a mask. */

/* What independent standard scores differ by, squared, on the average. */
#define INDEPENDENT 2.0

/* A likelihood is never taken to be less: rounding must not exclude. */
#define LEAST_LIKELIHOOD 1e-12

/* Prefix sums of the scores and their squares in the order of a set. */
typedef struct Sums
{
	double *present;
	double *sum;
	double *square;
} Sums;

static Sums
add_up(SdcHost *host, const SdcCandidateSet *set, const double *masked,
	   int32_t rows)
{
	Sums sums;
	int32_t t;

	sums.present = sdc_new(host, double, (size_t) rows + 1);
	sums.sum = sdc_new(host, double, (size_t) rows + 1);
	sums.square = sdc_new(host, double, (size_t) rows + 1);
	sums.present[0] = sums.sum[0] = sums.square[0] = 0;
	for (t = 0; t < rows; t++)
	{
		double z = masked[set == NULL ? t : set->row[t]];
		bool there = !isnan(z);

		sums.present[t + 1] = sums.present[t] + there;
		sums.sum[t + 1] = sums.sum[t] + (there ? z : 0);
		sums.square[t + 1] = sums.square[t] + (there ? z * z : 0);
	}
	return sums;
}

/* The mean squared difference of z to what lies between two places. */
static double
mean_square(const Sums *sums, int32_t first, int32_t end, double z)
{
	double n = sums->present[end] - sums->present[first];
	double sum = sums->sum[end] - sums->sum[first];
	double square = sums->square[end] - sums->square[first];
	double mean;

	if (n == 0)
		return 0;
	mean = (square - 2 * z * sum) / n + z * z;
	return mean > 0 ? mean : 0;
}

double
sdc_candidate_score_spread(SdcHost *host, const SdcCandidateSet *set,
						   const double *original, int32_t originals,
						   const double *masked, int32_t rows)
{
	Sums sums = add_up(host, set, masked, rows);
	double total = 0;
	int32_t counted = 0;
	int32_t i;

	for (i = 0; i < originals; i++)
	{
		int32_t first = set == NULL ? 0 : set->first[0][i];
		int32_t end = set == NULL ? rows : set->end[0][i];

		if (i % SDC_POLL_STEPS == 0)
			host->poll(host, 0, 0);
		if (isnan(original[i]) || sums.present[end] == sums.present[first])
			continue;
		total += mean_square(&sums, first, end, original[i]);
		counted++;
	}
	host->release(host, sums.present);
	host->release(host, sums.sum);
	host->release(host, sums.square);
	return counted == 0 ? 0 : total / counted;
}

/* -2 log likelihood of a difference under a law. */
static double
deviance_of(const SdcCandidateWeight *weight, int32_t i, int32_t row)
{
	double a = weight->original[i];
	double b = weight->masked[row];
	double s = weight->scale == NULL ? 1 : weight->scale[i];
	double apart = fabs(a - b);
	double likelihood;

	if (isnan(apart))
		return 0;
	switch (weight->law)
	{
		case SDC_CANDIDATE_GAUSSIAN:
			return s > 0 ? apart / s * (apart / s) : 0;
		case SDC_CANDIDATE_LAPLACE:
			return s > 0 ? 2 * M_SQRT2 * apart / s : 0;
		case SDC_CANDIDATE_BUCKETS:
			return 2 * M_LN2 * apart;
		case SDC_CANDIDATE_RANKS:
			return s > 0 ? (2 * apart / s - 1) * (2 * apart / s - 1) : 0;
		case SDC_CANDIDATE_ROUNDING:
			likelihood = 1 - apart;
			break;
		default:
			likelihood = (apart == 0 ? s : 0) + (1 - s) * weight->share[row];
			break;
	}
	return -2 *
		   log(likelihood > LEAST_LIKELIHOOD ? likelihood : LEAST_LIKELIHOOD);
}

/* Adds what a column says. */
static void
add_column(const SdcCandidateScore *score, int j, int32_t i,
		   const int32_t *row, int32_t count, double *squared, double *cost)
{
	double z = score->original[j][i];
	const double *masked = score->masked[j];
	double share = score->divisor[j] > 0 ? 1 / score->divisor[j] : 0;
	bool missing = isnan(z);
	int32_t t;

	for (t = 0; t < count; t++)
	{
		double apart = z - masked[row[t]];
		double square = apart * apart;

		if (isnan(apart))
			square = missing && isnan(masked[row[t]]) ? 0 : INDEPENDENT;
		squared[t] += square;
		cost[t] += square * share;
	}
}

void
sdc_candidate_score_run(const SdcCandidateScore *score, int32_t i,
						const int32_t *row, int32_t count, double *squared,
						double *deviance, double *cost)
{
	int32_t t;
	int j;

	for (t = 0; t < count; t++)
		squared[t] = deviance[t] = cost[t] = 0;
	for (j = 0; j < score->columns; j++)
		add_column(score, j, i, row, count, squared, cost);
	for (j = 0; j < score->weights; j++)
		for (t = 0; t < count; t++)
			deviance[t] += deviance_of(&score->weight[j], i, row[t]);
	for (t = 0; t < count; t++)
		cost[t] += deviance[t];
}

/* ----------------------------------------------------------------------
 * The masked records that every part of a mask leaves possible.
 * ----------------------------------------------------------------------
 */

/* Records tested together. */
#define CHUNK 2048

/* Parts that are tested for all records of a chunk. */
#define CHUNK_TESTS 3

/* The pivot is kept unless another part has sets this much smaller. */
#define PIVOT_SHARE 8

/* Records looked at between two polls. */
#define POLL_RECORDS 4000000

/* What one part asks of a record: its position must lie in these places. */
typedef struct Test
{
	int part;
	int32_t size;
	uint32_t first[SDC_CANDIDATE_RANGES];
	uint32_t length[SDC_CANDIDATE_RANGES];
} Test;

static int
find_pivot(int parts, const SdcCandidateSet *const *part)
{
	int64_t least = -1;
	int pivot = -1;
	int32_t i;
	int j;

	for (j = 0; j < parts; j++)
	{
		int64_t sum = 0;

		for (i = 0; i < part[j]->originals; i++)
			sum += sdc_candidate_set_size(part[j], i);
		if (least < 0 || sum < least)
		{
			least = sum;
			pivot = j;
		}
	}
	return pivot;
}

/* The tests of a record, from the smallest set to the largest. */
static int
make_tests(const SdcCandidateSearch *search, int32_t i, Test *test)
{
	int count = 0;
	int place;
	int j;
	int r;

	for (j = 0; j < search->parts; j++)
	{
		const SdcCandidateSet *part = search->part[j];
		Test made;

		made.part = j;
		made.size = sdc_candidate_set_size(part, i);
		for (r = 0; r < SDC_CANDIDATE_RANGES; r++)
		{
			made.first[r] = (uint32_t) part->first[r][i];
			made.length[r] = (uint32_t) (part->end[r][i] - part->first[r][i]);
		}
		for (place = count++; place > 0; place--)
		{
			if (test[place - 1].size <= made.size)
				break;
			test[place] = test[place - 1];
		}
		test[place] = made;
	}
	return count;
}

static inline bool
passes(const Test *test, int32_t position)
{
	return ((uint32_t) position - test->first[0] < test->length[0]) |
		   ((uint32_t) position - test->first[1] < test->length[1]);
}

/* Keeps fits[t] where the record at t passes as well. */
static SDC_CLONES void
test_chunk(int32_t *restrict fits, const int32_t *restrict at, int32_t count,
		   uint32_t first, uint32_t length, uint32_t second,
		   uint32_t second_length)
{
	int32_t t;

	for (t = 0; t < count; t++)
	{
		uint32_t position = (uint32_t) at[t];

		fits[t] &=
			(position - first < length) | (position - second < second_length);
	}
}

/* Records one that passed everything; true when there are too many. */
static bool
add_row(SdcCandidateSearch *search, int32_t row, int32_t limit)
{
	search->row[search->count++] = row;
	return search->count > limit;
}

/* Looks at the records from one place of the pivot's order to another. */
static bool
scan_chunk(SdcCandidateSearch *search, const Test *test, int tests,
		   int32_t first, int32_t count, int32_t limit)
{
	const int32_t *row = search->part[search->pivot]->row;
	int32_t *fits = search->fits;
	int together = 0;
	int32_t t;
	int j;

	for (t = 0; t < count; t++)
		fits[t] = 1;
	for (j = 0; j < tests && together < CHUNK_TESTS; j++)
		if (test[j].part != search->pivot)
		{
			test_chunk(fits, search->at[test[j].part] + first, count,
					   test[j].first[0], test[j].length[0], test[j].first[1],
					   test[j].length[1]);
			together++;
		}
	for (t = 0; t < count; t++)
	{
		int k = j;

		if (!fits[t])
			continue;
		while (k < tests &&
			   (test[k].part == search->pivot ||
				passes(&test[k], search->at[test[k].part][first + t])))
			k++;
		if (k == tests && add_row(search, row[first + t], limit))
			return true;
	}
	return false;
}

/* Looks at the pivot's set. */
static void
scan(SdcCandidateSearch *search, const Test *test, int tests, int32_t i,
	 int32_t limit)
{
	const SdcCandidateSet *pivot = search->part[search->pivot];
	int32_t first;
	int r;

	for (r = 0; r < SDC_CANDIDATE_RANGES; r++)
		for (first = pivot->first[r][i]; first < pivot->end[r][i];
			 first += CHUNK)
		{
			int32_t count = pivot->end[r][i] - first;

			count = count < CHUNK ? count : CHUNK;
			search->looked += count;
			if (scan_chunk(search, test, tests, first, count, limit))
				return;
		}
}

/* Looks at the set of another part. */
static void
gather(SdcCandidateSearch *search, const Test *test, int tests, int32_t i,
	   int32_t limit)
{
	const SdcCandidateSet *smallest = search->part[test[0].part];
	int32_t t;
	int r;
	int j;

	for (r = 0; r < SDC_CANDIDATE_RANGES; r++)
		for (t = smallest->first[r][i]; t < smallest->end[r][i]; t++)
		{
			int32_t row = smallest->row[t];

			for (j = 1; j < tests; j++)
				if (!passes(&test[j],
							search->part[test[j].part]->position[row]))
					break;
			search->looked++;
			if (j == tests && add_row(search, row, limit))
				return;
		}
}

/* Without parts nothing is excluded. */
static void
take_all(SdcCandidateSearch *search, int32_t limit)
{
	int32_t row;

	for (row = 0; row < search->masked; row++)
		if (add_row(search, row, limit))
			return;
	search->looked += search->masked;
}

/* ----------------------------------------------------------------------
 * Boxes of masked records.
 * ----------------------------------------------------------------------
 */

/* Records of a leaf at the most, and parts that boxes are made of. */
#define LEAF       32
#define DIMENSIONS 6

/* Records and records of the smallest set from which on a tree is tried. */
#define TREE_RECORDS 4096
#define TREE_SET     512

/* Records that are searched both ways to see which is faster. */
#define TRIALS 128

/* A box costs as much as so many records that are scanned. */
#define BOX_COST 24

/* A set with fewer records is looked through one by one. */
#define FEW 24

typedef struct Box
{
	int32_t begin; /* places */
	int32_t end;
	int32_t child[2]; /* -1: a leaf */
	int32_t low[DIMENSIONS];
	int32_t high[DIMENSIONS];
} Box;

struct SdcCandidateTree
{
	int dimensions;
	int part[DIMENSIONS];
	double size[DIMENSIONS]; /* of the sets of a part, on the average */
	int32_t boxes;
	Box *box;
	int32_t *row; /* by place */
	uint64_t cost;
	/* of the present record: the tests of the dimensions, and of all parts */
	const Test *own[DIMENSIONS];
	const Test *test;
	int tests;
	int32_t limit;
};

typedef struct SdcCandidateTree Tree;

/* The parts with the smallest sets, the smallest first. */
static void
choose_dimensions(const SdcCandidateSearch *search, Tree *tree)
{
	int32_t i;
	int j;
	int d;

	for (j = 0; j < search->parts; j++)
	{
		int32_t originals = search->part[j]->originals;
		double size = 0;

		for (i = 0; i < originals; i++)
			size += sdc_candidate_set_size(search->part[j], i);
		size /= originals > 0 ? originals : 1;
		if (size > 0.9 * search->masked)
			continue;
		for (d = tree->dimensions; d > 0 && tree->size[d - 1] > size; d--)
			if (d < DIMENSIONS)
			{
				tree->size[d] = tree->size[d - 1];
				tree->part[d] = tree->part[d - 1];
			}
		if (d == DIMENSIONS)
			continue;
		tree->size[d] = size;
		tree->part[d] = j;
		if (tree->dimensions < DIMENSIONS)
			tree->dimensions++;
	}
}

/* Makes the box of some records and all below it; returns its number. */
static int32_t
build_box(SdcHost *host, Tree *tree, double *record, int32_t begin,
		  int32_t end)
{
	size_t width = (size_t) tree->dimensions + 1;
	int32_t number = tree->boxes++;
	Box *box = &tree->box[number];
	int32_t middle = begin + (end - begin) / 2;
	double widest = 0;
	int axis = -1;
	int32_t t;
	int d;

	box->begin = begin;
	box->end = end;
	box->child[0] = box->child[1] = -1;
	for (d = 0; d < tree->dimensions; d++)
	{
		double low = INFINITY;
		double high = -INFINITY;

		for (t = begin; t < end; t++)
		{
			double value = record[(size_t) t * width + (size_t) d];

			low = value < low ? value : low;
			high = value > high ? value : high;
		}
		box->low[d] = (int32_t) low;
		box->high[d] = (int32_t) high;
		if ((high - low) / (tree->size[d] + 1) > widest)
		{
			widest = (high - low) / (tree->size[d] + 1);
			axis = d;
		}
	}
	if (end - begin <= LEAF || axis < 0)
		return number;
	sdc_select_record(host, record + (size_t) begin * width, width,
					  end - begin, middle - begin, axis);
	box->child[0] = build_box(host, tree, record, begin, middle);
	box->child[1] = build_box(host, tree, record, middle, end);
	return number;
}

static Tree *
create_tree(SdcCandidateSearch *search)
{
	SdcHost *host = search->host;
	Tree *tree = sdc_new(host, Tree, 1);
	double *record;
	size_t width;
	int32_t t;
	int d;

	memset(tree, 0, sizeof(*tree));
	choose_dimensions(search, tree);
	width = (size_t) tree->dimensions + 1;
	record = sdc_new(host, double, (size_t) search->masked *width);
	for (t = 0; t < search->masked; t++)
	{
		for (d = 0; d < tree->dimensions; d++)
			record[(size_t) t * width + (size_t) d] =
				search->part[tree->part[d]]->position[t];
		record[(size_t) t * width + width - 1] = t;
	}
	/* a box that is parted has leaves of more than LEAF / 2 records */
	tree->box = sdc_new(host, Box, (size_t) search->masked / (LEAF / 4) + 2);
	tree->row = sdc_new(host, int32_t, search->masked);
	build_box(host, tree, record, 0, search->masked);
	for (t = 0; t < search->masked; t++)
		tree->row[t] = (int32_t) record[(size_t) t * width + width - 1];
	host->release(host, record);
	return tree;
}

/* Do the places of a test meet those from low to high?  Hold them all? */
static inline bool
meets(const Test *test, int32_t low, int32_t high, bool *holds)
{
	bool some = false;
	int r;

	for (r = 0; r < SDC_CANDIDATE_RANGES; r++)
	{
		int64_t first = test->first[r];
		int64_t end = first + test->length[r];

		if (first >= end || low >= end || high < first)
			continue;
		some = true;
		*holds = *holds || (low >= first && high < end);
	}
	return some;
}

/* Tests the records of a leaf; true when there are too many. */
static bool
scan_leaf(SdcCandidateSearch *search, const Box *box)
{
	Tree *tree = search->tree;
	int32_t count = box->end - box->begin;
	int32_t *fits = search->fits;
	int32_t t;
	int j;

	tree->cost += (uint64_t) count;
	for (t = 0; t < count; t++)
		fits[t] = 1;
	for (j = 0; j < tree->tests; j++)
	{
		const Test *test = &tree->test[j];

		if (test->size < search->masked)
			test_chunk(fits, search->at[test->part] + box->begin, count,
					   test->first[0], test->length[0], test->first[1],
					   test->length[1]);
	}
	for (t = 0; t < count; t++)
		if (fits[t] && add_row(search, tree->row[box->begin + t], tree->limit))
			return true;
	return false;
}

/* Looks at a box; true when there are too many. */
static bool
visit(SdcCandidateSearch *search, int32_t number)
{
	Tree *tree = search->tree;
	const Box *box = &tree->box[number];
	bool all = tree->tests <= tree->dimensions;
	int32_t t;
	int d;

	tree->cost += BOX_COST;
	for (d = 0; d < tree->dimensions; d++)
	{
		bool holds = false;

		if (!meets(tree->own[d], box->low[d], box->high[d], &holds))
			return false;
		all = all && holds;
	}
	if (all)
	{
		for (t = box->begin; t < box->end; t++)
			if (add_row(search, tree->row[t], tree->limit))
				return true;
		return false;
	}
	if (box->child[0] < 0)
		return scan_leaf(search, box);
	return visit(search, box->child[0]) || visit(search, box->child[1]);
}

static void
search_tree(SdcCandidateSearch *search, const Test *test, int tests,
			int32_t limit)
{
	Tree *tree = search->tree;
	uint64_t before = tree->cost;
	int j;
	int d;

	for (j = 0; j < tests; j++)
		for (d = 0; d < tree->dimensions; d++)
			if (tree->part[d] == test[j].part)
				tree->own[d] = &test[j];
	tree->test = test;
	tree->tests = tests;
	tree->limit = limit;
	(void) visit(search, 0);
	search->looked += (int64_t) (tree->cost - before);
}

/* Positions of the records in all parts, in the order of the tree. */
static void
order_by_tree(SdcCandidateSearch *search)
{
	int32_t t;
	int j;

	for (j = 0; j < search->parts; j++)
	{
		if (search->at[j] == NULL)
			search->at[j] = sdc_new(search->host, int32_t, search->masked);
		for (t = 0; t < search->masked; t++)
			search->at[j][t] = search->part[j]->position[search->tree->row[t]];
	}
}

/* The same by the pivot, which needs no positions of its own. */
static void
order_by_pivot(SdcCandidateSearch *search)
{
	const int32_t *row = search->part[search->pivot]->row;
	int32_t t;
	int j;

	for (j = 0; j < search->parts; j++)
	{
		search->host->poll(search->host, 0, 0);
		if (j == search->pivot)
			continue;
		if (search->at[j] == NULL)
			search->at[j] = sdc_new(search->host, int32_t, search->masked);
		for (t = 0; t < search->masked; t++)
			search->at[j][t] = search->part[j]->position[row[t]];
	}
}

/* Makes a tree if it pays: if some records cost less in it than scanned. */
static void
try_tree(SdcCandidateSearch *search)
{
	const SdcCandidateSet *pivot = search->part[search->pivot];
	int32_t trials = pivot->originals < TRIALS ? pivot->originals : TRIALS;
	Test test[SDC_CANDIDATE_PARTS];
	double scanned = 0;
	int32_t k;

	for (k = 0; k < trials; k++)
		scanned += sdc_candidate_set_size(
			pivot, (int32_t) ((int64_t) k * pivot->originals / trials));
	if (search->masked < TREE_RECORDS || scanned < (double) TREE_SET * trials)
		return;
	search->tree = create_tree(search);
	if (search->tree->dimensions > 0)
		order_by_tree(search);
	for (k = 0; k < trials && search->tree->dimensions > 0; k++)
	{
		int tests = make_tests(
			search, (int32_t) ((int64_t) k * pivot->originals / trials), test);

		search->count = 0;
		search_tree(search, test, tests, search->masked);
	}
	if (search->tree->dimensions > 0 && search->tree->cost < scanned)
		return;
	search->host->release(search->host, search->tree->box);
	search->host->release(search->host, search->tree->row);
	search->host->release(search->host, search->tree);
	search->tree = NULL;
}

SdcCandidateSearch *
sdc_candidate_search_create(SdcHost *host, int parts,
							const SdcCandidateSet *const *part, int32_t masked)
{
	SdcCandidateSearch *search = sdc_new(host, SdcCandidateSearch, 1);
	int j;

	search->host = host;
	search->parts = parts;
	search->part = part;
	search->masked = masked;
	search->pivot = find_pivot(parts, part);
	search->at = sdc_new(host, int32_t *, parts);
	search->fits = sdc_new(host, int32_t, CHUNK);
	search->row = sdc_new(host, int32_t, masked);
	search->tree = NULL;
	search->count = 0;
	search->looked = 0;
	for (j = 0; j < parts; j++)
		search->at[j] = NULL;
	if (parts == 0)
		return search;
	try_tree(search);
	if (search->tree == NULL)
		order_by_pivot(search);
	search->count = 0;
	return search;
}

void
sdc_candidate_search_run(SdcCandidateSearch *search, int32_t i, int32_t limit)
{
	Test test[SDC_CANDIDATE_PARTS];
	int tests;
	int32_t size;

	search->count = 0;
	if (search->looked > POLL_RECORDS)
	{
		search->looked = 0;
		search->host->poll(search->host, 0, 0);
	}
	if (search->parts == 0)
	{
		take_all(search, limit);
		return;
	}
	tests = make_tests(search, i, test);
	size = sdc_candidate_set_size(search->part[search->pivot], i);
	if (test[0].size == 0)
		return;
	if (search->tree != NULL && test[0].size >= FEW)
		search_tree(search, test, tests, limit);
	else if (search->tree != NULL || test[0].size < size / PIVOT_SHARE)
		gather(search, test, tests, i, limit);
	else
		scan(search, test, tests, i, limit);
}
