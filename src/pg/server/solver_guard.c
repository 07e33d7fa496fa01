/*
 * solver_guard.c
 *		Runs code that calls GLPK so that nothing of it can hurt the server.
 *
 * GLPK answers a wrong argument, a failed assertion or too much memory by
 * printing a message and calling abort(), which would restart the whole
 * cluster.  Its error hook leaves by ereport instead, after the terminal hook
 * has kept the message.  GLPK keeps a list of all its memory in one
 * environment, so freeing that gives back everything, whatever was going on.
 */
#include "postgres.h"

#include <glpk.h>

#include "pg/server/settings.h"
#include "pg/server/solver_guard.h"

/* The end of what GLPK printed, without line breaks. */
#define TEXT_BYTES 512

static char said[TEXT_BYTES];
static int said_length;
static bool active;

/* Keeps what GLPK prints and tells it that this is dealt with. */
static int
keep_text(void *info, const char *printed)
{
	for (; *printed != '\0'; printed++)
	{
		if (said_length == TEXT_BYTES - 1)
		{
			memmove(said, said + TEXT_BYTES / 2, TEXT_BYTES / 2);
			said_length -= TEXT_BYTES / 2;
		}
		said[said_length++] = *printed == '\n' ? ' ' : *printed;
	}
	said[said_length] = '\0';
	return 1;
}

/* GLPK must not get control back: after this hook it would abort. */
static void
raise_error(void *info)
{
	while (said_length > 0 && said[said_length - 1] == ' ')
		said[--said_length] = '\0';
	if (strstr(said, "emory allocation") != NULL)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("linear programming needs more memory than "
						"sdc.memory_limit (%d MB) leaves",
						sdcpg_memory_limit / 1024),
				 errdetail_internal("%s", said),
				 errhint("Raise sdc.memory_limit, or use fewer columns or "
						 "rows.")));
	ereport(ERROR, (errcode(ERRCODE_EXTERNAL_ROUTINE_EXCEPTION),
					errmsg("linear programming library failed"),
					errdetail_internal("%s", said)));
}

/* Megabytes that the limit leaves to GLPK, which wants at least one. */
static int
memory_left(const SdcPgHost *host)
{
	Size limit = (Size) sdcpg_memory_limit * 1024;
	Size left = host->used < limit ? limit - host->used : 0;

	return Max((int) (left >> 20), 1);
}

/* The environment is made by the first call, and anew after it was freed. */
static void
enter(const SdcPgHost *host)
{
	said_length = 0;
	said[0] = '\0';
	glp_term_hook(keep_text, NULL);
	glp_error_hook(raise_error, NULL);
	glp_mem_limit(memory_left(host));
}

void
sdcpg_solver_run(SdcPgHost *host, SdcSolverBody body, void *arg)
{
	if (active)
		elog(ERROR, "solver is already running");
	active = true;
	PG_TRY();
	{
		enter(host);
		body(host, arg);
	}
	PG_FINALLY();
	{
		active = false;
		glp_free_env();
	}
	PG_END_TRY();
	sdcpg_host_check(host);
}
