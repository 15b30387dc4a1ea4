// SPDX-License-Identifier: GPL-2.0
/*
 * Connections: programs that become clients, and tools that read and write.
 *
 * No peer is waited for: what cannot be sent at once closes its connection, and descriptors that it
 * sends are refused (rights.c). A user has TGD_PER_USER connections at most; the next is refused,
 * and nobody else feels it.
 */
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "client.h"
#include "device.h"
#include "files.h"
#include "main.h"
#include "rights.h"
#include "settings.h"
#include "socket.h"
#include "tgd.h"

#ifndef SO_PEERPIDFD
#define SO_PEERPIDFD	77
#endif

static struct conn *conns;
static int listener = -1, spare = -1;

u32 conns_open(void)
{
	const struct conn *c;
	u32 nr = 0;

	for (c = conns; c; c = c->next)
		nr += c->socket.fd >= 0;
	return nr;
}

static u32 conns_of(u32 uid)
{
	const struct conn *c;
	u32 nr = 0;

	for (c = conns; c; c = c->next)
		nr += c->socket.fd >= 0 && c->uid == uid;
	return nr;
}

/* The peer is gone, or is not wanted any more; its client goes with it. */
static void conn_close(struct conn *conn)
{
	struct conn **at = &conns;

	if (conn->client)
		client_gone(conn->client);
	rights_close(watch_end(&conn->socket));
	unwatch(&conn->process);
	while (*at != conn)
		at = &(*at)->next;
	*at = conn->next;
	free(conn->content);
	free(conn->spec);
	free(conn);
}

static void ended(void *owner)
{
	conn_close(owner);
}

/* --- HELLO --- */

static bool answer(struct conn *conn, const struct tgd_welcome *welcome, const int fds[2])
{
	char control[CMSG_SPACE(2 * sizeof(int))] = { 0 };
	struct iovec iov = { (void *)welcome, sizeof(*welcome) };
	struct msghdr msg = { .msg_iov = &iov, .msg_iovlen = 1 };
	struct cmsghdr *cmsg;

	if (fds) {
		msg.msg_control = control;
		msg.msg_controllen = sizeof(control);
		cmsg = CMSG_FIRSTHDR(&msg);
		cmsg->cmsg_level = SOL_SOCKET;
		cmsg->cmsg_type = SCM_RIGHTS;
		cmsg->cmsg_len = CMSG_LEN(2 * sizeof(int));
		memcpy(CMSG_DATA(cmsg), fds, 2 * sizeof(int));
	}
	return sendmsg(conn->socket.fd, &msg, MSG_DONTWAIT | MSG_NOSIGNAL) > 0;
}

static void refuse(struct conn *conn, int error, const char *why)
{
	struct tgd_welcome welcome = { .magic = TGD_MAGIC, .kind = TGD_WELCOME, .error = error };
	char unread[64];

	strncpy(welcome.why, why, sizeof(welcome.why) - 1);
	answer(conn, &welcome, NULL);
	/* If something of it was left unread, its next recv() would be ECONNRESET instead of this. */
	shutdown(conn->socket.fd, SHUT_RD);
	while (rights_recv(conn->socket.fd, unread, sizeof(unread)) > 0)
		;
	stats[STAT_TURNED_AWAY]++;
}

static bool terminated(const char *s, size_t size)
{
	return memchr(s, '\0', size);
}

/* Does the process that has connected still live? */
static bool alive(const struct conn *conn)
{
	struct pollfd pfd = { .fd = conn->process.fd, .events = POLLIN };

	return conn->process.fd >= 0 && !poll(&pfd, 1, 0);
}

/* Return: false: the connection is to be closed. */
static bool hello(struct conn *conn, const struct tgd_hello *h, size_t len)
{
	struct tgd_welcome welcome = { .magic = TGD_MAGIC, .kind = TGD_WELCOME };
	const char *why = "there is no memory for it, or its process is gone";
	struct device *d;
	bool welcomed;
	int fds[2];

	if (len != sizeof(*h) || h->version != TGD_VERSION || (u32)h->engines - 1 > 1 || h->yields > 1 ||
	    !*h->key || !terminated(h->key, TGD_KEY) || !terminated(h->name, TGD_NAME) || conn->client ||
	    h->memory > TG_MEM_MAX || h->held > TG_MEM_MAX) {
		refuse(conn, EPROTO, "this tgd and the program's library differ in version");
		return false;
	}
	d = alive(conn) ? device_get(h, conn->uid, &why) : NULL;
	if (d)
		conn->client = client_new(d, conn, h);
	if (!conn->client) {
		refuse(conn, EBUSY, why);
		return false;
	}
	fds[0] = conn->client->page_fd;
	fds[1] = conn->client->bell.fd;
	welcome.client = conn->client->id;
	/* What was read of /proc/PID is of that process, if it still lives. */
	welcomed = alive(conn) && answer(conn, &welcome, fds);
	client_sent(conn->client);
	if (welcomed)
		device_settle(d);
	client_prepare();
	return welcomed;
}

/* --- tools --- */

static bool reply(struct conn *conn, int error, const char *data, u32 len)
{
	struct tgd_reply head = { .magic = TGD_MAGIC, .kind = TGD_REPLY, .error = error, .len = len };
	struct iovec iov[2] = { { &head, sizeof(head) }, { (void *)data, len } };
	struct msghdr msg = { .msg_iov = iov, .msg_iovlen = 2 };

	return sendmsg(conn->socket.fd, &msg, MSG_DONTWAIT | MSG_NOSIGNAL) > 0;
}

static bool request(struct conn *conn, const struct tgd_request *r, size_t len)
{
	u32 offset = r->offset, n;
	int error = 0;

	if (len < sizeof(*r) || !terminated(r->name, TGD_NAME) ||
	    r->len != (r->kind == TGD_WRITE ? len - sizeof(*r) : 0))
		return false;
	if (r->kind == TGD_WRITE) {
		error = -file_write(conn, r->name, (const char *)(r + 1), offset, r->len);
		return reply(conn, error, NULL, 0);
	}
	if (!offset)
		error = r->kind == TGD_READ ? -file_read(conn, r->name) : -file_list(conn, r->name);
	if (error || offset >= conn->len)
		return reply(conn, error, NULL, 0);
	n = min(conn->len - offset, (size_t)TGD_DATA);
	return reply(conn, 0, conn->content + offset, n);
}

static void message(void *owner)
{
	static u64 buf[(sizeof(struct tgd_request) + TGD_DATA) / 8 + 1];
	struct conn *conn = owner;
	ssize_t len = rights_recv(conn->socket.fd, buf, sizeof(buf));
	const u32 *words = (const u32 *)buf;
	bool good;

	if (len < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	good = len >= (ssize_t)sizeof(struct tgd_notice) && words[0] == TGD_MAGIC;
	if (good && words[1] == TGD_HELLO)
		good = hello(conn, (const struct tgd_hello *)buf, len);
	else if (good)
		good = !conn->client && words[1] >= TGD_READ && words[1] <= TGD_LIST &&
		       request(conn, (const struct tgd_request *)buf, len);
	if (!good)
		conn_close(conn);
}

/* --- the socket --- */

/* A descriptor of the process that has connected; -1: it is gone. Another may have its number then. */
static int peer_process(int fd, u32 pid)
{
	int pidfd = -1;
	socklen_t len = sizeof(pidfd);

	if (!getsockopt(fd, SOL_SOCKET, SO_PEERPIDFD, &pidfd, &len))
		return pidfd;
	return errno == ENOPROTOOPT ? (int)syscall(SYS_pidfd_open, pid, 0) : -1;	/* before 6.5 */
}

static void add(int fd)
{
	struct conn *conn = need(calloc(1, sizeof(*conn)));
	struct ucred peer = { 0 };
	socklen_t len = sizeof(peer);
	u32 before;
	int pidfd;

	conn->socket.fd = fd;
	conn->process.fd = -1;
	conn->next = conns;
	getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &len);
	conn->pid = peer.pid;
	conn->uid = peer.uid;
	before = conns_of(peer.uid);
	conns = conn;
	if (before >= TGD_PER_USER) {
		refuse(conn, EUSERS, "this user has too many connections");
		conn_close(conn);
		return;
	}
	if (!settings.system && peer.uid && peer.uid != getuid()) {
		refuse(conn, EPERM, "this tgd is another user's");
		conn_close(conn);
		return;
	}
	/* A process that inherits the socket does not keep the client. */
	pidfd = peer_process(fd, peer.pid);
	if ((pidfd >= 0 && watch(&conn->process, pidfd, ended, conn)) || watch(&conn->socket, fd, message, conn))
		conn_close(conn);
	else
		message(conn);		/* it may have come already */
}

/* One at a time: there is always one more, if somebody wants that, and other sources have their turn, too. */
static void accept_one(void *owner)
{
	int fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);

	if (fd >= 0)
		add(fd);
	if (fd >= 0 || (errno != EMFILE && errno != ENFILE))
		return;
	/* It would wake us for ever: take it with the spare descriptor, and hang up. */
	close(spare);
	fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
	if (fd >= 0)
		rights_close(fd);
	spare = open("/dev/null", O_RDONLY | O_CLOEXEC);
	stats[STAT_TURNED_AWAY]++;
}

/** socket_open() - serve what comes to a listening socket */
void socket_open(int fd)
{
	static struct source source;

	listener = fd;
	spare = open("/dev/null", O_RDONLY | O_CLOEXEC);
	watch(&source, fd, accept_one, NULL);
}
