/*
 * personal.c
 *		What a column holds of persons: names that say it and names of other
 *		things, values of each form and their neighbours that are none, columns
 *		of a few values, and any bytes whatever.
 */
#include "unit.h"

#include <string.h>

#include "kernel/base/random.h"
#include "kernel/risk/personal.h"

static int
look_up(void *context, const char *word)
{
	(void) context;
	if (strcmp(word, "anna") == 0 || strcmp(word, "jörg") == 0)
		return SDC_IN_FIRST_NAMES;
	return strcmp(word, "berger") == 0 ? SDC_IN_LAST_NAMES : 0;
}

static void
check_name(const char *name, SdcPersonalKind expected)
{
	SdcPersonalKind kind = sdc_personal_of_name(name);

	unit_check(kind == expected, "the name \"%s\" is \"%s\", and not \"%s\"",
			   name, sdc_personal_words[kind], sdc_personal_words[expected]);
}

static void
check_names(void)
{
	check_name("EmailAddress", SDC_PERSONAL_EMAIL);
	check_name("email_template", SDC_PERSONAL_NONE);
	check_name("phone_model", SDC_PERSONAL_NONE);
	check_name("geburtenrate", SDC_PERSONAL_NONE);
	check_name("geb_dat", SDC_PERSONAL_BIRTH);
	check_name("lieu_naiss", SDC_PERSONAL_CITY);
	check_name("nom_completo", SDC_PERSONAL_NAME);
	check_name("nom_produit", SDC_PERSONAL_NONE);
	check_name("gebuehr", SDC_PERSONAL_NONE);
	check_name("password_file", SDC_PERSONAL_SECRET);
	unit_check(sdc_personal_is_thing("Products"), "products are things");
	unit_check(!sdc_personal_is_thing("customers"), "customers are none");
}

static void
check_value(const char *value, SdcPersonalKind expected)
{
	SdcPersonalKind kind = sdc_personal_of_value(value);

	unit_check(kind == expected, "\"%s\" is \"%s\", and not \"%s\"", value,
			   sdc_personal_words[kind], sdc_personal_words[expected]);
}

static void
check_values(void)
{
	check_value("608-555-0123", SDC_PERSONAL_PHONE);
	check_value("(608) 555-0123", SDC_PERSONAL_PHONE);
	check_value("612 34 56 78", SDC_PERSONAL_PHONE);
	check_value("312 34 56 78", SDC_PERSONAL_NONE);
	check_value("0000001234", SDC_PERSONAL_NONE);
	check_value("65 170839 J 008", SDC_PERSONAL_NATIONAL_ID);
	check_value("65 171339 J 008", SDC_PERSONAL_NONE);
	check_value("1.2.3.4", SDC_PERSONAL_NONE);
	check_value("10.0.0.1", SDC_PERSONAL_IP);
	check_value("203.0.113.256", SDC_PERSONAL_NONE);
	unit_check(sdc_personal_year("14.03.1962") == 1962, "a German date");
	unit_check(sdc_personal_year("1962-03-14 10:00") == 1962, "a time");
	unit_check(sdc_personal_year("19620314") == 1962, "a date of digits");
	unit_check(sdc_personal_year("29620314") == 0 &&
				   sdc_personal_year("19622314") == 0 &&
				   sdc_personal_year("1962") == 0,
			   "what is no date");
}

/* What three values are together, each four times and with a number. */
static void
check_column(const char *first, const char *second, const char *third,
			 SdcPersonalKind expected)
{
	SdcPersonalCounts counts = {.look_up = look_up, .is_text = 1};
	const char *value[] = {first, second, third};
	SdcPersonalKind kind;
	double share;
	int i;

	for (i = 0; i < 12; i++)
		sdc_personal_count(&counts, value[i % 3]);
	kind = sdc_personal_of_values(&counts, 12, &share);
	unit_check(kind == expected, "\"%s\" and others are \"%s\", not \"%s\"",
			   first, sdc_personal_words[kind], sdc_personal_words[expected]);
}

static void
check_columns(void)
{
	SdcPersonalCounts none = {.look_up = look_up, .is_text = 1};

	check_column("Berger, Anna", "ANNA BERGER", "Jörg B.", SDC_PERSONAL_NAME);
	check_column("Anna!", "Anna: yes", "to Anna", SDC_PERSONAL_NONE);
	check_column("Frau", "Herr", "Divers", SDC_PERSONAL_SEX);
	check_column("S", "M", "L", SDC_PERSONAL_NONE);
	check_column("ledig", "verheiratet", "geschieden", SDC_PERSONAL_STATUS);
	check_column("E11.9", "I10", "J45.909", SDC_PERSONAL_HEALTH);
	check_column("A12", "B34", "C56", SDC_PERSONAL_NONE);
	check_column("call 608-555-0123", "no", "never", SDC_PERSONAL_TEXT);
	check_column("14.03.1962", "01.02.1970", "-", SDC_PERSONAL_NONE);
	sdc_personal_count(&none, "see template 7");
	unit_check(!sdc_personal_may_be(SDC_PERSONAL_EMAIL, &none) &&
				   sdc_personal_may_be(SDC_PERSONAL_PHONE, &none) &&
				   sdc_personal_may_be(SDC_PERSONAL_NAME, &none),
			   "an e-mail has an @, a phone digits, a name neither");
}

/* No more is found than there are values, whatever they are. */
static void
check_any(void)
{
	static const char bytes[] = "0169-./(+ @aZ,\xc3\x84";
	SdcRandom random;
	SdcPersonalCounts counts = {.look_up = look_up, .is_text = 1};
	bool held = true;
	int round;
	int i;

	sdc_random_seed(&random, 5, 0);
	for (round = 0; round < 20000; round++)
	{
		int length = (int) sdc_random_below(&random, 24);
		char *text = sdc_new(unit_host(), char, length + 1);

		for (i = 0; i < length; i++)
			text[i] = bytes[sdc_random_below(&random, sizeof(bytes) - 1)];
		text[length] = '\0';
		sdc_personal_count(&counts, text);
		(void) sdc_personal_of_value(text);
		(void) sdc_personal_of_name(text);
		(void) sdc_personal_year(text);
		unit_host()->release(unit_host(), text);
	}
	for (i = 0; i < SDC_PERSONAL_KINDS; i++)
		held &= counts.hits[i] <= counts.values;
	unit_check(held && counts.values == 20000, "any bytes");
}

int
main(void)
{
	unit_start("personal");
	check_names();
	check_values();
	check_columns();
	check_any();
	return unit_finish();
}
