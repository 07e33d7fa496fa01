/*
 * exchange.c
 *		What rank swapping gives away by exchanging values in pairs.
 *
 * If record r is person i's, then the value of r in a swapped column is that
 * of some person j, and j's record is the one that has i's value: the mask
 * exchanges the values of two records, whatever its variant.  So whoever
 * considers r asks of each swapped column whether that other record could be
 * j's as well, by the other columns.  A wrong r is rarely supported by more
 * than one column, and the true one by all.  Where several persons and records
 * share the two values, one pair of them was exchanged, and all pairs are
 * alike before looking: what they say is averaged.
 *
 * A list that ends early may lack the true record, but an exchange names it:
 * where i's best record says that j's is s, s is put on j's list if it is good
 * enough there, and what is best for j is followed in turn.  So a few persons
 * who are sure name everybody; what they named is kept from one search to the
 * next, where only some are searched for.  An exchange of two values that are
 * each one person's says of j's record what is true of i's.
 *
 * Everything is in one piece of memory without pointers, so that several
 * processes can weigh, each some rows.
 */
#include "kernel/intruder/intruder_private.h"

#include <math.h>
#include <string.h>

#include "kernel/base/elementary.h"
#include "kernel/base/random.h"

/* Rows of a block. */
#define BLOCK 256

/* Pairs of persons and records who share two values, at most. */
#define MOST_PAIRS 64

/*
 * of whom so few are followed further, each: what their chains say counts for
 * this much, as those of one person's pairs have pairs in common.
 */
#define FEW_PAIRS 16
#define SHARED    0.85f

/* Records that following may add to a list. */
#define ADDED SDC_INTRUDER_ADDED

/* Of so many rows one may be unsure at the end of its list. */
#define MAY_BE_UNSURE 20

/* Times that a row is followed, on the average, at most. */
#define FOLLOWED 8

/* What a list gains by exchanges counts as no more, as evidence of them. */
#define MUCH 4

/* A chain of exchanges is followed so far at most, each step, then doubled, */
#define DEPTH       64
#define DEPTH_STEPS 8

/* and so far where it only must not deny what is known already, */
#define SHALLOW 2

/* while it says neither less than this nor more than that, */
#define HOPELESS (-3)
#define ENOUGH   25

/*
 * and so many pairs are looked at for one, between two bounds: wrong ones end
 * after a few, and a chain that is cut short tells nobody apart.
 */
#define LEAST_LOOKS 64
#define MOST_LOOKS  512

/* Deviations of what all rows say from which on it is seen, or denied, that
 * values were exchanged. */
#define SEEN   2
#define DENIED 3

/* What exchanges say of a row, less 1, where they exclude nearly everybody. */
#define NOBODY (-0.5)

/* The share of a list that makes its best record sure. */
#define SURE 0.9f

/* Rows, and pairs, between two polls. */
#define POLL_ROWS  1024
#define POLL_PAIRS 64

/* Parts of the values of a column, each of a level of its own. */
#define ZONES 16

/* Pairs by which the levels of a column are found, and deviations of their
 * mean that are chance. */
#define LEVEL_PAIRS 20000
#define CHANCE      3

/* A swapped column; values are numbered among those of the reference. */
typedef struct Column
{
	int term;       /* in the task */
	size_t value;   /* int32 by place of record; -1: not known */
	size_t own;     /* int32 by place of person; -1: nobody's value */
	size_t shares;  /* int32 by value: places of the reference */
	size_t bearers; /* int32 by value: who has it in the original, from .. */
	size_t bearer;  /* int32: place of the person */
	size_t holders; /* the same of records */
	size_t holder;
	int32_t values;
	size_t wrong; /* Wrong: pairs of whom nothing is true */
	int32_t wrongs;
	float level[ZONES]; /* log of what such a pair says */
} Column;

/* A person and a record who did not exchange a value; its zone. */
typedef struct Wrong
{
	int32_t person;
	int32_t record;
	int32_t zone;
} Wrong;

/* The head of the memory. */
typedef struct Exchanges
{
	size_t task; /* of everybody, who is at which place */
	int32_t rows;
	int32_t most_looks; /* pairs looked at for one entry, at most */
	int64_t row_looks;  /* for a row, where several share a value */
	int32_t most;       /* pairs of those who share two values, at most */
	int columns;
	Column column[SDC_INTRUDER_TERMS];
	size_t person; /* int32 place of each row */
	size_t row;    /* int32 row of each place; -1: not searched for */
	size_t first;  /* the lists */
	size_t listed;
	size_t score;
	/* when the scores are weighed, of each row: */
	size_t best;    /* int32 its best record; -1: none */
	size_t top;     /* float its score */
	size_t settled; /* uint8 by column: does the best one name nothing new? */
} Exchanges;

/* ---------------------------------------------------------------------------
 * The memory.
 */

/* What is laid out; without memory only the size is wanted. */
typedef struct Layout
{
	SdcIntruder *intruder;
	const SdcIntruderCandidates *found;
	char *memory;
	size_t used;
	Exchanges head;
} Layout;

static SdcIntruderSearch
search_of_everybody(const SdcIntruder *intruder)
{
	SdcIntruderSearch everybody = {.count = intruder->persons,
								   .room = 1,
								   .depth = SDC_INTRUDER_DEPTH,
								   .share = SDC_INTRUDER_SHARE};

	return everybody;
}

static void *
room_at(const Layout *layout, size_t offset)
{
	return layout->memory == NULL ? NULL : layout->memory + offset;
}

static size_t
reserve(Layout *layout, int64_t count, size_t size)
{
	size_t offset = layout->used;

	layout->used += ((size_t) count * size + 7) / 8 * 8;
	return offset;
}

static size_t
copy(Layout *layout, const void *from, int64_t count, size_t size)
{
	size_t offset = reserve(layout, count, size);

	if (layout->memory != NULL && count > 0)
		memcpy(layout->memory + offset, from, (size_t) count * size);
	return offset;
}

/* Numbers the values of the reference; returns how many there are. */
static int32_t
number_values(const SdcTerm *term, int32_t *number, int32_t *shares)
{
	int32_t values = 0;
	int32_t i;

	for (i = 0; i < term->references; i++)
	{
		if (i == 0 || term->sorted[i] != term->sorted[i - 1])
			shares[values++] = 0;
		shares[values - 1]++;
		number[i] = values - 1;
	}
	return values;
}

/* Who has each value: places in the order of their values. */
static void
list_places(const int32_t *value, int32_t places, int32_t values,
			int32_t *first, int32_t *place)
{
	int32_t i;

	for (i = 0; i <= values; i++)
		first[i] = 0;
	for (i = 0; i < places; i++)
		if (value[i] >= 0)
			first[value[i] + 1]++;
	for (i = 0; i < values; i++)
		first[i + 1] += first[i];
	for (i = places - 1; i >= 0; i--)
		if (value[i] >= 0)
			place[--first[value[i] + 1]] = i;
	/* each first is now that of the value before */
	for (i = 0; i < values; i++)
		first[i] = first[i + 1];
	first[values] = 0;
	for (i = 0; i < places; i++)
		first[values] += value[i] >= 0;
}

static void
fill_column(const Layout *layout, const SdcTerm *term, Column *column)
{
	const SdcIntruder *intruder = layout->intruder;
	SdcHost *host = intruder->host;
	const SdcTask *task = room_at(layout, layout->head.task);
	const int32_t *person = sdc_task_at(task, task->person);
	const int32_t *record = sdc_task_at(task, task->record);
	int32_t *own = room_at(layout, column->own);
	int32_t *value = room_at(layout, column->value);
	int32_t *number = sdc_new(host, int32_t, (size_t) term->references + 1);
	int32_t values =
		number_values(term, number, room_at(layout, column->shares));
	int32_t i;

	column->values = values;
	for (i = 0; i < intruder->persons; i++)
		own[i] = term->own[person[i]] < 0 ? -1 : number[term->own[person[i]]];
	for (i = 0; i < intruder->records; i++)
		value[i] = term->position[record[i]] < 0
					   ? -1
					   : number[term->position[record[i]]];
	list_places(own, intruder->persons, values,
				room_at(layout, column->bearers),
				room_at(layout, column->bearer));
	list_places(value, intruder->records, values,
				room_at(layout, column->holders),
				room_at(layout, column->holder));
	host->release(host, number);
}

static void
lay_out_column(Layout *layout, int t, Column *column)
{
	const SdcIntruder *intruder = layout->intruder;
	const SdcTerm *term = intruder->term[intruder->order[t]];
	int64_t values = term->references + 1;
	size_t size = sizeof(int32_t);

	column->term = t;
	column->value = reserve(layout, intruder->records, size);
	column->own = reserve(layout, intruder->persons, size);
	column->shares = reserve(layout, values, size);
	column->bearers = reserve(layout, values + 1, size);
	column->bearer = reserve(layout, intruder->persons, size);
	column->holders = reserve(layout, values + 1, size);
	column->holder = reserve(layout, intruder->records, size);
	column->wrong = reserve(layout, LEVEL_PAIRS, sizeof(Wrong));
	if (layout->memory != NULL)
		fill_column(layout, term, column);
}

/* At which place of the task each row is, and the other way round. */
static void
fill_rows(const Layout *layout)
{
	const SdcIntruder *intruder = layout->intruder;
	const SdcIntruderCandidates *found = layout->found;
	SdcHost *host = intruder->host;
	const SdcTask *task = room_at(layout, layout->head.task);
	const int32_t *number = sdc_task_at(task, task->person);
	int32_t *person = room_at(layout, layout->head.person);
	int32_t *row = room_at(layout, layout->head.row);
	int32_t *place = sdc_new(host, int32_t, intruder->persons);
	int32_t i;

	for (i = 0; i < intruder->persons; i++)
	{
		place[number[i]] = i;
		row[i] = -1;
	}
	for (i = 0; i < found->lists.rows; i++)
	{
		person[i] = place[found->person[i]];
		row[person[i]] = i;
	}
	host->release(host, place);
}

/* Lays everything out; the same whether there is memory or not. */
static void
lay_out(Layout *layout)
{
	SdcIntruder *intruder = layout->intruder;
	const SdcMatchLists *lists = &layout->found->lists;
	SdcIntruderSearch everybody = search_of_everybody(intruder);
	Exchanges *head = &layout->head;
	int t;

	head->rows = lists->rows;
	head->columns = 0;
	reserve(layout, 1, sizeof(Exchanges));
	head->task =
		reserve(layout, 1, sdc_intruder_task_size(intruder, &everybody));
	if (layout->memory != NULL)
		sdc_intruder_task_fill(intruder, &everybody,
							   layout->memory + head->task);
	for (t = 0; t < intruder->profiles; t++)
		if (intruder->term[intruder->order[t]]->head.rule == SDC_TERM_SWAP)
			lay_out_column(layout, t, &head->column[head->columns++]);
	head->person = reserve(layout, lists->rows, sizeof(int32_t));
	head->row = reserve(layout, intruder->persons, sizeof(int32_t));
	if (layout->memory != NULL)
		fill_rows(layout);
	head->first = copy(layout, lists->first, lists->rows + 1, sizeof(int64_t));
	head->listed = copy(layout, lists->column, lists->first[lists->rows],
						sizeof(int32_t));
	head->score =
		copy(layout, lists->score, lists->first[lists->rows], sizeof(float));
	head->best = reserve(layout, lists->rows, sizeof(int32_t));
	head->top = reserve(layout, lists->rows, sizeof(float));
	head->settled = reserve(layout, (int64_t) lists->rows * head->columns, 1);
}

/* ---------------------------------------------------------------------------
 * What an exchange says.
 */

/* The persons and records who may have exchanged two values. */
typedef struct Partners
{
	const int32_t *person;
	const int32_t *record;
	int32_t persons;
	int32_t records;
	double all; /* pairs, those included of whom he knows nothing */
} Partners;

/* Looks these up; false when they tell nothing. */
static bool
find_partners(const void *memory, const Column *column, int32_t person,
			  int32_t record, Partners *partners)
{
	const int32_t *shares = sdc_task_at(memory, column->shares);
	const int32_t *bearers = sdc_task_at(memory, column->bearers);
	const int32_t *holders = sdc_task_at(memory, column->holders);
	int32_t own = ((int32_t *) sdc_task_at(memory, column->own))[person];
	int32_t value = ((int32_t *) sdc_task_at(memory, column->value))[record];

	if (own < 0 || value < 0 || own == value)
		return false;
	partners->persons = bearers[value + 1] - bearers[value];
	partners->records = holders[own + 1] - holders[own];
	partners->person =
		(int32_t *) sdc_task_at(memory, column->bearer) + bearers[value];
	partners->record =
		(int32_t *) sdc_task_at(memory, column->holder) + holders[own];
	/* more than the reference has: some of what he knows is wrong */
	partners->all = fmax(shares[value], partners->persons) *
					fmax(shares[own], partners->records);
	return partners->persons > 0 && partners->records > 0 &&
		   (int64_t) partners->persons * partners->records <=
			   ((const Exchanges *) memory)->most;
}

/* The part of a column in which a value lies. */
static int
zone_of(const Column *column, int32_t value)
{
	return (int) ((int64_t) value * ZONES / column->values);
}

/* What the exchanges of one person and record are weighed with. */
typedef struct Weighing
{
	SdcSearch *search;
	const void *memory;
	const Exchanges *head;
	int32_t looks; /* pairs looked at */
	int32_t most;  /* that may be */
	bool shared;   /* are chains followed where several share a value? */
} Weighing;

static float weigh(Weighing *weighing, const Column *without, int32_t person,
				   int32_t record, int depth);

/* e^x, without work where it is 1. */
static inline float
exp_of(float x)
{
	return x == 0 ? 1 : sdc_exp_float(x);
}

/* The mean of what so many of all pairs say, with the error rate. */
static float
mean_of(const float *score, int32_t count, double all, float error)
{
	float top = 0;
	float sum = 0;
	float nothing;
	int32_t k;

	for (k = 0; k < count; k++)
		top = score[k] > top ? score[k] : top;
	for (k = 0; k < count; k++)
		sum += exp_of(score[k] - top);
	nothing = exp_of(-top);
	/* pairs of whom he knows nothing say neither yes nor no */
	sum += (float) (all - count) * nothing;
	sum = (1 - error) * sum / (float) all + error * nothing;
	return top + sdc_log_float(sum);
}

/*
 * What the exchange in one column says of a person and a record, the log of a
 * ratio of chances.  That the two values were exchanged is counted where they
 * are compared.  The pair that it names has exchanges of its own in the other
 * columns: depth - 1 further ones are asked, where it is one pair or may be
 * one of few.
 */
static float
weigh_column(Weighing *weighing, const Column *column, int32_t person,
			 int32_t record, int depth)
{
	const void *memory = weighing->memory;
	const SdcTask *task = sdc_task_at(memory, weighing->head->task);
	const int32_t *own = sdc_task_at(memory, column->own);
	Partners partners;
	float score[MOST_PAIRS];
	float level;
	int32_t count;
	int32_t k;

	if (!find_partners(memory, column, person, record, &partners))
		return 0;
	score[0] = 0;
	level = column->level[zone_of(column, own[person])];
	count = partners.persons * partners.records;
	weighing->looks += count;
	for (k = 0; k < count; k++)
		score[k] = sdc_intruder_search_pair(
					   weighing->search, partners.person[k / partners.records],
					   partners.record[k % partners.records], column->term) -
				   level;
	for (k = 0; k < count && depth > 1 &&
				partners.all <= (weighing->shared ? FEW_PAIRS : 1);
		 k++)
		if (score[k] > HOPELESS)
			score[k] +=
				(partners.all > 1 ? SHARED : 1) *
				weigh(weighing, column, partners.person[k / partners.records],
					  partners.record[k % partners.records], depth - 1);
	return mean_of(score, count, partners.all, task->term[column->term].error);
}

/* What all columns but one (NULL: none) say. */
static float
weigh(Weighing *weighing, const Column *without, int32_t person,
	  int32_t record, int depth)
{
	float sum = 0;
	int c;

	for (c = 0; c < weighing->head->columns; c++)
	{
		const Column *column = &weighing->head->column[c];

		if (depth > 1 && weighing->looks > weighing->most)
			break;
		if (column != without)
			sum += weigh_column(weighing, column, person, record, depth);
		if (sum > ENOUGH || sum < -ENOUGH)
			break;
	}
	return sum;
}

/*
 * What all exchanges of a person and a record say: chains are made longer as
 * long as they say neither no nor enough, up to such a depth.  One that would
 * be too long says what it said before.  Those of shared values branch, and
 * are followed while any of the looks are left that the row has.
 */
static float
supports(SdcSearch *search, const void *memory, int32_t person, int32_t record,
		 int most_depth, int64_t *left)
{
	const Exchanges *head = memory;
	Weighing weighing = {search, memory, head, 0, head->most_looks, *left > 0};
	float sum = weigh(&weighing, NULL, person, record, 1);
	int32_t last = 0;
	int depth;

	for (depth = 2; depth <= most_depth && sum > HOPELESS && sum < ENOUGH &&
					weighing.looks > last;
		 depth += depth < DEPTH_STEPS ? 1 : depth)
	{
		float further;

		last = weighing.looks;
		weighing.looks = 0;
		further = weigh(&weighing, NULL, person, record, depth);
		*left -= weighing.looks;
		if (weighing.looks > weighing.most)
			break;
		sum = further;
	}
	return sum;
}

/* ---------------------------------------------------------------------------
 * What a pair says that means nothing.
 *
 * Scores compare with a record drawn from the whole file.  Of two records that
 * were exchanged in one column both are near there, and where columns are
 * correlated, near in the others as well, so a wrong pair says something too.
 * How much is the mean over pairs whose values lie a little off those of an
 * entry of the lists, by the same ranks both.
 */

/* A person and a record a little off an entry; false: there are none. */
static bool
draw_wrong_pair(const void *memory, const Column *column, SdcRandom *random,
				int32_t own, int32_t value, int32_t *person, int32_t *record)
{
	const int32_t *bearers = sdc_task_at(memory, column->bearers);
	const int32_t *holders = sdc_task_at(memory, column->holders);
	const int32_t *bearer = sdc_task_at(memory, column->bearer);
	const int32_t *holder = sdc_task_at(memory, column->holder);
	int32_t shift = 1 + (int32_t) sdc_random_below(
							random, (uint64_t) column->values / 64 + 3);

	if (sdc_random_below(random, 2) == 0)
		shift = -shift;
	own += shift;
	value += shift;
	if (own < 0 || value < 0 || own >= column->values ||
		value >= column->values || bearers[value] == bearers[value + 1] ||
		holders[own] == holders[own + 1])
		return false;
	*person =
		bearer[bearers[value] +
			   (int32_t) sdc_random_below(
				   random, (uint64_t) (bearers[value + 1] - bearers[value]))];
	*record =
		holder[holders[own] +
			   (int32_t) sdc_random_below(
				   random, (uint64_t) (holders[own + 1] - holders[own]))];
	return true;
}

/* Draws the pairs by which the levels of a column are found. */
static void
draw_wrong_pairs(void *memory, Column *column, SdcRandom *random)
{
	const Exchanges *head = memory;
	const int64_t *first = sdc_task_at(memory, head->first);
	const int32_t *listed = sdc_task_at(memory, head->listed);
	const int32_t *place = sdc_task_at(memory, head->person);
	const int32_t *own = sdc_task_at(memory, column->own);
	const int32_t *value = sdc_task_at(memory, column->value);
	Wrong *wrong = sdc_task_at(memory, column->wrong);
	int k;

	column->wrongs = 0;
	for (k = 0; k < LEVEL_PAIRS && head->rows > 0; k++)
	{
		int32_t row =
			(int32_t) sdc_random_below(random, (uint64_t) head->rows);
		int32_t n = (int32_t) (first[row + 1] - first[row]);
		int32_t from = own[place[row]];
		int32_t to;

		if (n == 0 || from < 0)
			continue;
		to = value[listed[first[row] +
						  (int64_t) sdc_random_below(random, (uint64_t) n)]];
		if (to < 0 || to == from ||
			!draw_wrong_pair(memory, column, random, from, to, &wrong->person,
							 &wrong->record))
			continue;
		wrong->zone = zone_of(column, from);
		wrong++;
		column->wrongs++;
	}
}

static void
draw_all_wrong_pairs(const SdcIntruder *intruder, void *memory)
{
	SdcHost *host = intruder->host;
	Exchanges *head = memory;
	SdcRandom random;
	int c;

	sdc_random_seed(&random, intruder->seed, UINT64_C(0x6C6576656C));
	for (c = 0; c < head->columns; c++)
	{
		host->poll(host, (uint64_t) c, (uint64_t) head->columns);
		draw_wrong_pairs(memory, &head->column[c], &random);
	}
}

/*
 * The level of pairs that mean nothing: the mean of so many ratios.  Below 1
 * it is only where that is no chance, as by a law that is wider than the file:
 * what is said of each pair would be too much.
 */
static float
level_of(double sum, double squares, int32_t pairs)
{
	double mean = sum / pairs;
	double deviation = squares / pairs - mean * mean;

	if (mean < 1)
		mean = fmin(1, mean + CHANCE * sqrt(fmax(deviation, 0) / pairs));
	return mean > 0 ? sdc_log_float((float) mean) : 0;
}

/* The levels of a column. */
static void
find_level(SdcHost *host, SdcSearch *search, void *memory, Column *column)
{
	const Wrong *wrong = sdc_task_at(memory, column->wrong);
	double sum[ZONES] = {0};
	double squares[ZONES] = {0};
	int32_t pairs[ZONES] = {0};
	int k;

	for (k = 0; k < column->wrongs; k++)
	{
		double ratio;

		if (k % POLL_PAIRS == 0)
			host->poll(host, (uint64_t) k, (uint64_t) column->wrongs);
		ratio = sdc_exp_float(sdc_intruder_search_pair(
			search, wrong[k].person, wrong[k].record, column->term));
		sum[wrong[k].zone] += ratio;
		squares[wrong[k].zone] += ratio * ratio;
		pairs[wrong[k].zone]++;
	}
	for (k = 0; k < ZONES; k++)
		column->level[k] =
			pairs[k] > 0 ? level_of(sum[k], squares[k], pairs[k]) : 0;
}

size_t
sdc_intruder_exchange_size(SdcIntruder *intruder,
						   const SdcIntruderCandidates *found)
{
	Layout layout = {.intruder = intruder, .found = found};

	lay_out(&layout);
	return layout.used;
}

/* As much of a work as each of so many may have, between two bounds. */
static int32_t
share_of_work(int64_t work, double many, int32_t least, int32_t most)
{
	return (int32_t) fmin(fmax((double) work / many, least), most);
}

void
sdc_intruder_exchange_fill(SdcIntruder *intruder,
						   const SdcIntruderCandidates *found, int64_t work,
						   void *memory)
{
	Layout layout = {.intruder = intruder, .found = found};
	Exchanges *head = &layout.head;
	double profiles =
		(double) (found->lists.first[found->lists.rows] + 1) * intruder->terms;

	layout.memory = memory;
	lay_out(&layout);
	head->most = share_of_work(work, profiles * head->columns, 1, MOST_PAIRS);
	/* few chains are long */
	head->most_looks =
		share_of_work(8 * work, profiles, LEAST_LOOKS, MOST_LOOKS);
	/* lists may be weighed anew, with twice the room each time */
	head->row_looks = work / 8 / (head->rows + 1);
	memcpy(memory, head, sizeof(*head));
	draw_all_wrong_pairs(intruder, memory);
}

/* ---------------------------------------------------------------------------
 * The blocks: first the levels of each column, then the rows.
 */

uint64_t
sdc_intruder_exchange_blocks(const void *memory)
{
	const Exchanges *head = memory;

	return (uint64_t) head->columns +
		   ((uint64_t) head->rows + BLOCK - 1) / BLOCK;
}

uint64_t
sdc_intruder_exchange_first(const void *memory)
{
	return (uint64_t) ((const Exchanges *) memory)->columns;
}

/* Is a record on the list of a row, as it was searched for? */
static bool
is_listed(const void *memory, int32_t row, int32_t record)
{
	const Exchanges *head = memory;
	const int64_t *first = sdc_task_at(memory, head->first);
	const int32_t *listed = sdc_task_at(memory, head->listed);
	int64_t e;

	for (e = first[row]; e < first[row + 1]; e++)
		if (listed[e] == record)
			return true;
	return false;
}

/* The pair of the partners that fits best. */
static int32_t
best_pair(SdcSearch *search, const Column *column, const Partners *partners)
{
	int32_t count = partners->persons * partners->records;
	int32_t best = 0;
	float top = -INFINITY;
	int32_t k;

	for (k = 0; k < count && count > 1; k++)
	{
		float score = sdc_intruder_search_pair(
			search, partners->person[k / partners->records],
			partners->record[k % partners->records], column->term);

		if (score > top)
		{
			top = score;
			best = k;
		}
	}
	return best;
}

/*
 * Does a person's record name nobody in a column, or somebody whose list has
 * what is named?
 */
static bool
names_nothing(SdcSearch *search, const void *memory, const Column *column,
			  int32_t person, int32_t record)
{
	const int32_t *row =
		sdc_task_at(memory, ((const Exchanges *) memory)->row);
	Partners partners;
	int32_t pair;
	int32_t other;

	if (!find_partners(memory, column, person, record, &partners))
		return true;
	pair = best_pair(search, column, &partners);
	other = row[partners.person[pair / partners.records]];
	return other >= 0 &&
		   is_listed(memory, other, partners.record[pair % partners.records]);
}

/* Weighs the list of a row, and looks where its best record leads. */
static void
weigh_row(SdcHost *host, SdcSearch *search, void *memory, int32_t row)
{
	const Exchanges *head = memory;
	const int64_t *first = sdc_task_at(memory, head->first);
	const int32_t *listed = sdc_task_at(memory, head->listed);
	int32_t person = ((int32_t *) sdc_task_at(memory, head->person))[row];
	float *score = sdc_task_at(memory, head->score);
	uint8_t *settled = sdc_task_at(memory, head->settled);
	int64_t left = head->row_looks;
	float top = -INFINITY;
	int32_t best = -1;
	int64_t e;
	int c;

	for (e = first[row]; e < first[row + 1]; e++)
	{
		if (e % POLL_PAIRS == 0)
			host->poll(host, (uint64_t) row, (uint64_t) head->rows);
		score[e] += supports(search, memory, person, listed[e], DEPTH, &left);
		if (score[e] > top)
		{
			top = score[e];
			best = listed[e];
		}
	}
	((float *) sdc_task_at(memory, head->top))[row] = top;
	((int32_t *) sdc_task_at(memory, head->best))[row] = best;
	settled += (size_t) row * (size_t) head->columns;
	for (c = 0; c < head->columns; c++)
		settled[c] = best < 0 || names_nothing(search, memory,
											   &head->column[c], person, best);
}

void
sdc_intruder_exchange_work(SdcHost *host, void *memory, uint64_t block)
{
	Exchanges *head = memory;
	SdcSearch *search =
		sdc_intruder_search_create(host, sdc_task_at(memory, head->task));
	int32_t start = (int32_t) ((block - (uint64_t) head->columns) * BLOCK);
	int32_t i;

	if (block < (uint64_t) head->columns)
		find_level(host, search, memory, &head->column[block]);
	else
		for (i = start; i < head->rows && i < start + BLOCK; i++)
			weigh_row(host, search, memory, i);
	sdc_intruder_search_release(search);
}

/* ---------------------------------------------------------------------------
 * Following what is likely.
 */

/* What is added to the lists; persons by their places, rows where said. */
typedef struct Following
{
	SdcHost *host;
	const void *memory;
	const Exchanges *head;
	const int64_t *first; /* the lists of the rows, and their scores */
	const int32_t *listed;
	const float *listed_score;
	SdcSearch *search;
	int32_t persons;
	const int32_t *row; /* of each person; -1: not searched for */
	bool others;        /* are those followed, too? */
	float sure;         /* the score that they need */
	int32_t *best;      /* record of each person; -1: none */
	float *top;         /* its score */
	int32_t *queue;     /* persons whose best is to be followed, in a ring */
	uint8_t *waiting;
	int32_t next;
	int32_t length;
	int32_t *count;  /* records added to a row */
	int32_t *column; /* these, ADDED to a row */
	float *score;
} Following;

static void
enqueue(Following *following, int32_t person)
{
	if (following->waiting[person])
		return;
	following->waiting[person] = 1;
	following->queue[((int64_t) following->next + following->length) %
					 following->persons] = person;
	following->length++;
}

/* What was not followed through others is not kept: it would end a chain. */
static void
forget_rows(Following *following)
{
	const int32_t *person =
		sdc_task_at(following->memory, following->head->person);
	int32_t i;

	for (i = 0; i < following->head->rows; i++)
	{
		following->best[person[i]] = -1;
		following->top[person[i]] = -INFINITY;
	}
}

static void
end_following(Following *following)
{
	SdcHost *host = following->host;

	sdc_intruder_search_release(following->search);
	host->release(host, following->queue);
	host->release(host, following->waiting);
	host->release(host, following->count);
	host->release(host, following->column);
	host->release(host, following->score);
}

static bool
was_added(const Following *following, int32_t row, int32_t record)
{
	const int32_t *added = following->column + (size_t) row * ADDED;
	int32_t k;

	for (k = 0; k < following->count[row]; k++)
		if (added[k] == record)
			return true;
	return false;
}

/* Puts a record on the list of a row, in place of the worst added one. */
static void
add_record(Following *following, int32_t row, int32_t record, float score)
{
	size_t from = (size_t) row * ADDED;
	int32_t at = following->count[row];
	int32_t k;

	if (at == ADDED)
	{
		at = 0;
		for (k = 1; k < ADDED; k++)
			if (following->score[from + (size_t) k] <
				following->score[from + (size_t) at])
				at = k;
		if (score <= following->score[from + (size_t) at])
			return;
	}
	else
		following->count[row]++;
	following->column[from + (size_t) at] = record;
	following->score[from + (size_t) at] = score;
}

/*
 * A record may be a person's: it is if what names it is true, which has such a
 * score (-INFINITY: it need not be), and if its own exchanges do not deny it.
 */
static void
name_record(Following *following, int32_t person, int32_t record, float named)
{
	int32_t row = following->row[person];
	int64_t left = following->head->row_looks / FOLLOWED;
	float score;

	if (row < 0 ? following->best[person] == record
				: is_listed(following->memory, row, record) ||
					  was_added(following, row, record))
		return;
	score = named;
	if (!isfinite(named) || supports(following->search, following->memory,
									 person, record, SHALLOW, &left) <= 0)
		score =
			sdc_intruder_search_pair(following->search, person, record, -1) +
			supports(following->search, following->memory, person, record,
					 DEPTH, &left);
	if (row >= 0 &&
		score > following->top[person] - (float) SDC_INTRUDER_DEPTH)
		add_record(following, row, record, score);
	if (score <= following->top[person] ||
		(row < 0 && score < following->sure))
		return;
	following->top[person] = score;
	following->best[person] = record;
	enqueue(following, person);
}

/*
 * Begins with the best of a list, and with what was named before the person
 * was searched for.
 */
static void
begin_row(Following *following, int32_t row, int32_t person)
{
	const Exchanges *head = following->head;
	int32_t named = following->best[person];
	float score = following->top[person];

	following->count[row] = 0;
	following->top[person] =
		((float *) sdc_task_at(following->memory, head->top))[row];
	following->best[person] =
		((int32_t *) sdc_task_at(following->memory, head->best))[row];
	if (following->best[person] >= 0)
		enqueue(following, person);
	if (named >= 0)
		name_record(following, person, named, score);
}

/*
 * others: persons who are not searched for are followed too, where what is
 * said of them is sure by itself; their exchanges lead back to those who are.
 */
static void
begin_following(SdcHost *host, const void *memory, bool others,
				SdcIntruderNamed *named, Following *following)
{
	const Exchanges *head = memory;
	const SdcTask *task = sdc_task_at(memory, head->task);
	const int32_t *person = sdc_task_at(memory, head->person);
	size_t persons = (size_t) task->persons + 1;
	size_t rows = (size_t) head->rows + 1;
	int32_t i;

	*following = (Following){.host = host, .memory = memory, .head = head};
	following->search = sdc_intruder_search_create(host, task);
	following->persons = task->persons;
	following->row = sdc_task_at(memory, head->row);
	following->first = sdc_task_at(memory, head->first);
	following->listed = sdc_task_at(memory, head->listed);
	following->listed_score = sdc_task_at(memory, head->score);
	following->others = others;
	following->sure =
		sdc_log_float((float) task->records) - sdc_log_float(1 / SURE - 1);
	following->best = named->best;
	following->top = named->top;
	following->queue = sdc_new(host, int32_t, persons);
	following->waiting = sdc_new(host, uint8_t, persons);
	following->count = sdc_new(host, int32_t, rows);
	following->column = sdc_new(host, int32_t, rows * ADDED);
	following->score = sdc_new(host, float, rows *ADDED);
	memset(following->waiting, 0, persons);
	for (i = 0; i < head->rows; i++)
	{
		if (i % POLL_PAIRS == 0)
			host->poll(host, (uint64_t) i, (uint64_t) head->rows);
		begin_row(following, i, person[i]);
	}
}

/* Names the partner of a person's best record in one column. */
static void
follow_column(Following *following, const Column *column, int32_t person)
{
	Partners partners;
	int32_t pair;
	int32_t other;

	if (!find_partners(following->memory, column, person,
					   following->best[person], &partners))
		return;
	pair = best_pair(following->search, column, &partners);
	other = partners.person[pair / partners.records];
	if (following->row[other] >= 0 || following->others)
		name_record(following, other, partners.record[pair % partners.records],
					partners.all == 1 &&
							following->top[person] >= following->sure
						? following->top[person]
						: -INFINITY);
}

/* Does the best of a row name nothing new in a column, as was found before? */
static bool
is_settled(const Following *following, int32_t person, int c)
{
	const Exchanges *head = following->head;
	const int32_t *best = sdc_task_at(following->memory, head->best);
	const uint8_t *settled = sdc_task_at(following->memory, head->settled);
	int32_t row = following->row[person];

	return row >= 0 && following->best[person] == best[row] &&
		   settled[(size_t) row * (size_t) head->columns + (size_t) c] != 0;
}

static void
follow(Following *following)
{
	int64_t left = (int64_t) following->head->rows * FOLLOWED +
				   (following->others ? following->persons : 0);
	int c;

	for (; following->length > 0 && left > 0; left--)
	{
		int32_t person = following->queue[following->next];

		if (left % POLL_PAIRS == 0)
			following->host->poll(following->host, (uint64_t) -left, 0);
		following->next = (following->next + 1) % following->persons;
		following->length--;
		following->waiting[person] = 0;
		for (c = 0; c < following->head->columns; c++)
			if (!is_settled(following, person, c))
				follow_column(following, &following->head->column[c], person);
	}
}

/* The lists with what was added, each sorted. */
static void
renew_lists(const Following *following, SdcIntruderCandidates *found)
{
	SdcHost *host = following->host;
	const int64_t *first = following->first;
	const int32_t *listed = following->listed;
	const float *score = following->listed_score;
	int32_t rows = following->head->rows;
	int64_t added = 0;
	int64_t *begin = sdc_new(host, int64_t, (size_t) rows + 1);
	int32_t *column;
	float *scores;
	int32_t i;

	for (i = 0; i < rows; i++)
	{
		begin[i] = first[i] + added;
		added += following->count[i];
	}
	begin[rows] = first[rows] + added;
	column = sdc_new(host, int32_t, (size_t) begin[rows] + 1);
	scores = sdc_new(host, float, (size_t) begin[rows] + 1);
	for (i = 0; i < rows; i++)
	{
		size_t n = (size_t) (first[i + 1] - first[i]);
		size_t more = (size_t) following->count[i];

		memcpy(column + begin[i], listed + first[i], n * 4);
		memcpy(scores + begin[i], score + first[i], n * 4);
		memcpy(column + begin[i] + n, following->column + (size_t) i * ADDED,
			   more * 4);
		memcpy(scores + begin[i] + n, following->score + (size_t) i * ADDED,
			   more * 4);
		sdc_intruder_sort_list(column + begin[i], scores + begin[i],
							   (int32_t) (n + more));
	}
	host->release(host, (void *) found->lists.first);
	host->release(host, (void *) found->lists.column);
	host->release(host, (void *) found->lists.score);
	found->lists.first = begin;
	found->lists.column = column;
	found->lists.score = scores;
	/* what was left out is on another scale now */
	host->release(host, (void *) found->lists.rest);
	found->lists.rest = NULL;
}

/* log of the sum of the weights of a list. */
static float
weight_of(const float *score, int64_t first, int64_t end)
{
	float top = -INFINITY;
	float sum = 0;
	int64_t e;

	for (e = first; e < end; e++)
		top = score[e] > top ? score[e] : top;
	for (e = first; e < end; e++)
		sum += sdc_exp_float(score[e] - top);
	return top + sdc_log_float(sum);
}

/* What the lists say of whether values were exchanged. */
typedef struct Evidence
{
	double more; /* what exchanges say of who is likely, more than nothing */
	double more_squares;
	double seen; /* and more than of the others on his list */
	double seen_squares;
	double likely; /* how much likelier he is than any of them */
	double wrong;  /* of records that are others': how many, what exchanges */
	double sum;    /* say of them as a ratio of chances, its square */
	double sum_squares;
} Evidence;

/* A ratio of chances, capped, so that one alone proves nothing. */
static double
capped_ratio(float gain)
{
	return sdc_exp_float(gain < MUCH ? gain : MUCH);
}

/* Adds a list: its scores without exchanges and with them. */
static void
add_evidence(const float *score, const float *weighed, int64_t records,
			 Evidence *evidence)
{
	float whole = weight_of(score, 0, records);
	double more = capped_ratio(weight_of(weighed, 0, records) - whole) - 1;
	double likely = 0;
	double mean = 0;
	int64_t e;

	for (e = 0; e < records; e++)
	{
		double chance = sdc_exp_float(score[e] - whole);
		double ratio = capped_ratio(weighed[e] - score[e]);

		likely += chance * ratio;
		mean += ratio / (double) records;
		evidence->likely += chance * chance;
	}
	evidence->likely -= 1 / (double) records;
	evidence->more += more;
	evidence->more_squares += more * more;
	evidence->seen += likely - mean;
	evidence->seen_squares += (likely - mean) * (likely - mean);
	for (e = 0; e < records; e++)
	{
		double ratio = capped_ratio(weighed[e] - score[e]);
		double wrong =
			fmax(0, 1 - sdc_exp_float(score[e] - whole) * ratio / likely);

		evidence->wrong += wrong;
		evidence->sum += wrong * ratio;
		evidence->sum_squares += wrong * ratio * ratio;
	}
}

static Evidence
find_evidence(SdcHost *host, const void *memory,
			  const SdcIntruderCandidates *found)
{
	const int64_t *first = found->lists.first;
	const float *weighed =
		sdc_task_at(memory, ((const Exchanges *) memory)->score);
	Evidence evidence = {0};
	int32_t i;

	for (i = 0; i < found->lists.rows; i++)
	{
		if (i % POLL_ROWS == 0)
			host->poll(host, (uint64_t) i, (uint64_t) found->lists.rows);
		if (first[i + 1] > first[i])
			add_evidence(found->lists.score + first[i], weighed + first[i],
						 first[i + 1] - first[i], &evidence);
	}
	return evidence;
}

/* Is a sum seen not to be chance? */
static bool
is_seen(double sum, double squares)
{
	return sum > 0 && sum * sum > SEEN * SEEN * squares;
}

/*
 * Are values exchanged in pairs at all?  Not every program that calls itself
 * rank swapping does so.  Where they are not, what exchanges say of a record
 * is 1 on the average, as a ratio of chances, whether it is likely without
 * them or not.  Where they are, they say more of who is likely: more than 1,
 * which is seen where they say much, and more than of the others on his list,
 * which is seen where they say little, and where laws that are learned have
 * their own average.  By how much more is expected, for a ratio of chances has
 * the mean of its squares where it is true.  Where the program is known to
 * exchange, only files that deny it count.
 */
static bool
exchanges_hold(SdcHost *host, const void *memory,
			   const SdcIntruderCandidates *found, bool known)
{
	Evidence evidence = find_evidence(host, memory, found);
	double wrong = fmax(evidence.wrong, 1);
	double mean = evidence.sum / wrong;
	double expected =
		evidence.likely * (evidence.sum_squares / wrong - mean * mean);
	double denied = expected - DENIED * sqrt(evidence.seen_squares);

	if (known && evidence.seen >= denied &&
		evidence.more > NOBODY * found->lists.rows)
		return true;
	return is_seen(evidence.more, evidence.more_squares) ||
		   (is_seen(evidence.seen, evidence.seen_squares) &&
			evidence.seen > expected / 2);
}

/* Lists of so many records whose best one is not sure. */
static int32_t
count_unsure(const int64_t *first, const float *score, int32_t rows,
			 int64_t room)
{
	int32_t unsure = 0;
	int32_t i;

	for (i = 0; i < rows; i++)
	{
		float top = -INFINITY;
		int64_t e;

		if (first[i + 1] - first[i] < room)
			continue;
		for (e = first[i]; e < first[i + 1]; e++)
			top = score[e] > top ? score[e] : top;
		unsure += top - weight_of(score, first[i], first[i + 1]) <
				  sdc_log_float(SURE);
	}
	return unsure;
}

int32_t
sdc_intruder_unsure(const SdcIntruderCandidates *found, int32_t room)
{
	return count_unsure(found->lists.first, found->lists.score,
						found->lists.rows, room);
}

/* Is following those who are not searched for worth it, or asked for? */
static bool
needs_others(const void *memory, const SdcIntruderNamed *named)
{
	const Exchanges *head = memory;
	const SdcTask *task = sdc_task_at(memory, head->task);
	const int64_t *first = sdc_task_at(memory, head->first);
	int64_t longest = 1;
	int32_t i;

	for (i = 0; i < head->rows; i++)
		if (first[i + 1] - first[i] > longest)
			longest = first[i + 1] - first[i];
	return head->rows < task->persons &&
		   (named->others ||
			count_unsure(first, sdc_task_at(memory, head->score), head->rows,
						 longest) > head->rows / MAY_BE_UNSURE);
}

SdcIntruderNamed *
sdc_intruder_named_create(SdcHost *host, const SdcIntruder *intruder)
{
	size_t persons = (size_t) intruder->persons + 1;
	SdcIntruderNamed *named = sdc_new(host, SdcIntruderNamed, 1);
	size_t i;

	named->known = named->hold = named->others = named->kept = false;
	named->best = sdc_new(host, int32_t, persons);
	named->top = sdc_new(host, float, persons);
	for (i = 0; i < persons; i++)
	{
		named->best[i] = -1;
		named->top[i] = -INFINITY;
	}
	return named;
}

void
sdc_intruder_named_release(SdcHost *host, SdcIntruderNamed *named)
{
	host->release(host, named->best);
	host->release(host, named->top);
	host->release(host, named);
}

void
sdc_intruder_exchange_take(SdcHost *host, const void *memory,
						   SdcIntruderNamed *named,
						   SdcIntruderCandidates *found)
{
	Following following;

	named->hold =
		named->hold || exchanges_hold(host, memory, found, named->known);
	if (!named->hold)
		return;
	begin_following(host, memory, needs_others(memory, named), named,
					&following);
	follow(&following);
	renew_lists(&following, found);
	named->kept = named->kept || following.others;
	if (!named->kept)
		forget_rows(&following);
	end_following(&following);
}
