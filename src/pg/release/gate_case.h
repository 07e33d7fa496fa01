/*
 * gate_case.h
 *		What a policy says of a table, set against its masked form.
 */
#ifndef SDC_PG_GATE_CASE_H
#define SDC_PG_GATE_CASE_H

#include "postgres.h"

#include "pg/release/gate.h"
#include "pg/release/policy.h"

/*
 * The table of a policy that {"rel": ...} in params names; the only one
 * without it.  Stops at other keys than rel and seed.
 */
extern const SdcPolicyRelation *sdcpg_gate_case_choose(const SdcPolicy *policy,
													   Jsonb *params);

/* A masked table to be judged; without a seed. */
extern SdcGateCase *sdcpg_gate_case(const SdcPolicyRelation *relation,
									Oid masked);

/* Takes the seed of the attacks from {"seed": ...}, when it is there. */
extern void sdcpg_gate_case_seed(SdcGateCase *of, Jsonb *params);

#endif
