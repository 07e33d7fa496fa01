/*
 * request.h
 *		Requests to a data set, sdc.dp_query and sdc.dp_histogram.
 *
 * Validated, charged, answered.
 */
#ifndef SDC_TOPIC_REQUEST_H
#define SDC_TOPIC_REQUEST_H

#include "postgres.h"

#include "fmgr.h"
#include "nodes/pg_list.h"
#include "utils/array.h"
#include "utils/timestamp.h"

#include "topic/privacy/figure.h"
#include "topic/privacy/ledger.h"
#include "topic/privacy/predicate.h"

/* ----------------------------------------------------------------------
 * A request to a data set: validated, charged, answered.
 *
 * The order is fixed: all that can be wrong with a request is found before
 * anything is charged, the charge is on disk before the data are read, and
 * noise is added before anything is returned.
 * ----------------------------------------------------------------------
 */

/* A request that was validated. */
typedef struct SdcRequest
{
	SdcDataset *dataset;
	SdcBudget grant;
	SdcRelation *relation;
	Oid owner;
	int figures;
	SdcFigure **figure;
	int groups;
	SdcDatasetColumn **group;
	Size cell_bytes;         /* the memory of a cell, without its texts */
	bool thresholded;        /* some categories are private */
	int64 cells;             /* when all are public; 1 without groups */
	SdcPredicate *predicate; /* or NULL */
	SdcScan *scan;
	int32 max_groups; /* that a unit counts in */
	int32 max_rows;   /* of a unit that count in a group */
	SdcAmount cost;
	int64 threshold;      /* of the noisy count of a group that is named */
	SdcFigure *existence; /* the count that a threshold is for */
	char *text;           /* for the log */
	TimestampTz start;    /* of reading */
} SdcRequest;

/* One cell of the answer; part[g] is its category in group column g. */
typedef struct SdcRequestCell
{
	const char **part; /* NULL for the category NULL */
	SdcFigureState *state;
	SdcFigureState existence;
} SdcRequestCell;

/* What is asked; arrays and texts may be NULL where the SQL says so. */
typedef struct SdcRequestArguments
{
	const char *dataset;
	int figures;
	char **figure;
	Numeric epsilon;
	int groups;
	char **group;
	const char *predicate;
	Numeric delta;
	const char *function;
} SdcRequestArguments;

/* Stops where what is read would show in places that others can see. */
extern void sdcpg_request_check_watched(void);

/*
 * Stops below the least that a request costs: one that costs nearly nothing
 * could be asked without end.
 */
extern void sdcpg_request_check_least(const SdcDataset *dataset,
									  Numeric epsilon);

/*
 * Waits until the time since the data were read is a multiple of the data
 * set's least duration, if it has one; to be called before anything is
 * returned.
 */
extern void sdcpg_request_pad(const SdcRequest *request);

/* The texts of an argument text[] or name[]: no nulls in it, at least one. */
extern char **sdcpg_request_texts(const char *argument, ArrayType *array,
								  int *count);

#endif
