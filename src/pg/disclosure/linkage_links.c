/*
 * linkage_links.c
 *		The links that a search by distance has found, as rows.
 *
 * The nearest points stand for all rows that lie at them.
 */
#include "postgres.h"

#include "pg/disclosure/linkage_links.h"

/* Adds the records at the nearest points; returns how far they are. */
static double
add_nearest(SdcLinks *links, SdcLinkage *linkage, int32 point)
{
	const SdcLinkFile *to = &linkage->to.file;
	int32 count;
	const int32 *nearest = sdcpg_linkage_nearest(linkage, point, &count);
	int32 i;

	for (i = 0; i < count; i++)
	{
		int32 first = to->first[nearest[i]];

		sdcpg_links_add(links, &to->member[first],
						to->first[nearest[i] + 1] - first);
	}
	return sdcpg_linkage_distance(linkage, linkage->hit[point].smallest);
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
