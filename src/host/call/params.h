/*
 * params.h
 *		Arguments, and the argument "params", a JSON object of named settings:
 *		checked, with one clear error each.
 */
#ifndef SDC_HOST_PARAMS_H
#define SDC_HOST_PARAMS_H

#include "postgres.h"

#include "fmgr.h"
#include "nodes/pg_list.h"
#include "utils/jsonb.h"

#include "host/call/relation.h"
#include "host/server/compat.h"

/* What may stand under a key of a JSON object. */
typedef enum SdcKeyType
{
	SDC_KEY_NUMBER,  /* low .. high */
	SDC_KEY_ABOVE,   /* a number above low, up to high */
	SDC_KEY_INTEGER, /* low .. high */
	SDC_KEY_BOOLEAN,
	SDC_KEY_TEXT,
	SDC_KEY_WORD,    /* one of words */
	SDC_KEY_NAMES,   /* a string or an array of strings; low > 1: so many */
	SDC_KEY_DECIMAL, /* a number, or a string that is one */
	SDC_KEY_SCALAR,  /* a string, a number, true, false or null */
	SDC_KEY_NUMBERS, /* an array of numbers, low .. high, at least one */
	SDC_KEY_MATRIX,  /* a square array of arrays of numbers */
	SDC_KEY_OBJECT,
	SDC_KEY_OBJECTS /* an array of objects by column */
} SdcKeyType;

/* Is it one value, an object with such values by column, or either? */
typedef enum SdcKeyShape
{
	SDC_KEY_ONE,
	SDC_KEY_BY_COLUMN,
	SDC_KEY_ONE_OR_BY_COLUMN
} SdcKeyShape;

/*
 * What a key names, in its strings or in the members of its object; or'ed.
 * The members of a key by column are columns, whatever is said here.
 */
typedef enum SdcKeyNames
{
	SDC_NAMES_NOTHING = 0,
	SDC_NAMES_COLUMNS = 1, /* of the relation */
	SDC_NAMES_KEYS = 2,    /* of those that the rule or the attack is about */
	SDC_NAMES_LISTS = 4,   /* several in one string, "a,b" */
	SDC_NAMES_MASKED = 8   /* of the masked table, which may have others */
} SdcKeyNames;

/* A key, what it may be, and what it is when it is absent. */
typedef struct SdcKey
{
	const char *name;
	SdcKeyType type;
	bool needed;
	double low;
	double high;
	const char *const *words; /* the first is the default */
	const char *absent;       /* the default as text; NULL: none */
	SdcKeyShape shape;
	int names; /* SdcKeyNames */
	/*
	 * Stops when nothing has the name that a string under the key is, of an
	 * object the values of its members; NULL: strings are no names.
	 */
	void (*need)(const char *name);
} SdcKey;

/*
 * Stops unless an object has no other keys than those listed, all that are
 * needed, and under each what it may be.  The list ends with a name that is
 * NULL.  place and owner are for the error: "the rule of \"age\"" has the
 * keys of "Method \"pram\"".  The key "method" is left to its reader.
 */
extern void sdcpg_keys_check(Jsonb *object, const SdcKey *keys,
							 const char *place, const char *owner);

/*
 * Stops unless the argument "params", which may be NULL, has no other keys
 * than those listed, and under each what it may be.  Names of columns are left
 * to sdcpg_keys_check_columns.
 */
extern void sdcpg_params_check_keys(Jsonb *params, const SdcKey *keys);

/* Stops unless params, which may be NULL, has all keys that are needed. */
extern void sdcpg_params_need_keys(Jsonb *params, const SdcKey *keys);

/*
 * Stops where an object, which may be NULL and whose keys have been checked,
 * names what is not a column of the relation, or under SDC_NAMES_KEYS none of
 * about; of about NULL or without columns these are all columns.  Under
 * SDC_NAMES_MASKED it only warns.  place is for the error, as above.
 */
extern void sdcpg_keys_check_columns(Jsonb *object, const SdcKey *keys,
									 const SdcRelation *relation,
									 const SdcRelationColumns *about,
									 const char *place);

/*
 * Stops where the object, which may be NULL and whose keys have been checked,
 * names what is not there, as the need of the key tells.
 */
extern void sdcpg_keys_check_names(Jsonb *object, const SdcKey *keys,
								   const char *place);

/*
 * What params says under a key of a list, which must have it, or the default:
 * a number (NaN when there is no default), a whole number (0), true or false
 * (false), the place of a word (0).
 */
extern double sdcpg_keys_number(const SdcKey *keys, Jsonb *params,
								const char *name);
extern int64 sdcpg_keys_integer(const SdcKey *keys, Jsonb *params,
								const char *name);
extern bool sdcpg_keys_boolean(const SdcKey *keys, Jsonb *params,
							   const char *name);
extern int sdcpg_keys_choice(const SdcKey *keys, Jsonb *params,
							 const char *name);

/* The key of that name; NULL when there is none. */
extern const SdcKey *sdcpg_keys_find(const SdcKey *keys, const char *name,
									 int length);

/*
 * Stops when what lies under a key is not an object, or one with a member that
 * is not the name of one of the columns.  With plain, a string may stand in
 * place of the object (see sdcpg_params_member).
 */
extern void sdcpg_params_members_check(Jsonb *params, const char *key,
									   const SdcRelationColumns *columns,
									   bool plain);

/* A number between low and high; absent is the default. */
extern double sdcpg_params_member_number(Jsonb *params, const char *key,
										 const char *member, double absent,
										 double low, double high);

/*
 * A range [first, last] of whole numbers from 0, or one number that is both.
 * False when there is none.
 */
extern bool sdcpg_params_member_range(Jsonb *params, const char *key,
									  const char *member, int *first,
									  int *last);

/* Is the key there, whatever its value? */
extern bool sdcpg_params_has(Jsonb *params, const char *key);

/* Are two documents equal?  NULL is equal to NULL only. */
extern bool sdcpg_params_same(Jsonb *a, Jsonb *b);

/* The same of two words. */
extern bool sdcpg_params_same_word(const char *a, const char *b);

/*
 * The strings (char *) of an array under a key, or the one string there; NIL
 * when the key is absent.  An empty array stops with an error.
 */
extern List *sdcpg_params_names(Jsonb *params, const char *key);

/*
 * The next name of a list with commas, "age, sex", without the blanks around
 * it; NULL at the end.  *rest is the rest of the list, which is written to.
 */
extern char *sdcpg_params_next_name(char **rest);

/*
 * What the object under a key renames a name to; the name itself when it says
 * nothing of it.
 */
extern const char *sdcpg_params_renamed(Jsonb *params, const char *key,
										const char *name);

/* Stops when the object under a key renames what is not in a list of names. */
extern void sdcpg_params_check_renaming(Jsonb *params, const char *key,
										List *names);

/* Is a name among those of a list of strings? */
extern bool sdcpg_params_is_listed(List *names, const char *name);

/* Stops because the value of a key is not what it must be. */
pg_noreturn extern void sdcpg_params_wrong(const char *key, const char *what);

/* The value of a key; false when it is absent. */
extern bool sdcpg_params_find(Jsonb *params, const char *key,
							  JsonbValue *value);

/*
 * Stops unless params is NULL or an object with no other keys than those
 * listed; the list ends with NULL.
 */
extern void sdcpg_params_check(Jsonb *params, const char *const *keys);

/* The same of another argument, which the error names. */
extern void sdcpg_params_check_argument(const char *argument, Jsonb *params,
										const char *const *keys);

/* A whole number between low and high; absent is the default. */
extern int64 sdcpg_params_integer(Jsonb *params, const char *key, int64 absent,
								  int64 low, int64 high);

/* A number between low and high; absent is the default. */
extern double sdcpg_params_number(Jsonb *params, const char *key,
								  double absent, double low, double high);

/* True or false; absent is the default. */
extern bool sdcpg_params_boolean(Jsonb *params, const char *key, bool absent);

/* A string; NULL when the key is absent. */
extern char *sdcpg_params_text(Jsonb *params, const char *key);

/*
 * A string, a number, true or false as a text; NULL for null and when the key
 * is absent.
 */
extern char *sdcpg_params_scalar(Jsonb *params, const char *key);

/*
 * The same of a member of an object: params is {key: {member: "string"}}.  A
 * plain string instead of the object holds for every member.
 */
extern char *sdcpg_params_member(Jsonb *params, const char *key,
								 const char *member);

/* The relation that a key names, or NULL. */
extern SdcRelation *sdcpg_params_relation(Jsonb *params, const char *key);

/* The object under a key; NULL when it is absent. */
extern Jsonb *sdcpg_params_object(Jsonb *params, const char *key);

/* The position of a word in a list that ends with NULL; absent is 0. */
extern int sdcpg_params_choice(Jsonb *params, const char *key,
							   const char *const *choices);

/* ----------------------------------------------------------------------
 * Checks of arguments: one clear error each, with the argument's name.
 * ----------------------------------------------------------------------
 */

/* Stops because the named argument is NULL. */
pg_noreturn extern void sdcpg_args_null(const char *argument);

/*
 * The name of an argument, counted from 0, of the function that is called: the
 * one that SQL gives it; "$1" where it gives none.
 */
extern char *sdcpg_args_name(FunctionCallInfo fcinfo, int argument);

/* Stops when an argument of the function that is called is NULL. */
extern void sdcpg_args_need(FunctionCallInfo fcinfo, int argument);

/* Stops when one of its first arguments is. */
extern void sdcpg_args_need_first(FunctionCallInfo fcinfo, int count);

/* A text argument, which must not be NULL. */
extern char *sdcpg_args_text(FunctionCallInfo fcinfo, int argument);

/* Stops unless low <= value <= high; NaN never is. */
extern void sdcpg_args_range(const char *argument, double value, double low,
							 double high);

/*
 * The position of a word in a list that ends with NULL; any other word stops
 * with a hint that lists the valid ones.
 */
extern int sdcpg_args_choice(const char *argument, const text *word,
							 const char *const *choices);

/*
 * Stops unless the partition or table has at least k rows to work on; none
 * at all is fine, for then there is nothing to do.
 */
extern void sdcpg_args_group_size(int32 k, int64 rows);

/* Stops unless the value is a finite number. */
extern void sdcpg_args_finite(double value);

/* Stops because a masked value would leave the range of float8. */
extern void sdcpg_args_result_finite(double value);

#endif
