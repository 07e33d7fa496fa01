/*
 * gate_joint.h
 *		What is attacked together, for the files that make it.
 */
#ifndef SDC_RELEASE_GATE_JOINT_H
#define SDC_RELEASE_GATE_JOINT_H

#include "postgres.h"

#include "nodes/pg_list.h"

#include "release/gate_beside.h"

/* Cells with their values: those of a table, or what is taken of them. */
typedef struct SdcJointCells
{
	SdcBeside *beside;
	int table;           /* as in sdcpg_joint_tell */
	const char *records; /* that they consist of, as SQL */
	List *columns;       /* char *: of these, its keys; NULL: it has not */
	bool copy;           /* the same cells are there, of other records */
	bool extra;          /* compared when that is not too much */
	uint32 always;       /* keys that are compared with any */
	int at_key;          /* of copies: it is at this label; or NULL */
	const char *at_label;
	const char *made;  /* the table of them, as SQL */
	const char *value; /* the column that is summed, or NULL */
	const char *sum;   /* what is summed of a record (r), as SQL */
	const char *only;  /* the records that are, as SQL; NULL: all */
	List *by;          /* char *: the columns that say so */
	bool within;       /* they are those of a part of the relation */
	bool beside_means; /* how many respondents means are of */
} SdcJointCells;

struct SdcJoint
{
	SdcBeside *first;
	List *cells; /* SdcJointCells * */
	List *parts; /* Part * */
	int columns;
	struct Column *column;
	int links;
	int tables;
	bool counts; /* all values are counts */
	bool exact;  /* nothing is asked but what can be computed exactly */
	char *all;   /* the table of all cells, as SQL */
	char *known; /* that of what is known of them */
	char *leaf;  /* that of the lowest labels that values are in */
	char *equations;
	char *found;  /* what all of them give away, or NULL: not yet asked */
	List *sums;   /* char *: of which it has been asked whether they add up */
	List *adding; /* those of them that do */
	const char *large[2]; /* two columns with too many pairs, or NULL */
	bool fewer;           /* not all that is extra was compared */
};

/* How the names of cells begin that are left away when they are too many. */
#define SDC_JOINT_EXTRA "x"

/* Are the values of two tables the same sum of the same records? */
static inline bool
sdcpg_joint_same_sum(const SdcJointCells *a, const SdcJointCells *b)
{
	return strcmp(a->sum, b->sum) == 0 && strcmp(a->records, b->records) == 0;
}

/* Is what a query of one row and column says true? */
extern bool sdcpg_joint_asks(const char *sql);

/* Adds cells that have been made. */
extern void sdcpg_joint_put(SdcJoint *joint, SdcJointCells *cells);

/*
 * Adds what the values of tables are besides: counts, and other sums; and
 * those of other relations by the units that both have.
 */
extern void sdcpg_joint_others(SdcJoint *joint);

#endif
