// SPDX-License-Identifier: GPL-2.0
/*
 * vfu.c - vfio-user: QEMU's messages in, the card's answers and interrupts out.
 *
 * The protocol is QEMU's docs/interop/vfio-user: a stream of messages with a 16-byte header;
 * requests may carry file descriptors.  Whatever a message says is checked before use; a message
 * that cannot be understood is answered with an error, and one that breaks the framing ends the
 * connection.
 *
 * Called by main.c's loop; the card calls back for interrupts and guest memory.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "vfu.h"

#define MSG_MAX		(1u << 16)	/* largest message: accesses are at most ACCESS_MAX bytes */
#define ACCESS_MAX	4096
#define FDS_MAX		8
#define REGIONS_MAX	256

enum command {
	CMD_VERSION = 1, CMD_DMA_MAP, CMD_DMA_UNMAP, CMD_DEVICE_INFO, CMD_REGION_INFO,
	CMD_REGION_IO_FDS, CMD_IRQ_INFO, CMD_SET_IRQS, CMD_REGION_READ, CMD_REGION_WRITE,
	CMD_DMA_READ, CMD_DMA_WRITE, CMD_DEVICE_RESET,
};

#define FLAG_TYPE	0x0f
#define FLAG_REPLY	0x01
#define FLAG_NO_REPLY	0x10
#define FLAG_ERROR	0x20

#define REGION_COUNT	9
#define IRQ_COUNT	5
#define IRQ_INTX	0
#define IRQ_MSI		1

#define REGION_READ	1
#define REGION_WRITE	2

#define IRQ_EVENTFD	1
#define IRQ_MASKABLE	2
#define IRQ_AUTOMASKED	4
#define IRQ_NORESIZE	8

#define IRQ_DATA_NONE	0x01
#define IRQ_DATA_EVENTFD	0x04
#define IRQ_ACT_MASK	0x08
#define IRQ_ACT_UNMASK	0x10
#define IRQ_ACT_TRIGGER	0x20

#define DMA_FLAG_WRITE	2
#define UNMAP_FLAG_ALL	2

struct header {
	u16 id;
	u16 cmd;
	u32 size;
	u32 flags;
	u32 error;
};

struct version { u16 major; u16 minor; };
struct dma_map { u32 argsz; u32 flags; u64 offset; u64 addr; u64 size; };
struct dma_unmap { u32 argsz; u32 flags; u64 addr; u64 size; };
struct device_info { u32 argsz; u32 flags; u32 regions; u32 irqs; };
struct region_info { u32 argsz; u32 flags; u32 index; u32 cap_offset; u64 size; u64 offset; };
struct irq_info { u32 argsz; u32 flags; u32 index; u32 count; };
struct irq_set { u32 argsz; u32 flags; u32 index; u32 start; u32 count; };
struct access { u64 offset; u32 region; u32 count; };

struct region {
	u64 addr;
	u64 size;
	u8 *p;			/* NULL: guest memory that we cannot see */
	bool writable;
};

struct vfu {
	struct card *card;
	int fd;
	u8 buf[MSG_MAX];
	u32 got;		/* bytes of buf that have arrived */
	int fds[FDS_MAX];	/* descriptors that came with the last bytes of buf */
	u32 nfds;
	u32 fds_end;		/* where in buf those bytes end */
	struct region dma[REGIONS_MAX];
	u32 ndma;
	u32 last_dma;
	int irq_fd[2];		/* IRQ_INTX, IRQ_MSI; -1 off */
	bool intx_masked;	/* since it fired, until the client unmasks it */
	u64 waited;
	u64 posted;
};

/* ---- what the card asks for ------------------------------------------------------------------ */

static void irq_fire(struct vfu *vfu, int irq)
{
	u64 one = 1;

	if (vfu->irq_fd[irq] >= 0 && write(vfu->irq_fd[irq], &one, sizeof(one)) < 0)
		fprintf(stderr, "cardd: interrupt: %s\n", strerror(errno));
}

static void vfu_card_intx(void *ctx, bool level)
{
	struct vfu *vfu = ctx;

	if (!level || vfu->intx_masked || vfu->irq_fd[IRQ_INTX] < 0)
		return;
	vfu->intx_masked = true;
	irq_fire(vfu, IRQ_INTX);
}

static void vfu_card_msi(void *ctx)
{
	irq_fire(ctx, IRQ_MSI);
}

static void *vfu_card_dma(void *ctx, u64 addr, u64 len, bool write)
{
	struct vfu *vfu = ctx;

	for (u32 i = 0; i < vfu->ndma; i++) {
		/* most accesses are where the last one was */
		u32 n = (vfu->last_dma + i) % vfu->ndma;
		const struct region *r = &vfu->dma[n];

		if (addr < r->addr || addr - r->addr >= r->size)
			continue;
		vfu->last_dma = n;
		if (!r->p || (write && !r->writable) || len > r->size - (addr - r->addr))
			return NULL;
		return r->p + (addr - r->addr);
	}
	return NULL;
}

struct card_host vfu_card_host(struct vfu *vfu)
{
	return (struct card_host){
		.ctx = vfu,
		.intx = vfu_card_intx,
		.msi = vfu_card_msi,
		.dma = vfu_card_dma,
	};
}

/* ---- birth and death ------------------------------------------------------------------------- */

struct vfu *vfu_create(void)
{
	struct vfu *vfu = calloc(1, sizeof(*vfu));

	if (!vfu)
		return NULL;
	vfu->fd = -1;
	vfu->irq_fd[IRQ_INTX] = -1;
	vfu->irq_fd[IRQ_MSI] = -1;
	return vfu;
}

static void dma_drop(struct vfu *vfu, u32 i)
{
	if (vfu->dma[i].p)
		munmap(vfu->dma[i].p, vfu->dma[i].size);
	vfu->dma[i] = vfu->dma[--vfu->ndma];
	vfu->last_dma = 0;
}

static void fds_close(struct vfu *vfu)
{
	while (vfu->nfds)
		close(vfu->fds[--vfu->nfds]);
}

static void irq_off(struct vfu *vfu, u32 irq)
{
	if (vfu->irq_fd[irq] >= 0)
		close(vfu->irq_fd[irq]);
	vfu->irq_fd[irq] = -1;
}

void vfu_detach(struct vfu *vfu)
{
	while (vfu->ndma)
		dma_drop(vfu, 0);
	fds_close(vfu);
	irq_off(vfu, IRQ_INTX);
	irq_off(vfu, IRQ_MSI);
	if (vfu->fd >= 0)
		close(vfu->fd);
	vfu->fd = -1;
	vfu->got = 0;
	vfu->intx_masked = false;
}

void vfu_destroy(struct vfu *vfu)
{
	if (!vfu)
		return;
	vfu_detach(vfu);
	free(vfu);
}

void vfu_attach(struct vfu *vfu, struct card *card, int fd)
{
	vfu->card = card;
	vfu->fd = fd;
}

void vfu_messages(const struct vfu *vfu, u64 *waited, u64 *posted)
{
	*waited = vfu->waited;
	*posted = vfu->posted;
}

/* ---- answers --------------------------------------------------------------------------------- */

static bool send_all(int fd, const void *buf, size_t len)
{
	while (len) {
		ssize_t n = send(fd, buf, len, MSG_NOSIGNAL);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return false;
		buf = (const u8 *)buf + n;
		len -= (size_t)n;
	}
	return true;
}

/* Answer @req, in place, with the @len bytes at @req + 1, or with an error. */
static bool reply(struct vfu *vfu, struct header *req, u32 len, int error)
{
	if (req->flags & FLAG_NO_REPLY)
		return true;
	req->size = (u32)sizeof(*req) + (error ? 0 : len);
	req->flags = FLAG_REPLY | (error ? FLAG_ERROR : 0);
	req->error = (u32)error;
	return send_all(vfu->fd, req, req->size);
}

/* ---- requests: each returns the length of its answer, or a negative error -------------------- */

static int do_version(u8 *body, u32 len)
{
	static const char caps[] =
		"{\"capabilities\":{\"max_msg_fds\":8,\"max_data_xfer_size\":4096}}";
	struct version version = { 0, 0 };

	if (len < sizeof(version))
		return -EINVAL;
	memcpy(body, &version, sizeof(version));
	memcpy(body + sizeof(version), caps, sizeof(caps));
	return sizeof(version) + sizeof(caps);
}

/*
 * Does the file behind @fd have all of what is to be mapped? An access beyond its end would be
 * SIGBUS, and the end of cardd. What is not a file has no such end. (A client that shortens the
 * file later is beyond help: it owns the memory.)
 */
static bool file_has(int fd, u64 offset, u64 size)
{
	struct stat st;

	if (fstat(fd, &st))
		return false;
	if (!S_ISREG(st.st_mode))
		return true;
	return offset <= (u64)st.st_size && size <= (u64)st.st_size - offset;
}

static int do_dma_map(struct vfu *vfu, u8 *body, u32 len)
{
	struct region r = { .p = NULL };
	struct dma_map map;
	void *p;

	if (len < sizeof(map))
		return -EINVAL;
	memcpy(&map, body, sizeof(map));
	if (!map.size || map.addr + map.size < map.addr)
		return -EINVAL;
	if (vfu->ndma == REGIONS_MAX)
		return -ENOSPC;
	for (u32 i = 0; i < vfu->ndma; i++)
		if (map.addr < vfu->dma[i].addr + vfu->dma[i].size &&
		    vfu->dma[i].addr < map.addr + map.size)
			return -EEXIST;
	r.addr = map.addr;
	r.size = map.size;
	r.writable = map.flags & DMA_FLAG_WRITE;
	if (vfu->nfds) {
		if (!file_has(vfu->fds[0], map.offset, map.size))
			return -EINVAL;
		p = mmap(NULL, map.size, PROT_READ | (r.writable ? PROT_WRITE : 0), MAP_SHARED,
			 vfu->fds[0], (off_t)map.offset);
		if (p == MAP_FAILED)
			return -errno;
		r.p = p;
	}
	vfu->dma[vfu->ndma++] = r;
	return 0;
}

static int do_dma_unmap(struct vfu *vfu, u8 *body, u32 len)
{
	struct dma_unmap unmap;

	if (len < sizeof(unmap))
		return -EINVAL;
	memcpy(&unmap, body, sizeof(unmap));
	for (u32 i = vfu->ndma; i-- > 0;) {
		const struct region *r = &vfu->dma[i];

		if (unmap.flags & UNMAP_FLAG_ALL ||
		    (r->addr >= unmap.addr && r->addr - unmap.addr < unmap.size &&
		     r->size <= unmap.size - (r->addr - unmap.addr)))
			dma_drop(vfu, i);
	}
	return sizeof(unmap);
}

static int do_device_info(u8 *body)
{
	struct device_info info = {
		.argsz = sizeof(info),
		.flags = 3,	/* can be reset, is a PCI function */
		.regions = REGION_COUNT,
		.irqs = IRQ_COUNT,
	};

	memcpy(body, &info, sizeof(info));
	return sizeof(info);
}

static int do_region_info(struct vfu *vfu, u8 *body, u32 len)
{
	struct region_info info;

	if (len < offsetof(struct region_info, cap_offset))
		return -EINVAL;
	memset(&info, 0, sizeof(info));
	memcpy(&info.index, body + offsetof(struct region_info, index), sizeof(info.index));
	if (info.index >= REGION_COUNT)
		return -EINVAL;
	info.argsz = sizeof(info);
	info.size = card_region_size(vfu->card, (int)info.index);
	info.flags = info.size ? REGION_READ | REGION_WRITE : 0;
	memcpy(body, &info, sizeof(info));
	return sizeof(info);
}

static int do_irq_info(u8 *body, u32 len)
{
	struct irq_info info;

	if (len < sizeof(info))
		return -EINVAL;
	memcpy(&info, body, sizeof(info));
	if (info.index >= IRQ_COUNT)
		return -EINVAL;
	info.argsz = sizeof(info);
	info.flags = 0;
	info.count = 0;
	if (info.index == IRQ_INTX) {
		info.flags = IRQ_EVENTFD | IRQ_MASKABLE | IRQ_AUTOMASKED;
		info.count = 1;
	} else if (info.index == IRQ_MSI) {
		info.flags = IRQ_EVENTFD | IRQ_NORESIZE;
		info.count = 1;
	}
	memcpy(body, &info, sizeof(info));
	return sizeof(info);
}

static void intx_unmask(struct vfu *vfu)
{
	vfu->intx_masked = false;
	vfu_card_intx(vfu, card_intx_level(vfu->card));
}

static int do_set_irqs(struct vfu *vfu, u8 *body, u32 len)
{
	struct irq_set set;

	if (len < sizeof(set))
		return -EINVAL;
	memcpy(&set, body, sizeof(set));
	if (set.index >= IRQ_COUNT)
		return -EINVAL;
	if (set.index > IRQ_MSI)
		return 0;
	if (set.start || set.count > 1)
		return -EINVAL;
	switch (set.flags & (IRQ_ACT_MASK | IRQ_ACT_UNMASK | IRQ_ACT_TRIGGER)) {
	case IRQ_ACT_MASK:
		if (set.index == IRQ_INTX)
			vfu->intx_masked = true;
		return 0;
	case IRQ_ACT_UNMASK:
		if (set.index == IRQ_INTX && set.flags & IRQ_DATA_NONE)
			intx_unmask(vfu);
		return 0;
	case IRQ_ACT_TRIGGER:
		if (set.flags & IRQ_DATA_NONE && set.count) {
			irq_fire(vfu, (int)set.index);
			return 0;
		}
		irq_off(vfu, set.index);
		if (set.flags & IRQ_DATA_EVENTFD && vfu->nfds)
			vfu->irq_fd[set.index] = vfu->fds[--vfu->nfds];
		if (set.index == IRQ_INTX)
			intx_unmask(vfu);
		else
			card_msi_enable(vfu->card, vfu->irq_fd[IRQ_MSI] >= 0);
		return 0;
	default:
		return -EINVAL;
	}
}

/*
 * QEMU takes a copy of the whole configuration space when it starts. If it found power management
 * there, it would answer for the card in D3hot, and the card would not hear of any access: there
 * the capability is an empty one. The guest reads the space by words.
 */
static void hide_pm(u8 *data, u64 off, u32 len)
{
	if (!off && len > 0x34 && data[0x34] < len && data[data[0x34]] == 0x01)
		data[data[0x34]] = 0;
}

static int do_access(struct vfu *vfu, u8 *body, u32 len, bool write)
{
	struct access access;
	u8 *data = body + sizeof(access);

	if (len < sizeof(access))
		return -EINVAL;
	memcpy(&access, body, sizeof(access));
	if (access.region >= REGION_COUNT || !access.count || access.count > ACCESS_MAX ||
	    (write && len < sizeof(access) + access.count))
		return -EINVAL;
	if (!write) {
		card_read(vfu->card, clock_ns(), (int)access.region, access.offset, data,
			  access.count);
		if (access.region == CARD_CONFIG)
			hide_pm(data, access.offset, access.count);
		return (int)(sizeof(access) + access.count);
	}
	card_write(vfu->card, clock_ns(), (int)access.region, access.offset, data, access.count);
	return sizeof(access);
}

static int do_request(struct vfu *vfu, const struct header *req, u8 *body, u32 len)
{
	switch (req->cmd) {
	case CMD_VERSION:
		return do_version(body, len);
	case CMD_DMA_MAP:
		return do_dma_map(vfu, body, len);
	case CMD_DMA_UNMAP:
		return do_dma_unmap(vfu, body, len);
	case CMD_DEVICE_INFO:
		return do_device_info(body);
	case CMD_REGION_INFO:
		return do_region_info(vfu, body, len);
	case CMD_IRQ_INFO:
		return do_irq_info(body, len);
	case CMD_SET_IRQS:
		return do_set_irqs(vfu, body, len);
	case CMD_REGION_READ:
		return do_access(vfu, body, len, false);
	case CMD_REGION_WRITE:
		return do_access(vfu, body, len, true);
	case CMD_DEVICE_RESET:
		card_reset(vfu->card, clock_ns());
		return 0;
	default:
		return -ENOTSUP;
	}
}

/* Handle one whole message.  False: the answer could not be sent. */
static bool handle(struct vfu *vfu, const u8 *msg, u32 size)
{
	/* answers are built in place of requests, and may be longer */
	static union {
		struct header head;
		u8 byte[MSG_MAX + ACCESS_MAX];
	} m;
	u32 len = size - (u32)sizeof(m.head);
	int ret;

	memcpy(m.byte, msg, size);
	if ((m.head.flags & FLAG_TYPE) != 0)
		return true;	/* an answer, to a question that we never ask */
	if (m.head.flags & FLAG_NO_REPLY)
		vfu->posted++;
	else
		vfu->waited++;
	ret = do_request(vfu, &m.head, m.byte + sizeof(m.head), len);
	return reply(vfu, &m.head, ret < 0 ? 0 : (u32)ret, ret < 0 ? -ret : 0);
}

/* ---- the stream ------------------------------------------------------------------------------ */

/* Read what is there.  Descriptors belong to the message that ends the bytes they came with. */
static bool receive(struct vfu *vfu)
{
	union {
		struct cmsghdr align;
		char buf[CMSG_SPACE(FDS_MAX * sizeof(int))];
	} control;
	struct iovec io = { vfu->buf + vfu->got, sizeof(vfu->buf) - vfu->got };
	struct msghdr msg = {
		.msg_iov = &io,
		.msg_iovlen = 1,
		.msg_control = &control,
		.msg_controllen = sizeof(control),
	};
	ssize_t n = recvmsg(vfu->fd, &msg, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);

	if (n < 0)
		return errno == EAGAIN || errno == EINTR;
	if (n == 0)
		return false;
	vfu->got += (u32)n;
	for (struct cmsghdr *c = CMSG_FIRSTHDR(&msg); c; c = CMSG_NXTHDR(&msg, c)) {
		if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS)
			continue;
		fds_close(vfu);
		vfu->nfds = (u32)((c->cmsg_len - CMSG_LEN(0)) / sizeof(int));
		memcpy(vfu->fds, CMSG_DATA(c), vfu->nfds * sizeof(int));
		vfu->fds_end = vfu->got;
	}
	return true;
}

bool vfu_serve(struct vfu *vfu)
{
	u32 at = 0, nfds;
	struct header head;

	if (!receive(vfu))
		return false;
	while (vfu->got - at >= sizeof(head)) {
		memcpy(&head, vfu->buf + at, sizeof(head));
		if (head.size < sizeof(head) || head.size > sizeof(vfu->buf)) {
			fprintf(stderr,
				"cardd: vfio-user message of %u bytes (16 to %u are possible)\n",
				head.size, MSG_MAX);
			return false;
		}
		if (vfu->got - at < head.size)
			break;
		nfds = vfu->nfds;
		if (at + head.size < vfu->fds_end)
			vfu->nfds = 0;	/* they are a later message's */
		if (!handle(vfu, vfu->buf + at, head.size))
			return false;
		at += head.size;
		if (at < vfu->fds_end) {
			vfu->nfds = nfds;
		} else {
			fds_close(vfu);
			vfu->fds_end = 0;
		}
	}
	vfu->got -= at;
	vfu->fds_end = vfu->fds_end > at ? vfu->fds_end - at : 0;
	memmove(vfu->buf, vfu->buf + at, vfu->got);
	return true;
}
