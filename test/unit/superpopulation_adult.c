/*
 * superpopulation_adult.c
 *		Zayatz, Pitman and Dankar's rule against ARX 3.9.2 on adult.
 *
 * ARX is right where it takes Zayatz or Pitman, but for the two keys sex and
 * age: no class sizes like those have a maximum with alpha > 0, and its search
 * ends outside of the model.  Its SNB is wrong, and only bounds are compared.
 */
#include "published_file.h"
#include "unit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/risk/superpopulation.h"

#define ROWS   30162
#define FIELDS 34
#define LINE   2048

/* Splits a line at semicolons; the fields stay in it. */
static int
split(char *line, char **field)
{
	int fields = 0;

	line[strcspn(line, "\r\n")] = '\0';
	while (line != NULL && fields < FIELDS)
	{
		field[fields++] = line;
		line = strchr(line, ';');
		if (line != NULL)
			*line++ = '\0';
	}
	return fields;
}

static int
compare(const void *a, const void *b)
{
	return strcmp(*(char *const *) a, *(char *const *) b);
}

/* Class sizes of every step-th row by the columns whose digits are given. */
static int32_t
class_sizes(FILE *file, const char *columns, int step, int64_t *count)
{
	char **keys = malloc(sizeof(char *) * ROWS);
	char line[LINE];
	int32_t classes = 0;
	int rows = 0;
	int row;
	int i;

	rewind(file);
	for (row = -1; fgets(line, sizeof(line), file) != NULL; row++)
	{
		char *field[FIELDS];
		char key[LINE] = "";

		split(line, field);
		for (i = 0; columns[i] != '\0'; i++)
			strcat(strcat(key, field[columns[i] - '0']), ";");
		if (row >= 0 && row % step == 0)
			keys[rows++] = strdup(key);
	}
	qsort(keys, rows, sizeof(char *), compare);
	for (row = 0; row < rows; row++)
	{
		if (row == 0 || strcmp(keys[row], keys[row - 1]) != 0)
			count[classes++] = 0;
		count[classes - 1]++;
	}
	for (row = 0; row < rows; row++)
		free(keys[row]);
	free(keys);
	return classes;
}

/* The limit of Pitman's uniques for a large N, as Hoshino and ARX have it. */
static double
pitman_limit(const SdcSuperpopulationEstimate *estimate, double population)
{
	long double theta = estimate->theta;
	long double alpha = estimate->alpha;

	return expl(lgammal(theta + 1) - lgammal(theta + alpha) +
				alpha * logl(population));
}

/* Fields of adult_risk.csv. */
enum
{
	DATA,
	KEYS,
	SOURCE,
	POPULATION,
	RECORDS,
	CLASSES,
	UNIQUES,
	PAIRS,
	ZAYATZ = 27,
	PITMAN,
	SNB,
	DANKAR,
	MODEL
};

static void
check_row(FILE *adult, char **field, const char *columns, int step)
{
	static int64_t count[ROWS];
	int32_t classes = class_sizes(adult, columns, step, count);
	double population = atof(field[POPULATION]);
	SdcSuperpopulation sample =
		sdc_superpopulation_sample(unit_host(), count, classes, population);
	SdcSuperpopulationEstimate zayatz =
		sdc_superpopulation_zayatz(unit_host(), &sample);
	SdcSuperpopulationEstimate pitman =
		sdc_superpopulation_pitman(unit_host(), &sample);
	SdcSuperpopulationEstimate snb =
		sdc_superpopulation_snb(unit_host(), &sample);
	SdcSuperpopulationModel model;
	SdcSuperpopulationEstimate dankar =
		sdc_superpopulation_dankar(unit_host(), &sample, &model);
	double limit = pitman_limit(&pitman, population);
	const char *name = field[SOURCE];

	unit_check(sample.records == atof(field[RECORDS]) &&
				   classes == atof(field[CLASSES]) &&
				   sample.uniques == atof(field[UNIQUES]) &&
				   sample.pairs == atof(field[PAIRS]),
			   "%s, %s: class sizes", field[KEYS], name);
	/* all digits but those that hundreds of products round away */
	unit_check(fabs(zayatz.uniques / atof(field[ZAYATZ]) - 1) < 1e-10,
			   "%s, %s: Zayatz %.2f", field[KEYS], name, zayatz.uniques);
	/* both stop at parameters of some nine digits */
	if (strcmp(field[KEYS], "q2") != 0)
		unit_check(fabs(limit / atof(field[PITMAN]) - 1) < 1e-8,
				   "%s, %s: Pitman's limit %.2f", field[KEYS], name, limit);
	/* the limit is off by some (theta + 1) / N; that of q8 is 735 / 33513 */
	unit_check(pitman.uniques <= limit && pitman.uniques > 0.99 * limit,
			   "%s, %s: Pitman %.2f", field[KEYS], name, pitman.uniques);
	if (sample.fraction <= 0.1)
		unit_check(model == SDC_SUPERPOPULATION_PITMAN &&
					   strcmp(field[MODEL], "PITMAN") == 0 &&
					   dankar.uniques == pitman.uniques,
				   "%s, %s: Dankar takes Pitman", field[KEYS], name);
	else
		unit_check(dankar.uniques == fmin(zayatz.uniques, snb.uniques),
				   "%s, %s: Dankar takes the smaller of Zayatz %.2f and SNB "
				   "%.2f",
				   field[KEYS], name, zayatz.uniques, snb.uniques);
}

int
main(void)
{
	static const char *const keys[][2] = {
		{"q8", "01234568"}, {"q4", "0123"}, {"q5", "01245"}, {"q2", "01"}};
	FILE *adult = published_open("adult.csv");
	FILE *arx = published_open("adult_risk.csv");
	char line[LINE];
	int compared = 0;
	size_t k;

	unit_start("superpopulation_adult");
	while (fgets(line, sizeof(line), arx))
	{
		char *field[FIELDS];

		/* the masked files are not there */
		if (split(line, field) <= MODEL || strncmp(field[DATA], "input", 5))
			continue;
		for (k = 0; k < 4; k++)
			if (strcmp(field[KEYS], keys[k][0]) == 0)
			{
				check_row(adult, field, keys[k][1],
						  strstr(field[DATA], "every_10th") ? 10 : 1);
				compared++;
			}
	}
	unit_check(compared == 33, "%d estimates of ARX", compared);
	fclose(adult);
	fclose(arx);
	return unit_finish();
}
