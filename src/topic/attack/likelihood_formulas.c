/*
 * likelihood_formulas.c
 *		Numbers that columns are made to of keys, as further numbers that are
 *		known of each person.
 *
 * Who publishes the share of the costs in the income publishes neither a line
 * nor a curve of one of them, but who knows both knows the share.  The links
 * tell which formula a column follows (kernel/intruder/formula.c), and what it
 * makes of the keys of a person is a number like any other that is known.
 */
#include "postgres.h"

#include <math.h>

#include "kernel/intruder/formula.h"
#include "kernel/intruder/order.h"
#include "topic/attack/likelihood.h"
#include "topic/attack/transparency.h"

/* How much of what a key leaves of the order of a column may be left. */
#define MOST_LEFT 0.5

typedef struct Formulas
{
	const SdcLikelihoodTerms *terms;
	int keys;
	const double *key[SDC_FORMULA_KEYS]; /* of persons */
	double *of_link[SDC_FORMULA_KEYS];
	int32 link[SDC_LIKELIHOOD_LINKS];
	int32 partner[SDC_LIKELIHOOD_LINKS];
	int links;
} Formulas;

/* What a formula makes of the keys of each person. */
static double *
make_numbers(const Formulas *formulas, const SdcFormula *formula)
{
	int32 persons = formulas->terms->transparency.original.frame->rows;
	double *number =
		sdc_new(formulas->terms->host, double, (Size) persons + 1);
	int32 i;

	for (i = 0; i < persons; i++)
		number[i] = sdc_formula_apply(formula, formulas->key, i);
	return number;
}

/* How well a column rises by what a formula makes of links, or by a key. */
static double
followed(const Formulas *formulas, const SdcFormula *formula,
		 const double *column)
{
	const double *const *key = (const double *const *) formulas->of_link;
	double number[SDC_LIKELIHOOD_LINKS];
	const double *numbers = number;
	SdcOrder order;
	double most = 0;
	int i;
	int k;

	for (i = 0; i < formulas->links && formula != NULL; i++)
		number[i] = sdc_formula_apply(formula, key, i);
	if (formula != NULL)
		return sdc_order_find(formulas->terms->host, &numbers, 1, column,
							  formulas->links, &order);
	for (k = 0; k < formulas->keys; k++)
		most = fmax(most, sdc_order_find(formulas->terms->host, &key[k], 1,
										 column, formulas->links, &order));
	return most;
}

/* Finds the formula of a column; NULL: it follows none, or rises as well by a
 * key. */
static double *
find_numbers(const Formulas *formulas, const double *record)
{
	double column[SDC_LIKELIHOOD_LINKS];
	SdcFormula formula;

	sdcpg_likelihood_take(record, formulas->partner, formulas->links, column);
	if (!sdc_formula_find(formulas->terms->host,
						  (const double *const *) formulas->of_link,
						  formulas->keys, column, formulas->links, &formula))
		return NULL;
	if (1 - followed(formulas, &formula, column) >=
		MOST_LEFT * (1 - followed(formulas, NULL, column)))
		return NULL;
	return make_numbers(formulas, &formula);
}

static void
take_keys(Formulas *formulas, const SdcIntruderReleased *released,
		  const double *const *person)
{
	SdcHost *host = formulas->terms->host;
	int i;
	int k;

	formulas->keys = Min(released->known, SDC_FORMULA_KEYS);
	for (i = 0; i < formulas->links; i++)
		formulas->partner[i] =
			formulas->terms->transparency.partner[formulas->link[i]];
	for (k = 0; k < formulas->keys; k++)
	{
		formulas->key[k] = released->person_learned[k] != NULL
							   ? released->person_learned[k]
							   : person[k];
		formulas->of_link[k] = sdc_new(host, double, SDC_LIKELIHOOD_LINKS);
		sdcpg_likelihood_take(formulas->key[k], formulas->link,
							  formulas->links, formulas->of_link[k]);
	}
}

void
sdcpg_likelihood_add_formulas(const SdcLikelihoodTerms *terms,
							  SdcIntruderReleased *released,
							  const double **person)
{
	Formulas formulas = {.terms = terms};
	int c;
	int k;

	formulas.links = sdcpg_likelihood_links(terms, formulas.link);
	if (formulas.links < SDC_LIKELIHOOD_FEW_LINKS)
		return;
	take_keys(&formulas, released, person);
	for (c = 0; c < released->columns && released->known < SDC_INTRUDER_KNOWN;
		 c++)
	{
		double *number = released->record[c] == NULL
							 ? NULL
							 : find_numbers(&formulas, released->record[c]);

		if (number != NULL)
			person[released->known++] = number;
	}
	for (k = 0; k < formulas.keys; k++)
		terms->host->release(terms->host, formulas.of_link[k]);
}
