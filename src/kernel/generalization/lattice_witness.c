/*
 * lattice_witness.c
 *		What the class of one record tells of all nodes at once.
 *
 * Where a model may pass below a node and fail above it, most nodes are found
 * infeasible one by one, and mostly for a few large classes.  A witness is a
 * record of such a class.  Each class of the lowest levels joins that of the
 * witness at one node, the least level of every key at which both have the
 * same group, and at all nodes above that one.  So the values of the class of
 * the witness in every node are running sums over the keys of the lattice,
 * and judging them costs as much as counting the classes of a few nodes.
 *
 * Records of failing classes are added up over witnesses; those that lie in
 * one class are counted once.  A node where they are more than the limit is
 * not feasible and need not be counted.
 */
#include <string.h>

#include "kernel/base/host.h"
#include "kernel/base/sort.h"
#include "kernel/generalization/lattice.h"
#include "kernel/generalization/lattice_count.h"
#include "kernel/risk/class_rows.h"

/* Places of the rows of all nodes at the most. */
#define MOST_CELLS (INT64_C(1) << 22)

/* Witnesses at the most. */
#define MOST_WITNESSES 256

/*
 * A witness pays that rules out so many nodes that are still in question,
 * unless a test says so.
 */
#ifndef PAYS
#define PAYS 12
#endif

/* Nodes found infeasible that the next witness waits for at the most. */
#define LONGEST_WAIT 63

/* Keys that are looked up together have so many codes at the most. */
#define MOST_CODES 4096

/* The step of a group that never joins; sums with it stay below 0. */
#define NEVER (-(INT32_C(1) << 24))

/* Keys side by side, and the code that their groups have in each class. */
typedef struct Stretch
{
	int first;
	int end;
	int32_t *code;
	int32_t *sum; /* of the steps of each code */
} Stretch;

struct SdcLatticeWitnesses
{
	/* of each node, the class of the latest witness as if of a table */
	SdcLatticeTable seen;
	int32_t *met; /* of each node, earlier witnesses in the same class */
	/*
	 * Of each node, records in classes that fail and are large enough, and
	 * those in classes that are too small in a node above.
	 */
	int64_t *sure;
	int64_t *small;
	int32_t *group; /* of each witness, the lowest group of each key */
	int count;
	int wait; /* nodes found infeasible to come before the next one */
	int left;
	int32_t *step[SDC_LATTICE_MAX_KEYS]; /* of each lowest group */
	Stretch stretch[SDC_LATTICE_MAX_KEYS];
	int stretches;
	int32_t *order;  /* classes of the base, the largest first */
	int32_t *target; /* of each class of the base; the nodes: none */
};

/* The group of a level that a lowest group becomes. */
static int32_t
raised(const SdcLatticeColumn *column, int32_t group, int level)
{
	int l;

	for (l = 0; l < level; l++)
		group = column->level[l].up[group];
	return group;
}

static int64_t
row_places(const SdcLattice *lattice)
{
	int64_t places = 0;
	int s;

	for (s = 0; s < lattice->problem.sensitives; s++)
		places += lattice->merger[s].width;
	return places;
}

/* Takes keys together as long as they have few codes. */
static void
start_stretches(SdcLattice *lattice, SdcLatticeWitnesses *all)
{
	SdcHost *host = lattice->host;
	int j = 0;

	while (j < lattice->keys)
	{
		Stretch *stretch = &all->stretch[all->stretches++];
		int64_t codes = lattice->column[j].level[0].groups;

		stretch->first = j;
		for (j++; j < lattice->keys; j++)
		{
			if (codes * lattice->column[j].level[0].groups > MOST_CODES)
				break;
			codes *= lattice->column[j].level[0].groups;
		}
		stretch->end = j;
		stretch->sum = sdc_new(host, int32_t, (size_t) codes);
	}
}

/* The code of each class of the base: the first key counts least. */
static void
code_classes(SdcLattice *lattice, Stretch *stretch)
{
	SdcHost *host = lattice->host;
	const SdcLatticeTable *base = &lattice->base;
	SdcLatticeLayout layout;
	int32_t c;
	int j;

	sdc_lattice_pack_layout(lattice, base->level, &layout);
	stretch->code = sdc_new(host, int32_t, (size_t) base->classes);
	for (c = 0; c < base->classes; c++)
	{
		int32_t code = 0;

		if (c % SDC_POLL_STEPS == 0)
			host->poll(host, (uint64_t) c, (uint64_t) base->classes);
		for (j = stretch->end - 1; j >= stretch->first; j--)
			code = code * lattice->column[j].level[0].groups +
				   sdc_lattice_group(lattice, base, &layout, c, j);
		stretch->code[c] = code;
	}
}

/* The sum of the steps of each code of a stretch. */
static void
list_stretch(const SdcLattice *lattice, const SdcLatticeWitnesses *all,
			 Stretch *stretch)
{
	int32_t codes = 1;
	int32_t g;
	int32_t i;
	int j;

	stretch->sum[0] = 0;
	for (j = stretch->first; j < stretch->end; j++)
	{
		int32_t groups = lattice->column[j].level[0].groups;

		/* those of group 0 last: the others are made of them */
		for (g = groups - 1; g >= 0; g--)
			for (i = 0; i < codes; i++)
				stretch->sum[g * codes + i] =
					stretch->sum[i] + all->step[j][g];
		codes *= groups;
	}
}

/* Larger classes first. */
static int
compare_counts(int32_t a, int32_t b, void *arg)
{
	const int64_t *count = arg;

	if (count[a] != count[b])
		return count[a] > count[b] ? -1 : 1;
	return a < b ? -1 : a > b;
}

SdcLatticeWitnesses *
sdc_lattice_witnesses_start(SdcLattice *lattice)
{
	SdcHost *host = lattice->host;
	size_t nodes = (size_t) lattice->nodes + 1; /* and one for no node */
	size_t sensitives = (size_t) lattice->problem.sensitives;
	SdcLatticeWitnesses *all;
	int32_t c;
	size_t s;
	int j;

	if (lattice->nodes > MOST_CELLS / row_places(lattice))
		return NULL;
	all = sdc_new(host, SdcLatticeWitnesses, 1);
	memset(all, 0, sizeof(*all));
	all->seen.count = sdc_new(host, int64_t, nodes);
	all->seen.state = sdc_new(host, uint8_t, nodes);
	all->seen.runs = sdc_new(host, SdcLatticeRuns, sensitives);
	memset(all->seen.runs, 0, sizeof(SdcLatticeRuns) * sensitives);
	for (s = 0; s < sensitives; s++)
		all->seen.runs[s].row =
			sdc_new(host, int32_t, nodes * (size_t) lattice->merger[s].width);
	all->met = sdc_new(host, int32_t, nodes);
	all->sure = sdc_new(host, int64_t, nodes);
	all->small = sdc_new(host, int64_t, nodes);
	memset(all->sure, 0, sizeof(int64_t) * nodes);
	memset(all->small, 0, sizeof(int64_t) * nodes);
	all->group = sdc_new(host, int32_t,
						 (size_t) MOST_WITNESSES * (size_t) lattice->keys);
	all->target = sdc_new(host, int32_t, (size_t) lattice->base.classes);
	all->order = sdc_new(host, int32_t, (size_t) lattice->base.classes);
	for (c = 0; c < lattice->base.classes; c++)
		all->order[c] = c;
	sdc_sort_rows(host, all->order, (size_t) lattice->base.classes,
				  compare_counts, lattice->base.count);
	start_stretches(lattice, all);
	for (j = 0; j < all->stretches; j++)
		code_classes(lattice, &all->stretch[j]);
	for (j = 0; j < lattice->keys; j++)
		all->step[j] = sdc_new(host, int32_t,
							   (size_t) lattice->column[j].level[0].groups);
	return all;
}

void
sdc_lattice_witnesses_release(SdcLattice *lattice, SdcLatticeWitnesses *all)
{
	SdcHost *host = lattice->host;
	int j;

	if (all == NULL)
		return;
	for (j = 0; j < lattice->keys; j++)
		host->release(host, all->step[j]);
	for (j = 0; j < all->stretches; j++)
	{
		host->release(host, all->stretch[j].code);
		host->release(host, all->stretch[j].sum);
	}
	host->release(host, all->order);
	host->release(host, all->target);
	host->release(host, all->group);
	host->release(host, all->small);
	host->release(host, all->sure);
	host->release(host, all->met);
	sdc_lattice_runs_release(lattice, &all->seen);
	host->release(host, all->seen.state);
	host->release(host, all->seen.count);
	host->release(host, all);
}

/* ---------- the class of a witness in every node ---------- */

/* Where each lowest group joins that of the witness. */
static void
join_groups(SdcLattice *lattice, SdcLatticeWitnesses *all,
			const int32_t *group)
{
	int j;

	for (j = 0; j < lattice->keys; j++)
	{
		const SdcLatticeColumn *column = &lattice->column[j];
		int32_t g;

		for (g = 0; g < column->level[0].groups; g++)
		{
			int32_t a = group[j];
			int32_t b = g;
			int l = 0;

			while (a != b && l + 1 < column->levels)
			{
				a = column->level[l].up[a];
				b = column->level[l++].up[b];
			}
			all->step[j][g] =
				a == b ? (int32_t) (l * lattice->stride[j]) : NEVER;
		}
	}
}

static void
list_steps(const SdcLattice *lattice, SdcLatticeWitnesses *all)
{
	int i;

	for (i = 0; i < all->stretches; i++)
		list_stretch(lattice, all, &all->stretch[i]);
}

/* The sum of the steps of a class of the base; below 0: one is never. */
static inline int32_t
steps_of(const SdcLatticeWitnesses *all, int32_t c)
{
	int32_t sum = 0;
	int i;

	for (i = 0; i < all->stretches; i++)
		sum += all->stretch[i].sum[all->stretch[i].code[c]];
	return sum;
}

/* Adds up the steps of each class of the base: the node where it joins. */
static void
add_steps(SdcLattice *lattice, SdcLatticeWitnesses *all)
{
	SdcHost *host = lattice->host;
	int32_t nowhere = (int32_t) lattice->nodes;
	int32_t classes = lattice->base.classes;
	int32_t c;

	list_steps(lattice, all);
	for (c = 0; c < classes; c++)
	{
		int32_t number = steps_of(all, c);

		if (c % SDC_POLL_STEPS == 0)
			host->poll(host, (uint64_t) c, (uint64_t) classes);
		all->target[c] = number < 0 ? nowhere : number;
	}
}

/* The node where a witness joins the latest one. */
static int32_t
join_of(const SdcLattice *lattice, const SdcLatticeWitnesses *all, int witness)
{
	const int32_t *own =
		all->group + (size_t) witness * (size_t) lattice->keys;
	int32_t number = 0;
	int j;

	for (j = 0; j < lattice->keys; j++)
		number += all->step[j][own[j]];
	return number < 0 ? (int32_t) lattice->nodes : number;
}

/* Puts every class of the base where it joins the witness. */
static void
place_classes(SdcLattice *lattice, SdcLatticeWitnesses *all)
{
	SdcHost *host = lattice->host;
	const SdcLatticeTable *base = &lattice->base;
	int32_t c;
	int s;

	for (c = 0; c < base->classes; c++)
		all->seen.count[all->target[c]] += base->count[c];
	for (s = 0; s < lattice->problem.sensitives; s++)
	{
		host->poll(host, (uint64_t) s, (uint64_t) lattice->problem.sensitives);
		sdc_class_rows_add(base->runs[s].row, lattice->merger[s].width,
						   all->target, base->classes, all->seen.runs[s].row);
	}
	for (s = 0; s < all->count; s++)
		all->met[join_of(lattice, all, s)]++;
}

/* Running sums of rows of a width over one key of the lattice. */
SDC_CLONES static void
sum_rows(int32_t *row, size_t nodes, size_t stride, size_t levels,
		 size_t width)
{
	size_t step = stride * width;
	size_t n;
	size_t i;

	for (n = 0; n < nodes * width; n += step * levels)
		for (i = n + step; i < n + step * levels; i++)
			row[i] += row[i - step];
}

static void
sum_counts(int64_t *count, size_t nodes, size_t stride, size_t levels)
{
	size_t n;
	size_t i;

	for (n = 0; n < nodes; n += stride * levels)
		for (i = n + stride; i < n + stride * levels; i++)
			count[i] += count[i - stride];
}

static void
clear_nodes(SdcLattice *lattice, SdcLatticeWitnesses *all)
{
	size_t nodes = (size_t) lattice->nodes + 1;
	int s;

	memset(all->seen.count, 0, sizeof(int64_t) * nodes);
	memset(all->seen.state, SDC_LATTICE_UNKNOWN, nodes);
	memset(all->met, 0, sizeof(int32_t) * nodes);
	for (s = 0; s < lattice->problem.sensitives; s++)
		memset(all->seen.runs[s].row, 0,
			   sizeof(int32_t) * nodes * (size_t) lattice->merger[s].width);
}

static void
count_witness(SdcLattice *lattice, SdcLatticeWitnesses *all,
			  const int32_t *group)
{
	SdcHost *host = lattice->host;
	size_t nodes = (size_t) lattice->nodes;
	int s;
	int j;

	clear_nodes(lattice, all);
	join_groups(lattice, all, group);
	add_steps(lattice, all);
	place_classes(lattice, all);
	for (j = 0; j < lattice->keys; j++)
	{
		size_t stride = (size_t) lattice->stride[j];
		size_t levels = (size_t) lattice->column[j].levels;

		host->poll(host, (uint64_t) j, (uint64_t) lattice->keys);
		sum_counts(all->seen.count, nodes, stride, levels);
		sum_rows(all->met, nodes, stride, levels, 1);
		for (s = 0; s < lattice->problem.sensitives; s++)
			sum_rows(all->seen.runs[s].row, nodes, stride, levels,
					 (size_t) lattice->merger[s].width);
	}
}

/* ---------- judged in every node ---------- */

/* Is a node still in question? */
static bool
in_question(const SdcLatticeSearch *search, int64_t number)
{
	const SdcLattice *lattice = search->lattice;
	uint8_t level[SDC_LATTICE_MAX_KEYS];
	double bound;
	int j;

	for (j = 0; j < lattice->keys; j++)
		level[j] = (uint8_t) (number / lattice->stride[j] %
							  lattice->column[j].levels);
	bound = sdc_lattice_score_bound(lattice, level);
	return !search->optima.found || bound <= search->optima.score;
}

/*
 * Adds the classes of the latest witness that fail, and marks the nodes that
 * are not feasible for what is known now; returns how many would have been
 * checked.
 */
static int64_t
judge_witness(SdcLatticeSearch *search, SdcLatticeWitnesses *all)
{
	SdcLattice *lattice = search->lattice;
	SdcHost *host = lattice->host;
	int64_t gain = 0;
	int64_t n;

	for (n = 0; n < lattice->nodes; n++)
	{
		if (n % SDC_POLL_STEPS == 0)
			host->poll(host, (uint64_t) n, (uint64_t) lattice->nodes);
		if ((search->tag[n] & (SDC_LATTICE_OVER | SDC_LATTICE_SEEN)) != 0 ||
			all->met[n] > 0)
			continue;
		if (all->seen.count[n] < lattice->group_size ||
			!sdc_lattice_runs_fail(lattice, &all->seen, (int32_t) n))
			continue;
		all->sure[n] += all->seen.count[n];
		if (all->sure[n] + all->small[n] <= lattice->problem.limit)
			continue;
		search->tag[n] |= SDC_LATTICE_SEEN;
		gain += in_question(search, n);
	}
	return gain;
}

/* ---------- who becomes a witness ---------- */

/* Has a class a witness already? */
static bool
has_witness(const SdcLattice *lattice, const SdcLatticeWitnesses *all,
			const SdcLatticeTable *table, const SdcLatticeLayout *layout,
			int32_t c)
{
	int w;
	int j;

	for (w = 0; w < all->count; w++)
	{
		for (j = 0; j < lattice->keys; j++)
			if (raised(&lattice->column[j], all->group[w * lattice->keys + j],
					   table->level[j]) !=
				sdc_lattice_group(lattice, table, layout, c, j))
				break;
		if (j == lattice->keys)
			return true;
	}
	return false;
}

/* The largest class that is known to fail and has no witness; -1: none. */
static int32_t
largest_failing(const SdcLattice *lattice, const SdcLatticeWitnesses *all,
				const SdcLatticeTable *table, const SdcLatticeLayout *layout)
{
	int32_t known = table->end[table->known];
	int32_t found = -1;
	int32_t c;

	for (c = 0; c < known; c++)
		if (table->state[c] == SDC_LATTICE_FAILS &&
			(found < 0 || table->count[c] > table->count[found]) &&
			!has_witness(lattice, all, table, layout, c))
			found = c;
	return found;
}

/* The largest class of the base that a class of a table is made of. */
static int32_t
choose_witness(SdcLattice *lattice, SdcLatticeWitnesses *all,
			   const SdcLatticeTable *table, const SdcLatticeLayout *layout,
			   int32_t class)
{
	int32_t g;
	int32_t i;
	int j;

	for (j = 0; j < lattice->keys; j++)
	{
		const SdcLatticeColumn *column = &lattice->column[j];
		int32_t own = sdc_lattice_group(lattice, table, layout, class, j);

		for (g = 0; g < column->level[0].groups; g++)
			all->step[j][g] =
				raised(column, g, table->level[j]) == own ? 0 : NEVER;
	}
	list_steps(lattice, all);
	for (i = 0; i + 1 < lattice->base.classes; i++)
		if (steps_of(all, all->order[i]) == 0)
			break;
	return all->order[i];
}

/* Notes the lowest groups of a class of the base. */
static void
note_groups(const SdcLattice *lattice, int32_t c, int32_t *group)
{
	SdcLatticeLayout layout;
	int j;

	sdc_lattice_pack_layout(lattice, lattice->base.level, &layout);
	for (j = 0; j < lattice->keys; j++)
		group[j] = sdc_lattice_group(lattice, &lattice->base, &layout, c, j);
}

bool
sdc_lattice_witnesses_refuse(SdcLatticeSearch *search)
{
	const SdcLattice *lattice = search->lattice;
	SdcLatticeWitnesses *all = search->witnesses;
	int64_t number = search->number;
	int j;

	for (j = 0; j < lattice->keys; j++)
		if (search->level[j] + 1 < lattice->column[j].levels &&
			all->small[number + lattice->stride[j]] > all->small[number])
			all->small[number] = all->small[number + lattice->stride[j]];
	return all->sure[number] + all->small[number] > lattice->problem.limit;
}

void
sdc_lattice_witnesses_note(SdcLatticeSearch *search, int64_t number,
						   const SdcLatticeTally *tally)
{
	SdcLatticeWitnesses *all = search->witnesses;

	if (tally->small > all->small[number])
		all->small[number] = tally->small;
}

void
sdc_lattice_witnesses_ask(SdcLatticeSearch *search,
						  const SdcLatticeTable *table)
{
	SdcLattice *lattice = search->lattice;
	SdcLatticeWitnesses *all = search->witnesses;
	SdcLatticeLayout layout;
	int32_t *group = all->group + (size_t) all->count * (size_t) lattice->keys;
	int32_t class;
	int64_t gain;

	if (all->left-- > 0 || all->count == MOST_WITNESSES)
		return;
	sdc_lattice_pack_layout(lattice, table->level, &layout);
	class = largest_failing(lattice, all, table, &layout);
	if (class < 0)
		return;
	note_groups(lattice, choose_witness(lattice, all, table, &layout, class),
				group);
	count_witness(lattice, all, group);
	all->count++;
	gain = judge_witness(search, all);
	if (gain >= PAYS)
		all->wait = 0;
	else
		all->wait = 2 * all->wait + 1 < LONGEST_WAIT ? 2 * all->wait + 1
													 : LONGEST_WAIT;
	all->left = all->wait;
}
