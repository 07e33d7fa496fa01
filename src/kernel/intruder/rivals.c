/*
 * rivals.c
 *		What a term tells beside all others: some persons, and the records that
 *		they are most likely taken for.
 *
 * A term that says again what others have said tells the own record from
 * strangers, but not from these.
 */
#include "kernel/intruder/released.h"

#include <math.h>

#include "kernel/base/elementary.h"
#include "kernel/base/random.h"

/* The persons with links whose rivals are asked, spread over the file. */
static int32_t
choose_linked(const SdcIntruder *intruder, const int32_t *partner,
			  int32_t *who)
{
	int32_t step = intruder->persons / SDC_TOLD_LINKS + 1;
	int32_t count = 0;
	int32_t i;

	for (i = 0; i < intruder->persons; i += step)
	{
		int32_t person = sdc_random_of_step(i, step, intruder->persons);

		if (partner[person] >= 0)
			who[count++] = person;
	}
	return count;
}

/* Lists the candidates of one person, and his own record. */
static int64_t
list_rivals(const SdcIntruderCandidates *found, int32_t row, int32_t own,
			SdcRivals *rivals, int64_t n)
{
	int64_t e;

	rivals->person[row] = found->person[row];
	rivals->first[row] = n;
	rivals->own[row] = -1;
	for (e = found->lists.first[row]; e < found->lists.first[row + 1]; e++)
	{
		rivals->record[n] = found->record[found->lists.column[e]];
		rivals->score[n] = found->lists.score[e];
		if (rivals->record[n] == own)
			rivals->own[row] = n;
		n++;
	}
	if (rivals->own[row] >= 0)
		return n;
	/* no better than the last one */
	rivals->record[n] = own;
	rivals->score[n] = n > rivals->first[row] ? rivals->score[n - 1] : 0;
	rivals->own[row] = n;
	return n + 1;
}

SdcRivals
sdc_rivals_find(SdcIntruder *intruder, const int32_t *partner)
{
	SdcHost *host = intruder->host;
	int32_t who[SDC_TOLD_LINKS + 1];
	SdcIntruderSearch search = {
		.who = who, .room = SDC_TOLD_RECORDS, .depth = SDC_INTRUDER_DEPTH};
	SdcIntruderCandidates *found;
	SdcRivals rivals = {0};
	int64_t room;
	int64_t n = 0;
	int32_t i;

	search.count = choose_linked(intruder, partner, who);
	found = sdc_intruder_search_some(intruder, &search);
	room = found->lists.first[found->lists.rows] + found->lists.rows + 1;
	rivals.rows = found->lists.rows;
	rivals.person = sdc_new(host, int32_t, rivals.rows + 1);
	rivals.first = sdc_new(host, int64_t, rivals.rows + 1);
	rivals.own = sdc_new(host, int64_t, rivals.rows + 1);
	rivals.record = sdc_new(host, int32_t, (size_t) room);
	rivals.score = sdc_new(host, float, (size_t) room);
	for (i = 0; i < rivals.rows; i++)
		n = list_rivals(found, i, partner[found->person[i]], &rivals, n);
	rivals.first[rivals.rows] = n;
	sdc_intruder_candidates_release(host, found);
	return rivals;
}

void
sdc_rivals_release(SdcHost *host, SdcRivals *rivals)
{
	host->release(host, rivals->person);
	host->release(host, rivals->first);
	host->release(host, rivals->own);
	host->release(host, rivals->record);
	host->release(host, rivals->score);
}

/* Adds one person. */
static void
tell_person(const SdcRivals *rivals, int32_t row, SdcRivalScore score,
			const void *arg, SdcTold *told)
{
	float all[SDC_TOLD_RECORDS + 1];
	int64_t first = rivals->first[row];
	int n = (int) (rivals->first[row + 1] - first);
	double own;
	double sum = 0;
	double squares = 0;
	int k;

	for (k = 0; k < n; k++)
	{
		all[k] = rivals->score[first + k];
		if (score != NULL)
			all[k] +=
				score(arg, rivals->person[row], rivals->record[first + k]);
	}
	own = all[rivals->own[row] - first];
	for (k = 0; k < n; k++)
	{
		double weight = sdc_exp(all[k] - own);

		sum += weight;
		squares += weight * weight;
	}
	told->log -= sdc_random_log(sum);
	told->right += 1 / sum;
	told->said += squares / (sum * sum);
}

SdcTold
sdc_rivals_told(const SdcRivals *rivals, SdcRivalScore score, const void *arg)
{
	SdcTold told = {0, 0, 0};
	int32_t i;

	for (i = 0; i < rivals->rows; i++)
		tell_person(rivals, i, score, arg, &told);
	return told;
}

void
sdc_rivals_add(SdcRivals *rivals, SdcRivalScore score, const void *arg)
{
	int32_t i;
	int64_t e;

	for (i = 0; i < rivals->rows; i++)
		for (e = rivals->first[i]; e < rivals->first[i + 1]; e++)
			rivals->score[e] +=
				score(arg, rivals->person[i], rivals->record[e]);
}
