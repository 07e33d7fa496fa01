/*
 * belief.c
 *		Probabilities of links when each record has at most one person.
 *
 * Belief propagation on the graph of candidates.  A row tells each of its
 * columns how much it wants it, given its other choices; a column tells each
 * of its rows how free it is of the others.  With w the weight of an entry,
 *		free = 1 / (free_weight + sum of the other rows' wants)
 *		want = w / (outside + sum over the row's other entries of w free)
 *		chance = want free / (1 + want free).
 * Wants are damped by the geometric mean with the round before, and rows
 * are passed one after the other, each on what the rows before it said.  What
 * short cycles make too sure is weighed again, region by region.
 *
 * Where lists are cut, a row may have a column that is not on its list.  These
 * are taken together: they are as free as columns are on the average, and the
 * rows that want them want each column a little.
 */
#include "kernel/intruder/match.h"

#include <math.h>
#include <string.h>

#include "kernel/base/elementary.h"

/* Rounds end when no chance changes by more. */
#define CHANGE 1e-3f

/* Bounds that keep the messages finite. */
#define MOST_WANT  1e9f
#define LEAST_FREE 1e-6f

/* Weight of staying outside beside the row's best at least: as rare as an
 * entry that is not worth listing, and within the range of the bounds. */
#define LEAST_OUTSIDE 1e-8f

/*
 * Rows whose chances change by less than half of that rest, but for the first
 * rounds and then every so many.
 */
#define FIRST 4
#define WAKE  8

/* Rows between two polls. */
#define POLL_ROWS   4096
#define REGION_POLL 256

typedef struct Belief
{
	const SdcMatchLists *lists;
	float *weight;
	float *want;
	double *sum;    /* wants of a column */
	float *spare;   /* its weight of having no row */
	float *stay;    /* by row: weight of staying outside */
	float *rest;    /* of columns that are not listed, each as free as 1 */
	float *outside; /* of both */
	float *total;   /* of all that a row may have, when it was passed last */
	float little;   /* what rows want of each column that they do not list */
	uint8_t *awake; /* rows whose chances still change */
	float *now;     /* scratch of a row: what it wants, */
	float *change;  /* and how much its chances change */
} Belief;

/*
 * Weights of a row, its largest being 1; returns that of staying outside, and
 * in *scale the log of what the weights were divided by.
 */
static float
row_weights(const SdcMatchLists *lists, int32_t row, float *weight,
			float *scale)
{
	int64_t first = lists->first[row];
	int32_t n = (int32_t) (lists->first[row + 1] - first);
	float top = lists->outside[row];
	int32_t k;

	for (k = 0; k < n; k++)
		top = lists->score[first + k] > top ? lists->score[first + k] : top;
	for (k = 0; k < n; k++)
		weight[k] = sdc_exp_float(lists->score[first + k] - top);
	*scale = top;
	return isinf(lists->outside[row])
			   ? 0
			   : sdc_exp_float(lists->outside[row] - top);
}

/* The weight of the columns that a row has not listed, on its scale. */
static float
rest_weight(const SdcMatchLists *lists, int32_t row, float scale)
{
	return lists->rest == NULL || isinf(lists->rest[row])
			   ? 0
			   : sdc_exp_float(lists->rest[row] - scale);
}

void
sdc_match_alone(SdcHost *host, const SdcMatchLists *lists, float *chance,
				float *inside)
{
	int32_t row;

	for (row = 0; row < lists->rows; row++)
	{
		int64_t first = lists->first[row];
		int64_t end = lists->first[row + 1];
		float scale;
		float outside = row_weights(lists, row, chance + first, &scale);
		float sum = outside + rest_weight(lists, row, scale);
		int64_t e;

		if (row % POLL_ROWS == 0)
			host->poll(host, (uint64_t) row, (uint64_t) lists->rows);
		for (e = first; e < end; e++)
			sum += chance[e];
		for (e = first; e < end; e++)
			chance[e] /= sum;
		inside[row] = first == end ? 0 : 1 - outside / sum;
	}
}

/* How free the columns of a row are of the wants of its other rows. */
static SDC_CLONES void
hear_columns(const double *restrict sum, const float *restrict spare,
			 float little, const int32_t *restrict column,
			 const float *restrict want, int32_t n, float *restrict give)
{
	int32_t k;

	for (k = 0; k < n; k++)
	{
		float others = (float) (sum[column[k]] - (double) want[k]);

		others = others < 0 ? 0 : others;
		give[k] = 1 / (others + spare[column[k]] + little);
	}
}

/*
 * What a row now wants of its columns, whose weights sum up to sum as far as
 * they are free; makes chances of how free they are, and tells how much each
 * changed.
 */
static SDC_CLONES void
make_wants(const float *restrict weight, const float *restrict want, float sum,
		   int32_t n, float *restrict chance, float *restrict wants,
		   float *restrict change)
{
	int32_t k;

	for (k = 0; k < n; k++)
	{
		float give = chance[k];
		float had = weight[k] * give;
		float rest = sum - had;
		float now;
		float before;

		rest = rest < 1e-6f * sum ? 1e-6f * sum : rest;
		now = weight[k] / rest;
		now = now > MOST_WANT ? MOST_WANT : now;
		now = sqrtf(now * want[k]);
		before = want[k] * give / (1 + want[k] * give);
		change[k] = fabsf(before - now * give / (1 + now * give));
		wants[k] = now;
		chance[k] = had / sum;
	}
}

/* What a row wants of its columns while these have said nothing. */
static void
begin_wants(const float *weight, float sum, int32_t n, float *chance,
			float *wants)
{
	int32_t k;

	for (k = 0; k < n; k++)
	{
		float rest = sum - weight[k];

		rest = rest < 1e-6f * sum ? 1e-6f * sum : rest;
		wants[k] = weight[k] / rest;
		wants[k] = wants[k] > MOST_WANT ? MOST_WANT : wants[k];
		chance[k] = weight[k] / sum;
	}
}

/*
 * Passes the messages of one row; returns the greatest change of a chance.
 * The sums of its columns change at once, so later rows see it.  What has no
 * order is apart from what has, so that it is done for several columns at a
 * time.
 */
static float
pass_row(Belief *b, int32_t row, bool begin, float *chance, float *inside)
{
	const SdcMatchLists *lists = b->lists;
	const int32_t *column = lists->column + lists->first[row];
	const float *weight = b->weight + lists->first[row];
	float *want = b->want + lists->first[row];
	int32_t n = (int32_t) (lists->first[row + 1] - lists->first[row]);
	float sum = b->outside[row];
	float change = begin ? 1 : 0;
	int32_t k;

	chance += lists->first[row];
	if (!begin)
		hear_columns(b->sum, b->spare, b->little, column, want, n, chance);
	for (k = 0; k < n; k++)
		sum += begin ? weight[k] : weight[k] * chance[k];
	*inside = n == 0 ? 0 : 1 - b->stay[row] / sum;
	b->total[row] = sum;
	if (begin)
		begin_wants(weight, sum, n, chance, b->now);
	else
		make_wants(weight, want, sum, n, chance, b->now, b->change);
	for (k = 0; k < n; k++)
	{
		if (!begin)
			change = b->change[k] > change ? b->change[k] : change;
		b->sum[column[k]] += (double) b->now[k] - (double) want[k];
		want[k] = b->now[k];
	}
	return change;
}

/* Adds the wants of all columns anew, for rounding does not add up. */
static void
add_wants(Belief *b)
{
	const SdcMatchLists *lists = b->lists;
	int64_t entries = lists->first[lists->rows];
	int32_t column;
	int64_t e;

	for (column = 0; column < lists->columns; column++)
		b->sum[column] = 0;
	for (e = 0; e < entries; e++)
		b->sum[lists->column[e]] += b->want[e];
}

/* How free columns are that are not listed, and how much rows want them. */
static void
pass_rest(Belief *b)
{
	const SdcMatchLists *lists = b->lists;
	double little = 0;
	double freedom = 0;
	int32_t i;

	for (i = 0; i < lists->rows; i++)
		little += b->rest[i] / b->total[i];
	b->little = (float) (little / lists->columns);
	for (i = 0; i < lists->columns; i++)
		freedom += 1 / (b->sum[i] + b->spare[i] + b->little);
	freedom /= lists->columns;
	for (i = 0; i < lists->rows; i++)
		b->outside[i] = b->stay[i] + b->rest[i] * (float) freedom;
}

static void
start_rows(SdcHost *host, const SdcMatchLists *lists, Belief *b)
{
	size_t rows = (size_t) lists->rows + 1;
	int32_t i;

	b->stay = sdc_new(host, float, rows);
	b->rest = sdc_new(host, float, rows);
	b->outside = sdc_new(host, float, rows);
	b->total = sdc_new(host, float, rows);
	b->little = 0;
	for (i = 0; i < lists->rows; i++)
	{
		float top;
		float stay = row_weights(lists, i, b->weight + lists->first[i], &top);

		b->stay[i] = stay < LEAST_OUTSIDE ? LEAST_OUTSIDE : stay;
		b->rest[i] = rest_weight(lists, i, top);
		b->outside[i] = b->stay[i] + b->rest[i];
	}
}

static size_t
longest_list(const SdcMatchLists *lists)
{
	int64_t longest = 0;
	int32_t i;

	for (i = 0; i < lists->rows; i++)
		if (lists->first[i + 1] - lists->first[i] > longest)
			longest = lists->first[i + 1] - lists->first[i];
	return (size_t) longest;
}

static void
start_belief(SdcHost *host, const SdcMatchLists *lists,
			 const SdcMatchBelief *belief, Belief *b)
{
	size_t entries = (size_t) lists->first[lists->rows];
	size_t columns = (size_t) lists->columns;
	size_t i;

	b->lists = lists;
	b->weight = sdc_new(host, float, entries + 1);
	b->want = sdc_new(host, float, entries + 1);
	b->sum = sdc_new(host, double, columns + 1);
	b->spare = sdc_new(host, float, columns + 1);
	b->awake = sdc_new(host, uint8_t, (size_t) lists->rows + 1);
	b->now = sdc_new(host, float, longest_list(lists) + 1);
	b->change = sdc_new(host, float, longest_list(lists) + 1);
	for (i = 0; i < entries; i++)
		b->want[i] = 0;
	for (i = 0; i < columns; i++)
	{
		float spare = belief->free_column != NULL ? belief->free_column[i]
												  : belief->free_weight;

		b->spare[i] = spare < LEAST_FREE ? LEAST_FREE : spare;
	}
	start_rows(host, lists, b);
}

/* ---------------------------------------------------------------------------
 * Regions.
 *
 * Where few compete for few columns the messages come back to who sent them,
 * and what is said is too sure: on two rows that may have each other's column
 * it ends in certainty, be the odds 2 to 1 (Vontobel 2013: the Bethe permanent
 * of two rows is the greater of its two products).  So each row is weighed
 * once more together with its strongest rivals: all ways to give them
 * different columns are counted, and only the rest of the world tells how
 * free a column is by its messages (as in the loop corrections of Montanari
 * and Rizzo 2005).
 */

/* Rows of a region, and columns of which no two of them may have one. */
#define REGION_ROWS    5
#define REGION_COLUMNS 6

/* Ties between rows that are below it change little. */
#define LEAST_TIE 1e-3f

/* How many ties of a row are kept, its strongest ones. */
#define KEPT_TIES 16

/* The same of the chance of an entry that ties its row to others. */
#define LEAST_CHANCE 1e-2f

/* log LEAST_TIE */
#define LEAST_ODDS (-7.0f)

/* What an exchange of records ties two rows by when it is as likely as not. */
#define EVEN_TIE 0.25f

typedef struct Regions
{
	const Belief *b;
	const float *before; /* chance of each entry by messages */
	/* the entries of a column that have a tie, and their rows */
	int64_t *first;
	int32_t *rival;
	float *rival_chance;
	int64_t *best;   /* by row: its likeliest entry, or -1 */
	float *slack;    /* by row: how much more its best score is than that */
	int32_t *holder; /* by column: the row that most likely has it, or -1 */
	/* by row: its strongest rivals, of which there is room for KEPT_TIES */
	int8_t *kept;
	int32_t *kept_row;
	float *kept_tie;
	/* scratch by row and column, 0 and -1 between regions */
	float *tie;
	float *taken;
	float *most;
	int8_t *place;
	int rows;
	int32_t row[REGION_ROWS];
	int32_t tied; /* rows with a tie to the region */
	int32_t *tied_row;
	int columns;
	int32_t column[REGION_COLUMNS];
	float second[REGION_COLUMNS];
} Regions;

/* Adds to a tie; rows of the region, whose tie is negative, are left alone. */
static inline void
tie_row(Regions *r, int32_t row, float tie)
{
	float before = r->tie[row];

	r->tied_row[r->tied] = row;
	r->tied += before == 0;
	r->tie[row] = before < 0 ? before : before + tie;
}

/* The tie by an exchange of one entry for the likeliest one of its holder. */
static void
tie_holder(Regions *r, int32_t row, int64_t e)
{
	const SdcMatchLists *lists = r->b->lists;
	int64_t own = r->best[row];
	int32_t holder = r->holder[lists->column[e]];
	float odds = lists->score[e] - lists->score[own];
	int64_t back;
	int64_t end;

	if (holder < 0 || holder == row || odds + r->slack[holder] < LEAST_ODDS)
		return;
	end = lists->first[holder + 1];
	for (back = lists->first[holder];
		 back < end && lists->column[back] != lists->column[own]; back++)
		;
	if (back == end)
		return;
	odds += lists->score[back] - lists->score[r->best[holder]];
	if (odds > LEAST_ODDS)
		tie_row(r, holder, EVEN_TIE * sdc_exp_float(odds < 0 ? odds : 0));
}

/* Ties of all rows that compete with one. */
static void
tie_rivals(Regions *r, int32_t row)
{
	const SdcMatchLists *lists = r->b->lists;
	int64_t e;
	int64_t k;

	for (e = lists->first[row]; e < lists->first[row + 1]; e++)
	{
		int32_t column = lists->column[e];

		if (r->before[e] >= LEAST_CHANCE)
			for (k = r->first[column]; k < r->first[column + 1]; k++)
				tie_row(r, r->rival[k], r->before[e] * r->rival_chance[k]);
		tie_holder(r, row, e);
	}
}

/* Puts a tie among the strongest so far, which are in descending order. */
static int
keep_tie(int32_t *rows, float *ties, int n, int32_t row, float tie)
{
	int k;

	if (n == KEPT_TIES && tie <= ties[n - 1])
		return n;
	for (k = n < KEPT_TIES ? n : n - 1; k > 0 && ties[k - 1] < tie; k--)
	{
		rows[k] = rows[k - 1];
		ties[k] = ties[k - 1];
	}
	rows[k] = row;
	ties[k] = tie;
	return n < KEPT_TIES ? n + 1 : n;
}

/*
 * Finds the strongest rivals of a row.  A row is in the regions of several,
 * and to find all its ties takes longer than all else that is done there.
 */
static void
keep_ties(Regions *r, int32_t row)
{
	int32_t *rows = r->kept_row + (size_t) row * KEPT_TIES;
	float *ties = r->kept_tie + (size_t) row * KEPT_TIES;
	int n = 0;
	int32_t k;

	r->tied = 0;
	r->tie[row] = -1;
	tie_rivals(r, row);
	for (k = 0; k < r->tied; k++)
	{
		n = keep_tie(rows, ties, n, r->tied_row[k], r->tie[r->tied_row[k]]);
		r->tie[r->tied_row[k]] = 0;
	}
	r->tie[row] = 0;
	r->kept[row] = (int8_t) n;
}

static void
keep_all_ties(Regions *r, SdcHost *host)
{
	int32_t rows = r->b->lists->rows;
	int32_t i;

	for (i = 0; i < rows; i++)
	{
		if (i % REGION_POLL == 0)
			host->poll(host, (uint64_t) i, (uint64_t) rows);
		keep_ties(r, i);
	}
}

/* The row with the strongest tie to the region, or -1. */
static int32_t
strongest_tie(const Regions *r)
{
	float most = LEAST_TIE;
	int32_t row = -1;
	int32_t k;

	for (k = 0; k < r->tied; k++)
		if (r->tie[r->tied_row[k]] > most)
		{
			row = r->tied_row[k];
			most = r->tie[row];
		}
	return row;
}

/* A row with its strongest rivals, one after the other. */
static void
grow_region(Regions *r, int32_t row)
{
	int32_t k;

	r->rows = 0;
	r->tied = 0;
	while (row >= 0)
	{
		const int32_t *rival = r->kept_row + (size_t) row * KEPT_TIES;
		const float *tie = r->kept_tie + (size_t) row * KEPT_TIES;

		if (r->tie[row] == 0)
			r->tied_row[r->tied++] = row;
		r->tie[row] = -1;
		r->row[r->rows++] = row;
		if (r->rows == REGION_ROWS)
			break;
		for (k = 0; k < r->kept[row]; k++)
			tie_row(r, rival[k], tie[k]);
		row = strongest_tie(r);
	}
	for (k = 0; k < r->tied; k++)
		r->tie[r->tied_row[k]] = 0;
}

/* How free a column is of so much of the wants of its rows. */
static inline float
free_without(const Belief *b, int32_t column, float wants)
{
	float others = (float) (b->sum[column] - (double) wants);

	return 1 / ((others < 0 ? 0 : others) + b->spare[column] + b->little);
}

/*
 * Takes a column that two rows have, in the place of another one if that
 * matters less: second is the weight of the second row.
 */
static void
take_column(Regions *r, int32_t column, float second)
{
	int at = r->place[column];
	int k;

	if (at >= 0)
	{
		r->second[at] = fmaxf(second, r->second[at]);
		return;
	}
	if (r->columns < REGION_COLUMNS)
		at = r->columns++;
	else
	{
		for (at = 0, k = 1; k < REGION_COLUMNS; k++)
			at = r->second[k] < r->second[at] ? k : at;
		if (r->second[at] >= second)
			return;
		r->place[r->column[at]] = -1;
	}
	r->column[at] = column;
	r->second[at] = second;
	r->place[column] = (int8_t) at;
}

/* The columns for which two rows of the region compete most. */
static void
choose_columns(Regions *r)
{
	const SdcMatchLists *lists = r->b->lists;
	int64_t e;
	int k;

	r->columns = 0;
	for (k = 0; k < r->rows; k++)
		for (e = lists->first[r->row[k]]; e < lists->first[r->row[k] + 1]; e++)
			r->taken[lists->column[e]] += r->b->want[e];
	for (k = 0; k < r->rows; k++)
		for (e = lists->first[r->row[k]]; e < lists->first[r->row[k] + 1]; e++)
		{
			int32_t column = lists->column[e];
			float most = r->most[column];
			float weight =
				r->b->weight[e] * free_without(r->b, column, r->taken[column]);

			if (most > 0)
				take_column(r, column, weight < most ? weight : most);
			r->most[column] = weight > most ? weight : most;
		}
}

/* Columns of the region are as free of rows outside as messages say. */
static float
free_of_others(const Regions *r, int64_t e)
{
	int32_t column = r->b->lists->column[e];

	return free_without(
		r->b, column, r->place[column] < 0 ? r->b->want[e] : r->taken[column]);
}

/*
 * One more row of the region: ways[set] is the weight of all ways in which the
 * rows so far have these columns of the region.
 */
static void
add_ways(const Regions *r, int32_t row, double *ways)
{
	const SdcMatchLists *lists = r->b->lists;
	double gain[REGION_COLUMNS] = {0};
	double rest = r->b->outside[row];
	double sum = 0;
	int sets = 1 << r->columns;
	int64_t e;
	int set;
	int c;

	for (e = lists->first[row]; e < lists->first[row + 1]; e++)
	{
		int place = r->place[lists->column[e]];
		double weight = (double) r->b->weight[e] * free_of_others(r, e);

		if (place < 0)
			rest += weight;
		else
			gain[place] = weight;
	}
	/* larger sets first, for they come from smaller ones */
	for (set = sets - 1; set >= 0; set--)
	{
		double way = ways[set] * rest;

		for (c = 0; c < r->columns; c++)
			if ((set >> c & 1) != 0)
				way += ways[set ^ (1 << c)] * gain[c];
		ways[set] = way;
		sum += way;
	}
	for (set = 0; set < sets; set++)
		ways[set] /= sum;
}

/* The chances of a row, given the ways of the others; returns being inside. */
static float
weigh_row(const Regions *r, int32_t row, const double *ways, float *chance)
{
	const SdcMatchLists *lists = r->b->lists;
	double left[REGION_COLUMNS] = {0};
	double sum = r->b->outside[row];
	int64_t e;
	int set;
	int c;

	for (set = 0; set < 1 << r->columns; set++)
		for (c = 0; c < r->columns; c++)
			left[c] += (set >> c & 1) != 0 ? 0 : ways[set];
	for (e = lists->first[row]; e < lists->first[row + 1]; e++)
	{
		int place = r->place[lists->column[e]];

		chance[e] = r->b->weight[e] * free_of_others(r, e) *
					(place < 0 ? 1 : (float) left[place]);
		sum += chance[e];
	}
	for (e = lists->first[row]; e < lists->first[row + 1]; e++)
		chance[e] /= (float) sum;
	return (float) (1 - r->b->stay[row] / sum);
}

static void
clear_region(Regions *r)
{
	const SdcMatchLists *lists = r->b->lists;
	int64_t e;
	int k;

	for (k = 0; k < r->rows; k++)
		for (e = lists->first[r->row[k]]; e < lists->first[r->row[k] + 1]; e++)
		{
			r->taken[lists->column[e]] = 0;
			r->most[lists->column[e]] = 0;
			r->place[lists->column[e]] = -1;
		}
}

/* Weighs a row again, in its region. */
static void
weigh_region(Regions *r, int32_t row, float *chance, float *inside)
{
	double ways[1 << REGION_COLUMNS] = {1};
	int k;

	grow_region(r, row);
	if (r->rows < 2)
		return;
	choose_columns(r);
	for (k = 1; k < r->rows; k++)
		add_ways(r, r->row[k], ways);
	*inside = weigh_row(r, row, ways, chance);
	clear_region(r);
}

/* Finds the likeliest entry of each row, and who holds which column. */
static void
find_holders(Regions *r)
{
	const SdcMatchLists *lists = r->b->lists;
	int32_t i;
	int64_t e;

	for (i = 0; i < lists->columns; i++)
		r->holder[i] = -1;
	for (i = 0; i < lists->rows; i++)
	{
		int64_t best = -1;
		float top = -INFINITY;
		int32_t *holder;

		for (e = lists->first[i]; e < lists->first[i + 1]; e++)
		{
			best = best < 0 || r->before[e] > r->before[best] ? e : best;
			top = lists->score[e] > top ? lists->score[e] : top;
		}
		r->best[i] = best;
		if (best < 0)
			continue;
		r->slack[i] = top - lists->score[best];
		holder = &r->holder[lists->column[best]];
		if (*holder < 0 || r->before[r->best[*holder]] < r->before[best])
			*holder = i;
	}
}

/* Puts the entries that tie rows under their columns. */
static void
turn_lists(Regions *r, SdcHost *host)
{
	const SdcMatchLists *lists = r->b->lists;
	int64_t end = lists->first[lists->rows];
	int32_t column;
	int32_t i;
	int64_t e;

	r->first = sdc_new(host, int64_t, (size_t) lists->columns + 2);
	for (column = 0; column < lists->columns + 2; column++)
		r->first[column] = 0;
	for (e = 0; e < end; e++)
		r->first[lists->column[e] + 2] += r->before[e] >= LEAST_CHANCE;
	for (column = 2; column < lists->columns + 2; column++)
		r->first[column] += r->first[column - 1];
	end = r->first[lists->columns + 1];
	r->rival = sdc_new(host, int32_t, (size_t) end + 1);
	r->rival_chance = sdc_new(host, float, (size_t) end + 1);
	for (i = 0; i < lists->rows; i++)
		for (e = lists->first[i]; e < lists->first[i + 1]; e++)
			if (r->before[e] >= LEAST_CHANCE)
			{
				int64_t at = r->first[lists->column[e] + 1]++;

				r->rival[at] = i;
				r->rival_chance[at] = r->before[e];
			}
}

static void
start_regions(SdcHost *host, const Belief *b, const float *before, Regions *r)
{
	size_t rows = (size_t) b->lists->rows + 1;
	size_t columns = (size_t) b->lists->columns + 1;
	size_t i;

	r->b = b;
	r->before = before;
	r->best = sdc_new(host, int64_t, rows);
	r->slack = sdc_new(host, float, rows);
	r->kept = sdc_new(host, int8_t, rows);
	r->kept_row = sdc_new(host, int32_t, rows * KEPT_TIES);
	r->kept_tie = sdc_new(host, float, rows *KEPT_TIES);
	r->tie = sdc_new(host, float, rows);
	r->tied_row = sdc_new(host, int32_t, rows);
	r->holder = sdc_new(host, int32_t, columns);
	r->taken = sdc_new(host, float, columns);
	r->most = sdc_new(host, float, columns);
	r->place = sdc_new(host, int8_t, columns);
	for (i = 0; i < rows; i++)
		r->tie[i] = 0;
	for (i = 0; i < columns; i++)
	{
		r->taken[i] = r->most[i] = 0;
		r->place[i] = -1;
	}
	find_holders(r);
	turn_lists(r, host);
	keep_all_ties(r, host);
}

/* Weighs all rows again, each in its region. */
static void
weigh_regions(SdcHost *host, const Belief *b, float *chance, float *inside)
{
	const SdcMatchLists *lists = b->lists;
	size_t entries = (size_t) lists->first[lists->rows];
	float *before = sdc_new(host, float, entries + 1);
	Regions r;
	int32_t i;

	memcpy(before, chance, entries * sizeof(float));
	start_regions(host, b, before, &r);
	for (i = 0; i < lists->rows; i++)
	{
		if (i % REGION_POLL == 0)
			host->poll(host, (uint64_t) i, (uint64_t) lists->rows);
		if (lists->first[i + 1] - lists->first[i] > 1)
			weigh_region(&r, i, chance, &inside[i]);
	}
	host->release(host, r.first);
	host->release(host, r.rival);
	host->release(host, r.rival_chance);
	host->release(host, r.best);
	host->release(host, r.slack);
	host->release(host, r.kept);
	host->release(host, r.kept_row);
	host->release(host, r.kept_tie);
	host->release(host, r.tie);
	host->release(host, r.tied_row);
	host->release(host, r.holder);
	host->release(host, r.taken);
	host->release(host, r.most);
	host->release(host, r.place);
	host->release(host, before);
}

int
sdc_match_belief(SdcHost *host, const SdcMatchLists *lists,
				 const SdcMatchBelief *belief, float *chance, float *inside)
{
	Belief b;
	float change = 1;
	int round;
	int32_t i;

	host->stage(host, "weighing beliefs");
	start_belief(host, lists, belief, &b);
	for (round = 0; round < belief->rounds && change > CHANGE; round++)
	{
		bool all = round < FIRST || round % WAKE == 0;
		float greatest = 0;

		if (all)
			add_wants(&b);
		if (all && round > 0 && lists->rest != NULL)
			pass_rest(&b);
		for (i = 0; i < lists->rows; i++)
		{
			float x;

			if (i % POLL_ROWS == 0)
				host->poll(host, (uint64_t) round, (uint64_t) belief->rounds);
			if (!all && !b.awake[i])
				continue;
			x = pass_row(&b, i, round == 0, chance, &inside[i]);
			b.awake[i] = x > CHANGE / 2;
			greatest = x > greatest ? x : greatest;
		}
		change = all ? greatest : 1;
	}
	add_wants(&b);
	if (lists->rest != NULL)
		pass_rest(&b);
	weigh_regions(host, &b, chance, inside);
	host->release(host, b.weight);
	host->release(host, b.want);
	host->release(host, b.sum);
	host->release(host, b.spare);
	host->release(host, b.stay);
	host->release(host, b.rest);
	host->release(host, b.outside);
	host->release(host, b.total);
	host->release(host, b.awake);
	host->release(host, b.now);
	host->release(host, b.change);
	return round;
}
