/*
 * report_law.c
 *		What an officer has to decide of a release: for whom and what it is,
 *		the three questions that the law asks, and what to do next.
 *
 * Recital 26 of the GDPR and opinion 05/2014 of the working party ask whether
 * a person can be singled out, whether what is known of him can be linked, and
 * whether something can be inferred of him.  The answers are figures of the
 * history, beside the bound that the policy has set.
 */
#include "postgres.h"

#include <math.h>

#include "utils/builtins.h"

#include "host/call/params.h"
#include "release/document.h"
#include "release/report.h"
#include "topic/registry/attacks.h"

/* An answer: the largest figure of all tables, and what gave it. */
typedef struct Answer
{
	double share; /* NaN: nothing was measured */
	char *by;
} Answer;

static void
take(Answer *answer, double share, const char *by)
{
	if (isnan(share) || (!isnan(answer->share) && answer->share >= share))
		return;
	answer->share = share;
	answer->by = pstrdup(by);
}

/* What one attack says to the questions. */
static void
take_attack(Answer answers[3], Jsonb *attack)
{
	char *name = sdcpg_document_string(attack, "attack");
	const SdcAttack *known = name == NULL ? NULL : sdcpg_attack_find(name);
	double found = sdcpg_report_found(attack);

	if (known == NULL)
		return;
	if (known->kind == SDC_ATTACK_ATTRIBUTE)
		take(&answers[2], found, name);
	if (known->kind != SDC_ATTACK_IDENTITY)
		return;
	/* whoever is found for certain is singled out */
	if (strcmp(name, "singling_out") == 0)
		take(&answers[0], found, name);
	else
	{
		take(&answers[0], sdcpg_document_float(attack, "k_reid"), name);
		take(&answers[1], found, name);
	}
}

static void
read_answers(const SdcRelease *release, Answer answers[3])
{
	ListCell *table;
	ListCell *cell;
	int i;

	for (i = 0; i < 3; i++)
	{
		answers[i].share = NAN;
		answers[i].by = NULL;
	}
	foreach (table, sdcpg_document_elements(release->measures))
	{
		Jsonb *measures = lfirst(table);

		foreach (cell, sdcpg_document_elements(
						   sdcpg_document_part(measures, "attacks")))
			take_attack(answers, lfirst(cell));
		/* who finds a record by a column that nobody was given links it */
		foreach (cell, sdcpg_document_elements(
						   sdcpg_document_part(measures, "beside")))
			take(&answers[1], sdcpg_report_found(lfirst(cell)),
				 psprintf("column %s",
						  sdcpg_document_string(lfirst(cell), "column")));
		take(&answers[2],
			 sdcpg_report_line(sdcpg_document_part(measures, "disclosure"),
							   "attribute_disclosure", NULL),
			 "disclosure of values");
	}
}

/* The answer as words, beside the bound of the policy. */
static const char *
words_of(const Answer *answer, double bound, SdcReportTone *tone)
{
	*tone = SDC_REPORT_UNKNOWN;
	if (isnan(answer->share))
		return "not measured";
	if (isnan(bound))
		return "measured; the policy has no bound on it";
	*tone = answer->share <= bound ? SDC_REPORT_GOOD : SDC_REPORT_BAD;
	return answer->share <= bound ? "within the bound of the policy"
								  : "beyond the bound of the policy";
}

static void
put_questions(SdcReportModel *model, const Answer answers[3], double bound)
{
	static const char *const questions[] = {
		"single out: is a record one person's for certain?",
		"link: is the record of a person found?",
		"infer: is a value learned of a person?"};
	static const char *const titles[] = {"question of the law", "answer",
										 "share of the people", "strongest",
										 NULL};
	static const SdcReportUnit units[] = {SDC_REPORT_TEXT, SDC_REPORT_TEXT,
										  SDC_REPORT_SHARE, SDC_REPORT_TEXT};
	SdcReportBlock *table = sdcpg_report_table(
		model,
		"What the law asks of data that are to be anonymous (GDPR, "
		"recital 26; opinion 05/2014), and the largest figure of all "
		"attacks and tables.",
		titles, units);
	int i;

	for (i = 0; i < 3; i++)
	{
		SdcReportCell *cells = sdcpg_report_row(table);
		SdcReportTone tone;
		/* the bound is one of finding people, not of values */
		const char *words = words_of(&answers[i], i == 2 ? NAN : bound, &tone);

		sdcpg_report_set_text(&cells[0], questions[i], SDC_REPORT_PLAIN);
		sdcpg_report_set_text(&cells[1], words, tone);
		sdcpg_report_set_number(&cells[2], answers[i].share);
		sdcpg_report_set_text(&cells[3],
							  answers[i].by == NULL ? "-" : answers[i].by,
							  SDC_REPORT_PLAIN);
	}
}

const char *
sdcpg_report_column(Jsonb *measures, const char *column, const char *masking,
					double bound, SdcReportTone *tone)
{
	ListCell *cell;

	*tone = SDC_REPORT_GOOD;
	if (strcmp(masking, SDC_REPORT_WITHHELD) == 0)
		return "not published";
	*tone = SDC_REPORT_UNKNOWN;
	if (measures == NULL)
		return "not measured";
	foreach (cell,
			 sdcpg_document_elements(sdcpg_document_part(measures, "beside")))
	{
		char *name = sdcpg_document_string(lfirst(cell), "column");
		double found = sdcpg_report_found(lfirst(cell));

		if (name == NULL || strcmp(name, column) != 0)
			continue;
		if (!isnan(bound) && found > bound)
			*tone = SDC_REPORT_BAD;
		return psprintf("no attack had it; alone it finds %s",
						sdcpg_report_number(found, SDC_REPORT_SHARE));
	}
	*tone = SDC_REPORT_PLAIN;
	if (strcmp(masking, SDC_REPORT_AS_IT_IS) == 0 ||
		strcmp(masking, "keep") == 0)
		return "as it is";
	*tone = SDC_REPORT_GOOD;
	return "masked";
}

/* A text of the params of the first table that has it, or NULL. */
char *
sdcpg_report_said(const SdcRelease *release, const char *key)
{
	ListCell *cell;

	foreach (cell, sdcpg_document_elements(release->relations))
	{
		char *text = sdcpg_document_string(
			sdcpg_document_part(lfirst(cell), "params"), key);

		if (text != NULL)
			return text;
	}
	return NULL;
}

/* What is to be done now; cells: all tables are tables of cells. */
static void
put_next(SdcReportModel *model, const SdcRelease *release,
		 const Answer answers[3], bool cells)
{
	bool published = strcmp(release->status, "published") == 0;
	bool measured = sdcpg_document_elements(release->measures) != NIL;

	sdcpg_report_heading(model, 2, "What to do next");
	if (published)
		sdcpg_report_paragraph(
			model,
			psprintf(
				"Give the recipient the tables that are named here and "
				"no others. SELECT * FROM sdc.verify_release(" INT64_FORMAT
				") tells at any time whether they are still what was "
				"released.",
				release->release));
	else if (strcmp(release->status, "refused") == 0 && !measured)
		sdcpg_report_paragraph(
			model, "Declare or decide what is named above, write the policy "
				   "anew, and run the release again.");
	else if (strcmp(release->status, "refused") == 0 && cells)
		sdcpg_report_paragraph(
			model, "Look at the requirements that do not hold. Fewer or "
				   "coarser keys, another method of params.protect, or a "
				   "release later, when more has changed, may meet them.");
	else if (strcmp(release->status, "refused") == 0)
		sdcpg_report_paragraph(
			model,
			psprintf("Look at the requirements that do not hold, and mask "
					 "their columns more strongly, or publish fewer of them. "
					 "SELECT * FROM sdc.search_rules(%s) looks for rules that "
					 "hold.",
					 quote_literal_cstr(release->policy)));
	else
		sdcpg_report_paragraph(model, "Run the release again: nothing of this "
									  "run was published.");
	if (!cells && (isnan(answers[0].share) || isnan(answers[1].share) ||
				   isnan(answers[2].share)))
		sdcpg_report_paragraph(
			model, "Have what was not measured attacked: the attacks "
				   "singling_out, linkability and nearest_inference of params "
				   "ask the questions of the law.");
	if (sdcpg_report_said(release, "purpose") == NULL ||
		sdcpg_report_said(release, "recipient") == NULL ||
		sdcpg_report_said(release, "approved_by") == NULL)
		sdcpg_report_paragraph(
			model, "Write into params of the policy what is not said above: "
				   "purpose, recipient, approved_by.");
}

void
sdcpg_report_law(SdcReportModel *model, const SdcRelease *release,
				 double bound, bool cells)
{
	Answer answers[3];

	read_answers(release, answers);
	if (cells)
		sdcpg_report_paragraph(
			model, "The law's questions (GDPR, recital 26; opinion 05/2014) "
				   "are asked of records, which a table of cells does not "
				   "have. People are at risk in it where a cell that stands "
				   "for few of them can be computed; the attacks below have "
				   "tried that.");
	else
		put_questions(model, answers, bound);
	put_next(model, release, answers, cells);
}
