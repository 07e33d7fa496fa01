/*
 * attacks.h
 *		The attacks: the only list of them, and the one way to run each.
 *
 * A row says what an attack needs, what it yields and how it is told; its
 * function lies with its topic.  disclosure_report, the gate, the report of a
 * release and frontier loop over the rows.  An attack that cannot be run gives
 * a reason in place of figures and never ends what it is a part of.
 *
 * Work is counted, in pairs of records that are compared, never measured by a
 * clock.  Beyond its budget an attack is tried on a seeded sample of the
 * people, and its outcome says so with an interval.
 */
#ifndef SDC_TOPIC_REGISTRY_ATTACKS_H
#define SDC_TOPIC_REGISTRY_ATTACKS_H

#include "postgres.h"

#include <math.h>

#include "nodes/pg_list.h"
#include "utils/array.h"
#include "utils/jsonb.h"

#include "host/call/params.h"
#include "host/call/relation.h"
#include "host/server/host.h"

/* The figures of an attack; shares of the people attacked. */
typedef enum SdcAttackStat
{
	SDC_STAT_FOUND,   /* what the attack is judged by: the most it finds */
	SDC_STAT_REID_K,  /* expected by guessing among equally good links */
	SDC_STAT_REID_D,  /* linked to their own record and to no other */
	SDC_STAT_K_REID,  /* the intruder knows the link to be right */
	SDC_STAT_CLAIMED, /* links that the intruder is certain of */
	SDC_STAT_CLAIM_PRECISION, /* share of these that are right */
	SDC_ATTACK_STATS
} SdcAttackStat;

/* Their names, in that order; ends with NULL.  "certain" is k_reid, too. */
extern const char *const sdcpg_attack_stats[SDC_ATTACK_STATS + 1];

/* The figure of a name; SDC_ATTACK_STATS for none. */
extern SdcAttackStat sdcpg_attack_stat_find(const char *name);

/* What an attack is run against; the intruder knows all of it. */
typedef struct SdcAttackCase
{
	const SdcRelation *original;
	const SdcRelation *masked;
	const char *id;       /* a column of both; NULL: none */
	ArrayType *keys;      /* name[] of the original; NULL: none */
	ArrayType *sensitive; /* name[] of the original; NULL: none */
	Jsonb *rules;         /* NULL: how it was masked is not known */
	double p;             /* percent that a number may be off */
	bool seeded;          /* else samples are drawn at random */
	int64 seed;
	const char *method; /* of those of the row; NULL: its usual one */
	Jsonb *params;      /* of this attack; NULL: none */
	/* columns (char *) of masked that will be published; NIL: all of them */
	List *published;
	/*
	 * What several versions show together: relations with the columns of each
	 * version, and their rules; NULL: there is only this one
	 */
	const struct SdcAttackCase *versions;
	/* the tables that are released together; NULL: there is only this one */
	const struct SdcJoined *joined;
	/* what came and went since the version before; NULL: there is none */
	struct SdcAttackChanges *changes;
} SdcAttackCase;

/* What a version and the one before it leave of each other. */
typedef struct SdcAttackChanges
{
	double people; /* in this version */
	double came;   /* of them new, or not as they were */
	double gone;   /* only in the version before */
	double joined; /* of those who came, and of those who are gone, people */
	double left;   /* who count later; else they may be the same */
	double before; /* such people found in the versions that are kept */
	/* queries of the share that an attack on the crowds finds; NULL: nobody */
	char *came_query;
	char *gone_query;
	double found; /* of joined and left; the attack fills it in */
} SdcAttackChanges;

/*
 * The success of links, over the people whose own record is in the other
 * file.  Somebody linked to several equally good records gives each the same
 * probability.
 */
typedef struct SdcLinkSuccess
{
	int32 records;
	int32 unique_right;  /* linked to their own record and no other */
	double right;        /* sum of the probabilities of their own record */
	double error;        /* what rounding took from it */
	int32 claimed;       /* links that the intruder is certain of */
	int32 claimed_right; /* those of them that are right */
} SdcLinkSuccess;

/*
 * Adds the probability of somebody's own record, and keeps what rounding takes
 * from the sum (Neumaier), so that ten tenths are one.
 */
static inline void
sdcpg_success_add(SdcLinkSuccess *found, double probability)
{
	double before = found->right;

	found->right = before + probability;
	found->error += fabs(before) >= fabs(probability)
						? before - found->right + probability
						: probability - found->right + before;
}

/* What came of it.  Texts hold names and numbers, no value of the data. */
typedef struct SdcAttackOutcome
{
	char *reason;   /* why there are no figures, a sentence; else NULL */
	double records; /* people attacked */
	double people;  /* who could be; more than records: a sample */
	double stat[SDC_ATTACK_STATS];  /* NaN: has no value */
	double upper[SDC_ATTACK_STATS]; /* upper ends of 95 % intervals; the stat
									 * itself unless people are a sample */
	/*
	 * shares of values that are right when the same is said of all, and that
	 * are known for sure though that is wrong; NaN: of no use
	 */
	double usual;
	double unusual;
	bool linked;            /* are there links, and so all of the stats? */
	SdcLinkSuccess success; /* of links */
	char *sentence;         /* what was found, in words */
	/* how many were attacked, with the interval, or learned from; or NULL */
	char *sample;
	char *parts; /* what its parts find, a sentence; NULL: it has none */
} SdcAttackOutcome;

/* What an attack needs of its case. */
#define SDC_NEEDS_ID        0x01 /* who tells right links from wrong ones */
#define SDC_NEEDS_KEYS      0x02 /* columns of any type that both have */
#define SDC_NEEDS_SAME_KEYS 0x04 /* that have one type in both */
#define SDC_NEEDS_NUMBERS   0x08 /* that are numbers in both */
#define SDC_NEEDS_SENSITIVE 0x10
#define SDC_NEEDS_RULES     0x20
#define SDC_NEEDS_PERSON    0x40 /* who has events: usual where declared */
#define SDC_NEEDS_TABLES    0x80 /* several, joined: usual where there are */

/* What the figures of an attack are about. */
typedef enum SdcAttackKind
{
	SDC_ATTACK_IDENTITY,  /* whose record it is */
	SDC_ATTACK_ATTRIBUTE, /* what somebody's value is */
	SDC_ATTACK_MEMBERSHIP /* whether somebody is among the records */
} SdcAttackKind;

/* A row: an attack. */
typedef struct SdcAttack
{
	const char *name;
	SdcAttackKind kind;
	int needs; /* SDC_NEEDS_ */
	/*
	 * Is it one of those that are run when nobody names any?  Others need
	 * what only params can name, or cost as much as training models.
	 */
	bool usual;
	bool repeated;      /* is it one of those that frontier repeats? */
	bool anew;          /* is it run on each version of a release? */
	bool over_time;     /* does it look at all versions? */
	bool of_changes;    /* does it look at what came and went? */
	bool of_records;    /* does it look at records, whosoever they are? */
	bool knows_names;   /* does he know identifiers that a release declares? */
	const char *method; /* its usual one; NULL: it has none */
	const char *const *methods; /* NULL: it has none, or check knows */
	const SdcKey *params;       /* keys of all methods; NULL: keys says */
	const SdcKey *(*keys)(const char *method); /* those of one method */
	const char *example; /* params, where some are needed; or NULL */
	/*
	 * Stops at a method, or at a key or value of params, that cannot be had;
	 * reads no data.  NULL: methods and params say it all.
	 */
	void (*check)(const char *method, Jsonb *params);
	const char *intruder; /* "links each person to ..." */
	const char *when;     /* "each original record is linked to ..." */
	/* the same from masked to original, where that may find others; or NULL */
	const char *back;
	double budget; /* pairs of records that it may compare */
	/*
	 * Runs it within the budget.  Fills in the outcome by
	 * sdcpg_attack_links or sdcpg_attack_share, or its reason.  What it
	 * allocates is freed after it; errors about what was asked for become
	 * reasons.
	 */
	void (*run)(const struct SdcAttack *attack, const SdcAttackCase *of,
				SdcPgHost *host, SdcAttackOutcome *outcome);
} SdcAttack;

/* All rows; ends with NULL. */
extern const SdcAttack *const sdcpg_attacks[];

/* The row of a name, or NULL. */
extern const SdcAttack *sdcpg_attack_find(const char *name);

/* Their names; ends with NULL.  O(rows), allocated. */
extern const char *const *sdcpg_attack_names(void);

/* Those that a list (text[]) names; of NULL the usual ones. */
extern bool sdcpg_attack_is_chosen(const SdcAttack *attack, ArrayType *names);

/*
 * Is it an attack on the events of persons, and is a person declared for the
 * relation?  Then it is one of the usual ones.
 */
extern bool sdcpg_attack_is_of_events(const SdcAttack *attack,
									  const SdcRelation *original);

/*
 * Checks the words of a method, and keys and values of params (NULL: none),
 * before any data is there; stops with an error at one that is not known, and
 * where the attack needs one that is not there.
 */
extern void sdcpg_attack_check(const SdcAttack *attack, const char *method,
							   Jsonb *params);

/*
 * Stops where params that were checked so name a column that the original does
 * not have, or that is not one of the keys, where it must be one.
 */
extern void sdcpg_attack_check_columns(const SdcAttack *attack,
									   const char *method, Jsonb *params,
									   const SdcRelation *original,
									   const SdcRelationColumns *keys);

/*
 * Runs an attack in a subtransaction of its own, with the rights of the
 * caller and the snapshot that is active.  What the outcome points to lies in
 * the current memory context.  Needs that are not met, and errors about what
 * was asked for, are a reason; others (rights, cancel, memory) go on.
 */
extern void sdcpg_attack_run(const SdcAttack *attack, const SdcAttackCase *of,
							 SdcAttackOutcome *outcome);

/* "The attack distance (gower) finds ...", or why it cannot be run. */
extern char *sdcpg_attack_sentence(const SdcAttack *attack, const char *method,
								   const SdcAttackOutcome *outcome);

/*
 * For the functions of rows: which of n people to attack, when attacking all
 * costs cost pairs of a budget.  NULL for all; else one flag for each, set
 * for budget / cost of them, at least one, drawn by the seed of the case.
 * O(n).
 */
extern bool *sdcpg_attack_sample(const SdcAttackCase *of, SdcPgHost *host,
								 int32 n, double cost, double budget);

/*
 * For the functions of rows: fills in what links came to, of as many people as
 * there are.
 */
extern void sdcpg_attack_links(SdcAttackOutcome *outcome,
							   const SdcLinkSuccess *found, double people);

/*
 * The same for an attack without links: only SDC_STAT_FOUND has a value, a
 * share of records; the sentence is made from format.
 */
extern void sdcpg_attack_share(SdcAttackOutcome *outcome, double found,
							   double records, const char *format, ...)
	pg_attribute_printf(4, 5);

/* For these, too: says that those attacked were drawn from so many people. */
extern void sdcpg_attack_sampled(SdcAttackOutcome *outcome, double people);

/*
 * For these, too: says that only some of the people were attacked, and the
 * interval of the share found.
 */
extern void sdcpg_attack_interval(SdcAttackOutcome *outcome, double people,
								  double low, double high);

#endif
