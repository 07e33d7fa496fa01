/*
 * alignment.h
 *		Rows by id; two relations read side by side: the records in both.
 */
#ifndef SDC_HOST_ALIGNMENT_H
#define SDC_HOST_ALIGNMENT_H

#include "postgres.h"

#include "host/call/relation.h"
#include "host/data/dictionary.h"
#include "host/data/rows.h"
#include "host/server/host.h"
#include "kernel/base/table.h"
#include "kernel/table/frequency.h"

/* The records of one relation, in the order of their ids. */
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

/*
 * A column of both relations.  As numbers when both hold quantities of one
 * kind (numbers, or dates and timestamps), with NaN for a NULL; otherwise as
 * codes from 0, SDC_CODE_NULL for a NULL, equal codes being equal values.
 */
typedef struct SdcAlignedColumn
{
	SdcRelationColumn original;
	SdcRelationColumn masked;
	bool number;
	bool as_text;         /* of two types, or of one without equality: equal
						   * when their texts are */
	double original_unit; /* what numbers are multiplied by when they are */
	double masked_unit;   /* read: days and microseconds are compared */

	/* set by sdcpg_alignment_load, by record; only the fitting pair */
	double *original_number;
	double *masked_number;
	int32 *original_code;
	int32 *masked_code;
	int32 values; /* different codes in both */
} SdcAlignedColumn;

/* Two relations and the columns that are compared. */
typedef struct SdcAlignment
{
	const SdcRelation *original;
	const SdcRelation *masked;
	SdcRelationColumn original_id;
	SdcRelationColumn masked_id;
	int columns;
	SdcAlignedColumn *column;

	/* set by sdcpg_alignment_load */
	int32 records; /* in both relations, in no particular order */
	int32 original_only;
	int32 masked_only;
} SdcAlignment;

/*
 * Looks the id and the columns of the original up in the masked relation, by
 * their names, and tells how each column is compared.  id may be NULL when the
 * relations are only described, and not to be loaded.
 */
extern void sdcpg_alignment_describe(SdcAlignment *alignment,
									 const SdcRelation *original,
									 const SdcRelation *masked,
									 const SdcRelationColumn *id,
									 const SdcRelationColumns *columns);

/*
 * Reads both relations as the caller and joins them by the text of the id.
 * An id that is NULL or occurs twice, NaN and infinity stop with an error;
 * nothing in common gives a warning.
 */
extern void sdcpg_alignment_load(SdcAlignment *alignment, SdcPgHost *host);

/*
 * The rows of one of the relations: its columns, as numbers or as codes of the
 * dictionaries, and with id its text as the last one.
 */
extern SdcFrame *sdcpg_alignment_read(const SdcAlignment *alignment,
									  SdcPgHost *host, bool masked,
									  bool with_id,
									  SdcDictionary **dictionary);

/* Records of the original times records of the masked relation. */
static inline int64
sdcpg_alignment_pairs(const SdcAlignment *alignment)
{
	return ((int64) alignment->records + alignment->original_only) *
		   ((int64) alignment->records + alignment->masked_only);
}

/* ----------------------------------------------------------------------
 * Rows found by their id.
 * ----------------------------------------------------------------------
 */

/*
 * The numbers of the rows in an order that looks random, depends on the seed
 * and the ids, and not on the order of the rows.  An id that is NULL or occurs
 * twice stops with an error that names relation and column, not the id.
 */
extern int32 *sdcpg_id_order(SdcPgHost *host, char *const *id, int32 rows,
							 uint64 seed, const char *relation,
							 const char *name);

/* Rows of a frame by their id; made by sdcpg_ids_create. */
typedef struct SdcIds
{
	const SdcFrameColumn *column;
	int32 rows;
	SdcTable table; /* of rows */
} SdcIds;

/*
 * A directory of the ids in a text column of a frame.  A NULL or an id that
 * occurs twice stops with an error that names relation and column, not the
 * id.  O(rows); 8 to 16 bytes per row.
 */
extern SdcIds sdcpg_ids_create(const SdcFrame *frame, int column,
							   const char *relation, const char *name);

/* The row with an id, or -1. */
extern int32 sdcpg_ids_find(const SdcIds *ids, const char *id);

/*
 * For every row of a frame with ids in a text column, the row with the same id
 * or -1; returns how many have one.  O(rows).
 */
extern int32 sdcpg_ids_match(const SdcIds *ids, const SdcFrame *frame,
							 int column, int32 *partner);

/*
 * Stops at the ids of a frame, of which the partners were found, where
 * sdcpg_ids_create would.  O(rows); a byte for each of the ids, and 8 to 16
 * for each row without a partner.
 */
extern void sdcpg_ids_need_unique(const SdcIds *ids, const SdcFrame *frame,
								  int column, const int32 *partner,
								  const char *relation, const char *name);

/*
 * The same, in an array of the host; found is how many have one.  Warns when
 * none has, for then no link between the two can be right.
 */
extern int32 *sdcpg_ids_partners(const SdcIds *ids, const SdcFrame *frame,
								 int column, int32 *found);

/* Gives back the memory of the ids, not of the frame. */
extern void sdcpg_ids_release(SdcPgHost *host, SdcIds *ids);

#endif
