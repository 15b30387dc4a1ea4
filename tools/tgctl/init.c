// SPDX-License-Identifier: GPL-2.0
/*
 * tgctl init: a first specification for this desktop. What brings frames to the screen goes above
 * all, since each program that draws waits for it; then the programs of users, then the rest.
 *
 * The processes that run now tell which compositor it is: their names in /proc ($TG_PROC in tests).
 */
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <tg/spec.h>
#include <tg/types.h>

#include "config.h"
#include "spec.h"
#include "write.h"

#define DEFAULT_FILE	"/etc/timegraph.spec"
#define LINES		8	/* that one user gets at most: anybody may call programs as compositors are called */

/* Names of processes, as the kernel cuts them */
static const char *const presenters[] = {
	"Xorg", "Xwayland", "cage", "cinnamon", "compiz", "cosmic-comp", "enlightenment",
	"gamescope", "gamescope-wl", "gnome-shell", "Hyprland", "kwin_wayland", "kwin_x11", "labwc",
	"marco", "mutter", "niri", "phoc", "picom", "river", "sway", "wayfire", "weston", "xfwm4",
};

/* The pattern of a compositor's line and its user, in a list ordered by patterns. */
struct found {
	char pattern[PATH_MAX + 64];
	uid_t uid;
	struct found *next;
};

static const char *proc(void)
{
	const char *dir = getenv("TG_PROC");

	return dir && *dir ? dir : "/proc";
}

static bool is_presenter(const char *comm)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(presenters); i++)
		if (!strcmp(presenters[i], comm))
			return true;
	return false;
}

static bool read_comm(const char *dir, char comm[TG_COMM_LEN + 1])
{
	char name[PATH_MAX + 8];
	FILE *f;
	bool ok;

	snprintf(name, sizeof(name), "%s/comm", dir);
	f = fopen(name, "re");
	ok = f && fgets(comm, TG_COMM_LEN + 1, f);
	if (f)
		fclose(f);
	if (ok)
		comm[strcspn(comm, "\n")] = '\0';
	return ok;
}

/* Can a path stand between quotes, and still be there tomorrow? */
static bool is_plain(const char *path)
{
	const char *deleted = " (deleted)";
	size_t len = strlen(path), cut = strlen(deleted);

	for (; *path; path++)
		if (*path == '"' || (unsigned char)*path < ' ' || *path == 127)
			return false;
	return len <= TG_SPEC_PATTERN_MAX && (len < cut || strcmp(path - cut, deleted));
}

/*
 * The pattern for the process in @dir: its executable's path if we may see it, or its name; and its
 * user. Return: false: it has gone.
 */
static bool pattern_of(const char *dir, const char *comm, struct found *one)
{
	const size_t size = sizeof(one->pattern);
	char *to = one->pattern;
	char name[PATH_MAX + 8], path[PATH_MAX];
	struct stat st;
	ssize_t len;

	if (stat(dir, &st))
		return false;
	one->uid = st.st_uid;
	snprintf(name, sizeof(name), "%s/exe", dir);
	len = readlink(name, path, sizeof(path) - 1);
	path[len > 0 ? len : 0] = '\0';
	if (path[0] != '/' || !is_plain(path))
		snprintf(to, size, "%s uid=%u", comm, st.st_uid);
	else if (strpbrk(path, " \t:,#"))
		snprintf(to, size, "exe=\"%s\" uid=%u", path, st.st_uid);
	else
		snprintf(to, size, "exe=%s uid=%u", path, st.st_uid);
	return true;
}

/* Puts a pattern into the list, in the order of bytes, once. Return: false: its user has enough. */
static bool add(struct found **list, const struct found *one)
{
	struct found *copy;
	unsigned int nr = 0;
	int order = 1;

	for (copy = *list; copy; copy = copy->next)
		nr += copy->uid == one->uid;
	while (*list && (order = strcmp((*list)->pattern, one->pattern)) < 0)
		list = &(*list)->next;
	if (*list && !order)
		return true;
	if (nr >= LINES)
		return false;
	copy = tgctl_alloc(NULL, sizeof(*copy));
	*copy = *one;
	copy->next = *list;
	*list = copy;
	return true;
}

/* @more: there are some that have no place in the list. */
static struct found *find_presenters(bool *more)
{
	struct found *list = NULL, one = { .next = NULL };
	char dir[PATH_MAX], comm[TG_COMM_LEN + 1];
	struct dirent *entry;
	DIR *all = opendir(proc());

	*more = false;
	while (all && (entry = readdir(all))) {
		if (entry->d_name[0] < '1' || entry->d_name[0] > '9')
			continue;
		snprintf(dir, sizeof(dir), "%s/%s", proc(), entry->d_name);
		if (!read_comm(dir, comm) || !is_presenter(comm))
			continue;
		if (pattern_of(dir, comm, &one) && !add(&list, &one))
			*more = true;
	}
	if (all)
		closedir(all);
	return list;
}

static char *first_spec(const char *file, const struct found *list, bool more, size_t *size)
{
	char *text = NULL;
	FILE *to = open_memstream(&text, size);

	if (!to)
		return NULL;
	fprintf(to, "# A first specification for this desktop, by `tgctl init`: timegraph.spec(5).\n"
		"# In force after\ttgctl load %s\n\npolicy timegraph\n\n"
		"# What brings frames to the screen: each program that draws waits for it. A user who is named\n"
		"# here goes before all others, with whatever it runs as its compositor: keep those you trust.\n",
		write_makes_file(file) ? file : "FILE");
	if (!list)
		fputs("# No compositor and no X server ran. For one called NAME, of user 1000:\n"
		      "#NAME uid=1000 : ht : bg : 90 : 0 : 0\n", to);
	for (; list; list = list->next)
		fprintf(to, "%s : ht : bg : 90 : 0 : 0\n", list->pattern);
	if (more)
		fprintf(to, "# Other programs are called so, too: these are the first %d of a user.\n", LINES);
	fputs("\n# Programs of users (numbers from 1000): that of the foreground window first.\n"
	      "uid=????* : ht : bg : * : 0 : 0\n\n"
	      "# The rest, what the system runs:\n"
	      "uid=* : ht : bg : 0 : 0 : 0\n", to);
	return fclose(to) ? NULL : text;
}

enum tgctl_status tgctl_init(const struct tgctl_args *args)
{
	const char *file = args->nr ? args->names[0] : DEFAULT_FILE;
	bool more;
	struct found *list = find_presenters(&more);
	struct tg_spec spec;
	size_t size;
	char *text = first_spec(file, list, more, &size);

	if (!text) {
		tgctl_error("out of memory");
		return TGCTL_FAILED;
	}
	spec.text = text;
	/* What cannot be loaded is not worth writing: there are too many users, for one. */
	if (!spec_parse_bytes(&spec, size, "tgctl init") || !write_whole(file, text, size, args->flag))
		return TGCTL_FAILED;
	if (!list)
		tgctl_error("no compositor and no X server runs: their lines are missing");
	if (write_makes_file(file))
		printf("%s: written; tgctl load %s puts it in force\n", file, file);
	return TGCTL_OK;
}
