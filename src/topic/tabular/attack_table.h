/*
 * attack_table.h
 *		An attack on published tables, for its own report.
 */
#ifndef SDC_TOPIC_TABULAR_ATTACK_TABLE_H
#define SDC_TOPIC_TABULAR_ATTACK_TABLE_H

#include "postgres.h"

#include "utils/array.h"
#include "utils/jsonb.h"

#include "host/call/relation.h"
#include "host/data/dictionary.h"
#include "host/server/host.h"
#include "kernel/tabular/cube.h"
#include "kernel/tabular/suppression.h"

/* Intervals are rounded to this. */
#define SDC_TABULAR_ROUNDED 1e-6

/* One published table. */
typedef struct SdcAttackSource
{
	SdcRelation *relation;
	bool has[SDC_CUBE_MAX_DIMENSIONS];
	bool has_parent[SDC_CUBE_MAX_DIMENSIONS];
	int32 rows;
	int32 *code[SDC_CUBE_MAX_DIMENSIONS];
	int32 *parent[SDC_CUBE_MAX_DIMENSIONS]; /* -1: none */
	double *value;
	bool *hidden;
	int32 *number; /* of the table that a row is of; NULL: there is one */
	double *count; /* by which a mean is multiplied; NULL: no means */
	bool *no_count;
	int32 *text;  /* codes of values as they print, when asked for */
	uint64 *key;  /* of the cell of each row */
	bool earlier; /* what is sought is the change since this one */
	/*
	 * No table, but what somebody knows before: value is the lowest of a cell,
	 * hidden where he knows none; and the highest.
	 */
	bool known;
	double *highest;
	bool *no_highest;
} SdcAttackSource;

/*
 * Equations by the labels of cells, in place of those of parents: row i says
 * that cell part[i] is one of those that make total[i] in an equation.
 */
typedef struct SdcAttackParts
{
	SdcRelation *relation;
	int32 rows;
	int32 *equation;
	int32 *total;
	int32 *part;
} SdcAttackParts;

typedef struct SdcAttackTable
{
	SdcPgHost *host;
	int keys;
	char *key[SDC_CUBE_MAX_DIMENSIONS];
	const char *value;
	const char *total;
	double smallest;
	double largest;
	double beyond;       /* more than any equation allows a cell */
	SdcDictionary *text; /* values as they print; NULL: not read */
	const char *count;   /* the column of the counts of means, or NULL */
	SdcDictionary *number;
	double within; /* a published value is off by at most this */
	double share;  /* and by this share of the true one, below 1 */
	double unit;   /* all values are multiples of it; 0: not known */
	double moved;  /* true values from above 0 to below this were moved */
	SdcDictionary *dictionary[SDC_CUBE_MAX_DIMENSIONS];
	int32 codes[SDC_CUBE_MAX_DIMENSIONS];
	uint64 stride[SDC_CUBE_MAX_DIMENSIONS];
	int sources;
	SdcAttackSource *source;
	SdcAttackParts *parts; /* NULL: none are told */
	/* all cells, by key */
	int32 cells;
	int32 rests; /* cells after these: parts that no table has */
	uint64 *cell;
	bool *shown;   /* does a table have a value of the cell? */
	bool *learned; /* is more known of it than tables say? */
	bool changes;  /* is there an earlier table? */
	/* of each cell, NAN: not known; then cells are sought, by both tables */
	const double *change;
	bool impossible;    /* no values add up */
	double *low;        /* what the tables say of a cell: from here */
	double *high;       /* to here */
	double *low_before; /* the same of the earlier table */
	double *high_before;
	int64 *start;
	int32 *member;
	int32 equations;
	bool *hidden;
	const SdcEnough *enough; /* NULL: the ends of all intervals are sought */
	double *least;
	double *most;
} SdcAttackTable;

/* An attack on a table with the arguments keys, value, params. */
extern SdcAttackTable *sdcpg_table_attack_make(Oid relation, ArrayType *keys,
											   Name value, Jsonb *params);

/* Reads the tables: cells, what is known of them, and their equations. */
extern void sdcpg_table_attack_read(SdcAttackTable *attack, SdcPgHost *host);

/* The intervals of all cells, in attack->least and most. */
extern void sdcpg_table_attack_run(SdcAttackTable *attack);

#endif
