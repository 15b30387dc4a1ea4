// SPDX-License-Identifier: GPL-2.0
/*
 * abuse - a client of nouveau that behaves badly, for the VM cases. Speaks to the driver by its
 * ioctls alone, so that it can say what no library would let it: see commands[]. Each command
 * judges itself: exit status 0 when it found what must be, else 1 after one line that says what.
 *
 * With -m, what timegraph.ko counts for this process is part of that: its row in the module's
 * snapshot must agree with what was submitted.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <linux/userfaultfd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>

#include <xf86drm.h>
#include <nouveau_drm.h>

#include <uapi/timegraph.h>
#include "work.h"

#define PAGE		4096u
#define SLOTS		8u		/* groups of a channel that may be in flight */
#define SLOT_BYTES	1024u
#define RESULTS		(SLOTS * SLOT_BYTES)	/* where groups leave their number, 4 bytes each */
#define PROGRAM		(RESULTS + PAGE)
#define BUFFER_BYTES	(PROGRAM + PAGE)

#define HANDLE_VRAM	0xbeef0201	/* DMA object: the whole address space */
#define HANDLE_GART	0xbeef0202
#define HANDLE_COMPUTE	0xbeef50c0
#define CLASS_COMPUTE	0x50c0
#define SUBCHANNEL	6

#define MS		1000000ll	/* ns */

/**
 * struct chan - a channel and the one buffer that its groups use
 * @fd: the device
 * @id: nouveau's number
 * @handle: of the buffer: push buffers, results, the program
 * @map: the buffer, mapped
 * @words: length of each push buffer
 * @patch: index of the word that holds the group's number
 */
struct chan {
	int fd, id;
	uint32_t handle;
	uint8_t *map;
	uint32_t words, patch;
};

/**
 * struct call - the arguments of one submission, to be spoilt before it is made
 * @req: what the ioctl takes
 * @push: the array behind @req.push
 * @bo: the array behind @req.buffers
 */
struct call {
	struct drm_nouveau_gem_pushbuf req;
	struct drm_nouveau_gem_pushbuf_push push[NOUVEAU_GEM_MAX_PUSH + 1];
	struct drm_nouveau_gem_pushbuf_bo bo[2];
};

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))

static bool counted;	/* -m */

__attribute__((noreturn, format(printf, 1, 2)))
static void fail(const char *format, ...)
{
	va_list args;

	fprintf(stderr, "abuse: ");
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fprintf(stderr, "\n");
	exit(1);
}

static long long now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000 * MS + t.tv_nsec;
}

static void sleep_ms(long long ms)
{
	struct timespec t = { .tv_sec = ms / 1000, .tv_nsec = ms % 1000 * MS };

	while (nanosleep(&t, &t) && errno == EINTR)
		;
}

/* --- the driver --- */

static int open_node(void)
{
	int fd = open("/dev/dri/renderD128", O_RDWR | O_CLOEXEC);

	if (fd < 0)
		fail("/dev/dri/renderD128: %s", strerror(errno));
	return fd;
}

/* Return: 0 or a negative errno. */
static int talk(int fd, unsigned long request, void *args)
{
	return drmIoctl(fd, request, args) ? -errno : 0;
}

static void must(const char *what, int ret)
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

/* Every group of the channel takes @cost_us of GPU time. */
static void chan_new(struct chan *ch, int fd, unsigned int cost_us)
{
	struct drm_nouveau_channel_alloc alloc = {
		.fb_ctxdma_handle = HANDLE_VRAM, .tt_ctxdma_handle = HANDLE_GART,
	};
	struct drm_nouveau_grobj_alloc object = {
		.handle = HANDLE_COMPUTE, .class = CLASS_COMPUTE,
	};
	struct drm_nouveau_gem_new buffer = {
		.info = { .domain = NOUVEAU_GEM_DOMAIN_GART | NOUVEAU_GEM_DOMAIN_MAPPABLE,
			  .size = BUFFER_BYTES },
		.align = PAGE,
	};
	unsigned int i;
	void *map;

	must("CHANNEL_ALLOC", talk(fd, DRM_IOWR(DRM_COMMAND_BASE + DRM_NOUVEAU_CHANNEL_ALLOC,
						struct drm_nouveau_channel_alloc), &alloc));
	object.channel = alloc.channel;
	must("GROBJ_ALLOC", talk(fd, DRM_IOW(DRM_COMMAND_BASE + DRM_NOUVEAU_GROBJ_ALLOC,
					     struct drm_nouveau_grobj_alloc), &object));
	must("GEM_NEW", talk(fd, DRM_IOWR(DRM_COMMAND_BASE + DRM_NOUVEAU_GEM_NEW,
					  struct drm_nouveau_gem_new), &buffer));
	map = mmap(NULL, BUFFER_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd,
		   buffer.info.map_handle);
	if (map == MAP_FAILED)
		fail("mmap of a buffer: %s", strerror(errno));
	ch->fd = fd;
	ch->id = alloc.channel;
	ch->handle = buffer.info.handle;
	ch->map = map;
	tgl_program((uint32_t *)(ch->map + PROGRAM));
	for (i = 0; i < SLOTS; i++)
		write_group(ch, i, buffer.info.offset, cost_us);
}

static int chan_free(const struct chan *ch)
{
	struct drm_nouveau_channel_free args = { .channel = ch->id };

	return talk(ch->fd, DRM_IOW(DRM_COMMAND_BASE + DRM_NOUVEAU_CHANNEL_FREE,
				    struct drm_nouveau_channel_free), &args);
}

static uint32_t slot_of(uint32_t seq)
{
	return seq % SLOTS;
}

/* The right arguments for group number @seq, which is not 0. */
static void call_init(struct call *call, const struct chan *ch, uint32_t seq)
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

#define PUSHBUF	DRM_IOWR(DRM_COMMAND_BASE + DRM_NOUVEAU_GEM_PUSHBUF, struct drm_nouveau_gem_pushbuf)

static int submit(const struct chan *ch, uint32_t seq)
{
	struct call call;

	call_init(&call, ch, seq);
	return talk(ch->fd, PUSHBUF, &call.req);
}

/* Until everything submitted with this channel's buffer has completed. */
static int chan_wait(const struct chan *ch)
{
	struct drm_nouveau_gem_cpu_prep args = {
		.handle = ch->handle, .flags = NOUVEAU_GEM_CPU_PREP_WRITE,
	};

	return talk(ch->fd, DRM_IOW(DRM_COMMAND_BASE + DRM_NOUVEAU_GEM_CPU_PREP,
				    struct drm_nouveau_gem_cpu_prep), &args);
}

/* What the group in that slot has left behind. */
static uint32_t result(const struct chan *ch, uint32_t seq)
{
	return ((volatile uint32_t *)(ch->map + RESULTS))[slot_of(seq)];
}

/* One whole group, which must do what it has to. */
static void run_group(const struct chan *ch, uint32_t seq)
{
	must("submission", submit(ch, seq));
	must("wait", chan_wait(ch));
	if (result(ch, seq) != seq)
		fail("group %u completed, but left %u behind", seq, result(ch, seq));
}

/* --- the module's counters --- */

/* Sum of all clients but this process, and its own row: the newest one. Return: it is there. */
static bool snapshot(struct tg_snap_client *mine, uint64_t *others_completed)
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

/* Waits for this process's jobs to be over; then its counters must be these. */
static void counters_must_be(uint64_t submitted, uint64_t completed, uint64_t failed)
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

static long long stat_value(const char *name)
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

/* --- commands --- */

static unsigned int number(const char *text)
{
	char *end;
	unsigned long n = strtoul(text, &end, 10);

	if (!*text || *end || n > 100000000)
		fail("'%s' is no number from 0 to 100000000", text);
	return n;
}

/* exit N COST: leave with N groups in flight */
static void do_exit(char **args)
{
	unsigned int i, n = number(args[0]);
	struct chan ch;

	chan_new(&ch, open_node(), number(args[1]));
	for (i = 1; i <= n; i++)
		must("submission", submit(&ch, i));
	printf("%u groups in flight\n", n);
	fflush(stdout);
	_exit(0);
}

/* Two threads, one channel: one submits and waits, or only submits, until that fails. */
struct worker {
	struct chan ch;
	unsigned int depth;
	atomic_uint groups;
	atomic_llong since;	/* start of the submission it is in, or 0 */
	int ret;
	pthread_t thread;
};

static void *work(void *arg)
{
	struct worker *w = arg;
	uint32_t seq;

	for (seq = 1;; seq++) {
		w->since = now_ns();
		w->ret = submit(&w->ch, seq);
		w->since = 0;
		if (w->ret)
			return NULL;
		w->groups++;
		if (seq % w->depth)
			continue;
		w->ret = chan_wait(&w->ch);
		if (w->ret)
			return NULL;
	}
}

static void worker_start(struct worker *w, int fd, unsigned int cost_us, unsigned int depth)
{
	memset(w, 0, sizeof(*w));
	chan_new(&w->ch, fd, cost_us);
	w->depth = depth;
	if (pthread_create(&w->thread, NULL, work, w))
		fail("no thread");
}

static void worker_end(struct worker *w, unsigned int seconds)
{
	struct timespec until;

	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec += seconds;
	if (pthread_timedjoin_np(w->thread, NULL, &until))
		fail("the submitting thread hangs");
}

/* Whether the worker has been in one submission for that long. */
static bool waits_ms(struct worker *w, long long ms)
{
	long long since = w->since;

	return since && now_ns() - since > ms * MS;
}

/*
 * free COST: a channel is freed while another thread waits to submit to it, and, in every second
 * round, while it has work in flight. The spec must hold the process's second group back.
 */
static void do_free(char **args)
{
	unsigned int round, waited = 0, i;
	int fd = open_node();
	struct worker w;
	struct chan ch;

	for (round = 0; round < 6; round++) {
		worker_start(&w, fd, number(args[0]), round % 2 ? SLOTS : 1);
		if (round % 2 || !counted) {
			while (!w.groups)
				sleep_ms(1);
		} else {
			for (i = 0; i < 500 && !waits_ms(&w, 300); i++)
				sleep_ms(10);
			if (i == 500)
				fail("round %u: %u groups and nothing waits: wrong spec?", round,
				     w.groups);
			waited++;
		}
		must("CHANNEL_FREE", chan_free(&w.ch));
		worker_end(&w, 5);
		if (w.ret != -ENOENT)
			fail("round %u: the other thread got '%s', not '%s'", round,
			     strerror(-w.ret), strerror(ENOENT));
	}
	chan_new(&ch, fd, 1000);
	run_group(&ch, 1);
	counters_must_be(1, 1, 0);
	printf("6 channels freed, %u of them under a waiting thread\n", waited);
}

/* What can be wrong with a submission, and what becomes of it. */
enum spoil {
	READ_ONLY, SYNC, RELOCS, NOTHING,
	BAD_PUSH, BAD_BUFFERS, BAD_INDEX, BAD_HANDLE, BAD_DOMAINS, TWICE, MANY_PUSHES,
	MANY_BUFFERS, MANY_RELOCS, BAD_CHANNEL,
};

static const struct {
	const char *name;
	enum spoil spoil;
	int error;
	bool emitted;	/* the card gets it all the same */
	bool unseen;	/* names nothing to be scheduled */
} errors[] = {
	{ "arguments that cannot be written back", READ_ONLY, EFAULT, true, false },
	{ "wait inside the driver", SYNC, 0, true, false },
	/* On Tesla and later nouveau reads no relocations, and so never copies presumed back. */
	{ "relocations at no address", RELOCS, 0, true, false },
	{ "no push buffer at all", NOTHING, 0, false, true },
	{ "push list at no address", BAD_PUSH, EFAULT, false, false },
	{ "buffer list at no address", BAD_BUFFERS, EFAULT, false, false },
	{ "push buffer that is not in the list", BAD_INDEX, EINVAL, false, false },
	{ "unknown buffer", BAD_HANDLE, ENOENT, false, false },
	{ "buffer without a domain", BAD_DOMAINS, EINVAL, false, false },
	{ "one buffer twice", TWICE, EINVAL, false, false },
	{ "too many push buffers", MANY_PUSHES, EINVAL, false, false },
	{ "too many buffers", MANY_BUFFERS, EINVAL, false, false },
	{ "too many relocations", MANY_RELOCS, EINVAL, false, false },
	{ "unknown channel", BAD_CHANNEL, ENOENT, false, true },
};

static int submit_spoilt(const struct chan *ch, uint32_t seq, enum spoil spoil)
{
	static struct call call;
	struct drm_nouveau_gem_pushbuf *page;
	int ret;

	call_init(&call, ch, seq);
	switch (spoil) {
	case READ_ONLY:
		page = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		if (page == MAP_FAILED)
			fail("mmap: %s", strerror(errno));
		*page = call.req;
		if (mprotect(page, PAGE, PROT_READ))
			fail("mprotect: %s", strerror(errno));
		ret = talk(ch->fd, PUSHBUF, page);
		munmap(page, PAGE);
		return ret;
	case SYNC:
		call.req.vram_available = NOUVEAU_GEM_PUSHBUF_SYNC;
		ret = talk(ch->fd, PUSHBUF, &call.req);
		if (!ret && result(ch, seq) != seq)
			fail("a submission that waits for its end came back before");
		return ret;
	case RELOCS:
		call.req.nr_relocs = 1;
		call.req.relocs = 8;
		call.bo[0].presumed.offset = 0xdead000;
		break;
	case NOTHING:
		call.req.nr_push = 0;
		break;
	case BAD_PUSH:
		call.req.push = 8;
		break;
	case BAD_BUFFERS:
		call.req.buffers = 8;
		break;
	case BAD_INDEX:
		call.push[0].bo_index = 1;
		break;
	case BAD_HANDLE:
		call.bo[0].handle = 0x7fff;
		break;
	case BAD_DOMAINS:
		call.bo[0].valid_domains = 0;
		break;
	case TWICE:
		call.bo[1] = call.bo[0];
		call.req.nr_buffers = 2;
		break;
	case MANY_PUSHES:
		call.req.nr_push = NOUVEAU_GEM_MAX_PUSH + 1;
		break;
	case MANY_BUFFERS:
		call.req.nr_buffers = NOUVEAU_GEM_MAX_BUFFERS + 1;
		break;
	case MANY_RELOCS:
		call.req.nr_relocs = NOUVEAU_GEM_MAX_RELOCS + 1;
		break;
	case BAD_CHANNEL:
		call.req.channel = 125;
		break;
	}
	return talk(ch->fd, PUSHBUF, &call.req);
}

/* errors COST: each error of nouveau's that this card can bring about, a good group after each */
static void do_errors(char **args)
{
	unsigned int i, emitted = 0, refused = 0;
	uint32_t seq = 0;
	struct chan ch;
	int ret;

	chan_new(&ch, open_node(), number(args[0]));
	for (i = 0; i < ARRAY_SIZE(errors); i++) {
		ret = submit_spoilt(&ch, ++seq, errors[i].spoil);
		if (ret != -errors[i].error)
			fail("%s: '%s', not '%s'", errors[i].name, strerror(-ret),
			     strerror(errors[i].error));
		must("wait", chan_wait(&ch));
		if ((result(&ch, seq) == seq) != errors[i].emitted)
			fail("%s: the card has%s run it", errors[i].name,
			     errors[i].emitted ? " not" : "");
		emitted += errors[i].emitted;
		refused += !errors[i].emitted && !errors[i].unseen;
		run_group(&ch, ++seq);
		emitted++;
		counters_must_be(emitted + refused, emitted, refused);
	}
	printf("%u emitted, %u refused\n", emitted, refused);
}

/* busy COST: wait inside nouveau for longer than it waits, 15 s: EBUSY after an emitted fence */
static void do_busy(char **args)
{
	unsigned int cost_us = number(args[0]);
	struct chan ch;
	struct call call;
	int ret;

	chan_new(&ch, open_node(), cost_us);
	call_init(&call, &ch, 1);
	call.req.vram_available = NOUVEAU_GEM_PUSHBUF_SYNC;
	ret = talk(ch.fd, PUSHBUF, &call.req);
	if (ret != -EBUSY)
		fail("'%s', not '%s'", strerror(-ret), strerror(EBUSY));
	must("wait", chan_wait(&ch));
	if (result(&ch, 1) != 1)
		fail("the group left %u behind", result(&ch, 1));
	counters_must_be(1, 1, 0);
	printf("EBUSY, and completed\n");
}

/* A page that nobody has filled, whose faults are ours to serve. */
static int fault_page(void **page)
{
	struct uffdio_api api = { .api = UFFD_API };
	struct uffdio_register reg = { .mode = UFFDIO_REGISTER_MODE_MISSING };
	int fd = syscall(SYS_userfaultfd, O_CLOEXEC);

	if (fd < 0)
		fail("userfaultfd: %s", strerror(errno));
	*page = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (*page == MAP_FAILED)
		fail("mmap: %s", strerror(errno));
	reg.range.start = (uintptr_t)*page;
	reg.range.len = PAGE;
	if (ioctl(fd, UFFDIO_API, &api) || ioctl(fd, UFFDIO_REGISTER, &reg))
		fail("userfaultfd: %s", strerror(errno));
	return fd;
}

struct stuck {
	struct chan ch;
	struct call call;
	int ret;
};

static void *submit_stuck(void *arg)
{
	struct stuck *s = arg;

	s->ret = talk(s->ch.fd, PUSHBUF, &s->call.req);
	return NULL;
}

/*
 * stuck MS: the driver reads the push list from a page whose fault is not served for MS
 * milliseconds, or never (0). Others must go on meanwhile, and the group run in the end.
 */
static void do_stuck(char **args)
{
	static char filled[PAGE] __attribute__((aligned(PAGE)));
	unsigned int ms = number(args[0]);
	struct tg_snap_client row;
	uint64_t before = 0, after = 0;
	struct uffd_msg event;
	struct uffdio_copy copy = { .src = (uintptr_t)filled, .len = PAGE };
	static struct stuck s;
	pthread_t thread;
	void *page;
	int fd;

	chan_new(&s.ch, open_node(), 5000);
	fd = fault_page(&page);
	call_init(&s.call, &s.ch, 1);
	memcpy(filled, s.call.push, sizeof(s.call.push[0]));
	s.call.req.push = (uintptr_t)page;
	if (pthread_create(&thread, NULL, submit_stuck, &s))
		fail("no thread");
	if (read(fd, &event, sizeof(event)) != sizeof(event) ||
	    event.event != UFFD_EVENT_PAGEFAULT)
		fail("no page fault");
	printf("stuck\n");
	fflush(stdout);
	if (!ms)
		pause();
	sleep_ms(ms / 2);
	if (counted)
		snapshot(&row, &before);
	sleep_ms(ms - ms / 2);
	if (counted) {
		snapshot(&row, &after);
		if (row.overlaps != 1)
			fail("stuck for %u ms: %llu overlaps", ms, row.overlaps);
		if (after <= before)
			fail("while it was stuck no other client went on");
	}
	copy.dst = (uintptr_t)page;
	if (ioctl(fd, UFFDIO_COPY, &copy))
		fail("UFFDIO_COPY: %s", strerror(errno));
	pthread_join(thread, NULL);
	must("submission", s.ret);
	must("wait", chan_wait(&s.ch));
	if (result(&s.ch, 1) != 1)
		fail("the group left %u behind", result(&s.ch, 1));
	counters_must_be(1, 1, 0);
	printf("%llu groups of others meanwhile\n", (unsigned long long)(after - before));
}

/* What serves the page of do_slow(), and what it has seen. */
static struct slow {
	int fd;
	unsigned int ms;
	void *page, *filled;
	atomic_llong faulted;	/* when the latest fault came */
} slow;

static void *serve_slowly(void *arg)
{
	struct uffdio_copy copy = {
		.dst = (uintptr_t)slow.page, .src = (uintptr_t)slow.filled, .len = PAGE,
	};
	struct uffd_msg event;

	(void)arg;
	while (read(slow.fd, &event, sizeof(event)) == sizeof(event)) {
		slow.faulted = now_ns();
		sleep_ms(slow.ms);
		copy.copy = 0;
		if (ioctl(slow.fd, UFFDIO_COPY, &copy))
			fail("UFFDIO_COPY: %s", strerror(errno));
	}
	fail("no more page faults");
}

/*
 * slow MS COST FOR: one group, then, when it is continued, groups one after the other for FOR
 * milliseconds, each of whose push lists lies on a page whose fault is served after MS milliseconds; 0:
 * on one that is there. Prints how many there
 * were, for how long the driver waited for the page, and what the module says of that.
 */
static void do_slow(char **args)
{
	static char filled[PAGE] __attribute__((aligned(PAGE)));
	long long end, stalled = 0;
	struct tg_snap_client row;
	static struct call call;
	uint64_t others;
	uint32_t seq = 0;
	pthread_t thread;
	struct chan ch;

	chan_new(&ch, open_node(), number(args[1]));
	slow.ms = number(args[0]);
	slow.filled = filled;
	if (slow.ms) {
		slow.fd = fault_page(&slow.page);
		if (pthread_create(&thread, NULL, serve_slowly, NULL))
			fail("no thread");
	}
	run_group(&ch, ++seq);
	raise(SIGSTOP);
	end = now_ns() + number(args[2]) * MS;
	while (now_ns() < end) {
		call_init(&call, &ch, ++seq);
		if (slow.ms) {
			memcpy(filled, call.push, sizeof(call.push[0]));
			if (madvise(slow.page, PAGE, MADV_DONTNEED))
				fail("madvise: %s", strerror(errno));
			call.req.push = (uintptr_t)slow.page;
		}
		must("submission", talk(ch.fd, PUSHBUF, &call.req));
		if (slow.ms)
			stalled += now_ns() - slow.faulted;
		must("wait", chan_wait(&ch));
	}
	memset(&row, 0, sizeof(row));
	if (counted)
		snapshot(&row, &others);
	printf("{\"groups\":%u,\"stalled_us\":%lld,\"held_us\":%llu,\"gpu_time_us\":%lld}\n", seq,
	       stalled / 1000, row.held_time / 1000, row.gpu_time / 1000);
}

static atomic_uint alarms, patience;

/*
 * A debug kernel may need longer for a submission than from alarm to alarm, and a submission that
 * nouveau begins anew after each would never get through.
 */
static void on_alarm(int sig)
{
	static struct itimerval every = { { 0, 5000 }, { 0, 5000 } };

	(void)sig;
	alarms++;
	if (++patience % 256)
		return;
	every.it_interval.tv_usec = every.it_value.tv_usec *= 2;
	setitimer(ITIMER_REAL, &every, NULL);
}

/* Stops and continues its parent all the time, now and then for longer than a place is kept. */
static void torment(void)
{
	pid_t parent = getppid();
	unsigned int i;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (i = 1;; i++) {
		sleep_ms(37);
		if (kill(parent, SIGSTOP))
			_exit(0);
		sleep_ms(i % 8 ? 3 : 250);
		kill(parent, SIGCONT);
	}
}

/*
 * signals N COST: N groups while alarms go off every 5 ms or more, and it is stopped and continued all the
 * time. Interrupted waits keep their place: of those that came back in time, none counts twice.
 */
static void do_signals(char **args)
{
	struct sigaction act = { .sa_handler = on_alarm };
	struct itimerval every = { { 0, 5000 }, { 0, 5000 } }, never = { 0 };
	long long parked = stat_value("parked"), resumed = stat_value("resumed");
	unsigned int i, n = number(args[0]);
	struct chan ch;
	pid_t child;
	int ret;

	chan_new(&ch, open_node(), number(args[1]));
	sigaction(SIGALRM, &act, NULL);
	child = fork();
	if (!child)
		torment();
	setitimer(ITIMER_REAL, &every, NULL);
	for (i = 1; i <= n; i++) {
		patience = 0;
		ret = submit(&ch, i);
		if (!ret)
			ret = chan_wait(&ch);
		if (ret || result(&ch, i) != i)
			fail("group %u: %s; it left %u behind", i, strerror(-ret), result(&ch, i));
	}
	setitimer(ITIMER_REAL, &never, NULL);
	kill(child, SIGKILL);
	kill(getpid(), SIGCONT);
	waitpid(child, NULL, 0);
	parked = stat_value("parked") - parked;
	resumed = stat_value("resumed") - resumed;
	if (counted && (!resumed || !alarms))
		fail("%u alarms, but only %lld waits interrupted and %lld resumed", alarms, parked,
		     resumed);
	/* a place that was given up is one more submission, the one before is cancelled */
	counters_must_be(n + parked - resumed, n, 0);
	printf("%u alarms, %lld waits interrupted, %lld of them resumed\n", alarms, parked,
	       resumed);
}

/* threads COST: two channels, each in its own thread, until killed */
static void do_threads(char **args)
{
	unsigned int cost_us = number(args[0]);
	int fd = open_node();
	struct worker a, b;

	worker_start(&a, fd, cost_us, 2);
	worker_start(&b, fd, cost_us, 2);
	printf("running\n");
	fflush(stdout);
	pthread_join(a.thread, NULL);
	fail("a thread ended: %s", strerror(-a.ret));
}

/*
 * fork N COST: a process opens the device, submits, and leaves it to its child, which goes on with
 * the same channel after its parent has ended: it is a client of its own.
 */
static void do_fork(char **args)
{
	unsigned int i, n = number(args[0]);
	struct tg_snap_client row;
	uint64_t others;
	struct chan ch;
	int pipe_fd[2], status;
	char byte;
	pid_t pid;

	if (pipe(pipe_fd) || prctl(PR_SET_CHILD_SUBREAPER, 1))
		fail("pipe: %s", strerror(errno));
	pid = fork();
	if (!pid) {
		chan_new(&ch, open_node(), number(args[1]));
		run_group(&ch, 1);
		pid = fork();
		if (pid)
			_exit(pid < 0);
		close(pipe_fd[1]);
		if (read(pipe_fd[0], &byte, 1))
			fail("pipe");
		for (i = 2; i <= n + 1; i++)
			run_group(&ch, i);
		counters_must_be(n, n, 0);
		if (counted && snapshot(&row, &others) && row.pid != (uint32_t)getpid())
			fail("the child's client is process %u", row.pid);
		exit(0);
	}
	close(pipe_fd[0]);
	if (waitpid(pid, &status, 0) != pid || status)
		fail("the parent: status 0x%x", status);
	close(pipe_fd[1]);	/* the parent has gone: go on */
	pid = wait(&status);
	if (pid < 0 || status)
		fail("the child: status 0x%x", status);
	printf("%u groups by the child\n", n);
}

/* A group every 20 ms until one of @set comes */
static void go_on(const struct chan *ch, const sigset_t *set)
{
	const struct timespec nap = { .tv_nsec = 20 * MS };
	uint32_t seq = 1;

	do
		run_group(ch, seq++);
	while (sigtimedwait(set, NULL, &nap) < 0);
}

/*
 * become PROGRAM COST: work until SIGUSR1 comes, then execute PROGRAM, this one by another name,
 * which goes on with the channel
 */
static void do_become(char **args)
{
	int fd = open("/dev/dri/renderD128", O_RDWR);	/* stays open */
	char numbers[5][16];
	struct chan ch;
	sigset_t set;

	if (fd < 0)
		fail("/dev/dri/renderD128: %s", strerror(errno));
	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigprocmask(SIG_BLOCK, &set, NULL);
	chan_new(&ch, fd, number(args[1]));
	go_on(&ch, &set);
	snprintf(numbers[0], sizeof(numbers[0]), "%d", ch.fd);
	snprintf(numbers[1], sizeof(numbers[1]), "%d", ch.id);
	snprintf(numbers[2], sizeof(numbers[2]), "%u", ch.handle);
	snprintf(numbers[3], sizeof(numbers[3]), "%u", ch.words);
	snprintf(numbers[4], sizeof(numbers[4]), "%u", ch.patch);
	execl(args[0], args[0], "became", numbers[0], numbers[1], numbers[2], numbers[3],
	      numbers[4], NULL);
	fail("%s: %s", args[0], strerror(errno));
}

/* became FD CHANNEL BUFFER WORDS PATCH: what `become` has left, until killed */
static void do_became(char **args)
{
	struct chan ch = {
		.fd = number(args[0]), .id = number(args[1]), .handle = number(args[2]),
		.words = number(args[3]), .patch = number(args[4]),
	};
	struct drm_nouveau_gem_info info = { .handle = ch.handle };
	sigset_t none;
	void *map;

	must("GEM_INFO", talk(ch.fd, DRM_IOWR(DRM_COMMAND_BASE + DRM_NOUVEAU_GEM_INFO,
					      struct drm_nouveau_gem_info), &info));
	map = mmap(NULL, BUFFER_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, ch.fd,
		   info.map_handle);
	if (map == MAP_FAILED)
		fail("mmap of a buffer: %s", strerror(errno));
	ch.map = map;
	sigemptyset(&none);
	go_on(&ch, &none);
}

/*
 * until-gone COST: submit until the device goes, tell the kernel's log, and keep the file open:
 * what the log says then has an order.
 */
static void do_until_gone(char **args)
{
	unsigned int cost_us = number(args[0]);
	char line[128];
	uint32_t seq;
	struct chan ch;
	int ret, fd, len;

	chan_new(&ch, open_node(), cost_us);
	fd = open("/dev/kmsg", O_WRONLY | O_CLOEXEC);
	printf("running\n");
	fflush(stdout);
	for (seq = 1;; seq++) {
		ret = submit(&ch, seq);
		if (ret)
			break;
		ret = chan_wait(&ch);
		if (ret)
			break;
	}
	len = snprintf(line, sizeof(line), "abuse: process %d: %s\n", getpid(), strerror(-ret));
	if (write(fd, line, len) != len)
		fail("/dev/kmsg: %s", strerror(errno));
	for (;;)
		pause();
}

/* --- push buffers, as the predictor reads them --- */

#define NOPS		96		/* words that the swapper plays with */
#define HEAD(n, mthd)	((uint32_t)(n) << 18 | SUBCHANNEL << 13 | (mthd))
#define AGAIN		0x40000000u	/* all data to the same method */
#define NOP		0x0100

/**
 * struct swap - a group whose words another thread changes all the time
 * @words: its push buffer; first a NOP of NOPS words that are themselves NOPs without data, so
 *	that wherever a reader takes the next command to be, it finds one
 * @grid: index of the word that says how much work there is
 * @sizes: what it may say
 * @end: stop
 */
struct swap {
	volatile uint32_t *words;
	uint32_t grid, sizes[2];
	atomic_bool end;
};

static void *swapper(void *arg)
{
	struct swap *s = arg;
	uint32_t i;

	for (i = 0; !s->end; i = i * 1664525 + 1013904223) {
		s->words[0] = HEAD(i >> 8 & 1 ? NOPS : NOPS / 2, NOP) | AGAIN;
		s->words[1 + NOPS / 2] = HEAD(i >> 9 & 1 ? NOPS / 2 - 1 : 0, NOP) | AGAIN;
		s->words[s->grid] = s->sizes[i >> 10 & 1];
	}
	return NULL;
}

static struct drm_nouveau_gem_info buffer_new(int fd, uint32_t domain, uint32_t size)
{
	struct drm_nouveau_gem_new buffer = {
		.info = { .domain = domain | NOUVEAU_GEM_DOMAIN_MAPPABLE, .size = size },
		.align = PAGE,
	};

	must("GEM_NEW", talk(fd, DRM_IOWR(DRM_COMMAND_BASE + DRM_NOUVEAU_GEM_NEW,
					  struct drm_nouveau_gem_new), &buffer));
	return buffer.info;
}

static void *buffer_map(int fd, const struct drm_nouveau_gem_info *info)
{
	void *map = mmap(NULL, info->size, PROT_READ | PROT_WRITE, MAP_SHARED, fd,
			 info->map_handle);

	if (map == MAP_FAILED)
		fail("mmap of a buffer: %s", strerror(errno));
	return map;
}

/* One more buffer for a call, which its push buffer is in. */
static void call_from(struct call *call, uint32_t handle, uint32_t domain, uint64_t offset,
		      uint32_t words)
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

/*
 * swap N SHORT LONG: N groups whose commands change while the kernel reads them: their number, their
 * shape, and whether they take SHORT or LONG. Each third one points beyond its object, into
 * another one behind it.
 */
static void do_swap(char **args)
{
	unsigned int n = number(args[0]), i, beyond = 0;
	uint32_t small = number(args[1]), large = number(args[2]);
	struct drm_nouveau_gem_info one, two;
	struct swap s = { };
	struct tgl_work work;
	struct call call;
	pthread_t thread;
	struct chan ch;
	uint8_t *at;
	int fd = open_node();

	chan_new(&ch, fd, small);
	one = buffer_new(fd, NOUVEAU_GEM_DOMAIN_GART, PAGE);
	two = buffer_new(fd, NOUVEAU_GEM_DOMAIN_GART, PAGE);
	if (two.offset != one.offset + PAGE && one.offset != two.offset + PAGE)
		fail("two buffers of a page lie at 0x%llx and 0x%llx",
		     (unsigned long long)one.offset, (unsigned long long)two.offset);
	if (two.offset < one.offset) {
		struct drm_nouveau_gem_info first = two;

		two = one;
		one = first;
	}
	/* All of the group is in the second one; to point there from the first is to point beyond. */
	at = buffer_map(fd, &two);
	s.words = (uint32_t *)at;
	s.words[0] = HEAD(NOPS, NOP) | AGAIN;
	for (i = 1; i <= NOPS; i++)
		s.words[i] = HEAD(0, NOP);
	memcpy(at + (1 + NOPS) * 4, ch.map, ch.words * 4);
	for (i = 1 + NOPS; i < 1 + NOPS + ch.words && s.words[i] != HEAD(1, 0x03a4); i++)
		;
	s.grid = i + 1;
	work = tgl_work_size(&tgl_g92, TGL_COMPUTE, small * 1000ull);
	s.sizes[0] = work.grid_y << 16 | work.grid_x;
	work = tgl_work_size(&tgl_g92, TGL_COMPUTE, large * 1000ull);
	s.sizes[1] = work.grid_y << 16 | work.grid_x;
	if (s.words[s.grid] != s.sizes[0])
		fail("no size of the grid in a group");
	if (pthread_create(&thread, NULL, swapper, &s))
		fail("no thread");
	for (i = 1; i <= n; i++) {
		call_init(&call, &ch, 1);
		if (i % 3) {
			call_from(&call, two.handle, NOUVEAU_GEM_DOMAIN_GART, 0,
				  1 + NOPS + ch.words);
		} else {
			/* from within, over the end; or beyond from the start */
			call_from(&call, one.handle, NOUVEAU_GEM_DOMAIN_GART,
				  i % 2 ? PAGE : PAGE - 16, 1 + NOPS + ch.words + (i % 2 ? 0 : 4));
			call.bo[0].handle = two.handle;
			beyond++;
		}
		must("submission", talk(fd, PUSHBUF, &call.req));
		if (i % 4 == 0)
			must("wait", chan_wait(&(struct chan){ .fd = fd, .handle = two.handle }));
	}
	must("wait", chan_wait(&(struct chan){ .fd = fd, .handle = two.handle }));
	s.end = true;
	pthread_join(thread, NULL);
	counters_must_be(n, n, 0);
	printf("{\"channel\":%d,\"groups\":%u,\"beyond\":%u}\n", ch.id, n, beyond);
	fflush(stdout);
	sleep_ms(3000);		/* whoever started us has a look at our counters */
}

/* vram N COST: N groups whose push buffers lie in the card's own memory */
static void do_vram(char **args)
{
	unsigned int n = number(args[0]), i;
	struct drm_nouveau_gem_info info;
	struct call call;
	struct chan ch;
	void *map;
	int fd = open_node();

	chan_new(&ch, fd, number(args[1]));
	info = buffer_new(fd, NOUVEAU_GEM_DOMAIN_VRAM, PAGE);
	map = buffer_map(fd, &info);
	memcpy(map, ch.map, ch.words * 4);
	for (i = 1; i <= n; i++) {
		call_init(&call, &ch, SLOTS);
		((volatile uint32_t *)map)[ch.patch] = i;
		call_from(&call, info.handle, NOUVEAU_GEM_DOMAIN_VRAM, 0, ch.words);
		must("submission", talk(fd, PUSHBUF, &call.req));
		must("wait", chan_wait(&ch));
		if (result(&ch, SLOTS) != i)
			fail("group %u completed, but left %u behind", i, result(&ch, SLOTS));
	}
	counters_must_be(n, n, 0);
	printf("{\"channel\":%d,\"groups\":%u}\n", ch.id, n);
	fflush(stdout);
	sleep_ms(3000);
}

static int by_size(const void *a, const void *b)
{
	const long long *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* The buffer as a dma-buf: polling it asks for its fence's interrupt, and does not wait for it. */
static int chan_export(const struct chan *ch)
{
	struct drm_prime_handle prime = { .handle = ch->handle, .flags = DRM_CLOEXEC };

	must("export", talk(ch->fd, DRM_IOCTL_PRIME_HANDLE_TO_FD, &prime));
	return prime.fd;
}

/* What tg_probe says of the last submission: ns in nouveau's handler; 0 where it is not loaded. */
static long long inside_ns(int probe)
{
	char text[32] = "";

	if (probe < 0)
		return 0;
	must("the probe", pread(probe, text, sizeof(text) - 1, 0) < 1 ? -errno : 0);
	return atoll(text);
}

static long long median(long long *of, unsigned int n)
{
	qsort(of, n, sizeof(*of), by_size);
	return of[n / 2];
}

/*
 * ioctl N COST: how long the submission takes, each with nothing in flight, and how long it takes together
 * with asking for the fence's interrupt; both also without what nouveau's handler takes of it, where tg_probe is
 * loaded; medians of N, in ns
 */
static void do_ioctl(char **args)
{
	int probe = open("/sys/module/tg_probe/parameters/inside_ns", O_RDONLY);
	unsigned int n = number(args[0]), i;
	long long *took[4], at, inside;
	struct pollfd fence = { .events = POLLOUT };
	struct call call;
	struct chan ch;

	for (i = 0; i < 4; i++)
		took[i] = calloc(n, sizeof(*took[i]));
	chan_new(&ch, open_node(), number(args[1]));
	fence.fd = chan_export(&ch);
	run_group(&ch, 1);
	for (i = 0; i < n; i++) {
		call_init(&call, &ch, i + 2);	/* clears 12 KiB, which is no part of it */
		at = now_ns();
		must("submission", talk(ch.fd, PUSHBUF, &call.req));
		took[0][i] = now_ns() - at;
		must("poll", poll(&fence, 1, 0) < 0 ? -errno : 0);
		took[1][i] = now_ns() - at;
		inside = inside_ns(probe);
		took[2][i] = took[0][i] - inside;
		took[3][i] = took[1][i] - inside;
		must("wait", chan_wait(&ch));
	}
	printf("{\"ioctl_ns\":%lld,\"fence_ns\":%lld", median(took[0], n), median(took[1], n));
	if (probe >= 0)
		printf(",\"ioctl_around_ns\":%lld,\"fence_around_ns\":%lld", median(took[2], n), median(took[3], n));
	puts("}");
}

/* From the kernel's nouveau_drm.h of 6.6 and later. */
struct vm_init {
	uint64_t unmanaged_addr, unmanaged_size;
};

struct exec_push {
	uint64_t va;
	uint32_t va_len, flags;
};

struct exec {
	uint32_t channel, push_count, wait_count, sig_count;
	uint64_t wait_ptr, sig_ptr, push_ptr;
};

struct exec_sync {
	uint32_t flags, handle;
	uint64_t timeline_value;
};

/*
 * exec N: N submissions by EXEC, where the kernel has it. Each push is empty: the page tables of
 * this card's generation are not for VM_BIND, so there is nothing that it could point at.
 */
static void do_exec(char **args)
{
	struct drm_nouveau_channel_alloc alloc = {
		.fb_ctxdma_handle = HANDLE_VRAM, .tt_ctxdma_handle = HANDLE_GART,
	};
	struct vm_init init = { .unmanaged_addr = 1ull << 32, .unmanaged_size = 1ull << 32 };
	unsigned int n = number(args[0]), i;
	struct exec_push push = { .va = 1ull << 33 };
	struct exec_sync sync = { };
	struct exec exec = {
		.push_count = 1, .push_ptr = (uintptr_t)&push,
		.sig_count = 1, .sig_ptr = (uintptr_t)&sync,
	};
	int fd = open_node(), ret;

	ret = talk(fd, DRM_IOWR(DRM_COMMAND_BASE + 0x10, struct vm_init), &init);
	if (ret == -EINVAL || ret == -ENOTTY) {
		printf("this kernel has no EXEC\n");
		return;
	}
	must("VM_INIT", ret);
	must("CHANNEL_ALLOC", talk(fd, DRM_IOWR(DRM_COMMAND_BASE + DRM_NOUVEAU_CHANNEL_ALLOC,
						struct drm_nouveau_channel_alloc), &alloc));
	exec.channel = alloc.channel;
	for (i = 0; i < n; i++) {
		must("a syncobj", drmSyncobjCreate(fd, 0, &sync.handle));
		must("EXEC", talk(fd, DRM_IOWR(DRM_COMMAND_BASE + 0x12, struct exec), &exec));
		must("its fence", drmSyncobjWait(fd, &sync.handle, 1, now_ns() + 5000 * MS, 0, NULL));
		must("a syncobj", drmSyncobjDestroy(fd, sync.handle));
	}
	counters_must_be(n, n, 0);
	printf("%u by EXEC\n", n);
}

static const struct {
	const char *name;
	int args;
	void (*run)(char **args);
	const char *help;
} commands[] = {
	{ "exit", 2, do_exit, "N COST: end with N groups in flight" },
	{ "free", 1, do_free, "COST: free a channel while a thread waits to submit to it" },
	{ "errors", 1, do_errors, "COST: each error of nouveau's, before and after emission" },
	{ "busy", 1, do_busy, "COST: outlast nouveau's own wait" },
	{ "stuck", 1, do_stuck, "MS: be stuck in a page fault inside the driver (0: for ever)" },
	{ "slow", 3, do_slow, "MS COST FOR: such faults of MS ms in each group, for FOR ms" },
	{ "signals", 2, do_signals, "N COST: N groups under a storm of signals" },
	{ "threads", 1, do_threads, "COST: two channels in two threads, until killed" },
	{ "fork", 2, do_fork, "N COST: leave the channel to a child" },
	{ "become", 2, do_become, "PROGRAM COST: execute PROGRAM, a copy, which goes on with the channel" },
	{ "became", 5, do_became, "FD CHANNEL BUFFER WORDS PATCH: what become leaves" },
	{ "swap", 3, do_swap, "N SHORT LONG: groups that change while they are read" },
	{ "vram", 2, do_vram, "N COST: groups whose push buffers lie in VRAM" },
	{ "exec", 1, do_exec, "N: empty groups by EXEC" },
	{ "ioctl", 2, do_ioctl, "N COST: how long a submission takes, alone and with its fence's interrupt" },
	{ "until-gone", 1, do_until_gone, "COST: until the device goes; stay" },
};

static void explain(void)
{
	unsigned int i;

	fprintf(stderr, "usage: abuse [-m] [-n NAME] COMMAND ARG...; costs in us\n"
			"  -m       timegraph is loaded: look at its counters\n"
			"  -n NAME  name of the process\n");
	for (i = 0; i < ARRAY_SIZE(commands); i++)
		fprintf(stderr, "  %s %s\n", commands[i].name, commands[i].help);
	exit(2);
}

int main(int argc, char **argv)
{
	unsigned int i;
	int opt;

	while ((opt = getopt(argc, argv, "+mn:")) != -1) {
		if (opt == 'm')
			counted = true;
		else if (opt == 'n')
			prctl(PR_SET_NAME, optarg);
		else
			explain();
	}
	argv += optind;
	for (i = 0; *argv && i < ARRAY_SIZE(commands); i++) {
		if (strcmp(*argv, commands[i].name) || argc - optind - 1 != commands[i].args)
			continue;
		commands[i].run(argv + 1);
		return 0;
	}
	explain();
}
