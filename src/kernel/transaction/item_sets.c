/*
 * item_sets.c
 *		Sets of items, one for each customer, and who has an item; who is who
 *		by such sets.
 *
 * Both ways of the table are made by counting: the pairs are dealt out by
 * item, then these lists, in the order of the items, by set.
 *
 * libm: floor, isnan and fabs, which are exact.
 */
#include <math.h>
#include <string.h>

#include "kernel/base/host.h"
#include "kernel/base/random.h"
#include "kernel/base/sort.h"
#include "kernel/transaction/item_sets.h"

/* ----------------------------------------------------------------------
 * Sets of items, one for each customer, and who has an item.
 * ----------------------------------------------------------------------
 */

/* Starts of lists from their lengths in start[1 ..]. */
static void
add_up(int64_t *start, int32_t lists)
{
	int32_t i;

	for (i = 0; i < lists; i++)
		start[i + 1] += start[i];
}

static int64_t *
new_starts(SdcHost *host, int32_t lists)
{
	int64_t *start = sdc_new(host, int64_t, (size_t) lists + 1);

	memset(start, 0, sizeof(int64_t) * ((size_t) lists + 1));
	return start;
}

/* Where the next member of each list goes. */
static int64_t *
new_cursors(SdcHost *host, const int64_t *start, int32_t lists)
{
	int64_t *next = sdc_new(host, int64_t, (size_t) lists + 1);

	memcpy(next, start, sizeof(int64_t) * ((size_t) lists + 1));
	return next;
}

static void
poll_at(SdcHost *host, int64_t done, int64_t total)
{
	if (done % SDC_POLL_STEPS == 0)
		host->poll(host, done, total);
}

/* Deals n members out to lists. */
static SdcItemSets
deal(SdcHost *host, int64_t n, const int32_t *list, const int32_t *member,
	 int32_t lists, int32_t members)
{
	SdcItemSets dealt;
	int64_t *next;
	int64_t r;

	dealt.sets = lists;
	dealt.items = members;
	dealt.start = new_starts(host, lists);
	dealt.item = sdc_new(host, int32_t, n + 1);
	for (r = 0; r < n; r++)
		dealt.start[list[r] + 1]++;
	add_up(dealt.start, lists);
	next = new_cursors(host, dealt.start, lists);
	for (r = 0; r < n; r++)
	{
		poll_at(host, r, n);
		dealt.item[next[list[r]]++] = member[r];
	}
	host->release(host, next);
	return dealt;
}

/* Leaves each item of a set once; equal ones are neighbours. */
static void
drop_repeated(SdcItemSets *sets)
{
	int64_t kept = 0;
	int64_t from = 0;
	int32_t s;

	for (s = 0; s < sets->sets; s++)
	{
		int64_t first = kept;

		for (; from < sets->start[s + 1]; from++)
			if (kept == first || sets->item[kept - 1] != sets->item[from])
				sets->item[kept++] = sets->item[from];
		sets->start[s + 1] = kept;
	}
}

SdcItemSets
sdc_item_sets_build(SdcHost *host, int64_t n, const int32_t *set,
					const int32_t *item, int32_t sets, int32_t items)
{
	SdcItemSets by_item = deal(host, n, item, set, items, sets);
	SdcItemSets built = sdc_item_sets_invert(host, &by_item);

	sdc_item_sets_release(host, &by_item);
	drop_repeated(&built);
	return built;
}

SdcItemSets
sdc_item_sets_invert(SdcHost *host, const SdcItemSets *sets)
{
	int64_t n = sets->start[sets->sets];
	SdcItemSets inverted;
	int64_t *next;
	int64_t r;
	int32_t s;

	inverted.sets = sets->items;
	inverted.items = sets->sets;
	inverted.start = new_starts(host, sets->items);
	inverted.item = sdc_new(host, int32_t, n + 1);
	for (r = 0; r < n; r++)
		inverted.start[sets->item[r] + 1]++;
	add_up(inverted.start, sets->items);
	next = new_cursors(host, inverted.start, sets->items);
	for (s = 0; s < sets->sets; s++)
		for (r = sets->start[s]; r < sets->start[s + 1]; r++)
		{
			poll_at(host, r, n);
			inverted.item[next[sets->item[r]]++] = s;
		}
	host->release(host, next);
	return inverted;
}

void
sdc_item_sets_release(SdcHost *host, SdcItemSets *sets)
{
	host->release(host, sets->start);
	host->release(host, sets->item);
	sets->start = NULL;
	sets->item = NULL;
}

/* ----------------------------------------------------------------------
 * Which items are bought by the same customers, in two files.
 *
 * One row of W at a time: the customers of an item, and what else they
 * bought.  Sums are taken in the order of customers and items.
 * ----------------------------------------------------------------------
 */

/* One file with the way from an item to its entries, and one row of W. */
typedef struct Similarity
{
	SdcHost *host;
	const SdcItemQuantities *from;
	const bool *chosen;
	double most;
	int32_t *first;   /* of each customer's entries */
	int32_t *start;   /* of each item's entries in entry[] */
	int32_t *entry;   /* ascending */
	double *norm;     /* of each item */
	double *product;  /* with each item, 0 outside of a row */
	int32_t *touched; /* items with a product, in the order they were met */
	int32_t met;
	uint64_t work;
} Similarity;

static bool
counts(const Similarity *s, int32_t r)
{
	return s->from->quantity[r] <= s->most &&
		   (s->chosen == NULL || s->chosen[s->from->item[r]]);
}

static int32_t *
similarity_new_starts(SdcHost *host, int32_t lists)
{
	int32_t *start = sdc_new(host, int32_t, (size_t) lists + 2);

	memset(start, 0, sizeof(int32_t) * ((size_t) lists + 2));
	return start;
}

/* Makes the two ways: entries of a customer, entries of an item. */
static void
index_entries(Similarity *s)
{
	const SdcItemQuantities *from = s->from;
	int32_t *next;
	int32_t i;
	int32_t r;

	s->first = similarity_new_starts(s->host, from->customers);
	s->start = similarity_new_starts(s->host, from->items);
	next = sdc_new(s->host, int32_t, (size_t) from->items + 1);
	for (r = 0; r < from->entries; r++)
	{
		s->first[from->customer[r] + 1]++;
		s->start[from->item[r] + 1]++;
	}
	for (i = 0; i < from->customers; i++)
		s->first[i + 1] += s->first[i];
	for (i = 0; i < from->items; i++)
	{
		s->start[i + 1] += s->start[i];
		next[i] = s->start[i];
	}
	for (r = 0; r < from->entries; r++)
		s->entry[next[from->item[r]]++] = r;
	s->host->release(s->host, next);
}

static Similarity
prepare(SdcHost *host, const SdcItemQuantities *from, const bool *chosen,
		double most)
{
	Similarity s;
	int32_t i;
	int32_t r;

	s.host = host;
	s.from = from;
	s.chosen = chosen;
	s.most = most;
	s.met = 0;
	s.work = 0;
	s.entry = sdc_new(host, int32_t, (size_t) from->entries + 1);
	s.norm = sdc_new(host, double, (size_t) from->items + 1);
	s.product = sdc_new(host, double, (size_t) from->items + 1);
	s.touched = sdc_new(host, int32_t, (size_t) from->items + 1);
	index_entries(&s);
	for (i = 0; i < from->items; i++)
	{
		double square = 0;

		for (r = s.start[i]; r < s.start[i + 1]; r++)
			if (counts(&s, s.entry[r]))
				square +=
					from->quantity[s.entry[r]] * from->quantity[s.entry[r]];
		s.norm[i] = sqrt(square);
		s.product[i] = 0;
	}
	return s;
}

static void
release(Similarity *s)
{
	s->host->release(s->host, s->first);
	s->host->release(s->host, s->start);
	s->host->release(s->host, s->entry);
	s->host->release(s->host, s->norm);
	s->host->release(s->host, s->product);
	s->host->release(s->host, s->touched);
}

/* Computes the products of an item with those behind it. */
static void
fill_row(Similarity *s, int32_t item)
{
	const SdcItemQuantities *from = s->from;
	int32_t e;
	int32_t r;

	s->met = 0;
	for (e = s->start[item]; e < s->start[item + 1]; e++)
	{
		int32_t own = s->entry[e];
		int32_t end = s->first[from->customer[own] + 1];

		if (!counts(s, own))
			continue;
		s->work += (uint64_t) (end - own);
		if (s->work >= SDC_POLL_STEPS)
		{
			s->work = 0;
			s->host->poll(s->host, (uint64_t) item, (uint64_t) from->items);
		}
		for (r = own + 1; r < end; r++)
		{
			double more = from->quantity[own] * from->quantity[r];

			if (!counts(s, r) || more == 0)
				continue;
			if (s->product[from->item[r]] == 0)
				s->touched[s->met++] = from->item[r];
			s->product[from->item[r]] += more;
		}
	}
}

static double
cosine(const Similarity *s, int32_t a, int32_t b)
{
	double scale = s->norm[a] * s->norm[b];

	return scale == 0 ? 0 : s->product[b] / scale;
}

/* Adds one row of both files to the sums, and clears it. */
static void
compare_row(Similarity *original, Similarity *masked, int32_t item,
			double *differ, double *whole)
{
	int32_t i;

	fill_row(original, item);
	fill_row(masked, item);
	for (i = 0; i < original->met; i++)
	{
		int32_t other = original->touched[i];
		double w = cosine(original, item, other);

		*whole += w;
		*differ += fabs(w - cosine(masked, item, other));
		original->product[other] = 0;
		masked->product[other] = 0;
	}
	/* what only the masked file has */
	for (i = 0; i < masked->met; i++)
	{
		*differ += fabs(cosine(masked, item, masked->touched[i]));
		masked->product[masked->touched[i]] = 0;
	}
}

double
sdc_item_similarity_error(SdcHost *host, const SdcItemQuantities *original,
						  const SdcItemQuantities *masked, const bool *chosen,
						  double most)
{
	Similarity before = prepare(host, original, chosen, most);
	Similarity after = prepare(host, masked, chosen, most);
	double differ = 0;
	double whole = 0;
	int32_t i;

	host->stage(host, "comparing items");
	for (i = 0; i < original->items; i++)
		compare_row(&before, &after, i, &differ, &whole);
	release(&before);
	release(&after);
	if (differ == 0)
		return 0;
	return differ < whole ? differ / whole : 1;
}

typedef struct Ranking
{
	int32_t *customers;
} Ranking;

static int
compare_customers(int32_t a, int32_t b, void *arg)
{
	const int32_t *customers = ((Ranking *) arg)->customers;

	if (customers[a] != customers[b])
		return customers[a] > customers[b] ? -1 : 1;
	return a < b ? -1 : a > b;
}

int32_t
sdc_item_similarity_top(SdcHost *host, const SdcItemQuantities *quantities,
						int32_t k, bool *chosen)
{
	int32_t items = quantities->items;
	Ranking ranking = {similarity_new_starts(host, items)};
	int32_t *row = sdc_new(host, int32_t, (size_t) items + 1);
	int32_t found = 0;
	int32_t i;

	for (i = 0; i < quantities->entries; i++)
		ranking.customers[quantities->item[i]]++;
	for (i = 0; i < items; i++)
	{
		row[i] = i;
		chosen[i] = false;
	}
	sdc_sort_rows(host, row, (size_t) items, compare_customers, &ranking);
	for (i = 0; i < items && i < k && ranking.customers[row[i]] > 0; i++)
	{
		chosen[row[i]] = true;
		found++;
	}
	host->release(host, ranking.customers);
	host->release(host, row);
	return found;
}

/* ----------------------------------------------------------------------
 * The sets of items that are most like a given one, with all ties.
 *
 * The lists of the inverted index are walked from the rarest item on.  What
 * has been met is compared once and exactly; what has not can share no more
 * than the items still to come, which soon is too little.
 * ----------------------------------------------------------------------
 */

/* Units of a weight. */
#define WEIGHT_UNITS 1048576.0

int64_t *
sdc_nearest_sets_weights(SdcHost *host, const SdcItemSets *sets)
{
	int64_t n = sets->start[sets->sets];
	int64_t *weight = sdc_new(host, int64_t, (size_t) sets->items + 1);
	int64_t r;
	int32_t j;

	memset(weight, 0, sizeof(int64_t) * ((size_t) sets->items + 1));
	for (r = 0; r < n; r++)
		weight[sets->item[r]]++;
	for (j = 0; j < sets->items; j++)
	{
		double frequency = weight[j] == 0 ? 1 : (double) weight[j];

		if (j % SDC_POLL_STEPS == 0)
			host->poll(host, j, sets->items);
		weight[j] =
			sets->sets == 0
				? 0
				: (int64_t) floor(sdc_random_log(sets->sets / frequency) *
									  WEIGHT_UNITS +
								  0.5);
	}
	return weight;
}

static int64_t
weight_of(const SdcNearestSets *search, int32_t item)
{
	return search->weight == NULL ? 1 : search->weight[item];
}

SdcNearestSets
sdc_nearest_sets_create(SdcHost *host, const SdcItemSets *to,
						const int64_t *weight, bool containment,
						uint64_t searches)
{
	SdcNearestSets search;
	int64_t r;
	int32_t i;

	memset(&search, 0, sizeof(search));
	search.host = host;
	search.to = to;
	search.index = sdc_item_sets_invert(host, to);
	search.weight = weight;
	search.containment = containment;
	search.total = sdc_new(host, int64_t, (size_t) to->sets + 1);
	search.seen = sdc_new(host, int32_t, (size_t) to->sets + 1);
	search.marked = sdc_new(host, int32_t, (size_t) to->items + 1);
	search.rarest = sdc_new(host, int32_t, (size_t) to->items + 1);
	search.row = sdc_new(host, int32_t, (size_t) to->sets + 1);
	search.searches = searches;
	memset(search.seen, 0, sizeof(int32_t) * ((size_t) to->sets + 1));
	memset(search.marked, 0, sizeof(int32_t) * ((size_t) to->items + 1));
	for (i = 0; i < to->sets; i++)
	{
		search.total[i] = 0;
		for (r = to->start[i]; r < to->start[i + 1]; r++)
			search.total[i] += weight_of(&search, to->item[r]);
	}
	return search;
}

/* Forgets what was found and keeps a row, when it is the most like so far. */
static void
consider(SdcNearestSets *search, int32_t row, double likeness)
{
	if (likeness < search->likeness)
		return;
	if (likeness > search->likeness)
		search->rows = 0;
	search->likeness = likeness;
	search->row[search->rows++] = row;
}

/* Everybody is equally far. */
static void
find_all(SdcNearestSets *search)
{
	int32_t i;

	search->likeness = 0;
	search->rows = search->to->sets;
	for (i = 0; i < search->rows; i++)
		search->row[i] = i;
}

/* The nearest to a set without weight. */
static void
find_empty(SdcNearestSets *search)
{
	int32_t i;

	if (!search->containment)
		for (i = 0; i < search->to->sets; i++)
			if (search->total[i] == 0)
				consider(search, i, 1);
	if (search->rows == 0)
		find_all(search);
}

/* The likeness of two sets by their weights and that of what they share. */
static double
likeness_of(const SdcNearestSets *search, int64_t own, int64_t other,
			int64_t shared)
{
	int64_t whole = search->containment ? own : own + other - shared;

	return (double) shared / (double) whole;
}

/* Compares with a set that was met for the first time. */
static void
compare(SdcNearestSets *search, int32_t row, int64_t own, int64_t left)
{
	const SdcItemSets *to = search->to;
	int64_t other = search->total[row];
	int64_t most = left < other ? left : other;
	int64_t shared = 0;
	int64_t r;

	if (likeness_of(search, own, other, most) < search->likeness)
		return;
	for (r = to->start[row]; r < to->start[row + 1]; r++)
		if (search->marked[to->item[r]] == search->search)
			shared += weight_of(search, to->item[r]);
	search->work += (uint64_t) (to->start[row + 1] - to->start[row]);
	consider(search, row, likeness_of(search, own, other, shared));
}

static int
compare_rarity(int32_t a, int32_t b, void *arg)
{
	const SdcItemSets *index = arg;
	int32_t x = sdc_item_sets_size(index, a);
	int32_t y = sdc_item_sets_size(index, b);

	return x != y ? (x < y ? -1 : 1) : (a < b ? -1 : a > b);
}

static int
compare_rows(int32_t a, int32_t b, void *arg)
{
	(void) arg;
	return a < b ? -1 : a > b;
}

/* Looks at the sets with an item; left is the weight from it on. */
static void
walk(SdcNearestSets *search, int32_t item, int64_t own, int64_t left)
{
	const SdcItemSets *index = &search->index;
	int64_t r;

	for (r = index->start[item]; r < index->start[item + 1]; r++)
	{
		int32_t row = index->item[r];

		if (search->work++ >= SDC_POLL_STEPS)
		{
			search->work = 0;
			search->host->poll(search->host, search->search, search->searches);
		}
		if (search->seen[row] == search->search)
			continue;
		search->seen[row] = search->search;
		compare(search, row, own, left);
	}
}

void
sdc_nearest_sets_find(SdcNearestSets *search, const int32_t *item, int32_t n)
{
	int64_t own = 0;
	int64_t left;
	int32_t a;

	search->search++;
	search->rows = 0;
	search->likeness = 0;
	for (a = 0; a < n; a++)
	{
		search->marked[item[a]] = search->search;
		search->rarest[a] = item[a];
		own += weight_of(search, item[a]);
	}
	if (own == 0)
	{
		find_empty(search);
		return;
	}
	sdc_sort_rows(search->host, search->rarest, n, compare_rarity,
				  &search->index);
	left = own;
	for (a = 0; a < n; a++)
	{
		if (likeness_of(search, own, left, left) < search->likeness)
			break;
		if (weight_of(search, search->rarest[a]) > 0)
			walk(search, search->rarest[a], own, left);
		left -= weight_of(search, search->rarest[a]);
	}
	if (search->likeness == 0)
		find_all(search);
	else
		sdc_sort_rows(search->host, search->row, search->rows, compare_rows,
					  NULL);
}
