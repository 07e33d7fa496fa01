/*
 * error.c
 *		Where an error of the server came from, in whatever language it tells;
 *		work that may fail.
 *
 * The context of an error has a line for each function and statement that it
 * came through.  The server translates these lines by lc_messages, so they are
 * compared with its own translations and never with the English words.
 */
#include "postgres.h"

#include "access/xact.h"
#include "lib/stringinfo.h"
#include "parser/parser.h"
#include "utils/guc.h"
#include "utils/memutils.h"
#include "utils/resowner.h"

#include "host/server/compat.h"
#include "host/server/error.h"

/* The words of the server, which it translates when it raises an error. */
#define SERVER_WORDS(message) dgettext(PG_TEXTDOMAIN("postgres"), message)

/* Does a line start as a message does, up to what is filled in? */
static bool
starts_as(const char *line, const char *message)
{
	return strncmp(line, message, strcspn(message, "%")) == 0;
}

static bool
is_statement(const char *line)
{
	return starts_as(line, SERVER_WORDS("SQL statement \"%s\""));
}

/* Is it the line of a function that is not written in C? */
static bool
is_function(const char *line)
{
	const char *language = strstr(line, "PL/");

	/* a procedural language keeps its name in every language */
	if (language != NULL && language < line + strcspn(line, "\n"))
		return true;
	return starts_as(line, SERVER_WORDS("SQL function \"%s\" statement %d")) ||
		   starts_as(line,
					 SERVER_WORDS("SQL function \"%s\" during startup")) ||
		   starts_as(line,
					 SERVER_WORDS("SQL function \"%s\" during inlining"));
}

bool
sdcpg_error_drop_statements(ErrorData *error, const char *outside)
{
	StringInfoData kept;
	char *line = error->context;
	bool inside = true;
	bool any_function = false;

	initStringInfo(&kept);
	while (line != NULL)
	{
		int length = (int) strcspn(line, "\n");

		inside = inside && (outside == NULL ||
							strncmp(line, outside, strlen(outside)) != 0);
		if (!inside || !is_statement(line))
		{
			any_function = any_function || (inside && is_function(line));
			appendStringInfo(&kept, "%s%.*s", kept.len > 0 ? "\n" : "", length,
							 line);
		}
		line = line[length] != '\0' ? line + length + 1 : NULL;
	}
	error->context = kept.len > 0 ? kept.data : NULL;
	return any_function;
}

bool
sdcpg_error_is_fixed(const ErrorData *error)
{
	return error->message_id != NULL && strchr(error->message_id, '%') == NULL;
}

/* Takes the line of one statement out of the context. */
static void
drop_statement(ErrorData *error, const char *sql)
{
	char *line = psprintf(SERVER_WORDS("SQL statement \"%s\""), sql);
	char *found = error->context != NULL ? strstr(error->context, line) : NULL;
	char *rest;

	if (found == NULL)
		return;
	rest = found + strlen(line);
	if (*rest == '\n')
		rest++;
	else if (found > error->context)
		found--;
	memmove(found, rest, strlen(rest) + 1);
	if (error->context[0] == '\0')
		error->context = NULL;
}

/* What settings were that a statement of sdc is run without. */
typedef struct Settings
{
	bool parse;
	bool rewritten;
	bool plan;
	bool strings;
} Settings;

/*
 * Stops printing statements and plans: they hold parameters, which may be
 * keys, and every role may turn it on.  A backslash in a literal is one.
 * Returns what was set.
 */
static Settings
settings_aside(void)
{
	Settings before = {Debug_print_parse, Debug_print_rewritten,
					   Debug_print_plan, standard_conforming_strings};

	Debug_print_parse = false;
	Debug_print_rewritten = false;
	Debug_print_plan = false;
	standard_conforming_strings = true;
	return before;
}

static void
settings_again(const Settings *before)
{
	Debug_print_parse = before->parse;
	Debug_print_rewritten = before->rewritten;
	Debug_print_plan = before->plan;
	standard_conforming_strings = before->strings;
}

void
sdcpg_error_hidden(const char *sql, void (*work)(void *arg), void *arg)
{
	MemoryContext caller = CurrentMemoryContext;
	Settings before = settings_aside();

	PG_TRY();
	{
		work(arg);
		settings_again(&before);
	}
	PG_CATCH();
	{
		ErrorData *error;

		settings_again(&before);
		MemoryContextSwitchTo(caller);
		error = CopyErrorData();
		FlushErrorState();
		drop_statement(error, sql);
		ReThrowError(error);
	}
	PG_END_TRY();
}

ErrorData *
sdcpg_error_attempt(MemoryContext memory, bool (*work)(void *arg), void *arg)
{
	MemoryContext caller = CurrentMemoryContext;
	ResourceOwner owner = CurrentResourceOwner;
	ErrorData *volatile failure = NULL;

	BeginInternalSubTransaction(NULL);
	MemoryContextSwitchTo(memory);
	PG_TRY();
	{
		if (work(arg))
			ReleaseCurrentSubTransaction();
		else
			RollbackAndReleaseCurrentSubTransaction();
	}
	PG_CATCH();
	{
		MemoryContextSwitchTo(caller);
		failure = CopyErrorData();
		FlushErrorState();
		RollbackAndReleaseCurrentSubTransaction();
	}
	PG_END_TRY();
	MemoryContextSwitchTo(caller);
	CurrentResourceOwner = owner;
	return failure;
}

bool
sdcpg_error_is_of_server(const ErrorData *failure)
{
	int class = ERRCODE_TO_CATEGORY(failure->sqlerrcode);

	return class == ERRCODE_TRANSACTION_ROLLBACK ||
		   class == ERRCODE_INSUFFICIENT_RESOURCES ||
		   class == ERRCODE_OPERATOR_INTERVENTION ||
		   class == ERRCODE_SYSTEM_ERROR || class == ERRCODE_INTERNAL_ERROR ||
		   failure->sqlerrcode == ERRCODE_LOCK_NOT_AVAILABLE;
}
