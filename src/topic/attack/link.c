/*
 * link.c
 *		sdc.attack_distance: who is nearest to whom.
 *
 * A record is linked to the whole set of records that are equally near, each
 * with the same probability, or in a one-to-one assignment to one record.
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_collation.h"
#include "catalog/pg_type.h"
#include "utils/builtins.h"
#include "utils/jsonb.h"

#include "host/call/params.h"
#include "host/call/query.h"
#include "host/call/relation.h"
#include "host/data/alignment.h"
#include "host/data/column.h"
#include "host/data/dictionary.h"
#include "host/data/rows.h"
#include "host/server/compat.h"
#include "host/server/host.h"
#include "host/server/parallel.h"
#include "host/server/result.h"
#include "kernel/base/host.h"
#include "kernel/base/matrix.h"
#include "kernel/learned/learned_form.h"
#include "kernel/linkage/link_assignment.h"
#include "kernel/linkage/link_measure.h"
#include "kernel/linkage/link_nearest.h"
#include "topic/attack/distance_params.h"
#include "topic/attack/known.h"
#include "topic/attack/link.h"
#include "topic/attack/links.h"
#include "topic/registry/roles.h"
#include "topic/registry/words.h"

static const int32 *linkage_nearest(SdcLinkage *linkage, int32 point,
									int32 *count);

/* ----------------------------------------------------------------------
 * The two files of a linkage, as they are in their relations.
 *
 * Rows come from SQL in the order of their ids, so nothing that follows
 * depends on where they are stored.  Categories are codes of one dictionary
 * for both files; of a column with two types they are its texts.
 * ----------------------------------------------------------------------
 */

/* What a column of a linkage by Gower's distance is. */
typedef enum ColumnType
{
	COLUMN_NUMBER,
	COLUMN_CATEGORY,
	COLUMN_RANK
} ColumnType;

static const char *const column_types[] = {"number", "category", "rank", NULL};

/* A relation that is about to be read. */
typedef struct Source
{
	const SdcRelation *relation;
	SdcRelationColumn id;
	SdcRelationColumns keys;
} Source;

/* How the columns are read, with the dictionaries that both files share. */
typedef struct Reading
{
	SdcLinkage *linkage;
	Source original;
	Source masked;
	SdcFrameType types[SDC_MAX_COLUMNS + 1];
	SdcDictionary *dictionary[SDC_MAX_COLUMNS + 1];
	ColumnType column[SDC_MAX_COLUMNS];
	bool blank[SDC_MAX_COLUMNS]; /* does the rule leave nothing? */
} Reading;

/* Finds relations and columns. */
static void
find_sources(Reading *reading, const SdcLinkageCall *call)
{
	Source *original = &reading->original;
	Source *masked = &reading->masked;
	List *names = list_make1(unconstify(char *, call->id));
	int j;

	original->relation = sdcpg_relation_find(call->original);
	masked->relation = sdcpg_relation_find(call->masked);
	original->id = sdcpg_relation_column(original->relation, call->id);
	original->keys =
		sdcpg_relation_columns(original->relation, "keys", call->keys);
	if (original->keys.count > SDC_MAX_COLUMNS)
		ereport(ERROR, (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
						errmsg("argument \"keys\" names more than %d columns",
							   SDC_MAX_COLUMNS)));
	for (j = 0; j < original->keys.count; j++)
		names = lappend(names, original->keys.column[j].name);
	sdcpg_params_check_renaming(call->params, "map", names);
	masked->id = sdcpg_relation_column(
		masked->relation, sdcpg_params_renamed(call->params, "map", call->id));
	masked->keys.count = original->keys.count;
	masked->keys.column =
		palloc(sizeof(SdcRelationColumn) * original->keys.count);
	for (j = 0; j < original->keys.count; j++)
		masked->keys.column[j] = sdcpg_relation_column(
			masked->relation,
			sdcpg_params_renamed(call->params, "map",
								 original->keys.column[j].name));
	original->relation =
		sdcpg_known_original(original->relation, &original->id,
							 &original->keys, call->rules, reading->blank);
}

/* What the key j is: as params.types says, or else by its type. */
static ColumnType
column_type(const Reading *reading, Jsonb *params, int j)
{
	const SdcRelationColumn *a = &reading->original.keys.column[j];
	const SdcRelationColumn *b = &reading->masked.keys.column[j];
	bool numbers = sdcpg_number_is(a->base) && sdcpg_number_is(b->base);
	char *word = sdcpg_params_member(params, "types", a->name);
	ColumnType type = numbers ? COLUMN_NUMBER : COLUMN_CATEGORY;

	if (word != NULL)
		type = (ColumnType) sdcpg_args_choice("types", cstring_to_text(word),
											  column_types);
	if (type == COLUMN_NUMBER && !numbers)
	{
		sdcpg_relation_need_numbers(reading->original.relation,
									&reading->original.keys);
		sdcpg_relation_need_numbers(reading->masked.relation,
									&reading->masked.keys);
	}
	if (type == COLUMN_RANK && a->base != b->base)
		ereport(ERROR,
				(errcode(ERRCODE_DATATYPE_MISMATCH),
				 errmsg("column \"%s\" has not the same type in both "
						"relations",
						a->name),
				 errhint("Ranks need one order for the values of both.")));
	return type;
}

/* Decides how each column is read. */
static void
choose_types(Reading *reading, const SdcLinkageCall *call)
{
	SdcPgHost *host = reading->linkage->host;
	int columns = reading->original.keys.count;
	int j;

	sdcpg_params_members_check(call->params, "types", &reading->original.keys,
							   true);
	reading->linkage->category = sdc_new(&host->kernel, bool, columns);
	reading->types[0] = SDC_FRAME_TEXT;
	reading->dictionary[0] = NULL;
	for (j = 0; j < columns; j++)
	{
		ColumnType type = column_type(reading, call->params, j);
		bool differ = reading->original.keys.column[j].base !=
					  reading->masked.keys.column[j].base;

		reading->column[j] = type;
		reading->linkage->category[j] = type == COLUMN_CATEGORY;
		reading->types[j + 1] =
			type == COLUMN_NUMBER ? SDC_FRAME_NUMBER : SDC_FRAME_CODE;
		reading->dictionary[j + 1] =
			type == COLUMN_CATEGORY && differ
				? sdcpg_dictionary_new(host, TEXTOID, C_COLLATION_OID)
				: NULL;
	}
}

/* All columns are numbers. */
static void
need_numbers(Reading *reading)
{
	int j;

	sdcpg_relation_need_numbers(reading->original.relation,
								&reading->original.keys);
	sdcpg_relation_need_numbers(reading->masked.relation,
								&reading->masked.keys);
	reading->types[0] = SDC_FRAME_TEXT;
	for (j = 0; j <= reading->original.keys.count; j++)
	{
		reading->dictionary[j] = NULL;
		if (j > 0)
			reading->types[j] = SDC_FRAME_KIND;
	}
}

/* Reads one file and makes the directory of its ids. */
static void
read_file(Reading *reading, const Source *source, SdcLinkageFile *linkage)
{
	SdcPgHost *host = reading->linkage->host;
	SdcLinkFile *file = &linkage->file;
	int columns = source->keys.count;
	int j;

	if (source->relation->row_security)
		ereport(NOTICE,
				(errmsg("row-level security may hide records of relation "
						"\"%s\" from you",
						source->relation->name)));
	linkage->frame = sdcpg_frame_load_codes(
		host,
		sdcpg_query_records(source->relation, &source->id, &source->keys),
		columns + 1, reading->types, reading->dictionary);
	linkage->ids = sdcpg_ids_create(linkage->frame, 0, source->relation->name,
									source->id.name);
	file->rows = linkage->frame->rows;
	file->columns = columns;
	file->value = sdc_new(&host->kernel, double *, columns);
	file->missing = sdc_new(&host->kernel, bool *, columns);
	file->kind = sdc_new(&host->kernel, uint8 *, columns);
	for (j = 0; j < columns; j++)
	{
		file->kind[j] = linkage->frame->column[j + 1].kind;
		file->value[j] = linkage->frame->column[j + 1].number;
		file->missing[j] = linkage->frame->column[j + 1].isnull;
	}
}

/* Turns the codes of a column into the ranks of their values. */
static void
rank_codes(SdcPgHost *host, SdcLinkageFile *linkage, int j, const int32 *rank)
{
	const int32 *code = linkage->frame->column[j + 1].code;
	double *value = sdc_new(&host->kernel, double, linkage->file.rows);
	int32 i;

	for (i = 0; i < linkage->file.rows; i++)
	{
		if (i % SDC_POLL_STEPS == 0)
			host->kernel.poll(&host->kernel, 0, 0);
		value[i] = linkage->file.missing[j][i] ? 0 : rank[code[i]];
	}
	linkage->file.value[j] = value;
}

/* Both files agree in a column of which the rule leaves nothing. */
static void
clear_column(SdcPgHost *host, SdcLinkageFile *linkage, int j)
{
	SdcLinkFile *file = &linkage->file;

	file->value[j] = sdc_new(&host->kernel, double, file->rows + 1);
	file->missing[j] = sdc_new(&host->kernel, bool, file->rows + 1);
	if (file->kind[j] != NULL)
		memset(file->kind[j], SDC_KIND_NUMBER, file->rows);
	memset(file->value[j], 0, sizeof(double) * file->rows);
	memset(file->missing[j], 0, sizeof(bool) * file->rows);
}

/* Sets keys, category, from, to and partner. */
static void
linkage_read(SdcLinkage *linkage, const SdcLinkageCall *call)
{
	Reading reading;
	const int32 *rank;
	int32 found;
	int j;

	reading.linkage = linkage;
	linkage->original = call->to_original ? &linkage->to : &linkage->from;
	linkage->masked = call->to_original ? &linkage->from : &linkage->to;
	find_sources(&reading, call);
	linkage->keys = reading.original.keys;
	if (call->method == SDC_LINKAGE_GOWER)
		choose_types(&reading, call);
	else
		need_numbers(&reading);
	read_file(&reading,
			  call->to_original ? &reading.masked : &reading.original,
			  &linkage->from);
	read_file(&reading,
			  call->to_original ? &reading.original : &reading.masked,
			  &linkage->to);
	for (j = 0; j < linkage->keys.count; j++)
	{
		if (reading.types[j + 1] != SDC_FRAME_CODE)
			continue;
		rank = sdcpg_dictionary_sort(reading.dictionary[j + 1]);
		rank_codes(linkage->host, &linkage->from, j, rank);
		rank_codes(linkage->host, &linkage->to, j, rank);
	}
	for (j = 0; j < linkage->keys.count; j++)
		if (reading.blank[j])
		{
			clear_column(linkage->host, &linkage->from, j);
			clear_column(linkage->host, &linkage->to, j);
		}
	linkage->partner =
		sdcpg_ids_partners(&linkage->to.ids, linkage->from.frame, 0, &found);
}

/* ----------------------------------------------------------------------
 * What a method of linkage takes for near.
 *
 * Mahalanobis, weighted mean and bilinear distances are sums of squares of
 * turned coordinates, so the files are turned and searched like for the
 * Euclidean distance.  The others are searched as they are.
 * ----------------------------------------------------------------------
 */

const char *const sdcpg_linkage_methods[] = {
	"euclidean", "mahalanobis", "wm",    "owa", "choquet",
	"choquet2",  "bilinear",    "gower", NULL};

/* Keys of params that every method has, and room for those of one. */
#define COMMON_KEYS 6
#define MOST_KEYS   10

static const SdcKey common_keys[COMMON_KEYS + 1] = {
	SDC_TAKES_DIRECTION,
	SDC_TAKES_CANDIDATES("100"),
	SDC_TAKES_MAP,
	SDC_TAKES_ASSIGNMENT,
	SDC_TAKES_SCALE,
	SDC_TAKES_RULES,
	{NULL}};

/* clang-format off */
#define NUMBERS(name, type, least, form) \
	{name, type, .low = least, .high = DBL_MAX, .shape = form, \
	 .names = SDC_NAMES_KEYS}
#define SETS(name) \
	{name, SDC_KEY_NUMBER, .low = -DBL_MAX, .high = DBL_MAX, \
	 .shape = SDC_KEY_BY_COLUMN, .names = SDC_NAMES_KEYS | SDC_NAMES_LISTS}
#define MODEL {"model", SDC_KEY_OBJECT}

/* By method; each list ends with NULL. */
static const SdcKey method_keys[][MOST_KEYS - COMMON_KEYS] = {
	[SDC_LINKAGE_EUCLIDEAN] = {{NULL}},
	[SDC_LINKAGE_MAHALANOBIS] = {{NULL}},
	[SDC_LINKAGE_WM] = {
		NUMBERS("weights", SDC_KEY_NUMBER, 0, SDC_KEY_BY_COLUMN),
		MODEL, {NULL}},
	[SDC_LINKAGE_OWA] = {
		NUMBERS("weights", SDC_KEY_NUMBERS, 0, SDC_KEY_ONE),
		MODEL, {NULL}},
	[SDC_LINKAGE_CHOQUET] = {
		SETS("capacity"),
		MODEL, {NULL}},
	[SDC_LINKAGE_CHOQUET2] = {
		NUMBERS("singletons", SDC_KEY_NUMBER, -DBL_MAX, SDC_KEY_BY_COLUMN),
		SETS("interactions"),
		MODEL, {NULL}},
	[SDC_LINKAGE_BILINEAR] = {
		NUMBERS("matrix", SDC_KEY_MATRIX, -DBL_MAX, SDC_KEY_ONE),
		MODEL, {NULL}},
	[SDC_LINKAGE_GOWER] = {
		NUMBERS("weights", SDC_KEY_NUMBER, 0, SDC_KEY_BY_COLUMN),
		{"types", SDC_KEY_WORD, .words = column_types,
		 .shape = SDC_KEY_ONE_OR_BY_COLUMN, .names = SDC_NAMES_KEYS},
		{NULL}}};
/* clang-format on */

/*
 * The keys of params that a method has: first those that attacks by distance
 * have besides.
 */
static const SdcKey *
keys_of(SdcLinkageMethod method)
{
	SdcKey *keys = palloc0(sizeof(SdcKey) * (MOST_KEYS + 1));

	memcpy(keys, common_keys, sizeof(SdcKey) * COMMON_KEYS);
	memcpy(keys + COMMON_KEYS, method_keys[method],
		   sizeof(method_keys[method]));
	return keys;
}

static SdcLinkageMethod
find_method(const char *method)
{
	return (SdcLinkageMethod) sdcpg_args_choice(
		"variant", cstring_to_text(method), sdcpg_linkage_methods);
}

const SdcKey *
sdcpg_linkage_keys(const char *method)
{
	return keys_of(find_method(method));
}

/* The form of a method that has parameters; false: it has none. */
static bool
parametric_kind(SdcLinkageMethod method, SdcDistanceKind *kind)
{
	*kind = (SdcDistanceKind) (method - SDC_LINKAGE_WM + SDC_DISTANCE_WM);
	return method >= SDC_LINKAGE_WM && method <= SDC_LINKAGE_BILINEAR;
}

void
sdcpg_linkage_check(const char *method, Jsonb *params)
{
	SdcDistanceKind kind;

	if (parametric_kind(find_method(method), &kind))
		sdcpg_distance_params_check(kind, method, params);
}

/*
 * The distance as sdc.link has it: EUCLIDEAN the root of the mean of squared
 * differences, GOWER as it is, others the root; of a negative square the
 * negative root.
 */
static double
linkage_distance(const SdcLinkage *linkage, double sum)
{
	if (linkage->method == SDC_LINKAGE_GOWER)
		return sum;
	if (linkage->method == SDC_LINKAGE_EUCLIDEAN)
		return sqrt(sum / linkage->keys.count);
	sum *= linkage->scale;
	return sum < 0 ? -sqrt(-sum) : sqrt(sum);
}

/*
 * The matrix of keys and kinds: a kind counts as its key does, and goes with
 * no other.
 */
static double *
add_kinds(const SdcLinkage *linkage, const double *matrix)
{
	const SdcLinkKinds *kinds = &linkage->kinds;
	Size keys = linkage->keys.count;
	Size all = keys + kinds->count;
	double *extended = sdc_new(&linkage->host->kernel, double, all *all);
	Size j;

	memset(extended, 0, sizeof(double) * all * all);
	for (j = 0; j < keys; j++)
		memcpy(extended + j * all, matrix + j * keys, sizeof(double) * keys);
	for (j = keys; j < all; j++)
		extended[j * (all + 1)] = matrix[kinds->owner[j - keys] * (keys + 1)];
	return extended;
}

/* Turns both files so that the form of a matrix is a sum of squares. */
static void
turn_files(SdcLinkage *linkage, const double *matrix)
{
	SdcHost *host = &linkage->host->kernel;
	SdcLinkTransform transform =
		sdc_link_transform_factor(host, add_kinds(linkage, matrix),
								  linkage->keys.count + linkage->kinds.count);

	sdc_link_transform_apply(host, &transform, &linkage->from.file);
	sdc_link_transform_apply(host, &transform, &linkage->to.file);
	if (transform.positive == transform.rows)
		return;
	linkage->measure.kind = SDC_LINK_SIGNED;
	linkage->measure.positive = transform.positive;
}

/* The inverse of the covariance of the differences of complete records. */
static double *
mahalanobis_matrix(SdcLinkage *linkage)
{
	SdcHost *host = &linkage->host->kernel;
	int d = linkage->keys.count;
	double *matrix = sdc_new(host, double, (Size) d *d);

	sdc_link_transform_covariance(host, &linkage->from.file, &linkage->to.file,
								  linkage->partner, matrix);
	sdc_link_transform_invert(host, matrix, d);
	return matrix;
}

/* A weighted mean is a diagonal matrix. */
static void
choose_weights(SdcLinkage *linkage, const double *weight)
{
	int d = linkage->keys.count;
	double *matrix = sdc_new(&linkage->host->kernel, double, (Size) d *d);
	int j;

	memset(matrix, 0, sizeof(double) * d * (Size) d);
	for (j = 0; j < d; j++)
		matrix[j * (d + 1)] = weight[j];
	turn_files(linkage, matrix);
}

/*
 * Any matrix, brought to a greatest element of 1: how near counts as equally
 * near must not depend on its unit.
 */
static void
choose_matrix(SdcLinkage *linkage, double *matrix)
{
	int elements = linkage->keys.count * linkage->keys.count;
	double greatest = 0;
	int i;

	for (i = 0; i < elements; i++)
		greatest = Max(greatest, fabs(matrix[i]));
	if (greatest > 0)
	{
		for (i = 0; i < elements; i++)
			matrix[i] /= greatest;
		linkage->scale = greatest;
	}
	turn_files(linkage, matrix);
}

/* The parameters of a form, and the owners of kinds behind them. */
static void
measure_form(SdcLinkage *linkage, const SdcDistanceForm *form)
{
	SdcLinkMeasure *measure = &linkage->measure;
	size_t own = sdc_distance_form_parameters(form->kind, form->columns);
	int kinds = linkage->kinds.count;
	double *parameter =
		sdc_new(&linkage->host->kernel, double, own + (Size) kinds);
	int k;

	memcpy(parameter, form->parameter, sizeof(double) * own);
	for (k = 0; k < kinds; k++)
		parameter[own + k] = linkage->kinds.owner[k];
	measure->kind = SDC_LINK_FORM;
	measure->form = form->kind;
	measure->boxes = sdc_distance_form_is_monotone(form);
	measure->parameters = own + (Size) kinds;
	measure->parameter = parameter;
	measure->kinds = kinds;
}

static void
choose_form(SdcLinkage *linkage, Jsonb *params)
{
	SdcDistanceKind kind;
	SdcDistanceForm form;

	(void) parametric_kind(linkage->method, &kind);
	form = sdcpg_distance_params_read(linkage->host, kind,
									  sdcpg_linkage_methods[linkage->method],
									  params, &linkage->keys);
	if (kind == SDC_DISTANCE_WM)
		choose_weights(linkage, form.parameter);
	else if (kind == SDC_DISTANCE_BILINEAR)
		choose_matrix(linkage, form.parameter);
	else
		measure_form(linkage, &form);
}

static void
choose_gower(SdcLinkage *linkage, Jsonb *params, SdcLinkScale scale)
{
	SdcHost *host = &linkage->host->kernel;
	int d = linkage->keys.count;
	double *weight =
		sdcpg_distance_params_weights(linkage->host, params, &linkage->keys);
	double *parameter = sdc_new(host, double, 2 * (Size) d);
	int j;

	for (j = 0; j < d; j++)
	{
		parameter[j] = weight[j];
		parameter[d + j] = linkage->category[j] ? 1 : 0;
	}
	linkage->measure.kind = SDC_LINK_GOWER;
	linkage->measure.boxes =
		!sdc_link_file_unite(host, &linkage->original->file,
							 &linkage->masked->file, linkage->category, scale);
	linkage->measure.parameters = 2 * (Size) d;
	linkage->measure.parameter = parameter;
}

/*
 * Scales both files for the method of the call and says how a search compares
 * their points.
 */
static void
linkage_measure_choose(SdcLinkage *linkage, const SdcLinkageCall *call)
{
	SdcLinkScale scale = (SdcLinkScale) sdcpg_params_choice(
		call->params, "scale", sdc_link_scale_words);
	double *matrix = NULL;

	linkage->measure = sdc_link_measure_squares;
	linkage->scale = 1;
	if (linkage->method == SDC_LINKAGE_GOWER)
	{
		choose_gower(linkage, call->params, scale);
		return;
	}
	sdc_link_file_standardize(&linkage->host->kernel, &linkage->original->file,
							  &linkage->masked->file, scale);
	if (linkage->method == SDC_LINKAGE_MAHALANOBIS)
		matrix = mahalanobis_matrix(linkage);
	linkage->kinds =
		sdc_link_file_kinds(&linkage->host->kernel, &linkage->original->file,
							&linkage->masked->file, scale);
	if (linkage->method == SDC_LINKAGE_MAHALANOBIS)
		turn_files(linkage, matrix);
	else if (linkage->method != SDC_LINKAGE_EUCLIDEAN)
		choose_form(linkage, call->params);
}

/* ----------------------------------------------------------------------
 * The links that a search by distance has found, as rows.
 *
 * The nearest points stand for all rows that lie at them.
 * ----------------------------------------------------------------------
 */

/* Adds the records at the nearest points; returns how far they are. */
static double
add_nearest(SdcLinks *links, SdcLinkage *linkage, int32 point)
{
	const SdcLinkFile *to = &linkage->to.file;
	int32 count;
	const int32 *nearest = linkage_nearest(linkage, point, &count);
	int32 i;

	for (i = 0; i < count; i++)
	{
		int32 first = to->first[nearest[i]];

		sdcpg_links_add(links, &to->member[first],
						to->first[nearest[i] + 1] - first);
	}
	return linkage_distance(linkage, linkage->hit[point].smallest);
}

void
sdcpg_linkage_links_put(SdcLinkage *linkage,
						const SdcLinkageAssignment *assignment,
						ReturnSetInfo *result, int32 max_candidates)
{
	const SdcLinkFile *from = &linkage->from.file;
	SdcLinks links;
	int32 i;

	sdcpg_links_begin(&links, linkage->host, result, from->rows);
	sdcpg_links_prepare_sets(&links, &linkage->to.frame->column[0],
							 linkage->to.file.rows, max_candidates);
	for (i = 0; i < from->rows; i++)
	{
		double distance = 0;

		sdcpg_links_begin_record(
			&links, sdcpg_frame_text(&linkage->from.frame->column[0], i),
			linkage->partner[i]);
		if (assignment == NULL && from->point[i] >= 0 && linkage->hit != NULL)
			distance = add_nearest(&links, linkage, from->point[i]);
		if (assignment != NULL && assignment->row[i] >= 0)
		{
			distance = assignment->distance[i];
			sdcpg_links_add(&links, &assignment->row[i], 1);
		}
		sdcpg_links_end_record(&links, distance, false);
	}
	sdcpg_links_end(&links);
}

/* ----------------------------------------------------------------------
 * Two relations linked by distance: read, scaled, searched.
 *
 * The search itself is a task that parallel workers share.
 * ----------------------------------------------------------------------
 */

/*
 * Seconds that one search takes per column and point it meets, and points met
 * besides those of a well-shaped file, by experience; forms take longer.
 */
#define STEP_SECONDS 2e-9
#define FORM_SECONDS 2e-8
#define STEP_POINTS  200

/* A rough estimate of what the search will take. */
static double
estimate_seconds(const SdcLinkage *linkage)
{
	const SdcLinkMeasure *measure = &linkage->measure;
	double met = measure->boxes ? Min(STEP_POINTS, linkage->to.file.points)
								: linkage->to.file.points;

	return (measure->kind == SDC_LINK_FORM ? FORM_SECONDS : STEP_SECONDS) *
		   linkage->from.file.points * linkage->from.file.columns * met;
}

/* Searches the points of to for every point of from. */
static void
search(SdcLinkage *linkage)
{
	const SdcLinkFile *from = &linkage->from.file;
	const SdcLinkFile *to = &linkage->to.file;
	void *task;

	task = sdcpg_parallel_begin(
		&linkage->parallel, linkage->host, "sdcpg_linkage_worker",
		sdc_link_task_size(to->points, from->points, from->columns,
						   &linkage->measure),
		sdcpg_parallel_workers(estimate_seconds(linkage)));
	sdc_link_task_fill(&linkage->host->kernel, task, to->coordinate,
					   to->points, from->coordinate, from->points,
					   from->columns, &linkage->measure);
	sdcpg_parallel_run(&linkage->parallel, sdc_link_task_work,
					   sdc_link_task_blocks(task), 0);
	linkage->hit = sdc_link_task_hits(task);
	sdc_link_task_index(&linkage->host->kernel, task, &linkage->index,
						&linkage->measure);
	linkage->search = sdc_link_search_create(
		&linkage->host->kernel, &linkage->index, &linkage->measure);
}

/*
 * Points that a search meets by experience: few in a tree while there are few
 * columns, else all.
 */
static double
points_met(const SdcLinkage *linkage)
{
	const SdcLinkFile *to = &linkage->to.file;
	double met = 100.0 * to->columns * to->columns;

	return linkage->measure.boxes ? Min(met, to->rows) : to->rows;
}

/* Keeps the records of from that are marked; rows are numbered anew. */
static void
keep_marked(SdcLinkage *linkage, const bool *marked)
{
	SdcLinkFile *from = &linkage->from.file;
	int32 kept = 0;
	int32 i;
	int j;

	for (i = 0; i < from->rows; i++)
	{
		if (!marked[i])
			continue;
		for (j = 0; j < from->columns; j++)
		{
			from->value[j][kept] = from->value[j][i];
			from->missing[j][kept] = from->missing[j][i];
		}
		linkage->partner[kept++] = linkage->partner[i];
	}
	from->rows = kept;
}

/*
 * Keeps as many of the searching records as the steps allow, of those that
 * have a partner.  Their ids can no longer be told.
 */
static void
keep_sample(SdcLinkage *linkage, const SdcLinkageCall *call)
{
	SdcLinkFile *from = &linkage->from.file;
	double factor = linkage->measure.kind == SDC_LINK_FORM
						? FORM_SECONDS / STEP_SECONDS
						: 1;
	double cost;
	bool *marked;
	int32 i;

	for (i = 0; i < from->rows; i++)
		linkage->people += linkage->partner[i] >= 0;
	if (call->sample == NULL)
		return;
	cost = factor * from->rows * from->columns * points_met(linkage);
	marked = sdcpg_attack_sample(call->sample, linkage->host, from->rows, cost,
								 call->steps);
	if (marked == NULL)
		return;
	for (i = 0; i < from->rows; i++)
		marked[i] &= linkage->partner[i] >= 0;
	keep_marked(linkage, marked);
}

void
sdcpg_linkage_prepare(SdcLinkage *linkage, SdcPgHost *host,
					  const SdcLinkageCall *call)
{
	memset(linkage, 0, sizeof(*linkage));
	linkage->host = host;
	linkage->method = call->method;
	linkage_read(linkage, call);
	linkage_measure_choose(linkage, call);
	keep_sample(linkage, call);
	sdc_link_file_collapse(&host->kernel, &linkage->from.file);
	sdc_link_file_collapse(&host->kernel, &linkage->to.file);
}

void
sdcpg_linkage_run(SdcLinkage *linkage, SdcPgHost *host,
				  const SdcLinkageCall *call)
{
	sdcpg_linkage_prepare(linkage, host, call);
	if (linkage->from.file.points > 0 && linkage->to.file.points > 0)
		search(linkage);
}

/*
 * The points nearest to a point of from, ascending; valid until the next
 * call.  There may be none.
 */
static const int32 *
linkage_nearest(SdcLinkage *linkage, int32 point, int32 *count)
{
	const SdcLinkHit *hit = &linkage->hit[point];
	const SdcLinkFile *from = &linkage->from.file;

	*count = hit->count;
	if (hit->count <= SDC_LINK_KEPT)
		return hit->point;
	sdc_link_search_run(linkage->search,
						from->coordinate + (Size) point * from->columns);
	return linkage->search->point;
}

/* The search is this process' own. */
SdcLinkageAssignment
sdcpg_linkage_assign(SdcLinkage *linkage, uint64 seed)
{
	SdcHost *host = &linkage->host->kernel;
	const SdcLinkFile *from = &linkage->from.file;
	const SdcLinkFile *to = &linkage->to.file;
	bool root = linkage->method != SDC_LINKAGE_GOWER;
	SdcLinkAssignment assigned;
	SdcLinkageAssignment assignment;
	SdcLinkSearch *own = NULL;
	double unit = 1;
	char *task = NULL;
	int32 i;

	if (from->points > 0 && to->points > 0)
	{
		task = sdc_new(host, char,
					   sdc_link_task_size(to->points, from->points,
										  from->columns, &linkage->measure));
		sdc_link_task_fill(host, task, to->coordinate, to->points,
						   from->coordinate, from->points, from->columns,
						   &linkage->measure);
		sdc_link_task_index(host, task, &linkage->index, &linkage->measure);
		own = sdc_link_search_create(host, &linkage->index, &linkage->measure);
	}
	assigned = sdc_link_assign(host, from, to, own, root, seed);
	if (own != NULL)
		sdc_link_search_release(own);
	host->release(host, task);
	if (linkage->method == SDC_LINKAGE_EUCLIDEAN)
		unit = sqrt(1.0 / linkage->keys.count);
	else if (root)
		unit = sqrt(linkage->scale);
	for (i = 0; i < from->rows; i++)
		assigned.cost[i] *= unit;
	assignment.row = assigned.row;
	assignment.distance = assigned.cost;
	return assignment;
}

void
sdcpg_linkage_end(SdcLinkage *linkage)
{
	if (linkage->hit != NULL)
	{
		sdc_link_search_release(linkage->search);
		sdcpg_parallel_end(&linkage->parallel);
	}
	linkage->hit = NULL;
}

void
sdcpg_linkage_worker(dsm_segment *segment, shm_toc *toc)
{
	sdcpg_parallel_worker(segment, toc, sdc_link_task_work);
}

/* ----------------------------------------------------------------------
 * How well linked files match the truth.
 *
 * The number of candidates of a record is that of the rows at its nearest
 * points; its own record is among them when the point of that record is.  The
 * sum is taken in the order of the points, which is that of their coordinates.
 * ----------------------------------------------------------------------
 */

/* Points between two polls; some have to be searched again. */
#define POLL_POINTS 256

/* The number of records of the other file at these points. */
static int64
count_candidates(const SdcLinkFile *to, const int32 *nearest, int32 count)
{
	int64 candidates = 0;
	int32 i;

	for (i = 0; i < count; i++)
		candidates += to->first[nearest[i] + 1] - to->first[nearest[i]];
	return candidates;
}

static bool
is_among(const int32 *nearest, int32 count, int32 point)
{
	int32 i;

	for (i = 0; i < count; i++)
		if (nearest[i] == point)
			return true;
	return false;
}

/* Counts the records at a point, which all have the same candidates. */
static void
count_point(SdcLinkage *linkage, int32 point, SdcLinkSuccess *found)
{
	const SdcLinkFile *from = &linkage->from.file;
	const SdcLinkFile *to = &linkage->to.file;
	int32 count;
	const int32 *nearest = linkage_nearest(linkage, point, &count);
	int64 candidates = count_candidates(to, nearest, count);
	int32 i;

	for (i = from->first[point]; i < from->first[point + 1]; i++)
	{
		int32 partner = linkage->partner[from->member[i]];

		if (partner < 0 || !is_among(nearest, count, to->point[partner]))
			continue;
		sdcpg_success_add(found, 1.0 / candidates);
		found->unique_right += candidates == 1;
	}
}

SdcLinkSuccess
sdcpg_link_success_count(SdcLinkage *linkage)
{
	SdcHost *host = &linkage->host->kernel;
	const SdcLinkFile *from = &linkage->from.file;
	SdcLinkSuccess found = {0};
	int32 i;

	for (i = 0; i < from->rows; i++)
		found.records += linkage->partner[i] >= 0;
	if (linkage->hit == NULL)
		return found;
	host->stage(host, "counting links");
	for (i = 0; i < from->points; i++)
	{
		if (i % POLL_POINTS == 0)
			host->poll(host, i, from->points);
		count_point(linkage, i, &found);
	}
	return found;
}

/* ----------------------------------------------------------------------
 * sdc.attack_distance: who is nearest to whom.
 * ----------------------------------------------------------------------
 */

PG_FUNCTION_INFO_V1(sdcf_attack_distance);

/* Reads the arguments; stops unless those that must be given are. */
static SdcLinkageCall
read_arguments(FunctionCallInfo fcinfo)
{
	SdcLinkageCall call = {0};

	sdcpg_args_need_first(fcinfo, 2);
	sdcpg_args_need(fcinfo, 4);
	call.original = PG_GETARG_OID(0);
	call.masked = PG_GETARG_OID(1);
	call.id = sdcpg_roles_id_argument(fcinfo, 2, call.original);
	call.keys = sdcpg_roles_names_argument(fcinfo, 3, "keys", call.original,
										   SDC_ROLE_KEY);
	call.method = (SdcLinkageMethod) sdcpg_args_choice(
		"variant", PG_GETARG_TEXT_PP(4), sdcpg_linkage_methods);
	call.params = PG_ARGISNULL(5) ? NULL : PG_GETARG_JSONB_P(5);
	sdcpg_params_check_keys(call.params, keys_of(call.method));
	call.to_original =
		sdcpg_params_choice(call.params, "direction", sdcpg_direction_words) ==
		SDC_TO_ORIGINAL;
	call.seed = PG_ARGISNULL(6) ? 0 : (uint64) PG_GETARG_INT64(6);
	call.rules = sdcpg_known_rules(call.params, NULL);
	return call;
}

/*
 * attack_distance(original regclass, masked regclass, id name, keys columns,
 *                 variant text, params jsonb, seed bigint)
 */
Datum
sdcf_attack_distance(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *result = sdcpg_result_begin(fcinfo);
	SdcLinkageCall call = read_arguments(fcinfo);
	int32 max_candidates =
		sdcpg_keys_integer(common_keys, call.params, "max_candidates");
	bool one_to_one = sdcpg_params_choice(call.params, "assignment",
										  sdcpg_assignment_words) ==
					  SDC_ASSIGNMENT_ONE_TO_ONE;
	SdcLinkageAssignment assignment;
	SdcPgHost *host;
	SdcLinkage linkage;

	host = sdcpg_host_begin("attack_distance", CurrentMemoryContext);
	if (one_to_one)
	{
		sdcpg_linkage_prepare(&linkage, host, &call);
		assignment = sdcpg_linkage_assign(&linkage, call.seed);
	}
	else
		sdcpg_linkage_run(&linkage, host, &call);
	sdcpg_linkage_links_put(&linkage, one_to_one ? &assignment : NULL, result,
							max_candidates);
	sdcpg_linkage_end(&linkage);
	sdcpg_host_end(host);
	return (Datum) 0;
}

/* ----------------------------------------------------------------------
 * The attacks "distance" and "mahalanobis".
 * ----------------------------------------------------------------------
 */

const SdcKey sdcpg_mahalanobis_params[] = {
	SDC_TAKES_DIRECTION, SDC_TAKES_MAP,   SDC_TAKES_ASSIGNMENT,
	SDC_TAKES_SCALE,     SDC_TAKES_RULES, {NULL}};

/* The call that a case asks for. */
static SdcLinkageCall
call_of(const SdcAttack *attack, const SdcAttackCase *of,
		SdcLinkageMethod method)
{
	SdcLinkageCall call = {0};

	call.original = of->original->oid;
	call.masked = of->masked->oid;
	call.id = of->id;
	call.keys = of->keys;
	call.method = method;
	call.params = of->params;
	call.to_original =
		sdcpg_params_choice(of->params, "direction", sdcpg_direction_words) ==
		SDC_TO_ORIGINAL;
	call.steps = attack->budget;
	call.sample = of;
	call.seed = of->seeded ? (uint64) of->seed : 0;
	call.rules = sdcpg_known_rules(of->params, of->rules);
	return call;
}

SdcLinkSuccess
sdcpg_link_assigned_count(const SdcLinkage *linkage,
						  const SdcLinkageAssignment *assignment)
{
	SdcLinkSuccess found = {0};
	int32 i;

	for (i = 0; i < linkage->from.file.rows; i++)
	{
		if (linkage->partner[i] < 0)
			continue;
		found.records++;
		found.unique_right += assignment->row[i] == linkage->partner[i];
	}
	found.right = found.unique_right;
	return found;
}

static void
attack_nearest(const SdcAttack *attack, const SdcAttackCase *of,
			   SdcPgHost *host, SdcLinkageMethod method,
			   SdcAttackOutcome *outcome)
{
	SdcLinkageCall call = call_of(attack, of, method);
	SdcLinkageAssignment assignment;
	SdcLinkSuccess found;
	SdcLinkage linkage;

	if (sdcpg_params_choice(of->params, "assignment",
							sdcpg_assignment_words) ==
		SDC_ASSIGNMENT_ONE_TO_ONE)
	{
		call.sample = NULL;
		sdcpg_linkage_prepare(&linkage, host, &call);
		assignment = sdcpg_linkage_assign(&linkage, call.seed);
		found = sdcpg_link_assigned_count(&linkage, &assignment);
	}
	else
	{
		sdcpg_linkage_run(&linkage, host, &call);
		found = sdcpg_link_success_count(&linkage);
	}
	sdcpg_attack_links(outcome, &found, linkage.people);
	sdcpg_linkage_end(&linkage);
}

void
sdcpg_attack_distance(const SdcAttack *attack, const SdcAttackCase *of,
					  SdcPgHost *host, SdcAttackOutcome *outcome)
{
	attack_nearest(
		attack, of, host,
		(SdcLinkageMethod) sdcpg_args_choice(
			"variant", cstring_to_text(of->method), sdcpg_linkage_methods),
		outcome);
}

void
sdcpg_attack_mahalanobis(const SdcAttack *attack, const SdcAttackCase *of,
						 SdcPgHost *host, SdcAttackOutcome *outcome)
{
	attack_nearest(attack, of, host, SDC_LINKAGE_MAHALANOBIS, outcome);
}
