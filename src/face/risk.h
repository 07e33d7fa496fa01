/*
 * risk.h
 *		The parts that sdc.risk_report is made of.
 */
#ifndef SDC_FACE_RISK_H
#define SDC_FACE_RISK_H

#include "postgres.h"

#include "utils/jsonb.h"

#include "kernel/risk/risk.h"
#include "kernel/table/wildcard.h"
#include "pg/data/frequency.h"
#include "pg/call/report.h"

typedef enum NullPolicy
{
	NULLS_CATEGORY, /* one more value */
	NULLS_WILDCARD, /* of a key: equal to everything */
	NULLS_IGNORE    /* of a sensitive column: not counted */
} NullPolicy;

/* A report being made. */
typedef struct RiskReport
{
	SdcPgHost *host;
	SdcReport *report;
	Jsonb *params;
	SdcRelation *relation;
	SdcRelationColumns keys;
	SdcRelationColumns sensitive;
	SdcRelationColumn *weight; /* or NULL */
	NullPolicy nulls;
	double threshold;
	double sampling_fraction; /* NAN: not known */
	SdcRelation *population;  /* a register, or NULL */
	/* what was counted: the relation, then the register */
	SdcFrequencyTable table[2];
	SdcClasses *classes; /* of the keys */
	SdcAlike alike;
	char *subject; /* names of the keys */
} RiskReport;

static inline const char *
sdcf_risk_plural(int64 count, const char *one, const char *many)
{
	return count == 1 ? one : many;
}

/* The NULL policy that params chooses. */
extern NullPolicy sdcf_risk_nulls(Jsonb *params);

/* The relation that a key of params names, or NULL. */
extern SdcRelation *sdcf_risk_relation(Jsonb *params, const char *key);

/*
 * Counts the relation, and the register if there is one, and finds classes and
 * records that look alike; id and household may be NULL.
 */
extern void sdcf_risk_count(RiskReport *risk, const SdcRelationColumn *id,
							const SdcRelationColumn *household);

/* The frequency table of the keys and one of the sensitive columns. */
extern SdcFrequency *sdcf_risk_reduce(const RiskReport *risk, int sensitive);

/*
 * The classes of such a table or, when NULLs match everything, the sets of
 * records that look like those of each class: *frequency then becomes a table
 * of these, made anew.  The size of a class is that of the class itself.
 */
extern SdcClasses *sdcf_risk_look_alike(const RiskReport *risk,
										SdcFrequency **frequency);

/* How many records look alike, and how likely one is found in the file. */
extern void sdcf_risk_classes(RiskReport *risk);

/* The same in the population: from weights or a sampling fraction. */
extern void sdcf_risk_population(RiskReport *risk);

/* The same in the population: from a register of it. */
extern void sdcf_risk_register(RiskReport *risk);

/* What the classes give away of each sensitive column. */
extern void sdcf_risk_sensitive(RiskReport *risk);

#endif
