/*
 * categories.c
 *		Which of the public categories of a column a value is.
 *
 * A hash table that is never more than half full; types without a hash are
 * compared with every category.
 */
#include "postgres.h"

#include "utils/lsyscache.h"
#include "utils/typcache.h"

#include "topic/privacy/categories.h"

static void
fill(SdcCategories *categories)
{
	uint32 room = 2;
	uint32 i;

	while (room < 2 * (uint32) categories->count)
		room *= 2;
	categories->mask = room - 1;
	categories->place = palloc(sizeof(int32) * room);
	for (i = 0; i < room; i++)
		categories->place[i] = -1;
	for (i = 0; i < (uint32) categories->count; i++)
	{
		uint32 at = DatumGetUInt32(FunctionCall1Coll(
			categories->hash, categories->collation, categories->value[i]));

		while (categories->place[at & categories->mask] >= 0)
			at++;
		categories->place[at & categories->mask] = (int32) i;
	}
}

SdcCategories *
sdcpg_categories_make(const SdcDatasetColumn *column, Oid collation)
{
	SdcCategories *categories = palloc0(sizeof(SdcCategories));
	TypeCacheEntry *type =
		lookup_type_cache(column->column.base,
						  TYPECACHE_EQ_OPR_FINFO | TYPECACHE_HASH_PROC_FINFO);
	Oid input;
	Oid parameter;
	int i;

	getTypeInputInfo(column->column.base, &input, &parameter);
	categories->count = column->categories;
	categories->collation = collation;
	categories->equal = &type->eq_opr_finfo;
	categories->value = palloc(sizeof(Datum) * column->categories);
	for (i = 0; i < column->categories; i++)
		categories->value[i] =
			OidInputFunctionCall(input, column->category[i], parameter, -1);
	if (OidIsValid(type->hash_proc_finfo.fn_oid))
	{
		categories->hash = &type->hash_proc_finfo;
		fill(categories);
	}
	return categories;
}

static bool
is_category(const SdcCategories *categories, int number, Datum value)
{
	return DatumGetBool(FunctionCall2Coll(categories->equal,
										  categories->collation,
										  categories->value[number], value));
}

int
sdcpg_categories_find(const SdcCategories *categories, Datum value,
					  bool isnull)
{
	int i;

	if (isnull)
		return -1;
	if (categories->hash != NULL)
	{
		uint32 at = DatumGetUInt32(
			FunctionCall1Coll(categories->hash, categories->collation, value));

		while ((i = categories->place[at & categories->mask]) >= 0 &&
			   !is_category(categories, i, value))
			at++;
		return i;
	}
	for (i = categories->count - 1; i >= 0; i--)
		if (is_category(categories, i, value))
			break;
	return i;
}
