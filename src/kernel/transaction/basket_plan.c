/*
 * basket_plan.c
 *		Pieces and turnover of customers, moved so that totals stay; the sets
 *		of items that they move around.
 *
 * All figures are whole numbers, and what one customer gives another one
 * takes; so every total is kept to the last unit.
 */
#include <math.h>
#include <string.h>

#include "kernel/base/heap.h"
#include "kernel/base/host.h"
#include "kernel/base/random.h"
#include "kernel/transaction/basket_plan.h"
#include "kernel/transaction/item_sets.h"

/* ----------------------------------------------------------------------
 * Pieces and turnover of customers, moved so that totals stay.
 * ----------------------------------------------------------------------
 */

static int64_t
least_of(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

static int64_t
over(const SdcBasketPlan *plan, int32_t i)
{
	return plan->pieces[i] - plan->need[i];
}

/* What a group has over, lacks, and will move. */
typedef struct Group
{
	int64_t surplus;
	int64_t lack;
	int64_t moved;
	int64_t given; /* so far */
	int64_t taken;
} Group;

static Group *
sum_groups(SdcHost *host, const SdcBasketPlan *plan, const int32_t *group,
		   int32_t groups)
{
	Group *sum = sdc_new(host, Group, (size_t) groups + 1);
	int32_t g;
	int32_t i;

	memset(sum, 0, sizeof(Group) * ((size_t) groups + 1));
	for (i = 0; i < plan->customers; i++)
		if (over(plan, i) > 0)
			sum[group[i]].surplus += over(plan, i);
		else
			sum[group[i]].lack -= over(plan, i);
	for (g = 0; g < groups; g++)
		sum[g].moved = least_of(sum[g].surplus, sum[g].lack);
	return sum;
}

/* What a customer gives in proportion to what it has over. */
static int64_t
proportional(const Group *group, int64_t own)
{
	double share = (double) group->moved / (double) group->surplus;

	return least_of((int64_t) floor((double) own * share),
					group->moved - group->given);
}

int64_t
sdc_basket_plan_balance(SdcHost *host, SdcBasketPlan *plan,
						const int32_t *group, int32_t groups)
{
	Group *sum = sum_groups(host, plan, group, groups);
	int64_t missing = 0;
	int32_t g;
	int32_t i;
	int round;

	/* first in proportion, then what rounding has left */
	for (round = 0; round < 2; round++)
		for (i = 0; i < plan->customers; i++)
		{
			Group *own = &sum[group[i]];
			int64_t more = over(plan, i);

			if (i % SDC_POLL_STEPS == 0)
				host->poll(host, 0, 0);
			if (more <= 0 || own->moved == 0)
				continue;
			more = round == 0 ? proportional(own, more)
							  : least_of(more, own->moved - own->given);
			plan->pieces[i] -= more;
			own->given += more;
		}
	for (i = 0; i < plan->customers; i++)
	{
		Group *own = &sum[group[i]];
		int64_t lack = -over(plan, i);

		if (lack <= 0)
			continue;
		lack = least_of(lack, own->moved - own->taken);
		plan->pieces[i] += lack;
		own->taken += lack;
	}
	for (g = 0; g < groups; g++)
		missing += sum[g].lack - sum[g].taken;
	host->release(host, sum);
	return missing;
}

/* One customer gives pieces to another; true when any were given. */
static bool
give_pieces(SdcBasketPlan *plan, int32_t from, int32_t to, double share,
			SdcRandom *random)
{
	int64_t smaller = least_of(plan->pieces[from], plan->pieces[to]);
	int64_t most =
		least_of((int64_t) floor((double) smaller * share), over(plan, from));
	int64_t given;

	if (most <= 0)
		return false;
	given = 1 + (int64_t) sdc_random_below(random, (uint64_t) most);
	plan->pieces[from] -= given;
	plan->pieces[to] += given;
	return true;
}

/* One customer gives turnover to another; true when any was given. */
static bool
give_amount(SdcBasketPlan *plan, int32_t from, int32_t to, double share,
			int64_t most, SdcRandom *random)
{
	int64_t smaller = least_of(plan->amount[from], plan->amount[to]);
	int64_t given = least_of((int64_t) floor((double) smaller * share), most);

	given = least_of(given, plan->amount[from] - plan->pieces[from]);
	if (given <= 0)
		return false;
	given = 1 + (int64_t) sdc_random_below(random, (uint64_t) given);
	plan->amount[from] -= given;
	plan->amount[to] += given;
	return true;
}

/* Moves the customers of one group, in an order drawn at random. */
static int32_t
move_group(SdcBasketPlan *plan, int32_t *member, int32_t n, double share,
		   int64_t most, SdcRandom *random)
{
	int32_t first = (n / 4) * 2; /* the half of step 1, in pairs */
	int32_t moved = 0;
	int32_t i;

	for (i = n - 1; i > 0; i--)
	{
		int32_t j = (int32_t) sdc_random_below(random, (uint64_t) i + 1);
		int32_t other = member[i];

		member[i] = member[j];
		member[j] = other;
	}
	for (i = 0; i + 1 < first; i += 2)
		if (give_pieces(plan, member[i], member[i + 1], share, random))
			moved += 2;
	for (i = first; i + 1 < n; i += 2)
		if (give_amount(plan, member[i], member[i + 1], share, most, random))
			moved += 2;
	return moved;
}

int32_t
sdc_basket_plan_move(SdcHost *host, SdcBasketPlan *plan, const int32_t *group,
					 int32_t groups, double share, int64_t most,
					 SdcRandom *random)
{
	int32_t *start = sdc_new(host, int32_t, (size_t) groups + 2);
	int32_t *member = sdc_new(host, int32_t, (size_t) plan->customers + 1);
	int32_t moved = 0;
	int32_t g;
	int32_t i;

	memset(start, 0, sizeof(int32_t) * ((size_t) groups + 2));
	for (i = 0; i < plan->customers; i++)
		start[group[i] + 2]++;
	for (g = 0; g < groups; g++)
		start[g + 2] += start[g + 1];
	for (i = 0; i < plan->customers; i++)
		member[start[group[i] + 1]++] = i;
	for (g = 0; g < groups; g++)
	{
		host->poll(host, (uint64_t) g, (uint64_t) groups);
		moved += move_group(plan, member + start[g], start[g + 1] - start[g],
							share, most, random);
	}
	host->release(host, start);
	host->release(host, member);
	return moved;
}

/* The sums of the clusters, as if each of them were a customer. */
static SdcBasketPlan
sum_clusters(SdcHost *host, const SdcBasketPlan *plan, const int32_t *cluster,
			 int32_t clusters, int32_t *size)
{
	size_t room = (size_t) clusters + 1;
	int64_t *need = sdc_new(host, int64_t, room);
	SdcBasketPlan sums = {clusters, need, sdc_new(host, int64_t, room),
						  sdc_new(host, int64_t, room)};
	int32_t i;

	memset(size, 0, sizeof(int32_t) * room);
	memset(need, 0, sizeof(int64_t) * room);
	memset(sums.pieces, 0, sizeof(int64_t) * room);
	memset(sums.amount, 0, sizeof(int64_t) * room);
	for (i = 0; i < plan->customers; i++)
	{
		size[cluster[i]]++;
		need[cluster[i]] += plan->need[i];
		sums.pieces[cluster[i]] += plan->pieces[i];
		sums.amount[cluster[i]] += plan->amount[i];
	}
	return sums;
}

/*
 * Takes the part of one of so many that are left of a total: each is as likely
 * as any other to get one of the units that cannot be parted.
 */
static int64_t
take_part(int64_t *total, int32_t left, SdcRandom *random)
{
	int64_t part = *total / left;

	part +=
		(int64_t) sdc_random_below(random, (uint64_t) left) < *total % left;
	*total -= part;
	return part;
}

int64_t
sdc_basket_plan_share(SdcHost *host, SdcBasketPlan *plan,
					  const int32_t *cluster, int32_t clusters,
					  SdcRandom *random)
{
	int32_t *left = sdc_new(host, int32_t, (size_t) clusters + 1);
	int32_t *all = sdc_new(host, int32_t, (size_t) clusters + 1);
	SdcBasketPlan sums = sum_clusters(host, plan, cluster, clusters, left);
	int64_t missing;
	int32_t i;

	memset(all, 0, sizeof(int32_t) * ((size_t) clusters + 1));
	missing = sdc_basket_plan_balance(host, &sums, all, 1);
	for (i = 0; i < clusters; i++)
		if (sums.pieces[i] < sums.need[i])
			sums.pieces[i] = sums.need[i];
	for (i = 0; i < plan->customers; i++)
	{
		int32_t c = cluster[i];

		if (i % SDC_POLL_STEPS == 0)
			host->poll(host, 0, 0);
		plan->pieces[i] = take_part(&sums.pieces[c], left[c], random);
		plan->amount[i] = take_part(&sums.amount[c], left[c], random);
		left[c]--;
	}
	host->release(host, left);
	host->release(host, all);
	host->release(host, (void *) sums.need);
	host->release(host, sums.pieces);
	host->release(host, sums.amount);
	return missing;
}

/* The part that has most over its minimum, the first of equal ones. */
static int32_t
most_over(int32_t n, const int64_t *part, const int64_t *minimum)
{
	int32_t best = 0;
	int32_t i;

	for (i = 1; i < n; i++)
		if (part[i] - minimum[i] > part[best] - minimum[best])
			best = i;
	return best;
}

/*
 * Splits a total into n parts near ideal[], each at least minimum[]; the sum
 * of these must not be more than the total.  What rounding leaves goes to the
 * part with the largest ideal, the first of equal ones; where minimum is more
 * than ideal it is taken from the parts that have most over.  ratio times
 * ideal[] is what the parts are rounded down from.  O(n) but for parts that
 * are below their minimum, O(n) each.
 */
static void
basket_plan_split(int64_t total, int32_t n, const int64_t *ideal, double ratio,
				  const int64_t *minimum, int64_t *part)
{
	int64_t left = total;
	int32_t largest = 0;
	int32_t i;

	for (i = 0; i < n; i++)
	{
		part[i] = (int64_t) floor((double) ideal[i] * ratio);
		if (part[i] < minimum[i])
			part[i] = minimum[i];
		left -= part[i];
		if (ideal[i] > ideal[largest])
			largest = i;
	}
	if (left > 0)
		part[largest] += left;
	while (left < 0)
	{
		int32_t from = most_over(n, part, minimum);
		int64_t taken = least_of(-left, part[from] - minimum[from]);

		part[from] -= taken;
		left += taken;
	}
}

/* ----------------------------------------------------------------------
 * New baskets: rows with the items of a set and a customer's own days.
 *
 * Rows, then pieces, then turnover are split among the days; in a day each
 * item gets pieces and a price.  Everything is whole units, and each split
 * hands out what it was given to the last one.
 * ----------------------------------------------------------------------
 */

/* How an order falls on the days of its customer. */
typedef struct Split
{
	int64_t *rows;
	int64_t *pieces;
	int64_t *amount;
	int64_t *minimum;
	int32_t *item; /* shuffled, repeated when there are more days */
	/* of the rows of one day: shares, least and true numbers of pieces */
	int64_t *share;
	int64_t *least;
	int64_t *own;
} Split;

static int64_t
rows_of(const SdcBasketOrder *order, const SdcBasketDays *days)
{
	return order->items > days->count ? order->items : days->count;
}

int64_t
sdc_basket_rows_most(const SdcBasketOrder *order, const SdcBasketDays *days)
{
	return rows_of(order, days) + days->count;
}

static int64_t
sum_of(const int64_t *value, int32_t n)
{
	int64_t sum = 0;
	int32_t i;

	for (i = 0; i < n; i++)
		sum += value[i];
	return sum;
}

static double
ratio_of(int64_t total, int64_t whole)
{
	return whole == 0 ? 0 : (double) total / (double) whole;
}

static void
fill(int64_t *value, int32_t n, int64_t with)
{
	int32_t i;

	for (i = 0; i < n; i++)
		value[i] = with;
}

/* Puts the items in an order drawn at random, as often as there are rows. */
static void
shuffle(const SdcBasketOrder *order, int64_t rows, int32_t *item,
		SdcRandom *random)
{
	int64_t i;

	memcpy(item, order->item, sizeof(int32_t) * (size_t) order->items);
	for (i = order->items - 1; i > 0; i--)
	{
		int64_t j = (int64_t) sdc_random_below(random, (uint64_t) i + 1);
		int32_t other = item[i];

		item[i] = item[j];
		item[j] = other;
	}
	for (i = order->items; i < rows; i++)
		item[i] = item[i - order->items];
}

/* Splits rows, pieces and turnover among the days. */
static Split
split_days(SdcHost *host, const SdcBasketOrder *order,
		   const SdcBasketDays *days, SdcRandom *random)
{
	int32_t n = days->count;
	int64_t rows = rows_of(order, days);
	int64_t pieces = sum_of(days->pieces, n);
	Split split;

	split.rows = sdc_new(host, int64_t, (size_t) n);
	split.pieces = sdc_new(host, int64_t, (size_t) n);
	split.amount = sdc_new(host, int64_t, (size_t) n);
	split.minimum = sdc_new(host, int64_t, (size_t) n);
	split.item = sdc_new(host, int32_t, (size_t) rows);
	split.share = sdc_new(host, int64_t, (size_t) rows);
	split.least = sdc_new(host, int64_t, (size_t) rows);
	split.own = sdc_new(host, int64_t, (size_t) rows);
	shuffle(order, rows, split.item, random);
	fill(split.minimum, n, 1);
	basket_plan_split(rows, n, days->pieces, ratio_of(rows, pieces),
					  split.minimum, split.rows);
	basket_plan_split(order->pieces, n, days->pieces,
					  ratio_of(order->pieces, pieces), split.rows,
					  split.pieces);
	fill(split.minimum, n, 0);
	basket_plan_split(order->amount, n, days->amount,
					  ratio_of(order->amount, sum_of(days->amount, n)),
					  order->amount < order->pieces ? split.minimum
													: split.pieces,
					  split.amount);
	return split;
}

static void
release_split(SdcHost *host, Split *split)
{
	host->release(host, split->rows);
	host->release(host, split->pieces);
	host->release(host, split->amount);
	host->release(host, split->minimum);
	host->release(host, split->item);
	host->release(host, split->share);
	host->release(host, split->least);
	host->release(host, split->own);
}

/* Deals the pieces of a day out to its rows, some more and some fewer. */
static void
deal_pieces(int64_t pieces, int32_t n, Split *split, SdcRandom *random)
{
	int32_t i;

	for (i = 0; i < n; i++)
		split->share[i] = 1 + (int64_t) sdc_random_below(random, 8);
	fill(split->least, n, 1);
	basket_plan_split(pieces, n, split->share,
					  ratio_of(pieces, sum_of(split->share, n)), split->least,
					  split->own);
}

/* Appends the rows of one day. */
static void
append_day(SdcBasketRows *rows, const SdcBasketOrder *order, int64_t day,
		   const int32_t *item, int32_t n, const int64_t *pieces,
		   int64_t amount)
{
	int64_t whole = sum_of(pieces, n);
	int64_t least = amount < whole ? 0 : 1;
	double spread = (double) (amount - least * whole);
	int64_t left = amount;
	int32_t smallest = 0;
	double usual = 0;
	SdcBasketRow *row = &rows->row[rows->count];
	int32_t i;

	for (i = 0; i < n; i++)
		usual += order->price[item[i]] * (double) pieces[i];
	for (i = 0; i < n; i++)
	{
		double share = usual > 0 ? order->price[item[i]] / usual : 0;

		row[i].customer = order->customer;
		row[i].item = item[i];
		row[i].day = day;
		row[i].pieces = pieces[i];
		row[i].price = least + (int64_t) floor(spread * share);
		/* rounding could give a unit too much */
		if (row[i].price * pieces[i] > left - least * (whole - pieces[i]) &&
			row[i].price > least)
			row[i].price--;
		left -= row[i].price * pieces[i];
		whole -= pieces[i];
		if (pieces[i] < pieces[smallest])
			smallest = i;
	}
	rows->count += n;
	row[smallest].price += left / pieces[smallest];
	left %= pieces[smallest];
	if (left > 0)
	{
		row[n] = row[smallest];
		row[n].price++;
		row[n].pieces = left;
		row[smallest].pieces -= left;
		rows->count++;
	}
}

void
sdc_basket_rows_append(SdcBasketRows *rows, const SdcBasketOrder *order,
					   const SdcBasketDays *days, SdcRandom *random)
{
	Split split = split_days(rows->host, order, days, random);
	const int32_t *item = split.item;
	int32_t d;

	for (d = 0; d < days->count; d++)
	{
		int32_t n = (int32_t) split.rows[d];

		deal_pieces(split.pieces[d], n, &split, random);
		append_day(rows, order, days->day[d], item, n, split.own,
				   split.amount[d]);
		item += n;
	}
	release_split(rows->host, &split);
}

double
sdc_basket_rows_moved(const SdcBasketRows *rows, int32_t items,
					  const double *turnover)
{
	double *left = sdc_new(rows->host, double, (size_t) items + 1);
	double moved = 0;
	double whole = 0;
	int64_t r;
	int32_t t;

	for (t = 0; t < items; t++)
	{
		left[t] = turnover[t];
		whole += turnover[t];
	}
	for (r = 0; r < rows->count; r++)
		left[rows->row[r].item] -=
			(double) rows->row[r].price * (double) rows->row[r].pieces;
	for (t = 0; t < items; t++)
		moved += fabs(left[t]);
	rows->host->release(rows->host, left);
	return whole == 0 ? 0 : moved / whole / 2;
}

/* ----------------------------------------------------------------------
 * Clusters of sets of items around few of these sets.
 *
 * What a further centre gains can only become less as there are more of them,
 * so gains that were computed earlier are bounds: they lie in a heap, and only
 * those that come to the top are computed anew.
 * ----------------------------------------------------------------------
 */

/* The sets at most for which single centres are exchanged as well. */
#define SDC_SET_CENTRES_EXCHANGED 2048

/* Jaccard distances of one set to all, by the inverted index. */
typedef struct SdcSetDistances
{
	SdcHost *host;
	const SdcItemSets *sets;
	SdcItemSets index;
	int32_t *shared; /* items shared with each set; 0 outside of a call */
	int32_t *row;    /* sets nearer than 1, in the order they were met */
	double *distance;
	int32_t rows;
	uint64_t work;
} SdcSetDistances;

static void set_centres_measure(SdcSetDistances *distances, int32_t set);

/* ----------------------------------------------------------------------
 * Fewer centres: one is dropped, and others are exchanged for it.
 *
 * For a set that might become a centre, one pass over all sets tells what the
 * sum would be without each of the present centres (Schubert and Rousseeuw
 * 2021, FastPAM).  An exchange is made as soon as it lowers the sum.
 * ----------------------------------------------------------------------
 */

/* A gain that is more than rounding. */
#define LEAST_GAIN 1e-9

typedef struct Exchange
{
	SdcHost *host;
	int32_t n;
	const double *distance; /* n x n */
	bool *is_centre;
	int32_t centres;
	int32_t *nearest; /* of each set: a centre, and the next nearest */
	double *first;
	double *second;
	double *loss; /* of each centre: what the sum gains without it */
	double *delta;
	double total;
} Exchange;

/* Finds the two nearest centres of each set. */
static void
exchange_assign(Exchange *exchange)
{
	int32_t n = exchange->n;
	int32_t i;
	int32_t c;

	for (i = 0; i < n; i++)
	{
		exchange->nearest[i] = -1;
		exchange->first[i] = 1;
		exchange->second[i] = 1;
	}
	memset(exchange->loss, 0, sizeof(double) * (size_t) n);
	for (c = 0; c < n; c++)
	{
		const double *row = &exchange->distance[(int64_t) c * n];

		if (!exchange->is_centre[c])
			continue;
		exchange->host->poll(exchange->host, 0, 0);
		for (i = 0; i < n; i++)
			if (row[i] < exchange->first[i])
			{
				exchange->second[i] = exchange->first[i];
				exchange->first[i] = row[i];
				exchange->nearest[i] = c;
			}
			else if (row[i] < exchange->second[i])
				exchange->second[i] = row[i];
	}
	exchange->total = 0;
	for (i = 0; i < n; i++)
	{
		exchange->total += exchange->first[i];
		if (exchange->nearest[i] >= 0)
			exchange->loss[exchange->nearest[i]] +=
				exchange->second[i] - exchange->first[i];
	}
}

/* The centre that is best dropped, by what[] of each. */
static int32_t
set_centres_least_of(const Exchange *exchange, const double *what)
{
	int32_t best = -1;
	int32_t c;

	for (c = 0; c < exchange->n; c++)
		if (exchange->is_centre[c] && (best < 0 || what[c] < what[best]))
			best = c;
	return best;
}

/* Makes a set a centre in place of another one, when that lowers the sum. */
static bool
try_set(Exchange *exchange, int32_t x)
{
	const double *row = &exchange->distance[(int64_t) x * exchange->n];
	double *delta = exchange->delta;
	double gain = 0;
	int32_t dropped;
	int32_t i;

	memcpy(delta, exchange->loss, sizeof(double) * (size_t) exchange->n);
	for (i = 0; i < exchange->n; i++)
	{
		if (row[i] < exchange->first[i])
		{
			gain += row[i] - exchange->first[i];
			if (exchange->nearest[i] >= 0)
				delta[exchange->nearest[i]] +=
					exchange->first[i] - exchange->second[i];
		}
		else if (row[i] < exchange->second[i] && exchange->nearest[i] >= 0)
			delta[exchange->nearest[i]] += row[i] - exchange->second[i];
	}
	dropped = set_centres_least_of(exchange, delta);
	if (gain + delta[dropped] >= -LEAST_GAIN)
		return false;
	exchange->is_centre[dropped] = false;
	exchange->is_centre[x] = true;
	exchange_assign(exchange);
	return true;
}

/* Exchanges until none lowers the sum. */
static void
improve(Exchange *exchange)
{
	int32_t tried = 0;
	int32_t x = 0;

	while (tried < exchange->n)
	{
		exchange->host->poll(exchange->host, 0, 0);
		if (!exchange->is_centre[x] && try_set(exchange, x))
			tried = 0;
		else
			tried++;
		x = x + 1 < exchange->n ? x + 1 : 0;
	}
}

static double *
measure_all(SdcSetDistances *distances)
{
	int32_t n = distances->sets->sets;
	double *all = sdc_new(distances->host, double, (size_t) n *n + 1);
	int64_t k;
	int32_t i;
	int32_t j;

	for (k = 0; k < (int64_t) n * n; k++)
		all[k] = 1;
	for (i = 0; i < n; i++)
	{
		set_centres_measure(distances, i);
		for (j = 0; j < distances->rows; j++)
			all[(int64_t) i * n + distances->row[j]] = distances->distance[j];
	}
	return all;
}

static void
prepare(Exchange *exchange, SdcSetDistances *distances, bool *is_centre)
{
	SdcHost *host = distances->host;
	int32_t n = distances->sets->sets;
	int32_t i;

	exchange->host = host;
	exchange->n = n;
	exchange->distance = measure_all(distances);
	exchange->is_centre = is_centre;
	exchange->centres = 0;
	for (i = 0; i < n; i++)
		exchange->centres += is_centre[i];
	exchange->nearest = sdc_new(host, int32_t, (size_t) n + 1);
	exchange->first = sdc_new(host, double, (size_t) n + 1);
	exchange->second = sdc_new(host, double, (size_t) n + 1);
	exchange->loss = sdc_new(host, double, (size_t) n + 1);
	exchange->delta = sdc_new(host, double, (size_t) n + 1);
}

/*
 * Drops centres while exchanges keep the sum within the bound: for
 * sdc_set_centres.  is_centre[] is changed.
 */
static void
set_centres_exchange(SdcSetDistances *distances, bool *is_centre, double bound,
					 int32_t least)
{
	SdcHost *host = distances->host;
	int32_t n = distances->sets->sets;
	bool *kept = sdc_new(host, bool, (size_t) n + 1);
	Exchange exchange;

	prepare(&exchange, distances, is_centre);
	memcpy(kept, is_centre, sizeof(bool) * (size_t) n);
	exchange_assign(&exchange);
	while (exchange.centres > 1 && exchange.centres > least)
	{
		improve(&exchange);
		if (exchange.total > bound)
			break;
		memcpy(kept, is_centre, sizeof(bool) * (size_t) n);
		is_centre[set_centres_least_of(&exchange, exchange.loss)] = false;
		exchange.centres--;
		exchange_assign(&exchange);
		improve(&exchange);
		if (exchange.total > bound)
			break;
		memcpy(kept, is_centre, sizeof(bool) * (size_t) n);
	}
	memcpy(is_centre, kept, sizeof(bool) * (size_t) n);
	host->release(host, (void *) exchange.distance);
	host->release(host, exchange.nearest);
	host->release(host, exchange.first);
	host->release(host, exchange.second);
	host->release(host, exchange.loss);
	host->release(host, exchange.delta);
	host->release(host, kept);
}

/* ----------------------------------------------------------------------
 * Clusters of sets of items around few of these sets.
 *
 * What a further centre gains can only become less as there are more of them,
 * so gains that were computed earlier are bounds: they lie in a heap, and only
 * those that come to the top are computed anew.
 * ----------------------------------------------------------------------
 */

typedef struct Greedy
{
	SdcSetDistances distances;
	double *nearest; /* of each set: distance to its nearest centre */
	double *gain;    /* at most, of each set as a centre */
	int32_t *heap;
	int32_t heaped;
	bool *is_centre;
	int32_t centres;
	double total;
} Greedy;

static SdcSetDistances
set_centres_distances(SdcHost *host, const SdcItemSets *sets)
{
	SdcSetDistances distances;
	size_t room = (size_t) sets->sets + 1;

	distances.host = host;
	distances.sets = sets;
	distances.index = sdc_item_sets_invert(host, sets);
	distances.shared = sdc_new(host, int32_t, room);
	distances.row = sdc_new(host, int32_t, room);
	distances.distance = sdc_new(host, double, room);
	distances.rows = 0;
	distances.work = 0;
	memset(distances.shared, 0, sizeof(int32_t) * room);
	return distances;
}

static void
poll_work(SdcSetDistances *distances, int64_t more)
{
	distances->work += (uint64_t) more;
	if (distances->work < SDC_POLL_STEPS)
		return;
	distances->work = 0;
	distances->host->poll(distances->host, 0, 0);
}

/* Sets without items are equal to each other. */
static void
meet_empty(SdcSetDistances *distances)
{
	int32_t i;

	for (i = 0; i < distances->sets->sets; i++)
		if (sdc_item_sets_size(distances->sets, i) == 0)
			distances->row[distances->rows++] = i;
}

/* Finds the sets nearer than 1 to a set, itself among them. */
static void
set_centres_measure(SdcSetDistances *distances, int32_t set)
{
	const SdcItemSets *sets = distances->sets;
	const SdcItemSets *index = &distances->index;
	int32_t size = sdc_item_sets_size(sets, set);
	int64_t r;
	int64_t p;
	int32_t i;

	distances->rows = 0;
	if (size == 0)
		meet_empty(distances);
	for (r = sets->start[set]; r < sets->start[set + 1]; r++)
	{
		int32_t item = sets->item[r];

		for (p = index->start[item]; p < index->start[item + 1]; p++)
			if (distances->shared[index->item[p]]++ == 0)
				distances->row[distances->rows++] = index->item[p];
		poll_work(distances, index->start[item + 1] - index->start[item]);
	}
	for (i = 0; i < distances->rows; i++)
	{
		int32_t row = distances->row[i];
		int32_t shared = distances->shared[row];
		int32_t whole = size + sdc_item_sets_size(sets, row) - shared;

		distances->distance[i] =
			whole == 0 ? 0 : (double) (whole - shared) / whole;
		distances->shared[row] = 0;
	}
	poll_work(distances, distances->rows + 1);
}

/* What the sum would lose with one more centre. */
static double
gain_of(Greedy *greedy, int32_t set)
{
	SdcSetDistances *distances = &greedy->distances;
	double gain = 0;
	int32_t i;

	set_centres_measure(distances, set);
	for (i = 0; i < distances->rows; i++)
		if (distances->distance[i] < greedy->nearest[distances->row[i]])
			gain +=
				greedy->nearest[distances->row[i]] - distances->distance[i];
	return gain;
}

/* Is a before b in the heap? */
static bool
is_better(const Greedy *greedy, int32_t a, int32_t b)
{
	return greedy->gain[a] > greedy->gain[b] ||
		   (greedy->gain[a] == greedy->gain[b] && a < b);
}

SDC_HEAP(gains, int32_t, const Greedy *, is_better)

static void
start_greedy(Greedy *greedy, SdcHost *host, const SdcItemSets *sets)
{
	int32_t n = sets->sets;
	int32_t i;

	greedy->distances = set_centres_distances(host, sets);
	greedy->nearest = sdc_new(host, double, (size_t) n + 1);
	greedy->gain = sdc_new(host, double, (size_t) n + 1);
	greedy->heap = sdc_new(host, int32_t, (size_t) n + 1);
	greedy->is_centre = sdc_new(host, bool, (size_t) n + 1);
	greedy->heaped = n;
	greedy->centres = 0;
	greedy->total = n;
	for (i = 0; i < n; i++)
	{
		greedy->nearest[i] = 1;
		greedy->is_centre[i] = false;
		greedy->heap[i] = i;
	}
	for (i = 0; i < n; i++)
		greedy->gain[i] = gain_of(greedy, i);
	gains_make(greedy, greedy->heap, n);
}

/* The sum is taken anew: differences would add up their rounding. */
static double
set_centres_sum_of(const double *distance, int32_t n)
{
	double sum = 0;
	int32_t i;

	for (i = 0; i < n; i++)
		sum += distance[i];
	return sum;
}

/* Makes the best set a centre. */
static void
add_centre(Greedy *greedy)
{
	SdcSetDistances *distances = &greedy->distances;
	int32_t best = greedy->heap[0];
	double gain = gain_of(greedy, best);
	int32_t i;

	/* a bound that was too high goes down to its place */
	while (gain < greedy->gain[best])
	{
		greedy->gain[best] = gain;
		gains_down(greedy, greedy->heap, (size_t) greedy->heaped, 0, best);
		best = greedy->heap[0];
		gain = gain_of(greedy, best);
	}
	for (i = 0; i < distances->rows; i++)
		if (distances->distance[i] < greedy->nearest[distances->row[i]])
			greedy->nearest[distances->row[i]] = distances->distance[i];
	greedy->is_centre[best] = true;
	greedy->centres++;
	greedy->total = set_centres_sum_of(greedy->nearest, distances->sets->sets);
	(void) gains_pop(greedy, greedy->heap, &greedy->heaped);
}

/* Finds the nearest centre of each set. */
static SdcSetCentres
assign(SdcHost *host, Greedy *greedy)
{
	SdcSetDistances *distances = &greedy->distances;
	int32_t n = distances->sets->sets;
	SdcSetCentres found;
	int32_t i;
	int32_t j;

	found.count = 0;
	found.centre = sdc_new(host, int32_t, (size_t) n + 1);
	found.cluster = sdc_new(host, int32_t, (size_t) n + 1);
	for (i = 0; i < n; i++)
	{
		greedy->nearest[i] = 1;
		found.cluster[i] = 0;
	}
	for (i = 0; i < n; i++)
	{
		if (!greedy->is_centre[i])
			continue;
		set_centres_measure(distances, i);
		for (j = 0; j < distances->rows; j++)
		{
			int32_t row = distances->row[j];

			if (distances->distance[j] >= greedy->nearest[row] && row != i)
				continue;
			greedy->nearest[row] = distances->distance[j];
			found.cluster[row] = found.count;
		}
		found.centre[found.count++] = i;
	}
	found.total = set_centres_sum_of(greedy->nearest, n);
	return found;
}

SdcSetCentres
sdc_set_centres_choose(SdcHost *host, const SdcItemSets *sets, double t,
					   int32_t least)
{
	int32_t n = sets->sets;
	double bound = t * n;
	SdcSetCentres found;
	Greedy greedy;

	host->stage(host, "choosing centres");
	start_greedy(&greedy, host, sets);
	while (greedy.heaped > 0 && (greedy.centres < least ||
								 greedy.total > bound || greedy.centres == 0))
		add_centre(&greedy);
	if (n <= SDC_SET_CENTRES_EXCHANGED)
		set_centres_exchange(&greedy.distances, greedy.is_centre, bound,
							 least);
	found = assign(host, &greedy);
	sdc_item_sets_release(host, &greedy.distances.index);
	host->release(host, greedy.distances.shared);
	host->release(host, greedy.distances.row);
	host->release(host, greedy.distances.distance);
	host->release(host, greedy.nearest);
	host->release(host, greedy.gain);
	host->release(host, greedy.heap);
	host->release(host, greedy.is_centre);
	return found;
}

/* ----------------------------------------------------------------------
 * Members of a cluster that are alike in other ways too.
 * ----------------------------------------------------------------------
 */

/* Pairs of a set and a centre at most. */
#define MOST_PAIRS 20000000

/* Halvings of the weight, from the largest that is tried. */
#define REGROUP_TRIES 16
#define MOST_WEIGHT   4.0

typedef struct Regroup
{
	SdcHost *host;
	int32_t n;
	const SdcSetCentres *centres;
	double *distance; /* n x centres */
	double *apart;    /* in traits */
	bool *is_centre;
	int32_t *cluster; /* as tried last */
} Regroup;

static void
measure_centres(Regroup *regroup, const SdcItemSets *sets)
{
	int32_t k = regroup->centres->count;
	SdcSetDistances distances = set_centres_distances(regroup->host, sets);
	int64_t r;
	int32_t c;
	int32_t j;

	for (r = 0; r < (int64_t) regroup->n * k; r++)
		regroup->distance[r] = 1;
	for (c = 0; c < k; c++)
	{
		set_centres_measure(&distances, regroup->centres->centre[c]);
		for (j = 0; j < distances.rows; j++)
			regroup->distance[(int64_t) distances.row[j] * k + c] =
				distances.distance[j];
	}
	sdc_item_sets_release(regroup->host, &distances.index);
	regroup->host->release(regroup->host, distances.shared);
	regroup->host->release(regroup->host, distances.row);
	regroup->host->release(regroup->host, distances.distance);
}

static void
measure_traits(Regroup *regroup, const double *const *trait, int traits)
{
	int32_t k = regroup->centres->count;
	int32_t i;
	int32_t c;
	int j;

	for (i = 0; i < regroup->n; i++)
	{
		if (i % 64 == 0)
			regroup->host->poll(regroup->host, (uint64_t) i,
								(uint64_t) regroup->n);
		for (c = 0; c < k; c++)
		{
			double *apart = &regroup->apart[(int64_t) i * k + c];

			*apart = 0;
			for (j = 0; j < traits; j++)
				*apart +=
					fabs(trait[j][i] - trait[j][regroup->centres->centre[c]]);
		}
	}
}

/* The sum of the distances when sets are given away by that weight. */
static double
try_weight(Regroup *regroup, double weight)
{
	int32_t k = regroup->centres->count;
	double total = 0;
	int32_t i;
	int32_t c;

	for (i = 0; i < regroup->n; i++)
	{
		const double *distance = &regroup->distance[(int64_t) i * k];
		const double *apart = &regroup->apart[(int64_t) i * k];
		int32_t best = 0;

		if (i % 64 == 0)
			regroup->host->poll(regroup->host, 0, 0);
		for (c = 1; c < k; c++)
			if (distance[c] + weight * apart[c] <
				distance[best] + weight * apart[best])
				best = c;
		if (regroup->is_centre[i])
			best = regroup->centres->cluster[i];
		regroup->cluster[i] = best;
		total += distance[best];
	}
	return total;
}

void
sdc_set_centres_regroup(SdcHost *host, const SdcItemSets *sets,
						SdcSetCentres *centres, double t,
						const double *const *trait, int traits)
{
	int32_t n = sets->sets;
	int64_t pairs = (int64_t) n * centres->count;
	Regroup regroup = {.host = host, .n = n, .centres = centres};
	double low = 0;
	double high = 2 * MOST_WEIGHT;
	int try;
	int32_t c;

	if (pairs > MOST_PAIRS)
		return;
	host->stage(host, "forming clusters");
	regroup.distance = sdc_new(host, double, (size_t) pairs + 1);
	regroup.apart = sdc_new(host, double, (size_t) pairs + 1);
	regroup.is_centre = sdc_new(host, bool, (size_t) n + 1);
	regroup.cluster = sdc_new(host, int32_t, (size_t) n + 1);
	memset(regroup.is_centre, 0, sizeof(bool) * ((size_t) n + 1));
	for (c = 0; c < centres->count; c++)
		regroup.is_centre[centres->centre[c]] = true;
	measure_centres(&regroup, sets);
	measure_traits(&regroup, trait, traits);
	for (try = 0; try < REGROUP_TRIES; try++)
	{
		double weight = (low + high) / 2;
		double total = try_weight(&regroup, weight);

		if (total > t * n)
		{
			high = weight;
			continue;
		}
		low = weight;
		centres->total = total;
		memcpy(centres->cluster, regroup.cluster,
			   sizeof(int32_t) * (size_t) n);
	}
	host->release(host, regroup.distance);
	host->release(host, regroup.apart);
	host->release(host, regroup.is_centre);
	host->release(host, regroup.cluster);
}

/* ----------------------------------------------------------------------
 * Prices that keep the turnover of each item.
 * ----------------------------------------------------------------------
 */

void
sdc_basket_prices_fit(SdcHost *host, const SdcItemSets *sets,
					  const SdcSetCentres *centres, const double *amount,
					  const double *turnover, int rounds, double *price)
{
	double *spent = sdc_new(host, double, (size_t) sets->items + 1);
	int round;
	int32_t c;
	int32_t t;
	int64_t r;

	for (round = 0; round < rounds; round++)
	{
		host->poll(host, (uint64_t) round, (uint64_t) rounds);
		memset(spent, 0, sizeof(double) * ((size_t) sets->items + 1));
		for (c = 0; c < centres->count; c++)
		{
			int32_t set = centres->centre[c];
			double whole = 0;

			for (r = sets->start[set]; r < sets->start[set + 1]; r++)
				whole += price[sets->item[r]];
			for (r = sets->start[set]; r < sets->start[set + 1] && whole > 0;
				 r++)
				spent[sets->item[r]] +=
					amount[c] * price[sets->item[r]] / whole;
		}
		for (t = 0; t < sets->items; t++)
			if (spent[t] > 0 && turnover[t] > 0)
				price[t] *= turnover[t] / spent[t];
	}
	host->release(host, spent);
}
