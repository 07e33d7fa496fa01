/*
 * suggestion.c
 *		Suggested roles: names as people write them, types, counts.
 */
#include "unit.h"

#include <string.h>

#include "kernel/risk/separation.h"

static SdcSeparation
counts_of(int64_t records, int64_t classes)
{
	SdcSeparation counts = {0};

	if (records > 0)
		sdc_separation_add(&counts, 1, classes - 1);
	if (records > 0)
		sdc_separation_add(&counts, records - classes + 1, 1);
	return counts;
}

static void
check_name(const char *name, SdcSuggestionType type, const char *role)
{
	SdcSeparation counts = counts_of(100, 10);
	SdcSuggestion suggestion = sdc_suggestion_make(name, type, &counts);

	unit_check(strcmp(suggestion.role, role) == 0, "%s: %s, got %s", name,
			   role, suggestion.role);
}

static void
check_names(void)
{
	const SdcSuggestionType text = SDC_SUGGESTION_TEXT;
	const SdcSuggestionType number = SDC_SUGGESTION_INTEGER;

	check_name("name", text, "identifier");
	check_name("firstName", text, "identifier");
	check_name("FIRST_NAME", text, "identifier");
	check_name("first name", text, "identifier");
	check_name("patient-name", text, "identifier");
	check_name("Email2", text, "identifier");
	check_name("e_mail", text, "identifier");
	check_name("emails", text, "identifier");
	check_name("phones", text, "identifier");
	check_name("SSN", text, "identifier");
	check_name("ip_address", text, "identifier");
	check_name("city_name", text, "key");
	check_name("ZIP5", text, "key");
	check_name("zip", number, "key");
	check_name("dateOfBirth", SDC_SUGGESTION_DATE, "key");
	check_name("age", number, "key");
	check_name("age_at_diagnosis", number, "key");
	check_name("marital-status", text, "key");
	check_name("salary", number, "sensitive");
	check_name("hiv", SDC_SUGGESTION_BOOLEAN, "sensitive");
	check_name("annual_earnings", number, "sensitive");
	check_name("weight", SDC_SUGGESTION_REAL, "weight");
	check_name("home_address", SDC_SUGGESTION_PLACE, "key");
	check_name("fnlwgt", number, "weight");
	check_name("weight", text, "key");
	check_name("body_weight", SDC_SUGGESTION_REAL, "key");
	check_name("hhid", number, "household");
	check_name("household_id", number, "household");
	check_name("stratum", number, "strata");
	check_name("hospital_id", number, "identifier");
	/* parts of words are no words */
	check_name("statement", text, "key");
	check_name("carnage", SDC_SUGGESTION_REAL, "sensitive");
	check_name("identity", SDC_SUGGESTION_REAL, "sensitive");
	check_name("hip", SDC_SUGGESTION_REAL, "sensitive");
	check_name("ag", SDC_SUGGESTION_REAL, "sensitive");
	/* names with nothing in them that counts */
	check_name("", text, "key");
	check_name("12 $ 3", text, "key");
	check_name("\xc3\xa4\xc3\xb6", text, "key");
}

static void
check_long(void)
{
	char name[2000];
	size_t i;

	for (i = 0; i < sizeof(name) - 1; i++)
		name[i] = i % 2 ? 'A' : 'b';
	name[sizeof(name) - 1] = '\0';
	check_name(name, SDC_SUGGESTION_TEXT, "key");
	memset(name, 'x', sizeof(name) - 1);
	check_name(name, SDC_SUGGESTION_TEXT, "key");
}

static void
check_counts(const char *name, SdcSuggestionType type, int64_t records,
			 int64_t classes, const char *role)
{
	SdcSeparation counts = counts_of(records, classes);
	SdcSuggestion suggestion = sdc_suggestion_make(name, type, &counts);

	unit_check(strcmp(suggestion.role, role) == 0,
			   "%s, %d values of %d: %s, got %s", name, (int) classes,
			   (int) records, role, suggestion.role);
}

static void
check_values(void)
{
	check_counts("id", SDC_SUGGESTION_INTEGER, 100, 100, "id");
	check_counts("person_id", SDC_SUGGESTION_TEXT, 100, 100, "id");
	check_counts("id", SDC_SUGGESTION_INTEGER, 100, 99, "identifier");
	check_counts("x", SDC_SUGGESTION_INTEGER, 100, 100, "identifier");
	check_counts("x", SDC_SUGGESTION_INTEGER, 100, 90, "sensitive");
	check_counts("x", SDC_SUGGESTION_INTEGER, 100, 20, "key");
	check_counts("x", SDC_SUGGESTION_TEXT, 100, 51, "identifier");
	check_counts("x", SDC_SUGGESTION_TEXT, 100, 50, "key");
	check_counts("x", SDC_SUGGESTION_TEXT, 100, 1, "insensitive");
	check_counts("x", SDC_SUGGESTION_TEXT, 1, 1, "key");
	check_counts("x", SDC_SUGGESTION_TEXT, 0, 0, "key");
	check_counts("x", SDC_SUGGESTION_DATE, 100, 100, "key");
	check_counts("x", SDC_SUGGESTION_BOOLEAN, 100, 2, "key");
	check_counts("x", SDC_SUGGESTION_ADDRESS, 100, 2, "identifier");
	check_counts("x", SDC_SUGGESTION_OTHER, 100, 1, "identifier");
	check_counts("x", SDC_SUGGESTION_PLACE, 100, 100, "key");
	unit_check(
		strcmp(sdc_suggestion_make("id", SDC_SUGGESTION_TEXT, NULL).role,
			   "identifier") == 0,
		"values not looked at: an id is not known to be one");
}

int
main(void)
{
	unit_start("suggestion");
	check_names();
	check_long();
	check_values();
	return unit_finish();
}
