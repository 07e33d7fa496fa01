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

#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "nodes/pg_list.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/guc.h"
#include "utils/jsonb.h"

#include "host/call/catalog.h"
#include "host/server/compat.h"
#include "host/server/host.h"
#include "host/server/result.h"
#include "kernel/base/keyed_hash.h"
#include "release/publish.h"
#include "release/seal.h"
#include "release/versions.h"

PG_FUNCTION_INFO_V1(sdcf_release_rows);
PG_FUNCTION_INFO_V1(sdcf_release_values);

/* Bytes of the digests that are kept. */
#define DIGEST_BYTES 16

/* Of the persons of a version at least this share should be in the next. */
#define STRANGERS 0.1

/* Beyond this share of the rows the memory is read as a whole. */
#define MANY_OTHERS 0.1

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
gather_row(void *arg, Datum *value, bool *isnull)
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

/*
 * release_rows(policy text, relation regclass, parts int8[])
 */
Datum
sdcf_release_rows(PG_FUNCTION_ARGS)
{
	Gathered row = {sdcpg_result_begin(fcinfo)};
	SdcCatalogParameters parameters = {0};
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
	sdcpg_catalog_scan_owned(
		"release_value",
		"SELECT v.part, v.person, v.cell, v.drawn, v.value"
		" FROM sdc.release_value AS v WHERE v.last IS NULL"
		" AND v.part OPERATOR(pg_catalog.=) ANY (ARRAY("
		"SELECT p.part FROM sdc.release_part AS p"
		" WHERE p.policy OPERATOR(pg_catalog.=) $1"
		" AND p.relation OPERATOR(pg_catalog.=) $2"
		" AND p.owner OPERATOR(pg_catalog.=) $3"
		" AND p.part OPERATOR(pg_catalog.=) ANY ($4)))",
		&parameters, gather_row, &row);
	AtEOXact_GUC(false, settings);
	put_gathered(&row);
	MemoryContextDelete(row.memory);
	return (Datum) 0;
}

/*
 * release_values(policy text, relation regclass, persons bytea[])
 */
/* Of each part and person: an index finds the rows of both. */
#define VALUES_SQL(persons, values)                                      \
	"SELECT v.part, v.person, v.cell, v.first, v.last, v.drawn, v.value" \
	" FROM (SELECT * FROM sdc.release_part AS p" persons                 \
	" WHERE p.policy OPERATOR(pg_catalog.=) $1"                          \
	" AND p.relation OPERATOR(pg_catalog.=) $2"                          \
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

/*
 * The persons of now (r) with the digest of all cells, and the cell that says
 * who is in the sample.
 */
static char *
digests_sql(struct SdcVersions *versions)
{
	int sample = sample_part(versions);
	char *who = psprintf("r.%s", versions->own.look);
	StringInfoData cells;
	int p;

	initStringInfo(&cells);
	for (p = 0; p < versions->parts; p++)
		appendStringInfo(
			&cells, "%s%s", p > 0 ? " || " : "",
			sdcpg_versions_cell_of(versions, &versions->part[p], who));
	return psprintf(
		"SELECT r.%s AS person, substring(sha256(%s) FROM 1 FOR %d) AS cells,"
		" %s AS sample FROM (SELECT r.*, record_out(ROW(r.%s))::text AS %s"
		" FROM %s AS r OFFSET 0) AS r OFFSET 0",
		versions->own.person, cells.data, DIGEST_BYTES,
		sample < 0
			? "NULL::bytea"
			: sdcpg_versions_cell_of(versions, &versions->part[sample], who),
		versions->id.sql, versions->own.look,
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

void
sdcpg_versions_tell_forgotten(struct SdcVersions *versions)
{
	if (versions->all_parts == versions->parts && has_remembered(versions))
		refuse_anew(versions, "What its versions had is not known, or not by "
							  "the key of now.");
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
