/*
 * recoding_improve.h
 *		Moves tuples between classes as long as that lowers the loss.
 */
#ifndef SDC_KERNEL_RECODING_IMPROVE_H
#define SDC_KERNEL_RECODING_IMPROVE_H

#include "kernel/generalization/recoding_demand.h"
#include "kernel/generalization/recoding_tree.h"

/*
 * Two kinds of steps, each taken only if it lowers the cost of all records:
 * a tuple leaves its class, which must satisfy the demand without it, for
 * another one or for a class of its own; and a class is given up, its tuples
 * go to other classes.  Ends after so many passes over all tuples and classes,
 * or when one changes nothing.  All classes must satisfy the demand, and do so
 * afterwards.  Classes of more than 512 tuples give none away.  A search of
 * the tree and O(members of the class * keys) for each tuple and pass.
 */
extern void sdc_recoding_improve(SdcHost *host, SdcRecodingClasses *classes,
								 SdcRecodingTree *tree,
								 SdcRecodingDemand *demand, int passes);

#endif
