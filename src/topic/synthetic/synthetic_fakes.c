/*
 * synthetic_fakes.c
 *		Columns of synthetic records that hold names, addresses and texts.
 *
 * Such values hardly repeat and cannot be drawn from the originals.  A record
 * has random bits of its own instead, and the fakes of a mask are made of
 * them (topic/mask/fake.c): all of one record are of one person who is nobody.
 * Nothing of the original is in them, but for the sex, where that is drawn.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"
#include "utils/jsonb.h"
#include "utils/lsyscache.h"

#include "host/call/params.h"
#include "host/data/dictionary.h"
#include "kernel/base/random.h"
#include "kernel/mask/fake.h"
#include "topic/mask/pseudonym.h"
#include "topic/synthetic/synthetic_private.h"

/* Characters of a text of unlimited length at the most. */
#define TEXT_CHARACTERS 64

struct SdcSyntheticFake
{
	SdcFaker faker;
	Oid base;
	int32 modifier;
	int size; /* characters at the most; 0: any */
};

static bool
is_text(Oid base)
{
	return base == TEXTOID || base == VARCHAROID || base == BPCHAROID;
}

static SdcSyntheticFake *
make_fake(const SdcSynthesis *synthesis, const SdcRelationColumn *column,
		  SdcFakeKind kind)
{
	SdcSyntheticFake *fake = palloc0(sizeof(SdcSyntheticFake));
	Oid type;
	Oid collation;

	get_atttypetypmodcoll(synthesis->relation->oid, column->number, &type,
						  &fake->modifier, &collation);
	fake->base = getBaseTypeAndTypmod(type, &fake->modifier);
	if (!is_text(fake->base))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("key \"fakes\" in argument \"params\" names \"%s\", "
						"which is not a text",
						column->name)));
	if (fake->modifier >= (int32) VARHDRSZ)
		fake->size = fake->modifier - (int32) VARHDRSZ;
	fake->faker.kind = kind;
	fake->faker.locale = (SdcFakeLocale) sdcpg_params_choice(
		synthesis->params, "locale", sdc_fake_locales);
	sdcpg_faker_need(&fake->faker);
	fake->faker.lists = sdcpg_fake_lists(fake->faker.locale);
	return fake;
}

SdcSyntheticFake *
sdcpg_synthetic_fake(const SdcSynthesis *synthesis,
					 const SdcRelationColumn *column)
{
	Jsonb *fakes = sdcpg_params_object(synthesis->params, "fakes");
	JsonbValue value;

	if (!sdcpg_params_find(fakes, column->name, &value))
		return NULL;
	if (value.type != jbvString)
		sdcpg_params_wrong("fakes", "an object of kinds of fakes by column");
	return make_fake(synthesis, column,
					 (SdcFakeKind) sdcpg_args_choice(
						 "kind",
						 cstring_to_text_with_len(value.val.string.val,
												  value.val.string.len),
						 sdc_fake_words));
}

/* The sex that a value of a column stands for. */
static SdcFakeSex
sex_of_value(const SdcRelationColumn *column, Datum value)
{
	Datum word = value;

	if (!is_text(column->base))
		word = CStringGetTextDatum(
			DatumGetCString(DirectFunctionCall1(enum_out, value)));
	if (column->base == BPCHAROID)
		word = DirectFunctionCall1(rtrim1, word);
	return sdcpg_fake_sex(DatumGetTextPP(word));
}

/* The sex of each code of the column that params.sex names. */
static void
read_sexes(SdcSynthesis *synthesis)
{
	char *name = sdcpg_params_text(synthesis->params, "sex");
	const SdcRelationColumn *column = NULL;
	int32 values;
	int32 c;
	int j;

	synthesis->sex_column = -1;
	for (j = 0; name != NULL && j < synthesis->visited.count; j++)
		if (strcmp(synthesis->visited.column[j].name, name) == 0)
		{
			column = &synthesis->visited.column[j];
			synthesis->sex_column = j;
		}
	if (name == NULL || (column == NULL && synthesis->related))
		return;
	if (column == NULL ||
		!(is_text(column->base) || type_is_enum(column->base)))
		sdcpg_params_wrong("sex", "a text or an enum that is drawn");
	values = synthesis->column[synthesis->sex_column].values;
	synthesis->sex = palloc(sizeof(SdcFakeSex) * (values + 1));
	for (c = 0; c < values; c++)
		synthesis->sex[c] = sex_of_value(
			column, sdcpg_dictionary_value(
						synthesis->dictionary[synthesis->sex_column], c));
}

/* Is a name that of a column of fakes in one of the tables? */
static bool
is_faked(List *tables, const char *name)
{
	ListCell *cell;
	int j;

	foreach (cell, tables)
	{
		const SdcSynthesis *synthesis = lfirst(cell);

		for (j = 0; j < synthesis->all.count; j++)
			if (synthesis->fake[j] != NULL &&
				strcmp(synthesis->all.column[j].name, name) == 0)
				return true;
	}
	return false;
}

void
sdcpg_synthetic_fakes_check(Jsonb *params, List *tables)
{
	Jsonb *fakes = sdcpg_params_object(params, "fakes");
	JsonbIterator *iterator;
	JsonbIteratorToken token;
	JsonbValue value;

	if (fakes == NULL)
		return;
	iterator = JsonbIteratorInit(&fakes->root);
	while ((token = JsonbIteratorNext(&iterator, &value, true)) != WJB_DONE)
	{
		char *name;

		if (token != WJB_KEY)
			continue;
		name = pnstrdup(value.val.string.val, value.val.string.len);
		if (!is_faked(tables, name))
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("key \"fakes\" in argument \"params\" names "
							"\"%s\", which is not a column that is made",
							name)));
	}
}

void
sdcpg_synthetic_fakes_begin(SdcSynthesis *synthesis)
{
	int j;

	synthesis->has_fakes = false;
	for (j = 0; j < synthesis->all.count; j++)
		if (synthesis->fake[j] != NULL)
			synthesis->has_fakes = true;
	if (synthesis->has_fakes)
		read_sexes(synthesis);
}

void
sdcpg_synthetic_fakes_next(SdcSynthesis *synthesis, int32 i)
{
	int k;

	if (!synthesis->has_fakes)
		return;
	for (k = 0; k < lengthof(synthesis->person); k++)
		synthesis->person[k] = sdc_random_bits(&synthesis->random);
	synthesis->person_sex = SDC_FAKE_ANY;
	if (synthesis->sex_column >= 0 && synthesis->records != NULL)
	{
		int32 code = synthesis->records->code[synthesis->sex_column][i];

		if (code >= 0)
			synthesis->person_sex = synthesis->sex[code];
	}
}

Datum
sdcpg_synthetic_fake_value(const SdcSynthesis *synthesis,
						   const SdcSyntheticFake *fake)
{
	uint64 group = (uint64) sdc_fake_group(fake->faker.kind);
	uint64_t hash[4];
	int size = fake->size;
	text *made;
	int k;

	for (k = 0; k < 4; k++)
		hash[k] = sdc_random_mix(synthesis->person[k] ^
								 sdc_random_mix(4 * group + (uint64) k));
	if (fake->faker.kind == SDC_FAKE_TEXT)
		size = 1 + (int) (sdc_random_mix(hash[0]) %
						  (uint64) (size > 0 ? Min(size, TEXT_CHARACTERS)
											 : TEXT_CHARACTERS));
	made = sdcpg_fake_drawn(&fake->faker, synthesis->person_sex, hash, size);
	if (fake->base == BPCHAROID && fake->modifier >= 0)
		return DirectFunctionCall3(bpchar, PointerGetDatum(made),
								   Int32GetDatum(fake->modifier),
								   BoolGetDatum(true));
	return PointerGetDatum(made);
}

char *
sdcpg_synthetic_fake_says(const SdcSyntheticFake *fake)
{
	return psprintf("A fake of kind %s, locale %s, for each record; nothing "
					"of the original is in it.",
					sdc_fake_words[fake->faker.kind],
					sdc_fake_locales[fake->faker.locale]);
}
