/*
 * free_set.c
 *		Draws from a shrinking set against a plain list of its members.
 *
 * Sets of all densities are used, so that short ranges, random tries and the
 * tree of counts all have to draw; each must be uniform.
 */
#include "unit.h"

#include <stdlib.h>
#include <string.h>

#include "kernel/base/random.h"
#include "kernel/mask/rank_swap.c"
#include "statistics.h"

/* Many draws from one range; want[] says which numbers are members. */
static void
check_draws(SdcFreeSet *set, const bool *want, int32_t low, int32_t high,
			SdcRandom *random, const char *what)
{
	int32_t last = high < set->n ? high : set->n - 1;
	double *count = calloc((size_t) set->n + 1, sizeof(double));
	double *cell = calloc((size_t) set->n + 1, sizeof(double));
	bool inside = true;
	int cells = 0;
	int32_t i;
	int draw;

	for (i = low; i <= last; i++)
		cells += want[i];
	for (draw = 0; draw < 100 * (cells + 1); draw++)
	{
		int32_t number =
			sdc_free_set_draw(set, unit_host(), low, high, random);

		if (number < 0)
			inside = inside && cells == 0;
		else
		{
			inside = inside && number >= low && number <= last && want[number];
			count[number]++;
		}
	}
	cells = 0;
	for (i = low; i <= last; i++)
		if (want[i])
			cell[cells++] = count[i];
	unit_check(inside, "%s, %d .. %d: members only", what, (int) low,
			   (int) high);
	if (cells > 1)
		unit_check(looks_uniform(cell, cells), "%s, %d .. %d: uniform of %d",
				   what, (int) low, (int) high, cells);
	free(count);
	free(cell);
}

static void
check_next(SdcFreeSet *set, const bool *want, const char *what)
{
	bool right = true;
	int32_t low;

	for (low = 0; low <= set->n + 2; low++)
	{
		int32_t i = low;

		while (i < set->n && !want[i])
			i++;
		right = right && sdc_free_set_next(set, unit_host(), low) ==
							 (i < set->n ? i : -1);
	}
	unit_check(right, "%s: next", what);
}

/* Takes members out at random until the given number is left. */
static void
thin_out(SdcFreeSet *set, bool *want, int32_t left, SdcRandom *random)
{
	int32_t members = 0;
	int32_t i;

	for (i = 0; i < set->n; i++)
		members += want[i];
	while (members > left)
	{
		i = (int32_t) sdc_random_below(random, set->n);
		if (!want[i])
			continue;
		want[i] = false;
		sdc_free_set_take(set, i);
		members--;
	}
}

static void
check_set(int32_t n, SdcRandom *random)
{
	bool *want = malloc(((size_t) n + 1) * sizeof(bool));
	int32_t left[] = {n, n - n / 4, n / 2, n / 10, n / 50, 3, 1, 0};
	SdcFreeSet set;
	char what[100];
	bool has = true;
	int32_t i;
	int round;

	memset(want, true, n);
	sdc_free_set_init(&set, unit_host(), n);
	for (round = 0; round < 8; round++)
	{
		thin_out(&set, want, left[round], random);
		snprintf(what, sizeof(what), "n = %d, %d left", (int) n,
				 (int) left[round]);
		for (i = 0; i < n; i++)
			has = has && sdc_free_set_has(&set, i) == want[i];
		unit_check(has, "%s: has", what);
		check_draws(&set, want, 0, n - 1, random, what);
		check_draws(&set, want, n / 3, n + 5, random, what);
		check_draws(&set, want, n / 4, n / 4 + 127, random, what);
		check_draws(&set, want, n / 4, n / 4 + 128, random, what);
		check_draws(&set, want, n / 2, n / 2, random, what);
		check_draws(&set, want, 1, 0, random, what);
		check_next(&set, want, what);
	}
	free(want);
}

int
main(void)
{
	static const int32_t sizes[] = {1,   2,   63,  64,   65,
									128, 129, 500, 1000, 4096};
	SdcRandom random;
	int i;

	unit_start("free_set");
	sdc_random_seed(&random, 1, 0);
	for (i = 0; i < 10; i++)
		check_set(sizes[i], &random);
	return unit_finish();
}
