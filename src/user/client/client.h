/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * What launch.c and connect.c share: the state of one device's client.
 */
#ifndef TGU_CLIENT_H
#define TGU_CLIENT_H

#include <pthread.h>

#include <uapi/tgd.h>

#include "tgu.h"

/**
 * struct tgu - a device, and the connection to the daemon
 * @device: as the layer gave it
 * @lock: one thread publishes at a time; all below but what says otherwise
 * @page: shared with the daemon, or @none while there is none. Read without the lock: an old page
 *	stays mapped, for a thread that still looks at it
 * @term: number of the connection; jobs of an older one are not reported
 * @socket: to the daemon; -1: none
 * @served: the socket that the helper reads, and closes; -1: none
 * @bell: eventfd; -1: none
 * @used: slots in use, a bit each
 * @inflight: jobs of channel 1 that have not ended
 * @held: memory that is held
 * @beat: the latest of the page; 0: none yet
 * @beat_term: of which connection
 * @looked: when a thread that waits looked for it
 * @silent: for how long threads that wait have seen none, ns
 * @ended: futex: grows when a slot or a place under the lease may be free
 * @opening: futex: tgu_open() is at work, and the helper waits; atomic, without the lock
 * @waiting: threads that sleep on it; atomic, without the lock
 * @begun: launches through the open gate that have begun; atomic, without the lock
 * @gone: likewise, that have gone to the driver
 * @told: of these, told to the daemon
 * @helper: the thread is there
 * @refused: the daemon does not want this program: it is not asked again
 * @error: what the last one that was asked has refused with; 0: nothing
 * @said: of these, what the user was told last
 * @why: of @error
 * @told_stopped: the user knows that the daemon was stopped
 * @closed: tgu_close() was called: the helper ends
 * @users: the layer, until tgu_close(), and the helper; atomic: the last one frees all
 * @next: of all
 */
struct tgu {
	const struct tgu_device *device;
	pthread_mutex_t lock;
	struct tgd_page *page, *none;
	uint32_t term;
	int socket, served, bell;
	uint64_t used[TGD_SLOTS / 64];
	uint32_t inflight;
	uint64_t held;
	uint64_t beat;
	int64_t looked, silent;
	uint32_t ended, opening, waiting, users, beat_term;
	uint64_t begun, gone, told;
	bool helper, refused, told_stopped, closed;
	uint32_t error, said;
	char why[sizeof(((struct tgd_welcome *)0)->why)];
	struct tgu *next;
};

/* launch.c */
void tgu_ring(const struct tgu *u);
void tgu_wake(uint32_t *word, uint32_t how_many);
bool tgu_sleep(uint32_t *word, uint32_t value, int64_t ns);
void tgu_publish(struct tgu *u, uint32_t term, struct tgd_record *r);

/* connect.c */
void tgu_connect(struct tgu *u);
void tgu_lost(struct tgu *u, uint32_t term);
bool tgu_hung_up(struct tgu *u, uint32_t term);

#endif /* TGU_CLIENT_H */
