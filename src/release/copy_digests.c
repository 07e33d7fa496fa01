/*
 * copy_digests.c
 *		Digests of original identifiers in a copy of a schema.
 *
 * Who knows an e-mail address knows md5(email), as many keep it for a picture
 * or to match lists.  What in a column that was kept has the length of a
 * digest is put aside, by its first eight bytes; then each identifier of the
 * original is hashed in the ways that are usual, and looked up.  A digest with
 * a salt or a key is not found.
 */
#include "postgres.h"

#include <ctype.h>
#include <openssl/evp.h>

#include "catalog/pg_type.h"

#include "kernel/base/table.h"
#include "release/copy.h"

/* The digests, and the bytes that they have. */
static const struct
{
	int bytes;
	const EVP_MD *(*digest)(void);
} digests[] = {{16, EVP_md5},       {20, EVP_sha1},   {28, EVP_sha224},
			   {28, EVP_sha3_224},  {32, EVP_sha256}, {32, EVP_sha3_256},
			   {48, EVP_sha384},    {64, EVP_sha512}, {64, EVP_sha3_512},
			   {32, EVP_blake2s256}};

#define MOST_BYTES 64

struct SdcCopyDigests
{
	SdcHost *host;
	size_t count;
	size_t room;
	uint64_t *start; /* of each that was put aside: its first bytes */
	bool *found;
	SdcTable table;
	bool bytes[MOST_BYTES + 1]; /* of a length that any has */
};

static inline bool
is_start(const uint64_t *start, int32_t number, uint64_t wanted)
{
	return start[number] == wanted;
}

SDC_TABLE_FIND(find_start, const uint64_t *, uint64_t, is_start);

SdcCopyDigests *
sdcpg_digests_create(SdcHost *host)
{
	SdcCopyDigests *set = palloc0(sizeof(SdcCopyDigests));

	set->host = host;
	return set;
}

void
sdcpg_digests_start(SdcCopyDigests *set)
{
	memset(set->bytes, 0, sizeof(set->bytes));
	if (set->count > 0)
		sdc_table_clear(&set->table, set->room);
	set->count = 0;
}

bool
sdcpg_digests_any(const SdcCopyDigests *set)
{
	return set->count > 0;
}

static void
grow(SdcCopyDigests *set)
{
	size_t room = set->room == 0 ? 1024 : 2 * set->room;
	size_t i;

	set->start =
		sdc_grow(set->host, set->start, set->count, room, sizeof(uint64_t));
	set->found = sdc_grow(set->host, set->found, set->count, room, 1);
	if (set->room > 0)
		sdc_table_release(set->host, &set->table);
	sdc_table_create(set->host, &set->table, room);
	for (i = 0; i < set->count; i++)
		sdc_table_put(&set->table, sdc_table_hash(0, set->start[i]),
					  (int32_t) i);
	set->room = room;
}

/* The first eight bytes of a digest as a number. */
static uint64_t
start_of(const unsigned char *bytes)
{
	uint64_t start;

	memcpy(&start, bytes, sizeof(start));
	return start;
}

/* Puts a digest of so many bytes aside. */
static void
put_aside(SdcCopyDigests *set, uint64_t start, int bytes)
{
	int32_t *slot;

	if (set->count == set->room)
	{
		if (set->count >= SDC_MAX_ROWS / 2)
			return;
		grow(set);
	}
	slot =
		find_start(&set->table, sdc_table_hash(0, start), set->start, start);
	set->bytes[bytes] = true;
	if (*slot != SDC_TABLE_NONE)
		return;
	*slot = (int32_t) set->count;
	set->start[set->count] = start;
	set->found[set->count++] = false;
}

/* Has any digest so many bytes? */
static bool
is_length(size_t bytes)
{
	size_t i;

	for (i = 0; i < lengthof(digests); i++)
		if ((size_t) digests[i].bytes == bytes)
			return true;
	return false;
}

/* The value of a digit of base64, in both alphabets; -1: it is none. */
static int
base64_digit(unsigned char c)
{
	static const char digit[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqr"
								"stuvwxyz0123456789+/-_";
	const char *at = c == '\0' ? NULL : strchr(digit, c);
	int value = at == NULL ? -1 : (int) (at - digit);

	return value > 63 ? value - 2 : value;
}

static int
hex_digit(unsigned char c)
{
	return isdigit(c) ? c - '0' : isxdigit(c) ? (c | 32) - 'a' + 10 : -1;
}

/* Puts a run of digits aside, which are of so many bits each. */
static void
take_run(SdcCopyDigests *set, const char *run, size_t length, int bits)
{
	size_t bytes = length * bits / 8;
	uint64_t held = 0;
	unsigned char start[9];
	int have = 0;
	int written = 0;

	if (!is_length(bytes))
		return;
	for (; written < 8; run++)
	{
		held = held << bits |
			   (uint64_t) (bits == 4 ? hex_digit(*run) : base64_digit(*run));
		have += bits;
		if (have >= 8)
			start[written++] = (unsigned char) (held >> (have -= 8));
	}
	put_aside(set, start_of(start), (int) bytes);
}

/*
 * Puts all runs of hexadecimal digits aside that are as long as a digest, and
 * those of base64 with the sign at their end.
 */
static void
take_text(SdcCopyDigests *set, const char *text, size_t length)
{
	size_t hex = 0; /* digits before this place */
	size_t base = 0;
	size_t i;

	for (i = 0; i <= length; i++)
	{
		bool is_hex = i < length && hex_digit(text[i]) >= 0;
		bool is_base = i < length && base64_digit(text[i]) >= 0;

		if (!is_hex && hex >= 32 && hex % 2 == 0)
			take_run(set, text + i - hex, hex, 4);
		if (!is_base && base >= 22 && i < length && text[i] == '=')
			take_run(set, text + i - base, base, 6);
		hex = is_hex ? hex + 1 : 0;
		base = is_base ? base + 1 : 0;
	}
}

/* A uuid without its hyphens, unless it was drawn or is of a time. */
static void
take_uuid(SdcCopyDigests *set, const char *text)
{
	char digits[32];
	int count = 0;

	if (strlen(text) != 36 ||
		(strchr("1467", text[14]) != NULL && strchr("89ab", text[19]) != NULL))
		return;
	for (; *text != '\0'; text++)
		if (*text != '-' && count < 32)
			digits[count++] = *text;
	take_run(set, digits, count, 4);
}

void
sdcpg_digests_take(SdcCopyDigests *set, Oid type, const char *text,
				   size_t length)
{
	if (type == BYTEAOID && is_length(length))
		put_aside(set, start_of((const unsigned char *) text), (int) length);
	else if (type == UUIDOID)
		take_uuid(set, text);
	else if (length >= 22)
		take_text(set, text, length);
}

/* Looks a value up by each digest of a length that was met. */
static int64
look_up(SdcCopyDigests *set, const char *text, size_t length)
{
	unsigned char bytes[EVP_MAX_MD_SIZE];
	int64 found = 0;
	size_t i;

	for (i = 0; i < lengthof(digests); i++)
	{
		unsigned int written;
		uint64_t start;
		int32_t at;

		/* a library may be without one */
		if (!set->bytes[digests[i].bytes] ||
			EVP_Digest(text, length, bytes, &written, digests[i].digest(),
					   NULL) != 1)
			continue;
		start = start_of(bytes);
		at = *find_start(&set->table, sdc_table_hash(0, start), set->start,
						 start);
		if (at == SDC_TABLE_NONE || set->found[at])
			continue;
		set->found[at] = true;
		found++;
	}
	return found;
}

int64
sdcpg_digests_of(SdcCopyDigests *set, const char *text, size_t length,
				 bool number)
{
	char *other = palloc(length + 1);
	bool lower = true;
	size_t count = 0;
	int64 found = look_up(set, text, length);
	size_t i;

	for (i = 0; i < length; i++)
	{
		lower &= !isupper((unsigned char) text[i]);
		other[i] = (char) pg_tolower((unsigned char) text[i]);
	}
	if (!lower)
		found += look_up(set, other, length);
	/* +49 171 5550001 without what is between, and without the sign */
	for (i = 0; number && i < length; i++)
		if (isalnum((unsigned char) text[i]) || (i == 0 && text[i] == '+'))
			other[count++] = text[i];
	if (count > 0 && count < length)
		found += look_up(set, other, count);
	if (count > 0 && *other == '+')
		found += look_up(set, other + 1, count - 1);
	pfree(other);
	return found;
}
