/*
 * intruder.h
 *		The one intruder: who is behind which masked record, how surely.
 *
 * The intruder holds the masked file, knows its rules and parameters (never
 * seeds) and, of some persons, some original values.  For person i and masked
 * record j the score is
 *		L(i, j) = sum over what he knows of log P(b_j | a_i, rule) - log P(b_j)
 * where an unknown value adds 0 and columns masked together add one joint
 * term.  Every term is mixed with an error rate, so that one typing error
 * does not exclude the truth.
 *
 * In this order:
 *	1. sdc_intruder_create, one sdc_intruder_add_* for each rule and column;
 *	   after these sdc_intruder_add_released and _add_categories, which learn
 *	   from links what goes with them;
 *	2. sdc_intruder_task_size, _fill: a task in one piece of memory that
 *	   processes can share; sdc_intruder_task_work on each block, in any order
 *	   by anyone: the result is the same;
 *	3. sdc_intruder_candidates: the lists of all persons;
 *	4. sdc_intruder_answer: likeliest record of each person by himself, one
 *	   to one, and by belief; chance that he is in the file at all;
 *	5. sdc_intruder_success against the truth.
 * Where the whole takes too long, slab.h chooses persons for step 2.
 */
#ifndef SDC_KERNEL_INTRUDER_H
#define SDC_KERNEL_INTRUDER_H

#include "kernel/base/host.h"
#include "kernel/intruder/match.h"
#include "kernel/mask/noise.h"
#include "kernel/mask/rank_swap.h"

/* Terms (calls of sdc_intruder_add_*) and columns of all terms at most. */
#define SDC_INTRUDER_TERMS 64

/* The chance that a value is not what the rule says, by default. */
#define SDC_INTRUDER_ERROR 1e-3

/* Candidates more than so much below a person's best are left out. */
#define SDC_INTRUDER_DEPTH 14

/* Those with less than this share of the weight of a person's list, too. */
#define SDC_INTRUDER_SHARE 1e-4

/* ---------------------------------------------------------------------------
 * What is known.
 */

/* What an intruder knows; private to kernel/intruder. */
typedef struct SdcIntruder SdcIntruder;

/*
 * An intruder who knows something of so many persons and looks for them among
 * so many masked records; both at least 1.  Rows of both files are in an
 * order that does not depend on the other file's, by their id for example:
 * ties are broken by a shuffle of each, from the seed.  error is the chance
 * that a value is not what its rule says, 0 < error < 1.
 * Everything is allocated from the host and given back by _release.
 */
extern SdcIntruder *sdc_intruder_create(SdcHost *host, int32_t persons,
										int32_t records, double error,
										uint64_t seed);

/* Gives back all that was added to an intruder, but no tasks and lists. */
extern void sdc_intruder_release(SdcIntruder *intruder);

/*
 * Is there room for so many more terms, and columns of numbers in them?  A
 * call of sdc_intruder_add_* takes one term; noise and groups take a column of
 * numbers for each of theirs.  Nothing may be added beyond.
 */
extern bool sdc_intruder_has_room(const SdcIntruder *intruder, int terms,
								  int columns);

/*
 * Keys of values that have an order: the stratum (rules may be applied by
 * groups) above the number of the value among all values of both files in
 * their order.  A missing value comes last in its stratum and stays missing.
 */
#define SDC_INTRUDER_MISSING UINT32_MAX

/* What is not known: of a person, or of a masked record (blanked later). */
#define SDC_INTRUDER_UNKNOWN UINT64_MAX

/* Such a key. */
static inline uint64_t
sdc_intruder_key(uint32_t stratum, uint32_t code)
{
	return (uint64_t) stratum << 32 | code;
}

/*
 * Rank swapping of one column by p percent (0 to 100) of the values of each
 * stratum.  person and record are keys, by row.  reference are the keys of
 * the file whose ranks are meant: NULL when that is the masked file, because
 * it is as it left the mask (also when persons were drawn before the mask, or
 * few are known); those of the original, when records were cut after the
 * mask.  O(n) time, and the law of the displacement, some 0.05 to 1 s of CPU
 * for each different (method, window, values of the stratum).
 */
typedef struct SdcIntruderSwap
{
	SdcRankSwapMethod method;
	double p;
	const uint64_t *person;
	const uint64_t *record;
	const uint64_t *reference; /* unsorted */
	int32_t references;
} SdcIntruderSwap;

/* Adds a column that was rank swapped. */
extern void sdc_intruder_add_rank_swap(SdcIntruder *intruder,
									   const SdcIntruderSwap *swap);

/*
 * A column that the mask keeps, or that is a function of the original value
 * (generalize, top_code, round_to, mask_text ...), which was applied to the
 * person's value first.  Codes 0 .. codes - 1 number the values of both files
 * in an order; -1 is not known (person) or suppressed (record).  A person's
 * code that no record has counts as absent: see sdc_intruder_answer.
 */
extern void sdc_intruder_add_equal(SdcIntruder *intruder,
								   const int32_t *person,
								   const int32_t *record, int32_t codes);

/*
 * A rule of which only is known what it can make: codes low[i] .. high[i],
 * one as likely as another in proportion to its records; low[i] > high[i]
 * tells nothing.  Shuffling is the range of the whole stratum.
 */
extern void sdc_intruder_add_range(SdcIntruder *intruder, const int32_t *low,
								   const int32_t *high, const int32_t *record,
								   int32_t codes);

/*
 * Post-randomisation: a value stays with chance p and is otherwise drawn from
 * the masked column's frequencies in its stratum.  Codes as above, those of
 * stratum s being s * codes .. (s + 1) * codes - 1; that a record is of the
 * person's stratum at all is for a term of equality to say.
 */
extern void sdc_intruder_add_pram(SdcIntruder *intruder, double p,
								  const int32_t *person, const int32_t *record,
								  int32_t codes, int32_t strata);

/* The number of the next term: that of sdc_intruder_add_* is what this was. */
extern int sdc_intruder_terms(const SdcIntruder *intruder);

/* Changes what is known of persons, and the chance, of a term of
 * post-randomisation. */
extern void sdc_intruder_renew_pram(SdcIntruder *intruder, int term, double p,
									const int32_t *person);

/*
 * Post-randomisation by a matrix: code a of a stratum becomes its code b with
 * the chance at chance[a * codes + b], in stratum s that of matrix s where
 * there are as many matrices as strata, and else of the only one.  Codes and
 * strata as above.  Chances of all matrices are kept, as floats.
 */
extern void sdc_intruder_add_matrix(SdcIntruder *intruder,
									const double *chance, int32_t matrices,
									const int32_t *person,
									const int32_t *record, int32_t codes,
									int32_t strata);

/*
 * Noise added to one column, or to several together: with the covariance
 * alpha Cov of the columns, whose correlations it keeps (sdc_noise_add,
 * sdc_noise_add_correlated).  It was added within strata, whose numbers are
 * given by row (NULL: there are none); a small stratum is taken to be like the
 * others.  The noise of several columns is turned into independent draws by
 * the factor of the mask, so columns are in its order, and the law is that of
 * the draws; if some of its columns are missing here, use SDC_NOISE_GAUSSIAN.
 * What is missing (NaN) in a row hides the columns behind it as well; a
 * Gaussian law takes the columns with the fewest missing values first.
 * base: each column was rounded to multiples of it then; 0: not.  O(rows
 * columns^2 + rows log rows).
 */
typedef struct SdcIntruderNoise
{
	SdcNoiseLaw law;
	double alpha; /* above 0 */
	int columns;  /* 1 .. SDC_MAX_COLUMNS */
	const double *const *person;
	const double *const *record;
	const double *base; /* by column */
	const uint32_t *person_stratum;
	const uint32_t *record_stratum;
	/* is the covariance that of the persons, because they are all that was
	 * masked?  else it is that of the records, over 1 + alpha */
	bool by_person;
	/* the noise of the only column, where it is known without alpha; else 0 */
	double deviation;
} SdcIntruderNoise;

/* Adds columns that were masked with noise. */
extern void sdc_intruder_add_noise(SdcIntruder *intruder,
								   const SdcIntruderNoise *noise);

/*
 * A place that was moved to somewhere on a ring around it, all of it alike.
 * Columns, 2 or 3, are vectors whose straight distances tell the ring, divided
 * by its outer radius; inner is the share of that, 0 .. 1.  A vector with a
 * NaN is not known.  O(records), and the distances from 512 of them to all.
 */
typedef struct SdcIntruderRing
{
	int columns;
	const double *const *person;
	const double *const *record;
	double inner;
} SdcIntruderRing;

/* Adds places that were moved. */
extern void sdc_intruder_add_ring(SdcIntruder *intruder,
								  const SdcIntruderRing *ring);

/*
 * Microaggregation of one column: the groups whose means enclose the value,
 * with a chance linear between them.
 */
extern void sdc_intruder_add_microaggregate(SdcIntruder *intruder,
											const double *person,
											const double *record);

/*
 * Microaggregation of several columns together: a Student law (4 degrees) of
 * the distance from the centroid over the columns that are known, each in
 * standard deviations of the masked column.  record holds first the masked
 * columns in which something is known of people, then the other ones of the
 * groups; shown is the number of all of them.  Groups are as wide as the
 * distance to the means next to theirs says, in proportion; where not all
 * columns of the groups are seen, shown is 0 and all are taken to be alike.
 * spread 0: that factor is fitted with sdc_intruder_fit_spread before the
 * task, .07 to begin with.  columns at least 1; NaN: not known.
 * O(columns records log records).
 */
typedef struct SdcIntruderGroups
{
	int columns;
	const double *const *person;
	const double *const *record;
	int shown; /* 0 or columns .. SDC_MAX_COLUMNS */
	/* are the persons those behind the records, all of them?  Then the squares
	 * that the file has lost are those within the groups */
	bool whole;
	double spread;
} SdcIntruderGroups;

/* Adds columns that show the means of groups. */
extern void sdc_intruder_add_group(SdcIntruder *intruder,
								   const SdcIntruderGroups *groups);

/*
 * Persons who have a record (partner: by person, -1: none), at most so many,
 * and as many as there are; returns how many.  They come in no order: of a
 * file in which husbands and wives take turns, every second one would be of
 * one sex.  The same ones each time.  O(persons).
 */
extern int32_t sdc_intruder_draw_links(SdcHost *host, const int32_t *partner,
									   int32_t persons, int32_t most,
									   int32_t *link);

/* Numbers known of a person, and released columns, that are asked. */
#define SDC_INTRUDER_KNOWN    64
#define SDC_INTRUDER_RELEASED 16

/* Of more numbers than these those are chosen that explain a column. */
#define SDC_INTRUDER_TOGETHER 8

/* What a column was found to tell, which may be nothing. */
typedef struct SdcIntruderTold SdcIntruderTold;

/*
 * Columns of the masked file of which nothing is known of any person, and what
 * they may go with: numbers known of persons, and the masked values of keys.
 * partner is each person's record, -1: none.  NaN: missing.
 */
typedef struct SdcIntruderReleased
{
	int known; /* 0 .. SDC_INTRUDER_KNOWN */
	const double *const *person;
	/* the same for learning, as below; or NULL */
	const double *const *person_learned;
	int masks; /* 0 .. SDC_INTRUDER_KNOWN */
	const double *const *mask;
	int columns; /* 0 .. SDC_INTRUDER_RELEASED */
	const double *const *record;
	/* the same for learning, where that is not to be learned from; or NULL */
	const double *const *learned;
	const int32_t *partner;
	bool *used; /* by column: does it go with what is known? */
	/* by column: the log of the likelihood that links gain by it, at first 0;
	 * or NULL */
	double *gain;
	/* by column, where it is only asked which do, of many: what was learned of
	 * it, NULL: not yet.  It is left there, and what is there is used as it
	 * is.  Classes have no laws then.  NULL: nothing is left */
	SdcIntruderTold **told;
	/* keys as categories of persons, 0 .. codes - 1 or negative: NULL: those
	 * that are no numbers, then numbers by their parts, and behind these keys
	 * numbers of few values by their values */
	int keys;
	int no_numbers;
	int coded;
	const int32_t *const *category;
	const int32_t *codes;
	/* columns as classes of records, NULL: it has many values; or NULL */
	const int32_t *const *class_of_record;
	const int32_t *classes;
} SdcIntruderReleased;

/*
 * A released column of categories as numbers: means, over the persons whose
 * records have the category, of the known number that goes with it most.
 * learned[record] is that of the folds of persons that the own one is not in;
 * shown[record] that of the whole category, the same for all of its records.
 * NaN: NULL, or no other fold has it.  False, and all NaN: none goes with it.
 * code[record] is 0 .. codes - 1, or negative: NULL.  O(known rows).
 */
extern bool sdc_intruder_category_means(SdcIntruder *intruder,
										const SdcIntruderReleased *released,
										const int32_t *code, int32_t codes,
										double *learned, double *shown);

/*
 * The same of names that say nothing but which records belong together: means,
 * over the other records that have the category, of the masked key that is
 * most alike in these.  NaN: no other record has it, or the own one is NULL.
 * O(masks rows).
 */
extern bool sdc_intruder_masked_means(SdcIntruder *intruder,
									  const SdcIntruderReleased *released,
									  const int32_t *code, int32_t codes,
									  double *mean);

/*
 * What a category that is known of the persons tells of a released column, as
 * a number of each person: the mean of the column over the linked persons of
 * his category, and for learning over those of the other folds; where there
 * is none, that of all.
 * code[person] is 0 .. codes - 1, or negative: NULL.  Returns what it explains
 * of the column, in links that it explains whole, or 0: the column does not go
 * with it.  O(rows + codes).
 */
extern double sdc_intruder_known_means(SdcIntruder *intruder,
									   const SdcIntruderReleased *released,
									   const double *column,
									   const int32_t *code, int32_t codes,
									   double *learned, double *mean);

/*
 * Adds a term for each column that goes with what is known, as a line and a
 * spread that are fitted to the true links; returns how many.  O(rows columns
 * + columns^3).
 */
extern int sdc_intruder_add_released(SdcIntruder *intruder,
									 const SdcIntruderReleased *released);

/* Other columns are learned beside it: place[c] is where the c-th of those
 * before is now, -1: nowhere. */
extern void sdc_intruder_move_told(SdcIntruderTold *told, const int *place,
								   int columns);

/* Gives back what was learned of a column; NULL: nothing was. */
extern void sdc_intruder_forget(SdcHost *host, SdcIntruderTold *told);

/* Numbers of a bilinear form, of each file. */
#define SDC_BILINEAR_COLUMNS 8

/*
 * A column of the masked file that keys and other columns make together:
 *		record[0] = person[0] + sum of person[c] record[c], c from 1 on,
 * up to a small error, where record[0] is what is left of the column without
 * what records make of it alone, and person[0] what persons do.  columns is 2
 * .. SDC_BILINEAR_COLUMNS; NaN: not known; partner is each person's record,
 * -1: none.
 */
typedef struct SdcIntruderBilinear
{
	int columns;
	const double *const *person;
	const double *const *record;
	const int32_t *partner;
} SdcIntruderBilinear;

/*
 * Adds a term for such a column, where it tells own records from those that
 * are taken for them by all terms so far; false: it does not.  The law of its
 * errors is fitted to true links.  O(columns^2 rows), and the search of some
 * persons.
 */
extern bool sdc_intruder_add_bilinear(SdcIntruder *intruder,
									  const SdcIntruderBilinear *form);

/*
 * Categories that are known of persons and categories that are released, each
 * beside the other: how often which goes with which is learned from the true
 * links, and counts as far as it tells the own record from its strongest
 * rivals, whatever all terms before say.  Codes are 0 .. codes - 1, or
 * negative: NULL.
 */
typedef struct SdcIntruderCategories
{
	int keys;
	const int32_t *const *person;
	const int32_t *person_codes;
	int columns;
	const int32_t *const *record; /* NULL: the column has no categories */
	const int32_t *record_codes;
	const int32_t *partner; /* of each person, -1: none */
	bool *used;             /* by column: set where it goes with a key */
	double *gain; /* by column: raised to what links gain by it; or NULL */
} SdcIntruderCategories;

/*
 * Numbers as such codes: the thirty-second part of them in which they lie,
 * equal ones in the same.  NaN is a code of its own where missing, else
 * negative.  Returns an array of the caller's; codes: how many there are.
 */
extern const int32_t *sdc_intruder_bins(SdcHost *host, const double *number,
										int32_t n, bool missing,
										int32_t *codes);

/*
 * Numbers of few values as such codes, one for each value: at most 200, and an
 * eighth of n.  NULL: there are more, or one alone.  As above.
 */
extern const int32_t *sdc_intruder_values(SdcHost *host, const double *number,
										  int32_t n, bool missing,
										  int32_t *codes);

/* What a table of chances may have at the most: more are not asked. */
#define SDC_INTRUDER_CHANCES 4000000

/*
 * Adds a term for each key and column that go together, after all others of
 * the columns that are told; returns how many.  O(keys columns (persons +
 * chances)), and a search of 500 persons.
 */
extern int sdc_intruder_add_categories(SdcIntruder *intruder,
									   const SdcIntruderCategories *of);

/* ---------------------------------------------------------------------------
 * Candidates.
 */

/* Candidates of a person that are kept; wide laws need 64. */
#define SDC_INTRUDER_ROOM     64
#define SDC_INTRUDER_ROOM_MAX 1024

/* Who is looked for, and which candidates are kept. */
typedef struct SdcIntruderSearch
{
	const int32_t *who; /* persons to look for; NULL: all of them */
	int32_t count;      /* of who */
	int32_t room; /* candidates of a person that are kept, 1 .. ROOM_MAX */
	double depth; /* SDC_INTRUDER_DEPTH */
	double share; /* SDC_INTRUDER_SHARE; 0: however little they weigh */
	/* what do all others weigh together?  For chances, unless exchanges
	 * change the scores of the lists afterwards. */
	bool rest;
	/* place of the first of who on the route of a longer search of which this
	 * is a piece: it breaks ties */
	int32_t from;
} SdcIntruderSearch;

/* Records by which that is estimated: exact where there are not more. */
#define SDC_INTRUDER_REST 256

/*
 * The persons of a search in the order in which a task looks for them, an
 * array of the caller's.  Who looks for them piece by piece in that order,
 * with from, to have less memory, and joins the lists, has those of one task.
 */
extern int32_t *sdc_intruder_route(SdcIntruder *intruder,
								   const SdcIntruderSearch *search);

/*
 * Bytes of a task: about 8 (room + terms) a person of the search, 4 to 8 a
 * term and 8 a record.  The first call for an intruder also sorts the
 * records into a tree of boxes, O(records log records).
 */
extern size_t sdc_intruder_task_size(SdcIntruder *intruder,
									 const SdcIntruderSearch *search);

/* Sets a task up in memory of that size, aligned to 8 bytes. */
extern void sdc_intruder_task_fill(SdcIntruder *intruder,
								   const SdcIntruderSearch *search,
								   void *memory);

/* Blocks of a task. */
extern uint64_t sdc_intruder_task_blocks(const void *memory);

/*
 * Works off one block: for each of its persons the best records, none worse
 * than depth below the best nor of less than share of the weight of the list,
 * by boxes of ranks with an upper bound.
 */
extern void sdc_intruder_task_work(SdcHost *host, void *memory,
								   uint64_t block);

/*
 * Boxes and records that a search looks at, estimated by the searches of
 * sample persons spread over the file (deterministic): what a budget of work
 * is compared with before the task.  A look takes about 10 ns.  entries: how
 * long the lists are on the average.
 */
extern int64_t sdc_intruder_task_estimate(SdcHost *host, const void *memory,
										  int32_t sample, double *entries);

/*
 * The lists of candidates.  Row k of lists is person[k], column c is
 * record[c]; both are in an order of the intruder's own, in which ties are
 * broken.  full is how many lists have all the room and a last entry that
 * still weighs: where most are full, probabilities may be too high, and the
 * room should be doubled.
 */
typedef struct SdcIntruderCandidates
{
	SdcMatchLists lists;
	int32_t *person;
	int32_t *record;
	int32_t full;
	int64_t looks; /* boxes and records looked at */
} SdcIntruderCandidates;

/*
 * Copies the lists from a finished task, which may then be given back.  8
 * bytes an entry, best first in each list.
 */
extern SdcIntruderCandidates *sdc_intruder_candidates(SdcHost *host,
													  const void *memory);

/*
 * Puts the lists of a later piece of the same search behind those found, and
 * gives more back.
 */
extern void sdc_intruder_candidates_join(SdcHost *host,
										 SdcIntruderCandidates *found,
										 SdcIntruderCandidates *more);

/* Gives the lists back. */
extern void sdc_intruder_candidates_release(SdcHost *host,
											SdcIntruderCandidates *found);

/*
 * What rank swapping gives away by exchanging values in pairs: if record r is
 * person i's and its value in a swapped column is person j's, then the record
 * that has i's value is j's, as likely as the other columns say.  Where few
 * share a value, all pairs of them are asked, as far as about work profiles
 * may be looked up (each 0.1 us).  j need not be among those searched for.
 * Lists are sorted anew, and at most ADDED records that the best exchanges
 * name are added to each.
 *
 * The memory, aligned to 8 bytes, has a task of everybody with room for one,
 * 25 bytes a person and swapped column, 240 kB a swapped column, and the
 * lists.  _work adds to the scores of one block of rows, O(entries * swapped
 * columns * terms); the first blocks make ready for the others, which may only
 * begin when these are done.  _take follows, also what was named before, and
 * renews the lists, which stay found's own.
 */
#define SDC_INTRUDER_ADDED    8
#define SDC_INTRUDER_LIST_MAX (SDC_INTRUDER_ROOM_MAX + SDC_INTRUDER_ADDED)

/*
 * What exchanges have named so far, by place of the person: a record (-1:
 * none) and its score; and whether values were seen to be exchanged in pairs.
 * Who is searched for later begins with it.  known: set by who knows that they
 * were, which only files may deny.  others: set by who wants those named who
 * are not searched for, also where the lists do not need it.  8 bytes a
 * person.
 */
typedef struct SdcIntruderNamed
{
	bool known;
	bool hold;
	bool others;
	bool kept; /* were others followed before? */
	int32_t *best;
	float *top;
} SdcIntruderNamed;

/* Nobody is named yet; O(persons). */
extern SdcIntruderNamed *
sdc_intruder_named_create(SdcHost *host, const SdcIntruder *intruder);
/* Gives it back. */
extern void sdc_intruder_named_release(SdcHost *host, SdcIntruderNamed *named);

/* Bytes of the memory; then what is done with it, in this order. */
extern size_t sdc_intruder_exchange_size(SdcIntruder *intruder,
										 const SdcIntruderCandidates *found);
extern void sdc_intruder_exchange_fill(SdcIntruder *intruder,
									   const SdcIntruderCandidates *found,
									   int64_t work, void *memory);
extern uint64_t sdc_intruder_exchange_blocks(const void *memory);
/* How many blocks, from 0 on, must be done before the others begin. */
extern uint64_t sdc_intruder_exchange_first(const void *memory);
extern void sdc_intruder_exchange_work(SdcHost *host, void *memory,
									   uint64_t block);
extern void sdc_intruder_exchange_take(SdcHost *host, const void *memory,
									   SdcIntruderNamed *named,
									   SdcIntruderCandidates *found);

/*
 * Lists with all the room whose best record is not sure: has less than .9 of
 * the weight of the list.  More room may change what is said of them.
 */
extern int32_t sdc_intruder_unsure(const SdcIntruderCandidates *found,
								   int32_t room);

/* ---------------------------------------------------------------------------
 * Answers.
 */

/* What is known of who is in the masked file. */
typedef struct SdcIntruderPrior
{
	/*
	 * Chance, before looking, that a person is in the file: 1 where all are,
	 * the share of a sample_rows rule where persons were drawn.
	 */
	double sampled;
	/* Does the intruder know every person in the file?  Then a record that
	 * nobody has is a contradiction; else it may be a stranger's. */
	bool all_known;
	/* the same by record (original number), in place of all_known: is
	 * everybody who may be behind it searched for?  NULL: no */
	const bool *claimed;
	int64_t budget; /* SDC_MATCH_BUDGET */
	int rounds;     /* of belief at most, 200 */
} SdcIntruderPrior;

/*
 * What he concludes, by row of the lists (person[k] of the candidates); -1:
 * no record.  Records are original numbers.  chance and alone_chance are by
 * entry of the lists; a sum over a row may be below 1.
 */
typedef struct SdcIntruderAnswer
{
	int32_t count;
	int32_t *alone;      /* likeliest record, one person at a time */
	int32_t *alone_ties; /* records as likely as that, itself included */
	int32_t *matched;    /* by the best one-to-one assignment */
	int32_t *believed;   /* likeliest record by belief */
	float *alone_said;   /* the chances of these */
	float *matched_said; /* by belief */
	float *believed_said;
	float *inside_alone; /* chance of being in the file */
	float *inside;       /* the same by belief */
	float *chance_alone; /* by entry */
	float *chance;       /* by entry, by belief */
	float *outside;      /* log weight of not being in the file */
	SdcMatchWork work;
	int rounds;
} SdcIntruderAnswer;

/*
 * Draws the conclusions.  The odds that a person is in the file are sampled /
 * (1 - sampled) times the mean over the records of exp L, times the error
 * rate for each value that is absent.  O(entries) a round of belief.
 */
extern SdcIntruderAnswer *
sdc_intruder_answer(SdcHost *host, const SdcIntruder *intruder,
					const SdcIntruderCandidates *found,
					const SdcIntruderPrior *prior);
/*
 * What means of groups (sdc_intruder_add_group) give away by being sums: which
 * sets of people add up to what a group shows, exactly or as far as the means
 * are rounded.  Changes the scores of the lists by it, and sorts them.  Groups
 * of 2 to 12 records are asked, for sets of at most 128 likely people (fewer
 * in large groups, or where work is short); nothing changes where hardly any
 * set adds up.  work: parts of sets that are listed.  Four rounds of belief,
 * and O(work log work).
 */
extern void sdc_intruder_use_sums(SdcHost *host, const SdcIntruder *intruder,
								  SdcIntruderCandidates *found,
								  const SdcIntruderPrior *prior, int64_t work);

/* Gives back an answer. */
extern void sdc_intruder_answer_release(SdcHost *host,
										SdcIntruderAnswer *answer);

/* Links that were said to be right with about the same chance. */
typedef struct SdcIntruderBand
{
	int32_t links;
	double said; /* sum of their chances */
	int32_t right;
} SdcIntruderBand;

/* The kinds of links. */
typedef enum SdcIntruderLink
{
	SDC_INTRUDER_ALONE,
	SDC_INTRUDER_ONE_TO_ONE,
	SDC_INTRUDER_BELIEF
} SdcIntruderLink;
#define SDC_INTRUDER_LINKS 3

/* Links, and claims of who is in the file, against the truth. */
typedef struct SdcIntruderSuccess
{
	int32_t persons;                   /* counted */
	int32_t released;                  /* of them in the masked file */
	int32_t right[SDC_INTRUDER_LINKS]; /* links to the own record */
	double said[SDC_INTRUDER_LINKS];   /* sum of what the links say */
	double shared;   /* alone, one of several equally likely counted so */
	int32_t certain; /* believed with .95 or more and right */
	int32_t found;   /* the greatest of right */
	int32_t kept;    /* released whose record is among the candidates */
	/* by SdcIntruderLink and tenth of the chance that was said */
	SdcIntruderBand band[SDC_INTRUDER_LINKS][10];
	/* shown to be in or out with .9 or more, and how many of them rightly */
	int32_t said_in;
	int32_t said_out;
	int32_t in_right;
	int32_t out_right;
	double expected_in; /* sum of inside */
} SdcIntruderSuccess;

/*
 * Compares with the truth: truth[person] is the record of a person, -1 when
 * he is in none.  Persons with counted[person] false are left out (the
 * margins of a slab); NULL counts all.  O(entries).
 */
extern void sdc_intruder_success(const SdcIntruderCandidates *found,
								 const SdcIntruderAnswer *answer,
								 const int32_t *truth, const bool *counted,
								 SdcIntruderSuccess *success);

/* Adds what was counted of others; said is by link and band only. */
extern void sdc_intruder_success_add(SdcIntruderSuccess *sum,
									 const SdcIntruderSuccess *more);

/* ---------------------------------------------------------------------------
 * Parameters that are not known.
 */

/*
 * The mean over a sample of persons of log (inside * mean over records of exp
 * L + 1 - inside), where inside, 0 < inside <= 1, is the chance that a person
 * is in the masked file: how well what the intruder assumes explains the
 * files.  Where inside is below 1, exchanges of rank swapping are asked as
 * well.  Only differences between values of a parameter mean anything: the
 * larger number is the likelier value.  0 without persons.  O(sample * looks).
 */
extern double sdc_intruder_likelihood(SdcIntruder *intruder, int32_t sample,
									  double inside);

/*
 * Fits the spread of the groups that were added with spread 0, one for all of
 * them, by likelihood, coarse to fine.  Where everybody is known, each has
 * that of the squares within groups in its place, if the two are no further
 * apart than a factor of 2.  Returns that of likelihood, or 0 when there is
 * none.
 */
extern double sdc_intruder_fit_spread(SdcIntruder *intruder, int32_t sample);

/* A fit of the parameters of rank swapping. */
typedef struct SdcIntruderFit
{
	SdcRankSwapMethod method;
	double p;
	double likelihood;   /* the mean of this choice */
	double by_method[3]; /* the best of each method */
	double p_by_method[3];
	int tried;
} SdcIntruderFit;

/*
 * Fits p, one for all columns, and the method of all rank-swapping terms by
 * likelihood, from coarse (0.5 to 40 percent) to fine, and leaves
 * the intruder with what fits best.  methods is a set of bits, 1 <<
 * SDC_RANK_SWAP_*.  Hiding the parameters protects nothing.
 */
extern SdcIntruderFit sdc_intruder_fit_swap(SdcIntruder *intruder, int methods,
											int32_t sample);

#endif
