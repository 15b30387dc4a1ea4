// SPDX-License-Identifier: GPL-2.0
/* Devices as programs see them: a GPU that cannot be divided, with coarse SVM, images and pipes. */
#include <string.h>

#include "driver.h"

#define EXTENSIONS "cl_khr_device_uuid cl_khr_pci_bus_info"

API cl_int CL_API_CALL clGetDeviceIDs(cl_platform_id p, cl_device_type type, cl_uint room, cl_device_id *list,
		cl_uint *n)
{
	cl_device_id all[MOCK_DEVICES];
	cl_uint there, i;

	if (p && !is(p, PLATFORM))
		return CL_INVALID_PLATFORM;
	if ((!room && list) || (!list && !n))
		return CL_INVALID_VALUE;
	if (!type || (type != CL_DEVICE_TYPE_ALL && type & ~(cl_device_type)0x1f))
		return CL_INVALID_DEVICE_TYPE;
	pthread_mutex_lock(&mock_lock);
	there = type & (CL_DEVICE_TYPE_GPU | CL_DEVICE_TYPE_DEFAULT) ? link_devices(all) : 0;
	pthread_mutex_unlock(&mock_lock);
	if (there && type == CL_DEVICE_TYPE_DEFAULT)
		there = 1;
	for (i = 0; list && i < there && i < room; i++)
		list[i] = all[i];
	if (n)
		*n = there;
	return there ? CL_SUCCESS : CL_DEVICE_NOT_FOUND;
}

/* Those whose value is a cl_uint */
static const struct { cl_device_info name; cl_uint value; } uints[] = {
	{ CL_DEVICE_VENDOR_ID, 0x6d6f },
	{ CL_DEVICE_MAX_COMPUTE_UNITS, 8 },
	{ CL_DEVICE_MAX_WORK_ITEM_DIMENSIONS, 3 },
	{ CL_DEVICE_PREFERRED_VECTOR_WIDTH_CHAR, 1 }, { CL_DEVICE_PREFERRED_VECTOR_WIDTH_SHORT, 1 },
	{ CL_DEVICE_PREFERRED_VECTOR_WIDTH_INT, 1 }, { CL_DEVICE_PREFERRED_VECTOR_WIDTH_LONG, 1 },
	{ CL_DEVICE_PREFERRED_VECTOR_WIDTH_FLOAT, 1 }, { CL_DEVICE_PREFERRED_VECTOR_WIDTH_DOUBLE, 0 },
	{ CL_DEVICE_PREFERRED_VECTOR_WIDTH_HALF, 0 },
	{ CL_DEVICE_NATIVE_VECTOR_WIDTH_CHAR, 1 }, { CL_DEVICE_NATIVE_VECTOR_WIDTH_SHORT, 1 },
	{ CL_DEVICE_NATIVE_VECTOR_WIDTH_INT, 1 }, { CL_DEVICE_NATIVE_VECTOR_WIDTH_LONG, 1 },
	{ CL_DEVICE_NATIVE_VECTOR_WIDTH_FLOAT, 1 }, { CL_DEVICE_NATIVE_VECTOR_WIDTH_DOUBLE, 0 },
	{ CL_DEVICE_NATIVE_VECTOR_WIDTH_HALF, 0 },
	{ CL_DEVICE_MAX_CLOCK_FREQUENCY, 1000 },
	{ CL_DEVICE_ADDRESS_BITS, 64 },
	{ CL_DEVICE_MAX_READ_IMAGE_ARGS, 16 }, { CL_DEVICE_MAX_WRITE_IMAGE_ARGS, 16 },
	{ CL_DEVICE_MAX_READ_WRITE_IMAGE_ARGS, 0 },
	{ CL_DEVICE_MAX_SAMPLERS, 16 },
	{ CL_DEVICE_IMAGE_PITCH_ALIGNMENT, 1 }, { CL_DEVICE_IMAGE_BASE_ADDRESS_ALIGNMENT, 1 },
	{ CL_DEVICE_MAX_PIPE_ARGS, 16 }, { CL_DEVICE_PIPE_MAX_ACTIVE_RESERVATIONS, 1 },
	{ CL_DEVICE_PIPE_MAX_PACKET_SIZE, 1024 },
	{ CL_DEVICE_MEM_BASE_ADDR_ALIGN, 1024 },
	{ CL_DEVICE_MIN_DATA_TYPE_ALIGN_SIZE, 128 },
	{ CL_DEVICE_GLOBAL_MEM_CACHELINE_SIZE, 64 },
	{ CL_DEVICE_GLOBAL_MEM_CACHE_TYPE, CL_READ_WRITE_CACHE },
	{ CL_DEVICE_LOCAL_MEM_TYPE, CL_LOCAL },
	{ CL_DEVICE_MAX_CONSTANT_ARGS, 8 },
	{ CL_DEVICE_QUEUE_ON_DEVICE_PREFERRED_SIZE, 0 }, { CL_DEVICE_QUEUE_ON_DEVICE_MAX_SIZE, 0 },
	{ CL_DEVICE_MAX_ON_DEVICE_QUEUES, 0 }, { CL_DEVICE_MAX_ON_DEVICE_EVENTS, 0 },
	{ CL_DEVICE_PARTITION_MAX_SUB_DEVICES, 0 },
	{ CL_DEVICE_REFERENCE_COUNT, 1 },
	{ CL_DEVICE_MAX_NUM_SUB_GROUPS, 0 },
	{ CL_DEVICE_PREFERRED_PLATFORM_ATOMIC_ALIGNMENT, 0 }, { CL_DEVICE_PREFERRED_GLOBAL_ATOMIC_ALIGNMENT, 0 },
	{ CL_DEVICE_PREFERRED_LOCAL_ATOMIC_ALIGNMENT, 0 },
	{ CL_DEVICE_NUMERIC_VERSION, CL_MAKE_VERSION(3, 0, 0) },
	/* cl_bool */
	{ CL_DEVICE_IMAGE_SUPPORT, CL_TRUE }, { CL_DEVICE_ERROR_CORRECTION_SUPPORT, CL_FALSE },
	{ CL_DEVICE_HOST_UNIFIED_MEMORY, CL_FALSE }, { CL_DEVICE_ENDIAN_LITTLE, CL_TRUE },
	{ CL_DEVICE_AVAILABLE, CL_TRUE }, { CL_DEVICE_COMPILER_AVAILABLE, CL_TRUE },
	{ CL_DEVICE_LINKER_AVAILABLE, CL_TRUE }, { CL_DEVICE_PREFERRED_INTEROP_USER_SYNC, CL_TRUE },
	{ CL_DEVICE_SUB_GROUP_INDEPENDENT_FORWARD_PROGRESS, CL_FALSE },
	{ CL_DEVICE_NON_UNIFORM_WORK_GROUP_SUPPORT, CL_FALSE },
	{ CL_DEVICE_WORK_GROUP_COLLECTIVE_FUNCTIONS_SUPPORT, CL_FALSE },
	{ CL_DEVICE_GENERIC_ADDRESS_SPACE_SUPPORT, CL_FALSE }, { CL_DEVICE_PIPE_SUPPORT, CL_TRUE },
	{ CL_DEVICE_DEVICE_ENQUEUE_CAPABILITIES, 0 },
};

/* Those whose value has 64 bits: size_t, cl_ulong and bit fields */
static const struct { cl_device_info name; cl_ulong value; } ulongs[] = {
	{ CL_DEVICE_TYPE, CL_DEVICE_TYPE_GPU },
	{ CL_DEVICE_MAX_WORK_GROUP_SIZE, 1024 },
	{ CL_DEVICE_PREFERRED_WORK_GROUP_SIZE_MULTIPLE, 64 },
	{ CL_DEVICE_MAX_PARAMETER_SIZE, 1024 },
	{ CL_DEVICE_IMAGE2D_MAX_WIDTH, 16384 }, { CL_DEVICE_IMAGE2D_MAX_HEIGHT, 16384 },
	{ CL_DEVICE_IMAGE3D_MAX_WIDTH, 2048 }, { CL_DEVICE_IMAGE3D_MAX_HEIGHT, 2048 },
	{ CL_DEVICE_IMAGE3D_MAX_DEPTH, 2048 },
	{ CL_DEVICE_IMAGE_MAX_BUFFER_SIZE, 1 << 27 }, { CL_DEVICE_IMAGE_MAX_ARRAY_SIZE, 2048 },
	{ CL_DEVICE_SINGLE_FP_CONFIG, CL_FP_ROUND_TO_NEAREST | CL_FP_INF_NAN },
	{ CL_DEVICE_DOUBLE_FP_CONFIG, 0 }, { CL_DEVICE_HALF_FP_CONFIG, 0 },
	{ CL_DEVICE_GLOBAL_MEM_CACHE_SIZE, 1 << 20 },
	{ CL_DEVICE_MAX_CONSTANT_BUFFER_SIZE, 1 << 16 },
	{ CL_DEVICE_LOCAL_MEM_SIZE, 1 << 15 },
	{ CL_DEVICE_MAX_GLOBAL_VARIABLE_SIZE, 0 }, { CL_DEVICE_GLOBAL_VARIABLE_PREFERRED_TOTAL_SIZE, 0 },
	{ CL_DEVICE_PROFILING_TIMER_RESOLUTION, 1 },
	{ CL_DEVICE_EXECUTION_CAPABILITIES, CL_EXEC_KERNEL },
	{ CL_DEVICE_QUEUE_ON_HOST_PROPERTIES, CL_QUEUE_PROFILING_ENABLE | CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE },
	{ CL_DEVICE_QUEUE_ON_DEVICE_PROPERTIES, 0 },
	{ CL_DEVICE_PRINTF_BUFFER_SIZE, 1 << 20 },
	{ CL_DEVICE_PARTITION_AFFINITY_DOMAIN, 0 },
	{ CL_DEVICE_SVM_CAPABILITIES, CL_DEVICE_SVM_COARSE_GRAIN_BUFFER },
	{ CL_DEVICE_ATOMIC_MEMORY_CAPABILITIES,
		CL_DEVICE_ATOMIC_ORDER_RELAXED | CL_DEVICE_ATOMIC_SCOPE_WORK_GROUP },
	{ CL_DEVICE_ATOMIC_FENCE_CAPABILITIES,
		CL_DEVICE_ATOMIC_ORDER_RELAXED | CL_DEVICE_ATOMIC_ORDER_ACQ_REL | CL_DEVICE_ATOMIC_SCOPE_WORK_GROUP },
};

static const struct { cl_device_info name; const char *value; } texts[] = {
	{ CL_DEVICE_NAME, "mockcl test card" }, { CL_DEVICE_VENDOR, "TimeGraph's tests" },
	{ CL_DRIVER_VERSION, "1" }, { CL_DEVICE_PROFILE, "FULL_PROFILE" },
	{ CL_DEVICE_VERSION, "OpenCL 3.0 mockcl" }, { CL_DEVICE_OPENCL_C_VERSION, "OpenCL C 1.2" },
	{ CL_DEVICE_EXTENSIONS, EXTENSIONS }, { CL_DEVICE_BUILT_IN_KERNELS, "" }, { CL_DEVICE_IL_VERSION, "" },
	{ CL_DEVICE_LATEST_CONFORMANCE_VERSION_PASSED, "" },
};

/* Lists: of versions, of partitions, and what identifies the device */
static cl_int odd(cl_device_id d, cl_device_info name, size_t room, void *to, size_t *size_ret)
{
	static const cl_name_version c[] = {
		{ CL_MAKE_VERSION(1, 2, 0), "OpenCL C" }, { CL_MAKE_VERSION(3, 0, 0), "OpenCL C" }
	};
	static const cl_name_version extensions[] = {
		{ CL_MAKE_VERSION(1, 0, 0), "cl_khr_device_uuid" }, { CL_MAKE_VERSION(1, 0, 0), "cl_khr_pci_bus_info" }
	};
	static const cl_name_version features[] = {
		{ CL_MAKE_VERSION(3, 0, 0), "__opencl_c_images" }, { CL_MAKE_VERSION(3, 0, 0), "__opencl_c_pipes" }
	};
	/* A domain that no machine has, and that another card's folder hardly has */
	const cl_device_pci_bus_info_khr pci = { 0x10000 + (d->uuid[1] << 8) + d->uuid[0], d->index + 1, 0, 0 };
	const size_t sizes[3] = { 1024, 1024, 64 };

	switch (name) {
	case CL_DEVICE_PLATFORM:
		return INFO(cl_platform_id, &mock_platform);
	case CL_DEVICE_PARENT_DEVICE:
		return INFO(cl_device_id, NULL);
	case CL_DEVICE_MAX_WORK_ITEM_SIZES:
		return info(sizes, sizeof(sizes), room, to, size_ret);
	case CL_DEVICE_GLOBAL_MEM_SIZE:
	case CL_DEVICE_MAX_MEM_ALLOC_SIZE:
		return INFO(cl_ulong, link_memory());
	case CL_DEVICE_PARTITION_PROPERTIES:
		return INFO(cl_device_partition_property, 0);
	case CL_DEVICE_PARTITION_TYPE:
		return info(NULL, 0, room, to, size_ret);
	case CL_DEVICE_BUILT_IN_KERNELS_WITH_VERSION:
	case CL_DEVICE_ILS_WITH_VERSION:
		return info(NULL, 0, room, to, size_ret);
	case CL_DEVICE_OPENCL_C_ALL_VERSIONS:
		return info(c, sizeof(c), room, to, size_ret);
	case CL_DEVICE_OPENCL_C_FEATURES:
		return info(features, sizeof(features), room, to, size_ret);
	case CL_DEVICE_EXTENSIONS_WITH_VERSION:
		return info(extensions, sizeof(extensions), room, to, size_ret);
	case CL_DEVICE_UUID_KHR:
	case CL_DRIVER_UUID_KHR:
		return info(d->uuid, sizeof(d->uuid), room, to, size_ret);
	case CL_DEVICE_LUID_VALID_KHR:
		return INFO(cl_bool, CL_FALSE);
	case CL_DEVICE_LUID_KHR:
		return info("\0\0\0\0\0\0\0", 8, room, to, size_ret);
	case CL_DEVICE_NODE_MASK_KHR:
		return INFO(cl_uint, 0);
	case CL_DEVICE_PCI_BUS_INFO_KHR:
		return info(&pci, sizeof(pci), room, to, size_ret);
	}
	return CL_INVALID_VALUE;
}

API cl_int CL_API_CALL clGetDeviceInfo(cl_device_id d, cl_device_info name, size_t room, void *to, size_t *size_ret)
{
	unsigned int i;

	if (!is(d, DEVICE))
		return CL_INVALID_DEVICE;
	for (i = 0; i < sizeof(uints) / sizeof(uints[0]); i++)
		if (uints[i].name == name)
			return INFO(cl_uint, uints[i].value);
	for (i = 0; i < sizeof(ulongs) / sizeof(ulongs[0]); i++)
		if (ulongs[i].name == name)
			return INFO(cl_ulong, ulongs[i].value);
	for (i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		if (texts[i].name == name)
			return info_text(texts[i].value, room, to, size_ret);
	return odd(d, name, room, to, size_ret);
}

API cl_int CL_API_CALL clCreateSubDevices(cl_device_id d, const cl_device_partition_property *p, cl_uint n,
		cl_device_id *list, cl_uint *n_ret)
{
	(void)n;
	(void)list;
	(void)n_ret;
	(void)p;
	return is(d, DEVICE) ? CL_INVALID_VALUE : CL_INVALID_DEVICE;
}

API cl_int CL_API_CALL clRetainDevice(cl_device_id d)
{
	return is(d, DEVICE) ? CL_SUCCESS : CL_INVALID_DEVICE;
}

API cl_int CL_API_CALL clReleaseDevice(cl_device_id d)
{
	return is(d, DEVICE) ? CL_SUCCESS : CL_INVALID_DEVICE;
}

API cl_int CL_API_CALL clGetHostTimer(cl_device_id d, cl_ulong *host)
{
	if (!is(d, DEVICE))
		return CL_INVALID_DEVICE;
	if (!host)
		return CL_INVALID_VALUE;
	*host = link_clock();
	return CL_SUCCESS;
}

API cl_int CL_API_CALL clGetDeviceAndHostTimer(cl_device_id d, cl_ulong *device, cl_ulong *host)
{
	struct mock_page *page;

	if (!is(d, DEVICE))
		return CL_INVALID_DEVICE;
	if (!device || !host)
		return CL_INVALID_VALUE;
	pthread_mutex_lock(&mock_lock);
	page = link_page();
	pthread_mutex_unlock(&mock_lock);
	if (!page)
		return CL_OUT_OF_RESOURCES;
	*host = link_clock();
	*device = (cl_ulong)((unsigned __int128)*host * page->rate[d->index] >> 20) + page->offset[d->index];
	return CL_SUCCESS;
}

API cl_int CL_API_CALL clSetDefaultDeviceCommandQueue(cl_context c, cl_device_id d, cl_command_queue q)
{
	return !is(c, CONTEXT) ? CL_INVALID_CONTEXT : !is(d, DEVICE) ? CL_INVALID_DEVICE :
		!is(q, QUEUE) ? CL_INVALID_COMMAND_QUEUE : CL_INVALID_OPERATION;
}
