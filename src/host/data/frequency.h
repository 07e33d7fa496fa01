/*
 * frequency.h
 *		Frequency tables of relations: PostgreSQL reads or counts; sdc decides.
 *
 * Two ways lead to the same table.  Rows are read one by one and counted here;
 * or PostgreSQL counts with GROUP BY, with its parallel plans, partitions and
 * foreign servers, and only the groups are read.  The setting sdc.count_with
 * (auto, rows, groups) chooses.
 */
#ifndef SDC_HOST_FREQUENCY_H
#define SDC_HOST_FREQUENCY_H

#include "postgres.h"

#include "access/tupdesc.h"

#include "host/call/relation.h"
#include "host/data/dictionary.h"
#include "host/server/host.h"
#include "kernel/table/frequency.h"

/* Columns of a frequency table at the most: as many as a relation can have. */
#define SDC_FREQUENCY_MAX_COLUMNS 1600

/* What to count: the columns, quasi-identifiers first, sensitive ones last. */
typedef struct SdcFrequencyRequest
{
	const SdcRelation *relation;
	int columns;
	SdcRelationColumn *column;
	/* sums of weights besides counts, unless NULL; a number column */
	const SdcRelationColumn *weight;
	/* keep the id and the cell of every row, unless NULL */
	const SdcRelationColumn *id;
	/* and, unless NULL, who lives together; only with an id */
	const SdcRelationColumn *household;
	/* the relation stands for a part of its rows: see sdcpg_frequency_part */
	bool part;
} SdcFrequencyRequest;

/* What was counted. */
typedef struct SdcFrequencyTable
{
	SdcFrequency *frequency;
	SdcDictionary **dictionary; /* of each column, sorted: code is rank */
	/* only when the request names an id: in the order in which rows came */
	int32 rows;
	int32 *cell;      /* the cell of each row */
	char **id;        /* its id as text, NULL for a NULL */
	double *weight;   /* its weight, when the request names one */
	int32 *household; /* a number of its household, SDC_CODE_NULL for NULL */
} SdcFrequencyTable;

/*
 * Appends a column to those of a request; more than SDC_FREQUENCY_MAX_COLUMNS
 * stop with an error.
 */
extern void sdcpg_frequency_want_one(SdcFrequencyRequest *request,
									 SdcRelationColumn column);

/* The same for several columns. */
extern void sdcpg_frequency_want(SdcFrequencyRequest *request,
								 const SdcRelationColumns *columns);

/*
 * In how many parts a distributed relation should be counted so that the cells
 * of one take some 64 MB, and not more than a 16th of sdc.memory_limit: a
 * power of two, from a sample.  1 for others, and where the first keys columns
 * of the request have no hash that all servers agree on.
 */
extern int sdcpg_frequency_parts(const SdcFrequencyRequest *request, int keys);

/*
 * One of so many parts: the rows whose first keys columns have a certain hash,
 * so that a class is in one part.  Reads as the relation does.
 */
extern SdcRelation *sdcpg_frequency_part(const SdcFrequencyRequest *request,
										 int keys, int parts, int number);

/*
 * Columns of a relation that were counted while its rows were written, so that
 * they need not be read for it.
 */
typedef struct SdcFrequencyTally SdcFrequencyTally;

/*
 * Begins to count columns, by their places (from 0) in rows of a descriptor;
 * NULL where one of them cannot be counted.  Memory is the host's.
 */
extern SdcFrequencyTally *sdcpg_frequency_tally(SdcPgHost *host,
												TupleDesc descriptor,
												int columns, const int *place);

/* Counts a row.  O(columns) expected. */
extern void sdcpg_frequency_tally_row(SdcFrequencyTally *tally,
									  const Datum *values, const bool *isnull);

/* The rows that were counted are all that the relation has. */
extern void sdcpg_frequency_tally_end(SdcFrequencyTally *tally,
									  const SdcRelation *relation);

/*
 * What was counted, or NULL: for who knows that the rows of its relation are
 * what they were.  sdcpg_frequency_load takes the cells from there where all
 * of its columns are asked for, in their order.
 */
extern const SdcFrequencyTally *sdcpg_frequency_tallied;

/*
 * Counts one or more relations with the rights of the caller.  Column j of
 * all of them shares one dictionary, so that equal codes are equal values;
 * columns at the same place must have the same base type, or an error says
 * so.  A weight that is NULL, NaN, infinite or negative stops with an error.
 * Memory is the host's, and bounded by sdc.memory_limit.
 */
extern void sdcpg_frequency_load(SdcPgHost *host,
								 const SdcFrequencyRequest *request,
								 int requests, SdcFrequencyTable *table);

#endif
