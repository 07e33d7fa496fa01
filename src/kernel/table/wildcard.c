/*
 * wildcard.c
 *		NULL as a wildcard: records that may agree, not only those that do.
 *
 * Classes with NULLs in the same columns have a pattern in common.  Classes of
 * two patterns are compatible when they agree in the columns that both
 * patterns have values in, so one hash table for each pattern and set of such
 * columns finds them all.  Classes without NULLs are compatible with each
 * other only when they are the same.
 */
#include <string.h>

#include "kernel/base/host.h"
#include "kernel/base/sort.h"
#include "kernel/table/frequency.h"
#include "kernel/table/wildcard.h"

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
	visit_patterns(&matching, add_chain, &sums);
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
	visit_patterns(&matching, add_cells, &expansion);
	table = sdc_frequency_finish(expansion.counting, NULL, values, NULL);
	host->release(host, expansion.codes);
	host->release(host, values);
	end_matching(&matching);
	return table;
}
