/*
 * fuzz.c
 *		A round of the fuzz targets by count of inputs, without libFuzzer.
 *
 * Inputs are the files of test/fuzz/corpus and bytes drawn at random; ./run
 * fuzz looks for others for as long as one likes.
 */
#define LLVMFuzzerTestOneInput fuzz_sort
#include "../fuzz/sort.c"
#undef LLVMFuzzerTestOneInput
#define LLVMFuzzerTestOneInput fuzz_frequency
extern int fuzz_frequency(const uint8_t *data, size_t size);
#include "../fuzz/frequency.c"
#undef LLVMFuzzerTestOneInput
#define LLVMFuzzerTestOneInput fuzz_suda2
extern int fuzz_suda2(const uint8_t *data, size_t size);
#include "../fuzz/suda2.c"
#undef LLVMFuzzerTestOneInput
#define LLVMFuzzerTestOneInput fuzz_assignment
extern int fuzz_assignment(const uint8_t *data, size_t size);
#include "../fuzz/assignment.c"
#undef LLVMFuzzerTestOneInput
#define LLVMFuzzerTestOneInput fuzz_link
extern int fuzz_link(const uint8_t *data, size_t size);
#include "../fuzz/link.c"
#undef LLVMFuzzerTestOneInput
#define LLVMFuzzerTestOneInput fuzz_lattice
extern int fuzz_lattice(const uint8_t *data, size_t size);
#include "../fuzz/lattice.c"
#undef LLVMFuzzerTestOneInput
#define LLVMFuzzerTestOneInput fuzz_suppression
extern int fuzz_suppression(const uint8_t *data, size_t size);
#include "../fuzz/suppression.c"
#undef LLVMFuzzerTestOneInput

#include <dirent.h>

#include "kernel/base/random.h"

#define MOST_BYTES 4096

static const struct
{
	const char *name;
	int (*one)(const uint8_t *data, size_t size);
	int inputs;
	int most;
} targets[] = {{"sort", fuzz_sort, 400, MOST_BYTES},
			   {"frequency", fuzz_frequency, 250, 1500},
			   {"suda2", fuzz_suda2, 400, 300},
			   {"assignment", fuzz_assignment, 3000, 64},
			   {"link", fuzz_link, 500, 500},
			   {"lattice", fuzz_lattice, 500, 160},
			   {"suppression", fuzz_suppression, 150, 120}};

/* The files that libFuzzer has found; returns how many. */
static int
run_corpus(size_t t)
{
	uint8_t data[MOST_BYTES];
	char path[512];
	struct dirent *entry;
	int count = 0;
	DIR *directory;

	snprintf(path, sizeof(path), "test/fuzz/corpus/%s", targets[t].name);
	directory = opendir(path);
	while (directory != NULL && (entry = readdir(directory)) != NULL)
	{
		FILE *file;

		if (entry->d_name[0] == '.')
			continue;
		snprintf(path, sizeof(path), "test/fuzz/corpus/%s/%.200s",
				 targets[t].name, entry->d_name);
		file = fopen(path, "r");
		if (file == NULL)
			continue;
		targets[t].one(data, fread(data, 1, sizeof(data), file));
		fclose(file);
		count++;
	}
	if (directory != NULL)
		closedir(directory);
	return count;
}

/* Bytes of which some inputs use all and others few. */
static void
run_drawn(size_t t, SdcRandom *random)
{
	uint8_t data[MOST_BYTES];
	int size = 1 + (int) sdc_random_below(random, (uint64_t) targets[t].most);
	uint64_t values = sdc_random_below(random, 3) == 0
						  ? 256
						  : 1 + sdc_random_below(random, 12);
	int i;

	for (i = 0; i < size; i++)
		data[i] = (uint8_t) (i < 12 ? sdc_random_below(random, 256)
									: sdc_random_below(random, values));
	targets[t].one(data, (size_t) size);
}

int
main(void)
{
	SdcRandom random;
	size_t t;
	int i;

	unit_start("fuzz");
	sdc_random_seed(&random, 20, 0);
	for (t = 0; t < sizeof(targets) / sizeof(targets[0]); t++)
	{
		int files = run_corpus(t);

		for (i = 0; i < targets[t].inputs; i++)
			run_drawn(t, &random);
		unit_check(files > 0, "%s: %d files and %d inputs by chance",
				   targets[t].name, files, targets[t].inputs);
	}
	return unit_finish();
}
