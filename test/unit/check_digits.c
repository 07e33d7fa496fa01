/*
 * check_digits.c
 *		Check digits beside numbers that authorities publish as examples, and
 *		beside what each scheme promises to find.
 */
#include "unit.h"

#include <string.h>

#include "kernel/base/random.h"
#include "kernel/mask/pseudonym.c"

static const char *const scheme_words[] = {
	"card", "iban", "de_tax", "fr_nir", "es_dni", "jp_my", 0};

typedef struct Example
{
	SdcCheckScheme scheme;
	const char *number;
} Example;

/*
 * ISO 13616 and the registry of SWIFT; the test cards of the schemes; the
 * standard's own and the ministries' examples of the others.
 */
static const Example examples[] = {
	{SDC_CHECK_CARD, "4111111111111111"},
	{SDC_CHECK_CARD, "5555555555554444"},
	{SDC_CHECK_CARD, "378282246310005"},
	{SDC_CHECK_CARD, "79927398713"},
	{SDC_CHECK_IBAN, "GB82WEST12345698765432"},
	{SDC_CHECK_IBAN, "DE89370400440532013000"},
	{SDC_CHECK_IBAN, "FR1420041010050500013M02606"},
	{SDC_CHECK_IBAN, "ES9121000418450200051332"},
	{SDC_CHECK_IBAN, "NO9386011117947"},
	{SDC_CHECK_IBAN, "MT84MALT011000012345MTLCAST001S"},
	{SDC_CHECK_DE_TAX, "86095742719"},
	{SDC_CHECK_DE_TAX, "47036892816"},
	{SDC_CHECK_DE_TAX, "65929970489"},
	{SDC_CHECK_FR_NIR, "295109912611193"},
	{SDC_CHECK_FR_NIR, "253072B07300470"},
	{SDC_CHECK_ES_DNI, "12345678Z"},
	{SDC_CHECK_ES_DNI, "54362315K"},
	{SDC_CHECK_ES_DNI, "X2482300W"},
	{SDC_CHECK_JP_MY, "123456789018"}};

#define EXAMPLES (int) (sizeof(examples) / sizeof(examples[0]))

static void
test_examples(void)
{
	int i;

	for (i = 0; i < EXAMPLES; i++)
	{
		/* the number of Luhn's own example is shorter than any card */
		int card = examples[i].scheme == SDC_CHECK_CARD &&
				   strlen(examples[i].number) < 12;
		char number[SDC_CHECK_MAX + 1];
		int first;
		int count;

		strcpy(number, examples[i].number);
		sdc_check_places(examples[i].scheme, number, &first, &count);
		memset(number + first,
			   examples[i].scheme == SDC_CHECK_ES_DNI ? 'A' : '0',
			   (size_t) count);
		sdc_check_write(examples[i].scheme, number);
		unit_check(strcmp(number, examples[i].number) == 0,
				   "the check digits of %s", examples[i].number);
		unit_check(card ||
					   sdc_check_holds(examples[i].scheme, examples[i].number),
				   "%s holds", examples[i].number);
	}
}

/* How many changes of one digit of a right number are not found. */
static int
missed_digits(SdcCheckScheme scheme, const char *right)
{
	char number[SDC_CHECK_MAX + 1];
	int missed = 0;
	int i;
	char c;

	strcpy(number, right);
	for (i = 0; number[i] != '\0'; i++)
	{
		char kept = number[i];

		if (kept < '0' || kept > '9')
			continue;
		for (c = '0'; c <= '9'; c++)
		{
			number[i] = c;
			missed += c != kept && sdc_check_holds(scheme, number);
		}
		number[i] = kept;
	}
	return missed;
}

/* How many exchanges of neighbours are not found. */
static int
missed_neighbours(SdcCheckScheme scheme, const char *right)
{
	char number[SDC_CHECK_MAX + 1];
	int missed = 0;
	int i;

	strcpy(number, right);
	for (i = 0; number[i + 1] != '\0'; i++)
	{
		char kept = number[i];

		if (kept == number[i + 1])
			continue;
		number[i] = number[i + 1];
		number[i + 1] = kept;
		missed += sdc_check_holds(scheme, number);
		number[i + 1] = number[i];
		number[i] = kept;
	}
	return missed;
}

/*
 * All schemes but one find every wrong digit: in that of Japan ten and eleven
 * less are both 0.  Those of ISO 7064 with 97 find exchanges, too.
 */
static void
test_promises(void)
{
	static const char *const start[] = {
		"4000000000000000", "GB00WEST00000000000000",
		"10000000000",      "100000000000000",
		"00000000A",        "000000000000"};
	SdcRandom random;
	int scheme;
	int round;

	sdc_random_seed(&random, 1, 1);
	for (scheme = SDC_CHECK_CARD; scheme <= SDC_CHECK_ES_DNI; scheme++)
	{
		int digits = 0;
		int neighbours = 0;

		for (round = 0; round < 200; round++)
		{
			char number[SDC_CHECK_MAX + 1];
			int i;

			strcpy(number, start[scheme]);
			for (i = 1; number[i] != '\0'; i++)
				if (number[i] == '0')
					number[i] = (char) ('0' + sdc_random_below(&random, 10));
			sdc_check_write(scheme, number);
			if (!sdc_check_holds(scheme, number))
				digits += 1000;
			digits += missed_digits(scheme, number);
			neighbours += missed_neighbours(scheme, number);
		}
		unit_check(digits == 0, "%s finds every wrong digit: %d missed",
				   scheme_words[scheme], digits);
		if (scheme == SDC_CHECK_IBAN || scheme == SDC_CHECK_FR_NIR)
			unit_check(neighbours == 0,
					   "%s finds every exchange of neighbours: %d missed",
					   scheme_words[scheme], neighbours);
	}
}

static void
test_forms(void)
{
	unit_check(!sdc_check_has_form(SDC_CHECK_CARD, "41111111111"),
			   "a card has twelve digits at least");
	unit_check(!sdc_check_has_form(SDC_CHECK_CARD, "41111111111111111111"),
			   "a card has 19 digits at the most");
	unit_check(!sdc_check_has_form(SDC_CHECK_CARD, "4111 1111 1111 1111"),
			   "blanks are no digits");
	unit_check(!sdc_check_has_form(SDC_CHECK_IBAN, "GB82west12345698765432"),
			   "an IBAN has capitals");
	unit_check(!sdc_check_has_form(SDC_CHECK_IBAN, "1282WEST12345698765432"),
			   "an IBAN begins with a country");
	unit_check(!sdc_check_has_form(SDC_CHECK_FR_NIR, "253072C07300470"),
			   "no other letter than A and B stands for Corsica");
	unit_check(!sdc_check_has_form(SDC_CHECK_FR_NIR, "253071A07300470"),
			   "A stands after a 2");
	unit_check(!sdc_check_has_form(SDC_CHECK_ES_DNI, ""), "nothing is no DNI");
	unit_check(!sdc_check_holds(SDC_CHECK_ES_DNI, "12345678A"),
			   "another letter does not hold");
}

int
main(void)
{
	unit_start("check_digits");
	test_examples();
	test_promises();
	test_forms();
	return unit_finish();
}
