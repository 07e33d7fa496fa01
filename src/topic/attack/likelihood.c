/*
 * likelihood.c
 *		sdc.attack_likelihood: the intruder who knows how each mask moves
 *		values, and how likely.
 *
 * The rules of the keys are read as the attack by transparency reads them:
 * each part asks for the fields of both files that it needs, and adds a term
 * to the kernel's intruder (kernel/intruder): the logarithm of how likely the
 * rule makes a masked value from an original one. A method without a law falls
 * back on the set that it leaves possible, all equally likely.  Candidates are
 * searched by all workers; matching and belief are this process' own.
 *
 * How much is searched is a budget of work.  Beyond it whole slabs of ranks
 * are attacked in place of all persons, because a random sample would lose
 * what one-to-one linkage gains.
 */
#include "postgres.h"

#include <math.h>

#include "utils/builtins.h"

#include "host/call/params.h"
#include "host/call/relation.h"
#include "host/data/alignment.h"
#include "host/data/dictionary.h"
#include "host/data/rows.h"
#include "host/server/compat.h"
#include "host/server/host.h"
#include "host/server/parallel.h"
#include "host/server/result.h"
#include "kernel/base/random.h"
#include "kernel/base/sort.h"
#include "kernel/linear/moments.h"
#include "kernel/mask/noise.h"
#include "kernel/mask/rank_swap.h"
#include "kernel/table/frequency.h"
#include "topic/attack/candidates.h"
#include "topic/attack/likelihood.h"
#include "topic/attack/links.h"
#include "topic/attack/transparency.h"
#include "topic/mask/rules.h"
#include "topic/registry/roles.h"
#include "topic/registry/words.h"

PG_FUNCTION_INFO_V1(sdcf_attack_likelihood);

extern PGDLLEXPORT void sdcpg_likelihood_worker(dsm_segment *segment,
												shm_toc *toc);
extern PGDLLEXPORT void sdcpg_exchange_worker(dsm_segment *segment,
											  shm_toc *toc);

static const char *const null_words[] = {"value", "unknown", NULL};
static const char *const rank_words[] = {"likelier", "masked", "original",
										 NULL};

const SdcKey sdcpg_likelihood_params[] = {
	SDC_TAKES_MAP,
	{"max_candidates", SDC_KEY_INTEGER, .low = 1,
	 .high = SDC_INTRUDER_ROOM_MAX, .absent = "10"},
	SDC_TAKES_ASSIGNMENT,
	{"error", SDC_KEY_NUMBER, .low = 1e-9, .high = 0.5, .absent = "1e-3"},
	{"ranks", SDC_KEY_WORD, .words = rank_words},
	{"whole", SDC_KEY_BOOLEAN},
	{"estimate", SDC_KEY_BOOLEAN},
	{"room", SDC_KEY_INTEGER, .low = 1, .high = SDC_INTRUDER_ROOM_MAX,
	 .absent = "64"},
	SDC_TAKES_WORK(NULL),
	{"nulls", SDC_KEY_WORD, .words = null_words},
	SDC_TAKES_BOUNDS,
	{NULL}};

/* Persons whose searches tell how much all will take. */
#define ESTIMATE_PERSONS 200

/* Persons whose likelihood decides which ranks, or which p, fit. */
#define FIT_PERSONS 300

/* Slabs beyond the budget. */
#define SLABS 12

/* Candidates of a person where a wide mask fills the lists. */
#define ROOM_GROWS_TO 256

/* Of so many lists one may end early, unsure, where exchanges are weighed. */
#define MAY_END 20

/* Profiles that these look up, as a share of the work; seconds of one. */
#define EXCHANGE_SHARE  0.01
#define PROFILE_SECONDS 1e-7

/* Bytes of entries of lists, also while matched; of persons and parts. */
#define ENTRY_BYTES    8
#define MATCHING_BYTES 52
#define PERSON_BYTES   120
#define PART_BYTES     36

/* The share that is attacked, slab by slab, where memory is short. */
#define MEMORY_SHARE 0.6

/* Seconds of a look, roughly. */
#define LOOK_SECONDS 1e-8

/* What was read, and what is made of it. */
typedef struct Likelihood
{
	const SdcLikelihoodCall *call;
	SdcTransparency transparency;
	SdcHost *host;
	SdcIntruder *intruder;
	SdcIntruderPrior prior;
	bool by_original; /* are the ranks those of the original? */
	bool unknown;     /* does NULL mean that he does not know? */
	bool one_to_one;
	bool groups;  /* is there a spread to be fitted? */
	int swaps;    /* terms of rank swapping */
	int left_out; /* parts without room */
	int64 work;
	int room;
	bool room_given; /* by the caller, who wants no more */
	bool alone;      /* was a sample of persons attacked, without slabs? */
} Likelihood;

/* ----------------------------------------------------------------------
 * What each rule says: one term of the likelihood for each part.
 * ----------------------------------------------------------------------
 */

/* Was a column blanked on top of its rule? */
static bool
is_suppressed(const Likelihood *likelihood, const SdcTransparencyPart *part)
{
	return sdcpg_rules_of_table(&likelihood->transparency.rules,
								part->original[0].number) != NULL;
}

/*
 * The keys of one file for a column whose values have an order.  unknown is
 * what a NULL tells: nothing, or that the value is missing.
 */
static uint64 *
make_keys(SdcHost *host, const uint32 *stratum, const uint32 *code, int32 rows,
		  bool unknown)
{
	uint64 *key = sdc_new(host, uint64, rows);
	int32 i;

	for (i = 0; i < rows; i++)
		key[i] = unknown && code[i] == SDC_INTRUDER_MISSING
					 ? SDC_INTRUDER_UNKNOWN
					 : sdc_intruder_key(stratum[i], code[i]);
	return key;
}

/* Tells of a rule that the attack cannot use. */
static void
tell_unused(const SdcTransparencyPart *part, const char *why)
{
	ereport(NOTICE,
			(errmsg("the rule of \"%s\" excludes nobody", part->subject),
			 errdetail_internal("%s", why)));
}

/*
 * The strata of a part; false, with a notice, where the masked file does not
 * show them.
 */
static bool
find_strata(Likelihood *likelihood, SdcTransparencyPart *part,
			uint32 **original, uint32 **masked)
{
	sdcpg_transparency_strata(&likelihood->transparency, part, original,
							  masked);
	if (*masked != NULL)
		return true;
	likelihood->host->release(likelihood->host, *original);
	tell_unused(part, "The masked relation does not show its strata.");
	return false;
}

static void
add_rank_swap(Likelihood *likelihood, SdcTransparencyPart *part)
{
	SdcTransparency *transparency = &likelihood->transparency;
	SdcHost *host = likelihood->host;
	SdcIntruderSwap swap = {0};
	uint32 *stratum;
	uint32 *masked;

	if (!find_strata(likelihood, part, &stratum, &masked))
		return;
	swap.method = sdcpg_rule_variant(part->rule);
	swap.p = sdcpg_rule_number(part->rule, "p");
	swap.person =
		make_keys(host, stratum,
				  sdcpg_transparency_codes(&transparency->original,
										   part->value->original),
				  transparency->original.frame->rows, likelihood->unknown);
	swap.record = make_keys(
		host, masked,
		sdcpg_transparency_codes(&transparency->masked, part->value->masked),
		transparency->masked.frame->rows, is_suppressed(likelihood, part));
	if (likelihood->by_original)
	{
		swap.reference = swap.person;
		swap.references = transparency->original.frame->rows;
	}
	sdc_intruder_add_rank_swap(likelihood->intruder, &swap);
	likelihood->swaps++;
	host->release(host, stratum);
}

/*
 * Codes of one field; a NULL becomes the given code, -1 where it tells
 * nothing.
 */
static int32 *
copy_codes(SdcHost *host, const SdcTransparencyFile *file, int field,
		   int32 null_code)
{
	int32 rows = file->frame->rows;
	const int32 *code = file->frame->column[field].code;
	int32 *copy = sdc_new(host, int32, rows);
	int32 i;

	for (i = 0; i < rows; i++)
		copy[i] = code[i] == SDC_CODE_NULL ? null_code : code[i];
	return copy;
}

/* One more than the largest code of both fields of a pair. */
static int32
count_codes(const SdcTransparency *transparency, SdcTransparencyPair pair)
{
	const SdcFrame *frame[2] = {transparency->original.frame,
								transparency->masked.frame};
	int field[2] = {pair.original, pair.masked};
	int32 codes = 0;
	int32 i;
	int f;

	for (f = 0; f < 2; f++)
		for (i = 0; i < frame[f]->rows; i++)
			codes = Max(codes, frame[f]->column[field[f]].code[i] + 1);
	return codes;
}

/* The codes of a part in both files; the last of codes is NULL's. */
typedef struct Codes
{
	int32 codes;
	int32 *person;
	int32 *record;
} Codes;

static Codes
read_codes(const Likelihood *likelihood, const SdcTransparencyPart *part)
{
	const SdcTransparency *transparency = &likelihood->transparency;
	SdcHost *host = likelihood->host;
	Codes read;

	read.codes = count_codes(transparency, part->value[0]) + 1;
	read.person =
		copy_codes(host, &transparency->original, part->value->original,
				   likelihood->unknown ? -1 : read.codes - 1);
	read.record =
		copy_codes(host, &transparency->masked, part->value->masked,
				   is_suppressed(likelihood, part) ? -1 : read.codes - 1);
	return read;
}

/* Is every record that is in both files as it was? */
static bool
is_kept(const Likelihood *likelihood, const Codes *codes)
{
	const SdcTransparency *transparency = &likelihood->transparency;
	int32 i;

	for (i = 0; i < transparency->original.frame->rows; i++)
	{
		int32 partner = transparency->partner[i];

		if (partner >= 0 && codes->person[i] >= 0 &&
			codes->record[partner] >= 0 &&
			codes->record[partner] != codes->person[i])
			return false;
	}
	return true;
}

/* The masked value is a function of the original one, or that itself. */
static void
add_image(Likelihood *likelihood, SdcTransparencyPart *part)
{
	Codes codes;

	codes = read_codes(likelihood, part);
	if (part->rule == NULL && !is_kept(likelihood, &codes))
		tell_unused(part, "The column has no rule, but is not as it was.");
	else
		sdc_intruder_add_equal(likelihood->intruder, codes.person,
							   codes.record, codes.codes);
}

/* Is one of several numbers missing, by row? */
static bool *
missing_numbers(SdcHost *host, double *const *number, int columns, int32 rows)
{
	bool *missing = sdc_new(host, bool, rows);
	int32 i;
	int c;

	for (i = 0; i < rows; i++)
	{
		missing[i] = false;
		for (c = 0; c < columns; c++)
			missing[i] |= isnan(number[c][i]);
	}
	return missing;
}

/*
 * Values stay in their stratum, and missing ones (by row of the original and
 * of the masked file) in their place.
 */
static void
add_stratum(Likelihood *likelihood, SdcTransparencyPart *part,
			const uint32 *stratum, const uint32 *masked, const bool *missing,
			const bool *missing_masked)
{
	const SdcTransparency *transparency = &likelihood->transparency;
	SdcHost *host = likelihood->host;
	int32 originals = transparency->original.frame->rows;
	int32 rows = transparency->masked.frame->rows;
	int32 *person = sdc_new(host, int32, originals);
	int32 *record = sdc_new(host, int32, rows);
	int32 codes = 0;
	int32 i;

	for (i = 0; i < originals; i++)
	{
		person[i] = 2 * (int32) stratum[i] + missing[i];
		codes = Max(codes, person[i] + 1);
		if (likelihood->unknown && missing[i])
			person[i] = -1;
	}
	for (i = 0; i < rows; i++)
	{
		record[i] = 2 * (int32) masked[i] + missing_masked[i];
		codes = Max(codes, record[i] + 1);
		if (missing_masked[i] && is_suppressed(likelihood, part))
			record[i] = -1;
	}
	/* one stratum and no NULL tell nothing */
	if (codes > 1)
		sdc_intruder_add_equal(likelihood->intruder, person, record, codes);
	host->release(host, person);
	host->release(host, record);
}

static void
add_shuffle(Likelihood *likelihood, SdcTransparencyPart *part)
{
	const SdcTransparency *transparency = &likelihood->transparency;
	uint32 *stratum;
	uint32 *masked;

	if (!find_strata(likelihood, part, &stratum, &masked))
		return;
	add_stratum(
		likelihood, part, stratum, masked,
		sdcpg_transparency_missing(likelihood->host, &transparency->original,
								   part->value->original),
		sdcpg_transparency_missing(likelihood->host, &transparency->masked,
								   part->value->masked));
	likelihood->host->release(likelihood->host, stratum);
}

/* Codes of strata at the most; beyond it the column's frequencies are used. */
#define STRATUM_CODES 10000000

/*
 * Makes codes those of their strata, where both files show them; returns how
 * many strata there are.
 */
static int32
split_codes(Likelihood *likelihood, SdcTransparencyPart *part, Codes *codes)
{
	const SdcTransparency *transparency = &likelihood->transparency;
	int32 rows[2] = {transparency->original.frame->rows,
					 transparency->masked.frame->rows};
	int32 *code[2] = {codes->person, codes->record};
	uint32 *stratum[2];
	int32 strata = 1;
	int32 i;
	int f;

	if (part->strata == 0)
		return 1;
	sdcpg_transparency_strata(&likelihood->transparency, part, &stratum[0],
							  &stratum[1]);
	for (f = 0; f < 2 && stratum[1] != NULL; f++)
		for (i = 0; i < rows[f]; i++)
			strata = Max(strata, (int32) stratum[f][i] + 1);
	if ((int64) strata * codes->codes > STRATUM_CODES)
		strata = 1;
	for (f = 0; f < 2 && strata > 1; f++)
		for (i = 0; i < rows[f]; i++)
			if (code[f][i] >= 0)
				code[f][i] += (int32) stratum[f][i] * codes->codes;
	likelihood->host->release(likelihood->host, stratum[0]);
	return strata;
}

/* A value stays with chance p, or is any of its stratum. */
static void
add_retention(Likelihood *likelihood, SdcTransparencyPart *part, Codes *codes,
			  double p)
{
	int32 strata;

	if (part->strata > 0)
		add_shuffle(likelihood, part);
	strata = split_codes(likelihood, part, codes);
	sdc_intruder_add_pram(likelihood->intruder, p, codes->person,
						  codes->record, codes->codes, strata);
}

static void
add_pram(Likelihood *likelihood, SdcTransparencyPart *part)
{
	Codes codes = read_codes(likelihood, part);

	add_retention(likelihood, part, &codes,
				  sdcpg_rule_number(part->rule, "p") / 100);
}

/* The chance that two masked values drawn at random are the same. */
static double
chance_same(Likelihood *likelihood, const Codes *codes)
{
	SdcHost *host = likelihood->host;
	int32 rows = likelihood->transparency.masked.frame->rows;
	int32 *count = sdc_new(host, int32, codes->codes);
	double sum = 0;
	double known = 0;
	int32 i;

	memset(count, 0, sizeof(int32) * codes->codes);
	for (i = 0; i < rows; i++)
		if (codes->record[i] >= 0)
			count[codes->record[i]]++;
	for (i = 0; i < codes->codes; i++)
	{
		sum += (double) count[i] * count[i];
		known += count[i];
	}
	host->release(host, count);
	return known == 0 ? 0 : sum / (known * known);
}

/*
 * Values permuted in groups in which none has more than 1 of l: a person has
 * his own again with about that chance, and otherwise any.
 */
static void
add_permuted(Likelihood *likelihood, SdcTransparencyPart *part)
{
	double l = ceil(sdcpg_rule_number(part->rule, "l"));
	Codes codes = read_codes(likelihood, part);
	double same = chance_same(likelihood, &codes);

	if (same < 1 / l)
		add_retention(likelihood, part, &codes, (1 / l - same) / (1 - same));
	else if (part->strata > 0)
		add_shuffle(likelihood, part);
}

/* The numbers of one file with NaN for what is not known. */
static double *
read_numbers(SdcHost *host, const SdcTransparencyFile *file, int field)
{
	return sdcpg_frame_numbers(host, &file->frame->column[field],
							   file->frame->rows);
}

/* The parts of the rule of a part, in the order of the rule's columns. */
static int
parts_of_rule(Likelihood *likelihood, const SdcTransparencyPart *part,
			  SdcTransparencyPart **of_rule)
{
	SdcTransparency *transparency = &likelihood->transparency;
	int count = 0;
	int c;
	int i;

	for (c = 0; c < part->rule->columns.count; c++)
		for (i = 0; i < transparency->parts; i++)
			if (transparency->part[i].rule == part->rule &&
				transparency->part[i].original[0].number ==
					part->rule->columns.column[c].number)
				of_rule[count++] = &transparency->part[i];
	return count;
}

/* All columns of the rule that are keys, in one term. */
static void
add_noise(Likelihood *likelihood, SdcTransparencyPart *part)
{
	const SdcTransparency *transparency = &likelihood->transparency;
	SdcHost *host = likelihood->host;
	int columns = part->rule->columns.count;
	SdcTransparencyPart **of_rule =
		sdc_new(host, SdcTransparencyPart *, columns);
	double **person = sdc_new(host, double *, columns);
	double **record = sdc_new(host, double *, columns);
	double *base = sdc_new(host, double, columns);
	SdcIntruderNoise noise = {sdcpg_rule_variant(part->rule),
							  sdcpg_rule_number(part->rule, "alpha")};
	uint32 *stratum;
	uint32 *masked;
	int c;

	noise.columns = parts_of_rule(likelihood, part, of_rule);
	if (part != of_rule[0] || noise.alpha == 0)
		return;
	/* what is left of several draws is near a normal law */
	if (noise.columns < columns)
		noise.law = SDC_NOISE_GAUSSIAN;
	for (c = 0; c < noise.columns; c++)
	{
		SdcTransparencyPair pair = of_rule[c]->value[0];

		person[c] = read_numbers(host, &transparency->original, pair.original);
		record[c] = read_numbers(host, &transparency->masked, pair.masked);
		base[c] = 2 * sdcpg_candidates_slack(transparency,
											 &of_rule[c]->masked[0], 0);
	}
	sdcpg_transparency_strata(&likelihood->transparency, part, &stratum,
							  &masked);
	noise.person = (const double *const *) person;
	noise.record = (const double *const *) record;
	noise.base = base;
	noise.person_stratum = masked == NULL ? NULL : stratum;
	noise.record_stratum = masked;
	noise.by_person = likelihood->by_original ||
					  (transparency->whole && !likelihood->unknown);
	if (masked != NULL && noise.columns == columns)
		add_stratum(likelihood, part, stratum, masked,
					missing_numbers(host, person, columns,
									transparency->original.frame->rows),
					missing_numbers(host, record, columns,
									transparency->masked.frame->rows));
	sdc_intruder_add_noise(likelihood->intruder, &noise);
	host->release(host, stratum);
}

/* All of the set of a part, which is there, is equally likely. */
static void
add_found(Likelihood *likelihood, SdcTransparencyPart *part)
{
	const SdcTransparency *transparency = &likelihood->transparency;
	const SdcCandidateSet *set = &part->set;
	SdcHost *host = likelihood->host;
	int32 originals = transparency->original.frame->rows;
	int32 *low = sdc_new(host, int32, originals);
	int32 *high = sdc_new(host, int32, originals);
	int32 i;

	for (i = 0; i < originals; i++)
	{
		bool second = set->first[1][i] < set->end[1][i];
		bool first = set->first[0][i] < set->end[0][i];

		low[i] = first ? set->first[0][i] : set->first[1][i];
		high[i] = (second ? set->end[1][i] : set->end[0][i]) - 1;
		if (first && second)
		{
			low[i] = Min(low[i], set->first[1][i]);
			high[i] = Max(high[i], set->end[0][i] - 1);
		}
	}
	sdc_intruder_add_range(likelihood->intruder, low, high, set->position,
						   transparency->masked.frame->rows);
}

/* All that the rule leaves possible is equally likely. */
static void
add_set(Likelihood *likelihood, SdcTransparencyPart *part)
{
	sdcpg_transparency_find(&likelihood->transparency, part);
	add_found(likelihood, part);
}

/* The same of a part that may tell nothing: then it has asked for nothing. */
static void
add_asked(Likelihood *likelihood, SdcTransparencyPart *part)
{
	if (part->value != NULL)
		add_set(likelihood, part);
}

static void
add_microaggregate(Likelihood *likelihood, SdcTransparencyPart *part)
{
	const SdcTransparency *transparency = &likelihood->transparency;
	SdcHost *host = likelihood->host;
	double **person = sdc_new(host, double *, part->columns);
	double **record = sdc_new(host, double *, part->columns);
	int j;

	for (j = 0; j < part->columns; j++)
	{
		person[j] = read_numbers(host, &transparency->original,
								 part->value[j].original);
		record[j] =
			read_numbers(host, &transparency->masked, part->value[j].masked);
	}
	if (part->rule->columns.count == 1)
	{
		sdc_intruder_add_microaggregate(likelihood->intruder, person[0],
										record[0]);
		return;
	}
	/* who knows everybody groups them again */
	sdcpg_transparency_find(&likelihood->transparency, part);
	if (part->exact)
	{
		add_found(likelihood, part);
		return;
	}
	sdc_intruder_add_group(likelihood->intruder, part->columns,
						   (const double *const *) person,
						   (const double *const *) record, 0);
	likelihood->groups = true;
}

/*
 * One column whose records are each generalized to some level: among those of
 * a level, the person's label on it.
 */
static void
add_column_levels(Likelihood *likelihood, const SdcTransparencyPart *part)
{
	const SdcTransparencyPair *level = part->value;
	const SdcTransparency *transparency = &likelihood->transparency;
	SdcHost *host = likelihood->host;
	const SdcFrame *original = transparency->original.frame;
	const int32 *value = original->column[level[0].original].code;
	int32 persons = original->rows;
	int32 rows = transparency->masked.frame->rows;
	int32 *label =
		copy_codes(host, &transparency->masked, level[0].masked, -1);
	int32 *record = sdc_new(host, int32, rows);
	const int8 *home = part->home;
	int32 codes = 1;
	int l;
	int32 i;

	for (l = 0; level[l].original >= 0; l++)
		codes = Max(codes, count_codes(transparency, level[l]));
	for (l = 0; level[l].original >= 0; l++)
	{
		int32 *person =
			copy_codes(host, &transparency->original, level[l].original, -1);
		int32 known = 0;

		for (i = 0; i < persons && likelihood->unknown; i++)
			if (value[i] == SDC_CODE_NULL)
				person[i] = -1;
		for (i = 0; i < rows; i++)
		{
			bool here = label[i] >= 0 && home[label[i]] == l;

			record[i] = here ? label[i] : -1;
			known += here;
		}
		if (known > 0 && sdc_intruder_has_room(likelihood->intruder, 1, 0))
			sdc_intruder_add_equal(likelihood->intruder, person, record,
								   codes);
		host->release(host, person);
	}
	host->release(host, label);
	host->release(host, record);
}

/* All levels at once, by the part that has them. */
static void
add_levels(Likelihood *likelihood, SdcTransparencyPart *part)
{
	if (part->level > 0)
		return;
	/* for the homes of the labels */
	sdcpg_transparency_find(&likelihood->transparency, part);
	add_column_levels(likelihood, part);
}

/*
 * The two neighbours of a value, the nearer one likelier, or its one image.
 * Where a column is not a number, both neighbours are as likely.
 */
static void
add_rounding(Likelihood *likelihood, SdcTransparencyPart *part)
{
	const SdcTransparency *transparency = &likelihood->transparency;

	if (part->other >= 0 && part->weighted)
		sdc_intruder_add_microaggregate(
			likelihood->intruder,
			read_numbers(likelihood->host, &transparency->original,
						 part->value[1].original),
			read_numbers(likelihood->host, &transparency->masked,
						 part->value[1].masked));
	else if (part->other >= 0)
		add_set(likelihood, part);
	else
		add_image(likelihood, part);
}

/* What each law adds; NULL: nothing, for it tells nothing of one record. */
static void (*const term[])(Likelihood *likelihood,
							SdcTransparencyPart *part) = {
	[SDC_LIKELIHOOD_NONE] = NULL,
	[SDC_LIKELIHOOD_SET] = add_asked,
	[SDC_LIKELIHOOD_EQUAL] = add_image,
	[SDC_LIKELIHOOD_LEVELS] = add_levels,
	[SDC_LIKELIHOOD_NULL] = add_image,
	[SDC_LIKELIHOOD_ROUND] = add_rounding,
	[SDC_LIKELIHOOD_RANGE] = add_shuffle,
	[SDC_LIKELIHOOD_RANKS] = add_rank_swap,
	[SDC_LIKELIHOOD_PRAM] = add_pram,
	[SDC_LIKELIHOOD_PERMUTED] = add_permuted,
	[SDC_LIKELIHOOD_NOISE] = add_noise,
	[SDC_LIKELIHOOD_CENTROID] = add_microaggregate,
	[SDC_LIKELIHOOD_ROWS] = NULL,
};

/*
 * Adds the terms of one part, of which there are at most two: that of the rule
 * and its strata.  Keys beyond the room of the intruder are left out.
 */
static void
add_part(Likelihood *likelihood, SdcTransparencyPart *part)
{
	int columns = part->rule == NULL ? 1 : part->rule->columns.count;
	ErrorContextCallback context;

	if (!sdc_intruder_has_room(likelihood->intruder, 2, columns))
	{
		likelihood->left_out++;
		return;
	}
	context.callback = sdcpg_transparency_tell_rule;
	context.previous = error_context_stack;
	context.arg = (void *) part->subject;
	error_context_stack = &context;
	if (term[part->mask->likelihood] != NULL)
		term[part->mask->likelihood](likelihood, part);
	error_context_stack = context.previous;
}

/* ----------------------------------------------------------------------
 * The intruder, from the rules to his lists.
 * ----------------------------------------------------------------------
 */

static void
create_intruder(Likelihood *likelihood, bool by_original)
{
	SdcTransparency *transparency = &likelihood->transparency;
	double error = sdcpg_keys_number(sdcpg_likelihood_params,
									 likelihood->call->params, "error");
	int i;

	likelihood->by_original = by_original;
	likelihood->swaps = 0;
	likelihood->left_out = 0;
	likelihood->intruder = sdc_intruder_create(
		likelihood->host, transparency->original.frame->rows,
		transparency->masked.frame->rows, error, likelihood->call->seed);
	for (i = 0; i < transparency->parts; i++)
		add_part(likelihood, &transparency->part[i]);
	if (likelihood->left_out > 0)
		ereport(NOTICE,
				(errmsg("the attack does not use all of what is known"),
				 errdetail("%d of %d columns and levels are beyond what "
						   "it can weigh.",
						   likelihood->left_out, transparency->parts)));
	if (likelihood->groups)
		sdc_intruder_fit_spread(likelihood->intruder, FIT_PERSONS);
}

/*
 * Chooses the file whose ranks are meant.  Both are the same unless records
 * were cut; then the order of cut and mask decides, and who does not know it
 * takes what explains the files better.
 */
static void
choose_ranks(Likelihood *likelihood)
{
	const SdcTransparency *transparency = &likelihood->transparency;
	int word = sdcpg_keys_choice(sdcpg_likelihood_params,
								 likelihood->call->params, "ranks");
	SdcIntruder *other;
	double inside;
	double masked;

	create_intruder(likelihood, word == 2);
	if (word != 0 || likelihood->swaps == 0 || transparency->sampled ||
		transparency->original.frame->rows == transparency->masked.frame->rows)
		return;
	inside = Min(1, (double) transparency->masked.frame->rows /
						transparency->original.frame->rows);
	masked =
		sdc_intruder_likelihood(likelihood->intruder, FIT_PERSONS, inside);
	other = likelihood->intruder;
	create_intruder(likelihood, true);
	if (sdc_intruder_likelihood(likelihood->intruder, FIT_PERSONS, inside) >
		masked)
	{
		sdc_intruder_release(other);
		return;
	}
	sdc_intruder_release(likelihood->intruder);
	likelihood->intruder = other;
	likelihood->by_original = false;
}

/* Fits p and variant where the caller says that they are not known. */
static void
estimate_rules(Likelihood *likelihood)
{
	SdcIntruderFit fit;

	if (!sdcpg_params_boolean(likelihood->call->params, "estimate", false))
		return;
	if (likelihood->swaps == 0)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("only rules of rank_swap can be estimated"),
						errhint("Leave out params.estimate, or name a rule of "
								"rank_swap for the keys.")));
	fit = sdc_intruder_fit_swap(likelihood->intruder, 7, FIT_PERSONS);
	ereport(NOTICE, (errmsg("variant %s with p = %g explains the files best",
							sdc_rank_swap_words[fit.method], fit.p)));
}

/* What is known of who is in the masked file. */
static void
read_prior(Likelihood *likelihood)
{
	const SdcTransparency *transparency = &likelihood->transparency;
	double kept = (double) transparency->masked.frame->rows /
				  transparency->original.frame->rows;

	likelihood->prior.sampled =
		transparency->sampled ? transparency->share : Min(kept, 1);
	likelihood->prior.all_known = sdcpg_params_boolean(
		likelihood->call->params, "whole", transparency->complete);
	likelihood->prior.budget = SDC_MATCH_BUDGET;
	likelihood->prior.rounds = 200;
}

/* Reads files, rules and params; false when one of the files is empty. */
static bool
load(Likelihood *likelihood, SdcPgHost *host, const SdcLikelihoodCall *call)
{
	SdcTransparency *transparency = &likelihood->transparency;
	Jsonb *params = call->params;

	memset(likelihood, 0, sizeof(*likelihood));
	likelihood->call = call;
	likelihood->host = &host->kernel;
	likelihood->one_to_one =
		!sdcpg_params_has(params, "assignment") ||
		sdcpg_params_choice(params, "assignment", sdcpg_assignment_words) ==
			SDC_ASSIGNMENT_ONE_TO_ONE;
	likelihood->unknown =
		sdcpg_keys_choice(sdcpg_likelihood_params, params, "nulls") == 1;
	likelihood->room =
		sdcpg_keys_integer(sdcpg_likelihood_params, params, "room");
	likelihood->room_given = sdcpg_params_has(params, "room");
	likelihood->work =
		sdcpg_params_has(params, "work")
			? sdcpg_keys_integer(sdcpg_likelihood_params, params, "work")
			: (int64) call->budget;
	sdcpg_transparency_read(transparency, host, call->original, call->masked,
							call->id, call->keys, call->rules, params);
	if (transparency->original.frame->rows == 0 ||
		transparency->masked.frame->rows == 0)
		return false;
	likelihood->host->stage(likelihood->host, "reading the rules");
	choose_ranks(likelihood);
	estimate_rules(likelihood);
	read_prior(likelihood);
	return true;
}

void
sdcpg_likelihood_worker(dsm_segment *segment, shm_toc *toc)
{
	sdcpg_parallel_worker(segment, toc, sdc_intruder_task_work);
}

/* The candidates of the persons of a search. */
static SdcIntruderCandidates *
find_candidates(Likelihood *likelihood, const SdcIntruderSearch *search,
				double looks)
{
	SdcHost *host = likelihood->host;
	SdcPgHost *pg = likelihood->transparency.host;
	SdcIntruderCandidates *found;
	SdcParallel parallel;
	void *task;

	task = sdcpg_parallel_begin(
		&parallel, pg, "sdcpg_likelihood_worker",
		sdc_intruder_task_size(likelihood->intruder, search),
		sdcpg_parallel_workers(looks * LOOK_SECONDS));
	sdc_intruder_task_fill(likelihood->intruder, search, task);
	host->stage(host, "searching candidates");
	sdcpg_parallel_run(&parallel, sdc_intruder_task_work,
					   sdc_intruder_task_blocks(task), 0);
	found = sdc_intruder_candidates(host, task);
	sdcpg_parallel_end(&parallel);
	return found;
}

/*
 * Boxes and records that a search of everybody looks at, and how long the
 * lists are, by the searches of some persons spread over the file.
 */
static double
estimate_looks(Likelihood *likelihood, double *entries)
{
	SdcHost *host = likelihood->host;
	int32 persons = likelihood->transparency.original.frame->rows;
	int32 count = Min(persons, ESTIMATE_PERSONS);
	int32 who[ESTIMATE_PERSONS];
	SdcIntruderSearch search = {who, count, likelihood->room,
								SDC_INTRUDER_DEPTH, SDC_INTRUDER_SHARE};
	void *task;
	double looks;
	int32 i;

	for (i = 0; i < count; i++)
		who[i] = (int32) ((int64) persons * i / count);
	task = host->alloc(host, 1,
					   sdc_intruder_task_size(likelihood->intruder, &search));
	sdc_intruder_task_fill(likelihood->intruder, &search, task);
	looks = sdc_intruder_task_estimate(host, task, count, entries);
	host->release(host, task);
	return looks * persons / count;
}

/* ----------------------------------------------------------------------
 * Everybody, or as many as the budget allows.
 * ----------------------------------------------------------------------
 */

/* Takes what was concluded of the persons of one search. */
typedef void (*Visit)(Likelihood *likelihood,
					  const SdcIntruderCandidates *found,
					  const SdcIntruderAnswer *answer, const bool *counted,
					  void *arg);

/* What is right in each of several parts of the persons. */
typedef struct Tally
{
	int parts;
	int32 right[SDC_INTRUDER_LINKS][SLABS];
	int32 released[SLABS];
} Tally;

/* Counts one part of the persons. */
static void
count_part(Likelihood *likelihood, const SdcIntruderCandidates *found,
		   const SdcIntruderAnswer *answer, const bool *counted,
		   SdcLikelihoodFinding *finding, Tally *tally)
{
	SdcIntruderSuccess success = {0};
	int link;

	sdc_intruder_success(found, answer, likelihood->transparency.partner,
						 counted, &success);
	sdc_intruder_success_add(&finding->success, &success);
	for (link = 0; link < SDC_INTRUDER_LINKS; link++)
		tally->right[link][tally->parts] = success.right[link];
	tally->released[tally->parts++] = success.released;
}

/* The share that is found, by the kind of link that finds the most. */
static void
conclude(SdcLikelihoodFinding *finding, const Tally *tally)
{
	const SdcIntruderSuccess *success = &finding->success;
	int best = 0;
	int link;

	for (link = 1; link < SDC_INTRUDER_LINKS; link++)
		if (success->right[link] > success->right[best])
			best = link;
	finding->attacked = success->persons;
	if (finding->sampled && tally->parts > 1)
	{
		finding->found = sdc_slab_interval(tally->right[best], tally->released,
										   tally->parts);
		return;
	}
	finding->found.share =
		success->released == 0
			? 0
			: (double) success->right[best] / success->released;
	finding->found.low = finding->found.high = finding->found.share;
}

/* Are the lists weighed by what rank swapping gives away? */
static bool
has_exchanges(const Likelihood *likelihood)
{
	return likelihood->one_to_one && likelihood->swaps > 0;
}

void
sdcpg_exchange_worker(dsm_segment *segment, shm_toc *toc)
{
	sdcpg_parallel_worker(segment, toc, sdc_intruder_exchange_work);
}

/* Weighs the lists by the exchanges that they imply. */
static void
use_exchanges(Likelihood *likelihood, SdcIntruderCandidates *found)
{
	SdcHost *host = likelihood->host;
	SdcPgHost *pg = likelihood->transparency.host;
	double profiles = (double) found->lists.first[found->lists.rows] *
					  likelihood->swaps * likelihood->transparency.parts;
	SdcParallel parallel;
	void *memory;

	host->stage(host, "weighing exchanges");
	memory = sdcpg_parallel_begin(
		&parallel, pg, "sdcpg_exchange_worker",
		sdc_intruder_exchange_size(likelihood->intruder, found),
		sdcpg_parallel_workers(profiles * PROFILE_SECONDS));
	sdc_intruder_exchange_fill(likelihood->intruder, found,
							   (int64) (likelihood->work * EXCHANGE_SHARE),
							   memory);
	sdcpg_parallel_run(&parallel, sdc_intruder_exchange_work,
					   sdc_intruder_exchange_blocks(memory),
					   sdc_intruder_exchange_first(memory));
	sdc_intruder_exchange_take(host, memory, found);
	sdcpg_parallel_end(&parallel);
}

/*
 * May lists of so many persons have so much room?  What the caller gave, they
 * keep; else what belief looks at must be within the budget of work as well,
 * and what exchanges look at within a part of it.
 */
static bool
may_have_room(const Likelihood *likelihood, double persons, double room)
{
	double entries = persons * room;
	double profiles =
		entries * likelihood->swaps * likelihood->transparency.parts;

	if (likelihood->room_given ||
		entries * likelihood->prior.rounds > likelihood->work)
		return false;
	if (has_exchanges(likelihood))
		return room <= SDC_INTRUDER_ROOM_MAX &&
			   profiles <= likelihood->work * EXCHANGE_SHARE;
	return room <= ROOM_GROWS_TO;
}

/*
 * The candidates of some persons, weighed by exchanges, in longer lists where
 * most end too early: the chances would be too high then.  With exchanges even
 * a record that weighed little may turn out to be the one.
 */
static SdcIntruderCandidates *
find_enough(Likelihood *likelihood, SdcIntruderSearch *search, double looks)
{
	for (;;)
	{
		SdcIntruderCandidates *found =
			find_candidates(likelihood, search, looks);
		bool more = found->full > found->lists.rows / 2;

		if (has_exchanges(likelihood))
		{
			use_exchanges(likelihood, found);
			more = sdc_intruder_unsure(found, search->room) >
				   found->lists.rows / MAY_END;
		}
		if (!more ||
			!may_have_room(likelihood, search->count, 2.0 * search->room))
			return found;
		sdc_intruder_candidates_release(likelihood->host, found);
		search->room *= 2;
	}
}

/* Searches for some persons, draws the conclusions and hands them over. */
static void
attack_some(Likelihood *likelihood, const SdcIntruderSearch *search,
			double looks, const SdcIntruderPrior *prior, const bool *counted,
			Visit visit, void *arg)
{
	SdcHost *host = likelihood->host;
	SdcIntruderSearch enough = *search;
	SdcIntruderCandidates *found = find_enough(likelihood, &enough, looks);
	SdcIntruderAnswer *answer;

	host->stage(host, "matching");
	answer = sdc_intruder_answer(host, likelihood->intruder, found, prior);
	visit(likelihood, found, answer, counted, arg);
	sdc_intruder_answer_release(host, answer);
	sdc_intruder_candidates_release(host, found);
}

/* Whole slabs of ranks, each a search of its own. */
static void
attack_slabs(Likelihood *likelihood, const SdcSlabPlan *plan, double looks,
			 Visit visit, void *arg)
{
	const SdcTransparency *transparency = &likelihood->transparency;
	SdcHost *host = likelihood->host;
	int32 persons = transparency->original.frame->rows;
	int32 *who = sdc_new(host, int32, persons);
	bool *counted = sdc_new(host, bool, persons);
	bool *claimed = sdc_new(host, bool, transparency->masked.frame->rows);
	int slab;

	for (slab = 0; slab < plan->slabs; slab++)
	{
		SdcIntruderSearch search = {who, 0, likelihood->room,
									SDC_INTRUDER_DEPTH, SDC_INTRUDER_SHARE};
		SdcIntruderPrior prior = likelihood->prior;

		search.count = sdc_slab_select(likelihood->intruder, plan, slab, who,
									   counted, claimed);
		if (likelihood->prior.all_known)
			prior.claimed = claimed;
		prior.all_known = false;
		attack_some(likelihood, &search, looks * search.count / persons,
					&prior, counted, visit, arg);
	}
	host->release(host, who);
	host->release(host, counted);
	host->release(host, claimed);
}

/*
 * Persons drawn at random, where no column has slabs: unbiased for links of
 * persons one at a time, and all that one-to-one linkage gains is lost.
 */
static void
attack_sample(Likelihood *likelihood, int32 count, double looks, Visit visit,
			  void *arg)
{
	SdcHost *host = likelihood->host;
	int32 persons = likelihood->transparency.original.frame->rows;
	int32 *who = sdc_new(host, int32, persons);
	bool *counted = sdc_new(host, bool, persons);
	SdcRandom random;
	int part;
	int32 i;

	sdc_random_seed(&random, likelihood->call->seed, persons);
	for (i = 0; i < persons; i++)
		who[i] = i;
	for (i = 0; i < count; i++)
	{
		int32 other = i + (int32) sdc_random_below(&random, persons - i);
		int32 moved = who[i];

		who[i] = who[other];
		who[other] = moved;
	}
	for (part = 0; part < SLABS; part++)
	{
		int32 first = (int64) count * part / SLABS;
		int32 end = (int64) count * (part + 1) / SLABS;
		SdcIntruderSearch search = {who + first, end - first, likelihood->room,
									SDC_INTRUDER_DEPTH, SDC_INTRUDER_SHARE};
		SdcIntruderPrior prior = likelihood->prior;

		if (first == end)
			continue;
		memset(counted, 0, sizeof(bool) * persons);
		for (i = first; i < end; i++)
			counted[who[i]] = true;
		prior.all_known = false;
		attack_some(likelihood, &search, looks * search.count / persons,
					&prior, counted, visit, arg);
	}
	host->release(host, who);
	host->release(host, counted);
}

/* Do lists of everybody fit into memory, full ones and copies? */
static bool
fits_memory(const Likelihood *likelihood, double entries)
{
	const SdcTransparency *transparency = &likelihood->transparency;
	double persons = transparency->original.frame->rows;
	double search = likelihood->room * ENTRY_BYTES + entries * ENTRY_BYTES;
	double matching = entries * MATCHING_BYTES + PERSON_BYTES +
					  transparency->parts * PART_BYTES;
	double left = sdcpg_memory_limit * 1024.0 - transparency->host->used;

	return persons * Max(search, matching) <= left;
}

/* Attacks everybody, or what the budget allows; true when it did not. */
static bool
attack(Likelihood *likelihood, Visit visit, void *arg)
{
	SdcHost *host = likelihood->host;
	int32 persons = likelihood->transparency.original.frame->rows;
	SdcIntruderSearch search = {NULL, persons, likelihood->room,
								SDC_INTRUDER_DEPTH, SDC_INTRUDER_SHARE};
	double entries;
	double looks = estimate_looks(likelihood, &entries);
	double share = likelihood->work / Max(looks, 1);
	SdcSlabPlan *plan;

	if (!fits_memory(likelihood, entries))
		share = Min(share, MEMORY_SHARE);
	if (share >= 1)
	{
		attack_some(likelihood, &search, looks, &likelihood->prior, NULL,
					visit, arg);
		return false;
	}
	plan = sdc_slab_plan(host, likelihood->intruder, SLABS, share * persons,
						 SDC_SLAB_MARGIN, likelihood->call->seed);
	likelihood->alone = plan->slabs <= 1;
	if (!likelihood->alone)
		attack_slabs(likelihood, plan, looks, visit, arg);
	else
		attack_sample(likelihood, Max((int32) (share * persons), 1), looks,
					  visit, arg);
	sdc_slab_plan_release(host, plan);
	return true;
}

/* The state of likelihood_run. */
typedef struct Count
{
	SdcLikelihoodFinding *finding;
	Tally tally;
} Count;

static void
visit_count(Likelihood *likelihood, const SdcIntruderCandidates *found,
			const SdcIntruderAnswer *answer, const bool *counted, void *arg)
{
	Count *count = arg;

	count_part(likelihood, found, answer, counted, count->finding,
			   &count->tally);
}

/*
 * Attacks and counts what is right; links are not returned.  Within the budget
 * of params.work looks everybody is attacked, beyond it slabs of ranks.
 */
static void
likelihood_run(SdcPgHost *host, const SdcLikelihoodCall *call,
			   SdcLikelihoodFinding *finding)
{
	Likelihood likelihood;
	Count count = {finding};

	memset(finding, 0, sizeof(*finding));
	if (!load(&likelihood, host, call))
		return;
	finding->persons = likelihood.transparency.original.frame->rows;
	finding->sampled = attack(&likelihood, visit_count, &count);
	finding->alone = likelihood.alone && likelihood.one_to_one;
	conclude(finding, &count.tally);
	sdc_intruder_release(likelihood.intruder);
}

/* ----------------------------------------------------------------------
 * sdc.attack_likelihood: the links as rows.
 * ----------------------------------------------------------------------
 */

/* The rows that are being returned. */
typedef struct Emission
{
	SdcLinks links;
	int32 max_candidates;
	int32 *entry; /* of one person, by falling chance */
	int32 told;   /* persons */
	bool *seen;   /* by person */
} Emission;

/* Orders the entries of a list by chance; equally good ones stay in order. */
static void
sort_entries(const float *chance, int32 *entry, int32 count)
{
	int32 i;

	for (i = 1; i < count; i++)
	{
		int32 moved = entry[i];
		int32 hole = i;

		while (hole > 0 && chance[entry[hole - 1]] < chance[moved])
		{
			entry[hole] = entry[hole - 1];
			hole--;
		}
		entry[hole] = moved;
	}
}

/* The rows of one person: row k of the lists. */
static void
put_person(Likelihood *likelihood, Emission *emission,
		   const SdcIntruderCandidates *found, const float *chance, int32 k)
{
	const SdcTransparency *transparency = &likelihood->transparency;
	int64 start = found->lists.first[k];
	int32 count = (int32) (found->lists.first[k + 1] - start);
	int32 named = Min(count, emission->max_candidates);
	int32 person = found->person[k];
	SdcLink link = {0};
	double rest = 1;
	int32 i;

	for (i = 0; i < count; i++)
		emission->entry[i] = i;
	sort_entries(chance + start, emission->entry, count);
	link.id =
		sdcpg_frame_text(&transparency->original.frame->column[0], person);
	link.candidates = count;
	link.distance = NAN;
	for (i = 0; i < named; i++)
	{
		int64 e = start + emission->entry[i];
		int32 row = found->record[found->lists.column[e]];

		link.linked_id =
			sdcpg_frame_text(&transparency->masked.frame->column[0], row);
		link.probability = chance[e];
		link.correct = i == 0 && row == transparency->partner[person];
		rest -= chance[e];
		sdcpg_links_put(&emission->links, &link);
	}
	if (rest < 1e-6 && named > 0)
		return;
	link.linked_id = NULL;
	link.probability = Max(rest, 0);
	link.correct = false;
	sdcpg_links_put(&emission->links, &link);
}

static void
visit_put(Likelihood *likelihood, const SdcIntruderCandidates *found,
		  const SdcIntruderAnswer *answer, const bool *counted, void *arg)
{
	Emission *emission = arg;
	const float *chance =
		likelihood->one_to_one ? answer->chance : answer->chance_alone;
	int32 persons = likelihood->transparency.original.frame->rows;
	int32 *row = sdc_new(likelihood->host, int32, persons);
	int32 i;
	int32 k;

	for (i = 0; i < persons; i++)
		row[i] = -1;
	for (k = 0; k < found->lists.rows; k++)
		row[found->person[k]] = k;
	/* in the order of the ids, nobody twice */
	for (i = 0; i < persons; i++)
	{
		if (row[i] < 0 || emission->seen[i] ||
			(counted != NULL && !counted[i]))
			continue;
		emission->seen[i] = true;
		emission->told++;
		sdcpg_links_step(&emission->links);
		put_person(likelihood, emission, found, chance, row[i]);
	}
	likelihood->host->release(likelihood->host, row);
}

static void
put_links(Likelihood *likelihood, ReturnSetInfo *result)
{
	SdcHost *host = likelihood->host;
	int32 persons = likelihood->transparency.original.frame->rows;
	Emission emission;

	memset(&emission, 0, sizeof(emission));
	emission.max_candidates = sdcpg_keys_integer(
		sdcpg_likelihood_params, likelihood->call->params, "max_candidates");
	emission.entry = sdc_new(host, int32, SDC_INTRUDER_LIST_MAX);
	emission.seen = sdc_new(host, bool, persons);
	memset(emission.seen, 0, sizeof(bool) * persons);
	sdcpg_links_begin(&emission.links, likelihood->transparency.host, result,
					  persons);
	if (attack(likelihood, visit_put, &emission))
		ereport(
			NOTICE,
			(errmsg("%d of %d records were attacked", emission.told, persons),
			 errdetail(likelihood->alone
						   ? "Without the others, who compete for the same "
							 "records, one-to-one linkage finds less."
						   : "The others are beyond the budget."),
			 errhint("Set params.work or sdc.memory_limit to allow more.")));
	sdcpg_links_end(&emission.links);
}

/*
 * attack_likelihood(original regclass, masked regclass, rules jsonb, id name,
 *                   keys columns, params jsonb, seed bigint)
 */
Datum
sdcf_attack_likelihood(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *result = sdcpg_result_begin(fcinfo);
	SdcLikelihoodCall call = {0};
	Likelihood likelihood;
	SdcPgHost *host;

	sdcpg_args_need_first(fcinfo, 2);
	call.original = PG_GETARG_OID(0);
	call.masked = PG_GETARG_OID(1);
	call.rules = PG_ARGISNULL(2) ? NULL : PG_GETARG_JSONB_P(2);
	call.id = sdcpg_roles_id_argument(fcinfo, 3, call.original);
	call.keys = sdcpg_roles_names_argument(fcinfo, 4, "keys", call.original,
										   SDC_ROLE_KEY);
	call.params = PG_ARGISNULL(5) ? NULL : PG_GETARG_JSONB_P(5);
	call.seed = PG_ARGISNULL(6) ? 0 : PG_GETARG_INT64(6);
	call.budget = sdcpg_attack_find("likelihood")->budget;
	sdcpg_params_check_keys(call.params, sdcpg_likelihood_params);
	host = sdcpg_host_begin("attack_likelihood", CurrentMemoryContext);
	if (load(&likelihood, host, &call))
	{
		put_links(&likelihood, result);
		sdc_intruder_release(likelihood.intruder);
	}
	sdcpg_host_end(host);
	return (Datum) 0;
}

void
sdcpg_attack_likelihood(const SdcAttack *attack, const SdcAttackCase *of,
						SdcPgHost *host, SdcAttackOutcome *outcome)
{
	SdcLikelihoodCall call = {of->original->oid, of->masked->oid, of->id,
							  of->keys,          of->rules,       of->params};
	SdcLikelihoodFinding finding;

	call.seed = of->seeded ? (uint64) of->seed : 0;
	call.budget = attack->budget;
	likelihood_run(host, &call, &finding);
	if (finding.success.released == 0)
	{
		outcome->reason = "No record is in both relations.";
		return;
	}
	sdcpg_attack_share(outcome, finding.found.share, finding.success.released,
					   "finds %.0f of %d records by their best links and "
					   "believes %d of them to be right with 95 %% or more",
					   finding.found.share * finding.success.released,
					   finding.success.released, finding.success.certain);
	if (!finding.sampled)
		return;
	sdcpg_attack_interval(outcome, finding.persons, finding.found.low,
						  finding.found.high);
	if (finding.alone)
		outcome->sample = psprintf(
			"%s That does not cover what one-to-one linkage of all people "
			"would find: more.",
			outcome->sample);
}

void
sdcpg_attack_sequence(const SdcAttack *attack, const SdcAttackCase *of,
					  SdcPgHost *host, SdcAttackOutcome *outcome)
{
	SdcAttackCase together;

	if (of->versions == NULL)
	{
		sdcpg_attack_likelihood(attack, of, host, outcome);
		return;
	}
	together = *of->versions;
	together.params = of->params;
	sdcpg_attack_likelihood(attack, &together, host, outcome);
}
