/*
 * versions.h
 *		What a policy remembers of its releases, and what follows for the next.
 */
#ifndef SDC_RELEASE_VERSIONS_H
#define SDC_RELEASE_VERSIONS_H

#include "postgres.h"

#include "lib/stringinfo.h"
#include "utils/jsonb.h"

#include "release/gate.h"
#include "release/publish.h"

/*
 * Masks a table by rules (those of the policy but for the id's) into the
 * staging table.  What was published of a person stays as long as the values
 * that it was made from do; others are drawn, new and changed rows together.
 * Notes all of it in the catalog, in the transaction of the release.  Falls
 * back on masking everything where nothing can be remembered: no id, or new
 * records.  O(rows log rows).
 */
extern void sdcpg_versions_mask(SdcStaging *staging, const char *policy,
								int64 release, Jsonb *rules, bool seeded,
								int64 seed);

/*
 * Gives a case what the intruder has of all versions that are kept, see
 * SdcAttackCase: tables of the original and of the masked side with the
 * columns that each release drew.  Nothing when one release drew everything.
 */
extern void sdcpg_versions_show(SdcStaging *staging, SdcGateCase *of);

/* Drops the tables that the functions above have made. */
extern void sdcpg_versions_drop(SdcStaging *staging);

/* Adds what was kept, drawn and left waiting to the measures of a release. */
extern void sdcpg_versions_document(const SdcStaging *staging,
									StringInfo document);

#endif
