/*
 * mask_type.h
 *		Values of columns as numbers or text, and back, as SQL.
 *
 * Only casts between types of PostgreSQL itself are written, so no cast that
 * the owner of a type made is ever called.
 */
#ifndef SDC_PG_MASK_TYPE_H
#define SDC_PG_MASK_TYPE_H

#include "postgres.h"

#include "pg/mask/mask_plan.h"

/* What a method can do with the type of a column. */
typedef enum SdcMaskTypeClass
{
	SDC_MASK_NUMBERS = 1, /* integers, floats, numeric */
	SDC_MASK_TIMES = 2,   /* date, timestamps */
	SDC_MASK_TEXTS = 4,   /* text, varchar, char */
	SDC_MASK_WORDS = 8,   /* what else goes to text and back: bool, uuid */
	SDC_MASK_ADDRESSES = 16
} SdcMaskTypeClass;

/* Stops unless the type of a column is of one of the classes. */
extern void sdcpg_mask_type_need(const SdcMaskPlan *plan, const SdcRule *rule,
								 const SdcRelationColumn *column, int classes);

/* r.column as float8. */
extern char *sdcpg_mask_type_number(const SdcRelationColumn *column);

/* r.column as text. */
extern char *sdcpg_mask_type_text(const SdcRelationColumn *column);

/* A float8 as a value of the type of the column. */
extern char *sdcpg_mask_type_from_number(const SdcMaskPlan *plan,
										 const SdcRelationColumn *column,
										 const char *sql);

/* A text as a value of the type of the column; too long is an error. */
extern char *sdcpg_mask_type_from_text(const SdcMaskPlan *plan,
									   const SdcRelationColumn *column,
									   const char *sql);

/*
 * A value of the base type of the column as one of the column: with its
 * length and, in place, its domain.
 */
extern char *sdcpg_mask_type_cast(const SdcMaskPlan *plan,
								  const SdcRelationColumn *column,
								  const char *sql);

#endif
