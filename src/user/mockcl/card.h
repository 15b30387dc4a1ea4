/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the test card (mockcld) and its OpenCL driver (libmockcl.so) share: a page for each client,
 * as a GPU shares its channels' rings with a process, and requests on a socket, as a driver has ioctls.
 *
 * The card makes the page and passes it with the socket's first message. The client writes @put and
 * the commands below it, the card everything else. Nothing in it is locked. The card believes no
 * index and no time that it reads there.
 */
#ifndef MOCKCL_CARD_H
#define MOCKCL_CARD_H

#include <stdatomic.h>
#include <stdint.h>

#define MOCK_VERSION	1
#define MOCK_DEVICES	8
#define MOCK_CHANNELS	64	/* of one client */
#define MOCK_RING	1024	/* commands of one channel; a power of two */
#define MOCK_ENDLESS	UINT64_MAX

/** enum mock_engine - what executes a command; MOCK_NONE: it takes no time */
enum mock_engine { MOCK_COMPUTE, MOCK_COPY, MOCK_ENGINES, MOCK_NONE = MOCK_ENGINES };

/**
 * struct mock_command - one command in a ring
 * @ns: how long it takes, by the client; MOCK_ENDLESS: until its client is gone
 * @submitted: when the client wrote it, CLOCK_MONOTONIC
 * @start: when its engine began, by the profiling clock; 0: not yet
 * @end: when its engine ended, by the profiling clock; valid below @done of the channel
 * @engine: enum mock_engine
 * @interrupt: the client wants to be woken when this one is done
 */
struct mock_command {
	uint64_t ns, submitted;
	_Atomic uint64_t start;
	uint64_t end;
	uint32_t engine;
	_Atomic uint32_t interrupt;
};

/** struct mock_channel - commands from @done to @put wait or are executed, in order */
struct mock_channel {
	_Atomic uint32_t put, done;
	struct mock_command ring[MOCK_RING];
};

/**
 * struct mock_page - what one client and the card share
 * @interrupts: a futex: counts what the client was woken for
 * @idle: for each device, which engines have nothing to do: a command for one rings the doorbell
 * @lost: for each device: it is lost, and executes nothing any more
 * @offset: what the profiling clock is ahead of CLOCK_MONOTONIC at time 0
 * @rate: how fast it runs, in parts per 2^20
 */
struct mock_page {
	_Atomic uint32_t interrupts;
	_Atomic uint32_t idle[MOCK_DEVICES];
	_Atomic uint32_t lost[MOCK_DEVICES];
	_Atomic int64_t offset[MOCK_DEVICES];
	_Atomic uint64_t rate[MOCK_DEVICES];
	struct mock_channel channel[MOCK_CHANNELS];
};

/** enum mock_ask - requests; each gets one struct mock_answer. ADMIN: without a page */
enum mock_ask {
	MOCK_HELLO,		/* -> @n devices, @bytes of each one's memory; page and doorbell */
	MOCK_OPEN,		/* @device -> @n: a channel */
	MOCK_CLOSE,		/* @n: a channel */
	MOCK_ALLOCATE,		/* @device @bytes */
	MOCK_RELEASE,		/* @device @bytes */
	MOCK_TRUTH,		/* (admin) -> messages of text, an empty one ends them */
	MOCK_FAULT,		/* (admin) @device @text */
};

struct mock_request {
	uint32_t ask, device, n, pad;
	uint64_t bytes;
	char text[64];
};

/** struct mock_answer - @error: 0, or an errno value */
struct mock_answer {
	int32_t error;
	uint32_t n;
	uint64_t bytes;
	uint8_t uuid[16];
};

#define MOCK_SOCKET	"card.sock"	/* in the card's folder, which MOCKCL_DIR names */

#endif /* MOCKCL_CARD_H */
