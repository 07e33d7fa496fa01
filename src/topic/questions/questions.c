/*
 * questions.c
 *		sdc.gdpr_report and its four attacks: singling out, linkability,
 *		inference, closest record.
 *
 * The original, the masked relation and, where there is one, the control are
 * read as files of the same columns; no id is needed, so a synthetic table is
 * attacked like any masked one.  The report and the rows of the registry call
 * the same functions.
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_collation.h"
#include "catalog/pg_type.h"
#include "lib/stringinfo.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/jsonb.h"
#include "utils/lsyscache.h"

#include "host/call/params.h"
#include "host/call/relation.h"
#include "host/call/report.h"
#include "host/data/alignment.h"
#include "host/data/column.h"
#include "host/data/dictionary.h"
#include "host/data/rows.h"
#include "host/server/compat.h"
#include "host/server/host.h"
#include "host/server/result.h"
#include "kernel/base/host.h"
#include "kernel/base/matrix.h"
#include "kernel/base/random.h"
#include "kernel/questions/questions.h"
#include "topic/questions/questions.h"
#include "topic/registry/attacks.h"
#include "topic/registry/roles.h"

PG_FUNCTION_INFO_V1(sdcf_gdpr_report);

#define SINGLING_OUT      "singling_out"
#define LINKABILITY       "linkability"
#define NEAREST_INFERENCE "nearest_inference"
#define CLOSEST_RECORD    "closest_record"

/* clang-format off */
/* Keys of params; the first two of all four questions. */
#define CONTROL   {"control", SDC_KEY_TEXT, .need = sdcpg_relation_need}
#define ATTACKS   {"n", SDC_KEY_INTEGER, .low = 1, .high = 1000000, \
				   .absent = "2000"}
#define COLUMNS   {"columns", SDC_KEY_INTEGER, .low = 2, .high = 16, \
				   .absent = "3"}
#define NEAREST   {"k", SDC_KEY_INTEGER, .low = 1, .high = 1000, \
				   .absent = "1"}
#define SIDES     {"sides", SDC_KEY_NAMES, .low = 2, \
				   .names = SDC_NAMES_COLUMNS | SDC_NAMES_LISTS}
#define TOLERANCE {"tolerance", SDC_KEY_NUMBER, .low = 0, .high = 1, \
				   .absent = "0.05"}
#define SECRET    {"secret", SDC_KEY_NAMES, .names = SDC_NAMES_COLUMNS}
/* clang-format on */

const SdcKey sdcpg_singling_out_params[] = {CONTROL, ATTACKS, COLUMNS, {NULL}};
const SdcKey sdcpg_linkability_params[] = {
	CONTROL, ATTACKS, NEAREST, SIDES, {NULL}};
const SdcKey sdcpg_nearest_inference_params[] = {
	CONTROL, ATTACKS, TOLERANCE, SECRET, {NULL}};
const SdcKey sdcpg_closest_record_params[] = {CONTROL, ATTACKS, {NULL}};

static const char *const measures[] = {
	SINGLING_OUT, LINKABILITY, NEAREST_INFERENCE, CLOSEST_RECORD, NULL};
static const SdcKey report_params[] = {ATTACKS,   COLUMNS, NEAREST, SIDES,
									   TOLERANCE, SECRET,  {NULL}};

/* What is asked, and of what. */
typedef struct Asking
{
	SdcPgHost *host;
	const SdcRelation *original;
	const SdcRelation *masked;
	const SdcRelation *control; /* NULL: none */
	SdcRelationColumns columns; /* of the original */
	ArrayType *sensitive;       /* name[]; NULL: every column is a secret */
	Jsonb *params;
	int32 attacks;
	SdcAlignment alignment; /* only described */
	SdcDictionary **dictionary;
	SdcQuestions questions;
	SdcRandom random;
} Asking;

/* ----------------------------------------------------------------------
 * The files.
 * ----------------------------------------------------------------------
 */

static char *
write_query(const Asking *asking, const SdcRelation *relation)
{
	StringInfoData sql;
	int j;

	initStringInfo(&sql);
	for (j = 0; j < asking->columns.count; j++)
	{
		SdcRelationColumn column =
			sdcpg_relation_column(relation, asking->columns.column[j].name);

		appendStringInfo(&sql, "%s r.%s", j > 0 ? "," : "SELECT", column.sql);
	}
	appendStringInfo(&sql, " FROM %s AS r", relation->sql);
	return sql.data;
}

/* Reads a file; codes are in the order of arrival still. */
static void
read_file(Asking *asking, const SdcRelation *relation, SdcQuestionFile *file)
{
	SdcHost *kernel = &asking->host->kernel;
	int count = asking->columns.count;
	SdcFrameType *types = palloc(sizeof(SdcFrameType) * count);
	SdcFrame *frame;
	int32 i;
	int j;

	for (j = 0; j < count; j++)
		types[j] = asking->alignment.column[j].number ? SDC_FRAME_NUMBER
													  : SDC_FRAME_CODE;
	frame = sdcpg_frame_load_codes(asking->host, write_query(asking, relation),
								   count, types, asking->dictionary);
	file->rows = frame->rows;
	for (j = 0; j < count; j++)
	{
		const SdcAlignedColumn *column = &asking->alignment.column[j];
		double unit = relation == asking->masked ? column->masked_unit
												 : column->original_unit;

		if (!column->number)
		{
			file->code[j] = frame->column[j].code;
			continue;
		}
		file->number[j] =
			sdcpg_frame_numbers(kernel, &frame->column[j], frame->rows);
		for (i = 0; i < frame->rows; i++)
			file->number[j][i] *= unit;
	}
}

static void
empty_file(SdcQuestionFile *file, int columns)
{
	memset(file, 0, sizeof(*file));
	file->number = palloc0(sizeof(double *) * columns);
	file->code = palloc0(sizeof(int32 *) * columns);
}

/* A control that has no records still has columns. */
static void
match_kinds(const SdcQuestionFile *like, SdcQuestionFile *file, int columns)
{
	static double no_number[1];
	static int32 no_code[1];
	int j;

	for (j = 0; j < columns; j++)
	{
		if (like->number[j] != NULL && file->number[j] == NULL)
			file->number[j] = no_number;
		if (like->number[j] == NULL && file->code[j] == NULL)
			file->code[j] = no_code;
	}
}

/* Turns the codes of all files into ranks of values. */
static void
rank_codes(Asking *asking)
{
	SdcQuestionFile *file[] = {&asking->questions.used,
							   &asking->questions.released,
							   &asking->questions.control};
	int32 i;
	int f;
	int j;

	for (j = 0; j < asking->columns.count; j++)
	{
		const int32 *rank;

		if (asking->alignment.column[j].number)
			continue;
		rank = sdcpg_dictionary_sort(asking->dictionary[j]);
		for (f = 0; f < lengthof(file); f++)
			for (i = 0; i < file[f]->rows; i++)
				if (file[f]->code[j][i] >= 0)
					file[f]->code[j][i] = rank[file[f]->code[j][i]];
	}
}

static void
load(Asking *asking)
{
	SdcQuestions *questions = &asking->questions;
	int count = asking->columns.count;
	int j;

	if (count > SDC_MAX_COLUMNS)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("more than %d columns to compare", SDC_MAX_COLUMNS)));
	sdcpg_alignment_describe(&asking->alignment, asking->original,
							 asking->masked, NULL, &asking->columns);
	asking->dictionary = palloc0(sizeof(SdcDictionary *) * count);
	for (j = 0; j < count; j++)
		if (asking->alignment.column[j].as_text)
			asking->dictionary[j] = sdcpg_dictionary_new(
				asking->host, TEXTOID, DEFAULT_COLLATION_OID);
	questions->columns = count;
	empty_file(&questions->used, count);
	empty_file(&questions->released, count);
	empty_file(&questions->control, count);
	read_file(asking, asking->original, &questions->used);
	read_file(asking, asking->masked, &questions->released);
	if (asking->control != NULL)
		read_file(asking, asking->control, &questions->control);
	match_kinds(&questions->used, &questions->control, count);
	rank_codes(asking);
	sdc_question_scale(&asking->host->kernel, questions);
}

/* The control must have the columns of the original, with their types. */
static void
check_control(const Asking *asking)
{
	int j;

	for (j = 0; j < asking->columns.count && asking->control != NULL; j++)
	{
		const SdcRelationColumn *column = &asking->columns.column[j];

		if (sdcpg_relation_column(asking->control, column->name).base !=
			column->base)
			ereport(ERROR,
					(errcode(ERRCODE_DATATYPE_MISMATCH),
					 errmsg("column \"%s\" has another type in the control",
							column->name),
					 errdetail("A control holds records of the original that "
							   "were not used.")));
	}
}

/*
 * How many attacks are tried: those asked for, within the budget of the row of
 * the registry.
 */
static int32
attacks_asked(const Asking *asking, double budget)
{
	double pairs = (double) Max(asking->questions.released.rows, 1) *
				   asking->columns.count;

	return Min(sdcpg_keys_integer(report_params, asking->params, "n"),
			   Max(1, (int64) (budget / pairs)));
}

/* ----------------------------------------------------------------------
 * What an answer is in words.
 * ----------------------------------------------------------------------
 */

/* "12 of 2000" */
static char *
out_of(double right, double tried)
{
	return psprintf("%.6g of %.0f", floor(right * 100 + 0.5) / 100, tried);
}

/* The figures of a count as sentences. */
static char *
tell(const char *what, const SdcQuestionCount *count,
	 const SdcQuestionRisk *risk)
{
	StringInfoData text;

	initStringInfo(&text);
	appendStringInfo(&text, "%s in %s attacks, by guessing in %s", what,
					 out_of(count->used_right, count->used),
					 out_of(count->guess_right, count->used));
	if (count->control > 0)
		appendStringInfo(&text, ", of people who were not used in %s",
						 out_of(count->control_right, count->control));
	if (isnan(risk->risk))
		appendStringInfoString(&text, "; the risk beyond that is undefined");
	else
		appendStringInfo(&text,
						 "; the risk%s is %.4g, with 95 %% confidence %.4g to "
						 "%.4g",
						 count->control > 0 ? " beyond that" : "", risk->risk,
						 risk->low, risk->high);
	if (!risk->better)
		appendStringInfoString(
			&text, "; the attack is no better than guessing, which proves "
				   "nothing");
	if (count->control <= 0)
		appendStringInfoString(
			&text, "; without a control what holds of everybody is in it");
	return text.data;
}

/* ----------------------------------------------------------------------
 * The questions.  Each answers with lines: a subject, a count, a sentence.
 * ----------------------------------------------------------------------
 */

typedef struct Answer
{
	char *subject;
	SdcQuestionCount count;
	SdcQuestionRisk risk;
	char *sentence;
} Answer;

typedef struct Answers
{
	int count;
	Answer *answer;
	SdcQuestionClosest closest; /* of the closest record only */
} Answers;

static void
add_answer(Answers *answers, char *subject, const char *what,
		   const SdcQuestionCount *count)
{
	Answer *answer;

	if (answers->answer == NULL)
		answers->answer = palloc(sizeof(Answer) * (SDC_MAX_COLUMNS + 2));
	answer = &answers->answer[answers->count++];
	answer->subject = subject;
	answer->count = *count;
	answer->risk = sdc_question_risk(count);
	answer->sentence = tell(what, count, &answer->risk);
}

static void
ask_singling_out(Asking *asking, Answers *answers)
{
	SdcHost *kernel = &asking->host->kernel;
	int columns = sdcpg_keys_integer(report_params, asking->params, "columns");
	SdcQuestionCount count;

	count = sdc_question_single_out(kernel, &asking->questions, 1,
									asking->attacks, &asking->random);
	add_answer(answers, "one column",
			   "A description by one column that fits one released record "
			   "fits one original",
			   &count);
	if (asking->columns.count < 2)
		return;
	columns = Min(columns, asking->columns.count);
	count = sdc_question_single_out(kernel, &asking->questions, columns,
									asking->attacks, &asking->random);
	add_answer(answers, psprintf("%d columns", columns),
			   "A description by several columns that fits one released "
			   "record fits one original",
			   &count);
}

/* The place of a column that is asked about; stops at any other name. */
static int
column_place(const Asking *asking, const char *key, const char *name)
{
	int j;

	for (j = 0; j < asking->columns.count; j++)
		if (strcmp(asking->columns.column[j].name, name) == 0)
			return j;
	ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					errmsg("key \"%s\" in argument \"params\" names \"%s\", "
						   "which is not a column that is compared",
						   key, name)));
}

/* What an intruder knows in one place and in the other. */
static int *
read_sides(const Asking *asking)
{
	List *lists = sdcpg_params_names(asking->params, "sides");
	int count = asking->columns.count;
	int *side = palloc0(sizeof(int) * count);
	int s = 1;
	ListCell *cell;
	int j;

	if (lists == NIL)
		for (j = 0; j < count; j++)
			side[j] = j < (count + 1) / 2 ? 1 : 2;
	foreach (cell, lists)
	{
		char *rest = pstrdup(lfirst(cell));
		char *name;

		while ((name = sdcpg_params_next_name(&rest)) != NULL)
		{
			j = column_place(asking, "sides", name);
			if (side[j] != 0)
				sdcpg_params_wrong("sides", "two lists that share no column");
			side[j] = s;
		}
		s++;
	}
	return side;
}

static void
ask_linkability(Asking *asking, Answers *answers)
{
	int k = sdcpg_keys_integer(report_params, asking->params, "k");
	SdcQuestionCount count;

	if (asking->columns.count < 2)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("linkability needs two columns at least")));
	count = sdc_question_link(&asking->host->kernel, &asking->questions,
							  read_sides(asking),
							  Min(k, Max(asking->questions.released.rows, 1)),
							  asking->attacks, &asking->random);
	add_answer(answers, psprintf("%d nearest", k),
			   "What is known of a person in two places leads to one released "
			   "record",
			   &count);
}

/* The columns that an intruder wants to know. */
static bool *
read_secrets(const Asking *asking)
{
	List *names = sdcpg_params_names(asking->params, "secret");
	bool *secret = palloc0(sizeof(bool) * asking->columns.count);
	ListCell *cell;
	Datum *element;
	int count;
	int j;

	foreach (cell, names)
		secret[column_place(asking, "secret", lfirst(cell))] = true;
	if (names == NIL && asking->sensitive != NULL)
	{
		deconstruct_array(asking->sensitive, NAMEOID, NAMEDATALEN, false,
						  TYPALIGN_CHAR, &element, NULL, &count);
		for (j = 0; j < count; j++)
			secret[column_place(asking, "secret",
								NameStr(*DatumGetName(element[j])))] = true;
	}
	else if (names == NIL)
		memset(secret, true, sizeof(bool) * asking->columns.count);
	return secret;
}

static int
compare_answers(const void *a, const void *b)
{
	const Answer *x = a;
	const Answer *y = b;
	double p = isnan(x->risk.high) ? 2 : x->risk.high;
	double q = isnan(y->risk.high) ? 2 : y->risk.high;

	if (p != q)
		return p > q ? -1 : 1;
	return strcmp(x->subject, y->subject);
}

static void
ask_inference(Asking *asking, Answers *answers)
{
	double tolerance =
		sdcpg_keys_number(report_params, asking->params, "tolerance");
	bool *secret = read_secrets(asking);
	SdcQuestionCount *count =
		palloc(sizeof(SdcQuestionCount) * asking->columns.count);
	int j;

	if (asking->columns.count < 2)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("inference needs two columns at least")));
	sdc_question_infer(&asking->host->kernel, &asking->questions, secret,
					   tolerance, asking->attacks, &asking->random, count);
	for (j = 0; j < asking->columns.count; j++)
		if (secret[j])
			add_answer(answers, asking->columns.column[j].name,
					   "The released record nearest by the other columns "
					   "has the value of a person",
					   &count[j]);
	if (answers->count > 1)
		qsort(answers->answer, answers->count, sizeof(Answer),
			  compare_answers);
}

static void
ask_closest(Asking *asking, Answers *answers)
{
	SdcQuestionClosest *closest = &answers->closest;

	*closest = sdc_question_closest(&asking->host->kernel, &asking->questions,
									asking->attacks, &asking->random);
	add_answer(answers, "copies",
			   "A released record is equal to that of a person",
			   &closest->copies);
	if (closest->tried == 0)
		return;
	answers->answer[answers->count - 1].sentence =
		psprintf("%s; of %.0f released records %.4g of all are nearer to a "
				 "used record than to one of the control, of as many (0.5 is "
				 "expected)",
				 answers->answer[answers->count - 1].sentence, closest->tried,
				 closest->nearer / closest->tried);
}

/* ----------------------------------------------------------------------
 * As attacks of the registry.
 * ----------------------------------------------------------------------
 */

/* The keys and the sensitive columns that the masked relation has. */
static void
find_case_columns(Asking *asking, const SdcAttackCase *of)
{
	ArrayType *lists[] = {of->keys, of->sensitive};
	SdcRelationColumns *columns = &asking->columns;
	Datum *element;
	int count;
	int l;
	int i;

	columns->column =
		palloc(sizeof(SdcRelationColumn) * MaxHeapAttributeNumber);
	for (l = 0; l < lengthof(lists); l++)
	{
		if (lists[l] == NULL)
			continue;
		deconstruct_array(lists[l], NAMEOID, NAMEDATALEN, false, TYPALIGN_CHAR,
						  &element, NULL, &count);
		for (i = 0; i < count; i++)
		{
			const char *name = NameStr(*DatumGetName(element[i]));

			if (get_attnum(of->masked->oid, name) != InvalidAttrNumber &&
				!sdcpg_relation_lists(columns,
									  get_attnum(of->original->oid, name)))
				columns->column[columns->count++] =
					sdcpg_relation_column(of->original, name);
		}
	}
}

/* Those of the sensitive columns that are compared; NULL: all are secrets. */
static ArrayType *
compared_secrets(const Asking *asking, ArrayType *sensitive)
{
	Datum *element;
	int count;
	int kept = 0;
	int i;

	if (sensitive == NULL)
		return NULL;
	deconstruct_array(sensitive, NAMEOID, NAMEDATALEN, false, TYPALIGN_CHAR,
					  &element, NULL, &count);
	for (i = 0; i < count; i++)
		if (sdcpg_relation_lists(
				&asking->columns,
				get_attnum(asking->original->oid,
						   NameStr(*DatumGetName(element[i])))))
			element[kept++] = element[i];
	return kept == 0 ? NULL
					 : construct_array(element, kept, NAMEOID, NAMEDATALEN,
									   false, TYPALIGN_CHAR);
}

static Asking *
begin_case(const SdcAttack *attack, const SdcAttackCase *of, SdcPgHost *host)
{
	Asking *asking = palloc0(sizeof(Asking));
	char *control = sdcpg_params_text(of->params, "control");

	asking->host = host;
	asking->original = of->original;
	asking->masked = of->masked;
	asking->params = of->params;
	if (control != NULL)
		asking->control = sdcpg_relation_named(control);
	find_case_columns(asking, of);
	asking->sensitive = compared_secrets(asking, of->sensitive);
	check_control(asking);
	load(asking);
	asking->attacks = attacks_asked(asking, attack->budget);
	if (of->seeded)
		sdc_random_seed(&asking->random, (uint64) of->seed, 0);
	else
		sdcpg_strong_random(&asking->random);
	return asking;
}

/* The worst answer is what an attack found, with the interval of its risk. */
static void
end_case(const Asking *asking, Answers *answers, SdcAttackOutcome *outcome)
{
	const Answer *worst = NULL;
	int i;

	if (asking->questions.used.rows == 0 ||
		asking->questions.released.rows == 0)
	{
		outcome->reason = "A relation has no records.";
		return;
	}
	for (i = 0; i < answers->count; i++)
		if (answers->answer[i].count.used > 0 &&
			(worst == NULL || compare_answers(&answers->answer[i], worst) < 0))
			worst = &answers->answer[i];
	if (worst == NULL)
	{
		sdcpg_attack_share(outcome, 0, 0,
						   "has nothing to try: no value or description fits "
						   "one released record only");
		return;
	}
	if (isnan(worst->risk.risk))
	{
		outcome->reason = "The control is found as a rule, so that nothing "
						  "can be said of those who were used.";
		return;
	}
	sdcpg_attack_share(outcome, worst->risk.risk, worst->count.used,
					   "finds, by %s: %s", worst->subject, worst->sentence);
	outcome->upper[SDC_STAT_FOUND] = worst->risk.high;
}

static void
run_case(const SdcAttack *attack, const SdcAttackCase *of, SdcPgHost *host,
		 SdcAttackOutcome *outcome,
		 void (*ask)(Asking *asking, Answers *answers))
{
	Asking *asking = begin_case(attack, of, host);
	Answers answers = {0};

	if (asking->questions.used.rows > 0 && asking->questions.released.rows > 0)
		ask(asking, &answers);
	end_case(asking, &answers, outcome);
}

void
sdcpg_attack_singling_out(const SdcAttack *attack, const SdcAttackCase *of,
						  SdcPgHost *host, SdcAttackOutcome *outcome)
{
	run_case(attack, of, host, outcome, ask_singling_out);
}

void
sdcpg_attack_linkability(const SdcAttack *attack, const SdcAttackCase *of,
						 SdcPgHost *host, SdcAttackOutcome *outcome)
{
	run_case(attack, of, host, outcome, ask_linkability);
}

void
sdcpg_attack_nearest_inference(const SdcAttack *attack,
							   const SdcAttackCase *of, SdcPgHost *host,
							   SdcAttackOutcome *outcome)
{
	run_case(attack, of, host, outcome, ask_inference);
}

void
sdcpg_attack_closest_record(const SdcAttack *attack, const SdcAttackCase *of,
							SdcPgHost *host, SdcAttackOutcome *outcome)
{
	run_case(attack, of, host, outcome, ask_closest);
}

/* ----------------------------------------------------------------------
 * sdc.gdpr_report.
 * ----------------------------------------------------------------------
 */

/* All columns of both relations that say something of a person. */
static SdcRelationColumns
common_columns(const SdcRelation *original, const SdcRelation *masked)
{
	SdcRelationColumns columns = sdcpg_relation_all_columns(original);
	SdcRoles *roles = sdcpg_roles_find(original->oid);
	int count = 0;
	int j;

	for (j = 0; j < columns.count; j++)
	{
		const SdcRoleColumn *role =
			sdcpg_roles_declared(roles, columns.column[j].name);

		if (get_attnum(masked->oid, columns.column[j].name) !=
				InvalidAttrNumber &&
			!(role != NULL && (role->role == SDC_ROLE_ID ||
							   role->role == SDC_ROLE_IDENTIFIER ||
							   role->role == SDC_ROLE_PERSON)))
			columns.column[count++] = columns.column[j];
	}
	columns.count = count;
	if (count == 0)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("the relations have no column in common that "
							   "can be compared")));
	return columns;
}

/* Adds the sensitive columns that are not among the keys. */
static void
add_sensitive(Asking *asking, ArrayType *names)
{
	SdcRelationColumns sensitive =
		sdcpg_relation_columns(asking->original, "sensitive", names);
	SdcRelationColumns *all = &asking->columns;
	int i;

	all->column =
		repalloc(all->column, sizeof(SdcRelationColumn) *
								  (all->count + sensitive.count + 1));
	for (i = 0; i < sensitive.count; i++)
	{
		if (!sdcpg_relation_lists(all, sensitive.column[i].number))
			all->column[all->count++] = sensitive.column[i];
	}
	asking->sensitive = names;
}

static void
put_answers(const SdcReport *report, const char *measure,
			const Answers *answers)
{
	int i;

	for (i = 0; i < answers->count; i++)
	{
		const Answer *answer = &answers->answer[i];
		const SdcQuestionRisk *risk = &answer->risk;
		bool none = answer->count.used <= 0;

		sdcpg_result_measure(report->result, measure, answer->subject,
							 risk->risk, none || isnan(risk->risk),
							 none ? "Nothing fits one released record only."
								  : psprintf("%s.", answer->sentence));
		sdcpg_result_measure(report->result, psprintf("%s_upper", measure),
							 answer->subject, risk->high,
							 none || isnan(risk->high),
							 "The upper end of its 95 % interval.");
		sdcpg_result_measure(report->result, psprintf("%s_rate", measure),
							 answer->subject, risk->used.rate, none,
							 "Attacks that succeed, whoever is attacked.");
	}
}

static void
put_distances(const SdcReport *report, const SdcQuestionClosest *closest)
{
	static const char *const who[] = {"used", "control"};
	int f;

	if (closest->tried == 0)
		return;
	sdcpg_result_measure(
		report->result, "closest_record_nearer", "all columns",
		closest->nearer / closest->tried, false,
		"Share of released records nearer to a used record than to one of the "
		"control, of as many; 0.5 is expected of records that were not used.");
	for (f = 0; f < 2; f++)
	{
		sdcpg_result_measure(
			report->result, "closest_record_median", who[f],
			closest->median[f], false,
			"Median distance of released records to the nearest one, as a "
			"mean of the columns.");
		sdcpg_result_measure(report->result, "closest_record_quantile", who[f],
							 closest->low[f], false,
							 "The same: 5 % are nearer.");
	}
}

static void
ask_all(Asking *asking, const SdcReport *report)
{
	static void (*const ask[])(Asking * asking, Answers * answers) = {
		ask_singling_out, ask_linkability, ask_inference, ask_closest};
	int i;

	for (i = 0; measures[i] != NULL; i++)
	{
		Answers answers = {0};

		if (!sdcpg_report_wants(report, measures[i]))
			continue;
		asking->host->kernel.stage(&asking->host->kernel, measures[i]);
		asking->attacks =
			attacks_asked(asking, sdcpg_attack_find(measures[i])->budget);
		ask[i](asking, &answers);
		put_answers(report, measures[i], &answers);
		put_distances(report, &answers.closest);
	}
}

static void
read_arguments(FunctionCallInfo fcinfo, Asking *asking)
{
	sdcpg_args_need_first(fcinfo, 2);
	asking->params = PG_ARGISNULL(6) ? NULL : PG_GETARG_JSONB_P(6);
	sdcpg_params_check_keys(asking->params, report_params);
	asking->original = sdcpg_relation_find(PG_GETARG_OID(0));
	asking->masked = sdcpg_relation_find(PG_GETARG_OID(1));
	asking->columns = PG_ARGISNULL(2)
						  ? common_columns(asking->original, asking->masked)
						  : sdcpg_relation_columns(asking->original, "keys",
												   PG_GETARG_ARRAYTYPE_P(2));
	if (!PG_ARGISNULL(3))
		add_sensitive(asking, PG_GETARG_ARRAYTYPE_P(3));
	if (!PG_ARGISNULL(4))
		asking->control = sdcpg_relation_find(PG_GETARG_OID(4));
	check_control(asking);
}

/*
 * gdpr_report(original regclass, masked regclass, keys columns,
 *             sensitive columns, control regclass, measures text[],
 *             params jsonb, seed bigint)
 */
Datum
sdcf_gdpr_report(PG_FUNCTION_ARGS)
{
	SdcReport *report =
		sdcpg_report_begin(fcinfo, measures, lengthof(measures) - 1,
						   PG_ARGISNULL(5) ? NULL : PG_GETARG_ARRAYTYPE_P(5));
	Asking asking;

	memset(&asking, 0, sizeof(asking));
	read_arguments(fcinfo, &asking);
	asking.host = sdcpg_host_begin("gdpr_report", CurrentMemoryContext);
	load(&asking);
	if (PG_ARGISNULL(7))
		sdcpg_strong_random(&asking.random);
	else
		sdc_random_seed(&asking.random, (uint64) PG_GETARG_INT64(7), 0);
	if (asking.questions.used.rows > 0 && asking.questions.released.rows > 0)
		ask_all(&asking, report);
	sdcpg_host_end(asking.host);
	return (Datum) 0;
}
