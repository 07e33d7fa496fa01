/*
 * unit_sample.c
 *		Of each unit no more rows than were declared, chosen by chance.
 *
 * Every row of the table is kept, also those that a predicate leaves out, so
 * that memory and work follow from the length of the table alone.  Rows are
 * then ordered by unit, and within a unit by cell, by two stable sorts: by the
 * value of the unit when it is an integer, by its hash when it has one, or by
 * comparisons.  Strong bits choose, for who could foresee the choice could
 * see more than one unit's worth.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "utils/datum.h"
#include "utils/lsyscache.h"
#include "utils/typcache.h"

#include "kernel/base/sort.h"
#include "kernel/privacy/shuffle.h"
#include "topic/privacy/settings.h"
#include "topic/privacy/unit_sample.h"
#include "host/server/compat.h"
#include "host/server/host.h"

#define FIRST_ROOM 1024

/* What PostgreSQL adds to a piece of memory, about. */
#define CHUNK_BYTES 16

/* Scratch of a sort by radix: keys, rows, and counts of digits. */
#define SORT_BYTES(rows) ((Size) 12 * (rows) + 65536)

/* How units are told apart. */
typedef enum UnitOrder
{
	BY_VALUE,
	BY_HASH,
	BY_COMPARISON
} UnitOrder;

typedef struct Run
{
	int64 from;
	int64 to;
} Run;

struct SdcUnitSample
{
	SdcPgHost *host;
	int figures;
	int32 other;
	int64 max_groups;
	int64 max_rows;
	UnitOrder order;
	Oid base;
	FmgrInfo *hash;
	FmgrInfo *equal;
	FmgrInfo *compare;
	Oid collation;
	int16 length;
	bool by_value;
	/* the rows */
	int64 rows;
	int64 room;
	uint64 *key; /* NULL when units are compared */
	Datum *unit; /* NULL when the key is the unit */
	int64 units; /* memory of units that are no numbers */
	int32 *cell;
	SdcFigureValue *value; /* [row * figures + figure] */
	/* the choice for the unit at hand */
	Run *group;
	int64 group_room;
	SdcUnitCount count;
	void *arg;
};

static bool
is_integer(Oid type)
{
	return type == INT2OID || type == INT4OID || type == INT8OID ||
		   type == OIDOID || type == DATEOID || type == TIMESTAMPOID ||
		   type == TIMESTAMPTZOID;
}

SdcUnitSample *
sdcpg_units_begin(SdcPgHost *host, const SdcRequest *request, int32 other)
{
	SdcUnitSample *sample = palloc0(sizeof(SdcUnitSample));
	SdcRelationColumn unit =
		sdcpg_relation_column(request->relation, request->dataset->unit);
	TypeCacheEntry *type = lookup_type_cache(
		unit.base, TYPECACHE_EQ_OPR_FINFO | TYPECACHE_HASH_PROC_FINFO |
					   TYPECACHE_CMP_PROC_FINFO);
	int32 modifier;
	int i;

	sample->host = host;
	/* counts take no value */
	for (i = 0; i < request->figures; i++)
		if (request->figure[i]->column != NULL)
			sample->figures = request->figures;
	sample->other = other;
	sample->max_groups = request->max_groups;
	sample->max_rows = request->max_rows;
	sample->base = unit.base;
	sample->order = is_integer(unit.base)                      ? BY_VALUE
					: OidIsValid(type->hash_proc_finfo.fn_oid) ? BY_HASH
															   : BY_COMPARISON;
	sample->hash = &type->hash_proc_finfo;
	sample->equal = &type->eq_opr_finfo;
	sample->compare = &type->cmp_proc_finfo;
	sample->length = type->typlen;
	sample->by_value = type->typbyval;
	get_atttypetypmodcoll(request->relation->oid, unit.number, &unit.type,
						  &modifier, &sample->collation);
	return sample;
}

/* The memory that a row takes, sorting included, but for its unit. */
static int64
row_size(const SdcUnitSample *sample)
{
	int64 kept = sizeof(uint64) + sizeof(int32) +
				 (int64) sizeof(SdcFigureValue) * sample->figures;
	int64 sorted = sizeof(uint64) + sizeof(int32) + 12;

	return kept + sorted + (sample->order != BY_VALUE ? sizeof(Datum) : 0);
}

static void
check_memory(const SdcUnitSample *sample)
{
	int64 limit = (int64) sdcpg_dp_memory_limit * 1024;

	if ((sample->rows + 1) * row_size(sample) + sample->units > limit ||
		sample->rows >= SDC_MAX_ROWS)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("the data set has too many rows for "
						"sdc.dp_memory_limit (%d MB)",
						sdcpg_dp_memory_limit / 1024),
				 errdetail("With a unit column all rows are kept until the "
						   "last one is read."),
				 errhint("A superuser can raise the setting.")));
}

static void
grow(SdcUnitSample *sample)
{
	int64 most = (int64) sdcpg_dp_memory_limit * 1024 / row_size(sample);

	check_memory(sample);
	sample->room = Max(sample->room * 2, FIRST_ROOM);
	sample->room = Min(sample->room, Min(most, SDC_MAX_ROWS));
	if (sample->order != BY_COMPARISON)
		sample->key = sdcpg_host_grow(sample->host, sample->key, sample->room,
									  sizeof(uint64));
	if (sample->order != BY_VALUE)
		sample->unit = sdcpg_host_grow(sample->host, sample->unit,
									   sample->room, sizeof(Datum));
	sample->cell = sdcpg_host_grow(sample->host, sample->cell, sample->room,
								   sizeof(int32));
	if (sample->figures > 0)
		sample->value =
			sdcpg_host_grow(sample->host, sample->value, sample->room,
							sizeof(SdcFigureValue) * sample->figures);
}

static uint64
integer_key(Oid type, Datum unit)
{
	switch (type)
	{
		case INT2OID:
			return (uint64) (int64) DatumGetInt16(unit);
		case INT4OID:
		case DATEOID:
			return (uint64) (int64) DatumGetInt32(unit);
		case OIDOID:
			return DatumGetObjectId(unit);
		default:
			return (uint64) DatumGetInt64(unit);
	}
}

static Datum
keep_unit(SdcUnitSample *sample, Datum unit)
{
	MemoryContext caller;

	if (sample->by_value)
		return unit;
	sample->units +=
		(int64) MAXALIGN(datumGetSize(unit, false, sample->length)) +
		CHUNK_BYTES;
	check_memory(sample);
	caller = MemoryContextSwitchTo(sample->host->work);
	unit = datumCopy(unit, false, sample->length);
	MemoryContextSwitchTo(caller);
	return unit;
}

void
sdcpg_units_add(SdcUnitSample *sample, Datum unit, int32 cell,
				const SdcFigureValue *value)
{
	int64 row = sample->rows;

	if (row == sample->room)
		grow(sample);
	if (sample->order == BY_VALUE)
		sample->key[row] = integer_key(sample->base, unit);
	else
		sample->unit[row] = keep_unit(sample, unit);
	if (sample->order == BY_HASH)
		sample->key[row] = DatumGetUInt32(
			FunctionCall1Coll(sample->hash, sample->collation, unit));
	sample->cell[row] = cell;
	if (sample->figures > 0)
		memcpy(&sample->value[row * sample->figures], value,
			   sizeof(SdcFigureValue) * sample->figures);
	sample->rows++;
}

/* Brings as many to the front as may count, chosen by chance; how many. */
static int64
choose_rows(int32 *row, int64 rows, int64 most)
{
	SdcStrongBits *bits = sdcpg_strong_bits();
	int64 i;

	if (rows <= most)
		return rows;
	for (i = 0; i < most; i++)
	{
		int64 j = (int64) sdc_shuffle_place(bits, i, rows);
		int32 chosen = row[j];

		row[j] = row[i];
		row[i] = chosen;
	}
	return most;
}

static int64
choose_groups(Run *group, int64 groups, int64 most)
{
	SdcStrongBits *bits = sdcpg_strong_bits();
	int64 i;

	if (groups <= most)
		return groups;
	for (i = 0; i < most; i++)
	{
		int64 j = (int64) sdc_shuffle_place(bits, i, groups);
		Run chosen = group[j];

		group[j] = group[i];
		group[i] = chosen;
	}
	return most;
}

static void
count_rows(SdcUnitSample *sample, const int32 *row, int64 rows)
{
	int64 i;

	for (i = 0; i < rows; i++)
		sample->count(sample->arg, sample->cell[row[i]],
					  &sample->value[(int64) row[i] * sample->figures]);
}

/* Notes a group of the unit at hand: its rows in one cell. */
static void
note_group(SdcUnitSample *sample, int64 number, Run run)
{
	if (number == sample->group_room)
	{
		sample->group_room = Max(2 * sample->group_room, 16);
		sample->group = sample->group == NULL
							? palloc(sizeof(Run) * sample->group_room)
							: repalloc_huge(sample->group,
											sizeof(Run) * sample->group_room);
	}
	sample->group[number] = run;
}

/* The rows of one unit, by cell. */
static void
take_unit(SdcUnitSample *sample, int32 *row, int64 rows)
{
	int64 groups = 0;
	int64 from = 0;
	int64 i;

	while (from < rows)
	{
		int32 cell = sample->cell[row[from]];
		int64 to = from + 1;

		while (to < rows && sample->cell[row[to]] == cell)
			to++;
		if (cell == sample->other)
			count_rows(sample, row + from, to - from);
		else
			note_group(sample, groups++, (Run){from, to});
		from = to;
	}
	groups = choose_groups(sample->group, groups, sample->max_groups);
	for (i = 0; i < groups; i++)
	{
		Run run = sample->group[i];

		count_rows(
			sample, row + run.from,
			choose_rows(row + run.from, run.to - run.from, sample->max_rows));
	}
}

static bool
same_unit(const SdcUnitSample *sample, int32 a, int32 b)
{
	return DatumGetBool(FunctionCall2Coll(sample->equal, sample->collation,
										  sample->unit[a], sample->unit[b]));
}

/* Brings the rows of the first one's unit to the front, all in their order. */
static int64
gather_unit(const SdcUnitSample *sample, int32 *row, int64 rows)
{
	int32 *others;
	int64 same = 1;
	int64 left = 0;
	int64 i;

	while (same < rows && same_unit(sample, row[0], row[same]))
		same++;
	if (same == rows)
		return rows;
	others = palloc(sizeof(int32) * rows);
	for (i = same; i < rows; i++)
		if (same_unit(sample, row[0], row[i]))
			row[same++] = row[i];
		else
			others[left++] = row[i];
	memcpy(row + same, others, sizeof(int32) * left);
	pfree(others);
	return same;
}

/* Rows with one key: of one unit, or of some whose hashes are the same. */
static void
take_key(SdcUnitSample *sample, int32 *row, int64 rows)
{
	while (rows > 0)
	{
		int64 same =
			sample->order == BY_HASH ? gather_unit(sample, row, rows) : rows;

		take_unit(sample, row, same);
		row += same;
		rows -= same;
	}
}

static int
compare_rows(int32_t a, int32_t b, void *arg)
{
	const SdcUnitSample *sample = arg;

	return DatumGetInt32(FunctionCall2Coll(sample->compare, sample->collation,
										   sample->unit[a], sample->unit[b]));
}

/* Does another unit, or another key, begin with this row? */
static bool
begins(SdcUnitSample *sample, const uint64 *key, const int32 *row, int64 i)
{
	if (sample->order == BY_COMPARISON)
		return compare_rows(row[i - 1], row[i], sample) != 0;
	return key[i - 1] != key[i];
}

/* The rows by unit, those of a unit by cell; key[] along with them. */
static int32 *
sort_rows(SdcUnitSample *sample, uint64 *key)
{
	SdcHost *host = &sample->host->kernel;
	int32 *row = sdc_new(host, int32, sample->rows);
	int64 i;

	for (i = 0; i < sample->rows; i++)
	{
		row[i] = (int32) i;
		key[i] = (uint64) sample->cell[i];
	}
	sdc_sort_keys(host, key, row, sample->rows);
	if (sample->order == BY_COMPARISON)
	{
		sdc_sort_rows(host, row, sample->rows, compare_rows, sample);
		return row;
	}
	for (i = 0; i < sample->rows; i++)
		key[i] = sample->key[row[i]];
	sdc_sort_keys(host, key, row, sample->rows);
	return row;
}

void
sdcpg_units_finish(SdcUnitSample *sample, SdcUnitCount count, void *arg)
{
	SdcHost *host = &sample->host->kernel;
	uint64 *key = sdc_new(host, uint64, sample->rows);
	int32 *row;
	int64 from = 0;
	int64 i;

	sample->count = count;
	sample->arg = arg;
	/* what a sort takes at the most: how much it does depends on the rows */
	host->release(host, sdc_new(host, char, SORT_BYTES(sample->rows)));
	row = sort_rows(sample, key);
	for (i = 1; i <= sample->rows; i++)
		if (i == sample->rows || begins(sample, key, row, i))
		{
			CHECK_FOR_INTERRUPTS();
			take_key(sample, row + from, i - from);
			from = i;
		}
}
