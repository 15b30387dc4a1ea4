/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The books of a GPU's memory (VRAM), and admission by it (schedGPU, section 5).
 *
 * Whoever asks the driver for VRAM asks here first (TG_EV_MEM_ASK), and gives it back here when
 * the driver has freed it (TG_EV_MEM_FREE). An account is what one process holds, whether or
 * not it has a channel; the host numbers accounts, and tells a client's at its JOIN.
 *
 * Admission is on while the knob vram_order is not 0, or the spec in force has a mem= line. A
 * request that does not fit beside what is held then waits, in the order that the knob names:
 *
 *	fifo	in the order of arrival: who does not fit holds up all behind
 *	mmu	maximum memory utilisation: the first that fits
 *	pfifo	by priority, then as fifo
 *	pmmu	the first that fits, among those of the highest priority that wait
 *
 * (The paper lets a request of Priority-FIFO that does not fit be passed by another of the same
 * priority, which would be Priority-MMU; FIFO's meaning is kept.) Its priority is its client's,
 * TG_PRIO_MIN while the process has no channel. Beyond the paper:
 *
 *	Ageing. A request that has waited for vram_ageing_us goes first, and nobody passes the
 *	oldest of these: no stream of small requests starves a large one.
 *	Timeout. After vram_timeout_us a request is refused, as if there were no memory.
 *	Deadlock. When the line would not move even if all who wait for nothing gave everything
 *	back, the oldest request of a holder that fits passes it. When holders wait for each other,
 *	in whatever order, the youngest of their requests is refused.
 *	mem=. What a client's line of the spec asks for is set aside for its process, or, when it
 *	does not fit, not, and neither is its reserve: it becomes Background. Requests within it
 *	never wait.
 *
 * The books count requests, not residency: the driver may have moved an object elsewhere, and
 * still knows that it belongs into VRAM.
 *
 * All of it runs inside tg_gpu_feed(), under the GPU's lock. No clock, no allocation: accounts and
 * requests come from the pools TG_POOL_ACCOUNT and TG_POOL_ASK.
 */
#ifndef TG_MEMORY_H
#define TG_MEMORY_H

#include <tg/types.h>

#define TG_MEM_BUCKETS	64		/* of the table of accounts */
#define TG_MEM_WAITING	128		/* requests that may wait; one more is refused */
#define TG_MEM_MAX	(1024ULL << 40)	/* bytes: largest request, largest memory */

/**
 * enum tg_mem_order - values of the knob vram_order
 * @TG_MEM_SPEC: nobody waits, unless the spec in force has a mem= line: then as FIFO
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
 * struct tg_account - what one process holds; the GPU's lock
 * @hash: next in tg_memory.table's bucket, or in the pool
 * @id: the host's number
 * @clients: clients that name it
 * @waiting: its requests that wait
 * @client: the latest of its clients, or NULL when that has gone: it has its priority
 * @used: bytes granted and not given back
 * @promised: bytes set aside by @client's line (mem=), of which @used has its part
 * @model: @used; while a deadlock is looked for, what it would be
 * @model_waiting: scratch of that search: its requests that would still wait
 * @peak: the largest @used
 * @asked: requests
 * @waited: of them: had to wait
 * @refused: of them: refused
 * @wait_time: time that they waited, ns
 */
struct tg_account {
	struct tg_account *hash;
	u32 id, clients, waiting, model_waiting;
	struct tg_client *client;
	u64 used, promised, model, peak;
	u64 asked, waited, refused, wait_time;
};

/**
 * struct tg_ask - a request that waits; the GPU's lock
 * @link: in tg_memory.asks, or next in the pool
 * @id: the host's number
 * @account: whose
 * @bytes: how much
 * @since: when it came
 * @host: cookie
 * @passed: scratch of the search for a deadlock: it would be granted
 */
struct tg_ask {
	struct list_head link;
	u64 id;
	struct tg_account *account;
	u64 bytes;
	s64 since;
	void *host;
	bool passed;
};

/**
 * struct tg_memory - the books of one GPU; the GPU's lock
 * @size: bytes of VRAM, 0: not known: everything fits
 * @used: sum of the accounts' used
 * @held: sum of the larger of used and promised
 * @waiting: requests that wait
 * @accounts: accounts that are there
 * @by_spec: the spec in force has a mem= line
 * @asks: requests that wait, in the order of arrival
 * @table: accounts by number
 */
struct tg_memory {
	u64 size, used, held;
	u32 waiting, accounts;
	bool by_spec;
	struct list_head asks;
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

/** tg_mem_held() - what an account keeps from others, bytes */
static inline u64 tg_mem_held(const struct tg_account *a)
{
	return max(a->used, a->promised);
}

#endif /* TG_MEMORY_H */
