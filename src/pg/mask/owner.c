/*
 * owner.c
 *		Work done as the owner of a table.
 *
 * An error restores the user with the transaction or subtransaction that it
 * ends.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "catalog/pg_class.h"
#include "miscadmin.h"
#include "utils/guc.h"
#include "utils/syscache.h"

#include "pg/mask/owner.h"

static Oid
owner_of(Oid table)
{
	HeapTuple tuple = SearchSysCache1(RELOID, ObjectIdGetDatum(table));
	Oid owner;

	if (!HeapTupleIsValid(tuple))
		elog(ERROR, "relation %u does not exist", table);
	owner = ((Form_pg_class) GETSTRUCT(tuple))->relowner;
	ReleaseSysCache(tuple);
	return owner;
}

void
sdcpg_owner_run(Oid table, void (*work)(void *arg), void *arg)
{
	Oid caller;
	int context;
	int settings;

	GetUserIdAndSecContext(&caller, &context);
	SetUserIdAndSecContext(owner_of(table),
						   context | SECURITY_RESTRICTED_OPERATION);
	settings = NewGUCNestLevel();
	work(arg);
	AtEOXact_GUC(false, settings);
	SetUserIdAndSecContext(caller, context);
}
