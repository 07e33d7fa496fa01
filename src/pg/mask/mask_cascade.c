/*
 * mask_cascade.c
 *		Tables that must be masked with a table, or foreign keys would break.
 *
 * As ON UPDATE CASCADE, but for rules: a list of columns, each with the rule
 * that it is masked by, grows while foreign keys point at columns in it.  Only
 * a pseudonym gives equal values for equal values in every table, so only
 * pseudonyms are passed on.
 */
#include "postgres.h"

#include "catalog/pg_inherits.h"
#include "utils/builtins.h"
#include "utils/json.h"
#include "utils/jsonb.h"
#include "utils/lsyscache.h"

#include "pg/mask/foreign_keys.h"
#include "pg/mask/mask_cascade.h"
#include "pg/mask/mask_refuse.h"
#include "pg/server/compat.h"

/* A masked column; params is NULL when its rule cannot be passed on. */
typedef struct MaskedColumn
{
	Oid table;
	char *column;
	Jsonb *params;
} MaskedColumn;

typedef struct Cascade
{
	SdcMaskPlan *first;
	List *items;
	List *tables; /* oids of the tables but the first */
} Cascade;

pg_noreturn static void
refuse_key(const MaskedColumn *item, const SdcForeignKey *key,
		   const char *remedy)
{
	ereport(
		ERROR,
		(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
		 errmsg(
			 "column \"%s\" of relation \"%s\" is referenced by foreign key "
			 "\"%s\" of relation \"%s\"",
			 item->column, get_rel_name(item->table), key->name,
			 get_rel_name(key->from)),
		 errdetail("Masked in this way its rows would lose their partners."),
		 errhint("%s.", remedy)));
}

static bool
is_same_rule(Jsonb *a, Jsonb *b)
{
	return a != NULL && b != NULL &&
		   compareJsonbContainers(&a->root, &b->root) == 0;
}

/* Has a column of another table, or of the first one itself, masked, too. */
static void
pass_on(Cascade *cascade, Oid table, char *column, Jsonb *params)
{
	MaskedColumn *item;
	ListCell *cell;
	bool known = false;

	foreach (cell, cascade->items)
	{
		item = lfirst(cell);
		if (item->table != table || strcmp(item->column, column) != 0)
			continue;
		known = true;
		if (is_same_rule(item->params, params))
			return;
	}
	if (known || table == cascade->first->relation->oid)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("column \"%s\" of relation \"%s\" must have the rule "
						"of the column that it references",
						column, get_rel_name(table)),
				 errhint("Give it the same method, domain, period and "
						 "format.")));
	item = palloc(sizeof(MaskedColumn));
	item->table = table;
	item->column = column;
	item->params = params;
	cascade->items = lappend(cascade->items, item);
	cascade->tables = list_append_unique_oid(cascade->tables, table);
}

/* Follows a foreign key to a column, if it is one. */
static void
follow_key(Cascade *cascade, const MaskedColumn *item,
		   const SdcForeignKey *key)
{
	int j;

	for (j = 0; j < key->columns; j++)
	{
		if (strcmp(get_attname(key->to, key->to_column[j], false),
				   item->column) != 0)
			continue;
		if (item->params == NULL)
			refuse_key(item, key,
					   OidIsValid(key->parent)
						   ? "Mask the partitioned table as a whole"
						   : "Method \"pseudonym\" masks both sides alike");
		pass_on(cascade, key->from,
				get_attname(key->from, key->from_column[j], false),
				item->params);
	}
}

/*
 * Follows the foreign keys to a table.  A part of a constraint is followed by
 * the constraint itself, except when only a partition is masked: the rows that
 * reference the others would lose theirs.
 */
static void
follow_table(Cascade *cascade, const MaskedColumn *item, Oid table)
{
	bool partition = table == item->table && get_rel_relispartition(table);
	ListCell *cell;

	foreach (cell, sdcpg_foreign_keys_find(table, false))
	{
		const SdcForeignKey *key = lfirst(cell);

		if (OidIsValid(key->parent) && partition)
		{
			MaskedColumn refused = *item;

			refused.params = NULL;
			follow_key(cascade, &refused, key);
		}
		else if (!OidIsValid(key->parent))
			follow_key(cascade, item, key);
	}
}

/* The columns that the first plan masks. */
static void
start(Cascade *cascade)
{
	const SdcMaskPlan *plan = cascade->first;
	int i;

	for (i = 0; i < plan->columns; i++)
	{
		const SdcMaskColumn *column = &plan->column[i];
		MaskedColumn *item;

		if (!column->masked)
			continue;
		item = palloc0(sizeof(MaskedColumn));
		item->table = plan->relation->oid;
		item->column = column->column.name;
		if (column->rule != NULL &&
			column->rule->method->kind == SDC_MASK_PSEUDONYM &&
			!sdcpg_rules_suppress(&plan->rules, column->column.number))
			item->params = column->rule->params;
		cascade->items = lappend(cascade->items, item);
	}
}

/* The rules of a table, as a document. */
static Jsonb *
rules_of(const Cascade *cascade, Oid table)
{
	StringInfoData text;
	ListCell *cell;

	initStringInfo(&text);
	foreach (cell, cascade->items)
	{
		const MaskedColumn *item = lfirst(cell);

		if (item->table != table)
			continue;
		appendStringInfoString(&text, text.len > 0 ? ", " : "{");
		escape_json(&text, item->column);
		appendStringInfo(
			&text, ": %s",
			JsonbToCString(NULL, &item->params->root, VARSIZE(item->params)));
	}
	appendStringInfoChar(&text, '}');
	return DatumGetJsonbP(
		DirectFunctionCall1(jsonb_in, CStringGetDatum(text.data)));
}

List *
sdcpg_mask_cascade(SdcMaskPlan *plan, LOCKMODE lock)
{
	Cascade cascade = {plan};
	List *plans = list_make1(plan);
	ListCell *cell;
	int i;

	start(&cascade);
	/* the list grows on the way */
	for (i = 0; i < list_length(cascade.items); i++)
	{
		const MaskedColumn *item = list_nth(cascade.items, i);

		foreach (cell, find_all_inheritors(item->table, lock, NULL))
			follow_table(&cascade, item, lfirst_oid(cell));
	}
	foreach (cell, cascade.tables)
	{
		Oid table = lfirst_oid(cell);

		sdcpg_mask_refuse_table(table, lock);
		plans =
			lappend(plans, sdcpg_mask_plan(sdcpg_relation_find(table),
										   rules_of(&cascade, table), NULL,
										   true, plan->seeded, plan->seed));
	}
	return plans;
}
