/*
 * dataset.h
 *		Data sets that strangers may ask: what was declared, and who may ask.
 *
 * The tables of the declarations are read and written as the owner of the
 * extension, after a check in C; nobody else has a right to them.
 */
#ifndef SDC_TOPIC_DATASET_H
#define SDC_TOPIC_DATASET_H

#include "postgres.h"

#include "host/call/relation.h"
#include "kernel/privacy/neighbours.h"
#include "topic/privacy/budget.h"

/* By SdcNeighbours; ends with NULL. */
extern const char *const sdcpg_neighbours_words[];

typedef struct SdcDataset
{
	int64 id; /* of its budget, too */
	char *name;
	Oid oid;
	char *relation_name; /* quoted, with schema, as it was declared */
	char *unit;          /* NULL: each row is a unit */
	SdcNeighbours neighbours;
	int32 max_groups; /* that a unit counts in */
	int32 max_rows;   /* of a unit that count in a group */
	SdcAccounting accounting;
	SdcAmount limit;
	Numeric min_epsilon; /* of a request */
	int64 min_duration;  /* microseconds that answers come in steps of, or 0 */
	bool dropped;
} SdcDataset;

/* A budget: that of a data set, or what one role may spend of it. */
typedef struct SdcBudget
{
	int64 id;
	SdcAmount limit;
} SdcBudget;

/* A column as it was declared; see sdc.describe_column. */
typedef struct SdcDatasetColumn
{
	SdcRelationColumn column;
	bool bounded; /* lower and upper are set */
	Numeric lower;
	Numeric upper;
	int categories; /* 0: they are private */
	char **category;
} SdcDatasetColumn;

/* A data set by name, dropped or not; NULL when there is none. */
extern SdcDataset *sdcpg_dataset_find(const char *name);

/*
 * The same for a request of the current user: there is a data set, it was
 * not dropped, and a budget was granted.  Otherwise stops, with one error for
 * all these cases.
 */
extern SdcDataset *sdcpg_dataset_need(const char *name, SdcBudget *grant);

/* The same for its curator: stops unless the caller owns the relation. */
extern SdcDataset *sdcpg_dataset_need_owner(const char *name);

/*
 * The relation, locked.  Stops when it is gone, has another name than it had
 * (a number may come to mean another table after a dump and restore), cannot
 * be read as a plain table, or when row-level security holds for its owner.
 */
extern SdcRelation *sdcpg_dataset_relation(const SdcDataset *dataset,
										   Oid *owner);

/* A column of the relation; undeclared ones have no bounds, no categories. */
extern SdcDatasetColumn *sdcpg_dataset_column(const SdcDataset *dataset,
											  const SdcRelation *relation,
											  const char *name);

/* Stops unless a relation is a table or materialized view of its own. */
extern void sdcpg_dataset_check_kind(const SdcRelation *relation);

/*
 * For a while the current user is the owner of a relation, as for ANALYZE:
 * SECURITY_RESTRICTED_OPERATION, a search_path that finds nothing but
 * PostgreSQL's own, dates and numbers as text in one form for all, no message
 * below an error to the client, for what the server says of its work is
 * exact, and the planner and the memory limit as if the caller had set
 * nothing.  An error ends it by itself.
 */
typedef struct SdcActing
{
	Oid user;
	int context;
	int level;
} SdcActing;

extern void sdcpg_dataset_act(SdcActing *acting, Oid owner);
extern void sdcpg_dataset_act_end(const SdcActing *acting);

#endif
