/*
 * known.h
 *		What an intruder compares who knows how the relation was masked, and
 *		what of other columns may go with it.
 */
#ifndef SDC_TOPIC_KNOWN_H
#define SDC_TOPIC_KNOWN_H

#include "postgres.h"

#include "utils/jsonb.h"

#include "host/call/query.h"
#include "host/call/relation.h"
#include "host/server/host.h"

/* What of a key may go with a column. */
typedef enum SdcAspect
{
	SDC_ASPECT_CATEGORY,
	SDC_ASPECT_FIRST_NUMBER, /* "b57" */
	SDC_ASPECT_MONTH,        /* of dates, which their order does not tell */
	SDC_ASPECT_DAY,
	SDC_ASPECT_WEEKDAY,
	SDC_ASPECT_INITIAL /* of texts */
} SdcAspect;

/* An aspect of a column as SQL over r; NULL: it has no such part. */
extern char *sdcpg_known_aspect(const SdcRelationColumn *column,
								SdcAspect aspect);

/* What of a column may go with a key: a number, or a category. */
typedef struct SdcShown
{
	const char *column; /* its name, the same pointer for all of a column */
	const char *name;   /* the same, or with the place in a document */
	char *sql;          /* over r */
	bool is_code;
	bool tried; /* was it tried in vain whether it is computed from keys? */
} SdcShown;

/*
 * All that columns of a relation show (SdcShown *): numbers as they are, and
 * how they go on from row to row by others of those that are published (NIL:
 * all), then the texts of others, long ones also as digests, then numbers as
 * categories, then the numbers in texts, two, or up to 32 that no letter
 * touches, or what is at up to 256 places of a JSON document.  How many
 * numbers and which places there are is seen in a thousand rows, drawn by a
 * digest of the id.
 */
extern List *sdcpg_known_shown(SdcPgHost *host, const SdcRelation *relation,
							   const SdcRelationColumn *id,
							   const SdcRelationColumn *column, int columns,
							   List *published);

/* So many rows, with the alias r, that are drawn by a digest of their ids. */
static inline char *
sdcpg_known_drawn(const SdcRelationColumn *id, int rows)
{
	return psprintf("ORDER BY pg_catalog.md5(%s) COLLATE pg_catalog.\"C\" "
					"LIMIT %d",
					sdcpg_query_cast(id, "text"), rows);
}

/*
 * Reads the original as the deterministic rules make it: nobody compares what
 * he can convert.  Returns a relation whose sql is a query of the id (NULL:
 * none) and the keys, in which a key is what its rule makes of it where that
 * is one value, and the key itself otherwise; the types of the keys become
 * those of the images.  blank[j], unless NULL, is set where the rule leaves
 * nothing of key j, so that the masked column says nothing.  With rules of
 * NULL the relation itself is returned.  Rules are about columns of the
 * original; wrong ones stop with an error.
 */
extern const SdcRelation *sdcpg_known_original(const SdcRelation *original,
											   const SdcRelationColumn *id,
											   SdcRelationColumns *keys,
											   Jsonb *rules, bool *blank);

/*
 * The rules that params name under "rules", or else those of the case; NULL
 * for none.
 */
extern Jsonb *sdcpg_known_rules(Jsonb *params, Jsonb *otherwise);

#endif
