/*
 * Learned distances: the optimum by linear programs over all subsets of the
 * records, with all rows and all constraints written down.
 */
#include "learned_case.h"

#include <glpk.h>

#define MOST_ROWS 4096

/* What a linear program must reach to count as feasible. */
#define CLEARLY 2e-6

static int columns; /* of the matrix of the linear program */
static int width;   /* attributes */
static double fixed[MOST_ROWS][300];
static int fixed_rows;
static bool is_free; /* may columns be negative? */

/* The column of a set, or -1 of the empty one. */
static void
put_set(int set, double value)
{
	if (set != 0)
		fixed[fixed_rows][set - 1] += value;
}

/* All monotone or submodular rows there are, not only elementary ones. */
static void
put_measures(bool submodular)
{
	int a;
	int b;

	for (a = 0; a < 1 << width; a++)
		for (b = 0; b < 1 << width; b++)
		{
			if ((a & b) == a && a != b)
			{
				put_set(b, 1);
				put_set(a, -1);
				fixed_rows++;
			}
			if (submodular && (a & b) != a && (a & b) != b && a < b)
			{
				put_set(a, 1);
				put_set(b, 1);
				put_set(a | b, -1);
				put_set(a & b, -1);
				fixed_rows++;
			}
		}
}

/* 2-additive: m_i + sum of m_ik over k in A >= 0, for all i and A. */
static void
put_pairs(void)
{
	int set;
	int i;
	int k;

	for (i = 0; i < width; i++)
		for (set = 0; set < 1 << width; set++)
		{
			int at = width;
			int a;

			if (set >> i & 1)
				continue;
			fixed[fixed_rows][i] = 1;
			for (a = 0; a < width; a++)
				for (k = a + 1; k < width; k++, at++)
					if ((a == i && (set >> k & 1)) ||
						(k == i && (set >> a & 1)))
						fixed[fixed_rows][at] = 1;
			fixed_rows++;
		}
}

static void
set_up(SdcLearnedMethod method, int attributes)
{
	int c;

	width = attributes;
	fixed_rows = 0;
	memset(fixed, 0, sizeof(fixed));
	is_free = method == SDC_LEARNED_BILINEAR || method == SDC_LEARNED_CHOQUET2;
	switch (method)
	{
		case SDC_LEARNED_CHOQUET:
		case SDC_LEARNED_CHOQUET_M:
			columns = (1 << width) - 1;
			put_measures(method == SDC_LEARNED_CHOQUET_M);
			break;
		case SDC_LEARNED_CHOQUET2:
			columns = width * (width + 1) / 2;
			put_pairs();
			break;
		case SDC_LEARNED_BILINEAR:
		case SDC_LEARNED_BILINEAR_NC:
			columns = width * (width + 1) / 2;
			break;
		default:
			columns = width;
	}
	if (method == SDC_LEARNED_WM_M)
		for (c = 0; c < width; c++)
			fixed[fixed_rows++][c] = 1;
}

static int
descending(const void *a, const void *b)
{
	double x = *(const double *) a;
	double y = *(const double *) b;

	return x > y ? -1 : x < y;
}

/* The features of a pair, written down without the kernel. */
static void
features(SdcLearnedMethod method, const SdcLearnedData *data, int32_t i,
		 int32_t j, double *out)
{
	double x[SDC_LEARNED_MAX_COLUMNS];
	int at = width;
	int set;
	int c;
	int k;

	for (c = 0; c < width; c++)
		x[c] = difference(data, i, j, c) * difference(data, i, j, c);
	switch (method)
	{
		case SDC_LEARNED_CHOQUET:
		case SDC_LEARNED_CHOQUET_M:
			/* what is above the k-th threshold, for every threshold */
			memset(out, 0, (size_t) columns * sizeof(double));
			qsort(x, (size_t) width, sizeof(double), descending);
			for (k = width - 1; k >= 0; k--)
			{
				double below = k == width - 1 ? 0 : x[k + 1];

				for (set = 0, c = 0; c < width; c++)
					if (pow(difference(data, i, j, c), 2) >= x[k])
						set |= 1 << c;
				out[set - 1] += x[k] - below;
			}
			break;
		case SDC_LEARNED_CHOQUET2:
			memcpy(out, x, (size_t) width * sizeof(double));
			for (c = 0; c < width; c++)
				for (k = c + 1; k < width; k++)
					out[at++] = fmin(x[c], x[k]);
			break;
		case SDC_LEARNED_BILINEAR:
		case SDC_LEARNED_BILINEAR_NC:
			for (at = 0, c = 0; c < width; c++)
				for (k = c; k < width; k++)
					out[at++] = difference(data, i, j, c) *
								difference(data, i, j, k) * (c == k ? 1 : 2);
			break;
		default:
			memcpy(out, x, (size_t) width * sizeof(double));
			if (method == SDC_LEARNED_OWA)
				qsort(out, (size_t) width, sizeof(double), descending);
	}
}

/* Adds a >= row; the last column is the margin that is maximised. */
static void
add_row(glp_prob *lp, const double *row, bool margin)
{
	int index[302];
	double value[302];
	int at = glp_add_rows(lp, 1);
	double most = 0;
	int c;

	for (c = 0; c < columns; c++)
		most = fmax(most, fabs(row[c]));
	for (c = 0; c < columns; c++)
	{
		index[c + 1] = c + 1;
		value[c + 1] = most > 0 ? row[c] / most : 0;
	}
	index[columns + 1] = columns + 1;
	value[columns + 1] = margin ? -1 : 0;
	glp_set_mat_row(lp, at, columns + 1, index, value);
	glp_set_row_bnds(lp, at, GLP_LO, 0, 0);
}

/* The widest margin by which the rows of a set of records hold. */
static double
widest(SdcLearnedMethod method, const SdcLearnedData *data, unsigned set)
{
	glp_prob *lp = glp_create_prob();
	glp_smcp settings;
	double own[300];
	double other[300];
	double found;
	int32_t i;
	int32_t j;
	int c;

	glp_init_smcp(&settings);
	settings.msg_lev = GLP_MSG_OFF;
	glp_set_obj_dir(lp, GLP_MAX);
	glp_add_cols(lp, columns + 1);
	for (c = 1; c <= columns; c++)
		glp_set_col_bnds(lp, c, GLP_DB, is_free ? -1 : 0, 1);
	glp_set_col_bnds(lp, columns + 1, GLP_DB, -10, 10);
	glp_set_obj_coef(lp, columns + 1, 1);
	for (c = 0; c < fixed_rows; c++)
		add_row(lp, fixed[c], method == SDC_LEARNED_WM_M);
	for (i = 0; i < data->records; i++)
	{
		if ((set >> i & 1) == 0)
			continue;
		features(method, data, i, data->own[i], own);
		for (j = 0; j < data->targets; j++)
		{
			if (j == data->own[i])
				continue;
			features(method, data, i, j, other);
			for (c = 0; c < columns; c++)
				other[c] -= own[c];
			add_row(lp, other, true);
		}
	}
	glp_simplex(lp, &settings);
	found = glp_get_obj_val(lp);
	glp_delete_prob(lp);
	return found;
}

/* The most records of a set that can hold; -1 when it is too near to tell. */
static int32_t
enumerate(SdcLearnedMethod method, const SdcLearnedData *data)
{
	int32_t best = 0;
	unsigned set;

	set_up(method, data->columns);
	for (set = 1; set < 1u << data->records; set++)
	{
		int32_t size = __builtin_popcount(set);
		double margin;

		if (size <= best)
			continue;
		margin = widest(method, data, set);
		if (margin > CLEARLY)
			best = size;
		else if (margin > 1e-9)
			return -1;
	}
	return best;
}

/* The optimum is that of all subsets, on small random files. */
static void
check_optimum(SdcLearnedMethod method)
{
	int wrong = 0;
	int unsound = 0;
	int compared = 0;
	int below = 0;
	uint64_t seed;

	for (seed = 1; seed <= 8; seed++)
	{
		SdcLearnedData data =
			random_data(seed, 7, seed % 2 == 0 ? 2 : 3,
						seed % 3 == 0 ? 1.5 : 0.8, seed % 4 == 3);
		SdcLearnedResult result = learn(method, &data);
		int32_t best = enumerate(method, &data);

		unsound += !is_sound(&result, method, &data);
		if (best < 0)
			continue;
		compared++;
		wrong += result.reidentified != best || !result.exact;
		below += best < data.records;
	}
	unit_check(unsound == 0, "%s: %d unsound results", names[method], unsound);
	unit_check(compared >= 6 && below >= 3 && wrong == 0,
			   "%s: %d of %d optima wrong (%d leave records out)",
			   names[method], wrong, compared, below);
}

int
main(void)
{
	int m;

	unit_start("learned_optimum");
	for (m = 0; m < SDC_LEARNED_BILINEAR_PD; m++)
		check_optimum((SdcLearnedMethod) m);
	unit_release_all();
	return unit_finish();
}
