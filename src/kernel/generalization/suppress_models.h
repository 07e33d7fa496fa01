/*
 * suppress_models.h
 *		Classes put together, and the models of their sensitive columns.
 */
#ifndef SDC_KERNEL_SUPPRESS_MODELS_H
#define SDC_KERNEL_SUPPRESS_MODELS_H

#include "kernel/base/host.h"
#include "kernel/risk/class_measures.h"
#include "kernel/table/frequency.h"

/* The values of one sensitive column in the classes that were added. */
typedef struct SdcUnionColumn
{
	const SdcClassRequest *request;
	SdcClassMeasuring *measuring;
	const int32_t *of_cell; /* codes, by cell of the table */
	int32_t values;         /* slot of NULL, see sdc_histogram_slot */
	int64_t *records;       /* by slot */
	int32_t *touched;       /* slots that have records */
	int32_t slots;
} SdcUnionColumn;

/* Classes of a table, put together; begins with none. */
typedef struct SdcUnion
{
	SdcHost *host;
	const SdcClasses *classes;
	const SdcFrequency *frequency;
	int64_t records;
	int64_t steps; /* since it was polled */
	int columns;   /* that a model asks something of */
	SdcUnionColumn *column;
	int32_t *code; /* room for one histogram */
	int64_t *count;
} SdcUnion;

/*
 * models[s] is asked of column keys + s of the table, whose classes are those
 * of its first keys columns.  O(cells) for each column.
 */
extern SdcUnion *sdc_union_new(SdcHost *host, const SdcFrequency *frequency,
							   const SdcClasses *classes, int keys,
							   const SdcClassRequest *models);
extern void sdc_union_release(SdcUnion *joined);

/* Takes all classes out again.  O(values that they have). */
extern void sdc_union_clear(SdcUnion *joined);

/* Puts a class in.  O(its cells). */
extern void sdc_union_add(SdcUnion *joined, int32_t class);

/* Puts that many records of a cell in, by the values of the cell. */
extern void sdc_union_add_records(SdcUnion *joined, int32_t cell,
								  int64_t records);

/*
 * Are the classes that are in it at least k records, and do they satisfy all
 * models as one?  O(v log v), v values, and see class_measures.h.
 */
extern bool sdc_union_passes(SdcUnion *joined, int64_t k);

#endif
