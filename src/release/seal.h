/*
 * seal.h
 *		What was published, and how it is known again.
 */
#ifndef SDC_RELEASE_SEAL_H
#define SDC_RELEASE_SEAL_H

#include "postgres.h"

#include "utils/jsonb.h"

#include "host/call/relation.h"
#include "host/data/rows.h"
#include "release/history.h"

/* What the history keeps of a table that a release published. */
typedef struct SdcSeal
{
	Oid oid;          /* of the table; InvalidOid: nothing is known */
	char *owner;      /* its owner */
	char *definition; /* digest of its columns, see sdcpg_seal_definition */
	char *rows;       /* digest of its rows, see sdcpg_seal_rows */
} SdcSeal;

/* Makes the key of a policy unless it has one. */
extern void sdcpg_seal_prepare(const char *policy);

/*
 * What the key of a policy makes of words, SDC_KEYED_HASH_BYTES; each use has
 * a word of its own.
 */
extern void sdcpg_seal_keyed(const char *policy, const char *words,
							 uint8 *output);

/*
 * A seed of 64 bits that depends on a secret of the policy and on the seed
 * given: who knows the seed, but not the secret, cannot replay the masks.
 */
extern uint64 sdcpg_seal_seed(const char *policy, int64 seed);

/*
 * SHA-256, in hexadecimal, of the kind of a table and of the names, types,
 * lengths and collations of its columns.
 */
extern char *sdcpg_seal_definition(Oid table);

/*
 * What about a table would make writing or reading it run code of somebody, or
 * touch other tables, or miss rows, in a sentence; NULL when nothing does.
 */
extern char *sdcpg_seal_obstacle(Oid table);

/*
 * A keyed digest of the rows of a table, in hexadecimal, whatever their order:
 * the sum modulo 2^256 of a keyed SHA-256 of each row.  The key is of the
 * policy, the release and the place of the table in it.  Says how many rows
 * there are unless rows is NULL.  Needs the right to read the table; O(bytes
 * of the table).
 */
extern char *sdcpg_seal_rows(const SdcRelation *table, const char *policy,
							 int64 release, int place, int64 *rows);

/* A digest in the making; private to seal.c. */
typedef struct SdcSealSum SdcSealSum;

/*
 * The same of rows that come by another way than a query of the table: as they
 * are written.  *rows becomes who takes them, which are all of its rows and
 * columns, in any order of the rows.  pinned: the settings of
 * sdcpg_seal_pin_settings hold meanwhile.
 */
extern SdcSealSum *sdcpg_seal_sum(const char *policy, int64 release, int place,
								  bool pinned, SdcRows *rows);

/*
 * The digest of the rows that came, and how many unless rows is NULL.  NULL
 * where a text of their values depends on settings that were not pinned.
 */
extern char *sdcpg_seal_sum_end(SdcSealSum *sum, int64 *rows);

/*
 * Pins the settings that the text of values depends on, and the search path;
 * for who started a level of settings (NewGUCNestLevel) and ends it.
 */
extern void sdcpg_seal_pin_settings(void);

/*
 * HMAC-SHA-256, in hexadecimal, with the key of the policy, of what the
 * history says was published and measured.
 */
extern char *sdcpg_seal_sign(const char *policy, int64 release,
							 Jsonb *relations, Jsonb *measures);

#endif
