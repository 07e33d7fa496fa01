/*
 * subject.h
 *		What a row of a report is about, written as JSON.
 */
#ifndef SDC_PG_SUBJECT_H
#define SDC_PG_SUBJECT_H

#include "postgres.h"

#include "lib/stringinfo.h"

#include "kernel/table/frequency.h"
#include "pg/data/dictionary.h"

/*
 * Replaces text by a JSON object of the first columns of a cell: name[j] with
 * the value of column j as a string, or null.
 */
extern void sdcpg_subject_write(StringInfo text, int columns,
								const char *const *name,
								SdcDictionary *const *dictionary,
								const SdcFrequency *frequency, int32 cell);

#endif
