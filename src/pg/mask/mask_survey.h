/*
 * mask_survey.h
 *		What else there is about a table that is masked.
 */
#ifndef SDC_PG_MASK_SURVEY_H
#define SDC_PG_MASK_SURVEY_H

#include "postgres.h"

#include "pg/mask/mask_plan.h"
#include "pg/mask/mask_step.h"

/*
 * Appends a row for each constraint, index, trigger, identity or generated
 * column, partition, view and materialized view that a mask of the relation
 * has to do with, and one for each place where values stay as they were.
 */
extern void sdcpg_mask_survey(ReturnSetInfo *result, const SdcMaskPlan *plan);

#endif
