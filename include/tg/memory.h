/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The books of a GPU's memory (VRAM), and admission by it (schedGPU, section 5).
 *
 * Terms (docs/glossary.md): account, ageing, cookie, deadlock, part, request.
 *
 * Before a process requests VRAM of the driver, the host requests it here (TG_EV_MEM_REQUEST); when
 * the driver has freed VRAM, the host gives it back here (TG_EV_MEM_FREE). An account is what one
 * process holds, whether or not it has a channel. The host numbers accounts, and names a client's
 * at its JOIN.
 *
 * Virtual GPUs divide the memory by their shares (Gdev, section 5.2). Each has its part; processes
 * that belong to none share what is left. An account belongs to the virtual GPU of its process's
 * latest client, and stays there when that client has gone; before its first channel, to none.
 * Parts are independent: each has its own sums, its own queue of requests, and its own deadlocks. A
 * part may hold more than its size, after an account has moved to it or its share has been made
 * smaller, until enough has been given back.
 *
 * Admission is on while the knob vram_order is not 0, or the spec in force has a mem= line; in the
 * part of a virtual GPU, always. A request that does not fit beside what is held in its part then
 * waits, in the order that the knob names:
 *
 *	fifo	in the order of arrival: a request that does not fit holds up all behind it
 *	mmu	maximum memory utilisation: the first request that fits
 *	pfifo	by priority, then as fifo
 *	pmmu	the first that fits, among the waiting requests of the highest priority
 *
 * (The paper lets a request of Priority-FIFO that does not fit be passed by another of the same
 * priority, which would be Priority-MMU; FIFO's meaning is kept.) Its priority is its client's,
 * TG_PRIO_MIN while the process has no channel. Beyond the paper:
 *
 *	Ageing. A request that has waited for vram_ageing_us goes first, and none overtakes the
 *	oldest of these: no stream of small requests starves a large one.
 *	Timeout. After vram_timeout_us a request is refused, as if there were no memory; a request
 *	that would not fit even if all other accounts of its part gave everything back, at once.
 *	Deadlock. Accounts that wait for nothing may give memory back. If no request that may go
 *	next would fit even when all of them had, the oldest request that fits now, of an account
 *	that holds memory, overtakes the queue. If no account that holds memory and waits could get
 *	all that it waits for even then, such accounts wait for each other: the youngest request of
 *	one is refused.
 *	mem=. What a client's line of the spec names is set aside for its process. If it does
 *	not fit, nothing is, and the client gets Background instead of its reserve. Requests
 *	within what is set aside never wait.
 *
 * One event answers at most one of the requests that wait, since the host wakes its thread under
 * the GPU's lock. If more may be answered, TG_ACT_ARM has TG_EV_TIMER come 20 us later.
 *
 * The books count requests, not residency: the driver may have moved an object elsewhere, and
 * still knows that it belongs into VRAM.
 *
 * All of it runs inside tg_gpu_feed(), under the GPU's lock. No clock, no allocation: accounts and
 * requests come from the pools TG_POOL_ACCOUNT and TG_POOL_REQUEST.
 */
#ifndef TG_MEMORY_H
#define TG_MEMORY_H

#include <tg/types.h>

#define TG_MEM_BUCKETS	512		/* of the table of accounts */
#define TG_MEM_WAITING	128		/* requests that may wait; one more is refused */
#define TG_MEM_WAITING_USER 96		/* of them, of one user */
#define TG_MEM_MAX	(1024ULL << 40)	/* bytes: largest request, largest memory */

/**
 * enum tg_mem_order - values of the knob vram_order
 * @TG_MEM_SPEC: no request waits, unless the spec in force has a mem= line, or in the part of a
 *	virtual GPU: then as FIFO
 * @TG_MEM_FIFO: first-in, first-out
 * @TG_MEM_MMU: maximum memory utilisation
 * @TG_MEM_PFIFO: Priority-FIFO
 * @TG_MEM_PMMU: Priority-MMU
 */
enum tg_mem_order {
	TG_MEM_SPEC, TG_MEM_FIFO, TG_MEM_MMU, TG_MEM_PFIFO, TG_MEM_PMMU,
	TG_MEM_ORDERS
};

struct tg_client;

/**
 * struct tg_account - what one process holds; under the GPU's lock
 * @hash: next in tg_memory.table's bucket, or in the pool
 * @id: the host's number
 * @clients: clients that name it at their JOIN
 * @vgpu: the virtual GPU that it belongs to, index into tg_gpu.vgpu and tg_memory.part
 * @term: that part's, when it came there; another one now: the virtual GPU has been removed, and
 *	the account is in the part of the rest
 * @waiting: its requests that wait
 * @client: the latest of its clients, whose priority its requests have; NULL: that one has gone
 * @used: bytes granted and not given back
 * @promised: bytes set aside by @client's line (mem=); @used counts towards them. Read it with
 *	tg_mem_promised()
 * @edition: tg_memory.edition in which they were; in another one, none are: of an account that
 *	waits, @promised is 0 then
 * @wanted: bytes of its requests that wait
 * @peak: the largest @used
 * @requests: requests so far
 * @waited: how many of them had to wait
 * @refused: how many of them were refused
 * @wait_time: time that they waited, ns
 */
struct tg_account {
	struct tg_account *hash;
	u32 id, clients, waiting;
	u8 vgpu;
	u64 term;
	struct tg_client *client;
	u64 used, promised, edition, wanted, peak;
	u64 requests, waited, refused, wait_time;
};

/**
 * struct tg_mem_request - a request that waits; under the GPU's lock
 * @link: in tg_mem_part.requests, or next in the pool
 * @id: the host's number
 * @account: the account that makes it
 * @bytes: how many
 * @since: when it came
 * @host: cookie
 */
struct tg_mem_request {
	struct list_head link;
	u64 id;
	struct tg_account *account;
	u64 bytes;
	s64 since;
	void *host;
};

/**
 * struct tg_mem_part - what a virtual GPU, or the rest, has of the memory; under the GPU's lock
 * @term: how often its virtual GPU has been removed
 * @size: its share, bytes, rounded down
 * @used: sum of its accounts' used
 * @held: sum of the larger of used and promised
 * @kept: as @held, of its accounts that have requests waiting
 * @needs: no request can be answered while fewer bytes are free and all that matters to requests
 *	stays as it is; 0: look
 * @order: the order in which requests were looked at when @needs was set
 * @aged: whether the oldest of them had aged then
 * @requests: its requests that wait, in the order of arrival
 */
struct tg_mem_part {
	u64 term, size, used, held, kept, needs;
	enum tg_mem_order order;
	bool aged;
	struct list_head requests;
};

/**
 * struct tg_memory - the books of one GPU; under the GPU's lock
 * @size: bytes of VRAM, 0: not known: everything fits
 * @used: sum of the accounts' used
 * @waiting: requests that wait, in all parts
 * @accounts: accounts that are there
 * @edition: how often all has been taken back that was set aside (mem=)
 * @by_spec: the spec in force has a mem= line
 * @part: as tg_gpu.vgpu; the first is the rest's, which has all while there are no others
 * @table: accounts by number
 */
struct tg_memory {
	u64 size, used, edition;
	u32 waiting, accounts;
	bool by_spec;
	struct tg_mem_part part[TG_VGPUS_MAX + 1];
	struct tg_account *table[TG_MEM_BUCKETS];
};

/**
 * tg_mem_account() - look an account up
 * @mem: the books
 * @id: its number
 *
 * Return: the account, or NULL.
 */
struct tg_account *tg_mem_account(const struct tg_memory *mem, u32 id);

/** tg_mem_promised() - what is set aside for an account, bytes */
static inline u64 tg_mem_promised(const struct tg_memory *mem, const struct tg_account *a)
{
	return a->edition == mem->edition ? a->promised : 0;
}

/** tg_mem_held() - what an account keeps from others, bytes */
static inline u64 tg_mem_held(const struct tg_memory *mem, const struct tg_account *a)
{
	return max(a->used, tg_mem_promised(mem, a));
}

#endif /* TG_MEMORY_H */
