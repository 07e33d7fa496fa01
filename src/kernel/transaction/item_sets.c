/*
 * item_sets.c
 *		Sets of items, one for each customer, and who has an item; who is who
 *		by such sets, and by whatever is known of a person's events.
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
 *
 * Both ways of the table are made by counting: the pairs are dealt out by
 * item, then these lists, in the order of the items, by set.
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

/* ----------------------------------------------------------------------
 * Who is who by what is known of a person's events, through several channels
 * at once.
 *
 * A record shows a set of marks.  If it is a person's, each of his marks is in
 * it with the chance keep, and any other mark with `extra` times the chance u
 * that the mark has in any record.  Against a record of somebody else this is
 * worth
 *
 *   keep / u              for a mark of both,
 *   (1 - keep) / (1 - u)  for one that only the person has,
 *   extra                 for one that only the record has,
 *   (1 - extra u) / (1 - u) for one that neither has,
 *
 * so a rare day in both is worth much and a common one little.  The sum of the
 * logarithms is one of the person, one of the record, and one over the marks
 * that both have, which the inverted index gives.  A number is worth the
 * density of Cauchy's law at its move.  Channels add up, as if they knew
 * nothing of each other (naive Bayes).
 * ----------------------------------------------------------------------
 */

/* No chance is believed to be nearer to 0 or 1 than that. */
#define LEAST_KEEP   0.01
#define LEAST_EXTRA  0.001
#define LEAST_SPREAD 1e-6

double
sdc_event_scale(double x)
{
	double log = sdc_random_log(1 + fabs(x));

	return x < 0 ? -log : log;
}

static double
between(double x, double low, double high)
{
	return x < low ? low : x > high ? high : x;
}

/* ----------------------------------------------------------------------
 * What is believed of the channels, made into sums.
 * ----------------------------------------------------------------------
 */

/* How often the records show each mark; one that none shows is rare. */
static double *
count_shares(SdcHost *host, const SdcItemSets *shown)
{
	double *share = sdc_new(host, double, (size_t) shown->items + 1);
	int64_t r;
	int32_t t;

	memset(share, 0, sizeof(double) * ((size_t) shown->items + 1));
	for (r = 0; r < shown->start[shown->sets]; r++)
		share[shown->item[r]]++;
	for (t = 0; t < shown->items; t++)
		share[t] = (share[t] + 0.5) / (shown->sets + 1.0);
	return share;
}

/* Lists the persons of each part. */
static void
list_parts(SdcEventIntruder *intruder)
{
	SdcHost *host = intruder->host;
	const SdcEventFiles *files = intruder->files;
	size_t parts = (size_t) files->parts;
	int32_t *next = sdc_new(host, int32_t, parts + 1);
	int32_t i;

	intruder->first = sdc_new(host, int32_t, parts + 2);
	intruder->member = sdc_new(host, int32_t, (size_t) files->persons + 1);
	memset(intruder->first, 0, sizeof(int32_t) * (parts + 2));
	for (i = 0; i < files->persons; i++)
		intruder->first[files->person_part ? files->person_part[i] + 1 : 1]++;
	for (i = 0; i < files->parts; i++)
	{
		intruder->first[i + 1] += intruder->first[i];
		next[i] = intruder->first[i];
	}
	for (i = 0; i < files->persons; i++)
		intruder
			->member[next[files->person_part ? files->person_part[i] : 0]++] =
			i;
	host->release(host, next);
}

/* Sets the weights of the marks of a channel, and adds to the persons'. */
static void
weigh_channel(SdcEventIntruder *intruder, int c)
{
	const SdcItemSets *known = &intruder->files->channel[c].known;
	const SdcEventLaw *law = &intruder->law[c];
	const double *share = intruder->share[c];
	double *weight = intruder->weight[c];
	double *miss = sdc_new(intruder->host, double, (size_t) known->items + 1);
	double extra = sdc_random_log(law->extra);
	int32_t i;
	int64_t r;

	for (i = 0; i < known->items; i++)
	{
		double neither =
			sdc_random_log((1 - law->extra * share[i]) / (1 - share[i]));

		if (i % SDC_POLL_STEPS == 0)
			intruder->host->poll(intruder->host, (uint64_t) i,
								 (uint64_t) known->items);
		miss[i] = sdc_random_log((1 - law->keep) / (1 - share[i])) - neither;
		weight[i] = sdc_random_log(law->keep / share[i]) - extra - miss[i];
	}
	for (i = 0; i < known->sets; i++)
		for (r = known->start[i]; r < known->start[i + 1]; r++)
			intruder->base[i] += miss[known->item[r]];
	intruder->host->release(intruder->host, miss);
}

static void
weigh(SdcEventIntruder *intruder)
{
	const SdcEventFiles *files = intruder->files;
	int c;

	memset(intruder->base, 0, sizeof(double) * ((size_t) files->persons + 1));
	for (c = 0; c < files->channels; c++)
		if (!files->channel[c].is_number)
			weigh_channel(intruder, c);
}

SdcEventIntruder
sdc_event_intruder_create(SdcHost *host, const SdcEventFiles *files)
{
	static const SdcEventLaw nothing = {0.9, 0.1, 0, 0.1};
	size_t persons = (size_t) files->persons + 1;
	size_t channels = (size_t) files->channels + 1;
	SdcEventIntruder intruder;
	int c;

	memset(&intruder, 0, sizeof(intruder));
	intruder.host = host;
	intruder.files = files;
	intruder.law = sdc_new(host, SdcEventLaw, channels);
	intruder.index = sdc_new(host, SdcItemSets, channels);
	intruder.share = sdc_new(host, double *, channels);
	intruder.weight = sdc_new(host, double *, channels);
	intruder.base = sdc_new(host, double, persons);
	intruder.score = sdc_new(host, double, persons);
	intruder.row = sdc_new(host, int32_t, persons);
	for (c = 0; c < files->channels; c++)
	{
		const SdcEventChannel *channel = &files->channel[c];

		intruder.law[c] = nothing;
		if (channel->is_number)
			continue;
		intruder.index[c] = sdc_item_sets_invert(host, &channel->known);
		intruder.share[c] = count_shares(host, &channel->shown);
		intruder.weight[c] =
			sdc_new(host, double, (size_t) channel->known.items + 1);
	}
	list_parts(&intruder);
	weigh(&intruder);
	return intruder;
}

/* ----------------------------------------------------------------------
 * A record against all persons of its part.
 * ----------------------------------------------------------------------
 */

static void
poll(SdcEventIntruder *intruder, uint64_t steps)
{
	uint64_t before = intruder->work / SDC_POLL_STEPS;

	intruder->work += steps;
	if (intruder->work / SDC_POLL_STEPS != before)
		intruder->host->poll(intruder->host, intruder->work, 0);
}

/* Adds the marks that a record shares with persons. */
static void
add_marks(SdcEventIntruder *intruder, int c, int32_t record)
{
	const SdcItemSets *shown = &intruder->files->channel[c].shown;
	const SdcItemSets *index = &intruder->index[c];
	double *score = intruder->score;
	int64_t r;
	int64_t p;

	for (r = shown->start[record]; r < shown->start[record + 1]; r++)
	{
		int32_t mark = shown->item[r];
		double weight = intruder->weight[c][mark];

		poll(intruder, (uint64_t) sdc_item_sets_size(index, mark));
		for (p = index->start[mark]; p < index->start[mark + 1]; p++)
			score[index->item[p]] += weight;
	}
}

/* Adds how likely the move of a number is. */
static void
add_number(SdcEventIntruder *intruder, int c, int32_t record, int32_t part)
{
	const SdcEventChannel *channel = &intruder->files->channel[c];
	const SdcEventLaw *law = &intruder->law[c];
	double shown = channel->shown_number[record];
	int32_t m;

	if (isnan(shown))
		return;
	for (m = intruder->first[part]; m < intruder->first[part + 1]; m++)
	{
		int32_t i = intruder->member[m];
		double move =
			(shown - channel->known_number[i] - law->middle) / law->spread;

		if (!isnan(move))
			intruder->score[i] -= sdc_random_log(1 + move * move);
	}
}

static int32_t
part_of(const SdcEventIntruder *intruder, int32_t record)
{
	const int32_t *part = intruder->files->record_part;

	return part == NULL ? 0 : part[record];
}

static void
score_record(SdcEventIntruder *intruder, int32_t record)
{
	const SdcEventFiles *files = intruder->files;
	int32_t part = part_of(intruder, record);
	int32_t m;
	int c;

	for (m = intruder->first[part]; m < intruder->first[part + 1]; m++)
		intruder->score[intruder->member[m]] =
			intruder->base[intruder->member[m]];
	poll(intruder,
		 (uint64_t) (intruder->first[part + 1] - intruder->first[part]));
	for (c = 0; c < files->channels; c++)
		if (files->channel[c].is_number)
			add_number(intruder, c, record, part);
		else
			add_marks(intruder, c, record);
}

void
sdc_event_intruder_best(SdcEventIntruder *intruder, int32_t record)
{
	int32_t part = part_of(intruder, record);
	int32_t m;

	score_record(intruder, record);
	intruder->rows = 0;
	for (m = intruder->first[part]; m < intruder->first[part + 1]; m++)
	{
		int32_t i = intruder->member[m];

		if (intruder->rows > 0 && intruder->score[i] < intruder->best)
			continue;
		if (intruder->rows > 0 && intruder->score[i] > intruder->best)
			intruder->rows = 0;
		intruder->best = intruder->score[i];
		intruder->row[intruder->rows++] = i;
	}
}

/* ----------------------------------------------------------------------
 * The laws, from the links that are believed so far.
 * ----------------------------------------------------------------------
 */

/* What was counted of a channel of sets. */
typedef struct Count
{
	double kept;  /* marks of both */
	double had;   /* marks of the persons */
	double added; /* marks of the records only */
	double room;  /* how many there would be, were they anybody's records */
} Count;

/* The number of marks of both of two sets. */
static int32_t
count_shared(const SdcItemSets *a, int32_t i, const SdcItemSets *b, int32_t j)
{
	int64_t p = a->start[i];
	int64_t q = b->start[j];
	int32_t shared = 0;

	while (p < a->start[i + 1] && q < b->start[j + 1])
	{
		int32_t x = a->item[p];
		int32_t y = b->item[q];

		shared += x == y;
		p += x <= y;
		q += y <= x;
	}
	return shared;
}

static void
count_marks(const SdcEventIntruder *intruder, int c, int32_t person,
			int32_t record, Count *count)
{
	const SdcEventChannel *channel = &intruder->files->channel[c];
	const SdcItemSets *known = &channel->known;
	const SdcItemSets *shown = &channel->shown;
	int32_t shared = count_shared(known, person, shown, record);
	double room = (double) shown->start[shown->sets] / shown->sets;
	int64_t r;

	for (r = known->start[person]; r < known->start[person + 1]; r++)
		room -= intruder->share[c][known->item[r]];
	count->kept += shared;
	count->had += sdc_item_sets_size(known, person);
	count->added += sdc_item_sets_size(shown, record) - shared;
	count->room += room > 0 ? room : 0;
}

static void
fit_marks(SdcEventLaw *law, const Count *count)
{
	if (count->had > 0)
		law->keep =
			between(count->kept / count->had, LEAST_KEEP, 1 - LEAST_KEEP);
	if (count->room > 0)
		law->extra = between(count->added / count->room, LEAST_EXTRA, 1);
}

/* The middle of n numbers, which are put in order. */
static double
median(SdcHost *host, double *x, int32_t n)
{
	if (n == 0)
		return 0;
	sdc_select_record(host, x, 1, n, n / 2, 0);
	return x[n / 2];
}

static void
fit_number(SdcEventIntruder *intruder, int c, const int32_t *record,
		   const int32_t *person, int32_t links)
{
	SdcHost *host = intruder->host;
	const SdcEventChannel *channel = &intruder->files->channel[c];
	SdcEventLaw *law = &intruder->law[c];
	double *move = sdc_new(host, double, (size_t) links + 1);
	int32_t n = 0;
	int32_t k;

	for (k = 0; k < links; k++)
	{
		double x = channel->shown_number[record[k]] -
				   channel->known_number[person[k]];

		if (!isnan(x))
			move[n++] = x;
	}
	law->middle = median(host, move, n);
	for (k = 0; k < n; k++)
		move[k] = fabs(move[k] - law->middle);
	law->spread = between(median(host, move, n), LEAST_SPREAD, 1e6);
	host->release(host, move);
}

/* Links every step-th record to the first of the best persons. */
static int32_t
link_some(SdcEventIntruder *intruder, int32_t step, int32_t *record,
		  int32_t *person)
{
	int32_t links = 0;
	int32_t j;

	for (j = 0; j < intruder->files->records; j += step)
	{
		sdc_event_intruder_best(intruder, j);
		if (intruder->rows == 0)
			continue;
		record[links] = j;
		person[links++] = intruder->row[0];
	}
	return links;
}

void
sdc_event_intruder_fit(SdcEventIntruder *intruder, int rounds, int32_t most)
{
	SdcHost *host = intruder->host;
	const SdcEventFiles *files = intruder->files;
	int32_t step = files->records / most + 1;
	size_t room = (size_t) (files->records / step) + 2;
	int32_t *record = sdc_new(host, int32_t, room);
	int32_t *person = sdc_new(host, int32_t, room);
	int round;

	host->stage(host, "learning what was masked");
	for (round = 0; round < rounds; round++)
	{
		int32_t links = link_some(intruder, step, record, person);
		int c;

		for (c = 0; c < files->channels; c++)
		{
			Count count = {0};
			int32_t k;

			if (files->channel[c].is_number)
			{
				fit_number(intruder, c, record, person, links);
				continue;
			}
			for (k = 0; k < links; k++)
				count_marks(intruder, c, person[k], record[k], &count);
			fit_marks(&intruder->law[c], &count);
		}
		weigh(intruder);
	}
	host->release(host, record);
	host->release(host, person);
}

/* ----------------------------------------------------------------------
 * One to one.
 * ----------------------------------------------------------------------
 */

typedef struct Listing
{
	SdcEventIntruder *intruder;
	uint64_t *key;
	int32_t *place;
} Listing;

/* Is a person in the part of a record? */
static bool
is_of_part(const SdcEventIntruder *intruder, int32_t person, int32_t part)
{
	const int32_t *own = intruder->files->person_part;

	return own == NULL || own[person] == part;
}

/*
 * The best persons of a record, as sdc_link_assign_lists asks for them: in the
 * order by chance that it has, so that no tie is broken by the files' order.
 */
static int32_t
list_best(void *arg, const SdcLinkOrder *order, int32_t person, int32_t most,
		  int32_t *place, double *cost)
{
	Listing *listing = arg;
	SdcEventIntruder *intruder = listing->intruder;
	int32_t record = order->person[person];
	int32_t part = part_of(intruder, record);
	int32_t n = 0;
	int32_t k;

	sdc_event_intruder_best(intruder, record);
	for (k = 0; k < order->records; k++)
	{
		int32_t i = order->record[k];

		if (!is_of_part(intruder, i, part))
			continue;
		listing->key[n] = sdc_sort_key(-intruder->score[i]);
		listing->place[n++] = k;
	}
	if (n > most)
		sdc_sort_keys(intruder->host, listing->key, listing->place,
					  (size_t) n);
	for (k = 0; k < n && k < most; k++)
	{
		place[k] = listing->place[k];
		cost[k] = intruder->best - intruder->score[order->record[place[k]]];
	}
	return k;
}

SdcLinkAssignment
sdc_event_intruder_assign(SdcEventIntruder *intruder, uint64_t seed)
{
	SdcHost *host = intruder->host;
	const SdcEventFiles *files = intruder->files;
	int32_t more =
		files->persons > files->records ? files->persons : files->records;
	int32_t *point = sdc_new(host, int32_t, (size_t) more + 1);
	Listing listing = {intruder,
					   sdc_new(host, uint64_t, (size_t) files->persons + 1),
					   sdc_new(host, int32_t, (size_t) files->persons + 1)};
	SdcLinkSides sides = {
		{files->records, files->persons}, {point, point}, list_best, &listing};
	SdcLinkAssignment assignment;

	memset(point, 0, sizeof(int32_t) * ((size_t) more + 1));
	assignment = sdc_link_assign_lists(host, &sides, seed);
	host->release(host, listing.key);
	host->release(host, listing.place);
	host->release(host, point);
	return assignment;
}
