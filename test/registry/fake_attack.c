/*
 * fake_attack.c
 *		An attack that exists in this file only, for t/033_registry.pl.
 *
 * The build of sdc_fake.so has src/topic/registry/attacks.c include it.  All
 * that sdc needs to know of an attack is in the row: the test finds it in a
 * policy, the gate, disclosure_report, the report of a release and frontier.
 *
 * It pretends to have looked for so many people (params.people) and to have
 * found the first of them (params.right).  Somebody costs it ten pairs.
 */
static const SdcKey fake_params[] = {
	{"people", SDC_KEY_INTEGER, .low = 1, .high = 1000000, .absent = "100"},
	{"right", SDC_KEY_INTEGER, .low = 0, .high = 1000000, .absent = "25"},
	{NULL}};

static void
fake_run(const SdcAttack *attack, const SdcAttackCase *of, SdcPgHost *host,
		 SdcAttackOutcome *outcome)
{
	int32 people = sdcpg_keys_integer(fake_params, of->params, "people");
	int32 right = sdcpg_keys_integer(fake_params, of->params, "right");
	const bool *marked =
		sdcpg_attack_sample(of, host, people, 10.0 * people, attack->budget);
	SdcLinkSuccess found = {0};
	int32 i;

	for (i = 0; i < people; i++)
	{
		if (marked != NULL && !marked[i])
			continue;
		found.records++;
		found.unique_right += i < right;
		sdcpg_success_add(&found, i < right ? 1 : 0);
	}
	sdcpg_attack_links(outcome, &found, people);
}

static const SdcAttack fake_attack = {.name = "fake",
									  .kind = SDC_ATTACK_IDENTITY,
									  .needs = SDC_NEEDS_ID,
									  .usual = true,
									  .repeated = true,
									  .params = fake_params,
									  .intruder = "pretends",
									  .when = "it is pretended",
									  .budget = 5000,
									  .run = fake_run};
