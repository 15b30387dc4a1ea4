/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The graphics card as tgload uses it: channels of nouveau's, each with a ring of slots. A slot is
 * one command group in flight: a push buffer of its own, written once and submitted again and
 * again but for the words that say how much there is to do, and a buffer object of its own that the
 * group writes, by which its completion is seen.
 *
 * Everything that can fail returns 0 or a negative errno, and tgl_gpu_open() and
 * tgl_channel_new() also write one line that says what was found and what is needed. One thread
 * at a time may use a channel; different channels may be used at the same time.
 * Nothing is torn down by hand: the kernel releases it all when the process ends, however it ends.
 */
#ifndef TGL_GPU_H
#define TGL_GPU_H

#include <stddef.h>
#include <stdint.h>

#include "work.h"

struct tgl_gpu;
struct tgl_channel;

/**
 * tgl_gpu_open - open a GPU that nouveau drives
 * @gpu: where the handle goes
 * @device: its render node, NULL for the first one
 * @exec: submit by VM_BIND and EXEC, which only GPUs from Fermi on and Linux from 6.6 on can, else
 *	by PUSHBUF
 * @why: one line on failure, without a line end
 * @why_size: room at @why
 *
 * Return: 0 or a negative errno.
 */
int tgl_gpu_open(struct tgl_gpu **gpu, const char *device, int exec, char *why, size_t why_size);

/**
 * tgl_gpu_rates - what the card does in a microsecond
 * @gpu: the card
 *
 * Return: the figures of the model nearest to it.
 */
const struct tgl_rates *tgl_gpu_rates(const struct tgl_gpu *gpu);

/**
 * tgl_channel_new - make a channel that can do one kind of work
 * @gpu: the card
 * @work: the most that a group does
 * @depth: number of slots, at least 1
 * @verify: put the buffers where tgl_slot_check() can read them
 * @chan: where the handle goes
 * @why: one line on failure, without a line end
 * @why_size: room at @why
 *
 * Return: 0 or a negative errno.
 */
int tgl_channel_new(struct tgl_gpu *gpu, const struct tgl_work *work, unsigned int depth,
		    int verify, struct tgl_channel **chan, char *why, size_t why_size);

/**
 * tgl_channel_id - the number by which the kernel knows a channel
 * @chan: the channel
 *
 * Return: the number that submissions name.
 */
int tgl_channel_id(const struct tgl_channel *chan);

/**
 * tgl_channel_dead - see whether the kernel has given a channel up
 * @chan: the channel
 *
 * Waiting for a group of a dead channel succeeds at once: only this function tells it from one that
 * has completed.
 *
 * Return: not 0 if it is dead.
 */
int tgl_channel_dead(const struct tgl_channel *chan);

/**
 * tgl_channel_take - ask the kernel for VRAM, which the groups of a channel use from now on
 * @chan: the channel; none of its groups is in flight, and it has no such memory
 * @bytes: how much, more than 0
 *
 * May sleep for as long as the kernel lets the request wait.
 *
 * Return: 0 or a negative errno.
 */
int tgl_channel_take(struct tgl_channel *chan, uint64_t bytes);

/**
 * tgl_channel_give - give the memory back
 * @chan: the channel; none of its groups is in flight, and none is submitted without new memory
 */
void tgl_channel_give(struct tgl_channel *chan);

/**
 * tgl_slot_submit - submit one group: one ioctl
 * @chan: the channel
 * @slot: which slot; must not be in flight
 * @work: what it does; of the channel's kind, and no more than the channel was made for
 * @seq: number of the group, from which its results are derived
 *
 * May sleep for as long as the kernel holds the group back.
 *
 * Return: 0 or a negative errno; -ENODEV when the card or the channel is gone.
 */
int tgl_slot_submit(struct tgl_channel *chan, unsigned int slot, const struct tgl_work *work,
		    uint32_t seq);

/**
 * tgl_slot_wait - sleep until a slot's group has completed
 * @chan: the channel
 * @slot: which slot; must be in flight
 *
 * Return: 0 or a negative errno; -EBUSY when the kernel gave up waiting (after 30 s).
 */
int tgl_slot_wait(struct tgl_channel *chan, unsigned int slot);

/**
 * tgl_slot_check - see whether a completed group wrote what it should
 * @chan: the channel; made with verify
 * @slot: which slot; must have completed
 * @seq: number of the group that it ran
 *
 * Return: how many 32-bit words are not as they should be.
 */
uint64_t tgl_slot_check(const struct tgl_channel *chan, unsigned int slot, uint32_t seq);

#endif
