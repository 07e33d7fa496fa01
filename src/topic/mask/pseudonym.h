/*
 * pseudonym.h
 *		Random numbers of records, from the key of a domain of pseudonyms.
 */
#ifndef SDC_TOPIC_PSEUDONYM_H
#define SDC_TOPIC_PSEUDONYM_H

#include "postgres.h"

typedef struct SdcPseudonymDomain SdcPseudonymDomain;

/*
 * The domain, for numbers of records; its key is made when there is none yet.
 * Stops unless the caller may execute sdc.pseudonym: who can ask for the
 * numbers of his own list of records can undo what is made of them.
 */
extern SdcPseudonymDomain *sdcpg_record_domain(const char *domain);

/*
 * 64 bits for a record, equal for equal ids: a keyed hash of its own, that no
 * pseudonym of the domain tells.
 */
extern uint64 sdcpg_record_key(SdcPseudonymDomain *domain, const char *id);

/*
 * Has all servers have the key of a domain, for masks that they run.  The
 * owner of sdc makes one that is missing; for others it stops, as workers talk
 * to them in transactions that do not see what the owner writes in this one.
 */
extern void sdcpg_pseudonym_spread(const char *domain);

#endif
