/*
 * recoding_hard.c
 *		Tuples with few neighbours, to refuse nodes of the lattice by.
 *
 * The levels at which another tuple meets the hard one, key by key, are the
 * lowest node that puts both into one class; equal ones are counted together.
 */
#include "kernel/generalization/recoding_hard.h"

/* The levels at which each tuple meets one, with its records. */
static SdcFrequency *
count_meetings(SdcHost *host, const SdcRecodingSpace *space, int32_t tuple)
{
	SdcFrequencyCount *counting =
		sdc_frequency_start(host, space->keys, false);
	size_t keys = (size_t) space->keys;
	int32_t *level = sdc_new(host, int32_t, keys);
	int32_t *levels = sdc_new(host, int32_t, keys);
	const int32_t *code = space->code + (size_t) tuple * keys;
	SdcFrequency *met;
	int32_t t;
	size_t j;

	for (t = 0; t < space->tuples; t++)
	{
		for (j = 0; j < keys; j++)
			level[j] =
				sdc_recoding_space_meet(&space->column[j], code[j],
										space->code[(size_t) t * keys + j]);
		sdc_frequency_add(counting, level, space->size[t], 1);
		if (t % SDC_POLL_STEPS == 0)
			host->poll(host, 0, 0);
	}
	for (j = 0; j < keys; j++)
		levels[j] = space->column[j].levels;
	met = sdc_frequency_finish(counting, NULL, levels, NULL);
	host->release(host, level);
	host->release(host, levels);
	return met;
}

void
sdc_recoding_hard_add(SdcHost *host, SdcRecodingHard *hard,
					  const SdcRecodingSpace *space, int32_t tuple)
{
	int place = hard->count;

	if (hard->count < SDC_RECODING_HARD)
		hard->count++;
	else
	{
		place = hard->oldest;
		hard->oldest = (hard->oldest + 1) % SDC_RECODING_HARD;
		sdc_frequency_release(host, hard->met[place]);
	}
	hard->met[place] = count_meetings(host, space, tuple);
}

/* Do so many records meet a tuple at a node? */
static bool
enough_meet(const SdcFrequency *met, const uint8_t *level, int64_t least)
{
	int64_t size = 0;
	int32_t cell;
	int j;

	for (cell = 0; cell < met->cells && size < least; cell++)
	{
		for (j = 0; j < met->columns && met->code[j][cell] <= level[j]; j++)
			;
		if (j == met->columns)
			size += met->count[cell];
	}
	return size >= least;
}

bool
sdc_recoding_hard_pass(const SdcRecodingHard *hard, const uint8_t *level,
					   int64_t least, double *visits)
{
	int i;

	for (i = 0; i < hard->count; i++)
	{
		*visits -= hard->met[i]->cells;
		if (!enough_meet(hard->met[i], level, least))
			return false;
	}
	return true;
}

void
sdc_recoding_hard_release(SdcHost *host, SdcRecodingHard *hard)
{
	while (hard->count > 0)
		sdc_frequency_release(host, hard->met[--hard->count]);
}
