/*
 * blocks.c
 *		MDAV inside the blocks of a k-d tree.
 *
 * The rows of a block are always kept in canonical order, so the groups of a
 * block do not depend on how the halving went about it: a stable pass sends
 * rows below the median to the lower half, and of the rows at the median as
 * many of the first as are needed to fill it.
 */
#include "kernel/geometry/blocks.h"

#include "kernel/microaggregation/mdav.h"
#include "kernel/base/part_host.h"

#include <string.h>

typedef struct Blocks
{
	SdcHost *host;
	const SdcPoints *points;
	int k;
	int32_t most_rows;
	int32_t *row;   /* canonical rows, those of a block together, ascending */
	int32_t *spare; /* scratch as long as row */
	double *value;  /* scratch as long as row */
	int32_t done;   /* rows grouped */
	int32_t *group;
	int32_t groups;
} Blocks;

static void
poll_block(const Blocks *blocks)
{
	blocks->host->poll(blocks->host, (uint64_t) blocks->done,
					   (uint64_t) blocks->points->rows);
}

/* Variance, times the number of rows, of a column within a block. */
static double
block_variance(const Blocks *blocks, const int32_t *row, int32_t n,
			   const double *column)
{
	double origin = column[row[0]];
	double sum = 0;
	double squares = 0;
	int32_t i;

	for (i = 0; i < n; i++)
	{
		double value = column[row[i]] - origin;

		if (i % SDC_POLL_STEPS == 0)
			poll_block(blocks);
		sum += value;
		squares += value * value;
	}
	return squares - sum * sum / n;
}

static int
choose_column(const Blocks *blocks, const int32_t *row, int32_t n)
{
	double greatest = -1;
	int chosen = 0;
	int j;

	for (j = 0; j < blocks->points->columns; j++)
	{
		double variance =
			block_variance(blocks, row, n, blocks->points->column[j]);

		if (variance > greatest)
		{
			greatest = variance;
			chosen = j;
		}
	}
	return chosen;
}

/*
 * The value at a rank (from 0) among n values, and how many are smaller.
 * Partitions value[] around pivots from scattered places.
 */
static double
value_at_rank(const Blocks *blocks, double *value, int32_t n, int32_t rank)
{
	int32_t first = 0;
	int32_t last = n - 1;
	uint32_t scatter = 1;

	while (first < last)
	{
		double pivot;
		int32_t i = first;
		int32_t j = last;

		poll_block(blocks);
		scatter = scatter * 1664525u + 1013904223u;
		pivot = value[first + (int32_t) (((uint64_t) scatter *
										  (uint32_t) (last - first + 1)) >>
										 32)];
		while (i <= j)
		{
			while (value[i] < pivot)
				i++;
			while (value[j] > pivot)
				j--;
			if (i <= j)
			{
				double kept = value[i];

				value[i++] = value[j];
				value[j--] = kept;
			}
		}
		if (rank <= j)
			last = j;
		else if (rank >= i)
			first = i;
		else
			break;
	}
	return value[rank];
}

/* Puts the lower half of the rows before the upper one, each ascending. */
static void
halve(const Blocks *blocks, int32_t *row, int32_t n, int32_t lower)
{
	const double *column =
		blocks->points->column[choose_column(blocks, row, n)];
	int32_t equal = lower;
	int32_t low = 0;
	int32_t high = 0;
	double median;
	int32_t i;

	for (i = 0; i < n; i++)
		blocks->value[i] = column[row[i]];
	median = value_at_rank(blocks, blocks->value, n, lower - 1);
	for (i = 0; i < n; i++)
		equal -= column[row[i]] < median;
	poll_block(blocks);
	for (i = 0; i < n; i++)
	{
		double value = column[row[i]];

		if (value < median || (value == median && equal-- > 0))
			row[low++] = row[i];
		else
			blocks->spare[high++] = row[i];
	}
	memcpy(row + low, blocks->spare, (size_t) high * sizeof(*row));
}

static void
group_block(Blocks *blocks, const int32_t *row, int32_t n)
{
	SdcHost *host = blocks->host;
	SdcPoints *block = sdc_points_subset(host, blocks->points, row, n);
	int32_t *group = sdc_new(host, int32_t, (size_t) n);
	SdcPartHost part;
	int32_t groups;
	int32_t i;

	sdc_part_host_start(&part, host, (uint64_t) blocks->done,
						(uint64_t) blocks->points->rows);
	groups = sdc_mdav(&part.host, block, blocks->k, group);
	for (i = 0; i < n; i++)
		blocks->group[row[i]] = blocks->groups + group[i];
	blocks->groups += groups;
	blocks->done += n;
	host->release(host, group);
	sdc_points_release(host, block);
	poll_block(blocks);
}

/* Recursion halves n, so it is at most 31 deep. */
static void
group_rows(Blocks *blocks, int32_t *row, int32_t n)
{
	int32_t lower = n / 2 / blocks->k * blocks->k;

	if (n <= blocks->most_rows || lower == 0)
	{
		group_block(blocks, row, n);
		return;
	}
	halve(blocks, row, n, lower);
	group_rows(blocks, row, lower);
	group_rows(blocks, row + lower, n - lower);
}

int32_t
sdc_blocks_group(SdcHost *host, const SdcPoints *points, int k,
				 int32_t most_rows, int32_t *group)
{
	size_t n = (size_t) points->rows;
	Blocks blocks = {host, points, k, most_rows, NULL,
					 NULL, NULL,   0, group,     0};
	size_t i;

	if (points->rows <= most_rows)
		return sdc_mdav(host, points, k, group);
	blocks.row = sdc_new(host, int32_t, n);
	blocks.spare = sdc_new(host, int32_t, n);
	blocks.value = sdc_new(host, double, n);
	for (i = 0; i < n; i++)
		blocks.row[i] = (int32_t) i;
	group_rows(&blocks, blocks.row, points->rows);
	host->release(host, blocks.row);
	host->release(host, blocks.spare);
	host->release(host, blocks.value);
	return blocks.groups;
}
