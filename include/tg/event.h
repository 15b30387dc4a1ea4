/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What goes into the core and what comes out: events and actions.
 *
 * A host turns everything that happens into one tg_event, feeds it under the GPU's lock, and
 * carries out the actions that the core emits meanwhile. Both are recorded (tg/record.h), and a
 * recorded run can be replayed, since an event holds all that influences a decision.
 *
 * Terms (docs/glossary.md): cookie, forged, late, mask, rematch.
 */
#ifndef TG_EVENT_H
#define TG_EVENT_H

#include <tg/types.h>

struct tg_key;
struct tg_spec;

/**
 * enum tg_event_kind - what happened
 * @TG_EV_JOIN: a channel was allocated. client, channel, identity; join.engines: mask of the
 *	engines that its jobs use; join.yields: its first JOIN: 1: the client can end its jobs early
 *	(TG_ACT_YIELD), 0: it cannot; host: cookie of the client, kept from its first JOIN;
 *	join.account: its first JOIN: number of its process's account of memory (tg/memory.h), 0:
 *	none. The client is matched against the spec (again, when it already has channels). Takes
 *	one client, one sharer, one account (new ones only), one channel and one reserve out of the
 *	pools.
 * @TG_EV_LEAVE: a channel was freed. client, channel. Its waiting jobs are freed at once: the
 *	driver returns to their threads that the channel is gone. The client goes with its last
 *	channel, when its last job has ended.
 * @TG_EV_SUBMIT: a job arrived. client, channel, job; key: NULL: not known (only AE needs it);
 *	host: cookie of the job; submit.predicted: 0 (a dry run's model: what it is predicted to
 *	cost). Takes one job out of the pool and, under AE, what enum tg_pool says.
 * @TG_EV_CANCEL: a job's thread gives up before the driver has seen the job. job.
 * @TG_EV_STARTED: a freed job goes to the GPU. job; at: creation of its fence, just after the
 *	doorbell (EXEC: when the kernel's DRM scheduler has rung it); started.late: 1: the job
 *	bypassed the core (BYPASSED), and this is reported late, just before the next event.
 * @TG_EV_REFUSED: the driver emitted no fence for a freed job. job.
 * @TG_EV_DONE: a job's fence signalled. job; at: when it ended; done.known: enum tg_done: how well
 *	@at is known.
 * @TG_EV_IDLE: answer to TG_ACT_SYNC: nothing that went through the client's open gate is in
 *	flight. client; idle.sent: how many submissions have gone through it since the last IDLE.
 *	-EBUSY: the core has given up waiting (TG_NOTE_DRAIN_CUT); the host ignores it.
 * @TG_EV_TIMER: the time of the last TG_ACT_ARM has come.
 * @TG_EV_SPEC: a new spec is in force. new_spec: used until the next one; spec.rematch: 1 to
 *	match running clients against it at once, a few with each event; 0 to leave them until
 *	their next channel. spec.settings: 1: the policy and the knobs that it names come into
 *	force with it, all or, when the event is refused, none of them. 0: policy and knobs stay
 *	as they are; the policy that it names begins with its knobs when it comes into force.
 *	-ENOMEM: the pool has less reserves than there are clients, or no model for the dry run
 *	that it begins. -EBUSY: TG_BEHIND_MAX have come since one had come to all clients, or as
 *	VGPU, or as POLICY: try again later.
 * @TG_EV_POLICY: switch to policy.number (tg_policy_find()): drain, hand over. -EBUSY:
 *	TG_BEHIND_MAX have come into force since one had all clients; KNOB dry_run likewise.
 * @TG_EV_KNOB: set knob.number of the core (knob.of_policy 0) or of the policy in force (1) to
 *	knob.value. A policy's `share`: its clients are to join it anew, after a drain, and its
 *	knobs stay. -EBUSY: as POLICY.
 * @TG_EV_SAMPLE: what was seen in the poll phase that TG_ACT_POLL began and that has just
 *	ended: one for each client that was active, then one with client = 0, which closes the
 *	phase. at: its end; sample. -EBUSY: the core has called the phase off.
 * @TG_EV_PRIO: an administrator sets a priority by hand. client; prio.level: TG_PRIO_MIN to
 *	TG_PRIO_MAX. It holds for further channels, too, until a SPEC that matches running clients;
 *	the foreground window does not change it.
 * @TG_EV_FOREGROUND: another process has the foreground window. foreground.pid: 0: none has. It
 *	comes to a few clients with each event.
 * @TG_EV_MEM_SIZE: the GPU has so much VRAM. mem.bytes: 0: not known.
 * @TG_EV_MEM_REQUEST: a process will request VRAM of the driver. account: not 0; mem.request: its
 *	number, chosen by the host, never reused; mem.bytes; taken: 0: answered by TG_ACT_MEM_GRANT
 *	or TG_ACT_MEM_REFUSE, now or later; 1: the process has the bytes already (the driver
 *	rounded up), no answer; host: cookie of the request. Takes one account (a new one only) and
 *	one request out of the pools.
 * @TG_EV_MEM_CANCEL: a request that waits is given up. mem.request.
 * @TG_EV_MEM_FREE: VRAM is given back: the driver has freed an object, or refused what was
 *	granted. account: that it was granted to; mem.bytes.
 * @TG_EV_VGPU: a virtual GPU is defined, changed or removed by hand; that holds until the next
 *	SPEC. vgpu. Clients belong to what the spec in force says of them from then on; those that
 *	are there move one after the other, a few with each event. -ENOSPC: there are
 *	TG_VGPUS_MAX, or the others leave too little share; -ENOENT: none of that name to remove;
 *	-EBUSY: no place is left, since clients of virtual GPUs that have been removed have yet to
 *	move out of each: try again later.
 * @TG_EV_ENGINES: the engines that a channel's jobs use from now on, waiting ones included. client,
 *	channel; engines.mask: as in JOIN. -ENOENT: no such channel.
 * @TG_EV_BYPASSED: a job bypassed the core: it went to the driver without SUBMIT, as
 *	tg_gpu_may_bypass() allows. client, channel, job, host: as in SUBMIT; bypassed.started: 1:
 *	it has started as well; at: then as in STARTED. Takes one job out of the pool; no FREE
 *	follows. -EBUSY: it was not allowed to. A driver's own work (tg_identity.kernel) comes by
 *	this event alone, when it has started, and always may; SUBMIT of it is -EINVAL
 * @TG_EV_QUIET: answer to TG_ACT_WATCH: nothing that went through an open gate is in flight now.
 *	at: now. quiet.gap: a submission has come through an open gate since the QUIET before this
 *	one: the first came so long, ns, after the first QUIET that had nothing in flight; 0: none
 *	has come, or this is the first. -EBUSY: the core has not asked.
 * @TG_EV_NICE: a process's nice value and scheduling class, of which the core knows others. client;
 *	nice.level: tg_nice_level(). It is from now on the priority of a client whose line says
 *	`nice` (tg_client.nice), jobs that wait included; another one's stays. Hosts look for
 *	changes while there are such clients (tg_gpu.nice).
 */
enum tg_event_kind {
	TG_EV_JOIN, TG_EV_LEAVE, TG_EV_SUBMIT, TG_EV_CANCEL, TG_EV_STARTED, TG_EV_REFUSED,
	TG_EV_DONE, TG_EV_IDLE, TG_EV_TIMER, TG_EV_SPEC, TG_EV_POLICY, TG_EV_KNOB,
	TG_EV_SAMPLE, TG_EV_PRIO, TG_EV_FOREGROUND,
	TG_EV_MEM_SIZE, TG_EV_MEM_REQUEST, TG_EV_MEM_CANCEL, TG_EV_MEM_FREE, TG_EV_VGPU,
	TG_EV_ENGINES, TG_EV_BYPASSED, TG_EV_QUIET, TG_EV_NICE,
	TG_EV_KINDS
};

/**
 * enum tg_done - what the time of a completion is worth
 * @TG_DONE_NOTICED: the host noticed it then: an interrupt's latency after the end, or much later
 * @TG_DONE_EXACT: the GPU wrote it, by its own clock
 * @TG_DONE_BY: the job had ended by then: the GPU wrote that time for a later job of the channel
 * @TG_DONE_FORGED: as NOTICED; what stands where the GPU writes was shown wrong, time and again,
 *	and is not looked at any more: TG_NOTE_FORGED
 *
 * Any other value counts as NOTICED.
 */
enum tg_done {
	TG_DONE_NOTICED, TG_DONE_EXACT, TG_DONE_BY, TG_DONE_FORGED
};

/**
 * struct tg_sample - what one poll phase has seen of one client, or (client 0) of all
 * @length: real length of the phase, ns
 * @busy: how long of it the engine worked for the client, ns; client 0: for any client, or for the
 *	kernel's own copies. 0 to @length
 * @groups: how often the engine was seen to leave the client, and groups of a run that fell
 *	between two looks (a dense phase), or submissions of the client that ended (a sparse one);
 *	client 0: of all
 * @active: not 0: the client had work in flight or waiting at any time since the end of the
 *	last phase
 *
 * The host says which clients were active, since clients with an open gate send no events: it knows
 * the last fence of each of their channels, and counts their submissions.
 */
struct tg_sample {
	s64 length, busy;
	u32 groups, active;
};

/**
 * struct tg_vgpu_conf - a virtual GPU, as TG_EV_VGPU defines it
 * @name: 1 to TG_NAME_LEN - 1 bytes, NUL-padded
 * @share: percent, 1 to 100 each; all 0: remove it
 */
struct tg_vgpu_conf {
	char name[TG_NAME_LEN];
	u32 share[TG_VGPU_SHARES];
};

/**
 * struct tg_event - one happening; enum tg_event_kind says what a kind has
 * @now: clock, read under the GPU's lock: never decreases from event to event, never TG_NEVER
 * @kind: enum tg_event_kind
 * @client: number of the client, chosen by the host, never reused on this GPU
 * @account: MEM_REQUEST, MEM_FREE: number of the account of memory
 * @channel: number of the channel, unique among the live channels of its client
 * @taken: MEM_REQUEST: the process has the bytes already
 * @arg: the kind's first number, for readers that know no kinds: a trace (tg/record.h), a printer
 * @job: number of the job, chosen by the host, never reused on this GPU
 * @at: when it happened, not after @now; equal to @now where the kind names no own meaning
 * @join: JOIN
 * @submit: SUBMIT
 * @started: STARTED
 * @bypassed: BYPASSED
 * @done: DONE
 * @idle: IDLE
 * @spec: SPEC
 * @policy: POLICY
 * @knob: KNOB, which has no @job and no @at
 * @prio: PRIO
 * @foreground: FOREGROUND
 * @mem: MEM_SIZE, MEM_REQUEST, MEM_CANCEL, MEM_FREE
 * @engines: ENGINES
 * @quiet: QUIET
 * @nice: NICE
 * @data: the pointer, for readers that know no kinds
 * @identity: JOIN
 * @key: SUBMIT
 * @new_spec: SPEC
 * @sample: SAMPLE
 * @vgpu: VGPU
 * @host: cookie for the host's own use; comes back in actions, is not recorded
 *
 * Each kind's numbers lie where a record has them: the first in @arg, the second in @job, the third
 * in @at. They have 64 bits each, since a trace may hold anything. Each struct has all three, so an
 * initialiser leaves none undefined. It names a kind's struct, or @arg, @job and @at: never both,
 * as one would undo the other.
 */
struct tg_event {
	s64 now;
	enum tg_event_kind kind;
	union { u32 client, account; };
	union { u32 channel, taken; };
	union {
		struct { u64 arg, job; s64 at; };
		struct { u32 engines, yields; u64 account; s64 at; } join;
		struct { u64 predicted, job; s64 at; } submit;
		struct { u64 late, job; s64 at; } started;
		struct { u64 started, job; s64 at; } bypassed;
		struct { u64 known, job; s64 at; } done;
		struct { u64 sent, none; s64 at; } idle;
		struct { u32 rematch, settings; u64 none; s64 at; } spec;
		struct { u64 number, none; s64 at; } policy;
		struct { u64 number, of_policy; s64 value; } knob;
		struct { u64 level, none; s64 at; } prio;
		struct { u64 pid, none; s64 at; } foreground;
		struct { u64 bytes, request; s64 at; } mem;
		struct { u64 mask, none; s64 at; } engines;
		struct { u64 gap, none; s64 at; } quiet;
		struct { u64 level, none; s64 at; } nice;
	};
	union {
		const void *data;
		const struct tg_identity *identity;
		const struct tg_key *key;
		const struct tg_spec *new_spec;
		const struct tg_sample *sample;
		const struct tg_vgpu_conf *vgpu;
	};
	void *host;
};

/**
 * enum tg_action_kind - what the host has to do
 * @TG_ACT_FREE: let the job's thread go to the driver. job
 * @TG_ACT_ARM: feed TG_EV_TIMER at the given time; replaces any earlier one. at
 * @TG_ACT_NOTE: tell people: log, uevent. arg: enum tg_note; client, job as it says
 * @TG_ACT_GATE: the client's gate is now arg (enum tg_gate). client
 * @TG_ACT_SYNC: feed TG_EV_IDLE once nothing that the client sent through its open gate is in
 *	flight any more. client. The host sets no limit: the core gives up after job_deadline_us,
 *	and blames the client. Called off when the client's gate opens
 * @TG_ACT_GONE: the client is forgotten; its identity may be released. client
 * @TG_ACT_POLL: look which channel the engine works for, from now until the time at; then feed
 *	TG_EV_SAMPLE. at, arg: 1: as often as it can be looked; larger: about every arg ns, the
 *	distance drawn at random for each look, evenly from arg / 2 to 3 * arg / 2. arg 0: stop
 *	at once, and feed nothing of the phase under way. While a phase is under way: that time is
 *	its end now; arg is what it was
 * @TG_ACT_WOULD: a dry run: the job, which may have ended, would have waited for @at ns. client,
 *	job, at
 * @TG_ACT_MEM_GRANT: the request may go to the driver; its bytes are booked. client: the account;
 *	job: the request
 * @TG_ACT_MEM_REFUSE: the request fails for lack of memory. client: the account; job: the request
 * @TG_ACT_WATCH: feed TG_EV_QUIET once, as soon as nothing that has gone through an open gate is in
 *	flight; at once if nothing is. A host that cannot tell ignores it
 * @TG_ACT_YIELD: have the client end the job as soon as it can, and submit what is left of it as
 *	another one: best before its DONE, since the client then keeps its place. client, job. Once
 *	for each job, and only for clients that yield (JOIN)
 */
enum tg_action_kind {
	TG_ACT_FREE, TG_ACT_ARM, TG_ACT_NOTE, TG_ACT_GATE, TG_ACT_SYNC, TG_ACT_GONE,
	TG_ACT_POLL, TG_ACT_WOULD, TG_ACT_MEM_GRANT, TG_ACT_MEM_REFUSE,
	TG_ACT_WATCH, TG_ACT_YIELD,
	TG_ACT_KINDS
};

/**
 * enum tg_note - what people are told
 * @TG_NOTE_LOST: a job passed its deadline; written off, charged to its client
 * @TG_NOTE_REPAIRED: a lost job's fence signalled after all; accounts corrected
 * @TG_NOTE_RECOVERED: an engine that had lost a job completes jobs again
 * @TG_NOTE_OVERLAP: a freed job brought no fence in time and lost its slot
 * @TG_NOTE_EJECTED_PICK: the policy picked a job that was not in its queue; fifo is in force
 * @TG_NOTE_EJECTED_STARVED: the policy left an eligible job waiting; fifo is in force
 * @TG_NOTE_DRAIN_CUT: a drain, or a SYNC, passed its deadline because of the client named
 * @TG_NOTE_POLICY: policy number job is in force, and has all clients
 * @TG_NOTE_DRY: a dry run: policy number job is modelled, and no job is delayed
 * @TG_NOTE_NOT_ADMITTED: the client's reserve does not fit beside those admitted; it is in
 *	Background
 * @TG_NOTE_NO_VRAM: the VRAM that the client's line names (mem=) does not fit beside what is
 *	held; none is set aside, and it is in Background
 * @TG_NOTE_VRAM_LATE: a request for VRAM has waited for too long and is refused
 * @TG_NOTE_VRAM_DEADLOCK: a request for VRAM is refused, since holders wait for each other
 * @TG_NOTE_FORGED: the client writes where the GPU writes when jobs have ended
 * @TG_NOTE_OVERLONG: the client ran a group longer than guaranteed reserves allow: it goes after
 *	all others until the next spec
 */
enum tg_note {
	TG_NOTE_LOST, TG_NOTE_REPAIRED, TG_NOTE_RECOVERED, TG_NOTE_OVERLAP,
	TG_NOTE_EJECTED_PICK, TG_NOTE_EJECTED_STARVED, TG_NOTE_DRAIN_CUT, TG_NOTE_POLICY,
	TG_NOTE_DRY, TG_NOTE_NOT_ADMITTED, TG_NOTE_NO_VRAM, TG_NOTE_VRAM_LATE,
	TG_NOTE_VRAM_DEADLOCK, TG_NOTE_FORGED, TG_NOTE_OVERLONG,
	TG_NOTES
};

/**
 * struct tg_action - one thing to do
 * @kind: enum tg_action_kind
 * @client: number of the client, or 0
 * @job: number of the job, or 0
 * @at: ARM, POLL: the time; WOULD: ns; else 0
 * @arg: GATE: enum tg_gate; NOTE: enum tg_note; POLL: see there; else 0
 * @host: cookie of the job (FREE, YIELD), of the request (MEM_*), of the client (else), or NULL
 */
struct tg_action {
	enum tg_action_kind kind;
	u32 client;
	u64 job;
	s64 at;
	u32 arg;
	void *host;
};

/**
 * struct tg_actions - where actions go
 * @emit: called for each action, in order, inside tg_gpu_feed(): in the caller's context and
 *	under its lock. Must not call back into the core.
 *
 * A call instead of an array: no action is lost for lack of room, and none needs memory.
 */
struct tg_actions {
	void (*emit)(struct tg_actions *out, const struct tg_action *action);
};

#endif /* TG_EVENT_H */
