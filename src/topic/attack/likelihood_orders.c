/*
 * likelihood_orders.c
 *		Places of persons in orders that columns follow, as further numbers
 *		that are known of them.
 *
 * Who numbers the rows by name publishes the alphabet.  A key that is a text
 * has a place in the order of its collation, and the links tell whether a
 * column rises by it, or by it and other keys (kernel/intruder/order.c).  What
 * is learned of a number holds for the place then, too.
 */
#include "postgres.h"

#include <math.h>

#include "miscadmin.h"
#include "utils/lsyscache.h"
#include "utils/varlena.h"

#include "host/data/dictionary.h"
#include "host/data/rows.h"
#include "kernel/base/sort.h"
#include "kernel/intruder/order.h"
#include "topic/attack/likelihood.h"
#include "topic/attack/transparency.h"

/* Links by which an order is found, and how few are too few. */
#define MOST_LINKS  300
#define LEAST_LINKS 30

/* How well a column must follow an order (a rank correlation). */
#define LEAST_FOLLOWED 0.99

/* What rows are sorted by: all that is known of each person. */
typedef struct Orders
{
	const SdcLikelihoodTerms *terms;
	int keys;
	int numbers; /* of them, which are known without any order */
	const double *key[2 * SDC_INTRUDER_KNOWN];
	double *of_link[2 * SDC_INTRUDER_KNOWN];
	int links;
	int32 link[MOST_LINKS];
	int found;
	SdcOrder order[SDC_INTRUDER_RELEASED];
} Orders;

/* The different texts of a key. */
typedef struct Texts
{
	char **text;
	Oid collation;
} Texts;

static int
compare_texts(int32 a, int32 b, void *arg)
{
	const Texts *texts = arg;
	const char *x = texts->text[a];
	const char *y = texts->text[b];

	CHECK_FOR_INTERRUPTS();
	return varstr_cmp(x, (int) strlen(x), y, (int) strlen(y),
					  texts->collation);
}

/* The places of the codes of a key in the order of their texts. */
static double *
order_codes(SdcHost *host, SdcDictionary *dictionary, Oid collation)
{
	int32 count = sdcpg_dictionary_values(dictionary);
	Texts texts = {palloc(sizeof(char *) * ((Size) count + 1)), collation};
	int32 *code = sdc_new(host, int32, (Size) count + 1);
	double *place = sdc_new(host, double, (Size) count + 1);
	int32 i;

	for (i = 0; i < count; i++)
	{
		texts.text[i] = sdcpg_dictionary_text(dictionary, i);
		code[i] = i;
	}
	sdc_sort_rows(host, code, (size_t) count, compare_texts, &texts);
	for (i = 0; i < count; i++)
		place[code[i]] =
			i > 0 && compare_texts(code[i - 1], code[i], &texts) == 0
				? place[code[i - 1]]
				: i;
	for (i = 0; i < count; i++)
		pfree(texts.text[i]);
	pfree(texts.text);
	host->release(host, code);
	return place;
}

/* The place of each person by a key that is a text. */
static double *
order_text(const SdcLikelihoodTerms *terms, int told, Oid collation)
{
	const SdcTransparency *transparency = &terms->transparency;
	const SdcFrame *frame = transparency->original.frame;
	const int32 *code = frame->column[transparency->told_field[told]].code;
	double *of_code = order_codes(
		terms->host, transparency->told_dictionary[told], collation);
	double *place = sdc_new(terms->host, double, (Size) frame->rows + 1);
	int32 i;

	for (i = 0; i < frame->rows; i++)
		place[i] = code[i] < 0 ? NAN : of_code[code[i]];
	terms->host->release(terms->host, of_code);
	return place;
}

/* Adds the keys that are texts, in their order. */
static void
add_texts(Orders *orders)
{
	const SdcTransparency *transparency = &orders->terms->transparency;
	const SdcRelationColumns *keys = &transparency->keys;
	int told = 0;
	int k;

	for (k = 0; k < keys->count && orders->keys < 2 * SDC_INTRUDER_KNOWN; k++)
	{
		Oid type;
		int32 modifier;
		Oid collation;

		if (sdcpg_number_is(keys->column[k].base))
			continue;
		get_atttypetypmodcoll(transparency->original.relation->oid,
							  keys->column[k].number, &type, &modifier,
							  &collation);
		if (OidIsValid(collation))
			orders->key[orders->keys++] =
				order_text(orders->terms, told, collation);
		told++;
	}
}

/* Is there a column that could follow an order, and are there links to tell?
 * To sort texts takes long. */
static bool
may_follow(const Orders *orders)
{
	const SdcTransparency *transparency = &orders->terms->transparency;
	int k;

	for (k = 0; k < transparency->released; k++)
		if (transparency->released_dictionary[k] == NULL)
			return orders->links >= LEAST_LINKS;
	return false;
}

/* Takes links from all over the file. */
static void
take_links(Orders *orders)
{
	const SdcTransparency *transparency = &orders->terms->transparency;
	int32 rows = transparency->original.frame->rows;
	int32 step = Max(rows / MOST_LINKS, 1);
	int32 start;
	int32 i;

	for (start = 0; start < step; start++)
		for (i = start; i < rows && orders->links < MOST_LINKS; i += step)
			if (transparency->partner[i] >= 0)
				orders->link[orders->links++] = i;
}

/* Takes what is known of the persons of links. */
static void
take_keys(Orders *orders)
{
	SdcHost *host = orders->terms->host;
	int i;
	int k;

	for (k = 0; k < orders->keys; k++)
	{
		orders->of_link[k] = sdc_new(host, double, MOST_LINKS);
		for (i = 0; i < orders->links; i++)
			orders->of_link[k][i] = orders->key[k][orders->link[i]];
	}
}

/* Finds the order of one column, if it follows one that says more than a
 * number does, and no other column had the same. */
static bool
find_order(Orders *orders, const double *column, SdcOrder *order)
{
	SdcHost *host = orders->terms->host;
	int k;

	if (sdc_order_find(host, (const double *const *) orders->of_link,
					   orders->keys, column, orders->links,
					   order) < LEAST_FOLLOWED)
		return false;
	if (order->keys == 1 && order->key[0] < orders->numbers)
		return false;
	for (k = 0; k < orders->found; k++)
		if (memcmp(&orders->order[k], order, sizeof(*order)) == 0)
			return false;
	return true;
}

/* Finds the order of one column; the places by it are one more number. */
static void
add_order(Orders *orders, int which, SdcIntruderReleased *released,
		  const double **person)
{
	const SdcTransparency *transparency = &orders->terms->transparency;
	SdcHost *host = orders->terms->host;
	int32 persons = transparency->original.frame->rows;
	SdcOrder *order = &orders->order[orders->found];
	double column[MOST_LINKS];
	double *number = sdcpg_likelihood_numbers(
		host, &transparency->masked, transparency->released_field[which]);
	double *place;
	int k;

	for (k = 0; k < orders->links; k++)
		column[k] = number[transparency->partner[orders->link[k]]];
	host->release(host, number);
	if (!find_order(orders, column, order))
		return;
	orders->found++;
	place = sdc_new(host, double, (Size) persons + 1);
	sdc_order_places(host, orders->key, order, persons, place);
	person[released->known++] = place;
}

/* Gives back all but what persons are known by. */
static void
release_orders(Orders *orders)
{
	SdcHost *host = orders->terms->host;
	int k;

	for (k = 0; k < orders->keys; k++)
	{
		host->release(host, orders->of_link[k]);
		if (k >= orders->numbers)
			host->release(host, unconstify(double *, orders->key[k]));
	}
}

void
sdcpg_likelihood_add_orders(const SdcLikelihoodTerms *terms,
							SdcIntruderReleased *released,
							const double **person)
{
	const SdcTransparency *transparency = &terms->transparency;
	Orders orders = {.terms = terms, .numbers = released->known};
	int k;

	for (k = 0; k < released->known; k++)
		orders.key[orders.keys++] = person[k];
	take_links(&orders);
	if (!may_follow(&orders))
		return;
	add_texts(&orders);
	take_keys(&orders);
	for (k = 0;
		 k < transparency->released && released->known < SDC_INTRUDER_KNOWN &&
		 orders.found < SDC_INTRUDER_RELEASED;
		 k++)
		if (transparency->released_dictionary[k] == NULL)
			add_order(&orders, k, released, person);
	release_orders(&orders);
}
