/*
 * anonymize.c
 *		sdc.anonymize: a relation generalized into a new table; sdc.lattice:
 *		the nodes that it chooses from.
 *
 * The best node is searched, written with one CREATE TABLE AS and verified by
 * reading what was written; any failure leaves no table.  The report says what
 * was done to each column.
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "lib/stringinfo.h"
#include "miscadmin.h"
#include "nodes/execnodes.h"
#include "utils/acl.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"
#include "utils/json.h"
#include "utils/lsyscache.h"

#include "host/call/catalog.h"
#include "host/call/params.h"
#include "host/call/relation.h"
#include "host/data/dictionary.h"
#include "host/data/frequency.h"
#include "host/data/target.h"
#include "host/server/compat.h"
#include "host/server/host.h"
#include "host/server/result.h"
#include "kernel/base/host.h"
#include "kernel/generalization/generalization.h"
#include "kernel/generalization/lattice.h"
#include "kernel/risk/class_measures.h"
#include "kernel/risk/risk.h"
#include "kernel/table/frequency.h"
#include "kernel/table/hierarchy.h"
#include "topic/generalization/generalization.h"
#include "topic/generalization/hierarchy.h"
#include "topic/registry/measures.h"
#include "topic/registry/roles.h"

/* A call: what it reads, what it writes and what it reports. */
typedef struct Anonymizing
{
	ReturnSetInfo *result;
	SdcGeneralization *problem;
	SdcGeneralizationRelease release;
	SdcLatticeResult search;
} Anonymizing;

/* ----------------------------------------------------------------------
 * Stored strategies: which levels and hierarchies, for which models.
 *
 * A strategy holds no values, so everybody may read it; like a hierarchy it
 * belongs, by name, to the role that made it.
 * ----------------------------------------------------------------------
 */

/* The names of columns as an array name[]. */
static ArrayType *
strategy_names(const SdcRelationColumns *columns)
{
	Datum *element = palloc(sizeof(Datum) * (columns->count + 1));
	int i;

	for (i = 0; i < columns->count; i++)
		element[i] = DirectFunctionCall1(
			namein, CStringGetDatum(columns->column[i].name));
	return construct_array(element, columns->count, NAMEOID, NAMEDATALEN,
						   false, TYPALIGN_CHAR);
}

static void
bind_number(SdcCatalogParameters *parameters, double value)
{
	sdcpg_catalog_bind(parameters, FLOAT8OID,
					   Float8GetDatum(isnan(value) ? 0 : value), isnan(value));
}

static void
bind_levels(SdcCatalogParameters *parameters, const int *level, int keys)
{
	Datum *element = palloc(sizeof(Datum) * keys);
	int i;

	for (i = 0; i < keys; i++)
		element[i] = Int32GetDatum(level[i]);
	sdcpg_catalog_bind(
		parameters, INT4ARRAYOID,
		PointerGetDatum(construct_array(element, keys, INT4OID, sizeof(int32),
										true, TYPALIGN_INT)),
		false);
}

static Datum
role_name(void)
{
	return DirectFunctionCall1(
		namein, CStringGetDatum(GetUserNameFromId(GetUserId(), false)));
}

/*
 * Stores a strategy that the caller owns: the arguments of sdc.anonymize with
 * the level of each key.  Keys and sensitive columns must be named in the
 * arguments.  A name that is taken stops with an error.
 */
static void
strategy_create(const char *name, const SdcGeneralizationArguments *arguments,
				const int *level, int keys)
{
	SdcCatalogParameters *parameters = palloc0(sizeof(SdcCatalogParameters));

	if (name[0] == '\0' || strlen(name) >= NAMEDATALEN)
		ereport(ERROR, (errcode(ERRCODE_INVALID_NAME),
						errmsg("the name of a strategy must have 1 to %d "
							   "bytes",
							   NAMEDATALEN - 1)));
	sdcpg_catalog_bind_text(parameters, name);
	sdcpg_catalog_bind(parameters, NAMEARRAYOID,
					   PointerGetDatum(arguments->keys), false);
	bind_levels(parameters, level, keys);
	sdcpg_catalog_bind(parameters, NAMEARRAYOID,
					   PointerGetDatum(arguments->sensitive),
					   arguments->sensitive == NULL);
	sdcpg_catalog_bind(parameters, INT4OID, Int32GetDatum(arguments->k),
					   false);
	bind_number(parameters, arguments->c);
	bind_number(parameters, arguments->l);
	bind_number(parameters, arguments->t);
	sdcpg_catalog_bind_text(parameters, arguments->method);
	sdcpg_catalog_bind(parameters, JSONBOID,
					   PointerGetDatum(arguments->params),
					   arguments->params == NULL);
	sdcpg_catalog_bind(parameters, NAMEOID, role_name(), false);
	if (sdcpg_catalog_write(
			"strategy",
			"INSERT INTO sdc.strategy (strategy, keys, levels, sensitive, k, "
			"c, l, t, variant, params, owner)"
			" VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)"
			" ON CONFLICT (strategy) DO NOTHING",
			parameters) == 0)
		ereport(ERROR, (errcode(ERRCODE_DUPLICATE_OBJECT),
						errmsg("strategy \"%s\" already exists", name),
						errhint("Drop it first with sdc.drop_strategy.")));
}

static SdcCatalogRows *
read_row(const char *name, const char *sql)
{
	SdcCatalogParameters *parameters = palloc0(sizeof(SdcCatalogParameters));
	SdcCatalogRows *rows;

	sdcpg_catalog_bind_text(parameters, name);
	rows = sdcpg_catalog_read(sql, parameters);
	if (rows->count == 0)
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_OBJECT),
				 errmsg("strategy \"%s\" does not exist", name),
				 errhint("The table sdc.strategy lists the strategies of "
						 "this database.")));
	return rows;
}

/* params with the levels of the keys in place of those it may have. */
static Jsonb *
fix_levels(Jsonb *params, Datum keys, Datum levels)
{
	StringInfoData text;
	Datum *name;
	Datum *level;
	int count;
	int i;
	Datum fixed;

	deconstruct_array(DatumGetArrayTypeP(keys), NAMEOID, NAMEDATALEN, false,
					  TYPALIGN_CHAR, &name, NULL, &count);
	deconstruct_array(DatumGetArrayTypeP(levels), INT4OID, sizeof(int32), true,
					  TYPALIGN_INT, &level, NULL, &i);
	if (i != count)
		elog(ERROR, "a strategy is damaged");
	initStringInfo(&text);
	appendStringInfoString(&text, "{\"levels\": {");
	for (i = 0; i < count; i++)
	{
		appendStringInfoString(&text, i > 0 ? ", " : "");
		escape_json(&text, NameStr(*DatumGetName(name[i])));
		appendStringInfo(&text, ": %d", DatumGetInt32(level[i]));
	}
	appendStringInfoString(&text, "}}");
	fixed = DirectFunctionCall1(jsonb_in, CStringGetDatum(text.data));
	if (params != NULL)
		fixed =
			DirectFunctionCall2(jsonb_concat, JsonbPGetDatum(params), fixed);
	return DatumGetJsonbP(fixed);
}

static double
number_of(const SdcCatalogRows *rows, int column)
{
	return rows->isnull[0][column] ? NAN
								   : DatumGetFloat8(rows->value[0][column]);
}

/*
 * The arguments of a stored strategy, with its levels in params; stops when
 * there is none of that name.
 */
static SdcGeneralizationArguments
strategy_find(const char *name)
{
	SdcGeneralizationArguments arguments = {0};
	SdcCatalogRows *rows = read_row(
		name, "SELECT s.keys, s.levels, s.sensitive, s.k, s.c, s.l, s.t,"
			  " s.variant, s.params FROM sdc.strategy AS s"
			  " WHERE s.strategy OPERATOR(pg_catalog.=) $1");
	Datum *value = rows->value[0];

	arguments.keys = DatumGetArrayTypeP(value[0]);
	if (!rows->isnull[0][2])
		arguments.sensitive = DatumGetArrayTypeP(value[2]);
	arguments.k = DatumGetInt32(value[3]);
	arguments.c = number_of(rows, 4);
	arguments.l = number_of(rows, 5);
	arguments.t = number_of(rows, 6);
	arguments.method = TextDatumGetCString(value[7]);
	arguments.params =
		fix_levels(rows->isnull[0][8] ? NULL : DatumGetJsonbP(value[8]),
				   value[0], value[1]);
	return arguments;
}

/* Drops a strategy; stops unless the caller owns it or is a superuser. */
static void
strategy_drop(const char *name)
{
	SdcCatalogParameters *parameters = palloc0(sizeof(SdcCatalogParameters));
	SdcCatalogRows *rows =
		read_row(name, "SELECT s.owner FROM sdc.strategy AS s"
					   " WHERE s.strategy OPERATOR(pg_catalog.=) $1");

	if (!sdcpg_catalog_has_rights_of(
			NameStr(*DatumGetName(rows->value[0][0]))))
		ereport(ERROR, (errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
						errmsg("must be owner of strategy \"%s\"", name)));
	sdcpg_catalog_bind_text(parameters, name);
	sdcpg_catalog_bind(parameters, NAMEOID, rows->value[0][0], false);
	if (sdcpg_catalog_write("strategy",
							"DELETE FROM sdc.strategy AS s"
							" WHERE s.strategy OPERATOR(pg_catalog.=) $1"
							" AND s.owner OPERATOR(pg_catalog.=) $2",
							parameters) == 0)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_IN_USE),
				 errmsg("strategy \"%s\" was changed meanwhile", name)));
}

/* ----------------------------------------------------------------------
 * What was written, read again and judged by the models.
 *
 * The table is counted as anyone would count it who gets it: by its labels.
 * Nothing of the search has a part in it, so a mistake there, or in the query
 * that wrote, stops here and leaves no table.
 * ----------------------------------------------------------------------
 */

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
	bool compares = false;
	int s;

	for (s = 0; s < verifying->sensitives; s++)
		compares |= verifying->problem->wanted[s].request.wanted >=
					SDC_CLASS_WANT(SDC_CLASS_T_EQUAL);
	return compares && verifying->release->remove &&
		   verifying->release->suppressed > 0;
}

static void
want_columns(SdcFrequencyRequest *request, const SdcRelation *relation,
			 const Verifying *verifying, bool keys)
{
	const SdcGeneralization *problem = verifying->problem;
	int i;

	request->relation = relation;
	for (i = 0; i < verifying->sensitives; i++)
		sdcpg_frequency_want_one(
			request, sdcpg_relation_column(relation,
										   problem->sensitive.column[i].name));
	for (i = 0; keys && i < verifying->keys; i++)
		sdcpg_frequency_want_one(
			request,
			sdcpg_relation_column(relation, problem->key[i].column.name));
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
		request[s] = sdcpg_model_bind(problem->host, &problem->wanted[s],
									  verifying->dictionary[s]);
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

/* A label of a written key, and its code there. */
typedef struct Label
{
	const char *text;
	int32 code;
} Label;

static int
compare_labels(const void *a, const void *b)
{
	return strcmp(((const Label *) a)->text, ((const Label *) b)->text);
}

/*
 * The codes that the values of a key of the register have in what was written:
 * code[value], NULL last.  A label that was not written gets a code after
 * those that were.
 */
static int32 *
written_codes(const Verifying *verifying, int i)
{
	const SdcGeneralization *problem = verifying->problem;
	SdcHost *host = &problem->host->kernel;
	const SdcGeneralizationKey *key = &problem->key[i];
	SdcDictionary *dictionary =
		verifying->dictionary[verifying->sensitives + i];
	const SdcHierarchy *groups = key->map->groups;
	int level = verifying->release->level[i];
	bool single = level > 0 && groups->groups[level] <= 1;
	int32 written = sdcpg_dictionary_values(dictionary);
	int32 values = sdcpg_dictionary_values(key->dictionary);
	Label *label = sdc_new(host, Label, written);
	int32 *code = sdc_new(host, int32, values + 1);
	int32 v;

	for (v = 0; v < written; v++)
	{
		label[v].text = sdcpg_dictionary_text(dictionary, v);
		label[v].code = v;
	}
	qsort(label, written, sizeof(Label), compare_labels);
	for (v = 0; v <= values; v++)
	{
		int32 group = v < values ? groups->group[level][v] : 0;
		Label wanted = {NULL, 0};
		Label *found;

		code[v] = SDC_CODE_NULL;
		if (level == 0 && v < values)
			wanted.text = sdcpg_dictionary_text(key->dictionary, v);
		else if (level > 0 && (v < values || single))
			wanted.text = groups->groups[level] > 0
							  ? key->map->label[level][group]
							  : "*";
		if (wanted.text == NULL)
			continue;
		found =
			bsearch(&wanted, label, written, sizeof(Label), compare_labels);
		code[v] = found != NULL ? found->code : written + group;
	}
	return code;
}

/* The register, its keys generalized as what was written. */
static SdcFrequency *
written_people(const Verifying *verifying)
{
	SdcHost *host = &verifying->problem->host->kernel;
	const SdcFrequency *people = verifying->problem->of_people;
	SdcFrequencyCount *counting =
		sdc_frequency_start(host, verifying->keys, false);
	int32 **map = sdc_new(host, int32 *, verifying->keys);
	int32 *code = sdc_new(host, int32, verifying->keys);
	int32 *values = sdc_new(host, int32, verifying->keys);
	int32 cell;
	int i;

	for (i = 0; i < verifying->keys; i++)
	{
		map[i] = written_codes(verifying, i);
		values[i] = verifying->written->values[i] +
					verifying->problem->key[i].map->groups->values + 1;
	}
	for (cell = 0; cell < people->cells; cell++)
	{
		if (cell % SDC_POLL_STEPS == 0)
			host->poll(host, cell, people->cells);
		for (i = 0; i < verifying->keys; i++)
		{
			int32 value = people->code[i][cell];

			code[i] = map[i][value == SDC_CODE_NULL
								 ? sdcpg_dictionary_values(
									   verifying->problem->key[i].dictionary)
								 : value];
		}
		sdc_frequency_add(counting, code, people->count[cell], 0);
	}
	return sdc_frequency_finish(counting, NULL, values, NULL);
}

/* The classes that are not those of suppressed records, with their people. */
static SdcSizes
written_sizes(const Verifying *verifying, const SdcClasses *classes,
			  int32 exempt)
{
	SdcHost *host = &verifying->problem->host->kernel;
	int64 *size = sdc_new(host, int64, classes->classes);
	int64 *match = NULL;
	SdcSizes sizes = {0};
	int32 c;

	if (verifying->problem->of_people != NULL)
	{
		SdcFrequency *people = written_people(verifying);
		SdcClasses *theirs =
			sdc_frequency_classes(host, people, verifying->keys);

		match = (int64 *) sdc_presence_match(host, verifying->written, classes,
											 people, theirs, verifying->keys);
		sizes.people = theirs->classes;
	}
	for (c = 0; c < classes->classes; c++)
	{
		if (c == exempt)
			continue;
		size[sizes.classes] = classes->size[c];
		if (match != NULL)
			match[sizes.classes] = match[c];
		sizes.records += classes->size[c];
		sizes.classes++;
	}
	sizes.size = (int64_t *) size;
	sizes.match = (int64_t *) match;
	return sizes;
}

/* Stops when the sizes of the classes fail a bound. */
static void
check_sizes(const Verifying *verifying, const SdcClasses *classes,
			int32 exempt)
{
	const SdcSizeBounds *bounds = verifying->problem->sizes;
	SdcHost *host = &verifying->problem->host->kernel;
	SdcSizes *sizes = &verifying->release->sizes;
	int m;

	if (bounds == NULL)
		return;
	*sizes = written_sizes(verifying, classes, exempt);
	for (m = 0; m < SDC_SIZE_MEASURES && sizes->classes > 0; m++)
		if (!isnan(bounds->bound[m]) &&
			sdc_size_fails(bounds, m,
						   sdc_size_measure(host, bounds, sizes, m)))
			not_verified(verifying, "A bound on the sizes of classes fails.");
}

/*
 * Reads what was written and judges its classes by the models.  Stops when one
 * fails, or when there are more or fewer records than expected.
 */
static void
verify(SdcGeneralization *problem, SdcGeneralizationRelease *release)
{
	Verifying verifying = {problem, release, problem->keys,
						   problem->sensitive.count};
	SdcHost *host = &problem->host->kernel;
	SdcGeneralizationModels models = {problem->k, problem->sensitive.count};
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
	release->fails =
		exempt >= 0 &&
		sdc_generalization_judge(host, verifying.written, classes, -1, &models)
			->failing[exempt];
	check_sizes(&verifying, classes, exempt);
	if (release->judged->failing_classes > 0)
		not_verified(&verifying,
					 psprintf("%d classes with " INT64_FORMAT
							  " records fail the models.",
							  release->judged->failing_classes,
							  (int64) release->judged->failing_records));
}

/* ----------------------------------------------------------------------
 * sdc.anonymize: a relation generalized into a new table.
 * ----------------------------------------------------------------------
 */

PG_FUNCTION_INFO_V1(sdcf_anonymize);

/* The keys of params of both; the array ends with NULL. */
static const char *const anonymize_params[] = {SDC_GENERALIZATION_PARAMS,
											   "outliers", "drop", NULL};

/* What a measure of a sensitive column is called, and how it is said. */
typedef struct Line
{
	SdcClassMeasure kernel;
	const char *measure;
	const char *sentence;
} Line;

static const Line lines[] = {
	{SDC_CLASS_DISTINCT, "l_distinct",
	 "Each class has at least %.4g different values."},
	{SDC_CLASS_ENTROPY, "l_entropy",
	 "Each class is as diverse as %.4g equally frequent values or more."},
	{SDC_CLASS_RECURSIVE, "l_recursive",
	 "Each class is recursive (c, l)-diverse for l up to %.4g."},
	{SDC_CLASS_T_EQUAL, "t_equal",
	 "No class is further than %.4g from the whole table, any two values "
	 "being 1 apart."},
	{SDC_CLASS_T_ORDERED, "t_ordered",
	 "No class is further than %.4g from the whole table, values being apart "
	 "by rank."},
	{SDC_CLASS_T_HIERARCHICAL, "t_hierarchical",
	 "No class is further than %.4g from the whole table, values being apart "
	 "by the hierarchy."}};

/* A figure of what was written; the detail is a sentence. */
static void
put(const Anonymizing *anonymizing, const char *measure, const char *subject,
	double value, const char *detail)
{
	sdcpg_step_measure(anonymizing->result, measure, subject, value, "%s",
					   detail);
}

/* Is the column a key, or one that the models need? */
static bool
is_needed(const SdcGeneralization *problem, AttrNumber number)
{
	int i;

	for (i = 0; i < problem->keys; i++)
		if (problem->key[i].column.number == number)
			return true;
	return sdcpg_relation_lists(&problem->sensitive, number);
}

/* The keys as columns. */
static SdcRelationColumns
key_columns(const SdcGeneralization *problem)
{
	SdcRelationColumns keys = {0};
	int i;

	keys.column = palloc(sizeof(SdcRelationColumn) * (problem->keys + 1));
	for (i = 0; i < problem->keys; i++)
		keys.column[keys.count++] = problem->key[i].column;
	return keys;
}

/*
 * Adds the columns that are generated from a key or from what is dropped, and
 * those that nobody has said anything about and that determine a key.
 */
static List *
drop_revealing(const SdcGeneralization *problem, List *dropped)
{
	SdcRelationColumns keys = key_columns(problem);
	SdcRelationColumns gone = key_columns(problem);
	SdcRelationColumns all = sdcpg_relation_all_columns(problem->relation);
	List *known = list_copy(dropped);
	ListCell *cell;
	int i;

	gone.column =
		repalloc(gone.column, sizeof(SdcRelationColumn) *
								  (gone.count + list_length(dropped) + 1));
	foreach (cell, dropped)
		gone.column[gone.count++] =
			sdcpg_relation_column(problem->relation, lfirst(cell));
	for (i = 0; i < problem->sensitive.count; i++)
		known = lappend(known, problem->sensitive.column[i].name);
	for (i = 0; i < all.count; i++)
		if (!is_needed(problem, all.column[i].number) &&
			!sdcpg_params_is_listed(known, all.column[i].name) &&
			sdcpg_generated_from(problem->relation, &all.column[i], &gone) !=
				NULL)
		{
			dropped = lappend(dropped, all.column[i].name);
			known = lappend(known, all.column[i].name);
		}
	foreach (cell, sdcpg_revealing_find(problem->relation, &keys, known))
	{
		const SdcRelationColumn *column = lfirst(cell);

		dropped = lappend(dropped, column->name);
	}
	return dropped;
}

/*
 * Identifiers, what params.drop names, and columns that would give a key away.
 */
static List *
find_dropped(const SdcGeneralization *problem)
{
	SdcRelationColumns identifiers = sdcpg_roles_columns(
		problem->relation, "identifiers", NULL, SDC_ROLE_IDENTIFIER);
	List *dropped = sdcpg_params_names(problem->arguments.params, "drop");
	ListCell *cell;
	int i;

	foreach (cell, dropped)
	{
		SdcRelationColumn column =
			sdcpg_relation_column(problem->relation, lfirst(cell));

		if (is_needed(problem, column.number))
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("column \"%s\" cannot be dropped", column.name),
					 errdetail("It is a key, or the models need it.")));
	}
	for (i = 0; i < identifiers.count; i++)
		if (!is_needed(problem, identifiers.column[i].number))
			dropped = lappend(dropped, identifiers.column[i].name);
	return drop_revealing(problem, dropped);
}

/* Reads what is written how: params.outliers and drop, the roles declared. */
static void
begin_anonymizing(Anonymizing *anonymizing, SdcTarget *target)
{
	SdcGeneralizationRelease *release = &anonymizing->release;
	Jsonb *params = anonymizing->problem->arguments.params;

	memset(release, 0, sizeof(*release));
	release->target = target;
	release->remove =
		sdcpg_params_choice(params, "outliers", sdcpg_outlier_words) == 1;
	release->drop = find_dropped(anonymizing->problem);
}

static const char *
plural(int64 count, const char *one, const char *many)
{
	return count == 1 ? one : many;
}

/* What happened to the values of a key, as a sentence. */
static char *
describe_level(const SdcGeneralizationKey *key, int level)
{
	if (level == 0)
		return "Values are kept as they are.";
	if (key->hierarchy == NULL)
		return "All values are replaced by *.";
	return psprintf("Values are generalized to level %d of hierarchy \"%s\", "
					"whose last level is %d.",
					level, key->hierarchy, key->map->groups->levels - 1);
}

/* What became of each column, and the table. */
static void
put_columns(const Anonymizing *anonymizing)
{
	const SdcGeneralization *problem = anonymizing->problem;
	const SdcGeneralizationRelease *release = &anonymizing->release;
	SdcRelationColumns keys = key_columns(problem);
	int i;

	for (i = 0; i < problem->keys; i++)
	{
		SdcStep step = SDC_STEP("mask");

		step.subject = keys.column[i].name;
		step.method = "anonymize";
		step.rows = release->records;
		step.measure = "level";
		step.value = release->level[i];
		step.detail = describe_level(&problem->key[i], release->level[i]);
		sdcpg_step_put(anonymizing->result, &step);
	}
	sdcpg_roles_steps(anonymizing->result, problem->relation, &keys,
					  release->drop);
	sdcpg_step_written(anonymizing->result, release->target);
}

static void
put_outliers(const Anonymizing *anonymizing)
{
	const SdcGeneralizationRelease *release = &anonymizing->release;
	int64 suppressed = release->suppressed;

	put(anonymizing, release->remove ? "removed" : "suppressed",
		release->target->sql, suppressed,
		psprintf(INT64_FORMAT " of " INT64_FORMAT
							  " %s in classes that fail%s; " INT64_FORMAT
							  " would have been allowed.",
				 suppressed, (int64) anonymizing->problem->frequency->records,
				 plural(suppressed, "record is", "records are"),
				 suppressed == 0   ? ""
				 : release->few    ? " and left out, being fewer than k"
				 : release->remove ? " and left out"
				 : release->fails  ? " and have all keys masked; as a class "
									 "of their own they fail, too"
								   : " and have all keys masked",
				 (int64) anonymizing->problem->problem.limit));
}

/* The lines that the registry has a sentence for. */
static void
put_models(const Anonymizing *anonymizing, int s, const double *worst)
{
	const SdcGeneralization *problem = anonymizing->problem;
	const SdcClassRequest *request = &problem->wanted[s].request;
	const SdcMeasure *row = NULL;
	int i;

	while ((row = sdcpg_measure_next(SDC_MEASURE_RISK, row)) != NULL)
	{
		for (i = 0; i < (int) lengthof(lines); i++)
			if (strcmp(lines[i].measure, row->name) == 0)
				break;
		if (row->model != SDC_MODEL_VALUES || i < (int) lengthof(lines) ||
			(request->wanted & SDC_CLASS_WANT(row->line)) == 0)
			continue;
		put(anonymizing, row->name, problem->sensitive.column[s].sql,
			worst[row->line],
			isnan(worst[row->line])
				? "No class is left."
				: psprintf("%s %.4g.", psprintf(row->figure, request->c),
						   worst[row->line]));
	}
}

/* What was read back of the bounds on the sizes of classes. */
static void
put_sizes(const Anonymizing *anonymizing)
{
	const SdcGeneralization *problem = anonymizing->problem;
	const SdcSizeBounds *bounds = problem->sizes;
	const SdcMeasure *row = NULL;

	while (bounds != NULL &&
		   (row = sdcpg_measure_next(SDC_MEASURE_RISK, row)) != NULL)
	{
		double value;

		if (row->model != SDC_MODEL_SIZES || isnan(bounds->bound[row->line]))
			continue;
		value = anonymizing->release.sizes.classes > 0
					? sdc_size_measure(&problem->host->kernel, bounds,
									   &anonymizing->release.sizes, row->line)
					: NAN;
		put(anonymizing, row->name, anonymizing->release.target->sql, value,
			isnan(value) ? "No class is left."
						 : psprintf("%s %.4g.", row->figure, value));
	}
}

static void
put_sensitive(const Anonymizing *anonymizing, int s)
{
	const SdcGeneralization *problem = anonymizing->problem;
	const double *worst =
		anonymizing->release.judged->worst + s * SDC_CLASS_MEASURES;
	unsigned wanted = problem->wanted[s].request.wanted;
	int i;

	for (i = 0; i < (int) lengthof(lines); i++)
	{
		double value = worst[lines[i].kernel];

		if ((wanted & SDC_CLASS_WANT(lines[i].kernel)) == 0)
			continue;
		put(anonymizing, lines[i].measure, problem->sensitive.column[s].sql,
			value,
			isnan(value) ? "No class is left."
						 : psprintf(lines[i].sentence, value));
	}
	put_models(anonymizing, s, worst);
}

/* What was read back from the target. */
static void
put_verified(const Anonymizing *anonymizing)
{
	const SdcGeneralizationRelease *release = &anonymizing->release;
	const char *subject = release->target->sql;
	int64 smallest = release->judged->smallest;
	int s;

	put(anonymizing, "records", subject, release->records,
		psprintf("The table has " INT64_FORMAT " %s.", release->records,
				 plural(release->records, "record", "records")));
	put_outliers(anonymizing);
	put(anonymizing, "classes", subject, release->classes,
		psprintf(
			"%s form %d %s of equal keys.",
			release->suppressed > 0 && !release->remove ? "The other records"
														: "They",
			release->classes, plural(release->classes, "class", "classes")));
	put(anonymizing, "k_anonymity", subject,
		release->classes > 0 ? (double) smallest : NAN,
		release->classes == 0
			? "No class is left."
			: psprintf("The smallest of them has " INT64_FORMAT " %s.",
					   smallest, plural(smallest, "record", "records")));
	for (s = 0; s < anonymizing->problem->sensitive.count; s++)
		put_sensitive(anonymizing, s);
	put_sizes(anonymizing);
}

static void
put_score(const Anonymizing *anonymizing)
{
	const SdcLatticeResult *search = &anonymizing->search;
	const char *metric = sdcpg_generalization_metric(anonymizing->problem);

	if (search->nodes <= 1)
		return;
	put(anonymizing, "score", metric, search->best.score,
		psprintf("The node loses %.6g by the metric \"%s\".",
				 search->best.score, metric));
	put(anonymizing, "bound", metric, search->bound,
		search->proven
			? psprintf("No other of " INT64_FORMAT
					   " nodes loses less; " INT64_FORMAT " were checked.",
					   (int64) search->nodes, (int64) search->checked)
			: psprintf("The search was stopped after " INT64_FORMAT
					   " checks; no node can lose less than %.6g.",
					   (int64) search->checked, search->bound));
}

/* Writes and verifies the node that search.best holds, and reports it. */
static void
finish_anonymizing(Anonymizing *anonymizing)
{
	SdcGeneralizationRelease *release = &anonymizing->release;

	release->level = anonymizing->search.best.level;
	release->suppressed = anonymizing->search.best.suppressed;
	/* who matches no class is one of them */
	release->few = !release->remove && release->suppressed > 0 &&
				   release->suppressed < anonymizing->problem->k;
	release->remove = release->remove || release->few;
	sdcpg_generalization_write(anonymizing->problem, release);
	verify(anonymizing->problem, release);
	put_columns(anonymizing);
	put_verified(anonymizing);
	put_score(anonymizing);
}

/* Stores what was found, under the names that columns have by now. */
static void
store_found(const Anonymizing *anonymizing, const char *name)
{
	const SdcGeneralization *problem = anonymizing->problem;
	SdcGeneralizationArguments arguments = problem->arguments;
	SdcRelationColumns keys;
	int level[SDC_LATTICE_MAX_KEYS];
	int i;

	keys.count = problem->keys;
	keys.column = palloc(sizeof(SdcRelationColumn) * keys.count);
	for (i = 0; i < keys.count; i++)
	{
		keys.column[i] = problem->key[i].column;
		level[i] = anonymizing->release.level[i];
	}
	arguments.keys = strategy_names(&keys);
	arguments.sensitive = problem->sensitive.count > 0
							  ? strategy_names(&problem->sensitive)
							  : NULL;
	strategy_create(name, &arguments, level, keys.count);
}

/*
 * anonymize(relation regclass, target text, keys columns, sensitive columns,
 *           k integer, c float8, l float8, t float8, variant text,
 *           strategy text, params jsonb)
 */
Datum
sdcf_anonymize(PG_FUNCTION_ARGS)
{
	Anonymizing anonymizing;
	SdcGeneralizationArguments arguments;
	SdcTarget *target;
	SdcPgHost *host;

	sdcpg_args_need_first(fcinfo, 2);
	arguments = sdcpg_generalization_arguments(fcinfo, 2, 3, 10);
	sdcpg_params_check(arguments.params, anonymize_params);
	target = sdcpg_target_find(PG_GETARG_TEXT_PP(1));
	anonymizing.problem = sdcpg_generalization_new(
		sdcpg_relation_find(PG_GETARG_OID(0)), &arguments);
	begin_anonymizing(&anonymizing, target);
	anonymizing.result = sdcpg_result_begin(fcinfo);
	host = sdcpg_host_begin("anonymize", CurrentMemoryContext);
	sdcpg_generalization_load(host, anonymizing.problem);
	sdcpg_generalization_search(anonymizing.problem, false,
								&anonymizing.search);
	finish_anonymizing(&anonymizing);
	if (!PG_ARGISNULL(9))
		store_found(&anonymizing, text_to_cstring(PG_GETARG_TEXT_PP(9)));
	sdcpg_host_end(host);
	return (Datum) 0;
}

/* ----------------------------------------------------------------------
 * Stored strategies: made, applied to other rows, verified, dropped.
 *
 * A strategy fixes the level of each key, so that there is nothing to search:
 * the lattice has one node.  Whether the models hold depends on the rows, and
 * is found out each time.
 * ----------------------------------------------------------------------
 */

PG_FUNCTION_INFO_V1(sdcf_create_strategy);
PG_FUNCTION_INFO_V1(sdcf_drop_strategy);
PG_FUNCTION_INFO_V1(sdcf_apply_strategy);
PG_FUNCTION_INFO_V1(sdcf_check_strategy);

/* The levels that an array lists, which must be as many as the keys. */
static int
read_levels(ArrayType *levels, int keys, int *level)
{
	Datum *element;
	bool *isnull;
	int count;
	int i;

	deconstruct_array(levels, INT4OID, sizeof(int32), true, TYPALIGN_INT,
					  &element, &isnull, &count);
	if (count != keys || keys > SDC_LATTICE_MAX_KEYS)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("argument \"levels\" must have one level for each of "
						"%d keys",
						keys)));
	for (i = 0; i < count; i++)
	{
		if (isnull[i])
			ereport(ERROR,
					(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
					 errmsg("argument \"levels\" must not contain nulls")));
		level[i] = DatumGetInt32(element[i]);
	}
	return count;
}

/* Stops when a level is not one of the key's hierarchy. */
static void
check_level(Jsonb *params, const char *key, int level)
{
	char *hierarchy = sdcpg_params_member(params, "hierarchies", key);
	int height = hierarchy ? sdcpg_hierarchy_height(hierarchy) : 1;

	if (level < 0 || level > height)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("column \"%s\" has no level %d", key, level),
						errdetail("Its levels are 0 to %d.", height)));
}

static void
check_levels(const SdcGeneralizationArguments *arguments, const int *level)
{
	Datum *name;
	bool *isnull;
	int count;
	int i;

	deconstruct_array(arguments->keys, NAMEOID, NAMEDATALEN, false,
					  TYPALIGN_CHAR, &name, &isnull, &count);
	for (i = 0; i < count; i++)
	{
		if (isnull[i])
			ereport(ERROR,
					(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
					 errmsg("argument \"keys\" must not contain nulls")));
		check_level(arguments->params, NameStr(*DatumGetName(name[i])),
					level[i]);
	}
}

/*
 * create_strategy(strategy text, keys columns, levels integer[],
 *                 sensitive columns, k integer, c float8, l float8, t float8,
 *                 variant text, params jsonb)
 */
Datum
sdcf_create_strategy(PG_FUNCTION_ARGS)
{
	char *name = sdcpg_args_text(fcinfo, 0);
	SdcGeneralizationArguments arguments;
	int level[SDC_LATTICE_MAX_KEYS];
	int keys;

	sdcpg_args_need(fcinfo, 1);
	sdcpg_args_need(fcinfo, 2);
	arguments = sdcpg_generalization_arguments(fcinfo, 1, 3, 9);
	sdcpg_params_check(arguments.params, anonymize_params);
	(void) sdcpg_models_register(
		sdcpg_models_read(arguments.params, SDC_SEARCH_LATTICE, NULL),
		arguments.params);
	if (sdcpg_params_has(arguments.params, "levels"))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("a strategy has its levels in argument \"levels\", "
						"not in \"params\"")));
	keys = ArrayGetNItems(ARR_NDIM(arguments.keys), ARR_DIMS(arguments.keys));
	if (keys == 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("argument \"keys\" must name at least one column")));
	read_levels(PG_GETARG_ARRAYTYPE_P(2), keys, level);
	check_levels(&arguments, level);
	strategy_create(name, &arguments, level, keys);
	PG_RETURN_VOID();
}

/* drop_strategy(strategy text) */
Datum
sdcf_drop_strategy(PG_FUNCTION_ARGS)
{
	strategy_drop(sdcpg_args_text(fcinfo, 0));
	PG_RETURN_VOID();
}

/* The problem of a strategy for the relation that is argument 0. */
static SdcGeneralization *
read_strategy(FunctionCallInfo fcinfo, const char *name)
{
	SdcGeneralizationArguments arguments = strategy_find(name);

	sdcpg_args_need(fcinfo, 0);
	return sdcpg_generalization_new(sdcpg_relation_find(PG_GETARG_OID(0)),
									&arguments);
}

/* Checks the one node there is; without records there is nothing to check. */
static void
check_node(SdcGeneralization *problem, SdcLatticeResult *search)
{
	SdcLatticeNode *node = &search->best;
	int i;

	memset(search, 0, sizeof(*search));
	for (i = 0; i < problem->keys; i++)
		node->level[i] = problem->key[i].lowest;
	if (problem->lattice == NULL)
		node->feasible = true;
	else
	{
		uint8 level[SDC_LATTICE_MAX_KEYS];

		memcpy(level, node->level, sizeof(level));
		sdc_lattice_check(problem->lattice, level, node);
	}
}

/* apply_strategy(relation regclass, target text, strategy text) */
Datum
sdcf_apply_strategy(PG_FUNCTION_ARGS)
{
	char *name = sdcpg_args_text(fcinfo, 2);
	Anonymizing anonymizing;
	SdcTarget *target;
	SdcPgHost *host;

	anonymizing.problem = read_strategy(fcinfo, name);
	sdcpg_args_need(fcinfo, 1);
	target = sdcpg_target_find(PG_GETARG_TEXT_PP(1));
	begin_anonymizing(&anonymizing, target);
	anonymizing.result = sdcpg_result_begin(fcinfo);
	host = sdcpg_host_begin("apply_strategy", CurrentMemoryContext);
	sdcpg_generalization_load(host, anonymizing.problem);
	check_node(anonymizing.problem, &anonymizing.search);
	if (!anonymizing.search.best.feasible)
		ereport(
			ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("strategy \"%s\" does not hold for relation \"%s\"", name,
					anonymizing.problem->relation->name),
			 errdetail(INT64_FORMAT " of " INT64_FORMAT
									" records are in classes that fail, "
									"and " INT64_FORMAT " may be suppressed.",
					   (int64) anonymizing.search.best.suppressed,
					   (int64) anonymizing.problem->frequency->records,
					   (int64) anonymizing.problem->problem.limit),
			 errhint("Search again with sdc.anonymize.")));
	finish_anonymizing(&anonymizing);
	sdcpg_host_end(host);
	return (Datum) 0;
}

/* A line of the check; the detail is a sentence. */
static void
put_line(const Anonymizing *anonymizing, const char *measure,
		 const char *subject, double value, const char *detail)
{
	sdcpg_result_measure(anonymizing->result, measure, subject, value,
						 isnan(value), detail);
}

static void
put_check(const Anonymizing *anonymizing, const char *name)
{
	const SdcGeneralization *problem = anonymizing->problem;
	const SdcLatticeNode *node = &anonymizing->search.best;
	const char *subject = problem->relation->sql;

	put_line(anonymizing, "holds", subject, node->feasible,
			 psprintf("Strategy \"%s\" %s.", name,
					  node->feasible
						  ? "holds: the relation can be written with it"
						  : "does not hold: more records would have to "
							"be suppressed than may be"));
	put_line(anonymizing, "records", subject, problem->frequency->records,
			 "Records of the relation.");
	put_line(anonymizing, "suppressed", subject, node->suppressed,
			 psprintf("Records in classes that fail; " INT64_FORMAT
					  " may be suppressed.",
					  (int64) problem->problem.limit));
	put_line(anonymizing, "classes", subject, node->classes,
			 "Classes that do not fail.");
	put_line(anonymizing, "k_anonymity", subject,
			 node->classes > 0 ? (double) node->smallest : NAN,
			 "Records of the smallest of them.");
}

/* check_strategy(relation regclass, strategy text) */
Datum
sdcf_check_strategy(PG_FUNCTION_ARGS)
{
	char *name = sdcpg_args_text(fcinfo, 1);
	Anonymizing anonymizing;
	SdcPgHost *host;

	anonymizing.problem = read_strategy(fcinfo, name);
	anonymizing.result = sdcpg_result_begin(fcinfo);
	host = sdcpg_host_begin("check_strategy", CurrentMemoryContext);
	sdcpg_generalization_load(host, anonymizing.problem);
	check_node(anonymizing.problem, &anonymizing.search);
	put_check(&anonymizing, name);
	sdcpg_host_end(host);
	return (Datum) 0;
}

/* ----------------------------------------------------------------------
 * sdc.lattice: the generalizations of a relation, and the best of them.
 *
 * A row is a node of the lattice.  Without params.all these are the optimal
 * ones; when the search was stopped, the best one found and, in bound, how
 * much better one of the others could be.
 * ----------------------------------------------------------------------
 */

PG_FUNCTION_INFO_V1(sdcf_lattice);

/* Nodes that params.all lists at the most. */
#define MAX_LISTED 1000000

/* The columns of sdc.lattice_node. */
typedef enum NodeColumn
{
	NODE_NODE,
	NODE_LEVELS,
	NODE_ANONYMOUS,
	NODE_OPTIMAL,
	NODE_SCORE,
	NODE_BOUND,
	NODE_SUPPRESSED,
	NODE_CLASSES,
	NODE_SMALLEST,
	NODE_CHECKED,
	NODE_NODES,
	NODE_COLUMNS
} NodeColumn;

static const char *const params_keys[] = {SDC_GENERALIZATION_PARAMS, "all",
										  NULL};

typedef struct Listing
{
	ReturnSetInfo *result;
	SdcGeneralization *problem;
	SdcLatticeResult search;
} Listing;

/* The levels of a node as an array, in the order of the keys. */
static Datum
node_array(const SdcGeneralization *problem, const uint8 *level)
{
	Datum element[SDC_LATTICE_MAX_KEYS];
	int i;

	for (i = 0; i < problem->keys; i++)
		element[i] = Int32GetDatum(level[i]);
	return PointerGetDatum(construct_array(element, problem->keys, INT4OID,
										   sizeof(int32), true, TYPALIGN_INT));
}

/* How far the search came is the same in each row. */
static void
put_search(const Listing *listing, Datum *values, bool *isnull)
{
	const SdcLatticeResult *search = &listing->search;

	values[NODE_BOUND] = Float8GetDatum(search->bound);
	isnull[NODE_BOUND] = isnan(search->bound);
	values[NODE_CHECKED] = Int64GetDatum(search->checked);
	values[NODE_NODES] = Int64GetDatum(search->nodes);
}

static void
put_node(const Listing *listing, const SdcLatticeNode *node, bool optimal)
{
	Datum values[NODE_COLUMNS];
	bool isnull[NODE_COLUMNS] = {false};

	values[NODE_NODE] = node_array(listing->problem, node->level);
	values[NODE_LEVELS] = JsonbPGetDatum(
		sdcpg_generalization_levels(listing->problem, node->level));
	values[NODE_ANONYMOUS] = BoolGetDatum(node->feasible);
	values[NODE_OPTIMAL] = BoolGetDatum(optimal);
	values[NODE_SCORE] = Float8GetDatum(node->score);
	isnull[NODE_SCORE] = isnan(node->score);
	values[NODE_SUPPRESSED] = Int64GetDatum(node->suppressed);
	values[NODE_CLASSES] = Int64GetDatum(node->classes);
	values[NODE_SMALLEST] = Int64GetDatum(node->smallest);
	isnull[NODE_SMALLEST] = node->classes == 0;
	put_search(listing, values, isnull);
	sdcpg_result_put(listing->result, values, isnull);
}

/* The row that says there is none. */
static void
put_nothing(const Listing *listing)
{
	Datum values[NODE_COLUMNS] = {0};
	bool isnull[NODE_COLUMNS];

	memset(isnull, true, sizeof(isnull));
	values[NODE_ANONYMOUS] = BoolGetDatum(false);
	values[NODE_OPTIMAL] = BoolGetDatum(false);
	isnull[NODE_ANONYMOUS] = isnull[NODE_OPTIMAL] = false;
	isnull[NODE_CHECKED] = isnull[NODE_NODES] = false;
	put_search(listing, values, isnull);
	sdcpg_result_put(listing->result, values, isnull);
}

static void
put_optima(const Listing *listing)
{
	const SdcLatticeResult *search = &listing->search;
	int64 i;

	if (!search->found)
		put_nothing(listing);
	else
		for (i = 0; i < Min(search->optima, SDC_LATTICE_MAX_OPTIMA); i++)
			put_node(listing, &search->optimum[i], search->proven);
}

static bool
put_visited(void *argument, const SdcLatticeNode *node)
{
	const Listing *listing = argument;
	double best = listing->search.best.score;

	put_node(listing, node,
			 node->feasible && listing->search.proven &&
				 node->score <= best + SDC_LATTICE_TIE * fabs(best));
	return true;
}

/* Stops when there are too many nodes to list them all. */
static void
check_size(const SdcGeneralization *problem)
{
	int64 nodes = problem->lattice ? sdc_lattice_nodes(problem->lattice) : 0;

	if (nodes > MAX_LISTED)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("the lattice has " INT64_FORMAT
						" nodes, more than the %d that \"all\" lists",
						nodes, MAX_LISTED),
				 errhint("Give each key a range of levels in key \"levels\" "
						 "of argument \"params\".")));
}

/*
 * lattice(relation regclass, keys columns, sensitive columns, k integer,
 *         c float8, l float8, t float8, variant text, params jsonb)
 */
Datum
sdcf_lattice(PG_FUNCTION_ARGS)
{
	Listing listing;
	SdcGeneralizationArguments arguments;
	SdcPgHost *host;
	bool all;

	sdcpg_args_need(fcinfo, 0);
	arguments = sdcpg_generalization_arguments(fcinfo, 1, 2, 8);
	sdcpg_params_check(arguments.params, params_keys);
	all = sdcpg_params_boolean(arguments.params, "all", false);
	listing.problem = sdcpg_generalization_new(
		sdcpg_relation_find(PG_GETARG_OID(0)), &arguments);
	listing.result = sdcpg_result_begin(fcinfo);
	host = sdcpg_host_begin("lattice", CurrentMemoryContext);
	sdcpg_generalization_load(host, listing.problem);
	if (all)
		check_size(listing.problem);
	sdcpg_generalization_search(listing.problem, true, &listing.search);
	if (all)
		sdc_lattice_visit(listing.problem->lattice, put_visited, &listing);
	else
		put_optima(&listing);
	sdcpg_host_end(host);
	return (Datum) 0;
}
