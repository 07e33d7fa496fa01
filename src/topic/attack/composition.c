/*
 * composition.c
 *		Several releases of the same people: intersected, and taken from each
 *		other.
 *
 * Each release puts a person into a class of people who look alike in it.  One
 * class hides him among its values; but his own value is in the class of every
 * release, and few others are.  And of two versions of one release the rows
 * that only one of them has are those of the few who came, changed or left.
 */
#include "postgres.h"

#include "catalog/pg_collation.h"
#include "catalog/pg_type.h"
#include "utils/array.h"
#include "utils/fmgrprotos.h"
#include "utils/jsonb.h"
#include "utils/lsyscache.h"

#include "host/call/catalog.h"
#include "host/call/params.h"
#include "host/call/relation.h"
#include "host/data/dictionary.h"
#include "host/server/compat.h"
#include "host/server/host.h"
#include "host/server/result.h"
#include "kernel/base/host.h"
#include "kernel/linkage/class_items.h"
#include "kernel/table/frequency.h"
#include "topic/attack/attack_rows.h"
#include "topic/attack/exact_linkage.h"
#include "topic/attack/links.h"
#include "topic/registry/roles.h"
#include "topic/registry/words.h"

/* Releases at the most. */
#define SDC_MAX_RELEASES 64

/* What is intersected. */
typedef enum SdcCompositionBy
{
	SDC_COMPOSITION_VALUES, /* the sensitive values of the classes */
	SDC_COMPOSITION_RECORDS /* the people in the classes */
} SdcCompositionBy;

/* One release: the row of each person, the class of each row, its items. */
typedef struct SdcComposedRelease
{
	SdcCodedFile file;
	int32 *row_of; /* by id; -1: he is not in it */
	int32 *class_of;
	int32 *item; /* of each row: his value, or himself */
	SdcClassItems items;
} SdcComposedRelease;

typedef struct SdcComposition
{
	SdcPgHost *host;
	SdcCompositionBy by;
	int releases;
	SdcComposedRelease *release;
	SdcDictionary *ids;
	const int32 *rank; /* of the codes of ids */
	int32 people;
	int columns; /* sensitive ones */
	SdcDictionary **sensitive;
	const int32 **sensitive_rank;
	int32 values;  /* different combinations of sensitive values */
	int32 **value; /* value[j][v]: code of column j in combination v */
	SdcItemSet set;
} SdcComposition;

/* ----------------------------------------------------------------------
 * Several releases of the same people, intersected.
 *
 * Each release puts a person into a class of people who look alike in it.  One
 * class hides him among its values; but his own value is in the class of every
 * release, and few others are.
 * ----------------------------------------------------------------------
 */

/* Relations and their columns: the keys first, then the sensitive ones. */
typedef struct Source
{
	SdcRelation *relation;
	SdcRelationColumn id;
	int keys;
	int sensitive;
	SdcCodedColumn *column;
} Source;

static Source
find_source(Oid oid, const char *id, ArrayType *keys, ArrayType *sensitive)
{
	Source source = {sdcpg_relation_find(oid)};
	SdcRelationColumns first =
		sdcpg_relation_columns(source.relation, "keys", keys);
	SdcRelationColumns second =
		sdcpg_relation_columns(source.relation, "sensitive", sensitive);
	int j;

	source.id = sdcpg_relation_column(source.relation, id);
	source.keys = first.count;
	source.sensitive = second.count;
	source.column =
		palloc0(sizeof(SdcCodedColumn) * (first.count + second.count));
	for (j = 0; j < first.count; j++)
	{
		source.column[j].column = first.column[j];
		/* a reader of the release sees the text, not the value */
		source.column[j].as_text = sdcpg_column_has_forms(
			source.relation->oid, first.column[j].number);
	}
	for (j = 0; j < second.count; j++)
		source.column[first.count + j].column = second.column[j];
	return source;
}

/* The relations that an argument lists: at least one, and not too many. */
static Datum *
read_releases(ArrayType *releases, int *count)
{
	Datum *oid;
	bool *isnull;
	int i;

	deconstruct_array(releases, REGCLASSOID, sizeof(Oid), true, 'i', &oid,
					  &isnull, count);
	if (*count < 1 || *count > SDC_MAX_RELEASES)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("argument \"releases\" must name 1 to %d relations",
						SDC_MAX_RELEASES)));
	for (i = 0; i < *count; i++)
		if (isnull[i])
			ereport(ERROR, (errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
							errmsg("argument \"releases\" must not contain "
								   "nulls")));
	return oid;
}

static Source *
find_sources(ArrayType *releases, const char *id, ArrayType *keys,
			 ArrayType *sensitive, int *count)
{
	Source *source;
	Datum *oid = read_releases(releases, count);
	int i;

	source = palloc(sizeof(Source) * *count);
	for (i = 0; i < *count; i++)
		source[i] = find_source(DatumGetObjectId(oid[i]), id, keys, sensitive);
	return source;
}

/* A dictionary of each sensitive column; of texts unless all types agree. */
static SdcDictionary **
share_sensitive(SdcPgHost *host, const Source *source, int count)
{
	SdcDictionary **dictionary =
		palloc0(sizeof(SdcDictionary *) * (source->sensitive + 1));
	int i;
	int j;

	for (j = 0; j < source->sensitive; j++)
		for (i = 1; i < count; i++)
			if (source[i].column[source->keys + j].column.base !=
					source->column[source->keys + j].column.base &&
				dictionary[j] == NULL)
				dictionary[j] =
					sdcpg_dictionary_new(host, TEXTOID, DEFAULT_COLLATION_OID);
	return dictionary;
}

/* Reads one release; its keys have dictionaries of their own. */
static void
load_release(SdcComposition *composition, const Source *source,
			 SdcComposedRelease *release)
{
	SdcDictionary **dictionary = palloc0(
		sizeof(SdcDictionary *) * (source->keys + source->sensitive + 1));
	int j;

	dictionary[0] = composition->ids;
	for (j = 0; j < source->sensitive; j++)
		dictionary[1 + source->keys + j] = composition->sensitive[j];
	release->file = sdcpg_coded_file_load(
		composition->host, source->relation, &source->id,
		source->keys + source->sensitive, source->column, dictionary);
	for (j = 0; j < source->sensitive; j++)
		composition->sensitive[j] = dictionary[1 + source->keys + j];
}

/* Finds the row of each person. */
static void
find_rows(SdcComposition *composition, const Source *source,
		  SdcComposedRelease *release)
{
	int32 row;

	release->row_of =
		sdc_new(&composition->host->kernel, int32, composition->people + 1);
	memset(release->row_of, -1, sizeof(int32) * composition->people);
	for (row = 0; row < release->file.rows; row++)
	{
		int32 *place = &release->row_of[release->file.id[row]];

		if (*place >= 0)
			ereport(ERROR,
					(errcode(ERRCODE_UNIQUE_VIOLATION),
					 errmsg("column \"%s\" of relation \"%s\" is not unique",
							source->id.name, source->relation->name),
					 errdetail("An id must tell every record apart.")));
		*place = row;
	}
}

/* The class of each row: those who agree in all keys, NULL like any value. */
static int32
find_classes(SdcComposition *composition, int keys,
			 SdcComposedRelease *release)
{
	SdcHost *host = &composition->host->kernel;
	int32 rows = release->file.rows;
	int32 classes = 0;
	int j;

	release->class_of = sdc_new(host, int32, (Size) rows + 1);
	memset(release->class_of, 0, sizeof(int32) * rows);
	for (j = 0; j < keys; j++)
		classes = sdc_grouping_refine(host, rows, release->file.code[j], false,
									  release->class_of);
	return classes;
}

/* Numbers the combinations of sensitive values over all releases. */
static void
number_values(SdcComposition *composition, int keys)
{
	SdcHost *host = &composition->host->kernel;
	int64 rows = 0;
	int32 *code;
	int32 *value;
	int64 row;
	int i;
	int j;

	for (i = 0; i < composition->releases; i++)
		rows += composition->release[i].file.rows;
	if (rows > SDC_MAX_ROWS)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("the releases have more than %d records together",
						SDC_MAX_ROWS)));
	code = sdc_new(host, int32, rows + 1);
	value = sdc_new(host, int32, rows + 1);
	memset(value, 0, sizeof(int32) * rows);
	for (j = 0; j < composition->columns; j++)
	{
		for (row = 0, i = 0; i < composition->releases; i++)
		{
			const SdcCodedFile *file = &composition->release[i].file;

			memcpy(code + row, file->code[keys + j],
				   sizeof(int32) * file->rows);
			row += file->rows;
		}
		composition->values =
			sdc_grouping_refine(host, rows, code, false, value);
	}
	for (row = 0, i = 0; i < composition->releases; i++)
	{
		composition->release[i].item = value + row;
		row += composition->release[i].file.rows;
	}
	host->release(host, code);
}

/* Keeps which codes each combination of sensitive values has. */
static void
list_values(SdcComposition *composition, int keys)
{
	int i;
	int j;
	int32 row;

	composition->value = palloc(sizeof(int32 *) * composition->columns);
	for (j = 0; j < composition->columns; j++)
	{
		composition->value[j] = sdc_new(&composition->host->kernel, int32,
										(Size) composition->values + 1);
		for (i = 0; i < composition->releases; i++)
		{
			const SdcComposedRelease *release = &composition->release[i];

			for (row = 0; row < release->file.rows; row++)
				composition->value[j][release->item[row]] =
					release->file.code[keys + j][row];
		}
	}
}

/* Sorts the dictionaries that names are taken from. */
static void
sort_names(SdcComposition *composition)
{
	int j;

	composition->rank = sdcpg_dictionary_sort(composition->ids);
	composition->sensitive_rank =
		palloc(sizeof(int32 *) * composition->columns);
	for (j = 0; j < composition->columns; j++)
		composition->sensitive_rank[j] =
			sdcpg_dictionary_sort(composition->sensitive[j]);
}

/*
 * Reads all releases as the caller.  Keys and sensitive columns have the same
 * names in each; keys may be generalized differently.  An id that occurs twice
 * in a release stops with an error.
 */
static void
composition_load(SdcComposition *composition, SdcPgHost *host,
				 SdcCompositionBy by, ArrayType *releases, const char *id,
				 ArrayType *keys, ArrayType *sensitive)
{
	Source *source;
	int i;

	memset(composition, 0, sizeof(*composition));
	composition->host = host;
	composition->by = by;
	source =
		find_sources(releases, id, keys, sensitive, &composition->releases);
	composition->columns = source->sensitive;
	composition->ids = sdcpg_dictionary_new(host, TEXTOID, C_COLLATION_OID);
	composition->sensitive =
		share_sensitive(host, source, composition->releases);
	composition->release =
		palloc0(sizeof(SdcComposedRelease) * composition->releases);
	for (i = 0; i < composition->releases; i++)
		load_release(composition, &source[i], &composition->release[i]);
	composition->people = sdcpg_dictionary_values(composition->ids);
	number_values(composition, source->keys);
	list_values(composition, source->keys);
	for (i = 0; i < composition->releases; i++)
	{
		SdcComposedRelease *release = &composition->release[i];
		int32 classes;

		find_rows(composition, &source[i], release);
		classes = find_classes(composition, source->keys, release);
		release->items = sdc_class_items_count(
			&host->kernel, release->file.rows, release->class_of, classes,
			by == SDC_COMPOSITION_VALUES ? release->item : release->file.id);
	}
	sort_names(composition);
	composition->set = sdc_class_items_set(
		&host->kernel, Max(composition->values, composition->people));
}

/*
 * What all releases that a person is in leave of his values or records, in
 * set.  own is what he has himself, or -1 when it is not the same in all.
 * Returns the number of these releases.  O(size of his classes).
 */
static int
composition_intersect(SdcComposition *composition, int32 person, int32 *own)
{
	int seen = 0;
	int i;

	*own = -1;
	for (i = 0; i < composition->releases; i++)
	{
		const SdcComposedRelease *release = &composition->release[i];
		int32 row = release->row_of[person];
		int32 item;

		if (row < 0)
			continue;
		item = composition->by == SDC_COMPOSITION_VALUES ? release->item[row]
														 : person;
		if (seen++ == 0)
		{
			*own = item;
			sdc_class_items_take(&release->items, release->class_of[row],
								 &composition->set);
			continue;
		}
		if (item != *own)
			*own = -1;
		sdc_class_items_intersect(&release->items, release->class_of[row],
								  &composition->set);
	}
	return seen;
}

/* The text of a value or record. */
static const char *
composition_name(void *arg, int32 item)
{
	SdcComposition *composition = arg;
	StringInfoData name;
	int j;

	if (composition->by == SDC_COMPOSITION_RECORDS)
		return sdcpg_dictionary_text(composition->ids,
									 composition->rank[item]);
	initStringInfo(&name);
	for (j = 0; j < composition->columns; j++)
	{
		int32 code = composition->value[j][item];

		if (j > 0)
			appendStringInfoString(&name, ", ");
		appendStringInfoString(
			&name, code < 0 ? "NULL"
							: sdcpg_dictionary_text(
								  composition->sensitive[j],
								  composition->sensitive_rank[j][code]));
	}
	return name.data;
}

/* ----------------------------------------------------------------------
 * sdc.attack_composition: the intruder who holds several releases.
 * ----------------------------------------------------------------------
 */

PG_FUNCTION_INFO_V1(sdcf_attack_composition);

static const char *const ways[] = {"values", "records", NULL};
static const SdcKey keys_of_params[] = {
	{"by", SDC_KEY_WORD, .words = ways}, SDC_TAKES_CANDIDATES("100"), {NULL}};

static void
put_links(SdcComposition *composition, SdcPgHost *host, ReturnSetInfo *result,
		  int32 max_candidates)
{
	SdcLinks links;
	int32 person;
	int32 own;

	sdcpg_links_begin(&links, host, result, composition->people);
	for (person = 0; person < composition->people; person++)
	{
		sdcpg_links_step(&links);
		(void) composition_intersect(composition, person, &own);
		sdcpg_weighted_links_put(
			&links,
			sdcpg_dictionary_text(composition->ids, composition->rank[person]),
			&composition->set, max_candidates, own, true, composition_name,
			composition);
	}
	sdcpg_links_end(&links);
}

/* The one that says what the columns of all are, where no argument does. */
static Oid
first_release(ArrayType *releases)
{
	int count;

	return DatumGetObjectId(*read_releases(releases, &count));
}

/*
 * attack_composition(releases regclass[], id name, keys columns,
 *                    sensitive columns, params jsonb)
 */
Datum
sdcf_attack_composition(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *result = sdcpg_result_begin(fcinfo);
	Jsonb *params = PG_ARGISNULL(4) ? NULL : PG_GETARG_JSONB_P(4);
	SdcComposition composition;
	SdcPgHost *host;
	Oid first;
	int32 max_candidates;
	int by;

	sdcpg_args_need_first(fcinfo, 1);
	first = first_release(PG_GETARG_ARRAYTYPE_P(0));
	sdcpg_params_check_keys(params, keys_of_params);
	by = sdcpg_params_choice(params, "by", ways);
	max_candidates =
		sdcpg_keys_integer(keys_of_params, params, "max_candidates");
	host = sdcpg_host_begin("attack_composition", CurrentMemoryContext);
	composition_load(
		&composition, host, (SdcCompositionBy) by, PG_GETARG_ARRAYTYPE_P(0),
		sdcpg_roles_id_argument(fcinfo, 1, first),
		sdcpg_roles_names_argument(fcinfo, 2, "keys", first, SDC_ROLE_KEY),
		sdcpg_roles_names_argument(fcinfo, 3, "sensitive", first,
								   SDC_ROLE_SENSITIVE));
	put_links(&composition, host, result, max_candidates);
	sdcpg_host_end(host);
	return (Datum) 0;
}

/* ----------------------------------------------------------------------
 * The attack "composition": the masked relation and earlier releases.
 * ----------------------------------------------------------------------
 */

const SdcKey sdcpg_composition_params[] = {
	{"by", SDC_KEY_WORD, .words = ways},
	{"releases", SDC_KEY_NAMES, .needed = true, .need = sdcpg_relation_need},
	{NULL}};

/* The masked relation, and after it those that params names; regclass[]. */
static ArrayType *
releases_of(const SdcAttackCase *of, List *names)
{
	Datum *oid = palloc(sizeof(Datum) * (list_length(names) + 1));
	int count = 0;
	ListCell *cell;

	oid[count++] = ObjectIdGetDatum(of->masked->oid);
	foreach (cell, names)
		oid[count++] = ObjectIdGetDatum(sdcpg_relation_oid(lfirst(cell)));
	return construct_array(oid, count, REGCLASSOID, sizeof(Oid), true, 'i');
}

/* Items of classes that intersecting them for everybody looks at. */
static double
count_items(const SdcComposition *composition)
{
	double items = 0;
	int i;
	int32 row;

	for (i = 0; i < composition->releases; i++)
	{
		const SdcComposedRelease *release = &composition->release[i];

		for (row = 0; row < release->file.rows; row++)
			items +=
				sdc_class_items_size(&release->items, release->class_of[row]);
	}
	return items;
}

/* Adds what is left of one person. */
static void
count_person(SdcComposition *composition, int32 person, SdcLinkSuccess *found)
{
	const SdcItemSet *set = &composition->set;
	double total = 0;
	double right = 0;
	int32 own;
	int32 i;

	(void) composition_intersect(composition, person, &own);
	for (i = 0; i < set->items; i++)
	{
		total += set->weight[i];
		if (set->item[i] == own)
			right = set->weight[i];
	}
	found->records++;
	if (right > 0)
		sdcpg_success_add(found, right / total);
	found->claimed += set->items == 1;
	found->unique_right += set->items == 1 && right > 0;
	found->claimed_right = found->unique_right;
}

void
sdcpg_attack_composition(const SdcAttack *attack, const SdcAttackCase *of,
						 SdcPgHost *host, SdcAttackOutcome *outcome)
{
	List *names = sdcpg_params_names(of->params, "releases");
	SdcComposition composition;
	SdcLinkSuccess found = {0};
	const bool *marked;
	int32 people = 0;
	int32 person;

	if (names == NIL)
	{
		outcome->reason = "params.releases names no earlier release.";
		return;
	}
	composition_load(
		&composition, host,
		(SdcCompositionBy) sdcpg_params_choice(of->params, "by", ways),
		releases_of(of, names), of->id, of->keys, of->sensitive);
	marked = sdcpg_attack_sample(of, host, composition.people,
								 count_items(&composition), attack->budget);
	for (person = 0; person < composition.people; person++)
	{
		if (composition.release[0].row_of[person] < 0)
			continue;
		people++;
		host->kernel.poll(&host->kernel, person, composition.people);
		if (marked == NULL || marked[person])
			count_person(&composition, person, &found);
	}
	sdcpg_attack_links(outcome, &found, people);
}

/* ----------------------------------------------------------------------
 * Two versions of one release, taken from each other.
 * ----------------------------------------------------------------------
 */

/* Of whom is the share? */
static const char *const shares[] = {"all", "changes", NULL};

const SdcKey sdcpg_differencing_params[] = {
	{"of", SDC_KEY_WORD, .words = shares}, {NULL}};

/* The number that a query gives; 0 without one. */
static double
number_of(const char *query)
{
	SdcCatalogRows *rows;

	if (query == NULL)
		return 0;
	rows = sdcpg_catalog_read(query, NULL);
	return rows->isnull[0][0] ? 0 : DatumGetFloat8(rows->value[0][0]);
}

void
sdcpg_attack_differencing(const SdcAttack *attack, const SdcAttackCase *of,
						  SdcPgHost *host, SdcAttackOutcome *outcome)
{
	const SdcAttackChanges *changes = of->changes;
	bool all =
		sdcpg_keys_choice(sdcpg_differencing_params, of->params, "of") == 0;
	double came;
	double gone;
	double before;
	double records;

	if (changes == NULL)
	{
		sdcpg_attack_share(outcome, 0, 0,
						   "finds nobody: there is no version before");
		return;
	}
	came = changes->came * number_of(changes->came_query);
	gone = changes->gone * number_of(changes->gone_query);
	before = all ? changes->before : 0;
	records = all ? changes->people : changes->came + changes->gone;
	sdcpg_attack_share(
		outcome, records > 0 ? Min(1, (came + gone + before) / records) : 0,
		records,
		"finds %.0f of %.0f people who came or changed since the version "
		"before, %.0f of %.0f who left, and %.0f more by versions before that",
		came, changes->came, gone, changes->gone, before);
}
