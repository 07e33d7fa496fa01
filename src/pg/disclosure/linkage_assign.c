/*
 * linkage_assign.c
 *		One-to-one linkage of two files.
 *
 * All distances between records that have a point are put into a matrix.
 * Pairs without a distance cost more than all others together, so that as few
 * of them as possible are taken, and these are then left out.
 */
#include "postgres.h"

#include <math.h>

#include "kernel/attack/link_assignment.h"
#include "pg/disclosure/linkage_assign.h"
#include "pg/server/compat.h"

/* The records of a file that have a point, in the order of their ids. */
typedef struct Records
{
	int32 count;
	int32 *row;
} Records;

static Records
list_records(SdcHost *host, const SdcLinkFile *file)
{
	Records records;
	int32 i;

	records.count = 0;
	records.row = sdc_new(host, int32, file->rows);
	for (i = 0; i < file->rows; i++)
		if (file->point[i] >= 0)
			records.row[records.count++] = i;
	if (records.count > SDC_LINKAGE_ASSIGN_RECORDS)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("too many records for a one-to-one assignment"),
				 errdetail("At most %d records of each relation can be "
						   "assigned.",
						   SDC_LINKAGE_ASSIGN_RECORDS),
				 errhint("Use assignment none, or views of parts of both "
						 "relations.")));
	return records;
}

static const double *
coordinates(const SdcLinkFile *file, int32 row)
{
	return file->coordinate + (Size) file->point[row] * file->columns;
}

/* The distance of two records; infinite when they have none. */
static double
pair_distance(const SdcLinkage *linkage, int32 from, int32 to)
{
	return sdcpg_linkage_distance(
		linkage,
		sdc_link_measure_value(&linkage->measure, linkage->to.file.columns,
							   coordinates(&linkage->to.file, to), 1,
							   coordinates(&linkage->from.file, from)));
}

static double *
find_distances(const SdcLinkage *linkage, const Records *from,
			   const Records *to)
{
	SdcHost *host = &linkage->host->kernel;
	double *distance =
		sdc_new(host, double, (Size) from->count *(Size) to->count);
	int32 i;
	int32 j;

	for (i = 0; i < from->count; i++)
	{
		host->poll(host, i, from->count);
		for (j = 0; j < to->count; j++)
			distance[(Size) i * to->count + j] =
				pair_distance(linkage, from->row[i], to->row[j]);
	}
	return distance;
}

/* Costs more than all others together, for what has no distance. */
static void
price_infinite(double *distance, Size count, int32 rows)
{
	double greatest = 0;
	Size i;

	for (i = 0; i < count; i++)
		if (!isinf(distance[i]))
			greatest = Max(greatest, fabs(distance[i]));
	for (i = 0; i < count; i++)
		if (isinf(distance[i]))
			distance[i] = 2 * (greatest + 1) * ((double) rows + 1);
}

SdcLinkageAssignment
sdcpg_linkage_assign(const SdcLinkage *linkage)
{
	SdcHost *host = &linkage->host->kernel;
	Records from = list_records(host, &linkage->from.file);
	Records to = list_records(host, &linkage->to.file);
	int32 *assigned = sdc_new(host, int32, from.count);
	SdcLinkageAssignment assignment;
	double *cost;
	int32 i;

	host->stage(host, "computing distances");
	cost = find_distances(linkage, &from, &to);
	price_infinite(cost, (Size) from.count * to.count, from.count);
	host->stage(host, "assigning records");
	sdc_link_assignment_solve(host, cost, from.count, to.count, assigned);
	host->release(host, cost);
	assignment.row = sdc_new(host, int32, linkage->from.file.rows);
	assignment.distance = sdc_new(host, double, linkage->from.file.rows);
	for (i = 0; i < linkage->from.file.rows; i++)
		assignment.row[i] = -1;
	for (i = 0; i < from.count; i++)
	{
		int32 row = from.row[i];
		double distance;

		if (assigned[i] < 0)
			continue;
		distance = pair_distance(linkage, row, to.row[assigned[i]]);
		assignment.distance[row] = distance;
		assignment.row[row] = isinf(distance) ? -1 : to.row[assigned[i]];
	}
	return assignment;
}
