// SPDX-License-Identifier: GPL-2.0
/*
 * Virtual GPUs: which there are, their shares, and which clients belong to them (Gdev, section
 * 5.2).
 *
 * Owns tg_gpu.vgpu, except for the policy's part of it, and tg_client.vgpu. A spec replaces all
 * virtual GPUs; an event defines, changes or removes one until the next spec. One that is removed
 * is gone at once: nobody finds it, and the rest has its share and its memory. Its clients move out
 * of its place in their turn (match.c). Until then it keeps its shares of time for them, and the
 * next virtual GPU takes a place without clients, if there is one.
 *
 * match.c, client.c and feed.c call this file, under the GPU's lock. What a share of time is worth
 * is up to the policy (src/policy/vqueue.c); what a share of memory is worth, to memory.c.
 */
#include "job.h"
#include "match.h"
#include "memory.h"
#include "share.h"
#include "vgpu.h"

static u32 sum_of(const struct tg_gpu *gpu, u32 share)
{
	u32 sum = 0, i;

	for (i = 1; i <= TG_VGPUS_MAX; i++)
		sum += gpu->vgpu[i].name[0] ? gpu->vgpu[i].share[share] : 0;
	return sum;
}

/* The rest gets what the others leave. */
static void settle_rest(struct tg_gpu *gpu)
{
	struct tg_vgpu *rest = &gpu->vgpu[0];

	rest->share[TG_COMPUTE] = max(100 - sum_of(gpu, TG_COMPUTE), 1U);
	rest->share[TG_COPY] = max(100 - sum_of(gpu, TG_COPY), 1U);
	rest->share[TG_MEMORY] = 100 - sum_of(gpu, TG_MEMORY);
	tg_memory_share(gpu);
}

void tg_vgpus_init(struct tg_gpu *gpu)
{
	settle_rest(gpu);
}

/* Index of the virtual GPU of that name, 0: there is none. */
static u8 find(const struct tg_gpu *gpu, const char *name, u32 len)
{
	u8 i;

	for (i = 1; len && i <= TG_VGPUS_MAX; i++)
		if (strlen(gpu->vgpu[i].name) == len && !memcmp(gpu->vgpu[i].name, name, len))
			return i;
	return 0;
}

/* May another virtual GPU take this place, beside clients of some that have been removed? */
static bool may_share(const struct tg_vgpu *v)
{
	return v->terms < TG_VGPU_TERMS;
}

/* Index of an unused place, without clients if possible, 0: none is left. */
static u8 unused(const struct tg_gpu *gpu)
{
	u8 i, shared = 0;

	for (i = 1; i <= TG_VGPUS_MAX; i++) {
		if (gpu->vgpu[i].name[0])
			continue;
		if (!gpu->vgpu[i].clients)
			return i;
		if (!shared && may_share(&gpu->vgpu[i]))
			shared = i;
	}
	return shared;
}

u8 tg_vgpu_of(const struct tg_gpu *gpu, const struct tg_spec_entry *entry)
{
	return entry ? find(gpu, gpu->spec->text + entry->vgpu.off, entry->vgpu.len) : 0;
}

/* A client leaves its place. What was left there of a virtual GPU goes with the last one. */
void tg_vgpu_leave(struct tg_gpu *gpu, const struct tg_client *client)
{
	struct tg_vgpu *v = &gpu->vgpu[client->vgpu];

	if (tg_vgpu_gone(gpu, client) && --v->gone == 0)
		v->terms = 0;
	if (--v->clients == 0 && client->vgpu && !v->name[0])
		memset(v, 0, sizeof(*v));
}

/* Move a client. The caller has taken its jobs out of the policy's queue. */
void tg_vgpu_move(struct tg_gpu *gpu, struct tg_client *client, u8 vgpu)
{
	if (client->vgpu != vgpu || tg_vgpu_gone(gpu, client)) {
		gpu->vgpu[vgpu].clients++;
		tg_vgpu_leave(gpu, client);
		client->vgpu = vgpu;
		client->vgpu_term = gpu->vgpu[vgpu].term;
		tg_share_moved(gpu, client);
	}
	tg_memory_follow(gpu, client);
}

/* Where clients are in the place, the policy's memory has their jobs. */
static void define(struct tg_gpu *gpu, u8 nr, const char *name, u32 len)
{
	struct tg_vgpu *v = &gpu->vgpu[nr];

	if (!v->clients)
		memset(v, 0, sizeof(*v));
	memset(v->used, 0, sizeof(v->used));
	memcpy(v->name, name, len);
}

/* Remove a virtual GPU: its memory and its clients are the rest's, and these move there next. */
static void remove(struct tg_gpu *gpu, u8 nr)
{
	struct tg_vgpu *v = &gpu->vgpu[nr];

	tg_memory_disband(gpu, nr);
	memset(v->name, 0, sizeof(v->name));
	if (!v->clients) {
		memset(v, 0, sizeof(*v));
		return;
	}
	v->gone = v->clients;
	v->term = (v->term + 1) % (TG_VGPU_TERMS + 1);
	v->terms++;
	tg_clients_walk(gpu);
}

static bool in_spec(const struct tg_gpu *gpu, const char *name)
{
	const struct tg_spec *spec = gpu->spec;
	u32 i;

	for (i = 0; spec && i < spec->nr_vgpus; i++)
		if (strlen(name) == spec->vgpus[i].name.len &&
		    !memcmp(spec->text + spec->vgpus[i].name.off, name, strlen(name)))
			return true;
	return false;
}

/*
 * Are there places for the virtual GPUs of @spec? Those that few may share any more count as taken.
 */
bool tg_vgpus_fit(const struct tg_gpu *gpu, const struct tg_spec *spec)
{
	u32 places = TG_VGPUS_MAX, i;

	for (i = 1; i <= TG_VGPUS_MAX; i++)
		places -= gpu->vgpu[i].terms >= TG_VGPU_TERMS - 1;
	return !spec || spec->nr_vgpus <= places;
}

/* Another spec is in force: have its virtual GPUs and no others. */
void tg_vgpus_spec(struct tg_gpu *gpu)
{
	const struct tg_spec *spec = gpu->spec;
	const char *name;
	u32 i, k;
	u8 nr;

	gpu->by_line = false;
	for (i = 1; i <= TG_VGPUS_MAX; i++)
		if (gpu->vgpu[i].name[0] && !in_spec(gpu, gpu->vgpu[i].name))
			remove(gpu, i);
	for (i = 0; spec && i < spec->nr_vgpus; i++) {
		const struct tg_spec_vgpu *v = &spec->vgpus[i];

		name = spec->text + v->name.off;
		nr = find(gpu, name, v->name.len);
		if (!nr) {
			nr = unused(gpu);
			define(gpu, nr, name, v->name.len);
		}
		for (k = 0; k < TG_VGPU_SHARES; k++)
			gpu->vgpu[nr].share[k] = v->share[k];
	}
	settle_rest(gpu);
}

/* The model of a dry run begins, without clients: give it the virtual GPUs of the real one. */
void tg_vgpus_like(struct tg_gpu *gpu, const struct tg_gpu *other)
{
	u32 i;

	for (i = 0; i <= TG_VGPUS_MAX; i++) {
		define(gpu, i, other->vgpu[i].name, sizeof(other->vgpu[i].name));
		if (!i || other->vgpu[i].name[0])
			memcpy(gpu->vgpu[i].share, other->vgpu[i].share,
			       sizeof(gpu->vgpu[i].share));
	}
}

static bool well_formed(const struct tg_vgpu_conf *conf)
{
	u32 set = 0, k;

	for (k = 0; k < TG_VGPU_SHARES; k++) {
		if (conf->share[k] > 100)
			return false;
		set += conf->share[k] > 0;
	}
	return conf->name[0] && !conf->name[TG_NAME_LEN - 1] && (!set || set == TG_VGPU_SHARES);
}

int tg_vgpu_event(struct tg_gpu *gpu, const struct tg_event *ev)
{
	const struct tg_vgpu_conf *conf = ev->vgpu;
	u32 named = 0, i, k;
	u8 nr;

	if (!conf || !well_formed(conf))
		return -EINVAL;
	nr = find(gpu, conf->name, strlen(conf->name));
	if (!conf->share[TG_COMPUTE]) {
		if (!nr)
			return -ENOENT;
		remove(gpu, nr);
		settle_rest(gpu);
		return 0;
	}
	for (k = 0; k < TG_VGPU_SHARES; k++)
		if (sum_of(gpu, k) - gpu->vgpu[nr].share[k] * !!nr + conf->share[k] > 100)
			return -ENOSPC;
	if (!nr) {
		for (i = 1; i <= TG_VGPUS_MAX; i++)
			named += !!gpu->vgpu[i].name[0];
		nr = unused(gpu);
		if (!nr)
			return named == TG_VGPUS_MAX ? -ENOSPC : -EBUSY;
		define(gpu, nr, conf->name, strlen(conf->name));
	}
	for (k = 0; k < TG_VGPU_SHARES; k++)
		gpu->vgpu[nr].share[k] = conf->share[k];
	settle_rest(gpu);
	gpu->by_line = true;
	tg_clients_walk(gpu);
	return 0;
}
