/*
 * minimality.c
 *		The attack against a count of all assignments.
 *
 * The oracle goes through every different order of the values and lets the
 * algorithm itself (sdc_diverse_group_scan) group it.
 */
#include "unit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/generalization/anatomize.h"

#define MOST  9
#define AFTER 8

/* What the oracle counts. */
typedef struct Tally
{
	int32_t n;
	int32_t values;
	double l;
	bool last;
	int32_t left[MOST];
	int32_t code[MOST + AFTER];
	int64_t all;
	int64_t consistent;
	int64_t has[MOST][MOST]; /* record i has value v */
} Tally;

static Tally
start(int32_t n, int32_t values, double l, bool last)
{
	Tally tally;

	memset(&tally, 0, sizeof(tally));
	tally.n = n;
	tally.values = values;
	tally.l = l;
	tally.last = last;
	return tally;
}

/*
 * Would the algorithm make just this group?  When it is not the last one,
 * different values follow, which make groups of their own.
 */
static bool
is_made(Tally *tally)
{
	int32_t group[MOST + AFTER];
	int32_t after = tally->last ? 0 : AFTER;
	int32_t groups;
	int32_t i;

	for (i = 0; i < after; i++)
		tally->code[tally->n + i] = tally->values + i;
	groups = sdc_diverse_group_scan(unit_host(), tally->code, tally->n + after,
									tally->values + after, tally->l, group);
	if (tally->last)
		return groups == 1;
	return group[0] == 0 && group[tally->n - 1] == 0 && group[tally->n] == 1;
}

static void
enumerate(Tally *tally, int32_t i)
{
	int32_t v;

	if (i == tally->n)
	{
		tally->all++;
		if (!is_made(tally))
			return;
		tally->consistent++;
		for (i = 0; i < tally->n; i++)
			tally->has[i][tally->code[i]]++;
		return;
	}
	for (v = 0; v < tally->values; v++)
		if (tally->left[v] > 0)
		{
			tally->left[v]--;
			tally->code[i] = v;
			enumerate(tally, i + 1);
			tally->left[v]++;
		}
}

static double
belief(const SdcMinimality *result, int32_t record, int32_t value)
{
	return result->posterior[(size_t) record * result->classes +
							 result->class_of[value]];
}

/* Does the kernel agree with the oracle? */
static bool
agrees(Tally *tally, const int32_t *count)
{
	SdcMinimality result;
	SdcMinimalityAnswer answer;
	int32_t i;
	int32_t v;
	bool same = true;

	memcpy(tally->left, count, sizeof(int32_t) * tally->values);
	enumerate(tally, 0);
	answer = sdc_minimality_solve(unit_host(), count, tally->values, tally->l,
								  tally->last, &result);
	if (tally->consistent == 0)
		return answer == SDC_MINIMALITY_NONE;
	if (answer != SDC_MINIMALITY_FOUND)
		return false;
	same = fabs(result.consistent -
				(double) tally->consistent / (double) tally->all) < 1e-12;
	for (i = 0; i < tally->n; i++)
		for (v = 0; v < tally->values; v++)
		{
			double exact =
				(double) tally->has[i][v] / (double) tally->consistent;
			double found = belief(&result, i, v);

			same = same && fabs(found - exact) < 1e-12;
			/* certainty is exact */
			same = same && (found == 0) == (exact == 0) &&
				   (found == 1) == (exact == 1);
		}
	return same;
}

/* All groups of n records: counts that add up to n, in falling order. */
static void
check_partitions(Tally *tally, int32_t *count, int32_t left, int *groups,
				 int *wrong)
{
	int32_t next;

	if (left == 0)
	{
		Tally fresh = start(tally->n, tally->values, tally->l, tally->last);

		++*groups;
		*wrong += !agrees(&fresh, count);
		unit_release_all();
		return;
	}
	next = tally->values == 0 ? left : count[tally->values - 1];
	for (next = next < left ? next : left; next > 0; next--)
	{
		count[tally->values++] = next;
		check_partitions(tally, count, left - next, groups, wrong);
		tally->values--;
	}
}

static void
check_all(double l, bool last)
{
	int groups = 0;
	int wrong = 0;
	int32_t count[MOST];
	int32_t n;

	for (n = 1; n <= 7; n++)
	{
		Tally tally = start(n, 0, l, last);

		check_partitions(&tally, count, n, &groups, &wrong);
	}
	unit_check(wrong == 0, "l = %g, %s: all %d groups of up to 7 records", l,
			   last ? "last" : "not last", groups);
}

/* Larger groups: last ones may be mergers, in others classes are forgotten. */
static void
check_larger(void)
{
	static const struct
	{
		int32_t values;
		int32_t count[4];
		double l;
		bool last;
	} group[] = {
		{3, {4, 3, 2}, 2, true},        {3, {4, 4, 1}, 2, true},
		{3, {3, 3, 3}, 2, true},        {3, {4, 3, 2}, 2.25, false},
		{4, {4, 2, 2, 1}, 2.25, false}, {4, {3, 3, 2, 1}, 3, false},
		{4, {3, 2, 2, 2}, 3, false},    {4, {4, 3, 1, 1}, 2.25, false}};
	size_t i;

	for (i = 0; i < sizeof(group) / sizeof(group[0]); i++)
	{
		Tally tally = start(9, group[i].values, group[i].l, group[i].last);
		bool same = agrees(&tally, group[i].count);

		unit_check(same, "group of nine %d, %d of %d consistent", (int) i,
				   (int) tally.consistent, (int) tally.all);
		unit_release_all();
	}
}

static void
check_example(void)
{
	static const int32_t count[] = {2, 1, 1};
	Tally tally = start(4, 3, 2, false);
	SdcMinimality result;

	unit_check(agrees(&tally, count), "EX-GRD-2");
	unit_check(tally.all == 12 && tally.consistent == 2,
			   "EX-GRD-2: %d assignments, %d consistent", (int) tally.all,
			   (int) tally.consistent);
	sdc_minimality_solve(unit_host(), count, 3, 2, false, &result);
	unit_check(belief(&result, 0, 0) == 1 && belief(&result, 1, 0) == 1,
			   "EX-GRD-2: records 1 and 2 have the value for certain");
	sdc_minimality_release(unit_host(), &result);
	unit_release_all();
}

/*
 * One value k times, and as many others: a ballot, of which the shares are
 * known.  The value leads all the way in a share of 1 / (4k - 2).
 */
static void
check_ballot(int32_t k, bool alike)
{
	int32_t *count = malloc(sizeof(int32_t) * ((size_t) k + 1));
	int32_t values = alike ? 2 : k + 1;
	SdcMinimality result;
	int32_t v;
	double expected = 0.5 / (2 * k - 1);

	for (v = 0; v < values; v++)
		count[v] = v == 0 || alike ? k : 1;
	/* with two values either may lead */
	expected *= alike ? 2 : 1;
	unit_check(sdc_minimality_solve(unit_host(), count, values, 2, false,
									&result) == SDC_MINIMALITY_FOUND,
			   "%d records", 2 * k);
	unit_check(fabs(result.consistent / expected - 1) < 1e-9,
			   "share of consistent assignments %g", result.consistent);
	unit_check(belief(&result, 0, 0) == (alike ? 0.5 : 1),
			   "belief in the first record");
	unit_release_all();
	free(count);
}

static void
check_limits(void)
{
	static const int32_t large[] = {40000, 40000};
	int32_t count[64];
	SdcMinimality result;
	int32_t v;

	unit_check(sdc_minimality_solve(unit_host(), large, 2, 2, false,
									&result) == SDC_MINIMALITY_LARGE,
			   "too many records");
	/* many values, none alike, and a strict l: states without end */
	for (v = 0; v < 64; v++)
		count[v] = 40 + v;
	unit_check(sdc_minimality_solve(unit_host(), count, 64, 40, true,
									&result) == SDC_MINIMALITY_LARGE,
			   "too many states");
	unit_release_all();
}

int
main(void)
{
	unit_start("minimality");
	check_example();
	check_all(1, false);
	check_all(1.5, true);
	check_all(2, false);
	check_all(2, true);
	check_all(2.5, false);
	check_all(3, true);
	check_all(3, false);
	check_larger();
	check_ballot(60, false);
	check_ballot(60, true);
	check_limits();
	return unit_finish();
}
