/*
 * lattice_score.c
 *		What a node loses, and bounds of it before its classes are known.
 *
 * Most metrics are sums or means over the keys of a part that hangs on the
 * level of one key alone when nothing is suppressed.  These parts bound the
 * score from below.  What suppressing adds hangs only on how many suppressed
 * records each group has: whole numbers, counted over whatever are fewer, the
 * classes that are kept or those that are not.
 *
 * The formulas are those of the reference's README (Iyengar 2002; LeFevre et
 * al. 2006; Bayardo and Agrawal 2005; Gionis and Tassa 2009; Sweeney 2002;
 * Goldberger and Tassa 2010), with weights as parts of the largest.
 */
#include <math.h>
#include <string.h>

#include "kernel/base/host.h"
#include "kernel/generalization/lattice.h"
#include "kernel/generalization/lattice_count.h"

static double lattice_score_part(const SdcLattice *lattice, int j, int l,
								 int64_t suppressed);
static double lattice_score_combine(const SdcLattice *lattice, double sum,
									double most);

/* ----------------------------------------------------------------------
 * Which classes of a node fail, and how many records are in them.
 *
 * Sizes come first, in a pass that has no branches; sensitive values are
 * looked at only when the sizes alone do not suppress too many records.
 * ----------------------------------------------------------------------
 */

/* When size alone decides; the loop has nothing that cannot be foreseen. */
static void
tally_kept(const SdcLattice *lattice, const SdcLatticeTable *table,
		   SdcLatticeTally *tally)
{
	int64_t smallest = INT64_MAX;
	int64_t largest = 0;
	int64_t kept = 0;
	int32_t c;

	for (c = 0; c < table->classes; c++)
	{
		int64_t count = table->count[c];
		int64_t size = count < lattice->group_size ? INT64_MAX : count;

		kept += count >= lattice->group_size;
		smallest = size < smallest ? size : smallest;
		largest = count > largest ? count : largest;
	}
	tally->complete = true;
	tally->suppressed = tally->small;
	tally->kept = kept;
	tally->failing = table->classes - kept;
	tally->smallest = kept > 0 ? smallest : 0;
	tally->largest = kept > 0 ? largest : 0;
}

/* May the judging end where more records fail than may? */
static bool
may_settle(const SdcLattice *lattice, SdcLatticeWanted wanted)
{
	if (wanted == SDC_LATTICE_ALL)
		return false;
	if (lattice->monotone || lattice->problem.sensitives == 0)
		return true;
	/* where raising a node may spoil it, what tells of those below counts */
	return wanted == SDC_LATTICE_WHETHER &&
		   !sdc_lattice_score_floored(lattice);
}

/*
 * Judges classes from first to before last, also those that are large enough.
 * False when more than enough records fail, before the end.
 */
static bool
judge_classes(SdcLattice *lattice, SdcLatticeTable *table, int32_t first,
			  int32_t last, int64_t enough, SdcLatticeTally *tally)
{
	SdcHost *host = lattice->host;
	int32_t c;

	table->judged = true;
	for (c = first; c < last; c++)
	{
		int64_t count = table->count[c];
		bool small = count < lattice->group_size;

		if (c % 1024 == 1023)
			host->poll(host, (uint64_t) c, (uint64_t) table->classes);
		if (count == 0)
			continue;
		if (small || sdc_lattice_too_few(lattice, table, c) ||
			(table->state != NULL && sdc_lattice_runs_fail(lattice, table, c)))
		{
			tally->suppressed += small ? 0 : count;
			tally->failing++;
			if (tally->suppressed > enough)
				return false;
			continue;
		}
		if (tally->kept++ == 0 || count < tally->smallest)
			tally->smallest = count;
		if (count > tally->largest)
			tally->largest = count;
	}
	return true;
}

/*
 * When classes that are large enough must be looked at, too.  Stops where more
 * records fail than may, if it may.
 */
static void
tally_judged(SdcLattice *lattice, SdcLatticeTable *table,
			 SdcLatticeWanted wanted, SdcLatticeTally *tally)
{
	int64_t enough = may_settle(lattice, wanted) ? lattice->problem.limit
												 : lattice->records;

	if (table->state != NULL)
		sdc_lattice_runs_know(lattice, table, table->parts);
	tally->complete =
		judge_classes(lattice, table, 0, table->classes, enough, tally);
}

/*
 * Counts what is certain to fail in every node below, of classes before last,
 * which were judged.
 */
static void
tally_certain(SdcLattice *lattice, SdcLatticeTable *table, int32_t last,
			  SdcLatticeTally *tally)
{
	int64_t limit = lattice->problem.limit;
	int64_t left = tally->suppressed - tally->small;
	SdcHost *host = lattice->host;
	int32_t c;

	tally->certain = tally->small;
	for (c = 0; c < last; c++)
	{
		if (tally->certain > limit || tally->certain + left <= limit)
			return;
		if (c % 1024 == 1023)
			host->poll(host, (uint64_t) c, (uint64_t) table->classes);
		if (table->count[c] < lattice->group_size ||
			table->state[c] != SDC_LATTICE_FAILS)
			continue;
		tally->certain += sdc_lattice_runs_lost(lattice, table, c);
		left -= table->count[c];
	}
}

/*
 * Adds what classes from first to before last suppress by their size alone;
 * returns all of their records.
 */
static int64_t
tally_small(const SdcLattice *lattice, const SdcLatticeTable *table,
			int32_t first, int32_t last, SdcLatticeTally *tally)
{
	int64_t records = 0;
	int64_t small = 0;
	int32_t c;

	for (c = first; c < last; c++)
	{
		records += table->count[c];
		small += table->count[c] < lattice->group_size ? table->count[c] : 0;
	}
	tally->small += small;
	tally->suppressed += small;
	return records;
}

/*
 * The same as a tally of all, part by part, until too many records fail.  To
 * look further for more that is certain to fail costs more than it saves.
 * Where the parts so far have so many records in small classes that these
 * alone are likely to be too many, the others are not judged before all are
 * counted.
 */
static void
tally_parts(SdcLattice *lattice, SdcLatticeTable *table,
			SdcLatticeWanted wanted, SdcLatticeTally *tally)
{
	int64_t limit = lattice->problem.limit;
	int64_t seen = 0;
	int32_t judged = 0;
	int p;

	for (p = 1; p <= table->parts; p++)
	{
		sdc_lattice_table_extend(lattice, table, p);
		seen += tally_small(lattice, table, table->end[p - 1], table->end[p],
							tally);
		if (tally->small > limit)
			break;
		if (p < table->parts &&
			(double) tally->small * (double) lattice->records >
				(double) limit * (double) seen)
			continue;
		sdc_lattice_runs_know(lattice, table, p);
		judge_classes(lattice, table, judged, table->end[p], lattice->records,
					  tally);
		judged = table->end[p];
		if (tally->suppressed > limit)
			break;
	}
	tally->complete = tally->suppressed <= limit;
	tally->certain = tally->small;
	if (wanted == SDC_LATTICE_CERTAIN)
		tally_certain(lattice, table, judged, tally);
}

/* Adds the classes of at least so many records that do not fail. */
static SdcSizes
kept_sizes(const SdcLattice *lattice, SdcLatticeTable *table, int64_t least)
{
	SdcSizes sizes = {0, lattice->size, NULL, 0, 0};
	int32_t c;

	table->least = least;
	if (table->people != NULL)
		sizes.match = lattice->match;
	for (c = 0; c < table->classes; c++)
	{
		sizes.people += table->people != NULL && table->people[c] > 0;
		if (sdc_lattice_fails(lattice, table, c))
			continue;
		if (table->people != NULL)
			lattice->match[sizes.classes] = table->people[c];
		lattice->size[sizes.classes++] = table->count[c];
		sizes.records += table->count[c];
	}
	return sizes;
}

/* Does one of the bounds from first to before end fail? */
static bool
sizes_fail(const SdcLattice *lattice, const SdcSizes *sizes, int first,
		   int end)
{
	const SdcSizeBounds *bounds = lattice->problem.sizes;
	int m;

	for (m = first; m < end; m++)
		if (!isnan(bounds->bound[m]) &&
			sdc_size_fails(bounds, (SdcSizeMeasure) m,
						   sdc_size_measure(lattice->host, bounds, sizes,
											(SdcSizeMeasure) m)))
			return true;
	return false;
}

/*
 * The classes that are kept when the smallest ones go until the bounds that
 * this helps hold.  The fewer of them are left, the better are all figures
 * but the estimate, which is 0 where no record is alone.
 */
static SdcSizes
raise_least(const SdcLattice *lattice, SdcLatticeTable *table, int64_t largest)
{
	int64_t low = table->least;
	int64_t high = largest + 1;
	SdcSizes sizes;

	while (low < high)
	{
		int64_t middle = low + (high - low) / 2;

		sizes = kept_sizes(lattice, table, middle);
		if (sizes.classes > 0 && sizes_fail(lattice, &sizes, SDC_SIZE_AVERAGE,
											SDC_SIZE_POPULATION_UNIQUES))
			low = middle + 1;
		else
			high = middle;
	}
	sizes = kept_sizes(lattice, table, low);
	if (low < 2 && sizes.classes > 0 &&
		sizes_fail(lattice, &sizes, SDC_SIZE_POPULATION_UNIQUES,
				   SDC_SIZE_MEASURES))
		sizes = kept_sizes(lattice, table, 2);
	return sizes;
}

/* Counts again what is kept and what is suppressed. */
static void
tally_again(const SdcLattice *lattice, const SdcLatticeTable *table,
			SdcLatticeTally *tally)
{
	int32_t c;

	tally->suppressed = tally->failing = tally->kept = 0;
	tally->smallest = tally->largest = 0;
	for (c = 0; c < table->classes; c++)
	{
		int64_t count = table->count[c];

		if (count == 0)
			continue;
		if (sdc_lattice_fails(lattice, table, c))
		{
			tally->suppressed += count;
			tally->failing++;
			continue;
		}
		if (tally->kept++ == 0 || count < tally->smallest)
			tally->smallest = count;
		if (count > tally->largest)
			tally->largest = count;
	}
}

/*
 * Holds what is kept against the bounds on the file.  Where nothing is left
 * there is nothing to hold, but that a register has people who are not in it.
 */
static void
tally_bounded(const SdcLattice *lattice, SdcLatticeTable *table, bool all,
			  SdcLatticeTally *tally)
{
	SdcSizes sizes = kept_sizes(lattice, table, lattice->group_size);

	if (!all && tally->suppressed > lattice->problem.limit)
		return;
	if (sizes.classes > 0 &&
		sizes_fail(lattice, &sizes, SDC_SIZE_AVERAGE, SDC_SIZE_MEASURES))
	{
		sizes = raise_least(lattice, table, tally->largest);
		tally_again(lattice, table, tally);
	}
	tally->refused = sizes_fail(
		lattice, &sizes, SDC_SIZE_OF_CLASSES,
		sizes.classes > 0 ? SDC_SIZE_AVERAGE : SDC_SIZE_PRESENCE_LOWEST + 1);
}

/* Sums of squares, in all classes and in those that are kept. */
static void
tally_squares(const SdcLattice *lattice, const SdcLatticeTable *table,
			  SdcLatticeTally *tally)
{
	int32_t c;

	for (c = 0; c < table->classes; c++)
	{
		__int128 square = (__int128) table->count[c] * table->count[c];

		tally->squares_all += square;
		if (!sdc_lattice_fails(lattice, table, c))
			tally->squares += square;
	}
}

/*
 * Does a class make the bound on the lowest presence fail, here and in every
 * node below?  One that is too small here is suppressed there, too.
 */
static bool
presence_fails(const SdcLattice *lattice, const SdcLatticeTable *table)
{
	const SdcSizeBounds *sizes = lattice->problem.sizes;
	int32_t c;

	if (!lattice->bounded || table->people == NULL ||
		isnan(sizes->bound[SDC_SIZE_PRESENCE_LOWEST]))
		return false;
	for (c = 0; c < table->classes; c++)
	{
		int64_t count = table->count[c];

		if (sdc_size_presence_fails(sizes,
									count < lattice->group_size ? 0 : count,
									table->people[c]))
			return true;
	}
	return false;
}

/* Records that fail for their people here and in every node below. */
static int64_t
people_lost(const SdcLattice *lattice, const SdcLatticeTable *table)
{
	const SdcSizeBounds *sizes = lattice->problem.sizes;
	int64_t lost = 0;
	int32_t c;

	if (table->people == NULL ||
		!sdc_size_bounds_any(sizes, 0, SDC_SIZE_OF_CLASSES))
		return 0;
	for (c = 0; c < table->classes; c++)
		if (table->count[c] >= lattice->group_size)
			lost +=
				sdc_size_class_lost(sizes, table->count[c], table->people[c]);
	return lost;
}

/*
 * What is told before any class is judged: is that enough to know that the
 * node is not feasible, and, where that is wanted, that none below it is?
 */
static bool
tally_settled(const SdcLattice *lattice, const SdcLatticeTable *table,
			  SdcLatticeWanted wanted, SdcLatticeTally *tally)
{
	int64_t limit = lattice->problem.limit;
	int64_t lost;

	tally_small(lattice, table, 0, table->classes, tally);
	tally->certain = tally->small;
	if (wanted == SDC_LATTICE_ALL)
		return false;
	if (tally->small > limit)
		return true;
	if (presence_fails(lattice, table))
	{
		tally->refused = true;
		tally->certain = limit + 1;
		return true;
	}
	if (wanted == SDC_LATTICE_WHETHER || lattice->monotone)
		return false;
	lost = people_lost(lattice, table);
	if (tally->small + lost <= limit)
		return false;
	tally->suppressed = tally->certain = tally->small + lost;
	return true;
}

void
sdc_lattice_tally(SdcLattice *lattice, SdcLatticeTable *table,
				  SdcLatticeWanted wanted, SdcLatticeTally *tally)
{
	bool all = wanted == SDC_LATTICE_ALL;

	memset(tally, 0, sizeof(*tally));
	if (!all && table->parts > 1)
	{
		tally_parts(lattice, table, wanted, tally);
		return;
	}
	sdc_lattice_table_extend(lattice, table, table->parts);
	if (tally_settled(lattice, table, wanted, tally))
		return;
	if (table->state == NULL && table->people == NULL)
		tally_kept(lattice, table, tally);
	else
		tally_judged(lattice, table, wanted, tally);
	if (!tally->complete)
		return;
	if (table->state != NULL && !lattice->monotone &&
		wanted == SDC_LATTICE_CERTAIN)
		tally_certain(lattice, table, table->classes, tally);
	if (lattice->bounded)
		tally_bounded(lattice, table, all, tally);
	if (lattice->problem.metric == SDC_LATTICE_DISCERNIBILITY)
		tally_squares(lattice, table, tally);
}

/* ----------------------------------------------------------------------
 * What pairs of keys tell of nodes before they are checked.
 *
 * Records that are too few to be a class by two keys alone are too few in
 * every node with these levels of the two, whatever the levels of the others.
 * So a table of two keys, which is small, gives records that are certain to be
 * suppressed in many nodes at once, and their groups give what that adds to
 * the score.  Unlike the other bounds this one holds for a single node: above
 * it fewer records may be certain to be suppressed.
 * ----------------------------------------------------------------------
 */

/* Tables of pairs with more cells are left out. */
#define MAX_CELLS (1 << 18)

/* Keys at the most; more of them make too many pairs. */
#define MAX_KEYS 16

/* Two keys, and what each combination of their levels is certain to lose. */
typedef struct Pair
{
	int a;
	int b;
	/*
	 * part[level of a * levels of b + level of b]: the part of the score of
	 * each level of each key; NULL when no record is certain to be suppressed.
	 */
	double **part;
} Pair;

struct SdcLatticePairs
{
	int pairs;
	Pair *pair;
	int offset[SDC_LATTICE_MAX_KEYS]; /* of a key's levels in a part */
	int parts;
};

/* Scratch of making them. */
typedef struct Making
{
	SdcLattice *lattice;
	SdcLatticePairs *all;
	SdcLatticeLayout layout;
	int32_t **map[SDC_LATTICE_MAX_KEYS];    /* lowest groups on each level */
	int64_t *certain[SDC_LATTICE_MAX_KEYS]; /* records by lowest group */
	int64_t *lowest; /* cells of a pair on the lowest levels */
	int64_t *raised; /* and on others */
	/*
	 * Classes of the base in cells that are too small: of the present levels
	 * of both keys, and of those of a with b on its lowest.  They only become
	 * fewer as levels rise.
	 */
	int32_t *list;
	int32_t *row;
	int32_t listed;
	int32_t in_row;
} Making;

static const SdcLatticeLevel *
lowest_level(const SdcLattice *lattice, int j)
{
	return &lattice->column[j].level[0];
}

static int32_t
base_group(const Making *making, int32_t c, int j)
{
	return sdc_lattice_group(making->lattice, &making->lattice->base,
							 &making->layout, c, j);
}

/* The groups of the lowest level on all levels of a key. */
static int32_t **
make_maps(SdcHost *host, const SdcLatticeColumn *column)
{
	int32_t **map = sdc_new(host, int32_t *, (size_t) column->levels);
	int32_t groups = column->level[0].groups;
	int32_t g;
	int l;

	for (l = 0; l < column->levels; l++)
	{
		map[l] = sdc_new(host, int32_t, (size_t) groups);
		for (g = 0; g < groups; g++)
			map[l][g] = l == 0 ? g : column->level[l - 1].up[map[l - 1][g]];
	}
	return map;
}

static void
start_making(SdcLattice *lattice, SdcLatticePairs *all, Making *making)
{
	SdcHost *host = lattice->host;
	int j;

	memset(making, 0, sizeof(*making));
	making->lattice = lattice;
	making->all = all;
	sdc_lattice_pack_layout(lattice, lattice->base.level, &making->layout);
	for (j = 0; j < lattice->keys; j++)
	{
		size_t groups = (size_t) lowest_level(lattice, j)->groups;

		all->offset[j] = all->parts;
		all->parts += lattice->column[j].levels;
		making->map[j] = make_maps(host, &lattice->column[j]);
		making->certain[j] = sdc_new(host, int64_t, groups);
	}
	making->lowest = sdc_new(host, int64_t, MAX_CELLS);
	making->raised = sdc_new(host, int64_t, MAX_CELLS);
	making->list = sdc_new(host, int32_t, (size_t) lattice->base.classes);
	making->row = sdc_new(host, int32_t, (size_t) lattice->base.classes);
}

static void
finish_making(Making *making)
{
	SdcLattice *lattice = making->lattice;
	SdcHost *host = lattice->host;
	int j;
	int l;

	for (j = 0; j < lattice->keys; j++)
	{
		for (l = 0; l < lattice->column[j].levels; l++)
			host->release(host, making->map[j][l]);
		host->release(host, making->map[j]);
		host->release(host, making->certain[j]);
	}
	host->release(host, making->lowest);
	host->release(host, making->raised);
	host->release(host, making->list);
	host->release(host, making->row);
}

/* Counts the cells on the lowest levels; lists classes in small ones. */
static void
count_lowest(Making *making, const Pair *pair)
{
	SdcLattice *lattice = making->lattice;
	const SdcLatticeTable *base = &lattice->base;
	int32_t ga = lowest_level(lattice, pair->a)->groups;
	int32_t gb = lowest_level(lattice, pair->b)->groups;
	int32_t c;

	memset(making->lowest, 0, sizeof(int64_t) * (size_t) ga * (size_t) gb);
	for (c = 0; c < base->classes; c++)
		making->lowest[base_group(making, c, pair->a) * gb +
					   base_group(making, c, pair->b)] += base->count[c];
	making->in_row = 0;
	for (c = 0; c < base->classes; c++)
		if (making->lowest[base_group(making, c, pair->a) * gb +
						   base_group(making, c, pair->b)] <
			lattice->group_size)
			making->row[making->in_row++] = c;
}

/* The cells on other levels; is one of them too small? */
static bool
count_raised(Making *making, const Pair *pair, const int32_t *to_a,
			 const int32_t *to_b, int32_t groups_a, int32_t groups_b)
{
	SdcLattice *lattice = making->lattice;
	int32_t ga = lowest_level(lattice, pair->a)->groups;
	int32_t gb = lowest_level(lattice, pair->b)->groups;
	int32_t cells = groups_a * groups_b;
	int32_t x;
	int32_t y;

	memset(making->raised, 0, sizeof(int64_t) * (size_t) cells);
	for (x = 0; x < ga; x++)
		for (y = 0; y < gb; y++)
			making->raised[to_a[x] * groups_b + to_b[y]] +=
				making->lowest[x * gb + y];
	for (x = 0; x < cells; x++)
		if (making->raised[x] > 0 && making->raised[x] < lattice->group_size)
			return true;
	return false;
}

/* Records that are certain to be suppressed, by the lowest group of keys. */
static int64_t
count_certain(Making *making, const Pair *pair, const int32_t *to_a,
			  const int32_t *to_b, int32_t groups_b)
{
	SdcLattice *lattice = making->lattice;
	int64_t certain = 0;
	int32_t left = 0;
	int32_t i;
	int j;

	for (j = 0; j < lattice->keys; j++)
		memset(making->certain[j], 0,
			   sizeof(int64_t) * (size_t) lowest_level(lattice, j)->groups);
	for (i = 0; i < making->listed; i++)
	{
		int32_t c = making->list[i];
		int64_t count = lattice->base.count[c];

		if (making->raised[to_a[base_group(making, c, pair->a)] * groups_b +
						   to_b[base_group(making, c, pair->b)]] >=
			lattice->group_size)
			continue;
		making->list[left++] = c;
		certain += count;
		for (j = 0; j < lattice->keys; j++)
			making->certain[j][base_group(making, c, j)] += count;
	}
	making->listed = left;
	return certain;
}

/* The parts of the score of all levels when these are suppressed. */
static double *
score_certain(Making *making, int64_t certain)
{
	SdcLattice *lattice = making->lattice;
	double *part = sdc_new(lattice->host, double, (size_t) making->all->parts);
	int j;
	int l;

	for (j = 0; j < lattice->keys; j++)
	{
		SdcLatticeColumn *column = &lattice->column[j];
		int32_t groups = column->level[0].groups;
		int32_t g;

		for (l = 0; l < column->levels; l++)
		{
			memset(column->marginal, 0,
				   sizeof(int64_t) * (size_t) column->level[l].groups);
			for (g = 0; g < groups; g++)
				column->marginal[making->map[j][l][g]] +=
					making->certain[j][g];
			part[making->all->offset[j] + l] =
				lattice_score_part(lattice, j, l, certain);
		}
	}
	return part;
}

static void
use_row(Making *making)
{
	memcpy(making->list, making->row,
		   sizeof(int32_t) * (size_t) making->in_row);
	making->listed = making->in_row;
}

static void
keep_row(Making *making)
{
	memcpy(making->row, making->list,
		   sizeof(int32_t) * (size_t) making->listed);
	making->in_row = making->listed;
}

/* All levels of a pair; tags nodes that are certain to suppress too many. */
static void
make_pair(Making *making, Pair *pair, uint8_t *tag)
{
	SdcLattice *lattice = making->lattice;
	const SdcLatticeColumn *a = &lattice->column[pair->a];
	const SdcLatticeColumn *b = &lattice->column[pair->b];
	int levels = a->levels * b->levels;
	int i;
	int j;

	pair->part = sdc_new(lattice->host, double *, (size_t) levels);
	count_lowest(making, pair);
	for (i = 0; i < levels; i++)
	{
		int la = i / b->levels;
		int lb = i % b->levels;
		const int32_t *to_a = making->map[pair->a][la];
		const int32_t *to_b = making->map[pair->b][lb];
		uint8_t level[SDC_LATTICE_MAX_KEYS] = {0};
		int64_t certain;

		lattice->host->poll(lattice->host, (uint64_t) i, (uint64_t) levels);
		pair->part[i] = NULL;
		if (lb == 0)
			use_row(making);
		if (making->listed == 0 ||
			!count_raised(making, pair, to_a, to_b, a->level[la].groups,
						  b->level[lb].groups))
			continue;
		certain = count_certain(making, pair, to_a, to_b, b->level[lb].groups);
		if (lb == 0)
			keep_row(making);
		pair->part[i] = score_certain(making, certain);
		if (certain <= lattice->problem.limit)
			continue;
		for (j = 0; j < lattice->keys; j++)
			level[j] = (uint8_t) (lattice->column[j].levels - 1);
		level[pair->a] = (uint8_t) la;
		level[pair->b] = (uint8_t) lb;
		sdc_lattice_tags_over(lattice, tag, level,
							  sdc_lattice_tags_number(lattice, level));
	}
}

SdcLatticePairs *
sdc_lattice_pairs_start(SdcLattice *lattice, uint8_t *tag)
{
	SdcHost *host = lattice->host;
	SdcLatticePairs *all;
	Making making;
	int a;
	int b;

	if (lattice->keys > MAX_KEYS || lattice->group_size < 2)
		return NULL;
	all = sdc_new(host, SdcLatticePairs, 1);
	memset(all, 0, sizeof(*all));
	all->pair = sdc_new(host, Pair, MAX_KEYS * MAX_KEYS / 2);
	start_making(lattice, all, &making);
	for (a = 0; a < lattice->keys; a++)
		for (b = a + 1; b < lattice->keys; b++)
		{
			int64_t cells = (int64_t) lowest_level(lattice, a)->groups *
							lowest_level(lattice, b)->groups;
			Pair *pair = &all->pair[all->pairs];

			if (cells > MAX_CELLS || cells > 4 * lattice->base.classes)
				continue;
			pair->a = a;
			pair->b = b;
			all->pairs++;
			make_pair(&making, pair, tag);
		}
	finish_making(&making);
	return all;
}

void
sdc_lattice_pairs_release(SdcLattice *lattice, SdcLatticePairs *all)
{
	SdcHost *host = lattice->host;
	int i;
	int p;

	if (all == NULL)
		return;
	for (p = 0; p < all->pairs; p++)
	{
		const Pair *pair = &all->pair[p];
		int levels =
			lattice->column[pair->a].levels * lattice->column[pair->b].levels;

		for (i = 0; i < levels; i++)
			host->release(host, pair->part[i]);
		host->release(host, pair->part);
	}
	host->release(host, all->pair);
	host->release(host, all);
}

double
sdc_lattice_pairs_bound(const SdcLattice *lattice, const SdcLatticePairs *all,
						const uint8_t *level)
{
	double least = -INFINITY;
	double largest = 0;
	int p;
	int j;

	for (p = 0; p < all->pairs; p++)
	{
		const Pair *pair = &all->pair[p];
		const double *part =
			pair->part[level[pair->a] * lattice->column[pair->b].levels +
					   level[pair->b]];
		double sum = 0;
		double most = 0;

		if (part == NULL)
			continue;
		for (j = 0; j < lattice->keys; j++)
		{
			double one = part[all->offset[j] + level[j]];

			sum += one;
			most = one > most ? one : most;
		}
		/* larger parts never make a smaller score */
		least = sum > least ? sum : least;
		largest = most > largest ? most : largest;
	}
	if (isinf(least))
		return sdc_lattice_score_bound(lattice, level);
	return lattice_score_combine(lattice, least, largest);
}

/* ----------------------------------------------------------------------
 * What a node loses, and bounds of it before its classes are known.
 * ----------------------------------------------------------------------
 */

/* libm: logarithms, exp and pow, in a measure, not in a mask. */

/* The factors of loss for kept and for suppressed records. */
static double
keep_factor(const SdcLattice *lattice)
{
	double factor = lattice->problem.suppression_factor;

	return factor <= 0.5 ? 1 : 1 - 2 * (factor - 0.5);
}

static double
suppress_factor(const SdcLattice *lattice)
{
	double factor = lattice->problem.suppression_factor;

	return factor < 0.5 ? 2 * factor : 1;
}

/* The part of loss of a key whose records lose that much in all. */
static double
loss_part(const SdcLattice *lattice, const SdcLatticeColumn *column,
		  double lost)
{
	double most = (double) lattice->records;
	double least =
		column->domain > 0 ? most / column->domain * keep_factor(lattice) : 0;
	double loss = most > least ? (lost - least) / (most - least) : 0;

	if (loss < 0)
		loss = 0;
	if (loss > 1)
		loss = 1;
	return lattice->problem.mean == SDC_LATTICE_GEOMETRIC
			   ? log1p(column->weight * loss)
			   : column->weight * loss;
}

/* The part of precision when so many records are suppressed. */
static double
precision_part(const SdcLattice *lattice, const SdcLatticeColumn *column,
			   int l, int64_t suppressed)
{
	double relative = column->height > 0 ? (double) (column->lowest + l) /
											   (double) column->height
										 : 0;
	double records = (double) lattice->records;
	double gone = (double) suppressed;

	return column->weight * ((records - gone) * relative + gone) / records;
}

/* ln of the product of all domains, by weight. */
static double
log_domains(const SdcLattice *lattice)
{
	double sum = 0;
	int j;

	for (j = 0; j < lattice->keys; j++)
		sum += lattice->column[j].weight * log(lattice->column[j].domain);
	return sum;
}

static double
level_part(const SdcLattice *lattice, const SdcLatticeColumn *column, int l)
{
	const SdcLatticeLevel *level = &column->level[l];

	switch (lattice->problem.metric)
	{
		case SDC_LATTICE_LOSS:
			return loss_part(lattice, column,
							 level->share_sum * keep_factor(lattice));
		case SDC_LATTICE_ENTROPY:
			return column->weight * level->entropy;
		case SDC_LATTICE_PRECISION:
			return precision_part(lattice, column, l, 0);
		case SDC_LATTICE_HEIGHT:
			return column->weight * (column->lowest + l);
		case SDC_LATTICE_EBIL:
		case SDC_LATTICE_AMBIGUITY:
			return column->weight > 0 ? column->weight * level->log_sum : 0;
		default:
			return log((double) level->groups);
	}
}

SdcLatticeStatus
sdc_lattice_score_start(SdcLattice *lattice, int *key)
{
	int j;
	int l;

	for (j = 0; j < lattice->keys; j++)
	{
		SdcLatticeColumn *column = &lattice->column[j];

		*key = j;
		if (lattice->problem.metric == SDC_LATTICE_EBIL &&
			(column->domain < 1 || isinf(column->level[0].log_sum)))
			return SDC_LATTICE_SHARES;
		for (l = 0; l < column->levels; l++)
			column->level[l].part = level_part(lattice, column, l);
	}
	*key = -1;
	return SDC_LATTICE_OK;
}

/* The score from the sum of the parts of the keys and the largest of them. */
static double
lattice_score_combine(const SdcLattice *lattice, double sum, double most)
{
	double records = (double) lattice->records;
	double domains;

	switch (lattice->problem.metric)
	{
		case SDC_LATTICE_LOSS:
			if (lattice->problem.mean == SDC_LATTICE_GEOMETRIC)
				return expm1(sum / lattice->keys);
			if (lattice->problem.mean == SDC_LATTICE_MAXIMUM)
				return most;
			if (lattice->problem.mean == SDC_LATTICE_SUM)
				return sum;
			return sum / lattice->keys;
		case SDC_LATTICE_PRECISION:
			return sum / lattice->keys;
		case SDC_LATTICE_ENTROPY:
		case SDC_LATTICE_HEIGHT:
			return sum;
		case SDC_LATTICE_EBIL:
			domains = log_domains(lattice);
			if (domains == 0)
				return 0;
			/* what cancels leaves no more than rounding */
			return fabs(records + sum / domains) > records * 1e-13
					   ? records + sum / domains
					   : 0;
		case SDC_LATTICE_AMBIGUITY:
			/* a mean of products is at least the geometric mean of them */
			return exp(sum / records) * (1 - 1e-12);
		case SDC_LATTICE_AECS:
			return records / (exp(sum) * (1 + 1e-12) + 1);
		default:
			/* as many classes as there can be, all of the same size */
			return records * records / (exp(sum) * (1 + 1e-12));
	}
}

double
sdc_lattice_score_bound(const SdcLattice *lattice, const uint8_t *level)
{
	double sum = 0;
	double most = 0;
	int j;

	for (j = 0; j < lattice->keys; j++)
	{
		double part = lattice->column[j].level[level[j]].part;

		sum += part;
		most = part > most ? part : most;
	}
	return lattice_score_combine(lattice, sum, most);
}

/* Product of the shares of a class, by weight. */
static double
ambiguity_of(const SdcLattice *lattice, const SdcLatticeTable *table,
			 const SdcLatticeLayout *layout, int32_t c)
{
	double product = 1;
	int j;

	for (j = 0; j < lattice->keys; j++)
	{
		const SdcLatticeColumn *column = &lattice->column[j];
		int32_t g = sdc_lattice_group(lattice, table, layout, c, j);
		double share = column->level[table->level[j]].share[g];

		if (column->weight == 1)
			product *= share;
		else if (column->weight > 0)
			product *= pow(share, column->weight);
	}
	return product;
}

/* Mean of the products; a suppressed record is the whole domain, or kept. */
static double
ambiguity(SdcLattice *lattice, const SdcLatticeTable *table, bool suppress)
{
	SdcLatticeLayout layout;
	double sum = 0;
	int32_t c;

	sdc_lattice_pack_layout(lattice, table->level, &layout);
	for (c = 0; c < table->classes; c++)
	{
		bool fails = suppress && sdc_lattice_fails(lattice, table, c);

		sum += (double) table->count[c] *
			   (fails ? 1 : ambiguity_of(lattice, table, &layout, c));
	}
	return sum / (double) lattice->records;
}

bool
sdc_lattice_score_floored(const SdcLattice *lattice)
{
	return lattice->problem.metric == SDC_LATTICE_AECS ||
		   lattice->problem.metric == SDC_LATTICE_DISCERNIBILITY ||
		   lattice->problem.metric == SDC_LATTICE_AMBIGUITY;
}

double
sdc_lattice_score_floor(SdcLattice *lattice, const SdcLatticeTable *table,
						const SdcLatticeTally *tally)
{
	double records = (double) lattice->records;
	int64_t more;

	switch (lattice->problem.metric)
	{
		case SDC_LATTICE_AECS:
			/*
			 * A class that is kept above holds one that is kept here, or only
			 * classes that fail here.
			 */
			more = tally->failing;
			if (lattice->group_size > 1 &&
				tally->suppressed / lattice->group_size < more)
				more = tally->suppressed / lattice->group_size;
			more += tally->kept + (tally->suppressed > 0);
			return records / (double) (more > 0 ? more : 1);
		case SDC_LATTICE_DISCERNIBILITY:
			return (double) tally->squares_all;
		case SDC_LATTICE_AMBIGUITY:
			return ambiguity(lattice, table, false) * (1 - 1e-12);
		default:
			return 0;
	}
}

/* Adds up how many records of classes that fail, or not, are in each group. */
static void
count_groups(SdcLattice *lattice, const SdcLatticeTable *table, bool failing)
{
	SdcLatticeLayout layout;
	int32_t c;
	int j;

	sdc_lattice_pack_layout(lattice, table->level, &layout);
	for (j = 0; j < lattice->keys; j++)
	{
		SdcLatticeColumn *column = &lattice->column[j];
		int32_t groups = column->level[table->level[j]].groups;

		memset(column->marginal, 0, sizeof(int64_t) * (size_t) groups);
	}
	for (c = 0; c < table->classes; c++)
	{
		if (sdc_lattice_fails(lattice, table, c) != failing)
			continue;
		for (j = 0; j < lattice->keys; j++)
			lattice->column[j]
				.marginal[sdc_lattice_group(lattice, table, &layout, c, j)] +=
				table->count[c];
	}
}

/* Makes marginal[g] of each key the suppressed records of group g. */
static void
count_suppressed(SdcLattice *lattice, const SdcLatticeTable *table,
				 const SdcLatticeTally *tally)
{
	bool failing = tally->failing <= tally->kept;
	int32_t g;
	int j;

	count_groups(lattice, table, failing);
	for (j = 0; j < lattice->keys && !failing; j++)
	{
		SdcLatticeColumn *column = &lattice->column[j];
		const SdcLatticeLevel *level = &column->level[table->level[j]];

		for (g = 0; g < level->groups; g++)
			column->marginal[g] = level->total[g] - column->marginal[g];
	}
}

/* The part of a key when marginal holds what is suppressed. */
static double
suppressed_part(const SdcLattice *lattice, const SdcLatticeColumn *column,
				const SdcLatticeLevel *level, int64_t suppressed)
{
	double kept = keep_factor(lattice);
	double gone = suppress_factor(lattice);
	double sum = 0;
	int32_t g;

	for (g = 0; g < level->groups; g++)
	{
		double share = level->share[g];
		double records = (double) column->marginal[g];

		if (column->marginal[g] == 0)
			continue;
		if (lattice->problem.metric == SDC_LATTICE_LOSS)
			sum += records * (share + gone * (1 - share) - kept * share);
		else if (lattice->problem.metric == SDC_LATTICE_ENTROPY)
			sum += records * log2((double) suppressed / records);
		else
			sum -= records * log(share);
	}
	if (lattice->problem.metric == SDC_LATTICE_LOSS)
		return loss_part(lattice, column, level->share_sum * kept + sum);
	return level->part + column->weight * sum;
}

/*
 * The part of a level of a key when so many records are suppressed, of which
 * the column's marginal tells the groups.
 */
static double
lattice_score_part(const SdcLattice *lattice, int j, int l, int64_t suppressed)
{
	const SdcLatticeColumn *column = &lattice->column[j];

	if (suppressed == 0)
		return column->level[l].part;
	switch (lattice->problem.metric)
	{
		case SDC_LATTICE_PRECISION:
			return precision_part(lattice, column, l, suppressed);
		case SDC_LATTICE_LOSS:
		case SDC_LATTICE_ENTROPY:
		case SDC_LATTICE_EBIL:
			return suppressed_part(lattice, column, &column->level[l],
								   suppressed);
		default:
			return column->level[l].part;
	}
}

static double
score_parts(SdcLattice *lattice, const SdcLatticeTable *table,
			int64_t suppressed)
{
	double sum = 0;
	double most = 0;
	int j;

	for (j = 0; j < lattice->keys; j++)
	{
		double part =
			lattice_score_part(lattice, j, table->level[j], suppressed);

		sum += part;
		most = part > most ? part : most;
	}
	return lattice_score_combine(lattice, sum, most);
}

double
sdc_lattice_score(SdcLattice *lattice, SdcLatticeTable *table,
				  const SdcLatticeTally *tally)
{
	double records = (double) lattice->records;

	switch (lattice->problem.metric)
	{
		case SDC_LATTICE_AECS:
			return records / (double) (tally->kept + (tally->suppressed > 0));
		case SDC_LATTICE_DISCERNIBILITY:
			return (double) (tally->squares +
							 (__int128) lattice->records * tally->suppressed);
		case SDC_LATTICE_AMBIGUITY:
			return ambiguity(lattice, table, true);
		case SDC_LATTICE_HEIGHT:
			return sdc_lattice_score_bound(lattice, table->level);
		case SDC_LATTICE_PRECISION:
			return score_parts(lattice, table, tally->suppressed);
		default:
			if (tally->suppressed == 0)
				return sdc_lattice_score_bound(lattice, table->level);
			count_suppressed(lattice, table, tally);
			return score_parts(lattice, table, tally->suppressed);
	}
}
