/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Tracepoints timegraph:*, for ftrace, perf and BPF. docs/trace.md has what they carry, and which
 * of them are stable.
 *
 * All are called by trace.c, where the trace is recorded too: under tgk_gpu.lock, interrupts off.
 * A tracepoint that is off costs a jump.
 */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM timegraph

#if !defined(TGK_TRACEPOINTS_H) || defined(TRACE_HEADER_MULTI_READ)
#define TGK_TRACEPOINTS_H

#include <linux/string.h>
#include <linux/tracepoint.h>

#include <tg/gpu.h>

#define TGK_WORD	16	/* what an event, action, note or policy is called, NUL included */

TRACE_EVENT(tg_event,
	    TP_PROTO(u32 gpu, const char *what, const struct tg_event *ev, u32 client,
		     const struct tg_identity *id),
	    TP_ARGS(gpu, what, ev, client, id),
	    TP_STRUCT__entry(__field(u32, gpu)
			     __array(char, what, TGK_WORD)
			     __field(u32, client)
			     __field(u32, pid)
			     __field(u32, channel)
			     __field(u64, job)
			     __field(u64, arg)
			     __field(s64, now)
			     __field(s64, at)
			     __array(char, comm, TG_COMM_LEN)
			     ),
	    TP_fast_assign(__entry->gpu = gpu;
			   strscpy_pad(__entry->what, what, TGK_WORD);
			   __entry->client = client;
			   __entry->pid = id ? id->pid : 0;
			   __entry->channel = ev->channel;
			   __entry->job = ev->job;
			   __entry->arg = ev->arg;
			   __entry->now = ev->now;
			   __entry->at = ev->at;
			   strscpy_pad(__entry->comm, id ? id->comm : "", TG_COMM_LEN);
			   ),
	    TP_printk("gpu=%u what=%s client=%u pid=%u channel=%u job=%llu arg=%llu now=%lld at=%lld comm=%s",
		      __entry->gpu, __entry->what, __entry->client, __entry->pid,
		      __entry->channel, __entry->job, __entry->arg, __entry->now, __entry->at,
		      __entry->comm)
);

TRACE_EVENT(tg_free,
	    TP_PROTO(u32 gpu, const char *policy, const struct tg_engine *engine,
		     const struct tg_job *job, s64 wait_reserve, s64 wait_policy),
	    TP_ARGS(gpu, policy, engine, job, wait_reserve, wait_policy),
	    TP_STRUCT__entry(__field(u32, gpu)
			     __array(char, policy, TGK_WORD)
			     __field(u32, client)
			     __field(u32, pid)
			     __field(u32, channel)
			     __field(u64, job)
			     __field(s64, wait_reserve)
			     __field(s64, wait_policy)
			     __field(s64, budget)
			     __field(s64, predicted)
			     __field(u32, inflight)
			     __field(u32, own)
			     __field(u32, queued)
			     __field(u16, weight)
			     __field(u8, engine)
			     __field(u8, prio)
			     __field(u8, sched)
			     __field(u8, resv)
			     __field(u8, depth)
			     __field(u8, vgpu)
			     __field(u8, wedged)
			     __array(char, comm, TG_COMM_LEN)
			     ),
	    TP_fast_assign(__entry->gpu = gpu;
			   strscpy_pad(__entry->policy, policy, TGK_WORD);
			   __entry->client = job->client->id;
			   __entry->pid = job->client->id_data->pid;
			   __entry->channel = job->channel->id;
			   __entry->job = job->id;
			   __entry->wait_reserve = wait_reserve;
			   __entry->wait_policy = wait_policy;
			   __entry->budget = job->reserve->budget;
			   __entry->predicted = job->predicted;
			   __entry->inflight = engine->inflight;
			   __entry->own = job->client->inflight;
			   __entry->queued = engine->queued;
			   __entry->weight = job->client->weight;
			   __entry->engine = engine->index;
			   __entry->prio = job->client->prio;
			   __entry->sched = job->client->sched;
			   __entry->resv = job->client->resv;
			   __entry->depth = job->client->depth;
			   __entry->vgpu = job->client->vgpu;
			   __entry->wedged = engine->wedged;
			   strscpy_pad(__entry->comm, job->client->id_data->comm, TG_COMM_LEN);
			   ),
	    TP_printk("gpu=%u policy=%s client=%u pid=%u channel=%u job=%llu wait_reserve=%lld wait_policy=%lld budget=%lld predicted=%lld engine=%u inflight=%u own=%u queued=%u prio=%u sched=%u resv=%u depth=%u weight=%u vgpu=%u wedged=%u comm=%s",
		      __entry->gpu, __entry->policy, __entry->client, __entry->pid,
		      __entry->channel, __entry->job, __entry->wait_reserve,
		      __entry->wait_policy, __entry->budget, __entry->predicted,
		      __entry->engine, __entry->inflight, __entry->own, __entry->queued,
		      __entry->prio, __entry->sched, __entry->resv, __entry->depth,
		      __entry->weight, __entry->vgpu, __entry->wedged, __entry->comm)
);

TRACE_EVENT(tg_note,
	    TP_PROTO(u32 gpu, const char *what, const struct tg_action *action,
		     const struct tg_identity *id),
	    TP_ARGS(gpu, what, action, id),
	    TP_STRUCT__entry(__field(u32, gpu)
			     __array(char, what, TGK_WORD)
			     __field(u32, client)
			     __field(u32, pid)
			     __field(u64, job)
			     __array(char, comm, TG_COMM_LEN)
			     ),
	    TP_fast_assign(__entry->gpu = gpu;
			   strscpy_pad(__entry->what, what, TGK_WORD);
			   __entry->client = action->client;
			   __entry->pid = id ? id->pid : 0;
			   __entry->job = action->job;
			   strscpy_pad(__entry->comm, id ? id->comm : "", TG_COMM_LEN);
			   ),
	    TP_printk("gpu=%u what=%s client=%u pid=%u job=%llu comm=%s",
		      __entry->gpu, __entry->what, __entry->client, __entry->pid, __entry->job,
		      __entry->comm)
);

TRACE_EVENT(tg_sample,
	    TP_PROTO(u32 gpu, u32 client, const struct tg_sample *sample),
	    TP_ARGS(gpu, client, sample),
	    TP_STRUCT__entry(__field(u32, gpu)
			     __field(u32, client)
			     __field(s64, length)
			     __field(s64, busy)
			     __field(u32, groups)
			     __field(u32, active)
			     ),
	    TP_fast_assign(__entry->gpu = gpu;
			   __entry->client = client;
			   __entry->length = sample->length;
			   __entry->busy = sample->busy;
			   __entry->groups = sample->groups;
			   __entry->active = sample->active;
			   ),
	    TP_printk("gpu=%u client=%u length=%lld busy=%lld groups=%u active=%u",
		      __entry->gpu, __entry->client, __entry->length, __entry->busy,
		      __entry->groups, __entry->active)
);

TRACE_EVENT(tg_action,
	    TP_PROTO(u32 gpu, const char *what, const struct tg_action *action),
	    TP_ARGS(gpu, what, action),
	    TP_STRUCT__entry(__field(u32, gpu)
			     __array(char, what, TGK_WORD)
			     __field(u32, client)
			     __field(u32, arg)
			     __field(u64, job)
			     __field(s64, at)
			     ),
	    TP_fast_assign(__entry->gpu = gpu;
			   strscpy_pad(__entry->what, what, TGK_WORD);
			   __entry->client = action->client;
			   __entry->arg = action->arg;
			   __entry->job = action->job;
			   __entry->at = action->at;
			   ),
	    TP_printk("gpu=%u what=%s client=%u job=%llu arg=%u at=%lld",
		      __entry->gpu, __entry->what, __entry->client, __entry->job, __entry->arg,
		      __entry->at)
);

#endif /* TGK_TRACEPOINTS_H */

/* Kbuild has this folder among those that trace.o's headers are looked for in. */
#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH .
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE tracepoints
#include <trace/define_trace.h>
