// SPDX-License-Identifier: GPL-2.0
/*
 * vfu.c - the vfio-user server of cardd, spoken to over a socket pair as QEMU would, and as
 * nobody should.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "lib.h"
#include "../../tools/cardd/vfu.h"

s64 clock_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000000ll + ts.tv_nsec;
}

struct message {
	struct vfu_head head;
	u8 body[8192];
};

static struct vfu *vfu;
static struct card *card;
static void *vram;
static int fd;

static void setup(void)
{
	struct card_config config = { .chip = "G92", .vram_mib = 64, .scale = 1 };
	struct card_host host;
	int pair[2];

	if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair))
		exit(1);
	vram = calloc(1, 64 << 20);
	config.vram = vram;
	vfu = vfu_create();
	host = vfu_card_host(vfu);
	card = card_create(&config, &host, clock_ns());
	vfu_attach(vfu, card, pair[1]);
	fd = pair[0];
}

static void teardown(void)
{
	close(fd);
	vfu_destroy(vfu);
	card_destroy(card);
	free(vram);
}

static void put(const void *buf, size_t len, int pass)
{
	if (!vfu_send(fd, buf, len, pass))
		exit(1);
}

static void request(u16 cmd, u32 flags, const void *body, u32 len, int pass)
{
	struct message m = { .head = { 7, cmd, (u32)sizeof(m.head) + len, flags, 0 } };

	memcpy(m.body, body, len);
	put(&m, m.head.size, pass);
}

/* Returns the length of the answer's body, -1 for none, or a negative error number below that. */
static int answer(struct message *m)
{
	ssize_t n;

	memset(m, 0, sizeof(*m));
	n = recv(fd, m, sizeof(*m), MSG_DONTWAIT);
	if (n < (ssize_t)sizeof(m->head))
		return -1;
	if (m->head.flags & 0x20)
		return -(int)m->head.error - 1;
	return (int)n - (int)sizeof(m->head);
}

static int call(u16 cmd, const void *body, u32 len, int pass, struct message *m)
{
	request(cmd, 0, body, len, pass);
	if (!vfu_serve(vfu))
		return -1000;
	return answer(m);
}

/* Each request with its body in words; what comes back. */
static const struct {
	const char *name;
	u16 cmd;
	u32 word[8];
	u32 len;
	int want;		/* length of the answer's body, or -1 - errno */
	u32 at;			/* word of the body to look at */
	u32 value;
} calls[] = {
	{ "version 0.0", 1, { 1 }, 4, 66, 0, 0 },
	{ "device information: a PCI function that can be reset", 4, { 16 }, 16, 16, 1, 3 },
	{ "its regions", 4, { 16 }, 16, 16, 2, 9 },
	{ "BAR0: 16 MiB", 5, { 32, 0, 0 }, 32, 32, 4, 16 << 20 },
	{ "BAR1: 256 MiB", 5, { 32, 0, 1 }, 32, 32, 4, 256 << 20 },
	{ "BAR2: none", 5, { 32, 0, 2 }, 32, 32, 4, 0 },
	{ "configuration space: 256 bytes", 5, { 32, 0, 7 }, 32, 32, 4, 256 },
	{ "a region that there cannot be", 5, { 32, 0, 9 }, 32, -1 - 22, 0, 0 },
	{ "INTx", 7, { 16, 0, 0 }, 16, 16, 3, 1 },
	{ "MSI", 7, { 16, 0, 1 }, 16, 16, 3, 1 },
	{ "no MSI-X", 7, { 16, 0, 2 }, 16, 16, 3, 0 },
	{ "an interrupt that there cannot be", 7, { 16, 0, 5 }, 16, -1 - 22, 0, 0 },
	{ "read a register", 9, { 0, 0, 0, 4 }, 16, 20, 4, 0x092000a2 },
	{ "read configuration space", 9, { 0, 0, 7, 4 }, 16, 20, 4, 0x060510de },
	{ "write a register", 10, { 0x1700, 0, 0, 4, 0x12 }, 20, 16, 3, 4 },
	{ "read it back", 9, { 0x1700, 0, 0, 4 }, 16, 20, 4, 0x12 },
	{ "read nothing", 9, { 0, 0, 0, 0 }, 16, -1 - 22, 0, 0 },
	{ "read too much", 9, { 0, 0, 0, 4097 }, 16, -1 - 22, 0, 0 },
	{ "write more than was sent", 10, { 0x1700, 0, 0, 64, 0x12 }, 20, -1 - 22, 0, 0 },
	{ "a request that is too short", 9, { 0 }, 4, -1 - 22, 0, 0 },
	{ "an unknown request", 99, { 0 }, 0, -1 - 95, 0, 0 },
	{ "reset", 13, { 0 }, 0, 0, 0, 0 },
	{ "which it was", 9, { 0x1700, 0, 0, 4 }, 16, 20, 4, 0 },
	{ "guest memory of no size", 2, { 32, 3, 0, 0, 0, 0, 0, 0 }, 32, -1 - 22, 0, 0 },
};

static void run_calls(void)
{
	struct message m;

	setup();
	for (u32 i = 0; i < ARRAY_LEN(calls); i++) {
		int got = call(calls[i].cmd, calls[i].word, calls[i].len, -1, &m);
		u32 value;

		memcpy(&value, m.body + 4 * calls[i].at, sizeof(value));
		/* the version's capabilities may grow */
		if (calls[i].cmd == 1)
			check(got > 8 && !value && strstr((char *)m.body + 4, "\"capabilities\""),
			      calls[i].name, "%d bytes, %#x", got, value);
		else
			check(got == calls[i].want && (got <= 0 || value == calls[i].value),
			      calls[i].name, "%d, want %d; %#x, want %#x", got, calls[i].want,
			      value, calls[i].value);
	}
	teardown();
}

static void run_stream(void)
{
	u32 read_boot[] = { 0, 0, 0, 4 }, write_window[] = { 0x1700, 0, 0, 4, 0x34 };
	struct message m, two[2];
	u64 waited, posted;
	u32 value;

	setup();
	request(10, 0x10, write_window, sizeof(write_window), -1);
	check(vfu_serve(vfu) && answer(&m) == -1, "a posted write has no answer", "it has");
	vfu_messages(vfu, &waited, &posted);
	check(!waited && posted == 1, "and is counted as posted", "%llu %llu",
	      (unsigned long long)waited, (unsigned long long)posted);

	/* byte by byte */
	m = (struct message){ .head = { 9, 9, 32, 0, 0 } };
	memcpy(m.body, read_boot, sizeof(read_boot));
	for (u32 i = 0; i < 32; i++) {
		put((u8 *)&m + i, 1, -1);
		vfu_serve(vfu);
	}
	check(answer(&m) == 20 && m.head.id == 9, "a message in 32 pieces", "%#x", m.head.id);

	/* two in one piece */
	for (u32 i = 0; i < 2; i++) {
		two[i] = (struct message){ .head = { (u16)(20 + i), 9, 32, 0, 0 } };
		memcpy(two[i].body, read_boot, sizeof(read_boot));
	}
	memmove((u8 *)two + 32, &two[1], 32);
	put(two, 64, -1);
	vfu_serve(vfu);
	check(recv(fd, two, 72, MSG_DONTWAIT) == 72 && two[0].head.id == 20,
	      "two messages in one piece", "other");
	memcpy(&value, (u8 *)two + 36 + 32, sizeof(value));
	check_eq("the second one's answer", value, 0x092000a2);

	/* an answer to nothing */
	request(9, 1, read_boot, sizeof(read_boot), -1);
	check(vfu_serve(vfu) && answer(&m) == -1, "an answer is not answered", "it is");

	/* sizes that cannot be */
	m = (struct message){ .head = { 1, 9, 15, 0, 0 } };
	put(&m, 16, -1);
	check(!vfu_serve(vfu), "a message shorter than its header ends it", "it goes on");
	teardown();
	setup();
	m = (struct message){ .head = { 1, 9, 0x7fffffff, 0, 0 } };
	put(&m, 16, -1);
	check(!vfu_serve(vfu), "so does one that is too long", "it goes on");
	teardown();
	setup();
	close(fd);
	check(!vfu_serve(vfu), "and the client's leaving", "it goes on");
	fd = -1;
	teardown();
}

static bool fired(int event)
{
	u64 n;

	return read(event, &n, sizeof(n)) == sizeof(n);
}

static void reg_write(u32 off, u32 val)
{
	u32 words[] = { off, 0, 0, 4, val };
	struct message m;

	call(10, words, sizeof(words), -1, &m);
}

/* The PTIMER alarm makes an interrupt with nothing else around. */
static void alarm_now(void)
{
	reg_write(0x9100, 1);
	reg_write(0x9420, 0);
	reg_write(0x9140, 1);
	reg_write(0x9410, 0);
	reg_write(0x9400, 0xffffffe0);
	usleep(1000);
	card_advance(card, clock_ns());
}

static void run_interrupts(void)
{
	int event = eventfd(0, EFD_NONBLOCK);
	u32 on[] = { 20, 0x24, 0, 0, 1 }, unmask[] = { 20, 0x11, 0, 0, 1 };
	u32 off[] = { 20, 0x21, 0, 0, 0 }, msi[] = { 20, 0x24, 1, 0, 1 };
	u32 two[] = { 20, 0x24, 0, 0, 2 };
	struct message m;

	setup();
	check_eq("INTx gets its event", (u64)call(8, on, sizeof(on), event, &m), 0);
	reg_write(0x140, 1);
	check(!fired(event), "nothing yet", "it fired");
	alarm_now();
	check(fired(event), "the pin rises: it fires", "it did not");
	alarm_now();
	check(!fired(event), "masked since: it does not fire again", "it did");
	call(8, unmask, sizeof(unmask), -1, &m);
	check(fired(event), "unmasked with the pin high: it does", "it did not");
	reg_write(0x9100, 1);
	call(8, unmask, sizeof(unmask), -1, &m);
	check(!fired(event), "unmasked with the pin low: nothing", "it fired");
	check_eq("switched off", (u64)call(8, off, sizeof(off), -1, &m), 0);
	alarm_now();
	check(!fired(event), "then it is silent", "it fired");
	check_eq("MSI gets its event", (u64)call(8, msi, sizeof(msi), event, &m), 0);
	check(fired(event), "what is pending is sent", "it is not");
	check_eq("more than one vector", (u64)-call(8, two, sizeof(two), -1, &m), 23);
	teardown();
	close(event);
}

static void run_memory(void)
{
	/* addresses 0x100000-0x110fff, twice mapped, then a piece of it unmapped */
	u32 map[] = { 32, 3, 0x1000, 0, 0x100000, 0, 0x10000, 0 };
	u32 over[] = { 32, 3, 0, 0, 0x10f000, 0, 0x2000, 0 };
	u32 ro[] = { 32, 1, 0, 0, 0x200000, 0, 0x1000, 0 };
	u32 blind[] = { 32, 3, 0, 0, 0x300000, 0, 0x1000, 0 };
	u32 huge[] = { 32, 3, 0, 0, 0xffff0000, 0xffffffff, 0x20000, 0 };
	u32 beyond[] = { 32, 3, 0x18000, 0, 0x400000, 0, 0x10000, 0 };
	u32 after[] = { 32, 3, 0x20000, 0, 0x400000, 0, 0x1000, 0 };
	u32 wraps[] = { 32, 3, 0xfffff000, 0xffffffff, 0x400000, 0, 0x2000, 0 };
	u32 last[] = { 32, 3, 0x1f000, 0, 0x400000, 0, 0x1000, 0 };
	u32 part[] = { 24, 0, 0x100000, 0, 0x1000, 0 };
	u32 unmap[] = { 24, 0, 0x100000, 0, 0x10000, 0 };
	u32 all[] = { 24, 2, 0, 0, 0, 0 };
	int mem = memfd_create("guest", 0);
	struct card_host host;
	struct message m;
	u8 *p;

	if (ftruncate(mem, 0x20000))
		exit(1);
	setup();
	host = vfu_card_host(vfu);
	check_eq("guest memory is mapped", (u64)call(2, map, sizeof(map), mem, &m), 0);
	check_eq("not twice", (u64)-call(2, over, sizeof(over), mem, &m), 1 + 17);
	check_eq("nor around the end", (u64)-call(2, huge, sizeof(huge), mem, &m), 1 + 22);
	check_eq("nor beyond the file's end", (u64)-call(2, beyond, sizeof(beyond), mem, &m),
		 1 + 22);
	check_eq("nor behind it", (u64)-call(2, after, sizeof(after), mem, &m), 1 + 22);
	check_eq("nor from an offset that wraps", (u64)-call(2, wraps, sizeof(wraps), mem, &m),
		 1 + 22);
	check_eq("but up to it", (u64)call(2, last, sizeof(last), mem, &m), 0);
	p = host.dma(host.ctx, 0x100123, 4, true);
	check(p, "an address in it", "none");
	if (p)
		memcpy(p, "abcd", 4);
	{
		char back[4] = "";

		check(pread(mem, back, 4, 0x1123) == 4 && !memcmp(back, "abcd", 4),
		      "is where the offset says", "%.4s", back);
	}
	check(host.dma(host.ctx, 0x10fffc, 4, true), "its last bytes", "none");
	check(!host.dma(host.ctx, 0x10fffd, 4, true), "past its end", "some");
	check(!host.dma(host.ctx, 0xfffff, 1, true), "before it", "some");
	call(2, ro, sizeof(ro), mem, &m);
	check(host.dma(host.ctx, 0x200000, 4, false) && !host.dma(host.ctx, 0x200000, 4, true),
	      "read-only memory can only be read", "not so");
	check_eq("memory without a descriptor", (u64)call(2, blind, sizeof(blind), -1, &m), 0);
	check(!host.dma(host.ctx, 0x300000, 4, false), "cannot be seen", "it can");
	call(3, part, sizeof(part), -1, &m);
	check(host.dma(host.ctx, 0x100123, 4, true), "unmapping a part of a region does nothing",
	      "gone");
	call(3, unmap, sizeof(unmap), -1, &m);
	check(!host.dma(host.ctx, 0x100123, 4, true), "unmapped", "it is still there");
	call(3, all, sizeof(all), -1, &m);
	check(!host.dma(host.ctx, 0x200000, 4, false), "all unmapped", "some is still there");
	teardown();
	close(mem);
}

int main(void)
{
	run_calls();
	run_stream();
	run_interrupts();
	run_memory();
	return done();
}
