/*
 * owner.c
 *		Work done as the owner of a table.
 *
 * An error restores the user with the transaction or subtransaction that it
 * ends.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "utils/guc.h"

#include "pg/call/relation.h"
#include "pg/mask/owner.h"

void
sdcpg_owner_run(Oid table, void (*work)(void *arg), void *arg)
{
	Oid caller;
	int context;
	int settings;

	GetUserIdAndSecContext(&caller, &context);
	SetUserIdAndSecContext(sdcpg_relation_owner(table),
						   context | SECURITY_RESTRICTED_OPERATION);
	settings = NewGUCNestLevel();
	work(arg);
	AtEOXact_GUC(false, settings);
	SetUserIdAndSecContext(caller, context);
}
