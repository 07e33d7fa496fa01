/*
 * likelihood.h
 *		The intruder who knows how each mask moves values, and how likely.
 */
#ifndef SDC_TOPIC_LIKELIHOOD_H
#define SDC_TOPIC_LIKELIHOOD_H

#include "postgres.h"

#include <math.h>

#include "nodes/pg_list.h"
#include "utils/array.h"
#include "utils/jsonb.h"

#include "host/data/rows.h"
#include "host/server/host.h"
#include "kernel/intruder/intruder.h"
#include "kernel/intruder/slab.h"
#include "topic/attack/transparency.h"
#include "topic/registry/attacks.h"

/* The arguments of the attack; rules and params may be NULL. */
typedef struct SdcLikelihoodCall
{
	Oid original;
	Oid masked;
	const char *id;
	ArrayType *keys; /* name[] */
	Jsonb *rules;
	Jsonb *params;
	uint64 seed;
	double budget;   /* looks, unless params.work says more or less */
	bool keys_only;  /* is nothing used that goes with the keys? */
	List *published; /* columns (char *) of masked; NIL: all of them */
	bool doubted;    /* must files show that swaps exchange values in pairs? */
} SdcLikelihoodCall;

/* What was read, and the intruder whom the rules are told. */
typedef struct SdcLikelihoodTerms
{
	SdcTransparency transparency;
	SdcHost *host;
	SdcIntruder *intruder;
	bool by_original; /* are the ranks those of the original? */
	bool unknown;     /* does NULL mean that he does not know? */
	bool groups;      /* is there a spread to be fitted? */
	int swaps;        /* terms of rank swapping */
	int left_out;     /* parts without room */
	char *released;   /* columns that go with the keys; NULL: none does */
	struct SdcLikelihoodNames *names; /* NULL: no column has names */
} SdcLikelihoodTerms;

/* Persons, or records. */
static inline const SdcTransparencyFile *
sdcpg_likelihood_file(const SdcLikelihoodTerms *terms, int f)
{
	return f == 0 ? &terms->transparency.original
				  : &terms->transparency.masked;
}

/* Was a column blanked on top of its rule? */
static inline bool
sdcpg_likelihood_is_suppressed(const SdcLikelihoodTerms *terms,
							   const SdcTransparencyPart *part)
{
	return sdcpg_rules_of_table(&terms->transparency.rules,
								part->original[0].number) != NULL;
}

/* A copy of the codes of a field, with a code for NULL. */
extern int32 *sdcpg_likelihood_codes(SdcHost *host,
									 const SdcTransparencyFile *file,
									 int field, int32 null_code);

/* Of the records that are in both files: the share that is as its codes say
 * (codes of both, -1: not known); 1 where none is known. */
extern double sdcpg_likelihood_kept(const SdcLikelihoodTerms *terms,
									const int32 *person, const int32 *record);

/* Adds the terms of all parts; keys beyond his room are left out. */
extern void sdcpg_likelihood_add(SdcLikelihoodTerms *terms);

/* Adds what record swapping tells, the term of one part. */
extern void sdcpg_likelihood_add_places(SdcLikelihoodTerms *terms,
										SdcTransparencyPart *part);

/*
 * Terms for columns whose equal values have equal names: of which kind a value
 * and a name are.
 */
extern void sdcpg_likelihood_add_names(SdcLikelihoodTerms *terms);

/*
 * Names that links tell: of an attack on people who share a value, those who
 * are found tell its name.  _have: are there values whose name is not known
 * yet, room, and so many bytes for links?  _hear takes what an attack
 * believes of some persons (all, where counted is NULL); _learn concludes
 * from all that was heard, and says whether more people's names are told
 * now; _release forgets what was heard.
 */
extern bool sdcpg_likelihood_have_names(SdcLikelihoodTerms *terms,
										double bytes);
extern void sdcpg_likelihood_hear_names(SdcLikelihoodTerms *terms,
										const SdcIntruderCandidates *found,
										const float *chance,
										const bool *counted);
extern bool sdcpg_likelihood_learn_names(SdcLikelihoodTerms *terms);
extern void sdcpg_likelihood_release_names(SdcLikelihoodTerms *terms);

/*
 * Terms for columns that are computed from keys, and for texts that name one.
 * What each person has alone has no category that can be learned from others,
 * but who knows a name knows md5(name).  told: of which there is a term, by
 * what is shown.  What is computed is taken from what is learned; returns the
 * names (char *), each once.
 */
extern List *sdcpg_likelihood_add_computed(SdcLikelihoodTerms *terms,
										   bool *told);

/* Links by which it is seen what a column follows, and how few are too few. */
#define SDC_LIKELIHOOD_LINKS     300
#define SDC_LIKELIHOOD_FEW_LINKS 30

/* Takes persons with a partner from all over the file, SDC_LIKELIHOOD_LINKS at
 * the most; returns how many. */
extern int sdcpg_likelihood_links(const SdcLikelihoodTerms *terms,
								  int32 *link);

/* Numbers of some rows of a file; NaN where they are not finite. */
static inline void
sdcpg_likelihood_take(const double *number, const int32 *row, int rows,
					  double *taken)
{
	int i;

	for (i = 0; i < rows; i++)
		taken[i] = isfinite(number[row[i]]) ? number[row[i]] : NAN;
}

/*
 * What persons have together who share a key that few share, as further
 * numbers that are known, where a column follows one: their number, totals of
 * numbers, parts of these.  O(rows log rows) for each key.
 */
extern void sdcpg_likelihood_add_groups(const SdcLikelihoodTerms *terms,
										SdcIntruderReleased *released,
										const double **person);

/*
 * Numbers that formulas make of the numbers that are known, where a column
 * follows one: products, quotients, squares and reciprocals of two, their
 * sums, and the roots, squares and reciprocals of these.  O(rows) for each,
 * and O(columns keys^4) for the links.
 */
extern void sdcpg_likelihood_add_formulas(const SdcLikelihoodTerms *terms,
										  SdcIntruderReleased *released,
										  const double **person);

/*
 * The same of records, where a number that is known follows a formula of
 * columns: what it makes of each, as number[], and of which columns, as bits.
 * Returns how many, for which there is room beside the columns.
 */
extern int sdcpg_likelihood_shown_formulas(const SdcLikelihoodTerms *terms,
										   const SdcIntruderReleased *released,
										   const double **number,
										   uint32 *columns);

/*
 * Terms for columns that numbers of persons and other columns make together,
 * as hours and an hourly wage do a pay beside an allowance.  O(columns rows).
 */
extern void sdcpg_likelihood_add_bilinear(const SdcLikelihoodTerms *terms,
										  SdcIntruderReleased *released);

/*
 * Places of persons in orders that columns follow, of which some key is a text
 * or which several keys make, as further numbers that are known.
 */
extern void sdcpg_likelihood_add_orders(const SdcLikelihoodTerms *terms,
										SdcIntruderReleased *released,
										const double **person);

/* A term for a column that tells, so often rightly, who has which code. */
static inline void
sdcpg_likelihood_add_codes(SdcLikelihoodTerms *terms, double share,
						   const int32 *person, const int32 *record,
						   int32 codes)
{
	sdc_intruder_add_pram(terms->intruder, Min(share, 1 - SDC_INTRUDER_ERROR),
						  person, record, codes, 1);
}

/*
 * Terms for columns that are running totals of a key in their own order, of
 * all rows or of those of one class.  Returns their names (char *), each once.
 * O(columns^2 keys rows), for so many rows as can be sorted in some seconds.
 */
extern List *sdcpg_likelihood_add_totals(SdcLikelihoodTerms *terms);

/*
 * Terms for columns that are a key and one of few amounts more, one of few
 * times it, or it and whole steps more, as a wage with a bonus of some
 * hundreds: what is left over is that of the key.  Returns their names
 * (char *), each once.  O(rows) for each such column.
 */
extern List *sdcpg_likelihood_add_amounts(SdcLikelihoodTerms *terms);

/*
 * Reads what a call is about, and of columns that are no keys what may go with
 * them; where that is more than can be learned, what does in a sample.
 */
extern void sdcpg_likelihood_ask(const SdcLikelihoodCall *call,
								 SdcPgHost *host,
								 SdcTransparency *transparency);

/* Adds the columns that are no keys and go with them, and names them. */
extern void sdcpg_likelihood_add_released(SdcLikelihoodTerms *terms);

/* Do the rules say that what is shown beside the keys, the which-th, was made
 * with a secret key? */
extern bool sdcpg_likelihood_is_keyed(const SdcTransparency *transparency,
									  int which);

/* What the attack found, for reports and the gate. */
typedef struct SdcLikelihoodFinding
{
	SdcIntruderSuccess success;
	bool sampled; /* were slabs, or a sample of persons, attacked? */
	bool alone;   /* persons by themselves, whom others do not compete with */
	/* the share of the counted that is found; an interval when sampled */
	SdcSlabEstimate found;
	int32 persons;  /* in the original */
	int32 attacked; /* of them counted */
	char *released; /* columns that go with the keys; NULL: none does */
} SdcLikelihoodFinding;

/* Who takes what is believed of each person. */
typedef struct SdcLikelihoodReader
{
	/* called once, before the first person: the ids of both files */
	void (*start)(void *arg, const SdcFrame *original, const SdcFrame *masked);
	/*
	 * Called once for each person attacked whose record is in the masked file:
	 * a row of the original frame, and the rows of the masked one that could
	 * be his record, with chances that add up to at most 1.
	 */
	void (*person)(void *arg, int32 person, int32 count, const int32 *record,
				   const float *chance);
	void *arg;
} SdcLikelihoodReader;

/*
 * Attacks everybody, or what the budget allows, and hands over what is
 * believed; column 0 of a frame is the id as text, in the order of the ids.
 * True: not everybody was attacked.
 */
extern bool sdcpg_likelihood_read(SdcPgHost *host,
								  const SdcLikelihoodCall *call,
								  const SdcLikelihoodReader *reader);

/* The params that a call may have; ends with NULL. */
extern const SdcKey sdcpg_likelihood_params[];

/* Does NULL mean, in this call, that he does not know? */
static inline bool
sdcpg_likelihood_is_unknown(const SdcLikelihoodCall *call)
{
	return sdcpg_keys_choice(sdcpg_likelihood_params, call->params, "nulls") ==
		   1;
}

/* The row "likelihood" of the attacks. */
extern void sdcpg_attack_likelihood(const SdcAttack *attack,
									const SdcAttackCase *of, SdcPgHost *host,
									SdcAttackOutcome *outcome);

/* The same of all versions together, where the case has several. */
extern void sdcpg_attack_sequence(const SdcAttack *attack,
								  const SdcAttackCase *of, SdcPgHost *host,
								  SdcAttackOutcome *outcome);

#endif
