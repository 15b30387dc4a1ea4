// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Devices: by which key the books know one, and how much memory it has. Called by api.c: in any
 * thread, and device_size() without its lock, since NVML may fork.
 *
 * The sizes that no driver tells are in TG_MEM_DEVICES, "KEY=BYTES;KEY=BYTES". NVML is asked as
 * the schedGPU paper does (section 3.1): it creates no context on the device, and knows physical
 * devices. It is loaded at the first question, so that the library needs no driver of NVIDIA's.
 */
#include <ctype.h>
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mem.h"

#define LARGEST	(1024ULL << 40)	/* that the books of tgd know */

/* 0000:65:00.0, 00000000:65:00.0 or 65:00.0, with or without pci: */
static bool pci_key(const char *name, char key[TGD_KEY])
{
	unsigned int domain = 0, bus, slot, function;
	int end = 0;

	if (!strncmp(name, "pci:", 4))
		name += 4;
	if (strspn(name, "0123456789abcdefABCDEF:.") != strlen(name))
		return false;
	if (sscanf(name, "%8x:%2x:%2x.%1x%n", &domain, &bus, &slot, &function, &end) != 4) {
		domain = 0;
		if (sscanf(name, "%2x:%2x.%1x%n", &bus, &slot, &function, &end) != 3)
			return false;
	}
	if (name[end])
		return false;
	snprintf(key, TGD_KEY, "pci:%04x:%02x:%02x.%x", domain, bus, slot, function);
	return true;
}

/** device_key() - the key of what the program calls a device. Return: 0 or -EINVAL */
int device_key(const char *name, char key[TGD_KEY])
{
	if (!name || !*name || strlen(name) >= TGD_KEY)
		return -EINVAL;
	if (!pci_key(name, key))
		strcpy(key, name);
	return 0;
}

/* --- TG_MEM_DEVICES --- */

/* BYTES of an entry, which ends at @end. Return: 0: it is no size. */
static uint64_t parse_size(const char *text, const char *end)
{
	static const char units[] = "KMG";
	unsigned long long size;
	const char *unit;
	char *rest;

	if (!isdigit((unsigned char)*text))
		return 0;
	errno = 0;
	size = strtoull(text, &rest, 10);
	unit = rest < end ? strchr(units, *rest) : NULL;
	if (errno || rest + !!unit != end)
		return 0;
	if (unit && size > LARGEST >> 10 * (unit - units + 1))
		return 0;
	size <<= unit ? 10 * (unit - units + 1) : 0;
	return size <= LARGEST ? size : 0;
}

/*
 * Look for @key in the table; NULL: read all of it. Return: its size; 0: not there, or, with
 * *@wrong, what is wrong.
 */
static uint64_t in_table(const char *key, const char **wrong)
{
	const char *at = secure_getenv("TG_MEM_DEVICES"), *end, *equals;
	char name[TGD_KEY], its_key[TGD_KEY];
	uint64_t size;

	for (; at && *at; at = *end ? end + 1 : end) {
		end = strchrnul(at, ';');
		equals = memrchr(at, '=', end - at);
		size = equals ? parse_size(equals + 1, end) : 0;
		if (!size || equals == at || equals - at >= TGD_KEY) {
			*wrong = at;
			return 0;
		}
		snprintf(name, sizeof(name), "%.*s", (int)(equals - at), at);
		device_key(name, its_key);
		if (key && !strcmp(key, its_key))
			return size;
	}
	return 0;
}

/** device_table_right() - is TG_MEM_DEVICES right? If not, standard error says where */
bool device_table_right(void)
{
	const char *wrong = NULL;

	in_table(NULL, &wrong);
	if (wrong)
		fprintf(stderr,
			"timegraph: TG_MEM_DEVICES: '%.*s' is no KEY=BYTES, as in 0000:65:00.0=80G\n",
			(int)strcspn(wrong, ";"), wrong);
	return !wrong;
}

/* --- the drivers --- */

/* nvml.h: nvmlMemory_t, and nvmlMemory_v2_t with its version */
struct nvml_memory {
	unsigned long long total, free, used;
};

struct nvml_memory_2 {
	unsigned int version;
	unsigned long long total, reserved, free, used;
};

static uint64_t from_nvml(const char *address)
{
	int (*by_address)(const char *, void **), (*memory)(void *, struct nvml_memory *);
	int (*memory_2)(void *, struct nvml_memory_2 *), (*begin)(void), (*end)(void);
	struct nvml_memory_2 m2 = { .version = sizeof(m2) | 2 << 24 };
	void *nvml = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL), *device;
	struct nvml_memory m = { 0 };
	uint64_t size = 0;

	if (!nvml)
		return 0;
	begin = dlsym(nvml, "nvmlInit_v2");
	end = dlsym(nvml, "nvmlShutdown");
	by_address = dlsym(nvml, "nvmlDeviceGetHandleByPciBusId_v2");
	memory = dlsym(nvml, "nvmlDeviceGetMemoryInfo");
	memory_2 = dlsym(nvml, "nvmlDeviceGetMemoryInfo_v2");
	if (begin && end && by_address && memory && !begin()) {
		if (!by_address(address, &device)) {
			if (memory_2 && !memory_2(device, &m2) && m2.reserved < m2.total)
				size = m2.total - m2.reserved;
			else if (!memory(device, &m))
				size = m.total;
		}
		end();
	}
	dlclose(nvml);
	return size;
}

static uint64_t from_amdgpu(const char *address)
{
	unsigned long long size = 0;
	char path[64 + TGD_KEY];
	FILE *f;

	snprintf(path, sizeof(path), "/sys/bus/pci/devices/%s/mem_info_vram_total", address);
	f = fopen(path, "re");
	if (!f)
		return 0;
	if (fscanf(f, "%llu", &size) != 1)
		size = 0;
	fclose(f);
	return size;
}

/** device_size() - the memory of a device. Return: 0, or -ENODEV: nothing tells */
int device_size(const char *key, uint64_t *size)
{
	const char *wrong;

	*size = in_table(key, &wrong);
	if (!*size && !strncmp(key, "pci:", 4))
		*size = from_nvml(key + 4) ?: from_amdgpu(key + 4);
	if (*size > LARGEST)
		*size = LARGEST;
	return *size ? 0 : -ENODEV;
}
