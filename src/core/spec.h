/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the files of the specification share: spec.c parses, with the words and numbers that
 * spec_read.c reads; spec_settings.c has the lines of policy and knobs; spec_match.c finds a
 * client's line.
 */
#ifndef TG_CORE_SPEC_H
#define TG_CORE_SPEC_H

#include <tg/spec.h>

/**
 * struct spec_cursor - where the parser stands in the text
 * @text: the whole text
 * @start: offset of the line's first byte
 * @pos: offset of the next byte to read
 * @end: offset behind the line's last byte
 * @line: number of the line, from 1
 * @err: where a refusal is noted
 */
struct spec_cursor {
	const char *text;
	u32 start, pos, end, line;
	struct tg_spec_error *err;
};

/* Limits of a number, and the words for one that is not within them. */
struct spec_limits {
	u64 min, max;
	const char *what, *want;
};

static inline bool is_blank(char ch)
{
	return ch == ' ' || ch == '\t';
}

static inline bool is_control(char ch)
{
	return ((u8)ch < 0x20 && ch != '\t') || ch == 0x7f;
}

static inline bool at_end(const struct spec_cursor *c)
{
	return c->pos == c->end || c->text[c->pos] == '#';
}

static inline void skip_blanks(struct spec_cursor *c)
{
	while (c->pos < c->end && is_blank(c->text[c->pos]))
		c->pos++;
}

/* Refuse the line at offset @at, or at the next byte. Return: -EINVAL. */
int tg_spec_refuse(const struct spec_cursor *c, u32 at, const char *what, const char *want);
int tg_spec_refuse_next(const struct spec_cursor *c, const char *what, const char *want);

/* Read on, from the cursor. Return: 0, or -EINVAL: refused. */
struct tg_str tg_spec_word(struct spec_cursor *c, char stop);
int tg_spec_value(struct spec_cursor *c, struct tg_str *s, const char *want);
int tg_spec_short_name(struct spec_cursor *c, struct tg_str *s, char stop);
int tg_spec_size(struct spec_cursor *c, u64 *value);
int tg_spec_gpu(struct spec_cursor *c, u64 *gpu);
int tg_spec_field(struct spec_cursor *c, struct tg_str *s, const char *want);
int tg_spec_colon(struct spec_cursor *c, const char *want);
int tg_spec_end(struct spec_cursor *c, const char *want);

/* Judge what has been read. Return: as above. */
bool tg_spec_is(const struct spec_cursor *c, struct tg_str s, const char *word);
int tg_spec_number(const struct spec_cursor *c, struct tg_str s, const struct spec_limits *r,
		   u64 *value);
int tg_spec_time(const struct spec_cursor *c, struct tg_str s, const struct spec_limits *r,
		 u64 *us);
int tg_spec_check_pattern(const struct spec_cursor *c, struct tg_str s, enum tg_match match);

/**
 * enum spec_setting - what kind of setting a line is
 * @SPEC_NONE: none: it is a client or a virtual GPU
 */
enum spec_setting { SPEC_NONE, SPEC_POLICY, SPEC_KNOB };

/* The kind of the line whose first word is next. A process may be called `policy`: `policy:...` */
enum spec_setting tg_spec_setting(const struct spec_cursor *c);
int tg_spec_parse_setting(struct spec_cursor *c, struct tg_spec *spec, enum spec_setting setting);

/* A name as the kernel keeps it; globs whole. */
static inline struct tg_str tg_spec_pattern(const struct tg_spec_entry *e, enum tg_match match)
{
	struct tg_str s = e->pattern[match];

	if (match == TG_MATCH_COMM && s.len > TG_COMM_LEN - 1)
		s.len = TG_COMM_LEN - 1;
	return s;
}

#endif /* TG_CORE_SPEC_H */
