// SPDX-License-Identifier: GPL-2.0
/*
 * The policy and the knobs that a spec names come into force with it: all, or none.
 *
 * match.c calls tg_settings_check() for the event SPEC before it changes anything, and
 * tg_settings_apply() afterwards, which cannot fail; or tg_settings_note(), where policy and knobs
 * are left alone. handover.c and dry.c call tg_settings_begin()
 * when a policy comes into force: a switch drains first, so that the knobs of the new policy have
 * to wait in tg_gpu.begins. All of it runs under the GPU's lock.
 */
#include "dry.h"
#include "handover.h"
#include "knob.h"
#include "settings.h"

/* The value that the spec gives a knob of the core; false: it does not name it. */
static bool names(const struct tg_spec *spec, u32 nr, s64 *value)
{
	u32 i;

	for (i = 0; i < spec->nr_knobs; i++) {
		if (spec->knobs[i].of == TG_KNOB_OF_CORE && spec->knobs[i].nr == nr) {
			*value = spec->knobs[i].value;
			return true;
		}
	}
	return false;
}

int tg_settings_check(const struct tg_gpu *gpu, const struct tg_spec *spec)
{
	s64 dry = !!gpu->dry;
	bool switches = names(spec, TG_KNOB_DRY, &dry) || spec->policy >= 0;

	if (dry && !gpu->dry && !gpu->pooled[TG_POOL_DRY])
		return -ENOMEM;
	/* Two policies may come into force at once: fifo for a dry run, and what is modelled. */
	return switches && gpu->behind >= TG_BEHIND_MAX - 1 ? -EBUSY : 0;
}

void tg_settings_begin(const struct tg_gpu *gpu, const struct tg_policy *policy,
		       s64 knob[TG_KNOBS_MAX])
{
	const struct tg_param *param = policy->params;
	u32 i;

	if (policy == gpu->begins.policy) {
		memcpy(knob, gpu->begins.knob, sizeof(gpu->begins.knob));
		return;
	}
	memset(knob, 0, sizeof(gpu->begins.knob));
	for (i = 0; param && param[i].name; i++)
		knob[i] = param[i].def;
}

/* Knobs that the spec does not name stay as they are, if the policy is chosen, or on its way. */
void tg_settings_note(struct tg_gpu *gpu, const struct tg_spec *spec)
{
	const struct tg_gpu *chosen = gpu->dry ? &gpu->dry->model : gpu;
	const struct tg_policy *policy = tg_policy_get(spec->policy);
	struct tg_begins old = gpu->begins;
	u32 i;

	if (!policy)
		return;
	gpu->begins.policy = NULL;
	tg_settings_begin(gpu, policy, gpu->begins.knob);
	gpu->begins.policy = policy;
	if (chosen->policy == policy)
		memcpy(gpu->begins.knob, chosen->policy_knob, sizeof(gpu->begins.knob));
	else if (gpu->next_policy == policy && old.policy == policy)
		gpu->begins = old;
	for (i = 0; i < spec->nr_knobs; i++)
		if (spec->knobs[i].of == TG_KNOB_OF_POLICY)
			gpu->begins.knob[spec->knobs[i].nr] = spec->knobs[i].value;
}

static void set_knob(struct tg_gpu *gpu, bool of_policy, u32 nr, s64 value)
{
	struct tg_event ev = {
		.kind = TG_EV_KNOB, .now = gpu->now,
		.knob = { .number = nr, .of_policy = of_policy, .value = value },
	};

	tg_policy_knob(gpu, &ev);
}

static bool is_dry(const struct tg_spec_knob *knob)
{
	return knob->of == TG_KNOB_OF_CORE && knob->nr == TG_KNOB_DRY;
}

static void set_knobs(struct tg_gpu *gpu, const struct tg_spec *spec, enum tg_knob_of of)
{
	const struct tg_spec_knob *knob;

	for (knob = spec->knobs; knob < spec->knobs + spec->nr_knobs; knob++)
		if (knob->of == of && !is_dry(knob))
			set_knob(gpu, of == TG_KNOB_OF_POLICY, knob->nr, knob->value);
}

void tg_settings_apply(struct tg_gpu *gpu, const struct tg_spec *spec)
{
	s64 dry;

	/* A dry run begins with the knobs that are set, and with the policy that is chosen. */
	set_knobs(gpu, spec, TG_KNOB_OF_CORE);
	if (names(spec, TG_KNOB_DRY, &dry))
		set_knob(gpu, false, TG_KNOB_DRY, dry);
	if (spec->policy < 0)
		return;
	tg_settings_note(gpu, spec);
	tg_policy_switch(gpu, spec->policy);
	/* If it is in force already. One that is not begins with them. */
	if (tg_gpu_policy(gpu) == tg_policy_get(spec->policy))
		set_knobs(gpu, spec, TG_KNOB_OF_POLICY);
}
