/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The policy and the knobs that a spec names: settings.c.
 */
#ifndef TG_CORE_SETTINGS_H
#define TG_CORE_SETTINGS_H

#include <tg/policy.h>

/* Can the spec's settings come into force? Changes nothing. Return: 0, -ENOMEM or -EBUSY. */
int tg_settings_check(const struct tg_gpu *gpu, const struct tg_spec *spec);
/* Put them in force, after tg_settings_check() has said 0 to the same event. */
void tg_settings_apply(struct tg_gpu *gpu, const struct tg_spec *spec);
/* What the knobs of the policy that the spec names, if any, are when that comes into force. */
void tg_settings_note(struct tg_gpu *gpu, const struct tg_spec *spec);
/* The knobs with which @policy comes into force, in @knob. */
void tg_settings_begin(const struct tg_gpu *gpu, const struct tg_policy *policy,
		       s64 knob[TG_KNOBS_MAX]);

#endif /* TG_CORE_SETTINGS_H */
