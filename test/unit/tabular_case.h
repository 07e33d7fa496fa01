/*
 * tabular_case.h
 *		Random small tables, and an attack on a table written down plainly.
 *
 * The attack knows nothing of the kernel: one variable for each cell of the
 * whole table, all equations, GLPK from scratch.
 */
#ifndef SDC_TEST_UNIT_TABULAR_CASE_H
#define SDC_TEST_UNIT_TABULAR_CASE_H

#include "kernel/base/host.h"
#include "kernel/base/random.h"
#include "kernel/tabular/cube.h"
#include "kernel/tabular/suppression.h"
#include "kernel/tabular/tabular.h"

#include "unit.h"

#include <glpk.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The program of an attacker: all cells, those fixed that he knows. */
static inline glp_prob *
plain_program(const SdcTabular *table, const bool *hidden, int32_t holder)
{
	glp_prob *problem = glp_create_prob();
	int *index = malloc(((size_t) table->cells + 1) * sizeof(int));
	double *value = malloc(((size_t) table->cells + 1) * sizeof(double));
	int32_t r;
	int32_t i;

	glp_add_cols(problem, table->cells);
	for (i = 0; i < table->cells; i++)
	{
		double y = table->value[i];
		bool free = hidden[i] && !(holder >= 0 && table->holder[i] == holder);
		double low = table->low[i];

		/* what he gave himself */
		if (holder >= 0 && table->leader[i] == holder)
			low = fmin(low, table->leader_low[i]);
		if (holder >= 0 && table->second[i] == holder)
			low = fmin(low, table->second_low[i]);
		if (free && low + table->high[i] > 0)
			glp_set_col_bnds(problem, i + 1, GLP_DB, y - low,
							 y + table->high[i]);
		else
			glp_set_col_bnds(problem, i + 1, GLP_FX, y, y);
	}
	for (r = 0; r < table->equations; r++)
	{
		int count = 0;
		int64_t e;

		for (e = table->start[r]; e < table->start[r + 1]; e++)
		{
			index[++count] = table->member[e] + 1;
			value[count] = e == table->start[r] ? -1 : 1;
		}
		glp_add_rows(problem, 1);
		glp_set_mat_row(problem, r + 1, count, index, value);
		glp_set_row_bnds(problem, r + 1, GLP_FX, 0, 0);
	}
	glp_adv_basis(problem, 0);
	free(index);
	free(value);
	return problem;
}

/* How far y of cell p can be from its value, up (1) or down; -1: an error. */
static inline double
plain_reach(glp_prob *problem, const SdcTabular *table, int32_t p, int sign)
{
	glp_smcp settings;
	double reached = -1;

	glp_set_obj_dir(problem, sign > 0 ? GLP_MAX : GLP_MIN);
	glp_set_obj_coef(problem, p + 1, 1);
	glp_init_smcp(&settings);
	settings.msg_lev = GLP_MSG_OFF;
	if (glp_simplex(problem, &settings) == 0 &&
		glp_get_status(problem) == GLP_OPT)
		reached = sign * (glp_get_obj_val(problem) - table->value[p]);
	glp_set_obj_coef(problem, p + 1, 0);
	return reached;
}

/*
 * The same when y is known to be whole everywhere: by the branch and bound of
 * the solver.
 */
static inline double
plain_whole_reach(glp_prob *problem, const SdcTabular *table, int32_t p,
				  int sign)
{
	glp_iocp settings;
	double reached = -1;
	int32_t i;

	for (i = 1; i <= table->cells; i++)
		glp_set_col_kind(problem, i, GLP_IV);
	glp_set_obj_dir(problem, sign > 0 ? GLP_MAX : GLP_MIN);
	glp_set_obj_coef(problem, p + 1, 1);
	glp_init_iocp(&settings);
	settings.msg_lev = GLP_MSG_OFF;
	settings.presolve = GLP_ON;
	if (glp_intopt(problem, &settings) == 0 &&
		glp_mip_status(problem) == GLP_OPT)
		reached = sign * (glp_mip_obj_val(problem) - table->value[p]);
	glp_set_obj_coef(problem, p + 1, 0);
	return reached;
}

/* Does the holder, or an outsider, come too close to an unsafe cell? */
static inline bool
plain_withstands(const SdcTabular *table, const bool *hidden, int32_t holder)
{
	glp_prob *problem = plain_program(table, hidden, holder);
	bool safe = true;
	int32_t p;
	int sign;

	for (p = 0; p < table->cells && safe; p++)
		for (sign = -1; sign <= 1; sign += 2)
		{
			bool leads = holder >= 0 && table->leader[p] == holder;
			double need =
				sign > 0 ? (leads ? table->rest_high[p] : table->need_high[p])
						 : (leads ? table->rest_low[p] : table->need_low[p]);

			if (table->role[p] != SDC_CELL_UNSAFE ||
				(holder >= 0 && table->holder[p] == holder))
				continue;
			/* nobody takes a cell for less than what he gave */
			if (holder >= 0 && sign < 0 && table->leader[p] == holder)
				need = fmin(need, table->leader_low[p]);
			if (holder >= 0 && sign < 0 && table->second[p] == holder)
				need = fmin(need, table->second_low[p]);
			need -= 2e-6 * (1 + need);
			if ((table->whole ? plain_whole_reach
							  : plain_reach)(problem, table, p, sign) < need)
				safe = false;
		}
	glp_delete_prob(problem);
	return safe;
}

/*
 * Is every unsafe cell protected?  Respondents attack, too: whoever is alone
 * in a hidden cell, or one of the two who gave most to it.  Who gave most to
 * the attacked one must not come too close to what the others gave.
 */
static inline bool
plain_safe(const SdcTabular *table, const bool *hidden)
{
	bool safe = plain_withstands(table, hidden, SDC_NO_HOLDER);
	int32_t *done = malloc((3 * (size_t) table->cells + 1) * sizeof(int32_t));
	int count = 0;
	int32_t i;
	int which;
	int j;

	for (i = 0; i < table->cells && safe; i++)
		for (which = 0; which < 3 && hidden[i] && safe; which++)
		{
			int32_t holder = which == 0   ? table->holder[i]
							 : which == 1 ? table->leader[i]
										  : table->second[i];

			for (j = 0; j < count && done[j] != holder;)
				j++;
			if (holder < 0 || j < count)
				continue;
			done[count++] = holder;
			safe = plain_withstands(table, hidden, holder);
		}
	free(done);
	return safe;
}

/* A dimension of so many codes below one total, or with two groups between. */
static inline SdcCubeDimension
random_dimension(SdcRandom *random, int32_t leaves, bool grouped)
{
	SdcCubeDimension dimension;
	int32_t *start = sdc_new(unit_host(), int32_t, 4);
	int32_t *member = sdc_new(unit_host(), int32_t, 2 * (size_t) leaves + 8);
	int32_t first = 1 + (int32_t) sdc_random_below(random, leaves - 1);
	int32_t used = 0;
	int32_t i;

	dimension.codes = leaves + (grouped ? 3 : 1);
	dimension.equations = grouped ? 3 : 1;
	start[0] = 0;
	member[used++] = leaves;
	for (i = 0; i < (grouped ? 2 : leaves); i++)
		member[used++] = grouped ? leaves + 1 + i : i;
	start[1] = used;
	if (grouped)
	{
		member[used++] = leaves + 1;
		for (i = 0; i < first; i++)
			member[used++] = i;
		start[2] = used;
		member[used++] = leaves + 2;
		for (i = first; i < leaves; i++)
			member[used++] = i;
		start[3] = used;
	}
	dimension.start = start;
	dimension.member = member;
	return dimension;
}

/* Records of random codes; respondents have one, or with several some. */
static inline void
random_records(SdcRandom *random, const SdcCubeDimension *dimension,
			   int dimensions, bool several, int32_t n, int32_t **code,
			   double *value, int32_t *respondent)
{
	int32_t i;
	int d;

	for (i = 0; i < n; i++)
	{
		for (d = 0; d < dimensions; d++)
		{
			int32_t leaves =
				dimension[d].codes - (dimension[d].equations == 3 ? 3 : 1);

			code[d][i] = (int32_t) sdc_random_below(random, leaves);
		}
		value[i] = 1 + (double) sdc_random_below(random, 40);
		respondent[i] =
			i == 0 ? 0
				   : respondent[i - 1] +
						 (!several || sdc_random_below(random, 4) > 0);
	}
}

/*
 * A table of these records: of sums with the p percent rule and holders
 * (magnitude), or of counts with a threshold of 3.
 */
static inline SdcTabular *
table_of_records(const SdcCubeDimension *dimension, int dimensions, int32_t n,
				 int32_t **code, const double *value,
				 const int32_t *respondent, bool magnitude)
{
	SdcTabular *table = sdc_cube_create(unit_host(), dimension, dimensions);
	SdcCubeCell *cell = sdc_new(unit_host(), SdcCubeCell, table->cells);
	int32_t i;

	table->whole = !magnitude;
	sdc_cube_fill(unit_host(), dimension, dimensions, n,
				  (const int32_t *const *) code, value, respondent, NULL,
				  cell);
	for (i = 0; i < table->cells; i++)
	{
		const SdcCubeCell *c = &cell[i];
		double need = 1;
		double rest_need = 1;
		bool unsafe = c->count > 0 && c->count < 3;

		table->value[i] = magnitude ? c->sum : c->count;
		table->low[i] =
			magnitude ? floor(table->value[i] / 2) : table->value[i];
		table->high[i] = table->value[i] > 2 ? table->value[i] : 3;
		if (magnitude)
		{
			double rest = c->sum - c->top[0] - c->top[1];

			unsafe = c->count > 0 && rest < 0.2 * c->top[0];
			need = ceil(0.2 * c->top[0] - rest - 1e-9);
			rest_need = fmax(ceil(0.2 * c->top[1] - rest - 1e-9), 0);
			table->holder[i] = c->holder;
			table->leader[i] = c->leader;
			table->second[i] = c->second;
			table->leader_low[i] = c->sum - c->top[0];
			table->second_low[i] = c->sum - c->top[1];
		}
		table->weight[i] = table->value[i] > 1 ? table->value[i] : 1;
		if (table->value[i] == 0)
			table->role[i] = SDC_CELL_SHOWN;
		if (!unsafe)
			continue;
		need = need < table->low[i] ? need : table->low[i];
		table->role[i] = SDC_CELL_UNSAFE;
		table->need_low[i] = need;
		table->need_high[i] = need < table->high[i] ? need : table->high[i];
		table->rest_low[i] = fmin(rest_need, table->need_low[i]);
		table->rest_high[i] = fmin(rest_need, table->need_high[i]);
	}
	return table;
}

/* The same of records that are drawn. */
static inline SdcTabular *
random_table(SdcRandom *random, const SdcCubeDimension *dimension,
			 int dimensions, int32_t n, bool magnitude)
{
	int32_t *code[SDC_CUBE_MAX_DIMENSIONS];
	double *value = sdc_new(unit_host(), double, n + 1);
	int32_t *respondent = sdc_new(unit_host(), int32_t, n + 1);
	int d;

	for (d = 0; d < dimensions; d++)
		code[d] = sdc_new(unit_host(), int32_t, n + 1);
	random_records(random, dimension, dimensions, magnitude, n, code, value,
				   respondent);
	return table_of_records(dimension, dimensions, n, code, value, respondent,
							magnitude);
}

typedef struct RandomAttack
{
	int unbalanced; /* tables whose sums do not add up */
	int found;      /* tables with a pattern */
	int broken;     /* of these, tables that fall to the plain attack */
	int missed;     /* without one, though hiding all that may be protects */
} RandomAttack;

/* Would the table be protected if all cells were hidden that may be? */
static inline bool
plain_possible(const SdcTabular *table)
{
	bool *hidden = malloc((size_t) table->cells * sizeof(bool));
	bool safe;
	int32_t i;

	for (i = 0; i < table->cells; i++)
		hidden[i] = table->role[i] != SDC_CELL_SHOWN;
	safe = plain_safe(table, hidden);
	free(hidden);
	return safe;
}

/*
 * Protects random tables of 2 and 3 dimensions, one of 3 by the heuristic
 * alone and the others stopped early or not, and attacks what is returned.
 */
static inline RandomAttack
attack_random(int tables, uint64_t seed)
{
	RandomAttack attack = {0};
	SdcRandom random;
	int k;

	sdc_random_seed(&random, seed, 0);
	for (k = 0; k < tables; k++)
	{
		SdcSuppressionOptions options = {.work = k % 3 == 0 ? 0 : 2e6};
		SdcCubeDimension dimension[3];
		SdcTabular *table;
		bool *hidden;
		int dimensions = 2 + k % 2;
		int d;

		for (d = 0; d < dimensions; d++)
			dimension[d] =
				random_dimension(&random, 3 + (k / 2 + d) % 3, d == k % 2);
		table = random_table(&random, dimension, dimensions,
							 60 + (int32_t) sdc_random_below(&random, 200),
							 k % 4 > 1);
		hidden = sdc_new(unit_host(), bool, table->cells);
		attack.unbalanced += sdc_tabular_unbalanced(table) >= 0;
		if (!sdc_suppression_run(table, &options, hidden).found)
		{
			attack.missed += plain_possible(table);
			continue;
		}
		attack.found++;
		attack.broken += !plain_safe(table, hidden);
	}
	return attack;
}

#endif
