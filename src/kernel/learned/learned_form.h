/*
 * learned_form.h
 *		Families of distances that are linear in their parameters.
 *
 * Every family that learned_distance searches writes the distance of two
 * records as features . parameters, with features that the differences give.
 * The search needs to know no more of a family than this header says.
 */
#ifndef SDC_KERNEL_LEARNED_FORM_H
#define SDC_KERNEL_LEARNED_FORM_H

#include "kernel/base/host.h"
#include "kernel/linear/square.h"

/* Parametric distances; what each of them is stands at SdcDistanceForm. */
typedef enum SdcDistanceKind
{
	SDC_DISTANCE_WM,
	SDC_DISTANCE_OWA,
	SDC_DISTANCE_CHOQUET,
	SDC_DISTANCE_CHOQUET2,
	SDC_DISTANCE_BILINEAR
} SdcDistanceKind;

/* Columns up to which a capacity of all sets is accepted: 2^16 numbers. */
#define SDC_DISTANCE_CHOQUET_COLUMNS 16

/*
 * A combination of n = columns differences d[0 .. n - 1], which are signed
 * differences of standard scores; x[j] = d[j]^2.  parameter[] holds:
 *
 * WM		n weights p: sum of p[j] x[j].  p >= 0, sum 1.
 * OWA		n weights p: sum of p[k] times the k-th largest x.  p >= 0, sum 1.
 * CHOQUET	2^n numbers, a capacity by sets of columns: bit j of the index
 *			tells that column j is in the set.  With x in ascending order,
 *			sum of (x_(k) - x_(k-1)) parameter[{(k), .., (n)}], x_(0) = 0.
 *			0 for the empty set, 1 for all columns, monotone.
 *			n <= SDC_DISTANCE_CHOQUET_COLUMNS.
 * CHOQUET2	n * n numbers, the Moebius form of a 2-additive capacity, a
 *			symmetric matrix m: sum of m[j, j] x[j], plus, over j < k, of
 *			m[j, k] min(x[j], x[k]).  The diagonal and what is above it add
 *			up to 1; monotone: m[j, j] plus the negative m[j, k] is >= 0.
 * BILINEAR	n * n numbers, a symmetric matrix m: sum of m[j, k] d[j] d[k].
 *			Nothing else is asked; it may be negative.
 */
typedef struct SdcDistanceForm
{
	SdcDistanceKind kind;
	int columns;
	double *parameter;
} SdcDistanceForm;

/* The number of parameters; 0 if the kind does not take so many columns. */
extern size_t sdc_distance_form_parameters(SdcDistanceKind kind, int columns);

/*
 * The squared distance of signed differences, columns of them, all finite.
 * The same operations in the same order whoever calls.  O(columns), OWA and
 * CHOQUET O(columns^2) at worst, CHOQUET2 and BILINEAR O(columns^2).
 * V. Torra 2016, "On machine learning for data privacy", slides 26-37.
 */
extern double sdc_distance_form_value(const SdcDistanceForm *form,
									  const double *difference);

/*
 * Says what is wrong with the parameters, as the end of a sentence ("a weight
 * is negative"), or NULL.  O(parameters columns).
 */
extern const char *sdc_distance_form_flaw(const SdcDistanceForm *form);

/*
 * Does a larger squared difference never make the value smaller?  Exactly,
 * without slack; false for every BILINEAR.  O(parameters columns).
 */
extern bool sdc_distance_form_is_monotone(const SdcDistanceForm *form);

/*
 * Attributes that a family takes at the most; those of Choquet take fewer, see
 * sdc_learned_form_most.
 */
#define SDC_LEARNED_MAX_COLUMNS SDC_HALF_COLUMNS

/* Features of the largest family. */
#define SDC_LEARNED_MAX_FEATURES 300

/* The families that can be learned. */
typedef enum SdcLearnedMethod
{
	SDC_LEARNED_WM,          /* weights >= 0 that add up to 1 */
	SDC_LEARNED_WM_M,        /* weights > 0, so that it is a metric */
	SDC_LEARNED_OWA,         /* weights of the sorted differences */
	SDC_LEARNED_CHOQUET,     /* monotone measure of sets of attributes */
	SDC_LEARNED_CHOQUET_M,   /* ... that is submodular, too */
	SDC_LEARNED_CHOQUET2,    /* ... that is 2-additive */
	SDC_LEARNED_BILINEAR,    /* symmetric matrix */
	SDC_LEARNED_BILINEAR_NC, /* ... whose entries are not negative */
	SDC_LEARNED_BILINEAR_PD  /* ... that is positive definite */
} SdcLearnedMethod;

/*
 * A family for a number of attributes.  Points are what is searched: vectors
 * of that many features, scaled to norm 1 (sdc_learned_form_norm).
 */
typedef struct SdcLearnedForm
{
	SdcLearnedMethod method;
	int columns;
	int features;
	int coordinates; /* features, or twice that many where is_signed */
	bool is_signed;  /* may a point have negative entries? */
	bool monotone;   /* does no distance fall when a difference grows? */
	int unit;        /* the entry that is the norm, or -1: their sum is */
	int fixed_rows;  /* rows h with h . point >= 0, besides point >= 0 */
	double *fixed;   /* fixed[k * features + c], largest entry 1 */
	double *inner;   /* a point with h . inner > 0 for each; NULL: none */
} SdcLearnedForm;

/* Attributes that a method takes at the most. */
extern int sdc_learned_form_most(SdcLearnedMethod method);

/* The family; columns is 1 .. sdc_learned_form_most(method). */
extern SdcLearnedForm *
sdc_learned_form_create(SdcHost *host, SdcLearnedMethod method, int columns);

/*
 * The features of a pair from its signed differences of standard scores.
 * Choquet: feature of set A (as bits, less 1) is what the sorted squared
 * differences gain at A.  Bilinear: products, doubled off the diagonal.
 */
extern void sdc_learned_form_features(const SdcLearnedForm *form,
									  const double *difference,
									  double *feature);

/* Divides a point by its norm; false when that is not positive. */
extern bool sdc_learned_form_scale(const SdcLearnedForm *form, double *point);

/*
 * Makes a point that is feasible but for rounding feasible: entries that must
 * not be negative are cut at 0 and the rest is mixed with the inner point.
 * False when it cannot be scaled.
 */
extern bool sdc_learned_form_repair(const SdcLearnedForm *form, double *point);

/* The point of the weighted mean with those weights, which add up to 1. */
extern void sdc_learned_form_weighted(const SdcLearnedForm *form,
									  const double *weight, double *point);

/* Numbers that describe a point to the user, see below. */
extern int sdc_learned_form_parameters(const SdcLearnedForm *form);

/*
 * WM, OWA: the weights.  Choquet: the measure of every set of attributes, at
 * place (bits of the set) - 1; 2-additive: its Moebius form, as half a
 * matrix.  Bilinear: half the matrix.  A half goes row by row, from the
 * diagonal on.
 */
extern void sdc_learned_form_describe(const SdcLearnedForm *form,
									  const double *point, double *parameter);

/*
 * Records and the targets they are linked to, both as standard scores, row by
 * row; own[i] is the target of record i.  A row has columns scores and then
 * kinds coordinates: the square of the difference in coordinate k is added to
 * that in column owner[k], and to no product of two columns.
 */
typedef struct SdcLearnedData
{
	int32_t records;
	int32_t targets;
	int columns;
	const double *record;
	const double *target;
	const int32_t *own;
	int kinds;
	const int *owner; /* NULL without kinds */
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

/* An empty pool; records * targets / 8 bytes. */
extern SdcLearnedPool *sdc_learned_rows_pool(SdcHost *host,
											 const SdcLearnedData *data);

/* Adds a pair; says whether it is new.  O(1). */
extern bool sdc_learned_rows_add(SdcLearnedPool *pool, int32_t record,
								 int32_t target);

/* The rows of the pairs in the pool; safe and dead are 0. */
extern SdcLearnedRows *sdc_learned_rows_pooled(SdcHost *host,
											   const SdcLearnedForm *form,
											   const SdcLearnedData *data,
											   const double *margin,
											   const SdcLearnedPool *pool);

/* Gives back the rows. */
extern void sdc_learned_rows_release(SdcHost *host, SdcLearnedRows *rows);

/* The features of a record and a target. */
extern void sdc_learned_rows_features(const SdcLearnedForm *form,
									  const SdcLearnedData *data, int32_t i,
									  int32_t j, double *feature);

#endif
