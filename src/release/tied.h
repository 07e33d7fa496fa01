/*
 * tied.h
 *		What rows show together that tables or persons tie to each other.
 */
#ifndef SDC_TIED_H
#define SDC_TIED_H

#include "release/gate.h"
#include "release/publish.h"

/*
 * Goes on where an attack that needs other tables or persons has stopped: what
 * the likelihood finds by all that the tables of the release show of a person,
 * or by all rows of a person or household taken together, takes the place of
 * the outcome if it is more.  A sentence says so.  Makes tables, and drops
 * them.  Other attacks are left as they are.
 */
extern void sdcpg_tied_attack(const SdcGateCase *of, const SdcAttack *attack,
							  const SdcAttackCase *seen,
							  SdcAttackOutcome *outcome);

/*
 * Had so few people of now rows that are gone, in all versions, that they may
 * be counted as found?  Whoever has none is found as without these rows.
 */
extern bool sdcpg_tied_few_gone(const SdcGateCase *of);

/*
 * Counts them as found, and whom their records hid: adds that to the upper
 * ends of an outcome, with a sentence.
 */
extern void sdcpg_tied_count_gone(const SdcGateCase *of,
								  SdcAttackOutcome *outcome);

/*
 * The columns by which a row that is published now may be tied to rows of
 * other versions, as the person.  Looks once at a table of a release that has
 * been masked, and leaves what it saw to the case of the gate.
 */
extern SdcRelationColumns sdcpg_tied_columns(SdcStaging *staging);

#endif
