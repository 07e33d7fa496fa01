/*
 * frequency_count.c
 *		Counts records into the cells of a frequency table.
 *
 * Open addressing over cell numbers; the codes of a cell lie side by side, so
 * that a look-up reads one place.  Weights are summed with their rounding
 * errors (Knuth's two-sum), so that a sum does not depend on the order of the
 * records but in the rarest of cases.
 */
#include <string.h>

#include "kernel/table/frequency_count.h"
#include "kernel/base/grow.h"

#define FIRST_ROOM 1024
#define EMPTY      (-1)

/* Makes the slots anew for twice the room of cells. */
static void
place_cells(SdcFrequencyCount *counting)
{
	SdcHost *host = counting->host;
	size_t slots = (size_t) counting->room * 2;
	int32_t cell;

	host->release(host, counting->slot);
	counting->slot = sdc_new(host, int32_t, slots);
	memset(counting->slot, EMPTY, slots * sizeof(int32_t));
	counting->mask = slots - 1;
	for (cell = 0; cell < counting->cells; cell++)
	{
		size_t at = counting->hash[cell] & counting->mask;

		if (cell % SDC_POLL_STEPS == 0)
			host->poll(host, 0, 0);
		while (counting->slot[at] != EMPTY)
			at = (at + 1) & counting->mask;
		counting->slot[at] = cell;
	}
}

static void
grow_cells(SdcFrequencyCount *counting)
{
	SdcHost *host = counting->host;
	size_t used = counting->cells;
	size_t room = used == 0 ? FIRST_ROOM : used * 2;

	counting->codes = sdc_grow(host, counting->codes, used * counting->columns,
							   room * counting->columns, sizeof(int32_t));
	counting->count =
		sdc_grow(host, counting->count, used, room, sizeof(int64_t));
	counting->hash =
		sdc_grow(host, counting->hash, used, room, sizeof(uint32_t));
	if (counting->weighted)
		counting->weight =
			sdc_grow(host, counting->weight, used, room, sizeof(SdcWeight));
	counting->room = room;
	place_cells(counting);
}

SdcFrequencyCount *
sdc_frequency_start(SdcHost *host, int columns, bool weighted)
{
	SdcFrequencyCount *counting = sdc_new(host, SdcFrequencyCount, 1);

	memset(counting, 0, sizeof(*counting));
	counting->host = host;
	counting->columns = columns;
	counting->weighted = weighted;
	grow_cells(counting);
	return counting;
}

static uint32_t
hash_codes(const int32_t *codes, int columns)
{
	uint64_t hash = 0x9e3779b97f4a7c15;
	int j;

	for (j = 0; j < columns; j++)
	{
		hash = (hash ^ (uint32_t) codes[j]) * 0xd6e8feb86659fd93;
		hash ^= hash >> 32;
	}
	return (uint32_t) (hash ^ hash >> 15);
}

static int32_t
new_cell(SdcFrequencyCount *counting, const int32_t *codes, uint32_t hash)
{
	int32_t cell = counting->cells++;

	memcpy(counting->codes + (size_t) cell * counting->columns, codes,
		   counting->columns * sizeof(int32_t));
	counting->count[cell] = 0;
	counting->hash[cell] = hash;
	if (counting->weighted)
		memset(&counting->weight[cell], 0, sizeof(SdcWeight));
	return cell;
}

/* Adds to a sum and keeps what rounding takes away. */
static void
add_weight(SdcWeight *weight, double more)
{
	double sum = weight->sum + more;
	double part = sum - weight->sum;

	weight->error += (weight->sum - (sum - part)) + (more - part);
	weight->sum = sum;
}

int32_t
sdc_frequency_add(SdcFrequencyCount *counting, const int32_t *codes,
				  int64_t count, double weight)
{
	int columns = counting->columns;
	uint32_t hash = hash_codes(codes, columns);
	size_t at = hash & counting->mask;
	int32_t cell;

	while ((cell = counting->slot[at]) != EMPTY &&
		   (counting->hash[cell] != hash ||
			memcmp(counting->codes + (size_t) cell * columns, codes,
				   columns * sizeof(int32_t)) != 0))
		at = (at + 1) & counting->mask;
	if (cell == EMPTY)
	{
		cell = new_cell(counting, codes, hash);
		counting->slot[at] = cell;
		if ((size_t) counting->cells == counting->room)
			grow_cells(counting);
	}
	counting->count[cell] += count;
	if (counting->weighted)
		add_weight(&counting->weight[cell], weight);
	return cell;
}
