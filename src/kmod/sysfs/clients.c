// SPDX-License-Identifier: GPL-2.0
/*
 * The folder of each client: one file per row of tg/counters.h, made from the client's record.
 *
 * The record is the snapshot's too (snapshot.c). It is filled under tgk_gpu.lock, in the thread
 * that reads. client.c makes and removes the folders.
 */
#include <linux/slab.h>
#include <tg/snap.h>

#include "feed.h"
#include "sysfs.h"
#include "totals.h"

static const char *const sched_names[] = { [TG_PRT] = "prt", [TG_HT] = "ht" };
static const char *const resv_names[] = { [TG_PE] = "pe", [TG_AE] = "ae", [TG_BG] = "bg",
	[TG_CBS] = "cbs" };
static const char *const state_names[] = {
	[TG_STATE_IDLE] = "idle",
	[TG_STATE_WAITING] = "waiting",
	[TG_STATE_THROTTLED] = "throttled",
	[TG_STATE_RUNNING] = "running",
	[TG_STATE_LOST] = "lost",
	[TG_STATE_LEFT] = "left",
};

/**
 * tgk_client_record() - fill in the record of one client
 * @gpu: the GPU
 * @c: the client
 * @s: receives it; it agrees with the totals, to which what the client has used is added
 *
 * Context: under tgk_gpu.lock.
 */
void tgk_client_record(const struct tgk_gpu *gpu, const struct tg_client *c,
		       struct tg_snap_client *s)
{
	struct tgk_client *client = c->host;
	const s64 ended = atomic64_read(&client->open_ended);
	const s64 begun = atomic64_read(&client->open_begun);

	tgk_totals_add(client);
	tg_snap_client(s, &gpu->core, c, begun - ended);
	s->gpu_time = client->totalled[TGK_SUM_GPU_TIME];
	s->pid = client->ident.pid;
	s->uid = client->ident.uid;
	s->gpu = gpu->index;
	memcpy(s->comm, client->ident.comm, sizeof(s->comm));
	s->submitted += begun;
	s->predict_unreadable = client->unreadable;
	memcpy(s->waits, client->waits, sizeof(s->waits));
	memcpy(s->latencies, client->latencies, sizeof(s->latencies));
}

struct client_attr {
	struct attribute attr;
	u16 offset;
	u8 form;	/* enum tg_form */
};

/* A line for each bucket that is not empty: where it begins, ns, and its count. */
static ssize_t hist_show(const u32 *hist, char *buf)
{
	int at = 0;
	u32 i;

	for (i = 0; i < TG_HIST_BUCKETS; i++)
		if (hist[i])
			at += sysfs_emit_at(buf, at, "%lld %u\n", tg_hist_begin(i), hist[i]);
	return at;
}

static ssize_t record_show(const struct client_attr *ca, const struct tg_snap_client *snap,
			   char *buf)
{
	const void *at = (u8 *)snap + ca->offset;

	switch (ca->form) {
	case TG_FORM_U8:
		return sysfs_emit(buf, "%u\n", *(const u8 *)at);
	case TG_FORM_U32:
		return sysfs_emit(buf, "%u\n", *(const u32 *)at);
	case TG_FORM_SCHED:
		return sysfs_emit(buf, "%s\n", sched_names[snap->sched]);
	case TG_FORM_RESV:
		return sysfs_emit(buf, "%s\n", resv_names[snap->resv]);
	case TG_FORM_STATE:
		return sysfs_emit(buf, "%s\n", state_names[snap->state]);
	case TG_FORM_TEXT16:
	case TG_FORM_TEXT32:
		return sysfs_emit(buf, "%s\n", (const char *)at);
	case TG_FORM_HIST:
		return hist_show(at, buf);
	default:
		return sysfs_emit(buf, "%lld\n", *(const s64 *)at);
	}
}

static ssize_t client_show(struct kobject *kobj, struct attribute *attr, char *buf)
{
	const struct client_attr *ca = container_of(attr, struct client_attr, attr);
	struct tgk_client *client = container_of(kobj, struct tgk_client, kobj);
	struct tgk_gpu *gpu = client->gpu;
	struct tg_snap_client *snap;
	const struct tg_client *c;
	ssize_t ret = -ENODEV;

	snap = kmalloc(sizeof(*snap), GFP_KERNEL);
	if (!snap)
		return -ENOMEM;
	raw_spin_lock_irq(&gpu->lock);
	tgk_report_bypassed(gpu);
	c = client->gone ? NULL : tg_gpu_client(&gpu->core, client->id);
	if (c)
		tgk_client_record(gpu, c, snap);
	tgk_unlock_irq(gpu);
	if (c)
		ret = record_show(ca, snap, buf);
	kfree(snap);
	return ret;
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
	ev.prio.level = prio;
	raw_spin_lock_irq(&gpu->lock);
	ret = client->gone || gpu->closing ? -ENODEV : tgk_feed(gpu, &ev);
	tgk_unlock_irq(gpu);
	return ret ?: count;
}

/* A file for each row of tg/counters.h. */
#define CLIENT_INDEX(_name, ...)	CLIENT_##_name,
enum { TG_CLIENT_ROWS(CLIENT_INDEX) };

#define CLIENT_FILE(_name, _form, ...) [CLIENT_##_name] = {			\
	.attr = { .name = #_name,						\
		  .mode = CLIENT_##_name == CLIENT_prio ? 0644 : 0444 },	\
	.offset = offsetof(struct tg_snap_client, _name),			\
	.form = TG_FORM_##_form,						\
},
static struct client_attr client_files[] = { TG_CLIENT_ROWS(CLIENT_FILE) };

#define CLIENT_ATTR(_name, ...)	&client_files[CLIENT_##_name].attr,
static struct attribute *client_attrs[] = { TG_CLIENT_ROWS(CLIENT_ATTR) NULL };

static const struct attribute_group client_group = { .attrs = client_attrs };
const struct attribute_group *tgk_client_groups[] = { &client_group, NULL };
const struct sysfs_ops tgk_client_ops = { .show = client_show, .store = client_store };
