/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * What the host loop does I/O with: io_uring (io_uring.h), or threads (io_pool.h) where the kernel
 * has no io_uring or refuses it. One thread, the host loop's, calls all of this.
 */
#ifndef GLOOP_IO_H
#define GLOOP_IO_H

#include <errno.h>
#include <netinet/in.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "rpc.h"

namespace gloop {

/* A request that is under way, by the number of its rpc. The host loop owns the array. */
struct request {
	struct rpc *args;
	void *page;
	uint32_t number;
	int socket;			/* CONNECT: the new socket */
	struct sockaddr_in peer;
	struct request *next;		/* of io_pool's queues */
	int64_t result;			/* likewise */
	bool closed;			/* likewise: its descriptor is being closed */
};

struct completion {
	uint32_t number;
	int64_t result;
	uint64_t more;
};

class io {
public:
	virtual ~io() { }
	virtual const char *name() const = 0;
	/* start() - begin; false: already done, @c has the result */
	virtual bool start(struct request *r, struct completion *c) = 0;
	/* reap() - fetch up to @max that have ended, after at most @wait_us */
	virtual int reap(struct completion *c, int max, uint32_t wait_us) = 0;
	/* cancel() - end what is under way; reap() still gives each of them */
	virtual void cancel() = 0;
};

/* Events that do not wait, or fail at once. Both kinds of I/O do them at once. */
inline bool io_at_once(struct request *r, struct completion *c)
{
	const struct rpc *a = r->args;
	struct sockaddr_in name = {};
	socklen_t length = sizeof(name);
	struct ::stat st;
	int s, one = 1;

	*c = completion{r->number, 0, 0};
	if ((a->op == OP_LISTEN || a->op == OP_CONNECT) && a->mode > 65535) {
		c->result = -EINVAL;	/* not the port that is left of it */
		return true;
	}
	switch (a->op) {
	case OP_FSTAT:
		c->result = ::fstat(a->fd, &st) ? -errno : 0;
		c->more = c->result ? 0 : st.st_size;
		return true;
	case OP_FTRUNCATE:
		c->result = ::ftruncate(a->fd, a->offset) ? -errno : 0;
		return true;
	case OP_LISTEN:
		s = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
		name.sin_family = AF_INET;
		name.sin_addr.s_addr = htonl(a->flags);
		name.sin_port = htons((uint16_t)a->mode);
		if (s < 0 || setsockopt(s, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one)) ||
		    bind(s, (struct sockaddr *)&name, sizeof(name)) || ::listen(s, SOMAXCONN) ||
		    getsockname(s, (struct sockaddr *)&name, &length)) {
			c->result = -errno;
			if (s >= 0)
				::close(s);
			return true;
		}
		c->result = s;
		c->more = ntohs(name.sin_port);
		return true;
	case OP_CONNECT:
		r->peer = name;
		r->peer.sin_family = AF_INET;
		r->peer.sin_addr.s_addr = htonl(a->flags);
		r->peer.sin_port = htons((uint16_t)a->mode);
		r->socket = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
		c->result = r->socket < 0 ? -errno : 0;
		return r->socket < 0;
	case OP_READ: case OP_WRITE:
		/* As pread() and pwrite(). io_uring takes -1 for where the descriptor stands. */
		if ((int64_t)a->offset < 0)
			c->result = -EINVAL;
		else if (lseek(a->fd, 0, SEEK_CUR) < 0 && errno == ESPIPE)
			c->result = -ESPIPE;
		return c->result != 0;
	case OP_OPEN: case OP_CLOSE: case OP_ACCEPT: case OP_RECEIVE: case OP_SEND:
		return false;
	}
	c->result = -EINVAL;
	return true;
}

/* What both do when a request has ended: a connect gives its socket */
inline int64_t io_result(struct request *r, int64_t result)
{
	if (r->args->op != OP_CONNECT)
		return result;
	if (result >= 0)
		return r->socket;
	::close(r->socket);
	return result;
}

}	/* namespace gloop */

#endif /* GLOOP_IO_H */
