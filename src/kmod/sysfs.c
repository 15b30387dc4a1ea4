// SPDX-License-Identifier: GPL-2.0
/*
 * /sys/kernel/timegraph: docs/sysfs-abi.md describes every file.
 *
 * Everything here runs in process context, in the reader's or writer's thread. What is
 * written comes from root, and is still checked like any stranger's; a root without
 * CAP_SYS_ADMIN (a container's) may not write. What changes with the clients of other users is for
 * tgk_may_see_all(): the folders of clients lie in `private`, whose mode hides even how many there
 * are, and the files that count for all clients refuse to be read. Readers take the GPUs' locks
 * only (a GPU found under RCU stays while that lasts); writers of settings, tgk_mutex.
 */
#include <linux/capability.h>
#include <linux/cred.h>
#include <linux/ctype.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/rculist.h>
#include <linux/slab.h>
#include <linux/sort.h>
#include <linux/uidgid.h>

#include "tgk.h"
#include "wrap/sysfs.h"

#define RESULT_MAX	256
static struct kobject *root, *private_dir, *stats_dir, *knobs_dir;
struct kobject *tgk_clients_dir;

/* Writes end in a newline or do not. */
static size_t trimmed(const char *buf, size_t len)
{
	while (len && isspace(buf[len - 1]))
		len--;
	return len;
}

static bool may_write(void)
{
	return capable(CAP_SYS_ADMIN);
}

static u32 own_uid(void)
{
	return from_kuid(&init_user_ns, current_euid());
}

/**
 * tgk_may_see_all() - may the current process know of the clients of all users?
 *
 * Context: process.
 *
 * Return: it has CAP_PERFMON, or root has made all clients public; otherwise it may know of those
 * of its own user.
 */
bool tgk_may_see_all(void)
{
	return READ_ONCE(tgk_public) || perfmon_capable();
}

/* --- policy, policies, version, foreground --- */

static ssize_t version_show(struct kobject *kobj, struct kobj_attribute *ka, char *buf)
{
	return sysfs_emit(buf, "%s\n", THIS_MODULE->version);
}

static ssize_t policies_show(struct kobject *kobj, struct kobj_attribute *ka, char *buf)
{
	const struct tg_policy *policy;
	ssize_t len = 0;
	u32 i;

	for (i = 0; (policy = tg_policy_get(i)); i++)
		len += sysfs_emit_at(buf, len, "%s\n", policy->name);
	return len;
}

/* The policy in force on the first GPU; without any, the one that the first will get. */
static const char *policy_name(void)
{
	const char *name = tg_policy_get(READ_ONCE(tgk_policy))->name;
	struct tgk_gpu *gpu;

	rcu_read_lock();
	gpu = list_first_or_null_rcu(&tgk_gpus, struct tgk_gpu, node);
	if (gpu) {
		raw_spin_lock_irq(&gpu->lock);
		name = tg_gpu_policy(&gpu->core)->name;
		raw_spin_unlock_irq(&gpu->lock);
	}
	rcu_read_unlock();
	return name;
}

static ssize_t policy_show(struct kobject *kobj, struct kobj_attribute *ka, char *buf)
{
	return sysfs_emit(buf, "%s\n", policy_name());
}

/**
 * tgk_policies_log() - say which policies there are
 * @wrong: what was asked for instead
 */
void tgk_policies_log(const char *wrong)
{
	const struct tg_policy *policy;
	char known[256] = "";
	u32 i;

	for (i = 0; (policy = tg_policy_get(i)); i++) {
		strlcat(known, " ", sizeof(known));
		strlcat(known, policy->name, sizeof(known));
	}
	pr_err_ratelimited("unknown policy '%s', known are:%s\n", wrong, known);
}

static ssize_t policy_store(struct kobject *kobj, struct kobj_attribute *ka, const char *buf,
			    size_t count)
{
	size_t len = trimmed(buf, count);
	char wrong[32];
	int nr, ret;

	if (!may_write())
		return -EPERM;
	nr = tg_policy_find(buf, len);
	if (nr < 0) {
		/* Not whole, and nothing that could pretend to be a line of the log. */
		strscpy(wrong, buf, min(len + 1, sizeof(wrong)));
		for (len = 0; wrong[len]; len++)
			if (!isprint(wrong[len]))
				wrong[len] = '?';
		tgk_policies_log(wrong);
		return -EINVAL;
	}
	if (mutex_lock_killable(&tgk_mutex))
		return -EINTR;
	ret = tgk_set_policy(nr);
	mutex_unlock(&tgk_mutex);
	if (ret)
		return ret;
	/* The drain has a deadline. */
	return wait_event_killable(tgk_told, tgk_policy_settled()) ?: count;
}

static ssize_t foreground_show(struct kobject *kobj, struct kobj_attribute *ka, char *buf)
{
	return sysfs_emit(buf, "%u\n", READ_ONCE(tgk_foreground));
}

static ssize_t foreground_store(struct kobject *kobj, struct kobj_attribute *ka, const char *buf,
				size_t count)
{
	unsigned int pid;
	int ret;

	ret = kstrtouint(buf, 10, &pid);
	if (ret)
		return ret;
	if (mutex_lock_killable(&tgk_mutex))
		return -EINTR;
	tgk_set_foreground(pid);
	mutex_unlock(&tgk_mutex);
	return count;
}

static struct kobj_attribute foreground_attr = __ATTR_RW_MODE(foreground, 0600);
static struct kobj_attribute version_attr = __ATTR_RO(version);
static struct kobj_attribute policies_attr = __ATTR_RO(policies);
static struct kobj_attribute policy_attr = __ATTR_RW(policy);

/* --- spec --- */

/* One byte too many is kept, so that the parser says where the text is too long. */
#define GATHER_MAX	(TG_SPEC_TEXT_MAX + 1)

static DEFINE_MUTEX(spec_mutex);	/* before tgk_mutex */
static char *gathered;			/* spec_mutex; room for GATHER_MAX, or NULL */
static u32 gathered_len;		/* spec_mutex */
static char result[RESULT_MAX] = "ok 0";	/* spec_mutex */

static ssize_t spec_read(struct file *file, struct kobject *kobj, TGK_BIN_ATTR *attr, char *buf,
			 loff_t off, size_t count)
{
	ssize_t ret = 0;

	if (mutex_lock_killable(&tgk_mutex))
		return -EINTR;
	if (tgk_spec && tgk_spec->len)
		ret = memory_read_from_buffer(buf, count, &off, tgk_spec->text, tgk_spec->len);
	mutex_unlock(&tgk_mutex);
	return ret;
}

/*
 * The text arrives in pieces of up to a page. A write at the start begins anew; what goes
 * beyond GATHER_MAX makes no difference any more and is left out.
 */
static ssize_t spec_write(struct file *file, struct kobject *kobj, TGK_BIN_ATTR *attr, char *buf,
			  loff_t off, size_t count)
{
	ssize_t ret = count;

	if (!may_write())
		return -EPERM;
	if (mutex_lock_killable(&spec_mutex))
		return -EINTR;
	if (!gathered)
		gathered = kvmalloc(GATHER_MAX, GFP_KERNEL);
	if (!off)
		gathered_len = 0;
	if (!gathered) {
		ret = -ENOMEM;
	} else if (off < GATHER_MAX && off > gathered_len) {
		ret = -EINVAL;
	} else if (off < GATHER_MAX) {
		count = min_t(size_t, count, GATHER_MAX - off);
		memcpy(gathered + off, buf, count);
		gathered_len = off + count;
	}
	mutex_unlock(&spec_mutex);
	return ret;
}

/* Under spec_mutex: what was gathered, parsed; @result says what is wrong. */
static struct tgk_spec *spec_parse(void)
{
	struct tg_spec_error err;
	struct tgk_spec *s;
	int ret = -ENOMEM;
	u32 room;

	s = kzalloc(sizeof(*s), GFP_KERNEL);
	if (!s)
		return ERR_PTR(ret);
	s->len = gathered_len;
	s->text = kvmalloc(s->len + 1, GFP_KERNEL);
	if (!s->text)
		goto free;
	if (s->len)
		memcpy(s->text, gathered, s->len);
	s->text[s->len] = '\0';
	room = tg_spec_room(s->text, s->len);
	s->spec.text = s->text;
	s->spec.entries = kvcalloc(room, sizeof(*s->spec.entries), GFP_KERNEL);
	if (!s->spec.entries)
		goto free;
	ret = tg_spec_parse(&s->spec, s->len, &err);
	if (!ret)
		return s;
	scnprintf(result, sizeof(result), "%u:%u: %s; %s", err.line, err.column, err.what,
		  err.want);
free:
	tgk_spec_free(s);
	return ERR_PTR(ret);
}

/* Under spec_mutex: put what was gathered in force, if it can be. */
static int spec_apply(bool rematch)
{
	struct tgk_spec *s = spec_parse();
	u32 entries;
	int ret;

	if (IS_ERR(s))
		return PTR_ERR(s);
	entries = s->spec.nr;
	ret = mutex_lock_killable(&tgk_mutex);
	if (!ret) {
		ret = tgk_set_spec(s, rematch);
		mutex_unlock(&tgk_mutex);
	}
	if (ret) {
		tgk_spec_free(s);
		return ret;
	}
	scnprintf(result, sizeof(result), "ok %u", entries);
	return 0;
}

static ssize_t spec_commit_store(struct kobject *kobj, struct kobj_attribute *ka,
				 const char *buf, size_t count)
{
	const size_t len = trimmed(buf, count);
	const bool rematch = len == 7 && !memcmp(buf, "rematch", 7);
	const bool apply = len == 1 && *buf == '1';
	const bool forget = len == 1 && *buf == '0';
	int ret;

	if (!may_write())
		return -EPERM;
	if (!rematch && !apply && !forget)
		return -EINVAL;
	if (mutex_lock_killable(&spec_mutex))
		return -EINTR;
	ret = forget ? 0 : spec_apply(rematch);
	gathered_len = 0;
	mutex_unlock(&spec_mutex);
	return ret ?: count;
}

static ssize_t spec_result_show(struct kobject *kobj, struct kobj_attribute *ka, char *buf)
{
	ssize_t len;

	if (mutex_lock_killable(&spec_mutex))
		return -EINTR;
	len = sysfs_emit(buf, "%s\n", result);
	mutex_unlock(&spec_mutex);
	return len;
}

static struct kobj_attribute spec_commit_attr = __ATTR_WO(spec_commit);
static struct kobj_attribute spec_result_attr = __ATTR_RO(spec_result);

static struct bin_attribute spec_attr = {
	.attr = { .name = "spec", .mode = 0644 },
	.read = spec_read,
	.write = spec_write,
};

/* --- clients --- */

static const char *const sched_names[] = { [TG_PRT] = "prt", [TG_HT] = "ht" };
static const char *const resv_names[] = { [TG_PE] = "pe", [TG_AE] = "ae", [TG_BG] = "bg" };
static const char *const state_names[] = {
	[TG_STATE_IDLE] = "idle",
	[TG_STATE_WAITING] = "waiting",
	[TG_STATE_THROTTLED] = "throttled",
	[TG_STATE_RUNNING] = "running",
	[TG_STATE_LOST] = "lost",
};

/* Under tgk_gpu.lock. */
static void snap_client(const struct tgk_gpu *gpu, const struct tg_client *c,
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
	s->held_time = c->stats.held;
	s->would_reserve = c->stats.would_reserve;
	s->would_policy = c->stats.would_policy;
	s->modelled = c->stats.modelled;
	s->polled_time = c->stats.seen;
	s->polled_groups = c->stats.switches;
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
	tgk_tell(gpu);
	c = client->gone ? NULL : tg_gpu_client(&gpu->core, client->id);
	if (c)
		snap_client(gpu, c, &snap);
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

	if (!may_write())
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

/* --- snapshot --- */

/*
 * sysfs hands out at most a page at a time, and tells us nothing of open and close. So a
 * snapshot is made when a file is read at offset 0, and kept for that open file and its user, until
 * that user has begun USER_SNAPSHOTS later ones, or for SNAPSHOT_AGE. Not only until its end was
 * read: some read that twice. Its memory is charged to its reader's cgroup.
 */
#define USER_SNAPSHOTS	16
#define SNAPSHOT_AGE	(60 * HZ)

/**
 * struct snapshot - one that is kept; snap_mutex
 * @hash: in snapshots, by @uid
 * @aged: in snap_ages, the oldest first
 * @file: for whom, compared only
 * @uid: whose user reads it, and whose clients it shows
 * @all: it shows everybody's
 * @begun: when it was made, jiffies
 * @len: bytes at @head
 * @head: what is read
 */
struct snapshot {
	struct hlist_node hash;
	struct list_head aged;
	const struct file *file;
	u32 uid;
	bool all;
	unsigned long begun;
	size_t len;
	struct tg_snap_head *head;
};

static DEFINE_MUTEX(snap_mutex);
static DEFINE_HASHTABLE(snapshots, 8);	/* snap_mutex */
static LIST_HEAD(snap_ages);		/* snap_mutex */

static void snap_drop(struct snapshot *s)
{
	hash_del(&s->hash);
	list_del(&s->aged);
	kvfree(s->head);
	kfree(s);
}

static void snap_expire(bool all)
{
	struct snapshot *s, *next;

	list_for_each_entry_safe(s, next, &snap_ages, aged) {
		if (!all && time_before(jiffies, s->begun + SNAPSHOT_AGE))
			break;
		snap_drop(s);
	}
}

static void expire(struct work_struct *work);
static DECLARE_DELAYED_WORK(expiry, expire);

static void expire(struct work_struct *work)
{
	mutex_lock(&snap_mutex);
	snap_expire(false);
	if (!list_empty(&snap_ages))
		queue_delayed_work(tgk_wq, &expiry, SNAPSHOT_AGE);
	mutex_unlock(&snap_mutex);
}

/* The current user's of @file; NULL: none that is fit to be read by this process. */
static struct snapshot *snap_find(const struct file *file)
{
	const u32 uid = own_uid();
	struct snapshot *s;

	hash_for_each_possible(snapshots, s, hash, uid)
		if (s->file == file && s->uid == uid)
			return !s->all || tgk_may_see_all() ? s : NULL;
	return NULL;
}

/* Room for a new one of @file: an older one of it goes, and of a user who has many the oldest. */
static void snap_make_room(const struct file *file)
{
	struct snapshot *s, *oldest = NULL;
	const u32 uid = own_uid();
	struct hlist_node *next;
	u32 n = 0;

	snap_expire(false);
	hash_for_each_possible_safe(snapshots, s, next, hash, uid) {
		if (s->uid != uid)
			continue;
		if (s->file == file) {
			snap_drop(s);
			continue;
		}
		n++;
		if (!oldest || time_before(s->begun, oldest->begun))
			oldest = s;
	}
	if (n >= USER_SNAPSHOTS)
		snap_drop(oldest);
}

/* How many clients there are. */
static u32 snap_room(void)
{
	struct tgk_gpu *gpu;
	u32 n = 0;

	rcu_read_lock();
	list_for_each_entry_rcu(gpu, &tgk_gpus, node)
		n += READ_ONCE(gpu->core.nr_clients);
	rcu_read_unlock();
	return n;
}

/* Of the clients in one bucket. Return: false when there are more than @room. */
static bool snap_bucket(struct tg_snap_head *head, u32 room, struct tgk_gpu *gpu, int bucket,
			u32 uid, bool all)
{
	struct tg_snap_client *s = (struct tg_snap_client *)(head + 1);
	const struct tgk_client *client;
	bool fits = true;

	raw_spin_lock_irq(&gpu->lock);
	hlist_for_each_entry(client, &gpu->clients[bucket], node) {
		if (!all && client->ident.uid != uid)
			continue;
		fits = head->nr_clients < room;
		if (!fits)
			break;
		snap_client(gpu, tg_gpu_client(&gpu->core, client->id), &s[head->nr_clients++]);
	}
	raw_spin_unlock_irq(&gpu->lock);
	return fits;
}

static int by_number(const void *a, const void *b)
{
	const u32 x = ((const struct tg_snap_client *)a)->id;
	const u32 y = ((const struct tg_snap_client *)b)->id;

	return (x > y) - (x < y);
}

/*
 * Of @uid's clients, or of all, in the order in which they came. Not all are asked at the same
 * moment: there may be many. Return: false when there are more than @room.
 */
static bool snap_fill(struct tg_snap_head *head, u32 room, u32 uid, bool all)
{
	struct tgk_gpu *gpu;
	bool fits = true;
	int i;

	memset(head, 0, sizeof(*head));
	head->magic = TG_SNAP_MAGIC;
	head->version = TG_SNAP_VERSION;
	head->client_size = sizeof(struct tg_snap_client);
	head->now = ktime_get_ns();
	strscpy_pad(head->policy, policy_name(), sizeof(head->policy));
	rcu_read_lock();
	list_for_each_entry_rcu(gpu, &tgk_gpus, node) {
		head->gpus++;
		raw_spin_lock_irq(&gpu->lock);
		tgk_tell(gpu);
		raw_spin_unlock_irq(&gpu->lock);
		for (i = 0; fits && i < HASH_SIZE(gpu->clients); i++)
			fits = snap_bucket(head, room, gpu, i, uid, all);
	}
	rcu_read_unlock();
	sort(head + 1, head->nr_clients, sizeof(struct tg_snap_client), by_number, NULL);
	return fits;
}

/* Those that the current process may see. */
static int snap_make(struct snapshot *s)
{
	u32 room;

	s->uid = own_uid();
	s->all = tgk_may_see_all();
	do {
		kvfree(s->head);
		room = snap_room() + 4;
		s->head = kvmalloc(sizeof(*s->head) + room * sizeof(struct tg_snap_client),
				   GFP_KERNEL_ACCOUNT);
		if (!s->head)
			return -ENOMEM;
	} while (!snap_fill(s->head, room, s->uid, s->all));
	s->len = sizeof(*s->head) + s->head->nr_clients * sizeof(struct tg_snap_client);
	return 0;
}

/* A new one, in the place of what was kept for @file. */
static struct snapshot *snap_begin(const struct file *file)
{
	struct snapshot *s;
	int ret;

	snap_make_room(file);
	s = kzalloc(sizeof(*s), GFP_KERNEL_ACCOUNT);
	if (!s)
		return ERR_PTR(-ENOMEM);
	ret = snap_make(s);
	if (ret) {
		kfree(s);
		return ERR_PTR(ret);
	}
	s->file = file;
	s->begun = jiffies;
	hash_add(snapshots, &s->hash, s->uid);
	list_add_tail(&s->aged, &snap_ages);
	queue_delayed_work(tgk_wq, &expiry, SNAPSHOT_AGE);
	return s;
}

static ssize_t snapshot_read(struct file *file, struct kobject *kobj, TGK_BIN_ATTR *attr,
			     char *buf, loff_t off, size_t count)
{
	struct snapshot *s;
	ssize_t ret;

	if (mutex_lock_killable(&snap_mutex))
		return -EINTR;
	s = off ? snap_find(file) : snap_begin(file);
	if (IS_ERR(s))
		ret = PTR_ERR(s);
	else if (!s)
		ret = -ESTALE;
	else
		ret = memory_read_from_buffer(buf, count, &off, s->head, s->len);
	mutex_unlock(&snap_mutex);
	return ret;
}

static struct bin_attribute snapshot_attr = {
	.attr = { .name = "snapshot", .mode = 0444 },
	.read = snapshot_read,
};

/* --- files that are made from tables: stats and knobs --- */

/**
 * struct table_file - one of them
 * @ka: the attribute
 * @name: its name
 * @node: in @files
 * @dir: where it is
 * @gpu: stats: whose, NULL: the module's
 * @policy: knobs: number of the policy, -1: the core
 * @nr: which counter or knob
 * @what: which of the engine's counters; which side of the knob
 */
struct table_file {
	struct kobj_attribute ka;
	char name[64];
	struct list_head node;
	struct kobject *dir;
	struct tgk_gpu *gpu;
	int policy;
	u32 nr, what;
};

static LIST_HEAD(files);	/* tgk_mutex, or the module is loading or unloading */

static struct table_file *file_of(struct kobj_attribute *ka)
{
	return container_of(ka, struct table_file, ka);
}

/* Takes what @template says beside its name. */
static __printf(2, 3) int file_add(const struct table_file *template, const char *fmt, ...)
{
	struct table_file *file = kmemdup(template, sizeof(*template), GFP_KERNEL);
	va_list args;
	int ret;

	if (!file)
		return -ENOMEM;
	va_start(args, fmt);
	vscnprintf(file->name, sizeof(file->name), fmt, args);
	va_end(args);
	sysfs_attr_init(&file->ka.attr);
	file->ka.attr.name = file->name;
	file->ka.attr.mode = file->ka.store ? 0644 : 0444;
	ret = sysfs_create_file(file->dir, &file->ka.attr);
	if (ret)
		kfree(file);
	else
		list_add_tail(&file->node, &files);
	return ret;
}

/* Those of one GPU; NULL: those of the module. Waits for readers. */
static void files_remove(const struct tgk_gpu *gpu)
{
	struct table_file *file, *next;

	list_for_each_entry_safe(file, next, &files, node) {
		if (file->gpu != gpu)
			continue;
		list_del(&file->node);
		sysfs_remove_file(file->dir, &file->ka.attr);
		kfree(file);
	}
}

/* What goes through an open gate is counted once: it is among the submitted all the same. */
static ssize_t stat_show(struct kobject *kobj, struct kobj_attribute *ka, char *buf)
{
	const u32 nr = file_of(ka)->nr;
	s64 value = atomic64_read(&tgk_stats[nr]);

	if (!tgk_may_see_all())
		return -EACCES;
	if (nr == TGK_STAT_SUBMITTED)
		value += atomic64_read(&tgk_stats[TGK_STAT_OPEN]);
	return sysfs_emit(buf, "%lld\n", value);
}

static const char *const engine_stats[] = { "inflight", "queued", "wedged" };

static ssize_t engine_show(struct kobject *kobj, struct kobj_attribute *ka, char *buf)
{
	const struct table_file *file = file_of(ka);
	struct tgk_gpu *gpu = file->gpu;
	u32 values[ARRAY_SIZE(engine_stats)];

	if (!tgk_may_see_all())
		return -EACCES;
	raw_spin_lock_irq(&gpu->lock);
	tgk_tell(gpu);
	values[0] = gpu->core.engine[file->nr].inflight;
	values[1] = gpu->core.engine[file->nr].queued;
	values[2] = gpu->core.engine[file->nr].wedged;
	raw_spin_unlock_irq(&gpu->lock);
	return sysfs_emit(buf, "%u\n", values[file->what]);
}

static ssize_t polled_show(struct kobject *kobj, struct kobj_attribute *ka, char *buf)
{
	struct tgk_gpu *gpu = file_of(ka)->gpu;
	u64 total;

	if (!tgk_may_see_all())
		return -EACCES;
	raw_spin_lock_irq(&gpu->lock);
	total = gpu->poll.total;
	raw_spin_unlock_irq(&gpu->lock);
	return sysfs_emit(buf, "%llu\n", total / NSEC_PER_USEC);
}

static const char *const vram_stats[] = { "size", "held", "resident", "accounts", "waiting" };

static ssize_t vram_show(struct kobject *kobj, struct kobj_attribute *ka, char *buf)
{
	const struct table_file *file = file_of(ka);
	struct tgk_gpu *gpu = file->gpu;
	u64 values[ARRAY_SIZE(vram_stats)];

	if (!tgk_may_see_all())
		return -EACCES;
	values[2] = tgk_vram_resident(gpu);
	raw_spin_lock_irq(&gpu->lock);
	values[0] = gpu->core.mem.size;
	values[1] = gpu->core.mem.used;
	values[3] = gpu->core.mem.accounts;
	values[4] = gpu->core.mem.waiting;
	raw_spin_unlock_irq(&gpu->lock);
	return sysfs_emit(buf, "%llu\n", values[file->what]);
}

/**
 * tgk_sysfs_gpu_add() - the files of one GPU
 * @gpu: the GPU
 *
 * Context: under tgk_mutex.
 *
 * Return: 0 or a negative errno.
 */
int tgk_sysfs_gpu_add(struct tgk_gpu *gpu)
{
	struct table_file file = { .dir = stats_dir, .gpu = gpu, .ka.show = engine_show };
	int ret = 0;

	for (file.nr = 0; file.nr < gpu->core.nr_engines; file.nr++)
		for (file.what = 0; !ret && file.what < ARRAY_SIZE(engine_stats); file.what++)
			ret = file_add(&file, "gpu%u_engine%u_%s", gpu->index, file.nr,
				       engine_stats[file.what]);
	file.ka.show = polled_show;
	ret = ret ?: file_add(&file, "gpu%u_polled_us", gpu->index);
	file.ka.show = vram_show;
	for (file.what = 0; !ret && file.what < ARRAY_SIZE(vram_stats); file.what++)
		ret = file_add(&file, "gpu%u_vram_%s", gpu->index, vram_stats[file.what]);
	if (ret)
		files_remove(gpu);
	return ret;
}

/**
 * tgk_sysfs_gpu_remove() - take them away
 * @gpu: the GPU
 *
 * Context: under tgk_mutex.
 */
void tgk_sysfs_gpu_remove(struct tgk_gpu *gpu)
{
	files_remove(gpu);
}

/* --- knobs --- */

enum side { SIDE_VALUE, SIDE_MIN, SIDE_MAX, SIDE_DEFAULT, SIDES };

static const char *const side_names[SIDES] = { "", "_min", "_max", "_default" };

static const struct tg_param *param_of(const struct table_file *file)
{
	return file->policy < 0 ? &tg_core_params[file->nr] :
				  &tg_policy_get(file->policy)->params[file->nr];
}

/* A policy's knobs are its own: back to their defaults whenever it comes into force. */
static s64 knob_value(const struct table_file *file)
{
	s64 value = param_of(file)->def;
	const struct tg_gpu *core;
	struct tgk_gpu *gpu;

	if (file->policy < 0)
		return READ_ONCE(tgk_knobs[file->nr]);
	rcu_read_lock();
	gpu = list_first_or_null_rcu(&tgk_gpus, struct tgk_gpu, node);
	if (gpu) {
		raw_spin_lock_irq(&gpu->lock);
		core = gpu->core.dry ? &gpu->core.dry->model : &gpu->core;
		if (core->policy == tg_policy_get(file->policy))
			value = core->policy_knob[file->nr];
		raw_spin_unlock_irq(&gpu->lock);
	}
	rcu_read_unlock();
	return value;
}

static ssize_t knob_show(struct kobject *kobj, struct kobj_attribute *ka, char *buf)
{
	const struct table_file *file = file_of(ka);
	const struct tg_param *param = param_of(file);
	s64 value;

	switch (file->what) {
	case SIDE_MIN:
		value = param->min;
		break;
	case SIDE_MAX:
		value = param->max;
		break;
	case SIDE_DEFAULT:
		value = file->policy < 0 ? tgk_knob_default(file->nr) : param->def;
		break;
	default:
		value = knob_value(file);
	}
	return sysfs_emit(buf, "%lld\n", value);
}

static ssize_t knob_store(struct kobject *kobj, struct kobj_attribute *ka, const char *buf,
			  size_t count)
{
	const struct table_file *file = file_of(ka);
	const struct tg_param *param = param_of(file);
	s64 value;
	int ret;

	if (!may_write())
		return -EPERM;
	ret = kstrtos64(buf, 10, &value);
	if (ret)
		return ret;
	if (value < param->min || value > param->max)
		return -ERANGE;
	if (mutex_lock_killable(&tgk_mutex))
		return -EINTR;
	ret = tgk_set_knob(file->policy, file->nr, value);
	mutex_unlock(&tgk_mutex);
	return ret ?: count;
}

static int knobs_add(int policy, const char *prefix, const struct tg_param *params)
{
	struct table_file file = { .dir = knobs_dir, .policy = policy, .ka.show = knob_show };
	int ret = 0;

	for (; params && params[file.nr].name; file.nr++) {
		for (file.what = 0; !ret && file.what < SIDES; file.what++) {
			file.ka.store = file.what == SIDE_VALUE ? knob_store : NULL;
			ret = file_add(&file, "%s%s%s%s", prefix, *prefix ? "_" : "",
				       params[file.nr].name, side_names[file.what]);
		}
	}
	return ret;
}

/* --- the poller --- */

static ssize_t poll_cpu_us_show(struct kobject *kobj, struct kobj_attribute *ka, char *buf)
{
	if (!tgk_may_see_all())
		return -EACCES;
	return sysfs_emit(buf, "%llu\n", tgk_poll_cpu_time() / NSEC_PER_USEC);
}

static ssize_t poll_readings_show(struct kobject *kobj, struct kobj_attribute *ka, char *buf)
{
	if (!tgk_may_see_all())
		return -EACCES;
	return sysfs_emit(buf, "%llu\n", tgk_poll_readings());
}

static ssize_t poll_cpu_show(struct kobject *kobj, struct kobj_attribute *ka, char *buf)
{
	return sysfs_emit(buf, "%u\n", tgk_poll_cpu());
}

static ssize_t poll_cpu_store(struct kobject *kobj, struct kobj_attribute *ka, const char *buf,
			      size_t count)
{
	unsigned int nr;
	int ret;

	if (!may_write())
		return -EPERM;
	ret = kstrtouint(buf, 10, &nr) ?: tgk_poll_bind(nr);
	return ret ?: count;
}

static ssize_t poll_cpu_min_show(struct kobject *kobj, struct kobj_attribute *ka, char *buf)
{
	return sysfs_emit(buf, "0\n");
}

static ssize_t poll_cpu_max_show(struct kobject *kobj, struct kobj_attribute *ka, char *buf)
{
	return sysfs_emit(buf, "%u\n", nr_cpu_ids - 1);
}

static ssize_t poll_cpu_default_show(struct kobject *kobj, struct kobj_attribute *ka, char *buf)
{
	return sysfs_emit(buf, "%u\n", tgk_poll_cpu_default());
}

static struct kobj_attribute poll_cpu_us_attr = __ATTR_RO(poll_cpu_us);
static struct kobj_attribute poll_readings_attr = __ATTR_RO(poll_readings);
static struct kobj_attribute poll_cpu_attr = __ATTR_RW(poll_cpu);
static struct kobj_attribute poll_cpu_min_attr = __ATTR_RO(poll_cpu_min);
static struct kobj_attribute poll_cpu_max_attr = __ATTR_RO(poll_cpu_max);
static struct kobj_attribute poll_cpu_default_attr = __ATTR_RO(poll_cpu_default);

static struct attribute *poll_stats[] = {
	&poll_cpu_us_attr.attr, &poll_readings_attr.attr, NULL
};

static struct attribute *poll_knobs[] = {
	&poll_cpu_attr.attr, &poll_cpu_min_attr.attr, &poll_cpu_max_attr.attr,
	&poll_cpu_default_attr.attr, NULL
};

static const struct attribute_group poll_stats_group = { .attrs = poll_stats };
static const struct attribute_group poll_knobs_group = { .attrs = poll_knobs };

/* --- all of it --- */

static struct attribute *root_attrs[] = {
	&version_attr.attr, &policy_attr.attr, &policies_attr.attr, &spec_commit_attr.attr,
	&spec_result_attr.attr, &foreground_attr.attr, NULL
};

static TGK_BIN_ATTR *root_bin_attrs[] = { &spec_attr, &snapshot_attr, NULL };

static const struct attribute_group root_group = {
	.attrs = root_attrs,
	.bin_attrs = root_bin_attrs,
};

static int table_init(void)
{
	struct table_file file = { .dir = stats_dir, .ka.show = stat_show };
	const struct tg_policy *policy;
	int ret = 0, i;

	for (; !ret && file.nr < TGK_STATS; file.nr++)
		ret = file_add(&file, "%s", tgk_stat_names[file.nr]);
	ret = ret ?: knobs_add(-1, "", tg_core_params);
	for (i = 0; !ret && (policy = tg_policy_get(i)); i++)
		ret = knobs_add(i, policy->name, policy->params);
	return ret;
}

/*
 * The folders of clients lie in a folder that is root's: others could tell from a folder's links
 * and times how many clients there are and when they come. People use the link.
 */
static int private_init(void)
{
	static const struct attribute private = { .name = "private" };

	private_dir = kobject_create_and_add(private.name, root);
	if (!private_dir)
		return -ENOMEM;
	tgk_clients_dir = kobject_create_and_add("clients", private_dir);
	if (!tgk_clients_dir)
		return -ENOMEM;
	return sysfs_chmod_file(root, &private, 0500) ?:
	       sysfs_create_link(root, tgk_clients_dir, "clients");
}

/**
 * tgk_sysfs_init() - make /sys/kernel/timegraph
 *
 * Context: process, at load.
 *
 * Return: 0 or a negative errno.
 */
int tgk_sysfs_init(void)
{
	int ret = -ENOMEM;

	root = kobject_create_and_add("timegraph", kernel_kobj);
	if (!root)
		return ret;
	stats_dir = kobject_create_and_add("stats", root);
	knobs_dir = kobject_create_and_add("knobs", root);
	if (stats_dir && knobs_dir)
		ret = private_init() ?: table_init() ?:
		      sysfs_create_group(stats_dir, &poll_stats_group) ?:
		      sysfs_create_group(knobs_dir, &poll_knobs_group) ?: tgk_vgpus_init(root) ?:
		      sysfs_create_group(root, &root_group);
	if (ret)
		tgk_sysfs_exit();
	return ret;
}

/**
 * tgk_sysfs_exit() - remove it
 *
 * Context: process, without tgk_mutex: waits for readers and writers.
 */
void tgk_sysfs_exit(void)
{
	sysfs_remove_group(root, &root_group);
	files_remove(NULL);
	tgk_vgpus_exit();
	kobject_put(knobs_dir);
	kobject_put(stats_dir);
	sysfs_remove_link(root, "clients");
	kobject_put(tgk_clients_dir);
	kobject_put(private_dir);
	kobject_put(root);
	/* Nobody reads any more, and nobody makes one. */
	cancel_delayed_work_sync(&expiry);
	snap_expire(true);
	kvfree(gathered);
	tgk_spec_free(tgk_spec);
	tgk_spec = NULL;
}
