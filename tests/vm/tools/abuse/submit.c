// SPDX-License-Identifier: GPL-2.0
/*
 * abuse - submissions that nouveau refuses, or answers after they were emitted; and EXEC.
 */
#include <errno.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include "../uapi.h"
#include "abuse.h"

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
void do_errors(char **args)
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
void do_busy(char **args)
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

/* A file whose addresses are its own, with a channel: what EXEC needs. Return: it has EXEC. */
static bool exec_new(int *fd, uint32_t *channel)
{
	struct vm_init init = {
		.kernel_managed_addr = 1ull << 32, .kernel_managed_size = 1ull << 32,
	};
	int ret;

	*fd = open_node();
	ret = talk(*fd, VM_INIT, &init);
	if (ret == -EINVAL || ret == -ENOTTY) {
		printf("this kernel has no EXEC\n");
		return false;
	}
	must("VM_INIT", ret);
	*channel = channel_alloc(*fd);
	return true;
}

static atomic_uint taken;

/*
 * The page tables of a G80 are not for VM_BIND: a push has nothing to point at, so it is empty. For
 * the card that is an error (IB_EMPTY), and nouveau then skips what the ring holds. If the group's
 * fence is there by then, it is lost with it: nothing may wait for it.
 */
static void *flood(void *arg)
{
	struct exec_push push = { .va = 1ull << 33 };
	struct exec exec = { .push_count = 1, .push_ptr = (uintptr_t)&push };
	int fd;

	(void)arg;
	if (!exec_new(&fd, &exec.channel))
		return NULL;
	for (;;) {
		must("EXEC", talk(fd, EXEC, &exec));
		taken++;
	}
}

/* flood MS: empty groups by EXEC, for MS after the first. How many, and of these not over? */
void do_flood(char **args)
{
	struct tg_snap_client row;
	unsigned int before;
	pthread_t thread;
	uint64_t others;
	int i;

	if (pthread_create(&thread, NULL, flood, NULL))
		fail("no thread");
	for (i = 0; i < 2000 && !taken; i++)	/* a slow machine makes its channel */
		sleep_ms(10);
	sleep_ms(number(args[0]));
	before = taken;
	if (!snapshot(&row, &others))
		fail("the module does not know process %d", getpid());
	printf("%u %llu\n", before, (unsigned long long)(row.submitted - row.completed - row.failed));
}
