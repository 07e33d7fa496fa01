/*
 * likelihood_terms.c
 *		What each rule says: one term of the likelihood for each part.
 *
 * Each part asks for the fields of both files that it needs, and adds a term
 * to the kernel's intruder (kernel/intruder): the logarithm of how likely the
 * rule makes a masked value from an original one.  A method without a law
 * falls back on the set that it leaves possible, all equally likely.
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "datatype/timestamp.h"
#include "lib/stringinfo.h"

#include "host/data/dictionary.h"
#include "host/data/rows.h"
#include "host/server/compat.h"
#include "host/server/host.h"
#include "kernel/base/random.h"
#include "kernel/base/sort.h"
#include "kernel/intruder/intruder.h"
#include "kernel/intruder/learn.h"
#include "kernel/mask/donut.h"
#include "kernel/mask/noise.h"
#include "kernel/mask/pram.h"
#include "kernel/mask/rank_swap.h"
#include "topic/attack/candidates.h"
#include "topic/attack/likelihood.h"
#include "topic/attack/transparency.h"
#include "topic/mask/rules.h"

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

/* A column without a rule of which no more is left, beside chance, tells
 * nothing. */
#define LEAST_KEPT 0.05

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
find_strata(SdcLikelihoodTerms *terms, SdcTransparencyPart *part,
			uint32 **original, uint32 **masked)
{
	sdcpg_transparency_strata(&terms->transparency, part, original, masked);
	if (*masked != NULL)
		return true;
	terms->host->release(terms->host, *original);
	tell_unused(part, "The masked relation does not show its strata.");
	return false;
}

static void
add_rank_swap(SdcLikelihoodTerms *terms, SdcTransparencyPart *part)
{
	SdcTransparency *transparency = &terms->transparency;
	SdcHost *host = terms->host;
	SdcIntruderSwap swap = {0};
	uint64 *person;
	uint64 *record;
	uint32 *stratum;
	uint32 *masked;

	if (!find_strata(terms, part, &stratum, &masked))
		return;
	swap.method = sdcpg_rule_variant(part->rule);
	swap.p = sdcpg_rule_number(part->rule, "p");
	swap.person = person =
		make_keys(host, stratum,
				  sdcpg_transparency_codes(&transparency->original,
										   part->value->original),
				  transparency->original.frame->rows, terms->unknown);
	swap.record = record = make_keys(
		host, masked,
		sdcpg_transparency_codes(&transparency->masked, part->value->masked),
		transparency->masked.frame->rows,
		sdcpg_likelihood_is_suppressed(terms, part));
	host->release(host, stratum);
	if (terms->by_original)
	{
		swap.reference = swap.person;
		swap.references = transparency->original.frame->rows;
	}
	sdc_intruder_add_rank_swap(terms->intruder, &swap);
	terms->swaps++;
	host->release(host, person);
	host->release(host, record);
}

/*
 * Codes of one field; a NULL becomes the given code, -1 where it tells
 * nothing.
 */
int32 *
sdcpg_likelihood_codes(SdcHost *host, const SdcTransparencyFile *file,
					   int field, int32 null_code)
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
read_codes(const SdcLikelihoodTerms *terms, const SdcTransparencyPart *part)
{
	const SdcTransparency *transparency = &terms->transparency;
	SdcHost *host = terms->host;
	Codes read;

	read.codes = count_codes(transparency, part->value[0]) + 1;
	read.person = sdcpg_likelihood_codes(host, &transparency->original,
										 part->value->original,
										 terms->unknown ? -1 : read.codes - 1);
	read.record = sdcpg_likelihood_codes(
		host, &transparency->masked, part->value->masked,
		sdcpg_likelihood_is_suppressed(terms, part) ? -1 : read.codes - 1);
	return read;
}

double
sdcpg_likelihood_kept(const SdcLikelihoodTerms *terms, const int32 *person,
					  const int32 *record)
{
	const SdcTransparency *transparency = &terms->transparency;
	int32 known = 0;
	int32 kept = 0;
	int32 i;

	for (i = 0; i < transparency->original.frame->rows; i++)
	{
		int32 partner = transparency->partner[i];

		if (partner < 0 || person[i] < 0 || record[partner] < 0)
			continue;
		known++;
		kept += record[partner] == person[i];
	}
	return known == 0 ? 1 : (double) kept / known;
}

/* The chance that a person and a record who do not belong together agree. */
static double
chance_to_agree(const SdcLikelihoodTerms *terms, const Codes *codes)
{
	SdcHost *host = terms->host;
	int32 persons = terms->transparency.original.frame->rows;
	int32 records = terms->transparency.masked.frame->rows;
	double *share = sdc_new(host, double, codes->codes);
	double sum = 0;
	int32 i;

	memset(share, 0, sizeof(double) * codes->codes);
	for (i = 0; i < records; i++)
		if (codes->record[i] >= 0)
			share[codes->record[i]] += 1.0 / records;
	for (i = 0; i < persons; i++)
		if (codes->person[i] >= 0)
			sum += share[codes->person[i]] / persons;
	host->release(host, share);
	return Min(sum, 1);
}

/*
 * The masked value is a function of the original one, or that itself.  Without
 * a rule it is that itself, where not for all, then for so many: who knows
 * them learns how many, and any value is possible for the others.
 */
static void
add_image(SdcLikelihoodTerms *terms, SdcTransparencyPart *part)
{
	Codes codes = read_codes(terms, part);
	double kept =
		part->rule != NULL
			? 1
			: sdcpg_likelihood_kept(terms, codes.person, codes.record);
	double chance;

	if (kept == 1)
	{
		sdc_intruder_add_equal(terms->intruder, codes.person, codes.record,
							   codes.codes);
		return;
	}
	chance = chance_to_agree(terms, &codes);
	if (kept - chance > LEAST_KEPT)
		sdc_intruder_add_pram(terms->intruder, (kept - chance) / (1 - chance),
							  codes.person, codes.record, codes.codes, 1);
	else
		tell_unused(part, "The column has no rule, but is not as it was.");
}

/* Is one of several numbers missing, by row? */
static bool *
missing_numbers(SdcHost *host, const double *const *number, int columns,
				int32 rows)
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
add_stratum(SdcLikelihoodTerms *terms, SdcTransparencyPart *part,
			const uint32 *stratum, const uint32 *masked, const bool *missing,
			const bool *missing_masked)
{
	const SdcTransparency *transparency = &terms->transparency;
	SdcHost *host = terms->host;
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
		if (terms->unknown && missing[i])
			person[i] = -1;
	}
	for (i = 0; i < rows; i++)
	{
		record[i] = 2 * (int32) masked[i] + missing_masked[i];
		codes = Max(codes, record[i] + 1);
		if (missing_masked[i] && sdcpg_likelihood_is_suppressed(terms, part))
			record[i] = -1;
	}
	/* one stratum and no NULL tell nothing */
	if (codes > 1)
		sdc_intruder_add_equal(terms->intruder, person, record, codes);
	host->release(host, person);
	host->release(host, record);
}

static void
add_shuffle(SdcLikelihoodTerms *terms, SdcTransparencyPart *part)
{
	const SdcTransparency *transparency = &terms->transparency;
	uint32 *stratum;
	uint32 *masked;

	if (!find_strata(terms, part, &stratum, &masked))
		return;
	add_stratum(terms, part, stratum, masked,
				sdcpg_transparency_missing(terms->host,
										   &transparency->original,
										   part->value->original),
				sdcpg_transparency_missing(terms->host, &transparency->masked,
										   part->value->masked));
	terms->host->release(terms->host, stratum);
}

/* Codes of strata at the most; beyond it the column's frequencies are used. */
#define STRATUM_CODES 10000000

/*
 * Makes codes those of their strata, where both files show them; returns how
 * many strata there are.
 */
static int32
split_codes(SdcLikelihoodTerms *terms, SdcTransparencyPart *part, Codes *codes)
{
	const SdcTransparency *transparency = &terms->transparency;
	int32 rows[2] = {transparency->original.frame->rows,
					 transparency->masked.frame->rows};
	int32 *code[2] = {codes->person, codes->record};
	uint32 *stratum[2];
	int32 strata = 1;
	int32 i;
	int f;

	if (part->strata == 0)
		return 1;
	sdcpg_transparency_strata(&terms->transparency, part, &stratum[0],
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
	terms->host->release(terms->host, stratum[0]);
	return strata;
}

/* A value stays with chance p, or is any of its stratum. */
static void
add_retention(SdcLikelihoodTerms *terms, SdcTransparencyPart *part,
			  Codes *codes, double p)
{
	int32 strata;

	if (part->strata > 0)
		add_shuffle(terms, part);
	strata = split_codes(terms, part, codes);
	sdc_intruder_add_pram(terms->intruder, p, codes->person, codes->record,
						  codes->codes, strata);
}

static void
add_pram(SdcLikelihoodTerms *terms, SdcTransparencyPart *part)
{
	Codes codes = read_codes(terms, part);

	add_retention(terms, part, &codes,
				  sdcpg_rule_number(part->rule, "p") / 100);
}

/* Chances of the term of a matrix at the most. */
#define MATRIX_CHANCES 4000000

/*
 * The categories of each stratum as the mask counted them: those of the
 * persons where they are all that was masked, else those of the masked
 * records, which are the same but for chance.
 */
static double *
count_categories(const SdcLikelihoodTerms *terms, const Codes *codes,
				 int32 strata)
{
	const SdcTransparency *transparency = &terms->transparency;
	bool whole = transparency->complete && transparency->whole;
	const int32 *code = whole ? codes->person : codes->record;
	int32 rows = whole ? transparency->original.frame->rows
					   : transparency->masked.frame->rows;
	double *count = sdc_new(terms->host, double, (Size) strata * codes->codes);
	int32 i;

	memset(count, 0, sizeof(double) * strata * codes->codes);
	for (i = 0; i < rows; i++)
		if (code[i] >= 0)
			count[code[i]]++;
	return count;
}

/*
 * The chances that the mask used in one stratum, with a last category that is
 * a missing value, which stays.  An invariant matrix is made with counts.
 */
static void
fill_chances(SdcHost *host, const SdcPramMatrix *matrix, const double *count,
			 double *chance)
{
	Size size = matrix->size;
	double *made = sdc_new(host, double, size *size);
	Size a;

	memcpy(made, matrix->chance, sizeof(double) * size * size);
	if (count != NULL)
		sdc_pram_invariant(host, matrix->size, matrix->chance, count, made);
	memset(chance, 0, sizeof(double) * (size + 1) * (size + 1));
	for (a = 0; a < size; a++)
		memcpy(chance + a * (size + 1), made + a * size,
			   sizeof(double) * size);
	chance[size * (size + 1) + size] = 1;
	host->release(host, made);
}

/* The codes of a part as categories of its matrix, the last one missing. */
static Codes
read_categories(const SdcLikelihoodTerms *terms,
				const SdcTransparencyPart *part, const SdcPramMatrix *matrix)
{
	const SdcTransparency *transparency = &terms->transparency;
	int32 *category = sdcpg_candidates_categories(transparency, part, matrix);
	Codes codes = read_codes(terms, part);
	int32 *code[2] = {codes.person, codes.record};
	int32 rows[2] = {transparency->original.frame->rows,
					 transparency->masked.frame->rows};
	int32 i;
	int f;

	for (f = 0; f < 2; f++)
		for (i = 0; i < rows[f]; i++)
			if (code[f][i] == codes.codes - 1)
				code[f][i] = matrix->size;
			else if (code[f][i] >= 0)
				code[f][i] = category[code[f][i]];
	codes.codes = matrix->size + 1;
	terms->host->release(terms->host, category);
	return codes;
}

/* A category drawn by the chances of a matrix. */
static void
add_matrix(SdcLikelihoodTerms *terms, SdcTransparencyPart *part)
{
	SdcHost *host = terms->host;
	const SdcPramMatrix *matrix = sdcpg_pram_matrix_of(part->rule);
	bool given = sdcpg_rule_variant(part->rule) == SDC_PRAM_GIVEN;
	Codes codes = read_categories(terms, part, matrix);
	Size chances = (Size) codes.codes * codes.codes;
	int32 strata;
	int32 matrices;
	double *chance;
	double *count;
	int32 s;

	if (part->strata > 0)
		add_shuffle(terms, part);
	strata = split_codes(terms, part, &codes);
	matrices = given || strata * chances > MATRIX_CHANCES ? 1 : strata;
	count = count_categories(terms, &codes, strata);
	/* too many: all strata as one */
	for (s = codes.codes;
		 !given && matrices < strata && s < strata * codes.codes; s++)
		count[s % codes.codes] += count[s];
	chance = sdc_new(host, double, matrices *chances);
	for (s = 0; s < matrices; s++)
		fill_chances(host, matrix,
					 given ? NULL : count + (Size) s * codes.codes,
					 chance + s * chances);
	sdc_intruder_add_matrix(terms->intruder, chance, matrices, codes.person,
							codes.record, codes.codes, strata);
	host->release(host, chance);
	host->release(host, count);
}

/* The chance that two masked values drawn at random are the same. */
static double
chance_same(SdcLikelihoodTerms *terms, const Codes *codes)
{
	SdcHost *host = terms->host;
	int32 rows = terms->transparency.masked.frame->rows;
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
add_permuted(SdcLikelihoodTerms *terms, SdcTransparencyPart *part)
{
	double l = ceil(sdcpg_rule_number(part->rule, "l"));
	Codes codes = read_codes(terms, part);
	double same = chance_same(terms, &codes);

	if (same < 1 / l)
		add_retention(terms, part, &codes, (1 / l - same) / (1 - same));
	else if (part->strata > 0)
		add_shuffle(terms, part);
}

/* The parts of the rule of a part, in the order of the rule's columns. */
static int
parts_of_rule(SdcLikelihoodTerms *terms, const SdcTransparencyPart *part,
			  SdcTransparencyPart **of_rule)
{
	SdcTransparency *transparency = &terms->transparency;
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

/*
 * Masked values stretched from the mean of their stratum: what was divided to
 * keep the variance is then the value and its noise.
 */
static const double *
stretched(SdcHost *host, const double *number, const uint32 *stratum,
		  int32 rows, double factor)
{
	double *stretch = sdc_new(host, double, rows);
	uint32 strata = 1;
	double *mean;
	double *count;
	int32 i;

	for (i = 0; i < rows && stratum != NULL; i++)
		strata = Max(strata, stratum[i] + 1);
	mean = sdc_new(host, double, strata);
	count = sdc_new(host, double, strata);
	memset(mean, 0, sizeof(double) * strata);
	memset(count, 0, sizeof(double) * strata);
	for (i = 0; i < rows; i++)
	{
		uint32 s = stratum == NULL ? 0 : stratum[i];

		if (!isnan(number[i]))
			mean[s] += (number[i] - mean[s]) / ++count[s];
	}
	for (i = 0; i < rows; i++)
	{
		uint32 s = stratum == NULL ? 0 : stratum[i];

		stretch[i] = mean[s] + (number[i] - mean[s]) * factor;
	}
	host->release(host, mean);
	host->release(host, count);
	return stretch;
}

/* All columns of the rule that are keys, in one term. */
static void
add_noise(SdcLikelihoodTerms *terms, SdcTransparencyPart *part)
{
	const SdcTransparency *transparency = &terms->transparency;
	SdcHost *host = terms->host;
	int columns = part->rule->columns.count;
	SdcTransparencyPart **of_rule =
		sdc_new(host, SdcTransparencyPart *, columns);
	const double **person = sdc_new(host, const double *, columns);
	const double **record = sdc_new(host, const double *, columns);
	double *base = sdc_new(host, double, columns);
	bool shrunk = part->mask->leaves == SDC_MASK_LEAVES_MOMENTS;
	SdcIntruderNoise noise = {shrunk ? SDC_NOISE_GAUSSIAN
									 : sdcpg_rule_variant(part->rule),
							  sdcpg_rule_number(part->rule, "alpha")};
	double factor = shrunk ? sqrt(1 + noise.alpha) : 1;
	uint32 *stratum;
	uint32 *masked;
	int c;

	noise.columns = parts_of_rule(terms, part, of_rule);
	if (part != of_rule[0] || noise.alpha == 0)
		return;
	/* what is left of several draws is near a normal law */
	if (noise.columns < columns)
		noise.law = SDC_NOISE_GAUSSIAN;
	for (c = 0; c < noise.columns; c++)
	{
		SdcTransparencyPair pair = of_rule[c]->value[0];

		person[c] =
			sdcpg_transparency_numbers(&transparency->original, pair.original);
		record[c] =
			sdcpg_transparency_numbers(&transparency->masked, pair.masked);
		base[c] =
			2 * factor *
			sdcpg_candidates_slack(transparency, &of_rule[c]->masked[0], 0);
	}
	sdcpg_transparency_strata(&terms->transparency, part, &stratum, &masked);
	for (c = 0; c < noise.columns && shrunk; c++)
		record[c] = stretched(host, record[c], masked,
							  transparency->masked.frame->rows, factor);
	noise.person = person;
	noise.record = record;
	noise.base = base;
	/* one stratum is none: the noise of all of a file may be known exactly */
	noise.person_stratum =
		masked == NULL || part->strata == 0 ? NULL : stratum;
	noise.record_stratum = noise.person_stratum == NULL ? NULL : masked;
	noise.by_person =
		terms->by_original || (transparency->whole && !terms->unknown);
	if (masked != NULL && noise.columns == columns)
		add_stratum(terms, part, stratum, masked,
					missing_numbers(host, person, columns,
									transparency->original.frame->rows),
					missing_numbers(host, record, columns,
									transparency->masked.frame->rows));
	sdc_intruder_add_noise(terms->intruder, &noise);
	host->release(host, stratum);
}

/* A key that is drawn stays in its stratum; what goes with it is learned, as
 * of the columns that are no keys. */
static void
add_drawn(SdcLikelihoodTerms *terms, SdcTransparencyPart *part)
{
	const SdcTransparency *transparency = &terms->transparency;
	SdcTransparencyPair pair = part->value[0];
	SdcHost *host = terms->host;
	const double *person;
	const double *record;
	uint32 *stratum;
	uint32 *masked;

	if (!find_strata(terms, part, &stratum, &masked))
		return;
	person =
		sdcpg_transparency_numbers(&transparency->original, pair.original);
	record = sdcpg_transparency_numbers(&transparency->masked, pair.masked);
	add_stratum(
		terms, part, stratum, masked,
		missing_numbers(host, &person, 1, transparency->original.frame->rows),
		missing_numbers(host, &record, 1, transparency->masked.frame->rows));
	host->release(host, stratum);
}

/*
 * The vectors of places, column by column, in units of the outer radius;
 * returns how many numbers a vector has.
 */
static int
read_vectors(const SdcLikelihoodTerms *terms, const SdcTransparencyPart *part,
			 int f, double unit, double *column[3])
{
	SdcDonutSurface surface = (SdcDonutSurface) sdcpg_rule_variant(part->rule);
	const SdcTransparencyFile *file = sdcpg_likelihood_file(terms, f);
	const double *place[2];
	int columns = surface == SDC_DONUT_PLANE ? 2 : 3;
	int32 i;
	int c;

	for (c = 0; c < 2; c++)
		place[c] = sdcpg_transparency_numbers(
			file, f == 0 ? part->value[c].original : part->value[c].masked);
	for (c = 0; c < columns; c++)
		column[c] = sdc_new(terms->host, double, file->frame->rows + 1);
	for (i = 0; i < file->frame->rows; i++)
	{
		double vector[3] = {NAN, NAN, NAN};

		if (sdc_donut_is_place(surface, place[0][i], place[1][i]))
			sdc_donut_vector(surface, place[0][i], place[1][i], vector);
		for (c = 0; c < columns; c++)
			column[c][i] = vector[c] / unit;
	}
	return columns;
}

/* A place is somewhere on a ring; a missing one stays missing. */
static void
add_ring(SdcLikelihoodTerms *terms, SdcTransparencyPart *part)
{
	SdcHost *host = terms->host;
	SdcDonutSurface surface = (SdcDonutSurface) sdcpg_rule_variant(part->rule);
	double outer =
		sdc_donut_chord(surface, sdcpg_rule_number(part->rule, "outer"));
	double inner =
		sdc_donut_chord(surface, sdcpg_rule_number(part->rule, "inner"));
	double *vector[2][3];
	uint32 *stratum[2];
	SdcIntruderRing ring = {0};
	int f;

	/* both parts are about one place */
	if (part->level > 0)
		return;
	for (f = 0; f < 2; f++)
	{
		int32 rows = sdcpg_likelihood_file(terms, f)->frame->rows;

		ring.columns = read_vectors(terms, part, f, outer, vector[f]);
		stratum[f] = sdc_new(host, uint32, rows + 1);
		memset(stratum[f], 0, sizeof(uint32) * rows);
	}
	add_stratum(terms, part, stratum[0], stratum[1],
				missing_numbers(host, (const double *const *) vector[0], 1,
								sdcpg_likelihood_file(terms, 0)->frame->rows),
				missing_numbers(host, (const double *const *) vector[1], 1,
								sdcpg_likelihood_file(terms, 1)->frame->rows));
	ring.person = (const double *const *) vector[0];
	ring.record = (const double *const *) vector[1];
	ring.inner = inner / outer;
	if (sdc_intruder_has_room(terms->intruder, 1, ring.columns))
		sdc_intruder_add_ring(terms->intruder, &ring);
	host->release(host, stratum[0]);
	host->release(host, stratum[1]);
}

/* The numbers of a file that are not missing, ascending. */
static double *
sort_numbers(SdcHost *host, const double *number, int32 rows, int32 *count)
{
	uint64 *key = sdc_new(host, uint64, rows + 1);
	int32 *row = sdc_new(host, int32, rows + 1);
	double *value = sdc_new(host, double, rows + 1);
	int32 i;

	*count = 0;
	for (i = 0; i < rows; i++)
		if (!isnan(number[i]))
		{
			key[*count] = sdc_sort_key(number[i]);
			row[(*count)++] = i;
		}
	sdc_sort_keys(host, key, row, *count);
	for (i = 0; i < *count; i++)
		value[i] = number[row[i]];
	host->release(host, key);
	host->release(host, row);
	return value;
}

/*
 * The codes of a mask of outliers: for what stays the place of the masked
 * value that it is, up to slack; then one that no record has, then the two
 * sides of outliers.
 */
static int32 *
outlier_codes(SdcHost *host, const double *number, const double *beyond,
			  int32 rows, const double *value, int32 values, double slack)
{
	int32 *code = sdc_new(host, int32, rows + 1);
	int32 i;

	for (i = 0; i < rows; i++)
	{
		int32 near = (int32) sdc_sort_below(value, values, number[i] - slack);

		if (isnan(beyond[i]))
			code[i] = -1;
		else if (beyond[i] != 0)
			code[i] = values + (beyond[i] > 0 ? 1 : 2);
		else if (near < values && value[near] <= number[i] + slack)
			code[i] = near;
		else
			code[i] = values;
	}
	return code;
}

/*
 * Makes logarithms of how far values lie beyond the threshold; NAN for those
 * that do not.  The noise of the logarithm has the given mean.
 */
static void
take_logarithms(double *beyond, int32 rows, double mean)
{
	int32 i;

	for (i = 0; i < rows; i++)
		beyond[i] = beyond[i] == 0 ? NAN : log(fabs(beyond[i])) + mean;
}

/*
 * What is no outlier stays; an outlier stays on its side, and the logarithm of
 * how far it is beyond the limit gets noise.
 */
static void
add_outliers(SdcLikelihoodTerms *terms, SdcTransparencyPart *part)
{
	SdcTransparency *transparency = &terms->transparency;
	SdcHost *host = terms->host;
	const SdcTransparencyFile *file[2] = {&transparency->original,
										  &transparency->masked};
	int field[2] = {part->value->original, part->value->masked};
	double slack = sdcpg_candidates_slack(transparency, &part->masked[0], 0);
	double deviation =
		sdc_noise_outlier_deviation(sdcpg_rule_number(part->rule, "alpha"));
	const double *number[2];
	double *beyond[2];
	int32 *code[2];
	uint32 *stratum[2];
	double *value;
	int32 values;
	int f;

	if (!find_strata(terms, part, &stratum[0], &stratum[1]))
		return;
	for (f = 0; f < 2; f++)
	{
		number[f] = sdcpg_transparency_numbers(file[f], field[f]);
		beyond[f] = sdcpg_candidates_beyond(transparency, part, stratum[0],
											stratum[1], file[f]);
	}
	value = sort_numbers(host, number[1], file[1]->frame->rows, &values);
	for (f = 0; f < 2; f++)
	{
		code[f] = outlier_codes(host, number[f], beyond[f],
								file[f]->frame->rows, value, values, slack);
		take_logarithms(beyond[f], file[f]->frame->rows,
						f == 0 ? -deviation * deviation / 2 : 0);
	}
	if (sdc_intruder_has_room(terms->intruder, 3, 1))
		add_stratum(
			terms, part, stratum[0], stratum[1],
			missing_numbers(host, &number[0], 1, file[0]->frame->rows),
			missing_numbers(host, &number[1], 1, file[1]->frame->rows));
	sdc_intruder_add_equal(terms->intruder, code[0], code[1], values + 3);
	if (deviation > 0)
		sdc_intruder_add_noise(
			terms->intruder,
			&(SdcIntruderNoise){.columns = 1,
								.person = (const double *const *) &beyond[0],
								.record = (const double *const *) &beyond[1],
								.base = &(double){0},
								.deviation = deviation});
	host->release(host, stratum[0]);
	for (f = 0; f < 2; f++)
	{
		host->release(host, beyond[f]);
		host->release(host, code[f]);
	}
	host->release(host, value);
}

/* All of the set of a part, which is there, is equally likely. */
static void
add_found(SdcLikelihoodTerms *terms, SdcTransparencyPart *part)
{
	const SdcTransparency *transparency = &terms->transparency;
	const SdcCandidateSet *set = &part->set;
	SdcHost *host = terms->host;
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
	sdc_intruder_add_range(terms->intruder, low, high, set->position,
						   transparency->masked.frame->rows);
}

/* All that the rule leaves possible is equally likely. */
static void
add_set(SdcLikelihoodTerms *terms, SdcTransparencyPart *part)
{
	sdcpg_transparency_find(&terms->transparency, part);
	add_found(terms, part);
}

/* The same of a part that may tell nothing: then it has asked for nothing. */
static void
add_asked(SdcLikelihoodTerms *terms, SdcTransparencyPart *part)
{
	if (part->value != NULL)
		add_set(terms, part);
}

static void
add_microaggregate(SdcLikelihoodTerms *terms, SdcTransparencyPart *part)
{
	const SdcTransparency *transparency = &terms->transparency;
	SdcHost *host = terms->host;
	int columns = part->rule->columns.count;
	const double **person = sdc_new(host, const double *, part->columns);
	const double **record = sdc_new(host, const double *, columns);
	SdcIntruderGroups groups = {
		.columns = part->columns,
		.person = person,
		.record = record,
		.shown =
			columns == part->columns || part->beside != NULL ? columns : 0,
		.whole = transparency->whole};
	int j;

	for (j = 0; j < part->columns; j++)
	{
		person[j] = sdcpg_transparency_numbers(&transparency->original,
											   part->value[j].original);
		record[j] = sdcpg_transparency_numbers(&transparency->masked,
											   part->value[j].masked);
	}
	for (; j < groups.shown; j++)
		record[j] = sdcpg_transparency_numbers(
			&transparency->masked, part->beside[j - part->columns]);
	if (columns == 1)
	{
		sdc_intruder_add_microaggregate(terms->intruder, person[0], record[0]);
		return;
	}
	/* who knows everybody groups them again */
	sdcpg_transparency_find(&terms->transparency, part);
	if (part->exact)
	{
		add_found(terms, part);
		return;
	}
	sdc_intruder_add_group(terms->intruder, &groups);
	terms->groups = true;
}

/*
 * One column whose records are each generalized to some level: among those of
 * a level, the person's label on it.
 */
static void
add_column_levels(SdcLikelihoodTerms *terms, const SdcTransparencyPart *part)
{
	const SdcTransparencyPair *level = part->value;
	const SdcTransparency *transparency = &terms->transparency;
	SdcHost *host = terms->host;
	const SdcFrame *original = transparency->original.frame;
	const int32 *value = original->column[level[0].original].code;
	int32 persons = original->rows;
	int32 rows = transparency->masked.frame->rows;
	int32 *label = sdcpg_likelihood_codes(host, &transparency->masked,
										  level[0].masked, -1);
	int32 *record = sdc_new(host, int32, rows);
	const int8 *home = part->home;
	int32 codes = 1;
	int l;
	int32 i;

	for (l = 0; level[l].original >= 0; l++)
		codes = Max(codes, count_codes(transparency, level[l]));
	for (l = 0; level[l].original >= 0; l++)
	{
		int32 *person = sdcpg_likelihood_codes(host, &transparency->original,
											   level[l].original, -1);
		int32 known = 0;

		for (i = 0; i < persons && terms->unknown; i++)
			if (value[i] == SDC_CODE_NULL)
				person[i] = -1;
		for (i = 0; i < rows; i++)
		{
			bool here = label[i] >= 0 && home[label[i]] == l;

			record[i] = here ? label[i] : -1;
			known += here;
		}
		if (known > 0 && sdc_intruder_has_room(terms->intruder, 1, 0))
			sdc_intruder_add_equal(terms->intruder, person, record, codes);
		host->release(host, person);
	}
	host->release(host, label);
	host->release(host, record);
}

/* All levels at once, by the part that has them. */
static void
add_levels(SdcLikelihoodTerms *terms, SdcTransparencyPart *part)
{
	if (part->level > 0)
		return;
	/* for the homes of the labels */
	sdcpg_transparency_find(&terms->transparency, part);
	add_column_levels(terms, part);
}

/*
 * The two neighbours of a value, the nearer one likelier, or its one image.
 * Where a column is not a number, both neighbours are as likely.
 */
static void
add_rounding(SdcLikelihoodTerms *terms, SdcTransparencyPart *part)
{
	const SdcTransparency *transparency = &terms->transparency;

	if (part->other >= 0 && part->weighted)
		sdc_intruder_add_microaggregate(
			terms->intruder,
			sdcpg_transparency_numbers(&transparency->original,
									   part->value[1].original),
			sdcpg_transparency_numbers(&transparency->masked,
									   part->value[1].masked));
	else if (part->other >= 0)
		add_set(terms, part);
	else
		add_image(terms, part);
}

/* The values of one file that a shift moved; a NULL is of no group. */
typedef struct MovedDates
{
	int32 rows;
	double *number; /* NaN: NULL */
	SdcShiftValue *value;
} MovedDates;

/*
 * Days, and the time of the day in milliseconds, which stays; numbers are days
 * or microseconds.  Groups are numbered from 0.
 */
static MovedDates
read_moved(SdcLikelihoodTerms *terms, const SdcTransparencyFile *file,
		   int field, const SdcTransparencyPart *part, const uint32 *group)
{
	int64 step = part->original[0].base == DATEOID ? 1 : 1000;
	int64 day = step == 1 ? 1 : USECS_PER_DAY / step;
	MovedDates moved = {file->frame->rows,
						sdcpg_frame_numbers(terms->host,
											&file->frame->column[field],
											file->frame->rows)};
	int32 i;

	moved.value = sdc_new(terms->host, SdcShiftValue, moved.rows + 1);
	for (i = 0; i < moved.rows; i++)
	{
		bool finite = isfinite(moved.number[i]);
		int64 time = finite ? (int64) floor(rint(moved.number[i]) / step) : 0;
		int64 rest = (time % day + day) % day;

		/* an infinite time stays as it is, as a missing one does */
		if (!finite)
			moved.number[i] = NAN;
		moved.value[i].group = !finite         ? UINT32_MAX
							   : group == NULL ? 0
											   : group[i];
		moved.value[i].rest = (uint32) rest;
		moved.value[i].unit = (time - rest) / day;
	}
	return moved;
}

/* Orders values by group, time of the day and day. */
static int
compare_moved(const void *a, const void *b)
{
	const SdcShiftValue *x = a;
	const SdcShiftValue *y = b;

	if (x->group != y->group)
		return x->group < y->group ? -1 : 1;
	if (x->rest != y->rest)
		return x->rest < y->rest ? -1 : 1;
	return (x->unit > y->unit) - (x->unit < y->unit);
}

/* How many of the ordered values are below one. */
static int32
values_below(const SdcShiftValue *value, int32 count, SdcShiftValue of)
{
	int32 low = 0;
	int32 high = count;

	while (low < high)
	{
		int32 middle = low + (high - low) / 2;

		if (compare_moved(&value[middle], &of) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/*
 * By how much each person's value may have been moved.  Where several share
 * the column by which it was, that column is known and both files show it,
 * theirs were moved alike, and it shows by how much.
 */
static SdcShiftRange *
find_shifts(SdcLikelihoodTerms *terms, const SdcTransparencyPart *part,
			const MovedDates *person, const MovedDates *record, bool grouped)
{
	const SdcTransparency *transparency = &terms->transparency;
	SdcShiftRange *range =
		sdc_new(terms->host, SdcShiftRange, person->rows + 1);
	int32 days = (int32) sdcpg_rule_number(part->rule, "days");
	double kept = transparency->sampled
					  ? transparency->share
					  : Min(1, (double) record->rows / person->rows);
	int32 i;

	if (grouped)
		sdc_shift_learn(terms->host, person->value, person->rows,
						record->value, record->rows, days, kept,
						SDC_INTRUDER_ERROR, range);
	for (i = 0; i < person->rows; i++)
		/* without a group each value is moved by itself */
		if (!grouped ||
			transparency->original.frame->column[part->stratum[0].original]
					.code[i] == SDC_CODE_NULL)
			range[i] = (SdcShiftRange){-days, days};
	return range;
}

/* The different values of the records in their order; returns how many. */
static int32
order_moved(SdcHost *host, const MovedDates *record, SdcShiftValue **ordered)
{
	int32 count = 0;
	int32 kept = 0;
	int32 i;

	*ordered = sdc_new(host, SdcShiftValue, record->rows + 1);
	for (i = 0; i < record->rows; i++)
		if (!isnan(record->number[i]))
			(*ordered)[count++] = record->value[i];
	qsort(*ordered, count, sizeof(SdcShiftValue), compare_moved);
	for (i = 0; i < count; i++)
		if (i == 0 ||
			compare_moved(&(*ordered)[i], &(*ordered)[kept - 1]) != 0)
			(*ordered)[kept++] = (*ordered)[i];
	return kept;
}

/*
 * Codes of the term are the different values of the records, then a missing
 * one, then one that no record has.
 */
static void
add_moved(SdcLikelihoodTerms *terms, const SdcTransparencyPart *part,
		  const MovedDates *person, const MovedDates *record,
		  const SdcShiftRange *range)
{
	SdcHost *host = terms->host;
	int32 *low = sdc_new(host, int32, person->rows + 1);
	int32 *high = sdc_new(host, int32, person->rows + 1);
	int32 *code = sdc_new(host, int32, record->rows + 1);
	SdcShiftValue *value;
	int32 values = order_moved(host, record, &value);
	int32 i;

	for (i = 0; i < record->rows; i++)
	{
		code[i] = sdcpg_likelihood_is_suppressed(terms, part) ? -1 : values;
		if (!isnan(record->number[i]))
			code[i] = values_below(value, values, record->value[i]);
	}
	for (i = 0; i < person->rows; i++)
	{
		SdcShiftValue from = person->value[i];
		SdcShiftValue behind = person->value[i];

		from.unit += range[i].low;
		behind.unit += (int64) range[i].high + 1;
		low[i] = values_below(value, values, from);
		high[i] = values_below(value, values, behind) - 1;
		if (low[i] > high[i])
			low[i] = high[i] = values + 1;
		if (isnan(person->number[i]))
		{
			low[i] = values + terms->unknown;
			high[i] = values;
		}
	}
	sdc_intruder_add_range(terms->intruder, low, high, code, values + 2);
	host->release(host, low);
	host->release(host, high);
	host->release(host, code);
	host->release(host, value);
}

/* The next part that is moved by the same days in each row, or NULL. */
static const SdcTransparencyPart *
moved_along(const SdcLikelihoodTerms *terms, const SdcTransparencyPart *part)
{
	const SdcTransparency *transparency = &terms->transparency;
	static const char *const same[] = {"domain", "period", "by"};
	const SdcTransparencyPart *next;
	size_t k;

	if (sdcpg_rule_text(part->rule, "by") == NULL)
		return NULL;
	for (next = part + 1; next < transparency->part + transparency->parts;
		 next++)
	{
		bool along = next->mask == part->mask &&
					 next->original[0].base == part->original[0].base &&
					 sdcpg_rule_number(next->rule, "days") ==
						 sdcpg_rule_number(part->rule, "days");

		for (k = 0; along && k < lengthof(same); k++)
		{
			char *here = sdcpg_rule_text(part->rule, same[k]);
			char *there = sdcpg_rule_text(next->rule, same[k]);

			along = (here == NULL) == (there == NULL) &&
					(here == NULL || strcmp(here, there) == 0);
		}
		if (along)
			return next;
	}
	return NULL;
}

/* Takes other values from those of the same rows; what is left is days. */
static void
take_from(MovedDates *moved, const MovedDates *other)
{
	int32 i;

	for (i = 0; i < moved->rows; i++)
	{
		if (isnan(other->number[i]))
			moved->number[i] = NAN;
		moved->value[i].group = 0;
		moved->value[i].rest = 0;
		moved->value[i].unit -= other->value[i].unit;
	}
}

/* What lies between two dates of a row stays when both are moved alike. */
static void
add_interval(SdcLikelihoodTerms *terms, const SdcTransparencyPart *part,
			 MovedDates *person, MovedDates *record)
{
	const SdcTransparency *transparency = &terms->transparency;
	const SdcTransparencyPart *next = moved_along(terms, part);
	SdcShiftRange *none;
	MovedDates other[2];
	int f;

	if (next == NULL || sdcpg_likelihood_is_suppressed(terms, next))
		return;
	none = sdc_new(terms->host, SdcShiftRange, person->rows + 1);
	memset(none, 0, sizeof(SdcShiftRange) * person->rows);
	other[0] = read_moved(terms, &transparency->original,
						  next->value->original, next, NULL);
	other[1] = read_moved(terms, &transparency->masked, next->value->masked,
						  next, NULL);
	take_from(person, &other[0]);
	take_from(record, &other[1]);
	add_moved(terms, part, person, record, none);
	for (f = 0; f < 2; f++)
		terms->host->release(terms->host, other[f].value);
	terms->host->release(terms->host, none);
}

/* A date moved by days that all of a group share. */
static void
add_shift(SdcLikelihoodTerms *terms, SdcTransparencyPart *part)
{
	const SdcTransparency *transparency = &terms->transparency;
	SdcHost *host = terms->host;
	uint32 *group;
	uint32 *masked;
	bool grouped;
	MovedDates person;
	MovedDates record;
	SdcShiftRange *range;

	sdcpg_transparency_strata(&terms->transparency, part, &group, &masked);
	grouped = part->strata > 0 && masked != NULL;
	person = read_moved(terms, &transparency->original, part->value->original,
						part, grouped ? group : NULL);
	record = read_moved(terms, &transparency->masked, part->value->masked,
						part, grouped ? masked : NULL);
	range = find_shifts(terms, part, &person, &record, grouped);
	add_moved(terms, part, &person, &record, range);
	if (!grouped)
		add_interval(terms, part, &person, &record);
	host->release(host, group);
	host->release(host, range);
	host->release(host, person.value);
	host->release(host, record.value);
}

/* What each law adds; NULL: nothing, for it tells nothing of one record. */
static void (*const term[])(SdcLikelihoodTerms *terms,
							SdcTransparencyPart *part) = {
	[SDC_LIKELIHOOD_NONE] = NULL,
	[SDC_LIKELIHOOD_SET] = add_asked,
	[SDC_LIKELIHOOD_EQUAL] = add_image,
	[SDC_LIKELIHOOD_LEVELS] = add_levels,
	[SDC_LIKELIHOOD_NULL] = add_image,
	[SDC_LIKELIHOOD_ROUND] = add_rounding,
	[SDC_LIKELIHOOD_RANGE] = add_shuffle,
	[SDC_LIKELIHOOD_DRAWN] = add_drawn,
	[SDC_LIKELIHOOD_RANKS] = add_rank_swap,
	[SDC_LIKELIHOOD_PRAM] = add_pram,
	[SDC_LIKELIHOOD_MATRIX] = add_matrix,
	[SDC_LIKELIHOOD_PLACES] = sdcpg_likelihood_add_places,
	[SDC_LIKELIHOOD_PERMUTED] = add_permuted,
	[SDC_LIKELIHOOD_SHIFT] = add_shift,
	[SDC_LIKELIHOOD_NOISE] = add_noise,
	[SDC_LIKELIHOOD_RING] = add_ring,
	[SDC_LIKELIHOOD_OUTLIER] = add_outliers,
	[SDC_LIKELIHOOD_CENTROID] = add_microaggregate,
	[SDC_LIKELIHOOD_ROWS] = NULL,
};

/*
 * Adds the terms of one part, of which there are at most two: that of the rule
 * and its strata.  Keys beyond the room of the intruder are left out.
 */
static void
add_part(SdcLikelihoodTerms *terms, SdcTransparencyPart *part)
{
	int columns = part->rule == NULL ? 1 : part->rule->columns.count;
	ErrorContextCallback context;

	if (!sdc_intruder_has_room(terms->intruder, 2, columns))
	{
		terms->left_out++;
		return;
	}
	context.callback = sdcpg_transparency_tell_rule;
	context.previous = error_context_stack;
	context.arg = (void *) part->subject;
	error_context_stack = &context;
	if (term[part->mask->likelihood] != NULL)
		term[part->mask->likelihood](terms, part);
	error_context_stack = context.previous;
}

void
sdcpg_likelihood_add(SdcLikelihoodTerms *terms)
{
	SdcTransparency *transparency = &terms->transparency;
	int i;

	for (i = 0; i < transparency->parts; i++)
		add_part(terms, &transparency->part[i]);
	sdcpg_likelihood_add_names(terms);
}
