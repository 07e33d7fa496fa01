/*
 * transparency_links.h
 *		The rows of an attack that knows the rules.
 */
#ifndef SDC_PG_TRANSPARENCY_LINKS_H
#define SDC_PG_TRANSPARENCY_LINKS_H

#include "pg/disclosure/transparency.h"

#include "nodes/execnodes.h"

/*
 * Returns rows of sdc.link: for each original record the candidates that are
 * in all of its sets, the best first, at most max_candidates of them and the
 * right one among these if it is a candidate; the rest of the probability is
 * in one row without a name.  A notice tells how many records have no
 * candidate.
 */
extern void sdcpg_transparency_put_links(SdcTransparency *transparency,
										 ReturnSetInfo *result,
										 int32 max_candidates);

/*
 * Returns rows of sdc.candidate_set: for each original record one for each
 * part, and one, "*", for their intersection.
 */
extern void sdcpg_transparency_put_sets(SdcTransparency *transparency,
										ReturnSetInfo *result);

#endif
