/* SPDX-License-Identifier: GPL-2.0 */
/*
 * JSON, written value by value: the writer knows where commas go and what must be escaped. No
 * memory, no check that the nesting is right: each json_open() wants its json_close(). One thread
 * per struct json.
 */
#ifndef TOOLS_JSON_H
#define TOOLS_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/**
 * enum json_bytes - what bytes beyond ASCII are in strings
 * @JSON_UTF8: UTF-8, written as it is; a byte that is none becomes U+FFFD
 * @JSON_LATIN1: characters U+0080 to U+00FF
 * @JSON_ASCII: never expected; each byte becomes U+FFFD
 */
enum json_bytes { JSON_UTF8, JSON_LATIN1, JSON_ASCII };

/**
 * struct json - JSON being written
 * @to: where to
 * @bytes: what strings are made of
 * @more: a comma goes ahead of the next value; the writer's own, zero at first
 */
struct json {
	FILE *to;
	enum json_bytes bytes;
	bool more;
};

/** json_escape() - what stands between a string's quotes */
void json_escape(FILE *to, const char *s, size_t len, enum json_bytes bytes);

/*
 * Each of these writes one value, with a comma ahead where one is due. @key: its name in an object;
 * NULL in an array and at the top.
 */

/** json_raw() - begin a value that the caller writes itself to what is returned */
FILE *json_raw(struct json *j, const char *key);
/** json_open() - begin an object or array; @bracket: '{' or '[' */
void json_open(struct json *j, const char *key, char bracket);
/** json_close() - end it; @bracket: '}' or ']' */
void json_close(struct json *j, char bracket);
void json_u64(struct json *j, const char *key, uint64_t value);
void json_s64(struct json *j, const char *key, int64_t value);
/** json_fixed() - a number with @places decimal places */
void json_fixed(struct json *j, const char *key, double value, int places);
void json_bool(struct json *j, const char *key, bool value);
/** json_text() - a string of @len bytes */
void json_text(struct json *j, const char *key, const char *s, size_t len);
/** json_string() - a string that ends with a NUL */
void json_string(struct json *j, const char *key, const char *s);

/** json_line() - the next value begins on a line of its own */
void json_line(struct json *j);

#endif
