/*
 * item_similarity.c
 *		Which items are bought by the same customers, in two files.
 *
 * One row of W at a time: the customers of an item, and what else they
 * bought.  Sums are taken in the order of customers and items.
 */
#include <math.h>
#include <string.h>

#include "kernel/base/sort.h"
#include "kernel/transaction/item_similarity.h"

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
new_starts(SdcHost *host, int32_t lists)
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

	s->first = new_starts(s->host, from->customers);
	s->start = new_starts(s->host, from->items);
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
	Ranking ranking = {new_starts(host, items)};
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
