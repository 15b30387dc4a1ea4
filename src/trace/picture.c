// SPDX-License-Identifier: GPL-2.0
/*
 * Pictures, drawn by gnuplot. Called by plot.c for traces and by the simulator's reports. One
 * thread.
 *
 * gnuplot reads its commands from a file, so its end meanwhile is no SIGPIPE here. It knows of no
 * other file: it tells nobody when one cannot be written, or not all of it. What it draws comes
 * back through a pipe, and is put into the file when gnuplot has ended well.
 */
#include <errno.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "picture.h"
#include "lib/file.h"
#include "trace.h"

extern char **environ;

static const char *terminal(const char *path)
{
	static const struct {
		const char *suffix, *terminal;
	} kinds[] = {
		{ ".png", "pngcairo size 1200,800" }, { ".svg", "svg size 1200,800" },
		{ ".pdf", "pdfcairo size 12,8" },
	};
	u32 i;

	for (i = 0; i < ARRAY_SIZE(kinds); i++) {
		u64 len = strlen(path), n = strlen(kinds[i].suffix);

		if (len > n && !strcmp(path + len - n, kinds[i].suffix))
			return kinds[i].terminal;
	}
	return NULL;
}

int tgs_picture_open(FILE **to, const char *path, char *error)
{
	const char *as = terminal(path);

	if (!as) {
		snprintf(error, TGS_MESSAGE, "%.160s: a name that ends in .png, .svg or .pdf wanted",
			 path);
		return -EINVAL;
	}
	*to = tmpfile();
	if (!*to) {
		snprintf(error, TGS_MESSAGE, "no file for gnuplot's commands: %s", strerror(errno));
		return -EIO;
	}
	fprintf(*to, "set terminal %s\nset output\n", as);
	return 0;
}

/* Starts gnuplot. Return: 0 or an errno; @from: where to read what it draws. */
static int start(int commands, pid_t *pid, int *from)
{
	char *const args[] = { "gnuplot", NULL };
	posix_spawn_file_actions_t set;
	int pipes[2], err;

	if (pipe(pipes))
		return errno;
	posix_spawn_file_actions_init(&set);
	posix_spawn_file_actions_adddup2(&set, commands, STDIN_FILENO);
	posix_spawn_file_actions_adddup2(&set, pipes[1], STDOUT_FILENO);
	posix_spawn_file_actions_addclose(&set, pipes[0]);
	posix_spawn_file_actions_addclose(&set, pipes[1]);
	err = posix_spawnp(pid, args[0], &set, NULL, args, environ);
	posix_spawn_file_actions_destroy(&set);
	close(pipes[1]);
	if (err)
		close(pipes[0]);
	*from = pipes[0];
	return err;
}

/* Return: what gnuplot makes of its commands; NULL with @error filled in */
static char *draw(FILE *commands, const char *path, u64 *len, char *error)
{
	char *picture = NULL;
	FILE *pipe;
	int from = -1, status, err;
	pid_t pid;

	if (fflush(commands) || ferror(commands) || lseek(fileno(commands), 0, SEEK_SET)) {
		snprintf(error, TGS_MESSAGE, "no file for gnuplot's commands: %s", strerror(errno));
		return NULL;
	}
	err = start(fileno(commands), &pid, &from);
	if (err) {
		snprintf(error, TGS_MESSAGE, "cannot start gnuplot: %s%s", strerror(err),
			 err == ENOENT ? "; apt install gnuplot-nox" : "");
		return NULL;
	}
	pipe = fdopen(from, "r");
	if (pipe) {
		picture = file_read_rest(pipe, len);
		fclose(pipe);
	} else {
		close(from);
	}
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	if (picture && *len && !status)
		return picture;
	snprintf(error, TGS_MESSAGE, "gnuplot could not draw %.160s", path);
	free(picture);
	return NULL;
}

int tgs_picture_close(FILE *to, const char *path, char *error)
{
	u64 len = 0;
	char *picture = draw(to, path, &len, error);
	const char *why;

	fclose(to);
	if (!picture)
		return -EIO;
	why = file_write(path, picture, len);
	free(picture);
	if (why)
		snprintf(error, TGS_MESSAGE, "cannot write %.160s: %s", path, why);
	return why ? -EIO : 0;
}
