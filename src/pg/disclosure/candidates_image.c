/*
 * candidates_image.c
 *		Masks that turn equal values into equal values.
 *
 * The intruder applies the mask to what he knows and looks for the result.
 * PostgreSQL does so, with the same functions, in the query that reads the
 * original; the image is then compared as a value of the masked column.
 */
#include "postgres.h"

#include "catalog/pg_collation.h"
#include "catalog/pg_type.h"
#include "utils/builtins.h"
#include "utils/numeric.h"

#include "pg/call/params.h"
#include "pg/call/params_names.h"
#include "pg/data/number.h"
#include "pg/disclosure/candidates.h"
#include "pg/disclosure/transparency_read.h"
#include "pg/server/compat.h"

/* Asks for the image of a column and for the masked column. */
static void
ask(SdcTransparency *transparency, SdcTransparencyPart *part,
	const char *image)
{
	const SdcRelation *masked = transparency->masked.relation;
	SdcDictionary *dictionary =
		sdcpg_transparency_dictionary(transparency, masked, &part->masked[0]);

	part->value = palloc(sizeof(SdcTransparencyPair));
	part->value->original = sdcpg_transparency_field(
		&transparency->original,
		sdcpg_candidates_cast(&part->original[0], image, masked,
							  &part->masked[0]),
		SDC_FRAME_CODE, dictionary);
	part->value->masked = sdcpg_transparency_field(
		&transparency->masked, psprintf("r.%s", part->masked[0].sql),
		SDC_FRAME_CODE, dictionary);
}

/* The same for images that are text, whatever the masked column is. */
static void
ask_text(SdcTransparency *transparency, SdcTransparencyPart *part, char *image)
{
	SdcRelationColumn text = part->masked[0];
	SdcDictionary *dictionary;

	text.base = TEXTOID;
	dictionary = sdcpg_transparency_dictionary(
		transparency, transparency->masked.relation, &text);
	part->value = palloc(sizeof(SdcTransparencyPair));
	part->value->original = sdcpg_transparency_field(
		&transparency->original, image, SDC_FRAME_CODE, dictionary);
	part->value->masked = sdcpg_transparency_field(
		&transparency->masked,
		psprintf("CAST(r.%s AS pg_catalog.text)", part->masked[0].sql),
		SDC_FRAME_CODE, dictionary);
}

/* A number or string of a rule as an SQL literal. */
static char *
literal(const SdcTransparencyPart *part, const char *key)
{
	JsonbValue value;

	if (!sdcpg_params_find(part->rule->params, key, &value))
		return NULL;
	if (value.type == jbvString)
		return quote_literal_cstr(
			pnstrdup(value.val.string.val, value.val.string.len));
	if (value.type != jbvNumeric)
		sdcpg_params_wrong(key, "a number or a string");
	return quote_literal_cstr(DatumGetCString(
		DirectFunctionCall1(numeric_out, NumericGetDatum(value.val.numeric))));
}

void
sdcpg_candidates_keep(SdcTransparency *transparency, SdcTransparencyPart *part)
{
	ask(transparency, part, NULL);
}

void
sdcpg_candidates_coded(SdcTransparency *transparency,
					   SdcTransparencyPart *part)
{
	bool top = part->kind == SDC_MASK_TOP_CODE;
	SdcRelationColumn *column = &part->original[0];

	ask(transparency, part,
		psprintf(
			"sdc.%s(r.%s, CAST(%s AS %s))", top ? "top_code" : "bottom_code",
			column->sql, literal(part, top ? "upper" : "lower"),
			sdcpg_candidates_type(transparency->original.relation, column)));
}

/*
 * Rounding at random leaves two images, the multiples of the base on both
 * sides; the nearer one is the likelier.
 */
static void
ask_neighbours(SdcTransparency *transparency, SdcTransparencyPart *part,
			   const char *value, const char *base)
{
	const SdcRelation *masked = transparency->masked.relation;
	char *rest = psprintf("pg_catalog.mod(%s, %s)", value, base);
	char *toward = psprintf("pg_catalog.numeric_sub(%s, %s)", value, rest);
	char *away = psprintf("pg_catalog.numeric_add(%s, "
						  "pg_catalog.numeric_mul(pg_catalog.sign(%s), %s))",
						  toward, rest, base);
	SdcTransparencyPair *number;

	ask(transparency, part, toward);
	number = palloc(sizeof(SdcTransparencyPair) * 2);
	number[0] = part->value[0];
	part->value = number;
	part->other = sdcpg_transparency_field(
		&transparency->original,
		sdcpg_candidates_cast(&part->original[0], away, masked,
							  &part->masked[0]),
		SDC_FRAME_CODE,
		transparency->original.dictionary[part->value[0].original]);
	part->weighted = sdcpg_number_is_arithmetic(part->masked[0].base);
	if (!part->weighted)
		return;
	number[1].original = sdcpg_transparency_field(
		&transparency->original,
		psprintf("CAST(pg_catalog.numeric_div(%s, %s) AS pg_catalog.float8)",
				 value, base),
		SDC_FRAME_NUMBER, NULL);
	number[1].masked = sdcpg_transparency_field(
		&transparency->masked,
		psprintf("CAST(pg_catalog.numeric_div(CAST(r.%s AS "
				 "pg_catalog.numeric), %s) AS pg_catalog.float8)",
				 part->masked[0].sql, base),
		SDC_FRAME_NUMBER, NULL);
}

void
sdcpg_candidates_rounded(SdcTransparency *transparency,
						 SdcTransparencyPart *part)
{
	char *base =
		psprintf("CAST(%s AS pg_catalog.numeric)", literal(part, "base"));
	char *value =
		psprintf("CAST(r.%s AS pg_catalog.numeric)", part->original[0].sql);

	if (sdcpg_params_boolean(part->rule->params, "random", false))
		ask_neighbours(transparency, part, value, base);
	else
		ask(transparency, part, psprintf("sdc.round_to(%s, %s)", value, base));
}

void
sdcpg_candidates_generalized(SdcTransparency *transparency,
							 SdcTransparencyPart *part)
{
	char *hierarchy = sdcpg_params_text(part->rule->params, "hierarchy");
	int level =
		sdcpg_params_integer(part->rule->params, "level", 0, 0, INT_MAX);

	ask_text(transparency, part,
			 psprintf("sdc.generalize(r.%s, CAST(%s AS pg_catalog.text), %d)",
					  part->original[0].sql, quote_literal_cstr(hierarchy),
					  level));
}

void
sdcpg_candidates_text(SdcTransparency *transparency, SdcTransparencyPart *part)
{
	int keep = sdcpg_params_integer(part->rule->params, "keep", 0,
									PG_INT32_MIN, PG_INT32_MAX);
	char *fill = sdcpg_params_text(part->rule->params, "fill");

	ask_text(transparency, part,
			 psprintf("sdc.mask_text(CAST(r.%s AS pg_catalog.text), %d, "
					  "CAST(%s AS pg_catalog.text))",
					  part->original[0].sql, keep,
					  quote_literal_cstr(fill == NULL ? "*" : fill)));
}

void
sdcpg_candidates_inet(SdcTransparency *transparency, SdcTransparencyPart *part)
{
	int keep = sdcpg_params_integer(part->rule->params, "keep", 0, 0, 128);

	ask(transparency, part,
		psprintf("sdc.mask_inet(CAST(r.%s AS pg_catalog.inet), %d)",
				 part->original[0].sql, keep));
}

static void
weigh_rounding(SdcTransparency *transparency, SdcTransparencyPart *part)
{
	SdcHost *host = &transparency->host->kernel;
	const SdcFrame *original = transparency->original.frame;
	const SdcFrame *masked = transparency->masked.frame;

	part->weight.law = SDC_CANDIDATE_ROUNDING;
	part->weight.original = sdcpg_candidates_with_nan(
		host, &original->column[part->value[1].original], original->rows);
	part->weight.masked = sdcpg_candidates_with_nan(
		host, &masked->column[part->value[1].masked], masked->rows);
}

void
sdcpg_candidates_image(SdcTransparency *transparency,
					   SdcTransparencyPart *part)
{
	SdcHost *host = &transparency->host->kernel;
	int32 rows = transparency->masked.frame->rows;
	int32 originals = transparency->original.frame->rows;
	const uint32 *image = sdcpg_transparency_codes(&transparency->original,
												   part->value->original);
	const uint32 *masked =
		sdcpg_transparency_codes(&transparency->masked, part->value->masked);
	const uint32 *other =
		part->other < 0
			? NULL
			: sdcpg_transparency_codes(&transparency->original, part->other);
	uint64 *key = sdc_new(host, uint64, rows);
	SdcCandidateKeys sorted;
	int32 i;

	for (i = 0; i < rows; i++)
		key[i] = masked[i];
	sdc_candidate_set_sort(host, key, rows, &part->set, &sorted);
	sdc_candidate_set_begin(host, &part->set, originals);
	for (i = 0; i < originals; i++)
	{
		SdcCandidateRange second = sdc_candidate_range_none();

		if (other != NULL)
			second = sdc_candidate_range_one(other[i]);
		if (part->kind == SDC_MASK_SUPPRESS)
			second = sdc_candidate_range_one(SDC_CANDIDATE_MISSING);
		sdc_candidate_set_put(&part->set, &sorted, i,
							  sdc_candidate_range_one(image[i]), second);
	}
	host->release(host, key);
	host->release(host, (void *) sorted.key);
	part->exact = true;
	if (part->weighted)
		weigh_rounding(transparency, part);
}
