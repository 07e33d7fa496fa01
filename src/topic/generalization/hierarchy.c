/*
 * hierarchy.c
 *		Hierarchies of generalizations: found by name, asked for labels.
 *
 * Everybody may read sdc's tables of hierarchies, so they are read as the
 * caller.  A table of values is kept in the session until hierarchies change;
 * each query asks which row of sdc.hierarchy it means.
 */
#include "postgres.h"

#include <math.h>

#include "catalog/namespace.h"
#include "catalog/pg_type.h"
#include "common/hashfn.h"
#include "fmgr.h"
#include "lib/stringinfo.h"
#include "miscadmin.h"
#include "utils/acl.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/date.h"
#include "utils/datetime.h"
#include "utils/fmgroids.h"
#include "utils/fmgrprotos.h"
#include "utils/inval.h"
#include "utils/jsonb.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/numeric.h"
#include "utils/timestamp.h"

#include "host/call/catalog.h"
#include "host/call/params.h"
#include "host/call/relation.h"
#include "host/data/column.h"
#include "host/data/frequency.h"
#include "host/server/compat.h"
#include "host/server/host.h"
#include "host/server/result.h"
#include "kernel/base/table.h"
#include "kernel/table/frequency.h"
#include "topic/generalization/hierarchy.h"
#include "topic/generalization/hierarchy_kind.h"

static const SdcHierarchyKind *hierarchy_kind(const char *name);
static void hierarchy_invalidate(void);

/* ----------------------------------------------------------------------
 * Hierarchies are created and dropped: sdc's own tables are written.
 *
 * All checks come first, so that what is stored can be read back.  The owner
 * is stored by name, not as a role: a dump must load where the role is gone.
 * ----------------------------------------------------------------------
 */

static void
check_name(const char *name)
{
	if (name[0] == '\0' || strlen(name) >= NAMEDATALEN)
		ereport(ERROR, (errcode(ERRCODE_INVALID_NAME),
						errmsg("the name of a hierarchy must have 1 to %d "
							   "bytes",
							   NAMEDATALEN - 1)));
}

/* The rows of a table as text[] whose elements are text[] written out. */
static Datum
table_rows(const SdcHierarchyTable *table)
{
	Datum *row = MemoryContextAllocHuge(CurrentMemoryContext,
										sizeof(Datum) * table->rows);
	Datum label[SDC_HIERARCHY_MAX_LEVELS];
	int32 i;
	int level;

	for (i = 0; i < table->rows; i++)
	{
		ArrayType *labels;

		CHECK_FOR_INTERRUPTS();
		for (level = 0; level < table->levels; level++)
			label[level] = CStringGetTextDatum(
				sdcpg_hierarchy_table_text(table, i, level));
		labels = construct_array(label, table->levels, TEXTOID, -1, false,
								 TYPALIGN_INT);
		row[i] = CStringGetTextDatum(
			OidOutputFunctionCall(F_ARRAY_OUT, PointerGetDatum(labels)));
	}
	return PointerGetDatum(
		construct_array(row, table->rows, TEXTOID, -1, false, TYPALIGN_INT));
}

static void
store_table(const char *name, const SdcHierarchyTable *table)
{
	SdcCatalogParameters parameters = {0};

	sdcpg_catalog_bind_text(&parameters, name);
	sdcpg_catalog_bind(&parameters, TEXTARRAYOID, table_rows(table), false);
	sdcpg_catalog_write(
		"hierarchy_value",
		"INSERT INTO sdc.hierarchy_value (hierarchy, place, levels)"
		" SELECT $1, o.place, CAST(o.line AS pg_catalog.text[])"
		" FROM ROWS FROM (pg_catalog.unnest($2)) WITH ORDINALITY"
		" AS o (line, place)",
		&parameters);
}

/* The params that are kept: rows are in the table. */
static Jsonb *
kept_params(const SdcHierarchyKind *kind, Jsonb *params)
{
	if (kind->build != NULL && sdcpg_hierarchy_value(params, "rows") != NULL)
		return DatumGetJsonbP(
			DirectFunctionCall1(jsonb_in, CStringGetDatum("{}")));
	return params;
}

static void
store_rule(const SdcHierarchyKind *kind, const char *name, Jsonb *params,
		   int levels)
{
	SdcCatalogParameters parameters = {0};

	sdcpg_catalog_bind_text(&parameters, name);
	sdcpg_catalog_bind_text(&parameters, kind->name);
	sdcpg_catalog_bind(&parameters, JSONBOID,
					   JsonbPGetDatum(kept_params(kind, params)), false);
	sdcpg_catalog_bind(&parameters, INT4OID, Int32GetDatum(levels), false);
	sdcpg_catalog_bind(
		&parameters, NAMEOID,
		DirectFunctionCall1(
			namein, CStringGetDatum(GetUserNameFromId(GetUserId(), false))),
		false);
	if (sdcpg_catalog_write(
			"hierarchy",
			"INSERT INTO sdc.hierarchy (hierarchy, kind, params, levels, "
			"owner) VALUES ($1, $2, $3, $4, $5)"
			" ON CONFLICT (hierarchy) DO NOTHING",
			&parameters) == 0)
		ereport(ERROR, (errcode(ERRCODE_DUPLICATE_OBJECT),
						errmsg("hierarchy \"%s\" already exists", name),
						errhint("Drop it first with sdc.drop_hierarchy.")));
}

/* Workers have the same hierarchies. */
static void
mirror(const char *name)
{
	sdcpg_workers_mirror("hierarchy", "hierarchy", name);
	sdcpg_workers_mirror("hierarchy_value", "hierarchy", name);
}

/*
 * Creates a hierarchy that the caller owns.  An unknown kind, keys of params
 * that the kind does not know, an empty hierarchy and levels that do not nest
 * stop with an error, as does a name that is taken.
 */
static void
hierarchy_create(SdcPgHost *host, const char *name, const char *word,
				 Jsonb *params)
{
	MemoryContext caller = MemoryContextSwitchTo(host->work);
	const SdcHierarchyKind *kind = hierarchy_kind(word);
	SdcHierarchyRule rule = {kind, (char *) name, 0, NULL};
	SdcHierarchyTable *table = NULL;

	sdcpg_need_coordinator("create a hierarchy");
	check_name(name);
	sdcpg_params_check(params, kind->keys);
	if (kind->build == NULL)
		kind->parse(&rule, params);
	else
	{
		table = kind->build(host, params);
		sdcpg_hierarchy_table_check(host, table);
		rule.levels = table->levels;
	}
	hierarchy_invalidate();
	store_rule(kind, name, params, rule.levels);
	if (table != NULL)
		store_table(name, table);
	mirror(name);
	MemoryContextSwitchTo(caller);
}

/* Deletes a hierarchy that this role owns, and its values. */
static void
delete_rows(const char *name, Datum owner)
{
	SdcCatalogParameters parameters = {0};

	sdcpg_catalog_bind_text(&parameters, name);
	sdcpg_catalog_bind(&parameters, NAMEOID, owner, false);
	if (sdcpg_catalog_write("hierarchy",
							"DELETE FROM sdc.hierarchy AS h"
							" WHERE h.hierarchy OPERATOR(pg_catalog.=) $1"
							" AND h.owner OPERATOR(pg_catalog.=) $2",
							&parameters) == 0)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_IN_USE),
				 errmsg("hierarchy \"%s\" was changed meanwhile", name)));
	parameters.count = 1;
	sdcpg_catalog_write("hierarchy_value",
						"DELETE FROM sdc.hierarchy_value AS v"
						" WHERE v.hierarchy OPERATOR(pg_catalog.=) $1",
						&parameters);
}

/* Drops a hierarchy; stops unless the caller owns it or is a superuser. */
static void
hierarchy_drop(const char *name)
{
	SdcCatalogParameters parameters = {0};
	SdcCatalogRows *rows;

	sdcpg_need_coordinator("drop a hierarchy");
	sdcpg_catalog_bind_text(&parameters, name);
	rows = sdcpg_catalog_read("SELECT h.owner FROM sdc.hierarchy AS h"
							  " WHERE h.hierarchy OPERATOR(pg_catalog.=) $1",
							  &parameters);
	if (rows->count == 0)
		ereport(ERROR, (errcode(ERRCODE_UNDEFINED_OBJECT),
						errmsg("hierarchy \"%s\" does not exist", name)));
	if (!sdcpg_catalog_has_rights_of(
			NameStr(*DatumGetName(rows->value[0][0]))))
		ereport(ERROR, (errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
						errmsg("must be owner of hierarchy \"%s\"", name)));
	hierarchy_invalidate();
	delete_rows(name, rows->value[0][0]);
	mirror(name);
}

/* ----------------------------------------------------------------------
 * Texts and their numbers.
 * ----------------------------------------------------------------------
 */

#define FIRST_ROOM 16

/* Texts lie one behind the other in blocks. */
#define FIRST_BLOCK 1024
#define MOST_BLOCK  ((Size) 256 * 1024)

struct SdcHierarchyNames
{
	MemoryContext context;
	SdcPgHost *host;
	int32 count;
	int32 room;
	char **text;
	uint32 *hash;
	SdcTable table; /* of numbers */
	char *block;
	Size left;
	Size next_block;
};

static void
count_bytes(SdcHierarchyNames *names, int64 bytes)
{
	if (names->host != NULL)
		sdcpg_host_count(names->host, bytes);
}

static void *
grow_array(SdcHierarchyNames *names, void *array, Size room, Size size)
{
	return array == NULL ? MemoryContextAllocHuge(names->context, room * size)
						 : repalloc_huge(array, room * size);
}

/* Bytes that room for so many texts takes, without the texts. */
static int64
bytes_of_room(int32 room)
{
	return (int64) room * (sizeof(char *) + sizeof(uint32)) +
		   (int64) sdc_table_slots(room) * sizeof(int32);
}

static void
make_room(SdcHierarchyNames *names, int32 room)
{
	int32 number;

	count_bytes(names, bytes_of_room(room) -
						   (names->room > 0 ? bytes_of_room(names->room) : 0));
	names->room = room;
	names->text = grow_array(names, names->text, room, sizeof(char *));
	names->hash = grow_array(names, names->hash, room, sizeof(uint32));
	names->table.slot = grow_array(names, names->table.slot,
								   sdc_table_slots(room), sizeof(int32));
	sdc_table_clear(&names->table, room);
	for (number = 0; number < names->count; number++)
		sdc_table_put(&names->table, sdc_table_hashed(names->hash[number]),
					  number);
}

/* Room for twice as many texts. */
static void
grow(SdcHierarchyNames *names)
{
	if (names->room > PG_INT32_MAX / 4)
		ereport(ERROR, (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
						errmsg("a hierarchy has too many values")));
	make_room(names, names->room * 2);
}

SdcHierarchyNames *
sdcpg_hierarchy_names_new(SdcPgHost *host, int32 texts)
{
	SdcHierarchyNames *names = palloc0(sizeof(SdcHierarchyNames));

	names->context = CurrentMemoryContext;
	names->host = host;
	names->next_block = FIRST_BLOCK;
	make_room(names, Min(Max(texts, FIRST_ROOM), PG_INT32_MAX / 4));
	return names;
}

/* A text that need not end with a zero. */
typedef struct NameKey
{
	const char *text;
	int length;
	uint32 hash;
} NameKey;

static inline bool
is_name(const SdcHierarchyNames *names, int32 number, NameKey key)
{
	return names->hash[number] == key.hash &&
		   strncmp(names->text[number], key.text, key.length) == 0 &&
		   names->text[number][key.length] == '\0';
}

SDC_TABLE_FIND(find_name, const SdcHierarchyNames *, NameKey, is_name);

static int32
find_hashed(const SdcHierarchyNames *names, const char *text, int length,
			uint32 hash)
{
	return *find_name(&names->table, sdc_table_hashed(hash), names,
					  (NameKey){text, length, hash});
}

int32
sdcpg_hierarchy_names_find(const SdcHierarchyNames *names, const char *text,
						   int length)
{
	return find_hashed(names, text, length,
					   hash_bytes((const unsigned char *) text, length));
}

/* Keeps a text, with a zero behind it. */
static char *
keep_text(SdcHierarchyNames *names, const char *text, int length)
{
	Size size = (Size) length + 1;
	char *copy;

	if (size > names->left)
	{
		names->left = Max(size, names->next_block);
		names->next_block = Min(names->next_block * 2, MOST_BLOCK);
		count_bytes(names, names->left);
		names->block = MemoryContextAllocHuge(names->context, names->left);
	}
	copy = names->block;
	memcpy(copy, text, length);
	copy[length] = '\0';
	names->block += size;
	names->left -= size;
	return copy;
}

int32
sdcpg_hierarchy_names_add(SdcHierarchyNames *names, const char *text,
						  int length)
{
	uint32 hash = hash_bytes((const unsigned char *) text, length);
	int32 number = find_hashed(names, text, length, hash);

	if (number >= 0)
		return number;
	if (names->count == names->room)
		grow(names);
	number = names->count++;
	names->text[number] = keep_text(names, text, length);
	names->hash[number] = hash;
	sdc_table_put(&names->table, sdc_table_hashed(hash), number);
	return number;
}

int32
sdcpg_hierarchy_names_count(const SdcHierarchyNames *names)
{
	return names->count;
}

char *
sdcpg_hierarchy_names_text(const SdcHierarchyNames *names, int32 number)
{
	return names->text[number];
}

/* ----------------------------------------------------------------------
 * The lists and numbers that describe a hierarchy in JSON.
 *
 * Errors name the key and the position in its list, never what stands there:
 * it may be a value of the data.
 * ----------------------------------------------------------------------
 */

static void
wrong_item(const char *key, int i, const char *expected)
{
	ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					errmsg("element %d of key \"%s\" in argument \"params\" "
						   "must be %s",
						   i + 1, key, expected)));
}

static void
wrong_value(const char *key, const char *expected)
{
	ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					errmsg("key \"%s\" in argument \"params\" must be %s", key,
						   expected)));
}

JsonbValue *
sdcpg_hierarchy_value(Jsonb *params, const char *key)
{
	JsonbValue name;

	if (params == NULL)
		return NULL;
	name.type = jbvString;
	name.val.string.val = (char *) key;
	name.val.string.len = strlen(key);
	return findJsonbValueFromContainer(&params->root, JB_FOBJECT, &name);
}

static bool
is_list(const JsonbValue *value)
{
	return value->type == jbvBinary &&
		   JsonContainerIsArray(value->val.binary.data);
}

SdcHierarchyList
sdcpg_hierarchy_list(Jsonb *params, const char *key, bool needed)
{
	JsonbValue *value = sdcpg_hierarchy_value(params, key);
	SdcHierarchyList list = {key, 0, NULL};

	if (value != NULL && !is_list(value))
		wrong_value(key, "a list");
	if (value != NULL)
	{
		list.container = value->val.binary.data;
		list.count = JsonContainerSize(list.container);
	}
	if (needed && list.count == 0)
		ereport(
			ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("key \"%s\" in argument \"params\" must be a list with at "
					"least one element",
					key)));
	return list;
}

JsonbValue *
sdcpg_hierarchy_item(const SdcHierarchyList *list, int i)
{
	return getIthJsonbValueFromContainer(list->container, i);
}

SdcHierarchyList
sdcpg_hierarchy_item_list(const SdcHierarchyList *list, int i)
{
	JsonbValue *value = sdcpg_hierarchy_item(list, i);
	SdcHierarchyList inner = {list->key, 0, NULL};

	if (!is_list(value))
		wrong_item(list->key, i, "a list");
	inner.container = value->val.binary.data;
	inner.count = JsonContainerSize(inner.container);
	return inner;
}

static char *
numeric_text(const JsonbValue *value)
{
	return DatumGetCString(
		DirectFunctionCall1(numeric_out, NumericGetDatum(value->val.numeric)));
}

char *
sdcpg_hierarchy_item_text(const SdcHierarchyList *list, int i)
{
	JsonbValue *value = sdcpg_hierarchy_item(list, i);

	if (value->type == jbvString)
		return pnstrdup(value->val.string.val, value->val.string.len);
	if (value->type == jbvNumeric)
		return numeric_text(value);
	if (value->type != jbvNull)
		wrong_item(list->key, i, "a string or a number");
	return NULL;
}

static double
decimal_number(const char *decimal)
{
	return strtod(decimal, NULL);
}

int
sdcpg_hierarchy_item_integer(const SdcHierarchyList *list, int i, int low,
							 int high)
{
	double number = decimal_number(sdcpg_hierarchy_item_decimal(list, i));

	if (number != rint(number) || number < low || number > high)
		wrong_item(list->key, i,
				   psprintf("a whole number between %d and %d", low, high));
	return (int) number;
}

/* 30.0 is 30, and 0.50 is 0.5. */
static char *
shorten_decimal(char *decimal)
{
	char *end = decimal + strlen(decimal);

	if (strchr(decimal, '.') == NULL)
		return decimal;
	while (end[-1] == '0')
		end--;
	if (end[-1] == '.')
		end--;
	*end = '\0';
	return strcmp(decimal, "-0") == 0 ? decimal + 1 : decimal;
}

char *
sdcpg_hierarchy_item_decimal(const SdcHierarchyList *list, int i)
{
	JsonbValue *value = sdcpg_hierarchy_item(list, i);
	char *decimal = NULL;

	if (value->type == jbvNumeric)
		decimal = shorten_decimal(numeric_text(value));
	if (decimal == NULL || !isfinite(decimal_number(decimal)))
		wrong_item(list->key, i, "a number");
	return decimal;
}

char *
sdcpg_hierarchy_decimal(Jsonb *params, const char *key)
{
	JsonbValue *value = sdcpg_hierarchy_value(params, key);
	char *decimal = NULL;

	if (value == NULL || value->type == jbvNull)
		return NULL;
	if (value->type == jbvNumeric)
		decimal = shorten_decimal(numeric_text(value));
	if (decimal == NULL || !isfinite(decimal_number(decimal)))
		wrong_value(key, "a number");
	return decimal;
}

bool
sdcpg_hierarchy_read_domain(Jsonb *params, double *domain)
{
	SdcHierarchyList list = sdcpg_hierarchy_list(params, "domain", false);
	int i;

	if (list.container == NULL)
		return false;
	if (list.count != 2)
		wrong_value("domain", "a list of two numbers");
	for (i = 0; i < 2; i++)
		domain[i] = decimal_number(sdcpg_hierarchy_item_decimal(&list, i));
	if (!(domain[0] < domain[1]))
		wrong_value("domain", "a smaller and a larger number");
	return true;
}

void
sdcpg_hierarchy_check_levels(int levels)
{
	if (levels > SDC_HIERARCHY_MAX_LEVELS)
		ereport(ERROR, (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
						errmsg("a hierarchy can have at most %d levels",
							   SDC_HIERARCHY_MAX_LEVELS)));
}

void
sdcpg_hierarchy_not_nested(const char *key, int i, const char *detail)
{
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("levels of the hierarchy do not nest"),
			 errdetail("Element %d of key \"%s\" in argument \"params\" %s.",
					   i + 1, key, detail)));
}

/* ----------------------------------------------------------------------
 * Hierarchies of generalizations: found by name, asked for labels.
 * ----------------------------------------------------------------------
 */

static const SdcHierarchyKind *const kinds[] = {
	&sdcpg_hierarchy_table,    &sdcpg_hierarchy_prefix,
	&sdcpg_hierarchy_interval, &sdcpg_hierarchy_numeric,
	&sdcpg_hierarchy_order,    &sdcpg_hierarchy_date,
	&sdcpg_hierarchy_network,  NULL};

/* The kind of that name; any other name stops. */
static const SdcHierarchyKind *
hierarchy_kind(const char *name)
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
/* Tells all sessions that hierarchies change, once the change is visible. */
static void
hierarchy_invalidate(void)
{
	CacheInvalidateRelcacheByRelid(hierarchy_table_oid());
}

/*
 * A number that changes when hierarchies were created or dropped, by any
 * session, since the last call: what was found before may be out of date.
 */
static uint64
hierarchy_generation(void)
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

/* Rows that are read at a time. */
#define READ_ROWS 10000

/* Reads the rows behind a place; how many there were. */
static int64
read_rows(SdcHierarchyTable *table, const char *name, int32 place)
{
	SdcCatalogParameters *parameters = palloc0(sizeof(SdcCatalogParameters));
	SdcCatalogRows *rows;
	int64 i;

	sdcpg_catalog_bind_text(parameters, name);
	sdcpg_catalog_bind(parameters, INT4OID, Int32GetDatum(place), false);
	sdcpg_catalog_bind(parameters, INT4OID, Int32GetDatum(place + READ_ROWS),
					   false);
	rows = sdcpg_catalog_read(
		"SELECT v.levels FROM sdc.hierarchy_value AS v"
		" WHERE v.hierarchy OPERATOR(pg_catalog.=) $1"
		" AND v.place OPERATOR(pg_catalog.>) $2"
		" AND v.place OPERATOR(pg_catalog.<=) $3 ORDER BY v.place",
		parameters);
	for (i = 0; i < rows->count; i++)
	{
		CHECK_FOR_INTERRUPTS();
		add_stored(table, name, rows->value[i][0]);
	}
	return rows->count;
}

/* Bytes of tables that are kept, at most. */
#define KEPT_BYTES ((Size) 128 * 1024 * 1024)

/* How many rows were stored. */
static int32
stored_rows(const char *name)
{
	SdcCatalogParameters *parameters = palloc0(sizeof(SdcCatalogParameters));
	SdcCatalogRows *rows;

	sdcpg_catalog_bind_text(parameters, name);
	rows = sdcpg_catalog_read("SELECT pg_catalog.max(v.place)"
							  " FROM sdc.hierarchy_value AS v"
							  " WHERE v.hierarchy OPERATOR(pg_catalog.=) $1",
							  parameters);
	return rows->isnull[0][0] ? 0 : DatumGetInt32(rows->value[0][0]);
}

/*
 * The table of a hierarchy as it was stored: places are 1, 2, ...  It is kept,
 * so there is room for all rows from the beginning: arrays that grow leave
 * holes behind, of half their size.
 */
static SdcHierarchyTable *
read_table(const char *name, int levels)
{
	int32 rows = stored_rows(name);
	bool is_kept = rows < KEPT_BYTES / (levels * sizeof(int32));
	SdcHierarchyTable *table =
		sdcpg_hierarchy_table_new(NULL, levels, is_kept ? rows : 0);
	MemoryContext scratch = AllocSetContextCreate(
		CurrentMemoryContext, "sdc reading", ALLOCSET_DEFAULT_SIZES);
	MemoryContext caller = MemoryContextSwitchTo(scratch);
	int32 place = 0;

	while (read_rows(table, name, place) == READ_ROWS &&
		   place < PG_INT32_MAX - 2 * READ_ROWS)
	{
		place += READ_ROWS;
		MemoryContextReset(scratch);
	}
	MemoryContextSwitchTo(caller);
	MemoryContextDelete(scratch);
	return table;
}

/* Kind, params and number of levels, as stored, and which row it is. */
static Datum *
read_head(const char *name)
{
	SdcCatalogParameters parameters = {0};
	SdcCatalogRows *rows;

	watched = hierarchy_table_oid();
	sdcpg_catalog_bind_text(&parameters, name);
	rows =
		sdcpg_catalog_read("SELECT h.kind, h.params, h.levels, h.ctid, h.xmin"
						   " FROM sdc.hierarchy AS h"
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

/* ----------------------------------------------------------------------
 * Tables of values that the session keeps.
 *
 * A table is kept with the row of sdc.hierarchy that it belongs to: that row
 * is never updated, so whoever sees the same row means the same table,
 * whatever snapshot he has.  A change of any hierarchy makes all of them
 * stale.  A table that is used lies still until the last user's memory goes.
 * ----------------------------------------------------------------------
 */

typedef struct Kept
{
	struct Kept *next;
	MemoryContext context; /* holds all of it */
	char *name;
	ItemPointerData row;
	TransactionId made;
	uint64 generation;
	SdcHierarchyTable *table;
	Size bytes;
	int users;
} Kept;

/* The one used last comes first. */
static Kept *kept;

/*
 * Forgets tables that nobody uses: those that are stale, and of the others
 * what is too much.
 */
static void
forget_tables(void)
{
	Kept **at = &kept;
	Size bytes = 0;

	while (*at != NULL)
	{
		Kept *table = *at;

		bytes += table->bytes;
		if (table->users == 0 &&
			(table->generation != generation || bytes > KEPT_BYTES))
		{
			bytes -= table->bytes;
			*at = table->next;
			MemoryContextDelete(table->context);
		}
		else
			at = &table->next;
	}
}

static void
put_first(Kept *table)
{
	table->next = kept;
	kept = table;
}

/* Takes the table of that row out of the list, or returns NULL. */
static Kept *
take_kept(const char *name, const ItemPointerData *row, TransactionId made)
{
	Kept **at;

	for (at = &kept; *at != NULL; at = &(*at)->next)
	{
		Kept *table = *at;

		if (table->generation == generation && table->made == made &&
			ItemPointerEquals(&table->row, (ItemPointer) row) &&
			strcmp(table->name, name) == 0)
		{
			*at = table->next;
			return table;
		}
	}
	return NULL;
}

/* Reads a table into memory of its own, below that of the caller so far. */
static Kept *
read_kept(const char *name, int levels)
{
	MemoryContext context = AllocSetContextCreate(
		CurrentMemoryContext, "sdc hierarchy", ALLOCSET_DEFAULT_SIZES);
	MemoryContext caller = MemoryContextSwitchTo(context);
	Kept *table = palloc0(sizeof(Kept));

	table->context = context;
	table->name = pstrdup(name);
	table->generation = hierarchy_generation();
	table->table = read_table(name, levels);
	table->bytes = MemoryContextMemAllocated(context, true);
	MemoryContextSwitchTo(caller);
	return table;
}

static void
end_use(void *arg)
{
	Kept *table = arg;

	table->users--;
	forget_tables();
}

/* The table of a hierarchy, as long as the current memory lasts. */
static SdcHierarchyTable *
find_table(const char *name, const Datum *head)
{
	ItemPointer row = (ItemPointer) DatumGetPointer(head[3]);
	TransactionId made = DatumGetTransactionId(head[4]);
	MemoryContextCallback *callback;
	Kept *table = NULL;

	(void) hierarchy_generation();
	/* kept by whoever had the right to read it */
	if (sdcpg_catalog_may_read("hierarchy_value"))
		table = take_kept(name, row, made);
	if (table == NULL)
	{
		table = read_kept(name, DatumGetInt32(head[2]));
		if (table->bytes > KEPT_BYTES)
			return table->table;
		table->row = *row;
		table->made = made;
		MemoryContextSetParent(table->context, TopMemoryContext);
	}
	put_first(table);
	callback = palloc(sizeof(MemoryContextCallback));
	callback->func = end_use;
	callback->arg = table;
	table->users++;
	MemoryContextRegisterResetCallback(CurrentMemoryContext, callback);
	forget_tables();
	return table->table;
}

void
sdcpg_hierarchy_need(const char *name)
{
	(void) read_head(name);
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
	rule->kind = hierarchy_kind(TextDatumGetCString(head[0]));
	if (rule->kind->build == NULL)
		rule->kind->parse(rule, DatumGetJsonbP(head[1]));
	else
	{
		rule->levels = DatumGetInt32(head[2]);
		rule->detail = find_table(name, head);
	}
	return rule;
}

/* Its levels, level 0 counted. */
static int
hierarchy_levels(const SdcHierarchyRule *rule)
{
	return rule->levels;
}

/* Stops unless the hierarchy has that level. */
static void
hierarchy_need_level(const SdcHierarchyRule *rule, int32 level)
{
	if (level < 0 || level >= rule->levels)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("hierarchy \"%s\" has no level %d", rule->name, level),
				 errdetail("Its levels are 0 to %d.", rule->levels - 1)));
}

/* Stops unless hierarchies of its kind read values of the type. */
static void
hierarchy_need_type(const SdcHierarchyRule *rule, Oid type)
{
	if (rule->kind->accepts != NULL && !rule->kind->accepts(getBaseType(type)))
		ereport(ERROR,
				(errcode(ERRCODE_DATATYPE_MISMATCH),
				 errmsg("hierarchy \"%s\" cannot read values of type %s",
						rule->name, format_type_be(type)),
				 errdetail("Hierarchies of kind \"%s\" read %s.",
						   rule->kind->name, rule->kind->reads)));
}

void
sdcpg_hierarchy_need_fit(const char *name, Oid type, int32 level)
{
	Datum *head = read_head(name);
	SdcHierarchyRule rule = {0};

	rule.name = pstrdup(name);
	rule.kind = hierarchy_kind(TextDatumGetCString(head[0]));
	rule.levels = DatumGetInt32(head[2]);
	hierarchy_need_type(&rule, type);
	hierarchy_need_level(&rule, level);
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
	if (rule != NULL)
		hierarchy_need_type(rule, type);
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

/* Is this NaN, or infinite, or beyond float8? */
static bool
is_unusual(const SdcHierarchyInput *input, Datum value)
{
	if (sdcpg_hierarchy_is_number(input->base))
		return !isfinite(sdcpg_hierarchy_number(input, value));
	if (input->base == DATEOID)
		return DATE_NOT_FINITE(DatumGetDateADT(value));
	return (input->base == TIMESTAMPOID || input->base == TIMESTAMPTZOID) &&
		   TIMESTAMP_NOT_FINITE(DatumGetTimestamp(value));
}

/*
 * The label below the root.  What is not finite and belongs to no interval has
 * a leaf of its own, right below the root: its text is its label there.
 */
static bool
label_below(const SdcHierarchyRule *rule, SdcHierarchyInput *input,
			Datum value, int level, StringInfo label)
{
	if (rule->kind->label(rule, input, value, level, label))
		return true;
	if (rule->kind->range == NULL || !is_unusual(input, value))
		return false;
	resetStringInfo(label);
	sdcpg_hierarchy_append_text(input, value, label);
	return true;
}

bool
sdcpg_hierarchy_label(const SdcHierarchyRule *rule, SdcHierarchyInput *input,
					  Datum value, int level, StringInfo label)
{
	const SdcHierarchyKind *kind = rule->kind;

	resetStringInfo(label);
	if (kind->build != NULL || level < rule->levels - 1)
		return label_below(rule, input, value, level, label);
	if (!label_below(rule, input, value, 0, label))
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

/* ----------------------------------------------------------------------
 * sdc.create_hierarchy, generalize and what else hierarchies need.
 * ----------------------------------------------------------------------
 */

PG_FUNCTION_INFO_V1(sdcf_create_hierarchy);
PG_FUNCTION_INFO_V1(sdcf_drop_hierarchy);
PG_FUNCTION_INFO_V1(sdcf_generalize);
PG_FUNCTION_INFO_V1(sdcf_hierarchy_height);
PG_FUNCTION_INFO_V1(sdcf_hierarchy_levels);
PG_FUNCTION_INFO_V1(sdcf_check_hierarchy);

/* create_hierarchy(hierarchy text, kind text, params jsonb) */
Datum
sdcf_create_hierarchy(PG_FUNCTION_ARGS)
{
	char *name = sdcpg_args_text(fcinfo, 0);
	char *kind = sdcpg_args_text(fcinfo, 1);
	SdcPgHost *host;

	sdcpg_args_need(fcinfo, 2);
	host = sdcpg_host_begin("create_hierarchy", CurrentMemoryContext);
	hierarchy_create(host, name, kind, PG_GETARG_JSONB_P(2));
	sdcpg_host_end(host);
	PG_RETURN_VOID();
}

/* drop_hierarchy(hierarchy text) */
Datum
sdcf_drop_hierarchy(PG_FUNCTION_ARGS)
{
	hierarchy_drop(sdcpg_args_text(fcinfo, 0));
	PG_RETURN_VOID();
}

/* What a call of generalize keeps for the next one of the same query. */
typedef struct Generalizer
{
	MemoryContext context;
	text *name;
	uint64 generation;
	SdcHierarchyRule *rule;
	SdcHierarchyInput input;
	StringInfoData label;
} Generalizer;

static bool
same_text(const text *a, const text *b)
{
	return VARSIZE_ANY_EXHDR(a) == VARSIZE_ANY_EXHDR(b) &&
		   memcmp(VARDATA_ANY(a), VARDATA_ANY(b), VARSIZE_ANY_EXHDR(a)) == 0;
}

static Generalizer *
begin_generalizer(FunctionCallInfo fcinfo, const text *name)
{
	FmgrInfo *function = fcinfo->flinfo;
	MemoryContext context = AllocSetContextCreate(
		function->fn_mcxt, "sdc hierarchy", ALLOCSET_DEFAULT_SIZES);
	MemoryContext caller = MemoryContextSwitchTo(context);
	Generalizer *generalizer = palloc(sizeof(Generalizer));

	generalizer->context = context;
	generalizer->name =
		cstring_to_text_with_len(VARDATA_ANY(name), VARSIZE_ANY_EXHDR(name));
	generalizer->generation = hierarchy_generation();
	generalizer->rule = sdcpg_hierarchy_find(text_to_cstring(name));
	sdcpg_hierarchy_input(generalizer->rule, &generalizer->input,
						  get_fn_expr_argtype(function, 0), context);
	initStringInfo(&generalizer->label);
	MemoryContextSwitchTo(caller);
	return generalizer;
}

/* generalize(value anyelement, hierarchy text, level integer) */
Datum
sdcf_generalize(PG_FUNCTION_ARGS)
{
	const text *name = PG_GETARG_TEXT_PP(1);
	int32 level = PG_GETARG_INT32(2);
	Generalizer *generalizer = fcinfo->flinfo->fn_extra;

	if (generalizer == NULL || !same_text(generalizer->name, name) ||
		generalizer->generation != hierarchy_generation())
	{
		fcinfo->flinfo->fn_extra = NULL;
		if (generalizer != NULL)
			MemoryContextDelete(generalizer->context);
		generalizer = begin_generalizer(fcinfo, name);
		fcinfo->flinfo->fn_extra = generalizer;
	}
	hierarchy_need_level(generalizer->rule, level);
	if (!sdcpg_hierarchy_label(generalizer->rule, &generalizer->input,
							   PG_GETARG_DATUM(0), level, &generalizer->label))
		sdcpg_hierarchy_missing(generalizer->rule, 0);
	PG_RETURN_TEXT_P(cstring_to_text_with_len(generalizer->label.data,
											  generalizer->label.len));
}

/* hierarchy_height(hierarchy text) */
Datum
sdcf_hierarchy_height(PG_FUNCTION_ARGS)
{
	char *name = text_to_cstring(PG_GETARG_TEXT_PP(0));

	PG_RETURN_INT32(sdcpg_hierarchy_height(name));
}

/* hierarchy_levels(value anyelement, hierarchy text) */
Datum
sdcf_hierarchy_levels(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *result = sdcpg_result_begin(fcinfo);
	SdcHierarchyRule *rule =
		sdcpg_hierarchy_find(text_to_cstring(PG_GETARG_TEXT_PP(1)));
	SdcHierarchyInput input;
	StringInfoData label;
	int level;

	initStringInfo(&label);
	sdcpg_hierarchy_input(rule, &input, get_fn_expr_argtype(fcinfo->flinfo, 0),
						  CurrentMemoryContext);
	for (level = 0; level < hierarchy_levels(rule); level++)
	{
		bool isnull[2] = {false, false};
		Datum values[2];

		if (!sdcpg_hierarchy_label(rule, &input, PG_GETARG_DATUM(0), level,
								   &label))
			sdcpg_hierarchy_missing(rule, 0);
		values[0] = Int32GetDatum(level);
		values[1] = CStringGetTextDatum(label.data);
		sdcpg_result_put(result, values, isnull);
	}
	return (Datum) 0;
}

/* Groups on a level, and the mean share of the domain that they have. */
static void
put_level(ReturnSetInfo *result, const SdcFrequency *frequency,
		  const SdcHierarchyMap *map, int level)
{
	const char *subject = psprintf("level %d", level);
	int32 groups = map->groups->groups[level];
	int64 records = 0;
	double share = 0;
	int32 cell;

	sdcpg_result_measure(result, "groups", subject, groups, false,
						 psprintf("The values form %d %s on level %d.", groups,
								  groups == 1 ? "group" : "groups", level));
	for (cell = 0; cell < frequency->cells; cell++)
	{
		int32 value = frequency->code[0][cell];

		if (value == SDC_CODE_NULL)
			continue;
		records += frequency->count[cell];
		share += frequency->count[cell] *
				 map->share[level][map->groups->group[level][value]];
	}
	share /= records;
	sdcpg_result_measure(
		result, "share", subject, share, records == 0,
		records == 0 ? "There are no values."
					 : psprintf("A value of level %d stands for %.2f %% of "
								"the domain in the mean of the records.",
								level, 100 * share));
}

/* check_hierarchy(relation regclass, column_name name, hierarchy text) */
Datum
sdcf_check_hierarchy(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *result = sdcpg_result_begin(fcinfo);
	SdcFrequencyRequest request = {0};
	SdcFrequencyTable table;
	SdcHierarchyMap *map;
	SdcPgHost *host;
	char *name;
	int level;

	sdcpg_args_need_first(fcinfo, 2);
	name = sdcpg_args_text(fcinfo, 2);
	request.relation = sdcpg_relation_find(PG_GETARG_OID(0));
	sdcpg_frequency_want_one(
		&request,
		sdcpg_relation_column(request.relation, NameStr(*PG_GETARG_NAME(1))));
	host = sdcpg_host_begin("check_hierarchy", CurrentMemoryContext);
	sdcpg_frequency_load(host, &request, 1, &table);
	map = sdcpg_hierarchy_load(host, name, table.dictionary[0]);
	for (level = 0; level < map->groups->levels; level++)
		put_level(result, table.frequency, map, level);
	sdcpg_host_end(host);
	return (Datum) 0;
}
