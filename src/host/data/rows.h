/*
 * rows.h
 *		Rows of a query, one by one, as the executor makes them, or as a frame
 *		of arrays.
 */
#ifndef SDC_HOST_ROWS_H
#define SDC_HOST_ROWS_H

#include "postgres.h"

#include "access/tupdesc.h"
#include "lib/stringinfo.h"

#include "host/call/catalog.h"
#include "host/data/dictionary.h"
#include "host/server/host.h"
#include "kernel/table/frequency.h"

/*
 * Replaces text by a JSON object of the first columns of a cell: name[j] with
 * the value of column j as a string, or null.
 */
extern void sdcpg_subject_write(StringInfo text, int columns,
								const char *const *name,
								SdcDictionary *const *dictionary,
								const SdcFrequency *frequency, int32 cell);

/* Two columns of a row, by their places, that are compared. */
typedef struct SdcRowPair
{
	int first;
	int second;
	bool late; /* not before the row is given: in the order of the rows */
} SdcRowPair;

/* Who takes the rows; arg is passed to all functions. */
typedef struct SdcRows
{
	/* called once, before the first row: to check the columns; or NULL */
	void (*start)(void *arg, TupleDesc descriptor);
	/*
	 * Called for each row.  The current memory context is cleared every
	 * thousand rows; values do not outlive the call.
	 */
	void (*row)(void *arg, TupleDesc descriptor, const Datum *values,
				const bool *isnull);
	void *arg;
	/*
	 * For sdcpg_column_select only.  Called once for each row and pair, in any
	 * order, as early as both values are there, which for most pairs is before
	 * rows are put into another order.  second is then NULL in what is given
	 * to row(), so that it need not be kept so long; it must not be needed
	 * for anything else.
	 */
	int pairs;
	const SdcRowPair *pair;
	void (*compare)(void *arg, int pair, Datum first, bool first_isnull,
					Datum second, bool second_isnull);
} SdcRows;

/*
 * Runs a query as the caller, with the snapshot of the calling statement and
 * without writing, and hands over its rows.  Polls the host.
 */
extern void sdcpg_rows_receive(SdcPgHost *host, const char *sql,
							   const SdcRows *rows);

/* The same for a query with parameters $1, $2, ... */
extern void sdcpg_rows_receive_bound(SdcPgHost *host, const char *sql,
									 const SdcCatalogParameters *parameters,
									 const SdcRows *rows);

/* ----------------------------------------------------------------------
 * Rows of a query as typed column arrays.
 * ----------------------------------------------------------------------
 */

/* What a column of a frame holds. */
typedef enum SdcFrameType
{
	SDC_FRAME_NUMBER, /* types of sdcpg_number as finite doubles */
	SDC_FRAME_KIND,   /* the same, and what others are, in kind */
	SDC_FRAME_FINITE, /* the same, but others stop with an error */
	SDC_FRAME_COUNT,  /* bigint */
	SDC_FRAME_TEXT,   /* text */
	SDC_FRAME_CODE    /* any type, as codes of a dictionary */
} SdcFrameType;

/* What the value of a number column is; all but the first have isnull set. */
typedef enum SdcFrameKind
{
	SDC_KIND_NUMBER,
	SDC_KIND_NULL,
	SDC_KIND_BELOW, /* minus infinity, or beyond double precision */
	SDC_KIND_ABOVE,
	SDC_KIND_NAN
} SdcFrameKind;

/*
 * One column; of number, count, start and code only the one of its type is
 * set.  isnull[i] tells a NULL, whose place in the other array holds 0, "" or
 * SDC_CODE_NULL.
 */
typedef struct SdcFrameColumn
{
	SdcFrameType type;
	NameData name;
	Oid base;
	bool *isnull;
	int64 unusual; /* numbers that are not finite, which count as NULL */
	double *number;
	uint8 *kind; /* of SDC_FRAME_KIND only: SdcFrameKind */
	int64 *count;
	/* text i is the bytes from start[i] on, and ends with a zero byte */
	Size *start;
	char *bytes;
	Size used;
	Size room;
	int32 *code;
	SdcDictionary *dictionary;
	FmgrInfo *output; /* to text, for a dictionary of another type */
} SdcFrameColumn;

/* The rows of a query; made by sdcpg_frame_load. */
typedef struct SdcFrame
{
	SdcPgHost *host;
	int32 rows;
	int32 room;
	int columns;
	SdcFrameColumn *column;
} SdcFrame;

/*
 * Runs a query and keeps all of its rows, in their order, in arrays of the
 * host.  types[] tells what each of the columns is; the query must return
 * such columns, except that a number may be of any type of sdcpg_number.
 *
 * The query runs as the caller, with the snapshot of the calling statement,
 * and writes nothing; so rights and row-level security hold.  A number that
 * is NaN, infinite or beyond float8 has no place among the others: it counts
 * as NULL, and a notice says of how many this is so, once in a statement for
 * each column.  More than SDC_MAX_ROWS rows are an error.
 */
extern SdcFrame *sdcpg_frame_load(SdcPgHost *host, const char *sql,
								  int columns, const SdcFrameType *types);

/*
 * The same, with columns of codes: column j of type SDC_FRAME_CODE takes its
 * codes from dictionary[j].  When that is NULL it is made, for the type of the
 * column, and handed over; so two frames can share the codes of a column.  A
 * dictionary of text takes values of any type, as their text.
 */
extern SdcFrame *sdcpg_frame_load_codes(SdcPgHost *host, const char *sql,
										int columns, const SdcFrameType *types,
										SdcDictionary **dictionary);

/* Gives the arrays back before the host ends. */
extern void sdcpg_frame_release(SdcFrame *frame);

/* Text i of a text column. */
static inline const char *
sdcpg_frame_text(const SdcFrameColumn *column, int32 row)
{
	return column->bytes + column->start[row];
}

/* Puts NaN where a number is NULL, in all columns of numbers. */
extern void sdcpg_frame_mark_missing(SdcFrame *frame);

/* The first rows of a column of numbers, with NaN for a NULL. */
extern double *sdcpg_frame_numbers(SdcHost *host, const SdcFrameColumn *column,
								   int32 rows);

#endif
