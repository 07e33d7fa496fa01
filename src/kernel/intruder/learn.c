/*
 * learn.c
 *		What equal treatment gives away: shifts and names.
 *
 * Shifts: the records are brought into the order of their groups, as cells of
 * equal values with a count.  Each person of a group gives a weight to the
 * shifts that bring him onto a cell; the sums of the logarithms are kept in an
 * array over all shifts, and only those that somebody touched are looked at.
 *
 * Names: each value gets a digest of the rows that it is in, a sum, so the
 * order of the rows does not matter.  Columns that refer to each other, as a
 * boss is somebody's name, have the same names, and a value is in the rows of
 * all of them.  A digest that as many rows have in both files is a kind.  One
 * wrong value changes the digests of all that is beside it, so a round that
 * knows more about rows is taken only where nearly all rows have a kind; how
 * often values occur is taken where some have.
 */
#include "kernel/intruder/learn.h"

#include <string.h>

#include "kernel/base/elementary.h"
#include "kernel/base/random.h"
#include "kernel/base/sort.h"

/* ---------------------------------------------------------------------------
 * Shifts.
 */

/* Persons of a group who are asked, spread over it. */
#define ASKED 256

/* The log of 1000: shifts that are less likely by more are left out. */
#define LESS_LIKELY 6.9f

typedef struct ShiftCell
{
	SdcShiftValue value;
	int32_t count;
} ShiftCell;

typedef struct Shifts
{
	SdcHost *host;
	ShiftCell *cell;
	int32_t cells;
	int32_t reach;
	double absent; /* the chance that a person has no record where he should */
	float *score;  /* of the shifts -reach .. reach; 0: nobody touched it */
	int32_t *touched;
	int32_t touches;
} Shifts;

/* The rows in the order of group, rest and unit. */
static int32_t *
sort_values(SdcHost *host, const SdcShiftValue *value, int32_t n)
{
	uint64_t *key = sdc_new(host, uint64_t, (size_t) n + 1);
	int32_t *row = sdc_new(host, int32_t, (size_t) n + 1);
	int32_t i;

	for (i = 0; i < n; i++)
	{
		key[i] = (uint64_t) value[i].unit ^ UINT64_C(1) << 63;
		row[i] = i;
	}
	sdc_sort_keys(host, key, row, (size_t) n);
	for (i = 0; i < n; i++)
		key[i] = (uint64_t) value[row[i]].group << 32 | value[row[i]].rest;
	sdc_sort_keys(host, key, row, (size_t) n);
	host->release(host, key);
	return row;
}

/* Negative, zero or positive, as a is before, the same as or behind b. */
static int
compare_values(const SdcShiftValue *a, const SdcShiftValue *b)
{
	if (a->group != b->group)
		return a->group < b->group ? -1 : 1;
	if (a->rest != b->rest)
		return a->rest < b->rest ? -1 : 1;
	return (a->unit > b->unit) - (a->unit < b->unit);
}

static void
make_cells(Shifts *shifts, const SdcShiftValue *record, int32_t records)
{
	int32_t *row = sort_values(shifts->host, record, records);
	int32_t i;

	shifts->cell = sdc_new(shifts->host, ShiftCell, (size_t) records + 1);
	shifts->cells = 0;
	for (i = 0; i < records; i++)
	{
		const SdcShiftValue *value = &record[row[i]];
		ShiftCell *last = &shifts->cell[shifts->cells - 1];

		if (i > 0 && compare_values(&last->value, value) == 0)
			last->count++;
		else
			shifts->cell[shifts->cells++] = (ShiftCell){*value, 1};
	}
	shifts->host->release(shifts->host, row);
}

/* The first cell that is not before a value. */
static int32_t
find_cell(const Shifts *shifts, SdcShiftValue value)
{
	int32_t low = 0;
	int32_t high = shifts->cells;

	while (low < high)
	{
		int32_t middle = low + (high - low) / 2;

		if (compare_values(&shifts->cell[middle].value, &value) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* What one person says of the shifts of his group. */
static void
ask_person(Shifts *shifts, SdcShiftValue person)
{
	SdcShiftValue least = person;
	SdcShiftValue most = person;
	double records = 0;
	double base;
	int32_t from;
	int32_t end;
	int32_t c;

	least.unit -= shifts->reach;
	most.unit += (int64_t) shifts->reach + 1;
	from = find_cell(shifts, least);
	end = find_cell(shifts, most);
	for (c = from; c < end; c++)
		records += shifts->cell[c].count;
	base = records / (2.0 * shifts->reach + 1);
	for (c = from; c < end; c++)
	{
		int32_t s = (int32_t) (shifts->cell[c].value.unit - least.unit);
		double ratio = shifts->cell[c].count / base;

		if (shifts->score[s] == 0)
			shifts->touched[shifts->touches++] = s;
		shifts->score[s] += sdc_log_float(
			(float) (1 + (1 - shifts->absent) * ratio / shifts->absent));
	}
}

/* The shifts that are likely after what the persons of a group said. */
static SdcShiftRange
conclude(Shifts *shifts)
{
	SdcShiftRange range = {shifts->reach, -shifts->reach};
	float best = 0;
	int32_t k;

	for (k = 0; k < shifts->touches; k++)
		best = shifts->score[shifts->touched[k]] > best
				   ? shifts->score[shifts->touched[k]]
				   : best;
	for (k = 0; k < shifts->touches; k++)
	{
		int32_t s = shifts->touched[k] - shifts->reach;

		if (shifts->score[shifts->touched[k]] >= best - LESS_LIKELY)
		{
			range.low = s < range.low ? s : range.low;
			range.high = s > range.high ? s : range.high;
		}
		shifts->score[shifts->touched[k]] = 0;
	}
	shifts->touches = 0;
	if (best < LESS_LIKELY)
		range = (SdcShiftRange){-shifts->reach, shifts->reach};
	return range;
}

void
sdc_shift_learn(SdcHost *host, const SdcShiftValue *person, int32_t persons,
				const SdcShiftValue *record, int32_t records, int32_t reach,
				double inside, double error, SdcShiftRange *range)
{
	size_t most = 2 * (size_t) reach + 1;
	int32_t *row = sort_values(host, person, persons);
	Shifts shifts = {.host = host, .reach = reach};
	int32_t start;
	int32_t end;
	size_t s;

	host->stage(host, "learning shifts");
	shifts.absent = 1 - inside * (1 - error);
	shifts.score = sdc_new(host, float, most);
	shifts.touched = sdc_new(host, int32_t, most);
	for (s = 0; s < most; s++)
		shifts.score[s] = 0;
	make_cells(&shifts, record, records);
	for (start = 0; start < persons; start = end)
	{
		uint32_t group = person[row[start]].group;
		SdcShiftRange learned;
		int32_t asked;
		int32_t k;

		for (end = start; end < persons && person[row[end]].group == group;)
			end++;
		asked = end - start < ASKED ? end - start : ASKED;
		for (k = 0; k < asked; k++)
		{
			host->poll(host, (uint64_t) start, (uint64_t) persons);
			ask_person(
				&shifts,
				person[row[start + (int64_t) k * (end - start) / asked]]);
		}
		learned = conclude(&shifts);
		for (k = start; k < end; k++)
			range[row[k]] = learned;
	}
	host->release(host, row);
	host->release(host, shifts.cell);
	host->release(host, shifts.score);
	host->release(host, shifts.touched);
}

/* ---------------------------------------------------------------------------
 * Names.
 */

/* Rounds at the most, the first by counts alone; there are no more where one
 * has told nothing. */
#define ROUNDS 16

/* Columns refer to each other where the values that they share, counted in
 * one file, are this share of those in the other. */
#define REFERS 0.9

/* The share of rows with a kind from which on a round is believed. */
#define LEAST_COUNTED 0.1
#define LEAST_BESIDE  0.9

/* What a row of nothing adds to a digest, for 0 would not be counted. */
#define ROW 1

/* A kind of several values. */
#define SEVERAL (-2)

/* The digest of a missing value. */
#define MISSING UINT64_C(0x9e3779b97f4a7c15)

/* The two files, persons and records. */
typedef struct NamesFile
{
	int32_t rows;
	const uint64_t *row; /* what is as it was */
	uint64_t *beside;    /* that and the kinds of names so far */
	uint64_t *digest;    /* by code of a column, then by row */
	uint64_t *sorted;
	int32_t *order;
} NamesFile;

static void
open_file(SdcHost *host, NamesFile *file, const uint64_t *row, int32_t rows)
{
	size_t room = (size_t) rows + 1;

	file->rows = rows;
	file->row = row;
	file->beside = sdc_new(host, uint64_t, room);
	file->digest = sdc_new(host, uint64_t, room);
	file->sorted = sdc_new(host, uint64_t, room);
	file->order = sdc_new(host, int32_t, room);
}

static void
close_file(SdcHost *host, NamesFile *file)
{
	host->release(host, file->beside);
	host->release(host, file->digest);
	host->release(host, file->sorted);
	host->release(host, file->order);
}

static const int32_t *
codes_of(const SdcNames *names, int f)
{
	return f == 0 ? names->person : names->record;
}

static int32_t *
kinds_of(SdcNames *names, int f)
{
	return f == 0 ? names->person_kind : names->record_kind;
}

/* Values that two columns share in a file. */
static int32_t
count_shared(SdcHost *host, const int32_t *a, const int32_t *b, int32_t rows,
			 int32_t codes)
{
	uint8_t *seen = sdc_new(host, uint8_t, (size_t) codes + 1);
	int32_t shared = 0;
	int32_t i;

	memset(seen, 0, (size_t) codes + 1);
	for (i = 0; i < rows; i++)
		if (a[i] != SDC_NAME_MISSING)
			seen[a[i]] = 1;
	for (i = 0; i < rows; i++)
		if (b[i] != SDC_NAME_MISSING && seen[b[i]] == 1)
		{
			seen[b[i]] = 2;
			shared++;
		}
	host->release(host, seen);
	return shared;
}

static int32_t
most_codes(const SdcNames *a, const SdcNames *b, int f)
{
	return a->codes[f] > b->codes[f] ? a->codes[f] : b->codes[f];
}

/* Have two columns the same names for the values that they share? */
static bool
refer(SdcHost *host, const SdcNames *a, const SdcNames *b,
	  const NamesFile *file)
{
	double shared[2];
	int f;

	if (a->space != b->space)
		return false;
	for (f = 0; f < 2; f++)
		shared[f] = count_shared(host, codes_of(a, f), codes_of(b, f),
								 file[f].rows, most_codes(a, b, f));
	return shared[0] > 0 && shared[0] >= REFERS * shared[1] &&
		   shared[1] >= REFERS * shared[0];
}

/* Codes of a file in all columns that have the same names as column c. */
static int32_t
codes_of_home(const SdcNames *names, int columns, int c, int f)
{
	int32_t codes = 0;
	int other;

	for (other = 0; other < columns; other++)
		if (names[other].home == names[c].home &&
			names[other].codes[f] > codes)
			codes = names[other].codes[f];
	return codes;
}

/* Finds, for each column, the first one that has the same names. */
static void
find_homes(SdcHost *host, SdcNames *names, int columns, const NamesFile *file)
{
	int c;

	for (c = 0; c < columns; c++)
	{
		int other = 0;

		while (other < c && (names[other].home != other ||
							 !refer(host, &names[other], &names[c], file)))
			other++;
		names[c].home = other;
	}
}

/* Adds what is beside the values of a column to their sums. */
static void
add_rows(const NamesFile *file, const int32_t *code, uint64_t column,
		 uint64_t *sum)
{
	int32_t i;

	for (i = 0; i < file->rows; i++)
		if (code[i] != SDC_NAME_MISSING)
			sum[code[i]] += sdc_random_mix(file->beside[i] + column + ROW);
}

/* The digests of the values of a column, by row and sorted. */
static void
digest_values(SdcHost *host, NamesFile *file, int f, const SdcNames *names,
			  int columns, int c)
{
	const int32_t *code = codes_of(&names[c], f);
	int32_t codes = codes_of_home(names, columns, c, f);
	uint64_t *sum = sdc_new(host, uint64_t, (size_t) codes + 1);
	int32_t i;
	int other;

	memset(sum, 0, ((size_t) codes + 1) * sizeof(uint64_t));
	for (other = 0; other < columns; other++)
		if (names[other].home == names[c].home)
			add_rows(file, codes_of(&names[other], f), (uint64_t) other, sum);
	for (i = 0; i < file->rows; i++)
	{
		file->digest[i] = code[i] == SDC_NAME_MISSING
							  ? MISSING
							  : sdc_random_mix(sum[code[i]]);
		file->sorted[i] = file->digest[i];
		file->order[i] = i;
	}
	sdc_sort_keys(host, file->sorted, file->order, (size_t) file->rows);
	host->release(host, sum);
}

/* Where the digests of a sorted file change after row i. */
static int32_t
end_of(const NamesFile *file, int32_t i)
{
	uint64_t digest = file->sorted[i];

	while (i < file->rows && file->sorted[i] == digest)
		i++;
	return i;
}

/* Numbers the digests that as many rows have in both files. */
static int32_t
number_kinds(const NamesFile *file, int32_t *kind[2], int32_t *known)
{
	int32_t at[2] = {0, 0};
	int32_t kinds = 0;
	int f;

	*known = 0;
	for (f = 0; f < 2; f++)
		memset(kind[f], 0xff, (size_t) file[f].rows * sizeof(int32_t));
	while (at[0] < file[0].rows && at[1] < file[1].rows)
	{
		uint64_t digest[2] = {file[0].sorted[at[0]], file[1].sorted[at[1]]};
		int32_t end[2] = {end_of(&file[0], at[0]), end_of(&file[1], at[1])};

		if (digest[0] == digest[1] && end[0] - at[0] == end[1] - at[1])
		{
			*known += end[0] - at[0];
			for (f = 0; f < 2; f++)
				for (; at[f] < end[f]; at[f]++)
					kind[f][file[f].order[at[f]]] = kinds;
			kinds++;
		}
		else
			for (f = 0; f < 2; f++)
				if (digest[f] <= digest[1 - f])
					at[f] = end[f];
	}
	return kinds;
}

/* Learns the kinds of column c again, and keeps them if it believes them.  Are
 * there more now? */
static bool
learn_column(SdcHost *host, SdcNames *all, int columns, int c, NamesFile *file,
			 double least)
{
	SdcNames *names = &all[c];
	int32_t before = names->kinds;
	int32_t *kind[2] = {sdc_new(host, int32_t, (size_t) file[0].rows + 1),
						sdc_new(host, int32_t, (size_t) file[1].rows + 1)};
	int32_t most = file[0].rows > file[1].rows ? file[0].rows : file[1].rows;
	int32_t kinds;
	int32_t known;
	int f;

	for (f = 0; f < 2; f++)
		digest_values(host, &file[f], f, all, columns, c);
	kinds = number_kinds(file, kind, &known);
	if (known >= least * most)
	{
		names->kinds = kinds;
		names->share = (double) known / most;
		for (f = 0; f < 2; f++)
			memcpy(kinds_of(names, f), kind[f],
				   (size_t) file[f].rows * sizeof(int32_t));
	}
	host->release(host, kind[0]);
	host->release(host, kind[1]);
	return names->kinds > before;
}

/* What is beside a value in each row: what is as it was, and known kinds. */
static void
look_beside(NamesFile *file, int f, SdcNames *names, int columns)
{
	int32_t i;
	int c;

	for (i = 0; i < file->rows; i++)
		file->beside[i] = sdc_random_mix(file->row[i]);
	for (c = 0; c < columns; c++)
		for (i = 0; i < file->rows && names[c].kinds > 0; i++)
			file->beside[i] = sdc_random_mix(
				file->beside[i] +
				sdc_random_mix((uint64_t) (kinds_of(&names[c], f)[i] + 2)));
}

void
sdc_names_learn(SdcHost *host, SdcNames *names, int columns,
				const uint64_t *person_row, int32_t persons,
				const uint64_t *record_row, int32_t records)
{
	NamesFile file[2];
	bool more = true;
	int round;
	int c;
	int f;

	host->stage(host, "comparing names");
	open_file(host, &file[0], person_row, persons);
	open_file(host, &file[1], record_row, records);
	for (c = 0; c < columns; c++)
	{
		names[c].kinds = 0;
		names[c].share = 0;
		names[c].person_kind = sdc_new(host, int32_t, (size_t) persons + 1);
		names[c].record_kind = sdc_new(host, int32_t, (size_t) records + 1);
	}
	find_homes(host, names, columns, file);
	for (round = 0; round < ROUNDS && more; round++)
	{
		more = false;
		for (f = 0; f < 2; f++)
			if (round > 0)
				look_beside(&file[f], f, names, columns);
			else
				memset(file[f].beside, 0,
					   (size_t) file[f].rows * sizeof(uint64_t));
		for (c = 0; c < columns; c++)
		{
			host->poll(host, (uint64_t) round, ROUNDS);
			more |= learn_column(host, names, columns, c, file,
								 round == 0 ? LEAST_COUNTED : LEAST_BESIDE);
		}
	}
	close_file(host, &file[0]);
	close_file(host, &file[1]);
}

/* Rows of each value in all columns that have the same names as column c. */
static int32_t *
count_rows(SdcHost *host, const SdcNames *names, int columns, int c,
		   int32_t persons)
{
	int32_t codes = codes_of_home(names, columns, c, 0);
	int32_t *rows = sdc_new(host, int32_t, (size_t) codes + 1);
	int32_t i;
	int other;

	memset(rows, 0, ((size_t) codes + 1) * sizeof(int32_t));
	for (other = 0; other < columns; other++)
		for (i = 0; i < persons; i++)
			if (names[other].home == names[c].home &&
				names[other].person[i] != SDC_NAME_MISSING)
				rows[names[other].person[i]]++;
	return rows;
}

/* The only value of each kind, or SEVERAL. */
static int32_t *
value_of_kinds(SdcHost *host, const SdcNames *names, int32_t persons)
{
	int32_t *value = sdc_new(host, int32_t, (size_t) names->kinds + 1);
	int32_t i;

	for (i = 0; i < names->kinds; i++)
		value[i] = SDC_NAME_MISSING;
	for (i = 0; i < persons && names->kinds > 0; i++)
	{
		int32_t kind = names->person_kind[i];

		if (kind >= 0 && names->person[i] != SDC_NAME_MISSING)
			value[kind] = value[kind] == SDC_NAME_MISSING ||
								  value[kind] == names->person[i]
							  ? names->person[i]
							  : SEVERAL;
	}
	return value;
}

int32_t
sdc_names_open(SdcHost *host, const SdcNames *names, int columns, int c,
			   int32_t persons)
{
	const SdcNames *of = &names[c];
	int32_t *value = value_of_kinds(host, of, persons);
	int32_t *rows = count_rows(host, names, columns, c, persons);
	int32_t open = 0;
	int32_t i;

	for (i = 0; i < persons; i++)
	{
		int32_t kind = of->kinds > 0 ? of->person_kind[i] : -1;

		open += of->person[i] != SDC_NAME_MISSING && rows[of->person[i]] > 1 &&
				(kind < 0 || value[kind] == SEVERAL);
	}
	host->release(host, value);
	host->release(host, rows);
	return open;
}

/* ---------------------------------------------------------------------------
 * Names from links.
 */

/* Names of a value that are looked at: those with the most votes beyond what
 * is expected. */
#define NAMES_OF_VALUE 16

/* Squares of votes below which there is none but for rounding. */
#define LEAST_SQUARES 1e-9

/* The votes for a name of a value. */
typedef struct NamesPair
{
	int32_t value;
	int32_t name;
	double votes;
	double squares; /* sum of their squares */
	double worth;   /* log-likelihood ratio */
} NamesPair;

/* All votes of the columns that have the same names. */
typedef struct NamesPoll
{
	SdcHost *host;
	const SdcNames *names;
	int columns;
	int home;
	const SdcNamesLink *link;
	int32_t links;
	int32_t codes[2];
	int32_t pairs;
	NamesPair *pair; /* by value, of each the best first */
	int32_t *first;  /* pair of a value */
	double *of_value;
	double *of_name;
	double total;
	/* for each name, the value that is worth most, and what others are */
	int32_t *best;
	double *worth[2];
} NamesPoll;

/* The value and name of a link in a column; false: one is missing. */
static bool
pair_of(const NamesPoll *poll, int c, const SdcNamesLink *link, int32_t *value,
		int32_t *name)
{
	*value = poll->names[c].person[link->person];
	*name = poll->names[c].record[link->record];
	return poll->names[c].home == poll->home && *value != SDC_NAME_MISSING &&
		   *name != SDC_NAME_MISSING;
}

/*
 * What votes tell, where so many are expected of any pair: chances of .01 vary
 * as counts of hundredths do, so they tell as much as a hundred times their
 * sum.
 */
static double
worth_of(double votes, double squares, double expected)
{
	/* what own links leave of sums that were theirs */
	if (votes <= expected || expected <= 0 || squares < LEAST_SQUARES)
		return 0;
	return (votes * sdc_log_float((float) (votes / expected)) -
			(votes - expected)) *
		   votes / squares;
}

static void
open_poll(NamesPoll *poll)
{
	SdcHost *host = poll->host;
	int f;

	for (f = 0; f < 2; f++)
		poll->codes[f] =
			codes_of_home(poll->names, poll->columns, poll->home, f);
	for (f = 0; f < 2; f++)
		poll->worth[f] = sdc_new(host, double, (size_t) poll->codes[1] + 1);
	poll->first = sdc_new(host, int32_t, (size_t) poll->codes[0] + 2);
	poll->of_value = sdc_new(host, double, (size_t) poll->codes[0] + 1);
	poll->of_name = sdc_new(host, double, (size_t) poll->codes[1] + 1);
	poll->best = sdc_new(host, int32_t, (size_t) poll->codes[1] + 1);
}

static void
close_poll(NamesPoll *poll)
{
	SdcHost *host = poll->host;

	host->release(host, poll->pair);
	host->release(host, poll->first);
	host->release(host, poll->of_value);
	host->release(host, poll->of_name);
	host->release(host, poll->best);
	host->release(host, poll->worth[0]);
	host->release(host, poll->worth[1]);
}

/* Counts the votes of all links: pairs in the order of values and names. */
static void
count_votes(NamesPoll *poll)
{
	SdcHost *host = poll->host;
	size_t room = (size_t) poll->links * (size_t) poll->columns + 1;
	uint64_t *key = sdc_new(host, uint64_t, room);
	int32_t *from = sdc_new(host, int32_t, room);
	double chance;
	int32_t votes = 0;
	int32_t value;
	int32_t name;
	int32_t i;
	int c;

	for (c = 0; c < poll->columns; c++)
		for (i = 0; i < poll->links; i++)
			if (pair_of(poll, c, &poll->link[i], &value, &name))
			{
				key[votes] = (uint64_t) value << 32 | (uint32_t) name;
				from[votes++] = i;
			}
	sdc_sort_keys(host, key, from, (size_t) votes);
	poll->pair = sdc_new(host, NamesPair, (size_t) votes + 1);
	poll->pairs = 0;
	for (i = 0; i < votes; i++)
	{
		if (i == 0 || key[i] != key[i - 1])
			poll->pair[poll->pairs++] = (NamesPair){(int32_t) (key[i] >> 32),
													(int32_t) key[i], 0, 0, 0};
		chance = poll->link[from[i]].chance;
		poll->pair[poll->pairs - 1].votes += chance;
		poll->pair[poll->pairs - 1].squares += chance * chance;
	}
	host->release(host, key);
	host->release(host, from);
}

/* What values and names have of all votes. */
static void
add_up(NamesPoll *poll)
{
	int32_t k;

	memset(poll->of_value, 0, (size_t) poll->codes[0] * sizeof(double));
	memset(poll->of_name, 0, (size_t) poll->codes[1] * sizeof(double));
	memset(poll->first, 0, ((size_t) poll->codes[0] + 2) * sizeof(int32_t));
	poll->total = 0;
	for (k = 0; k < poll->pairs; k++)
	{
		poll->of_value[poll->pair[k].value] += poll->pair[k].votes;
		poll->of_name[poll->pair[k].name] += poll->pair[k].votes;
		poll->total += poll->pair[k].votes;
		poll->first[poll->pair[k].value + 1]++;
	}
	for (k = 0; k < poll->codes[0]; k++)
		poll->first[k + 1] += poll->first[k];
}

/* What each pair is worth, and for each name the best values. */
static void
weigh_pairs(NamesPoll *poll)
{
	int32_t k;

	for (k = 0; k < poll->codes[1]; k++)
	{
		poll->best[k] = SDC_NAME_MISSING;
		poll->worth[0][k] = poll->worth[1][k] = 0;
	}
	for (k = 0; k < poll->pairs; k++)
	{
		NamesPair *pair = &poll->pair[k];
		int32_t n = pair->name;

		pair->worth = worth_of(pair->votes, pair->squares,
							   poll->of_value[pair->value] * poll->of_name[n] /
								   poll->total);
		if (pair->worth > poll->worth[0][n])
		{
			poll->worth[1][n] = poll->worth[0][n];
			poll->worth[0][n] = pair->worth;
			poll->best[n] = pair->value;
		}
		else if (pair->worth > poll->worth[1][n])
			poll->worth[1][n] = pair->worth;
	}
}

/* Brings the best names of each value to its front, best first. */
static void
rank_names(NamesPoll *poll)
{
	int32_t v;

	for (v = 0; v < poll->codes[0]; v++)
	{
		int32_t end = poll->first[v + 1];
		int32_t k;

		poll->host->poll(poll->host, (uint64_t) v, (uint64_t) poll->codes[0]);
		for (k = poll->first[v] + 1; k < end; k++)
		{
			NamesPair pair = poll->pair[k];
			int32_t last = poll->first[v] + NAMES_OF_VALUE;
			int32_t to = k < last ? k : last;

			if (to < k && pair.worth <= poll->pair[last - 1].worth)
				continue;
			for (;
				 to > poll->first[v] && poll->pair[to - 1].worth < pair.worth;
				 to--)
				poll->pair[to] = poll->pair[to - 1];
			poll->pair[to] = pair;
		}
	}
}

/* Takes a person's own links from the votes for a name of his value; name
 * missing: for any. */
static void
take_own(const NamesPoll *poll, int32_t from, int32_t end, int32_t value,
		 int32_t name, double *votes, double *squares)
{
	int32_t v;
	int32_t n;
	int32_t i;
	int c;

	for (i = from; i < end; i++)
		for (c = 0; c < poll->columns; c++)
		{
			double chance = poll->link[i].chance;

			if (!pair_of(poll, c, &poll->link[i], &v, &n) || v != value ||
				(name != SDC_NAME_MISSING && n != name))
				continue;
			*votes -= chance;
			*squares -= chance * chance;
		}
}

/* The name that others than a person say his value has; how sure it is. */
static int32_t
name_of(const NamesPoll *poll, int32_t from, int32_t end, int32_t value,
		float *sure)
{
	double all = poll->of_value[value];
	double others = 0;
	double worth[2] = {0, 0};
	int32_t name = SDC_NAME_MISSING;
	int32_t k;

	take_own(poll, from, end, value, SDC_NAME_MISSING, &all, &others);
	for (k = poll->first[value];
		 k < poll->first[value + 1] && k < poll->first[value] + NAMES_OF_VALUE;
		 k++)
	{
		const NamesPair *pair = &poll->pair[k];
		double votes = pair->votes;
		double squares = pair->squares;
		double w;

		take_own(poll, from, end, value, pair->name, &votes, &squares);
		w = worth_of(votes, squares,
					 all * poll->of_name[pair->name] / poll->total);
		if (w > worth[0])
		{
			worth[1] = worth[0];
			worth[0] = w;
			name = pair->name;
		}
		else if (w > worth[1])
			worth[1] = w;
	}
	if (name != SDC_NAME_MISSING)
	{
		double rival = poll->worth[poll->best[name] == value][name];

		*sure = (float) (worth[0] - (rival > worth[1] ? rival : worth[1]));
	}
	return name;
}

/* The names of one column. */
static void
ask_poll(const NamesPoll *poll, int c, int32_t persons, int32_t *name,
		 float *sure)
{
	int32_t from = 0;
	int32_t i;

	for (i = 0; i < persons; i++)
	{
		int32_t value = poll->names[c].person[i];
		int32_t end = from;

		while (end < poll->links && poll->link[end].person == i)
			end++;
		poll->host->poll(poll->host, (uint64_t) i, (uint64_t) persons);
		name[i] = SDC_NAME_MISSING;
		sure[i] = 0;
		if (value != SDC_NAME_MISSING)
			name[i] = name_of(poll, from, end, value, &sure[i]);
		from = end;
	}
}

void
sdc_names_vote(SdcHost *host, const SdcNames *names, int columns,
			   const SdcNamesLink *link, int32_t links, int32_t persons,
			   int32_t *const *name, float *const *sure)
{
	int home;
	int c;

	for (home = 0; home < columns; home++)
	{
		NamesPoll poll = {.host = host,
						  .names = names,
						  .columns = columns,
						  .home = home,
						  .link = link,
						  .links = links};

		if (names[home].home != home)
			continue;
		open_poll(&poll);
		count_votes(&poll);
		add_up(&poll);
		weigh_pairs(&poll);
		rank_names(&poll);
		for (c = home; c < columns; c++)
			if (names[c].home == home)
				ask_poll(&poll, c, persons, name[c], sure[c]);
		close_poll(&poll);
	}
}
