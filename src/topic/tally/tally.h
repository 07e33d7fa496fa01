/*
 * tally.h
 *		States of aggregates that count combinations of values.
 *
 * The SQL type sdc_internal.tally.  A state is one contiguous piece of memory:
 * what is counted, the constant arguments of the aggregate, and the cells,
 * which are combinations of values with the number of rows that have them.
 * Small states are plain values; from some kilobytes on a state is an expanded
 * object while it changes.  Both are changed in place, so a row costs O(1).
 */
#ifndef SDC_TOPIC_TALLY_H
#define SDC_TOPIC_TALLY_H

#include "postgres.h"

#include "fmgr.h"
#include "lib/stringinfo.h"

#include "host/data/dictionary.h"
#include "host/server/compat.h"
#include "host/server/host.h"
#include "kernel/table/frequency.h"

/* Columns of a state at the most: those of a row. */
#define SDC_TALLY_MAX_COLUMNS 1664

/* A base type and the collation its values are compared with, or 0. */
typedef struct SdcTallyColumn
{
	Oid type;
	Oid collation;
} SdcTallyColumn;

/*
 * What values are counted and how they are compared; looked up once for a
 * call site, not for a state.  value and isnull hold one combination.
 */
typedef struct SdcTallyShape
{
	int columns;
	int keys; /* the first columns, which make the classes */
	SdcTallyColumn *column;
	SdcEquality *equality;
	bool loose; /* values may be equal and not look alike */
	Datum *value;
	bool *isnull;
} SdcTallyShape;

/*
 * A state in memory.  Columns and constant arguments follow it, up to head
 * bytes; then 4-byte slots of a hash table, then the cells.
 */
typedef struct SdcTally
{
	int32 vl_len_;
	uint16 columns;
	uint16 keys;    /* of them, that make the classes */
	uint16 numbers; /* constant arguments that are numbers ... */
	uint16 lists;   /* ... and that are lists of strings */
	uint32 head;
	uint32 slots; /* a power of two, or 0: cells are searched in turn */
	uint32 unused;
	int64 cells;
	int64 records; /* rows that were counted */
	uint64 used;   /* bytes of cells */
	uint64 room;   /* bytes that cells may take */
} SdcTally;

/* A cell of a state; a bitmap of NULLs and the values follow. */
typedef struct SdcTallyCell
{
	int64 count;
	uint32 hash;
	uint32 length; /* bytes, with this header and padding */
} SdcTallyCell;

/* A state that is being changed; datum is what to return. */
typedef struct SdcTallyChange
{
	SdcTally *tally;
	Datum datum;
	MemoryContext owner;
	struct SdcTallyExpanded *expanded;
} SdcTallyChange;

/*
 * Looks up how the columns are compared.  Stops when a type has no equality.
 * Memory is that of context.
 */
extern SdcTallyShape *sdcpg_tally_shape(const SdcTallyColumn *column,
										int columns, int keys,
										MemoryContext context);

/* The same for the columns of a state, kept from call to call. */
extern SdcTallyShape *sdcpg_tally_shape_of(FunctionCallInfo fcinfo,
										   const SdcTally *tally);

/*
 * A state without cells in the current context.  parameters are the constant
 * arguments as sdcpg_tally_put_* wrote them: numbers first, then lists.
 */
extern SdcTally *sdcpg_tally_new(const SdcTallyShape *shape, int numbers,
								 int lists, const char *parameters,
								 Size length);

/*
 * Starts to change a state: a new one like empty, or the one an aggregate
 * handed over (NULL: none), in place.  owner is the memory of the aggregate,
 * where expanded states live.
 */
extern void sdcpg_tally_create(SdcTallyChange *change, const SdcTally *empty,
							   MemoryContext owner);

/*
 * Counts count more records of the combination in shape->value, all of them
 * whole (sdcpg_equality_whole); shape->value is not kept.  O(columns)
 * expected.  Stops at sdc.memory_limit.
 */
extern void sdcpg_tally_count(SdcTallyChange *change, SdcTallyShape *shape,
							  int64 count);

/* The state in an argument, to be read only. */
extern const SdcTally *sdcpg_tally_read(Datum state);

/* The columns of a state. */
static inline const SdcTallyColumn *
sdcpg_tally_columns(const SdcTally *tally)
{
	return (const SdcTallyColumn *) (tally + 1);
}

/* The first cell of a state, of which there are tally->cells. */
extern const SdcTallyCell *sdcpg_tally_first(const SdcTally *tally);

/* The one after a cell. */
static inline const SdcTallyCell *
sdcpg_tally_next(const SdcTallyCell *cell)
{
	return (const SdcTallyCell *) ((const char *) cell + cell->length);
}

/* Reads the values of a cell into shape->value; they lie in the cell. */
extern void sdcpg_tally_values(const SdcTallyShape *shape,
							   const SdcTallyCell *cell);

/* The counts of all cells, in their order, in the current context. */
extern int64 *sdcpg_tally_counts(const SdcTally *tally);

/* Schema and name of a type, schema and name of its collation or NULLs. */
#define SDC_TALLY_NAMES 4

/* The names of a column. */
extern void sdcpg_tally_name_column(const SdcTallyColumn *column, char **name);

/*
 * The column of that name.  Stops when there is none, or when it is of a kind
 * that no state counts (pseudo-types, domains, row types).
 */
extern SdcTallyColumn sdcpg_tally_name_find(char *const *name);

/* Stops because a state is malformed. */
pg_noreturn extern void sdcpg_tally_malformed(const char *what);

/*
 * Settings under which values are written and read the same in every session
 * (dates, intervals, digits of floats); ended with AtEOXact_GUC.
 */
extern int sdcpg_tally_name_settings(void);

/* Appends a finite number; must come before all lists. */
extern void sdcpg_tally_put_number(StringInfo parameters, double number);

/* Starts a list of that many strings, which are to be appended next. */
extern void sdcpg_tally_put_list(StringInfo parameters, int count);

/* Appends a string of so many bytes to the list; NULL is a NULL. */
extern void sdcpg_tally_put_string(StringInfo parameters, const char *string,
								   int length);

/* The number with an index; stops when the state has no such one. */
extern double sdcpg_tally_number(const SdcTally *tally, int index);

/*
 * The strings of the list with an index, in the current context, NULL where
 * one is NULL; stops when the state has no such list.
 */
extern char **sdcpg_tally_list(const SdcTally *tally, int index, int *count);

/*
 * The whole of a transition function: argument 0 is the state, then come keys
 * arguments that make the classes, then others that are counted, both of any
 * type, and then the constant arguments (float8, integer, text or text[]).
 * Row values are taken apart into their fields, at any depth.  Stops when a
 * constant argument is NULL, not finite, or varies, and when it is not called
 * by an aggregate.
 */
extern Datum sdcpg_tally_row(FunctionCallInfo fcinfo, int keys, int others);

/* A state as a frequency table. */
typedef struct SdcTallyTable
{
	/* the key columns of the state, and one column of what is counted */
	SdcFrequency *frequency;
	SdcClasses *classes;
	/* values of the last column, NULL when the state counts several columns */
	SdcDictionary *dictionary;
} SdcTallyTable;

/*
 * Turns a state into a frequency table whose cells are in the order of their
 * values.  When several columns are counted within the classes, their
 * combinations become the codes of one, in the order of the columns.  A state
 * without keys, or with nothing counted within them, stops with an error.
 * Memory is the host's.
 */
extern SdcTallyTable sdcpg_tally_table(SdcPgHost *host, SdcTallyShape *shape,
									   const SdcTally *tally);

#endif
