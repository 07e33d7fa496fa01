/*
 * posterior_share.c
 *		What is a disclosure, and the worst belief of each class, against
 *		trying out every set of values that are ruled out.
 */
#include "kernel/base/random.h"
#include "kernel/risk/posterior.c"
#include "kernel/table/frequency.h"
#include "posterior_records.h"

/* The worst of each class, against trying out every set of excluded values. */
static void
check_summary(int32_t exclude, bool ignore_null, double delta,
			  SdcRandom *random)
{
	const SdcPosteriorOptions options = {ignore_null, false, exclude};
	SdcPosteriorSummary summary;
	SdcPosteriorSummary expected = {0, 0, 0, 0, 0, 0, 0};
	Records records;
	SdcFrequency *table;
	SdcClasses *classes;
	double worst[RECORDS];
	bool right = true;
	int c;
	int s;

	draw_records(&records, 3, RECORDS, false, random);
	table = count_records(&records, false);
	classes = sdc_frequency_classes(unit_host(), table, 2);
	summary = sdc_posterior_summarize(unit_host(), table, classes, &options,
									  delta, worst);
	for (c = 0; c < classes->classes; c++)
	{
		int32_t codes[2] = {table->code[0][classes->first[c]],
							table->code[1][classes->first[c]]};
		double count[VALUES + 1];
		double highest = 0;
		int64_t n = 0;
		int values = 0;

		for (s = 0; s <= VALUES; s++)
		{
			count[s] = weigh(&records, codes, 2, s == VALUES ? -1 : s, false);
			if (s == VALUES && ignore_null)
				count[s] = 0;
			n += (int64_t) count[s];
			values += count[s] > 0;
		}
		for (s = 0; s <= VALUES; s++)
			highest =
				fmax(highest, worst_share(count, VALUES + 1, s, exclude));
		right = right && near(worst[c], n > 0 ? highest : NAN);
		expected.classes += n > 0;
		expected.records += n;
		expected.homogeneous_classes += values == 1;
		expected.homogeneous_records += values == 1 ? n : 0;
		if (n > 0 && (highest == 1 || highest > 1 - delta))
		{
			expected.positive_classes++;
			expected.positive_records += n;
		}
		expected.highest = fmax(expected.highest, highest);
	}
	unit_check(right && memcmp(&summary, &expected, sizeof(summary)) == 0,
			   "exclude %d, ignore %d, delta %g: highest %g in %d classes",
			   exclude, ignore_null, delta, summary.highest, classes->classes);
	unit_release_all();
}

static void
check_disclosure(void)
{
	const SdcPosteriorThresholds none = {NAN, NAN, NAN, NAN};
	const SdcPosteriorThresholds all = {0.1, 0.05, 0.2, 0.5};

	unit_check(sdc_posterior_disclosure(&none, 0.5, 1) ==
					   SDC_POSTERIOR_POSITIVE &&
				   sdc_posterior_disclosure(&none, 0.5, 0) ==
					   SDC_POSTERIOR_NEGATIVE &&
				   sdc_posterior_disclosure(&none, 0.5, 0.999) == 0,
			   "without thresholds only certainty");
	unit_check(sdc_posterior_disclosure(&all, 0.5, 0.9) == 0 &&
				   sdc_posterior_disclosure(&all, 0.5, 0.91) ==
					   SDC_POSTERIOR_POSITIVE &&
				   sdc_posterior_disclosure(&all, 0.1, 0.91) ==
					   (SDC_POSTERIOR_POSITIVE | SDC_POSTERIOR_BREACH),
			   "more than 1 - delta is positive");
	unit_check(sdc_posterior_disclosure(&all, 0.5, 0.05) == 0 &&
				   sdc_posterior_disclosure(&all, 0.5, 0.04) ==
					   SDC_POSTERIOR_NEGATIVE,
			   "less than epsilon is negative");
	unit_check(sdc_posterior_disclosure(&all, 0.2, 0.6) == 0 &&
				   sdc_posterior_disclosure(&all, 0.1, 0.5) == 0 &&
				   sdc_posterior_disclosure(&all, 0.1, 0.6) ==
					   SDC_POSTERIOR_BREACH,
			   "from below rho1 to above rho2 is a breach");
	unit_check(sdc_posterior_disclosure(&all, NAN, NAN) == 0,
			   "what is not defined discloses nothing");
}

static void
check_empty(void)
{
	const SdcPosteriorOptions options = {false, true, 1};
	const double none[2] = {0, 0};
	Records records = {2, 0, {{0}}, {0}};
	SdcFrequency *table = count_records(&records, false);
	SdcClasses *classes = sdc_frequency_classes(unit_host(), table, 1);
	SdcPosteriorSummary summary = sdc_posterior_summarize(
		unit_host(), table, classes, &options, NAN, NULL);
	double share[2] = {5, 5};

	unit_check(summary.classes == 0 && isnan(summary.highest),
			   "nothing to sum up");
	sdc_posterior_share(unit_host(), none, 0, 3, share);
	unit_check(share[0] == 5, "nothing to share");
	sdc_posterior_share(unit_host(), none, 2, 0, share);
	unit_check(isnan(share[0]) && isnan(share[1]), "a sum of 0 has no shares");
	unit_release_all();
}

int
main(void)
{
	SdcRandom random;
	int32_t exclude;

	unit_start("posterior_share");
	sdc_random_seed(&random, 32, 0);
	check_disclosure();
	check_empty();
	for (exclude = 0; exclude < 5; exclude++)
	{
		check_summary(exclude, false, 0.4, &random);
		check_summary(exclude, true, NAN, &random);
	}
	return unit_finish();
}
