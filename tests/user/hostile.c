// SPDX-License-Identifier: GPL-2.0
/*
 * tgd under attack: messages that make no sense, bells, names, sizes and descriptors. After each an
 * honest client is served. tests/user/crowd.c has attacks by numbers, noise.c those by chance.
 *
 *	hostile [TGD]	starts TGD, one built with sanitizers, on a socket of its own
 */
#include <arpa/inet.h>
#include <pthread.h>

#include <uapi/timegraph.h>

#include "guest.h"

/* --- the rows --- */

static void bad_hello(void)
{
	struct tgd_hello h;
	struct guest g;
	int i;

	for (i = 0; i < 9; i++) {
		h = good_hello();
		switch (i) {
		case 0: h.version = 9; break;
		case 1: h.engines = 0; break;
		case 2: h.engines = 0xffff; break;
		case 3: memset(h.key, 'x', sizeof(h.key)); break;
		case 4: memset(h.name, 'x', sizeof(h.name)); break;
		case 5: h.memory = ~0ULL; break;
		case 6: h.held = 1ULL << 63; break;
		case 7: h.key[0] = '\0'; break;
		case 8: h.yields = 2; break;
		}
		g.fd = dial();
		send(g.fd, &h, sizeof(h), MSG_NOSIGNAL);
		if (welcome(&g) || g.error != EPROTO)
			test_row("a HELLO that is wrong is refused", false, "number %d: error %u", i, g.error);
		close(g.fd);
	}
}

static void resized(void)
{
	struct tgd_hello h = good_hello();
	struct guest g;
	char control[CMSG_SPACE(2 * sizeof(int))];
	struct tgd_welcome w;
	struct iovec iov = { &w, sizeof(w) };
	struct msghdr msg = { .msg_iov = &iov, .msg_iovlen = 1, .msg_control = control,
			      .msg_controllen = sizeof(control) };
	int fds[2];

	g.fd = dial();
	send(g.fd, &h, sizeof(h), MSG_NOSIGNAL);
	if (recvmsg(g.fd, &msg, 0) != sizeof(w) || !CMSG_FIRSTHDR(&msg))
		return;
	memcpy(fds, CMSG_DATA(CMSG_FIRSTHDR(&msg)), sizeof(fds));
	test_row("the page cannot be cut off", ftruncate(fds[0], 0) < 0 && errno == EPERM, "it can");
	close(fds[0]);
	close(fds[1]);
	close(g.fd);
}

/* The child inherits socket and page; the client goes with the process that connected. */
static void orphan(void)
{
	struct guest g;
	int status, pipefd[2];
	char c;

	if (pipe(pipefd))
		return;
	if (!fork()) {
		if (!arrive(&g) || !publish(&g, TGD_REC_MEM_REQUEST, 0, 900 << 10) ||
		    !answered(&g, 0, TGD_GO))
			_exit(1);
		fcntl(g.fd, F_SETFD, 0);
		if (!fork()) {
			close(pipefd[1]);
			sleep(3);
			_exit(0);
		}
		_exit(0);
	}
	close(pipefd[1]);
	wait(&status);
	while (read(pipefd[0], &c, 1) > 0)
		;
	close(pipefd[0]);
	usleep(100000);
	test_row("memory goes back with the process, not with who inherits its socket", served(),
		 "it is kept");
}

/* The bell is both sides': tgd must not wait for it any more when the client is gone. */
static void late_bell(void)
{
	struct guest g;

	/* Nothing is owed there: the client is forgotten at once. */
	if (!arrive_at(&g, "bell"))
		return;
	close(g.fd);
	usleep(100000);
	ring_bell(&g);
	usleep(100000);
	close(g.bell);
	munmap(g.page, sizeof(*g.page));
}

struct snapshot {
	struct tgd_reply reply;
	struct tg_snap_head head;
	char rest[TGD_DATA - sizeof(struct tg_snap_head)];
};

/* tgd's snapshot: its clients; NULL: it says nothing */
static const struct tg_snap_client *snapshot(struct snapshot *s)
{
	struct tgd_request r = { .magic = TGD_MAGIC, .kind = TGD_READ, .name = "snapshot" };
	ssize_t len = -1;
	int fd = dial();

	if (send(fd, &r, sizeof(r), MSG_NOSIGNAL) > 0)
		len = recv(fd, s, sizeof(*s), 0);
	close(fd);
	return len < (ssize_t)offsetof(struct snapshot, rest) ? NULL : (const void *)s->rest;
}

/* How many jobs wait, and the GPU time of all, as tgd's snapshot says; -1: it says nothing. */
static long waiting(double *used)
{
	static struct snapshot s;
	const struct tg_snap_client *c = snapshot(&s);
	long nr = 0;
	__u32 i;

	*used = 0;
	if (!c)
		return -1;
	for (i = 0; i < s.head.nr_clients; i++) {
		nr += c[i].waiting;
		*used += c[i].gpu_time / 1e9;
	}
	return nr;
}

/* A slot is used anew while its job waits, and its end is told, again and again. */
static void reused_slot(void)
{
	struct guest busy, g;
	double used;
	long nr;
	int i;

	if (!arrive(&busy) || !arrive(&g))
		return;
	publish(&busy, TGD_REC_SUBMIT, 0, 0);
	answered(&busy, 0, TGD_GO);
	publish(&busy, TGD_REC_STARTED, 0, 0);
	for (i = 0; i < 3000; i++)
		while (!publish(&g, i % 3 == 2 ? TGD_REC_DONE : TGD_REC_SUBMIT, 1, 0))
			usleep(100);
	usleep(20000);
	nr = waiting(&used);
	depart(&g);
	depart(&busy);
	test_row("a slot has one job at most", nr >= 0 && nr <= 1, "%ld wait", nr);
}

/* It says that its job has started when the machine did: others of its reserve would pay for it. */
static void false_start(void)
{
	struct tgd_record start = { .kind = TGD_REC_STARTED, .slot = 7, .channel = 1, .at = 1 };
	double before = 0, after = 1e9;
	struct guest g;

	if (!arrive_at(&g, "past"))
		return;
	waiting(&before);
	publish(&g, TGD_REC_SUBMIT, 7, 0);
	answered(&g, 7, TGD_GO);
	tgd_push(g.page, &start);
	publish(&g, TGD_REC_DONE, 7, 1);
	usleep(20000);
	waiting(&after);
	depart(&g);
	test_row("a start before its turn is not charged", after - before < 5, "%.0f s", after - before);
}

/* Another one says after it that its own job ended before: it takes GPU time from who told its end first. */
static void late_word(void)
{
	struct tgd_record done = { .kind = TGD_REC_DONE, .channel = 1, .arg = 1 };
	static struct snapshot before, after;
	const struct tg_snap_client *b, *a;
	struct guest first, late;
	bool ok = false;
	__u32 i, k;

	if (!policy("fifo") || !arrive_at(&first, "word"))
		return;
	if (arrive_at(&late, "word")) {
		ok = publish(&first, TGD_REC_SUBMIT, 0, 0) && answered(&first, 0, TGD_GO) &&
		     publish(&late, TGD_REC_SUBMIT, 0, 0) && answered(&late, 0, TGD_GO);
		publish(&first, TGD_REC_STARTED, 0, 0);
		publish(&late, TGD_REC_STARTED, 0, 0);
		usleep(20000);
		done.at = seconds() * 1e9;
		tgd_push(first.page, &done);
		ring_bell(&first);
		usleep(20000);
		b = snapshot(&before);
		done.at -= 5000000;
		tgd_push(late.page, &done);
		ring_bell(&late);
		usleep(20000);
		a = snapshot(&after);
		ok &= a && b && after.head.nr_clients == before.head.nr_clients;
		for (i = 0; ok && i < before.head.nr_clients; i++)
			for (k = 0; k < after.head.nr_clients; k++)
				if (a[k].id == b[i].id && a[k].gpu_time < b[i].gpu_time)
					ok = false;
		depart(&late);
	}
	depart(&first);
	policy("timegraph");
	test_row("no counter of GPU time goes back", ok, "one does");
}

/* The first process says that the device has hardly any memory. */
static void small_memory(void)
{
	struct tgd_hello h = good_hello();
	struct guest liar, g;
	bool ok = false;

	strcpy(h.key, own_device("small"));
	h.memory = 1;
	liar.fd = dial();
	send(liar.fd, &h, sizeof(h), MSG_NOSIGNAL);
	h.memory = 1 << 20;
	g.fd = dial();
	if (welcome(&liar)) {
		send(g.fd, &h, sizeof(h), MSG_NOSIGNAL);
		ok = welcome(&g) && publish(&g, TGD_REC_MEM_REQUEST, 0, 1 << 19) && answered(&g, 0, TGD_GO);
		depart(&liar);
	}
	test_row("a small size that was said first denies nothing", ok, "it does");
	if (ok)
		depart(&g);
}

/* One says that the device has a lot of memory, and goes. */
static void large_memory(void)
{
	struct tgd_hello h = good_hello();
	struct guest liar, g;
	bool ok = false;

	strcpy(h.key, own_device("large"));
	h.memory = 1ULL << 50;
	if (!arrive_at(&g, "large"))
		return;
	liar.fd = dial();
	send(liar.fd, &h, sizeof(h), MSG_NOSIGNAL);
	if (welcome(&liar)) {
		depart(&liar);
		usleep(100000);
		ok = publish(&g, TGD_REC_MEM_REQUEST, 0, 500ULL << 30) && answered(&g, 0, TGD_NO_MEMORY) &&
		     publish(&g, TGD_REC_MEM_REQUEST, 1, 1 << 19) && answered(&g, 1, TGD_GO);
	}
	depart(&g);
	test_row("a large size counts no more when who has said it has gone", ok, "it does");
}

static void strange_name(void)
{
	char line[512], name[96];
	struct guest g;
	bool seen = false, plain = true;
	double end;
	FILE *f;

	if (!fork()) {
		prctl(PR_SET_NAME, "\033[2J\033]0;x");
		if (!arrive(&g))
			_exit(1);
		g.page->word = tgd_word(TGD_ASK, 0, 99999);
		ring_bell(&g);
		usleep(1200000);	/* so that its line is within the number of a second */
		g.page->word = tgd_word(TGD_ASK, 0, 88888);
		ring_bell(&g);
		usleep(50000);
		_exit(0);
	}
	wait(NULL);
	snprintf(name, sizeof(name), "%s/log", dir);
	end = seconds() + patient(5);
	do {
		usleep(10000);
		f = fopen(name, "r");
		while (f && fgets(line, sizeof(line), f)) {
			seen |= !!strstr(line, "?[2J?]0;x");
			plain &= !strchr(line, '\033');
		}
		if (f)
			fclose(f);
	} while (!seen && seconds() < end);
	test_row("a client's name moves no cursor", seen && plain, "%s", seen ? "it may" : "it is not there");
}

/* Records that made no sense, so far */
static long refused_events(void)
{
	char buf[sizeof(struct tgd_reply) + 64] = "";
	struct tgd_request r = { .magic = TGD_MAGIC, .kind = TGD_READ, .name = "stats/refused_events" };
	int fd = dial();

	if (send(fd, &r, sizeof(r), MSG_NOSIGNAL) > 0 && recv(fd, buf, sizeof(buf) - 1, 0) < 0)
		buf[sizeof(struct tgd_reply)] = '\0';
	close(fd);
	return atol(buf + sizeof(struct tgd_reply));
}

/* The first process says nothing of the device's memory, and that it has one engine. */
static void little_said(void)
{
	struct tgd_record copy = { .kind = TGD_REC_SUBMIT, .slot = 1, .channel = 2 };
	struct tgd_hello h = good_hello();
	const long before = refused_events();
	struct guest liar, g;
	bool ok = false;

	strcpy(h.key, own_device("little"));
	h.memory = 0;
	h.engines = 1;
	liar.fd = dial();
	send(liar.fd, &h, sizeof(h), MSG_NOSIGNAL);
	if (!welcome(&liar))
		return;
	h.memory = 1 << 20;
	h.engines = 2;
	g.fd = dial();
	send(g.fd, &h, sizeof(h), MSG_NOSIGNAL);
	if (welcome(&g)) {
		ok = publish(&g, TGD_REC_MEM_REQUEST, 0, 4 << 20) && answered(&g, 0, TGD_NO_MEMORY);
		tgd_push(g.page, &copy);
		ring_bell(&g);
		ok &= answered(&g, 1, TGD_GO) && refused_events() == before;
		depart(&g);
	}
	depart(&liar);
	test_row("who says little first takes no memory and no engine from others", ok, "it does");
}

/* The most that any client has submitted, by the snapshot */
static __u64 most_submitted(void)
{
	static char buf[65536] __attribute__((aligned(8)));
	struct tgd_request r = { .magic = TGD_MAGIC, .kind = TGD_READ, .name = "snapshot" };
	const struct tg_snap_head *head = (void *)(buf + sizeof(struct tgd_reply));
	const struct tg_snap_client *c = (void *)(head + 1);
	__u64 most = 0;
	int fd = dial();
	unsigned int i;

	if (send(fd, &r, sizeof(r), MSG_NOSIGNAL) > 0 && recv(fd, buf, sizeof(buf), 0) > 0 && head->magic == TG_SNAP_MAGIC)
		for (i = 0; i < head->nr_clients; i++)
			most = c[i].submitted > most ? c[i].submitted : most;
	else
		most = ~0ULL;
	close(fd);
	return most;
}

/* What went through the open gate, a client tells by itself; three add up to more than 2^63. */
static void boast(void)
{
	struct guest g;
	__u64 most = 0;
	bool ok = true;
	int i, k;

	for (i = 0; ok && i < 3; i++) {
		if (!arrive(&g))
			return;
		for (k = 0; k < 3; k++)
			ok &= publish(&g, TGD_REC_IDLE, 0, 3ULL << 60);
		ok &= publish(&g, TGD_REC_SUBMIT, 1, 0) && answered(&g, 1, TGD_GO) &&
		      publish(&g, TGD_REC_STARTED, 1, 0) && publish(&g, TGD_REC_DONE, 1, 0);
		most = most_submitted();
		ok &= most <= 1000000000;
		depart(&g);
	}
	test_row("launches that nobody can have made are not counted", ok, "%llu are", (unsigned long long)most);
}

static void *read_bell(void *arg)
{
	const struct guest *g = arg;
	uint64_t times;

	while (read(g->bell, &times, sizeof(times)) > 0)
		;
	return NULL;
}

/* The bell is made to block, and its client reads it, too: who comes late waits for the next ring. */
static void blocking_bell(void)
{
	pthread_t reader;
	struct guest g;
	bool ok = true;
	int i;

	if (!arrive(&g))
		return;
	fcntl(g.bell, F_SETFL, 0);
	pthread_create(&reader, NULL, read_bell, &g);
	for (i = 0; i < 50 && ok; i++) {
		ring_bell(&g);
		usleep(500);
		ok = served();
	}
	test_row("a bell that blocks stops nobody", ok, "it does, after %d rings", i);
	fcntl(g.bell, F_SETFL, O_NONBLOCK);
	ring_bell(&g);			/* the reader ends with the next one */
	pthread_join(reader, NULL);
	depart(&g);
}

/* A TCP socket that nobody reads from: who closes it last waits for half a minute. */
static int lingering(void)
{
	struct sockaddr_in at = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	const struct linger wait = { 1, 30 };
	static const char much[65536];
	socklen_t len = sizeof(at);
	int l = socket(AF_INET, SOCK_STREAM, 0), s = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);

	if (bind(l, (struct sockaddr *)&at, len) || listen(l, 1) || getsockname(l, (struct sockaddr *)&at, &len))
		return -1;
	connect(s, (struct sockaddr *)&at, len);
	accept(l, NULL, NULL);		/* it stays open */
	while (send(s, much, sizeof(much), MSG_NOSIGNAL) > 0)
		;
	fcntl(s, F_SETFL, 0);
	setsockopt(s, SOL_SOCKET, SO_LINGER, &wait, sizeof(wait));
	return s;
}

/* To be closed by tgd, with its message, or unread, behind one that closes the connection. */
static void send_lingering(bool behind)
{
	char control[CMSG_SPACE(sizeof(int))] = { 0 }, text[32] = { 0 };
	struct iovec iov = { text, sizeof(text) };
	struct msghdr msg = { .msg_iov = &iov, .msg_iovlen = 1, .msg_control = control,
			      .msg_controllen = sizeof(control) };
	struct cmsghdr *c = CMSG_FIRSTHDR(&msg);
	int fd = dial(), sock = lingering();

	c->cmsg_level = SOL_SOCKET;
	c->cmsg_type = SCM_RIGHTS;
	c->cmsg_len = CMSG_LEN(sizeof(int));
	memcpy(CMSG_DATA(c), &sock, sizeof(sock));
	kill(daemon_pid, SIGSTOP);	/* so that it reads when this process has closed its own */
	if (behind)
		send(fd, text, sizeof(text), MSG_NOSIGNAL);
	if (sendmsg(fd, &msg, MSG_NOSIGNAL) < 0)	/* this process would wait */
		setsockopt(sock, SOL_SOCKET, SO_LINGER, &(struct linger){ 1, 0 }, sizeof(struct linger));
	close(sock);
	kill(daemon_pid, SIGCONT);
	usleep(100000);
	close(fd);
}

static void sends_sockets(void)
{
	struct guest g;
	int i, bad = 0;

	/* one that is there already */
	if (!arrive(&g))
		return;
	for (i = 0; i < 2; i++) {
		send_lingering(i);
		publish(&g, TGD_REC_MEM_REQUEST, i, 1);
		bad += !answered(&g, i, TGD_GO);
	}
	depart(&g);
	test_row(old_kernel ? "a socket that lingers stops nobody, before Linux 6.16" :
		 "a socket that lingers stops nobody", !bad, "%d of 2 do", bad);
}

static void sends_sockets_before_6_16(void)
{
	const pid_t first = daemon_pid;
	char first_dir[sizeof(dir)], first_path[sizeof(path)];

	memcpy(first_dir, dir, sizeof(dir));
	memcpy(first_path, path, sizeof(path));
	old_kernel = true;
	if (start(tgd_program))
		sends_sockets();
	old_kernel = false;
	end_daemon("and it ends cleanly");
	daemon_pid = first;
	memcpy(dir, first_dir, sizeof(dir));
	memcpy(path, first_path, sizeof(path));
}

static const struct attack attacks[] = {
	{ "served at all", NULL },
	{ "served after HELLOs that are wrong", bad_hello },
	{ "served after an attempt on the page's size", resized },
	{ "served after an orphan", orphan },
	{ "served after a bell that rings late", late_bell },
	{ "served after a slot that is used anew", reused_slot },
	{ "served after a start that is too early", false_start },
	{ "served after a late word", late_word },
	{ "served after a size that is wrong", small_memory },
	{ "served after a size that was a lie", large_memory },
	{ "served after a device of which little is said", little_said },
	{ "served after a boast", boast },
	{ "served after a bell that blocks", blocking_bell },
	{ "served after a strange name", strange_name },
	{ "served after sockets that linger", sends_sockets },
	{ "served after the same before Linux 6.16", sends_sockets_before_6_16 },
};

int main(int argc, char **argv)
{
	(void)argc;
	return run_attacks(argv, attacks, sizeof(attacks) / sizeof(*attacks), NULL);
}
