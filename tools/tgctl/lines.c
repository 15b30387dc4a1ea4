// SPDX-License-Identifier: GPL-2.0
/*
 * The lines of `tgctl run`: see lines.h. Called by run.c, spec.c and config.c, and by tgrund. What
 * changes the text in force does so under spec_lock().
 */
#include "lines.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "config.h"
#include "lib/cgroup.h"
#include "spec.h"
#include "sysfs.h"

#define MARK	" # tgctl run"
#define FIRST	"cgroup=/"

const char *lines_root(void)
{
	const char *given = getenv("TG_CGROUP"), *root;

	if (given && *given)
		return given;
	root = cgroup_root();
	if (!root)
		tgctl_error("run: no cgroup v2 at %s; mount -t cgroup2 none %s", CGROUP_ROOT, CGROUP_ROOT);
	return root;
}

bool lines_over(const char *cgroup)
{
	const char *root = lines_root();
	char dir[LINES_CGROUP + 64];

	if (!root)
		return false;
	snprintf(dir, sizeof(dir), "%s%s", root, cgroup);
	return cgroup_over(dir);
}

/* --- one line as text --- */

/* Is the line at @at, of @len bytes without its line end, one of ours? Its cgroup to @line. */
static bool is_ours(const char *at, size_t len, struct run_line *line)
{
	const char *name, *end = at + len - strlen(MARK);
	size_t path;
	int used = 0;

	if (len < strlen(FIRST MARK) || memcmp(at, FIRST, strlen(FIRST)) || memcmp(end, MARK, strlen(MARK)))
		return false;
	at += strlen(FIRST) - 1;
	path = (const char *)memchr(at, ' ', end + 1 - at) - at;
	if (path >= sizeof(line->cgroup))
		return false;
	memcpy(line->cgroup, at, path);
	line->cgroup[path] = '\0';
	name = strrchr(line->cgroup, '/') + 1;
	return sscanf(name, LINES_NAME "%" SCNu32 "-%" SCNu32 "%n", &line->uid, &line->slot, &used) == 2 &&
	       (!name[used] || !strcmp(name + used, ".scope"));
}

static void write_line(FILE *to, const struct run_line *line)
{
	const char *sep = " :";

	fprintf(to, "cgroup=%s : prt : %s : %d : %lldus : %lldus", line->cgroup,
		line->capacity ? "pe" : "bg", line->prio, (long long)(line->capacity / TG_USEC),
		(long long)(line->period / TG_USEC));
	/* By name, for all processes of the cgroup together, and with its debts while the line stays. */
	if (line->capacity) {
		fprintf(to, "%s reserve=" LINES_RESERVE, sep, line->uid, line->slot);
		sep = ",";
	}
	if (*line->vgpu) {
		fprintf(to, "%s vgpu=\"%s\"", sep, line->vgpu);
		sep = ",";
	}
	if (line->mem)
		fprintf(to, "%s mem=%llu", sep, (unsigned long long)line->mem);
	fputs(MARK "\n", to);
}

/* --- texts --- */

/* The end of the line at @at, behind its line end. */
static size_t end_of(const char *text, size_t len, size_t at)
{
	const char *end = memchr(text + at, '\n', len - at);

	return end ? (size_t)(end - text) + 1 : len;
}

/* Is the line from @at to @end, line end included, one of ours? */
static bool ours(const char *text, size_t at, size_t end, struct run_line *line)
{
	return is_ours(text + at, end - at - (end > at && text[end - 1] == '\n'), line);
}

/* Takes out our lines that are @over, and that of the cgroup @but. Return: the bytes that are left. */
static size_t drop(char *text, size_t len, bool (*over)(const char *cgroup), const char *but)
{
	struct run_line line;
	size_t at, end, to = 0;

	for (at = 0; at < len; at = end) {
		end = end_of(text, len, at);
		if (ours(text, at, end, &line) && ((but && !strcmp(but, line.cgroup)) || over(line.cgroup)))
			continue;
		memmove(text + to, text + at, end - at);
		to += end - at;
	}
	return to;
}

static bool any(const char *cgroup)
{
	return true;
}

size_t lines_strip(char *text, size_t len)
{
	return drop(text, len, any, NULL);
}

/* Where the first client or virtual GPU stands: behind all settings. */
static bool place(const char *text, size_t len, size_t *at)
{
	struct tg_spec spec = { .text = text };
	u32 line = 0, nr = 1;

	if (!spec_parse_bytes(&spec, len, "what is in force"))
		return false;
	if (spec.nr)
		line = spec.entries[0].line;
	if (spec.nr_vgpus && (!line || spec.vgpus[0].line < line))
		line = spec.vgpus[0].line;
	for (*at = 0; *at < len && (!line || nr < line); nr++)
		*at = end_of(text, len, *at);
	free(spec.entries);
	return true;
}

/* Puts @lines above all clients of a text, called @name. Return: the result, or NULL after a message. */
static char *insert(const char *name, const char *text, size_t len, const char *lines, size_t *size)
{
	struct tg_spec spec;
	size_t at;
	char *to;

	if (!place(text, len, &at))
		return NULL;
	to = tgctl_alloc(NULL, len + strlen(lines) + 2);
	memcpy(to, text, at);
	*size = at;
	if (at && text[at - 1] != '\n')
		to[(*size)++] = '\n';
	memcpy(to + *size, lines, strlen(lines));
	*size += strlen(lines);
	memcpy(to + *size, text + at, len - at);
	*size += len - at;
	spec.text = to;
	if (*size > TG_SPEC_TEXT_MAX) {
		tgctl_error("%s has %zu bytes, and %zu more are for programs of tgctl run: %d is the most "
			    "in all; the old specification stays in force", name, len, *size - len,
			    TG_SPEC_TEXT_MAX);
	} else if (spec_parse_bytes(&spec, *size, "what is in force with this line")) {
		free(spec.entries);
		return to;
	}
	free(to);
	return NULL;
}

/* The text in force, of which a specification has no more than so much; NULL after a message. */
static char *read_spec(size_t *len)
{
	int fd = sysfs_open("spec", O_RDONLY);
	char *text = tgctl_alloc(NULL, TG_SPEC_TEXT_MAX + 1);
	ssize_t n = 1;

	*len = 0;
	while (fd >= 0 && n && *len < TG_SPEC_TEXT_MAX) {
		n = read(fd, text + *len, TG_SPEC_TEXT_MAX - *len);
		if (n < 0 && errno != EINTR)
			break;
		*len += max(n, (ssize_t)0);
	}
	if (fd >= 0 && n < 0)
		sysfs_explain("read", "spec", errno);
	if (fd >= 0)
		close(fd);
	if (fd >= 0 && n >= 0)
		return text;
	free(text);
	return NULL;
}

int lines_read(struct run_line **lines)
{
	struct tg_spec spec = { 0 };
	size_t len, at, end;
	char *text = read_spec(&len);
	u32 nr = 0, line, i;

	*lines = NULL;
	spec.text = text;
	if (text && !memmem(text, len, MARK, strlen(MARK))) {
		free(text);
		return 0;
	}
	if (!text || !spec_parse_bytes(&spec, len, sysfs_path("spec")))
		return -1;
	*lines = tgctl_alloc(NULL, (spec.nr + 1) * sizeof(**lines));
	for (at = 0, line = 1, i = 0; at < len; at = end, line++) {
		struct run_line *to = *lines + nr;
		const struct tg_spec_entry *e;

		end = end_of(text, len, at);
		while (i < spec.nr && spec.entries[i].line < line)
			i++;
		if (i == spec.nr || spec.entries[i].line != line || !ours(text, at, end, to))
			continue;
		e = &spec.entries[i];
		to->prio = e->prio;
		to->capacity = e->capacity;
		to->period = e->period;
		to->mem = e->mem;
		memcpy(to->vgpu, text + e->vgpu.off, e->vgpu.len);
		to->vgpu[e->vgpu.len] = '\0';
		nr++;
	}
	free(spec.entries);
	free(text);
	return nr;
}

/* The text of one line; the caller frees it. */
static char *line_text(const struct run_line *line)
{
	size_t size;
	char *text = NULL;
	FILE *to = open_memstream(&text, &size);

	if (!to || (write_line(to, line), fclose(to))) {
		tgctl_error("out of memory");
		return NULL;
	}
	return text;
}

/* Is there such a virtual GPU? Clients of another one would belong to the rest. */
static bool knows(const char *text, size_t len, const char *vgpu)
{
	struct tg_spec spec = { .text = text };
	bool found = !*vgpu;
	u32 i;

	if (found)
		return true;
	if (!spec_parse_bytes(&spec, len, "what is in force"))
		return false;
	for (i = 0; i < spec.nr_vgpus; i++)
		found |= spec.vgpus[i].name.len == strlen(vgpu) &&
			 !memcmp(text + spec.vgpus[i].name.off, vgpu, strlen(vgpu));
	free(spec.entries);
	if (!found)
		tgctl_error("run: no virtual GPU '%s' in the specification in force; a line [vgpu %s] "
			    "makes one", vgpu, vgpu);
	return found;
}

/* @text without the lines that are @over, and with @add, if that is given; NULL after a message. Frees @text. */
static char *edited(char *text, size_t len, const struct run_line *add, bool (*over)(const char *cgroup), size_t *size)
{
	char *line, *whole = NULL;

	*size = drop(text, len, over, add ? add->cgroup : NULL);
	if (!add)
		return text;
	line = knows(text, *size, add->vgpu) ? line_text(add) : NULL;
	if (line)
		whole = insert("what is in force", text, *size, line, size);
	free(line);
	free(text);
	return whole;
}

bool lines_take(const struct run_line *add, bool (*over)(const char *cgroup))
{
	size_t len;
	char *text = config_kept(&len);
	bool ok;

	if (text)
		text = edited(text, len, add, over, &len);
	ok = text;
	free(text);
	return ok;
}

/* Under spec_lock(). */
static bool change(int fd, const struct run_line *add, bool (*over)(const char *cgroup))
{
	size_t len, size;
	char *text = config_kept(&len);
	bool ok;

	if (text)
		text = edited(text, len, add, over, &size);
	ok = text && ((!add && size == len) || spec_put(fd, "tgctl run", text, size, "new-only\n"));
	free(text);
	return ok;
}

bool lines_change(const struct run_line *add, bool (*over)(const char *cgroup))
{
	int fd = spec_lock();
	bool ok;

	if (fd < 0)
		return false;
	ok = change(fd, add, over);
	close(fd);
	return ok;
}

char *lines_carry(const char *name, const char *text, size_t len, size_t *size)
{
	struct run_line *lines = NULL;
	char *new = memcpy(tgctl_alloc(NULL, len + 1), text, len), *ours = NULL, *whole = NULL;
	int nr = lines_read(&lines), i;
	size_t ours_size;
	FILE *to = open_memstream(&ours, &ours_size);

	*size = len;
	for (i = 0; i < nr && to; i++) {
		if (lines_over(lines[i].cgroup))
			continue;
		/* It may stand in the text, if that was read from the module. */
		*size = drop(new, *size, lines_over, lines[i].cgroup);
		write_line(to, &lines[i]);
	}
	if (!to || fclose(to))
		tgctl_error("out of memory");
	else if (nr >= 0)
		whole = *ours ? insert(name, new, *size, ours, size) : new;
	if (whole != new)
		free(new);
	free(ours);
	free(lines);
	return whole;
}
