/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * What the two servers share: a listening socket, which a launch of its own opens, and the loop of
 * a logical block, which accepts connections one after the other and serves each until it ends. A
 * server has the members `listener`, `quota` and `served`, and sent(loop, socket), which begins a
 * round of a connection: it receives, computes, and ends with server_send() or server_gone().
 */
#ifndef GLOOP_APPS_SERVER_H
#define GLOOP_APPS_SERVER_H

#include <netinet/in.h>
#include <sys/socket.h>

#include "app.h"

namespace apps {

struct server_listen {
	gloop::net::listener *made;

	GLOOP_DEVICE void operator()(gloop::DeviceLoop *loop) const
	{
		gloop::net::listener *to = made;

		gloop::net::listen(loop, INADDR_LOOPBACK, 0,
				   [=](gloop::DeviceLoop *loop, gloop::net::listener l) {
			if (!loop->thread())
				*to = l;
		});
	}
};

/* The block's next connection, then s.sent(loop, socket); nothing after `quota` of them */
template <class S> GLOOP_DEVICE void server_next(gloop::DeviceLoop *loop, S s)
{
	if (s.served[loop->logicalBlock()] == s.quota)
		return;
	gloop::net::accept(loop, s.listener, [=](gloop::DeviceLoop *loop, int socket) {
		if (socket >= 0)
			s.sent(loop, socket);
	});
}

/* The connection has ended: counts and closes it, then server_next() */
template <class S> GLOOP_DEVICE void server_gone(gloop::DeviceLoop *loop, S s, int socket)
{
	loop->barrier();
	if (!loop->thread())
		s.served[loop->logicalBlock()]++;
	gloop::net::close(loop, socket, [=](gloop::DeviceLoop *loop, int) { server_next(loop, s); });
}

/* Sends @size bytes, however many calls that takes; then s.sent(loop, socket) */
template <class S>
GLOOP_DEVICE void server_send(gloop::DeviceLoop *loop, S s, int socket, const char *from,
			      uint32_t size)
{
	gloop::net::send(loop, socket, size, from, [=](gloop::DeviceLoop *loop, int64_t n) {
		if (n <= 0)
			server_gone(loop, s, socket);
		else if (n < size)
			server_send(loop, s, socket, from + n, size - n);
		else
			s.sent(loop, socket);
	});
}

/* server_open() - a socket that listens on a free port of the loopback address */
inline gloop::net::listener server_open(gloop::HostLoop *host)
{
	buffer<gloop::net::listener> made(1);
	gloop::launch_config config;

	launch(host, config, server_listen{made.get()});
	return made.take()[0];
}

/* For clients on the host */
inline int server_connect(uint32_t port)
{
	struct sockaddr_in name = {};
	int s = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	name.sin_family = AF_INET;
	name.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	name.sin_port = htons(port);
	if (s < 0 || connect(s, (struct sockaddr *)&name, sizeof(name))) {
		perror("connect");
		exit(1);
	}
	return s;
}

inline bool server_write(int s, const void *data, size_t n)
{
	const char *p = (const char *)data;
	ssize_t done;

	for (; n; p += done, n -= done)
		if ((done = ::send(s, p, n, MSG_NOSIGNAL)) <= 0)
			return false;
	return true;
}

inline bool server_read(int s, void *data, size_t n)
{
	return !n || ::recv(s, data, n, MSG_WAITALL) == (ssize_t)n;
}

}	/* namespace apps */

#endif /* GLOOP_APPS_SERVER_H */
