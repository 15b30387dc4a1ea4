// SPDX-License-Identifier: GPL-2.0
/*
 * Which reserve a client consumes from: as its line of the spec in force says, if its share fits
 * beside those of the others, and the memory that it sets aside; else Background.
 *
 * Owns the list of reserves (tg_gpu.reserves) and what is admitted. match.c calls it when a client
 * gets another line, or another spec comes into force; client.c, job.c and debt.c when a reserve
 * may have lost its last user. All of it runs under the GPU's lock.
 */
#include "admit.h"
#include "client.h"
#include "guarantee.h"
#include "memory.h"
#include "throttle.h"
#include "vgpu.h"

static bool named(const struct tg_reserve *r, const char *name, u32 len)
{
	return strlen(r->name) == len && !memcmp(r->name, name, len);
}

/* Does a line of the spec in force name this shared reserve? */
static bool in_spec(const struct tg_gpu *gpu, const struct tg_reserve *r)
{
	const struct tg_spec_entry *e;
	s32 i;

	for (i = gpu->spec ? gpu->spec->reserves : -1; i >= 0; i = e->next_reserve) {
		e = &gpu->spec->entries[i];
		if (named(r, gpu->spec->text + e->reserve.off, e->reserve.len))
			return true;
	}
	return false;
}

/* Return an unused reserve to the pool; a shared one, only if no line of the spec names it. */
static void retire(struct tg_gpu *gpu, struct tg_reserve *r)
{
	if (r->users || r == &gpu->background || (tg_reserve_shared(r) && in_spec(gpu, r)))
		return;
	list_del_init(&r->all);
	tg_gpu_give(gpu, TG_POOL_RESERVE, r);
}

/* Take the reserve's share back: it is free for other reserves. */
void tg_reserve_dismiss(struct tg_gpu *gpu, struct tg_reserve *r)
{
	tg_guarantee_end(gpu, r);
	gpu->admitted -= tg_reserve_share(gpu, r);
	r->share = 0;
}

/* The reserve has lost its last client or job. */
void tg_reserve_unused(struct tg_gpu *gpu, struct tg_reserve *r)
{
	tg_reserve_dismiss(gpu, r);
	retire(gpu, r);
}

/*
 * Another spec is in force. Retire the shared reserves without users that it does not name: the old
 * one did. A client keeps a reserve of its own.
 */
void tg_reserves_retire(struct tg_gpu *gpu)
{
	struct tg_reserve *r, *next;

	list_for_each_entry_safe(r, next, &gpu->reserves, all) {
		if (!tg_reserve_shared(r))
			break;
		retire(gpu, r);
	}
}

/*
 * Does the reserve of @entry, of @share, fit beside the others? @r: that reserve, if it exists: its
 * old share goes. @kept: it is guaranteed already, as it stays.
 */
static bool fits(const struct tg_gpu *gpu, const struct tg_reserve *r,
		 const struct tg_spec_entry *entry, s64 share, bool kept)
{
	const s64 old = r ? tg_reserve_share(gpu, r) : 0;

	return gpu->admitted - old + share <= gpu->knob[TG_KNOB_ADMISSION] &&
	       (entry->resv != TG_CBS || kept || tg_guarantee_fits(gpu, r, entry, NULL));
}

/* Rounded down, by less than a reserve of 10 ns a second. */
static s64 share_of(const struct tg_spec_entry *entry)
{
	return tg_share(entry->capacity, entry->period);
}

/* Does the memory fit that @entry sets aside, for a process of this account? */
static bool memory_fits(const struct tg_gpu *gpu, u32 account, const struct tg_spec_entry *entry)
{
	const struct tg_account *a = tg_mem_account(&gpu->mem, account);
	const u8 vgpu = tg_vgpu_of(gpu, entry);
	const struct tg_mem_part *part = &gpu->mem.part[vgpu];
	const bool in = a && tg_mem_part_of(&gpu->mem, a) == vgpu;

	return !account || !gpu->mem.size || !entry->mem ||
	       part->held - (in ? tg_mem_held(&gpu->mem, a) : 0) +
	       max(a ? a->used : 0, entry->mem) <= part->size;
}

bool tg_reserve_fits(const struct tg_gpu *gpu, const struct tg_reserve *r,
		     const struct tg_spec_entry *entry, u32 account)
{
	return entry && entry->resv != TG_BG &&
	       fits(gpu, r, entry, share_of(entry), tg_guarantee_stays(gpu, r, entry)) &&
	       memory_fits(gpu, account, entry);
}

/* tg_gpu.reserves lists Background, then the shared ones, then those of one client each. */
struct tg_reserve *tg_reserve_named(const struct tg_gpu *gpu, const struct tg_spec_entry *entry)
{
	struct tg_reserve *r;

	list_for_each_entry(r, &gpu->reserves, all) {
		if (!tg_reserve_shared(r))
			break;
		if (r != &gpu->background &&
		    named(r, gpu->spec->text + entry->reserve.off, entry->reserve.len))
			return r;
	}
	return NULL;
}

/* Give @r the limits of @entry, and review its jobs if that changes anything. */
static void set_limits(struct tg_gpu *gpu, struct tg_reserve *r, const struct tg_spec_entry *entry)
{
	const struct tg_reserve was = *r;

	tg_reserve_set(r, entry->resv, entry->capacity, entry->period, gpu->now);
	if (r->kind != was.kind || r->capacity != was.capacity || r->period != was.period ||
	    r->budget != was.budget)
		tg_reserve_review(gpu, r);
}

/*
 * Would @entry make a cap of a guaranteed shared reserve, or the opposite, beside others that it
 * has been given to in this edition? Their clients have the tier of its old kind. Jobs in flight
 * that others have left behind count as others.
 */
static bool changes_kind(const struct tg_gpu *gpu, const struct tg_reserve *r,
			 const struct tg_client *client, const struct tg_spec_entry *entry)
{
	const bool was = r->kind == TG_CBS, is = entry->resv == TG_CBS;
	u32 own = client->reserve == r;
	const struct tg_channel *ch;
	const struct tg_job *job;

	if (was == is || !tg_reserve_shared(r) || !tg_reserve_share(gpu, r))
		return false;
	for (ch = client->channels; ch; ch = ch->next)
		list_for_each_entry(job, &ch->jobs, sibling)
			own += job->reserve == r;
	return r->users > own;
}

/* A driver's own work that no line names is charged to nobody: its reserve has no limit. */
static struct tg_reserve *unlimited_for(struct tg_gpu *gpu, struct tg_reserve *r)
{
	if (r && r != &gpu->background && !tg_reserve_shared(r)) {
		tg_reserve_set(r, TG_PE, TG_SEC, TG_SEC, gpu->now);
		return r;
	}
	r = tg_gpu_take(gpu, TG_POOL_RESERVE);
	tg_reserve_init(r, TG_PE, TG_SEC, TG_SEC, gpu->now);
	r->serial = ++gpu->seq;
	list_add_tail(&r->all, &gpu->reserves);
	return r;
}

/*
 * The reserve that @entry gives to @client: a shared one, its own, or Background. Background also
 * where the share, or the memory that the line asks for, does not fit, or a shared reserve would
 * change to or from cbs beside other users: they would keep their tier. The pool holds a reserve,
 * in case one has to be made.
 */
struct tg_reserve *tg_reserve_for(struct tg_gpu *gpu, const struct tg_client *client,
				  const struct tg_spec_entry *entry)
{
	struct tg_reserve *r = client->reserve;
	const char *name;
	bool kept = entry && tg_guarantee_stays(gpu, r, entry);
	s64 share;

	/* Give back what only this client has, before it asks for more. */
	if (r && !tg_reserve_shared(r))
		tg_reserve_dismiss(gpu, r);
	if (!entry && tg_client_is_kernel(client))
		return unlimited_for(gpu, r);
	if (!entry || entry->resv == TG_BG)
		return &gpu->background;
	name = gpu->spec->text + entry->reserve.off;
	if (entry->reserve.len) {
		r = tg_reserve_named(gpu, entry);
		kept = tg_guarantee_stays(gpu, r, entry);
	} else if (r && (r == &gpu->background || tg_reserve_shared(r))) {
		r = NULL;
	}
	share = share_of(entry);
	if (!fits(gpu, r, entry, share, r && kept) || !tg_memory_fits(gpu, client, entry->mem) ||
	    (r && changes_kind(gpu, r, client, entry)))
		return &gpu->background;
	if (r) {
		tg_guarantee_end(gpu, r);
		set_limits(gpu, r, entry);
	} else {
		r = tg_gpu_take(gpu, TG_POOL_RESERVE);
		tg_reserve_init(r, entry->resv, entry->capacity, entry->period, gpu->now);
		r->serial = ++gpu->seq;
		memcpy(r->name, name, entry->reserve.len);
		if (tg_reserve_shared(r))
			list_add(&r->all, &gpu->background.all);
		else
			list_add_tail(&r->all, &gpu->reserves);
	}
	gpu->admitted += share - tg_reserve_share(gpu, r);
	r->share = share;
	r->edition = gpu->edition;
	tg_guarantee_begin(gpu, r);
	return r;
}
