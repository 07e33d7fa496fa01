/*
 * uniqueness_models.c
 *		sdc.uniqueness from class sizes alone: DIS and the superpopulations.
 *
 * Where a model has no answer, the value is NULL and the sentence says why.
 */
#include "postgres.h"

#include <math.h>

#include "face/uniqueness.h"

/* Why there is no estimate. */
static const char *
reason(SdcSuperpopulationAnswer answer)
{
	switch (answer)
	{
		case SDC_SUPERPOPULATION_NO_UNIQUES:
			return "No record is unique in the sample.";
		case SDC_SUPERPOPULATION_NO_PAIRS:
			return "No class has exactly two records, so the sample does not "
				   "tell how often a unique has a twin outside of it.";
		case SDC_SUPERPOPULATION_ALL_UNIQUE:
			return "Every record is unique in the sample, so it does not "
				   "tell how common keys are.";
		default:
			return "No parameters of the model give these class sizes.";
	}
}

void
sdcf_uniqueness_dis(Uniqueness *u)
{
	double theta;
	SdcSuperpopulationAnswer answer =
		sdc_superpopulation_dis(&u->sample, &theta);

	if (answer == SDC_SUPERPOPULATION_WHOLE)
		sdcpg_report_put(u->report, "theta", u->subject, theta,
						 "The sample is the whole population, so every unique "
						 "match is right.");
	else if (answer == SDC_SUPERPOPULATION_FOUND)
		sdcpg_report_put(u->report, "theta", u->subject, theta,
						 "A person who matches a sample unique is that record "
						 "with a probability of %.4f %%.",
						 100 * theta);
	else
		sdcpg_report_put(u->report, "theta", u->subject, NAN, "%s",
						 reason(answer));
}

/* How the population's uniques were found; "" when there is nothing to say. */
static char *
describe(SdcSuperpopulationModel model,
		 const SdcSuperpopulationEstimate *estimate)
{
	if (estimate->answer == SDC_SUPERPOPULATION_WHOLE)
		return "the sample is the whole population";
	switch (model)
	{
		case SDC_SUPERPOPULATION_PITMAN:
			return psprintf("Pitman's model, alpha %.6g, theta %.6g",
							estimate->alpha, estimate->theta);
		case SDC_SUPERPOPULATION_SNB:
			return psprintf("slide negative binomial, alpha %.6g, beta %.6g",
							estimate->alpha, estimate->beta);
		default:
			return "Zayatz' method";
	}
}

/* Figures that only one of the models has. */
static void
put_model(Uniqueness *u, SdcSuperpopulationModel model,
		  const SdcSuperpopulationEstimate *estimate)
{
	if (estimate->answer != SDC_SUPERPOPULATION_FOUND)
		return;
	if (model == SDC_SUPERPOPULATION_PITMAN)
	{
		double uniques = sdc_superpopulation_pitman_uniques(
			estimate->alpha, estimate->theta, u->sample.records);

		sdcpg_report_put(u->report, "model_uniques", u->subject, uniques,
						 "For the sample itself the model expects %.2f "
						 "uniques; there are " INT64_FORMAT
						 ". If these are far apart, it does not fit.",
						 uniques, (int64) u->sample.uniques);
	}
	if (model == SDC_SUPERPOPULATION_SNB)
		sdcpg_report_put(u->report, "population_classes", u->subject,
						 estimate->classes,
						 "The population is taken to have %.2f classes (Haas "
						 "and Stokes).",
						 estimate->classes);
}

void
sdcf_uniqueness_superpopulation(Uniqueness *u)
{
	SdcHost *host = &u->host->kernel;
	SdcSuperpopulationModel model = SDC_SUPERPOPULATION_ZAYATZ;
	SdcSuperpopulationEstimate estimate;

	if (u->method == METHOD_DANKAR)
		estimate = sdc_superpopulation_dankar(host, &u->sample, &model);
	else if (u->method == METHOD_PITMAN)
	{
		model = SDC_SUPERPOPULATION_PITMAN;
		estimate = sdc_superpopulation_pitman(host, &u->sample);
	}
	else if (u->method == METHOD_SNB)
	{
		model = SDC_SUPERPOPULATION_SNB;
		estimate = sdc_superpopulation_snb(host, &u->sample);
	}
	else
		estimate = sdc_superpopulation_zayatz(host, &u->sample);
	if (estimate.answer == SDC_SUPERPOPULATION_FOUND ||
		estimate.answer == SDC_SUPERPOPULATION_WHOLE)
	{
		sdcf_uniqueness_put_risk(u, u->sample.uniques,
								 estimate.risk * u->sample.uniques);
		sdcpg_report_put(
			u->report, "population_uniques", u->subject, estimate.uniques,
			"The population is estimated to have %.2f uniques (%s)%s.",
			estimate.uniques, describe(model, &estimate),
			estimate.capped ? ", more than the sample bears out: the model "
							  "does not fit"
							: "");
		put_model(u, model, &estimate);
		return;
	}
	sdcpg_report_put(u->report, "p_pu_su", u->subject, NAN, "%s",
					 reason(estimate.answer));
	sdcpg_report_put(u->report, "tau1", u->subject,
					 u->sample.uniques == 0 ? 0 : NAN, "%s",
					 reason(estimate.answer));
	sdcpg_report_put(u->report, "population_uniques", u->subject, NAN, "%s",
					 reason(estimate.answer));
}
