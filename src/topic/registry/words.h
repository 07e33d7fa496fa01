/*
 * words.h
 *		Words that several topics read, one list beside each enum.
 *
 * A list is in the order of its enum and ends with NULL.  Words of one method
 * stand beside the enum of its kernel (sdc_rank_swap_words and others).
 *
 * SDC_TAKES_ and a word are rows of lists of keys: what several attacks have
 * in params.
 */
#ifndef SDC_TOPIC_WORDS_H
#define SDC_TOPIC_WORDS_H

#include "host/call/params.h"
#include "kernel/linkage/link_measure.h"

/* Which file the records of an attack are looked for in. */
typedef enum SdcDirection
{
	SDC_TO_MASKED, /* each original record looks for its masked one */
	SDC_TO_ORIGINAL
} SdcDirection;

/* The words of the directions, as said above. */
extern const char *const sdcpg_direction_words[];

/* May two records be linked to the same one? */
typedef enum SdcAssignment
{
	SDC_ASSIGNMENT_NONE, /* each record by itself */
	SDC_ASSIGNMENT_ONE_TO_ONE
} SdcAssignment;

/* The words of the assignments. */
extern const char *const sdcpg_assignment_words[];

/* What becomes of a relation with row-level security that is copied. */
typedef enum SdcRowSecurity
{
	SDC_ROW_SECURITY_REFUSE,
	SDC_ROW_SECURITY_ALLOW /* the rows that the caller sees */
} SdcRowSecurity;

/* The words for that. */
extern const char *const sdcpg_row_security_words[];

/* How pseudonyms look. */
typedef enum SdcPseudonymFormat
{
	SDC_PSEUDONYM_HEX,
	SDC_PSEUDONYM_AS_DIGITS,
	SDC_PSEUDONYM_UUID,
	SDC_PSEUDONYM_EMAIL,
	SDC_PSEUDONYM_SAME,
	/* numbers with check digits, in the order of SdcCheckScheme */
	SDC_PSEUDONYM_NUMBER
} SdcPseudonymFormat;

/* The words of the formats; from SDC_PSEUDONYM_NUMBER on those of schemes. */
extern const char *const sdcpg_pseudonym_words[];

/* clang-format off */
#define SDC_TAKES_DIRECTION \
	{"direction", SDC_KEY_WORD, .words = sdcpg_direction_words}
#define SDC_TAKES_ASSIGNMENT \
	{"assignment", SDC_KEY_WORD, .words = sdcpg_assignment_words}
#define SDC_TAKES_SCALE \
	{"scale", SDC_KEY_WORD, .words = sdc_link_scale_words}
/* columns of the original -> those of the masked relation */
#define SDC_TAKES_MAP \
	{"map", SDC_KEY_TEXT, .shape = SDC_KEY_BY_COLUMN}
#define SDC_TAKES_RULES \
	{"rules", SDC_KEY_OBJECT}
/* links of a record that are named */
#define SDC_TAKES_CANDIDATES(usual) \
	{"max_candidates", SDC_KEY_INTEGER, .low = 1, .high = 1000000, \
	 .absent = usual}
/* boxes, records and pairs looked at */
#define SDC_TAKES_WORK(usual) \
	{"work", SDC_KEY_INTEGER, .low = 1, .high = 1e15, .absent = usual}
/* clang-format on */

#endif
