/*
 * intruder_sums.c
 *		Means of groups are sums: what the intruder finds by adding up people.
 *
 * Two pairs of columns are replaced by means of groups, of one column of each
 * pair the intruder knows the values.
 */
#include "intruder_files.h"

#include "kernel/microaggregation/microaggregate_group.h"

#define SEED 5

static SdcRandom random_state;

/* How the means are published, and who is known. */
typedef struct Case
{
	const char *what;
	int32_t n;
	int32_t size;   /* of a group */
	double step;    /* values are multiples of it */
	double rounded; /* so are the means; 0: they are exact */
	double blur;    /* added to the means */
	int32_t known;  /* of the people */
	int32_t holes;  /* of whom nothing is known of the first column */
} Case;

/* What is seen of the groups, beside the known column of each pair. */
typedef struct Sight
{
	bool sums;   /* are they added up? */
	bool widths; /* is it seen how wide each of them is? */
	bool whole;  /* are all people known to be in the file? */
} Sight;

/* Row numbers in the order of x. */
static int32_t *
order_by(const double *x, int32_t n)
{
	uint64_t *key = sdc_new(unit_host(), uint64_t, n);
	int32_t *row = sdc_new(unit_host(), int32_t, n);
	int32_t i;

	for (i = 0; i < n; i++)
	{
		key[i] = sdc_sort_key(x[i]);
		row[i] = i;
	}
	sdc_sort_keys(unit_host(), key, row, n);
	return row;
}

/* A column, and its means in groups of rows that are near each other. */
static void
make_column(const Case *of, double *value, double *mean)
{
	double *near = sdc_new(unit_host(), double, of->n);
	int32_t *row;
	int32_t i;
	int32_t k;

	for (i = 0; i < of->n; i++)
	{
		value[i] = sdc_random_normal(&random_state);
		/* the other column of the pair takes part in the groups */
		near[i] = value[i] + 0.05 * sdc_random_normal(&random_state);
		value[i] = rint(value[i] / of->step) * of->step;
	}
	row = order_by(near, of->n);
	for (i = 0; i < of->n; i += of->size)
	{
		int32_t end = i + of->size < of->n ? i + of->size : of->n;
		double sum = of->blur * sdc_random_normal(&random_state);

		for (k = i; k < end; k++)
			sum += value[row[k]];
		sum /= end - i;
		if (of->rounded > 0)
			sum = rint(sum / of->rounded) * of->rounded;
		for (k = i; k < end; k++)
			mean[row[k]] = sum;
	}
}

/* What is found. */
static SdcIntruderSuccess
attack(const Case *of, const double *const *person,
	   const double *const *record, Sight sight)
{
	SdcIntruder *intruder = sdc_intruder_create(unit_host(), of->known, of->n,
												SDC_INTRUDER_ERROR, SEED);
	SdcIntruderSearch search = {.count = of->known,
								.room = 128,
								.depth = SDC_INTRUDER_DEPTH,
								.share = SDC_INTRUDER_SHARE,
								.rest = true};
	SdcIntruderPrior prior = {1, of->known == of->n, NULL, SDC_MATCH_BUDGET,
							  200};
	SdcIntruderCandidates *found;
	SdcIntruderAnswer *answer;
	SdcIntruderSuccess success;
	int32_t *truth = sdc_new(unit_host(), int32_t, of->known);
	int32_t i;
	int c;

	for (c = 0; c < 2; c++)
	{
		SdcIntruderGroups groups = {.columns = 1,
									.person = &person[c],
									.record = &record[c * (1 + sight.widths)],
									.shown = 2 * sight.widths,
									.whole = sight.whole};

		sdc_intruder_add_group(intruder, &groups);
	}
	sdc_intruder_fit_spread(intruder, 300);
	found = run_search(intruder, &search, false);
	if (sight.sums)
		sdc_intruder_use_sums(unit_host(), intruder, found, &prior, 40000000);
	answer = sdc_intruder_answer(unit_host(), intruder, found, &prior);
	for (i = 0; i < of->known; i++)
		truth[i] = i;
	sdc_intruder_success(found, answer, truth, NULL, &success);
	return success;
}

/* Finds at least so much of the people, and `most` without sums. */
static void
check(const Case *of, double least, double most)
{
	double *person[2];
	double *record[2];
	SdcIntruderSuccess without;
	SdcIntruderSuccess with;
	double right;
	double said;
	int32_t i;
	int c;

	for (c = 0; c < 2; c++)
	{
		person[c] = sdc_new(unit_host(), double, of->n);
		record[c] = sdc_new(unit_host(), double, of->n);
		make_column(of, person[c], record[c]);
	}
	for (i = 0; i < of->holes; i++)
		person[0][i * (of->n / of->holes)] = NAN;
	without = attack(of, (const double *const *) person,
					 (const double *const *) record, (Sight){0});
	with = attack(of, (const double *const *) person,
				  (const double *const *) record, (Sight){.sums = true});
	right = (double) with.right[SDC_INTRUDER_BELIEF] / of->known;
	said = with.said[SDC_INTRUDER_BELIEF] / of->known;
	unit_check(right >= least &&
				   without.right[SDC_INTRUDER_BELIEF] <= most * of->known,
			   "%s: %.3f found, without sums %.3f", of->what, right,
			   (double) without.right[SDC_INTRUDER_BELIEF] / of->known);
	/* nearness alone says too little of groups that are as dense as these */
	unit_check(said - right < 0.03 && right - said < 0.08,
			   "%s: %.3f said, %.3f right", of->what, said, right);
	unit_release_all();
}

/*
 * A pair of columns that is grouped together.  value and mean get the first
 * one of each, and mean[1] that of the other.
 */
static void
make_pair(const Case *of, double skew, double *value, double *const *mean)
{
	int32_t n = of->n;
	double *column[] = {value, sdc_new(unit_host(), double, n)};
	SdcMatrix matrix = {(size_t) n, 2, column};
	int32_t *group = sdc_new(unit_host(), int32_t, n);
	int32_t groups;
	double *sum;
	int32_t *many;
	int32_t i;
	int c;

	for (i = 0; i < n; i++)
		for (c = 0; c < 2; c++)
		{
			double x = exp(skew * sdc_random_normal(&random_state));

			column[c][i] = of->step > 0 ? rint(x / of->step) * of->step : x;
		}
	groups = sdc_microaggregate_group(unit_host(), &matrix, of->size,
									  SDC_GROUP_MDAV, true, NULL, group);
	sum = sdc_new(unit_host(), double, groups);
	many = sdc_new(unit_host(), int32_t, groups);
	for (c = 0; c < 2; c++)
	{
		for (i = 0; i < groups; i++)
			sum[i] = many[i] = 0;
		for (i = 0; i < n; i++)
		{
			sum[group[i]] += column[c][i];
			many[group[i]]++;
		}
		for (i = 0; i < n; i++)
			mean[c][i] = sum[group[i]] / many[group[i]];
	}
}

/* What is found with and without seeing how wide groups are. */
static void
check_widths(const Case *of, double skew, const Sight *sight, double least,
			 double most)
{
	double *person[2];
	double *record[4];
	double *known[2];
	double right[2];
	double said[2];
	int c;
	int k;

	for (c = 0; c < 2; c++)
	{
		person[c] = sdc_new(unit_host(), double, of->n);
		record[2 * c] = sdc_new(unit_host(), double, of->n);
		record[2 * c + 1] = sdc_new(unit_host(), double, of->n);
		make_pair(of, skew, person[c], &record[2 * c]);
	}
	known[0] = record[0];
	known[1] = record[2];
	for (k = 0; k < 2; k++)
	{
		SdcIntruderSuccess found =
			attack(of, (const double *const *) person,
				   sight[k].widths ? (const double *const *) record
								   : (const double *const *) known,
				   sight[k]);

		right[k] = (double) found.right[SDC_INTRUDER_BELIEF] / of->n;
		said[k] = found.said[SDC_INTRUDER_BELIEF] / of->n;
	}
	unit_check(right[0] <= most && right[1] >= least,
			   "%s: %.3f found, %.3f by less", of->what, right[1], right[0]);
	unit_check(said[1] - right[1] < 0.06 && right[1] - said[1] < 0.09,
			   "%s: %.3f said, %.3f right; by less %.3f and %.3f", of->what,
			   said[1], right[1], said[0], right[0]);
	unit_release_all();
}

int
main(void)
{
	static const Case exact = {"groups of 3", 600, 3, 1e-4, 0, 0, 600, 0};
	static const Case fives = {"groups of 5", 600, 5, 1e-4, 0, 0, 600, 0};
	static const Case eights = {"groups of 8", 320, 8, 1e-6, 0, 0, 320, 0};
	static const Case rounded = {
		"rounded means", 600, 3, 1e-4, 1e-4, 0, 600, 0};
	static const Case coarse = {"coarse values", 600, 3, .05, 0, 0, 600, 0};
	static const Case half = {
		"half of the people", 600, 3, 1e-4, 0, 0, 300, 0};
	static const Case holes = {"values missing", 600, 3, 1e-4, 0, 0, 600, 60};
	static const Case blurred = {
		"blurred means", 600, 3, 1e-4, 0, .003, 600, 0};

	static const Case uneven = {"uneven groups", 600, 5, 0, 0, 0, 600, 0};
	static const Case mild = {"less uneven groups", 600, 5, 0, 0, 0, 600, 0};
	static const Case tens = {
		"uneven groups of 10", 400, 10, 1e-5, 0, 0, 400, 0};
	static const Sight width[] = {{0}, {.widths = true, .whole = true}};
	static const Sight sums[] = {
		{.widths = true, .whole = true},
		{.sums = true, .widths = true, .whole = true}};

	unit_start("sums of groups");
	sdc_random_seed(&random_state, SEED, 1);
	check(&exact, 0.97, 0.85);
	check(&fives, 0.93, 0.8);
	check(&eights, 0.85, 0.85);
	check(&rounded, 0.97, 0.85);
	check(&coarse, 0.85, 0.85);
	check(&half, 0.85, 0.8);
	check(&holes, 0.95, 0.75);
	check(&blurred, 0.75, 1);
	check_widths(&uneven, 1.5, width, 0.28, 0.26);
	check_widths(&mild, 0.5, sums, 0.3, 1);
	check_widths(&tens, 0.5, sums, 0.18, 0.25);
	return unit_finish();
}
