/*
 * fake_measure.c
 *		Measures that exist in this file only, for t/033_registry.pl.
 *
 * The build of sdc_fake.so has src/topic/registry/measures.c include it.  All
 * that sdc needs to know of a measure is in FAKE_MEASURES: the test finds them
 * in risk_report, utility_report, a policy, the gate, the report of a release
 * and frontier.
 */
static void
fake_risk(RiskReport *risk)
{
	sdcpg_report_example(risk->report, "fake_risk", risk->subject,
						 risk->classes->records / 2.0, "FakeValue",
						 "Half of the records.");
}

static void
fake_utility(SdcUtility *utility)
{
	if (sdcpg_report_wants(utility->report, "fake_loss"))
		sdcpg_utility_lines_add(&utility->lines, "fake_loss", NULL, 0.125,
								"An eighth is lost.");
}

#define FAKE_MEASURES                 \
	{.name = "fake_risk",             \
	 .says = "half of all",           \
	 .kind = SDC_MEASURE_RISK,        \
	 .unit = SDC_UNIT_COUNT,          \
	 .better = SDC_BETTER_LESS,       \
	 .usual = true,                   \
	 .words = "half of the records",  \
	 .risk = fake_risk},              \
		{.name = "fake_loss",         \
		 .says = "always an eighth",  \
		 .kind = SDC_MEASURE_UTILITY, \
		 .unit = SDC_UNIT_SHARE,      \
		 .better = SDC_BETTER_LESS,   \
		 .usual = true,               \
		 .utility = fake_utility},
