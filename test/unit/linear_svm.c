/*
 * linear_svm.c
 *		The objective of the machine against a long and slow descent.
 */
#include "unit.h"

#include "kernel/model/model.c"
#include "model_table.h"

/* Rows as features, and on which side each is. */
typedef struct Problem
{
	int32_t rows;
	int32_t features;
	double *value; /* rows of features */
	double *sign;
	double penalty;
} Problem;

static double
objective(const Problem *problem, const double *weight)
{
	double sum = 0;
	int32_t i;
	int32_t f;

	for (f = 0; f < problem->features; f++)
		sum += weight[f] * weight[f] / 2;
	for (i = 0; i < problem->rows; i++)
	{
		double margin = 0;

		for (f = 0; f < problem->features; f++)
			margin += weight[f] * problem->value[i * problem->features + f];
		margin = fmax(0, 1 - problem->sign[i] * margin);
		sum += problem->penalty * margin * margin;
	}
	return sum;
}

/*
 * The objective after so many steps down the gradient, each no longer than the
 * gradient can be trusted for.
 */
static double
descend(const Problem *problem, int steps)
{
	double *weight = calloc((size_t) problem->features, sizeof(double));
	double *change = malloc((size_t) problem->features * sizeof(double));
	double steepest = 1;
	double least;
	int step;
	int32_t i;
	int32_t f;

	for (i = 0; i < problem->rows * problem->features; i++)
		steepest +=
			2 * problem->penalty * problem->value[i] * problem->value[i];
	for (step = 0; step < steps; step++)
	{
		memcpy(change, weight, (size_t) problem->features * sizeof(double));
		for (i = 0; i < problem->rows; i++)
		{
			const double *value = problem->value + i * problem->features;
			double margin = 0;

			for (f = 0; f < problem->features; f++)
				margin += weight[f] * value[f];
			margin = fmax(0, 1 - problem->sign[i] * margin);
			for (f = 0; f < problem->features; f++)
				change[f] -= 2 * problem->penalty * problem->sign[i] * margin *
							 value[f];
		}
		for (f = 0; f < problem->features; f++)
			weight[f] -= change[f] / steepest;
	}
	least = objective(problem, weight);
	free(weight);
	free(change);
	return least;
}

static Problem
make_problem(const SdcModelTask *task, const Design *design, int32_t label)
{
	Problem problem = {task->rows, design->features, NULL, NULL,
					   task->settings->penalty};
	DesignRow row = design_row(unit_host(), design);
	int32_t i;
	int32_t f;

	problem.value =
		calloc((size_t) (task->rows * design->features), sizeof(double));
	problem.sign = malloc((size_t) task->rows * sizeof(double));
	for (i = 0; i < task->rows; i++)
	{
		design_take(design, task->table, i, &row);
		for (f = 0; f < row.count; f++)
			problem.value[i * design->features + row.feature[f]] =
				row.value[f];
		problem.sign[i] = task->label[i] == label ? 1 : -1;
	}
	return problem;
}

static void
check_objective(double penalty, int numbers, int categories)
{
	ModelSample sample;
	SdcModelSettings settings = model_settings();
	SdcModelTask task = {&sample.table, NULL, 3, NULL, 60, &settings};
	Design *design;
	DesignRows rows;
	Problem problem;
	double *weight;
	double slow;
	double fast;

	model_sample_make(&sample, 60, numbers, categories, 21);
	task.label = sample.label;
	task.row = sample.row;
	settings.penalty = penalty;
	settings.iterations = 100000;
	design = design_create(unit_host(), &task);
	rows = design_rows(unit_host(), design, &task);
	weight = svm_separate(unit_host(), &task, design, &rows, 1);
	problem = make_problem(&task, design, 1);
	fast = objective(&problem, weight);
	slow = descend(&problem, 40000);
	unit_check(fabs(fast - slow) <= slow * 1e-8,
			   "C = %g: %.10f, and %.10f by a long descent", penalty, fast,
			   slow);
	free(problem.value);
	free(problem.sign);
	model_sample_free(&sample);
}

/*
 * A high price, where whole steps go too far: the objective is strongly
 * convex, so half the square of the gradient bounds what is missing.
 */
static void
check_gradient(double penalty)
{
	ModelSample sample;
	SdcModelSettings settings = model_settings();
	SdcModelTask task = {&sample.table, NULL, 3, NULL, 60, &settings};
	Design *design;
	DesignRows rows;
	Problem problem;
	double *weight;
	double square = 0;
	int32_t i;
	int32_t f;

	model_sample_make(&sample, 60, 2, 2, 22);
	task.label = sample.label;
	task.row = sample.row;
	settings.penalty = penalty;
	settings.iterations = 40;
	design = design_create(unit_host(), &task);
	rows = design_rows(unit_host(), design, &task);
	weight = svm_separate(unit_host(), &task, design, &rows, 2);
	problem = make_problem(&task, design, 2);
	for (f = 0; f < problem.features; f++)
	{
		double gradient = weight[f];

		for (i = 0; i < problem.rows; i++)
		{
			const double *value = problem.value + i * problem.features;
			double margin =
				problem.sign[i] * sdc_dot(weight, value, problem.features);

			if (margin < 1)
				gradient -=
					2 * penalty * problem.sign[i] * (1 - margin) * value[f];
		}
		square += gradient * gradient;
	}
	unit_check(square / 2 <= 1e-8 * objective(&problem, weight),
			   "C = %g: at most %g from the optimum", penalty, square / 2);
	free(problem.value);
	free(problem.sign);
	model_sample_free(&sample);
}

/* Two rows at -1 and 1 standard scores: the optimum is known. */
static void
check_two_rows(void)
{
	const double number[2] = {0, 2};
	const int32_t label[2] = {0, 1};
	int32_t row[2] = {0, 1};
	SdcModelColumn column = {number, NULL, 0};
	SdcModelTable table = {2, 1, &column};
	SdcModelSettings settings = model_settings();
	SdcModelTask task = {&table, label, 2, row, 2, &settings};
	Design *design;
	DesignRows rows;
	double *weight;

	settings.penalty = 100;
	design = design_create(unit_host(), &task);
	rows = design_rows(unit_host(), design, &task);
	weight = svm_separate(unit_host(), &task, design, &rows, 1);
	/*
	 * Scores are -+s, s = 1/sqrt(2), so the derivative of the objective is
	 * w - 400 s (1 - s w).
	 */
	unit_check(fabs(weight[0] - 400 / (201 * sqrt(2.0))) < 1e-9 &&
				   fabs(weight[1]) < 1e-9,
			   "two rows: weight %.10f, constant %.10f", weight[0], weight[1]);
}

int
main(void)
{
	unit_start("linear_svm");
	check_two_rows();
	check_objective(1, 3, 0);
	check_objective(0.1, 0, 3);
	check_objective(1, 2, 2);
	check_gradient(100);
	check_gradient(10000);
	return unit_finish();
}
