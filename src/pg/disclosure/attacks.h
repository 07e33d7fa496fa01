/*
 * attacks.h
 *		The attacks that a report runs against a masked file.
 */
#ifndef SDC_PG_ATTACKS_H
#define SDC_PG_ATTACKS_H

#include "postgres.h"

#include "utils/array.h"
#include "utils/jsonb.h"

#include "pg/disclosure/link_success.h"
#include "pg/call/relation.h"

/*
 * What an attack is run against.  The intruder is given the most there can
 * be: the whole original.
 */
typedef struct SdcAttackTarget
{
	const SdcRelation *original;
	const SdcRelation *masked;
	const char *id;
	ArrayType *numeric_keys; /* name[], numbers in both; NULL if none are */
	ArrayType *keys;         /* name[]; NULL if there are none */
	int64 pairs;             /* records of one times records of the other */
	Jsonb *rules;            /* NULL: how it was masked is not known */
} SdcAttackTarget;

typedef struct SdcAttack
{
	const char *method;   /* as in the argument methods */
	const char *subject;  /* as in the report */
	const char *sentence; /* "when each ..." */
	/*
	 * Runs it and counts its success; or returns, as a sentence, why it
	 * cannot be run against this target.
	 */
	const char *(*run)(const SdcAttackTarget *target, SdcPgHost *host,
					   SdcLinkSuccess *found);
	bool needs_rules; /* run only when they are known */
} SdcAttack;

/* All attacks, in the order of their reports; the last has no method. */
extern const SdcAttack sdcpg_attacks[];

#endif
