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

/* The column that tells the cells of several tables in one apart. */
#define SDC_TABULAR_NUMBER "table_no"

/* What params.cell says when cells are means. */
#define SDC_TABULAR_MEAN "mean"

/* Digits of means after the point, unless params.digits says another. */
#define SDC_TABULAR_DIGITS 2

/* Tables of one call at the most. */
#define SDC_TABULAR_PARTS 20

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
	int32 values;         /* different values, and NULL if it occurs */
	int32 *of_value;      /* the code of each, by rank, NULL last */
	SdcDictionary *taken; /* all labels */
} SdcTree;

/* The code of a label; -1 when there is none. */
static inline int32
sdcpg_tree_code(const SdcTree *tree, const char *label)
{
	int32 c;

	for (c = 0; c < tree->dimension.codes; c++)
		if (strcmp(tree->label[c], label) == 0)
			return c;
	return -1;
}

/* Is a code the one, or in it? */
static inline bool
sdcpg_tree_within(const SdcTree *tree, int32 code, int32 one)
{
	while (code >= 0 && code != one)
		code = tree->parent[code];
	return code == one;
}

/*
 * The tree of a sorted dictionary: its lowest codes are the groups of level
 * lowest of the named hierarchy (0: the values), above are those of its higher
 * levels; no groups when hierarchy is NULL.  A group with one part is left
 * out.
 */
extern SdcTree *sdcpg_tree_make(SdcPgHost *host, SdcDictionary *dictionary,
								bool has_null, const char *hierarchy,
								int lowest, const char *total);

/* One of the tables of a call of sdc.protect_table, by some of its keys. */
typedef struct SdcTablePart
{
	int keys;
	int key[SDC_CUBE_MAX_DIMENSIONS]; /* places among those of the call */
	char *hierarchy[SDC_CUBE_MAX_DIMENSIONS]; /* or NULL */
	int lowest[SDC_CUBE_MAX_DIMENSIONS];      /* the lowest level shown */
	/* the one label of the key that the table is about, or NULL */
	char *only[SDC_CUBE_MAX_DIMENSIONS];
	SdcTarget *target; /* NULL: it has none of its own */
	/* made by sdcpg_cells_read */
	SdcTree *tree[SDC_CUBE_MAX_DIMENSIONS];
	int32 only_code[SDC_CUBE_MAX_DIMENSIONS]; /* in the tree, or -1 */
	SdcCubeDimension dimension[SDC_CUBE_MAX_DIMENSIONS];
	int32 cells;
	int32 *place; /* of its cells among all; NULL: the same */
} SdcTablePart;

/* Where the k-th cell of a table is among all. */
static inline int32
sdcpg_cells_place(const SdcTablePart *part, int32 k)
{
	return part->place == NULL ? k : part->place[k];
}

/*
 * Two tables, compared by the groups of records that are in the same cell of
 * either, by the keys that both have.
 */
typedef struct SdcCellPair
{
	int part[2];
	int32 cells[2]; /* of each that groups are in */
	int32 groups;
	int32 *cell[2]; /* of each group, which of these, or -1 */
	int32 *place;   /* among all: of these cells, and of the groups */
} SdcCellPair;

/*
 * The cells of one or several tables over the same records, each once, and
 * where they come from.
 */
typedef struct SdcCellSource
{
	SdcPgHost *host;
	SdcRelation *relation;
	SdcRelationColumns keys;       /* of all tables */
	SdcRelationColumn *value;      /* NULL: counts */
	SdcRelationColumn *respondent; /* NULL: each row is one */
	const char *domain;            /* of the keys of records, or NULL */
	const char *total;
	int parts;
	SdcTablePart *part;
	bool attacks; /* cells that no table shows are to be there for attacks */
	/* made by sdcpg_cells_read */
	int scale; /* values are whole in units of 10^-scale */
	int32 records;
	SdcDictionary *dictionary[SDC_CUBE_MAX_DIMENSIONS];
	bool has_null[SDC_CUBE_MAX_DIMENSIONS];
	int32 *code[SDC_CUBE_MAX_DIMENSIONS]; /* the value of each record */
	/*
	 * Of several tables: keys that have to do with each other lie on one axis,
	 * which is called as the first of them.
	 */
	int axis_of[SDC_CUBE_MAX_DIMENSIONS];
	int32 axis_values[SDC_CUBE_MAX_DIMENSIONS];
	int32 *axis_code[SDC_CUBE_MAX_DIMENSIONS]; /* the value of each record */
	int32 *own_value[SDC_CUBE_MAX_DIMENSIONS]; /* the key's, of an axis' */
	double *contribution;
	int32 *giver;
	uint64 *giver_key; /* of a giver, with domain; else NULL */
	SdcCubeCell *cell;
	SdcTabular *table;
	bool *inner;  /* cells that no table shows; NULL: none are there */
	int32 inners; /* how many */
	/* it takes such cells to know all that the tables tell together */
	bool lacks_inner;
	int pairs;
	SdcCellPair *pair;
	/* made by sdcpg_cells_add_rests; from first_rest on, or NULL */
	int32 rests;
	int32 first_rest;
	double *rest_need; /* by how much each must be able to be more */
	double *room;      /* of cells in one of them: for as much; else 0 */
} SdcCellSource;

/*
 * Reads the rows of the relation, and makes the cells and equations of all
 * tables.
 */
extern void sdcpg_cells_read(SdcCellSource *source);

/*
 * What all values of a column are multiples of: a step of the noise of cell
 * keys is no less.
 */
extern double sdcpg_cells_grain(SdcPgHost *host, const SdcRelation *relation,
								const char *value);

/* A dimension of a cube, and the code there of each value; -1: none. */
typedef struct SdcCellAxis
{
	SdcCubeDimension dimension;
	const int32 *code;
	const int32 *of_record; /* the value of each */
} SdcCellAxis;

/* The axes of a table. */
extern void sdcpg_cells_axes(const SdcCellSource *source,
							 const SdcTablePart *part, SdcCellAxis *axis);

/*
 * The codes of the values of the j-th key in a table, by rank; -1 when they
 * are not in it.
 */
extern int32 *sdcpg_cells_map(const SdcCellSource *source,
							  const SdcTablePart *part, int j);

/* Fills the cells of a cube from the records that are in it. */
extern SdcCubeCell *sdcpg_cells_fill(const SdcCellSource *source,
									 const SdcCellAxis *axis, int axes);

/* Makes the cells and equations of several tables, whose rows are read. */
extern void sdcpg_cells_link(SdcCellSource *source);

/*
 * Do the values of two columns fall into groups that never meet?  Given are
 * the pairs that occur, each once, the values being numbers from 0.  Pairs are
 * the edges of a graph: it has several components then.  Bands of one column
 * that cross, as years from January and from July, are a path in it; one
 * without a circle is taken for such, as it has far fewer pairs than columns
 * that have nothing to do with each other.
 */
extern bool sdcpg_values_have_groups(const int32 *a, const int32 *b,
									 int32 pairs);

/* The place of a key of the call among those of a table, or -1. */
extern int sdcpg_cells_key(const SdcTablePart *part, int key);

/* The code, in the tree of its j-th key, of a cell of a table. */
extern int32 sdcpg_cells_code(const SdcTablePart *part, int j, int32 cell);

/*
 * Stops where a respondent has several rows in a cell: noise of a count is for
 * records, so a record must be one of the count.
 */
extern void sdcpg_cells_need_single(const SdcCellSource *source);

/* A cell as text, for the caller's eyes: "region=north, trade=Total". */
extern char *sdcpg_cells_text(const SdcCellSource *source, int32 i);

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
	Jsonb *group; /* the argument, when it has "group"; else NULL */
} SdcTableRules;

/* Reads argument "rules", and of params what belongs to them. */
extern void sdcpg_table_rules_read(Jsonb *object, Jsonb *params,
								   SdcTableRules *rules);

/* The protection level of a cell; 0 when no rule makes it unsafe. */
extern double sdcpg_table_rules_need(const SdcTableRules *rules,
									 const SdcCubeCell *cell, bool counts);

/*
 * Sets the levels of cell i of the table: also those against who gave the
 * largest contribution, and looks for the others'.  Is it unsafe?
 */
extern bool sdcpg_table_rules_apply(const SdcTableRules *rules,
									const SdcCubeCell *cell, bool counts,
									SdcTabular *table, int32 i);

/* Sums that are to be cells of their own, as the equations that say so. */
typedef struct SdcCellUnions
{
	int32 count;
	Size room;    /* for so many */
	int64 *start; /* into member; of each union its parts */
	int32 *member;
	SdcCubeCell *cell;
} SdcCellUnions;

/* Adds those that are unsafe, of what two tables tell together. */
extern void sdcpg_cells_unite_pair(const SdcCellSource *source,
								   const SdcCellPair *pair, const bool *hidden,
								   const SdcTableRules *rules,
								   SdcCellUnions *unions);

/*
 * Sums of hidden cells of a row whose total is shown are known to everybody:
 * those that are unsafe become cells of the source, which no table shows.
 * Returns how many; all cells keep their numbers.
 */
extern int32 sdcpg_cells_unite(SdcCellSource *source, const bool *hidden,
							   const SdcTableRules *rules);

/*
 * Rule "group": where one part of a total by a key has a share of it or more,
 * the others together become a cell of the source, which no table shows: they
 * must be able to be so many that the part is below its share, and those of
 * them that are 0 may be hidden.  O(cells * equations of the keys).
 */
extern void sdcpg_cells_add_rests(SdcCellSource *source,
								  const SdcTableRules *rules);

/* Sets what cell i of the table must be able to do for that rule. */
static inline void
sdcpg_cells_ask_rest(const SdcCellSource *source, int32 i)
{
	SdcTabular *table = source->table;

	if (source->room == NULL || i >= source->first_rest + source->rests)
		return;
	if (i >= source->first_rest)
	{
		double need = source->rest_need[i - source->first_rest];

		table->need_high[i] = Max(table->need_high[i], need);
		table->high[i] = Max(table->high[i], need);
	}
	else if (source->room[i] > 0)
	{
		/* nobody who is in the total knows that none of it are here */
		if (table->role[i] == SDC_CELL_SHOWN && source->cell[i].sum == 0)
			table->role[i] = SDC_CELL_OPEN;
		table->high[i] = Max(table->high[i], source->room[i]);
	}
}

/* What is asked of cells, a mark for each; NULL: of none. */
typedef struct SdcAskedCells
{
	bool *shown; /* they must be */
	bool *kept;  /* they must be hidden */
	bool *told;  /* an earlier table shows them with the values of now */
} SdcAskedCells;

/*
 * Reads what params ask of cells: "publish", "hide", and "earlier", whose
 * column of values has a name, and whose hidden cells are kept.
 */
extern void sdcpg_cells_asked(const SdcCellSource *source, Jsonb *params,
							  const char *value, SdcAskedCells *asked);

/*
 * The objects of an array under a key; NIL when it is absent.  what says what
 * it is to be, as in sdcpg_params_wrong.
 */
extern List *sdcpg_table_objects(Jsonb *params, const char *key,
								 const char *what);

/* Two numbers of an array under a key; false when it is absent. */
extern bool sdcpg_table_pair(Jsonb *object, const char *key, double *pair);

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
	const char *total; /* the label of totals */
	/* of the rows of several tables, 0 .. numbers - 1; NULL: there is one */
	const int32 *number;
	int32 numbers;
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
