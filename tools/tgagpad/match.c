// SPDX-License-Identifier: GPL-2.0
/*
 * Which process an application id means. wlr.c calls, as its protocol names windows by application
 * id and not by process. Reads /proc at each call and keeps nothing.
 *
 * systemd's desktops start each application in a unit of its own, app[-LAUNCHER]-ID-RANDOM.scope or
 * app[-LAUNCHER]-ID@RANDOM.service: that a process's cgroup has such a name counts most. Otherwise
 * the process's name counts, beside the id or its last part (org.gnome.Maps).
 */
#include <ctype.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "agpad.h"

enum { ID_ROOM = 256, COMM = 15 };

/* How well a process fits; the best one wins. */
enum fit { NOT, BY_NAME, BY_UNIT, BY_BOTH };

struct process {
	unsigned int pid, parent;
	enum fit fit;
};

static const char *proc(void)
{
	const char *dir = getenv("TG_PROC");

	return dir && *dir ? dir : "/proc";
}

/* Return: the length of what was read of the file; it ends with a NUL. */
static size_t slurp(unsigned int pid, const char *name, char *text, size_t room)
{
	char path[512];
	size_t len = 0;
	FILE *file;

	snprintf(path, sizeof(path), "%s/%u/%s", proc(), pid, name);
	file = fopen(path, "re");
	if (file) {
		len = fread(text, 1, room - 1, file);
		fclose(file);
	}
	text[len] = '\0';
	return len;
}

/* The id as systemd writes it in the name of a unit: systemd.unit(5), escaping. */
static void escape(const char *id, char *out, size_t room)
{
	char *end = out + room - 5;

	for (const char *c = id; *c && out < end; c++) {
		if (isalnum((unsigned char)*c) || *c == ':' || *c == '_' || (*c == '.' && c > id))
			*out++ = *c;
		else
			out += sprintf(out, "\\x%02x", (unsigned char)*c);
	}
	*out = '\0';
}

/* Is one component of the path app[-LAUNCHER]-ID-RANDOM.scope, or with @RANDOM.service? */
static bool unit_is(char *path, const char *escaped)
{
	char *save, *part;

	for (part = strtok_r(path, "/\n", &save); part; part = strtok_r(NULL, "/\n", &save)) {
		char *dot = strrchr(part, '.'), *at;
		bool service = dot && !strcmp(dot, ".service");

		if (strncmp(part, "app-", 4) || !dot || !(service || !strcmp(dot, ".scope")))
			continue;
		*dot = '\0';
		at = strrchr(part, service ? '@' : '-');
		if (at && at > part + 3)
			*at = '\0';
		else if (!service)
			continue;
		if (!strcmp(part + 4, escaped))
			return true;
		at = strchr(part + 4, '-');
		if (at && !strcmp(at + 1, escaped))
			return true;
	}
	return false;
}

static enum fit fits(struct process *p, const char *id, const char *escaped)
{
	const char *last = strrchr(id, '.');
	char text[4096], *name, *end;
	enum fit fit = NOT;

	if (!slurp(p->pid, "stat", text, sizeof(text)))
		return NOT;
	name = strchr(text, '(');
	end = strrchr(text, ')');
	if (!name || !end || sscanf(end, ") %*c %u", &p->parent) != 1)
		return NOT;
	*end = '\0';
	name++;
	if (!strncasecmp(name, id, COMM) ||
	    (last && last[1] && !strncasecmp(name, last + 1, COMM)))
		fit = BY_NAME;
	slurp(p->pid, "cgroup", text, sizeof(text));
	return unit_is(text, escaped) ? fit + BY_UNIT : fit;
}

/* Of several that fit alike, the one that has started the others; 0: there are two of these. */
static unsigned int first(const struct process *p, size_t nr, enum fit best)
{
	unsigned int pid = 0;
	size_t i, j;

	for (i = 0; i < nr; i++) {
		if (p[i].fit != best)
			continue;
		for (j = 0; j < nr; j++) {
			if (p[j].fit == best && p[j].pid == p[i].parent && j != i)
				break;
		}
		if (j < nr)
			continue;
		if (pid)
			return 0;
		pid = p[i].pid;
	}
	return pid;
}

unsigned int match_app(const char *app_id, uid_t uid)
{
	struct process found[64];
	char escaped[4 * ID_ROOM + 8];
	enum fit best = NOT;
	struct dirent *entry;
	size_t nr = 0;
	DIR *dir;

	if (!*app_id || strlen(app_id) >= ID_ROOM)
		return 0;
	escape(app_id, escaped, sizeof(escaped));
	dir = opendir(proc());
	while (dir && (entry = readdir(dir))) {
		struct process p = { .pid = strtoul(entry->d_name, NULL, 10) };
		struct stat info;

		if (!p.pid || fstatat(dirfd(dir), entry->d_name, &info, 0) || info.st_uid != uid)
			continue;
		p.fit = fits(&p, app_id, escaped);
		if (p.fit == NOT || p.fit < best)
			continue;
		if (p.fit > best)
			nr = 0;
		best = p.fit;
		if (nr == sizeof(found) / sizeof(*found)) {
			/* More than any application has: no one of them is meant. */
			closedir(dir);
			return 0;
		}
		found[nr++] = p;
	}
	if (dir)
		closedir(dir);
	return first(found, nr, best);
}
