/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Which reserve a client has: admit.c.
 */
#ifndef TG_CORE_ADMIT_H
#define TG_CORE_ADMIT_H

#include <tg/policy.h>

/* Would a process of this account get @r, its own, by this line? */
bool tg_reserve_fits(const struct tg_gpu *gpu, const struct tg_reserve *r,
		     const struct tg_spec_entry *entry, u32 account);
/* The shared reserve that @entry names, which it does; NULL: it is not there. */
struct tg_reserve *tg_reserve_named(const struct tg_gpu *gpu, const struct tg_spec_entry *entry);
struct tg_reserve *tg_reserve_for(struct tg_gpu *gpu, const struct tg_client *client,
				  const struct tg_spec_entry *entry);
void tg_reserve_dismiss(struct tg_gpu *gpu, struct tg_reserve *r);
void tg_reserves_retire(struct tg_gpu *gpu);
void tg_reserve_unused(struct tg_gpu *gpu, struct tg_reserve *r);

/* Has the spec given it a name, so that clients share it? Background has one, too. */
static inline bool tg_reserve_shared(const struct tg_reserve *r)
{
	return r->name[0];
}

/* What counts of it towards tg_gpu.admitted. */
static inline s64 tg_reserve_share(const struct tg_gpu *gpu, const struct tg_reserve *r)
{
	return r->edition == gpu->edition ? r->share : 0;
}

/* The reserve has one user less: a client, or a job that is over. */
static inline void tg_reserve_put(struct tg_gpu *gpu, struct tg_reserve *r)
{
	if (--r->users == 0)
		tg_reserve_unused(gpu, r);
}

#endif /* TG_CORE_ADMIT_H */
