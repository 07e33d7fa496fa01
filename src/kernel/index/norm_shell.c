/*
 * norm_shell.c
 *		The point farthest from a slowly moving centre.
 *
 * The list holds about 8 m^(2/3) of m points, those beyond a norm that is
 * estimated from some leaves of the tree.  A place whose point is gone gets
 * the coordinates of the reference, so that a block is always read whole, and
 * is skipped by its number.
 */
#include <math.h>
#include <string.h>

#include "kernel/base/host.h"
#include "kernel/base/matrix.h"
#include "kernel/base/sort.h"
#include "kernel/index/norm_shell.h"
#include "kernel/index/point_index.h"
#include "kernel/index/points.h"

#define BLOCK         32
#define LEAF          SDC_INDEX_POINTS
#define LANES         8
#define SAMPLE_LEAVES 1024

/* Points in the list: this many times m^(2/3), but not fewer than LEAST. */
#define LENGTH 8
#define LEAST  256

/* Making the list costs as much as reading this many times m points. */
#define MAKING_COST 20

/* Searches after which the mean cost says something. */
#define FEW_SEARCHES 8

/* Blocks read before the tree is asked. */
#define MOST_BLOCKS 256

/* Makes a rounded bound safe. */
#define ROUNDING 1e-12

/* Points that may go into the list. */
typedef struct Candidates
{
	int64_t count;
	int64_t room;
	uint64_t *key; /* ascending is farthest first */
	int32_t *point;
	double beyond; /* greatest squared norm left out */
} Candidates;

/* Squared distances of the places of a leaf to the centre. */
SDC_CLONES static void
leaf_norms(const double *restrict coordinate, const double *restrict centre,
		   int columns, double *restrict norm)
{
	int i;
	int j;

	for (i = 0; i < LEAF; i++)
		norm[i] = 0;
	for (j = 0; j < columns; j++)
		for (i = 0; i < LEAF; i++)
		{
			double difference = coordinate[j * LEAF + i] - centre[j];

			norm[i] += difference * difference;
		}
}

/* The same for a block of the list; returns the greatest. */
SDC_CLONES static double
block_norms(const double *restrict coordinate, const double *restrict centre,
			int columns, double *restrict norm)
{
	double most[LANES];
	int i;
	int j;

	for (i = 0; i < BLOCK; i++)
		norm[i] = 0;
	for (j = 0; j < columns; j++)
		for (i = 0; i < BLOCK; i++)
		{
			double difference = coordinate[j * BLOCK + i] - centre[j];

			norm[i] += difference * difference;
		}
	for (j = 0; j < LANES; j++)
		most[j] = norm[j];
	for (i = LANES; i < BLOCK; i += LANES)
		for (j = 0; j < LANES; j++)
			most[j] = norm[i + j] > most[j] ? norm[i + j] : most[j];
	for (j = 1; j < LANES; j++)
		most[0] = most[j] > most[0] ? most[j] : most[0];
	return most[0];
}

void
sdc_norm_shell_create(SdcNormShell *shell, SdcPointIndex *tree)
{
	int32_t count = tree->source->distinct;

	memset(shell, 0, sizeof(*shell));
	shell->tree = tree;
	shell->searches = -1;
	shell->place = sdc_new(tree->host, int32_t, (size_t) count);
	memset(shell->place, -1, (size_t) count * sizeof(*shell->place));
}

static void
release_list(SdcNormShell *shell)
{
	SdcHost *host = shell->tree->host;

	host->release(host, shell->coordinate);
	host->release(host, shell->norm);
	host->release(host, shell->point);
}

void
sdc_norm_shell_release(SdcNormShell *shell)
{
	release_list(shell);
	shell->tree->host->release(shell->tree->host, shell->place);
}

/* About LENGTH m^(2/3), at least LEAST. */
static int64_t
wanted_length(int64_t m)
{
	double square = (double) m * (double) m;
	double root = 1;

	while (root * root * root < square)
		root *= 1.0625;
	return root * LENGTH < LEAST ? LEAST : (int64_t) (root * LENGTH);
}

/* Squared distances of a leaf's places to the reference; returns how many. */
static int32_t
read_leaf(const SdcNormShell *shell, int64_t leaf, double *norm)
{
	const SdcPointIndex *tree = shell->tree;

	leaf_norms(tree->coordinate + leaf * tree->columns * LEAF,
			   shell->reference, tree->columns, norm);
	return tree->count[0][leaf];
}

/* A squared norm which about wanted of m points exceed. */
static double
estimate_cut(const SdcNormShell *shell, int64_t wanted, int64_t m)
{
	const SdcPointIndex *tree = shell->tree;
	SdcHost *host = tree->host;
	int64_t step = (tree->blocks + SAMPLE_LEAVES - 1) / SAMPLE_LEAVES;
	size_t room = (size_t) (tree->blocks / step + 1) * LEAF;
	uint64_t *key = sdc_new(host, uint64_t, room);
	int32_t *place = sdc_new(host, int32_t, room);
	double *sample = sdc_new(host, double, room);
	int64_t count = 0;
	int64_t leaf;
	double cut = 0;

	for (leaf = 0; leaf < tree->blocks; leaf += step)
	{
		int32_t points = read_leaf(shell, leaf, sample + count);
		int32_t i;

		for (i = 0; i < points; i++, count++)
		{
			key[count] = ~sdc_sort_key(sample[count]);
			place[count] = (int32_t) count;
		}
	}
	sdc_sort_keys(host, key, place, (size_t) count);
	if (wanted < m && count > 0)
		cut = sample[place[(int64_t) ((double) wanted / (double) m *
									  (double) count)]];
	host->release(host, key);
	host->release(host, place);
	host->release(host, sample);
	return cut;
}

/* Collects the points beyond the cut, as far as there is room. */
static void
collect(const SdcNormShell *shell, double cut, Candidates *candidates)
{
	const SdcPointIndex *tree = shell->tree;
	int64_t leaf;

	candidates->count = 0;
	candidates->beyond = -1;
	for (leaf = 0; leaf < tree->blocks; leaf++)
	{
		double norm[LEAF];
		int32_t points;
		int32_t i;

		if (leaf % 4096 == 0)
			tree->host->poll(tree->host, 0, 0);
		if (tree->count[0][leaf] == 0)
			continue;
		points = read_leaf(shell, leaf, norm);
		for (i = 0; i < points; i++)
		{
			int64_t next = candidates->count;

			if (norm[i] < cut || next == candidates->room)
			{
				if (norm[i] > candidates->beyond)
					candidates->beyond = norm[i];
				continue;
			}
			candidates->key[next] = ~sdc_sort_key(norm[i]);
			candidates->point[next] = tree->point[leaf * LEAF + i];
			candidates->count++;
		}
	}
}

/* Puts a point, or nothing (-1), at a place of the list. */
static void
set_place(SdcNormShell *shell, int64_t place, int32_t point)
{
	int columns = shell->tree->columns;
	double coordinates[SDC_MAX_COLUMNS];
	const double *from = shell->reference;
	double *to = shell->coordinate + place / BLOCK * columns * BLOCK;
	int j;

	if (point >= 0)
	{
		sdc_point_index_get(shell->tree, point, coordinates);
		from = coordinates;
		shell->place[point] = (int32_t) place;
	}
	shell->point[place] = point;
	for (j = 0; j < columns; j++)
		to[j * BLOCK + place % BLOCK] = from[j];
}

/* Squared distance of a point to the reference. */
static double
squared_norm(const SdcNormShell *shell, int32_t point)
{
	double coordinates[SDC_MAX_COLUMNS];
	double sum = 0;
	int j;

	sdc_point_index_get(shell->tree, point, coordinates);
	for (j = 0; j < shell->tree->columns; j++)
	{
		double difference = coordinates[j] - shell->reference[j];

		sum += difference * difference;
	}
	return sum;
}

/* Turns sorted candidates into the list. */
static void
fill_list(SdcNormShell *shell, const Candidates *candidates)
{
	SdcHost *host = shell->tree->host;
	size_t length = (size_t) (candidates->count + BLOCK - 1) / BLOCK * BLOCK;
	int64_t place;

	release_list(shell);
	shell->coordinate =
		sdc_new(host, double, length *(size_t) shell->tree->columns);
	shell->norm = sdc_new(host, double, length);
	shell->point = sdc_new(host, int32_t, length);
	shell->length = (int64_t) length;
	shell->head = 0;
	for (place = 0; place < shell->length; place++)
	{
		int32_t point = -1;
		double norm = 0;

		if (place < candidates->count)
		{
			point = candidates->point[place];
			norm = squared_norm(shell, point);
		}
		shell->norm[place] = sqrt(norm);
		set_place(shell, place, point);
	}
	shell->beyond = candidates->beyond < 0 ? -1 : sqrt(candidates->beyond);
}

/* Makes the list for a new reference. */
static void
make_list(SdcNormShell *shell, const double *centre)
{
	SdcPointIndex *tree = shell->tree;
	SdcHost *host = tree->host;
	int64_t m = tree->alive;
	int64_t wanted = wanted_length(m);
	Candidates candidates;
	int64_t place;

	for (place = 0; place < shell->length; place++)
		if (shell->point[place] >= 0)
			shell->place[shell->point[place]] = -1;
	memcpy(shell->reference, centre, (size_t) tree->columns * sizeof(*centre));
	candidates.room = 2 * wanted < m ? 2 * wanted : m;
	candidates.key = sdc_new(host, uint64_t, (size_t) candidates.room);
	candidates.point = sdc_new(host, int32_t, (size_t) candidates.room);
	collect(shell, estimate_cut(shell, wanted, m), &candidates);
	sdc_sort_keys(host, candidates.key, candidates.point,
				  (size_t) candidates.count);
	fill_list(shell, &candidates);
	host->release(host, candidates.key);
	host->release(host, candidates.point);
	shell->searches = 0;
	shell->cost = MAKING_COST * m;
	shell->last_cost = 0;
}

/*
 * Reads the list from its head.  Returns the farthest listed point; proven
 * tells whether no other point of the tree can be farther, or equally far.
 */
static int32_t
read_list(SdcNormShell *shell, const double *centre, bool *proven)
{
	int columns = shell->tree->columns;
	double best = -1;
	int32_t farthest = -1;
	double delta = 0;
	double reach;
	int64_t place;
	int j;

	for (j = 0; j < columns; j++)
		delta += (centre[j] - shell->reference[j]) *
				 (centre[j] - shell->reference[j]);
	delta = sqrt(delta);
	while (shell->head < shell->length && shell->point[shell->head] < 0)
		shell->head++;
	for (place = shell->head / BLOCK * BLOCK; place < shell->length;
		 place += BLOCK)
	{
		double norm[BLOCK];
		double most;
		int i;

		reach = (shell->norm[place] + delta) * (1 + ROUNDING);
		*proven = reach * reach < best;
		if (*proven || shell->last_cost >= MOST_BLOCKS * BLOCK)
			return farthest;
		shell->last_cost += BLOCK;
		most = block_norms(shell->coordinate + place * columns, centre,
						   columns, norm);
		for (i = 0; i < BLOCK && most >= best; i++)
			if (shell->point[place + i] >= 0 && norm[i] >= best &&
				(norm[i] > best || shell->point[place + i] < farthest))
			{
				best = norm[i];
				farthest = shell->point[place + i];
			}
	}
	reach = (shell->beyond + delta) * (1 + ROUNDING);
	*proven = shell->beyond < 0 || reach * reach < best;
	return farthest;
}

int32_t
sdc_norm_shell_farthest(SdcNormShell *shell, const double *centre)
{
	SdcPointIndex *tree = shell->tree;
	int32_t farthest;
	bool proven;

	if (shell->searches < 0 ||
		(shell->searches > FEW_SEARCHES &&
		 shell->last_cost > shell->cost / shell->searches))
		make_list(shell, centre);
	shell->last_cost = 0;
	farthest = read_list(shell, centre, &proven);
	if (!proven)
	{
		uint64_t visits = tree->visits;

		farthest = sdc_point_index_farthest(tree, centre, NULL);
		shell->last_cost += (int64_t) (tree->visits - visits) * LEAF;
	}
	shell->cost += shell->last_cost;
	shell->searches++;
	return farthest;
}

void
sdc_norm_shell_remove(SdcNormShell *shell, int32_t point)
{
	int32_t place = shell->place[point];

	if (place < 0)
		return;
	set_place(shell, place, -1);
	shell->place[point] = -1;
}
