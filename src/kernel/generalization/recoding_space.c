/*
 * recoding_space.c
 *		Generalized tuples: what several records have in common, and its loss.
 *
 * The level where two values of a key meet is looked up in a table of all
 * pairs as long as that is small, so that joining two generalized tuples is a
 * few loads for each key.
 */
#include "kernel/generalization/recoding_space.h"

/* Pairs of values of a key that a table is made for. */
#define MOST_PAIRS (1024 * 1024)

static void
fill_value(SdcRecodingColumn *column, const SdcRecodingKey *key, int32_t v)
{
	const SdcHierarchy *hierarchy = key->hierarchy;
	int32_t *group = column->group + (size_t) v * (size_t) column->levels;
	double *cost = column->cost + (size_t) v * (size_t) column->levels;
	int level;

	for (level = 0; level < column->levels; level++)
	{
		/* The root, which NULL meets others in, is all of the domain. */
		bool root = level >= hierarchy->levels ||
					(v == hierarchy->values && level == column->levels - 1);

		if (root)
		{
			group[level] = 0;
			cost[level] = key->weight;
		}
		else if (v == hierarchy->values)
		{
			group[level] = hierarchy->groups[level];
			cost[level] = 0;
		}
		else
		{
			group[level] = hierarchy->group[level][v];
			cost[level] = key->weight * key->share[level][group[level]];
		}
	}
}

static void
fill_pairs(SdcHost *host, SdcRecodingColumn *column)
{
	int32_t v;
	int32_t w;

	column->meet = NULL;
	if ((int64_t) column->values * column->values > MOST_PAIRS)
		return;
	column->meet = sdc_new(host, uint8_t,
						   (size_t) column->values * (size_t) column->values);
	for (v = 0; v < column->values; v++)
		for (w = 0; w < column->values; w++)
			column->meet[v * column->values + w] =
				(uint8_t) sdc_recoding_space_climb(column, v, w);
}

static void
fill_column(SdcHost *host, SdcRecodingColumn *column,
			const SdcRecodingKey *key, bool nulls)
{
	const SdcHierarchy *hierarchy = key->hierarchy;
	int top = hierarchy->levels - 1;
	bool rooted = hierarchy->groups[top] <= 1 && (top > 0 || !nulls);
	size_t items;
	int32_t v;
	int level;

	column->groups = 1;
	for (level = 0; level <= top; level++)
		if (hierarchy->groups[level] >= column->groups)
			column->groups = hierarchy->groups[level] + 1;
	column->values = hierarchy->values + 1;
	column->weight = key->weight;
	column->levels = hierarchy->levels + (rooted ? 0 : 1);
	items = (size_t) column->values * (size_t) column->levels;
	column->group = sdc_new(host, int32_t, items);
	column->cost = sdc_new(host, double, items);
	for (v = 0; v < column->values; v++)
		fill_value(column, key, v);
	fill_pairs(host, column);
}

SdcRecodingSpace *
sdc_recoding_space_new(SdcHost *host, const SdcFrequency *frequency,
					   const SdcClasses *classes, const SdcRecodingKey *key,
					   int keys)
{
	SdcRecodingSpace *space = sdc_new(host, SdcRecodingSpace, 1);
	int32_t t;
	int j;

	space->keys = keys;
	space->tuples = classes->classes;
	space->records = classes->records;
	space->size = classes->size;
	space->code =
		sdc_new(host, int32_t, (size_t) space->tuples * (size_t) keys);
	space->column = sdc_new(host, SdcRecodingColumn, (size_t) keys);
	for (j = 0; j < keys; j++)
	{
		const int32_t *code = frequency->code[j];
		bool nulls = false;

		for (t = 0; t < space->tuples; t++)
		{
			int32_t value = code[classes->first[t]];

			nulls = nulls || value == SDC_CODE_NULL;
			space->code[(size_t) t * (size_t) keys + (size_t) j] =
				value == SDC_CODE_NULL ? key[j].hierarchy->values : value;
			if (t % SDC_POLL_STEPS == 0)
				host->poll(host, 0, 0);
		}
		fill_column(host, &space->column[j], &key[j], nulls);
	}
	return space;
}

int
sdc_recoding_space_climb(const SdcRecodingColumn *column, int32_t v, int32_t w)
{
	const int32_t *a = column->group + (size_t) v * (size_t) column->levels;
	const int32_t *b = column->group + (size_t) w * (size_t) column->levels;
	int level = 0;

	while (level < column->levels - 1 && a[level] != b[level])
		level++;
	return level;
}

double
sdc_recoding_space_join(const SdcRecodingSpace *space, const SdcRecodingBox *a,
						const SdcRecodingBox *b, uint8_t *level)
{
	const int32_t *v = space->code + (size_t) a->tuple * (size_t) space->keys;
	const int32_t *w = space->code + (size_t) b->tuple * (size_t) space->keys;
	double cost = 0;
	int j;

	for (j = 0; j < space->keys; j++)
	{
		const SdcRecodingColumn *column = &space->column[j];
		int joined = sdc_recoding_space_meet(column, v[j], w[j]);

		joined = joined < a->level[j] ? a->level[j] : joined;
		joined = joined < b->level[j] ? b->level[j] : joined;
		cost += sdc_recoding_space_share(column, v[j], joined);
		if (level != NULL)
			level[j] = (uint8_t) joined;
	}
	return cost;
}

double
sdc_recoding_space_bound(const SdcRecodingSpace *space,
						 const SdcRecodingBox *a, const SdcRecodingBox *b)
{
	const int32_t *v = space->code + (size_t) a->tuple * (size_t) space->keys;
	const int32_t *w = space->code + (size_t) b->tuple * (size_t) space->keys;
	double cost = 0;
	int j;

	for (j = 0; j < space->keys; j++)
	{
		const SdcRecodingColumn *column = &space->column[j];
		int least = sdc_recoding_space_meet(column, v[j], w[j]);

		/* Below the box's own level there may be a value like a's. */
		if (least <= b->level[j] || least < a->level[j])
			least = a->level[j];
		cost += sdc_recoding_space_share(column, v[j], least);
	}
	return cost;
}

double
sdc_recoding_space_cost(const SdcRecodingSpace *space, int32_t tuple,
						const uint8_t *level)
{
	const int32_t *v = space->code + (size_t) tuple * (size_t) space->keys;
	double cost = 0;
	int j;

	for (j = 0; j < space->keys; j++)
		cost += sdc_recoding_space_share(&space->column[j], v[j], level[j]);
	return cost;
}
