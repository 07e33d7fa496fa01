/*
 * class_measures.c
 *		Measures of a sensitive column over all classes, in one pass.
 *
 * The measures themselves are in diversity, closeness and likeness; here is
 * one table of them, the pass, and what is worse than what.
 */
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "kernel/base/heap.h"
#include "kernel/base/host.h"
#include "kernel/risk/class_measures.h"
#include "kernel/risk/class_rows.h"
#include "kernel/table/frequency.h"
#include "kernel/table/hierarchy.h"

/* ----------------------------------------------------------------------
 * The values of a sensitive column, in a class and in the whole table.
 *
 * NULL is sorted last, so the cell of NULL, if a class has one, is its last,
 * and leaving it out is one comparison.
 * ----------------------------------------------------------------------
 */

/*
 * Totals of one column of a frequency table.  Without nulls, records where it
 * is NULL are left out, and total[values] is 0.  O(cells + values).
 */
static SdcTotals *
histogram_totals(SdcHost *host, const SdcFrequency *frequency, int column,
				 bool nulls)
{
	SdcTotals *totals = sdc_new(host, SdcTotals, 1);
	const int32_t *code = frequency->code[column];
	int32_t cell;
	int32_t slot;

	totals->values = frequency->values[column];
	totals->occurring = 0;
	totals->records = 0;
	totals->total = sdc_new(host, int64_t, (size_t) totals->values + 1);
	memset(totals->total, 0, sizeof(int64_t) * ((size_t) totals->values + 1));
	for (cell = 0; cell < frequency->cells; cell++)
	{
		if (cell % SDC_POLL_STEPS == 0)
			host->poll(host, (uint64_t) cell, (uint64_t) frequency->cells);
		if (code[cell] == SDC_CODE_NULL && !nulls)
			continue;
		totals->total[sdc_histogram_slot(totals, code[cell])] +=
			frequency->count[cell];
		totals->records += frequency->count[cell];
	}
	for (slot = 0; slot <= totals->values; slot++)
		totals->occurring += totals->total[slot] > 0;
	return totals;
}

static void
histogram_totals_release(SdcHost *host, SdcTotals *totals)
{
	if (totals == NULL)
		return;
	host->release(host, totals->total);
	host->release(host, totals);
}

SdcHistogram
sdc_histogram_class(const SdcFrequency *frequency, int32_t first, int32_t end,
					bool nulls)
{
	const int32_t *code = frequency->code[frequency->columns - 1];
	SdcHistogram histogram;
	int32_t cell;

	if (!nulls && end > first && code[end - 1] == SDC_CODE_NULL)
		end--;
	histogram.cells = end - first;
	histogram.code = code + first;
	histogram.count = frequency->count + first;
	histogram.records = 0;
	for (cell = first; cell < end; cell++)
		histogram.records += frequency->count[cell];
	return histogram;
}

/* ----------------------------------------------------------------------
 * l-diversity: how evenly the sensitive values of a class are spread.
 *
 * The entropy is a sum of counts times logarithms.  Each logarithm is turned
 * into a whole number of 2^-57, which loses nothing that a double holds, and
 * the sum is a 128-bit integer: so it is the same for any order of the counts.
 * ----------------------------------------------------------------------
 */

/* libm: log and exp, in a measure, not in a mask. */

/* Logarithms of counts are below 44, so 6 bits stand before the point. */
#define UNIT 0x1p-57

/* How many values, how many records, and the most frequent value. */
typedef struct Summary
{
	int64_t records;
	int64_t most;
	int32_t values;
} Summary;

static Summary
summarize(const int64_t *count, int32_t n)
{
	Summary summary = {0, 0, 0};
	int32_t i;

	for (i = 0; i < n; i++)
	{
		summary.records += count[i];
		summary.values += count[i] > 0;
		if (count[i] > summary.most)
			summary.most = count[i];
	}
	return summary;
}

/* x ln x in units of 2^-57; x is at least 1. */
static __int128
fixed_x_ln_x(int64_t x)
{
	return (__int128) x * (int64_t) (log((double) x) / UNIT);
}

double
sdc_diversity_entropy(const int64_t *count, int32_t n)
{
	Summary summary = summarize(count, n);
	__int128 sum;
	int32_t i;

	/* equal counts are a tie that must not hang on the last bit */
	if ((__int128) summary.most * summary.values == summary.records)
		return summary.values;
	sum = fixed_x_ln_x(summary.records);
	for (i = 0; i < n; i++)
	{
		if (count[i] > 1)
			sum -= fixed_x_ln_x(count[i]);
	}
	return exp((double) sum * UNIT / (double) summary.records);
}

double
sdc_diversity_frequency(const int64_t *count, int32_t n)
{
	Summary summary = summarize(count, n);

	return summary.records > 0
			   ? (double) summary.records / (double) summary.most
			   : 0;
}

static bool
is_smaller(const void *of, int64_t a, int64_t b)
{
	(void) of;
	return a < b;
}

/* Unrolled, such a heap is in descending order. */
SDC_HEAP(counts, int64_t, const void *, is_smaller)

/* Insertion for the few values of most classes, a heap for the others. */
void
sdc_diversity_rank(int64_t *count, int32_t n)
{
	int32_t i;
	int32_t j;

	if (n > 32)
	{
		counts_make(NULL, count, n);
		counts_unroll(NULL, count, n);
		return;
	}
	for (i = 1; i < n; i++)
	{
		int64_t moving = count[i];

		for (j = i; j > 0 && count[j - 1] < moving; j--)
			count[j] = count[j - 1];
		count[j] = moving;
	}
}

/*
 * The first rank that is not eliminated, from 1; n + 1 when l is beyond the n
 * ranks there are.
 */
static int32_t
first_rank(double l, int32_t n)
{
	if (l > n)
		return n + 1;
	return l > 1 ? (int32_t) ceil(l) : 1;
}

/* r_l + ... + r_m */
static int64_t
tail(const int64_t *ranked, int32_t n, int32_t l)
{
	return l > n ? 0 : summarize(ranked + l - 1, n - l + 1).records;
}

bool
sdc_diversity_is_recursive(const int64_t *ranked, int32_t n, double c,
						   double l)
{
	return n > 0 &&
		   (double) ranked[0] < c * (double) tail(ranked, n, first_rank(l, n));
}

/* The tail grows from the last rank on; the first that is enough is it. */
int32_t
sdc_diversity_recursive(const int64_t *ranked, int32_t n, double c)
{
	int64_t sum = 0;
	int32_t l;

	for (l = n; l > 0; l--)
	{
		sum += ranked[l - 1];
		if ((double) ranked[0] < c * (double) sum)
			return l;
	}
	return 0;
}

/*
 * What must outweigh most, where rest is the sum from rank first on: that, and
 * when most is the count of a later rank the one before it in its place.
 */
static int64_t
pd_rest(const int64_t *ranked, int64_t most, int32_t first, int64_t rest)
{
	if (first == 1 || ranked[first - 2] <= most)
		return rest;
	return rest + ranked[first - 2] - most;
}

bool
sdc_diversity_is_pd_recursive(const int64_t *ranked, int32_t n, int64_t most,
							  double c, double l)
{
	int32_t first = first_rank(l, n);

	return most == 0 ||
		   (double) most < c * (double) pd_rest(ranked, most, first,
												tail(ranked, n, first));
}

double
sdc_diversity_pd_recursive(const int64_t *ranked, int32_t n, int64_t most,
						   double c)
{
	int64_t sum = 0;
	int32_t l;

	if (most == 0)
		return INFINITY;
	for (l = n; l > 0; l--)
	{
		sum += ranked[l - 1];
		if ((double) most < c * (double) pd_rest(ranked, most, l, sum))
			return l;
	}
	return 0;
}

int64_t
sdc_diversity_most(const int64_t *count, const bool *allowed, int32_t n)
{
	int64_t most = 0;
	int32_t i;

	for (i = 0; i < n; i++)
	{
		if (!allowed[i] && count[i] > most)
			most = count[i];
	}
	return most;
}

double
sdc_diversity_protected(const int64_t *count, const bool *marked, int32_t n,
						int32_t wanted)
{
	int64_t records = summarize(count, n).records;
	int64_t fewest = records;
	int32_t found = 0;
	int32_t i;

	for (i = 0; i < n; i++)
	{
		if (!marked[i])
			continue;
		found++;
		if (count[i] < fewest)
			fewest = count[i];
	}
	if (wanted == 0)
		return 100;
	if (found < wanted || records == 0)
		return 0;
	return 100.0 * (double) fewest / (double) records;
}

/* ----------------------------------------------------------------------
 * t-closeness: how far a class's values are from those of the table.
 *
 * All three distances are sums of |P N - Q n| over parts of the values: single
 * values (equal), all values up to one (ordered), groups (hierarchical), where
 * the class has P of its n records and the table Q of its N there.  Where the
 * class has nothing the sum needs only the table, so it was summed up before.
 * ----------------------------------------------------------------------
 */

/* Memory of the host is aligned to 8 bytes, the type alone asks for 16. */
typedef __int128 Wide __attribute__((aligned(8)));

struct SdcClosenessOrder
{
	const SdcTotals *totals;
	int32_t ranks; /* values that occur */
	int32_t *rank; /* of each slot */
	int64_t *upto; /* records with that rank or a lower one */
	Wide *area;    /* area[r]: sum of upto over the ranks below r */
};

/* One level of the hierarchy. */
typedef struct Level
{
	int32_t *group; /* of each slot */
	int64_t *total; /* records of the table in each group */
	int64_t *held;  /* scratch: records of the class, 0 between calls */
} Level;

struct SdcClosenessTree
{
	const SdcTotals *totals;
	int height;
	Level *level; /* 1 .. height - 1 */
};

/* sum / (n N parts), the only step that rounds. */
static double
share(__int128 sum, const SdcHistogram *histogram, const SdcTotals *totals,
	  int32_t parts)
{
	__int128 whole = (__int128) histogram->records * totals->records * parts;

	return whole > 0 ? (double) sum / (double) whole : 0;
}

/* What the class has too much of; the same lacks it elsewhere. */
static __int128
excess(const SdcHistogram *histogram, const SdcTotals *totals)
{
	__int128 sum = 0;
	int32_t i;

	for (i = 0; i < histogram->cells; i++)
	{
		int32_t slot = sdc_histogram_slot(totals, histogram->code[i]);
		__int128 extra = (__int128) histogram->count[i] * totals->records -
						 (__int128) totals->total[slot] * histogram->records;

		if (extra > 0)
			sum += extra;
	}
	return sum;
}

/*
 * Equal distance: any two values are 1 apart, so the result is half the sum of
 * |p - q|.  From 0 to below 1; 0 for a class without records.  O(cells of the
 * class).
 */
static double
sdc_closeness_equal(const SdcHistogram *histogram, const SdcTotals *totals)
{
	return share(excess(histogram, totals), histogram, totals, 1);
}

/* Sums of the totals from below.  The totals must stay.  O(values). */
static SdcClosenessOrder *
sdc_closeness_order(SdcHost *host, const SdcTotals *totals)
{
	SdcClosenessOrder *order = sdc_new(host, SdcClosenessOrder, 1);
	size_t slots = (size_t) totals->values + 1;
	int64_t records = 0;
	int32_t rank = 0;
	size_t slot;

	order->totals = totals;
	order->ranks = totals->occurring;
	order->rank = sdc_new(host, int32_t, slots);
	order->upto = sdc_new(host, int64_t, slots);
	order->area = sdc_new(host, Wide, slots + 1);
	order->area[0] = 0;
	for (slot = 0; slot < slots; slot++)
	{
		if (slot % SDC_POLL_STEPS == 0)
			host->poll(host, slot, slots);
		order->rank[slot] = rank;
		if (totals->total[slot] == 0)
			continue;
		records += totals->total[slot];
		order->upto[rank] = records;
		order->area[rank + 1] = order->area[rank] + records;
		rank++;
	}
	return order;
}

static void
sdc_closeness_order_release(SdcHost *host, SdcClosenessOrder *order)
{
	if (order == NULL)
		return;
	host->release(host, order->area);
	host->release(host, order->upto);
	host->release(host, order->rank);
	host->release(host, order);
}

/*
 * The sum over the ranks from .. to - 1, for all of which the class has the
 * same level = P N: the table is below it first and above it then.
 */
static __int128
stretch(const SdcClosenessOrder *order, int32_t from, int32_t to,
		__int128 level, int64_t records)
{
	int32_t low = from;
	int32_t high = to;
	__int128 below;
	__int128 above;

	while (low < high)
	{
		int32_t middle = low + (high - low) / 2;

		if ((__int128) order->upto[middle] * records <= level)
			low = middle + 1;
		else
			high = middle;
	}
	below = level * (low - from) -
			(order->area[low] - order->area[from]) * records;
	above =
		(order->area[to] - order->area[low]) * records - level * (to - low);
	return below + above;
}

/*
 * Ordered distance: the m values that occur in the table lie in their order at
 * equal steps of 1 / (m - 1), NULL above all others.  The sum of
 * |cumulated p - q| over the values, divided by m - 1; 0 when m is 1.  Each
 * stretch of values that the class does not have is two sums and a binary
 * search: O(cells of the class * log values), at most O(values).
 */
static double
sdc_closeness_ordered(const SdcHistogram *histogram,
					  const SdcClosenessOrder *order)
{
	const SdcTotals *totals = order->totals;
	__int128 level = 0;
	__int128 sum = 0;
	int32_t from = 0;
	int32_t i;

	if (order->ranks < 2 || histogram->records == 0)
		return 0;
	for (i = 0; i < histogram->cells; i++)
	{
		int32_t slot = sdc_histogram_slot(totals, histogram->code[i]);
		int32_t rank = order->rank[slot];

		sum += stretch(order, from, rank, level, histogram->records);
		level += (__int128) histogram->count[i] * totals->records;
		from = rank;
	}
	sum += stretch(order, from, order->ranks, level, histogram->records);
	return share(sum, histogram, totals, order->ranks - 1);
}

/* Groups of the values, and NULL as one more. */
static void
prepare_level(SdcHost *host, const SdcTotals *totals, const int32_t *group,
			  int32_t groups, Level *level)
{
	size_t slots = (size_t) totals->values + 1;
	size_t parts = (size_t) groups + 1;
	size_t slot;

	level->group = sdc_new(host, int32_t, slots);
	level->total = sdc_new(host, int64_t, parts);
	level->held = sdc_new(host, int64_t, parts);
	memset(level->total, 0, sizeof(int64_t) * parts);
	memset(level->held, 0, sizeof(int64_t) * parts);
	for (slot = 0; slot < slots; slot++)
	{
		if (slot % SDC_POLL_STEPS == 0)
			host->poll(host, slot, slots);
		level->group[slot] = slot + 1 < slots ? group[slot] : groups;
		level->total[level->group[slot]] += totals->total[slot];
	}
}

/*
 * Totals at each level of a hierarchy of the values (all codes of the totals
 * must have groups).  NULL is a group of its own on every level below the
 * root.  Both must stay.  O(values * levels).
 */
static SdcClosenessTree *
sdc_closeness_tree(SdcHost *host, const SdcTotals *totals,
				   const SdcHierarchy *hierarchy)
{
	SdcClosenessTree *tree = sdc_new(host, SdcClosenessTree, 1);
	int top = hierarchy->levels - 1;
	int l;

	tree->totals = totals;
	/* several groups on top: a root above them */
	tree->height = hierarchy->groups[top] > 1 ? top + 1 : top;
	tree->level = sdc_new(host, Level, (size_t) tree->height + 1);
	for (l = 1; l < tree->height; l++)
		prepare_level(host, totals, hierarchy->group[l], hierarchy->groups[l],
					  &tree->level[l]);
	return tree;
}

static void
sdc_closeness_tree_release(SdcHost *host, SdcClosenessTree *tree)
{
	int l;

	if (tree == NULL)
		return;
	for (l = 1; l < tree->height; l++)
	{
		host->release(host, tree->level[l].held);
		host->release(host, tree->level[l].total);
		host->release(host, tree->level[l].group);
	}
	host->release(host, tree->level);
	host->release(host, tree);
}

/* As excess, of groups. */
static __int128
excess_of_groups(const SdcHistogram *histogram, const SdcTotals *totals,
				 const Level *level)
{
	__int128 sum = 0;
	int32_t i;

	for (i = 0; i < histogram->cells; i++)
	{
		int32_t slot = sdc_histogram_slot(totals, histogram->code[i]);

		level->held[level->group[slot]] += histogram->count[i];
	}
	for (i = 0; i < histogram->cells; i++)
	{
		int32_t slot = sdc_histogram_slot(totals, histogram->code[i]);
		int32_t group = level->group[slot];
		__int128 extra = (__int128) level->held[group] * totals->records -
						 (__int128) level->total[group] * histogram->records;

		/* the other values of the group find it empty */
		if (extra > 0)
			sum += extra;
		level->held[group] = 0;
	}
	return sum;
}

/*
 * A path between two values goes as many edges up as down, so an edge is worth
 * half a step of 1 / height, and below each level flows half the sum of
 * |P N - Q n| of its groups: the excess.
 */
static double
sdc_closeness_hierarchical(const SdcHistogram *histogram,
						   const SdcClosenessTree *tree)
{
	__int128 sum;
	int l;

	if (tree->height == 0)
		return 0;
	sum = excess(histogram, tree->totals);
	for (l = 1; l < tree->height; l++)
		sum += excess_of_groups(histogram, tree->totals, &tree->level[l]);
	return share(sum, histogram, tree->totals, tree->height);
}

/* ----------------------------------------------------------------------
 * beta-likeness and delta-disclosure: relative gains of an intruder.
 *
 * p / q is n_s N / (n Q_s), and for one class it is largest and smallest where
 * n_s / Q_s is.  Fractions are compared by cross-multiplying.
 * ----------------------------------------------------------------------
 */

/* libm: log and log2, in a measure, not in a mask. */

/* A relative error of -ln q that is accepted. */
#define TOLERANCE 1e-9

/* A value with its records in the class and in the table. */
typedef struct Fraction
{
	int64_t held;
	int64_t total;
} Fraction;

static Fraction
fraction(const SdcHistogram *histogram, const SdcTotals *totals, int32_t i)
{
	int32_t slot = sdc_histogram_slot(totals, histogram->code[i]);
	Fraction result = {histogram->count[i], totals->total[slot]};

	return result;
}

static bool
less(Fraction a, Fraction b)
{
	return (__int128) a.held * b.total < (__int128) b.held * a.total;
}

/* (p - q) / q */
static double
gain(Fraction value, const SdcHistogram *histogram, const SdcTotals *totals)
{
	__int128 before = (__int128) value.total * histogram->records;
	__int128 after = (__int128) value.held * totals->records;

	return (double) (after - before) / (double) before;
}

/* p / q */
static double
ratio(Fraction value, const SdcHistogram *histogram, const SdcTotals *totals)
{
	__int128 before = (__int128) value.total * histogram->records;
	__int128 after = (__int128) value.held * totals->records;

	return (double) after / (double) before;
}

/* The value whose share grows most (sign 1) or least (sign -1). */
static Fraction
extreme(const SdcHistogram *histogram, const SdcTotals *totals, int sign)
{
	Fraction best = fraction(histogram, totals, 0);
	int32_t i;

	for (i = 1; i < histogram->cells; i++)
	{
		Fraction other = fraction(histogram, totals, i);

		if (sign > 0 ? less(best, other) : less(other, best))
			best = other;
	}
	return best;
}

/*
 * Basic beta-likeness (Cao and Karras 2012): the smallest beta with
 * (p - q) / q <= beta for all values.  At least 0; 0 without records.
 * O(cells of the class), as the others.
 */
static double
sdc_likeness_beta(const SdcHistogram *histogram, const SdcTotals *totals)
{
	if (histogram->cells == 0)
		return 0;
	return gain(extreme(histogram, totals, 1), histogram, totals);
}

/*
 * Enhanced beta-likeness (ibid.): (p - q) / q <= min(beta, -ln q).  The
 * smallest beta, which is that of the basic form, or infinity when some value
 * gains more than -ln q, for then no beta will do.
 */
static double
sdc_likeness_enhanced(const SdcHistogram *histogram, const SdcTotals *totals)
{
	int32_t i;

	for (i = 0; i < histogram->cells; i++)
	{
		Fraction value = fraction(histogram, totals, i);
		double got = gain(value, histogram, totals);

		if (got > 0 &&
			got > log((double) totals->records / (double) value.total) *
					  (1 + TOLERANCE))
			return INFINITY;
	}
	return sdc_likeness_beta(histogram, totals);
}

/*
 * delta-disclosure privacy (Brickell and Shmatikov 2008): the largest
 * |log2(p / q)|.  The class satisfies every delta strictly above it.  As in
 * ARX the logarithm is binary and values that the class does not have are left
 * out; to see those gone is no gain here, but it is in l-diversity.
 */
static double
sdc_likeness_delta(const SdcHistogram *histogram, const SdcTotals *totals)
{
	double most;
	double least;

	if (histogram->cells == 0)
		return 0;
	most = log2(ratio(extreme(histogram, totals, 1), histogram, totals));
	least = log2(ratio(extreme(histogram, totals, -1), histogram, totals));
	return fmax(fabs(most), fabs(least));
}

/* ----------------------------------------------------------------------
 * Measures of a sensitive column over all classes, in one pass.
 * ----------------------------------------------------------------------
 */

/* Cells between two polls: each may take part in ten measures. */
#define POLL_CELLS (SDC_POLL_STEPS / 8)

/* Records up to that many have their x ln x at hand. */
#define MOST_LOGS 1024

struct SdcClassMeasuring
{
	SdcClassRequest request;
	unsigned judged; /* what is wanted and has a bound */
	/*
	 * Of what has a bound, to judge without the exact figure where that is
	 * clear: shares of the values in the table, and the largest that a class
	 * may have by slot, with an enlarged bound; x ln x by x.
	 */
	double *share;
	double *cap[SDC_CLASS_MEASURES];
	double *floor; /* of delta: the smallest share */
	double *x_ln_x;
	double *upto; /* of ordered t: shares up to each value, and what they */
	double *step; /* count for, 0 where a value does not occur */
	SdcTotals *totals;
	SdcClosenessOrder *order;
	SdcClosenessTree *tree;
	int64_t *ranked; /* scratch: counts of a class */
	bool *marked;    /* scratch: which of its values are in a list */
};

SdcClassRequest
sdc_class_measures_request(void)
{
	SdcClassRequest request;
	int measure;

	memset(&request, 0, sizeof(request));
	for (measure = 0; measure < SDC_CLASS_MEASURES; measure++)
		request.bound[measure] = NAN;
	return request;
}

static bool
wants(const SdcClassRequest *request, SdcClassMeasure measure)
{
	return (request->wanted & SDC_CLASS_WANT(measure)) != 0;
}

/* The largest share of a value in a class that a bound allows. */
static double
allowed_share(const SdcClassRequest *request, SdcClassMeasure measure,
			  double share)
{
	double bound = request->bound[measure] * (1 + TOLERANCE);

	if (measure == SDC_CLASS_FREQUENCY)
		return 1 / (request->bound[measure] * (1 - TOLERANCE));
	if (measure == SDC_CLASS_DELTA)
		return share * exp2(bound);
	if (measure == SDC_CLASS_BETA_ENHANCED)
		bound = fmin(bound, -log(share) * (1 + TOLERANCE));
	return share * (1 + bound);
}

/* A figure for each slot, 0 at first, as long as rows are. */
static double *
new_row(SdcHost *host, size_t slots)
{
	size_t width = (size_t) sdc_class_row_width((int32_t) slots);
	double *row = sdc_new(host, double, width);
	size_t i;

	for (i = 0; i < width; i++)
		row[i] = 0;
	return row;
}

/* What ordered t needs of rows. */
static void
prepare_steps(SdcHost *host, SdcClassMeasuring *measuring, size_t slots)
{
	const SdcTotals *totals = measuring->totals;
	double sum = 0;
	size_t slot;

	measuring->upto = new_row(host, slots);
	measuring->step = new_row(host, slots);
	for (slot = 0; slot < slots; slot++)
	{
		sum += measuring->share[slot];
		measuring->upto[slot] = sum;
		if (totals->total[slot] > 0 && totals->occurring > 1)
			measuring->step[slot] = 1.0 / (totals->occurring - 1);
	}
}

/* What the quick judgements need. */
static void
prepare_bounds(SdcHost *host, SdcClassMeasuring *measuring)
{
	const SdcTotals *totals = measuring->totals;
	size_t slots = (size_t) totals->values + 1;
	size_t slot;
	int m;

	measuring->share = new_row(host, slots);
	for (slot = 0; slot < slots; slot++)
		measuring->share[slot] =
			(double) totals->total[slot] / (double) totals->records;
	for (m = 0; m < SDC_CLASS_MEASURES; m++)
	{
		if ((m < SDC_CLASS_BETA && m != SDC_CLASS_FREQUENCY) ||
			!(measuring->judged & SDC_CLASS_WANT(m)))
			continue;
		measuring->cap[m] = new_row(host, slots);
		for (slot = 0; slot < slots; slot++)
		{
			if (slot % SDC_POLL_STEPS == 0)
				host->poll(host, slot, slots);
			measuring->cap[m][slot] =
				allowed_share(&measuring->request, m, measuring->share[slot]);
		}
	}
	measuring->floor = new_row(host, slots);
	for (slot = 0; measuring->cap[SDC_CLASS_DELTA] && slot < slots; slot++)
		measuring->floor[slot] =
			measuring->cap[SDC_CLASS_DELTA][slot] *
			exp2(-2 * measuring->request.bound[SDC_CLASS_DELTA]);
	prepare_steps(host, measuring, slots);
	if (!(measuring->judged & SDC_CLASS_WANT(SDC_CLASS_ENTROPY)))
		return;
	measuring->x_ln_x = sdc_new(host, double, MOST_LOGS);
	measuring->x_ln_x[0] = 0;
	for (m = 1; m < MOST_LOGS; m++)
		measuring->x_ln_x[m] = m * log((double) m);
}

SdcClassMeasuring *
sdc_class_measures_start(SdcHost *host, const SdcFrequency *frequency,
						 const SdcClassRequest *request)
{
	SdcClassMeasuring *measuring = sdc_new(host, SdcClassMeasuring, 1);
	SdcTotals *totals = histogram_totals(
		host, frequency, frequency->columns - 1, !request->ignore_nulls);
	int m;

	memset(measuring, 0, sizeof(*measuring));
	measuring->request = *request;
	measuring->totals = totals;
	for (m = 0; m < SDC_CLASS_MEASURES; m++)
		if (wants(request, m) && !isnan(request->bound[m]))
			measuring->judged |= SDC_CLASS_WANT(m);
	if (measuring->judged != 0)
		prepare_bounds(host, measuring);
	measuring->ranked = sdc_new(host, int64_t, (size_t) totals->occurring);
	measuring->marked = sdc_new(host, bool, (size_t) totals->occurring);
	if (wants(request, SDC_CLASS_T_ORDERED))
		measuring->order = sdc_closeness_order(host, totals);
	if (wants(request, SDC_CLASS_T_HIERARCHICAL))
		measuring->tree = sdc_closeness_tree(host, totals, request->hierarchy);
	return measuring;
}

void
sdc_class_measures_release(SdcHost *host, SdcClassMeasuring *measuring)
{
	int m;

	if (measuring == NULL)
		return;
	for (m = 0; m < SDC_CLASS_MEASURES; m++)
		host->release(host, measuring->cap[m]);
	host->release(host, measuring->share);
	host->release(host, measuring->floor);
	host->release(host, measuring->upto);
	host->release(host, measuring->step);
	host->release(host, measuring->x_ln_x);
	sdc_closeness_tree_release(host, measuring->tree);
	sdc_closeness_order_release(host, measuring->order);
	host->release(host, measuring->ranked);
	host->release(host, measuring->marked);
	histogram_totals_release(host, measuring->totals);
	host->release(host, measuring);
}

static const int64_t *
rank_counts(SdcClassMeasuring *measuring, const SdcHistogram *histogram)
{
	memcpy(measuring->ranked, histogram->count,
		   sizeof(int64_t) * (size_t) histogram->cells);
	sdc_diversity_rank(measuring->ranked, histogram->cells);
	return measuring->ranked;
}

/* Which values of a class are in a list of slots; NULL is empty. */
static const bool *
mark_values(SdcClassMeasuring *measuring, const SdcHistogram *histogram,
			const bool *list)
{
	int32_t i;

	for (i = 0; i < histogram->cells; i++)
		measuring->marked[i] =
			list != NULL &&
			list[sdc_histogram_slot(measuring->totals, histogram->code[i])];
	return measuring->marked;
}

static double
measure_pd_recursive(SdcClassMeasuring *measuring,
					 const SdcHistogram *histogram)
{
	const SdcClassRequest *request = &measuring->request;
	int64_t most = sdc_diversity_most(
		histogram->count, mark_values(measuring, histogram, request->allowed),
		histogram->cells);

	return sdc_diversity_pd_recursive(rank_counts(measuring, histogram),
									  histogram->cells, most, request->c);
}

static double
measure_protected(SdcClassMeasuring *measuring, const SdcHistogram *histogram)
{
	const SdcClassRequest *request = &measuring->request;

	return sdc_diversity_protected(
			   histogram->count,
			   mark_values(measuring, histogram, request->guarded),
			   histogram->cells, request->guards) /
		   100;
}

/* One measure of a class that has records. */
static double
measure_one(SdcClassMeasuring *measuring, const SdcHistogram *histogram,
			SdcClassMeasure measure)
{
	switch (measure)
	{
		case SDC_CLASS_DISTINCT:
			return histogram->cells;
		case SDC_CLASS_ENTROPY:
			return sdc_diversity_entropy(histogram->count, histogram->cells);
		case SDC_CLASS_FREQUENCY:
			return sdc_diversity_frequency(histogram->count, histogram->cells);
		case SDC_CLASS_RECURSIVE:
			return sdc_diversity_recursive(rank_counts(measuring, histogram),
										   histogram->cells,
										   measuring->request.c);
		case SDC_CLASS_PD_RECURSIVE:
			return measure_pd_recursive(measuring, histogram);
		case SDC_CLASS_PROTECTED:
			return measure_protected(measuring, histogram);
		case SDC_CLASS_T_EQUAL:
			return sdc_closeness_equal(histogram, measuring->totals);
		case SDC_CLASS_T_ORDERED:
			return sdc_closeness_ordered(histogram, measuring->order);
		case SDC_CLASS_T_HIERARCHICAL:
			return sdc_closeness_hierarchical(histogram, measuring->tree);
		case SDC_CLASS_BETA:
			return sdc_likeness_beta(histogram, measuring->totals);
		case SDC_CLASS_BETA_ENHANCED:
			return sdc_likeness_enhanced(histogram, measuring->totals);
		case SDC_CLASS_DELTA:
			return sdc_likeness_delta(histogram, measuring->totals);
		default:
			return NAN;
	}
}

void
sdc_class_measures_class(SdcClassMeasuring *measuring,
						 const SdcHistogram *histogram, double *value)
{
	int measure;

	for (measure = 0; measure < SDC_CLASS_MEASURES; measure++)
		value[measure] =
			histogram->records > 0 && wants(&measuring->request, measure)
				? measure_one(measuring, histogram, measure)
				: NAN;
}

SdcGrowth
sdc_class_measures_growth(SdcClassMeasure measure)
{
	if (measure == SDC_CLASS_DISTINCT)
		return SDC_GROWS_ALWAYS;
	return measure == SDC_CLASS_DELTA ? SDC_GROWS_NEVER : SDC_GROWS_PASSING;
}

bool
sdc_class_measures_fails(const SdcClassRequest *request,
						 SdcClassMeasure measure, double value)
{
	double bound = request->bound[measure];

	if (isnan(bound) || isnan(value))
		return false;
	if (measure == SDC_CLASS_ENTROPY || measure == SDC_CLASS_PROTECTED)
		return value < bound * (1 - TOLERANCE);
	if (sdc_class_measures_low_is_bad(measure))
		return value < bound;
	if (measure == SDC_CLASS_DELTA)
		return value >= bound * (1 - TOLERANCE);
	return value > bound * (1 + TOLERANCE);
}

/* ---------- does a class fail its bounds ---------- */

/*
 * Figures that are computed in another way than the exact ones decide only
 * where they are further from the bound than that; rounding moves them by a
 * part of 1e-13 at the most.
 */
#define CLEAR 1e-6

static SdcClassGlance
compare(double value, double most)
{
	double margin = CLEAR * (1 + fabs(most));

	if (!(fabs(value - most) > margin))
		return SDC_CLASS_UNCLEAR;
	return value > most ? SDC_CLASS_FAILS : SDC_CLASS_PASSES;
}

static SdcClassGlance
glance_entropy(const SdcClassMeasuring *measuring,
			   const SdcHistogram *histogram)
{
	double records = (double) histogram->records;
	double sum = records * log(records);
	int32_t i;

	for (i = 0; i < histogram->cells; i++)
	{
		int64_t x = histogram->count[i];

		sum -= x < MOST_LOGS ? measuring->x_ln_x[x]
							 : (double) x * log((double) x);
	}
	return compare(-sum / records,
				   -log(measuring->request.bound[SDC_CLASS_ENTROPY]));
}

/*
 * Of the recursive ones: the l - 1 most frequent values have no more records
 * than the most frequent one so many times.
 */
static SdcClassGlance
glance_recursive(const SdcClassMeasuring *measuring, double most,
				 int64_t records, SdcClassMeasure measure)
{
	double before = ceil(measuring->request.bound[measure]) - 1;
	double rest = (double) records - fmax(before, 0) * most;

	if (most < measuring->request.c * rest * (1 - CLEAR))
		return SDC_CLASS_PASSES;
	return SDC_CLASS_UNCLEAR;
}

static SdcClassGlance
glance_equal(const SdcClassMeasuring *measuring, const SdcHistogram *histogram)
{
	double records = (double) histogram->records;
	double sum = 0;
	int32_t i;

	for (i = 0; i < histogram->cells; i++)
	{
		int32_t slot =
			sdc_histogram_slot(measuring->totals, histogram->code[i]);
		double more =
			(double) histogram->count[i] - measuring->share[slot] * records;

		sum += more > 0 ? more : 0;
	}
	return compare(sum / records, measuring->request.bound[SDC_CLASS_T_EQUAL]);
}

/* Of the likenesses: the value that is furthest above what it may be. */
static SdcClassGlance
glance_likeness(const SdcClassMeasuring *measuring,
				const SdcHistogram *histogram, SdcClassMeasure measure)
{
	const double *cap = measuring->cap[measure];
	double records = (double) histogram->records;
	bool near = false;
	int32_t i;

	for (i = 0; i < histogram->cells; i++)
	{
		int32_t slot =
			sdc_histogram_slot(measuring->totals, histogram->code[i]);
		double count = (double) histogram->count[i];
		double most = cap[slot] * records;
		double least = measuring->floor[slot] * records;

		if (count > most * (1 + CLEAR) || count < least * (1 - CLEAR))
			return SDC_CLASS_FAILS;
		near |= count > most * (1 - CLEAR) || count < least * (1 + CLEAR);
	}
	return near ? SDC_CLASS_UNCLEAR : SDC_CLASS_PASSES;
}

static SdcClassGlance
glance(const SdcClassMeasuring *measuring, const SdcHistogram *histogram,
	   SdcClassMeasure measure)
{
	switch (measure)
	{
		case SDC_CLASS_ENTROPY:
			return glance_entropy(measuring, histogram);
		case SDC_CLASS_RECURSIVE:
		case SDC_CLASS_PD_RECURSIVE:
			return glance_recursive(
				measuring,
				(double) summarize(histogram->count, histogram->cells).most,
				histogram->records, measure);
		case SDC_CLASS_T_EQUAL:
			return glance_equal(measuring, histogram);
		case SDC_CLASS_BETA:
		case SDC_CLASS_BETA_ENHANCED:
		case SDC_CLASS_DELTA:
			return glance_likeness(measuring, histogram, measure);
		default:
			return SDC_CLASS_UNCLEAR;
	}
}

/* What a class has above 0, in parts of the most that a record can have. */
static double
part_of(double above, double most)
{
	return most > 1e-3 ? above / most : 0;
}

/* Rounds that better a set of values; it seldom changes after the second. */
#define SET_ROUNDS 4

/*
 * As below, where values may have no more than their caps, and all together no
 * more than spare above them.  Any set of values tells something: the one that
 * tells most has those that are above their cap in what passes (Dinkelbach
 * 1967).
 */
static double
lost_shares(const SdcClassMeasuring *measuring, const SdcHistogram *histogram,
			const double *cap, double spare)
{
	double records = (double) histogram->records;
	double lost = 0;
	int round;
	int32_t i;

	for (round = 0; round < SET_ROUNDS; round++)
	{
		double above = -spare;
		double most = 1 - spare;
		double found;

		for (i = 0; i < histogram->cells; i++)
		{
			double one =
				cap[sdc_histogram_slot(measuring->totals, histogram->code[i])];
			double count = (double) histogram->count[i];

			if (count <= one * records * (1 - lost))
				continue;
			above += count / records - one;
			most -= one;
		}
		found = part_of(above, most);
		if (!(found > lost))
			break;
		lost = found;
	}
	return lost;
}

/* Of the recursive ones, whose counts are ranked. */
static double
lost_recursive(SdcClassMeasuring *measuring, const SdcHistogram *histogram,
			   SdcClassMeasure measure)
{
	const SdcClassRequest *request = &measuring->request;
	const int64_t *ranked = rank_counts(measuring, histogram);
	int32_t n = histogram->cells;
	int32_t first = first_rank(request->bound[measure], n);
	int64_t rest = tail(ranked, n, first);
	int64_t most = ranked[0];

	if (measure == SDC_CLASS_PD_RECURSIVE)
	{
		most = sdc_diversity_most(
			histogram->count,
			mark_values(measuring, histogram, request->allowed), n);
		rest = pd_rest(ranked, most, first, rest);
	}
	return ((double) most - request->c * (double) rest) /
		   (double) histogram->records;
}

/*
 * The share of the records of a class that fails, with the figure value, which
 * lies in failing parts of it however it is split.  What a bound demands is
 * that a convex function of the counts, proportional to them, is not above 0;
 * so what parts that pass have below 0 does not make up for more than the
 * others have above it, and these have no more than their records times the
 * most that one can have.
 */
static double
lost_share(SdcClassMeasuring *measuring, const SdcHistogram *histogram,
		   SdcClassMeasure measure, double value)
{
	double bound = measuring->request.bound[measure];
	double low = bound * (1 - TOLERANCE);
	double high = bound * (1 + TOLERANCE);

	switch (measure)
	{
		case SDC_CLASS_DISTINCT:
			return 1;
		case SDC_CLASS_ENTROPY:
			return part_of(log(low) - log(value), log(low));
		case SDC_CLASS_RECURSIVE:
		case SDC_CLASS_PD_RECURSIVE:
			return lost_recursive(measuring, histogram, measure);
		case SDC_CLASS_PROTECTED:
			return part_of(low - value, low);
		case SDC_CLASS_T_EQUAL:
			return lost_shares(measuring, histogram, measuring->share, high);
		case SDC_CLASS_T_ORDERED:
		case SDC_CLASS_T_HIERARCHICAL:
			return part_of(value - high, 1 - high);
		default:
			return lost_shares(measuring, histogram, measuring->cap[measure],
							   0);
	}
}

/* Records, of a share that rounding must not make too large. */
static int64_t
lost_records(const SdcHistogram *histogram, double share)
{
	double records = share * (double) histogram->records * (1 - CLEAR);

	return records > CLEAR ? (int64_t) ceil(records - CLEAR) : 0;
}

bool
sdc_class_measures_refuses(SdcClassMeasuring *measuring,
						   const SdcHistogram *histogram, int64_t *lost)
{
	unsigned left = histogram->records > 0 ? measuring->judged : 0;
	bool refuses = false;

	if (lost != NULL)
		*lost = 0;
	for (; left != 0; left &= left - 1)
	{
		SdcClassMeasure m = (SdcClassMeasure) __builtin_ctz(left);
		SdcClassGlance seen = glance(measuring, histogram, m);
		double value = NAN;
		int64_t records;

		/* likenesses say what is lost without it */
		if (seen == SDC_CLASS_UNCLEAR ||
			(seen == SDC_CLASS_FAILS && lost != NULL && m < SDC_CLASS_BETA))
			value = measure_one(measuring, histogram, m);
		if (seen == SDC_CLASS_UNCLEAR)
			seen = sdc_class_measures_fails(&measuring->request, m, value)
					   ? SDC_CLASS_FAILS
					   : SDC_CLASS_PASSES;
		if (seen == SDC_CLASS_PASSES)
			continue;
		refuses = true;
		if (lost == NULL)
			return true;
		records = lost_records(histogram,
							   lost_share(measuring, histogram, m, value));
		*lost = records > *lost ? records : *lost;
	}
	return refuses;
}

/* ---------- the same of a class as a row ---------- */

static SdcClassGlance
row_within(const SdcClassMeasuring *measuring, const int32_t *row,
		   int32_t width, double records, SdcClassMeasure measure)
{
	const double *cap = measuring->cap[measure];

	if (!sdc_class_row_within(cap, measuring->floor, row, width,
							  records * (1 + CLEAR), records * (1 - CLEAR)))
		return SDC_CLASS_FAILS;
	return sdc_class_row_within(cap, measuring->floor, row, width,
								records * (1 - CLEAR), records * (1 + CLEAR))
			   ? SDC_CLASS_PASSES
			   : SDC_CLASS_UNCLEAR;
}

static SdcClassGlance
glance_row(const SdcClassMeasuring *measuring, const int32_t *row,
		   int32_t width, int64_t records, SdcClassMeasure measure)
{
	const SdcClassRequest *request = &measuring->request;
	double all = (double) records;
	int32_t values;
	int32_t most;

	switch (measure)
	{
		case SDC_CLASS_ENTROPY:
			return compare(-sdc_class_row_entropy(measuring->x_ln_x, MOST_LOGS,
												  row, width, all) /
							   all,
						   -log(request->bound[measure]));
		case SDC_CLASS_T_ORDERED:
			return compare(sdc_class_row_steps(measuring->upto,
											   measuring->step, row, width,
											   all) /
							   all,
						   request->bound[measure]);
		case SDC_CLASS_T_EQUAL:
			return compare(
				sdc_class_row_excess(measuring->share, row, width, all) / all,
				request->bound[measure]);
		case SDC_CLASS_DISTINCT:
		case SDC_CLASS_FREQUENCY:
		case SDC_CLASS_RECURSIVE:
		case SDC_CLASS_PD_RECURSIVE:
			most = sdc_class_row_most(row, width, &values);
			if (measure >= SDC_CLASS_RECURSIVE)
				return glance_recursive(measuring, most, records, measure);
			return sdc_class_measures_fails(
					   request, measure,
					   measure == SDC_CLASS_DISTINCT ? values : all / most)
					   ? SDC_CLASS_FAILS
					   : SDC_CLASS_PASSES;
		case SDC_CLASS_BETA:
		case SDC_CLASS_BETA_ENHANCED:
		case SDC_CLASS_DELTA:
			return row_within(measuring, row, width, all, measure);
		default:
			return SDC_CLASS_UNCLEAR;
	}
}

SdcClassGlance
sdc_class_measures_row(const SdcClassMeasuring *measuring, const int32_t *row,
					   int32_t width, int64_t records)
{
	SdcClassGlance all = SDC_CLASS_PASSES;
	unsigned left = measuring->judged;

	if (measuring->request.ignore_nulls && row[measuring->totals->values] > 0)
		return SDC_CLASS_UNCLEAR;
	for (; left != 0 && all == SDC_CLASS_PASSES; left &= left - 1)
		all = glance_row(measuring, row, width, records,
						 (SdcClassMeasure) __builtin_ctz(left));
	return all;
}

/* Notes the figure of a class of size records; does it fail its bound? */
static bool
note(const SdcClassRequest *request, SdcClassMeasure measure, double value,
	 int32_t number, int64_t size, SdcClassWorst *worst)
{
	bool fails = sdc_class_measures_fails(request, measure, value);

	if (worst->number < 0 ||
		(sdc_class_measures_low_is_bad(measure) ? value < worst->value
												: value > worst->value))
	{
		worst->value = value;
		worst->number = number;
	}
	worst->classes += fails;
	worst->records += fails ? size : 0;
	return fails;
}

/* Notes all figures of a class; does it fail one of its bounds? */
static bool
note_all(SdcClassMeasuring *measuring, const SdcHistogram *histogram,
		 int32_t number, int64_t size, SdcClassReport *report)
{
	double value[SDC_CLASS_MEASURES];
	bool fails = false;
	int measure;

	if (histogram->records == 0)
	{
		report->empty_classes++;
		report->empty_records += size;
		return false;
	}
	if (histogram->cells == 1)
	{
		report->homogeneous_classes++;
		report->homogeneous_records += size;
	}
	sdc_class_measures_class(measuring, histogram, value);
	for (measure = 0; measure < SDC_CLASS_MEASURES; measure++)
	{
		if (wants(&measuring->request, measure))
			fails |= note(&measuring->request, measure, value[measure], number,
						  size, &report->worst[measure]);
	}
	return fails;
}

static void
report_nothing(SdcClassReport *report)
{
	int measure;

	memset(report, 0, sizeof(*report));
	for (measure = 0; measure < SDC_CLASS_MEASURES; measure++)
	{
		report->worst[measure].value = NAN;
		report->worst[measure].number = -1;
	}
}

void
sdc_class_measures_walk(SdcHost *host, SdcClassMeasuring *measuring,
						const SdcFrequency *frequency,
						const SdcClasses *classes, SdcClassReport *report)
{
	const SdcClassRequest *request = &measuring->request;
	int32_t polled = 0;
	int32_t c;

	report_nothing(report);
	for (c = 0; c < classes->classes; c++)
	{
		int32_t end = classes->first[c + 1];
		SdcHistogram histogram = sdc_histogram_class(
			frequency, classes->first[c], end, !request->ignore_nulls);
		bool fails =
			note_all(measuring, &histogram, c, classes->size[c], report);

		if (fails || classes->size[c] < request->k)
		{
			report->failing_classes++;
			report->failing_records += classes->size[c];
		}
		if (end - polled >= POLL_CELLS)
		{
			polled = end;
			host->poll(host, (uint64_t) end, (uint64_t) frequency->cells);
		}
	}
}
