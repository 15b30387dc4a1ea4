/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The simulator: everything left of the core in docs/architecture.md, in virtual time.
 *
 * evq.c	what happens next: timers in a heap
 * workload.c	when a client wants which work: random numbers, arrivals, costs
 * gpu.c	the hardware: engines that serve channels in turn
 * scenario.c	text to scenario
 * run.c	the host: clients and hardware around a core, and what is counted
 * report.c	a run's results: table, JSON, CSV, picture
 * trace.c	traces as bytes: writing, reading, printing
 * replay.c	traces back into a core: the same actions? why did a job wait?
 * blocking.c	lower-priority groups that a job had to wait for, counted from a trace
 * perfetto.c	a trace as a JSON trace of others, and as a picture
 * timeline.c	who waited and who ran when, out of a trace
 *
 * One thread. Memory comes from malloc(); when it is exhausted the program ends with a message.
 * Time is a signed 64-bit count of virtual nanoseconds; no result depends on the real clock.
 */
#ifndef TGS_SIM_H
#define TGS_SIM_H

#include <stdio.h>
#include <tg/dry.h>
#include <tg/policy.h>
#include <tg/record.h>

#define TGS_NAME_LEN	16	/* of a client or GPU, NUL included */

/* ---- evq.c ------------------------------------------------------------------------------ */

/**
 * struct tgs_timer - something that will happen
 * @slot: place in the heap, from 1; 0: not set. Zeroed memory is a timer that is not set.
 * @fire: called with @owner when its time has come, after it has been taken out of the queue
 * @owner: whose it is
 */
struct tgs_timer {
	u32 slot;
	void (*fire)(void *owner, s64 now);
	void *owner;
};

/**
 * struct tgs_evq - timers in the order of their time; equals in the order in which they were set
 * @heap: slots 1 to @nr
 * @nr: timers that are set
 * @room: slots there is memory for
 * @order: number of settings so far
 */
struct tgs_evq {
	struct tgs_slot {
		s64 at;
		u64 order;
		struct tgs_timer *timer;
	} *heap;
	u32 nr, room;
	u64 order;
};

/** tgs_evq_set() - set @timer to @at, or move it there */
void tgs_evq_set(struct tgs_evq *q, struct tgs_timer *timer, s64 at);
/** tgs_evq_clear() - let @timer not happen; it need not be set */
void tgs_evq_clear(struct tgs_evq *q, struct tgs_timer *timer);
/**
 * tgs_evq_pop() - take the next timer out
 * @q: the queue
 * @at: its time
 *
 * Return: the timer, or NULL when none is set.
 */
struct tgs_timer *tgs_evq_pop(struct tgs_evq *q, s64 *at);
void tgs_evq_deinit(struct tgs_evq *q);

/* ---- workload.c ------------------------------------------------------------------------- */

/** struct tgs_rng - a stream of random numbers (SplitMix64) */
struct tgs_rng {
	u64 state;
};

u64 tgs_rng_next(struct tgs_rng *rng);
/** tgs_rng_below() - evenly 0 to @n - 1; @n is at least 1 */
u64 tgs_rng_below(struct tgs_rng *rng, u64 n);
/** tgs_rng_exponential() - with mean @mean, by integer arithmetic: the same on every machine */
s64 tgs_rng_exponential(struct tgs_rng *rng, s64 mean);

/**
 * enum tgs_dist_kind - shape of a distribution of costs
 * @TGS_FIXED: always value[0]
 * @TGS_UNIFORM: value[0] to value[1]
 * @TGS_EXPONENTIAL: mean value[0]
 * @TGS_NORMAL: mean value[0], standard deviation value[1] (a sum of twelve uniform ones)
 * @TGS_CHOICE: one of value[0] to value[nr - 1], equally likely
 */
enum tgs_dist_kind { TGS_FIXED, TGS_UNIFORM, TGS_EXPONENTIAL, TGS_NORMAL, TGS_CHOICE };

#define TGS_DIST_VALUES	16

struct tgs_dist {
	enum tgs_dist_kind kind;
	u32 nr;
	s64 value[TGS_DIST_VALUES];
};

/** tgs_dist_draw() - a cost, at least 1 ns; @choice: which one (TGS_CHOICE), else 0 */
s64 tgs_dist_draw(const struct tgs_dist *dist, struct tgs_rng *rng, u32 *choice);

/**
 * enum tgs_arrival_kind - when a client wants to submit
 * @TGS_PERIODIC: every @gap; a submission that is late moves all later ones
 * @TGS_BACK_TO_BACK: @gap after there is room for it
 * @TGS_POISSON: at random, @gap apart in the mean, whatever has become of earlier ones
 * @TGS_BURSTS: @burst at once, every @gap, whatever has become of earlier ones
 * @TGS_TRACE: at the times of a file, with its costs
 */
enum tgs_arrival_kind { TGS_PERIODIC, TGS_BACK_TO_BACK, TGS_POISSON, TGS_BURSTS, TGS_TRACE };

struct tgs_arrival {
	enum tgs_arrival_kind kind;
	s64 gap;
	u32 burst;
	struct tgs_want {
		s64 at;		/* since the client's start */
		s64 cost;
	} *trace;
	u32 traced;
};

/**
 * struct tgs_workload - one client's wishes as they unfold
 * @arrival: the pattern
 * @cost: distribution of the costs; unused by TGS_TRACE
 * @rng: the client's own stream
 * @start: of the client
 * @due: when the next submission is wanted
 * @count: submissions so far
 * @shape: of the latest: groups of one shape look the same to the predictor
 */
struct tgs_workload {
	const struct tgs_arrival *arrival;
	const struct tgs_dist *cost;
	struct tgs_rng rng;
	s64 start, due;
	u64 count, shape;
};

/** tgs_workload_start() - the first wish; false: there is none */
bool tgs_workload_start(struct tgs_workload *w, s64 now);
/** tgs_workload_cost() - cost of the submission that is due; sets @shape */
s64 tgs_workload_cost(struct tgs_workload *w);
/**
 * tgs_workload_next() - the submission that was due has been made; move on
 * @w: the workload
 * @now: the time
 *
 * Return: false: that was the last one.
 */
bool tgs_workload_next(struct tgs_workload *w, s64 now);
/** tgs_workload_room() - the client's window was full, and has room again */
void tgs_workload_room(struct tgs_workload *w, s64 now);

/* ---- scenario.c ------------------------------------------------------------------------- */

/**
 * struct tgs_gpu_conf - one [gpu] section
 * @name: of the GPU
 * @policy: number of the policy
 * @engines: how many
 * @submit: from a thread's release to its doorbell
 * @interrupt: from a completion to the fence's callback
 * @switch_cost: of an engine from one channel to another
 * @slice: a channel's turn; 0: one group
 * @poll: distance of two looks at what the hardware works for, in a dense poll phase
 * @then: when the policy is switched, and to which
 * @nr_then: how often
 * @knobs: what is set at the start
 * @nr_knobs: how many
 */
struct tgs_gpu_conf {
	char name[TGS_NAME_LEN];
	u32 policy, engines;
	s64 submit, interrupt, switch_cost, slice, poll;
	struct tgs_then {
		s64 at;
		u32 policy;
	} *then;
	u32 nr_then;
	struct tgs_knob {
		bool of_policy;
		u32 nr;
		s64 value;
	} knobs[TG_KNOBS + TG_KNOBS_MAX];
	u32 nr_knobs;
};

/**
 * struct tgs_client_conf - one [client] section
 * @name: of the client; its spec lines match it
 * @gpu: index of its GPU
 * @count: clients of this kind
 * @channels: of each; used in turn
 * @engines: mask of the engines that its jobs name; they run on the first
 * @depth: submissions that may be unfinished before it waits; 0: any number
 * @start: of the first
 * @stagger: each starts this much after the one before
 * @stop: when they are killed; TG_NEVER: not
 * @deadline: a latency above it is a miss; TG_NEVER: none is
 * @arrival: pattern
 * @cost: distribution
 */
struct tgs_client_conf {
	char name[TGS_NAME_LEN];
	u32 gpu, count, channels, engines, depth;
	s64 start, stagger, stop, deadline;
	struct tgs_arrival arrival;
	struct tgs_dist cost;
};

/**
 * struct tgs_scenario - what is simulated
 * @seed: of all random numbers
 * @duration: virtual time
 * @gpus: the GPUs
 * @nr_gpus: at least one
 * @clients: the [client] sections
 * @nr_clients: how many
 * @spec: text of the spec: the [spec] section, then the clients' own lines
 * @spec_len: its bytes
 */
struct tgs_scenario {
	u64 seed;
	s64 duration;
	struct tgs_gpu_conf *gpus;
	u32 nr_gpus;
	struct tgs_client_conf *clients;
	u32 nr_clients;
	char *spec;
	u32 spec_len;
};

#define TGS_MESSAGE	256	/* room for a message */

/**
 * tgs_scenario_parse() - read a scenario (docs/man/tgsim-scenario.5)
 * @s: the result; tgs_scenario_deinit() when done, also after an error
 * @text: NUL-terminated
 * @dir: where files that it names are looked for
 * @error: room for TGS_MESSAGE bytes: "line N: what is wrong; what would be right"
 *
 * Return: 0, or -EINVAL with @error filled in.
 */
int tgs_scenario_parse(struct tgs_scenario *s, const char *text, const char *dir, char *error);
void tgs_scenario_deinit(struct tgs_scenario *s);

/**
 * tgs_time_parse() - read a time: a number and ns, us, ms or s
 * @word: the text
 * @ns: the result
 *
 * Return: is it one, exact to the ns and not beyond the clock?
 */
bool tgs_time_parse(const char *word, s64 *ns);

/* ---- gpu.c ------------------------------------------------------------------------------ */

/**
 * struct tgs_work - a group on the hardware
 * @channel: where it was put
 * @cost: time that it needs
 * @left: of it
 * @link: in its channel
 */
struct tgs_work {
	struct tgs_hw_channel *channel;
	s64 cost, left;
	struct list_head link;
};

/**
 * struct tgs_hw_channel - a queue of groups, served in order
 * @engine: that serves it
 * @works: groups, the first may be running
 * @ring: in tgs_hw_engine.ring while there are any
 */
struct tgs_hw_channel {
	struct tgs_hw_engine *engine;
	struct list_head works, ring;
};

/**
 * struct tgs_hw_engine - serves its channels in turn
 * @q: timers
 * @finish: the current turn ends
 * @ring: channels with work, the one whose turn it is first
 * @last: whose turn it was last
 * @running: whose turn it is, NULL: idle
 * @since: when it started to work for @running, after the switch
 * @switch_cost: time from one channel to another
 * @slice: a turn; 0: one group
 * @busy: time worked
 * @switching: time between channels
 * @switches: how many
 * @ran: called after each stretch of work
 * @done: called when a group is finished
 * @host: for these
 */
struct tgs_hw_engine {
	struct tgs_evq *q;
	struct tgs_timer finish;
	struct list_head ring;
	struct tgs_hw_channel *last, *running;
	s64 since, switch_cost, slice, busy, switching;
	u64 switches;
	void (*ran)(void *host, struct tgs_work *work, s64 from, s64 to);
	void (*done)(void *host, struct tgs_work *work, s64 now);
	void *host;
};

/** tgs_hw_engine_init() - an idle engine; the caller fills in what is its own before */
void tgs_hw_engine_init(struct tgs_hw_engine *e);
void tgs_hw_channel_init(struct tgs_hw_channel *c, struct tgs_hw_engine *engine);
/** tgs_hw_submit() - ring the doorbell: @work is @channel's last now */
void tgs_hw_submit(struct tgs_hw_channel *channel, struct tgs_work *work, s64 now);
/** tgs_hw_stop() - end of the simulation: account for the turn that is under way */
void tgs_hw_stop(struct tgs_hw_engine *e, s64 now);

/* ---- trace.c ---------------------------------------------------------------------------- */

/** struct tgs_writer - a trace being written to a file */
struct tgs_writer {
	FILE *file;
	bool failed;
	u64 *buf;		/* records of the event that is being fed */
	u64 len, room;		/* bytes */
};

/**
 * tgs_writer_open() - start a trace
 * @w: the writer
 * @path: file to create
 * @gpu: as it comes from tg_gpu_init()
 *
 * Return: 0, or a negative errno.
 */
int tgs_writer_open(struct tgs_writer *w, const char *path, const struct tg_gpu *gpu);
/** tgs_writer_begin() - @event is about to be fed; tgs_writer_action() for what it emits */
void tgs_writer_begin(struct tgs_writer *w, const struct tg_event *event, u32 spec_len);
void tgs_writer_action(struct tgs_writer *w, const struct tg_action *action);
/** tgs_writer_end() - @event has been fed: write it and its actions out */
void tgs_writer_end(struct tgs_writer *w, const struct tg_event *event, u32 spec_len, int result);
/** tgs_writer_close() - Return: 0, or a negative errno when anything could not be written */
int tgs_writer_close(struct tgs_writer *w);

/**
 * struct tgs_trace - a trace in memory
 * @head: its start
 * @bytes: what follows, 8-byte aligned
 * @len: bytes of it
 * @policy: number of the head's policy
 */
struct tgs_trace {
	struct tg_trace_head head;
	u64 *bytes;
	u64 len;
	u32 policy;
};

/**
 * tgs_trace_read() - take a trace apart
 * @t: the result; tgs_trace_deinit() when done, also after an error
 * @data: the file's bytes
 * @len: how many
 * @error: room for TGS_MESSAGE bytes
 *
 * Return: 0, or -EINVAL with @error filled in. Records are not looked at yet.
 */
int tgs_trace_read(struct tgs_trace *t, const void *data, u64 len, char *error);
void tgs_trace_deinit(struct tgs_trace *t);

/**
 * tgs_trace_next() - step through the records
 * @t: the trace
 * @pos: offset of the record to get, moved behind it
 * @error: room for TGS_MESSAGE bytes; empty at a clean end
 *
 * Return: the record, or NULL: the end, or something is wrong there.
 */
const struct tg_record *tgs_trace_next(const struct tgs_trace *t, u64 *pos, char *error);

/** tgs_note_name() - a word for an enum tg_note */
const char *tgs_note_name(u32 note);

/** tgs_record_print() - one line of text for a record, without newline */
void tgs_record_print(FILE *to, const struct tg_record *record);

/* ---- replay.c --------------------------------------------------------------------------- */

/**
 * tgs_replay() - do the actions in a trace follow from its events?
 * @t: the trace
 * @to: where the first difference is described
 *
 * Return: 0: all of them; 1: no, or that cannot be told to the end of the trace.
 */
int tgs_replay(const struct tgs_trace *t, FILE *to);

/**
 * enum tgs_phase - what a job is doing, as far as the core knows
 */
enum tgs_phase {
	TGS_RESERVE, TGS_WINDOW, TGS_POLICY, TGS_HANDOVER, TGS_DRIVER, TGS_BEHIND, TGS_RUNNING,
	TGS_LOST,
	TGS_PHASES
};

/** tgs_phase_of() - what @job is doing now */
enum tgs_phase tgs_phase_of(const struct tg_gpu *core, const struct tg_job *job);

/**
 * struct tgs_watch - looks on while a trace is replayed
 * @before: an event is about to be fed; the core is as the event before left it
 * @action: the core emits an action, and it is the recorded one; inside tg_gpu_feed()
 * @after: an event has been fed
 *
 * Events that failed are not shown.
 */
struct tgs_watch {
	void (*before)(struct tgs_watch *w, const struct tg_gpu *core,
		       const struct tg_record *event);
	void (*action)(struct tgs_watch *w, const struct tg_gpu *core,
		       const struct tg_record *action);
	void (*after)(struct tgs_watch *w, const struct tg_gpu *core,
		      const struct tg_record *event);
};

/**
 * tgs_replay_watched() - replay a trace for @watch's sake
 * @t: the trace
 * @watch: looks on
 * @to: where it is said why it does not replay to its end
 *
 * Return: 0; 1: not to the end of the trace.
 */
int tgs_replay_watched(const struct tgs_trace *t, struct tgs_watch *watch, FILE *to);

/**
 * tgs_why() - tell why a job waited
 * @t: the trace
 * @job: its number
 * @to: where to tell it
 *
 * Return: 0; 1: no such job in what can be replayed.
 */
int tgs_why(const struct tgs_trace *t, u64 job, FILE *to);

/* ---- timeline.c ------------------------------------------------------------------------- */

/**
 * struct tgs_group - one group's life
 * @job: its number
 * @client: its client's number
 * @nr: it is the client's nr-th of those shown, from 1
 * @comm: its client's name
 * @arrived: when the core was asked
 * @freed: when it was let go; TG_NEVER: not
 * @started: when its work began: its doorbell, or the completion ahead of it; TG_NEVER: never
 * @done: its completion; TG_NEVER: none
 * @waited_policy: time eligible, not chosen
 * @waited_reserve: time that its reserve did not let it go
 * @predicted: x
 * @limited: its reserve has a C smaller than its T
 * @arrived_e: budget right after its arrival, refills included
 * @freed_e: budget when it was let go
 * @done_e: budget once its completion was charged
 * @phases: what it did from when on
 * @nr_phases: how many
 */
struct tgs_group {
	u64 job;
	u32 client, nr;
	char comm[TG_COMM_LEN];
	s64 arrived, freed, started, done, waited_policy, waited_reserve, predicted;
	bool limited;
	s64 arrived_e, freed_e, done_e;
	struct tgs_stay {
		s64 from;
		enum tgs_phase phase;
	} *phases;
	u32 nr_phases;
};

/**
 * struct tgs_timeline - the groups that arrive in a part of a trace
 * @from: start of the part, on the trace's clock
 * @until: its end
 * @groups: by arrival
 * @nr: how many
 */
struct tgs_timeline {
	s64 from, until;
	struct tgs_group *groups;
	u32 nr;
};

/**
 * tgs_timeline_read() - replay a trace, and remember its groups
 * @tl: the result, @from and @until since the trace's start already set (TG_NEVER: its end);
 *	tgs_timeline_deinit() when done
 * @t: the trace
 * @to: where it is said why it does not replay to its end
 *
 * Return: 0; 1: not to the end of the trace.
 */
int tgs_timeline_read(struct tgs_timeline *tl, const struct tgs_trace *t, FILE *to);
void tgs_timeline_deinit(struct tgs_timeline *tl);
/** tgs_timeline_print() - a picture in letters, and a table */
void tgs_timeline_print(const struct tgs_timeline *tl, FILE *to);

/* ---- perfetto.c ------------------------------------------------------------------------- */

/**
 * tgs_perfetto() - a trace as JSON for ui.perfetto.dev and chrome://tracing
 * @t: the trace
 * @path: file to write; "-": standard output
 * @error: room for TGS_MESSAGE bytes
 *
 * Clients are its processes, engines their threads, a group on the hardware a slice, a wait an
 * asynchronous one, a note an instant.
 *
 * Return: 0, or a negative errno with @error filled in.
 */
int tgs_perfetto(const struct tgs_trace *t, const char *path, char *error);
/** tgs_trace_plot() - the same as a picture, by gnuplot: the first TGS_STRETCHES runs and waits */
int tgs_trace_plot(const struct tgs_trace *t, const char *path, char *error);
/** tgs_terminal() - gnuplot's terminal for a picture of that name; NULL: none draws such */
const char *tgs_terminal(const char *path);

/* ---- blocking.c ------------------------------------------------------------------------- */

/**
 * tgs_blocking() - count the lower-priority groups that jobs waited for
 * @t: the trace
 * @to: where to tell it
 *
 * Return: 0: never more than were in flight when the job arrived; 1: more, or the trace does
 * not replay to its end.
 */
int tgs_blocking(const struct tgs_trace *t, FILE *to);

/* ---- run.c ------------------------------------------------------------------------------ */

/**
 * struct tgs_hist - a histogram of times, true to 1 in 128
 * @n: samples
 * @sum: of them
 * @max: largest
 * @octave: counts of the times of 2^i ns to 2^(i+1) ns, or NULL: none
 */
struct tgs_hist {
	u64 n;
	s64 sum, max;
	u32 *octave[64];
};

void tgs_hist_add(struct tgs_hist *h, s64 value);
void tgs_hist_merge(struct tgs_hist *h, const struct tgs_hist *from);
/** tgs_hist_at() - the time that @permille of 1000 samples do not exceed */
s64 tgs_hist_at(const struct tgs_hist *h, u32 permille);
void tgs_hist_deinit(struct tgs_hist *h);

/**
 * enum tgs_cause - what a job waits for, from when it was wanted until it is done
 * @TGS_WAIT_BACKLOG: its own program, which had depth submissions unfinished
 * @TGS_WAIT_RESERVE: its reserve (THROTTLED)
 * @TGS_WAIT_WINDOW: the policy, while its own client had groups in flight
 * @TGS_WAIT_POLICY: the policy, otherwise
 * @TGS_WAIT_HARDWARE: the way to the hardware and back, and other groups there
 */
enum tgs_cause {
	TGS_WAIT_BACKLOG, TGS_WAIT_RESERVE, TGS_WAIT_WINDOW, TGS_WAIT_POLICY, TGS_WAIT_HARDWARE,
	TGS_CAUSES
};

#define TGS_SHARE_STEPS	100	/* steps of the share over time */

/**
 * struct tgs_stats - what is counted of a client
 * @released: submissions that were wanted
 * @done: groups that finished
 * @failed: groups that the driver refused
 * @missed: latencies above the deadline
 * @used: time on the hardware
 * @accounted: what the core has booked of it
 * @waited: sums over the groups that finished
 * @modelled: groups whose wait a dry run has told
 * @would: sum of these
 * @latency: from wanted to done
 * @share: time on the hardware in each step of the run
 */
struct tgs_stats {
	u64 released, done, failed, missed;
	s64 used, accounted;
	s64 waited[TGS_CAUSES];
	u64 modelled;
	s64 would;
	struct tgs_hist latency;
	s64 *share;
};

/** struct tgs_stretch - who ran when: stretch of work of one [client] section */
struct tgs_stretch {
	s64 from, to;
	u32 conf, gpu, engine;
};

#define TGS_STRETCHES	4000	/* as many as a picture can show */

/**
 * struct tgs_result - what a run gives
 * @scenario: that was run
 * @clients: in the order of the sections, @count of each
 * @nr_clients: of them
 * @gpus: per GPU
 * @stretches: the first ones
 * @nr_stretches: of them
 * @events: fed to cores
 */
struct tgs_result {
	const struct tgs_scenario *scenario;
	struct tgs_client_result {
		u32 conf, nr;
		struct tgs_stats stats;
	} *clients;
	u32 nr_clients;
	struct tgs_gpu_result {
		struct tgs_engine_result {
			s64 busy, switching;
			u64 switches;
		} engine[TG_ENGINES_MAX];
		u64 notes[TG_NOTES];
		u64 looks;		/* at what the hardware works for */
		u64 switches_waited;	/* of policies, that one job waited through; the most */
	} *gpus;
	struct tgs_stretch *stretches;
	u32 nr_stretches;
	u64 events;
};

/**
 * tgs_run() - simulate
 * @scenario: what
 * @trace: path of the traces to write: the first GPU's; others' have its name appended; or NULL
 * @result: tgs_result_deinit() when done, also after an error
 * @error: room for TGS_MESSAGE bytes
 *
 * Return: 0, or a negative errno with @error filled in.
 */
int tgs_run(const struct tgs_scenario *scenario, const char *trace, struct tgs_result *result,
	    char *error);
void tgs_result_deinit(struct tgs_result *result);

/* ---- report.c --------------------------------------------------------------------------- */

void tgs_report_text(const struct tgs_result *result, FILE *to);
void tgs_report_json(const struct tgs_result *result, FILE *to);
void tgs_report_csv(const struct tgs_result *result, FILE *to);
/**
 * tgs_report_plot() - draw with gnuplot who ran when, and the share over time
 * @result: of a run
 * @path: picture; its name ends in .png, .svg or .pdf
 * @error: room for TGS_MESSAGE bytes
 *
 * Return: 0, or a negative errno with @error filled in.
 */
int tgs_report_plot(const struct tgs_result *result, const char *path, char *error);

/* ---- memory (evq.c) --------------------------------------------------------------------- */

/** tgs_alloc() - zeroed memory for @nr times @size bytes; never NULL */
void *tgs_alloc(u64 nr, u64 size);
/** tgs_grow() - realloc() to @nr times @size bytes; never NULL */
void *tgs_grow(void *old, u64 nr, u64 size);

#endif /* TGS_SIM_H */
