// SPDX-License-Identifier: GPL-2.0
/*
 * The lines of steps in the specification of the node's tgd, over its socket (uapi/tgd.h). A tgd
 * that is stopped is waited for WAIT_S seconds, no longer.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include <uapi/tgd.h>

#include "slurm.h"
#include "tgd/files.h"

#define WAIT_S		2
#define LOCK_S		10	/* that other steps may take, in all */
#define LOCK_US		10000
#define TRIES		5	/* to change what running programs have, once in TRY_US */
#define TRY_US		300000
#define PERIOD_US	100000
#define TEXT_MAX	65536	/* bytes of a specification */
#define FIRST		"cgroup="
#define MARK		" # slurm "

int spec_lock(const char *socket)
{
	char name[160];
	int fd, i = 0, error;

	snprintf(name, sizeof(name), "%s.slurm", socket);
	fd = open(name, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
	while (fd >= 0 && flock(fd, LOCK_EX | LOCK_NB)) {
		error = errno == EWOULDBLOCK ? ETIMEDOUT : errno;
		if (errno == EWOULDBLOCK && i++ < LOCK_S * 1000000 / LOCK_US) {
			usleep(LOCK_US);
			continue;
		}
		close(fd);
		errno = error;
		return -1;
	}
	return fd;
}

static void mark_name(const char *socket, uint32_t job, char name[160])
{
	snprintf(name, 160, "%s.slurm-%u", socket, job);
}

void spec_mark(const char *socket, uint32_t job)
{
	char name[160];
	int fd;

	mark_name(socket, job, name);
	fd = open(name, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (fd >= 0)
		close(fd);
}

bool spec_unmark(const char *socket, uint32_t job)
{
	char name[160];

	mark_name(socket, job, name);
	return !unlink(name);
}

/* --- the socket --- */

/* A tgd of ours, which is root's. */
static int connect_tgd(const char *path, char why[LINE_WHY])
{
	uid_t peer;
	const int fd = files_connect(path, WAIT_S, &peer);

	if (fd >= 0 && peer == geteuid())
		return fd;
	if (fd < 0) {
		snprintf(why, LINE_WHY, "no tgd at %s: %s", path, strerror(-fd));
		return -1;
	}
	snprintf(why, LINE_WHY, "the tgd at %s is that of user %u", path, peer);
	close(fd);
	return -1;
}

/* A whole file, with a NUL behind it. Return: its bytes, or a negative errno. */
static int read_file(int fd, const char *name, char *to, size_t room)
{
	size_t len = 0;
	int n;

	do {
		n = files_ask(fd, TGD_READ, name, len, NULL, 0, to + len, room - 1 - len);
		len += n > 0 ? n : 0;
	} while (n > 0 && len < room - 1);
	to[len] = '\0';
	return n < 0 ? n : (int)len;
}

/* --- the text --- */

/* Is the line from @at to @end one of ours? Its name and cgroup. */
static bool ours(const char *at, const char *end, char name[LINE_NAME], char cgroup[LINE_PATH])
{
	const char *mark = memmem(at, end - at, MARK, strlen(MARK)), *blank;

	if (!mark || strncmp(at, FIRST, strlen(FIRST)))
		return false;
	at += strlen(FIRST);
	blank = memchr(at, ' ', end - at);
	mark += strlen(MARK);
	if (blank - at >= LINE_PATH || end - mark >= LINE_NAME)
		return false;
	snprintf(cgroup, LINE_PATH, "%.*s", (int)(blank - at), at);
	snprintf(name, LINE_NAME, "%.*s", (int)(end - mark), mark);
	return true;
}

/* Is a line the step's or job's of this name? */
static bool named(const char *line, const char *name)
{
	size_t len = strlen(name);

	return !strncmp(line, name, len) && (!line[len] || (line[len] == '-' && !strchr(name, '-')));
}

/* Does a setting, a comment or nothing stand there? Clients stand below all settings. */
static bool is_setting(const char *at, const char *end)
{
	static const char *const words[] = { "policy", "knob" };
	size_t len;
	int i;

	while (at < end && (*at == ' ' || *at == '\t' || *at == '\r'))
		at++;
	if (at == end || *at == '#')
		return true;
	for (i = 0; i < 2; i++) {
		len = strlen(words[i]);
		if ((size_t)(end - at) <= len || strncmp(at, words[i], len))
			continue;
		at += len;
		if (*at != ' ' && *at != '\t')
			return false;
		while (at < end && (*at == ' ' || *at == '\t'))
			at++;
		return at < end && *at != ':';
	}
	return false;
}

static void put_line(FILE *to, const struct line *l)
{
	fprintf(to, FIRST "%s : prt : %s : * : %u : %u :", l->cgroup, l->percent ? "pe" : "bg",
		l->percent * (PERIOD_US / 100), l->percent ? PERIOD_US : 0);
	if (l->percent)
		fprintf(to, " reserve=slurm-%u%s", l->job, l->mem ? "," : "");
	if (l->mem)
		fprintf(to, " mem=%llu", (unsigned long long)l->mem);
	fprintf(to, MARK "%s\n", l->name);
}

/* What became of a text. */
struct edit {
	bool changed, running;
};

/* The text without lines of @name and those that are over, and with @add. */
static void edit_text(FILE *to, const char *text, const char *name, const struct line *add,
		      struct edit *e)
{
	char line[LINE_NAME], cgroup[LINE_PATH];
	const char *at, *end;
	const bool put = add;
	bool over;

	for (at = text; *at; at = *end ? end + 1 : end) {
		end = strchrnul(at, '\n');
		if (add && !is_setting(at, end)) {
			put_line(to, add);
			add = NULL;
		}
		if (ours(at, end, line, cgroup)) {
			over = step_over(cgroup);
			if (over || (name && named(line, name))) {
				e->changed = true;
				e->running |= !over && !put;
				step_remove(cgroup);
				continue;
			}
		}
		fprintf(to, "%.*s%s", (int)(end - at), at, *end ? "\n" : "");
	}
	if (!add)
		return;
	if (at > text && at[-1] != '\n')
		fputc('\n', to);
	put_line(to, add);
}

/* Return: 0, or a negative errno, after which @why says more. */
static int change(int fd, const char *name, const struct line *add, char *text, char why[LINE_WHY])
{
	struct edit e = { .changed = add };
	char *new = NULL;
	size_t len;
	FILE *to;
	int ret = read_file(fd, "spec", text, TEXT_MAX + 2);

	to = ret < 0 ? NULL : open_memstream(&new, &len);
	if (!to)
		return ret < 0 ? ret : -ENOMEM;
	edit_text(to, text, name, add, &e);
	if (fclose(to))
		ret = -ENOMEM;
	else if (e.changed)
		ret = files_write(fd, "spec", new, len);
	if (ret >= 0 && e.changed) {
		ret = files_write(fd, "spec_commit", e.running ? "1" : "new-only", e.running ? 1 : 8);
		if (ret == -EINVAL && read_file(fd, "spec_result", text, LINE_WHY) > 0)
			snprintf(why, LINE_WHY, "tgd's specification: %.200s", text);
	}
	free(new);
	return ret < 0 ? ret : 0;
}

bool spec_change(const char *socket, const char *name, const struct line *add, char why[LINE_WHY])
{
	char *text = malloc(TEXT_MAX + 2);
	int fd = text ? connect_tgd(socket, why) : -1, ret = -EBUSY, i;

	if (fd < 0) {
		free(text);
		return false;
	}
	*why = '\0';
	for (i = 0; i < TRIES && ret == -EBUSY; i++) {
		if (i)
			usleep(TRY_US);
		ret = change(fd, name, add, text, why);
	}
	if (ret && !*why)
		snprintf(why, LINE_WHY, ret == -ETIMEDOUT ? "the tgd at %s does not answer" :
			 "the tgd at %s: %s", socket, strerror(-ret));
	close(fd);
	free(text);
	return !ret;
}
