/*
 * posterior.c
 *		What an intruder believes of a person before and after a release.
 *
 * The classes of the release and those of the intruder's table are sorted by
 * the same codes, so one merge finds the class of each person.  Counts and
 * weights of the class lie in arrays by the code of the sensitive value, NULL
 * being the last place.
 *
 * f(s|q) / f(s|q*) is w(q,s) / w(q*,s) times a factor that is the same for
 * all s and so leaves the posterior alone; w are sums of weights.
 */
#include <math.h>
#include <string.h>

#include "kernel/base/host.h"
#include "kernel/base/sort.h"
#include "kernel/risk/posterior.h"
#include "kernel/table/frequency.h"

/* ----------------------------------------------------------------------
 * Posterior beliefs from their terms; what is a disclosure; summing up.
 *
 * To rule x values out raises the belief in another one most when they are
 * the x largest others.  So of the x + 1 largest terms each has the others
 * ruled out, and every term after these has the x largest ruled out.
 * ----------------------------------------------------------------------
 */

/* Larger terms come first. */
static int
compare_terms(int32_t a, int32_t b, void *arg)
{
	const double *term = arg;

	return term[a] > term[b] ? -1 : term[a] < term[b];
}

/* Terms by size, or as they are when none is ruled out. */
static int32_t *
order_terms(SdcHost *host, const double *term, int32_t n, bool sorted)
{
	int32_t *order = sdc_new(host, int32_t, n);
	int32_t i;

	for (i = 0; i < n; i++)
		order[i] = i;
	if (sorted)
		sdc_sort_rows(host, order, n, compare_terms, (void *) term);
	return order;
}

/*
 * Turns the n terms of theorem 3.1, finite and >= 0, into shares of their sum;
 * with exclude = x > 0, of the sum without the x largest others.  All NaN when
 * no term is above 0.  O(n), with exclude times log.
 */
static void
sdc_posterior_share(SdcHost *host, const double *term, int32_t n,
					int32_t exclude, double *share)
{
	int32_t *order = order_terms(host, term, n, exclude > 0);
	double below = 0; /* sum of the terms after the x + 1 largest */
	double next = 0;  /* the last of these */
	double largest = 0;
	int32_t i;

	for (i = n - 1; i > exclude; i--)
		below += term[order[i]];
	if (exclude < n)
		next = term[order[exclude]];
	for (i = 0; i < n; i++)
		largest = term[i] > largest ? term[i] : largest;
	for (i = 0; i < n; i++)
	{
		double own = term[order[i]];

		if (largest == 0)
			share[order[i]] = NAN;
		else
			share[order[i]] =
				own == 0 ? 0 : own / (below + (i <= exclude ? own : next));
	}
	host->release(host, order);
}

int
sdc_posterior_disclosure(const SdcPosteriorThresholds *thresholds,
						 double prior, double posterior)
{
	int found = 0;

	/* a comparison with NaN is false */
	if (posterior == 1 || posterior > 1 - thresholds->delta)
		found |= SDC_POSTERIOR_POSITIVE;
	if (posterior == 0 || posterior < thresholds->epsilon)
		found |= SDC_POSTERIOR_NEGATIVE;
	if (prior < thresholds->rho1 && posterior > thresholds->rho2)
		found |= SDC_POSTERIOR_BREACH;
	return found;
}

/* Larger counts come first. */
static int
compare_counts(int32_t a, int32_t b, void *arg)
{
	const int64_t *count = arg;

	return count[a] > count[b] ? -1 : count[a] < count[b];
}

/*
 * The sum of the largest counts but the first, at most exclude of them, of the
 * cells first .. end - 1.
 */
static int64_t
excluded_records(SdcHost *host, const int64_t *count, int32_t first,
				 int32_t end, int32_t exclude)
{
	int32_t n = end - first;
	int32_t *order;
	int64_t sum = 0;
	int32_t i;

	if (exclude == 0)
		return 0;
	order = sdc_new(host, int32_t, n);
	for (i = 0; i < n; i++)
		order[i] = first + i;
	sdc_sort_rows(host, order, n, compare_counts, (void *) count);
	for (i = 1; i < n && i <= exclude; i++)
		sum += count[order[i]];
	host->release(host, order);
	return sum;
}

/* The highest posterior of a class; NaN when it has no record. */
static double
worst_of_class(SdcHost *host, const int64_t *count, int32_t first, int32_t end,
			   int32_t exclude, int64_t *records)
{
	int64_t largest = 0;
	int32_t i;

	*records = 0;
	for (i = first; i < end; i++)
	{
		*records += count[i];
		largest = count[i] > largest ? count[i] : largest;
	}
	return (double) largest /
		   (double) (*records -
					 excluded_records(host, count, first, end, exclude));
}

/* Adds a class to the summary. */
static void
add_class(SdcPosteriorSummary *summary, int64_t records, int32_t values,
		  double worst, double delta)
{
	summary->classes++;
	summary->records += records;
	if (!(summary->highest >= worst))
		summary->highest = worst;
	if (worst == 1 || worst > 1 - delta)
	{
		summary->positive_classes++;
		summary->positive_records += records;
	}
	if (values == 1)
	{
		summary->homogeneous_classes++;
		summary->homogeneous_records += records;
	}
}

SdcPosteriorSummary
sdc_posterior_summarize(SdcHost *host, const SdcFrequency *masked,
						const SdcClasses *classes,
						const SdcPosteriorOptions *options, double delta,
						double *worst)
{
	const int32_t *code = masked->code[masked->columns - 1];
	SdcPosteriorSummary summary = {0, 0, 0, 0, 0, 0, NAN};
	int32_t c;

	for (c = 0; c < classes->classes; c++)
	{
		int32_t first = classes->first[c];
		int32_t end = classes->first[c + 1];
		int64_t records;
		double highest;

		if (c % 1024 == 0)
			host->poll(host, c, classes->classes);
		/* NULL is the last value of a class */
		if (options->ignore_null && code[end - 1] == SDC_CODE_NULL)
			end--;
		highest = worst_of_class(host, masked->count, first, end,
								 options->exclude, &records);
		if (worst != NULL)
			worst[c] = highest;
		if (records > 0)
			add_class(&summary, records, end - first, highest, delta);
	}
	return summary;
}

/* ----------------------------------------------------------------------
 * What an intruder believes of a person before and after a release.
 * ----------------------------------------------------------------------
 */

/* The sensitive values of one class: cells first .. end - 1 of a table. */
typedef struct Run
{
	const SdcFrequency *table;
	int32_t first;
	int32_t end;
} Run;

typedef struct SdcPosteriorWork
{
	SdcHost *host;
	SdcPosteriorOptions options;
	int keys;
	int32_t values;               /* places; the last is that of NULL */
	const SdcFrequency *masked;   /* keys, sensitive */
	const SdcFrequency *external; /* keys, known, sensitive, or NULL */
	SdcFrequency *groups;         /* external without known */
	SdcClasses *masked_classes;   /* of keys */
	SdcClasses *group_classes;    /* of keys */
	SdcClasses *persons;          /* of keys and known */
	double *prior;                /* of all of masked, by place */
	int64_t *count;               /* n(q*,s) of the class, by place */
	double *weight;               /* w(q*,s), by place */
	double *term;                 /* of each belief */
	double *share;
	int32_t candidate; /* of masked: the next candidate */
	int32_t group;     /* of groups: the present one */
	int32_t person;    /* the next one */
	Run masked_run;    /* what count was filled from */
	Run group_run;     /* what weight was filled from */
} SdcPosteriorWork;

/* The place of a sensitive value: its code, NULL last. */
static int32_t
place_of(const SdcPosteriorWork *work, int32_t code)
{
	return code == SDC_CODE_NULL ? work->values - 1 : code;
}

static int32_t
run_place(const SdcPosteriorWork *work, const Run *run, int32_t cell)
{
	return place_of(work, run->table->code[run->table->columns - 1][cell]);
}

static double
cell_weight(const SdcFrequency *table, int32_t cell)
{
	return table->weight != NULL ? table->weight[cell]
								 : (double) table->count[cell];
}

/* A class without the records that do not count; a NULL can only be last. */
static Run
class_run(const SdcPosteriorOptions *options, const SdcFrequency *table,
		  const SdcClasses *classes, int32_t number)
{
	Run run = {table, classes->first[number], classes->first[number + 1]};

	if (options->ignore_null &&
		table->code[table->columns - 1][run.end - 1] == SDC_CODE_NULL)
		run.end--;
	return run;
}

static SdcFrequency *
without_known(SdcHost *host, const SdcFrequency *external, int keys)
{
	int *column = sdc_new(host, int, keys + 1);
	SdcFrequency *groups;
	int j;

	for (j = 0; j < keys; j++)
		column[j] = j;
	column[keys] = external->columns - 1;
	groups = sdc_frequency_project(host, external, column, keys + 1, NULL);
	host->release(host, column);
	return groups;
}

/* The distribution of the sensitive attribute in the whole release. */
static void
fill_prior(SdcPosteriorWork *work)
{
	const SdcFrequency *masked = work->masked;
	const int32_t *code = masked->code[masked->columns - 1];
	int64_t *count = work->count;
	int64_t records = 0;
	int32_t i;

	for (i = 0; i < masked->cells; i++)
	{
		if (work->options.ignore_null && code[i] == SDC_CODE_NULL)
			continue;
		count[place_of(work, code[i])] += masked->count[i];
		records += masked->count[i];
	}
	for (i = 0; i < work->values; i++)
	{
		work->prior[i] = (double) count[i] / (double) records;
		count[i] = 0;
	}
}

static void
prepare_tables(SdcPosteriorWork *work)
{
	SdcHost *host = work->host;
	const SdcFrequency *external = work->external;
	int32_t i;

	work->masked_classes =
		sdc_frequency_classes(host, work->masked, work->keys);
	work->count = sdc_new(host, int64_t, work->values);
	work->weight = sdc_new(host, double, work->values);
	work->prior = sdc_new(host, double, work->values);
	for (i = 0; i < work->values; i++)
	{
		work->count[i] = 0;
		work->weight[i] = 0;
	}
	if (external == NULL)
	{
		fill_prior(work);
		return;
	}
	work->groups = without_known(host, external, work->keys);
	work->group_classes =
		sdc_frequency_classes(host, work->groups, work->keys);
	work->persons =
		sdc_frequency_classes(host, external, external->columns - 1);
}

SdcPosterior *
sdc_posterior_start(SdcHost *host, const SdcFrequency *masked,
					const SdcFrequency *external, int keys,
					const SdcPosteriorOptions *options)
{
	SdcPosterior *posterior = sdc_new(host, SdcPosterior, 1);
	SdcPosteriorWork *work = sdc_new(host, SdcPosteriorWork, 1);

	memset(work, 0, sizeof(*work));
	memset(posterior, 0, sizeof(*posterior));
	posterior->work = work;
	work->host = host;
	work->options = *options;
	work->keys = keys;
	work->values = masked->values[masked->columns - 1] + 1;
	work->masked = masked;
	work->external = external;
	work->group = -1;
	prepare_tables(work);
	work->term = sdc_new(host, double, work->values);
	work->share = sdc_new(host, double, work->values);
	posterior->belief = sdc_new(host, SdcBelief, work->values);
	return posterior;
}

static void
end_posterior(SdcPosterior *posterior)
{
	SdcPosteriorWork *work = posterior->work;
	SdcHost *host = work->host;

	sdc_frequency_release(host, work->groups);
	sdc_classes_release(host, work->masked_classes);
	sdc_classes_release(host, work->group_classes);
	sdc_classes_release(host, work->persons);
	host->release(host, work->count);
	host->release(host, work->weight);
	host->release(host, work->prior);
	host->release(host, work->term);
	host->release(host, work->share);
	host->release(host, posterior->belief);
	host->release(host, work);
	host->release(host, posterior);
}

/* Fills counts by place from a class of the release, or clears them. */
static void
take_counts(SdcPosteriorWork *work, Run run)
{
	const Run *old = &work->masked_run;
	int32_t i;

	for (i = old->first; i < old->end; i++)
		work->count[run_place(work, old, i)] = 0;
	for (i = run.first; i < run.end; i++)
		work->count[run_place(work, &run, i)] = run.table->count[i];
	work->masked_run = run;
}

/* Fills weights by place from a group of the intruder's table. */
static void
take_weights(SdcPosteriorWork *work, Run run)
{
	const Run *old = &work->group_run;
	int32_t i;

	for (i = old->first; i < old->end; i++)
		work->weight[run_place(work, old, i)] = 0;
	for (i = run.first; i < run.end; i++)
		work->weight[run_place(work, &run, i)] = cell_weight(run.table, i);
	work->group_run = run;
}

/* Orders cells of two tables by the keys, NULL last. */
static int
compare_keys(int keys, const SdcFrequency *a, int32_t cell_a,
			 const SdcFrequency *b, int32_t cell_b)
{
	int j;

	for (j = 0; j < keys; j++)
	{
		uint32_t x = (uint32_t) a->code[j][cell_a];
		uint32_t y = (uint32_t) b->code[j][cell_b];

		if (x != y)
			return x < y ? -1 : 1;
	}
	return 0;
}

/* Goes on to the group of the next person, and to its class if there is. */
static void
find_class(SdcPosteriorWork *work)
{
	const SdcClasses *classes = work->masked_classes;
	int32_t cell = work->persons->first[work->person];
	Run none = {work->masked, 0, 0};
	int32_t group_cell;
	int order = 1;

	if (work->group >= 0 &&
		compare_keys(work->keys, work->external, cell, work->groups,
					 work->group_classes->first[work->group]) == 0)
		return;
	work->group++;
	take_weights(work, class_run(&work->options, work->groups,
								 work->group_classes, work->group));
	group_cell = work->group_classes->first[work->group];
	while (work->candidate < classes->classes &&
		   (order = compare_keys(work->keys, work->masked,
								 classes->first[work->candidate], work->groups,
								 group_cell)) < 0)
		work->candidate++;
	take_counts(work, work->candidate < classes->classes && order == 0
						  ? class_run(&work->options, work->masked, classes,
									  work->candidate)
						  : none);
}

static void
add_belief(SdcPosterior *posterior, int32_t place, double prior, double term)
{
	SdcPosteriorWork *work = posterior->work;
	SdcBelief *belief = &posterior->belief[posterior->beliefs];

	belief->value = place == work->values - 1 ? SDC_CODE_NULL : place;
	belief->prior = prior;
	belief->count = work->count[place];
	work->term[posterior->beliefs++] = term;
}

/* The beliefs of one who knows no more than the release. */
static void
list_uninformed(SdcPosterior *posterior)
{
	SdcPosteriorWork *work = posterior->work;
	const Run *run = &work->masked_run;
	int32_t i;

	if (work->options.zeros && run->first < run->end)
	{
		for (i = 0; i < work->values; i++)
			if (work->prior[i] > 0)
				add_belief(posterior, i, work->prior[i],
						   (double) work->count[i]);
		return;
	}
	for (i = run->first; i < run->end; i++)
	{
		int32_t place = run_place(work, run, i);

		add_belief(posterior, place, work->prior[place],
				   (double) work->count[place]);
	}
}

static double
total_weight(const Run *run)
{
	double total = 0;
	int32_t i;

	for (i = run->first; i < run->end; i++)
		total += cell_weight(run->table, i);
	return total;
}

/*
 * The beliefs of one who knows a person: of the values in the class and of
 * those in the person's run, both in the order of their places.
 */
static void
list_informed(SdcPosterior *posterior, const Run *person)
{
	SdcPosteriorWork *work = posterior->work;
	const Run *members = &work->masked_run;
	double total = total_weight(person);
	int32_t i = members->first;
	int32_t k = person->first;

	while (i < members->end || k < person->end)
	{
		int32_t in_class =
			i < members->end ? run_place(work, members, i) : work->values;
		int32_t in_person =
			k < person->end ? run_place(work, person, k) : work->values;
		int32_t place = in_class < in_person ? in_class : in_person;
		double weight = 0;
		double term = 0;

		if (in_person == place)
			weight = cell_weight(person->table, k++);
		if (in_class == place)
			i++;
		if (weight > 0)
			term =
				(double) work->count[place] * (weight / work->weight[place]);
		if (weight > 0 || work->count[place] > 0)
			add_belief(posterior, place, weight / total, term);
	}
}

/* Sets the posteriors; those that are 0 may be dropped. */
static void
finish_beliefs(SdcPosterior *posterior)
{
	SdcPosteriorWork *work = posterior->work;
	int32_t kept = 0;
	int32_t i;

	sdc_posterior_share(work->host, work->term, posterior->beliefs,
						work->options.exclude, work->share);
	for (i = 0; i < posterior->beliefs; i++)
	{
		SdcBelief *belief = &posterior->belief[i];

		belief->posterior = work->share[i];
		if (work->options.zeros || !(belief->posterior == 0))
			posterior->belief[kept++] = *belief;
	}
	posterior->beliefs = kept;
}

bool
sdc_posterior_next(SdcPosterior *posterior)
{
	SdcPosteriorWork *work = posterior->work;
	const SdcClasses *persons =
		work->external != NULL ? work->persons : work->masked_classes;
	Run person;

	if (work->person == persons->classes)
	{
		end_posterior(posterior);
		return false;
	}
	if (work->person % 1024 == 0)
		work->host->poll(work->host, work->person, persons->classes);
	posterior->cell = persons->first[work->person];
	posterior->beliefs = 0;
	if (work->external != NULL)
	{
		find_class(work);
		person =
			class_run(&work->options, work->external, persons, work->person);
		list_informed(posterior, &person);
	}
	else
	{
		take_counts(work, class_run(&work->options, work->masked, persons,
									work->person));
		list_uninformed(posterior);
	}
	finish_beliefs(posterior);
	work->person++;
	return true;
}
