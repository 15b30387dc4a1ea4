// SPDX-License-Identifier: GPL-2.0
/*
 * tgd under attack: messages and pages that make no sense, too many connections, peers that never
 * read, descriptors that outlive their process. After each row an honest client is served.
 *
 *	hostile [TGD [SECONDS]]	starts TGD, one built with sanitizers, on a socket of its own
 *				SECONDS: the rows at random go on for so long
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <uapi/tgd.h>
#include <uapi/timegraph.h>

#include "../lib/test.h"

static char dir[64], path[192];
static pid_t daemon_pid;
static unsigned long long seed = 1;

static unsigned int any(unsigned int n)
{
	seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
	return (seed >> 33) % n;
}

static double seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

static int dial(void)
{
	struct sockaddr_un to = { .sun_family = AF_UNIX };
	struct timeval limit = { .tv_sec = 5 };
	int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);

	strcpy(to.sun_path, path);
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
	setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof(limit));
	if (!connect(fd, (struct sockaddr *)&to, sizeof(to)))
		return fd;
	close(fd);
	return -1;
}

struct guest {
	int fd, bell;
	unsigned int error;
	struct tgd_page *page;
};

static struct tgd_hello good_hello(void)
{
	return (struct tgd_hello){ .magic = TGD_MAGIC, .kind = TGD_HELLO, .version = TGD_VERSION,
				   .engines = 2, .yields = 1, .memory = 1 << 20, .key = "test:hostile", .name = "a" };
}

static bool welcome(struct guest *g)
{
	char control[CMSG_SPACE(2 * sizeof(int))];
	struct tgd_welcome w = { 0 };
	struct iovec iov = { &w, sizeof(w) };
	struct msghdr msg = { .msg_iov = &iov, .msg_iovlen = 1, .msg_control = control,
			      .msg_controllen = sizeof(control) };
	struct cmsghdr *c;
	int fds[2];

	g->error = EIO;
	if (recvmsg(g->fd, &msg, MSG_CMSG_CLOEXEC) != sizeof(w))
		return false;
	g->error = w.error;
	c = CMSG_FIRSTHDR(&msg);
	if (w.error || !c)
		return false;
	memcpy(fds, CMSG_DATA(c), sizeof(fds));
	g->page = mmap(NULL, sizeof(*g->page), PROT_READ | PROT_WRITE, MAP_SHARED, fds[0], 0);
	close(fds[0]);
	g->bell = fds[1];
	return g->page != MAP_FAILED;
}

static bool arrive_at(struct guest *g, const char *key)
{
	struct tgd_hello h = good_hello();

	strcpy(h.key, key);
	g->fd = dial();
	if (g->fd >= 0)
		send(g->fd, &h, sizeof(h), MSG_NOSIGNAL);	/* or it is refused already */
	if (welcome(g))
		return true;
	close(g->fd);
	return false;
}

static bool arrive(struct guest *g)
{
	return arrive_at(g, "test:hostile");
}

static void depart(struct guest *g)
{
	munmap(g->page, sizeof(*g->page));
	close(g->bell);
	close(g->fd);
}

static void ring_bell(const struct guest *g)
{
	uint64_t one = 1;

	if (write(g->bell, &one, sizeof(one)) < 0)
		return;
}

static bool publish(struct guest *g, __u32 kind, unsigned int slot, __u64 arg)
{
	struct tgd_record r = { .kind = kind, .slot = slot, .channel = 1, .arg = arg };

	if (tgd_push(g->page, &r) == TGD_FULL)
		return false;
	ring_bell(g);
	return true;
}

static bool answered(struct guest *g, unsigned int slot, __u32 want)
{
	double end = seconds() + 5;

	while (__atomic_load_n(&g->page->slot[slot], __ATOMIC_ACQUIRE) != want)
		if (seconds() > end)
			return false;
		else
			usleep(200);
	return true;
}

/* An honest client is served: a job goes through, and memory is granted and refused by the books. */
static bool served(void)
{
	double end = seconds() + 5;
	struct guest g;
	bool ok;

	/* The attacker is the same user: its connections count until tgd has seen their ends. */
	while (!arrive(&g)) {
		if (g.error != EUSERS || seconds() > end)
			return false;
		usleep(10000);
	}
	ok = publish(&g, TGD_REC_SUBMIT, 3, 0) && answered(&g, 3, TGD_GO) &&
	     publish(&g, TGD_REC_STARTED, 3, 0) && publish(&g, TGD_REC_DONE, 3, 0) &&
	     publish(&g, TGD_REC_MEM_REQUEST, 4, 1 << 19) && answered(&g, 4, TGD_GO) &&
	     publish(&g, TGD_REC_MEM_REQUEST, 5, 4ULL << 20) && answered(&g, 5, TGD_NO_MEMORY);
	depart(&g);
	return ok;
}

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

static void noise(void)
{
	unsigned int i, k, len;
	unsigned char buf[2048];
	int fd;

	for (i = 0; i < 300; i++) {
		fd = dial();
		for (k = 0; k < 3; k++) {
			for (len = 0; len < sizeof(buf); len++)
				buf[len] = any(256);
			if (any(2))
				memcpy(buf, (__u32[]){ TGD_MAGIC, any(12) }, 8);
			send(fd, buf, any(sizeof(buf)), MSG_NOSIGNAL | MSG_DONTWAIT);
		}
		close(fd);
	}
}

static void wrong_records(void)
{
	struct guest g;
	int i;

	if (!arrive(&g))
		return;
	for (i = 0; i < 3000; i++) {
		struct tgd_record r = { .kind = any(14), .slot = any(300), .channel = any(4),
					.at = any(3) ? any(1000) : -(long long)any(1000),
					.arg = any(4) ? any(1 << 20) : ~0ULL >> any(64) };

		while (tgd_push(g.page, &r) == TGD_FULL) {
			ring_bell(&g);
			usleep(100);
		}
		if (!any(20))
			ring_bell(&g);
		if (!any(100))
			usleep(200);
	}
	ring_bell(&g);
	usleep(2000);
	depart(&g);
}

static void wrong_page(void)
{
	struct guest g;
	unsigned int i, k;

	for (i = 0; i < 60; i++) {
		if (!arrive(&g))
			return;
		for (k = 0; k < sizeof(*g.page); k += 1 + any(64))
			((unsigned char *)g.page)[k] = any(256);
		if (any(2))
			g.page->word = tgd_word(any(4), any(256), any(TGD_RING));
		ring_bell(&g);
		usleep(500);
		ring_bell(&g);
		depart(&g);
	}
}

/* A client that says LEASE itself */
static void stolen_lease(void)
{
	struct guest g;
	unsigned int i;

	if (!arrive(&g))
		return;
	for (i = 0; i < 200; i++) {
		g.page->word = tgd_word(TGD_LEASE, 255, tgd_head_of(g.page->word));
		publish(&g, TGD_REC_BYPASSED, i % TGD_SLOTS, 0);
	}
	usleep(2000);
	depart(&g);
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

static void crowd(void)
{
	struct guest g;
	int fds[300], i, nr = 0, refused = 0;
	bool ok;

	if (!arrive(&g))		/* one that is there already */
		return;
	for (i = 0; i < 300; i++)
		nr += (fds[i] = dial()) >= 0;
	usleep(200000);
	for (i = 0; i < 300; i++) {
		struct tgd_welcome w;

		if (fds[i] >= 0 && recv(fds[i], &w, sizeof(w), MSG_DONTWAIT) == sizeof(w))
			refused += w.error == EUSERS;
	}
	ok = publish(&g, TGD_REC_SUBMIT, 0, 0) && answered(&g, 0, TGD_GO);
	for (i = 0; i < 300; i++)
		close(fds[i]);
	depart(&g);
	usleep(100000);
	test_row("a user's connections are limited, and the others served", ok && refused >= 170,
		 "%d connected, %d refused, the first %s", nr, refused, ok ? "served" : "not served");
}

static void many_connections(void)
{
	int i, fd, failed = 0;

	for (i = 0; i < 10000; i++) {
		fd = dial();
		failed += fd < 0;
		close(fd);
	}
	test_row("10 000 connections come and go", failed < 100, "%d failed", failed);
}

static void never_reads(void)
{
	struct tgd_request r = { .magic = TGD_MAGIC, .kind = TGD_LIST, .name = "knobs" };
	int fd = dial(), i;

	for (i = 0; i < 2000; i++)
		send(fd, &r, sizeof(r), MSG_NOSIGNAL | MSG_DONTWAIT);
	test_row("a peer that never reads does not delay others", served(), "it does");
	close(fd);
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
	if (!arrive_at(&g, "test:bell"))
		return;
	close(g.fd);
	usleep(100000);
	ring_bell(&g);
	usleep(100000);
	close(g.bell);
	munmap(g.page, sizeof(*g.page));
}

/* How many jobs wait, and the GPU time of all, as tgd's snapshot says; -1: it says nothing. */
static long waiting(double *used)
{
	static char buf[sizeof(struct tgd_reply) + TGD_DATA];
	struct tgd_request r = { .magic = TGD_MAGIC, .kind = TGD_READ, .name = "snapshot" };
	struct tg_snap_head *head = (struct tg_snap_head *)(buf + sizeof(struct tgd_reply));
	struct tg_snap_client *c = (struct tg_snap_client *)(head + 1);
	ssize_t len = -1;
	long nr = 0;
	__u32 i;
	int fd = dial();

	if (send(fd, &r, sizeof(r), MSG_NOSIGNAL) > 0)
		len = recv(fd, buf, sizeof(buf), 0);
	close(fd);
	*used = 0;
	if (len < (ssize_t)(sizeof(struct tgd_reply) + sizeof(*head)))
		return -1;
	for (i = 0; i < head->nr_clients; i++) {
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

	if (!arrive_at(&g, "test:past"))
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

/* Of tgd */
static int descriptors(void)
{
	char name[64];
	int nr = 0;
	DIR *all;

	snprintf(name, sizeof(name), "/proc/%d/fd", daemon_pid);
	all = opendir(name);
	for (; all && readdir(all); nr++)
		;
	closedir(all);
	return nr;
}

/* The process that connects is gone before tgd looks at it. */
static void dead_process(void)
{
	struct tgd_hello h = good_hello();
	struct sockaddr_un to = { .sun_family = AF_UNIX };
	int before, i, clients = 0;
	struct guest g;
	pid_t child;

	usleep(100000);
	before = descriptors();
	strcpy(to.sun_path, path);
	for (i = 0; i < 20; i++) {
		kill(daemon_pid, SIGSTOP);
		g.fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
		child = fork();
		if (!child)
			_exit(connect(g.fd, (struct sockaddr *)&to, sizeof(to)));
		waitpid(child, NULL, 0);
		send(g.fd, &h, sizeof(h), MSG_NOSIGNAL);
		kill(daemon_pid, SIGCONT);
		clients += welcome(&g);
		close(g.fd);
	}
	usleep(100000);
	test_row("a process that is gone is no client", !clients, "%d are", clients);
	test_row("and costs no descriptor", descriptors() <= before, "%d before, %d after", before,
		 descriptors());
}

static double cpu_of_daemon(void)
{
	unsigned long user = 0, system = 0;
	char name[64], line[512] = "";
	FILE *f;

	snprintf(name, sizeof(name), "/proc/%d/stat", daemon_pid);
	f = fopen(name, "r");
	if (f && fgets(line, sizeof(line), f) && strrchr(line, ')'))
		sscanf(strrchr(line, ')'), ") %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu", &user,
		       &system);
	if (f)
		fclose(f);
	return (double)(user + system) / sysconf(_SC_CLK_TCK);
}

static void no_descriptors(void)
{
	struct rlimit old, few;
	int fds[60], i;
	double before;

	prlimit(daemon_pid, RLIMIT_NOFILE, NULL, &old);
	few = (struct rlimit){ descriptors() + 8, old.rlim_max };
	prlimit(daemon_pid, RLIMIT_NOFILE, &few, NULL);
	for (i = 0; i < 60; i++)
		fds[i] = dial();
	usleep(100000);
	before = cpu_of_daemon();
	sleep(1);
	before = cpu_of_daemon() - before;
	for (i = 0; i < 60; i++)
		close(fds[i]);
	prlimit(daemon_pid, RLIMIT_NOFILE, &old, NULL);
	test_row("without a descriptor left it sleeps", before < .3, "%.2f s of CPU in one", before);
}

/* The first process says that the device has hardly any memory. */
static void small_memory(void)
{
	struct tgd_hello h = good_hello();
	struct guest liar, g;
	bool ok = false;

	strcpy(h.key, "test:small");
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

static void strange_name(void)
{
	char line[512], name[96];
	struct guest g;
	bool seen = false, plain = true;
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
	f = fopen(name, "r");
	while (f && fgets(line, sizeof(line), f)) {
		seen |= !!strstr(line, "?[2J?]0;x");
		plain &= !strchr(line, '\033');
	}
	if (f)
		fclose(f);
	test_row("a client's name moves no cursor", seen && plain, "%s", seen ? "it may" : "it is not there");
}

/* The devices that a user may name first; those that are known stay. */
static void many_devices(void)
{
	char key[TGD_KEY];
	struct guest g;
	int i, taken = 0;

	for (i = 0; i < 40; i++) {
		snprintf(key, sizeof(key), "test:many%d", i);
		if (arrive_at(&g, key) && ++taken)
			depart(&g);
	}
	test_row("a user's devices are limited", taken <= 16 && taken > 8, "%d are taken", taken);
}

static const struct {
	const char *name;
	void (*attack)(void);
} rows[] = {
	{ "served at all", NULL },
	{ "served after HELLOs that are wrong", bad_hello },
	{ "served after noise", noise },
	{ "served after records that make no sense", wrong_records },
	{ "served after pages written over", wrong_page },
	{ "served after a lease that nobody gave", stolen_lease },
	{ "served after an attempt on the page's size", resized },
	{ "served after a crowd", crowd },
	{ "served after 10 000 connections", many_connections },
	{ "served after a peer that never reads", never_reads },
	{ "served after an orphan", orphan },
	{ "served after a bell that rings late", late_bell },
	{ "served after a slot that is used anew", reused_slot },
	{ "served after a start that is too early", false_start },
	{ "served after processes that are gone", dead_process },
	{ "served after a lack of descriptors", no_descriptors },
	{ "served after a size that is wrong", small_memory },
	{ "served after a strange name", strange_name },
	{ "served after many devices", many_devices },
};

static bool start(const char *tgd)
{
	char log[96];
	double end = seconds() + 10;
	int fd;

	strcpy(dir, "/tmp/tgd-hostile-XXXXXX");
	if (!mkdtemp(dir))
		return false;
	snprintf(path, sizeof(path), "%s/sock", dir);
	daemon_pid = fork();
	if (!daemon_pid) {
		snprintf(log, sizeof(log), "%s/log", dir);
		dup2(open(log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600), 2);
		execl(tgd, tgd, "--socket", path, "--spec", "/dev/null", "--trace-kib", "1024", NULL);
		_exit(127);
	}
	while ((fd = dial()) < 0 && seconds() < end)
		usleep(20000);
	close(fd);
	return fd >= 0;
}

int main(int argc, char **argv)
{
	double end = seconds() + (argc > 2 ? atof(argv[2]) : 0);
	int status = 0;
	size_t i;

	signal(SIGPIPE, SIG_IGN);
	if (!start(argc > 1 ? argv[1] : "build/bin/tgd-san")) {
		fprintf(stderr, "hostile: no tgd listens; usage: hostile [TGD [SECONDS]]\n");
		return 2;
	}
	for (i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		if (rows[i].attack)
			rows[i].attack();
		test_row(rows[i].name, served(), "it is not");
	}
	while (seconds() < end) {
		noise();
		wrong_records();
		wrong_page();
		stolen_lease();
	}
	test_row("served in the end", served(), "it is not");
	kill(daemon_pid, SIGTERM);
	waitpid(daemon_pid, &status, 0);
	test_row("tgd ends cleanly", WIFEXITED(status) && !WEXITSTATUS(status), "status %x", status);
	snprintf(path, sizeof(path), "grep -A 20 ERROR %s/log >&2; rm -rf %s", dir, dir);
	if (system(path))
		return 1;
	return test_end();
}
