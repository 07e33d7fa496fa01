/*
 * history.h
 *		The history of releases: sdc.release_history.
 *
 * A run writes its row before it does anything and commits it, so that no run
 * is unknown to the history, and none that ended without a word looks like a
 * success: such a one stays "running" until someone looks, and is
 * "interrupted" then.
 */
#ifndef SDC_RELEASE_HISTORY_H
#define SDC_RELEASE_HISTORY_H

#include "postgres.h"

#include "datatype/timestamp.h"
#include "nodes/pg_list.h"
#include "utils/jsonb.h"

#include "host/call/relation.h"
#include "release/policy.h"
#include "topic/mask/rules.h"
#include "topic/registry/attacks.h"

/*
 * The columns of a masked form of the table that are published, in its order:
 * those with a rule, and all others but the id, identifiers, households,
 * persons and what the policy drops.  A list of names (char *).
 */
extern List *sdcpg_published_columns(const SdcPolicyRelation *policy,
									 const SdcPolicyParams *params,
									 const SdcRelation *original,
									 const SdcRelation *masked);

/*
 * Of these, the columns that are NULL in every record, as they are generated
 * from a column that is masked: what the table publishes of them is nothing.
 */
extern List *sdcpg_published_blank(const SdcPolicyRelation *policy,
								   const SdcRelation *original,
								   List *published);

/* A document of rules in which the rule of each subject is null. */
extern Jsonb *sdcpg_published_null(Jsonb *document, List *subjects);

/*
 * A document of rules as the table is masked by it: identifiers without a
 * rule, which are not published, are not read at all (method null).  rules is
 * the document of the policy, read.
 */
extern Jsonb *sdcpg_published_rules(const SdcRelation *original,
									Jsonb *document, const SdcRules *rules);

/*
 * Gives an intruder who knows names, as the registry says, the identifiers,
 * too, as further keys: who looks for somebody knows his name.  They are those
 * of the masked relation, which has them as NULL where they have no rule.
 */
extern void sdcpg_published_name_people(const SdcAttack *attack,
										SdcAttackCase *seen);

/* The rule of the id, or NULL; stops when it masks other columns with it. */
extern const SdcRule *sdcpg_published_rule_of_id(const SdcPolicyParams *params,
												 const SdcRules *rules,
												 const SdcRelation *original);

/* A row of sdc.release_history; what may be NULL is NULL, or 0 for times. */
typedef struct SdcRelease
{
	int64 release;
	char *policy;
	char *owner;
	char *released_by;
	char *status; /* "interrupted" too where the row still says "running" */
	TimestampTz started;
	TimestampTz finished;
	char *snapshot;
	bool seeded;     /* was a seed given? */
	char *signature; /* of sdcpg_seal_sign */
	int tables;      /* numbers of the published tables, in their order */
	Oid *table;
	Jsonb *relations;
	Jsonb *measures;
	char *reason;
} SdcRelease;

/* Several runs. */
typedef struct SdcReleases
{
	int count;
	SdcRelease *release;
} SdcReleases;

/* What the history says of the last table published under a name. */
typedef struct SdcPublished
{
	int64 release;
	Oid table; /* InvalidOid: not known */
	char *definition;
	Jsonb *told;    /* of cells: what it remembers (gate_beside.c), or NULL */
	Jsonb *protect; /* how they were made then; NULL: rows */
} SdcPublished;

/* Finds it for a policy and a target as in SQL; false when there is none. */
extern bool sdcpg_history_published(const char *policy, const char *target,
									SdcPublished *published);

/* Has a policy of anybody published a table? */
extern bool sdcpg_history_has(Oid table);

/* What a policy has published of a relation, under another name or not. */
typedef struct SdcPublishedBeside
{
	char *policy; /* NULL: it was made without one */
	char *target;
	SdcPolicyRelation relation; /* as it was then; InvalidOid: it is gone */
	Jsonb *protect;             /* NULL: rows */
	List *columns;              /* char *: that it has */
	List *parts;                /* oids of the parts it had then */
	Oid table;
} SdcPublishedBeside;

/*
 * The tables that policies of the caller have published last of some relations
 * (oids), or of what these were a part of, or of cells that have a column as
 * respondent (NULL: none), and that are there; but for one table of one of
 * them.  A relation is the one of then, whatever its name is now, the one that
 * has its name, as after a load that makes it anew, and that of its policy, if
 * that says the same of it still.
 */
extern List *sdcpg_history_beside(const char *policy, const char *target,
								  List *relations, const char *respondent);

/*
 * Takes the lock of a policy until the session ends or sdcpg_history_unlock;
 * false when another session has it.  It is an advisory lock of a kind that
 * SQL cannot take.
 */
extern bool sdcpg_history_lock(const char *policy);

/* Gives the lock back. */
extern void sdcpg_history_unlock(const char *policy);

/*
 * Waits until no other release of the current user is under way, until the
 * turn is ended: what is judged beside what is out must see it.  To be called
 * before the transaction has a snapshot.
 */
extern void sdcpg_history_take_turn(void);
extern void sdcpg_history_end_turn(void);

/*
 * Notes that a run begins, and returns its number: a row with the status
 * running.  Rows of the policy that say so of earlier runs become interrupted;
 * so the lock must be held.
 */
extern int64 sdcpg_history_begin(const SdcPolicy *policy, Jsonb *relations);

/*
 * Notes what became of a run: its status, and of release what the row is to
 * say, whose pointers may be NULL.
 */
extern void sdcpg_history_end(const SdcRelease *release);

/*
 * The runs of a policy that the caller may see, first one first: those of
 * policies that he owned then, or all when he may SELECT from
 * sdc.release_history.
 */
extern SdcReleases sdcpg_history_of_policy(const char *policy);

/* The run of that number; NULL when there is none that the caller may see. */
extern SdcRelease *sdcpg_history_find(int64 release);

#endif
