/*
 * release_document.h
 *		What the history keeps of a release: its tables and its measures.
 */
#ifndef SDC_PG_RELEASE_DOCUMENT_H
#define SDC_PG_RELEASE_DOCUMENT_H

#include "postgres.h"

#include "lib/stringinfo.h"

#include "pg/release/gate_evaluate.h"
#include "pg/release/staging.h"

/*
 * Adds the object of one table to sdc.release_history.relations; staging is
 * NULL while nothing but the policy is known.
 */
extern void sdcpg_release_document_relation(StringInfo document,
											const SdcPolicyRelation *policy,
											const SdcStaging *staging);

/*
 * Makes what reports and attacks there are beyond those that constraints
 * needed: all that apply.
 */
extern void sdcpg_release_document_complete(SdcEvidence *evidence);

/* Adds the object of one table to sdc.release_history.measures. */
extern void sdcpg_release_document_measures(StringInfo document,
											const SdcStaging *staging,
											const SdcGate *gate,
											const SdcGateResult *result,
											SdcEvidence *evidence);

#endif
