// SPDX-License-Identifier: GPL-2.0
/*
 * What is in force for all devices, and for those that come: the policy, the knobs, the spec.
 *
 * files.c calls this when a tool writes, main.c when the daemon starts, device.c when a device
 * comes. A spec comes into force on all devices, whole, or on none.
 */
#include <stdio.h>
#include <stdlib.h>

#include "device.h"
#include "lease.h"
#include "main.h"
#include "settings.h"
#include "tgd.h"
#include "tgd/takes.h"

struct settings settings;

/* Programs wait for memory here, by default. */
static s64 knob_default(u32 nr)
{
	return nr == TG_KNOB_VRAM_ORDER ? TG_MEM_FIFO : tg_core_params[nr].def;
}

/* The knobs of settings.policy, which comes into force: those of the spec, if it names it. */
static void begin_policy(void)
{
	const struct tg_param *params = tg_policy_get(settings.policy)->params;
	const struct tg_spec *spec = settings.spec ? &settings.spec->spec : NULL;
	u32 i;

	for (i = 0; params && params[i].name; i++)
		settings.policy_knobs[i] = params[i].def;
	for (i = 0; spec && spec->policy == (int)settings.policy && i < spec->nr_knobs; i++)
		if (spec->knobs[i].of == TG_KNOB_OF_POLICY)
			settings.policy_knobs[spec->knobs[i].nr] = spec->knobs[i].value;
}

/** settings_init() - before anything else; @policy: number of the first policy */
void settings_init(u32 policy)
{
	u32 i;

	for (i = 0; i < TG_KNOBS; i++)
		settings.knobs[i] = knob_default(i);
	settings.policy = policy;
	begin_policy();
}

/* --- knobs --- */

/* One knob of the core, or of a policy. */
struct found {
	const struct tg_param *param;
	int policy;		/* -1: the core's */
	u32 nr;
	const char *side;	/* "", "_min", "_max" or "_default" */
};

static bool is_side(const char *s)
{
	return !*s || !strcmp(s, "_min") || !strcmp(s, "_max") || !strcmp(s, "_default");
}

/* The longest name that fits: one may begin another. */
static bool find_in(const struct tg_param *params, int policy, const char *name, struct found *f)
{
	size_t len, best = 0;
	u32 nr;

	for (nr = 0; params && params[nr].name; nr++) {
		len = strlen(params[nr].name);
		if (len < best || strncmp(name, params[nr].name, len) || !is_side(name + len))
			continue;
		best = len;
		*f = (struct found){ &params[nr], policy, nr, name + len };
	}
	return best;
}

static bool find_knob(const char *name, struct found *f)
{
	const struct tg_policy *policy;
	size_t len;
	u32 i;

	if (find_in(tg_core_params, -1, name, f))
		return true;
	for (i = 0; (policy = tg_policy_get(i)); i++) {
		len = strlen(policy->name);
		if (!policy->sample && !strncmp(name, policy->name, len) && name[len] == '_' &&
		    find_in(policy->params, i, name + len + 1, f))
			return true;
	}
	return false;
}

static s64 usual(const struct found *f)
{
	return f->policy < 0 ? knob_default(f->nr) : f->param->def;
}

static s64 knob_value(const struct found *f)
{
	return f->policy < 0 ? settings.knobs[f->nr] :
	       f->policy == (int)settings.policy ? settings.policy_knobs[f->nr] : f->param->def;
}

/** settings_read_knob() - a file in knobs/ */
int settings_read_knob(FILE *to, const char *name)
{
	struct found f;

	if (!find_knob(name, &f))
		return -ENOENT;
	fprintf(to, "%lld\n", (long long)(!strcmp(f.side, "_min") ? f.param->min :
					  !strcmp(f.side, "_max") ? f.param->max :
					  !strcmp(f.side, "_default") ? usual(&f) :
					  knob_value(&f)));
	return 0;
}

static void list_knobs(FILE *to, const char *prefix, const struct tg_param *params)
{
	static const char *const sides[] = { "", "_min", "_max", "_default" };
	u32 nr, i;

	for (nr = 0; params && params[nr].name; nr++)
		for (i = 0; i < ARRAY_SIZE(sides); i++)
			fprintf(to, "%s%s%s%s\n", prefix, *prefix ? "_" : "", params[nr].name,
				sides[i]);
}

/** settings_list_knobs() - the files in knobs/ */
void settings_list_knobs(FILE *to)
{
	const struct tg_policy *p;
	u32 i;

	list_knobs(to, "", tg_core_params);
	for (i = 0; (p = tg_policy_get(i)); i++)
		if (!p->sample)
			list_knobs(to, p->name, p->params);
}

static int feed_knob(struct device *d, bool of_policy, u32 nr, s64 value)
{
	struct tg_event ev = { .kind = TG_EV_KNOB };

	ev.knob.number = nr;
	ev.knob.of_policy = of_policy;
	ev.knob.value = value;
	return device_feed(d, &ev);
}

/** settings_policy_knobs() - give a device the knobs of the policy that has come into force there */
void settings_policy_knobs(struct device *d)
{
	const struct tg_policy *policy = tg_policy_get(settings.policy);
	u32 i;

	d->knobs_due = false;
	if (tg_gpu_policy(&d->core) != policy)
		return;		/* it was ejected */
	for (i = 0; policy->params && policy->params[i].name; i++)
		d->knobs_due |= feed_knob(d, true, i, settings.policy_knobs[i]) == -EBUSY;
}

/* Is the policy in force on the device, or about to be? */
static bool has_policy(const struct device *d, int nr)
{
	const struct tg_policy *policy = d->core.next_policy ?: tg_gpu_policy(&d->core);

	return policy == tg_policy_get(nr);
}

/** settings_set_knob() - set a knob on all devices */
int settings_set_knob(const char *name, s64 value)
{
	struct found f;
	int ret = 0;
	u32 i;

	if (!find_knob(name, &f) || *f.side)
		return -ENOENT;
	if (value < f.param->min || value > f.param->max)
		return -ERANGE;
	if (f.policy >= 0 && f.policy != (int)settings.policy)
		return -EBUSY;
	for (i = 0; i < nr_devices && f.policy >= 0; i++)
		if (!has_policy(devices[i], f.policy))
			return -EBUSY;
	for (i = 0; i < nr_devices && !ret; i++) {
		lease_end(devices[i]);
		if (f.policy >= 0 && devices[i]->core.next_policy)
			devices[i]->knobs_due = true;	/* after the drain */
		else
			ret = feed_knob(devices[i], f.policy >= 0, f.nr, value);
		device_settle(devices[i]);
	}
	if (!ret)
		*(f.policy < 0 ? &settings.knobs[f.nr] : &settings.policy_knobs[f.nr]) = value;
	return ret;
}

/* --- policy --- */

/** settings_policy_name() - of the policy in force on the first device, or about to be */
const char *settings_policy_name(void)
{
	const struct tg_policy *policy = tg_policy_get(settings.policy);

	if (nr_devices)
		policy = devices[0]->core.next_policy ?: tg_gpu_policy(&devices[0]->core);
	return policy->name;
}

/** settings_set_policy() - change the policy; each device has it when its drain ends */
int settings_set_policy(const char *name)
{
	struct tg_event ev = { .kind = TG_EV_POLICY };
	int nr = tg_policy_find(name, strlen(name)), ret = 0;
	u32 i;

	if (nr < 0)
		return -EINVAL;
	if (tg_policy_get(nr)->sample)
		return -EOPNOTSUPP;	/* nobody polls here */
	ev.policy.number = nr;
	for (i = 0; i < nr_devices && !ret; i++) {
		lease_end(devices[i]);
		ev.at = 0;
		ret = device_feed(devices[i], &ev);
	}
	if (!ret && nr != (int)settings.policy) {
		settings.policy = nr;
		begin_policy();
	}
	for (i = 0; i < nr_devices; i++) {
		devices[i]->knobs_due = true;
		device_settle(devices[i]);
	}
	return ret;
}

/* --- spec --- */

static void spec_free(struct spec *s)
{
	if (!s)
		return;
	free(s->spec.entries);
	free((char *)s->spec.text);
	free(s);
}

static struct spec *spec_new(const char *text, u32 len)
{
	struct spec *s = need(calloc(1, sizeof(*s)));
	char *copy = need(malloc(len + 1));

	memcpy(copy, text, len);
	copy[len] = '\0';
	s->len = len;
	s->spec.text = copy;
	s->spec.entries = need(calloc(tg_spec_room(copy, len), sizeof(*s->spec.entries)));
	return s;
}

/* What is in force for devices that come later; the spec is settings.spec already. */
static void note_settings(const struct tg_spec *spec)
{
	u32 i;

	if (spec->policy >= 0 && spec->policy != (int)settings.policy) {
		settings.policy = spec->policy;
		begin_policy();
	}
	for (i = 0; i < spec->nr_knobs; i++) {
		if (spec->knobs[i].of == TG_KNOB_OF_CORE)
			settings.knobs[spec->knobs[i].nr] = spec->knobs[i].value;
		else
			settings.policy_knobs[spec->knobs[i].nr] = spec->knobs[i].value;
	}
}

/**
 * spec_commit() - put a text in force, whole or not at all
 * @text: it
 * @len: its bytes
 * @rematch: for running clients too
 * @result: receives "ok N", or what is wrong
 * @room: bytes there
 *
 * Return: 0, or a negative errno.
 */
int spec_commit(const char *text, u32 len, bool rematch, char *result, size_t room)
{
	struct spec *s, *old = settings.spec;
	struct tg_spec_error err;
	static u32 serial;
	int ret = 0;
	u32 i;

	if (len > TG_SPEC_TEXT_MAX) {
		snprintf(result, room, "1:1: longer than %d bytes; a shorter text", TG_SPEC_TEXT_MAX);
		return -EINVAL;
	}
	s = spec_new(text, len);
	if (tg_spec_parse(&s->spec, len, &err) || !tgd_takes(&s->spec, &err)) {
		snprintf(result, room, "%u:%u: %s; %s", err.line, err.column, err.what, err.want);
		spec_free(s);
		return -EINVAL;
	}
	for (i = 0; i < nr_devices && !ret; i++)
		ret = device_takes_spec(devices[i], s, rematch);
	if (ret) {
		snprintf(result, room, "changes come faster than programs follow; once more in a second");
		spec_free(s);
		for (i = 0; i < nr_devices; i++)
			device_settle(devices[i]);
		return ret;
	}
	serial += serial == U32_MAX ? 2 : 1;
	s->spec.serial = serial;
	/* Nothing fails any more. */
	settings.spec = s;
	note_settings(&s->spec);
	for (i = 0; i < nr_devices; i++) {
		device_spec(devices[i], s, rematch, true);
		devices[i]->knobs_due = true;
		device_settle(devices[i]);
	}
	spec_free(old);
	snprintf(result, room, "ok %u", s->spec.nr);
	return 0;
}

/* --- a device that comes --- */

/** settings_first_policy() - with which a device begins: the spec's, whose knobs it then knows */
u32 settings_first_policy(void)
{
	const struct spec *s = settings.spec;

	return s && s->spec.policy >= 0 ? (u32)s->spec.policy : settings.policy;
}

/** settings_feed() - put all of it in force on a device that has no client yet */
void settings_feed(struct device *d)
{
	struct tg_event policy = { .kind = TG_EV_POLICY, .policy.number = settings.policy };
	u32 i;

	if (settings.spec)
		device_spec(d, settings.spec, false, true);
	if (settings.policy != settings_first_policy())
		device_feed(d, &policy);
	for (i = 0; i < TG_KNOBS; i++)
		feed_knob(d, false, i, settings.knobs[i]);
	settings_policy_knobs(d);
}
