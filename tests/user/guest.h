/* SPDX-License-Identifier: GPL-2.0 */
/*
 * guest.h - clients of tgd without its library, for tests that attack it: a tgd is started on a socket of its own, and
 * after each attack an honest client is served. Included by one file of a program, after the system's headers.
 */
#ifndef GUEST_H
#define GUEST_H

#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <uapi/tgd.h>

#include "../lib/slow.h"
#include "../lib/test.h"

static char dir[64], path[192];
static const char *tgd_program;
static pid_t daemon_pid;
static bool old_kernel;		/* the next one that is started is to believe in one before 6.16 */

static double seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

static int dial(void)
{
	struct sockaddr_un to = { .sun_family = AF_UNIX };
	struct timeval limit = { .tv_sec = patient(5) };
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

/* A device of each daemon's own: those of programs that run beside this one have others. */
static const char *own_device(const char *name)
{
	static char key[TGD_KEY];

	snprintf(key, sizeof(key), "test:%s:%s", strrchr(dir, '/') + 1, name);
	return key;
}

static struct tgd_hello good_hello(void)
{
	struct tgd_hello h = { .magic = TGD_MAGIC, .kind = TGD_HELLO, .version = TGD_VERSION,
			       .engines = 2, .yields = 1, .memory = 1 << 20, .name = "a" };

	strcpy(h.key, own_device("usual"));
	return h;
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

static bool arrive_at(struct guest *g, const char *device)
{
	struct tgd_hello h = good_hello();

	strcpy(h.key, own_device(device));
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
	return arrive_at(g, "usual");
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
	double end = seconds() + patient(5);

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
	double end = seconds() + patient(5);
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

static inline bool policy(const char *name)
{
	struct tgd_request *r = calloc(1, sizeof(*r) + strlen(name));
	struct tgd_reply reply = { .error = EIO };
	int fd = dial();

	*r = (struct tgd_request){ .magic = TGD_MAGIC, .kind = TGD_WRITE, .len = strlen(name), .name = "policy" };
	memcpy(r + 1, name, r->len);
	if (send(fd, r, sizeof(*r) + r->len, MSG_NOSIGNAL) > 0 && recv(fd, &reply, sizeof(reply), 0) < 0)
		reply.error = EIO;
	close(fd);
	free(r);
	return !reply.error;
}

/** struct attack - what is done, and the row that says that an honest client is served afterwards */
struct attack {
	const char *name;
	void (*attack)(void);
};

/* Without SO_PASSRIGHTS */
static void pretend_old_kernel(void)
{
	static struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_setsockopt, 0, 3),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[2])),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 83, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOPROTOOPT),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	const struct sock_fprog filter = { .len = sizeof(code) / sizeof(*code), .filter = code };

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter))
		_exit(126);
}

static bool start(const char *tgd)
{
	char log[96];
	double end = seconds() + patient(10);
	int fd;

	strcpy(dir, "/tmp/tgd-hostile-XXXXXX");
	if (!mkdtemp(dir))
		return false;
	snprintf(path, sizeof(path), "%s/sock", dir);
	daemon_pid = fork();
	if (!daemon_pid) {
		snprintf(log, sizeof(log), "%s/log", dir);
		dup2(open(log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600), 2);
		if (old_kernel)
			pretend_old_kernel();
		execl(tgd, tgd, "--socket", path, "--spec", "/dev/null", "--trace-kib", "1024", NULL);
		_exit(127);
	}
	while ((fd = dial()) < 0 && seconds() < end)
		usleep(20000);
	close(fd);
	return fd >= 0;
}

/* @row: the daemon ends cleanly. What a sanitizer has said of it is shown */
static bool end_daemon(const char *row)
{
	char command[192];
	int status = -1;

	kill(daemon_pid, SIGTERM);
	waitpid(daemon_pid, &status, 0);
	test_row(row, WIFEXITED(status) && !WEXITSTATUS(status), "status %x", status);
	snprintf(command, sizeof(command), "grep -EA 20 'ERROR|runtime error' %s/log >&2; rm -rf %s", dir, dir);
	return !system(command);
}

/* All of them, then @more until SECONDS are over. The program's arguments: [TGD [SECONDS]] */
static int run_attacks(char **argv, const struct attack *attacks, size_t nr, void (*more)(void))
{
	double end = seconds() + (argv[1] && argv[2] ? atof(argv[2]) : 0);
	size_t i;

	tgd_program = argv[1] ? argv[1] : "build/bin/tgd-san";
	signal(SIGPIPE, SIG_IGN);
	if (!start(tgd_program)) {
		fprintf(stderr, "no tgd listens; usage: %s [TGD [SECONDS]]\n", argv[0]);
		return 2;
	}
	for (i = 0; i < nr; i++) {
		if (attacks[i].attack)
			attacks[i].attack();
		test_row(attacks[i].name, served(), "it is not");
	}
	while (more && seconds() < end)
		more();
	test_row("served in the end", served(), "it is not");
	return end_daemon("tgd ends cleanly") ? test_end() : 1;
}

#endif /* GUEST_H */
