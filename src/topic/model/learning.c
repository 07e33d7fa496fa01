/*
 * learning.c
 *		Two relations as the tables that models learn from and are asked about.
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_collation.h"
#include "catalog/pg_type.h"
#include "utils/builtins.h"
#include "utils/jsonb.h"

#include "host/call/params.h"
#include "host/call/query.h"
#include "host/call/relation.h"
#include "host/data/alignment.h"
#include "host/data/column.h"
#include "host/data/dictionary.h"
#include "host/data/rows.h"
#include "host/server/compat.h"
#include "host/server/host.h"
#include "host/server/result.h"
#include "kernel/base/host.h"
#include "kernel/base/random.h"
#include "kernel/base/sort.h"
#include "kernel/model/cross_validation.h"
#include "kernel/model/logistic.h"
#include "kernel/model/model.h"
#include "topic/model/learning.h"
#include "topic/registry/roles.h"

static int32 *learning_partners(const SdcLearning *learning, SdcPgHost *host,
								int side);
static SdcModelTable learning_recode(const SdcLearning *learning,
									 SdcPgHost *host, const int32 *partner);

/* ----------------------------------------------------------------------
 * The arguments by which a caller chooses and sets a model.
 * ----------------------------------------------------------------------
 */

/* Methods at the most, with the NULL that ends the list. */
#define MAX_METHODS 16

static const SdcKey learner_keys[] = {SDC_LEARNER_KEYS, {NULL}};

SdcLearner
sdcpg_learner_read(const text *method, Jsonb *params, uint64 seed)
{
	const char *names[MAX_METHODS] = {NULL};
	SdcLearner learner;
	SdcModelSettings *settings = &learner.settings;
	int i;

	for (i = 0; sdc_model_methods[i].name != NULL && i < MAX_METHODS - 1; i++)
		names[i] = sdc_model_methods[i].name;
	learner.method =
		&sdc_model_methods[sdcpg_args_choice("variant", method, names)];
	settings->laplace = sdcpg_keys_number(learner_keys, params, "laplace");
	settings->neighbours =
		sdcpg_keys_integer(learner_keys, params, "neighbours");
	settings->depth = sdcpg_keys_integer(learner_keys, params, "depth");
	settings->leaf = sdcpg_keys_integer(learner_keys, params, "leaf");
	settings->penalty = sdcpg_keys_number(learner_keys, params, "penalty");
	settings->iterations =
		sdcpg_keys_integer(learner_keys, params, "iterations");
	settings->seed = seed;
	learner.bins = sdcpg_keys_integer(learner_keys, params, "bins");
	return learner;
}

void
sdcpg_learner_check_words(const char *method, Jsonb *params)
{
	(void) sdcpg_learner_read(cstring_to_text(method), params, 0);
}

/* The method that predicts the most frequent class. */
static const SdcModelMethod *
learner_baseline(void)
{
	return &sdc_model_methods[0];
}

/* The labelled ones of the first rows of a table. */
static int32 *
labelled_rows(SdcHost *host, const SdcOutcome *outcome, int32 rows,
			  int32 *count)
{
	int32 *row = sdc_new(host, int32, rows);
	int32 i;

	*count = 0;
	for (i = 0; i < rows; i++)
	{
		if (i % SDC_POLL_STEPS == 0)
			host->poll(host, i, rows);
		if (outcome->label[i] != SDC_MODEL_NO_LABEL)
			row[(*count)++] = i;
	}
	return row;
}

void
sdcpg_learner_check(const SdcLearner *learner, SdcPgHost *host,
					const SdcModelTable *table, const SdcOutcome *outcome,
					int32 rows)
{
	const char *name = learner->method->name;
	SdcModelTask task = {table, outcome->label, outcome->classes};
	int32 *row = labelled_rows(&host->kernel, outcome, rows, &task.rows);

	task.row = row;
	if (strcmp(name, "knn") == 0 && learner->settings.neighbours > task.rows)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("more neighbours than records to learn from"),
						errhint("Choose a smaller number in params => "
								"'{\"neighbours\": 1}'.")));
	if (strcmp(name, "logistic") == 0 &&
		sdc_logistic_classes_parameters(&host->kernel, &task) >
			SDC_LOGISTIC_MAX_PARAMETERS)
		ereport(ERROR, (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
						errmsg("logistic regression would have more than %d "
							   "parameters",
							   SDC_LOGISTIC_MAX_PARAMETERS),
						errdetail("Each value of a category is one."),
						errhint("Choose another method, or keys with fewer "
								"values.")));
	host->kernel.release(&host->kernel, row);
}

/* ----------------------------------------------------------------------
 * Sensitive values of original records predicted by models that have
 * not seen them, trained on the original and on the masked relation.
 * ----------------------------------------------------------------------
 */

void
sdcpg_held_out_prepare(SdcHeldOut *held)
{
	const SdcLearning *learning = held->learning;
	SdcHost *host = &held->host->kernel;
	const SdcLearningSide *side = learning->side;
	int count = learning->sensitive.count;
	int s;

	held->asked = side[0].keys;
	held->partner[0] = NULL;
	held->partner[1] = NULL;
	if (learning->id != NULL)
	{
		held->partner[0] = learning_partners(learning, held->host, 0);
		held->partner[1] = learning_partners(learning, held->host, 1);
		held->asked = learning_recode(learning, held->host, held->partner[0]);
	}
	held->original = sdc_new(host, SdcOutcome, count);
	held->masked = sdc_new(host, SdcOutcome, count);
	held->tolerance = sdc_new(host, double, count);
	for (s = 0; s < count; s++)
	{
		const SdcModelColumn *truth = &side[0].sensitive[s];

		held->original[s] =
			sdc_outcome_make(host, truth, side[0].rows, held->learner->bins);
		held->masked[s] = sdc_outcome_make(host, &side[1].sensitive[s],
										   side[1].rows, held->learner->bins);
		sdcpg_learner_check(held->learner, held->host, &side[0].keys,
							&held->original[s], side[0].rows);
		sdcpg_learner_check(held->learner, held->host, &side[1].keys,
							&held->masked[s], side[1].rows);
		held->tolerance[s] =
			truth->number == NULL
				? 0
				: held->p / 100 *
					  sdc_outcome_deviation(host, truth, side[0].rows);
	}
}

const int32 *
sdcpg_held_out_folds(const SdcLearning *learning, SdcPgHost *host,
					 const char *column, int *folds)
{
	SdcFrameType types[2] = {SDC_FRAME_TEXT, SDC_FRAME_CODE};
	SdcDictionary *dictionary[2] = {NULL, NULL};
	SdcRelationColumn fold =
		sdcpg_relation_column(learning->relation[0], column);
	SdcRelationColumns columns = {1, &fold};
	SdcFrame *frame = sdcpg_frame_load_codes(
		host,
		sdcpg_query_records(learning->relation[0], learning->id, &columns), 2,
		types, dictionary);

	(void) sdcpg_dictionary_sort(dictionary[1]);
	*folds = sdcpg_dictionary_values(dictionary[1]);
	return frame->column[1].code;
}

/* The fold of each original row that is asked, -1 for the others. */
static int32 *
deal_folds(const SdcHeldOut *held, int sensitive, int folds, uint64 seed,
		   int32 *asked)
{
	SdcHost *host = &held->host->kernel;
	const SdcLearningSide *side = &held->learning->side[0];
	const SdcOutcome *outcome = &held->original[sensitive];
	int32 *fold = sdc_new(host, int32, side->rows);
	SdcRandom random;
	int32 i;

	sdc_random_seed(&random, seed, 0);
	if (held->fixed == NULL)
		sdc_folds_deal(host, side->rows, folds, &random, fold);
	else
		memcpy(fold, held->fixed, sizeof(int32) * side->rows);
	*asked = 0;
	for (i = 0; i < side->rows; i++)
		*asked += fold[i] >= 0 && outcome->label[i] != SDC_MODEL_NO_LABEL;
	return fold;
}

/* The fold of each masked row is its original's; -1 when it has none. */
static int32 *
carry_folds(const SdcHeldOut *held, const int32 *fold)
{
	int32 rows = held->learning->side[1].rows;
	int32 *carried = sdc_new(&held->host->kernel, int32, rows);
	int32 i;

	for (i = 0; i < rows; i++)
		carried[i] = held->partner[1] == NULL || held->partner[1][i] < 0
						 ? -1
						 : fold[held->partner[1][i]];
	return carried;
}

/* Share of right predictions of one method trained on one side. */
static double
share_right(const SdcHeldOut *held, SdcCrossValidation *validation, int side,
			int sensitive, int32 asked)
{
	SdcHost *host = &held->host->kernel;
	const SdcLearningSide *from = held->learning->side;
	const SdcOutcome *outcome =
		side == 0 ? &held->original[sensitive] : &held->masked[sensitive];
	SdcModelTable training = from[side].keys;
	int32 *predicted = sdc_new(host, int32, from[0].rows);
	int32 right;

	training.columns = validation->asked->columns;
	validation->training = &training;
	validation->label = outcome->label;
	validation->classes = outcome->classes;
	sdc_cross_validation_predict(host, validation, predicted);
	right =
		sdc_outcome_right(outcome, predicted, &from[0].sensitive[sensitive],
						  from[0].rows, held->tolerance[sensitive]);
	host->release(host, predicted);
	return asked > 0 ? (double) right / asked : NAN;
}

SdcHeldOutShares
sdcpg_held_out_measure(const SdcHeldOut *held, int sensitive, int keys,
					   uint64 seed)
{
	SdcHost *host = &held->host->kernel;
	SdcModelTable original = held->learning->side[0].keys;
	SdcModelTable asked = held->asked;
	SdcModelSettings settings = held->learner->settings;
	int folds = held->fixed != NULL ? held->folds
									: Min(held->folds, Max(original.rows, 1));
	SdcHeldOutShares shares;
	int32 *fold = deal_folds(held, sensitive, folds, seed, &shares.records);
	int32 *carried = carry_folds(held, fold);
	SdcCrossValidation validation = {held->learner->method, &settings, folds};

	host->stage(host, "training models");
	settings.seed = seed;
	original.columns = keys;
	asked.columns = keys;
	validation.asked_fold = fold;
	validation.asked = &asked;
	validation.training_fold = carried;
	shares.masked =
		share_right(held, &validation, 1, sensitive, shares.records);
	validation.method = learner_baseline();
	shares.masked_baseline =
		share_right(held, &validation, 1, sensitive, shares.records);
	validation.asked = &original;
	validation.training_fold = fold;
	shares.original_baseline =
		share_right(held, &validation, 0, sensitive, shares.records);
	validation.method = held->learner->method;
	shares.original =
		share_right(held, &validation, 0, sensitive, shares.records);
	host->release(host, fold);
	host->release(host, carried);
	return shares;
}

/* ----------------------------------------------------------------------
 * Lines of a report that were measured several times.
 * ----------------------------------------------------------------------
 */

int
sdcpg_repeats_read(Jsonb *params, int absent)
{
	static const SdcKey keys[] = {SDC_REPEATS_KEY, {NULL}};

	return sdcpg_params_has(params, "repeats")
			   ? (int) sdcpg_keys_integer(keys, params, "repeats")
			   : absent;
}

uint64
sdcpg_repeats_seed(uint64 seed, int repeat)
{
	return repeat == 0 ? seed : sdc_random_mix(seed + (uint64) repeat);
}

void
sdcpg_repeats_put(ReturnSetInfo *result, const char *measure,
				  const char *subject, const double *value, int repeats,
				  const char *format, ...)
{
	SdcInterval interval = sdc_interval_of_mean(value, repeats);
	va_list args;
	char *detail;

	va_start(args, format);
	detail = sdcpg_result_sentence(format, args);
	va_end(args);
	if (repeats > 1)
		detail = psprintf("%s Mean of %d repeats.", detail, repeats);
	sdcpg_result_measure(result, measure, subject, interval.mean,
						 isnan(interval.mean), detail);
	if (repeats == 1)
		return;
	sdcpg_result_measure(result, psprintf("%s_low", measure), subject,
						 interval.low, isnan(interval.low),
						 "Lower end of the 95 % interval of the mean over "
						 "the repeats.");
	sdcpg_result_measure(result, psprintf("%s_high", measure), subject,
						 interval.high, isnan(interval.high),
						 "Upper end of the 95 % interval of the mean over "
						 "the repeats.");
}

/* ----------------------------------------------------------------------
 * Two relations as the tables that models learn from and are asked about.
 * ----------------------------------------------------------------------
 */

/* How the columns are read: keys, then sensitive. */
typedef struct Reading
{
	int columns;
	int shared; /* the first of them, which both relations have */
	SdcAlignedColumn *column;
} Reading;

void
sdcpg_learning_find(SdcLearning *learning, Oid first, Oid second,
					const char *id, bool need_id, ArrayType *keys,
					ArrayType *sensitive)
{
	SdcAttributes attributes;

	memset(learning, 0, sizeof(*learning));
	learning->relation[0] = sdcpg_relation_find(first);
	learning->relation[1] = sdcpg_relation_find(second);
	learning->id =
		sdcpg_roles_column(learning->relation[0], "id", id, SDC_ROLE_ID);
	if (learning->id == NULL && need_id)
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("argument \"id\" must name the column that tells "
						"records apart"),
				 errhint("Give it, or declare it with sdc.declare.")));
	attributes = sdcpg_attributes_find(learning->relation[0], keys, sensitive);
	learning->keys = attributes.keys;
	learning->sensitive = attributes.sensitive;
}

static SdcRelationColumns
all_columns(const SdcLearning *learning)
{
	int keys = learning->keys.count;
	int count = keys + learning->sensitive.count;
	SdcRelationColumns all = {count,
							  palloc(sizeof(SdcRelationColumn) * count)};
	int j;

	for (j = 0; j < count; j++)
		all.column[j] = j < keys ? learning->keys.column[j]
								 : learning->sensitive.column[j - keys];
	return all;
}

/* Tells how each column is compared, as two files of disclosure are. */
static Reading
make_plan(const SdcLearning *learning)
{
	SdcRelationColumns all = all_columns(learning);
	SdcRelationColumns shared = all;
	SdcAlignment alignment;
	Reading plan;
	int j;

	if (!learning->second_sensitive)
		shared.count = learning->keys.count;
	plan.columns = all.count;
	plan.shared = shared.count;
	plan.column = palloc0(sizeof(SdcAlignedColumn) * all.count);
	sdcpg_alignment_describe(&alignment, learning->relation[0],
							 learning->relation[1], learning->id, &shared);
	for (j = 0; j < shared.count; j++)
		plan.column[j] = alignment.column[j];
	for (; j < all.count; j++)
	{
		plan.column[j].original = all.column[j];
		plan.column[j].number = sdcpg_number_is_arithmetic(all.column[j].base);
		plan.column[j].original_unit = 1;
	}
	return plan;
}

/* Reads the rows of one relation into side->frame. */
static void
read_side(SdcLearning *learning, SdcPgHost *host, const Reading *plan,
		  int number)
{
	SdcLearningSide *side = &learning->side[number];
	const SdcRelation *relation = learning->relation[number];
	int lead = learning->id != NULL;
	SdcRelationColumns columns;
	SdcRelationColumn id;
	SdcFrameType *types;
	SdcDictionary **dictionary;
	int j;

	columns.count = number == 0 ? plan->columns : plan->shared;
	columns.column = palloc(sizeof(SdcRelationColumn) * columns.count);
	types = palloc(sizeof(SdcFrameType) * (columns.count + 1));
	dictionary = palloc0(sizeof(SdcDictionary *) * (columns.count + 1));
	types[0] = SDC_FRAME_TEXT;
	for (j = 0; j < columns.count; j++)
	{
		columns.column[j] =
			number == 0 ? plan->column[j].original : plan->column[j].masked;
		types[j + lead] =
			plan->column[j].number ? SDC_FRAME_NUMBER : SDC_FRAME_CODE;
		dictionary[j + lead] = learning->dictionary[j];
	}
	if (learning->id != NULL)
		id = sdcpg_relation_column(relation, learning->id->name);
	if (relation->row_security)
		ereport(NOTICE,
				(errmsg("row-level security may hide records of relation "
						"\"%s\" from you",
						relation->name)));
	side->relation = relation;
	side->frame = sdcpg_frame_load_codes(
		host,
		lead ? sdcpg_query_records(relation, &id, &columns)
			 : sdcpg_query_rows(relation, columns.column, columns.count, NULL,
								NULL, NULL),
		columns.count + lead, types, dictionary);
	side->rows = side->frame->rows;
	for (j = 0; j < columns.count; j++)
		learning->dictionary[j] = dictionary[j + lead];
	if (lead)
		side->ids = sdcpg_ids_create(side->frame, 0, relation->name, id.name);
}

/* A column of a frame as models want it: NULLs marked, codes in order. */
static SdcModelColumn
convert_column(SdcPgHost *host, SdcFrameColumn *column, int32 rows,
			   double unit, const int32 *rank, int32 values)
{
	SdcModelColumn result = {NULL, NULL, 0};
	int32 i;

	for (i = 0; i < rows; i++)
	{
		if (i % SDC_POLL_STEPS == 0)
			host->kernel.poll(&host->kernel, i, rows);
		if (column->type == SDC_FRAME_NUMBER)
			column->number[i] =
				column->isnull[i] ? NAN : column->number[i] * unit;
		else if (column->code[i] >= 0)
			column->code[i] = rank[column->code[i]];
	}
	/* a frame without rows has no arrays, but one tells what the column is */
	if (column->type == SDC_FRAME_NUMBER)
		result.number =
			rows > 0 ? column->number : sdc_new(&host->kernel, double, 1);
	else
	{
		result.code =
			rows > 0 ? column->code : sdc_new(&host->kernel, int32, 1);
		result.values = values;
	}
	return result;
}

static void
convert_side(SdcLearning *learning, SdcPgHost *host, const Reading *plan,
			 int number, const int32 *const *rank)
{
	SdcLearningSide *side = &learning->side[number];
	int count = number == 0 ? plan->columns : plan->shared;
	int lead = learning->id != NULL;
	SdcModelColumn *column =
		sdc_new(&host->kernel, SdcModelColumn, plan->columns);
	int j;

	for (j = 0; j < count; j++)
	{
		const SdcAlignedColumn *aligned = &plan->column[j];
		SdcDictionary *dictionary = learning->dictionary[j];

		column[j] = convert_column(
			host, &side->frame->column[j + lead], side->rows,
			number == 0 ? aligned->original_unit : aligned->masked_unit,
			rank[j],
			dictionary == NULL ? 0 : sdcpg_dictionary_values(dictionary));
	}
	side->keys.rows = side->rows;
	side->keys.columns = learning->keys.count;
	side->keys.column = column;
	if (count > learning->keys.count)
		side->sensitive = column + learning->keys.count;
}

/* Order of rows by all their values; arg is an SdcModelTable. */
static int
compare_rows(int32 a, int32 b, void *arg)
{
	const SdcModelTable *table = arg;
	int j;

	for (j = 0; j < table->columns; j++)
	{
		const SdcModelColumn *column = &table->column[j];

		if (column->code != NULL)
		{
			if (column->code[a] != column->code[b])
				return column->code[a] < column->code[b] ? -1 : 1;
		}
		else
		{
			uint64 x = sdc_sort_key(column->number[a]);
			uint64 y = sdc_sort_key(column->number[b]);

			if (x != y)
				return x < y ? -1 : 1;
		}
	}
	return 0;
}

/* Puts the rows of a side without ids in the order of their values. */
static void
sort_side(SdcPgHost *host, SdcLearningSide *side, int columns)
{
	SdcHost *kernel = &host->kernel;
	SdcModelTable table = {side->rows, columns, side->keys.column};
	int32 *order = sdc_new(kernel, int32, side->rows);
	int32 i;
	int j;

	for (i = 0; i < side->rows; i++)
		order[i] = i;
	sdc_sort_rows(kernel, order, side->rows, compare_rows, &table);
	for (j = 0; j < columns; j++)
	{
		SdcModelColumn *column = &side->keys.column[j];
		bool number = column->number != NULL;
		double *numbers = number ? sdc_new(kernel, double, side->rows) : NULL;
		int32 *codes = number ? NULL : sdc_new(kernel, int32, side->rows);

		kernel->poll(kernel, j, columns);
		for (i = 0; i < side->rows; i++)
			if (number)
				numbers[i] = column->number[order[i]];
			else
				codes[i] = column->code[order[i]];
		column->number = numbers;
		column->code = codes;
	}
	kernel->release(kernel, order);
}

void
sdcpg_learning_load(SdcLearning *learning, SdcPgHost *host)
{
	Reading plan = make_plan(learning);
	const int32 **rank = palloc0(sizeof(int32 *) * plan.columns);
	int number;
	int j;

	learning->dictionary =
		sdc_new(&host->kernel, SdcDictionary *, plan.columns);
	for (j = 0; j < plan.columns; j++)
		learning->dictionary[j] =
			plan.column[j].as_text
				? sdcpg_dictionary_new(host, TEXTOID, C_COLLATION_OID)
				: NULL;
	memset(learning->side, 0, sizeof(learning->side));
	for (number = 0; number < 2; number++)
		read_side(learning, host, &plan, number);
	for (j = 0; j < plan.columns; j++)
		if (learning->dictionary[j] != NULL)
			rank[j] = sdcpg_dictionary_sort(learning->dictionary[j]);
	for (number = 0; number < 2; number++)
	{
		convert_side(learning, host, &plan, number, rank);
		if (learning->id == NULL)
			sort_side(host, &learning->side[number],
					  number == 0 ? plan.columns : plan.shared);
	}
}

/*
 * For each row of a side, the row of the other side with the same id, or -1;
 * warns when no row of the first side has one.
 */
static int32 *
learning_partners(const SdcLearning *learning, SdcPgHost *host, int side)
{
	const SdcLearningSide *from = &learning->side[side];
	const SdcLearningSide *to = &learning->side[1 - side];
	int32 *partner = sdc_new(&host->kernel, int32, from->rows);
	int32 found = 0;
	int32 i;

	for (i = 0; i < from->rows; i++)
	{
		if (i % SDC_POLL_STEPS == 0)
			host->kernel.poll(&host->kernel, i, from->rows);
		partner[i] = sdcpg_ids_find(&to->ids, sdcpg_learning_id(from, i));
		found += partner[i] >= 0;
	}
	if (side == 0 && found == 0 && from->rows > 0 && to->rows > 0)
		ereport(WARNING,
				(errmsg("the two relations have no id in common"),
				 errhint("The id must be the same, written as text, in both "
						 "relations.")));
	return partner;
}

/* The codes of one category, recoded; see sdcpg_learning_recode. */
static int32 *
recode_column(SdcPgHost *host, const SdcModelColumn *original, int32 rows,
			  const SdcModelColumn *masked, int32 masked_rows,
			  const int32 *partner)
{
	SdcHost *kernel = &host->kernel;
	bool *occurs = sdc_new(kernel, bool, original->values + 1);
	int32 *code = sdc_new(kernel, int32, rows);
	int32 i;

	memset(occurs, 0, sizeof(bool) * (original->values + 1));
	kernel->poll(kernel, 0, 0);
	for (i = 0; i < masked_rows; i++)
		occurs[masked->code[i] + 1] = true;
	kernel->poll(kernel, 0, 0);
	for (i = 0; i < rows; i++)
		code[i] = occurs[original->code[i] + 1] || partner[i] < 0
					  ? original->code[i]
					  : masked->code[partner[i]];
	kernel->release(kernel, occurs);
	return code;
}

/*
 * The keys of the first side as one asks a model about them that was trained
 * on the second: a category that occurs nowhere in the second relation is
 * replaced by what the second holds for the row's partner, because who knows
 * how values were recoded can recode them.
 */
static SdcModelTable
learning_recode(const SdcLearning *learning, SdcPgHost *host,
				const int32 *partner)
{
	const SdcModelTable *original = &learning->side[0].keys;
	const SdcModelTable *masked = &learning->side[1].keys;
	SdcModelTable table = *original;
	int j;

	table.column = sdc_new(&host->kernel, SdcModelColumn, table.columns);
	for (j = 0; j < table.columns; j++)
	{
		table.column[j] = original->column[j];
		if (original->column[j].code != NULL)
			table.column[j].code =
				recode_column(host, &original->column[j], original->rows,
							  &masked->column[j], masked->rows, partner);
	}
	return table;
}

SdcModelColumn
sdcpg_learning_join_column(const SdcLearning *learning, SdcPgHost *host,
						   const SdcModelColumn *first,
						   const SdcModelColumn *second)
{
	int32 a = learning->side[0].rows;
	int32 b = learning->side[1].rows;
	SdcModelColumn joined = *first;

	if (first->number != NULL)
	{
		double *number = sdc_new(&host->kernel, double, (Size) a + b);

		memcpy(number, first->number, sizeof(double) * a);
		memcpy(number + a, second->number, sizeof(double) * b);
		joined.number = number;
	}
	else
	{
		int32 *code = sdc_new(&host->kernel, int32, (Size) a + b);

		memcpy(code, first->code, sizeof(int32) * a);
		memcpy(code + a, second->code, sizeof(int32) * b);
		joined.code = code;
	}
	return joined;
}

SdcModelTable
sdcpg_learning_join(const SdcLearning *learning, SdcPgHost *host)
{
	const SdcLearningSide *side = learning->side;
	SdcModelTable table = side[0].keys;
	int j;

	if ((int64) side[0].rows + side[1].rows > SDC_MAX_ROWS)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("more than %d rows in both relations", SDC_MAX_ROWS)));
	table.rows = side[0].rows + side[1].rows;
	table.column = sdc_new(&host->kernel, SdcModelColumn, table.columns);
	for (j = 0; j < table.columns; j++)
		table.column[j] = sdcpg_learning_join_column(
			learning, host, &side[0].keys.column[j], &side[1].keys.column[j]);
	return table;
}
