/*
 * hierarchy.c
 *		Hierarchies of generalizations: found by name, asked for labels.
 *
 * Everybody may read sdc's tables of hierarchies, so they are read as the
 * caller.  generalize reads them once per query, or when they have changed.
 */
#include "postgres.h"

#include "catalog/namespace.h"
#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/date.h"
#include "utils/datetime.h"
#include "utils/inval.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/timestamp.h"

#include "pg/call/catalog.h"
#include "pg/server/compat.h"
#include "pg/generalization/hierarchy_kind.h"
#include "pg/data/number.h"

static const SdcHierarchyKind *const kinds[] = {
	&sdcpg_hierarchy_table,    &sdcpg_hierarchy_prefix,
	&sdcpg_hierarchy_interval, &sdcpg_hierarchy_numeric,
	&sdcpg_hierarchy_order,    &sdcpg_hierarchy_date,
	&sdcpg_hierarchy_network,  NULL};

const SdcHierarchyKind *
sdcpg_hierarchy_kind(const char *name)
{
	int i;

	for (i = 0; kinds[i] != NULL; i++)
		if (strcmp(kinds[i]->name, name) == 0)
			return kinds[i];
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("unrecognized kind of hierarchy \"%s\"", name),
			 errhint("Valid kinds are \"table\", \"prefix\", \"interval\", "
					 "\"numeric\", \"order\", \"date\", \"network\".")));
}

static uint64 generation;
static Oid watched;

/* PostgreSQL tells that a table, or InvalidOid: any one, has changed. */
static void
note_change(Datum argument, Oid relation)
{
	if (relation == InvalidOid || relation == watched)
		generation++;
}

static Oid
hierarchy_table_oid(void)
{
	return get_relname_relid("hierarchy", get_namespace_oid("sdc", false));
}

/*
 * An invalidation of the table's catalog entry reaches every session when the
 * change commits, this one with its next command, and again when the change
 * is undone: just when what has been read may no longer be so.
 */
void
sdcpg_hierarchy_invalidate(void)
{
	CacheInvalidateRelcacheByRelid(hierarchy_table_oid());
}

uint64
sdcpg_hierarchy_generation(void)
{
	static bool registered = false;

	if (!registered)
	{
		CacheRegisterRelcacheCallback(note_change, (Datum) 0);
		registered = true;
	}
	return generation;
}

/* Appends a row that was stored. */
static void
add_stored(SdcHierarchyTable *table, const char *name, Datum labels)
{
	char *label[SDC_HIERARCHY_MAX_LEVELS];
	Datum *element;
	bool *isnull;
	int count;
	int level;

	deconstruct_array(DatumGetArrayTypeP(labels), TEXTOID, -1, false,
					  TYPALIGN_INT, &element, &isnull, &count);
	if (count != table->levels)
		ereport(ERROR, (errcode(ERRCODE_DATA_CORRUPTED),
						errmsg("hierarchy \"%s\" is damaged", name)));
	for (level = 0; level < count; level++)
		label[level] =
			isnull[level] ? NULL : TextDatumGetCString(element[level]);
	sdcpg_hierarchy_table_add(table, label);
}

/* The table of a hierarchy as it was stored. */
static SdcHierarchyTable *
read_table(const char *name, int levels)
{
	SdcHierarchyTable *table = sdcpg_hierarchy_table_new(NULL, levels);
	MemoryContext scratch = AllocSetContextCreate(
		CurrentMemoryContext, "sdc reading", ALLOCSET_DEFAULT_SIZES);
	MemoryContext caller = MemoryContextSwitchTo(scratch);
	SdcCatalogParameters parameters = {0};
	SdcCatalogRows *rows;
	int64 i;

	sdcpg_catalog_bind_text(&parameters, name);
	rows = sdcpg_catalog_read(
		"SELECT v.levels FROM sdc.hierarchy_value AS v"
		" WHERE v.hierarchy OPERATOR(pg_catalog.=) $1 ORDER BY v.place",
		&parameters);
	for (i = 0; i < rows->count; i++)
	{
		CHECK_FOR_INTERRUPTS();
		add_stored(table, name, rows->value[i][0]);
	}
	MemoryContextSwitchTo(caller);
	MemoryContextDelete(scratch);
	return table;
}

/* Kind, params and number of levels, as stored. */
static Datum *
read_head(const char *name)
{
	SdcCatalogParameters parameters = {0};
	SdcCatalogRows *rows;

	watched = hierarchy_table_oid();
	sdcpg_catalog_bind_text(&parameters, name);
	rows = sdcpg_catalog_read(
		"SELECT h.kind, h.params, h.levels FROM sdc.hierarchy AS h"
		" WHERE h.hierarchy OPERATOR(pg_catalog.=) $1",
		&parameters);
	if (rows->count == 0)
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_OBJECT),
				 errmsg("hierarchy \"%s\" does not exist", name),
				 errhint("The table sdc.hierarchy lists the hierarchies of "
						 "this database.")));
	return rows->value[0];
}

int
sdcpg_hierarchy_height(const char *name)
{
	return DatumGetInt32(read_head(name)[2]) - 1;
}

SdcHierarchyRule *
sdcpg_hierarchy_find(const char *name)
{
	SdcHierarchyRule *rule = palloc0(sizeof(SdcHierarchyRule));
	Datum *head = read_head(name);

	rule->name = pstrdup(name);
	rule->kind = sdcpg_hierarchy_kind(TextDatumGetCString(head[0]));
	if (rule->kind->build == NULL)
		rule->kind->parse(rule, DatumGetJsonbP(head[1]));
	else
	{
		rule->levels = DatumGetInt32(head[2]);
		rule->detail = read_table(name, rule->levels);
	}
	return rule;
}

int
sdcpg_hierarchy_levels(const SdcHierarchyRule *rule)
{
	return rule->levels;
}

void
sdcpg_hierarchy_need_level(const SdcHierarchyRule *rule, int32 level)
{
	if (level < 0 || level >= rule->levels)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("hierarchy \"%s\" has no level %d", rule->name, level),
				 errdetail("Its levels are 0 to %d.", rule->levels - 1)));
}

void
sdcpg_hierarchy_input(const SdcHierarchyRule *rule, SdcHierarchyInput *input,
					  Oid type, MemoryContext context)
{
	Oid output;
	bool varlena;

	input->type = type;
	input->base = getBaseType(type);
	getTypeOutputInfo(input->base, &output, &varlena);
	fmgr_info_cxt(output, &input->output, context);
	if (rule != NULL && rule->kind->accepts != NULL &&
		!rule->kind->accepts(input->base))
		ereport(ERROR,
				(errcode(ERRCODE_DATATYPE_MISMATCH),
				 errmsg("hierarchy \"%s\" cannot read values of type %s",
						rule->name, format_type_be(type)),
				 errdetail("Hierarchies of kind \"%s\" read %s.",
						   rule->kind->name, rule->kind->reads)));
}

static void
append_timestamp(Timestamp timestamp, bool zoned, StringInfo text)
{
	struct pg_tm tm;
	fsec_t fraction;
	int zone = 0;
	const char *zone_name = NULL;
	char iso[MAXDATELEN + 1];

	if (timestamp2tm(timestamp, zoned ? &zone : NULL, &tm, &fraction,
					 zoned ? &zone_name : NULL, NULL) != 0)
		ereport(ERROR, (errcode(ERRCODE_DATETIME_VALUE_OUT_OF_RANGE),
						errmsg("timestamp out of range")));
	EncodeDateTime(&tm, fraction, zoned, zone, zone_name, USE_ISO_DATES, iso);
	appendStringInfoString(text, iso);
}

static void
append_date(DateADT date, StringInfo text)
{
	struct pg_tm tm;
	char iso[MAXDATELEN + 1];

	memset(&tm, 0, sizeof(tm));
	j2date(date + POSTGRES_EPOCH_JDATE, &tm.tm_year, &tm.tm_mon, &tm.tm_mday);
	EncodeDateOnly(&tm, USE_ISO_DATES, iso);
	appendStringInfoString(text, iso);
}

static void
append_bytes(Datum value, bool padded, StringInfo text)
{
	struct varlena *packed = PG_DETOAST_DATUM_PACKED(value);
	const char *bytes = VARDATA_ANY(packed);
	int length = VARSIZE_ANY_EXHDR(packed);

	while (padded && length > 0 && bytes[length - 1] == ' ')
		length--;
	appendBinaryStringInfo(text, bytes, length);
	if ((void *) packed != DatumGetPointer(value))
		pfree(packed);
}

/* No setting of the session has a part in it but the time zone. */
void
sdcpg_hierarchy_append_text(SdcHierarchyInput *input, Datum value,
							StringInfo text)
{
	char *output;

	if (input->base == TEXTOID || input->base == VARCHAROID ||
		input->base == BPCHAROID)
		append_bytes(value, input->base == BPCHAROID, text);
	else if (input->base == DATEOID &&
			 !DATE_NOT_FINITE(DatumGetDateADT(value)))
		append_date(DatumGetDateADT(value), text);
	else if ((input->base == TIMESTAMPOID || input->base == TIMESTAMPTZOID) &&
			 !TIMESTAMP_NOT_FINITE(DatumGetTimestamp(value)))
		append_timestamp(DatumGetTimestamp(value),
						 input->base == TIMESTAMPTZOID, text);
	else
	{
		output = OutputFunctionCall(&input->output, value);
		appendStringInfoString(text, output);
		pfree(output);
	}
}

bool
sdcpg_hierarchy_is_number(Oid base)
{
	return base == INT2OID || base == INT4OID || base == INT8OID ||
		   base == FLOAT4OID || base == FLOAT8OID || base == NUMERICOID;
}

double
sdcpg_hierarchy_number(const SdcHierarchyInput *input, Datum value)
{
	double number;
	char *decimal;

	if (input->base != FLOAT4OID)
		return sdcpg_number(input->base, value);
	/* 0.7 as float4 is a little less than 0.7 as float8 */
	decimal = DatumGetCString(DirectFunctionCall1(float4out, value));
	number = strtod(decimal, NULL);
	pfree(decimal);
	return number;
}

bool
sdcpg_hierarchy_label(const SdcHierarchyRule *rule, SdcHierarchyInput *input,
					  Datum value, int level, StringInfo label)
{
	const SdcHierarchyKind *kind = rule->kind;

	resetStringInfo(label);
	if (kind->build != NULL || level < rule->levels - 1)
		return kind->label(rule, input, value, level, label);
	if (!kind->label(rule, input, value, 0, label))
		return false;
	resetStringInfo(label);
	appendStringInfoChar(label, '*');
	return true;
}

void
sdcpg_hierarchy_missing(const SdcHierarchyRule *rule, int64 position)
{
	if (position == 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("a value has no rule in hierarchy \"%s\"", rule->name),
				 errhint("To find it in a column call sdc.check_hierarchy.")));
	ereport(
		ERROR,
		(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
		 errmsg("the value at position " INT64_FORMAT
				" has no rule in hierarchy \"%s\"",
				position, rule->name),
		 errhint("Positions count the different values of the column in "
				 "ascending order: SELECT DISTINCT column FROM relation "
				 "ORDER BY column OFFSET " INT64_FORMAT " LIMIT 1 shows it.",
				 position - 1)));
}
