/*
 * window.h
 *		The protocol of window masks: a partition in, a value per row out; rows
 *		of several columns as points.
 *
 * A mask is a callback that runs once per partition, at its first row.  It
 * reads the columns it needs, works, and leaves a value for every row; later
 * rows only hand their value out.  PARTITION BY therefore means strata, and
 * ORDER BY in the window decides the order of rows that are equal in value.
 */
#ifndef SDC_HOST_WINDOW_H
#define SDC_HOST_WINDOW_H

#include "postgres.h"

#include "fmgr.h"
#include "utils/jsonb.h"
#include "windowapi.h"

#include "host/data/column.h"
#include "host/server/host.h"
#include "kernel/base/matrix.h"

/*
 * A column of a whole relation, read before: the value of each row, NULL where
 * isnull says so; isnull is NULL when none is.  Codes as those of SdcColumn.
 */
typedef struct SdcWindowColumn
{
	SdcColumnType type;
	Datum *value;
	bool *isnull;
	int32 *code;
	SdcPool *pool;
} SdcWindowColumn;

/* An argument of a mask: a column, or one value for all rows. */
typedef struct SdcWindowArgument
{
	const SdcWindowColumn *column; /* NULL: one value */
	Datum value;
	bool isnull;
} SdcWindowArgument;

/*
 * Ranks of values that the mask does not see: their digest, and whom it tells
 * that a rank takes its value from a rank, each rank once, in any order.
 */
typedef struct SdcWindowRanks
{
	uint64 digest;
	void (*move)(void *arg, int32_t rank, int32_t from);
	void *arg;
} SdcWindowRanks;

/*
 * A partition of columns in place of one of PostgreSQL's executor: what a mask
 * finds as context of its call.  The mask runs once, for all rows.
 */
typedef struct SdcWindowFrame
{
	NodeTag type; /* T_Invalid, which no node of PostgreSQL has */
	SdcPgHost *host;
	const SdcWindowArgument *argument;
	int64 rows;
	const int32 *row; /* of the columns, in window order; NULL: 0, 1, ... */
	/* what the mask leaves for each row of the partition, in the keep context
	 * of the host */
	Datum *result;
	bool *isnull;
	/* or so many ranks as there are rows, and no values and no results */
	const SdcWindowRanks *ranks;
	/* or it is only asked whether it could do with ranks alone, and with what
	 * memory for each */
	bool is_question;
	bool by_ranks;
	int rank_bytes;
} SdcWindowFrame;

/* The call of a mask for one partition. */
typedef struct SdcWindow
{
	FunctionCallInfo fcinfo;
	WindowObject object;
	const SdcWindowFrame *frame; /* NULL: the window is PostgreSQL's */
	SdcPgHost *host;
	int64 rows;
	/* what each row gets; rows start out as NULL */
	Datum *result;
	bool *isnull;
	/* is every value of several what it was?  Then the user is warned */
	bool unchanged;
} SdcWindow;

/*
 * Is nobody warned of masks that change nothing?  Set, and reset whatever
 * happens, by who counts for himself.
 */
extern bool sdcpg_window_silent;

/* A mask: reads columns of the partition, leaves a value for each row. */
typedef void (*SdcWindowMask)(SdcWindow *window);

/*
 * Runs a mask at the first row of a partition and returns the value of the
 * present row.  function is the SQL name, for messages and progress.
 * Arguments from number parameters on must be the same in every row.
 */
extern Datum sdcpg_window_call(FunctionCallInfo fcinfo, const char *function,
							   int parameters, SdcWindowMask mask);

/*
 * The same of a mask that can do with ranks alone: then ranks is called in its
 * place, with the ranks in the frame.  It takes bytes of memory for each rank,
 * and some bits.
 */
extern Datum sdcpg_window_call_ranks(FunctionCallInfo fcinfo,
									 const char *function, int parameters,
									 SdcWindowMask mask, SdcWindowMask ranks,
									 int bytes);

/* Reads an argument over the whole partition, without its NULLs. */
extern SdcColumn *sdcpg_window_column(SdcWindow *window, int argument);

/*
 * A parameter of the call, by the type that SQL gives it; NULL stops with an
 * error that has the name.
 */
extern double sdcpg_window_float8(SdcWindow *window, int argument,
								  const char *name);
extern int32 sdcpg_window_int32(SdcWindow *window, int argument,
								const char *name);
extern bool sdcpg_window_bool(SdcWindow *window, int argument,
							  const char *name);
extern Jsonb *sdcpg_window_jsonb(SdcWindow *window, int argument,
								 const char *name);

/* A text parameter as its position in a list that ends with NULL. */
extern int sdcpg_window_choice(SdcWindow *window, int argument,
							   const char *name, const char *const *choices);

/*
 * Starts the stream of random numbers that the argument asks for: that of the
 * seed and of the digest of the values; of NULL, strong random numbers.
 */
extern void sdcpg_window_random(SdcWindow *window, int argument,
								SdcRandom *random, uint64 digest);

/* Gives row place the value, which is not NULL. */
static inline void
sdcpg_window_put(SdcWindow *window, int64 place, Datum value)
{
	window->result[place] = value;
	window->isnull[place] = false;
}

/*
 * Gives every row of the column the value of another: the row at rank r gets
 * the value at rank from[r].  Notes whether all stay.
 */
extern void sdcpg_window_move(SdcWindow *window, const SdcColumn *column,
							  const int32 *order, const int32 *from);

/*
 * The finite values of a column of float8, in the order of their ranks: those
 * at the ranks first .. first + count - 1.  Minus infinity is before them,
 * infinity and NaN behind.
 */
typedef struct SdcWindowFloats
{
	double *value;
	int32 first;
	int32 count;
	int32 infinities; /* those behind; all others behind are NaN */
} SdcWindowFloats;

/*
 * Reads them.  The others have no place in a mean or a sum; a notice says how
 * many there are, once in a call.
 */
extern SdcWindowFloats sdcpg_window_sorted_floats(SdcWindow *window,
												  const SdcColumn *column,
												  const int32 *order);

/*
 * Gives the rows of the finite values their masked ones, which must be finite.
 * The others stay as they are where at least so many rows have the same, and
 * become NULL where not.
 */
extern void sdcpg_window_put_floats(SdcWindow *window, const SdcColumn *column,
									const int32 *order,
									const SdcWindowFloats *floats,
									const double *masked, int32 least);

/*
 * Puts row numbers in the order of a column, NULL last; equal ones stay in the
 * order they have in sequence, whose first is -1 if it has none yet.  False if
 * all stay in their order.  What it needs is counted on top of what the host
 * of the caller holds.
 */
extern bool sdcpg_window_sort(SdcPgHost *of, const SdcWindowColumn *source,
							  int64 rows, int32 *sequence);

/* ----------------------------------------------------------------------
 * Rows of several columns, as ROW(a, b, c) brings them to a window mask.
 * ----------------------------------------------------------------------
 */

/*
 * The records without those that are NULL or hold a NULL or a number that is
 * not finite: row i of the matrix came from row place[i] of the partition.
 * Numbers, dates and timestamps are doubles; of any other ordered type,
 * category[j] is true and the column holds the rank of its value among the
 * values that occur, from 0.
 */
typedef struct SdcRecords
{
	SdcMatrix matrix;
	int32 *place;
	bool category[SDC_MAX_COLUMNS];
	bool any_category;
} SdcRecords;

/*
 * Reads an argument of type record over the whole partition.  More than
 * SDC_MAX_COLUMNS columns and types without order are errors.
 */
extern SdcRecords *sdcpg_window_records(SdcWindow *window, int argument);

/* Stops when a column is a category; what names the method for the message. */
extern void sdcpg_records_need_numbers(const SdcRecords *records,
									   const char *what);

/*
 * As sdcpg_column_digest: bits that depend on the records but not on their
 * order.
 */
extern uint64 sdcpg_records_digest(const SdcRecords *records);

/* Arguments of a mask at the most. */
#define SDC_WINDOW_ARGUMENTS 8

#endif
