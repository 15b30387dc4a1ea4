// SPDX-License-Identifier: GPL-2.0
/* A program that uses all of the runtime, for a compiler with many warnings: nothing runs it */
#include "../../../src/user/gloop/gloop.h"

using gloop::DeviceLoop;

static char bytes[2];

static void files(DeviceLoop *loop)
{
	gloop::fs::open(loop, "file", O_RDWR, 0, [](DeviceLoop *loop, int fd) {
		gloop::fs::read(loop, fd, 0, 1, bytes, [](DeviceLoop *, int64_t) { });
		gloop::fs::write(loop, fd, 0, 1, bytes, [](DeviceLoop *, int64_t) { });
		gloop::fs::fstat(loop, fd, [](DeviceLoop *, gloop::fs::stat) { });
		gloop::fs::ftruncate(loop, fd, 0, [](DeviceLoop *, int) { });
		gloop::fs::map(loop, fd, 0, [](DeviceLoop *loop, gloop::fs::mapping m) {
			gloop::fs::sync(loop, m, [](DeviceLoop *, int64_t) { });
			gloop::fs::unmap(loop, m);
		});
		gloop::fs::close(loop, fd, [](DeviceLoop *, int) { });
	});
}

static void sockets(DeviceLoop *loop)
{
	gloop::net::listen(loop, 0, 0, [](DeviceLoop *loop, gloop::net::listener l) {
		gloop::net::accept(loop, l.socket, [](DeviceLoop *, int) { });
	});
	gloop::net::connect(loop, 0, 0, [](DeviceLoop *loop, int s) {
		gloop::net::receive(loop, s, 1, bytes, [](DeviceLoop *, int64_t) { });
		gloop::net::send(loop, s, 1, bytes, [](DeviceLoop *, int64_t) { });
		gloop::net::close(loop, s, [](DeviceLoop *, int) { });
	});
}

int main()
{
	gloop::turns *shared = gloop::turns::create();
	gloop::HostLoop host(gloop::IO_ANY, shared, 1, 2);
	gloop::launch_config k;
	gloop::launch_stats stats;

	shared->limit(20000, false);
	k.physical = 1;
	return host.launch(k, [](DeviceLoop *loop) {
		gloop::postTask(loop, [](DeviceLoop *loop) { files(loop); });
		if (!gloop::postTaskIfNecessary(loop, [](DeviceLoop *loop) { sockets(loop); }))
			sockets(loop);
	}, &stats);
}
