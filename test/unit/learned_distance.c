/*
 * Learned distances: counts at the returned parameters made anew, families
 * that lie in each other, degenerate data, limits, and the covering program.
 */
#include "kernel/base/random.h"
#include "kernel/learned/learned_branch.h"
#include "kernel/learned/learned_distance.h"
#include "kernel/learned/learned_form.h"

#include "learned_case.h"

/* Are the leading minors of half a 3 x 3 matrix positive? */
static bool
is_definite(const double *h)
{
	return h[0] > 0 && h[0] * h[3] - h[1] * h[1] > 0 &&
		   h[0] * (h[3] * h[5] - h[4] * h[4]) -
				   h[1] * (h[1] * h[5] - h[4] * h[2]) +
				   h[2] * (h[1] * h[4] - h[3] * h[2]) >
			   0;
}

/* Positive definite matrices: no random one does better than the bound. */
static void
check_definite(void)
{
	int better = 0;
	int unsound = 0;
	int indefinite = 0;
	uint64_t seed;
	int tries;

	for (seed = 1; seed <= 4; seed++)
	{
		SdcLearnedData data = random_data(seed, 9, 3, 0.8, false);
		SdcLearnedResult result = learn(SDC_LEARNED_BILINEAR_PD, &data);
		SdcDistanceForm form = {SDC_DISTANCE_BILINEAR, 3, NULL};
		double matrix[9];
		SdcRandom random;

		unsound += !is_sound(&result, SDC_LEARNED_BILINEAR_PD, &data);
		indefinite += !is_definite(result.parameter);
		sdc_random_seed(&random, seed, 2);
		form.parameter = matrix;
		for (tries = 0; tries < 1500; tries++)
		{
			double root[9];
			int i;
			int j;
			int k;

			for (i = 0; i < 9; i++)
				root[i] = sdc_random_normal(&random);
			for (i = 0; i < 3; i++)
				for (j = 0; j < 3; j++)
					for (matrix[i * 3 + j] = 0, k = 0; k < 3; k++)
						matrix[i * 3 + j] += root[i * 3 + k] * root[j * 3 + k];
			better += count_nearest(&form, &data) > result.bound;
		}
	}
	unit_check(unsound == 0, "bilinear_pd: %d unsound results", unsound);
	unit_check(indefinite == 0, "bilinear_pd: %d matrices are not definite",
			   indefinite);
	unit_check(better == 0, "bilinear_pd: %d random matrices above the bound",
			   better);
}

/* AM <= WM <= CI and SB, and so on, on files of some size. */
static void
check_nesting(uint64_t seed, int32_t records, int attributes, double noise,
			  bool coarse)
{
	static const SdcLearnedMethod pairs[][2] = {
		{SDC_LEARNED_WM_M, SDC_LEARNED_WM},
		{SDC_LEARNED_WM, SDC_LEARNED_CHOQUET_M},
		{SDC_LEARNED_WM, SDC_LEARNED_CHOQUET2},
		{SDC_LEARNED_OWA, SDC_LEARNED_CHOQUET},
		{SDC_LEARNED_CHOQUET2, SDC_LEARNED_CHOQUET},
		{SDC_LEARNED_CHOQUET_M, SDC_LEARNED_CHOQUET},
		{SDC_LEARNED_WM, SDC_LEARNED_BILINEAR_PD},
		{SDC_LEARNED_WM, SDC_LEARNED_BILINEAR_NC},
		{SDC_LEARNED_BILINEAR_PD, SDC_LEARNED_BILINEAR},
		{SDC_LEARNED_BILINEAR_NC, SDC_LEARNED_BILINEAR}};
	SdcLearnedData data =
		random_data(seed, records, attributes, noise, coarse);
	SdcLearnedResult result[METHODS];
	double half[SDC_LEARNED_MAX_FEATURES];
	int proven = 0;
	int unsound = 0;
	int m;
	size_t p;

	for (m = 0; m < METHODS; m++)
	{
		result[m] = learn((SdcLearnedMethod) m, &data);
		proven += result[m].exact;
		unsound += !is_sound(&result[m], (SdcLearnedMethod) m, &data);
	}
	unit_check(proven >= SDC_LEARNED_BILINEAR && unsound == 0,
			   "%d records: %d families proven, %d unsound", (int) records,
			   proven, unsound);
	for (p = 0; p < sizeof(pairs) / sizeof(pairs[0]); p++)
	{
		const SdcLearnedResult *small = &result[pairs[p][0]];
		const SdcLearnedResult *large = &result[pairs[p][1]];

		unit_check(small->reidentified <=
					   (large->exact ? large->reidentified : large->bound),
				   "%d records: %s %d <= %s %d of at most %d", (int) records,
				   names[pairs[p][0]], (int) small->reidentified,
				   names[pairs[p][1]], (int) large->reidentified,
				   (int) large->bound);
	}
	unit_check(result[0].uniform <= result[0].reidentified, "mean %d <= wm",
			   (int) result[0].uniform);
	if (sdc_learned_start_mahalanobis(unit_host(), &data, half))
	{
		double *margin = sdc_learned_rows_margins(unit_host(), &data);
		int32_t md;

		sdc_learned_form_scale(result[SDC_LEARNED_BILINEAR].form, half);
		md = sdc_learned_count_pairs(unit_host(),
									 result[SDC_LEARNED_BILINEAR].form, &data,
									 margin, half, NULL);
		unit_check(md <= result[SDC_LEARNED_BILINEAR].reidentified &&
					   md <= result[SDC_LEARNED_BILINEAR_PD].reidentified,
				   "mahalanobis %d <= bilinear", (int) md);
	}
}

/* Few or no records, duplicates, a column without spread. */
static void
check_degenerate(void)
{
	int m;

	for (m = 0; m < METHODS; m++)
	{
		SdcLearnedMethod method = (SdcLearnedMethod) m;
		SdcLearnedData data = random_data(3, 6, 3, 0.5, false);
		double *record = (double *) data.record;
		double *target = (double *) data.target;
		SdcLearnedResult none;
		SdcLearnedResult one;
		SdcLearnedResult twins;
		SdcLearnedResult flat;
		SdcLearnedResult line;
		int i;

		data.records = 0;
		none = learn(method, &data);
		data.records = data.targets = 1;
		one = learn(method, &data);
		data.records = data.targets = 6;
		for (i = 0; i < 6; i++)
			record[3 * i + 2] = target[3 * i + 2] = 0;
		flat = learn(method, &data);
		memcpy(target + 3, target, 3 * sizeof(double));
		twins = learn(method, &data);
		for (i = 0; i < 18; i++)
			record[i] = target[i] = 0;
		line = learn(method, &data);
		unit_check(none.reidentified == 0 && none.bound == 0 && none.exact,
				   "%s: no records", names[m]);
		unit_check(one.reidentified == 1 && one.exact, "%s: one record",
				   names[m]);
		unit_check(flat.exact && flat.reidentified >= flat.uniform,
				   "%s: a column without spread, %d of 6", names[m],
				   (int) flat.reidentified);
		unit_check(twins.bound <= 4 && twins.exact,
				   "%s: equal targets are nobody's: %d of 6", names[m],
				   (int) twins.bound);
		unit_check(line.reidentified == 0 && line.bound == 0 && line.exact,
				   "%s: all equal", names[m]);
	}
}

/* One attribute, and targets without a record. */
static void
check_shapes(void)
{
	SdcLearnedData data = random_data(5, 30, 1, 0.3, false);
	SdcDistanceForm mean = {SDC_DISTANCE_WM, 1, (double[]){1}};
	int m;

	for (m = 0; m < METHODS; m++)
	{
		SdcLearnedResult result = learn((SdcLearnedMethod) m, &data);

		unit_check(m >= SDC_LEARNED_BILINEAR ||
					   (result.exact &&
						result.reidentified == count_nearest(&mean, &data)),
				   "%s: one attribute, %d of 30", names[m],
				   (int) result.reidentified);
	}
	data = random_data(6, 30, 3, 0.5, false);
	data.records = 12;
	for (m = 0; m < METHODS; m++)
	{
		SdcLearnedResult result = learn((SdcLearnedMethod) m, &data);

		unit_check(is_sound(&result, (SdcLearnedMethod) m, &data),
				   "%s: more targets than records", names[m]);
	}
}

/* The order of the records changes neither optimum nor proof. */
static void
check_order(void)
{
	SdcLearnedData data = random_data(9, 24, 3, 0.8, true);
	SdcLearnedData turned = random_data(9, 24, 3, 0.8, true);
	int differ = 0;
	int m;
	int i;

	for (i = 0; i < 24; i++)
	{
		memcpy((double *) turned.record + 3 * i, data.record + 3 * (23 - i),
			   3 * sizeof(double));
		memcpy((double *) turned.target + 3 * i, data.target + 3 * (23 - i),
			   3 * sizeof(double));
	}
	for (m = 0; m < SDC_LEARNED_BILINEAR; m++)
	{
		SdcLearnedResult a = learn((SdcLearnedMethod) m, &data);
		SdcLearnedResult b = learn((SdcLearnedMethod) m, &turned);

		differ += a.reidentified != b.reidentified || !a.exact || !b.exact;
	}
	unit_check(differ == 0, "%d families depend on the order", differ);
}

/* Five sets of which three are disjoint; relaxed, and in whole numbers. */
static void
check_cuts(void)
{
	static const int32_t sets[6][3] = {{0, 1, 2}, {3, 4, 5}, {6, 7, 8},
									   {0, 3, 6}, {1, 4, 7}, {2, 1, 0}};
	SdcLearnedCuts *cuts = sdc_learned_cuts_create(unit_host(), 9);
	SdcLearnedLimit limit = {0, 0};
	double share[9];
	bool given[9];
	double sum = 0;
	int added = 0;
	int hit = 0;
	int i;
	int k;

	for (i = 0; i < 6; i++)
		added += sdc_learned_cuts_add(cuts, sets[i], 3);
	unit_check(added == 5, "a set that is there is not added again");
	unit_check(sdc_learned_cuts_relax(cuts, &limit, share) &&
				   cuts->proven == 3,
			   "relaxation proves %d", (int) cuts->proven);
	for (i = 0; i < 9; i++)
		sum += share[i];
	unit_check(fabs(sum - 3) < 1e-9, "shares add up to 3");
	unit_check(sdc_learned_cuts_settle(cuts, &limit, 0, given), "solved");
	for (i = 0; i < 5; i++)
		for (k = 0; k < 3; k++)
			if (given[sets[i][k]])
			{
				hit++;
				break;
			}
	unit_check(hit == 5 && cuts->proven == 3, "every set is hit");
	unit_check(limit.spent > 0, "the solver's steps are counted");
}

/* A limit that ends the search early leaves a sound result. */
static void
check_limit(void)
{
	SdcLearnedData data = random_data(11, 30, 4, 1.2, false);
	double most;
	int open = 0;
	int unsound = 0;
	int m;

	for (m = 0; m < METHODS; m++)
		for (most = 1; most < 1e7; most *= 100)
		{
			SdcLearnedLimit limit = {most, 0};
			SdcLearnedResult result = sdc_learned_distance_solve(
				unit_host(), (SdcLearnedMethod) m, &data, 7, &limit);

			open += !result.exact;
			unsound += !is_sound(&result, (SdcLearnedMethod) m, &data);
		}
	unit_check(unsound == 0 && open > 0,
			   "%d searches stopped early, %d unsound", open, unsound);
}

/*
 * At any limit a family re-identifies no fewer than those that lie in it, and
 * the same limit gives the same bits.
 */
static void
check_nested(uint64_t seed)
{
	static const SdcLearnedMethod pair[][2] = {
		{SDC_LEARNED_WM, SDC_LEARNED_CHOQUET_M},
		{SDC_LEARNED_CHOQUET_M, SDC_LEARNED_CHOQUET},
		{SDC_LEARNED_WM, SDC_LEARNED_CHOQUET2},
		{SDC_LEARNED_CHOQUET2, SDC_LEARNED_CHOQUET},
		{SDC_LEARNED_OWA, SDC_LEARNED_CHOQUET},
		{SDC_LEARNED_WM, SDC_LEARNED_BILINEAR_NC},
		{SDC_LEARNED_WM, SDC_LEARNED_BILINEAR_PD},
		{SDC_LEARNED_BILINEAR_NC, SDC_LEARNED_BILINEAR},
		{SDC_LEARNED_BILINEAR_PD, SDC_LEARNED_BILINEAR}};
	SdcLearnedData data = random_data(seed, 25, 3, 1.1, false);
	SdcLearnedResult result[METHODS];
	int wrong = 0;
	int differ = 0;
	int open = 0;
	double most;
	size_t i;
	int m;

	for (most = 1; most < 1e7; most *= 20)
	{
		for (m = 0; m < METHODS; m++)
		{
			SdcLearnedLimit first = {most, 0};
			SdcLearnedLimit second = {most, 0};
			SdcLearnedResult again;

			result[m] = sdc_learned_distance_solve(
				unit_host(), (SdcLearnedMethod) m, &data, 3, &first);
			again = sdc_learned_distance_solve(
				unit_host(), (SdcLearnedMethod) m, &data, 3, &second);
			differ +=
				first.spent != second.spent ||
				result[m].bound != again.bound ||
				memcmp(result[m].point, again.point,
					   sizeof(double) * (size_t) again.form->features) != 0;
			open += !again.exact;
		}
		for (i = 0; i < sizeof(pair) / sizeof(pair[0]); i++)
			wrong += result[pair[i][0]].reidentified >
					 result[pair[i][1]].reidentified;
	}
	unit_check(wrong == 0 && differ == 0 && open > 0,
			   "nested at any limit: %d wrong, %d differ, %d not proven",
			   wrong, differ, open);
}

int
main(void)
{
	uint64_t polls;

	unit_start("learned_distance");
	check_definite();
	unit_release_all();
	polls = unit_polls();
	check_nesting(1, 24, 3, 0.5, false);
	check_nesting(2, 40, 3, 1.0, true);
	check_nesting(3, 24, 4, 0.4, false);
	unit_check(unit_polls() > polls + 1000, "it polls");
	unit_release_all();
	check_degenerate();
	check_shapes();
	unit_release_all();
	check_order();
	check_limit();
	unit_release_all();
	check_nested(5);
	unit_release_all();
	check_nested(6);
	check_cuts();
	unit_release_all();
	return unit_finish();
}
