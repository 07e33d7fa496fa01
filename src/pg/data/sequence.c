/*
 * sequence.c
 *		Records in the order of their id, with their sensitive values as one.
 *
 * PostgreSQL sorts; the columns come as codes.  Several sensitive columns are
 * counted as a frequency table, whose cells then stand for the combinations.
 */
#include "postgres.h"

#include "kernel/base/random.h"
#include "pg/data/frequency.h"
#include "pg/data/ids.h"
#include "pg/call/query.h"
#include "pg/data/sequence.h"

/* The id, the sensitive columns and the group. */
#define MAX_COLUMNS (SDC_FREQUENCY_MAX_COLUMNS + 2)

/* Stops when a record belongs to no group. */
static void
check_groups(const SdcSequence *sequence, const SdcRelation *relation,
			 const SdcRelationColumn *group)
{
	int32 i;

	for (i = 0; i < sequence->rows; i++)
		if (sequence->group[i] == SDC_CODE_NULL)
			ereport(ERROR,
					(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
					 errmsg("column \"%s\" of relation \"%s\" holds a null",
							group->name, relation->name),
					 errdetail("Every record must belong to a group.")));
}

/* Counts the combinations of the sensitive columns, which follow the id. */
static void
count_values(SdcPgHost *host, SdcSequence *sequence, const SdcFrame *frame,
			 int columns)
{
	SdcHost *kernel = &host->kernel;
	SdcFrequencyCount *counting = sdc_frequency_start(kernel, columns, false);
	const int32 *rank[SDC_FREQUENCY_MAX_COLUMNS];
	int32 values[SDC_FREQUENCY_MAX_COLUMNS];
	int32 codes[SDC_FREQUENCY_MAX_COLUMNS];
	int32 *place;
	int32 i;
	int j;

	kernel->stage(kernel, "counting");
	sequence->value = sdc_new(kernel, int32, sequence->rows);
	for (i = 0; i < sequence->rows; i++)
	{
		if (i % SDC_POLL_STEPS == 0)
			kernel->poll(kernel, i, sequence->rows);
		for (j = 0; j < columns; j++)
			codes[j] = frame->column[1 + j].code[i];
		sequence->value[i] = sdc_frequency_add(counting, codes, 1, 0);
	}
	for (j = 0; j < columns; j++)
	{
		rank[j] = sdcpg_dictionary_sort(sequence->dictionary[j]);
		values[j] = sdcpg_dictionary_values(sequence->dictionary[j]);
	}
	sequence->values =
		sdc_frequency_finish(counting, rank, values, (int32_t **) &place);
	for (i = 0; i < sequence->rows; i++)
		sequence->value[i] = place[sequence->value[i]];
	kernel->release(kernel, place);
}

/* The columns to read after the id: sensitive, then the group. */
static SdcRelationColumns
list_columns(const SdcRelationColumns *sensitive,
			 const SdcRelationColumn *group)
{
	SdcRelationColumns columns = {
		0, palloc(sizeof(SdcRelationColumn) * (sensitive->count + 1))};

	if (sensitive->count > SDC_FREQUENCY_MAX_COLUMNS)
		ereport(ERROR, (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
						errmsg("more than %d sensitive columns",
							   SDC_FREQUENCY_MAX_COLUMNS)));
	for (; columns.count < sensitive->count; columns.count++)
		columns.column[columns.count] = sensitive->column[columns.count];
	if (group != NULL)
		columns.column[columns.count++] = *group;
	return columns;
}

SdcSequence *
sdcpg_sequence_load(SdcPgHost *host, const SdcRelation *relation,
					const SdcRelationColumn *id,
					const SdcRelationColumns *sensitive,
					const SdcRelationColumn *group)
{
	SdcSequence *sequence = sdc_new(&host->kernel, SdcSequence, 1);
	SdcRelationColumns columns = list_columns(sensitive, group);
	SdcFrameType types[MAX_COLUMNS] = {SDC_FRAME_TEXT};
	SdcDictionary **dictionary =
		sdc_new(&host->kernel, SdcDictionary *, MAX_COLUMNS);
	SdcFrame *frame;
	SdcIds ids;
	int j;

	memset(dictionary, 0, sizeof(SdcDictionary *) * MAX_COLUMNS);
	for (j = 1; j <= columns.count; j++)
		types[j] = SDC_FRAME_CODE;
	frame = sdcpg_frame_load_codes(host,
								   sdcpg_query_records(relation, id, &columns),
								   1 + columns.count, types, dictionary);
	ids = sdcpg_ids_create(frame, 0, relation->name, id->name);
	sdcpg_ids_release(host, &ids);
	sequence->rows = frame->rows;
	sequence->id = &frame->column[0];
	sequence->dictionary = dictionary + 1;
	sequence->group = NULL;
	if (group != NULL)
	{
		sequence->group = frame->column[columns.count].code;
		check_groups(sequence, relation, group);
	}
	count_values(host, sequence, frame, sensitive->count);
	return sequence;
}

uint64
sdcpg_sequence_digest(const SdcSequence *sequence)
{
	uint64 digest = sequence->rows;
	int32 i;

	for (i = 0; i < sequence->rows; i++)
		digest = sdc_random_mix(digest ^ (uint64) sequence->value[i]);
	return digest;
}
