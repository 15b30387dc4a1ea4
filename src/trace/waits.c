// SPDX-License-Identifier: GPL-2.0
/*
 * The records of the flight recorder, checked, chosen and told in words (waits.h).
 *
 * The bytes are not trusted: they may come from a file. Names are clients' own choice, so what is
 * not printable is written as `?`. Called by tgctl. One thread.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "mem.h"
#include "waits.h"

int tgs_waits_read(struct tgs_waits *waits, const void *data, u64 len, char *error)
{
	const struct tg_wait *from = (const void *)((const char *)data + sizeof(waits->head));
	u32 i;

	memset(waits, 0, sizeof(*waits));
	if (len < sizeof(waits->head)) {
		snprintf(error, TGS_MESSAGE, "%llu bytes; a head of %zu bytes wanted",
			 (unsigned long long)len, sizeof(waits->head));
		return -EINVAL;
	}
	memcpy(&waits->head, data, sizeof(waits->head));
	if (waits->head.magic != TG_WAIT_MAGIC || waits->head.version != TG_WAIT_VERSION ||
	    waits->head.size != sizeof(struct tg_wait)) {
		snprintf(error, TGS_MESSAGE, "not waits of version %u", TG_WAIT_VERSION);
		return -EINVAL;
	}
	len -= sizeof(waits->head);
	if (len % sizeof(struct tg_wait) || len / sizeof(struct tg_wait) != waits->head.nr) {
		snprintf(error, TGS_MESSAGE, "%llu bytes of records; %u records wanted",
			 (unsigned long long)len, waits->head.nr);
		return -EINVAL;
	}
	waits->wait = tgs_alloc(waits->head.nr + 1, sizeof(struct tg_wait));
	memcpy(waits->wait, from, len);
	waits->nr = waits->head.nr;
	for (i = 0; i < waits->nr; i++) {
		if (waits->wait[i].rivals <= TG_WAIT_RIVALS && waits->wait[i].end < TG_WAIT_ENDS)
			continue;
		snprintf(error, TGS_MESSAGE, "record %u of %u is none", i + 1, waits->nr);
		return -EINVAL;
	}
	return 0;
}

void tgs_waits_deinit(struct tgs_waits *waits)
{
	free(waits->wait);
	memset(waits, 0, sizeof(*waits));
}

/* --- choose --- */

static int by_lost(const void *a, const void *b)
{
	const struct tg_wait *wa = a, *wb = b;

	if (wa->lost != wb->lost)
		return wa->lost < wb->lost ? 1 : -1;
	return (wa->wall < wb->wall) - (wa->wall > wb->wall);
}

/* Records of several GPUs, or of several clients, come one after the other. */
static int by_wall(const void *a, const void *b)
{
	const struct tg_wait *wa = a, *wb = b;

	return (wa->wall > wb->wall) - (wa->wall < wb->wall);
}

void tgs_waits_choose(struct tgs_waits *waits, const struct tgs_wish *wish)
{
	u32 i, kept = 0;

	for (i = 0; i < waits->nr; i++) {
		const struct tg_wait *w = &waits->wait[i];

		if (w->wall < wish->since ||
		    (wish->client && !tgs_is_client(wish->client, w->who.client, w->who.pid,
						    w->who.comm)))
			continue;
		waits->wait[kept++] = *w;
	}
	waits->nr = kept;
	qsort(waits->wait, waits->nr, sizeof(*waits->wait), wish->worst ? by_lost : by_wall);
	if (wish->worst && waits->nr > wish->worst)
		waits->nr = wish->worst;
}

/* --- tell --- */

const char *tgs_clock(s64 wall)
{
	static char text[40];
	const time_t second = wall / TG_SEC;
	struct tm tm;

	if (!localtime_r(&second, &tm))
		memset(&tm, 0, sizeof(tm));
	strftime(text, sizeof(text), "%F %T", &tm);
	snprintf(text + strlen(text), sizeof(text) - strlen(text), ".%03d",
		 (int)(wall % TG_SEC / TG_MSEC));
	return text;
}

static const char *name_of(const struct tg_who *who)
{
	static char text[TG_COMM_LEN];

	return tgs_plain(text, who->comm, sizeof(text));
}

static void part(FILE *to, s64 ns, const char *what)
{
	if (ns)
		fprintf(to, "  %12.3f ms  %s\n", ns / 1e6, what);
}

static void print_rivals(const struct tg_wait *w, FILE *to)
{
	u32 i;

	fprintf(to, "  while it waited:\n");
	for (i = 0; i < w->rivals; i++) {
		const struct tg_rival *r = &w->rival[i];

		fprintf(to, "  %12.3f ms  ", r->ran / 1e6);
		if (r->who.client)
			fprintf(to, "client %u \"%s\" (pid %u, user %u) ran\n", r->who.client,
				name_of(&r->who), r->who.pid, r->who.uid);
		else
			fprintf(to, "another user ran\n");
	}
	part(to, w->others, w->rivals ? "others ran" : "others ran, which ones is not known");
	part(to, w->waited - w->lost, "its own groups ran");
	part(to, w->idle, "the engine was idle");
}

static void print_wait(const struct tg_wait *w, FILE *to)
{
	static const char *const ends[TG_WAIT_ENDS] = {
		[TG_WAIT_RAN] = "", [TG_WAIT_LOST] = ", and ran past its deadline",
		[TG_WAIT_GIVEN_UP] = ", and was given up",
	};

	fprintf(to, "%s  client %u \"%s\" (pid %u), priority %u, GPU %u", tgs_clock(w->wall),
		w->who.client, name_of(&w->who), w->who.pid, w->prio, w->gpu);
	if (w->job)
		fprintf(to, ", job %llu", (unsigned long long)w->job);
	fputc('\n', to);
	fprintf(to, "  waited %.3f ms%s\n", w->waited / 1e6, ends[w->end]);
	part(to, w->reserve, "for its reserve");
	part(to, w->policy, "for the policy, which chose others");
	part(to, w->driver, "on the way through the driver");
	part(to, w->behind, "on the hardware, behind other groups");
	print_rivals(w, to);
	if (w->waits > 1)
		fprintf(to, "  %u more wait%s within that second, %.3f ms in all\n", w->waits - 1,
			w->waits == 2 ? "" : "s", w->sum / 1e6);
}

void tgs_waits_print(const struct tgs_waits *waits, FILE *to)
{
	u32 i;

	for (i = 0; i < waits->nr; i++)
		print_wait(&waits->wait[i], to);
}
