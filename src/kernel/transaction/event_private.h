/*
 * event_private.h
 *		What event_likelihood.c and event_learn.c have in common.
 */
#ifndef SDC_KERNEL_EVENT_PRIVATE_H
#define SDC_KERNEL_EVENT_PRIVATE_H

#include "kernel/transaction/event_likelihood.h"

/* How often a value is moved by so much. */
static inline double
sdc_event_law_chance(const SdcEventLaw *law, double move)
{
	double step = (move - law->low) / law->step;

	return step >= 0 && step < SDC_EVENT_STEPS ? law->near[(int) step] : 0;
}

/* The values of a channel, in the scale of its law. */
static inline const double *
sdc_event_values(const SdcEventIntruder *intruder, int c)
{
	const SdcEventChannel *channel = &intruder->files->channel[c];

	return intruder->law[c].scaled ? channel->scaled : channel->value;
}

/* The part that a record is in. */
static inline int32_t
sdc_event_part_of(const SdcEventIntruder *intruder, int32_t record)
{
	const int32_t *part = intruder->files->record_part;

	return part == NULL ? 0 : part[record];
}

/* Is a person in the part of a record? */
static inline bool
sdc_event_is_of_part(const SdcEventIntruder *intruder, int32_t person,
					 int32_t part)
{
	const int32_t *own = intruder->files->person_part;

	return own == NULL || own[person] == part;
}

/* Counts work, and polls. */
extern void sdc_event_poll(SdcEventIntruder *intruder, uint64_t steps);

/* Makes what is believed of the channels into sums. */
extern void sdc_event_weigh(SdcEventIntruder *intruder);

/* What a person's values around y come to, by the law of a channel. */
extern double sdc_event_sum_own(const SdcEventIntruder *intruder, int c,
								int32_t person, double y);

/* What everybody's values around the k-th of a record come to. */
extern double sdc_event_around(const SdcEventIntruder *intruder, int c,
							   int32_t record, int32_t k);

/*
 * How much oftener a person has what is near than others, of these sums, which
 * are not 0.
 */
extern double sdc_event_times_nearer(const SdcEventIntruder *intruder, int c,
									 int32_t person, double own, double all);

/* Can a person who shares a mark with the record that is looked at have so
 * much? */
extern bool sdc_event_reaches(SdcEventIntruder *intruder, int32_t person,
							  int32_t record, double floor);

/* The score of such a person. */
extern double sdc_event_score_met(SdcEventIntruder *intruder, int32_t person,
								  int32_t record);

#endif
