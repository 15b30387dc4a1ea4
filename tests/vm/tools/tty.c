// SPDX-License-Identifier: GPL-2.0
/*
 * tty ROWS COLS SECONDS FILE COMMAND [ARG...] - runs COMMAND on a terminal of this size, on which no key is pressed. What
 * it writes there goes to FILE, and when to FILE.timing, as script(1) has it (scripts/cast); after SECONDS it is
 * sent a `q`. Its exit status.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static long long now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000LL + t.tv_nsec / 1000000;
}

static void die(const char *what)
{
	fprintf(stderr, "tty: %s: %s\n", what, strerror(errno));
	exit(1);
}

int main(int argc, char **argv)
{
	struct winsize size = { 0 };
	struct pollfd p = { .events = POLLIN };
	long long end, left, now, before;
	char buf[65536], path[4096];
	FILE *timing;
	int status, out;
	ssize_t n;
	pid_t pid;

	if (argc < 6) {
		fputs("usage: tty ROWS COLS SECONDS FILE COMMAND [ARG...]\n", stderr);
		return 2;
	}
	size.ws_row = atoi(argv[1]);
	size.ws_col = atoi(argv[2]);
	out = open(argv[4], O_WRONLY | O_CREAT | O_TRUNC, 0644);
	if (out < 0)
		die(argv[4]);
	snprintf(path, sizeof(path), "%s.timing", argv[4]);
	timing = fopen(path, "w");
	if (!timing)
		die(path);
	pid = forkpty(&p.fd, NULL, NULL, &size);
	if (pid < 0)
		die("no terminal");
	if (!pid) {
		execvp(argv[5], argv + 5);
		die(argv[5]);
	}
	before = now_ms();
	end = before + 1000LL * atoi(argv[3]);
	for (;;) {
		left = end - now_ms();
		if (left <= 0 && end) {
			end = 0;
			if (write(p.fd, "q", 1) != 1)
				die("q");
		}
		if (poll(&p, 1, end ? left : -1) <= 0)
			continue;
		n = read(p.fd, buf, sizeof(buf));
		if (n <= 0)	/* it has hung up */
			break;
		if (write(out, buf, n) != n)
			die(argv[4]);
		now = now_ms();
		fprintf(timing, "%lld.%03lld %zd\n", (now - before) / 1000, (now - before) % 1000, n);
		before = now;
	}
	if (fclose(timing))
		die(path);
	if (waitpid(pid, &status, 0) != pid)
		die("wait");
	return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}
