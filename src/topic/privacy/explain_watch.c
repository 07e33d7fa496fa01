/*
 * explain_watch.c
 *		Is somebody measuring what the present query does?
 *
 * A query that is measured runs with instruments, so a hook around each run
 * counts those that are under way.  The library may be loaded by a function
 * in the middle of a query that began before: such a query is known by its
 * portal, or by what its context says of the statements around the call.
 */
#include "postgres.h"

#include <ctype.h>

#include "access/xact.h"
#include "executor/executor.h"
#include "nodes/memnodes.h"
#include "tcop/cmdtag.h"
#include "utils/memutils.h"
#include "utils/portal.h"
#include "utils/timestamp.h"

#include "topic/privacy/explain_watch.h"
#include "host/server/compat.h"

static ExecutorRun_hook_type next_run;
static int measured;
static TimestampTz loaded;

static void
watch_run(QueryDesc *query, ScanDirection direction,
		  uint64 count SDC_RUN_ONCE_PARAMETER)
{
	int before = measured;

	measured += query->instrument_options != 0;
	PG_TRY();
	{
		if (next_run != NULL)
			next_run(query, direction, count SDC_RUN_ONCE_ARGUMENT);
		else
			standard_ExecutorRun(query, direction,
								 count SDC_RUN_ONCE_ARGUMENT);
	}
	PG_FINALLY();
	{
		measured = before;
	}
	PG_END_TRY();
}

void
sdcpg_explain_watch(void)
{
	next_run = ExecutorRun_hook;
	ExecutorRun_hook = watch_run;
	loaded = GetCurrentStatementStartTimestamp();
}

/* The context below another one that has a name. */
static MemoryContext
find_context(MemoryContext parent, const char *name)
{
	MemoryContext context = parent->firstchild;

	while (context != NULL && strcmp(context->name, name) != 0)
		context = context->nextchild;
	return context;
}

/*
 * Does a portal of the session run EXPLAIN?  Their names are found by their
 * memory contexts, for there is no list of them.
 */
static bool
portal_explains(void)
{
	MemoryContext all = find_context(TopMemoryContext, "TopPortalContext");
	MemoryContext context = all == NULL ? NULL : all->firstchild;

	for (; context != NULL; context = context->nextchild)
	{
		const char *name = context->ident == NULL ? "" : context->ident;
		Portal portal =
			GetPortalByName(strcmp(name, "<unnamed>") == 0 ? "" : name);

		if (portal != NULL && portal->status == PORTAL_ACTIVE &&
			portal->commandTag == CMDTAG_EXPLAIN)
			return true;
	}
	return false;
}

/* Does a statement around the call, or a name in it, hold the word? */
static bool
context_explains(void)
{
	char *context = GetErrorContextStack();
	char *at;

	if (context == NULL)
		return false;
	for (at = context; *at != '\0'; at++)
		*at = (char) tolower((unsigned char) *at);
	return strstr(context, "explain") != NULL;
}

bool
sdcpg_explain_is_running(void)
{
	return measured > 0 || portal_explains() ||
		   (loaded == GetCurrentStatementStartTimestamp() &&
			context_explains());
}
