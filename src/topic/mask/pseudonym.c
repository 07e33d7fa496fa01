/*
 * pseudonym.c
 *		Keyed pseudonyms: the key of a domain, and what it makes of values.
 *
 * Keys lie in sdc.secret, which no role but the owner of the extension can
 * read.  They are read and made here as that owner and never leave this file.
 */
#include "postgres.h"

#ifdef USE_OPENSSL
#include <openssl/evp.h>
#endif

#include "catalog/pg_type.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "parser/parse_func.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"
#include "utils/memutils.h"

#include "host/call/catalog.h"
#include "host/call/params.h"
#include "host/server/compat.h"
#include "host/server/host.h"
#include "kernel/base/keyed_hash.h"
#include "kernel/mask/pseudonym.h"
#include "topic/mask/pseudonym.h"
#include "topic/registry/words.h"

/* Bytes of the key of a domain. */
#define SDC_PSEUDONYM_SECRET 32

/* What is remembered from one value to the next. */
struct SdcPseudonymDomain
{
	SdcHmacKey key;
	/* the period and its length, which come before the value */
	uint8_t *prefix;
	size_t prefix_length;
};

/* ----------------------------------------------------------------------
 * Keyed pseudonyms: the key of a domain, and what it makes of values.
 * ----------------------------------------------------------------------
 */

/* What may stand between digits, besides blanks. */
#define BETWEEN_DIGITS "+-./(),"

#define EMAIL_BYTES 12
#define EMAIL_HOST  "@example.invalid"

/* The format of that name; others stop with an error. */
static SdcPseudonymFormat
pseudonym_format(const char *name)
{
	int i;

	for (i = 0; sdcpg_pseudonym_words[i] != NULL; i++)
		if (strcmp(sdcpg_pseudonym_words[i], name) == 0)
			return (SdcPseudonymFormat) i;
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("unknown format of pseudonyms \"%s\"", name),
			 errhint("Formats are hex, digits, uuid, email, same, card, "
					 "iban, de_tax, fr_nir, es_dni and jp_my.")));
}

/* Copies the key of a domain; false when there is none. */
static bool
read_secret(const char *domain, uint8_t *secret)
{
	SdcCatalogParameters parameters = {0};
	SdcCatalogRows *rows;
	bytea *key;

	sdcpg_catalog_bind_text(&parameters, domain);
	rows =
		sdcpg_catalog_read_latest("secret",
								  "SELECT s.key FROM sdc.secret AS s"
								  " WHERE s.domain OPERATOR(pg_catalog.=) $1",
								  &parameters);
	if (rows->count == 0)
		return false;
	key = DatumGetByteaPP(rows->value[0][0]);
	if (VARSIZE_ANY_EXHDR(key) != SDC_PSEUDONYM_SECRET)
		ereport(ERROR, (errcode(ERRCODE_DATA_CORRUPTED),
						errmsg("the key of pseudonym domain \"%s\" does not "
							   "have %d bytes",
							   domain, SDC_PSEUDONYM_SECRET)));
	memcpy(secret, VARDATA_ANY(key), SDC_PSEUDONYM_SECRET);
	return true;
}

/* Makes a key for a domain, unless another session was faster. */
static void
make_secret(const char *domain)
{
	bytea *key = palloc(VARHDRSZ + SDC_PSEUDONYM_SECRET);
	uint8_t secret[SDC_PSEUDONYM_SECRET];

	sdcpg_need_coordinator("make the key of a pseudonym domain");
	sdcpg_catalog_key_lock("secret", domain);
	if (read_secret(domain, secret))
		return;
	SET_VARSIZE(key, VARHDRSZ + SDC_PSEUDONYM_SECRET);
	sdcpg_strong_bytes(VARDATA(key), SDC_PSEUDONYM_SECRET);
	sdcpg_catalog_key_add("secret", domain, key);
	sdcpg_workers_mirror("secret", "domain", domain);
}

/* Text as it goes into the key: in UTF-8, whatever the database has. */
static char *
in_utf8(const char *data, int length, size_t *converted)
{
	char *utf8 = pg_server_to_any(data, length, PG_UTF8);

	*converted = utf8 == data ? length : strlen(utf8);
	return utf8;
}

/* What stands before each value: no period, or its length and its text. */
static void
set_prefix(SdcPseudonymDomain *found, const char *period,
		   SdcKeyPurpose purpose)
{
	char *utf8;
	size_t length;
	int i;

	if (period == NULL)
	{
		found->prefix = palloc0(1);
		found->prefix[0] = (uint8_t) purpose;
		found->prefix_length = 1;
		return;
	}
	utf8 = in_utf8(period, strlen(period), &length);
	found->prefix_length = 1 + sizeof(uint32) + length;
	found->prefix = palloc(found->prefix_length);
	found->prefix[0] = (uint8_t) (purpose + 1);
	for (i = 0; i < sizeof(uint32); i++)
		found->prefix[1 + i] = (uint8_t) (length >> (8 * i));
	memcpy(found->prefix + 1 + sizeof(uint32), utf8, length);
}

/* sdcpg_domain_find, which stops where no key is to be made. */
static SdcPseudonymDomain *
find_key(const char *domain, const char *period, SdcKeyPurpose purpose,
		 bool make)
{
	SdcPseudonymDomain *found = palloc(sizeof(SdcPseudonymDomain));
	uint8_t secret[SDC_PSEUDONYM_SECRET];

	if (domain[0] == '\0')
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("argument \"domain\" must not be empty")));
	if (!read_secret(domain, secret))
	{
		if (!make)
			ereport(ERROR,
					(errcode(ERRCODE_UNDEFINED_OBJECT),
					 errmsg("pseudonym domain \"%s\" has no key", domain),
					 errhint("Make it first, in a transaction of its own: "
							 "SELECT sdc.pseudonym('', %s).",
							 quote_literal_cstr(domain))));
		make_secret(domain);
		if (!read_secret(domain, secret))
			ereport(ERROR,
					(errcode(ERRCODE_OBJECT_IN_USE),
					 errmsg("the key of pseudonym domain \"%s\" was deleted "
							"while it was being made",
							domain)));
	}
	sdc_hmac_key(&found->key, secret, SDC_PSEUDONYM_SECRET);
	set_prefix(found, period, purpose);
	return found;
}

SdcPseudonymDomain *
sdcpg_domain_find(const char *domain, const char *period,
				  SdcKeyPurpose purpose)
{
	return find_key(domain, period, purpose, true);
}

void
sdcpg_domain_hash(const SdcPseudonymDomain *domain, int group,
				  const char *value, int length, uint8 *output)
{
	size_t converted;
	char *utf8 = in_utf8(value, length, &converted);
	uint8_t prefix[SDC_HASH_BLOCK];
	uint8_t *before = domain->prefix;

	if (group < 0)
		sdc_hmac(&domain->key, before, domain->prefix_length, utf8, converted,
				 output);
	else
	{
		if (domain->prefix_length >= sizeof(prefix))
			before = palloc(domain->prefix_length + 1);
		else
			before = prefix;
		memcpy(before, domain->prefix, domain->prefix_length);
		before[domain->prefix_length] = (uint8_t) group;
		sdc_hmac(&domain->key, before, domain->prefix_length + 1, utf8,
				 converted, output);
		if (before != prefix)
			pfree(before);
	}
	if (utf8 != value)
		pfree(utf8);
}

/* Deletes the key of a domain; false when it had none. */
static bool
pseudonym_forget(const char *domain)
{
	SdcCatalogParameters parameters = {0};
	bool had;

	sdcpg_need_coordinator("forget the key of a pseudonym domain");
	sdcpg_catalog_bind_text(&parameters, domain);
	had = sdcpg_catalog_write("secret",
							  "DELETE FROM sdc.secret"
							  " WHERE domain OPERATOR(pg_catalog.=) $1",
							  &parameters) > 0;
	sdcpg_workers_mirror("secret", "domain", domain);
	return had;
}

/* HMAC-SHA-256 of the period and a value, with the key of a domain. */
static void
keyed_hash_value(void *context, const uint8_t *input, size_t length,
				 uint8_t *output)
{
	const SdcPseudonymDomain *domain = context;

	sdc_hmac(&domain->key, domain->prefix, domain->prefix_length, input,
			 length, output);
}

static bool
is_digit(char character)
{
	return character >= '0' && character <= '9';
}

/* Stops unless a value is digits and what is written between them. */
static void
check_digits(const char *value, int length)
{
	int digits = 0;
	int i;

	for (i = 0; i < length; i++)
		if (is_digit(value[i]))
			digits++;
		else if (value[i] != ' ' && strchr(BETWEEN_DIGITS, value[i]) == NULL)
			break;
	if (i < length || digits == 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("a value that is not made of digits cannot have a "
						"pseudonym of digits"),
				 errdetail("Whatever is no digit would stay readable; only "
						   "blanks and \"%s\" may.",
						   BETWEEN_DIGITS),
				 errhint("Use the format hex.")));
	if (digits > SDC_PSEUDONYM_DIGITS)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("a value with more than %d digits cannot have a "
						"pseudonym of digits",
						SDC_PSEUDONYM_DIGITS),
				 errhint("Use the format hex.")));
}

/* Replaces the digits of a value; everything else stays where it is. */
static text *
replace_digits(const SdcPseudonymDomain *domain, const text *value)
{
	SdcPseudonymKey key = {keyed_hash_value, (void *) domain};
	int length = VARSIZE_ANY_EXHDR(value);
	text *result = palloc(VARHDRSZ + length);
	char *out = VARDATA(result);
	uint8_t digit[SDC_PSEUDONYM_DIGITS];
	int n = 0;
	int i;

	SET_VARSIZE(result, VARHDRSZ + length);
	memcpy(out, VARDATA_ANY(value), length);
	check_digits(out, length);
	for (i = 0; i < length; i++)
		if (is_digit(out[i]))
			digit[n++] = out[i] - '0';
	sdc_pseudonym_digits(&key, digit, n);
	for (n = 0, i = 0; i < length; i++)
		if (is_digit(out[i]))
			out[i] = '0' + digit[n++];
	return result;
}

/* ----------------------------------------------------------------------
 * Pseudonyms that keep the form of a value, by FF1 with AES-256.
 *
 * The AES is that of libcrypto, as in pgcrypto: its timing was reviewed.  A
 * server without it has no such pseudonyms.
 * ----------------------------------------------------------------------
 */

/* What may stand between the characters of a number with check digits. */
#define BETWEEN_CHARACTERS " -."

/* Says that a value cannot have a pseudonym of a format, and why. */
pg_noreturn static void
refuse_form(SdcPseudonymFormat format, const char *why)
{
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("a value cannot have a pseudonym of the format \"%s\"",
					sdcpg_pseudonym_words[format]),
			 errdetail_internal("%s", why), errhint("Use the format hex.")));
}

#ifdef USE_OPENSSL

static void
free_cipher(void *context)
{
	EVP_CIPHER_CTX_free(context);
}

static void
encrypt_block(void *context, const uint8_t *in, uint8_t *out)
{
	int length;

	if (!EVP_EncryptUpdate(context, out, &length, in, 16) || length != 16)
		ereport(ERROR, (errcode(ERRCODE_EXTERNAL_ROUTINE_EXCEPTION),
						errmsg("libcrypto could not encrypt a block")));
}

/* AES-256 with a key that was made of that of the domain and the period. */
static void
start_cipher(SdcPseudonymDomain *domain, SdcBlockCipher *cipher)
{
	uint8_t key[SDC_HASH_BYTES];
	EVP_CIPHER_CTX *context = EVP_CIPHER_CTX_new();
	MemoryContextCallback *callback =
		MemoryContextAlloc(CurrentMemoryContext, sizeof(*callback));

	if (context == NULL)
		ereport(ERROR, (errcode(ERRCODE_OUT_OF_MEMORY),
						errmsg("libcrypto has no memory for a cipher")));
	callback->func = free_cipher;
	callback->arg = context;
	MemoryContextRegisterResetCallback(CurrentMemoryContext, callback);
	keyed_hash_value(domain, (const uint8_t *) "AES-256", 7, key);
	if (!EVP_EncryptInit_ex(context, EVP_aes_256_ecb(), NULL, key, NULL) ||
		!EVP_CIPHER_CTX_set_padding(context, 0))
		ereport(ERROR, (errcode(ERRCODE_EXTERNAL_ROUTINE_EXCEPTION),
						errmsg("libcrypto could not start AES-256")));
	explicit_bzero(key, sizeof(key));
	cipher->run = encrypt_block;
	cipher->context = context;
}

#else

static void
start_cipher(SdcPseudonymDomain *domain, SdcBlockCipher *cipher)
{
	ereport(ERROR,
			(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
			 errmsg("this server has no pseudonyms that keep the form of a "
					"value"),
			 errdetail("PostgreSQL was built without OpenSSL, whose AES they "
					   "are made with."),
			 errhint("Use the format digits for numbers, and hex, uuid or "
					 "email for others.")));
}

#endif

/* Letters that would stay readable stop with an error. */
static void
check_letters(const char *value, int length)
{
	int i;

	for (i = 0; i < length; i++)
		if ((unsigned char) value[i] >= 0x80)
			refuse_form(SDC_PSEUDONYM_SAME,
						"It has a letter that is not of ASCII, which would "
						"stay readable.");
}

/* A number with check digits, without and again with what is between. */
static void
replace_number(const SdcBlockCipher *cipher, SdcPseudonymFormat format,
			   char *value, int length, bool back)
{
	char number[SDC_CHECK_MAX + 1];
	const char *word = sdcpg_pseudonym_words[format];
	int count = 0;
	int i;

	for (i = 0; i < length; i++)
		if (strchr(BETWEEN_CHARACTERS, value[i]) == NULL)
		{
			if (count == SDC_CHECK_MAX)
				break;
			number[count++] = value[i];
		}
	number[count] = '\0';
	if (i < length || memchr(value, '\0', length) != NULL ||
		!sdc_same_number(cipher, (const uint8_t *) word, strlen(word),
						 (SdcCheckScheme) (format - SDC_PSEUDONYM_NUMBER),
						 number, back))
		refuse_form(format, "It has not the form of such a number.");
	for (count = 0, i = 0; i < length; i++)
		if (strchr(BETWEEN_CHARACTERS, value[i]) == NULL)
			value[i] = number[count++];
}

/* Permutes a value among those of its form, or back. */
static text *
replace_form(const SdcBlockCipher *cipher, const text *value,
			 SdcPseudonymFormat format, bool back)
{
	int length = VARSIZE_ANY_EXHDR(value);
	text *result = cstring_to_text_with_len(VARDATA_ANY(value), length);

	if (format >= SDC_PSEUDONYM_NUMBER)
		replace_number(cipher, format, VARDATA(result), length, back);
	else
	{
		check_letters(VARDATA(result), length);
		if (!sdc_same_form(cipher, (const uint8_t *) "same", 4,
						   VARDATA(result), length, back))
			refuse_form(format,
						length <= SDC_SAME_MAX &&
								sdc_same_bits(VARDATA(result), length) == 0
							? "It has neither a letter nor a digit."
							: "It is too long: 71 digits, or 50 "
							  "letters, are the most.");
	}
	return result;
}

/* Bytes as hexadecimal digits; a UUID has hyphens after these bytes. */
static text *
print_hex(const uint8_t *bytes, int count, bool uuid, const char *suffix)
{
	static const char digits[] = "0123456789abcdef";
	Size suffix_length = strlen(suffix);
	Size size = VARHDRSZ + 2 * count + (uuid ? 4 : 0) + suffix_length;
	text *printed = palloc(size);
	char *out = VARDATA(printed);
	int i;

	SET_VARSIZE(printed, size);
	for (i = 0; i < count; i++)
	{
		*out++ = digits[bytes[i] >> 4];
		*out++ = digits[bytes[i] & 15];
		if (uuid && (i == 3 || i == 5 || i == 7 || i == 9))
			*out++ = '-';
	}
	memcpy(out, suffix, suffix_length);
	return printed;
}

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
static text *
pseudonym_make(const SdcPseudonymDomain *domain, const text *value,
			   SdcPseudonymFormat format)
{
	uint8_t output[SDC_PSEUDONYM_BYTES];
	size_t length;
	char *utf8;

	if (format == SDC_PSEUDONYM_AS_DIGITS)
		return replace_digits(domain, value);
	utf8 = in_utf8(VARDATA_ANY(value), VARSIZE_ANY_EXHDR(value), &length);
	keyed_hash_value((void *) domain, (const uint8_t *) utf8, length, output);
	if (format == SDC_PSEUDONYM_EMAIL)
		return print_hex(output, EMAIL_BYTES, false, EMAIL_HOST);
	if (format == SDC_PSEUDONYM_UUID)
	{
		output[6] = (output[6] & 0x0f) | 0x80;
		output[8] = (output[8] & 0x3f) | 0x80;
	}
	return print_hex(output, 16, format == SDC_PSEUDONYM_UUID, "");
}

/* ----------------------------------------------------------------------
 * Numbers of records
 * ----------------------------------------------------------------------
 */

/* Stops unless the caller may make pseudonyms. */
static void
need_right(void)
{
	Oid text[] = {TEXTOID, TEXTOID, TEXTOID, TEXTOID};
	Oid function =
		LookupFuncName(list_make2(makeString("sdc"), makeString("pseudonym")),
					   lengthof(text), text, false);

	if (sdc_function_aclcheck(function, GetUserId()) != ACLCHECK_OK)
		aclcheck_error(ACLCHECK_NO_PRIV, OBJECT_FUNCTION, "sdc.pseudonym");
}

void
sdcpg_pseudonym_spread(const char *domain)
{
	uint8_t secret[SDC_PSEUDONYM_SECRET];

	need_right();
	if (read_secret(domain, secret))
		return;
	sdcpg_workers_one_connection();
	(void) find_key(domain, NULL, SDC_KEY_OF_PSEUDONYMS,
					sdcpg_catalog_owner("secret") == GetUserId());
}

SdcPseudonymDomain *
sdcpg_record_domain(const char *domain)
{
	need_right();
	return sdcpg_domain_find(domain, NULL, SDC_KEY_OF_RECORDS);
}

uint64
sdcpg_record_key(SdcPseudonymDomain *domain, const char *id)
{
	uint8_t output[SDC_PSEUDONYM_BYTES];
	uint64 key = 0;
	int i;

	sdcpg_domain_hash(domain, -1, id, strlen(id), output);
	for (i = 0; i < 8; i++)
		key |= (uint64) output[i] << (8 * i);
	return key;
}

/* ----------------------------------------------------------------------
 * sdc.pseudonym: the same name for the same person, and nobody's name.
 *
 * The key of the domain is looked up once in a statement; the arguments domain
 * and period seldom change from row to row.
 * ----------------------------------------------------------------------
 */

PG_FUNCTION_INFO_V1(sdcf_pseudonym);
PG_FUNCTION_INFO_V1(sdcf_reveal);
PG_FUNCTION_INFO_V1(sdcf_pseudonym_known);
PG_FUNCTION_INFO_V1(sdcf_forget_pseudonyms);

/* What was made of the arguments domain, period and format. */
typedef struct LastDomain
{
	SdcPseudonymFormat format;
	SdcPseudonymDomain *domain;
	SdcBlockCipher cipher; /* of formats that keep the form */
} LastDomain;

static bool
is_same(const text *a, const text *b)
{
	if (a == NULL || b == NULL)
		return a == b;
	return VARSIZE_ANY_EXHDR(a) == VARSIZE_ANY_EXHDR(b) &&
		   memcmp(VARDATA_ANY(a), VARDATA_ANY(b), VARSIZE_ANY_EXHDR(a)) == 0;
}

SdcSeldom *
sdcpg_seldom(FunctionCallInfo fcinfo, int first, int last)
{
	FmgrInfo *flinfo = fcinfo->flinfo;
	SdcSeldom *seldom = flinfo->fn_extra;
	const text *word[lengthof(seldom->word)];
	bool same = seldom != NULL && seldom->made != NULL;
	MemoryContext caller;
	int i;

	if (seldom == NULL)
	{
		seldom = MemoryContextAllocZero(flinfo->fn_mcxt, sizeof(SdcSeldom));
		seldom->context = AllocSetContextCreate(
			flinfo->fn_mcxt, "sdc pseudonym", ALLOCSET_SMALL_SIZES);
		flinfo->fn_extra = seldom;
	}
	for (i = first; i <= last; i++)
	{
		word[i - first] = PG_ARGISNULL(i) ? NULL : PG_GETARG_TEXT_PP(i);
		same = same && is_same(word[i - first], seldom->word[i - first]);
	}
	if (same)
		return seldom;
	seldom->made = NULL;
	MemoryContextReset(seldom->context);
	caller = MemoryContextSwitchTo(seldom->context);
	for (i = 0; i <= last - first; i++)
		seldom->word[i] =
			word[i] == NULL
				? NULL
				: cstring_to_text_with_len(VARDATA_ANY(word[i]),
										   VARSIZE_ANY_EXHDR(word[i]));
	MemoryContextSwitchTo(caller);
	return seldom;
}

char *
sdcpg_seldom_string(const SdcSeldom *seldom, int i)
{
	return seldom->word[i] == NULL ? NULL : text_to_cstring(seldom->word[i]);
}

/* Looks everything up for new arguments. */
static void
find_domain(SdcSeldom *seldom, bool make)
{
	MemoryContext caller = MemoryContextSwitchTo(seldom->context);
	LastDomain *last = palloc(sizeof(LastDomain));
	bool keeps;

	last->format = pseudonym_format(sdcpg_seldom_string(seldom, 2));
	keeps = last->format >= SDC_PSEUDONYM_SAME;
	last->domain = find_key(
		sdcpg_seldom_string(seldom, 0), sdcpg_seldom_string(seldom, 1),
		keeps ? SDC_KEY_OF_FORMS : SDC_KEY_OF_PSEUDONYMS, make);
	if (keeps)
		start_cipher(last->domain, &last->cipher);
	MemoryContextSwitchTo(caller);
	seldom->made = last;
}

/*
 * The domain of a call.  Its key is made, or it must be there and the caller
 * be one who may make pseudonyms.
 */
static const LastDomain *
domain_of_call(FunctionCallInfo fcinfo, bool make)
{
	SdcSeldom *seldom;

	sdcpg_args_need(fcinfo, 1);
	sdcpg_args_need(fcinfo, 3);
	seldom = sdcpg_seldom(fcinfo, 1, 3);
	if (seldom->made == NULL)
	{
		if (!make)
			need_right();
		find_domain(seldom, make);
	}
	return seldom->made;
}

/* sdcf_pseudonym and sdcf_pseudonym_known. */
static Datum
call_pseudonym(FunctionCallInfo fcinfo, bool make)
{
	const LastDomain *last = domain_of_call(fcinfo, make);

	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();
	if (last->format >= SDC_PSEUDONYM_SAME)
		PG_RETURN_TEXT_P(replace_form(&last->cipher, PG_GETARG_TEXT_PP(0),
									  last->format, false));
	PG_RETURN_TEXT_P(
		pseudonym_make(last->domain, PG_GETARG_TEXT_PP(0), last->format));
}

/* reveal(pseudonym text, domain text, period text, format text) */
Datum
sdcf_reveal(PG_FUNCTION_ARGS)
{
	const LastDomain *last = domain_of_call(fcinfo, true);

	if (last->format < SDC_PSEUDONYM_SAME)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("pseudonyms of format \"%s\" cannot be revealed",
						sdcpg_pseudonym_words[last->format]),
				 errhint("Only those that keep the form of a value can: same, "
						 "card, iban, de_tax, fr_nir, es_dni and jp_my.")));
	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();
	PG_RETURN_TEXT_P(
		replace_form(&last->cipher, PG_GETARG_TEXT_PP(0), last->format, true));
}

/* pseudonym(value text, domain text, period text, format text) */
Datum
sdcf_pseudonym(PG_FUNCTION_ARGS)
{
	return call_pseudonym(fcinfo, true);
}

/*
 * known_pseudonym(value text, domain text, period text, format text): without
 * making a key, so that it is STABLE and each server can call it for its rows.
 */
Datum
sdcf_pseudonym_known(PG_FUNCTION_ARGS)
{
	return call_pseudonym(fcinfo, false);
}

/* forget_pseudonyms(domain text) */
Datum
sdcf_forget_pseudonyms(PG_FUNCTION_ARGS)
{
	PG_RETURN_BOOL(pseudonym_forget(text_to_cstring(PG_GETARG_TEXT_PP(0))));
}
