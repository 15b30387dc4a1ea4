/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What tgctl top shows, computed from snapshots: rows of clients, engines, columns, and their order.
 * top.c and top_screen.c call this; the view is changed by options and by keys.
 */
#ifndef TGCTL_TOP_ROWS_H
#define TGCTL_TOP_ROWS_H

#include "snapshot.h"
#include "tgctl.h"

#define TOP_EVERY_MIN	(100 * TG_MSEC)
#define TOP_EVERY_MAX	(60 * TG_SEC)
#define TOP_READINGS	10	/* percentiles are those of the groups since so many readings */

/**
 * struct top_row - a client now, and what it did since the last reading
 * @c: the client; its names end with a NUL
 * @share: of one GPU's time, %
 * @rate: groups completed, 1/s
 * @latency: of a group, waiting and running, ms. The time for which a freed group queues on the
 *	GPU behind other groups is in neither; it is in @latency50 and @latency99
 * @run: of a group on the GPU, ms
 * @reserve: wait of a group for the reserve, ms
 * @policy: wait of a group for the policy, ms
 * @would: dry run: wait of a group that was modelled, ms
 * @wait50: median of the waits since TOP_READINGS readings, ms; negative: no group
 * @wait99: their 99th percentile
 * @latency50: likewise of the times from submission to end
 * @latency99: likewise
 */
struct top_row {
	struct tg_snap_client c;
	double share, rate, latency, run, reserve, policy, would;
	double wait50, wait99, latency50, latency99;
};

/**
 * struct top_engine - an engine now
 * @e: the engine
 * @busy: % of the time since the last reading
 */
struct top_engine {
	struct tg_snap_engine e;
	double busy;
};

/**
 * struct top_frame - what is shown of one reading
 * @now: the reading
 * @rows: clients that the filter lets through, in order
 * @nr: how many
 * @engines: engines; none: this reader may not see them
 * @nr_engines: how many
 * @dry: a dry run is on
 */
struct top_frame {
	const struct snapshot *now;
	struct top_row *rows;
	size_t nr;
	struct top_engine *engines;
	size_t nr_engines;
	bool dry;
};

/**
 * struct top_view - what the user has chosen
 * @sort: index of the key, see top_sort_name()
 * @reverse: the smallest first
 * @filter: only clients whose name, user, reserve or virtual GPU has this in it
 * @every: time between readings, ns
 */
struct top_view {
	unsigned int sort;
	bool reverse;
	char filter[32];
	s64 every;
};

extern struct top_view top_view;

/** top_no_effect() - why the policy of this reading delays nobody, as tgctl_no_effect(); NULL: it does */
const char *top_no_effect(const struct top_frame *frame);

/** top_sort_name() - name of a key; NULL: there is none of that number */
const char *top_sort_name(unsigned int key);
/** top_sort_by() - choose the key of that name; false: there is none */
bool top_sort_by(const char *name);

/**
 * top_columns_choose() - choose the columns
 * @list: names with commas between; "": the default ones
 *
 * Return: NULL; or the word that names no column, the caller's to free. Then nothing has changed.
 */
char *top_columns_choose(const char *list);

/** top_columns_known() - the names of all columns, as a list for people; the caller's to free */
char *top_columns_known(void);

/**
 * top_frame_make() - compute what is shown
 * @frame: the result; the caller's to free with top_frame_free()
 * @past: TOP_READINGS readings or fewer, the latest first
 * @nr: how many, at least one
 * @now: the reading, kept while @frame is used
 * @dry: a dry run is on
 */
void top_frame_make(struct top_frame *frame, const struct snapshot *past, size_t nr,
		    const struct snapshot *now, bool dry);
void top_frame_free(struct top_frame *frame);

/**
 * top_lines() - the rows as text below a line of heads
 * @frame: the frame
 * @width: columns of a terminal: what does not fit whole is left out, on the right; 0: all
 * @nr: how many lines
 *
 * Return: the lines; each, and the array, are the caller's to free.
 */
char **top_lines(const struct top_frame *frame, size_t width, size_t *nr);

/** top_user() - name of a user, or its number; overwritten by the next call */
const char *top_user(u32 uid);

#endif /* TGCTL_TOP_ROWS_H */
