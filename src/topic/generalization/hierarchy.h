/*
 * hierarchy.h
 *		Hierarchies of generalizations as named objects of the database.
 *
 * A hierarchy is a rule that says what a value becomes on each level: by a
 * table of values and labels, or by computing (prefixes, intervals, dates,
 * networks).  Two values that have the same label on a level are one group.
 */
#ifndef SDC_TOPIC_HIERARCHY_H
#define SDC_TOPIC_HIERARCHY_H

#include "postgres.h"

#include "fmgr.h"
#include "lib/stringinfo.h"
#include "utils/jsonb.h"

#include "host/data/dictionary.h"
#include "host/server/host.h"
#include "kernel/table/hierarchy.h"

/* Levels at the most, level 0 counted. */
#define SDC_HIERARCHY_MAX_LEVELS 64

/* A hierarchy as it was defined; see hierarchy_kind.h. */
typedef struct SdcHierarchyRule SdcHierarchyRule;

/* How values of one type are read; private but for its size. */
typedef struct SdcHierarchyInput
{
	Oid type;
	Oid base;
	FmgrInfo output;
} SdcHierarchyInput;

/*
 * What the values of a dictionary become on each level.  A group of a level
 * that no value of the dictionary is in has no number; groups are numbered in
 * the order in which the ranks of the dictionary first meet them, so groups of
 * ranges are in the order of their ranges.
 */
typedef struct SdcHierarchyMap
{
	SdcHierarchy *groups;
	char ***label; /* label[level][group] */
	/*
	 * The size of a group as a share of the domain, 0 to 1.  Of kinds with a
	 * table: values of the table, also those that do not occur, over all of
	 * them.  Of intervals and dates: width over the width of the domain, or
	 * of the span of the dictionary's values when the hierarchy has none; of
	 * level 0 that is 0 for a number and one day for a date.  Of prefixes and
	 * networks: values of the dictionary over all of them.
	 */
	double **share;
	/* The values that shares count; 0 when they are widths. */
	int64 domain;
} SdcHierarchyMap;

/*
 * Reads a hierarchy into the current memory context; stops with an error when
 * there is none of that name.
 */
extern SdcHierarchyRule *sdcpg_hierarchy_find(const char *name);

/* Stops unless there is a hierarchy of that name. */
extern void sdcpg_hierarchy_need(const char *name);

/*
 * Stops unless the hierarchy of the name has that level and reads values of
 * the type.
 */
extern void sdcpg_hierarchy_need_fit(const char *name, Oid type, int32 level);

/* The last level of a hierarchy, without reading its values. */
extern int sdcpg_hierarchy_height(const char *name);

/*
 * Gets ready to read values of a type; stops when the hierarchy is of a kind
 * that cannot read it.  Memory is that of context.
 */
extern void sdcpg_hierarchy_input(const SdcHierarchyRule *rule,
								  SdcHierarchyInput *input, Oid type,
								  MemoryContext context);

/*
 * Replaces *label by what a value that is not NULL becomes on a level.  False
 * when the hierarchy has no rule for the value, on every level alike.  NaN and
 * infinity that no interval takes are leaves of their own below the root.
 */
extern bool sdcpg_hierarchy_label(const SdcHierarchyRule *rule,
								  SdcHierarchyInput *input, Datum value,
								  int level, StringInfo label);

/* Stops because a value has no rule; position counts from 1, 0: not known. */
extern void sdcpg_hierarchy_missing(const SdcHierarchyRule *rule,
									int64 position);

/*
 * Reads a hierarchy and applies it to the values of a sorted dictionary.  The
 * first value without a rule stops with an error that tells its position among
 * the values; so do levels that do not nest.  Memory is the host's.
 */
extern SdcHierarchyMap *sdcpg_hierarchy_load(SdcPgHost *host, const char *name,
											 SdcDictionary *dictionary);

/* The same when only the groups are wanted. */
extern SdcHierarchy *sdcpg_hierarchy_map(SdcPgHost *host, const char *name,
										 SdcDictionary *dictionary);

#endif
