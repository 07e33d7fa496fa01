/*
 * questions.h
 *		The three questions of data protection law, asked of a released file.
 *
 * Can somebody be singled out, linked, inferred (Article 29 Working Party,
 * opinion 216, 2014)?  Measured as Giomi, Boenisch, Wehmeyer and Tasnadi
 * (2023) do: an attack on people whose records were used, the same on people
 * whose records were not (the control), and by guessing.  What the attack
 * finds of the used ones beyond the control is what the release gives away.
 *
 * Unlike their program: all records at the same distance are ties, and a tied
 * guess counts as its share; duplicates stay; a guess of a number is right
 * within a share of the true one or of the deviation, whatever the signs; the
 * number of attacks is that of those tried.
 */
#ifndef SDC_KERNEL_QUESTIONS_H
#define SDC_KERNEL_QUESTIONS_H

#include "kernel/base/host.h"
#include "kernel/base/random.h"

/* Records of numbers and categories; a column is one of them. */
typedef struct SdcQuestionFile
{
	int32_t rows;
	double **number;  /* [column][row], NaN: NULL; NULL: a category */
	int32_t **code;   /* [column][row], negative: NULL */
	int32_t **scaled; /* the same for distances; set by sdc_question_scale */
} SdcQuestionFile;

/* What is asked about; files have the same columns and codes. */
typedef struct SdcQuestions
{
	int columns;
	SdcQuestionFile used;     /* the original, as far as it was used */
	SdcQuestionFile released; /* masked or synthetic */
	SdcQuestionFile control;  /* of the original, not used; rows may be 0 */
	double *deviation; /* of each number in the original; set by scale */
} SdcQuestions;

/* Attacks tried, and how many succeeded; ties count as shares. */
typedef struct SdcQuestionCount
{
	double used; /* attacks on people whose records were used */
	double used_right;
	double guess_right; /* of as many guesses */
	double control;     /* attacks on others; 0: there is no control */
	double control_right;
} SdcQuestionCount;

/* A share with the half width of its 95 percent interval (Wilson 1927). */
typedef struct SdcQuestionRate
{
	double rate;
	double error;
} SdcQuestionRate;

/* What a count amounts to. */
typedef struct SdcQuestionRisk
{
	SdcQuestionRate used;
	SdcQuestionRate guess;
	SdcQuestionRate control; /* 0 without a control */
	double risk;             /* (used - control) / (1 - control), 0 .. 1; NaN:
								 the control always succeeds, or nobody was
								 attacked */
	double low;              /* its 95 percent interval */
	double high;
	bool better; /* did the attack find more than guessing? */
} SdcQuestionRisk;

/* The rates of an attack, and its success beyond the control's.  O(1). */
extern SdcQuestionRisk sdc_question_risk(const SdcQuestionCount *count);

/*
 * Brings the records of each file into canonical order, by their columns, and
 * scales columns for distances.  To be called first.  O(rows columns).
 */
extern void sdc_question_scale(SdcHost *host, SdcQuestions *questions);

/*
 * Linkability: who knows columns a of a person in one place and columns b in
 * another finds the nearest released records by each, the k nearest with all
 * that are as near; success if a record is among both.  side[j] is 1, 2, or 0
 * for a column that is not known.  At most attacks people of each file, drawn
 * by the stream.  O(attacks released columns).
 */
extern SdcQuestionCount sdc_question_link(SdcHost *host,
										  const SdcQuestions *questions,
										  const int *side, int k,
										  int32_t attacks, SdcRandom *random);

/*
 * Inference: the nearest released record by all other columns says what the
 * secret is.  count[s] is of column s for those with secret[s].  A number is
 * right within tolerance (a share).  The guess is the value of a released
 * record at random.  O(attacks released columns).
 */
extern void sdc_question_infer(SdcHost *host, const SdcQuestions *questions,
							   const bool *secret, double tolerance,
							   int32_t attacks, SdcRandom *random,
							   SdcQuestionCount *count);

/*
 * Singling out: of predicates that fit one released record, how many fit one
 * original?  columns 1: values that occur once, the least, the largest, a lone
 * NULL; more: so many columns of a released record, numbers by >= or <= on
 * their side of the median.  A control of another size is corrected for that:
 * control_right is scaled.  O(attacks rows columns).
 */
extern SdcQuestionCount sdc_question_single_out(SdcHost *host,
												const SdcQuestions *questions,
												int columns, int32_t attacks,
												SdcRandom *random);

/* The closest record: distances, and exact copies. */
typedef struct SdcQuestionClosest
{
	SdcQuestionCount copies; /* people with a released record like theirs */
	/*
	 * Released records nearer to a used record than to a control record, as
	 * many of each, ties half; expected 0.5.  tried is 0 without a control.
	 */
	double tried;
	double nearer;
	double median[2]; /* of these distances to used and control records */
	double low[2];    /* 5 percent quantiles; mean of columns, 0 .. 1 */
} SdcQuestionClosest;

/*
 * Draws at most so many people, or released records, for each figure and finds
 * the nearest records of each.  O(attacks rows columns).
 */
extern SdcQuestionClosest sdc_question_closest(SdcHost *host,
											   const SdcQuestions *questions,
											   int32_t attacks,
											   SdcRandom *random);

#endif
