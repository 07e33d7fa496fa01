/*
 * roles.h
 *		What sdc.declare says of the columns of a relation; columns that nobody
 *		has declared and that give a key away; the type sdc.columns.
 */
#ifndef SDC_TOPIC_ROLES_H
#define SDC_TOPIC_ROLES_H

#include "postgres.h"

#include "access/attnum.h"
#include "fmgr.h"
#include "nodes/execnodes.h"
#include "nodes/pg_list.h"

#include "host/call/relation.h"

/* What a column is for; the words are in the table sdc.role. */
typedef enum SdcRole
{
	SDC_ROLE_ID,         /* aligns original and masked rows */
	SDC_ROLE_IDENTIFIER, /* names a person by itself */
	SDC_ROLE_KEY,        /* quasi-identifier */
	SDC_ROLE_SENSITIVE,
	SDC_ROLE_WEIGHT,
	SDC_ROLE_STRATA,
	SDC_ROLE_HOUSEHOLD,
	SDC_ROLE_INSENSITIVE,
	SDC_ROLE_PERSON, /* whose event a row is */
	SDC_ROLE_TIME,
	SDC_ROLE_ITEM,
	SDC_ROLE_AMOUNT,
	SDC_ROLES
} SdcRole;

/* What is said of a column that is not the declared one. */
#define SDC_ROLES_MOVED \
	"It was made anew or has taken another one's name since that was declared."

/* What the declaration says of one column. */
typedef struct SdcRoleColumn
{
	char *name;
	SdcRole role;
	char *type; /* as SQL, when it was declared */
	bool moved; /* has another column its name since? */
} SdcRoleColumn;

/*
 * The declaration that holds for a relation: its own, or that of oid, the
 * nearest partitioned table above it that has one.  Columns are in the order
 * of SdcRole, then in that of the argument; count is 0 without a declaration.
 */
typedef struct SdcRoles
{
	Oid oid;
	int count;
	SdcRoleColumn *column;
} SdcRoles;

/*
 * Stops unless the caller owns the relation or may read one of its columns at
 * least: what was declared of it tells what it holds.
 */
extern void sdcpg_roles_need_reader(const SdcRelation *relation);

/* The word for a role, as in the table sdc.role. */
extern const char *sdcpg_roles_word(SdcRole role);

/* The type of a column as SQL, the same under any search_path. */
extern char *sdcpg_roles_type(const SdcRelation *relation,
							  const SdcRelationColumn *column);

/*
 * The declaration that holds for a relation; see SdcRoles.  Stops where a
 * declared column is not the one any more that has its name.
 */
extern SdcRoles *sdcpg_roles_find(Oid oid);

/* The same with such columns: for who tells of them. */
extern SdcRoles *sdcpg_roles_look_up(Oid oid);

/* What a declaration says of a column; NULL when it says nothing. */
extern const SdcRoleColumn *sdcpg_roles_declared(const SdcRoles *declared,
												 const char *name);

/*
 * Appends the row of sdc.mask_step for a column that stays as it is: whether
 * anybody wanted that.  method is that of its rule, NULL without one; alike,
 * whether equal values that print differently are written in one form.
 */
extern void sdcpg_roles_step_kept(ReturnSetInfo *result,
								  const SdcRoles *declared, const char *column,
								  const char *method, bool alike);

/*
 * The same for all columns of a relation that are neither masked nor dropped
 * (char *); before these, the masked ones that are generated from others, and
 * behind them what was dropped.
 */
extern void sdcpg_roles_steps(ReturnSetInfo *result,
							  const SdcRelation *relation,
							  const SdcRelationColumns *masked, List *dropped);

/*
 * The columns that an argument name[] lists, or, when it is NULL (names ==
 * NULL), those declared with that role for the relation or, for a partition,
 * its nearest parent that has a declaration.  count is 0 when neither names
 * any; a declared column that is gone stops with an error.
 */
extern SdcRelationColumns sdcpg_roles_columns(const SdcRelation *relation,
											  const char *argument,
											  ArrayType *names, SdcRole role);

/* The same; stops with a hint at sdc.declare when there is none. */
extern SdcRelationColumns sdcpg_roles_need_columns(const SdcRelation *relation,
												   const char *argument,
												   ArrayType *names,
												   SdcRole role);

/* The same for an argument that is one name; NULL when there is none. */
extern SdcRelationColumn *sdcpg_roles_column(const SdcRelation *relation,
											 const char *argument,
											 const char *name, SdcRole role);

/*
 * The name that argument number "argument" (id) gives; when it is NULL, the
 * column declared as the id of the relation.  Stops when there is none.
 */
extern const char *sdcpg_roles_id_argument(FunctionCallInfo fcinfo,
										   int argument, Oid relation);

/*
 * The names that argument number "argument" (called name) lists; when it is
 * NULL, those declared with the role for the relation.  Stops when there are
 * none.
 */
extern ArrayType *sdcpg_roles_names_argument(FunctionCallInfo fcinfo,
											 int argument, const char *name,
											 Oid relation, SdcRole role);

/* What attacks and reports on values are about. */
typedef struct SdcAttributes
{
	SdcRelationColumns keys;
	SdcRelationColumns sensitive;
} SdcAttributes;

/*
 * The columns that the arguments keys and sensitive list, or, where one is
 * NULL, those declared for the relation.  Stops when there are none, or when
 * a column is both.
 */
extern SdcAttributes sdcpg_attributes_find(const SdcRelation *relation,
										   ArrayType *keys,
										   ArrayType *sensitive);

/* Stops when a column is among both. */
extern void sdcpg_attributes_disjoint(const SdcRelationColumns *keys,
									  const SdcRelationColumns *sensitive);

/* Stops when the id is among the keys. */
extern void sdcpg_attributes_not_id(const SdcRelationColumn *id,
									const SdcRelationColumns *keys);

/* The names of columns, an array of count. */
extern const char **sdcpg_attributes_names(const SdcRelationColumns *columns);

/* ----------------------------------------------------------------------
 * Columns that give a key away.
 * ----------------------------------------------------------------------
 */

/*
 * The columns (SdcRelationColumn *) that give a key away although nobody has
 * said what they are: those without a declared role, neither keys nor named
 * in known (char *), whose value determines that of a key, as upper(zip) does
 * and a code of the same thing; columns generated from a key are not among
 * them, as sdcpg_generated_from finds these.  Only a column that has each
 * value twice or more on average is looked at, as one whose values hardly
 * repeat determines everything, and a key that has one value only is given
 * away by nothing.
 * Values are compared as they print.  One query for each such column, with the
 * rights of the caller.
 */
extern List *sdcpg_revealing_find(const SdcRelation *relation,
								  const SdcRelationColumns *keys, List *known);

/*
 * Stops when there is one, and names it with its key.  Of a relation without a
 * declaration nothing is asked.
 */
extern void sdcpg_revealing_refuse(const SdcRelation *relation,
								   const SdcRelationColumns *keys,
								   List *known);

#endif
