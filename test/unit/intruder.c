/*
 * intruder.c
 *		The one intruder on files that were masked by the kernels.
 *
 * What he says is compared with what is right.  Seeds are fixed; limits are
 * several standard deviations from what is expected.
 */
#include "intruder_files.h"

#include "kernel/mask/noise.h"

#include <string.h>

#define SEED 11

static SdcRandom random_state;

/* Files of correlated columns, swapped one by one. */
typedef struct Files
{
	int32_t n;
	int columns;
	int32_t *code[8];
	int32_t *masked[8];
} Files;

static Files
make_files(int32_t n, int columns, double step, SdcRankSwapMethod method,
		   double p)
{
	Files files = {n, columns, {NULL}, {NULL}};
	double *common = draw_common(&random_state, n);
	int c;

	for (c = 0; c < columns; c++)
	{
		files.code[c] = draw_codes(&random_state, common, n, step);
		files.masked[c] =
			swap_codes(&random_state, files.code[c], n, method, p);
	}
	return files;
}

static SdcIntruder *
know_files(const Files *files, SdcRankSwapMethod method, double p)
{
	SdcIntruder *intruder = sdc_intruder_create(
		unit_host(), files->n, files->n, SDC_INTRUDER_ERROR, SEED);
	int c;

	for (c = 0; c < files->columns; c++)
	{
		SdcIntruderSwap swap = {method,
								p,
								codes_to_keys(files->code[c], files->n),
								codes_to_keys(files->masked[c], files->n),
								NULL,
								0};

		sdc_intruder_add_rank_swap(intruder, &swap);
	}
	return intruder;
}

/*
 * Everybody is in the file, in the same row.  rest: is what the lists leave
 * out weighed?
 */
static SdcIntruderSuccess
attack(SdcIntruder *intruder, int32_t n, int32_t room, bool rest)
{
	SdcIntruderSearch search = {.count = n,
								.room = room,
								.depth = SDC_INTRUDER_DEPTH,
								.share = SDC_INTRUDER_SHARE,
								.rest = rest};
	SdcIntruderPrior prior = {1, true, NULL, SDC_MATCH_BUDGET, 200};
	SdcIntruderCandidates *found = run_search(intruder, &search, false);
	SdcIntruderAnswer *answer =
		sdc_intruder_answer(unit_host(), intruder, found, &prior);
	int32_t *truth = sdc_new(unit_host(), int32_t, n);
	SdcIntruderSuccess success;
	int32_t i;

	for (i = 0; i < n; i++)
		truth[i] = i;
	sdc_intruder_success(found, answer, truth, NULL, &success);
	return success;
}

/* Is what is said right as often as said, in every band with many links? */
static double
worst_band(const SdcIntruderSuccess *success, SdcIntruderLink kind)
{
	double worst = 0;
	int k;

	for (k = 0; k < 10; k++)
	{
		const SdcIntruderBand *band = &success->band[kind][k];

		if (band->links >= 200)
			worst = fmax(worst, fabs(band->said - band->right) / band->links);
	}
	return worst;
}

static void
check_calibration(SdcRankSwapMethod method, double p, int columns, double step,
				  double least)
{
	int32_t n = 2000;
	Files files = make_files(n, columns, step, method, p);
	SdcIntruder *intruder = know_files(&files, method, p);
	SdcIntruderSuccess s = attack(intruder, n, 128, false);
	double alone = (double) s.right[SDC_INTRUDER_ALONE] / n;
	double matched = (double) s.right[SDC_INTRUDER_ONE_TO_ONE] / n;
	double believed = (double) s.right[SDC_INTRUDER_BELIEF] / n;

	unit_check(worst_band(&s, SDC_INTRUDER_BELIEF) < 0.05 &&
				   fabs(s.said[SDC_INTRUDER_BELIEF] / n - believed) < 0.04,
			   "swap %d of %g percent, %d columns: belief says %.3f, right "
			   "%.3f; worst band %.3f",
			   (int) method, p, columns, s.said[SDC_INTRUDER_BELIEF] / n,
			   believed, worst_band(&s, SDC_INTRUDER_BELIEF));
	unit_check(matched > alone + least && believed > alone + least,
			   "alone %.3f, one to one %.3f", alone, matched);
	unit_release_all();
}

/* Nothing can be found in independent columns that were shuffled. */
static void
check_chance(void)
{
	int32_t n = 1000;
	Files files = make_files(n, 3, 0.001, SDC_RANK_SWAP_CLASSIC, 100);
	SdcIntruder *intruder =
		sdc_intruder_create(unit_host(), n, n, SDC_INTRUDER_ERROR, SEED);
	SdcIntruderSuccess s;
	int32_t *low = sdc_new(unit_host(), int32_t, n);
	int32_t *high = sdc_new(unit_host(), int32_t, n);
	int32_t i;
	int c;

	for (i = 0; i < n; i++)
	{
		low[i] = 0;
		high[i] = 10000;
	}
	for (c = 0; c < 3; c++)
		sdc_intruder_add_range(intruder, low, high, files.code[c], 10001);
	s = attack(intruder, n, 64, true);
	unit_check(s.right[SDC_INTRUDER_ALONE] < 9 &&
				   s.right[SDC_INTRUDER_ONE_TO_ONE] < 9 &&
				   s.right[SDC_INTRUDER_BELIEF] < 9,
			   "shuffled: chance (%d %d %d of 1000)",
			   (int) s.right[SDC_INTRUDER_ALONE],
			   (int) s.right[SDC_INTRUDER_ONE_TO_ONE],
			   (int) s.right[SDC_INTRUDER_BELIEF]);
	unit_check(s.said[SDC_INTRUDER_BELIEF] < 40,
			   "and nothing is claimed (%.1f)", s.said[SDC_INTRUDER_BELIEF]);
	unit_release_all();
}

/* Records that are all alike: one in n, whatever the order of the files. */
static void
check_ties(void)
{
	int32_t n = 1000;
	int32_t *same = sdc_new(unit_host(), int32_t, n);
	SdcIntruder *intruder =
		sdc_intruder_create(unit_host(), n, n, SDC_INTRUDER_ERROR, SEED);
	SdcIntruderSuccess s;
	int32_t i;

	for (i = 0; i < n; i++)
		same[i] = 0;
	sdc_intruder_add_equal(intruder, same, same, 1);
	s = attack(intruder, n, 64, true);
	unit_check(s.right[SDC_INTRUDER_ALONE] < 9 &&
				   s.right[SDC_INTRUDER_ONE_TO_ONE] < 9,
			   "all alike: chance (%d %d of 1000)",
			   (int) s.right[SDC_INTRUDER_ALONE],
			   (int) s.right[SDC_INTRUDER_ONE_TO_ONE]);
	unit_check(fabs(s.said[SDC_INTRUDER_ALONE] - 1) < 0.1 &&
				   fabs(s.said[SDC_INTRUDER_BELIEF] - 1) < 0.2,
			   "and said so, by lists of 64 (%.2f %.2f)",
			   s.said[SDC_INTRUDER_ALONE], s.said[SDC_INTRUDER_BELIEF]);
	unit_release_all();
}

/*
 * A mask under which everybody may have every record: of the lists of 32 most
 * is left out, and what is said is right all the same.
 */
static void
check_cut_lists(void)
{
	int32_t n = 2000;
	int columns = 3;
	int32_t values[] = {6, 20, 300};
	SdcIntruder *intruder =
		sdc_intruder_create(unit_host(), n, n, SDC_INTRUDER_ERROR, SEED);
	int32_t *code[2] = {sdc_new(unit_host(), int32_t, n),
						sdc_new(unit_host(), int32_t, n)};
	SdcIntruderSuccess s;
	SdcRandom random;
	int32_t i;
	int c;

	sdc_random_seed(&random, 9, n);
	for (c = 0; c < columns; c++)
	{
		for (i = 0; i < n; i++)
			code[0][i] = (int32_t) (values[c] * sdc_random_unit(&random) *
									sdc_random_unit(&random));
		for (i = 0; i < n; i++)
			code[1][i] = sdc_random_unit(&random) < 0.6
							 ? code[0][i]
							 : code[0][sdc_random_below(&random, n)];
		sdc_intruder_add_pram(intruder, 0.6, code[0], code[1], values[c], 1);
	}
	s = attack(intruder, n, 32, true);
	unit_check(worst_band(&s, SDC_INTRUDER_BELIEF) < 0.05 &&
				   fabs(s.said[SDC_INTRUDER_BELIEF] -
						s.right[SDC_INTRUDER_BELIEF]) < 0.02 * n,
			   "short lists: said %.1f, right %d of %d; worst band %.3f",
			   s.said[SDC_INTRUDER_BELIEF], (int) s.right[SDC_INTRUDER_BELIEF],
			   (int) n, worst_band(&s, SDC_INTRUDER_BELIEF));
	unit_release_all();
}

/* Members are drawn, then swapped: who is in shows. */
static void
check_membership(bool keep_column)
{
	int32_t n = 1500;
	int32_t in = 300;
	Files files = make_files(n, 6, 0.001, SDC_RANK_SWAP_CLASSIC, 0);
	SdcIntruder *intruder =
		sdc_intruder_create(unit_host(), n, in, SDC_INTRUDER_ERROR, SEED);
	SdcIntruderPrior prior = {0.2, true, NULL, SDC_MATCH_BUDGET, 200};
	int32_t *truth = sdc_new(unit_host(), int32_t, n);
	SdcIntruderCandidates *found;
	SdcIntruderAnswer *answer;
	SdcIntruderSuccess s;
	int32_t i;
	int c;

	/* every fifth person is drawn */
	for (i = 0; i < n; i++)
		truth[i] = i % 5 == 0 ? i / 5 : -1;
	for (c = 0; c < 6; c++)
	{
		int32_t *drawn = sdc_new(unit_host(), int32_t, in);
		SdcIntruderSwap swap = {.method = SDC_RANK_SWAP_CLASSIC, .p = 5};

		for (i = 0; i < in; i++)
			drawn[i] = files.code[c][i * 5];
		swap.person = codes_to_keys(files.code[c], n);
		swap.record = codes_to_keys(
			swap_codes(&random_state, drawn, in, SDC_RANK_SWAP_CLASSIC, 5),
			in);
		if (c > 0 || !keep_column)
			sdc_intruder_add_rank_swap(intruder, &swap);
		else
			sdc_intruder_add_equal(intruder, files.code[c], drawn, 10001);
	}
	found = search_all(intruder, NULL, n, 64, SDC_INTRUDER_DEPTH, false);
	answer = sdc_intruder_answer(unit_host(), intruder, found, &prior);
	sdc_intruder_success(found, answer, truth, NULL, &s);
	unit_check(s.said_in > 285 && s.in_right >= s.said_in * 0.97 &&
				   s.said_out > 1100 && s.out_right >= s.said_out * 0.99,
			   "a sample: %d said in, %d right; %d said out, %d right",
			   (int) s.said_in, (int) s.in_right, (int) s.said_out,
			   (int) s.out_right);
	unit_check(s.found > 270 && s.released == in, "%d of 300 found",
			   (int) s.found);
	unit_release_all();
}

/* Few are known; ranks are those of the masked file all the same. */
static void
check_subset(void)
{
	int32_t n = 2000;
	int32_t who[100];
	Files files = make_files(n, 4, 0.001, SDC_RANK_SWAP_CLASSIC, 3);
	SdcIntruder *intruder = know_files(&files, SDC_RANK_SWAP_CLASSIC, 3);
	SdcIntruderCandidates *all =
		search_all(intruder, NULL, n, 64, SDC_INTRUDER_DEPTH, false);
	SdcIntruderCandidates *some;
	float best[2000];
	bool same = true;
	int32_t k;

	for (k = 0; k < n; k++)
		best[all->person[k]] = all->lists.score[all->lists.first[k]];
	for (k = 0; k < 100; k++)
		who[k] = k * 19 + 3;
	some = search_all(intruder, who, 100, 64, SDC_INTRUDER_DEPTH, false);
	for (k = 0; k < 100; k++)
		same = same && best[some->person[k]] ==
						   some->lists.score[some->lists.first[k]];
	unit_check(same, "a subset of persons has the same scores");
	unit_release_all();
}

static void
check_noise(void)
{
	int32_t n = 1500;
	SdcIntruder *intruder =
		sdc_intruder_create(unit_host(), n, n, SDC_INTRUDER_ERROR, SEED);
	double *common = draw_common(&random_state, n);
	double *a = sdc_new(unit_host(), double, n);
	double *b = sdc_new(unit_host(), double, n);
	SdcIntruderSuccess s;
	int32_t i;
	int c;

	for (c = 0; c < 6; c++)
	{
		SdcNoiseLaw law = (SdcNoiseLaw) (c % 3);
		const double *from = a;
		const double *to = b;
		double base = 0;
		SdcIntruderNoise noise = {law,   0.1,  1,    &from, &to,
								  &base, NULL, NULL, false, 0};

		for (i = 0; i < n; i++)
			a[i] = 0.5 * common[i] + sdc_random_normal(&random_state);
		sdc_noise_add(unit_host(), law, a, n, 0.1, &random_state, b);
		sdc_intruder_add_noise(intruder, &noise);
	}
	s = attack(intruder, n, 128, false);
	unit_check(
		worst_band(&s, SDC_INTRUDER_BELIEF) < 0.05 &&
			s.right[SDC_INTRUDER_BELIEF] > s.right[0] + n / 50,
		"noise: alone %.3f, belief %.3f, says %.3f, worst band %.3f",
		(double) s.right[0] / n, (double) s.right[SDC_INTRUDER_BELIEF] / n,
		s.said[SDC_INTRUDER_BELIEF] / n, worst_band(&s, SDC_INTRUDER_BELIEF));
	unit_release_all();
}

/* The Cholesky factor of a covariance matrix by its definition. */
static void
check_factor(int columns)
{
	double factor[SDC_MAX_COLUMNS][SDC_MAX_COLUMNS];
	double matrix[8][8];
	double worst = 0;
	int i;
	int j;
	int l;

	for (i = 0; i < columns; i++)
		for (j = 0; j <= i; j++)
			factor[i][j] = matrix[i][j] =
				(i == j ? 3 : 1) + sdc_random_unit(&random_state);
	sdc_noise_factorize(factor, columns);
	for (i = 0; i < columns; i++)
		for (j = 0; j <= i; j++)
		{
			double sum = 0;

			for (l = 0; l <= j; l++)
				sum += factor[i][l] * factor[j][l];
			worst = fmax(worst, fabs(sum - matrix[i][j]));
		}
	unit_check(worst < 1e-12, "factor of %d columns: %.2g", columns, worst);
}

/*
 * Noise that keeps the correlations of several columns, in strata of
 * different size, is one term: found, and said, as it should be.
 */
static void
check_joint_noise(SdcNoiseLaw law, double alpha, bool strata)
{
	enum
	{
		ROWS = 1500,
		COLUMNS = 5
	};
	SdcIntruder *intruder =
		sdc_intruder_create(unit_host(), ROWS, ROWS, SDC_INTRUDER_ERROR, SEED);
	double *common = draw_common(&random_state, ROWS);
	double *a[COLUMNS];
	double *b[COLUMNS];
	double base[COLUMNS] = {0};
	uint32_t *stratum = sdc_new(unit_host(), uint32_t, ROWS);
	int32_t *code = sdc_new(unit_host(), int32_t, ROWS);
	SdcIntruderNoise noise = {law,
							  alpha,
							  COLUMNS,
							  (const double *const *) a,
							  (const double *const *) b,
							  base,
							  strata ? stratum : NULL,
							  strata ? stratum : NULL,
							  false,
							  0};
	SdcIntruderSuccess s;
	int32_t k;
	int32_t i;
	int c;

	for (c = 0; c < COLUMNS; c++)
	{
		a[c] = sdc_new(unit_host(), double, ROWS);
		b[c] = sdc_new(unit_host(), double, ROWS);
		for (i = 0; i < ROWS; i++)
		{
			stratum[i] = strata && i >= ROWS / 3;
			code[i] = (int32_t) stratum[i];
			a[c][i] = (stratum[i] ? 5 : 1) *
					  (common[i] + 0.3 * sdc_random_normal(&random_state));
		}
	}
	for (i = 0; i < ROWS; i = k)
	{
		double *from[COLUMNS];
		double *to[COLUMNS];
		SdcMatrix rows = {.columns = COLUMNS, .column = from};
		SdcMatrix masked = {.columns = COLUMNS, .column = to};

		for (k = i; k < ROWS && stratum[k] == stratum[i];)
			k++;
		for (c = 0; c < COLUMNS; c++)
		{
			from[c] = a[c] + i;
			to[c] = b[c] + i;
		}
		rows.rows = masked.rows = (size_t) (k - i);
		sdc_noise_add_correlated(unit_host(), law, &rows, alpha, &random_state,
								 &masked);
	}
	if (strata)
		sdc_intruder_add_equal(intruder, code, code, 2);
	sdc_intruder_add_noise(intruder, &noise);
	s = attack(intruder, ROWS, 128, false);
	unit_check(
		worst_band(&s, SDC_INTRUDER_BELIEF) < 0.05 &&
			worst_band(&s, SDC_INTRUDER_ALONE) < 0.05 &&
			s.right[0] > ROWS / 10,
		"joint noise %d%s: alone %.3f, says %.3f, belief %.3f, says "
		"%.3f, worst bands %.3f %.3f",
		(int) law, strata ? " in strata" : "", (double) s.right[0] / ROWS,
		s.said[0] / ROWS, (double) s.right[SDC_INTRUDER_BELIEF] / ROWS,
		s.said[SDC_INTRUDER_BELIEF] / ROWS, worst_band(&s, SDC_INTRUDER_ALONE),
		worst_band(&s, SDC_INTRUDER_BELIEF));
	unit_release_all();
}

/* The files say how they were masked. */
static void
check_fit(SdcRankSwapMethod method, double p, int methods, double low,
		  double high)
{
	Files files = make_files(150, 5, 0.001, method, p);
	SdcIntruder *intruder = know_files(&files, SDC_RANK_SWAP_CLASSIC, 1);
	SdcIntruderFit fit = sdc_intruder_fit_swap(intruder, methods, 60);

	unit_check(fit.method == method && fit.p >= low && fit.p <= high,
			   "swap %d of %g percent: fitted %d, %.2f (%d tried)",
			   (int) method, p, (int) fit.method, fit.p, fit.tried);
	unit_release_all();
}

int
main(void)
{
	/* the sanitizers see each kind of term once */
	bool whole = !unit_sparing();

	unit_start("the one intruder");
	sdc_random_seed(&random_state, 3, 1);
	check_calibration(SDC_RANK_SWAP_CLASSIC, 10, 5, 0.001, 0.05);
	if (whole)
	{
		check_calibration(SDC_RANK_SWAP_CLASSIC, 10, 6, 0.2, 0.05);
		check_calibration(SDC_RANK_SWAP_BUCKETS, 3, 8, 0.001, 0.02);
		check_calibration(SDC_RANK_SWAP_DISTRIBUTION, 5, 6, 0.001, 0.02);
		check_noise();
	}
	check_factor(8);
	if (whole)
		check_joint_noise(SDC_NOISE_GAUSSIAN, 0.1, false);
	check_joint_noise(SDC_NOISE_GAUSSIAN, 0.1, true);
	if (whole)
	{
		check_joint_noise(SDC_NOISE_LAPLACE, 0.1, false);
		check_joint_noise(SDC_NOISE_UNIFORM, 0.1, false);
	}
	check_chance();
	check_ties();
	if (whole)
	{
		check_cut_lists();
		check_membership(false);
	}
	check_membership(true);
	if (whole)
	{
		check_subset();
		check_fit(SDC_RANK_SWAP_CLASSIC, 10,
				  1 << SDC_RANK_SWAP_CLASSIC | 1 << SDC_RANK_SWAP_DISTRIBUTION,
				  9, 11.1);
	}
	check_fit(SDC_RANK_SWAP_BUCKETS, 8, 1 << SDC_RANK_SWAP_BUCKETS, 7, 9);
	return unit_finish();
}
