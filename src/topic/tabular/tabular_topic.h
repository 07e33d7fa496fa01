/*
 * tabular_topic.h
 *		What the functions on tables share: codes of dimensions, and the cells
 *		of a published table.
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
	char **label;         /* of each code, no two the same */
	int32 *parent;        /* of each code; -1 of the last one */
	int32 leaves;         /* codes that are no total */
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

/* What params of sdc.protect_table name that may not be there. */
extern const SdcKey sdcpg_protect_names[];

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
