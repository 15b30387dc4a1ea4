// SPDX-License-Identifier: GPL-2.0
/* hostile: root, who changes all that can be changed, and reads all that can be read. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <sys/syscall.h>

#include "hostile.h"

static void put(struct thread *t, const char *path, const char *text)
{
	const ssize_t len = strlen(text);
	int fd = sys_open(t, path, O_WRONLY);

	note(t, text, len);
	if (fd < 0)
		return;
	count(WRITE, dry || write(fd, text, len) == len);
	sys(t, SYS_close, fd, 0);
}

static size_t get(struct thread *t, const char *path, char *text, size_t room)
{
	int fd = sys_open(t, path, O_RDONLY);
	ssize_t n = fd < 0 || dry ? -1 : read(fd, text, room - 1);

	if (fd >= 0)
		sys(t, SYS_close, fd, 0);
	count(READ, n >= 0);
	text[n > 0 ? n : 0] = '\0';
	return n > 0 ? n : 0;
}

static const char *const policies[] = {
	"none", "fifo", "timegraph", "fcfs", "tick", "timeslice", "dfq", "loga", "band", "credit", "vfifo", "nosuch",
};

static const char *some_policy(struct thread *t)
{
	return policies[below(t, sizeof(policies) / sizeof(*policies))];
}

static void do_policy(struct thread *t)
{
	put(t, TG "/policy", some_policy(t));
}

static void do_spec(struct thread *t)
{
	static const char *const lines[] = {
		"uid=0: ht: pe: 20: 1000: 10000\n", "uid=65534: prt: ae: 30: 2000: 10000: depth=2\n",
		"uid=1000: ht: bg: 0: 0: 0\n", "uid=1000: ht: pe: 5: 500: 20000: mem=8M\n",
		"uid=0: prt: pe: 50: 4000: 16000: reserve=one, weight=300\n",
		"uid=65534: ht: pe: 10: 4000: 40000: reserve=one\n", "exe=*: ht: ae: 7: 1000: 16000\n",
		"[vgpu a]: 25: 25: 50\n", "uid=1000: ht: bg: 0: 0: 0: vgpu=a\n", "cgroup=/*: ht: bg: 0: 0: 0\n",
		"a:b:c:d\n", "uid=0 : ht : pe : 100 : 1 : 1\n",
	};
	static const char *const settings[] = {
		"policy timegraph\nknob lead_us 500\n", "policy band\nknob share 2\n", "knob stall_us 1ms\n",
		"policy fifo\n", "knob dry_run 1\npolicy timegraph\n", "knob dry_run 0\n", "policy x\n",
	};
	char text[1024] = "";
	unsigned int i, n = below(t, 6);

	if (one_in(t, 3))
		strcat(text, settings[below(t, sizeof(settings) / sizeof(*settings))]);
	for (i = 0; i < n; i++)
		strcat(text, lines[below(t, sizeof(lines) / sizeof(*lines))]);
	put(t, TG "/spec", text);
	put(t, TG "/spec_commit", one_in(t, 8) ? "0" : one_in(t, 2) ? "1" : "new-only");
}

/* The name of some file of a directory; empty: there is none. */
static void some_name(struct thread *t, const char *dir, char name[256])
{
	const unsigned int at = below(t, 1 << 20);
	unsigned int n = 0, i = 0;
	struct dirent *entry;
	DIR *d = dry ? NULL : opendir(dir);

	*name = '\0';
	if (dry)
		snprintf(name, 256, "%u", at);
	if (!d)
		return;
	while ((entry = readdir(d)))
		n += entry->d_name[0] != '.';
	rewinddir(d);
	while (n && (entry = readdir(d)))
		if (entry->d_name[0] != '.' && i++ == at % n) {
			strcpy(name, entry->d_name);
			break;
		}
	closedir(d);
}

/*
 * vram_order more often than the others: with it, requests for VRAM wait, and nouveau is asked again. For a tenth of a second
 * at most, since a thread that waits makes no calls. Half of the time it is 0, as after load: what no card has is then asked
 * of nouveau.
 */
static void do_knob(struct thread *t)
{
	static const char *const ends[] = { "", "_min", "_max", "_default" };
	char name[256], path[600], text[64];
	const unsigned int end = below(t, 4);

	if (one_in(t, 8)) {
		snprintf(text, sizeof(text), "%u", one_in(t, 2) ? 0 : 1 + below(t, 4));
		put(t, TG "/knobs/vram_order", text);
		snprintf(text, sizeof(text), "%u", 1000 + below(t, 100000));
		put(t, TG "/knobs/vram_timeout_us", text);
		return;
	}
	some_name(t, TG "/knobs", name);
	if (!*name)
		return;
	snprintf(path, sizeof(path), TG "/knobs/%s%s", name, ends[end]);
	if (!get(t, path, text, sizeof(text)) || one_in(t, 3))
		snprintf(text, sizeof(text), "%llu", (unsigned long long)wild(t));
	snprintf(path, sizeof(path), TG "/knobs/%s", name);
	put(t, path, text);
}

static void do_client(struct thread *t)
{
	static const char *const words[] = { "0", "99", "100", "-1", "*", "" };
	char name[256], path[600], text[32];

	if (one_in(t, 4)) {
		snprintf(text, sizeof(text), "%d", (int)somebody(t));
		put(t, TG "/foreground", text);
		return;
	}
	some_name(t, TG "/clients", name);
	snprintf(path, sizeof(path), TG "/clients/%s/prio", name);
	put(t, path, words[below(t, 6)]);
}

static void do_vgpu(struct thread *t)
{
	static const char *const files[] = { "name", "compute", "copy", "memory" };
	static const char *const words[] = { "a", "b", "", "0", "10", "50", "100", "101" };
	char path[128];

	snprintf(path, sizeof(path), TG "/vgpus/%u/%s", below(t, 18), files[below(t, 4)]);
	put(t, path, words[below(t, 8)]);
}

static ssize_t some_of(struct thread *t, int fd, char *text, size_t bytes, off_t at)
{
	note(t, &bytes, sizeof(bytes));
	note(t, &at, sizeof(at));
	return dry ? 0 : pread(fd, text, bytes, at);
}

/* Some files, down to some depth; the snapshot and the trace in pieces. */
static void do_read(struct thread *t)
{
	static char text[1 << 16];
	char path[1200] = TG, name[256];
	int depth, fd;

	for (depth = 0; depth < 4; depth++) {
		some_name(t, path, name);
		if (!*name)
			break;
		strcat(path, "/");
		strcat(path, name);
	}
	get(t, path, text, sizeof(text));
	fd = sys_open(t, one_in(t, 8) ? "/sys/kernel/debug/timegraph/trace" : TG "/snapshot",
		      O_RDONLY);
	if (fd < 0)
		return;
	count(READ, some_of(t, fd, text, 1 + below(t, sizeof(text) - 1), 0) >= 0);
	count(READ, some_of(t, fd, text, 1 + below(t, 4096), below(t, 8192)) >= 0);
	if (one_in(t, 2) && files[0].fd < 0)
		files[0].fd = fd;		/* stays open for a while */
	else
		sys(t, SYS_close, fd, 0);
	if (one_in(t, 4)) {
		sys(t, SYS_close, files[0].fd, 0);
		files[0].fd = -1;
	}
}

/* What nouveau refuses, where tg_refuse is there; to users, and sometimes to nobody. */
static void do_refuse(struct thread *t)
{
	static const char *const functions[] = {
		"PUSHBUF", "EXEC", "VM_BIND", "GEM_NEW", "CHANNEL_ALLOC", "CHANNEL_FREE", "GROBJ_ALLOC", "DUMB_CREATE",
		"NVIF", "PUSHBUF", "PUSHBUF",
	};
	static const char *const errors[] = { "ENOMEM", "EFAULT", "EBUSY", "EINTR", "ENODEV", "ERESTARTSYS" };
	static const char *const uids[] = { "0", "1000", "65534", "*" };
	const unsigned int error = one_in(t, 2) ? 0 : below(t, 6);
	const char *function = functions[below(t, 11)];
	const unsigned int every = 2 + below(t, one_in(t, 2) ? 4 : 30), uid = below(t, 4);
	char text[64];

	snprintf(text, sizeof(text), "%s %s %u %s %s", function, errors[error], every, uids[uid],
		 one_in(t, 2) ? "after" : "before");
	put(t, "/sys/kernel/debug/tg_refuse", one_in(t, 16) ? "off" : text);
}

/* How often root began to unload and load the module, and was done with it. Not with -n */
static atomic_uint begun, done;

/* Nobody goes past the gate, but while the module goes: then this does not look. */
static void look_past(struct thread *t)
{
	const unsigned int at = done;
	unsigned long past;
	char text[32];

	if (begun != at || !get(t, TG "/stats/passed", text, sizeof(text)))
		return;
	past = strtoul(text, NULL, 10);
	if (begun != at)
		return;
	shared->looks++;
	if (past > shared->past)
		shared->past = past;
}

/* One allocation of the module's begin, early ones more often; or none. */
static void fail_begin(struct thread *t)
{
	char text[32];

	snprintf(text, sizeof(text), "load %u", one_in(t, 3) ? below(t, 1u << below(t, 12)) : 0);
	put(t, "/sys/kernel/debug/tg_refuse", text);
}

/*
 * Seldom: unloading waits for all calls that are under way, and takes ten seconds and more beside them, in which the others
 * meet nouveau alone. What the kernel does for a module WARNs where memory fails, so memory fails in the module's own begin
 * alone.
 */
static void do_insmod(struct thread *t)
{
	static const unsigned int sizes[] = { 0, 0, 64, 1024 };
	char options[64];
	int fd, flags;

	if (!module || (!one_in(t, 32) && !dry && access(TG, F_OK) == 0))
		return;
	look_past(t);
	begun += !dry;
	if (failures)
		ask_for_failures(false);
	flags = one_in(t, 2) ? O_NONBLOCK : 0;
	note(t, &flags, sizeof(flags));
	count(RMMOD, !dry && !syscall(SYS_delete_module, "timegraph", flags));
	snprintf(options, sizeof(options), "policy=%s trace_kib=%u dry_run=%u", some_policy(t), sizes[below(t, 4)],
		 one_in(t, 6));
	if (failures)
		fail_begin(t);
	note(t, options, strlen(options));
	fd = sys_open(t, module, O_RDONLY);
	count(INSMOD, !dry && !syscall(SYS_finit_module, fd, options, 0));
	sys(t, SYS_close, fd, 0);
	done += !dry;
	if (!failures)
		return;
	put(t, "/proc/thread-self/fail-nth", "0");
	ask_for_failures(true);
}

static void do_pause(struct thread *t)
{
	look_past(t);
	sys_usleep(t, 100 + below(t, 40000));
}

const struct op root_ops[] = {
	{ "policy", 6, do_policy },
	{ "spec", 6, do_spec },
	{ "knob", 6, do_knob },
	{ "client", 4, do_client },
	{ "vgpu", 2, do_vgpu },
	{ "read", 20, do_read },
	{ "refuse", 16, do_refuse },
	{ "insmod", 6, do_insmod },
	{ "pause", 16, do_pause },
	{ },
};
