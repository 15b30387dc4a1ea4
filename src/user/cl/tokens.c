// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Cuts a source into tokens, as a compiler would before it looks at any: lines that go on are joined, comments
 * and blanks left out. scan.c calls it. It keeps nothing.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "scan.h"

/* Return: the last character of the line's end at @at, which may be LF, CR LF or CR; NULL: there is none */
static const char *line_end(const char *at)
{
	return *at == '\n' ? at : *at == '\r' ? at + (at[1] == '\n') : NULL;
}

/**
 * scan_spliced() - a copy whose lines end in LF, without continued lines; NULL: out of memory
 *
 * Blanks behind the backslash are nothing.
 * What was a line number stays one: each line that is joined is made up for.
 */
char *scan_spliced(const char *text)
{
	char *copy = malloc(2 * strlen(text) + 1), *to = copy;
	unsigned int joined = 0;
	const char *end;

	for (; copy && *text; text++) {
		end = *text == '\\' ? line_end(text + 1 + strspn(text + 1, " \t\v\f")) : NULL;
		if (end) {
			text = end;
			joined++;
			continue;
		}
		end = line_end(text);
		*to++ = end ? '\n' : *text;
		for (; end && joined; joined--)
			*to++ = '\n';
		text = end ? end : text;
	}
	if (copy)
		*to = '\0';
	return copy;
}

static bool in_name(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '$';
}

/* @at: a quote. Return: behind its end, or the line's */
static const char *quoted(const char *at)
{
	const char quote = *at++;

	while (*at && *at != quote && *at != '\n')
		at += at[0] == '\\' && at[1] ? 2 : 1;
	return at + (*at == quote);
}

/* Return: behind the number that begins here */
static const char *number(const char *at)
{
	while (in_name(*at) || *at == '.' || ((*at == '+' || *at == '-') && strchr("eEpP", at[-1])))
		at++;
	return at;
}

/* Return: behind blanks and comments; *@newline: a line ended there */
static const char *blanks(const char *at, bool *newline)
{
	const char *end;

	for (*newline = false;;) {
		if (at[0] == '/' && at[1] == '/') {
			at += strcspn(at, "\n");
		} else if (at[0] == '/' && at[1] == '*') {
			end = strstr(at + 2, "*/");
			at = end ? end + 2 : at + strlen(at);
		} else if (*at == '\n') {
			*newline = true;
			return at + 1;
		} else if (isspace((unsigned char)*at)) {
			at++;
		} else {
			return at;
		}
	}
}

static bool add(struct scan *s, const char *from, const char *to, enum token_kind kind)
{
	struct token *more;

	if (s->nr % 1024 == 0) {
		more = realloc(s->tokens, (s->nr + 1024) * sizeof(*more));
		if (!more)
			return false;
		s->tokens = more;
	}
	s->tokens[s->nr++] = (struct token){ .at = from, .length = (uint32_t)(to - from), .kind = kind };
	return true;
}

/** scan_tokenize() - cut @s's text. Return: false: out of memory */
bool scan_tokenize(struct scan *s)
{
	bool directive = false, begins = true, newline, room = true;
	const char *at = s->text, *end;
	enum token_kind kind;

	while (room) {
		at = blanks(at, &newline);
		if (newline || !*at) {
			if (directive)
				room = add(s, at, at, TOKEN_END);
			directive = false;
			begins = true;
			if (!*at)
				break;
			continue;
		}
		if (isdigit((unsigned char)*at) || (*at == '.' && isdigit((unsigned char)at[1]))) {
			end = number(at + 1);
			kind = TOKEN_VALUE;
		} else if (in_name(*at)) {
			for (end = at; in_name(*end); end++)
				;
			kind = TOKEN_NAME;
		} else if (*at == '"' || *at == '\'') {
			end = quoted(at);
			kind = TOKEN_VALUE;
		} else {
			end = at + 1;
			kind = *at == '#' && begins ? TOKEN_HASH : TOKEN_MARK;
			directive |= kind == TOKEN_HASH;
		}
		begins = false;
		room = room && add(s, at, end, kind);
		at = end;
	}
	return room;
}

/** scan_is() - is this token there, and @text? */
bool scan_is(const struct scan *s, uint32_t token, const char *text)
{
	return token < s->nr && s->tokens[token].length == strlen(text) &&
	       !strncmp(s->tokens[token].at, text, s->tokens[token].length);
}
