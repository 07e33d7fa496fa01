/*
 * known.c
 *		What an intruder compares who knows how the relation was masked.
 *
 * PostgreSQL makes the images, with the same functions that mask, in the query
 * that reads the original.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "lib/stringinfo.h"

#include "host/call/params.h"
#include "host/call/query.h"
#include "host/call/relation.h"
#include "topic/attack/candidates.h"
#include "topic/attack/known.h"
#include "topic/mask/rules.h"
#include "topic/registry/masks.h"

/* Characters of a text that are read, and what is a number in it. */
#define MOST_OF_TEXT 100
#define A_NUMBER     "[0-9]{1,15}(?:[.][0-9]{1,15})?"

/* A part of a key that is a category. */
static char *
part_of_key(const SdcRelationColumn *key, SdcAspect aspect)
{
	bool is_date = key->base == DATEOID || key->base == TIMESTAMPOID;

	if (aspect == SDC_ASPECT_INITIAL)
		return sdcpg_number_is(key->base)
				   ? NULL
				   : psprintf("pg_catalog.left(%s, 1)",
							  sdcpg_query_cast(key, "text"));
	return !is_date ? NULL
					: psprintf("pg_catalog.to_char(CAST(r.%s AS "
							   "pg_catalog.timestamp), '%s')",
							   key->sql,
							   aspect == SDC_ASPECT_MONTH ? "MM"
							   : aspect == SDC_ASPECT_DAY ? "DD"
														  : "D");
}

char *
sdcpg_known_aspect(const SdcRelationColumn *column, SdcAspect aspect)
{
	char *start = psprintf("pg_catalog.left(%s, %d)",
						   sdcpg_query_cast(column, "text"), MOST_OF_TEXT);

	if (aspect >= SDC_ASPECT_MONTH)
		return part_of_key(column, aspect);
	if (column->base == POINTOID && aspect != SDC_ASPECT_CATEGORY)
		return psprintf("(r.%s)[%d]", column->sql,
						aspect == SDC_ASPECT_SECOND_NUMBER);
	if (aspect == SDC_ASPECT_FIRST_NUMBER)
		return psprintf("CAST(pg_catalog.substring(%s, '" A_NUMBER
						"') AS pg_catalog.float8)",
						start);
	if (aspect == SDC_ASPECT_SECOND_NUMBER)
		return psprintf("CAST((pg_catalog.regexp_match(%s, '" A_NUMBER
						"[^0-9]+(" A_NUMBER ")'))[1] AS pg_catalog.float8)",
						start);
	return start;
}

/* What is compared in place of a key, as SQL over r. */
static char *
image_of(const SdcRules *rules, const SdcRelation *original,
		 SdcRelationColumn *key, bool *blank)
{
	const SdcRule *rule = sdcpg_rules_of(rules, key->number);
	const SdcMaskCandidates *candidates =
		rule == NULL ? NULL : &rule->method->candidates;
	char *image = NULL;

	*blank = rule != NULL && candidates->reason == NULL &&
			 candidates->find == sdcpg_candidates_everybody;
	if (candidates != NULL && candidates->image != NULL)
		image = candidates->image(rule, original, key);
	if (image == NULL)
		return psprintf("r.%s", key->sql);
	if (candidates->image_type != InvalidOid)
		key->base = candidates->image_type;
	return image;
}

const SdcRelation *
sdcpg_known_original(const SdcRelation *original, const SdcRelationColumn *id,
					 SdcRelationColumns *keys, Jsonb *rules, bool *blank)
{
	SdcRelation *known;
	SdcRules read;
	StringInfoData sql;
	bool named = id == NULL;
	int j;

	if (blank != NULL)
		memset(blank, 0, sizeof(bool) * keys->count);
	if (rules == NULL)
		return original;
	read = sdcpg_rules_read(rules, original);
	initStringInfo(&sql);
	appendStringInfoString(&sql, "(SELECT ");
	for (j = 0; j < keys->count; j++)
	{
		SdcRelationColumn *key = &keys->column[j];
		bool nothing;
		char *image = image_of(&read, original, key, &nothing);

		named = named || key->number == id->number;
		appendStringInfo(&sql, "%s%s AS %s", j > 0 ? ", " : "", image,
						 key->sql);
		if (blank != NULL)
			blank[j] = nothing;
	}
	if (!named)
		appendStringInfo(&sql, "%sr.%s", keys->count > 0 ? ", " : "", id->sql);
	appendStringInfo(&sql, " FROM %s AS r)", original->sql);
	known = palloc(sizeof(SdcRelation));
	*known = *original;
	known->sql = sql.data;
	return known;
}

Jsonb *
sdcpg_known_rules(Jsonb *params, Jsonb *otherwise)
{
	Jsonb *rules = sdcpg_params_object(params, "rules");

	return rules == NULL ? otherwise : rules;
}
