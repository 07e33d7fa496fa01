/*
 * sequence.h
 *		Records in the order of their id, with their sensitive values as one.
 */
#ifndef SDC_PG_SEQUENCE_H
#define SDC_PG_SEQUENCE_H

#include "postgres.h"

#include "kernel/table/frequency.h"
#include "pg/data/frame.h"
#include "pg/call/relation.h"

typedef struct SdcSequence
{
	int32 rows;
	SdcFrameColumn *id; /* its texts; sdcpg_frame_text */
	/* of each record, the combination of its sensitive values: a cell */
	int32 *value;
	SdcFrequency *values;
	SdcDictionary **dictionary; /* of each sensitive column, sorted */
	int32 *group;               /* a number of its group, or NULL */
} SdcSequence;

/*
 * Reads all records of a relation, with the rights of the caller, in the order
 * of sdcpg_query_order.  NULL is one more sensitive value.  Unless group is
 * NULL its column tells groups apart; a NULL there stops with an error, as do
 * ids that are NULL or not unique.
 */
extern SdcSequence *sdcpg_sequence_load(SdcPgHost *host,
										const SdcRelation *relation,
										const SdcRelationColumn *id,
										const SdcRelationColumns *sensitive,
										const SdcRelationColumn *group);

/* 64 bits that depend on the values and their order. */
extern uint64 sdcpg_sequence_digest(const SdcSequence *sequence);

#endif
