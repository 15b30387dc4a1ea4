/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A channel of a G92 that copies, for programs that share device memory: tgshm and dataflow, one file each. An error ends
 * the program, with status 1 and a line on stderr.
 */
#ifndef TESTS_VM_TOOLS_M2MF_H
#define TESTS_VM_TOOLS_M2MF_H

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <nouveau.h>
#include <nvif/cl0080.h>
#include <nvif/class.h>

#define PAGE		4096

#define HANDLE_VRAM	0xbeef0201
#define HANDLE_GART	0xbeef0202
#define HANDLE_NOTIFY	0xbeef0301
#define HANDLE_M2MF	0xbeef5039

static struct nouveau_drm *drm;
static struct nouveau_device *dev;
static struct nouveau_client *client;
static struct nouveau_pushbuf *push;
static struct nouveau_object *chan;
static int fd;

static void __attribute__((noreturn)) die(const char *what)
{
	fprintf(stderr, "%s: %s: %s\n", program_invocation_short_name, what, strerror(errno));
	exit(1);
}

static void need(const char *what, int ret)
{
	if (ret) {
		errno = -ret;
		die(what);
	}
}

static void open_gpu(void)
{
	fd = open("/dev/dri/renderD128", O_RDWR | O_CLOEXEC);
	if (fd < 0)
		die("/dev/dri/renderD128");
}

static void open_channel(void)
{
	struct nv04_fifo fifo = { .vram = HANDLE_VRAM, .gart = HANDLE_GART };
	struct nv04_notify notify = { .length = 32 };
	struct nv_device_v0 args = { .device = ~0ull };
	struct nouveau_object *object;

	open_gpu();
	need("drm", nouveau_drm_new(fd, &drm));
	need("device", nouveau_device_new(&drm->client, NV_DEVICE, &args, sizeof(args), &dev));
	need("client", nouveau_client_new(dev, &client));
	need("channel", nouveau_object_new(&dev->object, 0, NOUVEAU_FIFO_CHANNEL_CLASS, &fifo,
					   sizeof(fifo), &chan));
	need("m2mf", nouveau_object_new(chan, HANDLE_M2MF, 0x5039, NULL, 0, &object));
	need("notifier", nouveau_object_new(chan, HANDLE_NOTIFY, NOUVEAU_NOTIFIER_CLASS, &notify,
					    sizeof(notify), &object));
	need("push", nouveau_pushbuf_new(client, chan, 1, 16 * PAGE, true, &push));
}

static void method(uint32_t to, const uint32_t *words, uint32_t nr)
{
	*push->cur++ = nr << 18 | 5 << 13 | to;
	while (nr--)
		*push->cur++ = *words++;
}

/* The GPU copies @size bytes, whole pages, @times times; not waited for. */
static void copy(struct nouveau_bo *from, uint64_t from_at, struct nouveau_bo *to, uint64_t to_at, uint32_t size,
		 unsigned int times)
{
	struct nouveau_pushbuf_refn refs[] = {
		{ from, (from->flags & NOUVEAU_BO_APER) | NOUVEAU_BO_RD },
		{ to, (to->flags & NOUVEAU_BO_APER) | NOUVEAU_BO_WR },
	};
	const uint64_t a = from->offset + from_at, b = to->offset + to_at;
	const uint32_t high[] = { a >> 32, b >> 32 };
	const uint32_t low[] = { a, b, PAGE, PAGE, PAGE, size / PAGE, 0x0101 };

	need("space", nouveau_pushbuf_space(push, 64 + 16 * times, 0, 0));
	need("refs", nouveau_pushbuf_refn(push, refs, 2));
	method(0x0000, (uint32_t[]){ HANDLE_M2MF }, 1);
	method(0x0180, (uint32_t[]){ HANDLE_NOTIFY, HANDLE_VRAM, HANDLE_VRAM }, 3);
	method(0x0200, (uint32_t[]){ 1 }, 1);
	method(0x021c, (uint32_t[]){ 1 }, 1);
	while (times--) {
		method(0x0238, high, 2);
		method(0x030c, low, 7);
		method(0x0328, (uint32_t[]){ 0 }, 1);
	}
	method(0x0110, (uint32_t[]){ 0 }, 1);
	need("submit", nouveau_pushbuf_kick(push, chan));
}

static void await(struct nouveau_bo *bo)
{
	need("wait", nouveau_bo_wait(bo, NOUVEAU_BO_RDWR, client));
}

static uint32_t pattern(uint32_t seed, uint32_t word)
{
	return (word + seed) * 2654435761u ^ seed;
}

#endif
