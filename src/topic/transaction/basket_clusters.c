/*
 * basket_clusters.c
 *		New baskets under bounds: clusters, what their members get, and rows.
 *
 * Customers are put into clusters of one set of items each.  Pieces, turnover
 * and days are moved, made common or drawn, and rows made of them; where a
 * bound does not hold there are smaller moves, and then more clusters.
 */
#include "postgres.h"

#include <math.h>

#include "host/server/compat.h"
#include "host/server/host.h"
#include "kernel/base/host.h"
#include "kernel/base/random.h"
#include "kernel/base/sort.h"
#include "kernel/transaction/basket_plan.h"
#include "kernel/transaction/event_likelihood.h"
#include "kernel/transaction/item_sets.h"
#include "kernel/transaction/recency_classes.h"
#include "kernel/transaction/subset_error.h"
#include "topic/transaction/baskets.h"

SdcBasketDays
sdcpg_basket_days(const SdcBasketFile *file, int32 customer)
{
	int32 first = file->first[customer];
	SdcBasketDays days = {file->first[customer + 1] - first, file->day + first,
						  file->day_pieces + first, file->day_amount + first};

	return days;
}

/* Times that moves are halved before there are none. */
#define MOST_HALVES 12

typedef struct Work
{
	const SdcBasketFile *file;
	const SdcBasketBounds *bounds;
	SdcHost *host;
	SdcSetCentres centres;
	int32 *group; /* cluster and cell, as numbers */
	int32 groups;
	int64 *need;
	int64 *pieces;
	int64 *amount;
	SdcBasketPlan plan;
	SdcBasketClusters found;
	int64 *day;    /* of the file, shifted */
	int32 *member; /* of each cluster: whose days its members have */
	double *price; /* of each item */
	SdcHistories drawn;
	int64 *total; /* turnover: of each customer, drawn or its own */
} Work;

/* Are histories drawn by classes? */
static bool
draws(const SdcBasketBounds *bounds)
{
	return bounds->days == SDC_DAYS_DRAWN ||
		   bounds->amounts == SDC_AMOUNTS_DRAWN;
}

/* The days that the new basket of a customer has. */
static SdcBasketDays
days_of(const Work *work, int32 customer)
{
	SdcBasketDays days;

	if (work->bounds->days == SDC_DAYS_DRAWN)
	{
		int32 first = work->drawn.first[customer];

		days.count = work->drawn.first[customer + 1] - first;
		days.day = work->drawn.day + first;
		days.pieces = work->drawn.pieces + first;
		days.amount = work->drawn.amount + first;
		return days;
	}
	if (work->bounds->days == SDC_DAYS_COMMON)
		customer = work->member[work->centres.cluster[customer]];
	days = sdcpg_basket_days(work->file, customer);
	if (work->bounds->days == SDC_DAYS_SHIFTED)
		days.day = work->day + work->file->first[customer];
	return days;
}

static int
compare_groups(int32_t a, int32_t b, void *arg)
{
	const Work *work = arg;
	const int32 *cluster = work->centres.cluster;
	const int32 *cell = work->file->cell;

	if (cluster[a] != cluster[b])
		return cluster[a] < cluster[b] ? -1 : 1;
	return cell[a] < cell[b] ? -1 : cell[a] > cell[b];
}

/* Numbers the pairs of cluster and cell that occur. */
static void
number_groups(Work *work)
{
	int32 n = work->file->customers;
	int32 *row = sdc_new(work->host, int32, (Size) n + 1);
	int32 i;

	for (i = 0; i < n; i++)
		row[i] = i;
	sdc_sort_rows(work->host, row, n, compare_groups, work);
	work->groups = 0;
	for (i = 0; i < n; i++)
	{
		if (i > 0 && compare_groups(row[i - 1], row[i], work) != 0)
			work->groups++;
		work->group[row[i]] = work->groups;
	}
	work->groups++;
	work->host->release(work->host, row);
}

/* The set that a customer gets. */
static SdcBasketOrder
order_of(const Work *work, int32 customer)
{
	const SdcItemSets *sets = &work->file->sets;
	int32 centre = work->centres.centre[work->centres.cluster[customer]];
	SdcBasketOrder order;

	order.customer = customer;
	order.pieces = work->pieces[customer];
	order.amount = work->amount[customer];
	order.items = sdc_item_sets_size(sets, centre);
	order.item = sets->item + sets->start[centre];
	order.price = work->price;
	return order;
}

/* Makes room for the rows of all customers. */
static void
make_room(Work *work)
{
	SdcBasketRows *rows = &work->found.rows;
	int64 room = 0;
	int32 i;

	for (i = 0; i < work->file->customers; i++)
	{
		SdcBasketOrder order = order_of(work, i);
		SdcBasketDays days = days_of(work, i);

		room += sdc_basket_rows_most(&order, &days);
		work->need[i] = Max(order.items, days.count);
	}
	if (room > SDC_MAX_ROWS)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("more than %d rows in a relation", SDC_MAX_ROWS)));
	work->host->release(work->host, rows->row);
	rows->host = work->host;
	rows->room = room;
	rows->row = sdc_new(work->host, SdcBasketRow, (Size) room + 1);
}

/* Gives who has too few pieces what it needs. */
static void
balance(Work *work)
{
	int32 n = work->file->customers;
	int32 *all = sdc_new(work->host, int32, (Size) n + 1);
	int32 i;

	memset(all, 0, sizeof(int32) * (n + 1));
	sdc_basket_plan_balance(work->host, &work->plan, work->group,
							work->groups);
	sdc_basket_plan_balance(work->host, &work->plan, work->file->cell,
							work->file->cells);
	work->found.missing =
		sdc_basket_plan_balance(work->host, &work->plan, all, 1);
	for (i = 0; i < n && work->found.missing > 0; i++)
		work->pieces[i] = Max(work->pieces[i], work->need[i]);
	work->host->release(work->host, all);
}

/* What a piece costs in each group: turnover by pieces, in units. */
static double *
group_prices(const Work *work, const int32 *group, int32 groups)
{
	const SdcBasketFile *file = work->file;
	double *price = sdc_new(work->host, double, (Size) groups + 1);
	double *pieces = sdc_new(work->host, double, (Size) groups + 1);
	int32 i;

	memset(price, 0, sizeof(double) * (groups + 1));
	memset(pieces, 0, sizeof(double) * (groups + 1));
	for (i = 0; i < file->customers; i++)
	{
		price[group[i]] += (double) file->amount[i];
		pieces[group[i]] += (double) file->pieces[i];
	}
	for (i = 0; i < groups; i++)
		price[i] = Max(price[i], 1) / Max(pieces[i], 1);
	work->host->release(work->host, pieces);
	return price;
}

/* The cell that most pieces are in. */
static int32
largest_cell(const Work *work)
{
	const SdcBasketFile *file = work->file;
	int64 *pieces = sdc_new(work->host, int64, (Size) file->cells + 1);
	int32 largest = 0;
	int32 i;

	memset(pieces, 0, sizeof(int64) * (file->cells + 1));
	for (i = 0; i < file->customers; i++)
		pieces[file->cell[i]] += work->pieces[i];
	for (i = 1; i < file->cells; i++)
		if (pieces[i] > pieces[largest])
			largest = i;
	work->host->release(work->host, pieces);
	return largest;
}

/* Has all pieces together be as many as before: the largest cell gives way. */
static void
keep_pieces(Work *work)
{
	const SdcBasketFile *file = work->file;
	int32 largest = largest_cell(work);
	int64 over = 0; /* the pieces of the cell above one for each customer */
	int64 left = 0; /* more than there are now */
	int32 i;

	for (i = 0; i < file->customers; i++)
	{
		left += file->pieces[i] - work->pieces[i];
		if (file->cell[i] == largest)
			over += work->pieces[i] - 1;
	}
	left = Max(left, -over);
	for (i = 0; i < file->customers && over > 0; i++)
	{
		int64 own = work->pieces[i] - 1;
		int64 part;

		if (file->cell[i] != largest)
			continue;
		part = (int64) ((double) left * ((double) own / (double) over));
		work->pieces[i] += part;
		left -= part;
		over -= own;
	}
}

/*
 * Turnover by classes, and as many pieces as that buys.  A piece costs what it
 * does in the cluster, or in the cell, or between the two: the more of the
 * cell (0 to 1), the nearer mean prices of cells are to what they were, and
 * the more a basket tells of the cell that its customer is in.
 */
static void
draw_amounts(Work *work, double of_cell)
{
	const SdcBasketFile *file = work->file;
	double *cluster =
		group_prices(work, work->centres.cluster, work->centres.count);
	double *cell = group_prices(work, file->cell, file->cells);
	int32 i;

	for (i = 0; i < file->customers; i++)
	{
		double price = pow(cluster[work->centres.cluster[i]], 1 - of_cell) *
					   pow(cell[file->cell[i]], of_cell);

		work->amount[i] = work->total[i];
		work->pieces[i] =
			Max((int64) rint((double) work->amount[i] / price), 1);
	}
	keep_pieces(work);
	work->host->release(work->host, cluster);
	work->host->release(work->host, cell);
	balance(work);
}

/* The rows for a plan, with moves up to a share. */
static void
make_rows(Work *work, double share, SdcRandom *random)
{
	const SdcBasketFile *file = work->file;
	double units = work->bounds->subset * pow(10, file->digits);
	int64 most = units < 1e15 ? (int64) units : (int64) 1e15;
	int32 i;

	memcpy(work->pieces, file->pieces, sizeof(int64) * file->customers);
	memcpy(work->amount, file->amount, sizeof(int64) * file->customers);
	if (work->bounds->amounts == SDC_AMOUNTS_DRAWN)
		draw_amounts(work, work->bounds->share > 0
							   ? 1 - share / work->bounds->share
							   : 1);
	else if (work->bounds->amounts == SDC_AMOUNTS_COMMON)
		work->found.missing = sdc_basket_plan_share(
			work->host, &work->plan, work->centres.cluster,
			work->centres.count, random);
	else
	{
		balance(work);
		work->found.moved =
			sdc_basket_plan_move(work->host, &work->plan, work->group,
								 work->groups, share, most, random);
	}
	work->found.rows.count = 0;
	for (i = 0; i < file->customers; i++)
	{
		SdcBasketOrder order = order_of(work, i);
		SdcBasketDays days = days_of(work, i);

		if (i % 64 == 0)
			work->host->poll(work->host, i, file->customers);
		sdc_basket_rows_append(&work->found.rows, &order, &days, random);
	}
}

static double
measure_cmae(const Work *work)
{
	const SdcBasketFile *file = work->file;
	int32 cells = file->cells;
	double *sum = sdc_new(work->host, double, 4 * (Size) cells);
	double error = 0;
	int32 occupied = 0;
	int32 i;

	memset(sum, 0, sizeof(double) * 4 * cells);
	for (i = 0; i < file->customers; i++)
	{
		double *cell = &sum[4 * file->cell[i]];

		cell[0] += (double) file->amount[i];
		cell[1] += (double) file->pieces[i];
		cell[2] += (double) work->amount[i];
		cell[3] += (double) work->pieces[i];
	}
	/* the last cell is of those who are in none */
	for (i = 0; i < cells - 1; i++)
	{
		double *cell = &sum[4 * i];

		if (cell[1] == 0)
			continue;
		occupied++;
		error += fabs(cell[0] / cell[1] - cell[2] / cell[3]);
	}
	work->host->release(work->host, sum);
	return occupied == 0 ? 0 : error / occupied / pow(10, work->file->digits);
}

/* What each customer has more on a day, and before that what it had. */
static int32
list_differences(const Work *work, SdcSubsetDay *days)
{
	const SdcBasketFile *file = work->file;
	const SdcBasketRows *rows = &work->found.rows;
	int32 n = 0;
	int64 r;
	int32 i;
	int32 d;

	for (i = 0; i < file->customers; i++)
		for (d = file->first[i]; d < file->first[i + 1]; d++)
		{
			days[n].customer = i;
			days[n].day = file->day[d];
			days[n++].difference = -file->day_amount[d];
		}
	for (r = 0; r < rows->count; r++)
	{
		const SdcBasketRow *row = &rows->row[r];

		if (r == 0 || row->customer != row[-1].customer ||
			row->day != row[-1].day)
		{
			days[n].customer = row->customer;
			days[n].day = row->day;
			days[n++].difference = 0;
		}
		days[n - 1].difference += row->price * row->pieces;
	}
	return n;
}

static double
measure_subset(const Work *work)
{
	const SdcBasketFile *file = work->file;
	SdcSubsetDay *days = sdc_new(work->host, SdcSubsetDay,
								 (Size) file->first[file->customers] +
									 (Size) work->found.rows.count + 1);
	int32 n = list_differences(work, days);
	SdcSubsetDay *sorted = sdc_subset_sort(work->host, days, n);
	int64 worst = sdc_subset_error(work->host, sorted, n, file->customers,
								   Min(work->bounds->k, file->customers),
								   work->bounds->span);

	work->host->release(work->host, days);
	work->host->release(work->host, sorted);
	return (double) worst / pow(10, file->digits) /
		   Min(work->bounds->k, file->customers);
}

static double
measure_rfm(const Work *work)
{
	const SdcBasketFile *file = work->file;
	Size room = (Size) file->customers + 1;
	double *value[2][SDC_RECENCY_CLASSES_DIMENSIONS];
	SdcRecencyFile side[2];
	double error;
	int32 i;
	int j;
	int d;

	for (j = 0; j < 2; j++)
	{
		side[j].n = file->customers;
		for (d = 0; d < SDC_RECENCY_CLASSES_DIMENSIONS; d++)
			side[j].value[d] = value[j][d] = sdc_new(work->host, double, room);
		for (i = 0; i < file->customers; i++)
		{
			SdcBasketDays days =
				j == 0 ? sdcpg_basket_days(file, i) : days_of(work, i);

			value[j][0][i] = -(double) days.day[days.count - 1];
			value[j][1][i] = days.count;
			value[j][2][i] =
				(double) (j == 0 ? file->amount[i] : work->amount[i]);
		}
	}
	error = sdc_recency_classes_error(work->host, &side[0], &side[1],
									  work->bounds->classes);
	for (j = 0; j < 2; j++)
		for (d = 0; d < SDC_RECENCY_CLASSES_DIMENSIONS; d++)
			work->host->release(work->host, value[j][d]);
	return error;
}

static bool
holds(const Work *work)
{
	const SdcBasketBounds *bounds = work->bounds;

	return (isinf(bounds->cmae) || measure_cmae(work) <= bounds->cmae) &&
		   (isinf(bounds->subset) || measure_subset(work) <= bounds->subset) &&
		   (isinf(bounds->rfm) || measure_rfm(work) <= bounds->rfm) &&
		   (isinf(bounds->books) ||
			sdc_basket_rows_moved(&work->found.rows, work->file->sets.items,
								  work->file->turnover) <= bounds->books);
}

/* Looks for moves with which the bounds hold, smaller and smaller ones. */
static bool
try_clusters(Work *work, const SdcRandom *random)
{
	double share = work->bounds->share;
	int half;

	for (half = 0; half <= MOST_HALVES; half++)
	{
		SdcRandom own = *random;

		make_rows(work, half == MOST_HALVES ? 0 : share, &own);
		if (holds(work))
			return true;
		share /= 2;
	}
	return false;
}

static void
start(Work *work, const SdcBasketFile *file, const SdcBasketBounds *bounds)
{
	Size room = (Size) file->customers + 1;

	memset(work, 0, sizeof(*work));
	work->file = file;
	work->bounds = bounds;
	work->host = &file->host->kernel;
	work->group = sdc_new(work->host, int32, room);
	work->need = sdc_new(work->host, int64, room);
	work->pieces = sdc_new(work->host, int64, room);
	work->amount = sdc_new(work->host, int64, room);
	work->member = sdc_new(work->host, int32, room);
	work->price = sdc_new(work->host, double, (Size) file->sets.items + 1);
	work->total = sdc_new(work->host, int64, room);
	memcpy(work->total, file->amount, sizeof(int64) * file->customers);
	work->plan.customers = file->customers;
	work->plan.need = work->need;
	work->plan.pieces = work->pieces;
	work->plan.amount = work->amount;
}

/* Moves the days of each customer by a number of its own. */
static void
shift_days(Work *work, SdcRandom *random)
{
	const SdcBasketFile *file = work->file;
	int64 most = work->bounds->shift;
	int32 i;
	int32 d;

	if (work->bounds->days != SDC_DAYS_SHIFTED)
		return;
	work->day =
		sdc_new(work->host, int64, (Size) file->first[file->customers] + 1);
	for (i = 0; i < file->customers; i++)
	{
		int64 by =
			(int64) sdc_random_below(random, (uint64) (2 * most) + 1) - most;

		for (d = file->first[i]; d < file->first[i + 1]; d++)
			work->day[d] = file->day[d] + by;
	}
}

/* Draws the member of each cluster whose days all members have. */
static void
draw_members(Work *work, SdcRandom *random)
{
	int32 *seen = sdc_new(work->host, int32, (Size) work->centres.count + 1);
	int32 i;

	memset(seen, 0, sizeof(int32) * (work->centres.count + 1));
	for (i = 0; i < work->file->customers; i++)
	{
		int32 c = work->centres.cluster[i];

		if (sdc_random_below(random, (uint64) ++seen[c]) == 0)
			work->member[c] = i;
	}
	work->host->release(work->host, seen);
}

/* Draws histories by classes, where that is wanted. */
static void
draw_histories(Work *work, SdcRandom *random)
{
	const SdcBasketFile *file = work->file;
	SdcHistories own = {file->customers, file->first, file->day,
						file->day_pieces, file->day_amount};

	if (!draws(work->bounds))
		return;
	sdc_histories_release(work->host, &work->drawn);
	work->drawn = sdc_recency_classes_draw(
		work->host, &own, work->centres.cluster, work->centres.count,
		work->bounds->classes, random, work->total, &work->found.alone);
	if (work->bounds->amounts != SDC_AMOUNTS_DRAWN)
		memcpy(work->total, file->amount, sizeof(int64) * file->customers);
}

/* What customers are alike in besides their items: turnover, days, when. */
#define TRAITS 4

/* Lets customers go to clusters of others with a like history. */
static void
form_clusters(Work *work)
{
	const SdcBasketFile *file = work->file;
	Size room = (Size) file->customers + 1;
	double *trait[TRAITS];
	int32 i;
	int j;

	for (j = 0; j < TRAITS; j++)
		trait[j] = sdc_new(work->host, double, room);
	for (i = 0; i < file->customers; i++)
	{
		SdcBasketDays days = sdcpg_basket_days(file, i);

		trait[0][i] = sdc_event_scale((double) file->amount[i]);
		trait[1][i] = sdc_event_scale((double) file->pieces[i]);
		trait[2][i] = sdc_event_scale(days.count);
		trait[3][i] = (double) days.day[days.count - 1] / 100;
	}
	sdc_set_centres_regroup(work->host, &file->sets, &work->centres,
							work->bounds->jaccard,
							(const double *const *) trait, TRAITS);
	for (j = 0; j < TRAITS; j++)
		work->host->release(work->host, trait[j]);
}

/* Rounds of fitting prices. */
#define BOOK_ROUNDS 50

/* The usual prices, or such that the turnover of each item stays. */
static void
set_prices(Work *work)
{
	const SdcBasketFile *file = work->file;
	double *amount;
	int32 i;

	memcpy(work->price, file->price, sizeof(double) * file->sets.items);
	if (isinf(work->bounds->books))
		return;
	amount = sdc_new(work->host, double, (Size) work->centres.count + 1);
	memset(amount, 0, sizeof(double) * (work->centres.count + 1));
	for (i = 0; i < file->customers; i++)
		amount[work->centres.cluster[i]] += (double) work->total[i];
	sdc_basket_prices_fit(work->host, &file->sets, &work->centres, amount,
						  file->turnover, BOOK_ROUNDS, work->price);
	work->host->release(work->host, amount);
}

/*
 * The most clusters with which so many customers at most are found, when all
 * members of a cluster look alike: a guess finds one in each, give or take.
 */
static int32
most_clusters(const Work *work)
{
	double bound = work->bounds->found * work->file->customers;
	double root = sqrt(bound + 1) - 1;

	if (isinf(work->bounds->found) ||
		work->bounds->amounts == SDC_AMOUNTS_OWN ||
		work->bounds->days < SDC_DAYS_COMMON)
		return work->file->customers;
	return Max((int32) (root * root), 1);
}

SdcBasketClusters
sdcpg_basket_clusters_make(const SdcBasketFile *file,
						   const SdcBasketBounds *bounds, SdcRandom *random,
						   SdcRandom *days)
{
	int32 least = 1;
	int32 most;
	Work work;

	start(&work, file, bounds);
	if (file->customers == 0)
		return work.found;
	most = most_clusters(&work);
	if (most < file->customers)
		least = most;
	shift_days(&work, days);
	for (;;)
	{
		work.centres = sdc_set_centres_choose(work.host, &file->sets,
											  bounds->jaccard, least);
		work.found.clusters = work.centres.count;
		if (work.centres.count > most)
			ereport(
				ERROR,
				(errcode(ERRCODE_DATA_EXCEPTION),
				 errmsg("the bounds hold for no clusters"),
				 errdetail("With argument \"t\" there are %d clusters, and "
						   "with params.found at most %d.",
						   work.centres.count, most)));
		if (bounds->amounts != SDC_AMOUNTS_OWN ||
			bounds->days >= SDC_DAYS_COMMON)
			form_clusters(&work);
		draw_members(&work, days);
		draw_histories(&work, days);
		number_groups(&work);
		set_prices(&work);
		make_room(&work);
		if (try_clusters(&work, random))
			return work.found;
		if (work.centres.count == file->customers ||
			work.centres.count == most)
			ereport(ERROR, (errcode(ERRCODE_DATA_EXCEPTION),
							errmsg("the bounds hold for no clusters")));
		least =
			Min(work.centres.count + Max(work.centres.count / 16, 1), most);
	}
}
