/*
 * loss.h
 *		Records that lose values, as parameters and as a query.
 */
#ifndef SDC_TOPIC_LOSS_H
#define SDC_TOPIC_LOSS_H

#include "postgres.h"

#include "host/call/catalog.h"
#include "host/call/relation.h"
#include "host/server/host.h"

/* Which of a list of columns a record loses: bit j of the mask is column j. */
typedef struct SdcLosses
{
	SdcPgHost *host;
	int32 count;
	Datum *id;   /* text */
	Datum *mask; /* bigint */
} SdcLosses;

/* An empty list with room for that many records, in memory of the host. */
extern SdcLosses sdcpg_losses_new(SdcPgHost *host, int64 records);

/* Adds a record by the text of its id. */
extern void sdcpg_losses_add(SdcLosses *losses, const char *id, uint64 mask);

/* The list as the next two parameters of a statement. */
extern void sdcpg_losses_bind(const SdcLosses *losses,
							  SdcCatalogParameters *parameters);

/*
 * A SELECT of all columns of the relation, for sdcpg_target_create, in which
 * each record lacks what the list, as parameters $1 and $2, says it loses.  A
 * column that is generated from some of the columns is NULL where any of these
 * is lost.
 */
extern char *sdcpg_losses_select(const SdcRelation *relation,
								 const SdcRelationColumn *id,
								 const SdcRelationColumns *columns);

#endif
