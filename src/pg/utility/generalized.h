/*
 * generalized.h
 *		What the values of a masked column stand for.
 */
#ifndef SDC_PG_GENERALIZED_H
#define SDC_PG_GENERALIZED_H

#include "postgres.h"

#include "utils/jsonb.h"

#include "pg/utility/contrast.h"

/* One value of a masked column. */
typedef struct SdcGeneralizedValue
{
	double ncp;     /* share of the domain, 0 of a single value */
	double loss;    /* the same, with a single value's own share */
	double members; /* values of the domain that it stands for */
	double records; /* original records that have one of these values */
	double level;   /* of the hierarchy */
} SdcGeneralizedValue;

typedef struct SdcGeneralized
{
	const char *unknown; /* why nothing is known of the column; or NULL */
	const char *how;     /* what was taken for the domain */
	int height;          /* of the hierarchy; 0 without one */
	double originals;    /* sum of c log2 c over the original values */
	SdcGeneralizedValue *value; /* by code; NULL of plain numbers */
	SdcGeneralizedValue missing;
	/* plain numbers: the originals in order */
	double *sorted;
	size_t count;
	SdcGeneralizedValue single;
} SdcGeneralized;

/*
 * Finds out what each value of column j of the masked relation stands for: by
 * the hierarchy named, or by its range, or because the original has it, too.
 * hierarchy may be NULL.
 */
extern void sdcpg_generalized_find(const SdcContrast *comparison, int j,
								   const char *hierarchy,
								   SdcGeneralized *generalized);

/* The value of a masked row. */
extern SdcGeneralizedValue
sdcpg_generalized_value(const SdcContrast *comparison, int j,
						const SdcGeneralized *generalized, int32 row);

#endif
