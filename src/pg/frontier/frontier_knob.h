/*
 * frontier_knob.h
 *		What can be varied in rules: how strong, and which variant.
 */
#ifndef SDC_PG_FRONTIER_KNOB_H
#define SDC_PG_FRONTIER_KNOB_H

#include "postgres.h"

#include "utils/jsonb.h"

#include "pg/mask/rules.h"

/* Offsets in which a rule becomes twice as strong. */
#define SDC_FRONTIER_OCTAVE 8

/* A rule as it is varied. */
typedef struct SdcFrontierKnob
{
	const SdcRule *rule;
	/* of the parameter that says how strong it is; NULL: there is none */
	const struct SdcFrontierStrength *strength;
	double value; /* of the parameter, in the rule */
	/* variants, the list ends with NULL; NULL: there are none */
	const char *const *variants;
	int variant; /* the one of the rule */
} SdcFrontierKnob;

typedef struct SdcFrontierKnobs
{
	Jsonb *rules;
	int count;
	SdcFrontierKnob *knob; /* one for each rule, in the order of SdcRules */
} SdcFrontierKnobs;

extern SdcFrontierKnobs sdcpg_frontier_knobs(Jsonb *rules,
											 const SdcRelation *relation);

/*
 * The rules with rule i stronger by the factor 2^(offset[i] / OCTAVE), as far
 * as its parameter goes, and of the variant number variant[i].  With offsets 0
 * and the variants of the knobs these are the rules themselves.
 */
extern Jsonb *sdcpg_frontier_knobs_turn(const SdcFrontierKnobs *knobs,
										const int *offset, const int *variant);

#endif
