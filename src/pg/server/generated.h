/*
 * generated.h
 *		Generated columns, which give away what they are made from.
 */
#ifndef SDC_PG_GENERATED_H
#define SDC_PG_GENERATED_H

#include "postgres.h"

#include "pg/call/relation.h"

/*
 * Bit j is set when the column is generated from column j of the list; 0 for
 * a column that is not generated.  At most 64 columns.
 */
extern uint64 sdcpg_generated_from(const SdcRelation *relation,
								   const SdcRelationColumn *column,
								   const SdcRelationColumns *columns);

#endif
