/*
 * policy_params.c
 *		What a policy says of a table besides rules and constraints.
 *
 * Columns are looked up in the table each time, as it may have changed since
 * the policy was written.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "utils/builtins.h"

#include "pg/call/params.h"
#include "pg/call/params_names.h"
#include "pg/call/roles.h"
#include "pg/release/gate.h"
#include "pg/release/policy_params.h"
#include "pg/server/compat.h"

static const char *const params_keys[] = {"id",      "keys",  "sensitive",
										  "schema",  "table", "drop",
										  "attacks", "p",     NULL};

/* The strings of a list as name[]. */
static ArrayType *
name_array(List *names)
{
	NameData *name = palloc0(sizeof(NameData) * list_length(names));
	Datum *element = palloc(sizeof(Datum) * list_length(names));
	int count = 0;
	ListCell *cell;

	foreach (cell, names)
	{
		if (strlen(lfirst(cell)) >= NAMEDATALEN)
			ereport(ERROR, (errcode(ERRCODE_NAME_TOO_LONG),
							errmsg("a name in argument \"params\" is too "
								   "long")));
		namestrcpy(&name[count], lfirst(cell));
		element[count] = NameGetDatum(&name[count]);
		count++;
	}
	return construct_array(element, count, NAMEOID, NAMEDATALEN, false,
						   TYPALIGN_CHAR);
}

ArrayType *
sdcpg_policy_names(const SdcRelationColumns *columns)
{
	List *names = NIL;
	int i;

	for (i = 0; i < columns->count; i++)
		names = lappend(names, columns->column[i].name);
	return names == NIL ? NULL : name_array(names);
}

/* The columns that a key lists; those with the role when it is absent. */
static SdcRelationColumns
read_columns(Jsonb *params, const char *key, const SdcRelation *relation,
			 SdcRole role)
{
	SdcRelationColumns none = {0};
	List *names = sdcpg_params_names(params, key);

	if (names != NIL)
		return sdcpg_relation_columns(relation, key, name_array(names));
	return role == SDC_ROLES ? none
							 : sdcpg_roles_columns(relation, key, NULL, role);
}

/* The attacks that a key lists, as text[]; NULL when it is absent. */
static ArrayType *
read_attacks(Jsonb *params)
{
	List *names = sdcpg_params_names(params, "attacks");
	Datum *element = palloc(sizeof(Datum) * (list_length(names) + 1));
	int count = 0;
	ListCell *cell;

	foreach (cell, names)
	{
		const char *const *known = sdcpg_gate_attacks;

		while (*known != NULL && strcmp(*known, lfirst(cell)) != 0)
			known++;
		if (*known == NULL)
			sdcpg_params_wrong("attacks", "a list of names of attacks");
		element[count++] = CStringGetTextDatum(*known);
	}
	return count == 0 ? NULL
					  : construct_array(element, count, TEXTOID, -1, false,
										TYPALIGN_INT);
}

SdcPolicyParams
sdcpg_policy_params_read(Jsonb *params, const SdcRelation *relation)
{
	SdcPolicyParams read = {0};

	sdcpg_params_check(params, params_keys);
	read.id = sdcpg_roles_column(relation, "id",
								 sdcpg_params_text(params, "id"), SDC_ROLE_ID);
	read.keys = read_columns(params, "keys", relation, SDC_ROLE_KEY);
	read.sensitive =
		read_columns(params, "sensitive", relation, SDC_ROLE_SENSITIVE);
	read.drop = read_columns(params, "drop", relation, SDC_ROLES);
	read.schema = sdcpg_params_text(params, "schema");
	read.table = sdcpg_params_text(params, "table");
	if (read.table == NULL)
		read.table = relation->name;
	read.attacks = read_attacks(params);
	read.p = sdcpg_params_number(params, "p", 10, 0, 100);
	return read;
}
