/*
 * dp_column.c
 *		sdc.describe_column: what is public about a column of a data set.
 *
 * Bounds and categories are kept as numbers and texts, not in the type of the
 * column: they are read again, in that type, by each request.
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_collation.h"
#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"
#include "utils/lsyscache.h"
#include "utils/typcache.h"

#include "host/call/args.h"
#include "host/call/catalog.h"
#include "topic/privacy/request.h"
#include "host/server/compat.h"
#include "host/call/relation.h"
#include "topic/privacy/dataset.h"

PG_FUNCTION_INFO_V1(sdcf_describe_column);

/* Stops unless there are two ordered bounds, whole for whole numbers. */
static void
check_bounds(const SdcRelationColumn *column, Numeric lower, Numeric upper)
{
	bool whole = column->base == INT2OID || column->base == INT4OID ||
				 column->base == INT8OID;
	Numeric bound[2] = {lower, upper};
	int i;

	if (!whole && column->base != FLOAT4OID && column->base != FLOAT8OID &&
		column->base != NUMERICOID)
		ereport(ERROR,
				(errcode(ERRCODE_DATATYPE_MISMATCH),
				 errmsg("column \"%s\" is not a number", column->name)));
	for (i = 0; i < 2; i++)
	{
		Datum given = NumericGetDatum(bound[i]);

		if (numeric_is_nan(bound[i]) || numeric_is_inf(bound[i]) ||
			isinf(DatumGetFloat8(
				DirectFunctionCall1(numeric_float8_no_overflow, given))))
			ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
							errmsg("argument \"%s\" must be finite",
								   i == 0 ? "lower" : "upper")));
		if (whole &&
			DatumGetInt32(DirectFunctionCall2(
				numeric_cmp, DirectFunctionCall1(numeric_floor, given),
				given)) != 0)
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("bounds of a column of whole numbers must be "
							"whole")));
		/* the kernels take 62 bits */
		if (whole)
			(void) DirectFunctionCall1(numeric_int8, given);
	}
	if (DatumGetInt32(DirectFunctionCall2(numeric_cmp, NumericGetDatum(lower),
										  NumericGetDatum(upper))) > 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("argument \"lower\" must not be above \"upper\"")));
}

/* The categories as the type of the column writes them; all differ. */
static Datum
check_categories(const SdcRelationColumn *column, ArrayType *array)
{
	int count;
	char **given = sdcpg_request_texts("categories", array, &count);
	TypeCacheEntry *type =
		lookup_type_cache(column->base, TYPECACHE_EQ_OPR_FINFO);
	Datum *value = palloc(sizeof(Datum) * count);
	ArrayBuildState *written = NULL;
	Oid input;
	Oid output;
	Oid parameter;
	bool variable;
	int i;
	int j;

	if (!OidIsValid(type->eq_opr_finfo.fn_oid))
		ereport(ERROR, (errcode(ERRCODE_UNDEFINED_FUNCTION),
						errmsg("values of column \"%s\" cannot be compared",
							   column->name)));
	getTypeInputInfo(column->base, &input, &parameter);
	getTypeOutputInfo(column->base, &output, &variable);
	for (i = 0; i < count; i++)
	{
		value[i] = OidInputFunctionCall(input, given[i], parameter, -1);
		CHECK_FOR_INTERRUPTS();
		for (j = 0; j < i; j++)
			if (DatumGetBool(FunctionCall2Coll(&type->eq_opr_finfo,
											   DEFAULT_COLLATION_OID, value[j],
											   value[i])))
				ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
								errmsg("the categories must all differ")));
		written = accumArrayResult(
			written,
			CStringGetTextDatum(OidOutputFunctionCall(output, value[i])),
			false, TEXTOID, CurrentMemoryContext);
	}
	return makeArrayResult(written, CurrentMemoryContext);
}

/*
 * dp_column(dataset text, column_name name, lower numeric, upper numeric,
 *           categories text[])
 */
Datum
sdcf_describe_column(PG_FUNCTION_ARGS)
{
	SdcCatalogParameters parameters = {0};
	SdcDataset *dataset;
	SdcRelation *relation;
	SdcRelationColumn column;
	Datum categories = 0;
	SdcActing acting;
	Oid owner;
	int i;

	if (PG_ARGISNULL(0))
		sdcpg_args_null("dataset");
	if (PG_ARGISNULL(1))
		sdcpg_args_null("column_name");
	dataset = sdcpg_dataset_need_owner(text_to_cstring(PG_GETARG_TEXT_PP(0)));
	relation = sdcpg_dataset_relation(dataset, &owner);
	column = sdcpg_relation_column(relation, NameStr(*PG_GETARG_NAME(1)));
	if (PG_ARGISNULL(2) != PG_ARGISNULL(3))
		sdcpg_args_null(PG_ARGISNULL(2) ? "lower" : "upper");
	if (!PG_ARGISNULL(2))
		check_bounds(&column, PG_GETARG_NUMERIC(2), PG_GETARG_NUMERIC(3));
	if (!PG_ARGISNULL(4))
	{
		sdcpg_dataset_act(&acting, owner);
		categories = check_categories(&column, PG_GETARG_ARRAYTYPE_P(4));
		sdcpg_dataset_act_end(&acting);
	}
	sdcpg_catalog_bind(&parameters, INT8OID, Int64GetDatum(dataset->id),
					   false);
	sdcpg_catalog_bind(&parameters, NAMEOID, PG_GETARG_DATUM(1), false);
	for (i = 2; i < 4; i++)
		sdcpg_catalog_bind(&parameters, NUMERICOID,
						   PG_ARGISNULL(i) ? (Datum) 0 : PG_GETARG_DATUM(i),
						   PG_ARGISNULL(i));
	sdcpg_catalog_bind(&parameters, TEXTARRAYOID, categories, PG_ARGISNULL(4));
	sdcpg_catalog_write(
		"dp_dataset_column",
		"INSERT INTO sdc.dp_dataset_column (dataset, column_name, lower, "
		"upper, categories) VALUES ($1, $2, $3, $4, $5) ON CONFLICT (dataset, "
		"column_name) DO UPDATE SET lower = excluded.lower, upper = "
		"excluded.upper, categories = excluded.categories",
		&parameters);
	PG_RETURN_VOID();
}
