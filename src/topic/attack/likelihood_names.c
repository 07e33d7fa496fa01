/*
 * likelihood_names.c
 *		What equal names for equal values tell.
 *
 * A pseudonym or a fake hides what a value is, but rows that had the same
 * value have the same name.  First values and names are compared by how often
 * they occur and beside what, which tells names where both files have the
 * same rows (learn.c of the kernel).  Where it does not, the names are learned
 * from an attack without them: the people of a town who are found by their
 * other keys vote for the name of the town, and then it is known of all others
 * who live there.  The attack is repeated as long as more is told.
 *
 * A column of names has a term for the kinds, and one for each grade of names
 * that are told more or less surely.  How often each is right is learned from
 * the true links, as with other laws of the attack.
 */
#include "postgres.h"

#include "host/data/rows.h"
#include "host/server/host.h"
#include "kernel/base/random.h"
#include "kernel/base/sort.h"
#include "kernel/intruder/intruder.h"
#include "kernel/intruder/learn.h"
#include "topic/attack/likelihood.h"
#include "topic/attack/transparency.h"
#include "topic/mask/rules.h"

/* Names are told in grades, by what the votes must be worth (a
 * log-likelihood ratio). */
#define GRADES 3
static const float least_sure[GRADES] = {5, 1.5, 0.1};

/* The share of names in a grade that has to be right. */
#define LEAST_RIGHT 0.2

/* Links are not asked for the names of fewer people. */
#define MAY_BE_OPEN 0.02

/* More is told where so many more of the people have a name. */
#define TELLS_MORE 0.01

/* Links that are heard of a person at most, and the least chance of one. */
#define HEARD_LINKS  8
#define HEARD_CHANCE 0.005f

/* Bytes of a link while it is sorted or counted, and for each column then. */
#define LINK_BYTES 40
#define VOTE_BYTES 36

/* Columns of names, and what was heard. */
typedef struct SdcLikelihoodNames
{
	int columns;
	SdcNames *names;
	int *kinds;           /* the term; -1: none */
	int (*grade)[GRADES]; /* the terms; -1: not yet */
	int64 told;
	int each; /* links of a person, as memory allows */
	int32 links;
	int32 room;
	SdcNamesLink *link;
} SdcLikelihoodNames;

/* The rows of both files, original and masked. */
typedef struct Rows
{
	int32 rows[2];
	uint64 *digest[2];
} Rows;

/* Adds what one part leaves as it was, or as it can be computed. */
static void
add_kept(const SdcLikelihoodTerms *terms, const SdcTransparencyPart *part,
		 Rows *rows)
{
	SdcHost *host = terms->host;
	int field[2];
	int32 *code[2];
	int32 i;
	int f;

	if (part->mask->likelihood != SDC_LIKELIHOOD_EQUAL ||
		part->value == NULL || sdcpg_likelihood_is_suppressed(terms, part))
		return;
	field[0] = part->value->original;
	field[1] = part->value->masked;
	for (f = 0; f < 2; f++)
		code[f] = sdcpg_likelihood_codes(host, sdcpg_likelihood_file(terms, f),
										 field[f], -1);
	if (part->rule != NULL ||
		sdcpg_likelihood_kept(terms, code[0], code[1]) == 1)
		for (f = 0; f < 2; f++)
			for (i = 0; i < rows->rows[f]; i++)
				rows->digest[f][i] = sdc_random_mix(rows->digest[f][i] ^
													(uint64) (code[f][i] + 2));
	host->release(host, code[0]);
	host->release(host, code[1]);
}

/* Opens the rows, with what all parts leave of them. */
static Rows
open_rows(const SdcLikelihoodTerms *terms)
{
	const SdcTransparency *transparency = &terms->transparency;
	Rows rows;
	int f;
	int i;

	for (f = 0; f < 2; f++)
	{
		rows.rows[f] = sdcpg_likelihood_file(terms, f)->frame->rows;
		rows.digest[f] = sdc_new(terms->host, uint64, rows.rows[f] + 1);
		memset(rows.digest[f], 0, sizeof(uint64) * rows.rows[f]);
	}
	for (i = 0; i < transparency->parts; i++)
		add_kept(terms, &transparency->part[i], &rows);
	return rows;
}

/* The codes of a part's values and names; a NULL is missing in both. */
static SdcNames
read_names(const SdcLikelihoodTerms *terms, const SdcTransparencyPart *part)
{
	int field[2] = {part->names.original, part->names.masked};
	SdcNames names = {0};
	const int32 *code[2];
	int32 i;
	int f;

	for (f = 0; f < 2; f++)
	{
		const SdcTransparencyFile *file = sdcpg_likelihood_file(terms, f);

		code[f] = sdcpg_likelihood_codes(terms->host, file, field[f],
										 SDC_NAME_MISSING);
		for (i = 0; i < file->frame->rows; i++)
			names.codes[f] = Max(names.codes[f], code[f][i] + 1);
	}
	names.person = code[0];
	names.record = code[1];
	return names;
}

/* Reads all columns of names; those of one dictionary are of one space. */
static SdcLikelihoodNames *
read_columns(const SdcLikelihoodTerms *terms)
{
	const SdcTransparency *transparency = &terms->transparency;
	SdcLikelihoodNames *of = palloc0(sizeof(SdcLikelihoodNames));
	SdcDictionary **dictionary = transparency->masked.dictionary;
	int *field = palloc(sizeof(int) * (transparency->parts + 1));
	int i;

	of->names = palloc(sizeof(SdcNames) * (transparency->parts + 1));
	of->kinds = palloc(sizeof(int) * (transparency->parts + 1));
	of->grade = palloc(sizeof(*of->grade) * (transparency->parts + 1));
	/* who does not know that a value is missing cannot count */
	for (i = 0; i < transparency->parts && !terms->unknown; i++)
	{
		const SdcTransparencyPart *part = &transparency->part[i];
		SdcNames *names = &of->names[of->columns];

		if (part->names.original < 0 ||
			sdcpg_likelihood_is_suppressed(terms, part))
			continue;
		*names = read_names(terms, part);
		field[of->columns] = part->names.masked;
		while (dictionary[field[names->space]] !=
			   dictionary[part->names.masked])
			names->space++;
		of->kinds[of->columns] = -1;
		memset(of->grade[of->columns++], 0xff, sizeof(*of->grade));
	}
	pfree(field);
	return of;
}

/* Adds the term of the kinds of one column. */
static void
add_kinds(SdcLikelihoodTerms *terms, const SdcNames *names, int *kinds)
{
	if (names->kinds < 2 || !sdc_intruder_has_room(terms->intruder, 1, 0))
		return;
	*kinds = sdc_intruder_terms(terms->intruder);
	sdc_intruder_add_pram(
		terms->intruder, Min(names->share, 1 - SDC_INTRUDER_ERROR),
		names->person_kind, names->record_kind, names->kinds, 1);
}

void
sdcpg_likelihood_add_names(SdcLikelihoodTerms *terms)
{
	SdcHost *host = terms->host;
	SdcLikelihoodNames *of = read_columns(terms);
	Rows rows;
	int i;

	sdcpg_likelihood_release_names(terms);
	if (of->columns == 0)
		return;
	rows = open_rows(terms);
	sdc_names_learn(host, of->names, of->columns, rows.digest[0], rows.rows[0],
					rows.digest[1], rows.rows[1]);
	host->release(host, rows.digest[0]);
	host->release(host, rows.digest[1]);
	for (i = 0; i < of->columns; i++)
		add_kinds(terms, &of->names[i], &of->kinds[i]);
	terms->names = of;
}

/* ----------------------------------------------------------------------
 * Names that links tell.
 * ----------------------------------------------------------------------
 */

bool
sdcpg_likelihood_have_names(SdcLikelihoodTerms *terms, double bytes)
{
	SdcLikelihoodNames *of = terms->names;
	int32 persons = terms->transparency.original.frame->rows;
	int i;

	if (of == NULL)
		return false;
	of->each = Min(HEARD_LINKS,
				   bytes / (LINK_BYTES + of->columns * VOTE_BYTES) / persons);
	if (of->each < 1)
		return false;
	if (!sdc_intruder_has_room(terms->intruder, GRADES * of->columns, 0))
		return false;
	for (i = 0; i < of->columns; i++)
		if (sdc_names_open(terms->host, of->names, of->columns, i, persons) >
			MAY_BE_OPEN * persons)
			break;
	if (i == of->columns)
		return false;
	/* before the attack, which plans with what is left */
	of->room = (int32) Min((int64) persons * of->each, INT32_MAX);
	of->link = sdc_new(terms->host, SdcNamesLink, (Size) of->room + 1);
	return true;
}

/* The likeliest records of a person among his candidates. */
static void
hear_person(SdcLikelihoodNames *of, const SdcIntruderCandidates *found,
			const float *chance, int32 row)
{
	SdcNamesLink *link = &of->link[of->links];
	int32 each = of->each;
	int32 links = 0;
	int64 e;

	for (e = found->lists.first[row]; e < found->lists.first[row + 1]; e++)
	{
		int32 to;

		if (chance[e] < HEARD_CHANCE ||
			(links == each && link[links - 1].chance >= chance[e]))
			continue;
		for (to = Min(links, each - 1);
			 to > 0 && link[to - 1].chance < chance[e]; to--)
			link[to] = link[to - 1];
		link[to] =
			(SdcNamesLink){found->person[row],
						   found->record[found->lists.column[e]], chance[e]};
		links = Min(links + 1, each);
	}
	of->links += links;
}

void
sdcpg_likelihood_hear_names(SdcLikelihoodTerms *terms,
							const SdcIntruderCandidates *found,
							const float *chance, const bool *counted)
{
	SdcLikelihoodNames *of = terms->names;
	int32 k;

	for (k = 0; k < found->lists.rows; k++)
		if ((counted == NULL || counted[found->person[k]]) &&
			of->links <= of->room - of->each)
			hear_person(of, found, chance, k);
}

/* What was heard, in the order of the persons. */
static SdcNamesLink *
sort_links(SdcHost *host, const SdcLikelihoodNames *of)
{
	uint64 *key = sdc_new(host, uint64, (Size) of->links + 1);
	int32 *row = sdc_new(host, int32, (Size) of->links + 1);
	SdcNamesLink *link = sdc_new(host, SdcNamesLink, (Size) of->links + 1);
	int32 i;

	for (i = 0; i < of->links; i++)
	{
		key[i] = (uint64) of->link[i].person;
		row[i] = i;
	}
	sdc_sort_keys(host, key, row, of->links);
	for (i = 0; i < of->links; i++)
		link[i] = of->link[row[i]];
	host->release(host, key);
	host->release(host, row);
	return link;
}

/* How often a name is right, of those who are in the masked file. */
static double
share_right(const SdcLikelihoodTerms *terms, const SdcNames *names,
			const int32 *name)
{
	int32 persons = terms->transparency.original.frame->rows;
	double right = 0;
	double all = 1;
	int32 i;

	for (i = 0; i < persons; i++)
	{
		int32 partner = terms->transparency.partner[i];

		if (name[i] == SDC_NAME_MISSING || partner < 0)
			continue;
		all++;
		right += names->record[partner] == name[i];
	}
	return right / all;
}

/* The names of one grade, for those who have one; how many they are. */
static int32
use_grade(SdcLikelihoodTerms *terms, int c, int g, const int32 *name,
		  const float *sure)
{
	SdcLikelihoodNames *of = terms->names;
	const SdcNames *names = &of->names[c];
	int32 persons = terms->transparency.original.frame->rows;
	int32 *of_grade = sdc_new(terms->host, int32, persons + 1);
	int32 told = 0;
	double right;
	int32 i;

	for (i = 0; i < persons; i++)
		of_grade[i] = sure[i] >= least_sure[g] &&
							  (g == 0 || sure[i] < least_sure[g - 1]) &&
							  name[i] < names->codes[1]
						  ? name[i]
						  : SDC_NAME_MISSING;
	right = share_right(terms, names, of_grade);
	for (i = 0; i < persons; i++)
	{
		if (right < LEAST_RIGHT)
			of_grade[i] = SDC_NAME_MISSING;
		told += of_grade[i] != SDC_NAME_MISSING;
		/* what tells the name tells the kind */
		if (of_grade[i] != SDC_NAME_MISSING && names->kinds > 0)
			names->person_kind[i] = -1;
	}
	right = Min(right, 1 - SDC_INTRUDER_ERROR);
	if (of->grade[c][g] < 0)
	{
		of->grade[c][g] = sdc_intruder_terms(terms->intruder);
		sdc_intruder_add_pram(terms->intruder, right, of_grade, names->record,
							  names->codes[1], 1);
	}
	else
		sdc_intruder_renew_pram(terms->intruder, of->grade[c][g], right,
								of_grade);
	terms->host->release(terms->host, of_grade);
	return told;
}

bool
sdcpg_likelihood_learn_names(SdcLikelihoodTerms *terms)
{
	SdcLikelihoodNames *of = terms->names;
	SdcHost *host = terms->host;
	int32 persons = terms->transparency.original.frame->rows;
	int32 **name = palloc(sizeof(int32 *) * of->columns);
	float **sure = palloc(sizeof(float *) * of->columns);
	int64 before = of->told;
	SdcNamesLink *link;
	int c;
	int g;

	host->stage(host, "learning names");
	for (c = 0; c < of->columns; c++)
	{
		name[c] = sdc_new(host, int32, persons + 1);
		sure[c] = sdc_new(host, float, persons + 1);
	}
	link = sort_links(host, of);
	sdc_names_vote(host, of->names, of->columns, link, of->links, persons,
				   name, sure);
	host->release(host, link);
	of->links = 0;
	of->told = 0;
	for (c = 0; c < of->columns; c++)
	{
		for (g = 0; g < GRADES; g++)
			of->told += use_grade(terms, c, g, name[c], sure[c]);
		if (of->kinds[c] >= 0)
			sdc_intruder_renew_pram(
				terms->intruder, of->kinds[c],
				Min(of->names[c].share, 1 - SDC_INTRUDER_ERROR),
				of->names[c].person_kind);
		host->release(host, name[c]);
		host->release(host, sure[c]);
	}
	return of->told - before > TELLS_MORE * persons;
}

void
sdcpg_likelihood_release_names(SdcLikelihoodTerms *terms)
{
	SdcLikelihoodNames *of = terms->names;
	SdcHost *host = terms->host;
	int c;

	if (of == NULL)
		return;
	for (c = 0; c < of->columns; c++)
	{
		host->release(host, (void *) of->names[c].person);
		host->release(host, (void *) of->names[c].record);
		host->release(host, of->names[c].person_kind);
		host->release(host, of->names[c].record_kind);
	}
	if (of->link != NULL)
		host->release(host, of->link);
	terms->names = NULL;
}
