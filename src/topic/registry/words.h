/*
 * words.h
 *		Words that several topics read, one list beside each enum.
 *
 * A list is in the order of its enum and ends with NULL.  Words of one method
 * stand beside the enum of its kernel (sdc_rank_swap_words and others).
 */
#ifndef SDC_TOPIC_WORDS_H
#define SDC_TOPIC_WORDS_H

/* Which file the records of an attack are looked for in. */
typedef enum SdcDirection
{
	SDC_TO_MASKED, /* each original record looks for its masked one */
	SDC_TO_ORIGINAL
} SdcDirection;

extern const char *const sdcpg_direction_words[];

/* May two records be linked to the same one? */
typedef enum SdcAssignment
{
	SDC_ASSIGNMENT_NONE, /* each record by itself */
	SDC_ASSIGNMENT_ONE_TO_ONE
} SdcAssignment;

extern const char *const sdcpg_assignment_words[];

/* What becomes of a relation with row-level security that is copied. */
typedef enum SdcRowSecurity
{
	SDC_ROW_SECURITY_REFUSE,
	SDC_ROW_SECURITY_ALLOW /* the rows that the caller sees */
} SdcRowSecurity;

extern const char *const sdcpg_row_security_words[];

/* How pseudonyms look. */
typedef enum SdcPseudonymFormat
{
	SDC_PSEUDONYM_HEX,
	SDC_PSEUDONYM_AS_DIGITS,
	SDC_PSEUDONYM_UUID,
	SDC_PSEUDONYM_EMAIL
} SdcPseudonymFormat;

extern const char *const sdcpg_pseudonym_words[];

#endif
