// SPDX-License-Identifier: GPL-2.0
/*
 * The driver's connection to the card: one for each process. It is made when a program first asks for
 * devices; a forked child makes its own, and has none of its parent's objects. Starts mockcld where
 * none runs. Called under mock_lock, except in the child of a fork.
 */
#include <dlfcn.h>
#include <errno.h>
#include <poll.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "driver.h"

pthread_mutex_t mock_lock = PTHREAD_MUTEX_INITIALIZER;

static struct {
	int fd, doorbell;
	unsigned int generation;
	struct mock_page *page;
	cl_uint n;
	uint64_t memory;
} card = { .fd = -1, .doorbell = -1 };

static struct _cl_device_id devices[MOCK_DEVICES];

uint64_t link_clock(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000ull + t.tv_nsec;
}

static void before_fork(void)
{
	pthread_mutex_lock(&mock_lock);
}

static void after_fork(void)
{
	pthread_mutex_unlock(&mock_lock);
}

/* The parent's page stays mapped: objects that point into it are the parent's, too */
static void in_child(void)
{
	if (card.fd >= 0) {
		close(card.fd);
		close(card.doorbell);
	}
	card.fd = card.doorbell = -1;
	card.page = NULL;
	card.generation++;
	queues_forget();
	callbacks_forget();
	pthread_mutex_unlock(&mock_lock);
}

__attribute__((constructor))
static void load(void)
{
	pthread_atfork(before_fork, after_fork, in_child);
}

static const char *folder(void)
{
	static char dir[64];
	const char *given = getenv("MOCKCL_DIR");

	if (given && *given)
		return given;
	snprintf(dir, sizeof(dir), "/tmp/mockcl-%u", getuid());
	return dir;
}

/* A card that nobody started ends two seconds after its last client */
static void start_card(void)
{
	char path[4096], *argv[] = { path, "-l", "2", (char *)folder(), NULL };
	extern char **environ;
	posix_spawnattr_t attr;
	posix_spawn_file_actions_t files;
	Dl_info self;
	pid_t pid;

	if (!dladdr((void *)link_clock, &self) || !self.dli_fname)
		return;
	snprintf(path, sizeof(path), "%.*s/mockcld", (int)(strrchr(self.dli_fname, '/') - self.dli_fname),
		 self.dli_fname);
	posix_spawnattr_init(&attr);
	posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETSID);
	posix_spawn_file_actions_init(&files);
	posix_spawn_file_actions_addopen(&files, 0, "/dev/null", 0, 0);
	posix_spawn_file_actions_addopen(&files, 1, "/dev/null", 1, 0);
	if (posix_spawn(&pid, path, &files, &attr, argv, environ))
		fprintf(stderr, "mockcl: %s cannot be started: %s\n", path, strerror(errno));
	posix_spawn_file_actions_destroy(&files);
	posix_spawnattr_destroy(&attr);
}

static int connect_card(void)
{
	struct sockaddr_un a = { .sun_family = AF_UNIX };
	unsigned int tries;
	int fd;

	if (snprintf(a.sun_path, sizeof(a.sun_path), "%s/" MOCK_SOCKET, folder()) >= (int)sizeof(a.sun_path))
		return -1;
	fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
	for (tries = 0; fd >= 0 && tries < 200; tries++) {
		if (!connect(fd, (void *)&a, sizeof(a)))
			return fd;
		if (!tries)
			start_card();
		usleep(10000);
	}
	if (fd >= 0)
		close(fd);
	return -1;
}

static bool hello(int fd, struct mock_answer *answer, int *fds)
{
	struct mock_request ask = { .ask = MOCK_HELLO };
	char control[CMSG_SPACE(2 * sizeof(int))];
	struct iovec io = { answer, sizeof(*answer) };
	struct msghdr msg = { .msg_iov = &io, .msg_iovlen = 1,
			      .msg_control = control, .msg_controllen = sizeof(control) };
	struct cmsghdr *cm;

	if (send(fd, &ask, sizeof(ask), MSG_NOSIGNAL) != sizeof(ask) ||
	    recvmsg(fd, &msg, MSG_CMSG_CLOEXEC) != sizeof(*answer) || answer->error)
		return false;
	cm = CMSG_FIRSTHDR(&msg);
	if (!cm || cm->cmsg_len != CMSG_LEN(2 * sizeof(int)))
		return false;
	memcpy(fds, CMSG_DATA(cm), 2 * sizeof(int));
	return true;
}

struct mock_page *link_page(void)
{
	struct mock_answer answer;
	int fd, fds[2];
	void *page;

	if (card.page)
		return card.page;
	fd = connect_card();
	if (fd < 0)
		return NULL;
	if (!hello(fd, &answer, fds)) {
		close(fd);
		return NULL;
	}
	page = mmap(NULL, sizeof(*card.page), PROT_READ | PROT_WRITE, MAP_SHARED, fds[0], 0);
	close(fds[0]);
	if (page == MAP_FAILED) {
		close(fds[1]);
		close(fd);
		return NULL;
	}
	card.fd = fd;
	card.doorbell = fds[1];
	card.page = page;
	card.n = answer.n < MOCK_DEVICES ? answer.n : MOCK_DEVICES;
	card.memory = answer.bytes;
	for (unsigned int i = 0; i < card.n; i++) {
		devices[i].head = (struct head){ &mock_dispatch, DEVICE, 1 };
		devices[i].index = i;
		memcpy(devices[i].uuid, answer.uuid, sizeof(answer.uuid));
		devices[i].uuid[15] = (uint8_t)i;
	}
	return page;
}

unsigned int link_generation(void)
{
	return card.generation;
}

cl_uint link_devices(cl_device_id *list)
{
	cl_uint i, n = link_page() ? card.n : 0;

	for (i = 0; list && i < n; i++)
		list[i] = &devices[i];
	return n;
}

uint64_t link_memory(void)
{
	return card.memory;
}

int link_ask(enum mock_ask what, unsigned int device, uint32_t *n, uint64_t bytes)
{
	struct mock_request ask = { .ask = what, .device = device, .bytes = bytes };
	struct mock_answer answer;

	if (!link_page())
		return ENODEV;
	if (n)
		ask.n = *n;
	if (send(card.fd, &ask, sizeof(ask), MSG_NOSIGNAL) != sizeof(ask) ||
	    recv(card.fd, &answer, sizeof(answer), 0) != sizeof(answer))
		return ENODEV;
	if (n)
		*n = answer.n;
	return answer.error;
}

void link_ring(void)
{
	uint64_t one = 1;

	if (write(card.doorbell, &one, sizeof(one)) < 0 && errno != EAGAIN)
		fprintf(stderr, "mockcl: doorbell: %s\n", strerror(errno));
}

/* A card that has died closes its end */
bool link_alive(void)
{
	struct pollfd p = { .fd = card.fd };

	return card.fd >= 0 && poll(&p, 1, 0) >= 0 && !(p.revents & (POLLHUP | POLLERR));
}
