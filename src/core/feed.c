// SPDX-License-Identifier: GPL-2.0
/*
 * The way in: tg_gpu_feed() takes one event, changes the state, and hands out actions.
 *
 * Hosts call it in any context, hard interrupts included, serialised by the GPU's lock (tg/gpu.h).
 * All of src/core and src/policy runs inside this call, but for the few functions that a header of
 * include/tg declares for hosts.
 *
 * The circle feed -> action -> feed, in order:
 *
 *	1 A host feeds what happened. A refused event changes nothing and emits nothing.
 *	2 Dispatch: the file that owns the object acts on it, and emits what follows at once.
 *	3 One request for VRAM is answered, if any can be (memory.c). Not after a job's event.
 *	4 What is due expires: refills, slots, answers to SYNC and POLL, deadlines (engine.c). The
 *	  host is told of some more gates that have changed (gate.c).
 *	5 A new spec, foreground or policy comes to some more clients (match.c, handover.c); or the
 *	  policy has tick() and pick() called until no job may go (engine.c).
 *	6 The model of a dry run follows, up to now (dry.c).
 *	7 ARM, if something is due before the timer that the host has set.
 *	8 The host acts: FREE lets a thread go to the driver, GATE, SYNC, POLL, ARM likewise.
 *	9 What that brings about are the next events: STARTED and DONE or REFUSED answer FREE, IDLE
 *	  answers SYNC, QUIET WATCH, SAMPLE POLL, TIMER ARM. No action feeds from inside emit().
 *
 * A job's events come often, so they skip 4 unless something is due, and STARTED skips 5 too.
 */
#include "client.h"
#include "dry.h"
#include "engine.h"
#include "feed.h"
#include "gate.h"
#include "handover.h"
#include "job.h"
#include "knob.h"
#include "match.h"
#include "memory.h"
#include "poll.h"
#include "vgpu.h"

void tg_emit(struct tg_gpu *gpu, enum tg_action_kind kind, const struct tg_client *client,
	     const struct tg_job *job, u32 arg)
{
	struct tg_action action = {
		.kind = kind,
		.client = client ? client->id : 0,
		.job = job ? job->id : 0,
		.arg = arg,
		.host = client ? client->host : NULL,
	};

	gpu->out->emit(gpu->out, &action);
}

static int dispatch_job(struct tg_gpu *gpu, const struct tg_event *ev)
{
	switch (ev->kind) {
	case TG_EV_SUBMIT:
		return tg_job_submit(gpu, ev);
	case TG_EV_BYPASSED:
		return tg_job_bypassed(gpu, ev);
	case TG_EV_CANCEL:
		return tg_job_cancel(gpu, ev->job);
	case TG_EV_STARTED:
		return tg_job_started(gpu, ev);
	case TG_EV_REFUSED:
		return tg_job_refused(gpu, ev->job);
	default:
		return tg_job_done(gpu, ev);
	}
}

static int dispatch_other(struct tg_gpu *gpu, const struct tg_event *ev)
{
	switch (ev->kind) {
	case TG_EV_JOIN:
		return tg_client_join(gpu, ev);
	case TG_EV_LEAVE:
		return tg_client_leave(gpu, ev);
	case TG_EV_IDLE:
		return tg_client_idle_event(gpu, ev);
	case TG_EV_QUIET:
		return tg_gates_quiet(gpu, ev);
	case TG_EV_TIMER:
		gpu->armed = TG_NEVER;
		gpu->wake = TG_NEVER;
		return 0;
	case TG_EV_SPEC:
		return tg_client_spec(gpu, ev);
	case TG_EV_POLICY:
		return tg_policy_switch(gpu, ev->policy.number);
	case TG_EV_KNOB:
		return tg_policy_knob(gpu, ev);
	case TG_EV_PRIO:
		return tg_client_prio(gpu, ev);
	case TG_EV_FOREGROUND:
		return tg_client_foreground(gpu, ev);
	case TG_EV_NICE:
		return tg_client_nice(gpu, ev);
	case TG_EV_VGPU:
		return tg_vgpu_event(gpu, ev);
	case TG_EV_ENGINES:
		return tg_client_engines(gpu, ev);
	case TG_EV_SAMPLE:
		return tg_poll_sample(gpu, ev);
	case TG_EV_MEM_SIZE:
		return tg_memory_size(gpu, ev);
	case TG_EV_MEM_REQUEST:
		return tg_memory_request(gpu, ev);
	case TG_EV_MEM_CANCEL:
		return tg_memory_cancel(gpu, ev->mem.request);
	case TG_EV_MEM_FREE:
		return tg_memory_free(gpu, ev);
	default:
		return -EINVAL;
	}
}

/* Events of a job's life. They come often: each reports by tg_wake_by() what it makes due. */
static bool of_job(enum tg_event_kind kind)
{
	return (kind >= TG_EV_SUBMIT && kind <= TG_EV_DONE) || kind == TG_EV_BYPASSED;
}

/* Events of memory, which engines and policies need not hear of. */
static bool of_memory(enum tg_event_kind kind)
{
	return kind >= TG_EV_MEM_SIZE && kind <= TG_EV_MEM_FREE;
}

static int feed_job(struct tg_gpu *gpu, const struct tg_event *ev)
{
	int rc = dispatch_job(gpu, ev);
	bool due, steps;

	/* BYPASSED and a late STARTED record the past only; the next event expires and picks. */
	if (rc || ev->kind == TG_EV_BYPASSED || (ev->kind == TG_EV_STARTED && ev->started.late))
		return rc;
	/* What has moved jobs leaves what comes to clients in steps to the next event. */
	if (gpu->moved)
		gpu->visited = TG_VISITS;
	due = gpu->wake <= gpu->now;
	steps = gpu->handover || gpu->rematching;
	if (due) {
		tg_engines_expire(gpu);
		/* All that was due has been done: look for what comes next. */
		gpu->wake = min(gpu->armed, min(tg_engines_wake(gpu), tg_memory_wake(gpu)));
	}
	/* A start leaves nothing to decide, unless the policy has asked for starts. */
	if (due || ev->kind != TG_EV_STARTED || gpu->starts || steps)
		tg_engines_run(gpu);
	if (steps)
		tg_wake_by(gpu, min(tg_engines_wake(gpu), tg_memory_wake(gpu)));
	if (gpu->dry)
		tg_dry_event(gpu, ev);
	return 0;
}

static noinline int feed_other(struct tg_gpu *gpu, const struct tg_event *ev)
{
	int rc = dispatch_other(gpu, ev);

	if (rc)
		return rc;
	/* Until all clients have the new spec, it is not known what is promised to them. */
	if (gpu->mem.waiting && !gpu->rematches)
		tg_memory_run(gpu);
	if (of_memory(ev->kind))
		return 0;
	tg_engines_expire(gpu);
	tg_engines_run(gpu);
	tg_wake_by(gpu, min(tg_engines_wake(gpu), tg_memory_wake(gpu)));
	if (gpu->dry)
		tg_dry_event(gpu, ev);
	return 0;
}

/* Ask the host for TIMER. One that comes too early is harmless: the core asks again. */
static noinline void arm(struct tg_gpu *gpu)
{
	struct tg_action action = { .kind = TG_ACT_ARM, .at = gpu->wake };

	gpu->armed = gpu->wake;
	gpu->out->emit(gpu->out, &action);
}

int tg_gpu_feed(struct tg_gpu *gpu, const struct tg_event *ev, struct tg_actions *out)
{
	s64 before = gpu->now;
	int rc;

	if (ev->now < before || ev->now == TG_NEVER || ev->at < 0)
		return -EINVAL;
	gpu->now = ev->now;
	gpu->out = out;
	gpu->wake = gpu->armed;
	gpu->moved = 0;
	gpu->served = false;
	gpu->walked = 0;
	if (of_job(ev->kind)) {
		gpu->visited = TG_VISITS / 2;	/* what it does by itself counts as a half */
		rc = feed_job(gpu, ev);
	} else {
		gpu->visited = 0;
		rc = feed_other(gpu, ev);
	}
	if (rc) {
		gpu->now = before;
		return rc;
	}
	if (gpu->wake < gpu->armed)
		arm(gpu);
	return 0;
}
