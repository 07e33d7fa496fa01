/*
 * gate_evaluate.h
 *		Constraints evaluated on evidence that others look at, too.
 */
#ifndef SDC_PG_GATE_EVALUATE_H
#define SDC_PG_GATE_EVALUATE_H

#include "postgres.h"

#include "pg/release/evidence.h"
#include "pg/release/gate.h"

/* As sdcpg_gate_evaluate; what had to be found is in the evidence then. */
extern SdcGateResult *sdcpg_gate_judge(const SdcGate *gate,
									   SdcEvidence *evidence);

#endif
