/*
 * tally_io.h
 *		States of aggregates as text and in binary form.
 *
 * Both forms name types and collations by schema and name, and write values
 * as their type does, so that they mean the same on another server.
 */
#ifndef SDC_PG_TALLY_IO_H
#define SDC_PG_TALLY_IO_H

#include "postgres.h"

#include "lib/stringinfo.h"

#include "pg/tally/tally.h"

/*
 * The text form is a JSON object: keys (how many of the columns are), columns
 * (schema and name of each type and of its collation or null), numbers and
 * lists (the constant arguments) and cells (the count, then the values as
 * strings or null).  What is not one stops with an error.
 */
extern Datum sdcpg_tally_parse(char *string);
extern char *sdcpg_tally_print(const SdcTally *tally);

/* The binary form; reading stops at anything that is not one. */
extern Datum sdcpg_tally_receive(StringInfo message);
extern bytea *sdcpg_tally_send(const SdcTally *tally);

#endif
