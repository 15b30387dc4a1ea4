// SPDX-License-Identifier: GPL-2.0
/*
 * The folder of each client: one file per number, made from the client's record.
 *
 * The record is the snapshot's too (snapshot.c). It is filled under tgk_gpu.lock, in the thread
 * that reads. client.c makes and removes the folders.
 */
#include "feed.h"
#include "sysfs.h"

static const char *const sched_names[] = { [TG_PRT] = "prt", [TG_HT] = "ht" };
static const char *const resv_names[] = { [TG_PE] = "pe", [TG_AE] = "ae", [TG_BG] = "bg" };
static const char *const state_names[] = {
	[TG_STATE_IDLE] = "idle",
	[TG_STATE_WAITING] = "waiting",
	[TG_STATE_THROTTLED] = "throttled",
	[TG_STATE_RUNNING] = "running",
	[TG_STATE_LOST] = "lost",
};

/**
 * tgk_client_record() - fill in the record of one client
 * @gpu: the GPU
 * @c: the client
 * @s: receives it
 *
 * Context: under tgk_gpu.lock.
 */
void tgk_client_record(const struct tgk_gpu *gpu, const struct tg_client *c,
		       struct tg_snap_client *s)
{
	const struct tg_account *account = tg_mem_account(&gpu->core.mem, c->account);
	const struct tgk_client *client = c->host;
	const struct tg_reserve *reserve = tg_gpu_modelled(&gpu->core, c)->reserve;
	const s64 ended = atomic64_read(&client->open_ended);
	const s64 begun = atomic64_read(&client->open_begun);
	u32 throttled = 0, lost = 0;
	const struct tg_channel *ch;
	const struct tg_job *job;

	memset(s, 0, sizeof(*s));
	for (ch = c->channels; ch; ch = ch->next) {
		/* Those that wait have come last; of those that run, what is lost came first. */
		list_for_each_entry_reverse(job, &ch->jobs, sibling) {
			if (job->state != TG_JOB_THROTTLED && job->state != TG_JOB_QUEUED)
				break;
			s->waiting++;
			throttled += job->state == TG_JOB_THROTTLED;
		}
		list_for_each_entry(job, &ch->jobs, sibling) {
			lost += job->state == TG_JOB_LOST;
			if (job->state != TG_JOB_FREED)
				break;
		}
	}
	s->inflight = c->inflight + begun - ended;
	s->state = lost ? TG_STATE_LOST : s->inflight ? TG_STATE_RUNNING :
		   throttled ? TG_STATE_THROTTLED : s->waiting ? TG_STATE_WAITING : TG_STATE_IDLE;
	s->id = c->id;
	s->pid = client->ident.pid;
	s->uid = client->ident.uid;
	s->gpu = gpu->index;
	memcpy(s->comm, client->ident.comm, sizeof(s->comm));
	memcpy(s->reserve_name, c->reserve->name, sizeof(s->reserve_name));
	s->sched = c->sched;
	s->resv = c->resv;
	s->prio = c->prio;
	s->line = c->matched;
	s->capacity = c->reserve->capacity;
	s->period = c->reserve->period;
	s->budget = reserve->budget;
	s->gpu_time = c->stats.gpu_time;
	s->wait_time = c->stats.wait_reserve + c->stats.wait_policy;
	s->submitted = c->stats.submitted + begun;
	s->completed = c->stats.completed;
	s->failed = c->stats.failed;
	s->lost = c->stats.lost;
	s->overlaps = c->stats.overlaps;
	s->wait_reserve = c->stats.wait_reserve;
	s->wait_policy = c->stats.wait_policy;
	s->held_time = c->stats.held_time;
	s->would_reserve = c->stats.would_reserve;
	s->would_policy = c->stats.would_policy;
	s->modelled = c->stats.modelled;
	s->polled_time = c->stats.polled_time;
	s->polled_groups = c->stats.polled_groups;
	s->predict_unreadable = client->unreadable;
	memcpy(s->vgpu_name, gpu->core.vgpu[c->vgpu].name, sizeof(s->vgpu_name));
	if (c->history) {
		s->predict_hits = c->history->hits;
		s->predict_misses = c->history->misses;
		s->predict_error = tg_history_error(c->history);
	}
	if (account) {
		s->vram_waiting = account->waiting;
		s->vram = account->used;
		s->vram_peak = account->peak;
		s->vram_set_aside = account->promised;
		s->vram_waited = account->waited;
		s->vram_refused = account->refused;
		s->vram_wait_time = account->wait_time;
	}
}

enum field { F_U8, F_U32, F_S64, F_TEXT, F_SCHED, F_RESV, F_STATE };

struct client_attr {
	struct attribute attr;
	u16 offset;
	u8 field;
};

static ssize_t client_show(struct kobject *kobj, struct attribute *attr, char *buf)
{
	const struct client_attr *ca = container_of(attr, struct client_attr, attr);
	struct tgk_client *client = container_of(kobj, struct tgk_client, kobj);
	struct tgk_gpu *gpu = client->gpu;
	struct tg_snap_client snap;
	const void *at = (u8 *)&snap + ca->offset;
	const struct tg_client *c;

	raw_spin_lock_irq(&gpu->lock);
	tgk_report_bypassed(gpu);
	c = client->gone ? NULL : tg_gpu_client(&gpu->core, client->id);
	if (c)
		tgk_client_record(gpu, c, &snap);
	raw_spin_unlock_irq(&gpu->lock);
	if (!c)
		return -ENODEV;
	switch (ca->field) {
	case F_U8:
		return sysfs_emit(buf, "%u\n", *(const u8 *)at);
	case F_U32:
		return sysfs_emit(buf, "%u\n", *(const u32 *)at);
	case F_S64:
		return sysfs_emit(buf, "%lld\n", *(const s64 *)at);
	case F_SCHED:
		return sysfs_emit(buf, "%s\n", sched_names[snap.sched]);
	case F_RESV:
		return sysfs_emit(buf, "%s\n", resv_names[snap.resv]);
	case F_STATE:
		return sysfs_emit(buf, "%s\n", state_names[snap.state]);
	default:
		return sysfs_emit(buf, "%s\n", (const char *)at);
	}
}

/* Only `prio` can be written. */
static ssize_t client_store(struct kobject *kobj, struct attribute *attr, const char *buf,
			    size_t count)
{
	struct tgk_client *client = container_of(kobj, struct tgk_client, kobj);
	struct tgk_gpu *gpu = client->gpu;
	struct tg_event ev = { .kind = TG_EV_PRIO, .client = client->id };
	unsigned int prio;
	int ret;

	if (!tgk_may_write())
		return -EPERM;
	ret = kstrtouint(buf, 10, &prio);
	if (ret)
		return ret;
	if (prio > TG_PRIO_MAX)
		return -ERANGE;
	ev.arg = prio;
	raw_spin_lock_irq(&gpu->lock);
	ret = client->gone || gpu->closing ? -ENODEV : tgk_feed(gpu, &ev);
	raw_spin_unlock_irq(&gpu->lock);
	return ret ?: count;
}

#define CLIENT_FILE(_name, _field, _mode)					\
	static struct client_attr client_##_name = {				\
		.attr = { .name = #_name, .mode = _mode },			\
		.offset = offsetof(struct tg_snap_client, _name),		\
		.field = _field,						\
	}
#define CLIENT_ATTR(_name, _field)	CLIENT_FILE(_name, _field, 0444)

CLIENT_ATTR(id, F_U32);
CLIENT_ATTR(pid, F_U32);
CLIENT_ATTR(uid, F_U32);
CLIENT_ATTR(gpu, F_U32);
CLIENT_ATTR(comm, F_TEXT);
CLIENT_ATTR(reserve_name, F_TEXT);
CLIENT_ATTR(sched, F_SCHED);
CLIENT_ATTR(resv, F_RESV);
CLIENT_FILE(prio, F_U8, 0644);
CLIENT_ATTR(state, F_STATE);
CLIENT_ATTR(line, F_U32);
CLIENT_ATTR(inflight, F_U32);
CLIENT_ATTR(waiting, F_U32);
CLIENT_ATTR(capacity, F_S64);
CLIENT_ATTR(period, F_S64);
CLIENT_ATTR(budget, F_S64);
CLIENT_ATTR(gpu_time, F_S64);
CLIENT_ATTR(wait_time, F_S64);
CLIENT_ATTR(submitted, F_S64);
CLIENT_ATTR(completed, F_S64);
CLIENT_ATTR(failed, F_S64);
CLIENT_ATTR(lost, F_S64);
CLIENT_ATTR(overlaps, F_S64);
CLIENT_ATTR(wait_reserve, F_S64);
CLIENT_ATTR(wait_policy, F_S64);
CLIENT_ATTR(held_time, F_S64);
CLIENT_ATTR(would_reserve, F_S64);
CLIENT_ATTR(would_policy, F_S64);
CLIENT_ATTR(modelled, F_S64);
CLIENT_ATTR(polled_time, F_S64);
CLIENT_ATTR(polled_groups, F_S64);
CLIENT_ATTR(predict_hits, F_S64);
CLIENT_ATTR(predict_misses, F_S64);
CLIENT_ATTR(predict_unreadable, F_S64);
CLIENT_ATTR(predict_error, F_U32);
CLIENT_ATTR(vgpu_name, F_TEXT);
CLIENT_ATTR(vram_waiting, F_U32);
CLIENT_ATTR(vram, F_S64);
CLIENT_ATTR(vram_peak, F_S64);
CLIENT_ATTR(vram_set_aside, F_S64);
CLIENT_ATTR(vram_waited, F_S64);
CLIENT_ATTR(vram_refused, F_S64);
CLIENT_ATTR(vram_wait_time, F_S64);

static struct attribute *client_attrs[] = {
	&client_id.attr, &client_pid.attr, &client_uid.attr, &client_gpu.attr,
	&client_comm.attr, &client_reserve_name.attr, &client_sched.attr, &client_resv.attr,
	&client_prio.attr, &client_state.attr, &client_line.attr, &client_inflight.attr,
	&client_waiting.attr, &client_capacity.attr, &client_period.attr, &client_budget.attr,
	&client_gpu_time.attr, &client_wait_time.attr, &client_submitted.attr,
	&client_completed.attr, &client_failed.attr, &client_lost.attr, &client_overlaps.attr,
	&client_wait_reserve.attr, &client_wait_policy.attr, &client_held_time.attr,
	&client_would_reserve.attr, &client_would_policy.attr, &client_modelled.attr,
	&client_polled_time.attr, &client_polled_groups.attr,
	&client_predict_hits.attr, &client_predict_misses.attr,
	&client_predict_unreadable.attr, &client_predict_error.attr, &client_vgpu_name.attr,
	&client_vram_waiting.attr, &client_vram.attr, &client_vram_peak.attr,
	&client_vram_set_aside.attr, &client_vram_waited.attr, &client_vram_refused.attr,
	&client_vram_wait_time.attr,
	NULL
};

static const struct attribute_group client_group = { .attrs = client_attrs };
const struct attribute_group *tgk_client_groups[] = { &client_group, NULL };
const struct sysfs_ops tgk_client_ops = { .show = client_show, .store = client_store };
