/*
 * shift.c
 *		Shifts of groups, against the commonest difference of all pairs.
 */
#include <string.h>

#include "kernel/base/random.h"
#include "kernel/intruder/learn.h"
#include "unit.h"

#define GROUPS 40
#define N      1000
#define REACH  200

static SdcRandom random_state;

static int32_t
below(int32_t n)
{
	return (int32_t) sdc_random_below(&random_state, (uint64_t) n);
}

/* The difference that most pairs of a group have; -1: several do. */
static int32_t
commonest(const SdcShiftValue *a, const SdcShiftValue *b, uint32_t group)
{
	int32_t count[2 * REACH + 1] = {0};
	int32_t best = 0;
	int32_t i;
	int32_t j;

	for (i = 0; i < N; i++)
		for (j = 0; j < N; j++)
		{
			int64_t d = b[j].unit - a[i].unit + REACH;

			if (a[i].group == group && b[j].group == group &&
				a[i].rest == b[j].rest && d >= 0 && d <= 2 * REACH)
				count[d]++;
		}
	for (i = 1; i <= 2 * REACH; i++)
		best = count[i] > count[best] ? i : best;
	for (i = 0; i <= 2 * REACH; i++)
		if (i != best && count[i] == count[best])
			return -1;
	return best - REACH;
}

/* wrong: so many of 1,000 values are not what they are taken to be. */
static void
check_groups(int32_t spread, int32_t rests, int32_t wrong, const char *what)
{
	static SdcShiftValue person[N];
	static SdcShiftValue record[N];
	SdcShiftRange range[N];
	int32_t shift[GROUPS];
	int32_t right = 0;
	int32_t missed = 0;
	int32_t naive = 0;
	int32_t g;
	int32_t i;

	for (g = 0; g < GROUPS; g++)
		shift[g] = below(2 * REACH + 1) - REACH;
	for (i = 0; i < N; i++)
	{
		g = i < 2 ? i : 2 + below(GROUPS - 2);
		person[i] = (SdcShiftValue){(uint32_t) g, (uint32_t) below(rests),
									below(spread) - spread / 2};
		record[i] = person[i];
		record[i].unit += shift[g];
		if (below(1000) < wrong)
			person[i].unit += 7 + below(50);
	}
	sdc_shift_learn(unit_host(), person, N, record, N, REACH, 1,
					wrong == 0 ? 1e-3 : 2e-3 * wrong, range);
	for (i = 2; i < N; i++)
	{
		g = (int32_t) person[i].group;
		right += range[i].low == shift[g] && range[i].high == shift[g];
		missed += shift[g] < range[i].low || shift[g] > range[i].high;
	}
	for (g = 2; g < GROUPS; g++)
		naive += commonest(person, record, (uint32_t) g) == shift[g];
	unit_check(missed == 0, "%s: the shift is always possible (%d)", what,
			   (int) missed);
	unit_check(right >= (int) (0.95 * N) && naive >= 0.9 * (GROUPS - 2),
			   "%s: %d of %d have one shift, the right one; the commonest "
			   "difference is right in %d of %d groups",
			   what, (int) right, N - 2, (int) naive, GROUPS - 2);
	unit_release_all();
}

/* Who is alone, or in no record's group, or in a sample, may be anywhere. */
static void
check_unsure(void)
{
	SdcShiftValue person[3] = {{1, 0, 100}, {2, 0, 50}, {4, 0, 7}};
	SdcShiftValue record[3] = {{1, 0, 110}, {3, 0, 50}, {4, 1, 8}};
	SdcShiftRange range[3];
	int i;

	sdc_shift_learn(unit_host(), person, 3, record, 3, REACH, 1, 1e-3, range);
	unit_check(range[0].low == 10 && range[0].high == 10,
			   "one person and one record: %d to %d", (int) range[0].low,
			   (int) range[0].high);
	for (i = 1; i < 3; i++)
		unit_check(range[i].low == -REACH && range[i].high == REACH,
				   "no record to compare with: %d to %d", (int) range[i].low,
				   (int) range[i].high);
	sdc_shift_learn(unit_host(), person, 1, record, 1, REACH, 0.1, 1e-3,
					range);
	unit_check(range[0].low == -REACH && range[0].high == REACH,
			   "one of a sample proves little: %d to %d", (int) range[0].low,
			   (int) range[0].high);
	sdc_shift_learn(unit_host(), person, 0, record, 3, REACH, 1, 1e-3, range);
	unit_release_all();
}

int
main(void)
{
	unit_start("shifts of groups");
	sdc_random_seed(&random_state, 11, 3);
	check_groups(15000, 1, 0, "sparse days");
	check_groups(2000, 1, 50, "errors");
	check_groups(300, 24, 0, "days with hours");
	check_unsure();
	return unit_finish();
}
