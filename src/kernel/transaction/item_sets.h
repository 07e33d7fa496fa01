/*
 * item_sets.h
 *		Sets of items, one for each customer, and who has an item; who is who
 *		by such sets, and by whatever is known of a person's events.
 */
#ifndef SDC_KERNEL_ITEM_SETS_H
#define SDC_KERNEL_ITEM_SETS_H

#include "kernel/base/host.h"
#include "kernel/linkage/link_assignment.h"

/* Set i is item[start[i]] to item[start[i + 1] - 1], ascending, each once. */
typedef struct SdcItemSets
{
	int32_t sets;
	int32_t items;  /* numbers of items are 0 .. items - 1 */
	int64_t *start; /* sets + 1 */
	int32_t *item;
} SdcItemSets;

/*
 * Makes the sets from n pairs: set[r] has item[r].  Pairs may be in any order
 * and occur more than once; a set without a pair is empty.  O(n + sets +
 * items).
 */
extern SdcItemSets sdc_item_sets_build(SdcHost *host, int64_t n,
									   const int32_t *set, const int32_t *item,
									   int32_t sets, int32_t items);

/* The inverted index: set j of the result is the sets that have item j. */
extern SdcItemSets sdc_item_sets_invert(SdcHost *host,
										const SdcItemSets *sets);

/* Gives the arrays back. */
extern void sdc_item_sets_release(SdcHost *host, SdcItemSets *sets);

/* The number of items of a set. */
static inline int32_t
sdc_item_sets_size(const SdcItemSets *sets, int32_t set)
{
	return (int32_t) (sets->start[set + 1] - sets->start[set]);
}

/*
 * Quantities of items by customer: entry r says that customer[r] bought
 * quantity[r] of item[r].  Entries are ascending by customer, then by item,
 * and each pair occurs once.
 */
typedef struct SdcItemQuantities
{
	int32_t entries;
	int32_t customers;
	int32_t items;
	const int32_t *customer;
	const int32_t *item;
	const double *quantity;
} SdcItemQuantities;

/*
 * sum |W - W'| / sum W, at most 1, over the pairs of different items; W is
 * the cosine of the quantities of two items over the customers.  Only entries
 * of at most so many pieces count, and, unless NULL, items with chosen[]; the
 * files have the same items, but customers of their own.  0 when W and W' are
 * both without any pair, 1 when only W is.
 *
 * O(sum of the squared sizes of the customers' sets); PWSCUP 2017, ItemCF.
 */
extern double sdc_item_similarity_error(SdcHost *host,
										const SdcItemQuantities *original,
										const SdcItemQuantities *masked,
										const bool *chosen, double most);

/*
 * Chooses the k items with the most customers, of equally many the first;
 * items without a customer are none.  chosen[] has a place for each item.
 * Returns how many were chosen.  O(entries + items log items).
 */
extern int32_t sdc_item_similarity_top(SdcHost *host,
									   const SdcItemQuantities *quantities,
									   int32_t k, bool *chosen);

/*
 * A search among sets.  Likeness is a quotient of whole numbers, so equally
 * like sets have the same bits, whatever the order of their items.
 */
typedef struct SdcNearestSets
{
	SdcHost *host;
	const SdcItemSets *to;
	SdcItemSets index;
	const int64_t *weight; /* of each item; NULL: 1 */
	bool containment;
	int64_t *total;    /* weight of each set */
	int32_t *seen;     /* of each set: the last search that looked at it */
	int32_t *marked;   /* of each item: the last search that has it */
	int32_t search;    /* number of the present search */
	int32_t *rarest;   /* items of the present set, the rarest first */
	uint64_t work;     /* items looked at, to poll by */
	uint64_t searches; /* for the progress line */
	/* what was found: rows ascending, all equally like */
	int32_t *row;
	int32_t rows;
	double likeness;
} SdcNearestSets;

/*
 * Weights ln(n / df) of the items in units of 2^-20, n the number of sets and
 * df that of the sets with the item; an item that none has counts as df 1.
 * Ito, Harada, Kikuchi 2020.
 */
extern int64_t *sdc_nearest_sets_weights(SdcHost *host,
										 const SdcItemSets *sets);

/*
 * Prepares a search.  Likeness of A to B is the weight of what both have,
 * divided by that of what either has (Jaccard) or, with containment, by that
 * of A.  searches is only for the progress line.  O(size of the sets).
 */
extern SdcNearestSets sdc_nearest_sets_create(SdcHost *host,
											  const SdcItemSets *to,
											  const int64_t *weight,
											  bool containment,
											  uint64_t searches);

/*
 * Finds the rows of the sets that are most like the n items, ascending and
 * each once; the items must be below to->items.  A set without weight is like
 * those without weight (likeness 1); by containment, or where there are none,
 * it is like nobody.  Who is like nobody gets all rows, with likeness 0.
 *
 * Items are taken from the rarest on; as soon as what is left of A is too
 * little for a set that was not met yet to be as like, none of the common
 * items need be looked at.
 */
extern void sdc_nearest_sets_find(SdcNearestSets *search, const int32_t *item,
								  int32_t n);

/* ----------------------------------------------------------------------
 * Who is who by what is known of a person's events, through several channels
 * at once.
 * ----------------------------------------------------------------------
 */

/*
 * What is known of each person, and what the release shows of each record,
 * through one channel: a set of marks (days, items, both together), or one
 * number (a turnover, a count).
 */
typedef struct SdcEventChannel
{
	bool is_number;
	/* sets, whose marks have the same numbers in both */
	SdcItemSets known;
	SdcItemSets shown;
	/* numbers; NaN: nothing is known, or shown */
	const double *known_number;
	const double *shown_number;
} SdcEventChannel;

/*
 * Persons and records, in parts (periods, say) beyond which nobody is looked
 * for: part[i] from 0 on, NULL where there is only one.
 */
typedef struct SdcEventFiles
{
	int32_t persons;
	int32_t records;
	int32_t parts;
	const int32_t *person_part;
	const int32_t *record_part;
	int channels;
	const SdcEventChannel *channel;
} SdcEventFiles;

/*
 * What a channel does to a person's marks: each one stays with the chance
 * keep, and one that he does not have is in his record with `extra` times the
 * chance that it has in any record.  Numbers move by middle, give or take
 * spread, in the scale of sdc_event_scale.
 */
typedef struct SdcEventLaw
{
	double keep;
	double extra;
	double middle;
	double spread;
} SdcEventLaw;

typedef struct SdcEventIntruder
{
	SdcHost *host;
	const SdcEventFiles *files;
	SdcEventLaw *law;   /* of each channel */
	SdcItemSets *index; /* of each channel of sets: who has a mark */
	double **share;     /* of the records that show a mark */
	double **weight;    /* what a shared mark adds */
	double *base;       /* of each person: what he adds without any */
	int32_t *first;     /* parts + 1: where their persons begin in member */
	int32_t *member;
	double *score; /* of each person, of the record that was scored last */
	int32_t *row;  /* the best of them, ascending */
	int32_t rows;
	double best; /* their score */
	uint64_t work;
} SdcEventIntruder;

/* Numbers are compared by the difference of their logarithms, nearly. */
extern double sdc_event_scale(double x);

/*
 * An intruder who knows nothing yet of the masking: keep is 0.9, extra 0.1,
 * and a number moves little.  O(marks).  Sums are taken in the order of marks
 * and channels, so the same files give the same bits.
 */
extern SdcEventIntruder sdc_event_intruder_create(SdcHost *host,
												  const SdcEventFiles *files);

/*
 * Learns the laws from the files alone, without any true link: links at most
 * so many records to the best persons by what is believed so far, counts what
 * became of their marks, and so on for so many rounds.  A round costs as many
 * scores as there are records to learn from.
 */
extern void sdc_event_intruder_fit(SdcEventIntruder *intruder, int rounds,
								   int32_t most);

/*
 * Scores all persons of the part of a record: the logarithm of how much
 * likelier the record is if it is the person's, up to a constant of the
 * record; and finds the best ones, with all ties.  O(persons of the part +
 * what shares a mark).
 */
extern void sdc_event_intruder_best(SdcEventIntruder *intruder,
									int32_t record);

/*
 * Links each record to one person, none twice, so that the sum of the scores
 * is greatest (see link_assignment.h).  Ties are broken by the seed.
 */
extern SdcLinkAssignment sdc_event_intruder_assign(SdcEventIntruder *intruder,
												   uint64_t seed);

#endif
