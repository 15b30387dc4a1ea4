/* SPDX-License-Identifier: GPL-2.0 */
/*
 * main.c: start, wait and end; the time, messages and memory for all files.
 */
#ifndef TGD_MAIN_H
#define TGD_MAIN_H

#include <tg/types.h>

/**
 * struct source - what epoll wakes main.c for
 * @fd: -1: closed
 * @ready: called when it can be read, or has ended
 * @owner: its argument
 */
struct source {
	int fd;
	void (*ready)(void *owner);
	void *owner;
};

/** enum counter - counters of all devices, in stats/ */
enum counter {
	STAT_SUBMITTED, STAT_BYPASSED, STAT_LEASES, STAT_ESCAPED, STAT_COMPLETED, STAT_LOST,
	STAT_REFUSED_EVENTS, STAT_NOTES, STAT_CLIENTS, STAT_TURNED_AWAY, STAT_HUNG_UP,
	STATS
};

extern u64 stats[STATS];

s64 now(void);
void say(const char *format, ...) __attribute__((format(printf, 1, 2)));
void *need(void *memory);
int watch(struct source *s, int fd, void (*ready)(void *), void *owner);
int watch_bell(struct source *s, int fd, void (*ready)(void *), void *owner);
int watch_end(struct source *s);
void unwatch(struct source *s);

#endif /* TGD_MAIN_H */
