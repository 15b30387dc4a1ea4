/* SPDX-License-Identifier: GPL-2.0 */
/*
 * line.c: threads that wait until others have gone ahead.
 */
#ifndef TGK_LINE_H
#define TGK_LINE_H

#include "tgk.h"

/**
 * struct tgk_turn - a thread that waits for a place in a line; on its stack
 * @node: in tgk_line.behind until @come; tgk_gpu.lock
 * @task: the thread
 * @come: it has the place now; written under tgk_gpu.lock, read without
 */
struct tgk_turn {
	struct list_head node;
	struct task_struct *task;
	bool come;
};

/**
 * struct tgk_place - the places of a thread that has no job yet; on its stack
 * @ch: the channel in whose line it counts; referenced, or NULL
 * @let_in: it counts in the line of that one's client, too
 * @behind: it waits in the line of this channel; referenced; NULL: of the client of @ch
 * @turn: that wait
 */
struct tgk_place {
	struct tgk_channel *ch, *behind;
	struct tgk_turn turn;
	bool let_in;
};

void tgk_line_next(struct tgk_line *line);
bool tgk_place_line_up(struct tgk_place *place, struct tgk_channel *ch);
int tgk_place_wait(struct tgk_gpu *gpu, struct tgk_place *place);
void tgk_place_pass_on(struct tgk_place *place, struct tgk_channel *ch, struct tgk_job *job);
void tgk_place_drop(struct tgk_gpu *gpu, struct tgk_place *place);

#endif /* TGK_LINE_H */
