/*
 * attributes.h
 *		The quasi-identifiers and sensitive columns of a relation.
 */
#ifndef SDC_PG_ATTRIBUTES_H
#define SDC_PG_ATTRIBUTES_H

#include "postgres.h"

#include "access/attnum.h"

#include "pg/call/relation.h"

typedef struct SdcAttributes
{
	SdcRelationColumns keys;
	SdcRelationColumns sensitive;
} SdcAttributes;

/*
 * The columns that the arguments keys and sensitive list, or, where one is
 * NULL, those declared for the relation.  Stops when there are none, or when
 * a column is both.
 */
extern SdcAttributes sdcpg_attributes_find(const SdcRelation *relation,
										   ArrayType *keys,
										   ArrayType *sensitive);

/* Stops when a column is among both. */
extern void sdcpg_attributes_disjoint(const SdcRelationColumns *keys,
									  const SdcRelationColumns *sensitive);

/* The names of columns, an array of count. */
extern const char **sdcpg_attributes_names(const SdcRelationColumns *columns);

#endif
