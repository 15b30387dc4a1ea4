// SPDX-License-Identifier: GPL-2.0
/*
 * libnvidia-ml.so.1 of a machine with one device, for the tests of libtimegraph-mem: 0000:3b:00.0
 * has 16 GiB and what its driver takes. It forks when it begins, as NVIDIA's does to execute
 * nvidia-modprobe.
 */
#include <stddef.h>
#include <strings.h>
#include <sys/wait.h>
#include <unistd.h>

int nvmlInit_v2(void)
{
	const pid_t pid = fork();
	int status = 1;

	if (!pid)
		_exit(0);
	return waitpid(pid, &status, 0) != pid || status;
}

int nvmlShutdown(void)
{
	return 0;
}

int nvmlDeviceGetHandleByPciBusId_v2(const char *address, void **device)
{
	*device = NULL;
	return strcasecmp(address, "0000:3b:00.0") ? 6 : 0;	/* NVML_ERROR_NOT_FOUND */
}

struct memory {
	unsigned long long total, free, used;
};

int nvmlDeviceGetMemoryInfo(void *device, struct memory *m)
{
	m->total = 17ULL << 30;
	return 0;
}

struct memory_2 {
	unsigned int version;
	unsigned long long total, reserved, free, used;
};

int nvmlDeviceGetMemoryInfo_v2(void *device, struct memory_2 *m)
{
	if (m->version != (sizeof(*m) | 2 << 24))
		return 25;	/* NVML_ERROR_ARGUMENT_VERSION_MISMATCH */
	m->total = 17ULL << 30;
	m->reserved = 1ULL << 30;
	return 0;
}
