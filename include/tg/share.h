/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Sharers: whose shares a fair policy keeps equal (src/core/share.c). The core makes them and says
 * which clients belong to each; the policy in force keeps its accounts in them.
 *
 * Terms (docs/glossary.md): delegated, sharer, weight.
 */
#ifndef TG_SHARE_H
#define TG_SHARE_H

#include <tg/types.h>

#define TG_SHARER_PRIV	160	/* bytes a policy may keep in each sharer */

/**
 * struct tg_sharer - who has a share under a fair policy: a process, a user or a cgroup
 * @node: in tg_gpu.sharers; TG_BY_PROCESS: in nothing
 * @key: of the user or cgroup, as a number
 * @clients: how many clients belong to it; one at least
 * @by: enum tg_share_by
 * @vgpu: tg_policy.by_vgpu: of its clients, which is part of its key
 * @weight: of its share beside those of others; as the line says of the spec in force when a client
 *	was last matched, or joined it
 * @term: tg_gpu.term of the policy that has @priv
 * @left: how many channels of its clients have left
 * @reserve: where its latest THROTTLED job was: tg_reserve.serial
 * @vt: virtual time there of its next one, ns; it grows by what its jobs take (tg_job.vt)
 * @typical: of a process: running mean of what its jobs take, ns (kept only where all are tracked:
 *	fifo). Here, since a client has no room for it, and fifo has no other sharers
 * @long_at: when a client of it ran the latest group that is too long for guarantees, ns; 0: none
 *	has since its line of the spec came
 * @priv: the policy's; zero when its first client joins
 */
struct tg_sharer {
	struct rb_node node;
	u64 key;
	u8 by, vgpu;
	u16 weight;
	u32 clients, term, left;
	u64 reserve;
	s64 vt, typical, long_at;
	u64 priv[TG_SHARER_PRIV / 8];
};

#endif /* TG_SHARE_H */
