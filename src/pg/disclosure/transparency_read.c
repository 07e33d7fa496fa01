/*
 * transparency_read.c
 *		The two files of an attack that knows the rules, as they are read.
 *
 * Each file is read once, by one query that holds all fields, in the order of
 * the ids.  So what follows does not depend on where rows are stored.
 */
#include "postgres.h"

#include "lib/stringinfo.h"
#include "utils/lsyscache.h"

#include "kernel/base/sort.h"
#include "kernel/table/frequency.h"
#include "pg/call/query.h"
#include "pg/disclosure/transparency_read.h"
#include "pg/server/compat.h"

int
sdcpg_transparency_field(SdcTransparencyFile *file, char *sql,
						 SdcFrameType type, SdcDictionary *dictionary)
{
	if (file->fields == file->room)
	{
		file->room *= 2;
		file->sql = repalloc(file->sql, file->room * sizeof(char *));
		file->type = repalloc(file->type, file->room * sizeof(SdcFrameType));
		file->dictionary =
			repalloc(file->dictionary, file->room * sizeof(SdcDictionary *));
	}
	file->sql[file->fields] = sql;
	file->type[file->fields] = type;
	file->dictionary[file->fields] = dictionary;
	return file->fields++;
}

SdcDictionary *
sdcpg_transparency_dictionary(SdcTransparency *transparency,
							  const SdcRelation *relation,
							  const SdcRelationColumn *column)
{
	SdcDictionary *dictionary;
	Oid type;
	int32 modifier;
	Oid collation;

	get_atttypetypmodcoll(relation->oid, column->number, &type, &modifier,
						  &collation);
	dictionary =
		sdcpg_dictionary_new(transparency->host, column->base, collation);
	transparency->dictionary =
		transparency->dictionaries == 0
			? palloc(sizeof(SdcDictionary *))
			: repalloc(transparency->dictionary,
					   (transparency->dictionaries + 1) *
						   sizeof(SdcDictionary *));
	transparency->dictionary[transparency->dictionaries++] = dictionary;
	return dictionary;
}

void
sdcpg_transparency_file(SdcTransparencyFile *file, Oid oid, const char *id)
{
	memset(file, 0, sizeof(*file));
	file->relation = sdcpg_relation_find(oid);
	file->id = sdcpg_relation_column(file->relation, id);
	file->room = 16;
	file->sql = palloc(file->room * sizeof(char *));
	file->type = palloc(file->room * sizeof(SdcFrameType));
	file->dictionary = palloc(file->room * sizeof(SdcDictionary *));
	sdcpg_transparency_field(
		file, psprintf("CAST(r.%s AS pg_catalog.text)", file->id.sql),
		SDC_FRAME_TEXT, NULL);
}

/* One row per record: all fields, in the order of the id. */
static char *
write_query(const SdcTransparencyFile *file)
{
	StringInfoData sql;
	int j;

	initStringInfo(&sql);
	appendStringInfoString(&sql, "SELECT ");
	for (j = 0; j < file->fields; j++)
		appendStringInfo(&sql, "%s%s", j > 0 ? ", " : "", file->sql[j]);
	appendStringInfo(&sql, " FROM %s AS r ", file->relation->sql);
	sdcpg_query_order(&sql, &file->id);
	return sql.data;
}

static void
read_file(SdcPgHost *host, SdcTransparencyFile *file)
{
	if (file->relation->row_security)
		ereport(NOTICE,
				(errmsg("row-level security may hide records of relation "
						"\"%s\" from you",
						file->relation->name)));
	file->frame = sdcpg_frame_load_codes(host, write_query(file), file->fields,
										 file->type, file->dictionary);
	file->ids =
		sdcpg_ids_create(file->frame, 0, file->relation->name, file->id.name);
}

/* Turns the codes of a dictionary into ranks in both files. */
static void
rank_fields(SdcHost *host, SdcTransparencyFile *file,
			const SdcDictionary *dictionary, const int32 *rank)
{
	int32 row;
	int j;

	for (j = 1; j < file->fields; j++)
	{
		int32 *code = file->frame->column[j].code;

		if (file->dictionary[j] != dictionary ||
			file->type[j] != SDC_FRAME_CODE)
			continue;
		for (row = 0; row < file->frame->rows; row++)
		{
			if (row % SDC_POLL_STEPS == 0)
				host->poll(host, 0, 0);
			if (code[row] != SDC_CODE_NULL)
				code[row] = rank[code[row]];
		}
	}
}

void
sdcpg_transparency_read(SdcTransparency *transparency)
{
	SdcHost *host = &transparency->host->kernel;
	int32 found;
	int i;

	read_file(transparency->host, &transparency->original);
	read_file(transparency->host, &transparency->masked);
	if ((int64) transparency->original.frame->rows +
			transparency->masked.frame->rows >
		SDC_MAX_ROWS)
		ereport(ERROR, (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
						errmsg("the two relations have more than %d records "
							   "together",
							   SDC_MAX_ROWS)));
	for (i = 0; i < transparency->dictionaries; i++)
	{
		SdcDictionary *dictionary = transparency->dictionary[i];
		const int32 *rank = sdcpg_dictionary_sort(dictionary);

		rank_fields(host, &transparency->original, dictionary, rank);
		rank_fields(host, &transparency->masked, dictionary, rank);
	}
	transparency->partner = sdcpg_ids_partners(
		&transparency->masked.ids, transparency->original.frame, 0, &found);
	transparency->complete = found == transparency->masked.frame->rows;
}

/* Is a field the same in both files for every record that is in both? */
static bool
is_unchanged(const SdcTransparency *transparency, SdcTransparencyPair pair)
{
	const uint32 *original =
		sdcpg_transparency_codes(&transparency->original, pair.original);
	const uint32 *masked =
		sdcpg_transparency_codes(&transparency->masked, pair.masked);
	int32 i;

	for (i = 0; i < transparency->original.frame->rows; i++)
		if (transparency->partner[i] >= 0 &&
			masked[transparency->partner[i]] != original[i])
			return false;
	return true;
}

/*
 * Numbers the combinations of what was numbered so far and one more column,
 * over both files, from 0; the first count of stratum are the original's.
 */
static void
refine(SdcHost *host, uint32 *stratum, int32 count, const uint32 *original,
	   int32 originals, const uint32 *masked)
{
	uint64 *key = sdc_new(host, uint64, count);
	int32 *row = sdc_new(host, int32, count);
	uint32 number = 0;
	int32 i;

	for (i = 0; i < count; i++)
	{
		key[i] = sdc_candidate_key(
			stratum[i], i < originals ? original[i] : masked[i - originals]);
		row[i] = i;
	}
	sdc_sort_keys(host, key, row, count);
	for (i = 0; i < count; i++)
	{
		number += i > 0 && key[i] != key[i - 1];
		stratum[row[i]] = number;
	}
	host->release(host, key);
	host->release(host, row);
}

void
sdcpg_transparency_strata(SdcTransparency *transparency,
						  SdcTransparencyPart *part, uint32 **original,
						  uint32 **masked)
{
	SdcHost *host = &transparency->host->kernel;
	int32 originals = transparency->original.frame->rows;
	int32 count = originals + transparency->masked.frame->rows;
	bool shown = true;
	uint32 *stratum;
	int j;

	for (j = 0; j < part->strata; j++)
		shown = shown && part->stratum[j].masked >= 0 &&
				is_unchanged(transparency, part->stratum[j]);
	if (!shown)
		count = originals;
	stratum = sdc_new(host, uint32, count);
	memset(stratum, 0, sizeof(uint32) * count);
	for (j = 0; j < part->strata; j++)
		refine(host, stratum, count,
			   sdcpg_transparency_codes(&transparency->original,
										part->stratum[j].original),
			   originals,
			   shown ? sdcpg_transparency_codes(&transparency->masked,
												part->stratum[j].masked)
					 : NULL);
	*original = stratum;
	*masked = shown ? stratum + originals : NULL;
}
