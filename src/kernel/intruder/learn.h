/*
 * learn.h
 *		What equal treatment gives away: shifts and names.
 *
 * A mask that moves all values of a group by the same whole number of units
 * leaves what lies between them.  Who knows several values of a group compares
 * them with the records of the group: the shift that brings most of them onto
 * records is the right one.
 *
 * A mask that gives equal values equal names, such as a pseudonym, hides what
 * a value is, and leaves how often it occurs and beside what.  Who knows both
 * files compares that: values and names of the same kind belong together.
 */
#ifndef SDC_KERNEL_LEARN_H
#define SDC_KERNEL_LEARN_H

#include "kernel/base/host.h"

/* ---------------------------------------------------------------------------
 * Shifts.
 */

/* A value: what moves, in units, and what stays as it is with its group. */
typedef struct SdcShiftValue
{
	uint32_t group; /* the same in both files */
	uint32_t rest;  /* moved values have the same, as a part of a day */
	int64_t unit;
} SdcShiftValue;

/* The shifts that a group can have. */
typedef struct SdcShiftRange
{
	int32_t low;
	int32_t high;
} SdcShiftRange;

/*
 * range[i]: the shifts, between -reach and reach, that are as likely as a
 * thousandth of the likeliest one of the group of person i, from the least to
 * the greatest of them; all of them where the group has no record.  inside
 * is the chance that a person is among the records, error that his value is
 * not what he is taken to have.  Persons of a group beyond 256 are not asked.
 * O(n log n + 256 records).
 *
 * The weight of a shift is the product over the persons of (1 - e) times the
 * density of records where it brings him, beside that of any place within
 * reach, plus e: e is the chance that he has no record there.
 */
extern void sdc_shift_learn(SdcHost *host, const SdcShiftValue *person,
							int32_t persons, const SdcShiftValue *record,
							int32_t records, int32_t reach, double inside,
							double error, SdcShiftRange *range);

/* ---------------------------------------------------------------------------
 * Names.
 */

/* A missing value, which stays missing. */
#define SDC_NAME_MISSING (-1)

/*
 * A column of names: codes of the values of the persons and of the names of
 * the records, each numbered 0 .. codes - 1 in its own way; columns of one
 * space number the same values of a file alike.  Learned: home, the first
 * column that has the same names for the same values; kinds of values and
 * names, 0 .. kinds - 1, the same for a value and its name; -1 where there is
 * none of that kind in the other file, or not as often.  share: of the rows
 * that have a kind; kinds 0: too few have one.
 */
typedef struct SdcNames
{
	const int32_t *person;
	const int32_t *record;
	int32_t codes[2];
	int space;
	int home;
	int32_t kinds;
	int32_t *person_kind;
	int32_t *record_kind;
	double share;
} SdcNames;

/*
 * Learns the kinds of several columns of names: first by how often a value
 * occurs, then by the rows that it occurs in: what is beside it in the columns
 * that are as they were (a digest of each row in person_row and record_row,
 * the same in both files) and in the other columns of names, as far as they
 * are known by then (as the colours of a graph are refined; Weisfeiler and
 * Leman 1968).  A value has the rows of all columns that have the same names,
 * as who is one's boss has those who work for him.  O(n log n) for two columns
 * and a round.
 */
extern void sdc_names_learn(SdcHost *host, SdcNames *names, int columns,
							const uint64_t *person_row, int32_t persons,
							const uint64_t *record_row, int32_t records);

/* A record that may be a person's, and how likely it is. */
typedef struct SdcNamesLink
{
	int32_t person;
	int32_t record;
	float chance;
} SdcNamesLink;

/*
 * Learns names from links: of persons who share a value those who are likely
 * linked vote for its name.  links are ordered by person, with chances above
 * 0.  Sets for each column and person, name[c][i]: the code of the name that
 * the links of others say, -1 where they say none; sure[c][i]: by how much its
 * log-likelihood is above that of any other name of the value, and of the name
 * for any other value.  A person's own links are left out, or else they would
 * confirm themselves.  names[].home must be known from sdc_names_learn.
 * O(links log links) and 16 names a person, for each column.  The log-
 * likelihood is the ratio of Dunning (1993), of votes against those that
 * values and names without a relation would share.
 */
extern void sdc_names_vote(SdcHost *host, const SdcNames *names, int columns,
						   const SdcNamesLink *link, int32_t links,
						   int32_t persons, int32_t *const *name,
						   float *const *sure);

/*
 * Persons whose value in column c others have, too, in it or in one with the
 * same names, and has no kind to itself: whose name links may tell.  O(n) a
 * column.
 */
extern int32_t sdc_names_open(SdcHost *host, const SdcNames *names,
							  int columns, int c, int32_t persons);

#endif
