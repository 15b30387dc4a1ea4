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

	GLOOP_DEVICE char *mine(gloop::DeviceLoop *loop) const
	{
		return buffers + (size_t)loop->logicalBlock() * size;
	}

	GLOOP_DEVICE void operator()(gloop::DeviceLoop *loop) const { server_next(loop, *this); }

	GLOOP_DEVICE void sent(gloop::DeviceLoop *loop, int socket) const
	{
		struct echo self = *this;

		gloop::net::receive(loop, socket, size, mine(loop),
				    [=](gloop::DeviceLoop *loop, int64_t n) {
			if (n <= 0)
				server_gone(loop, self, socket);
			else
				server_send(loop, self, socket, self.mine(loop), n);
		});
	}
};

}	/* namespace apps */

#endif /* GLOOP_APPS_ECHO_H */
