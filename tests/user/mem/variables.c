// SPDX-License-Identifier: GPL-2.0
/*
 * The variables of timegraph/mem.h, and where the size of a device comes from.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "mem.h"

/* --- wrong ones --- */

static const struct variable {
	const char *name, *value;
	int want;
	const char *says;	/* on standard error */
} table[] = {
	{ "TG_MEM_BOOKS", "paper", -EINVAL, "TG_MEM_BOOKS: 'paper' is none of tgd, lock, mutex" },
	{ "TG_MEM_BOOKS", "", 0, "" },
	{ "TG_MEM_DEVICES", "test:mem", -EINVAL, "TG_MEM_DEVICES: 'test:mem' is no KEY=BYTES" },
	{ "TG_MEM_DEVICES", "a=1;b=", -EINVAL, "TG_MEM_DEVICES: 'b=' is no KEY=BYTES" },
	{ "TG_MEM_DEVICES", "a=0", -EINVAL, "'a=0' is no" },
	{ "TG_MEM_DEVICES", "=1", -EINVAL, "'=1' is no" },
	{ "TG_MEM_DEVICES", "a=-1", -EINVAL, "'a=-1' is no" },
	{ "TG_MEM_DEVICES", "a=1T", -EINVAL, "'a=1T' is no" },
	{ "TG_MEM_DEVICES", "a=18446744073709551616", -EINVAL, "is no KEY=BYTES" },
	{ "TG_MEM_DEVICES", "a=99999999999G", -EINVAL, "is no KEY=BYTES" },
	{ "TG_MEM_DEVICES", "a=1k;", -EINVAL, "is no KEY=BYTES" },
	{ "TG_MEM_DEVICES", "a=1K;b=2M;", 0, "" },
	{ "TG_MEM_DEVICES", "", 0, "" },
	{ "TG_MEM_ORDER", "0", -EINVAL, "TG_MEM_ORDER: '0' is no order, 1 to 4" },
	{ "TG_MEM_ORDER", "mmu", -EINVAL, "TG_MEM_ORDER: 'mmu' is no order, 1 to 4" },
};

static const struct variable *current;
static char said_there[256];

static int sets(void)
{
	dup2(open(said_there, O_WRONLY | O_CREAT | O_TRUNC, 0600), 2);
	setenv(current->name, current->value, 1);
	return -tg_mem_init(0);
}

static bool says(const char *text)
{
	char line[512] = "";
	FILE *f = fopen(said_there, "r");
	size_t len = f ? fread(line, 1, sizeof(line) - 1, f) : 0;

	if (f)
		fclose(f);
	return *text ? len && strstr(line, text) && strchr(line, '\n') == line + len - 1 : !len;
}

void variables(void)
{
	const bool daemon = !strcmp(kind, "tgd");
	char name[128];
	size_t i;
	int ret;

	snprintf(said_there, sizeof(said_there), "%s/said", dir);
	for (i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		current = &table[i];
		if (daemon && !strcmp(current->name, "TG_MEM_ORDER"))
			continue;
		snprintf(name, sizeof(name), "%s=%s", current->name, current->value);
		ret = run(sets);
		row(name, ret == -current->want && says(current->says), "%d", ret);
	}
}

/* --- sizes --- */

/*
 * by_nvml() - a program of its own, which with_nvml() executes: tests/user/nvml.c has the device
 * 0000:3b:00.0, of 16 GiB without what its driver takes
 */
int by_nvml(void)
{
	const uint64_t size = 16ULL << 30;

	if (tg_mem_init(0) || tg_mem_pre_alloc("0000:3B:00.0", size + 1, 0) != -ENOMEM)
		return 1;
	if (tg_mem_pre_alloc("pci:0000:3b:00.0", size - 1, 0) || tg_mem_pre_alloc("3b:00.0", 1, 0) ||
	    tg_mem_pre_alloc("00000000:3B:00.0", 1, 0) != -ENOMEM)
		return 2;
	if (tg_mem_pre_alloc("0000:3c:00.0", 1, 0) != -ENODEV)
		return 3;
	return tg_mem_post_free("0000:3b:00.0", size) ? 4 : 0;
}

static int with_nvml(void)
{
	setenv("LD_LIBRARY_PATH", "build/tests/user", 1);
	execl("/proc/self/exe", "mem", "--nvml", NULL);
	return 126;
}

/* Said by TG_MEM_DEVICES: it goes before what NVML says */
static int said_smaller(void)
{
	setenv("TG_MEM_DEVICES", "0000:3B:00.0=1K;platform:a b=c:0=2M", 1);
	if (tg_mem_init(0) || tg_mem_pre_alloc("3b:00.0", 1025, 0) != -ENOMEM || tg_mem_pre_alloc("3b:00.0", 1024, 0))
		return 1;
	return tg_mem_pre_alloc("platform:a b=c:0", 2 << 20, 0) ? 2 : 0;
}

void sizes(void)
{
	row_is("a size by NVML, which forks; each form of an address", run(with_nvml), 0);
	row_is("a size by TG_MEM_DEVICES", run(said_smaller), 0);
}
