/*
 * lattice_optima.c
 *		The best nodes of a lattice so far, and which of them comes first.
 *
 * Scores are sums of shares, so equal ones may differ in their last bits: what
 * lies within a tie of the best is as good.
 */
#include "kernel/generalization/lattice_parts.h"

#include <math.h>
#include <string.h>

#include "kernel/base/sort.h"

bool
sdc_lattice_optima_above(double score, double other)
{
	return score > other + SDC_LATTICE_TIE * fabs(other);
}

/* Means over the keys of what the tie rule looks at. */
static void
weigh_node(const SdcLattice *lattice, const SdcLatticeNode *node, int *height,
		   double *raised, double *values)
{
	int j;

	*height = 0;
	*raised = 0;
	*values = 0;
	for (j = 0; j < lattice->keys; j++)
	{
		const SdcHierarchy *hierarchy = lattice->problem.key[j].hierarchy;
		int level = node->level[j];

		*height += level;
		if (hierarchy->levels > 1)
			*raised += (double) level / (hierarchy->levels - 1);
		*values += (double) hierarchy->groups[level] / hierarchy->groups[0];
	}
}

/* Of nodes with the same score: is one better by the tie rule? */
static bool
is_better(const SdcLattice *lattice, const SdcLatticeNode *node,
		  const SdcLatticeNode *other)
{
	int height[2];
	double raised[2];
	double values[2];

	weigh_node(lattice, node, &height[0], &raised[0], &values[0]);
	weigh_node(lattice, other, &height[1], &raised[1], &values[1]);
	if (height[0] != height[1])
		return height[0] < height[1];
	if (fabs(raised[0] - raised[1]) > 1e-9)
		return raised[0] < raised[1];
	if (fabs(values[0] - values[1]) > 1e-9)
		return values[0] < values[1];
	return node->number < other->number;
}

static void
append_optimum(SdcHost *host, SdcLatticeOptima *optima,
			   const SdcLatticeNode *node, bool better)
{
	if (optima->count == optima->room && optima->room < SDC_LATTICE_MAX_OPTIMA)
	{
		int64_t room = optima->room > 0 ? optima->room * 4 : 16;
		SdcLatticeNode *more = sdc_new(host, SdcLatticeNode, (size_t) room);

		if (optima->room > 0)
			memcpy(more, optima->list,
				   sizeof(SdcLatticeNode) * (size_t) optima->room);
		host->release(host, optima->list);
		optima->list = more;
		optima->room = room;
	}
	if (optima->count < optima->room)
		optima->list[optima->count] = *node;
	else if (better)
		optima->list[optima->room - 1] = *node;
	optima->count++;
}

void
sdc_lattice_optima_note(SdcLattice *lattice, SdcLatticeOptima *optima,
						const SdcLatticeNode *node)
{
	bool better;

	if (optima->found && sdc_lattice_optima_above(node->score, optima->score))
		return;
	better =
		!optima->found || sdc_lattice_optima_above(optima->score, node->score);
	if (better)
		optima->count = 0;
	if (!optima->found || node->score < optima->score)
		optima->score = node->score;
	optima->found = true;
	better = better || is_better(lattice, node, &optima->best);
	if (better)
		optima->best = *node;
	append_optimum(lattice->host, optima, node, better);
}

/* What a comparison of two of the list needs. */
typedef struct Ranking
{
	const SdcLattice *lattice;
	const SdcLatticeNode *list;
} Ranking;

static int
compare_optima(int32_t a, int32_t b, void *arg)
{
	const Ranking *ranking = arg;
	const SdcLatticeNode *first = &ranking->list[a];
	const SdcLatticeNode *second = &ranking->list[b];

	if (is_better(ranking->lattice, first, second))
		return -1;
	return is_better(ranking->lattice, second, first) ? 1 : 0;
}

void
sdc_lattice_optima_sort(SdcLattice *lattice, SdcLatticeOptima *optima)
{
	SdcHost *host = lattice->host;
	int64_t listed =
		optima->count < optima->room ? optima->count : optima->room;
	SdcLatticeNode *sorted = sdc_new(host, SdcLatticeNode, (size_t) listed);
	int32_t *rows = sdc_new(host, int32_t, (size_t) listed);
	Ranking ranking = {lattice, optima->list};
	int32_t i;

	for (i = 0; i < listed; i++)
		rows[i] = i;
	sdc_sort_rows(host, rows, (size_t) listed, compare_optima, &ranking);
	for (i = 0; i < listed; i++)
		sorted[i] = optima->list[rows[i]];
	host->release(host, rows);
	host->release(host, optima->list);
	optima->list = sorted;
}
