/*
 * weighted_links.c
 *		Rows of sdc.link for candidates that are not equally likely.
 *
 * The likeliest are named first, so that a list that is cut short loses least.
 */
#include "postgres.h"

#include "utils/float.h"

#include "pg/disclosure/weighted_links.h"

/* Appends the row of one candidate. */
static double
put_candidate(SdcLinks *links, const char *id, const SdcItemSet *set,
			  int32 place, double total, int32 own, bool certain,
			  const char *name)
{
	SdcLink link = {id, name, set->items};

	link.probability = set->weight[place] / total;
	link.distance = get_float8_nan();
	link.certain = certain && set->items == 1;
	link.correct = set->items == 1 && set->item[place] == own;
	sdcpg_links_put(links, &link);
	return link.probability;
}

/* Appends the row without a name. */
static void
put_rest(SdcLinks *links, const char *id, int32 candidates, double rest)
{
	SdcLink link = {id, NULL, candidates};

	link.probability = rest;
	link.distance = get_float8_nan();
	sdcpg_links_put(links, &link);
}

void
sdcpg_weighted_links_put(SdcLinks *links, const char *id, SdcItemSet *set,
						 int32 max_candidates, int32 own, bool certain,
						 SdcItemName name, void *arg)
{
	double total = 0;
	double rest = 1;
	int32 named = Min(set->items, max_candidates);
	int32 own_place = -1;
	int32 i;

	sdc_class_items_rank(&links->host->kernel, set);
	for (i = 0; i < set->items; i++)
	{
		total += set->weight[i];
		if (set->item[i] == own)
			own_place = i;
	}
	/* the right one takes the place of the last that would be named */
	if (own_place >= named)
		named--;
	for (i = 0; i < named; i++)
		rest -= put_candidate(links, id, set, i, total, own, certain,
							  name(arg, set->item[i]));
	if (own_place >= named)
		rest -= put_candidate(links, id, set, own_place, total, own, certain,
							  name(arg, set->item[own_place]));
	if (set->items == 0 || set->items > max_candidates)
		put_rest(links, id, set->items, rest);
}
