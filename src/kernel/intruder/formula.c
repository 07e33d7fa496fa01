/*
 * formula.c
 *		A column that is a formula of few terms of keys.
 *
 * A share of a total, a distance, a harmonic mean or a product of a sum is in
 * no line and no curve of one key, but its square, its root or its reciprocal
 * is the sum of few products and quotients of two keys.  All of these are
 * tried, the term that explains most first, and those that were chosen are
 * taken away from the others before the next: all at once, and those of each
 * pair of keys, for what explains most is not always a term of the formula.
 */
#include <math.h>
#include <string.h>

#include "kernel/base/elementary.h"
#include "kernel/base/random.h"
#include "kernel/base/sort.h"
#include "kernel/intruder/formula.h"
#include "kernel/intruder/intruder_private.h"
#include "kernel/linear/moments.h"
#include "kernel/linear/square.h"

/* Keys, their squares and reciprocals, products and both quotients of two. */
#define CHOICES \
	(4 * SDC_FORMULA_KEYS + 3 * SDC_FORMULA_KEYS * (SDC_FORMULA_KEYS - 1) / 2)

/* A power that is none: the logarithm. */
#define LOGARITHM 3

/* The share of rows that have a key, or it is in no formula. */
#define LEAST_KNOWN 0.5

/* Rows that are fitted at least, for each term. */
#define LEAST_ROWS 5

/* Of its squares: what must be left of a term that is taken beside others. */
#define LEAST_OWN 1e-9

/* Of the variance of the column: what a formula may leave, how much less than
 * a sum or product of keys, and how much less with one more term. */
#define MOST_LEFT      1e-3
#define MOST_OF_USUAL  0.5
#define MOST_WITH_MORE 0.5

/* Where many rows follow nothing: the part that is asked again, which is
 * found in so many steps, as long as something is explained and there are
 * enough; and the spreads of these beyond which others follow nothing. */
#define MOST_FOLLOWING   0.6
#define STEPS            4
#define MOST_UNEXPLAINED 0.8
#define LEAST_FOLLOWING  60
#define FAR_OFF          30

/* The same of the rounding of numbers: no more terms are taken. */
#define NOTHING_LEFT 1e-24

typedef struct Search
{
	SdcHost *host;
	int keys;
	int joined;   /* of them, which products and quotients are made of */
	bool pairs;   /* are those of each pair tried alone? */
	int32_t rows; /* even ones are fitted, odd ones judge */
	int32_t all;  /* behind these are those that follow nothing */
	double *key[SDC_FORMULA_KEYS];
	double *column;
	bool sparse[SDC_FORMULA_KEYS]; /* 0 in all rows, so in no term */
	int choices;
	SdcFormulaTerm choice[CHOICES];
	bool allowed[CHOICES];
	double *own[CHOICES]; /* of fitted rows, without what others have */
	double mean[CHOICES]; /* of them, and their squares */
	double squares[CHOICES];
	double *left; /* of the column, turned */
} Search;

static double
to_power(double x, int power)
{
	switch (power)
	{
		case -1:
			return 1 / x;
		case 0:
			return 1;
		case 1:
			return x;
		case LOGARITHM:
			return x > 0 ? sdc_random_log(x) : NAN;
		default:
			return x * x;
	}
}

/* A term without its factor. */
static double
term_of(const SdcFormulaTerm *term, double x, double y)
{
	return to_power(x, term->power[0]) * to_power(y, term->power[1]);
}

static double
turn(SdcTurn turn, double x)
{
	switch (turn)
	{
		case SDC_TURN_SQUARE:
			return to_power(x, 2);
		case SDC_TURN_ROOT:
			return sqrt(x);
		case SDC_TURN_RECIPROCAL:
			return to_power(x, -1);
		case SDC_TURN_LOGARITHM:
			return to_power(x, LOGARITHM);
		default:
			return x;
	}
}

static double
turn_back(SdcTurn turned, double x)
{
	switch (turned)
	{
		case SDC_TURN_SQUARE:
			/* a sum that is 0 may be a little less */
			return x < 0 ? 0 : sqrt(x);
		case SDC_TURN_ROOT:
			return x * x;
		case SDC_TURN_LOGARITHM:
			return sdc_exp(x);
		default:
			return turn(turned, x);
	}
}

/* ---- The terms. ---- */

static void
add_choice(Search *search, int a, int power_a, int b, int power_b)
{
	search->choice[search->choices++] =
		(SdcFormulaTerm){{a, b}, {power_a, power_b}, 0};
}

static void
list_choices(Search *search)
{
	int a;
	int b;

	for (a = 0; a < search->keys; a++)
		add_choice(search, a, 1, a, 0);
	for (a = 0; a < search->joined; a++)
	{
		add_choice(search, a, LOGARITHM, a, 0);
		add_choice(search, a, 2, a, 0);
		add_choice(search, a, -1, a, 0);
		for (b = 0; b < a; b++)
		{
			add_choice(search, a, 1, b, 1);
			add_choice(search, a, 1, b, -1);
			add_choice(search, b, 1, a, -1);
		}
	}
}

static double
choice_of(const Search *search, const SdcFormulaTerm *term, int32_t row)
{
	return term_of(term, search->key[term->key[0]][row],
				   search->key[term->key[1]][row]);
}

/* Of n numbers: takes the mean away, and returns it. */
static double
centre(double *x, int32_t n)
{
	double mean = 0;
	int32_t i;

	for (i = 0; i < n; i++)
		mean += x[i] / n;
	for (i = 0; i < n; i++)
		x[i] -= mean;
	return mean;
}

/* Rows that are fitted. */
static int32_t
fitted_rows(const Search *search)
{
	return (search->rows + 1) / 2;
}

/* Computes a term of the fitted rows, without its mean. */
static void
fill_choice(Search *search, int which)
{
	int32_t n = fitted_rows(search);
	int32_t i;

	for (i = 0; i < n; i++)
		search->own[which][i] =
			choice_of(search, &search->choice[which], 2 * i);
	search->mean[which] = centre(search->own[which], n);
	search->squares[which] =
		sdc_dot(search->own[which], search->own[which], n);
	search->allowed[which] = isfinite(search->squares[which]);
}

/* Which terms a formula is made of. */
typedef struct Terms
{
	int power; /* keys to this power alone; 0: all, or all but logarithms */
	int a;     /* of these two keys; a < 0: of any */
	int b;
} Terms;

static const Terms terms_of_sum = {1, -1, -1};
static const Terms terms_of_product = {LOGARITHM, -1, -1};
static const Terms terms_of_all = {0, -1, -1};

/* Is a term one of these?  Keys that are not joined are in any sum, which is
 * not turned. */
static bool
is_of(const Search *search, const SdcFormulaTerm *term, Terms of,
	  SdcTurn turned)
{
	bool first = term->key[0] == of.a || term->key[0] == of.b;
	bool second = term->key[1] == of.a || term->key[1] == of.b;

	if (of.power != 0)
		return term->power[0] == of.power && term->power[1] == 0;
	if (term->key[0] >= search->joined)
		return turned == SDC_TURN_NONE;
	return (term->power[0] != LOGARITHM || turned == SDC_TURN_LOGARITHM) &&
		   (of.a < 0 || (first && second));
}

/* ---- Forward selection. ---- */

/* The chosen terms, and what each had of those that were chosen later. */
typedef struct Chosen
{
	int count;
	int which[SDC_FORMULA_TERMS];
	double factor[SDC_FORMULA_TERMS]; /* of what is a term's own */
	double share[SDC_FORMULA_TERMS][CHOICES];
} Chosen;

/* The term that explains most of what is left; -1: none has anything of its
 * own. */
static int
best_choice(const Search *search)
{
	int32_t n = fitted_rows(search);
	double most = 0;
	int best = -1;
	int f;

	for (f = 0; f < search->choices; f++)
	{
		double own;
		double with;

		if (!search->allowed[f])
			continue;
		own = sdc_dot(search->own[f], search->own[f], n);
		if (!(own > LEAST_OWN * search->squares[f]))
			continue;
		with = sdc_dot(search->own[f], search->left, n);
		if (with * with / own > most)
		{
			most = with * with / own;
			best = f;
		}
	}
	return best;
}

/* What of x is along y, of which it takes that away. */
static double
take_away(double *x, const double *y, int32_t n)
{
	double share = sdc_dot(x, y, n) / sdc_dot(y, y, n);
	int32_t i;

	for (i = 0; i < n; i++)
		x[i] -= share * y[i];
	return share;
}

/* Takes a term: what it has is that of no other one from now on. */
static void
choose(Search *search, Chosen *chosen, int which)
{
	int32_t n = fitted_rows(search);
	int k = chosen->count++;
	int f;

	chosen->which[k] = which;
	chosen->factor[k] = take_away(search->left, search->own[which], n);
	for (f = 0; f < search->choices; f++)
		if (f != which && search->allowed[f])
			chosen->share[k][f] =
				take_away(search->own[f], search->own[which], n);
	/* it is not chosen again */
	search->allowed[which] = false;
}

/* The formula of the chosen terms as they are. */
static void
make_formula(const Search *search, const Chosen *chosen, double mean,
			 SdcFormula *formula)
{
	int k;
	int j;

	formula->terms = chosen->count;
	formula->constant = mean;
	for (k = chosen->count - 1; k >= 0; k--)
	{
		double factor = chosen->factor[k];

		for (j = k + 1; j < chosen->count; j++)
			factor -=
				chosen->share[k][chosen->which[j]] * formula->term[j].factor;
		formula->term[k] = search->choice[chosen->which[k]];
		formula->term[k].factor = factor;
		formula->constant -= factor * search->mean[chosen->which[k]];
	}
}

/* The number of a formula from keys that are multiplied. */
static double
make_number(const SdcFormula *formula, const double *key)
{
	double sum = formula->constant;
	int k;

	for (k = 0; k < formula->terms; k++)
	{
		const SdcFormulaTerm *term = &formula->term[k];

		sum +=
			term->factor * term_of(term, key[term->key[0]], key[term->key[1]]);
	}
	return turn_back(formula->turn, sum);
}

/* The number of a formula in a row that was taken. */
static double
number_of_row(const Search *search, const SdcFormula *formula, int32_t row)
{
	double key[SDC_FORMULA_KEYS];
	int k;

	for (k = 0; k < search->keys; k++)
		key[k] = search->key[k][row];
	return make_number(formula, key);
}

/* How much of the variance a formula leaves of the rows that judge. */
static double
left_of(const Search *search, const SdcFormula *formula)
{
	double mean = 0;
	double left = 0;
	double squares = 0;
	int32_t n = search->rows / 2;
	int32_t i;

	for (i = 1; i < search->rows; i += 2)
		mean += search->column[i] / n;
	for (i = 1; i < search->rows; i += 2)
	{
		double error = search->column[i] - number_of_row(search, formula, i);

		left += error * error;
		squares += (search->column[i] - mean) * (search->column[i] - mean);
	}
	return squares > 0 && !isnan(left) ? left / squares : INFINITY;
}

/* Turns the column of fitted rows, and takes its mean away, which it returns.
 */
static double
turn_column(Search *search, SdcTurn turned)
{
	int32_t n = fitted_rows(search);
	int32_t i;

	for (i = 0; i < n; i++)
		search->left[i] = turn(turned, search->column[2 * i]);
	return centre(search->left, n);
}

/* Fits a turned column, and takes what leaves less than the best so far;
 * returns what is left then. */
static double
fit_turned(Search *search, SdcTurn turned, Terms of, double least,
		   SdcFormula *formula)
{
	int32_t n = fitted_rows(search);
	Chosen *chosen = sdc_new(search->host, Chosen, 1);
	SdcFormula tried = *formula;
	double mean = turn_column(search, turned);
	int f;

	tried.turn = turned;
	chosen->count = 0;
	for (f = 0; f < search->choices; f++)
	{
		search->allowed[f] = is_of(search, &search->choice[f], of, turned);
		if (search->allowed[f])
			fill_choice(search, f);
	}
	while (isfinite(mean) && least > NOTHING_LEFT &&
		   chosen->count < SDC_FORMULA_TERMS &&
		   n >= LEAST_ROWS * (chosen->count + 1) &&
		   (f = best_choice(search)) >= 0)
	{
		double left;

		choose(search, chosen, f);
		make_formula(search, chosen, mean, &tried);
		left = left_of(search, &tried);
		if (left < MOST_WITH_MORE * least)
		{
			least = left;
			*formula = tried;
		}
	}
	search->host->release(search->host, chosen);
	return least;
}

/* Fits it to all terms, and to those of each pair of keys where asked. */
static double
fit_all(Search *search, SdcTurn turned, double least, SdcFormula *formula)
{
	Terms pair = {0, 0, 0};

	search->host->poll(search->host, 0, 0);
	least = fit_turned(search, turned, terms_of_all, least, formula);
	for (pair.a = 1; search->pairs && pair.a < search->joined; pair.a++)
		for (pair.b = 0; pair.b < pair.a; pair.b++)
			least = fit_turned(search, turned, pair, least, formula);
	return least;
}

/* ---- Numbers. ---- */

/* The exponent of the greatest of n numbers. */
static int
exponent_of(const double *x, int32_t n)
{
	int exponent;

	frexp(sdc_greatest_size(x, (size_t) n), &exponent);
	return exponent;
}

/* Do so many rows lack a key that formulas do without it? */
static bool
is_sparse(const double *key, int32_t n)
{
	int32_t known = 0;
	int32_t i;

	for (i = 0; i < n; i++)
		known += isfinite(key[i]);
	return known < LEAST_KNOWN * n;
}

static bool
is_whole(const Search *search, const double *const *key, const double *column,
		 int32_t row)
{
	bool whole = isfinite(column[row]);
	int k;

	for (k = 0; k < search->keys && whole; k++)
		whole = search->sparse[k] || isfinite(key[k][row]);
	return whole;
}

/* Copies the rows that lack nothing, multiplied. */
static void
take_rows(Search *search, const double *const *key, const double *column,
		  int32_t n, SdcFormula *formula)
{
	int32_t i;
	int k;

	formula->column_exponent = exponent_of(column, n);
	for (k = 0; k < search->keys; k++)
	{
		search->sparse[k] = is_sparse(key[k], n);
		formula->exponent[k] = exponent_of(key[k], n);
	}
	for (i = 0; i < n; i++)
	{
		if (!is_whole(search, key, column, i))
			continue;
		for (k = 0; k < search->keys; k++)
			search->key[k][search->rows] =
				search->sparse[k] ? 0
								  : ldexp(key[k][i], -formula->exponent[k]);
		search->column[search->rows++] =
			ldexp(column[i], -formula->column_exponent);
	}
}

static void
start_search(Search *search, int32_t n)
{
	int k;

	list_choices(search);
	search->rows = 0;
	search->column = sdc_new(search->host, double, (size_t) n + 1);
	search->left = sdc_new(search->host, double, (size_t) n + 1);
	for (k = 0; k < search->keys; k++)
		search->key[k] = sdc_new(search->host, double, (size_t) n + 1);
	for (k = 0; k < search->choices; k++)
		search->own[k] = sdc_new(search->host, double, (size_t) n / 2 + 1);
}

static void
end_search(Search *search)
{
	int k;

	for (k = 0; k < search->keys; k++)
		search->host->release(search->host, search->key[k]);
	for (k = 0; k < search->choices; k++)
		search->host->release(search->host, search->own[k]);
	search->host->release(search->host, search->column);
	search->host->release(search->host, search->left);
}

/* ---- Rows of which many follow nothing. ---- */

/* How far each of all rows is from a formula, an array of the caller's. */
static double *
errors_of(const Search *search, const SdcFormula *formula)
{
	double *error = sdc_new(search->host, double, (size_t) search->all);
	int32_t i;

	for (i = 0; i < search->all; i++)
	{
		error[i] = fabs(search->column[i] - number_of_row(search, formula, i));
		if (isnan(error[i]))
			error[i] = INFINITY;
	}
	return error;
}

static void
exchange(double *x, int32_t a, int32_t b)
{
	double kept = x[a];

	x[a] = x[b];
	x[b] = kept;
}

/* Puts the rows that are nearest to a formula first, and asks these alone. */
static void
keep_nearest(Search *search, const SdcFormula *formula)
{
	int32_t most = (int32_t) (MOST_FOLLOWING * search->all);
	double *error = errors_of(search, formula);
	double *sorted = errors_of(search, formula);
	int32_t i;
	int k;

	sdc_select_record(search->host, sorted, 1, search->all, most, 0);
	search->rows = 0;
	for (i = 0; i < search->all; i++)
	{
		if (error[i] > sorted[most])
			continue;
		for (k = 0; k < search->keys; k++)
			exchange(search->key[k], i, search->rows);
		exchange(search->column, i, search->rows);
		exchange(error, i, search->rows++);
	}
	search->host->release(search->host, error);
	search->host->release(search->host, sorted);
}

/* Finds the rows that follow a sum of terms (least trimmed squares, Rousseeuw
 * and Van Driessen 2006); false: it explains too little, or there are few. */
static bool
concentrate(Search *search, const SdcFormula *formula)
{
	SdcFormula rough = *formula;
	int step;

	for (step = 0; step < STEPS; step++)
	{
		if (MOST_FOLLOWING * search->all < LEAST_FOLLOWING ||
			!(fit_turned(search, SDC_TURN_NONE, terms_of_all, INFINITY,
						 &rough) < MOST_UNEXPLAINED))
			return false;
		keep_nearest(search, &rough);
	}
	return true;
}

/* Do the rows that are not far off follow a formula, those that were not asked
 * too?  Rows that were taken for being near to it are no judges. */
static bool
is_followed(const Search *search, const SdcFormula *formula)
{
	double *error = errors_of(search, formula);
	double near = 0;
	double mean = 0;
	double left = 0;
	double squares = 0;
	int32_t n = 0;
	int32_t i;

	for (i = 0; i < search->rows; i++)
		near += error[i] * error[i] / search->rows;
	for (i = 0; i < search->all; i++)
		if (error[i] <= FAR_OFF * sqrt(near))
		{
			double from = search->column[i] - mean;

			mean += from / ++n;
			squares += from * (search->column[i] - mean);
			left += error[i] * error[i];
		}
	search->host->release(search->host, error);
	return left < MOST_LEFT * squares;
}

/* Finds the formula of the rows that there are; false: there is none. */
static bool
find_once(Search *search, SdcFormula *formula)
{
	double usual;
	double most;
	double least;
	int turned;

	usual = fit_turned(search, SDC_TURN_NONE, terms_of_sum, INFINITY, formula);
	usual = fit_turned(search, SDC_TURN_LOGARITHM, terms_of_product, usual,
					   formula);
	most = fmin(MOST_LEFT, MOST_OF_USUAL * usual) / MOST_WITH_MORE;
	least = most;
	for (turned = 0; turned <= SDC_TURN_LOGARITHM; turned++)
		least = fit_all(search, (SdcTurn) turned, least, formula);
	return least < most;
}

bool
sdc_formula_find(SdcHost *host, const double *const *key, int keys, int joined,
				 bool pairs, const double *column, int32_t n,
				 SdcFormula *formula)
{
	Search search = {
		.host = host, .keys = keys, .joined = joined, .pairs = pairs};
	bool found;

	memset(formula, 0, sizeof(*formula));
	start_search(&search, n);
	take_rows(&search, key, column, n, formula);
	search.all = search.rows;
	found = find_once(&search, formula);
	if (!found && concentrate(&search, formula))
		found = find_once(&search, formula) && is_followed(&search, formula);
	end_search(&search);
	return found;
}

double
sdc_formula_apply(const SdcFormula *formula, const double *const *key,
				  int32_t row)
{
	double of_row[SDC_FORMULA_KEYS];
	double x;
	int j;
	int k;

	for (k = 0; k < formula->terms; k++)
		for (j = 0; j < 2; j++)
		{
			int which = formula->term[k].key[j];

			of_row[which] = ldexp(key[which][row], -formula->exponent[which]);
		}
	x = ldexp(make_number(formula, of_row), formula->column_exponent);
	return isfinite(x) ? x : NAN;
}

double
sdc_formula_half(const SdcFormula *formula, int term, int which,
				 const double *const *key, int32_t row)
{
	int of = formula->term[term].key[which];

	return to_power(ldexp(key[of][row], -formula->exponent[of]),
					formula->term[term].power[which]);
}

double
sdc_formula_turned(const SdcFormula *formula, double value)
{
	double x = turn(formula->turn, ldexp(value, -formula->column_exponent));

	return isfinite(x) ? x : NAN;
}

void
sdc_formula_drop(SdcFormula *formula, int keys)
{
	int left = 0;
	int k;

	for (k = 0; k < formula->terms; k++)
		if (formula->term[k].key[0] < keys)
			formula->term[left++] = formula->term[k];
	formula->terms = left;
}
