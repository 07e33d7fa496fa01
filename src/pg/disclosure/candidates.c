/*
 * candidates.c
 *		What an intruder concludes from each masking method.
 *
 * The table by method, and what several methods share.
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

#include "pg/call/params.h"
#include "pg/call/params_members.h"
#include "pg/call/params_names.h"
#include "pg/disclosure/candidates.h"
#include "pg/disclosure/transparency_read.h"
#include "pg/server/compat.h"

const SdcCandidateMethod sdcpg_candidates[] = {
	[SDC_MASK_RANK_SWAP] = {false, sdcpg_candidates_moved,
							sdcpg_candidates_swap},
	[SDC_MASK_MICROAGGREGATE] = {true, sdcpg_candidates_numbers,
								 sdcpg_candidates_centroid},
	[SDC_MASK_ADD_NOISE] = {false, sdcpg_candidates_numbers,
							sdcpg_candidates_noise},
	[SDC_MASK_SHUFFLE] = {false, sdcpg_candidates_moved,
						  sdcpg_candidates_shuffle},
	[SDC_MASK_PRAM] = {false, sdcpg_candidates_moved, sdcpg_candidates_pram},
	[SDC_MASK_TOP_CODE] = {false, sdcpg_candidates_coded,
						   sdcpg_candidates_image},
	[SDC_MASK_BOTTOM_CODE] = {false, sdcpg_candidates_coded,
							  sdcpg_candidates_image},
	[SDC_MASK_ROUND_TO] = {false, sdcpg_candidates_rounded,
						   sdcpg_candidates_image},
	[SDC_MASK_GENERALIZE] = {false, sdcpg_candidates_generalized,
							 sdcpg_candidates_image},
	[SDC_MASK_MASK_TEXT] = {false, sdcpg_candidates_text,
							sdcpg_candidates_image},
	[SDC_MASK_MASK_INET] = {false, sdcpg_candidates_inet,
							sdcpg_candidates_image},
	[SDC_MASK_SUPPRESS] = {false, sdcpg_candidates_keep,
						   sdcpg_candidates_image},
	[SDC_MASK_PSEUDONYM] = {false, sdcpg_candidates_nothing,
							sdcpg_candidates_everybody},
	[SDC_MASK_CONSTANT] = {false, sdcpg_candidates_nothing,
						   sdcpg_candidates_everybody},
	[SDC_MASK_NULL] = {false, sdcpg_candidates_nothing,
					   sdcpg_candidates_everybody},
	[SDC_MASK_SAMPLE_ROWS] = {false, NULL, NULL},
	[SDC_MASK_KEEP] = {false, sdcpg_candidates_keep, sdcpg_candidates_image},
};

/* A method that was added at the end of the list has no line here. */
StaticAssertDecl(lengthof(sdcpg_candidates) == SDC_MASK_KINDS,
				 "every masking method needs its attack");

char *
sdcpg_candidates_type(const SdcRelation *relation,
					  const SdcRelationColumn *column)
{
	Oid type;
	int32 modifier;
	Oid collation;

	get_atttypetypmodcoll(relation->oid, column->number, &type, &modifier,
						  &collation);
	type = getBaseTypeAndTypmod(type, &modifier);
	return format_type_extended(
		type, modifier, FORMAT_TYPE_TYPEMOD_GIVEN | FORMAT_TYPE_FORCE_QUALIFY);
}

char *
sdcpg_candidates_cast(const SdcRelationColumn *column, const char *sql,
					  const SdcRelation *relation, const SdcRelationColumn *as)
{
	if (sql == NULL)
	{
		sql = psprintf("r.%s", column->sql);
		if (column->base == as->base)
			return (char *) sql;
	}
	return psprintf("CAST(%s AS %s)", sql,
					sdcpg_candidates_type(relation, as));
}

void
sdcpg_candidates_strata(SdcTransparency *transparency,
						SdcTransparencyPart *part)
{
	const SdcRelation *masked = transparency->masked.relation;
	SdcRelationColumns strata = {0};
	int j;

	if (part->rule != NULL)
		strata =
			sdcpg_rule_strata(part->rule, transparency->original.relation);
	part->strata = strata.count;
	part->stratum = palloc(sizeof(SdcTransparencyPair) * (strata.count + 1));
	for (j = 0; j < strata.count; j++)
	{
		const SdcRelationColumn *column = &strata.column[j];
		const char *name =
			sdcpg_params_renamed(transparency->params, "map", column->name);
		SdcDictionary *dictionary = sdcpg_transparency_dictionary(
			transparency, transparency->original.relation, column);
		SdcRelationColumn shown;

		part->stratum[j].masked = -1;
		part->stratum[j].original = sdcpg_transparency_field(
			&transparency->original, psprintf("r.%s", column->sql),
			SDC_FRAME_CODE, dictionary);
		if (get_attnum(masked->oid, name) == InvalidAttrNumber)
			continue;
		shown = sdcpg_relation_column(masked, name);
		if (shown.base == column->base)
			part->stratum[j].masked = sdcpg_transparency_field(
				&transparency->masked, psprintf("r.%s", shown.sql),
				SDC_FRAME_CODE, dictionary);
	}
}

void
sdcpg_candidates_whole(SdcTransparency *transparency,
					   SdcTransparencyPart *part)
{
	SdcHost *host = &transparency->host->kernel;
	int32 rows = transparency->masked.frame->rows;
	uint64 *key = sdc_new(host, uint64, rows);
	SdcCandidateKeys sorted;
	int32 i;

	memset(key, 0, sizeof(uint64) * rows);
	sdc_candidate_set_sort(host, key, rows, &part->set, &sorted);
	sdc_candidate_set_begin(host, &part->set,
							transparency->original.frame->rows);
	for (i = 0; i < transparency->original.frame->rows; i++)
		sdc_candidate_set_put(&part->set, &sorted, i,
							  sdc_candidate_range_all(),
							  sdc_candidate_range_none());
	host->release(host, key);
	host->release(host, (void *) sorted.key);
}

void
sdcpg_candidates_nothing(SdcTransparency *transparency,
						 SdcTransparencyPart *part)
{
	part->strata = 0;
}

void
sdcpg_candidates_everybody(SdcTransparency *transparency,
						   SdcTransparencyPart *part)
{
	part->exact = true;
	sdcpg_candidates_whole(transparency, part);
}

double
sdcpg_candidates_p(const SdcTransparency *transparency,
				   const SdcTransparencyPart *part)
{
	double p = sdcpg_params_number(part->rule->params, "p", 0, 0, 100);
	JsonbValue bound;

	if (!sdcpg_params_find(transparency->params, "p_bound", &bound))
		return p;
	if (bound.type == jbvNumeric)
		return sdcpg_params_number(transparency->params, "p_bound", p, 0, 100);
	return sdcpg_params_member_number(transparency->params, "p_bound",
									  part->original[0].name, p, 0, 100);
}

/* Half a unit of the last digit of a numeric with a scale. */
static double
half_digit(int32 modifier, double value)
{
	int scale;

	if (modifier < (int32) VARHDRSZ)
		return fabs(value) * 1e-14;
	scale = (modifier - VARHDRSZ) & 0x7ff;
	scale = scale > 1023 ? scale - 2048 : scale;
	return 0.5 * pow(10, -scale) * (1 + 1e-9) + fabs(value) * 1e-14;
}

double
sdcpg_candidates_slack(const SdcTransparency *transparency,
					   const SdcRelationColumn *masked, double value)
{
	Oid type;
	int32 modifier;
	Oid collation;

	get_atttypetypmodcoll(transparency->masked.relation->oid, masked->number,
						  &type, &modifier, &collation);
	(void) getBaseTypeAndTypmod(type, &modifier);
	switch (masked->base)
	{
		case FLOAT8OID:
			return 0;
		case FLOAT4OID:
			return fabs(value) * 1.2e-7;
		case NUMERICOID:
			return half_digit(modifier, value);
		case TIMESTAMPOID:
		case TIMESTAMPTZOID:
			/* seconds as doubles are microseconds only nearly */
			return 2 + fabs(value) * 1e-14;
		default:
			return 0.5;
	}
}

double *
sdcpg_candidates_with_nan(SdcHost *host, const SdcFrameColumn *column,
						  int32 rows)
{
	double *number = sdc_new(host, double, rows);
	int32 i;

	for (i = 0; i < rows; i++)
		number[i] = column->isnull[i] ? NAN : column->number[i];
	return number;
}
