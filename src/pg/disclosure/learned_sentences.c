/*
 * learned_sentences.c
 *		Sentences about a learned distance.
 *
 * How many records, how sure that is, which attribute leaks most, and which
 * pair of attributes says most together.
 */
#include "postgres.h"

#include <math.h>

#include "lib/stringinfo.h"

#include "kernel/attack/learned_explain.h"
#include "pg/disclosure/learned_distance.h"

/* Attributes that are named, and what is too little to be worth it. */
#define NAMED  3
#define LITTLE 0.005

static void
explain_counts(StringInfo text, const SdcLearnedModel *model)
{
	const SdcLearnedResult *result = &model->result;

	appendStringInfo(text,
					 "%d of %d records are re-identified, %d by the plain "
					 "mean of the attributes.",
					 result->reidentified, model->records, result->uniform);
	if (result->exact)
		appendStringInfoString(
			text, " No parameters of this method re-identify more.");
	else
		appendStringInfo(text,
						 " At most %d can be: the search %s before the gap of "
						 "%d was closed.",
						 result->bound,
						 model->stopped ? "reached its time limit"
										: "could go no further",
						 result->bound - result->reidentified);
}

/* The attribute that is the next most important after one, or -1. */
static int
next_important(const double *importance, const bool *named, int n)
{
	int found = -1;
	int j;

	for (j = 0; j < n; j++)
		if (!named[j] && fabs(importance[j]) >= LITTLE &&
			(found < 0 || fabs(importance[j]) > fabs(importance[found])))
			found = j;
	return found;
}

static void
explain_attributes(StringInfo text, const SdcLearnedModel *model,
				   const double *importance)
{
	bool named[SDC_LEARNED_MAX_COLUMNS] = {false};
	int n = model->keys.count;
	int count;

	for (count = 0; count < NAMED; count++)
	{
		int j = next_important(importance, named, n);

		if (j < 0)
			break;
		named[j] = true;
		appendStringInfo(text, "%s\"%s\" (%.2f)",
						 count == 0 ? " Most is leaked by " : ", ",
						 model->keys.column[j].name, importance[j]);
	}
	if (count > 0)
		appendStringInfoChar(text, '.');
}

static void
explain_pair(StringInfo text, const SdcLearnedModel *model,
			 const double *interaction)
{
	bool matrix = !model->result.form->monotone;
	int n = model->keys.count;
	int first = 0;
	int second = 0;
	double most = LITTLE;
	int j;
	int k;

	for (j = 0; j < n; j++)
		for (k = j + 1; k < n; k++)
			if (fabs(interaction[j * n + k]) > most)
			{
				most = fabs(interaction[j * n + k]);
				first = j;
				second = k;
			}
	if (first == second)
		return;
	most = interaction[first * n + second];
	appendStringInfo(text,
					 " The pair \"%s\" and \"%s\" interacts most "
					 "(%.2f): ",
					 model->keys.column[first].name,
					 model->keys.column[second].name, most);
	if (matrix)
		appendStringInfo(text, "differences %s count more.",
						 most > 0 ? "in the same direction"
								  : "in opposite directions");
	else
		appendStringInfo(text, "they count %s together than apart.",
						 most > 0 ? "more" : "less");
}

char *
sdcpg_learned_explain(const SdcLearnedModel *model)
{
	double importance[SDC_LEARNED_MAX_COLUMNS];
	double interaction[SDC_LEARNED_MAX_COLUMNS * SDC_LEARNED_MAX_COLUMNS];
	const SdcLearnedForm *form = model->result.form;
	StringInfoData text;

	initStringInfo(&text);
	explain_counts(&text, model);
	if (model->records == 0)
		return text.data;
	sdc_learned_explain(form, model->result.parameter, importance,
						interaction);
	if (form->method == SDC_LEARNED_OWA)
		appendStringInfo(&text,
						 " The largest difference of a pair of records has "
						 "weight %.2f, the smallest %.2f.",
						 importance[0], importance[form->columns - 1]);
	else
		explain_attributes(&text, model, importance);
	explain_pair(&text, model, interaction);
	return text.data;
}
