/*
 * fake.c
 *		sdc.fake: the same real-looking value for the same person everywhere;
 *		sdc.shift_days: by how many days the dates of a person are moved.
 *
 * The key of a domain makes 256 bits of a person, a kernel makes the fake of
 * these bits and of the lists of a locale.  Lists are files of the extension,
 * not tables: there is nothing to dump, to grant, or to change by an UPDATE.
 */
#include "postgres.h"

#include <sys/stat.h>

#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "storage/fd.h"
#include "utils/builtins.h"
#include "utils/memutils.h"

#include "host/call/params.h"
#include "host/server/compat.h"
#include "kernel/base/keyed_hash.h"
#include "topic/mask/pseudonym.h"

PG_FUNCTION_INFO_V1(sdcf_fake);
PG_FUNCTION_INFO_V1(sdcf_shift_days);

/* ----------------------------------------------------------------------
 * The lists.
 * ----------------------------------------------------------------------
 */

/* Bytes of a file of lists at the most. */
#define MOST_BYTES (4 * 1024 * 1024)

/* The lists of each locale that was asked for; NULL: not yet. */
static SdcFakeList *known_lists[SDC_FAKE_JA + 1];

static char *
read_file(const char *path)
{
	struct stat about;
	FILE *file = AllocateFile(path, PG_BINARY_R);
	char *bytes;

	if (file == NULL || fstat(fileno(file), &about) != 0)
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_FILE),
				 errmsg("could not open the list of fakes \"%s\": %m", path),
				 errhint("It is installed with the extension.")));
	if (about.st_size > MOST_BYTES)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("the list of fakes \"%s\" has more than %d bytes",
						path, MOST_BYTES)));
	bytes = palloc0(about.st_size + 1);
	if (fread(bytes, 1, about.st_size, file) != about.st_size)
		ereport(ERROR,
				(errcode(ERRCODE_IO_ERROR),
				 errmsg("could not read the list of fakes \"%s\"", path)));
	FreeFile(file);
	return bytes;
}

static int
list_of(const char *word)
{
	int i;

	for (i = 0; sdc_fake_lists[i] != NULL; i++)
		if (strcmp(sdc_fake_lists[i], word) == 0)
			return i;
	return -1;
}

/* Adds an entry to a list, whose arrays grow by doubling. */
static void
add_entry(SdcFakeList *list, const char *value, const char *other)
{
	int room = Max(list->count, 16);

	if (list->count == 0)
	{
		list->value = palloc(sizeof(char *) * room);
		list->other = palloc(sizeof(char *) * room);
	}
	else if (list->count >= 16 && (list->count & (list->count - 1)) == 0)
	{
		list->value = repalloc(list->value, sizeof(char *) * 2 * room);
		list->other = repalloc(list->other, sizeof(char *) * 2 * room);
	}
	list->value[list->count] = value;
	list->other[list->count++] = other;
}

/* Ends a field at its separator; what follows, or NULL at the end. */
static char *
end_field(char *field, char separator)
{
	char *end = strchr(field, separator);

	if (end != NULL)
		*end++ = '\0';
	return end;
}

/* A line that is too long, or is no entry of a list, is left out. */
static void
take_line(SdcFakeList *lists, char *line)
{
	char *value = end_field(line, '\t');
	char *other = value != NULL ? end_field(value, '\t') : NULL;
	int list = value != NULL ? list_of(line) : -1;

	if (list >= 0 && strlen(value) < SDC_FAKE_VALUE &&
		(other == NULL ? list != SDC_FAKE_PLACES
					   : strlen(other) < SDC_FAKE_VALUE))
		add_entry(&lists[list], value, other);
}

static SdcFakeList *
read_lists(const char *path)
{
	SdcFakeList *lists = palloc0(sizeof(SdcFakeList) * SDC_FAKE_LISTS);
	char *line;
	char *next;
	int i;

	for (line = read_file(path); line != NULL; line = next)
	{
		next = end_field(line, '\n');
		take_line(lists, line);
	}
	for (i = 0; i < SDC_FAKE_LISTS; i++)
		if (lists[i].count == 0)
			ereport(ERROR,
					(errcode(ERRCODE_DATA_CORRUPTED),
					 errmsg("the list of fakes \"%s\" has no line \"%s\"",
							path, sdc_fake_lists[i])));
	return lists;
}

const SdcFakeList *
sdcpg_fake_lists(SdcFakeLocale locale)
{
	char share[MAXPGPATH];
	MemoryContext context;
	MemoryContext caller;

	if (known_lists[locale] != NULL)
		return known_lists[locale];
	get_share_path(my_exec_path, share);
	context = AllocSetContextCreate(CurrentMemoryContext, "sdc fakes",
									ALLOCSET_DEFAULT_SIZES);
	caller = MemoryContextSwitchTo(context);
	known_lists[locale] = read_lists(psprintf(
		"%s/extension/sdc-fake-%s.tsv", share, sdc_fake_locales[locale]));
	MemoryContextSwitchTo(caller);
	MemoryContextSetParent(context, TopMemoryContext);
	return known_lists[locale];
}

/* ----------------------------------------------------------------------
 * sdc.fake
 * ----------------------------------------------------------------------
 */

/* The place of what an argument says in a list; others stop with an error. */
static int
word_of(SdcSeldom *seldom, int number, const char *argument,
		const char *const *words)
{
	return sdcpg_args_choice(
		argument, cstring_to_text(sdcpg_seldom_string(seldom, number)), words);
}

void
sdcpg_faker_need(const SdcFaker *faker)
{
	if (faker->kind == SDC_FAKE_IBAN &&
		sdc_fake_least(faker->kind, faker->locale) == 0)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("locale \"%s\" has no fakes of kind \"iban\"",
							   sdc_fake_locales[faker->locale]),
						errhint("Name another locale for this column.")));
}

static SdcFaker *
faker_of(SdcSeldom *seldom)
{
	MemoryContext caller;
	SdcFaker *faker = seldom->made;

	if (faker != NULL)
		return faker;
	caller = MemoryContextSwitchTo(seldom->context);
	faker = palloc(sizeof(SdcFaker));
	faker->kind = (SdcFakeKind) word_of(seldom, 0, "kind", sdc_fake_words);
	faker->locale =
		(SdcFakeLocale) word_of(seldom, 3, "locale", sdc_fake_locales);
	sdcpg_faker_need(faker);
	faker->lists = sdcpg_fake_lists(faker->locale);
	faker->domain =
		sdcpg_domain_find(sdcpg_seldom_string(seldom, 1),
						  sdcpg_seldom_string(seldom, 2), SDC_KEY_OF_FAKES);
	MemoryContextSwitchTo(caller);
	seldom->made = faker;
	return faker;
}

SdcFakeSex
sdcpg_fake_sex(const text *word)
{
	static const char *const words[][12] = {
		{"f", "female", "woman", "w", "weiblich", "frau", "femme", "mujer",
		 "mme", "女", "女性", NULL},
		{"m", "male", "man", "männlich", "mann", "h", "homme", "hombre", "mr",
		 "男", "男性", NULL}};
	char given[16];
	int length = VARSIZE_ANY_EXHDR(word);
	int sex;
	int i;

	if (length >= sizeof(given))
		return SDC_FAKE_ANY;
	for (i = 0; i < length; i++)
		given[i] = pg_ascii_tolower((unsigned char) VARDATA_ANY(word)[i]);
	given[length] = '\0';
	for (sex = 0; sex < 2; sex++)
		for (i = 0; words[sex][i] != NULL; i++)
			if (strcmp(words[sex][i], given) == 0)
				return sex == 0 ? SDC_FAKE_FEMALE : SDC_FAKE_MALE;
	return SDC_FAKE_ANY;
}

/* 256 bits as four numbers, the same on every machine. */
static void
take_hash(const uint8 *bytes, uint64_t hash[4])
{
	int i;

	for (i = 0; i < 4; i++)
		hash[i] = 0;
	for (i = 0; i < SDC_HASH_BYTES; i++)
		hash[i / 8] = hash[i / 8] << 8 | bytes[i];
}

/* Makes the fake, in UTF-8. */
static void
make_fake(const SdcFaker *faker, SdcFakeSex sex, const uint64_t hash[4],
		  int size, char *out)
{
	if (!sdc_fake_make(faker->kind, faker->locale, faker->lists, sex, hash,
					   size, out))
		ereport(ERROR,
				(errcode(ERRCODE_STRING_DATA_RIGHT_TRUNCATION),
				 errmsg("fakes of kind \"%s\" need at least %d characters",
						sdc_fake_words[faker->kind],
						sdc_fake_least(faker->kind, faker->locale)),
				 errdetail("There is room for %d.", size)));
}

/* Characters of the fake of a text, of a size at the most. */
static int
text_size(const text *value, int size)
{
	int length = Min(
		(pg_mbstrlen_with_len(VARDATA_ANY(value), VARSIZE_ANY_EXHDR(value)) +
		 7) /
			8 * 8,
		SDC_FAKE_TEXT_MAX);

	return size > 0 ? Min(length, size) : length;
}

text *
sdcpg_fake_of(const SdcFaker *faker, const text *value, const text *person,
			  SdcFakeSex sex, int size)
{
	uint8 bytes[SDC_HASH_BYTES];
	uint64_t hash[4];
	char room[SDC_FAKE_BYTES];
	char *out = room;
	char *converted;
	int tries;

	if (faker->kind == SDC_FAKE_TEXT)
	{
		size = text_size(value, size);
		out = palloc(Max(size + 1, SDC_FAKE_BYTES));
	}
	sdcpg_domain_hash(faker->domain, sdc_fake_group(faker->kind),
					  VARDATA_ANY(person), VARSIZE_ANY_EXHDR(person), bytes);
	take_hash(bytes, hash);
	for (tries = 0;; tries++)
	{
		make_fake(faker, sex, hash, size, out);
		converted = pg_any_to_server(out, strlen(out), PG_UTF8);
		if (tries == 3 || strlen(converted) != VARSIZE_ANY_EXHDR(value) ||
			memcmp(converted, VARDATA_ANY(value), VARSIZE_ANY_EXHDR(value)) !=
				0)
			return cstring_to_text(converted);
		/* another half of each list */
		hash[0] += UINT64CONST(1) << 63;
		hash[1] += UINT64CONST(1) << 63;
	}
}

text *
sdcpg_fake_drawn(const SdcFaker *faker, SdcFakeSex sex, const uint64 hash[4],
				 int size)
{
	uint64_t bits[4] = {hash[0], hash[1], hash[2], hash[3]};
	char out[SDC_FAKE_BYTES];

	make_fake(faker, sex, bits, size, out);
	return cstring_to_text(pg_any_to_server(out, strlen(out), PG_UTF8));
}

/*
 * fake(value text, kind text, domain text, period text, locale text,
 *		sex text, person text, size integer) returns text
 */
Datum
sdcf_fake(PG_FUNCTION_ARGS)
{
	SdcSeldom *seldom;
	SdcFaker *faker;
	int size;

	sdcpg_args_need(fcinfo, 1);
	sdcpg_args_need(fcinfo, 2);
	sdcpg_args_need(fcinfo, 4);
	seldom = sdcpg_seldom(fcinfo, 1, 4);
	faker = faker_of(seldom);
	size = PG_ARGISNULL(7) ? 0 : PG_GETARG_INT32(7);
	if (size < 0)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("argument \"size\" must not be negative")));
	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();
	PG_RETURN_TEXT_P(sdcpg_fake_of(
		faker, PG_GETARG_TEXT_PP(0),
		PG_GETARG_TEXT_PP(PG_ARGISNULL(6) ? 0 : 6),
		PG_ARGISNULL(5) ? SDC_FAKE_ANY : sdcpg_fake_sex(PG_GETARG_TEXT_PP(5)),
		size));
}

/*
 * shift_days(person text, domain text, period text, days integer)
 *		returns integer
 */
Datum
sdcf_shift_days(PG_FUNCTION_ARGS)
{
	SdcSeldom *seldom;
	uint8 bytes[SDC_HASH_BYTES];
	uint64_t hash[4];
	text *person;
	int32 days;

	sdcpg_args_need(fcinfo, 1);
	sdcpg_args_need(fcinfo, 3);
	seldom = sdcpg_seldom(fcinfo, 1, 2);
	days = PG_GETARG_INT32(3);
	if (days < 1 || days > SDC_FAKE_MOST_DAYS)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("argument \"days\" must be between 1 and %d",
							   SDC_FAKE_MOST_DAYS)));
	if (seldom->made == NULL)
	{
		MemoryContext caller = MemoryContextSwitchTo(seldom->context);

		seldom->made = sdcpg_domain_find(sdcpg_seldom_string(seldom, 0),
										 sdcpg_seldom_string(seldom, 1),
										 SDC_KEY_OF_SHIFTS);
		MemoryContextSwitchTo(caller);
	}
	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();
	person = PG_GETARG_TEXT_PP(0);
	sdcpg_domain_hash(seldom->made, -1, VARDATA_ANY(person),
					  VARSIZE_ANY_EXHDR(person), bytes);
	take_hash(bytes, hash);
	PG_RETURN_INT32(sdc_fake_shift(hash, days));
}
