/*
 * transparency.c
 *		What rules that are known leave possible: B_j(x) and its intersection.
 *
 * The rules of the keys are turned into parts; each asks for the fields it
 * needs, both files are read, and each part finds its sets.  The sets of a
 * record are intersected, and what is left is compared by how likely the
 * rules make it and by distance.
 */
#include "postgres.h"

#include <math.h>

#include "kernel/attack/link_file.h"
#include "pg/call/params.h"
#include "pg/call/params_members.h"
#include "pg/call/params_names.h"
#include "pg/data/number.h"
#include "pg/disclosure/candidates.h"
#include "pg/disclosure/transparency_read.h"
#include "pg/server/compat.h"

/* Costs that differ by less are equal: rounding must not break a tie. */
#define TIE_SHARE 1e-9
#define TIE       1e-20

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

/* A file of the keys that are numbers, brought to standard scores. */
static void
fill_file(SdcTransparency *transparency, bool masked, SdcLinkFile *file)
{
	SdcHost *host = &transparency->host->kernel;
	const SdcFrame *frame =
		masked ? transparency->masked.frame : transparency->original.frame;
	int j;

	memset(file, 0, sizeof(*file));
	file->rows = frame->rows;
	file->columns = transparency->numbers;
	file->value = sdc_new(host, double *, file->columns);
	file->missing = sdc_new(host, bool *, file->columns);
	for (j = 0; j < file->columns; j++)
	{
		const SdcTransparencyPair *pair = &transparency->number[j];
		const SdcFrameColumn *column =
			&frame->column[masked ? pair->masked : pair->original];

		file->value[j] = sdc_new(host, double, file->rows);
		memcpy(file->value[j], column->number, sizeof(double) * file->rows);
		file->missing[j] = column->isnull;
	}
}

/* Missing scores are NaN from here on. */
static double **
mark_missing(SdcLinkFile *file)
{
	int32 i;
	int j;

	for (j = 0; j < file->columns; j++)
		for (i = 0; i < file->rows; i++)
			if (file->missing[j][i])
				file->value[j][i] = NAN;
	return file->value;
}

/* The part that a numeric key belongs to. */
static SdcTransparencyPart *
part_of(SdcTransparency *transparency, int number)
{
	int field = transparency->number[number].original;
	const char *sql = transparency->original.sql[field];
	int i;
	int j;

	for (i = 0; i < transparency->parts; i++)
		for (j = 0; j < transparency->part[i].columns; j++)
			if (strcmp(psprintf("r.%s", transparency->part[i].original[j].sql),
					   sql) == 0)
				return &transparency->part[i];
	return NULL;
}

/*
 * Alone, squared distances are simply added.  Beside likelihoods each column
 * is brought to their scale; a column that has a likelihood needs no distance.
 */
static void
weigh_columns(SdcTransparency *transparency)
{
	SdcHost *host = &transparency->host->kernel;
	SdcCandidateScore *score = &transparency->score;
	int j;

	score->divisor = sdc_new(host, double, score->columns);
	for (j = 0; j < score->columns; j++)
	{
		SdcTransparencyPart *part = part_of(transparency, j);

		score->divisor[j] = 1;
		if (transparency->weighted && part->weighted)
			score->divisor[j] = 0;
		else if (transparency->weighted)
			score->divisor[j] = sdc_candidate_score_spread(
				host, &part->set, score->original[j],
				transparency->original.frame->rows, score->masked[j],
				transparency->masked.frame->rows);
	}
}

static void
prepare_scores(SdcTransparency *transparency)
{
	SdcHost *host = &transparency->host->kernel;
	SdcCandidateScore *score = &transparency->score;
	SdcCandidateWeight *weight =
		sdc_new(host, SdcCandidateWeight, transparency->parts);
	SdcLinkFile original;
	SdcLinkFile masked;
	int i;

	for (i = 0; i < transparency->parts; i++)
		if (transparency->part[i].weighted)
			weight[score->weights++] = transparency->part[i].weight;
	transparency->weighted = score->weights > 0;
	score->weight = weight;
	fill_file(transparency, false, &original);
	fill_file(transparency, true, &masked);
	sdc_link_file_standardize(host, &original, &masked);
	score->columns = transparency->numbers;
	score->original = mark_missing(&original);
	score->masked = mark_missing(&masked);
	weigh_columns(transparency);
}

/* A search in all parts, or in the exact ones. */
static SdcCandidateSearch *
create_search(SdcTransparency *transparency, bool exact)
{
	SdcHost *host = &transparency->host->kernel;
	const SdcCandidateSet **set =
		sdc_new(host, const SdcCandidateSet *, transparency->parts);
	int count = 0;
	int i;

	for (i = 0; i < transparency->parts; i++)
		if (transparency->part[i].exact || !exact)
			set[count++] = &transparency->part[i].set;
	return sdc_candidate_search_create(host, count, set,
									   transparency->masked.frame->rows);
}

void
sdcpg_transparency_prepare(SdcTransparency *transparency)
{
	int i;

	transparency->all_exact = true;
	for (i = 0; i < transparency->parts; i++)
		transparency->all_exact &= transparency->part[i].exact;
	transparency->search = create_search(transparency, false);
	if (!transparency->all_exact)
		transparency->exact = create_search(transparency, true);
	prepare_scores(transparency);
}

/* Looks for the least cost, and whether only one has it. */
static void
find_best(SdcTransparencyRecord *record, int columns)
{
	double least = INFINITY;
	double limit;
	int32 near = 0;
	int32 t;

	record->best = -1;
	for (t = 0; t < record->candidates; t++)
		if (record->cost[t] < least)
		{
			least = record->cost[t];
			record->best = t;
		}
	limit = least * (1 + TIE_SHARE) + columns * TIE;
	for (t = 0; t < record->candidates; t++)
		near += record->cost[t] <= limit;
	record->unique = near == 1;
}

/* Must the only candidate be the right one? */
static bool
is_certain(SdcTransparency *transparency, int32 i, int32 candidates)
{
	if (candidates != 1 || transparency->sampled)
		return false;
	if (transparency->exact == NULL)
		return true;
	sdc_candidate_search_run(transparency->exact, i, 1);
	return transparency->exact->count == 1;
}

/* Turns deviances into probabilities. */
static void
find_probabilities(const SdcTransparency *transparency, double *deviance,
				   int32 count)
{
	double least = INFINITY;
	double sum = 0;
	int32 t;

	for (t = 0; t < count && transparency->weighted; t++)
		least = Min(least, deviance[t]);
	for (t = 0; t < count; t++)
	{
		deviance[t] =
			transparency->weighted ? exp((least - deviance[t]) / 2) : 1;
		sum += deviance[t];
	}
	for (t = 0; t < count; t++)
		deviance[t] /= sum;
}

void
sdcpg_transparency_record(SdcTransparency *transparency, int32 i,
						  SdcTransparencyRecord *record)
{
	SdcHost *host = &transparency->host->kernel;
	SdcCandidateSearch *search = transparency->search;
	int32 rows = transparency->masked.frame->rows;

	if (record->squared == NULL)
	{
		record->squared = sdc_new(host, double, rows);
		record->probability = sdc_new(host, double, rows);
		record->cost = sdc_new(host, double, rows);
	}
	sdc_candidate_search_run(search, i, rows);
	record->candidates = search->count;
	record->row = search->row;
	record->certain = is_certain(transparency, i, search->count);
	sdc_candidate_score_run(&transparency->score, i, record->row,
							record->candidates, record->squared,
							record->probability, record->cost);
	find_probabilities(transparency, record->probability, record->candidates);
	find_best(record, transparency->score.columns);
}

SdcLinkSuccess
sdcpg_transparency_success(SdcTransparency *transparency)
{
	SdcHost *host = &transparency->host->kernel;
	int32 rows = transparency->original.frame->rows;
	SdcLinkSuccess found = {0, 0, 0, 0, 0};
	SdcTransparencyRecord record;
	int32 i;
	int32 t;

	memset(&record, 0, sizeof(record));
	host->stage(host, "intersecting");
	for (i = 0; i < rows; i++)
	{
		int32 partner = transparency->partner[i];
		bool linked;

		if (i % 256 == 0)
			host->poll(host, i, rows);
		if (partner < 0)
			continue;
		sdcpg_transparency_record(transparency, i, &record);
		linked = sdcpg_transparency_links_to(&record, partner);
		found.records++;
		found.unique_right += linked;
		found.claimed += record.certain;
		found.claimed_right += record.certain && linked;
		for (t = 0; t < record.candidates; t++)
			if (record.row[t] == partner)
				found.right += record.probability[t] * transparency->share;
	}
	return found;
}
