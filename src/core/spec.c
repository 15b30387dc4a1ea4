// SPDX-License-Identifier: GPL-2.0
/*
 * The specification's parser, and the match of a client against it. docs/spec-format.md is
 * the grammar; tests/lib/spec_oracle.c is a second reading of that page to compare with.
 *
 * Called by the host when a text is committed (process context, no lock needed), by tgctl
 * and by the tests; tg_spec_match() mostly before the GPU's lock is taken (struct tg_identity).
 * Everything is in the caller's memory: this file owns nothing and keeps no state.
 *
 * A cursor reads a line from left to right and refuses it at the first byte that fits
 * nothing; only a line that is good by itself is then held against the lines before it.
 * That order is the format's promise: it makes the place of an error unique.
 */
#include <tg/spec.h>

struct spec_cursor {
	const char *text;
	u32 start;		/* offset of the line's first byte */
	u32 pos;		/* offset of the next byte to read */
	u32 end;		/* offset behind the line's last byte */
	u32 line;
	struct tg_spec_error *err;
};

/* Where a line's fields begin, for errors that show only beside another line. */
struct spec_places {
	u32 name, resv, capacity, period;
};

/* The same of a [vgpu] line. */
struct vgpu_places {
	u32 open, name, share[TG_VGPU_SHARES];
};

/* Limits of a number, and the words for one that is not within them. */
struct spec_limits {
	u64 min, max;
	const char *what, *want;
};

static const struct spec_limits range_prio = {
	TG_PRIO_MIN, TG_PRIO_MAX, "prio out of range", "prio: 0 (lowest) to 99, or *"
};

static const struct spec_limits range_capacity = {
	1, TG_SPEC_PERIOD_MAX / TG_USEC, "C out of range", "C: 1 to 10000000 microseconds"
};

static const struct spec_limits range_capacity_bg = {
	0, TG_SPEC_PERIOD_MAX / TG_USEC, "C out of range",
	"C: 1 to 10000000 microseconds, or 0 to be just a member of Background"
};

static const struct spec_limits range_period = {
	1, TG_SPEC_PERIOD_MAX / TG_USEC, "T out of range", "T: 1 to 10000000 microseconds"
};

static const struct spec_limits range_no_period = {
	0, 0, "T without C", "T: 0, because C is 0"
};

static const struct spec_limits range_weight = {
	1, TG_SPEC_WEIGHT_MAX, "weight out of range", "weight: 1 to 10000"
};

static const struct spec_limits range_depth = {
	1, TG_DEPTH_MAX, "depth out of range", "depth: 1 to 64 groups in flight"
};

static const struct spec_limits range_mem = {
	1, TG_SPEC_MEM_MAX, "mem out of range", "mem: 1 to 1024G bytes, suffix K, M or G"
};

static const struct spec_limits range_share[TG_VGPU_SHARES] = {
	[TG_COMPUTE] = { 1, 100, "share out of range", "compute: 1 to 100 percent" },
	[TG_COPY] = { 1, 100, "share out of range", "copy: 1 to 100 percent" },
	[TG_MEMORY] = { 1, 100, "share out of range", "memory: 1 to 100 percent" },
};

enum spec_key { KEY_RESERVE, KEY_WEIGHT, KEY_DEPTH, KEY_VGPU, KEY_MEM, KEY_NR };

static const char *const key_names[KEY_NR] = { "reserve", "weight", "depth", "vgpu", "mem" };

static const char want_name[] = "a process name, or exe=, uid= or cgroup= and a glob";
static const char want_sched[] = "sched: prt or ht";
static const char want_resv[] = "resv: pe, ae or bg";
static const char want_key[] = "reserve=, weight=, depth=, vgpu= or mem=";
static const char want_short_name[] = "a name of 1 to 31 bytes";
static const char want_vgpu[] = "[vgpu NAME]; quotes around a name that begins with [";
static const char want_text[] = "text; a line ends with LF or CR LF";

static bool is_blank(char ch)
{
	return ch == ' ' || ch == '\t';
}

static bool is_control(char ch)
{
	return ((u8)ch < 0x20 && ch != '\t') || ch == 0x7f;
}

static bool is_digit(char ch)
{
	return ch >= '0' && ch <= '9';
}

static bool is_wildcard(char ch)
{
	return ch == '*' || ch == '?';
}

static int refuse(const struct spec_cursor *c, u32 at, const char *what, const char *want)
{
	c->err->line = c->line;
	c->err->column = at - c->start + 1;
	c->err->what = what;
	c->err->want = want;
	return -EINVAL;
}

static bool at_end(const struct spec_cursor *c)
{
	return c->pos == c->end || c->text[c->pos] == '#';
}

/* Refuses the next byte; says so when it is the line's end or no text at all. */
static int refuse_next(const struct spec_cursor *c, const char *what, const char *want)
{
	if (at_end(c))
		what = "the line ends too early";
	else if (is_control(c->text[c->pos]))
		what = "control character";
	return refuse(c, c->pos, what, want);
}

static void skip_blanks(struct spec_cursor *c)
{
	while (c->pos < c->end && is_blank(c->text[c->pos]))
		c->pos++;
}

/* Reads up to @stop, a blank, a control character or one of : , # " and may find nothing. */
static struct tg_str read_to(struct spec_cursor *c, char stop)
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
		*s = read_to(c, stop);
		return s->len ? 0 : refuse_next(c, "empty value", want);
	}
	s->off = ++c->pos;
	while (c->pos < c->end && c->text[c->pos] != '"')
		c->pos++;
	if (c->pos == c->end)
		return refuse(c, open, "quote without an end", "a second \" in the same line");
	s->len = c->pos - s->off;
	if (!s->len)
		return refuse(c, c->pos, "empty value", want);
	c->pos++;
	return 0;
}

static int read_value(struct spec_cursor *c, struct tg_str *s, const char *want)
{
	return read_value_to(c, s, ':', want);
}

/* Reads a field that is one bare word. */
static int read_field(struct spec_cursor *c, struct tg_str *s, const char *want)
{
	skip_blanks(c);
	*s = read_to(c, ':');
	return s->len ? 0 : refuse_next(c, "empty field", want);
}

static int read_colon(struct spec_cursor *c, const char *want)
{
	skip_blanks(c);
	if (at_end(c) || c->text[c->pos] != ':')
		return refuse_next(c, "unexpected character", want);
	c->pos++;
	return 0;
}

/* Reads the rest of a line that has to be empty but for a comment. */
static int read_end(struct spec_cursor *c, const char *want)
{
	skip_blanks(c);
	if (!at_end(c))
		return refuse_next(c, "unexpected character", want);
	for (; c->pos < c->end; c->pos++) {
		if (is_control(c->text[c->pos]))
			return refuse(c, c->pos, "control character", want_text);
	}
	return 0;
}

static bool str_is(const struct spec_cursor *c, struct tg_str s, const char *word)
{
	return s.len == strlen(word) && !memcmp(c->text + s.off, word, s.len);
}

static bool str_same(const char *text, struct tg_str a, struct tg_str b)
{
	return a.len == b.len && !memcmp(text + a.off, text + b.off, a.len);
}

static int check_number(const struct spec_cursor *c, struct tg_str s, const struct spec_limits *r,
			u64 *value)
{
	u64 v = 0;
	u32 i;

	for (i = 0; i < s.len; i++) {
		char ch = c->text[s.off + i];

		if (!is_digit(ch))
			return refuse(c, s.off + i, "not a decimal number", r->want);
		if (v <= r->max)	/* beyond it, more digits change nothing */
			v = v * 10 + (u64)(ch - '0');
	}
	if (v < r->min || v > r->max)
		return refuse(c, s.off, r->what, r->want);
	*value = v;
	return 0;
}

/* A number of bytes, which may end in K, M or G. */
static int check_size(const struct spec_cursor *c, struct tg_str s, u64 *value)
{
	struct tg_str digits = s;
	u32 shift = 0;
	int err;

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
	if (shift && s.len > 1)
		digits.len--;
	err = check_number(c, digits, &range_mem, value);
	if (err)
		return err;
	if (*value > range_mem.max >> shift)
		return refuse(c, s.off, range_mem.what, range_mem.want);
	*value <<= shift;
	return 0;
}

static int check_short_name(const struct spec_cursor *c, struct tg_str s)
{
	u32 i;

	for (i = 0; i < s.len; i++) {
		if (i == TG_NAME_LEN - 1)
			return refuse(c, s.off + i, "name too long", want_short_name);
		if (is_control(c->text[s.off + i]))
			return refuse(c, s.off + i, "control character", want_text);
	}
	return 0;
}

static int check_pattern(const struct spec_cursor *c, struct tg_str s, enum tg_match match)
{
	u32 i;

	for (i = 0; i < s.len; i++) {
		u32 at = s.off + i;
		char ch = c->text[at];

		if (i == TG_SPEC_PATTERN_MAX)
			return refuse(c, at, "name too long", "at most 255 bytes");
		if (is_control(ch))
			return refuse(c, at, "control character", want_text);
		switch (match) {
		case TG_MATCH_COMM:
			if (is_wildcard(ch))
				return refuse(c, at, "wildcard in a plain name",
					      "no * or ? here; globs need exe=, uid= or cgroup=");
			break;
		case TG_MATCH_UID:
			if (!is_digit(ch) && !is_wildcard(ch))
				return refuse(c, at, "not a user number",
					      "uid= and digits, * and ?");
			break;
		default:
			if (i == 0 && ch != '/' && !is_wildcard(ch))
				return refuse(c, at, "path does not begin with /",
					      "a whole path, or a glob that begins with *");
		}
	}
	return 0;
}

/* Reads a plain name, or a qualifier and its glob. */
static int parse_name(struct spec_cursor *c, struct tg_spec_entry *e)
{
	static const char *const words[TG_MATCHES] = {
		[TG_MATCH_EXE] = "exe", [TG_MATCH_UID] = "uid", [TG_MATCH_CGROUP] = "cgroup",
	};
	struct tg_str word = read_to(c, '=');
	enum tg_match match = TG_MATCH_COMM;
	int err;

	if (c->pos < c->end && c->text[c->pos] == '=') {
		for (match++; match < TG_MATCHES && !str_is(c, word, words[match]); match++)
			;
		if (match == TG_MATCHES)
			return refuse(c, word.off, "unknown word before =",
				      "exe=, uid= or cgroup=; quotes around a name with = in it");
		if (e->pattern[match].len)
			return refuse(c, word.off, "repeated qualifier",
				      "exe=, uid= and cgroup= once each");
		c->pos++;
		err = read_value(c, &e->pattern[match], "a glob");
	} else {
		c->pos = word.off;
		if (e->pattern[match].len)
			return refuse(c, c->pos, "two names", "quotes around a name with blanks");
		err = read_value(c, &e->pattern[match], want_name);
	}
	return err ? err : check_pattern(c, e->pattern[match], match);
}

/* Does another name follow, behind a blank? What else stands there, read_colon() refuses. */
static bool more_names(struct spec_cursor *c)
{
	const u32 from = c->pos;

	skip_blanks(c);
	if (c->pos == from || at_end(c) || is_control(c->text[c->pos]))
		return false;
	return c->text[c->pos] != ':' && c->text[c->pos] != ',';
}

static int parse_names(struct spec_cursor *c, struct tg_spec_entry *e)
{
	int err;

	do
		err = parse_name(c, e);
	while (!err && more_names(c));
	return err;
}

static int parse_sched(struct spec_cursor *c, struct tg_spec_entry *e)
{
	struct tg_str s;
	int err;

	err = read_field(c, &s, want_sched);
	if (err)
		return err;
	if (str_is(c, s, "prt"))
		e->sched = TG_PRT;
	else if (str_is(c, s, "ht"))
		e->sched = TG_HT;
	else
		return refuse(c, s.off, "unknown sched", want_sched);
	return 0;
}

static int parse_resv(struct spec_cursor *c, struct tg_spec_entry *e, struct spec_places *at)
{
	struct tg_str s;
	int err;

	err = read_field(c, &s, want_resv);
	if (err)
		return err;
	if (str_is(c, s, "pe"))
		e->resv = TG_PE;
	else if (str_is(c, s, "ae"))
		e->resv = TG_AE;
	else if (str_is(c, s, "bg"))
		e->resv = TG_BG;
	else
		return refuse(c, s.off, "unknown resv", want_resv);
	at->resv = s.off;
	return 0;
}

static int parse_prio(struct spec_cursor *c, struct tg_spec_entry *e)
{
	struct tg_str s;
	u64 value;
	int err;

	err = read_field(c, &s, range_prio.want);
	if (err)
		return err;
	e->agpa = str_is(c, s, "*");
	if (e->agpa) {
		e->prio = TG_PRIO_AGPA;
		return 0;
	}
	err = check_number(c, s, &range_prio, &value);
	if (err)
		return err;
	e->prio = value;
	return 0;
}

/* A field of microseconds: @place is where it stands, @time what it says, in ns. */
static int parse_time(struct spec_cursor *c, const struct spec_limits *r, u32 *place, s64 *time)
{
	struct tg_str s;
	u64 value;
	int err;

	err = read_field(c, &s, r->want);
	if (err)
		return err;
	err = check_number(c, s, r, &value);
	if (err)
		return err;
	*place = s.off;
	*time = (s64)value * TG_USEC;
	return 0;
}

static int parse_capacity(struct spec_cursor *c, struct tg_spec_entry *e, struct spec_places *at)
{
	const struct spec_limits *r = e->resv == TG_BG ? &range_capacity_bg : &range_capacity;

	return parse_time(c, r, &at->capacity, &e->capacity);
}

static int parse_period(struct spec_cursor *c, struct tg_spec_entry *e, struct spec_places *at)
{
	const struct spec_limits *r = e->capacity ? &range_period : &range_no_period;
	int err = parse_time(c, r, &at->period, &e->period);

	if (err)
		return err;
	if (e->period < e->capacity)
		return refuse(c, at->period, "T is less than C", "T of at least C");
	return 0;
}

static int parse_value(struct spec_cursor *c, struct tg_spec_entry *e, enum spec_key key)
{
	struct tg_str s;
	u64 value;
	int err;

	switch (key) {
	case KEY_RESERVE:
		err = read_value(c, &e->reserve, want_short_name);
		return err ? err : check_short_name(c, e->reserve);
	case KEY_VGPU:
		err = read_value(c, &e->vgpu, want_short_name);
		return err ? err : check_short_name(c, e->vgpu);
	case KEY_WEIGHT:
		err = read_value(c, &s, range_weight.want);
		if (!err)
			err = check_number(c, s, &range_weight, &value);
		if (!err)
			e->weight = value;
		return err;
	case KEY_DEPTH:
		err = read_value(c, &s, range_depth.want);
		if (!err)
			err = check_number(c, s, &range_depth, &value);
		if (!err)
			e->depth = value;
		return err;
	default:
		err = read_value(c, &s, range_mem.want);
		return err ? err : check_size(c, s, &e->mem);
	}
}

/* Reads key=value; @seen is a mask of the keys that the line had already. */
static int parse_option(struct spec_cursor *c, struct tg_spec_entry *e, u32 *seen)
{
	struct tg_str s;
	u32 key;

	skip_blanks(c);
	s = read_to(c, '=');
	for (key = 0; key < KEY_NR && !str_is(c, s, key_names[key]); key++)
		;
	if (key == KEY_NR)
		return s.len ? refuse(c, s.off, "unknown key", want_key) :
			       refuse_next(c, "no key", want_key);
	if (*seen & 1U << key)
		return refuse(c, s.off, "repeated key", "each key once");
	if (key == KEY_RESERVE && e->resv == TG_BG)
		return refuse(c, s.off, "reserve= in a bg line",
			      "pe or ae, or no reserve=: bg means the Background reserve");
	*seen |= 1U << key;
	if (at_end(c) || c->text[c->pos] != '=')
		return refuse_next(c, "key without =", "= and a value, without blanks");
	c->pos++;
	return parse_value(c, e, key);
}

/* Reads what may follow T, up to the end of the line. */
static int parse_options(struct spec_cursor *c, struct tg_spec_entry *e)
{
	u32 seen = 0;
	int err;

	skip_blanks(c);
	if (at_end(c) || c->text[c->pos] != ':')
		return read_end(c, "the end of the line, or : and key=value");
	do {
		c->pos++;
		err = parse_option(c, e, &seen);
		if (err)
			return err;
		skip_blanks(c);
	} while (!at_end(c) && c->text[c->pos] == ',');
	return read_end(c, "the end of the line, or a comma and key=value");
}

static int parse_fields(struct spec_cursor *c, struct tg_spec_entry *e, struct spec_places *at)
{
	int err;

	memset(e, 0, sizeof(*e));
	e->line = c->line;
	e->weight = 1;
	at->name = c->pos;
	err = parse_names(c, e);
	if (!err)
		err = read_colon(c, ": and sched, or quotes around a name with commas");
	if (!err)
		err = parse_sched(c, e);
	if (!err)
		err = read_colon(c, ": and resv");
	if (!err)
		err = parse_resv(c, e, at);
	if (!err)
		err = read_colon(c, ": and prio");
	if (!err)
		err = parse_prio(c, e);
	if (!err)
		err = read_colon(c, ": and C");
	if (!err)
		err = parse_capacity(c, e, at);
	if (!err)
		err = read_colon(c, ": and T");
	if (!err)
		err = parse_period(c, e, at);
	if (!err)
		err = parse_options(c, e);
	return err;
}

/* A name as the kernel keeps it; globs whole. */
static struct tg_str effective_pattern(const struct tg_spec_entry *e, enum tg_match match)
{
	struct tg_str s = e->pattern[match];

	if (match == TG_MATCH_COMM && s.len > TG_COMM_LEN - 1)
		s.len = TG_COMM_LEN - 1;
	return s;
}

static bool same_patterns(const char *text, const struct tg_spec_entry *a,
			  const struct tg_spec_entry *b)
{
	enum tg_match i;

	for (i = 0; i < TG_MATCHES; i++)
		if (!str_same(text, effective_pattern(a, i), effective_pattern(b, i)))
			return false;
	return true;
}

/* Refuses a line that contradicts an earlier one or can never match because of it. */
static int check_against(const struct spec_cursor *c, const struct tg_spec *spec,
			 const struct tg_spec_entry *e, const struct spec_places *at)
{
	const struct tg_spec_entry *peer = NULL;
	const struct tg_spec_entry *old;

	for (old = spec->entries; old < spec->entries + spec->nr; old++) {
		if (same_patterns(spec->text, old, e))
			return refuse(c, at->name, "repeated name",
				      "each name (its first 15 bytes count) or glob once");
		if (e->reserve.len && str_same(spec->text, old->reserve, e->reserve))
			peer = old;
	}
	if (e->resv == TG_BG && e->capacity && spec->background >= 0)
		peer = &spec->entries[spec->background];
	if (!peer)
		return 0;
	if (peer->resv != e->resv)
		return refuse(c, at->resv, "another resv than an earlier line of this reserve",
			      "one resv, C and T for all lines of a reserve");
	if (peer->capacity != e->capacity)
		return refuse(c, at->capacity, "another C than an earlier line of this reserve",
			      "one resv, C and T for all lines of a reserve");
	if (peer->period != e->period)
		return refuse(c, at->period, "another T than an earlier line of this reserve",
			      "one resv, C and T for all lines of a reserve");
	return 0;
}

/* Reads [vgpu NAME] */
static int parse_vgpu_name(struct spec_cursor *c, struct tg_spec_vgpu *v, struct vgpu_places *at)
{
	struct tg_str word;
	int err;

	at->open = c->pos++;
	word = read_to(c, ']');
	if (!str_is(c, word, "vgpu"))
		return word.len ? refuse(c, word.off, "unknown word after [", want_vgpu) :
				  refuse_next(c, "unknown word after [", want_vgpu);
	skip_blanks(c);
	at->name = c->pos;
	err = read_value_to(c, &v->name, ']', want_short_name);
	if (!err)
		err = check_short_name(c, v->name);
	if (err)
		return err;
	skip_blanks(c);
	if (at_end(c) || c->text[c->pos] != ']')
		return refuse_next(c, "unexpected character",
				   "], or quotes around a name with blanks or commas");
	c->pos++;
	return 0;
}

static int parse_share(struct spec_cursor *c, const struct spec_limits *r, u32 *place, u8 *share)
{
	struct tg_str s;
	u64 value;
	int err;

	err = read_colon(c, ": and a share");
	if (!err)
		err = read_field(c, &s, r->want);
	if (!err)
		err = check_number(c, s, r, &value);
	if (err)
		return err;
	*place = s.off;
	*share = value;
	return 0;
}

/* Refuses a virtual GPU that does not go together with the earlier ones. */
static int check_vgpu(const struct spec_cursor *c, const struct tg_spec *spec,
		      const struct tg_spec_vgpu *v, const struct vgpu_places *at)
{
	u32 sum, i, k;

	if (spec->nr_vgpus == TG_VGPUS_MAX)
		return refuse(c, at->open, "too many virtual GPUs", "at most 16");
	for (i = 0; i < spec->nr_vgpus; i++)
		if (str_same(spec->text, spec->vgpus[i].name, v->name))
			return refuse(c, at->name, "repeated virtual GPU", "each one once");
	for (k = 0; k < TG_VGPU_SHARES; k++) {
		sum = v->share[k];
		for (i = 0; i < spec->nr_vgpus; i++)
			sum += spec->vgpus[i].share[k];
		if (sum > 100)
			return refuse(c, at->share[k], "shares of more than 100 percent",
				      "at most what the earlier lines leave");
	}
	return 0;
}

static int parse_vgpu(struct spec_cursor *c, struct tg_spec *spec)
{
	struct tg_spec_vgpu v = { .line = c->line };
	struct vgpu_places at = { };
	int err = parse_vgpu_name(c, &v, &at);
	u32 k;

	for (k = 0; !err && k < TG_VGPU_SHARES; k++)
		err = parse_share(c, &range_share[k], &at.share[k], &v.share[k]);
	if (!err)
		err = read_end(c, "the end of the line");
	if (!err)
		err = check_vgpu(c, spec, &v, &at);
	if (!err)
		spec->vgpus[spec->nr_vgpus++] = v;
	return err;
}

static int parse_line(struct spec_cursor *c, struct tg_spec *spec)
{
	struct tg_spec_entry *e = &spec->entries[spec->nr];
	struct spec_places at;
	int err;

	skip_blanks(c);
	if (at_end(c))
		return read_end(c, want_name);
	if (c->text[c->pos] == '[')
		return parse_vgpu(c, spec);
	err = parse_fields(c, e, &at);
	if (!err)
		err = check_against(c, spec, e, &at);
	if (err)
		return err;
	if (e->resv == TG_BG && e->capacity && spec->background < 0)
		spec->background = (s32)spec->nr;
	spec->nr++;
	return 0;
}

u32 tg_spec_room(const char *text, u32 len)
{
	u32 lines = 1;
	u32 i;

	for (i = 0; i < len; i++)
		lines += text[i] == '\n';
	return lines;
}

/* Puts the cursor on the byte that is one too many. */
static int refuse_long(struct spec_cursor *c)
{
	for (c->pos = 0; c->pos < TG_SPEC_TEXT_MAX; c->pos++) {
		if (c->text[c->pos] == '\n') {
			c->line++;
			c->start = c->pos + 1;
		}
	}
	return refuse(c, c->pos, "text too long", "at most 65536 bytes");
}

int tg_spec_parse(struct tg_spec *spec, u32 len, struct tg_spec_error *err)
{
	static const char mark[] = "\xef\xbb\xbf";
	struct spec_cursor c = { .text = spec->text, .line = 1, .err = err };
	u32 next;
	int ret;

	spec->nr = 0;
	spec->nr_vgpus = 0;
	spec->background = -1;
	spec->serial = 0;
	if (len > TG_SPEC_TEXT_MAX)
		return refuse_long(&c);
	if (len >= strlen(mark) && !memcmp(c.text, mark, strlen(mark)))
		return refuse(&c, 0, "byte-order mark", "UTF-8 without a mark");
	for (; c.start < len; c.start = next, c.line++) {
		for (next = c.start; next < len && c.text[next] != '\n'; next++)
			;
		c.pos = c.start;
		c.end = next;
		if (c.end > c.start && c.text[c.end - 1] == '\r')
			c.end--;
		if (next < len)
			next++;		/* over the LF */
		ret = parse_line(&c, spec);
		if (ret)
			return ret;
	}
	return 0;
}

/*
 * After a mismatch only the last '*' needs to take one byte more, since an earlier one could
 * only repeat what the last one tries: at worst len(glob) * len(subject) steps.
 */
static bool glob_matches(const char *glob, u32 len, const char *subject)
{
	const char *again = NULL;	/* where the last '*' ends in the subject */
	u32 star = 0;			/* offset behind it in the glob */
	u32 i = 0;

	while (*subject) {
		if (i < len && glob[i] == '*') {
			star = ++i;
			again = subject;
		} else if (i < len && (glob[i] == '?' || glob[i] == *subject)) {
			i++;
			subject++;
		} else if (again) {
			i = star;
			subject = ++again;
		} else {
			return false;
		}
	}
	while (i < len && glob[i] == '*')
		i++;
	return i == len;
}

/* Writes a number in decimal; @buf has room for the 10 digits of a u32 and a NUL. */
static void write_decimal(u32 value, char buf[11])
{
	char digits[10];
	u32 n = 0;

	do {
		digits[n++] = (char)('0' + value % 10);
		value /= 10;
	} while (value);
	while (n)
		*buf++ = digits[--n];
	*buf = '\0';
}

const struct tg_spec_entry *tg_spec_match(const struct tg_spec *spec,
					  const struct tg_identity *id)
{
	char uid[11];
	const char *const subjects[TG_MATCHES] = {
		[TG_MATCH_COMM] = id->comm,
		[TG_MATCH_EXE] = id->exe,
		[TG_MATCH_UID] = uid,
		[TG_MATCH_CGROUP] = id->cgroup,
	};
	const struct tg_spec_entry *e;
	struct tg_str pattern;
	enum tg_match i;

	write_decimal(id->uid, uid);
	for (e = spec->entries; e < spec->entries + spec->nr; e++) {
		for (i = 0; i < TG_MATCHES; i++) {
			pattern = effective_pattern(e, i);
			if (!pattern.len)
				continue;
			/* A plain name has no wildcards: as a glob it matches literally. */
			if (!subjects[i] ||
			    !glob_matches(spec->text + pattern.off, pattern.len, subjects[i]))
				break;
		}
		if (i == TG_MATCHES)
			return e;
	}
	return NULL;
}
