// SPDX-License-Identifier: GPL-2.0
/*
 * What spans.c has read, as a picture: a row for each client, broad bars for its groups on the
 * hardware, narrow ones for their waits. gnuplot draws. Called by tgctl. One thread.
 */
#include <errno.h>
#include <stdlib.h>

#include "mem.h"
#include "perfetto.h"
#include "picture.h"

/* A run or a wait. */
struct bar {
	u32 client;
	bool runs;
	s64 from, until;
};

struct picture {
	const struct tgs_spans *s;
	FILE *to;
	struct bar *bars;
	u32 *row, nr_rows;	/* of each client, from 0; TGS_NOBODY: it has none yet */
	u32 nr_bars;
};

static u32 row_of(struct picture *p, u32 client)
{
	if (p->row[client] == TGS_NOBODY)
		p->row[client] = p->nr_rows++;
	return p->row[client];
}

static void add(struct picture *p, u32 client, bool runs, s64 from, s64 until)
{
	if (until > from)
		p->bars[p->nr_bars++] = (struct bar){ client, runs, from, until };
}

static int by_begin(const void *a, const void *b)
{
	const struct bar *ba = a, *bb = b;

	return (ba->from > bb->from) - (ba->from < bb->from);
}

/* All that is to be shown, in the order of their begins. */
static void collect(struct picture *p)
{
	const struct tgs_spans *s = p->s;
	u32 i;

	p->bars = tgs_alloc((u64)s->nr_runs + s->nr_waits + 1, sizeof(*p->bars));
	for (i = 0; i < s->nr_runs; i++)
		if (s->runs[i].shown)
			add(p, s->runs[i].client, true, s->runs[i].from, s->runs[i].until);
	for (i = 0; i < s->nr_waits; i++)
		if (s->waits[i].shown)
			add(p, s->waits[i].client, false, s->waits[i].from, s->waits[i].until);
	qsort(p->bars, p->nr_bars, sizeof(*p->bars), by_begin);
}

static void draw(struct picture *p, const struct bar *b)
{
	const double height = b->runs ? 0.4 : 0.1;
	const u32 row = row_of(p, b->client);

	fprintf(p->to, "%.6f %.6f %.6f %.2f %.2f %d\n", (b->from - p->s->start) / 1e9,
		(b->from - p->s->start) / 1e9, (b->until - p->s->start) / 1e9, row - height,
		row + height, b->runs);
}

/* gnuplot takes some characters as markup. */
static void label(struct picture *p, const struct tgs_who *who, u32 row, const char *comma)
{
	char comm[TG_COMM_LEN], *at = comm;

	tgs_plain(comm, who->comm, sizeof(comm));
	while (*(at += strcspn(at, "'\"\\{}_^@&~%")))
		*at = '?';
	fprintf(p->to, "%s'%s (%u)' %u", comma, comm, who->id, row);
}

int tgs_trace_plot(const struct tgs_spans *s, const char *path, s64 *end, char *error)
{
	struct picture p = { .s = s };
	int err = tgs_picture_open(&p.to, path, error);
	bool more = false;
	u32 i;

	*end = TG_NEVER;
	if (err)
		return err;
	collect(&p);
	p.row = tgs_alloc(s->nr_clients + 1, sizeof(*p.row));
	memset(p.row, 0xff, s->nr_clients * sizeof(*p.row));
	fprintf(p.to, "$runs << end\n");
	for (i = 0; i < s->nr_clients; i++)
		if (s->clients[i].wanted)
			row_of(&p, i);
	for (i = 0; i < p.nr_bars && i < TGS_STRETCHES; i++)
		draw(&p, &p.bars[i]);
	if (i < p.nr_bars)
		*end = p.bars[i].from;
	free(p.bars);
	if (!p.nr_bars) {
		snprintf(error, TGS_MESSAGE, "nothing ran and nobody waited there: no picture");
		free(p.row);
		fclose(p.to);
		return -ENODATA;
	}
	fprintf(p.to, "end\nset xlabel 'seconds since the start of the trace'\nset ytics (");
	for (i = 0; i < s->nr_clients; i++) {
		if (p.row[i] == TGS_NOBODY)
			continue;
		label(&p, &s->clients[i], p.row[i], more ? "," : "");
		more = true;
	}
	fprintf(p.to, ")\nset yrange [-0.6:%.1f]\nset style fill solid 0.9 noborder\n"
		"set key outside top center horizontal\nset grid xtics\n"
		"plot $runs using ($6==1?$1:NaN):(($4+$5)/2):2:3:4:5 with boxxyerror "
		"lc rgb '#2b6cb0' title 'runs', "
		"$runs using ($6==0?$1:NaN):(($4+$5)/2):2:3:4:5 with boxxyerror "
		"lc rgb '#c05621' title 'waits'\n", p.nr_rows - 0.4);
	free(p.row);
	return tgs_picture_close(p.to, path, error);
}
