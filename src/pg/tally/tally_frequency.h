/*
 * tally_frequency.h
 *		The frequency table of a state, as kernels want it.
 */
#ifndef SDC_PG_TALLY_FREQUENCY_H
#define SDC_PG_TALLY_FREQUENCY_H

#include "postgres.h"

#include "kernel/table/frequency.h"
#include "pg/data/dictionary.h"
#include "pg/server/host.h"
#include "pg/tally/tally.h"

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
