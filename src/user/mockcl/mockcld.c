// SPDX-License-Identifier: GPL-2.0
/*
 * mockcld: the test card as a process of its own, so that clients in several processes share it as they
 * share a GPU. libmockcl.so starts it if nobody has; it ends some time after its last client.
 *
 * One thread. It executes what is due, tells clients whether it wants to be woken, looks once more, and
 * sleeps until an engine ends, a doorbell rings or a socket has something.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "engine.h"
#include "lib/number.h"
#include "lib/opt.h"

#define CLIENTS	1024	/* connected at a time */

static const struct opt options[] = {
	{ "devices", 'n', "N", "so many devices, 1 to 8 (1)" },
	{ "memory", 'm', "MIB", "memory of each device (1024)" },
	{ "linger", 'l', "SECONDS", "stay so long after the last client; 0: for ever (0)" },
	{ "log", 0, "FILE", "write a line for each command: DEVICE ENGINE PID CHANNEL START END" },
	{ "truth", 't', NULL, "print the ground truth of the card that runs in DIR" },
	{ "fault", 'f', "FAULT", "have it make a fault, on the device --device:\n"
		"lose | hang N | refuse N | clock OFFSET_NS PPM" },
	{ "device", 'd', "INDEX", "the device of --fault (0)" },
	{ }
};

static struct card card;
static int doorbell, listener;
static volatile sig_atomic_t stop;

static void on_signal(int sig)
{
	(void)sig;
	stop = 1;
}

static uint64_t clock_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000ull + t.tv_nsec;
}

static __attribute__((noreturn, format(printf, 1, 2))) void die(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	fputs("mockcld: ", stderr);
	vfprintf(stderr, format, args);
	fputc('\n', stderr);
	va_end(args);
	exit(1);
}

static void address(struct sockaddr_un *a, const char *dir)
{
	memset(a, 0, sizeof(*a));
	a->sun_family = AF_UNIX;
	if (snprintf(a->sun_path, sizeof(a->sun_path), "%s/" MOCK_SOCKET, dir) >= (int)sizeof(a->sun_path))
		die("%s: the path is too long for a socket; name a folder with fewer than 90 bytes", dir);
}

/* So that devices of two cards are never taken for one: by the folder's device and inode */
static void uuid(uint8_t *id, const char *dir, unsigned int device)
{
	struct stat st;

	if (stat(dir, &st))
		die("%s: %s", dir, strerror(errno));
	memcpy(id, &st.st_ino, 8);
	memcpy(id + 8, "mock", 4);
	id[12] = (uint8_t)st.st_dev;
	id[13] = (uint8_t)(st.st_dev >> 8);
	id[14] = 0;
	id[15] = (uint8_t)device;
}

static int send_page(struct client *c, const struct mock_answer *answer, int page)
{
	int fds[2] = { page, doorbell };
	char control[CMSG_SPACE(sizeof(fds))] = { 0 };
	struct iovec io = { (void *)answer, sizeof(*answer) };
	struct msghdr msg = { .msg_iov = &io, .msg_iovlen = 1,
			      .msg_control = control, .msg_controllen = sizeof(control) };
	struct cmsghdr *cm = CMSG_FIRSTHDR(&msg);

	cm->cmsg_level = SOL_SOCKET;
	cm->cmsg_type = SCM_RIGHTS;
	cm->cmsg_len = CMSG_LEN(sizeof(fds));
	memcpy(CMSG_DATA(cm), fds, sizeof(fds));
	return sendmsg(c->fd, &msg, MSG_NOSIGNAL) < 0 ? errno : 0;
}

static int hello(struct client *c, struct mock_answer *answer, const char *dir)
{
	int fd = memfd_create("mockcl", MFD_CLOEXEC), error;

	if (fd < 0 || ftruncate(fd, sizeof(struct mock_page))) {
		error = errno;
		if (fd >= 0)
			close(fd);
		return error;
	}
	c->page = mmap(NULL, sizeof(*c->page), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (c->page == MAP_FAILED) {
		c->page = NULL;
		close(fd);
		return ENOMEM;
	}
	card_clocks(&card, c);
	for (unsigned int i = 0; i < card.devices; i++)
		atomic_store(&c->page->lost[i], card.device[i].lost);
	answer->n = card.devices;
	answer->bytes = card.device[0].memory;
	uuid(answer->uuid, dir, 0);
	error = send_page(c, answer, fd);
	close(fd);
	return error;
}

static int open_channel(struct client *c, unsigned int device, uint32_t *n)
{
	unsigned int i;

	if (device >= card.devices)
		return EINVAL;
	for (i = 0; i < MOCK_CHANNELS && c->used[i]; i++)
		;
	if (i == MOCK_CHANNELS)
		return ENOSPC;
	c->used[i] = true;
	c->device[i] = device;
	c->ended[i] = 0;
	*n = i;
	return 0;
}

static void truth(int fd)
{
	char *text = NULL;
	size_t len = 0, at, part;
	FILE *to = open_memstream(&text, &len);

	if (!to)
		return;
	card_truth(&card, to, clock_now());
	fclose(to);
	for (at = 0; at < len; at += part) {
		part = len - at < 4096 ? len - at : 4096;
		if (send(fd, text + at, part, MSG_NOSIGNAL) < 0)
			break;
	}
	free(text);
}

/* Return: does the client stay? */
static bool request(struct client *c, const char *dir)
{
	struct mock_answer answer = { 0 };
	struct mock_request ask;
	ssize_t got;

	got = recv(c->fd, &ask, sizeof(ask), MSG_DONTWAIT);
	if (got < 0)
		return errno == EAGAIN || errno == EINTR;
	if (got != sizeof(ask))
		return false;
	ask.text[sizeof(ask.text) - 1] = 0;
	card_run(&card, clock_now());
	switch (ask.ask) {
	case MOCK_HELLO:
		if (c->page)
			return false;
		answer.error = hello(c, &answer, dir);
		if (!answer.error)
			return true;
		break;
	case MOCK_TRUTH:
		truth(c->fd);
		return false;
	case MOCK_FAULT:
		answer.error = card_fault(&card, ask.device, ask.text, clock_now());
		break;
	case MOCK_OPEN:
		answer.error = c->page ? open_channel(c, ask.device, &answer.n) : EINVAL;
		break;
	case MOCK_CLOSE:
		if (c->page)
			card_close(&card, c, ask.n, clock_now());
		break;
	case MOCK_ALLOCATE:
	case MOCK_RELEASE:
		answer.error = ask.device < card.devices && c->page ?
			card_memory(&card, c, ask.device, ask.bytes, ask.ask == MOCK_ALLOCATE) : EINVAL;
		break;
	default:
		answer.error = EINVAL;
	}
	return send(c->fd, &answer, sizeof(answer), MSG_NOSIGNAL | MSG_DONTWAIT) == sizeof(answer);
}

static void arrive(void)
{
	struct ucred cred;
	socklen_t len = sizeof(cred);
	char path[32];
	struct client *c;
	FILE *f;
	int fd;

	fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
	if (fd < 0)
		return;
	c = calloc(1, sizeof(*c));
	if (!c || getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &cred, &len)) {
		free(c);
		close(fd);
		return;
	}
	c->fd = fd;
	c->pid = cred.pid;
	c->uid = cred.uid;
	snprintf(path, sizeof(path), "/proc/%d/comm", c->pid);
	f = fopen(path, "re");
	if (f) {
		if (fgets(c->name, sizeof(c->name), f))
			c->name[strcspn(c->name, "\n")] = 0;
		fclose(f);
	}
	c->next = card.clients;
	card.clients = c;
}

/* A client that never asked for a page was no client of the card's */
static void depart(struct client *c)
{
	struct client **at = &card.clients;

	close(c->fd);
	c->fd = -1;
	if (c->page) {
		card_leave(&card, c, clock_now());
		munmap(c->page, sizeof(*c->page));
		c->page = NULL;
		return;
	}
	while (*at != c)
		at = &(*at)->next;
	*at = c->next;
	free(c);
}

/* Sleep until @next or until something comes; then serve it. Return: how many clients there are */
static unsigned int serve(uint64_t next, const char *dir)
{
	static struct pollfd fds[CLIENTS + 2];
	static struct client *of[CLIENTS + 2];
	unsigned int n = 2, i, there = 0;
	uint64_t now = clock_now(), rung;
	struct timespec t, *limit = &t;
	struct client *c;

	fds[0] = (struct pollfd){ .fd = doorbell, .events = POLLIN };
	fds[1] = (struct pollfd){ .fd = listener, .events = POLLIN };
	for (c = card.clients; c; c = c->next)
		if (c->fd >= 0 && n < CLIENTS + 2) {
			of[n] = c;
			fds[n++] = (struct pollfd){ .fd = c->fd, .events = POLLIN };
		}
	if (n == CLIENTS + 2)
		fds[1].events = 0;
	if (next > now + 1000000000)	/* a signal between the test of @stop and the sleep */
		next = now + 1000000000;
	next = next > now ? next - now : 0;
	t = (struct timespec){ next / 1000000000, next % 1000000000 };
	if (ppoll(fds, n, limit, NULL) <= 0)
		return n - 2;
	if (fds[0].revents && read(doorbell, &rung, sizeof(rung)) < 0 && errno != EAGAIN)
		die("doorbell: %s", strerror(errno));
	for (i = 2; i < n; i++)
		if (fds[i].revents && !request(of[i], dir))
			depart(of[i]);
	if (fds[1].revents)
		arrive();
	for (c = card.clients; c; c = c->next)
		there += c->fd >= 0;
	return there;
}

static void run(const char *dir, unsigned int linger)
{
	uint64_t next, empty_since = clock_now();
	uint32_t was;

	while (!stop) {
		card_run(&card, clock_now());
		/* What came before they knew; and what ends meanwhile they are to know, too. */
		do {
			was = card_busy(&card);
			card_idle(&card, true);
			next = card_run(&card, clock_now());
		} while (card_busy(&card) != was);
		if (serve(next, dir))
			empty_since = clock_now();
		card_idle(&card, false);
		if (linger && clock_now() - empty_since > linger * 1000000000ull)
			break;
	}
}

static void write_truth(const char *dir)
{
	char path[128];
	FILE *to;

	snprintf(path, sizeof(path), "%s/truth.json", dir);
	to = fopen(path, "we");
	if (!to)
		die("%s: %s", path, strerror(errno));
	card_truth(&card, to, clock_now());
	if (fclose(to))
		die("%s: %s", path, strerror(errno));
}

/* One card in a folder: the lock's holder. Return: is it this process? */
static bool elect(const char *dir)
{
	struct sockaddr_un a;
	char path[128];
	int fd;

	if (mkdir(dir, 0700) && errno != EEXIST)
		die("%s: %s", dir, strerror(errno));
	address(&a, dir);
	snprintf(path, sizeof(path), "%s/lock", dir);
	fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	if (fd < 0)
		die("%s: %s", path, strerror(errno));
	if (flock(fd, LOCK_EX | LOCK_NB))
		return false;
	unlink(a.sun_path);
	listener = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (listener < 0 || bind(listener, (void *)&a, sizeof(a)) || listen(listener, 128))
		die("%s: %s", a.sun_path, strerror(errno));
	return true;
}

/* The other side of MOCK_TRUTH and MOCK_FAULT */
static int administer(const char *dir, unsigned int device, const char *fault)
{
	struct mock_request ask = { .ask = fault ? MOCK_FAULT : MOCK_TRUTH, .device = device };
	struct mock_answer answer;
	struct sockaddr_un a;
	char text[4096];
	ssize_t got;
	int fd;

	address(&a, dir);
	fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
	if (fd < 0 || connect(fd, (void *)&a, sizeof(a)))
		die("%s: no card runs here: %s", dir, strerror(errno));
	snprintf(ask.text, sizeof(ask.text), "%s", fault ? fault : "");
	if (send(fd, &ask, sizeof(ask), MSG_NOSIGNAL) != sizeof(ask))
		die("%s: %s", dir, strerror(errno));
	if (fault) {
		if (recv(fd, &answer, sizeof(answer), 0) != sizeof(answer))
			die("%s: the card did not answer", dir);
		if (answer.error)
			die("no fault '%s' of device %u (known: lose, hang N, refuse N, clock OFFSET_NS PPM)",
			    fault, device);
		return 0;
	}
	while ((got = recv(fd, text, sizeof(text), 0)) > 0)
		fwrite(text, 1, got, stdout);
	return 0;
}

static uint64_t number(const struct opts *o, uint64_t min, uint64_t max)
{
	uint64_t n;

	if (!number_read(o->value, max, &n) || n < min)
		die("--%s takes a number from %" PRIu64 " to %" PRIu64 ", not '%s'", o->opt->name, min, max,
		    o->value);
	return n;
}

int main(int argc, char **argv)
{
	struct opts o = { .table = options, .argv = argv + 1 };
	const char *dir = NULL, *fault = NULL, *log = NULL;
	unsigned int devices = 1, linger = 0, device = 0, i;
	uint64_t memory = 1024;
	enum opt_what what;
	bool ask = false;

	(void)argc;
	while ((what = opt_next(&o)) != OPT_END) {
		if (what == OPT_WORD && !dir) {
			dir = o.word;
		} else if (what == OPT_HELP) {
			printf("usage: mockcld [OPTION]... DIR    a test card for OpenCL, in the folder DIR\n\n");
			opt_help(stdout, options, 18);
			return 0;
		} else if (what == OPT_VERSION) {
			opt_version("mockcld");
			return 0;
		} else if (what != OPT_GIVEN) {
			opt_complain("mockcld", &o, what);
			return 2;
		} else if (opt_is(&o, "devices")) {
			devices = number(&o, 1, MOCK_DEVICES);
		} else if (opt_is(&o, "memory")) {
			memory = number(&o, 1, 1 << 20);
		} else if (opt_is(&o, "linger")) {
			linger = number(&o, 0, 86400);
		} else if (opt_is(&o, "log")) {
			log = o.value;
		} else if (opt_is(&o, "fault")) {
			fault = o.value;
		} else if (opt_is(&o, "device")) {
			device = number(&o, 0, MOCK_DEVICES - 1);
		} else {
			ask = true;
		}
	}
	if (!dir)
		die("which folder? usage: mockcld [OPTION]... DIR");
	if (ask || fault)
		return administer(dir, device, fault);
	if (!elect(dir))
		return 0;
	card.devices = devices;
	for (i = 0; i < devices; i++)
		card.device[i] = (struct device){ .memory = memory << 20, .rate = 1 << 20 };
	card.log = log ? fopen(log, "we") : NULL;
	if (log && !card.log)
		die("%s: %s", log, strerror(errno));
	doorbell = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (doorbell < 0)
		die("doorbell: %s", strerror(errno));
	prctl(PR_SET_TIMERSLACK, 1);
	signal(SIGTERM, on_signal);
	signal(SIGINT, on_signal);
	signal(SIGPIPE, SIG_IGN);
	run(dir, linger);
	write_truth(dir);
	return 0;
}
