// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * A program's source, changed such that a part of a kernel answers as the whole does: get_group_id(),
 * get_num_groups(), get_global_size(), get_global_offset(), get_global_linear_id(). get_global_id() is right by
 * the part's global offset.
 *
 * What these need is a value of sixteen words, the first argument of each kernel: the first group of the part, and
 * the whole's groups, size and offset, in three dimensions each. Each function gets it as its first parameter,
 * `tg_slice`, and each call passes it on. Then macros before the source replace the five names, wherever the
 * preprocessor may bring them from.
 *
 * A source that this gets wrong does not build, since some place has no `tg_slice` or some call has too few
 * arguments; then its kernels go whole. Lines keep their numbers.
 *
 * twins.c calls it, under no lock. It keeps nothing.
 */
#include <stdlib.h>
#include <string.h>

#include "rewrite.h"
#include "scan.h"

static const char prologue[] =
	"size_t tg_pick(uint d, ulong x, ulong y, ulong z, ulong none)\n"
	"{ return d == 0 ? x : d == 1 ? y : d == 2 ? z : none; }\n"
	"size_t tg_group_id(uint d, ulong16 s) { return get_group_id(d) + tg_pick(d, s.s0, s.s1, s.s2, 0); }\n"
	"size_t tg_linear_id(ulong16 s)\n"
	"{ return ((get_global_id(2) - s.sb) * s.s7 + get_global_id(1) - s.sa) * s.s6 + get_global_id(0) - s.s9; }\n"
	"#define get_group_id(d) tg_group_id((d), tg_slice)\n"
	"#define get_num_groups(d) tg_pick((d), tg_slice.s3, tg_slice.s4, tg_slice.s5, 1)\n"
	"#define get_global_size(d) tg_pick((d), tg_slice.s6, tg_slice.s7, tg_slice.s8, 1)\n"
	"#define get_global_offset(d) tg_pick((d), tg_slice.s9, tg_slice.sa, tg_slice.sb, 0)\n"
	"#define get_global_linear_id() tg_linear_id(tg_slice)\n"
	"#line 1\n";

/** struct out - the new source; @text is NULL when memory has run out */
struct out {
	char *text;
	size_t length, room;
};

static void put(struct out *o, const char *text, size_t length)
{
	char *more;

	if (o->text && o->length + length + 1 > o->room) {
		o->room = 2 * (o->length + length + 1);
		more = realloc(o->text, o->room);
		if (!more)
			free(o->text);
		o->text = more;
	}
	if (!o->text)
		return;
	memcpy(o->text + o->length, text, length);
	o->length += length;
	o->text[o->length] = '\0';
}

/** enum place - what a function's name followed by brackets is at a token */
enum place { PLACE_DECLARES, PLACE_CALLS, PLACE_NAME };

/* Functions call in their bodies, macros in their text. */
static enum place place_of(const struct scan *s, uint32_t i)
{
	const struct piece *p = s->tokens[i].piece ? &s->pieces[s->tokens[i].piece - 1] : NULL;

	return !p ? PLACE_DECLARES : p->name != i ? PLACE_CALLS : p->macro ? PLACE_NAME : PLACE_DECLARES;
}

/* Is token @i the name of a function of this source, in front of brackets? */
static bool is_function(const struct scan *s, uint32_t i)
{
	return s->tokens[i].kind == TOKEN_NAME && scan_is(s, i + 1, "(") && scan_find(s, &s->tokens[i], false) &&
	       !(i && (scan_is(s, i - 1, ".") || (scan_is(s, i - 1, ">") && i > 1 && scan_is(s, i - 2, "-"))));
}

/** rewrite() - the new source, to be freed; NULL: it cannot be done */
char *rewrite(const struct scan *s)
{
	struct out o = { .text = malloc(4096), .room = 4096 };
	const char *done = s->text;
	const struct token *open;
	bool empty, nothing;
	enum place place;
	uint32_t i;

	if (s->fixed) {
		free(o.text);
		return NULL;
	}
	put(&o, prologue, sizeof(prologue) - 1);
	for (i = 0; i < s->nr; i++) {
		place = place_of(s, i);
		if (place == PLACE_NAME || !is_function(s, i))
			continue;
		open = &s->tokens[i + 1];
		put(&o, done, (size_t)(open->at + 1 - done));
		done = open->at + 1;
		nothing = place == PLACE_DECLARES && scan_is(s, i + 2, "void") && scan_is(s, i + 3, ")");
		empty = nothing || scan_is(s, i + 2, ")");
		if (place == PLACE_DECLARES)
			put(&o, "ulong16 ", 8);
		put(&o, "tg_slice", 8);
		if (nothing)
			done = s->tokens[i + 3].at;
		if (!empty)
			put(&o, ", ", 2);
	}
	put(&o, done, strlen(done));
	return o.text;
}
