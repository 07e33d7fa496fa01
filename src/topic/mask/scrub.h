/*
 * scrub.h
 *		Identifiers in free text: each is replaced by a fake, or by what the
 *		column that it is known from becomes.
 */
#ifndef SDC_TOPIC_SCRUB_H
#define SDC_TOPIC_SCRUB_H

#include "postgres.h"

#include "topic/mask/pseudonym.h"

/* What texts are scrubbed with; private to scrub.c. */
typedef struct SdcScrubber SdcScrubber;

/* Values that are known of a row, and what they become; NULL: a hyphen. */
typedef struct SdcScrubRow
{
	int count;
	text **known; /* NULL: not known */
	text **become;
} SdcScrubRow;

/*
 * What texts are scrubbed with, in the memory context of the caller; period
 * may be NULL.  The key of the domain is made when there is none yet.
 */
extern SdcScrubber *sdcpg_scrubber(const char *domain, const char *period,
								   SdcFakeLocale locale);

/*
 * A text without what is found in it (kernel/risk/scrub.h); size: the most
 * characters that it may have, 0: any.
 */
extern text *sdcpg_scrub(const SdcScrubber *scrubber, const text *value,
						 const SdcScrubRow *row, int size);

/* Two arrays of texts of one length, as arguments, as a row. */
extern SdcScrubRow sdcpg_scrub_row(FunctionCallInfo fcinfo, int known,
								   int become);

/* Does a text hold an e-mail address, a number of a person or a name? */
extern bool sdcpg_scrub_finds(const char *utf8);

#endif
