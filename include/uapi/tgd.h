/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note OR MIT */
/*
 * tgd as its clients see it: the socket, the shared page, and the functions by which both sides use
 * that page. This file is the protocol's manual.
 *
 * The socket
 *	AF_UNIX, SOCK_SEQPACKET. $TGD_SOCKET if it is set; else /run/timegraph/tgd.sock, if a tgd
 *	listens there; else the user's own, at tgd.sock in the first of these directories where one
 *	listens: $XDG_RUNTIME_DIR/timegraph, /run/user/UID/timegraph, /tmp/timegraph-UID. Only root's
 *	daemon counts, and that of the client's effective user (SO_PEERCRED); no directory counts
 *	that another user may write. src/user/client/place.h has the rule whole, and its code.
 *
 *	Each message is one struct below, in the machine's byte order. The first one says what the
 *	connection is for.
 *
 *	A program sends struct tgd_hello, once for each device that it uses, and gets struct
 *	tgd_welcome: refused, with a reason; or with two descriptors (SCM_RIGHTS): the page, a memfd
 *	of sizeof(struct tgd_page) bytes that cannot change its size, and the bell, an eventfd. From
 *	then on it is a client, by its process's identity (SO_PEERCRED, /proc). It gets struct
 *	tgd_notice now and then. It stops being one when it closes the socket or its process ends.
 *
 *	A tool sends struct tgd_request, and gets struct tgd_reply for each, in order: the files of
 *	/sys/kernel/timegraph (docs/sysfs-abi.md) by name.
 *
 *	The daemon never waits for a peer: one that does not read loses the connection.
 *
 * The page
 *	Written by both sides, read with care: neither trusts the other's numbers. All words are
 *	aligned, and read and written whole.
 *
 *	word	state, depth and head. The daemon changes the state, the client the head; both by
 *		compare and exchange of all 64 bits. So a record that is published while the state
 *		is LEASE is one that the daemon sees when it takes the lease back: there is no
 *		moment between, and nothing that a client which dies could leave half done.
 *	tail	how many records the daemon has taken. Daemon.
 *	until	when a lease ends that is not taken back before. Daemon, before it leases.
 *	beat	grows with each bell that the daemon has looked after. Daemon; 0: an older one, which
 *		does not say. A client that waits, and has seen no beat for a while, rings the bell;
 *		if then there is none, the daemon is stopped, and the client goes on without it.
 *	slot	answers, one for each job or request that the client has under way. The client
 *		writes WAIT before it publishes the record, and sleeps by futex on SLEEP; the daemon
 *		writes the answer, and wakes the futex if SLEEP was there.
 *	ring	records. The client writes the one at head, then publishes it (release); the daemon
 *		reads head (acquire), copies the record, and then writes tail (release).
 *
 *	A client's threads publish one at a time (its own lock).
 *
 * A launch
 *	OPEN	goes at once, without a record. The client counts it, for TGD_REC_IDLE.
 *	LEASE	goes at once if it is not until yet, and less than depth jobs of the client's
 *		channel 1 are in flight, by its own count: TGD_REC_BYPASSED. No bell.
 *	ASK	TGD_REC_SUBMIT, the bell, and sleep until the slot says TGD_GO.
 *	A program that has said so in HELLO can suspend its kernel. When that is to make room, the
 *	slot of its launch goes from TGD_GO to TGD_YIELD: it suspends the kernel, asks for the next
 *	launch if there is work left, and reports the end of this one, in that order.
 *	After ASK and LEASE: TGD_REC_STARTED when it has gone to the driver, or TGD_REC_REFUSED if
 *	the driver took it not; then TGD_REC_DONE when it has ended.
 *
 * A lease
 *	The right to launch without asking, which the core may give (tg_gpu_may_bypass()), carried
 *	into the page. At most one is out for each device. The daemon takes it back before it feeds
 *	an event of anyone else, and then feeds the client's records first. A record that asks for
 *	something (SUBMIT, MEM_REQUEST) gives the lease back by itself. When it has been taken back
 *	with jobs in flight, TGD_NOTICE_TOLD says so: their ends are to be reported when they
 *	happen, with the bell; until then they may be reported with the next launch.
 *
 * The bell
 *	Write 1 to the eventfd after a record that was published while the state was not LEASE, but
 *	for STARTED; and when the ring has become half full. tgd_push() says when.
 *
 * Times are ns of CLOCK_MONOTONIC, sizes are bytes. A client that writes nonsense is disconnected,
 * or has itself to blame; no other client sees it.
 */
#ifndef _UAPI_TGD_H
#define _UAPI_TGD_H

#include <linux/types.h>

#define TGD_SOCKET	"/run/timegraph/tgd.sock"
#define TGD_MAGIC	0x31444754u	/* "TGD1" */
#define TGD_VERSION	1
#define TGD_KEY		128	/* a device's key, NUL included */
#define TGD_NAME	128	/* a name, NUL included */
#define TGD_DATA	65536	/* most data of one message */

#define TGD_RING	1024	/* records; a power of two */
#define TGD_SLOTS	256	/* jobs and requests that a client may have under way */
#define TGD_CHANNELS	2	/* channel 1: engine 0, which computes; 2: engine 1, which copies */

/* What a message is: the second word of each. */
enum {
	TGD_HELLO = 1, TGD_WELCOME, TGD_NOTICE_TOLD, TGD_NOTICE_SYNC,
	TGD_READ, TGD_WRITE, TGD_LIST, TGD_REPLY,
};

/**
 * struct tgd_hello - a program opens a device
 * @magic: TGD_MAGIC
 * @kind: TGD_HELLO
 * @version: TGD_VERSION
 * @engines: 1 or 2
 * @yields: 1: its launches can end early (TGD_YIELD), and the rest comes as another launch; else 0
 * @memory: the device's memory; 0: not known. The largest counts
 * @held: what the process holds of it already: a client that connects anew
 * @key: names the physical device: pci:DOMAIN:BUS:DEV.FN, else uuid:HEX, else platform:NAME:INDEX
 * @name: for people
 */
struct tgd_hello {
	__u32 magic, kind, version;
	__u16 engines, yields;
	__u64 memory, held;
	char key[TGD_KEY], name[TGD_NAME];
};

/**
 * struct tgd_welcome - the answer
 * @magic: TGD_MAGIC
 * @kind: TGD_WELCOME
 * @error: 0, or a positive errno: the program runs unscheduled
 * @client: its number
 * @why: with an @error: a sentence for people
 */
struct tgd_welcome {
	__u32 magic, kind, error, client;
	char why[256];
};

/**
 * struct tgd_notice - the daemon wants something of a client
 * @magic: TGD_MAGIC
 * @kind: TGD_NOTICE_TOLD: report ends as they happen; TGD_NOTICE_SYNC: publish TGD_REC_IDLE once
 *	nothing that went while the state was OPEN is in flight
 * @number: of the SYNC, to be repeated in the record's @slot
 */
struct tgd_notice {
	__u32 magic, kind, number, none;
};

/**
 * struct tgd_request - a tool reads, writes or lists
 * @magic: TGD_MAGIC
 * @kind: TGD_READ: from @offset; at 0 the content is made anew, later offsets go on with it.
 *	TGD_WRITE: @len bytes follow this struct, for @offset. TGD_LIST: the names in a directory
 * @offset: bytes
 * @len: bytes that follow
 * @name: of the file, below /sys/kernel/timegraph
 */
struct tgd_request {
	__u32 magic, kind, offset, len;
	char name[TGD_NAME];
};

/**
 * struct tgd_reply - the answer
 * @magic: TGD_MAGIC
 * @kind: TGD_REPLY
 * @error: 0, or a positive errno
 * @len: READ: so many bytes follow, 0: the end. LIST: names, a line each, directories with a '/'
 */
struct tgd_reply {
	__u32 magic, kind, error, len;
};

/* Low 8 bits of the word: how a launch stands. */
enum tgd_state { TGD_OPEN, TGD_ASK, TGD_LEASE };

/* What a slot says. */
enum tgd_answer {
	TGD_WAIT, TGD_SLEEP, TGD_GO, TGD_NO_MEMORY, TGD_LOST, TGD_CANCELLED, TGD_YIELD,
};

/**
 * enum tgd_record_kind - what happened
 * @TGD_REC_SUBMIT: a launch asks. slot, channel; arg: what is launched: the same number for launches that
 *	should take equally long, by which AE predicts; 0: not known
 * @TGD_REC_BYPASSED: a launch goes under a lease. slot; channel 1
 * @TGD_REC_STARTED: it has gone to the driver. slot, at: when it was in the device's queue
 * @TGD_REC_REFUSED: the driver refused it. slot
 * @TGD_REC_DONE: it has ended. slot, at; arg: 1: at is the device's own time, 0: as noticed
 * @TGD_REC_CANCEL: it is given up before it went to the driver: TGD_CANCELLED answers. slot
 * @TGD_REC_IDLE: the answer to SYNC. slot: its number's low 16 bits; arg: launches since the last
 * @TGD_REC_MEM_REQUEST: memory will be requested of the driver. slot, arg: bytes
 * @TGD_REC_MEM_CANCEL: such a request is given up: TGD_CANCELLED answers, if nothing has. slot
 * @TGD_REC_MEM_FREE: memory has gone back, or the driver refused it. arg: bytes
 */
enum tgd_record_kind {
	TGD_REC_SUBMIT, TGD_REC_BYPASSED, TGD_REC_STARTED, TGD_REC_REFUSED, TGD_REC_DONE,
	TGD_REC_CANCEL, TGD_REC_IDLE, TGD_REC_MEM_REQUEST, TGD_REC_MEM_CANCEL, TGD_REC_MEM_FREE,
	TGD_REC_KINDS
};

/**
 * struct tgd_record - one happening; enum tgd_record_kind says what a kind has
 * @kind: enum tgd_record_kind
 * @slot: 0 to TGD_SLOTS - 1, from SUBMIT, BYPASSED or MEM_REQUEST until its end
 * @channel: 1 to TGD_CHANNELS
 * @at: when
 * @arg: see there
 * @none: 0
 */
struct tgd_record {
	__u32 kind;
	__u16 slot, channel;
	__s64 at;
	__u64 arg, none;
};

/**
 * struct tgd_page - what one client and the daemon share; see above
 * @word: enum tgd_state, 8 bits; depth, 8 bits; head, 48 bits: records published so far
 * @tail: records taken so far
 * @until: ns
 * @beat: not 0
 * @slot: enum tgd_answer
 * @ring: record number n lies at n % TGD_RING
 */
struct tgd_page {
	__u64 word __attribute__((aligned(64)));
	__u64 tail __attribute__((aligned(64)));
	__u64 until;
	__u64 beat;
	__u32 slot[TGD_SLOTS] __attribute__((aligned(64)));
	struct tgd_record ring[TGD_RING] __attribute__((aligned(4096)));
};

/* A test's scheduler stops a side before each of its accesses to the page (tests/user/ring.c). */
#ifndef TGD_STEP
#define TGD_STEP()	((void)0)
#endif

static inline __u64 tgd_word(enum tgd_state state, __u32 depth, __u64 head)
{
	return (__u64)state | (__u64)depth << 8 | head << 16;
}

static inline enum tgd_state tgd_state_of(__u64 word)
{
	return (enum tgd_state)(word & 0xff);
}

static inline __u32 tgd_depth_of(__u64 word)
{
	return word >> 8 & 0xff;
}

static inline __u64 tgd_head_of(__u64 word)
{
	return word >> 16;
}

static inline __u64 tgd_load(const __u64 *word)
{
	TGD_STEP();
	return __atomic_load_n(word, __ATOMIC_ACQUIRE);
}

static inline _Bool tgd_swap(__u64 *word, __u64 *old, __u64 new_word)
{
	TGD_STEP();
	return __atomic_compare_exchange_n(word, old, new_word, 0, __ATOMIC_ACQ_REL,
					   __ATOMIC_ACQUIRE);
}

/* --- the client's side, one thread at a time --- */

/* How tgd_push() has ended. */
enum tgd_pushed { TGD_FULL, TGD_QUIET, TGD_RING_BELL };

static inline void tgd_write(struct tgd_page *p, __u64 head, const struct tgd_record *r)
{
	TGD_STEP();
	p->ring[head % TGD_RING] = *r;
}

/**
 * tgd_push() - publish a record
 * @p: the page
 * @r: the record; SUBMIT and MEM_REQUEST give a lease back
 *
 * Return: TGD_FULL: the daemon is behind, try again soon; TGD_RING_BELL: published, ring the bell;
 * TGD_QUIET: published.
 */
static inline enum tgd_pushed tgd_push(struct tgd_page *p, const struct tgd_record *r)
{
	const _Bool asks = r->kind == TGD_REC_SUBMIT || r->kind == TGD_REC_MEM_REQUEST;
	__u64 old = tgd_load(&p->word), head = tgd_head_of(old), used = head - tgd_load(&p->tail);
	enum tgd_state state;

	if (used >= TGD_RING)
		return TGD_FULL;
	tgd_write(p, head, r);
	do {
		state = tgd_state_of(old);
		if (asks && state == TGD_LEASE)
			state = TGD_ASK;
	} while (!tgd_swap(&p->word, &old,
			   tgd_word(state, state == TGD_LEASE ? tgd_depth_of(old) : 0, head + 1)));
	if (state == TGD_LEASE || r->kind == TGD_REC_STARTED)
		return used == TGD_RING / 2 ? TGD_RING_BELL : TGD_QUIET;
	return TGD_RING_BELL;
}

/* How tgd_claim() has ended: the launch may go; it has to ask; something has to end first. */
enum tgd_claimed { TGD_CLAIMED, TGD_MUST_ASK, TGD_MUST_WAIT };

static inline enum tgd_claimed tgd_may_claim(const struct tgd_page *p, __u64 word, __s64 at,
					     __u32 inflight)
{
	if (tgd_state_of(word) != TGD_LEASE || at >= (__s64)tgd_load(&p->until))
		return TGD_MUST_ASK;
	return inflight < tgd_depth_of(word) ? TGD_CLAIMED : TGD_MUST_WAIT;
}

/**
 * tgd_claim() - launch under the lease, if there is one
 * @p: the page
 * @r: TGD_REC_BYPASSED; at: now
 * @inflight: jobs of channel 1 that have not ended
 * @bell: set when the bell is to be rung
 *
 * Return: TGD_CLAIMED: the record is published, and the launch may go.
 */
static inline enum tgd_claimed tgd_claim(struct tgd_page *p, const struct tgd_record *r,
					 __u32 inflight, _Bool *bell)
{
	__u64 old = tgd_load(&p->word), head = tgd_head_of(old), used;
	enum tgd_claimed may = tgd_may_claim(p, old, r->at, inflight);

	*bell = 0;
	if (may != TGD_CLAIMED)
		return may;
	used = head - tgd_load(&p->tail);
	*bell = used >= TGD_RING / 2;
	if (used >= TGD_RING)
		return TGD_MUST_WAIT;
	tgd_write(p, head, r);
	/* A lease that was given anew meanwhile began after @r->at: it is not until then yet. */
	while (!tgd_swap(&p->word, &old, old + (1ULL << 16))) {
		may = tgd_may_claim(p, old, r->at, inflight);
		if (may != TGD_CLAIMED)
			return may;
	}
	*bell = used == TGD_RING / 2;
	return TGD_CLAIMED;
}

/* --- the daemon's side --- */

/**
 * tgd_grant() - lease
 * @p: the page
 * @taken: records taken so far
 * @depth: jobs of channel 1 that may be in flight
 * @until: when it ends
 *
 * Return: false: the client has published something meanwhile, or the state is not ASK.
 */
static inline _Bool tgd_grant(struct tgd_page *p, __u64 taken, __u32 depth, __s64 until)
{
	__u64 old = tgd_word(TGD_ASK, 0, taken);

	TGD_STEP();
	__atomic_store_n(&p->until, until, __ATOMIC_RELEASE);
	return tgd_swap(&p->word, &old, tgd_word(TGD_LEASE, depth, taken));
}

/**
 * tgd_set_state() - OPEN or ASK from now on; ends a lease
 * @p: the page
 * @state: which
 *
 * Return: head: all that the client has published before this.
 */
static inline __u64 tgd_set_state(struct tgd_page *p, enum tgd_state state)
{
	__u64 old = tgd_load(&p->word);

	while (!tgd_swap(&p->word, &old, tgd_word(state, 0, tgd_head_of(old))))
		;
	return tgd_head_of(old);
}

/**
 * tgd_take() - copy the record number @taken, which has been published, and free its place
 * @p: the page
 * @taken: records taken so far
 * @r: the copy; the client may have written anything
 */
static inline void tgd_take(struct tgd_page *p, __u64 taken, struct tgd_record *r)
{
	TGD_STEP();
	*r = *(volatile struct tgd_record *)&p->ring[taken % TGD_RING];
	TGD_STEP();
	__atomic_store_n(&p->tail, taken + 1, __ATOMIC_RELEASE);
}

#endif /* _UAPI_TGD_H */
