/*
 * fellegi_sunter.c
 *		Comparison patterns against all pairs; EM against known models.
 *
 * The oracle for EM is the model itself: pair counts are made from known
 * probabilities, and the estimate must come back to them.
 */
#include "unit.h"

#include <math.h>
#include <stdlib.h>
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
}

static void
check_published(double prior, const char *name)
{
	uint64_t pattern[8];
	uint64_t pairs[8];
	SdcComparison comparison = make_published(pattern, pairs);
	SdcComparisonPatterns patterns = {8, pattern, pairs};
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

/* A field whose levels lie is put in order; nothing else changes. */
static void
check_order(void)
{
	SdcComparison comparison = {.fields = 3, .pairs = 1000000};
	uint64_t pattern[27];
	uint64_t pairs[27];
	SdcComparisonPatterns patterns = {0, pattern, pairs};
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

static int
level_by_hand(const SdcComparisonField *field, int32_t a, int32_t b)
{
	int l;

	if (field->number[0] != NULL)
	{
		if (isnan(field->number[0][a]) || isnan(field->number[1][b]))
			return field->levels;
		for (l = 0; l < field->levels - 1; l++)
			if (fabs(field->number[0][a] - field->number[1][b]) <=
				field->threshold[l])
				return l;
		return field->levels - 1;
	}
	if (field->code[0][a] < 0 || field->code[1][b] < 0)
		return field->levels;
	if (field->level != NULL)
		return field
			->level[field->code[0][a] * field->codes + field->code[1][b]];
	return field->code[0][a] == field->code[1][b] ? 0 : field->levels - 1;
}

#define ROWS_0 60
#define ROWS_1 47

/* Random records of both files, with values that are missing. */
typedef struct Files
{
	double number[2][ROWS_0];
	int32_t code[2][ROWS_0];
	int32_t other[2][ROWS_0];
	int32_t block[2][ROWS_0];
	uint8_t level[16];
} Files;

static void
draw_files(uint64_t seed, Files *files)
{
	const int rows[2] = {ROWS_0, ROWS_1};
	SdcRandom random;
	int f;
	int i;

	sdc_random_seed(&random, seed, 3);
	for (f = 0; f < 2; f++)
		for (i = 0; i < rows[f]; i++)
		{
			files->number[f][i] = (double) sdc_random_below(&random, 12);
			if (sdc_random_below(&random, 9) == 0)
				files->number[f][i] = NAN;
			files->code[f][i] = (int32_t) sdc_random_below(&random, 5) - 1;
			files->other[f][i] = (int32_t) sdc_random_below(&random, 4);
			files->block[f][i] = (int32_t) sdc_random_below(&random, 5) - 1;
		}
	for (i = 0; i < 16; i++)
		files->level[i] = (uint8_t) sdc_random_below(&random, 3);
}

static SdcComparison
make_comparison(const Files *files, bool blocked)
{
	SdcComparison comparison = {.fields = 3, .records = {ROWS_0, ROWS_1}};
	int f;

	comparison.blocks = 4;
	comparison.field[0].levels = 3;
	comparison.field[0].threshold[1] = 2;
	comparison.field[1].levels = 2;
	comparison.field[2].levels = 3;
	comparison.field[2].codes = 4;
	comparison.field[2].level = files->level;
	for (f = 0; f < 2; f++)
	{
		comparison.field[0].number[f] = files->number[f];
		comparison.field[1].code[f] = files->code[f];
		comparison.field[2].code[f] = files->other[f];
		comparison.block[f] = blocked ? files->block[f] : NULL;
	}
	return comparison;
}

/* Patterns and their counts against a plain loop over all pairs. */
static void
check_counts(uint64_t seed, bool blocked)
{
	Files files;
	SdcComparison comparison;
	uint64_t counts[48] = {0};
	SdcComparisonPatterns patterns;
	uint64_t pairs = 0;
	bool equal = true;
	int i;
	int j;

	draw_files(seed, &files);
	comparison = make_comparison(&files, blocked);
	unit_check(sdc_comparison_prepare(unit_host(), &comparison), "prepared");
	patterns = sdc_comparison_count(unit_host(), &comparison);
	for (i = 0; i < ROWS_0; i++)
		for (j = 0; j < ROWS_1; j++)
		{
			if (blocked && (files.block[0][i] < 0 ||
							files.block[0][i] != files.block[1][j]))
				continue;
			counts[level_by_hand(&comparison.field[0], i, j) +
				   4 * level_by_hand(&comparison.field[1], i, j) +
				   12 * level_by_hand(&comparison.field[2], i, j)]++;
			pairs++;
		}
	for (i = 0, j = 0; i < 48; i++)
		if (counts[i] > 0)
		{
			equal = equal && j < patterns.count &&
					patterns.pattern[j] == (uint64_t) i &&
					patterns.pairs[j] == counts[i];
			j++;
		}
	unit_check(equal && j == patterns.count && pairs == comparison.pairs,
			   "seed %d%s: patterns of all pairs", (int) seed,
			   blocked ? ", blocks" : "");
	unit_release_all();
}

/* Nothing to learn is said, not guessed. */
static void
check_nothing(void)
{
	SdcComparison comparison = {.fields = 2, .pairs = 100};
	uint64_t pattern[4] = {0, 1, 3, 4};
	uint64_t pairs[4] = {25, 25, 25, 25};
	SdcComparisonPatterns patterns = {0, pattern, pairs};
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
	model.prior = NAN;
	unit_check(sdc_fellegi_sunter_estimate(unit_host(), &comparison, &patterns,
										   &model) != NULL,
			   "no prior");
	unit_release_all();
}

int
main(void)
{
	uint64_t seed;

	unit_start("fellegi_sunter");
	check_published(0.5, "from 0.5");
	check_published(0.001, "from 0.001");
	check_order();
	for (seed = 1; seed <= 5; seed++)
	{
		check_counts(seed, false);
		check_counts(seed, true);
	}
	check_nothing();
	return unit_finish();
}
