/*
 * alternatives.c
 *		What alternatives that were passed over give away.
 *
 * The oracle goes through all arrangements of all records at once and judges
 * every alternative, without parts, sets or weights.
 */
#include "unit.h"

#include <math.h>
#include <string.h>

#include "kernel/base/random.h"
#include "kernel/generalization/alternatives.h"

#define MOST  9
#define KINDS 3

/* A small release. */
typedef struct Small
{
	SdcAlternatives given;
	int32_t least; /* different values that pass */
	int32_t size[MOST];
	int32_t class_of[MOST];
	int32_t value[MOST];
	int32_t class_first[MOST + 1];
	int32_t group_first[4 * MOST + 1];
	int32_t unit[16 * MOST];
	int32_t alternative_first[MOST + 1];
	int32_t group[4 * MOST];
} Small;

static bool
passes(void *argument, const int32_t *value, int32_t records)
{
	const Small *small = argument;
	int seen = 0;
	int32_t i;

	for (i = 0; i < records; i++)
		seen |= 1 << value[i] % 31;
	return __builtin_popcount((unsigned) seen) >= small->least;
}

static void
draw_units(Small *small, SdcRandom *random, int32_t records)
{
	int32_t class = -1;
	int32_t left = 0;
	int32_t done = 0;
	int32_t i;
	int32_t j;

	while (done < records)
	{
		int32_t size = 1 + (int32_t) sdc_random_below(random, 2);

		if (left == 0)
		{
			class ++;
			small->class_first[class] = done;
			left = 2 + (int32_t) sdc_random_below(random, 3);
			left = left > records - done ? records - done : left;
		}
		size = size > left ? left : size;
		small->size[small->given.units] = size;
		small->class_of[small->given.units++] = class;
		left -= size;
		done += size;
	}
	small->given.classes = class + 1;
	small->class_first[class + 1] = records;
	for (i = 0; i < records; i++)
		small->value[i] = (int32_t) sdc_random_below(random, KINDS);
	for (class = 0; class < small->given.classes; class ++)
		for (i = small->class_first[class]; i < small->class_first[class + 1];
			 i++)
			for (j = i; j > small->class_first[class] &&
						small->value[j] < small->value[j - 1];
				 j--)
			{
				int32_t swap = small->value[j];

				small->value[j] = small->value[j - 1];
				small->value[j - 1] = swap;
			}
}

/* Each unit goes to one of some groups, or to none. */
static void
draw_alternative(Small *small, SdcRandom *random)
{
	SdcAlternatives *given = &small->given;
	int32_t a = given->alternative.lists++;
	int32_t groups = 1 + (int32_t) sdc_random_below(random, 3);
	bool local = sdc_random_below(random, 2) == 0;
	int32_t of[MOST];
	int32_t g;
	int32_t u;

	for (u = 0; u < given->units; u++)
		of[u] = local && small->class_of[u] > 0
					? -1
					: (int32_t) sdc_random_below(random, 4) - 1;
	small->alternative_first[a + 1] = small->alternative_first[a];
	for (g = 0; g < groups; g++)
	{
		int32_t end = small->group_first[given->group.lists];

		for (u = 0; u < given->units; u++)
			if (of[u] == g)
				small->unit[end++] = u;
		if (end == small->group_first[given->group.lists])
			continue;
		small->group[small->alternative_first[a + 1]++] = given->group.lists;
		small->group_first[++given->group.lists] = end;
	}
	if (small->alternative_first[a + 1] == small->alternative_first[a])
		given->alternative.lists--;
}

static void
draw_small(Small *small, SdcRandom *random)
{
	SdcAlternatives *given = &small->given;
	int32_t records = 3 + (int32_t) sdc_random_below(random, MOST - 2);
	int32_t count = 1 + (int32_t) sdc_random_below(random, 4);

	memset(small, 0, sizeof(*small));
	draw_units(small, random, records);
	small->least = 2 + (int32_t) sdc_random_below(random, 2);
	while (count-- > 0)
		draw_alternative(small, random);
	given->size = small->size;
	given->class_of = small->class_of;
	given->values.lists = given->classes;
	given->values.first = small->class_first;
	given->values.item = small->value;
	given->kinds = KINDS;
	given->group.first = small->group_first;
	given->group.item = small->unit;
	given->alternative.first = small->alternative_first;
	given->alternative.item = small->group;
	given->passes = passes;
	given->argument = small;
	given->work = 1e6;
}

/* What the oracle counts. */
typedef struct Tally
{
	const Small *small;
	int32_t record; /* records */
	int32_t class_of[MOST];
	int32_t unit_of[MOST];
	int32_t left[MOST][KINDS];
	int32_t code[MOST];
	double possible;
	double has[MOST][KINDS];
} Tally;

static bool
is_possible(const Tally *tally)
{
	const SdcAlternatives *given = &tally->small->given;
	int32_t a;
	int32_t i;
	int32_t r;

	for (a = 0; a < given->alternative.lists; a++)
	{
		bool all = true;

		for (i = given->alternative.first[a];
			 i < given->alternative.first[a + 1]; i++)
		{
			int32_t g = given->alternative.item[i];
			int seen = 0;
			int32_t u;

			for (u = given->group.first[g]; u < given->group.first[g + 1]; u++)
				for (r = 0; r < tally->record; r++)
					if (tally->unit_of[r] == given->group.item[u])
						seen |= 1 << tally->code[r];
			all = all &&
				  __builtin_popcount((unsigned) seen) >= tally->small->least;
		}
		if (all)
			return false;
	}
	return true;
}

static void
enumerate(Tally *tally, int32_t r)
{
	int32_t v;

	if (r == tally->record)
	{
		if (!is_possible(tally))
			return;
		tally->possible++;
		for (r = 0; r < tally->record; r++)
			tally->has[tally->unit_of[r]][tally->code[r]] +=
				1.0 / tally->small->size[tally->unit_of[r]];
		return;
	}
	for (v = 0; v < KINDS; v++)
		if (tally->left[tally->class_of[r]][v] > 0)
		{
			tally->left[tally->class_of[r]][v]--;
			tally->code[r] = v;
			enumerate(tally, r + 1);
			tally->left[tally->class_of[r]][v]++;
		}
}

static void
count_all(Tally *tally, const Small *small)
{
	int32_t u;
	int32_t i;

	memset(tally, 0, sizeof(*tally));
	tally->small = small;
	for (u = 0; u < small->given.units; u++)
		for (i = 0; i < small->size[u]; i++)
		{
			int32_t class = small->class_of[u];

			tally->class_of[tally->record] = class;
			tally->unit_of[tally->record] = u;
			tally->left[class][small->value[tally->record]]++;
			tally->record++;
		}
	enumerate(tally, 0);
}

/* The largest difference of a belief; infinity where one is missing. */
static double
compare(const Small *small, const SdcAlternativesBelief *found,
		const Tally *tally)
{
	double worst = 0;
	int32_t u;
	int32_t v;

	for (u = 0; u < small->given.units; u++)
	{
		size_t place = found->offset[u];

		for (v = 0; v < KINDS; v++)
		{
			double exact = tally->has[u][v] / tally->possible;

			if (tally->left[small->class_of[u]][v] == 0)
				continue;
			if (!(fabs(found->belief[place] - exact) <= worst))
				worst = isnan(found->belief[place])
							? INFINITY
							: fabs(found->belief[place] - exact);
			/* certainty is exact */
			if ((exact == 0) != (found->belief[place] == 0))
				worst = INFINITY;
			place++;
		}
		if (place != found->offset[u + 1])
			worst = INFINITY;
	}
	return worst;
}

static void
check_small(void)
{
	SdcRandom random;
	Small small;
	Tally tally;
	SdcAlternativesBelief found;
	double worst = 0;
	int tables = 500;
	int possible = 0;
	int changed = 0;
	int wrong = 0;
	int i;

	sdc_random_seed(&random, 11, 0);
	for (i = 0; i < tables; i++)
	{
		double error;

		draw_small(&small, &random);
		count_all(&tally, &small);
		sdc_alternatives_solve(unit_host(), &small.given, &found);
		wrong += found.possible != (tally.possible > 0) ||
				 found.drawn + found.unknown + found.spared > 0;
		if (found.possible)
		{
			error = compare(&small, &found, &tally);
			worst = error > worst ? error : worst;
			possible++;
			changed += tally.has[0][small.value[0]] != 0 &&
					   tally.has[0][small.value[0]] != tally.possible;
		}
		sdc_alternatives_release(unit_host(), &found);
		unit_release_all();
	}
	unit_check(wrong == 0 && worst < 1e-12 && possible > tables / 4 &&
				   changed > tables / 10,
			   "%d small tables, %d possible, as counted: worst %g, wrong %d",
			   tables, possible, worst, wrong);
}

/* One class of n records; the first half must not all have one value. */
static void
check_drawn(void)
{
	enum
	{
		N = 40
	};
	SdcAlternatives given;
	SdcAlternativesBelief found;
	SdcAlternativesBelief again;
	Small small;
	int32_t size[2] = {4, N - 4};
	int32_t class_of[2] = {0, 0};
	int32_t value[N];
	int32_t class_first[2] = {0, N};
	int32_t group_first[2] = {0, 1};
	int32_t unit[1] = {0};
	int32_t alternative_first[2] = {0, 1};
	int32_t group[1] = {0};
	double one = 1; /* all four of value 0, or all four of value 1 */
	double zero = 1;
	double exact;
	int i;

	memset(&given, 0, sizeof(given));
	small.least = 2;
	for (i = 0; i < N; i++)
		value[i] = i >= 30;
	for (i = 0; i < 4; i++)
	{
		zero *= (30.0 - i) / (N - i);
		one *= (10.0 - i) / (N - i);
	}
	exact = zero / (zero + one);
	given.units = 2;
	given.size = size;
	given.class_of = class_of;
	given.classes = 1;
	given.values = (SdcLists){1, class_first, value};
	given.kinds = 2;
	given.group = (SdcLists){1, group_first, unit};
	given.alternative = (SdcLists){1, alternative_first, group};
	given.passes = passes;
	given.argument = &small;
	given.work = 1e7;
	sdc_alternatives_solve(unit_host(), &given, &found);
	sdc_alternatives_solve(unit_host(), &given, &again);
	/* 29 % of 100,000 draws are possible: five standard errors are .0026 */
	unit_check(found.drawn == 2 && found.unknown == 0 &&
				   fabs(found.belief[0] - exact) < 0.0026,
			   "a class too large to be counted is drawn: %g, exactly %g",
			   found.belief[0], exact);
	unit_check(memcmp(found.belief, again.belief, 4 * sizeof(double)) == 0,
			   "and drawn alike each time");
	/* no four of so many values pass: nothing can be said */
	for (i = 0; i < N; i++)
		value[i] = i;
	given.kinds = N;
	small.least = 0;
	sdc_alternatives_solve(unit_host(), &given, &found);
	unit_check(found.unknown == 2 && isnan(found.belief[0]),
			   "where no draw is possible nothing is known");
	unit_release_all();
}

/* More spanning alternatives than are looked at: those left out are told. */
static void
check_spared(void)
{
	enum
	{
		PAIRS = 12
	};
	SdcAlternatives given;
	SdcAlternativesBelief found;
	Small small;
	int32_t size[2 * 2] = {1, 1, 1, 1};
	int32_t class_of[4] = {0, 0, 1, 1};
	int32_t value[4] = {0, 1, 0, 1};
	int32_t class_first[3] = {0, 2, 4};
	int32_t group_first[2 * PAIRS + 1];
	int32_t unit[2 * PAIRS];
	int32_t alternative_first[PAIRS + 1];
	int32_t group[2 * PAIRS];
	int i;

	memset(&given, 0, sizeof(given));
	small.least = 2;
	for (i = 0; i < 2 * PAIRS; i++)
	{
		unit[i] = i % 2 * 2;
		group_first[i] = i;
		group[i] = i;
	}
	group_first[2 * PAIRS] = 2 * PAIRS;
	for (i = 0; i <= PAIRS; i++)
		alternative_first[i] = 2 * i;
	given.units = 4;
	given.size = size;
	given.class_of = class_of;
	given.classes = 2;
	given.values = (SdcLists){2, class_first, value};
	given.kinds = 2;
	given.group = (SdcLists){2 * PAIRS, group_first, unit};
	given.alternative = (SdcLists){PAIRS, alternative_first, group};
	given.passes = passes;
	given.argument = &small;
	given.work = 1e6;
	sdc_alternatives_solve(unit_host(), &given, &found);
	unit_check(found.possible &&
				   found.spared == PAIRS - SDC_ALTERNATIVES_SPANNING &&
				   fabs(found.belief[0] - 0.5) < 1e-12,
			   "%d spanning alternatives are left out and told", found.spared);
	unit_release_all();
}

int
main(void)
{
	unit_start("alternatives");
	check_small();
	check_drawn();
	check_spared();
	return unit_finish();
}
