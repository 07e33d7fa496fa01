/*
 * transparency_record.c
 *		What an intruder who knows the rules makes of one record.
 *
 * The sets of the record are intersected, and what is left is compared by how
 * likely the rules make it and by distance.
 */
#include "postgres.h"

#include <math.h>

#include "kernel/attack/link_file.h"
#include "pg/disclosure/transparency.h"
#include "pg/server/compat.h"

/* Costs that differ by less are equal: rounding must not break a tie. */
#define TIE_SHARE 1e-9
#define TIE       1e-20

/* A file of the keys that are numbers, brought to standard scores. */
static void
fill_file(SdcTransparency *transparency, bool masked, SdcLinkFile *file)
{
	SdcHost *host = &transparency->host->kernel;
	const SdcFrame *frame =
		masked ? transparency->masked.frame : transparency->original.frame;
	int j;

	memset(file, 0, sizeof(*file));
	file->rows = frame->rows;
	file->columns = transparency->numbers;
	file->value = sdc_new(host, double *, file->columns);
	file->missing = sdc_new(host, bool *, file->columns);
	for (j = 0; j < file->columns; j++)
	{
		const SdcTransparencyPair *pair = &transparency->number[j];
		const SdcFrameColumn *column =
			&frame->column[masked ? pair->masked : pair->original];

		file->value[j] = sdc_new(host, double, file->rows);
		memcpy(file->value[j], column->number, sizeof(double) * file->rows);
		file->missing[j] = column->isnull;
	}
}

/* Missing scores are NaN from here on. */
static double **
mark_missing(SdcLinkFile *file)
{
	int32 i;
	int j;

	for (j = 0; j < file->columns; j++)
		for (i = 0; i < file->rows; i++)
			if (file->missing[j][i])
				file->value[j][i] = NAN;
	return file->value;
}

/* The part that a numeric key belongs to. */
static SdcTransparencyPart *
part_of(SdcTransparency *transparency, int number)
{
	AttrNumber key = transparency->number_key[number];
	int i;
	int j;

	for (i = 0; i < transparency->parts; i++)
		for (j = 0; j < transparency->part[i].columns; j++)
			if (transparency->part[i].original[j].number == key)
				return &transparency->part[i];
	return NULL;
}

/*
 * Alone, squared distances are simply added.  Beside likelihoods each column
 * is brought to their scale; a column that has a likelihood needs no distance.
 */
static void
weigh_columns(SdcTransparency *transparency)
{
	SdcHost *host = &transparency->host->kernel;
	SdcCandidateScore *score = &transparency->score;
	int j;

	score->divisor = sdc_new(host, double, score->columns);
	for (j = 0; j < score->columns; j++)
	{
		SdcTransparencyPart *part = part_of(transparency, j);

		score->divisor[j] = 1;
		if (transparency->weighted && part->weighted)
			score->divisor[j] = 0;
		else if (transparency->weighted)
			score->divisor[j] = sdc_candidate_score_spread(
				host, &part->set, score->original[j],
				transparency->original.frame->rows, score->masked[j],
				transparency->masked.frame->rows);
	}
}

static void
prepare_scores(SdcTransparency *transparency)
{
	SdcHost *host = &transparency->host->kernel;
	SdcCandidateScore *score = &transparency->score;
	SdcCandidateWeight *weight =
		sdc_new(host, SdcCandidateWeight, transparency->parts);
	SdcLinkFile original;
	SdcLinkFile masked;
	int i;

	for (i = 0; i < transparency->parts; i++)
		if (transparency->part[i].weighted)
			weight[score->weights++] = transparency->part[i].weight;
	transparency->weighted = score->weights > 0;
	score->weight = weight;
	fill_file(transparency, false, &original);
	fill_file(transparency, true, &masked);
	sdc_link_file_standardize(host, &original, &masked);
	score->columns = transparency->numbers;
	score->original = mark_missing(&original);
	score->masked = mark_missing(&masked);
	weigh_columns(transparency);
}

/* A search in all parts, or in the exact ones. */
static SdcCandidateSearch *
create_search(SdcTransparency *transparency, bool exact)
{
	SdcHost *host = &transparency->host->kernel;
	const SdcCandidateSet **set =
		sdc_new(host, const SdcCandidateSet *, transparency->parts);
	int count = 0;
	int i;

	for (i = 0; i < transparency->parts; i++)
		if (transparency->part[i].exact || !exact)
			set[count++] = &transparency->part[i].set;
	return sdc_candidate_search_create(host, count, set,
									   transparency->masked.frame->rows);
}

void
sdcpg_transparency_prepare(SdcTransparency *transparency)
{
	int i;

	transparency->all_exact = true;
	for (i = 0; i < transparency->parts; i++)
		transparency->all_exact &= transparency->part[i].exact;
	transparency->search = create_search(transparency, false);
	if (!transparency->all_exact)
		transparency->exact = create_search(transparency, true);
	prepare_scores(transparency);
}

/* Looks for the least cost, and whether only one has it. */
static void
find_best(SdcTransparencyRecord *record, int columns)
{
	double least = INFINITY;
	double limit;
	int32 near = 0;
	int32 t;

	record->best = -1;
	for (t = 0; t < record->candidates; t++)
		if (record->cost[t] < least)
		{
			least = record->cost[t];
			record->best = t;
		}
	limit = least * (1 + TIE_SHARE) + columns * TIE;
	for (t = 0; t < record->candidates; t++)
		near += record->cost[t] <= limit;
	record->unique = near == 1;
}

/* Must the only candidate be the right one? */
static bool
is_certain(SdcTransparency *transparency, int32 i, int32 candidates)
{
	if (candidates != 1 || transparency->sampled)
		return false;
	if (transparency->exact == NULL)
		return true;
	sdc_candidate_search_run(transparency->exact, i, 1);
	return transparency->exact->count == 1;
}

/* Turns deviances into probabilities. */
static void
find_probabilities(const SdcTransparency *transparency, double *deviance,
				   int32 count)
{
	double least = INFINITY;
	double sum = 0;
	int32 t;

	for (t = 0; t < count && transparency->weighted; t++)
		least = Min(least, deviance[t]);
	for (t = 0; t < count; t++)
	{
		deviance[t] =
			transparency->weighted ? exp((least - deviance[t]) / 2) : 1;
		sum += deviance[t];
	}
	for (t = 0; t < count; t++)
		deviance[t] /= sum;
}

void
sdcpg_transparency_record(SdcTransparency *transparency, int32 i,
						  SdcTransparencyRecord *record)
{
	SdcHost *host = &transparency->host->kernel;
	SdcCandidateSearch *search = transparency->search;
	int32 rows = transparency->masked.frame->rows;

	if (record->squared == NULL)
	{
		record->squared = sdc_new(host, double, rows);
		record->probability = sdc_new(host, double, rows);
		record->cost = sdc_new(host, double, rows);
	}
	sdc_candidate_search_run(search, i, rows);
	record->candidates = search->count;
	record->row = search->row;
	record->certain = is_certain(transparency, i, search->count);
	sdc_candidate_score_run(&transparency->score, i, record->row,
							record->candidates, record->squared,
							record->probability, record->cost);
	find_probabilities(transparency, record->probability, record->candidates);
	find_best(record, transparency->score.columns);
}

SdcLinkSuccess
sdcpg_transparency_success(SdcTransparency *transparency)
{
	SdcHost *host = &transparency->host->kernel;
	int32 rows = transparency->original.frame->rows;
	SdcLinkSuccess found = {0, 0, 0, 0, 0};
	SdcTransparencyRecord record;
	int32 i;
	int32 t;

	memset(&record, 0, sizeof(record));
	host->stage(host, "intersecting");
	for (i = 0; i < rows; i++)
	{
		int32 partner = transparency->partner[i];
		bool linked;

		if (i % 256 == 0)
			host->poll(host, i, rows);
		if (partner < 0)
			continue;
		sdcpg_transparency_record(transparency, i, &record);
		linked = sdcpg_transparency_links_to(&record, partner);
		found.records++;
		found.unique_right += linked;
		found.claimed += record.certain;
		found.claimed_right += record.certain && linked;
		for (t = 0; t < record.candidates; t++)
			if (record.row[t] == partner)
				found.right += record.probability[t] * transparency->share;
	}
	return found;
}
