/*
 * diverse_group.c
 *		The greedy scan against its definition, and the remainder rule.
 *
 * The oracle counts each prefix of a group anew, and finds the groups that the
 * remainder is merged with by trying them from the last to the first.
 */
#include "unit.h"

#include <stdlib.h>
#include <string.h>

#include "kernel/base/random.h"
#include "kernel/generalization/anatomize.h"

#define MOST 40

/* Are the records from first to end - 1 l-diverse? */
static bool
diverse(const int32_t *code, int32_t first, int32_t end, double l)
{
	int32_t largest = 0;
	int32_t i;
	int32_t j;

	for (i = first; i < end; i++)
	{
		int32_t same = 0;

		for (j = first; j < end; j++)
			same += code[j] == code[i];
		largest = same > largest ? same : largest;
	}
	return (double) (end - first) / largest >= l;
}

static int32_t
oracle(const int32_t *code, int32_t n, double l, int32_t *group)
{
	int32_t start[MOST + 1] = {0};
	int32_t groups = 0;
	int32_t i;
	int32_t g;

	for (i = 0; i < n; i++)
		if (diverse(code, start[groups], i + 1, l))
			start[++groups] = i + 1;
	if (start[groups] < n)
	{
		while (groups >= 0 && !diverse(code, start[groups], n, l))
			groups--;
		groups++;
	}
	for (g = 0; g < groups; g++)
		for (i = start[g]; i < n; i++)
			group[i] = g;
	return groups > 0 || n == 0 ? groups : -1;
}

static void
check_random(SdcRandom *random)
{
	static const double ls[] = {1, 1.5, 2, 2.5, 3, 4};
	int32_t code[MOST];
	int32_t group[MOST];
	int32_t expected[MOST];
	bool same = true;
	bool whole = true;
	int trial;
	int failed = 0;
	int merged = 0;

	for (trial = 0; trial < 20000; trial++)
	{
		int32_t n = (int32_t) sdc_random_below(random, MOST + 1);
		int32_t values = 1 + (int32_t) sdc_random_below(random, 6);
		double l = ls[sdc_random_below(random, 6)];
		int32_t groups;
		int32_t i;

		for (i = 0; i < n; i++)
			code[i] = (int32_t) sdc_random_below(
				random, 1 + sdc_random_below(random, values));
		groups =
			sdc_diverse_group_scan(unit_host(), code, n, values, l, group);
		same = same && groups == oracle(code, n, l, expected);
		failed += groups < 0;
		if (groups < 0)
			continue;
		same = same && memcmp(group, expected, sizeof(int32_t) * n) == 0;
		/* each group is l-diverse, whatever way it came about */
		for (i = 0; i < n;)
		{
			int32_t end = i;

			while (end < n && group[end] == group[i])
				end++;
			whole = whole && diverse(code, i, end, l);
			merged += end == n && end - i > 1 && diverse(code, i, end - 1, l);
			i = end;
		}
		unit_release_all();
	}
	unit_check(same, "groups as defined");
	unit_check(whole, "all groups are l-diverse");
	unit_check(failed > 100, "%d sequences cannot be grouped", failed);
	unit_check(merged > 100, "%d sequences had a remainder", merged);
}

static void
check_sequence(const char *name, const int32_t *code, int32_t n, double l,
			   int32_t groups, const int32_t *expected)
{
	int32_t group[MOST];
	int32_t found = sdc_diverse_group_scan(unit_host(), code, n, 10, l, group);

	unit_check(found == groups, "%s: %d groups", name, found);
	if (found == groups && found > 0)
		unit_check(memcmp(group, expected, sizeof(int32_t) * n) == 0,
				   "%s: their records", name);
}

int
main(void)
{
	/* EX-GRD: salaries 50, 50, 60, 65, 50, 60 */
	static const int32_t salary[] = {0, 0, 1, 2, 0, 1};
	static const int32_t salary_group[] = {0, 0, 0, 0, 1, 1};
	/* the remainder 0, 0 would spoil the last group; two are merged */
	static const int32_t far[] = {1, 2, 3, 4, 0, 1, 0, 0};
	static const int32_t far_group[] = {0, 0, 1, 1, 1, 1, 1, 1};
	static const int32_t equal[] = {3, 3, 3};
	SdcRandom random;

	unit_start("diverse_group");
	sdc_random_seed(&random, 16, 0);
	check_sequence("EX-GRD-1", salary, 6, 2, 2, salary_group);
	check_sequence("remainder", far, 8, 2, 2, far_group);
	check_sequence("one value", equal, 3, 2, -1, NULL);
	check_sequence("no record", equal, 0, 2, 0, NULL);
	check_sequence("one record", equal, 1, 1.01, -1, NULL);
	check_random(&random);
	return unit_finish();
}
