// SPDX-License-Identifier: GPL-2.0
/*
 * tgload's side of libdrm_nouveau: finds the card, makes channels and their buffers, submits and
 * waits. Called by run.c; each channel by one thread. The commands of a group are in tesla.c and
 * fermi.c.
 *
 * A push buffer here is libdrm's deferred kind: it keeps its contents and its list of buffers, so
 * kicking it again submits the same words again in one ioctl, and libdrm reports a refused
 * submission (with the immediate kind it drops that error). Words that differ from group to group
 * are written in place while the slot is idle. libdrm remembers per client object which push buffer
 * holds a buffer and flushes that one when another wants it, therefore each slot has a client
 * object of its own; these live in user space only.
 *
 * With EXEC there is no push buffer of libdrm's: the words are in a buffer object of the slot's,
 * written in the same way (exec.c).
 */
#include "gpu.h"
#include "slot.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <nouveau.h>
#include <nouveau_drm.h>
#include <nvif/class.h>
#include <nvif/cl0080.h>
#include <xf86drm.h>

/* Render nodes have the minor numbers 128 to 191. */
#define NODE_FIRST	128
#define NODE_LAST	191
#define NODE_FORMAT	"/dev/dri/renderD%d"

#define PUSH_BYTES	4096
#define PUSH_WORDS_MAX	(256 + 2 * TGL_PASSES_MAX)	/* more than any kind of group has */

/* Of EXEC: where our buffers begin, and how far apart they are, at least. */
#define VA_FIRST	0x10000000ull
#define VA_ALIGN	0x200000ull

struct tgl_gpu {
	struct nouveau_drm *drm;
	struct nouveau_device *dev;
	int exec;
	uint64_t va;			/* of EXEC: free from here on */
};

struct tgl_channel {
	struct tgl_gpu *gpu;
	struct nouveau_device *dev;
	struct nouveau_object *obj;
	struct nouveau_object *engine;
	struct nouveau_object *notify;	/* copies need one bound */
	struct tgl_bo source;		/* compute: the program; copy: what is copied */
	struct nouveau_bo *mem;		/* VRAM that groups use, but do not look at; or NULL */
	unsigned int depth;
	struct tgl_work work;		/* the most that a group does */
	uint32_t domain;		/* where what is written lives, and the source of copies */
	struct tgl_slot slots[];
};

static const struct {
	uint32_t oclass;
	uint32_t handle;
} engines[] = {
	[TGL_COMPUTE] = { 0x50c0, TGL_HANDLE_COMPUTE },
	[TGL_FILL] = { 0x502d, TGL_HANDLE_2D },
	[TGL_COPY] = { 0x5039, TGL_HANDLE_M2MF },
	[TGL_UPLOAD] = { 0x5039, TGL_HANDLE_M2MF },
};

/* Opens a render node, if it is nouveau's; if not, *why says what it is. */
static int open_node(const char *path, char *why, size_t why_size)
{
	drmVersionPtr version;
	bool ours;
	int fd;

	fd = open(path, O_RDWR | O_CLOEXEC);
	if (fd < 0) {
		fd = -errno;
		snprintf(why, why_size, "cannot open %s: %s", path, strerror(-fd));
		return fd;
	}
	version = drmGetVersion(fd);
	ours = version && !strcmp(version->name, "nouveau");
	if (!ours) {
		snprintf(why, why_size, "%s is driven by %s: need one driven by nouveau", path,
			 version ? version->name : "something that is no DRM driver");
		close(fd);
		fd = -ENODEV;
	}
	drmFreeVersion(version);
	return fd;
}

/* Opens the first render node of nouveau's; *why says what was seen if there is none. */
static int open_first(char *why, size_t why_size)
{
	char path[32], seen[128];
	int fd, minor;

	snprintf(why, why_size,
		 "no render node in /dev/dri: need a GPU that the nouveau driver has bound");
	for (minor = NODE_FIRST; minor <= NODE_LAST; minor++) {
		snprintf(path, sizeof(path), NODE_FORMAT, minor);
		fd = open_node(path, seen, sizeof(seen));
		if (fd >= 0)
			return fd;
		if (fd != -ENOENT)
			snprintf(why, why_size, "%s", seen);
	}
	return -ENODEV;
}

/* Fermi or younger. */
static int is_fermi(const struct nouveau_device *dev)
{
	return dev->chipset >= 0xc0;
}

const struct tgl_rates *tgl_gpu_rates(const struct tgl_gpu *gpu)
{
	return is_fermi(gpu->dev) ? &tgl_gf100 : &tgl_g92;
}

int tgl_gpu_open(struct tgl_gpu **gpu, const char *device, int exec, char *why, size_t why_size)
{
	struct nv_device_v0 args = { .device = ~0ull };
	struct tgl_gpu *g;
	int fd, ret;

	/* libdrm prints every word of a refused push buffer; tgload reports the error itself. */
	setenv("NOUVEAU_LIBDRM_OUT", "/dev/null", 0);

	fd = device ? open_node(device, why, why_size) : open_first(why, why_size);
	if (fd < 0)
		return fd;
	g = calloc(1, sizeof(*g));
	if (!g) {
		ret = -ENOMEM;
		goto fail;
	}
	g->exec = exec;
	g->va = VA_FIRST;
	/* Before anything else: nouveau lays the address space out itself once a buffer is made. */
	ret = exec ? tgl_exec_init(fd) : 0;
	if (ret) {
		snprintf(why, why_size, "no EXEC (%s): need Linux 6.6 and nouveau", strerror(-ret));
		goto fail;
	}
	ret = nouveau_drm_new(fd, &g->drm);
	if (!ret)
		ret = nouveau_device_new(&g->drm->client, NV_DEVICE, &args, sizeof(args), &g->dev);
	if (ret) {
		snprintf(why, why_size, "nouveau refuses its device: %s", strerror(-ret));
		goto fail;
	}
	if (exec && !is_fermi(g->dev)) {
		snprintf(why, why_size, "chipset NV%02X: EXEC needs a Fermi GPU", g->dev->chipset);
		ret = -ENODEV;
		goto fail;
	}
	*gpu = g;
	return 0;

fail:
	close(fd);
	free(g);
	return ret;
}

/* The word at an index of the copies' source: no two near ones are alike. */
static uint32_t source_word(uint32_t index)
{
	return index * 2654435761u;
}

/* Where a group's copy starts, in bytes from the begin of the source. */
static uint32_t copy_start(uint32_t seq)
{
	return seq % TGL_COPY_STARTS * TGL_LINE_BYTES;
}

static uint32_t fill_colour(uint32_t seq)
{
	return ~seq * 2654435761u;
}

/* A group must not change the line behind those that it writes: it holds this before and after. */
#define GUARD_WORD	0x5afe5afe

static uint32_t *guard_line(const struct tgl_slot *slot)
{
	return (uint32_t *)slot->bo.bo->map + (size_t)slot->lines * TGL_LINE_PIXELS;
}

static void put_guard(struct tgl_slot *slot)
{
	unsigned int i;

	for (i = 0; i < TGL_LINE_PIXELS; i++)
		guard_line(slot)[i] = GUARD_WORD;
}

/* Makes a buffer that the GPU sees. */
static int make_bo(struct tgl_channel *chan, uint32_t domain, uint64_t size, struct tgl_bo *made)
{
	struct tgl_gpu *gpu = chan->gpu;
	int ret = nouveau_bo_new(chan->dev, domain | NOUVEAU_BO_MAP, 0, size, NULL, &made->bo);

	if (ret)
		return ret;
	made->va = made->bo->offset;
	if (!gpu->exec)
		return 0;
	made->va = gpu->va;
	gpu->va += (made->bo->size + VA_ALIGN - 1) / VA_ALIGN * VA_ALIGN;
	return tgl_exec_bind(gpu->drm->fd, made->bo->handle, made->va, made->bo->size);
}

/* Makes what groups read: the program, or the source of copies. */
static int make_source(struct tgl_channel *chan, struct nouveau_client *client, int verify)
{
	uint64_t size = (chan->work.lines + (uint64_t)TGL_COPY_STARTS) * TGL_LINE_BYTES;
	uint32_t domain = chan->work.kind == TGL_UPLOAD ? NOUVEAU_BO_GART : chan->domain, i;
	uint32_t *words;
	int ret;

	if (chan->work.kind == TGL_FILL)
		return 0;
	if (chan->work.kind == TGL_COMPUTE) {
		size = TGL_PROGRAM_WORDS * sizeof(*words);
		domain = NOUVEAU_BO_VRAM;
	}
	ret = make_bo(chan, domain, size, &chan->source);
	if (ret)
		return ret;
	if (chan->work.kind != TGL_COMPUTE && !verify)
		return 0;
	ret = nouveau_bo_map(chan->source.bo, NOUVEAU_BO_WR, client);
	if (ret)
		return ret;
	words = chan->source.bo->map;
	if (chan->work.kind == TGL_COMPUTE)
		(is_fermi(chan->dev) ? tgl_program_gf100 : tgl_program)(words);
	else
		for (i = 0; i < size / sizeof(*words); i++)
			words[i] = source_word(i);
	return 0;
}

/* Makes what a slot's group writes. */
static int make_target(struct tgl_channel *chan, struct tgl_slot *slot, int verify)
{
	uint64_t size = (chan->work.lines + 1ull) * TGL_LINE_BYTES;
	uint32_t domain = chan->domain;
	int ret;

	if (chan->work.kind == TGL_COMPUTE) {
		size = sizeof(uint32_t);
		domain = NOUVEAU_BO_GART;
	}
	ret = make_bo(chan, domain, size, &slot->bo);
	if (ret || !verify)
		return ret;
	ret = nouveau_bo_map(slot->bo.bo, NOUVEAU_BO_RDWR, slot->client);
	if (ret)
		return ret;
	if (chan->work.kind == TGL_COMPUTE)
		*(uint32_t *)slot->bo.bo->map = ~0u;
	return 0;
}

static uint32_t bo_domain(const struct nouveau_bo *bo)
{
	return bo->flags & NOUVEAU_BO_APER;
}

/* For EXEC: a buffer of words to push, and a syncobj to wait for. */
static int make_exec(struct tgl_channel *chan, struct tgl_slot *slot)
{
	int ret = make_bo(chan, NOUVEAU_BO_GART, PUSH_BYTES, &slot->commands);

	if (!ret)
		ret = nouveau_bo_map(slot->commands.bo, NOUVEAU_BO_WR, slot->client);
	if (!ret)
		ret = tgl_exec_syncobj(chan->gpu->drm->fd, &slot->syncobj);
	if (!ret)
		slot->cur = slot->commands.bo->map;
	return ret;
}

/* For PUSHBUF: a push buffer of libdrm's, with a list of the buffers that the words name. */
static int make_push(struct tgl_channel *chan, struct tgl_slot *slot)
{
	struct nouveau_pushbuf_refn refs[3];
	int ret, n = 0;

	ret = nouveau_pushbuf_new(slot->client, chan->obj, 1, PUSH_BYTES, false, &slot->push);
	if (ret)
		return ret;
	ret = nouveau_pushbuf_space(slot->push, PUSH_WORDS_MAX, 0, 0);
	if (ret)
		return ret;
	refs[n].bo = slot->bo.bo;
	refs[n++].flags = bo_domain(slot->bo.bo) | NOUVEAU_BO_WR;
	if (chan->source.bo) {
		refs[n].bo = chan->source.bo;
		refs[n++].flags = bo_domain(chan->source.bo) | NOUVEAU_BO_RD;
	}
	if (chan->mem) {
		refs[n].bo = chan->mem;
		refs[n++].flags = NOUVEAU_BO_VRAM | NOUVEAU_BO_RDWR;
	}
	slot->cur = slot->push->cur;
	return nouveau_pushbuf_refn(slot->push, refs, n);
}

/* Makes the commands of a slot's group. */
static int make_commands(struct tgl_channel *chan, struct tgl_slot *slot)
{
	int ret = chan->gpu->exec ? make_exec(chan, slot) : make_push(chan, slot);

	if (ret)
		return ret;
	tgl_write(slot, is_fermi(chan->dev) ? &tgl_fermi : &tgl_tesla, &chan->work,
		  chan->source.va);
	if (slot->push)
		slot->push->cur = slot->cur;
	return 0;
}

static int make_slot(struct tgl_channel *chan, struct tgl_slot *slot, int verify)
{
	int ret;

	ret = nouveau_client_new(chan->dev, &slot->client);
	if (ret)
		return ret;
	if (slot == chan->slots) {
		ret = make_source(chan, slot->client, verify);
		if (ret)
			return ret;
	}
	ret = make_target(chan, slot, verify);
	return ret ? ret : make_commands(chan, slot);
}

/* The channel itself and its engine object. */
static int make_objects(struct tgl_channel *chan, char *why, size_t why_size)
{
	struct nv04_fifo tesla = { .vram = TGL_HANDLE_VRAM, .gart = TGL_HANDLE_GART };
	struct nv04_notify notify = { .length = 32 };
	uint32_t oclass = engines[chan->work.kind].oclass;
	struct nvc0_fifo fermi = { 0 };
	int ret;

	if (is_fermi(chan->dev)) {
		oclass = tgl_fermi_class(chan->work.kind);
		ret = nouveau_object_new(&chan->dev->object, 0, NOUVEAU_FIFO_CHANNEL_CLASS,
					 &fermi, sizeof(fermi), &chan->obj);
	} else {
		ret = nouveau_object_new(&chan->dev->object, 0, NOUVEAU_FIFO_CHANNEL_CLASS,
					 &tesla, sizeof(tesla), &chan->obj);
	}
	if (ret) {
		snprintf(why, why_size, "chipset NV%02X: cannot make a channel: %s",
			 chan->dev->chipset, strerror(-ret));
		return ret;
	}
	ret = nouveau_object_new(chan->obj, engines[chan->work.kind].handle, oclass, NULL, 0,
				 &chan->engine);
	if (ret) {
		snprintf(why, why_size,
			 "chipset NV%02X: no class 0x%04x (%s): need a Tesla or Fermi GPU, NV50 to NVDF",
			 chan->dev->chipset, oclass, strerror(-ret));
		return ret;
	}
	if (engines[chan->work.kind].handle != TGL_HANDLE_M2MF || is_fermi(chan->dev))
		return 0;
	ret = nouveau_object_new(chan->obj, TGL_HANDLE_NOTIFY, NOUVEAU_NOTIFIER_CLASS,
				 &notify, sizeof(notify), &chan->notify);
	if (ret)
		snprintf(why, why_size, "cannot make a notifier: %s", strerror(-ret));
	return ret;
}

int tgl_channel_new(struct tgl_gpu *gpu, const struct tgl_work *work, unsigned int depth,
		    int verify, struct tgl_channel **pchan, char *why, size_t why_size)
{
	struct tgl_channel *chan;
	unsigned int i;
	int ret;

	chan = calloc(1, sizeof(*chan) + depth * sizeof(chan->slots[0]));
	if (!chan) {
		snprintf(why, why_size, "out of memory");
		return -ENOMEM;
	}
	chan->gpu = gpu;
	chan->dev = gpu->dev;
	chan->work = *work;
	chan->depth = depth;
	chan->domain = verify ? NOUVEAU_BO_GART : NOUVEAU_BO_VRAM;
	ret = make_objects(chan, why, why_size);
	if (ret)
		return ret;
	for (i = 0; i < depth; i++) {
		ret = make_slot(chan, &chan->slots[i], verify);
		if (ret) {
			snprintf(why, why_size, "cannot make the buffers of group %u in flight: %s",
				 i + 1, strerror(-ret));
			return ret;
		}
	}
	*pchan = chan;
	return 0;
}

/* A push buffer's list of buffers cannot be changed, so each slot gets a new one. */
int tgl_channel_take(struct tgl_channel *chan, uint64_t bytes)
{
	unsigned int i;
	int ret;

	ret = nouveau_bo_new(chan->dev, NOUVEAU_BO_VRAM, 0, bytes, NULL, &chan->mem);
	for (i = 0; !ret && i < chan->depth; i++) {
		nouveau_pushbuf_del(&chan->slots[i].push);
		ret = make_commands(chan, &chan->slots[i]);
	}
	return ret;
}

void tgl_channel_give(struct tgl_channel *chan)
{
	unsigned int i;

	for (i = 0; i < chan->depth; i++)
		nouveau_pushbuf_del(&chan->slots[i].push);
	nouveau_bo_ref(NULL, &chan->mem);
}

int tgl_channel_id(const struct tgl_channel *chan)
{
	const struct nouveau_fifo *fifo = chan->obj->data;

	return fifo->channel;
}

int tgl_channel_dead(const struct tgl_channel *chan)
{
	return nouveau_check_dead_channel(nouveau_drm(chan->obj), chan->obj);
}

int tgl_slot_submit(struct tgl_channel *chan, unsigned int index, const struct tgl_work *work,
		    uint32_t seq)
{
	struct tgl_slot *slot = &chan->slots[index];
	uint64_t from;

	slot->lines = work->lines;
	*slot->size = work->lines;
	if (work->kind == TGL_COMPUTE)
		*slot->size = work->grid_y << 16 | work->grid_x;
	else if (slot->bo.bo->map)
		put_guard(slot);
	switch (chan->work.kind) {
	case TGL_COMPUTE:
		*slot->patch = seq;
		break;
	case TGL_FILL:
		*slot->patch = fill_colour(seq);
		break;
	case TGL_COPY:
	case TGL_UPLOAD:
		from = chan->source.va + copy_start(seq);
		*slot->patch_high = from >> 32;
		*slot->patch = (uint32_t)from;
		set_launches(slot, work->passes, chan->work.passes);
		break;
	}
	if (chan->gpu->exec)
		return tgl_exec_submit(chan->gpu->drm->fd, tgl_channel_id(chan), slot->commands.va,
				       (char *)slot->cur - (char *)slot->commands.bo->map,
				       slot->syncobj);
	return nouveau_pushbuf_kick(slot->push, chan->obj);
}

int tgl_slot_wait(struct tgl_channel *chan, unsigned int index)
{
	struct tgl_slot *slot = &chan->slots[index];

	if (chan->gpu->exec)
		return tgl_exec_wait(chan->gpu->drm->fd, slot->syncobj);
	return nouveau_bo_wait(slot->bo.bo, NOUVEAU_BO_RDWR, slot->client);
}

uint64_t tgl_slot_check(const struct tgl_channel *chan, unsigned int index, uint32_t seq)
{
	const struct tgl_slot *slot = &chan->slots[index];
	size_t i, words = (size_t)slot->lines * TGL_LINE_PIXELS;
	uint32_t start = copy_start(seq) / sizeof(uint32_t);
	const uint32_t *found = slot->bo.bo->map;
	uint32_t colour = fill_colour(seq);
	uint64_t wrong = 0;

	switch (chan->work.kind) {
	case TGL_COMPUTE:
		return found[0] != seq;
	case TGL_FILL:
		for (i = 0; i < words; i++)
			wrong += found[i] != colour;
		break;
	case TGL_COPY:
	case TGL_UPLOAD:
		for (i = 0; i < words; i++)
			wrong += found[i] != source_word(start + i);
		break;
	}
	for (i = 0; i < TGL_LINE_PIXELS; i++)
		wrong += guard_line(slot)[i] != GUARD_WORD;
	return wrong;
}
