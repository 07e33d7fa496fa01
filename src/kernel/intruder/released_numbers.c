/*
 * released_numbers.c
 *		Which numbers are in a form, where there are more than it has room for.
 *
 * Each time the one is taken that explains most of what those before leave of
 * the column (orthogonal least squares; Chen, Billings and Luo 1989).
 */
#include "kernel/intruder/released.h"

#include <math.h>
#include <string.h>

#include "kernel/linear/square.h"

/*
 * What a number that is chosen explains of a column, in links that are
 * explained whole: 2.4 deviations of chance, as the other half of the links
 * has to agree.
 */
#define LEAST_CHOSEN 6

/* Numbers of the links to be fitted, one column after the other. */
typedef struct Candidates
{
	int columns; /* a constant is the first, what they explain the last */
	int32_t links;
	double *value;
} Candidates;

static double *
candidate(const Candidates *all, int column)
{
	return all->value + (size_t) column * (size_t) all->links;
}

void
sdc_learning_values(const SdcLearning *learning, const SdcStandard *number,
					bool of_persons, double *value)
{
	int32_t k;

	for (k = 0; k < learning->links; k += 2)
	{
		int32_t person = learning->link[k];
		double x = sdc_standard_at(
			number, of_persons ? person : learning->released->partner[person]);

		*value++ = isnan(x) ? 0 : x;
	}
}

static double
product_of(const Candidates *all, int a, int b)
{
	return sdc_dot(candidate(all, a), candidate(all, b), all->links);
}

/* Leaves of all columns what one does not explain, and nothing of itself. */
static void
take_out(Candidates *all, int one)
{
	const double *x = candidate(all, one);
	double square = product_of(all, one, one);
	int c;
	int32_t k;

	for (c = 0; c < all->columns; c++)
	{
		double factor = product_of(all, one, c) / square;
		double *y = candidate(all, c);

		for (k = 0; k < all->links && c != one; k++)
			y[k] -= factor * x[k];
	}
	memset(candidate(all, one), 0, sizeof(double) * (size_t) all->links);
}

/* The column that explains most of the last one; 0: none explains more than
 * chance. */
static int
best_candidate(const Candidates *all)
{
	int last = all->columns - 1;
	double square = product_of(all, last, last);
	double most = LEAST_CHOSEN * square / all->links;
	int best = 0;
	int c;

	/* standard values; what is left of one that is explained is rounding */
	for (c = 1; c < last && square > 1e-18 * all->links; c++)
	{
		double own = product_of(all, c, c);
		double with = product_of(all, c, last);

		if (own > 1e-9 * all->links && with * with / own > most)
		{
			most = with * with / own;
			best = c;
		}
	}
	return best;
}

int
sdc_learning_choose(const SdcLearning *learning, const SdcStandard *number,
					int count, bool of_persons, int most, int *place)
{
	SdcHost *host = learning->intruder->host;
	Candidates all = {count + 2, (learning->links + 1) / 2, NULL};
	int chosen = 0;
	int best = 0;
	int c;
	int32_t k;

	all.value =
		sdc_new(host, double, (size_t) all.columns *(size_t) all.links + 1);
	for (k = 0; k < all.links; k++)
		all.value[k] = 1;
	for (c = 0; c < count; c++)
		sdc_learning_values(learning, &number[c], of_persons,
							candidate(&all, 1 + c));
	sdc_learning_values(learning, &learning->target, false,
						candidate(&all, 1 + count));
	take_out(&all, 0);
	while (chosen < most && (best = best_candidate(&all)) > 0)
	{
		host->poll(host, 0, 0);
		place[chosen++] = best - 1;
		take_out(&all, best);
	}
	host->release(host, all.value);
	return chosen;
}
