/*
 * composition.h
 *		Several releases of the same people, intersected.
 */
#ifndef SDC_PG_COMPOSITION_H
#define SDC_PG_COMPOSITION_H

#include "postgres.h"

#include "utils/array.h"
#include "utils/jsonb.h"

#include "kernel/attack/class_items.h"
#include "pg/disclosure/coded_file.h"

/* Releases at the most. */
#define SDC_MAX_RELEASES 64

/* What is intersected. */
typedef enum SdcCompositionBy
{
	SDC_COMPOSITION_VALUES, /* the sensitive values of the classes */
	SDC_COMPOSITION_RECORDS /* the people in the classes */
} SdcCompositionBy;

/* One release: the row of each person, the class of each row, its items. */
typedef struct SdcRelease
{
	SdcCodedFile file;
	int32 *row_of; /* by id; -1: he is not in it */
	int32 *class_of;
	int32 *item; /* of each row: his value, or himself */
	SdcClassItems items;
} SdcRelease;

typedef struct SdcComposition
{
	SdcPgHost *host;
	SdcCompositionBy by;
	int releases;
	SdcRelease *release;
	SdcDictionary *ids;
	const int32 *rank; /* of the codes of ids */
	int32 people;
	int columns; /* sensitive ones */
	SdcDictionary **sensitive;
	const int32 **sensitive_rank;
	int32 values;  /* different combinations of sensitive values */
	int32 **value; /* value[j][v]: code of column j in combination v */
	SdcItemSet set;
} SdcComposition;

/*
 * Reads all releases as the caller.  Keys and sensitive columns have the same
 * names in each; keys may be generalized differently.  An id that occurs twice
 * in a release stops with an error.
 */
extern void sdcpg_composition_load(SdcComposition *composition,
								   SdcPgHost *host, SdcCompositionBy by,
								   ArrayType *releases, const char *id,
								   ArrayType *keys, ArrayType *sensitive);

/*
 * What all releases that a person is in leave of his values or records, in
 * set.  own is what he has himself, or -1 when it is not the same in all.
 * Returns the number of these releases.  O(size of his classes).
 */
extern int sdcpg_composition_intersect(SdcComposition *composition,
									   int32 person, int32 *own);

/* The text of a value or record. */
extern const char *sdcpg_composition_name(void *composition, int32 item);

#endif
