/*
 * purchases.c
 *		Tables of purchases: which column is what, and queries that read them
 *		under fixed names.
 *
 * Each table becomes a WITH of its own, so that the queries of the measures
 * are constants; only names of relations and columns vary, and they are
 * looked up and quoted first.  Events of persons are read here, too, for who
 * attacks them.
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "lib/stringinfo.h"
#include "mb/pg_wchar.h"
#include "utils/builtins.h"
#include "utils/date.h"
#include "utils/datetime.h"
#include "utils/fmgrprotos.h"
#include "utils/json.h"
#include "utils/jsonb.h"
#include "utils/lsyscache.h"

#include "host/call/params.h"
#include "host/call/query.h"
#include "host/call/relation.h"
#include "host/data/column.h"
#include "host/server/compat.h"
#include "kernel/base/host.h"
#include "kernel/base/sort.h"
#include "kernel/table/frequency.h"
#include "topic/registry/roles.h"
#include "topic/transaction/purchases.h"

/* What a mapping can name; the first ones are those of SdcPurchaseColumn. */
static const char *const parts[] = {"customer", "invoice",  "at",     "item",
									"price",    "quantity", "amount", "masked",
									"original", NULL};

pg_noreturn static void
refuse_mapping(const char *fault)
{
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("argument \"mapping\" %s", fault),
			 errhint("Valid keys are \"customer\", \"invoice\", \"at\", "
					 "\"item\", \"price\", \"quantity\", \"amount\", "
					 "\"masked\" and \"original\"; their values are names of "
					 "columns.")));
}

static bool
is_part(const JsonbValue *key)
{
	int i;

	for (i = 0; parts[i] != NULL; i++)
		if (strlen(parts[i]) == key->val.string.len &&
			memcmp(parts[i], key->val.string.val, key->val.string.len) == 0)
			return true;
	return false;
}

static void
check_mapping(Jsonb *mapping)
{
	JsonbIterator *iterator;
	JsonbIteratorToken token;
	JsonbValue value;

	if (mapping == NULL)
		return;
	if (!JB_ROOT_IS_OBJECT(mapping))
		refuse_mapping("must be a JSON object");
	iterator = JsonbIteratorInit(&mapping->root);
	while ((token = JsonbIteratorNext(&iterator, &value, true)) != WJB_DONE)
	{
		if (token == WJB_KEY && !is_part(&value))
			refuse_mapping("has an unrecognized key");
		if (token == WJB_VALUE && value.type != jbvString)
			refuse_mapping("must hold strings only");
	}
}

/* What plays a part by sdc.declare; NULL: nothing. */
static const char *
declared_name(const SdcRoles *declared, SdcRole role)
{
	int i;

	for (i = 0; i < declared->count; i++)
		if (declared->column[i].role == role)
			return declared->column[i].name;
	return NULL;
}

/* Roles, the arguments of sdc.declare that give them, and their parts. */
static const struct
{
	SdcRole role;
	const char *argument;
	SdcPurchaseColumn part;
} declarable[] = {{SDC_ROLE_PERSON, "person", SDC_PURCHASE_CUSTOMER},
				  {SDC_ROLE_TIME, "at", SDC_PURCHASE_AT},
				  {SDC_ROLE_ITEM, "item", SDC_PURCHASE_ITEM},
				  {SDC_ROLE_AMOUNT, "amount", SDC_PURCHASE_AMOUNT}};

Jsonb *
sdcpg_purchases_mapping(Oid relation, Jsonb *mapping)
{
	SdcRoles *declared;
	StringInfoData said;
	Datum read;
	int i;

	check_mapping(mapping);
	if (!OidIsValid(relation))
		return mapping;
	declared = sdcpg_roles_find(relation);
	if (declared_name(declared, SDC_ROLE_PERSON) == NULL)
		return mapping;
	initStringInfo(&said);
	for (i = 0; i < lengthof(declarable); i++)
	{
		const char *name = declared_name(declared, declarable[i].role);

		if (name == NULL)
			continue;
		appendStringInfo(&said, "%s\"%s\": ", said.len == 0 ? "{" : ", ",
						 parts[declarable[i].part]);
		escape_json(&said, name);
	}
	appendStringInfoChar(&said, '}');
	read = DirectFunctionCall1(jsonb_in, CStringGetDatum(said.data));
	if (mapping != NULL)
		read =
			DirectFunctionCall2(jsonb_concat, read, JsonbPGetDatum(mapping));
	return DatumGetJsonbP(read);
}

/* The name of the column that plays a part, by the mapping or by default. */
static const char *
purchases_name(Jsonb *mapping, const char *part)
{
	const char *name = sdcpg_params_text(mapping, part);

	return name == NULL ? part : name;
}

/* Stops because neither a declaration nor the mapping says what is a part. */
pg_noreturn static void
refuse_part(const SdcRelation *relation, SdcPurchaseColumn part)
{
	const char *said = psprintf("mapping => '{\"%s\": \"...\"}'", parts[part]);
	int i;

	for (i = 0; i < lengthof(declarable); i++)
		if (declarable[i].part == part)
			ereport(ERROR,
					(errcode(ERRCODE_UNDEFINED_COLUMN),
					 errmsg("no column of relation \"%s\" is declared as "
							"\"%s\"",
							relation->name, declarable[i].argument),
					 errhint("Name it: sdc.declare(..., %s => '...'), or %s.",
							 declarable[i].argument, said)));
	ereport(ERROR, (errcode(ERRCODE_UNDEFINED_COLUMN),
					errmsg("relation \"%s\" has no column \"%s\"",
						   relation->name, parts[part]),
					errhint("Where it has another name, say so: %s.", said)));
}

/* The column that plays a part, by the mapping or by its own name. */
static SdcRelationColumn
find_part(const SdcRelation *relation, Jsonb *mapping, SdcPurchaseColumn part)
{
	if (!sdcpg_purchases_has(relation, mapping, part))
		refuse_part(relation, part);
	return sdcpg_relation_column(relation,
								 purchases_name(mapping, parts[part]));
}

/* Stops unless a column has a type that its part can have. */
static void
check_type(const SdcRelation *relation, SdcPurchaseColumn part,
		   const SdcRelationColumn *column)
{
	Oid base = column->base;

	if (part >= SDC_PURCHASE_PRICE && !sdcpg_number_is_arithmetic(base))
		ereport(ERROR, (errcode(ERRCODE_DATATYPE_MISMATCH),
						errmsg("column \"%s\" of relation \"%s\" must be a "
							   "number",
							   column->name, relation->name)));
	if (part == SDC_PURCHASE_AT && !sdcpg_time_is(base))
		ereport(ERROR, (errcode(ERRCODE_DATATYPE_MISMATCH),
						errmsg("column \"%s\" of relation \"%s\" must be a "
							   "date or timestamp",
							   column->name, relation->name)));
}

SdcPurchases
sdcpg_purchases_find(Oid oid, Jsonb *mapping, unsigned wanted)
{
	SdcPurchases purchases;
	int i;

	memset(&purchases, 0, sizeof(purchases));
	purchases.relation = sdcpg_relation_find(oid);
	wanted |= SDC_PURCHASE_WANT(SDC_PURCHASE_CUSTOMER);
	purchases.wanted = wanted;
	for (i = 0; i < SDC_PURCHASE_COLUMNS; i++)
	{
		if ((wanted & SDC_PURCHASE_WANT(i)) == 0)
			continue;
		purchases.column[i] =
			find_part(purchases.relation, mapping, (SdcPurchaseColumn) i);
		check_type(purchases.relation, (SdcPurchaseColumn) i,
				   &purchases.column[i]);
	}
	return purchases;
}

bool
sdcpg_purchases_has(const SdcRelation *relation, Jsonb *mapping,
					SdcPurchaseColumn part)
{
	const char *name = sdcpg_params_text(mapping, parts[part]);

	return name != NULL ||
		   get_attnum(relation->oid, parts[part]) != InvalidAttrNumber;
}

/* Appends a column as a text that is ordered by its bytes. */
static void
append_text(StringInfo sql, const SdcRelationColumn *column, const char *name)
{
	appendStringInfo(sql, "%s COLLATE pg_catalog.\"C\" AS %s",
					 sdcpg_query_cast(column, "text"), name);
}

void
sdcpg_purchases_with(StringInfo sql, const char *name,
					 const SdcPurchases *purchases,
					 const SdcRelationColumn *id)
{
	const SdcRelationColumn *column = purchases->column;
	int i;

	appendStringInfo(sql, "%s AS (SELECT ", name);
	append_text(sql, &column[SDC_PURCHASE_CUSTOMER], "customer");
	for (i = SDC_PURCHASE_INVOICE; i < SDC_PURCHASE_COLUMNS; i++)
	{
		if ((purchases->wanted & SDC_PURCHASE_WANT(i)) == 0)
			continue;
		appendStringInfoString(sql, ", ");
		if (i == SDC_PURCHASE_AT)
			appendStringInfo(sql, "%s AS day",
							 sdcpg_query_cast(&column[i], "date"));
		else if (i >= SDC_PURCHASE_PRICE)
			appendStringInfo(sql, "%s AS %s",
							 sdcpg_query_cast(&column[i], "numeric"),
							 parts[i]);
		else
			append_text(sql, &column[i], parts[i]);
	}
	/* days can be later than moments */
	if (purchases->wanted & SDC_PURCHASE_MOMENT)
		appendStringInfo(
			sql,
			", CASE WHEN %s" SDC_LT
			"CAST('290000-01-01' AS pg_catalog.date) THEN %s END AS moment",
			sdcpg_query_cast(&column[SDC_PURCHASE_AT], "date"),
			sdcpg_query_cast(&column[SDC_PURCHASE_AT], "timestamp"));
	if (id != NULL)
	{
		appendStringInfoString(sql, ", ");
		append_text(sql, id, "id");
	}
	appendStringInfo(sql, " FROM %s AS r WHERE r.%s IS NOT NULL)",
					 purchases->relation->sql,
					 column[SDC_PURCHASE_CUSTOMER].sql);
}

void
sdcpg_purchases_link_with(StringInfo sql, const char *name,
						  const SdcRelation *link, Jsonb *mapping)
{
	const char *side[2] = {"masked", "original"};
	SdcRelationColumns all = sdcpg_relation_all_columns(link);
	int i;

	appendStringInfo(sql, "%s AS (SELECT ", name);
	for (i = 0; i < 2; i++)
	{
		const char *named = sdcpg_params_text(mapping, side[i]);
		SdcRelationColumn column;

		if (named == NULL && all.count == 2 &&
			get_attnum(link->oid, side[0]) == InvalidAttrNumber &&
			get_attnum(link->oid, side[1]) == InvalidAttrNumber)
			column = all.column[i];
		else
			column =
				sdcpg_relation_column(link, named == NULL ? side[i] : named);
		if (i > 0)
			appendStringInfoString(sql, ", ");
		append_text(sql, &column, side[i]);
	}
	appendStringInfo(sql, " FROM %s AS r)", link->sql);
}

void
sdcpg_purchases_cells_with(StringInfo sql, const char *name,
						   const SdcRelation *master, Jsonb *mapping,
						   const SdcRelationColumns *columns)
{
	SdcRelationColumn customer =
		sdcpg_relation_column(master, purchases_name(mapping, "customer"));
	int i;

	appendStringInfo(sql, "%s AS (SELECT ", name);
	append_text(sql, &customer, "customer");
	appendStringInfoString(sql, ", CAST(pg_catalog.jsonb_build_array(");
	for (i = 0; i < columns->count; i++)
		appendStringInfo(sql, "%s%s", i > 0 ? ", " : "",
						 sdcpg_query_cast(&columns->column[i], "text"));
	appendStringInfo(sql,
					 ") AS pg_catalog.text) COLLATE pg_catalog.\"C\" AS cell "
					 "FROM %s AS r WHERE r.%s IS NOT NULL)",
					 master->sql, customer.sql);
}

/* ----------------------------------------------------------------------
 * Events as they are read, once for all channels.
 *
 * A query for each side brings the events as codes.  A channel of marks is
 * made of them in memory: the parts of a mark become one number by sorting
 * pairs of numbers, first part by part, so numbers follow the order of the
 * values and depend on nothing else.
 * ----------------------------------------------------------------------
 */

/* Gaps are between a day and so many of those before it. */
#define GAP_DAYS 3

/* ----------------------------------------------------------------------
 * Persons and tables of events.
 * ----------------------------------------------------------------------
 */

void
sdcpg_events_read(SdcEventPersons *persons, SdcEventTable *table, int side,
				  const char *sql, int columns, const SdcFrameType *types)
{
	if (table->dictionary == NULL)
	{
		table->dictionary = palloc0(sizeof(SdcDictionary *) * columns);
		table->rank = palloc0(sizeof(int32 *) * columns);
	}
	table->columns = columns;
	table->dictionary[0] = persons->name[side];
	table->frame[side] = sdcpg_frame_load_codes(persons->host, sql, columns,
												types, table->dictionary);
	persons->name[side] = table->dictionary[0];
}

/* The names of the persons of a side, in their order. */
static void
list_names(SdcEventPersons *persons, int side)
{
	SdcHost *host = &persons->host->kernel;
	SdcFrameColumn *id = &persons->id[side];
	int32 n = sdcpg_dictionary_values(persons->name[side]);
	int32 i;

	memset(id, 0, sizeof(*id));
	id->type = SDC_FRAME_TEXT;
	id->start = sdc_new(host, Size, (Size) n + 1);
	for (i = 0; i < n; i++)
	{
		Datum name = sdcpg_dictionary_value(persons->name[side], i);

		id->start[i] = id->room;
		id->room += VARSIZE_ANY_EXHDR(DatumGetPointer(name)) + 1;
	}
	id->bytes = sdc_new(host, char, id->room + 1);
	for (i = 0; i < n; i++)
	{
		Datum name = sdcpg_dictionary_value(persons->name[side], i);
		Size bytes = VARSIZE_ANY_EXHDR(DatumGetPointer(name));

		if (i % SDC_POLL_STEPS == 0)
			host->poll(host, i, n);
		memcpy(id->bytes + id->start[i], VARDATA_ANY(DatumGetPointer(name)),
			   bytes);
		id->bytes[id->start[i] + bytes] = '\0';
	}
	persons->count[side] = n;
}

void
sdcpg_events_number(SdcEventPersons *persons, const char *link)
{
	SdcFrameType types[2] = {SDC_FRAME_CODE, SDC_FRAME_CODE};
	SdcDictionary *names[2] = {persons->name[SDC_EVENTS_SHOWN],
							   persons->name[SDC_EVENTS_KNOWN]};
	SdcFrame *frame =
		sdcpg_frame_load_codes(persons->host, link, 2, types, names);
	SdcHost *host = &persons->host->kernel;
	int side;
	int32 r;

	persons->name[SDC_EVENTS_SHOWN] = names[0];
	persons->name[SDC_EVENTS_KNOWN] = names[1];
	for (side = 0; side < SDC_EVENTS_SIDES; side++)
	{
		persons->rank[side] = sdcpg_dictionary_sort(persons->name[side]);
		list_names(persons, side);
	}
	persons->partner =
		sdc_new(host, int32, (Size) persons->count[SDC_EVENTS_SHOWN] + 1);
	for (r = 0; r < persons->count[SDC_EVENTS_SHOWN]; r++)
		persons->partner[r] = -1;
	for (r = 0; r < frame->rows; r++)
		if (!frame->column[0].isnull[r] && !frame->column[1].isnull[r])
			persons->partner[persons->rank[SDC_EVENTS_SHOWN]
										  [frame->column[0].code[r]]] =
				persons->rank[SDC_EVENTS_KNOWN][frame->column[1].code[r]];
	sdcpg_frame_release(frame);
}

/* ----------------------------------------------------------------------
 * Marks.
 * ----------------------------------------------------------------------
 */

/* Marks while they are made: of which persons, and what so far. */
typedef struct Marks
{
	SdcPgHost *host;
	int64 rows[SDC_EVENTS_SIDES];
	int32 *person; /* of the rows of both sides */
	int32 *mark;   /* -1: none */
	int32 marks;
} Marks;

static void
poll_at(SdcHost *host, int64 done, int64 total)
{
	if (done % SDC_POLL_STEPS == 0)
		host->poll(host, done, total);
}

/* Numbers the starts of the values of a sorted dictionary of texts. */
static int32 *
number_starts(SdcPgHost *host, SdcDictionary *dictionary)
{
	int32 n = sdcpg_dictionary_values(dictionary);
	int32 *start = sdc_new(&host->kernel, int32, (Size) n + 1);
	char *before = NULL;
	int before_bytes = 0;
	int32 number = -1;
	int32 i;

	for (i = 0; i < n; i++)
	{
		Datum value = sdcpg_dictionary_value(dictionary, i);
		char *text = VARDATA_ANY(DatumGetPointer(value));
		int bytes = pg_mbcharcliplen(
			text, VARSIZE_ANY_EXHDR(DatumGetPointer(value)), 2);

		poll_at(&host->kernel, i, n);
		if (before == NULL || bytes != before_bytes ||
			memcmp(before, text, bytes) != 0)
			number++;
		before = text;
		before_bytes = bytes;
		start[i] = number;
	}
	return start;
}

/* The value of a day for a part; false for none. */
static bool
value_of_day(SdcEventPartKind kind, int64 day, uint32 *value)
{
	int year;
	int month;
	int mday;

	if (kind == SDC_PART_CLOCK)
	{
		day %= SDC_DAY_MICROSECONDS;
		*value = (uint32) ((day < 0 ? day + SDC_DAY_MICROSECONDS : day) /
						   INT64CONST(1000));
		return true;
	}
	if (kind == SDC_PART_DAY)
	{
		*value = (uint32) (day - SDC_DAY_NEVER);
		return true;
	}
	if (day <= SDC_DAY_NEVER || day >= SDC_DAY_ALWAYS)
		return false;
	if (kind == SDC_PART_WEEKDAY)
	{
		*value = (uint32) (((day % 7) + 7) % 7);
		return true;
	}
	j2date((int) day + POSTGRES_EPOCH_JDATE, &year, &month, &mday);
	*value = (uint32) (year * 12 + month + 1000000);
	return true;
}

/* The value of a part of the events of a side; false where it is NULL. */
typedef struct PartReader
{
	SdcEventPartKind kind;
	const SdcFrameColumn *column;
	const int32 *rank;
	const int32 *start;
} PartReader;

static bool
read_part(const PartReader *reader, int32 row, int64 off, uint32 *value)
{
	if (reader->column->isnull[row])
		return false;
	if (reader->kind == SDC_PART_CODE || reader->kind == SDC_PART_START)
	{
		*value = (uint32) reader->rank[reader->column->code[row]];
		if (reader->start != NULL)
			*value = (uint32) reader->start[*value];
		return true;
	}
	/* an infinite day has no neighbours */
	if (off != 0 && (reader->column->count[row] <= SDC_DAY_NEVER ||
					 reader->column->count[row] >= SDC_DAY_ALWAYS))
		return false;
	return value_of_day(reader->kind, reader->column->count[row] + off, value);
}

/* How often an event of a side is there: once for each day it may be of. */
static int64
copies_of(int side, int64 days, const SdcEventPart *part, int parts)
{
	int i;

	for (i = 0; i < parts && side == SDC_EVENTS_KNOWN; i++)
		if (part[i].kind != SDC_PART_CODE && part[i].kind != SDC_PART_START)
			return 2 * days + 1;
	return 1;
}

static Marks
begin_marks(const SdcEventPersons *persons, const SdcEventTable *table,
			int64 days, const SdcEventPart *part, int parts)
{
	Marks marks;
	int64 all = 0;
	int64 at = 0;
	int side;
	int32 r;
	int64 k;

	marks.host = persons->host;
	marks.marks = 1;
	for (side = 0; side < SDC_EVENTS_SIDES; side++)
	{
		marks.rows[side] =
			copies_of(side, days, part, parts) * table->frame[side]->rows;
		all += marks.rows[side];
	}
	if (all > SDC_MAX_ROWS)
		ereport(ERROR, (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
						errmsg("more than %d days of events", SDC_MAX_ROWS),
						errhint("Give \"days\" a smaller number.")));
	marks.person = sdc_new(&persons->host->kernel, int32, (Size) all + 1);
	marks.mark = sdc_new(&persons->host->kernel, int32, (Size) all + 1);
	memset(marks.mark, 0, sizeof(int32) * (all + 1));
	for (side = 0; side < SDC_EVENTS_SIDES; side++)
		for (r = 0; r < table->frame[side]->rows; r++)
			for (k = copies_of(side, days, part, parts); k > 0; k--)
				marks.person[at++] =
					persons->rank[side][table->frame[side]->column[0].code[r]];
	return marks;
}

/* The ranks of the codes of a column; a dictionary is sorted once. */
static const int32 *
rank_of(SdcEventTable *table, int column)
{
	if (table->rank[column] == NULL)
		table->rank[column] = sdcpg_dictionary_sort(table->dictionary[column]);
	return table->rank[column];
}

/* Makes one number of what there is and the value of one more part. */
static void
number_pairs(Marks *marks, uint64 *key, int32 *row, int64 n)
{
	SdcHost *host = &marks->host->kernel;
	int64 k;

	sdc_sort_keys(host, key, row, (size_t) n);
	marks->marks = 0;
	for (k = 0; k < n; k++)
	{
		poll_at(host, k, n);
		if (k > 0 && key[k] != key[k - 1])
			marks->marks++;
		marks->mark[row[k]] = marks->marks;
	}
	marks->marks += n > 0;
}

static void
add_part(const SdcEventPersons *persons, SdcEventTable *table, int64 days,
		 const SdcEventPart *all, int parts, const SdcEventPart *part,
		 Marks *marks)
{
	SdcHost *host = &marks->host->kernel;
	int64 most = marks->rows[0] + marks->rows[1];
	uint64 *key = sdc_new(host, uint64, (Size) most + 1);
	int32 *row = sdc_new(host, int32, (Size) most + 1);
	PartReader reader = {part->kind};
	int64 at = 0;
	int64 n = 0;
	int side;

	if (part->kind == SDC_PART_CODE || part->kind == SDC_PART_START)
		reader.rank = rank_of(table, part->column);
	if (part->kind == SDC_PART_START)
		reader.start =
			number_starts(persons->host, table->dictionary[part->column]);
	for (side = 0; side < SDC_EVENTS_SIDES; side++)
	{
		int64 copies = copies_of(side, days, all, parts);
		int32 r;
		int64 k;

		reader.column = &table->frame[side]->column[part->column];
		for (r = 0; r < table->frame[side]->rows; r++)
			for (k = 0; k < copies; k++, at++)
			{
				uint32 value;

				poll_at(host, at, most);
				if (marks->mark[at] >= 0 &&
					read_part(&reader, r, k - copies / 2, &value))
				{
					key[n] = ((uint64) marks->mark[at] << 32) | value;
					row[n++] = (int32) at;
				}
				marks->mark[at] = -1;
			}
	}
	number_pairs(marks, key, row, n);
	host->release(host, key);
	host->release(host, row);
	host->release(host, (void *) reader.start);
}

/* Makes the sets of both sides; takes the marks' arrays back. */
static void
make_sets(const SdcEventPersons *persons, Marks *marks,
		  SdcEventChannel *channel)
{
	SdcHost *host = &persons->host->kernel;
	int64 from = 0;
	int side;

	memset(channel, 0, sizeof(*channel));
	for (side = 0; side < SDC_EVENTS_SIDES; side++)
	{
		int32 *person = marks->person + from;
		int32 *mark = marks->mark + from;
		int64 n = 0;
		int64 k;

		for (k = 0; k < marks->rows[side]; k++)
			if (mark[k] >= 0)
			{
				person[n] = person[k];
				mark[n++] = mark[k];
			}
		*(side == SDC_EVENTS_KNOWN ? &channel->known : &channel->shown) =
			sdc_item_sets_build(host, n, person, mark, persons->count[side],
								marks->marks);
		from += marks->rows[side];
	}
	host->release(host, marks->person);
	host->release(host, marks->mark);
}

/* The numbers of the values of a sorted dictionary; what is none is NaN. */
static double *
number_codes(SdcPgHost *host, const SdcDictionary *dictionary)
{
	int32 n = sdcpg_dictionary_values(dictionary);
	double *number = sdc_new(&host->kernel, double, (Size) n + 1);
	int32 i;

	for (i = 0; i < n; i++)
	{
		poll_at(&host->kernel, i, n);
		number[i] = DatumGetFloat8(
			DirectFunctionCall1(numeric_float8_no_overflow,
								sdcpg_dictionary_value(dictionary, i)));
		if (isinf(number[i]))
			number[i] = NAN;
	}
	return number;
}

/* A channel of values that may have been moved. */
static void
make_values(const SdcEventPersons *persons, SdcEventTable *table,
			const SdcEventPart *part, SdcEventChannel *channel)
{
	int column = part->column;
	bool by_code = part->kind == SDC_PART_NUMBER;
	double unit = part->kind == SDC_PART_DAYS ? 1 : SDC_DAY_MICROSECONDS;
	SdcHost *host = &persons->host->kernel;
	Marks marks = begin_marks(persons, table, 0, part, 1);
	int64 most = marks.rows[0] + marks.rows[1];
	uint64 *key = sdc_new(host, uint64, (Size) most + 1);
	double *number = sdc_new(host, double, (Size) most + 1);
	int32 *row = sdc_new(host, int32, (Size) most + 1);
	const int32 *rank = by_code ? rank_of(table, column) : NULL;
	double *code = by_code
					   ? number_codes(persons->host, table->dictionary[column])
					   : NULL;
	double *value;
	double *scaled = NULL;
	int64 at = 0;
	int64 n = 0;
	int side;

	for (side = 0; side < SDC_EVENTS_SIDES; side++)
	{
		const SdcFrameColumn *from = &table->frame[side]->column[column];
		int32 r;

		for (r = 0; r < table->frame[side]->rows; r++, at++)
		{
			poll_at(host, at, most);
			marks.mark[at] = -1;
			number[at] = from->isnull[r] ? NAN
						 : by_code       ? code[rank[from->code[r]]]
										 : (double) from->count[r] / unit;
			if (isnan(number[at]))
				continue;
			key[n] = sdc_sort_key(number[at]);
			row[n++] = (int32) at;
		}
	}
	number_pairs(&marks, key, row, n);
	value = sdc_new(host, double, (Size) marks.marks + 1);
	for (at = 0; at < most; at++)
		if (marks.mark[at] >= 0)
			value[marks.mark[at]] = number[at];
	host->release(host, key);
	host->release(host, number);
	host->release(host, row);
	host->release(host, code);
	if (by_code)
		scaled = sdc_new(host, double, (Size) marks.marks + 1);
	for (at = 0; by_code && at < marks.marks; at++)
		scaled[at] = sdc_event_scale(value[at]);
	make_sets(persons, &marks, channel);
	channel->value = value;
	channel->scaled = scaled;
}

void
sdcpg_events_marks(const SdcEventPersons *persons, SdcEventTable *table,
				   const SdcEventPart *part, int parts, int64 days,
				   SdcEventChannel *channel)
{
	Marks marks;
	int i;

	if (part->kind >= SDC_PART_MOMENT)
	{
		make_values(persons, table, part, channel);
		return;
	}
	marks = begin_marks(persons, table, days, part, parts);
	for (i = 0; i < parts; i++)
		add_part(persons, table, days, part, parts, &part[i], &marks);
	make_sets(persons, &marks, channel);
}

/* ----------------------------------------------------------------------
 * Gaps between days.
 * ----------------------------------------------------------------------
 */

/* The persons of a side and their finite days, in order, each once. */
static int64
list_days(const SdcEventPersons *persons, const SdcEventTable *table,
		  int column, int side, uint64 *key)
{
	const SdcFrame *frame = table->frame[side];
	const SdcFrameColumn *day = &frame->column[column];
	SdcHost *host = &persons->host->kernel;
	int32 *row = sdc_new(host, int32, (Size) frame->rows + 1);
	int64 n = 0;
	int64 kept = 0;
	int32 r;

	for (r = 0; r < frame->rows; r++)
		if (!day->isnull[r] && day->count[r] > SDC_DAY_NEVER &&
			day->count[r] < SDC_DAY_ALWAYS)
		{
			int32 person = persons->rank[side][frame->column[0].code[r]];

			row[n] = r;
			key[n++] = ((uint64) person << 32) |
					   (uint32) (day->count[r] - SDC_DAY_NEVER);
		}
	sdc_sort_keys(host, key, row, (size_t) n);
	host->release(host, row);
	for (r = 0; r < n; r++)
		if (kept == 0 || key[kept - 1] != key[r])
			key[kept++] = key[r];
	return kept;
}

/* The gaps of the days of a side, person by person: (person, gap). */
static int64
list_gaps(const uint64 *day, int64 days, uint64 *gap)
{
	int64 n = 0;
	int64 k;
	int64 back;

	for (k = 0; k < days; k++)
		for (back = 1; back <= GAP_DAYS && back <= k; back++)
		{
			if (day[k] >> 32 != day[k - back] >> 32)
				break;
			gap[n++] = ((day[k] >> 32) << 32) | (day[k] - day[k - back]);
		}
	return n;
}

/* How often a person has had the same gap before: a gap twice is two marks. */
static void
count_repeated(SdcHost *host, uint64 *gap, int32 *times, int64 n)
{
	int32 *row = sdc_new(host, int32, (Size) n + 1);
	int64 k;

	memset(row, 0, sizeof(int32) * (n + 1));
	sdc_sort_keys(host, gap, row, (size_t) n);
	for (k = 0; k < n; k++)
		times[k] = k > 0 && gap[k] == gap[k - 1] ? times[k - 1] + 1 : 0;
	host->release(host, row);
}

void
sdcpg_events_gaps(const SdcEventPersons *persons, const SdcEventTable *table,
				  int column, SdcEventChannel *channel)
{
	SdcHost *host = &persons->host->kernel;
	Size most = (Size) GAP_DAYS *
				((Size) table->frame[0]->rows + (Size) table->frame[1]->rows);
	uint64 *day = sdc_new(host, uint64, most + 1);
	uint64 *gap = sdc_new(host, uint64, most + 1);
	int32 *times = sdc_new(host, int32, most + 1);
	int32 *row = sdc_new(host, int32, most + 1);
	Marks marks = {persons->host};
	int64 n = 0;
	int64 k;
	int side;

	if (most > SDC_MAX_ROWS)
		ereport(ERROR, (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
						errmsg("more than %d rows in a relation",
							   SDC_MAX_ROWS / GAP_DAYS)));
	marks.person = sdc_new(host, int32, most + 1);
	marks.mark = sdc_new(host, int32, most + 1);
	for (side = 0; side < SDC_EVENTS_SIDES; side++)
	{
		int64 days = list_days(persons, table, column, side, day);

		marks.rows[side] = list_gaps(day, days, gap + n);
		count_repeated(host, gap + n, times + n, marks.rows[side]);
		n += marks.rows[side];
	}
	for (k = 0; k < n; k++)
	{
		marks.person[k] = (int32) (gap[k] >> 32);
		gap[k] = (gap[k] << 32) | (uint32) times[k];
		row[k] = (int32) k;
	}
	number_pairs(&marks, gap, row, n);
	host->release(host, day);
	host->release(host, gap);
	host->release(host, times);
	host->release(host, row);
	make_sets(persons, &marks, channel);
}

/* ----------------------------------------------------------------------
 * Numbers.
 * ----------------------------------------------------------------------
 */

static double *
no_numbers(const SdcEventPersons *persons, int side)
{
	double *number = sdc_new(&persons->host->kernel, double,
							 (Size) persons->count[side] + 1);
	int32 i;

	for (i = 0; i < persons->count[side]; i++)
		number[i] = NAN;
	return number;
}

/* The persons of a side by name, as a sorted dictionary cannot be asked. */
static int32
find_person(const SdcEventPersons *persons, int side, const char *name)
{
	const SdcFrameColumn *id = &persons->id[side];
	int32 low = 0;
	int32 high = persons->count[side];

	while (low < high)
	{
		int32 middle = low + (high - low) / 2;
		int order = strcmp(sdcpg_frame_text(id, middle), name);

		if (order == 0)
			return middle;
		if (order < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return -1;
}

void
sdcpg_events_numbers(const SdcEventPersons *persons, const char *const *sql,
					 int count, SdcEventChannel *channel)
{
	SdcFrameType *types = palloc(sizeof(SdcFrameType) * (count + 1));
	int side;
	int c;

	types[0] = SDC_FRAME_TEXT;
	for (c = 0; c < count; c++)
	{
		types[c + 1] = SDC_FRAME_NUMBER;
		memset(&channel[c], 0, sizeof(channel[c]));
		channel[c].is_number = true;
	}
	for (side = 0; side < SDC_EVENTS_SIDES; side++)
	{
		SdcFrame *frame =
			sdcpg_frame_load(persons->host, sql[side], count + 1, types);
		double **number = palloc(sizeof(double *) * (count + 1));
		int32 r;

		for (c = 0; c < count; c++)
		{
			number[c] = no_numbers(persons, side);
			*(side == SDC_EVENTS_KNOWN ? &channel[c].known_number
									   : &channel[c].shown_number) = number[c];
		}
		for (r = 0; r < frame->rows; r++)
		{
			int32 person = find_person(persons, side,
									   sdcpg_frame_text(&frame->column[0], r));

			poll_at(&persons->host->kernel, r, frame->rows);
			for (c = 0; c < count && person >= 0; c++)
				if (!frame->column[c + 1].isnull[r])
					number[c][person] =
						sdc_event_scale(frame->column[c + 1].number[r]);
		}
		sdcpg_frame_release(frame);
	}
}
