/*
 * transparency.c
 *		What rules that are known leave possible: B_j(x) and its intersection.
 *
 * The rules of the keys are turned into parts; each asks for the fields it
 * needs, both files are read, and each part finds its sets.  Then the sets of
 * each record are intersected, and what is left is weighed.
 */
#include "postgres.h"

#include <math.h>

#include "access/xact.h"
#include "common/hashfn.h"
#include "lib/stringinfo.h"
#include "catalog/pg_collation.h"
#include "miscadmin.h"
#include "utils/acl.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"

#include "host/call/params.h"
#include "host/call/query.h"
#include "host/call/relation.h"
#include "host/data/dictionary.h"
#include "host/data/rows.h"
#include "host/server/compat.h"
#include "host/server/host.h"
#include "host/server/result.h"
#include "kernel/base/host.h"
#include "kernel/base/sort.h"
#include "kernel/intruder/candidate.h"
#include "kernel/linkage/link_measure.h"
#include "kernel/table/frequency.h"
#include "topic/attack/candidates.h"
#include "topic/attack/known.h"
#include "topic/attack/links.h"
#include "topic/attack/transparency.h"
#include "topic/mask/rules.h"
#include "topic/registry/roles.h"

/* What is known of an original record, or can be found out. */
typedef struct SdcTransparencyRecord
{
	int32 candidates;    /* records in every set */
	bool certain;        /* one, and it must be the own one */
	bool unique;         /* is one nearer than all others? */
	int32 best;          /* the place of the nearest */
	const int32 *row;    /* by candidate, in no particular order */
	double *squared;     /* distance, summed over the numeric keys */
	double *probability; /* by the rules; adds up to 1 */
	double *cost;        /* less is better */
} SdcTransparencyRecord;

/* Is a masked row the best of a record, with no other as good? */
static bool
links_to(const SdcTransparencyRecord *record, int32 row)
{
	return record->unique && row >= 0 && record->row[record->best] == row;
}

/* ----------------------------------------------------------------------
 * The two files of an attack that knows the rules, as they are read.
 *
 * Each file is read once, by one query that holds all fields, in the order of
 * the ids.  So what follows does not depend on where rows are stored.
 * ----------------------------------------------------------------------
 */

int
sdcpg_transparency_field(SdcTransparencyFile *file, char *sql,
						 SdcFrameType type, SdcDictionary *dictionary)
{
	int j;

	if (file->fields == file->room)
	{
		file->room *= 2;
		file->sql = repalloc(file->sql, file->room * sizeof(char *));
		file->type = repalloc(file->type, file->room * sizeof(SdcFrameType));
		file->dictionary =
			repalloc(file->dictionary, file->room * sizeof(SdcDictionary *));
	}
	for (j = 0; j < file->fields && type == SDC_FRAME_NUMBER; j++)
		if (file->type[j] == type && strcmp(file->sql[j], sql) == 0)
			return j;
	file->sql[file->fields] = sql;
	file->type[file->fields] = type;
	file->dictionary[file->fields] = dictionary;
	return file->fields++;
}

/* A dictionary of a type for fields of both files. */
static SdcDictionary *
add_dictionary(SdcTransparency *transparency, Oid base, Oid collation)
{
	SdcDictionary *dictionary =
		sdcpg_dictionary_new(transparency->host, base, collation);

	sdcpg_dictionary_late(dictionary);
	transparency->dictionary =
		transparency->dictionaries == 0
			? palloc(sizeof(SdcDictionary *))
			: repalloc(transparency->dictionary,
					   (transparency->dictionaries + 1) *
						   sizeof(SdcDictionary *));
	transparency->dictionary[transparency->dictionaries++] = dictionary;
	return dictionary;
}

SdcDictionary *
sdcpg_transparency_dictionary(SdcTransparency *transparency,
							  const SdcRelation *relation,
							  const SdcRelationColumn *column)
{
	Oid type;
	int32 modifier;
	Oid collation;

	get_atttypetypmodcoll(relation->oid, column->number, &type, &modifier,
						  &collation);
	/* labels of a column that is no text itself */
	if (!OidIsValid(collation))
		collation = get_typcollation(column->base);
	return add_dictionary(transparency, column->base, collation);
}

/* Starts a file with its id. */
static void
transparency_file(SdcTransparencyFile *file, Oid oid, const char *id)
{
	memset(file, 0, sizeof(*file));
	file->relation = sdcpg_relation_find(oid);
	file->id = sdcpg_relation_column(file->relation, id);
	file->room = 16;
	file->sql = palloc(file->room * sizeof(char *));
	file->type = palloc(file->room * sizeof(SdcFrameType));
	file->dictionary = palloc(file->room * sizeof(SdcDictionary *));
	sdcpg_transparency_field(file, sdcpg_query_cast(&file->id, "text"),
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
	if (file->drawn != NULL)
		appendStringInfo(&sql, "WHERE %s OPERATOR(pg_catalog.=) ANY (%s) ",
						 file->sql[0], file->drawn);
	sdcpg_query_order(&sql, &file->id);
	return sql.data;
}

/*
 * Reads the fields.  A value that is not of the type that it is cast to, as a
 * text that is to be a number, is an error that does not show it.
 */
static void
load_frame(SdcPgHost *host, SdcTransparencyFile *file)
{
	MemoryContext caller = CurrentMemoryContext;
	char *sql = write_query(file);

	PG_TRY();
	{
		file->frame = sdcpg_frame_load_codes(host, sql, file->fields,
											 file->type, file->dictionary);
	}
	PG_CATCH();
	{
		ErrorData *error;

		MemoryContextSwitchTo(caller);
		error = CopyErrorData();
		if (ERRCODE_TO_CATEGORY(error->sqlerrcode) != ERRCODE_DATA_EXCEPTION)
			PG_RE_THROW();
		FlushErrorState();
		ereport(ERROR,
				(errcode(error->sqlerrcode),
				 errmsg("a value of relation \"%s\" is not of the type that "
						"it is compared with",
						file->relation->name),
				 errdetail("The value is not shown.")));
	}
	PG_END_TRY();
}

static void
read_file(SdcPgHost *host, SdcTransparencyFile *file)
{
	if (file->relation->row_security && file->drawn == NULL)
		ereport(NOTICE,
				(errmsg("row-level security may hide records of relation "
						"\"%s\" from you",
						file->relation->name)));
	load_frame(host, file);
	sdcpg_frame_mark_missing(file->frame);
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

/*
 * Reads both files, turns codes into ranks, and finds the partner of each
 * original row.
 */
static void
transparency_read(SdcTransparency *transparency)
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
		sdcpg_dictionary_forget_ranks(dictionary);
	}
	transparency->partner = sdcpg_ids_partners(
		&transparency->masked.ids, transparency->original.frame, 0, &found);
	sdcpg_ids_release(transparency->host, &transparency->original.ids);
	sdcpg_ids_release(transparency->host, &transparency->masked.ids);
	transparency->complete = found == transparency->masked.frame->rows;
	transparency->whole =
		transparency->complete && found == transparency->original.frame->rows;
}

bool *
sdcpg_transparency_missing(SdcHost *host, const SdcTransparencyFile *file,
						   int field)
{
	const uint32 *code = sdcpg_transparency_codes(file, field);
	int32 rows = file->frame->rows;
	bool *missing = sdc_new(host, bool, rows);
	int32 i;

	for (i = 0; i < rows; i++)
		missing[i] = code[i] == SDC_CANDIDATE_MISSING;
	return missing;
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

/* ----------------------------------------------------------------------
 * What an intruder who knows the rules makes of one record.
 *
 * The sets of the record are intersected, and what is left is compared by how
 * likely the rules make it and by distance.
 * ----------------------------------------------------------------------
 */

/* Costs that differ by less are equal: rounding must not break a tie. */
#define TIE_SHARE 1e-9
#define TIE       1e-20

/* A file of the keys that are numbers; missing ones stay NaN. */
static void
fill_file(SdcTransparency *transparency, bool masked, SdcLinkFile *file)
{
	SdcHost *host = &transparency->host->kernel;
	const SdcFrame *frame =
		masked ? transparency->masked.frame : transparency->original.frame;
	int j;

	memset(file, 0, sizeof(*file));
	file->rows = frame->rows;
	file->columns = transparency->numbers;
	file->value = sdc_new(host, double *, file->columns);
	file->missing = sdc_new(host, bool *, file->columns);
	for (j = 0; j < file->columns; j++)
	{
		const SdcTransparencyPair *pair = &transparency->number[j];
		const SdcFrameColumn *column =
			&frame->column[masked ? pair->masked : pair->original];

		file->value[j] = sdcpg_frame_numbers(host, column, file->rows);
		file->missing[j] = column->isnull;
	}
}

/* The part that a numeric key belongs to. */
static SdcTransparencyPart *
part_of(SdcTransparency *transparency, int number)
{
	AttrNumber key = transparency->number_key[number];
	int i;
	int j;

	for (i = 0; i < transparency->parts; i++)
		for (j = 0; j < transparency->part[i].columns; j++)
			if (transparency->part[i].original[j].number == key)
				return &transparency->part[i];
	return NULL;
}

/*
 * Alone, squared distances are simply added.  Beside likelihoods each column
 * is brought to their scale; a column that has a likelihood needs no distance.
 */
static void
weigh_columns(SdcTransparency *transparency)
{
	SdcHost *host = &transparency->host->kernel;
	SdcCandidateScore *score = &transparency->score;
	int j;

	score->divisor = sdc_new(host, double, score->columns);
	for (j = 0; j < score->columns; j++)
	{
		SdcTransparencyPart *part = part_of(transparency, j);

		score->divisor[j] = 1;
		if (transparency->weighted && part->weighted)
			score->divisor[j] = 0;
		else if (transparency->weighted)
			score->divisor[j] = sdc_candidate_score_spread(
				host, &part->set, score->original[j],
				transparency->original.frame->rows, score->masked[j],
				transparency->masked.frame->rows);
	}
}

static void
prepare_scores(SdcTransparency *transparency)
{
	SdcHost *host = &transparency->host->kernel;
	SdcCandidateScore *score = &transparency->score;
	SdcCandidateWeight *weight =
		sdc_new(host, SdcCandidateWeight, transparency->parts);
	SdcLinkFile original;
	SdcLinkFile masked;
	int i;

	for (i = 0; i < transparency->parts; i++)
		if (transparency->part[i].weighted)
			weight[score->weights++] = transparency->part[i].weight;
	transparency->weighted = score->weights > 0;
	score->weight = weight;
	fill_file(transparency, false, &original);
	fill_file(transparency, true, &masked);
	sdc_link_file_standardize(
		host, &original, &masked,
		(SdcLinkScale) sdcpg_params_choice(transparency->params, "scale",
										   sdc_link_scale_words));
	score->columns = transparency->numbers;
	score->original = original.value;
	score->masked = masked.value;
	weigh_columns(transparency);
}

/* A search in all parts, or in the exact ones. */
static SdcCandidateSearch *
create_search(SdcTransparency *transparency, bool exact)
{
	SdcHost *host = &transparency->host->kernel;
	const SdcCandidateSet **set =
		sdc_new(host, const SdcCandidateSet *, transparency->parts);
	int count = 0;
	int i;

	for (i = 0; i < transparency->parts; i++)
		if (transparency->part[i].exact || !exact)
			set[count++] = &transparency->part[i].set;
	return sdc_candidate_search_create(host, count, set,
									   transparency->masked.frame->rows);
}

/* Prepares to intersect and to compare. */
static void
transparency_prepare(SdcTransparency *transparency)
{
	int i;

	transparency->all_exact = true;
	for (i = 0; i < transparency->parts; i++)
		transparency->all_exact &= transparency->part[i].exact;
	transparency->search = create_search(transparency, false);
	if (!transparency->all_exact)
		transparency->exact = create_search(transparency, true);
	prepare_scores(transparency);
}

/* Looks for the least cost, and whether only one has it. */
static void
find_best(SdcTransparencyRecord *record, int columns)
{
	double least = INFINITY;
	double limit;
	int32 near = 0;
	int32 t;

	record->best = -1;
	for (t = 0; t < record->candidates; t++)
		if (record->cost[t] < least)
		{
			least = record->cost[t];
			record->best = t;
		}
	limit = least * (1 + TIE_SHARE) + columns * TIE;
	for (t = 0; t < record->candidates; t++)
		near += record->cost[t] <= limit;
	record->unique = near == 1;
}

/* Must the only candidate be the right one? */
static bool
is_certain(SdcTransparency *transparency, int32 i, int32 candidates)
{
	if (candidates != 1 || transparency->sampled)
		return false;
	if (transparency->exact == NULL)
		return true;
	sdc_candidate_search_run(transparency->exact, i, 1);
	return transparency->exact->count == 1;
}

/* Turns deviances into probabilities. */
static void
find_probabilities(const SdcTransparency *transparency, double *deviance,
				   int32 count)
{
	double least = INFINITY;
	double sum = 0;
	int32 t;

	for (t = 0; t < count && transparency->weighted; t++)
		least = Min(least, deviance[t]);
	for (t = 0; t < count; t++)
	{
		deviance[t] =
			transparency->weighted ? exp((least - deviance[t]) / 2) : 1;
		sum += deviance[t];
	}
	for (t = 0; t < count; t++)
		deviance[t] /= sum;
}

/*
 * Intersects the sets of a record.  The record starts as zeros; its arrays are
 * made once and last until the next call.
 */
static void
transparency_record(SdcTransparency *transparency, int32 i,
					SdcTransparencyRecord *record)
{
	SdcHost *host = &transparency->host->kernel;
	SdcCandidateSearch *search = transparency->search;
	int32 rows = transparency->masked.frame->rows;

	if (record->squared == NULL)
	{
		record->squared = sdc_new(host, double, rows);
		record->probability = sdc_new(host, double, rows);
		record->cost = sdc_new(host, double, rows);
	}
	sdc_candidate_search_run(search, i, rows);
	record->candidates = search->count;
	record->row = search->row;
	record->certain = is_certain(transparency, i, search->count);
	sdc_candidate_score_run(&transparency->score, i, record->row,
							record->candidates, record->squared,
							record->probability, record->cost);
	find_probabilities(transparency, record->probability, record->candidates);
	find_best(record, transparency->score.columns);
}

/* ----------------------------------------------------------------------
 * The rules of the keys as parts, and the sets of each part.
 * ----------------------------------------------------------------------
 */

/* The masked column of a key of the original. */
static SdcRelationColumn
masked_column(const SdcTransparency *transparency,
			  const SdcRelationColumn *column)
{
	return sdcpg_relation_column(
		transparency->masked.relation,
		sdcpg_params_renamed(transparency->params, "map", column->name));
}

/* Starts a part with room for so many columns. */
static SdcTransparencyPart *
add_part(SdcTransparency *transparency, const SdcRule *rule, int columns)
{
	SdcTransparencyPart *part;

	if (transparency->parts == SDC_CANDIDATE_PARTS)
		ereport(ERROR, (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
						errmsg("the keys have more than %d levels together",
							   SDC_CANDIDATE_PARTS)));
	part = &transparency->part[transparency->parts++];
	memset(part, 0, sizeof(*part));
	part->rule = rule;
	part->mask =
		rule == NULL ? sdcpg_mask_find("keep", strlen("keep")) : rule->method;
	part->original = palloc(sizeof(SdcRelationColumn) * columns);
	part->masked = palloc(sizeof(SdcRelationColumn) * columns);
	part->other = -1;
	part->names.original = part->names.masked = -1;
	return part;
}

static void
add_column(SdcTransparency *transparency, SdcTransparencyPart *part,
		   const SdcRelationColumn *column)
{
	/* may be there already, when columns are put in order */
	memmove(&part->original[part->columns], column, sizeof(*column));
	part->masked[part->columns] = masked_column(transparency, column);
	part->columns++;
	part->subject = part->columns == 1
						? column->name
						: psprintf("%s,%s", part->subject, column->name);
}

/* Adds a further part of a key. */
static SdcTransparencyPart *
add_level(SdcTransparency *transparency, const SdcRule *rule,
		  const SdcRelationColumn *key, int level)
{
	SdcTransparencyPart *part = add_part(transparency, rule, 1);

	add_column(transparency, part, key);
	part->level = level;
	return part;
}

/* Adds a part for each further level that a key can have been brought to. */
static void
add_levels(SdcTransparency *transparency, const SdcRelationColumn *key)
{
	SdcTransparencyPart *first = &transparency->part[transparency->parts - 1];
	int height = sdcpg_candidates_height(first);
	int level;

	for (level = 0; height > 0 && level <= height; level++)
		(level == 0 ? first : add_level(transparency, first->rule, key, level))
			->subject = psprintf("%s at level %d", key->name, level);
}

/* The part that a key belongs to, made when it is the first. */
static void
add_key(SdcTransparency *transparency, const SdcRelationColumn *key)
{
	const SdcRule *rule = sdcpg_rules_of(&transparency->rules, key->number);
	bool together = rule != NULL && rule->method->candidates.together;
	int i;

	for (i = 0; i < transparency->parts && together; i++)
		if (transparency->part[i].rule == rule)
		{
			add_column(transparency, &transparency->part[i], key);
			return;
		}
	add_column(
		transparency,
		add_part(transparency, rule, together ? rule->columns.count : 1), key);
	if (rule != NULL &&
		rule->method->candidates.find == sdcpg_candidates_level)
		add_levels(transparency, key);
	if (rule != NULL && rule->method->candidates.find == sdcpg_candidates_ring)
		add_level(transparency, rule, key, 1);
}

/*
 * Puts the columns of a part in the order of its rule, which the mask took
 * them in.
 */
static void
order_columns(SdcTransparency *transparency, SdcTransparencyPart *part)
{
	const SdcRelationColumns *columns;
	int next = 0;
	int i;
	int j;

	if (part->columns < 2)
		return;
	columns = &part->rule->columns;
	for (i = 0; i < columns->count; i++)
		for (j = next; j < part->columns; j++)
			if (part->original[j].number == columns->column[i].number)
			{
				SdcRelationColumn moved = part->original[j];

				part->original[j] = part->original[next];
				part->original[next++] = moved;
				break;
			}
	part->columns = 0;
	for (j = 0; j < next; j++)
		add_column(transparency, part, &part->original[j]);
}

/* A field of a column that is a number. */
static int
number_field(SdcTransparencyFile *file, const SdcRelationColumn *column)
{
	return sdcpg_transparency_field(file, psprintf("r.%s", column->sql),
									SDC_FRAME_NUMBER, NULL);
}

/* Asks for the standard scores of a key, if it is a number in both files. */
static void
add_number(SdcTransparency *transparency, const SdcRelationColumn *key)
{
	SdcRelationColumn masked = masked_column(transparency, key);
	SdcTransparencyPair *pair;

	if (!sdcpg_number_is(key->base) || !sdcpg_number_is(masked.base))
		return;
	transparency->number_key[transparency->numbers] = key->number;
	pair = &transparency->number[transparency->numbers++];
	pair->original = number_field(&transparency->original, key);
	pair->masked = number_field(&transparency->masked, &masked);
}

void
sdcpg_transparency_tell_rule(void *subject)
{
	errcontext("rule of \"%s\"", (const char *) subject);
}

/*
 * Says that a rule excludes nobody, once in a statement: a release and
 * frontier run several attacks that read the same rules.
 */
static void
tell_reason(const SdcTransparency *transparency,
			const SdcTransparencyPart *part)
{
	static TimestampTz statement = 0;
	static uint64 told[SDC_CANDIDATE_PARTS];
	static int count = 0;
	uint64 name = DatumGetUInt64(hash_any_extended(
		(const unsigned char *) part->subject, strlen(part->subject),
		transparency->original.relation->oid));
	int i;

	if (statement != GetCurrentStatementStartTimestamp())
		count = 0;
	statement = GetCurrentStatementStartTimestamp();
	for (i = 0; i < count; i++)
		if (told[i] == name)
			return;
	if (count < SDC_CANDIDATE_PARTS)
		told[count++] = name;
	ereport(NOTICE,
			(errmsg("the rule of \"%s\" excludes nobody", part->subject),
			 errdetail_internal("%s", part->mask->candidates.reason)));
}

/* Lets the method of a part ask for fields, or find its sets. */
static void
run_part(SdcTransparency *transparency, SdcTransparencyPart *part, bool find)
{
	const SdcMaskCandidates *method = &part->mask->candidates;
	ErrorContextCallback context;

	context.callback = sdcpg_transparency_tell_rule;
	context.previous = error_context_stack;
	context.arg = (void *) part->subject;
	error_context_stack = &context;
	if (method->describe == NULL)
		elog(ERROR, "no attack on this masking method");
	if (!find && method->reason != NULL)
		tell_reason(transparency, part);
	if (find)
		method->find(transparency, part);
	else
		method->describe(transparency, part);
	error_context_stack = context.previous;
}

/* Turns the rules of the keys into parts. */
static void
describe_parts(SdcTransparency *transparency)
{
	int i;

	transparency->part =
		palloc(sizeof(SdcTransparencyPart) * SDC_CANDIDATE_PARTS);
	transparency->number =
		palloc(sizeof(SdcTransparencyPair) * (transparency->keys.count + 1));
	transparency->number_key =
		palloc(sizeof(AttrNumber) * (transparency->keys.count + 1));
	for (i = 0; i < transparency->keys.count; i++)
	{
		add_key(transparency, &transparency->keys.column[i]);
		add_number(transparency, &transparency->keys.column[i]);
	}
	for (i = 0; i < transparency->parts; i++)
	{
		order_columns(transparency, &transparency->part[i]);
		run_part(transparency, &transparency->part[i], false);
	}
}

/* Is a column of the masked file its id, or what a key that tells became? */
static bool
is_key(const SdcTransparency *transparency, const SdcRelationColumn *column)
{
	int i;

	if (column->number == transparency->masked.id.number)
		return true;
	for (i = 0; i < transparency->keys.count; i++)
		if (masked_column(transparency, &transparency->keys.column[i])
					.number == column->number &&
			!sdcpg_transparency_is_drawn(transparency,
										 transparency->keys.column[i].number))
			return true;
	return false;
}

/* May the caller read all columns of the masked file? */
static bool
reads_all(const SdcTransparency *transparency)
{
	return pg_class_aclcheck(transparency->masked.relation->oid, GetUserId(),
							 ACL_SELECT) == ACLCHECK_OK;
}

/* May a column of the masked file be used, and is it no key? */
static bool
is_open(const SdcTransparency *transparency, const SdcRelationColumn *column,
		List *published)
{
	return !is_key(transparency, column) &&
		   (published == NIL ||
			sdcpg_params_is_listed(published, column->name));
}

/* Asks for the columns of a part's rule that are no keys, if all are there. */
static void
describe_beside(SdcTransparency *transparency, SdcTransparencyPart *part,
				List *published)
{
	SdcRelationColumns columns =
		sdcpg_relation_all_columns(transparency->masked.relation);
	const SdcRelationColumns *of = &part->rule->columns;
	int *field = palloc(sizeof(int) * of->count);
	int count = 0;
	int i;
	int j;

	for (i = 0; i < columns.count; i++)
		for (j = 0; j < of->count; j++)
			if (strcmp(columns.column[i].name, of->column[j].name) == 0 &&
				sdcpg_number_is(columns.column[i].base) &&
				is_open(transparency, &columns.column[i], published))
				field[count++] =
					number_field(&transparency->masked, &columns.column[i]);
	if (count == of->count - part->columns)
		part->beside = field;
}

/* The same of all parts that show means of groups. */
static void
describe_groups(SdcTransparency *transparency, List *published)
{
	int i;

	for (i = 0; i < transparency->parts && reads_all(transparency); i++)
	{
		SdcTransparencyPart *part = &transparency->part[i];

		if (part->mask->likelihood == SDC_LIKELIHOOD_CENTROID &&
			part->rule->columns.count > part->columns)
			describe_beside(transparency, part, published);
	}
}

/* Asks for what columns show that are no keys. */
static void
ask_released(SdcTransparency *of, List *shown)
{
	int n = list_length(shown);
	ListCell *cell;

	of->released_field = palloc(sizeof(int) * (n + 1));
	of->released_column = palloc(sizeof(char *) * (n + 1));
	of->released_name = palloc(sizeof(char *) * (n + 1));
	of->released_tried = palloc(sizeof(bool) * (n + 1));
	of->released_dictionary = palloc(sizeof(SdcDictionary *) * (n + 1));
	foreach (cell, shown)
	{
		const SdcShown *one = lfirst(cell);

		n = of->released++;
		of->released_column[n] = one->column;
		of->released_name[n] = one->name;
		of->released_tried[n] = one->tried;
		of->released_dictionary[n] =
			one->is_code ? add_dictionary(of, TEXTOID, C_COLLATION_OID) : NULL;
		of->released_field[n] = sdcpg_transparency_field(
			&of->masked, one->sql,
			one->is_code ? SDC_FRAME_CODE : SDC_FRAME_NUMBER,
			of->released_dictionary[n]);
	}
}

/* Asks for a number, or a category, that is known of the persons. */
static void
ask_number(SdcTransparency *transparency, char *sql)
{
	transparency->known_field[transparency->known++] =
		sdcpg_transparency_field(&transparency->original, sql,
								 SDC_FRAME_NUMBER, NULL);
}

static void
ask_told(SdcTransparency *of, char *sql)
{
	if (sql == NULL)
		return;
	of->told_dictionary[of->told] =
		add_dictionary(of, TEXTOID, C_COLLATION_OID);
	of->told_field[of->told] = sdcpg_transparency_field(
		&of->original, sql, SDC_FRAME_CODE, of->told_dictionary[of->told]);
	of->told++;
}

/* Asks for what the masked file shows of a key. */
static int
ask_shown(SdcTransparency *of, const SdcRelationColumn *key)
{
	SdcRelationColumn shown = masked_column(of, key);

	if (sdcpg_number_is(key->base) && sdcpg_number_is(shown.base))
		return number_field(&of->masked, &shown);
	return sdcpg_transparency_field(
		&of->masked, sdcpg_known_aspect(&shown, SDC_ASPECT_CATEGORY),
		SDC_FRAME_CODE, add_dictionary(of, TEXTOID, C_COLLATION_OID));
}

/* Asks for the keys as numbers or else as categories, for the first number in
 * their texts, and for their parts. */
static void
ask_known(SdcTransparency *transparency)
{
	const SdcRelationColumns *keys = &transparency->keys;
	int most = (2 + SDC_ASPECT_INITIAL - SDC_ASPECT_MONTH) * keys->count + 1;
	SdcAspect part;
	int i;

	transparency->known_field = palloc(sizeof(int) * (keys->count + 1));
	transparency->told_field = palloc(sizeof(int) * most);
	transparency->told_dictionary = palloc(sizeof(SdcDictionary *) * most);
	for (i = 0; i < keys->count; i++)
		if (sdcpg_number_is(keys->column[i].base))
			ask_number(transparency, psprintf("r.%s", keys->column[i].sql));
	for (i = 0; i < keys->count; i++)
		if (!sdcpg_number_is(keys->column[i].base))
		{
			ask_number(
				transparency,
				sdcpg_known_aspect(&keys->column[i], SDC_ASPECT_FIRST_NUMBER));
			ask_told(transparency, sdcpg_known_aspect(&keys->column[i],
													  SDC_ASPECT_CATEGORY));
		}
	for (i = 0; i < keys->count; i++)
		for (part = SDC_ASPECT_MONTH; part <= SDC_ASPECT_INITIAL; part++)
			ask_told(transparency, sdcpg_known_aspect(&keys->column[i], part));
}

/* What the masked file shows beside the keys, as far as it is published. */
static List *
list_shown(SdcTransparency *of, List *published)
{
	SdcRelationColumns columns =
		sdcpg_relation_all_columns(of->masked.relation);
	int count = 0;
	int i;

	for (i = 0; i < columns.count; i++)
		if (is_open(of, &columns.column[i], published))
			columns.column[count++] = columns.column[i];
	return sdcpg_known_shown(of->host, of->masked.relation, &of->masked.id,
							 columns.column, count, published);
}

/* Asks for the keys as numbers or categories, and for what may go with them in
 * the masked file, unless the caller may not read all of that. */
static void
describe_released(SdcTransparency *transparency, const SdcTransparencyAsk *ask)
{
	List *shown = ask->shown;
	int i;

	if (!reads_all(transparency))
		return;
	if (shown == NIL)
		shown = list_shown(transparency, ask->published);
	if (list_length(shown) > ask->released)
		shown = ask->choose(ask->arg, shown);
	ask_known(transparency);
	ask_released(transparency, shown);
	transparency->shown_field = palloc(sizeof(int) * SDC_CANDIDATE_PARTS);
	for (i = 0; i < transparency->keys.count && transparency->released > 0;
		 i++)
		transparency->shown_field[i] =
			ask_shown(transparency, &transparency->keys.column[i]);
}

/* Notes what the rules say of the rows. */
static void
describe_rows(SdcTransparency *transparency)
{
	int i;

	transparency->share = 1;
	for (i = 0; i < transparency->rules.count; i++)
		if (transparency->rules.rule[i].method->stage == SDC_MASK_OF_ROWS)
		{
			transparency->sampled = true;
			transparency->share =
				sdcpg_rule_number(&transparency->rules.rule[i], "p") / 100;
		}
}

/*
 * A column without a rule should be as it was.  Where it is not, nothing is
 * known of it.
 */
static void
check_unruled(SdcTransparency *transparency, SdcTransparencyPart *part)
{
	int32 i;

	if (part->rule != NULL)
		return;
	for (i = 0; i < transparency->original.frame->rows; i++)
		if (transparency->partner[i] >= 0 &&
			!sdc_candidate_set_has(&part->set, i, transparency->partner[i]))
			break;
	if (i == transparency->original.frame->rows)
		return;
	ereport(NOTICE,
			(errmsg("column \"%s\" has no rule, but is not as it was",
					part->subject),
			 errdetail("It excludes nobody, as if it were not known how it "
					   "was masked.")));
	part->exact = false;
	sdcpg_candidates_whole(transparency, part);
}

void
sdcpg_transparency_read(SdcTransparency *transparency, SdcPgHost *host,
						Oid original, Oid masked, const char *id,
						ArrayType *keys, Jsonb *rules, Jsonb *params,
						const SdcTransparencyAsk *ask)
{
	List *names = NIL;
	int i;

	memset(transparency, 0, sizeof(*transparency));
	transparency->host = host;
	transparency->params = params;
	transparency_file(&transparency->original, original, id);
	transparency_file(&transparency->masked, masked,
					  sdcpg_params_renamed(params, "map", id));
	transparency->keys =
		sdcpg_relation_columns(transparency->original.relation, "keys", keys);
	if (transparency->keys.count > SDC_CANDIDATE_PARTS)
		ereport(ERROR, (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
						errmsg("argument \"keys\" names more than %d columns",
							   SDC_CANDIDATE_PARTS)));
	for (i = 0; i < transparency->keys.count; i++)
		names = lappend(names, transparency->keys.column[i].name);
	names = lappend(names, transparency->original.id.name);
	transparency->rules =
		sdcpg_rules_read(rules, transparency->original.relation);
	describe_rows(transparency);
	describe_parts(transparency);
	if (ask != NULL)
		describe_groups(transparency, ask->published);
	if (ask != NULL && ask->released > 0)
		describe_released(transparency, ask);
	if (ask != NULL && ask->sample > 0)
		transparency->original.drawn = transparency->masked.drawn =
			psprintf("SELECT %s FROM %s AS r %s", transparency->masked.sql[0],
					 transparency->masked.relation->sql,
					 sdcpg_known_drawn(&transparency->masked.id, ask->sample));
	sdcpg_params_check_renaming(params, "map", names);
	transparency_read(transparency);
}

void
sdcpg_transparency_find(SdcTransparency *transparency,
						SdcTransparencyPart *part)
{
	SdcHost *host = &transparency->host->kernel;

	host->stage(host, "finding candidates");
	run_part(transparency, part, true);
	check_unruled(transparency, part);
}

/*
 * Reads both relations and finds what each part leaves possible.  rules are
 * about columns of the original; params may have map, p_bound and delta.
 */
static void
transparency_load(SdcTransparency *transparency, SdcPgHost *host, Oid original,
				  Oid masked, const char *id, ArrayType *keys, Jsonb *rules,
				  Jsonb *params)
{
	int i;

	sdcpg_transparency_read(transparency, host, original, masked, id, keys,
							rules, params, NULL);
	for (i = 0; i < transparency->parts; i++)
		sdcpg_transparency_find(transparency, &transparency->part[i]);
}

/* ----------------------------------------------------------------------
 * The rows of an attack that knows the rules.
 *
 * The candidates to be named are kept in a heap with the worst on top.
 * ----------------------------------------------------------------------
 */

/* Records between two polls while rows are returned. */
#define POLL_RECORDS 256

/* The rows that are being returned. */
typedef struct Emission
{
	SdcTransparency *transparency;
	SdcLinks links;
	SdcTransparencyRecord record;
	int32 max_candidates;
	int32 named;
	int32 *place; /* of the candidates that are named */
	int32 empty;  /* records without candidate */
} Emission;

/* Is candidate a worse than b?  Equally good ones are in the order of ids. */
static bool
is_worse(const SdcTransparencyRecord *record, int32 a, int32 b)
{
	if (record->cost[a] != record->cost[b])
		return record->cost[a] > record->cost[b];
	return record->row[a] > record->row[b];
}

/* The candidates that are named: the worst of them on top. */
SDC_HEAP(named, int32, const SdcTransparencyRecord *, is_worse)

/* Chooses who is named; the right one, if it is a candidate, always is. */
static void
choose(Emission *emission, int32 partner)
{
	const SdcTransparencyRecord *record = &emission->record;
	int32 own = -1;
	int32 t;

	emission->named = 0;
	for (t = 0; t < record->candidates; t++)
	{
		if (record->row[t] == partner)
			own = t;
		named_offer(&emission->record, emission->place, &emission->named,
					emission->max_candidates, t);
	}
	named_unroll(&emission->record, emission->place, emission->named);
	if (own < 0)
		return;
	for (t = 0; t < emission->named; t++)
		if (emission->place[t] == own)
			return;
	emission->place[emission->named - 1] = own;
}

static void
put_record(Emission *emission, int32 i)
{
	SdcTransparency *transparency = emission->transparency;
	const SdcTransparencyRecord *record = &emission->record;
	int32 partner = transparency->partner[i];
	int columns = transparency->score.columns;
	double rest = 1;
	SdcLink link = {0};
	int32 k;

	link.id = sdcpg_frame_text(&transparency->original.frame->column[0], i);
	link.candidates = record->candidates;
	choose(emission, partner);
	for (k = 0; k < emission->named; k++)
	{
		int32 t = emission->place[k];

		link.linked_id = sdcpg_frame_text(
			&transparency->masked.frame->column[0], record->row[t]);
		link.probability = record->probability[t] * transparency->share;
		link.distance =
			columns == 0 ? NAN : sqrt(record->squared[t] / columns);
		link.certain = record->certain;
		link.correct = record->row[t] == partner && links_to(record, partner);
		rest -= link.probability;
		sdcpg_links_put(&emission->links, &link);
	}
	if (emission->named == record->candidates && record->candidates > 0 &&
		!transparency->sampled)
		return;
	link.linked_id = NULL;
	link.probability = Max(rest, 0);
	link.distance = NAN;
	link.certain = link.correct = false;
	sdcpg_links_put(&emission->links, &link);
}

/* Tells of records that cannot have become anything. */
static void
tell_empty(const Emission *emission)
{
	if (emission->empty > 0)
		ereport(NOTICE,
				(errmsg("%d of %d records have no candidate", emission->empty,
						emission->transparency->original.frame->rows),
				 errdetail("They are not in the masked relation, or it was "
						   "not masked by these rules: a bound on p may be "
						   "too low.")));
}

/*
 * Returns rows of sdc.link: for each original record the candidates that are
 * in all of its sets, the best first, at most max_candidates of them and the
 * right one among these if it is a candidate; the rest of the probability is
 * in one row without a name.  A notice tells how many records have no
 * candidate.
 */
static void
transparency_put_links(SdcTransparency *transparency, ReturnSetInfo *result,
					   int32 max_candidates)
{
	SdcHost *host = &transparency->host->kernel;
	int32 rows = transparency->original.frame->rows;
	Emission emission;
	int32 i;

	memset(&emission, 0, sizeof(emission));
	emission.transparency = transparency;
	emission.max_candidates =
		Min(max_candidates, Max(transparency->masked.frame->rows, 1));
	emission.place = sdc_new(host, int32, emission.max_candidates);
	sdcpg_links_begin(&emission.links, transparency->host, result, rows);
	for (i = 0; i < rows; i++)
	{
		sdcpg_links_step(&emission.links);
		transparency_record(transparency, i, &emission.record);
		emission.empty += emission.record.candidates == 0;
		put_record(&emission, i);
	}
	sdcpg_links_end(&emission.links);
	tell_empty(&emission);
}

/* One row of sdc.candidate_set; own is -1 when that cannot be said. */
static void
put_set(ReturnSetInfo *result, const char *id, const char *subject,
		const char *method, int64 candidates, int own, bool exact)
{
	Datum values[6];
	bool isnull[6] = {false, false, method == NULL, false, own < 0, false};

	values[0] = CStringGetTextDatum(id);
	values[1] = CStringGetTextDatum(subject);
	values[2] = method == NULL ? (Datum) 0 : CStringGetTextDatum(method);
	values[3] = Int64GetDatum(candidates);
	values[4] = BoolGetDatum(own > 0);
	values[5] = BoolGetDatum(exact);
	sdcpg_result_put(result, values, isnull);
}

/* The rows of one record. */
static void
put_sets(SdcTransparency *transparency, ReturnSetInfo *result, int32 i)
{
	const char *id =
		sdcpg_frame_text(&transparency->original.frame->column[0], i);
	SdcCandidateSearch *search = transparency->search;
	int32 partner = transparency->partner[i];
	int own = partner < 0 ? -1 : 0;
	int32 t;
	int j;

	for (j = 0; j < transparency->parts; j++)
	{
		const SdcTransparencyPart *part = &transparency->part[j];

		put_set(result, id, part->subject,
				part->rule == NULL ? NULL : part->rule->method->name,
				sdc_candidate_set_size(&part->set, i),
				partner < 0 ? -1
							: sdc_candidate_set_has(&part->set, i, partner),
				part->exact);
	}
	sdc_candidate_search_run(search, i, transparency->masked.frame->rows);
	for (t = 0; t < search->count; t++)
		if (search->row[t] == partner)
			own = 1;
	put_set(result, id, "*", NULL, search->count, own,
			transparency->all_exact && !transparency->sampled);
}

/*
 * Returns rows of sdc.candidate_set: for each original record one for each
 * part, and one, "*", for their intersection.
 */
static void
transparency_put_sets(SdcTransparency *transparency, ReturnSetInfo *result)
{
	SdcHost *host = &transparency->host->kernel;
	int32 rows = transparency->original.frame->rows;
	MemoryContext scratch = AllocSetContextCreate(
		transparency->host->work, "sdc sets", ALLOCSET_DEFAULT_SIZES);
	MemoryContext caller = MemoryContextSwitchTo(scratch);
	int32 i;

	host->stage(host, "returning sets");
	for (i = 0; i < rows; i++)
	{
		if (i % POLL_RECORDS == 0)
		{
			MemoryContextReset(scratch);
			host->poll(host, i, rows);
		}
		put_sets(transparency, result, i);
	}
	MemoryContextSwitchTo(caller);
}

/* ----------------------------------------------------------------------
 * sdc.candidate_sets and attack_transparency: the intruder who knows
 * how the file was masked.
 * ----------------------------------------------------------------------
 */

PG_FUNCTION_INFO_V1(sdcf_candidate_sets);
PG_FUNCTION_INFO_V1(sdcf_attack_transparency);

static const SdcKey keys_of_sets[] = {SDC_TAKES_BOUNDS, SDC_TAKES_MAP, {NULL}};
const SdcKey sdcpg_transparency_params[] = {SDC_TAKES_BOUNDS,
											SDC_TAKES_MAP,
											SDC_TAKES_CANDIDATES("10"),
											SDC_TAKES_SCALE,
											{NULL}};

/* Stops unless the arguments that must be given are, then loads. */
static void
load(SdcTransparency *transparency, SdcPgHost *host, FunctionCallInfo fcinfo,
	 Jsonb *params)
{

	sdcpg_args_need_first(fcinfo, 3);
	transparency_load(transparency, host, PG_GETARG_OID(0), PG_GETARG_OID(1),
					  sdcpg_roles_id_argument(fcinfo, 3, PG_GETARG_OID(0)),
					  sdcpg_roles_names_argument(
						  fcinfo, 4, "keys", PG_GETARG_OID(0), SDC_ROLE_KEY),
					  PG_GETARG_JSONB_P(2), params);
	transparency_prepare(transparency);
}

/*
 * candidate_sets(original regclass, masked regclass, rules jsonb, id name,
 *                keys columns, params jsonb)
 */
Datum
sdcf_candidate_sets(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *result = sdcpg_result_begin(fcinfo);
	Jsonb *params = PG_ARGISNULL(5) ? NULL : PG_GETARG_JSONB_P(5);
	SdcTransparency transparency;
	SdcPgHost *host;

	sdcpg_params_check_keys(params, keys_of_sets);
	host = sdcpg_host_begin("candidate_sets", CurrentMemoryContext);
	load(&transparency, host, fcinfo, params);
	transparency_put_sets(&transparency, result);
	sdcpg_host_end(host);
	return (Datum) 0;
}

/*
 * attack_transparency(original regclass, masked regclass, rules jsonb,
 *                     id name, keys columns, params jsonb, seed bigint)
 */
Datum
sdcf_attack_transparency(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *result = sdcpg_result_begin(fcinfo);
	Jsonb *params = PG_ARGISNULL(5) ? NULL : PG_GETARG_JSONB_P(5);
	SdcTransparency transparency;
	SdcPgHost *host;
	int32 max_candidates;

	sdcpg_params_check_keys(params, sdcpg_transparency_params);
	max_candidates = sdcpg_keys_integer(sdcpg_transparency_params, params,
										"max_candidates");
	host = sdcpg_host_begin("attack_transparency", CurrentMemoryContext);
	load(&transparency, host, fcinfo, params);
	transparency_put_links(&transparency, result, max_candidates);
	sdcpg_host_end(host);
	return (Datum) 0;
}

/*
 * The success of the attack on the records that are marked (NULL: on all), as
 * sdc.reid counts it from the links.  O(sum of the smallest sets).
 */
static SdcLinkSuccess
transparency_success(SdcTransparency *transparency, const bool *marked)
{
	SdcHost *host = &transparency->host->kernel;
	int32 rows = transparency->original.frame->rows;
	SdcLinkSuccess found = {0};
	SdcTransparencyRecord record;
	int32 i;
	int32 t;

	memset(&record, 0, sizeof(record));
	host->stage(host, "intersecting");
	for (i = 0; i < rows; i++)
	{
		int32 partner = transparency->partner[i];
		bool linked;

		if (i % 256 == 0)
			host->poll(host, i, rows);
		if (partner < 0 || (marked != NULL && !marked[i]))
			continue;
		transparency_record(transparency, i, &record);
		linked = links_to(&record, partner);
		found.records++;
		found.unique_right += linked;
		found.claimed += record.certain;
		found.claimed_right += record.certain && linked;
		for (t = 0; t < record.candidates; t++)
			if (record.row[t] == partner)
				sdcpg_success_add(&found,
								  record.probability[t] * transparency->share);
	}
	return found;
}

void
sdcpg_attack_transparency(const SdcAttack *attack, const SdcAttackCase *of,
						  SdcPgHost *host, SdcAttackOutcome *outcome)
{
	SdcTransparency known;
	SdcLinkSuccess found;
	int32 rows;
	int32 people = 0;
	int32 i;

	transparency_load(&known, host, of->original->oid, of->masked->oid, of->id,
					  of->keys, of->rules, of->params);
	transparency_prepare(&known);
	rows = known.original.frame->rows;
	for (i = 0; i < rows; i++)
		people += known.partner[i] >= 0;
	found = transparency_success(
		&known, sdcpg_attack_sample(of, host, rows,
									(double) rows * known.masked.frame->rows,
									attack->budget));
	sdcpg_attack_links(outcome, &found, people);
}
