/*
 * evidence.h
 *		What is known of a masked table: attacks run, reports made.
 *
 * Everything is found through the SQL functions of sdc, as anyone could call
 * them, with the rights of the caller.  Nothing is found twice.
 */
#ifndef SDC_PG_EVIDENCE_H
#define SDC_PG_EVIDENCE_H

#include "postgres.h"

#include "lib/stringinfo.h"
#include "nodes/pg_list.h"

#include "pg/release/gate.h"

/* As many as sdcpg_gate_stats lists. */
#define SDC_EVIDENCE_STATS 5

/* The success of an attack. */
typedef struct SdcEvidenceAttack
{
	const char *name;
	char *method; /* NULL: its usual one */
	Jsonb *params;
	char *excuse; /* why it cannot be run, as a sentence; else NULL */
	double records;
	double stat[SDC_EVIDENCE_STATS]; /* NaN: has no value */
} SdcEvidenceAttack;

/* A line of a report. */
typedef struct SdcEvidenceLine
{
	char *measure;
	char *subject;
	double value; /* NaN: has no value */
	char *detail;
} SdcEvidenceLine;

/* A report, in its order. */
typedef struct SdcEvidenceReport
{
	SdcGateKind kind;
	char *word; /* the one line asked for; NULL: the usual ones */
	Jsonb *params;
	bool original; /* of the original instead of the masked table */
	int count;
	SdcEvidenceLine *line;
} SdcEvidenceReport;

typedef struct SdcEvidence
{
	const SdcGateCase *of;
	List *attacks; /* SdcEvidenceAttack, in the order they were run */
	List *reports; /* SdcEvidenceReport */
} SdcEvidence;

extern SdcEvidence *sdcpg_evidence_begin(const SdcGateCase *of);

/* Runs an attack unless it has been run; its name is one of the list. */
extern const SdcEvidenceAttack *sdcpg_evidence_attack(SdcEvidence *evidence,
													  const char *name,
													  const char *method,
													  Jsonb *params);

/* Is the attack one of those that the case is about? */
extern bool sdcpg_evidence_applies(const SdcEvidence *evidence,
								   const char *name);

/* Stops unless the schema sdc has a function of that name. */
extern void sdcpg_evidence_need_function(const char *name);

/* Makes a report unless it has been made; see SdcEvidenceReport. */
extern const SdcEvidenceReport *
sdcpg_evidence_report(SdcEvidence *evidence, SdcGateKind kind,
					  const char *word, Jsonb *params, bool original);

/*
 * A sentence of a report without the values of the data that it may end with
 * ("; worst: ..."), for logs and for the history, which outlive the data; NULL
 * for NULL.
 */
extern char *sdcpg_evidence_sentence(const char *detail);

#endif
