/*
 * tally_frequency.c
 *		The frequency table of a state, as kernels want it.
 *
 * The values of each column get codes in the order of their type, and the
 * cells are sorted by them.  So measures that add up floats do so in one
 * order, whatever the order of the rows and however many workers counted.
 */
#include "postgres.h"

#include "utils/memutils.h"

#include "pg/tally/tally_frequency.h"

/* Cells between two clean-ups of what comparing values left behind. */
#define CLEAN_CELLS 1024

/* Codes of the values that are in the shape. */
static void
encode(const SdcTallyShape *shape, SdcDictionary **dictionary, int32 *codes)
{
	int j;

	for (j = 0; j < shape->columns; j++)
		codes[j] = shape->isnull[j]
					   ? SDC_CODE_NULL
					   : sdcpg_dictionary_code(dictionary[j], shape->value[j]);
}

static SdcFrequencyCount *
count_cells(SdcPgHost *host, const SdcTallyShape *shape, const SdcTally *tally,
			SdcDictionary **dictionary)
{
	SdcHost *kernel = &host->kernel;
	SdcFrequencyCount *counting =
		sdc_frequency_start(kernel, shape->columns, false);
	int32 *codes = sdc_new(kernel, int32, shape->columns);
	const SdcTallyCell *cell = sdcpg_tally_first(tally);
	MemoryContext scratch = AllocSetContextCreate(
		host->work, "sdc tally scratch", ALLOCSET_DEFAULT_SIZES);
	MemoryContext caller = MemoryContextSwitchTo(scratch);
	int64 i;

	for (i = 0; i < tally->cells; i++)
	{
		if (i % SDC_POLL_STEPS == 0)
			kernel->poll(kernel, i, tally->cells);
		if (i % CLEAN_CELLS == 0)
			MemoryContextReset(scratch);
		sdcpg_tally_values(shape, cell);
		encode(shape, dictionary, codes);
		(void) sdc_frequency_add(counting, codes, cell->count, 0);
		cell = sdcpg_tally_next(cell);
	}
	MemoryContextSwitchTo(caller);
	MemoryContextDelete(scratch);
	return counting;
}

/* The frequency table of all columns. */
static SdcFrequency *
make_frequency(SdcPgHost *host, const SdcTallyShape *shape,
			   const SdcTally *tally, SdcDictionary **dictionary)
{
	SdcHost *kernel = &host->kernel;
	const int32 **rank = sdc_new(kernel, const int32 *, shape->columns);
	int32 *values = sdc_new(kernel, int32, shape->columns);
	SdcFrequencyCount *counting;
	int j;

	for (j = 0; j < shape->columns; j++)
		dictionary[j] = sdcpg_dictionary_new(host, shape->column[j].type,
											 shape->column[j].collation);
	counting = count_cells(host, shape, tally, dictionary);
	for (j = 0; j < shape->columns; j++)
	{
		rank[j] = sdcpg_dictionary_sort(dictionary[j]);
		values[j] = sdcpg_dictionary_values(dictionary[j]);
	}
	return sdc_frequency_finish(counting, (const int32_t *const *) rank,
								values, NULL);
}

/* Makes one column of all that follow the keys: their combinations. */
static SdcFrequency *
join_columns(SdcHost *host, SdcFrequency *frequency, int keys)
{
	int columns = frequency->columns - keys;
	int *column = sdc_new(host, int, columns);
	int32 *values = sdc_new(host, int32, keys + 1);
	int32 *codes = sdc_new(host, int32, keys + 1);
	SdcFrequencyCount *counting = sdc_frequency_start(host, keys + 1, false);
	SdcFrequency *combinations;
	int32 *place;
	int32 cell;
	int j;

	for (j = 0; j < columns; j++)
		column[j] = keys + j;
	combinations =
		sdc_frequency_project(host, frequency, column, columns, &place);
	for (cell = 0; cell < frequency->cells; cell++)
	{
		if (cell % SDC_POLL_STEPS == 0)
			host->poll(host, cell, frequency->cells);
		for (j = 0; j < keys; j++)
			codes[j] = frequency->code[j][cell];
		codes[keys] = place[cell];
		(void) sdc_frequency_add(counting, codes, frequency->count[cell], 0);
	}
	for (j = 0; j < keys; j++)
		values[j] = frequency->values[j];
	values[keys] = combinations->cells;
	return sdc_frequency_finish(counting, NULL, values, NULL);
}

SdcTallyTable
sdcpg_tally_table(SdcPgHost *host, SdcTallyShape *shape, const SdcTally *tally)
{
	SdcTallyTable table = {NULL, NULL, NULL};
	SdcDictionary **dictionary;

	if (tally->keys == 0 || tally->keys == tally->columns)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("state is not one of this aggregate"),
				 errdetail("It lacks keys, or what is counted within them.")));
	dictionary = sdc_new(&host->kernel, SdcDictionary *, shape->columns);
	table.frequency = make_frequency(host, shape, tally, dictionary);
	if (tally->columns == tally->keys + 1)
		table.dictionary = dictionary[tally->keys];
	else
		table.frequency =
			join_columns(&host->kernel, table.frequency, tally->keys);
	table.classes =
		sdc_frequency_classes(&host->kernel, table.frequency, tally->keys);
	return table;
}
