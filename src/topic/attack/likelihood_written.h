/*
 * likelihood_written.h
 *		What everybody can write of a text: its letters or digits turned into
 *		others, a digest of it, a number.
 */
#ifndef SDC_TOPIC_LIKELIHOOD_WRITTEN_H
#define SDC_TOPIC_LIKELIHOOD_WRITTEN_H

#include "postgres.h"

#include "kernel/intruder/congruence.h"

/* Bytes of a value, or of what is written of a digest, that are compared. */
#define SDC_WRITTEN_BYTES 512

/* How it is written. */
typedef enum SdcWriting
{
	SDC_AS_TEXT,
	SDC_AS_HEX,
	SDC_AS_BASE64,
	SDC_AS_NUMBER,
	SDC_WRITINGS
} SdcWriting;

/* What is written for each byte of a text: one of the first row, or, by place,
 * of a row for each place; 0: it is not known. */
#define SDC_LETTER_PLACES 32

typedef struct SdcLetters
{
	bool by_place;
	unsigned char letter[SDC_LETTER_PLACES][256];
} SdcLetters;

/* What is written. */
typedef struct SdcWritten
{
	int digest; /* 0: none */
	SdcWriting writing;
	/* as text: of a number its digits to this base (0: the text itself), and
	 * each letter as another one (NULL: as it is) */
	int base;
	const SdcLetters *letters;
	/* which number, and what of it */
	int number;
	bool absolute;
	int64 modulus; /* 0: all of it */
	bool above;    /* is what is left of a negative number not negative? */
	int64 turned;  /* these bits the other way round */
	const SdcCongruence *congruence; /* NULL: not by one */
} SdcWritten;

/* How many digests are often seen, the first ones. */
#define SDC_WRITTEN_OFTEN 9

/* How many digests there are; the first is none, and all are often seen or
 * only so many. */
extern int sdcpg_written_digests(bool often);

/* Bytes of a digest at the most. */
#define SDC_WRITTEN_DIGEST_BYTES 64

/* The bytes of a digest of a text, one but the first; how many, 0: this server
 * cannot make it. */
extern unsigned int sdcpg_written_digest(int digest, const char *text,
										 Size length, unsigned char *bytes);

/* May so many bytes be a digest, or, with cut, its first ones where these are
 * in use?  uuid: the version of the uuid that they are, 0: they are none. */
extern bool sdcpg_written_may_be(int digest, int bytes, int uuid, bool cut);

/* The number of 64 bits that hashes the bytes of a text. */
extern int64 sdcpg_written_hashed(const char *text, Size length);

/* Bases of the digits of a number, the first n; 0 behind the last. */
extern int sdcpg_written_base(int n);

/* How many numbers can be taken of a text, or of a digest. */
extern int sdcpg_written_numbers(bool digest);

/* Those of a text that are hashes of its bytes: from here to before there. */
#define SDC_WRITTEN_HASHED_FROM 2
#define SDC_WRITTEN_HASHED_TO   5

/* The digest of a text that was made last, kept for who writes it in several
 * ways; 0: none. */
typedef struct SdcDigested
{
	int digest;
	unsigned int length;
	unsigned char bytes[SDC_WRITTEN_DIGEST_BYTES];
} SdcDigested;

/* What is written of a text; NULL: nothing. */
extern char *sdcpg_written(const SdcWritten *of, const char *text);

/* The same with what is kept of this text. */
extern char *sdcpg_written_kept(const SdcWritten *of, const char *text,
								SdcDigested *digested);

/* The same as the number that it is; false: nothing. */
extern bool sdcpg_written_number(const SdcWritten *of, const char *text,
								 SdcDigested *digested, int64 *number);

/*
 * A value as what is written is compared with it, prefix and suffix being
 * bytes that all values have in common; NULL: it cannot be.
 */
extern char *sdcpg_written_see(const SdcWritten *of, const char *value,
							   int prefix, int suffix);

/* Could what is seen so be of this digest, by its length? */
extern bool sdcpg_written_fits(const char *seen, SdcWriting writing,
							   int digest);

/* A whole number from all of a text. */
extern bool sdcpg_written_read_number(const char *text, int64 *number);

#endif
