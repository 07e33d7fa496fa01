/*
 * seal.c
 *		What was published, and how it is known again.
 *
 * A name says little: whoever owns the schema may put another table, or a
 * view, under it.  So the history keeps the number, the owner and digests of
 * the definition and of the rows of each table that a release published, and
 * a signature of all of it.  Who replaces the table by the next release, or
 * exports it, looks at these first.
 *
 * Digests of rows and signatures are made with a key of the policy, which
 * nobody but the owner of the extension can read and which is not dumped:
 * after a restore a superuser puts the key back, or the policy is released
 * anew, by a new key.  A signature begins with what tells keys apart, so that
 * one by another key is not taken for a history that was changed.
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_class.h"
#include "catalog/pg_type.h"
#include "lib/stringinfo.h"
#include "miscadmin.h"
#include "port/pg_bswap.h"
#include "storage/lmgr.h"
#include "utils/acl.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/float.h"
#include "utils/fmgrprotos.h"
#include "utils/guc.h"
#include "utils/lsyscache.h"

#include "host/call/catalog.h"
#include "host/call/params.h"
#include "host/data/rows.h"
#include "host/server/compat.h"
#include "host/server/host.h"
#include "host/server/result.h"
#include "release/document.h"
#include "release/seal.h"

/* Bytes of keys and digests. */
#define BYTES SDC_KEYED_HASH_BYTES

/* ----------------------------------------------------------------------
 * The key of a policy.
 * ----------------------------------------------------------------------
 */

static bool
read_key(const char *policy, uint8 *key)
{
	SdcCatalogParameters parameters = {0};
	SdcCatalogRows *rows;
	bytea *stored;

	sdcpg_catalog_bind_text(&parameters, policy);
	rows =
		sdcpg_catalog_read_latest("policy_key",
								  "SELECT k.key FROM sdc.policy_key AS k"
								  " WHERE k.policy OPERATOR(pg_catalog.=) $1",
								  &parameters);
	if (rows->count == 0)
		return false;
	stored = DatumGetByteaPP(rows->value[0][0]);
	if (VARSIZE_ANY_EXHDR(stored) != BYTES)
		ereport(ERROR, (errcode(ERRCODE_DATA_CORRUPTED),
						errmsg("the key of policy \"%s\" does not have %d "
							   "bytes",
							   policy, BYTES)));
	memcpy(key, VARDATA_ANY(stored), BYTES);
	return true;
}

/* The key of a policy, which is made when it has none yet. */
static void
need_key(const char *policy, uint8 *key)
{
	bytea *made = palloc(VARHDRSZ + BYTES);

	if (read_key(policy, key))
		return;
	sdcpg_catalog_key_lock("policy_key", policy);
	if (read_key(policy, key))
		return;
	SET_VARSIZE(made, VARHDRSZ + BYTES);
	sdcpg_strong_bytes(VARDATA(made), BYTES);
	sdcpg_catalog_key_add("policy_key", policy, made);
	if (!read_key(policy, key))
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_IN_USE),
				 errmsg("the key of policy \"%s\" was deleted while it was "
						"being made",
						policy)));
}

static char *
hexadecimal(const uint8 *bytes)
{
	StringInfoData text;
	int i;

	initStringInfo(&text);
	for (i = 0; i < BYTES; i++)
		appendStringInfo(&text, "%02x", bytes[i]);
	return text.data;
}

void
sdcpg_seal_keyed(const char *policy, const char *words, uint8 *output)
{
	uint8 key[BYTES];

	need_key(policy, key);
	sdcpg_keyed_hash(key, BYTES, words, strlen(words), output);
}

void
sdcpg_seal_prepare(const char *policy)
{
	uint8 key[BYTES];

	need_key(policy, key);
}

uint64
sdcpg_seal_seed(const char *policy, int64 seed)
{
	uint8 output[BYTES];
	uint64 made = 0;
	int i;

	sdcpg_seal_keyed(policy, psprintf("seed " INT64_FORMAT, seed), output);
	for (i = 0; i < sizeof(made); i++)
		made = made << 8 | output[i];
	return made;
}

/* ----------------------------------------------------------------------
 * What a table is.
 * ----------------------------------------------------------------------
 */

static SdcCatalogRows *
read_about(Oid table, const char *sql)
{
	SdcCatalogParameters parameters = {0};

	sdcpg_catalog_bind(&parameters, OIDOID, ObjectIdGetDatum(table), false);
	return sdcpg_catalog_read(sql, &parameters);
}

char *
sdcpg_seal_definition(Oid table)
{
	SdcCatalogRows *rows = read_about(
		table,
		"SELECT pg_catalog.encode(pg_catalog.sha256(pg_catalog.convert_to("
		"pg_catalog.concat((SELECT c.relkind FROM pg_catalog.pg_class AS c"
		" WHERE c.oid OPERATOR(pg_catalog.=) $1), pg_catalog.string_agg("
		"pg_catalog.format('%I %I.%I %s %L.%L,', a.attname, n.nspname,"
		" t.typname, a.atttypmod, m.nspname, l.collname), ''"
		" ORDER BY a.attnum)), 'UTF8')), 'hex')"
		" FROM pg_catalog.pg_attribute AS a"
		" JOIN pg_catalog.pg_type AS t"
		" ON t.oid OPERATOR(pg_catalog.=) a.atttypid"
		" JOIN pg_catalog.pg_namespace AS n"
		" ON n.oid OPERATOR(pg_catalog.=) t.typnamespace"
		" LEFT JOIN pg_catalog.pg_collation AS l"
		" ON l.oid OPERATOR(pg_catalog.=) a.attcollation"
		" LEFT JOIN pg_catalog.pg_namespace AS m"
		" ON m.oid OPERATOR(pg_catalog.=) l.collnamespace"
		" WHERE a.attrelid OPERATOR(pg_catalog.=) $1"
		" AND a.attnum OPERATOR(pg_catalog.>) 0 AND NOT a.attisdropped");

	return TextDatumGetCString(rows->value[0][0]);
}

char *
sdcpg_seal_obstacle(Oid table)
{
	SdcCatalogRows *rows = read_about(
		table, "SELECT CASE"
			   " WHEN c.relkind OPERATOR(pg_catalog.<>) 'r'"
			   " THEN 'It is not a plain table.'"
			   " WHEN EXISTS (SELECT FROM pg_catalog.pg_rewrite AS r"
			   " WHERE r.ev_class OPERATOR(pg_catalog.=) $1)"
			   " THEN 'It has rules.'"
			   " WHEN EXISTS (SELECT FROM pg_catalog.pg_trigger AS t"
			   " JOIN pg_catalog.pg_proc AS f"
			   " ON f.oid OPERATOR(pg_catalog.=) t.tgfoid"
			   " WHERE t.tgrelid OPERATOR(pg_catalog.=) $1"
			   /* Citus has one on each table that it distributes */
			   " AND NOT (t.tgisinternal AND f.proname"
			   " OPERATOR(pg_catalog.=) 'citus_truncate_trigger'"
			   " AND f.pronamespace OPERATOR(pg_catalog.=)"
			   " 'pg_catalog'::pg_catalog.regnamespace))"
			   " THEN 'It has triggers or foreign keys.'"
			   " WHEN EXISTS (SELECT FROM pg_catalog.pg_inherits AS i"
			   " WHERE i.inhrelid OPERATOR(pg_catalog.=) $1"
			   " OR i.inhparent OPERATOR(pg_catalog.=) $1)"
			   " THEN 'It is part of an inheritance tree.'"
			   " WHEN EXISTS (SELECT FROM pg_catalog.pg_constraint AS k"
			   " WHERE k.conrelid OPERATOR(pg_catalog.=) $1"
			   " AND k.contype OPERATOR(pg_catalog.=) 'c')"
			   " THEN 'It has CHECK constraints.'"
			   " WHEN EXISTS (SELECT FROM pg_catalog.pg_attrdef AS d"
			   " WHERE d.adrelid OPERATOR(pg_catalog.=) $1)"
			   " THEN 'It has defaults or generated columns.'"
			   " WHEN EXISTS (SELECT FROM pg_catalog.pg_index AS x"
			   " WHERE x.indrelid OPERATOR(pg_catalog.=) $1"
			   " AND (x.indexprs IS NOT NULL OR x.indpred IS NOT NULL))"
			   " THEN 'It has an index with expressions.'"
			   " WHEN c.relforcerowsecurity"
			   " THEN 'It has row-level security for its owner, too.' END"
			   " FROM pg_catalog.pg_class AS c"
			   " WHERE c.oid OPERATOR(pg_catalog.=) $1");

	if (rows->count == 0 || rows->isnull[0][0])
		return NULL;
	return TextDatumGetCString(rows->value[0][0]);
}

/* ----------------------------------------------------------------------
 * A digest of rows.
 * ----------------------------------------------------------------------
 */

/* How a value goes into the digest of its row. */
typedef enum SealForm
{
	SEAL_BITS, /* the bits of a value of a fixed length, the high ones first */
	SEAL_FLOAT, /* the same, with one NaN */
	SEAL_BYTES, /* length and bytes */
	SEAL_TEXT   /* length and bytes of what the output function writes */
} SealForm;

typedef struct SealColumn
{
	SealForm form;
	int bytes; /* of a fixed length */
	FmgrInfo output;
} SealColumn;

/* A sum of 256 bits, the low word first, and what makes it. */
struct SdcSealSum
{
	SdcHash key; /* what the key leaves */
	uint64 word[BYTES / 8];
	int64 rows;
	MemoryContext memory;
	SealColumn *column;
	bool pinned; /* do the settings hold that texts of values depend on? */
	bool none;   /* a text depends on one, and they do not */
	/* rows of which the digests come next: two in one go */
	int waiting;
	StringInfoData row[2];
};

/*
 * Bits of types that are the same in every database, wherever a dump of the
 * table is read; others as text.
 */
static void
find_form(SealColumn *column, Oid type, MemoryContext memory)
{
	Oid base = getBaseType(type);
	Oid function;
	bool varlena;

	column->form = SEAL_BITS;
	switch (base)
	{
		case BOOLOID:
			column->bytes = 1;
			break;
		case INT2OID:
			column->bytes = 2;
			break;
		case INT4OID:
		case DATEOID:
			column->bytes = 4;
			break;
		case INT8OID:
		case TIMESTAMPOID:
		case TIMESTAMPTZOID:
			column->bytes = 8;
			break;
		case FLOAT4OID:
		case FLOAT8OID:
			column->form = SEAL_FLOAT;
			column->bytes = base == FLOAT4OID ? 4 : 8;
			break;
		case TEXTOID:
		case VARCHAROID:
		case BYTEAOID:
			column->form = SEAL_BYTES;
			break;
		default:
			column->form = SEAL_TEXT;
			getTypeOutputInfo(type, &function, &varlena);
			fmgr_info_cxt(function, &column->output, memory);
	}
}

/* Is the text of a value the same whatever the settings are? */
static bool
prints_alike(Oid type)
{
	Oid base = getBaseType(type);

	return base == NUMERICOID || base == UUIDOID || base == BPCHAROID ||
		   base == NAMEOID || type_is_enum(base);
}

static void
start_rows(void *arg, TupleDesc descriptor)
{
	SdcSealSum *sum = arg;
	int i;

	sum->column = MemoryContextAllocZero(
		sum->memory, sizeof(SealColumn) * (descriptor->natts + 1));
	for (i = 0; i < descriptor->natts; i++)
	{
		Oid type = TupleDescAttr(descriptor, i)->atttypid;

		find_form(&sum->column[i], type, sum->memory);
		sum->none |= !sum->pinned && sum->column[i].form == SEAL_TEXT &&
					 !prints_alike(type);
	}
}

/* The bits of a value of some bytes. */
static uint64
value_bits(const SealColumn *column, Datum value)
{
	double wide;
	float narrow;
	uint32 half;
	uint64 whole;

	switch (column->bytes)
	{
		case 1:
			return DatumGetBool(value) ? 1 : 0;
		case 2:
			return (uint16) DatumGetInt16(value);
		case 4:
			if (column->form == SEAL_BITS)
				return (uint32) DatumGetInt32(value);
			narrow = DatumGetFloat4(value);
			if (isnan(narrow))
				narrow = get_float4_nan();
			memcpy(&half, &narrow, sizeof(half));
			return half;
		default:
			if (column->form == SEAL_BITS)
				return (uint64) DatumGetInt64(value);
			wide = DatumGetFloat8(value);
			if (isnan(wide))
				wide = get_float8_nan();
			memcpy(&whole, &wide, sizeof(whole));
			return whole;
	}
}

/* Bytes that there is room for before a value: its flag, and a number twice,
 * as eight bytes are written and those that are none are written over. */
#define VALUE_ROOM (1 + 2 * sizeof(uint64))

/* Has room for more bytes, which for most values is there; the end so far. */
static inline char *
need_room(StringInfo row, Size bytes)
{
	if (row->len + bytes >= (Size) row->maxlen)
		enlargeStringInfo(row, (int) Min(bytes, MaxAllocSize));
	return row->data + row->len;
}

/* Puts the low bytes of a number, the high one first; what is behind them. */
static inline char *
put_bits(char *at, uint64 bits, int bytes)
{
	uint64 swapped = pg_hton64(bits << (8 * (8 - bytes)));

	memcpy(at, &swapped, sizeof(swapped));
	return at + bytes;
}

static void
append_bytes(StringInfo row, const char *bytes, Size length)
{
	char *at = need_room(row, VALUE_ROOM + length);

	at = put_bits(at, length, 4);
	memcpy(at, bytes, length);
	row->len = (int) (at + length - row->data);
}

/* Appends a value so that no two rows of the table look alike. */
static void
append_value(StringInfo row, SealColumn *column, Datum value, bool isnull)
{
	char *at = need_room(row, VALUE_ROOM);
	struct varlena *packed;
	char *text;

	*at++ = isnull ? 1 : 0;
	row->len++;
	if (isnull)
		return;
	switch (column->form)
	{
		case SEAL_BITS:
		case SEAL_FLOAT:
			(void) put_bits(at, value_bits(column, value), column->bytes);
			row->len += column->bytes;
			break;
		case SEAL_BYTES:
			packed = PG_DETOAST_DATUM_PACKED(value);
			append_bytes(row, VARDATA_ANY(packed), VARSIZE_ANY_EXHDR(packed));
			break;
		case SEAL_TEXT:
			text = OutputFunctionCall(&column->output, value);
			append_bytes(row, text, strlen(text));
			break;
	}
}

/* Adds the digest of a row. */
static void
add_digest(SdcSealSum *sum, const uint8 *digest)
{
	uint64 words[BYTES / 8];
	uint64 carry = 0;
	int i;

	memcpy(words, digest, BYTES);
	for (i = 0; i < lengthof(words); i++)
	{
		uint64 word = pg_ntoh64(words[i]);
		uint64 added = sum->word[i] + word;

		sum->word[i] = added + carry;
		carry = (added < word) | (sum->word[i] < added);
	}
	sum->rows++;
}

/* Adds the digests of two rows. */
static void
add_two(SdcSealSum *sum)
{
	SdcHashMessage message[2];
	uint8 digest[2][BYTES];
	int i;

	for (i = 0; i < 2; i++)
	{
		enlargeStringInfo(&sum->row[i], SDC_HASH_SPARE);
		message[i].bytes = (uint8 *) sum->row[i].data;
		message[i].length = sum->row[i].len;
	}
	sdc_hash_two(&sum->key, message, digest);
	for (i = 0; i < 2; i++)
		add_digest(sum, digest[i]);
	sum->waiting = 0;
}

/* Adds the digest of a row that waits for another one, if there is one. */
static void
add_last(SdcSealSum *sum)
{
	SdcHash hash = sum->key;
	uint8 digest[BYTES];

	if (sum->waiting == 0)
		return;
	sdc_hash_add(&hash, sum->row[0].data, sum->row[0].len);
	sdc_hash_end(&hash, digest);
	add_digest(sum, digest);
	sum->waiting = 0;
}

static void
add_row(void *arg, TupleDesc descriptor, const Datum *values,
		const bool *isnull)
{
	SdcSealSum *sum = arg;
	StringInfo row;
	int i;

	if (sum->none)
		return;
	row = &sum->row[sum->waiting++];
	resetStringInfo(row);
	for (i = 0; i < descriptor->natts; i++)
		append_value(row, &sum->column[i], values[i], isnull[i]);
	if (sum->waiting == 2)
		add_two(sum);
}

void
sdcpg_seal_pin_settings(void)
{
	static const char *const settings[][2] = {
		{"search_path", "pg_catalog, pg_temp"},
		{"DateStyle", "ISO, YMD"},
		{"TimeZone", "UTC"}};
	int i;

	sdcpg_print_alike();
	for (i = 0; i < lengthof(settings); i++)
		sdcpg_set_for_now(settings[i][0], settings[i][1]);
}

/* The columns themselves: a cast may be somebody's function. */
static char *
row_query(const SdcRelation *table)
{
	SdcRelationColumns columns = sdcpg_relation_all_columns(table);
	StringInfoData sql;
	int i;

	initStringInfo(&sql);
	appendStringInfoString(&sql, "SELECT ");
	for (i = 0; i < columns.count; i++)
		appendStringInfo(&sql, "%sr.%s", i > 0 ? ", " : "",
						 columns.column[i].sql);
	appendStringInfo(&sql, " FROM ONLY %s AS r", table->sql);
	return sql.data;
}

SdcSealSum *
sdcpg_seal_sum(const char *policy, int64 release, int place, bool pinned,
			   SdcRows *rows)
{
	SdcSealSum *sum = palloc0(sizeof(SdcSealSum));
	uint8 key[SDC_HASH_BLOCK] = {0};

	sum->pinned = pinned;
	sdcpg_seal_keyed(
		policy, psprintf("rows " INT64_FORMAT " %d", release, place), key);
	sdc_hash_start(&sum->key);
	sdc_hash_add(&sum->key, key, SDC_HASH_BLOCK);
	sum->memory = CurrentMemoryContext;
	initStringInfo(&sum->row[0]);
	initStringInfo(&sum->row[1]);
	*rows = (SdcRows){start_rows, add_row, sum};
	return sum;
}

char *
sdcpg_seal_sum_end(SdcSealSum *sum, int64 *counted)
{
	uint8 digest[BYTES];
	int i;
	int j;

	if (sum->none)
		return NULL;
	add_last(sum);
	for (i = 0; i < lengthof(sum->word); i++)
		for (j = 0; j < 8; j++)
			digest[8 * i + j] = (uint8) (sum->word[i] >> (56 - 8 * j));
	if (counted != NULL)
		*counted = sum->rows;
	return hexadecimal(digest);
}

char *
sdcpg_seal_rows(const SdcRelation *table, const char *policy, int64 release,
				int place, int64 *counted)
{
	SdcRows rows;
	SdcSealSum *sum = sdcpg_seal_sum(policy, release, place, true, &rows);
	SdcPgHost *host = sdcpg_host_begin("release", CurrentMemoryContext);
	int settings = NewGUCNestLevel();

	sdcpg_seal_pin_settings();
	sdcpg_rows_receive(host, row_query(table), &rows);
	AtEOXact_GUC(false, settings);
	sdcpg_host_end(host);
	return sdcpg_seal_sum_end(sum, counted);
}

/* ----------------------------------------------------------------------
 * Signatures, and what they are compared with.
 * ----------------------------------------------------------------------
 */

/* Letters of a signature that say by which key it was made. */
#define KEY_LETTERS 16

char *
sdcpg_seal_sign(const char *policy, int64 release, Jsonb *relations,
				Jsonb *measures)
{
	StringInfoData words;
	uint8 output[BYTES];
	char *signature;

	initStringInfo(&words);
	appendStringInfo(&words, "release " INT64_FORMAT " of %s\n", release,
					 policy);
	(void) JsonbToCString(&words, &relations->root, VARSIZE(relations));
	appendStringInfoChar(&words, '\n');
	if (measures != NULL)
		(void) JsonbToCString(&words, &measures->root, VARSIZE(measures));
	sdcpg_seal_keyed(policy, words.data, output);
	signature = hexadecimal(output);
	sdcpg_seal_keyed(policy, "key", output);
	return psprintf("%.*s-%s", KEY_LETTERS, hexadecimal(output), signature);
}

/* What the history says of the table at a place. */
static Jsonb *
part_of(const SdcRelease *release, int place)
{
	JsonbValue *value =
		getIthJsonbValueFromContainer(&release->relations->root, place);

	return JsonbValueToJsonb(value);
}

static bool
is_same(const char *a, const char *b)
{
	return a != NULL && b != NULL && strcmp(a, b) == 0;
}

static char *
name_of(Oid table)
{
	char *name = get_rel_name(table);

	return name == NULL
			   ? NULL
			   : quote_qualified_identifier(
					 get_namespace_name(get_rel_namespace(table)), name);
}

/* Compares what can be known of a table without reading it. */
static char *
find_difference(const SdcRelease *release, Jsonb *part, Oid table)
{
	char *target = sdcpg_params_text(part, "target");
	char *obstacle;

	if (!OidIsValid(table) || sdcpg_params_text(part, "definition") == NULL)
		return "The history does not say which table was published.";
	(void) LockRelationOid(table, AccessShareLock);
	if (!is_same(name_of(table), target))
		return "The table that was published is not there any more under "
			   "this name.";
	if (get_rel_relkind(table) != RELKIND_RELATION)
		return "It is not a table.";
	if (!is_same(GetUserNameFromId(sdcpg_relation_owner(table), true),
				 release->owner))
		return "It has another owner than the policy.";
	obstacle = sdcpg_seal_obstacle(table);
	if (obstacle != NULL)
		return obstacle;
	if (!is_same(sdcpg_seal_definition(table),
				 sdcpg_params_text(part, "definition")))
		return "Its columns were changed.";
	return NULL;
}

/* The rights of the caller without those to become somebody else. */
static char *
digest_of(const SdcRelease *release, int place, Oid table)
{
	Oid caller;
	int context;
	char *digest;

	GetUserIdAndSecContext(&caller, &context);
	SetUserIdAndSecContext(caller, context | SECURITY_RESTRICTED_OPERATION);
	digest = sdcpg_seal_rows(sdcpg_relation_find(table), release->policy,
							 release->release, place, NULL);
	SetUserIdAndSecContext(caller, context);
	return digest;
}

/*
 * Why the table at a place (from 0) of a published release is not what was
 * published, in a sentence; NULL when it is.  Its rows are read only when its
 * kind, its owner and its definition are those of the release, and with
 * nothing that is not the caller's own: no code of anybody runs.
 */
static char *
find_breach(const SdcRelease *release, int place)
{
	Jsonb *part = part_of(release, place);
	Oid table = place < release->tables ? release->table[place] : InvalidOid;
	uint8 key[BYTES];
	char *difference = find_difference(release, part, table);
	char *signature;

	if (difference != NULL)
		return difference;
	if (!read_key(release->policy, key))
		return "It was signed with a key that this database does not have, "
			   "since keys are not dumped: put the key back, or release "
			   "again.";
	signature = sdcpg_seal_sign(release->policy, release->release,
								release->relations, release->measures);
	if (release->signature != NULL &&
		strncmp(signature, release->signature, KEY_LETTERS + 1) != 0)
		return "It was signed with another key than the policy has now, as "
			   "before a restore: put that key back to verify it.";
	if (!is_same(signature, release->signature))
		return "The history of the release was changed.";
	if (!is_same(digest_of(release, place, table),
				 sdcpg_params_text(part, "digest")))
		return "It does not have the rows that were released.";
	return NULL;
}

/* ----------------------------------------------------------------------
 * sdc.verify_release
 * ----------------------------------------------------------------------
 */

PG_FUNCTION_INFO_V1(sdcf_verify_release);

static void
put_verdict(ReturnSetInfo *result, const SdcRelease *release, int place)
{
	Jsonb *part = part_of(release, place);
	JsonbValue rows;
	char *broken = find_breach(release, place);
	Datum value[4];
	bool isnull[4] = {false};

	value[0] = CStringGetTextDatum(sdcpg_params_text(part, "target"));
	isnull[1] = !sdcpg_params_find(part, "rows", &rows);
	value[1] = isnull[1]
				   ? (Datum) 0
				   : DirectFunctionCall1(numeric_int8,
										 NumericGetDatum(rows.val.numeric));
	value[2] = BoolGetDatum(broken == NULL);
	value[3] = CStringGetTextDatum(
		broken != NULL ? broken : "It is what was published.");
	sdcpg_result_put(result, value, isnull);
}

/* verify_release(release bigint) returns setof sdc.release_verdict */
Datum
sdcf_verify_release(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *result = sdcpg_result_begin(fcinfo);
	SdcRelease *release;
	int i;

	sdcpg_args_need(fcinfo, 0);
	release = sdcpg_history_find(PG_GETARG_INT64(0));
	if (release == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_OBJECT),
				 errmsg("release " INT64_FORMAT " does not exist",
						PG_GETARG_INT64(0)),
				 errhint("A release is for the owner of its policy only.")));
	if (strcmp(release->status, "published") != 0)
		ereport(ERROR, (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
						errmsg("release " INT64_FORMAT " is %s",
							   release->release, release->status),
						errdetail("Nothing was published that could be "
								  "verified.")));
	for (i = 0; i < JB_ROOT_COUNT(release->relations); i++)
		put_verdict(result, release, i);
	return (Datum) 0;
}
