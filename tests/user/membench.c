// SPDX-License-Identifier: GPL-2.0
/*
 * membench: how long each stage of a program's life with libtimegraph-mem takes, for scripts/bench-mem: the
 * schedGPU paper's Figure 9. The books are those of TG_MEM_BOOKS.
 *
 * usage: membench DEVICE CYCLES	each stage, and all four together
 *        membench --server TGD SOCKET TIMES	tgd's start, until it answers, and its end
 *
 * Prints lines: STAGE, the median and the 99th percentile in us, with tabs between.
 */
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <timegraph/mem.h>

#define MOST	100000
#define BYTES	(1 << 20)

static double *taken[6];

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1e6 + t.tv_nsec / 1e3;
}

static int by_size(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

static void print(const char *stage, double *us, int n)
{
	qsort(us, n, sizeof(*us), by_size);
	printf("%s\t%.1f\t%.1f\n", stage, us[n / 2], us[n * 99 / 100]);
}

static void must(int ret, const char *what)
{
	if (!ret)
		return;
	fprintf(stderr, "membench: %s: %s\n", what, strerror(-ret));
	exit(1);
}

/* --- a program --- */

static void cycle(const char *device, int i)
{
	double at[5];
	int k;

	at[0] = now();
	must(tg_mem_init(0), "tg_mem_init");
	at[1] = now();
	must(tg_mem_pre_alloc(device, BYTES, 1000), "tg_mem_pre_alloc");
	at[2] = now();
	must(tg_mem_post_free(device, BYTES), "tg_mem_post_free");
	at[3] = now();
	must(tg_mem_fini(), "tg_mem_fini");
	at[4] = now();
	for (k = 0; k < 4; k++)
		taken[k][i] = at[k + 1] - at[k];
	taken[4][i] = at[4] - at[0];
}

/* Again and again in one program */
static void repeat(const char *device, int cycles)
{
	double at;
	int i;

	must(tg_mem_init(0), "tg_mem_init");
	must(tg_mem_pre_alloc(device, BYTES, 1000), "tg_mem_pre_alloc");
	for (i = 0; i < cycles; i++) {
		at = now();
		must(tg_mem_pre_alloc(device, BYTES, 1000), "tg_mem_pre_alloc");
		must(tg_mem_post_free(device, BYTES), "tg_mem_post_free");
		taken[5][i] = now() - at;
	}
	tg_mem_fini();
}

static void program(const char *device, int cycles)
{
	static const char *const stages[] = { "init", "pre-alloc", "post-free", "shutdown", "cycle", "again" };
	int i;

	for (i = 0; i < 20; i++)
		cycle(device, 0);
	for (i = 0; i < cycles; i++)
		cycle(device, i);
	repeat(device, cycles);
	for (i = 0; i < 6; i++)
		print(stages[i], taken[i], cycles);
}

/* --- the server --- */

static void server(const char *tgd, const char *path, int times)
{
	struct sockaddr_un to = { .sun_family = AF_UNIX };
	double at;
	pid_t pid;
	int i, fd, status;

	snprintf(to.sun_path, sizeof(to.sun_path), "%s", path);
	for (i = 0; i < times; i++) {
		at = now();
		pid = fork();
		if (!pid) {
			execl(tgd, "tgd", "--socket", path, "--spec", "/dev/null", NULL);
			_exit(127);
		}
		fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
		while (connect(fd, (struct sockaddr *)&to, sizeof(to))) {
			if (waitpid(pid, &status, WNOHANG) == pid)
				must(-ECHILD, tgd);
			usleep(20);
		}
		taken[0][i] = now() - at;
		close(fd);
		usleep(1000);
		at = now();
		kill(pid, SIGTERM);
		waitpid(pid, &status, 0);
		taken[1][i] = now() - at;
	}
	print("server start", taken[0], times);
	print("server stop", taken[1], times);
}

int main(int argc, char **argv)
{
	const bool serves = argc == 5 && !strcmp(argv[1], "--server");
	const int n = atoi(argv[argc - 1]);
	int i;

	if ((!serves && argc != 3) || n < 1 || n > MOST)
		return 2;
	for (i = 0; i < 6; i++)
		taken[i] = calloc(n, sizeof(double));
	if (serves)
		server(argv[2], argv[3], n);
	else
		program(argv[1], n);
	return 0;
}
