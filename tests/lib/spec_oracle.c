// SPDX-License-Identifier: GPL-2.0
/*
 * The oracle for specifications, written from docs/spec-format.md alone. Called by the tests. Which
 * policies and knobs there are it reads from the core's tables.
 *
 * It works the other way round than the parser: it cuts a line into pieces first, judges each
 * piece by itself, blames every byte that it does not like, in any order, and takes the
 * leftmost of them at the end. What the parser gets by reading in order must come out of this
 * without order.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tg/policy.h>
#include "spec_oracle.h"
#include "spec_pieces.h"

enum { NAME, SCHED, RESV, PRIO, CAP, PERIOD, OPTIONS, FIELDS };

#define NAMES	6
#define KERNEL	4
#define GPU	5
static const char kinds[] = "peuckg";	/* plain, exe, uid, cgroup, kernel, gpu */

struct entry {
	bool vgpu;		/* [vgpu], named pattern[0] */
	char setting;		/* 'p': policy, 'k': knob, else 0 */
	const void *sets;	/* that policy, or that knob's row in its table */
	char *pattern[NAMES];	/* by `kinds`; NULL: none */
	char *reserve;		/* NULL: none */
	bool background, guarantee;
	char resv[4];
	unsigned long long cap, period;
	unsigned long long share[3];
	size_t at[FIELDS];	/* where the words of the fields begin */
};

static bool has_name(const struct entry *e)
{
	int i;

	for (i = 0; i < GPU && !e->pattern[i]; i++)
		;
	return i < GPU;
}

/* The value of gpu= */
static void gpu(struct line *l, struct piece v, struct entry *e)
{
	char number[32] = "";

	if (address(l->s + v.from, number) != v.to - v.from)
		blame(l, v.from);
	e->pattern[GPU] = must(strdup(number));
}

/* One name, or a glob with its word. */
static void one_name(struct line *l, struct piece p, struct entry *e)
{
	static const char *const words[] = { "exe", "uid", "cgroup", "kernel", "gpu", NULL };
	struct piece w, v;
	size_t good;
	char kind = 'p', **pattern;

	w.from = p.from;
	w.to = p.from + strcspn(l->m + p.from, WORD_END "=");
	if (l->m[w.to] == '=') {
		if (!one_of(l, w, words)) {
			blame(l, w.from);
			return;
		}
		kind = l->s[w.from];
		p.from = w.to + 1;
	}
	pattern = &e->pattern[strchr(kinds, kind) - kinds];
	if (*pattern || (e->pattern[KERNEL] && kind != 'g') || (kind == 'k' && has_name(e))) {
		blame(l, w.from);
		return;
	}
	v = value(l, p);
	if (kind == 'g') {
		gpu(l, v, e);
		return;
	}
	*pattern = cut(l->s, v, kind == 'p' ? 15 : 255);
	if (v.to - v.from > 255)
		blame(l, v.from + 255);
	switch (kind) {
	case 'p':
	case 'k':
		good = strcspn(l->s + v.from, "*?");
		break;
	case 'u':
		good = strspn(l->s + v.from, "*?0123456789");
		break;
	default:
		good = v.from == v.to || strchr("*?/", l->s[v.from]) ? v.to - v.from : 0;
	}
	if (v.from + good < v.to)
		blame(l, v.from + good);
}

/* Names and globs, with blanks between them. */
static void name_field(struct line *l, struct piece p, struct entry *e)
{
	struct piece one = { past_blanks(l, p.from), 0 };

	e->at[NAME] = one.from;
	do {
		one.to = one.from + strcspn(l->m + one.from, BLANKS);
		if (one.to > p.to)
			one.to = p.to;
		one_name(l, one, e);
		one.from = past_blanks(l, one.to);
	} while (one.from < p.to);
}

static void options_field(struct line *l, struct piece p, struct entry *e)
{
	static const char *const keys[] = { "reserve", "weight", "depth", "vgpu", "mem", NULL };
	struct piece option[6];		/* the sixth is unknown or repeated */
	char seen[6] = "";
	unsigned long long n;
	int i, count;

	count = split(l, p, ',', option, 6);
	for (i = 0; i < count && i < 6; i++) {
		struct piece k, v;

		k.from = past_blanks(l, option[i].from);
		k.to = k.from + strcspn(l->m + k.from, WORD_END "=");
		if (!one_of(l, k, keys) || strchr(seen, l->s[k.from])) {
			blame(l, k.from);
			return;
		}
		seen[i] = l->s[k.from];	/* the keys differ in it */
		if (l->s[k.from] == 'r' ? e->background : !!e->pattern[KERNEL])
			blame(l, k.from);
		if (l->m[k.to] != '=') {
			blame(l, k.to);
			return;
		}
		v = value(l, (struct piece){ k.to + 1, option[i].to });
		if (strchr("rv", l->s[k.from]) && v.to - v.from > 31)
			blame(l, v.from + 31);
		switch (l->s[k.from]) {
		case 'r':
			free(e->reserve);
			e->reserve = cut(l->s, v, 31);
			break;
		case 'w':
			number(l, v, 1, 10000, &n);
			break;
		case 'd':
			number(l, v, 1, 64, &n);
			break;
		case 'm':
			size(l, v);
			break;
		}
	}
}

static const struct tg_param *row_of(const struct tg_param *table, const char *prefix,
				     const char *name)
{
	size_t n = strlen(prefix);

	for (; table && table->name; table++)
		if (!strncmp(name, prefix, n) && !strcmp(name + n, table->name))
			return table;
	return NULL;
}

/* The knob of that name beside the policy that an earlier line names. */
static const struct tg_param *knob_of(const struct entry *old, const struct entry *end,
				      const char *name)
{
	const struct tg_param *row = row_of(tg_core_params, "", name);
	const struct tg_policy *policy;
	char prefix[64];

	if (!row)
		row = row_of(tg_host_params, "", name);
	for (; old < end && !row; old++) {
		if (old->setting != 'p')
			continue;
		policy = old->sets;
		snprintf(prefix, sizeof(prefix), "%s_", policy->name);
		row = row_of(policy->params, prefix, name);
		if (!row)
			row = row_of(policy->params, "", name);
	}
	return row;
}

static struct piece next_word(struct line *l, size_t at)
{
	struct piece w = { past_blanks(l, at), 0 };

	w.to = w.from + strcspn(l->m + w.from, WORD_END);
	if (w.from == w.to)
		blame(l, w.from);
	return w;
}

/* policy NAME or knob NAME VALUE; false: the line is neither. */
static bool setting_judge(struct line *l, const struct entry *entries, struct entry *e)
{
	const struct tg_param *row;
	const struct tg_policy *policy = NULL;
	struct piece w, name, v;
	unsigned long long n;
	char *text;
	u32 i;

	w.from = past_blanks(l, 0);
	w.to = w.from + strcspn(l->m + w.from, WORD_END "=");
	if (!same(l, w, "policy") && !same(l, w, "knob"))
		return false;
	if ((w.to < l->end && !strchr(BLANKS, l->m[w.to])) || l->s[past_blanks(l, w.to)] == ':')
		return false;
	e->setting = l->s[w.from];
	e->at[0] = w.from;
	name = next_word(l, w.to);
	e->at[1] = name.from;
	text = cut(l->s, name, GOOD);
	if (e->setting == 'p') {
		for (i = 0; (policy = tg_policy_get(i)) && strcmp(policy->name, text); i++)
			;
		e->sets = policy;
		v = name;
	} else {
		row = knob_of(entries, e, text);
		e->sets = row;
		v = next_word(l, name.to);
		if (row && strlen(row->name) > 3 && !strcmp(row->name + strlen(row->name) - 3, "_us"))
			time_us(l, v, row->min, row->max, &n);
		else if (row)
			number(l, v, row->min, row->max, &n);
	}
	if (!e->sets)
		blame(l, name.from);
	nothing_but_blanks(l, v.to, l->end);
	free(text);
	return true;
}

/* [vgpu NAME]: three numbers. Where things are: of the [, the name and the numbers. */
static void vgpu_judge(struct line *l, struct entry *e)
{
	struct piece field[5], w, v;
	int i, count = split(l, (struct piece){ 0, l->end }, ':', field, 5);
	size_t close;

	e->vgpu = true;
	if (count < 4)
		blame(l, l->end);
	if (count > 4)
		blame(l, field[4].from - 1);
	e->at[0] = past_blanks(l, 0);
	w.from = e->at[0] + 1;
	w.to = w.from + strcspn(l->m + w.from, WORD_END "]");
	if (!same(l, w, "vgpu"))
		blame(l, w.from);
	v.from = past_blanks(l, w.to);
	e->at[1] = v.from;
	close = v.from + strcspn(l->m + v.from, "]");
	if (close >= field[0].to) {
		close = field[0].to;
		blame(l, close);
	} else {
		nothing_but_blanks(l, close + 1, field[0].to);
	}
	if (v.from == close)
		blame(l, close);
	l->m[close] = l->m[close] == ']' ? ',' : l->m[close];	/* so that the word ends there */
	v = value(l, (struct piece){ v.from, close });
	if (v.to > v.from && v.to - v.from > 31)
		blame(l, v.from + 31);
	e->pattern[0] = cut(l->s, v, 31);
	for (i = 1; i < count && i < 4; i++) {
		w = word(l, field[i]);
		e->at[i + 1] = w.from;
		number(l, w, 1, 100, &e->share[i - 1]);
	}
}

/* Judges a line that is not empty by itself. */
static void line_judge(struct line *l, struct entry *e)
{
	static const char *const scheds[] = { "prt", "ht", NULL };
	static const char *const resvs[] = { "pe", "ae", "bg", "cbs", NULL };
	struct piece field[FIELDS + 1], w;
	unsigned long long n;
	int i, count;

	hide_colons(l);
	count = split(l, (struct piece){ 0, l->end }, ':', field, FIELDS + 1);
	if (count < OPTIONS)
		blame(l, l->end);
	if (count > FIELDS)
		blame(l, field[FIELDS].from - 1);
	for (i = 0; i < count && i < FIELDS; i++) {
		if (i == NAME) {
			name_field(l, field[i], e);
			continue;
		}
		if (i == OPTIONS) {
			options_field(l, field[i], e);
			continue;
		}
		w = word(l, field[i]);
		e->at[i] = w.from;
		switch (i) {
		case SCHED:
			if (!one_of(l, w, scheds) || (e->pattern[KERNEL] && !same(l, w, "prt")))
				blame(l, w.from);
			break;
		case RESV:
			if (!one_of(l, w, resvs) ||
			    (e->pattern[KERNEL] && !same(l, w, "pe") && !same(l, w, "bg")))
				blame(l, w.from);
			e->background = same(l, w, "bg");
			e->guarantee = same(l, w, "cbs");
			snprintf(e->resv, sizeof(e->resv), "%.*s", 2 + e->guarantee,
				 l->s + w.from);
			break;
		case PRIO:
			n = 1;
			if ((same(l, w, "*") || same(l, w, "nice") ||
			     number(l, w, 0, 99, &n)) && n && e->pattern[KERNEL])
				blame(l, w.from);
			break;
		case CAP:
			if (!time_us(l, w, !e->background,
				     e->background && e->pattern[GPU] ? 0 : 10000000, &e->cap))
				return;	/* and T cannot be judged */
			break;
		case PERIOD:
			time_us(l, w, e->cap + e->guarantee, e->cap ? 10000000 : 0, &e->period);
			break;
		}
	}
}

static bool same_names(const struct entry *a, const struct entry *b)
{
	int i;

	for (i = 0; i < NAMES; i++) {
		if (!a->pattern[i] != !b->pattern[i])
			return false;
		if (a->pattern[i] && strcmp(a->pattern[i], b->pattern[i]))
			return false;
	}
	return true;
}

/* Blames the fields of entry @nr that do not go together with the earlier ones. */
static void line_compare(struct line *l, const struct entry *entries, size_t nr)
{
	const struct entry *e = &entries[nr], *old;
	unsigned long long sum[3] = { e->share[0], e->share[1], e->share[2] };
	int vgpus = 1, i;
	bool peers;

	for (old = entries; old < e && e->setting; old++) {
		if (!old->setting)
			blame(l, e->at[0]);
		if (old->setting == e->setting && (e->setting == 'p' || old->sets == e->sets))
			blame(l, e->at[1]);
	}
	if (e->setting)
		return;

	for (old = entries; old < e && e->vgpu; old++) {
		if (!old->vgpu)
			continue;
		vgpus++;
		for (i = 0; i < 3; i++)
			sum[i] += old->share[i];
		if (same_names(old, e))
			blame(l, e->at[1]);
	}
	for (i = 0; i < 3 && e->vgpu; i++)
		if (sum[i] > 100)
			blame(l, e->at[2 + i]);
	if (vgpus > 16)
		blame(l, e->at[0]);
	if (e->vgpu)
		return;

	for (old = entries; old < e; old++) {
		if (!old->vgpu && !old->setting && same_names(old, e))
			blame(l, e->at[NAME]);
		peers = old->reserve && e->reserve && !strcmp(old->reserve, e->reserve);
		if (old->background && e->background && old->cap && e->cap)
			peers = true;
		if (peers && strcmp(old->resv, e->resv))
			blame(l, e->at[RESV]);
		if (peers && old->cap != e->cap)
			blame(l, e->at[CAP]);
		if (peers && old->period != e->period)
			blame(l, e->at[PERIOD]);
	}
}

static bool too_long(const char *text, size_t len, unsigned int *line, unsigned int *col)
{
	const size_t max = 64 * 1024;
	size_t i;

	if (len <= max)
		return false;
	*line = 1;
	*col = 1;
	for (i = 0; i < max; i++) {
		*line += text[i] == '\n';
		*col = text[i] == '\n' ? 1 : *col + 1;
	}
	return true;
}

int oracle_check(const char *text, size_t len, unsigned int *line, unsigned int *col)
{
	struct entry *entries = NULL;
	unsigned int row = 0;
	size_t nr = 0, i, n;
	const char *lf;
	struct line l;
	int ret = 0;

	if (too_long(text, len, line, col))
		return -1;
	if (len >= 3 && !memcmp(text, "\xef\xbb\xbf", 3)) {
		*line = 1;
		*col = 1;
		return -1;
	}
	while (len && !ret) {
		lf = memchr(text, '\n', len);
		n = lf ? (size_t)(lf - text) : len;
		row++;
		line_open(&l, text, n && text[n - 1] == '\r' ? n - 1 : n);
		n += lf ? 1 : 0;
		text += n;
		len -= n;
		if (past_blanks(&l, 0) < l.end) {
			entries = must(realloc(entries, (nr + 1) * sizeof(*entries)));
			memset(&entries[nr], 0, sizeof(*entries));
			if (l.s[past_blanks(&l, 0)] == '[')
				vgpu_judge(&l, &entries[nr]);
			else if (!setting_judge(&l, entries, &entries[nr]))
				line_judge(&l, &entries[nr]);
			if (l.bad == GOOD)
				line_compare(&l, entries, nr);
			nr++;
		}
		if (l.bad != GOOD) {
			*line = row;
			*col = l.bad + 1;
			ret = -1;
		}
		line_close(&l);
	}
	for (i = 0; i < nr; i++) {
		for (n = 0; n < NAMES; n++)
			free(entries[i].pattern[n]);
		free(entries[i].reserve);
	}
	free(entries);
	return ret;
}
