/*
 * generalization.h
 *		A generalized table: which of its classes fail the models.
 *
 * What was written is judged as it is, whatever made it: the search for the
 * node (lattice.h) has ways of its own, so that one checks the other.
 */
#ifndef SDC_KERNEL_GENERALIZATION_H
#define SDC_KERNEL_GENERALIZATION_H

#include "kernel/base/host.h"
#include "kernel/risk/class_measures.h"
#include "kernel/table/frequency.h"

/* Measures of privacy that a class is held against. */
typedef struct SdcGeneralizationModels
{
	int64_t k;                      /* classes of fewer records fail */
	int sensitive;                  /* sensitive columns, may be 0 */
	const SdcClassRequest *request; /* request[s]: what is wanted of each */
	/*
	 * reference[s]: a table whose only column is this one, with the same codes
	 * and at least as many of each; what classes are compared with.
	 */
	const SdcFrequency *const *reference;
} SdcGeneralizationModels;

/* The classes of the first keys columns of a frequency table, judged. */
typedef struct SdcGeneralizationClasses
{
	bool *failing; /* by class */
	int32_t failing_classes;
	int64_t failing_records;
	int64_t smallest; /* records of the smallest class that does not fail */
	/*
	 * worst[s * SDC_CLASS_MEASURES + measure] of the classes that do not fail;
	 * NAN when it is not wanted or all of them fail.
	 */
	double *worst;
} SdcGeneralizationClasses;

/*
 * Judges the classes of a table whose columns are the keys and then the
 * sensitive ones of models, in this order; classes are those of its keys.  The
 * class with the number exempt, unless it is negative, never fails, and no
 * figure is taken of it: that of records that were suppressed.  O(cells *
 * sensitive), and see class_measures.h.
 */
extern SdcGeneralizationClasses *
sdc_generalization_judge(SdcHost *host, const SdcFrequency *frequency,
						 const SdcClasses *classes, int32_t exempt,
						 const SdcGeneralizationModels *models);

#endif
