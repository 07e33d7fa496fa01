/*
 * likelihood_orders.c
 *		Places of persons in orders that columns follow, as further numbers
 *		that are known of them.
 *
 * Who numbers the rows by name publishes the alphabet.  A key that is a text
 * has a place in the order of its collation, and the links tell whether a
 * column rises by it, or by it and other keys (kernel/intruder/order.c).  What
 * is learned of a number holds for the place then, too.
 *
 * Who shows a running total shows what was added: the difference from the row
 * before in the order of the total itself, in the whole table or among the
 * rows of one class, as of a meter.  What goes on in the order of another
 * column is read as a column of its own (known.c); in its own order any column
 * goes on, so here the links tell whether that is a key.
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
	int32 link[SDC_LIKELIHOOD_LINKS];
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
			return orders->links >= SDC_LIKELIHOOD_FEW_LINKS;
	return false;
}

int
sdcpg_likelihood_links(const SdcLikelihoodTerms *terms, int32 *link)
{
	return sdc_intruder_draw_links(terms->host, terms->transparency.partner,
								   terms->transparency.original.frame->rows,
								   SDC_LIKELIHOOD_LINKS, link);
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
		orders->of_link[k] = sdc_new(host, double, SDC_LIKELIHOOD_LINKS);
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
	double column[SDC_LIKELIHOOD_LINKS];
	const double *number = sdcpg_transparency_numbers(
		&transparency->masked, transparency->released_field[which]);
	double *place;
	int k;

	for (k = 0; k < orders->links; k++)
		column[k] = number[transparency->partner[orders->link[k]]];
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
	orders.links = sdcpg_likelihood_links(terms, orders.link);
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

/* ----------------------------------------------------------------------
 * Running totals, whose steps are a key.
 * ----------------------------------------------------------------------
 */

/* Links in which a step is the key, how few are too few, and the part of
 * others' keys by chance. */
#define LEAST_STEPS  10
#define LEAST_SHARE  0.5
#define MOST_CHANCES 0.25

/* Rows that are sorted at the most, in all orders together. */
#define MOST_SORTED 2e7

/* A total is exact to so many bits: steps are compared on a grid. */
#define TOTAL_BITS 40

/* A column of numbers that is shown, and its order. */
typedef struct Totals
{
	SdcLikelihoodTerms *terms;
	Orders links;
	int32 records;
	const double *number;
	double left; /* rows that may still be sorted */
	int32 *order;
	uint64 *sorted;
	double *step;
	int32 *person;
	int32 *record;
	int32 *class; /* of each record; -1: none */
	bool whole;   /* are all records of one class? */
} Totals;

/* Are there few enough rows to be sorted once more? */
static bool
may_sort(Totals *totals)
{
	totals->left -= totals->records;
	return totals->left >= 0;
}

/* A column that is shown; NULL: it is no numbers. */
static const double *
read_shown(const Totals *totals, int which)
{
	const SdcTransparency *transparency = &totals->terms->transparency;

	return transparency->released_dictionary[which] != NULL
			   ? NULL
			   : sdcpg_transparency_numbers(
					 &transparency->masked,
					 transparency->released_field[which]);
}

/* Codes of the classes that numbers make of the records; returns how many. */
static int32
code_numbers(Totals *totals, const double *number)
{
	int32 n = sdc_sort_numbers(totals->terms->host, number, totals->records,
							   totals->sorted, totals->order);
	int32 codes = 0;
	int32 i;

	memset(totals->class, -1, sizeof(int32) * totals->records);
	for (i = 0; i < n; i++)
	{
		codes += i == 0 || totals->sorted[i] != totals->sorted[i - 1];
		totals->class[totals->order[i]] = codes - 1;
	}
	return codes;
}

/* Codes of the classes that a column makes of the records: -1 has none.
 * False: most rows are alone. */
static bool
take_classes(Totals *totals, int which)
{
	const SdcTransparency *transparency = &totals->terms->transparency;
	int field = transparency->released_field[which];
	const double *number;
	int32 codes;

	if (!may_sort(totals))
		return false;
	number = read_shown(totals, which);
	if (number != NULL)
		codes = code_numbers(totals, number);
	else
	{
		memcpy(totals->class, transparency->masked.frame->column[field].code,
			   sizeof(int32) * totals->records);
		codes =
			sdcpg_dictionary_values(transparency->released_dictionary[which]);
	}
	return 2 * (int64) codes <= totals->records;
}

/* Sorts the records by the column, within classes. */
static void
sort_records(Totals *totals)
{
	SdcHost *host = totals->terms->host;
	int32 i;

	for (i = 0; i < totals->records; i++)
	{
		totals->order[i] = i;
		totals->sorted[i] = sdc_sort_key(totals->number[i]);
	}
	sdc_sort_keys(host, totals->sorted, totals->order,
				  (size_t) totals->records);
	if (totals->whole)
		return;
	for (i = 0; i < totals->records; i++)
		totals->sorted[i] = (uint64) (totals->class[totals->order[i]] + 1);
	sdc_sort_keys(host, totals->sorted, totals->order,
				  (size_t) totals->records);
}

/* A number on the grid of a total. */
static double
on_grid(double x, double unit)
{
	return rint(x / unit) * unit;
}

/* The steps of the column in its order, to the row after if so. */
static void
fill_steps(Totals *totals, bool after, double unit)
{
	int32 i;

	for (i = 0; i < totals->records; i++)
		totals->step[i] = NAN;
	for (i = 1; i < totals->records; i++)
	{
		int32 now = totals->order[i];
		int32 before = totals->order[i - 1];

		if (totals->class[now] >= 0 &&
			totals->class[now] == totals->class[before])
			totals->step[after ? before : now] =
				on_grid(totals->number[now] - totals->number[before], unit);
	}
}

/* The share of links whose step is a key, with this sign; 0: it is none. */
static double
share_of_steps(const Totals *totals, const double *key, double sign,
			   double unit)
{
	const SdcTransparency *transparency = &totals->terms->transparency;
	const Orders *links = &totals->links;
	int steps = 0;
	int own = 0;
	int others = 0;
	int k;

	for (k = 0; k < links->links; k++)
	{
		double step = totals->step[transparency->partner[links->link[k]]];

		if (isnan(step))
			continue;
		steps++;
		own += step == on_grid(sign * key[links->link[k]], unit);
		others +=
			step ==
			on_grid(sign * key[links->link[(k + 1) % links->links]], unit);
	}
	return own < LEAST_STEPS || own < LEAST_SHARE * steps ||
				   others > MOST_CHANCES * own
			   ? 0
			   : (double) own / steps;
}

/* A term for a key that is the steps of a total. */
static void
add_steps(Totals *totals, const double *key, double sign, double unit,
		  double share)
{
	SdcLikelihoodTerms *terms = totals->terms;
	SdcHost *host = terms->host;
	int32 persons = terms->transparency.original.frame->rows;
	double *known = sdc_new(host, double, (Size) persons + 1);
	double *sorted = sdc_new(host, double, (Size) persons + 1);
	uint64 *keys = sdc_new(host, uint64, (Size) persons + 1);
	int32 codes;
	int32 i;

	for (i = 0; i < persons; i++)
		known[i] = on_grid(sign * key[i], unit);
	codes = sdc_sort_numbers(host, known, persons, keys, totals->person);
	for (i = 0; i < codes; i++)
		sorted[i] = known[totals->person[i]];
	for (i = 0; i < persons; i++)
		totals->person[i] =
			isnan(known[i])
				? -1
				: (int32) sdc_sort_below(sorted, (size_t) codes, known[i]);
	for (i = 0; i < totals->records; i++)
	{
		double step = totals->step[i];
		int32 code =
			isnan(step) ? codes
						: (int32) sdc_sort_below(sorted, (size_t) codes, step);

		totals->record[i] = code < codes && sorted[code] == step ? code : -1;
	}
	sdcpg_likelihood_add_codes(terms, share, totals->person, totals->record,
							   codes);
	host->release(host, known);
	host->release(host, keys);
	host->release(host, sorted);
}

/* The grid of the column: a part of its largest number. */
static double
grid_of(const Totals *totals)
{
	double most = 0;
	int32 i;

	for (i = 0; i < totals->records; i++)
		most = fmax(most, fabs(totals->number[i]));
	return most > 0 && isfinite(most) ? ldexp(1, ilogb(most) - TOTAL_BITS) : 0;
}

/* Is the column a total of a key?  Then there is a term for it. */
static bool
is_total(Totals *totals)
{
	double unit = grid_of(totals);
	int form;
	int k;

	for (form = 0; form < 4 && unit > 0; form++)
	{
		double sign = form % 2 == 0 ? 1 : -1;

		if (form % 2 == 0)
			fill_steps(totals, form >= 2, unit);
		for (k = 0; k < totals->links.keys; k++)
		{
			const double *key = totals->links.key[k];
			double share = share_of_steps(totals, key, sign, unit);

			if (share > 0)
			{
				add_steps(totals, key, sign, unit, share);
				return true;
			}
		}
	}
	return false;
}

/* Looks for totals within classes; told: which columns are. */
static void
try_columns(Totals *totals, bool *told)
{
	SdcHost *host = totals->terms->host;
	int columns = totals->terms->transparency.released;
	int k;

	for (k = 0; k < columns; k++)
	{
		host->poll(host, k, columns);
		if (told[k] || !sdc_intruder_has_room(totals->terms->intruder, 1, 0) ||
			!may_sort(totals))
			continue;
		totals->number = read_shown(totals, k);
		if (totals->number == NULL)
			continue;
		sort_records(totals);
		told[k] = is_total(totals);
	}
}

/* Goes through the classes; told: which columns are totals. */
static void
find_totals(Totals *totals, bool *told)
{
	int k;

	memset(totals->class, 0, sizeof(int32) * totals->records);
	totals->whole = true;
	try_columns(totals, told);
	totals->whole = false;
	for (k = 0; k < totals->terms->transparency.released; k++)
		if (take_classes(totals, k))
			try_columns(totals, told);
}

/* Reads keys that are numbers, and makes room. */
static void
read_totals(Totals *totals)
{
	const SdcTransparency *transparency = &totals->terms->transparency;
	SdcHost *host = totals->terms->host;
	Size records = (Size) totals->records + 1;
	int k;

	totals->links.keys = Min(transparency->known, SDC_INTRUDER_KNOWN);
	for (k = 0; k < totals->links.keys; k++)
		totals->links.key[k] = sdcpg_transparency_numbers(
			&transparency->original, transparency->known_field[k]);
	totals->order = sdc_new(host, int32, records);
	totals->sorted = sdc_new(host, uint64, records);
	totals->step = sdc_new(host, double, records);
	totals->class = sdc_new(host, int32, records);
	totals->record = sdc_new(host, int32, records);
	totals->person =
		sdc_new(host, int32, (Size) transparency->original.frame->rows + 1);
}

static void
release_totals(Totals *totals)
{
	SdcHost *host = totals->terms->host;

	host->release(host, totals->order);
	host->release(host, totals->sorted);
	host->release(host, totals->step);
	host->release(host, totals->class);
	host->release(host, totals->record);
	host->release(host, totals->person);
}

List *
sdcpg_likelihood_add_totals(SdcLikelihoodTerms *terms)
{
	const SdcTransparency *transparency = &terms->transparency;
	Totals totals = {.terms = terms,
					 .links = {.terms = terms},
					 .records = transparency->masked.frame->rows,
					 .left = MOST_SORTED};
	bool *told = palloc0(sizeof(bool) * ((Size) transparency->released + 1));
	List *names = NIL;
	int k;

	totals.links.links = sdcpg_likelihood_links(terms, totals.links.link);
	if (!may_follow(&totals.links))
		return NIL;
	terms->host->stage(terms->host, "looking for running totals");
	read_totals(&totals);
	find_totals(&totals, told);
	release_totals(&totals);
	for (k = 0; k < transparency->released; k++)
		if (told[k])
			names = list_append_unique_ptr(
				names, unconstify(char *, transparency->released_name[k]));
	return names;
}
