/*
 * alternatives.h
 *		What a release gives away to somebody who knows that its method would
 *		have preferred another one, had that satisfied the models.
 *
 * The intruder knows the keys of everybody and the classes of the release with
 * the sensitive values in each.  He does not know who of a class has which
 * value.  But a method that loses as little as it can has passed over what
 * loses less, so in each of those alternatives some group of records fails the
 * models.  Arrangements of the values under which one does not are ruled out.
 */
#ifndef SDC_KERNEL_ALTERNATIVES_H
#define SDC_KERNEL_ALTERNATIVES_H

#include "kernel/base/host.h"

/* Alternatives with groups in several parts of the release, at the most. */
#define SDC_ALTERNATIVES_SPANNING 10

/* Arrangements of a part that are all tried; more are drawn. */
#define SDC_ALTERNATIVES_EXACT 20000

/* Lists of numbers: list i is item[first[i]] .. item[first[i + 1] - 1]. */
typedef struct SdcLists
{
	int32_t lists;
	int32_t *first;
	int32_t *item;
} SdcLists;

/* A release, and what was passed over for it. */
typedef struct SdcAlternatives
{
	/*
	 * Units: records of one class with the same keys, in the order of their
	 * classes; nobody can tell them apart.
	 */
	int32_t units;
	const int32_t *size;     /* records of each, at least 1 */
	const int32_t *class_of; /* ascending from 0 */
	int32_t classes;
	/* the values in each class, ascending, one for each record */
	SdcLists values;
	int32_t kinds;        /* values are 0 .. kinds - 1 */
	SdcLists group;       /* the units of each group, at least one */
	SdcLists alternative; /* its groups, which share no unit */
	/* Would so many records with these values satisfy the models? */
	bool (*passes)(void *argument, const int32_t *value, int32_t records);
	void *argument;
	double work; /* values to be looked at in draws, about; see below */
} SdcAlternatives;

/* What the intruder believes. */
typedef struct SdcAlternativesBelief
{
	/*
	 * belief[offset[unit] + i] of the i-th different value of its class, in
	 * ascending order, up to offset[unit + 1]; NAN where it is not known.
	 */
	size_t *offset;
	double *belief;
	bool *exact;     /* by unit: counted, not drawn */
	int32_t drawn;   /* units whose arrangements were drawn */
	int32_t unknown; /* units of which nothing is known: too few draws */
	int32_t spared;  /* spanning alternatives that were not looked at */
	bool possible;   /* is there an arrangement that rules nothing out */
} SdcAlternativesBelief;

/*
 * Fills *result.  Before, all arrangements of the values of each class are as
 * likely; those stay under which every alternative has a group that does not
 * pass.  The classes that groups join are a part of the release; parts are
 * independent but for alternatives that have groups in several of them.  Of
 * these the first SDC_ALTERNATIVES_SPANNING are looked at, fewer where there
 * are very many parts, so that what is believed may be less than could be.
 *
 * Exact, to rounding, for parts with at most SDC_ALTERNATIVES_EXACT
 * arrangements.  Of others arrangements are drawn, the same whenever the same
 * is asked, as many as the work allows, 1,000 to 100,000 in a part; with fewer
 * than 100 that are possible, nothing is known.  The error of a belief b is
 * about sqrt(b (1 - b) / possible draws).
 *
 * Source: the attack in general is that of Wong, Fu, Wang and Pei, Minimality
 * attack in privacy preserving data publishing, VLDB 2007; the parts, and the
 * draws, are ours.
 */
extern void sdc_alternatives_solve(SdcHost *host,
								   const SdcAlternatives *alternatives,
								   SdcAlternativesBelief *result);

/* Frees what *result holds. */
extern void sdc_alternatives_release(SdcHost *host,
									 SdcAlternativesBelief *result);

#endif
