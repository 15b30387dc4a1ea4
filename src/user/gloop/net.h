/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * TCP events: as those of fs.h, on sockets over IPv4. Addresses and ports are in the host's byte
 * order. Of a connection that the peer has closed, receive() gives 0.
 */
#ifndef GLOOP_NET_H
#define GLOOP_NET_H

#include "fs.h"

namespace gloop {
namespace net {

struct listener {
	int socket;			/* -errno, or the socket */
	uint32_t port;
};

/* listen() - @port 0: a free one; f(loop, listener) */
template <class F>
GLOOP_DEVICE void listen(DeviceLoop *loop, uint32_t address, uint32_t port, const F &f)
{
	struct rpc r = fs::call(OP_LISTEN, -1);

	r.flags = address;
	r.mode = port;
	loop->request(r, [=](DeviceLoop *loop) {
		f(loop, listener{(int)loop->result(), (uint32_t)loop->more()});
	});
}

/* connect() - f(loop, socket) */
template <class F>
GLOOP_DEVICE void connect(DeviceLoop *loop, uint32_t address, uint32_t port, const F &f)
{
	struct rpc r = fs::call(OP_CONNECT, -1);

	r.flags = address;
	r.mode = port;
	loop->request(r, [=](DeviceLoop *loop) { f(loop, (int)loop->result()); });
}

/* accept() - f(loop, socket) */
template <class F> GLOOP_DEVICE void accept(DeviceLoop *loop, int socket, const F &f)
{
	loop->request(fs::call(OP_ACCEPT, socket), [=](DeviceLoop *loop) {
		f(loop, (int)loop->result());
	});
}

/* receive() - up to @size bytes into @buf; f(loop, bytes) */
template <class F>
GLOOP_DEVICE void receive(DeviceLoop *loop, int socket, uint32_t size, void *buf, const F &f)
{
	fs::fill<OP_RECEIVE>(loop, socket, 0, size, buf, f);
}

/* send() - up to @size bytes of @buf; f(loop, bytes) */
template <class F>
GLOOP_DEVICE void send(DeviceLoop *loop, int socket, uint32_t size, const void *buf, const F &f)
{
	fs::drain<OP_SEND>(loop, socket, 0, size, buf, f);
}

/* close() - f(loop, error) */
template <class F> GLOOP_DEVICE void close(DeviceLoop *loop, int socket, const F &f)
{
	fs::close(loop, socket, f);
}

}	/* namespace net */
}	/* namespace gloop */

#endif /* GLOOP_NET_H */
