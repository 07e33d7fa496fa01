/*
 * recency_classes.c
 *		Classes of customers by recency, frequency and money: how far two
 *		files differ in them, and histories that keep them.
 *
 * The classes are what is kept of a customer in new histories, and they are
 * dealt out anew within his cluster; all else is drawn.
 */
#include <math.h>
#include <string.h>

#include "kernel/base/host.h"
#include "kernel/base/random.h"
#include "kernel/base/sort.h"
#include "kernel/transaction/recency_classes.h"

/* ----------------------------------------------------------------------
 * How far two files differ.
 * ----------------------------------------------------------------------
 */

#define MOST_CLASSES 100

/* The cuts of one dimension. */
static void
find_cuts(SdcHost *host, const SdcRecencyFile *file, int dimension,
		  int classes, double *cut)
{
	uint64_t *key = sdc_new(host, uint64_t, (size_t) file->n + 1);
	int32_t *row = sdc_new(host, int32_t, (size_t) file->n + 1);
	int32_t i;
	int j;

	for (i = 0; i < file->n; i++)
	{
		key[i] = sdc_sort_key(file->value[dimension][i]);
		row[i] = i;
	}
	sdc_sort_keys(host, key, row, (size_t) file->n);
	for (j = 1; j < classes; j++)
	{
		int64_t place = ((int64_t) file->n * j + classes - 1) / classes;

		cut[j - 1] =
			file->n == 0 ? INFINITY : file->value[dimension][row[place - 1]];
	}
	host->release(host, key);
	host->release(host, row);
}

static int32_t
cell_of(const SdcRecencyFile *file, int32_t i, int classes,
		double cut[][MOST_CLASSES])
{
	int32_t cell = 0;
	int d;

	for (d = 0; d < SDC_RECENCY_CLASSES_DIMENSIONS; d++)
	{
		int above = 0;
		int j;

		for (j = 0; j < classes - 1; j++)
			above += file->value[d][i] > cut[d][j];
		cell = cell * classes + above;
	}
	return cell;
}

static int32_t *
count_cells(SdcHost *host, const SdcRecencyFile *file, int classes,
			double cut[][MOST_CLASSES])
{
	int32_t cells = classes * classes * classes;
	int32_t *count = sdc_new(host, int32_t, (size_t) cells);
	int32_t i;

	memset(count, 0, sizeof(int32_t) * (size_t) cells);
	for (i = 0; i < file->n; i++)
	{
		if (i % 1024 == 0)
			host->poll(host, (uint64_t) i, (uint64_t) file->n);
		count[cell_of(file, i, classes, cut)]++;
	}
	return count;
}

double
sdc_recency_classes_error(SdcHost *host, const SdcRecencyFile *original,
						  const SdcRecencyFile *masked, int classes)
{
	double cut[SDC_RECENCY_CLASSES_DIMENSIONS][MOST_CLASSES];
	int32_t cells = classes * classes * classes;
	double differ = 0;
	double whole = 0;
	int32_t *before;
	int32_t *after;
	int32_t c;
	int d;

	for (d = 0; d < SDC_RECENCY_CLASSES_DIMENSIONS; d++)
		find_cuts(host, original, d, classes, cut[d]);
	before = count_cells(host, original, classes, cut);
	after = count_cells(host, masked, classes, cut);
	for (c = 0; c < cells; c++)
	{
		double h = before[c];
		double g = after[c];

		differ += (h - g) * (h - g);
		whole += h * h + g * g;
	}
	host->release(host, before);
	host->release(host, after);
	return whole == 0 ? NAN : sqrt(differ / whole);
}

/* ----------------------------------------------------------------------
 * New histories.
 * ----------------------------------------------------------------------
 */

#define DIMENSIONS SDC_RECENCY_CLASSES_DIMENSIONS

/* Draws of a day of the cluster before the file's days are taken. */
#define TRIES 8

typedef struct Draw
{
	SdcHost *host;
	const SdcHistories *old;
	const int32_t *cluster;
	SdcRandom *random;
	int32_t n;
	double *value[DIMENSIONS]; /* recency, frequency, money */
	int32_t *cell;             /* of each customer: its classes */
	int32_t *member;           /* customers, cluster by cluster */
	int32_t *start;            /* clusters + 1: places in member[] */
	int32_t *like;             /* whose classes each customer gets */
	int64_t *days;             /* of the file, ascending, each once */
	int32_t *rank;             /* of each day of histories in days[] */
	int32_t ranks;
	int32_t *pool;      /* days of histories, cluster by cluster */
	int32_t *pool_from; /* clusters + 1: places in pool[] */
	int32_t *drawn;     /* by rank: the customer who has it */
	int32_t *source;    /* by rank: the day whose pieces it has */
	int32_t *chosen;    /* ranks of a customer */
} Draw;

static void
shuffle(SdcRandom *random, int32_t *row, int32_t n)
{
	int32_t i;

	for (i = n - 1; i > 0; i--)
	{
		int32_t j = (int32_t) sdc_random_below(random, (uint64_t) i + 1);
		int32_t other = row[i];

		row[i] = row[j];
		row[j] = other;
	}
}

/* Lists 0 to n - 1 by group[], from 0 to groups - 1; start has groups + 1. */
static int32_t *
list_groups(SdcHost *host, int32_t n, const int32_t *group, int32_t groups,
			int32_t *start)
{
	int32_t *row = sdc_new(host, int32_t, (size_t) n + 1);
	int32_t i;

	memset(start, 0, sizeof(int32_t) * ((size_t) groups + 1));
	for (i = 0; i < n; i++)
		start[group[i]]++;
	for (i = 1; i <= groups; i++)
		start[i] += start[i - 1];
	for (i = n - 1; i >= 0; i--)
		row[--start[group[i]]] = i;
	return row;
}

/* Reads the three figures of each customer, and its classes. */
static void
class_customers(Draw *draw, int classes)
{
	double cut[DIMENSIONS][MOST_CLASSES];
	const SdcHistories *old = draw->old;
	SdcRecencyFile file = {draw->n, {NULL}};
	int64_t e;
	int32_t i;
	int d;

	for (d = 0; d < DIMENSIONS; d++)
		file.value[d] = draw->value[d] =
			sdc_new(draw->host, double, (size_t) draw->n + 1);
	draw->cell = sdc_new(draw->host, int32_t, (size_t) draw->n + 1);
	for (i = 0; i < draw->n; i++)
	{
		double sum = 0;

		for (e = old->first[i]; e < old->first[i + 1]; e++)
			sum += (double) old->amount[e];
		draw->value[0][i] = -(double) old->day[old->first[i + 1] - 1];
		draw->value[1][i] = old->first[i + 1] - old->first[i];
		draw->value[2][i] = sum;
	}
	for (d = 0; d < DIMENSIONS; d++)
		find_cuts(draw->host, &file, d, classes, cut[d]);
	for (i = 0; i < draw->n; i++)
		draw->cell[i] = cell_of(&file, i, classes, cut);
}

/* Deals the classes out within clusters. */
static void
deal_classes(Draw *draw, int32_t clusters)
{
	int32_t c;
	int32_t i;

	draw->start = sdc_new(draw->host, int32_t, (size_t) clusters + 1);
	draw->like = sdc_new(draw->host, int32_t, (size_t) draw->n + 1);
	draw->member =
		list_groups(draw->host, draw->n, draw->cluster, clusters, draw->start);
	for (c = 0; c < clusters; c++)
	{
		int32_t from = draw->start[c];
		int32_t size = draw->start[c + 1] - from;
		int32_t *dealt = sdc_new(draw->host, int32_t, (size_t) size + 1);

		memcpy(dealt, draw->member + from, sizeof(int32_t) * (size_t) size);
		shuffle(draw->random, dealt, size);
		for (i = 0; i < size; i++)
			draw->like[draw->member[from + i]] = dealt[i];
		draw->host->release(draw->host, dealt);
	}
}

static int
compare_cells(int32_t a, int32_t b, void *arg)
{
	const Draw *draw = arg;

	if (draw->cluster[a] != draw->cluster[b])
		return draw->cluster[a] < draw->cluster[b] ? -1 : 1;
	return draw->cell[a] < draw->cell[b] ? -1 : draw->cell[a] > draw->cell[b];
}

/* How many customers are the only ones of their classes in their cluster. */
static int32_t
count_alone(Draw *draw)
{
	int32_t *row = sdc_new(draw->host, int32_t, (size_t) draw->n + 1);
	int32_t alone = 0;
	int32_t i;

	for (i = 0; i < draw->n; i++)
		row[i] = i;
	sdc_sort_rows(draw->host, row, (size_t) draw->n, compare_cells, draw);
	for (i = 0; i < draw->n; i++)
		alone +=
			(i == 0 || compare_cells(row[i - 1], row[i], draw) != 0) &&
			(i == draw->n - 1 || compare_cells(row[i], row[i + 1], draw) != 0);
	draw->host->release(draw->host, row);
	return alone;
}

/*
 * Gives each customer the figure of one who is, in a dimension, of the class
 * that he was dealt: part[] is the class of each cell.
 */
static double *
deal_figures(Draw *draw, int d, int classes, const int32_t *part)
{
	size_t room = (size_t) draw->n + 1;
	int32_t *own = sdc_new(draw->host, int32_t, room);
	int32_t *gets = sdc_new(draw->host, int32_t, room);
	int32_t *start = sdc_new(draw->host, int32_t, (size_t) classes + 1);
	double *figure = sdc_new(draw->host, double, room);
	int32_t *from;
	int32_t *to;
	int32_t i;
	int c;

	for (i = 0; i < draw->n; i++)
	{
		own[i] = part[draw->cell[i]];
		gets[i] = part[draw->cell[draw->like[i]]];
	}
	to = list_groups(draw->host, draw->n, gets, classes, start);
	from = list_groups(draw->host, draw->n, own, classes, start);
	for (c = 0; c < classes; c++)
		shuffle(draw->random, from + start[c], start[c + 1] - start[c]);
	for (i = 0; i < draw->n; i++)
		figure[to[i]] = draw->value[d][from[i]];
	draw->host->release(draw->host, own);
	draw->host->release(draw->host, gets);
	draw->host->release(draw->host, start);
	draw->host->release(draw->host, from);
	draw->host->release(draw->host, to);
	return figure;
}

/* The same in all dimensions; replaces the figures. */
static void
deal_all_figures(Draw *draw, int classes)
{
	int32_t cells = classes * classes * classes;
	int32_t *part = sdc_new(draw->host, int32_t, (size_t) cells);
	double *figure[DIMENSIONS];
	int32_t by = cells / classes;
	int32_t c;
	int d;

	for (d = 0; d < DIMENSIONS; d++)
	{
		for (c = 0; c < cells; c++)
			part[c] = c / by % classes;
		by /= classes;
		figure[d] = deal_figures(draw, d, classes, part);
	}
	for (d = 0; d < DIMENSIONS; d++)
	{
		draw->host->release(draw->host, draw->value[d]);
		draw->value[d] = figure[d];
	}
	draw->host->release(draw->host, part);
}

static int
compare_days(int32_t a, int32_t b, void *arg)
{
	const int64_t *day = ((const Draw *) arg)->old->day;

	return day[a] < day[b] ? -1 : day[a] > day[b];
}

/* Numbers the days of the file, and lists those of each cluster. */
static void
list_days(Draw *draw, int32_t clusters)
{
	const SdcHistories *old = draw->old;
	int32_t m = old->first[draw->n];
	size_t room = (size_t) m + 1;
	int32_t *row = sdc_new(draw->host, int32_t, room);
	int32_t *of = sdc_new(draw->host, int32_t, room);
	int32_t i;
	int32_t e;

	draw->days = sdc_new(draw->host, int64_t, room);
	draw->rank = sdc_new(draw->host, int32_t, room);
	draw->pool_from = sdc_new(draw->host, int32_t, (size_t) clusters + 1);
	for (e = 0; e < m; e++)
		row[e] = e;
	sdc_sort_rows(draw->host, row, (size_t) m, compare_days, draw);
	for (e = 0; e < m; e++)
	{
		if (e == 0 || old->day[row[e]] != old->day[row[e - 1]])
			draw->days[draw->ranks++] = old->day[row[e]];
		draw->rank[row[e]] = draw->ranks - 1;
	}
	for (i = 0; i < draw->n; i++)
		for (e = old->first[i]; e < old->first[i + 1]; e++)
			of[e] = draw->cluster[i];
	draw->pool = list_groups(draw->host, m, of, clusters, draw->pool_from);
	draw->drawn = sdc_new(draw->host, int32_t, room);
	draw->source = sdc_new(draw->host, int32_t, room);
	draw->chosen = sdc_new(draw->host, int32_t, room);
	for (e = 0; e < draw->ranks; e++)
		draw->drawn[e] = -1;
	draw->host->release(draw->host, row);
	draw->host->release(draw->host, of);
}

/* A day of the cluster of a customer, drawn. */
static int32_t
draw_day(Draw *draw, int32_t i)
{
	int32_t c = draw->cluster[i];
	int32_t from = draw->pool_from[c];

	return draw->pool[from + (int32_t) sdc_random_below(
								 draw->random,
								 (uint64_t) (draw->pool_from[c + 1] - from))];
}

/* Takes a day for a customer, unless he has it; returns how many he has. */
static int32_t
take_day(Draw *draw, int32_t i, int32_t rank, int32_t source, int32_t count)
{
	if (draw->drawn[rank] == i)
		return count;
	draw->drawn[rank] = i;
	draw->source[rank] = source;
	draw->chosen[count] = rank;
	return count + 1;
}

/* Draws the days of a customer into chosen[], ascending; returns how many. */
static int32_t
draw_days(Draw *draw, int32_t i)
{
	int64_t last = -(int64_t) draw->value[0][i];
	int32_t wanted = (int32_t) draw->value[1][i];
	int32_t low = 0;
	int32_t high = draw->ranks - 1;
	int32_t count;
	int64_t tries;

	/* the last day is one of the file's */
	while (low < high)
	{
		int32_t middle = low + (high - low) / 2;

		if (draw->days[middle] < last)
			low = middle + 1;
		else
			high = middle;
	}
	if (wanted > low + 1)
		wanted = low + 1;
	count = take_day(draw, i, low, draw_day(draw, i), 0);
	for (tries = (int64_t) TRIES * wanted + 64; count < wanted && tries > 0;
		 tries--)
	{
		int32_t day = draw_day(draw, i);

		if (draw->rank[day] < low)
			count = take_day(draw, i, draw->rank[day], day, count);
	}
	while (count < wanted)
		count = take_day(
			draw, i, (int32_t) sdc_random_below(draw->random, (uint64_t) low),
			draw_day(draw, i), count);
	sdc_sort_few(draw->chosen, count);
	return count;
}

/* The new histories. */
static SdcHistories
draw_histories(Draw *draw)
{
	const SdcHistories *old = draw->old;
	size_t room = (size_t) old->first[draw->n] + 1;
	SdcHistories made = {
		draw->n, sdc_new(draw->host, int32_t, (size_t) draw->n + 1),
		sdc_new(draw->host, int64_t, room), sdc_new(draw->host, int64_t, room),
		sdc_new(draw->host, int64_t, room)};
	int32_t at = 0;
	int32_t i;
	int32_t j;

	for (i = 0; i < draw->n; i++)
	{
		int32_t count = draw_days(draw, i);

		if (i % 1024 == 0)
			draw->host->poll(draw->host, (uint64_t) i, (uint64_t) draw->n);
		made.first[i] = at;
		for (j = 0; j < count; j++, at++)
		{
			int32_t source = draw->source[draw->chosen[j]];

			made.day[at] = draw->days[draw->chosen[j]];
			made.pieces[at] = old->pieces[source];
			made.amount[at] = old->amount[source];
		}
	}
	made.first[draw->n] = at;
	return made;
}

SdcHistories
sdc_recency_classes_draw(SdcHost *host, const SdcHistories *histories,
						 const int32_t *cluster, int32_t clusters, int classes,
						 SdcRandom *random, int64_t *total, int32_t *alone)
{
	Draw draw = {.host = host,
				 .old = histories,
				 .cluster = cluster,
				 .random = random,
				 .n = histories->customers};
	SdcHistories made;
	int32_t i;
	int d;

	class_customers(&draw, classes);
	deal_classes(&draw, clusters);
	*alone = count_alone(&draw);
	deal_all_figures(&draw, classes);
	list_days(&draw, clusters);
	made = draw_histories(&draw);
	for (i = 0; i < draw.n; i++)
		total[i] = (int64_t) draw.value[2][i];
	for (d = 0; d < DIMENSIONS; d++)
		host->release(host, draw.value[d]);
	host->release(host, draw.cell);
	host->release(host, draw.member);
	host->release(host, draw.start);
	host->release(host, draw.like);
	host->release(host, draw.days);
	host->release(host, draw.rank);
	host->release(host, draw.pool);
	host->release(host, draw.pool_from);
	host->release(host, draw.drawn);
	host->release(host, draw.source);
	host->release(host, draw.chosen);
	return made;
}

void
sdc_histories_release(SdcHost *host, SdcHistories *histories)
{
	host->release(host, histories->first);
	host->release(host, histories->day);
	host->release(host, histories->pieces);
	host->release(host, histories->amount);
	memset(histories, 0, sizeof(*histories));
}
