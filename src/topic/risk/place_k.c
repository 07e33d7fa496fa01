/*
 * place_k.c
 *		sdc.place_k: how many people each moved place can be of.
 *
 * Both relations are read into arrays; people are counted by the kernel that
 * moves places.
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "utils/array.h"
#include "utils/builtins.h"

#include "host/call/params.h"
#include "host/call/query.h"
#include "host/call/relation.h"
#include "host/data/rows.h"
#include "host/server/compat.h"
#include "host/server/host.h"
#include "host/server/result.h"
#include "kernel/base/host.h"
#include "kernel/mask/donut.h"
#include "topic/registry/roles.h"

PG_FUNCTION_INFO_V1(sdcf_place_k);

/* Places of a relation, as arrays; those that are none are left out. */
typedef struct Places
{
	SdcFrame *frame;
	int32 count;
	int32 *row; /* of the frame */
	double *x;
	double *y;
} Places;

/* SQL of a number of a place: a point, or two columns that are numbers. */
static char *
coordinate_of(const SdcRelation *relation, const SdcRelationColumns *columns,
			  int k)
{
	const SdcRelationColumn *column = columns->column;

	if (columns->count == 1 && column->base == POINTOID)
		return psprintf("(CAST(r.%s AS pg_catalog.point))[%d]", column->sql,
						k);
	if (columns->count != 2)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("argument \"place\" must name a column of type point, "
						"or two of numbers"),
				 errhint("Of a longitude and a latitude, the longitude comes "
						 "first.")));
	sdcpg_relation_need_numbers(relation, columns);
	return psprintf("r.%s", column[k].sql);
}

/* Reads places, and a third column as SQL of a type. */
static Places
read_places(SdcPgHost *host, const SdcRelation *relation, ArrayType *names,
			const char *third, SdcFrameType type, SdcDonutSurface surface)
{
	const SdcFrameType types[] = {SDC_FRAME_NUMBER, SDC_FRAME_NUMBER, type};
	SdcRelationColumns columns =
		sdcpg_relation_columns(relation, "place", names);
	Places places = {0};
	const SdcFrameColumn *number;
	int32 i;

	places.frame = sdcpg_frame_load(
		host,
		psprintf("SELECT %s, %s, %s FROM %s AS r",
				 coordinate_of(relation, &columns, 0),
				 coordinate_of(relation, &columns, 1), third, relation->sql),
		3, types);
	places.row = sdc_new(&host->kernel, int32, places.frame->rows + 1);
	places.x = sdc_new(&host->kernel, double, places.frame->rows + 1);
	places.y = sdc_new(&host->kernel, double, places.frame->rows + 1);
	number = places.frame->column;
	for (i = 0; i < places.frame->rows; i++)
	{
		if (number[0].isnull[i] || number[1].isnull[i])
			continue;
		if (!sdc_donut_is_place(surface, number[0].number[i],
								number[1].number[i]))
			ereport(ERROR,
					(errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
					 errmsg("column \"%s\" of relation \"%s\" has a point "
							"that is no place on the earth",
							columns.column[0].name, relation->name),
					 errdetail("Its first number must be a longitude from "
							   "-180 to 180, the second one a latitude from "
							   "-90 to 90.")));
		places.row[places.count] = i;
		places.x[places.count] = number[0].number[i];
		places.y[places.count++] = number[1].number[i];
	}
	return places;
}

/* The people at the places of a population; NULL is nobody. */
static double *
read_people(SdcPgHost *host, const SdcRelation *relation, const char *name,
			const Places *places)
{
	const SdcFrameColumn *column = &places->frame->column[2];
	double *people = sdc_new(&host->kernel, double, places->count + 1);
	int32 i;

	for (i = 0; i < places->count; i++)
	{
		int32 row = places->row[i];

		people[i] = column->isnull[row] ? 0 : column->number[row];
		if (people[i] < 0)
			ereport(ERROR,
					(errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
					 errmsg("column \"%s\" of relation \"%s\" counts people "
							"and is below 0",
							name, relation->name)));
	}
	return people;
}

static void
put_counts(ReturnSetInfo *result, const Places *places, const double *count)
{
	int32 next = 0;
	int32 i;

	for (i = 0; i < places->frame->rows; i++)
	{
		bool known = next < places->count && places->row[next] == i;
		const SdcFrameColumn *id = &places->frame->column[2];
		bool isnull[2] = {id->isnull[i], !known};
		Datum value[2] = {isnull[0]
							  ? (Datum) 0
							  : CStringGetTextDatum(sdcpg_frame_text(id, i)),
						  Float8GetDatum(known ? count[next] : 0)};

		next += known;
		sdcpg_result_put(result, value, isnull);
	}
}

/*
 * place_k(relation regclass, population regclass, place columns, inner float8,
 *         outer float8, variant text, id name, people name)
 */
Datum
sdcf_place_k(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *result = sdcpg_result_begin(fcinfo);
	SdcRelation *relation;
	SdcRelation *population;
	SdcRelationColumn id;
	SdcRelationColumn people;
	SdcDonutSurface surface;
	SdcDonutPeople of = {0};
	SdcPgHost *host;
	Places moved;
	Places homes;
	double inner;
	double outer;
	double *count;

	sdcpg_args_need_first(fcinfo, 6);
	sdcpg_args_need(fcinfo, 7);
	relation = sdcpg_relation_find(PG_GETARG_OID(0));
	population = sdcpg_relation_find(PG_GETARG_OID(1));
	surface = (SdcDonutSurface) sdcpg_args_choice(
		"variant", PG_GETARG_TEXT_PP(5), sdc_donut_words);
	inner = PG_GETARG_FLOAT8(3);
	outer = PG_GETARG_FLOAT8(4);
	sdcpg_args_range("outer", outer, 0, sdc_donut_reach(surface));
	sdcpg_args_range("inner", inner, 0, outer);
	id = sdcpg_relation_column(
		relation, sdcpg_roles_id_argument(fcinfo, 6, PG_GETARG_OID(0)));
	people = sdcpg_relation_column(population, NameStr(*PG_GETARG_NAME(7)));
	sdcpg_relation_need_numbers(population, &(SdcRelationColumns){1, &people});
	host = sdcpg_host_begin("place_k", CurrentMemoryContext);
	moved =
		read_places(host, relation, PG_GETARG_ARRAYTYPE_P(2),
					sdcpg_query_cast(&id, "text"), SDC_FRAME_TEXT, surface);
	homes =
		read_places(host, population, PG_GETARG_ARRAYTYPE_P(2),
					psprintf("r.%s", people.sql), SDC_FRAME_NUMBER, surface);
	of.places = homes.count;
	of.x = homes.x;
	of.y = homes.y;
	of.people = read_people(host, population, people.name, &homes);
	count = sdc_new(&host->kernel, double, moved.count + 1);
	sdc_donut_count(&host->kernel, surface, inner, outer, &of, moved.count,
					moved.x, moved.y, count);
	put_counts(result, &moved, count);
	sdcpg_host_end(host);
	return (Datum) 0;
}
