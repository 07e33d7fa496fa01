/*
 * tabular_topic.h
 *		What the functions on tables share: codes of dimensions, a table that
 *		is protected, the cells of a published one.
 */
#ifndef SDC_TOPIC_TABULAR_TOPIC_H
#define SDC_TOPIC_TABULAR_TOPIC_H

#include "postgres.h"

#include "commands/defrem.h"
#include "nodes/execnodes.h"
#include "utils/array.h"
#include "utils/jsonb.h"

#include "host/call/params.h"
#include "host/call/relation.h"
#include "host/data/dictionary.h"
#include "host/data/target.h"
#include "host/server/host.h"
#include "kernel/tabular/changed_values.h"
#include "kernel/tabular/cube.h"
#include "kernel/tabular/suppression.h"

/* The label of the sum over a dimension, unless params.total says another. */
#define SDC_TABULAR_TOTAL "Total"

/* The column that says what the labels of a key are parts of. */
static inline char *
sdcpg_table_parent_name(const char *key)
{
	return makeObjectName(key, NULL, "parent");
}

/*
 * The codes of a dimension: first those that are no total, in the order of
 * the values, NULL last if it occurs; then groups; the sum over all is last.
 */
typedef struct SdcTree
{
	SdcCubeDimension dimension;
	char **label;  /* each another one */
	int32 *parent; /* -1 of the last one */
	int32 leaves;
	int32 null_code;      /* of NULL, or -1 */
	SdcDictionary *taken; /* all labels */
} SdcTree;

/*
 * The tree of a sorted dictionary: a level for each one of the named
 * hierarchy, or no groups when hierarchy is NULL.  A group with one part is
 * left out.
 */
extern SdcTree *sdcpg_tree_make(SdcPgHost *host, SdcDictionary *dictionary,
								bool has_null, const char *hierarchy,
								const char *total);

/* What hiding or changing a cell costs. */
typedef enum SdcTableWeight
{
	SDC_TABLE_WEIGHT_VALUE,
	SDC_TABLE_WEIGHT_COUNT,
	SDC_TABLE_WEIGHT_CELLS
} SdcTableWeight;

typedef enum SdcTableMethod
{
	SDC_TABLE_SUPPRESS,
	SDC_TABLE_ROUND,
	SDC_TABLE_ADJUST,
	SDC_TABLE_CELL_KEY
} SdcTableMethod;

/* Do rules say which cells the method looks at? */
static inline bool
sdcpg_table_has_rules(SdcTableMethod method)
{
	return method == SDC_TABLE_SUPPRESS || method == SDC_TABLE_ADJUST;
}

/* A step of effort in the kernel's unit of work: some 20 ms. */
#define SDC_TABLE_EFFORT 1e6

/* Which cells are unsafe; a number is 0 when there is no such rule. */
typedef struct SdcTableRules
{
	double threshold;
	double range; /* of sums below the threshold, percent */
	double p;     /* p percent and pq, as p / q */
	double q;
	int dominance; /* contributors, and */
	double share;  /* percent */
	bool zeros;
} SdcTableRules;

typedef struct SdcProtect
{
	SdcPgHost *host;
	SdcRelation *relation;
	SdcRelationColumns keys;
	SdcRelationColumn *value;      /* NULL: counts */
	SdcRelationColumn *respondent; /* NULL: each row is one */
	char **hierarchy;
	SdcTableRules rules;
	bool has_bounds;
	double bounds[2];
	SdcTableWeight weight;
	double effort;
	SdcTableMethod method;
	double base;        /* of rounding, in the unit of the values */
	const char *domain; /* of the keys of records, or NULL */
	int32 noise;        /* at most, either way */
	double variance;
	int32 gap;
	double share; /* of the largest contribution, percent */
	const char *total;
	int status;
	const char *value_name;
	const char *status_name;
	SdcTarget *target;
	ReturnSetInfo *steps;
	int32 unsafe; /* cells, by the rules */
	/* the table */
	int scale;
	int32 records;
	int32 *code[SDC_CUBE_MAX_DIMENSIONS];
	double *contribution;
	int32 *giver;
	uint64 *giver_key; /* of a giver, for cell keys; else NULL */
	SdcTree *tree[SDC_CUBE_MAX_DIMENSIONS];
	SdcCubeDimension dimension[SDC_CUBE_MAX_DIMENSIONS];
	SdcCubeCell *cell;
	SdcTabular *table;
	bool *hidden;      /* NULL: none */
	double *published; /* NULL: the sums */
	SdcSuppression result;
	SdcRounding rounding;
	SdcAdjustment adjustment;
} SdcProtect;

/* What params of sdc.protect_table name that may not be there. */
extern const SdcKey sdcpg_protect_names[];

/* The unit of the values: 10 to the power of -scale. */
extern double sdcpg_table_unit(const SdcProtect *protect);

extern void sdcpg_table_report_cells(SdcProtect *protect);

/*
 * The methods that publish each cell with another value: they fill
 * protect->published and return true; or say why they cannot by an error, or
 * by naming a cell in *cell and false.
 */
extern bool sdcpg_table_change(SdcProtect *protect, int32 *cell);

/* What was changed, after what was written. */
extern void sdcpg_table_report_change(SdcProtect *protect);

/*
 * The cells of a published table.  Codes are ranks of label[key]; a parent is
 * -1 where there is none.
 */
typedef struct SdcTableCells
{
	int keys;
	const char *name[SDC_CUBE_MAX_DIMENSIONS];
	int32 rows;
	int32 *code[SDC_CUBE_MAX_DIMENSIONS];
	int32 *parent[SDC_CUBE_MAX_DIMENSIONS];
	SdcDictionary *label[SDC_CUBE_MAX_DIMENSIONS];
	bool *hidden;
	/* values as they print: rank text_rank[text_code[row]] of text */
	SdcDictionary *text;
	const int32 *text_rank;
	int32 *text_code;
	/* intervals, or NULL; most may be an infinity */
	double *least;
	double *most;
} SdcTableCells;

/*
 * Reads a published table, with the arguments of sdc.attack_table; with
 * intervals it is attacked.
 */
extern SdcTableCells *sdcpg_table_cells(SdcPgHost *host, Oid relation,
										ArrayType *keys, Name value,
										Jsonb *params, bool intervals);

/* params without a key; NULL stays. */
extern Jsonb *sdcpg_table_params_without(Jsonb *params, const char *key);

#endif
