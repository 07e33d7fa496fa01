/*
 * minimality.c
 *		What knowing the greedy grouping algorithm reveals.
 *
 * The values of the group are put into classes, the consistent assignments are
 * drawn as arrows between states (minimality_draw.c), and the beliefs come
 * from what flows through these (minimality_pass.c).
 */
#include <string.h>

#include "kernel/attack/minimality_search.h"
#include "kernel/base/sort.h"

static int
compare_counts(int32_t a, int32_t b, void *arg)
{
	const int32_t *count = arg;

	return count[a] < count[b] ? -1 : count[a] > count[b];
}

/* Puts values that occur equally often into a class. */
static void
classify(SdcMinimalitySearch *search, const int32_t *count, int32_t *class_of)
{
	SdcMinimalityGroup *group = &search->group;
	SdcHost *host = search->host;
	int32_t *order = sdc_new(host, int32_t, group->values);
	int32_t i;

	group->total = sdc_new(host, int32_t, group->values);
	group->first = sdc_new(host, int32_t, (size_t) group->values + 1);
	for (i = 0; i < group->values; i++)
		order[i] = i;
	sdc_sort_rows(host, order, group->values, compare_counts, (void *) count);
	for (i = 0; i < group->values; i++)
	{
		group->total[i] = count[order[i]];
		if (i == 0 || group->total[i] > group->total[i - 1])
			group->first[group->classes++] = i;
		class_of[order[i]] = group->classes - 1;
	}
	group->first[group->classes] = group->values;
	host->release(host, order);
}

static void
start(SdcMinimalitySearch *search, const int32_t *count, SdcMinimality *result)
{
	SdcMinimalityGroup *group = &search->group;
	SdcHost *host = search->host;

	result->class_of = sdc_new(host, int32_t, group->values);
	classify(search, count, result->class_of);
	result->classes = group->classes;
	search->tried = sdc_new(host, uint32_t, sdc_minimality_state_width(group));
	search->states = sdc_new(host, int32_t, (size_t) group->size + 1);
	search->first = sdc_new(host, int32_t, (size_t) group->size + 1);
	sdc_minimality_state_start(host, group, &search->set[0]);
	sdc_minimality_state_start(host, group, &search->set[1]);
}

static void
finish(SdcMinimalitySearch *search)
{
	SdcHost *host = search->host;

	sdc_minimality_state_release(host, &search->set[0]);
	sdc_minimality_state_release(host, &search->set[1]);
	host->release(host, search->group.total);
	host->release(host, search->group.first);
	host->release(host, search->tried);
	host->release(host, search->states);
	host->release(host, search->first);
	host->release(host, search->arrow);
}

SdcMinimalityAnswer
sdc_minimality_solve(SdcHost *host, const int32_t *count, int32_t values,
					 double l, bool last, SdcMinimality *result)
{
	SdcMinimalitySearch search;
	SdcMinimalityAnswer answer;
	int64_t size = 0;
	int32_t v;

	memset(&search, 0, sizeof(search));
	memset(result, 0, sizeof(*result));
	search.host = host;
	for (v = 0; v < values; v++)
		size += count[v];
	if (size > SDC_MINIMALITY_MOST)
		return SDC_MINIMALITY_LARGE;
	search.group.size = (int32_t) size;
	search.group.values = values;
	search.group.l = l;
	search.group.last = last;
	start(&search, count, result);
	answer = sdc_minimality_draw(&search);
	if (answer == SDC_MINIMALITY_FOUND)
		sdc_minimality_pass(&search, result);
	finish(&search);
	return answer;
}

void
sdc_minimality_release(SdcHost *host, SdcMinimality *result)
{
	host->release(host, result->class_of);
	host->release(host, result->posterior);
}
