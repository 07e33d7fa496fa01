/*
 * tally_row.c
 *		Rows that an aggregate is given, counted in its state.
 *
 * What the arguments look like is found out at the first row of a call site.
 * A row value becomes its fields, so ROW(a, b) counts as the columns a and b
 * do, also where PostgreSQL cannot hash records.
 */
#include "postgres.h"

#include <math.h>

#include "access/htup_details.h"
#include "catalog/pg_type.h"
#include "nodes/nodeFuncs.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/typcache.h"

#include "pg/args.h"
#include "pg/tally.h"
#include "pg/tally_parameter.h"
#include "pg/tally_row.h"

/* An argument, or a field of one. */
typedef struct Field
{
	bool is_row;
	bool is_literal; /* of unknown type, to be read as text */
	int column;
	/* of rows */
	Oid type;
	int32 typmod;
	TupleDesc descriptor;
	struct Field *field;
	Datum *value;
	bool *isnull;
} Field;

/* A call site of a transition function. */
typedef struct Reader
{
	MemoryContext context;
	int arguments;
	Field *argument;
	int keys; /* columns of the keys */
	int columns;
	SdcTallyColumn *column;
	SdcTallyShape *shape;
	bool constant; /* the constant arguments are constants of the query */
	SdcTally *empty;
} Reader;

static void describe_field(Reader *reader, Field *field, Oid type,
						   Oid collation, Datum value, bool isnull);

static void
add_column(Reader *reader, Field *field, Oid type, Oid collation)
{
	SdcTallyColumn *column;

	if (reader->columns == SDC_TALLY_MAX_COLUMNS)
		ereport(ERROR, (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
						errmsg("more than %d columns to count",
							   SDC_TALLY_MAX_COLUMNS)));
	reader->column = repalloc(reader->column,
							  (reader->columns + 1) * sizeof(SdcTallyColumn));
	column = &reader->column[reader->columns];
	column->type = type;
	if (!OidIsValid(collation))
		collation = get_typcollation(type);
	column->collation = collation;
	field->column = reader->columns++;
}

/* Notes the row type of a row value. */
static void
find_descriptor(Field *field, Oid type, int32 typmod, MemoryContext context)
{
	TupleDesc descriptor = lookup_rowtype_tupdesc(type, typmod);
	MemoryContext caller = MemoryContextSwitchTo(context);

	field->type = type;
	field->typmod = typmod;
	field->descriptor = CreateTupleDescCopy(descriptor);
	MemoryContextSwitchTo(caller);
	ReleaseTupleDesc(descriptor);
}

/* Takes a row value apart. */
static void
deform(Field *field, HeapTupleHeader header)
{
	HeapTupleData tuple;

	tuple.t_len = HeapTupleHeaderGetDatumLength(header);
	ItemPointerSetInvalid(&tuple.t_self);
	tuple.t_tableOid = InvalidOid;
	tuple.t_data = header;
	heap_deform_tuple(&tuple, field->descriptor, field->value, field->isnull);
}

static void
describe_row(Reader *reader, Field *field, Oid type, Datum value, bool isnull)
{
	HeapTupleHeader header = isnull ? NULL : DatumGetHeapTupleHeader(value);
	int fields;
	int i;

	if (header != NULL)
		find_descriptor(field, HeapTupleHeaderGetTypeId(header),
						HeapTupleHeaderGetTypMod(header), reader->context);
	else if (type != RECORDOID)
		find_descriptor(field, type, -1, reader->context);
	else
		ereport(ERROR, (errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
						errmsg("the first row value must not be null"),
						errdetail("Its fields are not known.")));
	fields = field->descriptor->natts;
	field->is_row = true;
	field->field = palloc0(Max(fields, 1) * sizeof(Field));
	field->value = palloc(Max(fields, 1) * sizeof(Datum));
	field->isnull = palloc(Max(fields, 1) * sizeof(bool));
	memset(field->isnull, true, fields);
	if (header != NULL)
		deform(field, header);
	for (i = 0; i < fields; i++)
	{
		Form_pg_attribute attribute = TupleDescAttr(field->descriptor, i);

		if (!attribute->attisdropped)
			describe_field(reader, &field->field[i], attribute->atttypid,
						   attribute->attcollation, field->value[i],
						   field->isnull[i]);
	}
}

static void
describe_field(Reader *reader, Field *field, Oid type, Oid collation,
			   Datum value, bool isnull)
{
	Oid base = getBaseType(type);

	if (base == RECORDOID || get_typtype(base) == TYPTYPE_COMPOSITE)
	{
		describe_row(reader, field, base, value, isnull);
		return;
	}
	field->is_literal = base == UNKNOWNOID;
	if (field->is_literal)
		base = TEXTOID;
	add_column(reader, field, base, collation);
}

/*
 * The collation of an argument.  Aggregates share one input collation among
 * their arguments, which is none when they differ, so the expression itself
 * is asked.
 */
static Oid
argument_collation(FunctionCallInfo fcinfo, int argument)
{
	Aggref *aggregate = AggGetAggref(fcinfo);
	TargetEntry *entry;

	if (aggregate == NULL || list_length(aggregate->args) < argument)
		return PG_GET_COLLATION();
	entry = list_nth_node(TargetEntry, aggregate->args, argument - 1);
	return exprCollation((Node *) entry->expr);
}

/* Are all constant arguments constants of the query, so that none varies? */
static bool
has_constants(FunctionCallInfo fcinfo, int first)
{
	Aggref *aggregate = AggGetAggref(fcinfo);
	int i;

	for (i = first; i < PG_NARGS(); i++)
	{
		TargetEntry *entry;

		if (aggregate == NULL || list_length(aggregate->args) < i)
			return false;
		entry = list_nth_node(TargetEntry, aggregate->args, i - 1);
		if (!IsA(entry->expr, Const))
			return false;
	}
	return true;
}

static Reader *
new_reader(FunctionCallInfo fcinfo, int keys, int others)
{
	MemoryContext context = fcinfo->flinfo->fn_mcxt;
	MemoryContext caller = MemoryContextSwitchTo(context);
	Reader *reader = palloc0(sizeof(Reader));
	int i;

	reader->context = context;
	reader->column = palloc(sizeof(SdcTallyColumn));
	reader->arguments = keys + others;
	reader->argument = palloc0(reader->arguments * sizeof(Field));
	for (i = 0; i < reader->arguments; i++)
	{
		int before = reader->columns;

		if (i == keys)
			reader->keys = reader->columns;
		describe_field(reader, &reader->argument[i],
					   get_fn_expr_argtype(fcinfo->flinfo, i + 1),
					   argument_collation(fcinfo, i + 1),
					   fcinfo->args[i + 1].value, fcinfo->args[i + 1].isnull);
		if (reader->columns == before)
			ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
							errmsg("row value without fields")));
	}
	if (others == 0)
		reader->keys = reader->columns;
	reader->constant = has_constants(fcinfo, 1 + reader->arguments);
	MemoryContextSwitchTo(caller);
	reader->shape = sdcpg_tally_shape(reader->column, reader->columns,
									  reader->keys, context);
	return reader;
}

/*
 * A row value of another row type than the one before it: as good if it has
 * fields of the same types.
 */
static void
change_row_type(Reader *reader, Field *field, HeapTupleHeader header)
{
	TupleDesc before = field->descriptor;
	int i;

	find_descriptor(field, HeapTupleHeaderGetTypeId(header),
					HeapTupleHeaderGetTypMod(header), reader->context);
	for (i = 0; i < before->natts && i < field->descriptor->natts; i++)
	{
		Form_pg_attribute a = TupleDescAttr(before, i);
		Form_pg_attribute b = TupleDescAttr(field->descriptor, i);

		if (a->attisdropped != b->attisdropped || a->atttypid != b->atttypid)
			break;
	}
	if (i < before->natts || i < field->descriptor->natts)
		ereport(ERROR, (errcode(ERRCODE_DATATYPE_MISMATCH),
						errmsg("row values differ in their fields"),
						errdetail("All rows of an aggregate must have as many "
								  "fields, of the same types.")));
	FreeTupleDesc(before);
}

/* Reads a value, or the fields of a row value, into the shape. */
static void
read_field(Reader *reader, Field *field, Datum value, bool isnull)
{
	SdcTallyShape *shape = reader->shape;
	HeapTupleHeader header;
	int i;

	if (!field->is_row)
	{
		if (field->is_literal && !isnull)
			value = CStringGetTextDatum(DatumGetCString(value));
		shape->isnull[field->column] = isnull;
		if (!isnull)
			shape->value[field->column] =
				sdcpg_equality_whole(&shape->equality[field->column], value);
		return;
	}
	if (isnull)
		memset(field->isnull, true, field->descriptor->natts);
	else
	{
		header = DatumGetHeapTupleHeader(value);
		if (HeapTupleHeaderGetTypeId(header) != field->type ||
			HeapTupleHeaderGetTypMod(header) != field->typmod)
			change_row_type(reader, field, header);
		deform(field, header);
	}
	for (i = 0; i < field->descriptor->natts; i++)
		if (!TupleDescAttr(field->descriptor, i)->attisdropped)
			read_field(reader, &field->field[i], field->value[i],
					   field->isnull[i]);
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
		empty =
			sdcpg_tally_empty(fcinfo, 1 + reader->arguments, reader->shape);
		reader->empty = reader->constant ? empty : NULL;
		MemoryContextSwitchTo(caller);
	}
	if (PG_ARGISNULL(0))
		sdcpg_tally_create(&change, empty, memory);
	else
		sdcpg_tally_open(&change, PG_GETARG_DATUM(0), memory);
	if (!sdcpg_tally_alike(change.tally, empty))
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("constant arguments of the aggregate must not "
							   "vary within a group")));
	for (i = 0; i < reader->arguments; i++)
		read_field(reader, &reader->argument[i], fcinfo->args[i + 1].value,
				   fcinfo->args[i + 1].isnull);
	sdcpg_tally_count(&change, reader->shape, 1);
	return change.datum;
}

Datum
sdcpg_tally_combine(FunctionCallInfo fcinfo)
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
		sdcpg_tally_open(&change, PG_GETARG_DATUM(0), memory);
	if (!sdcpg_tally_alike(change.tally, other))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("states to be combined differ in what they count"),
				 errdetail("Types and constant arguments of an aggregate must "
						   "not vary within a group.")));
	sdcpg_tally_join(&change, sdcpg_tally_shape_of(fcinfo, other), other);
	return change.datum;
}
