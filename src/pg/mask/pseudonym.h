/*
 * pseudonym.h
 *		Keyed pseudonyms: the key of a domain, and what it makes of values.
 */
#ifndef SDC_PG_PSEUDONYM_H
#define SDC_PG_PSEUDONYM_H

#include "postgres.h"

#include "kernel/mask/pseudonym.h"

/* How pseudonyms look. */
typedef enum SdcPseudonymFormat
{
	SDC_PSEUDONYM_HEX,
	SDC_PSEUDONYM_AS_DIGITS,
	SDC_PSEUDONYM_UUID,
	SDC_PSEUDONYM_EMAIL
} SdcPseudonymFormat;

/* Bytes of the key of a domain. */
#define SDC_PSEUDONYM_SECRET 32

/* What is remembered from one value to the next. */
typedef struct SdcPseudonymDomain
{
	uint8_t secret[SDC_PSEUDONYM_SECRET];
	/* the period and its length, which come before the value */
	uint8_t *prefix;
	size_t prefix_length;
} SdcPseudonymDomain;

/* The format of that name; others stop with an error. */
extern SdcPseudonymFormat sdcpg_pseudonym_format(const char *name);

/*
 * Finds the key of a domain, or makes one where there is none yet; period may
 * be NULL, which is a period of its own.  In the memory context of the caller.
 */
extern SdcPseudonymDomain *sdcpg_pseudonym_domain(const char *domain,
												  const char *period);

/*
 * The pseudonym of a value: equal for equal values, domains and periods, in
 * every table, database encoding and version of PostgreSQL.
 *		hex: HMAC-SHA-256, its first 128 bits
 *		uuid: 122 of these bits, as a UUID of version 8 (RFC 9562)
 *		email: 96 of them before @example.invalid
 *		digits: the digits permuted among all numbers of as many digits, so
 *		that no two values share a pseudonym; blanks and "+-./()," stay, and a
 *		value with anything else stops with an error
 */
extern text *sdcpg_pseudonym_make(const SdcPseudonymDomain *domain,
								  const text *value,
								  SdcPseudonymFormat format);

/* Deletes the key of a domain; false when it had none. */
extern bool sdcpg_pseudonym_forget(const char *domain);

#endif
