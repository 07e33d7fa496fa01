/*
 * design.c
 *		Rows as features of a linear model.
 *
 * Features of categories are numbered in the order in which training rows
 * show them.
 */
#include "kernel/model/design.h"

#include "kernel/model/training_scale.h"

/* Numbers the values of a category that occur in training. */
static void
number_values(SdcHost *host, const SdcModelTask *task, int j,
			  SdcDesign *design)
{
	const SdcModelColumn *column = &task->table->column[j];
	int32_t *feature = sdc_new(host, int32_t, (size_t) column->values + 1);
	int32_t i;

	for (i = 0; i <= column->values; i++)
		feature[i] = -1;
	for (i = 0; i < task->rows; i++)
	{
		int32_t *place = &feature[column->code[task->row[i]] + 1];

		if (i % SDC_POLL_STEPS == 0)
			host->poll(host, 0, 0);
		if (*place < 0)
			*place = design->features++;
	}
	design->feature[j] = feature;
	design->values[j] = column->values;
}

SdcDesign *
sdc_design_create(SdcHost *host, const SdcModelTask *task)
{
	SdcDesign *design = sdc_new(host, SdcDesign, 1);
	size_t columns = (size_t) task->table->columns;
	int j;

	design->columns = task->table->columns;
	design->features = 0;
	design->feature = sdc_new(host, int32_t *, columns);
	design->values = sdc_new(host, int32_t, columns);
	design->number = sdc_new(host, int32_t, columns);
	design->scale = sdc_new(host, SdcScale, columns);
	for (j = 0; j < design->columns; j++)
	{
		design->feature[j] = NULL;
		design->number[j] = -1;
		if (task->table->column[j].code != NULL)
		{
			number_values(host, task, j, design);
			continue;
		}
		design->scale[j] = sdc_training_scale_find(host, task, j);
		if (design->scale[j].deviation > 0)
			design->number[j] = design->features++;
	}
	design->features++;
	return design;
}

SdcDesignRow
sdc_design_row(SdcHost *host, const SdcDesign *design)
{
	size_t room = (size_t) design->columns + 1;
	SdcDesignRow row = {0, sdc_new(host, int32_t, room),
						sdc_new(host, double, room)};

	return row;
}

/* The feature and value of one column of a row; feature -1 for none. */
static int32_t
take_column(const SdcDesign *design, const SdcModelColumn *column, int j,
			int32_t row, double *value)
{
	*value = 1;
	if (column->code != NULL)
		return column->code[row] < design->values[j]
				   ? design->feature[j][column->code[row] + 1]
				   : -1;
	if (design->number[j] < 0 || isnan(column->number[row]))
		return -1;
	*value = sdc_scale_apply(&design->scale[j], column->number[row]);
	return design->number[j];
}

void
sdc_design_take(const SdcDesign *design, const SdcModelTable *table,
				int32_t row, SdcDesignRow *taken)
{
	int j;

	taken->count = 0;
	for (j = 0; j < design->columns; j++)
	{
		double value;
		int32_t feature =
			take_column(design, &table->column[j], j, row, &value);

		if (feature < 0)
			continue;
		taken->feature[taken->count] = feature;
		taken->value[taken->count++] = value;
	}
	taken->feature[taken->count] = design->features - 1;
	taken->value[taken->count++] = 1;
}

SdcDesignRows
sdc_design_rows(SdcHost *host, const SdcDesign *design,
				const SdcModelTask *task)
{
	size_t room = (size_t) task->rows * (size_t) (design->columns + 1);
	SdcDesignRows rows;
	int32_t i;

	rows.columns = design->columns;
	rows.count = sdc_new(host, int32_t, (size_t) task->rows);
	rows.feature = sdc_new(host, int32_t, room);
	rows.value = sdc_new(host, double, room);
	for (i = 0; i < task->rows; i++)
	{
		SdcDesignRow row;

		if (i % 4096 == 0)
			host->poll(host, 0, 0);
		rows.count[i] = 0;
		row = sdc_design_rows_get(&rows, i);
		sdc_design_take(design, task->table, task->row[i], &row);
		rows.count[i] = row.count;
	}
	return rows;
}

void
sdc_design_rows_release(SdcHost *host, SdcDesignRows *rows)
{
	host->release(host, rows->count);
	host->release(host, rows->feature);
	host->release(host, rows->value);
}
