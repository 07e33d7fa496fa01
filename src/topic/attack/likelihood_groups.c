/*
 * likelihood_groups.c
 *		What persons have together who belong together, as further numbers that
 *		are known of each of them.
 *
 * Who publishes the income of a household publishes a sum of incomes, and who
 * knows these and who lives together knows it, too: of a key that few persons
 * share, how many do, the total of each number over them, and the part that a
 * person has of it.  These are taken where the links show that a column
 * follows one of them, and no number that is known anyway as well.
 */
#include "postgres.h"

#include <math.h>

#include "host/data/dictionary.h"
#include "kernel/base/sort.h"
#include "kernel/intruder/order.h"
#include "kernel/linear/moments.h"
#include "topic/attack/likelihood.h"
#include "topic/attack/transparency.h"

/* Persons of a group, as a person sees it on the average, at the most: what
 * larger ones tell is learned as that of a category. */
#define MOST_OF_GROUP 50

/* How well a column must follow one (a rank correlation), how much of it one
 * must explain beside the own number (of the variance), and of what numbers
 * leave without it the part that may be left. */
#define LEAST_FOLLOWED  0.8
#define LEAST_EXPLAINED 0.6
#define MOST_LEFT       0.5

typedef struct Groups
{
	const SdcLikelihoodTerms *terms;
	SdcIntruderReleased *released;
	const double **person;
	int numbers; /* keys */
	int known;   /* numbers that are known without groups */
	int32 persons;
	int32 link[SDC_LIKELIHOOD_LINKS];
	int links;
	int columns;                           /* that are numbers */
	double *column[SDC_INTRUDER_RELEASED]; /* of links */
	double other[SDC_INTRUDER_RELEASED];   /* how well numbers are followed */
	int32 *group;                          /* of each person; -1: none */
	int32 *size;                           /* by group */
} Groups;

/* How well a column follows a number. */
static double
followed(const Groups *groups, const double *number, const double *column)
{
	double of_link[SDC_LIKELIHOOD_LINKS];
	const double *key = of_link;
	SdcOrder order;

	sdcpg_likelihood_take(number, groups->link, groups->links, of_link);
	return sdc_order_find(groups->terms->host, &key, 1, column, groups->links,
						  &order);
}

/* Reads the columns of links, and how well they follow numbers. */
static void
read_columns(Groups *groups)
{
	const SdcIntruderReleased *released = groups->released;
	int32 partner[SDC_LIKELIHOOD_LINKS];
	int c;
	int k;

	for (k = 0; k < groups->links; k++)
		partner[k] = groups->terms->transparency.partner[groups->link[k]];
	for (c = 0; c < released->columns; c++)
	{
		double *column;
		double *most = &groups->other[groups->columns];

		if (released->record[c] == NULL)
			continue;
		column = sdc_new(groups->terms->host, double, SDC_LIKELIHOOD_LINKS);
		sdcpg_likelihood_take(released->record[c], partner, groups->links,
							  column);
		*most = 0;
		for (k = 0; k < groups->known; k++)
			*most = fmax(*most, followed(groups,
										 released->person_learned[k] != NULL
											 ? released->person_learned[k]
											 : groups->person[k],
										 column));
		groups->column[groups->columns++] = column;
	}
}

/* The correlation of numbers of links; 0: there is none. */
static double
correlation(const Groups *groups, const double *x, const double *y)
{
	SdcHost *host = groups->terms->host;
	Size n = (Size) groups->links;
	SdcScale of_x = sdc_scale_measure(host, x, NULL, n, 1);
	SdcScale of_y = sdc_scale_measure(host, y, NULL, n, 1);
	double r;

	(void) sdc_scale_covariance(host, x, &of_x, y, &of_y, n, 1, &r);
	return isnan(r) ? 0 : r;
}

/* Does a column follow a number, or it and the one that it was made of? */
static bool
follows(const Groups *groups, int which, const double *number,
		const double *own)
{
	const double *column = groups->column[which];
	double now = followed(groups, number, column);
	double of_number[SDC_LIKELIHOOD_LINKS];
	double of_own[SDC_LIKELIHOOD_LINKS];
	double r[3];
	double explained;

	if (now >= LEAST_FOLLOWED &&
		1 - now < MOST_LEFT * (1 - groups->other[which]))
		return true;
	if (own == NULL)
		return false;
	sdcpg_likelihood_take(number, groups->link, groups->links, of_number);
	sdcpg_likelihood_take(own, groups->link, groups->links, of_own);
	r[0] = correlation(groups, column, of_own);
	r[1] = correlation(groups, column, of_number);
	r[2] = correlation(groups, of_own, of_number);
	if (!(fabs(r[2]) < 1))
		return false;
	explained = (r[0] * r[0] + r[1] * r[1] - 2 * r[0] * r[1] * r[2]) /
				(1 - r[2] * r[2]);
	return explained >= LEAST_EXPLAINED &&
		   1 - explained <
			   MOST_LEFT * (1 - fmax(r[0] * r[0], groups->other[which] *
													  groups->other[which]));
}

/* Adds a number, of which own is the one of each person or NULL, if a column
 * follows it or it is wanted anyway; gives it back otherwise. */
static bool
add_followed(Groups *groups, double *number, const double *own, bool wanted)
{
	SdcIntruderReleased *released = groups->released;
	int c;

	for (c = 0; c < groups->columns && !wanted; c++)
		wanted = follows(groups, c, number, own);
	wanted = wanted && released->known < SDC_INTRUDER_KNOWN;
	if (wanted)
		groups->person[released->known++] = number;
	else
		groups->terms->host->release(groups->terms->host, number);
	return wanted;
}

/* Puts persons of one value together. */
static void
find_groups(Groups *groups, const double *key)
{
	SdcHost *host = groups->terms->host;
	Size persons = (Size) groups->persons;
	uint64 *sorted = sdc_new(host, uint64, persons + 1);
	int32 *row = sdc_new(host, int32, persons + 1);
	int32 count = sdc_sort_numbers(host, key, groups->persons, sorted, row);
	int32 group = 0;
	int32 i;

	memset(groups->size, 0, sizeof(int32) * (persons + 1));
	for (i = 0; i < groups->persons; i++)
		groups->group[i] = -1;
	for (i = 0; i < count; i++)
	{
		group += i > 0 && sorted[i] != sorted[i - 1];
		groups->group[row[i]] = group;
		groups->size[group]++;
	}
	host->release(host, sorted);
	host->release(host, row);
}

/* Are most persons in groups, and these of a few? */
static bool
are_few(const Groups *groups)
{
	double squares = 0;
	int32 persons = 0;
	int32 alone = 0;
	int32 i;

	for (i = 0; i < groups->persons; i++)
		if (groups->group[i] >= 0)
		{
			int32 size = groups->size[groups->group[i]];

			persons++;
			alone += size == 1;
			squares += size;
		}
	return 2 * alone <= persons && squares <= (double) MOST_OF_GROUP * persons;
}

/* Adds how many they are: totals may be by head, in one way or another. */
static void
add_count(Groups *groups, bool totals)
{
	double *size =
		sdc_new(groups->terms->host, double, (Size) groups->persons + 1);
	int32 i;

	for (i = 0; i < groups->persons; i++)
		size[i] = groups->group[i] < 0 ? NAN : groups->size[groups->group[i]];
	(void) add_followed(groups, size, NULL, totals);
}

/* Adds the totals of a number, and the parts of them; values that are missing
 * count nothing.  False: no column follows them. */
static bool
add_total_and_part(Groups *groups, const double *number)
{
	SdcHost *host = groups->terms->host;
	Size bytes = sizeof(double) * ((Size) groups->persons + 1);
	double *sum = sdc_new(host, double, (Size) groups->persons + 1);
	double *total = sdc_new(host, double, (Size) groups->persons + 1);
	double *part = sdc_new(host, double, (Size) groups->persons + 1);
	bool added;
	int32 i;

	memset(sum, 0, bytes);
	for (i = 0; i < groups->persons; i++)
		if (groups->group[i] >= 0 && !isnan(number[i]))
			sum[groups->group[i]] += number[i];
	for (i = 0; i < groups->persons; i++)
	{
		total[i] = groups->group[i] < 0 ? NAN : sum[groups->group[i]];
		part[i] = total[i] == 0 ? NAN : number[i] / total[i];
	}
	host->release(host, sum);
	added = add_followed(groups, total, number, false);
	return add_followed(groups, part, number, false) || added;
}

/* A key that is no number as one, the same where the key is. */
static double *
read_codes(const Groups *groups, int told)
{
	const SdcTransparency *transparency = &groups->terms->transparency;
	const int32 *code =
		transparency->original.frame->column[transparency->told_field[told]]
			.code;
	double *number =
		sdc_new(groups->terms->host, double, (Size) groups->persons + 1);
	int32 i;

	for (i = 0; i < groups->persons; i++)
		number[i] = code[i] < 0 ? NAN : code[i];
	return number;
}

/* Adds what follows from the groups of a key; which: of numbers, or -1. */
static void
add_of_key(Groups *groups, const double *key, int which)
{
	bool totals = false;
	int k;

	find_groups(groups, key);
	if (!are_few(groups))
		return;
	if (groups->columns == 0)
		read_columns(groups);
	for (k = 0; k < groups->numbers; k++)
	{
		groups->terms->host->poll(groups->terms->host, 0, 0);
		if (k != which)
			totals |= add_total_and_part(groups, groups->person[k]);
	}
	add_count(groups, totals);
}

static bool
start_groups(Groups *groups)
{
	SdcHost *host = groups->terms->host;
	bool any = false;
	int c;

	for (c = 0; c < groups->released->columns; c++)
		any |= groups->released->record[c] != NULL;
	groups->links = sdcpg_likelihood_links(groups->terms, groups->link);
	if (!any || groups->links < SDC_LIKELIHOOD_FEW_LINKS)
		return false;
	groups->group = sdc_new(host, int32, (Size) groups->persons + 1);
	groups->size = sdc_new(host, int32, (Size) groups->persons + 1);
	return true;
}

static void
release_groups(Groups *groups)
{
	SdcHost *host = groups->terms->host;
	int c;

	for (c = 0; c < groups->columns; c++)
		host->release(host, groups->column[c]);
	host->release(host, groups->group);
	host->release(host, groups->size);
}

void
sdcpg_likelihood_add_groups(const SdcLikelihoodTerms *terms,
							SdcIntruderReleased *released,
							const double **person)
{
	const SdcTransparency *transparency = &terms->transparency;
	Groups groups = {.terms = terms,
					 .released = released,
					 .person = person,
					 .numbers = Min(transparency->known, SDC_INTRUDER_KNOWN),
					 .known = released->known,
					 .persons = transparency->original.frame->rows};
	int k;

	if (!start_groups(&groups))
		return;
	for (k = 0; k < groups.numbers; k++)
		add_of_key(&groups, person[k], k);
	for (k = 0; k < transparency->told; k++)
	{
		double *code = read_codes(&groups, k);

		add_of_key(&groups, code, -1);
		terms->host->release(terms->host, code);
	}
	release_groups(&groups);
}
