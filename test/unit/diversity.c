/*
 * diversity.c
 *		l-diversity: published figures, definitions by brute force, order.
 */
#include "unit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/base/random.h"
#include "kernel/risk/class_measures.c"

#define MOST   60
#define ROUNDS 20000

static bool
close_to(double a, double b)
{
	return fabs(a - b) <= 1e-13 * fabs(b);
}

static int
descending(const void *a, const void *b)
{
	int64_t left = *(const int64_t *) a;
	int64_t right = *(const int64_t *) b;

	return (left < right) - (left > right);
}

/* Few values often, ties often, zeros sometimes, and now and then huge. */
static int32_t
draw(SdcRandom *random, int64_t *count)
{
	static const int64_t bound[] = {2, 4, 10, 1000, INT64_C(3000000000)};
	int32_t n = 1 + (int32_t) sdc_random_below(
						random, sdc_random_below(random, 4) == 0 ? MOST : 6);
	int64_t top = bound[sdc_random_below(random, 5)];
	int32_t i;

	for (i = 0; i < n; i++)
		count[i] = (int64_t) sdc_random_below(random, (uint64_t) top + 1);
	return n;
}

static double
brute_entropy(const int64_t *count, int32_t n)
{
	long double records = 0;
	long double sum = 0;
	int32_t i;

	for (i = 0; i < n; i++)
		records += count[i];
	for (i = 0; i < n; i++)
	{
		long double p = count[i] / records;

		sum -= count[i] > 0 ? p * logl(p) : 0;
	}
	return records > 0 ? (double) expl(sum) : 0;
}

/* r_l + ... + r_m, l from 1; beyond m it is empty. */
static int64_t
brute_tail(const int64_t *ranked, int32_t n, int64_t l)
{
	int64_t sum = 0;
	int64_t j;

	for (j = l; j <= n; j++)
		sum += ranked[j - 1];
	return sum;
}

/* Definition 4.4, letter by letter, with the value at rank y. */
static bool
brute_pd(const int64_t *ranked, int32_t n, int32_t y, double c, int32_t l)
{
	int64_t sum = 0;
	int32_t j;

	if (y <= l - 1)
		return (double) ranked[y - 1] < c * (double) brute_tail(ranked, n, l);
	for (j = l - 1; j <= y - 1; j++)
		sum += ranked[j - 1];
	for (j = y + 1; j <= n; j++)
		sum += ranked[j - 1];
	return (double) ranked[y - 1] < c * (double) sum;
}

static void
check_published(void)
{
	/* the 4-anonymous and the 3-diverse inpatients: EX-LD-1 to EX-LD-6 */
	const int64_t cancer[] = {4};
	const int64_t diverse[] = {2, 1, 1};
	const int64_t whole[] = {3, 4, 5};
	const int64_t skewed[] = {8, 1, 1};
	/* healthy, flu, hiv, cancer: EX-LD-8 */
	const int64_t clinic[] = {8, 2, 1, 1};
	const bool healthy[] = {true, false, false, false};
	const bool hiv[] = {false, false, true, false};
	int64_t most = sdc_diversity_most(clinic, healthy, 4);
	double share = sdc_diversity_protected(clinic, hiv, 4, 1);

	unit_check(sdc_diversity_entropy(cancer, 1) == 1 &&
				   sdc_diversity_frequency(cancer, 1) == 1,
			   "EX-LD-1: the class of cancer alone");
	unit_check(fabs(sdc_diversity_entropy(diverse, 3) - 2.8284) < 5e-5 &&
				   sdc_diversity_frequency(diverse, 3) == 2,
			   "EX-LD-1: entropy 2.8284, frequency 2");
	unit_check(fabs(sdc_diversity_entropy(whole, 3) - 2.9375) < 5e-5,
			   "EX-LD-2: the whole table has 2.9375");
	unit_check(!sdc_diversity_is_recursive(diverse, 3, 2, 3) &&
				   sdc_diversity_is_recursive(diverse, 3, 3, 3),
			   "EX-LD-3: recursive (2,3) false, (3,3) true");
	unit_check(fabs(sdc_diversity_entropy(skewed, 3) - 1.89) < 5e-3,
			   "8 of 10 the same: distinct 3, entropy 1.89");
	unit_check(most == 2 && !sdc_diversity_is_recursive(clinic, 4, 2, 2) &&
				   sdc_diversity_is_pd_recursive(clinic, 4, most, 2, 2) &&
				   sdc_diversity_is_pd_recursive(clinic, 4, most, 2, 3) &&
				   !sdc_diversity_is_pd_recursive(clinic, 4, most, 1, 3),
			   "EX-LD-8: false, true, true, false");
	unit_check(share >= 8 && share < 10,
			   "a protected value with 8.33 percent: 8 yes, 10 no");
	unit_check(!sdc_diversity_is_recursive(diverse, 3, 2, 3),
			   "EX-MSA-2: (2,1,1) is not recursive (2,3), strictly");
}

static void
check_edges(void)
{
	const int64_t none[] = {0, 0};
	const int64_t even[] = {7, 7, 7};
	const int64_t huge[] = {INT64_C(1) << 61, INT64_C(1) << 61};
	const bool marked[] = {true, false, false};

	unit_check(sdc_diversity_entropy(none, 2) == 0 &&
				   sdc_diversity_frequency(none, 0) == 0 &&
				   sdc_diversity_recursive(none, 2, 3) == 0 &&
				   !sdc_diversity_is_recursive(none, 0, 3, 1),
			   "no records");
	unit_check(sdc_diversity_entropy(even, 3) == 3,
			   "equal counts have exactly their number");
	unit_check(sdc_diversity_entropy(huge, 2) == 2, "counts near 2^63");
	unit_check(sdc_diversity_is_recursive(even, 3, 1.5, 2) &&
				   sdc_diversity_is_recursive(even, 3, 3.5, 2.5) &&
				   !sdc_diversity_is_recursive(even, 3, 1, 2.5) &&
				   !sdc_diversity_is_recursive(even, 3, 100, 3.5) &&
				   !sdc_diversity_is_recursive(even, 3, 100, 1e300),
			   "l between whole numbers counts as the next");
	unit_check(sdc_diversity_protected(even, marked, 3, 2) == 0 &&
				   sdc_diversity_protected(even, marked, 3, 0) == 100 &&
				   sdc_diversity_protected(none, marked, 2, 1) == 0,
			   "a protected value that is missing");
	unit_check(sdc_diversity_is_pd_recursive(even, 3, 0, 0.1, 3),
			   "all values may be disclosed");
}

/* Everything that is defined without an order, against its definition. */
static bool
same_as_brute(const int64_t *count, int32_t n)
{
	int64_t records = 0;
	int64_t most = 0;
	int32_t values = 0;
	int32_t i;

	for (i = 0; i < n; i++)
	{
		records += count[i];
		values += count[i] > 0;
		most = count[i] > most ? count[i] : most;
	}
	return summarize(count, n).records == records &&
		   summarize(count, n).values == values &&
		   close_to(sdc_diversity_entropy(count, n),
					brute_entropy(count, n)) &&
		   sdc_diversity_frequency(count, n) ==
			   (records > 0 ? (double) records / (double) most : 0);
}

static bool
same_recursive(const int64_t *ranked, int32_t n, double c)
{
	int32_t largest = 0;
	bool same = true;
	int32_t l;

	for (l = 1; l <= n + 1; l++)
	{
		bool expected =
			(double) ranked[0] < c * (double) brute_tail(ranked, n, l);

		largest = expected ? l : largest;
		same = same &&
			   sdc_diversity_is_recursive(ranked, n, c, l) == expected &&
			   sdc_diversity_is_recursive(ranked, n, c, l - 0.3) == expected;
	}
	return same && sdc_diversity_recursive(ranked, n, c) == largest;
}

/* Allows some values; any rank of the most frequent other one may be y. */
static bool
same_pd(SdcRandom *random, const int64_t *ranked, int32_t n, double c)
{
	bool allowed[MOST];
	int64_t most = 0;
	bool same = true;
	int32_t i;
	int32_t l;
	int32_t y;

	for (i = 0; i < n; i++)
	{
		allowed[i] = sdc_random_below(random, 2) == 0;
		if (!allowed[i] && ranked[i] > most)
			most = ranked[i];
	}
	if (sdc_diversity_most(ranked, allowed, n) != most)
		return false;
	for (l = 2; l <= n; l++)
	{
		bool got = sdc_diversity_is_pd_recursive(ranked, n, most, c, l);

		for (y = 1; y <= n && most > 0; y++)
			if (ranked[y - 1] == most)
				same = same && got == brute_pd(ranked, n, y, c, l);
		same = same && (most > 0 || got);
		/* nothing allowed: it is recursive (c, l) */
		same = same &&
			   (ranked[0] == 0 ||
				sdc_diversity_is_pd_recursive(ranked, n, ranked[0], c, l) ==
					sdc_diversity_is_recursive(ranked, n, c, l));
	}
	return same;
}

static bool
same_order(SdcRandom *random, const int64_t *count, int32_t n)
{
	double entropy = sdc_diversity_entropy(count, n);
	double again;
	int64_t other[MOST];
	int64_t sorted[MOST];
	int32_t i;

	memcpy(other, count, sizeof(int64_t) * (size_t) n);
	memcpy(sorted, count, sizeof(int64_t) * (size_t) n);
	for (i = n - 1; i > 0; i--)
	{
		int32_t j = (int32_t) sdc_random_below(random, (uint64_t) i + 1);
		int64_t moved = other[i];

		other[i] = other[j];
		other[j] = moved;
	}
	again = sdc_diversity_entropy(other, n);
	qsort(sorted, (size_t) n, sizeof(int64_t), descending);
	sdc_diversity_rank(other, n);
	return memcmp(&entropy, &again, sizeof(double)) == 0 &&
		   memcmp(other, sorted, sizeof(int64_t) * (size_t) n) == 0;
}

int
main(void)
{
	static const double c[] = {0.5, 1, 1.5, 2, 3, 4.25};
	int64_t count[MOST];
	int64_t ranked[MOST];
	bool plain = true;
	bool recursive = true;
	bool exempt = true;
	bool order = true;
	SdcRandom random;
	int round;

	unit_start("diversity");
	check_published();
	check_edges();
	sdc_random_seed(&random, 31, 0);
	for (round = 0; round < ROUNDS; round++)
	{
		int32_t n = draw(&random, count);
		double chosen = c[sdc_random_below(&random, 6)];

		memcpy(ranked, count, sizeof(int64_t) * (size_t) n);
		qsort(ranked, (size_t) n, sizeof(int64_t), descending);
		plain = plain && same_as_brute(count, n);
		recursive = recursive && same_recursive(ranked, n, chosen);
		exempt = exempt && same_pd(&random, ranked, n, chosen);
		order = order && same_order(&random, count, n);
	}
	unit_check(plain, "%d histograms: distinct, entropy, frequency", ROUNDS);
	unit_check(recursive, "%d histograms: recursive", ROUNDS);
	unit_check(exempt, "%d histograms: positive disclosure", ROUNDS);
	unit_check(order, "%d histograms: any order, same bits", ROUNDS);
	return unit_finish();
}
