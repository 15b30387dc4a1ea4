// SPDX-License-Identifier: GPL-2.0
/*
 * JSON, written value by value: see json.h. Called by all tools and by the reports of src/sim and
 * src/trace.
 */
#include "json.h"

#include <inttypes.h>
#include <string.h>

#include "utf8.h"

/* One character at @s of @len bytes. Return: bytes that it takes. */
static size_t escape_one(FILE *to, const char *s, size_t len, enum json_bytes bytes)
{
	unsigned char first = *s;
	uint32_t code = first;
	size_t n = 1;

	if (first >= 0x80 && bytes == JSON_UTF8)
		n = utf8_decode(s, len, &code);
	if (!n || (first >= 0x80 && bytes == JSON_ASCII))
		code = 0xfffd;
	if (code == '"' || code == '\\')
		fprintf(to, "\\%c", (char)code);
	else if (!n || utf8_is_control(code) || (first >= 0x80 && bytes != JSON_UTF8))
		fprintf(to, "\\u%04x", (unsigned int)code);
	else
		fwrite(s, 1, n, to);
	return n ? n : 1;
}

void json_escape(FILE *to, const char *s, size_t len, enum json_bytes bytes)
{
	size_t n;

	for (; len; s += n, len -= n)
		n = escape_one(to, s, len, bytes);
}

FILE *json_raw(struct json *j, const char *key)
{
	if (j->more)
		fputc(',', j->to);
	j->more = true;
	if (key) {
		fputc('"', j->to);
		json_escape(j->to, key, strlen(key), j->bytes);
		fputs("\":", j->to);
	}
	return j->to;
}

void json_open(struct json *j, const char *key, char bracket)
{
	fputc(bracket, json_raw(j, key));
	j->more = false;
}

void json_close(struct json *j, char bracket)
{
	fputc(bracket, j->to);
	j->more = true;
}

void json_u64(struct json *j, const char *key, uint64_t value)
{
	fprintf(json_raw(j, key), "%" PRIu64, value);
}

void json_s64(struct json *j, const char *key, int64_t value)
{
	fprintf(json_raw(j, key), "%" PRId64, value);
}

void json_fixed(struct json *j, const char *key, double value, int places)
{
	fprintf(json_raw(j, key), "%.*f", places, value);
}

void json_bool(struct json *j, const char *key, bool value)
{
	fputs(value ? "true" : "false", json_raw(j, key));
}

void json_text(struct json *j, const char *key, const char *s, size_t len)
{
	fputc('"', json_raw(j, key));
	json_escape(j->to, s, len, j->bytes);
	fputc('"', j->to);
}

void json_string(struct json *j, const char *key, const char *s)
{
	json_text(j, key, s, strlen(s));
}

void json_line(struct json *j)
{
	fputs(j->more ? ",\n" : "\n", j->to);
	j->more = false;
}
