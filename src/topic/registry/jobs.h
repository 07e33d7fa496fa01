/*
 * jobs.h
 *		What sdc is used for: the functions of each job, and who does it.
 *
 * help, grant_to, doc/reference.md and doc/glossary.md loop over these rows.
 * Every function that users call is in one job; a new one is a new name in
 * jobs.c.
 */
#ifndef SDC_TOPIC_JOBS_H
#define SDC_TOPIC_JOBS_H

/* A job, and the functions that it is done with. */
typedef struct SdcJob
{
	const char *name;
	/* what it is for, in one sentence */
	const char *sentence;
	/* the names of its functions, the most used first; ends with NULL */
	const char *const *functions;
	/* statements that can be run as they stand */
	const char *example;
} SdcJob;

/* Somebody with a job, and the rights that not everyone has. */
typedef struct SdcPerson
{
	const char *name;
	const char *sentence;
	/* functions that he may call; ends with NULL */
	const char *const *functions;
	/* relations of sdc that he may read; ends with NULL */
	const char *const *relations;
} SdcPerson;

/* A word of the field, or of its literature, and what it means here. */
typedef struct SdcTerm
{
	const char *name;
	const char *sentence;
} SdcTerm;

/* The lists; each ends with a row without a name. */
extern const SdcJob sdcpg_jobs[];
extern const SdcPerson sdcpg_persons[];
extern const SdcTerm sdcpg_terms[]; /* in alphabetical order */

#endif
