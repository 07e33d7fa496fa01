/*
 * memory_contexts.c
 *		The memory contexts of a session, as one SQL function.
 *
 * PostgreSQL has the view pg_backend_memory_contexts from 14 on only, and what
 * stays in the memory of a session is asked on 13 as well.  A module of its
 * own, for tests (t/017_hierarchy.pl, t/040_dp_oblivious.pl); it is never
 * installed.
 */
#include "postgres.h"

#include "fmgr.h"
#include "lib/stringinfo.h"
#include "nodes/memnodes.h"
#include "utils/builtins.h"
#include "utils/memutils.h"

PG_MODULE_MAGIC;

PG_FUNCTION_INFO_V1(memory_contexts);

/* A line "name|bytes taken|bytes used" for a context and each below it. */
static void
put_contexts(MemoryContext context, StringInfo lines)
{
	MemoryContextCounters counters = {0};
	MemoryContext child;

#if PG_VERSION_NUM >= 140000
	context->methods->stats(context, NULL, NULL, &counters, false);
#else
	context->methods->stats(context, NULL, NULL, &counters);
#endif
	appendStringInfo(lines, "%s|%zu|%zu\n", context->name, counters.totalspace,
					 counters.totalspace - counters.freespace);
	for (child = context->firstchild; child != NULL; child = child->nextchild)
		put_contexts(child, lines);
}

/* memory_contexts() RETURNS text */
Datum
memory_contexts(PG_FUNCTION_ARGS)
{
	StringInfoData lines;

	initStringInfo(&lines);
	put_contexts(TopMemoryContext, &lines);
	PG_RETURN_TEXT_P(cstring_to_text_with_len(lines.data, lines.len));
}
