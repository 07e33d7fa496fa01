/*
 * posterior.c
 *		Beliefs of an intruder: against Bayes' rule by enumeration, and against
 *		the published example.
 */
#include <stdlib.h>

#include "kernel/base/random.h"
#include "kernel/risk/posterior.h"
#include "kernel/table/frequency.h"
#include "posterior_records.h"

/* What is to be tried. */
typedef struct Trial
{
	Records masked;
	Records external;
	int keys;
	int known;
	bool informed;
	SdcPosteriorOptions options;
} Trial;

static bool
is_right(const Trial *trial, const SdcPosterior *posterior,
		 const SdcFrequency *table)
{
	bool ignore = trial->options.ignore_null;
	const Records *source =
		trial->informed ? &trial->external : &trial->masked;
	int columns = trial->informed ? trial->keys + trial->known : 0;
	double term[VALUES + 1];
	double prior[VALUES + 1];
	double count[VALUES + 1];
	int32_t codes[COLUMNS];
	double sum = 0;
	int rows = 0;
	int s;
	int i;

	for (i = 0; i < trial->keys + trial->known; i++)
		codes[i] = table->code[i][posterior->cell];
	for (s = 0; s <= VALUES; s++)
	{
		int32_t value = s == VALUES ? SDC_CODE_NULL : s;
		double group = weigh(source, codes, trial->keys, value, ignore);

		count[s] = weigh(&trial->masked, codes, trial->keys, value, ignore);
		prior[s] = weigh(source, codes, columns, value, ignore) /
				   weigh(source, codes, columns, -2, ignore);
		if (ignore && s == VALUES)
			count[s] = prior[s] = 0;
		term[s] = count[s];
		if (trial->informed)
			term[s] = prior[s] > 0 ? count[s] * prior[s] / group : 0;
		sum += term[s];
	}
	for (i = 0; i < posterior->beliefs; i++)
	{
		const SdcBelief *belief = &posterior->belief[i];
		double expected;

		s = belief->value == SDC_CODE_NULL ? VALUES : belief->value;
		expected =
			sum > 0 ? worst_share(term, VALUES + 1, s, trial->options.exclude)
					: NAN;
		if (!near(belief->prior, prior[s]) || belief->count != count[s] ||
			!near(belief->posterior, expected))
			return false;
	}
	for (s = 0; s <= VALUES; s++)
		rows += sum > 0 && !trial->options.zeros
					? term[s] > 0
					: prior[s] != 0 || count[s] > 0;
	if (!trial->informed && sum == 0)
		rows = 0;
	return isnan(prior[0]) || rows == posterior->beliefs;
}

static void
check_random(Trial *trial, SdcRandom *random)
{
	int known = trial->informed ? trial->known : 0;
	SdcFrequency *masked;
	SdcFrequency *external;
	SdcPosterior *posterior;
	bool right = true;
	int persons = 0;

	draw_records(&trial->masked, trial->keys + 1, RECORDS / 2, false, random);
	draw_records(&trial->external, trial->keys + known + 1, RECORDS, true,
				 random);
	masked = count_records(&trial->masked, false);
	external = count_records(&trial->external, true);
	posterior = sdc_posterior_start(unit_host(), masked,
									trial->informed ? external : NULL,
									trial->keys, &trial->options);
	while (sdc_posterior_next(posterior))
	{
		persons++;
		right = right && is_right(trial, posterior,
								  trial->informed ? external : masked);
	}
	right = right &&
			persons == sdc_frequency_classes(
						   unit_host(), trial->informed ? external : masked,
						   trial->keys + known)
						   ->classes;
	unit_check(right,
			   "%d keys, %d known, informed %d, ignore %d, zeros %d, "
			   "exclude %d: %d persons",
			   trial->keys, known, trial->informed, trial->options.ignore_null,
			   trial->options.zeros, trial->options.exclude, persons);
	unit_release_all();
}

static void
check_all_options(SdcRandom *random)
{
	Trial trial;
	int bits;

	for (bits = 0; bits < 32; bits++)
	{
		trial.informed = bits & 1;
		trial.keys = 1 + (bits >> 1 & 1);
		trial.known = trial.informed ? bits >> 2 & 1 : 0;
		trial.options.ignore_null = bits >> 3 & 1;
		trial.options.zeros = bits >> 4 & 1;
		trial.options.exclude = (int32_t) sdc_random_below(random, 5);
		check_random(&trial, random);
		trial.options.exclude = 0;
		check_random(&trial, random);
	}
}

/*
 * Theorem 3.1 itself.  The person has a value with f(s|q), the others of the
 * class have theirs with f(s|q*) each; of all the ways in which that can turn
 * out (numbered by their digits in base VALUES, the person first) those remain
 * that give the released counts.
 */
static void
enumerate(const double *person, const double *others, const int *count, int n,
		  double *posterior)
{
	double sum = 0;
	int ways = 1;
	int way;
	int i;
	int s;

	for (s = 0; s < VALUES; s++)
		posterior[s] = 0;
	for (i = 0; i < n; i++)
		ways *= VALUES;
	for (way = 0; way < ways; way++)
	{
		int left[VALUES];
		double probability = person[way % VALUES];
		int rest = way;
		bool same = true;

		memcpy(left, count, sizeof(left));
		for (i = 0; i < n; i++)
		{
			if (i > 0)
				probability *= others[rest % VALUES];
			left[rest % VALUES]--;
			rest /= VALUES;
		}
		for (s = 0; s < VALUES; s++)
			same = same && left[s] == 0;
		if (same)
		{
			posterior[way % VALUES] += probability;
			sum += probability;
		}
	}
	for (s = 0; s < VALUES; s++)
		posterior[s] /= sum;
}

/* One class of six records; the person q weighs as much as its neighbours. */
static void
check_theorem(SdcRandom *random)
{
	const SdcPosteriorOptions options = {false, true, 0};
	double weight[2][VALUES];
	double person[VALUES];
	double others[VALUES];
	double expected[VALUES];
	double total[2] = {0, 0};
	int count[VALUES] = {3, 2, 1};
	Records masked = {2, 6, {{0}}, {1, 1, 1, 1, 1, 1}};
	Records external = {3, 2 * VALUES, {{0}}, {0}};
	SdcPosterior *posterior;
	bool right = true;
	int s;
	int i;

	for (i = 0; i < 6; i++)
		masked.code[i][1] = i < 3 ? 0 : i < 5 ? 1 : 2;
	for (i = 0; i < 2 * VALUES; i++)
	{
		external.code[i][1] = i / VALUES;
		external.code[i][2] = i % VALUES;
		external.weight[i] = sdc_random_unit(random);
		weight[i / VALUES][i % VALUES] = external.weight[i];
		total[i / VALUES] += external.weight[i];
	}
	for (s = 0; s < VALUES; s++)
	{
		person[s] = weight[0][s] / total[0];
		others[s] = (weight[0][s] + weight[1][s]) / (total[0] + total[1]);
	}
	enumerate(person, others, count, 6, expected);
	posterior =
		sdc_posterior_start(unit_host(), count_records(&masked, false),
							count_records(&external, true), 1, &options);
	sdc_posterior_next(posterior);
	for (s = 0; s < VALUES; s++)
		right = right && posterior->belief[s].value == s &&
				near(posterior->belief[s].prior, person[s]) &&
				near(posterior->belief[s].posterior, expected[s]);
	unit_check(right && posterior->beliefs == VALUES,
			   "theorem 3.1 is Bayes' rule: %g %g %g", expected[0],
			   expected[1], expected[2]);
	unit_release_all();
}

/* Umeko: two records of each disease; f(heart|q) = rare, f(.|q*) = 1/2. */
static void
check_umeko(double rare, double expected)
{
	const SdcPosteriorOptions options = {false, true, 0};
	Records masked = {2, 4, {{0, 0}, {0, 0}, {0, 1}, {0, 1}}, {1, 1, 1, 1}};
	Records external = {3,
						4,
						{{0, 0, 0}, {0, 0, 1}, {0, 1, 0}, {0, 1, 1}},
						{rare, 1 - rare, 1 - rare, rare}};
	SdcPosterior *posterior =
		sdc_posterior_start(unit_host(), count_records(&masked, false),
							count_records(&external, true), 1, &options);

	sdc_posterior_next(posterior);
	unit_check(posterior->beliefs == 2 &&
				   posterior->belief[1].posterior == expected &&
				   posterior->belief[1].prior == 1 - rare,
			   "EX-LD-7, f(heart|q) = %g: posterior viral %g", rare, expected);
	unit_release_all();
}

static void
check_empty(void)
{
	const SdcPosteriorOptions options = {false, true, 1};
	Records records = {2, 0, {{0}}, {0}};
	SdcFrequency *table = count_records(&records, false);

	unit_check(!sdc_posterior_next(
				   sdc_posterior_start(unit_host(), table, NULL, 1, &options)),
			   "no class, no belief");
	unit_check(!sdc_posterior_next(sdc_posterior_start(unit_host(), table,
													   table, 1, &options)),
			   "no person, no belief");
	unit_release_all();
}

int
main(void)
{
	SdcRandom random;

	unit_start("posterior");
	sdc_random_seed(&random, 31, 0);
	check_umeko(0, 1);
	check_umeko(0.02, 0.98);
	check_umeko(0.5, 0.5);
	check_theorem(&random);
	check_theorem(&random);
	check_empty();
	check_all_options(&random);
	return unit_finish();
}
