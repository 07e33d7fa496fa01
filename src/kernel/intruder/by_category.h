/*
 * by_category.h
 *		What a column is in each category of persons: its mean or a line of
 *		other numbers, learned from links; and the place of a number among
 *		those of the same category, which needs no links.
 */
#ifndef SDC_KERNEL_BY_CATEGORY_H
#define SDC_KERNEL_BY_CATEGORY_H

#include "kernel/intruder/intruder_private.h"
#include "kernel/intruder/standard.h"

/* Numbers in the line of a category. */
#define SDC_LINE_NUMBERS 3

/* Categories that are told apart: of more none is common enough. */
#define SDC_LINE_CODES 20000

/* What is explained of a column at least, in links that are explained whole:
 * 3.5 deviations of chance for a category's means. */
#define SDC_LEAST_EXPLAINED 12

/* What lines are learned of; numbers and column in standard values. */
typedef struct SdcLines
{
	int32_t persons;
	const int32_t *partner; /* record of each person, -1: none */
	const double *column;   /* by record; NaN: missing */
	const int32_t *code;    /* of each person, 0 .. codes - 1, or negative;
							 * NULL: all are in one category */
	int32_t codes;
	int numbers;                          /* 0 .. SDC_LINE_NUMBERS; 0: means */
	SdcStandard number[SDC_LINE_NUMBERS]; /* by person; NaN: missing */
	int32_t step; /* only one of so many persons is read; 1: all */
	int degrees;  /* of the Student law of their errors */
} SdcLines;

/*
 * What the column is by the line of a person's category: line[person] by that
 * of all links, the same for all of a category, and learned[person] by that of
 * the folds in which the own record is not.  A category of few links has a
 * mean, and where there is none, or a number is missing, it is that of all.
 * Returns what is explained of the column by learned, in links that are
 * explained whole: 0 .. links, or 0 where that is chance.  learned and line
 * may be NULL: it is only told.  O(persons numbers^2 + codes numbers^3).
 */
extern double sdc_lines_by_category(SdcHost *host, const SdcLines *of,
									double *learned, double *line);

/* Places of a number among those of the same category, its group. */
typedef enum SdcGroupPlace
{
	SDC_PLACE_RANK,       /* how many are below */
	SDC_PLACE_RANK_DOWN,  /* how many are above */
	SDC_PLACE_PART,       /* what part of the group is below */
	SDC_PLACE_SHARE,      /* part of the group's sum */
	SDC_PLACE_TO_MOST,    /* part of its largest */
	SDC_PLACE_UNDER_MOST, /* less than its largest */
	SDC_PLACE_OVER_LEAST, /* more than its least */
	SDC_PLACE_FROM_MEAN,  /* less its mean */
	SDC_PLACE_TO_MEAN,    /* divided by it */
	SDC_PLACE_STANDARD,   /* in deviations from it */
	SDC_PLACE_OVER_NEXT,  /* more than the next smaller one */
	SDC_PLACE_SUM,        /* the group's sum */
	SDC_PLACES
} SdcGroupPlace;

/* The groups of a number, from which places follow. */
typedef struct SdcGroups
{
	int32_t persons;
	const double *number;
	int32_t *group; /* of each person; the last one: NULL */
	int32_t groups;
	int32_t *count; /* by group, as the next ones */
	double *sum;
	double *square; /* of deviations */
	double *least;
	double *most;
	int32_t *below; /* by person, as the next ones */
	int32_t *above;
	double *next; /* the next smaller number; NaN: none */
} SdcGroups;

/*
 * Puts numbers in groups by a category; order has the persons by ascending
 * number, missing ones last.  O(persons + codes), an array of the caller's
 * for each pointer but number: sdc_groups_release.
 */
extern SdcGroups sdc_groups_of(SdcHost *host, int32_t persons,
							   const double *number, const int32_t *order,
							   const int32_t *code, int32_t codes);
extern void sdc_groups_release(SdcHost *host, SdcGroups *groups);

/* The place of a person's number; NaN where it is missing or there is none. */
extern double sdc_group_place(const SdcGroups *groups, SdcGroupPlace place,
							  int32_t person);

#endif
