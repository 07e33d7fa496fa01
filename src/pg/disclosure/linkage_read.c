/*
 * linkage_read.c
 *		The two files of a linkage, as they are in their relations.
 *
 * Rows come from SQL in the order of their ids, so nothing that follows
 * depends on where they are stored.  Categories are codes of one dictionary
 * for both files; of a column with two types they are its texts.
 */
#include "postgres.h"

#include "catalog/pg_collation.h"
#include "catalog/pg_type.h"
#include "utils/builtins.h"

#include "kernel/base/matrix.h"
#include "pg/call/args.h"
#include "pg/call/params.h"
#include "pg/call/params_members.h"
#include "pg/call/params_names.h"
#include "pg/call/query.h"
#include "pg/data/number.h"
#include "pg/disclosure/linkage_read.h"
#include "pg/server/compat.h"

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
	SdcRelation *relation;
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
			reading->types[j] = SDC_FRAME_NUMBER;
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
	for (j = 0; j < columns; j++)
	{
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

void
sdcpg_linkage_read(SdcLinkage *linkage, const SdcLinkageCall *call)
{
	Reading reading;
	const int32 *rank;
	int32 found;
	int j;

	reading.linkage = linkage;
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
	linkage->partner =
		sdcpg_ids_partners(&linkage->to.ids, linkage->from.frame, 0, &found);
}
