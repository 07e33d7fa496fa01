/*
 * membership.c
 *		Who was among the training rows, told by how sure a model is.
 */
#include "kernel/model/membership.h"

#include <math.h>

#include "kernel/base/sort.h"

/* Cases by class, surest first. */
static int32_t *
order_cases(SdcHost *host, const SdcMembershipCases *cases)
{
	size_t count = (size_t) cases->count;
	uint64_t *key = sdc_new(host, uint64_t, count);
	int32_t *order = sdc_new(host, int32_t, count);
	size_t i;

	for (i = 0; i < count; i++)
	{
		order[i] = (int32_t) i;
		key[i] = sdc_sort_key(-cases->confidence[i]);
	}
	sdc_sort_keys(host, key, order, count);
	for (i = 0; i < count; i++)
		key[i] = (uint64_t) cases->label[order[i]];
	sdc_sort_keys(host, key, order, count);
	host->release(host, key);
	return order;
}

/* The best threshold of the cases of one class, which are sorted. */
static double
best_threshold(const SdcMembershipCases *cases, const int32_t *order,
			   int32_t count)
{
	double best = 0;
	double threshold = INFINITY;
	int64_t members = 0;
	int64_t claimed = 0; /* members among the first cases */
	int32_t i;

	for (i = 0; i < count; i++)
		members += cases->member[order[i]];
	for (i = 0; i < count; i++)
	{
		double confidence = cases->confidence[order[i]];
		double gain;

		claimed += cases->member[order[i]];
		if (i + 1 < count && cases->confidence[order[i + 1]] == confidence)
			continue;
		if (members == 0 || members == count)
			break;
		gain = (double) claimed / (double) members -
			   (double) (i + 1 - claimed) / (double) (count - members);
		if (gain > best + 1e-12)
		{
			best = gain;
			threshold = confidence;
		}
	}
	return threshold;
}

void
sdc_membership_learn(SdcHost *host, const SdcMembershipCases *cases,
					 int32_t classes, double *threshold)
{
	int32_t *order = order_cases(host, cases);
	int32_t begin = 0;
	int32_t i;

	for (i = 0; i < classes; i++)
		threshold[i] = INFINITY;
	for (i = 1; i <= cases->count; i++)
	{
		int32_t label = cases->label[order[begin]];

		if (i % SDC_POLL_STEPS == 0)
			host->poll(host, 0, 0);
		if (i < cases->count && cases->label[order[i]] == label)
			continue;
		threshold[label] = best_threshold(cases, order + begin, i - begin);
		begin = i;
	}
	host->release(host, order);
}

SdcMembershipTally
sdc_membership_claim(const SdcMembershipCases *cases, const double *threshold)
{
	SdcMembershipTally tally = {0, 0, 0, 0};
	int32_t i;

	for (i = 0; i < cases->count; i++)
	{
		bool claimed = cases->confidence[i] >= threshold[cases->label[i]];

		tally.members += cases->member[i];
		tally.others += !cases->member[i];
		tally.members_claimed += cases->member[i] && claimed;
		tally.others_claimed += !cases->member[i] && claimed;
	}
	return tally;
}
