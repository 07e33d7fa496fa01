/*
 * candidates_group.c
 *		Multivariate microaggregation: the grouping is done again; names.
 *
 * Who has all of the original and knows k gets the same groups, because the
 * methods (all but best, which draws numbers) are deterministic.  The means of
 * these groups are then looked for among the released records.  Whether the
 * replay is right shows: every mean must be there, for as many records as the
 * group has.  Where it is not, or only some of the columns are known, every
 * record of the stratum is a candidate, and distance has to tell.
 *
 * Pseudonyms and fakes give equal values equal names.  A name says nothing of
 * a value but its form, where the mask keeps that: the length of a text, or
 * which characters are digits and letters.  How often, and beside what, values
 * and names occur is for the likelihood to use.
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_collation.h"
#include "catalog/pg_type.h"

#include "utils/lsyscache.h"

#include "host/call/params.h"
#include "host/call/query.h"
#include "host/data/dictionary.h"
#include "host/data/rows.h"
#include "host/server/compat.h"
#include "kernel/base/host.h"
#include "kernel/base/matrix.h"
#include "kernel/base/sort.h"
#include "kernel/intruder/candidate.h"
#include "kernel/mask/fake.h"
#include "kernel/microaggregation/microaggregate_group.h"
#include "topic/attack/candidates.h"
#include "topic/attack/transparency.h"

/* Means of the same numbers, added in another order, differ by this share. */
#define ROUNDING 1e-12

/* One part being replayed. */
typedef struct Replay
{
	SdcTransparency *transparency;
	SdcTransparencyPart *part;
	const uint32 *original; /* strata */
	const uint32 *masked;   /* NULL: not shown */
	int32 originals;
	int32 rows;
	/* released records without NULL, in the order of stratum and values */
	int32 released;
	int32 *order;
	/* a class is a run of equal ones: first .. first of the next - 1 */
	int32 classes;
	int32 *first;
	int32 *expected;   /* records that the replay puts into a class */
	uint32 *class;     /* of each released record, by row; or MISSING */
	uint32 *found;     /* of each original record; or MISSING */
	double *magnitude; /* of each column */
} Replay;

static const SdcFrameColumn *
column_of(const Replay *replay, bool masked, int j)
{
	const SdcTransparencyPair *pair = &replay->part->value[j];

	return masked
			   ? &replay->transparency->masked.frame->column[pair->masked]
			   : &replay->transparency->original.frame->column[pair->original];
}

static bool
is_incomplete(const Replay *replay, bool masked, int32 row)
{
	int j;

	for (j = 0; j < replay->part->columns; j++)
		if (column_of(replay, masked, j)->isnull[row])
			return true;
	return false;
}

static uint32
masked_stratum(const Replay *replay, int32 row)
{
	return replay->masked == NULL ? 0 : replay->masked[row];
}

/* Sorts rows by one more key, most significant last. */
static void
sort_by(Replay *replay, uint64 *key, int j)
{
	SdcHost *host = &replay->transparency->host->kernel;
	int32 t;

	for (t = 0; t < replay->released; t++)
	{
		int32 row = replay->order[t];

		key[t] = j < 0 ? masked_stratum(replay, row)
					   : sdc_sort_key(column_of(replay, true, j)->number[row]);
	}
	sdc_sort_keys(host, key, replay->order, replay->released);
}

static bool
is_same(const Replay *replay, int32 a, int32 b)
{
	int j;

	if (masked_stratum(replay, a) != masked_stratum(replay, b))
		return false;
	for (j = 0; j < replay->part->columns; j++)
		if (column_of(replay, true, j)->number[a] !=
			column_of(replay, true, j)->number[b])
			return false;
	return true;
}

/* Finds the classes of equal released records. */
static void
find_classes(Replay *replay)
{
	SdcHost *host = &replay->transparency->host->kernel;
	uint64 *key = sdc_new(host, uint64, replay->rows);
	int32 t;
	int j;

	replay->order = sdc_new(host, int32, replay->rows);
	replay->first = sdc_new(host, int32, (Size) replay->rows + 1);
	replay->class = sdc_new(host, uint32, replay->rows);
	for (t = 0; t < replay->rows; t++)
	{
		replay->class[t] = SDC_CANDIDATE_MISSING;
		if (!is_incomplete(replay, true, t))
			replay->order[replay->released++] = t;
	}
	for (j = replay->part->columns - 1; j >= -1; j--)
		sort_by(replay, key, j);
	for (t = 0; t < replay->released; t++)
	{
		if (t == 0 || !is_same(replay, replay->order[t - 1], replay->order[t]))
			replay->first[replay->classes++] = t;
		replay->class[replay->order[t]] = replay->classes - 1;
	}
	replay->first[replay->classes] = replay->released;
	replay->expected = sdc_new(host, int32, replay->classes);
	memset(replay->expected, 0, sizeof(int32) * replay->classes);
	host->release(host, key);
}

/* The first class of a stratum whose first column is at least low. */
static int32
find_class(const Replay *replay, uint32 stratum, double low)
{
	const double *value = column_of(replay, true, 0)->number;
	int32 start = 0;
	int32 end = replay->classes;

	while (start < end)
	{
		int32 middle = start + (end - start) / 2;
		int32 row = replay->order[replay->first[middle]];
		uint32 here = masked_stratum(replay, row);

		if (here < stratum || (here == stratum && value[row] < low))
			start = middle + 1;
		else
			end = middle;
	}
	return start;
}

/* How far a released mean may be from a mean that was computed here. */
static double
tolerance(const Replay *replay, int j, double mean)
{
	return ROUNDING * (fabs(mean) + replay->magnitude[j]) +
		   sdcpg_candidates_slack(replay->transparency,
								  &replay->part->masked[j], mean);
}

/* The only class that has these means; -1 when none or several have. */
static int32
match_class(const Replay *replay, uint32 stratum, const double *mean)
{
	const double *value = column_of(replay, true, 0)->number;
	double reach = tolerance(replay, 0, mean[0]);
	int32 match = -1;
	int32 c;

	for (c = find_class(replay, stratum, mean[0] - reach); c < replay->classes;
		 c++)
	{
		int32 row = replay->order[replay->first[c]];
		int j;

		if (masked_stratum(replay, row) != stratum ||
			value[row] > mean[0] + reach)
			break;
		for (j = 1; j < replay->part->columns; j++)
			if (fabs(column_of(replay, true, j)->number[row] - mean[j]) >
				tolerance(replay, j, mean[j]))
				break;
		if (j < replay->part->columns)
			continue;
		if (match >= 0)
			return -1;
		match = c;
	}
	return match;
}

/* Finds the class of each group; group[i] is that of row[i]. */
static bool
match_groups(Replay *replay, const SdcMatrix *matrix, const int32 *row,
			 const int32 *group, int32 groups)
{
	SdcHost *host = &replay->transparency->host->kernel;
	int columns = matrix->columns;
	double *mean = sdc_new(host, double, (Size) groups *columns);
	int32 *size = sdc_new(host, int32, groups);
	uint32 stratum = replay->masked == NULL ? 0 : replay->original[row[0]];
	int32 *class = sdc_new(host, int32, groups);
	bool right = true;
	size_t i;
	int32 g;
	int j;

	memset(mean, 0, sizeof(double) * groups * columns);
	memset(size, 0, sizeof(int32) * groups);
	for (i = 0; i < matrix->rows; i++)
	{
		size[group[i]]++;
		for (j = 0; j < columns; j++)
			mean[(Size) group[i] * columns + j] += matrix->column[j][i];
	}
	for (g = 0; g < groups && right; g++)
	{
		for (j = 0; j < columns; j++)
			mean[(Size) g * columns + j] /= size[g];
		class[g] = match_class(replay, stratum, &mean[(Size) g * columns]);
		right = class[g] >= 0;
		if (right)
			replay->expected[class[g]] += size[g];
	}
	for (i = 0; i < matrix->rows && right; i++)
		replay->found[row[i]] = class[group[i]];
	host->release(host, mean);
	host->release(host, size);
	host->release(host, class);
	return right;
}

/* Groups the records of one stratum again. */
static bool
replay_stratum(Replay *replay, const int32 *row, int32 count)
{
	SdcHost *host = &replay->transparency->host->kernel;
	int32 k = (int32) sdcpg_rule_number(replay->part->rule, "k");
	double *column[SDC_TRANSPARENCY_COLUMNS];
	SdcMatrix matrix = {count, replay->part->columns, column};
	SdcRandom random;
	int32 *group;
	int32 groups;
	bool right;
	int32 i;
	int j;

	if (count == 0)
		return true;
	if (count < k)
		return false;
	for (j = 0; j < matrix.columns; j++)
	{
		column[j] = sdc_new(host, double, count);
		for (i = 0; i < count; i++)
			column[j][i] = column_of(replay, false, j)->number[row[i]];
	}
	group = sdc_new(host, int32, count);
	sdc_random_seed(&random, 0, 0);
	groups = sdc_microaggregate_group(
		host, &matrix, k, sdcpg_rule_variant(replay->part->rule),
		sdcpg_rule_boolean(replay->part->rule, "standardize"), &random, group);
	right = match_groups(replay, &matrix, row, group, groups);
	for (j = 0; j < matrix.columns; j++)
		host->release(host, column[j]);
	host->release(host, group);
	return right;
}

/* Groups all strata again. */
static bool
replay_strata(Replay *replay)
{
	SdcHost *host = &replay->transparency->host->kernel;
	uint64 *key = sdc_new(host, uint64, replay->originals);
	int32 *row = sdc_new(host, int32, replay->originals);
	bool right = true;
	int32 count = 0;
	int32 first;
	int32 last;
	int32 i;

	for (i = 0; i < replay->originals; i++)
	{
		replay->found[i] = SDC_CANDIDATE_MISSING;
		if (is_incomplete(replay, false, i))
			continue;
		key[count] = replay->original[i];
		row[count++] = i;
	}
	sdc_sort_keys(host, key, row, count);
	for (first = 0; first < count && right; first = last)
	{
		for (last = first; last < count && key[last] == key[first]; last++)
			;
		right = replay_stratum(replay, row + first, last - first);
	}
	host->release(host, key);
	host->release(host, row);
	for (i = 0; i < replay->classes && right; i++)
		right = replay->expected[i] == replay->first[i + 1] - replay->first[i];
	return right;
}

/* Can the intruder do the grouping again? */
static bool
is_replayable(const Replay *replay)
{
	const SdcTransparencyPart *part = replay->part;

	return replay->transparency->complete &&
		   replay->originals == replay->rows &&
		   part->columns == part->rule->columns.count &&
		   part->columns <= SDC_TRANSPARENCY_COLUMNS &&
		   sdcpg_rule_variant(part->rule) != SDC_GROUP_BEST;
}

/* The largest value of each column, to tell what rounding may do to it. */
static void
find_magnitudes(Replay *replay)
{
	SdcHost *host = &replay->transparency->host->kernel;
	int32 i;
	int j;

	replay->magnitude = sdc_new(host, double, replay->part->columns);
	for (j = 0; j < replay->part->columns; j++)
	{
		const SdcFrameColumn *column = column_of(replay, false, j);

		replay->magnitude[j] = 0;
		for (i = 0; i < replay->originals; i++)
			replay->magnitude[j] =
				Max(replay->magnitude[j], fabs(column->number[i]));
	}
}

/* Puts the sets: a class each, or whole strata. */
static void
put_sets(Replay *replay, bool right)
{
	SdcTransparencyPart *part = replay->part;
	SdcHost *host = &replay->transparency->host->kernel;
	uint64 *key = sdc_new(host, uint64, replay->rows);
	SdcCandidateKeys sorted;
	int32 i;

	for (i = 0; i < replay->rows; i++)
		key[i] =
			sdc_candidate_key(masked_stratum(replay, i), replay->class[i]);
	sdc_candidate_set_sort(host, key, replay->rows, &part->set, &sorted);
	sdc_candidate_set_begin(host, &part->set, replay->originals);
	for (i = 0; i < replay->originals; i++)
	{
		uint32 stratum = replay->masked == NULL ? 0 : replay->original[i];
		bool missing = is_incomplete(replay, false, i);
		uint64 own = sdc_candidate_key(stratum, missing ? SDC_CANDIDATE_MISSING
												: right ? replay->found[i]
														: 0);

		sdc_candidate_set_put(&part->set, &sorted, i,
							  right || missing
								  ? sdc_candidate_range_one(own)
								  : sdc_candidate_range_stratum(own),
							  sdc_candidate_range_none());
	}
	part->exact = right;
	host->release(host, key);
	host->release(host, (void *) sorted.key);
}

void
sdcpg_candidates_group(SdcTransparency *transparency,
					   SdcTransparencyPart *part, const uint32 *original,
					   const uint32 *masked)
{
	SdcHost *host = &transparency->host->kernel;
	Replay replay;
	bool right = false;

	memset(&replay, 0, sizeof(replay));
	replay.transparency = transparency;
	replay.part = part;
	replay.original = original;
	replay.masked = masked;
	replay.originals = transparency->original.frame->rows;
	replay.rows = transparency->masked.frame->rows;
	replay.found = sdc_new(host, uint32, replay.originals);
	find_classes(&replay);
	find_magnitudes(&replay);
	if (is_replayable(&replay))
		right = replay_strata(&replay);
	put_sets(&replay, right);
	host->release(host, replay.order);
	host->release(host, replay.first);
	host->release(host, replay.class);
	host->release(host, replay.expected);
	host->release(host, replay.found);
	host->release(host, replay.magnitude);
}

/* ----------------------------------------------------------------------
 * Names.
 * ----------------------------------------------------------------------
 */

/* The collation of the names of a part. */
static Oid
collation_of(const SdcTransparency *transparency,
			 const SdcTransparencyPart *part)
{
	Oid type;
	int32 modifier;
	Oid collation;

	get_atttypetypmodcoll(transparency->masked.relation->oid,
						  part->masked[0].number, &type, &modifier,
						  &collation);
	return OidIsValid(collation) ? collation : DEFAULT_COLLATION_OID;
}

/*
 * A dictionary of texts for fields of both files, that of an earlier part of
 * the same collation if there is one: values that two columns share have the
 * same code in both.
 */
static SdcDictionary *
text_dictionary(SdcTransparency *transparency, const SdcTransparencyPart *part)
{
	SdcRelationColumn text = part->masked[0];
	const SdcTransparencyPart *other = transparency->part;

	for (; other < part; other++)
		if (other->names.masked >= 0 && collation_of(transparency, other) ==
											collation_of(transparency, part))
			return transparency->masked.dictionary[other->names.masked];
	text.base = TEXTOID;
	return sdcpg_transparency_dictionary(transparency,
										 transparency->masked.relation, &text);
}

/*
 * The column whose equal values have equal names: that of the part, or the one
 * that the rule names, if the intruder knows it; else NULL.
 */
static const SdcRelationColumn *
named_column(const SdcTransparency *transparency,
			 const SdcTransparencyPart *part)
{
	const char *by = sdcpg_params_text(part->rule->params, "by");
	int k;

	if (by == NULL)
		return &part->original[0];
	for (k = 0; k < transparency->keys.count; k++)
		if (strcmp(transparency->keys.column[k].name, by) == 0)
			return &transparency->keys.column[k];
	return NULL;
}

/* Asks which rows of a file have the same value, and which the same name. */
static void
ask_names(SdcTransparency *transparency, SdcTransparencyPart *part)
{
	const SdcRelationColumn *column = named_column(transparency, part);
	SdcDictionary *dictionary;

	if (column == NULL)
		return;
	dictionary = text_dictionary(transparency, part);
	part->names.original = sdcpg_transparency_field(
		&transparency->original, sdcpg_query_cast(column, "text"),
		SDC_FRAME_CODE, dictionary);
	part->names.masked = sdcpg_transparency_field(
		&transparency->masked, sdcpg_query_cast(&part->masked[0], "text"),
		SDC_FRAME_CODE, dictionary);
}

/* Dates that are moved each by itself: equal ones by the same days. */
void
sdcpg_candidates_shifted(SdcTransparency *transparency,
						 SdcTransparencyPart *part)
{
	sdcpg_candidates_numbers(transparency, part);
	if (sdcpg_rule_text(part->rule, "by") == NULL)
		ask_names(transparency, part);
}

/* ----------------------------------------------------------------------
 * Pseudonyms.
 * ----------------------------------------------------------------------
 */

#define SMALL  "abcdefghijklmnopqrstuvwxyz"
#define LARGE  "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
#define DIGITS "0123456789"

/* The form of a text: what is a digit, a small and a capital letter. */
static char *
form_of(const SdcRelationColumn *column)
{
	return psprintf(
		"pg_catalog.translate(%s, '" SMALL LARGE DIGITS "', '%s%s%s')",
		sdcpg_query_cast(column, "text"), "aaaaaaaaaaaaaaaaaaaaaaaaaa",
		"AAAAAAAAAAAAAAAAAAAAAAAAAA", "9999999999");
}

/* Has a pseudonym the form of the value? */
static bool
keeps_form(const SdcTransparencyPart *part)
{
	const char *format = sdcpg_rule_text(part->rule, "format");

	return format != NULL &&
		   (strcmp(format, "same") == 0 || strcmp(format, "digits") == 0);
}

void
sdcpg_candidates_pseudonymous(SdcTransparency *transparency,
							  SdcTransparencyPart *part)
{
	SdcDictionary *dictionary;

	part->strata = 0;
	ask_names(transparency, part);
	if (!keeps_form(part))
		return;
	dictionary = text_dictionary(transparency, part);
	part->value = palloc(sizeof(SdcTransparencyPair));
	part->value->original = sdcpg_transparency_field(
		&transparency->original, form_of(&part->original[0]), SDC_FRAME_CODE,
		dictionary);
	part->value->masked = sdcpg_transparency_field(&transparency->masked,
												   form_of(&part->masked[0]),
												   SDC_FRAME_CODE, dictionary);
}

void
sdcpg_candidates_pseudonyms(SdcTransparency *transparency,
							SdcTransparencyPart *part)
{
	if (keeps_form(part))
		sdcpg_candidates_image(transparency, part);
	else
		sdcpg_candidates_everybody(transparency, part);
}

/* ----------------------------------------------------------------------
 * Fakes.
 * ----------------------------------------------------------------------
 */

/* Characters of the fake of a text in a column at the most. */
static int
text_limit(const SdcRelation *relation, const SdcRelationColumn *column)
{
	int size = sdcpg_relation_characters(relation, column);

	return size > 0 ? Min(size, SDC_FAKE_TEXT_MAX) : SDC_FAKE_TEXT_MAX;
}

/*
 * A fake says nothing of a value but for the length of a text, which is known
 * to eight characters.
 */
static bool
tells_length(const SdcTransparencyPart *part)
{
	return strcmp(sdcpg_rule_text(part->rule, "kind"),
				  sdc_fake_words[SDC_FAKE_TEXT]) == 0;
}

void
sdcpg_candidates_faked(SdcTransparency *transparency,
					   SdcTransparencyPart *part)
{
	SdcDictionary *dictionary;

	part->strata = 0;
	ask_names(transparency, part);
	if (!tells_length(part))
		return;
	dictionary = text_dictionary(transparency, part);
	part->value = palloc(sizeof(SdcTransparencyPair));
	part->value->original = sdcpg_transparency_field(
		&transparency->original,
		psprintf(
			"CAST(LEAST((pg_catalog.char_length(%s) "
			"OPERATOR(pg_catalog.+) 7) OPERATOR(pg_catalog./) 8 "
			"OPERATOR(pg_catalog.*) 8, %d) AS pg_catalog.text)",
			sdcpg_query_cast(&part->original[0], "text"),
			text_limit(transparency->original.relation, &part->original[0])),
		SDC_FRAME_CODE, dictionary);
	part->value->masked = sdcpg_transparency_field(
		&transparency->masked,
		psprintf("CAST(pg_catalog.char_length(%s) AS pg_catalog.text)",
				 sdcpg_query_cast(&part->masked[0], "text")),
		SDC_FRAME_CODE, dictionary);
}

void
sdcpg_candidates_fakes(SdcTransparency *transparency,
					   SdcTransparencyPart *part)
{
	if (tells_length(part))
		sdcpg_candidates_image(transparency, part);
	else
		sdcpg_candidates_everybody(transparency, part);
}
