/*
 * jobs.c
 *		What sdc is used for: the functions of each job, and who does it; the
 *		words that are used.
 */
#include "postgres.h"

#include "topic/registry/jobs.h"

#define NAMES(...)        \
	(const char *const[]) \
	{                     \
		__VA_ARGS__, NULL \
	}

/* The table that most examples are about. */
#define PEOPLE                                                           \
	"CREATE TEMPORARY TABLE people AS\n"                                 \
	"SELECT i AS id, 20 + i * 37 % 50 AS age, i % 4 AS region,\n"        \
	"       (ARRAY['flu', 'cold', 'none'])[1 + i * 7 % 3] AS illness,\n" \
	"       (20000 + i * 7919 % 30011)::float8 AS income\n"              \
	"FROM generate_series(1, 300) AS i;\n"

#define MASKED                                                         \
	"CREATE TEMPORARY TABLE masked AS\n"                               \
	"SELECT id, age, region, illness,\n"                               \
	"       sdc.rank_swap(income, 10, seed => 1) OVER (ORDER BY id)\n" \
	"           AS income\n"                                           \
	"FROM people;\n"

const SdcJob sdcpg_jobs[] = {
	{"declare", "say once what the columns of a table are",
	 NAMES("declare", "declared", "declared_nulls", "suggest", "find_personal",
		   "separation", "drift"),
	 PEOPLE
	 "SELECT * FROM sdc.suggest('people');\n"
	 "SELECT sdc.declare('people', id => 'id', keys => '{age,region}',\n"
	 "                   sensitive => '{illness}');\n"
	 "SELECT * FROM sdc.declared('people');"},
	{"mask", "change values, so that nobody is found by them",
	 NAMES("mask", "rank_swap", "microaggregate", "microaggregate_group",
		   "microaggregate_bound", "add_noise", "outlier_noise", "romm",
		   "donut", "shuffle", "data_shuffle", "record_swap", "pram",
		   "pram_matrix", "top_code", "bottom_code", "round_to",
		   "round_by_key", "mask_text", "mask_inet", "plan_copy",
		   "copy_schema", "check_copy", "create_copy", "run_copy", "pseudonym",
		   "reveal", "fake", "scrub", "mask_inside", "shift_days",
		   "forget_pseudonyms", "synchronize_workers", "sample_rows",
		   "in_sample", "mask_seed"),
	 PEOPLE "SELECT step, subject, method, changed\n"
			"FROM sdc.mask('people',\n"
			"    '{\"income\": {\"method\": \"rank_swap\", \"p\": 10},\n"
			"      \"age\": {\"method\": \"round_to\", \"base\": 5}}',\n"
			"    target => 'pg_temp.copy', id => 'id');"},
	{"generalize",
	 "make values coarser, hide or group them, until a model holds",
	 NAMES("anonymize", "recode_locally", "suppress", "anatomize",
		   "diverse_group", "lattice", "create_hierarchy", "generalize",
		   "hierarchy_levels", "hierarchy_height", "check_hierarchy",
		   "drop_hierarchy", "create_strategy", "apply_strategy",
		   "check_strategy", "drop_strategy"),
	 PEOPLE
	 "SELECT sdc.create_hierarchy('help_age', 'numeric',\n"
	 "    '{\"widths\": [10, 30]}');\n"
	 "SELECT step, subject, measure, value, detail\n"
	 "FROM sdc.anonymize('people', 'pg_temp.coarse', '{age,region}',\n"
	 "    k => 5, params => '{\"hierarchies\": {\"age\": \"help_age\"}}');\n"
	 "SELECT sdc.drop_hierarchy('help_age');"},
	{"synthesize", "make a table of records that nobody has",
	 NAMES("synthesize", "synthesize_tables"),
	 PEOPLE "SELECT step, subject, method, rows\n"
			"FROM sdc.synthesize('people', 'pg_temp.made',\n"
			"    '{age,region,illness,income}', seed => 1);\n"
			"SELECT * FROM pg_temp.made LIMIT 3;"},
	{"risk", "measure how far people stand out in a table",
	 NAMES("risk_report", "risk_records", "risk_records_into", "risk_cells",
		   "uniqueness", "suda2", "individual_risk", "place_k", "posterior",
		   "l_multi"),
	 PEOPLE "SELECT measure, value, detail\n"
			"FROM sdc.risk_report('people', '{age,region}', '{illness}');"},
	{"aggregate", "measure classes, cells and labels in your own GROUP BY",
	 NAMES("cell", "k_anonymity", "unique_count", "average_class",
		   "class_histogram", "discernibility", "expected_reids",
		   "l_diversity", "l_distinct", "l_entropy", "l_frequency",
		   "l_recursive", "is_recursive", "is_pd_recursive",
		   "is_npd_recursive", "t_closeness", "is_cell_disclosed",
		   "is_dominant", "is_p_percent", "rand_index", "adjusted_rand",
		   "jaccard_index", "f_measure", "jaccard_distance"),
	 PEOPLE "SELECT region, sdc.k_anonymity(age) AS k,\n"
			"       sdc.l_distinct(illness) AS l\n"
			"FROM people GROUP BY region ORDER BY region;"},
	{"attack", "attack a masked table as an intruder would",
	 NAMES("disclosure_report", "gdpr_report", "attack_distance",
		   "attack_probabilistic", "attack_exact", "attack_transparency",
		   "attack_likelihood", "attack_learned", "attack_composition",
		   "attack_minimality", "reid", "candidate_sets", "estimate_linkage",
		   "linkage_patterns", "learn_distance", "inference_risk",
		   "membership_risk", "model_agreement", "rank_disclosure",
		   "interval_disclosure", "unchanged_share"),
	 PEOPLE MASKED
	 "SELECT measure, subject, value, detail\n"
	 "FROM sdc.disclosure_report('people', 'masked', 'id',\n"
	 "    '{age,income}', rules =>\n"
	 "    '{\"income\": {\"method\": \"rank_swap\", \"p\": 10}}');"},
	{"utility", "measure what masking has cost",
	 NAMES("utility_report", "information_loss", "table_distance",
		   "propensity", "kmeans", "utility_clusters", "classify",
		   "utility_classifier", "correct_moments"),
	 PEOPLE MASKED "SELECT measure, subject, value, detail\n"
				   "FROM sdc.utility_report('people', 'masked', 'id');"},
	{"transactions", "protect and measure tables with many rows per person",
	 NAMES("anonymize_itemsets", "attack_itemset", "attack_events",
		   "attack_joined", "transaction_report", "item_set_distance",
		   "mean_price_error", "turnover_error", "customer_class_difference"),
	 "CREATE TEMPORARY TABLE sold AS\n"
	 "SELECT i / 5 AS customer, date '2026-01-01' + i % 90 AS at,\n"
	 "       'item' || i * i % 7 AS item, 2 + i % 3 AS price, 1 AS quantity,\n"
	 "       i / 5 AS invoice\n"
	 "FROM generate_series(0, 199) AS i;\n"
	 "SELECT step, subject, measure, value, detail\n"
	 "FROM sdc.anonymize_itemsets('sold', 'pg_temp.sets', 0.7, seed => 1);"},
	{"tables", "publish tables of counts and sums, and attack them",
	 NAMES("protect_table", "attack_table", "table_report", "show_table"),
	 PEOPLE "SELECT measure, value, detail\n"
			"FROM sdc.protect_table('people', 'pg_temp.counts',\n"
			"    '{\"threshold\": 3}', '{age,illness}');\n"
			"SELECT * FROM sdc.attack_table('counts', '{age,illness}')\n"
			"ORDER BY cell::text LIMIT 5;"},
	{"release", "publish masked copies that satisfy what a policy asks for",
	 NAMES("create_policy", "release", "releases", "report", "check_release",
		   "verify_release", "policy_json", "drop_policy", "schedule",
		   "release_values", "search_rules", "frontier", "frontier_itemsets"),
	 "CREATE TABLE help_people (id int PRIMARY KEY, age int);\n"
	 "INSERT INTO help_people SELECT i, 20 + i % 50\n"
	 "FROM generate_series(1, 300) AS i;\n"
	 "SELECT sdc.create_policy('help_yearly', 'help_people',\n"
	 "    '{\"age\": {\"method\": \"round_to\", \"base\": 10}}',\n"
	 "    '[{\"measure\": \"k_anonymity\", \">=\": 5}]',\n"
	 "    '{\"keys\": [\"age\"], \"id\": \"id\"}');\n"
	 "CREATE TABLE help_masked AS\n"
	 "SELECT id, sdc.round_to(age, 10) AS age FROM help_people;\n"
	 "SELECT requirement, value, passed\n"
	 "FROM sdc.check_release('help_yearly', 'help_masked');\n"
	 "-- CALL sdc.release('help_yearly', 'schema') masks, checks, publishes\n"
	 "SELECT sdc.drop_policy('help_yearly');\n"
	 "DROP TABLE help_people, help_masked;"},
	{"privacy", "answer questions with differential privacy",
	 NAMES("dp_query", "dp_histogram", "dp_synthesize", "remaining_budget",
		   "create_dataset", "describe_column", "grant_budget",
		   "check_dataset", "drop_dataset", "dp_count", "dp_sum", "dp_avg",
		   "dp_var", "dp_stddev", "dp_median", "dp_quantile", "dp_mode",
		   "dp_choose", "dp_halfwidth", "laplace", "gaussian"),
	 PEOPLE "SELECT sdc.dp_count(0.5) FROM people;"},
	{"administer", "find functions, give rights, see what is running",
	 NAMES("help", "grant_to"),
	 "SELECT * FROM sdc.help('mask');\n"
	 "SELECT * FROM sdc.progress;"},
	/*
	 * Their queries run with the caller's rights, so in sdc_internal they
	 * would need USAGE for everyone: on all parts of aggregates, too.
	 */
	{"parts",
	 "functions of the queries that sdc writes; you need none of them",
	 NAMES("round_float", "known_pseudonym", "release_cells", "release_digest",
		   "release_rows", "mask_figures", "content_hash", "shard_place",
		   "value_key", "value_counts", "value_taken", "keyed_noise",
		   "part_of"),
	 "SELECT sdc.round_float(12.3, 5);"},
	{NULL}};

/* Everything else that they need is granted to everyone. */
const SdcPerson sdcpg_persons[] = {
	{"steward",
	 "masks tables, keeps pseudonyms and data sets, and grants budgets",
	 NAMES("pseudonym", "fake", "scrub", "mask_inside", "shift_days",
		   "in_sample", "forget_pseudonyms", "create_dataset",
		   "describe_column", "grant_budget", "check_dataset", "drop_dataset"),
	 NAMES("dp_ledger")},
	{"publisher", "writes policies and releases by them",
	 NAMES("create_policy", "drop_policy", "policy_json", "check_release",
		   "search_rules", "release", "releases", "report", "verify_release",
		   "schedule", "pseudonym", "fake", "scrub", "mask_inside",
		   "shift_days", "in_sample", "create_copy", "run_copy"),
	 NAMES(NULL)},
	{"analyst", "asks data sets, within the budget that a steward grants",
	 NAMES("dp_query", "dp_histogram", "dp_synthesize", "remaining_budget"),
	 NAMES("dp_ledger")},
	{"auditor", "reads what was released by whom, and every report of it",
	 NAMES("releases", "report", "verify_release"),
	 NAMES("release_history", "dp_ledger")},
	{NULL}};

const SdcTerm sdcpg_terms[] = {
	{"adr",
	 "attribute disclosure risk: the share of people whose sensitive value a "
	 "model of the masked records predicts; sdc.inference_risk"},
	{"anatomy",
	 "a release of keys and of sensitive values in two tables that share "
	 "only the number of a group; sdc.anatomize"},
	{"budget",
	 "what a role may spend of epsilon, and of delta, on a data set; neither "
	 "a ROLLBACK nor a crash gives it back"},
	{"candidate set",
	 "the masked records that a person can have become, for an intruder who "
	 "knows the rules"},
	{"cell",
	 "the records that agree in the keys, seen with what they have in a "
	 "sensitive column"},
	{"class",
	 "the records that agree in all keys; also called equivalence class"},
	{"class size",
	 "the number of records of a class; k-anonymity is the smallest one"},
	{"closeness",
	 "how far the sensitive values of a class are distributed like those of "
	 "the whole table: t-closeness"},
	{"cmae", "mean absolute error of the mean price of a piece (PWSCUP); "
			 "sdc.mean_price_error"},
	{"coalition",
	 "members of a cell who put together what they know of themselves to "
	 "learn the rest"},
	{"composition",
	 "an intruder who has several releases of overlapping people; "
	 "sdc.attack_composition"},
	{"constraint",
	 "what a masked table must satisfy to be published: a measure, a utility "
	 "or an attack, and a bound"},
	{"data set",
	 "a table that may be asked with differential privacy by people who may "
	 "not read it"},
	{"DDMBAR",
	 "the share of records for which models of the original and of the "
	 "masked table say the same; sdc.model_agreement"},
	{"delta",
	 "of differential privacy: the probability with which epsilon may be "
	 "exceeded"},
	{"delta-presence",
	 "bounds on the probability that somebody is in the table at all"},
	{"DIS", "data intrusion simulation: estimates how many sample uniques are "
			"unique in the population; correct_match in sdc.risk_report"},
	{"discernibility",
	 "the sum of the squares of the class sizes: small classes lose little"},
	{"distance linkage",
	 "links each record to the nearest one of the other file; "
	 "sdc.attack_distance"},
	{"domain",
	 "of pseudonyms: within a domain equal values get equal pseudonyms"},
	{"domination",
	 "a cell of sums to which one or two members contribute most: the rules "
	 "(n,k) and p percent"},
	{"drift",
	 "columns that were added, dropped or retyped since they were declared "
	 "or since a policy was written"},
	{"entropy l-diversity",
	 "a class whose entropy of sensitive values is at least log l"},
	{"epsilon",
	 "of differential privacy: what one person can change of the probability "
	 "of any answer is a factor of exp(epsilon) at the most"},
	{"frontier",
	 "the candidates of rules that no other one beats both in risk and in "
	 "loss"},
	{"gate", "what evaluates the constraints of a policy before anything is "
			 "published"},
	{"generalization",
	 "a value becomes a coarser one of its hierarchy: 53706 becomes 537**"},
	{"hierarchy", "what each value becomes, level by level, until it is *"},
	{"household", "the people of one household, who are found together"},
	{"identifier",
	 "a column that names a person by itself: a name, a number, an address "
	 "of mail"},
	{"identity disclosure",
	 "somebody is found: it is known which record is theirs"},
	{"il1s",
	 "information loss: mean absolute difference over the square root of 2 "
	 "times the standard deviation; sdc.information_loss"},
	{"individual risk",
	 "the expected value of 1/F of a record whose class has f records in the "
	 "sample (Benedetti and Franconi)"},
	{"item set", "the different items that a customer bought"},
	{"journalist",
	 "an intruder who knows the population but not who is in the table"},
	{"k-anonymity", "every class has at least k records"},
	{"k-map", "every class has at least k people in the population"},
	{"k_reid",
	 "share of people who are found by an intruder who knows that he is "
	 "right"},
	{"key", "a column that others may know of a person: a quasi-identifier"},
	{"l-diversity",
	 "every class has at least l different, or well spread, sensitive values"},
	{"lattice", "all combinations of levels of the hierarchies of the keys"},
	{"ledger", "what was asked of data sets, by whom, and what it cost"},
	{"linkage", "records of two files that are of the same person are found"},
	{"local recoding", "each class is generalized in its own way"},
	{"local suppression",
	 "single values become NULL where too few others are like the record"},
	{"marketer",
	 "an intruder who links all records and counts on the average"},
	{"MDAV", "microaggregation by maximum distance to the average vector"},
	{"membership inference",
	 "whether somebody was among the people that a model learned from; "
	 "sdc.membership_risk"},
	{"mia", "membership inference attack; sdc.membership_risk"},
	{"microaggregation",
	 "values become the mean of a group of at least k similar records"},
	{"minimality",
	 "what an intruder learns from knowing that a method did no more than it "
	 "had to; sdc.attack_minimality"},
	{"Mondrian", "boxes of at least k records by median cuts"},
	{"MSU",
	 "minimal sample unique: values that single a record out, and of which "
	 "none can be left out"},
	{"NCP", "normalized certainty penalty: how much of the range of a key a "
			"generalized value covers; certainty_penalty in "
			"sdc.utility_report"},
	{"neighbours",
	 "two data sets that differ in one person: added or removed, or replaced"},
	{"original", "the table as it was collected"},
	{"period",
	 "of pseudonyms: in another period the same value gets another pseudonym"},
	{"policy",
	 "how tables are masked for release, and what the result must satisfy"},
	{"population unique",
	 "a person who is alone with these keys in the whole population"},
	{"PRAM",
	 "post-randomisation: a category stays with a known probability, or is "
	 "drawn anew"},
	{"primary cell",
	 "a cell of a table that a rule calls unsafe: it is hidden, and must not "
	 "follow from other cells; sdc.protect_table"},
	{"probabilistic linkage",
	 "links by which columns agree, weighed by what agreement says (Fellegi "
	 "and Sunter)"},
	{"propensity",
	 "how well a model tells original from masked records; 0 when it cannot"},
	{"prosecutor", "an intruder who knows that the person is in the table"},
	{"protection level",
	 "how far below and above the value of an unsafe cell the interval must "
	 "reach that can be computed of it"},
	{"pseudonym",
	 "a name in place of a name, made with a key: equal for equal values"},
	{"quasi-identifier", "see key"},
	{"rank swapping", "values trade places between records of near ranks"},
	{"recursive (c,l)-diversity",
	 "in every class the most frequent value is less than c times the sum of "
	 "all but the l - 1 most frequent"},
	{"reid_d",
	 "share of people whose own record, and no other, is the linked one"},
	{"reid_k", "share of people found by guessing among equally good links"},
	{"release", "masked copies that were published, and the run that did it"},
	{"rfm", "customers by recency, frequency and money; "
			"sdc.customer_class_difference"},
	{"rho",
	 "of concentrated differential privacy: what Gaussian noise is measured "
	 "by"},
	{"rid", "rank interval disclosure; sdc.rank_disclosure"},
	{"rules", "a document that says how each column is masked"},
	{"sadr", "simple attribute disclosure risk; sdc.unchanged_share"},
	{"sample unique", "a record that is alone with its keys in the table"},
	{"sdid",
	 "standard deviation interval disclosure; sdc.interval_disclosure"},
	{"secondary cell",
	 "a cell that is hidden only so that primary cells do not follow from "
	 "totals"},
	{"seed",
	 "a number that makes random masks repeatable: the same seed gives the "
	 "same bits"},
	{"sensitive",
	 "a column that others must not learn: an illness, an income"},
	{"sensitivity", "how much one person can change a figure"},
	{"special unique",
	 "a record that already few of its keys single out (SUDA)"},
	{"strata", "parts of a table that are masked or sampled each for itself"},
	{"strategy",
	 "the levels of the keys under a name, to be applied to tomorrow's rows"},
	{"subset",
	 "the largest error of the turnover of k customers in a window of days "
	 "(PWSCUP); sdc.turnover_error"},
	{"SUDA", "scores records by their minimal sample uniques; sdc.suda2"},
	{"suppression", "a value is taken out: it becomes NULL"},
	{"synthetic data",
	 "records drawn from a model of the original ones; sdc.synthesize"},
	{"target", "the table that is written"},
	{"transparency",
	 "an intruder who knows by which rules the table was masked; "
	 "sdc.attack_transparency"},
	{"uniqueness",
	 "how many people are alone with their keys; sdc.uniqueness"},
	{"ut-jaccard", "mean Jaccard distance of the sets of items (PWSCUP); "
				   "sdc.item_set_distance"},
	{"utility", "what the masked table is still good for"},
	{"variant", "one of several ways in which a method can work"},
	{"weight", "how many people of the population a record stands for"},
	{"wildcard", "a NULL that may be any value, so that it agrees with all"},
	{NULL}};
