/*
 * transparency_read.h
 *		The two files of an attack that knows the rules, as they are read.
 */
#ifndef SDC_PG_TRANSPARENCY_READ_H
#define SDC_PG_TRANSPARENCY_READ_H

#include "pg/disclosure/transparency.h"

/* Starts a file with its id. */
extern void sdcpg_transparency_file(SdcTransparencyFile *file, Oid oid,
									const char *id);

/*
 * Reads both files, turns codes into ranks, and finds the partner of each
 * original row.
 */
extern void sdcpg_transparency_read(SdcTransparency *transparency);

/*
 * The strata of a part, numbered over both files; *masked is NULL, and every
 * masked record can be of any stratum, when that file does not show them.
 */
extern void sdcpg_transparency_strata(SdcTransparency *transparency,
									  SdcTransparencyPart *part,
									  uint32 **original, uint32 **masked);

/* The codes of a field as they make keys; a NULL is SDC_CANDIDATE_MISSING. */
static inline const uint32 *
sdcpg_transparency_codes(const SdcTransparencyFile *file, int field)
{
	return (const uint32 *) file->frame->column[field].code;
}

#endif
