/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * File events. Each function returns at once, and its callback runs when the host has done the
 * work. A result below zero is -errno. One event moves at most DeviceLoop::pageBytes(); like a
 * system call it may move less, so a callback looks at its result and asks for the rest.
 *
 * A path, and a buffer that is being read into or written from, must stay until the callback. What
 * another callback has captured ends with that one.
 *
 * User programs call these in callbacks, in all threads of a block; net.h calls fill() and drain().
 */
#ifndef GLOOP_FS_H
#define GLOOP_FS_H

#include <fcntl.h>

#include "loop.h"

namespace gloop {
namespace fs {

struct stat {
	int64_t error;			/* 0 or -errno */
	uint64_t size;
};

/* A page of a file, in memory that host and device map. It is one of the block's pages. */
struct mapping {
	uint8_t *at;
	int64_t size;			/* -errno, or the bytes that the file has there */
	uint64_t offset;
	int fd;
	uint32_t page;
};

GLOOP_DEVICE inline struct rpc call(uint32_t op, int fd)
{
	struct rpc r = {};

	r.op = op;
	r.fd = fd;
	return r;
}

/* open() - @flags and @mode as of open(2); f(loop, fd) */
template <class F>
GLOOP_DEVICE void open(DeviceLoop *loop, const char *path, int flags, int mode, const F &f)
{
	uint32_t n = 1;

	while (path[n - 1])
		n++;
	if (n > loop->pageBytes()) {
		loop->post([=](DeviceLoop *loop) { f(loop, -ENAMETOOLONG); });
		return;
	}
	loop->withPage([=](DeviceLoop *loop, uint32_t page) {
		struct rpc r = call(OP_OPEN, -1);

		r.flags = flags;
		r.mode = mode;
		r.page = page;
		r.size = n;
		env::copy_to_host(loop->page(page), path, n);
		loop->request(r, [=](DeviceLoop *loop) {
			loop->freePage(page);
			f(loop, (int)loop->result());
		});
	});
}

/*
 * fill() - have @Op put up to @size bytes into a page, and copy them from there into @buf;
 * f(loop, bytes). read() and net::receive().
 */
template <uint32_t Op, class F>
GLOOP_DEVICE void fill(DeviceLoop *loop, int fd, uint64_t offset, uint32_t size, void *buf,
		       const F &f)
{
	loop->withPage([=](DeviceLoop *loop, uint32_t page) {
		struct rpc r = call(Op, fd);

		r.offset = offset;
		r.size = size < loop->pageBytes() ? size : loop->pageBytes();
		r.page = page;
		loop->request(r, [=](DeviceLoop *loop) {
			int64_t n = loop->result();

			if (n > 0)
				env::copy_from_host(buf, loop->page(page), n);
			env::barrier();
			loop->freePage(page);
			f(loop, n);
		});
	});
}

/*
 * drain() - copy up to @size bytes of @buf into a page, and have @Op take them from there;
 * f(loop, bytes). write() and net::send().
 */
template <uint32_t Op, class F>
GLOOP_DEVICE void drain(DeviceLoop *loop, int fd, uint64_t offset, uint32_t size, const void *buf,
			const F &f)
{
	loop->withPage([=](DeviceLoop *loop, uint32_t page) {
		struct rpc r = call(Op, fd);

		r.offset = offset;
		r.size = size < loop->pageBytes() ? size : loop->pageBytes();
		r.page = page;
		env::copy_to_host(loop->page(page), buf, r.size);
		loop->request(r, [=](DeviceLoop *loop) {
			int64_t n = loop->result();

			loop->freePage(page);
			f(loop, n);
		});
	});
}

/* read() - up to @size bytes from @offset of the file into @buf; f(loop, bytes) */
template <class F>
GLOOP_DEVICE void read(DeviceLoop *loop, int fd, uint64_t offset, uint32_t size, void *buf,
		       const F &f)
{
	fill<OP_READ>(loop, fd, offset, size, buf, f);
}

/* write() - up to @size bytes of @buf to @offset of the file; f(loop, bytes) */
template <class F>
GLOOP_DEVICE void write(DeviceLoop *loop, int fd, uint64_t offset, uint32_t size, const void *buf,
			const F &f)
{
	drain<OP_WRITE>(loop, fd, offset, size, buf, f);
}

/* fstat() - f(loop, stat) */
template <class F> GLOOP_DEVICE void fstat(DeviceLoop *loop, int fd, const F &f)
{
	loop->request(call(OP_FSTAT, fd), [=](DeviceLoop *loop) {
		f(loop, stat{loop->result(), loop->more()});
	});
}

/* ftruncate() - f(loop, error) */
template <class F>
GLOOP_DEVICE void ftruncate(DeviceLoop *loop, int fd, uint64_t size, const F &f)
{
	struct rpc r = call(OP_FTRUNCATE, fd);

	r.offset = size;
	loop->request(r, [=](DeviceLoop *loop) { f(loop, (int)loop->result()); });
}

/*
 * close() - f(loop, error). What waits at a socket ends, with -ECANCELED. Close a file after the
 * callbacks of its reads and writes: one that is under way may miss it.
 */
template <class F> GLOOP_DEVICE void close(DeviceLoop *loop, int fd, const F &f)
{
	loop->request(call(OP_CLOSE, fd), [=](DeviceLoop *loop) {
		f(loop, (int)loop->result());
	});
}

/* map() - one page of a file, without a copy; f(loop, mapping), and later unmap() if size >= 0 */
template <class F> GLOOP_DEVICE void map(DeviceLoop *loop, int fd, uint64_t offset, const F &f)
{
	loop->withPage([=](DeviceLoop *loop, uint32_t page) {
		struct rpc r = call(OP_READ, fd);

		r.offset = offset;
		r.size = loop->pageBytes();
		r.page = page;
		loop->request(r, [=](DeviceLoop *loop) {
			int64_t n = loop->result();

			if (n < 0)
				loop->freePage(page);
			f(loop, mapping{loop->page(page), n, offset, fd, page});
		});
	});
}

/* sync() - write the mapping's bytes back to the file; f(loop, bytes) */
template <class F>
GLOOP_DEVICE void sync(DeviceLoop *loop, const struct mapping &m, const F &f)
{
	struct rpc r = call(OP_WRITE, m.fd);

	r.offset = m.offset;
	r.size = m.size > 0 ? (uint32_t)m.size : 0;
	r.page = m.page;
	loop->request(r, [=](DeviceLoop *loop) { f(loop, loop->result()); });
}

/* unmap() - the block may use the page for something else. All threads are done with it. */
GLOOP_DEVICE inline void unmap(DeviceLoop *loop, const struct mapping &m)
{
	env::barrier();
	loop->freePage(m.page);
}

}	/* namespace fs */
}	/* namespace gloop */

#endif /* GLOOP_FS_H */
