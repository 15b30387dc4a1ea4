// SPDX-License-Identifier: GPL-2.0
/*
 * abuse - push buffers that change while the kernel reads them, or lie in the card's memory; and
 * groups that use much of it.
 */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

#include "abuse.h"

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

/*
 * swap N SHORT LONG: N groups whose commands change while the kernel reads them: their number,
 * their shape, and whether they take SHORT or LONG. Each third one points beyond its object, into
 * another one behind it.
 */
void do_swap(char **args)
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
	/*
	 * All of the group is in the second one; to point there from the first is to point beyond.
	 */
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
	sleep_ms(3000);		/* the case reads our counters meanwhile */
}

/* vram N COST: N groups whose push buffers lie in the card's own memory */
void do_vram(char **args)
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

static volatile sig_atomic_t over;

static void on_term(__attribute__((unused)) int sig)
{
	over = 1;
}

/*
 * An ioctl that needs VRAM. nouveau refuses it where what it must evict is locked by somebody who
 * needs VRAM, too: again, then, for ten seconds.
 */
static void insist(const char *what, int fd, unsigned long request, void *args)
{
	const long long until = now_ns() + 10000 * MS;
	int ret;

	while ((ret = talk(fd, request, args)) == -ENOMEM && now_ns() < until)
		sleep_ms(2);
	must(what, ret);
}

static uint32_t vram_new(int fd, unsigned int mib)
{
	struct drm_nouveau_gem_new buffer = {
		.info = { .domain = NOUVEAU_GEM_DOMAIN_VRAM, .size = (uint64_t)mib << 20,
			  .tile_flags = NOUVEAU_GEM_TILE_NONCONTIG },
		.align = PAGE,
	};

	insist("GEM_NEW", fd, DRM_IOWR(DRM_COMMAND_BASE + DRM_NOUVEAU_GEM_NEW,
				       struct drm_nouveau_gem_new), &buffer);
	return buffer.info.handle;
}

/*
 * evict N MIB PAUSE COST: groups with PAUSE ms between them, until SIGTERM; each uses the next of N
 * objects of so much VRAM. The kernel brings it back where somebody else's has taken its place.
 */
void do_evict(char **args)
{
	const unsigned int n = number(args[0]), mib = number(args[1]), pause = number(args[2]);
	uint32_t seq, handle[16];
	struct call call;
	struct chan ch;

	if (!n || n > ARRAY_SIZE(handle))
		fail("%u objects; 1 to %zu", n, ARRAY_SIZE(handle));
	chan_new(&ch, open_node(), number(args[3]));
	for (seq = 0; seq < n; seq++)
		handle[seq] = vram_new(ch.fd, mib);
	signal(SIGTERM, on_term);
	for (seq = 1; !over; seq++) {
		call_init(&call, &ch, seq);
		call.bo[1] = (struct drm_nouveau_gem_pushbuf_bo){
			.handle = handle[seq % n], .read_domains = NOUVEAU_GEM_DOMAIN_VRAM,
			.valid_domains = NOUVEAU_GEM_DOMAIN_VRAM,
		};
		call.req.nr_buffers = 2;
		insist("submission", ch.fd, PUSHBUF, &call.req);
		must("wait", chan_wait(&ch));
		sleep_ms(pause);
	}
	printf("{\"channel\":%d,\"groups\":%u}\n", ch.id, seq - 1);
}
