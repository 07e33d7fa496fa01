/*
 * tally_cell.c
 *		How a combination of values is written into a cell of a state.
 *
 * A bitmap of the columns that are NULL, padded, and then the other values,
 * each at an address that any type may have: by-value types as a Datum, the
 * rest as their bytes.
 */
#include "postgres.h"

#include "utils/datum.h"

#include "kernel/base/random.h"
#include "pg/tally/tally.h"
#include "pg/tally/tally_cell.h"

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

uint32
sdcpg_tally_cell_hash(SdcTallyShape *shape)
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

Size
sdcpg_tally_cell_size(const SdcTallyShape *shape)
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

void
sdcpg_tally_cell_write(const SdcTallyShape *shape, SdcTallyCell *cell)
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

bool
sdcpg_tally_cell_same(SdcTallyShape *shape, const SdcTallyCell *cell)
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

void
sdcpg_tally_cell_prefer(SdcTallyShape *shape, SdcTallyCell *cell)
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
	if (!any || sdcpg_tally_cell_size(shape) > cell->length)
		return;
	/* some of the values still lie in the cell */
	better = palloc0(cell->length);
	*better = *cell;
	sdcpg_tally_cell_write(shape, better);
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
