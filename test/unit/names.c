/*
 * names.c
 *		Values and names of one kind, where equal values have equal names.
 */
#include "kernel/base/random.h"
#include "kernel/intruder/learn.h"
#include "unit.h"

#define N       600
#define COLUMNS 3

static SdcRandom random_state;

static int32_t
below(int32_t n)
{
	return (int32_t) sdc_random_below(&random_state, (uint64_t) n);
}

/* A permutation of 0 .. n - 1. */
static void
shuffle(int32_t *order, int32_t n)
{
	int32_t i;

	for (i = 0; i < n; i++)
		order[i] = i;
	for (i = n - 1; i > 0; i--)
	{
		int32_t other = below(i + 1);
		int32_t moved = order[i];

		order[i] = order[other];
		order[other] = moved;
	}
}

/* The files: what is kept, and names; person i is record place[i]. */
typedef struct Files
{
	uint64_t person_row[N];
	uint64_t record_row[N];
	int32_t person[COLUMNS][N];
	int32_t record[COLUMNS][N];
	int32_t place[N];
	SdcNames names[COLUMNS];
} Files;

static const int32_t values[COLUMNS] = {6, 25, N};

/* kept: values of the column that is as it was. */
static void
draw_files(Files *files, int32_t kept, int32_t missing)
{
	int32_t name[N];
	int32_t i;
	int c;

	shuffle(files->place, N);
	for (i = 0; i < N; i++)
	{
		files->person_row[i] = (uint64_t) below(kept);
		files->record_row[files->place[i]] = files->person_row[i];
	}
	for (c = 0; c < COLUMNS; c++)
	{
		shuffle(name, values[c]);
		for (i = 0; i < N; i++)
		{
			int32_t v = c == 2 ? i : below(1 + below(values[c]));

			files->person[c][i] = below(1000) < missing ? -1 : v;
			files->record[c][files->place[i]] =
				files->person[c][i] < 0 ? -1 : name[v];
		}
		files->names[c] = (SdcNames){.person = files->person[c],
									 .record = files->record[c],
									 .codes = {values[c], values[c]}};
	}
}

static void
learn(Files *files)
{
	sdc_names_learn(unit_host(), files->names, COLUMNS, files->person_row, N,
					files->record_row, N);
}

/* Persons whose record is of another kind, and those with a kind. */
static int32_t
count_wrong(const Files *files, int c, int32_t *known)
{
	int32_t wrong = 0;
	int32_t i;

	*known = 0;
	for (i = 0; i < N; i++)
	{
		int32_t kind = files->names[c].person_kind[i];

		*known += kind >= 0;
		wrong +=
			kind >= 0 && files->names[c].record_kind[files->place[i]] != kind;
	}
	return wrong;
}

/* Is each value a kind of its own? */
static bool
tells_values(const Files *files, int c)
{
	int32_t i;
	int32_t j;

	for (i = 0; i < N; i++)
		for (j = 0; j < i; j++)
			if ((files->person[c][i] == files->person[c][j]) !=
				(files->names[c].person_kind[i] ==
				 files->names[c].person_kind[j]))
				return false;
	return true;
}

static void
check_whole(int32_t missing)
{
	static Files files;
	int32_t known;
	int c;

	draw_files(&files, 5, missing);
	learn(&files);
	for (c = 0; c < COLUMNS; c++)
	{
		int32_t wrong = count_wrong(&files, c, &known);

		unit_check(wrong == 0 && known == N,
				   "%d of 1,000 missing, column %d: all %d of the right kind",
				   (int) missing, c, (int) known);
	}
	unit_check(tells_values(&files, 0) && tells_values(&files, 1),
			   "names with few values are all known");
	unit_release_all();
}

/* Values with one name, wrong values, and a file of which some are known. */
static void
check_broken(void)
{
	static Files files;
	int32_t known;
	int32_t wrong;
	int32_t i;

	draw_files(&files, 5, 0);
	/* the two last values of column 1 share a name */
	for (i = 0; i < N; i++)
		if (files.person[1][i] >= values[1] - 12)
			files.record[1][files.place[i]] = files.record[1][files.place[0]];
	learn(&files);
	wrong = count_wrong(&files, 1, &known);
	unit_check(wrong < known / 10 && known > N / 4 && known < N,
			   "names that several have: %d of %d wrong", (int) wrong,
			   (int) known);
	wrong = count_wrong(&files, 0, &known);
	unit_check(wrong == 0 && known == N, "the other column is known");
	unit_release_all();
	draw_files(&files, 5, 0);
	for (i = 0; i < 6; i++)
		files.person[0][below(N)] = below(values[0]);
	learn(&files);
	wrong = count_wrong(&files, 0, &known);
	unit_check(files.names[0].kinds == 0 || wrong <= 6,
			   "six wrong values: %d kinds, %d of %d wrong",
			   (int) files.names[0].kinds, (int) wrong, (int) known);
	unit_release_all();
	draw_files(&files, 5, 0);
	sdc_names_learn(unit_host(), files.names, COLUMNS, files.person_row, N / 3,
					files.record_row, N);
	unit_check(files.names[0].kinds == 0 && files.names[1].share < 0.3,
			   "a third of the people: %d kinds, share %.2f",
			   (int) files.names[0].kinds, files.names[1].share);
	unit_release_all();
}

int
main(void)
{
	unit_start("kinds of names");
	sdc_random_seed(&random_state, 21, 4);
	check_whole(0);
	check_whole(60);
	check_broken();
	return unit_finish();
}
