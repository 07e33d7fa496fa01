/*
 * lattice_values.c
 *		The sensitive values of the classes of a node.
 *
 * A class lists the values that it has as a run of codes with counts, the
 * form in which class_measures.c judges it, or, where the column has few
 * values, as a row with a place for each.  When classes are joined their
 * counts are added up by value; bits tell which values of runs were touched,
 * so the sum comes out in order without sorting.  A class that is joined with
 * no other keeps what was found out about it.
 */
#include <string.h>

#include "kernel/base/host.h"
#include "kernel/generalization/lattice.h"
#include "kernel/generalization/lattice_count.h"
#include "kernel/risk/class_measures.h"
#include "kernel/risk/class_rows.h"
#include "kernel/table/frequency.h"

/* Bits of a word, and words that a bit of the summary stands for. */
#define WORD 64

/* Rows have at most so many places, unless a test says so. */
#ifndef MOST_PLACES
#define MOST_PLACES 32
#endif

/* Places of a row of so many values; 0: they are kept as runs. */
static int32_t
row_width(int32_t slots, int64_t records)
{
	return slots <= MOST_PLACES && records <= INT32_MAX
			   ? sdc_class_row_width(slots)
			   : 0;
}

bool
sdc_lattice_runs_rows(const SdcLattice *lattice)
{
	const SdcFrequency *frequency = lattice->problem.frequency;
	int s;

	for (s = 0; s < lattice->problem.sensitives; s++)
		if (row_width(frequency->values[lattice->keys + s] + 1,
					  frequency->records) == 0)
			return false;
	return true;
}

static void
start_merger(SdcHost *host, int32_t slots, int64_t records,
			 SdcLatticeMerger *merger)
{
	size_t words = (size_t) slots / WORD + 1;
	size_t summary = words / WORD + 1;

	merger->slots = slots;
	merger->width = row_width(slots, records);
	merger->code = sdc_new(host, int32_t, (size_t) merger->width);
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
		host->release(host, table->runs[s].row);
		host->release(host, table->runs[s].first);
		host->release(host, table->runs[s].code);
		host->release(host, table->runs[s].count);
	}
	host->release(host, table->runs);
	table->runs = NULL;
}

/* Sorts the classes of a table by their target. */
static void
order_classes(SdcLattice *lattice, const int32_t *target, int32_t from,
			  int32_t to)
{
	int32_t *start = lattice->start;
	int32_t sum = 0;
	int32_t c;

	memset(start, 0, sizeof(int32_t) * ((size_t) to + 1));
	for (c = 0; c < from; c++)
		start[target[c]]++;
	for (c = 0; c <= to; c++)
	{
		int32_t n = start[c];

		start[c] = sum;
		sum += n;
	}
	for (c = 0; c < from; c++)
		lattice->order[start[target[c]]++] = c;
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

/* Rows with nothing in them, after those of classes before first. */
static void
clear_rows(SdcLattice *lattice, const SdcLatticeMerger *merger,
		   SdcLatticeRuns *runs, int32_t first, int32_t last)
{
	size_t width = (size_t) merger->width;

	if (last > runs->classes_room)
	{
		int32_t room = first > 0 && last <= INT32_MAX / 2 ? 2 * last : last;

		runs->row = sdc_grow(lattice->host, runs->row, (size_t) first * width,
							 (size_t) room * width, sizeof(int32_t));
		runs->classes_room = room;
	}
	memset(runs->row + (size_t) first * width, 0,
		   sizeof(int32_t) * (size_t) (last - first) * width);
}

/* Adds rows up by the class that each becomes part of. */
static void
add_rows(SdcLattice *lattice, const SdcLatticeMerger *merger,
		 const SdcLatticeRuns *from, int32_t first, int32_t last,
		 const int32_t *target, SdcLatticeRuns *to)
{
	size_t width = (size_t) merger->width;
	int32_t c;

	for (c = first; c < last; c += SDC_POLL_STEPS)
	{
		lattice->host->poll(lattice->host, (uint64_t) c, (uint64_t) last);
		sdc_class_rows_add(
			from->row + (size_t) c * width, merger->width, target + c,
			last - c < SDC_POLL_STEPS ? last - c : SDC_POLL_STEPS, to->row);
	}
}

/*
 * Nothing is known of the classes from first on, but that what is known of a
 * class that is joined with no other stays.
 */
static void
know_classes(const SdcLatticeTable *from, int parts, SdcLatticeTable *table)
{
	int32_t first = table->end[table->known];
	size_t n = (size_t) (table->end[parts] - first);
	int32_t c;

	memset(table->state + first, SDC_LATTICE_UNKNOWN, n);
	memset(table->lost + first, -1, sizeof(int64_t) * n);
	for (c = table->used[table->known];
		 from->judged && from->parts == 1 && c < table->used[parts]; c++)
	{
		int32_t to = table->target[c];

		if (from->count[c] != table->count[to])
			continue;
		table->state[to] = from->state[c];
		table->lost[to] = from->lost[c];
	}
}

/*
 * The table that a table is put together from.  Where the one that it was
 * rolled up from has become another, it is the base.
 */
static SdcLatticeTable *
origin_of(SdcLattice *lattice, SdcLatticeTable *table)
{
	SdcLatticeTable *from = table->origin;
	uint8_t level[SDC_LATTICE_MAX_KEYS];

	if (from->filled && from != table &&
		memcmp(from->level, table->below, (size_t) lattice->keys) == 0)
		return from;
	memcpy(level, table->level, sizeof(level));
	sdc_lattice_table_roll(lattice, &lattice->base, level, table);
	return &lattice->base;
}

/*
 * Puts the values of one column of some parts together; runs need the classes
 * in the order of their targets.
 */
static void
know_values(SdcLattice *lattice, int s, const SdcLatticeTable *from, int parts,
			SdcLatticeTable *table)
{
	SdcLatticeMerger *merger = &lattice->merger[s];

	if (merger->width > 0)
	{
		clear_rows(lattice, merger, &table->runs[s], table->end[table->known],
				   table->end[parts]);
		add_rows(lattice, merger, &from->runs[s], table->used[table->known],
				 table->used[parts], table->target, &table->runs[s]);
		return;
	}
	roll_one(lattice, merger, &from->runs[s], from->classes, &table->runs[s],
			 table->classes);
}

void
sdc_lattice_runs_know(SdcLattice *lattice, SdcLatticeTable *table, int parts)
{
	SdcLatticeTable *from;
	int s;

	if (table->known >= parts)
		return;
	from = origin_of(lattice, table);
	sdc_lattice_table_extend(lattice, table, parts);
	sdc_lattice_runs_know(
		lattice, from,
		sdc_lattice_table_alike(lattice, table) ? parts : from->parts);
	take_runs(lattice, table);
	know_classes(from, parts, table);
	if (!sdc_lattice_runs_rows(lattice))
		order_classes(lattice, table->target, from->classes, table->classes);
	for (s = 0; s < lattice->problem.sensitives; s++)
		know_values(lattice, s, from, parts, table);
	table->known = parts;
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
	const SdcLatticeMerger *merger = &lattice->merger[s];
	const int32_t *code = frequency->code[lattice->keys + s];
	SdcLatticeRuns cells;
	int32_t cell;

	if (merger->width > 0)
	{
		clear_rows(lattice, merger, base, 0, lattice->base.classes);
		for (cell = 0; cell < frequency->cells; cell++)
			base->row[(size_t) lattice->place[cell] * (size_t) merger->width +
					  (size_t) (code[cell] == SDC_CODE_NULL ? merger->slots - 1
															: code[cell])] +=
				(int32_t) frequency->count[cell];
		return;
	}
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
	memset(base->lost, -1, sizeof(int64_t) * (size_t) base->classes);
	lattice->start = sdc_new(host, int32_t, (size_t) base->classes + 1);
	lattice->order = sdc_new(host, int32_t, (size_t) lattice->cells);
	lattice->measuring = sdc_new(host, SdcClassMeasuring *, n);
	lattice->merger = sdc_new(host, SdcLatticeMerger, n);
	/* those of the register, if there is one, come after them */
	order_classes(lattice, lattice->place, frequency->cells, base->classes);
	for (s = 0; s < (int) n; s++)
	{
		start_merger(host, frequency->values[lattice->keys + s] + 1,
					 frequency->records, &lattice->merger[s]);
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
		host->release(host, lattice->merger[s].code);
		host->release(host, lattice->merger[s].held);
		host->release(host, lattice->merger[s].touched);
		host->release(host, lattice->merger[s].words);
	}
	host->release(host, lattice->measuring);
	host->release(host, lattice->merger);
	host->release(host, lattice->start);
	host->release(host, lattice->order);
}

/* The values of a class, from its row. */
static SdcHistogram
row_histogram(const SdcLatticeMerger *merger, const SdcLatticeRuns *runs,
			  int32_t c)
{
	const int32_t *row = runs->row + (size_t) c * (size_t) merger->width;
	SdcHistogram histogram = {0, merger->code, merger->held, 0};
	int32_t slot;

	for (slot = 0; slot < merger->slots; slot++)
	{
		/* no branch: what is in a row cannot be foreseen */
		merger->code[histogram.cells] =
			slot + 1 < merger->slots ? slot : SDC_CODE_NULL;
		merger->held[histogram.cells] = row[slot];
		histogram.cells += row[slot] > 0;
	}
	return histogram;
}

/* The same from its run. */
static SdcHistogram
run_histogram(const SdcLatticeRuns *runs, int32_t c)
{
	int32_t first = runs->first[c];
	SdcHistogram histogram = {runs->first[c + 1] - first, runs->code + first,
							  runs->count + first, 0};

	return histogram;
}

/* The values of a class that its models look at. */
static SdcHistogram
class_histogram(const SdcLattice *lattice, int s, const SdcLatticeTable *table,
				int32_t c)
{
	const SdcClassRequest *request = &lattice->problem.sensitive[s].request;
	const SdcLatticeMerger *merger = &lattice->merger[s];
	SdcHistogram histogram = merger->width > 0
								 ? row_histogram(merger, &table->runs[s], c)
								 : run_histogram(&table->runs[s], c);
	int32_t cell;

	if (request->ignore_nulls && histogram.cells > 0 &&
		histogram.code[histogram.cells - 1] == SDC_CODE_NULL)
		histogram.cells--;
	for (cell = 0; cell < histogram.cells; cell++)
		histogram.records += histogram.count[cell];
	return histogram;
}

/* What a row says of a class at once, where there are rows. */
static inline SdcClassGlance
glance_at(const SdcLattice *lattice, int s, const SdcLatticeTable *table,
		  int32_t c)
{
	int32_t width = lattice->merger[s].width;

	if (width == 0)
		return SDC_CLASS_UNCLEAR;
	return sdc_class_measures_row(lattice->measuring[s],
								  table->runs[s].row +
									  (size_t) c * (size_t) width,
								  width, table->count[c]);
}

bool
sdc_lattice_runs_fail(SdcLattice *lattice, SdcLatticeTable *table, int32_t c)
{
	bool fails = table->state[c] == SDC_LATTICE_FAILS;
	int s;

	if (table->state[c] != SDC_LATTICE_UNKNOWN)
		return fails;
	for (s = 0; s < lattice->problem.sensitives && !fails; s++)
	{
		SdcClassGlance seen = glance_at(lattice, s, table, c);

		if (seen == SDC_CLASS_UNCLEAR)
		{
			SdcHistogram histogram = class_histogram(lattice, s, table, c);

			fails = sdc_class_measures_refuses(lattice->measuring[s],
											   &histogram, NULL);
		}
		else
			fails = seen == SDC_CLASS_FAILS;
	}
	table->state[c] = fails ? SDC_LATTICE_FAILS : SDC_LATTICE_PASSES;
	return fails;
}

int64_t
sdc_lattice_runs_lost(SdcLattice *lattice, SdcLatticeTable *table, int32_t c)
{
	int s;

	if (table->lost[c] >= 0)
		return table->lost[c];
	table->lost[c] = 0;
	for (s = 0; s < lattice->problem.sensitives; s++)
	{
		SdcHistogram histogram = class_histogram(lattice, s, table, c);
		int64_t lost;

		sdc_class_measures_refuses(lattice->measuring[s], &histogram, &lost);
		table->lost[c] = lost > table->lost[c] ? lost : table->lost[c];
	}
	return table->lost[c];
}
