/*
 * nulls.c
 *		What a NULL in a relation means: one meaning for all who count it.
 *
 * The table sdc.null_meaning has a row for each relation of which it was said.
 */
#include "postgres.h"

#include "access/xact.h"
#include "catalog/partition.h"
#include "catalog/pg_type.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

#include "host/call/catalog.h"
#include "host/call/params.h"
#include "host/call/relation.h"
#include "host/server/compat.h"
#include "topic/registry/nulls.h"
#include "topic/registry/roles.h"

PG_FUNCTION_INFO_V1(sdcf_declared_nulls);

/* What is declared for this very relation. */
static bool
read_meaning(Oid relation, SdcNulls *meaning)
{
	SdcCatalogParameters parameters = {0};
	SdcCatalogRows *rows;

	sdcpg_catalog_bind(&parameters, REGCLASSOID, ObjectIdGetDatum(relation),
					   false);
	rows =
		sdcpg_catalog_read_owned("null_meaning",
								 "SELECT n.nulls FROM sdc.null_meaning AS n "
								 "WHERE n.relation OPERATOR(pg_catalog.=) $1",
								 &parameters);
	if (rows->count == 0)
		return false;
	*meaning = (SdcNulls) sdcpg_args_choice(
		"nulls", DatumGetTextPP(rows->value[0][0]), sdc_nulls_words);
	return true;
}

bool
sdcpg_nulls_declared(Oid relation, SdcNulls *meaning)
{
	List *ancestors = NIL;
	ListCell *cell;

	if (read_meaning(relation, meaning))
		return true;
	if (get_rel_relispartition(relation))
		ancestors = get_partition_ancestors(relation);
	foreach (cell, ancestors)
		if (read_meaning(lfirst_oid(cell), meaning))
			return true;
	return false;
}

/* Stops with the words of the meanings that can be counted. */
pg_noreturn static void
refuse(SdcNulls meaning, unsigned possible)
{
	StringInfoData words;
	int i;

	initStringInfo(&words);
	for (i = 0; sdc_nulls_words[i] != NULL; i++)
		if ((possible & SDC_NULLS_AS(i)) != 0)
			appendStringInfo(&words, "%s\"%s\"", words.len > 0 ? ", " : "",
							 sdc_nulls_words[i]);
	ereport(ERROR, (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
					errmsg("nulls \"%s\" is not supported here",
						   sdc_nulls_words[meaning]),
					meaning == SDC_NULLS_WILDCARD
						? errdetail("This needs classes, which NULLs as "
									"wildcards do not form.")
						: 0,
					errhint("Valid values are %s.", words.data)));
}

SdcNulls
sdcpg_nulls_read(const SdcRelation *relation, Jsonb *params, unsigned possible,
				 SdcNulls undeclared)
{
	SdcNulls meaning;

	if (sdcpg_params_has(params, "nulls"))
	{
		meaning =
			(SdcNulls) sdcpg_params_choice(params, "nulls", sdc_nulls_words);
		if ((possible & SDC_NULLS_AS(meaning)) == 0)
			refuse(meaning, possible);
		return meaning;
	}
	if (!sdcpg_nulls_declared(relation->oid, &meaning))
		return undeclared;
	return (possible & SDC_NULLS_AS(meaning)) != 0 ? meaning
												   : SDC_NULLS_CATEGORY;
}

void
sdcpg_nulls_forget(Oid relation)
{
	SdcCatalogParameters parameters = {0};

	sdcpg_catalog_bind(&parameters, REGCLASSOID, ObjectIdGetDatum(relation),
					   false);
	sdcpg_catalog_write("null_meaning",
						"DELETE FROM sdc.null_meaning AS n "
						"WHERE n.relation OPERATOR(pg_catalog.=) $1 "
						"OR NOT EXISTS (SELECT FROM pg_catalog.pg_class AS c "
						"WHERE c.oid OPERATOR(pg_catalog.=) n.relation)",
						&parameters);
}

void
sdcpg_nulls_declare(Oid relation, SdcNulls meaning)
{
	SdcCatalogParameters parameters = {0};

	sdcpg_catalog_need_owner(sdcpg_relation_find(relation));
	sdcpg_nulls_forget(relation);
	sdcpg_catalog_bind(&parameters, REGCLASSOID, ObjectIdGetDatum(relation),
					   false);
	sdcpg_catalog_bind_text(&parameters, sdc_nulls_words[meaning]);
	sdcpg_catalog_write("null_meaning",
						"INSERT INTO sdc.null_meaning (relation, nulls) "
						"VALUES ($1, $2)",
						&parameters);
}

void
sdcpg_nulls_of_target(const SdcTarget *target, SdcNulls meaning)
{
	CommandCounterIncrement();
	sdcpg_nulls_declare(get_relname_relid(target->name, target->schema),
						meaning);
}

void
sdcpg_nulls_inherit(Oid from, const SdcTarget *target)
{
	SdcNulls meaning;

	if (sdcpg_nulls_declared(from, &meaning))
		sdcpg_nulls_of_target(target, meaning);
}

/* declared_nulls(relation regclass) */
Datum
sdcf_declared_nulls(PG_FUNCTION_ARGS)
{
	SdcRelation *relation;
	SdcNulls meaning;

	sdcpg_args_need(fcinfo, 0);
	relation = sdcpg_relation_find(PG_GETARG_OID(0));
	sdcpg_roles_need_reader(relation);
	if (!sdcpg_nulls_declared(relation->oid, &meaning))
		PG_RETURN_NULL();
	PG_RETURN_TEXT_P(cstring_to_text(sdc_nulls_words[meaning]));
}
