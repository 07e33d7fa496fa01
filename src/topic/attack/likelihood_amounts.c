/*
 * likelihood_amounts.c
 *		Columns that are a key and one of few amounts more, or one of few times
 *		it.
 *
 * Who publishes the wage of those who work four fifths, half of the time or
 * all of it, or a price with one of three fees, publishes the key: a link is
 * one where an amount fits that many links have, and others hardly ever.
 *
 * Who adds a bonus of whole hundreds, or is some whole days later, publishes
 * what is left when whole hundreds or days are taken away, and that is the
 * same as that of the key.  The greatest step that all differences have in
 * common is looked for among the links, and steps that people use.
 */
#include "postgres.h"

#include <math.h>

#include "kernel/base/sort.h"
#include "topic/attack/likelihood.h"
#include "topic/attack/transparency.h"

/* Steps that are tried, the greatest first: of times, dates and amounts. */
static const double usual_steps[] = {7.0 * USECS_PER_DAY,
									 USECS_PER_DAY,
									 USECS_PER_HOUR,
									 USECS_PER_MINUTE,
									 USECS_PER_SEC,
									 10000,
									 5000,
									 1000,
									 500,
									 100,
									 50,
									 25,
									 10,
									 7,
									 5,
									 1,
									 0.5,
									 0.1,
									 0.05,
									 0.01};

/* Remainders that differ by so much of the numbers are the same, and a step is
 * so many times that at least. */
#define SAME        1e-9
#define LEAST_STEPS 1000

/* Of links: how many must have the remainder, how often others may have it
 * for each that has, and how many are tried as the one that others have. */
#define LEAST_SHARE  0.5
#define MOST_CHANCES 0.5
#define TRIED        5

/* Amounts at the most, the share of links that have one at least, those that
 * may have it for a line to tell less, and how often others may have one. */
#define MOST_AMOUNTS   8
#define LEAST_HAVE     0.05
#define MOST_HAVE      0.9
#define MOST_BY_OTHERS 0.05

/* So many times as far from an amount there is little else, or it is none of
 * few, but of errors that the line has. */
#define AROUND 8

/* Grids of columns that are tried. */
static const double grids[] = {1000, 100, 10, 1, 0.1, 0.01, 0.001};

typedef struct Amounts
{
	SdcLikelihoodTerms *terms;
	int32 persons;
	int32 records;
	int32 link[SDC_LIKELIHOOD_LINKS];
	int links;
	const double *key;    /* of persons */
	const double *column; /* of records */
	double same;          /* numbers that differ by less are the same */
	double grid;          /* of the column; 0: none */
	bool times;           /* are amounts factors? */
	double amount[MOST_AMOUNTS];
	int count;
} Amounts;

/* What is left of a number, 0 to the step. */
static double
remainder_of(double x, double step)
{
	double left = x - step * floor(x / step);

	return left >= step ? 0 : left;
}

/* How far two numbers are from being whole steps apart. */
static double
distance(double x, double y, double step)
{
	double left = remainder_of(x - y, step);

	return fmin(left, step - left);
}

/* The difference of the column of a link and the key of another one. */
static double
difference(const Amounts *of, int column, int key)
{
	int32 partner = of->terms->transparency.partner[of->link[column]];

	return of->column[partner] - of->key[of->link[key]];
}

/* The greatest step of which both are multiples, by Euclid; 0 is of all. */
static double
common_step(const Amounts *of, double a, double b)
{
	while (b > of->same)
	{
		double left = distance(a, 0, b);

		a = b;
		b = left;
	}
	return a;
}

/* The greatest step that all differences of links are apart; 0: there is none,
 * or they are all the same. */
static double
find_step(const Amounts *of)
{
	double first = difference(of, 0, 0);
	double step = 0;
	int k;

	for (k = 1; k < of->links; k++)
	{
		step = common_step(of, step, fabs(difference(of, k, k) - first));
		if (step > 0 && step < LEAST_STEPS * of->same)
			return 0;
	}
	return step;
}

/* Which links have the remainder of a difference, and others as often as their
 * own would by chance. */
static int
count_same(const Amounts *of, double step, double start, int beside)
{
	int same = 0;
	int k;

	for (k = 0; k < of->links; k++)
		same += distance(difference(of, k, (k + beside) % of->links), start,
						 step) <= of->same;
	return same;
}

/* Is there a difference, to whole steps, that most links have and few others
 * do? */
static bool
find_start(const Amounts *of, double step, double *start)
{
	int k;

	if (step < LEAST_STEPS * of->same)
		return false;
	for (k = 0; k < Min(TRIED, of->links); k++)
	{
		int own;

		*start = difference(of, k, k);
		own = count_same(of, step, *start, 0);
		if (own >= LEAST_SHARE * of->links)
			return count_same(of, step, *start, 1) <= MOST_CHANCES * own;
	}
	return false;
}

/* Codes of values, where those that are the same have one; returns how many
 * there are.  After a step values begin anew; INFINITY: there is none. */
static int32
code_values(const Amounts *of, const double *left, double step, int32 *code)
{
	SdcHost *host = of->terms->host;
	int32 n = of->persons + of->records;
	uint64 *sorted = sdc_new(host, uint64, (Size) n + 1);
	int32 *row = sdc_new(host, int32, (Size) n + 1);
	int32 codes = 0;
	int32 count;
	int32 i;

	count = sdc_sort_numbers(host, left, n, sorted, row);
	for (i = 0; i < n; i++)
		code[i] = -1;
	for (i = 0; i < count; i++)
	{
		codes += i == 0 || left[row[i]] - left[row[i - 1]] > of->same;
		code[row[i]] = codes - 1;
	}
	/* the step is 0 again */
	if (codes > 1 && left[row[0]] + step - left[row[count - 1]] <= of->same)
		for (i = count - 1; i > 0 && code[row[i]] == codes - 1; i--)
			code[row[i]] = 0;
	host->release(host, sorted);
	host->release(host, row);
	return codes;
}

/* A term for a column that is a key and whole steps more. */
static void
add_term(const Amounts *of, double step, double start)
{
	SdcHost *host = of->terms->host;
	int32 n = of->persons + of->records;
	double *left = sdc_new(host, double, (Size) n + 1);
	int32 *code = sdc_new(host, int32, (Size) n + 1);
	int32 codes;
	int32 i;

	for (i = 0; i < of->persons; i++)
		left[i] = remainder_of(of->key[i] + start, step);
	for (i = 0; i < of->records; i++)
		left[of->persons + i] = remainder_of(of->column[i], step);
	codes = code_values(of, left, step, code);
	sdcpg_likelihood_add_codes(
		of->terms, sdcpg_likelihood_kept(of->terms, code, code + of->persons),
		code, code + of->persons, codes);
	host->release(host, left);
	host->release(host, code);
}

/* ---- Few amounts. ---- */

/* The grid that the column of links is on; 0: none. */
static double
find_grid(const Amounts *of)
{
	const int32 *partner = of->terms->transparency.partner;
	int g;
	int k;

	for (g = 0; g < lengthof(grids); g++)
	{
		for (k = 0; k < of->links; k++)
			if (distance(of->column[partner[of->link[k]]], 0, grids[g]) >
				of->same)
				break;
		if (k == of->links && grids[g] > 4 * of->same)
			return grids[g];
	}
	return 0;
}

/* A number of somebody with an amount, on the grid of the column. */
static double
with_amount(const Amounts *of, double key, double amount)
{
	double x = of->times ? key * amount : key + amount;

	return of->grid > 0 ? rint(x / of->grid) * of->grid : x;
}

/* How far a column is from a key with an amount. */
static double
error_of(const Amounts *of, int column, int key, double amount)
{
	const int32 *partner = of->terms->transparency.partner;
	double x = of->key[of->link[key]];

	return fabs(of->column[partner[of->link[column]]] -
				(of->times ? x * amount : x + amount));
}

/* The amount of a link; 0 where a factor is none. */
static double
amount_of(const Amounts *of, int link)
{
	const int32 *partner = of->terms->transparency.partner;
	double column = of->column[partner[of->link[link]]];
	double key = of->key[of->link[link]];

	if (!of->times)
		return column - key;
	return key == 0 ? 0 : column / key;
}

/* Adds the amount of a link, if enough have it and none of those before;
 * returns how many have. */
static int
take_amount(Amounts *of, int link, bool *has)
{
	double amount = amount_of(of, link);
	double near = of->grid + 2 * of->same;
	int have = 0;
	int around = 0;
	int k;

	for (k = 0; k < of->links; k++)
	{
		double error = error_of(of, k, k, amount);

		have += !has[k] && error <= near;
		around += error <= AROUND * near;
	}
	if (amount == 0 || have < LEAST_HAVE * of->links || around > 2 * have)
		return 0;
	for (k = 0; k < of->links; k++)
		has[k] = has[k] || error_of(of, k, k, amount) <= near;
	of->amount[of->count++] = amount;
	return have;
}

/* Finds amounts, those of the largest keys first, which tell factors best;
 * returns the share of links that have one, 0: they tell nothing. */
static double
find_amounts(Amounts *of)
{
	SdcHost *host = of->terms->host;
	bool has[SDC_LIKELIHOOD_LINKS] = {false};
	double size[SDC_LIKELIHOOD_LINKS];
	uint64 sorted[SDC_LIKELIHOOD_LINKS];
	int32 order[SDC_LIKELIHOOD_LINKS];
	int own = 0;
	int others = 0;
	int most = 0;
	int a;
	int k;

	of->count = 0;
	for (k = 0; k < of->links; k++)
		size[k] = fabs(of->key[of->link[k]]);
	(void) sdc_sort_numbers(host, size, of->links, sorted, order);
	for (k = of->links - 1; k >= 0 && of->count < MOST_AMOUNTS; k--)
		if (!has[order[k]])
		{
			int have = take_amount(of, order[k], has);

			own += have;
			most = Max(most, have);
		}
	for (k = 0; k < of->links; k++)
		for (a = 0; a < of->count; a++)
			others += error_of(of, k, (k + 1) % of->links, of->amount[a]) <=
					  of->grid + 2 * of->same;
	return own < LEAST_SHARE * of->links || most > MOST_HAVE * of->links ||
				   others > MOST_BY_OTHERS * own
			   ? 0
			   : (double) own / of->links;
}

/* A term for each amount: it is the person's, or it is not. */
static void
add_amounts(const Amounts *of)
{
	SdcHost *host = of->terms->host;
	int32 n = of->persons + of->records;
	double *value = sdc_new(host, double, (Size) n + 1);
	int32 *code = sdc_new(host, int32, (Size) n + 1);
	int a;

	for (a = 0; a < of->count; a++)
	{
		int32 codes;
		int32 i;

		for (i = 0; i < of->persons; i++)
			value[i] = with_amount(of, of->key[i], of->amount[a]);
		for (i = 0; i < of->records; i++)
			value[of->persons + i] =
				with_amount(of, of->column[i], of->times ? 1 : 0);
		codes = code_values(of, value, INFINITY, code);
		sdcpg_likelihood_add_codes(
			of->terms,
			sdcpg_likelihood_kept(of->terms, code, code + of->persons), code,
			code + of->persons, codes);
	}
	host->release(host, value);
	host->release(host, code);
}

/* Are there few amounts more, or few factors?  Then each has a term. */
static bool
try_amounts(Amounts *of)
{
	int times;

	of->grid = find_grid(of);
	for (times = 0; times < 2; times++)
	{
		of->times = times > 0;
		if (find_amounts(of) > 0 &&
			sdc_intruder_has_room(of->terms->intruder, of->count, 0))
		{
			add_amounts(of);
			return true;
		}
	}
	return false;
}

/* ---- Columns. ---- */

static double
greatest(const double *x, int32 n)
{
	double most = 0;
	int32 i;

	for (i = 0; i < n; i++)
		if (isfinite(x[i]))
			most = fmax(most, fabs(x[i]));
	return most;
}

/* Tells whether a column is made of a key so, and adds terms. */
static bool
try_pair(Amounts *of)
{
	double step;
	double start;
	int k;

	of->same = SAME * fmax(greatest(of->key, of->persons),
						   greatest(of->column, of->records));
	if (try_amounts(of))
		return true;
	step = find_step(of);
	for (k = 0; k < lengthof(usual_steps) && !find_start(of, step, &start);
		 k++)
		step = usual_steps[k];
	if (!find_start(of, step, &start))
		return false;
	add_term(of, step, start);
	return true;
}

/* Takes the links of which both numbers are known. */
static void
take_links(Amounts *of, const int32 *link, int links)
{
	const int32 *partner = of->terms->transparency.partner;
	int k;

	of->links = 0;
	for (k = 0; k < links; k++)
		if (isfinite(of->key[link[k]]) &&
			isfinite(of->column[partner[link[k]]]))
			of->link[of->links++] = link[k];
}

/* Tries a column with all keys that are numbers. */
static bool
try_column(Amounts *of, int which, const int32 *link, int links)
{
	const SdcTransparency *transparency = &of->terms->transparency;
	SdcHost *host = of->terms->host;
	bool tells = false;
	int k;

	of->column = sdcpg_likelihood_numbers(host, &transparency->masked,
										  transparency->released_field[which]);
	for (k = 0; k < transparency->known && !tells; k++)
	{
		host->poll(host, 0, 0);
		of->key = sdcpg_likelihood_numbers(host, &transparency->original,
										   transparency->known_field[k]);
		take_links(of, link, links);
		tells = of->links >= SDC_LIKELIHOOD_FEW_LINKS && try_pair(of);
		host->release(host, unconstify(double *, of->key));
	}
	host->release(host, unconstify(double *, of->column));
	return tells;
}

List *
sdcpg_likelihood_add_amounts(SdcLikelihoodTerms *terms)
{
	const SdcTransparency *transparency = &terms->transparency;
	Amounts of = {.terms = terms,
				  .persons = transparency->original.frame->rows,
				  .records = transparency->masked.frame->rows};
	int32 link[SDC_LIKELIHOOD_LINKS];
	int links = sdcpg_likelihood_links(terms, link);
	List *names = NIL;
	int k;

	for (k = 0;
		 k < transparency->released && links >= SDC_LIKELIHOOD_FEW_LINKS &&
		 sdc_intruder_has_room(terms->intruder, 1, 0);
		 k++)
		if (transparency->released_dictionary[k] == NULL &&
			try_column(&of, k, link, links))
			names = list_append_unique_ptr(
				names, unconstify(char *, transparency->released_name[k]));
	return names;
}
