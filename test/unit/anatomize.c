/*
 * anatomize.c
 *		Anatomy: what Xiao and Tao prove of their groups, and that records are
 *		drawn evenly.
 *
 * The theorem has no other answer to compare with: each of n / l groups has
 * at least l records, all with different values, whenever no value has more
 * than n / l records, and there is none otherwise.
 */
#include "unit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/base/random.h"
#include "kernel/generalization/anatomize.h"
#include "statistics.h"

#define MOST 60

/* Does any group have a value twice, or fewer than l records? */
static bool
is_wrong(const int32_t *code, const int32_t *group, int32_t n, int32_t l,
		 int32_t groups)
{
	int32_t size[MOST] = {0};
	int32_t i;
	int32_t j;

	for (i = 0; i < n; i++)
	{
		if (group[i] < 0 || group[i] >= groups)
			return true;
		size[group[i]]++;
		for (j = 0; j < i; j++)
			if (group[i] == group[j] && code[i] == code[j])
				return true;
	}
	for (i = 0; i < groups; i++)
		if (size[i] < l)
			return true;
	return false;
}

static int32_t
largest_bucket(const int32_t *code, int32_t n)
{
	int32_t count[MOST] = {0};
	int32_t largest = 0;
	int32_t i;

	for (i = 0; i < n; i++)
		if (++count[code[i]] > largest)
			largest = count[code[i]];
	return largest;
}

static void
check_theorem(SdcRandom *random)
{
	int32_t code[MOST];
	int32_t group[MOST];
	int wrong = 0;
	int eligible = 0;
	int residues = 0;
	int trial;

	for (trial = 0; trial < 20000; trial++)
	{
		int32_t n = 1 + (int32_t) sdc_random_below(random, MOST);
		int32_t values = 1 + (int32_t) sdc_random_below(random, 12);
		int32_t l = 1 + (int32_t) sdc_random_below(random, 5);
		int32_t groups;
		int32_t i;

		for (i = 0; i < n; i++)
			code[i] = (int32_t) sdc_random_below(
				random, 1 + sdc_random_below(random, values));
		groups = sdc_anatomize_group(unit_host(), code, n, values, l, random,
									 group);
		if (largest_bucket(code, n) * l > n)
			wrong += groups != -1;
		else
		{
			eligible++;
			residues += n % l > 0;
			wrong += groups != n / l || is_wrong(code, group, n, l, groups);
		}
		unit_release_all();
	}
	unit_check(wrong == 0, "no wrong group in %d tables, %d with a residue",
			   eligible, residues);
	unit_check(eligible > 1000 && residues > 1000, "enough of both");
}

/*
 * Records of one value are exchangeable: record 0 meets each record of the
 * other value equally often, and so does the record of the third value.
 */
static void
check_even(SdcRandom *random)
{
	/* three groups, and one record more */
	static const int32_t code[] = {0, 0, 0, 1, 1, 1, 2};
	const int trials = 30000;
	double partner[3] = {0};
	double joined[3] = {0};
	int32_t group[7];
	int trial;
	int k;

	for (trial = 0; trial < trials; trial++)
	{
		sdc_anatomize_group(unit_host(), code, 7, 3, 2, random, group);
		unit_release_all();
		for (k = 0; k < 3; k++)
		{
			partner[k] += group[0] == group[3 + k];
			joined[k] += group[6] == group[k];
		}
	}
	for (k = 1; k < 3; k++)
	{
		double sum = partner[0] + partner[k];
		double half[2] = {sum / 2, sum / 2};
		double pair[2] = {partner[0], partner[k]};

		unit_check(chi_square(pair, half, 2) < chi_square_limit(1),
				   "partners 0 and %d are as likely", k);
		sum = joined[0] + joined[k];
		half[0] = half[1] = sum / 2;
		pair[0] = joined[0];
		pair[1] = joined[k];
		unit_check(chi_square(pair, half, 2) < chi_square_limit(1),
				   "the third value beside 0 and %d is as likely", k);
	}
}

/* Positions go group by group, and every order within a group is as likely. */
static void
check_places(SdcRandom *random)
{
	static const int32_t group[] = {1, 0, 1, 1, 0};
	const int trials = 24000;
	double seen[6] = {0};
	double expected[6];
	double together = 0;
	int32_t position[5];
	int32_t again[5];
	bool right = true;
	int trial;
	int k;

	for (k = 0; k < 6; k++)
		expected[k] = trials / 6.0;
	for (trial = 0; trial < trials; trial++)
	{
		int32_t taken = 0;

		sdc_anatomize_place(unit_host(), group, 5, 2, random, position);
		sdc_anatomize_place(unit_host(), group, 5, 2, random, again);
		unit_release_all();
		for (k = 0; k < 5; k++)
		{
			taken |= 1 << position[k];
			right = right && (position[k] >= 2) == (group[k] == 1);
		}
		right = right && taken == 31;
		k = 2 * (position[0] - 2) + (position[2] > position[3]);
		seen[k]++;
		together += position[0] == again[0];
	}
	unit_check(right, "positions go group by group");
	unit_check(chi_square(seen, expected, 6) < chi_square_limit(5),
			   "all orders are as likely");
	/* a record meets its own value in one of three cases */
	unit_check(fabs(together - trials / 3.0) < SIGMAS * sqrt(trials * 2.0 / 9),
			   "two orders are independent");
}

int
main(void)
{
	static const int32_t all[] = {4, 2, 0, 1, 3};
	int32_t group[5];
	SdcRandom random;
	SdcRandom again;
	int32_t first[5];

	unit_start("anatomize");
	sdc_random_seed(&random, 2006, 0);
	check_theorem(&random);
	check_even(&random);
	check_places(&random);
	unit_check(
		sdc_anatomize_group(unit_host(), all, 0, 5, 2, &random, group) == 0,
		"no record, no group");
	unit_check(
		sdc_anatomize_group(unit_host(), all, 1, 5, 2, &random, group) == -1,
		"one record is not eligible");
	unit_check(
		sdc_anatomize_group(unit_host(), all, 5, 5, 5, &random, group) == 1,
		"all values differ: one group");
	again = random;
	sdc_anatomize_group(unit_host(), all, 5, 5, 2, &random, first);
	sdc_anatomize_group(unit_host(), all, 5, 5, 2, &again, group);
	unit_check(memcmp(first, group, sizeof(first)) == 0,
			   "the same stream gives the same groups");
	return unit_finish();
}
