/*
 * suggestion.h
 *		What role a column may have, guessed from its name, type and values.
 *
 * A guess to start from: names are English and say little, and what a person
 * could be found by is known only to who knows the data.  When in doubt the
 * guess is the more careful role.
 */
#ifndef SDC_KERNEL_SUGGESTION_H
#define SDC_KERNEL_SUGGESTION_H

#include "kernel/risk/separation.h"

typedef enum SdcSuggestionType
{
	SDC_SUGGESTION_TEXT,
	SDC_SUGGESTION_INTEGER,
	SDC_SUGGESTION_REAL,
	SDC_SUGGESTION_DATE,
	SDC_SUGGESTION_BOOLEAN,
	SDC_SUGGESTION_ADDRESS, /* of a machine, or a number unique in the world */
	SDC_SUGGESTION_OTHER
} SdcSuggestionType;

/* A role, in the word of sdc.role, and why: a sentence. */
typedef struct SdcSuggestion
{
	const char *role;
	const char *reason;
} SdcSuggestion;

/*
 * Guesses the role of a column.  Words of the name are parted by anything but
 * letters, and by a capital after a small letter; only ASCII letters count.
 * counts is NULL when the values were not looked at.  O(length of the name).
 */
extern SdcSuggestion sdc_suggestion_make(const char *name,
										 SdcSuggestionType type,
										 const SdcSeparation *counts);

#endif
