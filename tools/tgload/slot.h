/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What gpu.c, exec.c and the writers of commands (commands.h) know of a group in flight and of
 * buffers. For these only.
 */
#ifndef TGL_SLOT_H
#define TGL_SLOT_H

#include <stdint.h>

#include "work.h"

/* Objects of a Tesla channel: their handles are ours to choose, once per channel. */
#define TGL_HANDLE_VRAM		0xbeef0201	/* DMA object: the whole address space */
#define TGL_HANDLE_GART		0xbeef0202
#define TGL_HANDLE_NOTIFY	0xbeef0301
#define TGL_HANDLE_COMPUTE	0xbeef50c0
#define TGL_HANDLE_2D		0xbeef502d
#define TGL_HANDLE_M2MF		0xbeef5039

struct nouveau_bo;
struct nouveau_client;
struct nouveau_pushbuf;
struct tgl_dialect;

/* A buffer object and where the GPU sees it. */
struct tgl_bo {
	struct nouveau_bo *bo;
	uint64_t va;
};

struct tgl_slot {
	struct nouveau_client *client;
	struct nouveau_pushbuf *push;	/* of PUSHBUF */
	struct tgl_bo commands;		/* of EXEC: the words that are pushed, */
	uint32_t syncobj;		/* and what signals when they have been executed */
	const struct tgl_dialect *dialect;	/* what it is written in */
	uint32_t *cur;			/* next word to write */
	struct tgl_bo bo;		/* what the group writes */
	uint32_t *patch_high;		/* words of the push buffer that change with the group */
	uint32_t *patch;
	uint32_t *size;			/* the word that says how much there is to do */
	uint32_t *launch;		/* copies and uploads: two words that start one, so often */
	uint32_t lines;			/* fills and copies: lines of the latest group */
};

/* Of @most such commands @passes stay, the others become no command. */
static inline void set_launches(struct tgl_slot *slot, uint32_t passes, uint32_t most)
{
	uint32_t i;

	for (i = 1; i < most; i++) {
		slot->launch[2 * i] = i < passes ? slot->launch[0] : 0;
		slot->launch[2 * i + 1] = i < passes ? slot->launch[1] : 0;
	}
}

/**
 * struct tgl_dialect - how a group is written for a generation of GPUs
 * @command: the word that announces @count words, for @method and those that follow it
 * @compute: launches the program at a GPU address
 * @fill: fills a rectangle
 * @copy: copies; uploads too
 *
 * All but @command write a whole group into a slot.
 */
struct tgl_dialect {
	uint32_t (*command)(unsigned int subchannel, uint32_t method, unsigned int count);
	void (*compute)(struct tgl_slot *slot, uint64_t program);
	void (*fill)(struct tgl_slot *slot, const struct tgl_work *work);
	void (*copy)(struct tgl_slot *slot, const struct tgl_work *work);
};

extern const struct tgl_dialect tgl_tesla, tgl_fermi;

/**
 * tgl_write - write the commands of a group
 * @slot: where they go, with its target
 * @dialect: for which GPUs
 * @work: the most that a group does
 * @program: GPU address of the program
 */
void tgl_write(struct tgl_slot *slot, const struct tgl_dialect *dialect,
	       const struct tgl_work *work, uint64_t program);

/** tgl_fermi_class - the class that does a kind of work there */
uint32_t tgl_fermi_class(enum tgl_kind kind);

/** tgl_exec_init - this client's address space is ours from now on; 0 or a negative errno */
int tgl_exec_init(int fd);

/** tgl_exec_bind - @size bytes of an object appear at @va; 0 or a negative errno */
int tgl_exec_bind(int fd, uint32_t handle, uint64_t va, uint64_t size);

/** tgl_exec_syncobj - something to wait for; 0 or a negative errno */
int tgl_exec_syncobj(int fd, uint32_t *syncobj);

/** tgl_exec_submit - @bytes of commands at @va on a channel; 0 or a negative errno */
int tgl_exec_submit(int fd, uint32_t channel, uint64_t va, uint32_t bytes, uint32_t syncobj);

/** tgl_exec_wait - until it has completed: 0, or -EBUSY after 30 s, or another negative errno */
int tgl_exec_wait(int fd, uint32_t syncobj);

#endif
