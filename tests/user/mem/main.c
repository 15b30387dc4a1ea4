// SPDX-License-Identifier: GPL-2.0
/*
 * mem [BOOKS [PART...]] - libtimegraph-mem, by each of its books: what timegraph/mem.h promises. It needs no
 * device: TG_MEM_DEVICES names one of 100 MiB.
 *
 * BOOKS: tgd, lock, mutex; all: all of them. PART: basics processes crowds orders daemons files variables sizes, kills=N;
 * all of them, and kills=40.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <uapi/tgd.h>

#include "../../lib/test.h"
#include "mem.h"

const char *kind;
char dir[] = "/tmp/tg-mem-XXXXXX", card[32];

static char path[64];
static pid_t daemon_pid;

/* row() - with the name of the books before @name */
void row(const char *name, bool ok, const char *why, ...)
{
	char all[256], because[256];
	va_list args;

	snprintf(all, sizeof(all), "%s: %s", kind, name);
	va_start(args, why);
	vsnprintf(because, sizeof(because), why, args);
	va_end(args);
	test_row(all, ok, "%s", because);
}

/* row_is() - a row that passes when @got is @want */
void row_is(const char *name, int got, int want)
{
	row(name, got == want, "%d, not %d", got, want);
}

double seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

/* --- tgd --- */

/* Ask tgd for @kind_of of a file. Return: the number that is there, 0: it is written; -1: nobody answers. */
static long ask(uint32_t kind_of, const char *file, const char *value)
{
	struct { struct tgd_request head; char text[64]; } r = { .head = { .magic = TGD_MAGIC, .kind = kind_of } };
	struct { struct tgd_reply head; char text[256]; } reply = { 0 };
	struct sockaddr_un to = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
	long result = -1;

	strcpy(to.sun_path, path);
	snprintf(r.head.name, sizeof(r.head.name), "%s", file);
	if (value)
		r.head.len = sprintf(r.text, "%s", value);
	if (!connect(fd, (struct sockaddr *)&to, sizeof(to)) &&
	    send(fd, &r, sizeof(r.head) + r.head.len, MSG_NOSIGNAL) > 0 &&
	    recv(fd, &reply, sizeof(reply) - 1, 0) >= (ssize_t)sizeof(reply.head) && !reply.head.error)
		result = atol(reply.text);
	close(fd);
	return result;
}

long tgd_counter(const char *file)
{
	return ask(TGD_READ, file, NULL);
}

bool tgd_start(const char *spec)
{
	char log[64];

	daemon_pid = fork();
	if (!daemon_pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		snprintf(log, sizeof(log), "%s/log", dir);
		dup2(open(log, O_WRONLY | O_CREAT | O_APPEND, 0600), 2);
		execl("build/bin/tgd", "tgd", "--socket", path, "--spec", spec ?: "/dev/null", NULL);
		_exit(127);
	}
	return comes(tgd_counter("stats/clients") >= 0) && set_order(1);
}

void tgd_stop(int signal)
{
	kill(daemon_pid, signal);
	kill(daemon_pid, SIGCONT);
	waitpid(daemon_pid, NULL, 0);
	daemon_pid = 0;
}

pid_t tgd_pid(void)
{
	return daemon_pid;
}

/* --- the books --- */

/* All programs have ended. The books of lock and mutex are made anew with their next program. */
bool set_order(int order)
{
	char text[16], command[128];

	snprintf(text, sizeof(text), "%d", order);
	setenv("TG_MEM_ORDER", text, 1);
	snprintf(command, sizeof(command), "rm -f %s/timegraph/mem-*", dir);
	return strcmp(kind, "tgd") ? !system(command) : !ask(TGD_WRITE, "knobs/vram_order", text);
}

static void part(const char *name)
{
	static const struct {
		const char *name;
		void (*fn)(void);
	} parts[] = {
		{ "basics", basics }, { "processes", processes }, { "crowds", crowds }, { "orders", orders },
		{ "daemons", daemons }, { "files", files }, { "variables", variables }, { "sizes", sizes },
	};
	size_t i;

	for (i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
		if (!strcmp(name, parts[i].name))
			parts[i].fn();
	if (!strncmp(name, "kills=", 6))
		kills(atoi(name + 6));
}

static void books(const char *name, char **parts)
{
	static char *all[] = { "basics", "processes", "crowds", "orders", "daemons", "files", "variables", "sizes",
			       "kills=40", NULL };
	const bool daemon = !strcmp(name, "tgd");

	kind = name;
	setenv("TG_MEM_BOOKS", kind, 1);
	set_order(1);
	if (daemon && !tgd_start(NULL))
		exit(2);
	for (parts = *parts ? parts : all; *parts; parts++)
		part(*parts);
	row("nothing is left in the books", probe(SIZE, 0, 0), "there is");
	if (daemon)
		tgd_stop(SIGTERM);
}

int main(int argc, char **argv)
{
	static const char *const kinds[] = { "tgd", "lock", "mutex" };
	char command[64], *none[] = { NULL }, table[64];
	size_t i;

	if (argc > 1 && !strcmp(argv[1], "--nvml"))
		return by_nvml();
	setvbuf(stdout, NULL, _IOLBF, 0);
	signal(SIGPIPE, SIG_IGN);
	if (!mkdtemp(dir))
		return 2;
	snprintf(path, sizeof(path), "%s/sock", dir);
	snprintf(card, sizeof(card), "test:mem-%d", getpid());
	snprintf(table, sizeof(table), "%s=%d", card, SIZE);
	setenv("TGD_SOCKET", path, 1);
	setenv("TGD_DAEMON", "/bin/false", 1);
	setenv("XDG_RUNTIME_DIR", dir, 1);
	setenv("TG_MEM_DEVICES", table, 1);
	for (i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (argc < 2 || !strcmp(argv[1], kinds[i]) || !strcmp(argv[1], "all"))
			books(kinds[i], argc > 2 ? argv + 2 : none);
	snprintf(command, sizeof(command), "rm -rf %s", dir);
	return system(command) || test_end();
}
