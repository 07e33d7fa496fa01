/*
 * transparency.h
 *		What rules that are known leave possible: B_j(x) and its intersection.
 *
 * Two relations, their keys, and the rules that made the one from the other.
 * Each rule, column by column or for several columns together, is a part that
 * leaves every original record a set of masked ones.
 */
#ifndef SDC_TOPIC_TRANSPARENCY_H
#define SDC_TOPIC_TRANSPARENCY_H

#include "postgres.h"

#include "nodes/execnodes.h"
#include "utils/array.h"

#include "host/call/relation.h"
#include "host/data/alignment.h"
#include "host/data/dictionary.h"
#include "host/data/rows.h"
#include "host/server/host.h"
#include "kernel/base/matrix.h"
#include "kernel/intruder/candidate.h"
#include "topic/mask/rules.h"
#include "topic/registry/attacks.h"
#include "topic/registry/words.h"

/*
 * One of the two files, in the order of the ids: field 0 is the id, the others
 * are expressions that the parts asked for.
 */
typedef struct SdcTransparencyFile
{
	const SdcRelation *relation;
	SdcRelationColumn id;
	int fields;
	int room;
	char **sql;
	SdcFrameType *type;
	SdcDictionary **dictionary;
	SdcFrame *frame;
	SdcIds ids;
	const char *drawn; /* the ids that are read, as SQL; NULL: all */
} SdcTransparencyFile;

/* A field of each file; codes of both are ranks of one dictionary. */
typedef struct SdcTransparencyPair
{
	int original;
	int masked;
} SdcTransparencyPair;

/* A rule, or a column without one, and what it leaves possible; see below. */
typedef struct SdcTransparencyPart SdcTransparencyPart;

/* Both files, the rules, and what they leave possible. */
typedef struct SdcTransparency
{
	SdcPgHost *host;
	SdcTransparencyFile original;
	SdcTransparencyFile masked;
	int32 *partner; /* of each original row, or -1 */
	bool complete;  /* is every masked record one of the original? */
	bool whole;     /* and every original one masked? */
	SdcRules rules;
	Jsonb *params;
	SdcRelationColumns keys; /* of the original */
	/* sample_rows: the person looked for may be absent */
	bool sampled;
	double share; /* of the records that were kept, 0 .. 1 */
	int parts;
	SdcTransparencyPart *part;
	int dictionaries;
	SdcDictionary **dictionary;
	/* keys that are numbers in both files */
	int numbers;
	SdcTransparencyPair *number;
	AttrNumber *number_key; /* of the original, for each of them */
	/* fields of keys that are numbers in the original, and of columns of the
	 * masked file that are no keys, where they were asked for: numbers, or
	 * codes of a dictionary */
	int known;
	int *known_field;
	/* and of the other keys, as codes of their texts */
	int told;
	int *told_field;
	SdcDictionary **told_dictionary;
	/* what the masked file shows of each key: numbers, or codes of texts */
	int *shown_field;
	int released;
	int *released_field;
	const char **released_column; /* as SdcShown has them */
	const char **released_name;
	bool *released_tried; /* in vain, whether it is computed from keys */
	SdcDictionary **released_dictionary; /* NULL: a number */
	SdcCandidateScore score;
	bool weighted; /* does any part say how likely it makes what? */
	/* all parts, and the exact ones only when there are others */
	SdcCandidateSearch *search;
	SdcCandidateSearch *exact;
	bool all_exact;
} SdcTransparency;

/* The most columns that one set of values is in: a microaggregated group. */
#define SDC_TRANSPARENCY_COLUMNS SDC_MAX_COLUMNS

struct SdcTransparencyPart
{
	const SdcRule *rule; /* NULL: no rule, so the column should be unchanged */
	const SdcMask *mask; /* that of the rule, or keep */
	const char *subject;
	int columns;
	SdcRelationColumn *original;
	SdcRelationColumn *masked;

	/* strata: masked fields are -1 where the masked file does not show them */
	int strata;
	SdcTransparencyPair *stratum;

	/* rows with equal values have equal names; -1: not so, or not known */
	SdcTransparencyPair names;

	/* fields asked for; their meaning is that of the method */
	SdcTransparencyPair *value;
	int other; /* a second field of the original, or -1 */
	int level; /* of the hierarchy, where each level is a part */
	/* masked fields of the rule's columns that are no keys, where the means
	 * of groups are shown whole; NULL: they are not, or all are keys */
	int *beside;
	int8 *home; /* at level 0, once found: level by code of a label; -1 */

	/* what was found: is the own record always in the set? */
	bool exact;
	SdcCandidateSet set;
	bool weighted;
	SdcCandidateWeight weight;
};

/* The numbers of a field of one file, which keeps them; NaN: not known. */
static inline const double *
sdcpg_transparency_numbers(const SdcTransparencyFile *file, int field)
{
	return file->frame->column[field].number;
}

/* Adds a field to a file, unless it is one of its numbers already, and returns
 * its number.  Missing numbers will be NaN. */
extern int sdcpg_transparency_field(SdcTransparencyFile *file, char *sql,
									SdcFrameType type,
									SdcDictionary *dictionary);

/* A dictionary for fields of both files, of the type of a column. */
extern SdcDictionary *
sdcpg_transparency_dictionary(SdcTransparency *transparency,
							  const SdcRelation *relation,
							  const SdcRelationColumn *column);

/* What is read beside keys. */
typedef struct SdcTransparencyAsk
{
	/* how many numbers and categories (SdcShown *) at the most, which, and if
	 * NIL, of which columns (char *), NIL: of all; who chooses among more */
	int released;
	List *shown;
	List *published;
	List *(*choose)(void *arg, List *shown);
	void *arg;
	int sample; /* so many records of the masked file, and theirs; 0: all */
} SdcTransparencyAsk;

/*
 * Reads both relations: the fields that the parts asked for, and the partner
 * of each original record.  Nothing is found yet.  Columns of a rule with keys
 * are read as well, but where ask is NULL.
 */
extern void sdcpg_transparency_read(SdcTransparency *transparency,
									SdcPgHost *host, Oid original, Oid masked,
									const char *id, ArrayType *keys,
									Jsonb *rules, Jsonb *params,
									const SdcTransparencyAsk *ask);

/* Finds what one part of what was read leaves possible. */
extern void sdcpg_transparency_find(SdcTransparency *transparency,
									SdcTransparencyPart *part);

/* Says which rule an error is about: an error callback, of its subject. */
extern void sdcpg_transparency_tell_rule(void *subject);

/*
 * The strata of a part, numbered over both files; *masked is NULL, and every
 * masked record can be of any stratum, when that file does not show them.
 */
extern void sdcpg_transparency_strata(SdcTransparency *transparency,
									  SdcTransparencyPart *part,
									  uint32 **original, uint32 **masked);

/* Is a key drawn, so that only what it goes with tells of its value? */
static inline bool
sdcpg_transparency_is_drawn(const SdcTransparency *transparency,
							AttrNumber key)
{
	const SdcRule *rule = sdcpg_rules_of(&transparency->rules, key);

	return rule != NULL && rule->method->likelihood == SDC_LIKELIHOOD_DRAWN;
}

/* The codes of a field as they make keys; a NULL is SDC_CANDIDATE_MISSING. */
static inline const uint32 *
sdcpg_transparency_codes(const SdcTransparencyFile *file, int field)
{
	return (const uint32 *) file->frame->column[field].code;
}

/* Is a value of a field missing, by row? */
extern bool *sdcpg_transparency_missing(SdcHost *host,
										const SdcTransparencyFile *file,
										int field);

/* The row "transparency" of the attacks, and keys of its params. */
extern void sdcpg_attack_transparency(const SdcAttack *attack,
									  const SdcAttackCase *of, SdcPgHost *host,
									  SdcAttackOutcome *outcome);
/* clang-format off */
/*
 * Keys of params: how far a noise or a rank may go, "p_bound" for the p that
 * rules say, "delta" for the share of noise that is further away.
 */
#define SDC_TAKES_BOUNDS \
	{"p_bound", SDC_KEY_NUMBER, .low = 0, .high = 100, \
	 .shape = SDC_KEY_ONE_OR_BY_COLUMN}, \
	{"delta", SDC_KEY_NUMBER, .low = 1e-300, .high = 1, .absent = "1e-9"}
/* clang-format on */

/* All keys of its params; ends with a name that is NULL. */
extern const SdcKey sdcpg_transparency_params[];

#endif
