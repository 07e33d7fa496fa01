/*
 * likelihood_written.c
 *		What everybody can write of a text, and how that is seen.
 *
 * A text may be written as it is, with other letters, or as a digest or a
 * number that is made of it.  Digests are written in hexadecimal digits or in
 * base 64, or their first bits as a number; of a text between fixed bytes, or
 * of a digest, where that is a custom.  The attacks look for what is published
 * among all of it.
 */
#include "postgres.h"

#include <ctype.h>
#include <math.h>
#include <openssl/evp.h>

#include "common/base64.h"
#include "common/hashfn.h"
#include "mb/pg_wchar.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"
#include "utils/pg_crc.h"
#include "utils/uuid.h"

#include "host/server/compat.h"
#include "topic/attack/likelihood_written.h"

/* A digest of a text that stands between fixed bytes. */
typedef struct Digest
{
	const EVP_MD *(*of)(void);
	const EVP_MD *(*of_that)(void); /* a digest of the first one's bytes, */
	bool of_hex;                    /* or of its hexadecimal digits */
	const char *before;
	const char *behind;
	int uuid; /* which version of these it is made to be */
	bool cut; /* its first digits are in use, too */
} Digest;

/* The names that uuids of versions 3 and 5 belong to (RFC 4122, appendix C):
 * of hosts, addresses of pages, objects, and directories. */
#define UUID_OF(digit) \
	"\x6b\xa7\xb8" digit "\x9d\xad\x11\xd1\x80\xb4\x00\xc0\x4f\xd4\x30\xc8"
#define UUIDS(digest, version)                               \
	{digest, NULL, false, UUID_OF("\x10"), "", version},     \
		{digest, NULL, false, UUID_OF("\x11"), "", version}, \
		{digest, NULL, false, UUID_OF("\x12"), "", version}, \
	{                                                        \
		digest, NULL, false, UUID_OF("\x14"), "", version    \
	}

/* Digests of the digits of another one. */
#define TWICE(digest)                                                        \
	{digest, EVP_md5, true, "", "", 0}, {digest, EVP_sha1, true, "", "", 0}, \
		{digest, EVP_sha256, true, "", "", 0},                               \
		{digest, EVP_sha512, true, "", "", 0},                               \
	{                                                                        \
		digest, digest, false, "", "", 0                                     \
	}

/* Of a line that a shell wrote, and of an address as a link has it. */
#define WRITTEN(digest)                                                       \
	{digest, NULL, false, "", "\n", 0}, {digest, NULL, false, "", "\r\n", 0}, \
	{                                                                         \
		digest, NULL, false, "mailto:", "", 0                                 \
	}

/* The digests; the first is the text itself, and these are often seen. */
static const Digest digests[] = {{NULL, NULL, false, "", "", 0},
								 {EVP_md5, NULL, false, "", "", 0, true},
								 {EVP_sha1, NULL, false, "", "", 0, true},
								 {EVP_sha224, NULL, false, "", "", 0},
								 {EVP_sha256, NULL, false, "", "", 0, true},
								 {EVP_sha384, NULL, false, "", "", 0},
								 {EVP_sha512, NULL, false, "", "", 0},
								 {EVP_sha3_256, NULL, false, "", "", 0},
								 {EVP_sha3_512, NULL, false, "", "", 0},
								 UUIDS(EVP_md5, 3),
								 UUIDS(EVP_sha1, 5),
								 TWICE(EVP_md5),
								 TWICE(EVP_sha1),
								 TWICE(EVP_sha256),
								 TWICE(EVP_sha512),
								 WRITTEN(EVP_md5),
								 WRITTEN(EVP_sha1),
								 WRITTEN(EVP_sha256),
								 WRITTEN(EVP_sha512),
								 {EVP_sha3_224, NULL, false, "", "", 0},
								 {EVP_sha3_384, NULL, false, "", "", 0},
								 {EVP_blake2s256, NULL, false, "", "", 0}};

/* Bases, and how many digits are written: zeros may fill them. */
static const int bases[] = {16, 36, 32, 8, 2, 0};

#define DIGITS 64

/* Numbers that are made of a text and of a digest. */
#define TEXT_NUMBERS   8
#define DIGEST_NUMBERS 3

int
sdcpg_written_digests(bool often)
{
	return often ? SDC_WRITTEN_OFTEN : (int) lengthof(digests);
}

int
sdcpg_written_base(int n)
{
	return bases[n];
}

int
sdcpg_written_numbers(bool digest)
{
	return digest ? DIGEST_NUMBERS : TEXT_NUMBERS;
}

/* Bytes as hexadecimal digits. */
static char *
write_hex(const unsigned char *bytes, Size n)
{
	char *hex = palloc(2 * n + 1);

	hex_encode((const char *) bytes, n, hex);
	hex[2 * n] = '\0';
	return hex;
}

/* Bytes in base 64, in one line and without what fills the last four. */
static char *
write_base64(const unsigned char *bytes, int n)
{
	int room = pg_b64_enc_len(n);
	char *written = palloc(room + 1);
	const void *from = bytes;
	int length = pg_b64_encode(from, n, written, room);

	while (length > 0 && written[length - 1] == '=')
		length--;
	if (length <= 0)
		return NULL;
	written[length] = '\0';
	return written;
}

/* Both alphabets, without the ends of lines and what fills the last four. */
static char *
see_base64(const char *text)
{
	char *seen = palloc(strlen(text) + 1);
	int n = 0;

	for (; *text != '\0'; text++)
		if (isalnum((unsigned char) *text) || *text == '+' || *text == '/')
			seen[n++] = *text;
		else if (*text == '-' || *text == '_')
			seen[n++] = *text == '-' ? '+' : '/';
		else if (*text != '=' && *text != '\n')
			return NULL;
	seen[n] = '\0';
	return n == 0 ? NULL : seen;
}

bool
sdcpg_written_read_number(const char *text, int64 *number)
{
	char *end;
	double x;

	errno = 0;
	*number = strtoll(text, &end, 10);
	if (end == text || errno != 0)
		return false;
	if (*end == '\0')
		return true;
	x = strtod(text, &end);
	*number = fabs(x) < 1e15 ? (int64) x : 0;
	return *end == '\0' && fabs(x) < 1e15 && x == rint(x);
}

int64
sdcpg_written_hashed(const char *text, Size length)
{
	return (int64) DatumGetUInt64(
		hash_any_extended((const unsigned char *) text, (int) length, 0));
}

/* What the server's own hash functions, among others, make of a text. */
static bool
number_of_text(const char *text, int which, int64 *number)
{
	int length = (int) strlen(text);
	const unsigned char *bytes = (const unsigned char *) text;
	pg_crc32 crc;

	switch (which)
	{
		case 0:
			return sdcpg_written_read_number(text, number);
		case 1:
			*number = pg_mbstrlen(text);
			return true;
		case 2:
			*number = (int32) DatumGetUInt32(hash_any(bytes, length));
			return true;
		case 3:
			*number = sdcpg_written_hashed(text, (Size) length);
			return true;
		case 4:
			INIT_TRADITIONAL_CRC32(crc);
			COMP_TRADITIONAL_CRC32(crc, bytes, length);
			FIN_TRADITIONAL_CRC32(crc);
			*number = crc;
			return true;
		default:
			break;
	}
	if (!sdcpg_written_read_number(text, number) ||
		(which == 5 && (int32) *number != *number))
		return false;
	if (which == 5)
		*number = DatumGetInt32(
			DirectFunctionCall1(hashint4, Int32GetDatum((int32) *number)));
	else if (which == 6)
		*number = DatumGetInt32(
			DirectFunctionCall1(hashint8, Int64GetDatum(*number)));
	else
		*number = DatumGetInt64(DirectFunctionCall2(
			hashint8extended, Int64GetDatum(*number), Int64GetDatum(0)));
	return true;
}

/* The first 32 bits of a digest, with a sign and without, or the first 64. */
static int64
number_of_digest(const unsigned char *bytes, int which)
{
	uint64 number = 0;
	int i;

	for (i = 0; i < (which == 2 ? 8 : 4); i++)
		number = number << 8 | bytes[i];
	return which == 0 ? (int32) number : (int64) number;
}

/* The number that is taken of a text, before any modulus. */
static bool
number_of(const SdcWritten *of, const char *text, const unsigned char *bytes,
		  int64 *number)
{
	if (of->digest > 0)
		*number = number_of_digest(bytes, of->number);
	else if (!number_of_text(text, of->number, number))
		return false;
	if (of->absolute && *number < 0 && *number > PG_INT64_MIN)
		*number = -*number;
	return true;
}

/* A digest as the library has it ready, for to look it up takes longer than to
 * make it of a short text; NULL: it has none. */
static const EVP_MD *
ready_digest(const EVP_MD *of)
{
#if OPENSSL_VERSION_NUMBER >= 0x30000000L
	static struct
	{
		const EVP_MD *of;
		const EVP_MD *ready;
	} known[lengthof(digests)];
	static int count = 0;
	int k;

	for (k = 0; k < count; k++)
		if (known[k].of == of)
			return known[k].ready;
	known[count].of = of;
	known[count].ready = EVP_MD_fetch(NULL, EVP_MD_get0_name(of), NULL);
	return known[count++].ready;
#else
	return of;
#endif
}

/* Not every library is allowed each digest; false: this one is not. */
static bool
digest_bytes(const void *bytes, Size n, const EVP_MD *of,
			 unsigned char *digest, unsigned int *length)
{
	static EVP_MD_CTX *context = NULL;
	const EVP_MD *ready = ready_digest(of);

	if (context == NULL)
		context = EVP_MD_CTX_new();
	return ready != NULL && context != NULL &&
		   EVP_DigestInit_ex(context, ready, NULL) == 1 &&
		   EVP_DigestUpdate(context, bytes, n) == 1 &&
		   EVP_DigestFinal_ex(context, digest, length) == 1;
}

/* The digest of a digest, of its bytes or of the digits of these. */
static bool
digest_digest(const Digest *of, unsigned char *digest, unsigned int *length)
{
	char digits[2 * EVP_MAX_MD_SIZE];

	if (!of->of_hex)
		return digest_bytes(digest, *length, of->of_that(), digest, length);
	hex_encode((char *) digest, *length, digits);
	return digest_bytes(digits, 2 * (Size) *length, of->of_that(), digest,
						length);
}

/* A digest of a text; returns its length, or 0. */
static unsigned int
digest_text(const Digest *of, const char *text, Size length,
			unsigned char *digest)
{
	Size before = of->uuid > 0 ? UUID_LEN : strlen(of->before);
	Size behind = strlen(of->behind);
	char *whole = NULL;
	unsigned int n;
	bool done;

	if (before + behind > 0)
	{
		whole = palloc(before + length + behind);
		memcpy(whole, of->before, before);
		memcpy(whole + before, text, length);
		memcpy(whole + before + length, of->behind, behind);
	}
	done = digest_bytes(whole == NULL ? text : whole, before + length + behind,
						of->of(), digest, &n);
	if (whole != NULL)
		pfree(whole);
	if (!done || (of->of_that != NULL && !digest_digest(of, digest, &n)))
		return 0;
	if (of->uuid == 0)
		return n;
	digest[6] = (unsigned char) ((digest[6] & 0x0f) | of->uuid << 4);
	digest[8] = (digest[8] & 0x3f) | 0x80;
	return UUID_LEN;
}

unsigned int
sdcpg_written_digest(int digest, const char *text, Size length,
					 unsigned char *bytes)
{
	return digest_text(&digests[digest], text, length, bytes);
}

/* Each letter as another one. */
static char *
turn_letters(const SdcLetters *letters, const char *text)
{
	char *turned = pstrdup(text);
	int i;

	for (i = 0; text[i] != '\0'; i++)
	{
		if (letters->by_place && i == SDC_LETTER_PLACES)
			return NULL;
		turned[i] =
			(char) letters
				->letter[letters->by_place ? i : 0][(unsigned char) text[i]];
		if (turned[i] == '\0')
			return NULL;
	}
	return turned;
}

/* The digits of a number that is not negative, as the nearest whole one,
 * filled up by zeros. */
static char *
digits_of(const char *text, int base)
{
	char digits[DIGITS + 1] = {0};
	int at;
	char *end;
	double x = strtod(text, &end);
	int64 number = x >= 0 && x < 9e15 ? (int64) rint(x) : 0;

	if (end == text || *end != '\0' || !(x >= 0 && x < 9e15))
		return NULL;
	for (at = DIGITS - 1; at >= 0; at--, number /= base)
		digits[at] = "0123456789abcdefghijklmnopqrstuvwxyz"[number % base];
	return pstrdup(digits);
}

/* The bytes of what is written: of the text, or of its digest; their number is
 * 0 where there is none. */
static const unsigned char *
bytes_of(const SdcWritten *of, const char *text, SdcDigested *digested,
		 unsigned int *n)
{
	*n = (unsigned int) strlen(text);
	if (of->digest == 0)
		return (const unsigned char *) text;
	if (digested->digest != of->digest)
	{
		digested->length =
			digest_text(&digests[of->digest], text, *n, digested->bytes);
		digested->digest = of->digest;
	}
	*n = digested->length;
	return digested->bytes;
}

bool
sdcpg_written_number(const SdcWritten *of, const char *text,
					 SdcDigested *digested, int64 *number)
{
	unsigned int n;
	const unsigned char *bytes = bytes_of(of, text, digested, &n);

	if ((of->digest > 0 && n == 0) || !number_of(of, text, bytes, number))
		return false;
	if (of->congruence != NULL)
	{
		*number = sdc_congruence_at(of->congruence, *number);
		if (*number < 0)
			return false;
	}
	if (of->modulus > 0)
		*number %= of->modulus;
	if (of->above && *number < 0)
		*number += of->modulus;
	*number ^= of->turned;
	return true;
}

/* A text that is no digest, as it is or with other letters. */
static char *
write_text(const SdcWritten *of, const char *text)
{
	if (of->base > 0)
		return digits_of(text, of->base);
	return of->letters != NULL ? turn_letters(of->letters, text)
							   : pstrdup(text);
}

char *
sdcpg_written_kept(const SdcWritten *of, const char *text,
				   SdcDigested *digested)
{
	unsigned int n;
	const unsigned char *bytes = bytes_of(of, text, digested, &n);
	int64 number;

	if (of->digest > 0 && n == 0)
		return NULL;
	switch (of->writing)
	{
		case SDC_AS_TEXT:
			return write_text(of, text);
		case SDC_AS_HEX:
			return write_hex(bytes, n);
		case SDC_AS_BASE64:
			return write_base64(bytes, (int) n);
		default:
			return sdcpg_written_number(of, text, digested, &number)
					   ? psprintf(INT64_FORMAT, number)
					   : NULL;
	}
}

char *
sdcpg_written(const SdcWritten *of, const char *text)
{
	SdcDigested digested = {0};

	return sdcpg_written_kept(of, text, &digested);
}

/* ---- How a value of a column is seen. ---- */

/* Hexadecimal digits, also with a \x, a uuid's dashes and an address' colons;
 * of a text's bytes without the zeros that fill a value. */
static char *
see_hex(const char *text, bool filled)
{
	char *seen = palloc(strlen(text) + 1);
	int n = 0;

	if (strncmp(text, "\\x", 2) == 0)
		text += 2;
	for (; *text != '\0'; text++)
		if (isxdigit((unsigned char) *text))
			seen[n++] = (char) pg_ascii_tolower((unsigned char) *text);
		else if (*text != '-' && *text != ':')
			return NULL;
	while (filled && n > 1 && seen[n - 1] == '0' && seen[n - 2] == '0')
		n -= 2;
	seen[n] = '\0';
	return n == 0 ? NULL : seen;
}

/* Digits of a number, to any base, behind what all values begin with as far as
 * that ends with something else. */
static char *
see_digits(const char *text, int prefix)
{
	char *seen;
	int n;

	while (prefix > 0 && isalnum((unsigned char) text[prefix - 1]))
		prefix--;
	seen = pstrdup(text + prefix);
	for (n = 0; seen[n] != '\0'; n++)
		if (!isalnum((unsigned char) seen[n]))
			return NULL;
		else
			seen[n] = (char) pg_ascii_tolower((unsigned char) seen[n]);
	return n == 0 || n > DIGITS ? NULL : seen;
}

/* What fills up the bytes of a text is no common end, and digits have none. */
char *
sdcpg_written_see(const SdcWritten *of, const char *value, int prefix,
				  int suffix)
{
	bool filled = of->writing == SDC_AS_HEX && of->digest == 0;
	int64 number;
	char *text;

	if (of->writing == SDC_AS_NUMBER)
		return sdcpg_written_read_number(value, &number)
				   ? psprintf(INT64_FORMAT, number)
				   : NULL;
	if (filled)
		return see_hex(value, true);
	if (of->base > 0)
		return see_digits(value, prefix);
	if (of->letters != NULL)
		prefix = suffix = 0;
	text = pnstrdup(value + prefix, strlen(value) - (Size) (prefix + suffix));
	if (of->writing == SDC_AS_HEX)
		return see_hex(text, false);
	if (of->writing == SDC_AS_BASE64)
		return see_base64(text);
	return *text == '\0' || strlen(text) > SDC_WRITTEN_BYTES ? NULL : text;
}

/* Bytes of a digest. */
static int
size_of(const Digest *of)
{
	return of->uuid > 0
			   ? UUID_LEN
			   : EVP_MD_size(of->of_that != NULL ? of->of_that() : of->of());
}

bool
sdcpg_written_may_be(int digest, int bytes, int uuid, bool cut)
{
	const Digest *of = &digests[digest];
	int size = size_of(of);

	return of->uuid > 0 ? bytes == UUID_LEN && of->uuid == uuid
						: size == bytes || (cut && of->cut && size > bytes);
}

bool
sdcpg_written_fits(const char *seen, SdcWriting writing, int digest)
{
	static const int bits[] = {128, 160, 224, 256, 384, 512};
	int length = (int) strlen(seen);
	int i;

	for (i = 0; i < (int) lengthof(bits) && writing == SDC_AS_HEX; i++)
		if (4 * length == bits[i])
			return size_of(&digests[digest]) * 8 == bits[i];
	return true;
}
