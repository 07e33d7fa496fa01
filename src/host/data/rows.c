/*
 * rows.c
 *		Rows of a query, one by one, as the executor makes them.
 *
 * The executor hands each row to a DestReceiver, so that the result is never
 * held as a whole.  PostgreSQL 13 has no way to pass a receiver to SPI; there
 * a cursor hands over the rows in batches.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "executor/spi.h"
#include "tcop/dest.h"
#include "utils/json.h"
#include "utils/memutils.h"

#include "host/call/catalog.h"
#include "host/data/dictionary.h"
#include "host/data/rows.h"
#include "host/server/compat.h"
#include "host/server/error.h"
#include "host/server/host.h"
#include "host/server/progress.h"
#include "kernel/base/host.h"
#include "kernel/table/frequency.h"

/* ----------------------------------------------------------------------
 * What a row of a report is about, written as JSON.
 *
 * JSON, and not a list in words, because values may hold any character.
 * ----------------------------------------------------------------------
 */

void
sdcpg_subject_write(StringInfo text, int columns, const char *const *name,
					SdcDictionary *const *dictionary,
					const SdcFrequency *frequency, int32 cell)
{
	int j;

	resetStringInfo(text);
	appendStringInfoChar(text, '{');
	for (j = 0; j < columns; j++)
	{
		char *value =
			sdcpg_dictionary_text(dictionary[j], frequency->code[j][cell]);

		if (j > 0)
			appendStringInfoString(text, ", ");
		escape_json(text, name[j]);
		appendStringInfoString(text, ": ");
		if (value == NULL)
			appendStringInfoString(text, "null");
		else
			escape_json(text, value);
	}
	appendStringInfoChar(text, '}');
}

/* ----------------------------------------------------------------------
 * Rows of a query, one by one, as the executor makes them.
 *
 * The executor hands each row to a DestReceiver, so that the result is never
 * held as a whole.  PostgreSQL 13 has no way to pass a receiver to SPI; there
 * a cursor hands over the rows in batches.
 * ----------------------------------------------------------------------
 */

/* Rows between two polls, which are also resets of scratch memory. */
#define POLL_ROWS 1024

typedef struct RowReceiver
{
	DestReceiver receiver;
	SdcPgHost *host;
	const char *sql;
	const SdcRows *rows;
	const SdcCatalogParameters *parameters;
	MemoryContext scratch;
	uint64 received;
} RowReceiver;

static void
take_row(RowReceiver *receiver, TupleDesc descriptor, const Datum *values,
		 const bool *isnull)
{
	SdcHost *host = &receiver->host->kernel;
	MemoryContext caller = MemoryContextSwitchTo(receiver->scratch);

	if (receiver->received % POLL_ROWS == 0)
	{
		MemoryContextReset(receiver->scratch);
		host->poll(host, receiver->received, 0);
	}
	receiver->received++;
	receiver->rows->row(receiver->rows->arg, descriptor, values, isnull);
	MemoryContextSwitchTo(caller);
}

#if PG_VERSION_NUM >= 140000

static bool
receive_row(TupleTableSlot *slot, DestReceiver *self)
{
	slot_getallattrs(slot);
	take_row((RowReceiver *) self, slot->tts_tupleDescriptor, slot->tts_values,
			 slot->tts_isnull);
	return true;
}

static void
receive_startup(DestReceiver *self, int operation, TupleDesc descriptor)
{
	const SdcRows *rows = ((RowReceiver *) self)->rows;

	rows->start(rows->arg, descriptor);
}

static void
receive_nothing(DestReceiver *self)
{
}

/* The parameters as the executor takes them. */
static ParamListInfo
parameter_list(const SdcCatalogParameters *parameters)
{
	ParamListInfo list = makeParamList(parameters->count);
	int i;

	for (i = 0; i < parameters->count; i++)
	{
		list->params[i].value = parameters->value[i];
		list->params[i].isnull = parameters->null[i] == 'n';
		list->params[i].pflags = PARAM_FLAG_CONST;
		list->params[i].ptype = parameters->type[i];
	}
	return list;
}

static void
run_query(void *arg)
{
	RowReceiver *receiver = arg;
	SPIExecuteOptions options;

	receiver->receiver.receiveSlot = receive_row;
	receiver->receiver.rStartup = receive_startup;
	receiver->receiver.rShutdown = receive_nothing;
	receiver->receiver.rDestroy = receive_nothing;
	receiver->receiver.mydest = DestNone;
	memset(&options, 0, sizeof(options));
	options.read_only = true;
	options.dest = &receiver->receiver;
	options.params = parameter_list(receiver->parameters);
	if (SPI_execute_extended(receiver->sql, &options) < 0)
		elog(ERROR, "could not run a query");
}

#else

static void
take_batch(RowReceiver *receiver, Datum *values, bool *isnull)
{
	uint64 i;

	for (i = 0; i < SPI_processed; i++)
	{
		heap_deform_tuple(SPI_tuptable->vals[i], SPI_tuptable->tupdesc, values,
						  isnull);
		take_row(receiver, SPI_tuptable->tupdesc, values, isnull);
	}
	SPI_freetuptable(SPI_tuptable);
}

static void
run_query(void *arg)
{
	RowReceiver *receiver = arg;
	const SdcRows *rows = receiver->rows;
	const SdcCatalogParameters *parameters = receiver->parameters;
	SPIPlanPtr plan = SPI_prepare(receiver->sql, parameters->count,
								  (Oid *) parameters->type);
	Portal portal;
	Datum *values;
	bool *isnull;

	if (plan == NULL)
		elog(ERROR, "could not prepare a query");
	portal = SPI_cursor_open(NULL, plan, (Datum *) parameters->value,
							 parameters->null, true);
	rows->start(rows->arg, portal->tupDesc);
	values = palloc(sizeof(Datum) * portal->tupDesc->natts);
	isnull = palloc(sizeof(bool) * portal->tupDesc->natts);
	for (;;)
	{
		SPI_cursor_fetch(portal, true, POLL_ROWS);
		if (SPI_processed == 0)
			break;
		take_batch(receiver, values, isnull);
	}
	SPI_cursor_close(portal);
}

#endif

void
sdcpg_rows_receive(SdcPgHost *host, const char *sql, const SdcRows *rows)
{
	static const SdcCatalogParameters none;

	sdcpg_rows_receive_bound(host, sql, &none, rows);
}

void
sdcpg_rows_receive_bound(SdcPgHost *host, const char *sql,
						 const SdcCatalogParameters *parameters,
						 const SdcRows *rows)
{
	RowReceiver receiver;

	memset(&receiver, 0, sizeof(receiver));
	receiver.host = host;
	receiver.sql = sql;
	receiver.rows = rows;
	receiver.parameters = parameters;
	receiver.scratch = AllocSetContextCreate(host->work, "sdc reading",
											 ALLOCSET_DEFAULT_SIZES);
	sdcpg_progress_stage(&host->progress, "reading");
	if (SPI_connect() != SPI_OK_CONNECT)
		elog(ERROR, "could not connect to SPI");
	sdcpg_error_hidden(sql, run_query, &receiver);
	SPI_finish();
	MemoryContextDelete(receiver.scratch);
}
