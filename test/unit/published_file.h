/*
 * published_file.h
 *		Opens the files of test/data/published, for unit tests and benches.
 */
#ifndef SDC_TEST_UNIT_PUBLISHED_FILE_H
#define SDC_TEST_UNIT_PUBLISHED_FILE_H

#include <stdio.h>
#include <stdlib.h>

/*
 * The file NAME.gz of test/data/published, decompressed; to be closed.  It is
 * part of the repository: without it the program ends.
 */
static inline FILE *
published_open(const char *name)
{
	char command[256];
	char block[8192];
	FILE *file = tmpfile();
	FILE *packed;
	size_t size;

	snprintf(command, sizeof(command),
			 "gzip -dc 'test/data/published/%.100s.gz'", name);
	packed = popen(command, "r");
	if (file == NULL || packed == NULL)
		abort();
	while ((size = fread(block, 1, sizeof(block), packed)) > 0)
		if (fwrite(block, 1, size, file) != size)
			abort();
	if (pclose(packed) != 0)
	{
		fprintf(stderr, "cannot read test/data/published/%s.gz\n", name);
		exit(1);
	}
	rewind(file);
	return file;
}

#endif
