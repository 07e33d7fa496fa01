/*
 * propensity.h
 *		The propensity score measure of two relations.
 */
#ifndef SDC_TOPIC_PROPENSITY_H
#define SDC_TOPIC_PROPENSITY_H

#include "postgres.h"

#include "utils/jsonb.h"

#include "kernel/utility/propensity.h"
#include "topic/utility/contrast.h"
#include "topic/utility/utility.h"

/*
 * Fits a logistic model of all columns of a comparison, with products when
 * params.interactions is true and params.max_levels levels of a factor.  Too
 * many parameters stop with an error.
 */
extern SdcPropensity sdcpg_propensity_measure(const SdcContrast *comparison,
											  Jsonb *params);

/* The lines pmse, pmse_expected, pmse_deviation, _ratio and _standardized. */
extern void sdcpg_propensity_lines(const SdcPropensity *propensity,
								   SdcUtilityLines *lines);

#endif
