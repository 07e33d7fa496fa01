/*
 * tabulate.c
 *		Rows of units into cells, no more of each unit than was declared.
 */
#include "postgres.h"

#include <math.h>

#include "access/nbtree.h"
#include "access/transam.h"
#include "catalog/pg_collation.h"
#include "catalog/pg_enum.h"
#include "catalog/pg_proc.h"
#include "catalog/pg_type.h"
#include "common/hashfn.h"
#include "port/pg_bitutils.h"
#include "nodes/makefuncs.h"
#include "parser/parse_coerce.h"
#include "utils/builtins.h"
#include "utils/catcache.h"
#include "utils/datum.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"
#include "utils/typcache.h"

#include "host/data/column.h"
#include "host/server/compat.h"
#include "host/server/host.h"
#include "kernel/base/random.h"
#include "kernel/base/sort.h"
#include "kernel/privacy/strong_bits.h"
#include "topic/privacy/dp_aggregates.h"
#include "topic/privacy/tabulate.h"

/* ----------------------------------------------------------------------
 * Of each unit no more rows than were declared, chosen by chance.
 *
 * Every row of the table is kept, also those that a predicate leaves out, so
 * that memory and work follow from the length of the table alone.  Rows are
 * then ordered by unit, and within a unit by cell: where units are integers
 * that leave room in 64 bits, by one number for both; or else by two stable
 * sorts, by the value of the unit or by comparisons; or by the first bits of
 * a digest, and then told apart by the rest of it.  Of these units a digest
 * of 96 bits is kept, under a key of strong bits, so that memory does not
 * follow from how long they are: of a million units two look alike once in
 * 2^57 requests.  Strong bits choose, for who could foresee the choice could
 * see more than one unit's worth.
 * ----------------------------------------------------------------------
 */

#define FIRST_ROOM 1024

/* Figures of a row that are moved with it when rows are put in order. */
#define FEW_FIGURES 2

/* A row that is moved, as words: its digest, its key and cell, its values. */
#define RECORD_BYTES \
	((int64) (2 * sizeof(uint64) + FEW_FIGURES * sizeof(SdcFigureValue)))

/* Cells that the place of a row can take in beside its unit. */
#define FEW_CELLS 64

/* Scratch of a sort by radix: keys, rows, and counts of digits. */
#define SORT_BYTES(rows) ((Size) 12 * (rows) + 65536)

/* How units are told apart. */
typedef enum UnitOrder
{
	BY_VALUE,
	BY_DIGEST,
	BY_COMPARISON /* of types of others that cannot be hashed */
} UnitOrder;

/* Rows of a unit in one cell: those from a place on in the sorted rows. */
typedef struct Run
{
	int32 cell;
	int64 from;
	int64 rows;
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
	FmgrInfo *hash; /* NULL: equal units are the same bytes */
	FmgrInfo *compare;
	Oid collation;
	int16 length;
	bool by_value;
	uint8 digest_key[SDC_RANDOM_KEY];
	/* the rows */
	int64 rows;
	int64 room;
	uint64 *key;    /* NULL when units are compared */
	uint64 *digest; /* the rest of a digest; NULL when the key is the unit */
	Datum *unit;    /* when they are compared */
	int32 *cell;
	SdcFigureValue *value; /* [row * figures + figure] */
	/* of units that are integers: the bounds; and how many cells there are */
	int64 least;
	int64 most;
	int32 cells;
	int32 *others; /* scratch of gather_unit */
	int64 counted; /* rows that were handed on, in some cell */
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

/* Are units of a type and collation equal where their bytes are the same? */
static bool
equal_is_same(const TypeCacheEntry *type, Oid collation)
{
	Oid says = OidIsValid(type->btree_opf)
				   ? get_opfamily_proc(type->btree_opf, type->btree_opintype,
									   type->btree_opintype, BTEQUALIMAGE_PROC)
				   : InvalidOid;

	return OidIsValid(says) &&
		   DatumGetBool(OidFunctionCall1Coll(
			   says, collation, ObjectIdGetDatum(type->btree_opintype)));
}

/* How units of a column are told apart. */
static void
find_order(SdcUnitSample *sample, const SdcRelationColumn *unit)
{
	TypeCacheEntry *type = lookup_type_cache(
		unit->base, TYPECACHE_EQ_OPR_FINFO | TYPECACHE_BTREE_OPFAMILY |
						TYPECACHE_HASH_EXTENDED_PROC_FINFO |
						TYPECACHE_CMP_PROC_FINFO);
	bool same = equal_is_same(type, sample->collation);

	sample->base = unit->base;
	sample->length = type->typlen;
	sample->by_value = type->typbyval;
	sample->compare = &type->cmp_proc_finfo;
	sample->hash = same ? NULL : &type->hash_extended_proc_finfo;
	sample->order = is_integer(unit->base)                     ? BY_VALUE
					: same || OidIsValid(sample->hash->fn_oid) ? BY_DIGEST
															   : BY_COMPARISON;
	sdcpg_strong_bytes(sample->digest_key, sizeof(sample->digest_key));
}

SdcUnitSample *
sdcpg_units_begin(SdcPgHost *host, const SdcRequest *request, int32 other)
{
	SdcUnitSample *sample = palloc0(sizeof(SdcUnitSample));
	SdcRelationColumn unit =
		sdcpg_relation_column(request->relation, request->dataset->unit);
	int32 modifier;
	int i;

	sample->host = host;
	/* counts take no value */
	for (i = 0; i < request->figures; i++)
		if (request->figure[i]->column != NULL)
			sample->figures = request->figures;
	sample->other = other;
	sample->least = PG_INT64_MAX;
	sample->most = PG_INT64_MIN;
	sample->cells = 1;
	sample->max_groups = request->max_groups;
	sample->max_rows = request->max_rows;
	get_atttypetypmodcoll(request->relation->oid, unit.number, &unit.type,
						  &modifier, &sample->collation);
	find_order(sample, &unit);
	return sample;
}

/* The memory that putting a row in its place takes, while it is kept. */
static int64
place_size(const SdcUnitSample *sample)
{
	/* numbers, rows, and what is moved by place_rows or by move_rows */
	return 2 * sizeof(uint32) + sizeof(int32) +
		   (sample->order == BY_DIGEST
				? RECORD_BYTES
				: (int64) sizeof(SdcFigureValue) * FEW_FIGURES);
}

/* The memory that a row takes, sorting included, but for its unit. */
static int64
row_size(const SdcUnitSample *sample)
{
	int64 kept = sizeof(uint64) + sizeof(int32) +
				 (int64) sizeof(SdcFigureValue) * sample->figures;
	int64 sorted = sizeof(uint64) + sizeof(int32) + 12;

	return kept + Max(sorted, place_size(sample)) +
		   (sample->order != BY_VALUE ? sizeof(uint64) : 0);
}

/* The memory that putting the rows in order takes, whatever they hold. */
static Size
finish_bytes(const SdcUnitSample *sample)
{
	Size rows = sample->rows + 1;
	Size sorted = rows * (sizeof(uint64) + sizeof(int32)) + SORT_BYTES(rows);
	Size placed = rows * place_size(sample) + SORT_BYTES(0);

	return Max(sorted, placed);
}

static void
check_memory(const SdcUnitSample *sample)
{
	int64 limit = (int64) sdcpg_dp_memory_limit * 1024;

	if ((sample->rows + 1) * row_size(sample) > limit ||
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
	if (sample->order == BY_DIGEST)
		sample->digest = sdcpg_host_grow(sample->host, sample->digest,
										 sample->room, sizeof(uint64));
	if (sample->order == BY_COMPARISON)
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
	caller = MemoryContextSwitchTo(sample->host->work);
	unit = datumCopy(unit, false, sample->length);
	MemoryContextSwitchTo(caller);
	return unit;
}

/* The same for types whose equal values differ in their bytes. */
static uint64
hash_under(const SdcUnitSample *sample, Datum unit, const uint8 *key)
{
	uint64 seed;

	memcpy(&seed, key, sizeof(seed));
	return DatumGetUInt64(FunctionCall2Coll(sample->hash, sample->collation,
											unit, UInt64GetDatum(seed)));
}

/* 128 bits for the bytes of a unit under the key. */
static void
digest_of(const SdcUnitSample *sample, Datum unit, uint64 *digest)
{
	const uint8 *key = sample->digest_key;
	uint64 word = (uint64) unit;

	if (sample->hash != NULL)
	{
		digest[0] = hash_under(sample, unit, key);
		digest[1] = hash_under(sample, unit, key + sizeof(uint64));
	}
	else if (sample->by_value)
		sdc_random_keyed_pair(key, (uint8 *) &word, sizeof(word), digest);
	else if (sample->length > 0)
		sdc_random_keyed_pair(key, (uint8 *) DatumGetPointer(unit),
							  sample->length, digest);
	else
		sdc_random_keyed_pair(key, (uint8 *) VARDATA_ANY(unit),
							  VARSIZE_ANY_EXHDR(unit), digest);
}

/* Notes whose row the next one is. */
static void
note_unit(SdcUnitSample *sample, Datum unit)
{
	int64 row = sample->rows;
	int64 number;
	uint64 digest[2];

	switch (sample->order)
	{
		case BY_VALUE:
			number = (int64) integer_key(sample->base, unit);
			sample->key[row] = (uint64) number;
			sample->least = Min(sample->least, number);
			sample->most = Max(sample->most, number);
			break;
		case BY_DIGEST:
			digest_of(sample, unit, digest);
			sample->key[row] = (uint32) digest[0];
			sample->digest[row] = digest[1];
			break;
		case BY_COMPARISON:
			sample->unit[row] = keep_unit(sample, unit);
			break;
	}
}

void
sdcpg_units_add(SdcUnitSample *sample, Datum unit, int32 cell,
				const SdcFigureValue *value)
{
	int64 row = sample->rows;
	int i;

	if (row == sample->room)
		grow(sample);
	note_unit(sample, unit);
	sample->cell[row] = cell;
	sample->cells = Max(sample->cells, cell + 1);
	for (i = 0; i < sample->figures; i++)
		sample->value[row * sample->figures + i] = value[i];
	sample->rows++;
}

/*
 * Brings as many items of a size to the front as may count, chosen by chance;
 * how many.
 */
static int64
choose(void *items, Size size, int64 count, int64 most)
{
	SdcStrongBits *bits = sdcpg_strong_bits();
	char chosen[Max(sizeof(Run), sizeof(SdcFigureValue) * FEW_FIGURES)];
	char *item = items;
	int64 i;

	Assert(size <= sizeof(chosen));
	if (count <= most)
		return count;
	for (i = 0; i < most; i++)
	{
		int64 j = (int64) sdc_shuffle_place(bits, i, count);

		memcpy(chosen, item + j * size, size);
		memmove(item + j * size, item + i * size, size);
		memcpy(item + i * size, chosen, size);
	}
	return most;
}

/*
 * Rows of one cell: those of a place in row[], or, where that is NULL, those
 * whose values lie at that place.
 */
static void
count_rows(SdcUnitSample *sample, int32 cell, const int32 *row, int64 from,
		   int64 rows)
{
	const SdcFigureValue *value = sample->value;
	int64 i;

	sample->counted += rows;
	for (i = from; i < from + rows; i++)
		sample->count(
			sample->arg, cell,
			sample->figures == 0
				? NULL
				: &value[(row == NULL ? i : row[i]) * sample->figures]);
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

/* Of the rows of a group those that may count, brought to its front. */
static int64
choose_rows(SdcUnitSample *sample, int32 *row, Run run)
{
	Size size = sizeof(SdcFigureValue) * sample->figures;

	if (sample->figures == 0)
		return Min(run.rows, sample->max_rows);
	if (row == NULL)
		return choose(sample->value + run.from * sample->figures, size,
					  run.rows, sample->max_rows);
	return choose(row + run.from, sizeof(int32), run.rows, sample->max_rows);
}

/*
 * Of the groups of a unit, as many rows of as many as may count.  The others
 * are counted where nobody sees it: it would take less time to leave them out.
 */
static void
take_groups(SdcUnitSample *sample, int32 *row, int64 groups)
{
	int64 chosen =
		choose(sample->group, sizeof(Run), groups, sample->max_groups);
	int64 i;

	for (i = 0; i < groups; i++)
	{
		Run run = sample->group[i];
		int64 rows = i < chosen ? choose_rows(sample, row, run) : 0;

		count_rows(sample, run.cell, row, run.from, rows);
		count_rows(sample, sample->other, row, run.from + rows,
				   run.rows - rows);
	}
}

/* The rows of one unit, by cell. */
static void
take_unit(SdcUnitSample *sample, int32 *row, int64 rows)
{
	int64 groups = 0;
	int64 from = 0;

	while (from < rows)
	{
		int32 cell = sample->cell[row[from]];
		int64 to = from + 1;

		while (to < rows && sample->cell[row[to]] == cell)
			to++;
		if (cell == sample->other)
			count_rows(sample, cell, row, from, to - from);
		else
			note_group(sample, groups++, (Run){cell, from, to - from});
		from = to;
	}
	take_groups(sample, row, groups);
}

static bool
same_unit(const SdcUnitSample *sample, int32 a, int32 b)
{
	return sample->digest[a] == sample->digest[b] &&
		   sample->key[a] == sample->key[b];
}

/* Brings the rows of the first one's unit to the front, all in their order. */
static int64
gather_unit(const SdcUnitSample *sample, int32 *row, int64 rows)
{
	int32 *others = sample->others;
	int64 same = 1;
	int64 left = 0;
	int64 i;

	while (same < rows && same_unit(sample, row[0], row[same]))
		same++;
	if (same == rows)
		return rows;
	for (i = same; i < rows; i++)
		if (same_unit(sample, row[0], row[i]))
			row[same++] = row[i];
		else
			others[left++] = row[i];
	memcpy(row + same, others, sizeof(int32) * left);
	return same;
}

/* Rows of the units whose digests begin alike. */
static void
take_key(SdcUnitSample *sample, int32 *row, int64 rows)
{
	while (rows > 0)
	{
		int64 same = gather_unit(sample, row, rows);

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

/* The rows in the order that they came in. */
static int32 *
number_rows(SdcUnitSample *sample)
{
	int32 *row = sdc_new(&sample->host->kernel, int32, sample->rows);
	int64 i;

	for (i = 0; i < sample->rows; i++)
		row[i] = (int32) i;
	return row;
}

/* The rows by cell. */
static int32 *
rows_by_cell(SdcUnitSample *sample)
{
	SdcHost *host = &sample->host->kernel;
	int32 *row = number_rows(sample);
	uint64 *key;
	int64 i;

	if (sample->cells == 1)
		return row;
	key = sdc_new(host, uint64, sample->rows);
	for (i = 0; i < sample->rows; i++)
		key[i] = (uint64) sample->cell[i];
	sdc_sort_keys(host, key, row, sample->rows);
	host->release(host, key);
	return row;
}

/*
 * Places of rows: a number each, the first bits of the digest and then, where
 * there are few, the cell; where the rows of each number begin.
 */
typedef struct Places
{
	int bits;
	uint64 cells; /* 1: the cell does not count */
	int64 numbers;
	uint32 *begin;
} Places;

static inline uint64
place_of(const Places *places, const SdcUnitSample *sample, int64 row)
{
	uint64 unit = sample->key[row] >> (32 - places->bits);

	return places->cells == 1
			   ? unit
			   : unit * places->cells + (uint64) sample->cell[row];
}

/* As many numbers as tell the rows apart if each has a unit of its own. */
static Places
count_places(SdcUnitSample *sample)
{
	Places places = {Max(pg_leftmost_one_pos64((uint64) sample->rows) - 3, 0),
					 1};
	int cell_bits = pg_leftmost_one_pos64((uint64) sample->cells * 2 - 1);
	int64 i;

	if (sample->cells <= FEW_CELLS && cell_bits <= places.bits)
	{
		places.cells = (uint64) sample->cells;
		places.bits -= cell_bits;
	}
	places.numbers = (int64) (places.cells << places.bits);
	places.begin = sdc_new(&sample->host->kernel, uint32, places.numbers + 1);
	memset(places.begin, 0, sizeof(uint32) * (places.numbers + 1));
	for (i = 0; i < sample->rows; i++)
		places.begin[place_of(&places, sample, i) + 1]++;
	for (i = 1; i <= places.numbers; i++)
		places.begin[i] += places.begin[i - 1];
	return places;
}

/* Puts the rows themselves, taken in an order, into their places. */
static void
move_rows(SdcUnitSample *sample, const Places *places, const int32 *row)
{
	SdcHost *host = &sample->host->kernel;
	int64 figures = sample->figures;
	int64 words = 2 + figures;
	uint64 *record = sdc_new(host, uint64, sample->rows * words);
	uint64 *at;
	int64 i;

	/* where they begin becomes where they end */
	for (i = 0; i < sample->rows; i++)
	{
		at = record +
			 (int64) places->begin[place_of(places, sample, row[i])]++ * words;
		at[0] = sample->digest[row[i]];
		at[1] = sample->key[row[i]] << 32 | (uint32) sample->cell[row[i]];
		memcpy(at + 2, &sample->value[row[i] * figures],
			   sizeof(uint64) * figures);
	}
	for (i = 0, at = record; i < sample->rows; i++, at += words)
	{
		sample->digest[i] = at[0];
		sample->key[i] = at[1] >> 32;
		sample->cell[i] = (int32) (uint32) at[1];
		memcpy(&sample->value[i * figures], at + 2, sizeof(uint64) * figures);
	}
	host->release(host, record);
}

/* The same with the numbers of the rows in place of the rows. */
static int32 *
move_numbers(SdcUnitSample *sample, const Places *places, int32 *row)
{
	SdcHost *host = &sample->host->kernel;
	int32 *to = sdc_new(host, int32, sample->rows);
	int64 i;

	for (i = 0; i < sample->rows; i++)
		to[places->begin[place_of(places, sample, row[i])]++] = row[i];
	host->release(host, row);
	return to;
}

/*
 * Takes all units where they are known by digests.  Rows with few values are
 * moved themselves, so that what follows reads them one after the other.
 */
static void
take_digests(SdcUnitSample *sample)
{
	SdcHost *host = &sample->host->kernel;
	Places places = count_places(sample);
	int32 *row = places.cells > 1 ? number_rows(sample) : rows_by_cell(sample);
	int64 from = 0;
	int64 i;

	sample->others = sdc_new(host, int32, sample->rows);
	if (sample->figures <= FEW_FIGURES)
	{
		move_rows(sample, &places, row);
		host->release(host, row);
		row = number_rows(sample);
	}
	else
		row = move_numbers(sample, &places, row);
	for (i = places.cells - 1; i < places.numbers; i += places.cells)
	{
		CHECK_FOR_INTERRUPTS();
		take_key(sample, row + from, places.begin[i] - from);
		from = places.begin[i];
	}
}

/* Does another unit begin with this row of the sorted ones? */
static bool
begins(SdcUnitSample *sample, const int32 *row, int64 i)
{
	return sample->order == BY_COMPARISON
			   ? compare_rows(row[i - 1], row[i], sample) != 0
			   : sample->key[row[i - 1]] != sample->key[row[i]];
}

/*
 * The same where units must be compared, or are integers that do not leave
 * room for a cell beside them.
 */
static void
take_sorted(SdcUnitSample *sample)
{
	SdcHost *host = &sample->host->kernel;
	int32 *row = rows_by_cell(sample);
	int64 from = 0;
	int64 i;

	if (sample->order == BY_COMPARISON)
		sdc_sort_rows(host, row, sample->rows, compare_rows, sample);
	else
	{
		uint64 *key = sdc_new(host, uint64, sample->rows);

		for (i = 0; i < sample->rows; i++)
			key[i] = sample->key[row[i]];
		sdc_sort_keys(host, key, row, sample->rows);
		host->release(host, key);
	}
	for (i = 1; i <= sample->rows; i++)
		if (i == sample->rows || begins(sample, row, i))
		{
			CHECK_FOR_INTERRUPTS();
			take_unit(sample, row + from, i - from);
			from = i;
		}
}

/*
 * A unit and a cell make one number, unit * cells + cell: how many units there
 * may be, counted from the least; 0 when units are no integers or lie too far
 * apart.
 */
static uint64
count_numbers(const SdcUnitSample *sample)
{
	uint64 last = (uint64) sample->most - (uint64) sample->least;

	if (sample->order != BY_VALUE || sample->rows == 0 ||
		last >= PG_UINT64_MAX / (uint64) sample->cells)
		return 0;
	return last + 1;
}

/* The number of a row. */
static inline uint64
number_of(const SdcUnitSample *sample, int64 row)
{
	return (sample->key[row] - (uint64) sample->least) *
			   (uint64) sample->cells +
		   (uint64) sample->cell[row];
}

/* The same as take_unit and its callers, from sorted numbers in key[]. */
static void
take_packed(SdcUnitSample *sample, int32 *row)
{
	const uint64 *key = sample->key;
	uint64 cells = (uint64) sample->cells;
	int64 rows = sample->rows;
	int64 from = 0;

	while (from < rows)
	{
		uint64 first = key[from] - key[from] % cells;
		int64 groups = 0;

		CHECK_FOR_INTERRUPTS();
		while (from < rows && key[from] - first < cells)
		{
			int32 cell = (int32) (key[from] - first);
			int64 to = from + 1;

			while (to < rows && key[to] == key[from])
				to++;
			if (cell == sample->other)
				count_rows(sample, cell, row, from, to - from);
			else
				note_group(sample, groups++, (Run){cell, from, to - from});
			from = to;
		}
		take_groups(sample, row, groups);
	}
}

/*
 * Orders the rows by their numbers, which are so few that they can be counted
 * in an array; where values count, these are brought into that order, too, so
 * that what follows reads them one after the other.  Returns where the rows of
 * each number end.
 */
static uint32 *
place_rows(SdcUnitSample *sample, uint64 numbers)
{
	SdcHost *host = &sample->host->kernel;
	uint32 *end = sdc_new(host, uint32, numbers + 1);
	const SdcFigureValue *from = sample->value;
	SdcFigureValue *to;
	int64 i;
	int j;

	memset(end, 0, sizeof(uint32) * (numbers + 1));
	for (i = 0; i < sample->rows; i++)
		end[number_of(sample, i) + 1]++;
	for (i = 1; i <= (int64) numbers; i++)
		end[i] += end[i - 1];
	if (sample->figures == 0)
		return end + 1;
	/* where they begin becomes where they end */
	to = sdc_new(host, SdcFigureValue, sample->rows * sample->figures);
	for (i = 0; i < sample->rows; i++)
	{
		SdcFigureValue *place =
			to + (int64) end[number_of(sample, i)]++ * sample->figures;

		for (j = 0; j < sample->figures; j++)
			place[j] = from[i * sample->figures + j];
	}
	host->release(host, sample->value);
	sample->value = to;
	return end;
}

/* The same as take_packed where numbers are few: see place_rows. */
static void
take_counted(SdcUnitSample *sample, uint64 units)
{
	uint64 cells = (uint64) sample->cells;
	const uint32 *end = place_rows(sample, units * cells);
	int64 from = 0;
	uint64 unit;

	for (unit = 0; unit < units; unit++)
	{
		int64 groups = 0;
		int32 cell;

		CHECK_FOR_INTERRUPTS();
		for (cell = 0; cell < (int32) cells; cell++)
		{
			int64 to = end[unit * cells + cell];

			if (cell == sample->other)
				count_rows(sample, cell, NULL, from, to - from);
			else if (to > from)
				note_group(sample, groups++, (Run){cell, from, to - from});
			from = to;
		}
		take_groups(sample, NULL, groups);
	}
}

/* Takes all units, by the way that their rows allow. */
static void
take_units(SdcUnitSample *sample)
{
	SdcHost *host = &sample->host->kernel;
	uint64 units = count_numbers(sample);
	int32 *row;
	int64 i;

	if (units > 0 && sample->figures <= FEW_FIGURES &&
		units <= (uint64) sample->rows * 2 / (uint64) sample->cells)
		take_counted(sample, units);
	else if (units > 0)
	{
		for (i = 0; i < sample->rows; i++)
			sample->key[i] = number_of(sample, i);
		row = number_rows(sample);
		sdc_sort_keys(host, sample->key, row, sample->rows);
		take_packed(sample, row);
	}
	else if (sample->rows > 0 && sample->order == BY_DIGEST)
		take_digests(sample);
	else if (sample->rows > 0)
		take_sorted(sample);
}

void
sdcpg_units_finish(SdcUnitSample *sample, SdcUnitCount count, void *arg)
{
	SdcHost *host = &sample->host->kernel;

	sample->count = count;
	sample->arg = arg;
	/* what either way takes at the most: which it is depends on the rows */
	host->release(host, sdc_new(host, char, finish_bytes(sample)));
	take_units(sample);
	if (sample->counted != sample->rows)
		elog(ERROR, "not every row of a data set was counted");
}

/* ----------------------------------------------------------------------
 * Rows of units into cells, no more of each unit than was declared.
 *
 * Every row is handled alike: its cell is found whether it fulfils the
 * predicate or not, and rows that are not asked for, or lie outside the
 * public categories, are counted like others, in a cell of their own that
 * nobody gets to see.
 * ----------------------------------------------------------------------
 */

/* The cell of rows that are not asked for. */
#define OTHER 0

/* Private cells, found by the key of their categories. */
typedef struct CellEntry
{
	const char *key;
	int32 cell;
	char status;
} CellEntry;

#define SH_PREFIX         cells
#define SH_ELEMENT_TYPE   CellEntry
#define SH_KEY_TYPE       const char *
#define SH_KEY            key
#define SH_HASH_KEY(t, k) hash_bytes((const unsigned char *) (k), strlen(k))
#define SH_EQUAL(t, a, b) (strcmp(a, b) == 0)
#define SH_SCOPE          static inline
#define SH_DECLARE
#define SH_DEFINE
#include "lib/simplehash.h"

/* A label of an enum type. */
typedef struct Label
{
	Oid value;
	char *text;
} Label;

/*
 * A group column: its categories, or how to write its values as text, which
 * for an enum are its labels, in the order of their numbers.
 */
typedef struct GroupColumn
{
	int place;
	SdcCategories *categories;
	ExprState *text;
	Label *label; /* NULL: not an enum */
	int labels;
} GroupColumn;

/* The column of a figure: its place, -1 for count. */
typedef struct FigureColumn
{
	int place;
	Oid type;
	SdcCategories *categories;
} FigureColumn;

typedef struct Tabulation
{
	const SdcRequest *request;
	MemoryContext memory;
	SdcPgHost *host;
	SdcUnitSample *sample; /* NULL: each row is a unit */
	int unit;
	GroupColumn *group;
	FigureColumn *figure;
	SdcFigureValue *row;
	StringInfoData key;
	cells_hash *table; /* of private cells */
	int64 rows;
	int cells;
	int room;
	SdcRequestCell **cell;
} Tabulation;

/*
 * Writing a value of an array, a range, a row or a regclass looks names up in
 * catalogs, those of the value at hand: their counters, which every role can
 * read, would tell which values there are.
 */
static bool
is_written_alone(Oid type)
{
	switch (type)
	{
		case DATEOID:
		case TIMESTAMPOID:
		case TIMESTAMPTZOID:
		case INTERVALOID:
		case CASHOID:
			/* what they look at is a setting */
			return true;
		default:
		{
			Oid output;
			bool variable;

			getTypeOutputInfo(type, &output, &variable);
			return type_is_enum(type) ||
				   func_volatile(output) == PROVOLATILE_IMMUTABLE;
		}
	}
}

static void
check_column(const SdcRelationColumn *column, const char *what)
{
	if (!is_written_alone(column->base))
		ereport(ERROR,
				(errcode(ERRCODE_DATATYPE_MISMATCH),
				 errmsg("column \"%s\" cannot be %s", column->name, what),
				 errdetail("Values of its type are looked up in catalogs one "
						   "by one, which counters of the server show.")));
}

void
sdcpg_tabulate_check(const SdcRequest *request)
{
	SdcRelationColumn unit;
	int i;

	if (request->dataset->unit != NULL)
	{
		unit =
			sdcpg_relation_column(request->relation, request->dataset->unit);
		check_column(&unit, "a unit");
	}
	for (i = 0; i < request->groups; i++)
		if (request->group[i]->categories == 0)
			check_column(&request->group[i]->column,
						 "asked for without categories");
}

/* Of private categories there may be as many as rows, which are public. */
static void
check_cells(const SdcRequest *request, int64 cells)
{
	double limit = (double) sdcpg_dp_memory_limit * 1024;

	if ((double) cells * (double) request->cell_bytes > limit)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("the cells of the request need more than "
						"sdc.dp_memory_limit (%d MB)",
						sdcpg_dp_memory_limit / 1024),
				 errdetail("Each has a state for each figure. Of private "
						   "categories there may be as many as rows."),
				 errhint("Ask for fewer figures at once; a superuser can "
						 "raise the setting.")));
}

/* What a cell takes; stops when all that there will be take too much. */
static void
measure_cells(SdcRequest *request)
{
	int i;

	request->cell_bytes =
		sizeof(SdcRequestCell) + sizeof(char *) * (request->groups + 1);
	for (i = 0; i < request->figures; i++)
		request->cell_bytes += request->figure[i]->bytes;
	/* one more for rows that are not asked for */
	if (!request->thresholded)
		check_cells(request, request->cells + 1);
}

void
sdcpg_tabulate_plan(SdcRequest *request)
{
	Bitmapset *numbers = NULL;
	int i;

	sdcpg_tabulate_check(request);
	measure_cells(request);
	if (request->predicate != NULL)
		numbers = bms_copy(request->predicate->columns);
	if (request->dataset->unit != NULL)
		numbers = bms_add_member(
			numbers,
			sdcpg_relation_column(request->relation, request->dataset->unit)
				.number);
	for (i = 0; i < request->groups; i++)
		numbers = bms_add_member(numbers, request->group[i]->column.number);
	for (i = 0; i < request->figures; i++)
		if (request->figure[i]->column != NULL)
			numbers = bms_add_member(
				numbers, request->figure[i]->column->column.number);
	request->scan =
		sdcpg_scan_plan(request->relation, request->owner, numbers);
}

/* An empty cell; part is kept. */
static int32
add_cell(Tabulation *tabulation, const char **part)
{
	const SdcRequest *request = tabulation->request;
	MemoryContext caller = MemoryContextSwitchTo(tabulation->memory);
	SdcRequestCell *cell = palloc0(sizeof(SdcRequestCell));
	int i;

	if (tabulation->cells == tabulation->room)
	{
		tabulation->room *= 2;
		tabulation->cell = repalloc_huge(
			tabulation->cell, sizeof(SdcRequestCell *) * tabulation->room);
	}
	cell->part = part;
	cell->state = palloc(sizeof(SdcFigureState) * (request->figures + 1));
	for (i = 0; i < request->figures; i++)
		sdcpg_figure_open(request->figure[i], &cell->state[i]);
	tabulation->cell[tabulation->cells] = cell;
	MemoryContextSwitchTo(caller);
	return tabulation->cells++;
}

static void
count_row(void *arg, int32 number, const SdcFigureValue *value)
{
	const Tabulation *tabulation = arg;
	const SdcRequest *request = tabulation->request;
	SdcRequestCell *cell = tabulation->cell[number];
	int i;

	cell->existence.count++;
	for (i = 0; i < request->figures; i++)
		sdcpg_figure_add(request->figure[i], &cell->state[i], &value[i]);
}

/* A key of a cell is for each group column "-", or the length and text. */
static void
append_part(StringInfo key, const char *part)
{
	if (part == NULL)
		appendStringInfoChar(key, '-');
	else
		appendStringInfo(key, "%zu:%s", strlen(part), part);
}

static int
compare_labels(const void *a, const void *b)
{
	return oid_cmp(&((const Label *) a)->value, &((const Label *) b)->value);
}

/* The labels of an enum type, whether rows have them or not. */
static void
read_labels(GroupColumn *group, Oid type)
{
	CatCList *list =
		SearchSysCacheList1(ENUMTYPOIDNAME, ObjectIdGetDatum(type));
	int i;

	group->labels = list->n_members;
	group->label = palloc(sizeof(Label) * (group->labels + 1));
	for (i = 0; i < group->labels; i++)
	{
		Form_pg_enum form = (Form_pg_enum) GETSTRUCT(&list->members[i]->tuple);

		group->label[i].value = form->oid;
		group->label[i].text = pstrdup(NameStr(form->enumlabel));
	}
	ReleaseCatCacheList(list);
	qsort(group->label, group->labels, sizeof(Label), compare_labels);
}

static const char *
text_of_label(const GroupColumn *group, Oid value)
{
	Label wanted = {value, NULL};
	const Label *found = bsearch(&wanted, group->label, group->labels,
								 sizeof(Label), compare_labels);

	if (found == NULL)
		elog(ERROR, "an enum has a value without a label");
	return found->text;
}

/* The category of a row in a group column; false when it is none of them. */
static bool
read_part(const Tabulation *tabulation, int number, const Datum *value,
		  const bool *isnull, const char **part)
{
	const GroupColumn *group = &tabulation->group[number];
	bool none;
	Datum written;
	int category;

	*part = NULL;
	if (group->categories != NULL)
	{
		category = sdcpg_categories_find(
			group->categories, value[group->place], isnull[group->place]);
		if (category >= 0)
			*part = tabulation->request->group[number]->category[category];
		return category >= 0;
	}
	if (group->label != NULL)
	{
		if (!isnull[group->place])
			*part =
				text_of_label(group, DatumGetObjectId(value[group->place]));
		return true;
	}
	written =
		ExecEvalExpr(group->text, tabulation->request->scan->context, &none);
	if (!none)
		*part = TextDatumGetCString(written);
	return true;
}

/* The cell of a row when some categories are private: they come up as new. */
static int32
find_private_cell(Tabulation *tabulation, const Datum *value,
				  const bool *isnull)
{
	int groups = tabulation->request->groups;
	const char **part = palloc(sizeof(char *) * groups);
	bool known = true;
	MemoryContext caller;
	CellEntry *entry;
	bool found;
	int i;

	resetStringInfo(&tabulation->key);
	for (i = 0; i < groups; i++)
	{
		known = read_part(tabulation, i, value, isnull, &part[i]) && known;
		append_part(&tabulation->key, part[i]);
	}
	if (!known)
		return OTHER;
	entry = cells_lookup(tabulation->table, tabulation->key.data);
	if (entry != NULL)
		return entry->cell;
	caller = MemoryContextSwitchTo(tabulation->memory);
	entry =
		cells_insert(tabulation->table, pstrdup(tabulation->key.data), &found);
	part =
		memcpy(palloc(sizeof(char *) * groups), part, sizeof(char *) * groups);
	for (i = 0; i < groups; i++)
		part[i] = part[i] == NULL ? NULL : pstrdup(part[i]);
	MemoryContextSwitchTo(caller);
	entry->cell = add_cell(tabulation, part);
	return entry->cell;
}

/* The cell of a row: those of public categories are numbered. */
static int32
find_cell(Tabulation *tabulation, const Datum *value, const bool *isnull)
{
	int64 number = 0;
	bool known = true;
	int i;

	if (tabulation->request->thresholded)
		return find_private_cell(tabulation, value, isnull);
	for (i = 0; i < tabulation->request->groups; i++)
	{
		const GroupColumn *group = &tabulation->group[i];
		int category = sdcpg_categories_find(
			group->categories, value[group->place], isnull[group->place]);

		known &= category >= 0;
		number = number * group->categories->count + category;
	}
	return known ? OTHER + 1 + (int32) number : OTHER;
}

static int64
read_whole(Oid type, Datum value)
{
	int64 whole = type == INT2OID   ? DatumGetInt16(value)
				  : type == INT4OID ? DatumGetInt32(value)
									: DatumGetInt64(value);

	/* bounds have 62 bits, so the least of all is clipped anyway */
	return Max(whole, -PG_INT64_MAX);
}

static SdcFigureValue
read_value(const SdcFigure *figure, const FigureColumn *column, Datum value,
		   bool isnull)
{
	SdcFigureValue result;

	if (column->categories != NULL)
	{
		result.whole =
			sdcpg_categories_find(column->categories, value, isnull);
		if (result.whole < 0)
			result.whole = SDC_FIGURE_MISSING;
	}
	else if (figure->whole)
		result.whole =
			isnull ? SDC_FIGURE_MISSING : read_whole(column->type, value);
	else
		result.number = isnull ? NAN : sdcpg_number(column->type, value);
	return result;
}

static void
take_row(void *arg, const Datum *value, const bool *isnull)
{
	Tabulation *tabulation = arg;
	const SdcRequest *request = tabulation->request;
	bool chosen = request->predicate == NULL ||
				  sdcpg_predicate_holds(request->predicate, request->scan);
	int32 cell;
	int i;

	if (request->thresholded)
		check_cells(request, ++tabulation->rows);
	cell = find_cell(tabulation, value, isnull);
	cell = chosen ? cell : OTHER;
	for (i = 0; i < request->figures; i++)
	{
		const FigureColumn *column = &tabulation->figure[i];

		if (column->place >= 0)
			tabulation->row[i] =
				read_value(request->figure[i], column, value[column->place],
						   isnull[column->place]);
	}
	if (tabulation->sample == NULL)
		count_row(tabulation, cell, tabulation->row);
	else if (isnull[tabulation->unit])
		count_row(tabulation, OTHER, tabulation->row);
	else
		sdcpg_units_add(tabulation->sample, value[tabulation->unit], cell,
						tabulation->row);
}

/* A column as text; casts of others' making do not run. */
static ExprState *
write_as_text(const SdcScan *scan, int place)
{
	Node *column =
		(Node *) makeVar(1, (AttrNumber) (place + 1), scan->type[place],
						 scan->modifier[place], scan->collation[place], 0);
	Node *text =
		coerce_to_target_type(NULL, column, scan->type[place], TEXTOID, -1,
							  COERCION_EXPLICIT, COERCE_EXPLICIT_CAST, -1);
	CoerceViaIO *written;

	if (text != NULL && (!IsA(text, FuncExpr) ||
						 ((FuncExpr *) text)->funcid < FirstNormalObjectId))
		return ExecInitExpr((Expr *) text, NULL);
	written = makeNode(CoerceViaIO);
	written->arg = (Expr *) column;
	written->resulttype = TEXTOID;
	written->resultcollid = DEFAULT_COLLATION_OID;
	written->coerceformat = COERCE_EXPLICIT_CAST;
	written->location = -1;
	return ExecInitExpr((Expr *) written, NULL);
}

static void
open_groups(Tabulation *tabulation)
{
	const SdcRequest *request = tabulation->request;
	int i;

	tabulation->group = palloc0(sizeof(GroupColumn) * (request->groups + 1));
	for (i = 0; i < request->groups; i++)
	{
		const SdcDatasetColumn *column = request->group[i];
		GroupColumn *group = &tabulation->group[i];

		group->place = sdcpg_scan_place(request->scan, column->column.number);
		if (column->categories > 0)
			group->categories = sdcpg_categories_make(
				column, request->scan->collation[group->place]);
		else if (type_is_enum(column->column.base))
			read_labels(group, column->column.base);
		else
			group->text = write_as_text(request->scan, group->place);
	}
}

static void
open_figures(Tabulation *tabulation)
{
	const SdcRequest *request = tabulation->request;
	int i;

	tabulation->figure =
		palloc0(sizeof(FigureColumn) * (request->figures + 1));
	tabulation->row = palloc0(sizeof(SdcFigureValue) * (request->figures + 1));
	for (i = 0; i < request->figures; i++)
	{
		const SdcDatasetColumn *column = request->figure[i]->column;
		FigureColumn *figure = &tabulation->figure[i];

		figure->place = -1;
		if (column == NULL)
			continue;
		figure->place = sdcpg_scan_place(request->scan, column->column.number);
		figure->type = column->column.base;
		if (request->figure[i]->kind == SDC_FIGURE_MODE)
			figure->categories = sdcpg_categories_make(
				column, request->scan->collation[figure->place]);
	}
}

/* All cells of public categories, whether rows have them or not. */
static void
make_cells(Tabulation *tabulation)
{
	const SdcRequest *request = tabulation->request;
	int64 i;
	int j;

	for (i = 0; i < request->cells; i++)
	{
		const char **part = palloc(sizeof(char *) * (request->groups + 1));
		int64 rest = request->cells;
		int64 at = i;

		for (j = 0; j < request->groups; j++)
		{
			const SdcDatasetColumn *column = request->group[j];

			rest /= column->categories;
			part[j] = column->category[at / rest];
			at %= rest;
		}
		(void) add_cell(tabulation, part);
	}
}

/* NULL comes last. */
static int
compare_cells(const ListCell *a, const ListCell *b)
{
	const char **left = ((SdcRequestCell *) lfirst(a))->part;
	const char **right = ((SdcRequestCell *) lfirst(b))->part;
	int i = 0;

	/* two cells differ in some part */
	for (;; i++)
	{
		int order = left[i] == NULL    ? right[i] != NULL
					: right[i] == NULL ? -1
									   : strcmp(left[i], right[i]);

		if (order != 0)
			return order;
	}
}

/* The cells in their order, also private ones that no counted row is in. */
static List *
list_cells(const Tabulation *tabulation)
{
	List *found = NIL;
	int i;

	for (i = OTHER + 1; i < tabulation->cells; i++)
		found = lappend(found, tabulation->cell[i]);
	if (tabulation->request->thresholded && list_length(found) > 1)
		list_sort(found, compare_cells);
	return found;
}

List *
sdcpg_tabulate(const SdcRequest *request)
{
	Tabulation tabulation = {0};

	tabulation.request = request;
	tabulation.memory = CurrentMemoryContext;
	tabulation.host = sdcpg_host_begin(NULL, CurrentMemoryContext);
	tabulation.room = 64;
	tabulation.cell = palloc(sizeof(SdcRequestCell *) * tabulation.room);
	initStringInfo(&tabulation.key);
	tabulation.table = cells_create(tabulation.memory, 64, NULL);
	(void) add_cell(&tabulation, NULL);
	if (!request->thresholded)
		make_cells(&tabulation);
	sdcpg_scan_open(request->scan);
	open_groups(&tabulation);
	open_figures(&tabulation);
	if (request->predicate != NULL)
		sdcpg_predicate_open(request->predicate, request->scan);
	if (request->dataset->unit != NULL)
	{
		tabulation.unit = sdcpg_scan_place(
			request->scan,
			sdcpg_relation_column(request->relation, request->dataset->unit)
				.number);
		tabulation.sample = sdcpg_units_begin(tabulation.host, request, OTHER);
	}
	sdcpg_scan_run(request->scan, take_row, &tabulation);
	if (tabulation.sample != NULL)
		sdcpg_units_finish(tabulation.sample, count_row, &tabulation);
	sdcpg_host_end(tabulation.host);
	return list_cells(&tabulation);
}
