// SPDX-License-Identifier: GPL-2.0
/*
 * stranger zombie - asks for a scope for a process that has ended, but is not waited for. Prints why
 * it is refused.
 *
 * stranger flood SECONDS - requests that wait for no answer, as fast as D-Bus takes them.
 *
 * stranger SEED N - N random requests to tgrund over D-Bus, as whoever runs it: processes that are
 * not its own, descriptors that are no processes, numbers at the edges of 64 bits, names that would
 * be lines of a specification, clients that there may be. Prints how many were granted.
 *
 * tests/vm/installed and tests/unit/tgrund run it as a user without limits, and as one with limits from where no session
 * is, and looks at what has changed.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <systemd/sd-bus.h>
#include <time.h>
#include <unistd.h>

#define NAME	"org.timegraph.Run1"
#define PATH	"/org/timegraph/Run1"

static uint64_t number(void)
{
	static const uint64_t liked[] = { 0, 1, 50, 60, 99, 100, 1000, 2500, 25000, 10000000, 10000001, 1ull << 30,
					  1ull << 31, 1ull << 32, 1ull << 40, 1ull << 62, 1ull << 63, ~0ull };
	const uint64_t n = liked[rand() % (sizeof(liked) / sizeof(*liked))];

	return rand() % 4 ? n : n + rand() % 200 - 100;
}

static const char *name(void)
{
	static const char *const liked[] = { "", "", "v", "a\nuid=*:prt:bg:99:0:0", "\"", "../..", "a/b", "%s%n", "\x7f",
					     "0123456789012345678901234567890", "01234567890123456789012345678901",
					     "\xc3\xa9", " ", ":" };

	return liked[rand() % (sizeof(liked) / sizeof(*liked))];
}

/* A descriptor: of ourselves, of process 1, of a process that is over, of any process, of no process. */
static int descriptor(void)
{
	pid_t pid;
	int fd;

	switch (rand() % 5) {
	case 0:
		return syscall(SYS_pidfd_open, getpid(), 0);
	case 1:
		return syscall(SYS_pidfd_open, 1, 0);
	case 2:
		pid = fork();
		if (!pid)
			_exit(0);
		fd = syscall(SYS_pidfd_open, pid, 0);
		waitpid(pid, NULL, 0);
		return fd;
	case 3:
		fd = syscall(SYS_pidfd_open, rand() % 1000 + 1, 0);
		return fd < 0 ? open("/proc/self/status", O_RDONLY) : fd;
	default:
		return open(rand() % 2 ? "/dev/null" : "/proc/1", O_RDONLY);
	}
}

static int request(sd_bus *bus)
{
	int fd, ret;

	if (rand() % 4 == 0)
		return sd_bus_call_method(bus, NAME, PATH, NAME, "SetPriority", NULL, NULL, "uu",
					  (uint32_t)(rand() % 2 ? (uint64_t)rand() % 20 : number()), (uint32_t)number());
	if (rand() % 16 == 0)
		return sd_bus_call_method(bus, NAME, PATH, NAME, "Start", NULL, NULL, "s", name());
	/* Good but for the process, which is not to be had. */
	fd = descriptor();
	if (rand() % 2) {
		ret = sd_bus_call_method(bus, NAME, PATH, NAME, "Start", NULL, NULL, "hittts", fd, 1, 0ull, 0ull, 0ull, "");
		close(fd);
		return ret;
	}
	ret = sd_bus_call_method(bus, NAME, PATH, NAME, "Start", NULL, NULL, "hittts", fd, (int)number(), number(),
				 number(), rand() % 2 ? 0 : number(), name());
	close(fd);
	return ret;
}

static int zombie(void)
{
	sd_bus_error error = SD_BUS_ERROR_NULL;
	sd_bus *bus;
	pid_t pid;
	int fd;

	if (sd_bus_open_system(&bus) < 0)
		return 2;
	pid = fork();
	if (!pid)
		_exit(0);
	fd = syscall(SYS_pidfd_open, pid, 0);
	sleep(1);
	sd_bus_call_method(bus, NAME, PATH, NAME, "Start", &error, NULL, "hittts", fd, 1, 0ull, 0ull, 0ull, "");
	puts(error.message ? error.message : "granted");
	return !error.message;
}

static int flood(int seconds)
{
	const time_t end = time(NULL) + seconds;
	sd_bus_message *m;
	sd_bus *bus;
	int n;

	if (sd_bus_open_system(&bus) < 0)
		return 2;
	while (time(NULL) < end) {
		for (n = 0; n < 64; n++) {
			if (sd_bus_message_new_method_call(bus, &m, NAME, PATH, NAME, "SetPriority") < 0 ||
			    sd_bus_message_append(m, "uu", 3, 99) < 0 || sd_bus_message_set_expect_reply(m, 0) < 0 ||
			    sd_bus_send(bus, m, NULL) < 0)
				return 2;
			sd_bus_message_unref(m);
		}
		sd_bus_flush(bus);
		while (sd_bus_process(bus, NULL) > 0)
			;
	}
	return 0;
}

int main(int argc, char **argv)
{
	int i, n = argc > 2 ? atoi(argv[2]) : 0, granted = 0;
	sd_bus *bus;

	if (argc == 2 && !strcmp(argv[1], "zombie"))
		return zombie();
	if (argc == 3 && !strcmp(argv[1], "flood"))
		return flood(atoi(argv[2]));
	if (n < 1 || sd_bus_open_system(&bus) < 0) {
		fputs("usage: stranger SEED N, where D-Bus is\n", stderr);
		return 2;
	}
	srand(atoi(argv[1]));
	for (i = 0; i < n; i++) {
		granted += request(bus) >= 0;
		if (sd_bus_is_open(bus) <= 0 && sd_bus_open_system(&bus) < 0)
			return 2;
	}
	printf("%d of %d granted\n", granted, n);
	return granted > 0;
}
