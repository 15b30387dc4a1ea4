// SPDX-License-Identifier: GPL-2.0
/*
 * A FUSE file system of one file, `page`, by the protocol of linux/fuse.h alone. One thread answers, one request after
 * the other. The file has no end of its own: each page of it is a copy of the content that the test has set, and a read
 * is answered after the file's time. Pages are asked for one by one, since the mapping is read at random.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <linux/fuse.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/uio.h>

#include "slowfile.h"

#define PAGE		4096u
#define FILE_NODE	2u
#define READ_PAGES_MAX	32u		/* what the kernel asks for at once, unless told that it may ask for more */
#define REQUEST_MAX	(FUSE_MIN_READ_BUFFER + PAGE)

static long long now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000ll + t.tv_nsec;
}

static void answer(const struct slowfile *s, const struct fuse_in_header *in, int error, const void *data, size_t bytes)
{
	struct fuse_out_header out = { .len = sizeof(out) + bytes, .error = error, .unique = in->unique };
	const struct iovec parts[] = { { &out, sizeof(out) }, { (void *)data, bytes } };

	/* ENOENT: the request was interrupted */
	if (writev(s->fd, parts, 2) < 0 && errno != ENOENT)
		perror("slowfile: answer");
}

static void attributes(struct fuse_attr *attr, uint64_t node)
{
	attr->ino = node;
	attr->nlink = 1;
	attr->mode = node == FILE_NODE ? S_IFREG | 0444 : S_IFDIR | 0555;
	attr->size = node == FILE_NODE ? SLOWFILE_PAGES * PAGE : 0;
	attr->blksize = PAGE;
}

static void answer_read(struct slowfile *s, const struct fuse_in_header *in, const struct fuse_read_in *read)
{
	static char data[READ_PAGES_MAX * PAGE];
	const struct timespec nap = { .tv_sec = s->ms / 1000, .tv_nsec = s->ms % 1000 * 1000000ll };
	size_t bytes = read->size < sizeof(data) ? read->size : sizeof(data), at;

	s->asked = now_ns();
	nanosleep(&nap, NULL);
	for (at = 0; at + PAGE <= bytes; at += PAGE)
		memcpy(data + at, s->content, s->bytes);
	answer(s, in, 0, data, bytes);
}

static void serve_one(struct slowfile *s, const struct fuse_in_header *in)
{
	const void *body = in + 1;
	struct fuse_init_out init = {
		.major = FUSE_KERNEL_VERSION, .minor = FUSE_KERNEL_MINOR_VERSION, .max_write = PAGE,
	};
	struct fuse_entry_out entry = { .nodeid = FILE_NODE, .entry_valid = 3600, .attr_valid = 3600 };
	struct fuse_attr_out attr = { .attr_valid = 3600 };
	struct fuse_open_out open = { .open_flags = FOPEN_KEEP_CACHE };

	switch (in->opcode) {
	case FUSE_INIT:
		answer(s, in, 0, &init, sizeof(init));
		break;
	case FUSE_LOOKUP:
		attributes(&entry.attr, FILE_NODE);
		answer(s, in, strcmp(body, "page") ? -ENOENT : 0, &entry, strcmp(body, "page") ? 0 : sizeof(entry));
		break;
	case FUSE_GETATTR:
		attributes(&attr.attr, in->nodeid);
		answer(s, in, 0, &attr, sizeof(attr));
		break;
	case FUSE_OPEN:
		answer(s, in, 0, &open, sizeof(open));
		break;
	case FUSE_READ:
		answer_read(s, in, body);
		break;
	case FUSE_FLUSH:
	case FUSE_RELEASE:
		answer(s, in, 0, NULL, 0);
		break;
	case FUSE_FORGET:
	case FUSE_BATCH_FORGET:
	case FUSE_INTERRUPT:
		break;
	default:
		answer(s, in, -ENOSYS, NULL, 0);
	}
}

static void *serve(void *arg)
{
	static union {
		struct fuse_in_header in;
		char bytes[REQUEST_MAX];
	} request;
	struct slowfile *s = arg;
	ssize_t got;

	while ((got = read(s->fd, &request, sizeof(request))) > 0 || errno == EINTR || errno == ENOENT)
		if (got > 0)
			serve_one(s, &request.in);
	return NULL;
}

const char *slowfile_open(struct slowfile *s, const char *dir)
{
	char text[128];
	pthread_t thread;
	int file;

	s->fd = open("/dev/fuse", O_RDWR | O_CLOEXEC);
	if (s->fd < 0)
		return "/dev/fuse";
	snprintf(text, sizeof(text), "fd=%d,rootmode=40000,user_id=0,group_id=0", s->fd);
	if (mount("slowfile", dir, "fuse", MS_NOSUID | MS_NODEV, text))
		return "mount";
	if (pthread_create(&thread, NULL, serve, s))
		return "thread";
	snprintf(text, sizeof(text), "%s/page", dir);
	file = open(text, O_RDONLY | O_CLOEXEC);
	if (file < 0)
		return "open";
	s->pages = mmap(NULL, SLOWFILE_PAGES * PAGE, PROT_READ, MAP_SHARED, file, 0);
	close(file);
	if (s->pages == MAP_FAILED || madvise(s->pages, SLOWFILE_PAGES * PAGE, MADV_RANDOM))
		return "mmap";
	return NULL;
}
