// SPDX-License-Identifier: GPL-2.0
/*
 * Fuzzer: cardd's vfio-user server. The input is a stream of messages: command, flags, length and
 * what comes with it in three bytes each, then the body; a command of 0xff sends the body as it is.
 * However it ends, the ground truth adds up.
 */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "lib.h"
#include "../../tools/cardd/vfu.h"

#define VRAM_MIB	64

static s64 now;

s64 clock_ns(void)
{
	return now += 10000;
}

static void drain(int fd)
{
	char buf[8192];

	while (recv(fd, buf, sizeof(buf), MSG_DONTWAIT) > 0)
		;
}

static void stream(struct vfu *vfu, int fd, const u8 *data, size_t size)
{
	static int memory = -1;
	u8 buf[sizeof(struct vfu_head) + 256];
	u16 id = 0;

	if (memory < 0) {
		memory = memfd_create("guest", MFD_CLOEXEC);
		if (ftruncate(memory, 1 << 20))
			abort();
	}
	while (size >= 3) {
		u8 cmd = data[0], flags = data[1], len = data[2];
		struct vfu_head head = { id++, cmd, sizeof(head) + len, flags & 0x3f, 0 };
		int pass = flags & 0x40 ? memory : -1;

		data += 3;
		size -= 3;
		if (len > size)
			len = (u8)size;
		memcpy(buf, &head, sizeof(head));
		memcpy(buf + sizeof(head), data, len);
		if (cmd == 0xff)
			vfu_send(fd, data, len, pass);
		else
			vfu_send(fd, buf, sizeof(head) + len, pass);
		data += len;
		size -= len;
		if (!vfu_serve(vfu))
			return;
		drain(fd);
	}
}

static struct card *make(struct vfu **vfu)
{
	struct card_config config = { .chip = "G92", .vram_mib = VRAM_MIB, .scale = 1 };
	struct card_host host;

	config.vram = mmap(NULL, (size_t)VRAM_MIB << 20, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	*vfu = vfu_create();
	if (config.vram == MAP_FAILED || !*vfu)
		abort();
	host = vfu_card_host(*vfu);
	return card_create(&config, &host, 0);
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	static struct card *card;
	static struct vfu *vfu;
	struct card_truth t;
	int pair[2];

	/* making a card takes longer than a run: all runs share one, and begin with a reset */
	if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair))
		abort();
	if (!card)
		card = make(&vfu);
	vfu_attach(vfu, card, pair[1]);
	card_reset(card, clock_ns());
	stream(vfu, pair[0], data, size);
	card_truth(card, clock_ns(), &t);
	if (t.busy_ns + t.switch_ns + t.idle_ns != t.elapsed_ns)
		abort();
	vfu_detach(vfu);
	close(pair[0]);
	return 0;
}
