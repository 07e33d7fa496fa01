/*
 * scrub.c
 *		Identifiers in texts: each way to write them that is promised, and what
 *		reads like one and is none; any bytes whatever.
 */
#include "unit.h"

#include <string.h>

#include "kernel/base/random.h"
#include "kernel/risk/scrub.h"

static int
look_up(void *context, const char *word)
{
	(void) context;
	if (strcmp(word, "anna") == 0 || strcmp(word, "jörg") == 0 ||
		strcmp(word, "jean-luc") == 0 || strcmp(word, "mark") == 0)
		return SDC_IN_FIRST_NAMES;
	if (strcmp(word, "berger") == 0 || strcmp(word, "müller") == 0)
		return SDC_IN_LAST_NAMES;
	return 0;
}

static SdcScrubKnown known[3];
static const SdcScrub scrub = {look_up, NULL, 3, known};

/* The text with <kind> or <0> in place of what is found. */
static void
mark(const char *text, char *out)
{
	size_t length = strlen(text);
	size_t from = 0;
	SdcScrubFind find;

	*out = '\0';
	while (sdc_scrub_find(&scrub, text, length, from, length, &find))
	{
		strncat(out, text + from, find.begin - from);
		if (find.known >= 0)
			sprintf(out + strlen(out), "<%d>", find.known);
		else
			sprintf(out + strlen(out), "<%s>", sdc_personal_words[find.kind]);
		from = find.end;
	}
	strcat(out, text + from);
}

static void
check(const char *text, const char *expected)
{
	char out[1000];

	mark(text, out);
	unit_check(strcmp(out, expected) == 0, "\"%s\" is \"%s\", and not \"%s\"",
			   text, out, expected);
}

static void
check_patterns(void)
{
	check("", "");
	check("Write to a.b+c@web.test, please.", "Write to <email>, please.");
	check("<a@b.example>;c@d.example", "<<email>>;<email>");
	check("user@host and @home", "user@host and @home");
	check("こちらはuser@web.jpです", "こちらは<email>です");
	check("Call +49 171 555-0007 now", "Call <phone> now");
	check("Call (0171)5550007.", "Call <phone>.");
	check("Call 01715550007 or 415-555-0132!", "Call <phone> or <phone>!");
	check("on 01.02.2023 at 10:30, 2023-02-01 and 01/02/2023",
		  "on 01.02.2023 at 10:30, 2023-02-01 and 01/02/2023");
	check("order 4711, 12345 pieces at 3.50",
		  "order 4711, 12345 pieces at 3.50");
	check("IBAN DE89 3704 0044 0532 0130 00, thanks", "IBAN <iban>, thanks");
	check("IBAN DE88370400440532013000", "IBAN DE88370400440532013000");
	check("card 4111 1111 1111 1111 used", "card <card> used");
	check("card 4111-1111-1111-1112 used", "card 4111-1111-1111-1112 used");
	check("SSN 123-45-6789", "SSN <national_id>");
	check("from 192.168.17.4 and 00:1a:2b:3c:4d:5e", "from <ip> and <mac>");
}

static void
check_names(void)
{
	check("Dear Anna Berger, hello", "Dear <name>, hello");
	check("Dear anna berger, hello", "Dear <name>, hello");
	check("ANNA BERGER called", "<name> called");
	check("Jörg von Unbekannt called", "<name> called");
	check("Jean-Luc M. Picard called", "<name> called");
	check("Berger, Anna (absent)", "<name> (absent)");
	check("Mrs. Zbinden and Herr Kwok called",
		  "Mrs. <last_name> and Herr <last_name> called");
	check("Thank you, says Anna.", "Thank you, says <first_name>.");
	check("Mark the box. anna is no name", "Mark the box. anna is no name");
	check("Mrs. or Mr.", "Mrs. or Mr.");
	check("Mr", "Mr");
	check("Prof. Dr. Kwok Xi-Lu is here", "Prof. Dr. <last_name> is here");
	check("mail of Hauptstr. 12", "mail of <address>");
	check("lives in Hauptstraße 12a, Town", "lives in <address>, Town");
	check("at 12 Main Street today", "at <address> today");
	check("12 rue de la Paix, Paris", "<address>, Paris");
	check("vive en Calle Mayor 5.", "vive en <address>.");
	check("3 boxes in the street", "3 boxes in the street");
}

/* Known values, whatever stands between, and longest first. */
static void
check_known(void)
{
	sdc_scrub_know(&known[0], "Xaver Quux", 10);
	sdc_scrub_know(&known[1], "Xaver", 5);
	sdc_scrub_know(&known[2], "AB-77812-ZZ994", 14);
	check("Xaver Quux and XAVER_QUUX and xaver", "<0> and <0> and <1>");
	check("Xavér  Quüx, X\xc2\xad"
		  "aver",
		  "<0>, <1>");
	check("Xaverl Quux", "Xaverl Quux");
	check("Mr. Xaver Quux", "Mr. <0>");
	check("nr_ab77812zz994x and ab 77812 zz994", "nr_<2>x and <2>");
}

/* A name in other spellings, as the search for leaks knows them. */
static void
check_spelled(void)
{
	static const char german[] = "J\xc3\xbcrgen Gr\xc3\xb6\xc3\x9fmann";
	static const char danish[] = "Aase Soerensen";
	static const char marked[] = "Ju\xcc\x88rgen Bauer"; /* NFD */

	sdc_scrub_know(&known[0], german, strlen(german));
	sdc_scrub_know(&known[1], danish, strlen(danish));
	sdc_scrub_know(&known[2], marked, strlen(marked));
	check("Juergen Groessmann, JURGEN GROSSMANN, juergen grossmann",
		  "<0>, <0>, <0>");
	check("J\xc3\xbcrgen Gr\xc3\xb6ssmann's, J\xc3\xbcrgen Groe\xc3\x9fmann",
		  "<0>'s, <0>");
	check("Jueergen Grossmann, Juergen Groessmannn",
		  "Jueergen Grossmann, Juergen Groessmannn");
	check("\xc3\x85se S\xc3\xb8rensen, Ase Sorensen; Aase Soerensenn",
		  "<1>, <1>; Aase Soerensenn");
	check("Juergen Bauer, Jurgen Bauer, Jurgen Baur", "<2>, <2>, Jurgen Baur");
	/* two letters at the end; a short name; a value with none of both */
	sdc_scrub_know(&known[0], "Mae", 3);
	sdc_scrub_know(&known[1],
				   "B\xc3\xbc"
				   "ehler",
				   8);
	sdc_scrub_know(&known[2], "moerser@web.test", 16);
	check("Mae, ma\xc2\xad, M\xc3\xa4! Mas, Maee", "<0>, <0>, <0>! Mas, Maee");
	check("Buehler, Bueehler, Buhler", "<1>, <1>, Buhler");
	check("moerser@web.test", "<2>");
	known[0].letters = known[1].letters = known[2].letters = 0;
}

/* Any bytes: every find goes on, and nothing outside the text is read. */
static void
check_any(void)
{
	static const char bytes[] = "aA1 .-+(@:,x\xc3\xa9\xe3\x82\xa2\xff";
	SdcRandom random;
	int round;

	sdc_scrub_know(&known[0], "a1a", 3);
	sdc_random_seed(&random, 7, 1);
	for (round = 0; round < 20000; round++)
	{
		size_t length = sdc_random_below(&random, 40);
		char *text = sdc_new(unit_host(), char, length + 1);
		size_t from = 0;
		SdcScrubFind find;
		size_t i;

		for (i = 0; i < length; i++)
			text[i] = bytes[sdc_random_below(&random, sizeof(bytes) - 1)];
		text[length] = '\0';
		while (sdc_scrub_find(&scrub, text, length, from, length, &find))
		{
			if (find.begin < from || find.end <= find.begin ||
				find.end > length)
			{
				unit_check(0, "a find from %d to %d of %d", (int) find.begin,
						   (int) find.end, (int) length);
				return;
			}
			from = find.end;
		}
		unit_host()->release(unit_host(), text);
	}
	unit_check(1, "any bytes");
}

int
main(void)
{
	unit_start("scrub");
	check_patterns();
	check_names();
	check_known();
	check_spelled();
	check_any();
	return unit_finish();
}
