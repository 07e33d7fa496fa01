/*
 * policy.h
 *		Policies: how tables are masked, and what a release must satisfy.
 *
 * A policy belongs to the role that created it.  Whatever is done by a policy
 * is done by this role, with its rights: nobody can have a role that may do
 * more run what he wrote.
 */
#ifndef SDC_PG_POLICY_H
#define SDC_PG_POLICY_H

#include "postgres.h"

#include "nodes/pg_list.h"
#include "utils/jsonb.h"

#include "pg/call/relation.h"

/* What a policy says of one table. */
typedef struct SdcPolicyRelation
{
	Oid oid;
	Jsonb *rules;
	Jsonb *constraints;
	Jsonb *params;  /* NULL when none were given */
	Jsonb *columns; /* what the table had then: [{"name", "type"}] */
} SdcPolicyRelation;

typedef struct SdcPolicy
{
	char *name;
	char *owner; /* name of a role, which may be gone */
	int count;
	SdcPolicyRelation *relation;
} SdcPolicy;

/*
 * The policy of that name with its tables, in the order they were added; NULL
 * when there is none, or when it is for others: whoever cannot see a policy
 * cannot tell that it is there.  Its owner, members of this role and
 * superusers see it, and roles that may SELECT from sdc.policy.
 */
extern SdcPolicy *sdcpg_policy_look_up(const char *name);

/* The same; stops when there is none to see. */
extern SdcPolicy *sdcpg_policy_find(const char *name);

/* The policies that a table is in, of those the caller sees: SdcPolicy. */
extern List *sdcpg_policies_of(Oid rel);

/*
 * Stops unless the current role is the very owner of the policy: a member, or
 * a superuser, is to become the owner by SET ROLE first.
 */
extern void sdcpg_policy_need_owner(const SdcPolicy *policy);

/*
 * Writes what a policy says of one table, in place of what it said before.
 * Creates the policy when there is none of that name.  Everything is checked
 * before: columns, methods and keys of rules, words and bounds of
 * constraints, keys of params.
 */
extern void sdcpg_policy_write(const char *name, Oid rel, Jsonb *rules,
							   Jsonb *constraints, Jsonb *params);

/* Takes all tables out of a policy; the same holds as for dropping it. */
extern void sdcpg_policy_clear(const char *name);

/* Drops a policy; stops unless the caller owns it or is a superuser. */
extern void sdcpg_policy_drop(const char *name);

/* The columns of a table and their types: [{"name": ..., "type": ...}]. */
extern Jsonb *sdcpg_policy_columns(const SdcRelation *relation);

#endif
