/*
 * candidates.h
 *		What an intruder concludes from each masking method.
 *
 * One line for each method that rules may name, so that no method comes
 * without its attack.  A method first asks for the fields it needs, then says
 * what each original record can have become.
 */
#ifndef SDC_PG_CANDIDATES_H
#define SDC_PG_CANDIDATES_H

#include "pg/disclosure/transparency.h"

typedef struct SdcCandidateMethod
{
	/* are the columns of a rule one part, or one part each? */
	bool together;
	/* checks the rule and asks for fields; NULL: the rule makes no part */
	void (*describe)(SdcTransparency *transparency, SdcTransparencyPart *part);
	/* fills set, exact and weight of the part */
	void (*find)(SdcTransparency *transparency, SdcTransparencyPart *part);
} SdcCandidateMethod;

/* By SdcMaskKind. */
extern const SdcCandidateMethod sdcpg_candidates[SDC_MASK_KINDS];

/* The masked value is a function of the original one (candidates_image.c). */
extern void sdcpg_candidates_keep(SdcTransparency *transparency,
								  SdcTransparencyPart *part);
extern void sdcpg_candidates_coded(SdcTransparency *transparency,
								   SdcTransparencyPart *part);
extern void sdcpg_candidates_rounded(SdcTransparency *transparency,
									 SdcTransparencyPart *part);
extern void sdcpg_candidates_generalized(SdcTransparency *transparency,
										 SdcTransparencyPart *part);
extern void sdcpg_candidates_text(SdcTransparency *transparency,
								  SdcTransparencyPart *part);
extern void sdcpg_candidates_inet(SdcTransparency *transparency,
								  SdcTransparencyPart *part);
extern void sdcpg_candidates_image(SdcTransparency *transparency,
								   SdcTransparencyPart *part);

/* It tells nothing: every record is a candidate. */
extern void sdcpg_candidates_nothing(SdcTransparency *transparency,
									 SdcTransparencyPart *part);
extern void sdcpg_candidates_everybody(SdcTransparency *transparency,
									   SdcTransparencyPart *part);

/* Values move inside their stratum (candidates_rank.c). */
extern void sdcpg_candidates_moved(SdcTransparency *transparency,
								   SdcTransparencyPart *part);
extern void sdcpg_candidates_swap(SdcTransparency *transparency,
								  SdcTransparencyPart *part);
extern void sdcpg_candidates_shuffle(SdcTransparency *transparency,
									 SdcTransparencyPart *part);
extern void sdcpg_candidates_pram(SdcTransparency *transparency,
								  SdcTransparencyPart *part);

/* Numbers are averaged or disturbed (candidates_number.c, _group.c). */
extern void sdcpg_candidates_numbers(SdcTransparency *transparency,
									 SdcTransparencyPart *part);
extern void sdcpg_candidates_noise(SdcTransparency *transparency,
								   SdcTransparencyPart *part);
extern void sdcpg_candidates_centroid(SdcTransparency *transparency,
									  SdcTransparencyPart *part);
extern void sdcpg_candidates_group(SdcTransparency *transparency,
								   SdcTransparencyPart *part,
								   const uint32 *original,
								   const uint32 *masked);

/* Pieces that several methods use (candidates.c). */

/* The type of a column below any domains, as SQL, with its length. */
extern char *sdcpg_candidates_type(const SdcRelation *relation,
								   const SdcRelationColumn *column);

/* r.column, cast to the type of a column of another relation if it differs. */
extern char *sdcpg_candidates_cast(const SdcRelationColumn *column,
								   const char *sql,
								   const SdcRelation *relation,
								   const SdcRelationColumn *as);

/* Asks for the strata of a rule. */
extern void sdcpg_candidates_strata(SdcTransparency *transparency,
									SdcTransparencyPart *part);

/* Every masked record for every original one. */
extern void sdcpg_candidates_whole(SdcTransparency *transparency,
								   SdcTransparencyPart *part);

/* p of a rule, or params.p_bound in its place. */
extern double sdcpg_candidates_p(const SdcTransparency *transparency,
								 const SdcTransparencyPart *part);

/* How far rounding to the type of a masked column moves a number. */
extern double sdcpg_candidates_slack(const SdcTransparency *transparency,
									 const SdcRelationColumn *masked,
									 double value);

/* The numbers of a column with NaN for a NULL. */
extern double *sdcpg_candidates_with_nan(SdcHost *host,
										 const SdcFrameColumn *column,
										 int32 rows);

#endif
