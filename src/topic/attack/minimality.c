/*
 * minimality.c
 *		sdc.attack_minimality: beliefs of an intruder who knows the algorithm.
 *
 * Groups are runs of records in the order of the scan.  Of each the kernel
 * gets how often its values occur, and says what the intruder believes of the
 * first, second, ... record.
 */
#include "postgres.h"

#include <math.h>

#include "utils/builtins.h"
#include "utils/memutils.h"

#include "host/call/params.h"
#include "host/call/relation.h"
#include "host/data/alignment.h"
#include "host/data/dictionary.h"
#include "host/data/rows.h"
#include "host/server/compat.h"
#include "host/server/host.h"
#include "host/server/result.h"
#include "kernel/base/host.h"
#include "kernel/base/sort.h"
#include "kernel/generalization/anatomize.h"
#include "topic/attack/attack_rows.h"
#include "topic/registry/roles.h"

PG_FUNCTION_INFO_V1(sdcf_attack_minimality);

/* In the order of SdcMinimalityVariant. */
static const char *const variants[] = {"greedy",   "lattice",  "local",
									   "mondrian", "suppress", NULL};

typedef struct Attack
{
	ReturnSetInfo *result;
	SdcPgHost *host;
	SdcRelation *relation;
	SdcRelationColumns sensitive;
	const char **names;   /* of the sensitive columns */
	const char *together; /* the same, in one text */
	double l;
	SdcSequence *sequence;
	/* of the group that is looked at */
	int32 *place; /* of each value: its number in the group, or -1 */
	int32 *value; /* the values, ascending */
	int32 *count; /* how often they occur */
	int32 values;
	StringInfoData text;
	/* what the beliefs come to; only counted when there is no result */
	double known;   /* records whose beliefs could be counted */
	double right;   /* sum of the beliefs in their own value */
	double certain; /* of them known for sure */
} Attack;

static ArrayType *
array_or_null(FunctionCallInfo fcinfo, int argument)
{
	return PG_ARGISNULL(argument) ? NULL : PG_GETARG_ARRAYTYPE_P(argument);
}

/* The column of the ids, named or declared. */
static const SdcRelationColumn *
read_id(FunctionCallInfo fcinfo, const SdcRelation *relation, bool search)
{
	const SdcRelationColumn *id = sdcpg_roles_column(
		relation, "id", PG_ARGISNULL(2) ? NULL : NameStr(*PG_GETARG_NAME(2)),
		SDC_ROLE_ID);

	if (id == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("argument \"id\" must name a column"),
				 search ? errdetail("It says which record of the release is "
									"whose.")
						: errdetail("The intruder knows in which order the "
									"records were scanned: that of the id."),
				 errhint("Name the column that tells records apart, or "
						 "declare it with sdc.declare.")));
	return id;
}

static void
read_arguments(Attack *attack, FunctionCallInfo fcinfo,
			   const SdcRelationColumn **id, SdcRelationColumn *group)
{
	sdcpg_args_need(fcinfo, 1);
	sdcpg_args_need(fcinfo, 4);
	attack->l = PG_GETARG_FLOAT8(4);
	sdcpg_args_range("l", attack->l, 1, 1e9);
	attack->relation = sdcpg_relation_find(PG_GETARG_OID(0));
	attack->sensitive =
		sdcpg_roles_need_columns(attack->relation, "sensitive",
								 array_or_null(fcinfo, 3), SDC_ROLE_SENSITIVE);
	*group =
		sdcpg_relation_column(attack->relation, NameStr(*PG_GETARG_NAME(1)));
	*id = read_id(fcinfo, attack->relation, false);
}

/* The arguments from the original on belong to searches, groups does not. */
static void
check_variant(FunctionCallInfo fcinfo, const char *word, bool search)
{
	if (search && PG_ARGISNULL(6))
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("variant \"%s\" needs argument \"original\"", word),
				 errdetail("The intruder knows the keys of everybody as they "
						   "were before.")));
	if (search && !PG_ARGISNULL(1))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("argument \"groups\" is only for variant "
						"\"greedy\""),
				 errhint("The classes of the release are told by its keys.")));
	if (!search && !(PG_ARGISNULL(6) && PG_ARGISNULL(7) && PG_ARGISNULL(9)))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("arguments \"original\", \"keys\" and \"params\" are "
						"not for variant \"greedy\"")));
}

/* What made the release is a search (alternatives.c). */
static void
attack_search(FunctionCallInfo fcinfo, SdcMinimalityVariant variant,
			  ReturnSetInfo *result)
{
	SdcMinimalityCall call = {variant};

	sdcpg_args_need(fcinfo, 8);
	call.masked = sdcpg_relation_find(PG_GETARG_OID(0));
	call.original = sdcpg_relation_find(PG_GETARG_OID(6));
	call.id = read_id(fcinfo, call.original, true);
	call.sensitive = array_or_null(fcinfo, 3);
	call.l = PG_ARGISNULL(4) ? NAN : PG_GETARG_FLOAT8(4);
	if (!isnan(call.l))
		sdcpg_args_range("l", call.l, 1, 1e9);
	call.keys = array_or_null(fcinfo, 7);
	call.k = PG_GETARG_INT32(8);
	sdcpg_args_range("k", call.k, 1, INFINITY);
	call.params = PG_ARGISNULL(9) ? NULL : PG_GETARG_JSONB_P(9);
	sdcpg_minimality_search(&call, result);
}

static void
start(Attack *attack)
{
	SdcHost *host = &attack->host->kernel;
	int32 cells = attack->sequence->values->cells;
	int32 v;

	attack->names = sdcpg_attributes_names(&attack->sensitive);
	attack->together = sdcpg_relation_list(&attack->sensitive);
	attack->place = sdc_new(host, int32, cells);
	attack->value = sdc_new(host, int32, cells);
	attack->count = sdc_new(host, int32, cells);
	for (v = 0; v < cells; v++)
		attack->place[v] = -1;
	initStringInfo(&attack->text);
}

static int
compare_values(int32_t a, int32_t b, void *arg)
{
	return a < b ? -1 : a > b;
}

/* Counts the values of the records from first to end - 1. */
static void
count_values(Attack *attack, int32 first, int32 end)
{
	const int32 *value = attack->sequence->value;
	int32 i;

	attack->values = 0;
	for (i = first; i < end; i++)
		if (attack->place[value[i]] < 0)
		{
			attack->place[value[i]] = 0;
			attack->value[attack->values++] = value[i];
		}
	sdc_sort_rows(&attack->host->kernel, attack->value, attack->values,
				  compare_values, NULL);
	for (i = 0; i < attack->values; i++)
	{
		attack->place[attack->value[i]] = i;
		attack->count[i] = 0;
	}
	for (i = first; i < end; i++)
		attack->count[attack->place[value[i]]]++;
	for (i = 0; i < attack->values; i++)
		attack->place[attack->value[i]] = -1;
}

static Datum
value_text(Attack *attack, int32 value, bool *isnull)
{
	SdcSequence *sequence = attack->sequence;
	const char *text;

	if (attack->sensitive.count == 1)
		text = sdcpg_dictionary_text(sequence->dictionary[0],
									 sequence->values->code[0][value]);
	else
	{
		sdcpg_subject_write(&attack->text, attack->sensitive.count,
							attack->names, sequence->dictionary,
							sequence->values, value);
		text = attack->text.data;
	}
	*isnull = text == NULL;
	return text == NULL ? (Datum) 0 : CStringGetTextDatum(text);
}

static void
put_belief(Attack *attack, int32 record, int32 v, int32 size, double posterior)
{
	Datum values[SDC_BELIEF_COLUMNS];
	bool isnull[SDC_BELIEF_COLUMNS] = {false};

	values[0] =
		CStringGetTextDatum(sdcpg_frame_text(attack->sequence->id, record));
	values[1] = value_text(attack, attack->value[v], &isnull[1]);
	values[2] = Float8GetDatum((double) attack->count[v] / size);
	values[3] = Float8GetDatum(posterior);
	isnull[3] = isnan(posterior);
	values[4] = CStringGetTextDatum(attack->together);
	values[5] = Int64GetDatum(attack->count[v]);
	values[6] = CStringGetTextDatum(posterior == 1 ? "positive" : "negative");
	isnull[6] = posterior != 1 && posterior != 0;
	sdcpg_result_put(attack->result, values, isnull);
}

/* Says why there are no beliefs, and of which records. */
static void
check_answer(SdcMinimalityAnswer answer, int32 first, int32 end)
{
	if (answer == SDC_MINIMALITY_NONE)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("the scan cannot have made the group of records %d to "
						"%d",
						first + 1, end),
				 errdetail("In the order of the id, no assignment of its "
						   "sensitive values gives just this group."),
				 errhint("Say the l and the order that diverse_group was "
						 "called with.")));
	if (answer == SDC_MINIMALITY_LARGE)
		ereport(WARNING,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("the group of records %d to %d is too large for an "
						"exact count",
						first + 1, end),
				 errdetail("It has %d records, and its sensitive values can "
						   "be used up in too many ways.  The posterior of "
						   "its records is null.",
						   end - first)));
}

/* Adds up what is believed of the own value of a record. */
static void
count_belief(Attack *attack, const SdcMinimality *found, int32 record,
			 int32 first)
{
	int32 own = attack->sequence->value[record];
	const double *posterior = found->posterior;
	int32 v;

	if (posterior == NULL)
		return;
	for (v = 0; attack->value[v] != own; v++)
		;
	posterior += (Size) (record - first) * found->classes;
	attack->known++;
	attack->right += posterior[found->class_of[v]];
	attack->certain += posterior[found->class_of[v]] == 1;
}

/* The beliefs about the records of a group, from first to end - 1. */
static void
put_group(Attack *attack, int32 first, int32 end, MemoryContext scratch)
{
	SdcHost *host = &attack->host->kernel;
	SdcMinimality found;
	int32 i;
	int32 v;

	count_values(attack, first, end);
	check_answer(sdc_minimality_solve(host, attack->count, attack->values,
									  attack->l, end == attack->sequence->rows,
									  &found),
				 first, end);
	for (i = first; i < end; i++)
	{
		Size record = (Size) (i - first) * found.classes;
		MemoryContext caller = MemoryContextSwitchTo(scratch);

		count_belief(attack, &found, i, first);

		for (v = 0; v < attack->values && attack->result != NULL; v++)
			put_belief(attack, i, v, end - first,
					   found.posterior == NULL
						   ? NAN
						   : found.posterior[record + found.class_of[v]]);
		MemoryContextSwitchTo(caller);
		MemoryContextReset(scratch);
	}
	sdc_minimality_release(host, &found);
}

/* Marks a group as seen; stops when it was before. */
static void
see_group(bool *seen, int32 group, int32 first)
{
	if (seen[group])
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("the scan cannot have made the group of record %d",
						first + 1),
				 errdetail("In the order of the id, records of other groups "
						   "stand between its records."),
				 errhint("Name as id a column in whose order diverse_group "
						 "scanned the records.")));
	seen[group] = true;
}

static void
put_groups(Attack *attack)
{
	const SdcSequence *sequence = attack->sequence;
	SdcHost *host = &attack->host->kernel;
	MemoryContext scratch = AllocSetContextCreate(
		CurrentMemoryContext, "sdc belief", ALLOCSET_SMALL_SIZES);
	/* groups are numbered as they come, so there are no more than rows */
	bool *seen = sdc_new(host, bool, sequence->rows);
	int32 first = 0;

	memset(seen, false, sequence->rows);
	host->stage(host, "attacking");
	while (first < sequence->rows)
	{
		int32 end = first;

		host->poll(host, first, sequence->rows);
		see_group(seen, sequence->group[first], first);
		while (end < sequence->rows &&
			   sequence->group[end] == sequence->group[first])
			end++;
		put_group(attack, first, end, scratch);
		first = end;
	}
	MemoryContextDelete(scratch);
}

/*
 * attack_minimality(masked regclass, groups name, id name, sensitive columns,
 *                   l float8, variant text, original regclass, keys columns,
 *                   k integer, params jsonb)
 */
Datum
sdcf_attack_minimality(PG_FUNCTION_ARGS)
{
	Attack attack = {sdcpg_result_begin(fcinfo)};
	SdcMinimalityVariant variant;
	const SdcRelationColumn *id;
	SdcRelationColumn group;

	sdcpg_args_need(fcinfo, 0);
	sdcpg_args_need(fcinfo, 5);
	variant = sdcpg_args_choice("variant", PG_GETARG_TEXT_PP(5), variants);
	check_variant(fcinfo, variants[variant], variant != SDC_MINIMALITY_GREEDY);
	if (variant != SDC_MINIMALITY_GREEDY)
	{
		attack_search(fcinfo, variant, attack.result);
		return (Datum) 0;
	}
	read_arguments(&attack, fcinfo, &id, &group);
	attack.host = sdcpg_host_begin("attack_minimality", CurrentMemoryContext);
	attack.sequence = sdcpg_sequence_load(attack.host, attack.relation, id,
										  &attack.sensitive, &group);
	start(&attack);
	put_groups(&attack);
	sdcpg_host_end(attack.host);
	return (Datum) 0;
}

const SdcKey sdcpg_minimality_params[] = {
	{"groups", SDC_KEY_TEXT, .needed = true, .names = SDC_NAMES_MASKED},
	{"l", SDC_KEY_NUMBER, .needed = true, .low = 1, .high = 1e9},
	{NULL}};

void
sdcpg_attack_minimality(const SdcAttack *row, const SdcAttackCase *of,
						SdcPgHost *host, SdcAttackOutcome *outcome)
{
	Attack attack = {NULL};
	char *groups = sdcpg_params_text(of->params, "groups");
	SdcRelationColumn id;
	SdcRelationColumn group;

	attack.l = sdcpg_params_number(of->params, "l", 0, 1, 1e9);
	if (groups == NULL || attack.l == 0)
	{
		outcome->reason = "params names no column of groups, or no l that "
						  "they were made with.";
		return;
	}
	attack.host = host;
	attack.relation = sdcpg_relation_find(of->masked->oid);
	attack.sensitive =
		sdcpg_relation_columns(attack.relation, "sensitive", of->sensitive);
	id = sdcpg_relation_column(attack.relation, of->id);
	group = sdcpg_relation_column(attack.relation, groups);
	attack.sequence = sdcpg_sequence_load(host, attack.relation, &id,
										  &attack.sensitive, &group);
	start(&attack);
	put_groups(&attack);
	if (attack.known == 0)
	{
		outcome->reason = "There is no group whose beliefs can be counted.";
		return;
	}
	sdcpg_attack_share(outcome, attack.right / attack.known, attack.known,
					   "believes of %.0f records what they are with a "
					   "probability of %.4g on average and of %.0f for "
					   "certain",
					   attack.known, attack.right / attack.known,
					   attack.certain);
}
