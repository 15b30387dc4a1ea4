// SPDX-License-Identifier: GPL-2.0
/*
 * The books of memory, and who waits for it (tg/memory.h).
 *
 * Owns struct tg_memory, its accounts and the requests that wait. Called by gpu.c for the
 * events of memory and after those that may let a request go, and by client.c, which sets memory
 * aside for clients (mem=); under the GPU's lock. While nothing waits, an event is a few sums.
 */
#include "core.h"

#define SUM_MAX	(4ULL << 60)	/* no sum of the books passes it */

struct tg_account *tg_mem_account(const struct tg_memory *mem, u32 id)
{
	struct tg_account *a = mem->table[id % TG_MEM_BUCKETS];

	while (a && a->id != id)
		a = a->hash;
	return a;
}

/* The account of that number, which comes into being if there is one in the pool. */
static struct tg_account *open_account(struct tg_gpu *gpu, u32 id)
{
	struct tg_account **head = &gpu->mem.table[id % TG_MEM_BUCKETS];
	struct tg_account *a = tg_mem_account(&gpu->mem, id);

	if (a)
		return a;
	a = tg_gpu_take(gpu, TG_POOL_ACCOUNT);
	if (!a)
		return NULL;
	memset(a, 0, sizeof(*a));
	a->id = id;
	a->hash = *head;
	*head = a;
	gpu->mem.accounts++;
	return a;
}

/* It goes when nothing is left that it could account for. */
static void close_account(struct tg_gpu *gpu, struct tg_account *a)
{
	struct tg_account **link = &gpu->mem.table[a->id % TG_MEM_BUCKETS];

	if (a->used || a->waiting || a->clients)
		return;
	while (*link != a)
		link = &(*link)->hash;
	*link = a->hash;
	gpu->mem.accounts--;
	tg_gpu_give(gpu, TG_POOL_ACCOUNT, a);
}

/* What an account has from now on. */
static void book(struct tg_memory *mem, struct tg_account *a, u64 used, u64 promised)
{
	mem->used += used - a->used;
	mem->held -= tg_mem_held(a);
	a->used = used;
	a->model = used;
	a->promised = promised;
	a->peak = max(a->peak, used);
	mem->held += tg_mem_held(a);
}

/* What is free, with nothing held twice. */
static u64 unheld(const struct tg_memory *mem)
{
	return mem->size > mem->held ? mem->size - mem->held : 0;
}

/* By how much an account that has @used would keep more from others with @bytes more. */
static u64 growth(const struct tg_account *a, u64 used, u64 bytes)
{
	return max(used + bytes, a->promised) - max(used, a->promised);
}

static enum tg_mem_order order_of(const struct tg_gpu *gpu)
{
	if (gpu->dry || !gpu->mem.size)
		return TG_MEM_SPEC;
	if (gpu->knob[TG_KNOB_VRAM_ORDER] == TG_MEM_SPEC && gpu->mem.by_spec)
		return TG_MEM_FIFO;
	return gpu->knob[TG_KNOB_VRAM_ORDER];
}

static void answer(struct tg_gpu *gpu, const struct tg_account *a, u64 id, void *host, bool granted)
{
	struct tg_action action = {
		.kind = granted ? TG_ACT_MEM_GRANT : TG_ACT_MEM_REFUSE,
		.client = a->id,
		.job = id,
		.host = host,
	};

	gpu->out->emit(gpu->out, &action);
}

/* ---- requests that wait ---------------------------------------------------------------- */

/* The request waits no more; its account may go with it. */
static void end_wait(struct tg_gpu *gpu, struct tg_ask *ask)
{
	struct tg_account *a = ask->account;

	list_del_init(&ask->link);
	gpu->mem.waiting--;
	a->waiting--;
	a->wait_time += gpu->now - ask->since;
	tg_gpu_give(gpu, TG_POOL_ASK, ask);
	close_account(gpu, a);
}

static void grant(struct tg_gpu *gpu, struct tg_ask *ask)
{
	struct tg_account *a = ask->account;

	book(&gpu->mem, a, a->used + ask->bytes, a->promised);
	answer(gpu, a, ask->id, ask->host, true);
	end_wait(gpu, ask);
}

static void refuse(struct tg_gpu *gpu, struct tg_ask *ask, enum tg_note why)
{
	struct tg_account *a = ask->account;

	a->refused++;
	tg_emit(gpu, TG_ACT_NOTE, a->client, NULL, why);
	answer(gpu, a, ask->id, ask->host, false);
	end_wait(gpu, ask);
}

static u8 prio_of(const struct tg_ask *ask)
{
	return ask->account->client ? ask->account->client->prio : TG_PRIO_MIN;
}

static u8 top_prio(const struct tg_memory *mem)
{
	const struct tg_ask *ask;
	u8 top = TG_PRIO_MIN;

	list_for_each_entry(ask, &mem->asks, link)
		if (!ask->passed)
			top = max(top, prio_of(ask));
	return top;
}

static bool aged(const struct tg_gpu *gpu, const struct tg_ask *ask)
{
	return tg_after(ask->since, gpu->knob[TG_KNOB_VRAM_AGEING]) <= gpu->now;
}

/* The request that goes next with @free bytes to give, of those not yet passed; NULL: none may. */
static struct tg_ask *next_ask(struct tg_gpu *gpu, enum tg_mem_order order, u64 free)
{
	const bool by_prio = order == TG_MEM_PFIFO || order == TG_MEM_PMMU;
	const bool in_line = order == TG_MEM_FIFO || order == TG_MEM_PFIFO;
	const u8 top = by_prio ? top_prio(&gpu->mem) : TG_PRIO_MIN;
	bool first = true;
	struct tg_ask *ask;

	list_for_each_entry(ask, &gpu->mem.asks, link) {
		const bool old = first && aged(gpu, ask);

		if (ask->passed)
			continue;
		first = false;
		if (!old && by_prio && prio_of(ask) != top)
			continue;
		if (growth(ask->account, ask->account->model, ask->bytes) <= free)
			return ask;
		if (old || in_line)
			return NULL;
	}
	return NULL;
}

/*
 * What would be free if every account that waits for nothing gave everything back. No request has
 * been passed, and accounts' models say what they have.
 */
static u64 begin_search(struct tg_memory *mem)
{
	u64 free = mem->size;
	struct tg_ask *ask;

	list_for_each_entry(ask, &mem->asks, link) {
		ask->passed = false;
		ask->account->model_waiting = 0;
	}
	list_for_each_entry(ask, &mem->asks, link)
		if (!ask->account->model_waiting++)
			free -= min(free, tg_mem_held(ask->account));
	return free;
}

/* Return: have all requests been passed? */
static bool end_search(struct tg_memory *mem)
{
	struct tg_ask *ask;
	bool all = true;

	list_for_each_entry(ask, &mem->asks, link) {
		ask->account->model = ask->account->used;
		all &= ask->passed;
	}
	return all;
}

/* Could all be granted in this order, if each account gave back all once it waits for nothing? */
static bool line_moves(struct tg_gpu *gpu, enum tg_mem_order order)
{
	u64 free = begin_search(&gpu->mem);
	struct tg_account *a;
	struct tg_ask *ask;

	while ((ask = next_ask(gpu, order, free))) {
		a = ask->account;
		free -= growth(a, a->model, ask->bytes);
		a->model += ask->bytes;
		ask->passed = true;
		if (!--a->model_waiting)
			free += max(a->model, a->promised);
	}
	return end_search(&gpu->mem);
}

/*
 * The same in any order: if not, they wait for each other. One kind of memory: any account that
 * could get all that it waits for may be the next to end.
 */
static bool all_can_end(struct tg_gpu *gpu)
{
	u64 free = begin_search(&gpu->mem);
	struct tg_account *a;
	struct tg_ask *ask;
	bool moved;

	list_for_each_entry(ask, &gpu->mem.asks, link)
		ask->account->model += ask->bytes;
	do {
		moved = false;
		list_for_each_entry(ask, &gpu->mem.asks, link) {
			a = ask->account;
			if (ask->passed)
				continue;
			if (a->model_waiting && growth(a, a->used, a->model - a->used) <= free) {
				free += tg_mem_held(a);
				a->model_waiting = 0;
			}
			ask->passed = !a->model_waiting;
			moved |= ask->passed;
		}
	} while (moved);
	return end_search(&gpu->mem);
}

/* Of those that are stuck and hold something: the oldest that fits now. */
static struct tg_ask *oldest_that_fits(const struct tg_gpu *gpu)
{
	const struct tg_memory *mem = &gpu->mem;
	struct tg_ask *ask;

	list_for_each_entry(ask, &mem->asks, link)
		if (!ask->passed && ask->account->used &&
		    growth(ask->account, ask->account->used, ask->bytes) <= unheld(mem))
			return ask;
	return NULL;
}

static struct tg_ask *youngest_holder(const struct tg_memory *mem)
{
	struct tg_ask *ask, *youngest = NULL;

	list_for_each_entry(ask, &mem->asks, link)
		if (!ask->passed && ask->account->used)
			youngest = ask;
	return youngest;
}

/*
 * Holders of memory that wait for each other, or for their place in a line that does not move
 * before they have gone on. Return: was there something to be done?
 */
static bool untie(struct tg_gpu *gpu, enum tg_mem_order order)
{
	struct tg_ask *ask;

	if (line_moves(gpu, order))
		return false;
	ask = oldest_that_fits(gpu);
	if (ask) {
		grant(gpu, ask);
		return true;
	}
	if (all_can_end(gpu))
		return false;	/* it is the line alone, and somebody will give something back */
	ask = youngest_holder(&gpu->mem);
	if (ask)
		refuse(gpu, ask, TG_NOTE_VRAM_DEADLOCK);
	return ask;
}

static void unmark(struct tg_memory *mem)
{
	struct tg_ask *ask;

	list_for_each_entry(ask, &mem->asks, link)
		ask->passed = false;
}

/* Let go who may; refuse who has to be. */
void tg_memory_run(struct tg_gpu *gpu)
{
	const enum tg_mem_order order = order_of(gpu);
	struct tg_memory *mem = &gpu->mem;
	struct tg_ask *ask;

	while ((ask = list_first_entry_or_null(&mem->asks, struct tg_ask, link)) &&
	       (order == TG_MEM_SPEC ||
		tg_after(ask->since, gpu->knob[TG_KNOB_VRAM_TIMEOUT]) <= gpu->now)) {
		if (order == TG_MEM_SPEC)
			grant(gpu, ask);
		else
			refuse(gpu, ask, TG_NOTE_VRAM_LATE);
	}
	do {
		unmark(mem);
		while ((ask = next_ask(gpu, order, unheld(mem))))
			grant(gpu, ask);
	} while (mem->waiting && untie(gpu, order));
	unmark(mem);
	tg_wake_by(gpu, tg_memory_wake(gpu));
}

/* When something has to happen to the oldest request without an event. */
s64 tg_memory_wake(const struct tg_gpu *gpu)
{
	const struct tg_ask *ask;
	s64 old;

	if (list_empty(&gpu->mem.asks))
		return TG_NEVER;
	/* Ageing changes the order, once for each: the first that is not aged is next. */
	list_for_each_entry(ask, &gpu->mem.asks, link) {
		old = tg_after(ask->since, gpu->knob[TG_KNOB_VRAM_AGEING]);
		if (old > gpu->now)
			break;
		old = TG_NEVER;
	}
	ask = list_first_entry(&gpu->mem.asks, struct tg_ask, link);
	return min(old, tg_after(ask->since, gpu->knob[TG_KNOB_VRAM_TIMEOUT]));
}

/* ---- events ----------------------------------------------------------------------------- */

int tg_memory_size(struct tg_gpu *gpu, const struct tg_event *ev)
{
	if (ev->arg > TG_MEM_MAX)
		return -EINVAL;
	gpu->mem.size = ev->arg;
	return 0;
}

static struct tg_ask *find_ask(const struct tg_memory *mem, u64 id)
{
	struct tg_ask *ask;

	list_for_each_entry(ask, &mem->asks, link)
		if (ask->id == id)
			return ask;
	return NULL;
}

/* May the request go ahead of all that wait? What has been set aside for it is its own. */
static bool at_once(const struct tg_gpu *gpu, const struct tg_account *a, u64 bytes)
{
	u64 more = growth(a, a->used, bytes);

	return order_of(gpu) == TG_MEM_SPEC || !more ||
	       (!gpu->mem.waiting && more <= unheld(&gpu->mem));
}

int tg_memory_ask(struct tg_gpu *gpu, const struct tg_event *ev)
{
	struct tg_memory *mem = &gpu->mem;
	struct tg_account *a = tg_mem_account(mem, ev->client);
	struct tg_ask *ask;
	bool told = ev->channel;

	if (!ev->client || ev->channel > 1 || !ev->arg || ev->arg > TG_MEM_MAX ||
	    mem->held + ev->arg > SUM_MAX)
		return -EINVAL;
	if (mem->waiting && find_ask(mem, ev->job))
		return -EEXIST;
	/* Whatever comes of it, so that a recorded answer does not depend on the pools. */
	if (!told && order_of(gpu) != TG_MEM_SPEC && !gpu->pooled[TG_POOL_ASK])
		return -ENOMEM;
	a = a ?: open_account(gpu, ev->client);
	if (!a)
		return -ENOMEM;
	a->asked += !told;
	if (told || at_once(gpu, a, ev->arg)) {
		book(mem, a, a->used + ev->arg, a->promised);
		if (!told)
			answer(gpu, a, ev->job, ev->host, true);
		return 0;
	}
	/* What could not be even if everybody else gave everything back waits for nothing. */
	if (ev->arg > mem->size || a->used > mem->size - ev->arg ||
	    mem->waiting == TG_MEM_WAITING) {
		a->refused++;
		answer(gpu, a, ev->job, ev->host, false);
		close_account(gpu, a);
		return 0;
	}
	ask = tg_gpu_take(gpu, TG_POOL_ASK);
	memset(ask, 0, sizeof(*ask));
	ask->id = ev->job;
	ask->account = a;
	ask->bytes = ev->arg;
	ask->since = gpu->now;
	ask->host = ev->host;
	list_add_tail(&ask->link, &mem->asks);
	mem->waiting++;
	a->waiting++;
	a->waited++;
	return 0;
}

int tg_memory_cancel(struct tg_gpu *gpu, u64 id)
{
	struct tg_ask *ask = find_ask(&gpu->mem, id);

	if (!ask)
		return -ENOENT;
	end_wait(gpu, ask);
	return 0;
}

int tg_memory_free(struct tg_gpu *gpu, const struct tg_event *ev)
{
	struct tg_account *a = tg_mem_account(&gpu->mem, ev->client);

	if (!a)
		return -ENOENT;
	if (ev->arg > a->used)
		return -EINVAL;
	book(&gpu->mem, a, a->used - ev->arg, a->promised);
	close_account(gpu, a);
	return 0;
}

/* ---- clients ---------------------------------------------------------------------------- */

/* A client that joins names the account of its process; if it is new, there is one in the pool. */
void tg_memory_join(struct tg_gpu *gpu, struct tg_client *client, u32 id)
{
	struct tg_account *a = id ? open_account(gpu, id) : NULL;

	if (!a)
		return;
	book(&gpu->mem, a, a->used, 0);
	a->clients++;
	a->client = client;
	client->account = id;
}

void tg_memory_leave(struct tg_gpu *gpu, struct tg_client *client)
{
	struct tg_account *a = tg_mem_account(&gpu->mem, client->account);

	if (!a)
		return;
	tg_memory_promise(gpu, client, 0);
	if (a->client == client)
		a->client = NULL;
	a->clients--;
	close_account(gpu, a);
	if (gpu->mem.waiting)
		tg_memory_run(gpu);
}

/* Whose line speaks for the process: its latest client's. */
static struct tg_account *account_of(const struct tg_gpu *gpu, const struct tg_client *client)
{
	struct tg_account *a = tg_mem_account(&gpu->mem, client->account);

	return a && a->client == client ? a : NULL;
}

/* Could @bytes be set aside for the client beside what is held? */
bool tg_memory_fits(const struct tg_gpu *gpu, const struct tg_client *client, u64 bytes)
{
	const struct tg_account *a = account_of(gpu, client);

	if (!a || !gpu->mem.size || !bytes)
		return true;
	return gpu->mem.held - tg_mem_held(a) + max(a->used, bytes) <= gpu->mem.size;
}

/* Set that much aside for the client from now on, instead of what was. */
void tg_memory_promise(struct tg_gpu *gpu, struct tg_client *client, u64 bytes)
{
	struct tg_account *a = account_of(gpu, client);

	if (a)
		book(&gpu->mem, a, a->used, bytes);
}

/* A spec comes into force: does it set memory aside? */
void tg_memory_spec(struct tg_gpu *gpu)
{
	u32 i;

	gpu->mem.by_spec = false;
	for (i = 0; gpu->spec && i < gpu->spec->nr; i++)
		gpu->mem.by_spec |= !!gpu->spec->entries[i].mem;
}

/* ---- check ------------------------------------------------------------------------------ */

const char *tg_memory_check(const struct tg_gpu *gpu)
{
	const struct tg_memory *mem = &gpu->mem;
	u32 accounts = 0, waiting = 0, clients = 0, i;
	u64 used = 0, held = 0;
	const struct tg_client *client;
	const struct tg_account *a;
	const struct tg_ask *ask;
	s64 since = 0;

	for (i = 0; i < TG_MEM_BUCKETS; i++)
		for (a = mem->table[i]; a; a = a->hash) {
			if (!a->used && !a->waiting && !a->clients)
				return "an account lingers that has nothing to account for";
			if (a->model != a->used)
				return "the search for a deadlock left its mark on an account";
			if (a->client ? a->client->account != a->id : a->promised)
				return "an account has a client that knows it not";
			used += a->used;
			held += tg_mem_held(a);
			clients += a->clients;
			waiting += a->waiting;
			accounts++;
		}
	list_for_each_entry(client, &gpu->all_clients, all)
		clients -= !!client->account;
	list_for_each_entry(ask, &mem->asks, link) {
		if (ask->since < since)
			return "requests for memory are out of order";
		if (ask->passed)
			return "the search for a deadlock left its mark on a request";
		since = ask->since;
		waiting--;
	}
	if (used != mem->used || held != mem->held || clients || waiting ||
	    accounts != mem->accounts)
		return "the books of memory do not add up";
	if (mem->waiting && order_of(gpu) == TG_MEM_SPEC)
		return "a request for memory waits though nobody has to";
	return NULL;
}
