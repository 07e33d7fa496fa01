/*
 * released.c
 *		Columns that are no keys and go with them, against who knows the line.
 *
 * The key is masked with noise as wide as itself, so that by itself it finds
 * next to nobody.  Seeds are fixed.
 */
#include "intruder_files.h"

#include "kernel/base/elementary.h"
#include "kernel/intruder/intruder_private.h"
#include "kernel/intruder/released.h"
#include "kernel/mask/noise.h"

#define N 500

static SdcRandom random_state;

/* What a case releases beside the masked key. */
typedef struct Case
{
	double key[N];
	double masked[N];
	double column[SDC_INTRUDER_RELEASED][N];
	int columns;
	bool used[SDC_INTRUDER_RELEASED];
	SdcIntruderTold **told; /* what is left of each column; NULL: nothing */
} Case;

static Case *
make_case(int columns)
{
	Case *made = sdc_new(unit_host(), Case, 1);
	int i;

	made->columns = columns;
	made->told = NULL;
	memset(made->used, 0, sizeof(made->used));
	for (i = 0; i < N; i++)
	{
		made->key[i] = sdc_exp(4 + sdc_random_normal(&random_state));
		made->masked[i] = made->key[i] + 50 * sdc_random_normal(&random_state);
	}
	return made;
}

static double
normal(void)
{
	return sdc_random_normal(&random_state);
}

/* Learns what the columns tell. */
static void
learn(Case *of, SdcIntruder *intruder)
{
	const double *person = of->key;
	const double *mask = of->masked;
	const double *record[SDC_INTRUDER_RELEASED];
	int32_t partner[N];
	SdcIntruderReleased released = {.known = 1,
									.person = &person,
									.masks = 1,
									.mask = &mask,
									.columns = of->columns,
									.record = record,
									.partner = partner,
									.used = of->used,
									.told = of->told};
	int i;

	for (i = 0; i < of->columns; i++)
		record[i] = of->column[i];
	for (i = 0; i < N; i++)
		partner[i] = i;
	sdc_intruder_add_released(intruder, &released);
}

/* The records that are found by the likeliest link, one person at a time. */
static int
attack(Case *of)
{
	const double *person = of->key;
	const double *mask = of->masked;
	double base = 0;
	SdcIntruder *intruder =
		sdc_intruder_create(unit_host(), N, N, SDC_INTRUDER_ERROR, 5);
	SdcIntruderNoise noise = {.law = SDC_NOISE_GAUSSIAN,
							  .alpha = 1,
							  .columns = 1,
							  .person = &person,
							  .record = &mask,
							  .base = &base};
	SdcIntruderCandidates *found;
	int right = 0;
	int i;

	sdc_intruder_add_noise(intruder, &noise);
	learn(of, intruder);
	found = search_all(intruder, NULL, N, 64, SDC_INTRUDER_DEPTH, false);
	for (i = 0; i < N; i++)
		right += found->record[found->lists.column[found->lists.first[i]]] ==
				 found->person[i];
	return right;
}

/* The records that the nearest one finds, by the line itself. */
static int
nearest(const double *expected, const double *column)
{
	int right = 0;
	int i;
	int j;

	for (i = 0; i < N; i++)
	{
		int best = 0;

		for (j = 1; j < N; j++)
			if (fabs(column[j] - expected[i]) <
				fabs(column[best] - expected[i]))
				best = j;
		right += best == i;
	}
	return right;
}

/* A tax, with one in 50 who pays something else and some who hide it. */
static void
check_line(void)
{
	Case *of = make_case(2);
	double expected[N];
	int by_line;
	int found;
	int i;

	for (i = 0; i < N; i++)
	{
		of->column[0][i] = normal();
		expected[i] = 0.7 * of->key[i] - 3;
		of->column[1][i] =
			i % 50 == 0 ? 1e5 * normal() : expected[i] + 0.1 * normal();
	}
	by_line = nearest(expected, of->column[1]);
	for (i = 7; i < N; i += 40)
		of->column[1][i] = NAN;
	found = attack(of);
	unit_check(!of->used[0] && of->used[1] && found > by_line - 25,
			   "a line: %d found, %d by who knows it", found, by_line);
	of->used[0] = of->used[1] = false;
	for (i = 0; i < N; i += 50)
		of->column[1][i] = i % 100 == 0 ? 1e300 : -1e200;
	found = attack(of);
	unit_check(!of->used[0] && of->used[1] && found > by_line - 40,
			   "beside numbers that have no square: %d found", found);
	unit_release_all();
}

/* By its logarithm. */
static void
check_size(void)
{
	Case *of = make_case(1);
	double expected[N];
	int by_line;
	int found;
	int i;

	for (i = 0; i < N; i++)
	{
		expected[i] = of->key[i] * of->key[i];
		of->column[0][i] = expected[i] * sdc_exp(0.002 * normal());
	}
	by_line = nearest(expected, of->column[0]);
	found = attack(of);
	unit_check(of->used[0] && found > by_line / 2,
			   "a square: %d found, %d by who knows it", found, by_line);
	unit_release_all();
}

/* A sum with a column that says nothing by itself. */
static void
check_sum(void)
{
	Case *of = make_case(2);
	int found;
	int i;

	for (i = 0; i < N; i++)
	{
		of->column[0][i] = 300 * normal();
		of->column[1][i] = of->key[i] + of->column[0][i];
	}
	found = attack(of);
	unit_check(!of->used[0] && of->used[1] && found > N * 0.95,
			   "a sum: %d of %d found", found, N);
	unit_release_all();
}

/* What goes with the masked key tells nothing that the key does not. */
static void
check_copies(void)
{
	Case *of = make_case(3);
	int i;

	for (i = 0; i < N; i++)
	{
		of->column[0][i] = 3 * of->masked[i] + 1;
		of->column[1][i] = of->masked[i] + 20 * normal();
		of->column[2][i] = normal();
	}
	attack(of);
	unit_check(!of->used[0] && !of->used[1] && !of->used[2],
			   "copies of a masked key are not counted again (%d %d %d)",
			   of->used[0], of->used[1], of->used[2]);
	unit_release_all();
}

/* What is left of a column that was learned stands, whatever it shows by now,
 * and so does that another one tells nothing. */
static void
check_told(void)
{
	Case *of = make_case(2);
	SdcIntruderTold *told[2] = {NULL, NULL};
	int found[2];
	int i;

	for (i = 0; i < N; i++)
	{
		of->column[0][i] = normal();
		of->column[1][i] = 0.7 * of->key[i] + 0.01 * normal();
	}
	of->told = told;
	found[0] = attack(of);
	for (i = 0; i < N; i++)
	{
		of->column[0][i] = of->column[1][i];
		of->column[1][i] = normal();
	}
	of->used[0] = of->used[1] = false;
	found[1] = attack(of);
	unit_check(!of->used[0] && of->used[1] && found[0] > 0.9 * N &&
				   found[1] == found[0],
			   "what was learned is not learned again: %d, %d of %d found",
			   found[0], found[1], N);
	sdc_intruder_forget(unit_host(), told[0]);
	sdc_intruder_forget(unit_host(), told[1]);
	unit_release_all();
}

/* Sizes are the same, bit by bit, in other units. */
static void
check_units(void)
{
	double value[2][N];
	double *size[2];
	int differ = 0;
	int i;

	for (i = 0; i < N; i++)
	{
		value[0][i] = sdc_exp(5 + 2 * normal());
		value[1][i] = value[0][i] * 1024;
	}
	for (i = 0; i < 2; i++)
		size[i] =
			sdc_learning_standard(unit_host(), value[i], N, SDC_MEASURE_SIZE);
	for (i = 0; i < N; i++)
		differ += size[0][i] != size[1][i];
	unit_check(differ == 0, "sizes of other units: %d of %d differ", differ,
			   N);
	unit_release_all();
}

/* People of two numbers and a category, of whom nothing else is known, and one
 * column. */
typedef struct Effects
{
	double number[2][N];
	int32_t code[N];
	double column[N];
} Effects;

#define EFFECT_CODES 10

static Effects *
make_effects(void)
{
	Effects *made = sdc_new(unit_host(), Effects, 1);
	int i;

	for (i = 0; i < N; i++)
	{
		made->number[0][i] = sdc_exp(4 + normal());
		made->number[1][i] = 100 * sdc_random_unit(&random_state);
		made->code[i] =
			(int32_t) sdc_random_below(&random_state, EFFECT_CODES);
	}
	return made;
}

/* The records that are found by the column alone; -1: it is not used. */
static int
find_effects(const Effects *of)
{
	const double *person[2] = {of->number[0], of->number[1]};
	const double *record = of->column;
	const int32_t *code = of->code;
	int32_t codes = EFFECT_CODES;
	int32_t partner[N];
	bool used = false;
	SdcIntruder *intruder =
		sdc_intruder_create(unit_host(), N, N, SDC_INTRUDER_ERROR, 5);
	SdcIntruderReleased released = {.known = 2,
									.person = person,
									.columns = 1,
									.record = &record,
									.partner = partner,
									.used = &used,
									.keys = 1,
									.no_numbers = 1,
									.category = &code,
									.codes = &codes};
	SdcIntruderCandidates *found;
	int right = 0;
	int i;

	for (i = 0; i < N; i++)
		partner[i] = i;
	sdc_intruder_add_released(intruder, &released);
	if (!used)
		return -1;
	found = search_all(intruder, NULL, N, 64, SDC_INTRUDER_DEPTH, false);
	for (i = 0; i < N; i++)
		right += found->record[found->lists.column[found->lists.first[i]]] ==
				 found->person[i];
	return right;
}

/* How much of the numbers of the own category a person has. */
static double
share_of(const Effects *of, int person)
{
	double sum = 0;
	int i;

	for (i = 0; i < N; i++)
		sum += of->code[i] == of->code[person] ? of->number[0][i] : 0;
	return of->number[0][person] / sum;
}

/* Laws in each category, places in it, products, and what rises with two. */
static void
check_effects(void)
{
	Effects *of = make_effects();
	double rate[EFFECT_CODES];
	int found[5];
	int i;

	for (i = 0; i < EFFECT_CODES; i++)
		rate[i] = 1 + normal();
	for (i = 0; i < N; i++)
		of->column[i] = rate[of->code[i]] * of->number[0][i] +
						10 * rate[EFFECT_CODES - 1 - of->code[i]];
	found[0] = find_effects(of);
	for (i = 0; i < N; i++)
		of->column[i] = share_of(of, i);
	found[1] = find_effects(of);
	for (i = 0; i < N; i++)
		of->column[i] = of->number[0][i] * of->number[1][i];
	found[2] = find_effects(of);
	for (i = 0; i < N; i++)
	{
		double sum = of->number[0][i] / 2 + of->number[1][i];

		of->column[i] = sum * sum * sum;
	}
	found[3] = find_effects(of);
	for (i = 0; i < N; i++)
		of->column[i] = normal();
	found[4] = find_effects(of);
	unit_check(found[0] > 0.95 * N && found[1] > 0.95 * N &&
				   found[2] > 0.95 * N,
			   "a rate %d, a share %d, a product %d of %d found", found[0],
			   found[1], found[2], N);
	unit_check(found[3] > 0.6 * N, "a curve of two numbers: %d of %d found",
			   found[3], N);
	unit_check(found[4] == -1, "what is drawn is not used (%d)", found[4]);
	unit_release_all();
}

/* Means by category of a key, as they are learned and as they are shown. */
typedef struct Means
{
	bool goes;
	double learned[N];
	double shown[N];
} Means;

static Means *
means_of(const double *key, const int32_t *code, int32_t codes)
{
	static int32_t partner[N];
	Means *means = sdc_new(unit_host(), Means, 1);
	SdcIntruder *intruder =
		sdc_intruder_create(unit_host(), N, N, SDC_INTRUDER_ERROR, 5);
	SdcIntruderReleased released = {
		.known = 1, .person = &key, .partner = partner};
	int i;

	for (i = 0; i < N; i++)
		partner[i] = i;
	means->goes = sdc_intruder_category_means(intruder, &released, code, codes,
											  means->learned, means->shown);
	return means;
}

/* How far the means are from the keys, as a share of their spread. */
static double
left_by(const double *key, const double *mean)
{
	double x[2] = {0, 0};
	double product[3] = {0, 0, 0};
	int known = 0;
	int i;

	for (i = 0; i < N; i++)
		if (!isnan(mean[i]))
		{
			x[0] += key[i];
			x[1] += mean[i];
			known++;
		}
	for (i = 0; i < N; i++)
		if (!isnan(mean[i]))
		{
			double a = key[i] - x[0] / known;
			double b = mean[i] - x[1] / known;

			product[0] += a * a;
			product[1] += b * b;
			product[2] += a * b;
		}
	return known == 0 || product[1] == 0
			   ? 1
			   : 1 - product[2] * product[2] / product[0] / product[1];
}

/*
 * Categories tell as much of a key as their means do, those that say nothing
 * tell nothing, and nobody's own value is in the mean of the own record.
 */
static void
check_categories(void)
{
	double key[N];
	int32_t band[N];
	int32_t any[N];
	int32_t own[N];
	int32_t one[N];
	Means *before;
	Means *after;
	int unknown = 0;
	int apart = 0;
	int i;

	for (i = 0; i < N; i++)
	{
		key[i] = 100 * sdc_random_unit(&random_state);
		band[i] = i % 50 == 0 ? -1 : 37 * (int) (key[i] / 5) % 20;
		any[i] = (int) sdc_random_below(&random_state, 20);
		own[i] = i;
		one[i] = 0;
	}
	before = means_of(key, band, 20);
	for (i = 0; i < N; i++)
		apart += band[i] == band[1] && before->shown[i] != before->shown[1];
	unit_check(before->goes && left_by(key, before->learned) < 0.01 &&
				   apart == 0,
			   "bands leave %.4f; %d of one band look another",
			   left_by(key, before->learned), apart);
	unit_check(isnan(before->learned[0]) && isnan(before->shown[50]),
			   "NULL has no mean");
	after = means_of(key, any, 20);
	unit_check(left_by(key, after->learned) > 0.97,
			   "what has nothing to do with it leaves %.4f",
			   left_by(key, after->learned));
	after = means_of(key, own, N);
	for (i = 0; i < N; i++)
		unknown += isnan(after->learned[i]) && isnan(after->shown[i]);
	unit_check(!after->goes && unknown == N,
			   "%d categories of one person have a mean", N - unknown);
	after = means_of(key, one, 1);
	unit_check(!after->goes, "a category of all goes with nothing");
	key[1] += 10;
	after = means_of(key, band, 20);
	for (i = 0, apart = 0; i < N; i++)
		apart += band[i] == band[1] && before->learned[i] != after->learned[i];
	unit_check(fabs(before->learned[1] - after->learned[1]) <
					   10.0 / (N - 20) &&
				   apart > 0,
			   "a value is in %d means of others, and not in its own", apart);
	unit_release_all();
}

/*
 * A category that is known of a person tells a released column, where that
 * goes with it; one that is his alone tells nothing, and nothing of him is in
 * what is learned from.
 */
static void
check_known_categories(void)
{
	static int32_t partner[N];
	double column[N];
	double learned[N];
	double mean[N];
	int32_t band[N];
	int32_t own[N];
	int32_t any[N];
	SdcIntruder *intruder =
		sdc_intruder_create(unit_host(), N, N, SDC_INTRUDER_ERROR, 5);
	SdcIntruderReleased released = {.partner = partner};
	int apart = 0;
	int told = 0;
	bool goes;
	int i;

	for (i = 0; i < N; i++)
	{
		/* the records are in another order than the persons */
		partner[i] = N - 1 - i;
		band[i] = i % 50 == 0 ? -1 : i % 20;
		column[N - 1 - i] = 37 * (i % 20) % 20 + 0.1 * normal();
		any[i] = (int) sdc_random_below(&random_state, 20);
		own[i] = i;
	}
	goes = sdc_intruder_known_means(intruder, &released, column, band, 20,
									learned, mean);
	for (i = 0; i < N; i++)
		if (band[i] >= 0)
		{
			apart += mean[i] != mean[20 + i % 20 + (i % 20 == 0 ? 0 : -20)];
			told += fabs(mean[i] - 37 * (i % 20) % 20) < 0.2 &&
					fabs(learned[i] - 37 * (i % 20) % 20) < 0.2;
		}
		else
			told += mean[i] == mean[0] && learned[i] == mean[0];
	unit_check(goes && told == N && apart == 0,
			   "bands tell %d of %d, %d of one band look another", told, N,
			   apart);
	goes = sdc_intruder_known_means(intruder, &released, column, own, N,
									learned, mean);
	for (i = told = 0; i < N; i++)
		told += mean[i] != mean[0] || learned[i] != mean[0];
	unit_check(!goes && told == 0, "%d learn from themselves", told);
	unit_check(!sdc_intruder_known_means(intruder, &released, column, any, 20,
										 learned, mean),
			   "bands at random tell nothing");
	unit_release_all();
}

/* What is said of own records by categories, and of all that may be it. */
typedef struct Said
{
	bool used[3];
	double own; /* the chances that own records are given */
	double all; /* what a link drawn by its chance is right by what is said */
	double elsewhere; /* chances of records that the first column excludes */
} Said;

/*
 * The categories of keys and columns, of persons and records at the same
 * places, beside a key with noise.
 */
static Said
attack_categories(int columns, const int32_t *key, int32_t keys,
				  const int32_t *const *column, const int32_t *codes)
{
	Case *of = make_case(0);
	const double *person = of->key;
	const double *mask = of->masked;
	double base = 0;
	int32_t partner[N];
	SdcIntruder *intruder =
		sdc_intruder_create(unit_host(), N, N, SDC_INTRUDER_ERROR, 5);
	SdcIntruderNoise noise = {.law = SDC_NOISE_GAUSSIAN,
							  .alpha = 1,
							  .columns = 1,
							  .person = &person,
							  .record = &mask,
							  .base = &base};
	Said said = {.own = 0};
	SdcIntruderCategories categories = {.keys = 1,
										.person = &key,
										.person_codes = &keys,
										.columns = columns,
										.record = column,
										.record_codes = codes,
										.partner = partner,
										.used = said.used};
	SdcIntruderCandidates *found;
	float *chance;
	float *inside;
	float outside[N];
	int64_t e;
	int i;

	for (i = 0; i < N; i++)
	{
		partner[i] = i;
		outside[i] = -INFINITY;
	}
	sdc_intruder_add_noise(intruder, &noise);
	sdc_intruder_add_categories(intruder, &categories);
	found = search_all(intruder, NULL, N, N, 1e10, false);
	chance = sdc_new(unit_host(), float, N *N + 1);
	inside = sdc_new(unit_host(), float, N + 1);
	found->lists.outside = outside;
	sdc_match_alone(unit_host(), &found->lists, chance, inside);
	for (i = 0; i < N; i++)
		for (e = found->lists.first[i]; e < found->lists.first[i + 1]; e++)
		{
			int32_t record = found->record[found->lists.column[e]];

			said.own += record == found->person[i] ? chance[e] : 0;
			said.all += chance[e] * chance[e];
			if (column[0][record] != column[0][found->person[i]])
				said.elsewhere += chance[e];
		}
	return said;
}

/*
 * Tables of categories: a function excludes all others, chances are what is
 * right, also where columns tell the same, and what has nothing to do with the
 * key, or is one person's alone, tells nothing.
 */
static void
check_tables(void)
{
	int32_t key[N];
	int32_t own[N];
	int32_t image[N];
	int32_t near[N];
	int32_t again[N];
	int32_t any[N];
	const int32_t *column[3] = {image, near, any};
	int32_t codes[3] = {10, 10, 10};
	Said said;
	int i;

	for (i = 0; i < N; i++)
	{
		key[i] = (int32_t) sdc_random_below(&random_state, 20);
		own[i] = i;
		image[i] = key[i] * 7 % 10;
		any[i] = (int32_t) sdc_random_below(&random_state, 10);
		near[i] = sdc_random_unit(&random_state) < 0.6
					  ? image[i]
					  : (int32_t) sdc_random_below(&random_state, 10);
		again[i] = near[i] * 3 % 10;
	}
	said = attack_categories(1, key, 20, column, codes);
	unit_check(said.used[0] && said.elsewhere < 0.05 * N,
			   "a function of the key leaves %.1f of %d elsewhere",
			   said.elsewhere, N);
	column[0] = near;
	column[1] = any;
	said = attack_categories(2, key, 20, column, codes);
	unit_check(said.used[0] && !said.used[1] && fabs(said.own - said.all) < 3,
			   "mostly the same: %.2f are right, %.2f are said", said.own,
			   said.all);
	column[1] = again;
	column[2] = near;
	said = attack_categories(3, key, 20, column, codes);
	unit_check(said.used[0] && said.own > 0.85 * said.all,
			   "three times the same: %.2f are right, %.2f are said", said.own,
			   said.all);
	key[0] = near[1] = -1;
	said = attack_categories(1, key, 20, column, codes);
	unit_check(said.used[0], "NULLs tell nothing, others do");
	said = attack_categories(1, own, N, column, codes);
	unit_check(!said.used[0], "who is alone in his category tells nothing");
	column[0] = own;
	codes[0] = N;
	said = attack_categories(1, key, 20, column, codes);
	unit_check(!said.used[0], "nor does what only one record has");
	unit_release_all();
}

/*
 * A rate and a fixed sum of a class of records that was drawn: also where most
 * records are of people of whom nothing is known.
 */
static void
check_classes(void)
{
	double *income = sdc_new(unit_host(), double, N);
	double *class = sdc_new(unit_host(), double, N);
	double *tax = sdc_new(unit_host(), double, N);
	int32_t *code = sdc_new(unit_host(), int32_t, N);
	int32_t *partner = sdc_new(unit_host(), int32_t, N);
	const double *known = income;
	const double *column[2] = {class, tax};
	const int32_t *codes[2] = {code, NULL};
	int32_t classes[2] = {3, 0};
	bool used[2] = {false, false};
	SdcIntruderReleased released = {.known = 1,
									.person = &known,
									.columns = 2,
									.record = column,
									.partner = partner,
									.used = used,
									.class_of_record = codes,
									.classes = classes};
	int persons;
	int i;

	for (i = 0; i < N; i++)
	{
		income[i] = 1000 + 9000 * sdc_random_unit(&random_state);
		code[i] = (int32_t) sdc_random_below(&random_state, 3);
		class[i] = code[i];
		tax[i] = income[i] * (0.1 + 0.07 * (code[i] * 2 % 3)) + 900 * code[i];
		partner[i] = i;
	}
	for (persons = N / 6; persons <= N; persons += N - N / 6)
	{
		SdcIntruder *intruder = sdc_intruder_create(unit_host(), persons, N,
													SDC_INTRUDER_ERROR, 5);

		used[0] = used[1] = false;
		sdc_intruder_add_released(intruder, &released);
		unit_check(used[0] && used[1],
				   "a tax and its class, of %d known people of %d", persons,
				   N);
		sdc_intruder_release(intruder);
	}
	unit_release_all();
}

/* What is asked at the limits: NULLs and infinities, constants, and noise. */
typedef struct Limits
{
	double known[SDC_INTRUDER_KNOWN][N];
	double masked[SDC_INTRUDER_KNOWN][N];
	double column[SDC_INTRUDER_RELEASED][N];
	int32_t code[SDC_INTRUDER_RELEASED][N];
	int32_t codes[SDC_INTRUDER_RELEASED];
	int32_t partner[N];
	bool used[SDC_INTRUDER_RELEASED];
} Limits;

static void
fill_limits(Limits *of, int n)
{
	int i;
	int c;

	for (i = 0; i < n; i++)
	{
		of->partner[i] = i % 5 == 4 ? -1 : i;
		for (c = 0; c < SDC_INTRUDER_KNOWN; c++)
		{
			of->known[c][i] = c % 8 == 7 ? NAN : normal();
			of->masked[c][i] = c % 16 == 15 ? INFINITY : normal();
		}
		for (c = 0; c < SDC_INTRUDER_RELEASED; c++)
		{
			const double value[] = {NAN, 7, i % 3 == 0 ? INFINITY : normal(),
									normal()};
			const int32_t code[] = {0, i % 2, i};

			of->column[c][i] = value[c % 4];
			of->code[c][i] = code[c % 3];
		}
	}
	for (c = 0; c < SDC_INTRUDER_RELEASED; c++)
		of->codes[c] = c % 3 == 2 ? n : 1 + c % 3;
	memset(of->used, 0, sizeof(of->used));
}

/* How many columns go with what is known, by the same as all of it. */
static int
learn_limits(Limits *of, int n)
{
	const double *known[SDC_INTRUDER_KNOWN];
	const double *masked[SDC_INTRUDER_KNOWN];
	const double *column[SDC_INTRUDER_RELEASED];
	const int32_t *code[SDC_INTRUDER_RELEASED];
	SdcIntruder *intruder =
		sdc_intruder_create(unit_host(), n, n, SDC_INTRUDER_ERROR, 5);
	SdcIntruderReleased released = {.known = SDC_INTRUDER_KNOWN,
									.person = known,
									.masks = SDC_INTRUDER_KNOWN,
									.mask = masked,
									.columns = SDC_INTRUDER_RELEASED,
									.record = column,
									.partner = of->partner,
									.used = of->used,
									.keys = SDC_INTRUDER_RELEASED,
									.no_numbers = SDC_INTRUDER_RELEASED / 2,
									.category = code,
									.codes = of->codes,
									.class_of_record = code,
									.classes = of->codes};
	int used;
	int c;

	for (c = 0; c < SDC_INTRUDER_KNOWN; c++)
	{
		known[c] = of->known[c];
		masked[c] = of->masked[c];
	}
	for (c = 0; c < SDC_INTRUDER_RELEASED; c++)
	{
		column[c] = of->column[c];
		code[c] = of->code[c];
	}
	used = sdc_intruder_add_released(intruder, &released);
	released.keys = 0;
	used += sdc_intruder_add_released(intruder, &released);
	sdc_intruder_release(intruder);
	return used;
}

/*
 * Few people, and as many keys, columns and classes as there may be: nothing
 * goes with anything, and no memory but their own is used, or kept.
 */
static void
check_limits(void)
{
	static const int sizes[] = {1, 2, 10, 20, 23, 100};
	Limits *of = sdc_new(unit_host(), Limits, 1);
	size_t before = unit_pieces();
	int size;

	for (size = 0; size < SDC_LENGTH(sizes); size++)
	{
		int used;

		fill_limits(of, sizes[size]);
		used = learn_limits(of, sizes[size]);
		unit_check(used == 0 && unit_pieces() == before,
				   "%d people, all keys: %d columns of noise are used",
				   sizes[size], used);
	}
	unit_release_all();
}

int
main(void)
{
	unit_start("columns that go with a key");
	sdc_random_seed(&random_state, 8, 1);
	check_line();
	check_size();
	check_sum();
	check_copies();
	check_told();
	check_units();
	check_effects();
	check_categories();
	check_known_categories();
	check_tables();
	check_classes();
	check_limits();
	return unit_finish();
}
