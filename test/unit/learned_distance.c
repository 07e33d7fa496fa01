/*
 * Learned distances: the optimum by linear programs over all subsets of the
 * records as the oracle, counts at the returned parameters made anew with
 * other code, families that lie in each other, and degenerate data.
 */
#include "kernel/attack/distance_form.h"
#include "kernel/attack/learned_count.h"
#include "kernel/attack/learned_distance.h"
#include "kernel/attack/learned_spectrum.h"
#include "kernel/attack/learned_start.h"
#include "kernel/base/random.h"

#include "unit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <glpk.h>

#define METHODS   9
#define MOST_ROWS 4096

/* What a linear program must reach to count as feasible. */
#define CLEARLY 2e-6

static const char *const names[METHODS] = {
	"wm",       "wm_m",     "owa",         "choquet",    "choquet_m",
	"choquet2", "bilinear", "bilinear_nc", "bilinear_pd"};

static double
no_time(void *arg)
{
	(void) arg;
	return 0;
}

static const SdcLearnedLimit unlimited = {no_time, NULL, 0};

/* A clock that goes on by one whenever it is looked at. */
static double ticks;

static double
ticking(void *arg)
{
	(void) arg;
	return ticks++;
}

static const SdcLearnedLimit limited = {ticking, NULL, 2500};

/* ---------- data ---------- */

/* Records, and targets that are records with noise; coarse: few values. */
static SdcLearnedData
random_data(uint64_t seed, int32_t records, int columns, double noise,
			bool coarse)
{
	size_t n = (size_t) records * (size_t) columns;
	double *record = sdc_new(unit_host(), double, n);
	double *target = sdc_new(unit_host(), double, n);
	int32_t *own = sdc_new(unit_host(), int32_t, (size_t) records);
	SdcLearnedData data = {records, records, columns, NULL, NULL, NULL};
	SdcRandom random;
	size_t i;

	sdc_random_seed(&random, seed, 1);
	for (i = 0; i < n; i++)
	{
		record[i] = sdc_random_normal(&random);
		target[i] = record[i] + noise * sdc_random_normal(&random);
		if (coarse)
		{
			record[i] = rint(record[i]);
			target[i] = rint(target[i]);
		}
	}
	for (i = 0; i < (size_t) records; i++)
		own[i] = (int32_t) i;
	data.record = record;
	data.target = target;
	data.own = own;
	return data;
}

static double
difference(const SdcLearnedData *data, int32_t i, int32_t j, int c)
{
	return data->record[i * data->columns + c] -
		   data->target[j * data->columns + c];
}

/* ---------- the parameters as the distances of the other file ---------- */

static SdcDistanceForm
as_distance(const SdcLearnedResult *result, SdcLearnedMethod method)
{
	static const SdcDistanceKind kinds[METHODS] = {
		SDC_DISTANCE_WM,       SDC_DISTANCE_WM,       SDC_DISTANCE_OWA,
		SDC_DISTANCE_CHOQUET,  SDC_DISTANCE_CHOQUET,  SDC_DISTANCE_CHOQUET2,
		SDC_DISTANCE_BILINEAR, SDC_DISTANCE_BILINEAR, SDC_DISTANCE_BILINEAR};
	SdcDistanceForm form = {kinds[method], result->form->columns, NULL};
	int n = form.columns;
	int at = 0;
	int i;
	int j;

	form.parameter = sdc_new(unit_host(), double,
							 sdc_distance_form_parameters(form.kind, n));
	if (form.kind == SDC_DISTANCE_CHOQUET)
	{
		form.parameter[0] = 0;
		for (i = 1; i < 1 << n; i++)
			form.parameter[i] = result->parameter[i - 1];
	}
	else if (form.kind < SDC_DISTANCE_CHOQUET)
		memcpy(form.parameter, result->parameter, (size_t) n * sizeof(double));
	else
		for (i = 0; i < n; i++)
			for (j = i; j < n; j++)
				form.parameter[i * n + j] = form.parameter[j * n + i] =
					result->parameter[at++];
	return form;
}

static double
value_of(const SdcDistanceForm *form, const SdcLearnedData *data, int32_t i,
		 int32_t j)
{
	double d[SDC_LEARNED_MAX_COLUMNS];
	int c;

	for (c = 0; c < data->columns; c++)
		d[c] = difference(data, i, j, c);
	return sdc_distance_form_value(form, d);
}

/* Records whose own target is nearer than all others, ties failing. */
static int32_t
count_nearest(const SdcDistanceForm *form, const SdcLearnedData *data)
{
	int32_t good = 0;
	int32_t i;
	int32_t j;

	for (i = 0; i < data->records; i++)
	{
		double own = value_of(form, data, i, data->own[i]);
		bool nearest = true;

		for (j = 0; j < data->targets; j++)
			if (j != data->own[i] &&
				value_of(form, data, i, j) <= own + 1e-9 * fabs(own))
				nearest = false;
		good += nearest;
	}
	return good;
}

/* ---------- the oracle ---------- */

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

/* ---------- checks ---------- */

static SdcLearnedResult
learn(SdcLearnedMethod method, const SdcLearnedData *data)
{
	/* what a matrix cannot do takes long to prove */
	bool matrix = method >= SDC_LEARNED_BILINEAR && data->records > 9;

	ticks = 0;
	return sdc_learned_distance_solve(unit_host(), method, data, 7,
									  matrix ? &limited : &unlimited);
}

/* What must hold of any result. */
static bool
is_sound(const SdcLearnedResult *result, SdcLearnedMethod method,
		 const SdcLearnedData *data)
{
	SdcDistanceForm form = as_distance(result, method);

	return sdc_distance_form_flaw(&form) == NULL &&
		   count_nearest(&form, data) == result->reidentified &&
		   result->reidentified <= result->bound &&
		   result->exact == (result->reidentified == result->bound) &&
		   result->bound <= data->records;
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
		indefinite += !sdc_learned_spectrum_definite(3, result.parameter, 0);
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
	if (sdc_learned_start_mahalanobis(&data, half))
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

/* A limit that ends the search early leaves a sound result. */
static void
check_limit(void)
{
	SdcLearnedLimit limit = {ticking, NULL, 0};
	SdcLearnedData data = random_data(11, 30, 4, 1.2, false);
	int open = 0;
	int unsound = 0;
	int m;

	for (m = 0; m < METHODS; m++)
		for (limit.seconds = 1; limit.seconds < 1e3; limit.seconds *= 30)
		{
			SdcLearnedResult result;

			ticks = 0;
			result = sdc_learned_distance_solve(
				unit_host(), (SdcLearnedMethod) m, &data, 7, &limit);
			open += !result.exact;
			unsound += !is_sound(&result, (SdcLearnedMethod) m, &data);
		}
	unit_check(unsound == 0 && open > 0,
			   "%d searches stopped early, %d unsound", open, unsound);
}

int
main(void)
{
	uint64_t polls;
	int m;

	unit_start("learned_distance");
	for (m = 0; m < SDC_LEARNED_BILINEAR_PD; m++)
		check_optimum((SdcLearnedMethod) m);
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
	return unit_finish();
}
