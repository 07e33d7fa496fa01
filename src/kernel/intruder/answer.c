/*
 * answer.c
 *		What the intruder concludes from the lists of candidates.
 *
 * A person's weight of being nobody in the masked file is (1 - sampled) /
 * sampled beside the mean over all records of exp L; where everybody is in
 * it, that weight only keeps a person whose record is not on his list from
 * taking another's.  One to one and belief follow (match.h).
 */
#include "kernel/intruder/intruder_private.h"

#include <math.h>
#include <string.h>

#include "kernel/base/elementary.h"
#include "kernel/base/random.h"

/* Where everybody is in the file: the weight of not being in it. */
#define NOBODY -60.0f

/* Looks at each entry in an assignment that is easy. */
#define EASY 8

/* Scores that differ by less are equal. */
#define EQUAL 1e-5f

/* Chances from which on something is certain, or in or out is said. */
#define CERTAIN 0.95f
#define SHOWN   0.9f

void
sdc_intruder_weigh_outside(const SdcIntruder *intruder,
						   const SdcIntruderCandidates *found,
						   const SdcIntruderPrior *prior, float *outside)
{
	double lost = sdc_random_log(SDC_INTRUDER_ERROR);
	double odds = 0;
	int32_t i;

	if (prior->sampled < 1)
		odds = sdc_random_log((1 - prior->sampled) / prior->sampled) +
			   sdc_random_log((double) intruder->records);
	for (i = 0; i < found->lists.rows; i++)
	{
		outside[i] = NOBODY;
		if (prior->sampled < 1)
			outside[i] =
				(float) (odds - lost * intruder->absent[found->person[i]]);
	}
}

/* The weight of a record that no person searched for has. */
static float *
weigh_strangers(SdcHost *host, const SdcIntruderCandidates *found,
				const bool *claimed)
{
	float *weight = sdc_new(host, float, (size_t) found->lists.columns + 1);
	int32_t c;

	for (c = 0; c < found->lists.columns; c++)
		weight[c] = claimed[found->record[c]] ? 0 : 1;
	return weight;
}

int
sdc_intruder_believe(SdcHost *host, const SdcIntruderCandidates *found,
					 const SdcMatchLists *lists, const SdcIntruderPrior *prior,
					 float *chance, float *inside)
{
	SdcMatchBelief belief = {prior->all_known ? 0 : 1, NULL, prior->rounds};
	float *strangers = NULL;
	int rounds;

	if (prior->claimed != NULL)
		belief.free_column = strangers =
			weigh_strangers(host, found, prior->claimed);
	rounds = sdc_match_belief(host, lists, &belief, chance, inside);
	host->release(host, strangers);
	return rounds;
}

static SdcIntruderAnswer *
make_answer(SdcHost *host, const SdcMatchLists *lists)
{
	SdcIntruderAnswer *answer = sdc_new(host, SdcIntruderAnswer, 1);
	size_t rows = (size_t) lists->rows + 1;
	size_t entries = (size_t) lists->first[lists->rows] + 1;

	memset(answer, 0, sizeof(*answer));
	answer->count = lists->rows;
	answer->alone = sdc_new(host, int32_t, rows);
	answer->alone_ties = sdc_new(host, int32_t, rows);
	answer->matched = sdc_new(host, int32_t, rows);
	answer->believed = sdc_new(host, int32_t, rows);
	answer->alone_said = sdc_new(host, float, rows);
	answer->matched_said = sdc_new(host, float, rows);
	answer->believed_said = sdc_new(host, float, rows);
	answer->inside_alone = sdc_new(host, float, rows);
	answer->inside = sdc_new(host, float, rows);
	answer->outside = sdc_new(host, float, rows);
	answer->chance_alone = sdc_new(host, float, entries);
	answer->chance = sdc_new(host, float, entries);
	return answer;
}

void
sdc_intruder_answer_release(SdcHost *host, SdcIntruderAnswer *answer)
{
	host->release(host, answer->alone);
	host->release(host, answer->alone_ties);
	host->release(host, answer->matched);
	host->release(host, answer->believed);
	host->release(host, answer->alone_said);
	host->release(host, answer->matched_said);
	host->release(host, answer->believed_said);
	host->release(host, answer->inside_alone);
	host->release(host, answer->inside);
	host->release(host, answer->outside);
	host->release(host, answer->chance_alone);
	host->release(host, answer->chance);
	host->release(host, answer);
}

/*
 * What the exact assignment may cost.  Where it has not ended after so many
 * times the entries it takes long, and the auction is near enough.
 */
static int64_t
budget_of(const SdcMatchLists *lists, const SdcIntruderPrior *prior)
{
	int64_t enough = EASY * (lists->first[lists->rows] + 1000);

	return prior->budget < enough ? prior->budget : enough;
}

/* The likeliest records of a row, by himself and by belief. */
static void
name_best(SdcIntruderAnswer *answer, const SdcIntruderCandidates *found,
		  int32_t row)
{
	const SdcMatchLists *lists = &found->lists;
	int64_t first = lists->first[row];
	int64_t best = first;
	int64_t e;

	answer->alone[row] = -1;
	answer->believed[row] = -1;
	answer->alone_ties[row] = 0;
	answer->alone_said[row] = 0;
	answer->believed_said[row] = 0;
	if (first == lists->first[row + 1])
		return;
	for (e = first; e < lists->first[row + 1]; e++)
	{
		if (answer->chance[e] > answer->chance[best])
			best = e;
		answer->alone_ties[row] +=
			lists->score[e] >= lists->score[first] - EQUAL;
	}
	answer->alone[row] = found->record[lists->column[first]];
	answer->alone_said[row] = answer->chance_alone[first];
	answer->believed[row] = found->record[lists->column[best]];
	answer->believed_said[row] = answer->chance[best];
}

SdcIntruderAnswer *
sdc_intruder_answer(SdcHost *host, const SdcIntruder *intruder,
					const SdcIntruderCandidates *found,
					const SdcIntruderPrior *prior)
{
	SdcIntruderAnswer *answer = make_answer(host, &found->lists);
	SdcMatchLists lists = found->lists;
	int64_t *entry = sdc_new(host, int64_t, (size_t) lists.rows + 1);
	int32_t i;

	sdc_intruder_weigh_outside(intruder, found, prior, answer->outside);
	lists.outside = answer->outside;
	sdc_match_alone(host, &lists, answer->chance_alone, answer->inside_alone);
	answer->work = sdc_match_assign(host, &lists, budget_of(&lists, prior),
									answer->matched, entry);
	answer->rounds = sdc_intruder_believe(host, found, &lists, prior,
										  answer->chance, answer->inside);
	for (i = 0; i < lists.rows; i++)
	{
		name_best(answer, found, i);
		answer->matched_said[i] = entry[i] < 0 ? 0 : answer->chance[entry[i]];
		if (entry[i] >= 0)
			answer->matched[i] = found->record[answer->matched[i]];
	}
	host->release(host, entry);
	return answer;
}

/* Counts one link of a kind. */
static void
count_link(SdcIntruderSuccess *success, SdcIntruderLink kind, int32_t record,
		   float said, int32_t truth)
{
	int k = said >= 1 ? 9 : (int) (said * 10);
	SdcIntruderBand *band = &success->band[kind][k];
	bool right = record >= 0 && record == truth;

	success->right[kind] += right;
	success->said[kind] += said;
	if (record < 0)
		return;
	band->links++;
	band->said += said;
	band->right += right;
}

static void
count_row(const SdcIntruderCandidates *found, const SdcIntruderAnswer *answer,
		  int32_t row, int32_t truth, SdcIntruderSuccess *success)
{
	const SdcMatchLists *lists = &found->lists;
	int64_t first = lists->first[row];
	bool in = truth >= 0;
	int64_t e;

	success->persons++;
	success->released += in;
	count_link(success, SDC_INTRUDER_ALONE, answer->alone[row],
			   answer->alone_said[row], truth);
	count_link(success, SDC_INTRUDER_ONE_TO_ONE, answer->matched[row],
			   answer->matched_said[row], truth);
	count_link(success, SDC_INTRUDER_BELIEF, answer->believed[row],
			   answer->believed_said[row], truth);
	success->certain += in && answer->believed[row] == truth &&
						answer->believed_said[row] >= CERTAIN;
	for (e = first; in && e < lists->first[row + 1]; e++)
		if (found->record[lists->column[e]] == truth)
		{
			success->kept++;
			if (lists->score[e] >= lists->score[first] - EQUAL)
				success->shared += 1.0 / answer->alone_ties[row];
		}
	success->expected_in += answer->inside[row];
	if (answer->inside[row] >= SHOWN)
	{
		success->said_in++;
		success->in_right += in;
	}
	else if (answer->inside[row] <= 1 - SHOWN)
	{
		success->said_out++;
		success->out_right += !in;
	}
}

void
sdc_intruder_success(const SdcIntruderCandidates *found,
					 const SdcIntruderAnswer *answer, const int32_t *truth,
					 const bool *counted, SdcIntruderSuccess *success)
{
	int32_t i;
	int k;

	memset(success, 0, sizeof(*success));
	for (i = 0; i < answer->count; i++)
		if (counted == NULL || counted[found->person[i]])
			count_row(found, answer, i, truth[found->person[i]], success);
	for (k = 0; k < SDC_INTRUDER_LINKS; k++)
		if (success->right[k] > success->found)
			success->found = success->right[k];
}

void
sdc_intruder_success_add(SdcIntruderSuccess *sum,
						 const SdcIntruderSuccess *more)
{
	int link;
	int band;

	sum->persons += more->persons;
	sum->released += more->released;
	sum->shared += more->shared;
	sum->certain += more->certain;
	sum->kept += more->kept;
	sum->said_in += more->said_in;
	sum->said_out += more->said_out;
	sum->in_right += more->in_right;
	sum->out_right += more->out_right;
	sum->expected_in += more->expected_in;
	for (link = 0; link < SDC_INTRUDER_LINKS; link++)
	{
		sum->right[link] += more->right[link];
		sum->said[link] += more->said[link];
		for (band = 0; band < 10; band++)
		{
			sum->band[link][band].links += more->band[link][band].links;
			sum->band[link][band].said += more->band[link][band].said;
			sum->band[link][band].right += more->band[link][band].right;
		}
		sum->found =
			sum->right[link] > sum->found ? sum->right[link] : sum->found;
	}
}
