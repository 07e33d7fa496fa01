/*
 * likelihood_formulas.c
 *		Formulas between what is known and what is shown, as further numbers.
 *
 * Who publishes the share of the costs in the income publishes neither a line
 * nor a curve of one of them, but who knows both knows the share: what a
 * formula makes of the keys of a person is a number like any other that is
 * known.  Who publishes the income by the hours, and the hours, publishes the
 * income: what a formula makes of the columns of a record is one more column.
 * The links tell the formulas (kernel/intruder/formula.c).
 */
#include "postgres.h"

#include <math.h>

#include "kernel/intruder/formula.h"
#include "kernel/intruder/order.h"
#include "topic/attack/likelihood.h"
#include "topic/attack/transparency.h"

/* How much of what one number leaves of an order may be left of it. */
#define MOST_LEFT 0.5

/* Numbers of one file, and of the other one, of the rows that are linked. */
typedef struct Formulas
{
	SdcHost *host;
	int32 rows;
	int keys;
	int joined; /* those that are of that file, the first ones */
	const double *key[SDC_FORMULA_KEYS];
	double *of_link[SDC_FORMULA_KEYS];
	int links;
} Formulas;

/* The rows of links in both files. */
typedef struct Links
{
	int count;
	int32 person[SDC_LIKELIHOOD_LINKS];
	int32 record[SDC_LIKELIHOOD_LINKS];
} Links;

static bool
take_links(const SdcLikelihoodTerms *terms, Links *links)
{
	int i;

	links->count = sdcpg_likelihood_links(terms, links->person);
	for (i = 0; i < links->count; i++)
		links->record[i] = terms->transparency.partner[links->person[i]];
	return links->count >= SDC_LIKELIHOOD_FEW_LINKS;
}

static void
add_key(Formulas *formulas, const double *number, const int32 *link)
{
	double *of_link = sdc_new(formulas->host, double, SDC_LIKELIHOOD_LINKS);

	sdcpg_likelihood_take(number, link, formulas->links, of_link);
	formulas->key[formulas->keys] = number;
	formulas->of_link[formulas->keys++] = of_link;
}

static void
release_keys(Formulas *formulas)
{
	int k;

	for (k = 0; k < formulas->keys; k++)
		formulas->host->release(formulas->host, formulas->of_link[k]);
}

/* How well numbers rise by what a formula makes of links. */
static double
followed(const Formulas *formulas, const SdcFormula *formula,
		 const double *target)
{
	double number[SDC_LIKELIHOOD_LINKS];
	const double *numbers = number;
	SdcOrder order;
	int i;

	for (i = 0; i < formulas->links; i++)
		number[i] = sdc_formula_apply(
			formula, (const double *const *) formulas->of_link, i);
	return sdc_order_find(formulas->host, &numbers, 1, target, formulas->links,
						  &order);
}

/* The same by the best one of the keys. */
static double
followed_anyway(const Formulas *formulas, const double *target)
{
	SdcOrder order;
	double most = 0;
	int k;

	for (k = 0; k < formulas->keys; k++)
	{
		const double *key = formulas->of_link[k];

		most = fmax(most, sdc_order_find(formulas->host, &key, 1, target,
										 formulas->links, &order));
	}
	return most;
}

/* Finds the formula by which numbers of links follow the keys, and what it
 * makes of each row; NULL: there is none, or they rise as well by one key. */
static double *
find_numbers(const Formulas *formulas, const double *target,
			 SdcFormula *formula)
{
	double *number;
	int32 i;

	if (!sdc_formula_find(formulas->host,
						  (const double *const *) formulas->of_link,
						  formulas->keys, formulas->joined, target,
						  formulas->links, formula))
		return NULL;
	if (1 - followed(formulas, formula, target) >=
		MOST_LEFT * (1 - followed_anyway(formulas, target)))
		return NULL;
	sdc_formula_drop(formula, formulas->joined);
	number = sdc_new(formulas->host, double, (Size) formulas->rows + 1);
	for (i = 0; i < formulas->rows; i++)
		number[i] = sdc_formula_apply(formula, formulas->key, i);
	return number;
}

/* A number that is known, as it is learned. */
static const double *
known_number(const SdcIntruderReleased *released, const double *const *person,
			 int k)
{
	return released->person_learned[k] != NULL ? released->person_learned[k]
											   : person[k];
}

void
sdcpg_likelihood_add_formulas(const SdcLikelihoodTerms *terms,
							  SdcIntruderReleased *released,
							  const double **person)
{
	Formulas formulas = {.host = terms->host,
						 .rows = terms->transparency.original.frame->rows};
	Links links;
	int c;
	int k;

	if (!take_links(terms, &links))
		return;
	formulas.links = links.count;
	for (k = 0; k < Min(released->known, SDC_FORMULA_KEYS); k++)
		add_key(&formulas, known_number(released, person, k), links.person);
	formulas.joined = formulas.keys;
	for (c = 0; c < released->columns && released->known < SDC_INTRUDER_KNOWN;
		 c++)
	{
		double target[SDC_LIKELIHOOD_LINKS];
		SdcFormula formula;
		double *number;

		if (released->record[c] == NULL)
			continue;
		sdcpg_likelihood_take(released->record[c], links.record, links.count,
							  target);
		number = find_numbers(&formulas, target, &formula);
		if (number != NULL)
			person[released->known++] = number;
	}
	release_keys(&formulas);
}

/* The columns, as bits, that a formula is made of. */
static uint32
columns_of(const SdcFormula *formula, const int *column)
{
	uint32 columns = 0;
	int k;

	for (k = 0; k < formula->terms; k++)
		columns |= (uint32) 1 << column[formula->term[k].key[0]] |
				   (uint32) 1 << column[formula->term[k].key[1]];
	return columns;
}

/* Columns that are numbers, and behind them the numbers of the persons, whose
 * sum with one of these a formula may make. */
static void
take_columns(Formulas *formulas, const SdcIntruderReleased *released,
			 const Links *links, int known, int *column)
{
	int most = SDC_FORMULA_KEYS - Min(known, SDC_FORMULA_KEYS / 2);
	int c;
	int k;

	for (c = 0; c < released->columns && formulas->keys < most; c++)
		if (released->record[c] != NULL)
		{
			column[formulas->keys] = c;
			add_key(formulas, released->record[c], links->record);
		}
	formulas->joined = formulas->keys;
	for (k = 0; k < known && formulas->keys < SDC_FORMULA_KEYS; k++)
		add_key(formulas, known_number(released, released->person, k),
				links->person);
}

/* Finds the formula of a number that is known, the which-th, which is not made
 * of itself; NULL: there is none. */
static double *
find_known(Formulas *formulas, const double *target, int which,
		   SdcFormula *formula)
{
	double nothing[SDC_LIKELIHOOD_LINKS] = {0};
	int own = formulas->joined + which;
	double *number;
	double *kept;

	if (own >= formulas->keys)
		return find_numbers(formulas, target, formula);
	kept = formulas->of_link[own];
	formulas->of_link[own] = nothing;
	number = find_numbers(formulas, target, formula);
	formulas->of_link[own] = kept;
	return number;
}

int
sdcpg_likelihood_shown_formulas(const SdcLikelihoodTerms *terms,
								const SdcIntruderReleased *released,
								const double **number, uint32 *columns)
{
	Formulas formulas = {.host = terms->host,
						 .rows = terms->transparency.masked.frame->rows};
	int known = Min(terms->transparency.known, SDC_FORMULA_KEYS);
	Links links;
	int column[SDC_FORMULA_KEYS];
	int found = 0;
	int k;

	if (!take_links(terms, &links))
		return 0;
	formulas.links = links.count;
	take_columns(&formulas, released, &links, known, column);
	for (k = 0; k < known && released->columns + found < SDC_INTRUDER_RELEASED;
		 k++)
	{
		double target[SDC_LIKELIHOOD_LINKS];
		SdcFormula formula;

		sdcpg_likelihood_take(known_number(released, released->person, k),
							  links.person, links.count, target);
		number[found] = find_known(&formulas, target, k, &formula);
		if (number[found] != NULL)
			columns[found++] = columns_of(&formula, column);
	}
	release_keys(&formulas);
	return found;
}
