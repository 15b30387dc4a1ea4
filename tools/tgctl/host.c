// SPDX-License-Identifier: GPL-2.0
/*
 * The user's host: tgd's files over its socket, and its OpenCL layer for `tgctl run`.
 */
#include "host.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <uapi/tgd.h>
#include <uapi/timegraph.h>

static enum { AUTO, KERNEL, USER } chosen;

bool host_choose(const char *word)
{
	chosen = !strcmp(word, "user") ? USER : !strcmp(word, "kernel") ? KERNEL : AUTO;
	if (chosen == AUTO)
		tgctl_error("--host: '%s' is no host; user or kernel", word);
	return chosen != AUTO;
}

static bool in_sysfs(void)
{
	const char *dir = getenv("TG_SYSFS");
	struct stat st;

	return (dir && *dir) || !stat(TIMEGRAPH_SYSFS, &st);
}

/* --- the socket --- */

/* A daemon of this user or of root: anyone may have made a directory in /tmp before. */
static bool trusted(int fd)
{
	struct ucred peer;
	socklen_t len = sizeof(peer);

	return !getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &len) &&
	       (!peer.uid || peer.uid == getuid());
}

static int try_connect(const char *path)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	const struct timeval limit = { .tv_sec = 5 };
	int fd;

	if (strlen(path) >= sizeof(address.sun_path))
		return -1;
	fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return -1;
	strcpy(address.sun_path, path);
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
	setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof(limit));
	if (!connect(fd, (struct sockaddr *)&address, sizeof(address)) && (!getuid() || trusted(fd)))
		return fd;
	close(fd);
	return -1;
}

const char *host_path(void)
{
	static char path[sizeof(((struct sockaddr_un *)0)->sun_path)];
	const char *given = getenv("TGD_SOCKET"), *dir = getenv("XDG_RUNTIME_DIR");

	if (given && *given)
		snprintf(path, sizeof(path), "%s", given);
	else if (!getuid() || !access(TGD_SOCKET, F_OK))
		snprintf(path, sizeof(path), "%s", TGD_SOCKET);
	else if (dir && *dir == '/')
		snprintf(path, sizeof(path), "%s/timegraph/tgd.sock", dir);
	else
		snprintf(path, sizeof(path), "/tmp/timegraph-%u/tgd.sock", getuid());
	return path;
}

/* The one connection; -1: there is no tgd. */
static int connection(void)
{
	static int fd = -2;

	if (fd == -2)
		fd = try_connect(host_path());
	return fd;
}

bool host_loaded(void)
{
	return connection() >= 0;
}

bool host_is_user(void)
{
	if (chosen == AUTO)
		chosen = !in_sysfs() && host_loaded() ? USER : KERNEL;
	return chosen == USER;
}

/* One request and its answer, in @buf. Return: bytes of content, or a negative errno. */
static int ask(__u32 kind, const char *name, __u32 offset, const char *data, size_t len, void *buf,
	       size_t room)
{
	struct tgd_request request = { .magic = TGD_MAGIC, .kind = kind, .offset = offset, .len = len };
	struct iovec out[2] = { { &request, sizeof(request) }, { (void *)data, len } };
	struct msghdr msg = { .msg_iov = out, .msg_iovlen = len ? 2 : 1 };
	struct tgd_reply *reply = buf;
	ssize_t got;

	if (strlen(name) >= sizeof(request.name))
		return -ENAMETOOLONG;
	strcpy(request.name, name);
	if (connection() < 0)
		return -ENOTCONN;
	if (sendmsg(connection(), &msg, MSG_NOSIGNAL) < 0)
		return -errno;
	got = recv(connection(), buf, room, 0);
	if (got < 0 && errno == EAGAIN)
		return -ETIMEDOUT;	/* it is stopped */
	if (got < (ssize_t)sizeof(*reply) || reply->magic != TGD_MAGIC || reply->kind != TGD_REPLY)
		return -ECONNRESET;
	if (reply->error)
		return -(int)reply->error;
	return got - sizeof(*reply) == reply->len ? (int)reply->len : -EPROTO;
}

char *host_read(const char *name, bool list, size_t *len)
{
	const size_t room = sizeof(struct tgd_reply) + TGD_DATA;
	char *buf = tgctl_alloc(NULL, room), *data = NULL;
	int n;

	*len = 0;
	do {
		n = ask(list ? TGD_LIST : TGD_READ, name, *len, NULL, 0, buf, room);
		if (n < 0) {
			errno = -n;
			free(data);
			data = NULL;
			break;
		}
		data = tgctl_alloc(data, *len + n + 1);
		memcpy(data + *len, buf + sizeof(struct tgd_reply), n);
		*len += n;
		data[*len] = '\0';
	} while (n);
	free(buf);
	return data;
}

int host_write(const char *name, const char *data, size_t len)
{
	char buf[sizeof(struct tgd_reply)];
	size_t done = 0, part;
	int ret;

	do {
		part = min(len - done, (size_t)TGD_DATA / 2);
		ret = ask(TGD_WRITE, name, done, data + done, part, buf, sizeof(buf));
		done += part;
	} while (ret >= 0 && done < len);
	return ret < 0 ? ret : 0;
}

/* --- the layer --- */

#define LAYER	"libtimegraph-cl.so"

/* The layer: beside this program, as it was built or installed. */
static bool find_layer(char *path, size_t size)
{
	static const char *const places[] = { "/../lib/" LAYER, "/../lib/timegraph/" LAYER };
	char self[4096], *slash;
	ssize_t len = readlink("/proc/self/exe", self, sizeof(self) - 1);
	size_t i;

	if (len < 0)
		return false;
	self[len] = '\0';
	slash = strrchr(self, '/');
	*slash = '\0';
	for (i = 0; i < ARRAY_SIZE(places); i++) {
		if ((size_t)snprintf(path, size, "%s%s", self, places[i]) < size && !access(path, R_OK))
			return true;
	}
	return false;
}

bool host_layer(void)
{
	const char *others = getenv("OPENCL_LAYERS");
	char layer[4200], layers[8400];

	if (chosen == KERNEL || (chosen == AUTO && in_sysfs()))
		return true;
	if (!find_layer(layer, sizeof(layer))) {
		tgctl_error("run: the OpenCL layer (%s) is not installed beside tgctl", LAYER);
		return false;
	}
	snprintf(layers, sizeof(layers), "%s%s%s", layer, others && *others ? ":" : "",
		 others && *others ? others : "");
	setenv("OPENCL_LAYERS", layers, 1);
	return true;
}
