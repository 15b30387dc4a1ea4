/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* Echo server: each logical block serves `quota` connections, and sends back what comes. */
#ifndef GLOOP_APPS_ECHO_H
#define GLOOP_APPS_ECHO_H

#include "server.h"

namespace apps {

struct echo {
	int listener;
	uint32_t quota, size;		/* bytes at a time */
	char *buffers;			/* of each block: size */
	uint32_t *served;		/* of each block: connections */
	uint32_t *broken;		/* connections that the peer has reset */

	GLOOP_DEVICE char *mine(gloop::DeviceLoop *loop) const
	{
		return buffers + (size_t)loop->logicalBlock() * size;
	}

	GLOOP_DEVICE void operator()(gloop::DeviceLoop *loop) const
	{
		struct echo self = *this;

		if (served[loop->logicalBlock()] == quota)
			return;
		gloop::net::accept(loop, listener, [=](gloop::DeviceLoop *loop, int socket) {
			if (socket >= 0)
				self.sent(loop, socket);
		});
	}

	GLOOP_DEVICE void sent(gloop::DeviceLoop *loop, int socket) const
	{
		struct echo self = *this;

		gloop::net::receive(loop, socket, size, mine(loop),
				    [=](gloop::DeviceLoop *loop, int64_t n) {
			if (n < 0 && !loop->thread())
				gloop::env::fetch_add(self.broken, 1u);
			if (n <= 0)
				self.gone(loop, socket);
			else
				server_send(loop, self, socket, self.mine(loop), n);
		});
	}

	GLOOP_DEVICE void gone(gloop::DeviceLoop *loop, int socket) const
	{
		struct echo self = *this;

		loop->barrier();
		if (!loop->thread())
			served[loop->logicalBlock()]++;
		gloop::net::close(loop, socket, [=](gloop::DeviceLoop *loop, int) { self(loop); });
	}
};

}	/* namespace apps */

#endif /* GLOOP_APPS_ECHO_H */
