/*
 * words.c
 *		Words that several topics read, one list beside each enum.
 */
#include "postgres.h"

#include "topic/registry/words.h"

const char *const sdcpg_direction_words[] = {"to_masked", "to_original", NULL};

const char *const sdcpg_assignment_words[] = {"none", "one_to_one", NULL};

const char *const sdcpg_row_security_words[] = {"refuse", "allow", NULL};

const char *const sdcpg_pseudonym_words[] = {
	"hex",  "digits", "uuid",   "email",  "same",  "card",
	"iban", "de_tax", "fr_nir", "es_dni", "jp_my", NULL};
