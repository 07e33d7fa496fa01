/*
 * agreement.c
 *		Records of two files compared field by field: agreement patterns.
 *
 * A point is compared with a stretch of the other file at a time and one field
 * after the other, so that the inner loops run over arrays.  A pattern is a
 * number with one digit for each field, its level.  Few patterns are counted
 * in an array, many by hashing.
 */
#include "kernel/linkage/agreement.h"

#include <math.h>
#include <string.h>

#include "kernel/base/host.h"
#include "kernel/base/random.h"
#include "kernel/base/sort.h"
#include "kernel/base/table.h"
#include "kernel/table/frequency.h"

/* Points that are compared at a time. */
#define STRETCH 1024

/* Steps of the budget that a pair takes where patterns are hashed. */
#define HASHED 10

/* Pairs of codes at the most that a table of levels is looked up for. */
#define TABLE_PAIRS 100000000

/* Patterns while they are counted. */
typedef struct Counter
{
	SdcHost *host;
	uint64_t *direct; /* by pattern; or else hashed, as they came */
	uint64_t *pattern;
	uint64_t *pairs;
	size_t room;
	int32_t used;
	SdcTable table;
} Counter;

#define FIRST_ROOM 1024

/* ----------------------------------------------------------------------
 * Points.
 * ----------------------------------------------------------------------
 */

/* The key of a record's value by which points are sorted. */
static uint64_t
key_of(const SdcComparisonField *field, int file, int32_t record)
{
	if (field->number[file] != NULL)
		return sdc_sort_key(field->number[file][record]);
	return (uint64_t) ((int64_t) field->code[file][record] + 1);
}

/* Records in blocks, by block, then by the fields, then by number. */
static int32_t
sort_records(SdcHost *host, const SdcComparison *comparison, int file,
			 int32_t *order)
{
	const int32_t *block = comparison->block[file];
	uint64_t *key =
		sdc_new(host, uint64_t, (size_t) comparison->records[file] + 1);
	int32_t n = 0;
	int32_t i;
	int j;

	for (i = 0; i < comparison->records[file]; i++)
		if (block == NULL || block[i] >= 0)
			order[n++] = i;
	for (j = comparison->fields - 1; j >= 0; j--)
	{
		for (i = 0; i < n; i++)
			key[i] = key_of(&comparison->field[j], file, order[i]);
		sdc_sort_keys(host, key, order, (size_t) n);
	}
	if (block != NULL)
	{
		for (i = 0; i < n; i++)
			key[i] = (uint64_t) block[order[i]];
		sdc_sort_keys(host, key, order, (size_t) n);
	}
	host->release(host, key);
	return n;
}

static bool
are_equal(const SdcComparison *comparison, int file, int32_t a, int32_t b)
{
	int j;

	if (comparison->block[file] != NULL &&
		comparison->block[file][a] != comparison->block[file][b])
		return false;
	for (j = 0; j < comparison->fields; j++)
		if (key_of(&comparison->field[j], file, a) !=
			key_of(&comparison->field[j], file, b))
			return false;
	return true;
}

/* The values of the points. */
static void
copy_values(SdcHost *host, const SdcComparison *comparison, int file,
			SdcComparisonPoints *points)
{
	int32_t p;
	int j;

	for (j = 0; j < comparison->fields; j++)
	{
		const SdcComparisonField *field = &comparison->field[j];

		points->number[j] = NULL;
		points->code[j] = NULL;
		if (field->number[file] != NULL)
			points->number[j] =
				sdc_new(host, double, (size_t) points->points + 1);
		else
			points->code[j] =
				sdc_new(host, int32_t, (size_t) points->points + 1);
		for (p = 0; p < points->points; p++)
		{
			int32_t record = points->member[points->first[p]];

			if (field->number[file] != NULL)
				points->number[j][p] = field->number[file][record];
			else
				points->code[j][p] = field->code[file][record];
		}
	}
}

static void
find_points(SdcHost *host, const SdcComparison *comparison, int file,
			SdcComparisonPoints *points)
{
	size_t records = (size_t) comparison->records[file];
	int32_t blocks = comparison->block[file] == NULL ? 1 : comparison->blocks;
	int32_t n;
	int32_t b = 0;
	int32_t i;

	memset(points, 0, sizeof(*points));
	points->point = sdc_new(host, int32_t, records + 1);
	points->member = sdc_new(host, int32_t, records + 1);
	points->first = sdc_new(host, int32_t, records + 1);
	points->block = sdc_new(host, int32_t, (size_t) blocks + 1);
	for (i = 0; i < comparison->records[file]; i++)
		points->point[i] = -1;
	n = sort_records(host, comparison, file, points->member);
	for (i = 0; i < n; i++)
	{
		int32_t record = points->member[i];

		if (i == 0 ||
			!are_equal(comparison, file, points->member[i - 1], record))
		{
			int32_t own = comparison->block[file] == NULL
							  ? 0
							  : comparison->block[file][record];

			while (b <= own)
				points->block[b++] = points->points;
			points->first[points->points++] = i;
		}
		points->point[record] = points->points - 1;
	}
	points->first[points->points] = n;
	while (b <= blocks)
		points->block[b++] = points->points;
	copy_values(host, comparison, file, points);
}

/* Pairs of one block: of its points and of its records. */
static void
count_pairs(SdcComparison *comparison)
{
	const SdcComparisonPoints *file = comparison->file;
	int32_t blocks = comparison->block[0] == NULL ? 1 : comparison->blocks;
	int32_t b;

	comparison->pairs = 0;
	comparison->point_pairs = 0;
	for (b = 0; b < blocks; b++)
	{
		int f;
		uint64_t points[2];
		uint64_t records[2];

		for (f = 0; f < 2; f++)
		{
			int32_t begin = file[f].block[b];
			int32_t end = file[f].block[b + 1];

			points[f] = (uint64_t) (end - begin);
			records[f] =
				(uint64_t) (file[f].first[end] - file[f].first[begin]);
		}
		comparison->pairs += records[0] * records[1];
		comparison->point_pairs += points[0] * points[1];
	}
}

bool
sdc_comparison_prepare(SdcHost *host, SdcComparison *comparison)
{
	uint64_t stride = 1;
	int f;
	int j;

	for (j = 0; j < comparison->fields; j++)
	{
		comparison->stride[j] = stride;
		if (stride > UINT64_MAX / (2 * (SDC_COMPARISON_LEVELS + 1)))
			return false;
		stride *= (uint64_t) comparison->field[j].levels + 1;
	}
	comparison->room = stride;
	for (f = 0; f < 2; f++)
		find_points(host, comparison, f, &comparison->file[f]);
	count_pairs(comparison);
	return true;
}

/* ----------------------------------------------------------------------
 * Patterns.
 * ----------------------------------------------------------------------
 */

/* Adds the levels of numbers, times the stride of the field. */
SDC_CLONES static void
add_numbers(const SdcComparisonField *field, uint64_t stride, double value,
			const double *other, int n, uint64_t *pattern)
{
	int last = field->levels - 1;
	int i;
	int l;

	for (l = 0; l < last; l++)
	{
		double threshold = field->threshold[l];

		for (i = 0; i < n; i++)
			pattern[i] += fabs(value - other[i]) > threshold ? stride : 0;
	}
	/* a distance that is not there is beyond no threshold */
	for (i = 0; i < n; i++)
		pattern[i] +=
			isnan(value - other[i]) ? stride * (uint64_t) field->levels : 0;
}

/* The same for codes. */
SDC_CLONES static void
add_codes(const SdcComparisonField *field, uint64_t stride, int32_t value,
		  const int32_t *other, int n, uint64_t *pattern)
{
	uint64_t missing = stride * (uint64_t) field->levels;
	uint64_t differ = stride * (uint64_t) (field->levels - 1);
	const uint8_t *row = NULL;
	int i;

	if (field->level != NULL && value >= 0)
		row = field->level + (size_t) value * (size_t) field->codes;
	for (i = 0; i < n; i++)
		if (value < 0 || other[i] < 0)
			pattern[i] += missing;
		else if (row != NULL)
			pattern[i] += stride * row[other[i]];
		else
			pattern[i] += value == other[i] ? 0 : differ;
}

/* The patterns of a point of file 0 with n points of file 1. */
static void
compare_stretch(const SdcComparison *comparison, int32_t from, int32_t to,
				int n, uint64_t *pattern)
{
	const SdcComparisonPoints *file = comparison->file;
	int j;

	memset(pattern, 0, sizeof(uint64_t) * (size_t) n);
	for (j = 0; j < comparison->fields; j++)
	{
		const SdcComparisonField *field = &comparison->field[j];

		if (file[0].number[j] != NULL)
			add_numbers(field, comparison->stride[j], file[0].number[j][from],
						file[1].number[j] + to, n, pattern);
		else
			add_codes(field, comparison->stride[j], file[0].code[j][from],
					  file[1].code[j] + to, n, pattern);
	}
}

int
sdc_comparison_level(const SdcComparison *comparison, uint64_t pattern,
					 int field)
{
	return (int) (pattern / comparison->stride[field] %
				  ((uint64_t) comparison->field[field].levels + 1));
}

static inline bool
is_pattern(const uint64_t *patterns, int32_t number, uint64_t pattern)
{
	return patterns[number] == pattern;
}

SDC_TABLE_FIND(find_pattern, const uint64_t *, uint64_t, is_pattern);

/* Makes room for twice the patterns. */
static void
make_room(Counter *counter)
{
	SdcHost *host = counter->host;
	size_t used = (size_t) counter->used;
	int32_t i;

	/* no number of patterns that int32_t could not hold; alloc stops it */
	counter->room = used == 0              ? FIRST_ROOM
					: used < INT32_MAX / 2 ? used * 2
										   : SIZE_MAX / 8;
	counter->pattern = sdc_grow(host, counter->pattern, used, counter->room,
								sizeof(uint64_t));
	counter->pairs =
		sdc_grow(host, counter->pairs, used, counter->room, sizeof(uint64_t));
	sdc_table_release(host, &counter->table);
	sdc_table_create(host, &counter->table, counter->room);
	for (i = 0; i < counter->used; i++)
		sdc_table_put(&counter->table, sdc_table_hash(0, counter->pattern[i]),
					  i);
}

static void
add_pattern(Counter *counter, uint64_t pattern, uint64_t pairs)
{
	int32_t *slot;

	if (counter->direct != NULL)
	{
		counter->direct[pattern] += pairs;
		return;
	}
	slot = find_pattern(&counter->table, sdc_table_hash(0, pattern),
						counter->pattern, pattern);
	if (*slot != SDC_TABLE_NONE)
	{
		counter->pairs[*slot] += pairs;
		return;
	}
	*slot = counter->used;
	counter->pattern[counter->used] = pattern;
	counter->pairs[counter->used++] = pairs;
	if ((size_t) counter->used == counter->room)
		make_room(counter);
}

/* Puts the patterns of the array into the list. */
static void
list_direct(Counter *counter, uint64_t patterns)
{
	SdcHost *host = counter->host;
	uint64_t *direct = counter->direct;
	uint64_t i;

	for (i = 0; i < patterns; i++)
		counter->room += direct[i] > 0;
	counter->pattern = sdc_new(host, uint64_t, counter->room + 1);
	counter->pairs = sdc_new(host, uint64_t, counter->room + 1);
	for (i = 0; i < patterns; i++)
		if (direct[i] > 0)
		{
			counter->pattern[counter->used] = i;
			counter->pairs[counter->used++] = direct[i];
		}
	host->release(host, direct);
}

/* Takes the patterns out of the counter, sorted: no sum follows its order. */
static void
take_patterns(Counter *counter, SdcComparisonPatterns *result)
{
	SdcHost *host = counter->host;
	int32_t *order = sdc_new(host, int32_t, (size_t) counter->used + 1);
	int32_t i;

	result->count = counter->used;
	result->pattern = counter->pattern;
	result->pairs = sdc_new(host, uint64_t, (size_t) counter->used + 1);
	for (i = 0; i < result->count; i++)
		order[i] = i;
	sdc_sort_keys(host, result->pattern, order, (size_t) result->count);
	for (i = 0; i < result->count; i++)
		result->pairs[i] = counter->pairs[order[i]];
	host->release(host, order);
	host->release(host, counter->pairs);
	sdc_table_release(host, &counter->table);
}

/* Counts the patterns of a point with its block, each pair times records. */
static void
count_point(const SdcComparison *comparison, Counter *counter, int32_t from,
			int32_t begin, int32_t end, uint64_t records)
{
	const int32_t *first = comparison->file[1].first;
	uint64_t pattern[STRETCH];
	int32_t to;
	int i;

	for (to = begin; to < end; to += STRETCH)
	{
		int n = end - to < STRETCH ? end - to : STRETCH;

		compare_stretch(comparison, from, to, n, pattern);
		for (i = 0; i < n; i++)
			add_pattern(counter, pattern[i],
						records *
							(uint64_t) (first[to + i + 1] - first[to + i]));
	}
}

/* The records of file 0 that are compared, by point; in all *sampled. */
static int32_t *
draw_records(SdcHost *host, const SdcComparison *comparison, double budget,
			 int32_t most, uint64_t seed, int32_t *sampled)
{
	const SdcComparisonPoints *file = &comparison->file[0];
	int32_t *drawn = sdc_new(host, int32_t, (size_t) file->points + 1);
	int32_t records = file->first[file->points];
	double share = budget / fmax(1, (double) comparison->point_pairs);
	int32_t left =
		share >= 1 ? records : (int32_t) fmax(1, floor(records * share));
	SdcRandom random;
	int32_t p;
	int32_t i;

	left = left < most ? left : most;
	*sampled = left < records ? left : records;
	left = *sampled;
	sdc_random_seed(&random, seed, 0);
	for (p = 0; p < file->points; p++)
	{
		drawn[p] = 0;
		/* each of the rest is drawn with the chance that fills what is left */
		for (i = file->first[p]; i < file->first[p + 1]; i++)
			if (left > 0 && (left == records - i ||
							 (int32_t) sdc_random_below(
								 &random, (uint64_t) (records - i)) < left))
			{
				drawn[p]++;
				left--;
			}
	}
	return drawn;
}

SdcComparisonPatterns
sdc_comparison_count(SdcHost *host, SdcComparison *comparison, double budget,
					 uint64_t seed)
{
	const SdcComparisonPoints *file = comparison->file;
	int32_t blocks = comparison->block[0] == NULL ? 1 : comparison->blocks;
	bool direct = comparison->room <= SDC_COMPARISON_DIRECT;
	SdcComparisonPatterns result = {0};
	Counter counter = {.host = host};
	uint64_t done = 0;
	int32_t *drawn;
	int32_t b;
	int32_t p;

	host->stage(host, "comparing");
	drawn = draw_records(host, comparison, direct ? budget : budget / HASHED,
						 INT32_MAX, seed, &result.records);
	if (direct)
	{
		counter.direct = sdc_new(host, uint64_t, comparison->room);
		memset(counter.direct, 0, sizeof(uint64_t) * comparison->room);
	}
	else
		make_room(&counter);
	for (b = 0; b < blocks; b++)
		for (p = file[0].block[b]; p < file[0].block[b + 1]; p++)
		{
			int32_t begin = file[1].block[b];
			int32_t end = file[1].block[b + 1];

			if (drawn[p] == 0)
				continue;
			done += (uint64_t) (end - begin);
			host->poll(host, done, comparison->point_pairs);
			count_point(comparison, &counter, p, begin, end,
						(uint64_t) drawn[p]);
			result.total +=
				(uint64_t) drawn[p] *
				(uint64_t) (file[1].first[end] - file[1].first[begin]);
		}
	host->release(host, drawn);
	if (direct)
		list_direct(&counter, comparison->room);
	take_patterns(&counter, &result);
	return result;
}

/* ----------------------------------------------------------------------
 * The patterns of one record at a time.
 * ----------------------------------------------------------------------
 */

/* What a pattern scores. */
static double
score_pattern(const SdcComparison *comparison,
			  double (*score)[SDC_COMPARISON_LEVELS + 1], uint64_t pattern)
{
	double sum = 0;
	int j;

	for (j = 0; j < comparison->fields; j++)
		sum += score[j][sdc_comparison_level(comparison, pattern, j)];
	return sum;
}

/* The patterns of a point, ascending, in a list of their own. */
static SdcComparisonPatterns
list_point(SdcHost *host, const SdcComparison *comparison, int32_t point,
		   int32_t begin, int32_t end)
{
	Counter counter = {.host = host};
	SdcComparisonPatterns result = {0};

	if (comparison->room <= 4 * (uint64_t) (end - begin) &&
		comparison->room <= SDC_COMPARISON_DIRECT)
	{
		counter.direct = sdc_new(host, uint64_t, comparison->room);
		memset(counter.direct, 0, sizeof(uint64_t) * comparison->room);
	}
	else
		make_room(&counter);
	count_point(comparison, &counter, point, begin, end, 1);
	if (counter.direct != NULL)
		list_direct(&counter, comparison->room);
	take_patterns(&counter, &result);
	return result;
}

/* Adds the best patterns of a record to the lists, from entry *used on. */
static void
add_list(SdcHost *host, const SdcComparison *comparison,
		 double (*score)[SDC_COMPARISON_LEVELS + 1],
		 const SdcComparisonPatterns *patterns, SdcComparisonLists *lists,
		 int32_t *used)
{
	int fields = comparison->fields;
	uint64_t *key = sdc_new(host, uint64_t, (size_t) patterns->count + 1);
	int32_t *order = sdc_new(host, int32_t, (size_t) patterns->count + 1);
	int32_t i;
	int j;

	for (i = 0; i < patterns->count; i++)
	{
		order[i] = i;
		key[i] = sdc_sort_key(
			score_pattern(comparison, score, patterns->pattern[i]));
	}
	sdc_sort_keys(host, key, order, (size_t) patterns->count);
	for (i = 0; i < patterns->count && i < SDC_COMPARISON_PATTERNS; i++)
	{
		uint8_t *level = lists->level + (size_t) *used * (size_t) fields;

		for (j = 0; j < fields; j++)
			level[j] = (uint8_t) sdc_comparison_level(
				comparison, patterns->pattern[order[i]], j);
		lists->times[(*used)++] = (double) patterns->pairs[order[i]];
	}
	host->release(host, key);
	host->release(host, order);
}

/* How often a record has each level of each field. */
static void
set_shares(const SdcComparison *comparison,
		   const SdcComparisonPatterns *patterns, float *share)
{
	int j;
	int l;
	int32_t i;

	for (j = 0; j < comparison->fields; j++)
	{
		int levels = comparison->field[j].levels;
		double pairs[SDC_COMPARISON_LEVELS + 1] = {0};
		double all = 0;

		for (i = 0; i < patterns->count; i++)
			pairs[sdc_comparison_level(comparison, patterns->pattern[i], j)] +=
				(double) patterns->pairs[i];
		for (l = 0; l < levels; l++)
			all += pairs[l];
		for (l = 0; l <= SDC_COMPARISON_LEVELS; l++)
			share[j * (SDC_COMPARISON_LEVELS + 1) + l] =
				l < levels && all > 0 ? (float) (pairs[l] / all) : 0;
	}
}

/* Makes room for the lists of so many records. */
static void
begin_lists(SdcHost *host, const SdcComparison *comparison,
			SdcComparisonLists *lists)
{
	size_t records = (size_t) lists->records;
	size_t others = (size_t) comparison->records[1];
	size_t entries =
		records *
		(others < SDC_COMPARISON_PATTERNS ? others : SDC_COMPARISON_PATTERNS);

	lists->first = sdc_new(host, int32_t, records + 1);
	lists->partners = sdc_new(host, int32_t, records + 1);
	lists->times = sdc_new(host, double, entries + 1);
	lists->share = sdc_new(host, float,
						   (records + 1) * (size_t) comparison->fields *
							   (SDC_COMPARISON_LEVELS + 1));
	lists->level =
		sdc_new(host, uint8_t, (entries + 1) * (size_t) comparison->fields);
	lists->first[0] = 0;
	lists->records = 0;
}

SdcComparisonLists
sdc_comparison_list(SdcHost *host, const SdcComparison *comparison,
					double (*score)[SDC_COMPARISON_LEVELS + 1], double budget,
					uint64_t seed)
{
	const SdcComparisonPoints *file = comparison->file;
	int32_t blocks = comparison->block[0] == NULL ? 1 : comparison->blocks;
	bool direct = comparison->room <= SDC_COMPARISON_DIRECT;
	SdcComparisonLists lists = {0};
	int32_t *drawn =
		draw_records(host, comparison, direct ? budget : budget / HASHED,
					 SDC_COMPARISON_LISTED, seed, &lists.records);
	int32_t used = 0;
	int32_t b;
	int32_t p;

	host->stage(host, "comparing");
	begin_lists(host, comparison, &lists);
	for (b = 0; b < blocks; b++)
		for (p = file[0].block[b]; p < file[0].block[b + 1]; p++)
		{
			int32_t begin = file[1].block[b];
			int32_t end = file[1].block[b + 1];
			SdcComparisonPatterns patterns;
			int32_t k;

			host->poll(host, (uint64_t) p, (uint64_t) file[0].points);
			if (drawn[p] == 0)
				continue;
			patterns = list_point(host, comparison, p, begin, end);
			for (k = 0; k < drawn[p]; k++)
			{
				int32_t partners = file[1].first[end] - file[1].first[begin];

				add_list(host, comparison, score, &patterns, &lists, &used);
				set_shares(comparison, &patterns,
						   lists.share + (size_t) lists.records *
											 (size_t) comparison->fields *
											 (SDC_COMPARISON_LEVELS + 1));
				lists.partners[lists.records] = partners;
				lists.first[++lists.records] = used;
				lists.total += (uint64_t) partners;
			}
			host->release(host, patterns.pattern);
			host->release(host, patterns.pairs);
		}
	host->release(host, drawn);
	return lists;
}

/* ----------------------------------------------------------------------
 * One field by itself.
 * ----------------------------------------------------------------------
 */

/* The values of the records of a block that are there, ascending. */
typedef struct Sorted
{
	int32_t *first; /* of each block */
	double *value;
} Sorted;

static double
value_of(const SdcComparisonPoints *file, int field, int32_t point)
{
	if (file->number[field] != NULL)
		return file->number[field][point];
	return file->code[field][point] < 0 ? NAN : file->code[field][point];
}

static Sorted
sort_values(SdcHost *host, const SdcComparisonPoints *file, int32_t blocks,
			int field)
{
	size_t records = (size_t) file->first[file->points];
	Sorted sorted = {sdc_new(host, int32_t, (size_t) blocks + 1),
					 sdc_new(host, double, records + 1)};
	uint64_t *key = sdc_new(host, uint64_t, records + 1);
	int32_t *order = sdc_new(host, int32_t, records + 1);
	double *copy = sdc_new(host, double, records + 1);
	int32_t n = 0;
	int32_t b;
	int32_t p;
	int32_t i;

	for (b = 0; b < blocks; b++)
	{
		int32_t begin = n;

		sorted.first[b] = n;
		for (p = file->block[b]; p < file->block[b + 1]; p++)
		{
			double value = value_of(file, field, p);

			for (i = file->first[p]; i < file->first[p + 1] && !isnan(value);
				 i++)
				copy[n++] = value;
		}
		for (i = begin; i < n; i++)
		{
			key[i - begin] = sdc_sort_key(copy[i]);
			order[i - begin] = i;
		}
		sdc_sort_keys(host, key, order, (size_t) (n - begin));
		for (i = begin; i < n; i++)
			sorted.value[i] = copy[order[i - begin]];
	}
	sorted.first[blocks] = n;
	host->release(host, key);
	host->release(host, order);
	host->release(host, copy);
	return sorted;
}

/* Pairs of one block that are no further apart than a threshold. */
static uint64_t
count_within(const Sorted *a, const Sorted *b, int32_t block, double threshold)
{
	int32_t low = b->first[block];
	int32_t high = low;
	int32_t end = b->first[block + 1];
	uint64_t pairs = 0;
	int32_t i;

	for (i = a->first[block]; i < a->first[block + 1]; i++)
	{
		double value = a->value[i];

		while (low < end && b->value[low] < value &&
			   fabs(value - b->value[low]) > threshold)
			low++;
		while (high < end && (b->value[high] <= value ||
							  fabs(value - b->value[high]) <= threshold))
			high++;
		pairs += (uint64_t) (high - low);
	}
	return pairs;
}

/* Levels from sorted values: of numbers, or of codes that are equal or not. */
static void
count_sorted(SdcHost *host, const SdcComparison *comparison, int field,
			 uint64_t *pairs)
{
	const SdcComparisonField *of = &comparison->field[field];
	int32_t blocks = comparison->block[0] == NULL ? 1 : comparison->blocks;
	bool numbers = of->number[0] != NULL;
	int last = of->levels - 1;
	Sorted value[2];
	int32_t b;
	int f;
	int l;

	for (f = 0; f < 2; f++)
		value[f] = sort_values(host, &comparison->file[f], blocks, field);
	for (b = 0; b < blocks; b++)
	{
		uint64_t all = (uint64_t) (value[0].first[b + 1] - value[0].first[b]) *
					   (uint64_t) (value[1].first[b + 1] - value[1].first[b]);
		uint64_t before = 0;

		host->poll(host, (uint64_t) b, (uint64_t) blocks);
		for (l = 0; l < (numbers ? last : 1); l++)
		{
			uint64_t within = count_within(&value[0], &value[1], b,
										   numbers ? of->threshold[l] : 0);

			pairs[l] += within - before;
			before = within;
		}
		pairs[last] += all - before;
	}
	for (f = 0; f < 2; f++)
	{
		host->release(host, value[f].first);
		host->release(host, value[f].value);
	}
}

/* Levels of a table, from how often each code occurs; without blocks. */
static void
count_table(SdcHost *host, const SdcComparison *comparison, int field,
			uint64_t *pairs)
{
	const SdcComparisonField *of = &comparison->field[field];
	size_t codes = (size_t) of->codes;
	uint64_t *count = sdc_new(host, uint64_t, 2 * codes + 1);
	size_t a;
	size_t b;
	int32_t i;
	int f;

	memset(count, 0, sizeof(uint64_t) * 2 * codes);
	for (f = 0; f < 2; f++)
		for (i = 0; i < comparison->records[f]; i++)
			if (of->code[f][i] >= 0)
				count[(size_t) f * codes + (size_t) of->code[f][i]]++;
	for (a = 0; a < codes; a++)
	{
		host->poll(host, a, codes);
		for (b = 0; b < codes && count[a] > 0; b++)
			pairs[of->level[a * codes + b]] += count[a] * count[codes + b];
	}
	host->release(host, count);
}

bool
sdc_comparison_marginal(SdcHost *host, const SdcComparison *comparison,
						int field, uint64_t *pairs)
{
	const SdcComparisonField *of = &comparison->field[field];

	memset(pairs, 0, sizeof(uint64_t) * SDC_COMPARISON_LEVELS);
	if (of->number[0] != NULL || of->level == NULL)
	{
		count_sorted(host, comparison, field, pairs);
		return true;
	}
	if (comparison->block[0] != NULL ||
		(double) of->codes * of->codes > TABLE_PAIRS)
		return false;
	count_table(host, comparison, field, pairs);
	return true;
}
