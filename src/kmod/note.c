// SPDX-License-Identifier: GPL-2.0
/*
 * Notes: what the core wants people to know (TG_ACT_NOTE), in the log and as a uevent.
 *
 * tgk_note() takes a note down under tgk_gpu.lock, in any context; a work item writes it out in
 * process context, without the lock. Notes beyond TGK_NOTES at once are counted, and dropped.
 */
#include <linux/ctype.h>
#include <linux/device.h>
#include <linux/module.h>
#include <linux/ratelimit.h>
#include <linux/slab.h>

#include "note.h"
#include "settings.h"
#include "stats.h"
#include "tgk.h"

const char *const tgk_note_names[] = {
	[TG_NOTE_LOST] = "LOST",
	[TG_NOTE_REPAIRED] = "REPAIRED",
	[TG_NOTE_RECOVERED] = "RECOVERED",
	[TG_NOTE_OVERLAP] = "OVERLAP",
	[TG_NOTE_EJECTED_PICK] = "EJECTED_PICK",
	[TG_NOTE_EJECTED_STARVED] = "EJECTED_STARVED",
	[TG_NOTE_DRAIN_CUT] = "DRAIN_CUT",
	[TG_NOTE_POLICY] = "POLICY",
	[TG_NOTE_DRY] = "DRY",
	[TG_NOTE_NOT_ADMITTED] = "NOT_ADMITTED",
	[TG_NOTE_NO_VRAM] = "NO_VRAM",
	[TG_NOTE_VRAM_LATE] = "VRAM_LATE",
	[TG_NOTE_VRAM_DEADLOCK] = "VRAM_DEADLOCK",
	[TG_NOTE_FORGED] = "FORGED",
	[TG_NOTE_OVERLONG] = "OVERLONG",
};

static_assert(ARRAY_SIZE(tgk_note_names) == TG_NOTES);

static bool named_policy(u32 note)
{
	return note == TG_NOTE_POLICY || note == TG_NOTE_DRY;
}

static bool failed_policy(u32 note)
{
	return note == TG_NOTE_EJECTED_PICK || note == TG_NOTE_EJECTED_STARVED;
}

/**
 * tgk_note() - TG_ACT_NOTE
 * @gpu: the GPU
 * @action: the note
 *
 * Context: under tgk_gpu.lock, any.
 */
void tgk_note(struct tgk_gpu *gpu, const struct tg_action *action)
{
	static const u8 stats[TG_NOTES] = {
		[TG_NOTE_LOST] = TGK_STAT_LOST,
		[TG_NOTE_REPAIRED] = TGK_STAT_REPAIRED,
		[TG_NOTE_RECOVERED] = TGK_STAT_RECOVERED,
		[TG_NOTE_OVERLAP] = TGK_STAT_OVERLAPS,
		[TG_NOTE_EJECTED_PICK] = TGK_STAT_EJECTED,
		[TG_NOTE_EJECTED_STARVED] = TGK_STAT_EJECTED,
		[TG_NOTE_DRAIN_CUT] = TGK_STAT_DRAIN_CUT,
		[TG_NOTE_NOT_ADMITTED] = TGK_STAT_NOT_ADMITTED,
		[TG_NOTE_NO_VRAM] = TGK_STAT_NOT_ADMITTED,
		[TG_NOTE_VRAM_LATE] = TGK_STAT_VRAM_LATE,
		[TG_NOTE_VRAM_DEADLOCK] = TGK_STAT_VRAM_DEADLOCK,
		[TG_NOTE_FORGED] = TGK_STAT_CLOCK_FORGED,
		[TG_NOTE_OVERLONG] = TGK_STAT_OVERLONG,
	};
	const struct tgk_client *client = action->host;
	struct tgk_note *note;

	if (!named_policy(action->arg))
		tgk_count(stats[action->arg]);
	if (gpu->closing)
		return;
	if (gpu->nr_notes == TGK_NOTES) {
		gpu->dropped_notes++;
		return;
	}
	note = &gpu->notes[gpu->nr_notes++];
	memset(note, 0, sizeof(*note));
	note->what = action->arg;
	if (named_policy(note->what))
		note->policy = tg_policy_get(action->job);
	else if (failed_policy(note->what))
		note->policy = tg_gpu_policy(&gpu->core);	/* until this note is out */
	if (note->what == TG_NOTE_NOT_ADMITTED)
		note->refused = tg_gpu_refusal(&gpu->core, action->client, &note->why);
	if (note->what == TG_NOTE_OVERLONG)
		note->took = tg_gpu_overlong(&gpu->core, &note->longest);
	if (client) {
		note->client = client->id;
		note->pid = client->ident.pid;
		note->uid = client->ident.uid;
		memcpy(note->comm, client->ident.comm, sizeof(note->comm));
	}
	tgk_queue_later(gpu, &gpu->note_work);
}

/* --- the work item: process context --- */

/*
 * Notes that clients can cause are written ten times in five seconds at most, each kind for itself.
 * Notes about a policy follow from what root does: all of them are written, so that a program that
 * counts them misses none.
 */
static bool worth_writing(const struct tgk_note *note)
{
	static struct ratelimit_state limits[TG_NOTES] = {
		[0 ... TG_NOTES - 1] = RATELIMIT_STATE_INIT(limits, DEFAULT_RATELIMIT_INTERVAL,
							    DEFAULT_RATELIMIT_BURST),
	};

	/* A process without a channel has no name here. */
	if (!note->client &&
	    (note->what == TG_NOTE_VRAM_LATE || note->what == TG_NOTE_VRAM_DEADLOCK))
		return false;
	return note->policy || ___ratelimit(&limits[note->what], "timegraph");
}

/* A client chooses its name: it must not look like a line of the log, or like another key. */
static void make_plain(char *comm)
{
	for (; *comm; comm++)
		if (!isascii(*comm) || !isprint(*comm))
			*comm = '?';
}

/* Part of the whole, in tenths of a percent; rounded up, as the sum is more than the whole. */
static s64 permille(s64 part, s64 whole)
{
	return div64_s64(part * 1000 + whole - 1, whole);
}

static void log_refusal(const struct tgk_gpu *gpu, const struct tgk_note *note)
{
	const struct tg_refusal *why = &note->why;
	s64 sum = permille(why->others, TG_SHARE_ALL) + permille(why->capacity, why->period) +
		  permille(why->longest, why->shortest);

	pr_notice("GPU %u: client %u (%s, pid %u): its guaranteed reserve does not fit: with %lld/%lld us, groups of up to %lld/%lld us and the other guarantees it is %lld.%lld %% of the time: it is in Background\n",
		  gpu->index, note->client, note->comm, note->pid,
		  div64_s64(why->capacity, TG_USEC), div64_s64(why->period, TG_USEC),
		  div64_s64(why->longest, TG_USEC), div64_s64(why->shortest, TG_USEC),
		  div64_s64(sum, 10), sum - div64_s64(sum, 10) * 10);
}

static void log_note(const struct tgk_gpu *gpu, const struct tgk_note *note)
{
	switch (note->what) {
	case TG_NOTE_LOST:
		pr_warn("GPU %u: client %u (%s, pid %u): a command group ran past its deadline and is written off\n",
			gpu->index, note->client, note->comm, note->pid);
		break;
	case TG_NOTE_REPAIRED:
		pr_notice("GPU %u: client %u (%s, pid %u): a command group written off has completed; accounts corrected\n",
			  gpu->index, note->client, note->comm, note->pid);
		break;
	case TG_NOTE_RECOVERED:
		pr_notice("GPU %u: the engine completes command groups again\n", gpu->index);
		break;
	case TG_NOTE_OVERLAP:
		pr_notice("GPU %u: client %u (%s, pid %u): a freed submission did not reach the GPU in time and lost its turn\n",
			  gpu->index, note->client, note->comm, note->pid);
		break;
	case TG_NOTE_EJECTED_PICK:
		pr_warn("GPU %u: policy %s chose a command group that was not its to choose: fifo is in force, reserves are lifted\n",
			gpu->index, note->policy->name);
		break;
	case TG_NOTE_EJECTED_STARVED:
		pr_warn("GPU %u: policy %s left an eligible command group waiting: fifo is in force, reserves are lifted\n",
			gpu->index, note->policy->name);
		break;
	case TG_NOTE_DRAIN_CUT:
		pr_warn("GPU %u: a drain was cut short: client %u (%s, pid %u) still had work in flight\n",
			gpu->index, note->client, note->comm, note->pid);
		break;
	case TG_NOTE_NOT_ADMITTED:
		if (note->refused) {
			log_refusal(gpu, note);
			break;
		}
		pr_notice("GPU %u: client %u (%s, pid %u): its reserve does not fit beside those admitted: it is in Background\n",
			  gpu->index, note->client, note->comm, note->pid);
		break;
	case TG_NOTE_NO_VRAM:
		pr_notice("GPU %u: client %u (%s, pid %u): the VRAM that its line asks for (mem=) does not fit beside what others hold: it is in Background, and none is set aside\n",
			  gpu->index, note->client, note->comm, note->pid);
		break;
	case TG_NOTE_VRAM_LATE:
		pr_notice("GPU %u: client %u (%s, pid %u): a request for VRAM has waited for vram_timeout_us and fails\n",
			  gpu->index, note->client, note->comm, note->pid);
		break;
	case TG_NOTE_VRAM_DEADLOCK:
		pr_notice("GPU %u: client %u (%s, pid %u): a request for VRAM fails, since processes that hold some wait for each other\n",
			  gpu->index, note->client, note->comm, note->pid);
		break;
	case TG_NOTE_FORGED:
		pr_warn("GPU %u: client %u (%s, pid %u): it forges the times at which command groups end: its own are taken from interrupts\n",
			gpu->index, note->client, note->comm, note->pid);
		break;
	case TG_NOTE_OVERLONG:
		pr_notice("GPU %u: client %u (%s, pid %u): a command group ran for %lld us, and guaranteed reserves allow %lld us (max_group_us): it goes after all others for 10 s\n",
			  gpu->index, note->client, note->comm, note->pid,
			  div64_s64(note->took, TG_USEC), div64_s64(note->longest, TG_USEC));
		break;
	case TG_NOTE_POLICY:
		pr_info("GPU %u: policy %s is in force\n", gpu->index, note->policy->name);
		break;
	case TG_NOTE_DRY:
		pr_info("GPU %u: dry run: policy %s is only modelled, nothing is delayed\n",
			gpu->index, note->policy->name);
		break;
	}
}

/*
 * In the module's name, not in the device's: the module's kobject is there as long as this code is,
 * whatever becomes of the device. Without memory there is only the log. Every process may listen to
 * uevents, so what clients bring about goes out only if root has made all clients public: even that
 * it has happened tells one user of another.
 */
static void send_uevent(const struct tgk_gpu *gpu, const struct tgk_note *note)
{
	struct kobj_uevent_env *env;

	if (!note->policy && !READ_ONCE(tgk_public))
		return;
	env = kzalloc(sizeof(*env), GFP_KERNEL);
	if (!env)
		return;
	add_uevent_var(env, "TIMEGRAPH_EVENT=%s", tgk_note_names[note->what]);
	add_uevent_var(env, "TIMEGRAPH_GPU=%u", gpu->index);
	add_uevent_var(env, "TIMEGRAPH_DEVICE=%s", dev_name(gpu->dev));
	if (note->policy)
		add_uevent_var(env, "TIMEGRAPH_POLICY=%s", note->policy->name);
	if (note->client) {
		add_uevent_var(env, "TIMEGRAPH_CLIENT=%u", note->client);
		add_uevent_var(env, "TIMEGRAPH_PID=%u", note->pid);
		add_uevent_var(env, "TIMEGRAPH_UID=%u", note->uid);
		add_uevent_var(env, "TIMEGRAPH_COMM=%s", note->comm);
	}
	kobject_uevent_env(&THIS_MODULE->mkobj.kobj, KOBJ_CHANGE, env->envp);
	kfree(env);
}

static void write_note(const struct tgk_gpu *gpu, struct tgk_note *note)
{
	if (!worth_writing(note))
		return;
	make_plain(note->comm);
	log_note(gpu, note);
	send_uevent(gpu, note);
}

static void write_notes(struct work_struct *work)
{
	struct tgk_gpu *gpu = container_of(work, struct tgk_gpu, note_work.work);
	struct tgk_note note;
	u32 dropped;
	bool more;

	do {
		raw_spin_lock_irq(&gpu->lock);
		dropped = gpu->dropped_notes;
		gpu->dropped_notes = 0;
		more = gpu->nr_notes;
		if (more) {
			note = gpu->notes[0];
			memmove(gpu->notes, gpu->notes + 1, --gpu->nr_notes * sizeof(note));
		}
		tgk_unlock_irq(gpu);
		if (more)
			write_note(gpu, &note);
		if (dropped)
			pr_notice("GPU %u: %u more notes\n", gpu->index, dropped);
	} while (more);
	wake_up_all(&tgk_settled);
}

/**
 * tgk_note_gpu() - prepare a new GPU
 * @gpu: the GPU
 */
void tgk_note_gpu(struct tgk_gpu *gpu)
{
	tgk_errand_init(&gpu->note_work, write_notes, NULL);
}
