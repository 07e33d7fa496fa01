/*
 * query.h
 *		The SQL that sdc reads with: nothing in it depends on search_path.
 */
#ifndef SDC_HOST_QUERY_H
#define SDC_HOST_QUERY_H

#include "postgres.h"

#include "lib/stringinfo.h"

#include "host/call/relation.h"

/*
 * A column of the alias r as another type of PostgreSQL, "text", "numeric",
 * ...: as CAST does it for types of PostgreSQL itself.  A type that a user has
 * made may have casts that are functions of his, which would run with the
 * rights of the caller: such a value goes through its output function, and
 * then from text.
 */
extern char *sdcpg_query_cast(const SdcRelationColumn *column,
							  const char *type);

/*
 * A column of the alias r as a text that rows are drawn, keyed or found by:
 * times are written as in ISO 8601, and moments in UTC, whatever the session
 * has set.  For floats see sdcpg_print_alike.
 */
extern char *sdcpg_query_text(const SdcRelationColumn *column);

/* sdcpg_query_cast of any expression with a value of that base type. */
extern char *sdcpg_query_cast_from(Oid base, const char *sql,
								   const char *type);

/*
 * Stops when a cast to the base type of a column would run a function that is
 * not written in C, as only a superuser's is: before values are made into ones
 * of the column.
 */
extern void sdcpg_query_need_casts(const SdcRelation *relation,
								   const SdcRelationColumn *column);

/*
 * Appends "ORDER BY ...": rows of the relation, with the alias r, in the order
 * of the id, then of its text byte by byte.
 */
extern void sdcpg_query_order(StringInfo sql, const SdcRelationColumn *id);

/*
 * One row per record: the id as text, then the columns as they are, in the
 * order of the id, then of its text byte by byte.  Without an id it is NULL,
 * and the order is none.
 */
extern char *sdcpg_query_records(const SdcRelation *relation,
								 const SdcRelationColumn *id,
								 const SdcRelationColumns *columns);

/*
 * One row per class size that occurs, ascending: the size, and the number of
 * classes of that size; sample is "" or a TABLESAMPLE.  A class is the rows
 * that agree in all columns, NULLs being one more value.
 */
extern char *sdcpg_query_class_sizes(const SdcRelation *relation,
									 const char *sample,
									 const SdcRelationColumns *columns);

/*
 * One row per combination of values: the columns, then how many rows have
 * them; NULL is one more value.
 */
extern char *sdcpg_query_groups(const SdcRelation *relation,
								const SdcRelationColumn *column, int columns);

/*
 * One row per record, in any order: the columns, then, unless NULL, the
 * weight as it is, the id as text and the household as it is.
 */
extern char *sdcpg_query_rows(const SdcRelation *relation,
							  const SdcRelationColumn *column, int columns,
							  const SdcRelationColumn *weight,
							  const SdcRelationColumn *id,
							  const SdcRelationColumn *household);

#endif
