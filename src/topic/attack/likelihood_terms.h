/*
 * likelihood_terms.h
 *		What each rule says to the intruder who weighs.
 */
#ifndef SDC_TOPIC_LIKELIHOOD_TERMS_H
#define SDC_TOPIC_LIKELIHOOD_TERMS_H

#include "postgres.h"

#include "kernel/intruder/intruder.h"
#include "topic/attack/transparency.h"

/* What was read, and the intruder whom the rules are told. */
typedef struct SdcLikelihoodTerms
{
	SdcTransparency transparency;
	SdcHost *host;
	SdcIntruder *intruder;
	bool by_original; /* are the ranks those of the original? */
	bool unknown;     /* does NULL mean that he does not know? */
	bool groups;      /* is there a spread to be fitted? */
	int swaps;        /* terms of rank swapping */
	int left_out;     /* parts without room */
} SdcLikelihoodTerms;

/*
 * Adds the terms of one part, of which there are at most two: that of the rule
 * and its strata.  Keys beyond the room of the intruder are left out.
 */
extern void sdcpg_likelihood_add(SdcLikelihoodTerms *terms,
								 SdcTransparencyPart *part);

#endif
