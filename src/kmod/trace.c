// SPDX-License-Identifier: GPL-2.0
/*
 * The trace of one GPU, and its file in debugfs (trace.h); and the tracepoints, which show the same
 * events and actions at the same time, also when no trace is kept.
 *
 * feed.c calls this under tgk_gpu.lock. Readers of the file take no lock.
 */
#include <linux/debugfs.h>
#include <linux/fs.h>
#include <linux/module.h>
#include <linux/vmalloc.h>

#include <tg/record.h>
#include "note.h"
#include "tgk.h"

#define CREATE_TRACE_POINTS
#include "tracepoints.h"

static struct dentry *folder;

static ssize_t trace_read(struct file *file, char __user *to, size_t len, loff_t *pos)
{
	struct tgk_trace *t = file->private_data;

	/* Pairs with the release in tgk_trace_end(): what is below @used is complete. */
	return simple_read_from_buffer(to, len, pos, t->buf, smp_load_acquire(&t->used));
}

static const struct file_operations trace_fops = {
	.owner = THIS_MODULE,
	.open = simple_open,
	.read = trace_read,
	.llseek = default_llseek,
};

int tgk_trace_module_init(void)
{
	folder = tgk_trace_kib ? debugfs_create_dir("timegraph", NULL) : NULL;
	if (IS_ERR(folder))
		pr_err("trace_kib=%u: no debugfs (error %ld)\n", tgk_trace_kib, PTR_ERR(folder));
	return PTR_ERR_OR_ZERO(folder);
}

void tgk_trace_module_exit(void)
{
	debugfs_remove(folder);
}

int tgk_trace_init(struct tgk_trace *t, unsigned int kib, unsigned int gpu, const char *policy,
		   u32 engines, s64 now)
{
	struct tg_trace_head *head;
	char name[16] = "trace";

	if (!kib)
		return 0;
	t->size = kib * 1024;
	t->buf = vzalloc(t->size);
	if (!t->buf)
		return -ENOMEM;
	head = (struct tg_trace_head *)t->buf;
	head->magic = TG_TRACE_MAGIC;
	head->version = TG_TRACE_VERSION;
	head->engines = engines;
	strscpy_pad(head->policy, policy, sizeof(head->policy));
	head->now = now;
	t->used = sizeof(*head);
	tgk_trace_clock(t, now, now);
	if (gpu)
		snprintf(name, sizeof(name), "trace%u", gpu);
	t->file = debugfs_create_file(name, 0400, folder, t, &trace_fops);
	if (IS_ERR(t->file)) {
		vfree(t->buf);
		t->buf = NULL;
		return PTR_ERR(t->file);
	}
	return 0;
}

void tgk_trace_exit(struct tgk_trace *t)
{
	debugfs_remove(t->file);
	vfree(t->buf);
	t->buf = NULL;
}

/* --- tracepoints: under tgk_gpu.lock --- */

/* As docs/trace.md calls them. */
static const char *const event_names[] = {
	[TG_EV_JOIN] = "JOIN",
	[TG_EV_LEAVE] = "LEAVE",
	[TG_EV_SUBMIT] = "SUBMIT",
	[TG_EV_CANCEL] = "CANCEL",
	[TG_EV_STARTED] = "STARTED",
	[TG_EV_REFUSED] = "REFUSED",
	[TG_EV_DONE] = "DONE",
	[TG_EV_IDLE] = "IDLE",
	[TG_EV_TIMER] = "TIMER",
	[TG_EV_SPEC] = "SPEC",
	[TG_EV_POLICY] = "POLICY",
	[TG_EV_KNOB] = "KNOB",
	[TG_EV_SAMPLE] = "SAMPLE",
	[TG_EV_PRIO] = "PRIO",
	[TG_EV_FOREGROUND] = "FOREGROUND",
	[TG_EV_MEM_SIZE] = "MEM_SIZE",
	[TG_EV_MEM_REQUEST] = "MEM_REQUEST",
	[TG_EV_MEM_CANCEL] = "MEM_CANCEL",
	[TG_EV_MEM_FREE] = "MEM_FREE",
	[TG_EV_VGPU] = "VGPU",
	[TG_EV_ENGINES] = "ENGINES",
	[TG_EV_BYPASSED] = "BYPASSED",
	[TG_EV_QUIET] = "QUIET",
	[TG_EV_NICE] = "NICE",
};

static const char *const action_names[] = {
	[TG_ACT_FREE] = "FREE",
	[TG_ACT_ARM] = "ARM",
	[TG_ACT_NOTE] = "NOTE",
	[TG_ACT_GATE] = "GATE",
	[TG_ACT_SYNC] = "SYNC",
	[TG_ACT_GONE] = "GONE",
	[TG_ACT_POLL] = "POLL",
	[TG_ACT_WOULD] = "WOULD",
	[TG_ACT_MEM_GRANT] = "MEM_GRANT",
	[TG_ACT_MEM_REFUSE] = "MEM_REFUSE",
	[TG_ACT_WATCH] = "WATCH",
	[TG_ACT_YIELD] = "YIELD",
};

static_assert(ARRAY_SIZE(event_names) == TG_EV_KINDS);
static_assert(ARRAY_SIZE(action_names) == TG_ACT_KINDS);

/* The event, with the client that it is of; the core has not been fed it yet. */
static void point_event(const struct tgk_gpu *gpu, const struct tg_event *ev)
{
	const struct tg_client *client = NULL;
	const struct tg_identity *id = NULL;
	const struct tg_job *job;

	switch (ev->kind) {
	case TG_EV_JOIN:
		id = ev->identity;
		break;
	case TG_EV_LEAVE:
	case TG_EV_SUBMIT:
	case TG_EV_BYPASSED:
	case TG_EV_IDLE:
	case TG_EV_SAMPLE:
	case TG_EV_PRIO:
	case TG_EV_NICE:
		client = tg_gpu_client(&gpu->core, ev->client);
		break;
	case TG_EV_CANCEL:
	case TG_EV_STARTED:
	case TG_EV_REFUSED:
	case TG_EV_DONE:
		job = tg_gpu_job(&gpu->core, ev->job);
		client = job ? job->client : NULL;
		break;
	default:
		break;
	}
	if (client)
		id = client->id_data;
	trace_tg_event(gpu->index, event_names[ev->kind], ev, client ? client->id : ev->client, id);
	if (ev->kind == TG_EV_SAMPLE)
		trace_tg_sample(gpu->index, ev->client, ev->sample);
}

/* FREE, with the values that the policy decided from. */
static void point_free(const struct tgk_gpu *gpu, const struct tg_action *action)
{
	const struct tg_job *job = tg_gpu_job(&gpu->core, action->job);
	const struct tgk_job *ours = action->host;
	const s64 now = gpu->core.now;
	s64 throttled = job->throttled;

	if (job->state == TG_JOB_THROTTLED)	/* its channel leaves */
		throttled += now - job->since;
	trace_tg_free(gpu->index, gpu->core.policy->name, &gpu->core.engine[__ffs(job->engines)],
		      job, throttled, now - ours->arrived - throttled);
}

static void point_action(const struct tgk_gpu *gpu, const struct tg_action *action)
{
	const struct tgk_client *client = action->host;

	if (action->kind == TG_ACT_FREE) {
		if (trace_tg_free_enabled())
			point_free(gpu, action);
	} else if (action->kind == TG_ACT_NOTE) {
		trace_tg_note(gpu->index, tgk_note_names[action->arg], action,
			      client ? &client->ident : NULL);
	} else {
		trace_tg_action(gpu->index, action_names[action->kind], action);
	}
}

/* --- the trace --- */

/* Room for @size bytes more and for the record that ends a full trace? */
static bool fits(const struct tgk_trace *t, u32 size)
{
	return !t->lost && t->size - t->at >= size + sizeof(struct tg_record);
}

void tgk_trace_clock(struct tgk_trace *t, s64 core, s64 mono)
{
	struct tg_record *record;

	if (!t->buf || t->gap)
		return;
	t->at = t->used;
	t->lost = false;
	if (!fits(t, sizeof(*record)))
		return;		/* the next event does not either, and leaves the gap */
	record = (struct tg_record *)(t->buf + t->used);
	memset(record, 0, sizeof(*record));
	record->size = sizeof(*record);
	record->type = TG_REC_CLOCK;
	record->now = core;
	record->arg = mono;
	record->at = mono + ktime_to_ns(ktime_mono_to_any(0, TK_OFFS_BOOT));
	/* Pairs with the acquire in trace_read(). */
	smp_store_release(&t->used, t->used + (u32)sizeof(*record));
}

void tgk_trace_begin(struct tgk_trace *t, const struct tg_event *ev, u32 spec_len)
{
	u32 size;

	if (trace_tg_event_enabled() || trace_tg_sample_enabled())
		point_event(container_of(t, struct tgk_gpu, trace), ev);
	if (!t->buf || t->gap)
		return;
	size = tg_record_event_size(ev, spec_len);
	t->at = t->used;
	t->lost = false;
	t->lost = !fits(t, size);
	if (!t->lost)
		t->at += size;
}

void tgk_trace_action(struct tgk_trace *t, const struct tg_action *action)
{
	point_action(container_of(t, struct tgk_gpu, trace), action);
	if (!t->buf)
		return;
	if (t->gap) {
		WRITE_ONCE(t->gap->arg, t->gap->arg + 1);
		return;
	}
	t->lost = !fits(t, sizeof(struct tg_record));
	if (t->lost)
		return;
	tg_record_action((struct tg_record *)(t->buf + t->at), action);
	t->at += sizeof(struct tg_record);
}

void tgk_trace_end(struct tgk_trace *t, const struct tg_event *ev, u32 spec_len, int result)
{
	/* An empty pool: nothing has happened, and the host feeds it again. */
	if (!t->buf || result == -ENOMEM)
		return;
	if (t->gap) {
		WRITE_ONCE(t->gap->arg, t->gap->arg + 1);
		return;
	}
	if (t->lost) {
		/* All of this event or nothing: what is before it replays. */
		t->gap = (struct tg_record *)(t->buf + t->used);
		memset(t->gap, 0, sizeof(*t->gap));
		t->gap->size = sizeof(*t->gap);
		t->gap->type = TG_REC_GAP;
		t->gap->now = ev->now;
		t->gap->arg = 1;
		t->at = t->used + sizeof(*t->gap);
	} else {
		tg_record_event(t->buf + t->used, ev, spec_len, result);
	}
	/* Pairs with the acquire in trace_read(). */
	smp_store_release(&t->used, t->at);
}
