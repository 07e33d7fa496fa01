/*
 * adult_data.h
 *		The adult data set, as codes and hierarchies.
 *
 * The code of a value is its row in the hierarchy's file, so some codes do not
 * occur in the data.  All is read from test/data/published.
 */
#ifndef SDC_TEST_UNIT_ADULT_DATA_H
#define SDC_TEST_UNIT_ADULT_DATA_H

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/base/host.h"
#include "kernel/table/frequency.h"
#include "kernel/table/hierarchy.h"
#include "published_file.h"
#include "unit.h"

#define ADULT_COLUMNS 9
#define ADULT_ROWS    30162
#define ADULT_VALUES  100
#define ADULT_LEVELS  6
#define ADULT_LINE    8192

/* Columns by their place in the file. */
enum
{
	SEX,
	AGE,
	RACE,
	MARITAL_STATUS,
	EDUCATION,
	NATIVE_COUNTRY,
	WORKCLASS,
	OCCUPATION,
	SALARY_CLASS
};

/* One column: group[level][value], and the texts of the values. */
typedef struct AdultColumn
{
	SdcHierarchy hierarchy;
	int32_t *group[ADULT_LEVELS];
	int32_t groups[ADULT_LEVELS];
	int32_t room[ADULT_LEVELS][ADULT_VALUES];
	char text[ADULT_LEVELS][ADULT_VALUES][32];
} AdultColumn;

typedef struct AdultData
{
	AdultColumn column[ADULT_COLUMNS];
	int32_t code[ADULT_COLUMNS][ADULT_ROWS];
} AdultData;

/* Cuts the next field off a line; NULL at its end. */
static inline char *
adult_field(char **line)
{
	char *field = *line;

	if (field == NULL)
		return NULL;
	*line = strpbrk(field, ";\r\n");
	if (*line != NULL)
	{
		bool more = **line == ';';

		**line = '\0';
		*line = more ? *line + 1 : NULL;
	}
	return field;
}

static inline int32_t
adult_find(const AdultColumn *column, int level, int32_t values,
		   const char *text)
{
	int32_t i = 0;

	while (i < values && strcmp(column->text[level][i], text) != 0)
		i++;
	return i;
}

/* Reads a hierarchy; a group has the number of its first text. */
static inline void
adult_read_column(const char *name, AdultColumn *column)
{
	SdcHierarchy *hierarchy = &column->hierarchy;
	char line[ADULT_LINE];
	FILE *file;
	int level;

	snprintf(line, sizeof(line), "hierarchy_%.80s.csv", name);
	file = published_open(line);
	memset(column, 0, sizeof(*column));
	hierarchy->group = column->group;
	hierarchy->groups = column->groups;
	while (fgets(line, sizeof(line), file) != NULL)
	{
		char *rest = line;
		char *field;

		for (level = 0; (field = adult_field(&rest)) != NULL; level++)
		{
			int32_t group =
				adult_find(column, level, column->groups[level], field);

			snprintf(column->text[level][group], 32, "%.31s", field);
			if (group == column->groups[level])
				column->groups[level]++;
			column->room[level][hierarchy->values] = group;
			column->group[level] = column->room[level];
		}
		hierarchy->levels = level;
		hierarchy->values++;
	}
	fclose(file);
}

/* The data set from malloc. */
static inline AdultData *
adult_read(void)
{
	FILE *file = published_open("adult.csv");
	AdultData *data = malloc(sizeof(AdultData));
	char line[ADULT_LINE];
	char *rest;
	int32_t row;
	int j;

	if (fgets(line, sizeof(line), file) == NULL)
		abort();
	rest = line;
	for (j = 0; j < ADULT_COLUMNS; j++)
		adult_read_column(adult_field(&rest), &data->column[j]);
	for (row = 0; fgets(line, sizeof(line), file) != NULL; row++)
	{
		rest = line;
		for (j = 0; j < ADULT_COLUMNS; j++)
			data->code[j][row] =
				adult_find(&data->column[j], 0, data->column[j].groups[0],
						   adult_field(&rest));
	}
	fclose(file);
	return data;
}

/* Counts every step-th row over some columns; each is count records. */
static inline SdcFrequency *
adult_count(const AdultData *data, const int *column, int columns, int step,
			int64_t count)
{
	SdcFrequencyCount *counting =
		sdc_frequency_start(unit_host(), columns, false);
	int32_t values[ADULT_COLUMNS];
	int32_t row;
	int j;

	for (j = 0; j < columns; j++)
		values[j] = data->column[column[j]].hierarchy.values;
	for (row = 0; row < ADULT_ROWS; row += step)
	{
		int32_t code[ADULT_COLUMNS];

		for (j = 0; j < columns; j++)
			code[j] = data->code[column[j]][row];
		sdc_frequency_add(counting, code, count, (double) count);
	}
	return sdc_frequency_finish(counting, NULL, values, NULL);
}

/*
 * A table with one column raised from one level of its hierarchy to another:
 * cells that become equal are joined.
 */
static inline SdcFrequency *
adult_raise(const SdcFrequency *table, int j, const AdultColumn *column,
			int from, int to)
{
	SdcFrequency raised = *table;
	SdcFrequency *joined;
	int32_t map[ADULT_VALUES];
	int32_t values[ADULT_COLUMNS];
	int32_t *code[ADULT_COLUMNS];
	int all[ADULT_COLUMNS];
	int32_t cell;
	int32_t i;

	for (i = 0; i < column->hierarchy.values; i++)
		map[column->group[from][i]] = column->group[to][i];
	for (i = 0; i < table->columns; i++)
	{
		all[i] = i;
		values[i] = table->values[i];
		code[i] = table->code[i];
	}
	values[j] = column->groups[to];
	code[j] = sdc_new(unit_host(), int32_t, (size_t) table->cells);
	for (cell = 0; cell < table->cells; cell++)
		code[j][cell] = map[table->code[j][cell]];
	raised.values = values;
	raised.code = code;
	joined =
		sdc_frequency_project(unit_host(), &raised, all, table->columns, NULL);
	unit_host()->release(unit_host(), code[j]);
	return joined;
}

/* A table of results: its header and one line, cut into fields. */
#define ADULT_FIELDS 256

typedef struct AdultTable
{
	FILE *file;
	int fields;
	char *name[ADULT_FIELDS];
	char *field[ADULT_FIELDS];
	char header[ADULT_LINE];
	char line[ADULT_LINE];
} AdultTable;

static inline int
adult_split(char *line, char **field)
{
	int fields = 0;

	while (fields < ADULT_FIELDS && line != NULL)
		field[fields++] = adult_field(&line);
	return fields;
}

static inline void
adult_table_open(AdultTable *table, const char *name)
{
	table->file = published_open(name);
	if (fgets(table->header, ADULT_LINE, table->file) == NULL)
		abort();
	table->fields = adult_split(table->header, table->name);
}

/* The next line; at the end the file is closed. */
static inline bool
adult_table_next(AdultTable *table)
{
	if (fgets(table->line, ADULT_LINE, table->file) != NULL)
		return adult_split(table->line, table->field) == table->fields;
	fclose(table->file);
	return false;
}

/* The number of a field; a wrong name ends the test. */
static inline int
adult_table_field(const AdultTable *table, const char *name)
{
	int i;

	for (i = 0; i < table->fields; i++)
		if (strcmp(table->name[i], name) == 0)
			return i;
	fprintf(stderr, "no field %s\n", name);
	abort();
}

static inline const char *
adult_table_text(const AdultTable *table, const char *name)
{
	return table->field[adult_table_field(table, name)];
}

static inline double
adult_table_number(const AdultTable *table, const char *name)
{
	return strtod(adult_table_text(table, name), NULL);
}

#endif
