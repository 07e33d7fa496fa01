/*
 * microaggregate_published.c
 *		MDAV against published losses and the groups of another program.
 *
 * Census (1080 x 13) and Tarragona (834 x 13) are the usual reference tables;
 * the losses of MDAV on them are printed in many papers (for instance
 * Domingo-Ferrer, Martinez-Balleste, Mateo-Sanz and Sebe 2006).  The groups
 * were computed by sdcMicro 5.8.1.  Skips when the tables are not there.  The
 * method "best" takes seconds and is left to the program without sanitizers;
 * microaggregate_group.c has it under them.
 */
#include "microaggregate_data.h"
#include "microaggregate_loss.h"
#include "published_table.h"

#include "kernel/base/matrix.h"
#include "kernel/microaggregation/microaggregate_group.h"

typedef struct Case
{
	const char *name;
	const char *data;
	const char *groups;
	int k;
	double loss; /* percent, four digits */
	double best; /* percent that best must be below MDAV, 0: not run */
} Case;

static const Case cases[] = {
	{"census", "census.csv", "mdav_census13_k3.csv", 3, 5.6922, 16},
	{"census", "census.csv", "mdav_census13_k5.csv", 5, 9.0884, 0},
	{"census", "census.csv", "mdav_census13_k10.csv", 10, 14.1559, 18.5},
	{"tarragona", "tarragona.csv", "mdav_tarragona13_k3.csv", 3, 16.9326,
	 13.5},
	{"tarragona", "tarragona.csv", "mdav_tarragona13_k5.csv", 5, 22.4619, 0},
	{"tarragona", "tarragona.csv", "mdav_tarragona13_k10.csv", 10, 33.1929, 0},
	{"normal", "synth_norm_1000x4.csv", "mdav_synth1000_k3.csv", 3, 5.0730, 0},
	{"normal", "synth_norm_1000x4.csv", "mdav_synth1000_k5.csv", 5, 8.4981, 0},
	{"normal", "synth_norm_1000x4.csv", "mdav_synth1000_k10.csv", 10, 14.5924,
	 0},
};

static double
percent_loss(const SdcMatrix *matrix, int k, SdcGroupMethod method,
			 int32_t *group)
{
	SdcRandom random;
	int32_t groups;

	sdc_random_seed(&random, 1, 0);
	groups = sdc_microaggregate_group(unit_host(), matrix, k, method, true,
									  &random, group);

	return 100 * microaggregate_loss(unit_host(), matrix, true, group, groups);
}

/*
 * Are the groups those of the other program?  Equal rows may trade places:
 * rows 760 and 761 of Tarragona are equal, and with k = 3 the other program
 * has each in the group where we have the other.
 */
static bool
same_groups(const SdcMatrix *matrix, const int32_t *group,
			const SdcMatrix *reference)
{
	int32_t rows = (int32_t) matrix->rows;
	int32_t *theirs = malloc(matrix->rows * sizeof(*theirs));
	bool same;
	int32_t i;

	for (i = 0; i < rows; i++)
		theirs[i] = (int32_t) reference->column[1][i] - 1;
	same = data_signature(matrix, group, rows) ==
		   data_signature(matrix, theirs, rows);
	free(theirs);
	return same;
}

static void
check_case(const Case *tested)
{
	SdcMatrix matrix;
	SdcMatrix reference;
	int32_t *group;
	double mdav;

	published_table_read(tested->data, &matrix);
	published_table_read(tested->groups, &reference);
	group = malloc(matrix.rows * sizeof(*group));
	mdav = percent_loss(&matrix, tested->k, SDC_GROUP_MDAV, group);
	unit_check(fabs(mdav - tested->loss) < 0.00006,
			   "%s, k = %d: loss %.4f, published %.4f", tested->name,
			   tested->k, mdav, tested->loss);
	unit_check(same_groups(&matrix, group, &reference),
			   "%s, k = %d: the groups of sdcMicro", tested->name, tested->k);
	if (tested->best > 0 && !unit_sparing())
	{
		double best = percent_loss(&matrix, tested->k, SDC_GROUP_BEST, group);

		unit_check(best < mdav * (1 - tested->best / 100),
				   "%s, k = %d: best %.4f is %.1f %% below", tested->name,
				   tested->k, best, 100 * (1 - best / mdav));
	}
	free(group);
	published_table_free(&matrix);
	published_table_free(&reference);
	unit_release_all();
}

int
main(void)
{
	size_t i;

	unit_start("microaggregate_published");
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		check_case(&cases[i]);
	return unit_finish();
}
