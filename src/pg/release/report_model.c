/*
 * report_model.c
 *		The report of a release before it has a format: what it says.
 */
#include "postgres.h"

#include <math.h>

#include "mb/pg_wchar.h"

#include "pg/release/report_model.h"

char *
sdcpg_report_clean(const char *text)
{
	char *copy = pstrdup(text);
	char *place = copy;

	while (*place != '\0')
	{
		int length = pg_mblen(place);
		unsigned char first = place[0];

		/* C0, DEL, and C1 as UTF-8 has it */
		if (first < 0x20 || first == 0x7f)
			place[0] = '?';
		else if (GetDatabaseEncoding() == PG_UTF8 && first == 0xc2 &&
				 (unsigned char) place[1] < 0xa0)
			memset(place, '?', 2);
		place += length;
	}
	return copy;
}

static SdcReportBlock *
add(SdcReportModel *model, SdcReportKind kind, const char *text)
{
	SdcReportBlock *block = palloc0(sizeof(SdcReportBlock));

	block->kind = kind;
	block->text = text == NULL ? NULL : sdcpg_report_clean(text);
	block->bound = NAN;
	model->blocks = lappend(model->blocks, block);
	return block;
}

void
sdcpg_report_heading(SdcReportModel *model, int level, const char *text)
{
	add(model, SDC_REPORT_HEADING, text)->level = level;
}

void
sdcpg_report_paragraph(SdcReportModel *model, const char *text)
{
	(void) add(model, SDC_REPORT_PARAGRAPH, text);
}

void
sdcpg_report_verdict(SdcReportModel *model, SdcReportTone tone,
					 const char *text)
{
	add(model, SDC_REPORT_VERDICT, text)->tone = tone;
}

SdcReportBlock *
sdcpg_report_block(SdcReportModel *model, SdcReportKind kind,
				   const char *caption, const char *const *titles)
{
	SdcReportBlock *block = add(model, kind, caption);

	while (titles[block->columns] != NULL)
	{
		Assert(block->columns < SDC_REPORT_COLUMNS);
		block->title[block->columns] =
			sdcpg_report_clean(titles[block->columns]);
		block->unit[block->columns] = SDC_REPORT_SHARE;
		block->columns++;
	}
	return block;
}

SdcReportBlock *
sdcpg_report_table(SdcReportModel *model, const char *caption,
				   const char *const *titles, const SdcReportUnit *units)
{
	SdcReportBlock *table =
		sdcpg_report_block(model, SDC_REPORT_TABLE, caption, titles);
	int i;

	for (i = 0; i < table->columns; i++)
		table->unit[i] = units[i];
	return table;
}

SdcReportCell *
sdcpg_report_row(SdcReportBlock *table)
{
	SdcReportCell *cells = palloc0(sizeof(SdcReportCell) * table->columns);
	int i;

	for (i = 0; i < table->columns; i++)
	{
		cells[i].number = NAN;
		cells[i].unit = table->unit[i];
	}
	table->rows = lappend(table->rows, cells);
	return cells;
}

void
sdcpg_report_set_text(SdcReportCell *cell, const char *text,
					  SdcReportTone tone)
{
	cell->unit = SDC_REPORT_TEXT;
	cell->text = text == NULL ? NULL : sdcpg_report_clean(text);
	cell->tone = tone;
}

void
sdcpg_report_set_number(SdcReportCell *cell, double number)
{
	cell->number = number;
}

SdcReportBar *
sdcpg_report_bar(SdcReportBlock *chart, const char *label)
{
	SdcReportBar *bar = palloc0(sizeof(SdcReportBar));

	bar->label = sdcpg_report_clean(label);
	bar->value[0] = bar->value[1] = bar->bound = NAN;
	chart->rows = lappend(chart->rows, bar);
	return bar;
}

SdcReportPoint *
sdcpg_report_point(SdcReportBlock *chart, const char *label)
{
	SdcReportPoint *point = palloc0(sizeof(SdcReportPoint));

	point->label = sdcpg_report_clean(label);
	chart->rows = lappend(chart->rows, point);
	return point;
}

/* A whole number with commas between thousands. */
static char *
grouped(double number)
{
	char *digits = psprintf("%.0f", fabs(number));
	int length = strlen(digits);
	StringInfoData text;
	int i;

	initStringInfo(&text);
	if (number < 0)
		appendStringInfoChar(&text, '-');
	for (i = 0; i < length; i++)
	{
		if (i > 0 && (length - i) % 3 == 0)
			appendStringInfoChar(&text, ',');
		appendStringInfoChar(&text, digits[i]);
	}
	return text.data;
}

char *
sdcpg_report_number(double number, SdcReportUnit unit)
{
	if (!isfinite(number))
		return "-";
	if (unit == SDC_REPORT_COUNT ||
		(floor(number) == number && unit == SDC_REPORT_VALUE))
		return grouped(number);
	if (unit == SDC_REPORT_SHARE)
		return psprintf("%.1f %%", 100 * number);
	if (fabs(number) >= 1000)
		return grouped(number);
	if (fabs(number) < 5e-5)
		return "0.0000";
	return psprintf("%.4g", number);
}

char *
sdcpg_report_cell(const SdcReportCell *cell)
{
	if (cell->unit != SDC_REPORT_TEXT)
		return sdcpg_report_number(cell->number, cell->unit);
	return cell->text == NULL ? "-" : cell->text;
}
