/*
 * released_categories.c
 *		Categories of what is released beside categories of what is known.
 *
 * A town tells a district, and a job a department.  How often which goes with
 * which is counted in the links, beside the shares that the released
 * categories have in the file.  What a record's category tells is counted
 * without the fourth of the links that its own one is in, whoever is looked
 * for.  The own code then lacks more links than others do.  So a code counts
 * in each fold as if it had as many links there: all but one, less a fourth.
 * One which occurs once tells nothing, and of two rare ones the own is not the
 * one that lacks a link.  As the masked keys and other columns may tell the
 * same, a table counts by the power that tells the own records from their
 * strongest rivals best, and those that tell the most come first.
 */
#include "kernel/intruder/released.h"

#include <math.h>
#include <string.h>

#include "kernel/base/elementary.h"
#include "kernel/base/random.h"
#include "kernel/base/sort.h"

/* Parts of numbers, and people of two of them who go together at least. */
#define BINS          32
#define PEOPLE_OF_TWO 6

/* Values of a number that is a category. */
#define MOST_VALUES 200

/* Links that a key's category has, or it tells nothing: of fewer, the own link
 * that is left out beside the own record alone would show. */
#define LEAST_LINKS 4

/* Links by which a table is weighed. */
#define HELD_LINKS 20000

/* Links that the shares in the file count as, beside those counted. */
static const double shares_weigh[] = {0.5, 2, 8, 32, 128};

/* Powers that are tried. */
static const double powers[] = {1, 0.8, 0.6, 0.4, 0.2};

/* How much more may be said than is right. */
#define TOO_SURE 1.1

/* Links of a key's and a column's categories by fold; SDC_FOLDS: of all. */
typedef struct Table
{
	const int32_t *person; /* codes of the key, negative: NULL */
	const int32_t *record; /* and of the column */
	const int32_t *partner;
	int32_t keys;
	int32_t codes;
	int32_t *count; /* [(fold * keys + key) * codes + code] */
	int32_t *total; /* [fold * keys + key] */
	/* what a link of a code that is not in a fold counts; below 0: all are
	 * there, and what they would count in all is taken as usual */
	double *worth; /* [fold * codes + code] */
	double *sum;   /* [fold * keys + key]: of what counts beside the key */
	int32_t links;
	double *share; /* of each code in the file */
	double weight; /* one of shares_weigh */
	float *chance; /* by row (fold of the person * keys + key) and code */
} Table;

const int32_t *
sdc_intruder_bins(SdcHost *host, const double *number, int32_t n, bool missing,
				  int32_t *codes)
{
	uint64_t *key = sdc_new(host, uint64_t, (size_t) n + 1);
	int32_t *row = sdc_new(host, int32_t, (size_t) n + 1);
	int32_t *code = sdc_new(host, int32_t, (size_t) n + 1);
	int32_t bins = 2;
	int32_t known;
	int32_t bin = 0;
	int32_t i;

	while (bins < BINS && (bins + 1) * (bins + 1) * PEOPLE_OF_TWO <= n)
		bins++;
	for (i = 0; i < n; i++)
		code[i] = missing ? bins : -1;
	known = sdc_sort_numbers(host, number, n, key, row);
	for (i = 0; i < known; i++)
	{
		if (i == 0 || key[i] != key[i - 1])
			bin = (int32_t) ((int64_t) bins * i / known);
		code[row[i]] = bin;
	}
	host->release(host, key);
	host->release(host, row);
	*codes = bins + missing;
	return code;
}

const int32_t *
sdc_intruder_values(SdcHost *host, const double *number, int32_t n,
					bool missing, int32_t *codes)
{
	uint64_t *key = sdc_new(host, uint64_t, (size_t) n + 1);
	int32_t *row = sdc_new(host, int32_t, (size_t) n + 1);
	int32_t *code = sdc_new(host, int32_t, (size_t) n + 1);
	int32_t most = n / 8 < MOST_VALUES ? n / 8 : MOST_VALUES;
	int32_t known = sdc_sort_numbers(host, number, n, key, row);
	int32_t values = 0;
	int32_t i;

	for (i = 0; i < known && values <= most; i++)
	{
		values += i == 0 || key[i] != key[i - 1];
		code[row[i]] = values - 1;
	}
	for (i = 0; i < n; i++)
		if (isnan(number[i]))
			code[i] = missing ? values : -1;
	host->release(host, key);
	host->release(host, row);
	*codes = values + missing;
	if (values > 1 && values <= most)
		return code;
	host->release(host, code);
	return NULL;
}

static inline size_t
row_of(const Table *table, int fold, int32_t key)
{
	return (size_t) fold * (size_t) table->keys + (size_t) key;
}

/*
 * The fold of the own record: all records are told apart by one table, which
 * does not have it.  By tables without the fold of each record the own one
 * looked less likely than others that show the same.
 */
static inline int
fold_of_person(const Table *table, int32_t person)
{
	int32_t record = table->partner[person];

	return record < 0 ? 0 : sdc_fold_of(record);
}

static void
count_table(const SdcIntruder *intruder, Table *table)
{
	size_t rows = ((size_t) SDC_FOLDS + 1) * (size_t) table->keys;
	int32_t known = 0;
	int32_t i;

	table->links = 0;
	memset(table->count, 0, sizeof(int32_t) * rows * (size_t) table->codes);
	memset(table->total, 0, sizeof(int32_t) * rows);
	memset(table->share, 0, sizeof(double) * (size_t) table->codes);
	for (i = 0; i < intruder->records; i++)
		if (table->record[i] >= 0)
		{
			table->share[table->record[i]]++;
			known++;
		}
	for (i = 0; i < table->codes; i++)
		table->share[i] /= known > 0 ? known : 1;
	for (i = 0; i < intruder->persons; i++)
	{
		int32_t record = table->partner[i];
		int32_t code = record < 0 ? -1 : table->record[record];
		int fold = record < 0 ? 0 : sdc_fold_of(record);

		if (code < 0 || table->person[i] < 0)
			continue;
		for (;; fold = SDC_FOLDS)
		{
			size_t row = row_of(table, fold, table->person[i]);

			table->count[row * (size_t) table->codes + (size_t) code]++;
			table->total[row]++;
			if (fold == SDC_FOLDS)
				break;
		}
		table->links++;
	}
}

/* What a code counts beside a key by the links that a fold has not. */
static inline double
count_beside(const Table *table, int fold, int32_t key, int32_t code)
{
	size_t codes = (size_t) table->codes;
	size_t all = row_of(table, SDC_FOLDS, key);
	size_t own = row_of(table, fold, key);
	double worth = table->worth[(size_t) fold * codes + (size_t) code];

	if (worth < 0)
		return -worth * table->total[all] / table->links;
	return worth * (table->count[all * codes + (size_t) code] -
					table->count[own * codes + (size_t) code]);
}

/* Finds what links are worth, and what counts beside each key. */
static void
sum_table(SdcHost *host, Table *table)
{
	size_t codes = (size_t) table->codes;
	int fold;
	int32_t key;
	int32_t code;

	memset(table->worth, 0, sizeof(double) * SDC_FOLDS * codes);
	for (code = 0; code < table->codes; code++)
	{
		int32_t links = 0;

		for (key = 0; key < table->keys; key++)
			links += table->count[row_of(table, SDC_FOLDS, key) * codes +
								  (size_t) code];
		for (fold = 0; fold < SDC_FOLDS && links > 0; fold++)
		{
			double usual = (links - 1) * (SDC_FOLDS - 1.0) / SDC_FOLDS;
			int32_t left = links;

			for (key = 0; key < table->keys; key++)
				left -= table->count[row_of(table, fold, key) * codes +
									 (size_t) code];
			table->worth[(size_t) fold * codes + (size_t) code] =
				left > 0 ? usual / left : -usual;
		}
		host->poll(host, (uint64_t) code, (uint64_t) table->codes);
	}
	for (fold = 0; fold < SDC_FOLDS; fold++)
		for (key = 0; key < table->keys; key++)
		{
			double *sum = &table->sum[row_of(table, fold, key)];

			*sum = 0;
			for (code = 0; code < table->codes; code++)
				*sum += count_beside(table, fold, key, code);
		}
}

/* The chance of a code beside a key, by the links that a fold has not. */
static inline double
chance_beside(const Table *table, int fold, int32_t key, int32_t code)
{
	if (table->total[row_of(table, SDC_FOLDS, key)] < LEAST_LINKS)
		return table->share[code];
	return (count_beside(table, fold, key, code) +
			table->weight * table->share[code]) /
		   (table->sum[row_of(table, fold, key)] + table->weight);
}

/* What the table tells of links that it was not counted from. */
static double
gain_of_table(const SdcIntruder *intruder, const Table *table)
{
	int32_t step = intruder->persons / HELD_LINKS + 1;
	double gain = 0;
	int32_t i;

	for (i = 0; i < intruder->persons; i += step)
	{
		int32_t person = sdc_random_of_step(i, step, intruder->persons);
		int32_t record = table->partner[person];

		if (record >= 0 && table->person[person] >= 0 &&
			table->record[record] >= 0)
			gain += sdc_random_log(chance_beside(table, sdc_fold_of(record),
												 table->person[person],
												 table->record[record]) /
								   table->share[table->record[record]]);
	}
	return gain;
}

/* Finds the weight of the shares; returns what the key tells of the column,
 * 0: nothing. */
static double
weigh_table(const SdcIntruder *intruder, Table *table)
{
	double best = SDC_LEAST_GAIN;
	double weight = 0;
	int k;

	for (k = 0; k < SDC_LENGTH(shares_weigh); k++)
	{
		double gain;

		table->weight = shares_weigh[k];
		gain = gain_of_table(intruder, table);
		if (gain > best)
		{
			best = gain;
			weight = table->weight;
		}
	}
	table->weight = weight;
	return weight > 0 ? best : 0;
}

/* The chances of all rows, by a power of what the table says. */
static void
fill_table(SdcHost *host, Table *table, double power)
{
	int fold;
	int32_t key;
	int32_t code;

	for (fold = 0; fold < SDC_FOLDS; fold++)
		for (key = 0; key < table->keys; key++)
		{
			float *chance = table->chance +
							row_of(table, fold, key) * (size_t) table->codes;
			double sum = 0;

			host->poll(host, (uint64_t) key, (uint64_t) table->keys);
			for (code = 0; code < table->codes; code++)
			{
				double share = table->share[code];
				double lift =
					share > 0 ? chance_beside(table, fold, key, code) / share
							  : 1;
				double value = share * sdc_exp(power * sdc_random_log(lift));

				chance[code] = (float) value;
				sum += value;
			}
			for (code = 0; code < table->codes; code++)
				chance[code] = (float) (chance[code] / sum);
		}
}

/* What a table adds to the score of a person and a record. */
static float
table_score(const SdcIntruder *intruder, const Table *table, int32_t person,
			int32_t record)
{
	int32_t key = table->person[person];
	int32_t code = table->record[record];
	size_t row;
	double ratio;

	if (key < 0 || code < 0)
		return 0;
	row = row_of(table, fold_of_person(table, person), key);
	ratio = table->chance[row * (size_t) table->codes + (size_t) code] /
			table->share[code];
	return sdc_log_float(
		(float) ((1 - intruder->error) * ratio + intruder->error));
}

/* The same by what a search of rivals asks. */
typedef struct Asked
{
	const SdcIntruder *intruder;
	const Table *table;
} Asked;

static float
asked_score(const void *arg, int32_t person, int32_t record)
{
	const Asked *asked = arg;

	return table_score(asked->intruder, asked->table, person, record);
}

/*
 * The power by which the table tells the most, and no more is said than is
 * right; 0: it tells nothing.  Where few go together, strangers' links make
 * their records look likely.
 */
static double
power_of(const SdcIntruder *intruder, const SdcRivals *rivals, Table *table)
{
	Asked asked = {intruder, table};
	SdcTold before = sdc_rivals_told(rivals, NULL, NULL);
	double most = before.log + SDC_LEAST_TOLD;
	double power = 0;
	int k;

	for (k = 0; k < SDC_LENGTH(powers); k++)
	{
		SdcTold told;

		fill_table(intruder->host, table, powers[k]);
		told = sdc_rivals_told(rivals, asked_score, &asked);
		if (told.log > most &&
			told.said < fmax(before.said - before.right, 0) + 1 +
							TOO_SURE * told.right)
		{
			most = told.log;
			power = powers[k];
		}
	}
	return power;
}

/* Adds the term of a table, and lets the rivals know. */
static void
use_table(SdcIntruder *intruder, SdcRivals *rivals, Table *table, double power)
{
	SdcHost *host = intruder->host;
	int32_t *row = sdc_new(host, int32_t, (size_t) intruder->persons + 1);
	Asked asked = {intruder, table};
	int32_t i;

	fill_table(host, table, power);
	sdc_rivals_add(rivals, asked_score, &asked);
	for (i = 0; i < intruder->persons; i++)
		row[i] = table->person[i] < 0
					 ? -1
					 : (int32_t) row_of(table, fold_of_person(table, i),
										table->person[i]);
	sdc_intruder_add_table(intruder, table->chance, SDC_FOLDS * table->keys,
						   row, table->record, table->codes);
	host->release(host, row);
}

static void
start_table(const SdcIntruder *intruder, Table *table)
{
	SdcHost *host = intruder->host;
	size_t keys = (size_t) table->keys;
	size_t codes = (size_t) table->codes;

	table->count = sdc_new(host, int32_t, (SDC_FOLDS + 1) * keys * codes);
	table->total = sdc_new(host, int32_t, (SDC_FOLDS + 1) * keys);
	table->share = sdc_new(host, double, codes);
	table->worth = sdc_new(host, double, SDC_FOLDS *codes);
	table->sum = sdc_new(host, double, SDC_FOLDS *keys);
	count_table(intruder, table);
	sum_table(host, table);
}

static void
end_table(SdcHost *host, Table *table)
{
	host->release(host, table->count);
	host->release(host, table->total);
	host->release(host, table->share);
	host->release(host, table->worth);
	host->release(host, table->sum);
}

/* Learns what one key tells of one column by a table that was weighed; true: a
 * term was added. */
static bool
learn_table(SdcIntruder *intruder, Table *table, SdcRivals *rivals)
{
	SdcHost *host = intruder->host;
	double power;

	start_table(intruder, table);
	table->chance = sdc_new(
		host, float, SDC_FOLDS *(size_t) table->keys *(size_t) table->codes);
	if (rivals->person == NULL)
		*rivals = sdc_rivals_find(intruder, table->partner);
	power = power_of(intruder, rivals, table);
	if (power > 0)
		use_table(intruder, rivals, table, power);
	host->release(host, table->chance);
	end_table(host, table);
	return power > 0;
}

/* A key and a column, and what one tells of the other. */
typedef struct Beside
{
	int key;
	int column;
	double weight; /* of its table */
	double gain;
} Beside;

static Table
table_of(const SdcIntruderCategories *of, int key, int column)
{
	Table table = {.person = of->person[key],
				   .record = of->record[column],
				   .partner = of->partner,
				   .keys = of->person_codes[key],
				   .codes = of->record_codes[column]};

	return table;
}

/* Which keys tell which columns, what tells the most first. */
static int
find_beside(SdcIntruder *intruder, const SdcIntruderCategories *of,
			Beside *beside)
{
	SdcHost *host = intruder->host;
	int found = 0;
	int k;
	int c;

	for (k = 0; k < of->keys; k++)
		for (c = 0; c < of->columns; c++)
		{
			Table table = table_of(of, k, c);
			Beside next = {k, c, 0, 0};
			int i;

			host->poll(host, (uint64_t) k, (uint64_t) of->keys);
			if (table.record == NULL || table.keys == 0 || table.codes == 0 ||
				(int64_t) table.keys * table.codes >
					SDC_INTRUDER_CHANCES / (SDC_FOLDS + 1))
				continue;
			start_table(intruder, &table);
			next.gain = weigh_table(intruder, &table);
			next.weight = table.weight;
			end_table(host, &table);
			if (next.gain <= 0)
				continue;
			for (i = found++; i > 0 && beside[i - 1].gain < next.gain; i--)
				beside[i] = beside[i - 1];
			beside[i] = next;
		}
	return found;
}

int
sdc_intruder_add_categories(SdcIntruder *intruder,
							const SdcIntruderCategories *of)
{
	SdcHost *host = intruder->host;
	SdcRivals rivals = {0};
	Beside *beside =
		sdc_new(host, Beside, (size_t) of->keys * (size_t) of->columns + 1);
	int found = find_beside(intruder, of, beside);
	int added = 0;
	int i;

	/* a town before its county: the other way round both would count */
	for (i = 0; i < found && sdc_intruder_has_room(intruder, 1, 0); i++)
	{
		Table table = table_of(of, beside[i].key, beside[i].column);

		host->poll(host, (uint64_t) i, (uint64_t) found);
		table.weight = beside[i].weight;
		if (learn_table(intruder, &table, &rivals))
		{
			sdc_note_used(of->used, of->gain, beside[i].column,
						  beside[i].gain);
			added++;
		}
	}
	if (rivals.person != NULL)
		sdc_rivals_release(host, &rivals);
	host->release(host, beside);
	return added;
}
