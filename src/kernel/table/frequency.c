/*
 * frequency.c
 *		Frequency tables: sorting, projecting, parting into classes; records
 *		that may agree where one is NULL.
 *
 * The codes of a cell are packed into as few 64-bit words as they fit, and
 * the cells sorted by radix word by word, the last word first.  A projection
 * is the same with fewer columns, after which equal cells, then neighbours,
 * are merged.
 */
#include <string.h>

#include "kernel/base/host.h"
#include "kernel/base/sort.h"
#include "kernel/table/frequency.h"

/* ----------------------------------------------------------------------
 * Counts records into the cells of a frequency table.
 *
 * Open addressing over cell numbers; the codes of a cell lie side by side, so
 * that a look-up reads one place.  Weights are summed with their rounding
 * errors (Knuth's two-sum), so that a sum does not depend on the order of the
 * records but in the rarest of cases.
 * ----------------------------------------------------------------------
 */

#define FIRST_ROOM 1024

/* Codes that are all 0 are frequent: where hashes start. */
#define SEED UINT64_C(0x9e3779b97f4a7c15)

/* Makes the table anew for the room of cells. */
static void
place_cells(SdcFrequencyCount *counting)
{
	SdcHost *host = counting->host;
	int32_t cell;

	sdc_table_release(host, &counting->table);
	sdc_table_create(host, &counting->table, counting->room);
	for (cell = 0; cell < counting->cells; cell++)
	{
		if (cell % SDC_POLL_STEPS == 0)
			host->poll(host, 0, 0);
		sdc_table_put(&counting->table, (uint64_t) counting->hash[cell] << 32,
					  cell);
	}
}

static void
grow_cells(SdcFrequencyCount *counting)
{
	SdcHost *host = counting->host;
	size_t used = counting->cells;
	size_t room = used == 0 ? FIRST_ROOM : used * 2;

	counting->codes = sdc_grow(host, counting->codes, used * counting->columns,
							   room * counting->columns, sizeof(int32_t));
	counting->count =
		sdc_grow(host, counting->count, used, room, sizeof(int64_t));
	counting->hash =
		sdc_grow(host, counting->hash, used, room, sizeof(uint32_t));
	if (counting->weighted)
		counting->weight =
			sdc_grow(host, counting->weight, used, room, sizeof(SdcWeight));
	counting->room = room;
	place_cells(counting);
}

SdcFrequencyCount *
sdc_frequency_start(SdcHost *host, int columns, bool weighted)
{
	SdcFrequencyCount *counting = sdc_new(host, SdcFrequencyCount, 1);

	memset(counting, 0, sizeof(*counting));
	counting->host = host;
	counting->columns = columns;
	counting->weighted = weighted;
	grow_cells(counting);
	return counting;
}

static uint32_t
hash_codes(const int32_t *codes, int columns)
{
	uint64_t hash = SEED;
	int j;

	for (j = 0; j < columns; j++)
		hash = sdc_table_hash(hash, (uint32_t) codes[j]);
	return (uint32_t) (hash >> 32);
}

/* Codes that are looked for, and their hash. */
typedef struct Wanted
{
	const int32_t *codes;
	uint32_t hash;
} Wanted;

static inline bool
is_cell(const SdcFrequencyCount *counting, int32_t cell, Wanted wanted)
{
	return counting->hash[cell] == wanted.hash &&
		   memcmp(counting->codes + (size_t) cell * counting->columns,
				  wanted.codes, counting->columns * sizeof(int32_t)) == 0;
}

SDC_TABLE_FIND(find_cell, const SdcFrequencyCount *, Wanted, is_cell);

static int32_t
new_cell(SdcFrequencyCount *counting, const int32_t *codes, uint32_t hash)
{
	int32_t cell = counting->cells++;

	memcpy(counting->codes + (size_t) cell * counting->columns, codes,
		   counting->columns * sizeof(int32_t));
	counting->count[cell] = 0;
	counting->hash[cell] = hash;
	if (counting->weighted)
		memset(&counting->weight[cell], 0, sizeof(SdcWeight));
	return cell;
}

/* Adds to a sum and keeps what rounding takes away. */
static void
add_weight(SdcWeight *weight, double more)
{
	double sum = weight->sum + more;
	double part = sum - weight->sum;

	weight->error += (weight->sum - (sum - part)) + (more - part);
	weight->sum = sum;
}

/* Counts into the cell of codes that have this hash, and returns it. */
static inline int32_t
add_hashed(SdcFrequencyCount *counting, Wanted wanted, int64_t count,
		   double weight)
{
	int32_t *slot = find_cell(&counting->table, (uint64_t) wanted.hash << 32,
							  counting, wanted);
	int32_t cell = *slot;

	if (cell == SDC_TABLE_NONE)
	{
		cell = *slot = new_cell(counting, wanted.codes, wanted.hash);
		if ((size_t) counting->cells == counting->room)
			grow_cells(counting);
	}
	counting->count[cell] += count;
	if (counting->weighted)
		add_weight(&counting->weight[cell], weight);
	return cell;
}

int32_t
sdc_frequency_add(SdcFrequencyCount *counting, const int32_t *codes,
				  int64_t count, double weight)
{
	Wanted wanted = {codes, hash_codes(codes, counting->columns)};

	return add_hashed(counting, wanted, count, weight);
}

void
sdc_frequency_add_many(SdcFrequencyCount *counting, const int32_t *codes,
					   int records)
{
	const SdcTable *table = &counting->table;
	int columns = counting->columns;
	Wanted wanted[SDC_FREQUENCY_TOGETHER];
	int i;

	for (i = 0; i < records; i++)
	{
		wanted[i].codes = codes + (size_t) i * columns;
		wanted[i].hash = hash_codes(wanted[i].codes, columns);
		__builtin_prefetch(
			&table->slot[((uint64_t) wanted[i].hash << 32) >> table->shift]);
	}
	for (i = 0; i < records; i++)
	{
		int32_t cell =
			table->slot[((uint64_t) wanted[i].hash << 32) >> table->shift];

		if (cell == SDC_TABLE_NONE)
			continue;
		__builtin_prefetch(&counting->hash[cell]);
		__builtin_prefetch(&counting->count[cell], 1);
		__builtin_prefetch(&counting->codes[(size_t) cell * columns]);
	}
	for (i = 0; i < records; i++)
		(void) add_hashed(counting, wanted[i], 1, 0);
}

/* ----------------------------------------------------------------------
 * Rows that agree in several columns of codes, as numbered groups.
 *
 * The number of the group so far and the code of the next column make one key
 * of 64 bits; sorted, equal keys are the new groups.
 * ----------------------------------------------------------------------
 */

int32_t
sdc_grouping_refine(SdcHost *host, int32_t n, const int32_t *code,
					bool null_leaves, int32_t *group)
{
	uint64_t *key = sdc_new(host, uint64_t, (size_t) n + 1);
	int32_t *row = sdc_new(host, int32_t, (size_t) n + 1);
	int32_t groups = 0;
	int32_t rows = 0;
	int32_t i;

	for (i = 0; i < n; i++)
	{
		if (null_leaves && code[i] < 0)
			group[i] = -1;
		if (group[i] < 0)
			continue;
		/* one more, so that the code of NULL comes first */
		key[rows] = (uint64_t) group[i] << 32 | (uint32_t) (code[i] + 1);
		row[rows++] = i;
	}
	sdc_sort_keys(host, key, row, rows);
	for (i = 0; i < rows; i++)
	{
		groups += i == 0 || key[i] != key[i - 1];
		group[row[i]] = groups - 1;
	}
	host->release(host, key);
	host->release(host, row);
	return groups;
}

/* ----------------------------------------------------------------------
 * Frequency tables: sorting, projecting, parting into classes.
 * ----------------------------------------------------------------------
 */

/*
 * Cells in any layout: the code of cell i in column j is code[j][i * stride],
 * put through rank[j] unless that is NULL.
 */
typedef struct Source
{
	SdcHost *host;
	int columns;
	int32_t cells;
	size_t stride;
	const int32_t **code;
	const int32_t *const *rank;
	const int32_t *values;
} Source;

static int32_t
source_code(const Source *source, int j, int32_t cell)
{
	int32_t code = source->code[j][(size_t) cell * source->stride];

	if (code != SDC_CODE_NULL && source->rank != NULL &&
		source->rank[j] != NULL)
		return source->rank[j][code];
	return code;
}

/* Bits that hold the codes 0 .. values, the last of which stands for NULL. */
static int
code_bits(int32_t values)
{
	int bits = 0;

	while (bits < 32 && (uint32_t) values >> bits != 0)
		bits++;
	return bits;
}

/* The columns first .. last - 1 of a cell as one number, NULL the largest. */
static uint64_t
pack_codes(const Source *source, int first, int last, int32_t cell)
{
	uint64_t key = 0;
	int j;

	for (j = first; j < last; j++)
	{
		int32_t code = source_code(source, j, cell);

		key = key << code_bits(source->values[j]) |
			  (uint32_t) (code == SDC_CODE_NULL ? source->values[j] : code);
	}
	return key;
}

/* The first of the columns before last that share a word with it. */
static int
word_start(const Source *source, int last)
{
	int bits = 0;
	int j = last;

	while (j > 0 && bits + code_bits(source->values[j - 1]) <= 64)
		bits += code_bits(source->values[--j]);
	return j;
}

/* Numbers of the cells in the order of their codes. */
static int32_t *
sort_cells(const Source *source)
{
	SdcHost *host = source->host;
	int32_t *order = sdc_new(host, int32_t, source->cells);
	uint64_t *keys = sdc_new(host, uint64_t, source->cells);
	int last = source->columns;
	int32_t i;

	for (i = 0; i < source->cells; i++)
		order[i] = i;
	while (last > 0)
	{
		int first = word_start(source, last);

		for (i = 0; i < source->cells; i++)
		{
			if (i % SDC_POLL_STEPS == 0)
				host->poll(host, 0, 0);
			keys[i] = pack_codes(source, first, last, order[i]);
		}
		sdc_sort_keys(host, keys, order, source->cells);
		last = first;
	}
	host->release(host, keys);
	return order;
}

static bool
same_cell(const Source *source, int32_t a, int32_t b)
{
	int j;

	for (j = 0; j < source->columns; j++)
		if (source_code(source, j, a) != source_code(source, j, b))
			return false;
	return true;
}

/*
 * Numbers the distinct cells along the order: target[i] is the number of cell
 * order[i].
 */
static int32_t *
number_cells(const Source *source, const int32_t *order, int32_t *cells)
{
	int32_t *target = sdc_new(source->host, int32_t, source->cells);
	int32_t i;

	*cells = 0;
	for (i = 0; i < source->cells; i++)
	{
		if (i == 0 || !same_cell(source, order[i - 1], order[i]))
			(*cells)++;
		target[i] = *cells - 1;
	}
	return target;
}

static SdcFrequency *
new_table(const Source *source, int32_t cells, bool weighted)
{
	SdcHost *host = source->host;
	SdcFrequency *table = sdc_new(host, SdcFrequency, 1);
	int j;

	memset(table, 0, sizeof(*table));
	table->columns = source->columns;
	table->cells = cells;
	table->code = sdc_new(host, int32_t *, source->columns);
	table->values = sdc_new(host, int32_t, source->columns);
	for (j = 0; j < source->columns; j++)
	{
		table->code[j] = sdc_new(host, int32_t, cells);
		table->values[j] = source->values[j];
	}
	table->count = sdc_new(host, int64_t, cells);
	memset(table->count, 0, sizeof(int64_t) * cells);
	if (!weighted)
		return table;
	table->weight = sdc_new(host, double, cells);
	memset(table->weight, 0, sizeof(double) * cells);
	return table;
}

/* Sorts and merges the cells of a source; counts and weights come after. */
static SdcFrequency *
build_table(const Source *source, bool weighted, int32_t **order,
			int32_t **target)
{
	SdcFrequency *table;
	int32_t cells;
	int32_t i;
	int j;

	*order = sort_cells(source);
	*target = number_cells(source, *order, &cells);
	table = new_table(source, cells, weighted);
	for (j = 0; j < source->columns; j++)
	{
		source->host->poll(source->host, 0, 0);
		for (i = 0; i < source->cells; i++)
			table->code[j][(*target)[i]] = source_code(source, j, (*order)[i]);
	}
	return table;
}

/* Turns order and target into place, or gives them back. */
static void
finish_place(SdcHost *host, int32_t *order, int32_t *target, int32_t cells,
			 int32_t **place)
{
	int32_t i;

	if (place != NULL)
	{
		*place = sdc_new(host, int32_t, cells);
		for (i = 0; i < cells; i++)
			(*place)[order[i]] = target[i];
	}
	host->release(host, order);
	host->release(host, target);
}

/* Frees all of a count but the struct and, for the source, the codes. */
static void
release_index(SdcFrequencyCount *counting)
{
	SdcHost *host = counting->host;

	sdc_table_release(host, &counting->table);
	host->release(host, counting->hash);
}

SdcFrequency *
sdc_frequency_finish(SdcFrequencyCount *counting, const int32_t *const *rank,
					 const int32_t *values, int32_t **place)
{
	SdcHost *host = counting->host;
	Source source = {host,
					 counting->columns,
					 counting->cells,
					 counting->columns,
					 NULL,
					 rank,
					 values};
	SdcFrequency *table;
	int32_t *order;
	int32_t *target;
	int32_t i;
	int j;

	release_index(counting);
	source.code = sdc_new(host, const int32_t *, counting->columns);
	for (j = 0; j < counting->columns; j++)
		source.code[j] = counting->codes + j;
	table = build_table(&source, counting->weighted, &order, &target);
	for (i = 0; i < counting->cells; i++)
	{
		table->count[target[i]] += counting->count[order[i]];
		table->records += counting->count[order[i]];
		if (counting->weighted)
			table->weight[target[i]] += counting->weight[order[i]].sum +
										counting->weight[order[i]].error;
	}
	host->release(host, counting->codes);
	host->release(host, counting->count);
	host->release(host, counting->weight);
	finish_place(host, order, target, counting->cells, place);
	host->release(host, source.code);
	host->release(host, counting);
	return table;
}

SdcFrequency *
sdc_frequency_project(SdcHost *host, const SdcFrequency *frequency,
					  const int *column, int columns, int32_t **place)
{
	Source source = {host, columns, frequency->cells, 1, NULL, NULL, NULL};
	int32_t *values = sdc_new(host, int32_t, columns);
	SdcFrequency *table;
	int32_t *order;
	int32_t *target;
	int32_t i;
	int j;

	source.code = sdc_new(host, const int32_t *, columns);
	source.values = values;
	for (j = 0; j < columns; j++)
	{
		source.code[j] = frequency->code[column[j]];
		values[j] = frequency->values[column[j]];
	}
	table = build_table(&source, frequency->weight != NULL, &order, &target);
	for (i = 0; i < frequency->cells; i++)
	{
		table->count[target[i]] += frequency->count[order[i]];
		if (frequency->weight != NULL)
			table->weight[target[i]] += frequency->weight[order[i]];
	}
	table->records = frequency->records;
	finish_place(host, order, target, frequency->cells, place);
	host->release(host, source.code);
	host->release(host, values);
	return table;
}

/* Does a cell differ from the one before in the first keys columns? */
static bool
class_starts(const SdcFrequency *frequency, int keys, int32_t cell)
{
	int j;

	if (cell == 0)
		return true;
	for (j = 0; j < keys; j++)
		if (frequency->code[j][cell - 1] != frequency->code[j][cell])
			return true;
	return false;
}

static SdcClasses *
new_classes(SdcHost *host, const SdcFrequency *frequency, int keys)
{
	SdcClasses *classes = sdc_new(host, SdcClasses, 1);
	int32_t cell;

	memset(classes, 0, sizeof(*classes));
	for (cell = 0; cell < frequency->cells; cell++)
		classes->classes += class_starts(frequency, keys, cell);
	classes->first = sdc_new(host, int32_t, (size_t) classes->classes + 1);
	classes->size = sdc_new(host, int64_t, classes->classes);
	if (frequency->weight != NULL)
		classes->weight = sdc_new(host, double, classes->classes);
	return classes;
}

SdcClasses *
sdc_frequency_classes(SdcHost *host, const SdcFrequency *frequency, int keys)
{
	SdcClasses *classes = new_classes(host, frequency, keys);
	int32_t number = -1;
	int32_t cell;

	for (cell = 0; cell < frequency->cells; cell++)
	{
		if (cell % SDC_POLL_STEPS == 0)
			host->poll(host, cell, frequency->cells);
		if (class_starts(frequency, keys, cell))
		{
			classes->first[++number] = cell;
			classes->size[number] = 0;
			if (classes->weight != NULL)
				classes->weight[number] = 0;
		}
		classes->size[number] += frequency->count[cell];
		if (classes->weight != NULL)
			classes->weight[number] += frequency->weight[cell];
	}
	classes->first[classes->classes] = frequency->cells;
	classes->records = frequency->records;
	return classes;
}

void
sdc_frequency_release(SdcHost *host, SdcFrequency *frequency)
{
	int j;

	if (frequency == NULL)
		return;
	for (j = 0; j < frequency->columns; j++)
		host->release(host, frequency->code[j]);
	host->release(host, frequency->code);
	host->release(host, frequency->values);
	host->release(host, frequency->count);
	host->release(host, frequency->weight);
	host->release(host, frequency);
}

void
sdc_classes_release(SdcHost *host, SdcClasses *classes)
{
	if (classes == NULL)
		return;
	host->release(host, classes->first);
	host->release(host, classes->size);
	host->release(host, classes->weight);
	host->release(host, classes);
}

/* ----------------------------------------------------------------------
 * NULL as a wildcard: records that may agree, not only those that do.
 *
 * Classes with NULLs in the same columns have a pattern in common.  Classes of
 * two patterns are compatible when they agree in the columns that both
 * patterns have values in, so one hash table for each pattern and set of such
 * columns finds them all.  Classes without NULLs are compatible with each
 * other only when they are the same.  Where there are nearly as many patterns
 * as classes, each class is compared with each other one.
 * ----------------------------------------------------------------------
 */

const char *const sdc_nulls_words[] = {"category", "wildcard", "ignore", NULL};

#define NONE (-1)

typedef struct Matching
{
	SdcHost *host;
	const SdcFrequency *frequency;
	const SdcClasses *classes;
	int keys;
	/* classes by pattern: pattern p has by_pattern[start[p] .. start[p+1]) */
	int patterns;
	int words;         /* of a pattern */
	uint64_t *pattern; /* [p * words + j / 64], bit j % 64: column j is NULL */
	int32_t *start;
	int32_t *by_pattern;
	/* the table of one pattern: first class of a chain, next of a class */
	SdcTable table;
	bool *left_out; /* columns that are NULL in one of its two patterns */
	int32_t *next;
	int64_t *sum; /* of the classes that share a slot's first class's codes */
	double *weight;
} Matching;

/*
 * Called for each class and each first class of a chain (by next) of
 * compatible classes.
 */
typedef void (*Visit)(Matching *matching, int32_t class, int32_t first,
					  void *arg);

static int32_t
class_code(const Matching *matching, int j, int32_t class)
{
	return matching->frequency->code[j][matching->classes->first[class]];
}

/* Which of 64 columns are NULL. */
static uint64_t
class_word(const Matching *matching, int32_t class, int word)
{
	uint64_t nulls = 0;
	int j;

	for (j = 64 * word; j < matching->keys && j < 64 * word + 64; j++)
		if (class_code(matching, j, class) == SDC_CODE_NULL)
			nulls |= UINT64_C(1) << j % 64;
	return nulls;
}

/* Sorts the classes by pattern: by each word in turn, the last word last. */
static void
sort_classes(Matching *matching)
{
	SdcHost *host = matching->host;
	int32_t n = matching->classes->classes;
	uint64_t *key = sdc_new(host, uint64_t, n);
	int32_t i;
	int word;

	matching->by_pattern = sdc_new(host, int32_t, n);
	for (i = 0; i < n; i++)
		matching->by_pattern[i] = i;
	for (word = 0; word < matching->words; word++)
	{
		for (i = 0; i < n; i++)
		{
			if (i % SDC_POLL_STEPS == 0)
				host->poll(host, i, n);
			key[i] = class_word(matching, matching->by_pattern[i], word);
		}
		sdc_sort_keys(host, key, matching->by_pattern, n);
	}
	host->release(host, key);
}

/* Has a class other NULLs than the one before it? */
static bool
starts_pattern(const Matching *matching, int32_t i)
{
	int word;

	for (word = 0; i > 0 && word < matching->words; word++)
		if (class_word(matching, matching->by_pattern[i], word) !=
			class_word(matching, matching->by_pattern[i - 1], word))
			return true;
	return i == 0;
}

/* Sorts the classes by pattern and finds where each pattern starts. */
static void
sort_patterns(Matching *matching)
{
	SdcHost *host = matching->host;
	int32_t n = matching->classes->classes;
	int32_t p = 0;
	int32_t i;
	int word;

	sort_classes(matching);
	matching->start = sdc_new(host, int32_t, (size_t) n + 1);
	for (i = 0; i < n; i++)
	{
		if (i % SDC_POLL_STEPS == 0)
			host->poll(host, i, n);
		if (starts_pattern(matching, i))
			matching->start[matching->patterns++] = i;
	}
	matching->start[matching->patterns] = n;
	matching->pattern =
		sdc_new(host, uint64_t, (size_t) matching->patterns * matching->words);
	for (p = 0; p < matching->patterns; p++)
		for (word = 0; word < matching->words; word++)
			matching->pattern[(size_t) p * matching->words + word] =
				class_word(matching, matching->by_pattern[matching->start[p]],
						   word);
}

/* The columns of a word that are NULL in one of two patterns. */
static uint64_t
nulls_of(const Matching *matching, int a, int b, int word)
{
	size_t words = matching->words;

	return matching->pattern[a * words + word] |
		   matching->pattern[b * words + word];
}

/* Do patterns a and other have the same columns in common with b? */
static bool
same_nulls(const Matching *matching, int a, int other, int b)
{
	int word;

	for (word = 0; word < matching->words; word++)
		if (nulls_of(matching, a, b, word) !=
			nulls_of(matching, other, b, word))
			return false;
	return true;
}

static uint64_t
hash_class(const Matching *matching, int32_t class)
{
	uint64_t hash = 1;
	int j;

	for (j = 0; j < matching->keys; j++)
		if (!matching->left_out[j])
			hash = sdc_table_hash(hash,
								  (uint32_t) class_code(matching, j, class));
	return hash;
}

/* Do two classes agree in all columns that are not marked? */
static bool
classes_agree(const Matching *matching, int32_t a, int32_t b)
{
	int j;

	for (j = 0; j < matching->keys; j++)
		if (!matching->left_out[j] &&
			class_code(matching, j, a) != class_code(matching, j, b))
			return false;
	return true;
}

SDC_TABLE_FIND(find_class, const Matching *, int32_t, classes_agree);

/* The slot with the codes of a class, or the empty one where they belong. */
static int32_t *
find_slot(const Matching *matching, int32_t class)
{
	return find_class(&matching->table, hash_class(matching, class), matching,
					  class);
}

static void
poll_steps(const Matching *matching, int32_t i)
{
	if (i % (SDC_POLL_STEPS / 8) == 0)
		matching->host->poll(matching->host, 0, 0);
}

/*
 * Fills the hash table with a pattern's classes, last first, by the columns
 * that it has in common with another.
 */
static void
index_pattern(Matching *matching, int pattern, int other)
{
	const SdcClasses *classes = matching->classes;
	int32_t start = matching->start[pattern];
	int32_t i;
	int j;

	for (j = 0; j < matching->keys; j++)
		matching->left_out[j] =
			(nulls_of(matching, pattern, other, j / 64) >> j % 64 & 1) != 0;
	sdc_table_clear(&matching->table,
					(size_t) (matching->start[pattern + 1] - start));
	for (i = matching->start[pattern + 1] - 1; i >= start; i--)
	{
		int32_t class = matching->by_pattern[i];
		int32_t *slot = find_slot(matching, class);
		int32_t next = *slot;

		poll_steps(matching, i);
		matching->next[class] = next;
		*slot = class;
		matching->sum[class] =
			classes->size[class] + (next == NONE ? 0 : matching->sum[next]);
		if (matching->weight != NULL)
			matching->weight[class] =
				classes->weight[class] +
				(next == NONE ? 0 : matching->weight[next]);
	}
}

/* Looks the classes of one pattern up in the index of another. */
static void
look_up(Matching *matching, int pattern, Visit visit, void *arg)
{
	int32_t i;

	for (i = matching->start[pattern]; i < matching->start[pattern + 1]; i++)
	{
		int32_t class = matching->by_pattern[i];
		int32_t first = *find_slot(matching, class);

		poll_steps(matching, i);
		if (first != NONE)
			visit(matching, class, first, arg);
	}
}

/* Visits the compatible classes of all classes, one pattern after another. */
static void
visit_patterns(Matching *matching, Visit visit, void *arg)
{
	int a;
	int b;
	int other;

	for (b = 0; b < matching->patterns; b++)
		for (a = 0; a < matching->patterns; a++)
		{
			/* the index serves all patterns with the same columns in common */
			for (other = 0; other < a; other++)
				if (same_nulls(matching, a, other, b))
					break;
			if (other < a)
				continue;
			index_pattern(matching, b, a);
			for (other = a; other < matching->patterns; other++)
				if (same_nulls(matching, a, other, b))
					look_up(matching, other, visit, arg);
		}
}

/* Columns that are compared at once; compilers make vectors of them. */
#define AT_ONCE 16

/* The keys of all classes, class by class, filled up to a multiple. */
static int32_t *
arrange_codes(const Matching *matching, int width)
{
	int32_t n = matching->classes->classes;
	int32_t *code =
		sdc_new(matching->host, int32_t, (size_t) n * (size_t) width);
	int32_t c;
	int j;

	for (c = 0; c < n; c++)
		for (j = 0; j < width; j++)
			code[(size_t) c * (size_t) width + (size_t) j] =
				j < matching->keys ? class_code(matching, j, c)
								   : SDC_CODE_NULL;
	return code;
}

/* May two classes of these codes agree? */
static bool
may_agree(const int32_t *a, const int32_t *b, int width)
{
	int first;
	int j;

	for (first = 0; first < width; first += AT_ONCE)
	{
		int32_t differ = 0;

		/* NULL is the only negative code */
		for (j = first; j < first + AT_ONCE; j++)
			differ |= -(a[j] != b[j]) & ~(a[j] >> 31) & ~(b[j] >> 31);
		if (differ != 0)
			return false;
	}
	return true;
}

/* Each class is a chain of its own. */
static void
chain_alone(Matching *matching)
{
	const SdcClasses *classes = matching->classes;
	int32_t c;

	for (c = 0; c < classes->classes; c++)
	{
		matching->next[c] = NONE;
		matching->sum[c] = classes->size[c];
		if (matching->weight != NULL)
			matching->weight[c] = classes->weight[c];
	}
}

/* Visits the compatible classes of all classes, pair by pair. */
static void
visit_pairs(Matching *matching, Visit visit, void *arg)
{
	int32_t n = matching->classes->classes;
	size_t width = ((size_t) matching->keys + AT_ONCE - 1) / AT_ONCE * AT_ONCE;
	int32_t *code = arrange_codes(matching, (int) width);
	int32_t a;
	int32_t b;

	chain_alone(matching);
	for (a = 0; a < n; a++)
	{
		matching->host->poll(matching->host, (uint64_t) a, (uint64_t) n);
		visit(matching, a, a, arg);
		for (b = a + 1; b < n; b++)
		{
			poll_steps(matching, b);
			if (!may_agree(code + (size_t) a * width,
						   code + (size_t) b * width, (int) width))
				continue;
			visit(matching, a, b, arg);
			visit(matching, b, a, arg);
		}
	}
	matching->host->release(matching->host, code);
}

/* What it costs to compare two classes, in hashes of one key, about. */
#define STEPS_OF_PAIR 4

/*
 * Visits the compatible classes of all classes, in the way that is less work:
 * by patterns a table for two of them, and hashes of all keys of classes.
 */
static void
visit_all(Matching *matching, Visit visit, void *arg)
{
	double n = matching->classes->classes;
	double patterns = matching->patterns;

	if (STEPS_OF_PAIR * n * n <
		patterns * (2 * n * matching->keys + patterns * patterns / 2))
		visit_pairs(matching, visit, arg);
	else
		visit_patterns(matching, visit, arg);
}

static Matching
start_matching(SdcHost *host, const SdcFrequency *frequency,
			   const SdcClasses *classes, int keys)
{
	Matching matching;
	size_t n = classes->classes;

	memset(&matching, 0, sizeof(matching));
	matching.host = host;
	matching.frequency = frequency;
	matching.classes = classes;
	matching.keys = keys;
	sdc_table_create(host, &matching.table, n);
	matching.next = sdc_new(host, int32_t, n);
	matching.sum = sdc_new(host, int64_t, n);
	if (classes->weight != NULL)
		matching.weight = sdc_new(host, double, n);
	matching.words = (keys + 63) / 64;
	matching.left_out = sdc_new(host, bool, (size_t) keys + 1);
	sort_patterns(&matching);
	return matching;
}

static void
end_matching(Matching *matching)
{
	SdcHost *host = matching->host;

	sdc_table_release(host, &matching->table);
	host->release(host, matching->next);
	host->release(host, matching->sum);
	host->release(host, matching->weight);
	host->release(host, matching->by_pattern);
	host->release(host, matching->left_out);
	host->release(host, matching->start);
	host->release(host, matching->pattern);
}

/* Where the sums of the classes go. */
typedef struct Sums
{
	int64_t *records;
	double *weight;
} Sums;

static void
add_chain(Matching *matching, int32_t class, int32_t first, void *arg)
{
	Sums *sums = arg;

	sums->records[class] += matching->sum[first];
	if (sums->weight != NULL)
		sums->weight[class] += matching->weight[first];
}

void
sdc_wildcard_match(SdcHost *host, const SdcFrequency *frequency,
				   const SdcClasses *classes, int keys, int64_t *records,
				   double *weight)
{
	Matching matching = start_matching(host, frequency, classes, keys);
	Sums sums = {records, weight};

	host->stage(host, "matching NULLs");
	memset(records, 0, sizeof(*records) * classes->classes);
	if (weight != NULL)
		memset(weight, 0, sizeof(*weight) * classes->classes);
	visit_all(&matching, add_chain, &sums);
	end_matching(&matching);
}

SdcAlike
sdc_wildcard_alike(SdcHost *host, const SdcFrequency *frequency,
				   const SdcClasses *classes, int keys, bool wildcard)
{
	SdcAlike alike = {classes->size, classes->weight};

	if (!wildcard)
		return alike;
	alike.records = sdc_new(host, int64_t, classes->classes);
	if (classes->weight != NULL)
		alike.weight = sdc_new(host, double, classes->classes);
	sdc_wildcard_match(host, frequency, classes, keys, alike.records,
					   alike.weight);
	return alike;
}

/* The table being made by sdc_wildcard_expand. */
typedef struct Expansion
{
	SdcFrequencyCount *counting;
	int32_t *codes;
} Expansion;

/* Adds the cells of all classes of a chain to a class. */
static void
add_cells(Matching *matching, int32_t class, int32_t first, void *arg)
{
	Expansion *expansion = arg;
	const SdcFrequency *frequency = matching->frequency;
	int keys = matching->keys;
	int32_t other;
	int32_t cell;
	int j;

	expansion->codes[0] = class;
	for (other = first; other != NONE; other = matching->next[other])
		for (cell = matching->classes->first[other];
			 cell < matching->classes->first[other + 1]; cell++)
		{
			poll_steps(matching, cell);
			for (j = keys; j < frequency->columns; j++)
				expansion->codes[1 + j - keys] = frequency->code[j][cell];
			sdc_frequency_add(
				expansion->counting, expansion->codes, frequency->count[cell],
				frequency->weight == NULL ? 0 : frequency->weight[cell]);
		}
}

SdcFrequency *
sdc_wildcard_expand(SdcHost *host, const SdcFrequency *frequency,
					const SdcClasses *classes, int keys)
{
	Matching matching = start_matching(host, frequency, classes, keys);
	int columns = 1 + frequency->columns - keys;
	int32_t *values = sdc_new(host, int32_t, columns);
	Expansion expansion;
	SdcFrequency *table;
	int j;

	host->stage(host, "matching NULLs");
	values[0] = classes->classes;
	for (j = 1; j < columns; j++)
		values[j] = frequency->values[keys + j - 1];
	expansion.codes = sdc_new(host, int32_t, columns);
	expansion.counting =
		sdc_frequency_start(host, columns, frequency->weight != NULL);
	visit_all(&matching, add_cells, &expansion);
	table = sdc_frequency_finish(expansion.counting, NULL, values, NULL);
	host->release(host, expansion.codes);
	host->release(host, values);
	end_matching(&matching);
	return table;
}
