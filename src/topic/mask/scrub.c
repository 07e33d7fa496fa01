/*
 * scrub.c
 *		sdc.scrub: a free text without the identifiers that are found in it.
 *
 * The kernel says where they are.  What is known of the row becomes what its
 * column becomes; the rest becomes the fake of its kind and of its text, so an
 * e-mail address is the same one as in a column of addresses of the domain.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "lib/stringinfo.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "utils/array.h"
#include "utils/builtins.h"

#include "host/call/params.h"
#include "host/server/compat.h"
#include "kernel/base/keyed_hash.h"
#include "kernel/risk/scrub.h"
#include "topic/mask/scrub.h"

PG_FUNCTION_INFO_V1(sdcf_scrub);

/* Bytes of a text between two looks for a cancel. */
#define WINDOW 65536

/* What is found, by the kind of fake that it becomes. */
static const struct
{
	SdcPersonalKind kind;
	SdcFakeKind fake;
} fakes[] = {{SDC_PERSONAL_EMAIL, SDC_FAKE_EMAIL},
			 {SDC_PERSONAL_IBAN, SDC_FAKE_IBAN},
			 {SDC_PERSONAL_CARD, SDC_FAKE_CARD},
			 {SDC_PERSONAL_NATIONAL_ID, SDC_FAKE_NATIONAL_ID},
			 {SDC_PERSONAL_PHONE, SDC_FAKE_PHONE},
			 {SDC_PERSONAL_ADDRESS, SDC_FAKE_STREET},
			 {SDC_PERSONAL_NAME, SDC_FAKE_NAME},
			 {SDC_PERSONAL_FIRST_NAME, SDC_FAKE_FIRST_NAME},
			 {SDC_PERSONAL_LAST_NAME, SDC_FAKE_LAST_NAME}};

struct SdcScrubber
{
	SdcFaker faker; /* but for its kind */
};

SdcScrubber *
sdcpg_scrubber(const char *domain, const char *period, SdcFakeLocale locale)
{
	SdcScrubber *scrubber = palloc0(sizeof(SdcScrubber));

	scrubber->faker.locale = locale;
	scrubber->faker.lists = sdcpg_fake_lists(locale);
	scrubber->faker.domain =
		sdcpg_domain_find(domain, period, SDC_KEY_OF_FAKES);
	return scrubber;
}

/* A network number of those that are kept for examples (RFC 5737, 7042). */
static char *
network_number(const SdcScrubber *scrubber, SdcPersonalKind kind,
			   const char *value, size_t length)
{
	uint8 hash[SDC_HASH_BYTES];

	/* groups that no kind of fake has */
	sdcpg_domain_hash(scrubber->faker.domain,
					  kind == SDC_PERSONAL_IP ? 200 : 201, value, (int) length,
					  hash);
	return kind == SDC_PERSONAL_IP ? psprintf("192.0.2.%d", hash[0])
								   : psprintf("00:00:5e:00:53:%02x", hash[0]);
}

/* The fake of what was found, in UTF-8. */
static char *
fake_of(const SdcScrubber *scrubber, SdcPersonalKind kind, const char *value,
		size_t length)
{
	SdcFaker faker = scrubber->faker;
	char *in_server =
		pg_any_to_server(pnstrdup(value, length), (int) length, PG_UTF8);
	text *original = cstring_to_text(in_server);
	char *fake;
	int i;

	for (i = 0; i < lengthof(fakes); i++)
		if (fakes[i].kind == kind)
			break;
	if (i == lengthof(fakes))
		return network_number(scrubber, kind, in_server, strlen(in_server));
	faker.kind = fakes[i].fake;
	if (faker.kind == SDC_FAKE_IBAN &&
		sdc_fake_least(faker.kind, faker.locale) == 0)
		faker.locale = SDC_FAKE_DE; /* a locale that has no accounts */
	fake = text_to_cstring(
		sdcpg_fake_of(&faker, original, original, SDC_FAKE_ANY, 0));
	return pg_server_to_any(fake, (int) strlen(fake), PG_UTF8);
}

/* What a known value becomes, in UTF-8. */
static char *
known_becomes(const SdcScrubRow *row, int i)
{
	char *text;

	if (row->become[i] == NULL)
		return pstrdup("-");
	text = text_to_cstring(row->become[i]);
	return pg_server_to_any(text, (int) strlen(text), PG_UTF8);
}

/* What is known of a row; then names with their last word first. */
static SdcScrubKnown *
know(const SdcScrubRow *row)
{
	SdcScrubKnown *known =
		palloc0(sizeof(SdcScrubKnown) * (2 * row->count + 1));
	int i;

	for (i = 0; i < row->count; i++)
	{
		char *text;
		char *utf8;
		char *last;

		if (row->known[i] == NULL)
			continue;
		text = text_to_cstring(row->known[i]);
		utf8 = pg_server_to_any(text, (int) strlen(text), PG_UTF8);
		sdc_scrub_know(&known[i], utf8, strlen(utf8));
		last = strrchr(utf8, ' ');
		if (last == NULL)
			continue;
		utf8 = psprintf("%s %.*s", last + 1, (int) (last - utf8), utf8);
		sdc_scrub_know(&known[row->count + i], utf8, strlen(utf8));
	}
	return known;
}

/* The first characters of a text in the encoding of the server. */
static text *
cut(char *text, int size)
{
	size_t length = strlen(text);

	if (size > 0)
		length = pg_mbcharcliplen(text, (int) length, size);
	return cstring_to_text_with_len(text, (int) length);
}

text *
sdcpg_scrub(const SdcScrubber *scrubber, const text *value,
			const SdcScrubRow *row, int size)
{
	char *given = text_to_cstring(value);
	char *utf8 = pg_server_to_any(given, (int) strlen(given), PG_UTF8);
	size_t length = strlen(utf8);
	SdcScrub scrub = {sdcpg_personal_look_up, NULL, 2 * row->count, know(row)};
	size_t done = 0;
	size_t from = 0;
	StringInfoData out;

	initStringInfo(&out);
	while (from < length)
	{
		size_t to = Min(length, from + WINDOW);
		SdcScrubFind find;
		char *instead;

		CHECK_FOR_INTERRUPTS();
		if (!sdc_scrub_find(&scrub, utf8, length, from, to, &find))
		{
			from = to;
			continue;
		}
		instead = find.known >= 0
					  ? known_becomes(row, find.known % row->count)
					  : fake_of(scrubber, find.kind, utf8 + find.begin,
								find.end - find.begin);
		appendBinaryStringInfo(&out, utf8 + done, (int) (find.begin - done));
		appendStringInfoString(&out, instead);
		done = from = find.end;
	}
	appendBinaryStringInfo(&out, utf8 + done, (int) (length - done));
	return cut(pg_any_to_server(out.data, out.len, PG_UTF8), size);
}

bool
sdcpg_scrub_finds(const char *utf8)
{
	SdcScrub scrub = {NULL, NULL, 0, NULL};
	size_t length = strlen(utf8);
	SdcScrubFind find;

	return sdc_scrub_find(&scrub, utf8, length, 0, length, &find) != 0;
}

/* The texts of an array; NULL stays NULL. */
static text **
texts_of(ArrayType *array, int *count)
{
	Datum *element;
	bool *isnull;
	text **texts;
	int i;

	deconstruct_array(array, TEXTOID, -1, false, TYPALIGN_INT, &element,
					  &isnull, count);
	texts = palloc(sizeof(text *) * (*count + 1));
	for (i = 0; i < *count; i++)
		texts[i] = isnull[i] ? NULL : DatumGetTextPP(element[i]);
	return texts;
}

SdcScrubRow
sdcpg_scrub_row(FunctionCallInfo fcinfo, int known, int become)
{
	SdcScrubRow row = {0};
	int count;

	if (PG_ARGISNULL(known) || PG_ARGISNULL(become))
		return row;
	row.known = texts_of(PG_GETARG_ARRAYTYPE_P(known), &row.count);
	row.become = texts_of(PG_GETARG_ARRAYTYPE_P(become), &count);
	if (count != row.count)
		ereport(ERROR,
				(errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR),
				 errmsg("arguments \"known\" and \"become\" must have as many "
						"elements")));
	return row;
}

/*
 * scrub(value text, domain text, period text, locale text, known text[],
 *		become text[], size integer) returns text
 */
Datum
sdcf_scrub(PG_FUNCTION_ARGS)
{
	SdcSeldom *seldom;
	SdcScrubRow row;
	int size;

	sdcpg_args_need(fcinfo, 1);
	sdcpg_args_need(fcinfo, 3);
	seldom = sdcpg_seldom(fcinfo, 1, 3);
	if (seldom->made == NULL)
	{
		MemoryContext caller = MemoryContextSwitchTo(seldom->context);
		int locale = sdcpg_args_choice(
			"locale", cstring_to_text(sdcpg_seldom_string(seldom, 2)),
			sdc_fake_locales);

		seldom->made = sdcpg_scrubber(sdcpg_seldom_string(seldom, 0),
									  sdcpg_seldom_string(seldom, 1),
									  (SdcFakeLocale) locale);
		MemoryContextSwitchTo(caller);
	}
	size = PG_ARGISNULL(6) ? 0 : PG_GETARG_INT32(6);
	if (size < 0)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("argument \"size\" must not be negative")));
	row = sdcpg_scrub_row(fcinfo, 4, 5);
	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();
	PG_RETURN_TEXT_P(
		sdcpg_scrub(seldom->made, PG_GETARG_TEXT_PP(0), &row, size));
}
