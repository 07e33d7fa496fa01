/*
 * copy_digests.c
 *		Digests of identifiers in a copy.
 *
 * Who knows an e-mail address knows md5(email), as many keep it for a picture
 * or to match lists.  What in a column that was kept may be a digest is put
 * aside, by its first eight bytes; then each identifier of the original is
 * hashed in all ways that the attacks know and that have such bytes, and
 * looked up.  A digest with a salt or a key is not found.
 */
#include "postgres.h"

#include <ctype.h>

#include "catalog/pg_type.h"
#include "utils/builtins.h"
#include "utils/uuid.h"

#include "kernel/base/table.h"
#include "kernel/risk/written.h"
#include "release/copy_digests.h"
#include "topic/attack/likelihood_written.h"

/* Bytes that are compared, as a number; fewer are there by chance. */
#define START ((int) sizeof(uint64_t))

/* Letters of a uuid with its hyphens. */
#define UUID_TEXT 36

/* A number that is no digest: smaller than one of a thousand of them is. */
#define ORDINARY ((int64) 1 << 53)

struct SdcCopyDigests
{
	SdcHost *host;
	size_t count;
	size_t room;
	uint64_t *start; /* of each that was put aside: its first bytes */
	bool *found;
	SdcTable table;
	bool cut;    /* are digests that were cut put aside? */
	bool *met;   /* which digests may be among them */
	bool number; /* whole numbers are */
};

static inline bool
is_start(const uint64_t *start, int32_t number, uint64_t wanted)
{
	return start[number] == wanted;
}

SDC_TABLE_FIND(find_start, const uint64_t *, uint64_t, is_start);

SdcCopyDigests *
sdcpg_copy_digests(SdcHost *host)
{
	SdcCopyDigests *set = palloc0(sizeof(SdcCopyDigests));

	set->host = host;
	set->met = palloc0(sizeof(bool) * sdcpg_written_digests(false));
	return set;
}

size_t
sdcpg_copy_digests_count(const SdcCopyDigests *set)
{
	return set->count;
}

/* Starts a place: what was put aside before is forgotten. */
void
sdcpg_copy_digests_start(SdcCopyDigests *set)
{
	memset(set->met, 0, sizeof(bool) * sdcpg_written_digests(false));
	set->number = false;
	if (set->count > 0)
		sdc_table_clear(&set->table, set->room);
	set->count = 0;
}

static void
grow_digests(SdcCopyDigests *set)
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

/* Has any digest so many bytes, or is it cut to them? */
static bool
is_length(size_t bytes, bool cut)
{
	int i;

	if (bytes < (size_t) START || bytes > SDC_WRITTEN_DIGEST_BYTES)
		return false;
	for (i = 1; i < sdcpg_written_digests(false); i++)
		if (sdcpg_written_may_be(i, (int) bytes, 0, cut))
			return true;
	return false;
}

/*
 * Puts aside what may be a digest, or its first bytes; uuid: its version, or
 * 0.
 */
static void
put_aside(SdcCopyDigests *set, uint64_t start, int bytes, int uuid)
{
	int32_t *slot;
	int i;

	if (set->count == set->room)
	{
		if (set->count >= SDC_MAX_ROWS / 2)
			return;
		grow_digests(set);
	}
	slot =
		find_start(&set->table, sdc_table_hash(0, start), set->start, start);
	for (i = 1; i < sdcpg_written_digests(false); i++)
		set->met[i] |=
			sdcpg_written_may_be(i, bytes, 0, set->cut) ||
			(uuid > 0 && sdcpg_written_may_be(i, bytes, uuid, false));
	if (*slot != SDC_TABLE_NONE)
		return;
	*slot = (int32_t) set->count;
	set->start[set->count] = start;
	set->found[set->count++] = false;
}

/* Has a run of digits letters and digits, as one that is no number? */
static bool
is_mixed(const char *run, size_t length)
{
	bool letter = false;
	bool digit = false;
	size_t i;

	for (i = 0; i < length; i++)
	{
		letter |= isalpha((unsigned char) run[i]) != 0;
		digit |= isdigit((unsigned char) run[i]) != 0;
	}
	return letter && digit;
}

/* Puts a run of digits aside, which are of so many bits each. */
static void
take_run(SdcCopyDigests *set, const char *run, size_t length, int bits,
		 int uuid)
{
	size_t bytes = length * bits / 8;
	uint64_t held = 0;
	unsigned char start[START + 1];
	int have = 0;
	int written = 0;

	if (!is_length(bytes, set->cut && bits == 4 && is_mixed(run, length)))
		return;
	for (; written < START; run++)
	{
		held = held << bits |
			   (uint64_t) (bits == 4 ? sdc_written_hex((uint8_t) *run)
									 : sdc_written_base64((uint8_t) *run));
		have += bits;
		if (have >= 8)
			start[written++] = (unsigned char) (held >> (have -= 8));
	}
	put_aside(set, start_of(start), (int) bytes, uuid);
}

/* Is a run of base64 as long as a digest is, and no word? */
static bool
is_unpadded(const char *run, size_t length)
{
	bool lower = false;
	bool upper = false;
	bool digit = false;
	size_t i;

	if (length % 4 == 0 || !is_length(length * 6 / 8, false))
		return false;
	for (i = 0; i < length; i++)
	{
		lower |= islower((unsigned char) run[i]) != 0;
		upper |= isupper((unsigned char) run[i]) != 0;
		digit |= isdigit((unsigned char) run[i]) != 0;
	}
	return lower && upper && digit;
}

/* A uuid, unless it was drawn or is of a time; without its hyphens. */
static void
take_uuid(SdcCopyDigests *set, const char *text)
{
	char digits[2 * UUID_LEN];
	int count = 0;
	int i;

	if (strchr("1467", text[14]) != NULL && strchr("89abAB", text[19]) != NULL)
		return;
	for (i = 0; i < UUID_TEXT; i++)
		if (text[i] != '-')
			digits[count++] = text[i];
	take_run(set, digits, count, 4, sdc_written_hex((uint8_t) text[14]));
}

/* Does a text go on with a uuid? */
static bool
is_uuid(const char *text, size_t length)
{
	int i;

	if (length < UUID_TEXT || text[8] != '-')
		return false;
	for (i = 0; i < UUID_TEXT; i++)
		if (i == 8 || i == 13 || i == 18 || i == 23
				? text[i] != '-'
				: sdc_written_hex((uint8_t) text[i]) < 0)
			return false;
	return true;
}

/*
 * Puts all runs of hexadecimal digits aside that are as long as a digest, or
 * as one that was cut, uuids, and runs of base64 with the sign at their end,
 * or without it.
 */
static void
take_text(SdcCopyDigests *set, const char *text, size_t length)
{
	size_t hex = 0; /* digits before this place */
	size_t base = 0;
	size_t i;

	for (i = 0; i <= length; i++)
	{
		bool is_hex = i < length && sdc_written_hex((uint8_t) text[i]) >= 0;
		bool is_base =
			i < length && sdc_written_base64((uint8_t) text[i]) >= 0;

		if (is_hex && hex == 0 && is_uuid(text + i, length - i))
			take_uuid(set, text + i);
		if (!is_hex && hex >= 2 * START)
			take_run(set, text + i - hex, hex, 4, 0);
		if (!is_base && base >= 22 &&
			((i < length && text[i] == '=') ||
			 is_unpadded(text + i - base, base)))
			take_run(set, text + i - base, base, 6, 0);
		hex = is_hex ? hex + 1 : 0;
		base = is_base ? base + 1 : 0;
	}
}

/* Puts a digest aside that is written as a fingerprint: d4:1d:8c... */
static void
take_fingerprint(SdcCopyDigests *set, const char *text, size_t length)
{
	char digits[2 * SDC_WRITTEN_DIGEST_BYTES];
	size_t count = 0;
	size_t i = 0;

	if (memchr(text, ':', length) == NULL)
		return;
	while (i + 1 < length)
	{
		bool pair = sdc_written_hex((uint8_t) text[i]) >= 0 &&
					sdc_written_hex((uint8_t) text[i + 1]) >= 0 &&
					count + 2 <= sizeof(digits);

		if (pair)
		{
			digits[count++] = text[i++];
			digits[count++] = text[i++];
			if (i < length && text[i] == ':')
			{
				i++;
				continue;
			}
		}
		if (count > 0)
			take_run(set, digits, count, 4, 0);
		count = 0;
		i += pair ? 0 : 1;
	}
	if (count > 0)
		take_run(set, digits, count, 4, 0);
}

/* A whole number as the first bytes of a digest. */
static uint64_t
start_of_number(int64 number)
{
	unsigned char bytes[START];
	int i;

	for (i = 0; i < START; i++)
		bytes[i] = (unsigned char) ((uint64) number >> 8 * (START - 1 - i));
	return start_of(bytes);
}

void
sdcpg_copy_digests_take_number(SdcCopyDigests *set, int64 number)
{
	if (number < ORDINARY && number > -ORDINARY)
		return;
	set->number = set->cut = true;
	put_aside(set, start_of_number(number), START, 0);
}

void
sdcpg_copy_digests_take(SdcCopyDigests *set, Oid type, const char *text,
						size_t length, bool cut)
{
	set->cut = cut;
	if (type == BYTEAOID && is_length(length, cut))
		put_aside(set, start_of((const unsigned char *) text), (int) length,
				  0);
	else if (length >= 2 * START)
	{
		take_text(set, text, length);
		take_fingerprint(set, text, length);
	}
}

/* Is a digest one that was met, and was not found before? */
static bool
is_new(SdcCopyDigests *set, uint64_t start)
{
	int32_t at =
		*find_start(&set->table, sdc_table_hash(0, start), set->start, start);

	if (at == SDC_TABLE_NONE || set->found[at])
		return false;
	set->found[at] = true;
	return true;
}

/* Looks a value up by each digest that may have been met. */
static int64
look_up_digests(SdcCopyDigests *set, const char *text, size_t length)
{
	unsigned char bytes[SDC_WRITTEN_DIGEST_BYTES];
	int64 found = 0;
	int i;

	for (i = 1; i < sdcpg_written_digests(false); i++)
		/* a library may be without one */
		if (set->met[i] && sdcpg_written_digest(i, text, length, bytes) > 0)
			found += is_new(set, start_of(bytes));
	if (set->number)
		found +=
			is_new(set, start_of_number(sdcpg_written_hashed(text, length)));
	return found;
}

/*
 * Looks a value of the original up: how many digests of it were not found
 * before; number: letters and digits alone are hashed, too.
 */
int64
sdcpg_copy_digests_found(SdcCopyDigests *set, const char *text, size_t length,
						 bool number)
{
	char *other = palloc(length + 1);
	size_t count = 0;
	int64 found = look_up_digests(set, text, length);
	size_t i;

	for (i = 0; i < length; i++)
		other[i] = (char) pg_toupper((unsigned char) text[i]);
	if (memcmp(other, text, length) != 0)
		found += look_up_digests(set, other, length);
	for (i = 0; i < length; i++)
		other[i] = (char) pg_tolower((unsigned char) text[i]);
	if (memcmp(other, text, length) != 0)
		found += look_up_digests(set, other, length);
	/* +49 171 5550001 without what is between, and without the sign */
	for (i = 0; number && i < length; i++)
		if (isalnum((unsigned char) text[i]) || (i == 0 && text[i] == '+'))
			other[count++] = text[i];
	if (count > 0 && count < length)
		found += look_up_digests(set, other, count);
	if (count > 0 && *other == '+')
		found += look_up_digests(set, other + 1, count - 1);
	pfree(other);
	return found;
}
