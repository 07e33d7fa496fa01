/*
 * frontier_call.c
 *		One call of sdc.frontier.
 *
 * Loss is that of the columns that any candidate masks, the same columns for
 * all of them, so that candidates can be compared.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "nodes/bitmapset.h"
#include "utils/builtins.h"

#include "pg/call/params.h"
#include "pg/call/params_names.h"
#include "pg/call/roles.h"
#include "pg/frontier/frontier_call.h"
#include "pg/frontier/frontier_loss.h"
#include "pg/frontier/frontier_rules.h"
#include "pg/mask/rules.h"
#include "pg/model/repeats.h"
#include "pg/release/document.h"
#include "pg/release/policy_params.h"
#include "pg/server/compat.h"

/* Without params.repeats: the least that gives an interval of some use. */
#define REPEATS 3

static const char *const params_keys[] = {"risk",    "loss", "attacks",
										  "repeats", "p",    NULL};

/* The attacks that "worst" is of. */
static ArrayType *
read_attacks(Jsonb *params)
{
	List *names = sdcpg_params_names(params, "attacks");
	const char *const *known;
	Datum *element;
	int count = 0;
	ListCell *cell;

	if (names == NIL)
		return sdcpg_frontier_attacks();
	element = palloc(sizeof(Datum) * list_length(names));
	foreach (cell, names)
	{
		known = sdcpg_gate_attacks;
		while (*known != NULL && strcmp(*known, lfirst(cell)) != 0)
			known++;
		if (*known == NULL)
			sdcpg_params_wrong("attacks", "a list of names of attacks");
		element[count++] = CStringGetTextDatum(*known);
	}
	return construct_array(element, count, TEXTOID, -1, false, TYPALIGN_INT);
}

/* An object under a key of params; NULL when it is absent. */
static Jsonb *
read_object(Jsonb *params, const char *key)
{
	Jsonb *object = sdcpg_document_part(params, key);

	if (object == NULL && sdcpg_params_has(params, key))
		sdcpg_params_wrong(key, "an object like a constraint");
	return object;
}

/* The columns that any of the candidates masks, but for the id. */
static ArrayType *
masked_columns(const SdcRelation *relation, const char *id, List *candidates)
{
	SdcRelationColumns all = sdcpg_relation_all_columns(relation);
	SdcRelationColumns masked = {0};
	Bitmapset *numbers = NULL;
	ListCell *cell;
	int i;
	int j;

	foreach (cell, candidates)
	{
		SdcRules rules = sdcpg_rules_read(lfirst(cell), relation);

		for (i = 0; i < rules.count; i++)
			for (j = 0; j < rules.rule[i].columns.count; j++)
				numbers = bms_add_member(
					numbers, rules.rule[i].columns.column[j].number);
	}
	masked.column = palloc(sizeof(SdcRelationColumn) * (all.count + 1));
	for (i = 0; i < all.count; i++)
		if (bms_is_member(all.column[i].number, numbers) &&
			(id == NULL || strcmp(all.column[i].name, id) != 0))
			masked.column[masked.count++] = all.column[i];
	return sdcpg_policy_names(&masked);
}

static void
read_case(SdcFrontier *frontier, const SdcFrontierCall *call)
{
	SdcGateCase *of = &frontier->of;
	SdcRelationColumn *id;
	SdcRelationColumns columns;

	of->original = sdcpg_relation_find(call->rel);
	id = sdcpg_roles_column(of->original, "id", call->id, SDC_ROLE_ID);
	of->id = id == NULL ? NULL : id->name;
	columns =
		sdcpg_roles_columns(of->original, "keys", call->keys, SDC_ROLE_KEY);
	of->keys = sdcpg_policy_names(&columns);
	columns = sdcpg_roles_columns(of->original, "sensitive", call->sensitive,
								  SDC_ROLE_SENSITIVE);
	of->sensitive = sdcpg_policy_names(&columns);
	of->attacks = read_attacks(call->params);
	of->p = sdcpg_params_number(call->params, "p", 10, 0, 100);
}

SdcFrontierPoint **
sdcpg_frontier_call(SdcPgHost *host, const SdcFrontierCall *call, int *count)
{
	SdcFrontier frontier = {{0}};
	SdcFrontierPoint **point;
	List *candidates;
	Jsonb *loss;
	ListCell *cell;

	sdcpg_params_check(call->params, params_keys);
	frontier.memory = CurrentMemoryContext;
	frontier.seed = call->seed;
	frontier.repeats = sdcpg_repeats_read(call->params, REPEATS);
	read_case(&frontier, call);
	candidates = sdcpg_frontier_rules_read(call->rules, frontier.of.original);
	loss = read_object(call->params, "loss");
	if (loss == NULL)
		loss = sdcpg_frontier_loss_usual(frontier.of.original, frontier.of.id,
										 candidates);
	sdcpg_frontier_measures(&frontier, call->constraints,
							read_object(call->params, "risk"), loss);
	frontier.of.columns =
		masked_columns(frontier.of.original, frontier.of.id, candidates);
	point = palloc(sizeof(SdcFrontierPoint *) * list_length(candidates));
	*count = 0;
	sdcpg_progress_stage(&host->progress, "trying candidates");
	foreach (cell, candidates)
	{
		point[*count] =
			sdcpg_frontier_point(&frontier, *count + 1, lfirst(cell));
		while (point[*count]->repeats < frontier.repeats)
		{
			sdcpg_frontier_repeat(&frontier, point[*count]);
			host->kernel.poll(&host->kernel, *count, list_length(candidates));
		}
		(*count)++;
	}
	sdcpg_frontier_finish(host, point, *count, NULL);
	return point;
}
