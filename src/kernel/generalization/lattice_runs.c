/*
 * lattice_runs.c
 *		The sensitive values of the classes of a node.
 *
 * A class lists the values that it has as a run of codes with counts, the
 * form in which class_measures.c judges it.  When classes are joined their
 * counts are added up by value; bits tell which values were touched, so the
 * sum comes out in order without sorting.  A class that is joined with no
 * other keeps its run, and what was found out about it.
 */
#include "kernel/generalization/lattice_parts.h"

#include <string.h>

/* Bits of a word, and words that a bit of the summary stands for. */
#define WORD 64

static void
start_merger(SdcHost *host, int32_t slots, SdcLatticeMerger *merger)
{
	size_t words = (size_t) slots / WORD + 1;
	size_t summary = words / WORD + 1;

	merger->slots = slots;
	merger->held = sdc_new(host, int64_t, (size_t) slots);
	merger->touched = sdc_new(host, uint64_t, words);
	merger->words = sdc_new(host, uint64_t, summary);
	memset(merger->held, 0, sizeof(int64_t) * (size_t) slots);
	memset(merger->touched, 0, sizeof(uint64_t) * words);
	memset(merger->words, 0, sizeof(uint64_t) * summary);
}

static inline void
add_run(SdcLatticeMerger *merger, const SdcLatticeRuns *runs, int32_t c)
{
	int32_t cell;

	for (cell = runs->first[c]; cell < runs->first[c + 1]; cell++)
	{
		int32_t slot = runs->code[cell] == SDC_CODE_NULL ? merger->slots - 1
														 : runs->code[cell];
		int32_t word = slot / WORD;

		merger->held[slot] += runs->count[cell];
		merger->touched[word] |= UINT64_C(1) << slot % WORD;
		merger->words[word / WORD] |= UINT64_C(1) << word % WORD;
	}
}

/* Appends what was added up and clears it; returns the new end. */
static int32_t
drain_word(SdcLatticeMerger *merger, int32_t word, SdcLatticeRuns *runs,
		   int32_t end)
{
	uint64_t bits = merger->touched[word];

	merger->touched[word] = 0;
	for (; bits != 0; bits &= bits - 1)
	{
		int32_t slot = word * WORD + __builtin_ctzll(bits);

		runs->code[end] = slot == merger->slots - 1 ? SDC_CODE_NULL : slot;
		runs->count[end++] = merger->held[slot];
		merger->held[slot] = 0;
	}
	return end;
}

static int32_t
drain(SdcLatticeMerger *merger, SdcLatticeRuns *runs, int32_t end)
{
	int32_t last = (merger->slots - 1) / WORD / WORD;
	int32_t s;

	for (s = 0; s <= last; s++)
	{
		uint64_t bits = merger->words[s];

		merger->words[s] = 0;
		for (; bits != 0; bits &= bits - 1)
			end = drain_word(merger, s * WORD + __builtin_ctzll(bits), runs,
							 end);
	}
	return end;
}

static int32_t
copy_run(const SdcLatticeRuns *from, int32_t c, SdcLatticeRuns *to,
		 int32_t end)
{
	int32_t first = from->first[c];
	int32_t cells = from->first[c + 1] - first;

	memcpy(to->code + end, from->code + first,
		   sizeof(int32_t) * (size_t) cells);
	memcpy(to->count + end, from->count + first,
		   sizeof(int64_t) * (size_t) cells);
	return end + cells;
}

static void
reserve(SdcHost *host, SdcLatticeRuns *runs, int32_t classes, int32_t cells)
{
	if (classes > runs->classes_room)
	{
		host->release(host, runs->first);
		runs->first = sdc_new(host, int32_t, (size_t) classes + 1);
		runs->classes_room = classes;
	}
	if (cells > runs->cells_room)
	{
		host->release(host, runs->code);
		host->release(host, runs->count);
		runs->code = sdc_new(host, int32_t, (size_t) cells);
		runs->count = sdc_new(host, int64_t, (size_t) cells);
		runs->cells_room = cells;
	}
}

void
sdc_lattice_runs_release(SdcLattice *lattice, SdcLatticeTable *table)
{
	SdcHost *host = lattice->host;
	int s;

	if (table->runs == NULL)
		return;
	for (s = 0; s < lattice->problem.sensitives; s++)
	{
		host->release(host, table->runs[s].first);
		host->release(host, table->runs[s].code);
		host->release(host, table->runs[s].count);
	}
	host->release(host, table->runs);
	table->runs = NULL;
}

/* Sorts the classes of a table by their target. */
static void
order_classes(SdcLattice *lattice, int32_t from, int32_t to)
{
	int32_t *start = lattice->start;
	int32_t sum = 0;
	int32_t c;

	memset(start, 0, sizeof(int32_t) * ((size_t) to + 1));
	for (c = 0; c < from; c++)
		start[lattice->target[c]]++;
	for (c = 0; c <= to; c++)
	{
		int32_t n = start[c];

		start[c] = sum;
		sum += n;
	}
	for (c = 0; c < from; c++)
		lattice->order[start[lattice->target[c]]++] = c;
	/* every start has moved to the next one */
	for (c = to; c > 0; c--)
		start[c] = start[c - 1];
	start[0] = 0;
}

static void
roll_one(SdcLattice *lattice, SdcLatticeMerger *merger,
		 const SdcLatticeRuns *from, int32_t from_classes, SdcLatticeRuns *to,
		 int32_t classes)
{
	SdcHost *host = lattice->host;
	int32_t polled = 0;
	int32_t end = 0;
	int32_t c;
	int32_t i;

	reserve(host, to, classes, from->first[from_classes]);
	for (c = 0; c < classes; c++)
	{
		int32_t first = lattice->start[c];
		int32_t last = lattice->start[c + 1];

		to->first[c] = end;
		if (last - first == 1)
			end = copy_run(from, lattice->order[first], to, end);
		else
		{
			for (i = first; i < last; i++)
				add_run(merger, from, lattice->order[i]);
			end = drain(merger, to, end);
		}
		if (end - polled >= SDC_POLL_STEPS)
		{
			polled = end;
			host->poll(host, (uint64_t) c, (uint64_t) classes);
		}
	}
	to->first[classes] = end;
}

static void
take_runs(SdcLattice *lattice, SdcLatticeTable *table)
{
	size_t n = (size_t) lattice->problem.sensitives;

	if (table->runs != NULL)
		return;
	table->runs = sdc_new(lattice->host, SdcLatticeRuns, n);
	memset(table->runs, 0, sizeof(SdcLatticeRuns) * n);
}

void
sdc_lattice_runs_roll(SdcLattice *lattice, const SdcLatticeTable *from,
					  SdcLatticeTable *to)
{
	int32_t c;
	int s;

	take_runs(lattice, to);
	order_classes(lattice, from->classes, to->classes);
	for (c = 0; c < to->classes; c++)
	{
		int32_t first = lattice->start[c];

		to->state[c] = lattice->start[c + 1] - first == 1
						   ? from->state[lattice->order[first]]
						   : SDC_LATTICE_UNKNOWN;
	}
	for (s = 0; s < lattice->problem.sensitives; s++)
		roll_one(lattice, &lattice->merger[s], &from->runs[s], from->classes,
				 &to->runs[s], to->classes);
}

/* The request of a column, with its k left to the search. */
static SdcClassMeasuring *
start_measuring(SdcLattice *lattice, int s)
{
	const SdcLatticeSensitive *sensitive = &lattice->problem.sensitive[s];
	const SdcFrequency *frequency = lattice->problem.frequency;
	int column = lattice->keys + s;
	SdcFrequency own = *frequency;

	/* only the last column is read */
	own.columns = 1;
	own.code = &frequency->code[column];
	own.values = &frequency->values[column];
	return sdc_class_measures_start(
		lattice->host,
		sensitive->reference != NULL ? sensitive->reference : &own,
		&sensitive->request);
}

/* The cells of the frequency table as runs of one value each. */
static void
start_runs(SdcLattice *lattice, int s, SdcLatticeRuns *base)
{
	SdcHost *host = lattice->host;
	const SdcFrequency *frequency = lattice->problem.frequency;
	SdcLatticeRuns cells;
	int32_t cell;

	memset(&cells, 0, sizeof(cells));
	cells.first = sdc_new(host, int32_t, (size_t) frequency->cells + 1);
	cells.code = frequency->code[lattice->keys + s];
	cells.count = frequency->count;
	for (cell = 0; cell <= frequency->cells; cell++)
		cells.first[cell] = cell;
	roll_one(lattice, &lattice->merger[s], &cells, frequency->cells, base,
			 lattice->base.classes);
	host->release(host, cells.first);
}

void
sdc_lattice_runs_start(SdcLattice *lattice)
{
	SdcHost *host = lattice->host;
	const SdcFrequency *frequency = lattice->problem.frequency;
	size_t n = (size_t) lattice->problem.sensitives;
	SdcLatticeTable *base = &lattice->base;
	int s;

	if (n == 0)
		return;
	take_runs(lattice, base);
	memset(base->state, SDC_LATTICE_UNKNOWN, (size_t) base->classes);
	lattice->start = sdc_new(host, int32_t, (size_t) base->classes + 1);
	lattice->order = sdc_new(host, int32_t, (size_t) frequency->cells);
	lattice->measuring = sdc_new(host, SdcClassMeasuring *, n);
	lattice->merger = sdc_new(host, SdcLatticeMerger, n);
	order_classes(lattice, frequency->cells, base->classes);
	for (s = 0; s < (int) n; s++)
	{
		start_merger(host, frequency->values[lattice->keys + s] + 1,
					 &lattice->merger[s]);
		start_runs(lattice, s, &base->runs[s]);
		lattice->measuring[s] = start_measuring(lattice, s);
	}
}

void
sdc_lattice_runs_finish(SdcLattice *lattice)
{
	SdcHost *host = lattice->host;
	int s;

	for (s = 0; s < lattice->problem.sensitives && lattice->merger != NULL;
		 s++)
	{
		sdc_class_measures_release(host, lattice->measuring[s]);
		host->release(host, lattice->merger[s].held);
		host->release(host, lattice->merger[s].touched);
		host->release(host, lattice->merger[s].words);
	}
	host->release(host, lattice->measuring);
	host->release(host, lattice->merger);
	host->release(host, lattice->start);
	host->release(host, lattice->order);
}

/* Does a class fail a bound of one sensitive column? */
static bool
fails_one(SdcLattice *lattice, int s, const SdcLatticeRuns *runs, int32_t c)
{
	const SdcClassRequest *request = &lattice->problem.sensitive[s].request;
	double value[SDC_CLASS_MEASURES];
	SdcHistogram histogram;
	int32_t first = runs->first[c];
	int32_t end = runs->first[c + 1];
	int32_t cell;
	int m;

	if (request->ignore_nulls && end > first &&
		runs->code[end - 1] == SDC_CODE_NULL)
		end--;
	histogram.cells = end - first;
	histogram.code = runs->code + first;
	histogram.count = runs->count + first;
	histogram.records = 0;
	for (cell = first; cell < end; cell++)
		histogram.records += runs->count[cell];
	/* nothing to learn, and nothing to measure */
	if (histogram.records == 0)
		return false;
	sdc_class_measures_class(lattice->measuring[s], &histogram, value);
	for (m = 0; m < SDC_CLASS_MEASURES; m++)
		if (sdc_class_measures_fails(request, (SdcClassMeasure) m, value[m]))
			return true;
	return false;
}

bool
sdc_lattice_runs_fail(SdcLattice *lattice, SdcLatticeTable *table, int32_t c)
{
	int s;

	for (s = 0; s < lattice->problem.sensitives &&
				table->state[c] == SDC_LATTICE_UNKNOWN;
		 s++)
		if (fails_one(lattice, s, &table->runs[s], c))
			table->state[c] = SDC_LATTICE_FAILS;
	if (table->state[c] == SDC_LATTICE_UNKNOWN)
		table->state[c] = SDC_LATTICE_PASSES;
	return table->state[c] == SDC_LATTICE_FAILS;
}
