/*
 * dataset.h
 *		Data sets that strangers may ask, and their budgets as whole numbers.
 */
#ifndef SDC_TOPIC_DATASET_H
#define SDC_TOPIC_DATASET_H

#include "postgres.h"

#include "fmgr.h"
#include "utils/numeric.h"

#include "host/call/relation.h"
#include "kernel/base/table.h"
#include "kernel/privacy/dp_noise.h"

/* ----------------------------------------------------------------------
 * Amounts of privacy as whole numbers: what a request costs, what a
 * budget holds.
 *
 * Budgets are kept in units of 1e-9 (epsilon, rho) and 1e-18 (delta), so that
 * ten charges of 0.1 are 1 and no sum is rounded.  What is asked is rounded
 * up, what is granted down.
 * ----------------------------------------------------------------------
 */

/* How the costs of requests add up to the cost of all. */
typedef enum SdcAccounting
{
	SDC_ACCOUNTING_PURE,   /* epsilons add up */
	SDC_ACCOUNTING_APPROX, /* epsilons and deltas add up */
	SDC_ACCOUNTING_ZCDP    /* epsilon^2 / 2 add up to rho */
} SdcAccounting;

/* The words of these, in that order; ends with NULL. */
extern const char *const sdcpg_budget_accounting[];

/* Epsilon or rho in 1e-9, delta in 1e-18. */
typedef struct SdcAmount
{
	int64 first;
	int64 second;
} SdcAmount;

/*
 * What a budget of epsilon and delta holds.  Epsilon is 0 to 1e9, delta 0 or
 * more and below 1; anything else, NaN too, stops with an error.  pure takes
 * no delta.  zcdp needs one, and holds the largest rho with epsilon >= rho +
 * 2 sqrt(rho ln(1 / delta)) (Bun and Steinke 2016).
 */
extern SdcAmount sdcpg_budget_limit(SdcAccounting accounting, Numeric epsilon,
									Numeric delta);

/*
 * What a request costs, and in *rest how much epsilon, in 1e-9, its noise may
 * be made for.  Epsilon is 1e-9 to 1024, delta 0 or more and below 1.
 */
extern SdcAmount sdcpg_budget_cost(SdcAccounting accounting, Numeric epsilon,
								   Numeric delta, int64 *rest);

/* So many units of 10^-digits as a numeric. */
extern Datum sdcpg_budget_numeric(int64 amount, int digits);

/* ----------------------------------------------------------------------
 * Data sets that strangers may ask: what was declared, and who may ask.
 *
 * The tables of the declarations are read and written as the owner of the
 * extension, after a check in C; nobody else has a right to them.
 * ----------------------------------------------------------------------
 */

/* By SdcNeighbours; ends with NULL. */
extern const char *const sdcpg_neighbours_words[];

/* A data set as it was declared; see sdc.create_dataset. */
typedef struct SdcDataset
{
	int64 id; /* of its budget, too */
	char *name;
	Oid oid;             /* of the relation */
	char *relation_name; /* quoted, with schema, as it was declared */
	char *unit;          /* NULL: each row is a unit */
	char *unit_place;    /* of the column that was declared, or NULL */
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

/*
 * The data set of a name and, in *grant, the budget that the current user was
 * granted of it, for a request.  Stops, with one error for all these cases,
 * when there is none, it was dropped, or nothing was granted.
 */
extern SdcDataset *sdcpg_dataset_need(const char *name, SdcBudget *grant);

/*
 * The relation, locked.  Stops when it is gone, has another name than it had
 * (a number may come to mean another table after a dump and restore), cannot
 * be read as a plain table, or when row-level security holds for its owner.
 */
extern SdcRelation *sdcpg_dataset_relation(const SdcDataset *dataset,
										   Oid *owner);

/*
 * Remembers what a data set has its records of: what is detached keeps them,
 * and gets no budget of its own.
 */
extern void sdcpg_dataset_note_parts(int64 dataset, Oid relation);

/* A column of the relation; undeclared ones have no bounds, no categories. */
extern SdcDatasetColumn *sdcpg_dataset_column(const SdcDataset *dataset,
											  const SdcRelation *relation,
											  const char *name);

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

/* From here to _end the code runs with the rights of the owner. */
extern void sdcpg_dataset_act(SdcActing *acting, Oid owner);

/* The code runs with the rights again that it had before. */
extern void sdcpg_dataset_act_end(const SdcActing *acting);

/* ----------------------------------------------------------------------
 * Which of the public categories of a column a value is.
 * ----------------------------------------------------------------------
 */

/* The categories of a column; made by sdcpg_categories_make. */
typedef struct SdcCategories
{
	int count;
	Datum *value;
	FmgrInfo *equal;
	FmgrInfo *hash; /* NULL: the type has none */
	Oid collation;
	SdcTable table; /* of categories, where there is a hash */
} SdcCategories;

/* The categories of a column as values of its type, with its collation. */
extern SdcCategories *sdcpg_categories_make(const SdcDatasetColumn *column,
											Oid collation);

/* The number of a value's category from 0, or -1. */
extern int sdcpg_categories_find(const SdcCategories *categories, Datum value,
								 bool isnull);

#endif
