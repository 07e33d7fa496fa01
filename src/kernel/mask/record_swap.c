/*
 * record_swap.c
 *		Targeted record swapping: households at risk trade places with similar
 *		ones elsewhere.
 *
 * All households are put in a random order in which those who stand out come
 * early: by -log(u) times their least count, so that the chance to be the next
 * is in proportion to 1 over that.  Targets are taken, and partners chosen, in
 * this order.  Partners are of one profile, a number for each multiset of
 * match codes.
 */
#include "kernel/mask/record_swap.h"

#include <stdbool.h>
#include <string.h>

#include "kernel/base/sort.h"

/* What is known of households. */
typedef struct Households
{
	SdcHost *host;
	const SdcRecordSwap *swap;
	int32_t *first;   /* members are member[first .. first of the next - 1] */
	int32_t *member;  /* ascending in match codes */
	int32_t *profile; /* by household */
	int32_t *level;   /* as find_levels */
	int32_t *least;   /* count of a member on the finest level */
	int32_t *order;   /* the random order */
	int32_t *turn;    /* the place of a household in it */
	int32_t *from;
} Households;

/* ---------------------------------------------------------------------------
 * Risk.
 */

/* How many records of the area on a level have the risk code of each. */
static void
count_alike(SdcHost *host, const SdcRecordSwap *swap, int32_t level,
			int32_t *count)
{
	size_t n = (size_t) swap->records;
	uint64_t *key = sdc_new(host, uint64_t, n + 1);
	int32_t *row = sdc_new(host, int32_t, n + 1);
	int32_t i;
	int32_t end;

	for (i = 0; i < swap->records; i++)
	{
		key[i] =
			(uint64_t) swap->area[level][i] << 32 | (uint32_t) swap->risk[i];
		row[i] = i;
	}
	sdc_sort_keys(host, key, row, n);
	for (i = 0; i < swap->records; i = end)
	{
		int32_t t;

		for (end = i; end < swap->records && key[end] == key[i];)
			end++;
		for (t = i; t < end; t++)
			count[row[t]] = end - i;
	}
	host->release(host, key);
	host->release(host, row);
}

/*
 * By household the coarsest level on which a member is at risk: fewer than k
 * records of its area are like it; levels where none is.  With least not NULL
 * also the least counts on the finest level.  O(records levels).
 */
static int32_t *
find_levels(SdcHost *host, const SdcRecordSwap *swap, int32_t *least)
{
	int32_t *level = sdc_new(host, int32_t, (size_t) swap->households + 1);
	int32_t *count = sdc_new(host, int32_t, (size_t) swap->records + 1);
	int32_t l;
	int32_t i;

	for (i = 0; i < swap->households; i++)
	{
		level[i] = swap->levels;
		if (least != NULL)
			least[i] = swap->records;
	}
	for (l = swap->levels - 1; l >= 0; l--)
	{
		host->poll(host, swap->levels - 1 - l, swap->levels);
		count_alike(host, swap, l, count);
		for (i = 0; i < swap->records; i++)
		{
			int32_t h = swap->household[i];

			if (count[i] < swap->k)
				level[h] = l;
			if (least != NULL && l == swap->levels - 1 && count[i] < least[h])
				least[h] = count[i];
		}
	}
	host->release(host, count);
	return level;
}

/* ---------------------------------------------------------------------------
 * Profiles.
 */

/* Members by household and match code. */
static void
find_members(Households *of)
{
	const SdcRecordSwap *swap = of->swap;
	SdcHost *host = of->host;
	size_t n = (size_t) swap->records;
	uint64_t *key = sdc_new(host, uint64_t, n + 1);
	int32_t h = 0;
	int32_t i;

	of->first = sdc_new(host, int32_t, (size_t) swap->households + 1);
	of->member = sdc_new(host, int32_t, n + 1);
	for (i = 0; i < swap->records; i++)
	{
		key[i] =
			(uint64_t) swap->household[i] << 32 | (uint32_t) swap->match[i];
		of->member[i] = i;
	}
	sdc_sort_keys(host, key, of->member, n);
	for (i = 0; i < swap->records; i++)
		while (h <= swap->household[of->member[i]])
			of->first[h++] = i;
	of->first[swap->households] = swap->records;
	host->release(host, key);
}

/* Orders households by size and match codes. */
static int
compare_profiles(int32_t a, int32_t b, void *arg)
{
	const Households *of = arg;
	int32_t size = of->first[a + 1] - of->first[a];
	int32_t other = of->first[b + 1] - of->first[b];
	int32_t m;

	if (size != other)
		return size < other ? -1 : 1;
	for (m = 0; m < size; m++)
	{
		int32_t x = of->swap->match[of->member[of->first[a] + m]];
		int32_t y = of->swap->match[of->member[of->first[b] + m]];

		if (x != y)
			return x < y ? -1 : 1;
	}
	return 0;
}

static void
find_profiles(Households *of)
{
	SdcHost *host = of->host;
	int32_t households = of->swap->households;
	int32_t *row = sdc_new(host, int32_t, (size_t) households + 1);
	int32_t profiles = 0;
	int32_t i;

	of->profile = sdc_new(host, int32_t, (size_t) households + 1);
	for (i = 0; i < households; i++)
		row[i] = i;
	sdc_sort_rows(host, row, (size_t) households, compare_profiles, of);
	for (i = 0; i < households; i++)
	{
		profiles += i > 0 && compare_profiles(row[i - 1], row[i], of) != 0;
		of->profile[row[i]] = profiles;
	}
	host->release(host, row);
}

/* ---------------------------------------------------------------------------
 * Partners.
 */

static void
draw_order(Households *of, SdcRandom *random)
{
	SdcHost *host = of->host;
	int32_t households = of->swap->households;
	uint64_t *key = sdc_new(host, uint64_t, (size_t) households + 1);
	int32_t i;

	of->order = sdc_new(host, int32_t, (size_t) households + 1);
	of->turn = sdc_new(host, int32_t, (size_t) households + 1);
	for (i = 0; i < households; i++)
	{
		/* 1 - u is never 0 */
		key[i] = sdc_sort_key(of->least[i] *
							  -sdc_random_log(1 - sdc_random_unit(random)));
		of->order[i] = i;
	}
	sdc_sort_keys(host, key, of->order, (size_t) households);
	for (i = 0; i < households; i++)
		of->turn[of->order[i]] = i;
	host->release(host, key);
}

/*
 * Households by group, which is one of a profile and perhaps of an area of the
 * level above, in it by area, and in that by turn: a run for each area.
 */
typedef struct Donors
{
	int32_t *row;
	int32_t *run;  /* runs of group g: run[g] .. run[g + 1] - 1 */
	int32_t *next; /* of a run: the first that may be free */
	int32_t *end;
	int32_t *group; /* by household */
} Donors;

/* The area of a household on a level. */
static int32_t
area_of(const Households *of, int32_t level, int32_t household)
{
	return of->swap->area[level][of->member[of->first[household]]];
}

/* Sorts households by one more key; equal ones keep their order. */
static void
sort_by_area(const Households *of, int32_t level, uint64_t *key, int32_t *row)
{
	int32_t households = of->swap->households;
	int32_t i;

	for (i = 0; i < households; i++)
		key[i] = (uint64_t) (level < 0 ? of->profile[row[i]]
									   : area_of(of, level, row[i]));
	sdc_sort_keys(of->host, key, row, (size_t) households);
}

/* Groups by profile, and by the level above unless that is -1. */
static Donors
find_donors(const Households *of, int32_t level, int32_t above)
{
	SdcHost *host = of->host;
	size_t households = (size_t) of->swap->households;
	uint64_t *key = sdc_new(host, uint64_t, households + 1);
	Donors donors = {.row = sdc_new(host, int32_t, households + 1),
					 .run = sdc_new(host, int32_t, households + 2),
					 .next = sdc_new(host, int32_t, households + 1),
					 .end = sdc_new(host, int32_t, households + 1),
					 .group = sdc_new(host, int32_t, households + 1)};
	int32_t groups = 0;
	int32_t runs = 0;
	int32_t i;

	memcpy(donors.row, of->order, sizeof(int32_t) * households);
	sort_by_area(of, level, key, donors.row);
	if (above >= 0)
		sort_by_area(of, above, key, donors.row);
	sort_by_area(of, -1, key, donors.row);
	for (i = 0; i < (int32_t) households; i++)
	{
		int32_t a = i == 0 ? -1 : donors.row[i - 1];
		int32_t b = donors.row[i];
		bool opens =
			a < 0 || of->profile[a] != of->profile[b] ||
			(above >= 0 && area_of(of, above, a) != area_of(of, above, b));

		if (opens)
			donors.run[groups++] = runs;
		if (opens || area_of(of, level, a) != area_of(of, level, b))
			donors.next[runs++] = i;
		donors.end[runs - 1] = i + 1;
		donors.group[b] = groups - 1;
	}
	donors.run[groups] = runs;
	host->release(host, key);
	return donors;
}

static void
release_donors(SdcHost *host, Donors *donors)
{
	host->release(host, donors->row);
	host->release(host, donors->run);
	host->release(host, donors->next);
	host->release(host, donors->end);
	host->release(host, donors->group);
}

static bool
is_free(const Households *of, int32_t household)
{
	return of->from[household] == household &&
		   (of->swap->stays == NULL || !of->swap->stays[household]);
}

/* The free one of the group, in another area, whose turn is the first; -1. */
static int32_t
find_partner(const Households *of, Donors *donors, int32_t level,
			 int32_t household)
{
	int32_t group = donors->group[household];
	int32_t area = area_of(of, level, household);
	int32_t best = -1;
	int32_t r;

	for (r = donors->run[group]; r < donors->run[group + 1]; r++)
	{
		while (donors->next[r] < donors->end[r] &&
			   !is_free(of, donors->row[donors->next[r]]))
			donors->next[r]++;
		if (donors->next[r] < donors->end[r])
		{
			int32_t there = donors->row[donors->next[r]];

			if (area_of(of, level, there) != area &&
				(best < 0 || of->turn[there] < of->turn[best]))
				best = there;
		}
	}
	return best;
}

/*
 * Moves on one level, in order: those at risk there, and with wanted above 0
 * others until so many have moved.
 */
static void
move_level(Households *of, int32_t level, int32_t wanted,
		   SdcRecordSwapCounts *counts)
{
	SdcHost *host = of->host;
	Donors near = find_donors(of, level, level - 1);
	Donors far = find_donors(of, level, -1);
	int32_t i;

	for (i = 0; i < of->swap->households; i++)
	{
		int32_t household = of->order[i];
		int32_t partner;

		/* a partner is looked for in many areas */
		if (i % 256 == 0)
			host->poll(host, i, of->swap->households);
		if (!is_free(of, household) ||
			(wanted > 0 ? counts->moved >= wanted
						: of->level[household] != level))
			continue;
		partner = find_partner(of, &near, level, household);
		if (partner < 0 && level > 0)
			partner = find_partner(of, &far, level, household);
		if (partner < 0)
			continue;
		of->from[household] = partner;
		of->from[partner] = household;
		counts->moved += 2;
	}
	release_donors(host, &near);
	release_donors(host, &far);
}

SdcRecordSwapCounts
sdc_record_swap(SdcHost *host, const SdcRecordSwap *swap, SdcRandom *random,
				int32_t *from)
{
	Households of = {.host = host, .swap = swap, .from = from};
	SdcRecordSwapCounts counts = {0};
	int32_t wanted = (int32_t) (swap->share * swap->households + 0.5);
	int32_t l;
	int32_t i;

	host->stage(host, "swapping households");
	for (i = 0; i < swap->households; i++)
		from[i] = i;
	of.least = sdc_new(host, int32_t, (size_t) swap->households + 1);
	of.level = find_levels(host, swap, of.least);
	find_members(&of);
	find_profiles(&of);
	draw_order(&of, random);
	for (l = 0; l < swap->levels; l++)
		move_level(&of, l, 0, &counts);
	for (i = 0; i < swap->households; i++)
	{
		bool at_risk = of.level[i] < swap->levels;

		counts.at_risk += at_risk;
		counts.left += at_risk && from[i] == i;
	}
	if (counts.moved < wanted)
		move_level(&of, swap->levels - 1, wanted, &counts);
	host->release(host, of.least);
	host->release(host, of.level);
	host->release(host, of.first);
	host->release(host, of.member);
	host->release(host, of.profile);
	host->release(host, of.order);
	host->release(host, of.turn);
	return counts;
}
