// SPDX-License-Identifier: GPL-2.0
/*
 * A command's life: it waits for its events, goes into a channel's ring, the card executes it, and some
 * thread of the program sees that (reaps it), does what it does to memory, and completes its event.
 * Every function runs under mock_lock; those that wait release it meanwhile. The thread of event.c
 * reaps while callbacks or waiting commands want it.
 */
#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "driver.h"

#define COPY_BYTES_PER_NS	8	/* the copy engine */
#define COPY_LEAST		2000	/* ns */

static cl_command_queue queues;
static int lazy = -1;

uint64_t copy_ns(size_t bytes)
{
	return COPY_LEAST + bytes / COPY_BYTES_PER_NS;
}

void queue_link(cl_command_queue q)
{
	q->next = queues;
	queues = q;
}

void queue_unlink(cl_command_queue q)
{
	cl_command_queue *at = &queues;

	while (*at && *at != q)
		at = &(*at)->next;
	if (*at)
		*at = q->next;
}

void queues_forget(void)
{
	queues = NULL;
}

bool queues_wait(void)
{
	cl_command_queue q;

	for (q = queues; q && !q->waiting; q = q->next)
		;
	return q;
}

static bool in_order(cl_command_queue q)
{
	return !(q->properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
}

static bool lost(cl_command_queue q)
{
	return q->card != link_generation() || atomic_load(&link_page()->lost[q->device->index]);
}

/* Wake all that wait in the driver: they look again */
void command_bump(void)
{
	struct mock_page *page = link_page();

	if (!page)
		return;
	atomic_fetch_add(&page->interrupts, 1);
	syscall(SYS_futex, &page->interrupts, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

/* Release the lock until something has been counted; by and by also see whether the card still lives */
void command_nap(void)
{
	struct timespec limit = { 0, 200000000 };
	struct mock_page *page = link_page();
	uint32_t seen;

	if (!page)
		return;
	seen = atomic_load(&page->interrupts);
	command_reap();
	pthread_mutex_unlock(&mock_lock);
	if (syscall(SYS_futex, &page->interrupts, FUTEX_WAIT, seen, &limit, NULL, 0) && errno == ETIMEDOUT &&
	    !link_alive())
		for (unsigned int i = 0; i < MOCK_DEVICES; i++)
			atomic_store(&page->lost[i], 1);
	pthread_mutex_lock(&mock_lock);
}

cl_event command_new(cl_command_queue q, cl_command_type type, enum mock_engine engine, uint64_t ns)
{
	cl_event e = object_new(EVENT, sizeof(*e));

	if (!e)
		return NULL;
	e->context = q->context;
	e->queue = q;
	e->type = type;
	e->engine = engine;
	e->ns = ns;
	e->status = CL_QUEUED;
	e->queued = link_clock();
	atomic_fetch_add(&q->context->head.refs, 1);
	atomic_fetch_add(&q->head.refs, 1);
	return e;
}

cl_int command_check(cl_command_queue q, cl_uint n, const cl_event *list)
{
	cl_uint i;

	if (!is(q, QUEUE))
		return CL_INVALID_COMMAND_QUEUE;
	if (!n != !list)
		return CL_INVALID_EVENT_WAIT_LIST;
	for (i = 0; i < n; i++) {
		if (!is(list[i], EVENT))
			return CL_INVALID_EVENT_WAIT_LIST;
		if (list[i]->context != q->context)
			return CL_INVALID_CONTEXT;
	}
	return lost(q) ? CL_OUT_OF_RESOURCES : CL_SUCCESS;
}

static void work_free(struct work *w)
{
	unsigned int i;

	if (!w)
		return;
	for (i = 0; i < 4; i++)
		if (w->keep[i])
			memory_put(w->keep[i]);
	for (i = 0; i < w->adds; i++)
		memory_put(w->add[i]);
	free(w);
}

void command_forget(cl_event e)
{
	if (atomic_fetch_sub(&e->head.refs, 1) > 1)
		return;
	e->head.kind = 0;
	work_free(e->work);
	if (e->queue)
		queue_put(e->queue);
	context_put(e->context);
	free(e);
}

static void copy_box(const struct work *w)
{
	size_t y, z;

	for (z = 0; z < w->depth; z++)
		for (y = 0; y < w->height; y++)
			memmove(w->to.base + z * w->to.slice + y * w->to.row,
				w->from.base + z * w->from.slice + y * w->from.row, w->width);
}

static void fill_box(const struct work *w)
{
	size_t x, y, z;
	char *at;

	for (z = 0; z < w->depth; z++)
		for (y = 0; y < w->height; y++) {
			at = w->to.base + z * w->to.slice + y * w->to.row;
			for (x = 0; x + w->pattern_size <= w->width; x += w->pattern_size)
				memcpy(at + x, w->pattern, w->pattern_size);
		}
}

static void do_work(struct work *w)
{
	unsigned int i;
	uint32_t word;

	if (w->pattern_size)
		fill_box(w);
	else if (w->to.base && w->from.base)
		copy_box(w);
	for (i = 0; i < w->adds; i++)
		if (w->add[i]->data && w->add[i]->size >= sizeof(word)) {
			memcpy(&word, w->add[i]->data, sizeof(word));
			word++;
			memcpy(w->add[i]->data, &word, sizeof(word));
		}
	if (w->unmap && w->unmap->maps)
		w->unmap->maps--;
}

static void push_all(cl_command_queue q);

/* Call what was registered for @status and for what comes before it */
static void call_back(cl_event e, cl_int status)
{
	struct callback **at = &e->callbacks, *c;

	while ((c = *at)) {
		if (status > c->status) {
			at = &c->next;
			continue;
		}
		*at = c->next;
		if (status < 0)
			c->status = status;
		command_call(c);
	}
}

void command_complete(cl_event e, cl_int status)
{
	struct edge *edge;
	cl_event to;

	if (e->status <= 0)
		return;
	if (e->work) {
		if (status >= 0)
			do_work(e->work);
		if (e->work->svm_free)
			command_call(e->work->svm_free);
		work_free(e->work);
		e->work = NULL;
	}
	e->status = status;
	call_back(e, status);
	if (e->queue) {
		*(e->live_prev ? &e->live_prev->live_next : &e->queue->live) = e->live_next;
		*(e->live_next ? &e->live_next->live_prev : &e->queue->live_last) = e->live_prev;
		if (e->queue->barrier == e)
			e->queue->barrier = NULL;
	}
	while ((edge = e->edges)) {
		e->edges = edge->next;
		to = edge->to;
		free(edge);
		to->needs--;
		if (status < 0)
			to->failed = true;
		if (!to->needs)
			push_all(to->queue);
		command_forget(to);
	}
	if (e->wanted)
		command_bump();
	if (e->queue)
		command_forget(e);
}

void command_publish(cl_command_queue q)
{
	struct mock_page *page = link_page();
	struct mock_channel *ring;
	unsigned int i;
	uint32_t put;
	cl_event e;

	for (e = q->waiting; lazy > 0 && e; e = e->next)
		e->flushed = true;
	for (i = 0; i < MOCK_ENGINES; i++) {
		if (!q->channel[i].open || q->card != link_generation())
			continue;
		ring = &page->channel[q->channel[i].index];
		put = q->channel[i].put;
		if (put != atomic_load_explicit(&ring->put, memory_order_relaxed)) {
			atomic_store(&ring->put, put);
			if (atomic_load(&page->idle[q->device->index]))
				link_ring();
		}
	}
}

static bool room(const struct channel *ch)
{
	return ch->put - ch->reaped < MOCK_RING;
}

/* Into the ring; a lazy driver tells the card at the next flush or when 16 wait */
static void push(cl_event e)
{
	struct mock_page *page = link_page();
	struct channel *ch = e->channel;
	struct mock_channel *ring = &page->channel[ch->index];
	struct mock_command *cmd = &ring->ring[ch->put % MOCK_RING];

	if (lazy < 0)
		lazy = getenv("MOCKCL_LAZY") != NULL;
	e->at = ch->put;
	e->pushed = true;
	e->status = CL_SUBMITTED;
	e->submitted = link_clock();
	cmd->ns = e->ns;
	cmd->submitted = e->submitted;
	cmd->engine = e->engine;
	atomic_store_explicit(&cmd->start, 0, memory_order_relaxed);
	atomic_store_explicit(&cmd->interrupt, e->wanted, memory_order_relaxed);
	ch->of[ch->put % MOCK_RING] = e;
	ch->put++;
	if (e->callbacks)
		call_back(e, CL_SUBMITTED);
	if (lazy && !e->flushed && ch->put - atomic_load_explicit(&ring->put, memory_order_relaxed) < 16)
		return;
	atomic_store(&ring->put, ch->put);
	if (atomic_load(&page->idle[e->queue->device->index]) & 1u << e->engine)
		link_ring();
}

/* Push what waits no more: in order up to the first that does */
static void push_all(cl_command_queue q)
{
	cl_event e, *at = &q->waiting, before = NULL;

	atomic_fetch_add(&q->head.refs, 1);
	while ((e = *at)) {
		if (e->needs || (!e->failed && !lost(q) && !room(e->channel))) {
			if (in_order(q))
				break;
			before = e;
			at = &e->next;
			continue;
		}
		*at = e->next;
		if (q->waiting_last == e)
			q->waiting_last = before;
		e->next = NULL;
		if (e->failed || lost(q)) {
			/* A list that this completion changes is looked at from its beginning */
			command_complete(e, e->failed ? CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST :
					 CL_OUT_OF_RESOURCES);
			at = &q->waiting;
			before = NULL;
		} else {
			push(e);
		}
	}
	queue_put(q);
}

void command_want(cl_event e)
{
	struct mock_channel *ring;

	e->wanted = true;
	if (!e->pushed || e->status <= 0 || e->queue->card != link_generation())
		return;
	ring = &link_page()->channel[e->channel->index];
	atomic_store(&ring->ring[e->at % MOCK_RING].interrupt, 1);
	/* It was done before the card could see that */
	if (atomic_load(&ring->done) - e->at - 1 < MOCK_RING)
		command_bump();
}

static int depend(cl_event e, cl_event on)
{
	struct edge *edge;

	if (on->status <= 0) {
		e->failed |= on->status < 0;
		return 0;
	}
	/* The ring keeps the order of one channel */
	if (on->queue == e->queue && on->pushed && on->channel == e->channel && !e->queue->waiting)
		return 0;
	edge = malloc(sizeof(*edge));
	if (!edge)
		return -1;
	edge->to = e;
	edge->next = on->edges;
	on->edges = edge;
	e->needs++;
	atomic_fetch_add(&e->head.refs, 1);
	command_want(on);
	if (on->queue)
		command_publish(on->queue);
	command_thread();
	return 0;
}

/* What a command waits for beside its list: a barrier for all before it, all others for the barrier */
static void depend_out_of_order(cl_event e, bool listed)
{
	cl_command_queue q = e->queue;
	bool barrier = e->type == CL_COMMAND_BARRIER;
	cl_event other;

	if (q->barrier)
		depend(e, q->barrier);
	if (!listed && (barrier || e->type == CL_COMMAND_MARKER))
		for (other = q->live; other; other = other->live_next)
			depend(e, other);
	if (barrier)
		q->barrier = e;
}

cl_int command_wait(cl_event e)
{
	while (e->status > 0) {
		if (e->queue) {
			if (lost(e->queue) && e->queue->card != link_generation())
				return CL_OUT_OF_RESOURCES;
			command_publish(e->queue);
		}
		command_want(e);
		command_reap();
		if (e->status > 0)
			command_nap();
	}
	return e->status;
}

/*
 * Give a command to its queue. @e is consumed, but for @out. Return: what the enqueue call returns.
 */
cl_int command_go(cl_event e, cl_uint n, const cl_event *list, cl_bool wait, cl_event *out)
{
	cl_command_queue q = e->queue;
	cl_int status = CL_SUCCESS;
	cl_uint i;

	queue_hold(q);
	e->channel = &q->channel[!in_order(q) && e->engine == MOCK_COPY ? MOCK_COPY : MOCK_COMPUTE];
	if (!room(e->channel) || (q->live && q->live->pushed))
		command_reap();
	while (!q->waiting && !room(e->channel) && !lost(q)) {
		command_want(e->channel->of[e->channel->reaped % MOCK_RING]);
		command_publish(q);
		command_nap();
	}
	for (i = 0; i < n; i++)
		if (depend(e, list[i]))
			e->failed = true;
	if (!in_order(q))
		depend_out_of_order(e, n);
	e->live_prev = q->live_last;
	*(q->live_last ? &q->live_last->live_next : &q->live) = e;
	q->live_last = e;
	atomic_fetch_add(&e->head.refs, 1);
	if (!e->needs && !e->failed && (!q->waiting || !in_order(q)) && room(e->channel)) {
		push(e);
	} else {
		*(q->waiting_last ? &q->waiting_last->next : &q->waiting) = e;
		q->waiting_last = e;
		command_thread();
		push_all(q);
	}
	if (wait)
		status = command_wait(e);
	queue_let_go(q);
	if (out)
		*out = e;
	else
		command_forget(e);
	return status == -14 || status >= 0 ? status : CL_OUT_OF_RESOURCES;
}

static void reap_channel(cl_command_queue q, struct channel *ch)
{
	struct mock_page *page = link_page();
	struct mock_channel *ring = &page->channel[ch->index];
	struct mock_command *cmd;
	cl_event e;

	while (ch->reaped != ch->put) {
		e = ch->of[ch->reaped % MOCK_RING];
		cmd = &ring->ring[ch->reaped % MOCK_RING];
		if (atomic_load(&ring->done) == ch->reaped) {
			if (!lost(q))
				return;
			ch->reaped++;
			command_complete(e, CL_OUT_OF_RESOURCES);
			continue;
		}
		e->start = atomic_load_explicit(&cmd->start, memory_order_relaxed);
		e->end = cmd->end;
		ch->reaped++;
		command_complete(e, CL_COMPLETE);
	}
}

void command_reap(void)
{
	cl_command_queue q, next;
	unsigned int i;

	if (!link_page())
		return;
	for (q = queues; q; q = next) {
		atomic_fetch_add(&q->head.refs, 1);
		for (i = 0; i < MOCK_ENGINES; i++)
			if (q->channel[i].open)
				reap_channel(q, &q->channel[i]);
		if (q->waiting)
			push_all(q);
		next = q->next;
		queue_put(q);
	}
}
