/*
 * tabular_topic.h
 *		What the functions on tables share: codes of dimensions.
 */
#ifndef SDC_TOPIC_TABULAR_TOPIC_H
#define SDC_TOPIC_TABULAR_TOPIC_H

#include "postgres.h"

#include "host/data/dictionary.h"
#include "host/server/host.h"
#include "kernel/tabular/cube.h"

/* The label of the sum over a dimension, unless params.total says another. */
#define SDC_TABULAR_TOTAL "Total"

/* The column that says what the labels of a key are parts of. */
static inline char *
sdcpg_table_parent_name(const char *key)
{
	return psprintf("%.56s_parent", key);
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

/* Keys of the params of sdc.table_report; ends with NULL. */
extern const char *const sdcpg_table_report_params[];

#endif
