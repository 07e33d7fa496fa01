/*
 * subject.c
 *		What a row of a report is about, written as JSON.
 *
 * JSON, and not a list in words, because values may hold any character.
 */
#include "postgres.h"

#include "utils/json.h"

#include "pg/data/subject.h"

void
sdcpg_subject_write(StringInfo text, int columns, const char *const *name,
					SdcDictionary *const *dictionary,
					const SdcFrequency *frequency, int32 cell)
{
	int j;

	resetStringInfo(text);
	appendStringInfoChar(text, '{');
	for (j = 0; j < columns; j++)
	{
		char *value =
			sdcpg_dictionary_text(dictionary[j], frequency->code[j][cell]);

		if (j > 0)
			appendStringInfoString(text, ", ");
		escape_json(text, name[j]);
		appendStringInfoString(text, ": ");
		if (value == NULL)
			appendStringInfoString(text, "null");
		else
			escape_json(text, value);
	}
	appendStringInfoChar(text, '}');
}
