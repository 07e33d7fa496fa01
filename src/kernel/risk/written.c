/*
 * written.c
 *		Ways to read a text in which characters are written otherwise.
 *
 * Each reader makes a text of a text, or none where there is nothing for it,
 * and gives it on; who called reads that again, as often as is useful.
 */
#include <string.h>

#include "kernel/base/host.h"
#include "kernel/risk/written.h"

/* Letters of a text that is worth reading. */
#define LEAST 5

/* Where texts go. */
typedef struct Reader
{
	SdcHost *host;
	SdcWrittenTake take;
	void *arg;
} Reader;

static void
give(const Reader *reader, const uint8_t *text, size_t length)
{
	reader->take(reader->arg, text, length, true);
}

/* Digits of hexadecimal from one place on, as a number; -1: too few. */
static int32_t
hex_number(const uint8_t *text, const uint8_t *end, int digits)
{
	int32_t number = 0;
	int i;

	if (end - text < digits)
		return -1;
	for (i = 0; i < digits; i++)
	{
		if (sdc_written_hex(text[i]) < 0)
			return -1;
		number = number * 16 + sdc_written_hex(text[i]);
	}
	return number;
}

/* The character that a name of HTML means, without its accent. */
static int32_t
named_character(const uint8_t *name, size_t length)
{
	static const struct
	{
		const char *name;
		char character;
	} names[] = {{"commat", '@'}, {"period", '.'}, {"amp", '&'},
				 {"lowbar", '_'}, {"nbsp", ' '},   {"plus", '+'},
				 {"hyphen", '-'}, {"shy", ' '},    {"szlig", 's'}};
	static const char *const accents[] = {
		"uml",   "acute", "grave", "circ", "cedil", "tilde", "ring", "slash",
		"caron", "strok", "ogon",  "macr", "breve", "dblac", "dot"};
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strlen(names[i].name) == length &&
			memcmp(names[i].name, name, length) == 0)
			return names[i].character;
	for (i = 0; i < sizeof(accents) / sizeof(accents[0]); i++)
		if (strlen(accents[i]) + 1 == length &&
			memcmp(accents[i], name + 1, length - 1) == 0)
			return *name;
	/* &ensp; and signs that are no letters */
	return ' ';
}

/* A character reference of HTML at a place, &#64; or &commat;; its bytes. */
static int
reference_at(const uint8_t *text, const uint8_t *end, int32_t *character)
{
	const uint8_t *at = text + 1;
	const uint8_t *begin;
	bool number = end - text > 3 && *at == '#';
	bool hex = number && (text[2] | 32) == 'x';

	at += (number ? 1 : 0) + (hex ? 1 : 0);
	for (begin = at, *character = 0; at < end && at - begin < 8; at++)
	{
		int digit = sdc_written_hex(*at);

		if (*at == ';')
			break;
		if (number && (digit < 0 || (!hex && digit > 9)))
			return 0;
		*character = *character * (hex ? 16 : 10) + (number ? digit : 0);
	}
	if (at == begin || at == end || *at != ';')
		return 0;
	if (!number)
		*character = named_character(begin, (size_t) (at - begin));
	return (int) (at - text) + 1;
}

/*
 * [at], (dot) and the like, or words between blanks, in place of a sign; its
 * bytes, 0: none.
 */
static int
spelled_at(const uint8_t *text, const uint8_t *end, int32_t *character)
{
	static const char *const words[] = {"at", "dot", "punkt", "point"};
	uint8_t close = *text == '[' ? ']' : *text == '(' ? ')' : ' ';
	size_t i;
	size_t j;

	for (i = 0; i < sizeof(words) / sizeof(words[0]); i++)
	{
		size_t length = strlen(words[i]);

		for (j = 0; j < length && text + j + 1 < end &&
					(text[j + 1] | 32) == words[i][j];
			 j++)
			;
		if (j < length || text + j + 1 == end || text[j + 1] != close)
			continue;
		*character = i == 0 ? '@' : '.';
		return (int) length + 2;
	}
	return 0;
}

/* Has a text the word for a dot between blanks, as addresses that are read? */
static bool
has_spelled_dot(const uint8_t *text, size_t length)
{
	const uint8_t *end = text + length;
	int32_t character = 0;

	while (text < end && (text = memchr(text, ' ', end - text)) != NULL)
	{
		if (spelled_at(text, end, &character) > 0 && character == '.')
			return true;
		text++;
	}
	return false;
}

/* The byte of three octal digits at a place; -1: there are none. */
static int32_t
octal_number(const uint8_t *text, const uint8_t *end)
{
	int32_t number = 0;
	int i;

	for (i = 0; i < 3; i++)
	{
		if (end - text <= i || text[i] < '0' || text[i] > '7')
			return -1;
		number = number * 8 + text[i] - '0';
	}
	return number > 255 ? -1 : number;
}

/*
 * What follows a backslash: octal digits, \x40, \u0040, two hexadecimal digits
 * as LDAP has them, or a letter for a blank or a sign, as in JSON.
 */
static int
escaped_at(const uint8_t *text, const uint8_t *end, int32_t *character,
		   bool *byte)
{
	static const char letters[] = "nrtbf";

	if (end - text < 2)
		return 0;
	*byte = true;
	*character = octal_number(text + 1, end);
	if (*character >= 0)
		return 4;
	if (text[1] == 'x' || text[1] == 'u')
	{
		int digits = text[1] == 'x' ? 2 : 4;

		*byte = digits == 2;
		*character = hex_number(text + 2, end, digits);
		return *character < 0 ? 0 : digits + 2;
	}
	*character = hex_number(text + 1, end, 2);
	if (*character >= 0)
		return 3;
	*character =
		strchr(letters, text[1]) != NULL && text[1] != '\0' ? ' ' : text[1];
	return *character == ' ' || *character == '/' || *character == '"' ||
				   *character == '\\'
			   ? 2
			   : 0;
}

/*
 * A character that is written in another way at a place: how many bytes that
 * takes, and the character; byte: it is one of them.  0: there is none.
 * Words between blanks count as signs where spelled is said.
 */
static int
written_at(const uint8_t *text, const uint8_t *end, bool spelled,
		   int32_t *character, bool *byte)
{
	int bytes = 3;

	*byte = false;
	switch (*text)
	{
		case '%':
		case '=':
			/* %u0040 of old scripts */
			*byte = end - text < 6 || *text == '=' || text[1] != 'u';
			bytes = *byte ? 3 : 6;
			*character =
				hex_number(text + bytes - (*byte ? 2 : 4), end, *byte ? 2 : 4);
			break;
		case '\\':
			return escaped_at(text, end, character, byte);
		case '0':
			/* 0x61, 0x6e: a byte by itself */
			if (end - text < 4 || (text[1] | 32) != 'x' ||
				(end - text > 4 && sdc_written_hex(text[4]) >= 0))
				return 0;
			*byte = true;
			*character = hex_number(text + 2, end, 2);
			bytes = 4;
			break;
		case '&':
			bytes = reference_at(text, end, character);
			break;
		case ' ':
			return spelled ? spelled_at(text, end, character) : 0;
		case '[':
		case '(':
			return spelled_at(text, end, character);
		default:
			return 0;
	}
	return *character < 0 ? 0 : bytes;
}

/* Writes a character as UTF-8; its bytes, three at the most as it is here. */
static int
put_character(uint8_t *out, int32_t c, bool byte)
{
	if (byte || c < 0x80)
	{
		out[0] = (uint8_t) c;
		return 1;
	}
	if (c < 0x800)
	{
		out[0] = (uint8_t) (0xc0 | c >> 6);
		out[1] = (uint8_t) (0x80 | (c & 0x3f));
		return 2;
	}
	if (c > 0xffff)
		c = 0xfffd;
	out[0] = (uint8_t) (0xe0 | c >> 12);
	out[1] = (uint8_t) (0x80 | (c >> 6 & 0x3f));
	out[2] = (uint8_t) (0x80 | (c & 0x3f));
	return 3;
}

/* Reads the text as it reads where characters are written otherwise. */
static void
read_written(const Reader *reader, const uint8_t *text, size_t length)
{
	const uint8_t *end = text + length;
	const uint8_t *at = text;
	uint8_t *out = NULL;
	bool spelled = has_spelled_dot(text, length);
	size_t written = 0;
	int32_t character;
	bool byte;

	while (at < end)
	{
		int bytes = written_at(at, end, spelled, &character, &byte);

		if (bytes > 0 && out == NULL)
		{
			out = sdc_new(reader->host, uint8_t, length);
			written = at - text;
			memcpy(out, text, written);
		}
		if (bytes > 0)
			written += put_character(out + written, character, byte);
		else if (out != NULL)
			out[written++] = *at;
		at += bytes > 0 ? bytes : 1;
	}
	if (out == NULL)
		return;
	give(reader, out, written);
	reader->host->release(reader->host, out);
}

/* Bytes of the character of UTF-8 at a place that can be seen; 0: none. */
static size_t
seen_at(const uint8_t *bytes, const uint8_t *end)
{
	size_t more = *bytes < 0xc2   ? 0
				  : *bytes < 0xe0 ? 1
				  : *bytes < 0xf0 ? 2
								  : 3;
	size_t i;

	/* a letter of Latin-1 before one of ASCII */
	if (*bytes >= 0xc0 && end - bytes > 1 && bytes[1] >= 'a' &&
		bytes[1] <= 'z')
		return 1;
	if (*bytes < 0x80 || more == 0)
		return *bytes >= 0x20 && *bytes < 0x7f;
	if (*bytes >= 0xf5 || (size_t) (end - bytes) <= more)
		return 0;
	for (i = 1; i <= more; i++)
		if ((bytes[i] & 0xc0) != 0x80)
			return 0;
	return more + 1;
}

/* Do bytes look like a text: nine of ten can be seen? */
static bool
is_text(const uint8_t *bytes, size_t count)
{
	const uint8_t *end = bytes + count;
	size_t seen = 0;

	while (bytes < end)
	{
		size_t one = seen_at(bytes, end);

		seen += one;
		bytes += one > 0 ? one : 1;
	}
	return count >= LEAST && seen * 10 >= count * 9;
}

/* Of base32, in small letters, too. */
static int
base32_digit(uint8_t c)
{
	c |= c >= 'A' ? 32 : 0;
	return c >= 'a' && c <= 'z' ? c - 'a' : c >= '2' && c <= '7' ? c - 24 : -1;
}

static int
binary_digit(uint8_t c)
{
	return c == '0' || c == '1' ? c - '0' : -1;
}

/* What texts are written in: digits of so many bits, and what is between. */
typedef struct Alphabet
{
	int bits;
	int (*digit)(uint8_t c);
	const char *between; /* one of these between two digits is passed over */
	int starts;          /* places at which the first byte may begin */
} Alphabet;

static const Alphabet alphabets[] = {{4, sdc_written_hex, " :-,", 2},
									 {6, sdc_written_base64, "\r\n", 4},
									 {5, base32_digit, "\r\n", 1},
									 {1, binary_digit, " ", 8}};

/* Is about every second byte zero, as two bytes a letter have it? */
static bool
is_two_wide(const uint8_t *bytes, size_t count)
{
	size_t zeros = 0;
	size_t i;

	for (i = 0; i < count; i++)
		zeros += bytes[i] == 0;
	return count >= 2 * LEAST && zeros * 5 >= count * 2 &&
		   zeros * 3 <= 2 * count;
}

/* Bytes of a text at the least that stands between others. */
#define BETWEEN 8

/* Reads bytes that were written in digits: as text, or texts in them. */
static void
read_bytes(const Reader *reader, const uint8_t *bytes, size_t count)
{
	const uint8_t *end = bytes + count;

	/* what fills a place of a fixed size, as that of a uuid */
	while (end > bytes && (end[-1] == 0 || end[-1] == 0xff))
		end--;
	while (bytes < end && (*bytes == 0 || *bytes == 0xff))
		bytes++;
	if (is_text(bytes, (size_t) (end - bytes)) ||
		is_two_wide(bytes, (size_t) (end - bytes)))
	{
		give(reader, bytes, (size_t) (end - bytes));
		return;
	}
	while (bytes < end)
	{
		const uint8_t *begin = bytes;
		size_t one;

		while (bytes < end && (one = seen_at(bytes, end)) > 0)
			bytes += one;
		if (bytes - begin >= BETWEEN)
			give(reader, begin, (size_t) (bytes - begin));
		bytes += bytes < end;
	}
}

/*
 * Reads what a run of digits means, from each place that it may begin at.
 */
static void
read_run(const Reader *reader, const Alphabet *alphabet, const uint8_t *run,
		 size_t length)
{
	uint8_t small[256];
	uint8_t *out = length <= sizeof(small)
					   ? small
					   : sdc_new(reader->host, uint8_t, length);
	int start;

	for (start = 0; start < alphabet->starts; start++)
	{
		uint32_t held = 0;
		int have = 0;
		int skipped = 0;
		size_t written = 0;
		size_t i;

		for (i = 0; i < length; i++)
		{
			int digit = alphabet->digit(run[i]);

			if (digit < 0 || skipped++ < start)
				continue;
			held = held << alphabet->bits | (uint32_t) digit;
			have += alphabet->bits;
			if (have >= 8)
				out[written++] = (uint8_t) (held >> (have -= 8));
		}
		read_bytes(reader, out, written);
	}
	if (out != small)
		reader->host->release(reader->host, out);
}

/* Where a run of digits that begins at a place ends. */
static size_t
end_of_run(const Alphabet *alphabet, const uint8_t *text, size_t length,
		   size_t i)
{
	while (i < length)
	{
		size_t next = i + 1;

		/* two are a line break */
		while (next < length && next < i + 3 && text[next] != '\0' &&
			   strchr(alphabet->between, text[next]) != NULL)
			next++;
		if (next == length || alphabet->digit(text[next]) < 0)
			return i + 1;
		i = next;
	}
	return i;
}

/* Reads all runs of digits that are long enough. */
static void
read_runs(const Reader *reader, const Alphabet *alphabet, const uint8_t *text,
		  size_t length)
{
	size_t least =
		(size_t) ((LEAST * 8 + alphabet->bits - 1) / alphabet->bits);
	size_t i = 0;

	while (i < length)
	{
		size_t end;

		if (alphabet->digit(text[i]) < 0)
		{
			i++;
			continue;
		}
		end = end_of_run(alphabet, text, length, i);
		if (end - i >= least)
			read_run(reader, alphabet, text + i, end - i);
		i = end;
	}
}

static bool
begins_with(const uint8_t *text, size_t length, const char *begin)
{
	size_t bytes = strlen(begin);

	return length >= bytes && memcmp(text, begin, bytes) == 0;
}

/* Reads a text without what is between < and >, as marks of XML are. */
static void
read_untagged(const Reader *reader, const uint8_t *text, size_t length)
{
	uint8_t *out;
	size_t written = 0;
	size_t i = 0;

	if (memchr(text, '<', length) == NULL || memchr(text, '>', length) == NULL)
		return;
	out = sdc_new(reader->host, uint8_t, length);
	while (i < length)
	{
		const uint8_t *end =
			text[i] == '<' ? memchr(text + i, '>', length - i) : NULL;

		if (begins_with(text + i, length - i, "<![CDATA["))
			i += strlen("<![CDATA[");
		else if (begins_with(text + i, length - i, "]]>"))
			i += strlen("]]>");
		else if (end == NULL)
			out[written++] = text[i++];
		else
			i = (size_t) (end - text) + 1;
	}
	give(reader, out, written);
	reader->host->release(reader->host, out);
}

/* Reads pairs of bytes as letters, the larger half at one of both places. */
static void
read_pairs(const Reader *reader, const uint8_t *text, size_t length, int large)
{
	uint8_t *out = sdc_new(reader->host, uint8_t, 2 * length);
	size_t written = 0;
	size_t i;

	for (i = 0; i + 1 < length; i += 2)
		written += put_character(
			out + written, text[i + large] << 8 | text[i + 1 - large], false);
	give(reader, out, written);
	reader->host->release(reader->host, out);
}

/*
 * Reads a text that has zero bytes as UTF-16, and without them, as bytes of
 * any letters of ASCII.
 */
static void
read_narrow(const Reader *reader, const uint8_t *text, size_t length)
{
	size_t zeros[2] = {0, 0};
	uint8_t *out;
	size_t written = 0;
	size_t i;

	if (memchr(text, 0, length) == NULL)
		return;
	out = sdc_new(reader->host, uint8_t, length);
	for (i = 0; i < length; i++)
		if (text[i] != 0)
			out[written++] = text[i];
		else
			zeros[i % 2]++;
	give(reader, out, written);
	reader->host->release(reader->host, out);
	if (zeros[0] + zeros[1] < length / 2)
		read_pairs(reader, text, length, zeros[1] > zeros[0]);
}

/*
 * Reads a text in which bytes of UTF-8 were taken for letters of Latin-1 and
 * were written as UTF-8 again.
 */
static void
read_twice(const Reader *reader, const uint8_t *text, size_t length)
{
	uint8_t *out;
	size_t written = 0;
	size_t i;

	for (i = 0; i + 3 < length && !(text[i] == 0xc3 && text[i + 2] == 0xc2);
		 i++)
		;
	if (i + 3 >= length)
		return;
	out = sdc_new(reader->host, uint8_t, length);
	for (i = 0; i < length; i++)
	{
		bool two = (text[i] == 0xc2 || text[i] == 0xc3) && i + 1 < length &&
				   (text[i + 1] & 0xc0) == 0x80;

		out[written++] =
			two ? (uint8_t) (text[i] << 6 | (text[i + 1] & 0x3f)) : text[i];
		i += two;
	}
	reader->take(reader->arg, out, written, false);
	reader->host->release(reader->host, out);
}

/*
 * The number of two or three digits at a place that may be the code of a
 * letter; how many digits it has, 0: there is none.
 */
static size_t
code_at(const uint8_t *text, const uint8_t *end, uint8_t *code)
{
	const uint8_t *at = text;
	int number = 0;

	while (at < end && at - text < 4 && *at >= '0' && *at <= '9')
		number = number * 10 + *at++ - '0';
	*code = (uint8_t) number;
	return at - text < 2 || at - text > 3 || number < 32 || number > 255
			   ? 0
			   : (size_t) (at - text);
}

/*
 * How many numbers in a row are codes, and the bytes of them; out: where they
 * go, or NULL.
 */
static size_t
row_of_codes(const uint8_t *text, const uint8_t *end, uint8_t *out,
			 size_t *count)
{
	const uint8_t *at = text;
	uint8_t code;
	size_t digits;

	*count = 0;
	while ((digits = code_at(at, end, &code)) > 0)
	{
		const uint8_t *next = at + digits;

		if (out != NULL)
			out[*count] = code;
		++*count;
		at = next;
		while (next < end && next < at + 2 &&
			   (*next == ',' || *next == ' ' || *next == ';'))
			next++;
		if (next == at)
			break;
		at = next;
	}
	return (size_t) (at - text);
}

/* Reads numbers in a row as codes of letters: 97, 110, 110, 97. */
static void
read_codes(const Reader *reader, const uint8_t *text, size_t length)
{
	const uint8_t *end = text + length;

	while (text < end)
	{
		size_t count = 0;
		size_t bytes = *text < '0' || *text > '9'
						   ? 1
						   : row_of_codes(text, end, NULL, &count);

		if (count >= LEAST)
		{
			uint8_t *out = sdc_new(reader->host, uint8_t, count);

			row_of_codes(text, end, out, &count);
			give(reader, out, count);
			reader->host->release(reader->host, out);
		}
		/* the rest of a longer number is none */
		for (text += bytes > 0 ? bytes : 1;
			 text < end && text[-1] >= '0' && text[-1] <= '9' &&
			 *text >= '0' && *text <= '9';
			 text++)
			;
	}
}

static bool
is_key_byte(uint8_t c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
		   (c >= '0' && c <= '9') || c == '_' || c == '-';
}

/* Bytes of a key at a place with the sign behind it: a=, "a": or "a"=>. */
static size_t
key_at(const uint8_t *text, const uint8_t *end)
{
	const uint8_t *at = text;

	if (at == end || !is_key_byte(*at) || (*at >= '0' && *at <= '9'))
		return 0;
	while (at < end && is_key_byte(*at))
		at++;
	if (at < end && (*at == '"' || *at == '\''))
		at++;
	while (at < end && *at == ' ')
		at++;
	return at < end && (*at == ':' || *at == '=') ? (size_t) (at - text) : 0;
}

/*
 * Reads a text without the keys in it, so that values in a row are one:
 * {"first": "Anna", "last": "Berger"}.
 */
static void
read_unkeyed(const Reader *reader, const uint8_t *text, size_t length)
{
	const uint8_t *end = text + length;
	uint8_t *out = NULL;
	size_t written = 0;
	int keys = 0;
	const uint8_t *at;

	if (memchr(text, ':', length) == NULL && memchr(text, '=', length) == NULL)
		return;
	out = sdc_new(reader->host, uint8_t, length);
	for (at = text; at < end;)
	{
		bool begins = at == text || !is_key_byte(at[-1]);
		size_t key = begins ? key_at(at, end) : 0;

		keys += key > 0;
		at += key;
		if (at < end)
			out[written++] = *at++;
	}
	if (keys > 1)
		reader->take(reader->arg, out, written, false);
	reader->host->release(reader->host, out);
}

void
sdc_written_read(SdcHost *host, const uint8_t *text, size_t length,
				 SdcWrittenTake take, void *arg)
{
	const Reader reader = {host, take, arg};
	size_t i;

	read_written(&reader, text, length);
	read_narrow(&reader, text, length);
	read_untagged(&reader, text, length);
	read_unkeyed(&reader, text, length);
	read_twice(&reader, text, length);
	read_codes(&reader, text, length);
	for (i = 0; i < sizeof(alphabets) / sizeof(alphabets[0]); i++)
		read_runs(&reader, &alphabets[i], text, length);
}
