/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The knobs of the core and of the policy in force: knob.c.
 */
#ifndef TG_CORE_KNOB_H
#define TG_CORE_KNOB_H

#include <tg/policy.h>

/* A knob of the core as tg_gpu.knob has it: times in ns, shares as in struct tg_reserve. */
s64 tg_knob_value(u32 nr, s64 value);
int tg_policy_knob(struct tg_gpu *gpu, const struct tg_event *ev);

#endif /* TG_CORE_KNOB_H */
