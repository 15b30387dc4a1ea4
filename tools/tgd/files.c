// SPDX-License-Identifier: GPL-2.0
/*
 * tgd's files over its socket: see files.h.
 */
#include "files.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <uapi/tgd.h>

int files_connect(const char *path, int seconds, uid_t *peer)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	const struct timeval limit = { .tv_sec = seconds };
	struct ucred who;
	socklen_t len = sizeof(who);
	int fd, error;

	if (strlen(path) >= sizeof(address.sun_path))
		return -ENAMETOOLONG;
	strcpy(address.sun_path, path);
	fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return -errno;
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
	setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof(limit));
	if (!connect(fd, (struct sockaddr *)&address, sizeof(address)) &&
	    !getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &who, &len)) {
		*peer = who.uid;
		return fd;
	}
	error = errno;
	close(fd);
	return -error;
}

int files_ask(int fd, unsigned int kind, const char *name, size_t offset, const char *data, size_t len,
	    void *to, size_t room)
{
	struct tgd_request request = { .magic = TGD_MAGIC, .kind = kind, .offset = offset, .len = len };
	struct iovec out[2] = { { &request, sizeof(request) }, { (void *)data, len } };
	struct msghdr msg = { .msg_iov = out, .msg_iovlen = len ? 2 : 1 };
	struct tgd_reply reply;
	struct iovec in[2] = { { &reply, sizeof(reply) }, { to, room } };
	struct msghdr answer = { .msg_iov = in, .msg_iovlen = 2 };
	ssize_t got;

	if (strlen(name) >= sizeof(request.name))
		return -ENAMETOOLONG;
	strcpy(request.name, name);
	if (sendmsg(fd, &msg, MSG_NOSIGNAL) < 0)
		return errno == EAGAIN ? -ETIMEDOUT : -errno;
	do {
		got = recvmsg(fd, &answer, 0);
	} while (got < 0 && errno == EINTR);
	if (got < 0 && errno == EAGAIN)
		return -ETIMEDOUT;
	if (got < (ssize_t)sizeof(reply) || reply.magic != TGD_MAGIC || reply.kind != TGD_REPLY)
		return -ECONNRESET;
	if (reply.error)
		return -(int)reply.error;
	return got - sizeof(reply) == reply.len ? (int)reply.len : -EPROTO;
}

int files_write(int fd, const char *name, const char *data, size_t len)
{
	size_t done = 0, part;
	int ret;

	do {
		part = len - done < TGD_DATA / 2 ? len - done : TGD_DATA / 2;
		ret = files_ask(fd, TGD_WRITE, name, done, data + done, part, NULL, 0);
		done += part;
	} while (ret >= 0 && done < len);
	return ret < 0 ? ret : 0;
}
