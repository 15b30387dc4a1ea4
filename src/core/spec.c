// SPDX-License-Identifier: GPL-2.0
/*
 * The specification's parser: text to a table of lines, or the first error. docs/spec-format.md is
 * the grammar; tests/lib/spec_oracle.c is a second reading of that page to compare with.
 *
 * Hosts call it when a text is committed (process context, no lock), tgctl and tests call it, too.
 * Everything is in the caller's memory: this file owns nothing and keeps no state.
 *
 * A cursor reads a line from left to right and refuses it at the first byte that fits nothing
 * (spec_read.c). Only a line that is good by itself is then held against the lines before it. That
 * order is the format's promise: it makes the place of an error unique.
 */
#include "spec.h"

/* Where a line's fields begin, for errors that show only beside another line. */
struct spec_places {
	u32 name, resv, capacity, period;
};

/* The same of a [vgpu] line. */
struct vgpu_places {
	u32 open, name, share[TG_VGPU_SHARES];
};

static const struct spec_limits range_prio = {
	TG_PRIO_MIN, TG_PRIO_MAX, "prio out of range", "prio: 0 (lowest) to 99, * or nice"
};

static const struct spec_limits range_capacity = {
	1, TG_SPEC_PERIOD_MAX / TG_USEC, "C out of range", "C: 1us to 10s; us without a unit"
};

static const struct spec_limits range_capacity_bg = {
	0, TG_SPEC_PERIOD_MAX / TG_USEC, "C out of range",
	"C: 1us to 10s, us without a unit; or 0 to be just a member of Background"
};

static const struct spec_limits range_capacity_gpu = {
	0, 0, "Background's C on one GPU", "C: 0 beside gpu=; to limit one GPU, pe and reserve="
};

static const struct spec_limits range_period = {
	1, TG_SPEC_PERIOD_MAX / TG_USEC, "T out of range", "T: 1us to 10s; us without a unit"
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

static const struct spec_limits range_share[TG_VGPU_SHARES] = {
	[TG_COMPUTE] = { 1, 100, "share out of range", "compute: 1 to 100 percent" },
	[TG_COPY] = { 1, 100, "share out of range", "copy: 1 to 100 percent" },
	[TG_MEMORY] = { 1, 100, "share out of range", "memory: 1 to 100 percent" },
};

enum spec_key { KEY_RESERVE, KEY_WEIGHT, KEY_DEPTH, KEY_VGPU, KEY_MEM, KEY_NR };

static const char *const key_names[KEY_NR] = { "reserve", "weight", "depth", "vgpu", "mem" };

static const char want_name[] =
	"a process name; exe=, uid= or cgroup= and a glob; kernel=; or gpu=";
static const char want_sched[] = "sched: prt or ht";
static const char want_resv[] = "resv: pe, ae, cbs or bg";
static const char want_key[] = "reserve=, weight=, depth=, vgpu= or mem=";
static const char want_vgpu[] = "[vgpu NAME]; quotes around a name that begins with [";
static const char want_kernel[] = "in a kernel= line prt, pe or bg, prio 0, no key but reserve=";
static const char want_alone[] =
	"kernel= alone or beside gpu=: a driver's own work has no user, path or cgroup";

static const char want_quotes[] =
	"quotes around a name with blanks; a setting begins with policy or knob";

static const char want_once[] = "exe=, uid=, cgroup=, kernel= and gpu= once each";

static bool str_same(const char *text, struct tg_str a, struct tg_str b)
{
	return a.len == b.len && !memcmp(text + a.off, text + b.off, a.len);
}

static bool names_any(const struct tg_spec_entry *e)
{
	enum tg_match i;

	for (i = 0; i < TG_MATCHES && !e->pattern[i].len; i++)
		;
	return i < TG_MATCHES;
}

/* Does the line name a driver's own work? It is never held, so no field may ask for that. */
static bool of_kernel(const struct tg_spec_entry *e)
{
	return e->pattern[TG_MATCH_KERNEL].len;
}

static int refuse_holding(const struct spec_cursor *c, u32 at)
{
	return tg_spec_refuse(c, at, "a driver's own work is never held", want_kernel);
}

/* Reads what stands behind gpu, whose first byte is at @at. */
static int parse_gpu(struct spec_cursor *c, struct tg_spec_entry *e, u32 at)
{
	if (e->gpu)
		return tg_spec_refuse(c, at, "repeated qualifier", want_once);
	c->pos++;
	return tg_spec_gpu(c, &e->gpu);
}

/* Reads a plain name, or a qualifier and its value. */
static int parse_name(struct spec_cursor *c, struct tg_spec_entry *e)
{
	static const char *const words[TG_MATCHES] = {
		[TG_MATCH_EXE] = "exe", [TG_MATCH_UID] = "uid", [TG_MATCH_CGROUP] = "cgroup",
		[TG_MATCH_KERNEL] = "kernel",
	};
	const bool kernel = e->pattern[TG_MATCH_KERNEL].len, more = names_any(e);
	struct tg_str word = tg_spec_word(c, '=');
	enum tg_match match = TG_MATCH_COMM;
	int err;

	if (c->pos < c->end && c->text[c->pos] == '=') {
		if (tg_spec_is(c, word, "gpu"))
			return parse_gpu(c, e, word.off);
		for (match++; match < TG_MATCHES && !tg_spec_is(c, word, words[match]); match++)
			;
		if (match == TG_MATCHES)
			return tg_spec_refuse(c, word.off, "unknown word before =",
					      "exe=, uid=, cgroup=, kernel= or gpu=; quotes around a name with = in it");
		if (e->pattern[match].len)
			return tg_spec_refuse(c, word.off, "repeated qualifier", want_once);
		if (kernel || (more && match == TG_MATCH_KERNEL))
			return tg_spec_refuse(c, word.off, "kernel= beside another name",
					      want_alone);
		c->pos++;
		err = tg_spec_value(c, &e->pattern[match],
				    match == TG_MATCH_KERNEL ? "a driver's name" : "a glob");
	} else {
		c->pos = word.off;
		if (e->pattern[match].len)
			return tg_spec_refuse(c, c->pos, "two names", want_quotes);
		if (kernel)
			return tg_spec_refuse(c, c->pos, "kernel= beside another name", want_alone);
		err = tg_spec_value(c, &e->pattern[match], want_name);
	}
	return err ? err : tg_spec_check_pattern(c, e->pattern[match], match);
}

/* Does another name follow behind a blank? If not, tg_spec_colon() judges what stands there. */
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

	err = tg_spec_field(c, &s, want_sched);
	if (err)
		return err;
	if (tg_spec_is(c, s, "prt"))
		e->sched = TG_PRT;
	else if (tg_spec_is(c, s, "ht"))
		e->sched = TG_HT;
	else
		return tg_spec_refuse(c, s.off, "unknown sched", want_sched);
	return of_kernel(e) && e->sched != TG_PRT ? refuse_holding(c, s.off) : 0;
}

static int parse_resv(struct spec_cursor *c, struct tg_spec_entry *e, struct spec_places *at)
{
	struct tg_str s;
	int err;

	err = tg_spec_field(c, &s, want_resv);
	if (err)
		return err;
	if (tg_spec_is(c, s, "pe"))
		e->resv = TG_PE;
	else if (tg_spec_is(c, s, "ae"))
		e->resv = TG_AE;
	else if (tg_spec_is(c, s, "bg"))
		e->resv = TG_BG;
	else if (tg_spec_is(c, s, "cbs"))
		e->resv = TG_CBS;
	else
		return tg_spec_refuse(c, s.off, "unknown resv", want_resv);
	if (of_kernel(e) && e->resv != TG_PE && e->resv != TG_BG)
		return refuse_holding(c, s.off);
	at->resv = s.off;
	return 0;
}

static int parse_prio(struct spec_cursor *c, struct tg_spec_entry *e)
{
	struct tg_str s;
	u64 value;
	int err;

	err = tg_spec_field(c, &s, range_prio.want);
	if (err)
		return err;
	if (of_kernel(e) && (tg_spec_is(c, s, "*") || tg_spec_is(c, s, "nice")))
		return refuse_holding(c, s.off);
	e->agpa = tg_spec_is(c, s, "*");
	if (e->agpa) {
		e->prio = TG_PRIO_AGPA;
		return 0;
	}
	e->nice = tg_spec_is(c, s, "nice");
	if (e->nice) {
		e->prio = TG_PRIO_NICE;
		return 0;
	}
	err = tg_spec_number(c, s, &range_prio, &value);
	if (err)
		return err;
	e->prio = value;
	return of_kernel(e) && value ? refuse_holding(c, s.off) : 0;
}

/* A field that is a time: @place is where it stands, @time what it says, in ns. */
static int parse_time(struct spec_cursor *c, const struct spec_limits *r, u32 *place, s64 *time)
{
	struct tg_str s;
	u64 value;
	int err;

	err = tg_spec_field(c, &s, r->want);
	if (err)
		return err;
	err = tg_spec_time(c, s, r, &value);
	if (err)
		return err;
	*place = s.off;
	*time = (s64)value * TG_USEC;
	return 0;
}

static int parse_capacity(struct spec_cursor *c, struct tg_spec_entry *e, struct spec_places *at)
{
	const struct spec_limits *r = e->resv != TG_BG ? &range_capacity :
				      e->gpu ? &range_capacity_gpu : &range_capacity_bg;

	return parse_time(c, r, &at->capacity, &e->capacity);
}

static int parse_period(struct spec_cursor *c, struct tg_spec_entry *e, struct spec_places *at)
{
	const struct spec_limits *r = e->capacity ? &range_period : &range_no_period;
	int err = parse_time(c, r, &at->period, &e->period);

	if (err)
		return err;
	if (e->period < e->capacity)
		return tg_spec_refuse(c, at->period, "T is less than C", "T of at least C");
	if (e->resv == TG_CBS && e->period == e->capacity)
		return tg_spec_refuse(c, at->period, "a guarantee of the whole GPU",
				      "cbs: T greater than C");
	return 0;
}

static int parse_value(struct spec_cursor *c, struct tg_spec_entry *e, enum spec_key key)
{
	struct tg_str s;
	u64 value;
	int err;

	switch (key) {
	case KEY_RESERVE:
		return tg_spec_short_name(c, &e->reserve, ':');
	case KEY_VGPU:
		return tg_spec_short_name(c, &e->vgpu, ':');
	case KEY_WEIGHT:
		err = tg_spec_value(c, &s, range_weight.want);
		if (!err)
			err = tg_spec_number(c, s, &range_weight, &value);
		if (!err)
			e->weight = value;
		return err;
	case KEY_DEPTH:
		err = tg_spec_value(c, &s, range_depth.want);
		if (!err)
			err = tg_spec_number(c, s, &range_depth, &value);
		if (!err)
			e->depth = value;
		return err;
	default:
		return tg_spec_size(c, &e->mem);
	}
}

/* Reads key=value; @seen is a mask of the keys that the line had already. */
static int parse_option(struct spec_cursor *c, struct tg_spec_entry *e, u32 *seen)
{
	struct tg_str s;
	u32 key;

	skip_blanks(c);
	s = tg_spec_word(c, '=');
	for (key = 0; key < KEY_NR && !tg_spec_is(c, s, key_names[key]); key++)
		;
	if (key == KEY_NR)
		return s.len ? tg_spec_refuse(c, s.off, "unknown key", want_key) :
			       tg_spec_refuse_next(c, "no key", want_key);
	if (*seen & 1U << key)
		return tg_spec_refuse(c, s.off, "repeated key", "each key once");
	if (of_kernel(e) && key != KEY_RESERVE)
		return refuse_holding(c, s.off);
	if (key == KEY_RESERVE && e->resv == TG_BG)
		return tg_spec_refuse(c, s.off, "reserve= in a bg line",
				      "pe, ae or cbs, or no reserve=: bg means Background");
	*seen |= 1U << key;
	if (at_end(c) || c->text[c->pos] != '=')
		return tg_spec_refuse_next(c, "key without =", "= and a value, without blanks");
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
		return tg_spec_end(c, "the end of the line, or : and key=value");
	do {
		c->pos++;
		err = parse_option(c, e, &seen);
		if (err)
			return err;
		skip_blanks(c);
	} while (!at_end(c) && c->text[c->pos] == ',');
	return tg_spec_end(c, "the end of the line, or a comma and key=value");
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
		err = tg_spec_colon(c, ": and sched, or quotes around a name with commas");
	if (!err)
		err = parse_sched(c, e);
	if (!err)
		err = tg_spec_colon(c, ": and resv");
	if (!err)
		err = parse_resv(c, e, at);
	if (!err)
		err = tg_spec_colon(c, ": and prio");
	if (!err)
		err = parse_prio(c, e);
	if (!err)
		err = tg_spec_colon(c, ": and C");
	if (!err)
		err = parse_capacity(c, e, at);
	if (!err)
		err = tg_spec_colon(c, ": and T");
	if (!err)
		err = parse_period(c, e, at);
	if (!err)
		err = parse_options(c, e);
	return err;
}

static bool same_names(const char *text, const struct tg_spec_entry *a,
		       const struct tg_spec_entry *b)
{
	enum tg_match i;

	if (a->gpu != b->gpu)
		return false;
	for (i = 0; i < TG_MATCHES; i++)
		if (!str_same(text, tg_spec_pattern(a, i), tg_spec_pattern(b, i)))
			return false;
	return true;
}

/* The first entry that configures the same reserve, Background too; NULL: @e is the first. */
static const struct tg_spec_entry *peer_of(const struct tg_spec *spec,
					   const struct tg_spec_entry *e)
{
	s32 i;

	if (e->resv == TG_BG)
		return e->capacity && spec->background >= 0 ? &spec->entries[spec->background] :
							      NULL;
	for (i = e->reserve.len ? spec->reserves : -1; i >= 0; i = spec->entries[i].next_reserve)
		if (str_same(spec->text, spec->entries[i].reserve, e->reserve))
			return &spec->entries[i];
	return NULL;
}

/* Refuses a line that contradicts an earlier one or can never match because of it. */
static int check_against(const struct spec_cursor *c, const struct tg_spec *spec,
			 const struct tg_spec_entry *e, const struct spec_places *at)
{
	const struct tg_spec_entry *peer = peer_of(spec, e);
	const struct tg_spec_entry *old;

	for (old = spec->entries; old < spec->entries + spec->nr; old++)
		if (same_names(spec->text, old, e))
			return tg_spec_refuse(c, at->name, "repeated name",
					      "each name (its first 15 bytes count) or glob once on a GPU");
	if (!peer)
		return 0;
	if (peer->resv != e->resv)
		return tg_spec_refuse(c, at->resv,
				      "another resv than an earlier line of this reserve",
				      "one resv, C and T for all lines of a reserve");
	if (peer->capacity != e->capacity)
		return tg_spec_refuse(c, at->capacity,
				      "another C than an earlier line of this reserve",
				      "one resv, C and T for all lines of a reserve");
	if (peer->period != e->period)
		return tg_spec_refuse(c, at->period,
				      "another T than an earlier line of this reserve",
				      "one resv, C and T for all lines of a reserve");
	return 0;
}

/* Reads [vgpu NAME] */
static int parse_vgpu_name(struct spec_cursor *c, struct tg_spec_vgpu *v, struct vgpu_places *at)
{
	struct tg_str word;
	int err;

	at->open = c->pos++;
	word = tg_spec_word(c, ']');
	if (!tg_spec_is(c, word, "vgpu"))
		return word.len ? tg_spec_refuse(c, word.off, "unknown word after [", want_vgpu) :
				  tg_spec_refuse_next(c, "unknown word after [", want_vgpu);
	skip_blanks(c);
	at->name = c->pos;
	err = tg_spec_short_name(c, &v->name, ']');
	if (err)
		return err;
	skip_blanks(c);
	if (at_end(c) || c->text[c->pos] != ']')
		return tg_spec_refuse_next(c, "unexpected character",
					   "], or quotes around a name with blanks or commas");
	c->pos++;
	return 0;
}

static int parse_share(struct spec_cursor *c, const struct spec_limits *r, u32 *place, u8 *share)
{
	struct tg_str s;
	u64 value;
	int err;

	err = tg_spec_colon(c, ": and a share");
	if (!err)
		err = tg_spec_field(c, &s, r->want);
	if (!err)
		err = tg_spec_number(c, s, r, &value);
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
		return tg_spec_refuse(c, at->open, "too many virtual GPUs", "at most 16");
	for (i = 0; i < spec->nr_vgpus; i++)
		if (str_same(spec->text, spec->vgpus[i].name, v->name))
			return tg_spec_refuse(c, at->name, "repeated virtual GPU", "each one once");
	for (k = 0; k < TG_VGPU_SHARES; k++) {
		sum = v->share[k];
		for (i = 0; i < spec->nr_vgpus; i++)
			sum += spec->vgpus[i].share[k];
		if (sum > 100)
			return tg_spec_refuse(c, at->share[k], "shares of more than 100 percent",
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
		err = tg_spec_end(c, "the end of the line");
	if (!err)
		err = check_vgpu(c, spec, &v, &at);
	if (!err)
		spec->vgpus[spec->nr_vgpus++] = v;
	return err;
}

static int parse_line(struct spec_cursor *c, struct tg_spec *spec)
{
	struct tg_spec_entry *e = &spec->entries[spec->nr];
	enum spec_setting setting;
	struct spec_places at = { };
	int err;

	skip_blanks(c);
	if (at_end(c))
		return tg_spec_end(c, want_name);
	setting = tg_spec_setting(c);
	if (setting)
		return tg_spec_parse_setting(c, spec, setting);
	if (c->text[c->pos] == '[')
		return parse_vgpu(c, spec);
	err = parse_fields(c, e, &at);
	if (!err)
		err = check_against(c, spec, e, &at);
	if (err)
		return err;
	if (e->resv == TG_BG && e->capacity && spec->background < 0)
		spec->background = (s32)spec->nr;
	if (e->reserve.len && !peer_of(spec, e)) {
		e->next_reserve = spec->reserves;
		spec->reserves = (s32)spec->nr;
	}
	spec->mem |= !!e->mem;
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
	return tg_spec_refuse(c, c->pos, "text too long", "at most 65536 bytes");
}

int tg_spec_parse(struct tg_spec *spec, u32 len, struct tg_spec_error *err)
{
	static const char mark[] = "\xef\xbb\xbf";
	struct spec_cursor c = { .text = spec->text, .line = 1, .err = err };
	u32 next;
	int ret;

	spec->nr = 0;
	spec->nr_vgpus = 0;
	spec->policy = -1;
	spec->nr_knobs = 0;
	spec->background = -1;
	spec->reserves = -1;
	spec->mem = false;
	spec->serial = 0;
	if (len > TG_SPEC_TEXT_MAX)
		return refuse_long(&c);
	if (len >= strlen(mark) && !memcmp(c.text, mark, strlen(mark)))
		return tg_spec_refuse(&c, 0, "byte-order mark", "UTF-8 without a mark");
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
