/*
 * posterior_share.c
 *		Posterior beliefs from their terms; what is a disclosure; summing up.
 *
 * To rule x values out raises the belief in another one most when they are
 * the x largest others.  So of the x + 1 largest terms each has the others
 * ruled out, and every term after these has the x largest ruled out.
 */
#include <math.h>

#include "kernel/risk/posterior.h"
#include "kernel/base/sort.h"

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

void
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
