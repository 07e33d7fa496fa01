/*
 * tally_shape.c
 *		What a state counts.
 *
 * Types are looked up once for a call site and kept there, not in the states,
 * of which there may be one for every group.
 */
#include "postgres.h"

#include "pg/tally/tally.h"

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

bool
sdcpg_tally_alike(const SdcTally *a, const SdcTally *b)
{
	return a->head == b->head && a->columns == b->columns &&
		   a->keys == b->keys && a->numbers == b->numbers &&
		   a->lists == b->lists &&
		   memcmp(a + 1, b + 1, a->head - sizeof(SdcTally)) == 0;
}
