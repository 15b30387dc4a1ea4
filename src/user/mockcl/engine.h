/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The test card's devices: engines that execute the channels' commands round robin, one at a time, and
 * what they know of it: the ground truth. No I/O but the futex that wakes a client. One thread.
 */
#ifndef MOCKCL_ENGINE_H
#define MOCKCL_ENGINE_H

#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>

#include "card.h"

#define NEVER	UINT64_MAX

/** struct account - what one client has had of one device */
struct account {
	uint64_t busy[MOCK_ENGINES], commands[MOCK_ENGINES], first, last;
	uint64_t memory, peak, refused;
};

/**
 * struct client - a process, or one that has been
 * @page: shared with it; NULL: it is gone
 * @pid, @uid, @name: by the kernel and /proc
 * @used: which channels it has, and of which @device
 * @ended: for each channel, when its latest command ended
 */
struct client {
	struct client *next;
	struct mock_page *page;
	int fd;
	pid_t pid;
	uid_t uid;
	char name[32];
	bool used[MOCK_CHANNELS];
	uint8_t device[MOCK_CHANNELS];
	uint64_t ended[MOCK_CHANNELS];
	struct account account[MOCK_DEVICES];
};

/** struct engine - @client and @channel: of what it executes, or has executed last */
struct engine {
	struct client *client;
	unsigned int channel;
	bool busy;
	uint64_t start, end, free_at;
};

/**
 * struct device - one modelled GPU
 * @memory: its size; @held: what clients have of it
 * @fail: so many requests for memory are refused, whatever is left
 * @hang: so many kernels to come do not end
 * @offset, @rate: of the profiling clock, as in struct mock_page
 */
struct device {
	struct engine engine[MOCK_ENGINES];
	uint64_t memory, held;
	unsigned int fail, hang;
	bool lost;
	int64_t offset;
	uint64_t rate;
};

struct card {
	struct device device[MOCK_DEVICES];
	unsigned int devices;
	struct client *clients;		/* those that are gone, too */
	FILE *log;			/* one line for each command, or NULL */
};

/** card_run() - execute what was due until @now; return: when to come back, or NEVER */
uint64_t card_run(struct card *card, uint64_t now);

/** card_idle() - tell clients which engines a doorbell is wanted for; @asleep: nobody looks without */
void card_idle(struct card *card, bool asleep);

/** card_busy() - which engines have something to do, a bit each */
uint32_t card_busy(const struct card *card);

/** card_close() - the channel's commands end now, as if they had never been there */
void card_close(struct card *card, struct client *c, unsigned int channel, uint64_t now);

/** card_leave() - the client is gone: its channels close, its memory is given back */
void card_leave(struct card *card, struct client *c, uint64_t now);

/** card_fault() - make a fault; return: 0, or EINVAL for one that does not exist */
int card_fault(struct card *card, unsigned int device, const char *text, uint64_t now);

/** card_memory() - take @bytes of a device's memory, or give them back; return: 0 or ENOMEM or EINVAL */
int card_memory(struct card *card, struct client *c, unsigned int device, uint64_t bytes, bool take);

/** card_clocks() - write the profiling clocks into a client's page */
void card_clocks(struct card *card, struct client *c);

/** card_wake() - count an interrupt for a client */
void card_wake(struct client *c);

/** card_truth() - write the ground truth as JSON */
void card_truth(const struct card *card, FILE *to, uint64_t now);

#endif /* MOCKCL_ENGINE_H */
