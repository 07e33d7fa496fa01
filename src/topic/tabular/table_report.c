/*
 * table_report.c
 *		sdc.table_report: what attacks on a published table find, in figures.
 */
#include "postgres.h"

#include <math.h>

#include "utils/builtins.h"
#include "utils/fmgrprotos.h"
#include "utils/jsonb.h"

#include "host/call/params.h"
#include "host/call/report.h"
#include "host/server/host.h"
#include "topic/registry/measures.h"
#include "topic/tabular/attack_table.h"
#include "topic/tabular/tabular_topic.h"

PG_FUNCTION_INFO_V1(sdcf_table_report);

/* Keys of the params of sdc.table_report. */
static const char *const report_params[] = {
	"total",         "least",    "largest", "noise",   "base",
	"noise_percent", "unit",     "with",    "earlier", "change",
	"count",         "adjusted", "known",   NULL};

/* Is the interval of a cell no wider than what intervals are rounded to? */
static bool
is_exact(const SdcAttackTable *attack, int32 i)
{
	return attack->most[i] - attack->least[i] <= SDC_TABULAR_ROUNDED &&
		   attack->most[i] < attack->largest * (1 - 1e-9);
}

/* Is it a cell that a reader is not to know? */
static bool
is_asked(const SdcAttackTable *attack, int32 i)
{
	return attack->count == NULL ? attack->hidden[i] || attack->learned[i]
								 : !attack->shown[i];
}

/* What the report has to know of cells. */
typedef struct Needed
{
	SdcEnough enough;
	const SdcAttackTable *attack;
	bool changes;     /* is it of changes? */
	double narrowest; /* so far; 0: it is not asked for */
} Needed;

/* How wide an interval is, in percent of its middle. */
static double
relative_width(double least, double most)
{
	double middle = (least + most) / 2;

	return middle > 0 ? 100 * (most - least) / middle : most > least ? 200 : 0;
}

/*
 * Is it clear by now that a cell is not known, and not the narrowest one?  Of
 * changes: nor whether it has changed.  A wider interval is wider beside its
 * middle, too.
 */
static bool
is_clear(void *arg, int32 i, double least, double most, bool ends)
{
	Needed *needed = arg;
	const SdcAttackTable *attack = needed->attack;
	double width = relative_width(least, most);

	if (!needed->changes && (i >= attack->cells || !is_asked(attack, i)))
		return true;
	if (ends && width < needed->narrowest)
		needed->narrowest = width;
	if (most - least <= SDC_TABULAR_ROUNDED)
		return false;
	return needed->changes
			   ? least <= SDC_TABULAR_ROUNDED && most >= -SDC_TABULAR_ROUNDED
			   : width >= needed->narrowest;
}

/* Runs an attack as far as the report needs it. */
static void
run_needed(SdcAttackTable *attack, bool changes, bool narrowest)
{
	Needed needed = {
		{is_clear, &needed}, attack, changes, narrowest ? INFINITY : 0};

	attack->enough = &needed.enough;
	sdcpg_table_attack_run(attack);
	attack->enough = NULL;
}

/* What one table gives away by itself. */
static void
report_cells(SdcReport *report, const char *subject,
			 const SdcAttackTable *attack)
{
	double narrowest = NAN;
	int32 hidden = 0;
	int32 exact = 0;
	int32 i;

	for (i = 0; i < attack->cells; i++)
	{
		double width = relative_width(attack->least[i], attack->most[i]);

		if (!is_asked(attack, i))
			continue;
		hidden++;
		exact += is_exact(attack, i);
		if (!(width >= narrowest))
			narrowest = width;
	}
	sdcpg_report_put(report, "cells", subject, attack->cells,
					 "The table has %d cells.", attack->cells);
	sdcpg_report_put(report, "hidden", subject, hidden,
					 "%d cells are hidden or not published as they are.",
					 hidden);
	sdcpg_report_put(report, "hidden_share", subject,
					 attack->cells > 0 ? (double) hidden / attack->cells : 0,
					 "%d of %d cells are hidden or not published as they are.",
					 hidden, attack->cells);
	sdcpg_report_put(report, "exact", subject, exact,
					 "%d of %d hidden cells can be computed exactly.", exact,
					 hidden);
	sdcpg_report_put(report, "narrowest", subject,
					 hidden > 0 ? narrowest : INFINITY,
					 hidden > 0 ? "The narrowest interval of a hidden cell is "
								  "%.6g %% of its middle wide."
								: "No cell is hidden.",
					 narrowest);
}

/* The keys that a cell is not at the total of, as bits. */
static uint32
find_margin(const SdcAttackTable *attack, const int32 *total, int32 i)
{
	uint32 margin = 0;
	int j;

	for (j = 0; j < attack->keys; j++)
		if ((int32) (attack->cell[i] / attack->stride[j] %
					 (uint64) attack->codes[j]) != total[j])
			margin |= 1U << j;
	return margin;
}

/* What is lost of each margin: its share of hidden cells. */
static void
report_margins(SdcReport *report, const SdcAttackTable *attack)
{
	uint32 margins = 1U << attack->keys;
	int32 *cells = palloc0(sizeof(int32) * margins);
	int32 *hidden = palloc0(sizeof(int32) * margins);
	int32 total[SDC_CUBE_MAX_DIMENSIONS];
	uint32 m;
	int32 i;
	int j;

	for (j = 0; j < attack->keys; j++)
		for (total[j] = attack->codes[j] - 1; total[j] >= 0; total[j]--)
			if (strcmp(sdcpg_dictionary_text(attack->dictionary[j], total[j]),
					   attack->total) == 0)
				break;
	for (i = 0; i < attack->cells; i++)
	{
		m = find_margin(attack, total, i);
		cells[m]++;
		hidden[m] += is_asked(attack, i);
	}
	for (m = 0; m < margins; m++)
	{
		StringInfoData by;

		if (cells[m] == 0)
			continue;
		initStringInfo(&by);
		for (j = 0; j < attack->keys; j++)
			if (m & (1U << j))
				appendStringInfo(&by, "%s%s", by.len > 0 ? ", " : "",
								 attack->key[j]);
		sdcpg_report_put(report, "hidden_margin",
						 by.len > 0 ? by.data : attack->total,
						 (double) hidden[m] / cells[m],
						 "%d of %d cells by %s are hidden or not published as "
						 "they are.",
						 hidden[m], cells[m], by.len > 0 ? by.data : "no key");
	}
}

/*
 * The change of each cell, NAN where it is not known: what follows, and, as a
 * guess, that what need not have changed has not.
 */
static double *
find_changes(const SdcAttackTable *changes, bool guess)
{
	SdcHost *host = &changes->host->kernel;
	int32 cells = changes->cells + changes->rests;
	double *change = sdc_new(host, double, (Size) cells + 1);
	bool changed = false;
	int32 i;

	for (i = 0; i < cells; i++)
	{
		double middle = (changes->least[i] + changes->most[i]) / 2;

		change[i] = is_exact(changes, i) ? rint(middle / SDC_TABULAR_ROUNDED) *
											   SDC_TABULAR_ROUNDED
										 : NAN;
		changed = changed || changes->least[i] > SDC_TABULAR_ROUNDED ||
				  changes->most[i] < -SDC_TABULAR_ROUNDED;
	}
	for (i = 0; i < cells && guess && !changed; i++)
		change[i] = 0;
	if (guess && changed)
		sdc_tabular_guess(sdc_tabular_create(host, cells, changes->equations,
											 changes->start, changes->member),
						  change);
	return change;
}

/* Known changes that are so small that they are of few respondents. */
static void
report_changes(SdcReport *report, const char *subject,
			   const SdcAttackTable *attack, double change)
{
	int32 small = 0;
	int32 i;

	if (attack == NULL)
	{
		sdcpg_report_put(report, "small_changes", subject, 0,
						 "There is no earlier table.");
		return;
	}
	if (change <= 0)
	{
		sdcpg_report_put(report, "small_changes", subject, NAN,
						 "params.change does not say how small a change gives "
						 "somebody away.");
		return;
	}
	for (i = 0; i < attack->cells; i++)
	{
		double least = attack->least[i];
		double most = attack->most[i];

		small += (least > SDC_TABULAR_ROUNDED && most < change) ||
				 (most < -SDC_TABULAR_ROUNDED && least > -change);
	}
	sdcpg_report_put(report, "small_changes", subject, small,
					 "The change since the earlier table is known to be "
					 "below %.15g and not 0, in %d cells.",
					 change, small);
}

/* What both tables give away together. */
static void
report_together(SdcReport *report, const char *subject,
				const SdcAttackTable *attack)
{
	int32 exact = 0;
	int32 hidden = 0;
	int32 i;

	bool tried = attack != NULL && !attack->impossible;

	for (i = 0; tried && i < attack->cells; i++)
	{
		hidden += is_asked(attack, i);
		exact += is_asked(attack, i) && is_exact(attack, i);
	}
	sdcpg_report_put(report, "exact_together", subject,
					 tried || attack == NULL ? exact : NAN,
					 attack == NULL
						 ? "There is no earlier table."
						 : "%d of %d cells that neither table shows "
						   "as they are now can be computed exactly "
						   "from both.",
					 exact, hidden);
}

Jsonb *
sdcpg_table_params_without(Jsonb *params, const char *key)
{
	return params == NULL
			   ? NULL
			   : DatumGetJsonbP(DirectFunctionCall2(jsonb_delete,
													JsonbPGetDatum(params),
													CStringGetTextDatum(key)));
}

/*
 * table_report(relation regclass, keys columns, value name, measures columns,
 *				params jsonb)
 */
Datum
sdcf_table_report(PG_FUNCTION_ARGS)
{
	int usual;
	const char **words = sdcpg_measure_asked(SDC_MEASURE_TABLE, 0, &usual);
	Jsonb *params = PG_ARGISNULL(4) ? NULL : PG_GETARG_JSONB_P(4);
	Jsonb *now = sdcpg_table_params_without(params, "change");
	Jsonb *alone = sdcpg_table_params_without(now, "earlier");
	/* what is known beside a table is of its cells, not of their changes */
	Jsonb *since = sdcpg_table_params_without(now, "known");
	char *earlier = sdcpg_params_text(params, "earlier");
	SdcReport *report;
	SdcPgHost *host;
	SdcAttackTable *table;
	SdcAttackTable *changes = NULL;
	SdcAttackTable *together = NULL;
	int guess;

	sdcpg_args_need_first(fcinfo, 3);
	report =
		sdcpg_report_begin(fcinfo, words, usual,
						   PG_ARGISNULL(3) ? NULL : PG_GETARG_ARRAYTYPE_P(3));
	sdcpg_params_check(params, report_params);
	host = sdcpg_host_begin("table_report", CurrentMemoryContext);
	table = sdcpg_table_attack_make(PG_GETARG_OID(0), PG_GETARG_ARRAYTYPE_P(1),
									PG_GETARG_NAME(2), alone);
	sdcpg_table_attack_read(table, host);
	run_needed(table, false, sdcpg_report_wants(report, "narrowest"));
	report_cells(report, table->value, table);
	report_margins(report, table);
	if (earlier != NULL)
	{
		changes =
			sdcpg_table_attack_make(PG_GETARG_OID(0), PG_GETARG_ARRAYTYPE_P(1),
									PG_GETARG_NAME(2), since);
		sdcpg_table_attack_read(changes, host);
		run_needed(changes, true, false);
		/* a guess may be wrong; what follows cannot be */
		for (guess = 1; guess == 1 || (!guess && together->impossible);
			 guess--)
		{
			together = sdcpg_table_attack_make(PG_GETARG_OID(0),
											   PG_GETARG_ARRAYTYPE_P(1),
											   PG_GETARG_NAME(2), since);
			together->change = find_changes(changes, guess == 1);
			sdcpg_table_attack_read(together, host);
			if (!together->impossible)
				run_needed(together, false, false);
		}
	}
	report_changes(report, table->value, changes,
				   sdcpg_params_number(params, "change", 0, 0, 1e15));
	report_together(report, table->value, together);
	sdcpg_host_end(host);
	return (Datum) 0;
}
