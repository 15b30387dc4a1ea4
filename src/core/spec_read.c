// SPDX-License-Identifier: GPL-2.0
/*
 * The specification's words and numbers: what the parser (spec.c) reads from a line, byte by byte.
 *
 * A function that reads moves the cursor behind what it has read; one that refuses notes the place
 * and the words of the error, and returns -EINVAL. Pure: no state, no lock, any context.
 */
#include "spec.h"

static const struct spec_limits range_mem = {
	1, TG_SPEC_MEM_MAX, "mem out of range", "mem: 1 to 1024G bytes, suffix K, M or G"
};

static const char want_short_name[] = "a name of 1 to 31 bytes";
static const char want_gpu[] = "gpu= and DOMAIN:BUS:DEVICE.FUNCTION, as in 0000:01:00.0 or 01:00.0";
static const char want_text[] = "text; a line ends with LF or CR LF";

static bool is_digit(char ch)
{
	return ch >= '0' && ch <= '9';
}

static bool is_wildcard(char ch)
{
	return ch == '*' || ch == '?';
}

int tg_spec_refuse(const struct spec_cursor *c, u32 at, const char *what, const char *want)
{
	c->err->line = c->line;
	c->err->column = at - c->start + 1;
	c->err->what = what;
	c->err->want = want;
	return -EINVAL;
}

/* Refuses the next byte; says so when it is the line's end or no text at all. */
int tg_spec_refuse_next(const struct spec_cursor *c, const char *what, const char *want)
{
	if (at_end(c))
		what = "the line ends too early";
	else if (is_control(c->text[c->pos]))
		what = "control character";
	return tg_spec_refuse(c, c->pos, what, want);
}

/* Reads up to @stop, a blank, a control character or one of : , # " and may find nothing. */
struct tg_str tg_spec_word(struct spec_cursor *c, char stop)
{
	struct tg_str s = { .off = c->pos };

	for (; c->pos < c->end; c->pos++) {
		char ch = c->text[c->pos];

		if (ch == stop || is_blank(ch) || is_control(ch))
			break;
		if (ch == ':' || ch == ',' || ch == '#' || ch == '"')
			break;
	}
	s.len = c->pos - s.off;
	return s;
}

/*
 * Reads a bare value, which also ends at @stop, or a quoted one. Not empty; otherwise its bytes
 * are not judged yet.
 */
static int read_value_to(struct spec_cursor *c, struct tg_str *s, char stop, const char *want)
{
	u32 open = c->pos;

	if (c->pos == c->end || c->text[c->pos] != '"') {
		*s = tg_spec_word(c, stop);
		return s->len ? 0 : tg_spec_refuse_next(c, "empty value", want);
	}
	s->off = ++c->pos;
	while (c->pos < c->end && c->text[c->pos] != '"')
		c->pos++;
	if (c->pos == c->end)
		return tg_spec_refuse(c, open, "quote without an end",
				      "a second \" in the same line");
	s->len = c->pos - s->off;
	if (!s->len)
		return tg_spec_refuse(c, c->pos, "empty value", want);
	c->pos++;
	return 0;
}

int tg_spec_value(struct spec_cursor *c, struct tg_str *s, const char *want)
{
	return read_value_to(c, s, ':', want);
}

/* Reads a name of a reserve or a virtual GPU, which also ends at @stop. */
int tg_spec_short_name(struct spec_cursor *c, struct tg_str *s, char stop)
{
	int err = read_value_to(c, s, stop, want_short_name);
	u32 i;

	for (i = 0; !err && i < s->len; i++) {
		if (i == TG_NAME_LEN - 1)
			err = tg_spec_refuse(c, s->off + i, "name too long", want_short_name);
		else if (is_control(c->text[s->off + i]))
			err = tg_spec_refuse(c, s->off + i, "control character", want_text);
	}
	return err;
}

/* Reads a field that is one bare word. */
int tg_spec_field(struct spec_cursor *c, struct tg_str *s, const char *want)
{
	skip_blanks(c);
	*s = tg_spec_word(c, ':');
	return s->len ? 0 : tg_spec_refuse_next(c, "empty field", want);
}

int tg_spec_colon(struct spec_cursor *c, const char *want)
{
	skip_blanks(c);
	if (at_end(c) || c->text[c->pos] != ':')
		return tg_spec_refuse_next(c, "unexpected character", want);
	c->pos++;
	return 0;
}

/* Reads the rest of a line that has to be empty but for a comment. */
int tg_spec_end(struct spec_cursor *c, const char *want)
{
	skip_blanks(c);
	if (!at_end(c))
		return tg_spec_refuse_next(c, "unexpected character", want);
	for (; c->pos < c->end; c->pos++) {
		if (is_control(c->text[c->pos]))
			return tg_spec_refuse(c, c->pos, "control character", want_text);
	}
	return 0;
}

bool tg_spec_is(const struct spec_cursor *c, struct tg_str s, const char *word)
{
	return s.len == strlen(word) && !memcmp(c->text + s.off, word, s.len);
}

int tg_spec_number(const struct spec_cursor *c, struct tg_str s, const struct spec_limits *r,
		   u64 *value)
{
	u64 v = 0;
	u32 i;

	for (i = 0; i < s.len; i++) {
		char ch = c->text[s.off + i];

		if (!is_digit(ch))
			return tg_spec_refuse(c, s.off + i, "not a decimal number", r->want);
		if (v <= r->max)	/* beyond it, more digits change nothing */
			v = v * 10 + (u64)(ch - '0');
	}
	if (v < r->min || v > r->max)
		return tg_spec_refuse(c, s.off, r->what, r->want);
	*value = v;
	return 0;
}

/* How many microseconds a unit has; 0: there is no such unit. */
static u32 unit_us(const struct spec_cursor *c, struct tg_str unit)
{
	return tg_spec_is(c, unit, "us") ? 1 : tg_spec_is(c, unit, "ms") ? 1000 :
	       tg_spec_is(c, unit, "s") ? 1000000 : 0;
}

/* Judges a time: a number of microseconds, or one with a unit, perhaps with a fraction: 2.5ms. */
int tg_spec_time(const struct spec_cursor *c, struct tg_str s, const struct spec_limits *r,
		 u64 *us)
{
	struct tg_str whole = s, unit = s;
	u32 end = s.off + s.len, at, scale;
	bool fine = false;
	u64 v = 0;

	for (at = s.off; at < end && is_digit(c->text[at]); at++)
		if (v <= r->max)	/* beyond it, more digits change nothing */
			v = v * 10 + (u64)(c->text[at] - '0');
	whole.len = at - s.off;
	if (!whole.len)
		return tg_spec_refuse(c, at, "not a time", r->want);
	unit.off = at;
	if (at < end && c->text[at] == '.') {
		for (unit.off++; unit.off < end && is_digit(c->text[unit.off]); unit.off++)
			;
		if (unit.off == at + 1 || unit.off == end)
			return tg_spec_refuse(c, unit.off, "not a time", r->want);
	}
	unit.len = end - unit.off;
	scale = unit.len ? unit_us(c, unit) : 1;
	if (!scale)
		return tg_spec_refuse(c, unit.off, "unknown unit",
				      "us, ms or s; us without a unit");
	v *= scale;
	for (at++; at < unit.off; at++) {
		scale /= 10;
		v += (u64)(c->text[at] - '0') * scale;
		fine |= !scale && c->text[at] != '0';
	}
	if (fine)
		return tg_spec_refuse(c, s.off, "finer than a microsecond", r->want);
	if (v < r->min || v > r->max)
		return tg_spec_refuse(c, s.off, r->what, r->want);
	*us = v;
	return 0;
}

/* Reads a number of bytes, which may end in K, M or G. */
int tg_spec_size(struct spec_cursor *c, u64 *value)
{
	struct tg_str s, digits;
	u32 shift = 0;
	int err;

	err = tg_spec_value(c, &s, range_mem.want);
	if (err)
		return err;
	switch (c->text[s.off + s.len - 1]) {
	case 'K':
		shift = 10;
		break;
	case 'M':
		shift = 20;
		break;
	case 'G':
		shift = 30;
		break;
	}
	digits = s;
	if (shift && s.len > 1)
		digits.len--;
	err = tg_spec_number(c, digits, &range_mem, value);
	if (err)
		return err;
	if (*value > range_mem.max >> shift)
		return tg_spec_refuse(c, s.off, range_mem.what, range_mem.want);
	*value <<= shift;
	return 0;
}

/* The value of a hexadecimal digit; 16: it is none. */
static u32 hex_of(char ch)
{
	if (is_digit(ch))
		return ch - '0';
	ch |= 'a' - 'A';
	return ch >= 'a' && ch <= 'f' ? ch - 'a' + 10 : 16;
}

/* Reads hexadecimal digits at @text + @at, @max at most. Return: how many there are. */
static u32 read_hex(const char *text, u32 at, u32 len, u32 max, u32 *value)
{
	u32 n = 0;

	for (*value = 0; n < max && at + n < len && hex_of(text[at + n]) < 16; n++)
		*value = *value << 4 | hex_of(text[at + n]);
	return n;
}

u32 tg_spec_pci(const char *text, u32 len, u64 *pci)
{
	u32 domain, bus, device, function, at = read_hex(text, 0, len, 8, &domain);

	if (at >= 4 && at < len && text[at] == ':') {
		at++;
	} else {
		domain = 0;
		at = 0;
	}
	if (read_hex(text, at, len, 2, &bus) != 2 || at + 2 >= len || text[at + 2] != ':')
		return 0;
	at += 3;
	if (read_hex(text, at, len, 2, &device) != 2 || at + 2 >= len || text[at + 2] != '.')
		return 0;
	at += 3;
	if (read_hex(text, at, len, 1, &function) != 1 || device > 0x1f || function > 7)
		return 0;
	*pci = 1ULL << 48 | (u64)domain << 16 | bus << 8 | device << 3 | function;
	return at + 1;
}

/* Reads a PCI address, whose colons need no quotes: what ends a bare value has to follow it. */
int tg_spec_gpu(struct spec_cursor *c, u64 *gpu)
{
	u32 len = tg_spec_pci(c->text + c->pos, c->end - c->pos, gpu);
	struct spec_cursor behind = *c;
	struct tg_str s;
	int err;

	behind.pos += len;
	if (len && !tg_spec_word(&behind, ':').len) {
		c->pos = behind.pos;
		return 0;
	}
	err = tg_spec_value(c, &s, want_gpu);
	if (err)
		return err;
	return tg_spec_pci(c->text + s.off, s.len, gpu) == s.len ? 0 :
		tg_spec_refuse(c, s.off, "not a PCI address", want_gpu);
}

int tg_spec_check_pattern(const struct spec_cursor *c, struct tg_str s, enum tg_match match)
{
	u32 i;

	for (i = 0; i < s.len; i++) {
		u32 at = s.off + i;
		char ch = c->text[at];

		if (i == TG_SPEC_PATTERN_MAX)
			return tg_spec_refuse(c, at, "name too long", "at most 255 bytes");
		if (is_control(ch))
			return tg_spec_refuse(c, at, "control character", want_text);
		switch (match) {
		case TG_MATCH_COMM:
			if (is_wildcard(ch))
				return tg_spec_refuse(c, at, "wildcard in a plain name",
						      "no * or ? here; globs need exe=, uid= or cgroup=");
			break;
		case TG_MATCH_KERNEL:
			if (is_wildcard(ch))
				return tg_spec_refuse(c, at, "wildcard in a driver's name",
						      "kernel= and the driver's whole name");
			break;
		case TG_MATCH_UID:
			if (!is_digit(ch) && !is_wildcard(ch))
				return tg_spec_refuse(c, at, "not a user number",
						      "uid= and digits, * and ?");
			break;
		default:
			if (i == 0 && ch != '/' && !is_wildcard(ch))
				return tg_spec_refuse(c, at, "path does not begin with /",
						      "a whole path, or a glob that begins with *");
		}
	}
	return 0;
}
