/*
 * record_swap.c
 *		Targeted record swapping: against loops over all pairs, and what it
 *		must keep.
 */
#include "unit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/base/random.h"
#include "kernel/mask/record_swap.c"

/* Records of a case at the most. */
#define MOST 400

/* A case: households, places of three levels, risk and match codes. */
typedef struct Case
{
	SdcRecordSwap swap;
	int32_t area[3][MOST];
	const int32_t *areas[3];
	int32_t household[MOST];
	int32_t risk[MOST];
	int32_t match[MOST];
	bool stays[MOST];
} Case;

static Case *
draw_case(int records, int levels, int risks, int matches, SdcRandom *random)
{
	Case *of = calloc(1, sizeof(Case));
	int households = 0;
	int i;
	int l;

	for (i = 0; i < records; i++)
	{
		bool opens = i == 0 || sdc_random_below(random, 3) == 0;

		households += opens;
		of->household[i] = households - 1;
		of->risk[i] = (int32_t) sdc_random_below(random, (uint64_t) risks);
		of->match[i] = (int32_t) sdc_random_below(random, (uint64_t) matches);
		for (l = 0; l < levels; l++)
			of->area[l][i] = !opens ? of->area[l][i - 1]
									: (int32_t) sdc_random_below(random, 3) +
										  (l > 0 ? 3 * of->area[l - 1][i] : 0);
		if (opens)
			of->stays[households - 1] = sdc_random_below(random, 12) == 0;
	}
	for (l = 0; l < levels; l++)
		of->areas[l] = of->area[l];
	of->swap = (SdcRecordSwap){.records = records,
							   .levels = levels,
							   .area = of->areas,
							   .households = households,
							   .household = of->household,
							   .risk = of->risk,
							   .match = of->match,
							   .stays = of->stays};
	return of;
}

/* A member of a household. */
static int
member_of(const Case *of, int household)
{
	int i;

	for (i = 0; of->household[i] != household; i++)
		;
	return i;
}

/* Do two households have the same members, by match codes? */
static bool
is_alike(const Case *of, int a, int b)
{
	int count[2][64] = {{0}};
	int i;

	for (i = 0; i < of->swap.records; i++)
	{
		count[0][of->match[i]] += of->household[i] == a;
		count[1][of->match[i]] += of->household[i] == b;
	}
	return memcmp(count[0], count[1], sizeof(count[0])) == 0;
}

/* Records of the area of i on a level that have its risk code. */
static int
alike_in_area(const Case *of, int level, int i)
{
	int count = 0;
	int j;

	for (j = 0; j < of->swap.records; j++)
		count += of->area[level][j] == of->area[level][i] &&
				 of->risk[j] == of->risk[i];
	return count;
}

/* What the oracle knows. */
typedef struct Slow
{
	int level[MOST];
	double key[MOST];
	int32_t from[MOST];
	int moved;
} Slow;

static bool
may_swap(const Case *of, const Slow *slow, int household)
{
	return slow->from[household] == household && !of->stays[household];
}

/* The free partner with the least key, within the area of the level above. */
static int
slow_partner(const Case *of, const Slow *slow, int level, bool within, int a)
{
	int best = -1;
	int i = member_of(of, a);
	int b;

	for (b = 0; b < of->swap.households; b++)
	{
		int j = member_of(of, b);

		if (b != a && may_swap(of, slow, b) && is_alike(of, a, b) &&
			of->area[level][i] != of->area[level][j] &&
			(!within || level == 0 ||
			 of->area[level - 1][i] == of->area[level - 1][j]) &&
			(best < 0 || slow->key[b] < slow->key[best]))
			best = b;
	}
	return best;
}

/* Moves on a level; wanted 0: those at risk there. */
static void
slow_level(const Case *of, Slow *slow, int level, int wanted)
{
	bool asked[MOST] = {false};
	int turn;

	for (turn = 0; turn < of->swap.households; turn++)
	{
		int next = -1;
		int b;
		int partner;

		for (b = 0; b < of->swap.households; b++)
			if (!asked[b] && (next < 0 || slow->key[b] < slow->key[next]))
				next = b;
		asked[next] = true;
		if (!may_swap(of, slow, next) ||
			(wanted > 0 ? slow->moved >= wanted : slow->level[next] != level))
			continue;
		partner = slow_partner(of, slow, level, true, next);
		if (partner < 0)
			partner = slow_partner(of, slow, level, false, next);
		if (partner < 0)
			continue;
		slow->from[next] = partner;
		slow->from[partner] = next;
		slow->moved += 2;
	}
}

static Slow *
slow_swap(const Case *of, SdcRandom *random)
{
	Slow *slow = calloc(1, sizeof(Slow));
	int levels = of->swap.levels;
	int h;
	int i;
	int l;
	int wanted = (int) (of->swap.share * of->swap.households + 0.5);

	for (h = 0; h < of->swap.households; h++)
	{
		int least = of->swap.records;

		slow->from[h] = h;
		slow->level[h] = levels;
		for (i = 0; i < of->swap.records; i++)
			for (l = 0; l < levels && of->household[i] == h; l++)
			{
				int count = alike_in_area(of, l, i);

				if (count < of->swap.k && l < slow->level[h])
					slow->level[h] = l;
				if (l == levels - 1 && count < least)
					least = count;
			}
		slow->key[h] = least * -sdc_random_log(1 - sdc_random_unit(random));
	}
	for (l = 0; l < levels; l++)
		slow_level(of, slow, l, 0);
	if (slow->moved < wanted)
		slow_level(of, slow, levels - 1, wanted);
	return slow;
}

/* Partners trade places, and what must stay does. */
static bool
is_kept(const Case *of, const int32_t *from)
{
	int h;
	int l;

	for (h = 0; h < of->swap.households; h++)
	{
		int there = from[h];
		bool moves = false;

		if (there == h)
			continue;
		for (l = 0; l < of->swap.levels; l++)
			moves |= of->area[l][member_of(of, h)] !=
					 of->area[l][member_of(of, there)];
		if (from[there] != h || !is_alike(of, h, there) || !moves ||
			of->stays[h] || of->stays[there])
			return false;
	}
	return true;
}

static void
check_case(int records, int levels, int risks, int matches, int k,
		   double share, uint64_t seed)
{
	int32_t from[MOST];
	int32_t *level;
	SdcRecordSwapCounts counts;
	SdcRandom random;
	SdcRandom again;
	Case *of;
	Slow *slow;
	int left = 0;
	int at_risk = 0;
	bool same = true;
	size_t pieces;
	int h;

	sdc_random_seed(&random, seed, 51);
	of = draw_case(records, levels, risks, matches, &random);
	of->swap.k = k;
	of->swap.share = share;
	again = random;
	slow = slow_swap(of, &again);
	pieces = unit_pieces();
	counts = sdc_record_swap(unit_host(), &of->swap, &random, from);
	unit_check(unit_pieces() == pieces, "no memory is left");
	level = find_levels(unit_host(), &of->swap, NULL);
	for (h = 0; h < of->swap.households; h++)
	{
		same = same && level[h] == slow->level[h] && from[h] == slow->from[h];
		at_risk += level[h] < levels;
	}
	/* who is left has no partner on its level, whoever is free */
	for (h = 0; h < of->swap.households; h++)
		left += level[h] < levels && from[h] == h;
	unit_check(same && is_kept(of, from) && counts.moved == slow->moved &&
				   counts.at_risk == at_risk && counts.left >= left,
			   "%d records of %d households, %d levels, k %d, share %g: %d at "
			   "risk, %d left, %d moved",
			   records, of->swap.households, levels, k, share, counts.at_risk,
			   counts.left, counts.moved);
	free(of);
	free(slow);
}

/* Who stands out most is taken first: the share is met, and by whom. */
static void
check_targets(void)
{
	const int rounds = 300;
	int rare = 0;
	int common = 0;
	int moved = 0;
	int wanted = 0;
	int r;

	for (r = 0; r < rounds; r++)
	{
		int32_t from[MOST];
		SdcRandom random;
		Case *of;
		int h;

		sdc_random_seed(&random, (uint64_t) r, 52);
		of = draw_case(200, 1, 1, 1, &random);
		/* each a household of its own, the first of a kind in their area */
		of->swap.households = 200;
		memset(of->stays, 0, sizeof(of->stays));
		for (h = 0; h < 200; h++)
		{
			of->household[h] = h;
			of->area[0][h] = h % 2;
			of->risk[h] = h < 20 ? h / 4 : 5;
		}
		of->swap.share = 0.1;
		moved += sdc_record_swap(unit_host(), &of->swap, &random, from).moved;
		wanted += 20;
		for (h = 0; h < 200; h++)
		{
			rare += h < 20 && from[h] != h;
			common += h >= 20 && from[h] != h;
		}
		free(of);
	}
	/* 20 of weight 1/2 against 180 of weight 1/90, until they are used up: one
	 * of them moves more than 20 times as often */
	unit_check(moved == wanted && 9 * rare > 20 * common,
			   "%d of %d moved, %d of those who stand out, %d others", moved,
			   wanted, rare, common);
}

int
main(void)
{
	int seed;

	unit_start("record_swap");
	for (seed = 0; seed < 40; seed++)
		check_case(1 + seed * 4, 1 + seed % 3, 1 + seed % 7, 1 + seed % 4,
				   seed % 5, seed % 3 * 0.2, (uint64_t) seed);
	check_case(300, 3, 4, 2, 3, 0, 90);
	check_case(300, 2, 30, 1, 3, 1, 91);
	check_targets();
	return unit_finish();
}
