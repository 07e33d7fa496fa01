/*
 * suda2_published.c
 *		Special uniques: published scores, and those of sdcMicro.
 */
#include <math.h>

#include "kernel/base/matrix.h"
#include "kernel/risk/suda2.h"
#include "kernel/table/frequency.h"
#include "published_table.h"
#include "suda2_table.h"
#include "unit.h"

static bool
all_near(const double *a, const double *b, int n, double tolerance)
{
	int i;

	for (i = 0; i < n; i++)
		if (!(fabs(a[i] - b[i]) <= tolerance))
			return false;
	return true;
}

/* EX-SUDA-1: the records, scores, DIS at 0.1 and contributions. */
static void
check_example(void)
{
	static const int rows[10][4] = {
		{1, 1, 1, 1}, {1, 1, 1, 1}, {1, 1, 2, 1}, {1, 2, 1, 2}, {1, 2, 2, 1},
		{1, 2, 2, 1}, {2, 1, 1, 3}, {2, 1, 2, 2}, {2, 2, 2, 2}, {2, 2, 2, 2}};
	static const double score[4] = {2, 6, 8, 3};
	static const double dis[4] = {0.036949, 0.125402, 0.168398, 0.058745};
	static const double share[4] = {0.316, 0.368, 0.474, 0.684};
	SdcSuda2Options options = {4, 0, 0, 0};
	Table table = {4, 10, {4, 4, 4, 4}, {{0}}};
	int32_t cell[ROWS];
	double value[5];
	SdcFrequency *frequency;
	SdcSuda2 *suda;
	double got[4];
	int i;
	int j;

	for (i = 0; i < 10; i++)
		for (j = 0; j < 4; j++)
			table.code[i][j] = rows[i][j];
	frequency = count_table(&table, cell);
	suda = sdc_suda2_find(unit_host(), frequency, &options);
	unit_check(suda->uniques == 4 && suda->unique[cell[2]] == 0 &&
				   all_near(suda->score, score, 4, 0),
			   "EX-SUDA-1: scores");
	sdc_suda2_dis(unit_host(), suda, 0.1, got);
	unit_check(all_near(got, dis, 4, 5e-7), "EX-SUDA-1: DIS-SUDA");
	sdc_suda2_contributions(unit_host(), suda, got);
	unit_check(all_near(got, share, 4, 5e-4), "EX-SUDA-1: contributions");
	for (j = 0; j < 4; j++)
	{
		sdc_suda2_value_contributions(unit_host(), suda, frequency, j, value);
		unit_check(fabs(value[0] + value[1] + value[2] + value[3] + value[4] -
						got[j]) < 1e-12,
				   "EX-SUDA-1: values of key %d", j);
	}
	sdc_suda2_dis(unit_host(), suda, 1, got);
	unit_check(got[0] == 1 && got[3] == 1, "a census has no doubt");
	unit_release_all();
}

/* Columns of the reference file. */
enum
{
	FILE_KEYS = 1,
	FILE_SCORE = 5,
	FILE_DIS,
	FILE_IHSN_SCORE,
	FILE_IHSN_DIS,
	FILE_PARTS
};

static void
check_scoring(const Table *table, const SdcMatrix *file, SdcSuda2Score score,
			  int score_column, int dis_column)
{
	SdcSuda2Options options = {4, score, 0, 0};
	int32_t cell[ROWS];
	SdcFrequency *frequency = count_table(table, cell);
	SdcSuda2 *suda = sdc_suda2_find(unit_host(), frequency, &options);
	double dis[ROWS];
	int wrong = 0;
	int i;
	int j;

	sdc_suda2_dis(unit_host(), suda, 0.01, dis);
	for (i = 0; i < table->rows; i++)
	{
		int32_t u = suda->unique[cell[i]];
		double total = u < 0 ? 0 : suda->score[u];

		/* the reference computes with floats */
		wrong +=
			fabs(total - file->column[score_column][i]) > 1e-9 ||
			fabs((u < 0 ? 0 : dis[u]) - file->column[dis_column][i]) > 1e-7;
		for (j = 0; j < 4 && score == SDC_SUDA2_FACTORIAL; j++)
			wrong += fabs((total > 0 ? suda->part[u * 4 + j] / total : 0) -
						  file->column[FILE_PARTS + j][i]) > 1e-9;
	}
	unit_check(wrong == 0, "sdcMicro, score %d: %d differ", (int) score,
			   wrong);
}

static void
check_reference(void)
{
	SdcMatrix file;
	Table table = {4, 10, {10, 10, 10, 10}, {{0}}};
	int32_t cell[ROWS];
	SdcSuda2Options options = {4, 0, 0, 0};
	static const double percent[4] = {23.5294117647059, 17.6470588235294,
									  64.7058823529412, 23.5294117647059};
	double share[4];
	int i;
	int j;

	published_table_read("suda2_small10.csv", &file);
	for (i = 0; i < 10; i++)
		for (j = 0; j < 4; j++)
			table.code[i][j] = (int32_t) file.column[FILE_KEYS + j][i];
	check_scoring(&table, &file, SDC_SUDA2_FACTORIAL, FILE_SCORE, FILE_DIS);
	check_scoring(&table, &file, SDC_SUDA2_ELLIOT, FILE_SCORE, FILE_DIS);
	check_scoring(&table, &file, SDC_SUDA2_IHSN, FILE_IHSN_SCORE,
				  FILE_IHSN_DIS);
	sdc_suda2_contributions(
		unit_host(),
		sdc_suda2_find(unit_host(), count_table(&table, cell), &options),
		share);
	for (j = 0; j < 4; j++)
		share[j] *= 100;
	unit_check(all_near(share, percent, 4, 1e-9),
			   "sdcMicro: contributions of the file");
	published_table_free(&file);
	unit_release_all();
}

int
main(void)
{
	unit_start("suda2_published");
	check_example();
	check_reference();
	return unit_finish();
}
