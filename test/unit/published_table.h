/*
 * published_table.h
 *		Reads the tables of numbers in test/data/published.
 */
#ifndef SDC_TEST_UNIT_PUBLISHED_TABLE_H
#define SDC_TEST_UNIT_PUBLISHED_TABLE_H

#include "kernel/base/matrix.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "published_file.h"

#define PUBLISHED_LINE 8192

/* Counts the fields of a line. */
static inline int
published_fields(const char *line)
{
	int fields = 1;

	for (; *line != '\0'; line++)
		fields += *line == ',';
	return fields;
}

/*
 * Reads a file of comma-separated numbers with one header line into columns
 * from malloc.
 */
static inline void
published_table_read(const char *name, SdcMatrix *matrix)
{
	FILE *file = published_open(name);
	char line[PUBLISHED_LINE];
	size_t room = 0;
	int j;

	if (fgets(line, sizeof(line), file) == NULL)
		abort();
	matrix->rows = 0;
	matrix->columns = published_fields(line);
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
}

static inline void
published_table_free(SdcMatrix *matrix)
{
	int j;

	for (j = 0; j < matrix->columns; j++)
		free(matrix->column[j]);
	free(matrix->column);
}

#endif
