/* SPDX-License-Identifier: GPL-2.0 */
/*
 * All clients at one moment. Called by the verbs that show clients or set their priorities.
 */
#ifndef TGCTL_SNAPSHOT_H
#define TGCTL_SNAPSHOT_H

#include <stdbool.h>
#include <stddef.h>

#include <uapi/timegraph.h>

/**
 * struct snapshot - one reading of the file `snapshot`
 * @head: its head
 * @clients: @head.nr_clients times @head.client_size bytes, the caller's to free with @data
 * @data: all of it
 * @len: its bytes
 */
struct snapshot {
	struct tg_snap_head head;
	const char *clients;
	char *data;
	size_t len;
};

/* Words for numbers in it, NULL-terminated. */
extern const char *const snapshot_scheds[], *const snapshot_resvs[], *const snapshot_states[];

/**
 * snapshot_word() - a word for a number
 * @words: one of the lists above
 * @nr: the number
 *
 * Return: the word, or "unknown".
 */
const char *snapshot_word(const char *const *words, unsigned int nr);

/**
 * snapshot_read() - read it
 * @snap: the result
 *
 * Return: false when it cannot be read or is none; then the reason has been written.
 */
bool snapshot_read(struct snapshot *snap);

/**
 * snapshot_client() - one of its clients
 * @snap: the snapshot
 * @nr: from 0 to nr_clients - 1
 *
 * Return: the client, overwritten by the next call.
 */
const struct tg_snap_client *snapshot_client(const struct snapshot *snap, unsigned int nr);

/**
 * snapshot_part() - one of the parts behind the clients
 * @snap: the snapshot
 * @kind: TG_PART_*
 * @records: receives the records, as many and as large as this tgctl knows them; the caller's to
 *	free; NULL: there are none
 * @size: bytes of a record as this tgctl knows it
 *
 * Return: how many records; 0 when the part is missing or cut off.
 */
size_t snapshot_part(const struct snapshot *snap, __u32 kind, void **records, size_t size);

/**
 * snapshot_device() - the PCI address of a GPU, or the key of tgd's
 * @snap: the snapshot
 * @gpu: its number
 *
 * Return: the address, overwritten by the next call; NULL: the snapshot does not tell it.
 */
const char *snapshot_device(const struct snapshot *snap, unsigned int gpu);

/**
 * snapshot_gpu() - what a table calls a GPU
 * @snap: the snapshot
 * @gpu: its number
 *
 * Return: where there are several, its PCI address, without a domain of 0: what a line of the
 * specification calls it behind gpu=; else its number. Overwritten by the next call, as what
 * snapshot_device() returns.
 */
const char *snapshot_gpu(const struct snapshot *snap, unsigned int gpu);

#endif /* TGCTL_SNAPSHOT_H */
