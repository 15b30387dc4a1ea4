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
 *	waits			read	binary: struct tg_waits_head, then struct tg_wait each (tg/recorder.h)
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
#define TG_SNAP_ROW(name, form, ...)	TG_SNAP_##form(name)

/**
 * struct tg_snap_client - one client; times in ns
 *
 * tg/counters.h has the members, in their order, and says what each is: @id first. @sched: 0 prt,
 * 1 ht. @resv: 0 pe, 1 ae, 2 bg, 3 cbs. @state: TG_STATE_*. Names are NUL-padded.
 */
struct tg_snap_client {
	TG_CLIENT_ROWS(TG_SNAP_ROW)
};

#endif /* _UAPI_TIMEGRAPH_H */
