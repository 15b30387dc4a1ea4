// SPDX-License-Identifier: GPL-2.0
/*
 * The books of VRAM, and the requests that wait for it. tg/memory.h says what is promised to whom,
 * and in which order requests go.
 *
 * Owns struct tg_memory, its accounts and its requests. feed.c calls it for the events of memory,
 * and after other events while requests wait; match.c sets memory aside for clients (mem=); vgpu.c
 * divides the memory by shares. All of it runs under the GPU's lock. While nothing waits, an event
 * costs a few sums.
 */
#include "feed.h"
#include "memory.h"

#define SUM_MAX	(4ULL << 60)	/* no sum of used bytes gets larger */

struct tg_account *tg_mem_account(const struct tg_memory *mem, u32 id)
{
	struct tg_account *a = mem->table[id % TG_MEM_BUCKETS];

	while (a && a->id != id)
		a = a->hash;
	return a;
}

/* The account of that number; if there is none, a new one. NULL: the pool is empty. */
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

/* Forget an account that has no memory, no request and no client. */
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

/* Set what an account has and what is promised to it; the sums follow. */
static void book(struct tg_memory *mem, struct tg_account *a, u64 used, u64 promised)
{
	struct tg_mem_part *part = &mem->part[a->vgpu];

	mem->used += used - a->used;
	part->used += used - a->used;
	part->held -= tg_mem_held(a);
	a->used = used;
	a->model = used;
	a->promised = promised;
	a->peak = max(a->peak, used);
	part->held += tg_mem_held(a);
}

/* The bytes of a part that no account holds. */
static u64 unheld(const struct tg_mem_part *part)
{
	return part->size > part->held ? part->size - part->held : 0;
}

/* Would @bytes more not fit even if every other account gave everything back? */
static bool never_fits(const struct tg_mem_part *part, const struct tg_account *a, u64 bytes)
{
	return bytes > part->size || a->used > part->size - bytes;
}

/*
 * By how many bytes an account that has @used would hold more if it got @bytes. What is promised to
 * it, it holds already.
 */
static u64 growth(const struct tg_account *a, u64 used, u64 bytes)
{
	return max(used + bytes, a->promised) - max(used, a->promised);
}

/*
 * The order in which requests of a part wait; TG_MEM_SPEC: none waits. The part of a virtual GPU is
 * enforced whatever the knob says, that of the rest by the knob or a mem= line.
 */
enum tg_mem_order tg_memory_order(const struct tg_gpu *gpu, const struct tg_mem_part *part)
{
	const enum tg_mem_order order = gpu->knob[TG_KNOB_VRAM_ORDER];

	if (gpu->dry || !gpu->mem.size)
		return TG_MEM_SPEC;
	if (order == TG_MEM_SPEC && (gpu->mem.by_spec || part != &gpu->mem.part[0]))
		return TG_MEM_FIFO;
	return order;
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

/* The request waits no more. Its account is forgotten if this was all that it had. */
static void end_wait(struct tg_gpu *gpu, struct tg_mem_request *req)
{
	struct tg_account *a = req->account;

	list_del_init(&req->link);
	gpu->mem.waiting--;
	a->waiting--;
	a->wait_time += gpu->now - req->since;
	tg_gpu_give(gpu, TG_POOL_REQUEST, req);
	close_account(gpu, a);
}

static void grant(struct tg_gpu *gpu, struct tg_mem_request *req)
{
	struct tg_account *a = req->account;

	book(&gpu->mem, a, a->used + req->bytes, a->promised);
	answer(gpu, a, req->id, req->host, true);
	end_wait(gpu, req);
}

static void refuse(struct tg_gpu *gpu, struct tg_mem_request *req)
{
	struct tg_account *a = req->account;

	a->refused++;
	answer(gpu, a, req->id, req->host, false);
	end_wait(gpu, req);
}

static void refuse_saying(struct tg_gpu *gpu, struct tg_mem_request *req, enum tg_note why)
{
	tg_emit(gpu, TG_ACT_NOTE, req->account->client, NULL, why);
	refuse(gpu, req);
}

static u8 prio_of(const struct tg_mem_request *req)
{
	return req->account->client ? req->account->client->prio : TG_PRIO_MIN;
}

static u8 top_prio(const struct tg_mem_part *part)
{
	const struct tg_mem_request *req;
	u8 top = TG_PRIO_MIN;

	list_for_each_entry(req, &part->requests, link)
		if (!req->passed)
			top = max(top, prio_of(req));
	return top;
}

static bool aged(const struct tg_gpu *gpu, const struct tg_mem_request *req)
{
	return tg_after(req->since, gpu->knob[TG_KNOB_VRAM_AGEING]) <= gpu->now;
}

/*
 * The request that goes next in this order, out of @free bytes. Those passed are left out. NULL:
 * none.
 */
static struct tg_mem_request *next_request(const struct tg_gpu *gpu, struct tg_mem_part *part,
					   enum tg_mem_order order, u64 free)
{
	const bool by_prio = order == TG_MEM_PFIFO || order == TG_MEM_PMMU;
	const bool in_line = order == TG_MEM_FIFO || order == TG_MEM_PFIFO;
	const u8 top = by_prio ? top_prio(part) : TG_PRIO_MIN;
	bool first = true;
	struct tg_mem_request *req;

	list_for_each_entry(req, &part->requests, link) {
		const bool old = first && aged(gpu, req);

		if (req->passed)
			continue;
		first = false;
		if (!old && by_prio && prio_of(req) != top)
			continue;
		if (growth(req->account, req->account->model, req->bytes) <= free)
			return req;
		if (old || in_line)
			return NULL;
	}
	return NULL;
}

/*
 * Begin a search for a deadlock: no request is passed, each account's model is what it has. Return:
 * what would be free if every account that waits for nothing gave everything back.
 */
static u64 begin_search(struct tg_mem_part *part)
{
	u64 free = part->size;
	struct tg_mem_request *req;

	list_for_each_entry(req, &part->requests, link) {
		req->passed = false;
		req->account->model_waiting = 0;
	}
	list_for_each_entry(req, &part->requests, link)
		if (!req->account->model_waiting++)
			free -= min(free, tg_mem_held(req->account));
	return free;
}

/* End the search. Return: have all requests been passed? */
static bool end_search(struct tg_mem_part *part)
{
	struct tg_mem_request *req;
	bool all = true;

	list_for_each_entry(req, &part->requests, link) {
		req->account->model = req->account->used;
		all &= req->passed;
	}
	return all;
}

/*
 * Could all requests be granted in this order, if each account gave everything back as soon as it
 * waited for nothing?
 */
static bool line_moves(const struct tg_gpu *gpu, struct tg_mem_part *part,
		       enum tg_mem_order order)
{
	u64 free = begin_search(part);
	struct tg_account *a;
	struct tg_mem_request *req;

	while ((req = next_request(gpu, part, order, free))) {
		a = req->account;
		free -= growth(a, a->model, req->bytes);
		a->model += req->bytes;
		req->passed = true;
		if (!--a->model_waiting)
			free += max(a->model, a->promised);
	}
	return end_search(part);
}

/*
 * Could they be granted in any order? If not, accounts wait for each other: a deadlock. There is
 * one kind of memory, so any account that could get all that it waits for may end next.
 */
static bool all_can_end(struct tg_mem_part *part)
{
	u64 free = begin_search(part);
	struct tg_account *a;
	struct tg_mem_request *req;
	bool moved;

	list_for_each_entry(req, &part->requests, link)
		req->account->model += req->bytes;
	do {
		moved = false;
		list_for_each_entry(req, &part->requests, link) {
			a = req->account;
			if (req->passed)
				continue;
			if (a->model_waiting && growth(a, a->used, a->model - a->used) <= free) {
				free += tg_mem_held(a);
				a->model_waiting = 0;
			}
			req->passed = !a->model_waiting;
			moved |= req->passed;
		}
	} while (moved);
	return end_search(part);
}

/* The oldest of the requests that were not passed, whose account has memory, and that fits now. */
static struct tg_mem_request *oldest_that_fits(const struct tg_mem_part *part)
{
	struct tg_mem_request *req;

	list_for_each_entry(req, &part->requests, link)
		if (!req->passed && req->account->used &&
		    growth(req->account, req->account->used, req->bytes) <= unheld(part))
			return req;
	return NULL;
}

/* The youngest of the requests that were not passed and whose account has memory. */
static struct tg_mem_request *youngest_holder(const struct tg_mem_part *part)
{
	struct tg_mem_request *req, *youngest = NULL;

	list_for_each_entry(req, &part->requests, link)
		if (!req->passed && req->account->used)
			youngest = req;
	return youngest;
}

/*
 * If the line would not move: grant a request ahead of its turn, or refuse one in a deadlock.
 * Return: has a request been granted or refused?
 */
static bool untie(struct tg_gpu *gpu, struct tg_mem_part *part, enum tg_mem_order order)
{
	struct tg_mem_request *req;

	if (line_moves(gpu, part, order))
		return false;
	req = oldest_that_fits(part);
	if (req) {
		grant(gpu, req);
		return true;
	}
	if (all_can_end(part))
		return false;	/* no deadlock: some account will give memory back */
	req = youngest_holder(part);
	if (req)
		refuse_saying(gpu, req, TG_NOTE_VRAM_DEADLOCK);
	return req;
}

static void unmark(struct tg_mem_part *part)
{
	struct tg_mem_request *req;

	list_for_each_entry(req, &part->requests, link)
		req->passed = false;
}

/* Grant what need not wait any more; refuse what has timed out or can never fit. */
static void clear_out(struct tg_gpu *gpu, struct tg_mem_part *part, enum tg_mem_order order)
{
	struct tg_mem_request *req, *next;

	list_for_each_entry_safe(req, next, &part->requests, link) {
		if (order == TG_MEM_SPEC)
			grant(gpu, req);
		else if (tg_after(req->since, gpu->knob[TG_KNOB_VRAM_TIMEOUT]) <= gpu->now)
			refuse_saying(gpu, req, TG_NOTE_VRAM_LATE);
		else if (never_fits(part, req->account, req->bytes))
			refuse(gpu, req);
	}
}

static void run_part(struct tg_gpu *gpu, struct tg_mem_part *part)
{
	const enum tg_mem_order order = tg_memory_order(gpu, part);
	struct tg_mem_request *req;

	clear_out(gpu, part, order);
	do {
		unmark(part);
		while ((req = next_request(gpu, part, order, unheld(part))))
			grant(gpu, req);
	} while (!list_empty(&part->requests) && untie(gpu, part, order));
	unmark(part);
}

/* Grant what fits; refuse what has timed out, can never fit, or is in a deadlock. */
void tg_memory_run(struct tg_gpu *gpu)
{
	u32 i;

	for (i = 0; i <= TG_VGPUS_MAX; i++)
		if (!list_empty(&gpu->mem.part[i].requests))
			run_part(gpu, &gpu->mem.part[i]);
	tg_wake_by(gpu, tg_memory_wake(gpu));
}

/* When the next request of a part ages or times out. */
static s64 wake_of(const struct tg_gpu *gpu, const struct tg_mem_part *part)
{
	const struct tg_mem_request *req;
	s64 old = TG_NEVER;

	if (list_empty(&part->requests))
		return TG_NEVER;
	/* Ageing changes the order once per request: the first that has not aged is next. */
	list_for_each_entry(req, &part->requests, link) {
		old = tg_after(req->since, gpu->knob[TG_KNOB_VRAM_AGEING]);
		if (old > gpu->now)
			break;
		old = TG_NEVER;
	}
	req = list_first_entry(&part->requests, struct tg_mem_request, link);
	return min(old, tg_after(req->since, gpu->knob[TG_KNOB_VRAM_TIMEOUT]));
}

s64 tg_memory_wake(const struct tg_gpu *gpu)
{
	s64 wake = TG_NEVER;
	u32 i;

	for (i = 0; gpu->mem.waiting && i <= TG_VGPUS_MAX; i++)
		wake = min(wake, wake_of(gpu, &gpu->mem.part[i]));
	return wake;
}

/* ---- virtual GPUs ------------------------------------------------------------------------ */

void tg_memory_init(struct tg_gpu *gpu)
{
	u32 i;

	for (i = 0; i <= TG_VGPUS_MAX; i++)
		INIT_LIST_HEAD(&gpu->mem.part[i].requests);
}

/* The memory has a size, or the shares have changed. */
void tg_memory_share(struct tg_gpu *gpu)
{
	u32 i;

	for (i = 0; i <= TG_VGPUS_MAX; i++)
		gpu->mem.part[i].size =
			div64_u64(gpu->mem.size * gpu->vgpu[i].share[TG_MEMORY], 100);
}

/* Put a request into the line of a part by its arrival, wherever it has waited before. */
static void line_up(struct tg_mem_part *part, struct tg_mem_request *req)
{
	struct list_head *pos = part->requests.prev;

	while (pos != &part->requests &&
	       list_entry(pos, struct tg_mem_request, link)->since > req->since)
		pos = pos->prev;
	list_add(&req->link, pos);
}

/* The account's memory and its requests are @vgpu's from now on. */
static void move(struct tg_memory *mem, struct tg_account *a, u8 vgpu)
{
	struct tg_mem_part *from = &mem->part[a->vgpu], *to = &mem->part[vgpu];
	struct tg_mem_request *req, *next;

	if (from == to)
		return;
	from->used -= a->used;
	from->held -= tg_mem_held(a);
	to->used += a->used;
	to->held += tg_mem_held(a);
	a->vgpu = vgpu;
	list_for_each_entry_safe(req, next, &from->requests, link) {
		if (req->account != a)
			continue;
		list_del_init(&req->link);
		line_up(to, req);
	}
}

/* A virtual GPU is removed: its memory and its requests go to the rest. */
void tg_memory_disband(struct tg_gpu *gpu, u8 vgpu)
{
	struct tg_account *a;
	u32 i;

	for (i = 0; i < TG_MEM_BUCKETS; i++)
		for (a = gpu->mem.table[i]; a; a = a->hash)
			if (a->vgpu == vgpu)
				move(&gpu->mem, a, 0);
}

/* ---- events ----------------------------------------------------------------------------- */

int tg_memory_size(struct tg_gpu *gpu, const struct tg_event *ev)
{
	if (ev->arg > TG_MEM_MAX)
		return -EINVAL;
	gpu->mem.size = ev->arg;
	tg_memory_share(gpu);
	return 0;
}

static struct tg_mem_request *find_request(const struct tg_memory *mem, u64 id)
{
	struct tg_mem_request *req;
	u32 i;

	for (i = 0; mem->waiting && i <= TG_VGPUS_MAX; i++)
		list_for_each_entry(req, &mem->part[i].requests, link)
			if (req->id == id)
				return req;
	return NULL;
}

/* May the request be granted at once? So it is with what has been promised to its account. */
static bool at_once(const struct tg_gpu *gpu, const struct tg_account *a, u64 bytes)
{
	const struct tg_mem_part *part = &gpu->mem.part[a->vgpu];
	u64 more = growth(a, a->used, bytes);

	return tg_memory_order(gpu, part) == TG_MEM_SPEC || !more ||
	       (list_empty(&part->requests) && more <= unheld(part));
}

int tg_memory_ask(struct tg_gpu *gpu, const struct tg_event *ev)
{
	struct tg_memory *mem = &gpu->mem;
	struct tg_account *a = tg_mem_account(mem, ev->client);
	struct tg_mem_part *part = &mem->part[a ? a->vgpu : 0];
	struct tg_mem_request *req;
	bool told = ev->channel;

	if (!ev->client || ev->channel > 1 || !ev->arg || ev->arg > TG_MEM_MAX ||
	    mem->used + ev->arg > SUM_MAX)
		return -EINVAL;
	if (find_request(mem, ev->job))
		return -EEXIST;
	/*
	 * Needed even if it does not wait, so that a recorded answer does not depend on the pools.
	 */
	if (!told && tg_memory_order(gpu, part) != TG_MEM_SPEC && !gpu->pooled[TG_POOL_REQUEST])
		return -ENOMEM;
	a = a ?: open_account(gpu, ev->client);
	if (!a)
		return -ENOMEM;
	a->requests += !told;
	if (told || at_once(gpu, a, ev->arg)) {
		book(mem, a, a->used + ev->arg, a->promised);
		if (!told)
			answer(gpu, a, ev->job, ev->host, true);
		return 0;
	}
	/* It would wait in vain, or too many wait. */
	if (never_fits(part, a, ev->arg) || mem->waiting == TG_MEM_WAITING) {
		a->refused++;
		answer(gpu, a, ev->job, ev->host, false);
		close_account(gpu, a);
		return 0;
	}
	req = tg_gpu_take(gpu, TG_POOL_REQUEST);
	memset(req, 0, sizeof(*req));
	req->id = ev->job;
	req->account = a;
	req->bytes = ev->arg;
	req->since = gpu->now;
	req->host = ev->host;
	list_add_tail(&req->link, &part->requests);
	mem->waiting++;
	a->waiting++;
	a->waited++;
	return 0;
}

int tg_memory_cancel(struct tg_gpu *gpu, u64 id)
{
	struct tg_mem_request *req = find_request(&gpu->mem, id);

	if (!req)
		return -ENOENT;
	end_wait(gpu, req);
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

/*
 * A client joins, and names the account of its process; the pool holds one, in case it is new. The
 * client is matched next, and its account follows it to its virtual GPU.
 */
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

/*
 * The account for which this client's line speaks: its process's, if no later client has it; or
 * NULL.
 */
static struct tg_account *account_of(const struct tg_gpu *gpu, const struct tg_client *client)
{
	struct tg_account *a = tg_mem_account(&gpu->mem, client->account);

	return a && a->client == client ? a : NULL;
}

/* The client belongs to another virtual GPU, and its process with it. */
void tg_memory_follow(struct tg_gpu *gpu, const struct tg_client *client)
{
	struct tg_account *a = account_of(gpu, client);

	if (a)
		move(&gpu->mem, a, client->vgpu);
}

/* Could @bytes be set aside for the client beside what accounts hold? */
bool tg_memory_fits(const struct tg_gpu *gpu, const struct tg_client *client, u64 bytes)
{
	const struct tg_account *a = account_of(gpu, client);
	const struct tg_mem_part *part;

	if (!a || !gpu->mem.size || !bytes)
		return true;
	part = &gpu->mem.part[a->vgpu];
	return part->held - tg_mem_held(a) + max(a->used, bytes) <= part->size;
}

/* From now on set @bytes aside for the client, instead of what was. */
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

/* ---- the driver's answer ---------------------------------------------------------------- */

bool tg_gpu_again(const struct tg_gpu *gpu, u32 account, u64 bytes, s64 waited)
{
	const struct tg_account *a = tg_mem_account(&gpu->mem, account);

	return tg_memory_order(gpu, &gpu->mem.part[a ? a->vgpu : 0]) != TG_MEM_SPEC &&
	       bytes <= gpu->mem.size && waited < gpu->knob[TG_KNOB_VRAM_TIMEOUT];
}
