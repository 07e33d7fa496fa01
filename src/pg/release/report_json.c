/*
 * report_json.c
 *		The report of a release as JSON: its blocks, numbers as they are.
 */
#include "postgres.h"

#include "nodes/pg_list.h"

#include "pg/release/document.h"
#include "pg/release/report_format.h"

static const char *const kinds[] = {"heading", "paragraph", "verdict",
									"table",   "bars",      "points"};

static const char *const tones[] = {"plain", "good", "bad", "unknown"};

static void
put_titles(StringInfo out, const SdcReportBlock *block)
{
	int i;

	sdcpg_document_open(out, "titles", '[');
	for (i = 0; i < block->columns; i++)
		sdcpg_document_text(out, NULL, block->title[i]);
	sdcpg_document_close(out, '[');
}

static void
put_cells(StringInfo out, const SdcReportBlock *table,
		  const SdcReportCell *cells)
{
	int i;

	sdcpg_document_open(out, NULL, '[');
	for (i = 0; i < table->columns; i++)
	{
		if (cells[i].unit == SDC_REPORT_TEXT)
			sdcpg_document_text(out, NULL, cells[i].text);
		else
			sdcpg_document_number(out, NULL, cells[i].number);
	}
	sdcpg_document_close(out, '[');
}

static void
put_bar(StringInfo out, const SdcReportBlock *chart, const SdcReportBar *bar)
{
	int i;

	sdcpg_document_open(out, NULL, '{');
	sdcpg_document_text(out, "label", bar->label);
	sdcpg_document_open(out, "values", '[');
	for (i = 0; i < chart->columns; i++)
		sdcpg_document_number(out, NULL, bar->value[i]);
	sdcpg_document_close(out, '[');
	sdcpg_document_number(out, "bound", bar->bound);
	sdcpg_document_close(out, '{');
}

static void
put_point(StringInfo out, const SdcReportPoint *point)
{
	sdcpg_document_open(out, NULL, '{');
	sdcpg_document_text(out, "label", point->label);
	sdcpg_document_number(out, "x", point->x);
	sdcpg_document_number(out, "y", point->y);
	sdcpg_document_boolean(out, "current", point->current);
	sdcpg_document_text(out, "tone", tones[point->tone]);
	sdcpg_document_close(out, '{');
}

static void
put_rows(StringInfo out, const SdcReportBlock *block)
{
	ListCell *row;

	sdcpg_document_open(out, "rows", '[');
	foreach (row, block->rows)
	{
		if (block->kind == SDC_REPORT_TABLE)
			put_cells(out, block, lfirst(row));
		else if (block->kind == SDC_REPORT_BARS)
			put_bar(out, block, lfirst(row));
		else
			put_point(out, lfirst(row));
	}
	sdcpg_document_close(out, '[');
}

void
sdcpg_report_json(StringInfo out, const SdcReportModel *model)
{
	ListCell *cell;

	sdcpg_document_open(out, NULL, '{');
	sdcpg_document_open(out, "blocks", '[');
	foreach (cell, model->blocks)
	{
		const SdcReportBlock *block = lfirst(cell);

		sdcpg_document_open(out, NULL, '{');
		sdcpg_document_text(out, "kind", kinds[block->kind]);
		sdcpg_document_text(out, "text", block->text);
		if (block->kind == SDC_REPORT_HEADING)
			sdcpg_document_integer(out, "level", block->level);
		if (block->kind == SDC_REPORT_VERDICT)
			sdcpg_document_text(out, "tone", tones[block->tone]);
		if (block->kind >= SDC_REPORT_TABLE)
		{
			put_titles(out, block);
			put_rows(out, block);
		}
		sdcpg_document_close(out, '{');
	}
	sdcpg_document_close(out, '[');
	sdcpg_document_close(out, '{');
}
