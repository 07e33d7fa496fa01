/*
 * lattice_dive.c
 *		A good first node, so that bounds bite from the start.
 *
 * A path of least bounds from the finest node, and then steps to better
 * neighbours until there are none.  What it finds is often the optimum, but
 * never counts as proof.
 */
#include "kernel/generalization/lattice_parts.h"

#include <math.h>
#include <string.h>

/*
 * From a node the successor with the least bound, among those without one of
 * the tags; -1 when there is none.
 */
int
sdc_lattice_dive_step(SdcLatticeSearch *search, uint8_t *level, int64_t number,
					  int tags, double *bound)
{
	const SdcLattice *lattice = search->lattice;
	int best = -1;
	int j;

	*bound = INFINITY;
	for (j = 0; j < lattice->keys; j++)
	{
		double next;

		if (level[j] + 1 == lattice->column[j].levels ||
			(search->tag != NULL &&
			 (search->tag[number + lattice->stride[j]] & tags)))
			continue;
		level[j]++;
		next = sdc_lattice_score_bound(lattice, level);
		level[j]--;
		if (best < 0 || next < *bound)
		{
			*bound = next;
			best = j;
		}
	}
	return best;
}

/* Checks the nodes of the path of least bounds as long as they may be best. */
void
sdc_lattice_dive(SdcLatticeSearch *search)
{
	SdcLattice *lattice = search->lattice;
	SdcLatticeTable *table = &lattice->base;
	uint8_t level[SDC_LATTICE_MAX_KEYS] = {0};
	int64_t number = 0;
	int spare = 0;
	double bound;
	int j;

	while ((j = sdc_lattice_dive_step(search, level, number,
									  SDC_LATTICE_SEEN | SDC_LATTICE_OVER,
									  &bound)) >= 0 &&
		   !sdc_lattice_search_worse(search, bound) &&
		   sdc_lattice_search_may(search))
	{
		level[j]++;
		number += lattice->stride[j];
		sdc_lattice_table_roll(lattice, table, level, &search->probe[spare]);
		table = &search->probe[spare];
		spare = 1 - spare;
		sdc_lattice_search_table(search, table);
	}
}

/* Checks a neighbour of the best node, from the table below all of them. */
static void
try_neighbour(SdcLatticeSearch *search, const SdcLatticeTable *below,
			  const uint8_t *level)
{
	SdcLattice *lattice = search->lattice;
	int64_t number = sdc_lattice_tags_number(lattice, level);

	if ((search->tag != NULL &&
		 (search->tag[number] & (SDC_LATTICE_SEEN | SDC_LATTICE_OVER))) ||
		sdc_lattice_search_worse(search,
								 sdc_lattice_score_bound(lattice, level)) ||
		!sdc_lattice_search_may(search))
		return;
	sdc_lattice_table_roll(lattice, below, level, &search->probe[1]);
	sdc_lattice_search_table(search, &search->probe[1]);
}

/* Moves to better neighbours until there are none. */
void
sdc_lattice_dive_improve(SdcLatticeSearch *search)
{
	SdcLattice *lattice = search->lattice;
	bool better = search->optima.found;
	int j;

	while (better && !search->stopped)
	{
		SdcLatticeNode start = search->optima.best;
		uint8_t level[SDC_LATTICE_MAX_KEYS] = {0};
		uint8_t below[SDC_LATTICE_MAX_KEYS] = {0};

		for (j = 0; j < lattice->keys; j++)
		{
			level[j] = (uint8_t) (start.level[j] - lattice->column[j].lowest);
			below[j] = level[j] > 0 ? (uint8_t) (level[j] - 1) : 0;
		}
		sdc_lattice_table_roll(lattice, &lattice->base, below,
							   &search->probe[0]);
		for (j = 0; j < lattice->keys; j++)
		{
			if (level[j] > 0)
			{
				level[j]--;
				try_neighbour(search, &search->probe[0], level);
				level[j]++;
			}
			if (level[j] + 1 < lattice->column[j].levels)
			{
				level[j]++;
				try_neighbour(search, &search->probe[0], level);
				level[j]--;
			}
		}
		better = sdc_lattice_optima_above(start.score, search->optima.score);
	}
}
