/*
 * mask_type.c
 *		Values of columns as numbers or text, and back, as SQL.
 *
 * A date is days since 2000-01-01, a timestamp seconds since 1970.  A length
 * is enforced as an assignment would do it: an explicit cast to varchar(n)
 * would cut the value without a word.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

#include "pg/mask/mask_type.h"
#include "pg/server/compat.h"

#define DAY_0 "'2000-01-01'::pg_catalog.date"

static int
class_of(Oid type)
{
	switch (type)
	{
		case INT2OID:
		case INT4OID:
		case INT8OID:
		case FLOAT4OID:
		case FLOAT8OID:
		case NUMERICOID:
			return SDC_MASK_NUMBERS;
		case DATEOID:
		case TIMESTAMPOID:
		case TIMESTAMPTZOID:
			return SDC_MASK_TIMES;
		case TEXTOID:
		case VARCHAROID:
		case BPCHAROID:
			return SDC_MASK_TEXTS;
		case BOOLOID:
		case UUIDOID:
			return SDC_MASK_WORDS;
		case INETOID:
		case CIDROID:
			return SDC_MASK_ADDRESSES;
		default:
			return 0;
	}
}

void
sdcpg_mask_type_need(const SdcMaskPlan *plan, const SdcRule *rule,
					 const SdcRelationColumn *column, int classes)
{
	if ((class_of(column->base) & classes) == 0)
		ereport(
			ERROR,
			(errcode(ERRCODE_DATATYPE_MISMATCH),
			 errmsg("method \"%s\" cannot mask column \"%s\" of relation "
					"\"%s\"",
					rule->method->name, column->name, plan->relation->name),
			 errdetail("Its type is %s.", format_type_be(column->type))));
}

char *
sdcpg_mask_type_number(const SdcRelationColumn *column)
{
	switch (column->base)
	{
		case FLOAT8OID:
			return psprintf("CAST(r.%s AS pg_catalog.float8)", column->sql);
		case DATEOID:
			return psprintf("CAST(pg_catalog.date_mi(r.%s, " DAY_0
							") AS pg_catalog.float8)",
							column->sql);
		case TIMESTAMPOID:
		case TIMESTAMPTZOID:
			return psprintf("pg_catalog.date_part('epoch', r.%s)",
							column->sql);
		default:
			return psprintf("CAST(r.%s AS pg_catalog.float8)", column->sql);
	}
}

char *
sdcpg_mask_type_text(const SdcRelationColumn *column)
{
	return psprintf("CAST(r.%s AS pg_catalog.text)", column->sql);
}

/* The type of a column in the result as SQL, with its length. */
static char *
type_name(const SdcMaskPlan *plan, const SdcRelationColumn *column)
{
	Oid type;
	int32 modifier;
	Oid collation;

	get_atttypetypmodcoll(plan->relation->oid, column->number, &type,
						  &modifier, &collation);
	if (!plan->in_place)
		type = getBaseTypeAndTypmod(type, &modifier);
	return format_type_extended(
		type, modifier, FORMAT_TYPE_TYPEMOD_GIVEN | FORMAT_TYPE_FORCE_QUALIFY);
}

/* The length of a varchar or char column, as its type modifier, or -1. */
static int32
length_of(const SdcMaskPlan *plan, const SdcRelationColumn *column)
{
	Oid type;
	int32 modifier;
	Oid collation;

	get_atttypetypmodcoll(plan->relation->oid, column->number, &type,
						  &modifier, &collation);
	(void) getBaseTypeAndTypmod(type, &modifier);
	return modifier;
}

char *
sdcpg_mask_type_cast(const SdcMaskPlan *plan, const SdcRelationColumn *column,
					 const char *sql)
{
	return psprintf("CAST(%s AS %s)", sql, type_name(plan, column));
}

char *
sdcpg_mask_type_from_number(const SdcMaskPlan *plan,
							const SdcRelationColumn *column, const char *sql)
{
	char *value;

	switch (column->base)
	{
		case DATEOID:
			value = psprintf("pg_catalog.date_pli(" DAY_0
							 ", CAST(%s AS pg_catalog.int4))",
							 sql);
			break;
		case TIMESTAMPOID:
			value = psprintf("pg_catalog.timezone('UTC'::pg_catalog.text, "
							 "pg_catalog.to_timestamp(%s))",
							 sql);
			break;
		case TIMESTAMPTZOID:
			value = psprintf("pg_catalog.to_timestamp(%s)", sql);
			break;
		default:
			value = (char *) sql;
	}
	return sdcpg_mask_type_cast(plan, column, value);
}

char *
sdcpg_mask_type_from_text(const SdcMaskPlan *plan,
						  const SdcRelationColumn *column, const char *sql)
{
	int32 length = length_of(plan, column);
	const char *name = column->base == VARCHAROID ? "varchar" : "bpchar";

	if (class_of(column->base) != SDC_MASK_TEXTS || length < 0 ||
		column->base == TEXTOID)
		return sdcpg_mask_type_cast(plan, column, sql);
	return sdcpg_mask_type_cast(
		plan, column,
		psprintf("pg_catalog.\"%s\"(CAST(%s AS pg_catalog.\"%s\"), %d, false)",
				 name, sql, name, length));
}
