// SPDX-License-Identifier: GPL-2.0
/*
 * tgd under attack by numbers: connections, peers that never read, processes that are gone, no descriptors, many
 * devices. After each an honest client is served.
 *
 *	crowd [TGD]	starts TGD, one built with sanitizers, on a socket of its own
 */
#include <dirent.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/resource.h>

#include "guest.h"

static void crowd(void)
{
	struct guest g;
	int fds[300], i, nr = 0, refused = 0;
	double end;
	bool ok;

	if (!arrive(&g))		/* one that is there already */
		return;
	for (i = 0; i < 300; i++)
		nr += (fds[i] = dial()) >= 0;
	end = seconds() + patient(5);
	do {
		usleep(10000);
		for (i = 0; i < 300; i++) {
			struct tgd_welcome w;

			if (fds[i] >= 0 && recv(fds[i], &w, sizeof(w), MSG_DONTWAIT) == sizeof(w))
				refused += w.error == EUSERS;
		}
	} while (refused < 170 && seconds() < end);
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

static atomic_bool flooding;

static void *dial_on(void *arg)
{
	while (flooding)
		close(dial());
	return arg;
}

/* More connections than tgd can turn away, for two seconds of an idle machine. */
static void flood(void)
{
	pthread_t thread[8];
	double from, longest = 0, two = patient(2);
	bool ok = true;
	struct guest g;
	int i, n = 0;

	if (!arrive(&g))
		return;
	flooding = true;
	for (i = 0; i < 8; i++)
		pthread_create(&thread[i], NULL, dial_on, NULL);
	for (from = seconds(); ok && seconds() < from + two; n++) {
		double asked = seconds();

		ok = publish(&g, TGD_REC_SUBMIT, 0, 0) && answered(&g, 0, TGD_GO) &&
		     publish(&g, TGD_REC_STARTED, 0, 0) && publish(&g, TGD_REC_DONE, 0, 0);
		longest = seconds() - asked > longest ? seconds() - asked : longest;
		usleep(1000);
	}
	flooding = false;
	for (i = 0; i < 8; i++)
		pthread_join(thread[i], NULL);
	depart(&g);
	printf("# %d jobs beside it, the slowest answer after %.3f s\n", n, longest);
	test_row("a flood of connections leaves turns to others", ok && n >= 20, "%d jobs in %.0f s, %s", n, two,
		 ok ? "too few" : "then none for 5 s or more");
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
	double end;
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
	end = seconds() + patient(5);
	while (descriptors() > before && seconds() < end)
		usleep(10000);
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

/* The devices that a user may name first; those that are known stay. */
static void many_devices(void)
{
	char name[16];
	struct guest g;
	int i, taken = 0;

	for (i = 0; i < 40; i++) {
		snprintf(name, sizeof(name), "many%d", i);
		if (arrive_at(&g, name) && ++taken)
			depart(&g);
	}
	test_row("a user's devices are limited", taken <= 16 && taken > 8, "%d are taken", taken);
}

static const struct attack attacks[] = {
	{ "served at all", NULL },
	{ "served after a crowd", crowd },
	{ "served after 10 000 connections", many_connections },
	{ "served after a flood of connections", flood },
	{ "served after a peer that never reads", never_reads },
	{ "served after processes that are gone", dead_process },
	{ "served after a lack of descriptors", no_descriptors },
	{ "served after many devices", many_devices },
};

int main(int argc, char **argv)
{
	(void)argc;
	return run_attacks(argv, attacks, sizeof(attacks) / sizeof(*attacks), NULL);
}
