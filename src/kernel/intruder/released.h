/*
 * released.h
 *		What the forms of released columns and their effects share.
 */
#ifndef SDC_KERNEL_RELEASED_H
#define SDC_KERNEL_RELEASED_H

#include <math.h>

#include "kernel/intruder/by_category.h"
#include "kernel/intruder/intruder_private.h"
#include "kernel/intruder/standard.h"

/* Numbers and their squares. */
#define SDC_FORM_NUMBERS (2 * SDC_INTRUDER_KNOWN)

/* A form of chosen numbers has so many of persons, and of records.  One of all
 * numbers has SDC_INTRUDER_TOGETHER of persons, and as many masked keys, that
 * of squares twice as many. */
#define SDC_FORM_PERSONS SDC_INTRUDER_KNOWN
#define SDC_FORM_RECORDS (2 * SDC_INTRUDER_TOGETHER + SDC_INTRUDER_RELEASED)

/* Constant, of persons, of records. */
#define SDC_FORM_VARIABLES (1 + SDC_FORM_PERSONS + SDC_FORM_RECORDS)

/* A linear form of standard values, and the spread of its errors. */
typedef struct SdcForm
{
	double factor[SDC_FORM_VARIABLES];
	double spread;
} SdcForm;

/* The value, its size, the share of values below it, or its square. */
typedef enum SdcMeasure
{
	SDC_MEASURE_VALUE,
	SDC_MEASURE_SIZE,
	SDC_MEASURE_RANK,
	SDC_MEASURE_SQUARE,
	SDC_MEASURES
} SdcMeasure;

/* What a column is learned from. */
typedef struct SdcLearning
{
	SdcIntruder *intruder;
	const SdcIntruderReleased *released;
	SdcMeasure measure;
	int known;
	SdcStandard person[SDC_FORM_NUMBERS];
	SdcStandard named[SDC_FORM_NUMBERS]; /* attacked */
	/* the number as it is; NULL: it is learned, or a square */
	const double *raw[SDC_FORM_NUMBERS];
	int masks;
	SdcStandard record[SDC_FORM_NUMBERS + SDC_INTRUDER_RELEASED];
	SdcStandard shown[SDC_FORM_NUMBERS + SDC_INTRUDER_RELEASED]; /* attacked */
	SdcStandard target; /* the column that is learned, one of record */
	int beside;    /* variables of the record, behind those of the person */
	double least;  /* that each link has to gain */
	int degrees;   /* of the Student law that is fitted */
	bool by_order; /* only the order of the target is the column's */
	int column;    /* which of the released ones is learned */
	int effects;   /* the last ones of persons, which are the form's own */
	int record_effects; /* of records */
	uint32_t classes;   /* columns whose classes are in it, as bits */
	int32_t links;
	int32_t *link; /* persons who have a record; every second one is fitted */
} SdcLearning;

/* Is it a law that many may not follow? */
static inline bool
sdc_learning_of_most(const SdcLearning *learning)
{
	return learning->degrees == SDC_DEGREES_OF_MOST;
}

/* A column goes with what is known, and so much is gained by it. */
static inline void
sdc_note_used(bool *used, double *gains, int column, double gain)
{
	used[column] = true;
	if (gains != NULL)
		gains[column] = fmax(gains[column], gain);
}

/* The standard values of all columns by a measure, which
 * sdc_learning_drop_columns gives back. */
extern void sdc_learning_take_columns(SdcLearning *learning,
									  SdcMeasure measure);
extern void sdc_learning_drop_columns(const SdcLearning *learning);

/*
 * Gives what is learned of a column mean 0 and deviation 1, and what is shown
 * of it the same; both may be one array, and NaN is missing.  False: all are
 * alike, and become 0.
 */
extern bool sdc_learning_make_standard(double *learned, double *shown,
									   int32_t n);

/* A value of a record that the column may go with; a missing one is usual. */
static inline double
sdc_learning_beside(const SdcLearning *learning, int c, int32_t record)
{
	double x = sdc_standard_at(&learning->record[c], record);

	return isnan(x) ? 0 : x;
}

/* Is the column attacked as it is learned? */
static inline bool
sdc_learning_is_as_shown(const SdcLearning *learning)
{
	return learning->shown[learning->beside].number ==
		   learning->record[learning->beside].number;
}

/*
 * Fits a form to every step-th link, in at most so many rounds, with what is
 * known of the person or without.  O(rounds links variables^2).
 */
extern SdcForm sdc_learning_fit_links(const SdcLearning *learning, int step,
									  bool with, int rounds);

/* Rounds of a fit. */
#define SDC_FORM_ROUNDS 20

/* Fits a form to the links that are to be fitted.  O(links variables^2). */
static inline SdcForm
sdc_learning_fit(const SdcLearning *learning)
{
	return sdc_learning_fit_links(learning, 2, true, SDC_FORM_ROUNDS);
}

/* What a form makes of what is known of a person; NaN: some of it is not. */
extern double sdc_learning_expected(const SdcLearning *learning,
									const SdcForm *form, int32_t person);

/* The error of a link; NaN where a value is missing. */
extern double sdc_learning_error(const SdcLearning *learning,
								 const SdcForm *form, int32_t person);

/* The logarithm of the likelihood that the other links gain by what is known
 * of the person; 0 where that is little. */
extern double sdc_learning_gain(const SdcLearning *learning);

/* The values of a number of persons, or of records, at the links that are to
 * be fitted; a missing one is usual.  Room for half of the links, rounded
 * up. */
extern void sdc_learning_values(const SdcLearning *learning,
								const SdcStandard *number, bool of_persons,
								double *value);

/*
 * The places of the numbers, of persons or of records, that explain a column,
 * those that explain most first; returns how many, at most most.
 * O(most count links).
 */
extern int sdc_learning_choose(const SdcLearning *learning,
							   const SdcStandard *number, int count,
							   bool of_persons, int most, int *place);

/* Values as standard ones, an array of the caller's. */
extern double *sdc_learning_standard(SdcHost *host, const double *value,
									 int32_t n, SdcMeasure measure);

/*
 * The best of the forms, by measure, with effects of keys and of classes of
 * records, or the best one as it is, if none gains more: then it has none.
 * gain: what the best one gains.  explained: what part of what the others
 * leave an effect explains at most; where many follow none, little.
 */
extern SdcLearning sdc_learning_with_effects(const SdcLearning *form,
											 const SdcLearning *best,
											 double gain, double *explained);
#define SDC_LEAST_OF_MOST 0.05

/* Gives back the effects of a form. */
extern void sdc_learning_drop_effects(const SdcLearning *with);

/*
 * The form for a column that rises with what is known by any curve: its values
 * are those of the form at the same place, an array of the caller's for both
 * files; it has no variables of the record.  NULL: there is no such form.
 * O(rounds links variables^2 + persons).
 */
extern double *sdc_learning_by_order(const SdcLearning *form,
									 SdcLearning *ordered);

/*
 * The form for a column that is a line of what is known in each class of the
 * records, as a tax is in each class of payers: what the lines make of the
 * column stands in its place, in arrays that sdc_learning_drop_class gives
 * back.  False: there is no such form.  O(known columns records).
 */
extern bool sdc_learning_by_class(const SdcLearning *form,
								  SdcLearning *classed);
extern void sdc_learning_drop_class(const SdcLearning *classed);

/*
 * The form for a column that is a line of what is known whose coefficients are
 * curves of another released number, one of all (a learning of all columns),
 * as a price is lowered by a number of percent; else as by class.
 * O(known columns links).
 */
extern bool sdc_learning_by_number(const SdcLearning *all,
								   const SdcLearning *form,
								   SdcLearning *varied);

/* Lines by the classes of a column, for what the records, as persons, are to
 * tell; own: each by itself, -1: nobody's. */
extern SdcLines sdc_learning_lines_by_class(const SdcLearning *form,
											int column, const int32_t *own,
											const double *wanted);

/* The step by which so many persons or records are read where it is only told
 * what lines by so many codes explain. */
extern int32_t sdc_learning_step(int32_t n, int32_t codes);

/* Each record by itself, -1: it is nobody's; an array of the caller's. */
extern int32_t *sdc_learning_own_records(const SdcLearning *learning);

/* May a column that is learned be another law in each class of this one? */
extern bool sdc_learning_is_class(const SdcLearning *form, int column,
								  int class);

/* Some persons, the records that may be theirs, and their own one. */
typedef struct SdcRivals
{
	int32_t rows;
	int32_t *person;
	int64_t *first;
	int32_t *record;
	float *score;
	int64_t *own; /* entry */
} SdcRivals;

/* What a term adds to the score of a person and a record. */
typedef float (*SdcRivalScore)(const void *arg, int32_t person,
							   int32_t record);

/* What has to be told more, in the logarithms of all chances, for a term. */
#define SDC_LEAST_TOLD 3

/*
 * Who may be taken for some persons with links, by all terms so far: arrays of
 * the caller's.  A search of SDC_TOLD_LINKS persons.
 */
extern SdcRivals sdc_rivals_find(SdcIntruder *intruder,
								 const int32_t *partner);
extern void sdc_rivals_release(SdcHost *host, SdcRivals *rivals);

/* How well the own records are told apart with a further term; NULL: without.
 * O(rivals). */
extern SdcTold sdc_rivals_told(const SdcRivals *rivals, SdcRivalScore score,
							   const void *arg);

/* Lets the rivals know of a term that is used. */
extern void sdc_rivals_add(SdcRivals *rivals, SdcRivalScore score,
						   const void *arg);

#endif
