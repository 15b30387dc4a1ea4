// SPDX-License-Identifier: GPL-2.0
/*
 * Buffers, pipes, and what all memory objects share. Their bytes are the process's own; the card counts
 * them, on the context's first device, and refuses what it has not.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "driver.h"

#define MAPPED	65536	/* from here on by mmap: pages that nobody touches cost nothing */

static const cl_mem_flags known = CL_MEM_READ_WRITE | CL_MEM_WRITE_ONLY | CL_MEM_READ_ONLY | CL_MEM_USE_HOST_PTR |
	CL_MEM_ALLOC_HOST_PTR | CL_MEM_COPY_HOST_PTR | CL_MEM_HOST_WRITE_ONLY | CL_MEM_HOST_READ_ONLY |
	CL_MEM_HOST_NO_ACCESS | CL_MEM_KERNEL_READ_AND_WRITE;

static bool several(cl_mem_flags flags, cl_mem_flags of)
{
	return (flags & of) & ((flags & of) - 1);
}

static bool wrong_flags(cl_mem_flags flags)
{
	return flags & ~known || several(flags, CL_MEM_READ_WRITE | CL_MEM_WRITE_ONLY | CL_MEM_READ_ONLY) ||
		several(flags, CL_MEM_HOST_WRITE_ONLY | CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_NO_ACCESS) ||
		(flags & CL_MEM_USE_HOST_PTR && flags & (CL_MEM_ALLOC_HOST_PTR | CL_MEM_COPY_HOST_PTR));
}

static void *bytes_new(size_t size)
{
	void *p;

	if (size >= MAPPED) {
		p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
		return p == MAP_FAILED ? NULL : p;
	}
	p = aligned_alloc(128, (size + 127) & ~(size_t)127);
	if (p)
		memset(p, 0, size);
	return p;
}

static void bytes_free(void *p, size_t size)
{
	if (size >= MAPPED)
		munmap(p, size);
	else
		free(p);
}

void memory_put(cl_mem m)
{
	if (atomic_fetch_sub(&m->head.refs, 1) > 1)
		return;
	m->head.kind = 0;
	if (m->ours)
		bytes_free(m->data, m->size);
	if (m->held)
		link_ask(MOCK_RELEASE, m->context->device[0]->index, NULL, m->size);
	destructors_call(&m->destructors);
	if (m->parent)
		memory_put(m->parent);
	context_put(m->context);
	free(m);
}

cl_mem memory_new(cl_context c, cl_mem_flags flags, size_t size, void *host, cl_int *error)
{
	bool wants_host = flags & (CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR);
	cl_mem m;

	*error = !is(c, CONTEXT) ? CL_INVALID_CONTEXT : wrong_flags(flags) ? CL_INVALID_VALUE :
		!size || size > link_memory() ? CL_INVALID_BUFFER_SIZE :
		wants_host != (host != NULL) ? CL_INVALID_HOST_PTR : CL_SUCCESS;
	if (*error)
		return NULL;
	m = object_new(MEMORY, sizeof(*m));
	if (!m) {
		*error = CL_OUT_OF_HOST_MEMORY;
		return NULL;
	}
	m->context = c;
	m->type = CL_MEM_OBJECT_BUFFER;
	m->flags = flags & (CL_MEM_READ_WRITE | CL_MEM_WRITE_ONLY | CL_MEM_READ_ONLY) ? flags :
		flags | CL_MEM_READ_WRITE;
	m->size = size;
	m->host = flags & CL_MEM_USE_HOST_PTR ? host : NULL;
	atomic_fetch_add(&c->head.refs, 1);
	pthread_mutex_lock(&mock_lock);
	m->held = !link_ask(MOCK_ALLOCATE, c->device[0]->index, NULL, size);
	m->data = m->host ? m->host : m->held ? bytes_new(size) : NULL;
	m->ours = m->data && !m->host;
	if (!m->held || !m->data) {
		memory_put(m);
		*error = CL_MEM_OBJECT_ALLOCATION_FAILURE;
		m = NULL;
	}
	pthread_mutex_unlock(&mock_lock);
	if (m && flags & CL_MEM_COPY_HOST_PTR && m->type == CL_MEM_OBJECT_BUFFER)
		memcpy(m->data, host, size);
	return m;
}

API cl_mem CL_API_CALL clCreateBuffer(cl_context c, cl_mem_flags flags, size_t size, void *host, cl_int *error)
{
	cl_int unused;

	return memory_new(c, flags, size, host, error ? error : &unused);
}

API cl_mem CL_API_CALL clCreateBufferWithProperties(cl_context c, const cl_mem_properties *properties,
		cl_mem_flags flags, size_t size, void *host, cl_int *error)
{
	cl_int unused;
	cl_mem m;

	error = error ? error : &unused;
	if (properties && *properties) {
		*error = CL_INVALID_PROPERTY;
		return NULL;
	}
	m = memory_new(c, flags, size, host, error);
	if (m)
		m->properties_size = properties ? sizeof(*properties) : 0;
	return m;
}

API cl_mem CL_API_CALL clCreateSubBuffer(cl_mem b, cl_mem_flags flags, cl_buffer_create_type type, const void *create,
		cl_int *error)
{
	const cl_buffer_region *r = create;
	cl_int unused;
	cl_mem m;

	error = error ? error : &unused;
	*error = !is(b, MEMORY) || b->type != CL_MEM_OBJECT_BUFFER || b->parent ? CL_INVALID_MEM_OBJECT :
		wrong_flags(flags) || flags & (CL_MEM_USE_HOST_PTR | CL_MEM_ALLOC_HOST_PTR | CL_MEM_COPY_HOST_PTR) ||
		type != CL_BUFFER_CREATE_TYPE_REGION || !r || r->origin > b->size || r->size > b->size - r->origin ?
		CL_INVALID_VALUE : !r->size ? CL_INVALID_BUFFER_SIZE :
		r->origin % 128 ? CL_MISALIGNED_SUB_BUFFER_OFFSET : CL_SUCCESS;
	if (*error)
		return NULL;
	m = object_new(MEMORY, sizeof(*m));
	if (!m) {
		*error = CL_OUT_OF_HOST_MEMORY;
		return NULL;
	}
	m->context = b->context;
	m->type = CL_MEM_OBJECT_BUFFER;
	m->flags = flags ? flags : b->flags;
	m->size = r->size;
	m->origin = r->origin;
	m->data = b->data + r->origin;
	m->host = b->host ? (char *)b->host + r->origin : NULL;
	m->parent = b;
	atomic_fetch_add(&b->head.refs, 1);
	atomic_fetch_add(&b->context->head.refs, 1);
	return m;
}

API cl_mem CL_API_CALL clCreatePipe(cl_context c, cl_mem_flags flags, cl_uint packet_size, cl_uint packets,
		const cl_pipe_properties *properties, cl_int *error)
{
	cl_int unused;
	cl_mem m;

	error = error ? error : &unused;
	if (flags & ~(cl_mem_flags)(CL_MEM_READ_WRITE | CL_MEM_HOST_NO_ACCESS) || (properties && *properties)) {
		*error = CL_INVALID_VALUE;
		return NULL;
	}
	if (!packet_size || packet_size > 1024 || !packets) {
		*error = CL_INVALID_PIPE_SIZE;
		return NULL;
	}
	m = memory_new(c, CL_MEM_READ_WRITE | CL_MEM_HOST_NO_ACCESS, (size_t)packet_size * packets, NULL, error);
	if (m) {
		m->type = CL_MEM_OBJECT_PIPE;
		m->packet_size = packet_size;
		m->packets = packets;
	}
	return m;
}

API cl_int CL_API_CALL clGetPipeInfo(cl_mem m, cl_pipe_info name, size_t room, void *to, size_t *size_ret)
{
	if (!is(m, MEMORY) || m->type != CL_MEM_OBJECT_PIPE)
		return CL_INVALID_MEM_OBJECT;
	switch (name) {
	case CL_PIPE_PACKET_SIZE:
		return INFO(cl_uint, m->packet_size);
	case CL_PIPE_MAX_PACKETS:
		return INFO(cl_uint, m->packets);
	case CL_PIPE_PROPERTIES:
		return info(NULL, 0, room, to, size_ret);
	}
	return CL_INVALID_VALUE;
}

API cl_int CL_API_CALL clRetainMemObject(cl_mem m)
{
	return object_retain(m, MEMORY, CL_INVALID_MEM_OBJECT);
}

API cl_int CL_API_CALL clReleaseMemObject(cl_mem m)
{
	return object_release(m, MEMORY, CL_INVALID_MEM_OBJECT);
}

API cl_int CL_API_CALL clSetMemObjectDestructorCallback(cl_mem m, void (CL_CALLBACK *fn)(cl_mem, void *), void *user)
{
	if (!is(m, MEMORY))
		return CL_INVALID_MEM_OBJECT;
	return destructor_add(&m->destructors, m, (void (CL_CALLBACK *)(void *, void *))fn, user);
}

API cl_int CL_API_CALL clGetMemObjectInfo(cl_mem m, cl_mem_info name, size_t room, void *to, size_t *size_ret)
{
	if (!is(m, MEMORY))
		return CL_INVALID_MEM_OBJECT;
	switch (name) {
	case CL_MEM_TYPE:
		return INFO(cl_mem_object_type, m->type);
	case CL_MEM_FLAGS:
		return INFO(cl_mem_flags, m->flags);
	case CL_MEM_SIZE:
		return INFO(size_t, m->size);
	case CL_MEM_HOST_PTR:
		return INFO(void *, m->host);
	case CL_MEM_MAP_COUNT:
		return INFO(cl_uint, m->maps);
	case CL_MEM_REFERENCE_COUNT:
		return INFO(cl_uint, m->head.refs);
	case CL_MEM_CONTEXT:
		return INFO(cl_context, m->context);
	case CL_MEM_ASSOCIATED_MEMOBJECT:
		return INFO(cl_mem, m->parent);
	case CL_MEM_OFFSET:
		return INFO(size_t, m->origin);
	case CL_MEM_USES_SVM_POINTER:
		return INFO(cl_bool, m->host && svm_inside(m->host, 1));
	case CL_MEM_PROPERTIES:
		return info(m->properties, m->properties_size, room, to, size_ret);
	}
	return CL_INVALID_VALUE;
}
