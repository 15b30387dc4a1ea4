/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Vocabulary of the core: units, limits, and the words that events, specs and policies share. It
 * includes only the environment.
 *
 * Time is a signed 64-bit count of nanoseconds on the host's monotonic clock (kernel:
 * ktime_get(); simulator: virtual time). Users write microseconds; only the spec parser and
 * the knobs convert.
 */
#ifndef TG_TYPES_H
#define TG_TYPES_H

#include "tg_env.h"

#define TG_NEVER	S64_MAX		/* later than any time */
#define TG_USEC		1000LL
#define TG_MSEC		1000000LL
#define TG_SEC		1000000000LL

/** tg_after() - a time after a time; TG_NEVER when the clock ends first */
static inline s64 tg_after(s64 time, s64 delay)
{
	s64 after;

	return __builtin_add_overflow(time, delay, &after) ? TG_NEVER : after;
}

#define TG_COMM_LEN	16		/* a process's name, NUL included */
#define TG_KERNEL	"kernel="	/* begins the name of a driver's own work */
#define TG_NAME_LEN	32		/* a reserve's or virtual GPU's name, NUL included */

#define TG_PRIO_MIN	0		/* lowest; what an unmatched client gets */
#define TG_PRIO_MAX	99
#define TG_PRIO_AGPA	50		/* static level of the clients whose prio is '*' */
#define TG_PRIO_FOREGROUND	51	/* of them, that of the process in the foreground */
#define TG_PRIO_NICE	20	/* of a client whose prio is `nice`, until it is read: tg/nice.h */

#define TG_ENGINES_MAX	4
#define TG_VGPUS_MAX	16		/* virtual GPUs that a spec may define */
#define TG_DEPTH_MAX	64		/* groups that one HT client may have in flight */

/**
 * enum tg_vgpu_share - what a virtual GPU has a share of, in percent (Gdev, section 5.2)
 * @TG_COMPUTE: compute bandwidth: time of the engine that computes, which is engine 0
 * @TG_COPY: copy bandwidth: time of the engines that copy, which are the others
 * @TG_MEMORY: memory share: VRAM
 */
enum tg_vgpu_share { TG_COMPUTE, TG_COPY, TG_MEMORY, TG_VGPU_SHARES };

/**
 * enum tg_sched - scheduling policy of a client (TimeGraph, section 4.1)
 * @TG_PRT: predictable response time: waits until the engine is empty
 * @TG_HT: high throughput: may follow its own group that is in flight
 */
enum tg_sched { TG_PRT, TG_HT };

/**
 * enum tg_resv - reservation policy (TimeGraph, section 5.1)
 * @TG_PE: posterior enforcement: go while the budget is positive, charge afterwards
 * @TG_AE: a priori enforcement: go when the predicted cost fits into the budget
 * @TG_BG: member of the Background reserve
 * @TG_CBS: a guaranteed reserve, which is a cap like PE and goes before all others (tg/reserve.h)
 */
enum tg_resv { TG_PE, TG_AE, TG_BG, TG_CBS };

/**
 * enum tg_tier - what comes before the priority of a client, under tg_policy.guarantees
 * @TG_TIER_ORDINARY: its priority decides
 * @TG_TIER_FIRST: its reserve is guaranteed: it goes before all others, by deadline
 * @TG_TIER_LAST: it is blamed for a group longer than guaranteed reserves allow: it goes after all
 *	others, and only while no guaranteed reserve is active (tg_gpu.guarded)
 */
enum tg_tier { TG_TIER_ORDINARY, TG_TIER_FIRST, TG_TIER_LAST };

#define TG_LEVELS	(TG_PRIO_MAX + 2)	/* priorities, and TG_TIER_FIRST above them */

/**
 * enum tg_gate - what a client's submission has to pass before the driver sees it
 * @TG_GATE_OPEN: nothing: no event, no callback; the host counts it and remembers the
 *	channel's last fence
 * @TG_GATE_TRACK: SUBMIT is answered with FREE at once; its completion is reported
 * @TG_GATE_ASK: SUBMIT, then wait for FREE; the policy's pick() decides
 * @TG_GATE_HOLD: SUBMIT, then wait for FREE; nothing is freed before the gate changes
 */
enum tg_gate { TG_GATE_OPEN, TG_GATE_TRACK, TG_GATE_ASK, TG_GATE_HOLD };

/**
 * enum tg_share_by - whose shares a fair policy keeps equal, by weight: its knob `share`
 * @TG_BY_PROCESS: each client's
 * @TG_BY_USER: each user's (tg_identity.payer), and those of a user's clients within it
 * @TG_BY_CGROUP: each cgroup's (tg_identity.undelegated), likewise
 */
enum tg_share_by { TG_BY_PROCESS, TG_BY_USER, TG_BY_CGROUP, TG_SHARES_BY };

struct tg_spec_entry;

/**
 * struct tg_identity - what is known of a client; spec lines match against it
 * @pid: thread-group id; 0 of @kernel
 * @kernel: no process, but the driver's own work, of the name in @comm behind TG_KERNEL; it has no
 *	user, path or cgroup. Only a line that names `kernel=` matches it
 * @uid: of the process's effective user
 * @payer: with whom debts stay when it has left (src/core/debt.c): a user whom it cannot choose.
 *	The user whose share it has, under TG_BY_USER
 * @comm: name of the thread-group leader, NUL-terminated
 * @exe: path of the executable, or NULL when the host cannot tell
 * @cgroup: path of its cgroup, or NULL when the host cannot tell
 * @undelegated: how many bytes of @cgroup are the path of the nearest cgroup that is not delegated:
 *	one that the user may neither rename nor enter; 0: all
 * @gpu: name of the GPU that it is a client of: the PCI address; NULL: it has none
 *
 * @serial: struct tg_spec.serial of the spec that @entry is of, 0: of none
 * @entry: what tg_spec_match() says of this identity and that spec; NULL: no line matches
 * @sharer: likewise tg_spec_sharer(), by enum tg_share_by; TG_BY_PROCESS: unused
 *
 * The host owns the memory of the strings, and keeps them valid and unchanged from JOIN to GONE, or
 * to the JOIN with which the client comes back as another process. A client chooses the length of
 * its path, and so the time that matching takes. So a host that feeds under a lock matches before
 * it takes the lock, and leaves the answers in @serial and what follows, which it changes under it.
 * If they are of another spec, the core calls tg_spec_match() itself. The answer is the same, so
 * none of them is recorded.
 */
struct tg_identity {
	u32 pid;
	bool kernel;
	u32 uid, payer;
	char comm[TG_COMM_LEN];
	const char *exe;
	const char *cgroup;
	u16 undelegated;
	const char *gpu;
	u32 serial;
	const struct tg_spec_entry *entry, *sharer[TG_SHARES_BY];
};

/** tg_identity_cgroup() - bytes of id->cgroup that say whose share it is; 0: there is no path */
static inline u32 tg_identity_cgroup(const struct tg_identity *id)
{
	if (!id->cgroup)
		return 0;
	return id->undelegated ? strnlen(id->cgroup, id->undelegated) : strlen(id->cgroup);
}

/**
 * struct tg_param - one knob of the core or of a policy
 * @name: lower case, with its unit as suffix (deadline_us)
 * @min: smallest value accepted
 * @max: largest value accepted
 * @def: value at load
 * @about: what it does, in a sentence without its full stop, for `tgctl knob --describe`
 *
 * A table of them ends with a NULL name.
 */
struct tg_param {
	const char *name;
	s64 min, max, def;
	const char *about;
};

#endif /* TG_TYPES_H */
