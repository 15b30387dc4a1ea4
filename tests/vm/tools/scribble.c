// SPDX-License-Identifier: GPL-2.0
/*
 * scribble -see UID - as UID: how many clients the snapshot shows, and what reading a file of one says
 * scribble -read UID - as UID: all that can be learnt from any file below /sys/kernel/timegraph: a line
 * each, with its kind, mode, owner, links, size and times, and what is in it. Two of them are alike, if
 * nothing has changed. Of the snapshot the time is left out.
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

#include <uapi/timegraph.h>

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
		"0", "1", "2", "-1", "new-only", "fifo", "timegraph", "none", "tick", "1000", "999",
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

	if (shown < 0 && may)
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
		if (was == is && !memcmp(before, after, is))
			continue;
		/* a change of policy that was accepted earlier may just have come about: once more */
		sleep(1);
		was = again(shown, before, sizeof(before));
		r = pwrite(fd, buf, n, 0);
		is = again(shown, after, sizeof(after));
		if (r < 0 && (was != is || memcmp(before, after, is)))
			fail(file, "a refused write has changed something", err);
	}
	if (shown >= 0)
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

	if (!d && !may && errno == EACCES)
		return;
	if (!d)
		fail(dir, "cannot be read", errno);
	while ((e = readdir(d))) {
		if (e->d_name[0] == '.')
			continue;
		snprintf(path, sizeof(path), "%s/%s", dir, e->d_name);
		if (lstat(path, &st) || S_ISLNK(st.st_mode))
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

/* What reading it gives. Some files hold bytes that are no text. */
static void tell_content(const char *path)
{
	static unsigned char buf[70000];
	int fd = open(path, O_RDONLY);
	ssize_t n, i, at = 0;

	if (fd < 0) {
		printf(" %s\n", strerror(errno));
		return;
	}
	while ((n = read(fd, buf + at, sizeof(buf) - at)) > 0)
		at += n;
	if (n < 0)
		printf(" %s", strerror(errno));
	if (!strcmp(path, ROOT "/snapshot") && at >= (ssize_t)sizeof(struct tg_snap_head))
		((struct tg_snap_head *)buf)->now = 0;
	for (i = 0; i < at; i++)
		printf(buf[i] > ' ' && buf[i] < 127 ? " %c" : " %02x", buf[i]);
	putchar('\n');
	close(fd);
}

static void tell(const char *path)
{
	char name[512];
	struct dirent **all;
	struct stat st;
	int n, i;

	if (lstat(path, &st)) {
		printf("%s %s\n", path, strerror(errno));
		return;
	}
	printf("%s %o %u %u %lu %lu %ld.%ld %ld.%ld", path, st.st_mode, st.st_uid, st.st_gid,
	       (unsigned long)st.st_nlink, (unsigned long)st.st_size, (long)st.st_mtim.tv_sec,
	       st.st_mtim.tv_nsec, (long)st.st_ctim.tv_sec, st.st_ctim.tv_nsec);
	if (!S_ISDIR(st.st_mode) && !S_ISLNK(st.st_mode)) {
		tell_content(path);
		return;
	}
	/* a link is followed, to see what is behind it */
	n = scandir(path, &all, NULL, alphasort);
	printf(n < 0 ? " %s\n" : "\n", strerror(errno));
	for (i = 0; i < n; i++) {
		snprintf(name, sizeof(name), "%s/%s", path, all[i]->d_name);
		if (all[i]->d_name[0] != '.')
			tell(name);
		free(all[i]);
	}
	if (n >= 0)
		free(all);
}

int main(int argc, char **argv)
{
	int uid = argc > 3 ? atoi(argv[3]) : 0;

	if (argc == 3 && !strcmp(argv[1], "-see"))
		return become(atoi(argv[2])) || see();
	if (argc == 3 && !strcmp(argv[1], "-read")) {
		if (become(atoi(argv[2])))
			fail("uid", "cannot be changed", errno);
		tell(ROOT);
		return 0;
	}
	if (argc < 3) {
		fputs("usage: scribble COUNT SEED [UID]; scribble -see UID; scribble -read UID\n", stderr);
		return 2;
	}
	state = strtoull(argv[2], NULL, 0);
	if (become(uid))
		fail("uid", "cannot be changed", errno);
	all(ROOT, strtoul(argv[1], NULL, 0), !uid);
	printf("%lu files, %lu writes, %lu accepted, %lu refused\n", files, writes, accepted, refused);
	return !writes || (uid && accepted);
}
