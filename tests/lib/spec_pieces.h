/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The pieces of a specification's line, for the oracle (spec_oracle.c): it cuts them, and judges single
 * words, numbers and addresses.
 *
 * Every line is copied twice. `s` is the line with each control byte turned into BAD. `m` is
 * the same with each quote turned into QUOTE and each byte between two quotes into INNER, so
 * that libc's span functions can cut it at : and , without knowing about quotes.
 */
#ifndef TESTS_SPEC_PIECES_H
#define TESTS_SPEC_PIECES_H

#include <errno.h>
#include <regex.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define GOOD	((size_t)-1)
#define BAD	'\1'
#define QUOTE	'\2'
#define INNER	'\3'
#define BLANKS	" \t"
#define WORD_END	BLANKS ":,\1\2"

struct piece {
	size_t from, to;
};

struct line {
	char *s, *m;
	size_t end;		/* where the comment begins, or the line's length */
	size_t bad;		/* leftmost byte that was blamed, or GOOD */
};

static void *must(void *memory)
{
	if (!memory) {
		perror("spec oracle");
		exit(1);
	}
	return memory;
}

static void blame(struct line *l, size_t at)
{
	if (at < l->bad)
		l->bad = at;
}

static char *cut(const char *s, struct piece p, size_t max)
{
	size_t n = p.to - p.from;

	return must(strndup(s + p.from, n < max ? n : max));
}

/* Makes the two copies, finds the comment, pairs the quotes. */
static void line_open(struct line *l, const char *text, size_t len)
{
	size_t i;
	char *close;

	l->s = must(malloc(len + 1));
	l->bad = GOOD;
	for (i = 0; i < len; i++) {
		unsigned char c = text[i];

		if ((c < ' ' && c != '\t') || c == 127) {
			c = BAD;
			blame(l, i);
		}
		l->s[i] = c;
	}
	l->s[len] = '\0';
	l->m = must(strdup(l->s));
	for (i = strcspn(l->s, "\"#"); l->s[i] == '"'; i += strcspn(l->s + i, "\"#")) {
		close = strchr(l->s + i + 1, '"');
		if (!close) {
			blame(l, i);
			l->m[i++] = QUOTE;
			memset(l->m + i, INNER, len - i);
			i = len;
			break;
		}
		memset(l->m + i, INNER, close - (l->s + i));
		l->m[i] = QUOTE;
		i = close - l->s;
		l->m[i++] = QUOTE;
	}
	l->end = i;
	l->s[i] = '\0';
	l->m[i] = '\0';
}

static void line_close(struct line *l)
{
	free(l->s);
	free(l->m);
}

/* Cuts a piece at every @sep; says how many pieces there are, of which @max are written. */
static int split(const struct line *l, struct piece whole, char sep, struct piece *out, int max)
{
	const char cutters[] = { sep, '\0' };
	int n = 0;

	for (;;) {
		size_t to = whole.from + strcspn(l->m + whole.from, cutters);

		if (to > whole.to)
			to = whole.to;
		if (n < max)
			out[n] = (struct piece){ whole.from, to };
		n++;
		if (to == whole.to)
			return n;
		whole.from = to + 1;
	}
}

static size_t past_blanks(const struct line *l, size_t at)
{
	return at + strspn(l->s + at, BLANKS);
}

/* Blames what stands between the end of a word and the end of its piece. */
static void nothing_but_blanks(struct line *l, size_t from, size_t to)
{
	from = past_blanks(l, from);
	if (from < to)
		blame(l, from);
}

/* The one bare word of a piece. */
static struct piece word(struct line *l, struct piece p)
{
	struct piece w;

	w.from = past_blanks(l, p.from);
	w.to = w.from + strcspn(l->m + w.from, WORD_END);
	if (w.from == w.to)
		blame(l, w.from);
	nothing_but_blanks(l, w.to, p.to);
	return w;
}

/* The value, bare or quoted, that has to begin where @p does and to fill it. */
static struct piece value(struct line *l, struct piece p)
{
	struct piece v = p;
	char *close;

	if (l->m[p.from] != QUOTE) {
		v.to = v.from + strcspn(l->m + v.from, WORD_END);
		nothing_but_blanks(l, v.to, p.to);
	} else {
		v.from++;
		close = strchr(l->m + v.from, QUOTE);
		if (!close)
			return v;	/* its quote is blamed already */
		v.to = close - l->m;
		nothing_but_blanks(l, v.to + 1, p.to);
	}
	if (v.from == v.to)
		blame(l, v.to);
	return v;
}

static bool same(const struct line *l, struct piece p, const char *literal)
{
	return p.to - p.from == strlen(literal) &&
	       strncmp(l->s + p.from, literal, p.to - p.from) == 0;
}

static bool one_of(const struct line *l, struct piece p, const char *const *literals)
{
	while (*literals && !same(l, p, *literals))
		literals++;
	return *literals;
}

static bool number(struct line *l, struct piece p, unsigned long long lo, unsigned long long hi,
		   unsigned long long *out)
{
	size_t digits = strspn(l->s + p.from, "0123456789");

	if (p.from == p.to)
		return false;	/* blamed by word() or value() */
	if (p.from + digits < p.to) {
		blame(l, p.from + digits);
		return false;
	}
	errno = 0;
	*out = strtoull(l->s + p.from, NULL, 10);
	if (errno || *out < lo || *out > hi) {
		blame(l, p.from);
		return false;
	}
	return true;
}

static bool time_us(struct line *l, struct piece p, unsigned long long lo, unsigned long long hi,
		    unsigned long long *out)
{
	static const char *const units[] = { "us", "ms", "s" };
	static const int places[] = { 0, 3, 6 };
	size_t from = p.to, n = strspn(l->s + p.from, "0123456789"), fraction = 0;
	struct piece u = { p.from + n, p.to };
	long double value, scale = 1;
	int i;

	if (p.from == p.to)
		return false;
	if (n && l->s[u.from] == '.') {
		from = u.from + 1;
		fraction = strspn(l->s + from, "0123456789");
		u.from = from + fraction;
	}
	if (!n || (u.from > p.from + n && (!fraction || u.from == u.to))) {
		blame(l, u.from);
		return false;
	}
	for (i = 0; i < 3 && u.from < u.to && !same(l, u, units[i]); i++)
		;
	if (i == 3) {
		blame(l, u.from);
		return false;
	}
	for (n = u.from < u.to ? places[i] : 0; n; n--)
		scale *= 10;
	value = strtold(l->s + p.from, NULL) * scale + 0.5L;
	for (n = u.from < u.to ? places[i] : 0; n < fraction; n++)
		if (l->s[from + n] != '0')
			value = -1;
	if (value < 0 || value >= hi + 1.5L || (unsigned long long)value < lo ||
	    (unsigned long long)value > hi) {
		blame(l, p.from);
		return false;
	}
	*out = value;
	return true;
}

static void size(struct line *l, struct piece p)
{
	static const char units[] = "KMG";
	unsigned long long unit = 1, bytes;
	const char *u = p.from < p.to ? strchr(units, l->s[p.to - 1]) : NULL;

	if (u && p.to - p.from > 1) {
		unit = 1ULL << 10 * (u - units + 1);
		p.to--;
	}
	number(l, p, 1, (1ULL << 40) / unit, &bytes);
}

/* How many bytes at @s are a PCI address, which goes to @to in one form; 0: none. */
static size_t address(const char *s, char to[32])
{
	static regex_t form;
	static bool made;
	regmatch_t m[3];

	if (!made && regcomp(&form, "^(([[:xdigit:]]{4,8}):)?[[:xdigit:]]{2}:[01][[:xdigit:]]\\.[0-7]",
			     REG_EXTENDED))
		exit(1);
	made = true;
	if (regexec(&form, s, 3, m, 0))
		return 0;
	snprintf(to, 32, "%lx %lx %lx%c", m[2].rm_so < 0 ? 0 : strtoul(s, NULL, 16),
		 strtoul(s + m[0].rm_eo - 7, NULL, 16), strtoul(s + m[0].rm_eo - 4, NULL, 16),
		 s[m[0].rm_eo - 1]);
	return m[0].rm_eo;
}

/* Hides the colons of addresses without quotes, ahead of the first colon that cuts the line. */
static void hide_colons(struct line *l)
{
	size_t at = past_blanks(l, 0), n;
	char number[32];

	while (at < l->end && l->m[at] != ':') {
		n = strncmp(l->m + at, "gpu=", 4) ? 0 : address(l->m + at + 4, number);
		if (n && strchr(WORD_END, l->m[at + 4 + n]))
			memset(l->m + at + 4, INNER, n);
		at = past_blanks(l, at + strcspn(l->m + at, BLANKS ":"));
	}
}

#endif
