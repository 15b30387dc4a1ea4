/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * I/O by threads. Four workers do what ends by itself: files, and sockets that are ready. A request
 * whose socket is not ready goes to the poller, which hands it back when it is, so connections that
 * are silent keep no worker.
 *
 * `lock` guards the queues. A request is in one queue, or with one thread.
 */
#ifndef GLOOP_IO_POOL_H
#define GLOOP_IO_POOL_H

#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <time.h>

#include "io.h"

namespace gloop {

class io_pool : public io {
public:
	~io_pool()
	{
		pthread_mutex_lock(&lock);
		stop = true;
		pthread_cond_broadcast(&work_more);
		pthread_mutex_unlock(&lock);
		wake();
		for (int i = 0; i < threads; i++)
			pthread_join(thread[i], nullptr);
		if (bell >= 0)
			::close(bell);
		free(polled);
		free(polled_by);
		pthread_cond_destroy(&work_more);
		pthread_cond_destroy(&done_more);
	}

	int init(struct request *, uint32_t depth)
	{
		pthread_condattr_t attr;

		pthread_condattr_init(&attr);
		pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
		pthread_cond_init(&work_more, &attr);
		pthread_cond_init(&done_more, &attr);
		pthread_condattr_destroy(&attr);
		bell = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
		polled = (struct pollfd *)calloc(depth + 1, sizeof(*polled));
		polled_by = (struct request **)calloc(depth + 1, sizeof(*polled_by));
		if (bell < 0 || !polled || !polled_by)
			return ENOMEM;
		return begin();
	}

	const char *name() const override { return "threads"; }

	bool start(struct request *r, struct completion *c) override
	{
		if (io_at_once(r, c))
			return false;
		if (r->args->op == OP_CONNECT)
			fcntl(r->socket, F_SETFL, O_NONBLOCK);
		pthread_mutex_lock(&lock);
		if (r->args->op == OP_CLOSE)
			leave(r->args->fd);
		put(&todo, r);
		pthread_cond_signal(&work_more);
		pthread_mutex_unlock(&lock);
		return true;
	}

	int reap(struct completion *c, int max, uint32_t wait_us) override
	{
		struct timespec until;
		struct request *r;
		int n = 0;

		clock_gettime(CLOCK_MONOTONIC, &until);
		until.tv_nsec += wait_us % 1000000 * 1000l;
		until.tv_sec += wait_us / 1000000 + until.tv_nsec / 1000000000;
		until.tv_nsec %= 1000000000;
		pthread_mutex_lock(&lock);
		while (wait_us && !done.first &&
		       pthread_cond_timedwait(&done_more, &lock, &until) != ETIMEDOUT)
			;
		while (n < max && (r = get(&done)))
			c[n++] = completion{r->number, io_result(r, r->result), 0};
		pthread_mutex_unlock(&lock);
		return n;
	}

	void cancel() override
	{
		pthread_mutex_lock(&lock);
		cancelled = true;
		pthread_mutex_unlock(&lock);
		wake();
	}

private:
	static constexpr int workers = 4;
	struct queue { struct request *first, **last; };

	/* The program's signals go to its own threads: a handler would end an open() that waits */
	int begin()
	{
		sigset_t all, before;
		bool more = true;

		sigfillset(&all);
		pthread_sigmask(SIG_SETMASK, &all, &before);
		while (more && threads < workers + 1) {
			more = !pthread_create(&thread[threads], nullptr, threads ? work : poller, this);
			threads += more;
		}
		pthread_sigmask(SIG_SETMASK, &before, nullptr);
		return more ? 0 : EAGAIN;
	}

	static void put(struct queue *q, struct request *r)
	{
		r->next = nullptr;
		if (!q->first)
			q->last = &q->first;
		*q->last = r;
		q->last = &r->next;
	}

	static struct request *get(struct queue *q)
	{
		struct request *r = q->first;

		if (r)
			q->first = r->next;
		return r;
	}

	/* leave() - no request waits at @fd from here on: it is closed after those before it */
	void leave(int fd)
	{
		bool any = false;
		auto mark = [&any, fd](struct request *r) {
			if (r->args->fd == fd && r->args->op >= OP_ACCEPT)
				r->closed = any = true;
		};

		for (struct request *r = todo.first; r; r = r->next)
			mark(r);
		for (struct request *r = waiting.first; r; r = r->next)
			mark(r);
		for (struct request *r : performed)
			if (r)
				mark(r);
		for (int i = 0; i < polling; i++)
			mark(polled_by[i]);
		if (any)
			wake();
	}

	/* left() - no worker is at @fd: it may be closed. Its number may be another file's at once. */
	bool left(int fd) const
	{
		for (const struct request *r : performed)
			if (r && r->args->fd == fd && r->args->op != OP_CLOSE)
				return false;
		return true;
	}

	void wake()
	{
		uint64_t one = 1;

		if (bell >= 0 && ::write(bell, &one, sizeof(one)) < 0)
			return;		/* it rings already */
	}

	/*
	 * Another thread may take the connection: accept4() must not wait. That is a flag of the
	 * socket, not of the call, and the program's: one at a time sets it, and puts it back.
	 */
	int accept_now(int fd)
	{
		int s, flags, error;

		pthread_mutex_lock(&accepting);
		flags = fcntl(fd, F_GETFL);
		if (flags >= 0 && !(flags & O_NONBLOCK))
			fcntl(fd, F_SETFL, flags | O_NONBLOCK);
		s = accept4(fd, nullptr, nullptr, SOCK_CLOEXEC);
		error = errno;
		if (flags >= 0 && !(flags & O_NONBLOCK))
			fcntl(fd, F_SETFL, flags);
		pthread_mutex_unlock(&accepting);
		errno = error;
		return s;
	}

	/* -EAGAIN: the socket is not ready */
	int64_t perform(struct request *r)
	{
		const struct rpc *a = r->args;
		int error = 0;
		socklen_t length = sizeof(error);
		int64_t n = -1;

		switch (a->op) {
		case OP_OPEN:
			n = ::open((const char *)r->page, a->flags | O_CLOEXEC, a->mode);
			break;
		case OP_READ:
			n = pread(a->fd, r->page, a->size, a->offset);
			break;
		case OP_WRITE:
			n = pwrite(a->fd, r->page, a->size, a->offset);
			break;
		case OP_CLOSE:
			n = ::close(a->fd);
			break;
		case OP_CONNECT:
			if (!connect(r->socket, (struct sockaddr *)&r->peer, sizeof(r->peer)) ||
			    errno == EISCONN) {
				fcntl(r->socket, F_SETFL, 0);
				return 0;
			}
			error = errno == EINPROGRESS || errno == EALREADY ? EAGAIN : errno;
			if (error != EAGAIN)
				return -error;
			getsockopt(r->socket, SOL_SOCKET, SO_ERROR, &error, &length);
			return error ? -error : -EAGAIN;
		case OP_ACCEPT:
			n = accept_now(a->fd);
			break;
		case OP_RECEIVE:
			n = recv(a->fd, r->page, a->size, MSG_DONTWAIT);
			break;
		case OP_SEND:
			n = ::send(a->fd, r->page, a->size, MSG_DONTWAIT | MSG_NOSIGNAL);
			break;
		}
		if (n >= 0)
			return n;
		return errno == EWOULDBLOCK && a->op < OP_CONNECT ? -EIO : -errno;
	}

	static void *work(void *arg)
	{
		class io_pool *p = (class io_pool *)arg;
		struct request *r;
		int me;

		pthread_mutex_lock(&p->lock);
		me = p->working++;
		while (!p->stop) {
			r = p->performed[me] = get(&p->todo);
			if (!r) {
				pthread_cond_wait(&p->work_more, &p->lock);
				continue;
			}
			while (r->args->op == OP_CLOSE && r->args->fd >= 0 && !p->left(r->args->fd)) {
				pthread_mutex_unlock(&p->lock);
				usleep(50);
				pthread_mutex_lock(&p->lock);
			}
			pthread_mutex_unlock(&p->lock);
			r->result = p->perform(r);
			pthread_mutex_lock(&p->lock);
			p->performed[me] = nullptr;
			if (r->result == -EAGAIN) {
				put(&p->waiting, r);
				p->wake();
			} else {
				put(&p->done, r);
				pthread_cond_signal(&p->done_more);
			}
		}
		pthread_mutex_unlock(&p->lock);
		return nullptr;
	}

	/* The poller takes what waits out of its queue, and hands back what is ready or cancelled */
	void sort()
	{
		struct request *r;
		int left = 0, n = polling;

		while ((r = get(&waiting))) {
			uint32_t op = r->args->op;
			short events = op == OP_CONNECT || op == OP_SEND ? POLLOUT : POLLIN;

			polled_by[n] = r;
			polled[n++] = pollfd{op == OP_CONNECT ? r->socket : r->args->fd, events, 0};
		}
		for (int i = 0; i < n; i++) {
			if (cancelled || polled_by[i]->closed) {
				polled_by[i]->result = -ECANCELED;
				put(&done, polled_by[i]);
				pthread_cond_signal(&done_more);
			} else if (polled[i].revents) {
				put(&todo, polled_by[i]);
				pthread_cond_signal(&work_more);
			} else {
				polled_by[left] = polled_by[i];
				polled[left++] = polled[i];
			}
		}
		polling = left;
	}

	static void *poller(void *arg)
	{
		class io_pool *p = (class io_pool *)arg;
		uint64_t rung;

		pthread_mutex_lock(&p->lock);
		while (!p->stop) {
			p->sort();
			int n = p->polling;
			p->polled[n] = pollfd{p->bell, POLLIN, 0};
			pthread_mutex_unlock(&p->lock);
			/* More than there may be descriptors: try each of them again */
			if (poll(p->polled, n + 1, -1) < 0 && errno != EINTR) {
				usleep(1000);
				for (int i = 0; i < n; i++)
					p->polled[i].revents = POLLERR;
				p->polled[n].revents = POLLIN;
			}
			if (p->polled[n].revents && ::read(p->bell, &rung, sizeof(rung)) < 0)
				rung = 0;
			pthread_mutex_lock(&p->lock);
		}
		pthread_mutex_unlock(&p->lock);
		return nullptr;
	}

	pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	pthread_mutex_t accepting = PTHREAD_MUTEX_INITIALIZER;
	pthread_cond_t work_more, done_more;
	struct queue todo = {}, waiting = {}, done = {};
	bool stop = false, cancelled = false;
	int bell = -1, threads = 0, working = 0;
	pthread_t thread[workers + 1];
	struct pollfd *polled = nullptr;
	struct request **polled_by = nullptr;
	int polling = 0;
	struct request *performed[workers] = {};
};

}	/* namespace gloop */

#endif /* GLOOP_IO_POOL_H */
