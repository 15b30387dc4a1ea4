/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Scripts for the core: each row is a script of events and the actions that must come out.
 * core_test.c and reserve_test.c have the rows, and call run_rows().
 *
 * A script has one event a line, `TIME EVENT ARGUMENTS`, times in microseconds; timers that the
 * core asked for are fed when their time comes. Expected is the list of actions as
 * `TIME ACTION ...`, in order; ARM and the first GATE of a client are left out. After every event
 * all invariants are checked.
 *
 *	join CLIENT CHANNEL COMM [MASK [PAYER [CGROUP [UNDELEGATED]]]]
 *		(MASK: of engines, 1 unless given; PAYER: the client's own unless given, and else
 *		its uid, too. A client that has left comes back instead, if one does: logs `back
 *		CLIENT`)
 *		The GPU of all rows is 0000:01:00.0.
 *	driver CLIENT CHANNEL MASK	(JOIN of a driver's own work, kernel=test)
 *	copy CLIENT CHANNEL JOB		(BYPASSED, started now)
 *	yields ...			(as join; the client can end its jobs early)
 *	engines CLIENT CHANNEL MASK	(from now on)
 *	leave CLIENT CHANNEL
 *	submit CLIENT CHANNEL JOB [KEY]	cancel JOB	refused JOB
 *	started JOB [AT]		done JOB [AT]
 *	exact JOB AT	by JOB AT	forged JOB	(DONE, with other values of enum tg_done)
 *	sample CLIENT LENGTH BUSY ACTIVE	(of the phase that logs `poll UNTIL`; in us; client 0 ends it)
 *	spec TEXT			rematch TEXT		(lines separated by blanks; |: a blank)
 *	load TEXT			(as rematch; policy and knobs of it, too)
 *	policy NAME	idle CLIENT	quiet	knob NR VALUE	wait	(pknob: one of the policy's)
 *	prio CLIENT PRIO		foreground PID		(a client's pid is 100 times its number)
 *	nice CLIENT LEVEL		(what its process has on the CPU)
 *	prio? CLIENT			(logs `prio N`)	model? CLIENT	(likewise, in a dry run)
 *	nice?				(logs `nice N`: clients that follow it)
 *	set?				(logs `set POLICY STALL_US A/B`: the policy that is chosen, after `dry` if it
 *		is modelled, and its first two knobs)
 *	no-dry				(no memory for the model of a dry run is left)
 *	time CLIENT			(logs `used US`: its time on the GPU)
 *	held CLIENT			(logs `held US`)
 *	busy ENGINE			(logs `busy US`: what was charged for it)
 *	budget CLIENT			(logs `budget US`: of its reserve)
 *	weight CLIENT			(logs `weight SHARER CLIENT`: of its sharer, and its own)
 *	others CLIENT			(logs `others PERCENT`: of tg_gpu_refusal())
 *
 * An event that is refused logs `TIME -ERRNO`.
 */
#ifndef TESTS_CORE_SCRIPT_H
#define TESTS_CORE_SCRIPT_H

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <tg/dry.h>
#include <tg/guarantee.h>
#include <tg/policy.h>
#include <tg/recorder.h>
#include "../lib/test.h"

#define LOG_MAX 8192

struct row {
	const char *name, *policy, *script, *expected;
};

/* The host of these tests: logs actions, keeps the timer, owns all memory. */
struct host {
	struct tg_actions actions;
	struct tg_gpu gpu;
	s64 armed;
	char log[LOG_MAX];
	size_t used;
	struct tg_identity ids[16], drivers[16];
	struct tg_times times[2048];
	char cgroups[16][64];
	bool gated[16];
	struct tg_job *jobs[16];
	struct tg_client *clients[16];
	struct tg_channel *channels[16];
	struct tg_spec spec[8];
	char text[8][512];
	int nr_spec;
	void *objects[TG_POOLS * 16];
};

static void say(struct host *h, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static void say(struct host *h, const char *fmt, ...)
{
	va_list ap;

	h->used += snprintf(h->log + h->used, LOG_MAX - h->used, "%s%lld ", h->used ? ", " : "",
			    (long long)(h->gpu.now / TG_USEC));
	va_start(ap, fmt);
	h->used += vsnprintf(h->log + h->used, LOG_MAX - h->used, fmt, ap);
	va_end(ap);
}

static void emit(struct tg_actions *out, const struct tg_action *a)
{
	static const char *const gates[] = { "open", "track", "ask", "hold" };
	static const char *const notes[] = { "lost", "repaired", "recovered", "overlap",
		"ejected_pick", "ejected_starved", "drain_cut", "policy", "dry", "not-admitted",
		"no-vram", "vram-late", "vram-deadlock", "forged", "overlong" };
	struct host *h = container_of(out, struct host, actions);

	switch (a->kind) {
	case TG_ACT_FREE:
		say(h, "free %llu", (unsigned long long)a->job);
		break;
	case TG_ACT_ARM:
		h->armed = a->at;
		break;
	case TG_ACT_NOTE:
		say(h, "note %s %u %llu", notes[a->arg], a->client, (unsigned long long)a->job);
		break;
	case TG_ACT_GATE:
		if (h->gated[a->client])
			say(h, "gate %u %s", a->client, gates[a->arg]);
		h->gated[a->client] = true;
		break;
	case TG_ACT_SYNC:
		say(h, "sync %u", a->client);
		break;
	case TG_ACT_WATCH:
		say(h, "watch");
		break;
	case TG_ACT_POLL:
		say(h, "poll %lld", (long long)a->at / TG_USEC);
		break;
	case TG_ACT_YIELD:
		say(h, "yield %llu", (unsigned long long)a->job);
		break;
	case TG_ACT_WOULD:
		say(h, "would %llu", (unsigned long long)a->job);
		break;
	case TG_ACT_GONE:
		say(h, "gone %u", a->client);
		break;
	default:
		abort();
	}
}

static const char *feed(struct host *h, struct tg_event *ev)
{
	int rc;

	if (ev->kind != TG_EV_KNOB && ev->kind != TG_EV_STARTED && ev->kind != TG_EV_DONE)
		ev->at = ev->now;
	rc = tg_gpu_feed(&h->gpu, ev, &h->actions);
	if (rc) {
		h->gpu.now = ev->now;
		say(h, "%d", rc);
	}
	return tg_gpu_check(&h->gpu);
}

static const char *spec(struct host *h, struct tg_event *ev, const char *text)
{
	struct tg_spec *s = &h->spec[h->nr_spec];
	struct tg_spec_error err;
	char *copy = h->text[h->nr_spec++];
	size_t i, len = strlen(text);

	for (i = 0; i <= len; i++)
		copy[i] = text[i] == ' ' ? '\n' : text[i] == '|' ? ' ' : text[i];
	s->text = copy;
	s->entries = calloc(tg_spec_room(copy, len), sizeof(*s->entries));
	if (tg_spec_parse(s, len, &err))
		return err.what;
	ev->kind = TG_EV_SPEC;
	ev->new_spec = s;
	return feed(h, ev);
}

/* A process that joins may be one that has left. */
static void come_back(struct host *h, struct tg_event *ev)
{
	const s64 now = h->gpu.now;
	struct tg_client *left = tg_gpu_left(&h->gpu, ev->identity, ev->join.account);

	if (tg_gpu_client(&h->gpu, ev->client) || !left)
		return;
	h->gpu.now = ev->now;
	say(h, "back %u", left->id);
	h->gpu.now = now;
	ev->client = left->id;
}

static void say_set(struct host *h)
{
	const struct tg_gpu *chosen = h->gpu.dry ? &h->gpu.dry->model : &h->gpu;

	say(h, "set %s%s %lld %lld/%lld", h->gpu.dry ? "dry " : "", chosen->policy->name,
	    (long long)(h->gpu.knob[TG_KNOB_STALL] / TG_USEC), (long long)chosen->policy_knob[0],
	    (long long)chosen->policy_knob[1]);
}

static const char *step(struct host *h, const char *line)
{
	struct tg_event ev = { };
	struct tg_sample sample = { };
	char word[16], rest[512] = "";
	unsigned long long t, a = 0, b = 0, c = 0, d = 0;
	u64 key[2] = { 0 };
	const char *wrong;
	int n;

	if (sscanf(line, "%llu %15s %511[^\n]", &t, word, rest) < 2)
		return "a line that the test cannot read";
	n = sscanf(rest, "%llu %llu %llu %llu", &a, &b, &c, &d);

	while (h->armed <= (s64)t * TG_USEC) {
		struct tg_event timer = { .now = h->armed, .kind = TG_EV_TIMER };

		h->armed = TG_NEVER;
		wrong = feed(h, &timer);
		if (wrong)
			return wrong;
	}
	ev.now = t * TG_USEC;
	ev.client = a;
	ev.channel = b;
	if (!strcmp(word, "wait"))
		return NULL;
	if (!strcmp(word, "time")) {
		h->gpu.now = ev.now;
		say(h, "used %lld", (long long)tg_gpu_client(&h->gpu, a)->stats.gpu_time /
		    TG_USEC);
		return NULL;
	}
	if (!strcmp(word, "busy")) {
		h->gpu.now = ev.now;
		say(h, "busy %lld", (long long)h->gpu.engine[a].used / TG_USEC);
		return NULL;
	}
	if (!strcmp(word, "held")) {
		h->gpu.now = ev.now;
		say(h, "held %lld", (long long)tg_gpu_client(&h->gpu, a)->stats.held_time / TG_USEC);
		return NULL;
	}
	if (!strcmp(word, "budget")) {
		h->gpu.now = ev.now;
		say(h, "budget %lld", (long long)tg_gpu_client(&h->gpu, a)->reserve->budget /
		    TG_USEC);
		return NULL;
	}
	if (!strcmp(word, "weight")) {
		h->gpu.now = ev.now;
		say(h, "weight %u %u", tg_gpu_client(&h->gpu, a)->sharer->weight,
		    tg_gpu_client(&h->gpu, a)->weight);
		return NULL;
	}
	if (!strcmp(word, "others")) {
		struct tg_refusal why = { };

		h->gpu.now = ev.now;
		tg_gpu_refusal(&h->gpu, a, &why);
		say(h, "others %lld", (long long)why.others * 100 / TG_SHARE_ALL);
		return NULL;
	}
	if (!strcmp(word, "prio?")) {
		h->gpu.now = ev.now;
		say(h, "prio %u", tg_gpu_client(&h->gpu, a)->prio);
		return NULL;
	}
	if (!strcmp(word, "nice?")) {
		h->gpu.now = ev.now;
		say(h, "nice %u", h->gpu.nice);
		return NULL;
	}
	if (!strcmp(word, "model?")) {
		h->gpu.now = ev.now;
		say(h, "prio %u", tg_gpu_client(&h->gpu.dry->model, a)->prio);
		return NULL;
	}
	if (!strcmp(word, "set?")) {
		h->gpu.now = ev.now;
		say_set(h);
		return NULL;
	}
	if (!strcmp(word, "no-dry")) {
		while (tg_gpu_take(&h->gpu, TG_POOL_DRY))
			;
		return NULL;
	}
	if (!strcmp(word, "spec") || !strcmp(word, "rematch") || !strcmp(word, "load")) {
		ev.spec.rematch = word[0] != 's';
		ev.spec.settings = word[0] == 'l';
		ev.client = 0;
		return spec(h, &ev, rest);
	}
	if (!strcmp(word, "join") || !strcmp(word, "yields")) {
		ev.kind = TG_EV_JOIN;
		c = a;
		n = sscanf(rest, "%*u %*u %15s %llu %llu %63s %hu", h->ids[a].comm, &d, &c,
			   h->cgroups[a], &h->ids[a].undelegated);
		h->ids[a].uid = n > 2 ? c : 0;
		ev.join.engines = d ?: 1;
		ev.join.yields = *word == 'y';
		h->ids[a].cgroup = *h->cgroups[a] ? h->cgroups[a] : NULL;
		h->ids[a].pid = 100 * a;
		h->ids[a].payer = c;
		h->ids[a].gpu = "0000:01:00.0";
		ev.identity = &h->ids[a];
		come_back(h, &ev);
	} else if (!strcmp(word, "driver")) {
		ev.kind = TG_EV_JOIN;
		ev.join.engines = c;
		h->drivers[a].kernel = true;
		strcpy(h->drivers[a].comm, TG_KERNEL "test");
		h->drivers[a].gpu = "0000:01:00.0";
		ev.identity = &h->drivers[a];
	} else if (!strcmp(word, "copy")) {
		ev.kind = TG_EV_BYPASSED;
		ev.bypassed.started = true;
		ev.job = c;
		ev.host = &h->times[c % ARRAY_SIZE(h->times)];
	} else if (!strcmp(word, "prio")) {
		ev.kind = TG_EV_PRIO;
		ev.prio.level = b;
	} else if (!strcmp(word, "nice")) {
		ev.kind = TG_EV_NICE;
		ev.nice.level = b;
	} else if (!strcmp(word, "foreground")) {
		ev.kind = TG_EV_FOREGROUND;
		ev.foreground.pid = a;
	} else if (!strcmp(word, "engines")) {
		ev.kind = TG_EV_ENGINES;
		ev.engines.mask = c;
	} else if (!strcmp(word, "leave")) {
		ev.kind = TG_EV_LEAVE;
	} else if (!strcmp(word, "submit")) {
		ev.kind = TG_EV_SUBMIT;
		ev.job = c;
		ev.host = &h->times[c % ARRAY_SIZE(h->times)];
		((struct tg_key *)key)->nr = 1;
		key[1] = d;
		ev.key = d ? (void *)key : NULL;
	} else if (!strcmp(word, "idle")) {
		ev.kind = TG_EV_IDLE;
		ev.idle.sent = 1;
	} else if (!strcmp(word, "quiet")) {
		ev.kind = TG_EV_QUIET;
	} else if (!strcmp(word, "sample")) {
		ev.kind = TG_EV_SAMPLE;
		sample.length = b * TG_USEC;
		sample.busy = c * TG_USEC;
		sample.active = d;
		ev.channel = 0;
		ev.sample = &sample;
	} else if (!strcmp(word, "policy")) {
		ev.kind = TG_EV_POLICY;
		ev.policy.number = tg_policy_find(rest, strlen(rest));
	} else if (!strcmp(word, "knob") || !strcmp(word, "pknob")) {
		ev.kind = TG_EV_KNOB;
		ev.knob.of_policy = word[0] == 'p';
		ev.knob.number = a;
		ev.knob.value = b;
	} else {
		ev.kind = !strcmp(word, "started") ? TG_EV_STARTED :
			  !strcmp(word, "refused") ? TG_EV_REFUSED :
			  !strcmp(word, "cancel") ? TG_EV_CANCEL : TG_EV_DONE;
		if (!strcmp(word, "exact"))
			ev.done.known = TG_DONE_EXACT;
		else if (!strcmp(word, "by"))
			ev.done.known = TG_DONE_BY;
		else if (!strcmp(word, "forged"))
			ev.done.known = TG_DONE_FORGED;
		ev.job = a;
		ev.at = n > 1 ? (s64)b * TG_USEC : ev.now;
	}
	return feed(h, &ev);
}

/* The host's GPU, and objects for its pools. @h: zeroed. */
static void host_begin(struct host *h, const char *policy)
{
	struct tg_buckets buckets = { h->jobs, h->clients, h->channels, 4 };
	size_t i;

	h->actions.emit = emit;
	h->armed = TG_NEVER;
	tg_gpu_init(&h->gpu, TG_ENGINES_MAX, tg_policy_find(policy, strlen(policy)), &buckets, 0);
	for (i = 0; i < ARRAY_SIZE(h->objects); i++) {
		h->objects[i] = calloc(1, tg_pool_size[i % TG_POOLS]);
		tg_gpu_give(&h->gpu, i % TG_POOLS, h->objects[i]);
	}
}

static void host_end(struct host *h)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(h->objects); i++)
		free(h->objects[i]);
	for (i = 0; i < ARRAY_SIZE(h->spec); i++)
		free(h->spec[i].entries);
}

/* Lines of a script. Return: what is wrong, or NULL. */
static const char *host_play(struct host *h, const char *script)
{
	const char *wrong = NULL;

	while (!wrong && script && *script) {
		wrong = step(h, script);
		script = strchr(script, '\n');
		if (script)
			script++;
	}
	return wrong;
}

static inline const char *run(const struct row *row, struct host *h)
{
	const char *wrong;

	host_begin(h, row->policy);
	wrong = host_play(h, row->script);
	if (!wrong && strcmp(h->log, row->expected))
		wrong = h->log;
	host_end(h);
	return wrong;
}

static inline int run_rows(const struct row *rows, size_t nr)
{
	size_t i;

	for (i = 0; i < nr; i++) {
		struct host *h = calloc(1, sizeof(*h));
		const char *wrong = run(&rows[i], h);

		test_row(rows[i].name, !wrong, "got\n\t%s\nexpected\n\t%s", wrong, rows[i].expected);
		free(h);
	}
	return test_end();
}

#endif /* TESTS_CORE_SCRIPT_H */
