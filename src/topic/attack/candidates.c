/*
 * candidates.c
 *		What an intruder concludes from each masking method.
 *
 * Two functions for each method, named in its row (masks.c): one asks for
 * fields, one finds what each original record can have become.
 */
#include "postgres.h"

#include "access/transam.h"
#include <math.h>

#include "catalog/pg_collation.h"
#include "catalog/pg_type.h"
#include "datatype/timestamp.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/numeric.h"

#include "host/call/params.h"
#include "host/call/query.h"
#include "host/call/relation.h"
#include "host/data/column.h"
#include "host/data/dictionary.h"
#include "host/data/rows.h"
#include "host/server/compat.h"
#include "kernel/base/host.h"
#include "kernel/base/sort.h"
#include "kernel/intruder/candidate.h"
#include "kernel/linear/moments.h"
#include "kernel/mask/donut.h"
#include "kernel/mask/noise.h"
#include "kernel/table/frequency.h"
#include "topic/attack/candidates.h"
#include "topic/attack/transparency.h"
#include "topic/generalization/hierarchy.h"
#include "topic/mask/rules.h"

/* The base type of what the rule of a part makes of its column. */
static Oid
image_base(const SdcTransparencyPart *part)
{
	if (part->rule != NULL &&
		OidIsValid(part->rule->method->candidates.image_type))
		return part->rule->method->candidates.image_type;
	return part->original[0].base;
}

/* ----------------------------------------------------------------------
 * Masks that turn equal values into equal values.
 *
 * The intruder applies the mask to what he knows and looks for the result.
 * PostgreSQL does so, with the same functions, in the query that reads the
 * original; the image is then compared as a value of the masked column.
 * ----------------------------------------------------------------------
 */

void
sdcpg_candidates_ask(SdcTransparency *transparency, SdcTransparencyPart *part,
					 const char *image)
{
	const SdcRelation *masked = transparency->masked.relation;
	SdcDictionary *dictionary =
		sdcpg_transparency_dictionary(transparency, masked, &part->masked[0]);

	part->value = palloc(sizeof(SdcTransparencyPair));
	part->value->original = sdcpg_transparency_field(
		&transparency->original,
		sdcpg_candidates_cast(&part->original[0], image, image_base(part),
							  masked, &part->masked[0]),
		SDC_FRAME_CODE, dictionary);
	part->value->masked = sdcpg_transparency_field(
		&transparency->masked, psprintf("r.%s", part->masked[0].sql),
		SDC_FRAME_CODE, dictionary);
}

void
sdcpg_candidates_ask_text(SdcTransparency *transparency,
						  SdcTransparencyPart *part, char *image)
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
		&transparency->masked, sdcpg_query_text(&part->masked[0]),
		SDC_FRAME_CODE, dictionary);
}

/* A number or string of a rule as an SQL literal. */
static char *
literal(const SdcRule *rule, const char *key)
{
	JsonbValue value;

	if (!sdcpg_params_find(rule->params, key, &value))
		return NULL;
	if (value.type == jbvString)
		return quote_literal_cstr(
			pnstrdup(value.val.string.val, value.val.string.len));
	if (value.type != jbvNumeric)
		sdcpg_params_wrong(key, "a number or a string");
	return quote_literal_cstr(DatumGetCString(
		DirectFunctionCall1(numeric_out, NumericGetDatum(value.val.numeric))));
}

/* Stops unless a rule can have masked a column: a cast would show a value. */
static void
need_type(const SdcRule *rule, const SdcRelation *original,
		  const SdcRelationColumn *column, bool fits)
{
	if (!fits)
		ereport(ERROR,
				(errcode(ERRCODE_DATATYPE_MISMATCH),
				 errmsg("method \"%s\" cannot mask column \"%s\" of relation "
						"\"%s\"",
						rule->method->name, column->name, original->name),
				 errdetail("Its type is %s.", format_type_be(column->type))));
}

static bool
is_number(Oid base)
{
	return base == INT2OID || base == INT4OID || base == INT8OID ||
		   base == FLOAT4OID || base == FLOAT8OID || base == NUMERICOID;
}

/* The masked value is a function of the original one. */
void
sdcpg_candidates_keep(SdcTransparency *transparency, SdcTransparencyPart *part)
{
	sdcpg_candidates_ask(transparency, part, NULL);
}

/* A function of the value and of the first key of the rule. */
char *
sdcpg_image_coded(const SdcRule *rule, const SdcRelation *original,
				  const SdcRelationColumn *column)
{
	const SdcMask *mask = rule->method;

	return psprintf("sdc.%s(r.%s, CAST(%s AS %s))", mask->name, column->sql,
					literal(rule, mask->keys[0].name),
					sdcpg_relation_base_type(original, column));
}

/* The image of the only column of a part. */
static char *
image_of(const SdcTransparency *transparency, const SdcTransparencyPart *part)
{
	return part->rule->method->candidates.image(
		part->rule, transparency->original.relation, &part->original[0]);
}

void
sdcpg_candidates_coded(SdcTransparency *transparency,
					   SdcTransparencyPart *part)
{
	sdcpg_candidates_ask(transparency, part, image_of(transparency, part));
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
	/* what is not finite stays, and its rest would be NaN */
	char *rest = psprintf("CASE WHEN pg_catalog.mod(%s, %s) "
						  "OPERATOR(pg_catalog.=) 'NaN'::pg_catalog.numeric "
						  "THEN 0 ELSE pg_catalog.mod(%s, %s) END",
						  value, base, value, base);
	char *toward = psprintf("pg_catalog.numeric_sub(%s, %s)", value, rest);
	char *away = psprintf("pg_catalog.numeric_add(%s, "
						  "pg_catalog.numeric_mul(pg_catalog.sign(%s), %s))",
						  toward, rest, base);
	SdcTransparencyPair *number;

	sdcpg_candidates_ask(transparency, part, toward);
	number = palloc(sizeof(SdcTransparencyPair) * 2);
	number[0] = part->value[0];
	part->value = number;
	part->other = sdcpg_transparency_field(
		&transparency->original,
		sdcpg_candidates_cast(&part->original[0], away, NUMERICOID, masked,
							  &part->masked[0]),
		SDC_FRAME_CODE,
		transparency->original.dictionary[part->value[0].original]);
	part->weighted = sdcpg_number_is_arithmetic(part->masked[0].base);
	if (!part->weighted)
		return;
	number[1].original = sdcpg_transparency_field(
		&transparency->original,
		psprintf("pg_catalog.numeric_div(%s, %s)", value, base),
		SDC_FRAME_NUMBER, NULL);
	number[1].masked = sdcpg_transparency_field(
		&transparency->masked,
		psprintf("pg_catalog.numeric_div(%s, %s)",
				 sdcpg_query_cast(&part->masked[0], "numeric"), base),
		SDC_FRAME_NUMBER, NULL);
}

/* NULL when a value is rounded at random. */
char *
sdcpg_image_rounded(const SdcRule *rule, const SdcRelation *original,
					const SdcRelationColumn *column)
{
	need_type(rule, original, column, is_number(column->base));
	if (sdcpg_rule_boolean(rule, "random"))
		return NULL;
	return psprintf("sdc.round_to(%s, CAST(%s AS pg_catalog.numeric))",
					sdcpg_query_cast(column, "numeric"),
					literal(rule, "base"));
}

void
sdcpg_candidates_rounded(SdcTransparency *transparency,
						 SdcTransparencyPart *part)
{
	need_type(part->rule, transparency->original.relation, &part->original[0],
			  is_number(part->original[0].base));
	if (sdcpg_rule_boolean(part->rule, "random"))
		ask_neighbours(transparency, part,
					   sdcpg_query_cast(&part->original[0], "numeric"),
					   psprintf("CAST(%s AS pg_catalog.numeric)",
								literal(part->rule, "base")));
	else
		sdcpg_candidates_ask(transparency, part, image_of(transparency, part));
}

char *
sdcpg_image_generalized(const SdcRule *rule, const SdcRelation *original,
						const SdcRelationColumn *column)
{
	return psprintf("sdc.generalize(r.%s, CAST(%s AS pg_catalog.text), %d)",
					column->sql,
					quote_literal_cstr(sdcpg_rule_text(rule, "hierarchy")),
					(int) sdcpg_rule_number(rule, "level"));
}

void
sdcpg_candidates_generalized(SdcTransparency *transparency,
							 SdcTransparencyPart *part)
{
	sdcpg_candidates_ask_text(transparency, part,
							  image_of(transparency, part));
}

char *
sdcpg_image_text(const SdcRule *rule, const SdcRelation *original,
				 const SdcRelationColumn *column)
{
	return psprintf("sdc.mask_text(%s, %d, CAST(%s AS pg_catalog.text))",
					sdcpg_query_cast(column, "text"),
					(int) sdcpg_rule_number(rule, "keep"),
					quote_literal_cstr(sdcpg_rule_text(rule, "fill")));
}

void
sdcpg_candidates_text(SdcTransparency *transparency, SdcTransparencyPart *part)
{
	sdcpg_candidates_ask_text(transparency, part,
							  image_of(transparency, part));
}

char *
sdcpg_image_inet(const SdcRule *rule, const SdcRelation *original,
				 const SdcRelationColumn *column)
{
	need_type(rule, original, column,
			  column->base == INETOID || column->base == CIDROID);
	return psprintf("sdc.mask_inet(%s, %d)", sdcpg_query_cast(column, "inet"),
					(int) sdcpg_rule_number(rule, "keep"));
}

void
sdcpg_candidates_inet(SdcTransparency *transparency, SdcTransparencyPart *part)
{
	sdcpg_candidates_ask(transparency, part, image_of(transparency, part));
}

static void
weigh_rounding(SdcTransparency *transparency, SdcTransparencyPart *part)
{
	part->weight.law = SDC_CANDIDATE_ROUNDING;
	part->weight.original = sdcpg_transparency_numbers(
		&transparency->original, part->value[1].original);
	part->weight.masked = sdcpg_transparency_numbers(&transparency->masked,
													 part->value[1].masked);
}

/* The records with the image; with or_null also those with a NULL. */
static void
find_image(SdcTransparency *transparency, SdcTransparencyPart *part,
		   bool or_null)
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
		if (or_null)
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

void
sdcpg_candidates_image(SdcTransparency *transparency,
					   SdcTransparencyPart *part)
{
	find_image(transparency, part, false);
}

void
sdcpg_candidates_image_or_null(SdcTransparency *transparency,
							   SdcTransparencyPart *part)
{
	find_image(transparency, part, true);
}

/* ----------------------------------------------------------------------
 * Masks that bring values to a level that is chosen from the data.
 *
 * Whoever has the hierarchies tries all levels: a masked value is that of
 * somebody whose value has it on the level where it occurs.  Each level is a
 * part, which lets the values of other levels pass, and those that occur on no
 * level: they were suppressed, or are of people whom the intruder does not
 * know.
 * ----------------------------------------------------------------------
 */

/* The hierarchy of the column of a part, or NULL. */
static char *
hierarchy_of(const SdcTransparencyPart *part)
{
	return sdcpg_params_member(part->rule->params, "hierarchies",
							   part->original[0].name);
}

int
sdcpg_candidates_height(const SdcTransparencyPart *part)
{
	char *hierarchy = hierarchy_of(part);

	return hierarchy == NULL ? 1 : sdcpg_hierarchy_height(hierarchy);
}

/* SQL of the label of a column on a level above 0. */
static char *
label_at(const SdcRelationColumn *column, const char *hierarchy, int level)
{
	if (hierarchy == NULL)
		return "CAST('*' AS pg_catalog.text)";
	return psprintf("sdc.generalize(r.%s, CAST(%s AS pg_catalog.text), %d)",
					column->sql, quote_literal_cstr(hierarchy), level);
}

/* The labels of a column on all levels of its hierarchy; NULL: "*" alone. */
static void
ask_levels(SdcTransparency *transparency, const SdcRelationColumn *original,
		   const SdcRelationColumn *masked, char *hierarchy,
		   SdcTransparencyPair *pair)
{
	SdcRelationColumn text = *masked;
	SdcDictionary *dictionary;
	int height = hierarchy == NULL ? 1 : sdcpg_hierarchy_height(hierarchy);
	int field;
	int level;

	text.base = TEXTOID;
	dictionary = sdcpg_transparency_dictionary(
		transparency, transparency->masked.relation, &text);
	field = sdcpg_transparency_field(&transparency->masked,
									 sdcpg_query_cast(masked, "text"),
									 SDC_FRAME_CODE, dictionary);
	for (level = 0; level <= height; level++)
	{
		char *image = level == 0 ? sdcpg_query_cast(original, "text")
								 : label_at(original, hierarchy, level);

		/* a NULL that was suppressed; below, it stays NULL */
		if (level == height)
			image = psprintf("COALESCE(%s, '*')", image);
		pair[level].masked = field;
		pair[level].original = sdcpg_transparency_field(
			&transparency->original, image, SDC_FRAME_CODE, dictionary);
	}
	pair[level].masked = pair[level].original = -1;
}

void
sdcpg_candidates_levels(SdcTransparency *transparency,
						SdcTransparencyPart *part)
{
	if (part->level > 0)
	{
		part->value = part[-part->level].value + part->level;
		return;
	}
	/* and a pair of -1 */
	part->value = palloc(sizeof(SdcTransparencyPair) *
						 (sdcpg_candidates_height(part) + 2));
	ask_levels(transparency, &part->original[0], &part->masked[0],
			   hierarchy_of(part), part->value);
}

/*
 * The level of each label of a column, by code: the highest on which it is a
 * label of somebody, as long as everybody who has it on any level has it
 * there, too; else -1, and nothing is known.  level is the list of pairs that
 * sdcpg_candidates_levels asked for.
 */
static int8 *
find_homes(const SdcTransparency *transparency,
		   const SdcTransparencyPair *level)
{
	const SdcTransparencyFile *file = &transparency->original;
	SdcHost *host = &transparency->host->kernel;
	int32 codes = sdcpg_dictionary_values(
		transparency->masked.dictionary[level[0].masked]);
	int8 *home = sdc_new(host, int8, codes + 1);
	int32 rows = file->frame->rows;
	int32 i;
	int l;

	memset(home, -1, codes);
	for (l = 0; level[l].original >= 0; l++)
	{
		const int32 *label = file->frame->column[level[l].original].code;

		host->poll(host, 0, 0);
		for (i = 0; i < rows; i++)
			if (label[i] != SDC_CODE_NULL)
				home[label[i]] = (int8) l;
	}
	for (l = 0; level[l].original >= 0; l++)
	{
		const int32 *label = file->frame->column[level[l].original].code;

		host->poll(host, 0, 0);
		for (i = 0; i < rows; i++)
		{
			int at = label[i] == SDC_CODE_NULL ? -1 : home[label[i]];

			if (at >= 0 &&
				file->frame->column[level[at].original].code[i] != label[i])
				home[label[i]] = -1;
		}
	}
	return home;
}

void
sdcpg_candidates_level(SdcTransparency *transparency,
					   SdcTransparencyPart *part)
{
	SdcHost *host = &transparency->host->kernel;
	SdcTransparencyPart *first = part - part->level;
	int32 originals = transparency->original.frame->rows;
	int32 rows = transparency->masked.frame->rows;
	const uint32 *image = sdcpg_transparency_codes(&transparency->original,
												   part->value->original);
	const uint32 *masked =
		sdcpg_transparency_codes(&transparency->masked, part->value->masked);
	uint64 *key = sdc_new(host, uint64, rows + 1);
	SdcCandidateKeys sorted;
	int32 i;

	if (first->home == NULL)
		first->home = find_homes(transparency, first->value);
	/* 0: of another level, or of none */
	for (i = 0; i < rows; i++)
		key[i] = masked[i] != SDC_CANDIDATE_MISSING &&
						 first->home[masked[i]] == part->level
					 ? (uint64) masked[i] + 1
					 : 0;
	sdc_candidate_set_sort(host, key, rows, &part->set, &sorted);
	sdc_candidate_set_begin(host, &part->set, originals);
	for (i = 0; i < originals; i++)
		sdc_candidate_set_put(
			&part->set, &sorted, i, sdc_candidate_range_one(0),
			image[i] == SDC_CANDIDATE_MISSING
				? sdc_candidate_range_none()
				: sdc_candidate_range_one((uint64) image[i] + 1));
	part->exact = true;
	host->release(host, key);
	host->release(host, (void *) sorted.key);
}

/* ----------------------------------------------------------------------
 * Masks that disturb or average numbers.
 *
 * The values that were released are sorted and numbered; what a value can have
 * become is then a run of them, inside the stratum.
 * ----------------------------------------------------------------------
 */

/* Noise beyond the bound is this improbable, for laws without one. */

/* Room for the rounding of sums that the mask took in another order. */
#define ROUNDING (1 + 1e-9)

/* The different numbers that were released. */
typedef struct Released
{
	uint32 values;
	double *value; /* ascending */
	uint64 *key;   /* by masked record, with its stratum */
	SdcCandidateKeys sorted;
} Released;

/* Whether a value takes no part in a mask of several columns, in SQL. */
static void
append_left_out(StringInfo sql, const SdcRelationColumn *column)
{
	switch (column->base)
	{
		case FLOAT4OID:
		case FLOAT8OID:
		case NUMERICOID:
			/* NaN is above all other numbers */
			appendStringInfo(sql,
							 "(r.%s IS NULL OR pg_catalog.abs(r.%s) "
							 "OPERATOR(pg_catalog.>) "
							 "'1.7976931348623157e308'::pg_catalog.%s)",
							 column->sql, column->sql,
							 column->base == NUMERICOID ? "numeric"
														: "float8");
			break;
		case DATEOID:
		case TIMESTAMPOID:
		case TIMESTAMPTZOID:
			appendStringInfo(sql, "pg_catalog.isfinite(r.%s) IS NOT TRUE",
							 column->sql);
			break;
		default:
			appendStringInfo(sql, "r.%s IS NULL", column->sql);
	}
}

/*
 * A column as it was masked: a record of which any column is NULL, or not
 * finite, was left out as a whole, and nothing of it was released.
 */
static char *
complete_value(const SdcRelation *relation, const SdcTransparencyPart *part,
			   const SdcRelationColumn *column)
{
	const SdcRelationColumns *columns = &part->rule->columns;
	List *given = sdcpg_params_names(part->rule->params, "given");
	StringInfoData sql;
	ListCell *cell;
	int j;

	if (columns->count == 1 && given == NIL)
		return psprintf("r.%s", column->sql);
	initStringInfo(&sql);
	appendStringInfoString(&sql, "CASE WHEN ");
	for (j = 0; j < columns->count; j++)
		given = lappend(given, columns->column[j].name);
	foreach (cell, given)
	{
		SdcRelationColumn other =
			sdcpg_relation_column(relation, lfirst(cell));

		append_left_out(&sql, &other);
		appendStringInfoString(&sql, lnext(given, cell) == NULL ? "" : " OR ");
	}
	appendStringInfo(&sql, " THEN NULL ELSE r.%s END", column->sql);
	return sql.data;
}

/* Numbers are averaged or disturbed (see candidates_group.c, too). */
void
sdcpg_candidates_numbers(SdcTransparency *transparency,
						 SdcTransparencyPart *part)
{
	SdcRelationColumns original = {part->columns, part->original};
	SdcRelationColumns masked = {part->columns, part->masked};
	int j;

	sdcpg_relation_need_numbers(transparency->original.relation, &original);
	sdcpg_relation_need_numbers(transparency->masked.relation, &masked);
	part->value = palloc(sizeof(SdcTransparencyPair) * part->columns);
	for (j = 0; j < part->columns; j++)
	{
		part->value[j].original = sdcpg_transparency_field(
			&transparency->original,
			complete_value(transparency->original.relation, part,
						   &part->original[j]),
			SDC_FRAME_NUMBER, NULL);
		part->value[j].masked = sdcpg_transparency_field(
			&transparency->masked, psprintf("r.%s", part->masked[j].sql),
			SDC_FRAME_NUMBER, NULL);
	}
	sdcpg_candidates_ask_strata(transparency, part);
}

/* How many released values are below x, or, with equal, not above it. */
static uint32
count_released(const Released *released, double x, bool equal)
{
	return equal ? sdc_sort_up_to(released->value, released->values, x)
				 : sdc_sort_below(released->value, released->values, x);
}

/* Numbers the released values and starts the set of a part. */
static void
number_begin(SdcTransparency *transparency, SdcTransparencyPart *part,
			 const uint32 *stratum, Released *released)
{
	SdcHost *host = &transparency->host->kernel;
	const SdcFrameColumn *column =
		&transparency->masked.frame->column[part->value[0].masked];
	int32 rows = transparency->masked.frame->rows;
	uint64 *key = sdc_new(host, uint64, rows);
	int32 *row = sdc_new(host, int32, rows);
	int32 count = 0;
	int32 i;

	released->value = sdc_new(host, double, rows);
	released->key = sdc_new(host, uint64, rows);
	released->values = 0;
	for (i = 0; i < rows; i++)
	{
		released->key[i] = SDC_CANDIDATE_MISSING;
		if (column->isnull[i])
			continue;
		key[count] = sdc_sort_key(column->number[i]);
		row[count++] = i;
	}
	sdc_sort_keys(host, key, row, count);
	for (i = 0; i < count; i++)
	{
		if (i == 0 || key[i] != key[i - 1])
			released->value[released->values++] = column->number[row[i]];
		released->key[row[i]] = released->values - 1;
	}
	if (stratum != NULL)
		for (i = 0; i < rows; i++)
			released->key[i] =
				sdc_candidate_key(stratum[i], (uint32) released->key[i]);
	host->release(host, key);
	host->release(host, row);
	sdc_candidate_set_sort(host, released->key, rows, &part->set,
						   &released->sorted);
	sdc_candidate_set_begin(host, &part->set,
							transparency->original.frame->rows);
}

static void
number_end(SdcHost *host, Released *released)
{
	host->release(host, released->value);
	host->release(host, released->key);
	host->release(host, (void *) released->sorted.key);
}

/*
 * The standard deviation that was masked in the stratum of each original
 * record: over the records that are in the masked file.
 */
static double *
find_deviations(SdcTransparency *transparency, const SdcFrameColumn *column,
				const uint32 *stratum)
{
	SdcHost *host = &transparency->host->kernel;
	int32 rows = transparency->original.frame->rows;
	double *deviation = sdc_new(host, double, rows);
	double *value = sdc_new(host, double, rows);
	uint64 *key = sdc_new(host, uint64, rows);
	int32 *row = sdc_new(host, int32, rows);
	int32 first;
	int32 last;
	int32 i;

	for (i = 0; i < rows; i++)
	{
		key[i] = stratum[i];
		row[i] = i;
	}
	sdc_sort_keys(host, key, row, rows);
	for (first = 0; first < rows; first = last)
	{
		int32 count = 0;
		SdcScale scale;

		for (last = first; last < rows && key[last] == key[first]; last++)
			if (!column->isnull[row[last]] &&
				transparency->partner[row[last]] >= 0)
				value[count++] = column->number[row[last]];
		scale = sdc_scale_measure(host, value, NULL, count, 1);
		for (i = first; i < last; i++)
			deviation[row[i]] = sdc_scale_restore(&scale, scale.deviation);
	}
	host->release(host, value);
	host->release(host, key);
	host->release(host, row);
	return deviation;
}

/* Noise is beyond this many standard deviations with probability delta. */
static double
noise_bound(int law, double delta)
{
	double low = 0;
	double high = 40;
	int i;

	if (law == SDC_NOISE_UNIFORM)
		return sqrt(3);
	if (law == SDC_NOISE_LAPLACE)
		return -log(delta) * M_SQRT1_2;
	for (i = 0; i < 100; i++)
	{
		double middle = (low + high) / 2;

		if (erfc(middle * M_SQRT1_2) > delta)
			low = middle;
		else
			high = middle;
	}
	return high;
}

/* Says how likely a disturbance is; uniform noise leaves all alike. */
static void
weigh_noise(SdcTransparency *transparency, SdcTransparencyPart *part, int law,
			const double *scale)
{
	if (law == SDC_NOISE_UNIFORM)
		return;
	part->weighted = true;
	part->weight.law = law == SDC_NOISE_LAPLACE ? SDC_CANDIDATE_LAPLACE
												: SDC_CANDIDATE_GAUSSIAN;
	part->weight.original = sdcpg_transparency_numbers(
		&transparency->original, part->value[0].original);
	part->weight.masked = sdcpg_transparency_numbers(&transparency->masked,
													 part->value[0].masked);
	part->weight.scale = scale;
}

/* What is within reach of x in a stratum. */
static SdcCandidateRange
within(const Released *released, uint32 stratum, double x, double reach)
{
	uint32 first = count_released(released, x - reach, false);
	uint32 last = count_released(released, x + reach, true);

	if (first >= last)
		return sdc_candidate_range_none();
	return (SdcCandidateRange){sdc_candidate_key(stratum, first),
							   sdc_candidate_key(stratum, last - 1)};
}

void
sdcpg_candidates_noise(SdcTransparency *transparency,
					   SdcTransparencyPart *part)
{
	SdcHost *host = &transparency->host->kernel;
	const SdcFrameColumn *column =
		&transparency->original.frame->column[part->value[0].original];
	int law = sdcpg_rule_variant(part->rule);
	double alpha = sdcpg_rule_number(part->rule, "alpha");
	double delta = sdcpg_keys_number(sdcpg_transparency_params,
									 transparency->params, "delta");
	double bound = noise_bound(law, delta) * ROUNDING;
	uint32 *stratum;
	uint32 *masked;
	double *scale;
	Released released;
	int32 i;

	/* noise of several columns is a sum of as many draws */
	if (law != SDC_NOISE_GAUSSIAN)
		bound *= sqrt(part->rule->columns.count);
	sdcpg_transparency_strata(transparency, part, &stratum, &masked);
	number_begin(transparency, part, masked, &released);
	scale = find_deviations(transparency, column, stratum);
	for (i = 0; i < transparency->original.frame->rows; i++)
	{
		uint32 shown = masked == NULL ? 0 : stratum[i];
		double x = column->number[i];

		scale[i] *= sqrt(alpha);
		sdc_candidate_set_put(
			&part->set, &released.sorted, i,
			column->isnull[i] ? sdc_candidate_range_one(sdc_candidate_key(
									shown, SDC_CANDIDATE_MISSING))
							  : within(&released, shown, x,
									   scale[i] * bound + fabs(x) * 1e-14 +
										   sdcpg_candidates_slack(
											   transparency, &part->masked[0],
											   fabs(x) + scale[i] * bound)),
			sdc_candidate_range_none());
	}
	part->exact = law == SDC_NOISE_UNIFORM && transparency->complete;
	weigh_noise(transparency, part, law, scale);
	host->release(host, stratum);
	number_end(host, &released);
}

/* How many records of a file have the value that is looked for. */
static int64
count_equal(const SdcCandidateKeys *sorted, uint64 key)
{
	return sdc_candidate_range_below(sorted, key + 1) -
		   sdc_candidate_range_below(sorted, key);
}

/*
 * How often each original value occurs among those that were masked, as keys
 * of the released values; others have none.
 */
static SdcCandidateKeys
count_originals(SdcTransparency *transparency, const Released *released,
				const SdcFrameColumn *column, const uint32 *stratum,
				bool shown)
{
	SdcHost *host = &transparency->host->kernel;
	int32 rows = transparency->original.frame->rows;
	uint64 *key = sdc_new(host, uint64, rows);
	SdcCandidateSet unused;
	SdcCandidateKeys sorted;
	int32 count = 0;
	int32 i;

	for (i = 0; i < rows; i++)
	{
		uint32 code;

		if (column->isnull[i] || transparency->partner[i] < 0)
			continue;
		code = count_released(released, column->number[i], false);
		if (code < released->values &&
			released->value[code] == column->number[i])
			key[count++] = sdc_candidate_key(shown ? stratum[i] : 0, code);
	}
	sdc_candidate_set_sort(host, key, count, &unused, &sorted);
	host->release(host, key);
	host->release(host, unused.row);
	host->release(host, unused.position);
	return sorted;
}

/*
 * Groups of one column are intervals, so the mean of the group of x is the
 * largest released at or below x or the smallest at or above it.  Where x
 * itself was released the neighbours count only if other groups hold x, too:
 * when there are more originals with that value than masked records.  Means
 * that were rounded to the type of the column may lie on the wrong side of x
 * by the rounding.
 */
static SdcCandidateRange
adjacent(SdcTransparency *transparency, const Released *released,
		 const SdcCandidateKeys *originals, uint32 stratum, double x,
		 double slack)
{
	uint32 below = count_released(released, x - slack, true);
	uint32 above = count_released(released, x + slack, false);

	if (slack == 0 && below > above)
	{
		uint64 key = sdc_candidate_key(stratum, above);
		int64 here = count_equal(&released->sorted, key);

		if (here > 0 && transparency->complete &&
			count_equal(originals, key) <= here)
			return sdc_candidate_range_one(key);
		/* neighbours on both sides, and what equals x between them */
		return sdc_candidate_range_adjacent(&released->sorted, stratum, above,
											below);
	}
	return sdc_candidate_range_adjacent(&released->sorted, stratum, below,
										above);
}

/* One column: x lies between its group's mean and a neighbour's. */
static void
find_adjacent(SdcTransparency *transparency, SdcTransparencyPart *part,
			  const uint32 *stratum, const uint32 *masked)
{
	SdcHost *host = &transparency->host->kernel;
	const SdcFrameColumn *column =
		&transparency->original.frame->column[part->value[0].original];
	Released released;
	SdcCandidateKeys originals;
	int32 i;

	number_begin(transparency, part, masked, &released);
	originals = count_originals(transparency, &released, column, stratum,
								masked != NULL);
	for (i = 0; i < transparency->original.frame->rows; i++)
	{
		uint32 shown = masked == NULL ? 0 : stratum[i];
		double x = column->number[i];
		SdcCandidateRange range = sdc_candidate_range_one(
			sdc_candidate_key(shown, SDC_CANDIDATE_MISSING));

		if (!column->isnull[i])
			range = adjacent(
				transparency, &released, &originals, shown, x,
				sdcpg_candidates_slack(transparency, &part->masked[0], x));
		/* means of other strata may lie between, where these are not shown */
		if (!column->isnull[i] && masked == NULL && part->strata > 0)
			range = sdc_candidate_range_stratum(0);
		sdc_candidate_set_put(&part->set, &released.sorted, i, range,
							  sdc_candidate_range_none());
	}
	part->exact = true;
	host->release(host, (void *) originals.key);
	number_end(host, &released);
}

void
sdcpg_candidates_centroid(SdcTransparency *transparency,
						  SdcTransparencyPart *part)
{
	SdcHost *host = &transparency->host->kernel;
	uint32 *stratum;
	uint32 *masked;

	sdcpg_transparency_strata(transparency, part, &stratum, &masked);
	if (part->rule->columns.count == 1)
		find_adjacent(transparency, part, stratum, masked);
	else
		sdcpg_candidates_group(transparency, part, stratum, masked);
	host->release(host, stratum);
}

/* ----------------------------------------------------------------------
 * What several methods share.
 * ----------------------------------------------------------------------
 */

/* Does every value of a type have a text that any other value may have? */
static bool
is_string(Oid base)
{
	char category;
	bool preferred;

	get_type_category_preferred(base, &category, &preferred);
	return category == TYPCATEGORY_STRING;
}

/*
 * Stops when a cast would run functions of users.  One that fails on a value
 * is an error of the file as a whole, see transparency.c.
 */
static void
need_cast(const SdcRelationColumn *column, Oid base,
		  const SdcRelation *relation, const SdcRelationColumn *as)
{
	if (base == as->base || is_string(as->base))
		return;
	if (base >= FirstNormalObjectId)
		ereport(ERROR,
				(errcode(ERRCODE_DATATYPE_MISMATCH),
				 errmsg("column \"%s\" cannot be compared with column \"%s\" "
						"of relation \"%s\"",
						column->name, as->name, relation->name),
				 errdetail("Values of type %s need not be ones of type %s.",
						   format_type_be(base), format_type_be(as->base))));
	sdcpg_query_need_casts(relation, as);
}

char *
sdcpg_candidates_cast(const SdcRelationColumn *column, const char *sql,
					  Oid base, const SdcRelation *relation,
					  const SdcRelationColumn *as)
{
	if (sql == NULL)
	{
		base = column->base;
		sql = psprintf("r.%s", column->sql);
		if (base == as->base)
			return (char *) sql;
	}
	need_cast(column, base, relation, as);
	if (base >= FirstNormalObjectId && base != as->base)
		return sdcpg_query_cast_from(base, sql, "text");
	return psprintf("CAST(%s AS %s)", sql,
					sdcpg_relation_base_type(relation, as));
}

/*
 * The columns within which a rule works: its strata, or the column by which it
 * moves values alike, if the intruder knows it.
 */
static SdcRelationColumns
strata_of(const SdcTransparency *transparency, const SdcRule *rule)
{
	const SdcRelation *original = transparency->original.relation;
	SdcRelationColumns none = {0};
	const char *by;
	int k;

	if (rule == NULL)
		return none;
	if (rule->method->likelihood != SDC_LIKELIHOOD_SHIFT)
		return sdcpg_rule_strata(rule, original);
	by = sdcpg_rule_text(rule, "by");
	for (k = 0; by != NULL && k < transparency->keys.count; k++)
		if (strcmp(transparency->keys.column[k].name, by) == 0)
			return (SdcRelationColumns){1, &transparency->keys.column[k]};
	return none;
}

void
sdcpg_candidates_ask_strata(SdcTransparency *transparency,
							SdcTransparencyPart *part)
{
	const SdcRelation *masked = transparency->masked.relation;
	SdcRelationColumns strata = strata_of(transparency, part->rule);
	int j;

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

/* It tells nothing: every record is a candidate. */
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

/* SQL of a number of a point; a place that is not finite is NULL. */
static char *
coordinate_of(const SdcRule *rule, const SdcRelation *relation,
			  const SdcRelationColumn *column, int k)
{
	char *point = psprintf("(CAST(r.%s AS pg_catalog.point))", column->sql);

	need_type(rule, relation, column, column->base == POINTOID);
	return psprintf(
		"CASE WHEN %s[0] OPERATOR(pg_catalog.-) %s[0] OPERATOR(pg_catalog.=) "
		"0 AND %s[1] OPERATOR(pg_catalog.-) %s[1] OPERATOR(pg_catalog.=) 0 "
		"THEN %s[%d] END",
		point, point, point, point, point, k);
}

void
sdcpg_candidates_located(SdcTransparency *transparency,
						 SdcTransparencyPart *part)
{
	int k;

	part->value = palloc(sizeof(SdcTransparencyPair) * 2);
	for (k = 0; k < 2; k++)
	{
		int number = k == 0 ? part->level : 1 - part->level;

		part->value[k].original = sdcpg_transparency_field(
			&transparency->original,
			coordinate_of(part->rule, transparency->original.relation,
						  &part->original[0], number),
			SDC_FRAME_NUMBER, NULL);
		part->value[k].masked = sdcpg_transparency_field(
			&transparency->masked,
			coordinate_of(part->rule, transparency->masked.relation,
						  &part->masked[0], number),
			SDC_FRAME_NUMBER, NULL);
	}
}

/* How far the outer radius of a rule reaches in x, or in y, from a place. */
static double
reach_of(const SdcTransparencyPart *part, double along, double across)
{
	double outer = sdcpg_rule_number(part->rule, "outer");
	double arc;

	if (sdcpg_rule_variant(part->rule) == SDC_DONUT_PLANE)
		return outer * ROUNDING + (fabs(along) + outer) * 1e-14;
	arc = outer / SDC_DONUT_EARTH_RADIUS;
	/* around a pole any longitude is reached */
	if (part->level == 0 && fabs(across) * M_PI / 180 + arc >= M_PI / 2)
		return 360;
	if (part->level == 0)
		arc = asin(sin(arc) / cos(across * M_PI / 180));
	return arc * 180 / M_PI * ROUNDING + 1e-11;
}

void
sdcpg_candidates_ring(SdcTransparency *transparency, SdcTransparencyPart *part)
{
	SdcHost *host = &transparency->host->kernel;
	const SdcFrame *frame = transparency->original.frame;
	const SdcFrameColumn *along = &frame->column[part->value[0].original];
	const SdcFrameColumn *across = &frame->column[part->value[1].original];
	bool round =
		part->level == 0 && sdcpg_rule_variant(part->rule) == SDC_DONUT_EARTH;
	Released released;
	int32 i;

	number_begin(transparency, part, NULL, &released);
	for (i = 0; i < frame->rows; i++)
	{
		double x = along->number[i];
		double reach = reach_of(part, x, across->number[i]);

		sdc_candidate_set_put(
			&part->set, &released.sorted, i,
			along->isnull[i] ? sdc_candidate_range_one(SDC_CANDIDATE_MISSING)
							 : within(&released, 0, x, reach),
			/* beyond the line of the date longitudes begin anew */
			round && !along->isnull[i]
				? within(&released, 0, x > 0 ? x - 360 : x + 360, reach)
				: sdc_candidate_range_none());
	}
	part->exact = transparency->complete;
	number_end(host, &released);
}

/*
 * A date is moved by days of the person: what lies within reach may be his.
 * That all of a group are moved alike is for the likelihood to use.
 */
void
sdcpg_candidates_shift(SdcTransparency *transparency,
					   SdcTransparencyPart *part)
{
	SdcHost *host = &transparency->host->kernel;
	const SdcFrameColumn *column =
		&transparency->original.frame->column[part->value[0].original];
	/* numbers of dates are days, those of timestamps microseconds */
	double reach =
		sdcpg_rule_number(part->rule, "days") *
		(part->original[0].base == DATEOID ? 1 : (double) USECS_PER_DAY);
	Released released;
	int32 i;

	number_begin(transparency, part, NULL, &released);
	for (i = 0; i < transparency->original.frame->rows; i++)
	{
		double x = column->number[i];

		sdc_candidate_set_put(
			&part->set, &released.sorted, i,
			column->isnull[i]
				? sdc_candidate_range_one(SDC_CANDIDATE_MISSING)
				: within(&released, 0, x,
						 reach + sdcpg_candidates_slack(transparency,
														&part->masked[0], x)),
			sdc_candidate_range_none());
	}
	part->exact = transparency->complete;
	number_end(host, &released);
}

/* The limits of outliers in each stratum of the masked file. */
static SdcOutlierLimits *
find_limits(SdcTransparency *transparency, const SdcTransparencyPart *part,
			const uint32 *stratum, uint32 strata)
{
	SdcHost *host = &transparency->host->kernel;
	const SdcFrameColumn *column =
		&transparency->masked.frame->column[part->value->masked];
	int32 rows = transparency->masked.frame->rows;
	double threshold = sdcpg_rule_number(part->rule, "threshold");
	SdcOutlierLimits *limits = sdc_new(host, SdcOutlierLimits, strata);
	double *value = sdc_new(host, double, rows);
	uint64 *key = sdc_new(host, uint64, rows);
	int32 *row = sdc_new(host, int32, rows);
	int32 count = 0;
	int32 first;
	int32 i;
	uint32 s;

	for (i = 0; i < rows; i++)
		if (!column->isnull[i])
		{
			key[count] = sdc_sort_key(column->number[i]);
			row[count++] = i;
		}
	sdc_sort_keys(host, key, row, count);
	for (i = 0; i < count; i++)
		key[i] = stratum == NULL ? 0 : stratum[row[i]];
	/* a stable sort: values stay in order within strata */
	sdc_sort_keys(host, key, row, count);
	for (i = 0; i < count; i++)
		value[i] = column->number[row[i]];
	for (s = 0, first = 0; s < strata; s++, first = i)
	{
		for (i = first; i < count && key[i] == s; i++)
			;
		limits[s] =
			sdc_noise_outlier_limits(value + first, i - first, threshold);
	}
	host->release(host, value);
	host->release(host, key);
	host->release(host, row);
	return limits;
}

double *
sdcpg_candidates_beyond(SdcTransparency *transparency,
						const SdcTransparencyPart *part,
						const uint32 *original, const uint32 *masked,
						const SdcTransparencyFile *file)
{
	SdcHost *host = &transparency->host->kernel;
	bool is_masked = file == &transparency->masked;
	const uint32 *stratum = masked == NULL ? NULL
							: is_masked    ? masked
										   : original;
	const SdcFrameColumn *column =
		&file->frame
			 ->column[is_masked ? part->value->masked : part->value->original];
	double *beyond = sdc_new(host, double, file->frame->rows);
	SdcOutlierLimits *limits;
	uint32 strata = 1;
	int32 i;

	for (i = 0; masked != NULL && i < transparency->masked.frame->rows; i++)
		strata = Max(strata, masked[i] + 1);
	for (i = 0; masked != NULL && i < transparency->original.frame->rows; i++)
		strata = Max(strata, original[i] + 1);
	limits = find_limits(transparency, part, masked, strata);
	for (i = 0; i < file->frame->rows; i++)
		beyond[i] =
			column->isnull[i]
				? NAN
				: sdc_noise_beyond(&limits[stratum == NULL ? 0 : stratum[i]],
								   column->number[i]);
	host->release(host, limits);
	return beyond;
}

/*
 * What an outlier can have become is beyond the limit on its side; all others
 * stay.
 */
void
sdcpg_candidates_outliers(SdcTransparency *transparency,
						  SdcTransparencyPart *part)
{
	SdcHost *host = &transparency->host->kernel;
	const double *number =
		transparency->original.frame->column[part->value->original].number;
	uint32 *stratum;
	uint32 *masked;
	double *beyond;
	Released released;
	int32 i;

	sdcpg_transparency_strata(transparency, part, &stratum, &masked);
	number_begin(transparency, part, masked, &released);
	beyond = sdcpg_candidates_beyond(transparency, part, stratum, masked,
									 &transparency->original);
	for (i = 0; i < transparency->original.frame->rows; i++)
	{
		uint32 shown = masked == NULL ? 0 : stratum[i];
		double slack =
			sdcpg_candidates_slack(transparency, &part->masked[0], number[i]);
		double edge = number[i] - beyond[i];
		SdcCandidateRange range;

		if (isnan(beyond[i]))
			range = sdc_candidate_range_one(
				sdc_candidate_key(shown, SDC_CANDIDATE_MISSING));
		else if (beyond[i] == 0)
			range = within(&released, shown, number[i], slack);
		else
		{
			range.low = sdc_candidate_key(
				shown, beyond[i] > 0
						   ? count_released(&released, edge - slack, false)
						   : 0);
			range.high = sdc_candidate_key(
				shown, beyond[i] > 0
						   ? SDC_CANDIDATE_MISSING - 1
						   : count_released(&released, edge + slack, true));
		}
		sdc_candidate_set_put(&part->set, &released.sorted, i, range,
							  sdc_candidate_range_none());
	}
	part->exact = transparency->complete;
	number_end(host, &released);
	host->release(host, stratum);
	host->release(host, beyond);
}

/* Half a unit of the last digit of a numeric with a scale. */
static double
half_digit(int32 modifier, double value)
{
	if (modifier < (int32) VARHDRSZ)
		return fabs(value) * 1e-14;
	return 0.5 * pow(10, -sdcpg_numeric_scale(modifier)) * (1 + 1e-9) +
		   fabs(value) * 1e-14;
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
