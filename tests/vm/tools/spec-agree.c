// SPDX-License-Identifier: GPL-2.0
/*
 * Holds three readers of mutated specifications against each other, in the guest: `tgctl check`,
 * the module, and the oracle. They must agree on each, accepted or refused at the same place, but
 * for a poll_cpu that this machine does not have, which only the module can refuse; and after a
 * refusal the one in force must be unchanged. One process instead of a shell loop: a thousand
 * mutants are minutes of fork() on a debug kernel.
 *
 *	spec-agree COUNT SEED
 *
 * Prints how many were accepted, or the first disagreement, whose text stays in MUTANT.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "../../lib/spec_mutate.h"
#include "../../lib/spec_oracle.h"

#define TG	"/sys/kernel/timegraph/"
#define MUTANT	"/tmp/mutant.spec"
#define PLACE	32
#define NO_CPU	"no such CPU"

extern char **environ;

static void die(const char *what)
{
	fprintf(stderr, "spec-agree: %s: %s\n", what, strerror(errno));
	exit(1);
}

/* Reads up to @room - 1 bytes and ends them with a NUL. */
static size_t read_all(int fd, char *to, size_t room)
{
	size_t len = 0;
	ssize_t n;

	while (len < room - 1 && (n = read(fd, to + len, room - 1 - len)) > 0)
		len += n;
	to[len] = '\0';
	return len;
}

static size_t read_file(const char *path, char *to, size_t room)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	size_t len;

	if (fd < 0)
		die(path);
	len = read_all(fd, to, room);
	close(fd);
	return len;
}

/* A refusal of the module's (too long a text) is for spec_result to tell. */
static void write_file(const char *path, const char *from, size_t len)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	ssize_t n;

	if (fd < 0)
		die(path);
	while (len && (n = write(fd, from, len)) > 0) {
		from += n;
		len -= n;
	}
	close(fd);
}

/* "LINE:COLUMN: ..." becomes "LINE:COLUMN" */
static void cut_place(const char *text, char *place)
{
	unsigned int line, column;

	if (sscanf(text, "%u:%u:", &line, &column) == 2)
		snprintf(place, PLACE, "%u:%u", line, column);
	else
		snprintf(place, PLACE, "no place");
}

static void ask_tgctl(char *place)
{
	static char *const argv[] = { "tgctl", "check", MUTANT, NULL };
	posix_spawn_file_actions_t io;
	static char told[4096];
	int fds[2], status;
	pid_t pid;

	if (pipe2(fds, O_CLOEXEC))
		die("pipe");
	posix_spawn_file_actions_init(&io);
	posix_spawn_file_actions_adddup2(&io, fds[1], 1);
	posix_spawn_file_actions_adddup2(&io, fds[1], 2);
	errno = posix_spawnp(&pid, argv[0], &io, NULL, argv, environ);
	if (errno)
		die("tgctl");
	posix_spawn_file_actions_destroy(&io);
	close(fds[1]);
	read_all(fds[0], told, sizeof(told));
	close(fds[0]);
	if (waitpid(pid, &status, 0) != pid)
		die("wait");
	if (status == 0)
		snprintf(place, PLACE, "ok");
	else if (WIFEXITED(status) && !strncmp(told, MUTANT ":", strlen(MUTANT ":")))
		cut_place(told + strlen(MUTANT ":"), place);
	else
		snprintf(place, PLACE, "status %#x", status);
}

static void ask_module(const char *text, size_t len, char *place)
{
	static char told[4096];

	write_file(TG "spec", text, len);
	write_file(TG "spec_commit", "1\n", 2);
	read_file(TG "spec_result", told, sizeof(told));
	if (!strncmp(told, "ok", 2))
		snprintf(place, PLACE, "ok");
	else if (strstr(told, NO_CPU))
		snprintf(place, PLACE, NO_CPU);
	else
		cut_place(told, place);
}

int main(int argc, char **argv)
{
	static char text[SPEC_MUTANT_MAX], force[SPEC_MUTANT_MAX], seen[SPEC_MUTANT_MAX];
	char oracle[PLACE], tgctl[PLACE], module[PLACE];
	unsigned long long count, seed, i, accepted = 0;
	unsigned int line, column;
	size_t len, force_len;
	bool refused, alone;

	if (argc != 3) {
		fprintf(stderr, "spec-agree: want COUNT SEED\n");
		return 2;
	}
	count = strtoull(argv[1], NULL, 10);
	seed = strtoull(argv[2], NULL, 10);
	force_len = read_file(TG "spec", force, sizeof(force));
	for (i = 0; i < count; i++) {
		len = spec_mutate(seed, i, text);
		write_file(MUTANT, text, len);
		refused = oracle_check(text, len, &line, &column);
		snprintf(oracle, sizeof(oracle), "ok");
		if (refused)
			snprintf(oracle, sizeof(oracle), "%u:%u", line, column);
		ask_tgctl(tgctl);
		ask_module(text, len, module);
		alone = !refused && !strcmp(module, NO_CPU);
		if (strcmp(oracle, tgctl) || (!alone && strcmp(oracle, module))) {
			printf("mutant %llu: oracle %s, tgctl check %s, module %s\n", i, oracle,
			       tgctl, module);
			return 1;
		}
		if (!refused && !alone) {
			memcpy(force, text, len);
			force_len = len;
			accepted++;
		}
		len = read_file(TG "spec", seen, sizeof(seen));
		if (len != force_len || memcmp(seen, force, len)) {
			printf("mutant %llu, %s: the spec in force is another\n", i, oracle);
			return 1;
		}
	}
	printf("%llu specs, %llu accepted\n", count, accepted);
	return 0;
}
