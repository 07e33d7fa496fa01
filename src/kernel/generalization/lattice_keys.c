/*
 * lattice_keys.c
 *		The keys of a lattice: groups that occur, level by level.
 *
 * A level keeps only groups that have records, so that group numbers are
 * short, and what the scores need of them: share of the domain and records.
 * NULL has the slot after the last value.
 */
#include "kernel/generalization/lattice_parts.h"

#include <math.h>
#include <string.h>

/* libm: log and log2, in a measure, not in a mask. */

static bool
key_fits(const SdcLatticeProblem *problem, int j)
{
	const SdcLatticeKey *key = &problem->key[j];

	return key->lowest >= 0 && key->lowest <= key->highest &&
		   key->highest < key->hierarchy->levels &&
		   key->highest < SDC_LATTICE_MAX_LEVELS &&
		   key->hierarchy->values >= problem->frequency->values[j];
}

/* Weights as parts of the largest. */
static SdcLatticeStatus
take_weights(SdcLattice *lattice, int *key)
{
	const SdcLatticeProblem *problem = &lattice->problem;
	double most = 0;
	int j;

	for (j = 0; j < lattice->keys; j++)
	{
		double weight = problem->key[j].weight;

		*key = j;
		if (!(weight >= 0) || isinf(weight))
			return SDC_LATTICE_WEIGHTS;
		most = weight > most ? weight : most;
	}
	*key = -1;
	if (most == 0)
		return SDC_LATTICE_WEIGHTS;
	for (j = 0; j < lattice->keys; j++)
		lattice->column[j].weight = problem->key[j].weight / most;
	return SDC_LATTICE_OK;
}

static int
bits_of(int32_t groups)
{
	int bits = 0;

	while (bits < 31 && (INT64_C(1) << bits) < groups)
		bits++;
	return bits;
}

/* The group of a slot; NULL is one more. */
static int32_t
group_of(const SdcLatticeKey *key, const SdcLatticeColumn *column, int level,
		 int32_t slot)
{
	const SdcHierarchy *hierarchy = key->hierarchy;

	if (slot < column->values)
		return hierarchy->group[level][slot];
	if (key->join_nulls && hierarchy->groups[level] == 1)
		return 0;
	return hierarchy->groups[level];
}

/* What share of the domain a group is, of a hierarchy's own numbering. */
static double
share_of(const SdcLatticeKey *key, const SdcLatticeColumn *column, int level,
		 int32_t group, const int32_t *members)
{
	if (group == key->hierarchy->groups[level])
		return column->domain > 0 ? 1 / column->domain : 0;
	if (key->share != NULL)
		return key->share[level][group];
	return (double) members[group] / column->domain;
}

/*
 * Fills one level: number[group] is scratch of groups + 1; at[slot] holds the
 * groups of the level below and becomes those of this one.
 */
static void
fill_level(SdcLattice *lattice, int j, int l, const int64_t *leaf, int32_t *at,
		   int32_t *number)
{
	SdcHost *host = lattice->host;
	const SdcLatticeKey *key = &lattice->problem.key[j];
	SdcLatticeColumn *column = &lattice->column[j];
	SdcLatticeLevel *level = &column->level[l];
	int at_level = column->lowest + l;
	int32_t groups = key->hierarchy->groups[at_level];
	int32_t *members =
		key->share == NULL
			? sdc_hierarchy_members(host, key->hierarchy, at_level)
			: NULL;
	int32_t occur = 0;
	int32_t slot;

	memset(number, -1, sizeof(int32_t) * ((size_t) groups + 1));
	for (slot = 0; slot <= column->values; slot++)
	{
		int32_t group;

		if (leaf[slot] == 0)
			continue;
		group = group_of(key, column, at_level, slot);
		if (number[group] < 0)
		{
			number[group] = occur;
			level->total[occur] = 0;
			level->share[occur++] =
				share_of(key, column, at_level, group, members);
		}
		if (l > 0)
			level[-1].up[at[slot]] = number[group];
		at[slot] = number[group];
		level->total[at[slot]] += leaf[slot];
	}
	level->groups = occur;
	level->bits = bits_of(occur);
	host->release(host, members);
}

static double
information(int64_t part, int64_t whole)
{
	return (double) part * log2((double) whole / (double) part);
}

/* What the scores need of a level. */
static void
sum_level(const SdcLatticeColumn *column, const int64_t *leaf,
		  const int32_t *at, SdcLatticeLevel *level)
{
	int32_t slot;
	int32_t g;

	level->share_sum = 0;
	level->log_sum = 0;
	level->entropy = 0;
	for (g = 0; g < level->groups; g++)
	{
		double records = (double) level->total[g];

		level->share_sum += records * level->share[g];
		level->log_sum += records * log(level->share[g]);
	}
	for (slot = 0; slot <= column->values; slot++)
		if (leaf[slot] > 0)
			level->entropy += information(leaf[slot], level->total[at[slot]]);
}

/* Takes the arrays of a level for at most that many groups. */
static void
take_level(SdcHost *host, SdcLatticeLevel *level, size_t groups, bool highest)
{
	level->share = sdc_new(host, double, groups);
	level->total = sdc_new(host, int64_t, groups);
	level->up = highest ? NULL : sdc_new(host, int32_t, groups);
}

static void
fill_column(SdcLattice *lattice, int j, const int64_t *leaf)
{
	SdcHost *host = lattice->host;
	const SdcHierarchy *hierarchy = lattice->problem.key[j].hierarchy;
	SdcLatticeColumn *column = &lattice->column[j];
	size_t slots = (size_t) column->values + 1;
	size_t groups = slots;
	int32_t *at = sdc_new(host, int32_t, slots);
	int32_t *number;
	int l;

	for (l = 0; l < column->levels; l++)
		if ((size_t) hierarchy->groups[column->lowest + l] + 1 > groups)
			groups = (size_t) hierarchy->groups[column->lowest + l] + 1;
	number = sdc_new(host, int32_t, groups);
	column->first = sdc_new(host, int32_t, slots);
	column->level = sdc_new(host, SdcLatticeLevel, (size_t) column->levels);
	memset(at, -1, sizeof(int32_t) * slots);
	for (l = 0; l < column->levels; l++)
	{
		SdcLatticeLevel *level = &column->level[l];

		host->poll(host, (uint64_t) l, (uint64_t) column->levels);
		take_level(host, level, l == 0 ? slots : (size_t) level[-1].groups,
				   l + 1 == column->levels);
		fill_level(lattice, j, l, leaf, at, number);
		sum_level(column, leaf, at, level);
		if (l == 0)
			memcpy(column->first, at, sizeof(int32_t) * slots);
	}
	column->marginal =
		sdc_new(host, int64_t, (size_t) column->level[0].groups);
	host->release(host, number);
	host->release(host, at);
}

/* Records of each slot. */
static int64_t *
count_slots(SdcLattice *lattice, int j)
{
	SdcHost *host = lattice->host;
	const SdcFrequency *frequency = lattice->problem.frequency;
	int32_t values = frequency->values[j];
	int64_t *leaf = sdc_new(host, int64_t, (size_t) values + 1);
	int32_t cell;

	memset(leaf, 0, sizeof(int64_t) * ((size_t) values + 1));
	for (cell = 0; cell < frequency->cells; cell++)
	{
		int32_t code = frequency->code[j][cell];

		if (cell % SDC_POLL_STEPS == 0)
			host->poll(host, (uint64_t) cell, (uint64_t) frequency->cells);
		leaf[code == SDC_CODE_NULL ? values : code] += frequency->count[cell];
	}
	return leaf;
}

SdcLatticeStatus
sdc_lattice_keys_start(SdcLattice *lattice, int *key)
{
	SdcHost *host = lattice->host;
	const SdcLatticeProblem *problem = &lattice->problem;
	SdcLatticeStatus status = take_weights(lattice, key);
	int j;

	for (j = 0; j < lattice->keys && status == SDC_LATTICE_OK; j++)
	{
		*key = j;
		if (!key_fits(problem, j))
			status = SDC_LATTICE_LEVELS;
	}
	if (status != SDC_LATTICE_OK)
		return status;
	for (j = 0; j < lattice->keys; j++)
	{
		const SdcLatticeKey *from = &problem->key[j];
		SdcLatticeColumn *column = &lattice->column[j];
		int64_t *leaf;

		column->values = problem->frequency->values[j];
		column->lowest = from->lowest;
		column->levels = from->highest - from->lowest + 1;
		column->height = from->hierarchy->levels - 1;
		column->domain = from->share != NULL
							 ? (double) from->domain
							 : (double) from->hierarchy->values;
		leaf = count_slots(lattice, j);
		fill_column(lattice, j, leaf);
		host->release(host, leaf);
	}
	*key = -1;
	return SDC_LATTICE_OK;
}

void
sdc_lattice_keys_release(SdcLattice *lattice)
{
	SdcHost *host = lattice->host;
	int j;
	int l;

	for (j = 0; j < lattice->keys; j++)
	{
		SdcLatticeColumn *column = &lattice->column[j];

		for (l = 0; column->level != NULL && l < column->levels; l++)
		{
			host->release(host, column->level[l].up);
			host->release(host, column->level[l].share);
			host->release(host, column->level[l].total);
		}
		host->release(host, column->level);
		host->release(host, column->first);
		host->release(host, column->marginal);
	}
	host->release(host, lattice->column);
}
