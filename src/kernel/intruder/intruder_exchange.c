/*
 * intruder_exchange.c
 *		What rank swapping gives away by exchanging values in pairs.
 *
 * If record r is person i's, then the value of r in a swapped column is that
 * of some person j, and j's record is the one that has i's value: the mask
 * exchanges the values of two records, whatever its variant.  So whoever
 * considers r asks of each swapped column whether that other record could be
 * j's as well.  A wrong r is rarely supported by more than one column, and
 * the true one by all.  Values that are not alone in the column tell nothing.
 */
#include "kernel/intruder/intruder_private.h"

#include "kernel/base/elementary.h"

/* Rows between two polls. */
#define POLL_ROWS 1024

/* The lists with each row in the order of its columns, for lookups. */
typedef struct Lookup
{
	const SdcMatchLists *lists;
	int32_t *row;    /* of each person; -1: not searched for */
	int32_t *place;  /* column of each record */
	int32_t *column; /* of entries, ascending in a row */
	float *score;
} Lookup;

/* Sorts one row of entries by column, or by falling score; stable. */
static void
sort_row(int32_t *column, float *score, int32_t n, bool by_score)
{
	int32_t i;

	for (i = 1; i < n; i++)
	{
		int32_t c = column[i];
		float s = score[i];
		int32_t hole = i;

		while (hole > 0 && (by_score ? score[hole - 1] < s
									 : column[hole - 1] > c))
		{
			column[hole] = column[hole - 1];
			score[hole] = score[hole - 1];
			hole--;
		}
		column[hole] = c;
		score[hole] = s;
	}
}

static Lookup
make_lookup(SdcHost *host, const SdcIntruder *intruder,
			const SdcIntruderCandidates *found)
{
	const SdcMatchLists *lists = &found->lists;
	int64_t entries = lists->first[lists->rows];
	Lookup lookup = {lists, sdc_new(host, int32_t, intruder->persons),
					 sdc_new(host, int32_t, intruder->records),
					 sdc_new(host, int32_t, (size_t) entries + 1),
					 sdc_new(host, float, (size_t) entries + 1)};
	int64_t e;
	int32_t i;

	for (i = 0; i < intruder->persons; i++)
		lookup.row[i] = -1;
	for (i = 0; i < lists->rows; i++)
		lookup.row[found->person[i]] = i;
	for (i = 0; i < lists->columns; i++)
		lookup.place[found->record[i]] = i;
	for (e = 0; e < entries; e++)
	{
		lookup.column[e] = lists->column[e];
		lookup.score[e] = lists->score[e];
	}
	for (i = 0; i < lists->rows; i++)
	{
		if (i % POLL_ROWS == 0)
			host->poll(host, (uint64_t) i, (uint64_t) lists->rows);
		sort_row(lookup.column + lists->first[i],
				 lookup.score + lists->first[i],
				 (int32_t) (lists->first[i + 1] - lists->first[i]), false);
	}
	return lookup;
}

/* The score of a person and a record; of one not listed, the list's last. */
static float
look_up(const Lookup *lookup, int32_t row, int32_t record)
{
	int64_t low = lookup->lists->first[row];
	int64_t high = lookup->lists->first[row + 1];
	int32_t column = lookup->place[record];
	float last = -87;

	if (low < high)
		last = lookup->lists->score[high - 1];
	while (low < high)
	{
		int64_t middle = low + (high - low) / 2;

		if (lookup->column[middle] == column)
			return lookup->score[middle];
		if (lookup->column[middle] < column)
			low = middle + 1;
		else
			high = middle;
	}
	return last;
}

/* What the exchange in one column says of a person and a record. */
static float
support(const SdcTerm *term, const Lookup *lookup, int32_t person,
		int32_t record)
{
	SdcPlace own = term->person[person];
	int32_t position = term->position[record];
	float error = term->head.error;
	int32_t other;
	int32_t exchanged;

	if (position < 0 || own.low < 0 || own.low != own.high)
		return 0;
	other = term->bearer[position];
	exchanged = term->holder[own.low];
	if (other < 0 || other == person || exchanged < 0 ||
		lookup->row[other] < 0)
		return 0;
	return sdc_log_float(
		(1 - error) *
			sdc_exp_float(look_up(lookup, lookup->row[other], exchanged)) +
		error);
}

void
sdc_intruder_use_exchanges(SdcHost *host, const SdcIntruder *intruder,
						   SdcIntruderCandidates *found)
{
	const SdcMatchLists *lists = &found->lists;
	/* the lists are found's own */
	int32_t *column = (int32_t *) lists->column;
	float *score = (float *) lists->score;
	Lookup lookup = make_lookup(host, intruder, found);
	float *sum = sdc_new(host, float, (size_t) lists->first[lists->rows] + 1);
	int64_t e;
	int32_t i;
	int t;

	for (i = 0; i < lists->rows; i++)
	{
		if (i % POLL_ROWS == 0)
			host->poll(host, (uint64_t) i, (uint64_t) lists->rows);
		for (e = lists->first[i]; e < lists->first[i + 1]; e++)
		{
			sum[e] = score[e];
			for (t = 0; t < intruder->terms; t++)
				if (intruder->term[t]->head.rule == SDC_TERM_SWAP)
					sum[e] += support(intruder->term[t], &lookup, found->person[i],
									  found->record[column[e]]);
		}
	}
	for (e = 0; e < lists->first[lists->rows]; e++)
		score[e] = sum[e];
	for (i = 0; i < lists->rows; i++)
		sort_row(column + lists->first[i], score + lists->first[i],
				 (int32_t) (lists->first[i + 1] - lists->first[i]), true);
	host->release(host, sum);
	host->release(host, lookup.row);
	host->release(host, lookup.place);
	host->release(host, lookup.column);
	host->release(host, lookup.score);
}
