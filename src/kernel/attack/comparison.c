/*
 * comparison.c
 *		Records of two files compared field by field: agreement patterns.
 *
 * A record is compared with a whole block at a time and one field after the
 * other, so that the inner loops run over arrays.  A pattern is a number with
 * one digit for each field, its level; patterns are counted by hashing.
 */
#include "kernel/attack/comparison.h"
#include "kernel/base/sort.h"

#include <math.h>
#include <string.h>

/* Patterns while they are counted: pairs 0 is an empty slot. */
typedef struct Counter
{
	SdcHost *host;
	uint64_t *pattern;
	uint64_t *pairs;
	size_t room; /* a power of two */
	size_t used;
} Counter;

#define FIRST_ROOM 1024

/* The block of a record; -1 for none. */
static int32_t
block_of(const SdcComparison *comparison, int file, int32_t record)
{
	return comparison->block[file] == NULL ? 0
										   : comparison->block[file][record];
}

/* Lists the records of file 1 in each block; without blocks there is one. */
static void
list_blocks(SdcHost *host, SdcComparison *comparison)
{
	int32_t n = comparison->records[1];
	int32_t *all;

	if (comparison->block[1] != NULL)
	{
		comparison->others = sdc_grouping_list(host, n, comparison->block[1],
											   comparison->blocks);
		return;
	}
	all = sdc_new(host, int32_t, (size_t) n + 1);
	memset(all, 0, sizeof(int32_t) * n);
	comparison->others = sdc_grouping_list(host, n, all, 1);
	host->release(host, all);
}

bool
sdc_comparison_prepare(SdcHost *host, SdcComparison *comparison)
{
	uint64_t stride = 1;
	const int32_t *other;
	int32_t i;
	int j;

	for (j = 0; j < comparison->fields; j++)
	{
		comparison->stride[j] = stride;
		if (stride > UINT64_MAX / (2 * (SDC_COMPARISON_LEVELS + 1)))
			return false;
		stride *= comparison->field[j].levels + 1;
	}
	list_blocks(host, comparison);
	comparison->pairs = 0;
	comparison->largest = 0;
	for (i = 0; i < comparison->records[0]; i++)
	{
		int32_t n = sdc_comparison_others(comparison, i, &other);

		comparison->pairs += n;
		if (n > comparison->largest)
			comparison->largest = n;
	}
	comparison->level = sdc_new(host, uint8_t, comparison->largest + 1);
	return true;
}

int32_t
sdc_comparison_others(const SdcComparison *comparison, int32_t record,
					  const int32_t **other)
{
	int32_t block = block_of(comparison, 0, record);

	if (block < 0)
		return 0;
	*other = comparison->others.member + comparison->others.first[block];
	return comparison->others.first[block + 1] -
		   comparison->others.first[block];
}

/* Levels of a field of numbers, for a record and others. */
static void
compare_numbers(const SdcComparisonField *field, double value,
				const int32_t *other, int32_t n, uint8_t *level)
{
	int last = field->levels - 1;
	int32_t i;
	int l;

	for (i = 0; i < n; i++)
	{
		double distance = fabs(value - field->number[1][other[i]]);

		level[i] = 0;
		for (l = 0; l < last; l++)
			level[i] += distance > field->threshold[l];
		if (isnan(distance))
			level[i] = (uint8_t) field->levels;
	}
}

/* The same for codes. */
static void
compare_codes(const SdcComparisonField *field, int32_t value,
			  const int32_t *other, int32_t n, uint8_t *level)
{
	const uint8_t *row = NULL;
	int32_t i;

	if (field->level != NULL && value >= 0)
		row = field->level + (size_t) value * field->codes;
	for (i = 0; i < n; i++)
	{
		int32_t code = field->code[1][other[i]];

		if (value < 0 || code < 0)
			level[i] = (uint8_t) field->levels;
		else if (row != NULL)
			level[i] = row[code];
		else
			level[i] = (uint8_t) (value == code ? 0 : field->levels - 1);
	}
}

/* Levels of any field. */
static void
compare_field(const SdcComparisonField *field, int32_t record,
			  const int32_t *other, int32_t n, uint8_t *level)
{
	if (field->number[0] != NULL)
		compare_numbers(field, field->number[0][record], other, n, level);
	else
		compare_codes(field, field->code[0][record], other, n, level);
}

void
sdc_comparison_patterns(const SdcComparison *comparison, int32_t record,
						uint64_t *pattern)
{
	const int32_t *other = NULL;
	int32_t n = sdc_comparison_others(comparison, record, &other);
	int32_t i;
	int j;

	memset(pattern, 0, sizeof(uint64_t) * n);
	for (j = 0; j < comparison->fields; j++)
	{
		compare_field(&comparison->field[j], record, other, n,
					  comparison->level);
		for (i = 0; i < n; i++)
			pattern[i] += comparison->stride[j] * comparison->level[i];
	}
}

void
sdc_comparison_sums(const SdcComparison *comparison,
					const SdcComparisonWeights *weights, int32_t record,
					double *sum)
{
	const int32_t *other = NULL;
	int32_t n = sdc_comparison_others(comparison, record, &other);
	int32_t i;
	int j;

	memset(sum, 0, sizeof(double) * n);
	for (j = 0; j < comparison->fields; j++)
	{
		compare_field(&comparison->field[j], record, other, n,
					  comparison->level);
		for (i = 0; i < n; i++)
			sum[i] += weights[j][comparison->level[i]];
	}
}

int
sdc_comparison_level(const SdcComparison *comparison, uint64_t pattern,
					 int field)
{
	return (int) (pattern / comparison->stride[field] %
				  (comparison->field[field].levels + 1));
}

static size_t
slot_of(const Counter *counter, uint64_t pattern)
{
	size_t slot =
		(pattern * UINT64_C(0x9E3779B97F4A7C15)) >> 20 & (counter->room - 1);

	while (counter->pairs[slot] > 0 && counter->pattern[slot] != pattern)
		slot = (slot + 1) & (counter->room - 1);
	return slot;
}

static void
make_room(Counter *counter, size_t room)
{
	uint64_t *pattern = counter->pattern;
	uint64_t *pairs = counter->pairs;
	size_t before = counter->room;
	size_t i;

	counter->room = room;
	counter->pattern = sdc_new(counter->host, uint64_t, room);
	counter->pairs = sdc_new(counter->host, uint64_t, room);
	memset(counter->pairs, 0, room * sizeof(uint64_t));
	for (i = 0; i < before; i++)
		if (pairs[i] > 0)
		{
			size_t slot = slot_of(counter, pattern[i]);

			counter->pattern[slot] = pattern[i];
			counter->pairs[slot] = pairs[i];
		}
	counter->host->release(counter->host, pattern);
	counter->host->release(counter->host, pairs);
}

static void
add_pattern(Counter *counter, uint64_t pattern)
{
	size_t slot = slot_of(counter, pattern);

	if (counter->pairs[slot]++ > 0)
		return;
	counter->pattern[slot] = pattern;
	if (++counter->used > counter->room / 2)
	{
		/* no number of patterns that int32_t could not hold; alloc stops it */
		make_room(counter, counter->used < INT32_MAX / 2 ? counter->room * 2
														 : SIZE_MAX / 8);
	}
}

/* Takes the patterns out of the counter, sorted: no sum follows its order. */
static SdcComparisonPatterns
take_patterns(Counter *counter)
{
	SdcHost *host = counter->host;
	SdcComparisonPatterns result;
	int32_t *order = sdc_new(host, int32_t, counter->used + 1);
	size_t slot;
	int32_t i;

	result.count = 0;
	result.pattern = sdc_new(host, uint64_t, counter->used + 1);
	result.pairs = sdc_new(host, uint64_t, counter->used + 1);
	for (slot = 0; slot < counter->room; slot++)
		if (counter->pairs[slot] > 0)
		{
			result.pattern[result.count] = counter->pattern[slot];
			counter->pairs[result.count] = counter->pairs[slot];
			order[result.count] = result.count;
			result.count++;
		}
	sdc_sort_keys(host, result.pattern, order, result.count);
	for (i = 0; i < result.count; i++)
		result.pairs[i] = counter->pairs[order[i]];
	host->release(host, order);
	host->release(host, counter->pattern);
	host->release(host, counter->pairs);
	return result;
}

SdcComparisonPatterns
sdc_comparison_count(SdcHost *host, SdcComparison *comparison)
{
	Counter counter = {.host = host};
	const int32_t *other;
	uint64_t *pattern = sdc_new(host, uint64_t, comparison->largest + 1);
	uint64_t done = 0;
	int32_t i;
	int32_t j;

	host->stage(host, "comparing");
	make_room(&counter, FIRST_ROOM);
	for (i = 0; i < comparison->records[0]; i++)
	{
		int32_t n = sdc_comparison_others(comparison, i, &other);

		sdc_comparison_patterns(comparison, i, pattern);
		for (j = 0; j < n; j++)
		{
			if (j % SDC_POLL_STEPS == 0)
				host->poll(host, done + j, comparison->pairs);
			add_pattern(&counter, pattern[j]);
		}
		done += n;
	}
	host->release(host, pattern);
	return take_patterns(&counter);
}
