/*
 * lattice_tally.c
 *		Which classes of a node fail, and how many records are in them.
 *
 * Sizes come first, in a pass that has no branches; sensitive values are
 * looked at only when the sizes alone do not suppress too many records.
 */
#include "kernel/generalization/lattice_parts.h"

#include <string.h>

/* When size alone decides; the loop has nothing that cannot be foreseen. */
static void
tally_kept(const SdcLattice *lattice, const SdcLatticeTable *table,
		   SdcLatticeTally *tally)
{
	int64_t smallest = INT64_MAX;
	int64_t largest = 0;
	int64_t kept = 0;
	int32_t c;

	for (c = 0; c < table->classes; c++)
	{
		int64_t count = table->count[c];
		int64_t size = count < lattice->group_size ? INT64_MAX : count;

		kept += count >= lattice->group_size;
		smallest = size < smallest ? size : smallest;
		largest = count > largest ? count : largest;
	}
	tally->complete = true;
	tally->suppressed = tally->small;
	tally->kept = kept;
	tally->failing = table->classes - kept;
	tally->smallest = kept > 0 ? smallest : 0;
	tally->largest = kept > 0 ? largest : 0;
}

/*
 * When classes that are large enough must be looked at, too.  Stops where more
 * records fail than may, unless all is wanted.
 */
static void
tally_judged(SdcLattice *lattice, SdcLatticeTable *table, bool all,
			 SdcLatticeTally *tally)
{
	SdcHost *host = lattice->host;
	int32_t c;

	tally->suppressed = tally->small;
	for (c = 0; c < table->classes; c++)
	{
		int64_t count = table->count[c];
		bool small = count < lattice->group_size;

		if (c % 1024 == 1023)
			host->poll(host, (uint64_t) c, (uint64_t) table->classes);
		if (small || sdc_lattice_runs_fail(lattice, table, c))
		{
			tally->suppressed += small ? 0 : count;
			tally->failing++;
			if (!all && tally->suppressed > lattice->problem.limit)
				return;
			continue;
		}
		if (tally->kept++ == 0 || count < tally->smallest)
			tally->smallest = count;
		if (count > tally->largest)
			tally->largest = count;
	}
	tally->complete = true;
}

/* Sums of squares, in all classes and in those that are kept. */
static void
tally_squares(const SdcLattice *lattice, const SdcLatticeTable *table,
			  SdcLatticeTally *tally)
{
	int32_t c;

	for (c = 0; c < table->classes; c++)
	{
		__int128 square = (__int128) table->count[c] * table->count[c];

		tally->squares_all += square;
		if (table->count[c] >= lattice->group_size &&
			(table->state == NULL || table->state[c] == SDC_LATTICE_PASSES))
			tally->squares += square;
	}
}

void
sdc_lattice_tally(SdcLattice *lattice, SdcLatticeTable *table, bool all,
				  SdcLatticeTally *tally)
{
	int32_t c;

	memset(tally, 0, sizeof(*tally));
	for (c = 0; c < table->classes; c++)
		tally->small +=
			table->count[c] < lattice->group_size ? table->count[c] : 0;
	tally->suppressed = tally->small;
	if (!all && tally->small > lattice->problem.limit)
		return;
	if (table->state == NULL)
		tally_kept(lattice, table, tally);
	else
		tally_judged(lattice, table, all, tally);
	if (tally->complete &&
		lattice->problem.metric == SDC_LATTICE_DISCERNIBILITY)
		tally_squares(lattice, table, tally);
}
