/*
 * pram.c
 *		Post-randomisation (PRAM) of a categorical column.
 *
 * Taking the value of a random row is the same as drawing from the column's
 * own distribution, without a table of frequencies.
 */
#include "kernel/mask/pram.h"

#include "kernel/base/host.h"
#include "kernel/base/random.h"
#include "kernel/linear/square.h"

const char *const sdc_pram_words[] = {"invariant", NULL};
const char *const sdc_pram_matrix_words[] = {"given", "invariant", NULL};

void
sdc_pram_draw(SdcHost *host, int32_t n, double p, SdcRandom *random,
			  int32_t *from)
{
	int32_t rank;

	host->stage(host, "randomising");
	for (rank = 0; rank < n; rank++)
	{
		if (rank % SDC_POLL_STEPS == 0)
			host->poll(host, rank, n);
		from[rank] = rank;
		if (sdc_random_unit(random) >= p)
			from[rank] = (int32_t) sdc_random_below(random, n);
	}
}

/* ---------------------------------------------------------------------------
 * A matrix that is given.
 */

/* The sums of a row up to each category; behind the last with a chance, 1. */
static void
sum_row(const double *chance, int32_t size, double *upto)
{
	double sum = 0;
	int32_t last = 0;
	int32_t b;

	for (b = 0; b < size; b++)
	{
		sum += chance[b];
		upto[b] = sum;
		if (chance[b] > 0)
			last = b;
	}
	/* rounding must not leave a draw without a category */
	for (b = last; b < size; b++)
		upto[b] = 1;
}

/* The first category whose sum is above a number below 1. */
static int32_t
find_category(const double *upto, int32_t size, double unit)
{
	int32_t low = 0;
	int32_t high = size - 1;

	while (low < high)
	{
		int32_t middle = low + (high - low) / 2;

		if (upto[middle] > unit)
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

void
sdc_pram_transit(SdcHost *host, int32_t size, const double *chance,
				 const int32_t *code, int32_t n, SdcRandom *random,
				 int32_t *masked)
{
	double *upto = sdc_new(host, double, (size_t) size *(size_t) size);
	int32_t i;

	host->stage(host, "randomising");
	for (i = 0; i < size; i++)
		sum_row(chance + (size_t) i * (size_t) size, size,
				upto + (size_t) i * (size_t) size);
	for (i = 0; i < n; i++)
	{
		if (i % SDC_POLL_STEPS == 0)
			host->poll(host, i, n);
		masked[i] = find_category(upto + (size_t) code[i] * (size_t) size,
								  size, sdc_random_unit(random));
	}
	host->release(host, upto);
}

/* Adds to a row of the result what leads over category c. */
static void
add_way(const double *back, int32_t size, double chance, const double *count,
		double *row)
{
	int32_t b;

	for (b = 0; b < size; b++)
		if (count[b] > 0)
			row[b] += chance * back[b];
}

void
sdc_pram_invariant(SdcHost *host, int32_t size, const double *chance,
				   const double *count, double *result)
{
	size_t n = (size_t) size;
	/* back[c * n + b]: the chance that a c was a b */
	double *back = sdc_new(host, double, n *n);
	size_t a;
	size_t b;
	size_t c;

	for (c = 0; c < n; c++)
	{
		double sum = 0;

		for (b = 0; b < n; b++)
			sum += count[b] * chance[b * n + c];
		for (b = 0; b < n; b++)
			back[c * n + b] = sum > 0 ? count[b] * chance[b * n + c] / sum : 0;
	}
	for (a = 0; a < n; a++)
	{
		host->poll(host, (int64_t) a, size);
		for (b = 0; b < n; b++)
			result[a * n + b] = count[a] > 0 ? 0 : a == b;
		for (c = 0; c < n && count[a] > 0; c++)
			if (chance[a * n + c] > 0)
				add_way(back + c * n, size, chance[a * n + c], count,
						result + a * n);
	}
	host->release(host, back);
}

/* A pivot below this is none: rows of chances are of the order of 1. */
#define LEAST_PIVOT 1e-9

bool
sdc_pram_estimate(SdcHost *host, int32_t size, const double *chance,
				  const double *masked, double *estimate, double *variance)
{
	size_t n = (size_t) size;
	double *lost = sdc_new(host, double, n *n);
	double *inverse = sdc_new(host, double, n *n);
	bool found;
	size_t a;
	size_t b;

	for (a = 0; a < n; a++)
		for (b = 0; b < n; b++)
			lost[b * n + a] = chance[a * n + b];
	found = sdc_square_invert(size, lost, inverse, LEAST_PIVOT);
	for (a = 0; a < n && found; a++)
	{
		double squares = 0;

		estimate[a] = 0;
		for (b = 0; b < n; b++)
		{
			double weight = inverse[a * n + b];

			estimate[a] += weight * masked[b];
			squares += weight * weight * masked[b];
		}
		/* below 0 only where an estimate is */
		variance[a] = squares > estimate[a] ? squares - estimate[a] : 0;
	}
	host->release(host, lost);
	host->release(host, inverse);
	return found;
}

void
sdc_pram_spread(int32_t size, const double *chance, const double *masked,
				double *variance)
{
	size_t n = (size_t) size;
	size_t a;
	size_t b;

	for (b = 0; b < n; b++)
	{
		variance[b] = 0;
		for (a = 0; a < n; a++)
			variance[b] +=
				masked[a] * chance[a * n + b] * (1 - chance[a * n + b]);
	}
}
