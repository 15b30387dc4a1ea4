// SPDX-License-Identifier: GPL-2.0
/*
 * The books of VRAM, and the requests that wait for it. tg/memory.h says what is promised to whom,
 * and in which order requests go.
 *
 * Owns struct tg_memory, its accounts and its requests. feed.c calls it for the events of memory,
 * and after other events while requests wait; match.c sets memory aside for clients (mem=); vgpu.c
 * divides the memory by shares. All of it runs under the GPU's lock.
 *
 * Why no line stands still for ever. Call reach what would be free in a part if every account that
 * waits for nothing gave everything back, and holder an account that waits and holds something.
 *
 *	1 A request that may go next fits in what is free: it is granted.
 *	2 One fits in the reach: the line waits. It goes when the others have given enough back.
 *	3 None fits in the reach, since holders have the rest. If a holder's request fits in what
 *	  is free, it is granted ahead of its turn.
 *	4 If a holder could get all that it waits for out of the reach, the line waits: when the
 *	  others have given enough back, rule 3 grants its requests, until it waits for nothing.
 *	5 If no holder could, none ever can: accounts that hold nothing add nothing to the reach. A
 *	  deadlock: the youngest request of a holder is refused, unless one fits (rule 3).
 *
 * So a line waits only for accounts that wait for nothing, and each rule that does not wait ends a
 * request. Where such an account gives nothing back, the timeout ends the wait. Holders that wait
 * for each other beside one that could get all (rule 4) are refused after that one's turn.
 *
 * Cost. An event looks at the waiting requests twice at most (next_in_order(), untie()), and
 * answers one of them at most; for the next one it asks for TIMER, after TG_PAUSE. It looks at none
 * while nothing has changed for a request and less is free than any that may go needs (at_rest()).
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

/* Take an account out of the sums of its part, before it changes. */
static void take_out(struct tg_memory *mem, const struct tg_account *a)
{
	struct tg_mem_part *part = &mem->part[tg_mem_part_of(mem, a)];

	part->used -= a->used;
	part->held -= tg_mem_held(mem, a);
	if (!a->waiting)
		return;
	part->kept -= tg_mem_held(mem, a);
	part->needs = 0;
}

/* Put it back into them. */
static void put_in(struct tg_memory *mem, const struct tg_account *a)
{
	struct tg_mem_part *part = &mem->part[tg_mem_part_of(mem, a)];

	part->used += a->used;
	part->held += tg_mem_held(mem, a);
	if (!a->waiting)
		return;
	part->kept += tg_mem_held(mem, a);
	part->needs = 0;
}

/* Set what an account has and what is promised to it. */
static void book(struct tg_memory *mem, struct tg_account *a, u64 used, u64 promised)
{
	take_out(mem, a);
	mem->used += used - a->used;
	a->used = used;
	a->promised = promised;
	a->edition = mem->edition;
	a->peak = max(a->peak, used);
	put_in(mem, a);
}

/* The bytes of a part that no account holds. */
static u64 unheld(const struct tg_mem_part *part)
{
	return part->size > part->held ? part->size - part->held : 0;
}

/* Those that no account would hold if each that waits for nothing gave everything back. */
static u64 reach(const struct tg_mem_part *part)
{
	return part->size > part->kept ? part->size - part->kept : 0;
}

/* Would @bytes more not fit though every other account gave all back? */
static bool never_fits(const struct tg_mem_part *part, const struct tg_account *a, u64 bytes)
{
	return a->used + bytes > part->size;
}

/*
 * By how many bytes an account that waits, or is about to, would hold more if it got @bytes. What
 * is promised to it, it holds already.
 */
static u64 growth(const struct tg_account *a, u64 bytes)
{
	return max(a->used + bytes, a->promised) - max(a->used, a->promised);
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

/* The account waits for @bytes more. */
static void begin_wait(struct tg_gpu *gpu, struct tg_account *a, u64 bytes)
{
	take_out(&gpu->mem, a);
	gpu->mem.waiting++;
	a->waiting++;
	a->waited++;
	a->wanted += bytes;
	put_in(&gpu->mem, a);
}

/* The request waits no more. Its account is forgotten if this was all that it had. */
static void end_wait(struct tg_gpu *gpu, struct tg_mem_request *req)
{
	struct tg_account *a = req->account;

	list_del_init(&req->link);
	take_out(&gpu->mem, a);
	gpu->mem.waiting--;
	a->waiting--;
	a->wanted -= req->bytes;
	put_in(&gpu->mem, a);
	a->wait_time += gpu->now - req->since;
	tg_gpu_give(gpu, TG_POOL_REQUEST, req);
	close_account(gpu, a);
}

static void grant(struct tg_gpu *gpu, struct tg_mem_request *req)
{
	struct tg_account *a = req->account;

	book(&gpu->mem, a, a->used + req->bytes, tg_mem_promised(&gpu->mem, a));
	answer(gpu, a, req->id, req->host, true);
	end_wait(gpu, req);
}

static void refuse(struct tg_gpu *gpu, struct tg_mem_request *req)
{
	req->account->refused++;
	answer(gpu, req->account, req->id, req->host, false);
	end_wait(gpu, req);
}

static u8 prio_of(const struct tg_mem_request *req)
{
	return req->account->client ? req->account->client->prio : TG_PRIO_MIN;
}

static bool waited(const struct tg_gpu *gpu, const struct tg_mem_request *req, enum tg_knob limit)
{
	return tg_after(req->since, gpu->knob[limit]) <= gpu->now;
}

static struct tg_mem_request *oldest(const struct tg_mem_part *part)
{
	return list_empty(&part->requests) ? NULL :
	       list_first_entry(&part->requests, struct tg_mem_request, link);
}

/*
 * The answer that is due in a part. @req NULL: none, and none will be before @needs bytes are
 * unheld, or a request or its account changes.
 */
struct due {
	struct tg_mem_request *req;
	enum { GRANT, REFUSE, LATE, DEADLOCK } answer;
	u64 needs;
};

/*
 * Of the requests that may go next in this order, grant the first that fits. Those are one, if it
 * has aged, or in FIFO and PFIFO; all in MMU; all of the highest priority in PMMU.
 */
static struct due next_in_order(const struct tg_gpu *gpu, const struct tg_mem_part *part,
				enum tg_mem_order order)
{
	const bool by_prio = order == TG_MEM_PFIFO || order == TG_MEM_PMMU;
	const bool in_line = order == TG_MEM_FIFO || order == TG_MEM_PFIFO;
	const bool old = waited(gpu, oldest(part), TG_KNOB_VRAM_AGEING);
	const u64 free = unheld(part);
	struct due due = { .needs = U64_MAX };
	struct tg_mem_request *req;
	int prio, top = -1;
	u64 more;

	list_for_each_entry(req, &part->requests, link) {
		if (never_fits(part, req->account, req->bytes))
			return (struct due){ .req = req, .answer = REFUSE };
		prio = by_prio ? prio_of(req) : TG_PRIO_MIN;
		if (prio < top || (prio == top && in_line))
			continue;
		more = growth(req->account, req->bytes);
		if (prio > top) {
			due.req = NULL;
			due.needs = more;
			top = old ? TG_PRIO_MAX + 1 : prio;
		}
		due.needs = min(due.needs, more);
		if (more <= free && !due.req)
			due.req = req;
	}
	return due;
}

/*
 * None may go in order: @next. Grant a holder's request ahead of its turn if the line would not
 * move even when all others have given everything back; refuse one in a deadlock.
 */
static struct due untie(const struct tg_mem_part *part, struct due next)
{
	struct tg_mem_request *req, *fits = NULL, *youngest = NULL;
	const u64 free = unheld(part), most = reach(part);
	u64 more, least = U64_MAX;
	bool can_end = false;

	list_for_each_entry(req, &part->requests, link) {
		if (!max(req->account->used, req->account->promised))
			continue;
		youngest = req;
		more = growth(req->account, req->bytes);
		least = min(least, more);
		if (more <= free && !fits)
			fits = req;
		if (growth(req->account, req->account->wanted) <= most)
			can_end = true;
	}
	if (!youngest || (can_end && next.needs <= most))
		return next;
	if (fits)
		return (struct due){ .req = fits, .answer = GRANT };
	if (!can_end)
		return (struct due){ .req = youngest, .answer = DEADLOCK };
	return (struct due){ .needs = least };
}

static struct due find_due(const struct tg_gpu *gpu, const struct tg_mem_part *part)
{
	const enum tg_mem_order order = tg_memory_order(gpu, part);
	struct due due = { .req = oldest(part) };

	if (order == TG_MEM_SPEC)
		return due;
	if (waited(gpu, due.req, TG_KNOB_VRAM_TIMEOUT)) {
		due.answer = LATE;
		return due;
	}
	due = next_in_order(gpu, part, order);
	return due.req || !part->kept ? due : untie(part, due);
}

/*
 * Is find_due() sure to find none? It found none when it looked last, and nothing that it looks at
 * has changed since: a change of a request or of its account sets @needs to 0.
 */
static bool at_rest(const struct tg_gpu *gpu, const struct tg_mem_part *part)
{
	const struct tg_mem_request *old = oldest(part);

	return !old || (unheld(part) < part->needs && part->order == tg_memory_order(gpu, part) &&
			part->aged == waited(gpu, old, TG_KNOB_VRAM_AGEING) &&
			!waited(gpu, old, TG_KNOB_VRAM_TIMEOUT));
}

bool tg_memory_missed(const struct tg_gpu *gpu, const struct tg_mem_part *part)
{
	return oldest(part) && at_rest(gpu, part) && find_due(gpu, part).req;
}

/* Return: has a request of the part been answered? */
static bool answer_one(struct tg_gpu *gpu, struct tg_mem_part *part)
{
	const struct due due = find_due(gpu, part);

	part->needs = due.needs;
	part->order = tg_memory_order(gpu, part);
	part->aged = waited(gpu, oldest(part), TG_KNOB_VRAM_AGEING);
	if (!due.req)
		return false;
	if (due.answer == LATE || due.answer == DEADLOCK)
		tg_emit(gpu, TG_ACT_NOTE, due.req->account->client, NULL,
			due.answer == LATE ? TG_NOTE_VRAM_LATE : TG_NOTE_VRAM_DEADLOCK);
	if (due.answer == GRANT)
		grant(gpu, due.req);
	else
		refuse(gpu, due.req);
	return true;
}

/*
 * Grant a request that fits, or refuse one that has timed out, can never fit, or is in a deadlock.
 * One only: the host wakes its thread under the GPU's lock. TIMER follows for the next.
 */
void tg_memory_run(struct tg_gpu *gpu)
{
	u32 i;

	for (i = 0; i <= TG_VGPUS_MAX; i++)
		if (!at_rest(gpu, &gpu->mem.part[i]) && answer_one(gpu, &gpu->mem.part[i]))
			break;
	tg_wake_by(gpu, tg_memory_wake(gpu));
}

/* When something may be due in a part: soon, or when its oldest request ages or times out. */
static s64 wake_of(const struct tg_gpu *gpu, const struct tg_mem_part *part)
{
	const struct tg_mem_request *old = oldest(part);
	s64 wake;

	if (!old)
		return TG_NEVER;
	if (!at_rest(gpu, part))
		return tg_after(gpu->now, TG_PAUSE);
	wake = tg_after(old->since, gpu->knob[TG_KNOB_VRAM_TIMEOUT]);
	return part->aged ? wake : min(wake, tg_after(old->since, gpu->knob[TG_KNOB_VRAM_AGEING]));
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
	struct tg_mem_part *part;
	u32 i;

	for (i = 0; i <= TG_VGPUS_MAX; i++) {
		part = &gpu->mem.part[i];
		part->size = i && !gpu->vgpu[i].name[0] ? 0 :
			     div64_u64(gpu->mem.size * gpu->vgpu[i].share[TG_MEMORY], 100);
		part->needs = 0;
	}
}

/*
 * Move the requests of @a, or all if that is NULL, from one part to another. They keep their order.
 */
static void move_requests(struct tg_mem_part *from, struct tg_mem_part *to,
			  const struct tg_account *a)
{
	struct list_head *pos = to->requests.next;
	struct tg_mem_request *req, *next;

	list_for_each_entry_safe(req, next, &from->requests, link) {
		if (a && req->account != a)
			continue;
		while (pos != &to->requests &&
		       list_entry(pos, struct tg_mem_request, link)->since <= req->since)
			pos = pos->next;
		list_move_tail(&req->link, pos);
	}
}

/* The account's memory and its requests are @vgpu's from now on. */
static void move(struct tg_memory *mem, struct tg_account *a, u8 vgpu)
{
	struct tg_mem_part *from = &mem->part[tg_mem_part_of(mem, a)], *to = &mem->part[vgpu];

	take_out(mem, a);
	a->vgpu = vgpu;
	a->term = to->term;
	put_in(mem, a);
	if (a->waiting && from != to)
		move_requests(from, to, a);
}

/* The virtual GPU is removed: its memory and its requests are the rest's. */
void tg_memory_disband(struct tg_gpu *gpu, u32 vgpu)
{
	struct tg_mem_part *part = &gpu->mem.part[vgpu], *rest = &gpu->mem.part[0];

	part->term++;
	rest->used += part->used;
	rest->held += part->held;
	rest->kept += part->kept;
	rest->needs = 0;
	part->used = 0;
	part->held = 0;
	part->kept = 0;
	move_requests(part, rest, NULL);
}

/* ---- events ----------------------------------------------------------------------------- */

int tg_memory_size(struct tg_gpu *gpu, const struct tg_event *ev)
{
	if (ev->mem.bytes > TG_MEM_MAX)
		return -EINVAL;
	gpu->mem.size = ev->mem.bytes;
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
	const struct tg_mem_part *part = &gpu->mem.part[tg_mem_part_of(&gpu->mem, a)];
	u64 more = growth(a, bytes);

	return tg_memory_order(gpu, part) == TG_MEM_SPEC || !more ||
	       (!gpu->rematches && list_empty(&part->requests) && more <= unheld(part));
}

/* The user who pays for what the account holds; one for all processes without a client. */
static s64 payer(const struct tg_account *a)
{
	return a->client ? (s64)a->client->id_data->payer : -1;
}

/* Do too many wait already? */
static bool too_many(const struct tg_memory *mem, const struct tg_account *a)
{
	const struct tg_mem_request *req;
	u32 i, n = 0;

	for (i = 0; mem->waiting >= TG_MEM_WAITING_USER && i <= TG_VGPUS_MAX; i++)
		list_for_each_entry(req, &mem->part[i].requests, link)
			n += payer(req->account) == payer(a);
	return mem->waiting == TG_MEM_WAITING || n >= TG_MEM_WAITING_USER;
}

int tg_memory_request(struct tg_gpu *gpu, const struct tg_event *ev)
{
	struct tg_memory *mem = &gpu->mem;
	struct tg_account *a = tg_mem_account(mem, ev->account);
	struct tg_mem_part *part = &mem->part[a ? tg_mem_part_of(mem, a) : 0];
	struct tg_mem_request *req;
	bool told = ev->taken;

	if (!ev->account || ev->taken > 1 || !ev->mem.bytes || ev->mem.bytes > TG_MEM_MAX ||
	    mem->used + ev->mem.bytes > SUM_MAX)
		return -EINVAL;
	if (!told && find_request(mem, ev->mem.request))
		return -EEXIST;
	/*
	 * Needed even if it does not wait, so that a recorded answer does not depend on the pools.
	 */
	if (!told && tg_memory_order(gpu, part) != TG_MEM_SPEC && !gpu->pooled[TG_POOL_REQUEST])
		return -ENOMEM;
	a = a ?: open_account(gpu, ev->account);
	if (!a)
		return -ENOMEM;
	a->promised = tg_mem_promised(mem, a);
	a->edition = mem->edition;
	a->requests += !told;
	if (told || at_once(gpu, a, ev->mem.bytes)) {
		book(mem, a, a->used + ev->mem.bytes, tg_mem_promised(mem, a));
		if (!told)
			answer(gpu, a, ev->mem.request, ev->host, true);
		return 0;
	}
	if (never_fits(part, a, ev->mem.bytes) || too_many(mem, a)) {
		a->refused++;
		answer(gpu, a, ev->mem.request, ev->host, false);
		close_account(gpu, a);
		return 0;
	}
	req = tg_gpu_take(gpu, TG_POOL_REQUEST);
	memset(req, 0, sizeof(*req));
	req->id = ev->mem.request;
	req->account = a;
	req->bytes = ev->mem.bytes;
	req->since = gpu->now;
	req->host = ev->host;
	list_add_tail(&req->link, &part->requests);
	begin_wait(gpu, a, req->bytes);
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
	struct tg_account *a = tg_mem_account(&gpu->mem, ev->account);

	if (!a)
		return -ENOENT;
	if (ev->mem.bytes > a->used)
		return -EINVAL;
	book(&gpu->mem, a, a->used - ev->mem.bytes, tg_mem_promised(&gpu->mem, a));
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
	tg_wake_by(gpu, tg_memory_wake(gpu));	/* what it gives back may let a request go */
}

/* The account for which this client's line speaks: its process's, if no later client has it. */
static struct tg_account *account_of(const struct tg_gpu *gpu, const struct tg_client *client)
{
	struct tg_account *a = tg_mem_account(&gpu->mem, client->account);

	return a && a->client == client ? a : NULL;
}

/* The client may belong to another virtual GPU, its process with it, and have another priority. */
void tg_memory_follow(struct tg_gpu *gpu, const struct tg_client *client)
{
	struct tg_account *a = account_of(gpu, client);

	if (!a)
		return;
	move(&gpu->mem, a, client->vgpu);
	if (a->waiting)
		gpu->mem.part[a->vgpu].needs = 0;
}

/* Could @bytes be set aside for the client beside what accounts hold? */
bool tg_memory_fits(const struct tg_gpu *gpu, const struct tg_client *client, u64 bytes)
{
	const struct tg_account *a = account_of(gpu, client);
	const struct tg_mem_part *part;

	if (!a || !gpu->mem.size || !bytes)
		return true;
	part = &gpu->mem.part[tg_mem_part_of(&gpu->mem, a)];
	return part->held - tg_mem_held(&gpu->mem, a) + max(a->used, bytes) <= part->size;
}

/* From now on set @bytes aside for the client, instead of what was. */
void tg_memory_promise(struct tg_gpu *gpu, struct tg_client *client, u64 bytes)
{
	struct tg_account *a = account_of(gpu, client);

	if (a)
		book(&gpu->mem, a, a->used, bytes);
}

/*
 * Set nothing aside for any client any more. Accounts that wait are few, and are told; of all
 * others, what was promised is void, since it is of an older edition.
 */
void tg_memory_forgo(struct tg_gpu *gpu)
{
	struct tg_mem_request *req;
	struct tg_mem_part *part;

	for (part = gpu->mem.part; part <= &gpu->mem.part[TG_VGPUS_MAX]; part++) {
		list_for_each_entry(req, &part->requests, link)
			if (req->account->promised)
				book(&gpu->mem, req->account, req->account->used, 0);
		part->held = part->used;
		part->needs = 0;
	}
	gpu->mem.edition++;
}

/* A spec comes into force: does it set memory aside? */
void tg_memory_spec(struct tg_gpu *gpu)
{
	gpu->mem.by_spec = gpu->spec && gpu->spec->mem;
}

/* ---- the driver's answer ---------------------------------------------------------------- */

bool tg_gpu_again(const struct tg_gpu *gpu, u32 account, u64 bytes, s64 waited)
{
	const struct tg_account *a = tg_mem_account(&gpu->mem, account);
	const u32 part = a ? tg_mem_part_of(&gpu->mem, a) : 0;

	return tg_memory_order(gpu, &gpu->mem.part[part]) != TG_MEM_SPEC &&
	       bytes <= gpu->mem.size && waited < gpu->knob[TG_KNOB_VRAM_TIMEOUT];
}
