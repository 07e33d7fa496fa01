/*
 * policy.h
 *		Policies: how tables are masked, and what a release must satisfy.
 *
 * A policy belongs to the role that created it.  Whatever is done by a policy
 * is done by this role, with its rights: nobody can have a role that may do
 * more run what he wrote.
 */
#ifndef SDC_RELEASE_POLICY_H
#define SDC_RELEASE_POLICY_H

#include "postgres.h"

#include "nodes/pg_list.h"
#include "utils/array.h"
#include "utils/jsonb.h"

#include "host/call/relation.h"

/*
 * Columns that the params do not name are those of sdc.declare; id is NULL and
 * counts are 0 when neither names any.
 */
typedef struct SdcPolicyParams
{
	SdcRelationColumn *id;
	SdcRelationColumns keys;
	SdcRelationColumns sensitive;
	SdcRelationColumns drop; /* never published; only of the params */
	char *schema;            /* of the published table, or NULL */
	char *table;             /* its name: that of the table unless given */
	ArrayType *attacks;      /* text[]; NULL: all usual ones */
	double p;
	Jsonb *protect; /* a table of cells is published, not records; or NULL */
	/* over time, see versions.h */
	bool fresh;        /* every release draws anew */
	bool anew;         /* goes on where nobody knows what was published */
	int epoch;         /* every so many releases do; 0: never */
	int batch;         /* rows that are masked together; 0: by the rule */
	double grid;       /* a move that draws anew, in usual moves of the mask */
	int keep_versions; /* that are remembered and attacked together */
	List *apart; /* policies whose tables the recipients have not: char * */
} SdcPolicyParams;

/* Reads params, which may be NULL; stops at what it does not know. */
extern SdcPolicyParams sdcpg_policy_params_read(Jsonb *params,
												const SdcRelation *relation);

/* The columns that a table of cells has as its keys, as name[]. */
extern ArrayType *sdcpg_policy_table_keys(Jsonb *protect);

/* Those of all tables that are protected together: char *. */
extern List *sdcpg_policy_table_all_keys(Jsonb *protect);

/* A list of names (char *) as name[]. */
extern ArrayType *sdcpg_policy_name_list(List *names);

/* name[], which may be NULL, as a list (char *). */
extern List *sdcpg_policy_list_of(ArrayType *names);

/*
 * The attacks that a list of names (char *) is of, as text[]; NULL for NIL.
 * Stops at a name that is not known.
 */
extern ArrayType *sdcpg_policy_attacks(List *names);

/* Do params say that there is nothing to attack, "attacks": []? */
extern bool sdcpg_policy_attacks_none(Jsonb *params);

/* The names of columns as name[]; NULL for none. */
extern ArrayType *sdcpg_policy_names(const SdcRelationColumns *columns);

/* What a policy says of one table. */
typedef struct SdcPolicyRelation
{
	Oid oid;
	Jsonb *rules;
	Jsonb *constraints;
	Jsonb *params;  /* NULL when none were given */
	Jsonb *columns; /* what the table had then: [{"name", "type"}] */
} SdcPolicyRelation;

/* A policy as it is written down. */
typedef struct SdcPolicy
{
	char *name;
	char *owner; /* name of a role, which may be gone */
	int count;
	SdcPolicyRelation *relation;
	Jsonb *copy; /* how a schema is copied, see copy.c; or NULL */
} SdcPolicy;

/*
 * Reads the policy of a name; stops when there is none that the caller may
 * see.
 */
extern SdcPolicy *sdcpg_policy_find(const char *name);

/*
 * Writes how a schema is copied into a policy of the caller, in place of what
 * it said before; creates the policy when there is none of that name.
 */
extern void sdcpg_policy_write_copy(const char *name, Jsonb *copy);

/* The policies that a table is in, of those the caller sees: SdcPolicy. */
extern List *sdcpg_policies_of(Oid rel);

/*
 * Stops unless the current role is the very owner of the policy: a member, or
 * a superuser, is to become the owner by SET ROLE first.
 */
extern void sdcpg_policy_need_owner(const SdcPolicy *policy);

/* Stops where a table of the policy was dropped. */
extern void sdcpg_policy_need_tables(const SdcPolicy *policy);

/* The columns of a table and their types: [{"name": ..., "type": ...}]. */
extern Jsonb *sdcpg_policy_columns(const SdcRelation *relation);

/* ----------------------------------------------------------------------
 * What has changed in a table since somebody decided about it.
 * ----------------------------------------------------------------------
 */

/* A column that somebody must decide about, and why, as a sentence. */
typedef struct SdcDrift
{
	char *column;
	char *reason;
} SdcDrift;

/*
 * What must be decided before a table of a policy can be released: how its
 * columns differ from those that the policy was written for and from those
 * that were declared, and columns that nobody decided about: without a role,
 * without a rule, and not named in the params.  A list of SdcDrift.
 */
extern List *sdcpg_drift_find(const SdcRelation *relation,
							  const SdcPolicyRelation *policy);

#endif
