/*
 * uniqueness.h
 *		The parts that sdc.uniqueness is made of.
 */
#ifndef SDC_FACE_UNIQUENESS_H
#define SDC_FACE_UNIQUENESS_H

#include "postgres.h"

#include "utils/jsonb.h"

#include "kernel/risk/superpopulation.h"
#include "pg/data/frequency.h"
#include "pg/call/report.h"

typedef enum UniquenessMethod
{
	METHOD_POPULATION,
	METHOD_DIS,
	METHOD_POISSON,
	METHOD_PITMAN,
	METHOD_ZAYATZ,
	METHOD_SNB,
	METHOD_BENEDETTI,
	METHOD_DANKAR
} UniquenessMethod;

/* An estimate being made. */
typedef struct Uniqueness
{
	SdcPgHost *host;
	SdcReport *report;
	Jsonb *params;
	SdcRelation *relation;
	SdcRelation *external; /* or NULL */
	SdcRelationColumns keys;
	SdcRelationColumn *weight; /* or NULL */
	UniquenessMethod method;
	bool wildcard;
	double given_population; /* params; NAN: not given */
	double given_fraction;
	char *subject; /* names of the keys */
	/* what was counted, by the keys alone: the sample, then external */
	SdcFrequencyTable table[2];
	SdcSuperpopulation sample;
} Uniqueness;

/* The measures of one method, from the cells of the key table. */
extern void sdcf_uniqueness_population(Uniqueness *u);
extern void sdcf_uniqueness_poisson(Uniqueness *u);
extern void sdcf_uniqueness_benedetti(Uniqueness *u);

/* The same from the sizes of the classes: DIS, or a superpopulation. */
extern void sdcf_uniqueness_dis(Uniqueness *u);
extern void sdcf_uniqueness_superpopulation(Uniqueness *u);

/*
 * Puts P(PU|SU) and tau1 of a sample with so many uniques, of which tau1 are
 * expected to be unique in the population.
 */
extern void sdcf_uniqueness_put_risk(Uniqueness *u, int64 uniques,
									 double tau1);

#endif
