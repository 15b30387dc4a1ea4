/* SPDX-License-Identifier: GPL-2.0 */
/*
 * tgd: its central structures. Each file that others call has a header of its own.
 *
 * The daemon is one thread: it waits in main.c, and all else is called from there. So nothing here
 * is locked (rights.c has threads, before Linux 6.16, that close a descriptor each).
 * docs/architecture.md says how it drives the core.
 */
#ifndef TGD_H
#define TGD_H

#include <tg/hist.h>
#include <tg/policy.h>
#include <uapi/tgd.h>

#include "main.h"

struct conn;
struct total;

/** enum total_kind - what a total is of; enum total_sum - what it counts, as struct tg_snap_total */
enum total_kind { TOTAL_OF_USER, TOTAL_OF_CGROUP, TOTAL_KINDS };
enum total_sum { TOTAL_GPU_TIME, TOTAL_WAIT_TIME, TOTAL_SUBMITTED, TOTAL_COMPLETED, TOTAL_SUMS };

/** enum slot_state - what a client's slot stands for, as the daemon knows */
enum slot_state { SLOT_FREE, SLOT_WAITS, SLOT_FREED, SLOT_BUSY, SLOT_ESCAPED, SLOT_MEMORY };

/**
 * struct slot - a job or request of a client; cookie of the core
 * @client: whose
 * @state: enum slot_state
 * @leased: BUSY or FREED: it went under the lease
 * @ending: its job is to end early (YIELD)
 * @number: of the job or request, for the core
 * @arrived: when it was submitted, or launched under the lease
 * @freed: when it was let go: it has not started before
 */
struct slot {
	struct client *client;
	u8 state;
	bool leased, ending;
	u64 number;
	s64 arrived, freed;
};

/**
 * struct client - a process on a device; cookie of the core, until TG_ACT_GONE
 * @device: which
 * @conn: its connection; NULL: it has gone
 * @id: for the core
 * @account: of its memory
 * @memory: how much the device has, as it says; 0: it does not
 * @channels: it has joined with channels 1 to this
 * @identity: of its process; the strings are its own, but for the device's name
 * @page: shared
 * @page_fd: its descriptor, until the program has one; -1: closed
 * @taken: records taken from it
 * @bell: its eventfd
 * @gate: enum tg_gate, as the core last said
 * @shown: enum tgd_state that the page says, but for a lease
 * @leased: jobs that went under the lease and have not ended
 * @synced: number of the last SYNC
 * @beat: bells so far, and the first
 * @open: launches through the open gate, as far as told
 * @open_told: when the client told of them last, or came
 * @waits: histogram (tg/hist.h): from submission to FREE. As @latencies, not what went through an open
 *	gate; a launch under a lease has waited for 0
 * @latencies: likewise: from submission to its end
 * @totals: its rows; NULL: none yet
 * @totalled: what they have of it, and readers have seen
 * @slot: its jobs and requests
 * @next: of the device's
 */
struct client {
	struct device *device;
	struct conn *conn;
	u32 id, account, channels;
	u64 memory;
	struct tg_identity identity;
	struct tgd_page *page;
	int page_fd;
	u64 taken;
	struct source bell;
	u8 gate, shown;
	u32 leased, synced;
	u64 beat;
	u64 open;
	s64 open_told;
	u32 waits[TG_HIST_BUCKETS], latencies[TG_HIST_BUCKETS];
	struct total *totals[TOTAL_KINDS];
	s64 totalled[TOTAL_SUMS];
	struct slot slot[TGD_SLOTS];
	struct client *next;
};

/**
 * struct device - a physical device, and its core
 * @index: from 0
 * @uid: whose program named it first
 * @key: as in struct tgd_hello
 * @name: for people
 * @claim: holds the device against other daemons; -1: none
 * @core: the policy core
 * @out: its actions come here
 * @armed: when it wants TIMER
 * @as_of: the time of what is fed, which was published under a lease; 0: now
 * @clients: those that are there or owe something
 * @lessee: has the lease; NULL: nobody
 * @lease_until: when it ends, whatever happens
 * @lease_look: when to look whether it is used
 * @lease_seen: records taken from the lessee at the last look
 * @asker: who submitted last
 * @streak: how often it has, without another client between, when the core would have let it bypass
 * @last_job: numbers given so far; also of requests
 * @last_account: likewise
 * @busy_seen: how long readers have seen each engine busy
 * @knobs_due: the policy that is about to come into force gets its knobs then
 * @trace: what was recorded
 */
struct device {
	u32 index, uid;
	char key[TGD_KEY], name[TGD_NAME];
	int claim;
	struct tg_gpu core;
	struct tg_actions out;
	struct tg_buckets buckets;
	s64 armed, as_of;
	struct client *clients, *lessee, *asker;
	s64 lease_until, lease_look;
	u64 lease_seen;
	u32 streak;
	u64 last_job;
	u32 last_account;
	s64 busy_seen[TG_ENGINES_MAX];
	bool knobs_due;
	struct trace {
		char *bytes;
		u64 len, room, begun;
		u64 lost;
	} trace;
};

#endif /* TGD_H */
