/*
 * lattice_pairs.c
 *		What pairs of keys tell of nodes before they are checked.
 *
 * Records that are too few to be a class by two keys alone are too few in
 * every node with these levels of the two, whatever the levels of the others.
 * So a table of two keys, which is small, gives records that are certain to be
 * suppressed in many nodes at once, and their groups give what that adds to
 * the score.  Unlike the other bounds this one holds for a single node: above
 * it fewer records may be certain to be suppressed.
 */
#include "kernel/generalization/lattice_parts.h"

#include <math.h>
#include <string.h>

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
				sdc_lattice_score_part(lattice, j, l, certain);
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
	return sdc_lattice_score_combine(lattice, least, largest);
}
