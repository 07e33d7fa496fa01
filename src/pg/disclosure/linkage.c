/*
 * linkage.c
 *		Two relations linked by distance: read, scaled, searched.
 *
 * Rows come from SQL in the order of their ids, so nothing that follows
 * depends on where they are stored.  The search itself is a task that
 * parallel workers share.
 */
#include "postgres.h"

#include "kernel/base/matrix.h"
#include "pg/server/compat.h"
#include "pg/disclosure/linkage.h"
#include "pg/call/query.h"
#include "pg/call/relation.h"

/*
 * Seconds that one search takes per column and point it meets, and points met
 * besides those of a well-shaped file, by experience.
 */
#define STEP_SECONDS 2e-9
#define STEP_POINTS  200

/* Reads one file and makes the directory of its ids. */
static void
read_file(SdcPgHost *host, SdcLinkageFile *linkage, Oid oid, const char *id,
		  ArrayType *keys)
{
	SdcRelation *relation = sdcpg_relation_find(oid);
	SdcRelationColumn id_column = sdcpg_relation_column(relation, id);
	SdcRelationColumns columns =
		sdcpg_relation_columns(relation, "keys", keys);
	SdcFrameType types[SDC_MAX_COLUMNS + 1];
	SdcLinkFile *file = &linkage->file;
	int j;

	if (columns.count > SDC_MAX_COLUMNS)
		ereport(ERROR, (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
						errmsg("argument \"keys\" names more than %d columns",
							   SDC_MAX_COLUMNS)));
	sdcpg_relation_need_numbers(relation, &columns);
	if (relation->row_security)
		ereport(NOTICE,
				(errmsg("row-level security may hide records of relation "
						"\"%s\" from you",
						relation->name)));
	types[0] = SDC_FRAME_TEXT;
	for (j = 1; j <= columns.count; j++)
		types[j] = SDC_FRAME_NUMBER;
	linkage->frame = sdcpg_frame_load(
		host, sdcpg_query_records(relation, &id_column, &columns),
		columns.count + 1, types);
	linkage->ids =
		sdcpg_ids_create(linkage->frame, 0, relation->name, id_column.name);
	file->rows = linkage->frame->rows;
	file->columns = columns.count;
	file->value = sdc_new(&host->kernel, double *, columns.count);
	file->missing = sdc_new(&host->kernel, bool *, columns.count);
	for (j = 0; j < columns.count; j++)
	{
		file->value[j] = linkage->frame->column[j + 1].number;
		file->missing[j] = linkage->frame->column[j + 1].isnull;
	}
}

/* Finds the row with the same id for every row of from. */
static void
find_partners(SdcLinkage *linkage)
{
	SdcHost *host = &linkage->host->kernel;
	const SdcFrame *from = linkage->from.frame;
	int32 found = 0;
	int32 row;

	linkage->partner = sdc_new(host, int32, from->rows);
	for (row = 0; row < from->rows; row++)
	{
		if (row % SDC_POLL_STEPS == 0)
			host->poll(host, 0, 0);
		linkage->partner[row] = sdcpg_ids_find(
			&linkage->to.ids, sdcpg_frame_text(&from->column[0], row));
		found += linkage->partner[row] >= 0;
	}
	if (found == 0 && from->rows > 0 && linkage->to.frame->rows > 0)
		ereport(WARNING,
				(errmsg("the two relations have no id in common"),
				 errdetail("No link can be right, so the attack finds no "
						   "risk whatever the data are."),
				 errhint("The id must be the same, written as text, in "
						 "both relations.")));
}

/* Searches the points of to for every point of from. */
static void
search(SdcLinkage *linkage)
{
	const SdcLinkFile *from = &linkage->from.file;
	const SdcLinkFile *to = &linkage->to.file;
	double seconds = STEP_SECONDS * from->points * from->columns *
					 Min(STEP_POINTS, to->points);
	void *task;

	task = sdcpg_parallel_begin(
		&linkage->parallel, linkage->host, "sdcpg_linkage_worker",
		sdc_link_task_size(to->points, from->points, from->columns),
		sdcpg_parallel_workers(seconds));
	sdc_link_task_fill(&linkage->host->kernel, task, to->coordinate,
					   to->points, from->coordinate, from->points,
					   from->columns);
	sdcpg_parallel_run(&linkage->parallel, sdc_link_task_work,
					   sdc_link_task_blocks(task));
	linkage->hit = sdc_link_task_hits(task);
	sdc_link_task_index(task, &linkage->index);
}

void
sdcpg_linkage_run(SdcLinkage *linkage, SdcPgHost *host, Oid from, Oid to,
				  const char *id, ArrayType *keys)
{
	memset(linkage, 0, sizeof(*linkage));
	linkage->host = host;
	read_file(host, &linkage->from, from, id, keys);
	read_file(host, &linkage->to, to, id, keys);
	find_partners(linkage);
	sdc_link_file_standardize(&host->kernel, &linkage->from.file,
							  &linkage->to.file);
	sdc_link_file_collapse(&host->kernel, &linkage->from.file);
	sdc_link_file_collapse(&host->kernel, &linkage->to.file);
	if (linkage->from.file.points > 0 && linkage->to.file.points > 0)
		search(linkage);
}

void
sdcpg_linkage_end(SdcLinkage *linkage)
{
	if (linkage->hit != NULL)
		sdcpg_parallel_end(&linkage->parallel);
	linkage->hit = NULL;
}

void
sdcpg_linkage_worker(dsm_segment *segment, shm_toc *toc)
{
	sdcpg_parallel_worker(segment, toc, sdc_link_task_work);
}
