// SPDX-License-Identifier: GPL-2.0
/*
 * hostile: the ioctls that nouveau has on every kernel.
 *
 * Left out, since stock nouveau does not survive it:
 *	objects in GART between 1 MiB and 1 TiB	nouveau takes all of the system's memory
 *	objects of 1 TiB and more whose pages, in 32 bits, are 2^28 or more	TTM asks for a list of 2 GiB: a WARN
 *	objects that may lie in system memory (domain 1, or 0)	nouveau_vma_new() looks for its own behind the end of
 *		what TTM has for these (KASAN). So these have no size, and nouveau makes none
 *	NVIF's types but NOP, SCLASS, NEW and unknown ones	they reach the card's registers
 *	NVIF's NEW with bytes behind it	nouveau unmaps what it then does not make, an Oops
 *	push buffers that are not zeros, relocations		the card does what they say
 *	a push buffer used on two channels of a file	nouveau unmaps it when the later one is done with it; the other
 *		then faults, its fences never signal, and what waits for them gives up with a WARN. So only the channel
 *		in slot 0 fetches buffers, and a forked process makes none there
 *	pushes of 8 MiB and more	nouveau of 6.12 WARNs. What a process puts where another one's pushes are, is pushes, too
 *	buffers that are passed from one card to another	not tried
 *	DRM's own calls about syncobjs, from arguments that lie elsewhere or are shorter	it asks for a list as long as the
 *		number says that it finds there: a WARN. So they lie on the stack, where no other thread's answer, or
 *		fork's child, puts a number meanwhile
 *	closing an object while a submission that names it is looked at	nouveau leaves it reserved where it has lost its
 *		address meanwhile ("vma not found!"), and who closes it next waits for ever. So what submissions name
 *		stays, but for those that nouveau refuses before it looks
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include <drm.h>
#include <drm_mode.h>
#include <stdint.h>
#include <nouveau_drm.h>

#include "hostile.h"

#define MIB		(1ull << 20)
#define NO_CARD_HAS	(1ull << 31)	/* bytes of VRAM */

/* As a 32-bit program calls */
static long ioctl_int80(int fd, uint32_t cmd, uint32_t arg)
{
	long ret;

	asm volatile("int $0x80" : "=a"(ret) : "a"(54), "b"(fd), "c"(cmd), "d"(arg)
		     : "memory", "cc", "r8", "r9", "r10", "r11");
	return (int)ret;
}

/*
 * One of six places for lists that calls point to. PUSHBUF has the first two, and what EXEC takes
 * is never there; nor does anything but pushes lie where EXEC's are.
 */
void *list(struct thread *t, unsigned int which)
{
	static const unsigned int pages[] = { 2, 8, 6, 12, 10, 13 };

	return t->args + pages[which] * PAGE;
}

/* Where a call looks for its list of so many bytes. */
uint64_t list_address(struct thread *t, const void *list, size_t bytes)
{
	uint8_t *at = t->args + ARENA - bytes;

	switch (below(t, 40)) {
	case 0: return 0;
	case 1: return 8;
	case 2: return wild(t);
	case 3: return (uintptr_t)t->readonly + ((const uint8_t *)list - t->args);
	case 4: return (uintptr_t)t->args + ARENA;		/* cannot be touched */
	case 5: return 0xffffffff81000000ull;
	case 6: return (uintptr_t)at + 4;			/* all but its last word */
	case 7: return 0x7ffffffff000ull;			/* the last address of a process, and more */
	default: return (uintptr_t)list;
	}
}

/* Where the arguments lie. */
static uintptr_t place(struct thread *t, const void *args, size_t size, void **back)
{
	uint8_t *at = t->args + 64 * below(t, 8);

	memcpy(at, args, size);
	*back = at;
	if (!one_in(t, 24))
		return (uintptr_t)at;
	*back = NULL;
	switch (below(t, 6)) {
	case 0: return 0;
	case 1: return (uintptr_t)t->readonly + (at - t->args);
	case 2: return (uintptr_t)t->args + ARENA;
	case 3: return (uintptr_t)t->args + ARENA - size / 2;
	case 4: return wild(t);
	default:
		memcpy(t->args + ARENA - size, args, size);
		return (uintptr_t)t->args + ARENA - size;
	}
}

/* With -n: what the driver might have answered. */
static long pretend(struct thread *t, enum kind kind, unsigned int nr, void *args, size_t size)
{
	note(t, args, size);
	note(t, t->args, ARENA);
	if (t->hash % 4 == 0)
		return -ENOMEM;
	t->given++;
	if (kind == CHANNEL_ALLOC)
		((struct drm_nouveau_channel_alloc *)args)->channel = t->given;
	else if (kind == GEM_NEW)
		((struct drm_nouveau_gem_new *)args)->info.handle = t->given;
	else if (kind == DUMB)
		((struct drm_mode_create_dumb *)args)->handle = t->given;
	else if (kind == PRIME)
		((struct drm_prime_handle *)args)->handle = t->given;
	else if (nr == 0xbf)
		((struct drm_syncobj_create *)args)->handle = t->given;
	return 0;
}

/*
 * The ioctl, its number and its size mostly right, unless it has to be exact. @args receives what
 * it answers. Return: 0 or a negative errno.
 */
long call(struct thread *t, const struct file *file, enum kind kind, unsigned int nr, void *args, size_t size)
{
	static const uint16_t sizes[] = { 0, 1, 4, 8, 256, 4096, 16383 };
	unsigned int dir = _IOC_READ | _IOC_WRITE;
	const bool exact = t->exact || kind == SYNCOBJ;
	size_t said = size;
	void *back = t->args + 14 * PAGE;	/* of calls that are exact, alone */
	uintptr_t at;
	bool int80;
	long ret;

	t->exact = false;
	if (exact)
		at = (uintptr_t)memcpy(back, args, size);
	else
		at = place(t, args, size, &back);
	if (kind == SYNCOBJ && !dry) {	/* head of this file */
		at = (uintptr_t)args;
		back = NULL;
	}
	if (!exact && one_in(t, 48))
		said = one_in(t, 2) ? sizes[below(t, 7)] : size + 4 * below(t, 8) - 16;
	if (kind == NVIF && said > size)	/* head of this file */
		said = size;
	if (!exact && one_in(t, 48))
		dir = below(t, 4);
	int80 = one_in(t, 8) && shared->int80 && kind != SYNCOBJ;
	if (dry) {
		sys(t, SYS_ioctl, file->fd, _IOC(dir, DRM_IOCTL_BASE, nr, said & 0x3fff));
		ret = pretend(t, kind, nr, back ?: args, size);
	} else if (int80) {
		ret = ioctl_int80(file->fd, _IOC(dir, DRM_IOCTL_BASE, nr, said & 0x3fff), at);
	} else {
		ret = syscall(SYS_ioctl, file->fd, _IOC(dir, DRM_IOCTL_BASE, nr, said & 0x3fff), at) ? -errno : 0;
	}
	count(kind, !ret);
	if (!ret && back)
		memcpy(args, back, size);
	return ret;
}

/* One that no file has */
static int no_channel(struct thread *t)
{
	return wild(t) | 1 << 20;
}

/* A file of a channel that the driver has made, if there is one; @vm: that has called VM_INIT. */
static struct file *channel_file(struct thread *t, bool vm)
{
	struct file *file = some_file(t, vm);
	unsigned int i, from = below(t, FILES);

	for (i = 0; i < FILES && !file->made; i++)
		if (files[(from + i) % FILES].made && files[(from + i) % FILES].vm == vm)
			file = &files[(from + i) % FILES];
	return file;
}

/* A file that has called VM_INIT? Only where there is such a card. */
static bool wants_vm(struct thread *t)
{
	return one_in(t, 3) && (shared->binds[0] || shared->binds[1]);
}

/* A number for an object: mostly a new one, sometimes one that may be in use. */
static uint32_t some_number(struct thread *t, uint32_t from)
{
	return from + below(t, one_in(t, 8) ? 16 : 4096);
}

/* The slot of a channel that the driver has made; of the first one, for submissions, if no other. */
static unsigned int made_slot(struct thread *t, const struct file *file)
{
	unsigned int i, from = below(t, CHANNELS - 1);

	for (i = 0; i < CHANNELS - 1; i++)
		if (file->made & 2u << (from + i) % (CHANNELS - 1))
			return 1 + (from + i) % (CHANNELS - 1);
	return 0;
}

static int some_channel(struct thread *t, const struct file *file)
{
	if (one_in(t, 16))
		return wild(t);
	return file->chan[one_in(t, 4) ? below(t, CHANNELS) : 0];
}

static uint32_t some_handle(struct thread *t, const struct file *file, unsigned int from, unsigned int n)
{
	const struct file *other = &files[below(t, FILES)];

	if (one_in(t, 24))
		return wild(t);
	if (one_in(t, 24))
		return below(t, 16);
	if (one_in(t, 24))
		return other->object[below(t, OBJECTS)].handle;
	return file->object[from + below(t, n)].handle;
}

static void gem_close(struct thread *t, struct file *file, uint32_t handle)
{
	struct drm_gem_close req = { .handle = handle };

	call(t, file, GEM_CLOSE, 0x09, &req, sizeof(req));
}

/*
 * A channel is made: no group is to name its buffer of notifiers. When the channel goes, nouveau frees
 * the buffer's address together with the fence of the last such group, which it does not give back: it
 * leaks, and so does its context. The boot `hostile-failures` looks for leaks.
 */
void forget_notifiers(struct thread *t, struct file *file, uint32_t handle)
{
	t->exact = true;
	gem_close(t, file, handle);
}

static void do_channel_alloc(struct thread *t)
{
	struct file *file = some_file(t, one_in(t, 3));
	struct drm_nouveau_channel_alloc req = { .fb_ctxdma_handle = 0xbeef0201, .tt_ctxdma_handle = 0xbeef0202 };
	struct drm_nouveau_channel_free old;
	unsigned int slot = t->process < FORKED_BY ? below(t, CHANNELS) : 1 + below(t, CHANNELS - 1);

	if (t->process < FORKED_BY && !(file->made & 1))
		slot = 0;
	/* Not more than a few: each takes memory of the card's that nobody else gets. */
	old.channel = file->chan[slot];
	if (!call(t, file, CHANNEL_FREE, NR(DRM_NOUVEAU_CHANNEL_FREE), &old, sizeof(old)))
		file->made &= ~(1u << slot);
	if (one_in(t, 12))
		req.fb_ctxdma_handle = wild(t);
	if (one_in(t, 12))
		req.tt_ctxdma_handle = wild(t);
	if (call(t, file, CHANNEL_ALLOC, NR(DRM_NOUVEAU_CHANNEL_ALLOC), &req, sizeof(req)))
		return;
	file->chan[slot] = req.channel;
	file->made |= 1u << slot;
	forget_notifiers(t, file, req.notifier_handle);
}

static void do_channel_free(struct thread *t)
{
	struct file *file = channel_file(t, wants_vm(t));
	const unsigned int slot = made_slot(t, file);
	struct drm_nouveau_channel_free req = { .channel = file->chan[slot] };

	if (one_in(t, 3))
		req.channel = some_channel(t, file);
	if (!call(t, file, CHANNEL_FREE, NR(DRM_NOUVEAU_CHANNEL_FREE), &req, sizeof(req)) &&
	    req.channel == file->chan[slot])
		file->made &= ~(1u << slot);
}

/* Of a G92, of a GF100, and of none */
static const int classes[] = { 0x50c0, 0x502d, 0x5039, 0x8297, 0x506e, 0x90c0, 0x902d, 0x9039, 0x9097, 0x90b5, 0, -1 };

static int some_class(struct thread *t, const struct file *file)
{
	const unsigned int card = card_of(file->fd);

	if (card == CARDS || one_in(t, 4))
		return classes[below(t, sizeof(classes) / sizeof(*classes))];
	return classes[below(t, 5) + (shared->fermi[card] ? 5 : 0)];
}

static void do_grobj_alloc(struct thread *t)
{
	struct file *file = channel_file(t, wants_vm(t));
	struct drm_nouveau_grobj_alloc req = {
		.channel = some_channel(t, file), .handle = some_number(t, 0xbeef1000),
		.class = some_class(t, file),
	};

	if (one_in(t, 16))
		req.handle = wild(t);
	call(t, file, GROBJ_ALLOC, NR(DRM_NOUVEAU_GROBJ_ALLOC), &req, sizeof(req));
}

static void do_nvif(struct thread *t)
{
	static const uint8_t types[] = { 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 0, 1, 13, 255 };
	struct file *file = channel_file(t, wants_vm(t));
	struct {
		uint8_t version, type, pad02[4], owner, route;
		uint64_t token, object;
		struct {
			uint8_t version, pad01[6], route;
			uint64_t token, object;
			uint32_t handle;
			int32_t oclass;
		} new;
	} req = {
		.type = types[below(t, 16)], .owner = 0xff, .route = one_in(t, 6) ? 0 : 0xff,
		.token = some_channel(t, file), .object = 0,
		.new.handle = some_number(t, 0xbeef3000), .new.object = some_number(t, 0xbeef3000),
		.new.oclass = some_class(t, file),
	};

	if (one_in(t, 16))
		req.token = wild(t);
	if (one_in(t, 32))
		req.version = wild(t);
	/* Without a channel, only what makes nothing */
	if (!req.route)
		req.type = 0;
	call(t, file, NVIF, NR(DRM_NOUVEAU_NVIF), &req, sizeof(req));
}

/* A size that nouveau can make, or cannot; @vram: in no other memory. */
static uint64_t some_size(struct thread *t, bool vram)
{
	switch (below(t, 12)) {
	case 0: return (1ull << (vram ? 29 + below(t, 10) : 44 + below(t, 20))) + (vram ? PAGE * (uint64_t)below(t, 1 << 20) : 0);
	case 1: return 1ull << (44 + below(t, 20));
	case 2: return -(uint64_t)below(t, PAGE);
	case 3: return 0;
	case 4: return below(t, MIB);
	case 5: return vram && one_in(t, 4) ? 16 * MIB : MIB;
	default: return PAGE << below(t, 6);
	}
}

/* The first half of what submissions name is in GART, for commands; the others are in VRAM or wherever. */
static void do_gem_new(struct thread *t)
{
	static const uint32_t domains[] = { 2, 2, 2, 10, 6, 4, 0, 1, 0xfffffffe };
	struct file *file = some_file(t, one_in(t, 3));
	const unsigned int slot = below(t, OBJECTS + LOOSE);
	const uint32_t domain = slot < OBJECTS / 2 ? 12 : domains[below(t, sizeof(domains) / sizeof(*domains))];
	struct drm_nouveau_gem_new req = { .info.domain = domain, .align = one_in(t, 16) ? wild(t) : PAGE };
	struct object *object = &file->object[slot];

	if (object->va)
		return;			/* it stays where it is bound */
	req.info.size = domain & 6 ? some_size(t, (domain & 6) == 2) : 0;
	if ((domain & 6) == 2 && one_in(t, 4))
		req.info.size = NO_CARD_HAS << below(t, 8);
	if (one_in(t, 24))
		req.info.tile_mode = wild(t);
	if (one_in(t, 24))
		req.info.tile_flags = wild(t);
	if (object->handle && slot >= OBJECTS)
		gem_close(t, file, object->handle);
	object->handle = 0;
	if (call(t, file, GEM_NEW, NR(DRM_NOUVEAU_GEM_NEW), &req, sizeof(req)))
		return;
	object->domain = req.info.domain & 6;
	object->bytes = req.info.size;
	object->handle = req.info.handle;
}

static void do_gem_close(struct thread *t)
{
	struct file *file = some_file(t, one_in(t, 3));

	gem_close(t, file, one_in(t, 24) ? wild(t) | 1 << 20 : file->object[OBJECTS + below(t, LOOSE)].handle);
}

static void do_dumb(struct thread *t)
{
	struct drm_mode_create_dumb req = { .width = 16 << below(t, 5), .height = 16 << below(t, 5), .bpp = 32 };
	struct file *file = &files[below(t, FILES)];
	unsigned int i;

	for (i = 0; i < FILES && !is_card_node(file->fd); i++)
		file = &files[i];
	if (one_in(t, 3))
		req.width = wild(t);
	if (one_in(t, 3))
		req.height = wild(t);
	if (one_in(t, 6))
		req.bpp = wild(t);
	if (!call(t, file, DUMB, 0xb2, &req, sizeof(req)))
		gem_close(t, file, req.handle);
}

static void do_prime(struct thread *t)
{
	struct file *from = some_file(t, one_in(t, 3)), *to = some_file(t, one_in(t, 3));
	struct drm_prime_handle req = { .handle = some_handle(t, from, 0, OBJECTS), .flags = one_in(t, 8) ? wild(t) : 2 };
	const unsigned int slot = OBJECTS / 2 + below(t, OBJECTS / 2);
	bool imported;
	int fd;

	if (card_of(from->fd) != card_of(to->fd))
		to = from;
	if (call(t, from, PRIME, 0x2d, &req, sizeof(req)))
		return;
	fd = req.fd;
	/* It may be one that is there already, so it is none that is closed. */
	pthread_mutex_lock(&no_imports);
	imported = !one_in(t, 4) && !call(t, to, PRIME, 0x2e, &req, sizeof(req));
	pthread_mutex_unlock(&no_imports);
	if (imported) {
		to->object[slot].handle = req.handle;
		to->object[slot].domain = 2;
	}
	sys(t, SYS_close, fd, 0);
}

/*
 * Commands in VRAM, which timegraph.ko reads for a client with AE, while somebody may close them. Where the last of the
 * pushes names no buffer, nouveau looks at none.
 */
static void commands_in_vram(struct thread *t, const struct file *file, struct drm_nouveau_gem_pushbuf *req,
			     struct drm_nouveau_gem_pushbuf_push *push, struct drm_nouveau_gem_pushbuf_bo *bo)
{
	bo->handle = some_handle(t, file, OBJECTS / 2, OBJECTS / 2 + LOOSE);
	push[req->nr_push++] = (struct drm_nouveau_gem_pushbuf_push) { .bo_index = wild(t) | 16 };
}

/* One that lies in VRAM, as is said: how much of that they need, timegraph.ko asks of all that are there. */
static void no_such_buffer(struct thread *t, struct drm_nouveau_gem_pushbuf_bo *bo)
{
	bo->handle = wild(t) | 1 << 20;
	bo->valid_domains = NOUVEAU_GEM_DOMAIN_VRAM;
	bo->read_domains = NOUVEAU_GEM_DOMAIN_VRAM;
	bo->write_domains = 0;
}

static void spoil_pushbuf(struct thread *t, const struct file *file, struct drm_nouveau_gem_pushbuf *req,
			  struct drm_nouveau_gem_pushbuf_push *push, struct drm_nouveau_gem_pushbuf_bo *bo)
{
	static const uint32_t limits[] = { 511, 512, 513, 1023, 1024, 1025, 0, 1, 0x80000000, 0xffffffff, 0x0aaaaaab };
	const uint32_t limit = limits[below(t, sizeof(limits) / sizeof(*limits))];

	switch (below(t, 18)) {
	case 0: req->nr_push = limit; break;
	case 1: req->nr_buffers = limit; break;
	case 2: req->nr_relocs = limit; req->relocs = one_in(t, 2) ? 8 : (uintptr_t)t->args + ARENA; break;
	case 3: req->channel = no_channel(t); break;
	case 4: req->vram_available = wild(t); break;
	case 5: push->bo_index = wild(t) | 16; break;
	case 6: push->offset = 0; push->length = (PAGE - 1) & ~3u; break;
	case 7: push->length = 0x800000 | (push->length & 0xffc); break;	/* do not prefetch */
	case 8: bo->handle = wild(t) | 1 << 20; break;
	case 9: bo->valid_domains = below(t, 8); break;
	case 10: bo->read_domains = wild(t); break;
	case 11: bo->write_domains = wild(t); break;
	case 12: bo[1] = bo[0]; break;
	case 13: req->suffix0 = wild(t); req->gart_available = wild(t); break;
	default: commands_in_vram(t, file, req, push, bo); break;
	}
}

/* Commands that do nothing: a page of zeros, or a part of it. */
static void do_pushbuf(struct thread *t)
{
	struct file *file = one_in(t, 4) ? some_file(t, false) : channel_file(t, false);
	struct drm_nouveau_gem_pushbuf_push *push = list(t, 0);
	struct drm_nouveau_gem_pushbuf_bo *bo = list(t, 1);
	struct drm_nouveau_gem_pushbuf req = {
		.channel = file->chan[0], .nr_buffers = 1 + below(t, 3), .nr_push = 1 + below(t, 3),
	};
	unsigned int i, first = below(t, OBJECTS / 2);

	for (i = 0; i < OBJECTS / 2 && !file->object[first].handle; i++)
		first = (first + 1) % (OBJECTS / 2);
	if (one_in(t, 32))
		req.nr_push = 512;
	if (one_in(t, 32)) {
		req.channel = some_channel(t, file);
		req.nr_push = 0;	/* a question */
	}
	memset(bo, 0, 8 * sizeof(*bo));
	for (i = 0; i < req.nr_buffers; i++) {
		struct object *object = &file->object[i ? OBJECTS / 2 + (first + i) % (OBJECTS / 2) : first];

		bo[i].handle = object->handle;
		bo[i].valid_domains = i ? object->domain : NOUVEAU_GEM_DOMAIN_GART;
		bo[i].read_domains = bo[i].valid_domains;
		bo[i].write_domains = one_in(t, 2) ? bo[i].valid_domains : 0;
		if (i && !bo[i].handle)
			req.nr_buffers = i;
	}
	for (i = 0; i < req.nr_push; i++)
		push[i] = (struct drm_nouveau_gem_pushbuf_push) {
			.offset = 64 * below(t, 32), .length = 4 + 4 * below(t, 256),
		};
	if (one_in(t, 8))
		req.vram_available = NOUVEAU_GEM_PUSHBUF_SYNC;
	if (one_in(t, 3))
		spoil_pushbuf(t, file, &req, push, bo);
	if (one_in(t, 6))
		no_such_buffer(t, &bo[below(t, req.nr_buffers % 8)]);
	req.buffers = list_address(t, bo, req.nr_buffers % 8 * sizeof(*bo));
	req.push = list_address(t, push, req.nr_push % 514 * sizeof(*push));
	call(t, file, PUSHBUF, NR(DRM_NOUVEAU_GEM_PUSHBUF), &req, sizeof(req));
}

static void do_cpu_prep(struct thread *t)
{
	struct file *file = some_file(t, one_in(t, 3));
	struct drm_nouveau_gem_cpu_prep req = { .handle = some_handle(t, file, 0, OBJECTS), .flags = one_in(t, 4) ? wild(t) : 1 };

	call(t, file, CPU_PREP, NR(DRM_NOUVEAU_GEM_CPU_PREP), &req, sizeof(req));
}

static void do_gem_info(struct thread *t)
{
	struct file *file = some_file(t, one_in(t, 3));
	struct drm_nouveau_gem_info req = { .handle = some_handle(t, file, 0, OBJECTS) };

	call(t, file, GEM_INFO, NR(DRM_NOUVEAU_GEM_INFO), &req, sizeof(req));
}

const struct op driver_ops[] = {
	{ "open", 8, do_open },
	{ "close", 2, do_close },
	{ "channel_alloc", 6, do_channel_alloc },
	{ "channel_free", 4, do_channel_free },
	{ "grobj_alloc", 10, do_grobj_alloc },
	{ "nvif", 24, do_nvif },
	{ "gem_new", 30, do_gem_new },
	{ "gem_close", 6, do_gem_close },
	{ "dumb", 10, do_dumb },
	{ "prime", 10, do_prime },
	{ "pushbuf", 160, do_pushbuf },
	{ "cpu_prep", 20, do_cpu_prep },
	{ "gem_info", 4, do_gem_info },
	{ },
};
