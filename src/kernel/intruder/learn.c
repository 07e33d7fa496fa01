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
 * order of the rows does not matter.  A digest that as many rows have in both
 * files is a kind.  One wrong value changes the digests of all that is beside
 * it, so a round that knows more about rows is taken only where nearly all
 * rows have a kind; how often values occur is taken where some have.
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

/* Rounds, the first by counts alone. */
#define ROUNDS 5

/* The share of rows with a kind from which on a round is believed. */
#define LEAST_COUNTED 0.1
#define LEAST_BESIDE  0.9

/* What a row of nothing adds to a digest, for 0 would not be counted. */
#define ROW 1

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

/* The digests of the values of a column, by row and sorted. */
static void
digest_values(SdcHost *host, NamesFile *file, const int32_t *code,
			  int32_t codes)
{
	uint64_t *sum = sdc_new(host, uint64_t, (size_t) codes + 1);
	int32_t i;

	memset(sum, 0, ((size_t) codes + 1) * sizeof(uint64_t));
	for (i = 0; i < file->rows; i++)
		if (code[i] != SDC_NAME_MISSING)
			sum[code[i]] += sdc_random_mix(file->beside[i] + ROW);
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

/* Learns the kinds of one column again; keeps them if it believes them. */
static void
learn_column(SdcHost *host, SdcNames *names, NamesFile *file, double least)
{
	int32_t *kind[2] = {sdc_new(host, int32_t, (size_t) file[0].rows + 1),
						sdc_new(host, int32_t, (size_t) file[1].rows + 1)};
	int32_t most = file[0].rows > file[1].rows ? file[0].rows : file[1].rows;
	int32_t kinds;
	int32_t known;
	int f;

	for (f = 0; f < 2; f++)
		digest_values(host, &file[f], codes_of(names, f), names->codes[f]);
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
	for (round = 0; round < ROUNDS; round++)
	{
		for (f = 0; f < 2; f++)
			if (round > 0)
				look_beside(&file[f], f, names, columns);
			else
				memset(file[f].beside, 0,
					   (size_t) file[f].rows * sizeof(uint64_t));
		for (c = 0; c < columns; c++)
		{
			host->poll(host, (uint64_t) round, ROUNDS);
			learn_column(host, &names[c], file,
						 round == 0 ? LEAST_COUNTED : LEAST_BESIDE);
		}
	}
	close_file(host, &file[0]);
	close_file(host, &file[1]);
}
