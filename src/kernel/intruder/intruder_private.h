/*
 * intruder_private.h
 *		What the files of the one intruder share.
 *
 * A rule is a term.  A term of ranks or codes is looked up in a profile: the
 * masked values in their order are cut into segments, and a person's profile
 * says what each segment adds to his score.  A term of numbers is a curve
 * over the difference, or a Student law over the distance in several columns.
 * The intruder holds the terms by row of the files; a task holds the same in
 * the order of a tree of boxes, in one piece of memory without pointers.
 */
#ifndef SDC_KERNEL_INTRUDER_PRIVATE_H
#define SDC_KERNEL_INTRUDER_PRIVATE_H

#include "kernel/base/random.h"
#include "kernel/intruder/intruder.h"
#include "kernel/intruder/law.h"

/* What a term is about: how its column, or columns, were masked. */
typedef enum SdcTermRule
{
	SDC_TERM_SWAP,
	SDC_TERM_EQUAL,
	SDC_TERM_RANGE,
	SDC_TERM_PRAM,
	SDC_TERM_MATRIX,
	SDC_TERM_MICROAGGREGATE,
	SDC_TERM_NOISE, /* from here on terms of numbers */
	SDC_TERM_RING,
	SDC_TERM_BILINEAR,
	SDC_TERM_GROUP
} SdcTermRule;

/* Points of a curve: the differences 0, 1 / CURVE_STEPS, 2 / ...; a term has
 * one curve for each of its columns. */
#define SDC_CURVE_STEPS  32
#define SDC_CURVE_POINTS 321

/* Records of a leaf at most. */
#define SDC_LEAF 32

/*
 * What is known of a person by a term with a profile.  Ranks: those that his
 * value has in the reference.  Codes: the code, or a range of codes.
 * Microaggregation: the code of the lower group in low, in high the chance of
 * that group in 2^-30; the other is the next code.
 */
typedef struct SdcPlace
{
	int32_t low;
	int32_t high;
} SdcPlace;

#define SDC_PLACE_UNKNOWN (-1) /* low: he knows nothing */
#define SDC_PLACE_NOWHERE (-2) /* low: no record can be it */

/* The values of a reference that are swapped among each other. */
typedef struct SdcStratum
{
	int32_t start;  /* positions start .. start + values - 1 */
	int32_t values; /* missing ones left out */
	int32_t first;  /* segment */
	int32_t end;    /* segment behind the last value */
	int32_t window; /* of the swap; 0: nothing moves */
	int32_t piece;  /* ranks of a segment, unless it is a group of ties */
	int32_t law;    /* number in the intruder; -1 without window */
	uint32_t number;
} SdcStratum;

/* The fixed part of a term; offsets are those of the task. */
typedef struct SdcTermHead
{
	SdcTermRule rule;
	bool holes; /* are there records of which it knows nothing? */
	float error;
	bool exceptions; /* is that how many follow no law? */
	float floor;     /* what a record adds that is not possible */
	int columns;     /* of numbers */
	int column;      /* the first of them among all terms' */
	int32_t segments;
	int32_t longest; /* profile, in segments */
	int32_t strata;  /* of a matrix: how many of them there are; 0: one table,
					  * whose rows are the persons' codes */
	int32_t rows;    /* of all matrices, or of the table */
	int32_t known;   /* records of which it knows something */
	double p;        /* of PRAM */
	int32_t codes;   /* of a stratum, of PRAM and of a matrix */
	double scale;    /* the spread of groups, or of a bilinear form; the square
					  * of the inner radius of a ring, the outer one being 1 */
	bool uneven;     /* is the last column how wide a record's group is, or the
					  * level of a bilinear form? */
	double level;    /* of groups: log of the mean density of a record; of a
					  * ring: what a record in it adds; of a bilinear form:
					  * beyond which errors add the floor */
	int degrees;     /* of the Student law of groups, or SDC_DEGREES_UNIFORM */
	double width;    /* a difference that matters, to cut boxes by */
	SdcRankSwapMethod method;
	size_t record;  /* int32 segments by record, or doubles by column */
	size_t person;  /* SdcPlace by person, or doubles by column */
	size_t edge;    /* int32 first position of each segment and the end */
	size_t owner;   /* int32 stratum of each segment */
	size_t stratum; /* SdcStratum */
	size_t below;   /* int32 records in segments below each */
	size_t curve;   /* float; of a matrix: its chances */
} SdcTermHead;

/*
 * How finely the values of a column of groups are told, in standard values.
 */
typedef struct SdcGrain
{
	double person; /* people's values lie on multiples of it; 0: anywhere */
	double record; /* how far a mean may be off, for it was rounded */
} SdcGrain;

/* A term by row of the files; arrays that its rule has no use for are NULL. */
typedef struct SdcTerm
{
	SdcTermHead head; /* its offsets are not set */
	double share;     /* percent of a swap */
	bool fit;         /* a spread that is to be fitted */
	double lost;      /* that of the squares within groups; 0: not known */
	int32_t *record;
	SdcPlace *person;
	int32_t *edge;
	int32_t *owner;
	SdcStratum *stratum;
	int32_t *below;
	float *curve;
	double **record_number;
	double **person_number;
	SdcGrain *grain; /* of groups: by column */
	/* of swaps: the reference's keys, sorted, and where records stand */
	uint64_t *sorted;
	int32_t *position;
	int32_t references;
	int32_t *own; /* where persons' values stand; -1: the file has none */
} SdcTerm;

/* A node of the tree; children lie side by side, child 0 is a leaf. */
typedef struct SdcNode
{
	int32_t start;
	int32_t end;
	int32_t child;
	int16_t axis; /* profile terms first, then columns of numbers */
	int16_t unused;
	uint64_t holes; /* terms of which a record lacks the value, by bit */
	double cut;
} SdcNode;

/* The records in a tree of boxes. */
typedef struct SdcTree
{
	int32_t nodes;
	SdcNode *node;
	int32_t *segment_box; /* [(node * profiles + term) * 2]: low, high */
	double *number_box;   /* the same by column of numbers */
	int32_t *record;      /* in the order of the tree */
	int32_t *person;      /* all of them on their route; NULL until needed */
} SdcTree;

struct SdcIntruder
{
	SdcHost *host;
	int32_t persons;
	int32_t records;
	double error;
	uint64_t seed;
	int terms; /* in the order added */
	SdcTerm *term[SDC_INTRUDER_TERMS];
	int order[SDC_INTRUDER_TERMS]; /* profiles first, the sharpest first */
	int profiles;
	int columns; /* of numbers */
	int laws;
	SdcRankLaw **law;
	uint8_t *absent;
	SdcTree *tree; /* NULL until needed */
};

/* The head of a task; terms in the order of the intruder's order[]. */
typedef struct SdcTask
{
	int32_t persons; /* of the search */
	int32_t from;    /* place of the first one, for ties */
	int32_t records;
	int32_t room;
	int terms;
	int profiles;
	int columns;
	double depth;
	double share;
	bool rest_asked;
	uint64_t seed;
	int32_t nodes;
	size_t node;
	size_t segment_box;
	size_t number_box;
	size_t record; /* int32 original numbers */
	size_t person;
	size_t law; /* size_t offsets by law */
	size_t count;
	size_t looks; /* int64 by block */
	size_t found; /* int32 places of records, room to a person */
	size_t score; /* float */
	size_t rest;  /* float by person, log weight of who is not listed */
	SdcTermHead term[SDC_INTRUDER_TERMS];
} SdcTask;

/* The columns of a term of numbers that are compared. */
static inline int
sdc_compared_columns(const SdcTermHead *term)
{
	return term->columns - term->uneven;
}

/* What lies in a task at one of its offsets. */
static inline void *
sdc_task_at(const void *task, size_t offset)
{
	return (char *) task + offset;
}

/* What each segment adds to the score of one person. */
typedef struct SdcProfile
{
	bool flat; /* one gain inside, the floor outside */
	int32_t first;
	int32_t length; /* 0: nothing but the floor */
	float floor;
	float gain;
	float top;          /* the greatest of all */
	const float *value; /* value[-1] and value[length] are the floor */
	/*
	 * value[k * stride + s]: the greatest of segments s .. s + 2^k - 1, k
	 * below 4; maximum[k * runs + r]: that of r .. r + 2^k - 1, whole runs of
	 * eight segments.
	 */
	const float *maximum;
	int32_t stride;
	int32_t runs;
	/* for reuse: whose it is, and the room */
	SdcPlace place;
	float *room;
} SdcProfile;

/* The tree of an intruder; makes it when there is none. */
extern const SdcTree *sdc_intruder_tree(SdcIntruder *intruder);

/* What the searches of a block share: the task, and profiles already made. */
typedef struct SdcSearch SdcSearch;

/* Makes one for a task, which must stay. */
extern SdcSearch *sdc_intruder_search_create(SdcHost *host,
											 const SdcTask *task);

/* Gives it back; the task stays. */
extern void sdc_intruder_search_release(SdcSearch *search);

/*
 * Finds the best records of a person (place in the task), best first: places
 * in the tree in found[], their scores in score[], both with the room of the
 * task.  Returns how many; adds to *looks what was looked at.
 */
extern int32_t sdc_intruder_search_run(SdcSearch *search, int32_t person,
									   int32_t *found, float *score,
									   int64_t *looks);
/*
 * The log of the weight of all records that the list of the last person
 * searched for does not have, estimated by some of each part of the tree.
 * What only an error explains is left out: such records are somebody else's.
 */
extern float sdc_intruder_search_rest(SdcSearch *search, int32_t person,
									  const float *score, int32_t count);
/*
 * The score of a person (place in the task) and a record (place in the tree),
 * one term of the task left out (-1: none).  O(terms).
 */
extern float sdc_intruder_search_pair(SdcSearch *search, int32_t person,
									  int32_t record, int without);

/* Cuts the ranks of a swap anew, after its method or share changed. */
extern void sdc_intruder_cut_ranks(SdcIntruder *intruder, SdcTerm *term);

/* Sorts a list by falling score; stable. */
static inline void
sdc_intruder_sort_list(int32_t *column, float *score, int32_t n)
{
	int32_t i;

	for (i = 1; i < n; i++)
	{
		int32_t c = column[i];
		float s = score[i];
		int32_t hole = i;

		for (; hole > 0 && score[hole - 1] < s; hole--)
		{
			column[hole] = column[hole - 1];
			score[hole] = score[hole - 1];
		}
		column[hole] = c;
		score[hole] = s;
	}
}

/* The log weight of not being in the file, of each row of the lists. */
extern void sdc_intruder_weigh_outside(const SdcIntruder *intruder,
									   const SdcIntruderCandidates *found,
									   const SdcIntruderPrior *prior,
									   float *outside);

/* Belief on lists that have found's records; returns the rounds. */
extern int sdc_intruder_believe(SdcHost *host,
								const SdcIntruderCandidates *found,
								const SdcMatchLists *lists,
								const SdcIntruderPrior *prior, float *chance,
								float *inside);

/* Gives back the laws that no term uses. */
extern void sdc_intruder_drop_laws(SdcIntruder *intruder);

/* The lists of some persons, by a task of their own. */
extern SdcIntruderCandidates *
sdc_intruder_search_some(SdcIntruder *intruder,
						 const SdcIntruderSearch *search);

/*
 * A term of codes by a table: chance[person code * codes + record code] is
 * that of the record's code; a person's code is negative where nothing is
 * known.
 */
extern void sdc_intruder_add_table(SdcIntruder *intruder, const float *chance,
								   int32_t rows, const int32_t *person,
								   const int32_t *record, int32_t codes);

/* ---------------------------------------------------------------------------
 * What goes with keys is learned from links.
 */

/* The log of the likelihood that links gain which were not learned from. */
#define SDC_LEAST_GAIN 6

/* Links, and records beside each, by which it is weighed what is learned. */
#define SDC_TOLD_LINKS   500
#define SDC_TOLD_RECORDS 64

/* What others leave the own records. */
typedef struct SdcTold
{
	double log;   /* of the chances of the own ones */
	double right; /* these chances */
	double said;  /* what is right of links drawn by their chances, is said */
} SdcTold;

/* Parts of the file: what is learned of one is learned from the others. */
#define SDC_FOLDS 4

static inline int
sdc_fold_of(int32_t record)
{
	return (int) (sdc_random_mix((uint64_t) record) % SDC_FOLDS);
}

/*
 * The weight of an error by a Student law (Lange, Little and Taylor 1989).
 * SDC_FIT_DEGREES of it suit errors of which a few lie far off.  With d
 * degrees a fit holds against a part of 1 / (1 + d) that follows nothing, so a
 * fifth spoils the usual one and a half that of SDC_DEGREES_OF_MOST.
 */
#define SDC_FIT_DEGREES     4
#define SDC_DEGREES_OF_MOST 1

/* Instead of degrees: errors are equally likely as far as the spread, and none
 * lie beyond, as where a law's result was rounded. */
#define SDC_DEGREES_UNIFORM 0

static inline double
sdc_student_weight(double error, double spread, int degrees)
{
	return (1 + degrees) / (degrees + error * error / (spread * spread));
}

#define SDC_LENGTH(array) ((int) (sizeof(array) / sizeof((array)[0])))

/* Forgets the tree, for something changed. */
extern void sdc_intruder_changed(SdcIntruder *intruder);

/* A term of so many columns of numbers; what it does not need is NULL. */
extern SdcTerm *sdc_intruder_add_numbers(SdcIntruder *intruder,
										 SdcTermRule rule, int columns,
										 const double *const *person,
										 const double *const *record);

/*
 * The score of noise at these differences, in units of the noise, in the
 * first so many of its columns.
 */
extern float sdc_noise_score(const SdcTermHead *term, const float *curve,
							 const double *difference, int known);

#endif
