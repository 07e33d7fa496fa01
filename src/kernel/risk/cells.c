/*
 * cells.c
 *		Attribute disclosure in the cells of a table.
 *
 * The histogram of the sensitive values of a cell is a run of a frequency
 * table, so one pass over the table measures all cells.
 */
#include <string.h>

#include "kernel/base/host.h"
#include "kernel/base/sort.h"
#include "kernel/risk/cells.h"
#include "kernel/table/frequency.h"

static SdcCell
measure_cell(const SdcFrequency *frequency, int32_t first, int32_t end,
			 bool ignore_null)
{
	const int32_t *code = frequency->code[frequency->columns - 1];
	SdcCell cell = {0, 0, 0, SDC_CODE_NULL, 0, 0};
	int32_t i;

	for (i = first; i < end; i++)
	{
		int64_t count = frequency->count[i];

		if (ignore_null && code[i] == SDC_CODE_NULL)
			continue;
		cell.values++;
		cell.records += count;
		if (count > cell.largest)
		{
			cell.largest = count;
			cell.value = code[i];
		}
	}
	return cell;
}

void
sdc_cells_measure(SdcHost *host, const SdcFrequency *frequency,
				  const SdcClasses *classes, bool ignore_null, int32_t column,
				  SdcCell *cell)
{
	int32_t c;

	for (c = 0; c < classes->classes; c++)
	{
		if (c % SDC_POLL_STEPS == 0)
			host->poll(host, c, classes->classes);
		cell[c] = measure_cell(frequency, classes->first[c],
							   classes->first[c + 1], ignore_null);
		cell[c].number = c;
		cell[c].column = column;
	}
}

/* Sorts by a key, keeping the order of equal ones. */
static void
sort_by(SdcHost *host, const SdcCell *cell, int32_t *order, uint64_t *keys,
		int32_t n, uint64_t (*key_of)(const SdcCell *cell))
{
	int32_t i;

	for (i = 0; i < n; i++)
		keys[i] = key_of(&cell[order[i]]);
	sdc_sort_keys(host, keys, order, n);
}

static uint64_t
key_of_records(const SdcCell *cell)
{
	return UINT64_MAX - (uint64_t) cell->records;
}

static uint64_t
key_of_coalition(const SdcCell *cell)
{
	return cell->records == 0 ? UINT64_MAX
							  : (uint64_t) sdc_cells_coalition(cell);
}

int32_t
sdc_cells_sort(SdcHost *host, SdcCell *cell, int32_t n)
{
	SdcCell *old = sdc_new(host, SdcCell, n);
	int32_t *order = sdc_new(host, int32_t, n);
	uint64_t *keys = sdc_new(host, uint64_t, n);
	int32_t counted = 0;
	int32_t i;

	memcpy(old, cell, sizeof(SdcCell) * n);
	for (i = 0; i < n; i++)
		order[i] = i;
	sort_by(host, old, order, keys, n, key_of_records);
	sort_by(host, old, order, keys, n, key_of_coalition);
	for (i = 0; i < n; i++)
	{
		cell[i] = old[order[i]];
		counted += cell[i].records > 0;
	}
	host->release(host, keys);
	host->release(host, order);
	host->release(host, old);
	return counted;
}
