/*
 * likelihood_written.c
 *		What everybody can write of a text, and how that is seen.
 *
 * A text may be written as it is, or as a digest or a number that is made of
 * it.  Digests are written in hexadecimal digits or in base 64, or their first
 * bits as a number.  The attacks look for what is published among all of it.
 */
#include "postgres.h"

#include <ctype.h>
#include <math.h>
#include <openssl/evp.h>

#include "common/hashfn.h"
#include "lib/stringinfo.h"
#include "mb/pg_wchar.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"
#include "utils/pg_crc.h"

#include "topic/attack/likelihood_written.h"

/* The digests; the first is the text itself. */
static const EVP_MD *(*const digests[])(void) = {
	NULL,       EVP_md5,    EVP_sha1,     EVP_sha224,  EVP_sha256,
	EVP_sha384, EVP_sha512, EVP_sha3_256, EVP_sha3_512};

/* Numbers that are made of a text and of a digest. */
#define TEXT_NUMBERS   8
#define DIGEST_NUMBERS 3

int
sdcpg_written_digests(void)
{
	return (int) lengthof(digests);
}

int
sdcpg_written_numbers(bool digest)
{
	return digest ? DIGEST_NUMBERS : TEXT_NUMBERS;
}

/* Bytes as PostgreSQL's encode writes them. */
static char *
encode(const unsigned char *bytes, int n, const char *format)
{
	bytea *value = palloc(VARHDRSZ + (Size) n);

	SET_VARSIZE(value, VARHDRSZ + n);
	memcpy(VARDATA(value), bytes, (Size) n);
	return TextDatumGetCString(DirectFunctionCall2(
		binary_encode, PointerGetDatum(value), CStringGetTextDatum(format)));
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
			*number =
				(int64) DatumGetUInt64(hash_any_extended(bytes, length, 0));
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

char *
sdcpg_written(const SdcWritten *of, const char *text)
{
	unsigned char digest[EVP_MAX_MD_SIZE];
	const unsigned char *bytes = (const unsigned char *) text;
	unsigned int n = (unsigned int) strlen(text);
	int64 number;

	if (of->digest > 0)
	{
		/* not every library is allowed each digest */
		if (!EVP_Digest(text, n, digest, &n, digests[of->digest](), NULL))
			return NULL;
		bytes = digest;
	}
	switch (of->writing)
	{
		case SDC_AS_TEXT:
			return pstrdup(text);
		case SDC_AS_HEX:
			return encode(bytes, (int) n, "hex");
		case SDC_AS_BASE64:
			return see_base64(encode(bytes, (int) n, "base64"));
		default:
			break;
	}
	if (!number_of(of, text, bytes, &number))
		return NULL;
	if (of->modulus > 0)
		number %= of->modulus;
	return psprintf(INT64_FORMAT, number);
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

/* What fills up the bytes of a text is no common end. */
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
	text = pnstrdup(value + prefix, strlen(value) - (Size) (prefix + suffix));
	if (of->writing == SDC_AS_HEX)
		return see_hex(text, false);
	if (of->writing == SDC_AS_BASE64)
		return see_base64(text);
	return *text == '\0' || strlen(text) > SDC_WRITTEN_BYTES ? NULL : text;
}

bool
sdcpg_written_fits(const char *seen, SdcWriting writing, int digest)
{
	static const int bits[] = {128, 160, 224, 256, 384, 512};
	int length = (int) strlen(seen);
	int i;

	for (i = 0; i < (int) lengthof(bits) && writing == SDC_AS_HEX; i++)
		if (4 * length == bits[i])
			return EVP_MD_size(digests[digest]()) * 8 == bits[i];
	return true;
}
