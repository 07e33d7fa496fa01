/*
 * record.c
 *		Rows of several columns, as ROW(a, b, c) brings them to a window mask.
 */
#include "postgres.h"

#include <math.h>

#include "access/htup_details.h"
#include "catalog/pg_type.h"
#include "utils/builtins.h"
#include "utils/memutils.h"
#include "utils/typcache.h"

#include "host/call/args.h"
#include "host/data/column.h"
#include "host/data/record.h"
#include "host/data/window.h"
#include "host/server/compat.h"
#include "host/server/host.h"
#include "kernel/base/host.h"
#include "kernel/base/matrix.h"
#include "kernel/base/random.h"
#include "kernel/base/sort.h"

/* Records read between two polls. */
#define READ_ROWS 1024

typedef struct Reader
{
	SdcWindow *window;
	SdcRecords *records;
	TupleDesc descriptor;
	int field[SDC_MAX_COLUMNS];
	Oid base[SDC_MAX_COLUMNS];
	/* values of the columns that are categories */
	SdcColumn *values[SDC_MAX_COLUMNS];
	int32 unusual; /* records left out for a number that is not finite */
} Reader;

/* Takes one field of the record type in. */
static void
add_field(Reader *reader, int field)
{
	Form_pg_attribute attribute = TupleDescAttr(reader->descriptor, field);
	SdcMatrix *matrix = &reader->records->matrix;
	int j = matrix->columns;
	SdcHost *host = &reader->window->host->kernel;
	SdcColumnType type;

	if (j == SDC_MAX_COLUMNS)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("more than %d columns in a record", SDC_MAX_COLUMNS)));
	type = sdcpg_column_type(attribute->atttypid, attribute->attcollation);
	reader->field[j] = field;
	reader->base[j] = type.base;
	matrix->column[j] = sdc_new(host, double, reader->window->rows);
	/* money has no numbers to be put in its place */
	if (!sdcpg_number_is(type.base) || type.base == CASHOID)
	{
		sdcpg_column_need_order(&type);
		reader->values[j] = sdcpg_column_new(reader->window->host, &type,
											 reader->window->rows);
		reader->records->category[j] = true;
		reader->records->any_category = true;
	}
	matrix->columns++;
}

/* Learns the columns from the first record that is not NULL. */
static void
start_reader(Reader *reader, HeapTupleHeader tuple)
{
	MemoryContext caller = MemoryContextSwitchTo(reader->window->host->work);
	TupleDesc descriptor = lookup_rowtype_tupdesc(
		HeapTupleHeaderGetTypeId(tuple), HeapTupleHeaderGetTypMod(tuple));
	int field;

	reader->descriptor = CreateTupleDescCopy(descriptor);
	ReleaseTupleDesc(descriptor);
	for (field = 0; field < reader->descriptor->natts; field++)
		if (!TupleDescAttr(reader->descriptor, field)->attisdropped)
			add_field(reader, field);
	if (reader->records->matrix.columns == 0)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("record has no columns")));
	MemoryContextSwitchTo(caller);
}

/*
 * Stops unless the columns of a record have the types of the first one's.  An
 * expression of type record may bring rows of any shape.
 */
static void
check_shape(Reader *reader, HeapTupleHeader header)
{
	TupleDesc first = reader->descriptor;
	TupleDesc descriptor;
	bool same;
	int field;

	if (HeapTupleHeaderGetTypeId(header) == first->tdtypeid &&
		HeapTupleHeaderGetTypMod(header) == first->tdtypmod)
		return;
	descriptor = lookup_rowtype_tupdesc(HeapTupleHeaderGetTypeId(header),
										HeapTupleHeaderGetTypMod(header));
	same = descriptor->natts == first->natts;
	for (field = 0; same && field < first->natts; field++)
	{
		Form_pg_attribute here = TupleDescAttr(descriptor, field);
		Form_pg_attribute there = TupleDescAttr(first, field);

		same = here->atttypid == there->atttypid &&
			   here->attcollation == there->attcollation &&
			   here->attisdropped == there->attisdropped;
	}
	ReleaseTupleDesc(descriptor);
	if (!same)
		ereport(ERROR,
				(errcode(ERRCODE_DATATYPE_MISMATCH),
				 errmsg("records differ in the types of their columns"),
				 errdetail("All records of a partition must have the same "
						   "columns.")));
}

/* Appends a record, unless a column is NULL or a number not finite. */
static void
add_record(Reader *reader, HeapTupleHeader header, int32 place)
{
	SdcMatrix *matrix = &reader->records->matrix;
	HeapTupleData tuple;
	Datum values[MaxTupleAttributeNumber];
	bool isnull[MaxTupleAttributeNumber];
	double number[SDC_MAX_COLUMNS];
	int j;

	check_shape(reader, header);
	tuple.t_len = HeapTupleHeaderGetDatumLength(header);
	ItemPointerSetInvalid(&tuple.t_self);
	tuple.t_tableOid = InvalidOid;
	tuple.t_data = header;
	heap_deform_tuple(&tuple, reader->descriptor, values, isnull);
	for (j = 0; j < matrix->columns; j++)
	{
		if (isnull[reader->field[j]])
			return;
		if (reader->records->category[j])
			continue;
		number[j] = sdcpg_number(reader->base[j], values[reader->field[j]]);
		if (!isfinite(number[j]))
		{
			reader->unusual++;
			return;
		}
	}
	for (j = 0; j < matrix->columns; j++)
	{
		Datum value = values[reader->field[j]];

		if (reader->records->category[j])
		{
			sdcpg_column_add(reader->window->host, reader->values[j], place,
							 value);
			continue;
		}
		matrix->column[j][matrix->rows] = number[j];
	}
	reader->records->place[matrix->rows] = place;
	matrix->rows++;
}

/* Replaces the values of categories by the ranks of the values that occur. */
static void
rank_categories(Reader *reader)
{
	SdcMatrix *matrix = &reader->records->matrix;
	SdcPgHost *host = reader->window->host;
	int j;

	for (j = 0; j < matrix->columns; j++)
	{
		int32 distinct;
		int32 *order;
		int32 *rank;
		size_t i;

		if (!reader->records->category[j])
			continue;
		order = sdcpg_column_order(host, reader->values[j]);
		rank = sdcpg_column_ranks(host, reader->values[j], order, &distinct);
		for (i = 0; i < matrix->rows; i++)
			matrix->column[j][i] = rank[i];
		host->kernel.release(&host->kernel, order);
		host->kernel.release(&host->kernel, rank);
	}
}

SdcRecords *
sdcpg_window_records(SdcWindow *window, int argument)
{
	SdcHost *host = &window->host->kernel;
	SdcRecords *records = sdc_new(host, SdcRecords, 1);
	MemoryContext scratch = AllocSetContextCreate(
		window->host->work, "sdc reading", ALLOCSET_DEFAULT_SIZES);
	MemoryContext caller = MemoryContextSwitchTo(scratch);
	Reader reader;
	int64 row;

	memset(records, 0, sizeof(*records));
	memset(&reader, 0, sizeof(reader));
	reader.window = window;
	reader.records = records;
	records->matrix.column = sdc_new(host, double *, SDC_MAX_COLUMNS);
	records->place = sdc_new(host, int32, window->rows);
	for (row = 0; row < window->rows; row++)
	{
		Datum value;
		bool isnull;

		if (row % READ_ROWS == 0)
			host->poll(host, row, window->rows);
		/* a record may be large: never let many of them pile up */
		MemoryContextReset(scratch);
		value = sdcpg_window_value(window, argument, row, &isnull);
		if (isnull)
			continue;
		if (reader.descriptor == NULL)
			start_reader(&reader, DatumGetHeapTupleHeader(value));
		add_record(&reader, DatumGetHeapTupleHeader(value), (int32) row);
	}
	MemoryContextSwitchTo(caller);
	MemoryContextDelete(scratch);
	rank_categories(&reader);
	sdcpg_window_tell(window, reader.unusual,
					  "%d record holds a number that is not finite, and "
					  "counts as NULL",
					  "%d records hold a number that is not finite, and "
					  "count as NULL");
	return records;
}

void
sdcpg_records_need_numbers(const SdcRecords *records, const char *what)
{
	int j;

	for (j = 0; j < records->matrix.columns; j++)
		if (records->category[j])
			ereport(ERROR,
					(errcode(ERRCODE_DATATYPE_MISMATCH),
					 errmsg("%s needs numbers, dates or timestamps", what),
					 errdetail("Column %d of the record is of another type.",
							   j + 1)));
}

uint64
sdcpg_records_digest(const SdcRecords *records)
{
	const SdcMatrix *matrix = &records->matrix;
	uint64 digest = sdc_random_mix(matrix->rows);
	size_t i;
	int j;

	for (i = 0; i < matrix->rows; i++)
	{
		uint64 row = 0;

		for (j = 0; j < matrix->columns; j++)
			row = sdc_random_mix(row + sdc_sort_key(matrix->column[j][i]));
		digest += row;
	}
	return digest;
}
