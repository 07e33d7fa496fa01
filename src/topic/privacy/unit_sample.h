/*
 * unit_sample.h
 *		Of each unit no more rows than were declared, chosen by chance.
 */
#ifndef SDC_PG_UNIT_SAMPLE_H
#define SDC_PG_UNIT_SAMPLE_H

#include "postgres.h"

#include "topic/privacy/request.h"
#include "host/server/host.h"

typedef struct SdcUnitSample SdcUnitSample;

/* Counts a row of a cell. */
typedef void (*SdcUnitCount)(void *arg, int32 cell,
							 const SdcFigureValue *value);

/*
 * Starts a sample for the units of a request; rows of the cell other, which
 * are those that are not asked for, do not count against the declared limits.
 */
extern SdcUnitSample *
sdcpg_units_begin(SdcPgHost *host, const SdcRequest *request, int32 other);

/*
 * Keeps a row: 12 bytes and 8 for each figure, with the value of the unit
 * where that is no number, whatever the row holds.  Stops when more rows come
 * than sdc.dp_memory_limit leaves room for, or 2^31.
 */
extern void sdcpg_units_add(SdcUnitSample *sample, Datum unit, int32 cell,
							const SdcFigureValue *value);

/*
 * Counts of each unit the rows that were chosen: at most max_groups groups,
 * and in each at most max_rows rows, each as probable as any other; and all
 * rows of the cell other.  O(rows) for numbers and types that can be hashed,
 * O(rows log rows) comparisons for others.
 */
extern void sdcpg_units_finish(SdcUnitSample *sample, SdcUnitCount count,
							   void *arg);

#endif
