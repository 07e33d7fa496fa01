/*
 * frequency.c
 *		Frequency tables: sorting, projecting, parting into classes.
 *
 * The codes of a cell are packed into as few 64-bit words as they fit, and
 * the cells sorted by radix word by word, the last word first.  A projection
 * is the same with fewer columns, after which equal cells, then neighbours,
 * are merged.
 */
#include <string.h>

#include "kernel/table/frequency_count.h"
#include "kernel/base/sort.h"

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

	host->release(host, counting->slot);
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
