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
 *	spec_commit		write	"1": apply what was gathered, to running clients too;
 *					"new-only": to channels that come later; "0": forget it
 *	spec_result		read	"ok ENTRIES" or "LINE:COLUMN: what; what would be right"
 *	foreground		r/w	pid of the process with the foreground window, 0: none
 *	snapshot		read	binary: struct tg_snap_head, struct tg_snap_client each,
 *					then parts
 *	waits			read	binary: struct tg_waits_head, then struct tg_wait each
 *					(tg/recorder.h)
 *	waits_frozen		r/w	the same, of the moment of a stutter; "0": drop it
 *	clients/<id>/...	read	one value a file, names as the snapshot's fields
 *	clients/<id>/prio	r/w	write: the client's priority, by hand
 *	vgpus/<0 to 16>/...	r/w	virtual GPUs, one value a file
 *	stats/...		read	counters of the module and of each engine
 *	knobs/<name>, <name>_min, <name>_max, <name>_default
 */
#ifndef _UAPI_TIMEGRAPH_H
#define _UAPI_TIMEGRAPH_H

#include <linux/types.h>
#include <tg/counters.h>

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
	TG_STATE_LEFT,		/* its process has left, and owes something */
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
 * It is made when the file is read at offset 0. Each GPU's lock is taken for one bucket of clients
 * at a time, so each client's record is of one moment, and those of two clients may not be.
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

#define TG_SNAP_U8(name)	__u8 name;
#define TG_SNAP_U32(name)	__u32 name;
#define TG_SNAP_U64(name)	__u64 name;
#define TG_SNAP_NS(name)	__s64 name;
#define TG_SNAP_BYTES(name)	__u64 name;
#define TG_SNAP_TEXT16(name)	char name[16];
#define TG_SNAP_TEXT32(name)	char name[32];
#define TG_SNAP_SCHED(name)	__u8 name;
#define TG_SNAP_RESV(name)	__u8 name;
#define TG_SNAP_STATE(name)	__u8 name;
#define TG_SNAP_HIST(name)	__u32 name[TG_HIST_BUCKETS];
#define TG_SNAP_ROW(name, form, ...)	TG_SNAP_##form(name)

/**
 * struct tg_snap_client - one client; times in ns
 *
 * tg/counters.h has the members, in their order, and says what each is: @id first. @sched: 0 prt,
 * 1 ht. @resv: 0 pe, 1 ae, 2 bg, 3 cbs. @state: TG_STATE_*. Names are NUL-padded. Histograms:
 * tg/hist.h.
 */
struct tg_snap_client {
	TG_CLIENT_ROWS(TG_SNAP_ROW)
};

/* Parts follow the clients, each with its head. A reader skips those that it does not know. */
enum {
	TG_PART_ENGINES = 1,	/* struct tg_snap_engine each */
	TG_PART_TOTALS = 2,	/* struct tg_snap_total each */
	TG_PART_GPUS = 3,	/* struct tg_snap_gpu each */
};

/**
 * struct tg_snap_part - head of a part of the snapshot
 * @kind: TG_PART_*
 * @size: bytes of each record; a newer module may append fields
 * @nr: how many records follow
 * @reserved: 0
 */
struct tg_snap_part {
	__u32 kind, size, nr, reserved;
};

/**
 * struct tg_snap_engine - one engine of a GPU
 * @gpu: number of the GPU
 * @engine: number of the engine
 * @inflight: slots taken
 * @queued: command groups that wait for the policy
 * @busy: time that command groups have used of it since the GPU was attached, ns. Through open
 *	gates: what the policy has found out
 *
 * Counts for all users: the part is missing where the reader may not see all clients.
 */
struct tg_snap_engine {
	__u32 gpu, engine, inflight, queued;
	__s64 busy;
};

/**
 * struct tg_snap_gpu - one GPU
 * @gpu: its number
 * @device: its PCI address, as in /sys/bus/pci/devices; of tgd, for a device without one, the key
 *	that it is known by (uapi/tgd.h); NUL-padded
 */
struct tg_snap_gpu {
	__u32 gpu;
	char device[60];
};

/* What a total is of: tg_snap_total.of. */
enum {
	TG_TOTAL_USER,		/* the user who pays (docs/glossary.md) */
	TG_TOTAL_CGROUP,	/* the nearest cgroup that is not delegated */
	TG_TOTAL_USERS,		/* the users that have no total of their own */
	TG_TOTAL_CGROUPS,	/* likewise the cgroups */
};

/**
 * struct tg_snap_total - what the clients of a user or cgroup have used since the module was loaded
 * @of: TG_TOTAL_*
 * @uid: USER: the user
 * @clients: clients that have come, those that have gone included
 * @gpu_time: as tg_snap_client.gpu_time, of all of them, as are @wait_time, @submitted, @completed
 * @wait_time: ns
 * @submitted: command groups
 * @completed: command groups
 * @name: CGROUP: its path, of a longer one the end; NUL-padded
 *
 * A reader who may not see all clients gets the row of its own user.
 */
struct tg_snap_total {
	__u32 of, uid;
	__u64 clients;
	__s64 gpu_time, wait_time;
	__u64 submitted, completed;
	char name[128];
};

#endif /* _UAPI_TIMEGRAPH_H */
