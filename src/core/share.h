/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Sharers: whose shares a fair policy keeps equal. share.c.
 */
#ifndef TG_CORE_SHARE_H
#define TG_CORE_SHARE_H

#include <tg/policy.h>

/** tg_share_join() - the client, which is new, belongs to a sharer; one is in the pool */
void tg_share_join(struct tg_gpu *gpu, struct tg_client *client);
/** tg_share_leave() - the opposite; no job of the client waits in the policy's queue */
void tg_share_leave(struct tg_gpu *gpu, struct tg_client *client);
/** tg_share_rejoin() - the client joins the policy in force: its sharer may be another one */
void tg_share_rejoin(struct tg_gpu *gpu, struct tg_client *client);
/** tg_share_weigh() - what the client weighs by its line, @entry, and what its sharer does */
void tg_share_weigh(struct tg_gpu *gpu, struct tg_client *client,
		    const struct tg_spec_entry *entry);
/** tg_share_moved() - the client is in another virtual GPU; as for tg_share_leave() */
void tg_share_moved(struct tg_gpu *gpu, struct tg_client *client);
/** tg_share_same() - would a process belong to the sharer of @client? */
bool tg_share_same(const struct tg_gpu *gpu, const struct tg_client *client,
		   const struct tg_identity *id);
/** tg_share_begin() - the policy is in force, or models a dry run: go by its knob */
void tg_share_begin(struct tg_gpu *gpu);
/** tg_share_knob() - is this knob of the policy TG_SHARE_PARAM? */
bool tg_share_knob(const struct tg_policy *policy, u32 nr);
/** tg_share_check() - NULL, or what is wrong with the sharer of @client */
const char *tg_share_check(const struct tg_gpu *gpu, const struct tg_client *client);

/** tg_shares_check() - likewise with all sharers; @processes: clients that are one of their own */
const char *tg_shares_check(const struct tg_gpu *gpu, u32 processes);

#endif /* TG_CORE_SHARE_H */
