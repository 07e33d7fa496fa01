/*
 * alignment.c
 *		Rows by id; two relations read side by side: the records in both.
 *
 * Each relation is read once.  The rows of the original look their partners up
 * in a directory of the masked ids, and the values of those that find one are
 * copied, so that value i of either side belongs to the same record.
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_collation.h"
#include "catalog/pg_type.h"
#include "common/hashfn.h"
#include "datatype/timestamp.h"

#include "host/call/query.h"
#include "host/call/relation.h"
#include "host/data/alignment.h"
#include "host/data/column.h"
#include "host/data/dictionary.h"
#include "host/data/frequency.h"
#include "host/data/rows.h"
#include "host/server/compat.h"
#include "host/server/host.h"
#include "kernel/base/host.h"
#include "kernel/base/random.h"
#include "kernel/base/sort.h"
#include "kernel/base/table.h"
#include "kernel/table/frequency.h"

/* ----------------------------------------------------------------------
 * Records in the order of their id, with their sensitive values as one.
 *
 * PostgreSQL sorts; the columns come as codes.  Several sensitive columns are
 * counted as a frequency table, whose cells then stand for the combinations.
 * ----------------------------------------------------------------------
 */

/* The id, the sensitive columns and the group. */
#define MAX_COLUMNS (SDC_FREQUENCY_MAX_COLUMNS + 2)

/* Stops when a record belongs to no group. */
static void
check_groups(const SdcSequence *sequence, const SdcRelation *relation,
			 const SdcRelationColumn *group)
{
	int32 i;

	for (i = 0; i < sequence->rows; i++)
		if (sequence->group[i] == SDC_CODE_NULL)
			ereport(ERROR,
					(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
					 errmsg("column \"%s\" of relation \"%s\" holds a null",
							group->name, relation->name),
					 errdetail("Every record must belong to a group.")));
}

/* Counts the combinations of the sensitive columns, which follow the id. */
static void
count_values(SdcPgHost *host, SdcSequence *sequence, const SdcFrame *frame,
			 int columns)
{
	SdcHost *kernel = &host->kernel;
	SdcFrequencyCount *counting = sdc_frequency_start(kernel, columns, false);
	const int32 *rank[SDC_FREQUENCY_MAX_COLUMNS];
	int32 values[SDC_FREQUENCY_MAX_COLUMNS];
	int32 codes[SDC_FREQUENCY_MAX_COLUMNS];
	int32 *place;
	int32 i;
	int j;

	kernel->stage(kernel, "counting");
	sequence->value = sdc_new(kernel, int32, sequence->rows);
	for (i = 0; i < sequence->rows; i++)
	{
		if (i % SDC_POLL_STEPS == 0)
			kernel->poll(kernel, i, sequence->rows);
		for (j = 0; j < columns; j++)
			codes[j] = frame->column[1 + j].code[i];
		sequence->value[i] = sdc_frequency_add(counting, codes, 1, 0);
	}
	for (j = 0; j < columns; j++)
	{
		rank[j] = sdcpg_dictionary_sort(sequence->dictionary[j]);
		values[j] = sdcpg_dictionary_values(sequence->dictionary[j]);
	}
	sequence->values =
		sdc_frequency_finish(counting, rank, values, (int32_t **) &place);
	for (i = 0; i < sequence->rows; i++)
		sequence->value[i] = place[sequence->value[i]];
	kernel->release(kernel, place);
}

/* The columns to read after the id: sensitive, then the group. */
static SdcRelationColumns
list_columns(const SdcRelationColumns *sensitive,
			 const SdcRelationColumn *group)
{
	SdcRelationColumns columns = {
		0, palloc(sizeof(SdcRelationColumn) * (sensitive->count + 1))};

	if (sensitive->count > SDC_FREQUENCY_MAX_COLUMNS)
		ereport(ERROR, (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
						errmsg("more than %d sensitive columns",
							   SDC_FREQUENCY_MAX_COLUMNS)));
	for (; columns.count < sensitive->count; columns.count++)
		columns.column[columns.count] = sensitive->column[columns.count];
	if (group != NULL)
		columns.column[columns.count++] = *group;
	return columns;
}

SdcSequence *
sdcpg_sequence_load(SdcPgHost *host, const SdcRelation *relation,
					const SdcRelationColumn *id,
					const SdcRelationColumns *sensitive,
					const SdcRelationColumn *group)
{
	SdcSequence *sequence = sdc_new(&host->kernel, SdcSequence, 1);
	SdcRelationColumns columns = list_columns(sensitive, group);
	SdcFrameType types[MAX_COLUMNS] = {SDC_FRAME_TEXT};
	SdcDictionary **dictionary =
		sdc_new(&host->kernel, SdcDictionary *, MAX_COLUMNS);
	SdcFrame *frame;
	SdcIds ids;
	int j;

	memset(dictionary, 0, sizeof(SdcDictionary *) * MAX_COLUMNS);
	for (j = 1; j <= columns.count; j++)
		types[j] = SDC_FRAME_CODE;
	frame = sdcpg_frame_load_codes(host,
								   sdcpg_query_records(relation, id, &columns),
								   1 + columns.count, types, dictionary);
	ids = sdcpg_ids_create(frame, 0, relation->name, id->name);
	sdcpg_ids_release(host, &ids);
	sequence->rows = frame->rows;
	sequence->id = &frame->column[0];
	sequence->dictionary = dictionary + 1;
	sequence->group = NULL;
	if (group != NULL)
	{
		sequence->group = frame->column[columns.count].code;
		check_groups(sequence, relation, group);
	}
	count_values(host, sequence, frame, sensitive->count);
	return sequence;
}

uint64
sdcpg_sequence_digest(const SdcSequence *sequence)
{
	uint64 digest = sequence->rows;
	int32 i;

	for (i = 0; i < sequence->rows; i++)
		digest = sdc_random_mix(digest ^ (uint64) sequence->value[i]);
	return digest;
}

/* ----------------------------------------------------------------------
 * Two relations read side by side: the records that are in both.
 * ----------------------------------------------------------------------
 */

/* One of the two relations as read; the id is the last column. */
typedef struct Side
{
	SdcFrame *frame;
	SdcIds ids;
} Side;

/* What a type measures. */
typedef enum Quantity
{
	NONE,
	NUMBER,
	MONEY,
	LOCAL_TIME,
	TIME
} Quantity;

/* A boolean turns into a number, too, but has no intervals. */
static Quantity
find_quantity(Oid base)
{
	if (sdcpg_number_is_arithmetic(base))
		return NUMBER;
	switch (base)
	{
		case CASHOID:
			return MONEY;
		case DATEOID:
		case TIMESTAMPOID:
			return LOCAL_TIME;
		case TIMESTAMPTZOID:
			return TIME;
		default:
			return NONE;
	}
}

/* Says how a column is compared. */
static void
describe_column(SdcAlignedColumn *column)
{
	Oid original = column->original.base;
	Oid masked = column->masked.base;

	column->number = find_quantity(original) != NONE &&
					 find_quantity(original) == find_quantity(masked);
	column->as_text = !column->number &&
					  (original != masked || !sdcpg_type_is_counted(original));
	column->original_unit = 1;
	column->masked_unit = 1;
	if (original == DATEOID && masked == TIMESTAMPOID)
		column->original_unit = USECS_PER_DAY;
	if (original == TIMESTAMPOID && masked == DATEOID)
		column->masked_unit = USECS_PER_DAY;
}

void
sdcpg_alignment_describe(SdcAlignment *alignment, const SdcRelation *original,
						 const SdcRelation *masked,
						 const SdcRelationColumn *id,
						 const SdcRelationColumns *columns)
{
	int j;

	memset(alignment, 0, sizeof(*alignment));
	alignment->original = original;
	alignment->masked = masked;
	if (id != NULL)
	{
		alignment->original_id = *id;
		alignment->masked_id = sdcpg_relation_column(masked, id->name);
	}
	alignment->columns = columns->count;
	alignment->column = palloc0(sizeof(SdcAlignedColumn) * columns->count);
	for (j = 0; j < columns->count; j++)
	{
		SdcAlignedColumn *column = &alignment->column[j];

		column->original = columns->column[j];
		column->masked =
			sdcpg_relation_column(masked, columns->column[j].name);
		describe_column(column);
	}
}

SdcFrame *
sdcpg_alignment_read(const SdcAlignment *alignment, SdcPgHost *host,
					 bool masked, bool with_id, SdcDictionary **dictionary)
{
	int columns = alignment->columns;
	SdcRelationColumn *column = palloc(sizeof(SdcRelationColumn) * columns);
	SdcFrameType *types = palloc(sizeof(SdcFrameType) * (columns + 1));
	const SdcRelationColumn *id = NULL;
	int j;

	for (j = 0; j < columns; j++)
	{
		const SdcAlignedColumn *aligned = &alignment->column[j];

		column[j] = masked ? aligned->masked : aligned->original;
		types[j] = aligned->number ? SDC_FRAME_NUMBER : SDC_FRAME_CODE;
	}
	types[columns] = SDC_FRAME_TEXT;
	if (with_id)
		id = masked ? &alignment->masked_id : &alignment->original_id;
	return sdcpg_frame_load_codes(
		host,
		sdcpg_query_rows(masked ? alignment->masked : alignment->original,
						 column, columns, NULL, id, NULL),
		columns + with_id, types, dictionary);
}

/* Reads one relation and makes the directory of its ids. */
static void
read_side(SdcPgHost *host, const SdcAlignment *alignment, bool masked,
		  SdcDictionary **dictionary, Side *side)
{
	side->frame =
		sdcpg_alignment_read(alignment, host, masked, true, dictionary);
	side->ids = sdcpg_ids_create(
		side->frame, alignment->columns,
		masked ? alignment->masked->name : alignment->original->name,
		masked ? alignment->masked_id.name : alignment->original_id.name);
}

/* The numbers of the rows that have a partner, or of their partners. */
static double *
copy_numbers(SdcHost *host, const SdcFrameColumn *column, double unit,
			 const int32 *partner, int32 rows, int32 records, bool masked)
{
	double *copy = sdc_new(host, double, records);
	int32 next = 0;
	int32 i;

	for (i = 0; i < rows; i++)
	{
		int32 row = masked ? partner[i] : i;

		if (i % SDC_POLL_STEPS == 0)
			host->poll(host, 0, 0);
		if (partner[i] >= 0)
			copy[next++] =
				column->isnull[row] ? NAN : column->number[row] * unit;
	}
	return copy;
}

/* The same for codes. */
static int32 *
copy_codes(SdcHost *host, const SdcFrameColumn *column, const int32 *partner,
		   int32 rows, int32 records, bool masked)
{
	int32 *copy = sdc_new(host, int32, records);
	int32 next = 0;
	int32 i;

	for (i = 0; i < rows; i++)
	{
		if (i % SDC_POLL_STEPS == 0)
			host->poll(host, 0, 0);
		if (partner[i] >= 0)
			copy[next++] = column->code[masked ? partner[i] : i];
	}
	return copy;
}

static void
copy_columns(SdcAlignment *alignment, SdcHost *host, const Side *original,
			 const Side *masked, const int32 *partner)
{
	int32 rows = original->frame->rows;
	int32 records = alignment->records;
	int j;

	for (j = 0; j < alignment->columns; j++)
	{
		SdcAlignedColumn *column = &alignment->column[j];
		const SdcFrameColumn *from = &original->frame->column[j];
		const SdcFrameColumn *to = &masked->frame->column[j];

		if (column->number)
		{
			column->original_number =
				copy_numbers(host, from, column->original_unit, partner, rows,
							 records, false);
			column->masked_number = copy_numbers(host, to, column->masked_unit,
												 partner, rows, records, true);
			continue;
		}
		column->original_code =
			copy_codes(host, from, partner, rows, records, false);
		column->masked_code =
			copy_codes(host, to, partner, rows, records, true);
		column->values = sdcpg_dictionary_values(from->dictionary);
	}
}

/* A dictionary of text for each column that has two types. */
static SdcDictionary **
create_dictionaries(SdcAlignment *alignment, SdcPgHost *host)
{
	SdcDictionary **dictionary =
		sdc_new(&host->kernel, SdcDictionary *, alignment->columns);
	int j;

	for (j = 0; j < alignment->columns; j++)
		dictionary[j] =
			alignment->column[j].as_text
				? sdcpg_dictionary_new(host, TEXTOID, C_COLLATION_OID)
				: NULL;
	return dictionary;
}

void
sdcpg_alignment_load(SdcAlignment *alignment, SdcPgHost *host)
{
	SdcDictionary **dictionary = create_dictionaries(alignment, host);
	Side original;
	Side masked;
	int32 *partner;

	read_side(host, alignment, false, dictionary, &original);
	read_side(host, alignment, true, dictionary, &masked);
	partner = sdc_new(&host->kernel, int32, original.frame->rows);
	alignment->records = sdcpg_ids_match(&masked.ids, original.frame,
										 alignment->columns, partner);
	alignment->original_only = original.frame->rows - alignment->records;
	alignment->masked_only = masked.frame->rows - alignment->records;
	if (alignment->records == 0 && original.frame->rows > 0 &&
		masked.frame->rows > 0)
		ereport(WARNING,
				(errmsg("the two relations have no id in common"),
				 errdetail("No record can be compared, so no risk is found "
						   "whatever the data are."),
				 errhint("The id must be the same, written as text, in both "
						 "relations.")));
	copy_columns(alignment, &host->kernel, &original, &masked, partner);
	host->kernel.release(&host->kernel, partner);
	sdcpg_ids_release(host, &original.ids);
	sdcpg_ids_release(host, &masked.ids);
	sdcpg_frame_release(original.frame);
	sdcpg_frame_release(masked.frame);
}

/* ----------------------------------------------------------------------
 * Rows found by their id.
 * ----------------------------------------------------------------------
 */

/* ----------------------------------------------------------------------
 * Records in an order that only a seed and their ids decide.
 *
 * The rows are sorted by a hash of seed and id; equal ids then lie side by
 * side.  Different ids whose hashes are equal are put in the order of their
 * bytes.
 * ----------------------------------------------------------------------
 */

pg_noreturn static void
refuse_null(const char *relation, const char *name)
{
	ereport(ERROR, (errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
					errmsg("column \"%s\" of relation \"%s\" holds a null",
						   name, relation),
					errdetail("An id must tell every record apart.")));
}

pg_noreturn static void
refuse_repeated(const char *relation, const char *name)
{
	ereport(ERROR, (errcode(ERRCODE_UNIQUE_VIOLATION),
					errmsg("column \"%s\" of relation \"%s\" is not unique",
						   name, relation),
					errdetail("An id must tell every record apart.")));
}

/* FNV-1a, then mixed; the same on every machine. */
static uint64
hash_id(const char *id, uint64 seed)
{
	uint64 hash = UINT64CONST(0xcbf29ce484222325) ^ seed;

	for (; *id != '\0'; id++)
		hash = (hash ^ (unsigned char) *id) * UINT64CONST(0x100000001b3);
	return sdc_random_mix(hash);
}

/* Puts a row among those before it that have the same hash. */
static void
insert_row(int32 *order, const uint64 *hash, int32 place, char *const *id,
		   const char *relation, const char *name)
{
	for (; place > 0 && hash[place - 1] == hash[place]; place--)
	{
		int32 row = order[place];
		int compared = strcmp(id[order[place - 1]], id[row]);

		if (compared == 0)
			refuse_repeated(relation, name);
		if (compared < 0)
			return;
		order[place] = order[place - 1];
		order[place - 1] = row;
	}
}

int32 *
sdcpg_id_order(SdcPgHost *host, char *const *id, int32 rows, uint64 seed,
			   const char *relation, const char *name)
{
	SdcHost *kernel = &host->kernel;
	int32 *order = sdc_new(kernel, int32, rows);
	uint64 *hash = sdc_new(kernel, uint64, rows);
	int32 i;

	seed = sdc_random_mix(seed + UINT64CONST(0x9e3779b97f4a7c15));
	for (i = 0; i < rows; i++)
	{
		if (i % SDC_POLL_STEPS == 0)
			kernel->poll(kernel, 0, 0);
		if (id[i] == NULL)
			refuse_null(relation, name);
		order[i] = i;
		hash[i] = hash_id(id[i], seed);
	}
	sdc_sort_keys(kernel, hash, order, rows);
	for (i = 1; i < rows; i++)
		insert_row(order, hash, i, id, relation, name);
	kernel->release(kernel, hash);
	return order;
}

/* ----------------------------------------------------------------------
 * Rows found by their id.
 * ----------------------------------------------------------------------
 */

static inline bool
is_row(const SdcIds *ids, int32 row, const char *id)
{
	return strcmp(sdcpg_frame_text(ids->column, row), id) == 0;
}

SDC_TABLE_FIND(find_row, const SdcIds *, const char *, is_row);

static uint64
hash_text(const char *id)
{
	return sdc_table_hashed(
		hash_bytes((const unsigned char *) id, (int) strlen(id)));
}

/* Ids that are looked for together. */
#define TOGETHER 64

/*
 * Hashes up to TOGETHER ids, from a row on, and has what a search for them
 * reads fetched into the cache: each step waits for all of them at once, and
 * not for one after the other.
 */
static void
fetch_ids(const SdcIds *ids, const SdcFrameColumn *id, int32 first, int32 rows,
		  uint64 *hash)
{
	const SdcTable *table = &ids->table;
	int32 count = Min(TOGETHER, rows - first);
	int32 met[TOGETHER];
	int32 i;

	for (i = 0; i < count; i++)
	{
		hash[i] = hash_text(sdcpg_frame_text(id, first + i));
		__builtin_prefetch(&table->slot[hash[i] >> table->shift], 0);
	}
	for (i = 0; i < count && ids->rows > 0; i++)
	{
		met[i] = Max(table->slot[hash[i] >> table->shift], 0);
		__builtin_prefetch(&ids->column->start[met[i]], 0);
	}
	for (i = 0; i < count && ids->rows > 0; i++)
		__builtin_prefetch(sdcpg_frame_text(ids->column, met[i]), 0);
}

SdcIds
sdcpg_ids_create(const SdcFrame *frame, int column, const char *relation,
				 const char *name)
{
	SdcHost *host = &frame->host->kernel;
	uint64 hash[TOGETHER];
	SdcIds ids;
	int32 row;

	ids.column = &frame->column[column];
	ids.rows = frame->rows;
	sdc_table_create(host, &ids.table, frame->rows);
	for (row = 0; row < frame->rows; row++)
	{
		int32 *slot;

		if (row % SDC_POLL_STEPS == 0)
			host->poll(host, 0, 0);
		if (row % TOGETHER == 0)
			fetch_ids(&ids, ids.column, row, ids.rows, hash);
		if (ids.column->isnull[row])
			refuse_null(relation, name);
		slot = find_row(&ids.table, hash[row % TOGETHER], &ids,
						sdcpg_frame_text(ids.column, row));
		if (*slot != SDC_TABLE_NONE)
			refuse_repeated(relation, name);
		*slot = row;
	}
	return ids;
}

int32
sdcpg_ids_find(const SdcIds *ids, const char *id)
{
	return *find_row(&ids->table, hash_text(id), ids, id);
}

int32
sdcpg_ids_match(const SdcIds *ids, const SdcFrame *frame, int column,
				int32 *partner)
{
	SdcHost *host = &frame->host->kernel;
	const SdcFrameColumn *id = &frame->column[column];
	uint64 hash[TOGETHER];
	int32 found = 0;
	int32 row;

	for (row = 0; row < frame->rows; row++)
	{
		if (row % SDC_POLL_STEPS == 0)
			host->poll(host, 0, 0);
		if (row % TOGETHER == 0)
			fetch_ids(ids, id, row, frame->rows, hash);
		partner[row] = *find_row(&ids->table, hash[row % TOGETHER], ids,
								 sdcpg_frame_text(id, row));
		found += partner[row] >= 0;
	}
	return found;
}

void
sdcpg_ids_need_unique(const SdcIds *ids, const SdcFrame *frame, int column,
					  const int32 *partner, const char *relation,
					  const char *name)
{
	SdcHost *host = &frame->host->kernel;
	bool *taken = sdc_new(host, bool, (Size) ids->rows + 1);
	/* those of nobody */
	SdcIds others = {&frame->column[column]};
	int32 row;

	memset(taken, 0, ids->rows);
	for (row = 0; row < frame->rows; row++)
	{
		int32 *slot;

		if (row % SDC_POLL_STEPS == 0)
			host->poll(host, 0, 0);
		if (others.column->isnull[row])
			refuse_null(relation, name);
		if (partner[row] >= 0)
		{
			if (taken[partner[row]])
				refuse_repeated(relation, name);
			taken[partner[row]] = true;
			continue;
		}
		if (others.table.slot == NULL)
			sdc_table_create(host, &others.table, frame->rows - row);
		slot = find_row(&others.table,
						hash_text(sdcpg_frame_text(others.column, row)),
						&others, sdcpg_frame_text(others.column, row));
		if (*slot != SDC_TABLE_NONE)
			refuse_repeated(relation, name);
		*slot = row;
	}
	sdc_table_release(host, &others.table);
	host->release(host, taken);
}

int32 *
sdcpg_ids_partners(const SdcIds *ids, const SdcFrame *frame, int column,
				   int32 *found)
{
	SdcHost *host = &frame->host->kernel;
	int32 *partner = sdc_new(host, int32, (Size) frame->rows + 1);

	*found = sdcpg_ids_match(ids, frame, column, partner);
	if (*found == 0 && frame->rows > 0 && ids->rows > 0)
		ereport(WARNING,
				(errmsg("the two relations have no id in common"),
				 errdetail("No link can be right, so the attack finds no "
						   "risk whatever the data are."),
				 errhint("The id must be the same, written as text, in "
						 "both relations.")));
	return partner;
}

void
sdcpg_ids_release(SdcPgHost *host, SdcIds *ids)
{
	sdc_table_release(&host->kernel, &ids->table);
}
