/*
 * candidates.h
 *		What an intruder concludes from each masking method.
 *
 * One line for each method that rules may name, so that no method comes
 * without its attack.  A method first asks for the fields it needs, then says
 * what each original record can have become.
 */
#ifndef SDC_TOPIC_CANDIDATES_H
#define SDC_TOPIC_CANDIDATES_H

#include "host/call/relation.h"
#include "topic/attack/transparency.h"
#include "topic/mask/rules.h"

typedef struct SdcCandidateMethod
{
	/* are the columns of a rule one part, or one part each? */
	bool together;
	/* checks the rule and asks for fields; NULL: the rule makes no part */
	void (*describe)(SdcTransparency *transparency, SdcTransparencyPart *part);
	/* fills set, exact and weight of the part */
	void (*find)(SdcTransparency *transparency, SdcTransparencyPart *part);
} SdcCandidateMethod;

/* By SdcMaskKind. */
extern const SdcCandidateMethod sdcpg_candidates[SDC_MASK_KINDS];

extern void sdcpg_candidates_group(SdcTransparency *transparency,
								   SdcTransparencyPart *part,
								   const uint32 *original,
								   const uint32 *masked);

/* Every masked record for every original one. */
extern void sdcpg_candidates_whole(SdcTransparency *transparency,
								   SdcTransparencyPart *part);

/* How far rounding to the type of a masked column moves a number. */
extern double sdcpg_candidates_slack(const SdcTransparency *transparency,
									 const SdcRelationColumn *masked,
									 double value);

#endif
