/*
 * tabular_instance.h
 *		The tables of test/data/tables.txt.
 *
 * Of each table a line "table NAME BOUNDS CELLS EQUATIONS MEMBERS OPTIMUM
 * HIDDEN", then the cells (a value, "z" after it when it must not be hidden,
 * "uN" when it is unsafe with a protection level of N), the equations (a
 * total and its parts), and a pattern of hidden cells with the attacker's
 * intervals (cell:lowest:highest).  BOUNDS is what is known before: wide, 0
 * to twice the value, at least 5; or half, half as much and half as much
 * again.
 */
#ifndef SDC_TEST_UNIT_TABULAR_INSTANCE_H
#define SDC_TEST_UNIT_TABULAR_INSTANCE_H

#include "tabular_case.h"

typedef struct Instance
{
	char name[32];
	SdcTabular *table;
	double optimum;
	bool *hidden; /* a pattern, and the attacker's intervals of it */
	double *least;
	double *largest;
} Instance;

/* The next number after a separator. */
static inline double
number(FILE *file)
{
	double x;

	if (fscanf(file, "%lf", &x) != 1)
		abort();
	return x;
}

static inline void
read_cells(SdcTabular *table, const double *raw, const char *mark,
		   const double *need, bool half)
{
	int32_t i;

	for (i = 0; i < table->cells; i++)
	{
		double a = raw[i];

		table->value[i] = a;
		table->weight[i] = a > 1 ? a : 1;
		table->low[i] = half ? a - ceil(a / 2) : a;
		table->high[i] = half ? floor(a / 2) : (2 * a > 5 ? a : 5 - a);
		table->role[i] = mark[i] == 'u'   ? SDC_CELL_UNSAFE
						 : mark[i] == 'z' ? SDC_CELL_SHOWN
										  : SDC_CELL_OPEN;
		if (mark[i] == 'u')
			table->need_low[i] = table->need_high[i] = need[i];
	}
}

/* One table; false at the end. */
static inline bool
read_instance(FILE *file, Instance *instance)
{
	SdcHost *host = unit_host();
	char bounds[8];
	int cells;
	int equations;
	int entries;
	int hidden;
	int64_t *start;
	int32_t *member;
	double *raw;
	double *need;
	char *mark;
	int i;
	int r;
	int used = 0;

	if (fscanf(file, " table %31s %7s %d %d %d %lf %d", instance->name, bounds,
			   &cells, &equations, &entries, &instance->optimum, &hidden) != 7)
		return false;
	raw = sdc_new(host, double, cells);
	need = sdc_new(host, double, cells);
	mark = sdc_new(host, char, cells);
	for (i = 0; i < cells; i++)
	{
		raw[i] = number(file);
		mark[i] = (char) fgetc(file);
		if (mark[i] == 'u')
			need[i] = number(file);
	}
	start = sdc_new(host, int64_t, (size_t) equations + 1);
	member = sdc_new(host, int32_t, entries);
	for (r = 0; r < equations; r++)
	{
		start[r] = used;
		do
			member[used++] = (int32_t) number(file);
		while (fgetc(file) == ',');
	}
	start[equations] = used;
	instance->table =
		sdc_tabular_create(host, cells, equations, start, member);
	read_cells(instance->table, raw, mark, need, strcmp(bounds, "half") == 0);
	instance->hidden = sdc_new(host, bool, cells);
	instance->least = sdc_new(host, double, cells);
	instance->largest = sdc_new(host, double, cells);
	memset(instance->hidden, 0, cells);
	for (i = 0; i < hidden; i++)
	{
		int at = (int) number(file);

		instance->hidden[at] = fgetc(file) == ':';
		instance->least[at] = number(file);
		if (fgetc(file) != ':')
			abort();
		instance->largest[at] = number(file);
	}
	return true;
}

#endif
