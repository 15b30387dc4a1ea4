/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * I/O by io_uring, through its three system calls: liburing is not needed. The kernel must have
 * IORING_FEAT_EXT_ARG (Linux 5.11) and cancel all at once (5.19); where it has not, or refuses a
 * ring, init() says so, and the host loop takes io_pool.
 */
#ifndef GLOOP_IO_URING_H
#define GLOOP_IO_URING_H

#include <fcntl.h>
#include <linux/io_uring.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>

#include "io.h"

namespace gloop {

class io_uring_io : public io {
public:
	~io_uring_io()
	{
		if (entries)
			munmap(entries, entry_bytes);
		if (rings)
			munmap(rings, ring_bytes);
		if (fd >= 0)
			::close(fd);
	}

	/* init() - for at most @depth requests at a time; 0 or an errno */
	int init(struct request *table, uint32_t depth)
	{
		struct io_uring_params p = {};

		requests = table;
		p.flags = IORING_SETUP_CQSIZE | IORING_SETUP_CLAMP;
		p.cq_entries = 2 * depth;
		fd = (int)syscall(__NR_io_uring_setup, depth < 256 ? depth : 256, &p);
		if (fd < 0)
			return errno;
		if (!(p.features & IORING_FEAT_EXT_ARG) ||
		    !(p.features & IORING_FEAT_SINGLE_MMAP) || !(p.features & IORING_FEAT_NODROP))
			return ENOSYS;
		ring_bytes = p.sq_off.array + p.sq_entries * sizeof(uint32_t);
		size_t other = p.cq_off.cqes + p.cq_entries * sizeof(struct io_uring_cqe);
		if (other > ring_bytes)
			ring_bytes = other;
		rings = (uint8_t *)map(ring_bytes, IORING_OFF_SQ_RING);
		entry_bytes = p.sq_entries * sizeof(struct io_uring_sqe);
		entries = (struct io_uring_sqe *)map(entry_bytes, IORING_OFF_SQES);
		if (!rings || !entries)
			return ENOMEM;
		sq_head = (uint32_t *)(rings + p.sq_off.head);
		sq_tail = (uint32_t *)(rings + p.sq_off.tail);
		sq_array = (uint32_t *)(rings + p.sq_off.array);
		sq_entries = p.sq_entries;
		cq_head = (uint32_t *)(rings + p.cq_off.head);
		cq_tail = (uint32_t *)(rings + p.cq_off.tail);
		cqes = (struct io_uring_cqe *)(rings + p.cq_off.cqes);
		cq_mask = p.cq_entries - 1;
		return can_cancel_all();
	}

	const char *name() const override { return "io_uring"; }

	bool start(struct request *r, struct completion *c) override
	{
		const struct rpc *a = r->args;
		struct io_uring_sqe *e;
		struct stat st;

		if (io_at_once(r, c))
			return false;
		/* A write to a file does not wait for others: it goes on */
		if (a->op == OP_CLOSE && !fstat(a->fd, &st) && S_ISSOCK(st.st_mode))
			cancel(a->fd, IORING_ASYNC_CANCEL_FD);
		e = entry();
		e->fd = a->fd;
		e->user_data = r->number;
		switch (a->op) {
		case OP_OPEN:
			e->opcode = IORING_OP_OPENAT;
			e->fd = AT_FDCWD;
			e->addr = (uintptr_t)r->page;
			e->len = a->mode;
			e->open_flags = a->flags | O_CLOEXEC;
			break;
		case OP_READ: case OP_WRITE:
			e->opcode = a->op == OP_READ ? IORING_OP_READ : IORING_OP_WRITE;
			e->addr = (uintptr_t)r->page;
			e->len = a->size;
			e->off = a->offset;
			/* Else the kernel copies out of its cache here and now, one after the other */
			if (under_way > 8)
				e->flags = IOSQE_ASYNC;
			break;
		case OP_CLOSE:
			e->opcode = IORING_OP_CLOSE;
			break;
		case OP_CONNECT:
			e->opcode = IORING_OP_CONNECT;
			e->fd = r->socket;
			e->addr = (uintptr_t)&r->peer;
			e->off = sizeof(r->peer);
			break;
		case OP_ACCEPT:
			e->opcode = IORING_OP_ACCEPT;
			e->accept_flags = SOCK_CLOEXEC;
			break;
		case OP_RECEIVE: case OP_SEND:
			e->opcode = a->op == OP_RECEIVE ? IORING_OP_RECV : IORING_OP_SEND;
			e->addr = (uintptr_t)r->page;
			e->len = a->size;
			e->msg_flags = MSG_NOSIGNAL;
			break;
		}
		push();
		under_way++;
		return true;
	}

	int reap(struct completion *c, int max, uint32_t wait_us) override
	{
		int n = 0;

		enter(wait_us && !ready() ? wait_us : 0);
		while (n < max && ready()) {
			uint32_t head = *cq_head;
			struct io_uring_cqe *e = cqes + (head & cq_mask);

			if (e->user_data != no_request) {
				struct request *r = requests + e->user_data;

				c[n++] = completion{r->number, io_result(r, e->res), 0};
				under_way--;
			}
			__atomic_store_n(cq_head, head + 1, __ATOMIC_RELEASE);
		}
		return n;
	}

	void cancel() override
	{
		cancel(-1, IORING_ASYNC_CANCEL_ANY);
		enter(0);
	}

private:
	static constexpr uint64_t no_request = ~0ull;

	/* Takes place in its turn: what has been pushed before is cancelled, too */
	void cancel(int of, uint32_t which)
	{
		struct io_uring_sqe *e = entry();

		e->opcode = IORING_OP_ASYNC_CANCEL;
		e->fd = of;
		e->cancel_flags = which | IORING_ASYNC_CANCEL_ALL;
		e->user_data = no_request;
		push();
	}

	void *map(size_t bytes, uint64_t offset)
	{
		void *p = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE,
			       fd, offset);

		return p == MAP_FAILED ? nullptr : p;
	}

	/* An older kernel knows nothing of the flags, and says EINVAL */
	int can_cancel_all()
	{
		struct io_uring_cqe *e;

		cancel();
		enter(1000000);
		if (!ready())
			return ENOSYS;
		e = cqes + (*cq_head & cq_mask);
		int result = e->res;
		__atomic_store_n(cq_head, *cq_head + 1, __ATOMIC_RELEASE);
		return result == -EINVAL ? ENOSYS : 0;
	}

	bool ready() const { return __atomic_load_n(cq_tail, __ATOMIC_ACQUIRE) != *cq_head; }

	/* The kernel takes entries when it is told to: enter() makes room */
	struct io_uring_sqe *entry()
	{
		while (*sq_tail - __atomic_load_n(sq_head, __ATOMIC_ACQUIRE) == sq_entries)
			enter(0);
		struct io_uring_sqe *e = entries + *sq_tail % sq_entries;
		memset(e, 0, sizeof(*e));
		return e;
	}

	void push()
	{
		sq_array[*sq_tail % sq_entries] = *sq_tail % sq_entries;
		__atomic_store_n(sq_tail, *sq_tail + 1, __ATOMIC_RELEASE);
		queued++;
	}

	void enter(uint32_t wait_us)
	{
		struct __kernel_timespec t = {wait_us / 1000000, wait_us % 1000000 * 1000};
		struct io_uring_getevents_arg arg = {};
		long n;

		if (!queued && !wait_us)
			return;
		arg.ts = (uintptr_t)&t;
		n = syscall(__NR_io_uring_enter, fd, queued, wait_us ? 1 : 0,
			    IORING_ENTER_EXT_ARG | (wait_us ? IORING_ENTER_GETEVENTS : 0), &arg,
			    sizeof(arg));
		/* With an error (a signal, the time is over) the kernel may have taken entries too */
		if (n >= 0)
			queued -= (uint32_t)n;
		else
			queued = *sq_tail - __atomic_load_n(sq_head, __ATOMIC_ACQUIRE);
	}

	int fd = -1;
	uint8_t *rings = nullptr;
	struct io_uring_sqe *entries = nullptr;
	struct io_uring_cqe *cqes = nullptr;
	struct request *requests = nullptr;
	size_t ring_bytes = 0, entry_bytes = 0;
	uint32_t *sq_head = nullptr, *sq_tail = nullptr, *sq_array = nullptr;
	uint32_t *cq_head = nullptr, *cq_tail = nullptr;
	uint32_t sq_entries = 0, cq_mask = 0, queued = 0, under_way = 0;
};

}	/* namespace gloop */

#endif /* GLOOP_IO_URING_H */
