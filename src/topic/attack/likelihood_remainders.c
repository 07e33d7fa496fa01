/*
 * likelihood_remainders.c
 *		Columns that are a key and one of few amounts more.
 *
 * Who publishes a wage and adds a bonus of whole hundreds, a price with one of
 * three fees, a time some whole days later, publishes what is left when whole
 * hundreds, fees or days are taken away, and that is the same as that of the
 * key.  The greatest step that all differences have in common is looked for
 * among the links, and steps that people use.
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

typedef struct Remainders
{
	SdcLikelihoodTerms *terms;
	int32 persons;
	int32 records;
	int32 link[SDC_LIKELIHOOD_LINKS];
	int links;
	const double *key;    /* of persons */
	const double *column; /* of records */
	double same;          /* numbers that differ by less are the same */
} Remainders;

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
difference(const Remainders *of, int column, int key)
{
	int32 partner = of->terms->transparency.partner[of->link[column]];

	return of->column[partner] - of->key[of->link[key]];
}

/* The greatest step of which both are multiples, by Euclid; 0 is of all. */
static double
common_step(const Remainders *of, double a, double b)
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
find_step(const Remainders *of)
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
count_same(const Remainders *of, double step, double start, int beside)
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
find_start(const Remainders *of, double step, double *start)
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

/* Codes of remainders, where those that are the same have one; returns how
 * many there are. */
static int32
code_remainders(const Remainders *of, const double *left, double step,
				int32 *code)
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
add_term(const Remainders *of, double step, double start)
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
	codes = code_remainders(of, left, step, code);
	sdcpg_likelihood_add_codes(
		of->terms, sdcpg_likelihood_kept(of->terms, code, code + of->persons),
		code, code + of->persons, codes);
	host->release(host, left);
	host->release(host, code);
}

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

/* Tells whether a column is a key and some steps more, and adds a term. */
static bool
try_pair(Remainders *of)
{
	double step;
	double start;
	int k;

	of->same = SAME * fmax(greatest(of->key, of->persons),
						   greatest(of->column, of->records));
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
take_links(Remainders *of, const int32 *link, int links)
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
try_column(Remainders *of, int which, const int32 *link, int links)
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
sdcpg_likelihood_add_remainders(SdcLikelihoodTerms *terms)
{
	const SdcTransparency *transparency = &terms->transparency;
	Remainders of = {.terms = terms,
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
