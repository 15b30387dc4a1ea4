/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The books of a GPU's memory (VRAM), and admission by it (schedGPU, section 5).
 *
 * Whoever asks the driver for VRAM asks here first (TG_EV_MEM_ASK), and gives it back here when
 * the driver has freed it (TG_EV_MEM_FREE). An account is what one process holds, whether or
 * not it has a channel; the host numbers accounts, and tells a client's at its JOIN.
 *
 * Virtual GPUs divide the memory by their shares (Gdev, section 5.2): each has its part, and those
 * who belong to none have what the shares leave. An account belongs to the virtual GPU of its
 * process's latest client, and stays there when that has gone; before its first channel, to
 * none. Parts know nothing of each other: each has its own sums, its own line, and its own
 * deadlocks. Where accounts come with what they hold, or a share is made smaller, a part may hold
 * more than it has, until enough has been given back.
 *
 * Admission is on while the knob vram_order is not 0, or the spec in force has a mem= line; in the
 * part of a virtual GPU, always. A request that does not fit beside what is held in its part then
 * waits, in the order that the knob names:
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
 *	Timeout. After vram_timeout_us a request is refused, as if there were no memory; at once,
 *	when it would not fit even if all others in its part gave everything back.
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

#define TG_MEM_BUCKETS	512		/* of the table of accounts */
#define TG_MEM_WAITING	128		/* requests that may wait; one more is refused */
#define TG_MEM_MAX	(1024ULL << 40)	/* bytes: largest request, largest memory */

/**
 * enum tg_mem_order - values of the knob vram_order
 * @TG_MEM_SPEC: nobody waits, unless the spec in force has a mem= line: then as FIFO; and in the
 *	part of a virtual GPU
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
 * @vgpu: the virtual GPU that it belongs to, index into tg_gpu.vgpu and tg_memory.part
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
	u8 vgpu;
	struct tg_client *client;
	u64 used, promised, model, peak;
	u64 asked, waited, refused, wait_time;
};

/**
 * struct tg_ask - a request that waits; the GPU's lock
 * @link: in tg_mem_part.asks, or next in the pool
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
 * struct tg_mem_part - what a virtual GPU, or the rest, has of the memory; the GPU's lock
 * @size: its share, bytes, rounded down
 * @used: sum of its accounts' used
 * @held: sum of the larger of used and promised
 * @asks: its requests that wait, in the order of arrival
 */
struct tg_mem_part {
	u64 size, used, held;
	struct list_head asks;
};

/**
 * struct tg_memory - the books of one GPU; the GPU's lock
 * @size: bytes of VRAM, 0: not known: everything fits
 * @used: sum of the accounts' used
 * @waiting: requests that wait, in all parts
 * @accounts: accounts that are there
 * @by_spec: the spec in force has a mem= line
 * @part: as tg_gpu.vgpu; the first is the rest's, which has all while there are no others
 * @table: accounts by number
 */
struct tg_memory {
	u64 size, used;
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

/** tg_mem_held() - what an account keeps from others, bytes */
static inline u64 tg_mem_held(const struct tg_account *a)
{
	return max(a->used, a->promised);
}

#endif /* TG_MEMORY_H */
