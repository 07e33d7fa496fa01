/*
 * policy_document.h
 *		A policy as one JSON document, for version control.
 *
 *		{"policy": "census", "relations": [{"rel": "public.people",
 *		 "rules": {...}, "constraints": [...], "params": {...}}]}
 */
#ifndef SDC_PG_POLICY_DOCUMENT_H
#define SDC_PG_POLICY_DOCUMENT_H

#include "postgres.h"

#include "utils/jsonb.h"

#include "pg/release/policy.h"

/* The document of a policy; tables that are gone are left out. */
extern Jsonb *sdcpg_policy_document(const SdcPolicy *policy);

/*
 * Writes the policy that a document describes, in place of the one of that
 * name: tables that it does not name are not in the policy any more.
 */
extern void sdcpg_policy_write_document(Jsonb *document);

#endif
