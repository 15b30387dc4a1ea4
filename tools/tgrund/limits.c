// SPDX-License-Identifier: GPL-2.0
/*
 * Limits of `tgctl run` for ordinary users: see limits.h.
 *
 *	user alice  : 60 : 25% : 512M : 4
 *	group video : 40 : 10% : 0    : 2 : guest
 */
#include "limits.h"

#include <stdio.h>
#include <string.h>

#include "lib/number.h"

#define FIELDS	6

/* --- the file --- */

static bool wrong(char why[256], unsigned int line, const char *what)
{
	snprintf(why, 256, LIMITS_FILE ":%u: %s", line, what);
	return false;
}

/* Cuts blanks off both ends. */
static char *trim(char *word)
{
	size_t len;

	word += strspn(word, " \t");
	for (len = strlen(word); len && strchr(" \t", word[len - 1]);)
		word[--len] = '\0';
	return word;
}

static bool read_percent(char *word, unsigned int *percent)
{
	const size_t len = strlen(word);
	uint64_t n;

	if (!len || word[len - 1] != '%')
		return false;
	word[len - 1] = '\0';
	if (!number_read(trim(word), 100, &n))
		return false;
	*percent = n;
	return true;
}

/* Names with blanks between them. */
static bool read_vgpus(char *words, char vgpus[512])
{
	char *word, *rest;
	size_t len = 0;

	*vgpus = '\0';
	for (word = strtok_r(words, " \t", &rest); word; word = strtok_r(NULL, " \t", &rest)) {
		if (strlen(word) >= TG_NAME_LEN || len + strlen(word) + 2 > 512)
			return false;
		len += sprintf(vgpus + len, "%s ", word);
	}
	return true;
}

/* What stands behind the first colon. */
static bool read_fields(char **field, int nr, struct limits *l, char why[256])
{
	uint64_t n, size;

	if (nr < FIELDS - 1 || nr > FIELDS)
		return wrong(why, l->line, "not so many fields; user NAME or group NAME : PRIO : PERCENT% : "
			     "MEM : SCOPES [: VGPU...]");
	if (!number_read(field[1], TG_PRIO_MAX, &n))
		return wrong(why, l->line, "no priority in the second field; 0 to 99");
	l->prio = n;
	if (!read_percent(field[2], &l->percent))
		return wrong(why, l->line, "no share in the third field; 0% to 100%");
	if (!size_read(field[3], TG_SPEC_MEM_MAX, &size))
		return wrong(why, l->line, "no size in the fourth field; 0, or bytes with K, M or G behind");
	if (!number_read(field[4], LIMITS_SCOPES, &n))
		return wrong(why, l->line, "no number of scopes in the fifth field; 0 to 64");
	l->mem = size;
	l->scopes = n;
	*l->vgpus = '\0';
	if (nr == FIELDS && !read_vgpus(field[5], l->vgpus))
		return wrong(why, l->line, "too long a name, or too many, in the sixth field; 31 bytes");
	return true;
}

/* One line. @name is NULL where it is empty. */
static bool read_limits(char *line, bool *group, char **name, struct limits *l, char why[256])
{
	char *field[FIELDS + 1], *rest = line, *who;
	int nr = 0;

	*name = NULL;
	line[strcspn(line, "#")] = '\0';
	line = trim(line);
	if (!*line)
		return true;
	for (rest = line; rest && nr <= FIELDS; nr++)
		field[nr] = strsep(&rest, ":");
	if (rest)
		nr++;
	for (int i = 0; i < nr && i <= FIELDS; i++)
		field[i] = trim(field[i]);
	who = field[0];
	*group = !strncmp(who, "group", 5);
	if (!*group && strncmp(who, "user", 4))
		return wrong(why, l->line, "neither user nor group; user NAME, group NAME");
	who += *group ? 5 : 4;
	*name = trim(who);
	if (*name == who || !**name || strpbrk(*name, " \t"))
		return wrong(why, l->line, "no name behind the first word; user NAME, group NAME");
	return read_fields(field, nr, l, why);
}

int limits_find(const char *text, size_t len, limits_is *is, void *arg, struct limits *limits,
		char why[256])
{
	const char *end = text + len, *at, *next;
	struct limits l = { 0 };
	int found = 0;

	for (at = text; at < end; at = next) {
		const char *stop = memchr(at, '\n', end - at);
		const size_t size = (stop ? stop : end) - at;
		char line[1024], *name;
		bool group;

		next = stop ? stop + 1 : end;
		l.line++;
		if (size >= sizeof(line) || memchr(at, '\0', size)) {
			wrong(why, l.line, "too long a line, or a NUL in it; at most 1023 bytes");
			return -1;
		}
		memcpy(line, at, size);
		line[size] = '\0';
		if (size && line[size - 1] == '\r')
			line[size - 1] = '\0';
		if (!read_limits(line, &group, &name, &l, why))
			return -1;
		if (!name || found || !is(group, name, arg))
			continue;
		*limits = l;
		found = 1;
	}
	return found;
}

/* --- a request --- */

static bool refuse(char why[256], const struct limits *l, const char *what, const char *limit)
{
	snprintf(why, 256, "%.96s; your limit is %.64s (" LIMITS_FILE ":%u)", what, limit, l->line);
	return false;
}

/* Is the request well-formed? Limits are not looked at here. */
static bool sound(const struct run_line *r, char why[256])
{
	const unsigned char *at;

	*why = '\0';
	for (at = (const unsigned char *)r->vgpu; *at >= ' ' && *at != 127 && *at != '"'; at++)
		;
	if (*at)
		strcpy(why, "vgpu: a quote or a control byte in the name");
	if (r->prio < -1 || r->prio > TG_PRIO_MAX)
		strcpy(why, "priority: 0 (lowest) to 99");
	if (r->capacity < 0 || r->period > TG_SPEC_PERIOD_MAX || r->capacity > r->period ||
	    !r->capacity != !r->period || r->capacity % TG_USEC || r->period % TG_USEC)
		strcpy(why, "reserve: C of every T, 1us to 10s, C up to T");
	if (r->mem > TG_SPEC_MEM_MAX)
		strcpy(why, "mem: 1024G at most");
	return !*why;
}

/* C/T in millionths, rounded up. */
static u64 share_of(const struct run_line *r)
{
	return r->capacity ? ((u64)r->capacity / TG_USEC * 1000000 + r->period / TG_USEC - 1) /
			     (r->period / TG_USEC) : 0;
}

static bool allows_vgpu(const struct limits *l, const char *vgpu)
{
	const size_t len = strlen(vgpu);
	const char *at;

	if (strchr(vgpu, ' '))
		return false;
	for (at = l->vgpus; *at; at = strchr(at, ' ') + 1)
		if (!strncmp(at, vgpu, len) && at[len] == ' ')
			return true;
	return false;
}

/* The lowest number that no other scope has. */
static u32 free_slot(const struct run_line *others, int nr)
{
	u32 slot;
	int i;

	for (slot = 1;; slot++) {
		for (i = 0; i < nr && others[i].slot != slot; i++)
			;
		if (i == nr)
			return slot;
	}
}

static bool within(const struct limits *l, const struct run_line *r, const struct run_line *others,
		   int nr, char why[256])
{
	char what[96], limit[64];
	u64 sum = share_of(r);
	int i;

	for (i = 0; i < nr; i++)
		sum += share_of(&others[i]);
	snprintf(what, sizeof(what), "priority %d", r->prio);
	snprintf(limit, sizeof(limit), "%d", l->prio);
	if (r->prio > l->prio)
		return refuse(why, l, what, limit);
	snprintf(what, sizeof(what), "reserve: %llu.%02llu %% of the GPU with your other scopes",
		 (unsigned long long)sum / 10000, (unsigned long long)sum / 100 % 100);
	snprintf(limit, sizeof(limit), "%u %%", l->percent);
	if (sum > (u64)l->percent * 10000)
		return refuse(why, l, what, limit);
	snprintf(what, sizeof(what), "mem: %llu bytes", (unsigned long long)r->mem);
	snprintf(limit, sizeof(limit), "%llu", (unsigned long long)l->mem);
	if (r->mem > l->mem)
		return refuse(why, l, what, limit);
	if (*r->vgpu && !allows_vgpu(l, r->vgpu))
		return refuse(why, l, "vgpu: not one of yours", *l->vgpus ? l->vgpus : "none");
	snprintf(what, sizeof(what), "scopes: %d run already", nr);
	snprintf(limit, sizeof(limit), "%u", l->scopes);
	if ((unsigned int)nr >= l->scopes)
		return refuse(why, l, what, limit);
	return true;
}

bool limits_check(const struct limits *limits, struct run_line *line, const struct run_line *others,
		  int nr, char why[256])
{
	if (!sound(line, why))
		return false;
	if (line->prio < 0)
		line->prio = limits->line && limits->prio < TG_PRIO_AGPA ? limits->prio : TG_PRIO_AGPA;
	line->slot = free_slot(others, nr);
	return !limits->line || within(limits, line, others, nr, why);
}
