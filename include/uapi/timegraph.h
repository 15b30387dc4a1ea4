/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * timegraph.ko as user space sees it: names under /sys/kernel/timegraph and the layout of
 * the binary snapshot. docs/sysfs-abi.md describes every file; the trace's layout is
 * tg/record.h and docs/trace.md.
 *
 *	version			read	version of the module
 *	policy			r/w	name of the policy in force; write to switch
 *	policies		read	known policies, one a line
 *	spec			r/w	binary: write gathers up to 64 KiB; reads what is in force
 *	spec_commit		write	"1": apply what was gathered; "rematch": and match running
 *					clients against it too; "0": forget it
 *	spec_result		read	"ok LINES" or "LINE:COLUMN: what; what would be right"
 *	foreground		r/w	pid of the process with the foreground window, 0: none
 *	snapshot		read	binary: struct tg_snap_head, then struct tg_snap_client each
 *	clients/<id>/...	read	one value a file, names as the snapshot's fields
 *	clients/<id>/prio	r/w	write: the client's priority, by hand
 *	vgpus/<0 to 16>/...	r/w	virtual GPUs, one value a file
 *	stats/...		read	counters of the module and of each engine
 *	knobs/<name>, <name>_min, <name>_max, <name>_default
 */
#ifndef _UAPI_TIMEGRAPH_H
#define _UAPI_TIMEGRAPH_H

#include <linux/types.h>

#define TIMEGRAPH_SYSFS		"/sys/kernel/timegraph"
#define TIMEGRAPH_TRACE		"/sys/kernel/debug/timegraph/trace"

#define TG_SNAP_MAGIC		0x31504e53u	/* "SNP1" */
#define TG_SNAP_VERSION		1

/* How a client stands at the moment of the snapshot: tg_snap_client.state. */
enum {
	TG_STATE_IDLE,		/* nothing waits, nothing is in flight */
	TG_STATE_WAITING,	/* a job waits for the policy */
	TG_STATE_THROTTLED,	/* a job waits for its reserve */
	TG_STATE_RUNNING,	/* a job is in flight */
	TG_STATE_LOST,		/* a job of it is past its deadline */
};

/**
 * struct tg_snap_head - start of the snapshot
 * @magic: TG_SNAP_MAGIC
 * @version: TG_SNAP_VERSION
 * @client_size: bytes of each struct tg_snap_client that follows
 * @nr_clients: how many follow
 * @gpus: GPUs attached
 * @now: time of the snapshot, ns, CLOCK_MONOTONIC
 * @policy: name of the policy in force, NUL-padded
 *
 * One reading is consistent: it is made under each GPU's lock, when the file is opened at
 * offset 0.
 */
struct tg_snap_head {
	__u32 magic;
	__u16 version;
	__u16 client_size;
	__u32 nr_clients;
	__u32 gpus;
	__s64 now;
	char policy[16];
};

/**
 * struct tg_snap_client - one client; times in ns
 * @id: number, never reused while the module is loaded
 * @pid: thread-group id
 * @uid: user
 * @gpu: index of the GPU, from 0
 * @comm: name, NUL-terminated
 * @reserve_name: of its shared reserve, "background", or empty: its own
 * @sched: 0 prt, 1 ht
 * @resv: 0 pe, 1 ae, 2 bg
 * @prio: 0 to 99
 * @state: TG_STATE_*
 * @line: of the spec that it matched, 0: none
 * @inflight: jobs that are freed or on the hardware, and have not overstayed there
 * @waiting: jobs that wait
 * @capacity: C of its reserve
 * @period: T
 * @budget: what is left; negative: debt
 * @gpu_time: time used
 * @wait_time: time its jobs waited: reserve and policy
 * @submitted: jobs that arrived (through an open gate too)
 * @completed: jobs whose fence signalled
 * @failed: jobs that the driver refused
 * @lost: jobs written off
 * @overlaps: jobs that lost their slot before they started
 * @wait_reserve: of @wait_time: for the reserve
 * @wait_policy: of @wait_time: for the policy
 * @would_reserve: dry run: what jobs would have waited for the reserve
 * @would_policy: dry run: what they would have waited for the policy
 * @modelled: dry run: jobs that these two sums are of
 * @polled_time: GPU time that the poller has seen it use, in poll phases alone
 * @polled_groups: groups of it that it has seen; spread readings: submissions that ended
 * @predict_hits: predictions (AE) from a job of the same commands
 * @predict_misses: the others
 * @predict_unreadable: of these: those whose commands could not be read
 * @predict_error: mean relative error of the predictions, in per mille of the real cost, each
 *	counted as 1000 at most
 * @vram_waiting: requests of its process for VRAM that wait
 * @vgpu_name: of its virtual GPU; empty: it belongs to none
 * @vram: bytes of VRAM that its process holds, as this one and all that follow
 * @vram_peak: the most that it ever held
 * @vram_set_aside: bytes set aside for it (mem=)
 * @vram_waited: requests that had to wait
 * @vram_refused: requests that failed
 * @vram_wait_time: time that they waited
 * @held_time: time from a job's turn to its start, in which others wait for it; no GPU time
 */
struct tg_snap_client {
	__u32 id;
	__u32 pid;
	__u32 uid;
	__u32 gpu;
	char comm[16];
	char reserve_name[32];
	__u8 sched, resv, prio, state;
	__u32 line;
	__u32 inflight;
	__u32 waiting;
	__s64 capacity, period, budget;
	__s64 gpu_time, wait_time;
	__u64 submitted, completed, failed, lost, overlaps;
	__u64 wait_reserve, wait_policy;
	__u64 would_reserve, would_policy, modelled;
	__u64 polled_time, polled_groups;
	__u64 predict_hits, predict_misses, predict_unreadable;
	__u32 predict_error, vram_waiting;
	char vgpu_name[32];
	__u64 vram, vram_peak, vram_set_aside;
	__u64 vram_waited, vram_refused, vram_wait_time;
	__u64 held_time;
};

#endif /* _UAPI_TIMEGRAPH_H */
