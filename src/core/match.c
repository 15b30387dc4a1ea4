// SPDX-License-Identifier: GPL-2.0
/*
 * Which line of the spec a client follows, and what that line gives it: priority, depth, weight,
 * virtual GPU, reserve and memory.
 *
 * A new spec comes to all clients, in the order in which they joined. Each is admitted anew; before
 * the first, all shares are taken back. Likewise another foreground window, which changes
 * priorities, virtual GPUs that come and go, and blame that is over (guarantee.c). All four are one
 * walk over the clients (tg_gpu.rematching), which each of them begins anew. One event comes to a
 * few clients only, and the next one, or TIMER, goes on.
 *
 * client.c calls tg_client_match() at each JOIN, engine.c tg_clients_rematch(); feed.c calls the
 * rest for events: a new spec, a priority set by hand, another foreground window or nice value. All
 * of it runs under the GPU's lock.
 */
#include "admit.h"
#include "client.h"
#include "debt.h"
#include "feed.h"
#include "gate.h"
#include "guarantee.h"
#include "job.h"
#include "match.h"
#include "memory.h"
#include "settings.h"
#include "share.h"
#include "table.h"
#include "throttle.h"
#include "vgpu.h"

/* Clients that one event looks at and passes, since they have all that they should have */
#define LOOKS	32

/* The priority of a client whose line says `*`: it follows the foreground window. */
static u8 agpa_prio(const struct tg_gpu *gpu, const struct tg_client *client)
{
	return gpu->foreground && client->id_data->pid == gpu->foreground ? TG_PRIO_FOREGROUND :
									    TG_PRIO_AGPA;
}

void tg_client_follow(struct tg_gpu *gpu, struct tg_client *client, bool nice)
{
	gpu->nice -= client->nice;
	client->nice = nice;
	gpu->nice += client->nice;
}

/* Its line, as the host found it before it took the lock, if it is of this spec. */
const struct tg_spec_entry *tg_match_entry(const struct tg_gpu *gpu, const struct tg_identity *id)
{
	if (!gpu->spec)
		return NULL;
	if (gpu->spec->serial && id->serial == gpu->spec->serial)
		return id->entry;
	return tg_spec_match(gpu->spec, id);
}

/*
 * The waiting job of a client that is about to be matched: THROTTLED, and out of its reserve, which
 * counts it as a user still, until tg_job_settle_in() puts it into another, or back.
 */
static void lift(struct tg_gpu *gpu, struct tg_job *job)
{
	tg_job_throttle(gpu, job);
	tg_reserve_unthrottle(gpu, job);
}

/* What comes before the client's priority. */
static enum tg_tier tier_of(const struct tg_gpu *gpu, const struct tg_client *client)
{
	if (client->overlong)
		return TG_TIER_LAST;
	return tg_guaranteed(gpu, client->reserve) ? TG_TIER_FIRST : TG_TIER_ORDINARY;
}

/*
 * Give the client, and its jobs that wait, what its line of the spec says. If jobs may wait, the
 * caller reviews the reserve afterwards: once, however many of its clients are matched.
 */
void tg_client_match(struct tg_gpu *gpu, struct tg_client *client)
{
	const struct tg_spec_entry *entry = tg_match_entry(gpu, client->id_data);
	struct tg_reserve *old = client->reserve;
	struct tg_channel *ch;
	struct tg_job *job;
	bool room;

	/* Their places, in the policy's queue and in the reserve's, are about to change. */
	for (ch = tg_waiting(client->channels); ch; ch = tg_waiting(ch->next))
		for (job = tg_channel_waiting(ch); job; job = tg_job_next(job))
			lift(gpu, job);

	client->matched = entry ? entry->line : 0;
	client->sched = entry ? entry->sched : TG_PRT;
	client->resv = entry ? entry->resv : TG_BG;
	if (!tg_client_by_hand(gpu, client)) {
		client->agpa = entry && entry->agpa;
		if (!client->nice || !entry || !entry->nice)
			client->prio = client->agpa ? agpa_prio(gpu, client) :
				       entry ? entry->prio : TG_PRIO_MIN;
		tg_client_follow(gpu, client, entry && entry->nice);
	}
	client->depth = entry ? entry->depth : 0;
	tg_share_weigh(gpu, client, entry);
	tg_vgpu_move(gpu, client, tg_vgpu_of(gpu, entry));
	tg_memory_promise(gpu, client, 0);
	client->reserve = tg_reserve_for(gpu, client, entry);
	client->reserve->users++;
	client->tier = tier_of(gpu, client);
	room = !entry || tg_memory_fits(gpu, client, entry->mem);
	if (!room && !client->no_vram)
		tg_emit(gpu, TG_ACT_NOTE, client, NULL, TG_NOTE_NO_VRAM);
	client->no_vram = !room;
	if (client->resv != TG_BG && client->reserve == &gpu->background) {
		client->resv = TG_BG;
		if (client->reserve != old && room)
			tg_emit(gpu, TG_ACT_NOTE, client, NULL, TG_NOTE_NOT_ADMITTED);
	} else if (room) {
		tg_memory_promise(gpu, client, entry ? entry->mem : 0);
	}

	for (ch = tg_waiting(client->channels); ch; ch = tg_waiting(ch->next))
		for (job = tg_channel_waiting(ch); job; job = tg_job_next(job))
			tg_job_settle_in(gpu, job, client->reserve);
	if (old) {
		if (old != client->reserve && old->users > 1)
			tg_reserve_review(gpu, old);
		tg_reserve_put(gpu, old);
	}
	if (!tg_reserve_decides(gpu, client))
		tg_client_settle(gpu, client);
}

/* The client has its line of the spec in force, or leaves. */
void tg_client_matched(struct tg_gpu *gpu, struct tg_client *client)
{
	if (gpu->rematching == client)
		gpu->rematching = tg_client_after(gpu, client);
	if (!tg_client_stale(gpu, client))
		return;
	client->by_hand = tg_client_by_hand(gpu, client);
	client->edition = gpu->edition;
	client->owed = false;
	client->overlong = 0;
	client->sharer->long_at = 0;
	gpu->rematches--;
	gpu->pooled[TG_POOL_RESERVE]++;
}

/* Come to all clients, the first one next. A walk that is under way begins anew. */
void tg_clients_walk(struct tg_gpu *gpu)
{
	gpu->rematching = tg_client_first(gpu);
}

static u8 prio_of(const struct tg_gpu *gpu, const struct tg_client *client)
{
	return client->agpa ? agpa_prio(gpu, client) : client->prio;
}

static u8 vgpu_of(const struct tg_gpu *gpu, const struct tg_client *client)
{
	return gpu->by_line ? tg_vgpu_of(gpu, tg_match_entry(gpu, client->id_data)) :
			      tg_vgpu_now(gpu, client);
}

/* Has the client its line of the spec, its priority and its place, and no blame that is over? */
static bool settled(struct tg_gpu *gpu, const struct tg_client *client)
{
	return !tg_client_stale(gpu, client) && !tg_blame_over(gpu, client) &&
	       !tg_vgpu_gone(gpu, client) &&
	       client->prio == prio_of(gpu, client) && client->vgpu == vgpu_of(gpu, client);
}

/*
 * The walk comes to some more clients, and passes those that are settled: LOOKS of them, or as many
 * as may be visited where each one's line has to be looked at.
 */
void tg_clients_rematch(struct tg_gpu *gpu)
{
	const u32 look = gpu->by_line ? LOOKS / TG_VISITS : 1;
	bool first = gpu->visited < TG_VISITS;
	struct tg_client *client;
	u32 looks = 0;

	while ((client = gpu->rematching)) {
		if (settled(gpu, client)) {
			looks += look;
			if (looks > LOOKS)
				return;
			gpu->rematching = tg_client_after(gpu, client);
			continue;
		}
		if (!tg_visit(gpu, client, first))
			return;
		first = false;
		gpu->rematching = tg_client_after(gpu, client);
		if (tg_client_stale(gpu, client)) {
			tg_client_matched(gpu, client);
			tg_client_match(gpu, client);
		} else {
			if (tg_blame_over(gpu, client))
				client->overlong = 0;
			tg_jobs_place(gpu, client, tier_of(gpu, client), prio_of(gpu, client),
				      vgpu_of(gpu, client));
		}
		tg_reserve_review(gpu, client->reserve);
	}
	gpu->by_line = false;
}

/*
 * All clients are to be admitted anew. What an older spec has given counts no more, since it is of
 * another edition; and so many of the spare reserves are spoken for.
 */
static void rematch(struct tg_gpu *gpu)
{
	gpu->pooled[TG_POOL_RESERVE] += gpu->rematches;
	gpu->pooled[TG_POOL_RESERVE] -= gpu->nr_clients;
	gpu->editions = gpu->rematches ? gpu->editions + 1 : 0;
	gpu->rematches = gpu->nr_clients;
	tg_clients_walk(gpu);
	gpu->edition++;
	gpu->admitted = 0;
	gpu->longest = 0;	/* of programs that may have ended: measuring begins anew */
	tg_guarantees_void(gpu);
	tg_memory_forgo(gpu);
}

int tg_gpu_takes_spec(const struct tg_gpu *gpu, const struct tg_event *ev)
{
	const struct tg_spec *spec = ev->new_spec;

	/* So many are spoken for by a spec that has not come to all. */
	if (ev->spec.rematch && gpu->pooled[TG_POOL_RESERVE] + gpu->rematches < gpu->nr_clients)
		return -ENOMEM;
	if (!tg_vgpus_fit(gpu, spec) ||
	    (ev->spec.rematch && gpu->rematches && gpu->editions == TG_BEHIND_MAX))
		return -EBUSY;
	return spec && ev->spec.settings ? tg_settings_check(gpu, spec) : 0;
}

int tg_client_spec(struct tg_gpu *gpu, const struct tg_event *ev)
{
	const struct tg_spec *spec = ev->new_spec;
	int rc = tg_gpu_takes_spec(gpu, ev);

	if (rc)
		return rc;
	if (spec && ev->spec.settings)
		tg_settings_apply(gpu, spec);
	else if (spec)
		tg_settings_note(gpu, spec);
	tg_debts_forgive(gpu);
	gpu->spec = spec;
	tg_vgpus_spec(gpu);
	tg_memory_spec(gpu);
	if (spec && spec->background >= 0)
		tg_reserve_set(&gpu->background, TG_PE, spec->entries[spec->background].capacity,
			       spec->entries[spec->background].period, gpu->now);
	else
		tg_reserve_set(&gpu->background, TG_PE, TG_SEC, TG_SEC, gpu->now);
	tg_reserve_review(gpu, &gpu->background);
	if (ev->spec.rematch)
		rematch(gpu);
	tg_reserves_retire(gpu);
	return 0;
}

int tg_client_prio(struct tg_gpu *gpu, const struct tg_event *ev)
{
	struct tg_client *client = tg_gpu_client(gpu, ev->client);

	if (!client)
		return -ENOENT;
	if (ev->prio.level > TG_PRIO_MAX || tg_client_is_kernel(client))
		return -EINVAL;
	client->owed = tg_client_stale(gpu, client);
	client->edition = gpu->edition;
	client->by_hand = true;
	client->agpa = false;
	tg_client_follow(gpu, client, false);
	tg_jobs_place(gpu, client, client->tier, ev->prio.level, tg_vgpu_now(gpu, client));
	tg_reserve_review(gpu, client->reserve);
	return 0;
}

int tg_client_foreground(struct tg_gpu *gpu, const struct tg_event *ev)
{
	if (ev->foreground.pid > U32_MAX)
		return -EINVAL;
	gpu->foreground = ev->foreground.pid;
	tg_clients_walk(gpu);
	return 0;
}

int tg_client_nice(struct tg_gpu *gpu, const struct tg_event *ev)
{
	struct tg_client *client = tg_gpu_client(gpu, ev->client);

	if (!client)
		return -ENOENT;
	if (ev->nice.level > TG_PRIO_MAX)
		return -EINVAL;
	if (client->nice && client->prio != ev->nice.level) {
		tg_jobs_place(gpu, client, client->tier, ev->nice.level, tg_vgpu_now(gpu, client));
		tg_reserve_review(gpu, client->reserve);
	}
	return 0;
}
