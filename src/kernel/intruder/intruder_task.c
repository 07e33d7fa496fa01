/*
 * intruder_task.c
 *		A search for candidates in one piece of memory, block by block.
 *
 * Whatever searches need is copied behind a head, at offsets: records in the
 * order of the tree, persons in the order of the leaves they would be in, so
 * that neighbours share cache.  Each person's search depends on nothing but
 * the task, so it does not matter who works off which block.
 */
#include "kernel/intruder/intruder_private.h"

#include <string.h>

#include "kernel/base/elementary.h"

/* Persons of a block. */
#define BLOCK 256

/* The memory while it is laid out; without it only the size is wanted. */
typedef struct Layout
{
	const SdcIntruder *intruder;
	SdcTask *task;
	char *memory; /* NULL: measure */
	size_t used;
	int32_t *who;
	int32_t count;
} Layout;

static size_t
reserve(Layout *layout, size_t count, size_t size)
{
	size_t offset = layout->used;

	layout->used += (count * size + 7) / 8 * 8;
	return offset;
}

/* Where an offset will be; NULL while only the size is wanted. */
static void *
room_at(const Layout *layout, size_t offset)
{
	return layout->memory == NULL ? NULL : layout->memory + offset;
}

static size_t
copy(Layout *layout, const void *from, size_t count, size_t size)
{
	size_t offset = reserve(layout, count, size);

	if (layout->memory != NULL && count > 0)
		memcpy(layout->memory + offset, from, count * size);
	return offset;
}

static size_t
copy_segments(Layout *layout, const int32_t *segment)
{
	const SdcTree *tree = layout->intruder->tree;
	int32_t records = layout->intruder->records;
	size_t offset = reserve(layout, records, sizeof(int32_t));
	int32_t *to = room_at(layout, offset);
	int32_t i;

	for (i = 0; to != NULL && i < records; i++)
		to[i] = segment[tree->record[i]];
	return offset;
}

static size_t
copy_places(Layout *layout, const SdcPlace *place)
{
	size_t offset = reserve(layout, layout->count, sizeof(SdcPlace));
	SdcPlace *to = room_at(layout, offset);
	int32_t i;

	for (i = 0; to != NULL && i < layout->count; i++)
		to[i] = place[layout->who[i]];
	return offset;
}

/* Columns of numbers, by the rows named. */
static size_t
copy_columns(Layout *layout, double *const *number, int columns,
			 const int32_t *row, int32_t rows)
{
	size_t offset =
		reserve(layout, (size_t) rows * (size_t) columns, sizeof(double));
	double *to = room_at(layout, offset);
	int32_t i;
	int c;

	for (c = 0; to != NULL && c < columns; c++)
		for (i = 0; i < rows; i++)
			to[(size_t) c * (size_t) rows + (size_t) i] = number[c][row[i]];
	return offset;
}

static void
lay_out_term(Layout *layout, const SdcTerm *term, SdcTermHead *head)
{
	*head = term->head;
	if (head->rule >= SDC_TERM_NOISE)
	{
		head->record = copy_columns(layout, term->record_number, head->columns,
									layout->intruder->tree->record,
									layout->intruder->records);
		head->person = copy_columns(layout, term->person_number, head->columns,
									layout->who, layout->count);
		if (term->curve != NULL)
			head->curve =
				copy(layout, term->curve,
					 (size_t) head->columns * SDC_CURVE_POINTS, sizeof(float));
		return;
	}
	head->record = copy_segments(layout, term->record);
	head->person = copy_places(layout, term->person);
	if (head->rule == SDC_TERM_SWAP)
	{
		head->edge = copy(layout, term->edge, (size_t) head->segments + 1,
						  sizeof(int32_t));
		head->owner = copy(layout, term->owner, (size_t) head->segments,
						   sizeof(int32_t));
		head->stratum = copy(layout, term->stratum, (size_t) head->strata,
							 sizeof(SdcStratum));
		return;
	}
	if (head->rule == SDC_TERM_MATRIX)
		head->curve =
			copy(layout, term->curve,
				 (size_t) head->rows * (size_t) head->codes, sizeof(float));
	head->below = copy(layout, term->below, (size_t) head->segments + 1,
					   sizeof(int32_t));
}

static void
lay_out_laws(Layout *layout, SdcTask *task)
{
	const SdcIntruder *intruder = layout->intruder;
	int t;

	task->law = reserve(layout, (size_t) intruder->laws, sizeof(size_t));
	for (t = 0; t < intruder->laws; t++)
	{
		size_t at = copy(layout, intruder->law[t],
						 sdc_rank_law_size(intruder->law[t]), 1);

		if (layout->memory != NULL)
			((size_t *) (layout->memory + task->law))[t] = at;
	}
}

static uint64_t
blocks_of(int32_t persons)
{
	return ((uint64_t) persons + BLOCK - 1) / BLOCK;
}

/* Lays everything out; the same whether there is memory or not. */
static void
lay_out(Layout *layout, const SdcIntruderSearch *search, SdcTask *task)
{
	const SdcIntruder *intruder = layout->intruder;
	const SdcTree *tree = intruder->tree;
	size_t boxes = 2 * (size_t) tree->nodes;
	size_t lists = (size_t) layout->count * (size_t) search->room;
	int t;

	task->persons = layout->count;
	task->from = search->from;
	task->records = intruder->records;
	task->room = search->room;
	task->depth = search->depth;
	task->share = search->share;
	task->rest_asked = search->rest;
	task->terms = intruder->terms;
	task->profiles = intruder->profiles;
	task->columns = intruder->columns;
	task->seed = intruder->seed;
	task->nodes = tree->nodes;
	reserve(layout, 1, sizeof(SdcTask));
	task->node = copy(layout, tree->node, tree->nodes, sizeof(SdcNode));
	task->segment_box = copy(layout, tree->segment_box,
							 boxes * (size_t) task->profiles, sizeof(int32_t));
	task->number_box = copy(layout, tree->number_box,
							boxes * (size_t) task->columns, sizeof(double));
	task->record =
		copy(layout, tree->record, intruder->records, sizeof(int32_t));
	task->person = copy(layout, layout->who, layout->count, sizeof(int32_t));
	for (t = 0; t < intruder->terms; t++)
		lay_out_term(layout, intruder->term[intruder->order[t]],
					 &task->term[t]);
	lay_out_laws(layout, task);
	task->count = reserve(layout, layout->count, sizeof(int32_t));
	task->looks =
		reserve(layout, blocks_of(layout->count) + 1, sizeof(int64_t));
	task->found = reserve(layout, lists, sizeof(int32_t));
	task->score = reserve(layout, lists, sizeof(float));
	task->rest = reserve(layout, layout->count, sizeof(float));
}

size_t
sdc_intruder_task_size(SdcIntruder *intruder, const SdcIntruderSearch *search)
{
	Layout layout = {.intruder = intruder};
	SdcTask task;

	sdc_intruder_tree(intruder);
	layout.count = search->count;
	lay_out(&layout, search, &task);
	return layout.used;
}

void
sdc_intruder_task_fill(SdcIntruder *intruder, const SdcIntruderSearch *search,
					   void *memory)
{
	SdcTask task;
	Layout layout = {.intruder = intruder};

	memset(&task, 0, sizeof(task));
	layout.memory = memory;
	layout.count = search->count;
	layout.who = sdc_intruder_route(intruder, search);
	lay_out(&layout, search, &task);
	memcpy(memory, &task, sizeof(task));
	intruder->host->release(intruder->host, layout.who);
}

uint64_t
sdc_intruder_task_blocks(const void *memory)
{
	return blocks_of(((const SdcTask *) memory)->persons);
}

void
sdc_intruder_task_work(SdcHost *host, void *memory, uint64_t block)
{
	const SdcTask *task = memory;
	SdcSearch *search = sdc_intruder_search_create(host, task);
	int32_t start = (int32_t) (block * BLOCK);
	int32_t end =
		task->persons - start < BLOCK ? task->persons : start + BLOCK;
	int32_t *count = sdc_task_at(task, task->count);
	int64_t *looks = sdc_task_at(task, task->looks);
	int32_t *found = sdc_task_at(task, task->found);
	float *score = sdc_task_at(task, task->score);
	float *rest = sdc_task_at(task, task->rest);
	int64_t polled = 0;
	int32_t i;

	looks[block] = 0;
	for (i = start; i < end; i++)
	{
		size_t at = (size_t) i * (size_t) task->room;

		count[i] = sdc_intruder_search_run(search, i, found + at, score + at,
										   &looks[block]);
		if (task->rest_asked)
		{
			rest[i] =
				sdc_intruder_search_rest(search, i, score + at, count[i]);
			looks[block] += SDC_INTRUDER_REST;
		}
		if (looks[block] - polled > 1000000)
		{
			polled = looks[block];
			host->poll(host, block, blocks_of(task->persons));
		}
	}
	sdc_intruder_search_release(search);
}

int64_t
sdc_intruder_task_estimate(SdcHost *host, const void *memory, int32_t sample,
						   double *entries)
{
	const SdcTask *task = memory;
	SdcSearch *search = sdc_intruder_search_create(host, task);
	int32_t *found = sdc_new(host, int32_t, task->room);
	float *score = sdc_new(host, float, task->room);
	int64_t looks = 0;
	int32_t k;

	*entries = 0;
	sample = sample < task->persons ? sample : task->persons;
	for (k = 0; k < sample; k++)
	{
		int64_t i = ((int64_t) 2 * k + 1) * task->persons / (2 * sample);

		host->poll(host, (uint64_t) k, (uint64_t) sample);
		*entries += (double) sdc_intruder_search_run(search, (int32_t) i,
													 found, score, &looks) /
					sample;
	}
	host->release(host, found);
	host->release(host, score);
	sdc_intruder_search_release(search);
	return sample == 0 ? 0
					   : (int64_t) ((double) looks / sample * task->persons);
}

/*
 * Would more entries weigh something?  They would if the last one has a
 * quarter of the share that it would have were all alike.
 */
static bool
is_cut_short(const float *score, int32_t count)
{
	float sum = 0;
	int32_t k;

	for (k = 0; k < count; k++)
		sum += sdc_exp_float(score[k] - score[0]);
	return sdc_exp_float(score[count - 1] - score[0]) * (float) count >
		   sum / 4;
}

SdcIntruderCandidates *
sdc_intruder_candidates(SdcHost *host, const void *memory)
{
	const SdcTask *task = memory;
	const int32_t *count = sdc_task_at(task, task->count);
	const int32_t *from = sdc_task_at(task, task->found);
	const float *score = sdc_task_at(task, task->score);
	const int64_t *looks = sdc_task_at(task, task->looks);
	SdcIntruderCandidates *found = sdc_new(host, SdcIntruderCandidates, 1);
	int64_t *first = sdc_new(host, int64_t, (size_t) task->persons + 1);
	int32_t *column;
	float *scores;
	uint64_t block;
	int32_t i;

	found->full = 0;
	first[0] = 0;
	for (i = 0; i < task->persons; i++)
	{
		first[i + 1] = first[i] + count[i];
		found->full +=
			count[i] == task->room &&
			is_cut_short(score + (size_t) i * (size_t) task->room, count[i]);
	}
	column = sdc_new(host, int32_t, (size_t) first[task->persons] + 1);
	scores = sdc_new(host, float, (size_t) first[task->persons] + 1);
	for (i = 0; i < task->persons; i++)
	{
		size_t at = (size_t) i * (size_t) task->room;

		memcpy(column + first[i], from + at, (size_t) count[i] * 4);
		memcpy(scores + first[i], score + at, (size_t) count[i] * 4);
	}
	found->looks = 0;
	for (block = 0; block < blocks_of(task->persons); block++)
		found->looks += looks[block];
	found->lists.rows = task->persons;
	found->lists.columns = task->records;
	found->lists.first = first;
	found->lists.column = column;
	found->lists.score = scores;
	found->lists.outside = NULL;
	found->lists.rest = NULL;
	if (task->rest_asked)
	{
		float *rest = sdc_new(host, float, (size_t) task->persons + 1);

		memcpy(rest, sdc_task_at(task, task->rest),
			   (size_t) task->persons * sizeof(float));
		found->lists.rest = rest;
	}
	found->person = sdc_new(host, int32_t, (size_t) task->persons + 1);
	found->record = sdc_new(host, int32_t, (size_t) task->records + 1);
	memcpy(found->person, sdc_task_at(task, task->person),
		   (size_t) task->persons * 4);
	memcpy(found->record, sdc_task_at(task, task->record),
		   (size_t) task->records * 4);
	return found;
}

/* An array that is the caller's to change, with what comes behind it. */
static void *
append(SdcHost *host, const void *array, const void *more, int64_t used,
	   int64_t count, size_t size)
{
	char *joined = sdc_grow(host, (void *) array, (size_t) used,
							(size_t) (used + count) + 1, size);

	memcpy(joined + (size_t) used * size, more, (size_t) count * size);
	return joined;
}

void
sdc_intruder_candidates_join(SdcHost *host, SdcIntruderCandidates *found,
							 SdcIntruderCandidates *more)
{
	SdcMatchLists *lists = &found->lists;
	int32_t rows = lists->rows;
	int64_t entries = lists->first[rows];
	int64_t *first;
	int32_t i;

	lists->column = append(host, lists->column, more->lists.column, entries,
						   more->lists.first[more->lists.rows], 4);
	lists->score = append(host, lists->score, more->lists.score, entries,
						  more->lists.first[more->lists.rows], 4);
	if (lists->rest != NULL)
		lists->rest = append(host, lists->rest, more->lists.rest, rows,
							 more->lists.rows, 4);
	found->person =
		append(host, found->person, more->person, rows, more->lists.rows, 4);
	first = append(host, lists->first, more->lists.first, rows,
				   more->lists.rows + 1, sizeof(int64_t));
	lists->first = first;
	lists->rows += more->lists.rows;
	for (i = rows; i <= lists->rows; i++)
		first[i] += entries;
	found->full += more->full;
	found->looks += more->looks;
	sdc_intruder_candidates_release(host, more);
}

void
sdc_intruder_candidates_release(SdcHost *host, SdcIntruderCandidates *found)
{
	host->release(host, (void *) found->lists.first);
	host->release(host, (void *) found->lists.column);
	host->release(host, (void *) found->lists.score);
	host->release(host, (void *) found->lists.rest);
	host->release(host, found->person);
	host->release(host, found->record);
	host->release(host, found);
}
