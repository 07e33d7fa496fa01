/*
 * learned_rows.h
 *		What a point must satisfy for each record to be re-identified.
 *
 * Record i is re-identified when every other target is farther than its own
 * by a margin: row . point >= 0 for the rows of the record, one for each
 * target that matters, with the margin taken off.
 */
#ifndef SDC_KERNEL_LEARNED_ROWS_H
#define SDC_KERNEL_LEARNED_ROWS_H

#include "kernel/attack/learned_form.h"

/*
 * How much farther, relative to the larger of two squared differences: the
 * record's own largest one, and the largest one to the nearest target by the
 * largest difference.
 */
#define SDC_LEARNED_TOLERANCE 1e-7

/*
 * Records and the targets they are linked to, both as standard scores, row by
 * row; own[i] is the target of record i.
 */
typedef struct SdcLearnedData
{
	int32_t records;
	int32_t targets;
	int columns;
	const double *record;
	const double *target;
	const int32_t *own;
} SdcLearnedData;

/*
 * Rows of the records that are neither safe (re-identified whatever the
 * point) nor dead (never).  Entry c of row r is value[r * features + c], its
 * largest is 1 in magnitude; margin[r] comes off once more for each unit of
 * norm, and is NULL where the values hold it already.
 */
typedef struct SdcLearnedRows
{
	const SdcLearnedForm *form;
	int32_t records;
	int32_t *record; /* which of the data */
	int32_t *start;  /* rows start[k] .. start[k + 1] - 1 are of record[k] */
	int32_t rows;
	int32_t room;
	double *value;
	double *margin;
	int32_t *owner; /* of each row, as a place in record[] */
	int32_t safe;
	int32_t dead;
} SdcLearnedRows;

/* Pairs of record and target that a family without dominance looks at. */
typedef struct SdcLearnedPool
{
	uint8_t *seen; /* bits, record by record */
	size_t stride; /* bytes of a record */
	int32_t pairs;
} SdcLearnedPool;

/* The margin of each record. O(records targets columns). */
extern double *sdc_learned_rows_margins(SdcHost *host,
										const SdcLearnedData *data);

/*
 * All rows of a monotone form that no other row of the record implies: a row
 * is left out when another target is at least as near in every attribute.
 * O(records targets (columns + rows kept per record)).
 */
extern SdcLearnedRows *sdc_learned_rows_build(SdcHost *host,
											  const SdcLearnedForm *form,
											  const SdcLearnedData *data,
											  const double *margin);

/* An empty pool; adding says whether the pair is new. */
extern SdcLearnedPool *sdc_learned_rows_pool(SdcHost *host,
											 const SdcLearnedData *data);
extern bool sdc_learned_rows_add(SdcLearnedPool *pool, int32_t record,
								 int32_t target);

/* The rows of the pairs in the pool; safe and dead are 0. */
extern SdcLearnedRows *sdc_learned_rows_pooled(SdcHost *host,
											   const SdcLearnedForm *form,
											   const SdcLearnedData *data,
											   const double *margin,
											   const SdcLearnedPool *pool);

extern void sdc_learned_rows_release(SdcHost *host, SdcLearnedRows *rows);

/* The features of a record and a target. */
extern void sdc_learned_rows_features(const SdcLearnedForm *form,
									  const SdcLearnedData *data, int32_t i,
									  int32_t j, double *feature);

#endif
