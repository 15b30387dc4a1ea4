// SPDX-License-Identifier: GPL-2.0
/*
 * The policy and the knobs that a spec names come into force with it: all, or none.
 *
 * match.c calls tg_settings_check() for the event SPEC before it changes anything, and
 * tg_settings_apply() afterwards, which cannot fail; or tg_settings_note(), where the event leaves
 * policy and knobs alone. handover.c and dry.c call tg_settings_begin() when a policy comes into
 * force: a switch drains first, so the knobs of the new policy wait in tg_gpu.begins. All of it
 * runs under the GPU's lock, but for tg_policy_begins(), which is pure: table.c and hosts call it.
 */
#include "dry.h"
#include "handover.h"
#include "knob.h"
#include "settings.h"

int tg_settings_check(const struct tg_gpu *gpu, const struct tg_spec *spec)
{
	const struct tg_spec_knob *dry = tg_spec_sets(spec, TG_KNOB_OF_CORE, TG_KNOB_DRY);

	if (dry && dry->value && !gpu->dry && !gpu->pooled[TG_POOL_DRY])
		return -ENOMEM;
	/* Two policies may come into force at once: fifo for a dry run, and what is modelled. */
	return (dry || spec->policy >= 0) && gpu->behind >= TG_BEHIND_MAX - 1 ? -EBUSY : 0;
}

/* Of the policy that the spec names; knobs that it does not name stay as they are in @knob. */
static void take_knobs(const struct tg_spec *spec, s64 knob[TG_KNOBS_MAX])
{
	u32 i;

	for (i = 0; i < spec->nr_knobs; i++)
		if (spec->knobs[i].of == TG_KNOB_OF_POLICY)
			knob[spec->knobs[i].nr] = spec->knobs[i].value;
}

void tg_policy_begins(const struct tg_policy *policy, const struct tg_spec *spec,
		      s64 knob[TG_KNOBS_MAX])
{
	const struct tg_param *param = policy->params;
	u32 i;

	memset(knob, 0, TG_KNOBS_MAX * sizeof(*knob));
	for (i = 0; param && param[i].name; i++)
		knob[i] = param[i].def;
	if (spec && tg_policy_get(spec->policy) == policy)
		take_knobs(spec, knob);
}

void tg_settings_begin(const struct tg_gpu *gpu, const struct tg_policy *policy,
		       s64 knob[TG_KNOBS_MAX])
{
	if (policy == gpu->begins.policy)
		memcpy(knob, gpu->begins.knob, sizeof(gpu->begins.knob));
	else
		tg_policy_begins(policy, NULL, knob);
}

/* Knobs that the spec does not name stay as they are, if the policy is chosen, or on its way. */
void tg_settings_note(struct tg_gpu *gpu, const struct tg_spec *spec)
{
	const struct tg_gpu *chosen = gpu->dry ? &gpu->dry->model : gpu;
	const struct tg_policy *policy = tg_policy_get(spec->policy);

	if (!policy)
		return;
	if (chosen->policy == policy)
		memcpy(gpu->begins.knob, chosen->policy_knob, sizeof(gpu->begins.knob));
	else if (gpu->next_policy != policy || gpu->begins.policy != policy)
		tg_policy_begins(policy, NULL, gpu->begins.knob);
	gpu->begins.policy = policy;
	take_knobs(spec, gpu->begins.knob);
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
	const struct tg_spec_knob *dry = tg_spec_sets(spec, TG_KNOB_OF_CORE, TG_KNOB_DRY);

	/* A dry run begins with the knobs that are set, and with the policy that is chosen. */
	set_knobs(gpu, spec, TG_KNOB_OF_CORE);
	if (dry)
		set_knob(gpu, false, TG_KNOB_DRY, dry->value);
	if (spec->policy < 0)
		return;
	tg_settings_note(gpu, spec);
	tg_policy_switch(gpu, spec->policy);
	/* A policy that comes into force later begins with its knobs. */
	if (tg_gpu_policy(gpu) == tg_policy_get(spec->policy))
		set_knobs(gpu, spec, TG_KNOB_OF_POLICY);
}
