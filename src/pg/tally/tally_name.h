/*
 * tally_name.h
 *		Types and collations of a state by their names.
 *
 * Private to tally_*.c.
 */
#ifndef SDC_PG_TALLY_NAME_H
#define SDC_PG_TALLY_NAME_H

#include "postgres.h"

#include "pg/tally/tally.h"

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

#endif
