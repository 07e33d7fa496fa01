/*
 * names.c
 *		Values and names of one kind, where equal values have equal names.
 */
#include <math.h>

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
									 .codes = {values[c], values[c]},
									 .space = c};
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

/* The boss of each is one of those before him; names and bosses are hidden,
 * everything else, too.  Rows move. */
static void
draw_bosses(Files *files)
{
	int32_t name[N];
	int32_t i;

	shuffle(files->place, N);
	shuffle(name, N);
	for (i = 0; i < N; i++)
	{
		int32_t r = files->place[i];
		int32_t boss = i == 0 ? -1 : below(1 + below(i));

		files->person_row[i] = files->record_row[i] = 0;
		files->person[0][i] = i;
		files->person[1][i] = boss;
		files->record[0][r] = name[i];
		files->record[1][r] = boss < 0 ? -1 : name[boss];
	}
	for (i = 0; i < 2; i++)
		files->names[i] = (SdcNames){.person = files->person[i],
									 .record = files->record[i],
									 .codes = {N, N}};
}

/*
 * The kinds of a tree, slowly: who has the same boss kind, and those who work
 * for whom have the same kinds.  Rows that are alone in their kind.
 */
static int32_t
alone_in_tree(const Files *files)
{
	static uint64_t kind[2][N];
	int32_t alone = 0;
	int32_t i;
	int32_t j;
	int round;

	for (i = 0; i < N; i++)
		kind[0][i] = 0;
	for (round = 0; round < 30; round++)
	{
		for (i = 0; i < N; i++)
		{
			uint64_t sum = 0;
			int32_t boss = files->person[1][i];

			for (j = 0; j < N; j++)
				if (files->person[1][j] == i)
					sum += sdc_random_mix(kind[0][j] + 1);
			kind[1][i] = sdc_random_mix(
				sum +
				sdc_random_mix(kind[0][i] +
							   sdc_random_mix(boss < 0 ? 3 : kind[0][boss])));
		}
		for (i = 0; i < N; i++)
			kind[0][i] = kind[1][i];
	}
	for (i = 0; i < N; i++)
	{
		int32_t alike = 0;

		for (j = 0; j < N; j++)
			alike += kind[0][i] == kind[0][j];
		alone += alike == 1;
	}
	return alone;
}

/* Rows that have a kind alone. */
static int32_t
alone_by_kind(const Files *files)
{
	int32_t alone = 0;
	int32_t i;
	int32_t j;

	for (i = 0; i < N; i++)
	{
		int32_t alike = 0;

		for (j = 0; j < N; j++)
			alike += files->names[0].person_kind[i] ==
						 files->names[0].person_kind[j] &&
					 files->names[1].person_kind[i] ==
						 files->names[1].person_kind[j];
		alone += alike == 1 && files->names[0].person_kind[i] >= 0;
	}
	return alone;
}

/* Columns that refer to each other. */
static void
check_bosses(void)
{
	static Files files;
	int32_t known;
	int32_t wrong;

	draw_bosses(&files);
	sdc_names_learn(unit_host(), files.names, 2, files.person_row, N,
					files.record_row, N);
	unit_check(files.names[1].home == 0, "bosses are people");
	wrong = count_wrong(&files, 0, &known);
	unit_check(wrong == 0 && known == N, "all %d of the right kind",
			   (int) known);
	unit_check(alone_by_kind(&files) == alone_in_tree(&files),
			   "%d people are alone in the tree, %d have a kind alone",
			   (int) alone_in_tree(&files), (int) alone_by_kind(&files));
	/* other names for the bosses: nothing shows that they are people */
	draw_bosses(&files);
	for (wrong = 0; wrong < N; wrong++)
		if (files.record[1][wrong] >= 0)
			files.record[1][wrong] = N - 1 - files.record[1][wrong];
	files.names[1].space = 1;
	sdc_names_learn(unit_host(), files.names, 2, files.person_row, N,
					files.record_row, N);
	unit_check(files.names[1].home == 1, "names of another domain");
	unit_release_all();
}

/* Links of which so many in 1,000 are right; a person has two. */
static int32_t
draw_links(const Files *files, int32_t right, SdcNamesLink *link)
{
	int32_t links = 0;
	int32_t i;

	for (i = 0; i < N; i++)
	{
		link[links++] = (SdcNamesLink){
			i, below(1000) < right ? files->place[i] : below(N), 0.5f};
		link[links++] = (SdcNamesLink){i, below(N), 0.2f};
	}
	return links;
}

/* The name with the most votes of others beyond what is expected, slowly. */
static int32_t
name_slowly(const Files *files, int c, const SdcNamesLink *link, int32_t links,
			int32_t person)
{
	static double votes[N][3];
	double best = 0;
	int32_t name = -1;
	double of_value = 0;
	double total = 0;
	int32_t i;

	for (i = 0; i < N; i++)
		votes[i][0] = votes[i][1] = votes[i][2] = 0;
	for (i = 0; i < links; i++)
	{
		int32_t n = files->record[c][link[i].record];

		votes[n][1] += link[i].chance;
		total += link[i].chance;
		if (files->person[c][link[i].person] != files->person[c][person] ||
			link[i].person == person)
			continue;
		votes[n][0] += link[i].chance;
		votes[n][2] += (double) link[i].chance * link[i].chance;
		of_value += link[i].chance;
	}
	for (i = 0; i < N; i++)
	{
		double expected = of_value * votes[i][1] / total;
		double worth = votes[i][0] <= expected
						   ? 0
						   : (votes[i][0] * log(votes[i][0] / expected) -
							  (votes[i][0] - expected)) *
								 votes[i][0] / votes[i][2];

		if (worth > best)
		{
			best = worth;
			name = i;
		}
	}
	return name;
}

static void
check_votes(void)
{
	static Files files;
	static SdcNamesLink link[2 * N];
	static int32_t name[COLUMNS][N];
	static float sure[COLUMNS][N];
	int32_t *const names[] = {name[0], name[1], name[2]};
	float *const sures[] = {sure[0], sure[1], sure[2]};
	int32_t links;
	int32_t i;
	int c;

	draw_files(&files, 5, 0);
	for (c = 0; c < COLUMNS; c++)
		files.names[c].space = files.names[c].home = c;
	links = draw_links(&files, 400, link);
	sdc_names_vote(unit_host(), files.names, COLUMNS, link, links, N, names,
				   sures);
	for (c = 0; c < 2; c++)
	{
		int32_t other = 0;
		int32_t right = 0;
		int32_t told = 0;

		for (i = 0; i < N; i++)
		{
			other += name[c][i] != name_slowly(&files, c, link, links, i);
			told += sure[c][i] >= 6;
			right += sure[c][i] >= 6 &&
					 name[c][i] == files.record[c][files.place[i]];
		}
		unit_check(other == 0, "column %d: %d names are not the slow ones", c,
				   (int) other);
		unit_check(right > 0.95 * told && told > N / 2,
				   "column %d: %d of %d sure names are right", c, (int) right,
				   (int) told);
	}
	for (i = 0, c = 0; i < N; i++)
		c += name[2][i] >= 0;
	unit_check(c == 0, "nobody tells his own name: %d", c);
	unit_check(sdc_names_open(unit_host(), files.names, COLUMNS, 0, N) == N &&
				   sdc_names_open(unit_host(), files.names, COLUMNS, 2, N) ==
					   0,
			   "others have values of the first column, none of the last");
	unit_release_all();
}

/* Nobody is found: of 20 records, all as likely, one is right.  Together they
 * tell the names of values that 24 people share. */
static void
check_flat_votes(void)
{
	static Files files;
	static SdcNamesLink link[20 * N];
	static int32_t name[COLUMNS][N];
	static float sure[COLUMNS][N];
	int32_t *const names[] = {name[0], name[1], name[2]};
	float *const sures[] = {sure[0], sure[1], sure[2]};
	int32_t right = 0;
	int32_t told = 0;
	int32_t i;
	int c;

	draw_files(&files, 5, 0);
	for (c = 0; c < COLUMNS; c++)
		files.names[c].space = files.names[c].home = c;
	for (i = 0; i < 20 * N; i++)
		link[i] = (SdcNamesLink){
			i / 20, i % 20 == 0 ? files.place[i / 20] : below(N), 0.05f};
	sdc_names_vote(unit_host(), files.names, COLUMNS, link, 20 * N, N, names,
				   sures);
	for (i = 0; i < N; i++)
	{
		told += sure[1][i] >= 5;
		right +=
			sure[1][i] >= 5 && name[1][i] == files.record[1][files.place[i]];
	}
	unit_check(right > 0.95 * told && told > N / 2,
			   "of one in twenty: %d of %d sure names are right", (int) right,
			   (int) told);
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
	check_bosses();
	check_votes();
	check_flat_votes();
	return unit_finish();
}
