/*
 * gate_beside.h
 *		Tables of cells that are made to be compared in the gate, and what
 *		several of them tell together.
 */
#ifndef SDC_RELEASE_GATE_BESIDE_H
#define SDC_RELEASE_GATE_BESIDE_H

#include "postgres.h"

#include "nodes/pg_list.h"
#include "utils/jsonb.h"

#include "host/call/catalog.h"
#include "host/call/relation.h"
#include "release/gate.h"
#include "release/history.h"
#include "release/publish.h"

/* Sums are equal within this share. */
#define SDC_BESIDE_SAME "1e-9"

/* A table of cells, and what is compared with it. */
typedef struct SdcBeside
{
	const SdcStaging *staging; /* where tables are made */
	const SdcRelation *original;
	Jsonb *protect;
	List *keys;  /* char * */
	char *value; /* the column that is summed; NULL: rows are counted */
	int digits;  /* after the point, of the values that are summed */
	bool means;
	const char *name;  /* the column of the values of cells */
	const char *cells; /* the same as in SQL */
	const char *count; /* and of their respondents, of means */
	char *truth;       /* the table of all cells, as SQL */
	char *known;       /* that of what rows tell of them */
	char *cover;       /* that of labels under which rows have all */
	char *labels;      /* that of what labels of rows are parts of */
	List *made;        /* char *: tables to be dropped */
} SdcBeside;

/* Runs a statement that names no function or operator of anybody else. */
extern uint64 sdcpg_beside_run(const char *sql);

/* Reads in the same way. */
extern SdcCatalogRows *sdcpg_beside_read(const char *sql);

/* The name of the next table, as in SQL; it is dropped at the end. */
extern char *sdcpg_beside_table(SdcBeside *beside);

/* Makes all cells of a table that is protected so. */
extern SdcBeside *sdcpg_beside_begin(const SdcStaging *staging,
									 const SdcRelation *original,
									 Jsonb *protect);

/* Its keys as a list in SQL, each with the alias of its table. */
extern char *sdcpg_beside_keys(const SdcBeside *beside, const char *alias);

/* The columns that say which cell a row is about: char *. */
extern List *sdcpg_beside_columns(const SdcBeside *beside);

/* The name of the column with what a key is a part of, as in SQL. */
extern const char *sdcpg_beside_parent(const char *key);

/* The column that says who a record of a table is from, or NULL. */
extern char *sdcpg_beside_respondent(Jsonb *protect);

/* The text of a column of a record (r), as SQL, as tables print it. */
extern char *sdcpg_beside_text(const char *name);

/* The j-th key, as in SQL. */
extern const char *sdcpg_beside_key(const SdcBeside *beside, int j);

/* Makes the table of what labels are parts of, unless it is there. */
extern void sdcpg_beside_labels(SdcBeside *beside);

/* Has the table of cells several in one? */
extern bool sdcpg_beside_numbers(const SdcBeside *beside);

/* The condition that rows of two tables, by their aliases, are of one cell. */
extern char *sdcpg_beside_same(const SdcBeside *beside, const char *a,
							   const char *b);

/* The label of the totals of a table. */
extern const char *sdcpg_beside_total(const SdcBeside *beside);

/* What a cell that is out (p) would show of the values of now (t). */
extern char *sdcpg_beside_now(const SdcBeside *beside);

/* A released table beside an older one, with the labels of one of them. */
typedef struct SdcSince
{
	SdcGateCase of;
	/* of the older one: what it hides is not the released one's to hide */
	bool changes_only;
} SdcSince;

/*
 * What is released, of since an older table of the same relation, published
 * (as SQL), of each two tables when there are several in one; NIL where they
 * are not tables of hidden cells of the same values.  SdcSince *.
 */
extern List *sdcpg_since_cases(const SdcGateCase *of, SdcBeside *now,
							   SdcBeside *before, const char *published);

/* One of two relations whose records are joined. */
typedef struct SdcRelatedSide
{
	const SdcRelation *relation;
	List *by;         /* char *: the columns by which they are */
	List *keys;       /* char *: columns that readers see */
	List *values;     /* char *: columns that are summed */
	const char *only; /* the records that are, as SQL (r); NULL: all */
	bool *constant;   /* made: is a key the same in all records of a unit? */
	/* made: does a key say which units the other side has? */
	bool *decides;
} SdcRelatedSide;

/*
 * The tables that other policies have published of the relation that is
 * released, and of such as have records of it: of rows, or of cells, and then
 * also of relations whose records are joined with it.  Not of policies whose
 * tables nobody has who gets this one.  SdcPublishedBeside *.
 */
extern List *sdcpg_related_published(const SdcStaging *staging,
									 const char *policy, Jsonb *protect,
									 bool cells);

/* Do the rules of rows make new records, which are nobody's? */
extern bool sdcpg_related_makes_records(const SdcPolicyRelation *relation);

/* Are the records of a relation some of those of another one, as it is a
 * partition of it, or inherits from it? */
extern bool sdcpg_related_within(Oid part, Oid whole);

/* Which records (r) of a relation are those of a part of it, as SQL. */
extern char *sdcpg_related_records(Oid part);

/*
 * Which of some columns (char *) say together which of the records are some
 * (only, as SQL), none of them being needless; NIL: all of them do not.
 */
extern List *sdcpg_related_deciding(const char *records, List *columns,
									const char *only);

/*
 * Which rows (r) of a relation are of a part of it, as far as those of their
 * columns (char *) say so by which it is a part; as SQL.
 */
extern char *sdcpg_related_rows(const SdcRelation *part,
								const SdcRelation *whole, List *columns);

/* The text that a column has in all records, or NULL. */
extern char *sdcpg_related_constant(const SdcRelation *part,
									const char *column);

/*
 * Fills the columns by which two relations are joined: foreign keys, or the
 * respondents that two tables of cells name.  Returns how many ways there are,
 * of which number is taken.
 */
extern int sdcpg_related_by(SdcRelatedSide *side, const char *respondent[2],
							int number);

/*
 * Makes a table of the units that records of both are of: of side s numbers
 * of records as n<s>, sums of the i-th value as v<s>_<i>, and keys that are
 * the same in all records of each unit as k<s>_<i>.  Its name, as in SQL.
 * Where one side has only some of its records, units are those of both sides.
 */
extern char *sdcpg_related_join(SdcBeside *beside, SdcRelatedSide *side);

/* The values of the i-th key as text, if they are few; NIL: they are not. */
extern List *sdcpg_related_labels(const SdcRelatedSide *side, int i);

/* Sums in a relation at the most, of which one is made of the others. */
#define SDC_RELATED_SUMS 4

/*
 * A sum of records that is made of others: factor[0] of sum[0] is the sum of
 * factor[i] of sum[i], whole numbers above 0, in each record.
 */
typedef struct SdcRelatedSums
{
	int count;
	int sum[SDC_RELATED_SUMS]; /* places in the list */
	int factor[SDC_RELATED_SUMS];
} SdcRelatedSums;

/*
 * Finds such relations among sums (char *, of a record r as SQL), but for
 * those that are so by the factor 1 alone: SdcRelatedSums *.  They are as good
 * as doubles tell.
 */
extern List *sdcpg_related_sums(const char *records, List *sums);

/* Tables of cells that are attacked together. */
typedef struct SdcJoint SdcJoint;

/*
 * Begins with the one that is released, of what somebody knows of it.  exact:
 * nothing is asked but which cells can be computed exactly.
 */
extern SdcJoint *sdcpg_joint_begin(SdcBeside *beside, const SdcGateCase *of,
								   bool exact);

/* Adds one that is out, which is judged as a case. */
extern void sdcpg_joint_add(SdcJoint *joint, SdcBeside *beside,
							const SdcGateCase *of, const char *published);

/*
 * Links their cells by the records that they consist of.  NULL, or why it was
 * not done, as the end of a sentence.
 */
extern const char *sdcpg_joint_link(SdcJoint *joint);

/* What was not compared, as a sentence from a space on; or "". */
extern const char *sdcpg_joint_lacks(const SdcJoint *joint);

/*
 * Attacks all of them, or those that are out, and adds what is found to what
 * is known of the cells of one: 0, or in the order they were added.
 */
extern void sdcpg_joint_tell(SdcJoint *joint, bool with_released, int table);

/*
 * Groups of records in which tables differ from the one that is released, that
 * no table shows, that are unsafe by the number of respondents by its rules,
 * and that can be computed exactly; after all have been attacked.
 */
extern int64 sdcpg_joint_inner(const SdcJoint *joint);

#endif
