/*
 * bilinear.c
 *		Columns that keys and other columns make together: who knows the keys
 *		is found, what is said is right, and boxes leave nobody out.
 */
#include "intruder_files.h"

#include "kernel/mask/noise.h"

#include <string.h>

#define N    600
#define SEED 11

static SdcRandom random_state;

/* A wage by the hour and an allowance, with noise; hours and the pay. */
typedef struct Files
{
	double wage[N];
	double allowance[N];
	double masked_wage[N];
	double masked_allowance[N];
	double hours[N];
	double pay[N];
	int32_t partner[N];
} Files;

static Files *
draw_files(double error, double wrong)
{
	Files *files = sdc_new(unit_host(), Files, 1);
	int32_t i;

	for (i = 0; i < N; i++)
	{
		files->wage[i] = 10 + 40 * sdc_random_unit(&random_state);
		files->allowance[i] = 1000 + 3000 * sdc_random_unit(&random_state);
		files->masked_wage[i] =
			files->wage[i] + 11.5 * sdc_random_normal(&random_state);
		files->masked_allowance[i] =
			files->allowance[i] + 866 * sdc_random_normal(&random_state);
		files->hours[i] = 100 + 80 * sdc_random_unit(&random_state);
		files->pay[i] = files->allowance[i] +
						files->wage[i] * files->hours[i] +
						error * sdc_random_normal(&random_state);
		if (sdc_random_unit(&random_state) < wrong)
			files->pay[i] = 5000 + 10000 * sdc_random_unit(&random_state);
		files->partner[i] = i;
	}
	return files;
}

static void
add_noise(SdcIntruder *intruder, const double *person, const double *record)
{
	double base = 0;
	SdcIntruderNoise noise = {SDC_NOISE_GAUSSIAN,
							  1,
							  1,
							  &person,
							  &record,
							  &base,
							  NULL,
							  NULL,
							  false,
							  0};

	sdc_intruder_add_noise(intruder, &noise);
}

/* Who knows both keys, and whether they are masked beside the pay. */
static SdcIntruder *
know(const Files *files)
{
	SdcIntruder *intruder =
		sdc_intruder_create(unit_host(), N, N, SDC_INTRUDER_ERROR, SEED);

	add_noise(intruder, files->wage, files->masked_wage);
	add_noise(intruder, files->allowance, files->masked_allowance);
	return intruder;
}

static bool
add_pay(SdcIntruder *intruder, const Files *files, const double *pay)
{
	double wage[N];
	double hours[N];
	const double *person[] = {files->allowance, wage};
	const double *record[] = {pay, hours};
	SdcIntruderBilinear form = {2, person, record, files->partner};
	int32_t i;

	for (i = 0; i < N; i++)
	{
		wage[i] = files->wage[i] / 30;
		hours[i] = files->hours[i] * 30;
	}
	return sdc_intruder_add_bilinear(intruder, &form);
}

static SdcIntruderSuccess
attack(SdcIntruder *intruder)
{
	SdcIntruderSearch search = {.count = N,
								.room = 64,
								.depth = SDC_INTRUDER_DEPTH,
								.share = SDC_INTRUDER_SHARE};
	SdcIntruderPrior prior = {1, true, NULL, SDC_MATCH_BUDGET, 200};
	SdcIntruderCandidates *found = run_search(intruder, &search, false);
	SdcIntruderAnswer *answer =
		sdc_intruder_answer(unit_host(), intruder, found, &prior);
	int32_t truth[N];
	SdcIntruderSuccess success;
	int32_t i;

	for (i = 0; i < N; i++)
		truth[i] = i;
	sdc_intruder_success(found, answer, truth, NULL, &success);
	return success;
}

/* error: of the pay; wrong: the part of the persons whose pay is another. */
static void
check_found(double error, double wrong, double least)
{
	Files *files = draw_files(error, wrong);
	SdcIntruder *intruder = know(files);
	SdcIntruderSuccess before = attack(intruder);
	SdcIntruderSuccess with;
	double right;
	double said;

	unit_check(add_pay(intruder, files, files->pay), "a pay tells more");
	with = attack(intruder);
	right = with.right[SDC_INTRUDER_BELIEF];
	said = with.said[SDC_INTRUDER_BELIEF];
	unit_check(before.right[SDC_INTRUDER_BELIEF] < 0.2 * N &&
				   right >= least * N,
			   "error %g, wrong %g: %d found before, %g with it", error, wrong,
			   (int) before.right[SDC_INTRUDER_BELIEF], right);
	unit_check(fabs(said - right) < 0.05 * N, "%g are said", said);
	unit_check(!add_pay(intruder, files, files->pay),
			   "who says it again tells nothing");
	unit_release_all();
}

/* A pay of somebody else tells nothing. */
static void
check_chance(void)
{
	Files *files = draw_files(1, 0);
	SdcIntruder *intruder = know(files);
	double other[N];
	int32_t i;

	for (i = 0; i < N; i++)
		other[i] = files->pay[(i + 7) % N];
	unit_check(!add_pay(intruder, files, other), "nor does another's pay");
	for (i = 0; i < N; i++)
		other[i] = 3000;
	unit_check(!add_pay(intruder, files, other), "nor one that all have");
	for (i = 0; i < N; i++)
		files->partner[i] = -1;
	unit_check(!add_pay(intruder, files, files->pay),
			   "nor one of whom nobody is known");
	unit_release_all();
}

static int
descending(const void *a, const void *b)
{
	float x = *(const float *) a;
	float y = *(const float *) b;

	return x > y ? -1 : x < y;
}

/* A search that leaves boxes out finds the best of one that scores all pairs,
 * also where numbers are missing. */
static void
check_pruning(void)
{
	Files *files = draw_files(20, 0.02);
	SdcIntruder *intruder;
	SdcIntruderCandidates *all;
	SdcIntruderCandidates *some;
	bool same = true;
	int32_t k;
	int64_t e;

	for (k = 0; k < N; k++)
	{
		files->wage[k] = k % 13 == 0 ? NAN : files->wage[k];
		files->hours[k] = k % 17 == 0 ? NAN : files->hours[k];
		files->pay[k] = k % 3 == 0 ? NAN : files->pay[k];
	}
	intruder = know(files);
	unit_check(add_pay(intruder, files, files->pay), "with holes, too");
	all = search_all(intruder, NULL, N, N, 1e9, false);
	some = search_all(intruder, NULL, N, 20, 14, false);
	for (k = 0; k < N; k++)
	{
		float *best = (float *) all->lists.score + all->lists.first[k];
		const float *found = some->lists.score + some->lists.first[k];
		int64_t count = some->lists.first[k + 1] - some->lists.first[k];

		same = same && all->person[k] == some->person[k] &&
			   all->lists.first[k + 1] - all->lists.first[k] == N;
		qsort(best, N, sizeof(float), descending);
		for (e = 0; e < count; e++)
			same = same && found[e] == best[e];
	}
	unit_check(same && some->looks < all->looks,
			   "boxes leave out none of the best; %d of %d looks each",
			   (int) (some->looks / N), (int) (all->looks / N));
	unit_release_all();
}

int
main(void)
{
	unit_start("bilinear forms");
	sdc_random_seed(&random_state, 51, 0);
	check_found(0, 0, 0.99);
	check_found(0.3, 0, 0.95);
	check_found(30, 0, 0.25);
	check_found(0.3, 0.2, 0.75);
	check_chance();
	check_pruning();
	unit_release_all();
	return unit_finish();
}
