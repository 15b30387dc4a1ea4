// SPDX-License-Identifier: GPL-2.0
/*
 * Clients: the records that they publish become events, and the core's answers go into their slots.
 *
 * A client may write anything into its page. Each record is copied once and checked; what makes no
 * sense is counted (stats/refused_events) and has no effect, but for a head that cannot be: that
 * ends the connection. Called by main.c's sources and by lease.c.
 */
#include <fcntl.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <tg/nice.h>

#include "client.h"
#include "device.h"
#include "identity.h"
#include "lease.h"
#include "main.h"
#include "socket.h"
#include "tgd.h"
#include "totals.h"

#define FUTEX_WAKE_SHARED	1
#define LAUNCH_NS	10	/* a launch through an open gate takes longer */

static u32 last_client;
static struct client *prepared;		/* the next one, without a process; NULL: none */

/* --- to the client --- */

/** client_answer() - answer a job or request, and wake its thread if it sleeps */
void client_answer(struct slot *s, enum tgd_answer answer)
{
	struct client *c = s->client;
	u32 *word;

	if (!c->conn)
		return;
	word = &c->page->slot[s - c->slot];
	if (__atomic_exchange_n(word, answer, __ATOMIC_ACQ_REL) == TGD_SLEEP)
		syscall(SYS_futex, word, FUTEX_WAKE_SHARED, 1, NULL, NULL, 0);
}

/** client_yield() - tell a client that its launch is to end early; not if it has ended meanwhile */
void client_yield(struct slot *s)
{
	u32 go = TGD_GO;

	s->ending = true;
	if (s->client->conn)
		__atomic_compare_exchange_n(&s->client->page->slot[s - s->client->slot], &go, TGD_YIELD,
					    false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED);
}

/** client_notice() - one that cannot be sent is not needed: the client has not read others */
void client_notice(struct client *c, u32 kind, u32 number)
{
	struct tgd_notice notice = { .magic = TGD_MAGIC, .kind = kind, .number = number };

	if (c->conn && c->conn->socket.fd >= 0)
		send(c->conn->socket.fd, &notice, sizeof(notice), MSG_DONTWAIT | MSG_NOSIGNAL);
}

/* --- records --- */

static int feed(struct client *c, struct slot *s, enum tg_event_kind kind, s64 at)
{
	struct tg_event ev = { .kind = kind, .job = s->number, .at = at };

	return device_feed(c->device, &ev);
}

static void begin(struct client *c, struct slot *s, enum slot_state state)
{
	s->client = c;
	s->state = state;
	s->leased = false;
	s->ending = false;
	s->number = ++c->device->last_job;
}

/* What its process has on the CPU; anything, if it has just ended. */
static u8 level_of(const struct client *c)
{
	struct sched_param param = { };

	switch (sched_getscheduler(c->identity.pid) & ~SCHED_RESET_ON_FORK) {
	case SCHED_DEADLINE:
		return tg_nice_level(TG_CLASS_DEADLINE, 0);
	case SCHED_FIFO:
	case SCHED_RR:
		sched_getparam(c->identity.pid, &param);
		return tg_nice_level(TG_CLASS_RT, param.sched_priority);
	case SCHED_IDLE:
		return tg_nice_level(TG_CLASS_IDLE, 0);
	default:
		return tg_nice_level(TG_CLASS_NORMAL, getpriority(PRIO_PROCESS, c->identity.pid));
	}
}

/* While clients have the priority `nice`: the core hears of a change with the next job. */
static void renice(struct client *c)
{
	struct tg_event ev = { .kind = TG_EV_NICE, .client = c->id };
	const struct tg_client *known;

	if (!c->device->core.nice)
		return;
	known = tg_gpu_client(&c->device->core, c->id);
	if (!known || !known->nice)
		return;
	ev.nice.level = level_of(c);
	if (known->prio != ev.nice.level)
		device_feed(c->device, &ev);
}

/* What the predictor is told of a launch. NULL: its work is not known, or the client's reserve predicts nothing. */
static const struct tg_key *key_of(const struct client *c, u64 work, struct tg_key *key)
{
	if (!work || tg_gpu_client(&c->device->core, c->id)->reserve->kind != TG_AE)
		return NULL;
	return tg_key_number(key, work);
}

static int submit(struct client *c, struct slot *s, u32 channel, u64 work)
{
	struct tg_event ev = { .kind = TG_EV_SUBMIT, .client = c->id, .channel = channel };
	u64 key[2];

	renice(c);
	s->arrived = device_now(c->device);
	ev.job = s->number;
	ev.host = s;
	ev.key = key_of(c, work, (struct tg_key *)key);
	return device_feed(c->device, &ev);
}

/* The job of a slot is over. */
static void over(struct client *c, struct slot *s)
{
	c->leased -= s->leased;
	s->leased = false;
	s->state = SLOT_FREE;
}

/*
 * A job or request that is not reported any more: its process has gone, and the device's driver ends
 * what was in flight; or its slot is used for another.
 */
static void abandon(struct client *c, struct slot *s)
{
	struct tg_event ev = { .kind = TG_EV_MEM_CANCEL, .account = c->account };

	switch (s->state) {
	case SLOT_WAITS:
		feed(c, s, TG_EV_CANCEL, 0);
		break;
	case SLOT_FREED:
		feed(c, s, TG_EV_REFUSED, 0);
		break;
	case SLOT_BUSY:
		feed(c, s, TG_EV_DONE, 0);
		break;
	case SLOT_MEMORY:
		ev.mem.request = s->number;
		device_feed(c->device, &ev);
		break;
	default:
		break;
	}
	over(c, s);
}

static void on_submit(struct client *c, struct slot *s, const struct tgd_record *r)
{
	struct device *d = c->device;

	if (s->state != SLOT_FREE || !r->channel || r->channel > c->channels)
		goto wrong;
	if (d->asker != c || !tg_gpu_may_bypass(&d->core, c->id, r->channel, 0))
		d->streak = 0;
	d->streak++;
	d->asker = c;
	stats[STAT_SUBMITTED]++;
	begin(c, s, SLOT_WAITS);
	if (!submit(c, s, r->channel, r->arg))
		return;
	s->state = SLOT_FREE;
wrong:
	stats[STAT_REFUSED_EVENTS]++;
	abandon(c, s);
	begin(c, s, SLOT_ESCAPED);
	client_answer(s, TGD_GO);
}

/*
 * A job that has gone. Where the core would not have let it go, it is told of it as of one that
 * asks; if it then has to wait, it is not accounted for: it has gone.
 */
static void on_bypassed(struct client *c, struct slot *s, const struct tgd_record *r)
{
	struct tg_event ev = { .kind = TG_EV_BYPASSED, .client = c->id, .channel = 1, .host = s };

	if (s->state != SLOT_FREE) {
		stats[STAT_REFUSED_EVENTS]++;
		return;
	}
	stats[STAT_SUBMITTED]++;
	stats[STAT_BYPASSED]++;
	begin(c, s, SLOT_FREED);
	ev.job = s->number;
	s->arrived = s->freed = device_now(c->device);
	if (!device_feed(c->device, &ev)) {
		c->waits[0]++;
	} else {
		s->state = SLOT_WAITS;
		if (submit(c, s, 1, 0) || s->state != SLOT_FREED) {
			if (s->state == SLOT_WAITS)
				feed(c, s, TG_EV_CANCEL, 0);
			s->state = SLOT_ESCAPED;
			stats[STAT_ESCAPED]++;
			return;
		}
	}
	s->leased = true;
	c->leased++;
}

/* A time that the client has told, not before its job was let go; 0: now. */
static s64 told(const struct slot *s, s64 at)
{
	return at > 0 ? max(at, s->freed) : 0;
}

static void on_started(struct client *c, struct slot *s, const struct tgd_record *r)
{
	struct tg_event ev = { .kind = TG_EV_STARTED, .started.late = 1 };

	ev.job = s->number;
	ev.at = told(s, r->at);
	if (s->state != SLOT_FREED)
		stats[STAT_REFUSED_EVENTS] += s->state != SLOT_ESCAPED;
	else if (!device_feed(c->device, &ev))
		s->state = SLOT_BUSY;
}

static void on_end(struct client *c, struct slot *s, const struct tgd_record *r)
{
	struct tg_event ev = { .kind = TG_EV_DONE };
	bool fits = r->kind == TGD_REC_DONE ? s->state == SLOT_BUSY :
		    r->kind == TGD_REC_REFUSED ? s->state == SLOT_FREED :
		    s->state == SLOT_WAITS || s->state == SLOT_FREED;

	if (s->state == SLOT_ESCAPED) {
		over(c, s);
		if (r->kind == TGD_REC_CANCEL)
			client_answer(s, TGD_CANCELLED);
		return;
	}
	if (!fits) {
		stats[STAT_REFUSED_EVENTS]++;
		return;
	}
	if (r->kind == TGD_REC_DONE) {
		ev.done.known = r->arg == 1 ? TG_DONE_EXACT : TG_DONE_NOTICED;
		ev.job = s->number;
		ev.at = told(s, r->at);
		if (!device_feed(c->device, &ev))
			c->latencies[tg_hist_bucket(ev.at - s->arrived)]++;
		stats[STAT_COMPLETED]++;
	} else {
		feed(c, s, r->kind == TGD_REC_REFUSED ? TG_EV_REFUSED : TG_EV_CANCEL, 0);
	}
	over(c, s);
	if (r->kind == TGD_REC_CANCEL)
		client_answer(s, TGD_CANCELLED);
}

static void on_memory(struct client *c, struct slot *s, const struct tgd_record *r)
{
	struct tg_event ev = { .kind = TG_EV_MEM_REQUEST, .account = c->account, .host = s };

	if (s->state != SLOT_FREE) {
		stats[STAT_REFUSED_EVENTS]++;
		return;
	}
	begin(c, s, SLOT_MEMORY);
	ev.mem.bytes = r->arg;
	ev.mem.request = s->number;
	if (device_feed(c->device, &ev)) {
		s->state = SLOT_FREE;
		client_answer(s, TGD_NO_MEMORY);
	}
}

/* Launches through the open gate since the last IDLE: as the client says, but no more than that time has room for. */
static u64 launched(struct client *c, u64 said)
{
	const s64 at = now();
	const u64 most = (at - c->open_told) / LAUNCH_NS;

	c->open_told = at;
	return min(said, most);
}

static void on_other(struct client *c, struct slot *s, const struct tgd_record *r)
{
	struct tg_event ev = { .account = c->account };
	bool cancelled = false;

	switch (r->kind) {
	case TGD_REC_IDLE:
		if (r->slot != (u16)c->synced)
			return;
		ev = (struct tg_event){ .kind = TG_EV_IDLE, .client = c->id };
		ev.idle.sent = launched(c, r->arg);
		c->open += ev.idle.sent;
		break;
	case TGD_REC_MEM_CANCEL:
		if (s->state != SLOT_MEMORY)
			return;
		ev.kind = TG_EV_MEM_CANCEL;
		ev.mem.request = s->number;
		s->state = SLOT_FREE;
		cancelled = true;
		break;
	default:
		ev.kind = TG_EV_MEM_FREE;
		ev.mem.bytes = r->arg;
		break;
	}
	device_feed(c->device, &ev);
	if (cancelled)
		client_answer(s, TGD_CANCELLED);
}

static void on_record(struct client *c, const struct tgd_record *r)
{
	struct slot *s = &c->slot[r->slot % TGD_SLOTS];

	if (r->kind >= TGD_REC_KINDS || (r->slot >= TGD_SLOTS && r->kind != TGD_REC_IDLE)) {
		stats[STAT_REFUSED_EVENTS]++;
		return;
	}
	s->client = c;
	switch (r->kind) {
	case TGD_REC_SUBMIT:
		on_submit(c, s, r);
		break;
	case TGD_REC_BYPASSED:
		on_bypassed(c, s, r);
		break;
	case TGD_REC_STARTED:
		on_started(c, s, r);
		break;
	case TGD_REC_REFUSED:
	case TGD_REC_DONE:
	case TGD_REC_CANCEL:
		on_end(c, s, r);
		break;
	case TGD_REC_MEM_REQUEST:
		on_memory(c, s, r);
		break;
	default:
		on_other(c, s, r);
	}
}

/**
 * client_drain() - feed what a client has published
 * @c: the client
 * @head: its head
 */
void client_drain(struct client *c, u64 head)
{
	struct device *d = c->device;
	struct tgd_record r;
	bool leased;

	if (head == c->taken || !c->conn)
		return;
	if (((head - c->taken) & (~0ULL >> 16)) > TGD_RING) {
		say("%s[%u] has written nonsense into its page: it is not served any more",
		    c->identity.comm, c->identity.pid);
		shutdown(c->conn->socket.fd, SHUT_RDWR);	/* it hangs up by that */
		return;
	}
	leased = d->lessee == c;
	if (leased && tgd_state_of(tgd_load(&c->page->word)) != TGD_LEASE)
		d->lessee = NULL;	/* it is taken back, or the client has given it back */
	else if (!leased)
		lease_end(d);
	while (c->taken != head) {
		tgd_take(c->page, c->taken++, &r);
		/* Nobody else's event has been fed since: the core decides as it would have then. */
		d->as_of = leased && r.at > 0 ? r.at : 0;
		on_record(c, &r);
	}
	d->as_of = 0;
}

static void rung(void *owner)
{
	struct client *c = owner;

	__atomic_store_n(&c->page->beat, ++c->beat, __ATOMIC_RELEASE);
	client_drain(c, tgd_head_of(tgd_load(&c->page->word)));
	device_settle(c->device);
}

/* --- coming and going --- */

/* Return: 0, or a negative errno. */
static int join(struct client *c, const struct tgd_hello *hello)
{
	struct device *d = c->device;
	struct tg_event ev = { .kind = TG_EV_JOIN, .client = c->id, .host = c };
	int ret = 0;

	c->gate = d->core.policy->mode;
	for (ev.channel = 1; !ret && ev.channel <= min(hello->engines, d->core.nr_engines);
	     ev.channel++) {
		ev.join.engines = 1 << (ev.channel - 1);
		ev.join.yields = hello->yields;
		ev.join.account = c->account;
		ev.at = 0;
		ev.identity = &c->identity;
		ret = device_feed(d, &ev);
		c->channels += !ret;
	}
	if (!ret && hello->held) {
		struct tg_event held = { .kind = TG_EV_MEM_REQUEST, .account = c->account, .taken = 1 };

		held.mem.bytes = hello->held;
		held.mem.request = ++d->last_job;
		device_feed(d, &held);
	}
	return c->channels ? 0 : ret;
}

/* The page and the bell. Return: false: not possible; what is there goes with the client. */
static bool equip(struct client *c)
{
	int bell;

	c->page_fd = memfd_create("timegraph", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	if (c->page_fd < 0)
		return false;
	if (ftruncate(c->page_fd, sizeof(*c->page)) ||
	    fcntl(c->page_fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL))
		return false;
	c->page = mmap(NULL, sizeof(*c->page), PROT_READ | PROT_WRITE, MAP_SHARED, c->page_fd, 0);
	if (c->page == MAP_FAILED) {
		c->page = NULL;
		return false;
	}
	bell = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	return bell >= 0 && !watch_bell(&c->bell, bell, rung, c);
}

/** client_prepare() - make the page and the bell of the next client, while no program waits for them */
void client_prepare(void)
{
	struct client *c;

	if (prepared)
		return;
	c = need(calloc(1, sizeof(*c)));
	c->page_fd = c->bell.fd = -1;
	if (equip(c))
		prepared = c;
	else
		client_forget(c);
}

/**
 * client_new() - a process becomes a client of a device
 * @d: the device
 * @conn: its connection
 * @hello: what it said, checked
 *
 * Return: the client, or NULL.
 */
struct client *client_new(struct device *d, struct conn *conn, const struct tgd_hello *hello)
{
	const struct tg_client *left;
	struct client *c, *before;

	client_prepare();
	c = prepared;
	if (!c)
		return NULL;
	prepared = NULL;
	c->device = d;
	if (!identity_read(&c->identity, conn->pid, conn->uid)) {
		client_forget(c);
		return NULL;
	}
	c->identity.gpu = device_name(d);
	totals_find(c);
	c->conn = conn;
	c->account = ++d->last_account;
	c->open_told = now();
	c->memory = hello->memory;
	lease_end(d);
	device_size(d, c);
	left = tg_gpu_left(&d->core, &c->identity, c->account);
	before = left ? left->host : NULL;
	c->id = left ? left->id : ++last_client;
	if (before) {
		totals_add(before);
		c->open = before->open;
	}
	if (join(c, hello)) {
		client_forget(c);
		device_size(d, NULL);
		return NULL;
	}
	totals_joined(c);
	if (before) {
		before->id = 0;		/* @c is that client now */
		memcpy(c->waits, before->waits, sizeof(c->waits));
		memcpy(c->latencies, before->latencies, sizeof(c->latencies));
	}
	c->shown = c->gate == TG_GATE_OPEN ? TGD_OPEN : TGD_ASK;
	c->page->word = tgd_word(c->shown, 0, 0);
	c->page->beat = ++c->beat;
	c->next = d->clients;
	d->clients = c;
	stats[STAT_CLIENTS]++;
	return c;
}

/**
 * client_gone() - the connection is over: so is all that the client had
 * @c: the client; it is forgotten once it owes nothing
 */
void client_gone(struct client *c)
{
	struct tg_event leave = { .kind = TG_EV_LEAVE, .client = c->id };
	struct tg_event back = { .kind = TG_EV_MEM_FREE, .account = c->account };
	struct device *d = c->device;
	const struct tg_account *account;
	u64 head;
	u32 i;

	head = tgd_set_state(c->page, TGD_OPEN);
	client_drain(c, head);
	lease_end(d);
	c->conn = NULL;
	unwatch(&c->bell);
	device_size(d, NULL);		/* before what it gives back is granted to others */
	for (i = 0; i < TGD_SLOTS; i++)
		abandon(c, &c->slot[i]);
	for (leave.channel = 1; leave.channel <= c->channels; leave.channel++) {
		leave.at = 0;
		device_feed(d, &leave);
	}
	account = tg_mem_account(&d->core.mem, c->account);
	back.mem.bytes = account ? account->used : 0;
	if (back.mem.bytes)
		device_feed(d, &back);
	if (d->asker == c)
		d->asker = NULL;
	stats[STAT_HUNG_UP]++;
	device_settle(d);
}

/** client_sent() - the program has the descriptor of its page */
void client_sent(struct client *c)
{
	if (c->page_fd >= 0)
		close(c->page_fd);
	c->page_fd = -1;
}

void client_forget(struct client *c)
{
	unwatch(&c->bell);
	totals_leave(c);
	identity_free(&c->identity);
	client_sent(c);
	if (c->page)
		munmap(c->page, sizeof(*c->page));
	free(c);
}
