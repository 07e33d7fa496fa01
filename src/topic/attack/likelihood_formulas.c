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

#include "miscadmin.h"

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
						  formulas->keys, formulas->joined, true, target,
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

/* ----------------------------------------------------------------------
 * What keys and columns make together.
 * ----------------------------------------------------------------------
 */

/* Numbers of the persons, first, and of the records, for one column. */
typedef struct Together
{
	Formulas formulas;
	int persons;                  /* how many of the numbers are of persons */
	int column[SDC_FORMULA_KEYS]; /* behind those, which one */
} Together;

/* Which file each half of a term is of: persons are bit 0, records bit 1. */
static int
files_of(const Together *together, const SdcFormulaTerm *term)
{
	int files = 0;
	int h;

	for (h = 0; h < 2; h++)
		if (term->power[h] != 0)
			files |= term->key[h] < together->persons ? 1 : 2;
	return files;
}

#define OF_BOTH 3

/* Are two halves, of mixed terms, the same power of the same number? */
static bool
is_same_half(const Together *together, const SdcFormulaTerm *a,
			 const SdcFormulaTerm *b, bool of_persons)
{
	int x = (a->key[0] < together->persons) != of_persons;
	int y = (b->key[0] < together->persons) != of_persons;

	return a->key[x] == b->key[y] && a->power[x] == b->power[y];
}

/*
 * Is a formula a sum of products that cannot be told apart: with two different
 * factors of persons, and of records, one of which may be 1?  Others are
 * formulas of one file.
 */
static bool
is_bilinear(const Together *together, const SdcFormula *formula)
{
	const SdcFormulaTerm *first = NULL;
	bool persons = false;
	bool records = false;
	int k;

	for (k = 0; k < formula->terms; k++)
	{
		const SdcFormulaTerm *term = &formula->term[k];
		int files = files_of(together, term);

		if (files == OF_BOTH && first == NULL)
			first = term;
		else if (files == OF_BOTH)
		{
			persons |= !is_same_half(together, first, term, true);
			records |= !is_same_half(together, first, term, false);
		}
	}
	for (k = 0; k < formula->terms && first != NULL; k++)
		if (files_of(together, &formula->term[k]) == 1)
			persons = records = true;
	return persons && records;
}

/* The product of the halves of a term that are of one file, in a row. */
static double
half_of(const Together *together, const SdcFormula *formula, int term,
		bool of_persons, int32 row)
{
	double product = 1;
	int h;

	for (h = 0; h < 2; h++)
		if ((formula->term[term].key[h] < together->persons) == of_persons)
			product *= sdc_formula_half(formula, term, h,
										together->formulas.key, row);
	return product;
}

/* What the terms of one file alone make of a row. */
static double
sum_of(const Together *together, const SdcFormula *formula, bool of_persons,
	   int32 row)
{
	double sum = 0;
	int k;

	for (k = 0; k < formula->terms; k++)
		if (files_of(together, &formula->term[k]) == (of_persons ? 1 : 2))
			sum += formula->term[k].factor *
				   half_of(together, formula, k, of_persons, row);
	return sum;
}

static inline double
finite_or_missing(double x)
{
	return isfinite(x) ? x : NAN;
}

/* The numbers of one file: what its terms make alone, then its halves of the
 * mixed terms. */
static void
make_halves(const Together *together, const SdcFormula *formula,
			const double *column, bool of_persons, int32 rows, double **number)
{
	int32 i;
	int c = 1;
	int k;

	number[0] = sdc_new(together->formulas.host, double, (Size) rows + 1);
	for (i = 0; i < rows; i++)
	{
		double sum = sum_of(together, formula, of_persons, i);

		if (i % SDC_POLL_STEPS == 0)
			CHECK_FOR_INTERRUPTS();
		number[0][i] = finite_or_missing(
			of_persons ? sum
					   : sdc_formula_turned(formula, column[i]) -
							 formula->constant - sum);
	}
	for (k = 0; k < formula->terms; k++)
	{
		double factor = of_persons ? 1 : formula->term[k].factor;

		if (files_of(together, &formula->term[k]) != OF_BOTH)
			continue;
		number[c] = sdc_new(together->formulas.host, double, (Size) rows + 1);
		for (i = 0; i < rows; i++)
		{
			if (i % SDC_POLL_STEPS == 0)
				CHECK_FOR_INTERRUPTS();
			number[c][i] = finite_or_missing(
				factor * half_of(together, formula, k, of_persons, i));
		}
		c++;
	}
}

/* A bilinear formula of a column, and which columns are in it, as bits. */
typedef struct Found
{
	SdcFormula formula;
	int column;
	uint32 columns;
} Found;

/* Numbers of persons, as many as half of all, and of the other columns. */
static void
take_both(Together *together, const SdcIntruderReleased *released,
		  const Links *links, int known, int target)
{
	Formulas *formulas = &together->formulas;
	int c;
	int k;

	for (k = 0; k < Min(known, SDC_FORMULA_KEYS / 2); k++)
		add_key(formulas, known_number(released, released->person, k),
				links->person);
	together->persons = formulas->keys;
	for (c = 0; c < released->columns && formulas->keys < SDC_FORMULA_KEYS;
		 c++)
		if (c != target && released->record[c] != NULL)
		{
			together->column[formulas->keys] = c;
			add_key(formulas, released->record[c], links->record);
		}
	formulas->joined = formulas->keys;
}

/* The columns that a formula of one of them is made of, and that one. */
static uint32
columns_together(const Together *together, const Found *found)
{
	uint32 columns = (uint32) 1 << found->column;
	int h;
	int k;

	for (k = 0; k < found->formula.terms; k++)
		for (h = 0; h < 2; h++)
		{
			int key = found->formula.term[k].key[h];

			if (key >= together->persons)
				columns |= (uint32) 1 << together->column[key];
		}
	return columns;
}

/* Finds the bilinear formula that a column follows; false: there is none. */
static bool
find_together(const SdcLikelihoodTerms *terms,
			  const SdcIntruderReleased *released, const Links *links,
			  int column, Found *found)
{
	Together together = {
		.formulas = {.host = terms->host, .links = links->count}};
	Formulas *formulas = &together.formulas;
	double target[SDC_LIKELIHOOD_LINKS];
	bool is_found;

	take_both(&together, released, links, terms->transparency.known, column);
	sdcpg_likelihood_take(released->record[column], links->record,
						  links->count, target);
	is_found = sdc_formula_find(terms->host,
								(const double *const *) formulas->of_link,
								formulas->keys, formulas->joined, false,
								target, links->count, &found->formula) &&
			   is_bilinear(&together, &found->formula);
	found->column = column;
	if (is_found)
		found->columns = columns_together(&together, found);
	release_keys(formulas);
	return is_found;
}

/* The bilinear formulas of all columns, the shortest first: a longer one is
 * often made of one of these. */
static int
list_together(const SdcLikelihoodTerms *terms,
			  const SdcIntruderReleased *released, const Links *links,
			  Found *found)
{
	int count = 0;
	int c;
	int k;

	for (c = 0; c < released->columns; c++)
	{
		Found one;

		if (released->record[c] == NULL ||
			!find_together(terms, released, links, c, &one))
			continue;
		for (k = count++;
			 k > 0 && found[k - 1].formula.terms > one.formula.terms; k--)
			found[k] = found[k - 1];
		found[k] = one;
	}
	return count;
}

/* Adds the term of a formula; false: it tells no more than others do. */
static bool
add_together(const SdcLikelihoodTerms *terms,
			 const SdcIntruderReleased *released, const Links *links,
			 const Found *found)
{
	Together together = {
		.formulas = {.host = terms->host, .links = links->count}};
	SdcIntruderBilinear form = {.columns = 1, .partner = released->partner};
	double *person[SDC_FORMULA_TERMS + 1];
	double *record[SDC_FORMULA_TERMS + 1];
	bool is_added = false;
	int k;

	take_both(&together, released, links, terms->transparency.known,
			  found->column);
	for (k = 0; k < found->formula.terms; k++)
		form.columns +=
			files_of(&together, &found->formula.term[k]) == OF_BOTH;
	if (form.columns <= SDC_BILINEAR_COLUMNS)
	{
		make_halves(&together, &found->formula, NULL, true,
					terms->transparency.original.frame->rows, person);
		make_halves(&together, &found->formula,
					released->record[found->column], false,
					terms->transparency.masked.frame->rows, record);
		form.person = (const double *const *) person;
		form.record = (const double *const *) record;
		is_added = sdc_intruder_add_bilinear(terms->intruder, &form);
		for (k = 0; k < form.columns; k++)
		{
			terms->host->release(terms->host, person[k]);
			terms->host->release(terms->host, record[k]);
		}
	}
	release_keys(&together.formulas);
	return is_added;
}

/* Is a formula of columns of which one that was added is, too?  It says the
 * same again. */
static bool
is_said(const Found *found, const uint32 *added, int count)
{
	int k;

	for (k = 0; k < count; k++)
		if ((found->columns & ~added[k]) == 0)
			return true;
	return false;
}

void
sdcpg_likelihood_add_bilinear(const SdcLikelihoodTerms *terms,
							  SdcIntruderReleased *released)
{
	Links links;
	Found *found;
	uint32 added[SDC_INTRUDER_RELEASED];
	int count = 0;
	int all;
	int k;
	int c;

	if (terms->transparency.known == 0 || !take_links(terms, &links))
		return;
	found = sdc_new(terms->host, Found, released->columns + 1);
	all = list_together(terms, released, &links, found);
	for (k = 0; k < all; k++)
	{
		if (is_said(&found[k], added, count) ||
			!add_together(terms, released, &links, &found[k]))
			continue;
		added[count++] = found[k].columns;
		for (c = 0; c < released->columns; c++)
			released->used[c] |= found[k].columns >> c & 1;
	}
	terms->host->release(terms->host, found);
}
