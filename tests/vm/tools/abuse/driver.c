// SPDX-License-Identifier: GPL-2.0
/*
 * abuse - the driver, spoken to by its ioctls alone: a channel with one buffer, groups that take a
 * given time and leave their number behind, and what timegraph.ko counts of this process. Called by
 * all commands.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include <xf86drm.h>

#include "abuse.h"

bool counted;
const char *node = "/dev/dri/renderD128";

void fail(const char *format, ...)
{
	va_list args;

	fprintf(stderr, "abuse: ");
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fprintf(stderr, "\n");
	exit(1);
}

long long now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000 * MS + t.tv_nsec;
}

void sleep_ms(long long ms)
{
	struct timespec t = { .tv_sec = ms / 1000, .tv_nsec = ms % 1000 * MS };

	while (nanosleep(&t, &t) && errno == EINTR)
		;
}

/* --- the driver --- */

int open_node(void)
{
	int fd = open(node, O_RDWR | O_CLOEXEC);

	if (fd < 0)
		fail("%s: %s", node, strerror(errno));
	return fd;
}

int talk(int fd, unsigned long request, void *args)
{
	return drmIoctl(fd, request, args) ? -errno : 0;
}

void must(const char *what, int ret)
{
	if (ret)
		fail("%s: %s", what, strerror(-ret));
}

static void method(struct chan *ch, uint32_t *words, uint32_t mthd, unsigned int n, ...)
{
	va_list args;

	words[ch->words++] = n << 18 | SUBCHANNEL << 13 | mthd;
	va_start(args, n);
	while (n--)
		words[ch->words++] = va_arg(args, uint32_t);
	va_end(args);
}

/*
 * One group: a launch of the program on a grid that takes @cost_us, then its number into the
 * results. Method numbers and fields: envytools' rnndb, g80_compute.
 */
static void write_group(struct chan *ch, unsigned int slot, uint64_t address, unsigned int cost_us)
{
	uint32_t *words = (uint32_t *)(ch->map + slot * SLOT_BYTES);
	struct tgl_work work = tgl_work_size(&tgl_g92, TGL_COMPUTE, cost_us * 1000ull);
	uint64_t program = address + PROGRAM, result = address + RESULTS + 4 * slot;

	ch->words = 0;
	method(ch, words, 0x0000, 1, HANDLE_COMPUTE);
	/* memory: global, query; local, stack, code */
	method(ch, words, 0x01a0, 2, HANDLE_VRAM, HANDLE_VRAM);
	method(ch, words, 0x01b8, 3, HANDLE_VRAM, HANDLE_VRAM, HANDLE_VRAM);
	method(ch, words, 0x0210, 2, (uint32_t)(program >> 32), (uint32_t)program);
	method(ch, words, 0x0220, 1, 0);		/* no stack */
	method(ch, words, 0x0290, 1, 1);
	method(ch, words, 0x029c, 1, 0);		/* no local memory */
	method(ch, words, 0x02a0, 1, 1);
	method(ch, words, 0x02b8, 1, 1);		/* whole warps */
	method(ch, words, 0x02fc, 4, 7, 1, 7, 1);
	method(ch, words, 0x0374, 1, 0);		/* no parameters */
	method(ch, words, 0x0380, 1, 0);
	method(ch, words, 0x0384, 1, 0x100);		/* every block */
	method(ch, words, 0x03b4, 2, 0, 2);		/* start; registers striped */
	method(ch, words, 0x03a8, 1, 0x40);
	method(ch, words, 0x02c0, 1, TGL_PROGRAM_REGS);
	method(ch, words, 0x03ac, 2, 1 << 16 | TGL_BLOCK_THREADS, 1);
	method(ch, words, 0x02b4, 1, 1 << 16 | TGL_BLOCK_THREADS);
	method(ch, words, 0x02f8, 1, 1);
	method(ch, words, 0x03a4, 1, work.grid_y << 16 | work.grid_x);
	method(ch, words, 0x0388, 1, 1);
	method(ch, words, 0x0368, 1, 0);		/* launch */
	method(ch, words, 0x0110, 1, 0);		/* serialize */
	ch->patch = ch->words + 3;
	method(ch, words, 0x0310, 4, (uint32_t)(result >> 32), (uint32_t)result, 0, 0x8000);
}

int channel_alloc(int fd)
{
	struct drm_nouveau_channel_alloc alloc = {
		.fb_ctxdma_handle = HANDLE_VRAM, .tt_ctxdma_handle = HANDLE_GART,
	};

	must("CHANNEL_ALLOC", talk(fd, DRM_IOWR(DRM_COMMAND_BASE + DRM_NOUVEAU_CHANNEL_ALLOC,
						struct drm_nouveau_channel_alloc), &alloc));
	return alloc.channel;
}

void chan_new(struct chan *ch, int fd, unsigned int cost_us)
{
	struct drm_nouveau_grobj_alloc object = {
		.handle = HANDLE_COMPUTE, .class = CLASS_COMPUTE,
	};
	struct drm_nouveau_gem_info buffer;
	unsigned int i;

	ch->id = channel_alloc(fd);
	object.channel = ch->id;
	must("GROBJ_ALLOC", talk(fd, DRM_IOW(DRM_COMMAND_BASE + DRM_NOUVEAU_GROBJ_ALLOC,
					     struct drm_nouveau_grobj_alloc), &object));
	buffer = buffer_new(fd, NOUVEAU_GEM_DOMAIN_GART, BUFFER_BYTES);
	ch->fd = fd;
	ch->handle = buffer.handle;
	ch->address = buffer.offset;
	ch->map = buffer_map(fd, &buffer);
	tgl_program((uint32_t *)(ch->map + PROGRAM));
	for (i = 0; i < SLOTS; i++)
		write_group(ch, i, buffer.offset, cost_us);
}

int chan_free(const struct chan *ch)
{
	struct drm_nouveau_channel_free args = { .channel = ch->id };

	return talk(ch->fd, DRM_IOW(DRM_COMMAND_BASE + DRM_NOUVEAU_CHANNEL_FREE,
				    struct drm_nouveau_channel_free), &args);
}

uint32_t slot_of(uint32_t seq)
{
	return seq % SLOTS;
}

void call_init(struct call *call, const struct chan *ch, uint32_t seq)
{
	const uint32_t domains = NOUVEAU_GEM_DOMAIN_GART;

	((uint32_t *)(ch->map + slot_of(seq) * SLOT_BYTES))[ch->patch] = seq;
	memset(call, 0, sizeof(*call));
	call->push[0].offset = slot_of(seq) * SLOT_BYTES;
	call->push[0].length = ch->words * 4;
	call->bo[0] = (struct drm_nouveau_gem_pushbuf_bo) {
		.handle = ch->handle, .read_domains = domains, .write_domains = domains,
		.valid_domains = domains,
	};
	call->req = (struct drm_nouveau_gem_pushbuf) {
		.channel = ch->id, .nr_buffers = 1, .buffers = (uintptr_t)call->bo,
		.nr_push = 1, .push = (uintptr_t)call->push,
	};
}

int submit(const struct chan *ch, uint32_t seq)
{
	struct call call;

	call_init(&call, ch, seq);
	return talk(ch->fd, PUSHBUF, &call.req);
}

int chan_wait(const struct chan *ch)
{
	struct drm_nouveau_gem_cpu_prep args = {
		.handle = ch->handle, .flags = NOUVEAU_GEM_CPU_PREP_WRITE,
	};

	return talk(ch->fd, DRM_IOW(DRM_COMMAND_BASE + DRM_NOUVEAU_GEM_CPU_PREP,
				    struct drm_nouveau_gem_cpu_prep), &args);
}

uint32_t result(const struct chan *ch, uint32_t seq)
{
	return ((volatile uint32_t *)(ch->map + RESULTS))[slot_of(seq)];
}

void run_group(const struct chan *ch, uint32_t seq)
{
	must("submission", submit(ch, seq));
	must("wait", chan_wait(ch));
	if (result(ch, seq) != seq)
		fail("group %u completed, but left %u behind", seq, result(ch, seq));
}

struct drm_nouveau_gem_info buffer_new(int fd, uint32_t domain, uint32_t size)
{
	struct drm_nouveau_gem_new buffer = {
		.info = { .domain = domain | NOUVEAU_GEM_DOMAIN_MAPPABLE, .size = size },
		.align = PAGE,
	};

	must("GEM_NEW", talk(fd, DRM_IOWR(DRM_COMMAND_BASE + DRM_NOUVEAU_GEM_NEW,
					  struct drm_nouveau_gem_new), &buffer));
	return buffer.info;
}

void *buffer_map(int fd, const struct drm_nouveau_gem_info *info)
{
	void *map = mmap(NULL, info->size, PROT_READ | PROT_WRITE, MAP_SHARED, fd,
			 info->map_handle);

	if (map == MAP_FAILED)
		fail("mmap of a buffer: %s", strerror(errno));
	return map;
}

void call_from(struct call *call, uint32_t handle, uint32_t domain, uint64_t offset, uint32_t words)
{
	call->bo[1] = call->bo[0];
	call->bo[1].handle = handle;
	call->bo[1].read_domains = domain;
	call->bo[1].write_domains = domain;
	call->bo[1].valid_domains = domain;
	call->req.nr_buffers = 2;
	call->push[0].bo_index = 1;
	call->push[0].offset = offset;
	call->push[0].length = words * 4;
}

/* --- the module's counters --- */

bool snapshot(struct tg_snap_client *mine, uint64_t *others_completed)
{
	static char text[1 << 20];
	struct tg_snap_head *head = (struct tg_snap_head *)text;
	int fd = open(TIMEGRAPH_SYSFS "/snapshot", O_RDONLY | O_CLOEXEC);
	size_t len = 0;
	bool found = false;
	ssize_t got;
	uint32_t i;

	if (fd < 0)
		fail(TIMEGRAPH_SYSFS "/snapshot: %s", strerror(errno));
	while ((got = read(fd, text + len, sizeof(text) - len)) > 0)
		len += got;
	close(fd);
	if (len < sizeof(*head) || head->magic != TG_SNAP_MAGIC ||
	    len < sizeof(*head) + (size_t)head->nr_clients * head->client_size)
		fail("the snapshot's %zu bytes are no snapshot", len);
	*others_completed = 0;
	memset(mine, 0, sizeof(*mine));
	for (i = 0; i < head->nr_clients; i++) {
		struct tg_snap_client row;

		memcpy(&row, text + sizeof(*head) + i * head->client_size, sizeof(row));
		if (row.pid != (uint32_t)getpid()) {
			*others_completed += row.completed;
		} else if (!found || row.id > mine->id) {
			*mine = row;
			found = true;
		}
	}
	return found;
}

void counters_must_be(uint64_t submitted, uint64_t completed, uint64_t failed)
{
	unsigned long long want[] = { submitted, completed, failed };
	struct tg_snap_client row;
	uint64_t others;
	int i;

	if (!counted)
		return;
	for (i = 0; i < 100; i++) {
		if (!snapshot(&row, &others))
			fail("the module does not know process %d", getpid());
		if (!row.inflight && !row.waiting)
			break;
		sleep_ms(20);
	}
	if (row.inflight || row.waiting)
		fail("%u groups in flight, %u wait, after the last one ended", row.inflight,
		     row.waiting);
	if (row.submitted != submitted || row.completed != completed || row.failed != failed)
		fail("submitted %llu, completed %llu, failed %llu; expected %llu, %llu, %llu",
		     row.submitted, row.completed, row.failed, want[0], want[1], want[2]);
}

long long stat_value(const char *name)
{
	char path[128];
	long long n;
	FILE *f;

	if (!counted)
		return 0;
	snprintf(path, sizeof(path), TIMEGRAPH_SYSFS "/stats/%s", name);
	f = fopen(path, "r");
	if (!f || fscanf(f, "%lld", &n) != 1)
		fail("%s: no number", path);
	fclose(f);
	return n;
}

unsigned int number(const char *text)
{
	char *end;
	unsigned long n = strtoul(text, &end, 10);

	if (!*text || *end || n > 100000000)
		fail("'%s' is no number from 0 to 100000000", text);
	return n;
}
