/*
 * tally.c
 *		States of aggregates: counting combinations of values in place.
 *
 * A small state is a plain value with room to spare.  When it has outgrown
 * LARGE bytes it moves into a memory context of its own and becomes an
 * expanded object around the same bytes, which need not be copied whenever
 * they grow.  So a hundred thousand groups of a few rows take a few hundred
 * bytes each, and one group of a million values grows without copies.
 */
#include "postgres.h"

#include <math.h>

#include "access/htup_details.h"
#include "catalog/namespace.h"
#include "catalog/pg_collation.h"
#include "catalog/pg_proc.h"
#include "catalog/pg_type.h"
#include "fmgr.h"
#include "lib/stringinfo.h"
#include "miscadmin.h"
#include "nodes/nodeFuncs.h"
#include "nodes/value.h"
#include "port/pg_bitutils.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/datum.h"
#include "utils/expandeddatum.h"
#include "utils/guc.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/syscache.h"

#include "host/call/params.h"
#include "host/data/column.h"
#include "host/data/dictionary.h"
#include "host/server/compat.h"
#include "host/server/host.h"
#include "kernel/base/host.h"
#include "kernel/base/random.h"
#include "kernel/table/frequency.h"
#include "topic/tally/tally.h"
#include "topic/tally/tally_io.h"

static void tally_open(SdcTallyChange *change, Datum state,
					   MemoryContext owner);
static void tally_join(SdcTallyChange *change, SdcTallyShape *shape,
					   const SdcTally *other);

/* ----------------------------------------------------------------------
 * Types and collations of a state by their names.
 *
 * Numbers of the catalog differ between servers, names do not.
 * ----------------------------------------------------------------------
 */

void
sdcpg_tally_malformed(const char *what)
{
	ereport(ERROR, (errcode(ERRCODE_INVALID_TEXT_REPRESENTATION),
					errmsg("malformed state of an aggregate"),
					errdetail("There is something wrong with its %s.", what)));
}

static void
name_type(Oid type, char **name)
{
	HeapTuple tuple = SearchSysCache1(TYPEOID, ObjectIdGetDatum(type));
	Form_pg_type form;

	if (!HeapTupleIsValid(tuple))
		elog(ERROR, "cache lookup failed for type %u", type);
	form = (Form_pg_type) GETSTRUCT(tuple);
	name[0] = get_namespace_name(form->typnamespace);
	name[1] = pstrdup(NameStr(form->typname));
	ReleaseSysCache(tuple);
}

static void
name_collation(Oid collation, char **name)
{
	HeapTuple tuple = SearchSysCache1(COLLOID, ObjectIdGetDatum(collation));
	Form_pg_collation form;

	if (!HeapTupleIsValid(tuple))
		elog(ERROR, "cache lookup failed for collation %u", collation);
	form = (Form_pg_collation) GETSTRUCT(tuple);
	name[0] = get_namespace_name(form->collnamespace);
	name[1] = pstrdup(NameStr(form->collname));
	ReleaseSysCache(tuple);
}

void
sdcpg_tally_name_column(const SdcTallyColumn *column, char **name)
{
	name_type(column->type, name);
	name[2] = NULL;
	name[3] = NULL;
	if (OidIsValid(column->collation))
		name_collation(column->collation, name + 2);
}

static Oid
find_type(const char *schema, const char *name)
{
	Oid namespace = LookupExplicitNamespace(schema, false);
	Oid type =
		GetSysCacheOid2(TYPENAMENSP, Anum_pg_type_oid, CStringGetDatum(name),
						ObjectIdGetDatum(namespace));

	if (!OidIsValid(type) || !get_typisdefined(type))
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_OBJECT),
				 errmsg("type \"%s.%s\" does not exist", schema, name)));
	switch (get_typtype(type))
	{
		case TYPTYPE_PSEUDO:
		case TYPTYPE_COMPOSITE:
		case TYPTYPE_DOMAIN:
			sdcpg_tally_malformed("types");
	}
	return type;
}

SdcTallyColumn
sdcpg_tally_name_find(char *const *name)
{
	SdcTallyColumn column;

	if (name[0] == NULL || name[1] == NULL ||
		(name[2] == NULL) != (name[3] == NULL) ||
		strlen(name[0]) >= NAMEDATALEN || strlen(name[1]) >= NAMEDATALEN)
		sdcpg_tally_malformed("columns");
	column.type = find_type(name[0], name[1]);
	column.collation = InvalidOid;
	if (name[2] != NULL)
		column.collation = get_collation_oid(
			list_make2(makeString(name[2]), makeString(name[3])), false);
	if (OidIsValid(column.collation) !=
		OidIsValid(get_typcollation(column.type)))
		sdcpg_tally_malformed("collations");
	return column;
}

int
sdcpg_tally_name_settings(void)
{
	int level = NewGUCNestLevel();

	sdcpg_print_alike();
	sdcpg_set_for_now("timezone", "UTC");
	return level;
}

/* ----------------------------------------------------------------------
 * The constant arguments of an aggregate, inside its state.
 *
 * Numbers come first, as doubles; then the lists, each its length and its
 * strings, these their length (-1: NULL) and their bytes.
 * ----------------------------------------------------------------------
 */

void
sdcpg_tally_put_number(StringInfo parameters, double number)
{
	number += 0.0; /* -0 is 0 */
	appendBinaryStringInfo(parameters, (char *) &number, sizeof(number));
}

void
sdcpg_tally_put_list(StringInfo parameters, int count)
{
	int32 strings = count;

	appendBinaryStringInfo(parameters, (char *) &strings, sizeof(strings));
}

void
sdcpg_tally_put_string(StringInfo parameters, const char *string, int length)
{
	int32 bytes = string == NULL ? -1 : length;

	appendBinaryStringInfo(parameters, (char *) &bytes, sizeof(bytes));
	if (string != NULL)
		appendBinaryStringInfo(parameters, string, length);
}

static const char *
parameters_of(const SdcTally *tally)
{
	return (const char *) (sdcpg_tally_columns(tally) + tally->columns);
}

/* Stops because a state was not made by this aggregate. */
static void
refuse_state(void)
{
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("state is not one of this aggregate"),
			 errdetail("It lacks a constant argument of the aggregate.")));
}

double
sdcpg_tally_number(const SdcTally *tally, int index)
{
	double number;

	if (index >= tally->numbers)
		refuse_state();
	memcpy(&number, parameters_of(tally) + index * sizeof(double),
		   sizeof(double));
	return number;
}

static int32
take_int(const char **at)
{
	int32 number;

	memcpy(&number, *at, sizeof(number));
	*at += sizeof(number);
	return number;
}

/* The strings of the list at an address, and the address after it. */
static char **
take_list(const char **at, int *count)
{
	char **list;
	int32 length;
	int i;

	*count = take_int(at);
	list = palloc(Max(*count, 1) * sizeof(char *));
	for (i = 0; i < *count; i++)
	{
		length = take_int(at);
		list[i] = length < 0 ? NULL : pnstrdup(*at, length);
		*at += Max(length, 0);
	}
	return list;
}

char **
sdcpg_tally_list(const SdcTally *tally, int index, int *count)
{
	const char *at = parameters_of(tally) + tally->numbers * sizeof(double);
	char **list = NULL;
	int i;

	if (index >= tally->lists)
		refuse_state();
	for (i = 0; i <= index; i++)
		list = take_list(&at, count);
	return list;
}

/*
 * The type of an argument: that of the expression, or, where a function is
 * called without one as on the workers of Citus, that of its declaration.
 */
static Oid
declared_type(FunctionCallInfo fcinfo, int argument)
{
	Oid type = get_fn_expr_argtype(fcinfo->flinfo, argument);
	Oid *types;
	int count;

	if (OidIsValid(type))
		return type;
	(void) get_func_signature(fcinfo->flinfo->fn_oid, &types, &count);
	return argument < count && get_typtype(types[argument]) != TYPTYPE_PSEUDO
			   ? types[argument]
			   : InvalidOid;
}

/* Appends a number or a word. */
static void
put_argument(FunctionCallInfo fcinfo, int argument, StringInfo numbers,
			 StringInfo lists)
{
	Oid type = declared_type(fcinfo, argument);
	double number;
	text *word;

	if (type == TEXTOID)
	{
		word = PG_GETARG_TEXT_PP(argument);
		sdcpg_tally_put_list(lists, 1);
		sdcpg_tally_put_string(lists, VARDATA_ANY(word),
							   VARSIZE_ANY_EXHDR(word));
		return;
	}
	number = type == INT4OID ? PG_GETARG_INT32(argument)
							 : PG_GETARG_FLOAT8(argument);
	if (!isfinite(number))
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("argument \"%s\" must be finite",
							   sdcpg_args_name(fcinfo, argument))));
	sdcpg_tally_put_number(numbers, number);
}

/* Appends a list of strings. */
static void
put_array(FunctionCallInfo fcinfo, int argument, StringInfo lists)
{
	ArrayType *array = PG_GETARG_ARRAYTYPE_P(argument);
	Datum *element;
	bool *isnull;
	int count;
	int i;

	if (ARR_NDIM(array) > 1)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("argument \"%s\" must have one dimension",
							   sdcpg_args_name(fcinfo, argument))));
	deconstruct_array(array, TEXTOID, -1, false, TYPALIGN_INT, &element,
					  &isnull, &count);
	sdcpg_tally_put_list(lists, count);
	for (i = 0; i < count; i++)
	{
		text *string = isnull[i] ? NULL : DatumGetTextPP(element[i]);

		sdcpg_tally_put_string(lists, isnull[i] ? NULL : VARDATA_ANY(string),
							   isnull[i] ? -1 : VARSIZE_ANY_EXHDR(string));
	}
}

/*
 * A state without cells, with the arguments of a transition function from
 * number first on as its constant arguments.  Stops when one of them is NULL
 * or not finite.
 */
static SdcTally *
tally_empty(FunctionCallInfo fcinfo, int first, const SdcTallyShape *shape)
{
	StringInfoData parameters;
	StringInfoData lists;
	int arrays = 0;
	int i;

	initStringInfo(&parameters);
	initStringInfo(&lists);
	for (i = first; i < PG_NARGS(); i++)
	{
		Oid type = declared_type(fcinfo, i);

		sdcpg_args_need(fcinfo, i);
		if (type == TEXTARRAYOID)
			put_array(fcinfo, i, &lists);
		else
			put_argument(fcinfo, i, &parameters, &lists);
		arrays += type == TEXTARRAYOID || type == TEXTOID;
	}
	appendBinaryStringInfo(&parameters, lists.data, lists.len);
	return sdcpg_tally_new(shape, PG_NARGS() - first - arrays, arrays,
						   parameters.data, parameters.len);
}

/* ----------------------------------------------------------------------
 * How a combination of values is written into a cell of a state.
 *
 * A bitmap of the columns that are NULL, padded, and then the other values,
 * each at an address that any type may have: by-value types as a Datum, the
 * rest as their bytes.
 * ----------------------------------------------------------------------
 */

#define NULL_HASH 0x9e3779b97f4a7c15

static Size
bitmap_size(const SdcTallyShape *shape)
{
	return MAXALIGN((shape->columns + 7) / 8);
}

static inline bool
cell_null(const uint8 *bitmap, int j)
{
	return (bitmap[j / 8] >> j % 8 & 1) != 0;
}

/* The value at an address, and the address of the next one. */
static inline Datum
take_value(const SdcColumnType *type, const char **at)
{
	Datum value;

	if (type->by_value)
	{
		value = *(const Datum *) *at;
		*at += MAXALIGN(sizeof(Datum));
		return value;
	}
	value = PointerGetDatum(*at);
	*at += MAXALIGN(datumGetSize(value, false, type->length));
	return value;
}

/* A hash that equal combinations share. */
static uint32
tally_cell_hash(SdcTallyShape *shape)
{
	uint64 hash = 0;
	int j;

	for (j = 0; j < shape->columns; j++)
		hash = sdc_random_mix(
			hash + (shape->isnull[j] ? NULL_HASH
									 : sdcpg_equality_hash(&shape->equality[j],
														   shape->value[j])));
	return (uint32) (hash ^ hash >> 32);
}

/* Bytes of a cell that holds the combination. */
static Size
tally_cell_size(const SdcTallyShape *shape)
{
	Size size = sizeof(SdcTallyCell) + bitmap_size(shape);
	int j;

	for (j = 0; j < shape->columns; j++)
	{
		const SdcColumnType *type = &shape->equality[j].type;

		if (shape->isnull[j])
			continue;
		size +=
			type->by_value
				? MAXALIGN(sizeof(Datum))
				: MAXALIGN(datumGetSize(shape->value[j], false, type->length));
	}
	if (size > PG_UINT32_MAX)
		ereport(ERROR, (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
						errmsg("values are too long to be counted")));
	return size;
}

/* Writes the bitmap and the values behind the header of a cell. */
static void
tally_cell_write(const SdcTallyShape *shape, SdcTallyCell *cell)
{
	uint8 *bitmap = (uint8 *) (cell + 1);
	char *at = (char *) bitmap + bitmap_size(shape);
	Size size;
	int j;

	memset(bitmap, 0, bitmap_size(shape));
	for (j = 0; j < shape->columns; j++)
	{
		const SdcColumnType *type = &shape->equality[j].type;

		if (shape->isnull[j])
		{
			bitmap[j / 8] |= 1 << j % 8;
			continue;
		}
		if (type->by_value)
		{
			*(Datum *) at = shape->value[j];
			at += MAXALIGN(sizeof(Datum));
			continue;
		}
		size = datumGetSize(shape->value[j], false, type->length);
		memcpy(at, DatumGetPointer(shape->value[j]), size);
		memset(at + size, 0, MAXALIGN(size) - size);
		at += MAXALIGN(size);
	}
}

/* Does the cell hold the combination? */
static bool
tally_cell_same(SdcTallyShape *shape, const SdcTallyCell *cell)
{
	const uint8 *bitmap = (const uint8 *) (cell + 1);
	const char *at = (const char *) bitmap + bitmap_size(shape);
	int j;

	for (j = 0; j < shape->columns; j++)
	{
		bool isnull = cell_null(bitmap, j);

		if (isnull != shape->isnull[j])
			return false;
		if (!isnull &&
			!sdcpg_equality_same(&shape->equality[j],
								 take_value(&shape->equality[j].type, &at),
								 shape->value[j]))
			return false;
	}
	return true;
}

/*
 * Of the combination and the cell, which are equal, keeps in the cell what
 * comes first byte by byte (sdcpg_equality_first), as far as there is room: so
 * what is shown of 1.0 and 1.00 does not depend on the order of rows.
 */
static void
tally_cell_prefer(SdcTallyShape *shape, SdcTallyCell *cell)
{
	const uint8 *bitmap = (const uint8 *) (cell + 1);
	const char *at = (const char *) bitmap + bitmap_size(shape);
	SdcTallyCell *better;
	bool any = false;
	int j;

	for (j = 0; j < shape->columns; j++)
	{
		Datum old;

		if (shape->isnull[j])
			continue;
		old = take_value(&shape->equality[j].type, &at);
		if (sdcpg_equality_first(&shape->equality[j], shape->value[j], old))
			any = true;
		else
			shape->value[j] = old;
	}
	if (!any || tally_cell_size(shape) > cell->length)
		return;
	/* some of the values still lie in the cell */
	better = palloc0(cell->length);
	*better = *cell;
	tally_cell_write(shape, better);
	memcpy(cell, better, cell->length);
	pfree(better);
}

void
sdcpg_tally_values(const SdcTallyShape *shape, const SdcTallyCell *cell)
{
	const uint8 *bitmap = (const uint8 *) (cell + 1);
	const char *at = (const char *) bitmap + bitmap_size(shape);
	int j;

	for (j = 0; j < shape->columns; j++)
	{
		shape->isnull[j] = cell_null(bitmap, j);
		shape->value[j] = shape->isnull[j]
							  ? (Datum) 0
							  : take_value(&shape->equality[j].type, &at);
	}
}

/* ----------------------------------------------------------------------
 * What a state counts.
 *
 * Types are looked up once for a call site and kept there, not in the states,
 * of which there may be one for every group.
 * ----------------------------------------------------------------------
 */

SdcTallyShape *
sdcpg_tally_shape(const SdcTallyColumn *column, int columns, int keys,
				  MemoryContext context)
{
	MemoryContext caller = MemoryContextSwitchTo(context);
	SdcTallyShape *shape = palloc0(sizeof(SdcTallyShape));
	int j;

	shape->columns = columns;
	shape->keys = keys;
	shape->column = palloc(columns * sizeof(SdcTallyColumn));
	memcpy(shape->column, column, columns * sizeof(SdcTallyColumn));
	shape->equality = palloc(columns * sizeof(SdcEquality));
	shape->value = palloc0(columns * sizeof(Datum));
	shape->isnull = palloc0(columns * sizeof(bool));
	MemoryContextSwitchTo(caller);
	for (j = 0; j < columns; j++)
	{
		sdcpg_equality_find(&shape->equality[j], column[j].type,
							column[j].collation, context);
		if (shape->equality[j].kind == SDC_EQUALITY_FLOAT ||
			shape->equality[j].kind == SDC_EQUALITY_METHODS)
			shape->loose = true;
	}
	return shape;
}

SdcTallyShape *
sdcpg_tally_shape_of(FunctionCallInfo fcinfo, const SdcTally *tally)
{
	SdcTallyShape *shape = fcinfo->flinfo->fn_extra;

	if (shape != NULL && shape->columns == tally->columns &&
		shape->keys == tally->keys &&
		memcmp(shape->column, sdcpg_tally_columns(tally),
			   tally->columns * sizeof(SdcTallyColumn)) == 0)
		return shape;
	shape = sdcpg_tally_shape(sdcpg_tally_columns(tally), tally->columns,
							  tally->keys, fcinfo->flinfo->fn_mcxt);
	fcinfo->flinfo->fn_extra = shape;
	return shape;
}

SdcTally *
sdcpg_tally_new(const SdcTallyShape *shape, int numbers, int lists,
				const char *parameters, Size length)
{
	Size columns = shape->columns * sizeof(SdcTallyColumn);
	Size head = MAXALIGN(sizeof(SdcTally) + columns + length);
	SdcTally *tally = palloc0(head);

	tally->columns = shape->columns;
	tally->keys = shape->keys;
	tally->numbers = numbers;
	tally->lists = lists;
	tally->head = head;
	memcpy(tally + 1, shape->column, columns);
	if (length > 0)
		memcpy((char *) (tally + 1) + columns, parameters, length);
	SET_VARSIZE(tally, head);
	return tally;
}

/* Do two states count the same columns with the same constant arguments? */
static bool
tally_alike(const SdcTally *a, const SdcTally *b)
{
	return a->head == b->head && a->columns == b->columns &&
		   a->keys == b->keys && a->numbers == b->numbers &&
		   a->lists == b->lists &&
		   memcmp(a + 1, b + 1, a->head - sizeof(SdcTally)) == 0;
}

/* ----------------------------------------------------------------------
 * Rows that an aggregate is given, counted in its state.
 *
 * What the arguments look like is found out at the first row of a call site
 * and kept there; so are the constant arguments, unless they could vary.
 * ----------------------------------------------------------------------
 */

/* A call site of a transition function. */
typedef struct Reader
{
	MemoryContext context;
	int arguments;
	SdcTallyField *argument;
	SdcTallyShape *shape;
	bool constant; /* the constant arguments are constants of the query */
	SdcTally *empty;
} Reader;

/* The expression of an argument, or NULL when it cannot be known. */
static Node *
argument_expression(FunctionCallInfo fcinfo, int argument)
{
	Aggref *aggregate = AggGetAggref(fcinfo);
	Node *found = NULL;
	int count = 0;
	ListCell *cell;

	if (aggregate == NULL)
		return NULL;
	foreach (cell, aggregate->args)
	{
		TargetEntry *entry = lfirst_node(TargetEntry, cell);

		if (entry->resjunk)
			continue;
		if (++count == argument)
			found = (Node *) entry->expr;
	}
	/* another aggregate may call this one's functions */
	return count == PG_NARGS() - 1 ? found : NULL;
}

/*
 * The collation of an argument.  Aggregates share one input collation among
 * their arguments, which is none when they differ, so the expression itself
 * is asked.
 */
static Oid
argument_collation(FunctionCallInfo fcinfo, int argument)
{
	Node *expression = argument_expression(fcinfo, argument);

	return expression == NULL ? PG_GET_COLLATION() : exprCollation(expression);
}

/* The type of an argument. */
static Oid
argument_type(FunctionCallInfo fcinfo, int argument)
{
	Oid type = declared_type(fcinfo, argument);

	if (!OidIsValid(type))
		ereport(ERROR, (errcode(ERRCODE_INDETERMINATE_DATATYPE),
						errmsg("type of an argument of the aggregate is not "
							   "known")));
	return type;
}

/* Is the expression a constant of the query, or of its execution? */
static bool
is_constant(const Node *expression)
{
	if (expression == NULL)
		return false;
	return IsA(expression, Const) ||
		   (IsA(expression, Param) &&
			((const Param *) expression)->paramkind == PARAM_EXTERN);
}

/* Are all constant arguments such, so that none can vary? */
static bool
has_constants(FunctionCallInfo fcinfo, int first)
{
	int i;

	for (i = first; i < PG_NARGS(); i++)
		if (!is_constant(argument_expression(fcinfo, i)))
			return false;
	return true;
}

static Reader *
new_reader(FunctionCallInfo fcinfo, int keys, int others)
{
	MemoryContext context = fcinfo->flinfo->fn_mcxt;
	MemoryContext caller = MemoryContextSwitchTo(context);
	Reader *reader = palloc0(sizeof(Reader));
	SdcTallyList list = {0, 0, NULL};
	int key_columns = 0;
	int i;

	reader->context = context;
	reader->arguments = keys + others;
	reader->argument = palloc0(reader->arguments * sizeof(SdcTallyField));
	for (i = 0; i < reader->arguments; i++)
	{
		int before = list.columns;

		sdcpg_tally_field_describe(
			&list, &reader->argument[i], argument_type(fcinfo, i + 1),
			argument_collation(fcinfo, i + 1), fcinfo->args[i + 1].value,
			fcinfo->args[i + 1].isnull);
		if (list.columns == before)
			ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
							errmsg("row value without fields")));
		if (i < keys)
			key_columns = list.columns;
	}
	reader->constant = has_constants(fcinfo, 1 + reader->arguments);
	MemoryContextSwitchTo(caller);
	reader->shape =
		sdcpg_tally_shape(list.column, list.columns, key_columns, context);
	return reader;
}

/* The aggregate's memory; stops when it is not an aggregate that calls. */
static MemoryContext
aggregate_memory(FunctionCallInfo fcinfo)
{
	MemoryContext memory;

	if (!AggCheckCallContext(fcinfo, &memory))
		ereport(ERROR, (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
						errmsg("function is called by aggregates only")));
	return memory;
}

Datum
sdcpg_tally_row(FunctionCallInfo fcinfo, int keys, int others)
{
	MemoryContext memory = aggregate_memory(fcinfo);
	Reader *reader = fcinfo->flinfo->fn_extra;
	SdcTallyChange change;
	SdcTally *empty;
	int i;

	if (reader == NULL)
	{
		reader = new_reader(fcinfo, keys, others);
		fcinfo->flinfo->fn_extra = reader;
	}
	empty = reader->empty;
	if (empty == NULL || !reader->constant)
	{
		MemoryContext caller = CurrentMemoryContext;

		if (reader->constant)
			MemoryContextSwitchTo(reader->context);
		empty = tally_empty(fcinfo, 1 + reader->arguments, reader->shape);
		reader->empty = reader->constant ? empty : NULL;
		MemoryContextSwitchTo(caller);
	}
	if (PG_ARGISNULL(0))
		sdcpg_tally_create(&change, empty, memory);
	else
		tally_open(&change, PG_GETARG_DATUM(0), memory);
	if (!tally_alike(change.tally, empty))
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("constant arguments of the aggregate must not "
							   "vary within a group")));
	for (i = 0; i < reader->arguments; i++)
		sdcpg_tally_field_read(&reader->argument[i], reader->shape,
							   fcinfo->args[i + 1].value,
							   fcinfo->args[i + 1].isnull);
	sdcpg_tally_count(&change, reader->shape, 1);
	return change.datum;
}

/*
 * The whole of a combine function: both arguments are states, either may be
 * NULL.
 */
static Datum
tally_combine(FunctionCallInfo fcinfo)
{
	MemoryContext memory = aggregate_memory(fcinfo);
	SdcTallyChange change;
	const SdcTally *other;

	if (PG_ARGISNULL(1))
	{
		if (PG_ARGISNULL(0))
			PG_RETURN_NULL();
		PG_RETURN_DATUM(PG_GETARG_DATUM(0));
	}
	other = sdcpg_tally_read(PG_GETARG_DATUM(1));
	if (PG_ARGISNULL(0))
		sdcpg_tally_create(&change, other, memory);
	else
		tally_open(&change, PG_GETARG_DATUM(0), memory);
	if (!tally_alike(change.tally, other))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("states to be combined differ in what they count"),
				 errdetail("Types and constant arguments of an aggregate must "
						   "not vary within a group.")));
	tally_join(&change, sdcpg_tally_shape_of(fcinfo, other), other);
	return change.datum;
}

/* ----------------------------------------------------------------------
 * The frequency table of a state, as kernels want it.
 *
 * The values of each column get codes in the order of their type, and the
 * cells are sorted by them.  So measures that add up floats do so in one
 * order, whatever the order of the rows and however many workers counted.
 * ----------------------------------------------------------------------
 */

/* Cells between two clean-ups of what comparing values left behind. */
#define CLEAN_CELLS 1024

/* Codes of the values that are in the shape. */
static void
encode(const SdcTallyShape *shape, SdcDictionary **dictionary, int32 *codes)
{
	int j;

	for (j = 0; j < shape->columns; j++)
		codes[j] = shape->isnull[j]
					   ? SDC_CODE_NULL
					   : sdcpg_dictionary_code(dictionary[j], shape->value[j]);
}

static SdcFrequencyCount *
count_cells(SdcPgHost *host, const SdcTallyShape *shape, const SdcTally *tally,
			SdcDictionary **dictionary)
{
	SdcHost *kernel = &host->kernel;
	SdcFrequencyCount *counting =
		sdc_frequency_start(kernel, shape->columns, false);
	int32 *codes = sdc_new(kernel, int32, shape->columns);
	const SdcTallyCell *cell = sdcpg_tally_first(tally);
	MemoryContext scratch = AllocSetContextCreate(
		host->work, "sdc tally scratch", ALLOCSET_DEFAULT_SIZES);
	MemoryContext caller = MemoryContextSwitchTo(scratch);
	int64 i;

	for (i = 0; i < tally->cells; i++)
	{
		if (i % SDC_POLL_STEPS == 0)
			kernel->poll(kernel, i, tally->cells);
		if (i % CLEAN_CELLS == 0)
			MemoryContextReset(scratch);
		sdcpg_tally_values(shape, cell);
		encode(shape, dictionary, codes);
		(void) sdc_frequency_add(counting, codes, cell->count, 0);
		cell = sdcpg_tally_next(cell);
	}
	MemoryContextSwitchTo(caller);
	MemoryContextDelete(scratch);
	return counting;
}

/* The frequency table of all columns. */
static SdcFrequency *
make_frequency(SdcPgHost *host, const SdcTallyShape *shape,
			   const SdcTally *tally, SdcDictionary **dictionary)
{
	SdcHost *kernel = &host->kernel;
	const int32 **rank = sdc_new(kernel, const int32 *, shape->columns);
	int32 *values = sdc_new(kernel, int32, shape->columns);
	SdcFrequencyCount *counting;
	int j;

	for (j = 0; j < shape->columns; j++)
		dictionary[j] = sdcpg_dictionary_new(host, shape->column[j].type,
											 shape->column[j].collation);
	counting = count_cells(host, shape, tally, dictionary);
	for (j = 0; j < shape->columns; j++)
	{
		rank[j] = sdcpg_dictionary_sort(dictionary[j]);
		values[j] = sdcpg_dictionary_values(dictionary[j]);
	}
	return sdc_frequency_finish(counting, (const int32_t *const *) rank,
								values, NULL);
}

/* Makes one column of all that follow the keys: their combinations. */
static SdcFrequency *
join_columns(SdcHost *host, SdcFrequency *frequency, int keys)
{
	int columns = frequency->columns - keys;
	int *column = sdc_new(host, int, columns);
	int32 *values = sdc_new(host, int32, keys + 1);
	int32 *codes = sdc_new(host, int32, keys + 1);
	SdcFrequencyCount *counting = sdc_frequency_start(host, keys + 1, false);
	SdcFrequency *combinations;
	int32 *place;
	int32 cell;
	int j;

	for (j = 0; j < columns; j++)
		column[j] = keys + j;
	combinations =
		sdc_frequency_project(host, frequency, column, columns, &place);
	for (cell = 0; cell < frequency->cells; cell++)
	{
		if (cell % SDC_POLL_STEPS == 0)
			host->poll(host, cell, frequency->cells);
		for (j = 0; j < keys; j++)
			codes[j] = frequency->code[j][cell];
		codes[keys] = place[cell];
		(void) sdc_frequency_add(counting, codes, frequency->count[cell], 0);
	}
	for (j = 0; j < keys; j++)
		values[j] = frequency->values[j];
	values[keys] = combinations->cells;
	return sdc_frequency_finish(counting, NULL, values, NULL);
}

SdcTallyTable
sdcpg_tally_table(SdcPgHost *host, SdcTallyShape *shape, const SdcTally *tally)
{
	SdcTallyTable table = {NULL, NULL, NULL};
	SdcDictionary **dictionary;

	if (tally->keys == 0 || tally->keys == tally->columns)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("state is not one of this aggregate"),
				 errdetail("It lacks keys, or what is counted within them.")));
	dictionary = sdc_new(&host->kernel, SdcDictionary *, shape->columns);
	table.frequency = make_frequency(host, shape, tally, dictionary);
	if (tally->columns == tally->keys + 1)
		table.dictionary = dictionary[tally->keys];
	else
		table.frequency =
			join_columns(&host->kernel, table.frequency, tally->keys);
	table.classes =
		sdc_frequency_classes(&host->kernel, table.frequency, tally->keys);
	return table;
}

/* ----------------------------------------------------------------------
 * States of aggregates: counting combinations of values in place.
 * ----------------------------------------------------------------------
 */

/* Bytes from which on a state is an expanded object. */
#define LARGE 8192

/* Cells that are searched in turn, without a hash table. */
#define FEW 8

/* Cells between two looks at interrupts. */
#define POLL_CELLS 65536

typedef struct SdcTallyExpanded
{
	ExpandedObjectHeader header;
	SdcTally *tally;
} SdcTallyExpanded;

static inline uint32 *
slots_of(const SdcTally *tally)
{
	return (uint32 *) ((char *) tally + tally->head);
}

static inline char *
cells_of(const SdcTally *tally)
{
	return (char *) slots_of(tally) + tally->slots * sizeof(uint32);
}

/* Bytes of a state with so many slots and so much room for cells. */
static Size
state_size(const SdcTally *tally, uint32 slots, uint64 room)
{
	return tally->head + slots * sizeof(uint32) + room;
}

const SdcTallyCell *
sdcpg_tally_first(const SdcTally *tally)
{
	return (const SdcTallyCell *) cells_of(tally);
}

/* Without slots and spare room: what travels and what is kept. */
static Size
flat_size(ExpandedObjectHeader *header)
{
	const SdcTally *tally = ((SdcTallyExpanded *) header)->tally;
	Size size = state_size(tally, 0, tally->used);

	if (size > MaxAllocSize)
		ereport(
			ERROR,
			(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
			 errmsg("state of the aggregate is larger than 1 GB"),
			 errdetail("Parts of a parallel plan can only exchange smaller "
					   "ones."),
			 errhint("Set max_parallel_workers_per_gather to 0.")));
	return size;
}

static void
write_flat(SdcTally *flat, const SdcTally *tally)
{
	memcpy(flat, tally, tally->head);
	flat->slots = 0;
	flat->room = tally->used;
	memcpy(cells_of(flat), cells_of(tally), tally->used);
}

static void
flatten(ExpandedObjectHeader *header, void *result, Size size)
{
	write_flat(result, ((SdcTallyExpanded *) header)->tally);
	SET_VARSIZE(result, size);
}

static const ExpandedObjectMethods methods = {flat_size, flatten};

const SdcTally *
sdcpg_tally_read(Datum state)
{
	struct varlena *value = (struct varlena *) DatumGetPointer(state);

	if (VARATT_IS_EXTERNAL_EXPANDED(value))
		return ((SdcTallyExpanded *) DatumGetEOHP(state))->tally;
	return (const SdcTally *) PG_DETOAST_DATUM(state);
}

/* Puts every cell into its slot. */
static void
fill_slots(SdcTally *tally)
{
	uint32 *slot = slots_of(tally);
	const SdcTallyCell *cell = sdcpg_tally_first(tally);
	uint32 mask = tally->slots - 1;
	int64 i;

	memset(slot, 0, tally->slots * sizeof(uint32));
	for (i = 0; i < tally->cells; i++)
	{
		uint32 at = cell->hash & mask;

		while (slot[at] != 0)
			at = (at + 1) & mask;
		slot[at] =
			1 + ((const char *) cell - cells_of(tally)) / MAXIMUM_ALIGNOF;
		cell = sdcpg_tally_next(cell);
	}
}

/* Stops when a state would take more than a call may hold. */
static void
check_limit(Size size)
{
	if (size > (Size) sdcpg_memory_limit * 1024)
		ereport(ERROR, (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
						errmsg("memory required is more than sdc.memory_limit "
							   "(%d MB)",
							   sdcpg_memory_limit / 1024),
						errdetail("The aggregate has met too many different "
								  "combinations of values."),
						errhint("Raise sdc.memory_limit, or use "
								"sdc.risk_report.")));
}

/* Makes the state an expanded object; its bytes are yet to come. */
static void
expand(SdcTallyChange *change)
{
	MemoryContext context = AllocSetContextCreate(change->owner, "sdc tally",
												  ALLOCSET_START_SMALL_SIZES);
	SdcTallyExpanded *expanded =
		MemoryContextAlloc(context, sizeof(SdcTallyExpanded));

	EOH_init_header(&expanded->header, &methods, context);
	expanded->tally = NULL;
	change->expanded = expanded;
	change->datum = EOHPGetRWDatum(&expanded->header);
}

/* Moves the state to where it has room for another cell of that length. */
static void
grow(SdcTallyChange *change, Size length)
{
	SdcTally *old = change->tally;
	uint64 room = old->used * 2 + length;
	int64 cells = old->cells * 2 + 1;
	uint32 slots =
		cells <= FEW ? 0 : pg_nextpower2_32(Min(cells, 1 << 29) * 2);
	Size size = state_size(old, slots, room);
	SdcTally *tally;

	if (room / MAXIMUM_ALIGNOF >= PG_UINT32_MAX || cells > PG_INT32_MAX / 2)
		size = MaxAllocHugeSize; /* refused by any limit */
	check_limit(size);
	if (change->expanded == NULL && size > LARGE)
		expand(change);
	tally = MemoryContextAllocHuge(change->expanded == NULL
									   ? CurrentMemoryContext
									   : change->expanded->header.eoh_context,
								   size);
	memcpy(tally, old, old->head);
	tally->slots = slots;
	tally->room = room;
	memcpy(cells_of(tally), cells_of(old), old->used);
	if (slots > 0)
		fill_slots(tally);
	change->tally = tally;
	if (change->expanded == NULL)
	{
		/* the spare room may be stored with the rest */
		memset(cells_of(tally) + tally->used, 0, room - tally->used);
		SET_VARSIZE(tally, size);
		change->datum = PointerGetDatum(tally);
		return;
	}
	if (change->expanded->tally != NULL)
		pfree(old);
	change->expanded->tally = tally;
}

void
sdcpg_tally_create(SdcTallyChange *change, const SdcTally *empty,
				   MemoryContext owner)
{
	SdcTally *tally = palloc(empty->head);

	memcpy(tally, empty, empty->head);
	tally->slots = 0;
	tally->cells = 0;
	tally->records = 0;
	tally->used = 0;
	tally->room = 0;
	SET_VARSIZE(tally, empty->head);
	change->tally = tally;
	change->datum = PointerGetDatum(tally);
	change->owner = owner;
	change->expanded = NULL;
}

static void
tally_open(SdcTallyChange *change, Datum state, MemoryContext owner)
{
	struct varlena *value = (struct varlena *) DatumGetPointer(state);

	change->owner = owner;
	change->datum = state;
	change->expanded = NULL;
	if (VARATT_IS_EXTERNAL_EXPANDED_RW(value))
	{
		change->expanded = (SdcTallyExpanded *) DatumGetEOHP(state);
		change->tally = change->expanded->tally;
		return;
	}
	if (!VARATT_IS_4B_U(value))
		value = PG_DETOAST_DATUM_COPY(state);
	change->tally = (SdcTally *) value;
	change->datum = PointerGetDatum(value);
	/* states that have travelled come without slots */
	if (change->tally->slots == 0 && change->tally->cells > FEW)
		grow(change, 0);
}

/* The cell of the combination in shape->value, or NULL. */
static SdcTallyCell *
find_cell(SdcTally *tally, SdcTallyShape *shape, uint32 hash)
{
	const uint32 *slot = slots_of(tally);
	uint32 mask = tally->slots - 1;
	SdcTallyCell *cell;
	uint32 at;
	int64 i;

	if (tally->slots == 0)
	{
		cell = (SdcTallyCell *) cells_of(tally);
		for (i = 0; i < tally->cells; i++)
		{
			if (cell->hash == hash && tally_cell_same(shape, cell))
				return cell;
			cell = (SdcTallyCell *) sdcpg_tally_next(cell);
		}
		return NULL;
	}
	for (at = hash & mask; slot[at] != 0; at = (at + 1) & mask)
	{
		cell = (SdcTallyCell *) (cells_of(tally) +
								 (Size) (slot[at] - 1) * MAXIMUM_ALIGNOF);
		if (cell->hash == hash && tally_cell_same(shape, cell))
			return cell;
	}
	return NULL;
}

/* Appends the combination in shape->value. */
static SdcTallyCell *
add_cell(SdcTallyChange *change, const SdcTallyShape *shape, uint32 hash)
{
	Size length = tally_cell_size(shape);
	SdcTally *tally = change->tally;
	SdcTallyCell *cell;
	uint32 *slot;
	uint32 at;

	if (tally->used + length > tally->room ||
		(tally->cells >= FEW && (tally->cells + 1) * 2 > tally->slots))
		grow(change, length);
	tally = change->tally;
	cell = (SdcTallyCell *) (cells_of(tally) + tally->used);
	cell->count = 0;
	cell->hash = hash;
	cell->length = length;
	tally_cell_write(shape, cell);
	if (tally->slots > 0)
	{
		slot = slots_of(tally);
		at = hash & (tally->slots - 1);
		while (slot[at] != 0)
			at = (at + 1) & (tally->slots - 1);
		slot[at] = 1 + tally->used / MAXIMUM_ALIGNOF;
	}
	tally->used += length;
	tally->cells++;
	return cell;
}

/*
 * Counts more records of a combination whose hash is known.  What comparing
 * leaves behind goes to scratch.
 */
static void
count_hashed(SdcTallyChange *change, SdcTallyShape *shape, uint32 hash,
			 int64 count, MemoryContext scratch)
{
	MemoryContext caller = MemoryContextSwitchTo(scratch);
	SdcTallyCell *cell = find_cell(change->tally, shape, hash);

	MemoryContextSwitchTo(caller);
	if (count > PG_INT64_MAX - change->tally->records)
		ereport(ERROR, (errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
						errmsg("too many records to count")));
	if (cell == NULL)
		cell = add_cell(change, shape, hash);
	else if (shape->loose)
		tally_cell_prefer(shape, cell);
	cell->count += count;
	change->tally->records += count;
}

void
sdcpg_tally_count(SdcTallyChange *change, SdcTallyShape *shape, int64 count)
{
	count_hashed(change, shape, tally_cell_hash(shape), count,
				 CurrentMemoryContext);
}

/* Adds all cells of another state of the same shape. */
static void
tally_join(SdcTallyChange *change, SdcTallyShape *shape, const SdcTally *other)
{
	const SdcTallyCell *cell = sdcpg_tally_first(other);
	MemoryContext scratch = AllocSetContextCreate(
		CurrentMemoryContext, "sdc tally scratch", ALLOCSET_DEFAULT_SIZES);
	int64 i;

	for (i = 0; i < other->cells; i++)
	{
		if (i % POLL_CELLS == 0)
			CHECK_FOR_INTERRUPTS();
		if (i % 1024 == 1023)
			MemoryContextReset(scratch);
		sdcpg_tally_values(shape, cell);
		count_hashed(change, shape, cell->hash, cell->count, scratch);
		cell = sdcpg_tally_next(cell);
	}
	MemoryContextDelete(scratch);
}

int64 *
sdcpg_tally_counts(const SdcTally *tally)
{
	int64 *count = MemoryContextAllocHuge(
		CurrentMemoryContext, Max(tally->cells, 1) * sizeof(int64));
	const SdcTallyCell *cell = sdcpg_tally_first(tally);
	int64 i;

	for (i = 0; i < tally->cells; i++)
	{
		if (i % POLL_CELLS == 0)
			CHECK_FOR_INTERRUPTS();
		count[i] = cell->count;
		cell = sdcpg_tally_next(cell);
	}
	return count;
}

/* ----------------------------------------------------------------------
 * sdc_internal.tally: the type of the states of counting aggregates.
 *
 * The transition functions differ only in which of their arguments make the
 * classes and which are counted within them.
 * ----------------------------------------------------------------------
 */

PG_FUNCTION_INFO_V1(sdcf_tally_in);
PG_FUNCTION_INFO_V1(sdcf_tally_out);
PG_FUNCTION_INFO_V1(sdcf_tally_recv);
PG_FUNCTION_INFO_V1(sdcf_tally_send);
PG_FUNCTION_INFO_V1(sdcf_tally_keys);
PG_FUNCTION_INFO_V1(sdcf_tally_sensitive);
PG_FUNCTION_INFO_V1(sdcf_tally_classes);
PG_FUNCTION_INFO_V1(sdcf_tally_combine);

/* tally_in(cstring) */
Datum
sdcf_tally_in(PG_FUNCTION_ARGS)
{
	PG_RETURN_DATUM(sdcpg_tally_parse(PG_GETARG_CSTRING(0)));
}

/* tally_out(state sdc_internal.tally) */
Datum
sdcf_tally_out(PG_FUNCTION_ARGS)
{
	PG_RETURN_CSTRING(sdcpg_tally_print(sdcpg_tally_read(PG_GETARG_DATUM(0))));
}

/* tally_recv(internal) */
Datum
sdcf_tally_recv(PG_FUNCTION_ARGS)
{
	PG_RETURN_DATUM(sdcpg_tally_receive((StringInfo) PG_GETARG_POINTER(0)));
}

/* tally_send(state sdc_internal.tally) */
Datum
sdcf_tally_send(PG_FUNCTION_ARGS)
{
	PG_RETURN_BYTEA_P(sdcpg_tally_send(sdcpg_tally_read(PG_GETARG_DATUM(0))));
}

/* tally_keys(state sdc_internal.tally, keys "any") */
Datum
sdcf_tally_keys(PG_FUNCTION_ARGS)
{
	return sdcpg_tally_row(fcinfo, 1, 0);
}

/* tally_sensitive(state sdc_internal.tally, sensitive "any", ...) */
Datum
sdcf_tally_sensitive(PG_FUNCTION_ARGS)
{
	return sdcpg_tally_row(fcinfo, 0, 1);
}

/* tally_classes(state sdc_internal.tally, keys "any", sensitive "any", ...) */
Datum
sdcf_tally_classes(PG_FUNCTION_ARGS)
{
	return sdcpg_tally_row(fcinfo, 1, 1);
}

/* tally_combine(state sdc_internal.tally, other sdc_internal.tally) */
Datum
sdcf_tally_combine(PG_FUNCTION_ARGS)
{
	return tally_combine(fcinfo);
}
