/*
 * likelihood_places.c
 *		What record swapping tells: how many levels of a place have stayed.
 *
 * A household moves to another area of some level, so what the intruder weighs
 * is on how many levels, from the coarsest on, the places of a person and of a
 * record agree.  How often that is so, for people who stand out on so many
 * levels, is learned from the true links, as it follows from a rule that is
 * known and from who stands out.  Areas that agree equally far are as likely
 * as they have records.
 */
#include "postgres.h"

#include <math.h>

#include "host/data/rows.h"
#include "host/server/host.h"
#include "kernel/base/sort.h"
#include "kernel/intruder/intruder.h"
#include "kernel/mask/record_swap.h"
#include "topic/attack/candidates.h"
#include "topic/attack/likelihood.h"
#include "topic/attack/transparency.h"
#include "topic/mask/rules.h"

/* Chances of all classes at the most; beyond, only the same area counts. */
#define PLACES_CHANCES 4000000

/* The places of both files. */
typedef struct Places
{
	SdcHost *host;
	int levels;
	int32 rows[2];
	int32 *code[2]; /* number of the place, by row */
	int32 places;
	int32 *level[SDC_RECORD_SWAP_LEVELS]; /* codes of the columns, by place */
	double *records;                      /* of the masked file, by place */
} Places;

/* Codes of a field; NULL is a value like another one. */
static int32
code_at(const SdcTransparency *transparency, SdcTransparencyPair pair, int f,
		int32 row)
{
	const SdcFrame *frame =
		f == 0 ? transparency->original.frame : transparency->masked.frame;

	return frame->column[f == 0 ? pair.original : pair.masked].code[row];
}

/* Numbers the places that occur in either file. */
static Places
read_places(SdcHost *host, const SdcTransparency *transparency,
			const SdcTransparencyPart *part)
{
	Places of = {.host = host,
				 .levels = Min(part->columns, SDC_RECORD_SWAP_LEVELS),
				 .rows = {transparency->original.frame->rows,
						  transparency->masked.frame->rows}};
	int32 all = of.rows[0] + of.rows[1];
	uint64 *key = sdc_new(host, uint64, all + 1);
	int32 *row = sdc_new(host, int32, all + 1);
	int32 last = -1;
	int32 i;
	int l;
	int f;

	for (i = 0; i < all; i++)
		row[i] = i;
	for (l = of.levels - 1; l >= 0; l--)
	{
		for (i = 0; i < all; i++)
		{
			f = row[i] >= of.rows[0];
			key[i] = (uint64) (code_at(transparency, part->value[l], f,
									   row[i] - f * of.rows[0]) +
							   1);
		}
		sdc_sort_keys(host, key, row, all);
		of.level[l] = sdc_new(host, int32, all + 1);
	}
	for (f = 0; f < 2; f++)
		of.code[f] = sdc_new(host, int32, of.rows[f] + 1);
	of.records = sdc_new(host, double, all + 1);
	for (i = 0; i < all; i++)
	{
		bool same = last >= 0;

		f = row[i] >= of.rows[0];
		for (l = 0; l < of.levels; l++)
			same = same &&
				   of.level[l][last] == code_at(transparency, part->value[l],
												f, row[i] - f * of.rows[0]);
		if (!same)
			of.records[++last] = 0;
		for (l = 0; l < of.levels; l++)
			of.level[l][last] = code_at(transparency, part->value[l], f,
										row[i] - f * of.rows[0]);
		of.code[f][row[i] - f * of.rows[0]] = last;
		of.records[last] += f == 1;
	}
	of.places = last + 1;
	host->release(host, key);
	host->release(host, row);
	return of;
}

/* On how many levels two places agree, from the coarsest on. */
static int
depth_of(const Places *of, int32 a, int32 b)
{
	int depth = 0;

	while (depth < of->levels && of->level[depth][a] == of->level[depth][b])
		depth++;
	return depth;
}

/* On how many levels a person stands out; 0 where that is not known. */
static int32 *
read_classes(SdcHost *host, const SdcTransparency *transparency,
			 const SdcTransparencyPart *part, int32 rows)
{
	int32 *class = sdc_new(host, int32, rows + 1);
	const double *number = NULL;
	int32 i;

	if (part->other >= 0)
		number =
			sdcpg_transparency_numbers(&transparency->original, part->other);
	for (i = 0; i < rows; i++)
		class[i] = number == NULL || isnan(number[i]) ? 0 : (int32) number[i];
	return class;
}

/* How often places agree so far, for the linked persons of a class. */
static void
learn_depths(const Places *of, const int32 *class, int32 which,
			 const int32 *partner, double *share)
{
	double count = 0;
	int32 i;
	int d;

	for (d = 0; d <= of->levels; d++)
	{
		/* what was not seen may be */
		share[d] = 0.5;
		count += share[d];
	}
	for (i = 0; i < of->rows[0]; i++)
		if (class[i] == which && partner[i] >= 0)
		{
			share[depth_of(of, of->code[0][i], of->code[1][partner[i]])]++;
			count++;
		}
	for (d = 0; d <= of->levels; d++)
		share[d] /= count;
}

/* The chance of each place from a place, by the shares of depths. */
static void
fill_row(const Places *of, int32 a, const double *share, double *chance)
{
	double records[SDC_RECORD_SWAP_LEVELS + 1] = {0};
	double possible = 0;
	int32 b;
	int d;

	for (b = 0; b < of->places; b++)
		records[depth_of(of, a, b)] += of->records[b];
	for (d = 0; d <= of->levels; d++)
		possible += records[d] > 0 ? share[d] : 0;
	for (b = 0; b < of->places; b++)
	{
		d = depth_of(of, a, b);
		chance[b] = records[d] > 0 && possible > 0
						? share[d] / possible * of->records[b] / records[d]
						: 0;
	}
}

/* The term of the persons of one class; all others tell nothing in it. */
static void
add_class(SdcLikelihoodTerms *terms, const Places *of, const int32 *class,
		  int32 which, bool matrix)
{
	SdcHost *host = terms->host;
	double share[SDC_RECORD_SWAP_LEVELS + 1];
	int32 *person = sdc_new(host, int32, of->rows[0] + 1);
	double *chance;
	int32 i;

	learn_depths(of, class, which, terms->transparency.partner, share);
	for (i = 0; i < of->rows[0]; i++)
		person[i] = class[i] == which ? of->code[0][i] : -1;
	if (matrix)
	{
		chance = sdc_new(host, double, (Size) of->places * of->places);
		for (i = 0; i < of->places; i++)
			fill_row(of, i, share, chance + (Size) i * of->places);
		sdc_intruder_add_matrix(terms->intruder, chance, 1, person,
								of->code[1], of->places, 1);
		host->release(host, chance);
	}
	else
		sdc_intruder_add_pram(terms->intruder, share[of->levels], person,
							  of->code[1], of->places, 1);
	host->release(host, person);
}

void
sdcpg_likelihood_add_places(SdcLikelihoodTerms *terms,
							SdcTransparencyPart *part)
{
	const SdcTransparency *transparency = &terms->transparency;
	SdcHost *host = terms->host;
	Places of = read_places(host, transparency, part);
	int32 *class = read_classes(host, transparency, part, of.rows[0]);
	bool matrix;
	int32 classes = 1;
	int32 c;
	int32 i;
	int l;

	for (i = 0; i < of.rows[0]; i++)
		classes = Max(classes, class[i] + 1);
	matrix = (int64) of.places * of.places * classes <= PLACES_CHANCES;
	for (c = 0; c < classes; c++)
		if (sdc_intruder_has_room(terms->intruder, 1, 0))
			add_class(terms, &of, class, c, matrix);
	for (l = 0; l < of.levels; l++)
		host->release(host, of.level[l]);
	for (i = 0; i < 2; i++)
		host->release(host, of.code[i]);
	host->release(host, of.records);
	host->release(host, class);
}
