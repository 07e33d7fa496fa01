/*
 * event_likelihood.h
 *		Who is who by what is known of a person's events, through several
 *		channels at once.
 */
#ifndef SDC_KERNEL_EVENT_LIKELIHOOD_H
#define SDC_KERNEL_EVENT_LIKELIHOOD_H

#include "kernel/base/host.h"
#include "kernel/linkage/link_assignment.h"
#include "kernel/transaction/item_sets.h"

/*
 * What is known of each person, and what the release shows of each record,
 * through one channel: a set of marks (days, items, both together), one number
 * (a turnover, a count), or a set of values that may have been moved.
 */
typedef struct SdcEventChannel
{
	bool is_number;
	/* sets, whose marks have the same numbers in both */
	SdcItemSets known;
	SdcItemSets shown;
	/* of each mark where marks are values: ascending; NULL: marks are names */
	const double *value;
	/* the same in another scale, on which moves may be as far for all; NULL */
	const double *scaled;
	/* numbers; NaN: nothing is known, or shown */
	const double *known_number;
	const double *shown_number;
} SdcEventChannel;

/*
 * Persons and records, in parts (periods, say) beyond which nobody is looked
 * for: part[i] from 0 on, NULL where there is only one.
 */
typedef struct SdcEventFiles
{
	int32_t persons;
	int32_t records;
	int32_t parts;
	const int32_t *person_part;
	const int32_t *record_part;
	int channels;
	const SdcEventChannel *channel;
} SdcEventFiles;

/*
 * What a channel does to a person's marks: each one stays with the chance
 * keep, and one that he does not have is in his record with `extra` times the
 * chance that it has in any record.  Numbers move by middle, give or take
 * spread, in the scale of sdc_event_scale.
 *
 * A value of a record is, with the chance keep, one of the person's that was
 * moved by low to low + SDC_EVENT_STEPS * step, near[k] being how often by the
 * k-th step of that; else it is anybody's.
 */
#define SDC_EVENT_STEPS 32

typedef struct SdcEventLaw
{
	double keep;
	double extra;
	double middle;
	double spread;
	bool scaled; /* on the other scale of the values */
	double low;
	double step;
	double near[SDC_EVENT_STEPS];
} SdcEventLaw;

/* The persons of all parts, part after part, in some order within each. */
typedef struct SdcEventOrder
{
	int32_t *first; /* parts + 1 */
	int32_t *person;
} SdcEventOrder;

/* Who links records to persons, and what he has learned. */
typedef struct SdcEventIntruder
{
	SdcHost *host;
	const SdcEventFiles *files;
	SdcEventLaw *law;   /* of each channel */
	SdcItemSets *index; /* of each channel of sets: who has a mark */
	double **share;     /* of the records that show a mark; NULL: values */
	double **weight;    /* what a shared mark adds */
	double *base;       /* of each person: what he adds without any */
	int numbers;
	int *number;            /* the channels that are numbers */
	int telling;            /* the number that parts persons best; -1: none */
	SdcEventOrder by_base;  /* the greatest first */
	SdcEventOrder by_value; /* of the telling number; NaN last */
	/* of the record that is looked at */
	int64_t search;
	int64_t *seen;    /* of each person: the search that met him last */
	double *score;    /* of each person that was met */
	int32_t *touched; /* those who share a mark, in the order they were met */
	int32_t touches;
	int values;      /* channels of values */
	int32_t looked;  /* the record that is looked at; -1: none */
	double **around; /* of each of its values: what is near it of all */
	double *nearby;  /* of each person: values near the one looked at; 0 */
	int32_t *met;    /* who has any */
	int32_t *row;    /* the best of them, ascending */
	int32_t rows;
	double best;   /* their score */
	uint64_t work; /* persons looked at, and marks shared with them */
} SdcEventIntruder;

/*
 * The scale on which numbers are compared, by their difference: log(1 + |x|)
 * with the sign of x.
 */
extern double sdc_event_scale(double x);

/*
 * An intruder who knows nothing yet of the masking: keep is 0.9, extra 0.1,
 * and a number moves little.  O(marks + persons).  Sums are taken in the order
 * of marks and channels, so the same files give the same bits.
 */
extern SdcEventIntruder sdc_event_intruder_create(SdcHost *host,
												  const SdcEventFiles *files);

/* Gives the arrays back. */
extern void sdc_event_intruder_release(SdcEventIntruder *intruder);

/*
 * Learns the laws from the files alone, without any true link: links at most
 * so many records to the best persons by what is believed so far, counts what
 * became of their marks, and so on for so many rounds.  A round costs as many
 * searches as there are records to learn from.  How far values were moved is
 * tried first, on both scales, from half of their range down, on a few
 * records.  Where values are compared and that costs much, fewer records are
 * learned from.
 */
extern void sdc_event_intruder_fit(SdcEventIntruder *intruder, int rounds,
								   int32_t most);

/* Believes of the channels what another intruder has learned of the same. */
extern void sdc_event_intruder_believe(SdcEventIntruder *intruder,
									   const SdcEventLaw *law);

/*
 * What a search for so many records costs, by those that were searched for
 * until now: persons looked at, and marks shared with them.
 */
extern double sdc_event_intruder_cost(const SdcEventIntruder *intruder,
									  int32_t records);

/*
 * The logarithm of how much likelier a record is if it is the person's, up to
 * a constant of the record.  O(their marks).
 */
extern double sdc_event_intruder_score(const SdcEventIntruder *intruder,
									   int32_t person, int32_t record);

/*
 * Finds the persons of the part of a record with the highest score, with all
 * ties.  Who shares no mark is looked at from the greatest on of what he can
 * have at most, until that is too little, so it takes O(what shares a mark),
 * and all persons of the part only where hardly anything tells them apart.
 */
extern void sdc_event_intruder_best(SdcEventIntruder *intruder,
									int32_t record);

/*
 * Links each record to one person, none twice, so that the sum of the scores
 * is greatest (see link_assignment.h).  Ties are broken by the seed.
 */
extern SdcLinkAssignment sdc_event_intruder_assign(SdcEventIntruder *intruder,
												   uint64_t seed);

#endif
