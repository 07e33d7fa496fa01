/*
 * report_read.h
 *		Members of the documents that the history of releases keeps.
 *
 * A member that is absent, or of another kind than asked for, is as one that
 * has no value: a report is made of whatever is there.
 */
#ifndef SDC_PG_REPORT_READ_H
#define SDC_PG_REPORT_READ_H

#include "postgres.h"

#include "nodes/pg_list.h"
#include "utils/jsonb.h"

/* The objects and arrays in an array: Jsonb.  NULL is an empty one. */
extern List *sdcpg_report_read_elements(Jsonb *array);

/* The strings in an array: char *.  NULL is an empty one. */
extern List *sdcpg_report_read_texts(Jsonb *array);

/* The keys of an object: char *, in the order of jsonb. */
extern List *sdcpg_report_read_keys(Jsonb *object);

/* The object or array under a key; NULL without one. */
extern Jsonb *sdcpg_report_read_part(Jsonb *object, const char *key);

/* The string under a key, or NULL; any other scalar as text. */
extern char *sdcpg_report_read_text(Jsonb *object, const char *key);

/* The number under a key, or NaN. */
extern double sdcpg_report_read_number(Jsonb *object, const char *key);

/* Is it true? */
extern bool sdcpg_report_read_true(Jsonb *object, const char *key);

#endif
