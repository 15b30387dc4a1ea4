/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * What a program's host loop and its device loops share.
 *
 * A device loop fills in one `rpc` for each event that it asks for, and puts its number into the
 * ring. The host loop takes numbers out of the ring, does the I/O, writes the result beside the
 * arguments and counts it in the block's `mail`. Each word has one writer at a time. The word that
 * hands over is written last, with release, and read first, with acquire; no atomic operation
 * crosses the bus.
 *
 * rpc, mail and ring lie in memory that both sides map. The rest of `context` lies in the device's
 * memory. loop.h (device) and host.h (host) include this.
 */
#ifndef GLOOP_RPC_H
#define GLOOP_RPC_H

#include <stdint.h>

/* Callbacks that one thread block may have registered at a time, and bytes that each may capture */
#ifndef GLOOP_SLOTS
#define GLOOP_SLOTS 32
#endif
#ifndef GLOOP_SLOT_BYTES
#define GLOOP_SLOT_BYTES 384
#endif

/*
 * What these change is in a namespace of their values. So sources of one program may choose
 * differently: the linker does not take one's functions for the other's.
 */
#define GLOOP_NAME(slots, bytes) slots_##slots##_##bytes
#define GLOOP_NAME_OF(slots, bytes) GLOOP_NAME(slots, bytes)
#define GLOOP_SIZED inline namespace GLOOP_NAME_OF(GLOOP_SLOTS, GLOOP_SLOT_BYTES)

namespace gloop {

static_assert(GLOOP_SLOTS >= 2 && GLOOP_SLOTS <= 32, "a word has one bit for each slot");
static_assert(GLOOP_SLOT_BYTES % 16 == 0, "slots are aligned to 16 bytes");

enum op : uint32_t {
	OP_OPEN, OP_READ, OP_WRITE, OP_CLOSE, OP_FSTAT, OP_FTRUNCATE,
	OP_CONNECT, OP_LISTEN, OP_ACCEPT, OP_RECEIVE, OP_SEND,
};

/* One event: arguments by the device, then result by the host */
struct alignas(64) rpc {
	uint32_t op;
	int32_t fd;
	uint64_t offset;		/* READ, WRITE: in the file; FTRUNCATE: the new length */
	uint32_t size;			/* bytes of the page */
	uint32_t page;			/* of this block's pages */
	uint32_t flags;			/* OPEN: O_...; CONNECT, LISTEN: IPv4 address */
	uint32_t mode;			/* OPEN: permissions; CONNECT, LISTEN: port */
	int64_t result;			/* as of the system call; -errno when it failed */
	uint64_t more;			/* FSTAT: length; LISTEN: the port */
	uint32_t done;			/* the host's last word */
};

/*
 * Of a block. RUNNING and WAITING: in a kernel, WAITING with nothing to do but wait for events.
 * SUSPENDED and RESTING: has left the kernel; RESTING with nothing to do but wait.
 */
enum status : uint32_t { RUNNING, WAITING, SUSPENDED, RESTING, FINISHED };

struct alignas(64) mail {
	uint32_t completed;		/* by the host: events of this block that are done, ever */
	uint32_t status;		/* by the device: enum status */
	uint32_t consumed;		/* by the device, when it leaves: how many of them it has seen */
};

GLOOP_SIZED {

/* A callback: what is called, and what it has captured */
class DeviceLoop;
struct alignas(16) slot {
	unsigned char data[GLOOP_SLOT_BYTES];
	void (*call)(DeviceLoop *loop, const void *data);
	bool event;			/* runs with the result of an rpc */
};

/* Slot numbers, first in, first out */
struct fifo {
	uint8_t at[GLOOP_SLOTS];
	uint8_t first, count;
};

/*
 * What a device loop is about. Each thread of a block has its own copy in `DeviceLoop`, and all
 * copies are equal, since all threads make the same calls.
 */
struct control {
	uint32_t used;			/* slots with a callback */
	uint32_t waiting;		/* of these: the host works on the event */
	uint32_t pages;			/* pages in use */
	uint32_t consumed;		/* completed events that have been taken */
	uint32_t logical;		/* the logical block at work */
	uint32_t parity;		/* of block_state.next: the word that holds the next one */
	uint32_t begun;			/* `logical` has been called */
	struct fifo ready;		/* callbacks to run */
	struct fifo want;		/* callbacks that wait for a page */
};

/* Of one physical block, in the device's memory. What is kept here outlives a suspension. */
struct block_state {
	struct control control;
	uint32_t next[2];		/* logical blocks that were fetched ahead */
	uint32_t done;			/* a set of slots, from thread 0 to the others */
	int64_t result[GLOOP_SLOTS];
	uint64_t more[GLOOP_SLOTS];
	struct slot slots[GLOOP_SLOTS];
};

}	/* GLOOP_SIZED */

/* What a kernel is launched with */
struct context {
	struct rpc *rpcs;		/* GLOOP_SLOTS for each block */
	struct mail *mails;
	uint64_t *ring;			/* (ticket + 1) << 32 | number of the rpc */
	uint8_t *page_memory;
	uint32_t *failure;		/* errno of a block that cannot go on */
	uint32_t *ring_tail;		/* device memory from here on */
	uint32_t *signal;		/* == epoch: suspend */
	uint32_t *next_logical;
	struct block_state *blocks;
	uint32_t ring_mask, epoch, logical, physical, pages, page_bytes;
	uint32_t shared_slots;		/* slots 0 and 1 are in shared memory */
	uint64_t signal_ticks;		/* between two looks at `signal` */
};

}	/* namespace gloop */

#endif /* GLOOP_RPC_H */
