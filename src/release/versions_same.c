/*
 * versions_same.c
 *		Who is as he was: most persons of a night, whose rows are read once.
 *
 * What is remembered of a person is a row for each part, and to join the parts
 * one by one costs the same however little has changed.  These rows lie side
 * by side, as releases write them person by person.  So they are read in the
 * order in which they lie and put together into one row of the person, with
 * one digest of all that his values were made from.  Whose digest is that of
 * now is published as he was, and nothing more is looked at.  All others, who
 * came, changed, wait or are gone, go on part by part.
 *
 * That rows lie side by side is for speed only: of whom they do not there are
 * several rows, none of which is whole, and he goes on part by part.
 */
#include "postgres.h"

#include <ctype.h>
#include <math.h>

#include "access/htup_details.h"
#include "catalog/pg_type.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "nodes/pg_list.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/float.h"
#include "utils/guc.h"
#include "utils/jsonb.h"
#include "utils/lsyscache.h"
#include "utils/typcache.h"

#include "host/call/catalog.h"
#include "host/data/rows.h"
#include "host/server/compat.h"
#include "host/server/host.h"
#include "host/server/result.h"
#include "kernel/base/keyed_hash.h"
#include "release/publish.h"
#include "release/seal.h"
#include "release/versions.h"
#include "topic/mask/mask_plan.h"

PG_FUNCTION_INFO_V1(sdcf_release_cells);
PG_FUNCTION_INFO_V1(sdcf_release_digest);
PG_FUNCTION_INFO_V1(sdcf_release_rows);
PG_FUNCTION_INFO_V1(sdcf_release_values);

/* Bytes of the digests that are kept. */
#define DIGEST_BYTES 16

/* Of the persons of a version at least this share should be in the next. */
#define STRANGERS 0.1

/* Beyond this share of the rows the memory is read as a whole. */
#define MANY_OTHERS 0.1

/* ----------------------------------------------------------------------
 * Digests: who somebody is, and what his values are, told to nobody.
 * ----------------------------------------------------------------------
 */

/* The key, and whom it is for. */
typedef struct DigestKey
{
	char *policy;
	SdcDigestKey key;
} DigestKey;

/* The key of a policy, for its owner. */
static void
make_key(DigestKey *key, const char *policy)
{
	sdcpg_versions_need_memory(policy);
	key->policy = pstrdup(policy);
	memset(&key->key, 0, sizeof(key->key));
	sdcpg_seal_keyed(policy, "versions", key->key.key);
}

/* The same, looked up once in a statement. */
static DigestKey *
digest_key(FmgrInfo *function, const char *policy)
{
	DigestKey *known = function->fn_extra;
	MemoryContext caller;

	if (known != NULL && strcmp(known->policy, policy) == 0)
		return known;
	caller = MemoryContextSwitchTo(function->fn_mcxt);
	known = palloc(sizeof(DigestKey));
	make_key(known, policy);
	MemoryContextSwitchTo(caller);
	function->fn_extra = known;
	return known;
}

/* Appends a text so that no two lists of texts look alike. */
static void
append_text(StringInfo words, const char *text)
{
	char digits[16];
	int length;

	if (text == NULL)
	{
		appendStringInfoString(words, "-;");
		return;
	}
	/* "%d:%s;", which is made many times for each row */
	length = strlen(text);
	pg_ltoa(length, digits);
	appendStringInfoString(words, digits);
	appendStringInfoChar(words, ':');
	appendBinaryStringInfo(words, text, length);
	appendStringInfoChar(words, ';');
}

/* The place of a person's grid for the n-th number, in [0, 1). */
static double
grid_place(DigestKey *key, const char *who, int n)
{
	uint8 output[SDC_KEYED_HASH_BYTES];
	StringInfoData words;
	uint64 bits = 0;
	char digits[16];
	int i;

	initStringInfo(&words);
	/* "grid %d %s", which is made many times for each row */
	pg_ltoa(n, digits);
	appendStringInfoString(&words, "grid ");
	appendStringInfoString(&words, digits);
	appendStringInfoChar(&words, ' ');
	appendStringInfoString(&words, who);
	sdcpg_keyed_digest(&key->key, words.data, words.len, output);
	for (i = 0; i < 8; i++)
		bits = bits << 8 | output[i];
	pfree(words.data);
	return (bits >> 11) * (1.0 / (UINT64CONST(1) << 53));
}

/* Appends a person's n-th number, by its cell in the grid. */
static void
append_number(StringInfo words, DigestKey *key, const char *who, int n,
			  double number, double width)
{
	double cell = number / width;

	if (isfinite(cell))
		cell = floor(cell + grid_place(key, who, n));
	append_text(words, float8out_internal(cell));
}

/* Appends numbers, each by its cell in the grid of the person. */
static void
append_numbers(StringInfo words, DigestKey *key, const char *who,
			   ArrayType *numbers, ArrayType *widths)
{
	Datum *number;
	Datum *width;
	bool *null;
	int count;
	int wide;
	int i;

	deconstruct_array(numbers, FLOAT8OID, 8, FLOAT8PASSBYVAL, TYPALIGN_DOUBLE,
					  &number, &null, &count);
	deconstruct_array(widths, FLOAT8OID, 8, FLOAT8PASSBYVAL, TYPALIGN_DOUBLE,
					  &width, NULL, &wide);
	for (i = 0; i < Min(count, wide); i++)
		if (null[i])
			append_text(words, NULL);
		else
			append_number(words, key, who, i, DatumGetFloat8(number[i]),
						  DatumGetFloat8(width[i]));
}

/* The digest of the person of a row with this alias, for a policy. */
static char *
person_sql(const char *policy, const char *alias, const char *id)
{
	return psprintf("sdc.release_digest(%s, 'person',"
					" record_out(ROW(%s.%s))::text, NULL, NULL, NULL)",
					quote_literal_cstr(policy), alias, id);
}

char *
sdcpg_versions_person(const struct SdcVersions *versions, const char *alias)
{
	return person_sql(versions->policy, alias, versions->id.sql);
}

/* The policy and the id of a part. */
static const char *
policy_of(const struct SdcVersions *versions, const SdcPart *part)
{
	return part->policy != NULL ? part->policy : versions->policy;
}

static const char *
id_of(const struct SdcVersions *versions, const SdcPart *part)
{
	return part->id != NULL ? part->id : versions->id.sql;
}

char *
sdcpg_versions_part_person(const struct SdcVersions *versions,
						   const SdcPart *part, const char *alias)
{
	return person_sql(policy_of(versions, part), alias, id_of(versions, part));
}

char *
sdcpg_versions_whose(const struct SdcVersions *versions,
					 const SdcRelationColumn *column, const char *alias)
{
	return psprintf("CASE WHEN num_nulls(%s.%s) = 0 THEN"
					" sdc.release_digest(%s, 'whose', %s,"
					" record_out(ROW(%s.%s))::text, NULL, NULL) END",
					alias, column->sql, quote_literal_cstr(versions->policy),
					quote_literal_cstr(column->name), alias, column->sql);
}

/* Appends the numbers of a row (r) that go by grids, and their widths. */
static int
add_widths(const SdcPart *part, StringInfo number, StringInfo width)
{
	int count = 0;
	int i;

	for (i = 0; i < part->columns.count; i++)
		if (part->width[i] > 0)
		{
			appendStringInfo(number, "%s%s", number->len > 0 ? ", " : "",
							 sdcpg_mask_type_number(&part->columns.column[i]));
			appendStringInfo(width, "%s'%s'", width->len > 0 ? ", " : "",
							 float8out_internal(part->width[i]));
			count++;
		}
	return count;
}

/* The names of the columns that a part's digest has as they are. */
static List *
exact_columns(const SdcPart *part)
{
	List *names = NIL;
	int i;

	for (i = 0; i < part->columns.count; i++)
		if (part->width[i] <= 0)
			names = lappend(names, part->columns.column[i].name);
	for (i = 0; i < part->strata.count; i++)
		names = lappend(names, part->strata.column[i].name);
	return names;
}

char *
sdcpg_versions_cell(const struct SdcVersions *versions, const SdcPart *part)
{
	StringInfoData exact;
	StringInfoData number;
	StringInfoData width;
	ListCell *cell;

	initStringInfo(&exact);
	initStringInfo(&number);
	initStringInfo(&width);
	(void) add_widths(part, &number, &width);
	foreach (cell, exact_columns(part))
		appendStringInfo(&exact, "%sr.%s", exact.len > 0 ? ", " : "",
						 quote_identifier(lfirst(cell)));
	return psprintf("sdc.release_digest(%s, '" INT64_FORMAT "',"
					" record_out(ROW(r.%s))::text, record_out(ROW(%s))::text,"
					" ARRAY[%s]::float8[], ARRAY[%s]::float8[])",
					quote_literal_cstr(policy_of(versions, part)),
					part->number, id_of(versions, part), exact.data,
					number.data, width.data);
}

/*
 * release_digest(policy text, subject text, person text, exact text,
 *                number float8[], width float8[])
 */
Datum
sdcf_release_digest(PG_FUNCTION_ARGS)
{
	DigestKey *key;
	StringInfoData words;
	uint8 output[SDC_KEYED_HASH_BYTES];
	bytea *digest = palloc(VARHDRSZ + DIGEST_BYTES);
	char *who;

	if (PG_ARGISNULL(0) || PG_ARGISNULL(1) || PG_ARGISNULL(2))
		PG_RETURN_NULL();
	key = digest_key(fcinfo->flinfo, text_to_cstring(PG_GETARG_TEXT_PP(0)));
	initStringInfo(&words);
	append_text(&words, text_to_cstring(PG_GETARG_TEXT_PP(1)));
	append_text(&words, text_to_cstring(PG_GETARG_TEXT_PP(2)));
	who = pstrdup(words.data);
	append_text(&words, PG_ARGISNULL(3)
							? NULL
							: text_to_cstring(PG_GETARG_TEXT_PP(3)));
	if (!PG_ARGISNULL(4) && !PG_ARGISNULL(5))
		append_numbers(&words, key, who, PG_GETARG_ARRAYTYPE_P(4),
					   PG_GETARG_ARRAYTYPE_P(5));
	sdcpg_keyed_digest(&key->key, words.data, words.len, output);
	SET_VARSIZE(digest, VARHDRSZ + DIGEST_BYTES);
	memcpy(VARDATA(digest), output, DIGEST_BYTES);
	PG_RETURN_BYTEA_P(digest);
}

/* ----------------------------------------------------------------------
 * The digests of all parts of a row at once: the same bits, without an SQL
 * expression for each part.
 * ----------------------------------------------------------------------
 */

/* Rows of one type, how their columns are written, and the row. */
typedef struct CellsRow
{
	MemoryContext memory; /* of all of it */
	DigestKey key;
	Oid type;
	int32 modifier;
	TupleDesc columns;
	FmgrInfo *output; /* each column */
	Datum *value;
	bool *isnull;
} CellsRow;

/* Prepares for the rows of a type, and the policy, of a statement. */
static CellsRow *
cells_prepare(FmgrInfo *function, const char *policy, HeapTupleHeader row)
{
	MemoryContext memory = AllocSetContextCreate(
		function->fn_mcxt, "sdc cells", ALLOCSET_SMALL_SIZES);
	MemoryContext caller = MemoryContextSwitchTo(memory);
	CellsRow *cells = palloc(sizeof(CellsRow));
	int i;

	cells->memory = memory;
	make_key(&cells->key, policy);
	cells->type = HeapTupleHeaderGetTypeId(row);
	cells->modifier = HeapTupleHeaderGetTypMod(row);
	cells->columns = lookup_rowtype_tupdesc_copy(cells->type, cells->modifier);
	cells->output = palloc0(sizeof(FmgrInfo) * (cells->columns->natts + 1));
	cells->value = palloc(sizeof(Datum) * (cells->columns->natts + 1));
	cells->isnull = palloc(sizeof(bool) * (cells->columns->natts + 1));
	for (i = 0; i < cells->columns->natts; i++)
	{
		Oid output;
		bool varlena;

		if (TupleDescAttr(cells->columns, i)->attisdropped)
			continue;
		getTypeOutputInfo(TupleDescAttr(cells->columns, i)->atttypid, &output,
						  &varlena);
		fmgr_info(output, &cells->output[i]);
	}
	MemoryContextSwitchTo(caller);
	return cells;
}

/* Takes a row apart. */
static CellsRow *
cells_read(FmgrInfo *function, const char *policy, HeapTupleHeader row)
{
	CellsRow *cells = function->fn_extra;
	HeapTupleData tuple = {HeapTupleHeaderGetDatumLength(row)};

	if (cells == NULL || strcmp(cells->key.policy, policy) != 0 ||
		cells->type != HeapTupleHeaderGetTypeId(row) ||
		cells->modifier != HeapTupleHeaderGetTypMod(row))
	{
		function->fn_extra = NULL;
		if (cells != NULL)
			MemoryContextDelete(cells->memory);
		function->fn_extra = cells = cells_prepare(function, policy, row);
	}
	tuple.t_data = row;
	heap_deform_tuple(&tuple, cells->columns, cells->value, cells->isnull);
	return cells;
}

/* Appends a value as it stands in a row of SQL: in quotes where it must. */
static void
append_value(StringInfo text, const char *value, size_t length)
{
	bool quoted = length == 0;
	size_t i;

	for (i = 0; i < length && !quoted; i++)
		quoted = memchr("\"\\(),", value[i], 5) != NULL ||
				 isspace((unsigned char) value[i]);
	if (!quoted)
	{
		appendBinaryStringInfo(text, value, length);
		return;
	}
	appendStringInfoCharMacro(text, '"');
	for (i = 0; i < length; i++)
	{
		if (value[i] == '"' || value[i] == '\\')
			appendStringInfoCharMacro(text, value[i]);
		appendStringInfoCharMacro(text, value[i]);
	}
	appendStringInfoCharMacro(text, '"');
}

/* Writes columns of the row, by their places from 1 on, as record_out does. */
static const char *
write_columns(StringInfo written, CellsRow *cells, const int64 *place,
			  int64 count)
{
	int64 i;

	resetStringInfo(written);
	for (i = 0; i < count; i++)
	{
		int c = (int) place[i] - 1;
		Oid type = TupleDescAttr(cells->columns, c)->atttypid;

		appendStringInfoCharMacro(written, i == 0 ? '(' : ',');
		if (cells->isnull[c])
			continue;
		if (type == TEXTOID || type == VARCHAROID)
		{
			const struct varlena *plain = DatumGetTextPP(cells->value[c]);

			append_value(written, VARDATA_ANY(plain),
						 VARSIZE_ANY_EXHDR(plain));
		}
		else
		{
			const char *value =
				OutputFunctionCall(&cells->output[c], cells->value[c]);

			append_value(written, value, strlen(value));
		}
	}
	if (count == 0)
		appendStringInfoCharMacro(written, '(');
	appendStringInfoCharMacro(written, ')');
	return written->data;
}

/*
 * The layout of the cells, and what stands beside the row.  Each part has an
 * entry: its number, how many of the numbers are its own, how many columns,
 * and their places.  The first entry is that of the id.
 */
typedef struct CellsLayout
{
	const int64 *entry;
	const int64 *end;
	int64 count; /* of entries */
	const double *width;
	Datum *number;
	bool *isnull;
	int64 numbers;
} CellsLayout;

/* The elements of an array that has no NULL. */
static void *
plain_elements(ArrayType *array, int64 *count)
{
	*count = ArrayGetNItems(ARR_NDIM(array), ARR_DIMS(array));
	if (array_contains_nulls(array))
		ereport(ERROR, (errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
						errmsg("the layout of digests has no NULL")));
	return ARR_DATA_PTR(array);
}

/* Counts the entries, and stops unless they are of columns of the row. */
static void
check_layout(CellsLayout *layout, const TupleDesc columns, int64 widths)
{
	const int64 *at = layout->entry;
	int64 numbers = 0;
	bool right = true;
	int64 i;

	layout->count = 0;
	while (right && at < layout->end)
	{
		right = layout->end - at >= 3 && at[1] >= 0 && at[1] <= widths &&
				at[2] >= 0 && at[2] <= layout->end - at - 3;
		for (i = 0; right && i < at[2]; i++)
			right = at[3 + i] >= 1 && at[3 + i] <= columns->natts &&
					!TupleDescAttr(columns, at[3 + i] - 1)->attisdropped;
		if (!right)
			break;
		numbers += at[1];
		at += 3 + at[2];
		layout->count++;
	}
	if (!right || layout->count == 0 || numbers != layout->numbers ||
		numbers != widths)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("the layout of digests is not one of the "
							   "row")));
}

/* The digests of the parts, one behind the other. */
static void
make_cells(CellsRow *cells, const CellsLayout *layout, char *digest)
{
	uint8 output[SDC_KEYED_HASH_BYTES];
	StringInfoData text;
	StringInfoData words;
	const int64 *entry = layout->entry;
	int64 number = 0;
	const char *person;
	char subject[24];

	initStringInfo(&text);
	initStringInfo(&words);
	person = pstrdup(write_columns(&text, cells, entry + 3, entry[2]));
	for (entry += 3 + entry[2]; entry < layout->end; entry += 3 + entry[2])
	{
		const char *who = NULL;
		int i;

		resetStringInfo(&words);
		pg_lltoa(entry[0], subject);
		append_text(&words, subject);
		append_text(&words, person);
		if (entry[1] > 0)
			who = pstrdup(words.data);
		append_text(&words, write_columns(&text, cells, entry + 3, entry[2]));
		for (i = 0; i < entry[1]; i++, number++)
			if (layout->isnull[number])
				append_text(&words, NULL);
			else
				append_number(&words, &cells->key, who, i,
							  DatumGetFloat8(layout->number[number]),
							  layout->width[number]);
		sdcpg_keyed_digest(&cells->key.key, words.data, words.len, output);
		memcpy(digest, output, DIGEST_BYTES);
		digest += DIGEST_BYTES;
	}
}

/*
 * release_cells(policy text, layout int8[], width float8[], number float8[],
 *				 "row" record)
 */
Datum
sdcf_release_cells(PG_FUNCTION_ARGS)
{
	CellsLayout layout = {0};
	CellsRow *cells;
	bytea *result;
	int64 widths;
	int64 length;
	int numbers;
	int i;

	for (i = 0; i < 5; i++)
		if (PG_ARGISNULL(i))
			PG_RETURN_NULL();
	cells = cells_read(fcinfo->flinfo, text_to_cstring(PG_GETARG_TEXT_PP(0)),
					   PG_GETARG_HEAPTUPLEHEADER(4));
	layout.entry = plain_elements(PG_GETARG_ARRAYTYPE_P(1), &length);
	layout.end = layout.entry + length;
	layout.width = plain_elements(PG_GETARG_ARRAYTYPE_P(2), &widths);
	deconstruct_array(PG_GETARG_ARRAYTYPE_P(3), FLOAT8OID, 8, FLOAT8PASSBYVAL,
					  TYPALIGN_DOUBLE, &layout.number, &layout.isnull,
					  &numbers);
	layout.numbers = numbers;
	check_layout(&layout, cells->columns, widths);
	result = palloc(VARHDRSZ + DIGEST_BYTES * (layout.count - 1));
	SET_VARSIZE(result, VARHDRSZ + DIGEST_BYTES * (layout.count - 1));
	make_cells(cells, &layout, VARDATA(result));
	PG_RETURN_BYTEA_P(result);
}

/* Appends an entry of the layout: places of columns of a table. */
static void
append_entry(StringInfo layout, Oid table, int64 number, int numbers,
			 const List *names)
{
	ListCell *cell;

	appendStringInfo(layout, "%s" INT64_FORMAT ",%d,%d",
					 layout->len > 0 ? "," : "", number, numbers,
					 list_length(names));
	foreach (cell, names)
		appendStringInfo(layout, ",%d", get_attnum(table, lfirst(cell)));
}

char *
sdcpg_versions_cells(struct SdcVersions *versions)
{
	Oid table = sdcpg_versions_find(versions, "now")->oid;
	StringInfoData layout;
	StringInfoData width;
	StringInfoData number;
	int p;

	initStringInfo(&layout);
	initStringInfo(&width);
	initStringInfo(&number);
	append_entry(&layout, table, 0, 0, list_make1(versions->id.name));
	for (p = 0; p < versions->parts; p++)
	{
		const SdcPart *part = &versions->part[p];
		int numbers = add_widths(part, &number, &width);

		append_entry(&layout, table, part->number, numbers,
					 exact_columns(part));
	}
	return psprintf("sdc.release_cells(%s, '{%s}', ARRAY[%s]::float8[],"
					" ARRAY[%s]::float8[], r.*)",
					quote_literal_cstr(versions->policy), layout.data,
					width.data, number.data);
}

/* ----------------------------------------------------------------------
 * The memory as SQL has it: part by part, and person by person.
 * ----------------------------------------------------------------------
 */

/* The row that is being put together. */
typedef struct Gathered
{
	ReturnSetInfo *result;
	int parts;
	Datum *part;          /* their numbers, in the order of the cells */
	MemoryContext memory; /* of the row */
	int found;            /* parts; 0: there is no row yet */
	bytea *person;
	bool *has; /* each part; of those that it has: */
	uint8 *cells;
	Datum *drawn;
	ArrayType **value;
} Gathered;

/* The digest of all cells; that of the only one is the cell. */
static Datum
digest_cells(const Gathered *row)
{
	bytea *digest = palloc(VARHDRSZ + SDC_HASH_BYTES);
	SdcHash hash;
	int p;

	SET_VARSIZE(digest, VARHDRSZ + DIGEST_BYTES);
	if (row->found == row->parts)
	{
		sdc_hash_start(&hash);
		sdc_hash_add(&hash, row->cells, (size_t) DIGEST_BYTES * row->parts);
		sdc_hash_end(&hash, (uint8 *) VARDATA(digest));
		return PointerGetDatum(digest);
	}
	for (p = 0; !row->has[p]; p++)
		;
	memcpy(VARDATA(digest), row->cells + DIGEST_BYTES * p, DIGEST_BYTES);
	return PointerGetDatum(digest);
}

/* An array of one dimension, some of whose elements may be NULL. */
static Datum
make_array(Datum *element, bool *isnull, int count, Oid type, int length,
		   bool by_value, char align)
{
	int bounds = 1;

	return PointerGetDatum(construct_md_array(
		element, isnull, 1, &count, &bounds, type, length, by_value, align));
}

/* The values of the parts that there are, one after the other. */
static Datum
join_values(const Gathered *row)
{
	Datum **element = palloc(sizeof(Datum *) * row->parts);
	bool **isnull = palloc(sizeof(bool *) * row->parts);
	int *count = palloc0(sizeof(int) * row->parts);
	Datum *all;
	bool *none;
	int sum = 0;
	int p;

	for (p = 0; p < row->parts; p++)
		if (row->has[p])
		{
			deconstruct_array(row->value[p], TEXTOID, -1, false, TYPALIGN_INT,
							  &element[p], &isnull[p], &count[p]);
			sum += count[p];
		}
	all = palloc(sizeof(Datum) * (sum + 1));
	none = palloc(sizeof(bool) * (sum + 1));
	for (p = 0, sum = 0; p < row->parts; p++)
		if (count[p] > 0)
		{
			memcpy(all + sum, element[p], sizeof(Datum) * count[p]);
			memcpy(none + sum, isnull[p], sizeof(bool) * count[p]);
			sum += count[p];
		}
	return make_array(all, none, sum, TEXTOID, -1, false, TYPALIGN_INT);
}

/* Puts the row into the result; there is none then. */
static void
put_gathered(Gathered *row)
{
	MemoryContext caller;
	Datum values[5];
	bool isnull[5] = {false};
	bool *without;
	int p;

	if (row->found == 0)
		return;
	caller = MemoryContextSwitchTo(row->memory);
	without = palloc(sizeof(bool) * row->parts);
	for (p = 0; p < row->parts; p++)
		without[p] = !row->has[p];
	values[0] = PointerGetDatum(row->person);
	values[1] = Int32GetDatum(row->found);
	values[2] = digest_cells(row);
	values[3] = make_array(row->drawn, without, row->parts, INT8OID, 8,
						   FLOAT8PASSBYVAL, TYPALIGN_DOUBLE);
	values[4] = join_values(row);
	sdcpg_result_put(row->result, values, isnull);
	MemoryContextSwitchTo(caller);
	MemoryContextReset(row->memory);
	row->found = 0;
	memset(row->has, 0, sizeof(bool) * row->parts);
}

static bool
is_person(const bytea *a, const bytea *b)
{
	return VARSIZE_ANY_EXHDR(a) == VARSIZE_ANY_EXHDR(b) &&
		   memcmp(VARDATA_ANY(a), VARDATA_ANY(b), VARSIZE_ANY_EXHDR(a)) == 0;
}

/* A part, the person, the cell, the release that drew, and the values. */
static void
gather_row(void *arg, TupleDesc descriptor, const Datum *value,
		   const bool *isnull)
{
	Gathered *row = arg;
	bytea *person = DatumGetByteaPP(value[1]);
	bytea *cell = DatumGetByteaPP(value[2]);
	MemoryContext caller;
	int p = 0;

	while (p < row->parts &&
		   DatumGetInt64(row->part[p]) != DatumGetInt64(value[0]))
		p++;
	if (p == row->parts)
		return;
	if (row->found > 0 && (row->has[p] || !is_person(row->person, person)))
		put_gathered(row);
	caller = MemoryContextSwitchTo(row->memory);
	if (row->found++ == 0)
		row->person = (bytea *) PG_DETOAST_DATUM_COPY(value[1]);
	row->has[p] = true;
	memset(row->cells + DIGEST_BYTES * p, 0, DIGEST_BYTES);
	memcpy(row->cells + DIGEST_BYTES * p, VARDATA_ANY(cell),
		   Min(VARSIZE_ANY_EXHDR(cell), DIGEST_BYTES));
	row->drawn[p] = value[3];
	row->value[p] = DatumGetArrayTypePCopy(value[4]);
	MemoryContextSwitchTo(caller);
}

/* What is remembered as published of some parts ($4) of a policy, as SQL. */
#define PARTS_SQL                               \
	"(SELECT p.part FROM sdc.release_part AS p" \
	" WHERE p.policy OPERATOR(pg_catalog.=) $1" \
	" AND p.relation OPERATOR(pg_catalog.=) $2" \
	" AND p.owner OPERATOR(pg_catalog.=) $3"    \
	" AND p.part OPERATOR(pg_catalog.=) ANY ($4))"
#define ROWS_SQL                                        \
	"SELECT v.part, v.person, v.cell, v.drawn, v.value" \
	" FROM sdc.release_value AS v WHERE v.last IS NULL" \
	" AND v.part OPERATOR(pg_catalog.=) ANY (ARRAY" PARTS_SQL ")"

/* Pages that are looked at, and the share beyond which all are read. */
#define SAMPLE_PAGES "100.0"
#define SHARE_OF_ALL 0.2

/*
 * Are the rows of these parts so many of all that an index is a detour?  Told
 * by some pages, as nobody may have counted the rows.
 */
static bool
are_many(const SdcCatalogParameters *parameters)
{
	SdcCatalogRows *rows = sdcpg_catalog_read_owned(
		"release_value",
		"SELECT CAST(pg_catalog.count(*) FILTER (WHERE v.part"
		" OPERATOR(pg_catalog.=) ANY (ARRAY" PARTS_SQL "))"
		" AS pg_catalog.float8) OPERATOR(pg_catalog./)"
		" GREATEST(pg_catalog.count(*), 1) FROM sdc.release_value AS v"
		" TABLESAMPLE SYSTEM (LEAST(100, 100 OPERATOR(pg_catalog.*)"
		" " SAMPLE_PAGES " OPERATOR(pg_catalog.*) pg_catalog.current_setting("
		"'block_size')::pg_catalog.float8 OPERATOR(pg_catalog./)"
		" GREATEST(1, pg_catalog.pg_relation_size("
		"'sdc.release_value'::pg_catalog.regclass))))",
		parameters);

	return DatumGetFloat8(rows->value[0][0]) > SHARE_OF_ALL;
}

/* The memory, as its owner reads it. */
typedef struct Memory
{
	const SdcCatalogParameters *parameters;
	SdcRows rows;
} Memory;

static void
scan_memory(void *arg)
{
	const Memory *memory = arg;
	SdcPgHost *host = sdcpg_host_begin("release", CurrentMemoryContext);

	sdcpg_rows_receive_bound(host, ROWS_SQL, memory->parameters,
							 &memory->rows);
	sdcpg_host_end(host);
}

/*
 * release_rows(policy text, relation regclass, parts int8[])
 */
Datum
sdcf_release_rows(PG_FUNCTION_ARGS)
{
	Gathered row = {sdcpg_result_begin(fcinfo)};
	SdcCatalogParameters parameters = {0};
	Memory memory = {&parameters, {NULL, gather_row, &row}};
	const char *policy;
	int settings;

	if (PG_ARGISNULL(0) || PG_ARGISNULL(1) || PG_ARGISNULL(2))
		return (Datum) 0;
	policy = text_to_cstring(PG_GETARG_TEXT_PP(0));
	sdcpg_versions_need_memory(policy);
	deconstruct_array(PG_GETARG_ARRAYTYPE_P(2), INT8OID, 8, FLOAT8PASSBYVAL,
					  TYPALIGN_DOUBLE, &row.part, NULL, &row.parts);
	row.memory = AllocSetContextCreate(CurrentMemoryContext, "sdc rows",
									   ALLOCSET_DEFAULT_SIZES);
	row.has = palloc0(sizeof(bool) * (row.parts + 1));
	row.cells = palloc0((Size) DIGEST_BYTES * (row.parts + 1));
	row.drawn = palloc0(sizeof(Datum) * (row.parts + 1));
	row.value = palloc0(sizeof(ArrayType *) * (row.parts + 1));
	sdcpg_versions_bind_memory(&parameters, policy, PG_GETARG_OID(1));
	sdcpg_catalog_bind(&parameters, INT8ARRAYOID, PG_GETARG_DATUM(2), false);
	settings = NewGUCNestLevel();
	/* in the order in which they lie */
	sdcpg_set_for_now("enable_indexscan", "off");
	sdcpg_set_for_now("synchronize_seqscans", "off");
	sdcpg_set_for_now("max_parallel_workers_per_gather", "0");
	if (are_many(&parameters))
		sdcpg_set_for_now("enable_bitmapscan", "off");
	sdcpg_catalog_as_owner("release_value", scan_memory, &memory);
	AtEOXact_GUC(false, settings);
	put_gathered(&row);
	MemoryContextDelete(row.memory);
	return (Datum) 0;
}

/*
 * release_values(policy text, relation regclass, persons bytea[])
 */
/* Of each part and person: an index finds the rows of both. */
#define VALUES_SQL(persons, values)                                       \
	"SELECT v.part, v.person, v.cell, v.first, v.last, v.drawn, v.value," \
	" v.whose FROM (SELECT * FROM sdc.release_part AS p" persons          \
	" WHERE p.policy OPERATOR(pg_catalog.=) $1"                           \
	" AND p.relation OPERATOR(pg_catalog.=) $2"                           \
	" AND p.owner OPERATOR(pg_catalog.=) $3 OFFSET 0) AS p" values

Datum
sdcf_release_values(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *result = sdcpg_result_begin(fcinfo);
	SdcCatalogParameters parameters = {0};
	const char *policy;
	int settings;

	if (PG_ARGISNULL(0) || PG_ARGISNULL(1))
		return (Datum) 0;
	policy = text_to_cstring(PG_GETARG_TEXT_PP(0));
	sdcpg_versions_need_memory(policy);
	sdcpg_versions_bind_memory(&parameters, policy, PG_GETARG_OID(1));
	if (!PG_ARGISNULL(2))
		sdcpg_catalog_bind(&parameters, BYTEAARRAYOID, PG_GETARG_DATUM(2),
						   false);
	settings = NewGUCNestLevel();
	if (!PG_ARGISNULL(2))
		sdcpg_versions_look_up();
	sdcpg_catalog_return_owned(
		"release_value",
		PG_ARGISNULL(2)
			? VALUES_SQL("", " JOIN sdc.release_value AS v"
							 " ON v.part OPERATOR(pg_catalog.=) p.part")
			: VALUES_SQL(", pg_catalog.unnest($4) AS u (person)",
						 " CROSS JOIN LATERAL (SELECT * FROM"
						 " sdc.release_value AS v"
						 " WHERE v.part OPERATOR(pg_catalog.=) p.part"
						 " AND v.person OPERATOR(pg_catalog.=) p.person"
						 " OFFSET 0) AS v"),
		&parameters, result);
	AtEOXact_GUC(false, settings);
	return (Datum) 0;
}

/* ----------------------------------------------------------------------
 * Who is as he was.
 * ----------------------------------------------------------------------
 */

/* The place of the part that says who is published; -1: there is none. */
static int
sample_part(const struct SdcVersions *versions)
{
	int p;

	for (p = 0; p < versions->parts; p++)
		if (versions->part[p].sample)
			return p;
	return -1;
}

/* Are all parts known, and nothing but them published last time? */
static bool
are_known(const struct SdcVersions *versions)
{
	ListCell *cell;
	int p;

	for (p = 0; p < versions->parts; p++)
		if (versions->part[p].number == 0)
			return false;
	for (; p < versions->all_parts; p++)
		if (sdcpg_versions_has_values(versions->part[p].number))
			return false;
	/* who refers to a row that is not published is looked at part by part */
	foreach (cell, versions->staging->parents)
		if (sdcpg_versions_leaves_out(
				((const SdcStaging *) lfirst(cell))->versions))
			return false;
	return true;
}

char *
sdcpg_versions_cell_at(const char *cells, int p)
{
	return psprintf("substring(%s FROM %d FOR %d)", cells,
					DIGEST_BYTES * p + 1, DIGEST_BYTES);
}

/*
 * The persons of now with the digest of all cells, and the cell that says who
 * is in the sample.
 */
static char *
digests_sql(struct SdcVersions *versions)
{
	int sample = sample_part(versions);

	return psprintf(
		"SELECT c.person, substring(sha256(c.cells) FROM 1 FOR %d) AS cells,"
		" %s AS sample FROM (SELECT r.%s AS person, %s AS cells"
		" FROM %s AS r OFFSET 0) AS c OFFSET 0",
		DIGEST_BYTES,
		sample < 0 ? "NULL::bytea" : sdcpg_versions_cell_at("c.cells", sample),
		versions->own.person, sdcpg_versions_cells(versions),
		sdcpg_versions_name(versions, "now"));
}

char *
sdcpg_versions_same_value(const struct SdcVersions *versions, int part, int i)
{
	int place = i + 1;
	int p;

	for (p = 0; p < part; p++)
		place +=
			versions->part[p].sample ? 1 : versions->part[p].columns.count;
	return psprintf("k.value[%d]", place);
}

/*
 * What is remembered as published, person by person: is he here (here), as he
 * was (same), and published (ok)?  Of who is not in the sample nothing else is
 * remembered, and no other row.
 */
static void
make_kept(struct SdcVersions *versions)
{
	int sample = sample_part(versions);
	const char *kept;
	StringInfoData whole;
	StringInfoData numbers;
	int p;

	initStringInfo(&whole);
	initStringInfo(&numbers);
	appendStringInfoString(&whole, "k.cells = d.cells");
	if (sample >= 0)
		appendStringInfo(&whole, " AND %s = 'in'",
						 sdcpg_versions_same_value(versions, sample, 0));
	for (p = 0; p < versions->parts; p++)
		appendStringInfo(&numbers, "%s" INT64_FORMAT, p > 0 ? "," : "",
						 versions->part[p].number);
	kept = sdcpg_versions_table(
		versions, "last",
		psprintf(
			"SELECT k.person, k.drawn, k.value, d.person IS NOT NULL AS here,"
			" COALESCE(CASE k.found WHEN %d THEN %s WHEN 1 THEN"
			" k.cells = d.sample AND k.value = '{out}' END, false) AS same,"
			" k.found = %d AS ok"
			" FROM sdc.release_rows(%s, '%u'::regclass, '{%s}') AS k"
			" LEFT JOIN (%s) AS d ON d.person = k.person",
			versions->parts, whole.data, versions->parts,
			quote_literal_cstr(versions->policy), versions->original->oid,
			numbers.data, digests_sql(versions)));
	if (sample >= 0)
		(void) sdcpg_staging_run(psprintf(
			"UPDATE %s AS k SET same = false WHERE k.same AND NOT k.ok"
			" AND EXISTS (SELECT FROM %s AS o WHERE NOT o.ok"
			" AND o.person = k.person AND o.ctid <> k.ctid)",
			kept, kept));
}

/*
 * Finds who is as he was.  The others who are here become the table that is
 * gone on with in place of all of now, and the memory is that of the others
 * and of those who are gone.  False: nothing is known of the version before,
 * or all is drawn anew.
 */
bool
sdcpg_versions_find_same(struct SdcVersions *versions)
{
	const char *kept;
	const char *others;

	if (!versions->remembers || versions->anew || !are_known(versions))
		return false;
	make_kept(versions);
	kept = sdcpg_versions_name(versions, "last");
	others = sdcpg_versions_table(
		versions, "others",
		psprintf("SELECT r.* FROM %s AS r WHERE NOT EXISTS (SELECT FROM %s"
				 " AS k WHERE k.person = r.%s AND k.same)",
				 sdcpg_versions_name(versions, "now"), kept,
				 versions->own.person));
	versions->few = "others";
	(void) sdcpg_versions_table(
		versions, "mem",
		psprintf("SELECT * FROM sdc.release_values(%s, '%u'::regclass,"
				 " (SELECT CASE WHEN count(*) <= %.0f THEN"
				 " COALESCE(array_agg(o.person), '{}') END FROM"
				 " (SELECT r.%s AS person FROM %s AS r UNION"
				 " SELECT k.person FROM %s AS k WHERE NOT k.here) AS o))",
				 quote_literal_cstr(versions->policy), versions->original->oid,
				 MANY_OTHERS * versions->tally.rows, versions->own.person,
				 others, kept));
	return true;
}

/* The rows of those who are as they were and are published (k), as SQL. */
char *
sdcpg_versions_same_sql(struct SdcVersions *versions)
{
	return versions->few == NULL
			   ? NULL
			   : psprintf("%s AS k WHERE k.same AND k.ok",
						  sdcpg_versions_name(versions, "last"));
}

/* ----------------------------------------------------------------------
 * Is anybody the same?
 * ----------------------------------------------------------------------
 */

/*
 * Nobody can tell what this version and those before show together: a policy
 * that keeps a risk back is refused, unless its params allow it.
 */
static void
refuse_anew(const struct SdcVersions *versions, const char *detail)
{
	Jsonb *constraints = versions->staging->policy->constraints;
	bool allowed = versions->staging->params.anew || constraints == NULL ||
				   JB_ROOT_COUNT(constraints) == 0;

	ereport(allowed ? WARNING : ERROR,
			(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
			 errmsg("release " INT64_FORMAT " of policy \"%s\" draws "
					"everything anew",
					versions->release, versions->policy),
			 errdetail_internal("%s", detail),
			 errhint("Whoever has an earlier version can put it together "
					 "with this one, and no attack can tell what that shows. "
					 "Name an id that stays, carry over what the policy "
					 "remembers, or allow it with \"anew\": true in its "
					 "params.")));
}

/* Did an earlier release remember what it published of the table? */
static bool
has_remembered(const struct SdcVersions *versions)
{
	SdcCatalogParameters parameters = {0};

	sdcpg_catalog_bind_text(&parameters, versions->policy);
	sdcpg_catalog_bind_text(&parameters,
							GetUserNameFromId(GetUserId(), false));
	sdcpg_catalog_bind_text(&parameters, versions->original->sql);
	return sdcpg_catalog_read_owned(
			   "release_history",
			   "SELECT 1 FROM sdc.release_history AS h CROSS JOIN LATERAL"
			   " pg_catalog.jsonb_array_elements(h.measures) AS m (value)"
			   " WHERE h.policy OPERATOR(pg_catalog.=) $1"
			   " AND h.owner OPERATOR(pg_catalog.=) $2::pg_catalog.name"
			   " AND h.status OPERATOR(pg_catalog.=) 'published'"
			   " AND (m.value OPERATOR(pg_catalog.->>) 'relation')"
			   " OPERATOR(pg_catalog.=) $3"
			   " AND m.value OPERATOR(pg_catalog.?) 'versions' LIMIT 1",
			   &parameters)
			   ->count > 0;
}

/* Does a rule of the history, as a document, draw? */
static bool
drew(Jsonb *rule)
{
	const char *method = sdcpg_params_text(rule, "method");
	const SdcMask *mask =
		method == NULL ? NULL : sdcpg_mask_find(method, (int) strlen(method));

	return mask != NULL && ((mask->traits & SDC_MASK_ROW_LOCAL) == 0 ||
							((mask->traits & SDC_MASK_OWN_DRAW) != 0 &&
							 sdcpg_params_boolean(rule, "random", false)));
}

/* Did rules of a release draw for a column that this policy draws for? */
static bool
drew_same(const struct SdcVersions *versions, Jsonb *rules)
{
	int p;
	int i;

	for (p = 0; p < versions->parts; p++)
		for (i = 0; i < versions->part[p].columns.count; i++)
		{
			Jsonb *rule = sdcpg_versions_rule_of(
				rules, versions->part[p].columns.column[i].name);

			if (rule != NULL && drew(rule))
				return true;
		}
	return false;
}

/*
 * Another policy of the owner that has drawn for columns of this one, by the
 * history, of which nothing is remembered, as in a database that was restored;
 * NULL: none.
 */
static char *
find_forgotten(const struct SdcVersions *versions)
{
	SdcCatalogParameters parameters = {0};
	SdcCatalogRows *rows;
	int64 row;

	sdcpg_catalog_bind_text(&parameters, versions->policy);
	sdcpg_catalog_bind_text(&parameters,
							GetUserNameFromId(GetUserId(), false));
	sdcpg_catalog_bind_text(&parameters, versions->original->sql);
	rows = sdcpg_catalog_read_owned(
		"release_history",
		"SELECT DISTINCT h.policy, e.value OPERATOR(pg_catalog.->) 'rules'"
		" FROM sdc.release_history AS h CROSS JOIN LATERAL"
		" pg_catalog.jsonb_array_elements(h.relations) AS e (value)"
		" WHERE NOT h.policy OPERATOR(pg_catalog.=) $1"
		" AND h.owner OPERATOR(pg_catalog.=) $2::pg_catalog.name"
		" AND h.status OPERATOR(pg_catalog.=) 'published'"
		" AND (e.value OPERATOR(pg_catalog.->>) 'relation')"
		" OPERATOR(pg_catalog.=) $3"
		" AND EXISTS (SELECT FROM pg_catalog.jsonb_array_elements(h.measures)"
		" AS m (value) WHERE (m.value OPERATOR(pg_catalog.->>) 'relation')"
		" OPERATOR(pg_catalog.=) $3"
		" AND m.value OPERATOR(pg_catalog.?) 'versions')"
		" AND NOT EXISTS (SELECT FROM sdc.release_part AS p"
		" JOIN sdc.policy_key AS k ON k.policy OPERATOR(pg_catalog.=) p.policy"
		" WHERE p.policy OPERATOR(pg_catalog.=) h.policy)"
		" ORDER BY 1",
		&parameters);
	for (row = 0; row < rows->count; row++)
	{
		char *policy = TextDatumGetCString(rows->value[row][0]);

		if (!sdcpg_params_is_listed(versions->staging->params.apart, policy) &&
			!rows->isnull[row][1] &&
			drew_same(versions, DatumGetJsonbP(rows->value[row][1])))
			return policy;
	}
	return NULL;
}

void
sdcpg_versions_tell_forgotten(struct SdcVersions *versions)
{
	char *other;

	if (versions->all_parts == versions->parts && has_remembered(versions))
		refuse_anew(versions, "What its versions had is not known, or not by "
							  "the key of now.");
	other = find_forgotten(versions);
	if (other != NULL)
		refuse_anew(versions,
					psprintf("What policy \"%s\" published of the same "
							 "columns is not known.",
							 other));
}

void
sdcpg_versions_tell_strangers(struct SdcVersions *versions)
{
	double before;

	if (!versions->remembers || STRANGERS * versions->tally.left <=
									(1 - STRANGERS) * versions->tally.kept)
		return;
	before = sdcpg_versions_ask(
		versions->few != NULL
			? psprintf("SELECT count(DISTINCT k.person)::float8 FROM %s AS k",
					   sdcpg_versions_name(versions, "last"))
			: psprintf("SELECT count(DISTINCT m.person)::float8 FROM %s AS m"
					   " WHERE m.last IS NULL",
					   sdcpg_versions_name(versions, "mem")));
	if (before - versions->tally.left < STRANGERS * before)
		refuse_anew(versions, "Fewer than a tenth of the ids of the version "
							  "before are there.");
}
