/*
 * pseudonym.c
 *		sdc.pseudonym: the same name for the same person, and nobody's name.
 *
 * The key of the domain is looked up once in a statement; the arguments domain
 * and period seldom change from row to row.
 */
#include "postgres.h"

#include "utils/builtins.h"
#include "utils/memutils.h"

#include "pg/call/args.h"
#include "pg/mask/pseudonym.h"
#include "pg/server/compat.h"

PG_FUNCTION_INFO_V1(sdcf_pseudonym);
PG_FUNCTION_INFO_V1(sdcf_forget_pseudonyms);

/* The domain that the last row used. */
typedef struct LastDomain
{
	char *name;
	char *period;
	SdcPseudonymDomain *domain;
	MemoryContext context;
} LastDomain;

static bool
is_same(const char *a, const char *b)
{
	return a == NULL || b == NULL ? a == b : strcmp(a, b) == 0;
}

static SdcPseudonymDomain *
find_domain(FmgrInfo *flinfo, const char *name, const char *period)
{
	LastDomain *last = flinfo->fn_extra;
	MemoryContext caller;

	if (last == NULL)
	{
		last = MemoryContextAllocZero(flinfo->fn_mcxt, sizeof(LastDomain));
		last->context = AllocSetContextCreate(flinfo->fn_mcxt, "sdc pseudonym",
											  ALLOCSET_SMALL_SIZES);
		flinfo->fn_extra = last;
	}
	if (last->domain != NULL && is_same(last->name, name) &&
		is_same(last->period, period))
		return last->domain;
	last->domain = NULL;
	MemoryContextReset(last->context);
	caller = MemoryContextSwitchTo(last->context);
	last->name = pstrdup(name);
	last->period = period != NULL ? pstrdup(period) : NULL;
	last->domain = sdcpg_pseudonym_domain(name, period);
	MemoryContextSwitchTo(caller);
	return last->domain;
}

/* pseudonym(value text, domain text, period text, format text) */
Datum
sdcf_pseudonym(PG_FUNCTION_ARGS)
{
	SdcPseudonymDomain *domain;
	SdcPseudonymFormat format;

	if (PG_ARGISNULL(1))
		sdcpg_args_null("domain");
	if (PG_ARGISNULL(3))
		sdcpg_args_null("format");
	format = sdcpg_pseudonym_format(text_to_cstring(PG_GETARG_TEXT_PP(3)));
	domain = find_domain(
		fcinfo->flinfo, text_to_cstring(PG_GETARG_TEXT_PP(1)),
		PG_ARGISNULL(2) ? NULL : text_to_cstring(PG_GETARG_TEXT_PP(2)));
	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();
	PG_RETURN_TEXT_P(
		sdcpg_pseudonym_make(domain, PG_GETARG_TEXT_PP(0), format));
}

/* forget_pseudonyms(domain text) */
Datum
sdcf_forget_pseudonyms(PG_FUNCTION_ARGS)
{
	PG_RETURN_BOOL(
		sdcpg_pseudonym_forget(text_to_cstring(PG_GETARG_TEXT_PP(0))));
}
