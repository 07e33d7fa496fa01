/*
 * transparency.c
 *		What rules that are known leave possible: B_j(x) and its intersection.
 *
 * The rules of the keys are turned into parts; each asks for the fields it
 * needs, both files are read, and each part finds its sets.  What is made of
 * them is in transparency_record.c.
 */
#include "postgres.h"

#include "pg/call/params.h"
#include "pg/call/params_members.h"
#include "pg/call/params_names.h"
#include "pg/data/number.h"
#include "pg/disclosure/candidates.h"
#include "pg/disclosure/transparency_read.h"
#include "pg/server/compat.h"

/* The masked column of a key of the original. */
static SdcRelationColumn
masked_column(const SdcTransparency *transparency,
			  const SdcRelationColumn *column)
{
	return sdcpg_relation_column(
		transparency->masked.relation,
		sdcpg_params_renamed(transparency->params, "map", column->name));
}

/* Starts a part with room for so many columns. */
static SdcTransparencyPart *
add_part(SdcTransparency *transparency, const SdcRule *rule, int columns)
{
	SdcTransparencyPart *part = &transparency->part[transparency->parts++];

	memset(part, 0, sizeof(*part));
	part->rule = rule;
	part->kind = rule == NULL ? SDC_MASK_KEEP : rule->method->kind;
	part->original = palloc(sizeof(SdcRelationColumn) * columns);
	part->masked = palloc(sizeof(SdcRelationColumn) * columns);
	part->other = -1;
	return part;
}

static void
add_column(SdcTransparency *transparency, SdcTransparencyPart *part,
		   const SdcRelationColumn *column)
{
	/* may be there already, when columns are put in order */
	memmove(&part->original[part->columns], column, sizeof(*column));
	part->masked[part->columns] = masked_column(transparency, column);
	part->columns++;
	if (part->columns == 1)
		part->subject = column->name;
	else
		part->subject = psprintf("%s,%s", part->subject, column->name);
}

/* The part that a key belongs to, made when it is the first. */
static void
add_key(SdcTransparency *transparency, const SdcRelationColumn *key)
{
	const SdcRule *rule = sdcpg_rules_of(&transparency->rules, key->number);
	bool together =
		rule != NULL && sdcpg_candidates[rule->method->kind].together;
	int i;

	for (i = 0; i < transparency->parts && together; i++)
		if (transparency->part[i].rule == rule)
		{
			add_column(transparency, &transparency->part[i], key);
			return;
		}
	add_column(
		transparency,
		add_part(transparency, rule, together ? rule->columns.count : 1), key);
}

/*
 * Puts the columns of a part in the order of its rule, which the mask took
 * them in.
 */
static void
order_columns(SdcTransparency *transparency, SdcTransparencyPart *part)
{
	const SdcRelationColumns *columns;
	int next = 0;
	int i;
	int j;

	if (part->columns < 2)
		return;
	columns = &part->rule->columns;
	for (i = 0; i < columns->count; i++)
		for (j = next; j < part->columns; j++)
			if (part->original[j].number == columns->column[i].number)
			{
				SdcRelationColumn moved = part->original[j];

				part->original[j] = part->original[next];
				part->original[next++] = moved;
				break;
			}
	part->columns = 0;
	for (j = 0; j < next; j++)
		add_column(transparency, part, &part->original[j]);
}

/* Asks for the standard scores of a key, if it is a number in both files. */
static void
add_number(SdcTransparency *transparency, const SdcRelationColumn *key)
{
	SdcRelationColumn masked = masked_column(transparency, key);
	SdcTransparencyPair *pair;

	if (!sdcpg_number_is(key->base) || !sdcpg_number_is(masked.base))
		return;
	transparency->number_key[transparency->numbers] = key->number;
	pair = &transparency->number[transparency->numbers++];
	pair->original = sdcpg_transparency_field(&transparency->original,
											  psprintf("r.%s", key->sql),
											  SDC_FRAME_NUMBER, NULL);
	pair->masked = sdcpg_transparency_field(&transparency->masked,
											psprintf("r.%s", masked.sql),
											SDC_FRAME_NUMBER, NULL);
}

/* Says which rule an error is about. */
static void
tell_rule(void *subject)
{
	errcontext("rule of \"%s\"", (const char *) subject);
}

/* Lets the method of a part ask for fields, or find its sets. */
static void
run_part(SdcTransparency *transparency, SdcTransparencyPart *part, bool find)
{
	const SdcCandidateMethod *method = &sdcpg_candidates[part->kind];
	ErrorContextCallback context;

	context.callback = tell_rule;
	context.previous = error_context_stack;
	context.arg = (void *) part->subject;
	error_context_stack = &context;
	if (method->describe == NULL)
		elog(ERROR, "no attack on this masking method");
	if (find)
		method->find(transparency, part);
	else
		method->describe(transparency, part);
	error_context_stack = context.previous;
}

/* Turns the rules of the keys into parts. */
static void
describe_parts(SdcTransparency *transparency)
{
	int i;

	transparency->part =
		palloc(sizeof(SdcTransparencyPart) * (transparency->keys.count + 1));
	transparency->number =
		palloc(sizeof(SdcTransparencyPair) * (transparency->keys.count + 1));
	transparency->number_key =
		palloc(sizeof(AttrNumber) * (transparency->keys.count + 1));
	for (i = 0; i < transparency->keys.count; i++)
	{
		add_key(transparency, &transparency->keys.column[i]);
		add_number(transparency, &transparency->keys.column[i]);
	}
	for (i = 0; i < transparency->parts; i++)
	{
		order_columns(transparency, &transparency->part[i]);
		run_part(transparency, &transparency->part[i], false);
	}
}

/* Notes what the rules say of the rows. */
static void
describe_rows(SdcTransparency *transparency)
{
	int i;

	transparency->share = 1;
	for (i = 0; i < transparency->rules.count; i++)
		if (transparency->rules.rule[i].method->kind == SDC_MASK_SAMPLE_ROWS)
		{
			transparency->sampled = true;
			transparency->share =
				sdcpg_params_number(transparency->rules.rule[i].params, "p",
									100, 0, 100) /
				100;
		}
}

/*
 * A column without a rule should be as it was.  Where it is not, nothing is
 * known of it.
 */
static void
check_unruled(SdcTransparency *transparency, SdcTransparencyPart *part)
{
	int32 i;

	if (part->rule != NULL)
		return;
	for (i = 0; i < transparency->original.frame->rows; i++)
		if (transparency->partner[i] >= 0 &&
			!sdc_candidate_set_has(&part->set, i, transparency->partner[i]))
			break;
	if (i == transparency->original.frame->rows)
		return;
	ereport(NOTICE,
			(errmsg("column \"%s\" has no rule, but is not as it was",
					part->subject),
			 errdetail("It excludes nobody, as if it were not known how it "
					   "was masked.")));
	part->exact = false;
	sdcpg_candidates_whole(transparency, part);
}

void
sdcpg_transparency_load(SdcTransparency *transparency, SdcPgHost *host,
						Oid original, Oid masked, const char *id,
						ArrayType *keys, Jsonb *rules, Jsonb *params)
{
	List *names = NIL;
	int i;

	memset(transparency, 0, sizeof(*transparency));
	transparency->host = host;
	transparency->params = params;
	sdcpg_transparency_file(&transparency->original, original, id);
	sdcpg_transparency_file(&transparency->masked, masked,
							sdcpg_params_renamed(params, "map", id));
	transparency->keys =
		sdcpg_relation_columns(transparency->original.relation, "keys", keys);
	if (transparency->keys.count > SDC_CANDIDATE_PARTS)
		ereport(ERROR, (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
						errmsg("argument \"keys\" names more than %d columns",
							   SDC_CANDIDATE_PARTS)));
	for (i = 0; i < transparency->keys.count; i++)
		names = lappend(names, transparency->keys.column[i].name);
	names = lappend(names, transparency->original.id.name);
	transparency->rules =
		sdcpg_rules_read(rules, transparency->original.relation);
	describe_rows(transparency);
	describe_parts(transparency);
	sdcpg_params_check_renaming(params, "map", names);
	sdcpg_transparency_read(transparency);
	for (i = 0; i < transparency->parts; i++)
	{
		host->kernel.stage(&host->kernel, "finding candidates");
		run_part(transparency, &transparency->part[i], true);
		check_unruled(transparency, &transparency->part[i]);
	}
}
