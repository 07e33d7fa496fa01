/*
 * kernel_group_bound.c
 *		How good groups can be: MDAV, the method "best", and a bound that no
 *		groups are below.
 *
 * ./run bench kernel group_bound [--only FILE]
 *
 * A line for each file and k: CPU seconds of "best", losses in percent of the
 * total sum of squares, how far below MDAV "best" is, and how far below it any
 * groups can be.
 *
 * The bound is a linear program: triples of rows with weights, so that each
 * row has a weight of 1 in all, at the least cost.  A group of s rows is as
 * good as a mixture of its triples, each pair of rows being in s - 2 of them:
 * its triples, weighted by 1 / C(s - 1, 2), cost 2 s / (3 (s - 1)) times what
 * it costs.  So groups of k rows or more cost 3 (k - 1) / (2 k) times the
 * program at least, for k = 3 the program itself.  Columns are generated
 * (Aloise, Hansen, Rocha and Santi 2014): all triples are looked at for those
 * that the prices of the rows make cheap, and prices with which the worst one
 * gains r bound the program by their sum plus r times a third of the rows.
 */
#include <float.h>
#include <glpk.h>
#include <math.h>
#include <string.h>

#include "kernel/base/matrix.h"
#include "kernel/base/random.h"
#include "kernel/microaggregation/microaggregate_group.h"

#include "bench.h"
#include "bench_matrix.h"
#include "microaggregate_loss.h"
#include "published_table.h"

/* Triples that are added for each row at a time. */
#define KEEP 4

/* Rounds at most; the program is left when the gap is this part of it. */
#define ROUNDS 400
#define GAP    0.001

typedef struct Triple
{
	double gain; /* below 0 */
	int row[3];
} Triple;

typedef struct Program
{
	int n;
	double *distance; /* squared, distance[a * n + b] */
	glp_prob *linear;
	double *dual;  /* of each row, as the program says */
	double *price; /* as is tried */
	double *best;  /* with which the bound is the largest */
	double bound;
	Triple *triple; /* KEEP for each row */
} Program;

/* ---------- data ---------- */

/* kind 0: normal; 1: twenty clusters; 2: a long tail. */
static SdcMatrix
made(int kind, size_t rows, int columns)
{
	SdcMatrix matrix = new_matrix(rows, columns);
	SdcRandom random;
	size_t i;
	int j;

	sdc_random_seed(&random, 7, (uint64_t) kind);
	for (i = 0; i < rows; i++)
		for (j = 0; j < columns; j++)
		{
			double value = sdc_random_normal(&random);

			if (kind == 1)
				value = 0.2 * value + (double) ((i % 20 * (j + 3)) % 17);
			if (kind == 2)
				value = exp(value);
			matrix.column[j][i] = value;
		}
	return matrix;
}

/* ---------- the bound ---------- */

static double
cost_of(const Program *program, int a, int b, int c)
{
	const double *d = program->distance;
	size_t n = (size_t) program->n;

	return (d[(size_t) a * n + b] + d[(size_t) a * n + c] +
			d[(size_t) b * n + c]) /
		   3;
}

static void
add_column(Program *program, double cost, int rows, const int *row)
{
	int column = glp_add_cols(program->linear, 1);
	int place[4];
	double one[4] = {0, 1, 1, 1};
	int i;

	for (i = 0; i < rows; i++)
		place[i + 1] = row[i] + 1;
	glp_set_mat_col(program->linear, column, rows, place, one);
	glp_set_col_bnds(program->linear, column, GLP_LO, 0, 0);
	glp_set_obj_coef(program->linear, column, cost);
}

/* Each row with its two nearest ones, and alone at a prohibitive cost. */
static void
start_program(Program *program)
{
	int n = program->n;
	int i;
	int other;

	program->linear = glp_create_prob();
	glp_add_rows(program->linear, n);
	for (i = 0; i < n; i++)
	{
		const double *d = program->distance + (size_t) i * (size_t) n;
		int near[3] = {i, -1, -1};
		double cost;

		for (other = 0; other < n; other++)
			if (other != i && (near[1] < 0 || d[other] < d[near[1]]))
			{
				near[2] = near[1];
				near[1] = other;
			}
			else if (other != i && (near[2] < 0 || d[other] < d[near[2]]))
				near[2] = other;
		glp_set_row_bnds(program->linear, i + 1, GLP_FX, 1, 1);
		cost = cost_of(program, i, near[1], near[2]);
		add_column(program, 20 * cost + 1, 1, near);
		add_column(program, cost, 3, near);
	}
	glp_std_basis(program->linear);
}

/* Keeps a triple for each of its rows, in place of one that gains less. */
static void
keep_triple(Program *program, const Triple *found)
{
	int i;
	int k;

	for (i = 0; i < 3; i++)
	{
		Triple *kept = program->triple + (size_t) found->row[i] * KEEP;
		int worst = 0;

		for (k = 1; k < KEEP; k++)
			if (kept[k].gain > kept[worst].gain)
				worst = k;
		if (found->gain < kept[worst].gain)
			kept[worst] = *found;
	}
}

/* Goes through all triples; returns the gain of the best, 0 or less. */
static double
look_for_triples(Program *program)
{
	int n = program->n;
	const double *price = program->price;
	double least = 0;
	int a;
	int b;
	int c;

	for (a = 0; a < n * KEEP; a++)
		program->triple[a].gain = 0;
	for (a = 0; a < n; a++)
		for (b = a + 1; b < n; b++)
		{
			const double *da = program->distance + (size_t) a * (size_t) n;
			const double *db = program->distance + (size_t) b * (size_t) n;
			double base = da[b] / 3 - price[a] - price[b];
			Triple found = {0, {a, b, -1}};

			for (c = b + 1; c < n; c++)
			{
				double gain = base + (da[c] + db[c]) / 3 - price[c];

				if (gain < found.gain)
				{
					found.gain = gain;
					found.row[2] = c;
				}
			}
			if (found.row[2] < 0)
				continue;
			least = fmin(least, found.gain);
			keep_triple(program, &found);
		}
	return least;
}

/* Does the list of another of its rows, which comes before, have it, too? */
static bool
is_listed(const Program *program, int number)
{
	const Triple *triple = &program->triple[number];
	int i;
	int k;

	for (i = 0; i < 3 && triple->row[i] < number / KEEP; i++)
		for (k = 0; k < KEEP; k++)
		{
			const Triple *other = &program->triple[triple->row[i] * KEEP + k];

			if (other->gain < 0 &&
				memcmp(other->row, triple->row, sizeof(other->row)) == 0)
				return true;
		}
	return false;
}

/* Adds the triples that gain by the duals; returns how many. */
static int
add_triples(Program *program)
{
	int added = 0;
	int i;

	for (i = 0; i < program->n * KEEP; i++)
	{
		const Triple *triple = &program->triple[i];
		const int *row = triple->row;
		double cost;

		if (triple->gain >= -1e-9 || is_listed(program, i))
			continue;
		cost = cost_of(program, row[0], row[1], row[2]);
		if (cost - program->dual[row[0]] - program->dual[row[1]] -
				program->dual[row[2]] >=
			-1e-9)
			continue;
		add_column(program, cost, 3, row);
		added++;
	}
	return added;
}

/* Prices that lie a part of the way from the duals to the best so far. */
static void
try_prices(Program *program, double part)
{
	double sum = 0;
	int i;

	for (i = 0; i < program->n; i++)
	{
		program->price[i] =
			part * program->best[i] + (1 - part) * program->dual[i];
		sum += program->price[i];
	}
	sum += look_for_triples(program) * program->n / 3;
	if (sum > program->bound)
	{
		program->bound = sum;
		memcpy(program->best, program->price,
			   sizeof(double) * (size_t) program->n);
	}
}

static void
solve(Program *program)
{
	glp_smcp settings;
	int round;
	int i;

	glp_init_smcp(&settings);
	settings.msg_lev = GLP_MSG_OFF;
	for (round = 0; round < ROUNDS; round++)
	{
		if (glp_simplex(program->linear, &settings) != 0)
			break;
		for (i = 0; i < program->n; i++)
			program->dual[i] = glp_get_row_dual(program->linear, i + 1);
		try_prices(program, round > 3 ? 0.5 : 0);
		if (glp_get_obj_val(program->linear) - program->bound <
			GAP * program->bound)
			break;
		if (add_triples(program) > 0)
			continue;
		try_prices(program, 0);
		if (add_triples(program) == 0)
			break;
	}
}

/* No triples of weight 1 for each row cost less, in percent of SST. */
static double
triple_bound(const SdcMatrix *matrix)
{
	size_t n = matrix->rows;
	Program program = {(int) n};
	double total = 0;
	size_t a;
	size_t b;
	int j;

	program.distance = calloc(n * n, sizeof(double));
	program.dual = calloc(n, sizeof(double));
	program.price = calloc(n, sizeof(double));
	program.best = calloc(n, sizeof(double));
	program.triple = calloc(n * KEEP, sizeof(Triple));
	for (a = 0; a < n; a++)
		for (b = 0; b < n; b++)
			for (j = 0; j < matrix->columns; j++)
			{
				double apart = matrix->column[j][a] - matrix->column[j][b];

				program.distance[a * n + b] += apart * apart;
			}
	for (a = 0; a < n * n; a++)
		total += program.distance[a] / (2 * (double) n);
	start_program(&program);
	solve(&program);
	glp_delete_prob(program.linear);
	free(program.distance);
	free(program.dual);
	free(program.price);
	free(program.best);
	free(program.triple);
	return 100 * program.bound / total;
}

/* ---------- a line ---------- */

static double
run(const SdcMatrix *matrix, int k, SdcGroupMethod method, double *seconds)
{
	int32_t *group = malloc(matrix->rows * sizeof(int32_t));
	SdcRandom random;
	double start = bench_start();
	double loss;
	int32_t groups;

	sdc_random_seed(&random, 1, 0);
	groups = sdc_microaggregate_group(bench_host(), matrix, k, method, false,
									  &random, group);
	*seconds = bench_stop(start);
	loss =
		100 * microaggregate_loss(bench_host(), matrix, false, group, groups);
	free(group);
	return loss;
}

static void
run_file(const char *name, SdcMatrix *matrix)
{
	static const int sizes[] = {3, 5, 10};
	double bound;
	size_t i;

	standardize(matrix);
	bound = triple_bound(matrix);
	for (i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
	{
		int k = sizes[i];
		char what[64];
		double seconds;
		double mdav = run(matrix, k, SDC_GROUP_MDAV, &seconds);
		double best = run(matrix, k, SDC_GROUP_BEST, &seconds);
		double nearest =
			100 * sdc_microaggregate_bound(bench_host(), matrix, k, false);
		double least = fmax(nearest, bound * 3 * (k - 1) / (2 * k));

		snprintf(what, sizeof(what), "%s k = %d", name, k);
		bench_line("group_bound", what, matrix->rows, matrix->columns, seconds,
				   "mdav %.4f %% best %.4f %% bound %.4f %%; best is %.1f %% "
				   "below mdav; nothing can be %.1f %% below",
				   mdav, best, least, 100 * (1 - best / mdav),
				   100 * (1 - least / mdav));
	}
	published_table_free(matrix);
}

int
main(int argc, char **argv)
{
	static const char *const names[] = {"tarragona", "census", "normal",
										"clusters", "long_tail"};
	int i;

	glp_term_out(GLP_OFF);
	for (i = 0; i < 5; i++)
	{
		SdcMatrix matrix;
		char file[64];

		if (argc > 2 && strcmp(argv[2], names[i]) != 0)
			continue;
		snprintf(file, sizeof(file), "%s.csv", names[i]);
		if (i < 2)
			published_table_read(file, &matrix);
		else
			matrix = made(i - 2, 500, 4);
		run_file(names[i], &matrix);
	}
	return 0;
}
