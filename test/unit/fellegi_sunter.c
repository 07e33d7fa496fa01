/*
 * fellegi_sunter.c
 *		EM against known models.
 *
 * The oracle for EM is the model itself: pair counts are made from known
 * probabilities, and the estimate must come back to them.  What records say is
 * compared with how often the two records of a person do agree.
 */
#include "unit.h"

#include <math.h>
#include <string.h>

#include "kernel/base/random.h"
#include "kernel/linkage/fellegi_sunter.h"

/* The published example: three fields, 100,000 pairs, one of ten a match. */
static const double m_true[3] = {0.9, 0.8, 0.95};
static const double u_true[3] = {0.1, 0.2, 0.05};

/* Three fields of two levels; pairs[] as the model has them. */
static SdcComparison
make_published(uint64_t *pattern, uint64_t *pairs)
{
	SdcComparison comparison = {
		.fields = 3, .pairs = 100000, .stride = {1, 3, 9}};
	int i;
	int j;

	for (j = 0; j < 3; j++)
		comparison.field[j].levels = 2;
	for (i = 0; i < 8; i++)
	{
		double m = 0.1;
		double u = 0.9;

		pattern[i] = 0;
		for (j = 0; j < 3; j++)
		{
			int level = i >> j & 1;

			pattern[i] += comparison.stride[j] * level;
			m *= level == 0 ? m_true[j] : 1 - m_true[j];
			u *= level == 0 ? u_true[j] : 1 - u_true[j];
		}
		pairs[i] = (uint64_t) llround(100000 * (m + u));
	}
	return comparison;
}

/* Links 111 and 101, non-links 100, 010 and 000, the rest for a clerk. */
static void
check_classes(const SdcComparison *comparison,
			  const SdcComparisonPatterns *patterns,
			  const SdcFellegiSunter *model)
{
	double link;
	double non_link;
	double m;
	double u;
	int i;

	sdc_fellegi_sunter_classify(unit_host(), comparison, patterns, model,
								0.005, 0.014, &link, &non_link);
	for (i = 0; i < 8; i++)
	{
		double weight = sdc_fellegi_sunter_pattern(
			comparison, model, patterns->pattern[i], &m, &u);

		unit_check((weight >= link) == (i == 0 || i == 2) &&
					   (weight <= non_link) == (i == 6 || i == 5 || i == 7),
				   "class of pattern %d", i);
	}
	/* full agreement has u of .001, no agreement m of .001 */
	sdc_fellegi_sunter_classify(unit_host(), comparison, patterns, model,
								0.0015, 0.0015, &link, &non_link);
	unit_check(fabs(link - sdc_fellegi_sunter_pattern(comparison, model,
													  patterns->pattern[0], &m,
													  &u)) < 1e-9,
			   "one pattern is linked");
	unit_check(fabs(non_link - sdc_fellegi_sunter_pattern(comparison, model,
														  patterns->pattern[7],
														  &m, &u)) < 1e-9,
			   "one pattern is not");
	sdc_fellegi_sunter_classify(unit_host(), comparison, patterns, model, 0, 0,
								&link, &non_link);
	unit_check(link == INFINITY && non_link == -INFINITY,
			   "without any error a clerk has all of them");
}

static void
check_published(double prior, const char *name)
{
	uint64_t pattern[8];
	uint64_t pairs[8];
	SdcComparison comparison = make_published(pattern, pairs);
	SdcComparisonPatterns patterns = {8, pattern, pairs, 0, 100000};
	SdcFellegiSunter model = {.prior = prior, .iterations = 20000};
	double worst;
	double m;
	double u;
	int j;

	unit_check(sdc_fellegi_sunter_estimate(unit_host(), &comparison, &patterns,
										   &model) == NULL,
			   "%s: an answer", name);
	worst = fabs(model.prior - 0.1);
	for (j = 0; j < 3; j++)
		worst = fmax(worst, fmax(fabs(model.field[j].m[0] - m_true[j]),
								 fabs(model.field[j].u[0] - u_true[j])));
	unit_check(worst < 1e-9 && model.converged,
			   "%s: EX-FS-1 to 1e-9 (%g after %d rounds)", name, worst,
			   model.used);
	unit_check(
		fabs(sdc_fellegi_sunter_pattern(&comparison, &model, 0, &m, &u) -
			 9.4179) < 5e-5,
		"%s: weight of full agreement", name);
	check_classes(&comparison, &patterns, &model);
	unit_release_all();
}

/* The model of two levels that plain EM ends with: m, u of level 0, prior. */
static int
plain_em(const uint64_t *pairs, double prior, double *m, double *u)
{
	double change = 1;
	int rounds = 0;
	int i;
	int j;

	while (change > 1e-13 && rounds < 1000000)
	{
		double match[3] = {0};
		double other[3] = {0};
		double matches = 0;
		double others = 0;
		double next;

		for (i = 0; i < 8; i++)
		{
			double p = prior;
			double q = 1 - prior;
			double n = (double) pairs[i];

			for (j = 0; j < 3; j++)
			{
				p *= (i >> j & 1) == 0 ? m[j] : 1 - m[j];
				q *= (i >> j & 1) == 0 ? u[j] : 1 - u[j];
			}
			for (j = 0; j < 3; j++)
			{
				match[j] += (i >> j & 1) == 0 ? n * p / (p + q) : 0;
				other[j] += (i >> j & 1) == 0 ? n * q / (p + q) : 0;
			}
			matches += n * p / (p + q);
			others += n * q / (p + q);
		}
		next = matches / (matches + others);
		change = fabs(next - prior);
		prior = next;
		for (j = 0; j < 3; j++)
		{
			change = fmax(change, fabs(match[j] / matches - m[j]));
			change = fmax(change, fabs(other[j] / others - u[j]));
			m[j] = match[j] / matches;
			u[j] = other[j] / others;
		}
		rounds++;
	}
	m[3] = prior;
	return rounds;
}

/* Matches and others that are hard to tell apart: EM takes ages. */
static void
check_slow(void)
{
	static const double m_slow[3] = {0.6, 0.7, 0.65};
	static const double u_slow[3] = {0.4, 0.35, 0.45};
	uint64_t pattern[8];
	uint64_t pairs[8];
	SdcComparison comparison = make_published(pattern, pairs);
	SdcComparisonPatterns patterns = {8, pattern, pairs, 0, 0};
	SdcFellegiSunter model = {.prior = 0.3, .iterations = 20000};
	double m[4];
	double u[3];
	const char *said;
	double worst;
	int rounds;
	int i;
	int j;

	for (i = 0; i < 8; i++)
	{
		double p = 0.3;
		double q = 0.7;

		for (j = 0; j < 3; j++)
		{
			p *= (i >> j & 1) == 0 ? m_slow[j] : 1 - m_slow[j];
			q *= (i >> j & 1) == 0 ? u_slow[j] : 1 - u_slow[j];
		}
		pairs[i] = (uint64_t) llround(1e6 * (p + q));
		patterns.total += pairs[i];
	}
	comparison.pairs = patterns.total;
	/* from where the kernel starts */
	for (j = 0; j < 3; j++)
	{
		m[j] = 1 / 1.2;
		u[j] = 0;
		for (i = 0; i < 8; i++)
			u[j] += (i >> j & 1) == 0 ? (double) pairs[i] : 0;
		u[j] /= (double) patterns.total;
	}
	rounds = plain_em(pairs, 0.3, m, u);
	said = sdc_fellegi_sunter_estimate(unit_host(), &comparison, &patterns,
									   &model);
	unit_check(said == NULL && model.converged,
			   "hard to tell apart: converged after %d rounds", model.used);
	worst = fabs(model.prior - m[3]);
	for (j = 0; j < 3; j++)
		worst = fmax(worst, fmax(fabs(model.field[j].m[0] - m[j]),
								 fabs(model.field[j].u[0] - u[j])));
	unit_check(worst < 1e-7, "as plain EM: within %g", worst);
	unit_check(model.used * 10 < rounds,
			   "in %d rounds where plain EM takes %d", model.used, rounds);
	unit_release_all();
}

/* A field whose levels lie is put in order; nothing else changes. */
static void
check_order(void)
{
	SdcComparison comparison = {.fields = 3, .pairs = 1000000};
	uint64_t pattern[27];
	uint64_t pairs[27];
	SdcComparisonPatterns patterns = {0, pattern, pairs, 0, 1000000};
	SdcFellegiSunter model = {.prior = 0.05, .iterations = 5000};
	const double m[3] = {0.3, 0.5, 0.2};
	const double u[3] = {0.2, 0.1, 0.7};
	int i;
	int j;

	for (j = 0; j < 3; j++)
	{
		comparison.field[j].levels = 3;
		comparison.stride[j] = j == 0 ? 1 : j == 1 ? 4 : 16;
	}
	for (i = 0; i < 27; i++)
	{
		int level[3] = {i % 3, i / 3 % 3, i / 9};
		double match = 0.1;
		double other = 0.9;

		for (j = 0; j < 3; j++)
		{
			match *= m[level[j]];
			other *= u[level[j]];
		}
		pattern[i] = level[0] + 4 * level[1] + 16 * level[2];
		pairs[i] = (uint64_t) llround(1e6 * (match + other));
	}
	patterns.count = 27;
	unit_check(sdc_fellegi_sunter_estimate(unit_host(), &comparison, &patterns,
										   &model) == NULL,
			   "levels that lie: an answer");
	for (j = 0; j < 3; j++)
		unit_check(model.weight[j][0] >= model.weight[j][1] - 1e-9 &&
					   model.weight[j][1] >= model.weight[j][2] - 1e-9,
				   "field %d: a better level never speaks less for a match",
				   j);
	unit_release_all();
}

/* Nothing to learn is said, not guessed. */
static void
check_nothing(void)
{
	SdcComparison comparison = {.fields = 2, .pairs = 100};
	uint64_t pattern[4] = {0, 1, 3, 4};
	uint64_t pairs[4] = {25, 25, 25, 25};
	SdcComparisonPatterns patterns = {0, pattern, pairs, 0, 100};
	SdcFellegiSunter model = {.prior = 0.1, .iterations = 100};
	int j;

	for (j = 0; j < 2; j++)
	{
		comparison.field[j].levels = 2;
		comparison.stride[j] = j == 0 ? 1 : 3;
	}
	unit_check(sdc_fellegi_sunter_estimate(unit_host(), &comparison, &patterns,
										   &model) != NULL,
			   "no pair");
	patterns.count = 1;
	unit_check(sdc_fellegi_sunter_estimate(unit_host(), &comparison, &patterns,
										   &model) != NULL,
			   "one pattern");
	patterns.count = 4;
	for (j = 0; j < 3; j++)
	{
		static const double prior[] = {NAN, 0, 1};
		const char *said;

		model.prior = prior[j];
		said = sdc_fellegi_sunter_estimate(unit_host(), &comparison, &patterns,
										   &model);
		unit_check(said != NULL && strstr(said, "to start from") != NULL,
				   "a share of matches of %g: %s", prior[j],
				   said == NULL ? "taken" : said);
	}
	unit_release_all();
}

#define PEOPLE 400
#define KEYS   6
#define CODES  20

/*
 * Codes, each drawn anew with a chance of its own; share[] is how often the
 * records of one person agree.
 */
static void
draw_codes(int32_t code[2][KEYS][PEOPLE], double *share)
{
	SdcRandom random;
	int i;
	int j;

	sdc_random_seed(&random, 12, 1);
	memset(share, 0, sizeof(double) * KEYS);
	for (i = 0; i < PEOPLE; i++)
		for (j = 0; j < KEYS; j++)
		{
			code[0][j][i] = (int32_t) sdc_random_below(&random, CODES);
			code[1][j][i] = sdc_random_below(&random, 10) > (uint64_t) j
								? code[0][j][i]
								: (int32_t) sdc_random_below(&random, CODES);
			share[j] += (double) (code[0][j][i] == code[1][j][i]) / PEOPLE;
		}
}

/* m by records, from all of them and from a quarter, is near the truth. */
static void
check_records(void)
{
	static int32_t code[2][KEYS][PEOPLE];
	SdcComparison comparison = {.fields = KEYS, .records = {PEOPLE, PEOPLE}};
	SdcComparisonWeights rarity[SDC_COMPARISON_FIELDS];
	SdcComparisonPatterns patterns;
	SdcComparisonLists lists;
	double share[KEYS];
	double worst;
	int part;
	int j;

	draw_codes(code, share);
	for (j = 0; j < KEYS; j++)
		comparison.field[j] = (SdcComparisonField){
			.levels = 2, .code = {code[0][j], code[1][j]}};
	(void) sdc_comparison_prepare(unit_host(), &comparison);
	patterns = sdc_comparison_count(unit_host(), &comparison, 1e9, 1);
	sdc_fellegi_sunter_rarity(unit_host(), &comparison, &patterns, rarity);
	for (part = 1; part <= 4; part += 3)
	{
		SdcFellegiSunter model = {.prior = 1.0 / PEOPLE,
								  .fix_u = true,
								  .fix_prior = true,
								  .iterations = 5000,
								  .lists = &lists};

		lists = sdc_comparison_list(unit_host(), &comparison, rarity,
									(double) comparison.point_pairs / part, 1);
		unit_check(sdc_fellegi_sunter_estimate(unit_host(), &comparison,
											   &patterns, &model) == NULL &&
					   lists.records == PEOPLE / part,
				   "%d records: an answer", (int) lists.records);
		worst = 0;
		for (j = 0; j < KEYS; j++)
			worst = fmax(worst, fabs(model.field[j].m[0] - share[j]));
		/* four standard errors of a share of .7 */
		unit_check(worst < 4 * 0.46 / sqrt(lists.records),
				   "%d records: m is %.3f from the truth", (int) lists.records,
				   worst);
	}
	unit_release_all();
}

#define TABLES 60

/*
 * The intervals hold the chance with which values were kept in 95 of 100: of
 * 360, fewer than 325 by chance once in 10,000 times.  Where values of several
 * records are alike matches must be guessed, and they are wider.
 */
static void
check_intervals(int32_t codes, bool by_records)
{
	static int32_t code[2][KEYS][PEOPLE];
	SdcRandom random;
	int covered = 0;
	double width = 0;
	int t;
	int i;
	int j;

	sdc_random_seed(&random, 31, (uint64_t) codes);
	for (t = 0; t < TABLES; t++)
	{
		SdcComparison comparison = {.fields = KEYS,
									.records = {PEOPLE, PEOPLE}};
		SdcLinkageInterval interval[SDC_COMPARISON_FIELDS]
								   [SDC_COMPARISON_LEVELS];
		SdcComparisonWeights rarity[SDC_COMPARISON_FIELDS];
		SdcComparisonPatterns patterns;
		SdcComparisonLists lists;
		SdcFellegiSunter model = {.prior = 1.0 / PEOPLE,
								  .fix_u = true,
								  .fix_prior = true,
								  .iterations = 5000,
								  .lists = by_records ? &lists : NULL};

		for (i = 0; i < PEOPLE; i++)
			for (j = 0; j < KEYS; j++)
			{
				code[0][j][i] = (int32_t) sdc_random_below(&random, codes);
				code[1][j][i] =
					sdc_random_unit(&random) < 0.8
						? code[0][j][i]
						: (int32_t) sdc_random_below(&random, codes);
			}
		for (j = 0; j < KEYS; j++)
			comparison.field[j] = (SdcComparisonField){
				.levels = 2, .code = {code[0][j], code[1][j]}};
		(void) sdc_comparison_prepare(unit_host(), &comparison);
		patterns = sdc_comparison_count(unit_host(), &comparison, 1e9, 1);
		if (by_records)
		{
			sdc_fellegi_sunter_rarity(unit_host(), &comparison, &patterns,
									  rarity);
			lists = sdc_comparison_list(unit_host(), &comparison, rarity,
										(double) comparison.point_pairs, 1);
		}
		(void) sdc_fellegi_sunter_estimate(unit_host(), &comparison, &patterns,
										   &model);
		sdc_fellegi_sunter_intervals(unit_host(), &comparison, &patterns,
									 &model, interval);
		for (j = 0; j < KEYS; j++)
		{
			double m = 0.8 + 0.2 / codes;

			covered +=
				interval[j][0].low <= m && m <= interval[j][0].high &&
				fabs(interval[j][0].low + interval[j][1].high - 1) < 1e-9;
			width +=
				(interval[j][0].high - interval[j][0].low) / (TABLES * KEYS);
		}
		unit_release_all();
	}
	unit_check(covered >= 325, "%d codes, by %s: %d of %d intervals hold m",
			   (int) codes, by_records ? "records" : "pairs", covered,
			   TABLES * KEYS);
	/* 2 * 1.96 * sqrt(.8 * .2 / 400) = .078 where matches are known */
	unit_check(width > 0.06 && width < (codes > 10 ? 0.1 : 0.5),
			   "their mean width is %.3f", width);
}

/* A level that no match has, and one that all have. */
static void
check_rare(void)
{
	uint64_t pattern[8];
	uint64_t pairs[8];
	SdcComparison comparison = make_published(pattern, pairs);
	SdcComparisonPatterns patterns = {8, pattern, pairs, 0, 100000};
	SdcFellegiSunter model = {.prior = 0.5, .iterations = 20000};
	SdcLinkageInterval interval[SDC_COMPARISON_FIELDS][SDC_COMPARISON_LEVELS];

	(void) sdc_fellegi_sunter_estimate(unit_host(), &comparison, &patterns,
									   &model);
	model.field[0].m[0] = 1;
	model.field[0].m[1] = 0;
	sdc_fellegi_sunter_intervals(unit_host(), &comparison, &patterns, &model,
								 interval);
	unit_check(interval[0][0].high == 1 && interval[0][0].low < 1 &&
				   interval[0][1].low == 0 && interval[0][1].high > 0 &&
				   interval[0][1].high < 0.01,
			   "no match has a level: %.5f to %.5f", interval[0][1].low,
			   interval[0][1].high);
	unit_release_all();
}

int
main(void)
{
	unit_start("fellegi_sunter");
	check_published(0.5, "from 0.5");
	check_published(0.001, "from 0.001");
	check_slow();
	check_order();
	check_nothing();
	check_records();
	check_intervals(20, false);
	check_intervals(20, true);
	check_intervals(6, false);
	check_intervals(6, true);
	check_rare();
	return unit_finish();
}
