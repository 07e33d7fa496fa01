/*
 * basket_clusters.c
 *		New baskets under bounds: clusters, moves and rows.
 *
 * The measures of the bounds are computed from the arrays here, to choose; the
 * caller counts them again from the table that was written.
 */
#include "postgres.h"

#include <math.h>

#include "kernel/base/sort.h"
#include "kernel/transaction/basket_plan.h"
#include "kernel/transaction/recency_classes.h"
#include "kernel/transaction/set_centres.h"
#include "kernel/transaction/subset_error.h"
#include "pg/server/compat.h"
#include "pg/transaction/basket_clusters.h"

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
} Work;

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
	order.price = work->file->price;
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
		SdcBasketDays days = sdcpg_basket_file_days(work->file, i);

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
	balance(work);
	work->found.moved =
		sdc_basket_plan_move(work->host, &work->plan, work->group,
							 work->groups, share, most, random);
	work->found.rows.count = 0;
	for (i = 0; i < file->customers; i++)
	{
		SdcBasketOrder order = order_of(work, i);
		SdcBasketDays days = sdcpg_basket_file_days(file, i);

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

/* Puts differences in the order of the days. */
static SdcSubsetDay *
sort_days(SdcHost *host, const SdcSubsetDay *days, int32 n)
{
	uint64_t *key = sdc_new(host, uint64_t, (Size) n + 1);
	int32 *row = sdc_new(host, int32, (Size) n + 1);
	SdcSubsetDay *sorted = sdc_new(host, SdcSubsetDay, (Size) n + 1);
	int32 r;

	for (r = 0; r < n; r++)
	{
		key[r] = (uint64_t) (days[r].day + PG_INT32_MAX);
		row[r] = r;
	}
	sdc_sort_keys(host, key, row, n);
	for (r = 0; r < n; r++)
		sorted[r] = days[row[r]];
	host->release(host, key);
	host->release(host, row);
	return sorted;
}

static double
measure_subset(const Work *work)
{
	const SdcBasketFile *file = work->file;
	int32 n = file->first[file->customers];
	SdcSubsetDay *days = sdc_new(work->host, SdcSubsetDay, (Size) n + 1);
	SdcSubsetDay *sorted;
	int64 worst;
	int64 r;
	int32 d = -1;

	/* rows are in the order of the customers and their days, as those are */
	for (r = 0; r < work->found.rows.count; r++)
	{
		const SdcBasketRow *row = &work->found.rows.row[r];

		if (r == 0 || row->customer != row[-1].customer ||
			row->day != row[-1].day)
		{
			d++;
			days[d].customer = row->customer;
			days[d].day = row->day;
			days[d].difference = -file->day_amount[d];
		}
		days[d].difference += row->price * row->pieces;
	}
	sorted = sort_days(work->host, days, n);
	worst = sdc_subset_error(work->host, sorted, n, file->customers,
							 Min(work->bounds->k, file->customers),
							 work->bounds->span);
	work->host->release(work->host, days);
	work->host->release(work->host, sorted);
	return (double) worst / pow(10, file->digits) /
		   Min(work->bounds->k, file->customers);
}

/* Recency and frequency stay as they are; only money moves. */
static double
measure_rfm(const Work *work)
{
	const SdcBasketFile *file = work->file;
	Size room = (Size) file->customers + 1;
	double *value[4];
	SdcRecencyFile side[2];
	double error;
	int32 i;
	int j;

	for (j = 0; j < 4; j++)
		value[j] = sdc_new(work->host, double, room);
	for (i = 0; i < file->customers; i++)
	{
		SdcBasketDays days = sdcpg_basket_file_days(file, i);

		value[0][i] = -(double) days.day[days.count - 1];
		value[1][i] = days.count;
		value[2][i] = (double) file->amount[i];
		value[3][i] = (double) work->amount[i];
	}
	for (j = 0; j < 2; j++)
	{
		side[j].n = file->customers;
		side[j].value[0] = value[0];
		side[j].value[1] = value[1];
		side[j].value[2] = value[2 + j];
	}
	error = sdc_recency_classes_error(work->host, &side[0], &side[1],
									  work->bounds->classes);
	for (j = 0; j < 4; j++)
		work->host->release(work->host, value[j]);
	return error;
}

static bool
holds(const Work *work)
{
	const SdcBasketBounds *bounds = work->bounds;

	return (isinf(bounds->cmae) || measure_cmae(work) <= bounds->cmae) &&
		   (isinf(bounds->subset) || measure_subset(work) <= bounds->subset) &&
		   (isinf(bounds->rfm) || measure_rfm(work) <= bounds->rfm);
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
	work->plan.customers = file->customers;
	work->plan.need = work->need;
	work->plan.pieces = work->pieces;
	work->plan.amount = work->amount;
}

SdcBasketClusters
sdcpg_basket_clusters_make(const SdcBasketFile *file,
						   const SdcBasketBounds *bounds, SdcRandom *random)
{
	int32 least = 1;
	Work work;

	start(&work, file, bounds);
	if (file->customers == 0)
		return work.found;
	for (;;)
	{
		work.centres = sdc_set_centres_choose(work.host, &file->sets,
											  bounds->jaccard, least);
		work.found.clusters = work.centres.count;
		number_groups(&work);
		make_room(&work);
		if (try_clusters(&work, random))
			return work.found;
		if (work.centres.count == file->customers)
			ereport(ERROR, (errcode(ERRCODE_DATA_EXCEPTION),
							errmsg("the bounds hold for no clusters")));
		least = Min(work.centres.count + Max(work.centres.count / 16, 1),
					file->customers);
	}
}
