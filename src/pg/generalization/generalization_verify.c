/*
 * generalization_verify.c
 *		What was written, read again and judged by the models.
 *
 * The table is counted as anyone would count it who gets it: by its labels.
 * Nothing of the search has a part in it, so a mistake there, or in the query
 * that wrote, stops here and leaves no table.
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "utils/builtins.h"

#include "pg/server/compat.h"
#include "pg/generalization/generalization_write.h"

/* What was written, as frequency tables; the columns have other places. */
typedef struct Verifying
{
	SdcGeneralization *problem;
	SdcGeneralizationRelease *release;
	int keys;
	int sensitives;
	SdcFrequency *written;      /* keys, then sensitive columns */
	SdcFrequency **reference;   /* of each sensitive column */
	SdcDictionary **dictionary; /* sensitive columns, then keys */
} Verifying;

/* Are classes compared with records that were left out? */
static bool
needs_original(const Verifying *verifying)
{
	return verifying->sensitives > 0 && verifying->release->remove &&
		   verifying->release->suppressed > 0 &&
		   !isnan(verifying->problem->arguments.t);
}

static void
want_columns(SdcFrequencyRequest *request, const SdcRelation *relation,
			 const Verifying *verifying, bool keys)
{
	const SdcGeneralization *problem = verifying->problem;
	int i;

	request->relation = relation;
	for (i = 0; i < verifying->sensitives; i++)
		request->column[request->columns++] =
			sdcpg_relation_column(relation, problem->sensitive.column[i].name);
	for (i = 0; keys && i < verifying->keys; i++)
		request->column[request->columns++] =
			sdcpg_relation_column(relation, problem->key[i].column.name);
}

/* Counts the target, and the original where it is needed. */
static void
count(Verifying *verifying)
{
	SdcHost *host = &verifying->problem->host->kernel;
	SdcFrequencyRequest *request = palloc0(sizeof(SdcFrequencyRequest) * 2);
	SdcFrequencyTable table[2];
	int requests = needs_original(verifying) ? 2 : 1;
	int column[SDC_FREQUENCY_MAX_COLUMNS];
	int i;

	want_columns(&request[0], sdcpg_target_open(verifying->release->target),
				 verifying, true);
	want_columns(&request[1], verifying->problem->relation, verifying, false);
	sdcpg_frequency_load(verifying->problem->host, request, requests, table);
	sdcpg_target_close();
	verifying->dictionary = table[0].dictionary;
	verifying->reference =
		palloc(sizeof(SdcFrequency *) * (verifying->sensitives + 1));
	for (i = 0; i < verifying->sensitives; i++)
		verifying->reference[i] = sdc_frequency_project(
			host, table[requests - 1].frequency, &i, 1, NULL);
	for (i = 0; i < verifying->keys; i++)
		column[i] = verifying->sensitives + i;
	for (i = 0; i < verifying->sensitives; i++)
		column[verifying->keys + i] = i;
	verifying->written =
		sdc_frequency_project(host, table[0].frequency, column,
							  verifying->keys + verifying->sensitives, NULL);
}

/* The code of '*' in a key that was written as text, or NULL. */
static int32
code_of_star(SdcDictionary *dictionary)
{
	int32 i;

	for (i = 0; i < sdcpg_dictionary_values(dictionary); i++)
		if (strcmp(sdcpg_dictionary_text(dictionary, i), "*") == 0)
			return i;
	return SDC_CODE_NULL;
}

/* The class of the records that were suppressed, or -1. */
static int32
find_suppressed(const Verifying *verifying, const SdcClasses *classes)
{
	int32 code[SDC_LATTICE_MAX_KEYS];
	int32 c;
	int i;

	if (verifying->release->suppressed == 0 || verifying->release->remove)
		return -1;
	for (i = 0; i < verifying->keys; i++)
		code[i] = verifying->release->level[i] == 0
					  ? SDC_CODE_NULL
					  : code_of_star(
							verifying->dictionary[verifying->sensitives + i]);
	for (c = 0; c < classes->classes; c++)
	{
		for (i = 0; i < verifying->keys; i++)
			if (verifying->written->code[i][classes->first[c]] != code[i])
				break;
		if (i == verifying->keys)
			return c;
	}
	return -1;
}

/* The requests of the models; hierarchies are those of the codes here. */
static SdcClassRequest *
read_requests(const Verifying *verifying)
{
	SdcGeneralization *problem = verifying->problem;
	SdcClassRequest *request =
		palloc(sizeof(SdcClassRequest) * (verifying->sensitives + 1));
	int s;

	for (s = 0; s < verifying->sensitives; s++)
	{
		char *name = sdcpg_generalization_t_hierarchy(
			problem, problem->sensitive.column[s].name);

		request[s] = problem->model[s].request;
		if (name != NULL)
			request[s].hierarchy = sdcpg_hierarchy_map(
				problem->host, name, verifying->dictionary[s]);
	}
	return request;
}

pg_noreturn static void
not_verified(const Verifying *verifying, const char *what)
{
	ereport(ERROR,
			(errcode(ERRCODE_INTERNAL_ERROR),
			 errmsg("what was written to \"%s\" is not what was chosen",
					verifying->release->target->name),
			 errdetail_internal("%s", what),
			 errhint("This is a bug of sdc, or of the equality of a type: "
					 "please report it.  Nothing was kept.")));
}

static void
check_counts(const Verifying *verifying, const SdcClasses *classes,
			 int32 exempt)
{
	const SdcGeneralizationRelease *release = verifying->release;
	int64 wanted = verifying->problem->frequency->records -
				   (release->remove ? release->suppressed : 0);

	if (release->records != wanted || classes->records != wanted)
		not_verified(verifying,
					 psprintf(INT64_FORMAT
							  " records were expected, " INT64_FORMAT
							  " were written.",
							  wanted, release->records));
	if (release->suppressed > 0 && !release->remove &&
		(exempt < 0 || classes->size[exempt] < release->suppressed))
		not_verified(verifying, "Not all records are suppressed that must.");
}

void
sdcpg_generalization_verify(SdcGeneralization *problem,
							SdcGeneralizationRelease *release)
{
	Verifying verifying = {problem, release, problem->keys,
						   problem->sensitive.count};
	SdcHost *host = &problem->host->kernel;
	SdcGeneralizationModels models = {problem->arguments.k,
									  problem->sensitive.count};
	SdcClasses *classes;
	int32 exempt;

	count(&verifying);
	classes = sdc_frequency_classes(host, verifying.written, problem->keys);
	exempt = find_suppressed(&verifying, classes);
	check_counts(&verifying, classes, exempt);
	models.request = read_requests(&verifying);
	models.reference = (const SdcFrequency *const *) verifying.reference;
	release->judged = sdc_generalization_judge(host, verifying.written,
											   classes, exempt, &models);
	release->classes = classes->classes - (exempt >= 0 ? 1 : 0);
	if (release->judged->failing_classes > 0)
		not_verified(&verifying,
					 psprintf("%d classes with " INT64_FORMAT
							  " records fail the models.",
							  release->judged->failing_classes,
							  (int64) release->judged->failing_records));
}
