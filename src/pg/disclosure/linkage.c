/*
 * linkage.c
 *		Two relations linked by distance: read, scaled, searched.
 *
 * The search itself is a task that parallel workers share.
 */
#include "postgres.h"

#include "pg/disclosure/linkage.h"
#include "pg/disclosure/linkage_measure.h"
#include "pg/disclosure/linkage_read.h"
#include "pg/server/compat.h"

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
					   sdc_link_task_blocks(task));
	linkage->hit = sdc_link_task_hits(task);
	sdc_link_task_index(task, &linkage->index, &linkage->measure);
	linkage->search = sdc_link_search_create(
		&linkage->host->kernel, &linkage->index, &linkage->measure);
}

void
sdcpg_linkage_prepare(SdcLinkage *linkage, SdcPgHost *host,
					  const SdcLinkageCall *call)
{
	memset(linkage, 0, sizeof(*linkage));
	linkage->host = host;
	linkage->method = call->method;
	sdcpg_linkage_read(linkage, call);
	sdcpg_linkage_measure_choose(linkage, call);
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

const int32 *
sdcpg_linkage_nearest(SdcLinkage *linkage, int32 point, int32 *count)
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
