/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Changing the policy: handover.c.
 */
#ifndef TG_CORE_HANDOVER_H
#define TG_CORE_HANDOVER_H

#include <tg/policy.h>

int tg_policy_switch(struct tg_gpu *gpu, u64 nr);
/* The policy in force gets its clients anew, after a drain; its knobs stay. Or -EBUSY. */
int tg_policy_join_anew(struct tg_gpu *gpu);
int tg_policy_dry_run(struct tg_gpu *gpu, bool on);
void tg_policy_eject(struct tg_gpu *gpu, enum tg_note why);

/* Do a part of the handover that is under way, and when to do the next one, at the latest */
void tg_handover_go_on(struct tg_gpu *gpu);
s64 tg_handover_wake(const struct tg_gpu *gpu);

#endif /* TG_CORE_HANDOVER_H */
