/*
 * target.h
 *		The argument "target": a new table that a query fills, and the rows of
 *		sdc.mask_step that say so.
 *
 * What sdc writes it writes as the caller, in the caller's transaction and
 * with one statement, CREATE TABLE AS.  So rights, the schema's owner and the
 * rules of PostgreSQL are those of a CREATE TABLE AS the caller would type.
 */
#ifndef SDC_HOST_TARGET_H
#define SDC_HOST_TARGET_H

#include "postgres.h"

#include <math.h>

#include "access/tupdesc.h"
#include "lib/stringinfo.h"
#include "nodes/execnodes.h"
#include "nodes/pg_list.h"

#include "host/call/catalog.h"
#include "host/call/relation.h"
#include "host/server/host.h"

/* A table that is to be made; found by sdcpg_target_find. */
typedef struct SdcTarget
{
	Oid schema;
	char *name;
	char *sql; /* with its schema, as in SQL */

	/* set by sdcpg_target_create */
	int64 rows;
	double seconds; /* that writing took */
} SdcTarget;

/*
 * Reads a name as SQL would (schema.table, "Quoted".names, a bare name in the
 * first schema of search_path) and stops unless the caller may create a table
 * of that name and nothing has it yet.  To be called before any work is done.
 */
extern SdcTarget *sdcpg_target_find(const text *name);

/*
 * Stops when row-level security hides rows of the relation from the caller,
 * for a table made of what is left would be taken for the whole; allowed says
 * that the caller asked for just that.
 */
extern void sdcpg_target_need_all_rows(const SdcRelation *relation,
									   bool allowed);

/*
 * Appends a column of the relation, with the alias r, as it stands in a query
 * that makes a target: r.name; or, unless condition is NULL, NULL where the
 * condition holds.  Such a column keeps its type with its length and
 * collation, but a domain becomes the type below it: it may forbid NULL.
 */
extern void sdcpg_target_column(StringInfo sql, const SdcRelation *relation,
								const SdcRelationColumn *column,
								const char *condition);

/*
 * A SELECT with the columns and the rows of another one, as they are fit to be
 * published: in random order, for the place of a row would link it to the row
 * of the original; and where values of a column in the list keys (char *) are
 * equal but print differently (1.0 and 1.00, -0 and 0, names that a collation
 * takes for equal), with one of them for all, the first in the order of their
 * bytes: who counts records of equal keys counts what a reader can tell apart.
 * A key of a domain becomes the type below it.  Of columns that share a name
 * the first is meant.  shuffled: its rows come in a random order already.
 */
extern char *sdcpg_target_shape(const char *select,
								const SdcCatalogParameters *parameters,
								List *keys, bool shuffled);

/*
 * What makes rows cheap to sort.  Comparing column by column costs most where
 * the first ones differ seldom: then a hash of the columns comes first.
 */
typedef struct SdcSortHint
{
	const char *first; /* a number that nearly tells rows apart, or NULL */
	List *plain;       /* names of columns whose SQL costs nothing */
	List *enough;      /* of some of them that no two rows share; NIL: none */
} SdcSortHint;

/*
 * The same without a volatile function: rows come in an order that what is
 * published of them makes, which tells as little.  hint may be NULL.
 */
extern char *sdcpg_target_shape_sorted(const char *select,
									   const SdcCatalogParameters *parameters,
									   List *keys, const SdcSortHint *hint);

/*
 * The same for rows of a table that stays: a key keeps its domain, and the
 * rows keep their order unless told otherwise.
 */
extern char *
sdcpg_target_shape_in_place(const char *select,
							const SdcCatalogParameters *parameters, List *keys,
							bool random_order);

/* What makes one form of the equal values of a key. */
typedef enum SdcKeyForm
{
	SDC_KEY_AS_IT_IS,  /* equal values print alike */
	SDC_KEY_PLUS_ZERO, /* a float: adding 0 takes the sign off -0 */
	SDC_KEY_FIRST      /* the first of them in the order of their bytes */
} SdcKeyForm;

/* The form of the n-th column, from 0, of a SELECT; keys as above. */
extern SdcKeyForm sdcpg_target_key_form(TupleDesc descriptor, int n,
										List *keys);

/* Is the table of that name to be a temporary one? */
extern bool sdcpg_target_is_temporary(const text *name);

/* The names (char *) of columns. */
extern List *sdcpg_target_keys(const SdcRelationColumns *columns);

/*
 * Creates the table from a SELECT, as sdcpg_target_shape makes it, and returns
 * the number of its rows.  The query sees the rows that the queries of the
 * same call have read, whatever other sessions commit meanwhile.  Every name
 * in it must be qualified; values are parameters, or parameters is NULL.
 * Stops if the name is taken by now.
 */
extern uint64 sdcpg_target_create(SdcPgHost *host, SdcTarget *target,
								  const char *select,
								  const SdcCatalogParameters *parameters,
								  List *keys);

/* Creates the table with the columns of a SELECT and without rows. */
extern void sdcpg_target_create_empty(SdcPgHost *host, const SdcTarget *target,
									  const char *select,
									  const SdcCatalogParameters *parameters);

/*
 * Has a new table lie in shards by a column: beside those of the table with,
 * or, where that is "none", in so many of its own.
 */
extern void sdcpg_target_spread(const SdcTarget *target, const char *column,
								const char *with, int64 shards);

/*
 * Creates the table and fills it, as it would be spread; here if column is
 * NULL.  Over Citus no row comes here that its servers can send each other.
 */
extern void sdcpg_target_fill(SdcPgHost *host, SdcTarget *target,
							  const char *select,
							  const SdcCatalogParameters *parameters,
							  const char *column, const char *with,
							  int64 shards);

/*
 * The table that was created, as a relation to read: from here until
 * sdcpg_target_close queries see it and what is in it.
 */
extern SdcRelation *sdcpg_target_open(const SdcTarget *target);

/* Ends that: queries see again what they saw before sdcpg_target_open. */
extern void sdcpg_target_close(void);

/* ----------------------------------------------------------------------
 * Rows of sdc.mask_step: what a function that writes a table has done.
 *
 * Whatever writes a table returns these rows, in this order: "mask" for each
 * column whose values are not as they were, "kept" and "dropped" for the
 * others, "write" for each table, "measure" for each figure.
 * ----------------------------------------------------------------------
 */

/* A row; -1, NULL or NaN leaves a column open.  Texts may be freed after. */
typedef struct SdcStep
{
	const char *step;
	const char *subject;
	const char *method;
	int64 rows;
	int64 changed;
	double seconds;
	const char *detail;
	const char *sql;
	const char *measure;
	double value;
} SdcStep;

/* A step with nothing but its name. */
#define SDC_STEP(name)                                            \
	{                                                             \
		.step = (name), .rows = -1, .changed = -1, .seconds = -1, \
		.value = NAN                                              \
	}

/* Adds a row of sdc.mask_step to the result; what is not known is NULL. */
extern void sdcpg_step_put(ReturnSetInfo *result, const SdcStep *step);

/*
 * A column, in so many rows, whose values a method has changed in so many of
 * them, -1 for not counted; detail may be NULL.
 */
extern void sdcpg_step_masked(ReturnSetInfo *result, const char *column,
							  const char *method, int64 rows, int64 changed,
							  const char *detail);

/* A table that sdcpg_target_create has made. */
extern void sdcpg_step_written(ReturnSetInfo *result, const SdcTarget *target);

/* A figure, with a sentence made from format; NaN is shown as NULL. */
extern void sdcpg_step_measure(ReturnSetInfo *result, const char *measure,
							   const char *subject, double value,
							   const char *format, ...)
	pg_attribute_printf(5, 6);

#endif
