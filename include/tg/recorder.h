/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The flight recorder: a ring of the waits that people may have felt, which the core writes all the
 * time, and their layout, as the module's file `waits` has it (docs/sysfs-abi.md).
 *
 * A record is the longest wait of one client in about a second, with what it waited for and which
 * clients ran meanwhile. So the ring holds minutes of a busy GPU, however many groups its clients
 * submit, and a client cannot push others out by submitting often. Waits below TG_WAIT_LEAST are
 * left out.
 *
 * The host owns the memory. The core writes under the GPU's lock, when a job is over, in a walk,
 * and when a client goes. It emits nothing: with a recorder or without one, decisions and traces
 * are the same. Waits behind an open gate, and in front of the core (a thread without a place, a
 * foreign fence), are not seen.
 *
 * What a job costs: some hundred instructions (docs/results/cost.md). When its wait is the longest
 * of its client in this second, a walk over the latest runs of its engine finds out who ran
 * meanwhile. A host may have that done after the event, in a section of its own.
 */
#ifndef TG_RECORDER_H
#define TG_RECORDER_H

#include <tg/types.h>

#define TG_WAIT_MAGIC	0x31544157u	/* "WAT1" */
#define TG_WAIT_VERSION	1

#define TG_WAIT_LEAST	TG_MSEC		/* nobody feels less */
#define TG_WAIT_SPAN	TG_SEC		/* a client has one record for as long */
#define TG_WAIT_RIVALS	3		/* clients that a record names */
#define TG_WAITS_OWN	15		/* records that tg_wait_keep() keeps of one client */
#define TG_WAIT_AGE	(600 * TG_SEC)	/* it keeps none longer, if there are others */

#define TG_RUNS		192		/* runs that an engine remembers, 255 at most */
#define TG_RUN_JOINED	TG_MSEC		/* runs of a client within this become one */

struct tg_client;
struct tg_gpu;
struct tg_job;

/**
 * struct tg_who - the client of a wait or run, as it was then
 * @client: number; 0: another user's, or none
 * @pid: process; 0: another user's
 * @uid: user; U32_MAX: another one
 * @comm: name, NUL-padded; empty: another user's
 */
struct tg_who {
	u32 client, pid, uid;
	char comm[TG_COMM_LEN];
};

/**
 * struct tg_rival - a client that ran while another one waited
 * @ran: for how long, ns
 * @who: the client
 * @unused: 0
 */
struct tg_rival {
	s64 ran;
	struct tg_who who;
	u32 unused;
};

/**
 * enum tg_wait_end - how a wait ended
 * @TG_WAIT_RAN: the job began on the GPU
 * @TG_WAIT_LOST: it began, and ran past its deadline
 * @TG_WAIT_GIVEN_UP: its thread gave it up before the GPU had it
 */
enum tg_wait_end { TG_WAIT_RAN, TG_WAIT_LOST, TG_WAIT_GIVEN_UP, TG_WAIT_ENDS };

/**
 * struct tg_wait - a client's longest wait in about a second; times in ns
 * @number: of the record, counted from 1; 0: there is none
 * @job: number of the job, as in a trace; 0 to other users
 * @ended: when the wait ended, by the core's clock
 * @wall: when it was recorded, ns since 1970; the host's
 * @waited: from the job's submission until it began on its first engine
 * @reserve: of that, until its reserve had budget
 * @policy: until the policy picked it
 * @driver: until it was on the hardware
 * @behind: until the jobs ahead of it there were over
 * @lost: @waited without the time that groups of its own client ran: the longest counts
 * @idle: of @waited, time for which the engine had nothing to do
 * @others: time of clients beyond those in @rival, or before what is remembered
 * @ran: how long the job itself ran
 * @sum: @lost of all waits of this client in that second that were not below TG_WAIT_LEAST
 * @waits: how many these were; 0: not told
 * @who: the client
 * @prio: its priority
 * @engine: the engine
 * @gpu: the GPU; the host's
 * @end: enum tg_wait_end
 * @rivals: how many of @rival there are
 * @rival: the clients that ran meanwhile, the longest first; its own client is not among them
 */
struct tg_wait {
	u64 number, job;
	s64 ended, wall;
	s64 waited, reserve, policy, driver, behind;
	s64 lost, idle, others, ran, sum;
	u32 waits;
	struct tg_who who;
	u8 prio, engine, gpu, end;
	u32 rivals;
	struct tg_rival rival[TG_WAIT_RIVALS];
};

/**
 * struct tg_waits_head - the start of a file of waits; the records follow, in the order of @number
 * @magic: TG_WAIT_MAGIC
 * @version: TG_WAIT_VERSION
 * @size: bytes of a record
 * @nr: how many follow
 * @kib: size of the recorder in force; 0: it is off
 * @dropped: older records that newer ones have replaced; 0 for a reader that sees its own only
 */
struct tg_waits_head {
	u32 magic;
	u16 version, size;
	u32 nr, kib;
	u64 dropped;
};

/**
 * struct tg_run - a client's time on an engine
 * @begin: when it began
 * @end: when its latest group ended
 * @ran: its groups' time in between
 * @who: the client
 */
struct tg_run {
	s64 begin, end, ran;
	struct tg_who who;
};

/**
 * struct tg_runs - the latest runs of an engine, a ring
 * @latest: index of the newest one
 * @run: them; those never written have no client. Behind the ring: the run that was going on when
 *	a wait was given up; without time since the next one was over
 */
struct tg_runs {
	u32 latest;
	struct tg_run run[TG_RUNS + 1];
};

#define TG_WALKS_DUE	8	/* clients that wait for their record's walk */
#define TG_RECENT	64	/* clients whose latest record is known; a power of two */

/**
 * struct tg_recent - the latest record of a client
 * @number: of the record; 0: there is none
 * @since: when the first wait that counts in it ended
 * @lost: the longest of them, ns
 * @sum: all of them, ns
 * @waits: how many
 * @client: number of the client
 * @uid: its user
 */
struct tg_recent {
	u64 number;
	s64 since, lost, sum;
	u32 waits, client, uid;
};

/**
 * struct tg_walk - a walk over the runs that is to be done: who ran during a wait?
 * @number: of the record
 * @client: the client; NULL: there is no walk to be done
 */
struct tg_walk {
	u64 number;
	struct tg_client *client;
};

/**
 * struct tg_times - what the recorder has to know of a job that is not over; in the host's memory
 * @arrived: when it was submitted. The host sets TG_NEVER ahead of SUBMIT and BYPASSED: a job that
 *	arrives without a recorder has no record
 * @freed: when it was freed; TG_NEVER: it has not started, or did so while no recorder was on
 * @own: what its client had used of the GPU when it was submitted, ns
 */
struct tg_times {
	s64 arrived, freed, own;
};

/**
 * struct tg_recorder - the recorder of one GPU; its host's memory
 * @took: the host's, or NULL: a record is new, or has a longer wait, and its walk is done; under
 *	the GPU's lock
 * @later: the host's, or NULL: a record has been written. Its walk is due, and the host will call
 *	tg_recorder_walk() soon. Inside an event, under the GPU's lock. Without it each walk is
 *	done inside its event
 * @times: where a job's struct tg_times is: so many bytes behind its cookie (tg_job.host)
 * @last: number of the newest record
 * @next: index of the next one in @wait
 * @nr: how many records the ring holds
 * @dropped: how many it has dropped
 * @recent: of clients, by the last bits of their numbers
 * @due: walks to be done, one for a client at most
 * @runs: of each engine
 * @wait: the ring
 */
struct tg_recorder {
	void (*took)(struct tg_recorder *rec, struct tg_wait *wait, struct tg_client *client);
	void (*later)(struct tg_gpu *gpu, struct tg_wait *wait);
	size_t times;
	u64 last;
	u32 next, nr;
	u64 dropped;
	struct tg_recent recent[TG_RECENT];
	struct tg_walk due[TG_WALKS_DUE];
	struct tg_runs *runs;
	struct tg_wait *wait;
};

/**
 * tg_recorder_size() - bytes of memory for a recorder
 * @nr: records; at least 1
 * @engines: of the GPU
 */
static inline size_t tg_recorder_size(u32 nr, u32 engines)
{
	return sizeof(struct tg_recorder) + nr * sizeof(struct tg_wait) +
	       engines * sizeof(struct tg_runs);
}

/**
 * tg_recorder_init() - an empty recorder
 * @memory: tg_recorder_size() bytes, zeroed
 * @nr: records
 * @engines: of the GPU
 * @last: number of the last record of the one before, 0: there was none
 *
 * Put it into tg_gpu.recorder under the GPU's lock; NULL there switches recording off.
 *
 * Return: the recorder, at @memory.
 */
struct tg_recorder *tg_recorder_init(void *memory, u32 nr, u32 engines, u64 last);

/**
 * tg_recorder_walk() - find out who ran during one wait whose walk is due
 * @gpu: the GPU, with a recorder or without
 *
 * Until then the record names no rival, and @others has all that it lost. Under the GPU's lock,
 * outside an event.
 *
 * Return: there was one; there may be more.
 */
bool tg_recorder_walk(struct tg_gpu *gpu);

/**
 * tg_recorder_move() - take over the records of another recorder, a few with each call
 * @to: empty before the first call, with the host's @took, @later and @times
 * @from: the one in force, which goes on between the calls
 * @engines: of the GPU
 * @most: records to copy with this call, beyond the latest one of each client in @recent
 *
 * Under the GPU's lock. Where @to is smaller, the oldest records are dropped.
 *
 * Return: true: @to has all that @from has. It may take its place, before the lock is given back.
 */
bool tg_recorder_move(struct tg_recorder *to, const struct tg_recorder *from, u32 engines,
		      u32 most);

/**
 * tg_recorder_read() - copy records, the oldest first
 * @rec: the recorder
 * @number: of the first record to copy, or of a later one if that is dropped; moved behind the last
 * @to: where to
 * @most: room there
 *
 * Under the GPU's lock, for a part of the ring with each call.
 *
 * Return: how many were copied; 0: all.
 */
u32 tg_recorder_read(const struct tg_recorder *rec, u64 *number, struct tg_wait *to, u32 most);

/**
 * tg_wait_keep() - keep a client's own records: the longest of the latest ten minutes
 * @kept: TG_WAITS_OWN of them, zeroed before the first
 * @wait: new, or changed
 *
 * What is kept depends on no other client.
 */
void tg_wait_keep(struct tg_wait *kept, const struct tg_wait *wait);

/**
 * tg_wait_hide() - leave out of a record what its own user may not know
 * @wait: the record
 *
 * All clients of other users become one rival, which has no number, process or name. So do those
 * that the record does not name. What counts all clients becomes 0.
 */
void tg_wait_hide(struct tg_wait *wait);

#endif /* TG_RECORDER_H */
