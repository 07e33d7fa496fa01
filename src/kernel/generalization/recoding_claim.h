/*
 * recoding_claim.h
 *		Makes classes of what satisfies a demand at a node of the lattice.
 */
#ifndef SDC_KERNEL_RECODING_CLAIM_H
#define SDC_KERNEL_RECODING_CLAIM_H

#include "kernel/generalization/recoding_demand.h"
#include "kernel/generalization/recoding_nodes.h"

/*
 * Goes through the nodes, the cheapest first.  Tuples that are equal at a node
 * and that satisfy the demand become a class, and the nodes that follow see
 * only the rest; after so many nodes those left stay classes of their own.
 * Every tuple must be a class.  Looks at about visits tuples in all: where all
 * nodes would be too many, it leaves some out, evenly.  O(nodes * tuples left
 * * keys).
 */
extern void sdc_recoding_claim(SdcHost *host, SdcRecodingClasses *classes,
							   SdcRecodingDemand *demand, int32_t nodes,
							   double visits);

/*
 * Looks for the cheapest node at which all tuples satisfy the demand, among
 * the first so many and those where a record costs less than limit on the
 * average.  If there is one, its classes replace those there are, and the
 * result is true.  Each node is first tried on a few tuples that were hard to
 * satisfy, which refuses nearly all.  Gives up when it has looked at visits
 * tuples.
 */
extern bool sdc_recoding_claim_whole(SdcHost *host,
									 SdcRecodingClasses *classes,
									 SdcRecodingDemand *demand, double limit,
									 int32_t nodes, double visits);

#endif
