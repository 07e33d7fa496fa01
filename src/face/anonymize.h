/*
 * anonymize.h
 *		What sdc.anonymize and sdc.apply_strategy have in common.
 */
#ifndef SDC_FACE_ANONYMIZE_H
#define SDC_FACE_ANONYMIZE_H

#include "postgres.h"

#include "nodes/execnodes.h"

#include "pg/generalization/generalization_write.h"

/* The keys of params of both; the array ends with NULL. */
extern const char *const sdcf_anonymize_params[];

/* A call: what it reads, what it writes and what it reports. */
typedef struct Anonymizing
{
	ReturnSetInfo *result;
	SdcGeneralization *problem;
	SdcGeneralizationRelease release;
	SdcLatticeResult search;
	List *undeclared; /* columns that nobody has said what they are */
} Anonymizing;

/* A text argument that must be given. */
extern char *sdcf_anonymize_text(FunctionCallInfo fcinfo, int argument,
								 const char *name);

/* Reads what is written how: params.outliers and drop, the roles declared. */
extern void sdcf_anonymize_begin(Anonymizing *anonymizing,
								 const SdcTarget *target);

/* Writes and verifies the node that search.best holds, and reports it. */
extern void sdcf_anonymize_finish(Anonymizing *anonymizing);

/* A line of the report; the detail is a sentence. */
extern void sdcf_anonymize_put(const Anonymizing *anonymizing,
							   const char *measure, const char *subject,
							   double value, const char *detail);

#endif
