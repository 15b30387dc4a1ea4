// SPDX-License-Identifier: GPL-2.0
/* The platform and contexts of devices. */
#include <stdlib.h>
#include <string.h>

#include "driver.h"

struct _cl_platform_id mock_platform = { .head = { &mock_dispatch, PLATFORM, 1 } };

API cl_int CL_API_CALL clIcdGetPlatformIDsKHR(cl_uint room, cl_platform_id *list, cl_uint *n)
{
	if ((!room && list) || (!list && !n))
		return CL_INVALID_VALUE;
	if (list)
		list[0] = &mock_platform;
	if (n)
		*n = 1;
	return CL_SUCCESS;
}

API cl_int CL_API_CALL clGetPlatformInfo(cl_platform_id p, cl_platform_info name, size_t room, void *to,
		size_t *size_ret)
{
	static const cl_name_version icd = { CL_MAKE_VERSION(1, 0, 0), "cl_khr_icd" };

	if (p && !is(p, PLATFORM))
		return CL_INVALID_PLATFORM;
	switch (name) {
	case CL_PLATFORM_PROFILE:
		return info_text("FULL_PROFILE", room, to, size_ret);
	case CL_PLATFORM_VERSION:
		return info_text("OpenCL 3.0 mockcl", room, to, size_ret);
	case CL_PLATFORM_NUMERIC_VERSION:
		return INFO(cl_version, CL_MAKE_VERSION(3, 0, 0));
	case CL_PLATFORM_NAME:
		return info_text("mockcl", room, to, size_ret);
	case CL_PLATFORM_VENDOR:
		return info_text("TimeGraph's tests", room, to, size_ret);
	case CL_PLATFORM_EXTENSIONS:
		return info_text("cl_khr_icd", room, to, size_ret);
	case CL_PLATFORM_EXTENSIONS_WITH_VERSION:
		return info(&icd, sizeof(icd), room, to, size_ret);
	case CL_PLATFORM_HOST_TIMER_RESOLUTION:
		return INFO(cl_ulong, 1);
	case CL_PLATFORM_ICD_SUFFIX_KHR:
		return info_text("MOCK", room, to, size_ret);
	}
	return CL_INVALID_VALUE;
}

bool context_has(cl_context c, cl_device_id d)
{
	cl_uint i;

	for (i = 0; i < c->n; i++)
		if (c->device[i] == d)
			return true;
	return false;
}

void context_put(cl_context c)
{
	if (atomic_fetch_sub(&c->head.refs, 1) > 1)
		return;
	destructors_call(&c->destructors);
	c->head.kind = 0;
	free(c);
}

API cl_context CL_API_CALL clCreateContext(const cl_context_properties *properties, cl_uint n,
		const cl_device_id *list, void (CL_CALLBACK *notify)(const char *, const void *, size_t, void *),
		void *user, cl_int *error)
{
	cl_int unused;
	size_t len = 0;
	cl_context c;
	cl_uint i;

	error = error ? error : &unused;
	*error = !list || !n || (!notify && user) ? CL_INVALID_VALUE : CL_SUCCESS;
	for (; properties && properties[len] && len < 14 && !*error; len += 2)
		if (properties[len] == CL_CONTEXT_PLATFORM)
			*error = is((void *)properties[len + 1], PLATFORM) ? CL_SUCCESS : CL_INVALID_PLATFORM;
		else if (properties[len] != CL_CONTEXT_INTEROP_USER_SYNC)
			*error = CL_INVALID_PROPERTY;
	for (i = 0; i < n && !*error; i++)
		if (!is(list[i], DEVICE))
			*error = CL_INVALID_DEVICE;
	if (*error)
		return NULL;
	c = object_new(CONTEXT, sizeof(*c));
	if (!c) {
		*error = CL_OUT_OF_HOST_MEMORY;
		return NULL;
	}
	for (i = 0; i < n; i++)
		if (!context_has(c, list[i]))
			c->device[c->n++] = list[i];
	c->properties_size = properties ? (len + 1) * sizeof(*properties) : 0;
	if (properties)
		memcpy(c->properties, properties, c->properties_size);
	return c;
}

API cl_context CL_API_CALL clCreateContextFromType(const cl_context_properties *properties, cl_device_type type,
		void (CL_CALLBACK *notify)(const char *, const void *, size_t, void *), void *user, cl_int *error)
{
	cl_device_id list[MOCK_DEVICES];
	cl_int unused;
	cl_uint n = 0;

	error = error ? error : &unused;
	*error = clGetDeviceIDs(&mock_platform, type, MOCK_DEVICES, list, &n);
	return *error ? NULL : clCreateContext(properties, n, list, notify, user, error);
}

API cl_int CL_API_CALL clRetainContext(cl_context c)
{
	return object_retain(c, CONTEXT, CL_INVALID_CONTEXT);
}

API cl_int CL_API_CALL clReleaseContext(cl_context c)
{
	return object_release(c, CONTEXT, CL_INVALID_CONTEXT);
}

API cl_int CL_API_CALL clSetContextDestructorCallback(cl_context c, void (CL_CALLBACK *fn)(cl_context, void *),
		void *user)
{
	if (!is(c, CONTEXT))
		return CL_INVALID_CONTEXT;
	return destructor_add(&c->destructors, c, (void (CL_CALLBACK *)(void *, void *))fn, user);
}

API cl_int CL_API_CALL clGetContextInfo(cl_context c, cl_context_info name, size_t room, void *to, size_t *size_ret)
{
	if (!is(c, CONTEXT))
		return CL_INVALID_CONTEXT;
	switch (name) {
	case CL_CONTEXT_REFERENCE_COUNT:
		return INFO(cl_uint, c->head.refs);
	case CL_CONTEXT_NUM_DEVICES:
		return INFO(cl_uint, c->n);
	case CL_CONTEXT_DEVICES:
		return info(c->device, c->n * sizeof(c->device[0]), room, to, size_ret);
	case CL_CONTEXT_PROPERTIES:
		return info(c->properties, c->properties_size, room, to, size_ret);
	}
	return CL_INVALID_VALUE;
}
