/*
 * mask_guard.c
 *		Errors that would print values of the data.
 *
 * More people read the log than the table.  PostgreSQL quotes the key of a
 * duplicate and the row that fails a check, in its details; functions of the
 * user may quote whatever they like.  Such an error is replaced before it is
 * logged; its code stays.
 */
#include "postgres.h"

#include "pg/mask/mask_guard.h"
#include "pg/server/compat.h"

/* May the error quote a value? */
static bool
may_quote(int code)
{
	switch (code)
	{
		case ERRCODE_INVALID_PARAMETER_VALUE:
		case ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE:
		case ERRCODE_STRING_DATA_RIGHT_TRUNCATION:
		case ERRCODE_DIVISION_BY_ZERO:
			return false;
	}
	switch (ERRCODE_TO_CATEGORY(code))
	{
		case ERRCODE_DATA_EXCEPTION:
		case ERRCODE_INTEGRITY_CONSTRAINT_VIOLATION:
		case ERRCODE_PLPGSQL_ERROR:
		case ERRCODE_EXTERNAL_ROUTINE_EXCEPTION:
		case ERRCODE_EXTERNAL_ROUTINE_INVOCATION_EXCEPTION:
			return true;
	}
	return false;
}

pg_noreturn static void
raise_without_values(const ErrorData *error, const char *relation)
{
	if (error->constraint_name != NULL)
		ereport(ERROR,
				(errcode(error->sqlerrcode),
				 errmsg("masking relation \"%s\" would violate constraint "
						"\"%s\"",
						relation, error->constraint_name),
				 errdetail("Nothing was changed. The values are not shown."),
				 err_generic_string(PG_DIAG_CONSTRAINT_NAME,
									error->constraint_name)));
	if (error->column_name != NULL)
		ereport(ERROR,
				(errcode(error->sqlerrcode),
				 errmsg("masking relation \"%s\" would leave an invalid value "
						"in column \"%s\"",
						relation, error->column_name),
				 errdetail("Nothing was changed. The values are not shown."),
				 err_generic_string(PG_DIAG_COLUMN_NAME, error->column_name)));
	ereport(ERROR,
			(errcode(error->sqlerrcode),
			 errmsg("masking relation \"%s\" failed on a value", relation),
			 errdetail("Nothing was changed. The message is not shown, for it "
					   "may quote the value.")));
}

void
sdcpg_mask_guard(const char *relation, void (*work)(void *arg), void *arg)
{
	MemoryContext caller = CurrentMemoryContext;

	PG_TRY();
	{
		work(arg);
	}
	PG_CATCH();
	{
		ErrorData *error;

		MemoryContextSwitchTo(caller);
		error = CopyErrorData();
		if (!may_quote(error->sqlerrcode))
			PG_RE_THROW();
		FlushErrorState();
		raise_without_values(error, relation);
	}
	PG_END_TRY();
}
