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
 * same as that of the key.
 */
#include "postgres.h"

#include <math.h>

#include "kernel/intruder/amount.h"
#include "kernel/linear/moments.h"
#include "topic/attack/likelihood.h"
#include "topic/attack/transparency.h"

/* Numbers that differ by so much of the greatest are the same. */
#define SAME 1e-9

typedef struct Amounts
{
	SdcLikelihoodTerms *terms;
	int32 persons;
	int32 records;
	int keys;             /* that are numbers */
	const double **key;   /* of persons */
	const double *column; /* of records */
	int32 link[SDC_LIKELIHOOD_LINKS];
	int links;
} Amounts;

/* A term for values that persons and records have: it is the person's, or it
 * is not.  Gives the values back. */
static void
add_term(const Amounts *of, double *value, double same, double period)
{
	SdcHost *host = of->terms->host;
	int32 n = of->persons + of->records;
	int32 *code = sdc_new(host, int32, (Size) n + 1);
	int32 codes = sdc_same_codes(host, value, n, same, period, code);

	sdcpg_likelihood_add_codes(
		of->terms, sdcpg_likelihood_kept(of->terms, code, code + of->persons),
		code, code + of->persons, codes);
	host->release(host, value);
	host->release(host, code);
}

static double *
new_values(const Amounts *of)
{
	return sdc_new(of->terms->host, double,
				   (Size) of->persons + of->records + 1);
}

/* The number of each code, of which neighbours are the same, and how many
 * records have it. */
static void
count_codes(const Amounts *of, const double *value, const int32 *code,
			int32 codes, double *number, int32 *count)
{
	int32 i;

	memset(count, 0, sizeof(int32) * (Size) codes);
	for (i = 0; i < of->persons + of->records; i++)
		if (code[i] >= 0)
		{
			number[code[i]] = value[i];
			count[code[i]] += i >= of->persons;
		}
}

/* One term for all amounts, where numbers are few enough for a table of their
 * chances. */
static bool
add_table(const Amounts *of, const double *key, double same,
		  const SdcAmounts *amounts)
{
	SdcHost *host = of->terms->host;
	double *value = new_values(of);
	int32 n = of->persons + of->records;
	int32 *code = sdc_new(host, int32, (Size) n + 1);
	int32 codes;
	bool few;
	int32 i;

	memcpy(value, key, sizeof(double) * (Size) of->persons);
	for (i = 0; i < of->records; i++)
		value[of->persons + i] = sdc_amounts_round(amounts, of->column[i]);
	codes = sdc_same_codes(host, value, n, same, INFINITY, code);
	few = (double) codes * codes <= SDC_INTRUDER_CHANCES;
	if (few)
	{
		double *number = sdc_new(host, double, (Size) codes + 1);
		int32 *count = sdc_new(host, int32, (Size) codes + 1);
		double *chance = sdc_new(host, double, (Size) codes *codes + 1);

		count_codes(of, value, code, codes, number, count);
		sdc_amounts_chances(amounts, number, count, codes, same, chance);
		sdc_intruder_add_matrix(of->terms->intruder, chance, 1, code,
								code + of->persons, codes, 1);
		host->release(host, number);
		host->release(host, count);
		host->release(host, chance);
	}
	host->release(host, value);
	host->release(host, code);
	return few;
}

/* A term for each amount, which says less: one that a person does not have
 * speaks against him as if there were no others. */
static void
add_each(const Amounts *of, const double *key, double same,
		 const SdcAmounts *amounts)
{
	int a;

	for (a = 0; a < amounts->count; a++)
	{
		double *value = new_values(of);
		int32 i;

		for (i = 0; i < of->persons; i++)
			value[i] = sdc_amounts_apply(amounts, a, key[i]);
		for (i = 0; i < of->records; i++)
			value[of->persons + i] = sdc_amounts_round(amounts, of->column[i]);
		add_term(of, value, same, INFINITY);
	}
}

/* A term for what is left of whole steps. */
static void
add_steps(const Amounts *of, const double *key, double same,
		  const SdcWholeSteps *steps)
{
	double *left = new_values(of);
	int32 i;

	for (i = 0; i < of->persons; i++)
		left[i] = sdc_steps_left(steps, key[i] + steps->start);
	for (i = 0; i < of->records; i++)
		left[of->persons + i] = sdc_steps_left(steps, of->column[i]);
	add_term(of, left, same, steps->step);
}

/* Takes the links of which both numbers are known. */
static void
take_pairs(const Amounts *of, const double *key, double *x, double *y,
		   SdcLinkedNumbers *pairs)
{
	const int32 *partner = of->terms->transparency.partner;
	int k;

	*pairs = (SdcLinkedNumbers){.x = x, .y = y};
	for (k = 0; k < of->links; k++)
	{
		x[pairs->count] = key[of->link[k]];
		y[pairs->count] = of->column[partner[of->link[k]]];
		pairs->count += isfinite(x[pairs->count]) && isfinite(y[pairs->count]);
	}
}

/* Tells whether a column is made of a key so, and adds terms. */
static bool
try_key(const Amounts *of, int which, const double *key, double greatest)
{
	SdcHost *host = of->terms->host;
	double x[SDC_LIKELIHOOD_LINKS];
	double y[SDC_LIKELIHOOD_LINKS];
	SdcLinkedNumbers pairs;
	SdcAmounts amounts;
	SdcWholeSteps steps;
	double same;

	host->poll(host, 0, 0);
	take_pairs(of, key, x, y, &pairs);
	same = SAME * fmax(greatest, sdc_greatest_size(key, (Size) of->persons));
	pairs.same = same;
	if (pairs.count < SDC_LIKELIHOOD_FEW_LINKS || !(same > 0))
		return false;
	if (sdc_amounts_find(host, &pairs, &amounts) &&
		sdc_intruder_has_room(of->terms->intruder, amounts.count, 0))
	{
		if (!add_table(of, key, same, &amounts))
			add_each(of, key, same, &amounts);
		/* no amount more is one of them */
		of->terms->transparency.released_tried[which] = true;
		return true;
	}
	if (!sdc_steps_find(&pairs, &steps))
		return false;
	add_steps(of, key, same, &steps);
	return true;
}

/* Tries a column with all keys that are numbers. */
static bool
try_column(Amounts *of, int which)
{
	const SdcTransparency *transparency = &of->terms->transparency;
	const double *column = sdcpg_transparency_numbers(
		&transparency->masked, transparency->released_field[which]);
	double greatest = sdc_greatest_size(column, (Size) of->records);
	bool tells = false;
	int k;

	of->column = column;
	for (k = 0; k < of->keys && !tells; k++)
		tells = try_key(of, which, of->key[k], greatest);
	return tells;
}

static void
read_keys(Amounts *of)
{
	const SdcTransparency *transparency = &of->terms->transparency;
	int k;

	of->keys = transparency->known;
	of->key = sdc_new(of->terms->host, const double *, (Size) of->keys + 1);
	for (k = 0; k < of->keys; k++)
		of->key[k] = sdcpg_transparency_numbers(&transparency->original,
												transparency->known_field[k]);
}

List *
sdcpg_likelihood_add_amounts(SdcLikelihoodTerms *terms)
{
	const SdcTransparency *transparency = &terms->transparency;
	Amounts of = {.terms = terms,
				  .persons = transparency->original.frame->rows,
				  .records = transparency->masked.frame->rows};
	List *names = NIL;
	int k;

	of.links = sdcpg_likelihood_links(terms, of.link);
	if (of.links < SDC_LIKELIHOOD_FEW_LINKS)
		return NIL;
	read_keys(&of);
	for (k = 0; k < transparency->released &&
				sdc_intruder_has_room(terms->intruder, 1, 0);
		 k++)
		if (transparency->released_dictionary[k] == NULL && try_column(&of, k))
			names = list_append_unique_ptr(
				names, unconstify(char *, transparency->released_name[k]));
	terms->host->release(terms->host, of.key);
	return names;
}
