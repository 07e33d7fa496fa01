/*
 * lattice.c
 *		Full-domain generalization: problems, and single nodes.
 *
 * Checks a problem, prepares its parts, and judges one node or all of them;
 * the search for the best is in lattice_search.c.
 */
#include "kernel/generalization/lattice_parts.h"

#include <math.h>
#include <string.h>

/* Nodes of a lattice at the most, and records. */
#define MAX_NODES   (INT64_C(1) << 62)
#define MAX_RECORDS (INT64_C(1) << 47)

SdcLatticeProblem
sdc_lattice_problem(void)
{
	SdcLatticeProblem problem;

	memset(&problem, 0, sizeof(problem));
	problem.k = 2;
	problem.suppression_factor = 0.5;
	return problem;
}

SdcLatticeKey
sdc_lattice_key(const SdcHierarchy *hierarchy)
{
	SdcLatticeKey key;

	memset(&key, 0, sizeof(key));
	key.hierarchy = hierarchy;
	key.highest = hierarchy->levels - 1;
	key.weight = 1;
	return key;
}

static bool
has_bound(const SdcClassRequest *request, SdcClassMeasure measure)
{
	return !isnan(request->bound[measure]);
}

/* An l above a whole number by that part is meant to be the number. */
#define L_ROUNDING 1e-8

/* Models that demand so many values demand so many records. */
static int64_t
group_size(const SdcLatticeProblem *problem)
{
	int64_t size = problem->k > 1 ? problem->k : 1;
	int s;
	int m;

	for (s = 0; s < problem->sensitives; s++)
	{
		const SdcClassRequest *request = &problem->sensitive[s].request;

		/* records without a value count for the size, not for the l */
		for (m = SDC_CLASS_DISTINCT; m <= SDC_CLASS_RECURSIVE; m++)
		{
			double l = ceil(request->bound[m] * (1 - L_ROUNDING));

			if (l > (double) MAX_RECORDS)
				l = (double) (MAX_RECORDS + 1);
			if (!request->ignore_nulls && l > (double) size)
				size = (int64_t) l;
		}
	}
	return size;
}

/*
 * Does a class that passes still pass when it is joined with another?  k and
 * distinct l: with any other.  The other l, t and beta: with one that passes,
 * which is what matters when none may fail.  Delta: not even then, because a
 * value that was not there may come in too small.
 */
static bool
is_monotone(const SdcLatticeProblem *problem)
{
	int s;
	int m;

	for (s = 0; s < problem->sensitives; s++)
	{
		const SdcClassRequest *request = &problem->sensitive[s].request;

		if (has_bound(request, SDC_CLASS_DELTA))
			return false;
		if (problem->limit == 0)
			continue;
		if (request->ignore_nulls)
			return false;
		for (m = SDC_CLASS_DISTINCT + 1; m < SDC_CLASS_MEASURES; m++)
			if (has_bound(request, (SdcClassMeasure) m))
				return false;
	}
	return true;
}

/* Counts the nodes; false when there are too many. */
static bool
count_nodes(SdcLattice *lattice)
{
	int j;

	lattice->nodes = 1;
	for (j = lattice->keys - 1; j >= 0; j--)
	{
		int64_t levels = lattice->problem.key[j].highest -
						 lattice->problem.key[j].lowest + 1;

		lattice->stride[j] = lattice->nodes;
		if (levels > 0 && lattice->nodes > MAX_NODES / levels)
			return false;
		lattice->nodes *= levels;
	}
	return true;
}

/* Measures only what has a bound. */
static void
copy_requests(SdcLattice *lattice)
{
	size_t n = (size_t) lattice->problem.sensitives;
	SdcLatticeSensitive *own;
	size_t s;
	int m;

	if (n == 0)
		return;
	own = sdc_new(lattice->host, SdcLatticeSensitive, n);
	memcpy(own, lattice->problem.sensitive, sizeof(SdcLatticeSensitive) * n);
	for (s = 0; s < n; s++)
	{
		own[s].request.wanted = 0;
		for (m = 0; m < SDC_CLASS_MEASURES; m++)
			if (has_bound(&own[s].request, (SdcClassMeasure) m))
				own[s].request.wanted |= SDC_CLASS_WANT(m);
	}
	lattice->problem.sensitive = own;
}

static SdcLatticeStatus
check_problem(const SdcLatticeProblem *problem)
{
	if (problem->keys < 1 || problem->keys > SDC_LATTICE_MAX_KEYS)
		return SDC_LATTICE_KEYS;
	if (problem->frequency->records <= 0)
		return SDC_LATTICE_EMPTY;
	if (problem->frequency->records > MAX_RECORDS)
		return SDC_LATTICE_OVERFLOW;
	return SDC_LATTICE_OK;
}

/* An error is found before anything is counted. */
static SdcLatticeStatus
prepare(SdcLattice *lattice, int *key)
{
	SdcHost *host = lattice->host;
	size_t keys = (size_t) lattice->keys;
	SdcLatticeStatus status;

	if (!count_nodes(lattice))
		return SDC_LATTICE_TOO_LARGE;
	lattice->column = sdc_new(host, SdcLatticeColumn, keys);
	memset(lattice->column, 0, sizeof(SdcLatticeColumn) * keys);
	lattice->records = lattice->problem.frequency->records;
	lattice->group_size = group_size(&lattice->problem);
	lattice->monotone = is_monotone(&lattice->problem);
	status = sdc_lattice_keys_start(lattice, key);
	if (status == SDC_LATTICE_OK)
		status = sdc_lattice_score_start(lattice, key);
	return status;
}

SdcLatticeStatus
sdc_lattice_start(SdcHost *host, const SdcLatticeProblem *problem,
				  SdcLattice **lattice, int *key)
{
	SdcLatticeStatus status = check_problem(problem);
	SdcLattice *new;
	int at = -1;

	*lattice = NULL;
	if (key != NULL)
		*key = -1;
	if (status != SDC_LATTICE_OK)
		return status;
	new = sdc_new(host, SdcLattice, 1);
	memset(new, 0, sizeof(*new));
	new->host = host;
	new->problem = *problem;
	new->keys = problem->keys;
	copy_requests(new);
	status = prepare(new, &at);
	if (status != SDC_LATTICE_OK)
	{
		if (key != NULL)
			*key = at;
		sdc_lattice_release(new);
		return status;
	}
	sdc_lattice_table_start(new);
	*lattice = new;
	return SDC_LATTICE_OK;
}

void
sdc_lattice_release(SdcLattice *lattice)
{
	SdcHost *host;

	if (lattice == NULL)
		return;
	host = lattice->host;
	sdc_lattice_runs_finish(lattice);
	sdc_lattice_table_finish(lattice);
	if (lattice->column != NULL)
		sdc_lattice_keys_release(lattice);
	if (lattice->problem.sensitives > 0)
		host->release(host, (void *) lattice->problem.sensitive);
	host->release(host, lattice);
}

int64_t
sdc_lattice_nodes(const SdcLattice *lattice)
{
	return lattice->nodes;
}

int64_t
sdc_lattice_group_size(const SdcLattice *lattice)
{
	return lattice->group_size;
}

void
sdc_lattice_describe(const SdcLattice *lattice, const uint8_t *level,
					 const SdcLatticeTally *tally, SdcLatticeNode *node)
{
	int j;

	memset(node, 0, sizeof(*node));
	for (j = 0; j < lattice->keys; j++)
	{
		node->level[j] = (uint8_t) (level[j] + lattice->column[j].lowest);
		node->number += lattice->stride[j] * level[j];
	}
	node->feasible = tally->suppressed <= lattice->problem.limit;
	node->score = NAN;
	node->suppressed = tally->suppressed;
	node->classes = tally->kept;
	node->smallest = tally->smallest;
	node->largest = tally->largest;
}

static void
judge(SdcLattice *lattice, SdcLatticeTable *table, SdcLatticeNode *node)
{
	SdcLatticeTally tally;

	sdc_lattice_tally(lattice, table, true, &tally);
	sdc_lattice_describe(lattice, table->level, &tally, node);
	node->score = sdc_lattice_score(lattice, table, &tally);
}

/* Rolls the base up to a node, with levels as callers count them. */
static void
roll_base(SdcLattice *lattice, const uint8_t *level)
{
	uint8_t above[SDC_LATTICE_MAX_KEYS];
	int j;

	for (j = 0; j < lattice->keys; j++)
		above[j] = (uint8_t) (level[j] - lattice->column[j].lowest);
	sdc_lattice_table_roll(lattice, &lattice->base, above, &lattice->one);
}

void
sdc_lattice_check(SdcLattice *lattice, const uint8_t *level,
				  SdcLatticeNode *node)
{
	roll_base(lattice, level);
	judge(lattice, &lattice->one, node);
}

void
sdc_lattice_suppressed(SdcLattice *lattice, const uint8_t *level,
					   bool *suppressed)
{
	SdcHost *host = lattice->host;
	int32_t cells = lattice->problem.frequency->cells;
	SdcLatticeTable *table = &lattice->one;
	int32_t cell;

	roll_base(lattice, level);
	for (cell = 0; cell < cells; cell++)
	{
		int32_t c = lattice->target[lattice->place[cell]];

		if (cell % 1024 == 0)
			host->poll(host, (uint64_t) cell, (uint64_t) cells);
		suppressed[cell] =
			table->count[c] < lattice->group_size ||
			(table->state != NULL && sdc_lattice_runs_fail(lattice, table, c));
	}
}

/* A walk over all nodes: a table for each level that is raised. */
typedef struct Walk
{
	SdcLattice *lattice;
	SdcLatticeTable *table;
	bool (*visit)(void *argument, const SdcLatticeNode *node);
	void *argument;
	int64_t done;
} Walk;

/* Visits a node and all that raise keys from the first on. */
static bool
walk(Walk *walking, SdcLatticeTable *table, int depth, int first)
{
	SdcLattice *lattice = walking->lattice;
	SdcHost *host = lattice->host;
	SdcLatticeTable *next = &walking->table[depth];
	SdcLatticeNode node;
	uint8_t level[SDC_LATTICE_MAX_KEYS];
	int j;

	host->poll(host, (uint64_t) walking->done++, (uint64_t) lattice->nodes);
	judge(lattice, table, &node);
	if (!walking->visit(walking->argument, &node))
		return false;
	memcpy(level, table->level, sizeof(level));
	for (j = first; j < lattice->keys; j++)
	{
		if (level[j] + 1 == lattice->column[j].levels)
			continue;
		level[j]++;
		sdc_lattice_table_roll(lattice, table, level, next);
		if (!walk(walking, next, depth + 1, j))
			return false;
		level[j]--;
	}
	return true;
}

void
sdc_lattice_visit(SdcLattice *lattice,
				  bool (*visit)(void *argument, const SdcLatticeNode *node),
				  void *argument)
{
	SdcHost *host = lattice->host;
	Walk walking = {lattice, NULL, visit, argument, 0};
	size_t depth = 1;
	size_t i;
	int j;

	for (j = 0; j < lattice->keys; j++)
		depth += (size_t) lattice->column[j].levels - 1;
	walking.table = sdc_new(host, SdcLatticeTable, depth);
	memset(walking.table, 0, sizeof(SdcLatticeTable) * depth);
	walk(&walking, &lattice->base, 0, 0);
	for (i = 0; i < depth; i++)
		sdc_lattice_table_release(lattice, &walking.table[i]);
	host->release(host, walking.table);
}
