// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Long kernels are launched in parts, so that others wait for a part and not for the kernel.
 *
 * The bound
 *	TGD_SLICE_US says how long a part and the change to the next one may take: who waits for a part waits for
 *	both. Without it nothing is sliced. What a work-item takes is measured with each launch, by the device's own
 *	times, and so is a change: the least one counts. A launch that is expected to stay within the
 *	bound goes whole. A kernel that was never launched begins with as many work-groups as the device has compute
 *	units, and later parts are four times as long at most, until they take as long as the bound. A part is
 *	never smaller than that: less would leave units idle, and be hardly shorter.
 *
 * Parts
 *	A part is a box of work-groups (parts.c), launched by itself with a global offset. get_global_id() and
 *	all that lies within a group are as in the whole. A kernel that asks for more than these, such as
 *	get_global_size(), has a twin, which is launched in its place (twins.c).
 *
 *	Each part takes a turn of its own, and is launched when the one before it has ended, so the policy
 *	decides between parts, and no more than one of a program's parts is in flight. The program's thread waits
 *	in the call until the last part has been launched, as it waits there for a turn. So the arguments are the
 *	program's at the time of the call; and all that the program does next comes after it.
 *
 * One event
 *	The program gets the last part's event: dependencies, callbacks and the end are right by themselves. The
 *	first part's event is kept beside it for the times before the end. When a part fails, the program gets
 *	that part's event with its error, and the others are not launched. What the driver refuses, it refuses
 *	with the first part, before anything has run.
 *
 * What is not sliced
 *	Kernels whose work-groups might see that others have not begun: enum whole has the reasons. TGD_SLICE_KERNELS
 *	lists kernels of which the user knows better. A launch that waits for the program itself (blocked.c) goes
 *	whole: the call would wait, too. So does one that an event's callback makes: the thread that calls back may be
 *	the one that executes kernels, and would wait for itself. Where the gate is open (no policy), nobody waits, and nothing is sliced.
 *
 * Not seen: a second thread that puts a command into the same queue meanwhile may find it between two parts. It
 * had no say before in which of both comes first.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "kernels.h"
#include "launch.h"
#include "parts.h"
#include "queue.h"
#include "scan.h"
#include "slice.h"
#include "twins.h"

#define GROWTH	4	/* a part is so many times the one before at most */

/* --- settings --- */

static pthread_once_t once = PTHREAD_ONCE_INIT;
static int64_t bound;		/* ns; 0: nothing is sliced */
static const char *listed, *log_path;
static pid_t logs;		/* the process that writes the log at its end; not a child of it */
static void write_log(void);

static void read_settings(void)
{
	const char *text = secure_getenv("TGD_SLICE_US");
	unsigned long us;
	char *end;

	listed = secure_getenv("TGD_SLICE_KERNELS");
	log_path = secure_getenv("TGD_SLICE_LOG");
	if (!text || !*text)
		return;
	errno = 0;
	us = strtoul(text, &end, 10);
	if (errno || *end || *text == '-' || us > 1000000000) {
		fprintf(stderr, "timegraph: TGD_SLICE_US: '%s' is no number of microseconds up to 1000000000; "
			"kernels are not sliced\n", text);
		return;
	}
	bound = (int64_t)us * 1000;
	logs = getpid();
	if (bound && log_path)
		atexit(write_log);
}

/** slice_bound() - how long a part and the change to the next one may take, ns; 0: nothing is sliced */
int64_t slice_bound(void)
{
	pthread_once(&once, read_settings);
	return bound;
}

/** slice_listed() - does the user want this kernel sliced? TGD_SLICE_KERNELS has names with commas between */
bool slice_listed(const char *name)
{
	const size_t length = strlen(name);
	const char *at = listed;

	while (at && *at) {
		if (!strncmp(at, name, length) && (!at[length] || at[length] == ','))
			return true;
		at = strchr(at, ',');
		at += !!at;
	}
	return false;
}

/* --- what is told --- */

static const char *const reasons[WHOLE_REASONS] = {
	[SLICED] = "it was expected to be shorter",
	[WHOLE_NO_SOURCE] = "its program has no source: a binary, IL, or linked",
	[WHOLE_PRINTF] = "it prints",
	[WHOLE_PIPES] = "it has pipes",
	[WHOLE_ATOMICS] = "it has atomics",
	[WHOLE_VOLATILE] = "it reads volatile memory",
	[WHOLE_ENQUEUE] = "it launches kernels itself",
	[WHOLE_VENDOR] = "it has assembler or a vendor's functions",
	[WHOLE_INCLUDE] = "its source includes files",
	[WHOLE_SPELLING] = "its source hides what it asks for",
	[WHOLE_GRID] = "its source cannot be rewritten",
	[WHOLE_LOCAL_SIZE] = "it depends on the size of a group, which the driver chooses",
	[WHOLE_ONE_GROUP] = "it has one work-group",
	[WHOLE_REFUSED] = "the driver takes no part of it",
	[WHOLE_BLOCKED] = "it waits for an event that the program sets",
	[WHOLE_CALLBACK] = "a callback launches it",
};

static void write_kernel(FILE *f, struct kernel *k)
{
	uint64_t whole = 0;
	int i;

	pthread_mutex_lock(&k->lock);
	for (i = 0; i < WHOLE_REASONS; i++)
		whole += k->whole[i];
	if (k->sliced || whole) {
		fprintf(f, "{\"kernel\":\"%s\",\"sliced\":%llu,\"parts\":%llu,\"rewritten\":%llu", k->name,
			(unsigned long long)k->sliced, (unsigned long long)k->parts, (unsigned long long)k->rewritten);
		for (i = 0; i < WHOLE_REASONS; i++)
			if (k->whole[i])
				fprintf(f, ",\"%s\":%llu", reasons[i], (unsigned long long)k->whole[i]);
		fprintf(f, "}\n");
	}
	pthread_mutex_unlock(&k->lock);
}

/* At exit: a line of JSON for each kernel that was longer than the bound. The driver's threads may still tell of ends. */
static void write_log(void)
{
	const bool ours = getpid() == logs;
	FILE *f = ours ? fopen(log_path, "ae") : NULL;
	struct kernel *k;

	for (k = f ? kernel_first() : NULL; k; k = kernel_next(k))
		write_kernel(f, k);
	if (ours && (!f || fclose(f)))
		fprintf(stderr, "timegraph: TGD_SLICE_LOG: cannot write %s: %s\n", log_path, strerror(errno));
}

/* Under the kernel's lock: a launch took @ns, and was not sliced. */
static void count_whole(struct kernel *k, enum whole why, int64_t ns)
{
	k->whole[why]++;
	if (k->said || why == SLICED)
		return;
	k->said = true;
	fprintf(stderr, "timegraph: the kernel %s takes %lld us and is not sliced: %s\n", k->name,
		(long long)(ns / 1000), reasons[why]);
}

/* What recent launches of @k took for each work-item: the longest counts, and is forgotten by and by. */
static void learn(struct kernel *k, uint64_t items, int64_t ns)
{
	const double now = (double)(ns > 0 ? ns : 1) / (double)items;

	k->item_ns = now > k->item_ns * 7 / 8 ? now : k->item_ns * 7 / 8;
}

/* --- one event for all parts --- */

/** struct both - the first and the last part of a launch, one reference of each */
struct both {
	cl_event first, last;
	struct both *next;
};

static pthread_mutex_t events_lock = PTHREAD_MUTEX_INITIALIZER;
static struct both *events;

/* Under the lock: those go whose last part nobody else has, of @last or all. Return: they, to be released */
static struct both *take_dead(cl_event last)
{
	struct both **at = &events, *dead = NULL, *b;
	cl_uint references;

	while ((b = *at)) {
		references = 2;
		if (!last || b->last == last)
			next->clGetEventInfo(b->last, CL_EVENT_REFERENCE_COUNT, sizeof(references), &references, NULL);
		if (references > 1) {
			at = &b->next;
			continue;
		}
		__atomic_store_n(at, b->next, __ATOMIC_RELEASE);
		b->next = dead;
		dead = b;
	}
	return dead;
}

/**
 * slice_prune() - a reference was released, of @last or of what holds events: so may the layer
 * @last: NULL: look at all
 *
 * With the last event its context may go, and the driver calls the program: under no lock.
 */
void slice_prune(cl_event last)
{
	struct both *dead, *b;

	if (!__atomic_load_n(&events, __ATOMIC_ACQUIRE))
		return;
	pthread_mutex_lock(&events_lock);
	dead = take_dead(last);
	pthread_mutex_unlock(&events_lock);
	while ((b = dead)) {
		dead = b->next;
		next->clReleaseEvent(b->first);
		next->clReleaseEvent(b->last);
		free(b);
	}
}

cl_int CL_API_CALL layer_clReleaseEvent(cl_event event)
{
	cl_int ret = next->clReleaseEvent(event);

	slice_prune(event);
	return ret;
}

/* Keep @first, whose reference this function has, for as long as the program has @last. */
static void remember(cl_event first, cl_event last)
{
	struct both *b = malloc(sizeof(*b));

	if (!b || next->clRetainEvent(last)) {
		next->clReleaseEvent(first);
		free(b);
		return;
	}
	slice_prune(NULL);
	pthread_mutex_lock(&events_lock);
	*b = (struct both){ first, last, events };
	__atomic_store_n(&events, b, __ATOMIC_RELEASE);
	pthread_mutex_unlock(&events_lock);
}

/** slice_first() - the first part's event, if @event is the last part's; else @event */
cl_event slice_first(cl_event event)
{
	cl_event first = event;
	struct both *b;

	if (!__atomic_load_n(&events, __ATOMIC_ACQUIRE))
		return event;
	pthread_mutex_lock(&events_lock);
	for (b = events; b; b = b->next)
		if (b->last == event)
			first = b->first;
	pthread_mutex_unlock(&events_lock);
	return first;
}

/* --- callbacks of the program --- */

/** struct callback - what the program wants called */
struct callback {
	void (CL_CALLBACK *call)(cl_event event, cl_int status, void *arg);
	void *arg;
};

static __thread bool in_callback;	/* this thread is in one */

static void CL_CALLBACK called(cl_event event, cl_int status, void *arg)
{
	const struct callback c = *(struct callback *)arg;
	const bool outer = in_callback;		/* a driver may call back at once */

	free(arg);
	in_callback = true;
	c.call(event, status, c.arg);
	in_callback = outer;
}

cl_int CL_API_CALL layer_clSetEventCallback(cl_event event, cl_int status,
					    void (CL_CALLBACK *call)(cl_event event, cl_int status, void *arg), void *arg)
{
	struct callback *c;
	cl_int ret;

	if (!call)
		return next->clSetEventCallback(event, status, call, arg);
	c = malloc(sizeof(*c));
	if (!c)
		return CL_OUT_OF_HOST_MEMORY;
	*c = (struct callback){ call, arg };
	ret = next->clSetEventCallback(event, status, called, c);
	if (ret)
		free(c);
	return ret;
}

/* --- whether --- */

static enum whole why_whole(const struct kernel *k, const struct grid *g)
{
	static const struct { uint32_t uses; enum whole why; bool list; } rules[] = {
		{ USES_ENQUEUE, WHOLE_ENQUEUE, false },
		{ USES_VENDOR, WHOLE_VENDOR, false },
		{ USES_PRINTF, WHOLE_PRINTF, true },
		{ USES_PIPES, WHOLE_PIPES, true },
		{ USES_ATOMICS, WHOLE_ATOMICS, true },
		{ USES_VOLATILE, WHOLE_VOLATILE, true },
		{ USES_INCLUDE, WHOLE_INCLUDE, true },
		{ USES_SPELLING, WHOLE_SPELLING, false },
	};
	size_t i;

	if (g->left < 2)
		return WHOLE_ONE_GROUP;
	if (in_callback)
		return WHOLE_CALLBACK;
	if (!k->has_source)
		return WHOLE_NO_SOURCE;
	for (i = 0; i < sizeof(rules) / sizeof(*rules); i++)
		if (k->uses & rules[i].uses && !(k->listed && rules[i].list))
			return rules[i].why;
	return k->uses & USES_GROUPS && !g->given ? WHOLE_LOCAL_SIZE : SLICED;
}

static cl_device_id device_of(cl_command_queue queue)
{
	cl_device_id id = NULL;

	next->clGetCommandQueueInfo(queue, CL_QUEUE_DEVICE, sizeof(id), &id, NULL);
	return id;
}

/* The grid; a kernel's own size of a group counts as the program's. */
static bool make_grid(struct grid *g, cl_command_queue queue, cl_kernel kernel, cl_uint dims, const size_t *offset,
		      const size_t *global, const size_t *local)
{
	size_t own[3] = { 0, 0, 0 };

	if (!local && !next->clGetKernelWorkGroupInfo(kernel, device_of(queue), CL_KERNEL_COMPILE_WORK_GROUP_SIZE,
						      sizeof(own), own, NULL) && own[0])
		local = own;
	return grid_make(g, dims, offset, global, local);
}

/**
 * slice_plan() - is this launch to go in parts, by slice_launch()?
 * @s: filled in, for what becomes of it otherwise
 * @d: may be NULL
 */
bool slice_plan(struct slice *s, struct device *d, cl_command_queue queue, cl_kernel kernel, cl_uint dims,
		const size_t *offset, const size_t *global, const size_t *local)
{
	struct grid g;
	struct kernel *k;
	double item_ns;

	*s = (struct slice){ NULL };
	if (!d || !slice_bound() || tgu_open_now(d->tgu))
		return false;
	k = kernel_of(kernel);
	if (!k || !make_grid(&g, queue, kernel, dims, offset, global, local))
		return false;
	*s = (struct slice){ .kernel = k, .items = g.items, .why = why_whole(k, &g) };
	pthread_mutex_lock(&k->lock);
	item_ns = k->item_ns;
	pthread_mutex_unlock(&k->lock);
	if (s->why || (item_ns > 0 && item_ns * (double)g.items <= (double)bound))
		return false;
	if (k->uses & USES_GRID) {
		s->twin = twin_get(kernel, k, device_of(queue));
		if (!s->twin)
			s->why = WHOLE_GRID;
	}
	return !s->why;
}

/** slice_blocked() - it waits for the program, and goes whole */
void slice_blocked(struct slice *s)
{
	struct kernel *k = s->kernel;
	double ns;

	if (!k)
		return;
	if (s->twin)
		next->clReleaseKernel(s->twin);
	s->twin = NULL;
	pthread_mutex_lock(&k->lock);
	ns = k->item_ns * (double)s->items;
	if (ns > (double)bound)
		count_whole(k, s->why ? s->why : WHOLE_BLOCKED, (int64_t)ns);
	pthread_mutex_unlock(&k->lock);
}

/** struct span - when a command began and ended, by the device's clock; zeros: not known */
struct span {
	cl_ulong start, end;
};

static struct span span_of(cl_event event)
{
	struct span s = { 0, 0 };

	if (next->clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_START, sizeof(s.start), &s.start, NULL) ||
	    next->clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, sizeof(s.end), &s.end, NULL))
		return (struct span){ 0, 0 };
	return s;
}

static int64_t length_of(struct span s)
{
	return (int64_t)(s.end - s.start);
}

/** slice_ended() - a launch that went whole has ended, @end by the device's clock; 0: not known */
void slice_ended(const struct slice *s, cl_event event, cl_ulong end)
{
	struct kernel *k = s->kernel;
	int64_t ns;

	if (!k || !end)
		return;
	ns = length_of(span_of(event));
	pthread_mutex_lock(&k->lock);
	learn(k, s->items, ns);
	if (ns > bound)
		count_whole(k, s->why, ns);
	pthread_mutex_unlock(&k->lock);
}

/* --- in parts --- */

/**
 * struct launch - one under way
 * @of: what is known of the kernel
 * @whole: the program's kernel; @kernel is what is launched
 * @twin: @kernel is the twin of @whole
 * @job: the latest part's turn
 * @items: of the latest part that has ended, and @span its times
 * @turned: ns that it waited for that turn
 */
struct launch {
	struct device *device;
	cl_command_queue queue;
	struct kernel *of;
	cl_kernel whole, kernel;
	bool twin;
	struct tgu_job job;
	struct grid grid;
	const size_t *local;
	uint64_t most, parts, items;
	struct span span;
	int64_t turned;
};

/* How many groups the next part may have, after one of @groups groups and @items items that took @ns. */
static uint64_t next_most(const struct launch *l, uint64_t groups, uint64_t items, double ns)
{
	const double group_ns = (ns > 0 ? ns : 1) / (double)items * (double)l->grid.items /
				((double)l->grid.groups[0] * l->grid.groups[1] * l->grid.groups[2]);
	const double most = (double)(bound - __atomic_load_n(&l->of->change, __ATOMIC_RELAXED)) / group_ns;
	const uint64_t least = l->device->units ? l->device->units : 1;

	if (most >= (double)groups * GROWTH)
		return groups * GROWTH > least ? groups * GROWTH : least;
	return most > (double)least ? (uint64_t)most : least;
}

/* The same number for parts that should take equally long: of the program's kernel, with about as many work-items. */
static uint64_t part_work(const struct launch *l, const struct part *p)
{
	size_t about = 1;

	while (about < p->items && about <= SIZE_MAX / 2)
		about *= 2;
	return launch_work(l->whole, 1, &about, NULL);
}

/* What a twin's functions answer by: rewrite.c has the order. */
static cl_int tell_twin(const struct launch *l, const struct part *p)
{
	cl_ulong words[16] = { 0 };
	int i;

	for (i = 0; i < 3; i++) {
		words[i] = p->group[i];
		words[3 + i] = l->grid.groups[i];
		words[6 + i] = l->grid.global[i];
		words[9 + i] = l->grid.offset[i];
	}
	return next->clSetKernelArg(l->kernel, 0, sizeof(words), words);
}

/*
 * Launch one part in a turn of its own. The end of the last is seen to as that of any launch; for the others
 * part_ended() waits. *@event: the program's reference.
 */
static cl_int launch_part(struct launch *l, struct part *p, cl_uint nr_wait, const cl_event *wait, cl_event *event)
{
	const struct slice none = { NULL };
	size_t offset[3];
	cl_int ret;
	int i;

	grid_part(&l->grid, l->most, p);
	for (i = 0; i < 3; i++)
		offset[i] = l->grid.offset[i] + p->offset[i];
	ret = l->twin ? tell_twin(l, p) : CL_SUCCESS;
	if (ret)
		return ret;
	l->turned = tgu_now();
	launch_enter(l->device, 1, part_work(l, p), &l->job);
	l->turned = tgu_now() - l->turned;
	ret = next->clEnqueueNDRangeKernel(l->queue, l->kernel, l->grid.dims, offset, p->size, l->local, nr_wait, wait,
					   event);
	if (l->job.way == TGU_OPEN) {
		tgu_leave(&l->job);
	} else if (ret) {
		tgu_refused(&l->job);
	} else if (l->grid.left) {
		tgu_started(&l->job, 0);
	} else {
		next->clRetainEvent(*event);
		launch_went(l->device, &l->job, l->queue, *event, &none);
	}
	l->parts += !ret;
	return ret;
}

/*
 * The change to a part took @ns, less the wait for its turn: others may have had theirs. The least counts, and no more than
 * half of the bound: a device that takes longer than that to begin is not cured by shorter parts.
 */
static void learn_change(struct kernel *k, int64_t ns)
{
	if (ns <= 0)
		return;
	ns = ns < bound / 2 ? ns : bound / 2;
	pthread_mutex_lock(&k->lock);
	if (!k->change || ns < k->change)
		__atomic_store_n(&k->change, ns, __ATOMIC_RELAXED);
	pthread_mutex_unlock(&k->lock);
}

/* Wait for a part's end, and report it. Return: it has ended well */
static bool part_ended(struct launch *l, const struct part *p, cl_event event)
{
	cl_int status = CL_COMPLETE;
	struct span now;

	if (l->parts == 1)
		queue_flush();
	else
		next->clFlush(l->queue);
	next->clWaitForEvents(1, &event);
	launch_report(l->device, &l->job, event);
	launch_reap(l->device);
	next->clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof(status), &status, NULL);
	if (status < 0)
		return false;
	now = span_of(event);
	if (l->span.end)
		learn_change(l->of, (int64_t)(now.start - l->span.end) - l->turned);
	l->span = now;
	l->items = p->items;
	l->most = next_most(l, p->groups, p->items, (double)length_of(now));
	return true;
}

static cl_int launch_parts(struct launch *l, cl_uint nr_wait, const cl_event *wait, cl_event *event)
{
	cl_event first = NULL, own;
	struct part p;
	bool more;
	cl_int ret;

	do {
		ret = launch_part(l, &p, nr_wait, wait, &own);
		if (ret)
			break;
		more = l->grid.left && part_ended(l, &p, own);
		if (!first) {
			first = own;
			next->clRetainEvent(first);
		}
		if (more || !event)
			next->clReleaseEvent(own);
		else
			*event = own;
		nr_wait = 0;
		wait = NULL;
	} while (more);
	if (!ret && event && first != own && queue_profiling(l->queue) == PROFILING_ASKED)
		remember(first, own);
	else if (first)
		next->clReleaseEvent(first);
	return ret;
}

/**
 * slice_launch() - launch in parts, as slice_plan() has said; the rest are the call's arguments
 * @ret: what the program gets
 *
 * Return: false: the driver takes no part, so the launch is to go whole. It is wrong, or the driver takes no offset,
 * or a twin needs more registers.
 */
bool slice_launch(struct slice *s, struct device *d, cl_command_queue queue, cl_kernel kernel,
		  cl_uint dims, const size_t *offset, const size_t *global, const size_t *local,
		  cl_uint nr_wait, const cl_event *wait, cl_event *event, cl_int *ret)
{
	struct launch l = { .device = d, .queue = queue, .of = s->kernel, .whole = kernel,
			    .kernel = s->twin ? s->twin : kernel, .twin = s->twin };
	struct kernel *k = s->kernel;

	make_grid(&l.grid, queue, kernel, dims, offset, global, local);
	l.local = local;	/* not the kernel's own: the driver may refuse none */
	l.most = d->units ? d->units : 1;
	pthread_mutex_lock(&k->lock);
	if (k->item_ns > 0)
		l.most = next_most(&l, l.grid.left, l.grid.items, k->item_ns * (double)l.grid.items);
	pthread_mutex_unlock(&k->lock);
	*ret = launch_parts(&l, nr_wait, wait, event);
	if (s->twin)
		next->clReleaseKernel(s->twin);
	s->twin = NULL;
	s->why = WHOLE_REFUSED;
	pthread_mutex_lock(&k->lock);
	if (l.items)
		learn(k, l.items, length_of(l.span));
	k->sliced += l.parts > 1;
	k->parts += l.parts;
	k->rewritten += l.parts > 1 && l.twin;
	pthread_mutex_unlock(&k->lock);
	return l.parts;
}

/** slice_in_child() - after fork(): a thread that is not here may have held a lock */
void slice_in_child(void)
{
	pthread_mutex_init(&events_lock, NULL);
}
