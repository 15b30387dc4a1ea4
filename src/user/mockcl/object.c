// SPDX-License-Identifier: GPL-2.0
/*
 * What all objects of the driver have: how they begin, references, and a program's functions that are
 * called when one is destroyed. The files of each kind call this from their OpenCL calls, without
 * mock_lock; destructors_call() alone is called under it.
 */
#include <stdlib.h>

#include "driver.h"

void *object_new(enum kind kind, size_t size)
{
	struct head *h = calloc(1, size);

	if (h) {
		h->dispatch = &mock_dispatch;
		h->kind = kind;
		h->refs = 1;
	}
	return h;
}

cl_int object_retain(void *object, enum kind kind, cl_int wrong)
{
	struct head *h = object;

	if (!is(object, kind))
		return wrong;
	atomic_fetch_add(&h->refs, 1);
	return CL_SUCCESS;
}

/* Under mock_lock. */
static void put(void *object, enum kind kind)
{
	switch (kind) {
	case CONTEXT:
		context_put(object);
		break;
	case QUEUE:
		command_publish(object);	/* clReleaseCommandQueue() flushes */
		queue_put(object);
		break;
	case MEMORY:
		memory_put(object);
		break;
	case SAMPLER:
		sampler_put(object);
		break;
	case PROGRAM:
		program_put(object);
		break;
	case KERNEL:
		kernel_put(object);
		break;
	case EVENT:
		command_forget(object);
		break;
	case PLATFORM:
	case DEVICE:		/* they stay */
		break;
	}
}

cl_int object_release(void *object, enum kind kind, cl_int wrong)
{
	if (!is(object, kind))
		return wrong;
	pthread_mutex_lock(&mock_lock);
	put(object, kind);
	pthread_mutex_unlock(&mock_lock);
	return CL_SUCCESS;
}

/** destructor_add() - have @fn called when @object is destroyed, the latest first */
cl_int destructor_add(struct callback **list, void *object, void (CL_CALLBACK *fn)(void *, void *), void *user)
{
	struct callback *c;

	if (!fn)
		return CL_INVALID_VALUE;
	c = calloc(1, sizeof(*c));
	if (!c)
		return CL_OUT_OF_HOST_MEMORY;
	c->object_fn = fn;
	c->object = object;
	c->user = user;
	pthread_mutex_lock(&mock_lock);
	c->next = *list;
	*list = c;
	pthread_mutex_unlock(&mock_lock);
	return CL_SUCCESS;
}

void destructors_call(struct callback **list)
{
	struct callback *c;

	while ((c = *list)) {
		*list = c->next;
		command_call(c);
	}
}
