/*
 * record.h
 *		Rows of several columns, as ROW(a, b, c) brings them to a window mask.
 */
#ifndef SDC_HOST_RECORD_H
#define SDC_HOST_RECORD_H

#include "postgres.h"

#include "host/data/window.h"
#include "kernel/base/matrix.h"

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

#endif
