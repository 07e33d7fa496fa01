/*
 * tally_field.c
 *		The values in an argument of an aggregate, row values taken apart.
 *
 * A row value becomes its fields, so ROW(a, b) counts as the columns a and b
 * do, also where PostgreSQL cannot hash records.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "catalog/pg_type.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/typcache.h"

#include "pg/tally/tally_field.h"

static void
add_column(SdcTallyList *list, SdcTallyField *field, Oid type, Oid collation)
{
	SdcTallyColumn *column;

	if (list->columns == SDC_TALLY_MAX_COLUMNS)
		ereport(ERROR, (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
						errmsg("more than %d columns to count",
							   SDC_TALLY_MAX_COLUMNS)));
	if (list->columns == list->room)
	{
		list->room = Max(list->room * 2, 8);
		list->column =
			list->column == NULL
				? palloc(list->room * sizeof(SdcTallyColumn))
				: repalloc(list->column, list->room * sizeof(SdcTallyColumn));
	}
	column = &list->column[list->columns];
	column->type = type;
	if (!OidIsValid(collation))
		collation = get_typcollation(type);
	column->collation = collation;
	field->column = list->columns++;
}

/* Notes the row type of a row value. */
static void
find_descriptor(SdcTallyField *field, Oid type, int32 typmod)
{
	TupleDesc descriptor = lookup_rowtype_tupdesc(type, typmod);
	MemoryContext caller = MemoryContextSwitchTo(field->context);

	field->type = type;
	field->typmod = typmod;
	field->descriptor = CreateTupleDescCopy(descriptor);
	MemoryContextSwitchTo(caller);
	ReleaseTupleDesc(descriptor);
}

/* Takes a row value apart. */
static void
deform(SdcTallyField *field, HeapTupleHeader header)
{
	HeapTupleData tuple;

	tuple.t_len = HeapTupleHeaderGetDatumLength(header);
	ItemPointerSetInvalid(&tuple.t_self);
	tuple.t_tableOid = InvalidOid;
	tuple.t_data = header;
	heap_deform_tuple(&tuple, field->descriptor, field->value, field->isnull);
}

static void
describe_row(SdcTallyList *list, SdcTallyField *field, Oid type, Datum value,
			 bool isnull)
{
	HeapTupleHeader header = isnull ? NULL : DatumGetHeapTupleHeader(value);
	int fields;
	int i;

	field->context = CurrentMemoryContext;
	if (header != NULL)
		find_descriptor(field, HeapTupleHeaderGetTypeId(header),
						HeapTupleHeaderGetTypMod(header));
	else if (type != RECORDOID)
		find_descriptor(field, type, -1);
	else
		ereport(ERROR, (errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
						errmsg("the first row value must not be null"),
						errdetail("Its fields are not known.")));
	fields = field->descriptor->natts;
	field->is_row = true;
	field->field = palloc0(Max(fields, 1) * sizeof(SdcTallyField));
	field->value = palloc(Max(fields, 1) * sizeof(Datum));
	field->isnull = palloc(Max(fields, 1) * sizeof(bool));
	memset(field->isnull, true, fields);
	if (header != NULL)
		deform(field, header);
	for (i = 0; i < fields; i++)
	{
		Form_pg_attribute attribute = TupleDescAttr(field->descriptor, i);

		if (!attribute->attisdropped)
			sdcpg_tally_field_describe(
				list, &field->field[i], attribute->atttypid,
				attribute->attcollation, field->value[i], field->isnull[i]);
	}
}

void
sdcpg_tally_field_describe(SdcTallyList *list, SdcTallyField *field, Oid type,
						   Oid collation, Datum value, bool isnull)
{
	Oid base = getBaseType(type);

	if (base == RECORDOID || get_typtype(base) == TYPTYPE_COMPOSITE)
	{
		describe_row(list, field, base, value, isnull);
		return;
	}
	field->is_literal = base == UNKNOWNOID;
	if (field->is_literal)
		base = TEXTOID;
	add_column(list, field, base, collation);
}

/*
 * A row value of another row type than the one before it: as good if it has
 * fields of the same types.
 */
static void
change_row_type(SdcTallyField *field, HeapTupleHeader header)
{
	TupleDesc before = field->descriptor;
	int i;

	find_descriptor(field, HeapTupleHeaderGetTypeId(header),
					HeapTupleHeaderGetTypMod(header));
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

void
sdcpg_tally_field_read(SdcTallyField *field, SdcTallyShape *shape, Datum value,
					   bool isnull)
{
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
			change_row_type(field, header);
		deform(field, header);
	}
	for (i = 0; i < field->descriptor->natts; i++)
		if (!TupleDescAttr(field->descriptor, i)->attisdropped)
			sdcpg_tally_field_read(&field->field[i], shape, field->value[i],
								   field->isnull[i]);
}
