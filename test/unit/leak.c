/*
 * leak.c
 *		Values in texts: by hand, in every way to write them that is promised,
 *		and against a search that compares letter by letter.
 */
#include "unit.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/base/random.h"
#include "kernel/risk/leak.h"
#include "kernel/risk/scrub.h"

static int64_t
found_in(SdcLeakSet *set, SdcLeakPlace place, const char *text, size_t length)
{
	sdc_leak_start(set, place);
	sdc_leak_search(set, text, length);
	return sdc_leak_found(set);
}

static void
check(SdcLeakSet *set, const char *text, int expected)
{
	int64_t found = found_in(set, SDC_LEAK_KEPT, text, strlen(text));

	unit_check(found == expected, "%d in: %s (%d)", expected, text,
			   (int) found);
}

static void
add(SdcLeakSet *set, const char *value, int known)
{
	sdc_leak_add(set, value, strlen(value), known);
}

/* Ways to write a value that are found, and what is near it and is not. */
static void
check_writing(void)
{
	SdcLeakSet *set = sdc_leak_create(unit_host());

	add(set, "anna3@web.test", 0);
	add(set, "Jürgen Müller", SDC_LEAK_USUAL);
	add(set, "DE89 3704 0044 0532 0130 00", 0);
	add(set, "+49 171 5550001", SDC_LEAK_PHONE);
	add(set, "abc", 0);
	unit_check(sdc_leak_values(set) == 4, "four values, one is too short");
	check(set, "anna3@web.test", 1);
	check(set, "<ANNA3@Web.Test>.", 1);
	check(set, "{\"anna3@web.test\": 1}", 1);
	check(set, "mailto:xanna3@web.testing", 1);
	check(set, "anna4@web.test anna@web.test anna3 at web.test", 0);
	check(set, "anna3\\100web.test", 1);
	check(set, "anna3&commat;web&period;test", 1);
	check(set, "J&uuml;rgen M&uuml;ller", 1);
	check(set, "anna3 [at] web (dot) test", 1);
	check(set, "<a><b>anna3</b>@<c x=\"1\">web.test</c></a>", 1);
	check(set, "M\xc3\xbcller, J\xc3\xbcrgen", 1);
	check(set, "61 6e 6e 61 33 40 77 65 62 2e 74 65 73 74", 1);
	check(set, "616e6e61-3340-7765-622e-746573742020", 1);
	check(set, "eHh4eHh4IGFubmEz\r\nQHdlYi50ZXN0", 1);
	check(set,
		  "0110000101101110011011100110000100110011010000000111011101100101"
		  "0110001000101110011101000110010101110011011101001",
		  1);
	/* letters that look alike, and what is not seen */
	check(set,
		  "\xd0\xb0nna3@w\xd0\xb5"
		  "b.t\xd0\xb5st",
		  1);
	check(set, "\xce\x91nna3@web.test", 1);
	check(set, "an\xe2\x80\xaena3@\xef\xb8\x8fweb\xe2\x81\xa2.test", 1);
	check(set, "anna3%40web.test", 1);
	check(set, "anna3%2540web.test", 1);
	check(set, "anna3\\u0040web.test", 1);
	check(set, "anna3&#64;web.test and anna3&#x40;web.test", 1);
	check(set, "anna3=40web.test", 1);
	check(set, "YW5uYTNAd2ViLnRlc3Q=", 1);
	check(set, "data:text/plain;base64,YW5uYTNAd2ViLnRlc3Q", 1);
	check(set, "xxYW5uYTNAd2ViLnRlc3Q", 1);
	check(set, "id/aWQ9YW5uYTMlNDB3ZWIudGVzdA==", 1); /* id=anna3%40web... */
	check(set, "\\x616e6e6133407765622e74657374", 1);
	check(set, "a616E6E6133407765622E74657374f", 1);
	check(set, "an\xc2\xadna3\xe2\x80\x8b@web.test", 1);
	check(set, "\xef\xbd\x81nna3@web.test", 1); /* a wide a */
	check(set, "jurgen muller", 1);
	check(set, "Ju\xcc\x88rgen  Mu\xcc\x88ller", 1);
	check(set, "Jürgen-Müller, 3", 1);
	check(set, "Jürgen Müllers Akte", 1);
	check(set, "de89370400440532013000", 1);
	check(set, "xDE89370400440532013000", 1);
	check(set, "+491715550001", 1);
	check(set, "0171/555-0001", 1);
	check(set, "0049 171 5550001", 1);
	check(set, "00491715550001", 1);
	check(set, "tel4917155500012", 0);
	check(set, "(0171) 5550002", 0);
	check(set, "2024-01-01 71:55:50001, tel:0171 5550002", 0);
	check(set, "tel:01715550001", 1);
	check(set, "", 0);
	unit_check(found_in(set, SDC_LEAK_KEPT,
						"a\0n\0n\0a\0003\0@\0w\0e\0b\0.\0t"
						"\0e\0s\0t\0",
						28) == 1,
			   "two bytes for a letter");
	unit_check(found_in(set, SDC_LEAK_KEPT,
						"\xff\xfe\x80"
						"anna3@web.test\xc3",
						18) == 1,
			   "bytes that are no text");
	unit_check(!found_in(set, SDC_LEAK_JOINED, "'Jürgen''Müller'", 18) &&
				   found_in(set, SDC_LEAK_JOINED, "'anna3''web.test'", 17),
			   "constants in a row may be a name, and no address");
	unit_check(found_in(set, SDC_LEAK_NAMES, "Jürgen Müller", 15) == 1,
			   "and may not be in a definition");
	unit_check(found_in(set, SDC_LEAK_DRAWN, "joanna3@web.test", 16) == 0 &&
				   found_in(set, SDC_LEAK_DRAWN, "jo anna3@web.test", 17) == 1,
			   "what was drawn may end like a value");
	unit_release_all();
}

/* A Chinese character counts as two letters, and each is a word. */
static void
check_ideographs(void)
{
	SdcLeakSet *set = sdc_leak_create(unit_host());
	static char text[3 * 8192 + 32];
	int at;

	sdc_leak_add(set, "王伟", 6, SDC_LEAK_USUAL);
	unit_check(sdc_leak_values(set) == 0, "two characters are a word");
	sdc_leak_add(set, "山田 太郎", 13, SDC_LEAK_USUAL);
	sdc_leak_add(set, "佐々木一", 12, SDC_LEAK_USUAL);
	unit_check(sdc_leak_values(set) == 2, "four are a name");
	check(set, "山田太郎様より電話", 1);
	check(set, "太郎 山田", 1);
	check(set, "郎太田山", 1);
	check(set, "担当は佐々木一。", 1);
	check(set, "山田次郎様", 0);
	check(set, "山山田太郎", 1);
	check(set, "山太田郎", 0);
	/* wherever the room ends */
	for (at = 4080; at < 4100; at++)
	{
		size_t length = 1;
		int i;

		text[0] = 'x';
		for (i = 0; i < at; i++, length += 3)
			memcpy(text + length, "水", 3);
		memcpy(text + length, "山田太郎", 13);
		unit_check(sdc_leak_values(set) == 2 &&
					   found_in(set, SDC_LEAK_KEPT, text, length + 12) == 1,
				   "behind %d characters", at);
	}
	unit_release_all();
}

/* Phones and accounts without what stands before them; addresses. */
static void
check_forms(void)
{
	SdcLeakSet *set = sdc_leak_create(unit_host());

	/* a zero in brackets, in either; Italy keeps its own */
	add(set, "+49 (0)171 5550001", SDC_LEAK_PHONE);
	add(set, "+49 171 5550002", SDC_LEAK_PHONE);
	add(set, "+39 06 55500003", SDC_LEAK_PHONE);
	check(set, "+49 171 5550001; 00491715550001", 1);
	check(set, "+49 (0)171 5550001; 0171/5550001; 171 5550001", 1);
	check(set, "+49 (0)171 5550002; 0171/5550002", 1);
	check(set, "06 55500003; 00390655500003", 1);
	check(set, "655500003", 0);
	/* without a country: any may stand before it, and nothing else */
	add(set, "0171 5550004", SDC_LEAK_PHONE);
	check(set, "+49 171 5550004", 1);
	check(set, "00491715550004", 1);
	check(set, "4917155500041", 0);
	check(set, "1234561715550004", 0);
	check(set, "0171 5550005", 0);
	/* an address as it is read, and within marks */
	add(set, "anna3@web.test", 0);
	check(set, "mail to anna3 at web dot test, please", 1);
	check(set, "anna3 AT web PUNKT test", 1);
	check(set, "anna3 at web adot test", 0);
	check(set, "<p><![CDATA[anna3]]><b>@web</b>.test</p>", 1);
	/* bank and account */
	add(set, "DE89 3704 0044 0532 0130 00", SDC_LEAK_IBAN);
	add(set, "GB29 NWBK 6016 1331 9268 19", SDC_LEAK_IBAN);
	check(set, "37040044/0532013000 and NWBK-601613-31926819", 2);
	check(set, "137040044/0532013000, 532013000 and 60161331926819", 0);
	sdc_scrub_add_within(set, "pay DE02120300000000202051, please", 34);
	check(set, "12030000 0000202051", 1);
	unit_release_all();
}

/* Ways to write a text that few think of. */
static void
check_ways(void)
{
	static const char *const found[] = {
		"MFXG4YJTIB3WKYROORSXG5A=",
		"mfxg4yjtib3wkyroorsxg5a",
		"anna3%u0040web.test",
		"anna3\\40web.test",
		"anna3&#64;web&ensp;test",
		"\"anna3\\n@\\tweb\\/test\"",
		"0x61, 0x6e, 0x6e, 0x61, 0x33, 0x40, 0x77, 0x65, 0x62, 0x2e, 0x74, "
		"0x65, 0x73, 0x74",
		"{97,110,110,97,51,64,119,101,98,46,116,101,115,116}",
		"1 97 110 110 97 51 64 119 101 98 46 116 101 115 116 1000",
		"{\"user\": \"anna3\", \"host\": \"web.test\"}",
		"user=anna3&host=web.test",
		"tset.bew@3anna",
		"YQBuAG4AYQAzAEAAdwBlAGIALgB0AGUAcwB0AA==",
		"J&uuml;rgen&nbsp;M&uuml;ller",
		"SvxyZ2VuIE38bGxlcg==", /* Latin-1 */
		"J\xc3\x83\xc2\xbcrgen M\xc3\x83\xc2\xbcller",
		"relluM negruJ",
		"von der Heide, Anna",
		"Heide, Anna von der",
		"Quellenhofstr. 23",
		"Quellenhof Strasse 23",
		"12 Upper Quarm St",
		"cb00714d",
		"3405803853",
		"77.113.0.203.in-addr.arpa",
		"01149171 5550001",
		"89123456789",
		"+49 1715550001",
		"\xe0\xb9\x94\xe0\xb9\x99 \xe0\xa5\xa7\xe0\xa5\xad"
		"\xe0\xa5\xa7 5550001",
		"\xf0\x9f\x85\x90"
		"NNA3@WEB.TEST",
		NULL};
	static const char *const different[] = {
		"MFXG4YJUIB3WKYROORSXG5A=",
		"97 110 110 97 51 64 119 101 98 46 116 101 115",
		"197 110 110 97 51 64 119 101 98 46 116 101 115 1160",
		"user=anna3 nouser host=web.test",
		"{\"user\": \"anna3\", \"host\": 5, \"web\": \"test\"}",
		"Quellenhofstr. 24",
		"Quellenhofst. 23",
		"cb00714e",
		"203.0.113.177",
		"77.113.0.20",
		"8 9123456788",
		"von der Heide",
		"J\xc3\xbcrgen M\xc3\xbcllersx",
		NULL};
	SdcLeakSet *set = sdc_leak_create(unit_host());
	int i;

	add(set, "anna3@web.test", 0);
	add(set, "J\xc3\xbcrgen M\xc3\xbcller", SDC_LEAK_USUAL);
	add(set, "Anna von der Heide", SDC_LEAK_USUAL);
	add(set,
		"Quellenhofstra\xc3\x9f"
		"e 23",
		SDC_LEAK_USUAL);
	add(set, "12 Upper Quarm Street", SDC_LEAK_USUAL);
	add(set, "203.0.113.77", SDC_LEAK_NETWORK);
	add(set, "+49 171 5550001", SDC_LEAK_PHONE);
	add(set, "+7 912 345-67-89", SDC_LEAK_PHONE);
	unit_check(sdc_leak_values(set) == 8, "each is one value");
	for (i = 0; found[i] != NULL; i++)
		check(set, found[i], 1);
	for (i = 0; different[i] != NULL; i++)
		check(set, different[i], 0);
	unit_check(found_in(set, SDC_LEAK_KEPT,
						"\0J\0\xfc\0r\0g\0e\0n\0 "
						"\0M\0\xfc\0l\0l\0e\0r",
						26) == 1,
			   "two bytes for a letter, the larger half first");
	sdc_leak_start(set, SDC_LEAK_KEPT);
	sdc_leak_search_words(set, "anna3%40web.test", 16);
	unit_check(!sdc_leak_met(set), "as it is, and in no other way");
	sdc_leak_search_words(set, "anna3\nweb.test", 14);
	unit_check(sdc_leak_found(set) == 1, "words in a row");
	unit_release_all();
}

/* Umlauts and the like as two letters, and two letters as these. */
static void
check_spelling(void)
{
	static const char *const found[] = {"Juergen Groessmann",
										"J\xfcrgen Gr\xf6\xdfmann",
										"J%FCrgen+Gr%F6%DFmann",
										"JUERGEN GR\xc3\x96SSMANN",
										"Groessmann, J\xc3\xbcrgen",
										"Aase Soerensen",
										"J\xc3\xa4ger, Heike",
										"Joern B\xc3\xa4rlauer",
										"Stra\xc3\x9f"
										"enweg 12",
										NULL};
	static const char *const different[] = {
		"Jurgn Grosmann", "Juergene Groessmann", "Jorn Barlaur",
		"Ase Sorenson",   "Jaeeger Heike",       NULL};
	SdcLeakSet *set = sdc_leak_create(unit_host());
	int i;

	add(set, "Jürgen Größmann", SDC_LEAK_USUAL);
	add(set, "Åse Sørensen", SDC_LEAK_USUAL);
	add(set, "Heike Jaeger", SDC_LEAK_USUAL);
	add(set, "Jo\xcc\x88rn Ba\xcc\x88rlauer", SDC_LEAK_USUAL);
	add(set, "Strassenweg 12", SDC_LEAK_USUAL);
	add(set, "jaeger@web.test", 0);
	unit_check(sdc_leak_values(set) == 6, "each is one value");
	for (i = 0; found[i] != NULL; i++)
		check(set, found[i], 1);
	for (i = 0; different[i] != NULL; i++)
		check(set, different[i], 0);
	check(set, "j\xc3\xa4ger@web.test", 0);
	unit_release_all();
}

/* What the bytes of a uuid say: with others around them, and what fills it. */
static void
check_bytes(void)
{
	SdcLeakSet *set = sdc_leak_create(unit_host());

	add(set, "anna3@web.test", 0);
	add(set, "Jürgen Müller", SDC_LEAK_USUAL);
	add(set, "Ana Li", SDC_LEAK_USUAL);
	check(set, "4ac3bc72-6765-6e20-4dc3-bc6c6c657200", 1);
	check(set, "0000004a-c3bc-7267-656e-204dc3bc6c6c", 0);
	check(set, "0000004a-c3bc-7267-656e-4dc3bc6c6c657200", 1);
	check(set, "00616e6e-6133-4077-6562-2e74657374ff", 1);
	check(set, "9a01f3c7616e6e61334077-65622e746573740281fe", 1);
	check(set, "4ac3bc7267656e204dc3bc6c6c6572", 1);
	check(set, "416e6120-4c69-0000-0000-000000000000", 1);
	check(set, "00000000-0000-0000-0000-416e61204c69", 1);
	check(set, "9a01f3c7-416e-6120-4c69-0000000281fe", 0);
	unit_release_all();
}

static void
check_parts(void)
{
	static const char *const texts[] = {
		"{\"a\": \"x@y.example\", \"b\": [\"news\", \"+49 171 5550001\"], "
		"\"c\": \"premium\"}",
		"{news,z@y.example}",
		"Call +33 6 12 34 56 78, or write to q@y.example (DE89 3704 0044 0532 "
		"0130 00).",
		NULL};
	SdcLeakSet *set = sdc_leak_create(unit_host());
	int i;

	for (i = 0; texts[i] != NULL; i++)
		sdc_scrub_add_within(set, texts[i], strlen(texts[i]));
	check(set, "x@y.example, z@y.example, q@y.example", 3);
	check(set, "0171 5550001", 1);
	check(set, "premium news call or write", 0);
	unit_release_all();
}

/* What looks like an identifier, of whomever. */
static void
check_signs(void)
{
	static const char *const signs[] = {
		"write to q@y.example, please", "{\"a\": [\"x@y.example\"]}",
		"+33 6 12 34 56 78", "to DE89370400440532013000.", NULL};
	static const char *const none[] = {
		"a@b",       "4 + 5 = 9", "DE89370400440532013001",
		"AB12 3456", "0171 555",  "C++ 20240101",
		"",          NULL};
	int i;

	for (i = 0; signs[i] != NULL; i++)
		unit_check(sdc_scrub_has_sign(signs[i], strlen(signs[i])), "%s",
				   signs[i]);
	for (i = 0; none[i] != NULL; i++)
		unit_check(!sdc_scrub_has_sign(none[i], strlen(none[i])), "not %s",
				   none[i]);
}

/* Short numbers: some among others are found, as many as beside are not. */
static void
check_numbers(void)
{
	SdcLeakSet *set = sdc_leak_create(unit_host());
	char text[64];
	int i;

	for (i = 0; i < 300; i++)
	{
		sprintf(text, "%d", 10000000 + i * 29989);
		add(set, text, 0);
	}
	for (i = 0; i < 300; i++)
	{
		sprintf(text, "%d", 50000 + i);
		add(set, text, 0);
	}
	for (i = 0; i < 30; i++)
	{
		sprintf(text, "19%02d-%02d-%02d", 30 + i * 7 % 60, 1 + i % 12,
				1 + i * 3 % 28);
		add(set, text, SDC_LEAK_DATE);
	}
	check(set, "10029989", 1);
	check(set, "10029989 10029989, 10059978", 2);
	check(set, "1.10029989 10029989.25 x10.029.989", 0);
	check(set, "110029989 100299890", 0);
	check(set, "born 1937-02-04", 1);
	check(set, "born 04.02.1937 or 2/4/1937", 1);
	check(set, "born 1937-02-05", 0);
	sdc_leak_start(set, SDC_LEAK_KEPT);
	for (i = 0; i < 20000; i++)
	{
		sprintf(text, "%d", 40000 + i);
		sdc_leak_search(set, text, strlen(text));
	}
	unit_check(sdc_leak_found(set) == 0, "numbers that are all there");
	sdc_leak_start(set, SDC_LEAK_KEPT);
	for (i = 0; i < 300; i++)
	{
		sprintf(text, "%d", 10000000 + i * 29989);
		sdc_leak_search(set, text, strlen(text));
		sprintf(text, "%d", 40000 + 50 * i);
		sdc_leak_search(set, text, strlen(text));
	}
	unit_check(sdc_leak_found(set) > 280, "numbers among such numbers");
	unit_check(found_in(set, SDC_LEAK_NAMES, "10029989", 8) == 0,
			   "a bound of a partition may be any number");
	unit_release_all();
}

/* Numbers that are drawn hit by chance as often as those beside them. */
static void
check_drawn(void)
{
	SdcLeakSet *set = sdc_leak_create(unit_host());
	SdcRandom random;
	char text[64];
	int i;

	sdc_random_seed(&random, 7, 0);
	for (i = 0; i < 20000; i++)
	{
		sprintf(text, "%09d", (int) (sdc_random_bits(&random) % 1000000000));
		add(set, text, 0);
	}
	sdc_leak_start(set, SDC_LEAK_DRAWN);
	for (i = 0; i < 200000; i++)
	{
		sprintf(text, "%09d", (int) (sdc_random_bits(&random) % 1000000000));
		sdc_leak_search(set, text, strlen(text));
	}
	unit_check(sdc_leak_found(set) == 0, "four are there by chance");
	sdc_random_seed(&random, 7, 0);
	for (i = 0; i < 100; i++)
	{
		sprintf(text, "%09d", (int) (sdc_random_bits(&random) % 1000000000));
		sdc_leak_search(set, text, strlen(text));
	}
	unit_check(sdc_leak_found(set) > 50, "a hundred are not");
	unit_release_all();
}

static int64_t
found_number(SdcLeakSet *set, SdcLeakPlace place, uint64_t number)
{
	sdc_leak_start(set, place);
	sdc_leak_search_number(set, number, false);
	sdc_leak_search_number(set, number, false);
	return sdc_leak_found(set);
}

/* Numbers that times stand for: whole values, and not as many as by chance. */
static void
check_plain(void)
{
	SdcLeakSet *set = sdc_leak_create(unit_host());
	SdcRandom random;
	char text[64];
	uint64_t second = UINT64_C(1000000);
	int i;

	unit_check(found_number(set, SDC_LEAK_KEPT, 1) == 0, "nothing is sought");
	add(set, "+49 171 5550040", SDC_LEAK_PHONE);
	add(set, "4111111111111111", 0);
	add(set, "Anna 4111111111112", 0);
	add(set, "12345678", 0);
	unit_check(
		found_number(set, SDC_LEAK_KEPT, UINT64_C(491715550040) * second) ==
				1 &&
			found_number(set, SDC_LEAK_KEPT, UINT64_C(491715550040)) == 1 &&
			found_number(set, SDC_LEAK_KEPT, UINT64_C(491715550040) * 10) ==
				1 &&
			found_number(set, SDC_LEAK_KEPT, UINT64_C(4111111111111111)) == 1,
		"microseconds, the point anywhere");
	unit_check(
		found_number(set, SDC_LEAK_KEPT, UINT64_C(491715550041)) == 0 &&
			found_number(set, SDC_LEAK_KEPT, UINT64_C(49171555004)) == 0 &&
			found_number(set, SDC_LEAK_KEPT, UINT64_C(1715550040) * second) ==
				0 &&
			found_number(set, SDC_LEAK_KEPT, UINT64_C(4111111111112)) == 0 &&
			found_number(set, SDC_LEAK_KEPT, 12345678) == 0 &&
			found_number(set, SDC_LEAK_KEPT, UINT64_MAX) == 0,
		"not other numbers, short ones, nor a phone at home");
	/* 20,000 of a thousand million, and 200,000 seconds of the same */
	sdc_random_seed(&random, 9, 0);
	for (i = 0; i < 20000; i++)
	{
		sprintf(text, "%d",
				(int) (1000000000 + sdc_random_bits(&random) % 1000000000));
		add(set, text, 0);
	}
	sdc_leak_start(set, SDC_LEAK_KEPT);
	for (i = 0; i < 200000; i++)
		sdc_leak_search_number(
			set, (1000000000 + sdc_random_bits(&random) % 1000000000) * second,
			false);
	unit_check(sdc_leak_met(set) && sdc_leak_found(set) == 0,
			   "four are there by chance");
	sdc_random_seed(&random, 9, 0);
	for (i = 0; i < 100; i++)
		sdc_leak_search_number(
			set, (1000000000 + sdc_random_bits(&random) % 1000000000) * second,
			false);
	unit_check(sdc_leak_found(set) > 50, "a hundred are not");
	/* among neighbours: by chance, but for a time that is none */
	for (i = 0; i < 60; i++)
	{
		sprintf(text, "+49 171 %d", 5560000 + 7 * i);
		add(set, text, SDC_LEAK_PHONE);
	}
	unit_check(found_number(set, SDC_LEAK_KEPT, UINT64_C(491715560049)) == 0,
			   "a number of a sequence may be chance");
	sdc_leak_start(set, SDC_LEAK_KEPT);
	sdc_leak_search(set, "0171 5560049", 12);
	for (i = 0; i < 2; i++)
		sdc_leak_search_number(set, UINT64_C(491715560049), true);
	unit_check(sdc_leak_found(set) == 1, "a sure one is not, and counts once");
	unit_release_all();
}

/* ----------------------------------------------------------------------
 * Against a slow search.
 * ----------------------------------------------------------------------
 */

/* Is the value in the text, letters and digits alone, at borders of words? */
static bool
slow_search(const char *text, const char *value)
{
	size_t from;

	for (from = 0; text[from] != '\0'; from++)
	{
		size_t t = from;
		size_t v = 0;
		bool digits = true;
		bool point;

		if (!isalnum((unsigned char) text[from]))
			continue;
		for (; value[v] != '\0'; v++, t++)
		{
			while (text[t] != '\0' && !isalnum((unsigned char) text[t]))
				t++;
			if (tolower((unsigned char) text[t]) != value[v])
				break;
			digits = digits && isdigit((unsigned char) value[v]);
		}
		if (value[v] != '\0')
			continue;
		point = digits && from > 1 && text[from - 1] == '.' &&
				isdigit((unsigned char) text[from - 2]);
		if (digits
				? (from == 0 || !isdigit((unsigned char) text[from - 1])) &&
					  !point && !isdigit((unsigned char) text[t]) &&
					  !(text[t] == '.' && isdigit((unsigned char) text[t + 1]))
				: (from == 0 || !isalnum((unsigned char) text[from - 1])) &&
					  !isalnum((unsigned char) text[t]))
			return true;
	}
	return false;
}

static void
draw_text(SdcRandom *random, char *text, int length, const char *of)
{
	int i;

	for (i = 0; i < length; i++)
		text[i] = of[sdc_random_bits(random) % strlen(of)];
	text[length] = '\0';
}

static void
check_random(void)
{
	SdcRandom random;
	int other = 0;
	int hits = 0;
	int round;

	sdc_random_seed(&random, 11, 0);
	for (round = 0; round < 500; round++)
	{
		SdcLeakSet *set = sdc_leak_create(unit_host());
		char value[6][16];
		char text[200];
		int expected = 0;
		int i;
		int j;

		draw_text(&random, text, 150, round % 2 ? "ab ,;" : "12 .;+");
		for (i = 0; i < 6; i++)
		{
			/* of five to seven letters, or nine or ten digits */
			draw_text(&random, value[i], round % 2 ? 5 + i % 3 : 9 + i % 2,
					  round % 2 ? "ab" : "12");
			add(set, value[i], 0);
			for (j = 0; j < i && strcmp(value[i], value[j]) != 0; j++)
				;
			expected += j == i && slow_search(text, value[i]);
		}
		hits += expected;
		other += found_in(set, SDC_LEAK_KEPT, text, strlen(text)) != expected;
		unit_release_all();
	}
	unit_check(other == 0, "500 texts as letter by letter, %d differ", other);
	unit_check(hits > 150, "in which %d values are", hits);
}

/* A value wherever the text is cut into parts, and long ones. */
static void
check_long(void)
{
	SdcLeakSet *set = sdc_leak_create(unit_host());
	size_t length = 40000;
	char *text = malloc(length);
	char value[400];
	int missed = 0;
	size_t at;

	memset(value, 'v', 399);
	value[399] = '\0';
	add(set, value, 0);
	add(set, "anna3@web.test", 0);
	/* each place where one of the parts may end, and some between */
	for (at = 0; at < 20000; at += (at + 1000) % 8192 < 2000 ? 3 : 41)
	{
		memset(text, ' ', length);
		memset(text + (at > 500 ? at - 500 : 0), 'y', at > 500 ? 499 : 0);
		memcpy(text + at, "anna3@web.test", 14);
		memset(text + at + 15, 'z', 12000);
		missed += found_in(set, SDC_LEAK_KEPT, text, length) != 1;
	}
	unit_check(missed == 0, "%d missed at a place of a long text", missed);
	check(set, value, 1);
	unit_check(unit_polls() > 0, "polls");
	free(text);
	unit_release_all();
}

int
main(void)
{
	unit_start("leak");
	check_writing();
	check_forms();
	check_ideographs();
	check_spelling();
	check_ways();
	check_bytes();
	check_parts();
	check_signs();
	check_numbers();
	check_drawn();
	check_plain();
	check_random();
	check_long();
	return unit_finish();
}
