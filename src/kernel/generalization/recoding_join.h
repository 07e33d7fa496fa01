/*
 * recoding_join.h
 *		Joins classes until all satisfy what is demanded.
 */
#ifndef SDC_KERNEL_RECODING_JOIN_H
#define SDC_KERNEL_RECODING_JOIN_H

#include "kernel/generalization/recoding_demand.h"
#include "kernel/generalization/recoding_tree.h"

/*
 * Of all pairs of a class that does not satisfy the demand and another class
 * joins the one that raises the loss least, again and again.  The result is
 * false when all tuples together do not satisfy it.  O(log n) searches of the
 * tree a class at best.
 */
extern bool sdc_recoding_join(SdcHost *host, SdcRecodingClasses *classes,
							  SdcRecodingTree *tree,
							  SdcRecodingDemand *demand);

#endif
