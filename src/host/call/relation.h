/*
 * relation.h
 *		Relations and columns as arguments: found, checked, quoted.
 */
#ifndef SDC_HOST_RELATION_H
#define SDC_HOST_RELATION_H

#include "postgres.h"

#include "access/attnum.h"
#include "nodes/pg_list.h"
#include "utils/array.h"

/* A column of a relation; sql is its name as an SQL identifier. */
typedef struct SdcRelationColumn
{
	AttrNumber number;
	Oid type;
	Oid base; /* the type below any domains */
	char *name;
	char *sql;
} SdcRelationColumn;

/* A relation that can be read; sql is its name with schema, as in SQL. */
typedef struct SdcRelation
{
	Oid oid;
	char *name;
	char *sql;
	/* does row-level security hide rows from the caller? */
	bool row_security;
} SdcRelation;

/* Some columns of one relation, in the order given. */
typedef struct SdcRelationColumns
{
	int count;
	SdcRelationColumn *column;
} SdcRelationColumns;

/*
 * Looks a relation up and locks it against changes of its columns until the
 * end of the transaction.  Tables, partitioned and foreign tables, views and
 * materialized views can be read; anything else stops with an error.  Rights
 * are not looked at: queries run as the caller and check them.  But a
 * superuser is stopped where a query would run code of somebody who is none,
 * in a view, an index, a constraint or a statistics object, or would ask
 * another server as somebody who is none says, unless sdc.allow_views is on.
 */
extern SdcRelation *sdcpg_relation_find(Oid oid);

/* The same of one whose name, quoted and qualified as in SQL, params hold. */
extern SdcRelation *sdcpg_relation_named(const char *name);

/*
 * The oid of the relation of such a name, whatever the caller may do to it;
 * stops when there is none.
 */
extern Oid sdcpg_relation_oid(const char *name);

/* Stops when there is no relation of such a name: SdcKey.need of some keys. */
extern void sdcpg_relation_need(const char *name);

/*
 * The same for a relation that is only named, or read with the rights of its
 * owner: the code of its indexes, constraints and statistics is not looked at.
 */
extern SdcRelation *sdcpg_relation_look_up(Oid oid);

/*
 * Says how messages are to call a table that sdc makes for itself: the name of
 * an SdcRelation of it is shown.  The last few of such tables are known.
 */
extern void sdcpg_relation_hide(const char *name, const char *shown);

/*
 * A text with what is shown in place of the names of such tables: a copy, or
 * the text itself where there are none; NULL for NULL.
 */
extern char *sdcpg_relation_conceal(char *text);

/*
 * Finds a column by name; unknown, dropped and system columns stop with an
 * error.
 */
extern SdcRelationColumn sdcpg_relation_column(const SdcRelation *relation,
											   const char *name);

/*
 * Finds the columns that a name[] argument lists.  An empty list, a NULL in
 * it or a name given twice stops with an error that names the argument.
 */
extern SdcRelationColumns sdcpg_relation_columns(const SdcRelation *relation,
												 const char *argument,
												 ArrayType *names);

/* All columns of a relation, in its own order. */
extern SdcRelationColumns
sdcpg_relation_all_columns(const SdcRelation *relation);

/* The place of an attribute among columns; -1 for none. */
extern int sdcpg_relation_place(const SdcRelationColumns *columns,
								AttrNumber number);

/* Is an attribute one of the columns? */
static inline bool
sdcpg_relation_lists(const SdcRelationColumns *columns, AttrNumber number)
{
	return sdcpg_relation_place(columns, number) >= 0;
}

/* The names of columns, quoted where needed: "age, sex, zip". */
extern char *sdcpg_relation_list(const SdcRelationColumns *columns);

/* Stops unless all columns turn into numbers (sdcpg_number). */
extern void sdcpg_relation_need_numbers(const SdcRelation *relation,
										const SdcRelationColumns *columns);

/* Stops unless equal values of all columns can be told (not point, json). */
extern void sdcpg_relation_need_equality(const SdcRelation *relation,
										 const SdcRelationColumns *columns);

/*
 * Where a column is, whatever its name, as "system.database.relation.number",
 * of a view with ":" and a number for what it is made of: a restored database
 * has other places.
 */
extern char *sdcpg_relation_column_place(Oid oid, AttrNumber number);

/*
 * Is a column (0: none) in another place of the same relation than a known
 * one, so that it has no more than its name?  NULL, and places elsewhere, as
 * of a restored database, tell nothing.
 */
extern bool sdcpg_relation_column_moved(const char *known, Oid oid,
										AttrNumber number);

/*
 * The relations (oids) that a relation is a partition or a child of, at any
 * height, the nearest first.
 */
extern List *sdcpg_relation_above(Oid oid);

/*
 * The relations (oids) that may have records of a relation, by their oids: it,
 * those above it, and its parts.
 */
extern List *sdcpg_relation_kin(Oid oid);

/* The parts that a relation has, and theirs (oids), in order. */
extern List *sdcpg_relation_parts(Oid oid);

/* The owner of a relation that the caller has found, and locked. */
extern Oid sdcpg_relation_owner(Oid oid);

/* The type of a column as it is declared, as SQL, with its length. */
extern char *sdcpg_relation_type(const SdcRelation *relation,
								 const SdcRelationColumn *column);

/* The same below any domains. */
extern char *sdcpg_relation_base_type(const SdcRelation *relation,
									  const SdcRelationColumn *column);

/* n of a column of type varchar(n) or char(n), or a domain over it; else 0. */
extern int sdcpg_relation_characters(const SdcRelation *relation,
									 const SdcRelationColumn *column);

/* Does SQL tell values apart?  Not those of point, json and xml. */
extern bool sdcpg_type_has_equality(Oid base);

/* Can equal values be counted?  Points, too: by their bytes. */
extern bool sdcpg_type_is_counted(Oid base);

/*
 * Does the type turn into a double?  Numbers, boolean, date and timestamps do
 * (0 and 1; days, microseconds since 2000-01-01).  Takes a base type, not a
 * domain.
 */
extern bool sdcpg_number_is(Oid base);

/* The same without booleans, dates and timestamps. */
extern bool sdcpg_number_is_arithmetic(Oid base);

/* Is the type a date or a timestamp, with or without time zone? */
extern bool sdcpg_time_is(Oid base);

#endif
