/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The records of the flight recorder (tg/recorder.h) out of the module's file `waits`: checked,
 * chosen, told in words. Called by tgctl. One thread.
 */
#ifndef TGS_WAITS_H
#define TGS_WAITS_H

#include <stdio.h>
#include <tg/recorder.h>

#include "trace.h"

/**
 * struct tgs_waits - what was read
 * @head: the file's head
 * @wait: its records, the oldest first, or those that tgs_waits_choose() has left
 * @nr: how many
 */
struct tgs_waits {
	struct tg_waits_head head;
	struct tg_wait *wait;
	u32 nr;
};

/**
 * struct tgs_wish - which waits are wanted
 * @client: only those of the client with this number, process (pid=N) or name; NULL: of all
 * @since: only those after this moment, ns since 1970; 0: all
 * @worst: the longest of these, at most so many, the longest first; 0: all, in their order
 */
struct tgs_wish {
	const char *client;
	s64 since;
	u32 worst;
};

/**
 * tgs_waits_read() - take the file's bytes apart
 * @waits: the result; tgs_waits_deinit() when done, also after an error
 * @data: the bytes
 * @len: how many
 * @error: room for TGS_MESSAGE bytes
 *
 * Return: 0, or -EINVAL with @error filled in.
 */
int tgs_waits_read(struct tgs_waits *waits, const void *data, u64 len, char *error);
void tgs_waits_deinit(struct tgs_waits *waits);

/** tgs_waits_choose() - leave those that are wanted */
void tgs_waits_choose(struct tgs_waits *waits, const struct tgs_wish *wish);

/** tgs_waits_print() - tell of each how long it was, for what, and who ran meanwhile */
void tgs_waits_print(const struct tgs_waits *waits, FILE *to);

/** tgs_clock() - a moment, ns since 1970, as the time of day here, in a buffer of its own */
const char *tgs_clock(s64 wall);

#endif /* TGS_WAITS_H */
