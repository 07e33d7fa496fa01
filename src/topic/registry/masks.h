/*
 * masks.h
 *		The masking methods that rules may name: one row each, no other list.
 *
 * Whoever reads, writes, checks, attacks, measures or explains rules asks the
 * row.  Rows are found by name or by pointer, never by place.  A new method is
 * a new row in masks.c and the functions that it names; see the recipe in
 * doc/architecture.md.
 */
#ifndef SDC_TOPIC_MASKS_H
#define SDC_TOPIC_MASKS_H

#include "postgres.h"

#include "host/call/params.h"

struct SdcMaskPlan;
struct SdcRelation;
struct SdcRelationColumn;
struct SdcRule;
struct SdcTransparency;
struct SdcTransparencyPart;

/* When a method is applied, and to what. */
typedef enum SdcMaskStage
{
	SDC_MASK_OF_ROWS,    /* chooses rows, before anything else */
	SDC_MASK_OF_COLUMNS, /* what is written in place of columns */
	SDC_MASK_OF_TABLE    /* of all rows that the other rules leave, together */
} SdcMaskStage;

/* What holds of a method whatever its rule says; or'ed. */
typedef enum SdcMaskTrait
{
	SDC_MASK_IDLE = 1, /* changes nothing */
	/* what a value becomes depends on its own row and on the rule only */
	SDC_MASK_ROW_LOCAL = 2,
	/* servers may each mask their rows: the result is as if one had done it */
	SDC_MASK_DISTRIBUTABLE = 4,
	SDC_MASK_IN_PLACE = 8, /* can be done to a table itself */
	SDC_MASK_UNREAD = 16,  /* a copy need not read the column */
	/* equal values become equal ones in every table, different ones do not,
	 * so foreign keys can be masked with what they refer to */
	SDC_MASK_CONSISTENT = 32,
	/* of the table: may come on top of rules of its columns */
	SDC_MASK_ON_TOP = 64,
	/* of the table: needs one column that tells records apart */
	SDC_MASK_NEEDS_ID = 128,
	/* of the table: its records are new, and have its columns only */
	SDC_MASK_REPLACES = 256,
	/* each row has a draw of its own; the others only give figures to it */
	SDC_MASK_OWN_DRAW = 512,
	/* numbers that are not finite take no part, and are told */
	SDC_MASK_FINITE = 1024,
	/* a name in the place of a name: none is nearer to the original */
	SDC_MASK_KEYED = 2048,
	/* takes what other columns of the row become */
	SDC_MASK_LAST = 4096,
	/* servers may each mask their rows once figures of all were gathered */
	SDC_MASK_GATHERED = 8192,
	/* variants say what its numbers mean: a search keeps that of the rule */
	SDC_MASK_UNITS = 16384
} SdcMaskTrait;

/*
 * What a value can have become, for an intruder who knows the rule.  describe
 * checks the rule and asks for fields, find fills the set of the part.  Both
 * are NULL where a rule is not about columns; reason says why, or why every
 * record stays a candidate.
 */
typedef struct SdcMaskCandidates
{
	/* are the columns of a rule one part, or one part each? */
	bool together;
	void (*describe)(struct SdcTransparency *transparency,
					 struct SdcTransparencyPart *part);
	void (*find)(struct SdcTransparency *transparency,
				 struct SdcTransparencyPart *part);
	const char *reason;
	/*
	 * SQL of what a column of r becomes, where that is a function of the value
	 * alone; the function is NULL, or returns it, where it is not.  image_type
	 * is its base type, or 0 where that is the column's.
	 */
	char *(*image)(const struct SdcRule *rule,
				   const struct SdcRelation *original,
				   const struct SdcRelationColumn *column);
	Oid image_type;
} SdcMaskCandidates;

/*
 * The law of P(masked | original) that an intruder weighs candidates with: a
 * term of kernel/intruder, or that there is none.
 */
typedef enum SdcMaskLikelihood
{
	SDC_LIKELIHOOD_NONE,     /* nothing of the value is left, or not known */
	SDC_LIKELIHOOD_SET,      /* all that the rule allows are alike */
	SDC_LIKELIHOOD_EQUAL,    /* one value that can be computed */
	SDC_LIKELIHOOD_LEVELS,   /* one on each level of a hierarchy */
	SDC_LIKELIHOOD_NULL,     /* the same, or NULL */
	SDC_LIKELIHOOD_ROUND,    /* two neighbours, the nearer one likelier */
	SDC_LIKELIHOOD_RANGE,    /* any of a range in proportion to its records */
	SDC_LIKELIHOOD_DRAWN,    /* as released columns: by what goes with them */
	SDC_LIKELIHOOD_RANKS,    /* by the distance of ranks and the variant */
	SDC_LIKELIHOOD_PRAM,     /* the same with chance p, or any */
	SDC_LIKELIHOOD_MATRIX,   /* by a matrix of chances */
	SDC_LIKELIHOOD_PLACES,   /* by the share that stays on each level */
	SDC_LIKELIHOOD_PERMUTED, /* the same with chance 1 in l, or any */
	SDC_LIKELIHOOD_SHIFT,    /* moved by days, those of a group alike */
	SDC_LIKELIHOOD_NOISE,    /* by the distance of numbers and the variant */
	SDC_LIKELIHOOD_RING,     /* anywhere between two distances */
	SDC_LIKELIHOOD_OUTLIER,  /* by that of logarithms, beyond a limit */
	SDC_LIKELIHOOD_CENTROID, /* by the distance from the mean of a group */
	SDC_LIKELIHOOD_ROWS      /* of the rows: the record may be absent */
} SdcMaskLikelihood;

/* How a key and its strength go together. */
typedef enum SdcMaskForm
{
	SDC_MASK_PLAIN,     /* strength = value */
	SDC_MASK_PLUS_ONE,  /* value + 1: levels of a hierarchy start at 0 */
	SDC_MASK_REMAINDER, /* 100 - value: a percentage that stays */
	SDC_MASK_INVERSE    /* 100 / value: a percentage that is kept */
} SdcMaskForm;

/*
 * The key that says how strong a mask is.  Strength is a positive number that
 * doubles when a mask protects about twice as much.  key is NULL where a mask
 * cannot be weaker or stronger.
 */
typedef struct SdcMaskStrength
{
	const char *key;
	SdcMaskForm form;
	bool whole; /* are only whole numbers values? */
	double low; /* strengths that are tried */
	double high;
	const char *beside; /* a key in the same unit, which goes along, or NULL */
} SdcMaskStrength;

/* By which measure candidates are compared unless another one is named. */
typedef enum SdcMaskLoss
{
	SDC_MASK_LOSES_NOTHING,
	SDC_MASK_MOVES, /* a number stays a number: by how far it moved */
	SDC_MASK_LOSES  /* values or rows are gone: by tables of low order */
} SdcMaskLoss;

/* What is left of the distribution of a column of numbers. */
typedef enum SdcMaskLeaves
{
	SDC_MASK_LEAVES_ALL,      /* its values and their places */
	SDC_MASK_LEAVES_VALUES,   /* its values, not their places */
	SDC_MASK_LEAVES_VARIANCE, /* its mean, and 1 + alpha times its variance */
	/* its mean, its variance, and covariances inside the rule: it is noise
	 * with alpha, divided by the root of 1 + alpha */
	SDC_MASK_LEAVES_MOMENTS,
	SDC_MASK_LEAVES_MEAN,   /* its mean */
	SDC_MASK_LEAVES_NOTHING /* nothing is claimed */
} SdcMaskLeaves;

/* A row: a method. */
typedef struct SdcMask
{
	/* in a rule: {"method": name} */
	const char *name;
	/* what it does in one sentence, and a rule that can be written */
	const char *sentence;
	const char *example;
	SdcMaskStage stage;
	/* columns that one rule may name at the most; 0 for the rows as a whole */
	int columns;
	unsigned traits;
	/* the keys of its rule but for "method" and "variant"; ends with NULL */
	const SdcKey *keys;
	/* values of "variant" for one column and for several, the first the
	 * default; NULL: there are none.  slow is one that a search leaves out */
	const char *const *variants[2];
	const char *slow;
	/* sets what a SELECT has in place of the columns; NULL: nothing */
	void (*write)(struct SdcMaskPlan *plan, const struct SdcRule *rule);
	/* of the table: the statement that makes the new table $6 of $1, with the
	 * id $2, the columns $3 and $7 (those of "sensitive", or NULL), the rule
	 * $4 and the seed $5; NULL otherwise */
	const char *call;
	SdcMaskCandidates candidates;
	SdcMaskLikelihood likelihood;
	SdcMaskStrength strength;
	SdcMaskLoss loss;
	SdcMaskLeaves leaves;
	/* a sentence: what of all rows it needs together; NULL if it is
	 * SDC_MASK_DISTRIBUTABLE */
	const char *spread;
	int searches; /* SdcSearches of its key "models"; 0: it has none */
	/* checks what its keys alone do not say; NULL: nothing */
	void (*check)(const struct SdcRule *rule,
				  const struct SdcRelation *relation);
} SdcMask;

/* The method of a name of so many bytes, or NULL. */
extern const SdcMask *sdcpg_mask_find(const char *name, int length);

/* The method after another one, in no order that means anything; the first
 * after NULL, NULL after the last. */
extern const SdcMask *sdcpg_mask_next(const SdcMask *mask);

/* The names of all methods: "rank_swap, microaggregate, ...". */
extern char *sdcpg_mask_names(void);

/* The variants of a rule of so many columns, or NULL. */
static inline const char *const *
sdcpg_mask_variants(const SdcMask *mask, int columns)
{
	return mask->variants[columns > 1];
}

#endif
