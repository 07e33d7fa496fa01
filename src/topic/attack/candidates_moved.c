/*
 * candidates_moved.c
 *		What an intruder concludes from masks that move values.
 *
 * Values change places inside their stratum, or are drawn anew from those of
 * it or by a matrix: what one can have become is a range of values there.
 */
#include "postgres.h"

#include <math.h>

#include "host/call/query.h"
#include "host/call/relation.h"
#include "host/data/dictionary.h"
#include "host/data/rows.h"
#include "host/server/compat.h"
#include "kernel/base/host.h"
#include "kernel/intruder/candidate.h"
#include "kernel/mask/pram.h"
#include "topic/attack/candidates.h"
#include "topic/attack/transparency.h"
#include "topic/mask/pram.h"
#include "topic/mask/rules.h"

/* ----------------------------------------------------------------------
 * Masks that move values inside their stratum.
 *
 * Rank swapping, shuffling and post-randomisation.  Values are known by their
 * rank among all that occur in either file; a mask that only moves values
 * leaves each stratum the same values, so ranks can be taken from the masked
 * file, which is what the intruder has.  Only where that file does not show
 * the strata are they taken from those originals that were masked.
 * ----------------------------------------------------------------------
 */

/* The keys of both files, and those of the file that ranks are taken from. */
typedef struct Keys
{
	bool shown; /* are the strata? */
	bool ranks; /* are ranks in the strata known? */
	uint64 *original;
	uint64 *masked;
	SdcCandidateKeys sorted;    /* masked */
	SdcCandidateKeys reference; /* with strata */
} Keys;

/* Values move inside their stratum. */
void
sdcpg_candidates_moved(SdcTransparency *transparency,
					   SdcTransparencyPart *part)
{
	const SdcRelation *original = transparency->original.relation;
	SdcDictionary *dictionary = sdcpg_transparency_dictionary(
		transparency, original, &part->original[0]);

	part->value = palloc(sizeof(SdcTransparencyPair));
	part->value->original = sdcpg_transparency_field(
		&transparency->original, psprintf("r.%s", part->original[0].sql),
		SDC_FRAME_CODE, dictionary);
	part->value->masked = sdcpg_transparency_field(
		&transparency->masked,
		sdcpg_candidates_cast(&part->masked[0], NULL, InvalidOid, original,
							  &part->original[0]),
		SDC_FRAME_CODE, dictionary);
	sdcpg_candidates_ask_strata(transparency, part);
}

/* Is a column one of those that the intruder knows? */
static bool
is_key(const SdcTransparency *transparency, const char *name)
{
	int k;

	for (k = 0; k < transparency->keys.count; k++)
		if (strcmp(transparency->keys.column[k].name, name) == 0)
			return true;
	return false;
}

/*
 * SQL of how many levels of its place a record stands out on: so many have
 * fewer than k records of the area with its values of the columns of "risk".
 * NULL where not all of these columns, and of the place, are known.
 */
static char *
standing_out(const SdcTransparency *transparency,
			 const SdcTransparencyPart *part)
{
	List *names = sdcpg_params_names(part->rule->params, "risk");
	int k = (int) sdcpg_rule_number(part->rule, "k");
	StringInfoData by;
	StringInfoData sql;
	ListCell *cell;
	int j;

	if (part->columns < part->rule->columns.count)
		return NULL;
	initStringInfo(&by);
	initStringInfo(&sql);
	foreach (cell, names)
	{
		SdcRelationColumn column = sdcpg_relation_column(
			transparency->original.relation, lfirst(cell));

		if (!is_key(transparency, column.name))
			return NULL;
		appendStringInfo(&by, ", r.%s", column.sql);
	}
	for (j = 0; j < part->columns; j++)
	{
		StringInfoData area;
		int l;

		initStringInfo(&area);
		for (l = 0; l <= j; l++)
			appendStringInfo(&area, "%sr.%s", l > 0 ? ", " : "",
							 part->original[l].sql);
		appendStringInfo(&sql,
						 "%s CASE WHEN pg_catalog.count(*) OVER (PARTITION BY "
						 "%s%s) OPERATOR(pg_catalog.<) %d THEN 1 ELSE 0 END",
						 j > 0 ? " OPERATOR(pg_catalog.+)" : "", area.data,
						 by.data, k);
	}
	return psprintf("CAST(%s AS pg_catalog.float8)", sql.data);
}

/* Puts the columns of a part in the order of its rule, which has levels. */
static void
order_levels(SdcTransparencyPart *part)
{
	const SdcRelationColumns *levels = &part->rule->columns;
	int known = 0;
	int j;
	int l;

	for (l = 0; l < levels->count; l++)
		for (j = known; j < part->columns; j++)
			if (part->original[j].number == levels->column[l].number)
			{
				SdcRelationColumn original = part->original[j];
				SdcRelationColumn masked = part->masked[j];

				part->original[j] = part->original[known];
				part->masked[j] = part->masked[known];
				part->original[known] = original;
				part->masked[known++] = masked;
			}
}

/* Each level of a place. */
void
sdcpg_candidates_places(SdcTransparency *transparency,
						SdcTransparencyPart *part)
{
	const SdcRelation *original = transparency->original.relation;
	char *out;
	int j;

	order_levels(part);
	out = standing_out(transparency, part);
	part->strata = 0;
	part->other = -1;
	part->value = palloc(sizeof(SdcTransparencyPair) * part->columns);
	for (j = 0; j < part->columns; j++)
	{
		SdcDictionary *dictionary = sdcpg_transparency_dictionary(
			transparency, original, &part->original[j]);

		part->value[j].original = sdcpg_transparency_field(
			&transparency->original, psprintf("r.%s", part->original[j].sql),
			SDC_FRAME_CODE, dictionary);
		part->value[j].masked = sdcpg_transparency_field(
			&transparency->masked,
			sdcpg_candidates_cast(&part->masked[j], NULL, InvalidOid, original,
								  &part->original[j]),
			SDC_FRAME_CODE, dictionary);
	}
	if (out != NULL)
		part->other = sdcpg_transparency_field(&transparency->original, out,
											   SDC_FRAME_NUMBER, NULL);
}

static uint64 *
make_keys(SdcHost *host, const uint32 *stratum, const uint32 *code, int32 rows)
{
	uint64 *key = sdc_new(host, uint64, rows);
	int32 i;

	for (i = 0; i < rows; i++)
		key[i] = sdc_candidate_key(stratum == NULL ? 0 : stratum[i], code[i]);
	return key;
}

/* The keys of the originals that are in the masked file, ascending. */
static SdcCandidateKeys
sort_originals(SdcTransparency *transparency, const uint64 *original)
{
	SdcHost *host = &transparency->host->kernel;
	int32 originals = transparency->original.frame->rows;
	uint64 *key = sdc_new(host, uint64, originals);
	SdcCandidateKeys sorted;
	SdcCandidateSet unused;
	int32 count = 0;
	int32 i;

	for (i = 0; i < originals; i++)
		if (transparency->partner[i] >= 0)
			key[count++] = original[i];
	sdc_candidate_set_sort(host, key, count, &unused, &sorted);
	host->release(host, key);
	host->release(host, unused.row);
	host->release(host, unused.position);
	return sorted;
}

/* Makes the keys and starts the set of a part. */
static void
begin(SdcTransparency *transparency, SdcTransparencyPart *part, Keys *keys)
{
	SdcHost *host = &transparency->host->kernel;
	int32 originals = transparency->original.frame->rows;
	int32 rows = transparency->masked.frame->rows;
	uint32 *stratum;
	uint32 *masked;

	sdcpg_transparency_strata(transparency, part, &stratum, &masked);
	keys->shown = masked != NULL;
	keys->original =
		make_keys(host, stratum,
				  sdcpg_transparency_codes(&transparency->original,
										   part->value->original),
				  originals);
	keys->masked = make_keys(
		host, masked,
		sdcpg_transparency_codes(&transparency->masked, part->value->masked),
		rows);
	host->release(host, stratum);
	sdc_candidate_set_sort(host, keys->masked, rows, &part->set,
						   &keys->sorted);
	sdc_candidate_set_begin(host, &part->set, originals);
	keys->reference = keys->sorted;
	keys->ranks = keys->shown || transparency->complete;
	if (!keys->shown)
		keys->reference = sort_originals(transparency, keys->original);
}

static void
put(SdcTransparencyPart *part, const Keys *keys, int32 i,
	SdcCandidateRange range)
{
	if (!keys->shown && range.low <= range.high)
	{
		/* any stratum, and the masked keys are all of stratum 0 */
		range.low = (uint32) range.low;
		range.high = (uint32) range.high;
	}
	sdc_candidate_set_put(&part->set, &keys->sorted, i, range,
						  sdc_candidate_range_none());
}

static void
end(SdcHost *host, Keys *keys)
{
	host->release(host, keys->original);
	host->release(host, keys->masked);
	if (!keys->shown)
		host->release(host, (void *) keys->reference.key);
	host->release(host, (void *) keys->sorted.key);
}

/* The middle rank of a value, or its bucket; NaN for a NULL. */
static double
coordinate(const Keys *keys, uint64 key, double p, bool buckets, double *scale)
{
	SdcCandidateRank rank = sdc_candidate_range_rank(&keys->reference, key);
	double window = floor(p * rank.values / 100);
	double middle = (rank.low + Max(rank.low, rank.high)) / 2.0;

	if (scale != NULL)
		*scale = window;
	if ((uint32) key == SDC_CANDIDATE_MISSING || window == 0)
		return NAN;
	return buckets ? floor(middle / window) : middle;
}

/* p of a rule, or params.p_bound in its place. */
static double
candidates_p(const SdcTransparency *transparency,
			 const SdcTransparencyPart *part)
{
	double p = sdcpg_rule_number(part->rule, "p");
	JsonbValue bound;

	if (!sdcpg_params_find(transparency->params, "p_bound", &bound))
		return p;
	if (bound.type == jbvNumeric)
		return sdcpg_keys_number(sdcpg_transparency_params,
								 transparency->params, "p_bound");
	return sdcpg_params_member_number(transparency->params, "p_bound",
									  part->original[0].name, p, 0, 100);
}

/* Says how likely a swap over that many buckets or ranks is. */
static void
weigh_ranks(SdcTransparency *transparency, SdcTransparencyPart *part,
			const Keys *keys, bool buckets)
{
	SdcHost *host = &transparency->host->kernel;
	int32 originals = transparency->original.frame->rows;
	int32 rows = transparency->masked.frame->rows;
	double p = candidates_p(transparency, part);
	double *original = sdc_new(host, double, originals);
	double *masked = sdc_new(host, double, rows);
	double *scale = sdc_new(host, double, originals);
	int32 i;

	for (i = 0; i < originals; i++)
		original[i] =
			coordinate(keys, keys->original[i], p, buckets, &scale[i]);
	for (i = 0; i < rows; i++)
		masked[i] = coordinate(keys, keys->masked[i], p, buckets, NULL);
	part->weighted = true;
	part->weight.law = buckets ? SDC_CANDIDATE_BUCKETS : SDC_CANDIDATE_RANKS;
	part->weight.original = original;
	part->weight.masked = masked;
	part->weight.scale = scale;
}

/* What a swap over buckets, or over any distance, can make of a value. */
static SdcCandidateRange
any_rank(const Keys *keys, uint64 key, double p)
{
	SdcCandidateRank rank;

	if ((uint32) key == SDC_CANDIDATE_MISSING)
		return sdc_candidate_range_one(key);
	rank = sdc_candidate_range_rank(&keys->reference, key);
	/* without a window nothing is swapped */
	return keys->ranks && floor(p * rank.values / 100) == 0
			   ? sdc_candidate_range_one(key)
			   : sdc_candidate_range_stratum(key);
}

void
sdcpg_candidates_swap(SdcTransparency *transparency, SdcTransparencyPart *part)
{
	SdcHost *host = &transparency->host->kernel;
	int variant = sdcpg_rule_variant(part->rule);
	double p = candidates_p(transparency, part);
	Keys keys;
	int32 i;

	begin(transparency, part, &keys);
	for (i = 0; i < transparency->original.frame->rows; i++)
	{
		if (i % SDC_POLL_STEPS == 0)
			host->poll(host, 0, 0);
		put(part, &keys, i,
			variant == 0 && keys.ranks
				? sdc_candidate_range_swap(&keys.reference, keys.original[i],
										   p)
				: any_rank(&keys, keys.original[i], p));
	}
	part->exact = variant == 0 && keys.ranks;
	/* masked ranks are those of the stratum only where it is seen */
	if (variant != 0 && keys.shown)
		weigh_ranks(transparency, part, &keys, variant == 1);
	end(host, &keys);
}

void
sdcpg_candidates_shuffle(SdcTransparency *transparency,
						 SdcTransparencyPart *part)
{
	SdcHost *host = &transparency->host->kernel;
	Keys keys;
	int32 i;

	begin(transparency, part, &keys);
	for (i = 0; i < transparency->original.frame->rows; i++)
		put(part, &keys, i, sdc_candidate_range_stratum(keys.original[i]));
	part->exact = true;
	end(host, &keys);
}

/* The keys as numbers, and the shares of masked values in their stratum. */
static void
weigh_retention(SdcTransparency *transparency, SdcTransparencyPart *part,
				const Keys *keys, double p)
{
	SdcHost *host = &transparency->host->kernel;
	int32 originals = transparency->original.frame->rows;
	int32 rows = transparency->masked.frame->rows;
	double *original = sdc_new(host, double, originals);
	double *masked = sdc_new(host, double, rows);
	double *scale = sdc_new(host, double, originals);
	double *share = sdc_new(host, double, rows);
	int32 i;

	for (i = 0; i < originals; i++)
	{
		bool missing = (uint32) keys->original[i] == SDC_CANDIDATE_MISSING;

		original[i] = missing ? NAN : (double) (uint32) keys->original[i];
		scale[i] = p;
	}
	for (i = 0; i < rows; i++)
	{
		uint64 key = keys->masked[i];
		SdcCandidateRank rank = sdc_candidate_range_rank(&keys->sorted, key);
		bool missing = (uint32) key == SDC_CANDIDATE_MISSING;

		masked[i] = missing ? NAN : (double) (uint32) key;
		share[i] = missing ? 1 : (rank.high - rank.low + 1.0) / rank.values;
	}
	part->weighted = true;
	part->weight.law = SDC_CANDIDATE_RETENTION;
	part->weight.original = original;
	part->weight.masked = masked;
	part->weight.scale = scale;
	part->weight.share = share;
}

void
sdcpg_candidates_pram(SdcTransparency *transparency, SdcTransparencyPart *part)
{
	SdcHost *host = &transparency->host->kernel;
	double p = sdcpg_rule_number(part->rule, "p") / 100;
	Keys keys;
	int32 i;

	begin(transparency, part, &keys);
	for (i = 0; i < transparency->original.frame->rows; i++)
		put(part, &keys, i,
			p < 1 ? sdc_candidate_range_stratum(keys.original[i])
				  : sdc_candidate_range_one(keys.original[i]));
	part->exact = true;
	if (p < 1)
		weigh_retention(transparency, part, &keys, p);
	end(host, &keys);
}

/* A category is a text, whatever the type of the column. */
void
sdcpg_candidates_turned(SdcTransparency *transparency,
						SdcTransparencyPart *part)
{
	sdcpg_candidates_ask_text(transparency, part,
							  sdcpg_query_text(&part->original[0]));
	sdcpg_candidates_ask_strata(transparency, part);
}

int32 *
sdcpg_candidates_categories(const SdcTransparency *transparency,
							const SdcTransparencyPart *part,
							const SdcPramMatrix *matrix)
{
	SdcDictionary *dictionary =
		transparency->masked.dictionary[part->value->masked];
	int32 values = sdcpg_dictionary_values(dictionary);
	int32 *category =
		sdc_new(&transparency->host->kernel, int32, (Size) values + 1);
	int32 i;

	for (i = 0; i < values; i++)
	{
		Datum value = sdcpg_dictionary_value(dictionary, i);

		category[i] =
			sdcpg_pram_place(matrix, VARDATA_ANY(DatumGetPointer(value)),
							 VARSIZE_ANY_EXHDR(DatumGetPointer(value)));
	}
	return category;
}

/* The codes from the first to the last that each category may become. */
typedef struct Reach
{
	int32 low;
	int32 high; /* below low: none that is there */
} Reach;

static Reach *
find_reach(SdcHost *host, const SdcPramMatrix *matrix, const int32 *category,
		   int32 values)
{
	Reach *reach = sdc_new(host, Reach, matrix->size);
	int32 a;
	int32 i;

	for (a = 0; a < matrix->size; a++)
	{
		host->poll(host, a, matrix->size);
		reach[a] = (Reach){values, -1};
		for (i = 0; i < values; i++)
			if (category[i] >= 0 &&
				matrix->chance[(Size) a * matrix->size + category[i]] > 0)
			{
				reach[a].low = Min(reach[a].low, i);
				reach[a].high = i;
			}
	}
	return reach;
}

static SdcCandidateRange
turned_range(uint64 key, const int32 *category, const Reach *reach)
{
	uint32 code = (uint32) key;
	uint32 stratum = (uint32) (key >> 32);
	Reach here;

	if (code == SDC_CANDIDATE_MISSING)
		return sdc_candidate_range_one(key);
	/* the rule does not know it */
	if (category[code] < 0)
		return sdc_candidate_range_stratum(key);
	here = reach[category[code]];
	return here.high < here.low
			   ? sdc_candidate_range_none()
			   : (SdcCandidateRange){
					 sdc_candidate_key(stratum, (uint32) here.low),
					 sdc_candidate_key(stratum, (uint32) here.high)};
}

/*
 * A matrix that is made to keep the distribution leads from each category to
 * each that the given one has a way to and back, so all of the stratum stay
 * possible.
 */
void
sdcpg_candidates_turn(SdcTransparency *transparency, SdcTransparencyPart *part)
{
	SdcHost *host = &transparency->host->kernel;
	SdcPramMatrix *matrix = sdcpg_pram_matrix_of(part->rule);
	bool given = sdcpg_rule_variant(part->rule) == SDC_PRAM_GIVEN;
	int32 *category = sdcpg_candidates_categories(transparency, part, matrix);
	Reach *reach =
		find_reach(host, matrix, category,
				   sdcpg_dictionary_values(
					   transparency->masked.dictionary[part->value->masked]));
	Keys keys;
	int32 i;

	begin(transparency, part, &keys);
	for (i = 0; i < transparency->original.frame->rows; i++)
	{
		if (i % SDC_POLL_STEPS == 0)
			host->poll(host, 0, 0);
		put(part, &keys, i,
			given ? turned_range(keys.original[i], category, reach)
				  : sdc_candidate_range_stratum(keys.original[i]));
	}
	part->exact = true;
	end(host, &keys);
	host->release(host, reach);
	host->release(host, category);
}
