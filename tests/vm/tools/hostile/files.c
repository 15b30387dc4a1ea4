// SPDX-License-Identifier: GPL-2.0
/*
 * hostile: files of the cards: which cards there are, what a file begins with, and what becomes of
 * descriptors.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>

#include <drm.h>
#include <stdint.h>
#include <nouveau_drm.h>

#include "hostile.h"

#define RENDER	128	/* minor number of the first card's render node; that of its own is 0 */

pthread_mutex_t no_imports = PTHREAD_MUTEX_INITIALIZER;

struct file *some_file(struct thread *t, bool vm)
{
	unsigned int i, from = below(t, FILES);

	if (one_in(t, 32))
		return &files[from];
	for (i = 0; i < FILES; i++)
		if (files[(from + i) % FILES].fd >= 0 && files[(from + i) % FILES].vm == vm)
			return &files[(from + i) % FILES];
	return &files[from];
}

/* The minor number of a device's file; -1: it is none. */
static int minor_of(int fd)
{
	struct stat st;

	if (dry)
		return fd < 0 ? -1 : fd % 2 + (fd & 2 ? RENDER : 0);
	return fd < 0 || fstat(fd, &st) || !S_ISCHR(st.st_mode) ? -1 : (int)minor(st.st_rdev);
}

bool is_card_node(int fd)
{
	const int nr = minor_of(fd);

	return nr >= 0 && nr < RENDER;
}

/* Return: CARDS: it is of none. */
unsigned int card_of(int fd)
{
	const int nr = minor_of(fd);
	const unsigned int card = nr < 0 ? CARDS : (unsigned int)nr % RENDER;

	return card < CARDS ? card : CARDS;
}

static int open_card(struct thread *t, unsigned int card, bool node)
{
	char path[32];
	int fd;

	if (node)
		snprintf(path, sizeof(path), "/dev/dri/card%u", card);
	else
		snprintf(path, sizeof(path), "/dev/dri/renderD%u", RENDER + card);
	fd = sys_open(t, path, O_RDWR);
	if (dry && fd >= 0)
		fd = fd << 2 | !node << 1 | card;
	count(OPEN, fd >= 0);
	return fd;
}

struct vm_init {
	uint64_t addr, size;
};

/* Addresses that programs leave to nouveau */
static const struct vm_init kernels = { 1ull << 39, 1ull << 38 };

/* Which cards there are, and on which of them programs choose addresses: head of exec.c. */
void find_cards(void)
{
	struct drm_nouveau_getparam chip = { .param = NOUVEAU_GETPARAM_CHIPSET_ID };
	struct vm_init vm = kernels;
	char path[32];
	unsigned int i;
	int fd;

	for (i = 0; i < CARDS; i++) {
		snprintf(path, sizeof(path), "/dev/dri/renderD%u", RENDER + i);
		fd = open(path, O_RDWR);
		if (fd < 0)
			break;
		chip.value = 0;
		if (!ioctl(fd, DRM_IOWR(NR(DRM_NOUVEAU_GETPARAM), struct drm_nouveau_getparam), &chip))
			shared->fermi[i] = chip.value >= 0xc0;
		shared->binds[i] = shared->fermi[i] &&
				   !ioctl(fd, DRM_IOWR(NR(0x10), struct vm_init), &vm);
		close(fd);
	}
	shared->cards = i;
}

static void blank(struct file *file)
{
	unsigned int i;

	file->vm = false;
	file->made = 0;
	for (i = 0; i < CHANNELS; i++)
		file->chan[i] = i;
	for (i = 0; i < OBJECTS + LOOSE; i++) {
		file->object[i].handle = 0;
		file->object[i].va = 0;
	}
	for (i = 0; i < SYNCS; i++)
		file->sync[i] = 0;
}

/* A new descriptor takes the place of what was there. */
void adopt(struct thread *t, struct file *file, int fd)
{
	int old;

	blank(file);
	old = atomic_exchange(&file->fd, fd);
	if (old >= 0)
		sys(t, SYS_close, old, 0);
}

/* What exec leaves: descriptors. */
void forget(struct thread *t)
{
	unsigned int i;

	for (i = 0; i < FILES; i++) {
		blank(&files[i]);
		memset(files[i].chan, 0, sizeof(files[i].chan));
	}
	memset(t->args, 0, ARENA);
}

/* A channel, and buffers for commands and in VRAM. */
static void furnish(struct thread *t, struct file *file)
{
	static const uint32_t domains[] = { 12, 12, 12, 2, 2, 6 };
	struct drm_nouveau_channel_alloc alloc = {
		.fb_ctxdma_handle = 0xbeef0201, .tt_ctxdma_handle = 0xbeef0202,
	};
	unsigned int i;

	t->exact = true;
	if (!call(t, file, CHANNEL_ALLOC, NR(DRM_NOUVEAU_CHANNEL_ALLOC), &alloc, sizeof(alloc))) {
		file->chan[0] = alloc.channel;
		file->made = 1;
		forget_notifiers(t, file, alloc.notifier_handle);
	}
	for (i = 0; i < OBJECTS; i++) {
		struct drm_nouveau_gem_new req = {
			.info.domain = domains[i], .info.size = PAGE << i, .align = PAGE,
		};

		t->exact = true;
		if (!call(t, file, GEM_NEW, NR(DRM_NOUVEAU_GEM_NEW), &req, sizeof(req))) {
			file->object[i].domain = req.info.domain & 6;
			file->object[i].bytes = req.info.size;
			file->object[i].handle = req.info.handle;
		}
	}
}

/* For EXEC, furnished: nobody has the file before its buffers are where EXEC expects them. */
static void open_vm(struct thread *t, struct file *file, unsigned int card)
{
	struct vm_init vm = kernels;
	struct file new = { };
	unsigned int i;
	bool is_vm;

	pthread_mutex_lock(&no_imports);
	new.fd = open_card(t, card, false);
	blank(&new);
	t->exact = true;
	is_vm = new.fd >= 0 && !call(t, &new, VM_INIT, NR(0x10), &vm, sizeof(vm));
	pthread_mutex_unlock(&no_imports);
	if (new.fd < 0)
		return;
	if (is_vm)
		furnish(t, &new);
	if (!is_vm || !place_buffers(t, &new)) {
		sys(t, SYS_close, new.fd, 0);
		return;
	}
	adopt(t, file, new.fd);
	for (i = 0; i < OBJECTS; i++)
		file->object[i] = new.object[i];
	file->chan[0] = new.chan[0];
	file->made = new.made;
	file->vm = true;
}

void do_open(struct thread *t)
{
	struct file *file = &files[below(t, FILES)];
	const unsigned int card = below(t, shared->cards);
	const bool wants_vm = one_in(t, 2), node = one_in(t, 6);
	int fd;

	if (file->fd >= 0 && !one_in(t, 6))
		return;
	if (wants_vm && shared->binds[card]) {
		open_vm(t, file, card);
		return;
	}
	fd = open_card(t, card, node);
	if (fd < 0)
		return;
	adopt(t, file, fd);
	if (one_in(t, 3))
		furnish(t, file);
}

/* What every process begins with: files of each kind and card, and a card's node, for dumb buffers. */
void begin(struct thread *t)
{
	unsigned int i, n = 0;

	for (i = 0; i < shared->cards; i++) {
		adopt(t, &files[n], open_card(t, i, false));
		furnish(t, &files[n++]);
		if (shared->binds[i])
			open_vm(t, &files[n++], i);
	}
	adopt(t, &files[FILES - 1], open_card(t, below(t, shared->cards), true));
}

void do_close(struct thread *t)
{
	struct file *file = &files[below(t, FILES)];
	const int kind = below(t, 4), other = files[below(t, FILES)].fd;

	if (kind == 0)
		adopt(t, file, -1);
	else if (kind == 1 && file->fd >= 0)
		sys(t, SYS_close, file->fd, 0);		/* its number stays */
	else if (kind == 2 && other >= 0)
		adopt(t, file, sys(t, SYS_dup, other, 0));
	else if (file->fd >= 0 && other >= 0)
		sys(t, SYS_dup2, other, file->fd);
}
