// SPDX-License-Identifier: GPL-2.0
/*
 * Descriptors that peers send (SCM_RIGHTS). Nobody is to send any; but one that has come is closed
 * by who reads its message, or closes the connection in which it waits, and that may take as long
 * as the peer likes: a TCP socket lingers, a FUSE file system answers a flush when it wants to.
 *
 * From Linux 6.16 on the sender gets EPERM. Before that, a message with descriptors is not read,
 * which a look at it tells, and a connection is closed in a thread of its own, which does nothing
 * else. socket.c calls this file, in the daemon's thread.
 */
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "main.h"
#include "rights.h"

#ifndef SO_PASSRIGHTS
#define SO_PASSRIGHTS	83
#endif

#define STACK	(256 << 10)

/* What is to be closed, where no thread could be had yet */
static struct closing {
	int fd;
	struct closing *next;
} *closings;
static bool refused;	/* the kernel does it */

/** rights_refuse() - before @listener listens: its connections take no descriptors */
void rights_refuse(int listener)
{
	const int none = 0;

	refused = !setsockopt(listener, SOL_SOCKET, SO_PASSRIGHTS, &none, sizeof(none));
}

/**
 * rights_recv() - as recv() with MSG_DONTWAIT
 *
 * Return: also -1 and EPERM: the next message brings descriptors. The connection is to be closed.
 */
ssize_t rights_recv(int fd, void *buf, size_t size)
{
	struct iovec iov = { buf, size };
	struct msghdr msg = { .msg_iov = &iov, .msg_iovlen = 1 };

	if (!refused && recvmsg(fd, &msg, MSG_PEEK | MSG_DONTWAIT) >= 0 &&
	    msg.msg_flags & MSG_CTRUNC) {
		errno = EPERM;
		return -1;
	}
	return recv(fd, buf, size, MSG_DONTWAIT);
}

static void *close_one(void *arg)
{
	struct closing *c = arg;

	close(c->fd);
	free(c);
	return NULL;
}

static bool start(struct closing *c)
{
	sigset_t every, old;
	pthread_attr_t attr;
	pthread_t thread;
	bool started;

	pthread_attr_init(&attr);
	pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
	pthread_attr_setstacksize(&attr, STACK);
	sigfillset(&every);		/* they are to wake main.c */
	pthread_sigmask(SIG_SETMASK, &every, &old);
	started = !pthread_create(&thread, &attr, close_one, c);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	pthread_attr_destroy(&attr);
	return started;
}

/** rights_close() - close a connection, now or soon */
void rights_close(int fd)
{
	struct closing *c, *after;

	if (refused) {
		close(fd);
		return;
	}
	c = need(malloc(sizeof(*c)));
	*c = (struct closing){ fd, closings };
	for (closings = c; closings; closings = after) {
		after = closings->next;	/* the thread frees it */
		if (!start(closings))
			break;
	}
}
