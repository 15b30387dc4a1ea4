// SPDX-License-Identifier: GPL-2.0
/*
 * The specification's settings: the lines `policy NAME` and `knob NAME VALUE`.
 *
 * spec.c calls it for each line that begins with one of the two words. Pure, as all of the parser:
 * no state, no lock, any context. What a policy or knob is called, and which values it takes,
 * stands in the tables of policies and knobs.
 */
#include <tg/policy.h>

#include "spec.h"

static const char want_knob[] =
	"a knob of tgctl knob; of policies, only that of the policy that a line above names";

static const struct spec_limits words_value = {
	0, 0, "knob out of range", "a value from MIN to MAX of tgctl knob"
};

enum spec_setting tg_spec_setting(const struct spec_cursor *c)
{
	struct spec_cursor look = *c;
	struct tg_str word = tg_spec_word(&look, '=');
	enum spec_setting setting = SPEC_POLICY;

	if (tg_spec_is(c, word, "knob"))
		setting = SPEC_KNOB;
	else if (!tg_spec_is(c, word, "policy"))
		return SPEC_NONE;
	if (!at_end(&look) && !is_blank(look.text[look.pos]))
		return SPEC_NONE;
	skip_blanks(&look);
	return at_end(&look) || look.text[look.pos] != ':' ? setting : SPEC_NONE;
}

/* Refuse a setting at offset @at that stands below a client or a virtual GPU. */
static int check_order(const struct spec_cursor *c, const struct tg_spec *spec, u32 at)
{
	if (!spec->nr && !spec->nr_vgpus)
		return 0;
	return tg_spec_refuse(c, at, "a setting below a client",
			      "policy and knobs above all clients and virtual GPUs");
}

static struct tg_spec_place place_of(const struct spec_cursor *c, struct tg_str s)
{
	return (struct tg_spec_place){ .line = c->line, .column = s.off - c->start + 1 };
}

static int parse_policy(struct spec_cursor *c, struct tg_spec *spec, u32 at)
{
	struct tg_str name;
	int err, nr;

	err = tg_spec_field(c, &name, tg_policy_names);
	if (err)
		return err;
	nr = tg_policy_find(c->text + name.off, name.len);
	if (nr < 0)
		return tg_spec_refuse(c, name.off, "unknown policy", tg_policy_names);
	err = tg_spec_end(c, "the end of the line");
	if (!err)
		err = check_order(c, spec, at);
	if (err)
		return err;
	if (spec->policy >= 0)
		return tg_spec_refuse(c, name.off, "a second policy", "one policy");
	spec->policy = nr;
	spec->policy_at = place_of(c, name);
	return 0;
}

static bool find_in(const struct spec_cursor *c, struct tg_str name, const struct tg_param *params,
		    u32 *nr)
{
	u32 i;

	for (i = 0; params && params[i].name; i++) {
		if (tg_spec_is(c, name, params[i].name)) {
			*nr = i;
			return true;
		}
	}
	return false;
}

/* The knob called @name, NULL: none. A policy's may go without `POLICY_`. */
static const struct tg_param *find_knob(const struct spec_cursor *c, const struct tg_spec *spec,
					struct tg_str name, struct tg_spec_knob *knob)
{
	const struct tg_policy *policy = spec->policy < 0 ? NULL : tg_policy_get(spec->policy);
	struct tg_str word = name;
	u32 len;

	if (find_in(c, name, tg_core_params, &knob->nr)) {
		knob->of = TG_KNOB_OF_CORE;
		return &tg_core_params[knob->nr];
	}
	if (find_in(c, name, tg_host_params, &knob->nr)) {
		knob->of = TG_KNOB_OF_HOST;
		return &tg_host_params[knob->nr];
	}
	if (!policy)
		return NULL;
	len = strlen(policy->name);
	if (name.len > len && !memcmp(c->text + name.off, policy->name, len) &&
	    c->text[name.off + len] == '_') {
		word.off += len + 1;
		word.len -= len + 1;
	}
	if (!find_in(c, word, policy->params, &knob->nr))
		return NULL;
	knob->of = TG_KNOB_OF_POLICY;
	return &policy->params[knob->nr];
}

/* Is it in microseconds, as its name says? Then its value may have a unit. */
static bool is_time(const struct tg_param *param)
{
	u32 len = strlen(param->name);

	return len > 3 && !memcmp(param->name + len - 3, "_us", 3);
}

static int parse_knob(struct spec_cursor *c, struct tg_spec *spec, u32 at)
{
	struct spec_limits limits = words_value;
	struct tg_spec_knob knob = { };
	const struct tg_param *param;
	struct tg_str name, s;
	u64 value;
	int err;

	err = tg_spec_field(c, &name, want_knob);
	if (err)
		return err;
	param = find_knob(c, spec, name, &knob);
	if (!param)
		return tg_spec_refuse(c, name.off, "unknown knob", want_knob);
	limits.min = param->min;
	limits.max = param->max;
	err = tg_spec_field(c, &s, limits.want);
	if (!err)
		err = is_time(param) ? tg_spec_time(c, s, &limits, &value) :
				       tg_spec_number(c, s, &limits, &value);
	if (!err)
		err = tg_spec_end(c, "the end of the line");
	if (!err)
		err = check_order(c, spec, at);
	if (err)
		return err;
	if (tg_spec_sets(spec, knob.of, knob.nr))
		return tg_spec_refuse(c, name.off, "repeated knob", "each knob once");
	knob.at = place_of(c, s);
	knob.value = value;
	spec->knobs[spec->nr_knobs++] = knob;
	return 0;
}

int tg_spec_parse_setting(struct spec_cursor *c, struct tg_spec *spec, enum spec_setting setting)
{
	u32 at = c->pos;

	tg_spec_word(c, ' ');
	return setting == SPEC_POLICY ? parse_policy(c, spec, at) : parse_knob(c, spec, at);
}
