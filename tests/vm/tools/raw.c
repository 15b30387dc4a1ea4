// SPDX-License-Identifier: GPL-2.0
/*
 * raw - nouveau's ioctls, and what each of them answers, for the VM cases `refusals` and `never`.
 * No library stands between: each call is made once. What it answers is a line on standard output,
 * `0` or the error's name, so that two runs can be held against each other.
 *
 * raw [-d CARD] COMMAND...: CARD is 0 unless told, or 1, the second one
 *
 *	sizes	objects of sizes from 0 to 16 EiB, in every domain
 *	dumb	dumb buffers of sizes, through the card's primary node
 *	calls [fermi|exec]
 *		a channel, objects, buffers, good and bad submissions, each call several times,
 *		whatever the others answer. fermi: objects of a GF100's, which has several
 *		engines. exec: so, too, and by EXEC, in an address space of its own
 *	unbound FILE [exec]
 *		a call of each kind, without a channel, again and again until FILE is there:
 *		for each kind, each answer once; `called` after the first round. A device that
 *		goes meanwhile answers ENODEV
 *	channel	makes a channel, submits once, says `open`, reads a line, submits, frees it
 *	never N MIB COUNT [exec]
 *		makes so many objects of MIB in VRAM and says `made`. For each line read: N
 *		times a submission that names them all, N times an object as large as all: the
 *		medians in us, and what they answer. exec: N times an EXEC, which names none
 *	wait MIB [-r] [exec]
 *		an object of MIB in VRAM, 0: a submission that names one: what it answers, and
 *		after how many ms. SIGUSR1 does nothing; with -r the kernel makes the call again
 *		then
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include <drm.h>
#include <drm_mode.h>
#include <nouveau_drm.h>

#include "uapi.h"

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))
#define PAGE		4096
#define GIB		(1ull << 30)
#define TIMES		4	/* each call, so that one in so many may be refused */

#define NR(nr)		(DRM_COMMAND_BASE + (nr))
#define CHANNEL_ALLOC	DRM_IOWR(NR(0x02), struct channel_alloc)
#define CHANNEL_FREE	DRM_IOW(NR(0x03), int32_t)
#define GROBJ_ALLOC	DRM_IOW(NR(0x04), struct grobj_alloc)
#define GEM_NEW		DRM_IOWR(NR(DRM_NOUVEAU_GEM_NEW), struct drm_nouveau_gem_new)
#define PUSHBUF		DRM_IOWR(NR(DRM_NOUVEAU_GEM_PUSHBUF), struct drm_nouveau_gem_pushbuf)
#define NVIF(size)	_IOC(_IOC_READ | _IOC_WRITE, DRM_IOCTL_BASE, NR(0x07), size)

#define PUSH_VA		0x100000ull
#define KERNEL_VA	(1ull << 39)
#define KERNEL_BYTES	(1ull << 38)

#define CLASS_COMPUTE	0x50c0	/* Tesla's */
#define CLASS_M2MF	0x9039	/* Fermi's */
#define CLASS_COPY	0x90b5	/* Fermi's, of an engine of its own */

static char render_node[32] = "/dev/dri/renderD128", primary_node[32] = "/dev/dri/card0";

__attribute__((noreturn))
static void die(const char *what)
{
	fprintf(stderr, "raw: %s: %s\n", what, strerror(errno));
	exit(1);
}

static int open_node(const char *node)
{
	int fd = open(node, O_RDWR | O_CLOEXEC);

	if (fd < 0)
		die(node);
	return fd;
}

static const char *name_of(int error)
{
	return error ? strerrorname_np(error) ?: "ERESTARTSYS" : "0";
}

/* Once. Return: 0 or an errno. */
static int call(int fd, unsigned long request, void *arg)
{
	return ioctl(fd, request, arg) ? errno : 0;
}

static int say(const char *what, int error)
{
	printf("%s %s\n", what, name_of(error));
	fflush(stdout);
	return error;
}

static int gem_new(int fd, uint32_t domain, uint64_t size, struct drm_nouveau_gem_new *req)
{
	*req = (struct drm_nouveau_gem_new){
		.info = { .domain = domain, .size = size, .tile_flags = NOUVEAU_GEM_TILE_NONCONTIG },
	};
	return call(fd, GEM_NEW, req);
}

static void gem_close(int fd, uint32_t handle)
{
	struct drm_gem_close req = { .handle = handle };

	call(fd, DRM_IOCTL_GEM_CLOSE, &req);
}

/* --- sizes --- */

static int sizes(void)
{
	static const uint64_t size[] = {
		0, 1, 256 * GIB, 1024 * GIB - PAGE, 1024 * GIB, 1ull << 50, (1ull << 50) + 1, 1ull << 62, 1ull << 63,
		-(uint64_t)PAGE, UINT64_MAX,
	};
	int fd = open_node(render_node);
	struct drm_nouveau_gem_new req;
	uint32_t domain;
	unsigned int i;
	char what[64];

	for (domain = 0; domain < 16; domain++)
		for (i = 0; i < ARRAY_SIZE(size); i++) {
			snprintf(what, sizeof(what), "GEM_NEW %u %#llx", domain, (unsigned long long)size[i]);
			if (!say(what, gem_new(fd, domain, size[i], &req)))
				gem_close(fd, req.info.handle);
		}
	return 0;
}

static int dumb(void)
{
	static const uint32_t side[] = { 0, 64, 24000, UINT32_MAX };
	int fd = open_node(primary_node);
	struct drm_mode_create_dumb req;
	struct drm_mode_destroy_dumb gone;
	unsigned int w, h, bpp, n;
	char what[64];

	for (w = 0; w < ARRAY_SIZE(side); w++)
		for (h = 0; h < ARRAY_SIZE(side); h++)
			for (bpp = 8; bpp <= 32; bpp <<= 2) {
				req = (struct drm_mode_create_dumb){ .width = side[w], .height = side[h], .bpp = bpp };
				snprintf(what, sizeof(what), "DUMB %u %u %u", side[w], side[h], bpp);
				for (n = 0; n < (bpp == 32 ? TIMES : 1); n++)
					if (!say(what, call(fd, DRM_IOCTL_MODE_CREATE_DUMB, &req))) {
						gone.handle = req.handle;
						call(fd, DRM_IOCTL_MODE_DESTROY_DUMB, &gone);
					}
			}
	return 0;
}

/* --- calls --- */

/* A channel, and zeros to submit: to the GPU, a command without data */
struct client {
	int fd, channel;
	uint32_t handle;
	bool exec, fermi;
};

/* What fits the card */
static int class_of(const struct client *c)
{
	return c->exec || c->fermi ? CLASS_M2MF : CLASS_COMPUTE;
}

static int push(const struct client *c, uint32_t handle, uint32_t index, uint32_t bytes, uint64_t flags)
{
	struct drm_nouveau_gem_pushbuf_bo bo = {
		.handle = handle, .read_domains = NOUVEAU_GEM_DOMAIN_GART, .valid_domains = NOUVEAU_GEM_DOMAIN_GART,
	};
	struct drm_nouveau_gem_pushbuf_push push = { .bo_index = index, .length = bytes };
	struct drm_nouveau_gem_pushbuf req = {
		.channel = c->channel, .nr_buffers = 1, .buffers = (uintptr_t)&bo, .nr_push = 1, .push = (uintptr_t)&push,
		.vram_available = flags,
	};

	return call(c->fd, PUSHBUF, &req);
}

static int exec(const struct client *c, uint64_t list, uint32_t bytes)
{
	struct exec_push push = { .va = PUSH_VA, .va_len = bytes };
	struct exec req = { .channel = c->channel, .push_count = 1, .push_ptr = list ?: (uintptr_t)&push };

	return call(c->fd, EXEC, &req);
}

/* A call of each kind. Return: the channel can be used. */
static bool client_new(struct client *c)
{
	struct channel_alloc alloc = { .fb = 0xbeef0201, .tt = 0xbeef0202, .channel = -1 };
	struct grobj_alloc object = { .handle = 0xbeef50c0, .class = class_of(c) };
	struct vm_init init = { KERNEL_VA, KERNEL_BYTES };
	struct vm_bind_op op = { .addr = PUSH_VA, .range = PAGE };
	struct vm_bind bind = { .op_count = 1, .op_ptr = (uintptr_t)&op };
	struct drm_nouveau_gem_new req;
	int i;

	c->fd = open_node(render_node);
	if (c->exec)
		say("VM_INIT", call(c->fd, VM_INIT, &init));
	/* What a refused one leaves here may be a channel all the same */
	for (i = 0; i < TIMES && alloc.channel < 0; i++)
		say("CHANNEL_ALLOC", call(c->fd, CHANNEL_ALLOC, &alloc));
	c->channel = object.channel = alloc.channel;
	for (i = 0; i < TIMES; i++, object.handle++)
		say("GROBJ_ALLOC", call(c->fd, GROBJ_ALLOC, &object));
	object.class = CLASS_COPY;
	for (i = 0; i < TIMES && c->fermi; i++, object.handle++)
		say("GROBJ_ALLOC, copies", call(c->fd, GROBJ_ALLOC, &object));
	for (i = 0; i < TIMES; i++) {
		if (!say("GEM_NEW", gem_new(c->fd, NOUVEAU_GEM_DOMAIN_VRAM, PAGE, &req)))
			gem_close(c->fd, req.info.handle);
		if (!say("GEM_NEW", gem_new(c->fd, NOUVEAU_GEM_DOMAIN_GART, PAGE, &req)))
			c->handle = req.info.handle;
	}
	op.handle = c->handle;
	for (i = 0; i < TIMES && c->exec; i++)
		say("VM_BIND", call(c->fd, VM_BIND, &bind));
	return c->channel >= 0 && c->handle;
}

static void submit_all(const struct client *c)
{
	struct client no = *c;
	int i;

	no.channel += 77;
	for (i = 0; i < 2 * TIMES; i++) {
		if (c->exec) {
			say("EXEC", exec(c, 0, 16));
			say("EXEC, list at no address", exec(c, PAGE - 1, 16));
			say("EXEC, of 2 GiB", exec(c, 0, 1u << 31));
			say("EXEC, no channel", exec(&no, 0, 16));
			continue;
		}
		say("PUSHBUF", push(c, c->handle, 0, 16, 0));
		say("PUSHBUF, waited for", push(c, c->handle, 0, 16, NOUVEAU_GEM_PUSHBUF_SYNC));
		say("PUSHBUF, no object", push(c, 4711, 0, 16, 0));
		say("PUSHBUF, index", push(c, c->handle, 1, 16, 0));
		say("PUSHBUF, no channel", push(&no, c->handle, 0, 16, 0));
	}
}

#define NVIF_NEW	2	/* nvif.type */
#define NVIF_CHANNEL	0xff	/* nvif.route: the token is a channel */
#define NVIF_BYTES	56	/* of it all, for a new object */

struct nvif {
	uint8_t version, type, pad02[4], owner, route;
	uint64_t token, object;
	union {
		struct {
			uint8_t version, pad01[6], route;
			uint64_t token, object;
			uint32_t handle;
			int32_t class;
		} new;
		uint8_t more[4096];
	};
};

/* An object of the channel's, as libdrm asks for it */
static int nvif_new(const struct client *c, unsigned int nr)
{
	struct nvif req = {
		.type = NVIF_NEW, .route = NVIF_CHANNEL, .token = c->channel,
		.new = {
			.token = 1 + nr, .object = 1 + nr, .handle = 0xbeef7000 + nr,
			.class = class_of(c),
		},
	};

	return call(c->fd, NVIF(NVIF_BYTES), &req);
}

/* What becomes a question of NVIF's, or not: sizes that cut it, and more than it has */
static void nvif(const struct client *c)
{
	static const unsigned int size[] = { 0, 1, 8, 24, 55, 56, 57, 4096 };
	struct nvif req;
	unsigned int i, route;
	char what[64];

	for (i = 0; i < TIMES; i++)
		say("NVIF, an object", nvif_new(c, i));

	for (i = 0; i < ARRAY_SIZE(size); i++)
		for (route = 0; route < 256; route += 51) {
			memset(&req, 0, sizeof(req));
			req.type = NVIF_NEW;
			req.route = route;
			req.token = c->channel;
			snprintf(what, sizeof(what), "NVIF of %u bytes, route %u", size[i], route);
			say(what, call(c->fd, NVIF(size[i]), &req));
		}
	say("NVIF at no address", call(c->fd, NVIF(56), NULL));
}

static int calls(const char *how)
{
	struct client c = { .exec = !strcmp(how, "exec"), .fermi = strcmp(how, "") };
	int i;

	if (client_new(&c))
		submit_all(&c);
	nvif(&c);
	for (i = 0; i < TIMES; i++)
		say("CHANNEL_FREE", call(c.fd, CHANNEL_FREE, &c.channel));
	if (c.channel >= 0 && c.handle)
		submit_all(&c);
	return 0;
}

/* --- a device that goes --- */

#define ERRNO_MAX	256

/* What a call has answered, if it has not answered so before */
static void say_once(unsigned int nr, const char *what, int error)
{
	static bool said[16][ERRNO_MAX];

	if (error >= ERRNO_MAX || said[nr][error])
		return;
	said[nr][error] = true;
	say(what, error);
}

/*
 * A call of each kind that is hooked. No channel is there: nouveau refuses each that names one.
 * EXEC has a file of its own, with an address space that PUSHBUF must not have.
 */
static void call_each(const struct client *c, const struct client *by_exec, int card)
{
	struct vm_bind_op op = { .op = 1 /* unmap */, .addr = PUSH_VA, .range = PAGE };
	struct vm_bind bind = { .op_count = 1, .op_ptr = (uintptr_t)&op };
	struct channel_alloc alloc = { .fb = 0xbeef0201, .tt = 0xbeef0202 };
	struct grobj_alloc object = { .handle = 0xbeef50c0, .class = class_of(c) };
	struct drm_mode_create_dumb buffer = { .width = 64, .height = 64, .bpp = 32 };
	struct drm_nouveau_gem_new req;
	int number = c->channel;

	say_once(0, "PUSHBUF", push(c, c->handle, 0, 16, 0));
	if (by_exec) {
		say_once(1, "EXEC", exec(by_exec, 0, 16));
		say_once(9, "VM_BIND", call(by_exec->fd, VM_BIND, &bind));
	}
	say_once(2, "GEM_NEW in VRAM", gem_new(c->fd, NOUVEAU_GEM_DOMAIN_VRAM, PAGE, &req));
	say_once(3, "GEM_NEW", gem_new(c->fd, NOUVEAU_GEM_DOMAIN_GART, PAGE, &req));
	say_once(4, "CHANNEL_ALLOC", call(c->fd, CHANNEL_ALLOC, &alloc));
	say_once(5, "GROBJ_ALLOC", call(c->fd, GROBJ_ALLOC, &object));
	say_once(6, "NVIF", nvif_new(c, 0));
	say_once(7, "DUMB", call(card, DRM_IOCTL_MODE_CREATE_DUMB, &buffer));
	say_once(8, "CHANNEL_FREE", call(c->fd, CHANNEL_FREE, &number));
}

static int unbound(const char *until, bool by_exec)
{
	struct client c = { .fd = open_node(render_node), .handle = 1 };
	struct client e = { .fd = open_node(render_node), .exec = true };
	struct vm_init init = { KERNEL_VA, KERNEL_BYTES };
	int card = open_node(primary_node);

	if (by_exec && call(e.fd, VM_INIT, &init))
		die("VM_INIT");
	call_each(&c, by_exec ? &e : NULL, card);
	say("called", 0);
	while (access(until, F_OK))
		call_each(&c, by_exec ? &e : NULL, card);
	return 0;
}

static int channel(void)
{
	struct client c = { };
	char line[16];

	if (!client_new(&c) || push(&c, c.handle, 0, 16, NOUVEAU_GEM_PUSHBUF_SYNC))
		die("channel");
	say("open", 0);
	if (!fgets(line, sizeof(line), stdin))
		die("no line");
	say("PUSHBUF", push(&c, c.handle, 0, 16, 0));
	return !!say("CHANNEL_FREE", call(c.fd, CHANNEL_FREE, &c.channel));
}

/* --- what never fits, and what waits --- */

static uint64_t now_us(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000ull + t.tv_nsec / 1000;
}

static int compare(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

/* Their median, and the answer, which must be the same each time */
static void tell(const char *what, uint64_t *us, unsigned int n, int error)
{
	qsort(us, n, sizeof(*us), compare);
	printf("%s %s %llu\n", what, name_of(error), (unsigned long long)us[n / 2]);
	fflush(stdout);
}

#define LARGE	64

/* What a submission names: the zeros, and objects in VRAM */
struct large {
	struct drm_nouveau_gem_pushbuf_bo bo[1 + LARGE];
	unsigned int count;
};

/* EXEC names no objects: its process has them. They may lie elsewhere, so nouveau moves none. */
static void large_new(struct large *l, const struct client *c, uint64_t bytes, unsigned int count)
{
	const uint32_t domains = NOUVEAU_GEM_DOMAIN_VRAM | (c->exec ? NOUVEAU_GEM_DOMAIN_GART : 0);
	struct drm_nouveau_gem_new req;
	unsigned int i;

	l->count = count;
	l->bo[0].handle = c->handle;
	l->bo[0].read_domains = l->bo[0].valid_domains = NOUVEAU_GEM_DOMAIN_GART;
	for (i = 1; i <= count; i++) {
		errno = gem_new(c->fd, domains, bytes, &req);
		if (errno)
			die("an object");
		l->bo[i].handle = req.info.handle;
		l->bo[i].read_domains = l->bo[i].valid_domains = NOUVEAU_GEM_DOMAIN_VRAM;
	}
}

static int submit_large(const struct large *l, const struct client *c)
{
	struct drm_nouveau_gem_pushbuf_push push = { .length = 16 };
	struct drm_nouveau_gem_pushbuf req = {
		.channel = c->channel, .nr_buffers = 1 + l->count, .buffers = (uintptr_t)l->bo, .nr_push = 1,
		.push = (uintptr_t)&push,
	};

	return c->exec ? exec(c, 0, 16) : call(c->fd, PUSHBUF, &req);
}

static int never(unsigned int n, uint64_t mib, unsigned int count, bool by_exec)
{
	uint64_t *us = calloc(n, sizeof(*us));
	struct drm_nouveau_gem_new new;
	struct large large = { };
	struct client c = { .exec = by_exec };
	int error = 0, last;
	unsigned int i;
	char line[16];

	if (!us || !n || count > LARGE || !client_new(&c))
		die("never");
	large_new(&large, &c, mib << 20, count);
	say("made", 0);
	while (fgets(line, sizeof(line), stdin)) {
		for (i = 0; i < n; i++) {
			us[i] = now_us();
			last = submit_large(&large, &c);
			us[i] = now_us() - us[i];
			if (i && last != error)
				die("another answer to the same submission");
			error = last;
		}
		tell("submission", us, n, error);
		if (by_exec)
			continue;
		for (i = 0; i < n; i++) {
			us[i] = now_us();
			last = gem_new(c.fd, NOUVEAU_GEM_DOMAIN_VRAM, (mib * count) << 20, &new);
			us[i] = now_us() - us[i];
			if (i && last != error)
				die("another answer to the same request");
			error = last;
		}
		tell("object", us, n, error);
	}
	return 0;
}

static void nothing(int sig)
{
	(void)sig;
}

static int wait_for(uint64_t mib, bool again, bool by_exec)
{
	const struct sigaction action = { .sa_handler = nothing, .sa_flags = again ? SA_RESTART : 0 };
	struct drm_nouveau_gem_new req;
	struct large large = { };
	struct client c = { .exec = by_exec };
	uint64_t us;
	int error;

	if (mib)
		c.fd = open_node(render_node);
	else if (!client_new(&c))
		die("wait");
	else
		large_new(&large, &c, PAGE, 1);
	sigaction(SIGUSR1, &action, NULL);
	say("waits", 0);
	us = now_us();
	error = mib ? gem_new(c.fd, NOUVEAU_GEM_DOMAIN_VRAM, mib << 20, &req) :
		      submit_large(&large, &c);
	us = now_us() - us;
	printf("%s %s %llu\n", mib ? "object" : "submission", name_of(error), (unsigned long long)us / 1000);
	return 0;
}

static bool has(char **args, const char *word)
{
	while (*args)
		if (!strcmp(*args++, word))
			return true;
	return false;
}

int main(int argc, char **argv)
{
	const char *what, *more;
	int card;

	if (argc > 2 && !strcmp(argv[1], "-d")) {
		card = atoi(argv[2]);
		snprintf(render_node, sizeof(render_node), "/dev/dri/renderD%d", 128 + card);
		snprintf(primary_node, sizeof(primary_node), "/dev/dri/card%d", card);
		argc -= 2;
		argv += 2;
	}
	what = argc > 1 ? argv[1] : "";
	more = argc > 2 ? argv[2] : "";
	if (!strcmp(what, "sizes"))
		return sizes();
	if (!strcmp(what, "dumb"))
		return dumb();
	if (!strcmp(what, "calls"))
		return calls(more);
	if (!strcmp(what, "unbound") && argc > 2)
		return unbound(more, has(argv + 3, "exec"));
	if (!strcmp(what, "channel"))
		return channel();
	if (!strcmp(what, "never") && argc > 4)
		return never(atoi(argv[2]), atoi(argv[3]), atoi(argv[4]), has(argv + 5, "exec"));
	if (!strcmp(what, "wait") && argc > 2)
		return wait_for(atoi(more), has(argv + 3, "-r"), has(argv + 3, "exec"));
	fprintf(stderr, "usage: raw [-d CARD] sizes | dumb | calls [fermi|exec] | unbound FILE [exec] |\n"
			"       channel | never N MIB COUNT [exec] | wait MIB [-r] [exec]\n");
	return 1;
}
