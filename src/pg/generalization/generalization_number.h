/*
 * generalization_number.h
 *		Numbers of the classes of a generalized relation.
 *
 * A class is a group of each key.  Its number has a digit for each key, with
 * the groups on the key's level as the base; where that would take more than
 * 62 bits, a class has several numbers.
 */
#ifndef SDC_PG_GENERALIZATION_NUMBER_H
#define SDC_PG_GENERALIZATION_NUMBER_H

#include "postgres.h"

#include "pg/generalization/generalization.h"

/* A key on its level. */
typedef struct SdcGeneralizationDigit
{
	const SdcHierarchy *groups;
	int level;
	int32 count; /* groups on the level */
	bool single; /* all of them one group, and NULL with it */
	int number;  /* which number of the class the group is a part of ... */
	int64 step;  /* ... and what it counts there; 0: it has no part */
} SdcGeneralizationDigit;

/* The keys on their levels; numbers are only made when they are wanted. */
extern SdcGeneralizationDigit *
sdcpg_generalization_digits(const SdcGeneralization *problem,
							const uint8 *level);

/*
 * Gives each key a digit of the number of a class, and returns how many
 * numbers a class has: at least 1.
 */
extern int sdcpg_generalization_number(const SdcGeneralization *problem,
									   SdcGeneralizationDigit *digit);

/* The group of a code; NULL is the last one unless there is but one. */
extern int32 sdcpg_generalization_group(const SdcGeneralizationDigit *digit,
										int32 code);

/* The groups of the classes that fail on these levels, each class once. */
extern SdcFrequency *
sdcpg_generalization_failing(SdcGeneralization *problem, const uint8 *level,
							 const SdcGeneralizationDigit *digit);

#endif
