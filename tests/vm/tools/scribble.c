// SPDX-License-Identifier: GPL-2.0
/*
 * scribble -see UID - as UID: how many clients the snapshot shows, and what reading a file of one says
 * scribble COUNT SEED [UID] - COUNT random writes to every writable file below /sys/kernel/timegraph,
 * as root, or as UID without any privilege. A write that is refused must give a reason that fits and
 * change nothing that the file shows; without privilege each must be refused. Ends with a count.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define ROOT	"/sys/kernel/timegraph"

static unsigned long long state;
static unsigned long files, writes, refused, accepted;

static unsigned int below(unsigned int n)
{
	state = state * 6364136223846793005ULL + 1442695040888963407ULL;
	return (state >> 33) % n;
}

static void fail(const char *file, const char *what, int err)
{
	printf("%s: %s: %s, after %lu writes\n", file, what, strerror(err), writes);
	exit(1);
}

static size_t show(const char *file, char *buf, size_t room)
{
	int fd = open(file, O_RDONLY);
	ssize_t n = fd < 0 ? 0 : read(fd, buf, room);

	if (fd >= 0)
		close(fd);
	return n > 0 ? n : 0;
}

/* The same of a file that is open. */
static size_t again(int fd, char *buf, size_t room)
{
	ssize_t n = pread(fd, buf, room, 0);

	return n > 0 ? n : 0;
}

/* Nonsense, or something that is nearly right for some file. */
static size_t invent(char *buf, size_t room)
{
	static const char *const words[] = {
		"0", "1", "2", "-1", "rematch", "fifo", "timegraph", "none", "tick", "1000", "999",
		"9223372036854775807", "-9223372036854775808", "18446744073709551616", "0x10", " 1",
		"1 ", "1x", "", "\n", "\n\n", "game:prt:pe:90:8000:16000", "a:b:c:d", "%s%n", "../..",
	};
	size_t n = 0, k;

	if (below(3)) {
		n = snprintf(buf, room, "%s", words[below(sizeof(words) / sizeof(*words))]);
		for (k = below(3); k && n; k--)
			buf[below(n)] = below(256);
		if (below(2) && n < room)
			buf[n++] = '\n';
		return n;
	}
	n = below(8) ? below(64) : below(room);
	for (k = 0; k < n; k++)
		buf[k] = below(2) ? (char)below(256) : "0123456789:,=#\n"[below(15)];
	return n;
}

static int is_reason(int err)
{
	/* docs/sysfs-abi.md; ENOENT and EEXIST: of virtual GPUs */
	return err == EINVAL || err == ERANGE || err == EBUSY || err == EACCES || err == EPERM ||
	       err == EFBIG || err == ENOMEM || err == ENOSPC || err == ENOENT || err == EEXIST;
}

static void scribble(const char *file, unsigned long count, int may)
{
	static char before[70000], after[70000], buf[8192];
	/* What spec_commit puts in force, spec shows. */
	int shown = open(strstr(file, "spec_commit") ? ROOT "/spec" : file, O_RDONLY);
	int fd = open(file, O_WRONLY), err;
	size_t was, is, n;
	ssize_t r;

	if (shown < 0)
		fail(file, "cannot be read", errno);
	while (count--) {
		n = invent(buf, sizeof(buf));
		was = again(shown, before, sizeof(before));
		writes++;
		if (fd < 0)
			fd = open(file, O_WRONLY);
		r = fd < 0 ? -1 : pwrite(fd, buf, n, 0);
		err = errno;
		if (r >= 0) {
			accepted += n > 0;
			if (!may && n)
				fail(file, "written without privilege", 0);
			continue;
		}
		refused++;
		if (!is_reason(err))
			fail(file, "refused for no good reason", err);
		is = again(shown, after, sizeof(after));
		if (was != is || memcmp(before, after, is))
			fail(file, "a refused write has changed something", err);
	}
	close(shown);
	if (fd >= 0)
		close(fd);
}

static void all(const char *dir, unsigned long count, int may)
{
	DIR *d = opendir(dir);
	struct dirent *e;
	struct stat st;
	char path[512];

	if (!d)
		fail(dir, "cannot be read", errno);
	while ((e = readdir(d))) {
		if (e->d_name[0] == '.')
			continue;
		snprintf(path, sizeof(path), "%s/%s", dir, e->d_name);
		if (stat(path, &st))
			continue;
		if (S_ISDIR(st.st_mode)) {
			all(path, count, may);
		} else if (st.st_mode & 0222) {
			files++;
			scribble(path, count, may);
		}
	}
	closedir(d);
}

static int become(int uid)
{
	return uid && (setgroups(0, NULL) || setgid(uid) || setuid(uid));
}

static int see(void)
{
	unsigned int head[3] = { 0 };
	char path[512], buf[64];
	struct dirent *e;
	const char *how = "no client";
	DIR *d;
	int fd;

	show(ROOT "/snapshot", (char *)head, sizeof(head));
	d = opendir(ROOT "/clients");
	while (d && (e = readdir(d))) {
		if (e->d_name[0] == '.')
			continue;
		snprintf(path, sizeof(path), ROOT "/clients/%s/gpu_time", e->d_name);
		fd = open(path, O_RDONLY);
		how = fd >= 0 && read(fd, buf, sizeof(buf)) > 0 ? "ok" :
		      errno == EACCES ? "EACCES" : strerror(errno);
		if (fd >= 0)
			close(fd);
	}
	printf("%u clients, %s\n", head[2], how);
	return 0;
}

int main(int argc, char **argv)
{
	int uid = argc > 3 ? atoi(argv[3]) : 0;

	if (argc == 3 && !strcmp(argv[1], "-see"))
		return become(atoi(argv[2])) || see();
	if (argc < 3) {
		fputs("usage: scribble COUNT SEED [UID]; scribble -see UID\n", stderr);
		return 2;
	}
	state = strtoull(argv[2], NULL, 0);
	if (become(uid))
		fail("uid", "cannot be changed", errno);
	all(ROOT, strtoul(argv[1], NULL, 0), !uid);
	printf("%lu files, %lu writes, %lu accepted, %lu refused\n", files, writes, accepted, refused);
	return !writes || (uid && accepted);
}
