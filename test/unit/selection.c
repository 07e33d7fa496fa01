/*
 * selection.c
 *		Private selection against the exact law of both mechanisms.
 */
#include "unit.h"

#include "dp_stream.h"
#include "kernel/privacy/selection.h"
#include "kernel/privacy/strong_bits.h"

#define MOST 6

/* Weights of the candidates, relative to the best. */
static void
weights(const int64_t *score, int count, double rate, double *weight)
{
	int64_t best = score[0];
	int i;

	for (i = 1; i < count; i++)
		best = score[i] > best ? score[i] : best;
	for (i = 0; i < count; i++)
		weight[i] = exp(-rate * (double) (best - score[i]));
}

/* Probability that permute and flip ends with a candidate of a set. */
static double
flip(int wanted, unsigned set, const double *weight)
{
	int left = __builtin_popcount(set);
	double sum = 0;
	int i;

	for (i = 0; i < MOST; i++)
	{
		if (!(set >> i & 1))
			continue;
		if (i == wanted)
			sum += weight[i] / left;
		else if (weight[i] < 1)
			sum += (1 - weight[i]) / left *
				   flip(wanted, set & ~(1u << i), weight);
	}
	return sum;
}

/* The laws: false is the exponential mechanism. */
static void
laws(bool flipping, const int64_t *score, int count, double rate,
	 double *probability)
{
	double weight[MOST];
	double total = 0;
	int i;

	weights(score, count, rate, weight);
	for (i = 0; i < count; i++)
		total += weight[i];
	for (i = 0; i < count; i++)
		probability[i] =
			flipping ? flip(i, (1u << count) - 1, weight) : weight[i] / total;
}

static bool
follows(SdcStrongBits *bits, bool flipping, const int64_t *score, int count,
		double epsilon, bool monotonic, double rate)
{
	const int draws = 200000;
	double seen[MOST] = {0};
	double probability[MOST];
	SdcSelectionRate asked;
	int i;

	sdc_selection_rate(1, monotonic, epsilon, &asked);
	for (i = 0; i < draws; i++)
		seen[flipping ? sdc_selection_permute_and_flip(unit_host(), bits,
													   &asked, score, count)
					  : sdc_selection_exponential(unit_host(), bits, &asked,
												  score, count)]++;
	laws(flipping, score, count, rate, probability);
	return dp_plausible(seen, probability, count, draws);
}

static void
check_laws(SdcStrongBits *bits)
{
	const int64_t score[MOST] = {7, 6, 4, -1, 7, -90};
	const double epsilons[] = {0.1, 0.7, 1, 2, 8};
	int flipping;
	int i;

	for (flipping = 0; flipping < 2; flipping++)
	{
		const char *name = flipping ? "permute and flip" : "exponential";

		for (i = 0; i < 5; i++)
		{
			unit_check(follows(bits, flipping, score, MOST, epsilons[i], false,
							   epsilons[i] / 2),
					   "%s, epsilon %g", name, epsilons[i]);
			unit_check(follows(bits, flipping, score, MOST, epsilons[i], true,
							   epsilons[i]),
					   "%s, epsilon %g, monotonic", name, epsilons[i]);
		}
		unit_check(!follows(bits, flipping, score, MOST, 1, false, 1),
				   "twin: %s without the factor 2 is caught", name);
	}
	unit_check(!follows(bits, true, score, MOST, 1, false, -0.5) &&
				   !follows(bits, false, score, MOST, 2, false, 0.9),
			   "twins: another law is caught");
}

/* The most that the law of a table can exceed that of a neighbour by. */
static double
loss(bool flipping, const int64_t *a, const int64_t *b, int count, double rate)
{
	double p[MOST];
	double q[MOST];
	double most = 0;
	int i;

	laws(flipping, a, count, rate, p);
	laws(flipping, b, count, rate, q);
	for (i = 0; i < count; i++)
		most = fmax(most, fabs(log(p[i] / q[i])));
	return most;
}

/*
 * Epsilon 1 and all neighbours of all small scores: each of three changes by
 * -1, 0 or 1; in the monotonic case all by 0 or 1.
 */
static void
check_private(void)
{
	double most[2][2] = {{0}};
	double doubled[2] = {0};
	int64_t a[3];
	int64_t b[3];
	int s;
	int change;
	int i;
	int f;

	for (s = 0; s < 5 * 5 * 5; s++)
		for (change = 0; change < 27; change++)
		{
			bool up = true;

			for (i = 0; i < 3; i++)
			{
				const int power[] = {1, 3, 9};
				const int fifth[] = {1, 5, 25};
				int step = change / power[i] % 3 - 1;

				a[i] = s / fifth[i] % 5;
				b[i] = a[i] + step;
				up = up && step >= 0;
			}
			for (f = 0; f < 2; f++)
			{
				most[f][0] = fmax(most[f][0], loss(f, a, b, 3, 0.5));
				doubled[f] = fmax(doubled[f], loss(f, a, b, 3, 1));
				if (up)
					most[f][1] = fmax(most[f][1], loss(f, a, b, 3, 1));
			}
		}
	for (f = 0; f < 2; f++)
	{
		const char *name = f ? "permute and flip" : "exponential";

		unit_check(most[f][0] <= 1 + 1e-12 && most[f][0] > 0.7,
				   "%s: no neighbour differs by more: %.3f", name, most[f][0]);
		unit_check(most[f][1] <= 1 + 1e-12 && most[f][1] > 0.7,
				   "%s, monotonic: no neighbour differs by more: %.3f", name,
				   most[f][1]);
		unit_check(doubled[f] > 1.4, "twin: %s without the factor 2: %.3f",
				   name, doubled[f]);
	}
}

static void
check_scores(void)
{
	uint64_t whole = sdc_selection_sensitivity(3);
	SdcSelectionRate rate;
	bool close = true;
	double score;

	for (score = -5; score < 5; score += 0.037)
	{
		int64_t step =
			sdc_selection_score(score + 3, 3) - sdc_selection_score(score, 3);

		close = close && step <= (int64_t) whole;
	}
	unit_check(close && whole >> 30 == 1, "scores keep their sensitivity");
	unit_check(sdc_selection_score(INFINITY, 1) == SDC_SELECTION_SCORE &&
				   sdc_selection_score(-1e308, 1e-300) ==
					   -SDC_SELECTION_SCORE &&
				   sdc_selection_score(4.9e-324, 4.9e-324) == 1 << 30,
			   "scores that are cut off");
	sdc_selection_rate(3, false, 0.25, &rate);
	unit_check(rate.times == 1 && rate.over == 24, "0.25 / 6 is 1 / 24");
	sdc_selection_rate(3, true, 96, &rate);
	unit_check(rate.times == 96 && rate.over == 3, "96 / 3");
}

int
main(void)
{
	SdcStrongBits bits;
	const int64_t one[1] = {-4};
	SdcSelectionRate rate;

	unit_start("selection");
	dp_stream(&bits, 6);
	check_laws(&bits);
	check_private();
	check_scores();
	sdc_selection_rate(1, false, 1, &rate);
	unit_check(
		sdc_selection_permute_and_flip(unit_host(), &bits, &rate, one, 1) ==
				0 &&
			sdc_selection_exponential(unit_host(), &bits, &rate, one, 1) == 0,
		"one candidate");
	unit_release_all();
	return unit_finish();
}
