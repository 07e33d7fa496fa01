/*
 * shared_table.h
 *		Reads the tables of numbers that lie beside the repository.
 *
 * They are looked for in the directory named by SDC_SHARED, else in
 * ../shared.  Tests that need them skip when they are not there.
 */
#ifndef SDC_TEST_UNIT_SHARED_TABLE_H
#define SDC_TEST_UNIT_SHARED_TABLE_H

#include "kernel/base/matrix.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SHARED_LINE 8192

/* Counts the fields of a line. */
static inline int
shared_fields(const char *line)
{
	int fields = 1;

	for (; *line != '\0'; line++)
		fields += *line == ',';
	return fields;
}

/*
 * Reads a file of comma-separated numbers with one header line into columns
 * from malloc; false if it is not there.
 */
static inline bool
shared_table_read(const char *name, SdcMatrix *matrix)
{
	const char *shared = getenv("SDC_SHARED");
	char line[SHARED_LINE];
	size_t room = 0;
	FILE *file;
	int j;

	snprintf(line, sizeof(line), "%s/%s", shared ? shared : "../shared", name);
	file = fopen(line, "r");
	if (file == NULL || fgets(line, sizeof(line), file) == NULL)
	{
		if (file != NULL)
			fclose(file);
		return false;
	}
	matrix->rows = 0;
	matrix->columns = shared_fields(line);
	matrix->column = calloc((size_t) matrix->columns, sizeof(double *));
	while (fgets(line, sizeof(line), file) != NULL)
	{
		char *next = line;

		if (matrix->rows == room)
		{
			room = room * 2 + 256;
			for (j = 0; j < matrix->columns; j++)
				matrix->column[j] =
					realloc(matrix->column[j], room * sizeof(double));
		}
		for (j = 0; j < matrix->columns; j++)
		{
			matrix->column[j][matrix->rows] = strtod(next, &next);
			next += *next == ',';
		}
		matrix->rows++;
	}
	fclose(file);
	return true;
}

static inline void
shared_table_free(SdcMatrix *matrix)
{
	int j;

	for (j = 0; j < matrix->columns; j++)
		free(matrix->column[j]);
	free(matrix->column);
}

#endif
