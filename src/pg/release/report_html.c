/*
 * report_html.c
 *		The report of a release as one page of HTML.
 *
 * The page is well-formed XML too, and ASCII: what is beyond it is written as
 * a number, so that no guess of an encoding can spoil it.
 */
#include "postgres.h"

#include "mb/pg_wchar.h"

#include "pg/release/report_format.h"

static const char style[] =
	":root{color-scheme:light dark;--paper:#ffffff;--ink:#1c2430;"
	"--muted:#5a6675;--line:#d5dbe3;--panel:#f4f6f9;--before:#9aa7b8;"
	"--after:#1f63b5;--good:#1b6e3c;--bad:#b3261e;--unknown:#8a5a00;"
	"--wash-good:#e4f3e9;--wash-bad:#fbe7e5;--wash-unknown:#fbf0dc}\n"
	"@media (prefers-color-scheme:dark){:root{--paper:#14181e;--ink:#e6eaf0;"
	"--muted:#a3afbd;--line:#36404c;--panel:#1c222a;--before:#66758a;"
	"--after:#6aaaf5;--good:#76cf98;--bad:#ff8f86;--unknown:#e9b85c;"
	"--wash-good:#173123;--wash-bad:#3b1d1b;--wash-unknown:#362b14}}\n"
	"*{box-sizing:border-box}\n"
	"body{margin:0;background:var(--paper);color:var(--ink);"
	"font:16px/1.5 system-ui,-apple-system,\"Segoe UI\",\"Liberation Sans\","
	"Arial,sans-serif}\n"
	"main{max-width:56rem;margin:0 auto;padding:2rem 1.25rem 4rem}\n"
	"h1{font-size:1.7rem;line-height:1.25;margin:0 0 1rem}\n"
	"h2{font-size:1.25rem;margin:2.5rem 0 .5rem;padding-top:.75rem;"
	"border-top:1px solid var(--line)}\n"
	"h3{font-size:1.05rem;margin:1.5rem 0 .25rem}\n"
	"h1,h2,h3,p,td{overflow-wrap:anywhere}\n"
	"p{margin:.5rem 0;max-width:44rem}\n"
	".caption{color:var(--muted)}\n"
	".verdict{max-width:none;border-left:.4rem solid;border-radius:.25rem;"
	"padding:.75rem 1rem;margin:1rem 0;font-weight:600}\n"
	".verdict.good{background:var(--wash-good);border-color:var(--good)}\n"
	".verdict.bad{background:var(--wash-bad);border-color:var(--bad)}\n"
	".verdict.unknown,.verdict.plain{background:var(--wash-unknown);"
	"border-color:var(--unknown)}\n"
	".wide{overflow-x:auto;margin:.75rem 0}\n"
	"table{border-collapse:collapse;width:100%;font-size:.925rem}\n"
	"th,td{text-align:left;padding:.35rem 1.25rem .35rem 0;"
	"border-bottom:1px solid var(--line);vertical-align:top}\n"
	"th{color:var(--muted);font-weight:600;vertical-align:bottom}\n"
	"th:last-child,td:last-child{padding-right:0}\n"
	".number{text-align:right;font-variant-numeric:tabular-nums;"
	"white-space:nowrap}\n"
	"td.good{color:var(--good);font-weight:600}\n"
	"td.bad{color:var(--bad);font-weight:600}\n"
	"td.unknown{color:var(--unknown)}\n"
	"svg{display:block;width:100%;max-width:45rem;height:auto;"
	"margin:.75rem 0;font-size:13px;font-family:inherit}\n"
	"svg text{fill:var(--ink)}svg text.muted{fill:var(--muted)}\n"
	"svg .axis{stroke:var(--line);fill:none}\n"
	"svg .before{fill:var(--before)}svg .after{fill:var(--after)}\n"
	"svg .bound{stroke:var(--bad);stroke-width:2;stroke-dasharray:4 3}\n"
	"svg text.limit{fill:var(--bad)}\n"
	"svg .dot{stroke:var(--paper);stroke-width:1.5}\n"
	"svg .good{fill:var(--good)}svg .bad{fill:var(--bad)}"
	"svg .unknown{fill:var(--unknown)}\n"
	"svg .ring{fill:none;stroke:var(--ink);stroke-width:1.5}\n"
	"@media print{:root{color-scheme:light;--paper:#ffffff;--ink:#000000;"
	"--muted:#444444;--line:#bbbbbb;--panel:#ffffff;--before:#aaaaaa;"
	"--after:#1f63b5;--good:#1b6e3c;--bad:#b3261e;--unknown:#8a5a00;"
	"--wash-good:#ffffff;--wash-bad:#ffffff;--wash-unknown:#ffffff}"
	"body{font-size:10.5pt}main{max-width:none;padding:0}"
	"*{-webkit-print-color-adjust:exact;print-color-adjust:exact}"
	"h2,h3,.caption{break-after:avoid}table,svg,.verdict{break-inside:avoid}"
	".wide{overflow:visible}}\n";

static const char *const tones[] = {"plain", "good", "bad", "unknown"};

void
sdcpg_report_html_escape(StringInfo out, const char *text)
{
	const char *place = pg_server_to_any(text, strlen(text), PG_UTF8);

	while (*place != '\0')
	{
		int length = pg_utf_mblen((const unsigned char *) place);

		if (length > 1)
			appendStringInfo(
				out, "&#x%X;",
				(unsigned) utf8_to_unicode((const unsigned char *) place));
		else if (strchr("&<>\"'", *place) != NULL)
			appendStringInfo(out, "&#%d;", *place);
		else
			appendStringInfoChar(out, *place);
		place += length;
	}
}

static void
put_element(StringInfo out, const char *name, const char *class,
			const char *text)
{
	appendStringInfo(out, "<%s", name);
	if (class != NULL)
		appendStringInfo(out, " class=\"%s\"", class);
	appendStringInfoChar(out, '>');
	sdcpg_report_html_escape(out, text);
	appendStringInfo(out, "</%s>", name);
}

/* The class of a cell: numbers, and what is good or bad. */
static const char *
cell_class(SdcReportUnit unit, SdcReportTone tone)
{
	if (unit != SDC_REPORT_TEXT)
		return "number";
	return tone == SDC_REPORT_PLAIN ? NULL : tones[tone];
}

static void
put_table(StringInfo out, const SdcReportBlock *table)
{
	ListCell *row;
	int i;

	appendStringInfoString(out, "<div class=\"wide\"><table>\n<thead><tr>");
	for (i = 0; i < table->columns; i++)
		put_element(out, "th", cell_class(table->unit[i], SDC_REPORT_PLAIN),
					table->title[i]);
	appendStringInfoString(out, "</tr></thead>\n<tbody>\n");
	foreach (row, table->rows)
	{
		const SdcReportCell *cells = lfirst(row);

		appendStringInfoString(out, "<tr>");
		for (i = 0; i < table->columns; i++)
			put_element(out, "td", cell_class(table->unit[i], cells[i].tone),
						sdcpg_report_cell(&cells[i]));
		appendStringInfoString(out, "</tr>\n");
	}
	appendStringInfoString(out, "</tbody>\n</table></div>\n");
}

static void
put_block(StringInfo out, const SdcReportBlock *block)
{
	switch (block->kind)
	{
		case SDC_REPORT_HEADING:
			put_element(out, psprintf("h%d", block->level), NULL, block->text);
			break;
		case SDC_REPORT_PARAGRAPH:
			put_element(out, "p", NULL, block->text);
			break;
		case SDC_REPORT_VERDICT:
			put_element(out, "p", psprintf("verdict %s", tones[block->tone]),
						block->text);
			break;
		case SDC_REPORT_TABLE:
			put_table(out, block);
			break;
		case SDC_REPORT_BARS:
			sdcpg_report_chart_bars(out, block);
			break;
		case SDC_REPORT_POINTS:
			sdcpg_report_chart_points(out, block);
			break;
	}
	appendStringInfoChar(out, '\n');
}

void
sdcpg_report_html(StringInfo out, const SdcReportModel *model)
{
	const SdcReportBlock *first = linitial(model->blocks);
	ListCell *cell;

	appendStringInfoString(
		out, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n"
			 "<meta charset=\"utf-8\"/>\n"
			 "<meta http-equiv=\"Content-Security-Policy\""
			 " content=\"default-src 'none'; style-src 'unsafe-inline'\"/>\n"
			 "<meta name=\"viewport\""
			 " content=\"width=device-width, initial-scale=1\"/>\n");
	put_element(out, "title", NULL, first->text);
	appendStringInfo(out, "\n<style>\n%s</style>\n</head>\n<body>\n<main>\n",
					 style);
	foreach (cell, model->blocks)
	{
		const SdcReportBlock *block = lfirst(cell);

		if (block->kind >= SDC_REPORT_TABLE && block->text != NULL)
			put_element(out, "p", "caption", block->text);
		put_block(out, block);
	}
	appendStringInfoString(out, "</main>\n</body>\n</html>\n");
}
