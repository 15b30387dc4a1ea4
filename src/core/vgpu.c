// SPDX-License-Identifier: GPL-2.0
/*
 * Virtual GPUs: which there are, their shares, and which clients belong to them (Gdev, section
 * 5.2).
 *
 * Owns tg_gpu.vgpu, except for the policy's part of it, and tg_client.vgpu. A spec replaces all
 * virtual GPUs; an event defines, changes or removes one until the next spec. match.c and feed.c
 * call this file, under the GPU's lock. What a share of time is worth is up to the policy
 * (src/policy/vqueue.c); what a share of memory is worth, to memory.c.
 */
#include "job.h"
#include "match.h"
#include "memory.h"
#include "vgpu.h"

static u32 sum_of(const struct tg_gpu *gpu, u32 share)
{
	u32 sum = 0, i;

	for (i = 1; i <= TG_VGPUS_MAX; i++)
		sum += gpu->vgpu[i].share[share];
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

/* Index of an unused place, 0: none is left. */
static u8 unused(const struct tg_gpu *gpu)
{
	u8 i;

	for (i = 1; i <= TG_VGPUS_MAX; i++)
		if (!gpu->vgpu[i].name[0])
			return i;
	return 0;
}

u8 tg_vgpu_of(const struct tg_gpu *gpu, const struct tg_spec_entry *entry)
{
	return entry ? find(gpu, gpu->spec->text + entry->vgpu.off, entry->vgpu.len) : 0;
}

/* Move a client. The caller has taken its jobs out of the policy's queue. */
void tg_vgpu_move(struct tg_gpu *gpu, struct tg_client *client, u8 vgpu)
{
	gpu->vgpu[client->vgpu].clients--;
	client->vgpu = vgpu;
	gpu->vgpu[vgpu].clients++;
	tg_memory_follow(gpu, client);
}

static void define(struct tg_gpu *gpu, u8 nr, const char *name, u32 len)
{
	memset(&gpu->vgpu[nr], 0, sizeof(gpu->vgpu[nr]));
	memcpy(gpu->vgpu[nr].name, name, len);
}

/* Remove the virtual GPUs in @gone, by number: their clients and their memory go to the rest. */
static void remove(struct tg_gpu *gpu, u32 gone)
{
	struct tg_client *client;
	u32 i;

	list_for_each_entry(client, &gpu->all_clients, all)
		if (gone & 1u << client->vgpu) {
			gpu->visited++;
			tg_jobs_place(gpu, client, client->prio, 0);
		}
	tg_memory_disband(gpu, gone);
	for (i = 1; i <= TG_VGPUS_MAX; i++)
		if (gone & 1u << i)
			memset(&gpu->vgpu[i], 0, sizeof(gpu->vgpu[i]));
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

/* Another spec is in force: have its virtual GPUs and no others. */
void tg_vgpus_spec(struct tg_gpu *gpu)
{
	const struct tg_spec *spec = gpu->spec;
	const char *name;
	u32 gone = 0, i, k;
	u8 nr;

	for (i = 1; i <= TG_VGPUS_MAX; i++)
		if (gpu->vgpu[i].name[0] && !in_spec(gpu, gpu->vgpu[i].name))
			gone |= 1u << i;
	if (gone)
		remove(gpu, gone);
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
		memcpy(gpu->vgpu[i].share, other->vgpu[i].share, sizeof(gpu->vgpu[i].share));
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
	struct tg_client *client;
	u32 k;
	u8 nr;

	if (!conf || !well_formed(conf))
		return -EINVAL;
	nr = find(gpu, conf->name, strlen(conf->name));
	if (!conf->share[TG_COMPUTE]) {
		if (!nr)
			return -ENOENT;
		remove(gpu, 1u << nr);
		settle_rest(gpu);
		return 0;
	}
	for (k = 0; k < TG_VGPU_SHARES; k++)
		if (sum_of(gpu, k) - gpu->vgpu[nr].share[k] * !!nr + conf->share[k] > 100)
			return -ENOSPC;
	if (!nr) {
		nr = unused(gpu);
		if (!nr)
			return -ENOSPC;
		define(gpu, nr, conf->name, strlen(conf->name));
	}
	for (k = 0; k < TG_VGPU_SHARES; k++)
		gpu->vgpu[nr].share[k] = conf->share[k];
	settle_rest(gpu);
	list_for_each_entry(client, &gpu->all_clients, all) {
		nr = tg_vgpu_of(gpu, tg_client_entry(gpu, client));
		if (client->vgpu != nr)
			tg_jobs_place(gpu, client, client->prio, nr);
	}
	return 0;
}
