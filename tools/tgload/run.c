// SPDX-License-Identifier: GPL-2.0
/*
 * The loop that makes the load. Called once by main.c. Every channel belongs to one thread, the
 * first one to the main thread; they share nothing but the flag that says stop and the file
 * descriptor that wakes sleepers then, so there is no lock.
 *
 * A thread submits, and when as many groups are in flight as may be, it sleeps until the oldest
 * has completed. A completion is thus seen late when the thread is thinking meanwhile or the
 * kernel holds its next submission back: with more than one group in flight, latencies are upper
 * bounds. CPU time between groups is slept, not burned: what matters is that the card gets no
 * work for so long, and several clients may share few processors.
 */
#include "run.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#include "gpu.h"
#include "pace.h"
#include "units.h"

/* So many submissions refused in a row end the run: it would only go round. */
#define REFUSALS_MAX	16

/* One group in flight. */
struct flight {
	uint64_t submitted_ns;
	uint64_t ps;		/* that it asks for */
	uint32_t seq;
	int ends_frame;
};

struct worker {
	const struct tgl_opts *opts;
	const struct tgl_rates *rates;
	struct tgl_channel *chan;
	uint32_t seed;
	pthread_t thread;
	uint64_t start_ns;
	uint64_t end_ns;	/* no group starts after this; UINT64_MAX for never */
	uint64_t last_ns;	/* last completion or frame shown */
	uint64_t shown_ns;	/* last frame shown; 0 before the first */
	uint64_t taken_ns;	/* when it got its frame's VRAM */
	uint64_t started;	/* groups begun, refused ones too: the next one's number */
	unsigned int oldest;	/* slot of the oldest group in flight */
	unsigned int in_flight;
	unsigned int refusals;	/* in a row */
	int gone;		/* the card or the channel does not work any more */
	struct tgl_result result;
	struct flight flights[];
};

static int stop;
static int stop_fd;
static int complained;

static void on_signal(int sig)
{
	const uint64_t one = 1;
	int saved = errno;

	(void)sig;
	__atomic_store_n(&stop, 1, __ATOMIC_RELAXED);
	if (write(stop_fd, &one, sizeof(one)) < 0)
		_exit(1);	/* it cannot fail: the counter is far from full */
	errno = saved;
}

/* The first signal ends the run in order, a second one of the same kind at once. */
static int catch_signals(void)
{
	struct sigaction act = { .sa_handler = on_signal, .sa_flags = SA_RESTART | SA_RESETHAND };

	stop_fd = eventfd(0, EFD_CLOEXEC);
	if (stop_fd < 0)
		return -errno;
	sigemptyset(&act.sa_mask);
	if (sigaction(SIGINT, &act, NULL) || sigaction(SIGTERM, &act, NULL))
		return -errno;
	return 0;
}

static int stopped(void)
{
	return __atomic_load_n(&stop, __ATOMIC_RELAXED);
}

static uint64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * TGL_NS_PER_SEC + ts.tv_nsec;
}

/* Sleeps until an instant, or until a signal says stop. */
static void sleep_until(uint64_t when)
{
	struct pollfd pfd = { .fd = stop_fd, .events = POLLIN };
	uint64_t now = now_ns();

	while (!stopped() && now < when) {
		struct timespec left = {
			.tv_sec = (when - now) / TGL_NS_PER_SEC,
			.tv_nsec = (when - now) % TGL_NS_PER_SEC,
		};

		ppoll(&pfd, 1, &left, NULL);
		now = now_ns();
	}
}

/* Counts an error. Return: it is the first of the run, in any channel; the caller prints it. */
static int first_error(struct worker *w)
{
	w->result.errors++;
	if (__atomic_exchange_n(&complained, 1, __ATOMIC_RELAXED))
		return 0;
	fprintf(stderr, "tgload: channel %d: ", tgl_channel_id(w->chan));
	return 1;
}

#define error(w, ...)				\
do {						\
	if (first_error(w)) {			\
		fprintf(stderr, __VA_ARGS__);	\
		fputc('\n', stderr);		\
	}					\
} while (0)

static int ended(const struct worker *w)
{
	return stopped() || w->gone || (w->opts->count && w->started == w->opts->count) ||
	       now_ns() >= w->end_ns;
}

/*
 * Is each frame awaited before the next begins? Frames that are due at times, shown at ticks,
 * prepared or in need of memory are; others are one long stream.
 */
static int paced(const struct tgl_opts *opts)
{
	return opts->every_ns || opts->vsync_ns || opts->prepare_ns || opts->mem;
}

/* Time on the CPU. */
static void think(struct worker *w, uint64_t ns)
{
	uint64_t from = now_ns();

	sleep_until(from + ns);
	w->result.cpu_ns += now_ns() - from;
}

/* What the next group does: all of a frame do the same. */
static struct tgl_work next_work(const struct worker *w)
{
	const struct tgl_opts *opts = w->opts;

	return tgl_work_size(w->rates, opts->kind, tgl_vary(opts->cost_ns, opts->vary, w->seed,
							    w->started / opts->groups));
}

/* Submits the next group; false if it was refused. */
static int submit(struct worker *w, int ends_frame)
{
	unsigned int slot = (w->oldest + w->in_flight) % w->opts->depth;
	struct flight *flight = &w->flights[slot];
	struct tgl_work work = next_work(w);
	int ret;

	flight->seq = ++w->started;
	flight->ends_frame = ends_frame;
	flight->ps = work.ps;
	flight->submitted_ns = now_ns();
	ret = tgl_slot_submit(w->chan, slot, &work, flight->seq);
	if (!ret) {
		w->result.submitted++;
		w->in_flight++;
		w->refusals = 0;
		return 1;
	}
	error(w, "the kernel refuses group %u: %s", flight->seq, strerror(-ret));
	if (ret == -ENODEV || ++w->refusals == REFUSALS_MAX)
		w->gone = 1;
	return 0;
}

static void frame_done(struct worker *w, uint64_t done)
{
	uint64_t shown = tgl_shown(w->start_ns, w->opts->vsync_ns, done);

	w->result.frames++;
	if (w->shown_ns && tgl_samples_add(&w->result.frame, shown - w->shown_ns)) {
		error(w, "out of memory");
		w->gone = 1;
	}
	w->shown_ns = shown;
	w->last_ns = shown;
}

/* Waits for the oldest group in flight. */
static void reap(struct worker *w)
{
	struct flight *flight = &w->flights[w->oldest];
	unsigned int slot = w->oldest;
	int ret = tgl_slot_wait(w->chan, slot);
	uint64_t done = now_ns();
	unsigned long long wrong;

	w->oldest = (w->oldest + 1) % w->opts->depth;
	w->in_flight--;
	if (ret) {
		error(w, "waiting for group %u: %s", flight->seq,
		      ret == -EBUSY ? "not complete after 30 s" : strerror(-ret));
		w->gone = 1;
		return;
	}
	w->result.groups++;
	w->result.asked_ps += flight->ps;
	w->last_ns = done;
	if (tgl_samples_add(&w->result.latency, done - flight->submitted_ns)) {
		error(w, "out of memory");
		w->gone = 1;
	}
	wrong = w->opts->verify ? tgl_slot_check(w->chan, slot, flight->seq) : 0;
	if (wrong)
		error(w, "group %u left %llu words wrong", flight->seq, wrong);
	if (flight->ends_frame)
		frame_done(w, done);
}

/* Submits the groups of one frame, never more in flight than the depth. */
static void run_frame(struct worker *w)
{
	const struct tgl_opts *opts = w->opts;
	int whole = 1;
	uint64_t i;

	for (i = 0; i < opts->groups; i++) {
		if (opts->think_ns && w->started && (i || !paced(opts)))
			think(w, opts->think_ns);
		if (ended(w))
			return;
		whole &= submit(w, whole && i + 1 == opts->groups);
		if (w->in_flight == opts->depth)
			reap(w);
	}
}

static void drain(struct worker *w)
{
	while (w->in_flight && !w->gone)
		reap(w);
}

/* Takes the VRAM that a frame needs; false if the kernel refuses it. */
static int take(struct worker *w)
{
	uint64_t from = now_ns();
	int ret = tgl_channel_take(w->chan, w->opts->mem << 20);

	w->taken_ns = now_ns();
	w->result.mem_wait_ns += w->taken_ns - from;
	if (!ret)
		return 1;
	error(w, "the kernel refuses %llu MiB of VRAM: %s", (unsigned long long)w->opts->mem,
	      strerror(-ret));
	w->gone = 1;
	return 0;
}

/* Gives the frame's VRAM back. */
static void give(struct worker *w)
{
	tgl_channel_give(w->chan);
	w->result.mem_held_ns += now_ns() - w->taken_ns;
}

/* A frame from its begin to its end. */
static void run_paced(struct worker *w)
{
	if (w->opts->prepare_ns)
		think(w, w->opts->prepare_ns);
	if (ended(w) || (w->opts->mem && !take(w)))
		return;
	run_frame(w);
	drain(w);
	if (w->opts->mem)
		give(w);
}

static void *work_channel(void *arg)
{
	struct worker *w = arg;
	uint64_t due = w->start_ns;

	while (!ended(w)) {
		if (!paced(w->opts)) {
			run_frame(w);
			continue;
		}
		run_paced(w);
		due = tgl_next_due(due, w->opts->every_ns, w->last_ns);
		sleep_until(due < w->end_ns ? due : w->end_ns);
	}
	drain(w);
	if (!w->gone && tgl_channel_dead(w->chan))
		error(w, "the kernel has killed the channel");
	return NULL;
}

static int make_worker(const struct tgl_opts *opts, struct tgl_gpu *gpu, uint32_t nr,
		       struct worker **pw, char *why, size_t why_size)
{
	struct worker *w = calloc(1, sizeof(*w) + opts->depth * sizeof(w->flights[0]));
	const struct tgl_rates *rates = tgl_gpu_rates(gpu);
	struct tgl_work most = tgl_work_size(rates, opts->kind, opts->cost_ns +
					     opts->cost_ns * opts->vary / 100);

	if (!w) {
		snprintf(why, why_size, "out of memory");
		return -ENOMEM;
	}
	w->opts = opts;
	w->rates = rates;
	w->seed = opts->seed + nr;
	*pw = w;
	return tgl_channel_new(gpu, &most, opts->depth, opts->verify, &w->chan,
			       why, why_size);
}

/* Runs all workers to their end, the first one in this thread. */
static void run_workers(struct worker **workers, const struct tgl_opts *opts)
{
	uint64_t start = now_ns(), i;

	for (i = 0; i < opts->channels; i++) {
		workers[i]->start_ns = start;
		workers[i]->last_ns = start;
		workers[i]->end_ns = opts->for_ns ? start + opts->for_ns : UINT64_MAX;
	}
	for (i = 1; i < opts->channels; i++) {
		int err = pthread_create(&workers[i]->thread, NULL, work_channel, workers[i]);

		if (err) {
			error(workers[i], "cannot start its thread: %s", strerror(err));
			workers[i]->gone = 1;
			workers[i]->thread = 0;
		}
	}
	work_channel(workers[0]);
	for (i = 1; i < opts->channels; i++)
		if (workers[i]->thread)
			pthread_join(workers[i]->thread, NULL);
}

/* Adds up what the workers did; they have ended. */
static int sum_up(struct worker **workers, const struct tgl_opts *opts, struct tgl_result *sum)
{
	uint64_t i;

	memset(sum, 0, sizeof(*sum));
	for (i = 0; i < opts->channels; i++) {
		struct worker *w = workers[i];
		struct tgl_result *r = &w->result;

		sum->channels[i] = tgl_channel_id(w->chan);
		sum->submitted += r->submitted;
		sum->groups += r->groups;
		sum->frames += r->frames;
		sum->errors += r->errors;
		sum->asked_ps += r->asked_ps;
		sum->cpu_ns += r->cpu_ns;
		sum->mem_wait_ns += r->mem_wait_ns;
		sum->mem_held_ns += r->mem_held_ns;
		if (w->last_ns - w->start_ns > sum->elapsed_ns)
			sum->elapsed_ns = w->last_ns - w->start_ns;
		if (tgl_samples_append(&sum->latency, &r->latency) ||
		    tgl_samples_append(&sum->frame, &r->frame))
			return -ENOMEM;
		tgl_samples_free(&r->latency);
		tgl_samples_free(&r->frame);
	}
	return 0;
}

int tgl_run(const struct tgl_opts *opts, struct tgl_result *result, char *why, size_t why_size)
{
	struct worker *workers[TGL_CHANNELS_MAX];
	struct tgl_gpu *gpu;
	uint64_t i;
	int ret;

	/* Before the card is opened and threads start: both take the name from here. */
	prctl(PR_SET_NAME, opts->name);
	ret = catch_signals();
	if (ret) {
		snprintf(why, why_size, "cannot catch signals: %s", strerror(-ret));
		return ret;
	}
	ret = tgl_gpu_open(&gpu, opts->device, opts->exec, why, why_size);
	for (i = 0; !ret && i < opts->channels; i++)
		ret = make_worker(opts, gpu, i, &workers[i], why, why_size);
	if (ret)
		return ret;

	if (opts->stopped)
		raise(SIGSTOP);
	run_workers(workers, opts);
	ret = sum_up(workers, opts, result);
	if (ret)
		snprintf(why, why_size, "out of memory");
	return ret;
}
