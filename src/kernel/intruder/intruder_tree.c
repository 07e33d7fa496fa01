/*
 * intruder_tree.c
 *		The masked records in a tree of boxes.
 *
 * Records are parted at the median of the column in which they lie furthest
 * apart, in windows of the column's rule, down to leaves of SDC_LEAF.  A box
 * is tight: the least and greatest place of its records in every column.
 * Records start in an order drawn from the seed, so no place in the file
 * decides between equal ones.
 */
#include "kernel/intruder/intruder_private.h"

#include <math.h>
#include <string.h>

#include "kernel/base/random.h"
#include "kernel/base/sort.h"

/* The tree while it grows, and a place's number in an axis. */
typedef struct Growth
{
	SdcIntruder *intruder;
	SdcTree *tree;
	int axes;
	const int32_t *segment[SDC_INTRUDER_TERMS];
	const double *number[SDC_INTRUDER_TERMS];
	double width[SDC_INTRUDER_TERMS]; /* that matters, by axis */
	int term[SDC_INTRUDER_TERMS];     /* by axis, place in order[] */
	int64_t steps;
} Growth;

/* Rules with few places to a value first: they exclude the most. */
static void
order_terms(SdcIntruder *intruder)
{
	double share[SDC_INTRUDER_TERMS];
	int count = 0;
	int t;
	int k;

	for (t = 0; t < intruder->terms; t++)
	{
		const SdcTermHead *head = &intruder->term[t]->head;

		share[t] = head->rule >= SDC_TERM_NOISE ? 2 + (head->rule)
				   : head->segments == 0        ? 1
												: head->width / head->segments;
		for (k = count++; k > 0 && share[intruder->order[k - 1]] > share[t];
			 k--)
			intruder->order[k] = intruder->order[k - 1];
		intruder->order[k] = t;
	}
	intruder->profiles = 0;
	intruder->columns = 0;
	for (k = 0; k < count; k++)
	{
		SdcTermHead *head = &intruder->term[intruder->order[k]]->head;

		intruder->profiles += head->rule < SDC_TERM_NOISE;
		head->column = intruder->columns;
		intruder->columns += head->columns;
	}
}

static void
collect_axes(Growth *growth)
{
	SdcIntruder *intruder = growth->intruder;
	int k;
	int c;

	growth->axes = 0;
	for (k = 0; k < intruder->terms; k++)
	{
		SdcTerm *term = intruder->term[intruder->order[k]];

		for (c = 0; c < (k < intruder->profiles ? 1 : term->head.columns); c++)
		{
			growth->term[growth->axes] = k;
			/* boxes are not cut by how wide groups are */
			growth->width[growth->axes] =
				k >= intruder->profiles &&
						c == sdc_compared_columns(&term->head)
					? INFINITY
					: term->head.width;
			growth->segment[growth->axes] = term->record;
			growth->number[growth->axes] =
				k < intruder->profiles ? NULL : term->record_number[c];
			growth->axes++;
		}
	}
}

/* A record's place in an axis; NaN where it has none. */
static inline double
axis_place(const Growth *growth, int axis, int32_t record)
{
	int32_t segment;

	if (growth->number[axis] != NULL)
		return growth->number[axis][record];
	segment = growth->segment[axis][record];
	return segment < 0 ? NAN : (double) segment;
}

/* Measures the box of a node; returns the axis to part it in, or -1. */
static int
measure(Growth *growth, int32_t at)
{
	SdcTree *tree = growth->tree;
	SdcNode *node = &tree->node[at];
	int profiles = growth->intruder->profiles;
	int columns = growth->intruder->columns;
	double widest = 0;
	int best = -1;
	int axis;
	int32_t i;

	node->holes = 0;
	for (axis = 0; axis < growth->axes; axis++)
	{
		double low = INFINITY;
		double high = -INFINITY;

		for (i = node->start; i < node->end; i++)
		{
			double x = axis_place(growth, axis, tree->record[i]);

			if (isnan(x))
				node->holes |= UINT64_C(1) << growth->term[axis];
			low = x < low ? x : low;
			high = x > high ? x : high;
		}
		if (axis < profiles)
		{
			int32_t *box =
				tree->segment_box + ((size_t) at * profiles + axis) * 2;

			box[0] = low <= high ? (int32_t) low : 0;
			box[1] = low <= high ? (int32_t) high : -1;
		}
		else
		{
			double *box = tree->number_box +
						  ((size_t) at * columns + axis - profiles) * 2;

			box[0] = low;
			box[1] = high;
		}
		if (high > low && (high - low) / growth->width[axis] > widest)
		{
			widest = (high - low) / growth->width[axis];
			best = axis;
		}
	}
	return best;
}

/* Records without a place come first. */
static inline double
axis_key(const Growth *growth, int axis, int32_t record)
{
	double x = axis_place(growth, axis, record);

	return isnan(x) ? -INFINITY : x;
}

/* Puts the k-th of n records by an axis in its place (Hoare's selection). */
static void
select_middle(Growth *growth, int axis, int32_t *record, int32_t n, int32_t k)
{
	int32_t low = 0;
	int32_t high = n - 1;

	while (low < high)
	{
		double pivot = axis_key(growth, axis, record[low + (high - low) / 2]);
		int32_t i = low;
		int32_t j = high;

		while (i <= j)
		{
			int32_t x;

			while (axis_key(growth, axis, record[i]) < pivot)
				i++;
			while (axis_key(growth, axis, record[j]) > pivot)
				j--;
			if (i > j)
				break;
			x = record[i];
			record[i++] = record[j];
			record[j--] = x;
		}
		growth->steps += high - low;
		if (growth->steps > SDC_POLL_STEPS)
		{
			growth->steps = 0;
			growth->intruder->host->poll(growth->intruder->host, 0, 0);
		}
		if (k <= j)
			high = j;
		else if (k >= i)
			low = i;
		else
			return;
	}
}

static void
grow_node(Growth *growth, int32_t at)
{
	SdcTree *tree = growth->tree;
	SdcNode *node = &tree->node[at];
	int axis = measure(growth, at);
	int32_t n = node->end - node->start;
	int32_t middle = node->start + n / 2;

	node->child = 0;
	if (n <= SDC_LEAF || axis < 0)
		return;
	select_middle(growth, axis, tree->record + node->start, n, n / 2);
	node->axis = (int16_t) axis;
	node->cut = axis_key(growth, axis, tree->record[middle]);
	node->child = tree->nodes;
	tree->node[tree->nodes].start = node->start;
	tree->node[tree->nodes].end = middle;
	tree->node[tree->nodes + 1].start = middle;
	tree->node[tree->nodes + 1].end = node->end;
	tree->nodes += 2;
	grow_node(growth, node->child);
	grow_node(growth, node->child + 1);
}

/* The records in an order drawn from the seed. */
static int32_t *
shuffle_records(const SdcIntruder *intruder)
{
	int32_t *record = sdc_new(intruder->host, int32_t, intruder->records);
	SdcRandom random;
	int32_t i;

	sdc_random_seed(&random, intruder->seed, UINT64_C(0x7265636F7264));
	for (i = 0; i < intruder->records; i++)
	{
		int32_t j = (int32_t) sdc_random_below(&random, (uint64_t) i + 1);

		record[i] = record[j];
		record[j] = i;
	}
	return record;
}

static void
grow_tree(SdcIntruder *intruder)
{
	SdcHost *host = intruder->host;
	SdcTree *tree = sdc_new(host, SdcTree, 1);
	size_t room = (size_t) intruder->records / (SDC_LEAF / 2) * 2 + 3;
	Growth growth = {.intruder = intruder, .tree = tree};

	host->stage(host, "sorting into boxes");
	collect_axes(&growth);
	tree->node = sdc_new(host, SdcNode, room);
	tree->segment_box =
		sdc_new(host, int32_t, room * 2 * ((size_t) intruder->profiles + 1));
	tree->number_box =
		sdc_new(host, double, room * 2 * ((size_t) intruder->columns + 1));
	tree->record = shuffle_records(intruder);
	tree->person = NULL;
	tree->nodes = 1;
	tree->node[0].start = 0;
	tree->node[0].end = intruder->records;
	intruder->tree = tree;
	grow_node(&growth, 0);
}

const SdcTree *
sdc_intruder_tree(SdcIntruder *intruder)
{
	if (intruder->tree == NULL)
	{
		order_terms(intruder);
		grow_tree(intruder);
	}
	return intruder->tree;
}

/* Where a person stands in an axis; -INFINITY where that is not known. */
static double
person_place(const Growth *growth, int axis, int32_t person)
{
	const SdcIntruder *intruder = growth->intruder;
	const SdcTerm *term = intruder->term[intruder->order[growth->term[axis]]];
	SdcPlace place;
	double x;

	if (growth->number[axis] != NULL)
	{
		x = term->person_number[axis - intruder->profiles - term->head.column]
							   [person];
		return isnan(x) ? -INFINITY : x;
	}
	place = term->person[person];
	if (place.low < 0)
		return -INFINITY;
	if (term->head.rule == SDC_TERM_MICROAGGREGATE)
		return place.low;
	x = place.low + (place.high - place.low) / 2;
	if (term->head.rule != SDC_TERM_SWAP)
		return x;
	return sdc_sort_segment(term->edge, 0, term->head.segments, (int32_t) x);
}

/* The first record of the leaf in which a person would be. */
static int32_t
find_leaf(const Growth *growth, int32_t person)
{
	const SdcTree *tree = growth->tree;
	const SdcNode *node = &tree->node[0];
	double place[SDC_INTRUDER_TERMS];
	int axis;

	for (axis = 0; axis < growth->axes; axis++)
		place[axis] = person_place(growth, axis, person);
	while (node->child != 0)
		node =
			&tree->node[node->child + (place[node->axis] < node->cut ? 0 : 1)];
	return node->start;
}

/* The persons of a search, sorted by the leaves in which they would be. */
static int32_t *
sort_persons(SdcIntruder *intruder, const SdcIntruderSearch *search)
{
	SdcHost *host = intruder->host;
	Growth growth = {.intruder = intruder, .tree = intruder->tree};
	uint64_t *key = sdc_new(host, uint64_t, (size_t) search->count + 1);
	int32_t *who = sdc_new(host, int32_t, (size_t) search->count + 1);
	int32_t i;

	collect_axes(&growth);
	for (i = 0; i < search->count; i++)
	{
		if (i % 16384 == 0)
			host->poll(host, (uint64_t) i, (uint64_t) search->count);
		who[i] = search->who == NULL ? i : search->who[i];
		key[i] = (uint64_t) find_leaf(&growth, who[i]) << 32 |
				 (uint32_t) sdc_random_mix(intruder->seed ^
										   sdc_random_mix((uint64_t) who[i]));
	}
	sdc_sort_keys(host, key, who, (size_t) search->count);
	host->release(host, key);
	return who;
}

int32_t *
sdc_intruder_route(SdcIntruder *intruder, const SdcIntruderSearch *search)
{
	SdcHost *host = intruder->host;
	SdcTree *tree = (SdcTree *) sdc_intruder_tree(intruder);
	int32_t *who;

	if (search->who != NULL)
		return sort_persons(intruder, search);
	if (tree->person == NULL)
		tree->person = sort_persons(intruder, search);
	who = sdc_new(host, int32_t, (size_t) search->count + 1);
	memcpy(who, tree->person, (size_t) search->count * sizeof(int32_t));
	return who;
}
