/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The test card's OpenCL driver, libmockcl.so: its objects, and what its files call of each other.
 * Programs come in by the table of dispatch.c. One lock for the whole library, mock_lock, guards every
 * object's fields that change. Callbacks of programs run without it.
 */
#ifndef MOCKCL_DRIVER_H
#define MOCKCL_DRIVER_H

#define CL_USE_DEPRECATED_OPENCL_1_0_APIS
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <CL/cl.h>
#include <CL/cl_ext.h>
#include <CL/cl_icd.h>

#include "card.h"

#define API CL_API_ENTRY
#define MAX_ARGS	32
#define MAX_KERNELS	64

/** enum kind - what an object is; anything else at that place is no object of ours */
enum kind {
	PLATFORM = 0x6d6f6301, DEVICE, CONTEXT, QUEUE, MEMORY, SAMPLER, PROGRAM, KERNEL, EVENT
};

/** struct head - how each object begins; the loader calls by @dispatch */
struct head {
	const struct _cl_icd_dispatch *dispatch;
	enum kind kind;
	_Atomic unsigned int refs;
};

/** struct callback - a program's function to be called; of events with @event and @status */
struct callback {
	struct callback *next;
	void (CL_CALLBACK *event_fn)(cl_event, cl_int, void *);
	void (CL_CALLBACK *object_fn)(void *, void *);
	void (CL_CALLBACK *svm_fn)(cl_command_queue, cl_uint, void **, void *);
	void *object, *user;
	cl_int status;
	cl_uint n;
};

struct _cl_platform_id {
	struct head head;
};

struct _cl_device_id {
	struct head head;
	unsigned int index;
	uint8_t uuid[16];
};

struct _cl_context {
	struct head head;
	cl_uint n;
	cl_device_id device[MOCK_DEVICES];
	cl_context_properties properties[16];
	size_t properties_size;
	struct callback *destructors;
};

/**
 * struct channel - one of the card's
 * @put: the next entry to write; the ring's own is behind it until a flush
 * @reaped: entries whose commands are complete
 * @of: the command of each entry
 */
struct channel {
	bool open;
	unsigned int index;
	uint32_t put, reaped;
	cl_event of[MOCK_RING];
};

/**
 * struct _cl_command_queue - commands wait in @waiting until their events have come, then in a channel
 * @channel: in order: the first is for all; out of order: one for each engine
 * @barrier: the latest barrier that is not complete (out of order)
 * @live: commands that are not complete, from the oldest on
 * @card: which connection its channels belong to
 * @held: by a thread in a call (MOCKCL_LOCKS)
 */
struct _cl_command_queue {
	struct head head;
	cl_context context;
	cl_device_id device;
	cl_command_queue_properties properties;
	cl_queue_properties given[16];
	size_t given_size;
	struct channel channel[MOCK_ENGINES];
	cl_event waiting, waiting_last, barrier;
	cl_event live, live_last;
	unsigned int card;
	bool held;
	struct _cl_command_queue *next;
};

struct _cl_mem {
	struct head head;
	cl_context context;
	cl_mem_object_type type;
	cl_mem_flags flags;
	size_t size;
	char *data;
	void *host;		/* as the program gave it */
	cl_mem parent;
	size_t origin;
	cl_uint maps;
	cl_image_format format;
	cl_image_desc desc;
	size_t element;
	cl_uint packet_size, packets;
	cl_mem_properties properties[16];
	size_t properties_size;
	bool ours, held;	/* @data is to be freed; the card has counted it */
	struct callback *destructors;
};

struct _cl_sampler {
	struct head head;
	cl_context context;
	cl_bool normalized;
	cl_addressing_mode addressing;
	cl_filter_mode filter;
	cl_sampler_properties properties[16];
	size_t properties_size;
};

/**
 * struct signature - a kernel as its source declares it
 * @ns, @ns_per_group: the argument of that name, or -1
 */
struct signature {
	char name[64];
	unsigned int n;
	struct {
		char name[64], type[64];
		bool memory, local;
		size_t size;		/* of a scalar; 0: unknown */
	} arg[MAX_ARGS];
	int ns, ns_per_group;
};

/** struct _cl_program - @told: the program has given @source, and may ask for it */
struct _cl_program {
	struct head head;
	cl_context context;
	char *source, *options;
	bool told, built;
	cl_build_status status;
	cl_program_binary_type binary;
	uint64_t ns_per_group;
	unsigned int n;
	struct signature kernel[MAX_KERNELS];
	unsigned int kernels;	/* objects made of it */
};

struct _cl_kernel {
	struct head head;
	cl_program program;
	const struct signature *sig;
	struct {
		bool set;
		uint64_t value;
		cl_mem memory;
		void *svm;
	} arg[MAX_ARGS];
};

struct edge {
	struct edge *next;
	cl_event to;
};

/** struct box - a part of memory in rows and slices: bytes from @base */
struct box {
	char *base;
	size_t row, slice;
};

/**
 * struct work - what a command does to memory when it ends
 * @from, @to, @width, @height, @depth: a copy, @width in bytes
 * @pattern: a fill of @to, if @pattern_size is not 0
 * @add: a kernel's buffers: the first word of each counts the kernels that had it
 * @keep: objects that the command refers to
 */
struct work {
	struct box from, to;
	size_t width, height, depth;
	unsigned char pattern[128];
	size_t pattern_size;
	cl_mem add[MAX_ARGS];
	unsigned int adds;
	cl_mem keep[4];
	cl_mem unmap;
	struct callback *svm_free;
};

/**
 * struct _cl_event - a command, or a user event (@queue NULL)
 * @status: as OpenCL has it; negative: an error
 * @needs: events that it waits for; @edges: commands that wait for it
 * @wanted: somebody wants to be woken when it ends
 * @flushed: the program has flushed its queue since
 * @next, @live_next: in the queue's @waiting and @live
 */
struct _cl_event {
	struct head head;
	cl_context context;
	cl_command_queue queue;
	cl_command_type type;
	cl_int status;
	unsigned int needs;
	struct edge *edges;
	struct callback *callbacks;
	bool wanted, flushed, pushed, failed, user_set;
	struct channel *channel;
	uint32_t at;
	enum mock_engine engine;
	uint64_t ns, queued, submitted, start, end;
	struct work *work;
	cl_event next, live_next, live_prev;
};

extern pthread_mutex_t mock_lock;
extern const struct _cl_icd_dispatch mock_dispatch;
extern struct _cl_platform_id mock_platform;

static inline bool is(const void *object, enum kind kind)
{
	return object && ((const struct head *)object)->kind == kind;
}

/* link.c: the card */
struct mock_page *link_page(void);		/* connect if need be; NULL: there is no card */
unsigned int link_generation(void);		/* which connection this is: another one after a fork */
int link_ask(enum mock_ask ask, unsigned int device, uint32_t *n, uint64_t bytes);
void link_ring(void);
bool link_alive(void);
cl_uint link_devices(cl_device_id *devices);	/* at most MOCK_DEVICES */
uint64_t link_memory(void);
uint64_t link_clock(void);

/* object.c: what all objects have; @wrong: the error for what is none of this @kind */
void *object_new(enum kind kind, size_t size);
cl_int object_retain(void *object, enum kind kind, cl_int wrong);
cl_int object_release(void *object, enum kind kind, cl_int wrong);
cl_int destructor_add(struct callback **list, void *object, void (CL_CALLBACK *fn)(void *, void *), void *user);
void destructors_call(struct callback **list);	/* under mock_lock */

/* info.c: what an info call returns */
cl_int info(const void *value, size_t size, size_t room, void *to, size_t *size_ret);
cl_int info_text(const char *text, size_t room, void *to, size_t *size_ret);
#define INFO(TYPE, VALUE) info(&(TYPE){ VALUE }, sizeof(TYPE), room, to, size_ret)

/* command.c: under mock_lock */
cl_event command_new(cl_command_queue q, cl_command_type type, enum mock_engine engine, uint64_t ns);
cl_int command_check(cl_command_queue q, cl_uint n, const cl_event *list);
cl_int command_go(cl_event e, cl_uint n, const cl_event *list, cl_bool wait, cl_event *out);
void command_reap(void);
void command_bump(void);			/* wake all that wait in the driver: they look again */
void command_nap(void);			/* reap, and sleep until there may be more; releases mock_lock */
void command_complete(cl_event e, cl_int status);
cl_int command_wait(cl_event e);
void queue_hold(cl_command_queue q);
void queue_let_go(cl_command_queue q);
void command_forget(cl_event e);		/* drop a reference */
void command_thread(void);			/* start the thread that callbacks run in */
void command_call(struct callback *c);		/* have it call this one */
void command_want(cl_event e);
void command_publish(cl_command_queue q);
uint64_t copy_ns(size_t bytes);
bool queues_wait(void);			/* a command of some queue cannot go to the card yet */
void queues_forget(void);			/* in a forked child */
void callbacks_forget(void);		/* likewise */

/* queue.c, memory.c, image.c, kernel.c, program.c, context.c: drop a reference, under mock_lock */
void queue_put(cl_command_queue q);
void memory_put(cl_mem m);
void sampler_put(cl_sampler s);
void kernel_put(cl_kernel k);
void program_put(cl_program p);
void context_put(cl_context c);
void queue_link(cl_command_queue q);
void queue_unlink(cl_command_queue q);
bool context_has(cl_context c, cl_device_id d);
cl_mem memory_new(cl_context c, cl_mem_flags flags, size_t size, void *host, cl_int *error);
bool svm_inside(const void *p, size_t size);

#endif /* MOCKCL_DRIVER_H */
