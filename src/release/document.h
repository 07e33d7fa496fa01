/*
 * document.h
 *		JSON documents of the history: written piece by piece, and read.
 */
#ifndef SDC_RELEASE_DOCUMENT_H
#define SDC_RELEASE_DOCUMENT_H

#include "postgres.h"

#include "lib/stringinfo.h"
#include "nodes/pg_list.h"
#include "utils/jsonb.h"

/* Starts a document: "{" or "[" is to be opened next. */
extern void sdcpg_document_begin(StringInfo document);

/*
 * Opens an object '{' or an array '['.  key, here and below, is that of the
 * member of the object around it, or NULL in an array and at the top.
 */
extern void sdcpg_document_open(StringInfo document, const char *key,
								char bracket);

/* Closes it; bracket is the one that opened it. */
extern void sdcpg_document_close(StringInfo document, char bracket);

/* Adds a string; null for NULL.  It is in the encoding of the database. */
extern void sdcpg_document_text(StringInfo document, const char *key,
								const char *value);

/* Adds a number: null for what is not finite. */
extern void sdcpg_document_number(StringInfo document, const char *key,
								  double value);

/* Adds a whole number. */
extern void sdcpg_document_integer(StringInfo document, const char *key,
								   int64 value);

/* Adds true or false. */
extern void sdcpg_document_boolean(StringInfo document, const char *key,
								   bool value);

/* Adds a document; null for NULL. */
extern void sdcpg_document_jsonb(StringInfo document, const char *key,
								 Jsonb *value);

/* The document as jsonb. */
extern Jsonb *sdcpg_document_end(StringInfo document);

/* The array, or the object, under a key; NULL when it is absent. */
extern Jsonb *sdcpg_document_part(Jsonb *document, const char *key);

/* The string under a key, or NULL; any other scalar as text. */
extern char *sdcpg_document_string(Jsonb *document, const char *key);

/* The number under a key, or NaN. */
extern double sdcpg_document_float(Jsonb *document, const char *key);

/* Is it true?  Not when it is absent. */
extern bool sdcpg_document_true(Jsonb *document, const char *key);

/* The objects and arrays in an array: Jsonb *.  NULL is an empty one. */
extern List *sdcpg_document_elements(Jsonb *array);

/* The strings in an array: char *.  NULL is an empty one. */
extern List *sdcpg_document_texts(Jsonb *array);

/* The keys of an object: char *, in the order of jsonb. */
extern List *sdcpg_document_keys(Jsonb *object);

#endif
