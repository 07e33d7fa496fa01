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

/* Attributes that a family takes at the most: all, Choquet, 2-additive. */
#define SDC_LEARNED_MAX_COLUMNS 24
#define SDC_LEARNED_MAX_SETS    8
#define SDC_LEARNED_MAX_PAIRS   16
/* Features of the largest family. */
#define SDC_LEARNED_MAX_FEATURES 300

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

/* Sorts few numbers, largest first. */
extern void sdc_learned_form_sort(double *x, int n);

/*
 * What the margin of a distance is multiplied by: the sum of the point, its
 * entry for the set of all attributes, or the sum of its absolute entries.
 */
extern double sdc_learned_form_norm(const SdcLearnedForm *form,
									const double *point);

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

#endif
