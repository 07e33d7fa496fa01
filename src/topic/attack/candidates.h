/*
 * candidates.h
 *		What an intruder concludes from each masking method.
 *
 * A row of masks.c names two of these functions: a method first asks for the
 * fields it needs, then says what each original record can have become.
 */
#ifndef SDC_TOPIC_CANDIDATES_H
#define SDC_TOPIC_CANDIDATES_H

#include "host/call/relation.h"
#include "topic/attack/transparency.h"
#include "topic/mask/pram.h"

/*
 * What is described: each checks the rule of a part and asks for the fields
 * that its partner below reads.  _keep asks for the column itself; _coded,
 * _rounded and _inet for the image of the value, or for the two neighbours it
 * can be rounded to; _generalized and _text for images that are texts;
 * _numbers for columns that are averaged or disturbed; _moved for values that
 * move inside their stratum; _turned for categories, as texts, and strata;
 * _places for the levels of a place, and how many of them a person stands out
 * on, where all that counts for it is known; _nothing for nothing, as every
 * record is a candidate.
 */
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
extern void sdcpg_candidates_numbers(SdcTransparency *transparency,
									 SdcTransparencyPart *part);
extern void sdcpg_candidates_moved(SdcTransparency *transparency,
								   SdcTransparencyPart *part);
extern void sdcpg_candidates_turned(SdcTransparency *transparency,
									SdcTransparencyPart *part);
extern void sdcpg_candidates_places(SdcTransparency *transparency,
									SdcTransparencyPart *part);
extern void sdcpg_candidates_nothing(SdcTransparency *transparency,
									 SdcTransparencyPart *part);

/*
 * The two numbers of a point: first the one that the part is about, which is
 * x at level 0 and y at level 1, then the other.
 */
extern void sdcpg_candidates_located(SdcTransparency *transparency,
									 SdcTransparencyPart *part);

/* The same for shifted values: numbers, and which of them are equal. */
extern void sdcpg_candidates_shifted(SdcTransparency *transparency,
									 SdcTransparencyPart *part);

/* Pseudonyms tell nothing, but some formats keep the form of the value. */
extern void sdcpg_candidates_pseudonymous(SdcTransparency *transparency,
										  SdcTransparencyPart *part);

/* Fakes tell nothing, but those of kind text how long the value was. */
extern void sdcpg_candidates_faked(SdcTransparency *transparency,
								   SdcTransparencyPart *part);

/*
 * The labels of a column on the level of its part.  The part of level 0, which
 * is the first, has those of all levels in its value, one pair of fields each,
 * and a pair of -1 behind them.
 */
extern void sdcpg_candidates_levels(SdcTransparency *transparency,
									SdcTransparencyPart *part);

/*
 * The highest level that a column can be brought to by the rule of a part;
 * without a hierarchy it is 1, on which every value is "*".
 */
extern int sdcpg_candidates_height(const SdcTransparencyPart *part);

/*
 * SQL of the image of a column of the alias r by the method of a rule, see
 * SdcMaskCandidates; _inet and _rounded stop at types that they cannot mask.
 */
extern char *sdcpg_image_coded(const SdcRule *rule,
							   const SdcRelation *original,
							   const SdcRelationColumn *column);
extern char *sdcpg_image_rounded(const SdcRule *rule,
								 const SdcRelation *original,
								 const SdcRelationColumn *column);
extern char *sdcpg_image_generalized(const SdcRule *rule,
									 const SdcRelation *original,
									 const SdcRelationColumn *column);
extern char *sdcpg_image_text(const SdcRule *rule, const SdcRelation *original,
							  const SdcRelationColumn *column);
extern char *sdcpg_image_inet(const SdcRule *rule, const SdcRelation *original,
							  const SdcRelationColumn *column);

/*
 * What is found: each fills set, exact and weight of a part from the fields
 * that were read.  The candidates of an original record are those masked ones
 * that have its image (_image), or NULL in its place (_image_or_null), or that
 * noise, also for outliers only, a shift, a centroid, a swap, a shuffle or
 * PRAM, the last also by a matrix (_turn), can bring it to; _level takes one
 * level of a hierarchy; _pseudonyms and _fakes take the records that keep the
 * form or the length, where the rule keeps it, and else, as _everybody does,
 * all of them.
 */
extern void sdcpg_candidates_image(SdcTransparency *transparency,
								   SdcTransparencyPart *part);
extern void sdcpg_candidates_image_or_null(SdcTransparency *transparency,
										   SdcTransparencyPart *part);
extern void sdcpg_candidates_noise(SdcTransparency *transparency,
								   SdcTransparencyPart *part);
extern void sdcpg_candidates_outliers(SdcTransparency *transparency,
									  SdcTransparencyPart *part);
extern void sdcpg_candidates_pseudonyms(SdcTransparency *transparency,
										SdcTransparencyPart *part);
extern void sdcpg_candidates_fakes(SdcTransparency *transparency,
								   SdcTransparencyPart *part);
extern void sdcpg_candidates_shift(SdcTransparency *transparency,
								   SdcTransparencyPart *part);
extern void sdcpg_candidates_centroid(SdcTransparency *transparency,
									  SdcTransparencyPart *part);
extern void sdcpg_candidates_swap(SdcTransparency *transparency,
								  SdcTransparencyPart *part);
extern void sdcpg_candidates_shuffle(SdcTransparency *transparency,
									 SdcTransparencyPart *part);
extern void sdcpg_candidates_pram(SdcTransparency *transparency,
								  SdcTransparencyPart *part);
extern void sdcpg_candidates_turn(SdcTransparency *transparency,
								  SdcTransparencyPart *part);
extern void sdcpg_candidates_level(SdcTransparency *transparency,
								   SdcTransparencyPart *part);
extern void sdcpg_candidates_everybody(SdcTransparency *transparency,
									   SdcTransparencyPart *part);

/* The records with an x, or a y, that the outer radius of a ring reaches. */
extern void sdcpg_candidates_ring(SdcTransparency *transparency,
								  SdcTransparencyPart *part);

/*
 * Asks for the image of the column of a part, SQL over the alias r of the
 * original, NULL for the column itself, and for the masked column; _image then
 * finds the records that have it.
 */
extern void sdcpg_candidates_ask(SdcTransparency *transparency,
								 SdcTransparencyPart *part, const char *image);

/* The same for images that are text, whatever the masked column is. */
extern void sdcpg_candidates_ask_text(SdcTransparency *transparency,
									  SdcTransparencyPart *part, char *image);

/* Asks for the strata of a rule. */
extern void sdcpg_candidates_ask_strata(SdcTransparency *transparency,
										SdcTransparencyPart *part);

/*
 * A column, or what is made of it with a base type, cast to the type of a
 * column of another relation if it differs.
 */
extern char *sdcpg_candidates_cast(const SdcRelationColumn *column,
								   const char *sql, Oid base,
								   const SdcRelation *relation,
								   const SdcRelationColumn *as);

/*
 * Finds the candidates of a part of several columns by grouping the original
 * anew, as the mask did, stratum by stratum; original[] and masked[] are the
 * strata of the rows of both files.
 */
extern void sdcpg_candidates_group(SdcTransparency *transparency,
								   SdcTransparencyPart *part,
								   const uint32 *original,
								   const uint32 *masked);

/*
 * How far each row of a file is beyond the limit of outliers in its stratum,
 * which the masked file shows as the original has it; strata are those of the
 * rows of both files, masked NULL where they are not shown.  NaN: missing.
 */
extern double *sdcpg_candidates_beyond(SdcTransparency *transparency,
									   const SdcTransparencyPart *part,
									   const uint32 *original,
									   const uint32 *masked,
									   const SdcTransparencyFile *file);

/* Every masked record for every original one. */
extern void sdcpg_candidates_whole(SdcTransparency *transparency,
								   SdcTransparencyPart *part);

/*
 * The category of the matrix of a part's rule that each code of a pair of
 * fields is, -1 where the matrix has no row for it.
 */
extern int32 *sdcpg_candidates_categories(const SdcTransparency *transparency,
										  const SdcTransparencyPart *part,
										  const SdcPramMatrix *matrix);

/* How far rounding to the type of a masked column moves a number. */
extern double sdcpg_candidates_slack(const SdcTransparency *transparency,
									 const SdcRelationColumn *masked,
									 double value);

#endif
